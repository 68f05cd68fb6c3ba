"""Other packages beside ours: rbloom and datasketches, each used as its documentation has it."""
import collections

import datasketches
import inkling
import numpy
from python_columns import RATE, Columns, Variant, bloom, ns_each, ours, take_turns
from rbloom import Bloom

FASTER_THAN_RBLOOM, FASTER_THAN_DATASKETCHES = 5, 8
# Of rbloom's time: what is called one key at a time, and a list of a million keys.
SINGLE_SHARE = {"add": 0.5, "in": 0.6}
LIST_SHARE = 0.4


def as_it_is(keys):
    return keys


def drain(results):
    """Runs through what a map gives; faster than a loop."""
    collections.deque(results, maxlen=0)


def compare(table, keys, name, theirs, mine, faster):
    for what, their_times, my_times in (("add", theirs.adding, mine.adding),
                                        ("query", theirs.asking, mine.asking)):
        if not their_times:
            continue
        ns_each(table, f"{name}: {what}", their_times, keys)
        ns_each(table, f"inkling: {what}", my_times, keys)
        table.row(f"{name} / inkling: {what}", min(their_times) / min(my_times), unit="x", at_least=faster)


# ---- rbloom --------------------------------------------------------------------------------------


def rbloom_of(keys, columns, values):
    """update is its way to add many; to ask for many it has none, so `in` is mapped over them. `values` makes
    a list of a column, which is timed."""
    return Variant(lambda: Bloom(keys, RATE), columns, lambda sketch, added: sketch.update(values(added)),
                   lambda sketch, asked: list(map(sketch.__contains__, values(asked))))


def time_rbloom(table, keys, rounds):
    columns = Columns(keys)
    table.head("rbloom", f"3. rbloom: {keys:,} keys into a filter of that size and rate {RATE}, ns a key")
    print("  int: a NumPy array, for rbloom by tolist(). str: a list for it, a pyarrow column for inkling.")
    plain = Variant(lambda: bloom(keys), columns.str_lists, inkling.Sketch.add, inkling.Sketch.query)
    cases = {
        "rbloom, int": (rbloom_of(keys, lambda: columns.numpy, numpy.ndarray.tolist),
                        ours(keys, columns.numpy), FASTER_THAN_RBLOOM),
        "rbloom, str": (rbloom_of(keys, columns.str_lists, as_it_is),
                        ours(keys, columns.string), FASTER_THAN_RBLOOM),
        "rbloom, a list of str for both": (rbloom_of(keys, columns.str_lists, as_it_is),
                                           plain, None),
    }
    take_turns([variant for *both, _ in cases.values() for variant in both], rounds)
    for name, (theirs, mine, faster) in cases.items():
        compare(table, keys, name, theirs, mine, faster)


# ---- datasketches --------------------------------------------------------------------------------


def hll_cases(columns):
    """2^14 registers each. It takes one key a call."""
    ways = (("int", lambda: columns.numpy, columns.numpy, numpy.ndarray.tolist),
            ("str", columns.str_lists, columns.string, as_it_is))
    for name, theirs, mine, values in ways:
        yield (f"datasketches hll, {name}",
               Variant(lambda: datasketches.hll_sketch(14), theirs,
                       lambda sketch, added, values=values: drain(map(sketch.update, values(added)))),
               Variant(lambda: inkling.Sketch("hll", precision=14), lambda mine=mine: mine,
                       inkling.Sketch.add))


def count_min_case(columns):
    """Equal promises, and the rows and counters that each makes of them."""
    share, trust = 1e-4, 0.99
    kind = datasketches.count_min_sketch
    size = kind.suggest_num_hashes(trust), kind.suggest_num_buckets(share)
    theirs = Variant(lambda: kind(*size), lambda: columns.numpy,
                     lambda sketch, added: drain(map(sketch.update, added.tolist())),
                     lambda sketch, asked: list(map(sketch.get_estimate, asked.tolist())))
    mine = Variant(lambda: inkling.Sketch("count-min", eps=share, delta=1 - trust), lambda: columns.numpy,
                   inkling.Sketch.add, inkling.Sketch.count)
    return "datasketches count_min, int", theirs, mine


def time_datasketches(table, keys, rounds):
    columns = Columns(keys)
    table.head("datasketches", f"4. datasketches (which has no Bloom filter): {keys:,} keys, ns a key")
    print("  int: a NumPy array, for it by tolist(). str: a list for it, a pyarrow column for inkling.")
    cases = [*hll_cases(columns), count_min_case(columns)]
    take_turns([variant for _, *both in cases for variant in both], rounds)
    for name, theirs, mine in cases:
        compare(table, keys, name, theirs, mine, FASTER_THAN_DATASKETCHES)


# ---- One key at a time ---------------------------------------------------------------------------


def add_each(sketch, keys):
    for key in keys:
        sketch.add(key)


def ask_each(sketch, keys):
    found = 0
    for key in keys:
        found += key in sketch
    return found


def share(table, keys, what, theirs, mine, at_most):
    ns_each(table, f"rbloom, {what}", theirs, keys)
    ns_each(table, f"inkling, {what}", mine, keys)
    table.row(f"inkling / rbloom, {what}", min(mine) / min(theirs), unit="x", at_most=at_most)


def time_loops(table, keys, rounds):
    columns = Columns(keys)
    table.head("loops", f"5. One key at a time: a loop over {keys:,} keys, and lists of them, ns a key")
    makers = (lambda: Bloom(keys, RATE)), (lambda: bloom(keys))
    types = {"int": columns.int_lists, "str": columns.str_lists, "bytes": columns.bytes_lists}
    loops = {name: [Variant(make, lists, add_each, ask_each) for make in makers] for name, lists in types.items()}
    whole = {name: [Variant(make, lists, add) for make, add in zip(makers, (Bloom.update, inkling.Sketch.add))]
             for name, lists in types.items()}
    take_turns([variant for cases in (loops, whole) for both in cases.values() for variant in both], rounds)
    for name, (theirs, mine) in loops.items():
        share(table, keys, f"{name}: add", theirs.adding, mine.adding, SINGLE_SHARE["add"])
        share(table, keys, f"{name}: in", theirs.asking, mine.asking, SINGLE_SHARE["in"])
    for name, (theirs, mine) in whole.items():
        share(table, keys, f"a list of {name}: add", theirs.adding, mine.adding, LIST_SHARE)
