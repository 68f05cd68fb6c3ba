package inkling;

import java.util.List;
import java.util.stream.Stream;

/** Every kind with parameters for tests, in Java and on the command line. */
record Kinds(String kind, SketchBuilder builder, List<String> options, boolean madeWhole) {
    static Stream<Kinds> all() {
        return Stream.of(
                row("bloom", Sketch.builder("bloom").expectedKeys(8000), "-n", "8000"),
                row("classic", Sketch.builder("classic").expectedKeys(8000).falsePositiveRate(0.001),
                        "-n", "8000", "-p", "0.001"),
                row("counting", Sketch.builder("counting").expectedKeys(8000), "-n", "8000"),
                row("scalable", Sketch.builder("scalable").expectedKeys(50), "-n", "50"),
                row("count-min", Sketch.builder("count-min").epsilon(0.01).conservative(),
                        "--eps", "0.01", "--conservative"),
                row("top", Sketch.builder("top").topKeys(7), "-k", "7"),
                row("fm", Sketch.builder("fm")),
                row("hll", Sketch.builder("hll").precision(10), "--precision", "10"),
                row("theta", Sketch.builder("theta").precision(6), "--precision", "6"),
                new Kinds("fuse", Sketch.builder("fuse").falsePositiveRate(0.001), List.of("-p", "0.001"), true));
    }

    private static Kinds row(String kind, SketchBuilder builder, String... options) {
        return new Kinds(kind, builder, List.of(options), false);
    }

    static Stream<Kinds> added() {
        return all().filter(kind -> !kind.madeWhole);
    }

    /** Every parameter with a value that is not its default. */
    static Stream<Kinds> tuned() {
        return Stream.of(
                row("bloom", Sketch.builder("bloom").expectedKeys(9000).falsePositiveRate(0.2), "-n", "9000", "-p", "0.2"),
                row("classic", Sketch.builder("classic").bits(65_536).hashes(3), "--bits", "65536", "--hashes", "3"),
                row("scalable", Sketch.builder("scalable").expectedKeys(50).falsePositiveRate(0.2), "-n", "50", "-p", "0.2"),
                row("count-min", Sketch.builder("count-min").epsilon(0.01).delta(0.2), "--eps", "0.01", "--delta", "0.2"),
                row("count-min", Sketch.builder("count-min").width(300).depth(3), "--width", "300", "--depth", "3"),
                row("count-min", Sketch.builder("count-min").epsilon(0.01).counterBits(64), "--eps", "0.01", "--counters", "64"),
                row("top", Sketch.builder("top").phi(0.0003), "--phi", "0.0003"),
                row("top", Sketch.builder("top").topKeys(100), "-k", "100"),
                row("fm", Sketch.builder("fm").width(8).depth(5), "--width", "8", "--depth", "5"),
                row("hll", Sketch.builder("hll").precision(7).hash("xxh64"), "--precision", "7", "--hash", "xxh64"),
                row("hll", Sketch.builder("hll").seed(7), "--seed", "7"),
                row("hll", Sketch.builder("hll").seed(0), "--seed", "0"),
                row("theta", Sketch.builder("theta").precision(6).seed(-1), "--precision", "6", "--seed", "18446744073709551615"));
    }

    /** Filters whose size follows from their keys. */
    static Stream<Kinds> drafted() {
        return Stream.of(
                row("bloom", Sketch.builder("bloom")),
                row("classic", Sketch.builder("classic").falsePositiveRate(0.001), "-p", "0.001"),
                row("counting", Sketch.builder("counting")),
                row("fuse", Sketch.builder("fuse").falsePositiveRate(0.001), "-p", "0.001"));
    }

    /** The same with more options of the command. */
    Kinds with(String... more) {
        return new Kinds(kind, builder, Stream.concat(options.stream(), Stream.of(more)).toList(), madeWhole);
    }

    @Override
    public String toString() {
        return kind + " " + options;
    }
}
