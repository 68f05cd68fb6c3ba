#!/usr/bin/env python3
"""Installs the library into a scratch folder and uses it as a non-member would.

Prints TAP lines and exits with the number of failed tests. Runs in an empty scratch folder; what is installed is the
build under test, in the folder of INK_LIBRARY (else build/).
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import tap  # noqa: E402

HERE = pathlib.Path.cwd()
# Below the root as the Makefile names it, for which its notes on what depends on what are made.
OUT = os.path.relpath(os.path.dirname(os.environ.get("INK_LIBRARY", ROOT / "build" / "libinkling.so")), ROOT)
EXAMPLE = ROOT / "examples" / "filter.c"
ANSWER = "bee: maybe, cat: no\n"
# The example reads no data; this takes in what needs other libraries, as a program does that does.
READER = "-u,ink__decompress_open"
CMAKE_LISTS = f"""
cmake_minimum_required(VERSION 3.13)
project(non-member C)
find_package(inkling 0.2.0 REQUIRED)
add_executable(shared {EXAMPLE})
target_link_libraries(shared inkling::inkling)
add_executable(static {EXAMPLE})
target_link_libraries(static inkling::static)
target_link_options(static PRIVATE LINKER:{READER})
"""


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}: {done.stderr}"
    return done.stdout


def given_variables():
    """What was given to the make that runs this, as CC=clang: the same build is wanted, without another compilation.
    OUT and the folders are this test's."""
    words = shlex.split(os.environ.get("MAKEFLAGS", "").replace("$$", "$"))
    given = words[words.index("--") + 1:] if "--" in words else []
    return [word for word in given if not re.match(r"(OUT|DESTDIR|PREFIX|[A-Z]+DIR)=", word)]


def environment():
    """Without what another make, or the environment, has said about folders."""
    own = re.compile(r"MAKEFLAGS|MFLAGS|MAKELEVEL|OUT|DESTDIR|PREFIX|(BIN|LIB|INCLUDE|DATA|MAN)DIR")
    return {name: value for name, value in os.environ.items() if not own.fullmatch(name)}


def make(target, prefix, destdir=""):
    """Variables go as words, which win over those of the Makefile and of the environment."""
    run("make", "-s", "-C", str(ROOT), target, *given_variables(), f"OUT={OUT}", f"PREFIX={prefix}",
        f"DESTDIR={destdir}", env=environment())


def check_answer(program, libraries=None):
    variables = dict(os.environ)
    if libraries:
        variables["LD_LIBRARY_PATH"] = str(libraries)
    answer = run(str(program), env=variables)
    pathlib.Path("words.ink").unlink()
    assert answer == ANSWER, f"printed {answer!r}"


def files_below(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir())


PREFIX = HERE / "usr"


def commands():
    """Those that the installed command lists."""
    return re.findall(r"^  (?:[a-z]+ +| +)([a-z]+)  +\S", run(str(PREFIX / "bin/ink"), "help"), re.M)


def installs_everything():
    make("install", PREFIX)
    assert files_below(PREFIX) == sorted([
        "bin/ink",
        "bin/ink-hadoop",
        "lib/cmake/inkling/inklingConfig.cmake",
        "lib/cmake/inkling/inklingConfigVersion.cmake",
        "lib/inkling/hadoop/ink",
        "lib/inkling/hadoop/ink-hadoop",
        "lib/libinkling.a",
        "lib/libinkling.so",
        "lib/libinkling.so.1",
        "lib/libinkling.so.0.2.0",
        "lib/pkgconfig/inkling.pc",
        "share/bash-completion/completions/ink",
        "share/fish/vendor_completions.d/ink.fish",
        "share/man/man1/ink.1",
        "share/zsh/site-functions/_ink",
    ] + [f"include/{path.name}" for path in (ROOT / "include").glob("*.h")]
      + [f"share/man/man1/ink-{name}.1" for name in commands()]
      + [f"lib/inkling/hadoop/inkhadoop/{path.name}" for path in (ROOT / "adapters/hadoop/inkhadoop").glob("*.py")]), \
        files_below(PREFIX)


