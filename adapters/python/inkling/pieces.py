"""A build in pieces: what many processes, or machines, do of one build, each on its own.

Maps read parts of the data and give pieces, bytes that can be sent anywhere; reducers take the pieces of a
bucket, of all maps, and give finished ones; an assembly makes one file of those, with the digest that
``inkling.build`` gives. The transport of pieces, as in ``inkling.spark``, need not know what is in them. A
``Plan`` says into how many buckets to cut, and whether ``Sizes`` must be known before.

>>> import inkling
>>> from inkling.pieces import Assembly, Job
>>> job = Job("bloom", p=0.001)
>>> pieces = [piece for part in (b"ant\\nbee\\n", b"bee\\ncow\\n") for piece in job.map(part)]
>>> with job.reducer() as reducer, Assembly() as assembly:
...     for bucket, piece in pieces:
...         reducer.add(piece)
...     for bucket, piece in reducer.finish():
...         assembly.add(piece)
...     words = assembly.open(job)
>>> words.digest == inkling.build(b"ant\\nbee\\nbee\\ncow\\n", "bloom", p=0.001).digest
True
"""

from __future__ import annotations

import ctypes
import errno
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import byref, c_size_t, c_uint64, c_void_p, pointer
from dataclasses import dataclass
from queue import SimpleQueue
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, overload

from ._abi import buffer_address, capsule_pointer
from ._build import Kind, Making, build, kind_names
from ._errors import spoken_path
from ._files import OwnBytes
from ._labels import make_label
from ._library import (
    KEY_INT,
    OK,
    InkError,
    InkPieceSink,
    InkPiecesOptions,
    InkPiecesPlan,
    ProgressFunction,
    TakeFunction,
    c_enum,
    call,
    check,
    lib,
    path_bytes,
    secret_bytes,
    whole,
)
from ._inputs import Data, Inputs, Run, RunOptions, Split
from ._reading import flag
from ._reports import BuildReport
from ._sketches import Sketches, SketchesType, open_unnamed
from .options import Column, Path, RecordOptions, ResourceOptions, SketchOptions, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Assembly", "Job", "JobOptions", "Pieces", "Plan", "Reducer", "Sizes", "Split"]

#: The pieces that wait to be taken before the job that gives them waits.
_WAITING = 4

_UNKNOWN_BYTES = (1 << 64) - 1


class JobOptions(RecordOptions, ResourceOptions, SketchOptions, total=False):
    """The options of ``inkling.build``, but for progress: how records are read, what a part of the job may
    take of its machine, and sizes of sketches."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a build is best done in pieces."""

    count: bool
    """How many records each group has is to be known first: maps count them."""
    measure: bool
    """How many different keys there are is to be known before sketches are made: reducers measure it."""
    ranged: bool
    """A bucket has a part of every group, or of those that may be large; otherwise all of some groups."""
    buckets: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """How a job is cut into pieces."""

    buckets: int = 1
    ranged: bool = False
    piece_bytes: int = 0
    slice_bytes: int = 0
    counts: bytes | None = None
    sizes: bytes | None = None


# ---- Objects of C ---------------------------------------------------------------------------------


class _Held:
    """Something of C, closed with its last reference."""

    def __init__(self, what: str, close: Callable[[int], None], kept: object = None) -> None:
        self._what = what
        self._close = close
        self._kept = kept  # what it points to
        self._handle: int | None = None

    def open(self, function: Callable[..., int], *arguments: Any, path: str | None = None) -> None:
        handle = c_void_p()
        call(function, byref(handle), *arguments, path=path)
        self._handle = handle.value

    @property
    def handle(self) -> int:
        """What C knows it by, as long as it is open."""
        if self._handle is None:
            raise ValueError(f"the {self._what} is closed")
        return self._handle

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            self._close(handle)

    def __del__(self) -> None:
        self.close()


class _View:
    """The bytes of a piece where they stand, or a copy if they are not aligned."""

    def __init__(self, piece: bytes | bytearray | memoryview | Any) -> None:
        view = memoryview(piece)
        address = buffer_address(view) if view.contiguous else None
        self._kept: object = view
        if address is None or address % 8:
            self._kept = copied = view.tobytes()
            address = buffer_address(copied)
        self.address = address
        self.count = view.nbytes


