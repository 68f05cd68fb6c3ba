// Calls the module as programs do that were written for RedisBloom, with Jedis: clients/README.md.
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.bloom.BFInsertParams;
import redis.clients.jedis.bloom.CFInsertParams;

final class Client {
    private static String text(Object answer) {
        if (answer == null) {
            return "-";
        }
        if (answer instanceof Boolean) {
            return (Boolean) answer ? "1" : "0";
        }
        if (answer instanceof Collection) {
            List<String> words = new ArrayList<>();
            ((Collection<?>) answer).forEach(each -> words.add(text(each)));
            return String.join(" ", words);
        }
        return answer.toString();
    }

    private static void show(String name, Object... answers) {
        List<String> words = new ArrayList<>();
        for (Object answer : answers) {
            words.add(text(answer));
        }
        System.out.println(name + " " + String.join(" ", words));
    }

    private static void bloom(UnifiedJedis jedis) {
        show("bf.reserve", jedis.bfReserve("bf", 0.01, 1000));
        show("bf.add", jedis.bfAdd("bf", "a"), jedis.bfAdd("bf", "a"));
        show("bf.madd", jedis.bfMAdd("bf", "a", "b"));
        show("bf.exists", jedis.bfExists("bf", "a"));
        show("bf.mexists", jedis.bfMExists("bf", "a", "x"));
        show("bf.card", jedis.bfCard("bf"));
        show("bf.insert", jedis.bfInsert("made", BFInsertParams.insertParams().capacity(10).error(0.1), "a", "b"));
        Map<String, Object> info = jedis.bfInfo("bf");
        show("bf.info", info.get("Capacity"), info.get("Number of items inserted"));
        Map.Entry<Long, byte[]> chunk = new AbstractMap.SimpleEntry<>(0L, null);
        while ((chunk = jedis.bfScanDump("bf", chunk.getKey())).getKey() != 0) {
            jedis.bfLoadChunk("copy", chunk.getKey(), chunk.getValue());
        }
        show("bf.loadchunk", jedis.bfMExists("copy", "a", "b", "x"));
    }

    private static void counts(UnifiedJedis jedis) {
        show("cms.initbyprob", jedis.cmsInitByProb("cms", 0.001, 0.01), jedis.cmsInitByProb("sum", 0.001, 0.01));
        show("cms.incrby", jedis.cmsIncrBy("cms", "a", 5), jedis.cmsIncrBy("cms", "b", 7));
        show("cms.query", jedis.cmsQuery("cms", "a", "x"));
        show("cms.merge", jedis.cmsMerge("sum", Map.of("cms", 2L)), jedis.cmsQuery("sum", "a"));
        Map<String, Object> info = jedis.cmsInfo("cms");
        show("cms.info", info.get("width"), info.get("depth"), info.get("count"));
    }

    private static void tops(UnifiedJedis jedis) {
        show("topk.reserve", jedis.topkReserve("topk", 2, 8, 7, 0.9));
        show("topk.add", jedis.topkAdd("topk", "a", "b", "b", "c"));
        show("topk.query", jedis.topkQuery("topk", "b", "a"));
        show("topk.list", jedis.topkList("topk"));
        Map<String, Object> info = jedis.topkInfo("topk");
        show("topk.info", info.get("k"), info.get("width"), info.get("depth"));
    }

    private static void cuckoo(UnifiedJedis jedis) {
        show("cf.reserve", jedis.cfReserve("cf", 1000));
        show("cf.add", jedis.cfAdd("cf", "a"));
        show("cf.addnx", jedis.cfAddNx("cf", "a"));
        show("cf.count", jedis.cfCount("cf", "a"));
        show("cf.insert", jedis.cfInsert("cf", CFInsertParams.insertParams().noCreate(), "b", "c"));
        show("cf.exists", jedis.cfExists("cf", "b"));
        show("cf.del", jedis.cfDel("cf", "b"), jedis.cfExists("cf", "b"));
        Map<String, Object> info = jedis.cfInfo("cf");
        show("cf.info", info.get("Number of items inserted"), info.get("Number of items deleted"));
    }

    public static void main(String[] arguments) {
        HostAndPort server = new HostAndPort("127.0.0.1", Integer.parseInt(arguments[0]));
        RedisProtocol protocol = arguments[1].equals("3") ? RedisProtocol.RESP3 : RedisProtocol.RESP2;
        try (UnifiedJedis jedis = new UnifiedJedis(server,
                DefaultJedisClientConfig.builder().protocol(protocol).build())) {
            bloom(jedis);
            counts(jedis);
            tops(jedis);
            cuckoo(jedis);
        }
    }
}
