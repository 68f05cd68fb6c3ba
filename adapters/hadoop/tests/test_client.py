"""What Hadoop's client says, as it was said on a cluster, and what is made of it."""

from __future__ import annotations

import pytest
from inkhadoop.client import Client, exit_text, reason_in

STARTED = """packageJobJar: [] [/jars/hadoop-streaming-3.4.2.jar] /tmp/streamjob1.jar tmpDir=null
INFO DefaultNoHARMFailoverProxyProvider: Connecting to ResourceManager at /127.0.0.1:19552
INFO JobSubmitter: number of splits:2
INFO JobSubmitter: Submitting tokens for job: job_1794829631141_0003
INFO YarnClientImpl: Submitted application application_1794829631141_0003
INFO Job: Running job: job_1794829631141_0003
INFO Job: Job job_1794829631141_0003 running in uber mode : false
INFO Job:  map 0% reduce 0%
"""
SUCCEEDED = """INFO Job:  map 100% reduce 100%
INFO Job: Job job_1794829631141_0003 completed successfully
INFO Job: Counters: 58
\tFile System Counters
\t\tFILE: Number of bytes read=8798
\tJob Counters \n\t\tLaunched map tasks=2
\tInk
\t\tBad records=2
\t\tRecords=1000
\tShuffle Errors
\t\tBAD_ID=0
INFO StreamJob: Output directory: hdfs://127.0.0.1:22470/hd/out2
"""
SUBPROCESS = """INFO Job: Task Id : attempt_1794829631141_0003_m_000001_{attempt}, Status : FAILED
Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code {code}
\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:326)
\tat java.base/javax.security.auth.Subject.doAs(Subject.java:423)

"""
FAILED = """INFO Job:  map 100% reduce 100%
INFO Job: Job job_1794829631141_0003 failed with state FAILED due to: Task failed task_1794829631141_0003_m_000001
Job failed as tasks failed. failedMaps:1 failedReduces:0 killedMaps:0 killedReduces: 0

INFO Job: Counters: 14
\tJob Counters \n\t\tFailed map tasks=4
ERROR StreamJob: Job not successful!
Streaming Command Failed!
"""


def heard(*texts: str) -> Client:
    client = Client()
    for line in "".join(texts).splitlines(keepends=True):
        client.take(line)
    return client


def test_a_job_that_succeeds() -> None:
    client = heard(STARTED, SUCCEEDED)
    assert (client.job, client.state) == ("job_1794829631141_0003", "SUCCEEDED")
    assert (client.maps, client.reduces) == (100, 100)
    assert client.counters["Ink", "Records"] == 1000 and client.counters["Ink", "Bad records"] == 2
    assert client.counters["Job Counters", "Launched map tasks"] == 2


def test_the_job_is_known_before_it_is_submitted() -> None:
    assert heard("INFO JobSubmitter: Submitting tokens for job: job_1_0003\n").job == "job_1_0003"
    assert heard("2026-11-16 11:00:00,123 INFO mapreduce.Job: Running job: job_1_0004\n").job == "job_1_0004"
    assert heard("INFO YarnClientImpl: Submitted application application_1_0005\n").job == "job_1_0005"


@pytest.mark.parametrize(
    ("code", "text", "exit_code"),
    [
        (3, "exit code 3", 3),
        (1, "exit code 1", 1),
        (139, "killed by signal 11 (SIGSEGV)", 1),
        (137, "killed by signal 9 (SIGKILL)", 1),
        (126, "exit code 126: the program cannot run on the node", 1),
    ],
)
def test_how_the_program_ended_is_named(code: int, text: str, exit_code: int) -> None:
    attempts = [SUBPROCESS.format(attempt=attempt, code=code) for attempt in range(4)]
    client = heard(STARTED, *attempts, FAILED)
    assert client.state == "FAILED" and client.failed_task == "task_1794829631141_0003_m_000001"
    assert client.failed_attempt() == "attempt_1794829631141_0003_m_000001_3"
    assert client.why().startswith(f"attempt_1794829631141_0003_m_000001_3: {text}")
    assert client.exit_code() == exit_code
    assert client.counters["Job Counters", "Failed map tasks"] == 4


