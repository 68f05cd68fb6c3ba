"""One key at a time: by the compiled module where it loads, else by one plain call of C for each.

The module (``native.c``) is built for the limited API, which PyPy and interpreters without the global lock do
not have; INKLING_PLAIN does without it too. What stands in for it here does the same, slower.
"""

from __future__ import annotations

import os
import sys
from array import array
from ctypes import addressof, c_char_p, c_uint64, c_void_p, cast
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ._library import KEY_BYTES, KEY_INT, InkBatch, __version__, call, library_path, pylib

#: Set to anything, it keeps the compiled module from being loaded.
VARIABLE = "INKLING_PLAIN"
_FILE = "_native.abi3.so"
INT_MIN, INT_MAX, UINT_MAX = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1


def _address_of(name: str) -> int | None:
    return cast(pylib.untyped(name), c_void_p).value


def _load() -> Any:
    """The compiled module, which stands beside the package or the library; None if there is none that this
    interpreter loads."""
    fits = sys.implementation.name == "cpython" and "t" not in sys.abiflags
    if not fits or os.environ.get(VARIABLE):
        return None
    folders = os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.abspath(library_path))
    path = next(filter(os.path.exists, (os.path.join(folder, _FILE) for folder in folders)), None)
    if path is None:
        return None
    name = f"{__package__}._native"
    loader = ExtensionFileLoader(name, path)
    try:
        module: Any = loader.create_module(ModuleSpec(name, loader, origin=path))
        loader.exec_module(module)
    except (ImportError, SystemError):  # as an interpreter says that it is of another kind
        return None
    if module.version != __version__:
        raise ImportError(f"{path} is of Inkling {module.version}, expected {__version__}", path=path)
    module.bind(_address_of)
    return module


native = _load()

if TYPE_CHECKING or native is None:

    class Keys:
        """The base of a sketch: what it answers one key at a time."""

        __slots__ = ("_pointers", "_unwatched")

        _pointers: int  # where the Pointers of its handle lock stand
        _unwatched: int  # keys that may be added until the rate is looked at; below 0: none the quick way

        def __contains__(self, key: Any) -> bool:
            found: bool = self._contains_slowly(key)  # type: ignore[attr-defined]
            return found

    def quicken(kind: type, name: str, text: str) -> None:
        """Puts a compiled method before one in Python of the same name."""

    def pack(keys: list[Any], values: bytearray, data: bytearray, takes: str) -> str:
        """Appends keys to the buffers of an Arrow column, all or none. Returns its format: "l" ints, "Z" texts,
        of which `values` are the offsets; "" if the keys are not all of one, or it is not in `takes`, where
        "L" stands for ints up to 2^64 - 1."""
        kinds = set(map(type, keys))
        if kinds == {int}:
            if "L" in takes and INT_MIN <= min(keys) and INT_MAX < max(keys) <= UINT_MAX:
                keys = list(map(signed, keys))
            if not ("l" in takes or "L" in takes) or not INT_MIN <= min(keys) <= max(keys) <= INT_MAX:
                return ""
            values += array("q", keys).tobytes()
            return "l"
        if not kinds or not kinds <= {str, bytes} or "Z" not in takes:
            return ""
        try:
            texts = [key if type(key) is bytes else key.encode() for key in keys]
        except UnicodeEncodeError:
            return ""
        ends = list(accumulate(map(len, texts), initial=len(data)))
        values += array("q", ends[1:] if values else ends).tobytes()
        data += b"".join(texts)
        return "Z"

else:
    Keys, quicken, pack = native.Keys, native.quicken, native.pack


# ---- With the reason, if it fails -------------------------------------------------------------------------


def type_of(key: bytes | int) -> int:
    return KEY_INT if isinstance(key, int) else KEY_BYTES


def signed(key: int) -> int:
    """An int up to 2^64 - 1 as the signed one of the same bits."""
    return key if key <= INT_MAX else key - (1 << 64)


def call_one(name: str, handle: int, key: bytes | int, *more: Any) -> None:
    """Calls a function of the library about one key."""
    if isinstance(key, int):
        call(getattr(pylib, f"{name}_int"), handle, signed(key), *more)
    else:
        call(getattr(pylib, name), handle, key, len(key), *more)


class OneWeighted:
    """A batch of one key with a weight; keeps alive what it points to."""

    def __init__(self, key: bytes | int, weight: int) -> None:
        self.struct = InkBatch(count=1)
        self._kept = (c_uint64 * 3)(signed(key) if isinstance(key, int) else 0, 0, weight), key
        first = addressof(self._kept[0])
        self.struct.weights = first + 16
        if isinstance(key, int):
            self.struct.ints = first
        else:
            self._kept[0][1] = len(key)
            self.struct.offsets = first
            self.struct.data = cast(c_char_p(key), c_void_p).value
