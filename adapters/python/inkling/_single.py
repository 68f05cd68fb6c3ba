"""One key at a time: by the compiled module where it loads, else by one plain call of C for each.

The module (``native.c``) is built for the limited API, which PyPy and interpreters without the global lock do
not have; INKLING_PLAIN does without it too. What stands in for it (``_plain``) does the same, slower.
"""

from __future__ import annotations

import os
import sys
from ctypes import addressof, c_char_p, c_uint64, c_void_p, cast
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from typing import TYPE_CHECKING, Any

from ._library import KEY_BYTES, KEY_INT, InkBatch, __version__, call, library_path, pylib
from ._plain import signed

#: Set to anything, it keeps the compiled module from being loaded.
VARIABLE = "INKLING_PLAIN"
_FILE = "_native.abi3.so"


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
    from ._plain import Keys as Keys, pack as pack, quicken as quicken
else:
    Keys, quicken, pack = native.Keys, native.quicken, native.pack


# ---- With the reason, if it fails -------------------------------------------------------------------------


def type_of(key: bytes | int) -> int:
    return KEY_INT if isinstance(key, int) else KEY_BYTES


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
