package inkling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The files of tests/golden and the tables beside them, which C and the second reader are held against, too. */
class GoldenTest {
    private static final Path FOLDER = Path.of(System.getProperty("inkling.root"), "tests", "golden");

    /** How keys of a table reach a sketch; all ways give the same bytes. */
    private enum Way {
        SINGLE((sketch, keys) -> keys.each((key, weight) -> keys.add(sketch, key, weight))),
        BATCH((sketch, keys) -> keys.addAll(sketch)),
        BUFFER((sketch, keys) -> keys.addBuffers(sketch));

        private final BiConsumer<KeyTarget<?>, Keys> add;

        Way(BiConsumer<KeyTarget<?>, Keys> add) {
            this.add = add;
        }
    }

    /** Keys of a table, with the weights that go round. */
    private record Keys(List<JsonElement> keys, List<Long> weights) {
        private interface Each {
            void of(JsonElement key, long weight);
        }

        static Keys of(JsonObject entry, String name) {
            List<Long> weights = new ArrayList<>();
            for (JsonElement weight : array(entry, "weights")) {
                weights.add(new BigInteger(weight.getAsString()).longValue());
            }
            return new Keys(array(entry, name).asList(), weights);
        }

        boolean isInts() {
            return !keys.isEmpty() && keys.get(0).getAsJsonPrimitive().isNumber();
        }

        long[] ints() {
            return keys.stream().mapToLong(JsonElement::getAsLong).toArray();
        }

        long[] allWeights() {
            long[] all = new long[keys.size()];
            for (int i = 0; i < all.length; i++) {
                all[i] = weights.get(i % weights.size());
            }
            return all;
        }

        void each(Each call) {
            for (int i = 0; i < keys.size(); i++) {
                call.of(keys.get(i), weights.isEmpty() ? 1 : weights.get(i % weights.size()));
            }
        }

        void add(KeyTarget<?> to, JsonElement key, long weight) {
            if (isInts() && weights.isEmpty()) {
                to.add(key.getAsLong());
            } else if (isInts()) {
                to.add(key.getAsLong(), weight);
            } else if (weights.isEmpty()) {
                to.add(bytes(key));
            } else {
                to.add(bytes(key), weight);
            }
        }

        void addAll(KeyTarget<?> to) {
            if (isInts() && weights.isEmpty()) {
                to.addAll(ints());
            } else if (isInts()) {
                to.addAll(ints(), allWeights());
            } else {
                to.addAll(data(), offsets(), weights.isEmpty() ? null : allWeights());
            }
        }

        void addBuffers(KeyTarget<?> to) {
            if (!weights.isEmpty()) {
                addAll(to);
            } else if (isInts()) {
                long[] ints = ints();
                var buffer = ByteBuffer.allocateDirect(8 * ints.length + 8)
                        .order(java.nio.ByteOrder.nativeOrder()).asLongBuffer();
                to.addAll(buffer.put(0).put(ints).position(1));
            } else {
                each((key, weight) -> {
                    byte[] bytes = bytes(key);
                    to.add(ByteBuffer.allocateDirect(bytes.length + 2).put((byte) 7).put(bytes).flip().position(1));
                });
            }
        }

        byte[] data() {
            ByteBuffer all = ByteBuffer.allocate((int) offsets()[keys.size()]);
            keys.forEach(key -> all.put(bytes(key)));
            return all.array();
        }

        long[] offsets() {
            long[] offsets = new long[keys.size() + 1];
            for (int i = 0; i < keys.size(); i++) {
                offsets[i + 1] = offsets[i] + bytes(keys.get(i)).length;
            }
            return offsets;
        }
    }

    private static JsonArray array(JsonObject from, String name) {
        return from.has(name) ? from.getAsJsonArray(name) : new JsonArray();
    }

    private static byte[] bytes(JsonElement hex) {
        return HexFormat.of().parseHex(hex.getAsString());
    }

    private static Stream<Path> files() throws IOException {
        try (Stream<Path> found = Files.list(FOLDER)) {
            return found.filter(path -> path.toString().endsWith(".ink")).sorted().toList().stream();
        }
    }

    private static JsonObject table(Path file) throws IOException {
        String name = file.getFileName().toString().replace(".ink", ".json");
        return JsonParser.parseString(Files.readString(file.resolveSibling(name))).getAsJsonObject();
    }

    @TestFactory
    Stream<DynamicTest> everyFileAnswersAsItsTableSays() throws IOException {
        return files().map(path -> DynamicTest.dynamicTest(path.getFileName().toString(), () -> check(path)));
    }

    private static void check(Path path) throws IOException {
        JsonObject table = table(path);
        byte[] data = Files.readAllBytes(path);
        try (InkFile file = InkFile.open(path); InkFile copy = InkFile.fromBytes(data)) {
            assertEquals(table.get("digest").getAsString(), file.digest());
            assertEquals(file.digest(), copy.digest());
            JsonArray entries = table.getAsJsonArray("entries");
            assertEquals(entries.size(), file.entries().size());
            for (int i = 0; i < entries.size(); i++) {
                InkFile.Entry entry = file.entries().get(i);
                JsonObject expected = entries.get(i).getAsJsonObject();
                checkEntry(entry, expected);
                try (Sketch view = file.sketch(entry); Sketch own = copy.sketch(copy.entries().get(i))) {
                    checkAnswers(view, expected);
                    checkAnswers(own, expected);
                    assertArrayEquals(view.toBytes(), own.toBytes());
                    try (Sketch again = Sketch.fromBytes(view.toBytes())) {
                        assertEquals(view.digest(), again.digest());
                    }
                }
            }
        }
    }

