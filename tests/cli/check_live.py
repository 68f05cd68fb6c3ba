#!/usr/bin/env python3
"""The live view of a stream over HTTP: what it reports, whom it refuses, and what clients cannot do to it.

Prints a TAP line for each test and exits with the number that failed.
"""
import base64
import concurrent.futures
import hashlib
import http.client
import json
import math
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import time

import streams
import tap
from streams import FOLDER, INK, PATIENCE

STATIC = os.path.join(FOLDER, "static", "ink")

CONNECTIONS = 64  # at a time; more wait
IDLE_SECONDS = 3  # until a connection without a request is closed
WITHOUT = "was built without libmicrohttpd"


class Stream(streams.Stream):
    """`ink stream` with a page."""

    def __init__(self, *words, where="127.0.0.1:0", sketches=("bloom:n=1e5", "top", "hll"), train="tcp://127.0.0.1:0"):
        super().__init__("--every", "50ms", "--http", where, *words, sketches=sketches, train=train)
        if WITHOUT in self.first:
            self.process.communicate()
            raise tap.Skipped("this ink was built without libmicrohttpd")
        found = re.search(r" page at (http://(\S+):(\d+)/)\n", self.first)
        assert found and (self.port or not train.startswith("tcp:")), self.first
        self.address, self.host, self.page = found[1], found[2], int(found[3])

    def reach(self):
        """A connection to the page."""
        return socket.create_connection((self.host, self.page), PATIENCE)

    def feed(self, data):
        """Sends records, and waits until they have been taken."""
        with self.trained() as train:
            train.sendall(data)
            train.shutdown(socket.SHUT_WR)
            assert train.recv(1) == b""

    def connect(self):
        return http.client.HTTPConnection(self.host.strip("[]"), self.page, timeout=PATIENCE)

    def ask(self, path, method="GET", body=None, **headers):
        """The response, with its body as .text. A client that a busy machine kept from asking until its
        connection was idle for too long asks again, as browsers do."""
        began = time.monotonic()
        connection = self.connect()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
        except ConnectionError:
            if time.monotonic() - began < IDLE_SECONDS:
                raise
            return self.ask(path, method, body, **headers)
        response.text = response.read().decode()
        connection.close()
        return response

    def raw(self, request):
        """What comes back for these bytes, up to the end of the connection."""
        with self.reach() as sent:
            sent.sendall(request)
            answer = b""
            try:
                while piece := sent.recv(65536):
                    answer += piece
            except ConnectionError:
                pass
            return answer

    def live(self, until=lambda live: True):
        """What /live.json reports, once it is as wanted."""
        end = time.monotonic() + PATIENCE
        while True:
            live = json.loads(self.ask("/live.json").text)
            if until(live):
                return live
            assert time.monotonic() < end, live
            time.sleep(0.05)


def sketch_of(live, kind):
    return next(sketch for sketch in live["sketches"] if sketch["kind"] == kind)


# ---- What is reported ----


