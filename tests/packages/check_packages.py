#!/usr/bin/env python3
"""Uses the packages of a release as on a machine that never saw the source; `make test-packages` calls it.

    check_packages.py RELEASE

Prints TAP lines and exits with the number of failed tests. Needs what makes the packages, and root for chroot and dpkg.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import tap  # noqa: E402

RELEASE = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else ROOT / "build/release").resolve()
README = (ROOT / "README.md").read_text(encoding="utf-8")
MEGABYTE = 1_000_000
# No compiler and no build is on it.
PLAIN = {"PATH": "/nowhere", "HOME": "/", "LC_ALL": "C.UTF-8"}
PYTHON = """
import inkling
seen = inkling.Sketch("bloom", n=1e6, p=0.01).add(range(100_000))
assert 99_999 in seen and 100_000 not in seen
words = inkling.Sketch("bloom", n=1000, p=0.01).add(["bee", "cat"])
words.save("words.ink")
assert inkling.Sketch.open("words.ink").digest == words.digest
print(inkling.__file__, words.digest)
"""
IS_NATIVE = "import inkling._single\nassert (inkling._single.native is None) == {}\n"
# As on an interpreter that does not load the compiled module.
REFUSED = """
from importlib.machinery import ExtensionFileLoader
load = ExtensionFileLoader.create_module
def refuse(loader, spec):
    if spec.name.endswith("._native"):
        raise ImportError(spec.name)
    return load(loader, spec)
ExtensionFileLoader.create_module = refuse
"""
# What is not on PATH is skipped by name. Those with a t have no global lock, and load no compiled module.
PYTHONS = [*(f"python3.{minor}" for minor in range(10, 16)), "python3.13t", "python3.14t"]
# Debian 12's Python for the other machine, as far as the example needs it.
ARM_PACKAGES = ("libc6", "libgcc-s1", "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libffi8", "zlib1g", "libexpat1")
# Tests about a module that does not stand beside the package, and the run without it, which is one of works_in.
NOT_INSTALLED = "not all_holds_without and not done_without"
SUITES = ("sketch", "sketches", "single", "errors", "pickle", "union", "build", "jobs")
SPARK = """
import inkling, inkling.spark, pyspark.sql
spark = pyspark.sql.SparkSession.builder.master("local[1]").config("spark.jars", JAR).config("spark.driver.extraClassPath", JAR) \\
    .config("spark.ui.enabled", "false") \\
    .config("spark.sql.extensions", "inkling.spark.Extensions").getOrCreate()
frame = spark.range(1000).selectExpr("id", "cast(id % 2 as string) as parity")
filters = inkling.spark.build(frame, key="id", by="parity", kind="bloom", p=0.01)
assert frame.where(inkling.spark.might_contain(filters, "id")).count() == 1000
row = spark.sql("select ink_distinct(ink_hll(id)) as keys from range(1000)").first()
assert abs(row.keys - 1000) < 50, row
"""


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}: {done.stderr[-2000:]}{done.stdout[-2000:]}"
    return done.stdout


def one(pattern):
    found = sorted(RELEASE.glob(pattern))
    assert len(found) == 1, f"{RELEASE}/{pattern}: found {[path.name for path in found]}, expected one file"
    return found[0]


def first_example():
    """The commands of the README's first block that shows any, with what they print."""
    block = re.search(r"^```console\n(.*?)^```$", README, re.M | re.S)[1]
    for line in re.findall(r"^\$ (.*(?:\n(?!\$).*)*)", block, re.M):
        command, _, printed = line.partition("\n")
        yield re.sub(r"\s+#.*", "", command), printed.strip()


