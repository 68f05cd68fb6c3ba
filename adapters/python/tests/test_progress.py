"""Jobs while they run: progress functions, bars, and stopping, by them and by Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import inkling
from inkling import Progress, _progress
from inkling._progress import Watch


@contextlib.contextmanager
def endless(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """A pipe that gives lines as long as they are read."""
    path = folder / "endless"
    os.mkfifo(path)

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), open(path, "wb", buffering=0) as pipe:
            number = 0
            while True:
                pipe.write(b"".join(b"%d\n" % i for i in range(number, number + 10_000)))
                number += 10_000

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield path
    writer.join()


def build(path: pathlib.Path, **options: Any) -> Any:
    return inkling.build(path, "bloom", n=1000, **options)


# ---- Functions --------------------------------------------------------------------------------------


def test_a_progress_function_gets_how_far_a_job_is(tmp_path: pathlib.Path) -> None:
    seen: list[Progress] = []
    inkling.generate("u64", tmp_path / "u64.txt", n=200_000, progress=seen.append)
    assert seen
    assert all(p.phase == "filling" and p.total == 200_000 and p.done == p.records for p in seen)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert seen[-1].share is not None and 0 < seen[-1].share <= 1


def test_the_total_of_a_pipe_is_unknown(tmp_path: pathlib.Path) -> None:
    seen: list[Progress] = []

    def report(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) < 2

    with endless(tmp_path) as path, pytest.raises(inkling.Stopped):
        build(path, progress=report)
    assert len(seen) == 2
    assert seen[0].phase == "reading" and seen[0].total is None and seen[0].share is None
    assert 0 < seen[0].done < seen[1].done and 0 < seen[0].seconds < seen[1].seconds


def test_it_is_called_in_the_thread_that_waits(tmp_path: pathlib.Path) -> None:
    threads = set()

    def report(progress: Progress) -> None:
        threads.add(threading.get_ident())

    inkling.generate("u64", tmp_path / "u64.txt", n=200_000, progress=report)
    assert threads == {threading.get_ident()}


def test_false_stops_a_job_and_nothing_else_does(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "u64.txt"
    path.write_bytes(b"old")
    with pytest.raises(inkling.Stopped) as caught:
        inkling.generate("u64", path, n=200_000, progress=lambda progress: False)
    assert caught.value.status == "INK_STOPPED"
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["u64.txt"]
    answers = iter((None, 0, "", True))
    inkling.generate("u64", path, n=200_000, progress=lambda progress: next(answers, None))
    assert next(answers, "all") == "all"
    assert path.read_bytes().count(b"\n") == 200_000


def test_an_exception_stops_a_job_and_comes_out(tmp_path: pathlib.Path) -> None:
    class MineError(Exception):
        pass

    calls = []

    def report(progress: Progress) -> None:
        calls.append(progress)
        raise MineError("enough")

    with pytest.raises(MineError, match="enough"):
        inkling.generate("u64", tmp_path / "u64.txt", n=10_000_000, progress=report)
    assert len(calls) == 1 and os.listdir(tmp_path) == []


def test_a_job_may_run_in_a_progress_function(tmp_path: pathlib.Path) -> None:
    built = []

    def report(progress: Progress) -> None:
        built.append(inkling.build(b"a\nb\n", "hll").records)

    inkling.generate("u64", tmp_path / "u64.txt", n=200_000, progress=report)
    assert built and set(built) == {2}


# ---- Ctrl-C -----------------------------------------------------------------------------------------


def test_ctrl_c_in_a_progress_function_stops_a_job(tmp_path: pathlib.Path) -> None:
    old = tmp_path / "out.txt"
    old.write_bytes(b"old")
    calls = []

    def interrupt(progress: Progress) -> None:
        calls.append(progress)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        inkling.generate("u64", old, n=10_000_000, progress=interrupt)
    assert len(calls) == 1
    assert old.read_bytes() == b"old" and os.listdir(tmp_path) == ["out.txt"]


def test_ctrl_c_while_a_thread_waits_stops_a_job(tmp_path: pathlib.Path) -> None:
    """The signal comes while the main thread waits for a job that reports nothing."""
    stop = threading.Event()

    def interrupt() -> None:
        # The job has begun to read once its pipe is open on both sides.
        with contextlib.suppress(BrokenPipeError), open(path, "wb", buffering=0) as pipe:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            while not stop.is_set():
                pipe.write(b"word\n" * 1000)

    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        build(path, progress=False, temp=tmp_path)
    stop.set()
    thread.join()
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_job_that_is_stopped_leaves_no_temporary_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "temp").mkdir()
    seen: list[int] = []

    def report(progress: Progress) -> bool:
        seen.append(progress.records)
        return progress.records < 1_000_000  # whose hashes have no room in memory

    with endless(tmp_path) as path, pytest.raises(inkling.Stopped):
        inkling.build(path, "bloom", memory="1M", temp=tmp_path / "temp", progress=report)
    assert seen[-1] >= 1_000_000 and os.listdir(tmp_path / "temp") == []


PROGRAM = """
import inkling, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
try:
    inkling.filter(sys.argv[1], "-", output=sys.argv[2], progress=False)
