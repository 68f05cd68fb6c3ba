#!/usr/bin/env python3
"""Makes a DuckDB extension of a shared library: appends what DuckDB reads from the end of the file before it loads it.

    duckdb_footer.py LIBRARY EXTENSION VERSION MACHINE

VERSION is that of the extension; MACHINE is what `cc -dumpmachine` prints. The footer is a custom section of
WebAssembly, so that one format serves all platforms: its name, eight fields of 32 bytes from the last to the first, and
room for a signature, which is left empty: such an extension is loaded with allow_unsigned_extensions.
"""
import pathlib
import sys

API = "v1.2.0"  # the version of the table of functions, which adapters/duckdb/api.h declares
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
NAME = b"duckdb_signature"
FIELD_BYTES, SIGNATURE_BYTES = 32, 256


def leb128(number):
    """An unsigned number as WebAssembly has it."""
    out = bytearray()
    while True:
        number, low = number >> 7, number & 127
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)


def footer(version, platform):
    fields = ("", "", "", "C_STRUCT", version, API, platform, "4")
    payload = b"".join(field.encode().ljust(FIELD_BYTES, b"\0") for field in fields) + bytes(SIGNATURE_BYTES)
    body = leb128(len(NAME)) + NAME + leb128(len(payload)) + payload
    return b"\0" + leb128(len(body)) + body


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.splitlines()[2].strip())
    library, extension, version, machine = sys.argv[1:]
    architecture = ARCHITECTURES.get(machine.split("-")[0])
    if architecture is None or "linux" not in machine:
        sys.exit(f"make: {machine}: expected Linux on {' or '.join(ARCHITECTURES)}, which DuckDB has a name for")
    pathlib.Path(extension).write_bytes(pathlib.Path(library).read_bytes() + footer(version, f"linux_{architecture}"))


if __name__ == "__main__":
    main()
