"""Checks of the kinds whose payloads have an inner form: their files, answers and rules."""

import struct
from dataclasses import replace

import ink_hashes as hashes
from ink_reader import Item, Level, read_items, read_levels
from ink_sketches import SKETCHES, fold_blocks
from ink_writer import build_file, chain_payload, top_payload
from samples import (BYTES_RULE, INT_RULE, INTS, KEYED, MMH3, SECRET, bloom, count_min, counting,
                     fm, fuse, scalable, theta, top, words)

MAX64 = 2**64 - 1
WEIGHTED = [(key, 1 + i * i % 11) for i, key in enumerate(words(15) * 3)]


def kind_files():
    """Hand-made files: name, entries in file order, sections, and the options of build_file."""
    keyed_ints = {**KEYED, "key_type": hashes.KEY_INT}
    secret_rule = hashes.KeyRule(hashes.KEY_INT, hashes.SIPHASH, 0, SECRET)
    return [
        ("a counting", [counting(words(5) * 4)], [], {}),
        ("an empty scalable", [scalable([])], [], {}),
        ("a scalable of one level", [scalable(words(3))], [], {}),
        ("a scalable of both kinds", [scalable(words(36))], [], {}),
        ("a scalable of ints", [scalable(range(20), rule=INT_RULE)], [], INTS),
        ("a count-min", [count_min(WEIGHTED)], [], {}),
        ("a conservative count-min of 64 bits",
         [count_min(WEIGHTED + [(b"a", MAX64)], counter_bits=64, conservative=1)], [], {}),
        ("an empty top", [top([])], [], {}),
        ("a top", [top(WEIGHTED)], [], {}),
        ("a top of long keys", [top([b"x" * n for n in (0, 1023, 1024, 1025, 1026)])], [], {}),
        ("a top of ints", [top([(i, i) for i in range(1, 30)] + [-1, -(2**63)], rule=INT_RULE)],
         [], INTS),
        ("a keyed top of ints", [top([5, -5], rule=secret_rule)], [], keyed_ints),
        ("an empty fm", [fm([])], [], {}),
        ("an fm", [fm(words(9))], [], {}),
        ("an empty fuse", [fuse([])], [], {}),
        ("a fuse", [fuse(words(20))], [], {}),
        ("a fuse of ints", [fuse(range(-100, 100), 32, INT_RULE)], [], INTS),
        ("slots of many kinds",
         [make(words(3 + slot), slot=60 * slot)
          for make in (count_min, top, fm) for slot in (-1, 0)], [], {}),
    ]


# What they answer


def _true_counts(keys):
    counts = {}
    for key, weight in keys:
        counts[key] = counts.get(key, 0) + weight
    return counts


def _check_counting(tap):
    keys, gone = words(60), words(20)
    entry = counting(keys, 6)
    sketch = SKETCHES["counting"].read(entry, BYTES_RULE)
    tap.equal(sketch.bits(), bloom(keys, 6).payload, "a counting has the bits of its bloom")
    tap.equal(sketch.fold(3).payload(), counting(keys, 2).payload,
              "a counting folded by 3 is the smaller counting of its keys")
    tap.equal(fold_blocks(sketch.bits(), 2), sketch.fold(2).bits(),
              "folding a counting and taking its bits go in any order")
    for key in gone:
        sketch.remove(key)
    tap.equal(sketch.payload(), counting(keys[20:], 6).payload,
              "a counting without keys that were removed is that of the others")
    refused = 0
    for key in gone:
        try:
            sketch.remove(key)
        except KeyError:
            refused += 1
    tap.ok(refused > 15, "a key that is not in is not removed", refused)
    stuck = SKETCHES["counting"].read(counting([b"a"] * 20), BYTES_RULE)
    for _ in range(30):
        stuck.remove(b"a")
    tap.equal(sorted(set(stuck.counters)), [0, 15], "a counter at 15 stays")


