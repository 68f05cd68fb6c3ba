#!/usr/bin/env python3
"""`make recall`: are bugs found that others had? The root causes of defects of Bloom filters, sketches and decoders that
were published elsewhere are planted in our sources, one at a time, in a copy: the file is compiled again, a fuzz target
is linked with it, and must fail within its time. A plant whose text is no longer there is an error: it has to be planted
anew. Without a plant every target must pass, or a failure says nothing."""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = SOURCE / "build/fuzzing"


@dataclasses.dataclass
class Plant:
    defect: str  # where it was, and what
    target: str  # program, or program-variant
    path: str
    edits: list[tuple[str, str]]
    options: tuple[str, ...] = ()  # of libFuzzer


PLANTS = [
    Plant("RedisBloom CVE-2024-25115: offset and length go to memcpy unchecked", "decode-bloom", "src/format/image.c",
          [("if (directory > room || payload > room - directory)", "if (directory > room)")]),
    Plant("Redis CVE-2019-10192: an HLL that is shorter than it says", "decode-hll", "src/base/byte_reader.c",
          [("if (in->ran_out || count > in->count - in->offset)", "if (in->ran_out || count > in->count)")]),
    Plant("RedisBloom CVE-2024-25116: 64 bits of a size kept in 8", "decode-count-min", "src/sketch/kinds/count_min.c",
          [("shape->payload_bytes != width * depth * (bits / 8)",
            "(uint8_t)shape->payload_bytes != (uint8_t)(width * depth * (bits / 8))")]),
    Plant("RedisBloom CVE-2026-25589: width times depth not held against the bytes", "decode-count-min",
          "src/sketch/kinds/count_min.c",
          [("shape->payload_bytes > BYTES_MAX || shape->payload_bytes != width * depth * (bits / 8)",
            "shape->payload_bytes > BYTES_MAX")]),
    Plant("RedisBloom RED-184456: bits of a filter not held against its buffer", "decode-classic",
          "src/sketch/kinds/classic.c", [("if (shape->payload_bytes != bytes_of(size))", "if (shape->payload_bytes == 0)")]),
    Plant("RedisBloom CVE-2026-25589: more nodes than their bytes (t-digest)", "decode-top", "src/sketch/kinds/top.c",
          [("shape->payload_bytes < kept * FILED_BYTES || shape->payload_bytes > most", "shape->payload_bytes > most")]),
    Plant("Git commit-graph: offsets that end after their chunk", "decode-labels", "src/format/directory.c",
          [("if (end < *start || end > names_end ||", "if (end < *start ||")]),
    Plant("RedisBloom MOD-11590: number of filters of a chain is trusted", "file-scalable",
          "src/sketch/kinds/scalable.c", [("if (levels > LEVELS_MAX)", "if (levels > UINT64_MAX - 1)")],
          ("-len_control=0",)),  # a thousand levels are a long input
    Plant("RedisBloom CF.LOADCHUNK: a chunk is copied beyond the filter", "pieces", "src/jobs/groups/pieces.c",
          [("if (slice->offset > all || slice->count > all - slice->offset || slice->offset % unit != 0 ||",
            "if (slice->offset % unit != 0 ||")]),
    Plant("Redis CVE-2025-32023: the index of a run of registers is not checked", "file-hll", "src/sketch/kinds/hll.c",
          [("if (index <= last || index >= registers_in(precision))", "if (index <= last)")]),
    Plant("postgresql-hll 2efb492: log2m out of range is taken from the file", "decode-hll", "src/sketch/kinds/hll.c",
          [("precision < PRECISION_MIN || precision > PRECISION_MAX", "precision < PRECISION_MIN")]),
    Plant("DataSketches #511: no bound on a value of the list", "decode-hll", "src/sketch/kinds/hll.c",
          [("if (value == 0 || value > value_max(precision))", "if (value == 0)")]),
    Plant("postgresql-hll #180: no bound on a packed register", "decode-hll", "src/sketch/kinds/hll.c",
          [("        if (value > value_max(precision))\n            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * VALUE_BITS / 8",
            "        if (value > 63)\n            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * VALUE_BITS / 8")]),
    Plant("ink: entries twice or in no order are taken", "file-labels", "src/format/directory.c",
          [("if (index > 0 && ink_label_compare(&before, &label) >= 0)",
            "if (index > 0 && ink_label_compare(&before, &label) > 1)")]),
    Plant("RedisBloom RED-158504: cells of a filter in a chain are not in the buffer", "decode-scalable",
          "src/sketch/kinds/level.c", [("if (read->cells_at == start && start <= payload_bytes &&\n"
                                  "        read->shape.payload_bytes <= payload_bytes - start)",
                                  "if (read->cells_at == start)")]),
    Plant("valkey-bloom #90: NaN passes a check of a ratio", "file-scalable", "src/sketch/kinds/scalable.c",
          [("if (!(ratio >= RATIO_MIN && ratio <= RATIO_MAX))", "if (ratio < RATIO_MIN || ratio > RATIO_MAX)")]),
    Plant("RedisBloom MOD-15943, Guava #8463: memory by a number that a file claims", "file-top",
          "src/sketch/kinds/top.c", [("ink__top_table_reserve(&t->table, kept, key_bytes, kept_max(t->capacity),",
                                "ink__top_table_reserve(&t->table, kept_max(t->capacity), key_bytes, kept_max(t->capacity),")]),
    Plant("RedisBloom MOD-8194, MOD-16050: part of the state is not saved", "file-top", "src/sketch/kinds/top.c",
          [("ink__store_u64(at + AT_ERROR, e->error);", "ink__store_u64(at + AT_ERROR, 0);")]),
    Plant("Redis #9285: the check of a checksum that never runs", "decode-bloom", "src/format/image.c",
          [("if (ink__checksum(image->bytes + at, bytes) != ink__load_u64(image->sums + 8 * i))",
            "if (i > 0 && ink__checksum(image->bytes + at, bytes) != ink__load_u64(image->sums + 8 * i))")]),
    Plant("RedisBloom #418: a number wraps instead of being refused", "sections-position",
          "src/jobs/stream/stream_position.c", [("ink__parse_digits(text, digits, UINT64_MAX, number)",
                                                 "(ink__parse_digits(text, digits, UINT64_MAX, number) || digits > 19)")]),
    Plant("Redis CVE-2025-32023: valid elements, more of them than there is room for", "sections-recipe",
          "src/jobs/runtime/input_spec.c", [("if (reading->key_count == INK_KEY_COLUMNS_MAX)", "if (reading->key_count == 100000)")]),
    Plant("postgresql-hll #84: bytes after the end of a value are read", "sections-recipe", "src/jobs/runtime/input_spec.c",
          [("if (at >= count)\n            return fail_pair(name, \"\", error);", ""),
           ("if (at > count) /* the last NUL is the arena's */\n            return fail_pair(name, value, error);", "")]),
    Plant("ClickHouse #119598: a state of fewer bytes than its head is read", "pieces", "src/jobs/groups/pieces.c",
          [("if (end - *at < ITEM_BYTES)", "if (end == *at)")]),
    Plant("RedisBloom CF.LOADCHUNK: a length beyond the bytes that came", "pieces", "src/jobs/groups/pieces.c",
          [("what.count > left - padded(what.group_bytes) ||\n        padded(what.count) > left - padded(what.group_bytes))",
            "what.count > UINT32_MAX)")]),
    Plant("postgresql-hll #84 again: a text that ends within an escape is read on", "records-jsonl", "src/base/json.c",
          [("if (in->at == in->end || ink__hex_digit(in->bytes[in->at]) > 15)", "if (ink__hex_digit(in->bytes[in->at]) > 15)")]),
    Plant("ink: a split begins with a piece of a record", "records-lines", "src/input/source.c",
          [("if (source->cursor < from || source->cursor > source->stop)", "source->cursor = from;\n    if (from > source->stop)")]),
    Plant("ink: a time is read beyond its record", "records-lines", "src/input/rows.c",
          [("(open ? reader->record_ends[row] : from->end)", "(open ? reader->record_ends[row] + 2 : from->end)")]),
    Plant("ink: a frame whose length is negative", "texts-frames", "cli/hadoop/frames.c",
          [("if (length < 0)", "if (length < -1000000)")]),
    Plant("ink: a frame that is cut is taken for a whole one", "texts-frames", "cli/hadoop/frames.c",
          [('return fail_cut(reader, got + some, "value", length);', "break;")]),
    Plant("ink: a key of another length is taken", "texts-frames", "cli/hadoop/frames.c",
          [("if (length != FRAME_KEY_BYTES)", "if (length < FRAME_KEY_BYTES)")]),
    Plant("ink: data that ends within a frame is taken for whole", "compressed", "src/input/records/decompress.c",
          [("        if (stream->left == 0)\n            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, stream->taken,\n"
            "                             \"the %s data ends", "        if (stream->left == 0)\n"
            "            return INK_OK;\n        if (stream->left == UINT64_MAX)\n"
            "            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, stream->taken,\n"
            "                             \"the %s data ends")]),
    Plant("zstd bombs: a window of any size", "compressed", "src/input/records/decompress.c",
          [("ZSTD_DCtx_setParameter(stream->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);",
            "ZSTD_DCtx_setParameter(stream->zstd, ZSTD_d_windowLogMax, 30);")]),
    Plant("ink: a view of what is not in its buffer", "arrow", "src/input/arrow/arrow_check.c",
          [("return size >= 0 && at + length <= (uint64_t)size && length < limit;", "return size >= 0 && length < limit;")]),
    Plant("ink: an index beyond its dictionary", "arrow", "src/input/arrow/arrow_check.c",
          [("if (location >= now->values->count)", "if (location > now->values->count + 1000)")]),
    Plant("zstd CVE-2022-4899: an empty string as an argument", "arguments", "cli/arguments/arguments.c",
          [("if (*text == '\\0' && !there.empty)", "if (text[strlen(text) - 1] == '\\0')")]),
]

