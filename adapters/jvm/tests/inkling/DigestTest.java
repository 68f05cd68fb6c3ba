package inkling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A key is the same key by every way in: sketches have the digest of what {@code ink build} makes of the same keys. */
class DigestTest {
    private static final List<String> TEXTS = IntStream.range(0, 6000)
            .mapToObj(i -> "Straße ".repeat(i % 3) + (long) i * i % 4001 + (i % 97 == 0 ? "🌳?" : ""))
            .collect(Collectors.toCollection(ArrayList::new));

    private static final long[] NUMBERS = LongStream.concat(
                    LongStream.range(0, 6000).map(i -> i * i % 3001),
                    LongStream.of(0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 12345, -12345, 7, 7))
            .toArray();

    static {
        Collections.addAll(TEXTS, "", "x".repeat(3000), "x".repeat(200_000), "a", "a");
    }

    @TempDir
    static Path folder;

    private static String built(Kinds kind, boolean ints) throws IOException, InterruptedException {
        Path lines = folder.resolve(ints ? "numbers" : "texts");
        List<String> keys = ints ? LongStream.of(NUMBERS).mapToObj(Long::toString).toList() : TEXTS;
        Files.write(lines, keys, StandardCharsets.UTF_8);
        Path file = folder.resolve("built.ink");
        List<String> words = new ArrayList<>(List.of(
                System.getProperty("inkling.command"), "build", kind.kind(), lines.toString(), "-o", file.toString(),
                "--quiet", "--force"));
        words.addAll(kind.options());
        if (ints) {
            Collections.addAll(words, "--key-type", "int");
        }
        assertEquals(0, new ProcessBuilder(words).inheritIO().start().waitFor());
        try (InkFile built = InkFile.open(file); Sketch sketch = built.sketch()) {
            return sketch.digest();
        }
    }

    private static void assertDigest(String expected, String way, Sketch made) {
        try (made) {
            assertEquals(expected, made.digest(), way);
        }
    }

    @ParameterizedTest
    @MethodSource("inkling.Kinds#added")
    void texts(Kinds kind) throws Exception {
        String expected = built(kind, false);
        Sketch single = kind.builder().create();
        TEXTS.forEach(single::add);
        assertDigest(expected, "one by one", single);
        assertDigest(expected, "all at once", kind.builder().create().addAll(TEXTS));
        assertDigest(expected, "as bytes", kind.builder().create().addAll(data(), offsets()));
        Sketch half = kind.builder().create().addAll(TEXTS.subList(0, 2500));
        assertDigest(expected, "after a journey as bytes",
                Sketch.fromBytes(half.toBytes()).addAll(TEXTS.subList(2500, TEXTS.size())));
    }

    @ParameterizedTest
    @MethodSource("inkling.Kinds#tuned")
    void parameters(Kinds kind) throws Exception {
        String expected = built(kind, false);
        assertDigest(expected, "created", kind.builder().create().addAll(TEXTS));
        assertDigest(expected, "for several threads or one", kind.builder().keyType(KeyType.BYTES).create().addAll(TEXTS));
        assertEquals(kind.builder().create().addAll(TEXTS).describe().capacity(), kind.builder().plan().capacity());
    }

    @Test
    void batchesOfMoreThanAMillionKeys() {
        int count = (1 << 20) + 1000;
        long[] keys = LongStream.range(0, count).map(i -> i * i).toArray();
        long[] weights = LongStream.range(0, count).map(i -> i % 5).toArray();
        long[] offsets = LongStream.rangeClosed(0, count).map(i -> i / 3).toArray();
        byte[] data = new byte[count / 3 + 1];
        new java.util.Random(5).nextBytes(data);
        SketchBuilder builder = Sketch.builder("count-min").epsilon(1e-4);
        int half = count / 2;
        Sketch halves = builder.create()
                .addAll(java.util.Arrays.copyOf(keys, half), java.util.Arrays.copyOf(weights, half))
                .addAll(java.util.Arrays.copyOfRange(keys, half, count), java.util.Arrays.copyOfRange(weights, half, count));
        assertDigest(halves.digest(), "weights", builder.create().addAll(keys, weights));
        Sketch parts = builder.create()
                .addAll(data, java.util.Arrays.copyOf(offsets, half + 1), java.util.Arrays.copyOf(weights, half))
                .addAll(data, java.util.Arrays.copyOfRange(offsets, half, count + 1), java.util.Arrays.copyOfRange(weights, half, count));
        assertDigest(parts.digest(), "bytes", builder.create().addAll(data, offsets, weights));
        java.nio.ByteBuffer direct = java.nio.ByteBuffer.allocateDirect(8 * count).order(java.nio.ByteOrder.nativeOrder());
        direct.asLongBuffer().put(keys);
        assertDigest(builder.create().addAll(keys).digest(), "direct", builder.create().addAll(direct.asLongBuffer()));
        Sketch few = Sketch.bloom(100, 1e-5).addAll(keys, count - 100, 100);
        boolean[] found = few.containsAll(keys);
        assertTrue(found[count - 100] && found[count - 1] && !found[count - 101] && !found[0]);
    }

    private static byte[] data() {
        return String.join("", TEXTS).getBytes(StandardCharsets.UTF_8);
    }

    private static long[] offsets() {
        long[] offsets = new long[TEXTS.size() + 1];
        for (int i = 0; i < TEXTS.size(); i++) {
            offsets[i + 1] = offsets[i] + TEXTS.get(i).getBytes(StandardCharsets.UTF_8).length;
        }
        return offsets;
    }

    @ParameterizedTest
    @MethodSource("inkling.Kinds#added")
    void numbers(Kinds kind) throws Exception {
        String expected = built(kind, true);
        Sketch single = kind.builder().create();
        LongStream.of(NUMBERS).forEach(single::add);
        assertDigest(expected, "one by one", single);
        assertDigest(expected, "all at once", kind.builder().create().addAll(NUMBERS));
        Sketch asked = kind.builder().create();
        for (int i = 0; i < NUMBERS.length; i++) {
            asked.add(NUMBERS[i]);
            if (i % 1000 == 0) {
                assertEquals(i + 1, asked.records());
            }
        }
        assertDigest(expected, "with questions between", asked);
    }

    @ParameterizedTest
    @MethodSource("inkling.Kinds#drafted")
    void drafts(Kinds kind) throws Exception {
        Draft texts = kind.builder().draft();
        TEXTS.forEach(texts::add);
        assertDigest(built(kind, false), "texts", texts.finish());
        Draft first = kind.builder().draft().addAll(NUMBERS, 0, 3000);
        Draft second = kind.builder().draft().addAll(NUMBERS, 3000, NUMBERS.length - 3000);
        Draft merged = kind.builder().draft().merge(kind.builder().draft()).merge(first)
                .merge(Draft.fromBytes(second.toBytes(), KeyType.INT));
        assertDigest(built(kind, true), "numbers in parts", merged.finish());
        if (!kind.kind().equals("fuse")) {
            assertDigest(built(kind.with("--headroom", "3x"), true), "with room for more", merged.finish(3));
        }
        assertEquals(LongStream.of(NUMBERS).distinct().count(), merged.keys());
    }
}
