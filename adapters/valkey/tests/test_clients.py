"""Programs that were written for RedisBloom, unchanged."""
import pytest
import redis
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