# ---- Pieces ---------------------------------------------------------------------------------------


class _Work:
    """What a job in a thread of its own shares with the takers of its pieces."""

    def __init__(self) -> None:
        self.closed = False
        self.status = OK
        self.failure: BaseException | None = None
        self._room = threading.Semaphore(_WAITING)
        self._given: SimpleQueue[tuple[int, bytes] | None] = SimpleQueue()

    def run(self, job: Callable[[InkPieceSink, Any], int]) -> None:
        """Does the job, which gives pieces to a sink, and asks now and then whether it should go on."""
        sink = InkPieceSink(take=TakeFunction(self._take))
        goes_on = ProgressFunction(lambda _host, _progress: not self.closed)
        try:
            self.status = job(sink, goes_on)
        except BaseException as failure:
            self.failure = failure
        finally:
            self._given.put(None)

    def _take(self, _host: object, bucket: int, address: int, count: int) -> int:
        try:
            self._room.acquire()
            if self.closed:
                return errno.ECANCELED
            self._given.put((bucket, ctypes.string_at(address, count)))
        except BaseException as failure:  # nothing may leave a callback
            self.failure = failure
            return errno.ENOMEM
        return 0

    def next(self) -> tuple[int, bytes] | None:
        """The next piece, when it is there; None after the last one."""
        piece = self._given.get()
        self._room.release()
        return piece

    def close(self) -> None:
        """No more pieces are taken: the job ends soon."""
        self.closed = True
        self._room.release()  # if it waits for room


class Pieces(Iterator[tuple[int, bytes]]):
    """The pieces of a job, each with the number of its bucket, while the job runs.

    It runs in a thread of its own, never more than a few pieces ahead. ``close`` ends it before its time.
    """

    report: BuildReport | None = None
    """What a map has read, once all its pieces were taken."""

    def __init__(
        self,
        job: Callable[[InkPieceSink, Any], int],
        end: Callable[[int], BuildReport | None],
    ) -> None:
        self._end: Callable[[int], BuildReport | None] | None = end
        self._work = _Work()
        self._thread = threading.Thread(
            target=self._work.run, args=(job,), name="inkling-pieces", daemon=True
        )
        self._thread.start()

    def __next__(self) -> tuple[int, bytes]:
        if self._end is None:
            raise StopIteration
        try:
            piece = self._work.next()
        except BaseException:  # an interrupt
            self.close()
            raise
        if piece is not None:
            return piece
        end, self._end = self._end, None
        self._thread.join()
        failure, self._work.failure = self._work.failure, None
        if failure is not None:
            raise failure
        self.report = end(self._work.status)
        raise StopIteration

    def close(self) -> None:
        """Ends the job, if it has not ended, and waits for that."""
        self._end = None
        self._work.close()
        self._thread.join()

    def __enter__(self) -> Pieces:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        work = getattr(self, "_work", None)
        if work is not None:  # without a wait: this may be the very thread of the job
            work.close()


# ---- The job --------------------------------------------------------------------------------------