# Two that were published cannot be planted here, for a later check refuses whatever they let through:
# - Git 12192a9db9, offsets out of order that make a length which is negative: without `end < *start` in
#   directory.c the length wraps, and is above what a name may have;
# - lz4 CVE-2021-3520, a size beyond the buffer: without `next > room` in top.c the ends of keys still rise, so
#   that the last of them is not where the room ends, and no key is read before that is known.


def run(command: list[str], **more: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, **more)  # type: ignore[call-overload,no-any-return]


def planted(plant: Plant, folder: pathlib.Path) -> pathlib.Path:
    """The file of a plant with its edits. Lines stay where they are, so that a report leads to the source."""
    text = (SOURCE / plant.path).read_text()
    for old, new in plant.edits:
        if old not in text:
            raise LookupError(f"{plant.path} has no longer: {old}")
        text = text.replace(old, new)
    changed = folder / pathlib.Path(plant.path).name
    changed.write_text(text)
    return changed


def build(program: str, changed: pathlib.Path | None, folder: pathlib.Path) -> pathlib.Path:
    """The fuzz target with one file changed: what is linked first is not looked for in the archives."""
    words = (BUILT / "flags").read_text().split()
    flags = [word for word in words[1:] if not word.startswith(("-O", "-Werror", "-Wl", "-W"))]
    objects = [str(path) for path in sorted((BUILT / "tests/support").glob("*.o"))]
    if changed is not None:
        objects.insert(0, str(folder / "changed.o"))
        compiled = run(["clang", "-O1", *flags, "-w", "-Icli", "-Ilab", "-fPIC", "-c", str(changed), "-o", objects[0]],
                       cwd=SOURCE)
        if compiled.returncode != 0:
            raise RuntimeError(f"a plant does not compile: {compiled.stderr}")
    tests = BUILT / "tests/fuzz"
    linked = run(["clang", "-fsanitize=fuzzer,address,undefined", *objects, str(tests / f"{program}_fuzz.o"),
                  str(tests / "change.o"), str(tests / "libfuzzer.o"), str(BUILT / "cli.a"), str(BUILT / "libinkling.a"),
                  "-o", str(folder / program), "-l:libzstd.a", "-l:libz.a", "-lcmocka", "-lm", "-ldl", "-lpthread", "-lm"])
    if linked.returncode != 0:
        raise RuntimeError(f"a plant does not link: {linked.stderr}")
    return folder / program