def installs_the_build_under_test():
    for installed, built in (("bin/ink", "ink"), ("lib/libinkling.a", "libinkling.a"),
                             ("lib/libinkling.so", "libinkling.so")):
        assert (PREFIX / installed).read_bytes() == (ROOT / OUT / built).read_bytes(), f"{OUT}/{built} is another"


def the_command_runs():
    assert run(str(PREFIX / "bin/ink"), "version").strip() == "ink 0.2.0"


def ink_hadoop_runs():
    """With the static program beside it, whose message this is."""
    variables = {name: value for name, value in os.environ.items() if name != "INK_STATIC"}
    done = subprocess.run([PREFIX / "bin/ink-hadoop", "build", "bloom", "--rat"], capture_output=True, text=True,
                          env=variables, check=False)
    assert done.returncode == 2 and "did you mean --rate" in done.stderr, done.stderr


def manuals_can_be_read():
    """By name below the installed folder, as man does it."""
    for name in ["ink"] + [f"ink-{command}" for command in commands()]:
        path = run("mman", "-M", str(PREFIX / "share/man"), "-w", name).strip()
        assert path == str(PREFIX / f"share/man/man1/{name}.1"), path
        text = re.sub(".\b", "", run("mandoc", "-T", "utf8", path))
        assert re.search(rf"NAME\n +{name} - \S", text) and "SEE ALSO" in text, text


def completion_is_that_of_the_command():
    shells = {"bash": "bash-completion/completions/ink", "fish": "fish/vendor_completions.d/ink.fish",
              "zsh": "zsh/site-functions/_ink"}
    for shell, name in shells.items():
        assert (PREFIX / "share" / name).read_text() == run(str(PREFIX / "bin/ink"), "completion", shell), shell


def has_a_versioned_soname():
    assert "libinkling.so.1]" in run("readelf", "-d", str(PREFIX / "lib/libinkling.so"))


def needs_only_libc():
    needed = [line for line in run("readelf", "-d", str(PREFIX / "lib/libinkling.so")).splitlines()
              if "NEEDED" in line and "libc.so" not in line]
    assert not needed, needed


def flags_of_pkg_config(*options):
    return run("pkg-config", *options, "--cflags", "--libs", "inkling",
               env=dict(os.environ, PKG_CONFIG_PATH=str(PREFIX / "lib/pkgconfig"))).split()


def builds_with_pkg_config():
    run("cc", str(EXAMPLE), *flags_of_pkg_config(), "-o", "example")
    check_answer("./example", PREFIX / "lib")
    pathlib.Path("example").unlink()


def builds_without_any_shared_library():
    run("cc", "-static", f"-Wl,{READER}", str(EXAMPLE), *flags_of_pkg_config("--static"),
        "-o", "example")
    check_answer("./example")
    pathlib.Path("example").unlink()


def builds_with_meson():
    if not shutil.which("meson"):
        raise tap.Skipped("meson is not installed")
    project = HERE / "meson"
    project.mkdir()
    shutil.copy(EXAMPLE, project)
    (project / "meson.build").write_text("project('non-member', 'c')\n"
                                         f"executable('shared', '{EXAMPLE.name}', dependencies: dependency('inkling'))\n")
    variables = dict(os.environ, PKG_CONFIG_PATH=str(PREFIX / "lib/pkgconfig"))
    run("meson", "setup", str(project / "build"), str(project), env=variables)
    run("meson", "compile", "-C", str(project / "build"), env=variables)
    check_answer(project / "build/shared", PREFIX / "lib")
    shutil.rmtree(project)


def builds_with_cmake():
    project = HERE / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(CMAKE_LISTS)
    run("cmake", "-S", str(project), "-B", str(project / "build"), f"-DCMAKE_PREFIX_PATH={PREFIX}")
    run("cmake", "--build", str(project / "build"))
    check_answer(project / "build" / "shared")
    check_answer(project / "build" / "static")
    shutil.rmtree(project)