def _check_scalable(tap):
    keys = words(100)
    entry = scalable(keys)
    sketch = SKETCHES["scalable"].read(entry, BYTES_RULE)
    kinds = [level.kind for level in sketch.levels]
    tap.equal(kinds, ["bloom", "bloom", "bloom", "classic", "classic"],
              "a scalable has bloom levels down to 1e-4 and then classic ones")
    tap.equal([level.expected_keys for level in sketch.levels], [4, 8, 16, 32, 64],
              "the levels of a scalable double")
    tap.ok(all(map(sketch.contains, keys)), "a scalable holds its keys")
    tap.ok(sketch.rate() < 0.001, "a scalable keeps its rate", sketch.rate())
    other = SKETCHES["scalable"].read(scalable([b"other" + key for key in keys]), BYTES_RULE)
    sketch.join(other)
    tap.ok(all(map(sketch.contains, keys)) and sketch.contains(b"other" + keys[0])
           and len(sketch.levels) == 10, "joined scalables hold the keys of both")


def _check_count_min(tap):
    true = _true_counts(WEIGHTED)
    plain, careful = (SKETCHES["count-min"].read(count_min(WEIGHTED, conservative=flag), BYTES_RULE)
                      for flag in (0, 1))
    tap.ok(all(true[key] <= careful.count(key)[0] <= plain.count(key)[0] for key in true),
           "a count-min is never too low, a conservative one never above a plain one")
    tap.equal([sum(plain.counters[at:at + 5]) for at in (0, 5, 10)], [sum(true.values())] * 3,
              "every row of a plain count-min has the total")
    full = SKETCHES["count-min"].read(count_min([(b"a", MAX64), (b"b", 9)]), BYTES_RULE)
    tap.equal((full.count(b"a")[0], full.params()["total"]), (2.0**32 - 1, MAX64),
              "counters and total of a count-min stop at their largest number")


def _check_top(tap):
    keys = [(b"key %d" % (i * i % 97), 1 + (i * i % 97 == 0) * 20) for i in range(2000)]
    true = _true_counts(keys)
    for capacity in (1, 3, 10, 60):
        entry = top(keys, capacity)
        sketch = SKETCHES["top"].read(entry, BYTES_RULE)
        answers = {key: sketch.count(key) for key in [*true, b"stranger"]}
        tap.ok(all(low <= true.get(key, 0) <= high for key, (_, low, high) in answers.items()),
               f"a top of capacity {capacity} bounds every count")
        most = sketch.total // (capacity + 1)
        kept = {item.key for item in sketch.items.values()}
        tap.ok(sketch.missed <= most and all(key in kept for key in true if true[key] > most),
               f"a top of capacity {capacity} misses no key above its share")


def _check_fm(tap):
    for count in (100, 5000):
        sketch = SKETCHES["fm"].read(fm(range(count), 32, 5, INT_RULE), INT_RULE)
        tap.ok(0.7 * count < sketch.estimate() < 1.4 * count,
               f"an fm of {count} keys estimates about that many", sketch.estimate())
        tap.ok(1.5 * count < sketch.mean_of_powers(), "the mean of powers is too high",
               sketch.mean_of_powers())


def _check_fuse(tap):
    for count, bits in ((0, 8), (1, 4), (2, 7), (3, 9), (10, 32), (700, 8)):
        sketch = SKETCHES["fuse"].read(fuse(words(count), bits), BYTES_RULE)
        tap.ok(all(map(sketch.contains, words(count))), f"a fuse of {count} keys holds them")
        others = sum(sketch.contains(b"other %d" % i) for i in range(1000))
        tap.ok(others <= 1000 * sketch.rate() * 1.7 + 4, f"a fuse of {bits} bits keeps its rate",
               others)


def check_kinds(tap):
    """What the sketches answer is what was added to them."""
    _check_counting(tap)
    _check_scalable(tap)
    _check_count_min(tap)
    _check_top(tap)
    _check_fm(tap)
    _check_fuse(tap)


# The rules of their entries, broken one at a time


def _params(entry, **changes):
    return replace(entry, params={**entry.params, **changes})


