"""Tables of titles and ratings for benchmarks of a published job: one like IMDb's of 2022, more of it, and less."""
import itertools
import os

from measure import Run

COPIES = 10


def write_whole(path, write):
    """A file that `write` fills, made unless it is there."""
    if not path.exists():
        part = path.with_suffix(".part")
        with open(part, "wb") as out:
            write(out)
            out.flush()
            os.fsync(out.fileno())
        part.rename(path)
    return path


def ratings(ink, folder):
    """A table like IMDb's of 2022."""
    path = folder / "ratings.tsv"
    if not path.exists():
        Run(ink, "gen", "imdb", to=path.with_suffix(".part"))
        path.with_suffix(".part").rename(path)
    return path


def tenfold(source, folder):
    """Ten times the rows: each title with a further digit."""

    def write(out):
        with open(source, "rb") as table:
            out.write(next(table))
            for line in table:
                title, rest = line.split(b"\t", 1)
                out.write(b"".join(b"%s%d\t%s" % (title, digit, rest) for digit in range(COPIES)))

    return write_whole(folder / "ratings-tenfold.tsv", write)


def tenth(source, folder):
    """Every tenth row."""

    def write(out):
        with open(source, "rb") as table:
            out.writelines(line for number, line in enumerate(table) if number % COPIES == 0)

    return write_whole(folder / "ratings-tenth.tsv", write)


def first_rows(source, folder, count):
    """The first rows."""

    def write(out):
        with open(source, "rb") as table:
            out.writelines(itertools.islice(table, count + 1))

    return write_whole(folder / f"ratings-first-{count}.tsv", write)
