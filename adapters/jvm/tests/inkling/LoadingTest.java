package inkling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The C library comes out of the jar, and leaves nothing behind. */
class LoadingTest {
    private static final Path JAR = Path.of(System.getProperty("inkling.jar"));

    @TempDir
    Path folder;

    private record Ended(int code, String said) {}

    /** Runs the class {@link Child} in a JVM of its own. */
    private static Ended child(List<String> options, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "inkling.Child"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        return new Ended(process.waitFor(), said);
    }

    @Test
    void twoClassLoadersHaveACopyEach() throws Exception {
        URL[] jar = {JAR.toUri().toURL()};
        ClassLoader above = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader one = new URLClassLoader(jar, above); URLClassLoader two = new URLClassLoader(jar, above)) {
            List<Class<?>> classes = new ArrayList<>();
            for (URLClassLoader loader : List.of(one, two)) {
                Class<?> sketch = loader.loadClass("inkling.Sketch");
                Object made = sketch.getMethod("hll").invoke(null);
                sketch.getMethod("add", long.class).invoke(made, 5L);
                assertEquals(Sketch.hll().add(5).digest(), sketch.getMethod("digest").invoke(made));
                classes.add(sketch);
            }
            assertNotEquals(classes.get(0), classes.get(1));
        }
        assertTrue(libraries() >= 3, "each class loader has mapped a copy");
    }

    private static long libraries() throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(line -> line.contains("libinkling_jni.so") && line.contains(" r-xp "))
                    .peek(line -> assertTrue(line.endsWith("(deleted)"), line))
                    .count();
        }
    }

    @Test
    void nothingIsLeftInTheFolder() throws Exception {
        Ended ended = child(List.of("-Djava.io.tmpdir=" + folder), "version");
        assertEquals(new Ended(0, Sketch.version() + "\n"), ended);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(0, left.filter(path -> path.toString().contains("inkling")).count());
        }
    }

    @Test
    void thePropertyNamesAnotherFolder() throws Exception {
        String nowhere = "-Djava.io.tmpdir=/nowhere";
        Ended refused = child(List.of(nowhere), "version");
        assertNotEquals(0, refused.code());
        assertTrue(refused.said().contains("/nowhere") && refused.said().contains("inkling.native.dir"), refused::said);
        Ended unpacked = child(List.of(nowhere, "-Dinkling.native.dir=" + folder), "version");
        assertEquals(0, unpacked.code(), unpacked::said);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(0, left.count());
        }
        try (var library = Sketch.class.getResourceAsStream(
                "/inkling/native/linux-" + System.getProperty("os.arch").replace("amd64", "x86_64") + "/libinkling_jni.so")) {
            Files.copy(library, folder.resolve("libinkling_jni.so"));
        }
        Ended ready = child(List.of(nowhere, "-Dinkling.native.dir=" + folder), "mapped");
        assertEquals(0, ready.code(), ready::said);
        assertTrue(ready.said().contains(folder.resolve("libinkling_jni.so").toString()), ready::said);
    }

    @Test
    void theCollectorHearsOfAllMemory() throws Exception {
        assertEquals(new Ended(0, "0 ".repeat(8)), child(List.of(), "counted"));
    }

    @Test
    void droppedSketchesAreFreedInASmallHeap() throws Exception {
        Ended ended = child(List.of("-Xmx24m"), "drop");
        assertEquals(0, ended.code(), ended::said);
        long grown = Long.parseLong(ended.said().strip());
        assertTrue(grown < 160_000, "grown by " + grown + " kB");
    }
}
