"""ink-hadoop filter on the cluster: the records and counts of ink filter."""

from __future__ import annotations

import json

from known_jobs import Jobs


def test_admitted_records_are_written_back(jobs: Jobs, location: str) -> None:
    """Sketches are local; the log has CRLF, an empty line and several files; nothing is added to a record."""
    (jobs.folder / "set.txt").write_text("".join(f"user{n}\n" for n in range(0, 1000, 7)), encoding="utf-8")
    jobs.ink("build", "bloom", "-p", "1e-4", "-o", "set.ink", "set.txt").fine()
    log = "".join(f"{n}\tuser{n % 1000}\tGET /{n}\n" for n in range(5_000)) + "last\tuser7\t"
    (jobs.folder / "log.tsv").write_text(log, encoding="utf-8")
    jobs.hdfs.write(f"{location}/log/a.tsv", jobs.folder / "log.tsv")
    how = ("--in", "tsv", "--key", "2")
    done = jobs.run("filter", "./set.ink", *how, "--json", f"{location}/log", f"{location}/out")
    report = json.loads(done.fine())
    expected = json.loads(jobs.ink("filter", "--count", "--json", *how, "set.ink", "log.tsv").fine())
    assert report.pop("seconds") > 0 and expected.pop("seconds") >= 0
    assert report == expected and report["analysed"] == 5_001
    kept = jobs.ink("filter", *how, "set.ink", "log.tsv").fine().splitlines()
    found = jobs.hdfs.read(f"{location}/out/part-00000").decode().splitlines()
    assert found == kept and len(found) == report["admitted"]
    assert list(jobs.hdfs.list(f"{location}/out")) == ["_SUCCESS", "part-00000"]
    assert jobs.job(location).uber
