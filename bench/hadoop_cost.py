"""What a job of Hadoop costs: seconds by the clock, and CPU seconds and memory of its processes.

Hadoop's own counter of CPU (CPU_MILLISECONDS) begins when a task's code does: starting the JVM, which is most of
a short task, is not in it. It looks at the processes below that JVM every three seconds or so, and once more
after the native program has ended: what that did after the last look is not in it either. So all processes of jobs
are looked at here, ten times a second. They are known by their working folder, which names the job. What a
process does between the last look and its end is lost here too. The NodeManager, which waits for all of them, has the
sum over those that ended (reaped_cpu), to check it by. The daemons of the cluster work for jobs too, a DataNode most
where it is read over HTTP: what all five took meanwhile is daemon_cpu.
"""
import dataclasses
import os
import pathlib
import re
import threading
import time

from localcluster.processes import processes_in, stat_fields
from localcluster.running import containers_folder
from measure import stop

LOOK_SECONDS = 0.1
END_SECONDS = 60
# Jobs of this program are known by it.
TAG = f"inkling-bench-{os.getpid()}"
TAGGED = ("-D", f"mapreduce.job.tags={TAG}")
TICKS = os.sysconf("SC_CLK_TCK")


def kind_of(number):
    """What a process of a job is: its master, a task's JVM, or a native program by its name."""
    words = pathlib.Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
    if any(word.endswith(b"MRAppMaster") for word in words):
        return "master"
    if any(word.endswith(b"YarnChild") for word in words):
        return "task"
    name = pathlib.PurePath(words[0].decode(errors="replace")).name
    if name == "ink" and len(words) > 1:
        return f"ink {words[1].decode(errors='replace')}"
    return name or "ended"


def peak_bytes(number):
    """The most memory that a process ever had."""
    text = pathlib.Path(f"/proc/{number}/status").read_text(encoding="utf-8", errors="replace")
    found = re.search(r"VmHWM:\s*([0-9]+) kB", text)
    return int(found[1]) * 1024 if found else 0


@dataclasses.dataclass
class Seen:
    """A process of a job as it was seen last: whose it is, what it is, its CPU seconds, its most bytes."""

    application: str
    kind: str
    cpu: float
    peak: int


def see(number):
    """A process of a job; None if it is none, or ended meanwhile."""
    try:
        # Every task works in a folder of its application.
        found = re.search(r"/(application_\d+_\d+)/", os.readlink(f"/proc/{number}/cwd"))
        fields = stat_fields(number)
        if found is None or fields is None:
            return None
        cpu = (int(fields[11]) + int(fields[12])) / TICKS
        return Seen(found[1], kind_of(number), cpu, peak_bytes(number))
    except OSError:
        return None


class Watch(threading.Thread):
    """Looks at the processes of jobs until it is asked to end."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.over, self.seen = folder, threading.Event(), {}

    def run(self):
        while not self.over.wait(LOOK_SECONDS):
            for process in processes_in(self.folder):
                now = see(process.number)
                if now is not None:
                    self.seen[process] = now

    def end(self):
        self.over.set()
        self.join()

    def of(self, applications):
        """The processes of some applications."""
        return [one for one in self.seen.values() if one.application in applications]


class Cost:
    """What some work on a cluster cost, the jobs that it submitted, and what it gave."""

    def __init__(self, cluster, work):
        before, reaped, daemons = applications(cluster), children_seconds(cluster), daemon_seconds(cluster)
        watch = Watch(containers_folder(cluster.folder))
        watch.start()
        start = time.perf_counter()
        try:
            self.value = work()
            self.seconds = time.perf_counter() - start
            mine = applications(cluster) - before
            wait_for_end(watch.folder, mine)
        finally:
            watch.end()
        self.jobs = [cluster.job(name.replace("application", "job")) for name in sorted(mine)]
        self.counted_cpu = sum(job.cpu_seconds() for job in self.jobs)
        self.reaped_cpu = children_seconds(cluster) - reaped
        self.daemon_cpu = daemon_seconds(cluster) - daemons
        seen = watch.of(mine)
        # A small job is done within its master.
        uber = {job.number.replace("job", "application") for job in self.jobs if job.uber}
        self.cpu = sum(one.cpu for one in seen)
        self.task_cpu = sum(one.cpu for one in seen if one.kind != "master" or one.application in uber)
        self.all_cpu = self.cpu + self.daemon_cpu
        self.peak = max((one.peak for one in seen if one.kind == "ink map"), default=0)

    def launched(self, what):
        """How many tasks the jobs had: MAPS or REDUCES."""
        group = "org.apache.hadoop.mapreduce.JobCounter"
        return sum(job.counter(group, f"TOTAL_LAUNCHED_{what}") for job in self.jobs)


def daemon_seconds(cluster):
    """CPU seconds of the cluster's own processes, without those that they started."""
    found = [stat_fields(daemon.number) for daemon in cluster.state.daemons.values()]
    if None in found:
        stop("a daemon of the cluster ended")
    return sum(int(fields[11]) + int(fields[12]) for fields in found) / TICKS


def children_seconds(cluster):
    """CPU seconds of all that the NodeManager started and that ended."""
    fields = stat_fields(cluster.state.daemons["NodeManager"].number)
    if fields is None:
        stop("the NodeManager ended")
    return (int(fields[13]) + int(fields[14])) / TICKS


def applications(cluster):
    """Those of this program."""
    return {one["id"] for one in cluster.applications() if TAG in one.get("applicationTags", "").split(",")}


def wait_for_end(folder, applications):
    """A job's master stays for a few seconds after it."""
    until = time.monotonic() + END_SECONDS
    while any(now and now.application in applications for now in map(see, numbers_in(folder))):
        if time.monotonic() > until:
            stop(f"{folder}: a job's processes are still there after {END_SECONDS} s")
        time.sleep(LOOK_SECONDS)


def numbers_in(folder):
    return [process.number for process in processes_in(folder)]