class Job:
    """One build, of which the parts are done by many processes: what inkling.build would make of all data.

    Takes the options of ``inkling.build``, but for `progress`, and refuses what that refuses. A job can be
    pickled, with its secret, and does not change.
    """

    __slots__ = ("_by", "_cut", "_kinds", "_options")

    _kinds: list[str]
    _by: Column | None
    _options: dict[str, Any]
    _cut: _Cut

    @spelled_out(JobOptions)
    def __init__(
        self,
        kind: Kind | str | Iterable[Kind | str] = "bloom",
        *,
        by: Column | None = None,
        **options: Unpack[JobOptions],
    ) -> None:
        self._kinds = kind_names(kind)
        self._by = by
        self._options = _plain(options)
        self._cut = _Cut()
        self.reducer().close()  # which refuses what cannot be made
        _check_reading(by, self._options)

    def _with(self, **changes: Any) -> Job:
        """Another job that differs in these."""
        made = object.__new__(Job)
        for name in self.__slots__:
            setattr(made, name, changes.get(name, getattr(self, name)))
        return made

    @spelled_out(JobOptions)
    def replace(self, **options: Unpack[JobOptions]) -> Job:
        """The same job with these options in place of those it has; cut as it is. Values that cannot be are
        refused by what uses them: ``map`` and ``reducer``."""
        return self._with(_options={**self._options, **_plain(options)})

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that are made."""
        return tuple(self._kinds)

    @property
    def by(self) -> Column | None:
        """The column that names groups, or None."""
        return self._by

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that it was given, but for kinds and `by`; and `key_type`, where ``for_rows`` found
        it. Those that were not given are missing."""
        return MappingProxyType(self._options)

    @property
    def secret(self) -> bytes | None:
        """That its keys are hashed with."""
        return self._options.get("secret")

    def for_rows(self, schema: Any) -> Job:
        """The same job for rows with this schema of pyarrow: it knows what its keys are.

        Raises what a build of such rows would raise."""
        rows = schema.empty_table()
        _build_nothing(rows, self._by, _reading_options(self._options))
        making, found = Making(self._kinds, self._by, self._options), c_enum()
        capsule = rows.schema.__arrow_c_schema__()
        address = capsule_pointer(capsule, b"arrow_schema")
        call(lib.ink_arrow_key_type, address, byref(making.reading.struct), byref(found))
        key_type = "int" if found.value == KEY_INT else "bytes"
        return self._with(_options={**self._options, "key_type": key_type})

    def plan(self, input_bytes: int | None, tasks: int, *, slice_bytes: int | None = None) -> Plan:
        """How to do it for about `input_bytes` bytes of data (None: unknown) with `tasks` tasks at a time."""
        making, plan = Making(self._kinds, self._by, self._options), InkPiecesPlan()
        call(
            lib.ink_pieces_plan_for,
            byref(making.reading.struct),
            byref(making.struct),
            _UNKNOWN_BYTES if input_bytes is None else whole("input_bytes", input_bytes),
            whole("tasks", tasks, bits=32, least=1),
            0 if slice_bytes is None else whole("slice_bytes", slice_bytes),
            byref(plan),
        )
        return Plan(count=plan.count, measure=plan.measure, ranged=plan.ranged, buckets=plan.buckets)

    def with_pieces(
        self,
        *,
        buckets: int = 1,
        ranged: bool = False,
        piece_bytes: int | None = None,
        slice_bytes: int | None = None,
        counts: bytes | None = None,
        sizes: bytes | None = None,
    ) -> Job:
        """The same job, cut into pieces as a plan says.

        `counts` and `sizes` are what ``Sizes.to_bytes`` gave of what maps counted, and reducers measured.
        """
        cut = _Cut(
            buckets=whole("buckets", buckets, bits=32, least=1),
            ranged=flag("ranged", ranged),
            piece_bytes=0 if piece_bytes is None else whole("piece_bytes", piece_bytes, least=1),
            slice_bytes=0 if slice_bytes is None else whole("slice_bytes", slice_bytes, least=1),
            counts=None if counts is None else bytes(counts),
            sizes=None if sizes is None else bytes(sizes),
        )
        made = self._with(_cut=cut)
        made.reducer().close()
        return made

    def map(self, data: Data, *, count: bool = False) -> Pieces:
        """Reads a part of the data, and gives pieces; with `count` those that only count records, for Sizes.

        Data are Splits, or what ``inkling.build`` takes. What goes wrong in a reader of pyarrow comes out as
        it is.
        """
        made = _Made(self)
        reading, run = made.making.reading, made.run
        source = _Source(data)
        inputs = Inputs(source.data, reading)
        function = lib.ink_map_count if count else lib.ink_map

        def job(sink: InkPieceSink, goes_on: Any) -> int:
            run.job.progress = goes_on
            arguments = inputs.array, inputs.count, byref(reading.struct), byref(made.struct)
            status: int = function(*arguments, byref(sink), byref(run.job), byref(run.error))
            return status

        def end(status: int) -> BuildReport:
            if status != OK and source.error is not None:
                raise source.error
            run.check(status, inputs)
            return BuildReport(records=run.job.records, bad=run.job.bad, nulls=run.job.nulls)

        return Pieces(job, end)

    def reducer(self) -> Reducer:
        """One that takes the pieces of a bucket."""
        return Reducer(self)