def _bad_counting():
    one = counting(words(3), 2)
    yield "a counting without blocks", replace(one, payload=b"")
    yield "a counting of half a block", replace(one, payload=one.payload[:64])
    yield "a counting with a byte too many", replace(one, payload=one.payload + b"\0")
    yield "a counting with the rule of a classic", replace(one, position_rule=2)
    yield "a counting of another layout", replace(one, layout=2)
    yield "a counting that promises more than 1", _params(one, promised_rate=1.5)


def _with_levels(entry, levels):
    return replace(_params(entry, levels=len(levels)), payload=chain_payload(levels))


def _bad_scalable():
    one = scalable(words(36))
    levels = read_levels(one.payload, one.params["levels"])
    for ratio in (0.0, 0.0999, 0.9001, -0.5, float("nan"), float("inf")):
        yield f"a scalable of ratio {ratio}", _params(one, ratio=ratio)
    for name in ("expected_keys", "target_rate", "promised_rate", "chains", "levels"):
        yield f"a scalable with 0 as {name}", _params(one, **{name: 0})
    yield "a scalable that asks for 1", _params(one, target_rate=1.0)
    yield "a scalable with a level too few", _params(one, levels=len(levels) - 1)
    yield "a scalable with a level too many", _params(one, levels=len(levels) + 1)
    yield "a scalable with 2^60 levels", _params(one, levels=2**60)
    yield "a scalable with other rules", replace(one, position_rule=1)
    yield "a scalable of another layout", replace(one, layout=2)
    tiny = Level("classic", 1, 1, 0.5, 0.5, 1, 1, b"\1")
    yield "a scalable of 1025 levels", _with_levels(one, [tiny] * 1025)

    first, last = 0, len(levels) - 1
    full = levels[first].expected_keys
    for name, number, changes in (
            ("without keys", last, {"keys": 0}),
            ("with more keys than it expects", last, {"keys": levels[last].expected_keys + 1}),
            ("before the last that is not full", first, {"keys": full - 1}),
            ("before the last that expects more", first, {"expected_keys": full + 1}),
            ("that asks for 1", last, {"target_rate": 1.0}),
            ("that asks for -0", last, {"target_rate": -0.0}),
            ("that asks for nothing known", last, {"target_rate": float("nan")}),
            ("that promises 1.5", last, {"promised_rate": 1.5}),
            ("that promises less than 0", last, {"promised_rate": -0.1}),
            ("that is a bloom of 7 hashes", first, {"hashes": 7}),
            ("that is a bloom of no bits", first, {"bits": 0, "cells": b""}),
            ("that is a bloom of half a block", first, {"bits": 128, "cells": bytes(16)}),
            ("that is a bloom of more bits than it has", first, {"bits": 2**20}),
            ("that is a classic without hashes", last, {"hashes": 0}),
            ("that is a classic of 65 hashes", last, {"hashes": 65}),
            ("that is a classic of no bits", last, {"bits": 0, "cells": b""}),
            ("that is a classic of more bits than it has", last, {"bits": 8 * 10**6}),
            ("that is a classic of 2^43 + 8 bits", last, {"bits": 2**43 + 8}),
            ("that is a counting", last, {"kind": "counting"}),
            ("that is a scalable", last, {"kind": "scalable"}),
            ("that is a classic with a bit above its last", last,
             {"bits": 9, "cells": b"\xff\xff"})):
        new = [*levels[:number], replace(levels[number], **changes), *levels[number + 1:]]
        yield f"a level {name}", _with_levels(one, new)
    for name, at, value in (("of kind 0", 0, 0), ("that starts too late", 56, 1 << 20),
                            ("that starts inside of the records", 56, 64)):
        changed = bytearray(one.payload)
        struct.pack_into("<Q", changed, at, value)
        yield f"a level {name}", replace(one, payload=bytes(changed))
    second = struct.unpack_from("<Q", one.payload, 64 + 56)[0]
    yield "a level one line further", replace(
        one, payload=one.payload[:second] + bytes(64) + one.payload[second:])
    changed = bytearray(one.payload)
    changed[second - 1] = 1
    yield "a byte between levels", replace(one, payload=bytes(changed))
    yield "a scalable with a byte too many", replace(one, payload=one.payload + b"\0")
    yield "a scalable with a byte too few", replace(one, payload=one.payload[:-1])
    yield "an empty scalable with a payload", replace(scalable([]), payload=bytes(64))


