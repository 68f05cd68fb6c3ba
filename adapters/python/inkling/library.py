"""The shared library that this process has loaded, and how one travels to other machines with the package."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Mapping

from . import _library

__all__ = ["digest", "listing", "path"]


def path() -> str:
    """The file that was loaded, also where the system found it by its name.

    >>> from inkling import library
    >>> "libinkling" in library.path()
    True
    """
    found = _library.library_path
    return found if os.path.dirname(found) else _mapped(found) or found


def _mapped(name: str) -> str | None:
    """The file that was loaded under a name without a folder."""
    stem = name.split(".so")[0]
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(maxsplit=5)
            if len(fields) == 6 and os.path.basename(fields[5]).startswith(stem):
                return fields[5]
    return None


@functools.cache
def digest() -> str:
    """SHA-256 of the file, in hex, read at the first call; OSError if it is not there any more."""
    with open(path(), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def listing(libraries: Mapping[str, str]) -> tuple[str, bytes]:
    """What makes a zip of this package load a library that stands beside the zip: a file more in the zip, as
    its name there and its content.

    `libraries` are the names of files in the folder of the zip, by machine (``platform.machine()``). Who
    imports the package from the zip gets that of its machine, whatever else its environment names.

    >>> from inkling import library
    >>> name, content = library.listing({"x86_64": "libinkling-x86_64.so"})
    >>> name, b"libinkling-x86_64.so" in content
    ('inkling/_sent.py', True)
    """
    listed = "".join(f"    {machine!r}: {name!r},\n" for machine, name in sorted(libraries.items()))
    text = f'"""The libraries beside this zip, by machine."""\n\nLIBRARIES = {{\n{listed}}}\n'
    return f"{__package__}/{_library.LISTING}.py", text.encode()
