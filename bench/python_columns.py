"""What the benchmarks of the Python package share: columns of keys, and turns of what is timed."""
import gc
import time

import inkling
import numpy
import polars
import pyarrow

RATE = 0.01


class Columns:
    """The same keys in the forms that people have them in. Of those asked for every other one was added."""

    def __init__(self, count):
        random = numpy.random.default_rng(1)
        added = random.integers(-(2**63), 2**63 - 1, count, dtype=numpy.int64)
        asked = random.integers(-(2**63), 2**63 - 1, count, dtype=numpy.int64)
        asked[::2] = added[::2]
        self.numpy = added, asked
        self.arrow = tuple(pyarrow.array(column) for column in self.numpy)
        # About as long as a word or a user's number.
        self.string = tuple(pyarrow.array(numpy.abs(column // 10_000_000)).cast(pyarrow.string())
                            for column in self.numpy)

    def large_string(self):
        return tuple(column.cast(pyarrow.large_string()) for column in self.string)

    def polars(self):
        return tuple(polars.Series(column) for column in self.string)

    def int_lists(self):
        return tuple(column.tolist() for column in self.numpy)

    def bytes_lists(self):
        return tuple([key.encode() for key in column] for column in self.str_lists())

    def str_lists(self):
        return tuple(polars.Series(column).to_list() for column in self.string)


def bloom(keys):
    return inkling.Sketch("bloom", n=keys, p=RATE)


class Variant:
    """Something to fill and to ask. The sketch is made anew for each round, and so are the two columns where
    `keys` makes them: a str knows its hash once it was computed. Neither is timed."""

    def __init__(self, make, keys, add, ask=None):
        self.make, self.keys, self.add, self.ask = make, keys, add, ask
        self.adding, self.asking = [], []

    def run(self):
        sketch, (added, asked) = self.make(), self.keys()
        start = time.perf_counter()
        self.add(sketch, added)
        self.adding.append(time.perf_counter() - start)
        if self.ask is not None:
            start = time.perf_counter()
            answers = self.ask(sketch, asked)
            self.asking.append(time.perf_counter() - start)
            del answers


def ours(keys, columns):
    """A bloom as a user fills and asks it."""
    return Variant(lambda: bloom(keys), lambda: columns, inkling.Sketch.add, inkling.Sketch.query)


def take_turns(variants, rounds):
    for _ in range(rounds):
        for variant in variants:
            gc.collect()
            gc.disable()
            variant.run()
            gc.enable()


def ns_each(table, what, times, keys):
    table.row(what, min(times) / keys * 1e9, max(times) / keys * 1e9, unit="ns")
