"""The published job over ratings on Hadoop: theirs in Java, ours with the same bits, ours with blooms.

From the table in HDFS to the rates: how many titles each rating has, a filter for each, saved, and every title
tested against the filters of all other ratings. Theirs takes three jobs, ours two.
"""
import json
import pathlib
import subprocess
import tempfile
import zipfile

from hadoop_cost import TAGGED
from measure import Run, stop

RATE = 0.01
TARGETS = {"small": 1.3, "large": 2.3}
CPU_TARGET = 6
JAVA_CLASS = "inkling.bench.RatingFilters"
SOURCE = pathlib.Path(__file__).with_name("hadoop") / "RatingFilters.java"
INK_HADOOP = pathlib.Path(__file__).resolve().parents[1] / "adapters" / "hadoop" / "ink-hadoop"
KINDS = {"classic": ("classic", "--hash", "mmh3"), "bloom": ("bloom",)}
# Factors of the target rate, above and below it: small blooms are given room.
MOST_OFF = 2


def run(command, env, seconds=3600):
    """What a program printed; stops if it fails."""
    done = subprocess.run([str(word) for word in command], env=env, text=True, errors="replace", check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=seconds)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or "nothing was said").splitlines()
        # Of Java's many lines, the last that is none of a stack.
        reported = [line for line in said if not line.startswith(("\t", "Caused by"))] or said
        stop(f"{command[0]} {command[1]}: exit code {done.returncode}, expected 0: {reported[-1]}")
    return done.stdout


# ---- Theirs --------------------------------------------------------------------------------------


def compile_java(cluster, folder):
    """The program as a jar, made anew."""
    with tempfile.TemporaryDirectory(dir=folder) as classes:
        Run(cluster.java.with_name("javac"), "-nowarn", "-proc:none", "-d", classes, "-cp", f"{cluster.jars}/*", SOURCE)
        jar = folder / "rating-filters.jar"
        with zipfile.ZipFile(jar, "w") as out:
            for path in sorted(pathlib.Path(classes).rglob("*.class")):
                out.write(path, path.relative_to(classes))
    return jar


class Published:
    """The program in Java, in a folder of HDFS."""

    def __init__(self, cluster, jar, careful=False, reducers=1):
        self.cluster, self.jar, self.careful, self.reducers = cluster, jar, careful, reducers

    def java(self, *words):
        command = self.cluster.command(JAVA_CLASS, *words, more_jars=[str(self.jar)])
        return run(command, self.cluster.environment())

    def run(self, path, out):
        """The seconds of each step."""
        words = ["careful"] if self.careful else []
        said = self.java("run", *TAGGED, path, out, str(RATE), str(self.reducers), *words)
        steps = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return {step["step"]: step["seconds"] for step in steps}

    def rows(self, folder):
        """Lines of a folder of text, each split at blanks."""
        hdfs = self.cluster.hdfs
        names = [name for name in hdfs.list(folder) if name.startswith("part-")]
        text = b"".join(hdfs.read(f"{folder}/{name}") for name in names).decode()
        return [line.split() for line in text.splitlines()]

    def results(self, out):
        """By rating: (n, m, k) and (false positives, rate)."""
        sizes = {int(row[0]): tuple(map(int, row[1:])) for row in self.rows(f"{out}/Parameters")}
        rates = {int(row[0]): (int(row[1]), float(row[2])) for row in self.rows(f"{out}/FalsePositiveRates")}
        return sizes, rates

    def bits(self, out, folder):
        """By rating: the bytes of its filter, the first bit lowest."""
        with tempfile.TemporaryDirectory(dir=folder) as to:
            self.java("export", out, to)
            return {int(path.name): path.read_bytes() for path in pathlib.Path(to).iterdir()}


# ---- Ours ----------------------------------------------------------------------------------------


class Ours:
    """The adapter, with a kind of filter."""

    def __init__(self, cluster, static, kind):
        self.cluster, self.static, self.kind = cluster, static, kind

    def command(self, *words):
        return run([INK_HADOOP, *words, *TAGGED, "--ink", self.static, "--no-progress"], self.cluster.environment())

    def build(self, path, out):
        self.command("build", *KINDS[self.kind], "-p", RATE, "--in", "tsv", "--header", "--key", "tconst",
                     "--by", "averageRating", "--round", "half-even", path, out)

    def run(self, path, out):
        """What was verified, by rating."""
        self.build(path, out)
        said = self.command("verify", out, "--json", path)
        rows = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return {int(row["group"]): row for row in rows}

    def bytes(self, out):
        hdfs = self.cluster.hdfs
        return b"".join(hdfs.read(f"{out}/{name}") for name in hdfs.list(out) if name.endswith(".ink"))


# ---- The same results ----------------------------------------------------------------------------


def check_same(results, bits, verified, stored):
    """Stops unless ours has the parameters, the bits and the false positives of theirs."""
    sizes, rates = results
    titles = sum(n for n, _, _ in sizes.values())
    if set(verified) != set(sizes):
        stop(f"found ratings {sorted(verified)}, expected {sorted(sizes)}")
    for rating, (n, _, _) in sizes.items():
        row = verified[rating]
        found = row["false_positives"], row["tested"]
        expected = rates.get(rating, (0, 0))[0], titles - n
        if found != expected:
            stop(f"rating {rating}: found {found[0]} false of {found[1]}, expected {expected[0]} of {expected[1]}")
        if bits[rating] not in stored:
            stop(f"rating {rating}: found other bits than the program in Java makes")


def check_rates(results, verified):
    """Stops unless the rates of both are about what was asked for, over all ratings."""
    sizes, rates = results
    titles = sum(n for n, _, _ in sizes.values())
    tested = sum(titles - n for n, _, _ in sizes.values())
    theirs = sum(false for false, _ in rates.values()) / tested
    mine = sum(row["false_positives"] for row in verified.values()) / sum(row["tested"] for row in verified.values())
    for who, rate in (("theirs", theirs), ("ours", mine)):
        if not RATE / MOST_OFF <= rate <= RATE * MOST_OFF:
            stop(f"rate of false positives of {who}: found {rate:.5f}, expected about {RATE}")
    return theirs, mine