def _plain(options: Any) -> dict[str, Any]:
    """Options as they can be pickled, and read again and again."""
    plain = dict(options)
    key = plain.get("key")
    if isinstance(key, Iterable) and not isinstance(key, (str, bytes, bytearray)):
        plain["key"] = list(key)
    if plain.get("secret") is not None:
        plain["secret"] = secret_bytes(plain["secret"])
    if plain.get("temp") is not None:
        plain["temp"] = os.fsdecode(plain["temp"])
    return plain


def _reading_options(options: dict[str, Any]) -> Any:
    return {name: value for name, value in options.items() if name in RecordOptions.__annotations__}


def _check_reading(by: Column | None, options: dict[str, Any]) -> None:
    """Refuses ways to read that no data has. Where no option says what form data has, it may be one with
    columns by any name."""
    reads = _reading_options(options)
    if reads.get("format") is None:
        any_columns = {"format": "lines"} if reads.get("fields") else {"format": "csv", "header": True}
        reads = {**reads, **any_columns}
    _build_nothing(b"", by, reads)


def _build_nothing(data: Any, by: Column | None, reads: Any) -> None:
    """Reads data without a record, for the smallest sketch that takes anything, weights too."""
    build(data, "count-min", by=by, width=1, depth=1, threads=1, progress=False, **reads)


class _Made:
    """A job as C takes it; keeps alive what the structs point to."""

    def __init__(self, job: Job) -> None:
        cut = job._cut
        self.making = Making(job._kinds, job._by, job._options)
        running: RunOptions = {**self.making.running, "progress": False}
        self.run = Run(**running)
        self.counts, self.sizes = Sizes(), Sizes()
        self.struct = InkPiecesOptions(
            build=pointer(self.making.struct),
            buckets=cut.buckets,
            ranged=cut.ranged,
            piece_bytes=cut.piece_bytes,
            slice_bytes=cut.slice_bytes,
        )
        if cut.counts is not None:
            self.counts.add(cut.counts)
            self.struct.counts = self.counts._held.handle
        if cut.sizes is not None:
            self.sizes.add(cut.sizes)
            self.struct.sizes = self.sizes._held.handle


class _Source:
    """Data, and of a reader of pyarrow its exception, which it would only print otherwise."""

    def __init__(self, data: Any) -> None:
        self.error: BaseException | None = None
        reads = hasattr(data, "read_next_batch") and hasattr(type(data), "from_batches")
        self.data = type(data).from_batches(data.schema, self._batches(data)) if reads else data

    def _batches(self, reader: Any) -> Iterator[Any]:
        try:
            yield from reader
        except Exception as error:
            self.error = error
            raise


# ---- Reducers, sizes, assemblies ------------------------------------------------------------------


class Reducer:
    """Takes the pieces of a bucket, in any order, each once, and gives finished ones; a context manager."""

    def __init__(self, job: Job) -> None:
        made = _Made(job)
        self._pieces: Pieces | None = None
        self._held = _Held("reducer", lib.ink_reducer_free, made)
        reading = byref(made.making.reading.struct)
        self._held.open(lib.ink_reducer_create, reading, byref(made.struct), byref(made.run.job))

    def add(self, piece: Any) -> None:
        """Takes a piece: bytes, or anything that has some."""
        self._check()
        view = _View(piece)
        call(lib.ink_reducer_add, self._held.handle, view.address, view.count)

    def finish(self) -> Pieces:
        """Finished sketches, as pieces for an Assembly."""
        return self._give(lib.ink_reducer_finish)

    def measure(self) -> Pieces:
        """How many keys there are, as pieces for Sizes."""
        return self._give(lib.ink_reducer_measure)

    def relay(self) -> Pieces:
        """What was added, merged as far as it can be, as pieces for another Reducer."""
        return self._give(lib.ink_reducer_relay)

    def _check(self) -> None:
        if self._pieces is not None:
            raise ValueError("the reducer has given its pieces, expected another one")

    def _give(self, function: Callable[..., int]) -> Pieces:
        self._check()
        held, handle, error = self._held, self._held.handle, InkError()

        def job(sink: InkPieceSink, _goes_on: Any, _kept: object = held) -> int:
            return function(handle, byref(sink), byref(error))

        def end(status: int) -> None:
            check(status, error)

        self._pieces = Pieces(job, end)
        return self._pieces

    def close(self) -> None:
        """Lets go of all that was added."""
        if self._pieces is not None:
            self._pieces.close()
        self._held.close()

    def __enter__(self) -> Reducer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Sizes:
    """How many keys each group has, of the pieces that were measured, so that sketches can be as large."""

    def __init__(self) -> None:
        self._held = _Held("sizes", lib.ink_sizes_free)
        self._held.open(lib.ink_sizes_create, None)

    def add(self, piece: Any) -> None:
        """Takes a piece of ``Reducer.measure`` or ``Job.map(..., count=True)``, or the bytes of others."""
        view = _View(piece)
        call(lib.ink_sizes_add, self._held.handle, view.address, view.count)

    def to_bytes(self) -> bytes:
        """What was added, for ``Job.with_pieces``."""
        address, count = c_void_p(), c_size_t()
        call(lib.ink_sizes_encode, self._held.handle, byref(address), byref(count))
        held = OwnBytes(address.value or 0, count.value)
        return ctypes.string_at(held.address, held.count)

    def keys(self, group: object) -> int:
        """How many keys the sketches of a group are planned for; NotFoundError if there is no such group."""
        label, keys = make_label(group), c_uint64()
        call(lib.ink_sizes_keys, self._held.handle, byref(label), byref(keys))
        return keys.value


