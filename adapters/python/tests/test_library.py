"""The shared library: its structs are those of the C headers, and it is found, or missed, as documented."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import inkling
from inkling import _library, library

PACKAGE = Path(inkling.__file__).parent
INCLUDE = Path(os.environ.get("INK_SOURCE", PACKAGE.parents[2])) / "include"
HEADERS = sorted(path.name for path in INCLUDE.glob("*.h"))

STRUCTS: dict[str, type[ctypes.Structure]] = {
    name: value
    for name, value in vars(_library).items()
    if name.startswith("Ink") and isinstance(value, type) and issubclass(value, ctypes.Structure)
}


def c_name(name: str) -> str:
    """InkMergeOptions is ink_merge_options."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


@pytest.fixture(scope="module")
def headers() -> str:
    if not INCLUDE.is_dir():
        pytest.skip("the C headers are not here")
    text = "".join((INCLUDE / name).read_text() for name in HEADERS)
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def compiler() -> list[str]:
    command = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no C compiler {command[0]}")
    return command


def test_every_struct_is_as_c_has_it(
    compiler: list[str], headers: str, tmp_path: Path, plain_environment: dict[str, str]
) -> None:
    lines = [f'#include "{name}"' for name in HEADERS] + ["#include <stdio.h>", "int main(void) {"]
    expected = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({c_name(name)}));')
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            measured = f"offsetof({c_name(name)}, {field}), sizeof((({c_name(name)} *)0)->{field})"
            lines.append(f'printf("{name}.{field} %zu %zu\\n", {measured});')
            has = getattr(struct, field)
            expected.append(f"{name}.{field} {has.offset} {has.size}")
    source = tmp_path / "layout.c"
    source.write_text("\n".join([*lines, "return 0; }", ""]))
    program = tmp_path / "layout"
    command = [*compiler, "-std=c11", f"-I{INCLUDE}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, env=plain_environment)
    printed = subprocess.run(
        [str(program)], check=True, capture_output=True, text=True, env=plain_environment
    ).stdout
    assert printed.splitlines() == expected


def test_every_struct_of_the_headers_is_there_with_all_its_fields(headers: str) -> None:
    declared = re.findall(r"\n(?:typedef )?struct (\w+) \{(.*?)\n\}(?: \1)?;", headers, flags=re.DOTALL)
    assert {name for name, _ in declared} == {c_name(name) for name in STRUCTS}
    by_c_name = {c_name(name): struct for name, struct in STRUCTS.items()}
    for name, body in declared:
        fields = []
        for statement in body.split(";"):
            pointer = re.search(r"\(\*(\w+)\)", statement)
            if pointer:
                fields.append(pointer[1])
                continue
            for part in statement.split(",") if statement.strip() else []:
                fields.append(re.search(r"(\w+)\s*(\[\w+\])?\s*$", part)[1])  # type: ignore[index]
        assert [field for field, *_ in by_c_name[name]._fields_] == fields, name


def test_every_function_of_the_headers_has_its_signature(headers: str) -> None:
    code = re.sub(r"^#.*$", "", headers, flags=re.MULTILINE)
    declared = dict(re.findall(r"INK_API[^;(]*?(\w+)\((.*?)\);", code, flags=re.DOTALL))
    assert set(declared) == set(_library.SIGNATURES)
    for name, text in declared.items():
        depth, count = 0, 1 if text.strip() != "void" else 0
        for letter in text:
            depth += {"(": 1, ")": -1}.get(letter, 0)
            count += letter == "," and depth == 0
        assert len(_library.SIGNATURES[name][1]) == count, name
        gives_status = re.search(rf"INK_API\s+ink_status\s+{name}\(", headers) is not None
        assert gives_status == (name in _library._STATUS_CALLS), name


def test_every_number_of_the_headers_is_the_same(headers: str) -> None:
    enums = re.findall(r"enum(?: \w+)? \{(.*?)\}", headers, flags=re.DOTALL)
    checked = 0
    for body in enums:
        value = -1
        for part in filter(None, (piece.strip() for piece in body.split(","))):
            name, _, given = (text.strip() for text in part.partition("="))
            value = int(given) if given else value + 1
            ours = getattr(_library, name.removeprefix("INK_").removeprefix("AT_"), None)
            if ours is not None:
                assert ours == value, name
                checked += 1
    for name, given in re.findall(r"#define INK_(\w+) (\d+)", headers):
        ours = getattr(_library, name, None)
        if ours is not None:
            assert ours == int(given), name
            checked += 1
    assert checked >= 30


def test_every_status_has_its_exception(headers: str) -> None:
    from inkling._errors import _CLASSES

    body = re.search(r"typedef enum ink_status \{(.*?)\}", headers, flags=re.DOTALL)[1]  # type: ignore[index]
    names = [part.split("=")[0].strip() for part in body.split(",") if part.strip()]
    assert len(names) == len(_CLASSES)
    for number, name in enumerate(names):
        assert _library.lib.ink_status_name(number).decode() == name
        if number:
            assert _CLASSES[number].status == name


def test_a_function_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="ink_nothing is no function of the library"):
        _library.lib.ink_nothing