except KeyboardInterrupt:
    print("interrupted", sorted(os.listdir(os.path.dirname(sys.argv[2]))), flush=True)
"""


def test_ctrl_c_from_another_process_stops_a_job(tmp_path: pathlib.Path) -> None:
    inkling.build(b"word\n", "bloom").save(tmp_path / "word.ink")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "found.txt").write_text("old")
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / "word.ink"), str(tmp_path / "out" / "found.txt")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        for _ in range(64):  # more than a pipe holds: it reads
            child.stdin.write(b"word\n" * 10_000)
        child.send_signal(signal.SIGINT)
        with contextlib.suppress(BrokenPipeError):
            while child.poll() is None:
                child.stdin.write(b"word\n" * 10_000)
        with contextlib.suppress(BrokenPipeError):
            child.stdin.close()
        assert child.stdout.read() == b"interrupted ['found.txt']\n"
    assert (tmp_path / "out" / "found.txt").read_text() == "old"


def test_two_interrupts_do_not_leave_a_job_behind(tmp_path: pathlib.Path) -> None:
    calls = []

    def interrupt(progress: Progress) -> None:
        calls.append(progress)
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        inkling.generate("u64", tmp_path / "u64.txt", n=10_000_000, progress=interrupt)
    assert len(calls) == 1 and os.listdir(tmp_path) == []


def test_a_job_that_waits_for_a_silent_pipe_can_be_left_behind(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    path = tmp_path / "silent"
    os.mkfifo(path)
    interrupts = 0
    done = threading.Event()

    def handle(number: int, frame: object) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts <= 2:
            raise KeyboardInterrupt(interrupts)

    def interrupt() -> None:
        with open(path, "wb", buffering=0):  # nothing is written
            while not done.is_set():
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
                done.wait(0.01)

    before = signal.signal(signal.SIGUSR1, handle)
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            inkling.filter(inkling.build(b"a\n"), path, output=tmp_path / "found.txt", progress=False)
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    assert caught.value.args == (1,) and os.listdir(tmp_path) == ["silent"]
    for left in threading.enumerate():  # its pipe has come to an end, and so does it
        if left.name == "inkling-job":
            left.join()
    assert os.listdir(tmp_path) == ["silent"]


def test_without_threads_a_job_runs_where_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    seen: list[Progress] = []
    inkling.generate("u64", tmp_path / "u64.txt", n=200_000, progress=seen.append)
    assert seen and (tmp_path / "u64.txt").read_bytes().count(b"\n") == 200_000
    found = io.BytesIO()
    words = inkling.build(b"ant\nbee\n", "bloom")
    assert inkling.filter(words, b"bee\ncow\n", output=found).passed == 1
    assert found.getvalue() == b"bee\n"
    with pytest.raises(ZeroDivisionError):
        inkling.generate("u64", tmp_path / "u64.txt", n=200_000, progress=lambda progress: 1 // 0)


def test_an_exception_of_the_call_itself_comes_out() -> None:
    def wrong() -> int:
        raise MemoryError("no room for arguments")

    with pytest.raises(MemoryError):
        Watch(False).run(inkling._library.InkJob(), wrong)


# ---- Bars -------------------------------------------------------------------------------------------


class FakeBar:
    """What tqdm offers of which a bar is made, and what was done with it."""

    made: list[FakeBar] = []

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.n = 0
        self.total = options["total"]
        self.leave = options["leave"]
        self.disable = False
        self.start_t = 100.0
        self.closed = False
        self.postfix = ""
        FakeBar.made.append(self)

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        self.postfix = text

    def update(self, count: int) -> None:
        self.n += count

    def refresh(self) -> None:
        assert not self.closed

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def fake_tqdm(monkeypatch: pytest.MonkeyPatch) -> list[FakeBar]:
    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = FakeBar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    monkeypatch.setattr(FakeBar, "made", [])
    return FakeBar.made


def report(watch: Watch, *progress: tuple[int, int, int, int, float]) -> None:
    """Lets a job report this much of its progress."""
    from ctypes import pointer

    from inkling._library import InkJob, InkProgress

    job = InkJob()

    def work() -> int:
        for phase, done, total, records, seconds in progress:
            assert job.progress(None, pointer(InkProgress(phase, done, total, records, seconds)))
        return 0

    assert watch.run(job, work) == 0


def has_viewer(monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: answer, raising=False)


def test_a_bar_comes_after_a_second_on_a_terminal(
    fake_tqdm: list[FakeBar], monkeypatch: pytest.MonkeyPatch
) -> None:
    has_viewer(monkeypatch, True)
    report(Watch(None), (0, 10, 100, 1, 0.2), (0, 50, 100, 5, 0.99))
    assert fake_tqdm == []
    report(Watch(None), (0, 10, 100, 1, 0.2), (0, 60, 100, 6, 1.1), (0, 61, 100, 6, 1.11), (0, 90, 100, 9, 1.3))
    (bar,) = fake_tqdm
    assert bar.options == {
        "desc": "reading", "total": 100, "unit": "B", "unit_scale": True, "leave": False
    }  # fmt: skip
    assert bar.start_t == 100.0 - 1.1  # the rate is that of all that was read so far
    assert bar.n == 100 and bar.closed and bar.postfix == "9 records"


def test_there_is_no_bar_without_a_viewer(
    fake_tqdm: list[FakeBar], monkeypatch: pytest.MonkeyPatch
) -> None:
    has_viewer(monkeypatch, False)
    report(Watch(None), (0, 60, 100, 6, 5.0))
    has_viewer(monkeypatch, True)
    report(Watch(False), (0, 60, 100, 6, 5.0))
    monkeypatch.setattr(sys, "stderr", None)
    report(Watch(None), (0, 60, 100, 6, 5.0))
    assert fake_tqdm == []


def test_there_is_a_bar_in_a_notebook(fake_tqdm: list[FakeBar], monkeypatch: pytest.MonkeyPatch) -> None:
    class ZMQInteractiveShell:
        pass

    notebook = types.ModuleType("IPython")
    notebook.get_ipython = ZMQInteractiveShell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    has_viewer(monkeypatch, False)
    report(Watch(None), (0, 60, 0, 6, 5.0))
    assert [bar.options["total"] for bar in fake_tqdm] == [None]


def test_a_bar_that_was_asked_for_comes_at_once_and_stays(fake_tqdm: list[FakeBar]) -> None:
    report(Watch(True), (0, 10, 100, 1, 0.001), (1, 5, 20, 10, 0.002), (2, 1, 9, 10, 0.003))
    assert [bar.options["desc"] for bar in fake_tqdm] == ["reading", "filling", "testing"]
    assert [bar.options["unit"] for bar in fake_tqdm] == ["B", "", ""]
    assert all(bar.closed and bar.leave for bar in fake_tqdm)
    assert [bar.n for bar in fake_tqdm] == [100, 20, 9]  # each ends full, as the job succeeded


def test_a_bar_of_nothing_does_not_stay(fake_tqdm: list[FakeBar]) -> None:
    report(Watch(True), (0, 0, 0, 0, 0.001))
    assert [(bar.closed, bar.leave) for bar in fake_tqdm] == [(True, False)]


def test_without_tqdm_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.delitem(sys.modules, "tqdm.auto", raising=False)
    has_viewer(monkeypatch, True)
    report(Watch(None), (0, 60, 100, 6, 5.0))
    with pytest.raises(ImportError, match="pip install tqdm"):
        inkling.build(b"a\n", progress=True)


def test_tqdm_is_not_loaded_before_it_is_needed() -> None:
    program = (
        "import sys, inkling; sys.stderr.isatty = lambda: True; "
        "inkling.build(b'a\\n', 'bloom'); print([name for name in sys.modules if name.startswith('tqdm')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_tqdm_itself_draws_a_bar(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    text = io.StringIO()
    monkeypatch.setattr(sys, "stderr", text)
    inkling.generate("u64", tmp_path / "u64.txt", n=300_000, progress=True)
    assert "filling" in text.getvalue() and "300k" in text.getvalue() and "records" in text.getvalue()
    last = text.getvalue().strip().rpartition("\r")[2]
    assert "100%" in last and "?" not in last and "300k/300k" in last


def test_tqdm_may_be_switched_off(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("tqdm")
    program = "import inkling; inkling.generate('u64', 'u64.txt', n=300_000, progress=True)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "TQDM_DISABLE": "1"}, cwd=tmp_path, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""


def test_a_bar_of_a_job_that_fails_is_closed(fake_tqdm: list[FakeBar], tmp_path: pathlib.Path) -> None:
    class Full(io.RawIOBase):
        def write(self, data: Any) -> int:
            if fake_tqdm:
                raise OSError(28, "no room")
            return len(data)

    with pytest.raises(OSError, match="no room"):
        inkling.generate("u64", Full(), n=10_000_000, progress=True)
    assert [bar.closed for bar in fake_tqdm] == [True]
    assert fake_tqdm[0].n < 10_000_000  # and does not look full


# ---- Shares -----------------------------------------------------------------------------------------


def test_a_share_is_never_above_one() -> None:
    assert Progress("reading", done=120, total=100, records=0, seconds=0.0).share == 1.0
    assert Progress("reading", done=120, total=None, records=0, seconds=0.0).share is None


def test_progress_takes_none_a_bool_or_a_function() -> None:
    wrong: Any
    for wrong in (1, "yes", [], object()):
        with pytest.raises(TypeError, match="progress of type"):
            Watch(wrong)
    good: tuple[bool | Callable[[Progress], object] | None, ...] = (None, False, print)
    for right in good:
        Watch(right)
    assert _progress.__doc__