def fuzz(program: pathlib.Path, variant: str, seconds: int, folder: pathlib.Path, options: tuple[str, ...] = ()) -> str:
    """What the target failed with; nothing if it did not."""
    environment = {**os.environ, **({"INK_FUZZ_VARIANT": variant} if variant else {})}
    seeds = folder / "seeds"
    seeds.mkdir()
    written = run([str(program)], env={**environment, "INK_FUZZ_SEEDS": str(seeds)})
    if written.returncode != 0:
        return "at once: " + reason(written.stderr)
    limits = run([str(program)], env={**environment, "INK_FUZZ_DESCRIBE": "1"}).stdout.split()
    ended = run([str(program), f"-max_total_time={seconds}", f"-max_len={limits[0]}", "-seed=1", "-timeout=20",
                 "-rss_limit_mb=1024", "-malloc_limit_mb=64", f"-artifact_prefix={folder}/", *options, str(seeds)],
                env=environment)
    return reason(ended.stderr) if ended.returncode != 0 else ""


def reason(output: str) -> str:
    for pattern in (r"SUMMARY: \w+: ([\w-]+)", r"(runtime error: [^\n]*)", r"ERROR: ([^\n]*)", r"(SUMMARY[^\n]*)"):
        if found := re.search(pattern, output):
            return found[1][:70]
    return "ended"


