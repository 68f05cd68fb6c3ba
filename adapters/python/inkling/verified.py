"""A verification in pieces: what many processes, or machines, count of one, each for a range of keys.

Maps of a job cut into ranges (``inkling.pieces``) give pieces, by bucket. The process with all pieces of a bucket
counts what the filters of a file answer for its keys. The counts add up to what ``inkling.verify`` reports.

>>> import inkling
>>> from inkling.verified import add_up, count_bucket, job_for
>>> words = inkling.build(b"ant\\nbee\\ncow\\n", "bloom")
>>> file = inkling.Sketches.from_bytes(words.to_bytes())
>>> job = job_for(file, buckets=2)
>>> pieces = list(job.map(b"ant\\nbee\\ncow\\n"))
>>> buckets = [[piece for bucket, piece in pieces if bucket == number] for number in (0, 1)]
>>> parts = [count_bucket(file, job, number, buckets[number], tests=1000) for number in (0, 1)]
>>> found = add_up(file, 2, parts)
>>> found.ok, found.summary.members, found.summary.denied
(True, 3, 0)
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import byref, c_size_t, c_uint32, c_void_p
from typing import Any

from ._errors import NotFoundError, UnsupportedError
from ._files import OwnBytes
from ._jobs import _verification
from ._library import InkInput, InkJob, InkReading, InkVerifyOptions, call, lib, whole
from ._plan import kind_info
from ._inputs import Inputs, split
from ._reading import Reading, options_of
from ._reports import Verification
from ._sketches import Sketches
from .pieces import Job, _Made, _View

__all__ = ["add_up", "as_built", "count_bucket", "job_for"]


def as_built(sketches: Sketches, paths: Iterable[Any], **options: Any) -> dict[str, Any]:
    """How files are read by ``inkling.verify``, as options of ``job_for``: as those of the sketches were, where
    `options` and the suffixes of the files do not say otherwise."""
    spec, stored = c_void_p(), InkReading()
    reads: Any
    reads, _ = split(options)  # type: ignore[arg-type]
    given = Reading(**reads)
    inputs = Inputs(list(paths), given)
    call(lib.ink_input_spec_read, byref(spec), sketches._opened, byref(stored), path=sketches.path)
    if not spec.value:
        return options
    try:
        call(
            lib.ink_reading_complete,
            byref(given.struct),
            byref(stored),
            True,
            inputs.array,
            inputs.count,
        )
        return {**options, **options_of(given.struct)}
    finally:
        lib.ink_input_spec_free(spec)


def job_for(sketches: Sketches, *, buckets: int, by: Any = None, **reading: Any) -> Job:
    """The job whose maps give the pieces to verify sketches by, with the rule that their keys go by.

    `by` and the other options say how the data is read, as in ``inkling.build``. NotFoundError if there are
    no sketches."""
    for key in sketches:
        info = sketches[key].info
        rule = {"hash": info.hash, "seed": info.seed, "secret": sketches._secret}
        options: Any = {"key_type": info.key_type, **reading, **rule}
        # Any kind has the same keys: bloom for one that cannot be built in ranges, or in parts.
        try:
            job = Job("bloom" if kind_info(info.kind).made_whole else info.kind, by=by, **options)
        except UnsupportedError:
            job = Job("bloom", by=by, **options)
        return job.with_pieces(buckets=buckets, ranged=True)
    raise NotFoundError("no sketches, expected some to verify", path=sketches.path)


def count_bucket(
    sketches: Sketches, job: Job, bucket: int, pieces: Iterable[Any], *, tests: float | None = None
) -> bytes:
    """What the filters answer for the keys of a bucket, of which these are all pieces, as bytes for
    ``add_up``.

    `job` is that of ``job_for``, and `tests` as in ``inkling.verify``, for this bucket. UnsupportedError for
    sketches that are no filters."""
    views = [_View(piece) for piece in pieces]
    inputs = (InkInput * len(views))()
    for given, view in zip(inputs, views):
        given.memory, given.memory_bytes = view.address, view.count
    how = InkVerifyOptions(tests_max=0 if tests is None else whole("tests", tests), secret=sketches._secret)
    made, found = _Made(job), c_void_p()
    try:
        call(
            lib.ink_verify_pieces,
            byref(found),
            sketches._opened,
            inputs,
            len(views),
            byref(made.making.reading.struct),
            byref(made.struct),
            bucket,
            byref(how),
            byref(made.run.job),
            path=sketches.path,
        )
        address, count = c_void_p(), c_size_t()
        call(lib.ink_verification_encode, found, byref(address), byref(count))
    finally:
        lib.ink_verification_free(found)
    encoded = OwnBytes(address.value or 0, count.value)
    return ctypes.string_at(encoded.address, encoded.count)


def add_up(
    sketches: Sketches, buckets: int, parts: Iterable[Any], *, bad: int = 0, nulls: int = 0
) -> Verification:
    """The verification of which these are the parts, one for each bucket, in any order; `bad` and `nulls` are
    what the maps counted. NotFoundError if one is missing, UsageError if one comes twice."""
    found, lacking = c_void_p(), c_uint32()
    call(lib.ink_verification_create, byref(found), sketches._opened, buckets, sketches._secret, None)
    try:
        for part in parts:
            view = _View(part)
            call(lib.ink_verification_add, found, view.address, view.count)
        if lib.ink_verification_lacks(found, byref(lacking)):
            raise NotFoundError(f"nothing for bucket {lacking.value}, expected a part for each of {buckets}")
        records = lib.ink_verification_records(found)
        return _verification(found, InkJob(records=records, bad=bad, nulls=nulls))
    finally:
        lib.ink_verification_free(found)
