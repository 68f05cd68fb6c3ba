package inkling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
            default -> drop();
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
            switch (i % 4) {
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
