"""What the tests of foreign formats share: the command, and keys of every sort.

INK_FOREIGN_ROUNDS says how many random sketches of each format are compared: 50 in make test-foreign, 1,000 in
make interop. INK_TEST_SEED repeats a run.
"""
import os
import random
import subprocess

import pytest

pytest_plugins = ["sketches", "systems_java"]

ROUNDS = int(os.environ.get("INK_FOREIGN_ROUNDS", "50"))
SEED = int(os.environ.get("INK_TEST_SEED", "1"))


def pytest_generate_tests(metafunc):
    """A test that takes `rng` runs once for each round, with random numbers of its own."""
    if "rng" in metafunc.fixturenames:
        metafunc.parametrize("rng", range(SEED, SEED + ROUNDS), indirect=True)


@pytest.fixture
def rng(request):
    return random.Random(request.param)


@pytest.fixture
def ink(tmp_path):
    """Runs the command in an empty folder; fails with its error line unless it ends with this code, or any for None.
    Keys go in as records that end with NUL. Gives the output, or with `error` what it says."""
    def run(*arguments, data=None, code=0, error=False):
        done = subprocess.run([os.environ["INK_COMMAND"], *map(str, arguments)], input=data, cwd=tmp_path,
                              capture_output=True, check=False)
        assert code is None or done.returncode == code, done.stderr.decode()
        return done.stderr if error else done.stdout
    return run


@pytest.fixture
def files(tmp_path):
    """Files in the folder of `ink`: set, or got."""
    def file(name, data=None):
        return (tmp_path / name).read_bytes() if data is None else (tmp_path / name).write_bytes(data)
    return file


def text_keys(rng, count):
    """Distinct keys as bytes of UTF-8: empty, short, long, of characters below and above U+0080 and U+FFFF."""
    keys = {""}
    while len(keys) < count:
        letters = rng.choice(["abc", "aé€", "é€😀\u00ff", "0123456789"])
        keys.add("".join(rng.choices(letters, k=rng.choice([1, 2, 3, 5, 8, 13, 15, 16, 17, 31, 33, 40, 300]))))
    return [key.encode() for key in rng.sample(sorted(keys), count)]


def int_keys(rng, count):
    """Distinct integers of 64 bits, the ends among them."""
    keys = {0, -1, 2**63 - 1, -(2**63), 2**31, -(2**31) - 1}
    while len(keys) < count:
        keys.add(rng.choice([1, -1]) * rng.getrandbits(rng.randint(1, 62)))
    return rng.sample(sorted(keys), count)


def records(keys):
    """Keys as the input of --in nul."""
    return b"".join((str(key).encode() if isinstance(key, int) else key) + b"\0" for key in keys)
