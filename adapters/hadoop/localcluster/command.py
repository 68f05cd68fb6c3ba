"""The command `cluster`: options, and what is printed.

What `up` prints can be given to a shell: eval "$(cluster up)".
"""

from __future__ import annotations

import argparse
import pathlib
import shlex
import sys

from .daemons import DAEMONS
from .jars import JarsError
from .ports import NoPortError
from .running import down, status, up
from .state import ClusterError, State, default_folder

NOT_RUNNING = 3


def setting(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"found {text}, expected NAME=VALUE")
    return name, value


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="cluster",
        description="A Hadoop cluster of one node: NameNode, DataNode, ResourceManager, NodeManager and "
        "history server, each a process of its own, on the loopback address and on free ports, all its files "
        "in one folder. For tests and for trying: it trusts every user of this machine.",
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="up|down|status")
    starts = commands.add_parser(
        "up", help="start it, unless it runs, and print what a shell needs to use it"
    )
    stops = commands.add_parser("down", help="stop what up started; files in HDFS are kept")
    says = commands.add_parser("status", help=f"say what runs; exit code {NOT_RUNNING} unless all of it does")
    for one in (starts, stops, says):
        one.add_argument("folder", nargs="?", type=pathlib.Path, default=default_folder(),
                         help="the cluster's own folder (default: %(default)s)")  # fmt: skip
    starts.add_argument("-D", dest="settings", metavar="NAME=VALUE", type=setting, action="append",
                        help="a setting of Hadoop for this cluster (repeatable)")  # fmt: skip
    stops.add_argument("--delete", action="store_true", help="end it at once and remove its folder")
    return made


def print_use(state: State) -> None:
    """How to use it, as lines for a shell."""
    print(f"# Hadoop runs in {state.folder}; files: hdfs://127.0.0.1:{state.ports['namenode']}/")
    for name, value in (
        ("HADOOP_CONF_DIR", str(state.folder / "conf")),
        ("INK_HADOOP_JARS", state.jars),
        ("JAVA_HOME", state.java),
    ):
        print(f"export {name}={shlex.quote(value)}")


def say(text: str) -> None:
    """Progress."""
    print(f"cluster: {text}", file=sys.stderr, flush=True)


def print_status(folder: pathlib.Path) -> int:
    """What runs, a line for each daemon."""
    state, said = status(folder)
    if state is None:
        print(f"no cluster in {folder}")
        return NOT_RUNNING
    for name, text in said.items():
        print(f"{name:17} {text}")
    return 0 if sum(text.startswith("works") for text in said.values()) == len(DAEMONS) else NOT_RUNNING


def main(words: list[str]) -> int:
    """Runs the command; the exit code."""
    asked = parser().parse_args(words)
    try:
        if asked.command == "up":
            settings = None if asked.settings is None else dict(asked.settings)
            print_use(up(asked.folder, settings, say))
        elif asked.command == "down":
            stopped = down(asked.folder, asked.delete)
            print(f"{stopped} processes stopped" if stopped else "nothing ran")
        else:
            return print_status(asked.folder)
    except (ClusterError, JarsError, NoPortError) as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"cluster: {error.filename or asked.folder}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("cluster: interrupted; what was started is stopped", file=sys.stderr)
        return 130
    return 0