def test_the_version_is_the_library_s() -> None:
    assert _library.lib.ink_version().decode() == inkling.__version__


def import_error(folder: Path, **environment: str) -> str:
    """The last line of what `import inkling` of the package in `folder` says, in a new interpreter."""
    dropped = (_library.VARIABLE, "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    program = "import inkling, sys; from inkling import _library; print(_library.library_path)"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", program],
        env={**kept, "PYTHONPATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stderr if done.returncode else done.stdout).strip().splitlines()[-1]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package in a folder of its own, whose name looks like a pattern, without a library."""
    ignore, folder = shutil.ignore_patterns("libinkling*", "__pycache__"), tmp_path / "[a]*"
    shutil.copytree(PACKAGE, folder / "inkling", ignore=ignore)
    return folder


def test_a_path_in_the_environment_that_does_not_load_is_the_error(copied: Path) -> None:
    said = import_error(copied, INKLING_LIBRARY=str(copied / "nowhere.so"))
    assert said.startswith(f"ImportError: cannot load the Inkling library {copied / 'nowhere.so'}: ")


def test_the_library_beside_the_package_is_found(copied: Path) -> None:
    shutil.copy(_library.library_path, copied / "inkling" / "libinkling.so")
    assert import_error(copied) == str(copied / "inkling" / "libinkling.so")


def test_the_environment_goes_before_what_is_beside_the_package(copied: Path) -> None:
    shutil.copy(_library.library_path, copied / "inkling" / "libinkling.so")
    shutil.copy(_library.library_path, copied / "other.so")
    assert import_error(copied, INKLING_LIBRARY=str(copied / "other.so")) == str(copied / "other.so")


def test_the_library_of_the_system_is_found_where_there_is_no_other(copied: Path) -> None:
    (copied / "system").mkdir()
    shutil.copy(_library.library_path, copied / "system" / "libinkling.so.1")
    assert import_error(copied, LD_LIBRARY_PATH=str(copied / "system")) == "libinkling.so.1"


def test_none_says_where_it_looked_and_what_to_do(copied: Path) -> None:
    said = import_error(copied)
    if not said.startswith("ImportError"):
        pytest.skip("this system has the library installed")
    assert said == (
        "ImportError: found no Inkling library: INKLING_LIBRARY is not set, there is no libinkling beside "
        f"the package in {copied / 'inkling'}, and the system has no libinkling.so.1; install one, or set "
        "INKLING_LIBRARY to its path"
    )


def test_the_file_of_the_library_is_known_also_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    path = library.path()
    assert library.digest() == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    monkeypatch.setattr(_library, "library_path", Path(path).name)
    assert Path(library.path()).samefile(path)
    monkeypatch.setattr(_library, "library_path", "libnowhere.so.0")
    assert library.path() == "libnowhere.so.0"


def test_a_zip_that_lists_a_library_loads_it(tmp_path: Path) -> None:
    shutil.copy(library.path(), tmp_path / "sent.so")
    zipped = tmp_path / "inkling.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        for module in PACKAGE.glob("*.py"):
            archive.write(module, f"inkling/{module.name}")
        archive.writestr(*library.listing({platform.machine(): "sent.so", "other": "other.so"}))
    assert import_error(zipped, INKLING_LIBRARY="/nowhere.so") == str(tmp_path / "sent.so")


VERSION = 'const char *ink_version(void);\nconst char *ink_version(void) {{ return "{}"; }}\n'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(
            VERSION.format("9.8.7"), f"is Inkling 9[.]8[.]7, expected {re.escape(inkling.__version__)}", id="version"
        ),
        pytest.param("int nothing;\n", "is not the Inkling library: it has no ink_version", id="other"),
        pytest.param(
            VERSION.format(inkling.__version__),
            r"has no ink_\w+, expected the Inkling library of this package",
            id="lacks a function",
        ),
    ],
)
def test_a_library_that_does_not_fit_is_refused_by_its_path(
    source: str, message: str, copied: Path, compiler: list[str], plain_environment: dict[str, str]
) -> None:
    file, other = copied / "other.c", copied / "other.so"
    file.write_text(source)
    command = [*compiler, "-shared", "-fPIC", str(file), "-o", str(other)]
    subprocess.run(command, check=True, env=plain_environment)
    said = import_error(copied, INKLING_LIBRARY=str(other))
    assert re.fullmatch(f"ImportError: {re.escape(str(other))} {message}", said), said


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert sys.version_info >= (3, 10)