def the_page_is_whole_and_its_policy_is_for_its_own_script_alone():
    with Stream() as stream:
        response = stream.ask("/")
    page = response.text
    assert response.status == 200 and response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page == pathlib.Path(os.environ["INK_SOURCE"], "cli/stream/page.html").read_text(encoding="utf-8")
    policy = dict(part.strip().split(" ", 1) for part in response.headers["Content-Security-Policy"].split(";"))
    assert policy.pop("default-src") == "'none'"
    for tag in ("script", "style"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert policy.pop(f"{tag}-src") == f"'sha256-{digest}'", tag
    assert policy == {"connect-src": "'self'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'",
                      "frame-ancestors": "'none'", "require-trusted-types-for": "'script'",
                      "trusted-types": "'none'"}, policy
    for name, value in (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin")):
        assert response.headers[name] == value, name
    outside = [link for link in re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"'\s>)]+)""", page)
               if not link.startswith(("data:", "/live.json", "/metrics"))]
    assert not outside, outside


def numbers_are_those_of_the_stream():
    with Stream() as stream:
        stream.feed(b"".join(b"key %d\n" % i for i in range(5000)) + b"<script>\n" * 300)
        live = stream.live(lambda live: live["now"]["records"] == 5300 == live["now"]["saved_records"]
                           and sketch_of(live, "hll")["records"] == 5300)
    now = live["now"]
    assert now["run_records"] == 5300 and now["batches"] == now["saved_batches"] > 0 and "saved_at" in now, now
    assert (now["bad"], now["late"], now["cut"], now["questions"], now["ended"]) == (0, 0, 0, 0, False), now
    assert live["train"] == ["tcp://%s:%d" % stream.port] and live["state"] == "state" and "ask" not in live
    bloom, top, hll = (sketch_of(live, kind) for kind in ("bloom", "top", "hll"))
    assert bloom["keys"] == 100000 and bloom["promised_rate"] == 0.01 and bloom["ok"] is True
    assert bloom["state"] == f"{100 * bloom['current_rate']:.3g} % false positives, promised 1 %" and live["worst"] == "bloom"
    assert 0 < bloom["current_rate"] < 0.01 and abs(bloom["fill"] - 0.05001) < 0.002, bloom
    assert live["distinct_by"] == "hll" and hll["distinct"]["low"] <= 5001 <= hll["distinct"]["high"], hll
    first = top["answers"][0]
    assert first["key"] == "<script>" and first["low"] <= 300 <= first["high"] and top["total"] == 5300, first
    assert abs(first["share"] - first["estimate"] / 5300) < 1e-9
    rows = json.loads("[" + ",".join(subprocess.check_output([INK, "info", "--json", "state/state.ink"], text=True)
                                     .splitlines()) + "]")
    for row in rows:  # the page and the file say the same
        sketch = sketch_of(live, row["kind"])
        for name in ("keys", "bits", "bytes", "records", "total", "promised_rate", "current_rate", "precision", "hashes", "bits_per_key"):
            assert row.get(name) == sketch.get(name), (row["kind"], name)


def the_past_has_a_sample_for_each_second():
    with Stream() as stream:
        stream.feed(b"ant\nbee\n" * 1000)
        live = stream.live(lambda live: len(live["history"]["seconds"]) >= 3 and live["now"]["records"] == 2000)
    past = live["history"]
    lengths = {len(past[name]) for name in ("seconds", "records_per_second", "questions_per_second", "distinct",
                                            "distinct_low", "distinct_high")}
    assert lengths | {len(past["current_rate"]["bloom"])} == {len(past["seconds"])} and set(past["current_rate"]) == {"bloom"}
    steps = [after - before for before, after in zip(past["seconds"], past["seconds"][1:])]
    assert min(steps) > 0 and 0.6 < sum(steps) / len(steps) < 5, steps  # one that is late is followed sooner
    # Two samples may report a record that came between them, but all of them together of each one.
    reported = sum(rate * step for rate, step in zip(past["records_per_second"][1:], steps))
    assert abs(reported - 2000) < 20, past
    assert round(past["distinct"][-1]) == 2, past


def the_past_begins_with_the_first_record():
    with Stream() as stream:
        waited = stream.live(lambda live: live["now"]["seconds"] > 2.5)
        assert len(waited["history"]["seconds"]) == 1, waited["history"]
        stream.feed(b"ant\nbee\n")
        past = stream.live(lambda live: len(live["history"]["seconds"]) == 3)["history"]
    assert past["records_per_second"][0] == 0 < past["records_per_second"][1] and past["seconds"][0] > 1.5, past


def what_is_not_there_is_left_out():
    with Stream(sketches=("count-min",)) as stream:
        stream.feed(b"ant\nbee\n")
    with Stream(sketches=("count-min",)) as stream:
        live, metrics = stream.live(), stream.ask("/metrics").text
    assert live["now"]["saved_records"] == 2 and "saved_at" not in live["now"] and "checkpoint_timestamp" not in metrics, live
    assert [sketch["kind"] for sketch in live["sketches"]] == ["count-min"]
    assert not {"current_rate", "fill", "answers", "distinct"} & set(live["sketches"][0]), live
    assert "distinct_by" not in live and "worst" not in live and "distinct" not in live["history"] and "window_seconds" not in live
    assert "newest" not in live["now"] and "filter" not in metrics and "distinct" not in metrics


def keys_of_any_bytes_are_json():
    keys = [b"caf\xc3\xa9", b"\xff\xfe", b'"quoted"', b"back\\slash", b"tab\there", b"", b"</script><b>", b"x" * 900,
            "\u2028\u202e".encode()]
    with Stream(sketches=("top",)) as stream:
        stream.feed(b"".join((key + b"\n") * (20 - i) for i, key in enumerate(keys)))
        live = stream.live(lambda live: live["now"]["records"] == sum(20 - i for i in range(len(keys)))
                           and live["sketches"][0]["answers"])
    found = [(answer["key"] if "key" in answer else bytes.fromhex(answer["key_hex"]), answer.get("cut", False))
             for answer in live["sketches"][0]["answers"]]
    assert found == [("café", False), (b"\xff\xfe", False), ('"quoted"', False), ("back\\slash", False),
                     ("tab\there", False), ("", False), ("</script><b>", False), ("x" * 256, True),
                     ("\u2028\u202e", False)], found


def names_of_any_bytes_are_json():
    names = {"train": b"unix:\xe9", "ask": b"unix:\xc3\xa9\xff"}
    with Stream("--ask", os.fsdecode(names["ask"]), train=os.fsdecode(names["train"])) as stream:
        live = stream.live()
    assert live["train_hex"] == [names["train"].hex()] and live["ask_hex"] == names["ask"].hex(), live
    assert live["state"] == "state" and not {"train", "ask"} & set(live), live


def keys_of_several_columns_are_lists():
    with Stream("--in", "csv", "--key", "1,2", sketches=("top",)) as stream:
        stream.feed(b"ant,bee,1\nant,bee,2\n")
        live = stream.live(lambda live: live["sketches"][0]["answers"])
    assert live["sketches"][0]["answers"][0]["key"] == ["ant", "bee"]


def a_filter_above_its_promise_is_reported():
    with Stream(sketches=("scalable:n=4000", "bloom:n=100", "hll")) as stream:
        stream.feed(b"".join(b"key %d\n" % i for i in range(3000)))
        live = stream.live(lambda live: live["notes"] and sketch_of(live, "bloom")["records"] == 3000)
    bloom, hll = sketch_of(live, "bloom"), sketch_of(live, "hll")
    assert bloom["ok"] is False and bloom["current_rate"] > 0.9 and bloom["fill"] > 5, bloom
    assert live["worst"] == "bloom" and sketch_of(live, "scalable")["ok"] is True, live["worst"]
    found = re.fullmatch(r"(\d[\d.]*) % false positives, promised 1 %: it holds ([\d,]+) keys of 100 planned; begin a new state "
                         r"with n=(\d+) or --grow, or go on with --renew", bloom["state"])
    assert found and math.isclose(float(found[1]), 100 * bloom["current_rate"], rel_tol=0.01), bloom["state"]
    assert int(found[2].replace(",", "")) in (bloom["distinct"]["estimate"], hll["distinct"]["estimate"]), (found[2], live["sketches"])
    keys = int(found[2].replace(",", ""))
    assert 1.5 * keys <= int(found[3]) <= 1.66 * keys and re.fullmatch("[0-9]{2}0*", found[3]), bloom["state"]
    assert "bloom" in live["notes"][0]["text"] and abs(live["notes"][0]["at"] - time.time()) < 60, live["notes"]


def a_window_reports_its_newest_record():
    with Stream("--window", "10m", "--slots", "10", "--in", "csv", "--key", "1", "--time", "2", "--bad", "skip",
                sketches=("hll",)) as stream:
        stream.feed(b"ant,2024-05-01T10:00:00Z\nbee,2024-05-01T10:05:00Z\ncat,2024-05-01T09:00:00Z\ndog,x\n")
        live = stream.live(lambda live: live["now"].get("late") == 1)
    assert live["window_seconds"] == 600 and live["now"]["newest"] == 1714557900000000, live["now"]
    assert live["now"]["bad"] == 1 and live["sketches"][0]["distinct"]["estimate"] == 2, live


# ---- Prometheus ----


SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+)="([^"\\\n]*)"\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)')


