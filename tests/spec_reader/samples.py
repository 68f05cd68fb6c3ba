"""Sketches of a few keys, as entries of a file, for the checks to write, break and ask."""

import ink_hashes as hashes
from ink_reader import Entry
from ink_sketches import SKETCHES, CountMin, Counting, Fm, Fuse, Scalable, Theta, Top
from ink_writer import add_to_registers, bloom_payload, classic_payload, hll_payload

SECRET = bytes(range(16))
BYTES_RULE = hashes.KeyRule(hashes.KEY_BYTES, hashes.XXH3, hashes.DEFAULT_SEED)
INT_RULE = hashes.KeyRule(hashes.KEY_INT, hashes.MIX64, hashes.DEFAULT_SEED)
MMH3_RULE = hashes.KeyRule(hashes.KEY_BYTES, hashes.MMH3, 2**32 - 2)
RATES = {"expected_keys": 1000, "target_rate": 0.01, "promised_rate": 0.0095}
SPARK_RULE = hashes.KeyRule(hashes.KEY_BYTES, hashes.SPARK, 7)
GUAVA_RULE = hashes.KeyRule(hashes.KEY_INT, hashes.MURMUR128_INT32, 0)
HADOOP_RULE = hashes.KeyRule(hashes.KEY_BYTES, hashes.HADOOP_MURMUR, 0)
ROWS_RULE = hashes.KeyRule(hashes.KEY_INT, hashes.SPARK_ROWS, 2**48 - 1)
REDIS_ROWS_RULE = hashes.KeyRule(hashes.KEY_BYTES, hashes.MURMUR2, 0)
COUPON_RULE = hashes.KeyRule(hashes.KEY_BYTES, hashes.COUPON, 9001)


def options_of(rule):
    """The options of build_file for files of a key rule."""
    return {"key_type": rule.key_type, "hash_id": rule.hash, "seed": rule.seed}


# The options of build_file for files of other keys than bytes under the default hash.
INTS = {"key_type": hashes.KEY_INT, "hash_id": hashes.MIX64}
MMH3 = {"hash_id": hashes.MMH3, "seed": MMH3_RULE.seed}
KEYED = {"hash_id": hashes.SIPHASH, "seed": 0, "secret_check": hashes.secret_check(SECRET)}


def words(count):
    return [b"key %d" % i for i in range(count)]


def bloom(keys, blocks=2, rule=BYTES_RULE, **label):
    return Entry("bloom", 1, dict(RATES), bloom_payload(rule, blocks, keys), len(keys), **label)


def classic(keys, bits=75, count=3, position_rule=2, rule=BYTES_RULE, **label):
    payload = classic_payload(rule, position_rule, bits, count, keys)
    return Entry("classic", position_rule, {**RATES, "bits": bits, "hashes": count}, payload,
                 len(keys), **label)


def hll(keys, precision=4, rule=BYTES_RULE, **label):
    payload = hll_payload(add_to_registers(rule, precision, keys))
    position_rule = {hashes.COUPON: hashes.RULE_COUPON, hashes.POSTGRESQL: hashes.RULE_POSTGRESQL,
                     hashes.POSTGRESQL_INT4: hashes.RULE_POSTGRESQL}.get(rule.hash, hashes.REGISTER)
    return Entry("hll", position_rule, {"precision": precision}, payload, len(keys), **label)


def _entry(sketch, keys, label):
    """The entry of an empty sketch after the keys, each a key or a key with its weight."""
    for key in keys:
        sketch.add(*key) if isinstance(key, tuple) else sketch.add(key)
    kind = next(name for name, made in SKETCHES.items() if isinstance(sketch, made))
    rule = {"counting": 1, "scalable": 9, "count-min": 6, "top": 8, "fm": 7, "theta": 10,
            "fuse": 11}[kind]
    rule = {hashes.SPARK_ROWS: hashes.RULE_SPARK_ROWS,
            hashes.MURMUR2: hashes.RULE_REDISBLOOM_ROWS}.get(sketch.rule.hash, rule)
    return Entry(kind, rule, sketch.params(), sketch.payload(), len(keys), **label)


def counting(keys, blocks=1, rule=BYTES_RULE, **label):
    return _entry(Counting(rule, dict(RATES), [0] * (256 * blocks)), keys, label)


def scalable(keys, expected_keys=4, rate=0.001, ratio=0.5, rule=BYTES_RULE, **label):
    shape = {"expected_keys": expected_keys, "target_rate": rate, "promised_rate": rate,
             "ratio": ratio, "chains": 1}
    return _entry(Scalable(rule, shape, []), keys, label)


def count_min(keys, width=5, depth=3, counter_bits=32, conservative=0, rule=BYTES_RULE, **label):
    shape = {"width": width, "depth": depth, "counter_bits": counter_bits,
             "conservative": conservative, "total": 0}
    return _entry(CountMin(rule, shape, [0] * (width * depth)), keys, label)


def top(keys, capacity=3, rule=BYTES_RULE, **label):
    return _entry(Top(rule, capacity), keys, label)


def fm(keys, width=4, depth=3, rule=BYTES_RULE, **label):
    return _entry(Fm(rule, {"width": width, "depth": depth}, [0] * (width * depth)), keys, label)


def theta(keys, precision=4, rule=BYTES_RULE, **label):
    return _entry(Theta(rule, precision), keys, label)


def fuse(keys, bits=8, rule=BYTES_RULE, **label):
    shape = {"expected_keys": 0, "target_rate": 2.0**-bits, "promised_rate": 2.0**-bits, "bits": bits}
    return _entry(Fuse(rule, shape), keys, label)
