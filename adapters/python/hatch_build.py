"""Puts what is compiled into the wheel, and says for which machine it is; `make wheel` and `make wheels` call it.

INKLING_LIBRARY names the library, and the compiled module stands beside it. A wheel without the library would import
nowhere, so there is none; a source distribution makes both, with the compiler of the machine. Where the module does not
load the package does without it, so any Python 3 will do. INKLING_JARS names jars, as PATH does, and INKLING_NOTICES
licences of what is linked in. INKLING_PLATFORM says on which machines the wheel runs, if those are more than its machine type.
"""

from __future__ import annotations

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = pathlib.Path(__file__).resolve().parent
SENT = HERE / "tree"  # a source distribution has there what it needs of the repository
ROOT = SENT if SENT.is_dir() else HERE.parents[1]
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


def compile_library(folder: str) -> str:
    """Makes the library by the Makefile of a source distribution, with the system's zlib and zstd; and the module, where
    there are headers of Python."""
    words = ["make", "-s", "-C", str(ROOT), f"OUT={folder}", "HTTP=no", "WERROR=", "compression_libs=-lzstd -lz"]
    words.append(f"PYTHON={sys.executable}")
    done = subprocess.run([*words, "library"], capture_output=True, text=True, check=False)
    subprocess.run([*words, os.path.join(folder, NATIVE)], capture_output=True, check=False)
    if done.returncode != 0:
        why = (done.stderr.strip() or done.stdout.strip() or "no reason was given").splitlines()[-1]
        raise ValueError(f"the library cannot be compiled: {why}")
    return os.path.join(folder, "libinkling.so")


def named(variable: str) -> list[str]:
    """The paths that a variable names."""
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]


class LibraryHook(BuildHookInterface[Any]):
    """Called by hatchling before a wheel is written."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = os.environ.get("INKLING_LIBRARY")
        if version == "editable":  # finds its library as a source tree does
            return
        if not library and SENT.is_dir():
            self.made = tempfile.TemporaryDirectory()  # until the wheel is written
            library = compile_library(self.made.name)
        if not library:
            raise ValueError("INKLING_LIBRARY is not set, expected the path of libinkling.so: run make wheel")
        native = os.path.join(os.path.dirname(os.path.abspath(library)), NATIVE)
        if not os.path.exists(native) and not SENT.is_dir():
            raise ValueError(f"{native}: is not there, expected the compiled module: run make python")
        platform = os.environ.get("INKLING_PLATFORM") or f"linux_{machine_of(library)}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        include = build_data["force_include"]
        include[os.path.realpath(library)] = "inkling/libinkling.so"
        include[str(ROOT / "LICENSE")] = "inkling/LICENSE"
        include[str(ROOT / "adapters/spark/inkling/spark")] = "inkling/spark"
        if os.path.exists(native):
            include[native] = f"inkling/{NATIVE}"
        include.update({path: f"inkling/{os.path.basename(path)}" for path in named("INKLING_NOTICES")})
        include.update({path: f"inkling/jars/{os.path.basename(path)}" for path in named("INKLING_JARS")})