def types_the_readme(*ink, cwd="."):
    """Runs the first example with `ink` as these words, in a shell of this machine."""
    pathlib.Path("bin").mkdir(exist_ok=True)
    script = pathlib.Path("bin/ink")
    script.write_text("#!/bin/sh\nexec " + " ".join(map(str, ink)) + ' "$@"\n')
    script.chmod(0o755)
    for command, printed in first_example():
        found = run("sh", "-c", command, cwd=cwd, env={"PATH": f"{script.parent.resolve()}:/usr/sbin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        assert found.strip() == printed, f"{command}: found {found!r}, expected {printed!r}"


def starts(python):
    """Whether a command is on PATH and is the version that it is called: a shim may be there without what it stands for."""
    code = "import sys, venv; print('python%d.%d%s' % (*sys.version_info[:2], sys.abiflags))"
    try:
        done = subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == python


# ---- The release itself ---------------------------------------------------------------------


def every_file_has_the_checksum_that_is_listed():
    listed = re.findall(r"^\w{64}  (.*)$", (RELEASE / "SHA256SUMS").read_text(), re.M)
    assert set(listed) == {path.name for path in RELEASE.iterdir()} - {"SHA256SUMS"}, listed
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=RELEASE)


def the_sbom_is_valid_and_names_every_file():
    path = one("*.spdx.json")
    run(sys.executable, "-m", "spdx_tools.spdx.clitools.pyspdxtools", "-i", path)
    bill = json.loads(path.read_text())
    assert {file["fileName"] for file in bill["files"]} == \
        {f"./{file.name}" for file in RELEASE.iterdir() if file.name not in ("SHA256SUMS", path.name)}
    assert {"xxhash", "zlib", "libzstd"} <= {package["name"] for package in bill["packages"]}


def the_source_archive_is_whole_and_has_one_date():
    with tarfile.open(one("inkling-[0-9]*.tar.gz")) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members}
    assert {"Makefile", "LICENSE", "README.md", "include/inkling.h", "packaging/packages.mk"} <= names
    assert len({member.mtime for member in members}) == 1 and {member.uid for member in members} == {0}


def another_build_without_git_in_another_folder_has_the_same_bytes():
    run("tar", "-xf", one("inkling-[0-9]*.tar.gz"))
    tree = next(pathlib.Path().glob("inkling-*"))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "SOURCE_DATE_EPOCH"}
    run("make", "-s", "source-archive", "sdist", "static-x86_64", cwd=tree, env={**clean, "GIT_DIR": "/nowhere"})
    archives, static = (one("inkling-[0-9]*.tar.gz"), one("libinkling-*.tar.gz")), one("ink-*-linux-x86_64")
    for path, made in (*((path, f"build/release/{path.name}") for path in archives), (static, "build/targets/x86_64-linux-musl/static/ink")):
        assert path.read_bytes() == (tree / made).read_bytes(), f"{path.name} is another"


# ---- The static command ---------------------------------------------------------------------


def the_static_command_is_small_and_needs_nothing():
    for path in sorted(RELEASE.glob("ink-*-linux-*")):
        assert path.stat().st_size < 2 * MEGABYTE, f"{path.name}: {path.stat().st_size} bytes"
        assert "INTERP" not in run("readelf", "-lW", path), path.name


def the_static_command_does_the_first_example_in_an_empty_root():
    pathlib.Path("root").mkdir()
    shutil.copy(one("ink-*-linux-x86_64"), "root/ink")
    types_the_readme("chroot", "--userspec=0", pathlib.Path("root").resolve(), "/ink", cwd="root")


def the_static_command_for_arm_does_the_first_example():
    types_the_readme("qemu-aarch64", one("ink-*-linux-aarch64"))


# ---- Debian's packages ----------------------------------------------------------------------


def dpkg(root, *words):
    (root / "var/lib/dpkg/updates").mkdir(parents=True, exist_ok=True)
    (root / "var/lib/dpkg/info").mkdir(exist_ok=True)
    (root / "var/lib/dpkg/status").touch()
    return run("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--log=/dev/null", *words,
               env={**os.environ, "LC_ALL": "C"})


