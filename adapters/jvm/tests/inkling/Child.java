package inkling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/** What LoadingTest runs in a JVM of its own. */
final class Child {
    private static final int SKETCHES = 40_000;

    private Child() {}

    public static void main(String[] words) throws IOException {
        switch (words[0]) {
            case "version" -> System.out.println(Sketch.version());
            case "mapped" -> {
                Sketch.version();
                System.out.println(Files.readString(Path.of("/proc/self/maps")));
            }
            case "counted" -> count();
            default -> drop();
        }
    }

    /** Prints after each change of sketches and drafts how far the bytes that the collector hears of are from those of C. */
    private static void count() {
        long[] keys = LongStream.range(0, 50_000).toArray();
        Sketch scalable = Sketch.builder("scalable").expectedKeys(1000).create();
        Sketch bloom = Sketch.bloom(1_000_000, 0.01);
        Sketch top = Sketch.topKeys(3);
        Draft draft = Draft.of("bloom", 0.01);
        Draft filled = Draft.of("bloom", 0.01).addAll(keys);
        Draft decoded = Draft.fromBytes(filled.toBytes(), KeyType.INT);
        Sketch most = Sketch.topKeys(3).addAll(keys);
        List<KeyTarget<?>> all = List.of(scalable, bloom, top, draft, filled, decoded, most);
        List<Runnable> steps = List.of(
                () -> scalable.addAll(keys), () -> LongStream.range(50_000, 90_000).forEach(scalable::addNew),
                () -> LongStream.range(90_000, 190_000).forEach(scalable::add), scalable::digest, () -> bloom.fold(8),
                () -> top.merge(most), () -> draft.merge(decoded), () -> all.forEach(KeyTarget::close));
        for (Runnable step : steps) {
            step.run();
            long taken = all.stream().filter(one -> step != steps.get(steps.size() - 1)).mapToLong(one -> one.memoryOf(one.handle())).sum();
            System.out.print(NativeMemory.live() - taken + " ");
        }
    }

    /** Makes a gigabyte of sketches, files and drafts and drops them; prints by how many kB the process has grown. */
    private static void drop() throws IOException {
        long[] keys = LongStream.range(0, 3000).toArray();
        byte[] bytes = Sketch.hll().addAll(keys).toBytes();
        long before = 0;
        for (int i = 0; i < SKETCHES; i++) {
            if (i == SKETCHES / 10) {
                before = resident();
            }
            switch (i % 5) {
                case 4 -> Sketch.counting(20_000, 0.01).convert("bloom").add(i).merge(Sketch.bloom(20_000, 0.01));
                case 0 -> Sketch.hll().addAll(keys);
                case 1 -> Sketch.fromBytes(bytes).distinct();
                case 2 -> InkFile.fromBytes(bytes).sketch().distinct();
                default -> Draft.of("bloom", 0.01).addAll(keys).finish().rate();
            }
        }
        System.out.println(resident() - before);
    }

    private static long resident() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .sum();
    }
}
