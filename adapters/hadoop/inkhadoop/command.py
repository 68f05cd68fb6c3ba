"""The command ink-hadoop: its words, its help, and how it ends."""

from __future__ import annotations

import pathlib
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from types import FrameType

from . import build, filter, merge, verify
from .failure import USAGE, Failure, Interrupted
from .program import find_program
from .session import Session
from .standard import open_standard_files, put, report
from .words import named_program

COMMANDS: dict[str, Callable[[Session], int]] = {
    "build": build.run,
    "filter": filter.run,
    "verify": verify.run,
    "merge": merge.run,
}
HELP = """usage: ink-hadoop build KIND[,KIND...] [options] IN... OUT
       ink-hadoop filter SKETCHES [options] IN... OUT
       ink-hadoop verify SKETCHES [options] IN...
       ink-hadoop merge [options] IN... OUT

Does what ink does, with data in HDFS, by a job on the cluster of
HADOOP_CONF_DIR. Files that it builds have the digest of ink build.

  build    one job: sketches of all groups, as OUT/part-NNNNN.ink
  filter   one job: records whose key may be in the set, as text in OUT
  verify   one job: the table of ink verify, and its exit code
  merge    no job: files and folders of sketches into one file

IN and OUT are in HDFS: hdfs:///path, hdfs://HOST:PORT/path, /path, or a name
below the user's folder; patterns as Hadoop knows them. SKETCHES is a file or a
folder of parts. SKETCHES, and all words of merge, may be local: file:PATH, ./PATH

options of all:
      --reducers N     N files of sketches (as ink plans it)
      --queue NAME     the queue of YARN
  -D NAME=VALUE        a setting of the job; may be repeated
      --no-uber        always tasks of their own, also for small inputs
      --lines          Hadoop reads the inputs and hands ink their lines, near
                       the data; otherwise ink reads them itself, for less
      --ink PATH       the static program that goes to the nodes
      --no-progress    no progress line
  -q, --quiet          print nothing but errors
      --version        print the version of ink, and end

All other options are those of the command of ink with the same name, see
ink help build; merge has --force. HADOOP_HOME, or INK_HADOOP_JARS (a folder of
Hadoop's jars), say how Hadoop is run; TMPDIR where files wait.

exit codes: 0 done; filter: 1 no record passed; verify: 1 a promise is broken
  1  the job failed
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit
"""


def interrupt(number: int, _frame: FrameType | None) -> None:
    """Ends what runs; a second signal ends it at once."""
    signal.signal(number, signal.SIG_DFL)
    raise Interrupted(number)


def wanted(typed: Sequence[str]) -> str | None:
    """The command that was typed; None if only help was asked for."""
    if not typed:
        raise Failure(f"no command, expected {', '.join(COMMANDS)}; see ink-hadoop --help", USAGE)
    if typed[0] == "help" or not {"-h", "--help"}.isdisjoint(typed):
        return None
    if typed[0] not in COMMANDS:
        raise Failure(f"no command {typed[0]}, expected {', '.join(COMMANDS)}; see ink-hadoop --help", USAGE)
    return typed[0]


def run(typed: Sequence[str]) -> int:
    """Runs one command line; its exit code."""
    if typed[:1] == ["--version"]:
        return find_program(None).run(["--version"], passed=True).returncode
    command = wanted(typed)
    if command is None:
        put(HELP)
        return 0
    program = find_program(named_program(typed))
    temporary = pathlib.Path(tempfile.mkdtemp(prefix="ink-hadoop-"))
    try:
        return COMMANDS[command](Session(command, typed[1:], program, temporary))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def main() -> int:
    """The entry."""
    open_standard_files()
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        return run(sys.argv[1:])
    except Failure as failure:
        return report(failure)
    except Interrupted as interrupted:
        return 128 + interrupted.number
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
    except OSError as error:
        return report(Failure(f"{error.filename or 'temporary files'}: {error.strerror}"))