def parsed(text):
    """The families of metrics by name: type and samples. Stricter than the format: HELP, TYPE, then samples of one
    family, and no comments, blank lines, duplicates or timestamps."""
    families, current = {}, None
    assert text.endswith("\n") and "\r" not in text
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, help_text = line[7:].split(" ", 1)
            assert name not in families and help_text.endswith("."), line
            current, families[name] = name, {"type": None, "samples": {}}
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name == current and families[name]["type"] is None and not families[name]["samples"], line
            assert kind in ("counter", "gauge") and (kind == "counter") == name.endswith("_total"), line
            families[name]["type"] = kind
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample and sample[1] == current and families[current]["type"], line
            assert sample[3] not in families[current]["samples"], line
            families[current]["samples"][sample[3]] = float(sample[4])
    assert all(name.startswith("ink_stream_") and family["samples"] for name, family in families.items())
    return families


def metrics_are_prometheus_text():
    with Stream("--ask", "tcp://localhost:0") as stream:
        before = parsed(stream.ask("/metrics").text)
        stream.feed(b"".join(b"key %d\n" % i for i in range(4000)))
        live = stream.live(lambda live: sketch_of(live, "hll")["records"] == 4000)
        response = stream.ask("/metrics")
        after = parsed(response.text)
        version = subprocess.check_output([INK, "version"], text=True).split()[1]
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert set(before) <= set(after)
    value = {name: family["samples"] for name, family in after.items()}
    assert before["ink_stream_records_total"]["samples"][None] == 0 and value["ink_stream_records_total"][None] == 4000
    assert value["ink_stream_info"] == {version: 1} and value["ink_stream_connections"] == {"train": 0, "ask": 0}
    assert value["ink_stream_filter_promised_rate"] == {"bloom": 0.01}
    assert value["ink_stream_filter_false_positive_rate"] == {"bloom": sketch_of(live, "bloom")["current_rate"]}
    assert value["ink_stream_sketch_records"] == {"bloom": 4000, "top": 4000, "hll": 4000}
    low, high = (value[f"ink_stream_distinct_keys_{bound}"]["hll"] for bound in ("low", "high"))
    assert low <= 4000 <= high and low < value["ink_stream_distinct_keys"]["hll"] < high


