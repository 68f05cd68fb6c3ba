"""Streams that are killed at random moments, and go on: of files every record is counted once, and the state has the bytes
of a stream that was never killed; of connections what was reported as saved is there, and no more than a batch is lost of
what had arrived. After every kill the state is a whole file.

What tests/torture/kill.py runs: each function of STREAMS makes data in the folder where it is called, runs an undisturbed
stream, and gives something with kill(chance, count), which is called in that folder as often as one likes.
"""
import contextlib
import gzip
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

SOURCE = pathlib.Path(os.environ.get("INK_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE / "tests" / "spec_reader")]

import ink_reader  # pylint: disable=wrong-import-position

FOLDER = os.path.abspath(os.environ.get("INK_BINARY_FOLDER") or os.path.dirname(os.environ["INK_LIBRARY"]))
INK = os.path.join(FOLDER, "ink")
SEED = 1  # of the data
STATE = pathlib.Path("state")
POSITION = 2  # the section
PATIENCE = 120  # seconds, for what should take none


# ---- Running -----------------------------------------------------------------------------------------------------


def fail(what, words):
    """What is wrong."""
    raise AssertionError(f"{what}: ink stream {' '.join(map(str, words))}")


def start(words):
    """A stream, whose standard error is kept."""
    return subprocess.Popen([INK, "stream", *map(str, words), "--state", str(STATE)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def end(process):
    """Its exit code, and what it said."""
    try:
        said = process.communicate(timeout=PATIENCE)[1]
    finally:
        process.kill()
    return process.returncode, said.decode("utf-8", "replace")


def kill_within(words, seconds):
    """A stream that is killed after this time, if it has not ended; its exit code, and what it said."""
    process = start(words)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    return end(process)


def run_to_end(words):
    """A run that nothing interrupts; how long it took."""
    began = time.monotonic()
    code, said = end(start(words))
    if code != 0:
        fail(f"exit code {code}: {said}", words)
    return time.monotonic() - began


def digest(path):
    """As ink prints it."""
    return subprocess.run([INK, "info", "--digest", str(path)], check=True, capture_output=True, text=True,
                          timeout=PATIENCE).stdout.strip()


def position(words):
    """How far the state says that it was read: names and numbers. The state is a whole file, by ink and by the second
    reader; None if there is none."""
    path = STATE / "state.ink"
    if not path.exists():
        return None
    done = subprocess.run([INK, "info", str(path)], capture_output=True, text=True, check=False, timeout=PATIENCE)
    if done.returncode != 0 or done.stderr:
        fail(f"the state is damaged: {done.stderr}", words)
    sections = {section.id: section.content for section in ink_reader.read_ink(path.read_bytes()).sections}
    texts = sections[POSITION].split(b"\0")[:-1]
    pairs = list(zip(texts[::2], texts[1::2]))
    return {name.decode(): int(value) for name, value in pairs if name in
            (b"batch", b"records", b"bad", b"late", b"cut")}


def state_bytes():
    """All of the state."""
    return (STATE / "state.ink").read_bytes()


def seen(place):
    """How many records the state has looked at."""
    return 0 if place is None else place["records"] + place["bad"] + place["late"]


def forget():
    """No state, as before the first run. Nothing was left there but what belongs there."""
    left = sorted(os.listdir(STATE))
    assert left == ["lock", "state.ink"], f"left in the folder: {left}"
    shutil.rmtree(STATE)


# ---- Files -------------------------------------------------------------------------------------------------------


class Killed:
    """A stream over files that is killed again and again. Its states are at multiples of `unit` records."""

    def __init__(self, words, unit, total):
        self.words, self.unit, self.total = words, unit, total
        run_to_end(words)
        self.bytes, self.expected, self.place = state_bytes(), digest(STATE / "state.ink"), position(words)
        if seen(self.place) != total:
            fail(f"{self.place}, expected {total} records", words)
        forget()
        self.seconds = run_to_end(words)  # now that all is in the cache
        forget()

    def check_state(self, before):
        """What a kill has left; the number of records in it."""
        now = seen(position(self.words))
        if now < before or now > self.total or (now % self.unit != 0 and now != self.total):
            fail(f"a state of {now} records after one of {before}, expected a multiple of {self.unit}", self.words)
        return now

    def check_end(self):
        """The state of a stream that was never killed, byte by byte, and nothing beside it."""
        if self.bytes is not None and state_bytes() != self.bytes:
            fail(f"{position(self.words)}, and other bytes than of {self.place}", self.words)
        if digest(STATE / "state.ink") != self.expected:
            fail(f"other sketches, {position(self.words)}", self.words)
        forget()

    def finish(self):
        """Goes on to the end."""
        run_to_end(self.words)
        self.check_end()

    def kill(self, chance, count):
        """Kills it `count` times, at moments that are spread over all of a run; how many kills there were."""
        killed = before = 0
        while killed < count:
            code, said = kill_within(self.words, chance.uniform(0, self.seconds))
            if code == -signal.SIGKILL:
                killed += 1
                before = self.check_state(before)
            elif code != 0:
                fail(f"exit code {code}: {said}", self.words)
            else:
                self.check_end()
                before = 0
        self.finish()
        return killed

    def command(self):
        """The words of the whole command."""
        return [INK, "stream", *map(str, self.words), "--state", str(STATE)]


def write_keys(path, count, different=3000):
    """Lines of which some come again."""
    chance = random.Random(f"{SEED} {path}")
    pathlib.Path(path).write_text("".join(f"key {chance.randrange(different)}\n" for _ in range(count)), "utf-8")


def over_keys(count, unit, every, *options, sketches, different=3000):
    """A stream over `count` keys, with states at multiples of `unit` records."""
    write_keys("keys.txt", count, different)
    words = ["--train", "keys.txt", "--every", every, *options]
    return Killed([*words, *(word for sketch in sketches for word in ("--sketch", sketch))], unit, count)


def kinds_that_do_not_care_for_order():
    """Bloom, classic, counting, Count-Min, HyperLogLog, Flajolet-Martin, all at once."""
    return over_keys(9950, 700, 700, sketches=("bloom:n=5000", "classic:n=5000", "counting:n=5000",
                                               "count-min:width=999,depth=3", "hll", "fm"))


def kinds_that_depend_on_the_order_of_keys():
    """Top, scalable, and Count-Min with conservative updates."""
    return over_keys(9000, 500, 500, sketches=("top:phi=0.01", "scalable:n=100", "count-min:width=200,depth=3,conservative"))


def a_large_filter_whose_saves_take_most_of_the_time():
    """So that most kills come while the state is written."""
    return over_keys(3000, 250, 250, sketches=("bloom:n=4e6",))


def windows_by_the_times_of_records():
    """Ten slots that move with the records, of which some are late."""
    chance, lines = random.Random(f"{SEED} times"), []
    for i in range(7000):
        late = chance.randrange(900) if chance.random() < 0.02 else chance.randrange(20)
        lines.append(f"key {chance.randrange(900)}\t{1.6e9 + i / 10 - late:.3f}\n")
    pathlib.Path("keys.tsv").write_text("".join(lines), "utf-8")
    words = ["--train", "keys.tsv", "--key", 1, "--time", 2, "--window", "5m", "--slots", 10, "--every", 400,
             "--sketch", "bloom:n=1000", "--sketch", "hll", "--sketch", "top:phi=0.02"]
    return Killed(words, 400, 7000)


def one_in_three_batches_saved():
    """What was not saved is read again."""
    return over_keys(20000, 900, 300, "--checkpoint", 3, sketches=("counting:n=5000", "top:phi=0.01"))


def filters_that_are_begun_anew():
    """At the same records, wherever it was killed."""
    return over_keys(7000, 300, 300, "--renew", sketches=("bloom:n=1000", "counting:n=700,p=0.05"), different=20000)


def several_files_of_which_one_is_compressed():
    """Each has a place of its own; the last one is CSV with a header like the others."""
    chance, names = random.Random(f"{SEED} files"), ["a.csv", "b.csv.gz", "c.csv"]
    for name in names:
        text = "n,key\n" + "".join(f"{chance.randrange(9)},\"k \"\"{chance.randrange(3000)}\"\"\"\n" for _ in range(2500))
        opened = gzip.open if name.endswith(".gz") else open
        with opened(name, "wb") as file:
            file.write(text.encode())
    words = [word for name in names for word in ("--train", name)]
    words += ["--header", "--key", "key", "--weight", "n", "--every", 450, "--sketch", "counting:n=5000", "--sketch",
              "top:phi=0.01"]
    return Killed(words, 450, 7500)


def batches_of_time():
    """They end wherever they end; of kinds that do not care for order that makes no difference."""
    stream = over_keys(300000, 1, "2ms", sketches=("bloom:n=5000", "hll"))
    stream.bytes = None  # the number of batches is another one each time
    return stream


# ---- A file that grows -------------------------------------------------------------------------------------------


class Growing(threading.Thread):
    """Writes a file bit by bit, wherever records end; once, if wanted, another one takes its place between records, and
    it is found under its name with ".1" after it, as programs do that rotate logs."""

    def __init__(self, path, content, seconds, rotated, chance):
        super().__init__(daemon=True)
        self.path, self.pause = pathlib.Path(path), seconds / 200
        self.chance = random.Random(chance.random())
        half = content.index(b"\n", self.chance.randrange(len(content) - 100)) + 1 if rotated else len(content)
        self.parts = [part for part in (content[:half], content[half:]) if part]
        self.known = threading.Event()  # some stream has read of it: before that it could not look for its new name
        self.path.write_bytes(b"")

    def write(self, content):
        """One file, to its end."""
        at = 0
        with open(self.path, "ab", buffering=0) as file:
            while at < len(content):
                count = self.chance.randrange(1, len(content) // 50 + 2)
                file.write(content[at:at + count])
                at += count
                time.sleep(self.chance.uniform(0, self.pause))

    def run(self):
        self.write(self.parts[0])
        for part in self.parts[1:]:
            self.known.wait(PATIENCE)
            new = self.path.with_name("new")
            new.write_bytes(b"")
            os.link(self.path, f"{self.path}.1")
            os.rename(new, self.path)  # there is a file at any time
            self.write(part)


class Followed:
    """A file that grows is followed by stream after stream, each killed; the last one is ended by a signal."""

    def __init__(self, rotated):
        self.rotated = rotated
        write_keys("whole.txt", 9000)
        common = ["--every", 300, "--sketch", "top:phi=0.01", "--sketch", "bloom:n=5000"]
        self.never = Killed(["--train", "whole.txt", *common], 300, 9000)
        self.never.unit = 1  # each file is also saved when it is begun and when it has ended
        self.words = ["--train", "grows.txt", "--follow", *common]

    def kill(self, chance, count):
        """Kills it `count` times, while the file grows and after that; how many kills there were."""
        growing = Growing("grows.txt", pathlib.Path("whole.txt").read_bytes(), 2 * self.never.seconds, self.rotated, chance)
        growing.start()
        follow_until(self.words, 1)
        growing.known.set()
        killed, before = 1, 0
        while killed < count:
            code, said = kill_within(self.words, chance.uniform(0, self.never.seconds))
            if code != -signal.SIGKILL:
                fail(f"exit code {code}: {said}", self.words)
            killed += 1
            before = self.never.check_state(before)
        growing.join()
        end_followed(self.words, 9000)
        if digest(STATE / "state.ink") != self.never.expected:
            fail("other bytes", self.words)
        forget()
        for path in pathlib.Path(".").glob("grows.txt*"):
            path.unlink()
        return killed


def a_file_that_grows_meanwhile():
    """Wherever its last record is when it is read."""
    return Followed(False)


def a_file_that_another_takes_the_place_of_meanwhile():
    """What was not read of it is read under its new name."""
    return Followed(True)


def follow_until(words, total, how=signal.SIGKILL):
    """Follows a file until `total` records of it are in, and ends that by a signal; its exit code, and what it said."""
    process, until = start(words), time.monotonic() + PATIENCE
    while seen(position(words)) < total and time.monotonic() < until and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(how)
    return end(process)


def end_followed(words, total):
    """Follows a file that grows no more until all of it is in, and ends that by a signal, of which it dies."""
    code, said = follow_until(words, total, signal.SIGTERM)
    if code != -signal.SIGTERM or seen(position(words)) != total:
        fail(f"exit code {code}, {position(words)}: {said}", words)


# ---- Connections -------------------------------------------------------------------------------------------------


class Asked:
    """A connection to the questions of a stream."""

    def __init__(self):
        self.socket, self.file = connect("ask.socket"), None
        self.file = self.socket.makefile("rb")

    def info(self):
        """What INFO answers, in numbers; None when the stream is no more."""
        try:
            self.socket.sendall(b"INFO\n")
            line = self.file.readline()
        except OSError:
            return None
        fields = dict(field.split("=", 1) for field in line.decode().rstrip("\n").split("\t")[1:])
        return {name: int(value) for name, value in fields.items() if value.isdigit()} or None

    def close(self):
        """Ends it."""
        self.file.close()
        self.socket.close()


def connect(path):
    """Connects as soon as the stream listens."""
    until = time.monotonic() + PATIENCE
    while True:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(path)
            return client
        except OSError:
            client.close()
            assert time.monotonic() < until, f"no program listens at {path}"
            time.sleep(0.005)


class Sent:
    """What a client has sent, or tried to, in order."""

    def __init__(self, chance, number):
        self.chance, self.number, self.records = chance, number, []
        self.socket = connect("train.socket")

    def send(self, count):
        """`count` more records; false when the stream is no more."""
        more = [b"%d %d %s\n" % (self.number, len(self.records) + i, b"x" * self.chance.randrange(30))
                for i in range(count)]
        self.records += more
        try:
            self.socket.sendall(b"".join(more))
        except OSError:
            return False
        return True

    def send_until(self, until):
        """As much as goes up to this moment."""
        while time.monotonic() < until and self.send(self.chance.randrange(1, 200)):
            if self.chance.random() < 0.3:
                time.sleep(self.chance.uniform(0, 0.01))


def wait_for_saved(asked, records):
    """Until the stream says that `records` are saved."""
    until = time.monotonic() + PATIENCE
    while (asked.info() or {}).get("saved_records", 0) < records:
        assert time.monotonic() < until, f"{records} records were never saved"
        time.sleep(0.002)


class Connected:
    """One client sends, one asks how far it is. What was acknowledged is there after a kill, and the state is that of the
    first records that were sent; of those that had arrived for sure less than a batch is lost."""

    batch = 50
    words = ["--train", "unix:train.socket", "--ask", "unix:ask.socket", "--every", batch, "--sketch", "counting:n=1e5",
             "--sketch", "hll"]

    def kill_once(self, chance, number, before):
        """One stream, from its start to its end by a kill, after a number of records; those that it has saved."""
        process = start(self.words)
        sent, asked = Sent(chance, number), Asked()
        sender = threading.Thread(target=sent.send_until, args=(time.monotonic() + chance.uniform(0, 0.1),))
        sender.start()
        quiet, known = chance.random() < 0.5, before
        while sender.is_alive():
            known = max(known, (asked.info() or {}).get("saved_records", 0))
            time.sleep(0.003)
            if not quiet and chance.random() < 0.1:
                break
        if quiet:  # all that is whole has arrived, and been saved
            sender.join()
            known = before + len(sent.records) // self.batch * self.batch
            wait_for_saved(asked, known)
        process.kill()
        end(process)
        sender.join()
        asked.close()
        sent.socket.close()
        now = seen(position(self.words))
        if now < known or now % self.batch != 0 or now > before + len(sent.records):
            fail(f"{now} records, {known} were acknowledged of {before} and {len(sent.records)}", self.words)
        if quiet and before + len(sent.records) - now >= self.batch:
            fail(f"{before + len(sent.records) - now} records were lost", self.words)
        return sent.records[:now - before]

    def kill(self, chance, count):
        """Kills it `count` times; how many kills there were."""
        kept = []
        for number in range(count):
            kept += self.kill_once(chance, number, len(kept))
        if kept:
            pathlib.Path("kept.txt").write_bytes(b"".join(kept))
            subprocess.run([INK, "build", "counting,hll", "-n", "1e5", "kept.txt", "-o", "kept.ink", "--force"], check=True,
                           capture_output=True, timeout=PATIENCE)
            if digest("kept.ink") != digest(STATE / "state.ink"):
                fail("other bytes than of the records that were sent first", self.words)
        shutil.rmtree(STATE)
        for name in ("train.socket", "ask.socket"):
            pathlib.Path(name).unlink(missing_ok=True)
        return count


def what_connections_had_sent_is_saved_up_to_the_last_batch():
    """What was acknowledged, of records that cannot be sent again."""
    return Connected()


STREAMS = [
    kinds_that_do_not_care_for_order,
    kinds_that_depend_on_the_order_of_keys,
    a_large_filter_whose_saves_take_most_of_the_time,
    windows_by_the_times_of_records,
    one_in_three_batches_saved,
    filters_that_are_begun_anew,
    several_files_of_which_one_is_compressed,
    batches_of_time,
    a_file_that_grows_meanwhile,
    a_file_that_another_takes_the_place_of_meanwhile,
    what_connections_had_sent_is_saved_up_to_the_last_batch,
]
