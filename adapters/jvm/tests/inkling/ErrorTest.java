package inkling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes wrong is an exception with its status, and in words of Java; nothing has changed then, and nothing crashes. */
class ErrorTest {
    private static final Path GOLDEN = Path.of(System.getProperty("inkling.root"), "tests", "golden");

    static Stream<Arguments> refusals() {
        return Stream.of(
                row(Status.USAGE, "expectedKeys", () -> Sketch.builder("bloom").create()),
                row(Status.USAGE, "falsePositiveRate", () -> Sketch.bloom(100, 2)),
                row(Status.USAGE, "expectedKeys: found -1", () -> Sketch.bloom(-1, 0.01)),
                row(Status.USAGE, "precision", () -> Sketch.hll(3)),
                row(Status.USAGE, "counterBits", () -> Sketch.builder("count-min").counterBits(7).create()),
                row(Status.USAGE, "bloom", () -> Sketch.builder("blom").create()),
                row(Status.USAGE, "secret: found 3 bytes", () -> Sketch.builder("hll").secret(new byte[3])),
                row(Status.USAGE, "itself", () -> {
                    Sketch one = Sketch.hll();
                    one.merge(one);
                }),
                row(Status.USAGE, "offsets", () -> Sketch.hll().addAll(new byte[3], new long[] {0, 2, 1})),
                row(Status.USAGE, "offsets", () -> Sketch.hll().addAll(new byte[3], new long[] {0, 4})),
                row(Status.USAGE, "offsets", () -> Sketch.hll().addAll(new byte[3], new long[] {})),
                row(Status.USAGE, "weights", () -> Sketch.countMin(0.01, 0.01).addAll(new long[3], new long[2])),
                row(Status.MISMATCH, "bytes keys for a sketch of int keys (keyType)", () -> Sketch.hll().add(1).add("1")),
                row(Status.MISMATCH, "int keys for a sketch of bytes keys", () -> Sketch.hll().add("1").add(1)),
                row(Status.MISMATCH, "int", () -> Sketch.bloom(10, 0.1).add("1").contains(1)),
                row(Status.MISMATCH, "surrogate pair at 2", () -> Sketch.hll().add("a?\ud800")),
                row(Status.MISMATCH, "surrogate pair at 0", () -> Sketch.hll().add("\udc00\ud800")),
                row(Status.MISMATCH, "surrogate pair at 3", () -> Sketch.hll().add("\ud83c\udf33?\ud800\ud800")),
                row(Status.USAGE, "bits: found -1", () -> Sketch.builder("classic").bits(-1)),
                row(Status.USAGE, "hashes: found -1", () -> Sketch.builder("classic").hashes(-1)),
                row(Status.USAGE, "width: found -1", () -> Sketch.builder("fm").width(-1)),
                row(Status.USAGE, "depth: found -1", () -> Sketch.builder("fm").depth(-1)),
                row(Status.USAGE, "counterBits: found -1", () -> Sketch.builder("count-min").counterBits(-1)),
                row(Status.USAGE, "topKeys: found -1", () -> Sketch.builder("top").topKeys(-1)),
                row(Status.USAGE, "precision: found -1", () -> Sketch.builder("hll").precision(-1)),
                row(Status.USAGE, "3 kinds", () -> InkFile.open(GOLDEN.resolve("groups.ink")).find(null, Label.NONE)),
                row(Status.USAGE, "slots: found -1", () -> InkFile.open(GOLDEN.resolve("groups.ink")).last("hll", Label.NONE, -1)),
                row(Status.MISMATCH, "hll", () -> Sketch.bloom(10, 0.1).add(1).merge(Sketch.hll().add(1))),
                row(Status.UNSUPPORTED, "hll", () -> Sketch.hll().add(1).contains(1)),
                row(Status.UNSUPPORTED, "bloom", () -> Sketch.bloom(10, 0.1).add(1).count(1)),
                row(Status.UNSUPPORTED, "bloom", () -> Sketch.bloom(10, 0.1).add(1).add(1, 5)),
                row(Status.UNSUPPORTED, "hll", () -> Sketch.hll().add(1).top(3)),
                row(Status.UNSUPPORTED, "top", () -> Sketch.topKeys(3).share()),
                row(Status.NOT_FOUND, "", () -> Sketch.counting(10, 0.01).add(1).remove(2)),
                row(Status.PROMISE, "", () -> Sketch.bloom(10, 0.01).addAll(new long[1000])
                        .merge(Sketch.bloom(10, 0.01).addAll(java.util.stream.LongStream.range(0, 1000).toArray()))),
                row(Status.LIMIT, "", () -> Sketch.builder("bloom").draft(1000)
                        .addAll(java.util.stream.LongStream.range(0, 10_000).toArray())),
                row(Status.USAGE, "itself", () -> {
                    Draft one = Draft.of("bloom", 0.1);
                    one.merge(one);
                }),
                row(Status.USAGE, "keys: found -1", () -> Sketch.topKeys(3).top(-1)),
                row(Status.USAGE, "k: found 0", () -> Sketch.topKeys(3).over(0)),
                row(Status.USAGE, "offsets: found 2 at 0", () -> Sketch.hll().addAll(new byte[1], new long[] {2, 3})),
                row(Status.USAGE, "offsets: found -1", () -> Sketch.bloom(9, 0.1).containsAll(new byte[1], new long[] {-1, 1})),
                row(Status.USAGE, "weights: found 1 for 2 keys", () -> Sketch.hll().addAll(new byte[2], new long[] {0, 1, 2}, new long[1])),
                row(Status.IO, "/nowhere/x.ink: ", () -> InkFile.open(Path.of("/nowhere/x.ink"))),
                row(Status.IO, "/nowhere/x.ink: ", () -> InkFile.save(Path.of("/nowhere/x.ink"), java.util.Map.of("a", Sketch.hll()))),
                row(Status.IO, "/nowhere/x.ink: ", () -> Sketch.load(Path.of("/nowhere/x.ink"))),
                row(Status.IO, "/nowhere/x.ink: ", () -> Sketch.hll().save(Path.of("/nowhere/x.ink"))),
                row(Status.READ_ONLY, "", () -> InkFile.open(GOLDEN.resolve("bloom.ink")).sketch().add("x")),
                row(Status.NOT_FOUND, "group x", () -> InkFile.open(GOLDEN.resolve("bloom.ink")).group("x")),
                row(Status.FORMAT, "", () -> Sketch.fromBytes("no sketch at all".getBytes())));
    }