def block_of_the_c_page(language):
    """The first; tests/examples/check_examples.py runs all programs."""
    text = (ROOT / "docs/c.md").read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)
    assert len(found) == 1 or language == "c" and found, f"{len(found)} blocks of {language} in docs/c.md, expected one"
    return found[0]


def the_c_page_does_as_it_says():
    """Its first program in C, installed and compiled as it stands there, below a home of this test's own. A make and an ink
    on the PATH are those of the build under test."""
    folder, script = HERE / "c-page", block_of_the_c_page("sh")
    (folder / "bin").mkdir(parents=True)
    (folder / "seen.c").write_text(block_of_the_c_page("c"))
    (folder / "bin/ink").symlink_to(ROOT / OUT / "ink")
    words = ["make", "-s", "-C", str(ROOT), *given_variables(), f"OUT={OUT}"]
    (folder / "bin/make").write_text(f"#!/bin/sh\nPATH=${{PATH#*:}} exec {shlex.join(words)} \"$@\" >&2\n")
    (folder / "bin/make").chmod(0o755)
    said = run("bash", "-euo", "pipefail", "-c", script, cwd=folder,
               env={**environment(), "HOME": str(folder), "PATH": f"{folder}/bin:{os.environ['PATH']}"})
    assert said.splitlines() == re.findall(r"# prints: (.*)$", script, re.M), said
    shutil.rmtree(folder)


def each_header_compiles_alone():
    headers = sorted(PREFIX.glob("include/*.h"))
    assert len(headers) == 8, headers
    for header in headers:
        for language in ("-xc -std=c11", "-xc++ -std=c++17"):
            pathlib.Path("alone.c").write_text(f"#include <{header.name}>\nint main(void) {{ return ink_version() == 0; }}\n")
            run("cc", *language.split(), "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic",
                f"-I{PREFIX}/include", "alone.c")
    pathlib.Path("alone.c").unlink()


def honours_destdir():
    stage = HERE / "stage"
    make("install", "/opt/inkling", stage)
    assert {"opt/inkling/lib/libinkling.so.0.2.0", "opt/inkling/share/man/man1/ink.1"} <= set(files_below(stage))
    text = (stage / "opt/inkling/lib/pkgconfig/inkling.pc").read_text()
    assert "prefix=/opt/inkling" in text and str(stage) not in text, text
    shutil.rmtree(stage)


def uninstalls_everything():
    make("uninstall", PREFIX)
    assert files_below(PREFIX) == [], files_below(PREFIX)
    shutil.rmtree(PREFIX)


TESTS = (
    ("make install puts the command, manuals, completion, libraries, headers, pkg-config and CMake files below PREFIX",
     installs_everything),
    ("what is installed is the build under test", installs_the_build_under_test),
    ("the installed command runs", the_command_runs),
    ("the installed ink-hadoop runs", ink_hadoop_runs),
    ("every command has a manual, found and read", manuals_can_be_read),
    ("completion is that of the installed command", completion_is_that_of_the_command),
    ("the shared library has a versioned soname", has_a_versioned_soname),
    ("the shared library needs nothing but the C library", needs_only_libc),
    ("the example builds with pkg-config and answers", builds_with_pkg_config),
    ("the example builds with pkg-config --static and answers", builds_without_any_shared_library),
    ("the example builds with CMake, shared and static, and answers", builds_with_cmake),
    ("the example builds with Meson and answers", builds_with_meson),
    ("the lines of docs/c.md install the library, build its first program, and print what they say",
     the_c_page_does_as_it_says),
    ("each header compiles alone, as C11 and as C++17", each_header_compiles_alone),
    ("DESTDIR stages the files without entering them", honours_destdir),
    ("make uninstall removes what make install put there", uninstalls_everything),
)

if __name__ == "__main__":
    sys.exit(tap.run_cases(TESTS))