# ---- Requests ----


def head_has_the_head_alone_and_a_connection_stays():
    with Stream() as stream:
        connection = stream.connect()
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"ok\n")
        first = connection.sock
        for path in ("/", "/live.json", "/metrics", "/healthz", "/nothing"):
            connection.request("HEAD", path)
            response = connection.getresponse()
            assert response.status == (404 if path == "/nothing" else 200) and response.read() == b"", path
            assert int(response.headers["Content-Length"]) > 0, path
        connection.request("GET", "/healthz?x=%00")
        assert connection.getresponse().read() == b"ok\n"
        assert connection.sock is first and first is not None
        connection.close()


def what_is_no_question_is_refused_in_one_line():
    with Stream() as stream:
        for path in ("/index.html", "//", "/live.json/", "/../etc/passwd", "/%2e%2e/", "/LIVE.JSON"):
            response = stream.ask(path)
            assert response.status == 404 and response.text.count("\n") == 1 and "/metrics" in response.text, path
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "XYZ"):
            response = stream.ask("/", method, body=b"a=b" * 10000 if method in ("POST", "PUT") else None)
            assert response.status == 405 and response.headers["Allow"] == "GET, HEAD", method
            assert response.text.count("\n") == 1 and "expected GET or HEAD" in response.text, method
        for request in (b"\0\xff\0\xff\n\n", b"GET\n\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                        b"POST /live.json HTTP/1.1\r\nX: y\r\n\r\n",
                        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 3 + b"\n\n",
                        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100000 + b"\r\n\r\n"):
            answer = stream.raw(request)
            assert answer == b"" or re.match(rb"HTTP/1\.[01] (4|5)\d\d ", answer), (request[:40], answer[:80])
            assert answer.count(b"HTTP/1.") <= 1, (request[:40], answer)
        assert stream.ask("/healthz").text == "ok\n"


