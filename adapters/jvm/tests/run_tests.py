"""Compiles and runs the tests of inkling.jar, with the jars of pom.xml in the user's cache folder.

    run_tests.py JAR SECOND_JAR [--select CLASS]...

SECOND_JAR was built from the same sources in another folder, and must have the same bytes. Calls of the library are
checked by the JVM (-Xcheck:jni), whose complaints fail the tests. INK_SAN=asan: the library of the jar has that sanitizer.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
POM = HERE.parent / "pom.xml"
sys.path.insert(0, str(ROOT / "bench"))
import installing  # noqa: E402

COMPLAINTS = ("WARNING in native method", "FATAL ERROR in native method", "Checked JNI")
# The sanitizer leaves the signals alone that a JVM lives by.
SANITIZER = "detect_leaks=0:handle_segv=0:handle_sigfpe=0:allocator_may_return_null=1"


def program(name: str) -> str:
    """Of the Java that is used."""
    return str(pathlib.Path(os.environ["JAVA_HOME"], "bin", name))


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
    for line in done.stdout:
        name, ended, how = line.rstrip().rpartition(" :: ")
        if ended and how in ("SUCCESSFUL", "FAILED"):
            count += 1
            print("ok" if how == "SUCCESSFUL" else "not ok", count, "-", name.removeprefix("JUnit Jupiter > "), flush=True)
        elif how != "STARTED":
            print(line, end="", flush=True)
        complaints += any(text in line for text in COMPLAINTS)
    return done.wait() or int(complaints > 0)


def main() -> None:
    """What `make test-jvm` runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("jar", type=pathlib.Path)
    parser.add_argument("second_jar", type=pathlib.Path)
    parser.add_argument("--select", action="append", default=[])
    given = parser.parse_args()
    if given.jar.read_bytes() != given.second_jar.read_bytes():
        sys.exit(f"make: {given.jar} and {given.second_jar} differ, expected the same bytes of the same sources")
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(run(given.jar.resolve(), given.select, folder))


if __name__ == "__main__":
    main()
