#!/usr/bin/env python3
"""The module's commands in a server: time of the server's main thread per command, beside PING on the same server.

    bench/valkey.py OUT [NAME...]

Prints a table for each server (adapters/valkey/servers.py; NAME chooses some). Time is that of INFO cpu, which repeats within
about 10 % where the wall clock does not. BENCH_ROUNDS=3 rounds, of which the best counts; BENCH_ONLY= part of a row's name.
A second table has the longest time that another client waited for an answer while a large value was worked on.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "adapters" / "valkey"))

import servers  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS") or 3)
ONLY = os.environ.get("BENCH_ONLY") or ""
SINGLE, MANY = 400_000, 10_000
ITEMS = 100 * ["__rand_int__"]
# Name, how often, what is made before, the command, and how often PING at most (the target).
ROWS = [
    ("PING", SINGLE, [], ["PING"], None),
    ("BF.ADD, 1e6 reserved", SINGLE, ["BF.RESERVE", "bf", "0.01", "1000000"], ["BF.ADD", "bf", "__rand_int__"], 2.1),
    ("BF.EXISTS, 1e6 reserved", SINGLE, [], ["BF.EXISTS", "bf", "__rand_int__"], 1.9),
    ("BF.ADD, grown", SINGLE, [], ["BF.ADD", "grown", "__rand_int__"], 2.7),
    ("BF.EXISTS, grown", SINGLE, [], ["BF.EXISTS", "grown", "__rand_int__"], 2.4),
    ("BF.MADD of 100, 1e6", MANY, ["BF.RESERVE", "many", "0.01", "1000000"], ["BF.MADD", "many", *ITEMS], 42),
    ("BF.MEXISTS of 100, 1e6", MANY, [], ["BF.MEXISTS", "many", *ITEMS], 23),
    ("BF.MADD of 100, 1e8", MANY, ["BF.RESERVE", "large", "0.01", "100000000", "NONSCALING"], ["BF.MADD", "large", *ITEMS], 29),
    ("BF.MEXISTS of 100, 1e8", MANY, [], ["BF.MEXISTS", "large", *ITEMS], 24),
    ("CMS.INCRBY, 2000 x 5", SINGLE, ["CMS.INITBYDIM", "cms", "2000", "5"], ["CMS.INCRBY", "cms", "__rand_int__", "1"], 2.2),
    ("CMS.QUERY", SINGLE, [], ["CMS.QUERY", "cms", "__rand_int__"], None),
    ("TOPK.ADD, k 50", SINGLE, ["TOPK.RESERVE", "topk", "50"], ["TOPK.ADD", "topk", "__rand_int__"], 2.2),
    ("CF.ADD, 1e6", SINGLE, ["CF.RESERVE", "cf", "1000000"], ["CF.ADD", "cf", "__rand_int__"], None),
    ("INK.ADD to hll", SINGLE, ["INK.CREATE", "hll", "hll"], ["INK.ADD", "hll", "__rand_int__"], None),
]


class Server:
    def __init__(self, binary, module, folder):
        self.socket = folder / "socket"
        self.process = subprocess.Popen([binary, "--port", "0", "--unixsocket", self.socket, "--save", "", "--dir", folder,
                                         "--loadmodule", module, "max-bytes", "0"], stdout=subprocess.DEVNULL)
        while True:
            try:
                self.client().ping()
                break
            except redis.ConnectionError:
                time.sleep(0.02)

    def client(self):
        return redis.Redis(unix_socket_path=str(self.socket), retry=Retry(NoBackoff(), 0), socket_timeout=None)

    def close(self):
        self.process.kill()
        self.process.wait()


def cpu(client):
    said = client.info("cpu")
    return said["used_cpu_user_main_thread"] + said["used_cpu_sys_main_thread"]


def run(server, count, command):
    """Microseconds of the main thread per command."""
    client = server.client()
    before = cpu(client)
    subprocess.run(["redis-benchmark", "-s", str(server.socket), "-P", "50", "-c", "10", "-n", str(count), "-r", "1000000", "-q",
                    *command], stdout=subprocess.DEVNULL, check=True)
    return (cpu(client) - before) / count * 1e6


def table(name, server):
    client = server.client()
    best = {}
    for _ in range(ROUNDS):
        client.flushall()
        for row, count, make, command, _ in ROWS:
            if row != "PING" and ONLY not in row:
                continue
            if make:
                client.execute_command(*make)
            best[row] = min(best.get(row, 1e9), run(server, count, command))
    print(f"\n{name}: microseconds of the main thread per command, best of {ROUNDS}\n")
    print(f"{'command':28} {'us':>8} {'x PING':>8} {'at most':>8}")
    for row, _, _, _, target in ROWS:
        if row in best:
            print(f"{row:28} {best[row]:8.2f} {best[row] / best['PING']:8.2f} {target or '':>8}")


def longest_wait(server, words):
    """Milliseconds between two answers to another client, at most, and of the command itself."""
    other, worst, stop = server.client(), [0.0], threading.Event()

    def knock():
        while not stop.is_set():
            start = time.perf_counter()
            other.ping()
            worst[0] = max(worst[0], time.perf_counter() - start)
    other.ping()
    thread = threading.Thread(target=knock)
    thread.start()
    start = time.perf_counter()
    server.client().execute_command(*words)
    took = time.perf_counter() - start
    stop.set()
    thread.join()
    return worst[0] * 1e3, took * 1e3


def pauses(name, server):
    client = server.client()
    client.flushall()
    client.execute_command("INK.CREATE", "warm", "bloom", "n", 1000)
    for key in ("cms", "sum"):
        client.execute_command("CMS.INITBYDIM", key, 1 << 24, 8)
    print(f"\n{name}: milliseconds with a bloom of 1 GiB, a count-min of half of that\n\n{'command':28} {'waited':>8} {'took':>8}")
    for row, words in (("INK.CREATE", ["INK.CREATE", "a", "bloom", "n", "9e8", "p", "0.01"]),
                       ("INK.ADD of 100", ["INK.ADD", "a", *range(100)]),
                       ("INK.CONTAINS of 100", ["INK.CONTAINS", "a", *range(100)]),
                       ("INK.GET, first 1 MiB", ["INK.GET", "a", "OFFSET", 0, "COUNT", 1 << 20]),
                       ("INK.GET, another 1 MiB", ["INK.GET", "a", "OFFSET", 1 << 28, "COUNT", 1 << 20]),
                       ("INK.MERGE of two", ["INK.MERGE", "b", "a", "a"]),
                       ("INK.DISTINCT of two", ["INK.DISTINCT", "a", "b"]),
                       ("INK.FOLD", ["INK.FOLD", "b", "0.01"]),
                       ("CMS.MERGE of two", ["CMS.MERGE", "sum", 2, "cms", "cms"])):
        if ONLY in row:
            print("{:28} {:8.1f} {:8.1f}".format(row, *longest_wait(server, words)), flush=True)


def main():
    module = pathlib.Path(sys.argv[1]) / "valkey" / "inkling.so"
    for name in sys.argv[2:] or servers.SERVERS:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="ink"))
        server = Server(servers.SERVERS[name](), module.resolve(), folder)
        try:
            table(name, server)
            pauses(name, server)
        finally:
            server.close()
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
