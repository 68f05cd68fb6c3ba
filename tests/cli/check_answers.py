#!/usr/bin/env python3
"""The answers of ink against exact ones, worked out here: on keys of all frequencies, in orders that are hard, from
data and from saved parts; and in memory that does not grow.

Statistical tests are at a level of 1e-6 and have fixed seeds: they pass always, or never. Prints a TAP line for each
test and exits with the number that failed.
"""
import collections
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import time

import tap
from help_pages import INK

Z_ALPHA = 4.8916  # two-sided, 1e-6
SURE = "0.999999"


# ---- Running -----------------------------------------------------------------------------------------------------


def ink(*words, given=None):
    """What it prints; it must succeed, or find nothing (exit code 1)."""
    done = subprocess.run([INK, *map(str, words)], input=given, stdin=None if given else subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
    assert done.returncode in (0, 1), (words, done.returncode, done.stderr.decode())
    return done.stdout.decode()


def rows(*words, given=None):
    """The objects that it prints."""
    return [json.loads(line) for line in ink(*words, "--json", given=given).splitlines()]


def one(*words, given=None):
    """The only object that it prints."""
    found = rows(*words, given=given)
    assert len(found) == 1, (words, found)
    return found[0]


def write(path, records):
    pathlib.Path(path).write_text("".join(f"{record}\n" for record in records), encoding="ascii")
    return path


def check_holds(row, truth, what):
    """The truth lies between the bounds, and so does the estimate."""
    assert row["low"] <= row["estimate"] <= row["high"], (what, row)
    assert row["low"] <= truth <= row["high"], (what, truth, row)


# ---- Records: how frequent keys are, and in what order they come -------------------------------------------------


def zipf_counts(keys, total, skew):
    """How often each key comes, ever less."""
    whole = sum(k ** -skew for k in range(1, keys + 1))
    return {f"key{k}": max(1, round(total * k ** -skew / whole)) for k in range(1, keys + 1)}


def uniform_counts(keys, each):
    return {f"key{k}": each for k in range(1, keys + 1)}


def shuffled(counts):
    records = [key for key, count in counts.items() for _ in range(count)]
    random.Random(7).shuffle(records)
    return records


def in_blocks(counts):
    """Key by key, the most frequent ones first."""
    return [key for key, count in counts.items() for _ in range(count)]


def frequent_last(counts):
    """Key by key, the rarest ones first: what is frequent meets a table full of others."""
    return in_blocks(dict(reversed(counts.items())))


def once_first(counts):
    """Every key once, and then all that is left, key by key."""
    return list(counts) + in_blocks({key: count - 1 for key, count in counts.items()})


def in_turns(counts):
    """One of each key that is left, over and over: a key goes as soon as it has no more."""
    records, left = [], list(counts.items())
    while left:
        records += [key for key, _ in left]
        left = [(key, count - 1) for key, count in left if count > 1]
    return records


def by_name(counts):
    return sorted(in_blocks(counts))


ORDERS = (shuffled, once_first, in_blocks, frequent_last, in_turns, by_name)
if os.environ.get("INK_TEST_LIGHT"):  # under a sanitizer that takes long
    ORDERS = ORDERS[:2]
FREQUENCIES = {
    "zipf 1.1": zipf_counts(20_000, 60_000, 1.1),
    "zipf 2": zipf_counts(5_000, 60_000, 2),
    "uniform": uniform_counts(10_000, 5),
    "one key against all others": {**uniform_counts(30_000, 1), "heavy": 400},
}


# ---- top ---------------------------------------------------------------------------------------------------------


def check_top(found, counts, phi, what):
    """No key above its share is missing, and bounds hold."""
    total = sum(counts.values())
    for row in found:
        check_holds(row, counts.get(row["key"], 0), what)
        assert row["confidence"] == 1, (what, row)
    estimates = [row["estimate"] for row in found]
    assert estimates == sorted(estimates, reverse=True), what
    keys = {row["key"] for row in found}
    assert len(keys) == len(found), (what, "a key twice")
    missed = [key for key, count in counts.items() if count > phi * total and key not in keys]
    assert not missed, (what, missed)


def no_frequent_key_is_missed_in_any_order_of_keys():
    """A table of 200 counters, and up to 30,000 different keys."""
    for name, counts in FREQUENCIES.items():
        for order in ORDERS:
            data, what = write("data", order(counts)), (name, order.__name__)
            check_top(rows("top", "--phi", 0.005, data), counts, 0.005, what)
            check_top(rows("top", "-k", 5, data), counts, 1, what)


def weights_count_as_often_as_they_say():
    """A heavy record at the end, at the beginning, and weights of 0."""
    counts = FREQUENCIES["zipf 1.1"]
    for order in shuffled, frequent_last:
        keys = order(dict.fromkeys(counts, 1))
        data = write("data.tsv", [f"{key}\t{counts[key]}" for key in keys] + ["nothing\t0"])
        for phi in 0.01, 0.002:
            found = rows("top", "--phi", phi, "--key", 1, "--weight", 2, data)
            check_top(found, counts, phi, (order.__name__, phi))
    heavy = 10 ** 15
    write("data.tsv", [f"{key}\t1" for key in counts] + [f"late\t{heavy}"])
    assert one("top", "-k", 1, "--key", 1, "--weight", 2, "data.tsv")["key"] == "late"


def the_keys_of_each_group_are_its_own():
    """Groups of all sizes; in each another key is the most frequent."""
    chance, groups = random.Random(3), {}
    for number in range(30):
        counts = zipf_counts(50 + 100 * number, 300 * (number + 1), 1.2)
        groups[f"group {number}"] = {f"{key} of {number}": count for key, count in counts.items()}
    records = [f"{group}\t{key}" for group, counts in groups.items() for key in in_blocks(counts)]
    chance.shuffle(records)
    data = write("data.tsv", records)
    found = collections.defaultdict(list)
    for row in rows("top", "--phi", 0.01, "--by", 1, "--key", 2, data):
        found[row["group"]].append(row)
    assert set(found) == set(groups), set(groups) - set(found)
    for group, counts in groups.items():
        check_top(found[group], counts, 0.01, group)


# ---- count -------------------------------------------------------------------------------------------------------


EPS, DELTA = 0.01, 0.01
WIDTH, DEPTH = math.ceil(math.e / EPS), math.ceil(math.log(1 / DELTA))


def most_of(trials, chance):
    """More than this many of them do not come by chance, at 1e-6; skew of rare events included, as in ink verify."""
    mean = trials * chance
    return mean + 4.7534 * math.sqrt(mean * (1 - chance)) + 3.6


def check_counts(answers, counts, what):
    """Never too low, and rarely too high."""
    total = sum(counts.values())
    assert [row["key"] for row in answers] == list(counts), what
    beyond = 0
    for row in answers:
        assert row["estimate"] >= counts[row["key"]], (what, row, counts[row["key"]])
        assert row["estimate"] == row["high"], (what, row)
        beyond += row["estimate"] > counts[row["key"]] + EPS * total
    assert beyond <= most_of(len(counts), DELTA), (what, beyond)


def counts_are_never_too_low_and_rarely_too_high():
    """Of data and of saved sketches, which say the same. Order matters for conservative ones alone."""
    size = ("--eps", EPS, "--delta", DELTA)
    for (name, counts), order in zip(FREQUENCIES.items(), (shuffled, frequent_last, in_blocks, once_first)):
        data, keys = write("data", order(counts)), write("keys", counts)
        for more in (), ("--conservative",):
            what, words = (name, order.__name__, more), (*size, *more)
            ink("build", "count-min", *words, "--force", "-o", "count.ink", data)
            saved = rows("count", "count.ink", keys)
            check_counts(saved, counts, what)
            assert rows("count", "--keys-from", keys, *words, data) == saved, what


def the_error_of_a_count_is_that_of_its_width():
    """The bound above holds by far: half the width would keep it. On uniform data the mean error is known: that of the
    smallest of `depth` binomial numbers of others in a counter. Keys that share counters err alike, so that there are
    but as many independent errors as counters in a row; a width 10 % smaller is 9 deviations off."""
    keys, each = 20_000, 3
    counts = uniform_counts(keys, each)
    others = binomial(keys - 1, 1 / WIDTH)
    at_least, mean, square = 1.0, 0.0, 0.0
    for number in range(len(others) - 1):
        at_least -= others[number]
        mean += max(at_least, 0) ** DEPTH
        square += (2 * number + 1) * max(at_least, 0) ** DEPTH
    deviation = math.sqrt((square - mean * mean) / WIDTH)
    answers = rows("count", "--keys-from", write("keys", counts), "--eps", EPS, "--delta", DELTA,
                   write("data", shuffled(counts)))
    error = sum(row["estimate"] - each for row in answers) / keys / each
    assert abs(error - mean) < Z_ALPHA * deviation, (error, mean, deviation)
    assert 0.1 * mean > (Z_ALPHA + 3.09) * deviation


def binomial(trials, chance):
    """The chances of 0, 1, ... successes, as far as they differ from 0."""
    log, chances = trials * math.log1p(-chance), []
    for number in range(trials + 1):
        chances.append(math.exp(log))
        if number > trials * chance and chances[-1] < 1e-18:
            break
        log += math.log((trials - number) / (number + 1) * chance / (1 - chance))
    return chances


def counts_of_a_top_hold_for_keys_that_it_does_not_keep():
    """Every key of the data, asked of a table with room for few."""
    for name, counts in FREQUENCIES.items():
        data, keys = write("data", once_first(counts)), write("keys", [*counts, "non_member"])
        for row in rows("count", "--kind", "top", "--phi", 0.01, "--keys-from", keys, data):
            check_holds(row, counts.get(row["key"], 0), (name, row["key"]))


# ---- distinct ----------------------------------------------------------------------------------------------------


KINDS = {"hll": (), "hll 8": ("--precision", 8), "fm": (), "fm 5 x 64": ("--depth", 5, "--width", 64), "bloom": (),
         "classic": (), "counting": (), "scalable": ()}


def distinct_numbers_lie_in_their_interval():
    """Sets of many sizes, 30 of each in one go; a kind is wrong once in a million times."""
    chance = random.Random(11)
    for size in 1, 2, 3, 10, 100, 1_000:
        sets = 30 if size < 1_000 else 10
        records = [f"{group}\t{key}" for group in range(sets)
                   for key in chance.sample(range(10 ** 9), size) for _ in range(1 + (size == 10))]
        data = write("data.tsv", records)
        for name, more in KINDS.items():
            found = rows("distinct", "--kind", name.split()[0], *more, "--confidence", SURE, "--by", 1, "--key", 2,
                         data)
            assert len(found) == sets, (name, size, len(found))
            for row in found:
                check_holds(row, size, (name, size))
    records = chance.sample(range(10 ** 9), 100_000)
    data = write("data", records + records[:5_000])
    for name, more in KINDS.items():
        check_holds(one("distinct", "--kind", name.split()[0], *more, "--confidence", SURE, data), 100_000, name)


def the_error_of_distinct_numbers_is_the_stated_one():
    """3500 sets of 512 keys in 64 registers: 10 % more than 1.04 / sqrt(64) would be noticed with a chance of 0.999."""
    sets, size = 3_500, 512
    pieces = [f"{group}\t{group * size + key}\n" for group in range(sets) for key in range(size)]
    pathlib.Path("data.tsv").write_text("".join(pieces), encoding="ascii")
    found = rows("distinct", "--estimator", "unlimited", "--precision", 6, "--by", 1, "--key", 2, "data.tsv")
    assert len(found) == sets
    mean = sum(row["estimate"] for row in found) / sets / size - 1
    error = math.sqrt(sum((row["estimate"] / size - 1) ** 2 for row in found) / sets)
    stated = math.sqrt((3 * math.log(2) - 1) / 64)
    covered = sum(row["low"] <= size <= row["high"] for row in found)
    assert error < stated * (1 + Z_ALPHA / math.sqrt(2 * sets)), (error, stated)
    assert error > 0.9 * stated, (error, stated)  # nor is it another estimator, or another size
    assert abs(mean) < 1.1 / 64 + Z_ALPHA * stated / math.sqrt(sets), mean
    assert covered > 0.95 * sets - Z_ALPHA * math.sqrt(0.95 * 0.05 * sets), covered


# ---- dot ---------------------------------------------------------------------------------------------------------


def inner_products_are_never_too_low_and_rarely_too_high():
    """Two streams that share a third of their keys, with 20 seeds, since one sketch has but one answer. A row is too
    high by 1/width of all pairs of other keys, on average; the smallest of five rows by less."""
    a, b = zipf_counts(3_000, 30_000, 1.1), zipf_counts(2_000, 20_000, 1.3)
    b = {f"key{3 * number + 1}": count for number, count in enumerate(b.values())}
    truth = sum(count * b.get(key, 0) for key, count in a.items())
    pairs = sum(a.values()) * sum(b.values())
    write("a", shuffled(a))
    write("b", frequent_last(b))
    errors = []
    for seed in range(20):
        for name in "a", "b":
            ink("build", "count-min", "--eps", EPS, "--delta", DELTA, "--seed", seed, "--force", "-o", name + ".ink",
                name)
        row = one("dot", "a.ink", "b.ink")
        errors.append(row["estimate"] - truth)
        assert errors[-1] >= 0 and row["high"] == row["estimate"], (seed, truth, row)
        assert row["low"] <= truth or errors[-1] > EPS * pairs, (seed, truth, row)
    assert sum(error > EPS * pairs for error in errors) <= most_of(20, DELTA), errors
    assert 0 < sum(errors) / 20 < (pairs - truth) / WIDTH, (errors, pairs, truth)


# ---- uniq --------------------------------------------------------------------------------------------------------


def numbered(keys):
    """A record of each key, so that no two are equal; and those that are the first of their key."""
    records, firsts = [], {}
    for number, key in enumerate(keys):
        records.append(f"{key} {number}")
        firsts.setdefault(key, records[-1])
    return records, list(firsts.values())


def first_records_are_kept_in_order_but_for_a_few():
    """The first records are printed, at most the reported number is lost, and -v prints all the others."""
    for (name, counts), rate in zip(FREQUENCIES.items(), (1e-4, 0.05, 0.01, 0.2)):
        for order in ORDERS:
            records, firsts = numbered(order(counts))
            what, words = (name, order.__name__), ("uniq", "-p", rate, "--fields", "--key", 1, write("data", records))
            printed, reported = ink(*words).splitlines(), one(*words, "--count")
            rest = iter(firsts)
            assert all(record in rest for record in printed), what
            assert 0 <= len(firsts) - len(printed) <= reported["lost_high"], (what, len(firsts), reported)
            assert (reported["records"], reported["first"]) == (len(records), len(printed)), (what, reported)
            rest = set(printed)
            assert ink(*words, "-v").splitlines() == [record for record in records if record not in rest], what


def the_lost_records_are_as_many_as_reported():
    """A filter at its rate for 200,000 different keys, in 9 seeds: 10 % more than reported would be noticed."""
    data = write("data", range(200_000))
    lost = expected = 0
    for seed in range(9):
        reported = one("uniq", "-p", 0.05, "-n", 200_000, "--seed", seed, "--count", data)
        lost += 200_000 - reported["first"]
        expected += reported["lost"]
    assert abs(lost - expected) < Z_ALPHA * math.sqrt(expected), (lost, expected)
    assert 0.1 * expected > (Z_ALPHA + 3.09) * math.sqrt(expected), expected


# ---- Parts -------------------------------------------------------------------------------------------------------


def the_union_of_saved_parts_answers_as_the_whole():
    """Three parts that share keys; for top the bounds hold, which is all that it promises."""
    counts = FREQUENCIES["zipf 1.1"]
    records = shuffled(counts)
    whole, keys = write("whole", records), write("keys", counts)
    third = len(records) // 3 + 1
    parts = [write(f"part{at}", records[at * third:(at + 1) * third]) for at in range(3)]

    def saved(kind, *more):
        for part in parts:
            ink("build", kind, *more, "--force", "-o", f"{part}.ink", part)
        return [f"{part}.ink" for part in parts]

    for kind, *more in (("hll",), ("fm",), ("bloom", "-n", 20_000), ("counting", "-n", 20_000)):
        files, words = saved(kind, *more), ("--confidence", SURE)
        answer = one("distinct", *words, *files)
        assert answer == one("distinct", "--kind", kind, *more, *words, whole), kind
        check_holds(answer, len(counts), kind)
    files = saved("count-min", "--eps", EPS, "--delta", DELTA)
    ink("merge", "-o", "all.ink", *files)
    assert rows("count", "all.ink", keys) == rows("count", "--keys-from", keys, "--eps", EPS, "--delta", DELTA, whole)
    check_top(rows("top", "--phi", 0.01, *saved("top", "--phi", 0.01)), counts, 0.01, "top of parts")


# ---- Memory ------------------------------------------------------------------------------------------------------


# Less cannot hold even one buffer: nothing was measured. More, besides a filter, and it grows with what is read.
LEAST_BYTES, MOST_BYTES = 256 << 10, 64e6


def anonymous_peak(command, given):
    """Bytes of memory that is not a mapped file's, the most of many looks."""
    with subprocess.Popen([INK, *command], stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        status, peak = pathlib.Path(f"/proc/{child.pid}/status"), 0
        while child.poll() is None:
            for line in status.read_text(encoding="ascii").splitlines():
                if line.startswith("RssAnon:"):
                    peak = max(peak, 1024 * int(line.split()[1]))
            time.sleep(0.002)
    assert child.returncode in (0, 1), (command, child.returncode)
    return peak


def memory_does_not_grow_with_a_pipe():
    """300 MB of different lines, without an end in sight: a few megabytes, and for uniq those of its filter."""
    tap.without_sanitizer(INK)
    for command, own in (("distinct",), 0), (("top",), 0), (("uniq", "-q", "--memory", "64M"), 64 << 20):
        with subprocess.Popen([INK, "gen", "log", "-n", "3e6"], stdout=subprocess.PIPE) as source:
            peak = anonymous_peak((*command, "--threads", "2"), source.stdout)
        assert max(0.9 * own, LEAST_BYTES) < peak < own + MOST_BYTES, (command, peak)


TESTS = (no_frequent_key_is_missed_in_any_order_of_keys,
         weights_count_as_often_as_they_say,
         the_keys_of_each_group_are_its_own,
         counts_are_never_too_low_and_rarely_too_high,
         the_error_of_a_count_is_that_of_its_width,
         counts_of_a_top_hold_for_keys_that_it_does_not_keep,
         distinct_numbers_lie_in_their_interval,
         the_error_of_distinct_numbers_is_the_stated_one,
         inner_products_are_never_too_low_and_rarely_too_high,
         first_records_are_kept_in_order_but_for_a_few,
         the_lost_records_are_as_many_as_reported,
         the_union_of_saved_parts_answers_as_the_whole,
         memory_does_not_grow_with_a_pipe)


if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-answers-"))
