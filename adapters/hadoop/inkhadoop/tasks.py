"""A job of `ink` from its inputs to its end: checked before it starts, sized by ink's plan, and run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from . import history
from .client import Client
from .errors import discard_errors, failure_of
from .failure import JOB, USAGE, Failure, one_line
from .inputs import (
    LOOKED,
    File,
    First,
    files_of,
    first_lines,
    largest_split,
    shared_header,
    split_count,
    text_bytes,
)
from .namenode import join_address
from .locations import Location
from .program import relayed
from .resources import (
    QUICK_BYTES,
    UBER,
    UBER_BYTES,
    UBER_BYTES_ALONE,
    Task,
    cluster_tasks,
    master_settings,
    task_memory,
    uber_settings,
)
from .session import Session, discard
from .splits import FORMAT, MAPS, SETTINGS, Part, can_list, listed, map_count, shares
from .standard import say
from .streaming import Job, Run, shipped

REDUCES = "mapreduce.job.reduces"
MOST_RANGES = 256
RAW = ("stream.map.output", "stream.reduce.input", "stream.reduce.output")
# Maps send what they have at their end: a reducer that started earlier would only be in their way.
PATIENCE = {"mapreduce.job.reduce.slowstart.completedmaps": "1.0"}
# Hadoop's client looks every second, and a job is done when it sees it.
ATTENTION = {"mapreduce.client.progressmonitor.pollinterval": "300"}
# What reads lines; Hadoop's buffer of 4 KiB makes that dear.
LINES = {"textinputformat.record.delimiter": "\n"}
BUFFER, BUFFER_BYTES = "io.file.buffer.size", "131072"


@dataclass
class Inputs:
    """What a job reads."""

    locations: list[Location]
    files: list[File]
    firsts: list[First]
    header: list[str] = field(default_factory=list)  # the option with the names of columns

    @property
    def bytes(self) -> int:
        """How many bytes there are, as they are stored."""
        return sum(file.length for file in self.files)

    @property
    def named(self) -> dict[str, str]:
        """The environment that names the file to `ink` outside of a task."""
        return self.environment(self.files[0])

    @staticmethod
    def environment(file: File) -> dict[str, str]:
        """The environment that says to `ink` that it reads the start of a file."""
        return {"mapreduce_map_input_file": str(file.location), "mapreduce_map_input_start": "0"}


def look(session: Session, words: Sequence[str]) -> Inputs:
    """Finds the inputs that words name, and looks at them."""
    recursive = session.conf.flag("mapreduce.input.fileinputformat.input.dir.recursive")
    locations = [session.locations.at(word) for word in words]
    files = [file for location in locations for file in files_of(location, recursive)]
    return Inputs(locations, files, first_lines(files[:LOOKED]))


@dataclass(frozen=True)
class Plan:
    """How a job is done: in how many parts, and with which settings."""

    ranged: bool
    reducers: int
    form: str  # that records are read in, which a reducer cannot see by the names of files
    settings: dict[str, str]
    shared: list[list[Part]]  # what each map reads by itself; none: Hadoop reads


class Tasks:
    """A job; `words` come after `ink map` and `ink reduce` and say what is done, such as a kind."""

    def __init__(
        self,
        session: Session,
        inputs: Inputs,
        words: Sequence[str],
        local: Sequence[str],
        output: Location,
        *,
        reduces: bool = True,
    ) -> None:
        self.session = session
        self.inputs = inputs
        self.output = output
        self.alone = "--lines" not in session.words.given and can_list(inputs.files, output)  # ink reads itself
        self.words = list(words)  # with the names that files have on a node
        self.local = list(local)  # the same with their names here
        self.reduces = reduces
        self.of_sketches = self.words[0].startswith("--")  # --verify=SKETCHES, and no kind
        self.shipped = session.shipped_files()
        self.running: Run | None = None

    # ---- Before ------------------------------------------------------------------------------

    def check(self) -> None:
        """Has `ink` judge the options, the header and the first records, so that a mistake costs no job."""
        planned = self._planned(0, 1)
        if planned.get("header"):
            firsts = self.inputs.firsts + first_lines(self.inputs.files[len(self.inputs.firsts) :])
            line = shared_header(firsts)
            if line is not None:
                self.inputs.header = [f"--header-line={os.fsdecode(line)}"]
                self._planned(0, 1)
        first = next((first for first in self.inputs.firsts if first.lines), None)
        if first is not None:
            self._try(first)

    def _planned(self, size: int, tasks: int) -> dict[str, object]:
        session = self.session
        words = ["map", "--plan", f"--bytes={size}", f"--tasks={tasks}", *self.local]
        words += [*session.options_for("map"), *self.inputs.header]
        return session.program.planned(words, self.inputs.named)

    def _try(self, first: First) -> None:
        session = self.session
        words = ["map", *self.local, *session.options_for("map"), *self.inputs.header]
        done = session.program.run(words, given=first.lines, environment=self.inputs.environment(first.file))
        if done.returncode != 0:
            raise relayed(done)

    # ---- How ---------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """What `ink` plans for this much data on this cluster."""
        conf, inputs = self.session.conf, self.inputs
        planned = self._planned(inputs.bytes, 1)
        sides = self._sides(planned)
        small = self._uber(self._reducers(planned), sides)
        maps = conf.number(MAPS) if MAPS in conf.overrides else 1
        if not small:
            at_a_time = cluster_tasks(conf, sides[0].memory_mb)
            maps = self._maps(at_a_time)
            planned = self._planned(inputs.bytes, min(maps, at_a_time or maps))
            sides = self._sides(planned)
        settings = {name: value for task in sides for name, value in task.settings.items()}
        settings |= master_settings(conf) | small
        return Plan(
            bool(planned.get("ranged")) and not self.of_sketches,
            self._reducers(planned),
            str(planned.get("in", "")),
            settings,
            shares(inputs.files, conf, maps) if self.alone else [],
        )

    def _maps(self, at_a_time: int | None) -> int:
        """In how many maps the inputs are read, each in a container."""
        conf, files = self.session.conf, self.inputs.files
        blocks = split_count(files, conf)
        return map_count(conf, sum(map(text_bytes, files)), at_a_time or blocks) if self.alone else blocks

    def _sides(self, planned: dict[str, object]) -> list[Task]:
        """The map and the reduce tasks."""
        conf = self.session.conf
        quick = {
            "map": self.alone or largest_split(self.inputs.files, conf) <= QUICK_BYTES,
            "reduce": True,
        }
        names = ("map", "reduce") if self.reduces else ("map",)
        return [task_memory(conf, side, number(planned, f"{side}_memory"), quick=quick[side]) for side in names]

    def _reducers(self, planned: dict[str, object]) -> int:
        """As many as were asked for, else as are planned."""
        conf = self.session.conf
        asked = self.session.words.reducers or (conf.number(REDUCES) if REDUCES in conf.overrides else 0)
        if planned.get("ranged") and (asked & (asked - 1) or asked > MOST_RANGES):
            raise Failure(
                f"{asked} reducers for ranges of keys, expected a power of two up to {MOST_RANGES}", USAGE
            )
        return (asked or number(planned, "reducers")) if self.reduces else 0

    def _uber(self, reducers: int, sides: Sequence[Task]) -> dict[str, str]:
        """What lets a small job run within its master, in no more splits than there have to be."""
        conf, files = self.session.conf, self.inputs.files
        if self._apart:
            return {}
        fewest = {} if MAPS in conf.overrides else {MAPS: "1"}
        maps = int(fewest.get(MAPS, 0))
        maps = (maps or conf.number(MAPS)) if self.alone else split_count(files, conf, maps)
        most = UBER_BYTES_ALONE if self.alone else UBER_BYTES
        small = uber_settings(conf, maps, reducers, sum(map(text_bytes, files)), sides, most)
        return {**small, **fewest} if small else {}

    @property
    def _apart(self) -> bool:
        """Whether every task has to have a container."""
        return "--no-uber" in self.session.words.given

    # ---- The job -----------------------------------------------------------------------------

    def job(self, plan: Plan, extra: Sequence[str] = (), ship: Sequence[str] = ()) -> Job:
        """The job for Hadoop; `extra` goes to both map and reduce, `ship` are more files."""
        session, output = self.session, self.output
        words = [*self.words, *extra]
        settings = {
            REDUCES: str(plan.reducers),
            **(SETTINGS if plan.shared else LINES),
            **(dict.fromkeys(RAW, "rawbytes") | PATIENCE if self.reduces else {}),
            **plan.settings,
            **ATTENTION,
            **({} if session.conf.find(BUFFER) else {BUFFER: BUFFER_BYTES}),
            **({f"{UBER}.enable": "false"} if self._apart else {}),
        }
        queue = session.words.one("--queue")
        if queue is not None:
            settings["mapreduce.job.queuename"] = queue
        hdfs = output.files
        return Job(
            name=one_line(f"ink-hadoop {session.command} {' '.join(session.words.operands)}", 400),
            inputs=[str(location) for location in self.inputs.locations],
            output=str(output),
            input_format=FORMAT if plan.shared else None,
            mapper=[
                *("./ink", "map", *words),
                *(["--splits"] if plan.shared else []),
                *session.options_for("map", self.shipped),
                *self.inputs.header,
            ],
            reducer=["./ink", "reduce", *words, *self.reading(plan, self.shipped)] if self.reduces else None,
            settings=settings,
            environment={
                "INK_WEBHDFS": ",".join(join_address(address) for address in hdfs.addresses),
                "INK_HDFS_USER": session.user,
            },
            files=[
                shipped(session.program_to_ship(), "ink"),
                *(shipped(session.temporary / name) for name in self.shipped.values()),
                *ship,
            ],
        )

    def reading(self, plan: Plan, files: Mapping[str, str] | None = None) -> list[str]:
        """The options of `ink reduce`; where no sketches say it, how the maps read records."""
        options = self.session.options_for("reduce", files)
        if self.of_sketches:
            return options
        form = [] if "--in" in self.session.words.given or not plan.form else [f"--in={plan.form}"]
        return [*form, *options, *self.inputs.header]

    def run_new(self, job: Job, plan: Plan) -> Client:
        """Runs a job that makes its output folder itself, which is removed again if the job fails."""
        try:
            return self.run(job, plan)
        except BaseException:
            if (
                self.running is not None and self.running.client.job is not None
            ):  # otherwise what is there is not ours
                discard(self.output)
            raise

    def run(self, job: Job, plan: Plan) -> Client:
        """Runs the job; a failure is one line, with the error of the task if there is one."""
        if not plan.shared:
            return self._run(job)
        with listed(plan.shared, self.output) as location:
            job.inputs = [str(location)]
            return self._run(job)

    def _run(self, job: Job) -> Client:
        session, output = self.session, self.output
        folder = session.temporary / "job"
        folder.mkdir()
        self.running = Run(session.launcher, job, folder, session.settings, session.progress)
        client = self.running.client
        if self.running.watch():
            discard_errors(output)
            return client
        if client.job is None:
            raise Failure(f"the job was not started: {client.why_not_started()}", JOB)
        history.complete(session.conf, client)
        raise failure_of(client, output)


def number(planned: dict[str, object], name: str) -> int:
    """A number in the plan of `ink`."""
    value = planned.get(name)
    if not isinstance(value, int):
        raise Failure(f"the plan of ink has {name} {value}, expected a number: another version of ink?")
    return value


def report_skipped(client: Client) -> None:
    """As `ink build` says how many records could not be read."""
    bad = client.counted("Bad records")
    if bad:
        say(f"{bad} of {client.counted('Records') + bad} records could not be read and were skipped")
