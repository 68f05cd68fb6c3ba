package inkling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a program asks of sketches and files, each question by each way. */
class SketchTest {
    private static final long[] SOME = LongStream.range(0, 5000).map(i -> i * i).toArray();

    @TempDir
    Path folder;

    @Test
    void aFilterIsAskedByEveryWay() {
        Sketch ints = Sketch.bloom(10_000, 1e-4).addAll(SOME);
        boolean[] found = ints.containsAll(SOME);
        for (int i = 0; i < SOME.length; i++) {
            assertTrue(found[i] && ints.contains(SOME[i]));
        }
        assertFalse(ints.contains(-3) || ints.containsAll(new long[] {1, -3}, 1, 1)[0]);
        Sketch texts = Sketch.classic(100, 1e-4).add("bee").add("x".repeat(5000)).add("");
        byte[] longKey = "..".concat("x".repeat(5000)).getBytes();
        assertTrue(texts.contains("bee") && texts.contains(longKey, 2, 5000) && texts.contains(new byte[0]));
        assertTrue(texts.contains(ByteBuffer.wrap("abeee".getBytes(), 1, 3)));
        assertFalse(texts.contains("emu") || texts.contains(longKey));
        assertArrayEquals(new boolean[] {true, false, true}, texts.containsAll(List.of("bee", "emu", "")));
        assertArrayEquals(new boolean[] {true, false}, texts.containsAll("beeemu".getBytes(), new long[] {0, 3, 6}));
        assertTrue(texts.rate() < 1e-4 && texts.describe().promisedRate() > 0);
    }

    @Test
    void theFirstKeyDecidesWhatKeysAre() {
        Sketch sketch = Sketch.bloom(100, 0.01);
        assertNull(sketch.keyType());
        assertFalse(sketch.contains(5) || sketch.contains("5") || sketch.containsAll(new long[] {1, 2})[1]);
        assertEquals(KeyType.INT, sketch.add(5).keyType());
        assertTrue(sketch.contains(5));
        Sketch into = Sketch.hll();
        assertEquals(2, into.merge(Sketch.hll().add(1).add(2)).distinct().rounded());
        assertEquals(2, into.merge(Sketch.hll()).distinct().rounded());
        assertEquals(0, Sketch.countMin(0.01, 0.01).count(7).estimate());
    }

    @Test
    void whatIsMadeOfAnUndecidedSketchIsUndecided() {
        Sketch empty = Sketch.counting(1000, 0.01);
        Sketch bloom = Sketch.counting(1000, 0.01).add(5).convert("bloom");
        for (Sketch made : List.of(empty.copy(), empty.like(), empty.convert("bloom"), empty.convert("bloom").copy().like())) {
            assertNull(made.keyType());
            assertEquals(KeyType.INT, made.addAll(new long[0]).add(5).keyType());
            assertEquals(bloom.digest(), made.kind().equals("bloom") ? made.digest() : made.convert("bloom").digest());
            assertEquals(KeyType.INT, made.copy().keyType());
        }
        assertEquals(KeyType.BYTES, empty.convert("bloom").add("5").keyType());
        SketchBuilder large = Sketch.builder("classic").bits(1 << 16).hashes(3);
        assertEquals(large.create().fold(4).add(5).digest(), large.keyType(KeyType.INT).create().fold(4).add(5).digest());
    }

    @Test
    void aBuilderIsReadWhenItMakesASketch() {
        byte[] secret = "0123456789abcdef".getBytes();
        SketchBuilder builder = Sketch.builder("bloom").expectedKeys(1000).maxRate(0.2).secret(secret);
        Sketch made = builder.create();
        SketchBuilder other = Sketch.builder("bloom");
        Draft draft = other.draft();
        other.falsePositiveRate(0.5);
        java.util.Arrays.fill(secret, (byte) 0);
        builder.expectedKeys(9).falsePositiveRate(0.5).secret(secret);
        assertEquals(List.of(1000L, 0.01, 0.2), List.of(
                made.add(1).describe().expectedKeys(), made.describe().targetRate(), made.describe().promisedRate()));
        assertEquals(0.01, draft.add(1).finish().describe().targetRate(), 0);
        made.merge(Sketch.builder("bloom").expectedKeys(1000).secret("0123456789abcdef".getBytes()).create().add(2));
        assertTrue(made.contains(2));
    }

