"""Programs that call the module through clients of other languages (README.md), fetched and built once in the user's
cache folder; and redis-py's own tests, which stand in its source package alone.

Each gives the words of a command, to which a port and a version of RESP are added.
"""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "bench"))
import installing  # noqa: E402


class Missing(Exception):
    """What cannot be installed here."""


def made(name, steps, *files):
    """The folder of something that these files, or texts, pin."""
    pins = [file.read_bytes() if isinstance(file, pathlib.Path) else file.encode() for file in files]
    folder = installing.installed(name, installing.pinned(*pins), steps)
    if folder is None:
        raise Missing(name)
    return folder


def of_java(name):
    return str(pathlib.Path(os.environ.get("JAVA_HOME", "/usr"), "bin", name))


def java():
    source = HERE / "java"

    def steps(_, folder):
        yield installing.maven(source / "pom.xml", folder)
        yield of_java("javac"), "-nowarn", "-proc:none", "-d", folder / "classes", "-cp", f"{folder}/jars/*", source / "Client.java"
    folder = made("valkey-java", steps, source / "pom.xml", source / "Client.java")
    return [of_java("java"), "-cp", f"{folder}/jars/*:{folder}/classes", "Client"]


def go():
    source = HERE / "go"

    def steps(_, folder):
        yield ("env", f"GOMODCACHE={folder}/modules", "GOFLAGS=-modcacherw -buildvcs=false", installing.program("go") or "go", "-C", source,
               "build", "-o", folder / "client", ".")
    return [str(made("valkey-go", steps, source / "go.mod", source / "go.sum", source / "main.go") / "client")]


def javascript():
    source = HERE / "javascript"

    def steps(_, folder):
        yield "cp", source / "package.json", source / "client.js", folder
        yield "npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"
    return ["node", str(made("valkey-javascript", steps, source / "package.json", source / "client.js") / "client.js")]


def redis_py_tests():
    """The folder of the source package of the redis-py that is pinned for the tests."""
    pins = (HERE.parent / "requirements-test.txt").read_text(encoding="utf-8")
    version = re.search(r"(?m)^redis==(\S+)$", pins).group(1)

    def steps(_, folder):
        yield (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "redis", "-d", folder, f"redis=={version}")
        yield "tar", "-xzf", folder / f"redis-{version}.tar.gz", "-C", folder
    return made("redis-py-tests", steps, version) / f"redis-{version}"