def packages_are_installed_used_and_removed():
    root = pathlib.Path("root").resolve()
    debs = sorted(RELEASE.glob("*.deb"))
    names = {path.name.partition("_")[0] for path in debs}
    assert names == {"libinkling1", "libinkling-dev", "inkling", "inkling-hadoop", "postgresql-15-inkling", "inkling-sqlite",
                     "inkling-valkey"}, names
    dpkg(root, "--install", *debs)
    libraries = next(root.glob("usr/lib/*/libinkling.so.1")).parent
    types_the_readme(root / "usr/bin/ink")
    flags = run("pkg-config", "--cflags", "--libs", "inkling", env={
        **os.environ, "PKG_CONFIG_LIBDIR": str(libraries / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(root)}).split()
    run("cc", ROOT / "examples/filter.c", *flags, "-o", "filter")
    assert run("./filter", env={**os.environ, "LD_LIBRARY_PATH": str(libraries)}) == "bee: maybe, cat: no\n"
    assert run("sqlite3", ":memory:", f".load {libraries}/inkling/sqlite/inkling.so", "SELECT ink_version()").strip() in README
    said = subprocess.run([root / "usr/bin/ink-hadoop", "build", "bloom", "--rat"], capture_output=True, text=True, check=False)
    assert said.returncode == 2 and "did you mean --rate" in said.stderr, said.stderr
    for name in ("usr/lib/postgresql/15/lib/inkling.so", "usr/share/postgresql/15/extension/inkling.control",
                 "usr/share/man/man1/ink.1.gz", "usr/share/bash-completion/completions/ink"):
        assert (root / name).is_file(), name
    assert (libraries / "inkling/valkey/inkling.so").is_file()
    dpkg(root, "--purge", *names)
    left = [path for path in root.rglob("*ink*") if path.is_file() and "var/lib/dpkg" not in str(path)]
    assert not left, left


# ---- Python ---------------------------------------------------------------------------------


def wheel_for(machine):
    return one(f"libinkling-*{machine}.whl")


def install_wheel(folder, python=sys.executable):
    """Into a fresh environment, without a network."""
    run(python, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel_for("x86_64"), env=PLAIN)


def a_wheel_is_small_without_the_jars_in_it():
    for path in sorted(RELEASE.glob("*.whl")):
        with zipfile.ZipFile(path) as archive:
            bytes_of = {entry.filename: entry.compress_size for entry in archive.infolist()}
        jars = {name for name in bytes_of if name.endswith(".jar")}
        assert len(jars) == 2, jars
        size = path.stat().st_size - sum(bytes_of[name] for name in jars)
        assert size < MEGABYTE, f"{path.name}: {size} bytes"


def a_wheel_runs_on_old_distributions():
    for path in sorted(RELEASE.glob("*.whl")):
        said = run(sys.executable, "-m", "auditwheel", "show", path)
        assert re.search(r'platform tag:\s+"manylinux_2_17_(x86_64|aarch64)"', said), said


def a_wheel_works_in_a_fresh_environment_without_a_compiler():
    folder = pathlib.Path("fresh").resolve()
    install_wheel(folder)
    where, digest = run(folder / "bin/python", "-c", PYTHON, env=PLAIN).split()
    assert where.startswith(str(folder)), where
    assert digest in run(one("ink-*-linux-x86_64"), "info", "--digest", "words.ink"), digest


def the_wheel_for_arm_works_in_an_emulator():
    """With Debian's Python for that machine: unpacked here, fetched with lists of its own, so that the machine's stay as they are."""
    here = pathlib.Path().resolve()
    for name in ("lists/partial", "cache/archives/partial", "root", "wheel"):
        (here / name).mkdir(parents=True)
    options = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Sandbox::User": "root",
               "Dir::State::Lists": here / "lists", "Dir::State::status": "/dev/null", "Dir::Cache": here / "cache"}
    apt = ["apt-get", "-qq", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run(*apt, "update")
    run(*apt, "download", *ARM_PACKAGES)
    for package in here.glob("*.deb"):
        run("dpkg-deb", "-x", package, "root")
    run(sys.executable, "-m", "zipfile", "-e", wheel_for("aarch64"), "wheel")
    said = run("qemu-aarch64", "-L", "root", "root/usr/bin/python3.11", "-c", IS_NATIVE.format(False) + PYTHON,
               env={**os.environ, "PYTHONHOME": str(here / "root/usr"), "PYTHONPATH": str(here / "wheel")})
    assert said.startswith(f"{here}/wheel/inkling/"), said


def works_in(python):
    """The wheel in a fresh environment of a version of Python: with its compiled module, and without."""
    if not starts(python):
        raise tap.Skipped(f"{python} is not on PATH")
    folder = pathlib.Path("fresh").resolve()
    install_wheel(folder, python)
    said = {run(folder / "bin/python", "-W", "error", "-c", before + IS_NATIVE.format(plain) + PYTHON, env=PLAIN)
            for before, plain in (("", python.endswith("t")), (REFUSED, True))}
    assert len(said) == 1, said


def passes_tests_in(python):
    """The main suites of the package, of the wheel in a version of Python, with what PyPI has for that version."""
    if not starts(python):
        raise tap.Skipped(f"{python} is not on PATH")
    folder = pathlib.Path("fresh").resolve()
    install_wheel(folder, python)
    package = next(folder.glob("lib/python*/site-packages"))
    tester = run(python, "-B", ROOT / "scripts/python_env.py", ROOT / "tests/packages/requirements.txt").strip()
    run(tester, "-B", "-W", "error", "-m", "pytest", "-c", ROOT / "adapters/python/pyproject.toml", "-q", "-p", "no:cacheprovider",
        "-o", "pythonpath=", "-k", NOT_INSTALLED, *(ROOT / f"adapters/python/tests/test_{name}.py" for name in SUITES),
        env={**os.environ, "PYTHONPATH": str(package), "INKLING_LIBRARY": str(package / "inkling/libinkling.so"),
             "INK_COMMAND": str(one("ink-*-linux-x86_64")), "INKLING_PLAIN": "1" if python.endswith("t") else ""})


def the_source_distribution_makes_a_wheel():
    run("tar", "-xf", one("libinkling-*.tar.gz"))
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", pathlib.Path("made").resolve(),
        cwd=next(pathlib.Path().glob("libinkling-*")))
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", "there",
        *pathlib.Path("made").glob("*.whl"))
    assert "there" in run(sys.executable, "-c", PYTHON, env={**PLAIN, "PYTHONPATH": str(pathlib.Path("there").resolve())})