    @Test
    void newKeysAreLearntAndKeysAreRemoved() {
        Sketch seen = Sketch.counting(100, 0.001);
        assertTrue(seen.addNew("a") && !seen.addNew("a") && seen.addNew("b".getBytes()));
        seen.remove("a");
        assertFalse(seen.contains("a"));
        assertTrue(seen.convert("bloom").contains("b"));
        Sketch ints = Sketch.scalable(0.01);
        assertEquals(1000, LongStream.range(0, 1000).filter(ints::addNew).count(), 20);
        assertTrue(ints.describe().bytes() > 0);
        assertEquals(0, Sketch.counting(10, 0.01).add(3).remove(3).records());
    }

    @Test
    void countsHaveBounds() {
        Sketch counts = Sketch.countMin(1e-3, 0.01).add("a", 5).add("a").add("b", 2).add("c");
        assertEquals(new Answer(6, 6 - 9 * 1e-3, 6, 0.99, false).estimate(), counts.count("a").estimate());
        assertEquals(2, counts.times("b"));
        assertEquals(1, counts.countAll(List.of("x", "c", "b"))[1].rounded());
        assertEquals(List.of(2L, 3L), List.of(new Answer(2.4, 0, 9, 1, false).rounded(), new Answer(2.6, 0, 9, 1, false).rounded()));
        List<String> many = IntStream.range(0, 3000).mapToObj(i -> i % 1500 == 7 ? "b" : "x" + i).toList();
        Answer[] each = counts.countAll(many);
        assertEquals(List.of(2.0, 2.0), List.of(each[7].estimate(), each[1507].estimate()));
        assertEquals(4, java.util.Arrays.stream(each).mapToDouble(Answer::estimate).sum(), 0);
        assertEquals(9, counts.describe().total());
        assertEquals(36 + 4 + 1, counts.dot(counts).rounded());
        Sketch numbers = Sketch.countMin(1e-3, 0.01).addAll(new long[] {7, 8, 7}, new long[] {1, 10, 100});
        assertEquals(101, numbers.times(7));
        assertEquals(10, numbers.count(8).rounded());
        Answer answer = numbers.countAll(LongStream.range(0, 3000).toArray())[8];
        assertTrue(answer.low() <= 10 && answer.high() >= 10 && answer.confidence() > 0.98);
    }

    @Test
    void theMostFrequentKeysAreKept() {
        Sketch top = Sketch.topKeys(3);
        for (int i = 0; i < 1000; i++) {
            top.add("key " + i % 7 * (i % 3)).add("often");
        }
        List<Item> items = top.top(2);
        assertEquals(2, items.size());
        assertEquals("often", items.get(0).text());
        assertEquals(new Answer(1000, 1000, 1000, 1, false), items.get(0).count());
        assertEquals(List.of("often"), top.over(3).stream().map(Item::text).toList());
        assertEquals(List.of("often", "key 0"), top.over(5).stream().map(Item::text).toList());
        assertEquals("-4", Sketch.topKeys(1).add(-4).add(-4).add(1).top(1).get(0).text());
        assertEquals("0", Sketch.topKeys(1).add(0).top(1).get(0).text());
    }

    @Test
    void distinctKeysAndWhatSetsHaveInCommon() {
        long[] low = LongStream.range(0, 30_000).toArray();
        long[] high = LongStream.range(20_000, 50_000).toArray();
        for (Sketch[] pair : new Sketch[][] {
            {Sketch.theta(12), Sketch.theta(12)}, {Sketch.hll(14), Sketch.hll(14)},
        }) {
            Overlap overlap = pair[0].addAll(low).overlap(pair[1].addAll(high));
            assertEquals(10_000, overlap.intersection().estimate(), 2500);
            assertEquals(0.2, overlap.jaccard().estimate(), 0.06);
            assertEquals(0.95, overlap.union().confidence(), 0);
            assertEquals(List.of(0.95, 0.5), List.of(pair[0].distinct().confidence(), pair[0].distinct(0.5).confidence()));
            assertTrue(overlap.union().low() <= 50_000 && overlap.union().high() >= 45_000);
        }
        Sketch both = Sketch.theta(12).addAll(low).intersect(Sketch.theta(12).addAll(high));
        assertEquals(10_000, both.distinct().estimate(), 1500);
        Sketch rest = Sketch.theta(12).addAll(low).subtract(Sketch.theta(12).addAll(high));
        assertEquals(20_000, rest.distinct(0.99).estimate(), 2500);
        assertEquals(30_000, Sketch.fm().addAll(low).distinct().estimate(), 10_000);
    }