    private static void checkEntry(InkFile.Entry entry, JsonObject expected) {
        assertEquals(expected.get("kind").getAsString(), entry.kind());
        assertEquals(expected.get("records").getAsBigInteger().longValue(), entry.records());
        JsonElement slot = expected.get("slot");
        assertEquals(slot.isJsonNull() ? null : Label.instant(slot.getAsLong()), entry.label().slot());
    }

    private static void checkAnswers(Sketch sketch, JsonObject expected) {
        assertEquals(expected.get("kind").getAsString(), sketch.kind());
        if (expected.has("estimate")) {
            // Tables have what registers say alone; no answer is above the records, where these are known.
            double estimate = expected.get("estimate").getAsDouble();
            long records = sketch.records();
            assertEquals(records > 0 ? Math.min(estimate, records) : estimate, sketch.distinct().estimate(), 0);
        }
        if (expected.has("rate")) {
            assertEquals(expected.get("rate").getAsDouble(), sketch.rate(), 0);
        }
        boolean keyed = sketch.describe().keyed();
        Keys present = Keys.of(expected, "present");
        if (expected.has("absent") && !keyed) {
            Keys absent = Keys.of(expected, "absent");
            if (!expected.has("removed")) {
                present.each((key, weight) -> assertTrue(contains(present, sketch, key), key::toString));
            }
            absent.each((key, weight) -> assertTrue(!contains(absent, sketch, key), key::toString));
        }
        if (expected.has("counts") && !keyed) {
            checkCounts(sketch, present.isInts(), expected);
        }
        if (expected.has("top")) {
            checkTop(sketch.top(expected.getAsJsonArray("top").size()), expected.getAsJsonArray("top"));
        }
    }

    private static void checkTop(List<Item> found, JsonArray expected) {
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < found.size(); i++) {
            Item item = found.get(i);
            JsonArray row = expected.get(i).getAsJsonArray();
            assertEquals(row.get(0).getAsString(), item.key() == null ? item.text() : HexFormat.of().formatHex(item.key()));
            assertEquals(row.get(1).getAsBoolean(), item.cut());
            assertAnswer(row, 2, item.count());
        }
    }

    private static void assertAnswer(JsonArray row, int at, Answer found) {
        assertEquals(row.get(at).getAsDouble(), found.estimate(), 0);
        assertEquals(row.get(at + 1).getAsDouble(), found.low(), 0);
        assertEquals(row.get(at + 2).getAsDouble(), found.high(), 0);
    }

    private static boolean contains(Keys keys, Sketch sketch, JsonElement key) {
        return keys.isInts() ? sketch.contains(key.getAsLong()) : sketch.contains(bytes(key));
    }

    private static void checkCounts(Sketch sketch, boolean ints, JsonObject table) {
        List<Answer> found = new ArrayList<>();
        for (String name : List.of("present", "joined", "later", "others")) {
            Keys keys = Keys.of(table, name);
            found.addAll(List.of(
                    ints ? sketch.countAll(keys.ints()) : sketch.countAll(keys.data(), keys.offsets())));
        }
        JsonArray expected = table.getAsJsonArray("counts");
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < found.size(); i++) {
            assertAnswer(expected.get(i).getAsJsonArray(), 0, found.get(i));
        }
    }

    /** Tables that say more than "these keys were added" are made by C's own test. */
    private static boolean isPlain(JsonObject entry) {
        return Stream.of("removed", "met", "less", "joined", "later", "rounds").noneMatch(entry::has)
                && entry.get("records").getAsLong() == array(entry, "present").size();
    }

    @Test
    void theKeysOfATableGiveTheDigestOfItsFileByEveryWay() throws IOException {
        int made = 0;
        for (Path path : files().toList()) {
            JsonArray entries = table(path).getAsJsonArray("entries");
            try (InkFile file = InkFile.open(path)) {
                for (int i = 0; i < entries.size(); i++) {
                    JsonObject entry = entries.get(i).getAsJsonObject();
                    try (Sketch golden = file.sketch(file.entries().get(i))) {
                        if (isPlain(entry) && golden.describe().orderFree() && !golden.describe().keyed()
                                && !isMadeWhole(golden)) {
                            for (Way way : Way.values()) {
                                try (Sketch built = golden.like()) {
                                    way.add.accept(built, Keys.of(entry, "present"));
                                    assertEquals(golden.digest(), built.digest(), path + " " + way);
                                    made++;
                                }
                            }
                        }
                    }
                }
            }
        }
        assertTrue(made > 60, "found " + made + " sketches that can be made again");
    }

    private static boolean isMadeWhole(Sketch sketch) {
        try (Sketch like = sketch.like()) {
            return false;
        } catch (InkException error) {
            assertEquals(Status.UNSUPPORTED, error.status());
            return true;
        }
    }
}
