"""The contestants: server processes that are built, started, asked one line at a time, and stopped.

contestants/ has their programs. Who cannot be built or started is left out, with a line that says why.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cases import Case
from installing import installed, program
from measure import stop

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "bench/contestants"
NUMBERS = re.compile(r"(\w+)=([0-9.]+)")


@dataclass(frozen=True)
class Offer:
    """What a contestant says it can do."""

    name: str
    workload: str
    forms: tuple[str, ...]
    most: int
    threads: tuple[int, ...]
    how: str

    def covers(self, case: Case) -> bool:
        """Whether this is for that case."""
        return (
            case.workload == self.workload
            and case.form in self.forms
            and case.count <= self.most
            and case.threads in self.threads
        )


@dataclass
class Server:
    """A running contestant. `suffix` distinguishes it from another process of the same program."""

    command: list[str]
    environment: dict[str, str]
    group: str  # limits, ours or peer
    suffix: str = ""
    offers: list[Offer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Starts it; that it came up is known when its offers have been read."""
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.environment},
        )
        self.most_asked = 0

    def read_offers(self) -> bool:
        """Whether it came up; its offers are read."""
        assert self.process.stdout is not None
        self.offers.clear()
        for line in self.process.stdout:
            words = line.rstrip("\n").split("\t")
            if words == ["ready"]:
                return True
            _, name, workload, forms, most, threads, how = words
            self.offers.append(
                Offer(
                    name,
                    workload,
                    tuple(forms.split(",")),
                    int(most),
                    tuple(map(int, threads.split(","))),
                    how,
                )
            )
        return False

    def pin(self, cores: set[int]) -> None:
        """Every thread that it has."""
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):  # one that just ended
                os.sched_setaffinity(int(task.name), cores)

    def ask(self, name: str, case: Case, core: int = 0) -> dict[str, float] | str:
        """The numbers of its answer, or why there are none; one thread has this core, more have all."""
        assert self.process.stdin is not None and self.process.stdout is not None
        cores = sorted(os.sched_getaffinity(0))
        self.most_asked = max(self.most_asked, case.count)
        self.pin({cores[core]} if case.threads == 1 else set(cores))
        self.process.stdin.write(f"{name} {case}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().strip()
        if not line:
            stop(
                f"{name}{self.suffix} {case}: ended with exit code {self.process.wait()}, expected an answer"
            )
        if line.startswith("no "):
            return line[3:]
        return {word: float(value) if "." in value else int(value) for word, value in NUMBERS.findall(line)}

    def let_go(self) -> None:
        """Frees the keys of the last question, and all else that it keeps, by a process of its own."""
        self.close()
        self.begin()
        if not self.read_offers():
            stop(f"{self.command[0]}{self.suffix}: did not start again, expected it to, as it did before")

    def close(self) -> None:
        """Ends it; standard input that ends is the sign."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


# ---- What is built -------------------------------------------------------------------------------


def key_of(folder: pathlib.Path) -> str:
    """Names a folder's contents: pins and program. What is in C has the loop of contest.c, too."""
    digest = hashlib.sha256()
    if folder.name == "c":
        digest.update((HERE / "contest.c").read_bytes() + (HERE / "contest.h").read_bytes())
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "target" not in path.parts):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def build_rust(_: str, folder: pathlib.Path) -> Iterable[Sequence[object]]:
    yield (
        program("cargo"),
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--manifest-path",
        HERE / "rust/Cargo.toml",
        "--target-dir",
        folder / "target",
    )
    yield "cp", folder / "target/release/contestant", folder / "contestant"
    yield "rm", "-r", folder / "target"


def build_go(_: str, folder: pathlib.Path) -> Iterable[Sequence[object]]:
    yield (
        program("go"),
        "build",
        "-C",
        HERE / "go",
        "-mod=readonly",
        "-trimpath",
        "-o",
        folder / "contestant",
        ".",
    )


def build_java(_: str, folder: pathlib.Path) -> Iterable[Sequence[object]]:
    yield (
        program("mvn"),
        "-B",
        "-q",
        "-ntp",
        "-C",
        "-f",
        HERE / "java/pom.xml",
        "dependency:copy-dependencies",
        "-DincludeScope=runtime",
        f"-DoutputDirectory={folder}",
    )
    yield program("javac"), "-cp", f"{folder}/*", "-d", folder, HERE / "java/Contestant.java"


