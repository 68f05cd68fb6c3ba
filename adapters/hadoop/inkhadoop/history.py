"""What the history server knows of a failed task, for the jobs whose client ended before it heard of it."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any

from .client import Client
from .conf import Configuration
from .namenode import split_address

PORT = 19888
SECONDS = 10.0  # in which a job that ended has to be known there
PAUSE = 0.2


def ask(conf: Configuration, path: str) -> Any:
    """What the server answers, or None."""
    host, port = split_address(conf.text("mapreduce.jobhistory.webapp.address"), PORT)
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        answer = connection.getresponse()
        return json.loads(answer.read()) if answer.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def attempts_of(conf: Configuration, job: str, task: str) -> dict[str, list[str]]:
    """The failed attempts of a task, with what was said about each; none if the server does not know."""
    answer = ask(conf, f"/ws/v1/history/mapreduce/jobs/{job}/tasks/{task}/attempts")
    try:
        listed = answer["taskAttempts"]["taskAttempt"]
        listed = listed if isinstance(listed, list) else [listed]
        failed = [one for one in listed if one["state"] == "FAILED"]
        return {
            str(one["id"]): str(one.get("diagnostics", "")).splitlines()
            for one in sorted(failed, key=lambda one: str(one["id"]))
        }
    except (KeyError, TypeError):
        return {}


def complete(conf: Configuration, client: Client) -> None:
    """Completes what the client saw of the job, if the server knows the rest."""
    if client.job is None or client.failed_task is None or client.failed_attempts():
        return
    until = time.monotonic() + SECONDS
    while not (found := attempts_of(conf, client.job, client.failed_task)):
        if time.monotonic() > until or ask(conf, "/ws/v1/history/info") is None:
            return
        time.sleep(PAUSE)
    client.attempts.update(found)