    @Test
    void everyNumberOfAnOverlapIsItsOwn() {
        Sketch a = Sketch.theta(17).addAll(LongStream.range(0, 30_000).toArray());
        Sketch b = Sketch.theta(17).addAll(LongStream.range(25_000, 35_000).toArray());
        Overlap exact = a.overlap(b);
        List<Answer> numbers = List.of(
                exact.a(), exact.b(), exact.union(), exact.intersection(), exact.onlyA(), exact.onlyB());
        assertEquals(
                List.of(30_000L, 10_000L, 35_000L, 5_000L, 25_000L, 5_000L), numbers.stream().map(Answer::rounded).toList());
        assertEquals(1 / 7.0, exact.jaccard().estimate(), 1e-9);
        assertEquals(1 / 6.0, exact.aInB().estimate(), 1e-9);
        assertEquals(0.5, exact.bInA().estimate(), 1e-9);
        assertEquals("sampled", exact.method());
        assertEquals(10_000 / 40_000.0, Sketch.hll(14).addAll(LongStream.range(0, 25_000).toArray())
                .overlap(Sketch.hll(14).addAll(LongStream.range(15_000, 40_000).toArray())).jaccard().estimate(), 0.05);
    }

    @Test
    void everyComponentOfADescriptionIsItsOwn() {
        Description counts = Sketch.builder("count-min").width(300).depth(3).keyType(KeyType.INT).create().add(7, 5).describe();
        assertEquals(List.of(300L, 3L, 5L, 1L), List.of(counts.width(), (long) counts.depth(), counts.total(), counts.records()));
        assertEquals(Math.E / 300, counts.epsilon(), 1e-12);
        assertEquals(Math.exp(-3), counts.delta(), 1e-12);
        assertEquals("count-min mix64 INT", counts.kind() + " " + counts.hash() + " " + counts.keyType());
        assertEquals(0, counts.capacity() + counts.precision() + counts.expectedKeys() + counts.standardError());
        Description classic = Sketch.builder("classic").bits(65_536).hashes(3).plan();
        assertEquals(List.of(65_536L, 3L, 8192L), List.of(classic.bits(), (long) classic.hashes(), classic.bytes()));
        assertEquals("classic xxh3 BYTES", classic.kind() + " " + classic.hash() + " " + classic.keyType());
        Description bloom = Sketch.builder("bloom").expectedKeys(8000).falsePositiveRate(0.01).maxRate(0.3).plan();
        assertEquals(List.of(8000L, 0L), List.of(bloom.expectedKeys(), bloom.records()));
        assertEquals(0.01, bloom.targetRate(), 0);
        assertEquals(0.3, bloom.promisedRate(), 0);
        Description top = Sketch.builder("top").topKeys(50).plan();
        assertEquals(1600, top.capacity());
        assertEquals(1 / 1600.0, top.phi(), 1e-12);
        assertFalse(top.orderFree() || top.keyed() || top.readOnly() || top.concurrent());
        Description hll = Sketch.builder("hll").precision(10).secret(new byte[16]).plan();
        assertEquals(10, hll.precision());
        assertEquals(1.04 / 32, hll.standardError(), 0.001);
        assertTrue(hll.keyed() && hll.orderFree() && "siphash".equals(hll.hash()));
        assertEquals(0.2, Sketch.builder("scalable").expectedKeys(50).ratio(0.2).falsePositiveRate(0.2).plan().targetRate(), 0);
        assertFalse(Sketch.builder("scalable").expectedKeys(50).create().addAll(SOME).digest().equals(
                Sketch.builder("scalable").expectedKeys(50).ratio(0.2).create().addAll(SOME).digest()));
        assertTrue(Sketch.builder("bloom").expectedKeys(50).concurrent().create().describe().concurrent());
    }

