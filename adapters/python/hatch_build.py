"""Puts the shared library and the compiled module into the wheel, and says for which machine they are;
`make wheel` calls it.

INKLING_LIBRARY names the library, and the module stands beside it. A wheel without the library would import
nowhere, so there is none; where the module does not load the package does without it, so any Python 3 will do.
"""

from __future__ import annotations

import os
import pathlib
import struct
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LICENSE = pathlib.Path(__file__).resolve().parents[2] / "LICENSE"
NATIVE = "_native.abi3.so"
# What e_machine of an ELF file says, as the tags of wheels have it.
MACHINES = {62: "x86_64", 183: "aarch64", 22: "s390x", 21: "ppc64le", 243: "riscv64"}


def machine_of(library: str) -> str:
    """The machine that a library is for, which need not be this one."""
    with open(library, "rb") as file:
        head = file.read(20)
    if head[:4] != b"\x7fELF" or len(head) < 20:
        raise ValueError(f"{library}: found no ELF file, expected a shared library for Linux")
    order = "<" if head[5] == 1 else ">"
    number = struct.unpack_from(f"{order}H", head, 18)[0]
    if number not in MACHINES:
        raise ValueError(f"{library}: found machine {number}, expected one of {sorted(MACHINES)}")
    return MACHINES[number]


class LibraryHook(BuildHookInterface[Any]):
    """Called by hatchling before a wheel is written."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = os.environ.get("INKLING_LIBRARY")
        if version == "editable":  # finds its library as a source tree does
            return
        if not library:
            raise ValueError("INKLING_LIBRARY is not set, expected the path of libinkling.so: run make wheel")
        native = os.path.join(os.path.dirname(os.path.abspath(library)), NATIVE)
        if not os.path.exists(native):
            raise ValueError(f"{native}: is not there, expected the compiled module: run make python")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{machine_of(library)}"
        build_data["force_include"][os.path.realpath(library)] = "inkling/libinkling.so"
        build_data["force_include"][native] = f"inkling/{NATIVE}"
        build_data["force_include"][str(LICENSE)] = "inkling/LICENSE"