class Assembly:
    """Puts finished pieces together as one file. They wait in a temporary file in `folder`, not in memory; a
    context manager. Filters above their promise are refused, as by ``inkling.build``, unless it is a `part`
    of a larger set, as a batch of a stream is."""

    def __init__(self, folder: Path | None = None, *, part: bool = False) -> None:
        self._folder = None if folder is None else os.fsdecode(folder)
        self._held = _Held("assembly", lib.ink_assembly_close)
        encoded = None if folder is None else path_bytes(folder)
        self._held.open(lib.ink_assembly_open, encoded, None, path=self._folder)
        if flag("part", part):
            lib.ink_assembly_of_part(self._held.handle)

    def add(self, piece: Any) -> None:
        """Takes a piece of ``Reducer.finish``."""
        view = _View(piece)
        call(lib.ink_assembly_add, self._held.handle, view.address, view.count)

    def save(self, path: Path, job: Job | None = None, inputs: Iterable[Path | Split] = ()) -> None:
        """Writes all sketches as a file, whole or not at all; with the input spec of a job if it read such
        `inputs`, and without one if there are none. Nothing can be added then; it can be saved again."""
        encoded, shown_path = path_bytes(path), spoken_path(os.fsdecode(path))
        given = list(inputs)
        making = None if job is None or not given else Making(job._kinds, job._by, job._options)
        named = None if making is None else Inputs(given, making.reading)
        call(
            lib.ink_assembly_save,
            self._held.handle,
            encoded,
            None if making is None else byref(making.reading.struct),
            None if named is None else named.array,
            0 if named is None else named.count,
            path=shown_path,
        )

    @overload
    def open(
        self,
        job: Job | None = None,
        inputs: Iterable[Path | Split] = (),
        *,
        built: BuildReport | None = None,
    ) -> Sketches: ...
    @overload
    def open(
        self,
        job: Job | None = None,
        inputs: Iterable[Path | Split] = (),
        *,
        built: BuildReport | None = None,
        result: type[SketchesType],
    ) -> SketchesType: ...
    def open(
        self,
        job: Job | None = None,
        inputs: Iterable[Path | Split] = (),
        *,
        built: BuildReport | None = None,
        result: type[Sketches] = Sketches,
    ) -> Sketches:
        """The sketches, of a file without a name, which is deleted with their last reference: mapped, not
        read, and saved by a copy of its bytes.

        `job` and `inputs` as in ``save``; the sketches have the job's secret. `built` becomes their report,
        and `result` is their class, one that is derived from Sketches."""
        with tempfile.TemporaryDirectory(prefix="inkling-", dir=self._folder) as folder:
            path = os.path.join(folder, "sketches.ink")
            self.save(path, job, inputs)
            secret = None if job is None else job.secret
            return open_unnamed(path, secret=secret, built=built, result=result)

    def close(self) -> None:
        """Lets go of all that was added, and of the temporary file."""
        self._held.close()

    def __enter__(self) -> Assembly:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
