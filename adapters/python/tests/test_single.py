"""One key at a time: the compiled module and what stands in for it do the same."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import pytest

from inkling import _plain, _single

TESTS = pathlib.Path(__file__).parent
is_plain = bool(os.environ.get(_single.VARIABLE))
WAYS = [_plain.pack] if is_plain else [_plain.pack, _single.native.pack]


def test_the_way_that_was_asked_for_is_under_test() -> None:
    assert (_single.native is None) == is_plain


@pytest.mark.skipif(is_plain, reason="this is that run")
@pytest.mark.parametrize("name", ["test_sketch", "test_inputs", "test_threads", "test_fork", "test_single"])
def test_all_holds_without_the_compiled_module(name: str) -> None:
    words = [sys.executable, *("-X", "dev", "-W", "error"), "-m", "pytest", "-c", TESTS.parent / "pyproject.toml"]
    done = subprocess.run(
        [*words, "-q", "-p", "no:cacheprovider", TESTS / f"{name}.py"],
        env={**os.environ, _single.VARIABLE: "1"}, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert " passed" in done.stdout


class Text(str):
    pass


BYTES = [b"", b"a", b"\0", b"x" * 300]
#: Keys, what is taken, and the format that they are packed into.
LISTS: list[tuple[list[Any], str, str]] = [
    ([], "ZL", ""),
    (["a", "", "bc"], "ZL", "Z"),
    (["a", b"b", "c" * 100], "ZL", "Z"),
    (["\xe9", "\u20ac", "\U0001f600", "a\0b"], "Z", "Z"),
    (BYTES * 500, "ZL", "Z"),
    (["a"], "Ll", ""),
    (["a", 1], "ZL", ""),
    ([1, "a"], "ZL", ""),
    (["a", None], "ZL", ""),
    (["a", Text("b")], "ZL", ""),
    (["a", "\ud800"], "ZL", ""),
    ([1, True], "ZL", ""),
    ([0, -1, 2**63 - 1, -(2**63)], "l", "l"),
    ([0, 2**63, 2**64 - 1, -(2**63)], "ZL", "l"),
    ([0, 2**63], "l", ""),
    ([0, 2**64], "ZL", ""),
    ([0, -(2**63) - 1], "ZL", ""),
    ([1, 2], "Z", ""),
    ([1.5], "ZL", ""),
]


@pytest.mark.parametrize("pack", WAYS)
@pytest.mark.parametrize(("keys", "takes", "expected"), LISTS)
def test_keys_are_packed_all_or_none(pack: Any, keys: list[Any], takes: str, expected: str) -> None:
    values, data = bytearray(), bytearray()
    begun = {"l": [7, 8], "Z": ["one", "two"]}.get(expected, [])
    for chunk, format in ((begun, expected if begun else ""), (keys, expected), (keys, expected)):
        before = bytes(values), bytes(data)
        # Those before and after are not looked at.
        assert pack([None, *chunk, None], 1, 1 + len(chunk), values, data, takes) == format
        assert format or before == (values, data)
    numbers = memoryview(values).cast("q").tolist()
    added = begun + keys + keys if expected else []
    if expected == "Z":
        texts = [key if isinstance(key, bytes) else key.encode() for key in added]
        assert [bytes(data[start:end]) for start, end in zip(numbers, numbers[1:])] == texts
    else:
        assert numbers == [_plain.signed(key) for key in added] and not data


@pytest.mark.parametrize("pack", WAYS)
@pytest.mark.parametrize(("start", "stop"), [(0, 4), (-1, 2), (2, 1), (3, 4), (2**62, 2**62 + 1)])
def test_what_a_list_does_not_have_is_not_packed(pack: Any, start: int, stop: int) -> None:
    values, data = bytearray(), bytearray()
    assert pack(["a", "b", "c"], start, stop, values, data, "ZL") == ""
    assert not values and not data


def imported(library: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """Imports the package with the library in a folder, and prints the compiled module that it has."""
    code = "import inkling._single; print(inkling._single.native, 'a' in inkling.Sketch('bloom', n=9).add('a'))"
    env = {**os.environ, "INKLING_LIBRARY": str(library)}
    return subprocess.run([sys.executable, "-c", code], env=env, text=True, capture_output=True, check=False)


@pytest.mark.skipif(is_plain, reason="no module is loaded")
def test_what_is_no_module_is_done_without_and_another_version_is_refused(
    tmp_path: pathlib.Path, library: pathlib.Path
) -> None:
    path = tmp_path / library.name
    path.symlink_to(library.resolve())
    assert imported(path).stdout == "None True\n"
    module = tmp_path / "_native.abi3.so"
    module.write_bytes(b"no module")
    assert imported(path).stdout == "None True\n"
    encoded = (library.parent / module.name).read_bytes()
    version = f"{_single.native.version}\0".encode()
    assert encoded.count(version) == 1
    module.write_bytes(encoded.replace(version, b"9" * (len(version) - 1) + b"\0"))
    last = imported(path).stderr.strip().splitlines()[-1]
    expected = f"of Inkling {'9' * (len(version) - 1)}, expected {_single.native.version}"
    assert last == f"ImportError: {module} is {expected}"
    shutil.copy(library.parent / module.name, module)
    assert "_native" in imported(path).stdout
