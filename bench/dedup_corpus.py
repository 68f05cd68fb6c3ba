"""Corpora for ink dedup: the text of Debian's documentation packages, cut into documents at the ends of lines, of which a part is
repeated, exactly or with random words replaced; and documents of random words, by ink gen, with the same edits.

Packages are fetched by apt-get download once, into the cache of the user."""
import gzip
import html
import json
import pathlib
import random
import re
import subprocess
import sys

from installing import cache_folder

CACHE = cache_folder() / "dedup-corpus"
# Three families of text, each a corpus of its own: manual pages; documents of languages and databases; of libraries.
PACKAGES = {
    "manuals": ("manpages", "manpages-dev", "git-doc", "perl-doc"),
    "handbooks": ("debian-handbook", "python3.11-doc", "sqlite3-doc", "postgresql-doc-15"),
    "libraries": ("libboost1.74-doc",),
}
TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.S)
BLOCKS = re.compile(r"</?(p|div|li|tr|h[1-6]|pre|table|ul|ol|br|dd|dt)\b[^>]*>", re.I)
ROFF = re.compile(r"^[.']\S*\s*|\\f[A-Z]|\\[&%]|\\-", re.M)
SHORTEST, LONGEST = 300, 6000  # characters of a document
EXACT, NEAR = 0.1, 0.1         # documents that are repeated


def fetch(package):
    """The folder of a package's files."""
    folder = CACHE / package
    if folder.exists():
        return folder
    made = CACHE / f"{package}.part"
    made.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", "-q", package], cwd=made, check=True, stdout=subprocess.DEVNULL)
    (archive,) = made.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, made], check=True)
    archive.unlink()
    made.rename(folder)
    return folder


def text_of(path):
    """The text of a page, without tags and requests of roff; "" of what is none."""
    data = path.read_bytes()
    name = path.name
    if name.endswith(".gz"):
        data, name = gzip.decompress(data), name[:-3]
    if name.endswith((".html", ".htm")):
        text = html.unescape(TAGS.sub("", BLOCKS.sub("\n", data.decode("utf-8", "replace"))))
    elif re.search(r"\.(txt|pod|[1-9][a-z]*)$", name):
        text = ROFF.sub("", data.decode("utf-8", "replace"))
    else:
        return ""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def pages(packages):
    for package in packages:
        for path in sorted(fetch(package).rglob("*")):
            if path.is_file() and not path.is_symlink():
                text = text_of(path)
                if len(text) >= SHORTEST:
                    yield text


def cut(text, source):
    """Documents of random lengths, which end at the end of a line."""
    lines, room = [], source.randrange(SHORTEST, LONGEST)
    for line in text.split("\n"):
        lines.append(line)
        room -= len(line) + 1
        if room <= 0:
            yield "\n".join(lines)
            lines, room = [], source.randrange(SHORTEST, LONGEST)
    if sum(map(len, lines)) >= SHORTEST:
        yield "\n".join(lines)


def edit(text, source, words):
    """The document with random words replaced: as many as make a similarity between 0.5 and 0.95 likely."""
    likeness = source.choice((0.5, 0.7, 0.8, 0.9, 0.95))
    parts = re.split(r"(\s+)", text)
    count = (len(parts) + 1) // 2
    for _ in range(max(1, round((count - 4) * (1 - likeness) / (5 * (1 + likeness))))):
        parts[2 * source.randrange(count)] = source.choice(words)
    return "".join(parts)


def planted(base, count, seed):
    """`count` documents: of `base`, and repeated ones among them."""
    source = random.Random(seed)
    source.shuffle(base)
    base = base[:round(count * (1 - EXACT - NEAR))]
    words = sorted({word for text in base[:500] for word in text.split()})
    copies = [source.choice(base) for _ in range(round(count * EXACT))]
    copies += [edit(source.choice(base), source, words) for _ in range(round(count * NEAR))]
    texts = base + copies
    source.shuffle(texts)
    return texts


def of_packages(name, count):
    source = random.Random(name)
    return planted([part for page in pages(PACKAGES[name]) for part in cut(page, source)], count, name)


def of_words(ink, count):
    """Documents of words that occur as in texts, by ink gen."""
    source = random.Random(1)
    made = subprocess.run([ink, "gen", "zipf", "-n", str(count * 200), "--skew", "1.1", "--seed", "7"], capture_output=True, check=True, text=True)
    words = made.stdout.split()
    base, at = [], 0
    while at < len(words):
        length = source.choice((20, 60, 150, 400))
        base.append(" ".join(words[at:at + length]))
        at += length
    return planted(base, min(count, len(base)), "words")


def write(path, texts):
    with open(path, "w", encoding="utf-8") as to:
        for number, text in enumerate(texts):
            to.write(json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    for name in sys.argv[2:]:
        write(pathlib.Path(sys.argv[1], name + ".jsonl"), of_packages(name, 20000))
