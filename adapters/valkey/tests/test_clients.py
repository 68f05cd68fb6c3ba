"""Programs that were written for RedisBloom, unchanged."""
import os
import subprocess
import sys

import programs
import pytest
import redis
from conftest import free_port
from redis.commands.bf import BFBloom


@pytest.mark.parametrize("protocol", [2, 3])
def test_redis_py_and_its_four_interfaces(server, r, protocol):
    client = server.client(protocol, decode_responses=True)
    bf, cf, cms, topk = client.bf(), client.cf(), client.cms(), client.topk()
    assert isinstance(bf, BFBloom)
    assert bf.reserve("bf", 0.01, 1000) and bf.add("bf", "a") and not bf.add("bf", "a")
    assert bf.madd("bf", "a", "b") == [0, 1] and bf.mexists("bf", "a", "x") == [1, 0] and bf.card("bf") == 2
    assert bf.insert("made", ["a"], capacity=10, error=0.1, expansion=4) == [1]
    assert cf.create("cf", 1000) and cf.add("cf", "a") and cf.count("cf", "a") == 1 and cf.delete("cf", "a")
    assert cf.insertnx("cf", ["b", "b"]) == [1, 0] and cf.info("cf")
    assert cms.initbyprob("cms", 0.001, 0.01) and cms.incrby("cms", ["a", "b"], [5, 7]) == [5, 7]
    assert cms.query("cms", "a", "x") == [5, 0] and cms.info("cms")["count"] == 12
    assert topk.reserve("topk", 2, 8, 7, 0.9) and topk.add("topk", "a", "b", "b", "c") == [None, None, None, "a"]
    assert topk.list("topk", withcount=True) == ["b", 2, "c", 1]
    pipe = client.pipeline()
    pipe.bf().add("bf", "x")
    pipe.bf().exists("bf", "x")
    assert pipe.execute() == [1, 1]
    with pytest.raises(redis.ResponseError, match="unknown command"):
        client.tdigest().create("t", 100)
    client.close()


# What every program of clients/ prints.
LINES = """\
bf.reserve OK
bf.add 1 0
bf.madd 0 1
bf.exists 1
bf.mexists 1 0
bf.card 2
bf.insert 1 1
bf.info 1000 2
bf.loadchunk 1 1 0
cms.initbyprob OK OK
cms.incrby 5 7
cms.query 5 0
cms.merge OK 10
cms.info 2000 7 12
topk.reserve OK
topk.add - - - a
topk.query 1 0
topk.list b c
topk.info 2 8 7
cf.reserve OK
cf.add 1
cf.addnx 0
cf.count 1
cf.insert 1 1
cf.exists 1
cf.del 1 0
cf.info 2 1
"""


@pytest.fixture
def port(start):
    found = free_port()
    start("port", 'save ""', f"port {found}", "bind 127.0.0.1", arguments="name bf")
    return str(found)


@pytest.mark.parametrize("protocol", ["2", "3"])
@pytest.mark.parametrize("program", ["java", pytest.param("go", marks=pytest.mark.interop),
                                     pytest.param("javascript", marks=pytest.mark.interop)])
def test_clients_of_other_languages(port, program, protocol):
    words = getattr(programs, program)()
    done = subprocess.run([*words, port, protocol], capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.returncode) == (LINES, 0), done.stderr


@pytest.mark.interop
@pytest.mark.parametrize("protocol", ["2", "3"])
def test_the_tests_of_redis_py_itself(port, protocol):
    folder = programs.redis_py_tests()
    url = f"redis://127.0.0.1:{port}/0"
    done = subprocess.run([sys.executable, "-m", "pytest", "tests/test_bloom.py", "-q", "-k", "not tdigest", "-p", "no:cacheprovider",
                           "--redis-url", url, "--redis-mod-url", url, "--protocol", protocol],
                          cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "14 passed" in done.stdout, done.stdout + done.stderr
