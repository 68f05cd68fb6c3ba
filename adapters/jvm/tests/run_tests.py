"""Compiles and runs the tests of inkling.jar, with the jars of pom.xml in the user's cache folder.

    run_tests.py JAR [--select CLASS]...

Calls of the library are checked by the JVM (-Xcheck:jni), whose complaints fail the tests. INK_SAN=asan: the library of the
jar has that sanitizer, whose report ends the JVM.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
POM = HERE.parent / "pom.xml"
sys.path.insert(0, str(ROOT / "bench"))
import installing  # noqa: E402

COMPLAINTS = ("WARNING in native method", "FATAL ERROR in native method", "Checked JNI")
# The sanitizer leaves the signals alone that a JVM lives by, and keeps less of what was freed than a test looks for.
SANITIZER = "detect_leaks=0:handle_segv=0:handle_sigfpe=0:allocator_may_return_null=1:quarantine_size_mb=32"


def program(name: str) -> str:
    """Of the Java that is used."""
    return str(pathlib.Path(os.environ["JAVA_HOME"], "bin", name))


def sanitized(jar: pathlib.Path, sanitizer: str) -> bool:
    """Whether the libraries in the jar call it."""
    with zipfile.ZipFile(jar) as archive:
        libraries = [archive.read(name) for name in archive.namelist() if name.endswith(".so")]
    return bool(libraries) and all(f"__{sanitizer}_".encode() in library for library in libraries)


def preload() -> dict[str, str]:
    """What a sanitizer needs to be there first."""
    if os.environ.get("INK_SAN") != "asan":
        return {}
    libraries = [
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    return {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": SANITIZER}


def run(jar: pathlib.Path, selected: list[str], folder: str) -> int:
    """Prints a TAP line for each test; the exit code of all tests, or of some classes."""
    jars = installing.maven_jars("jvm-tests", POM)
    classes = os.pathsep.join([folder, str(jar), *map(str, sorted(jars.glob("*.jar")))])
    sources = sorted(HERE.rglob("*.java"))
    javac = [
        program("javac"), "--release", "17", "-Xlint:all,-classfile,-try", "-Werror", "-proc:none", "-cp", classes,
        "-d", folder, *map(str, sources),
    ]  # fmt: skip
    if subprocess.run(javac, check=False).returncode != 0:
        return 1
    what = [f"--select-class={name}" for name in selected] or [f"--scan-classpath={folder}"]
    java = [
        program("java"), "-Xcheck:jni", "-Xmx512m", f"-Dinkling.jar={jar}", f"-Dinkling.root={ROOT}",
        f"-Dinkling.command={os.environ['INK_COMMAND']}", "-cp", classes,
        "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner",
        "--disable-ansi-colors", "--details=testfeed", "--fail-if-no-tests",
        "--config=junit.jupiter.execution.timeout.default=100s", *what,
    ]  # fmt: skip
    done = subprocess.Popen(
        java, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env=os.environ | preload(),
    )  # fmt: skip
    assert done.stdout is not None
    complaints = count = 0
    running, finished = "", False
    for line in done.stdout:
        name, ended, how = line.rstrip().rpartition(" :: ")
        name = name.removeprefix("JUnit Jupiter > ")
        if ended and how in ("SUCCESSFUL", "FAILED"):
            count += 1
            print("ok" if how == "SUCCESSFUL" else "not ok", count, "-", name, flush=True)
        elif how == "STARTED":
            running = name
        else:
            print(line, end="", flush=True)
        finished |= line.startswith("Test run finished")
        complaints += any(text in line for text in COMPLAINTS)
    code = done.wait()
    if not finished:
        print(f"not ok {count + 1} - {running}: the JVM ended with exit code {code}")
        print(f"# for the functions at +0x...: addr2line -fie {jar.parent}/libinkling_jni.so 0x...")
    return code or int(complaints > 0 or not finished)


def main() -> None:
    """What `make test-jvm` runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("jar", type=pathlib.Path)
    parser.add_argument("--select", action="append", default=[])
    given = parser.parse_args()
    sanitizer = os.environ.get("INK_SAN")
    if sanitizer and not sanitized(given.jar, sanitizer):
        sys.exit(f"make: {given.jar} has a library without {sanitizer}, expected one that reports to it")
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(run(given.jar.resolve(), given.select, folder))


if __name__ == "__main__":
    main()
