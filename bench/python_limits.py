"""Columns beside their limit: the C library's call for many keys, on the memory that the column stands in.

The limit has its offsets as C wants them beforehand, and both write their answers to new memory.
"""
import ctypes

import numpy
from inkling._library import InkBatch, call, lib
from python_columns import RATE, Columns, Variant, ns_each, ours, take_turns

import inkling

INTS_AT_MOST, STRINGS_AT_MOST = 1.1, 1.15


def int_batch(column):
    return InkBatch(count=len(column), ints=column.buffers()[1].address), column


def string_batch(column):
    offsets = numpy.frombuffer(column.buffers()[1], dtype=numpy.int32)[: len(column) + 1].astype(numpy.uint64)
    batch = InkBatch(count=len(column), bytes=column.buffers()[2].address, offsets=offsets.ctypes.data)
    return batch, (column, offsets)


def limit(keys, key_type, batches):
    """The two batches, each with what it points to, straight to C."""

    def make():
        return inkling.Sketch("bloom", n=keys, p=RATE, key_type=key_type)

    def add(sketch, batch):
        call(lib.ink_sketch_add_batch, sketch._handle, ctypes.byref(batch[0]))

    def ask(sketch, batch):
        answers = numpy.empty(batch[0].count, dtype=numpy.bool_)
        call(lib.ink_sketch_contains_batch, sketch._handle, ctypes.byref(batch[0]), answers.ctypes.data)
        return answers

    return Variant(make, lambda: batches, add, ask)


def check(keys, variants):
    """All variants fill equal sketches, and answer alike."""
    digests, answers = set(), []
    for variant in variants:
        sketch, (added, asked) = variant.make(), variant.keys()
        variant.add(sketch, added)
        answers.append(numpy.asarray(variant.ask(sketch, asked)))
        digests.add(sketch.digest)
    assert len(digests) == 1
    assert all((one == answers[0]).all() for one in answers) and answers[0].sum() >= keys // 2


def show(table, keys, best, forms, at_most):
    ns_each(table, "limit: C, add", best.adding, keys)
    ns_each(table, "limit: C, query", best.asking, keys)
    for name, variant in forms.items():
        for what, times, limits in (("add", variant.adding, best.adding),
                                    ("query", variant.asking, best.asking)):
            ns_each(table, f"{name}: {what}", times, keys)
            table.row(f"{name}: {what} / limit", min(times) / min(limits), unit="x", at_most=at_most)


def time_columns(table, keys, rounds):
    columns = Columns(keys)
    table.head("ints", f"1. A column of {keys:,} 64-bit integers into a bloom of that size, ns a key")
    best = limit(keys, "int", [*map(int_batch, columns.arrow)])
    forms = {"NumPy int64": ours(keys, columns.numpy), "pyarrow int64": ours(keys, columns.arrow)}
    check(keys, [best, *forms.values()])
    take_turns([best, *forms.values()], rounds)
    show(table, keys, best, forms, INTS_AT_MOST)

    table.head("strings", f"2. A column of {keys:,} short strings, ns a key")
    best = limit(keys, "bytes", [*map(string_batch, columns.string)])
    forms = {"pyarrow string": ours(keys, columns.string),
             "pyarrow large_string": ours(keys, columns.large_string()),
             "polars String": ours(keys, columns.polars())}
    check(keys, [best, *forms.values()])
    take_turns([best, *forms.values()], rounds)
    show(table, keys, best, forms, STRINGS_AT_MOST)
