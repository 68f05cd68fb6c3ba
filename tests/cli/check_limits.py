#!/usr/bin/env python3
"""What a process may meet besides bad data: standard files that are closed or full, what is no file where one is
expected, limits of the system, input without end, signals. Each ends with one line and its
exit code, or does its work all the same; old files stay, and nothing is left behind.

Prints a TAP line for each test and exits with the number that failed.
"""
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import time

import tap
from check_arguments import INK, WORKING, Folder

LIGHT = tap.is_sanitised(INK)


def limited(*words, given=subprocess.DEVNULL, out=subprocess.PIPE, **limits):
    """Runs ink with limits such as RLIMIT_FSIZE: code, standard output and standard error."""

    def limit():
        for name, most in limits.items():
            resource.setrlimit(getattr(resource, name), (most, most))

    done = subprocess.run([INK, *words], stdin=given, stdout=out, stderr=subprocess.PIPE, preexec_fn=limit, timeout=120,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def is_one_line(said, *parts):
    assert said.startswith(b"ink: ") and said.count(b"\n") == 1 and said.endswith(b"\n"), said
    assert all(part in said for part in parts), (parts, said)


def fails(code, words, *parts, **more):
    found, _, said = limited(*words, **more)
    assert found == code, (words, found, said)
    is_one_line(said, *parts)


# ---- Standard files ------------------------------------------------------------------------------


def standard_files_may_be_closed_in_every_command():
    """If standard descriptors are closed, no file that ink opens takes their numbers, and none gets their output."""
    folder = Folder("folder")
    for command, words in WORKING.items():
        for closed in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
            def close(closed=closed):
                for descriptor in closed:
                    os.close(descriptor)

            done = subprocess.run([INK, command, *words.split()], cwd=folder.path, stdin=subprocess.DEVNULL,
                                  capture_output=True, preexec_fn=close, timeout=60, check=False)
            tried = (command, closed, done.returncode, done.stderr)
            assert done.returncode in (0, 1, 4), tried
            if done.returncode == 4 and 2 not in closed:
                assert done.stderr.endswith(b"cannot write: Bad file descriptor\n") or 0 in closed, tried
            for name, content in folder.content.items():
                if command not in ("add", "remove"):
                    assert (folder.path / name).read_bytes() == content, (tried, name)
            if (folder.path / "made.ink").exists():
                subprocess.check_output([INK, "info", "--check", folder.path / "made.ink"])
            folder.put_back()


def a_full_device_as_standard_output_is_one_line_of_every_command():
    folder = Folder("folder")
    silent = []
    for command, words in WORKING.items():
        code, said = folder.run([command, *words.split()])
        if code == 0:
            silent.append(command)
        else:
            assert code == 4, (command, code, said)
            is_one_line(said, b"standard output: cannot write: No space left on device")
        folder.put_back()
    assert sorted(silent) == ["add", "build", "convert", "fold", "merge", "remove", "stream"], silent


def a_closed_pipe_is_no_error():
    """Behind `| head -1` a command ends without a word."""
    for words in (["gen", "ip", "-n", "1e9"], ["help", "build"], ["completion", "bash"]):
        process = subprocess.Popen([INK, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert (process.wait(60), said) in ((0, b""), (-signal.SIGPIPE, b"")), (words, process.returncode, said)


# ---- What is no file -----------------------------------------------------------------------------


def what_is_no_file_is_refused_as_a_sketch_and_read_as_data_where_it_ends():
    os.mkdir("folder")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")
    for path in ("folder", "/dev/null", "/dev/zero", "/proc/self/status", "socket"):
        for words in (["info", path], ["filter", path, "/dev/null"], ["merge", path, path, "-o", "made.ink"]):
            code, _, said = limited(*words)
            assert code in (3, 4), (words, code, said)
            is_one_line(said, path.encode())
    for path in ("folder", "socket"):
        for words in (["build", "bloom", path, "-o", "made.ink"], ["distinct", path]):
            fails(4, words, path.encode())
    assert limited("distinct", "/dev/null")[:2] == (0, b"0\n")
    assert int(limited("distinct", "/proc/self/status")[1]) > 10
    assert sorted(os.listdir(".")) == ["folder", "socket"], os.listdir(".")


def a_fifo_is_read_to_its_end_as_a_sketch_and_as_data():
    pathlib.Path("data.txt").write_text("ant\nbee\n", encoding="utf-8")
    subprocess.run([INK, "build", "hll", "-o", "a.ink", "data.txt"], check=True)
    os.mkfifo("fifo")
    for name, words in (("a.ink", ["info", "--digest"]), ("data.txt", ["distinct"])):
        expected = subprocess.check_output([INK, *words, name])
        process = subprocess.Popen([INK, *words, "fifo"], stdout=subprocess.PIPE)
        pathlib.Path("fifo").write_bytes(pathlib.Path(name).read_bytes())
        assert process.communicate(timeout=60)[0] == expected, (name, expected)


def a_sparse_file_of_a_tebibyte_is_refused_after_its_header_and_costs_no_memory():
    with open("large.ink", "wb") as large:
        large.truncate(1 << 40)
    pathlib.Path("data.txt").write_text("ant\n", encoding="utf-8")
    for words in (["info", "large.ink"], ["filter", "large.ink", "data.txt"], ["add", "large.ink", "data.txt"],
                  ["merge", "large.ink", "large.ink", "-o", "made.ink"], ["verify", "large.ink", "data.txt"]):
        process = subprocess.Popen([INK, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 3, (words, process.returncode, said)
        is_one_line(said, b"large.ink: byte 0: not an .ink file, but zeros")
        assert usage.ru_maxrss < (400 << 10 if LIGHT else 32 << 10), (words, usage.ru_maxrss)
    assert sorted(os.listdir(".")) == ["data.txt", "large.ink"], os.listdir(".")


# ---- Limits of the system ------------------------------------------------------------------------


def a_limit_on_the_size_of_files_leaves_the_old_file():
    """SIGXFSZ does not kill: the write fails."""
    folder = Folder("folder")
    os.chdir("folder")
    for words in (["build", "bloom", "-n", "1e6", "-o", "bloom.ink", "--force", "data.txt"],
                  ["merge", "bloom.ink", "bloom.ink", "-o", "bloom.ink", "--force"],
                  ["add", "counting.ink", "data.txt"],
                  ["gen", "ip", "-n", "1000", "-o", "made.txt"], ["filter", "bloom.ink", "data.txt", "-o", "made.txt"]):
        fails(4, words, b"File too large", RLIMIT_FSIZE=100)
        assert sorted(os.listdir(".")) == sorted(folder.content), (words, os.listdir("."))
        assert all(pathlib.Path(name).read_bytes() == content for name, content in folder.content.items()), words


def a_stream_whose_state_may_not_be_so_large_ends_with_the_state_before():
    pathlib.Path("data.txt").write_text("ant\nbee\n", encoding="utf-8")
    words = ["stream", "--quiet", "--train", "data.txt", "--sketch", "bloom", "-n", "1e5", "--state"]
    subprocess.run([INK, *words, "made"], check=True)
    old = pathlib.Path("made/state.ink").read_bytes()
    with open("data.txt", "a", encoding="utf-8") as data:
        data.write("cow\n")
    for folder in ("made", "new"):
        fails(4, [*words, folder], b"File too large", RLIMIT_FSIZE=1000)
        assert sorted(os.listdir(folder)) == ["lock", *(["state.ink"] if folder == "made" else [])], os.listdir(folder)
    assert pathlib.Path("made/state.ink").read_bytes() == old
    subprocess.run([INK, *words, "made"], check=True)
    assert json.loads(limited("info", "--json", "made/state.ink")[1])["records"] == 3


def a_limit_on_memory_is_an_error_and_no_abort():
    tap.without_sanitizer(INK)
    pathlib.Path("data.txt").write_text("ant\nbee\n", encoding="utf-8")
    for words in (["build", "bloom", "-n", "1e9", "-o", "made.ink", "data.txt"],
                  ["build", "count-min", "--width", "1e8", "--depth", "5", "-o", "made.ink", "data.txt"],
                  ["map", "classic", "-n", "1e9", "data.txt", "--memory", "4G"]):
        code, _, said = limited(*words, RLIMIT_AS=200 << 20)
        assert code == 5 or (words[0] == "map" and code == 0), (words, code, said)
        assert code == 0 or is_one_line(said, b"memory") is None
        assert os.listdir(".") == ["data.txt"], os.listdir(".")


def a_reducer_without_records_says_that_memory_is_short_wherever_it_is_met():
    """While a piece of nothing is made, while it is taken, or while the result is written."""
    tap.without_sanitizer(INK)
    words = ["reduce", "count-min", "--width", "1500000", "--depth", "5", "--threads", "1"]
    refused = 0
    for room in range(40, 400, 4):
        code, _, said = limited(*words, out=subprocess.DEVNULL, RLIMIT_AS=room << 20)
        if code == 0:
            break
        assert code == 5, (room, code, said)
        is_one_line(said, b"no memory for ")
        refused += 1
    assert code == 0 and refused > 5, (code, refused)


def a_frame_that_says_to_be_large_costs_no_memory():
    tap.without_sanitizer(INK)
    pathlib.Path("frames").write_bytes(b"\0\0\0\3abc\x7f\xff\xff\xff" + b"x" * 100000)
    fails(3, ["reduce", "bloom", "frames"], b"byte 100011: the input ends after 100000 bytes of a frame's value, expected 2147483647",
          RLIMIT_AS=200 << 20)


def a_limit_on_open_files_is_an_error_or_does_not_matter():
    tap.without_sanitizer(INK)
    pathlib.Path("data.txt").write_text("ant\nbee\n", encoding="utf-8")
    subprocess.run([INK, "build", "hll", "-o", "a.ink", "data.txt"], check=True)
    os.mkdir("parts")
    for number in range(100):
        os.link("a.ink", f"parts/{number}.ink")
    parts = [f"parts/{number}.ink" for number in range(100)]
    for most in (4, 5, 6, 8, 16):  # with 3 the loader finds no library
        for words in (["merge", *parts, "-o", "made.ink"], ["distinct", *parts], ["distinct", *["data.txt"] * 100]):
            code, out, said = limited(*words, RLIMIT_NOFILE=most)
            assert code in (0, 4), (most, words[0], code, said)
            assert code == 0 or is_one_line(said, b"Too many open files") is None
            assert code != 0 or words[0] == "merge" or out == b"2\n", (most, out)
            assert os.path.exists("made.ink") == (code == 0 and words[0] == "merge"), (most, words[0])
            pathlib.Path("made.ink").unlink(missing_ok=True)
    assert limited(*words, RLIMIT_NOFILE=16)[0] == 0  # however many inputs, few are open at a time


def a_stack_of_64_kib_is_enough_for_every_command():
    tap.without_sanitizer(INK)
    folder = Folder("folder")
    os.chdir("folder")
    lines = [[command, *words.split()] for command, words in WORKING.items()]
    kinds = ("classic", "scalable", "count-min", "top", "fm", "hll")
    lines += [["build", kind, "-o", "made.ink", "data.txt"] for kind in kinds]
    lines += [["verify", name, "data.txt"] for name in ("counting.ink", "count-min.ink")]
    for words in lines:
        code, _, said = limited(*words, RLIMIT_STACK=64 << 10)
        assert code == 0, (words, code, said)
        folder.put_back()
    pathlib.Path("deep.jsonl").write_text('{"a":' + "[" * 200000 + "]" * 200000 + "}\n", encoding="utf-8")
    fails(3, ["distinct", "--key", "a", "deep.jsonl"], b"line 1: a container within", RLIMIT_STACK=64 << 10)


# ---- Input without end, and signals --------------------------------------------------------------


def input_without_end_takes_no_memory_and_an_interrupt_leaves_the_last_batch():
    """As `yes | ink stream`."""
    endless = subprocess.Popen(["yes", "ant"], stdout=subprocess.PIPE)
    words = "stream --train - --sketch count-min --state made --every 100000"
    process = subprocess.Popen([INK, *words.split()], stdin=endless.stdout, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    endless.stdout.close()
    until = time.monotonic() + 60
    while not os.path.exists("made/state.ink") and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    endless.kill()
    endless.wait()
    assert process.returncode == -signal.SIGINT, (process.returncode, said)
    assert usage.ru_maxrss < (1 << 20 if LIGHT else 128 << 10), usage.ru_maxrss
    answer = json.loads(limited("count", "made/state.ink", "-e", "ant", "--json")[1])
    reported = json.loads(limited("info", "--json", "made/state.ink")[1])
    assert answer["estimate"] == reported["records"] >= 100000, (answer, reported)
    assert sorted(os.listdir("made")) == ["lock", "state.ink"], os.listdir("made")


def a_build_that_is_stopped_and_continued_is_the_same():
    """SIGTSTP and SIGCONT, as ctrl-Z and fg send them: to a group of its own, as a shell has it. (In a group that has no
    parent in its session, as that of these tests may be, the system drops SIGTSTP.)"""
    with open("data.txt", "wb") as data:
        data.write(b"".join(b"%d\n" % number for number in range(200000)))
    subprocess.run([INK, "build", "bloom", "-n", "200000", "-o", "whole.ink", "data.txt"], check=True)
    given, giving = os.pipe()
    process = subprocess.Popen([INK, "build", "bloom", "-n", "200000", "-o", "made.ink"], stdin=given, process_group=0)
    os.close(given)
    content = pathlib.Path("data.txt").read_bytes()
    for start in range(0, len(content), 50000):
        os.write(giving, content[start:start + 50000])
        process.send_signal(signal.SIGTSTP)
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        process.send_signal(signal.SIGCONT)
    os.close(giving)
    assert process.wait(60) == 0
    assert pathlib.Path("made.ink").read_bytes() == pathlib.Path("whole.ink").read_bytes()


def a_temporary_file_of_a_dead_process_is_neither_trusted_nor_in_the_way():
    pathlib.Path("data.txt").write_text("".join(f"{key}\n" for key in range(200000)), encoding="utf-8")
    process = subprocess.Popen([INK, "gen", "ip", "-n", "1e12", "-o", "made.txt", "--no-progress"])
    until = time.monotonic() + 60
    while len(os.listdir(".")) < 2 and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    process.wait()
    left = sorted(set(os.listdir(".")) - {"data.txt"})
    assert len(left) == 1 and left != ["made.txt"], left
    content = pathlib.Path(left[0]).read_bytes()
    subprocess.run([INK, "gen", "ip", "-n", "5", "-o", "made.txt"], check=True)
    assert pathlib.Path("made.txt").read_bytes().count(b"\n") == 5
    assert pathlib.Path(left[0]).read_bytes() == content


TESTS = [
    standard_files_may_be_closed_in_every_command, a_full_device_as_standard_output_is_one_line_of_every_command,
    a_closed_pipe_is_no_error, what_is_no_file_is_refused_as_a_sketch_and_read_as_data_where_it_ends,
    a_fifo_is_read_to_its_end_as_a_sketch_and_as_data,
    a_sparse_file_of_a_tebibyte_is_refused_after_its_header_and_costs_no_memory,
    a_limit_on_the_size_of_files_leaves_the_old_file,
    a_stream_whose_state_may_not_be_so_large_ends_with_the_state_before, a_limit_on_memory_is_an_error_and_no_abort,
    a_reducer_without_records_says_that_memory_is_short_wherever_it_is_met,
    a_frame_that_says_to_be_large_costs_no_memory,
    a_limit_on_open_files_is_an_error_or_does_not_matter, a_stack_of_64_kib_is_enough_for_every_command,
    input_without_end_takes_no_memory_and_an_interrupt_leaves_the_last_batch,
    a_build_that_is_stopped_and_continued_is_the_same,
    a_temporary_file_of_a_dead_process_is_neither_trusted_nor_in_the_way,
]

if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-limits-"))
