#!/usr/bin/env python3
"""The two stages of a job on many machines, ink map and ink reduce, in a shell: data cut anywhere between lines, frames
sorted into buckets as Hadoop does, and in the end the very sketches, results and records that build, verify and filter
give of all data at once. What is random has a seed, which is printed when something differs.

Prints a TAP line for each test and exits with the number that failed.
"""
import gzip
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import tap

FOLDER = os.path.abspath(os.environ.get("INK_BINARY_FOLDER") or os.path.dirname(os.environ["INK_LIBRARY"]))
INK = os.path.join(FOLDER, "ink")
STATIC = os.path.join(FOLDER, "static", "ink")
SEED = int(os.environ.get("INK_TEST_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
MIB = 1 << 20
# What a program takes besides what it keeps: its code, buffers to read and write, tables of its workers.
CONSTANT = 24 * MIB
# A process that is small itself runs another, and prints how many KiB that had at most.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(used.ru_maxrss)
sys.exit(status != 0)
"""


# ---- Running -----------------------------------------------------------------------------------------------------


def run(*words, given=b"", **variables):
    """Runs ink, in an environment that has nothing of Hadoop but these variables."""
    there = {name: value for name, value in os.environ.items() if not name.startswith("mapreduce_")}
    return subprocess.run([INK, *map(str, words)], input=given, env=dict(there, **variables), capture_output=True,
                          check=False, timeout=60)


def ink(*words, given=b"", **variables):
    """What it prints; it must succeed, in silence."""
    done = run(*words, given=given, **variables)
    assert (done.returncode, done.stderr) == (0, b""), f"seed {SEED}: {words}: {done.returncode}: {done.stderr.decode()}"
    return done.stdout


def build(*words):
    """Runs ink build, which may note that a filter is above its rate, as one of many is now and then."""
    done = run("build", *words)
    assert done.returncode == 0, f"seed {SEED}: {words}: {done.stderr.decode()}"


def refused(code, *words, given=b"", **variables):
    """The one line of a failure with this code."""
    done = run(*words, given=given, **variables)
    said = done.stderr.decode()
    assert done.returncode == code and said.count("\n") == 1 and said.startswith("ink: "), (words, done.returncode, said)
    return said[:-1]


def digest(content):
    """Of the bytes of a sketch file."""
    return ink("info", "--digest", "-", given=content).decode().strip()


# ---- Frames and parts --------------------------------------------------------------------------------------------


def frames(stream):
    """The frames of a stream of rawbytes, each with its key."""
    at = 0
    while at < len(stream):
        parts = []
        for _ in range(2):
            length = int.from_bytes(stream[at:at + 4], "big", signed=True)
            assert 0 <= length <= len(stream) - at - 4, (at, length)
            parts.append(stream[at + 4:at + 4 + length])
            at += 4 + length
        yield parts[0], parts[1]


def partition(key, reducers):
    """Where the default partitioner of Hadoop sends a key (BytesWritable.hashCode, HashPartitioner)."""
    value = 1
    for byte in key:
        value = (31 * value + (byte - 256 if byte > 127 else byte)) & 0xffffffff
    return (value & 0x7fffffff) % reducers


def framed(*values):
    """Frames that hold these."""
    return b"".join(b"\0\0\0\3abc" + len(value).to_bytes(4, "big") + value for value in values)


def shuffled(chance, outputs, reducers):
    """What each reducer gets of the outputs of maps: its frames, in any order of the maps."""
    buckets = [[] for _ in range(reducers)]
    for output in outputs:
        for key, value in frames(output):
            buckets[partition(key, reducers)].append(framed(value))
    for bucket in buckets:
        chance.shuffle(bucket)
    return [b"".join(bucket) for bucket in buckets]


def cut(chance, data, count):
    """Data in this many parts of whole lines, with where each begins; some may be empty."""
    lines = data.splitlines(keepends=True)
    ends = sorted(chance.randrange(len(lines) + 1) for _ in range(count - 1))
    parts, at = [], 0
    for start, end in itertools.pairwise([0, *ends, len(lines)]):
        part = b"".join(lines[start:end])
        parts.append((at, part))
        at += len(part)
    return parts


def mapped(parts, *options, header=None):
    """What the maps of parts write; those that do not begin a file are given its header."""
    named = [] if header is None else ["--header-line", header]
    return [ink("map", *options, *named, given=part, mapreduce_map_input_start=str(at)) for at, part in parts]


# ---- Data --------------------------------------------------------------------------------------------------------


def sales(chance, records=3000):
    """A file with a header: keys of all frequencies, groups that are numbers, weights; quotes, blanks, no last end."""
    lines = ["key,group,weight"]
    for _ in range(records):
        key = f"k{int(chance.paretovariate(0.4)) % 5000}"
        if chance.random() < 0.05:
            key = f'"{key}, ""quoted"""'
        lines.append(f"{key},{chance.randrange(40) / 4},{chance.randrange(1, 9)}")
    end = chance.choice(["\n", "\r\n"])
    return (end.join(lines) + chance.choice(["", end])).encode()


HEADER = "key,group,weight"
COLUMNS = ("--in", "csv", "--header", "--key", "key")
GROUPS = (*COLUMNS, "--by", "group", "--round", "half-even")
ORDER_FREE = (
    "bloom", "counting", "classic", "classic --hash mmh3", "classic --hash mmh3-signed", "bloom -n 700 -p 0.001",
    "counting -n 700", "classic --hash mmh3 -n 700", "hll", "theta", "theta --precision 4", "fm", "count-min --eps 0.01",
    "bloom,hll,count-min,fm,counting,classic --eps 0.01", "bloom --seed 7", "classic,hll --hash xxh64 --seed 3",
    "bloom,fm --headroom 4x", "hll --precision 4", "count-min --eps 0.01 --counters 64", "bloom --bits 65536",
)


def check_build(chance, data, options, *, header, buckets, parts, memory="256M"):
    """That maps of parts, reducers and a merge give the digest of ink build."""
    trial = f"seed {SEED}: {' '.join(options)}: {parts} parts, {buckets} buckets, memory {memory}"
    pathlib.Path("data").write_bytes(data)
    build(*options, "--force", "-o", "whole.ink", "data")
    outputs = mapped(cut(chance, data, parts), *options, "--buckets", str(buckets), "--memory", memory, header=header)
    names = []
    for number, bucket in enumerate(shuffled(chance, outputs, buckets)):
        if bucket or number == 0:
            names.append(f"part-{number}.ink")
            words = *options, "--buckets", str(buckets), "--memory", memory, "--bucket", str(number)
            ink("reduce", *words, "--force", "-o", names[-1], given=bucket)
    if len(names) > 1:
        ink("merge", "--force", "-o", "all.ink", *names)
        names = ["all.ink"]
    whole = ink("info", "--digest", "whole.ink")
    assert ink("info", "--digest", names[0]) == whole, trial
    if parts == buckets == 1:
        input_specs = [ink("info", name).splitlines()[1] for name in ("whole.ink", names[0])]
        assert input_specs[0] == input_specs[1], (trial, input_specs)


# ---- Building ----------------------------------------------------------------------------------------------------


def stages_give_the_digest_of_build_for_every_order_free_kind():
    chance = random.Random(SEED)
    for kinds in ORDER_FREE:
        data = sales(chance)
        grouped = chance.random() < 0.6
        check_build(chance, data, (*kinds.split(), *(GROUPS if grouped else COLUMNS)), header=HEADER,
                    buckets=chance.choice([1, 2, 3, 7]) if grouped else 1, parts=chance.randrange(1, 5))
        # All in one part, and no header given: as a pipe in a shell.
        check_build(chance, data, (*kinds.split(), *COLUMNS), header=None, buckets=1, parts=1)


def stages_give_the_digest_of_build_for_weights_secrets_and_other_forms():
    chance = random.Random(SEED + 1)
    pathlib.Path("secret").write_bytes(bytes(range(16)))
    data = sales(chance)
    check_build(chance, data, ("counting", *GROUPS, "--weight", "weight"), header=HEADER, buckets=3, parts=3)
    check_build(chance, data, ("count-min", "--eps", "0.01", *COLUMNS, "--weight", "3"), header=HEADER, buckets=1, parts=3)
    check_build(chance, data, ("bloom,count-min", "--eps", "0.01", *GROUPS, "--weight", "weight"), header=HEADER, buckets=2,
                parts=2)
    check_build(chance, data, ("bloom,hll", "--secret", "secret", *GROUPS), header=HEADER, buckets=2, parts=3)
    check_build(chance, data, ("bloom", "--in", "csv", "--key", "key,weight", "--header", "--by", "2"), header=HEADER,
                buckets=3, parts=4)
    numbers = "".join(f"{chance.randrange(-500, 500)}\n" for _ in range(2000)).encode()
    check_build(chance, numbers, ("bloom,counting", "--key-type", "int"), header=None, buckets=1, parts=3)
    objects = "".join(json.dumps({"user": {"id": f"u{chance.randrange(99)}"}, "shop": chance.choice(["a", None, "b"])}) + "\n"
                      for _ in range(2000)).encode()
    check_build(chance, objects, ("bloom", "--in", "jsonl", "--key", "user.id", "--by", "shop"), header=None, buckets=2, parts=3)


def maps_that_read_splits_themselves_give_the_digest_of_build():
    """At any bytes, of two files of which one is compressed; in a task of Hadoop the list is all that it hands over."""
    chance = random.Random(SEED + 7)
    options = ("bloom,counting,hll", *GROUPS)
    for _ in range(5):
        data = sales(chance)
        pathlib.Path("data.csv").write_bytes(data)
        pathlib.Path("more.csv.gz").write_bytes(gzip.compress(sales(chance)))
        build(*options, "--force", "-o", "whole.ink", "data.csv", "more.csv.gz")
        ends = sorted(chance.randrange(1, len(data)) for _ in range(chance.randrange(6)))
        splits = [(start, end - start, "data.csv") for start, end in itertools.pairwise([0, *ends, len(data)]) if end > start]
        splits.insert(chance.randrange(len(splits) + 1), (0, 0, "more.csv.gz"))
        half = chance.randrange(len(splits) + 1)
        outputs, records = [], 0
        for share in (splits[:half], splits[half:]):
            if share:
                listed = "".join(f"{offset}\t{length}\t{path}" + chance.choice("\t\n") for offset, length, path in share)
                # Where the list itself lies must not matter.
                done = run("map", "--splits", *options, "--header-line", HEADER, given=listed.encode(),
                           **task(mapreduce_map_input_file="hdfs://h/.x/maps", mapreduce_map_input_start="77"))
                records += counters(done)["Records"]
                outputs.append(done.stdout)
        assert records == 6000, f"seed {SEED}: {splits}: {records} records"
        (pieces,) = shuffled(chance, outputs, 1)
        ink("reduce", *options, "--header-line", HEADER, "--force", "-o", "parts.ink", given=pieces)
        assert ink("info", "--digest", "parts.ink") == ink("info", "--digest", "whole.ink"), f"seed {SEED}: {splits}"


def stages_that_flush_early_give_the_same():
    """With little memory a map gives away what it has, again and again."""
    chance = random.Random(SEED + 2)
    lines = [f"{chance.randrange(30000)},{chance.randrange(3000)}\n" for _ in range(60000)]
    data = "".join(lines).encode()
    columns = "--in", "csv", "--key", "1"
    for kinds in ("bloom", "count-min --eps 0.05", "classic --hash mmh3", "hll --precision 6", "counting -n 40"):
        check_build(chance, data, (*kinds.split(), *columns, "--by", "2"), header=None, buckets=2, parts=1, memory="64M")
        few, many = (ink("map", *kinds.split(), *columns, "--by", "2", "--memory", memory, "--threads", "2", given=data)
                     for memory in ("256M", "1M"))
        assert len(list(frames(many))) > len(list(frames(few))), f"seed {SEED}: {kinds}: nothing was given away early"
        built = [ink("reduce", *kinds.split(), *columns, "--by", "2", given=output) for output in (few, many)]
        assert digest(built[0]) == digest(built[1]), f"seed {SEED}: {kinds}"
    for kinds in ("bloom", "classic --hash mmh3", "bloom -n 1e5", "counting"):
        few, many = (ink("map", *kinds.split(), "--memory", memory, given=data) for memory in ("256M", "1M"))
        built = [ink("reduce", *kinds.split(), given=output) for output in (few, many)]
        assert digest(built[0]) == digest(built[1]), f"seed {SEED}: {kinds}"


def one_large_filter_is_made_by_ranges_and_put_together():
    chance = random.Random(SEED + 3)
    data = "".join(f"key {chance.randrange(10 ** 6)}\n" for _ in range(20000)).encode()
    pathlib.Path("data").write_bytes(data)
    for kinds, buckets in (("bloom -n 6e6", 4), ("counting -n 2e6", 2), ("classic -n 1e6", 8), ("bloom,hll -n 6e6", 1)):
        words = *kinds.split(), "--buckets", str(buckets), "--ranged"
        build(*kinds.split(), "--force", "-o", "whole.ink", "data")
        outputs = mapped(cut(chance, data, 3), *words)
        names = []
        for number, bucket in enumerate(shuffled(chance, outputs, buckets)):
            names.append(f"part-{number}.pieces")
            ink("reduce", *words, "--force", "-o", names[-1], given=bucket)
        chance.shuffle(names)
        ink("reduce", "--assemble", *kinds.split(), "--buckets", str(buckets), "--force", "-o", "all.ink", *names)
        assert ink("info", "--digest", "all.ink") == ink("info", "--digest", "whole.ink"), f"seed {SEED}: {kinds}"
        if kinds.startswith("bloom -n") or kinds.startswith("counting"):  # of slices each is missed
            assert "expected" in refused(3, "reduce", "--assemble", *kinds.split(), *names[1:])
        if buckets > 1:
            said = refused(2, "reduce", "--assemble", *kinds.split(), "--buckets", str(buckets), *names[1:])
            assert f"{buckets - 1} file{'' if buckets == 2 else 's'} of pieces, expected {buckets}" in said, said


def a_large_sketch_of_one_reducer_travels_in_small_frames():
    chance = random.Random(SEED + 4)
    data = "".join(f"key {number}\n" for number in range(300000)).encode()
    pathlib.Path("data").write_bytes(data)
    for kind in (("count-min", "--eps", "1e-6"), ("bloom", "--bits", str(8 * 6 * MIB), "--hashes", "8")[:3]):
        build(*kind, "--force", "-o", "whole.ink", "data")
        outputs = mapped(cut(chance, data, 2), *kind, "--buckets", "3")
        assert max(len(value) for output in outputs for _, value in frames(output)) < 5 * MIB
        filled = [bucket for bucket in shuffled(chance, outputs, 3) if bucket]
        assert len(filled) == 1, len(filled)
        assert digest(ink("reduce", *kind, "--buckets", "3", given=filled[0])) == digest(pathlib.Path("whole.ink").read_bytes())


def kinds_that_depend_on_order_keep_their_promises():
    chance = random.Random(SEED + 5)
    data = sales(chance)
    pathlib.Path("data").write_bytes(data)
    for kinds in ("top -k 5", "count-min --conservative --eps 0.01", "top,count-min --conservative --eps 0.01"):
        options = *kinds.split(), *GROUPS
        outputs = mapped(cut(chance, data, 4), *options, "--buckets", "2", header=HEADER)
        buckets = [bucket for bucket in shuffled(chance, outputs, 2) if bucket]
        names = []
        for number, bucket in enumerate(buckets):
            names.append(f"part-{number}.ink")
            ink("reduce", *options, "--buckets", "2", "--force", "-o", names[-1], given=bucket)
        ink("merge", "--force", "-o", "all.ink", *names)
        ink("verify", "--quiet", "all.ink", "--truth", "data")


def a_map_keeps_its_memory_for_any_number_of_groups_or_keys():
    tap.without_sanitizer(INK)
    with open("data", "wb") as data:
        for number in range(300000):
            data.write(b"%d,group %d\n" % (number, number * 7919 % 300007))
    for kinds in ("bloom", "top", "classic --hash mmh3 --key 1"):
        options = *kinds.split(), *(() if "--key" in kinds else ("--by", "2"))
        words = [sys.executable, "-SEc", MEASURE, INK, "map", *options, "--in", "csv", "--memory", "32M"]
        with open("data", "rb") as data:
            done = subprocess.run(words, stdin=data, capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, (kinds, done.stderr)
        assert int(done.stdout) * 1024 < 32 * MIB + CONSTANT, (kinds, done.stdout)


def maps_and_reducers_of_nothing_are_a_build_of_nothing():
    pathlib.Path("data").write_bytes(b"")
    for options in (("bloom",), ("bloom,hll,top,count-min",), ("classic", "--hash", "mmh3"), ("bloom", "-n", "1e6"),
                    ("bloom", "--in", "csv", "--key", "1", "--by", "2")):
        build(*options, "--force", "-o", "whole.ink", "data")
        whole = ink("info", "--digest", "whole.ink").decode().strip()
        assert digest(ink("reduce", *options, given=ink("map", *options))) == whole, options
        assert digest(ink("reduce", *options)) == whole, options


def frames_reach_every_reducer():
    groups = "".join(f"{number},{number}\n" for number in range(20000)).encode()
    for reducers in (1, 2, 3, 31, 961, 1000, 4096):
        output = ink("map", "hll", "--in", "csv", "--key", "1", "--by", "2", "--buckets", str(reducers), given=groups)
        found = [partition(key, reducers) for key, _ in frames(output)]
        # What is left is given away bucket by bucket, and groups are many enough for all.
        assert found == sorted(found) and len(set(found)) > 0.95 * reducers, (reducers, len(set(found)))
    for reducers in (1, 2, 256):
        output = ink("map", "bloom", "-n", "1e6", "--ranged", "--buckets", str(reducers), given=groups)
        assert [partition(key, reducers) for key, _ in frames(output)] == list(range(reducers))


# ---- Verifying and filtering -------------------------------------------------------------------------------------


def results_of(chance, data, buckets, *options):
    """The verification results of all buckets, as files."""
    outputs = mapped(cut(chance, data, 3), "--verify", "built.ink", "--buckets", str(buckets), *options, header=HEADER)
    names = []
    for number, bucket in enumerate(shuffled(chance, outputs, buckets)):
        names.append(f"part-{number}.verdict")
        words = "--verify", "built.ink", "--buckets", str(buckets), "--bucket", str(number), *options
        ink("reduce", *words, "--force", "-o", names[-1], given=bucket)
    return names


def results_put_together_are_those_of_verify():
    chance = random.Random(SEED + 6)
    pathlib.Path("secret").write_bytes(bytes(range(16)))
    for kinds, buckets, more in (("bloom", 1, ()), ("bloom", 4, ()), ("classic --hash mmh3", 2, ()), ("bloom,counting", 2, ()),
                                 ("bloom", 2, ("--secret", "secret"))):
        data = sales(chance)
        pathlib.Path("data").write_bytes(data)
        build(*kinds.split(), *GROUPS, *more, "--force", "-o", "built.ink", "data")
        names = results_of(chance, data, buckets, *more)
        chance.shuffle(names)
        for form in ((), ("--json",), ("--tsv",)):
            expected = run("verify", *form, "built.ink", "--truth", "data", *more)
            found = run("reduce", "--verify", "built.ink", "--assemble", *names, *form, *more)
            assert (found.returncode, found.stdout, found.stderr) == (
                expected.returncode, expected.stdout, expected.stderr), f"seed {SEED}: {kinds}: {found.stderr}"


def a_broken_promise_is_reported_by_results_too():
    chance = random.Random(SEED + 7)
    data = sales(chance)
    pathlib.Path("data").write_bytes(data)
    pathlib.Path("some").write_bytes(b"\n".join(data.splitlines()[:100]) + b"\n")
    build("bloom", *COLUMNS, "-o", "built.ink", "some")
    names = results_of(chance, data, 2)
    expected = run("verify", "built.ink", "--truth", "data")
    found = run("reduce", "--verify", "built.ink", "--assemble", *names)
    assert found.returncode == expected.returncode == 1 and found.stdout == expected.stdout, f"seed {SEED}"
    said = refused(2, "reduce", "--verify", "built.ink", "--assemble", names[0], names[0])
    assert "expected" in said, said
    said = refused(3, "reduce", "--verify", "built.ink", "--assemble", "--buckets", "2", names[1])
    assert said == "ink: no verification result for bucket 0, expected one for each of 2", said
    said = refused(3, "reduce", "--verify", "built.ink", "--assemble", "data")
    assert said.startswith("ink: data: "), said


def maps_that_filter_print_what_filter_prints():
    chance = random.Random(SEED + 8)
    data, other = sales(chance), sales(chance)
    pathlib.Path("data").write_bytes(data)
    pathlib.Path("other").write_bytes(other)
    for columns in (COLUMNS, GROUPS):
        build("bloom", *columns, "--force", "-o", "built.ink", "data")
        for more in ((), ("-v",), *((("--by",), ("--by", "-v"), ("--by=group",)) if columns is GROUPS else ())):
            expected = run("filter", *more, "built.ink", "other").stdout
            found = b"".join(mapped(cut(chance, other, 3), "--filter", "built.ink", *more, header=HEADER))
            assert found == expected, f"seed {SEED}: {columns} {more}"


# ---- A task of Hadoop --------------------------------------------------------------------------------------------


def task(**more):
    """The environment of a task whose folders are in this one."""
    here = pathlib.Path.cwd().as_uri()
    return dict(mapreduce_task_attempt_id="attempt_7_m_000003_1", mapreduce_task_output_dir=f"{here}/out/_temporary/a",
                mapreduce_output_fileoutputformat_outputdir=f"{here}/out", **more)


def counters(done):
    """The counters that a task reported; it has said nothing else."""
    found = re.findall(r"^reporter:counter:Ink,([A-Z][a-z ]+),(\d+)$", done.stderr.decode(), re.M)
    assert done.returncode == 0 and len(found) == done.stderr.count(b"\n"), done.stderr.decode()
    return {name: int(count) for name, count in found}


def a_task_reports_counters_and_leaves_its_part():
    chance = random.Random(SEED + 9)
    data = sales(chance)
    options = "bloom,top", *GROUPS, "--bad", "skip", "-q"
    variables = task(mapreduce_job_reduces="2", mapreduce_map_input_file="hdfs://h:1/in/sales.csv",
                     mapreduce_map_input_start="0")
    done = run("map", *options, given=data.rstrip() + b"\ncut\n", **variables)
    assert counters(done) == {"Records": 3000, "Bad records": 1}, done.stderr
    pathlib.Path("data").write_bytes(data)
    build("bloom,top", *GROUPS, "-o", "whole.ink", "data")
    sketches = groups = keys = 0
    for number, bucket in enumerate(shuffled(chance, [done.stdout], 2)):
        reduced = run("reduce", *options, given=bucket, mapreduce_task_partition=str(number), **variables)
        counted = counters(reduced)
        sketches, groups, keys = sketches + counted["Sketches"], groups + counted["Groups"], keys + counted["Keys"]
        assert reduced.stdout == b"", number
    rows = [json.loads(line) for line in ink("info", "--json", "whole.ink").splitlines()]
    assert (sketches, groups) == (len(rows), len(rows) // 2), (sketches, groups)
    assert keys == sum(row["keys"] for row in rows if row["kind"] == "bloom"), keys
    parts = sorted(pathlib.Path("out/_temporary/a").iterdir())
    assert [part.name for part in parts] == ["part-00000.ink", "part-00001.ink"], parts
    # A reducer that gets nothing leaves nothing, but for the first.
    for number, expected in ((1, 0), (0, 1)):
        for part in pathlib.Path("out/_temporary/a").iterdir():
            part.unlink()
        run("reduce", *options, mapreduce_task_partition=str(number), **variables)
        assert len(list(pathlib.Path("out/_temporary/a").iterdir())) == expected, number


def a_task_counts_keys_and_not_those_that_there_is_room_for_and_replaces_an_earlier_attempt():
    variables = task(mapreduce_task_partition="0", mapreduce_job_reduces="1")
    for options, keys in ((("bloom",), 300), (("bloom", "--headroom", "4x"), 300), (("hll",), 300), (("count-min", "--eps", "0.1"), None)):
        pieces = run("map", *options, given=b"".join(b"%d\n" % (number % 300) for number in range(900)), **variables).stdout
        for _ in range(2):
            counted = counters(run("reduce", *options, given=pieces, **variables))
            assert (counted["Sketches"], counted["Groups"]) == (1, 0), (options, counted)
            assert counted.get("Keys") == keys or (options == ("hll",) and abs(counted["Keys"] - keys) < 9), (options, counted)


def a_task_names_its_other_results_by_what_they_are():
    pathlib.Path("data").write_bytes(b"ant\nbee\n")
    build("bloom", "-o", "built.ink", "data")
    variables = task(mapreduce_task_partition="0", mapreduce_job_reduces="1")
    run("reduce", "--verify", "built.ink", given=run("map", "--verify", "built.ink", given=b"ant\nbee\n").stdout, **variables)
    ranged = "bloom", "-n", "9", "--ranged"
    run("reduce", *ranged, given=run("map", *ranged, given=b"ant\n").stdout, **variables)
    names = sorted(part.name for part in pathlib.Path("out/_temporary/a").iterdir())
    assert names == ["part-00000.pieces", "part-00000.verdict"], names
    done = run("map", "--filter", "built.ink", given=b"ant\ncow\n", **variables)
    assert done.stdout == b"ant\n" and counters(done) == {"Records": 2, "Bad records": 0, "Admitted": 1, "Rejected": 1}


def a_task_that_fails_leaves_its_line():
    where = "hdfs://h:1/in/sales.csv"
    said = refused(3, "map", "bloom", "--key", "2", given=b"a,b\nc,d\ne\n", **task(mapreduce_map_input_file=where))
    assert said == f"ink: {where}: byte 8: line 3: 1 column, expected at least 2; --bad skip skips such records", said
    left = pathlib.Path("out/_errors/attempt_7_m_000003_1")
    assert left.read_text() == said + "\nexit code 3\n", left.read_text()
    split = task(mapreduce_map_input_file=where, mapreduce_map_input_start="134217728")
    said = refused(3, "map", "bloom", "--key", "2", given=b"a,b\nc,d\ne\n", **split)
    assert said == f"ink: {where}: the split from byte 134217728 on: line 3: 1 column, expected at least 2; --bad skip skips such records", said
    assert left.read_text() == said + "\nexit code 3\n", left.read_text()
    said = refused(3, "map", "bloom", "--key", "2", given=b"a,b\n\n", **task(mapreduce_map_input_file=where + ".gz"))
    assert said == f"ink: {where}.gz: line 2: 1 column, expected at least 2; --bad skip skips such records", said
    long = "hdfs://h:1/" + 5000 * "x"
    said = refused(3, "map", "bloom", "--in", "csv", "--key", "2", given=b"a,b\nc\n", **task(mapreduce_map_input_file=long))
    assert said.endswith("...: byte 4: line 2: 1 column, expected at least 2; --bad skip skips such records") and len(said) < 600, said


def a_header_is_skipped_where_a_file_begins():
    data = b"key,n\nant,1\n"
    for start, expected in (("0", 1), ("7", 2)):
        done = run("map", "bloom", "--in", "csv", "--header", "--key", "1", given=data, **task(mapreduce_map_input_start=start))
        assert counters(done)["Records"] == expected, (start, done.stderr)
    said = refused(2, "map", "bloom", "--in", "csv", "--header", "--key", "key", given=data, **task(mapreduce_map_input_start="7"))
    assert 'column "key" of a split that does not begin its file, expected --header-line' in said, said
    said = refused(2, "map", "bloom", "--in", "csv", "--header", "--key", "kye", "--header-line", "key,n", given=data)
    assert 'no column "kye", expected one of "key", "n"' in said, said
    bom = "\N{ZERO WIDTH NO-BREAK SPACE}key,n"
    ink("map", "bloom", "--in", "csv", "--header", "--key", "key", "--header-line", bom, given=data)


def a_task_refuses_what_it_cannot_have():
    for words, what in ((("--in", "nul"), "nul"), (("--in", "u32"), "u32"), (("--in", "u64"), "u64"),
                        (("--in", "csv", "--csv-multiline"), "--csv-multiline")):
        assert what in refused(2, "map", "bloom", *words, **task()), words
        ink("reduce", "bloom", *words, given=ink("map", "bloom", *words))  # in a shell
    for name, value in (("mapreduce_job_reduces", "x"), ("mapreduce_job_reduces", "0"), ("mapreduce_job_reduces", "9999"),
                        ("mapreduce_map_input_start", "-1")):
        said = refused(2, "map", "bloom", **task(**{name: value}))
        assert name in said and "expected" in said, said
    assert "mapreduce_task_partition" in refused(2, "reduce", "bloom", **task(mapreduce_task_partition="x"))
    assert "bucket 2, expected 0 to 1" in refused(2, "reduce", "bloom", **task(mapreduce_task_partition="2",
                                                                             mapreduce_job_reduces="2"))
    nowhere = dict(task(), mapreduce_task_output_dir="")
    assert "mapreduce_task_output_dir" in refused(2, "reduce", "bloom", **nowhere)
    for folder, what in (("hdfs://h:1/out", "NameNode"), ("s3a://bucket/out", "expected one of hdfs: or file:")):
        assert what in refused(2, "reduce", "bloom", **dict(task(), mapreduce_task_output_dir=folder)), folder


def results_for_hdfs_go_to_its_namenode():
    """No server listens there, but the line names its address."""
    hdfs = dict(task(), mapreduce_task_output_dir="hdfs://127.0.0.1:9/out/a b", USER="ann",
                mapreduce_output_fileoutputformat_outputdir="hdfs://127.0.0.1:9/out")
    for given in (dict(INK_WEBHDFS="127.0.0.1:1"), dict(dfs_namenode_http_address="127.0.0.1:1"),
                  dict(dfs_namenode_http_address="0.0.0.0:1")):
        said = refused(4, "reduce", "bloom", **hdfs, **given)
        assert "webhdfs://127.0.0.1:1/out/a b/part-00000.ink?user.name=ann: " in said, said
    said = refused(4, "reduce", "bloom", **hdfs, INK_WEBHDFS="127.0.0.1:1,127.0.0.1:2", HADOOP_USER_NAME="bob")
    assert "webhdfs://127.0.0.1:1,127.0.0.1:2/out/a b/part-00000.ink?user.name=bob: " in said, said


# ---- Trouble -----------------------------------------------------------------------------------------------------


def frames_that_are_damaged_are_one_line():
    good = ink("map", "bloom", given=b"ant\nbee\n")
    for length in range(1, len(good)):
        said = refused(3, "reduce", "bloom", given=good[:length])
        assert f"byte {length}: the input ends" in said, (length, said)
    for bad, what in ((b"\xff\xff\xff\xff" + good[4:], "a key of -1 bytes, expected 3"),
                      (b"\x7f\xff\xff\xff" + good[4:], "a key of 2147483647 bytes, expected 3"),
                      (good[:7] + b"\x80\0\0\0" + good[11:], "a value of -2147483648 bytes, expected 0 or more"),
                      (good[:7] + b"\x7f\xff\xff\xff" + good[11:], "of a frame's value, expected 2147483647"),
                      (good[:7] + b"\0\0\0\0", "frame 1: "), (b"words of a text\n", "expected 3, as ink map writes them"),
                      (good + b"\0", "of a frame's key length, expected 4")):
        said = refused(3, "reduce", "bloom", given=bad)
        assert what in said, (what, said)
    chance = random.Random(SEED + 10)
    for _ in range(40):
        changed = bytearray(good)
        changed[chance.randrange(11, len(good))] ^= 1 << chance.randrange(8)
        said = refused(3, "reduce", "bloom", given=bytes(changed))
        assert said.startswith("ink: standard input: frame 1: "), f"seed {SEED}: {said}"


def pieces_of_another_job_are_refused():
    good = ink("map", "bloom", given=b"ant\nbee\n")
    for words in (("bloom", "-p", "0.5"), ("hll",), ("bloom", "--seed", "1"), ("bloom", "--in", "csv", "--key", "1", "--by", "2")):
        said = refused(3, "reduce", *words, given=good)
        assert said.startswith("ink: standard input: frame 1: "), (words, said)
    said = refused(3, "reduce", "--assemble", "bloom", given=good)
    assert "expected finished sketches" in said, said


def a_closed_pipe_or_a_full_disk_is_one_line():
    for words in (("map", "bloom"), ("map", "bloom", "--in", "csv", "--key", "1", "--by", "1"), ("reduce", "bloom")):
        given = ink("map", "bloom", given=b"ant\n") if words[0] == "reduce" else b"ant\n"
        for target, what in (("pipe", "Broken pipe"), ("/dev/full", "No space left on device")):
            reading, writing = os.pipe() if target == "pipe" else (None, os.open(target, os.O_WRONLY))
            if reading is not None:
                os.close(reading)
            done = subprocess.run([INK, *words], input=given, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60)
            os.close(writing)
            said = done.stderr.decode()
            assert (done.returncode, said) == (4, f"ink: standard output: cannot write: {what}\n"), (words, target, said)


def the_static_program_needs_nothing():
    """No interpreter that would look for libraries, and it does the job."""
    if not os.path.exists(STATIC):
        raise tap.Skipped("there is none here: make static")
    listed = subprocess.run(["readelf", "-ldW", STATIC], capture_output=True, text=True, check=True).stdout
    assert "LOAD" in listed and "INTERP" not in listed and "NEEDED" not in listed, listed
    pieces = subprocess.run([STATIC, "map", "bloom"], input=b"ant\n", capture_output=True, check=True, env={})
    assert pieces.stdout == ink("map", "bloom", given=b"ant\n")


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-stages-"))