def attempt(plant: Plant, limit: int) -> tuple[str, float]:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        program, _, variant = plant.target.partition("-")
        built = build(program, planted(plant, folder), folder)
        began = time.monotonic()
        output = fuzz(built, variant, limit, folder, plant.options)
        # No plant makes anything slow: an input that took too long says that the machine is busy.
        return "" if output == "timeout" else output, time.monotonic() - began


def sound(targets: set[str]) -> list[str]:
    """Targets that fail without a plant."""
    bad = []
    for target in sorted(targets):
        program, _, variant = target.partition("-")
        with tempfile.TemporaryDirectory() as made:
            if output := fuzz(BUILT / "fuzz" / program, variant, 2, pathlib.Path(made)):
                bad.append(f"{target}: {output}")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], help="plants whose defect or target contains this")
    parser.add_argument("--check", action="store_true", help="only whether every bug can be planted")
    parser.add_argument("--seconds", type=int, default=600, help="that a bug may hide, at most")
    options = parser.parse_args()
    plants = [plant for plant in PLANTS
              if not options.only or any(part in plant.defect + " " + plant.target for part in options.only)]
    missing = 0
    for plant in plants:  # all of them first: this costs nothing
        try:
            with tempfile.TemporaryDirectory() as made:
                planted(plant, pathlib.Path(made))
        except LookupError as failure:
            print(f"# recall: {plant.defect}: {failure}")
            missing += 1
    if options.check:
        print(f"{'not ok' if missing else 'ok'} 1 - each of {len(plants)} published bugs can be planted\n1..1")
        return 1 if missing else 0
    if missing:
        return 2
    if bad := sound({plant.target for plant in plants}):
        print("recall: targets fail without a plant: " + "; ".join(bad))
        return 2
    print(f"{'seconds':>7}  {'found by':<18} {'planted in':<30} {'defect':<78} as")
    missed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for plant, (output, seconds) in zip(plants, pool.map(lambda plant: attempt(plant, options.seconds), plants)):
            missed += not output
            print(f"{seconds:>7.1f}  {plant.target if output else 'NOT FOUND':<18} {plant.path:<30} {plant.defect:<78} {output}",
                  flush=True)
    print(f"recall: {len(plants) - missed} of {len(plants)} planted bugs found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