def a_question_that_brings_something_along_is_answered():
    with Stream() as stream:
        assert stream.ask("/healthz", body=b"x" * 50000).text == "ok\n"


def other_names_are_refused():
    """A page elsewhere can have its name lead to this address, and its script would then read along."""
    foreign = ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "localhost:x",
               "user@127.0.0.1", "127.0.0.1:80:80", "[::1", "::1", ":80", "local host", "1.2.3", "0x7f.1")
    own = ("127.0.0.1", "127.0.0.1:1", "localhost", "LocalHost:8080", "[::1]", "[::1]:80", "10.1.2.3", "[fe80::1]:9")
    with Stream() as stream:
        for name in foreign:
            for path in ("/", "/live.json", "/metrics", "/healthz", "/nothing"):
                response = stream.ask(path, Host=name)
                assert response.status == 403 and response.text.count("\n") == 1, (name, path, response.status)
                assert "localhost" in response.text and "ink_" not in response.text
        for name in own:
            assert stream.ask("/healthz", Host=name).status == 200, name
        for one, other in ((b"localhost", b"evil.example"), (b"evil.example", b"localhost")):
            answer = stream.raw(b"GET /healthz HTTP/1.1\r\nHost: %s\r\nHost: %s\r\n\r\n" % (one, other))
            assert not re.match(rb"HTTP/1.1 200 ", answer), answer
        assert stream.raw(b"GET /healthz HTTP/1.0\r\n\r\n").endswith(b"\r\n\r\nok\n")


def the_name_that_was_given_is_welcome():
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, 0)
    except OSError:
        raise tap.Skipped(f"{name} leads nowhere") from None
    with Stream(where=f"{name}:0") as stream:
        assert stream.host == name
        assert stream.ask("/healthz").status == 200
        assert stream.ask("/healthz", Host=name.upper() + ":80").status == 200
        assert stream.ask("/healthz", Host="evil.example").status == 403


def an_address_has_several_forms():
    for where, address in ((":0", r"http://127\.0\.0\.1:\d+/"), ("0", r"http://127\.0\.0\.1:\d+/"),
                           ("localhost:0", r"http://localhost:\d+/"), ("127.0.0.2:0", r"http://127\.0\.0\.2:\d+/")):
        with Stream(where=where) as stream:
            assert re.fullmatch(address, stream.address), stream.address
            stream.host = stream.host.replace("localhost", "127.0.0.1")
            assert stream.ask("/healthz").status == 200
    if not socket.has_ipv6 or not pathlib.Path("/proc/net/if_inet6").exists():
        return
    with Stream(where="[::1]:0") as stream:
        assert re.fullmatch(r"http://\[::1\]:\d+/", stream.address), stream.address
        assert stream.ask("/healthz").status == 200


# ---- Starting and ending ----


