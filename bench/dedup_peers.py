"""One run of a peer of ink dedup, for its CPU time.

    dedup_peers.py exact|paragraphs FILE OUTPUT          orjson, xxh3 and a set
    dedup_peers.py datasketch|rensa FILE OUTPUT          MinHash of 128 values at 0.8; the numbers of documents that go
    dedup_peers.py dolma CONFIG LIBRARY                  the Rust part of dolma, with configurations of JSON, one a step
"""
import importlib.util
import json
import sys


def dolma(config, library):
    spec = importlib.util.spec_from_file_location("dolma", library)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    for step, options in json.load(open(config)).items():
        {"dedupe": loaded.deduper_entrypoint, "mix": loaded.mixer_entrypoint}[step](json.dumps(options))


def by_set(level, path, output):
    import orjson
    import xxhash
    seen = set()
    with open(path, "rb") as lines, open(output, "wb") as to:
        for line in lines:
            text = orjson.loads(line)["text"]
            if level == "exact":
                key = xxhash.xxh3_128_digest(text.encode())
                if key not in seen:
                    seen.add(key)
                    to.write(line)
                continue
            parts, kept = text.split("\n"), []
            for part in parts:
                key = xxhash.xxh3_64_intdigest(part.encode())
                if key not in seen:
                    seen.add(key)
                    kept.append(part)
            if len(kept) == len(parts):
                to.write(line)
            elif kept:
                to.write(orjson.dumps({**orjson.loads(line), "text": "\n".join(kept)}) + b"\n")


def shingles(path):
    import orjson
    with open(path, "rb") as lines:
        for line in lines:
            words = orjson.loads(line)["text"].split()
            yield {" ".join(words[at:at + 5]) for at in range(max(1, len(words) - 4))} if words else set()


def datasketch(path):
    import xxhash
    from datasketch import MinHash, MinHashLSH
    index = MinHashLSH(threshold=0.8, num_perm=128)
    for number, found in enumerate(shingles(path)):
        one = MinHash(num_perm=128, hashfunc=xxhash.xxh32_intdigest)
        one.update_batch([part.encode() for part in found])
        if index.query(one):
            yield number
        index.insert(number, one)


def rensa(path):
    from rensa import RMinHash, RMinHashLSH
    index = RMinHashLSH(threshold=0.8, num_perm=128, num_bands=16)
    for number, found in enumerate(shingles(path)):
        one = RMinHash(num_perm=128, seed=42)
        one.update(list(found))
        if index.query(one):
            yield number
        index.insert(number, one)


def main(name, *values):
    if name == "dolma":
        dolma(*values)
    elif name in ("exact", "paragraphs"):
        by_set(name, *values)
    else:
        with open(values[1], "w", encoding="utf-8") as to:
            json.dump(list({"datasketch": datasketch, "rensa": rensa}[name](values[0])), to)


if __name__ == "__main__":
    main(*sys.argv[1:])
