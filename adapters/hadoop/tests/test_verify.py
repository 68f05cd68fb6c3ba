"""ink-hadoop verify on the cluster: the table and the exit code of ink verify."""

from __future__ import annotations

import pytest
from known_jobs import Jobs


@pytest.mark.parametrize("kind", ["bloom", "fuse"])
def test_the_table_of_verify(jobs: Jobs, location: str, kind: str) -> None:
    """Sketches are in HDFS, as a folder of two parts."""
    for number, groups in enumerate((range(0, 5), range(5, 9))):
        lines = "".join(f"{n},{group}\n" for n in range(3_000) for group in groups if n % 9 == group)
        (jobs.folder / f"{number}.csv").write_text(lines, encoding="utf-8")
        jobs.ink("build", kind, "--key", "1", "--by", "2", "-o", f"{number}.ink", f"{number}.csv").fine()
        jobs.hdfs.write(f"{location}/sketches/part-0000{number}.ink", jobs.folder / f"{number}.ink")
        jobs.hdfs.write(f"{location}/in/{number}.csv", jobs.folder / f"{number}.csv")
    jobs.ink("merge", "-o", "all.ink", "0.ink", "1.ink").fine()
    expected = jobs.ink("verify", "all.ink", "--tsv", "--truth", "0.csv", "--truth", "1.csv")
    done = jobs.run("verify", "--tsv", f"{location}/sketches", f"{location}/in")
    assert (done.code, done.out, done.err) == (0, expected.out, "")
    assert len(expected.out.splitlines()) == 10
    assert jobs.job(location).uber
    assert not any("ink-hadoop" in name for name in jobs.hdfs.list(f"/user/{jobs.hdfs.user}"))
    # A member that is denied: one key more than the filters know.
    jobs.hdfs.write(f"{location}/in/2.csv", b"".join(b"new%d,1\n" % n for n in range(1000)))
    broken = jobs.run("verify", "-q", f"{location}/sketches", f"{location}/in")
    assert (broken.code, broken.out) == (1, "")