def build_c(_: str, folder: pathlib.Path) -> Iterable[Sequence[object]]:
    """The header is in the sources of a Python package."""
    sources = folder / "sources"
    pip = (sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary", ":all:")
    yield *pip, "--dest", folder, "--requirement", HERE / "c/requirements.txt"
    yield "mkdir", sources
    yield "sh", "-c", f"tar xzf '{folder}'/*.tar.gz -C '{sources}' --strip-components 1"
    yield (
        program("cc"),
        "-O3",
        "-march=native",
        f"-I{HERE}",
        f"-I{sources}/lib/xor_singleheader/include",
        HERE / "c/xor_singleheader.c",
        HERE / "contest.c",
        "-lm",
        "-o",
        folder / "contestant",
    )


def left_out(who: str, why: str) -> None:
    """Said here, and in the results."""
    print(f"left out: {who}: {why}", flush=True)
    LEFT_OUT.append((who, why))


LEFT_OUT: list[tuple[str, str]] = []
BUILT = (
    ("rust", "fastbloom, sbbf-rs and datasketches (Rust)", ("cargo",), build_rust),
    ("go", "bits-and-blooms (Go)", ("go",), build_go),
    ("java", "Guava (Java)", ("java", "javac", "mvn"), build_java),
    ("c", "xor_singleheader (C)", ("cc",), build_c),
)


def built() -> Iterator[tuple[str, list[str]]]:
    """The command of each contestant that a toolchain builds."""
    for name, who, tools, steps in BUILT:
        missing = [tool for tool in tools if program(tool) is None]
        if missing:
            left_out(who, f"found no {' and no '.join(missing)}")
            continue
        folder = installed(f"contestant-{name}", key_of(HERE / name), steps)
        if folder is None:
            LEFT_OUT.append((who, "cannot be installed"))
        elif name == "java":
            yield name, [str(program("java")), "-Xmx8g", "-cp", f"{folder}/*:{folder}", "Contestant"]
        else:
            yield name, [str(folder / "contestant")]


def interpreter() -> str | None:
    """That of an environment with rbloom and datasketches, or why there is none, said."""
    command = [
        sys.executable,
        "-B",
        str(ROOT / "scripts/python_env.py"),
        str(ROOT / "adapters/python/requirements-bench.txt"),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        left_out("rbloom, datasketches (Python), Redis", "cannot be installed")
        return None
    return done.stdout.strip()


def in_python() -> Iterator[tuple[str, list[str]]]:
    """The commands of those that Python asks."""
    python = interpreter()
    if python is None:
        return
    yield "python", [python, "-B", str(HERE / "python.py")]
    redis = program("redis-server")
    if redis is None:
        left_out("Redis", "found no redis-server: apt-get install redis-server")
    else:
        yield "redis", [python, "-B", str(HERE / "redis.py"), redis]


# ---- What is started -----------------------------------------------------------------------------


def start(command: list[str], group: str, suffix: str = "", **environment: str) -> Server | None:
    """A contestant that came up, or nothing, said."""
    server = Server(command, environment, group, suffix)
    if server.read_offers():
        return server
    left_out(f"{pathlib.Path(command[0]).name}{suffix}", "does not start")
    return None


@contextlib.contextmanager
def running(folder: pathlib.Path, only: frozenset[str]) -> Iterator[list[Server]]:
    """All contestants: the limits first, then ours with every set of instructions, then peers."""
    LEFT_OUT.clear()
    groups = {"limits", "ours"} & only or {"limits", "ours", "peer"}
    with contextlib.ExitStack() as stack:
        servers: list[Server] = []

        def add(server: Server | None) -> None:
            if server is not None:
                servers.append(server)
                stack.callback(server.close)

        add(start([str(folder / "limits")], "limits"))
        if "ours" in groups:
            add(start([str(folder / "ours")], "ours"))
            for instructions in "avx2", "scalar":
                add(start([str(folder / "ours")], "ours", f"@{instructions}", INK_CPU=instructions))
        if "peer" in groups:
            if (folder / "libbloom").exists():
                add(start([str(folder / "libbloom")], "peer"))
            else:
                left_out("libbloom", "found no <bloom.h>: apt-get install libbloom-dev")
            for _, command in [*built(), *in_python()]:
                add(start(command, "peer"))
        yield servers