def test_the_task_that_failed_the_job_counts_and_no_other() -> None:
    other = SUBPROCESS.format(attempt=0, code=5).replace("_m_000001_", "_m_000009_")
    client = heard(STARTED, SUBPROCESS.format(attempt=0, code=3), other, FAILED)
    assert client.failed_attempt() == "attempt_1794829631141_0003_m_000001_0"
    assert client.exit_code() == 3


def test_a_container_that_was_too_large() -> None:
    said = """INFO Job: Task Id : attempt_1_0003_r_000000_0, Status : FAILED
[2026-11-16 12:00:00.000]Container [pid=1,containerID=container_1] is running 1000B beyond the 'PHYSICAL' memory limit. Current usage: 2 GB
Dump of the process-tree for container_1 :
"""
    client = heard(
        STARTED, said, FAILED.replace("_0003_m_000001", "_0003_r_000000").replace("1794829631141", "1")
    )
    assert "beyond the 'PHYSICAL' memory limit" in client.why()


def test_a_queue_that_is_not_there() -> None:
    said = (
        "INFO Job: Job job_1794829631141_0003 failed with state FAILED due to: Failed to submit application_1 to YARN : "
        "Application application_1 submitted by user rootApplication application_1 submitted by user root "
        "to unknown queue: nosuch\n"
    )
    assert heard(STARTED, said).why() == "no queue nosuch in YARN, expected another --queue"


def test_a_program_that_cannot_be_started() -> None:
    said = """INFO Job: Task Id : attempt_1794829631141_0003_m_000001_0, Status : FAILED
Error: java.lang.RuntimeException: Error in configuring object
\tat org.apache.hadoop.util.ReflectionUtils.setJobConf(ReflectionUtils.java:112)
Caused by: java.lang.RuntimeException: configuration exception
\t... 14 more
Caused by: java.io.IOException: Cannot run program "/x/./ink-map": error=13, Permission denied
\t... 24 more

"""
    client = heard(STARTED, said, FAILED)
    assert client.why().endswith('Cannot run program "/x/./ink-map": error=13, Permission denied')


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            "ERROR StreamJob: Error Launching job : Failed to submit application_1 to YARN : Application application_1 submitted "
            "by user root to unknown queue: nosuch\nStreaming Command Failed!\n",
            "unknown queue: nosuch",
        ),
        (
            'Exception in thread "main" java.net.ConnectException: Call From a/127.0.0.1 to b:8032 failed on connection exception\n'
            "\tat x.Y.z(Y.java:1)\nCaused by: java.net.ConnectException: Connection refused\n",
            "Call From a/127.0.0.1 to b:8032 failed on connection exception",
        ),
        ("", "it said nothing"),
        ("INFO Job: began\nno such command: jar\n\nINFO Job: ended\n\n", "no such command: jar"),
        ("ERROR A: first\nother\nFATAL B: last\n", "last"),
        ('Exception in thread "main" java.lang.OutOfMemoryError\nCaused by: x.Y: z\n', "OutOfMemoryError"),
    ],
)
def test_a_job_that_never_was(said: str, why: str) -> None:
    client = heard(said)
    assert client.job is None
    assert client.why_not_started().endswith(why)


def test_lines_that_go_on_belong_to_what_was_said_before() -> None:
    first, _, more = FAILED.partition(" due to: ")
    client = heard(STARTED, first, " due to: no more\nroom in the queue\nINFO Job: over\nnot a part\n")
    assert client.diagnostics == ["no more", "room in the queue"] and client.failed_task is None
    client.take("\t\tRecords=5")
    assert client.counters == {}, "there was no list of counters"


def test_the_least_informative_lines_are_better_than_none() -> None:
    for said, why in (
        ("\n\tat x.Y(Z.java:1)\n", "no reason was given"),
        ("\nError: java.io.IOException: no disk\n\tat x.Y(Z.java:1)\n", "no disk"),
        ("Container x\nCaused by: a.B: one\nCaused by: c.d.EException: two\n", "two"),
        ("first\nExit code is 9\nrunning beyond\n", "Exit code is 9"),
    ):
        assert reason_in(said.splitlines()) == why


def test_signals_have_names() -> None:
    assert exit_text(143) == "killed by signal 15 (SIGTERM)"
    assert exit_text(200) == "exit code 200"
