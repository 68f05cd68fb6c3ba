package inkling;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
        assertEquals(LongStream.of(NUMBERS).distinct().count(), merged.keys());
    }
}
