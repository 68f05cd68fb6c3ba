"""What the tests of the module share: servers in folders of their own, on Unix sockets alone, and clients."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest
import redis
import servers
from redis.backoff import NoBackoff
from redis.retry import Retry

MODULE = os.environ["INK_MODULE"]
COMMAND = os.environ["INK_COMMAND"]
SEED = int(os.environ.get("INK_TEST_SEED", "1"))
BINARIES = {name: find() for name, find in servers.SERVERS.items()}


class Server:
    """A server with the module, started at once; `options` are lines of its configuration, `files` in its folder."""

    def __init__(self, name, folder, *options, arguments="", files=()):
        # The path of a Unix socket is short.
        self.sockets = pathlib.Path(tempfile.mkdtemp(prefix="ink"))
        self.binary, self.folder, self.socket = BINARIES[name], folder, self.sockets / "s"
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(files[file], folder / file)
        self.log, self.process = folder / "log", None
        self.lines = [f"loadmodule {MODULE} {arguments}", "port 0", f"unixsocket {self.socket}", f"dir {folder}",
                      f"logfile {self.log}", "enable-debug-command local", *(options or ['save ""'])]
        self.start()

    def start(self, wait=True):
        settings = self.folder / "server.conf"
        settings.write_text("\n".join(self.lines) + "\n")
        self.process = subprocess.Popen([self.binary, settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while wait:
            assert self.process.poll() is None, self.said()
            try:
                return self.client().ping()
            except (redis.ConnectionError, redis.BusyLoadingError):
                assert time.monotonic() < deadline, self.said()
                time.sleep(0.01)
        return None

    def client(self, protocol=2, **more):
        at_once = Retry(NoBackoff(), 0)  # a server that is not there is seen as such
        return redis.Redis(unix_socket_path=str(self.socket), protocol=protocol, retry=at_once,
                           socket_timeout=None, **more)

    def said(self):
        return self.log.read_text() if self.log.exists() else "no log"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def restart(self):
        """As an operator does: what is to be saved is saved."""
        self.process.terminate()
        self.process.wait()
        self.start()

    def close(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.sockets)


@pytest.fixture(params=list(BINARIES), scope="session")
def server_name(request):
    return request.param


@pytest.fixture(scope="session")
def server(server_name, tmp_path_factory):
    """A server without files, for tests that leave it as they found it but for its keys."""
    made = Server(server_name, tmp_path_factory.mktemp(server_name))
    yield made
    assert made.process.poll() is None, made.said()
    made.close()


@pytest.fixture
def r(server):
    client = server.client()
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def start(server_name, tmp_path):
    """Starts servers for one test: folder, options."""
    started = []

    def one(name, *options, **more):
        started.append(Server(server_name, tmp_path / name, *options, **more))
        return started[-1]
    yield one
    for each in started:
        each.close()


@pytest.fixture
def ink(tmp_path):
    """Runs the command, which must end with this code; gives its output."""
    def run(*words, code=0):
        done = subprocess.run([COMMAND, *map(str, words)], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == code, done.stderr.decode()
        return done.stdout.decode()
    return run


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def digests(client, *keys):
    """What the server itself computes of values, with its own digest."""
    return client.execute_command("DEBUG", "DIGEST-VALUE", *(keys or sorted(client.keys("*"))))


def fill(client):
    """A key for each kind and each family of commands, with something in it."""
    names = [f"k{i}".encode() for i in range(300)]
    for kind, *options in (["bloom", "n", "1e4"], ["classic", "n", "1e4"], ["counting", "n", "1e4"], ["scalable"],
                           ["count-min", "eps", "0.01"], ["top", "k", "20"], ["hll"], ["theta"], ["fm"],
                           ["hll", "key-type", "int"]):
        key = f"ink:{kind}:{len(options)}"
        client.execute_command("INK.CREATE", key, kind, *options)
        client.execute_command("INK.ADD", key, *(range(300) if "int" in options else names))
    client.execute_command("BF.MADD", "bf", *names)
    client.execute_command("BF.RESERVE", "bf:fixed", "0.00001", 1000, "NONSCALING")
    client.execute_command("BF.MADD", "bf:fixed", *names)
    client.execute_command("CMS.INITBYDIM", "cms", 2000, 5)
    client.execute_command("TOPK.RESERVE", "topk", 5)
    client.execute_command("CF.INSERT", "cf", "CAPACITY", 5000, "ITEMS", *names)
    client.execute_command("CF.DEL", "cf", names[0])
    for i, name in enumerate(names):
        client.execute_command("CMS.INCRBY", "cms", name, i)
        client.execute_command("TOPK.INCRBY", "topk", name, i)
    whole = client.execute_command("INK.GET", "ink:bloom:2")
    client.execute_command("INK.SETCHUNK", "half", 0, len(whole), whole[:1000])
    return sorted(client.keys("*"))
