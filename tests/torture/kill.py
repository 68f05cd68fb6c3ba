#!/usr/bin/env python3
"""A suite of torture: SIGKILL at random moments, and at every exact point, of everything that writes a file.

    kill.py --seconds S --seed N --state FILE [--from I | --only I] [--kills K]
    kill.py --check

Commands that make a file (build, add, remove, merge, fold, reduce, gen) leave the old one or the new one, byte by byte, the
new one if they had ended well; what they leave beside it is a temporary file of a process that is dead, which is in no one's
way; done again, the result has the bytes of a run that was not killed. Streams (tests/stream/killed_streams.py) go on where
they were saved, to the same bytes. Kills come again in the work that comes after a kill; they also hit whole groups of
processes, and processes that write one file at the same time.

Some cases are exact: a process is killed before its first system call that can change a file, the next one before its
second, and so on until one ends (tests/stream/kill_at.c). Every other case is KILLS_OF_A_CASE kills at random moments of one scenario, and
the run to the end after them. What is printed, and --state: tests/support/torture.h.
"""
import argparse
import functools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ.get("INK_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE / "tests" / "stream")]
os.environ.setdefault("INK_BINARY_FOLDER", os.path.dirname(os.environ.get("INK_LIBRARY") or str(SOURCE / "build" / "x")))

import killed_streams  # pylint: disable=wrong-import-position

INK = killed_streams.INK
KILL_AT = os.path.join(killed_streams.FOLDER, "tests", "stream", "kill_at")
KILLS, KILLS_OF_A_CASE = 10000, 10
REPORT_SECONDS = 2
OUT = "x.ink"


# ---- Processes ---------------------------------------------------------------------------------------------------


class Processes:
    """Starts commands quickly, and ends them by a kill."""

    def __init__(self):
        self.said = os.memfd_create("said")
        # A tracer and the leak sanitizer keep each other out.
        self.traced = dict(os.environ, ASAN_OPTIONS=f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0")

    def start(self, words, **how):
        """Its number. What it says on standard error is kept."""
        os.ftruncate(self.said, 0)
        os.lseek(self.said, 0, os.SEEK_SET)
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
                   (os.POSIX_SPAWN_DUP2, self.said, 2)]
        return os.posix_spawn(words[0], words, os.environ, file_actions=actions, **how)

    def complaint(self):
        """What was said."""
        return os.pread(self.said, 2000, 0).decode("utf-8", "replace").strip()

    def run(self, words):
        """A run that nothing interrupts; how long it took."""
        began = time.monotonic()
        code = end(self.start(words))
        if code != 0:
            fail(words, f"exit code {code}: {self.complaint()}")
        return time.monotonic() - began

    def kill_at(self, number, words):
        """Kills a command before its call of this number; false if it had ended, well, before."""
        done = subprocess.run([KILL_AT, str(number), *words], capture_output=True, text=True, check=False, env=self.traced,
                              timeout=killed_streams.PATIENCE)
        said = done.stdout.strip().rsplit("\n", 1)[-1]
        if said.startswith("killed before "):
            return True
        if not said.startswith("ended 0 "):
            fail(words, f"with call {number} to be killed at: {said} {done.stderr}")
        return False


def end(process):
    """Waits for a process; its exit code, or minus the signal it died of."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def fail(words, what):
    """What is wrong."""
    raise AssertionError(f"{what}: {' '.join(words)}")


def remove_left(words, known, outs, dead):
    """Nothing was left beside the files we know but temporary ones of processes that are dead, if we know which ones."""
    for name in set(os.listdir()) - set(known) - set(outs):
        left = re.fullmatch(rf"({'|'.join(map(re.escape, outs))})\.tmp\.(\d+)\.\d+", name)
        if not left or (dead is not None and int(left[2]) not in dead):
            fail(words, f"{name} was left behind")
        os.unlink(name)


def draw_moment(chance, seconds):
    """Somewhere in a run, more often near its end, where the file is synced and renamed."""
    if chance.random() < 0.5:
        return chance.uniform(0, seconds)
    return seconds * (1 - 0.5 * chance.random() ** 2)


def second_point(point):
    """Where the run that comes after a kill at a point is killed."""
    return 5 + point * 7 % 23


def sleep_until(moment):
    """Of the clock that never goes back."""
    time.sleep(max(0, moment - time.monotonic()))


# ---- Commands ----------------------------------------------------------------------------------------------------


class Command:
    """A command that makes files of others. `files`: what each of them holds before, or None. `once`: where it was done it
    is not done again, as it would then do more."""

    def __init__(self, processes, words, files, once=False, program=INK):
        self.processes, self.words, self.old, self.once = processes, [program, *words], files, once
        self.inputs = set(os.listdir()) - set(files)
        self.reset()
        processes.run(self.words)
        self.new = {name: content(name) for name in files}
        seconds = []
        for _ in range(3):
            self.reset()
            seconds.append(processes.run(self.words))
            self.check(True)
        self.seconds = min(seconds)
        self.reset()

    def reset(self):
        """As before the first run."""
        for name, was in self.old.items():
            put(name, was)

    def check(self, acknowledged):
        """Old or new, whole; new if that was said. Whether all are new."""
        done = True
        for name, new in self.new.items():
            now = content(name)
            if now != new and (acknowledged or now != self.old[name]):
                fail(self.words, f"{name} has {'no' if now is None else len(now)} bytes, which are neither the old nor the "
                     f"new ones{', and it had ended well' if acknowledged else ''}")
            done = done and now == new
        return done

    def plant(self, chance):
        """What other processes have left that were killed long ago: half a file, and one that is no file of ours."""
        for name, new in self.new.items():
            if chance.random() < 0.5:
                put(f"{name}.tmp.4194999.0", new[:chance.randrange(len(new))])
                put(f"{name}.tmp.4194999.1", b"\0" * 100)

    def finish(self):
        """To the end, if it is not done, with the bytes of a run that was not killed."""
        if not (self.once and self.check(False)):
            self.processes.run(self.words)
        self.check(True)

    def kill(self, chance, count):
        """Kills it `count` times; how many kills there were."""
        killed, dead = 0, {4194999}
        self.plant(chance)
        while killed < count:
            moment = time.monotonic() + draw_moment(chance, self.seconds)
            process = self.processes.start(self.words)
            sleep_until(moment)
            os.kill(process, signal.SIGKILL)
            code = end(process)
            if code not in (0, -signal.SIGKILL):
                fail(self.words, f"exit code {code}: {self.processes.complaint()}")
            killed += code != 0
            dead.add(process)
            if self.check(code == 0) and (code == 0 or self.once):
                self.reset()
        self.finish()
        remove_left(self.words, self.inputs, self.old, dead)
        self.reset()
        return killed

    def kill_exactly(self, points):
        """Kills it at these points, or at all, one run for each, and once more in the run that comes after; how many kills
        there were."""
        killed = 0
        for point in points:
            if not self.processes.kill_at(point, self.words):
                self.check(True)
                break
            killed += 1
            if not (self.check(False) and self.once) and self.processes.kill_at(second_point(point), self.words):
                killed += 1
                self.check(False)
            self.finish()
            remove_left(self.words, self.inputs, self.old, None)
            self.reset()
        self.reset()
        return killed


class Group:
    """Commands that run at the same time, each with a file of its own, and are killed together, as a group."""

    def __init__(self, commands):
        self.commands = commands
        self.seconds = max(command.seconds for command in commands)
        self.dead = []

    def kill_once(self, chance):
        """Starts all and kills all; how many died of it."""
        first, *others = self.commands
        moment = time.monotonic() + draw_moment(chance, self.seconds)
        running = [first.processes.start(first.words, setpgroup=0)]
        running += [command.processes.start(command.words, setpgroup=running[0]) for command in others]
        sleep_until(moment)
        os.killpg(running[0], signal.SIGKILL)
        codes = [end(process) for process in running]
        self.dead += running
        for command, code in zip(self.commands, codes):
            if code not in (0, -signal.SIGKILL):
                fail(command.words, f"exit code {code}: {command.processes.complaint()}")
            if command.check(code == 0) and code == 0:
                command.reset()
        return len([code for code in codes if code != 0])

    def kill(self, chance, count):
        """Kills them `count` times; how many kills there were."""
        killed = 0
        while killed < count:
            killed += self.kill_once(chance)
        for command in self.commands:
            command.finish()
        remove_left(self.commands[0].words, self.commands[0].inputs, [name for command in self.commands for name in command.old],
                    self.dead)
        for command in self.commands:
            command.reset()
        return killed


class Rivals:
    """Two commands that write one file at the same time, of which one or both are killed. `after`: what the file holds when
    these commands of the two were done; of what has ended well everything counts if they wait for each other (`both`), else
    one of them."""

    def __init__(self, processes, commands, old, both):
        self.processes, self.commands, self.old, self.both = processes, [[INK, *words] for words in commands], old, both
        self.inputs = set(os.listdir()) - {OUT}
        self.after = {}
        self.seconds = 0
        for done in ((), (0,), (1,), (0, 1)):
            put(OUT, old)
            for number in done:
                self.seconds = processes.run(self.commands[number])
            self.after[done] = content(OUT)
        assert len(set(self.after.values())) == (4 if both else 3)
        put(OUT, old)

    def allowed(self, ended):
        """What the file may hold when these commands have ended well."""
        if self.both:
            return [now for done, now in self.after.items() if set(ended) <= set(done)]
        return [self.after[done] for done in ((0,), (1,))] + ([self.after[()]] if not ended else [])

    def kill(self, chance, count):
        """Kills them `count` times; how many kills there were."""
        killed = 0
        while killed < count:
            put(OUT, self.old)
            doomed = [number for number in (0, 1) if chance.random() < 0.6] or [chance.randrange(2)]
            moments = sorted((time.monotonic() + draw_moment(chance, self.seconds), number) for number in doomed)
            running = [self.processes.start(words) for words in self.commands]
            codes = [None, None]
            for moment, number in moments:
                sleep_until(moment)
                os.kill(running[number], signal.SIGKILL)
                codes[number] = end(running[number])
            codes = [end(running[number]) if code is None else code for number, code in enumerate(codes)]
            if set(codes) - {0, -signal.SIGKILL}:
                fail(self.commands[0], f"exit codes {codes}: {self.processes.complaint()}")
            killed += len([code for code in codes if code != 0])
            if content(OUT) not in self.allowed([number for number in (0, 1) if codes[number] == 0]):
                fail(self.commands[0], f"beside another one that writes {OUT}: a mix, or something lost, with exit codes {codes}")
            remove_left(self.commands[0], self.inputs, [OUT], running)
        put(OUT, self.old)
        return killed


# ---- What commands work on ---------------------------------------------------------------------------------------


def content(name):
    """The bytes of a file, or None."""
    try:
        with open(name, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def put(name, bytes_or_none):
    """Makes a file, or that there is none."""
    if bytes_or_none is None:
        pathlib.Path(name).unlink(missing_ok=True)
    else:
        pathlib.Path(name).write_bytes(bytes_or_none)


def put_keys(name, first, count, groups=0):
    """Lines, of CSV if there are groups."""
    put(name, "".join(f"key {i},g{i * i % groups}\n" if groups else f"key {i}\n"
                      for i in range(first, first + count)).encode())


def made(*words):
    """The bytes that a command makes."""
    subprocess.run([INK, *words, "-o", "made"], check=True, capture_output=True)
    now = content("made")
    os.unlink("made")
    return now


def old_sketch():
    """An old file, of another kind than all that is made here."""
    return made("build", "fm", put_keys("few.txt", 0, 50) or "few.txt")


def a_build_of_a_new_file(processes):
    """Which is sized by its keys."""
    put_keys("a.txt", 0, 5000)
    return Command(processes, ["build", "bloom", "a.txt", "-o", OUT, "--force"], {OUT: None})


def a_build_over_an_old_file(processes):
    """A filter of half a megabyte, so that writing it takes its time."""
    put_keys("a.txt", 0, 2000)
    return Command(processes, ["build", "bloom", "-n", "4e5", "a.txt", "-o", OUT, "--force"], {OUT: old_sketch()})


def a_build_of_groups(processes):
    """Forty in one file."""
    put_keys("a.csv", 0, 4000, 97)
    return Command(processes, ["build", "bloom,hll", "--by", "2", "--key", "1", "a.csv", "-o", OUT, "--force"],
                   {OUT: old_sketch()})


def a_build_of_many_kinds_on_two_threads(processes):
    """One of each."""
    put_keys("a.txt", 0, 6000)
    return Command(processes, ["build", "bloom,classic,counting,scalable,count-min,top,hll,fm", "-n", "6000", "--eps", "0.01",
                               "--threads", "2", "a.txt", "-o", OUT, "--force"], {OUT: old_sketch()})


def a_build_with_files_without_names(processes):
    """What does not fit into memory waits in them."""
    put_keys("a.txt", 0, 150000)
    return Command(processes, ["build", "classic", "--memory", "1M", "--temp", ".", "a.txt", "-o", OUT, "--force"],
                   {OUT: old_sketch()})


def keys_added_to_a_file(processes):
    """In its place."""
    put_keys("a.txt", 0, 1000)
    put_keys("b.txt", 1000, 800)
    return Command(processes, ["add", OUT, "b.txt"], {OUT: made("build", "bloom,count-min", "-n", "9000", "a.txt")}, once=True)


def keys_removed_from_a_file(processes):
    """All of them, or none."""
    put_keys("a.txt", 0, 1000)
    put_keys("b.txt", 500, 400)
    return Command(processes, ["remove", OUT, "b.txt"], {OUT: made("build", "counting", "-n", "9000", "a.txt")}, once=True)


def a_merge(processes):
    """Of two files, over a third."""
    put_keys("a.txt", 0, 900)
    put_keys("b.txt", 900, 900)
    put("a.ink", made("build", "bloom,hll", "-n", "50000", "a.txt"))
    put("b.ink", made("build", "bloom,hll", "-n", "50000", "b.txt"))
    return Command(processes, ["merge", "a.ink", "b.ink", "-o", OUT, "--force"], {OUT: old_sketch()})


def a_fold_in_place(processes):
    """The file that it reads is the one that it writes."""
    put_keys("a.txt", 0, 300)
    return Command(processes, ["fold", "-p", "0.01", OUT, "-o", OUT, "--force"],
                   {OUT: made("build", "bloom", "--bits", "4194304", "a.txt")}, once=True)


def a_reducer(processes):
    """The second half of a build on many machines."""
    put_keys("a.csv", 0, 3000, 7)
    halves = ["bloom,hll", "--by", "2", "--key", "1", "--buckets", "1"]
    put("frames", subprocess.run([INK, "map", *halves, "a.csv"], check=True, capture_output=True).stdout)
    return Command(processes, ["reduce", *halves, "--bucket", "0", "frames", "-o", OUT, "--force"], {OUT: old_sketch()})


def finished_pieces_put_together(processes):
    """What a reducer of a range of all keys gives, made a file of sketches."""
    put_keys("a.txt", 0, 3000)
    halves = ["bloom,count-min", "-n", "50000", "--eps", "0.01", "--buckets", "1", "--ranged"]
    frames = subprocess.run([INK, "map", *halves, "a.txt"], check=True, capture_output=True).stdout
    put("pieces", subprocess.run([INK, "reduce", *halves, "--bucket", "0"], check=True, capture_output=True, input=frames).stdout)
    return Command(processes, ["reduce", *halves, "--assemble", "pieces", "-o", OUT, "--force"], {OUT: old_sketch()})


def records_that_are_generated(processes):
    """A file that is no sketch."""
    return Command(processes, ["gen", "names", "-n", "20000", "-o", "names.txt", "--force"], {"names.txt": b"old\n"})


def two_commands_of_one_group(processes):
    """A filter and an hll of the same data."""
    put_keys("a.txt", 0, 5000)
    return Group([Command(processes, ["build", kind, "a.txt", "-o", name, "--force"], {name: old_sketch()})
                  for kind, name in (("bloom", OUT), ("hll", "y.ink"))])


def two_builds_of_one_file(processes):
    """One of them wins, whole."""
    put_keys("a.txt", 0, 3000)
    put_keys("b.txt", 9000, 3000)
    words = ["build", "bloom", "-n", "50000", "-o", OUT, "--force"]
    return Rivals(processes, [[*words, "a.txt"], [*words, "b.txt"]], old_sketch(), False)


def two_that_add_to_one_file(processes):
    """They wait for each other, and for no dead process."""
    put_keys("a.txt", 0, 500)
    put_keys("b.txt", 500, 500)
    put_keys("c.txt", 1000, 500)
    return Rivals(processes, [["add", OUT, "b.txt"], ["add", OUT, "c.txt"]], made("build", "counting", "-n", "9000", "a.txt"),
                  True)


COMMANDS = [
    a_build_of_a_new_file,
    a_build_over_an_old_file,
    a_build_of_groups,
    a_build_of_many_kinds_on_two_threads,
    a_build_with_files_without_names,
    keys_added_to_a_file,
    keys_removed_from_a_file,
    a_merge,
    a_fold_in_place,
    a_reducer,
    finished_pieces_put_together,
    records_that_are_generated,
    two_commands_of_one_group,
    two_builds_of_one_file,
    two_that_add_to_one_file,
]
EXACT = COMMANDS[:12]
# Over files, and each time with the same calls; the large one has those of the others, and takes its time.
EXACT_STREAMS = killed_streams.STREAMS[:2] + killed_streams.STREAMS[3:7]


# ---- Cases -------------------------------------------------------------------------------------------------------


def kill_stream_exactly(processes, stream, points):
    """As Command.kill_exactly."""
    killed = 0
    for point in points:
        if not processes.kill_at(point, stream.command()):
            stream.check_end()
            break
        killed += 1
        before = stream.check_state(0)
        if processes.kill_at(second_point(point), stream.command()):
            killed += 1
            stream.check_state(before)
        stream.finish()
    return killed


class Suite:
    """The scenarios, each in a folder of its own, made when it is needed."""

    def __init__(self, folder, seed, kills):
        self.folder, self.seed = folder, seed
        self.processes, self.ready = Processes(), {}
        killed_streams.SEED = seed
        # What each case kills, and whether that is exact: of streams after some random ones, as they take longest.
        scenarios = [*COMMANDS, *killed_streams.STREAMS]
        self.plan = [(scenarios[number % len(scenarios)], False) for number in range(-(-kills // KILLS_OF_A_CASE))]
        self.plan[0:0] = [(function, True) for function in EXACT]
        for number, function in enumerate(EXACT_STREAMS, 1):
            self.plan.insert(number * 2 * len(scenarios), (function, True))

    def scenario(self, function):
        """In its folder, where the process stands then."""
        home = os.path.join(self.folder, function.__name__)
        os.makedirs(home, exist_ok=True)
        os.chdir(home)
        if function not in self.ready:
            self.ready[function] = function(self.processes) if function in COMMANDS else function()
        return self.ready[function]

    def forget(self, function):
        """What failed is made anew, not to fail again for what it left."""
        self.ready.pop(function, None)
        os.chdir(self.folder)
        shutil.rmtree(os.path.join(self.folder, function.__name__), ignore_errors=True)

    def run(self, number):
        """One case; how many kills there were."""
        return self.kill(number, *self.plan[number])

    def kill(self, number, function, exact, points=range(1, 1 << 20), kills=KILLS_OF_A_CASE):
        """At exact points, or so often at random moments; how many kills there were."""
        try:
            scenario = self.scenario(function)
            if not exact:
                return scenario.kill(random.Random(f"{self.seed} {number}"), kills)
            return (scenario.kill_exactly(points) if function in COMMANDS
                    else kill_stream_exactly(self.processes, scenario, points))
        except BaseException:
            self.forget(function)
            raise


# ---- The run -----------------------------------------------------------------------------------------------------


class Run:
    """Cases one after another; where it is, is kept."""

    def __init__(self, suite, options):
        self.suite, self.options = suite, options
        self.next = self.faults = self.failures = 0
        if options.only is None and options.start is None:
            self.recall()
        else:
            self.next = options.only if options.only is not None else options.start

    def about(self):
        """What a state is of."""
        return f"of {len(self.suite.plan)}\nseed {self.suite.seed}\n"

    def recall(self):
        """Goes on from a state of the same cases."""
        text = (content(self.options.state) or b"").decode() if self.options.state else ""
        there = re.fullmatch(rf"done (\d+)\n{self.about()}faults (\d+)\nfailures (\d+)\n", text)
        if there:
            self.next, self.faults, self.failures = map(int, there.groups())

    def report(self):
        """Where it is, to the reader, and to the state."""
        print(f"torture: kill cases {self.next} of {len(self.suite.plan)} faults {self.faults} failures {self.failures}", flush=True)
        if self.options.state:
            new = f"{self.options.state}.new"
            put(new, f"done {self.next}\n{self.about()}faults {self.faults}\nfailures {self.failures}\n".encode())
            os.rename(new, self.options.state)

    def run_case(self):
        """One case, whatever comes of it."""
        try:
            self.faults += self.suite.run(self.next)
        except (AssertionError, OSError, subprocess.SubprocessError) as why:
            self.failures += 1
            again = f"INK_BINARY_FOLDER={killed_streams.FOLDER} {sys.argv[0]} --seed {self.suite.seed} --only {self.next}"
            print(f"torture: kill FAILED case {self.next}: {self.suite.plan[self.next][0].__name__}: "
                  f"{str(why)[:700]!r}; again: {again}", flush=True)
        self.next += 1

    def run(self):
        """All cases, or as many as fit."""
        began = reported = time.monotonic()
        until = len(self.suite.plan) if self.options.only is None else self.next + 1
        while self.next < until:
            self.run_case()
            now = time.monotonic()
            if self.options.seconds and now - began >= self.options.seconds:
                break
            if now - reported >= REPORT_SECONDS:
                reported = now
                self.report()
        self.report()
        return 1 if self.failures else 0


def found_out(processes, text, what):
    """That a shell which makes a file in this way fails, when it is killed at each of its calls, with these words."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        home = os.getcwd()
        os.chdir(folder)
        try:
            put("new", b"n" * 9000)
            put("half", b"n" * 4500)
            Command(processes, ["-c", text], {OUT: b"old"}, program="/bin/sh").kill_exactly(range(1, 1000))
            raise OSError(f"expected that something is found wrong: {text}")
        except AssertionError as why:
            assert what in str(why), why
        finally:
            os.chdir(home)


def a_file_that_is_written_in_place_is_found_out(suite):
    """Its first half is there before its second."""
    found_out(suite.processes, f"cat half > {OUT}; cat half >> {OUT}", "neither the old nor the new ones")


def a_file_that_is_left_behind_is_found_out(suite):
    """Whatever its name, but those of temporary files."""
    found_out(suite.processes, f"cat new > part.$$; mv part.$$ {OUT}", "was left behind")


def share(suite, number, function, exact):
    """A little of a case."""
    points = sorted(random.Random(f"{suite.seed} {number}").sample(range(1, 26), 2))
    suite.kill(number, function, exact, points=points, kills=2)


def check(suite):
    """A small share of every scenario, as TAP; exits with how many failed."""
    tests = [(test.__name__, functools.partial(test, suite)) for test in (a_file_that_is_written_in_place_is_found_out,
                                                                          a_file_that_is_left_behind_is_found_out)]
    cases = [(function, True) for function in [*EXACT, *EXACT_STREAMS]]
    cases += [(function, False) for function in [*COMMANDS, *killed_streams.STREAMS]]
    for number, (function, exact) in enumerate(cases):
        how = "before some of its calls" if exact else "at random moments"
        tests.append((f"killed {how}: {function.__name__}", functools.partial(share, suite, number, function, exact)))
    failed = 0
    print(f"1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        os.chdir(suite.folder)
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as why:
            failed += 1
            print(f"not ok {number} - {name}\n# {str(why)[:700]!r}", flush=True)
    return failed


def main():
    """The words of the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state")
    parser.add_argument("--from", dest="start", type=int)
    parser.add_argument("--only", type=int)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.state:
        options.state = os.path.abspath(options.state)
    sys.argv[0] = os.path.abspath(sys.argv[0])
    memory = "/dev/shm" if not os.environ.get("TMPDIR") and os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="ink-kills-", dir=memory) as folder:
        suite = Suite(folder, options.seed, options.kills)
        code = check(suite) if options.check else Run(suite, options).run()
        os.chdir("/")
    return code


if __name__ == "__main__":
    sys.exit(main())