def spark_needs_nothing_but_the_wheel():
    """PySpark is that of the tests of its adapter, which INK_SPARK_PYTHON names."""
    python = os.environ.get("INK_SPARK_PYTHON")
    if not python:
        raise tap.Skipped("INK_SPARK_PYTHON is not set")
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", "there",
        wheel_for("x86_64"))
    there = pathlib.Path("there").resolve()
    pathlib.Path("job.py").write_text(SPARK.replace("JAR", repr(str(there / "inkling/jars/inkling-spark-4.jar"))))
    run(python, "job.py", env={"PATH": os.environ["PATH"], "JAVA_HOME": os.environ.get("JAVA_HOME", ""), "PYSPARK_PYTHON": python,
                               "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(there), "HOME": "/tmp"})


def hadoop_needs_nothing_but_the_static_command():
    """On the cluster that the tests of its adapter start, with their Python, which INK_HADOOP_PYTHON names."""
    python, static = os.environ.get("INK_HADOOP_PYTHON"), one("ink-*-linux-x86_64")
    if not python:
        raise tap.Skipped("INK_HADOOP_PYTHON is not set")
    run(python, "-B", "-m", "pytest", "-c", ROOT / "adapters/hadoop/pytest.ini", "-q", "-p", "no:cacheprovider",
        ROOT / "adapters/hadoop/tests/test_build.py::test_all_kinds_of_many_splits_in_one_small_job",
        cwd=ROOT, env={**os.environ, "INK_SOURCE": str(ROOT), "INK_COMMAND": str(static), "INK_STATIC": str(static),
                       "PYTHONPATH": str(ROOT / "adapters/hadoop")})


# ---- Jars and DuckDB ------------------------------------------------------------------------


def every_jar_has_the_library_of_both_machines():
    for path in RELEASE.glob("*.jar"):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        assert {f"inkling/native/linux-{machine}/libinkling_jni.so" for machine in ("x86_64", "aarch64")} <= set(names), path.name
    assert len(list(RELEASE.glob("*.jar"))) == 3


def the_extension_of_duckdb_is_there_for_both_machines():
    for machine in ("linux_amd64", "linux_arm64"):
        with tarfile.open(one(f"inkling-duckdb-*-{machine}.tar.gz")) as archive:
            assert archive.getnames() == ["inkling.duckdb_extension", "inkling.sql"]


if __name__ == "__main__":
    PREFIX = "ink-packages-"
    tap.heed_signals()
    sys.exit(tap.run_cases([
        *((test.__name__, tap.in_empty_folder, test, PREFIX) for test in tap.tests_of(globals())),
        *((f"the wheel {check.__name__} {python}", tap.in_empty_folder, functools.partial(check, python), PREFIX)
          for python in PYTHONS for check in (works_in, passes_tests_in))]))