def run(*words, ink=INK):
    return subprocess.run([ink, "stream", "--train", "tcp://127.0.0.1:0", "--sketch", "hll", "--state", "state", *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)


def skip_without():
    with Stream(sketches=("hll",)):
        pass


def a_port_in_use_is_one_line():
    skip_without()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ended = run("--http", f"127.0.0.1:{port}")
    assert ended.returncode == 4, ended
    assert ended.stderr == f"ink: --http 127.0.0.1:{port}: cannot listen: Address already in use\n", ended.stderr
    for where in ("192.0.2.1:65535", "[2001:db8::1]:65535"):  # of no one
        ended = run("--http", where)
        assert ended.returncode == 4 and ended.stderr.count("\n") == 1, ended
        assert ended.stderr.startswith(f"ink: --http {where}: cannot listen: "), ended.stderr
    with Stream(sketches=("hll",)) as stream:  # the folder is free
        assert stream.ask("/healthz").status == 200


def what_is_no_address_is_a_usage_error():
    skip_without()
    for where in ("", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:000080", "127.0.0.1:80x", "[::1:80", "::1:80", "a b:80",
                  "-1", "http://127.0.0.1:80", "127.0.0.1:80/", "[]:80", "h\n:80", "1" * 300 + ":80"):
        ended = run(f"--http={where}")
        assert ended.returncode == 2 and ended.stderr.count("\n") == 1, (where, ended)
        assert "expected HOST:PORT" in ended.stderr or where == "", (where, ended.stderr)


def an_ink_without_it_says_so():
    if not os.path.exists(STATIC):
        raise tap.Skipped("there is no static command")
    ended = run("--http", "127.0.0.1:0", ink=STATIC)
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1 and WITHOUT in ended.stderr, ended
    assert not os.path.exists("state")


def the_command_needs_no_library_for_it_until_then():
    """Every start of ink would otherwise load ten libraries."""
    skip_without()
    assert "microhttpd" not in subprocess.check_output(["readelf", "-d", INK], text=True)


def a_signal_ends_it_with_clients_connected():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Stream() as stream:
            silent = stream.reach()
            half = stream.reach()
            half.sendall(b"GET /live.json HT")
            assert stream.ask("/healthz").status == 200
            stream.process.send_signal(number)
            assert stream.process.wait(PATIENCE) == -number
            assert silent.recv(1) == b""
            for client in (silent, half):
                client.close()
            try:
                stream.ask("/healthz")
            except ConnectionRefusedError:
                continue
            raise AssertionError("something still answers")


# ---- Clients ----


def many_at_a_time_are_answered():
    with Stream() as stream:
        stream.feed(b"".join(b"key %d\n" % i for i in range(1000)))
        with concurrent.futures.ThreadPoolExecutor(2 * CONNECTIONS) as clients:
            paths = ("/", "/live.json", "/metrics", "/healthz") * (2 * CONNECTIONS)
            answers = list(clients.map(stream.ask, paths))
    assert all(answer.status == 200 for answer in answers)
    for path, answer in zip(paths, answers):
        assert int(answer.headers["Content-Length"]) == len(answer.text.encode()), path
        if path == "/live.json":
            json.loads(answer.text)


def a_slow_client_is_cut_and_stalls_no_other():
    """Silent, half a request, a byte now and then, and one that never reads: none of them stays."""
    with Stream() as stream:
        began = time.monotonic()
        slow = [stream.reach() for _ in range(CONNECTIONS - 1)]
        dripping, deaf = slow[0], slow[1]
        for client in slow[2::2]:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
        dripping.sendall(b"GET / HTTP/1.1\r\nX: ")
        stream.feed(b"ant\n")
        asked = time.monotonic()
        assert stream.ask("/healthz").status == 200 and time.monotonic() - asked < 2  # there is room for one more
        waiting = [stream.reach() for _ in range(CONNECTIONS)]
        open_ones = set(slow) - {deaf}
        while open_ones:
            assert time.monotonic() - began < PATIENCE, f"{len(open_ones)} are still there"
            ready, _, _ = select.select(list(open_ones), [], [], 0.2)
            for client in ready:
                try:
                    ended = client.recv(65536) == b""
                except ConnectionError:
                    ended = True
                if ended:
                    open_ones.remove(client)
            if dripping in open_ones:
                try:
                    dripping.sendall(b"x")
                except OSError:
                    open_ones.discard(dripping)
        assert stream.ask("/healthz").status == 200
        for client in slow + waiting:
            client.close()
        assert stream.ask("/healthz").status == 200
        assert stream.live()["now"]["records"] == 1


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-live-"))