    @Test
    void aFullCounterIsSaturated() {
        Sketch counts = Sketch.countMin(1e-3, 0.01).add("a", 1L << 33).add("b".repeat(3000), 7);
        assertTrue(counts.count("a").saturated() && !counts.count("b").saturated());
        assertEquals((1L << 32) - 1, counts.times("a"));
        assertEquals(7, counts.times("b".repeat(3000)));
        assertEquals(-1, counts.add("c", -1).describe().total(), "weights are unsigned, and sums saturate");
        byte[] data = new byte[3000];
        long[] offsets = LongStream.rangeClosed(0, 3000).toArray();
        new java.util.Random(3).nextBytes(data);
        Sketch bytes = Sketch.countMin(1e-3, 0.01).addAll(data, offsets);
        Answer[] all = bytes.countAll(data, offsets);
        for (int i : new int[] {0, 1023, 1024, 2047, 2999}) {
            assertEquals(bytes.count(new byte[] {data[i]}), all[i]);
        }
    }

    @Test
    void buffersAreReadFromWhereTheyStand() {
        java.nio.LongBuffer heap = java.nio.LongBuffer.wrap(new long[] {1, 2, 3, 4}).position(1).limit(3);
        java.nio.LongBuffer swapped = ByteBuffer.allocateDirect(32).asLongBuffer().put(SOME, 1, 4).flip().position(2);
        Sketch sketch = Sketch.classic(100, 1e-6).addAll(heap).addAll(swapped);
        assertArrayEquals(
                new boolean[] {false, true, true, false, false, false, true, true},
                sketch.containsAll(new long[] {1, 2, 3, 10, SOME[1] - 9, SOME[2] + 90, SOME[3], SOME[4]}));
        assertEquals(1, heap.position());
        byte[] bytes = sketch.toBytes();
        ByteBuffer within = ByteBuffer.allocate(bytes.length + 5).put(new byte[2]).put(bytes).flip().position(2);
        assertEquals(sketch.digest(), Sketch.fromBytes(within).digest());
        assertTrue(sketch.merge(Sketch.classic(100, 1e-6).addAll(SOME, 0, 150), 0.1).contains(SOME[149]));
    }

    @Test
    void filtersShrink() {
        Sketch large = Sketch.bloom(100_000, 0.01).addAll(SOME);
        long bits = large.describe().bits();
        assertEquals(bits, 2 * large.copy().fold(2).describe().bits());
        Sketch small = large.copy().foldToRate(0.01);
        assertTrue(small.describe().bits() < bits / 8 && small.rate() <= 0.01);
        assertTrue(small.containsAll(SOME)[4999]);
        assertTrue(large.copy().foldToRate(0.2).rate() > 0.02);
    }

    @ParameterizedTest
    @MethodSource("inkling.Kinds#added")
    void partsMergeIntoTheWhole(Kinds kind) {
        Sketch whole = kind.builder().create().addAll(SOME);
        if (!whole.describe().orderFree()) {
            return;
        }
        Sketch parts = whole.like();
        for (int from = 0; from < SOME.length; from += 1000) {
            parts.mergePart(whole.like().addAll(SOME, from, 1000));
        }
        assertEquals(whole.digest(), parts.digest());
        assertEquals(whole.describe(), parts.describe());
        assertEquals(kind.kind(), whole.kind());
        assertEquals(whole.describe().bits(), kind.builder().plan().bits());
        assertEquals(whole.digest(), JsonParser.parseString(whole.json()).getAsJsonObject().get("digest").getAsString());
    }

    @Test
    void filesHaveGroupsAndSlots() {
        Map<String, Sketch> groups = new LinkedHashMap<>();
        for (String name : List.of("alice", "", "bob")) {
            groups.put(name, Sketch.hll(10).add(name).add("x"));
        }
        groups.put(null, Sketch.hll(10).add("null"));
        Path path = folder.resolve("ö groups.ink");
        InkFile.save(path, groups);
        Sketch alice;
        try (InkFile file = InkFile.openLazy(path)) {
            file.check();
            assertEquals(
                    List.of("null", "", "alice", "bob"),
                    file.entries().stream().map(entry -> String.valueOf(entry.label().text())).toList());
            assertEquals(Label.Sort.NULL, file.entries().get(0).label().sort());
            assertEquals(1, file.group(null).records());
            assertTrue(file.find("hll", Label.of("carol")).isEmpty() && file.find("bloom", Label.of("bob")).isEmpty());
            alice = file.group("alice");
            assertEquals(file.digest(), InkFile.fromBytes(InkFile.toBytes(groups)).digest());
        }
        assertEquals(2, alice.distinct().rounded(), "a view lives on after its file is closed");
        assertTrue(alice.describe().readOnly());
        assertEquals(3, alice.copy().add("y").distinct().rounded());
        alice.close();
    }