def _bad_count_min():
    one = count_min(WEIGHTED)
    yield "a count-min without columns", replace(_params(one, width=0), payload=b"")
    yield "a count-min without rows", replace(_params(one, depth=0), payload=b"")
    yield "a count-min of 65 rows", count_min(words(2), 1, 65)
    yield "a count-min of 2^32 + 1 columns", _params(one, width=2**32 + 1)
    yield "a count-min of 2^32 columns and little payload", _params(one, width=2**32)
    for bits in (0, 8, 16, 33, 128):
        yield f"a count-min of {bits} bits", replace(_params(one, counter_bits=bits),
                                                     payload=bytes(15 * bits // 8))
    yield "a count-min that is conservative twice", _params(one, conservative=2)
    yield "a count-min of 64 bits with half the payload", _params(one, counter_bits=64)
    yield "a count-min with a byte too many", replace(one, payload=one.payload + b"\0")
    yield "a count-min with a row too few", replace(one, payload=one.payload[:-20])
    yield "a count-min with the rule of a classic", replace(one, position_rule=2)
    yield "a count-min of another layout", replace(one, layout=2)


def _with_items(entry, items, **changes):
    return replace(_params(entry, kept=len(items), **changes), payload=top_payload(items))


def _bad_top():
    one = top(WEIGHTED)
    items = read_items(one.payload, one.params["kept"], hashes.KEY_BYTES)
    missed, kept = one.params["missed"], len(items)
    few = top([(b"a", 2), (b"bc", 3)], 4)
    yield "a top of capacity 0", _params(top([]), capacity=0)
    yield "a top of capacity 2^20 + 1", _params(few, capacity=2**20 + 1)
    yield "a top that keeps more than twice its capacity", _params(top(words(3)), capacity=1)
    yield "a top with a key too few", _params(one, kept=kept - 1)
    yield "a top with a key too many", _params(one, kept=kept + 1)
    yield "a top with 2^60 keys", _params(one, kept=2**60)
    yield "a top that missed more than its share", _params(few, missed=2)
    yield "a top that has more than its total", _params(few, total=4)
    yield "a top with the rule of a classic", replace(one, position_rule=2)
    yield "a top of another layout", replace(one, layout=2)
    yield "a top with a byte too many", replace(one, payload=one.payload + b"\0")
    yield "a top with a byte too few", replace(one, payload=one.payload[:-1])
    yield "an empty top with a payload", replace(top([]), payload=b"\0")
    for name, changes in (("with a high bound that would have gone", {"high": missed, "error": 0}),
                          ("with an error above what was missed",
                           {"high": missed + 3, "error": missed + 1}),
                          ("with another hash", {"hash": items[0].hash - 1}),
                          ("that is too long", {"key": bytes(1025), "cut": True}),
                          ("that is short and cut", {"cut": True})):
        yield f"a key {name}", _with_items(one, [replace(items[0], **changes), *items[1:]])
    yield "a key twice", _with_items(one, [items[0], *items[:-1]])
    last = struct.unpack_from("<Q", few.payload, 24)[0]
    records = [few.payload[:32], few.payload[32:64]]
    text = few.payload[64:]
    swapped = (records[1][:24] + struct.pack("<Q", len(text) - last)
               + records[0][:24] + struct.pack("<Q", len(text)) + text[last:] + text[:last])
    yield "keys in falling order", replace(few, payload=swapped)
    for name, at, value in (("with an unused bit", 24, last | 1 << 33),
                            ("with the highest bit", 24, last | 1 << 63),
                            ("that ends after the bytes", 24, len(text) + 1),
                            ("that ends before it starts", 56, last - 1)):
        changed = bytearray(few.payload)
        struct.pack_into("<Q", changed, at, value)
        yield f"a key {name}", replace(few, payload=bytes(changed))


def _bad_fm():
    one = fm(words(9))
    yield "an fm without groups", replace(_params(one, depth=0), payload=b"")
    yield "an fm of 256 groups", fm(words(1), 1, 256)
    yield "an fm of empty groups", replace(_params(one, width=0), payload=b"")
    yield "an fm of more than 65536 sub-sketches", replace(_params(one, width=258, depth=255),
                                                           payload=bytes(258 * 255))
    yield "an fm of far too many sub-sketches", _params(one, width=2**63, depth=2)
    yield "an fm with a value too high", replace(one, payload=b"\x42" + one.payload[1:])
    yield "an fm with a zero among its values", replace(one, payload=b"\0" + one.payload[1:])
    yield "an fm with one value that is not 0", replace(one, payload=bytes(11) + b"\1")
    yield "an fm with a byte too many", replace(one, payload=one.payload + b"\1")
    yield "an fm with a byte too few", replace(one, payload=one.payload[:-1])
    yield "an fm with the rule of an hll", replace(one, position_rule=5)
    yield "an fm of another layout", replace(one, layout=2)


def _bad_theta():
    few, full = theta(words(3)), theta(words(40))
    yield "a theta of precision 3", _params(few, precision=3)
    yield "a theta of precision 27", _params(few, precision=27)
    yield "a theta without a threshold", replace(few, payload=b"")
    yield "a theta of half a word", replace(few, payload=few.payload + bytes(4))
    yield "a theta of more than 2^precision values", _of_values(full, range(17), 2**40)
    yield "a theta with a threshold of 0", _of_values(few, (), 0)
    yield "a theta with a threshold of 2^63", _of_values(few, (1, 2), 2**63)
    yield "a theta with a value at its threshold", _of_values(few, (1, 2), 2)
    yield "a theta with a value twice", _of_values(few, (1, 1), 9)
    yield "a theta with values falling", _of_values(few, (2, 1), 9)
    yield "a theta with the rule of an hll", replace(few, position_rule=5)
    yield "a theta of another layout", replace(few, layout=2)


def _of_values(entry, values, threshold):
    return replace(entry, payload=struct.pack(f"<{len(values) + 1}Q", *values, threshold))


def _bad_fuse():
    one = fuse(words(20))
    yield "a fuse of 3 bits", _params(one, bits=3, promised_rate=0.125, target_rate=0.125)
    yield "a fuse of 33 bits", _params(one, bits=33, promised_rate=2.0**-33, target_rate=2.0**-33)
    yield "a fuse with the rate of other bits", _params(one, promised_rate=2.0**-9)
    yield "a fuse with a lower target rate", _params(one, target_rate=0.001)
    yield "a fuse with a target rate of fewer bits", _params(one, target_rate=2.0**-7)
    yield "a fuse without a target rate", _params(one, target_rate=0.0)
    yield "a fuse of no keys with slots", _params(one, expected_keys=0)
    yield "a fuse of keys without slots", _params(fuse([]), expected_keys=1)
    yield "a fuse of more shards than bytes", _params(one, expected_keys=2**40)
    yield "a fuse of too many keys", _params(one, expected_keys=2**40 + 1)
    yield "a fuse with a byte too many", replace(one, payload=b"\0" + one.payload)
    yield "a fuse with a byte too few", replace(one, payload=one.payload[1:])
    yield "a fuse with another rule", replace(one, position_rule=1)
    yield "a fuse of another layout", replace(one, layout=2)
    for name, at, value in (("other segments", -8, 99), ("long segments", -4, 15),
                            ("an unused byte", -2, 1), ("no segments", -8, 0)):
        changed = bytearray(one.payload)
        changed[at] = value
        yield f"a fuse with {name}", replace(one, payload=bytes(changed))


def _unusual():
    """Entries at the edge of a rule: name, entry and the options of build_file."""
    chain = scalable(words(36))
    levels = read_levels(chain.payload, chain.params["levels"])
    tiny = Level("classic", 1, 1, 0.5, 0.5, 1, 1, b"\1")
    yield "a scalable of 1024 levels", _with_levels(chain, [tiny] * 1024), {}
    yield "a scalable of ratio 0.1", _params(chain, ratio=0.1), {}
    yield "a scalable of ratio 0.9", _params(chain, ratio=0.9), {}
    quiet = [replace(level, target_rate=0.0, promised_rate=0.0) for level in levels]
    yield "a scalable whose levels promise nothing", _with_levels(chain, quiet), {}
    yield "a count-min of 64 rows", count_min(words(2), 1, 64), {}
    yield "an fm of 65536 sub-sketches", replace(_params(fm([]), width=256 * 2, depth=128),
                                                 payload=bytes(65536)), {}
    yield "an fm with the highest values", replace(fm([]), payload=b"\x41" * 12), {}
    yield "a theta with the first values", _of_values(theta([]), range(16), 16), {}
    yield "a theta with the last value", _of_values(theta([]), [2**63 - 2], 2**63 - 1), {}
    yield "a theta of no values below its threshold", _of_values(theta([]), [], 1), {}
    few = top([(b"a", 2), (b"bc", 3)], 4)
    yield "a top that missed all of its share", _params(few, missed=1, total=8), {}
    full = [Item(BYTES_RULE.hash64(key), MAX64, error, key)
            for key, error in ((b"a", 0), (b"b", 9), (b"c", MAX64))]
    yield "a top whose counts have stopped", _with_items(few, full, total=MAX64, missed=MAX64), {}
    long = BYTES_RULE.hash64(bytes(1024))
    same = [Item(long, 2, 0, bytes(1024)), Item(long, 2, 0, bytes(1024), True)]
    yield "a cut key after the same bytes whole", _with_items(few, same), {}
    chosen = [Item(7, 2, 0, key) for key in (b"", b"a", b"ab", b"b", b"\x80")]
    yield "keys of one hash in order", _with_items(top([], 4), chosen, total=50), KEYED
    signed = [Item(7, 2, 0, key) for key in (-(2**63), -1, 0, 2**63 - 1)]
    keyed_ints = {**KEYED, "key_type": hashes.KEY_INT}
    yield "ints of one hash in order", _with_items(top([], 4), signed, total=50), keyed_ints


def _out_of_order():
    """Tops of keys of one hash, two of which stand the wrong way round."""
    long = bytes(1024)
    for name, before, after, options in (
            ("bytes", b"\x80", b"a", {}), ("a prefix", b"ab", b"a", {}),
            ("ints", 3, -3, {"key_type": hashes.KEY_INT}), ("equal ints", 3, 3,
                                                            {"key_type": hashes.KEY_INT}),
            ("equal bytes", b"a", b"a", {}), ("a cut key", (long, True), (long, False), {})):
        payload, text = b"", b""
        for key in (before, after):
            key, cut = key if isinstance(key, tuple) else (key, False)
            if isinstance(key, int):
                last = key % 2**64
            else:
                text += key
                last = len(text) | cut << 32
            payload += struct.pack("<4Q", 7, 2, 0, last)
        entry = replace(_params(top([], 4), kept=2, total=9), payload=payload + text)
        yield f"keys of one hash out of order: {name}", entry, {**KEYED, **options}


def check_kind_rules(tap, rejection):
    """Every rule of these kinds rejects what breaks it, and nothing at its edge."""
    for bad in (_bad_counting, _bad_scalable, _bad_count_min, _bad_top, _bad_fm, _bad_theta, _bad_fuse):
        for name, entry in bad():
            tap.rejected(build_file([entry]), f"{name} is rejected")
    for name, entry, options in _out_of_order():
        tap.rejected(build_file([entry], **options), f"{name} is rejected")
    for make in (counting, scalable, count_min, top, fm, theta, fuse):
        entry = make([])
        tap.rejected(build_file([entry], **MMH3), f"a {entry.kind} with Murmur3 x86-32 is rejected")
    for name, entry, options in _unusual():
        tap.equal(rejection(build_file([entry], **options)), None, f"{name} is accepted")