    private static Arguments row(Status status, String words, Executable call) {
        return Arguments.of(status, words, call);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("refusals")
    void isRefused(Status status, String words, Executable call) {
        InkException error = assertThrows(InkException.class, call);
        assertEquals(status, error.status(), error::getMessage);
        assertTrue(error.getMessage().contains(words), error::getMessage);
        assertEquals(1, error.getMessage().lines().count());
    }

    @Test
    void anErrorHasItsLocation() throws IOException {
        byte[] bytes = Files.readAllBytes(GOLDEN.resolve("bloom.ink"));
        InkException cut = assertThrows(
                InkException.class, () -> Sketch.fromBytes(Arrays.copyOf(bytes, bytes.length - 40)));
        assertEquals(InkException.Location.BYTE, cut.location());
        assertTrue(cut.getMessage().startsWith("byte " + cut.at() + ": "), cut::getMessage);
        Sketch counting = Sketch.counting(10, 0.001).add("a").add("b");
        assertThrows(InkException.class, () -> counting.remove("x"));
        assertEquals(2, counting.records());
        assertEquals(2, assertThrows(InkException.class, () -> Sketch.load(Path.of("/nowhere"))).osError());
    }

    @Test
    void anErrorInAFileHasItsPathAndItsLocation(@TempDir Path folder) throws IOException {
        byte[] bytes = Files.readAllBytes(GOLDEN.resolve("bloom.ink"));
        bytes[200] ^= 1; // of its payload
        Path path = Files.write(folder.resolve("damaged.ink"), bytes);
        InkException alone = assertThrows(InkException.class, () -> Sketch.fromBytes(bytes));
        assertEquals(List.of(192L, true), List.of(alone.at(), alone.getMessage().startsWith("byte 192: ")));
        assertEquals(0, alone.getMessage().lastIndexOf("byte 192"));
        for (Executable call : List.<Executable>of(() -> Sketch.load(path), () -> InkFile.open(path))) {
            InkException error = assertThrows(InkException.class, call);
            assertEquals(path + ": " + alone.getMessage(), error.getMessage());
            assertEquals(List.of(alone.status(), alone.location(), alone.at()), List.of(error.status(), error.location(), error.at()));
        }
        try (InkFile file = InkFile.openLazy(path)) {
            assertEquals(192, assertThrows(InkException.class, file::check).at());
            file.entries().get(0); // it is no longer in use
        }
    }

    static Stream<Executable> beyond() {
        byte[] bytes = new byte[2000];
        long[] keys = new long[5];
        Sketch bloom = Sketch.builder("bloom").expectedKeys(9).create();
        Sketch shared = Sketch.builder("bloom").expectedKeys(9).concurrent().create();
        InkFile file = InkFile.open(GOLDEN.resolve("bloom.ink"));
        return Stream.of(
                () -> bloom.add(bytes, 1999, 2), () -> bloom.add(bytes, -1, 2), () -> shared.add(bytes, 900, 1101),
                () -> bloom.contains(bytes, 900, 1101), () -> bloom.contains(bytes, 0, -1), () -> bloom.addAll(keys, 4, 2),
                () -> bloom.containsAll(keys, -1, 2), () -> file.entries().get(1), () -> file.entries().get(-1));
    }

    @ParameterizedTest
    @MethodSource("beyond")
    void nothingIsReadBeyondAnArray(Executable call) {
        assertThrows(IndexOutOfBoundsException.class, call);
    }

    /** Calls that every sketch of no keys, which can be a draft's too, refuses. */
    static Stream<Arguments> failing() {
        Sketch hll = Sketch.hll().add(1);
        Draft ints = Draft.of("bloom", 0.01).add(1);
        return Stream.of(
                change("add", Sketch.builder("hll"), one -> one.add(4, 3)),
                change("add", Sketch.builder("hll"), one -> one.add("4", 3)),
                change("addAll", Sketch.builder("hll"), one -> one.addAll(new long[] {4}, new long[] {3})),
                change("addNew", Sketch.builder("hll"), one -> one.addNew(4)),
                change("addNew", Sketch.builder("hll"), one -> one.addNew("4")),
                change("remove", Sketch.builder("counting").expectedKeys(9), one -> one.remove(4)),
                change("merge", Sketch.builder("bloom").expectedKeys(9), one -> one.merge(hll)),
                change("overlap", Sketch.builder("bloom").expectedKeys(9), one -> one.overlap(hll)),
                change("fold", Sketch.builder("hll"), one -> one.fold(2)),
                change("share", Sketch.builder("top"), Sketch::share),
                change("save", Sketch.builder("hll"), one -> one.save(Path.of("/nowhere/x.ink"))),
                Arguments.of("merge of a draft", (Making<Draft>) () -> Draft.of("fuse", 0.01), (Change<Draft>) one -> one.merge(ints)),
                Arguments.of("weights of a draft", (Making<Draft>) () -> Draft.of("fuse", 0.01), (Change<Draft>) one -> one.add(4, 3)));
    }

    private interface Making<S> {
        S make();
    }

    private interface Change<S> {
        void of(S one);
    }

    private static Arguments change(String name, SketchBuilder builder, Change<Sketch> call) {
        return Arguments.of(name, (Making<Sketch>) builder::create, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failing")
    <S extends KeyTarget<S>> void aFailedCallDecidesNothingAndLeaves(String name, Making<S> making, Change<S> call) {
        for (KeyType type : KeyType.values()) {
            S one = making.make();
            for (int i = 0; i < 2; i++) {
                assertThrows(InkException.class, () -> call.of(one));
            }
            assertEquals(null, one.decidedKeyType());
            assertEquals(type, (type == KeyType.INT ? one.add(1) : one.add("1")).decidedKeyType());
            one.close();
        }
    }

    @Test
    void aFullDraftIsLeftByWhoCannotAddTheKeysThatWait() {
        Draft full = Sketch.builder("bloom").draft(20_000);
        assertThrows(InkException.class, () -> java.util.stream.LongStream.range(0, 10_000).forEach(full::add));
        for (Executable call : List.<Executable>of(full::keys, () -> full.addAll(new long[1]), full::finish)) {
            assertEquals(Status.LIMIT, assertThrows(InkException.class, call).status());
        }
        full.close();
    }

    @Test
    void savedSketchesAreLeftAlsoIfOneIsClosed() {
        Sketch open = Sketch.hll();
        Sketch closed = Sketch.hll();
        Sketch last = Sketch.hll();
        closed.close();
        List<InkFile.Labelled> all = Stream.of(open, closed, last).map(one -> new InkFile.Labelled(Label.of("" + one.hashCode()), one)).toList();
        assertThrows(IllegalStateException.class, () -> InkFile.save(Path.of("/nowhere/x.ink"), all));
        open.add(1);
        last.add(1);
        InkFile.toBytes(java.util.Map.of("a", open, "b", last));
        open.close();
        last.close();
    }

    @Test
    void whatIsNullIsRefusedAtOnce() {
        byte[] draft = Draft.of("bloom", 0.01).add(1).toBytes();
        assertThrows(NullPointerException.class, () -> Draft.fromBytes(draft, null));
        assertThrows(NullPointerException.class, () -> Sketch.builder(null));
    }

    @Test
    void itsTextGoesWhereItsClassIsMissing() throws IOException, ClassNotFoundException {
        InkException error = assertThrows(InkException.class, () -> Sketch.hll().add(1).contains(1));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(error);
        Object read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        RuntimeException plain = assertInstanceOf(RuntimeException.class, read);
        assertEquals(error.toString(), plain.getMessage());
        assertEquals(List.of(error.getStackTrace()), List.of(plain.getStackTrace()));
    }

    @Test
    void aRefusedKeyIsOfItsOwnCall() {
        Sketch sketch = Sketch.bloom(10, 0.01).add(1).add(2);
        assertThrows(InkException.class, () -> sketch.add(3, 2));
        assertThrows(InkException.class, () -> sketch.add("3"));
        assertEquals(2, sketch.add(1).records() - 1);
        try (InkFile file = InkFile.open(GOLDEN.resolve("bloom.ink")); Sketch view = file.sketch()) {
            long records = view.records();
            for (int i = 0; i < 3; i++) {
                assertThrows(InkException.class, () -> view.add("x"));
            }
            assertEquals(records, view.records());
        }
    }

    @Test
    void damagedBytesAreRefusedAndNeverMore() throws IOException {
        for (String name : List.of("bloom", "hll-sparse", "top", "groups", "theta-met", "fuse", "scalable")) {
            byte[] whole = Files.readAllBytes(GOLDEN.resolve(name + ".ink"));
            String digest = InkFile.fromBytes(whole).digest();
            int step = Math.max(1, whole.length / 400);
            for (int at = 0; at < whole.length; at += step) {
                byte[] changed = whole.clone();
                changed[at] ^= (byte) (1 << at % 8);
                byte[] cut = Arrays.copyOf(whole, at);
                assertThrows(InkException.class, () -> InkFile.fromBytes(cut));
                try (InkFile file = InkFile.fromBytes(changed)) {
                    assertEquals(digest, file.digest(), "a change that was not found");
                } catch (InkException error) {
                    assertNotEquals(Status.OK, error.status());
                }
            }
        }
        byte[] draft = Draft.of("bloom", 0.01).addAll("a", "b", "c").toBytes();
        for (int at = 0; at < draft.length; at++) {
            byte[] changed = draft.clone();
            changed[at] ^= 16;
            assertThrows(InkException.class, () -> Draft.fromBytes(changed, KeyType.BYTES));
        }
    }
}