    @Test
    void slotsOfAGroupAreAskedTogether() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        List<InkFile.Labelled> slots = IntStream.range(0, 5)
                .mapToObj(i -> new InkFile.Labelled(
                        Label.of("a").at(start.plusSeconds(60L * i)), Sketch.hll(10).add(i).add(i + 1)))
                .collect(Collectors.toList());
        Path path = folder.resolve("slots.ink");
        InkFile.save(path, slots);
        try (InkFile file = InkFile.open(path)) {
            assertEquals(start.plusSeconds(60), file.entries().get(1).label().slot());
            assertEquals(6, file.last(null, Label.of("a"), 0).distinct().rounded());
            assertEquals(3, file.last("hll", Label.of("a"), 2).distinct().rounded());
            assertEquals(2, file.find("hll", Label.of("a").at(start.plusSeconds(240))).orElseThrow().distinct().rounded());
            assertTrue(file.find("hll", Label.of("a")).isEmpty());
            InkFile.Entry entry = file.entries().get(4);
            assertEquals(List.of(4, "hll", 2L), List.of(entry.index(), entry.kind(), entry.records()));
            assertEquals("InkFile[5 sketches]", file.toString());
            assertEquals("Sketch[hll, 2 records]", file.sketch(entry).toString());
            assertEquals(file.sketch(entry).describe().bytes(), entry.bytes());
            assertEquals(
                    3, file.between("hll", Label.of("a"), start, start.plusSeconds(120)).distinct().rounded());
        }
    }

    @Test
    void aSlotIsAnyMicrosecond() {
        List<Label> labels = List.of(
                Label.NONE.at(Instant.EPOCH), Label.NULL.at(Instant.EPOCH.minusNanos(1_001_000)),
                Label.NULL.at(Instant.EPOCH.plusNanos(7_000)), Label.of("g").at(Instant.parse("2026-01-01T00:00:00.123456Z")));
        Path path = folder.resolve("microseconds.ink");
        InkFile.save(path, labels.stream().map(label -> new InkFile.Labelled(label, Sketch.hll(10).add(1))).toList());
        try (InkFile file = InkFile.open(path)) {
            List<Label> found = file.entries().stream().map(InkFile.Entry::label).toList();
            assertEquals(labels.stream().map(Label::sort).toList(), found.stream().map(Label::sort).toList());
            assertEquals(labels.stream().map(Label::slot).toList(), found.stream().map(Label::slot).toList());
            labels.forEach(label -> assertEquals(1, file.find("hll", label).orElseThrow().records()));
        }
        org.junit.jupiter.api.Assertions.assertThrows(ArithmeticException.class, () -> Label.micros(Instant.MAX));
    }

    @Test
    void aFileOfOneSketchIsLoadedOrMapped() {
        Path path = folder.resolve("seen.ink");
        Sketch seen = Sketch.bloom(100, 0.01).add("bee");
        seen.save(path);
        assertEquals(seen.digest(), Sketch.load(path).digest());
        assertEquals(seen.digest(), Sketch.fromBytes(ByteBuffer.wrap(seen.toBytes())).digest());
        byte[] bytes = seen.toBytes();
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 3).put(new byte[3]).put(bytes).flip().position(3);
        assertEquals(seen.copy().add("cat").digest(), Sketch.fromBytes(direct).add("cat").digest());
        try (InkFile file = InkFile.open(path); Sketch view = file.sketch()) {
            assertTrue(view.contains("bee") && !view.contains("emu"));
        }
    }

    @Test
    void aSecretIsGivenBack() {
        byte[] secret = "0123456789abcdef".getBytes();
        Sketch keyed = Sketch.builder("bloom").expectedKeys(100).secret(secret).create().add("bee");
        Sketch again = Sketch.fromBytes(keyed.toBytes()).unlock(secret);
        assertTrue(again.contains("bee") && !again.contains("cat") && again.describe().keyed());
        assertEquals(keyed.add("cat").digest(), again.add("cat").digest());
    }

    @Test
    void closedIsClosed() {
        Sketch sketch = Sketch.hll();
        sketch.close();
        sketch.close();
        org.junit.jupiter.api.Assertions.assertThrows(IllegalStateException.class, () -> sketch.add("x"));
        org.junit.jupiter.api.Assertions.assertThrows(IllegalStateException.class, sketch::distinct);
    }
}
