package inkling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every ```java block of the documents is a program that prints what its comments {@code // prints:} say. */
class DocsTest {
    private static final Path ROOT = Path.of(System.getProperty("inkling.root"));
    private static final List<String> DOCUMENTS = List.of("docs/jvm.md", "adapters/jvm/README.md");
    private static final Pattern BLOCK = Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern PRINTS = Pattern.compile("// prints: (.*)$", Pattern.MULTILINE);

    @TempDir
    Path folder;

    @TestFactory
    Stream<DynamicTest> blocksPrintWhatTheySay() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (String document : DOCUMENTS) {
            Matcher blocks = BLOCK.matcher(Files.readString(ROOT.resolve(document)));
            while (blocks.find()) {
                String code = blocks.group(1);
                tests.add(DynamicTest.dynamicTest(document + " " + tests.size(), () -> run(code)));
            }
        }
        assertTrue(tests.size() > 5, "found " + tests.size() + " blocks");
        return tests.stream();
    }

    /** A block without a class is the body of one. */
    private static String program(String code) {
        if (code.contains("class ")) {
            return code;
        }
        String imports = code.lines().filter(line -> line.startsWith("import ")).collect(Collectors.joining("\n"));
        String body = code.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
        return imports + "\nclass Shown { public static void main(String[] arguments) throws Exception {\n" + body + "\n} }\n";
    }

    private void run(String code) throws IOException, InterruptedException {
        Path source = Files.writeString(Files.createTempDirectory(folder, "doc").resolve("Shown.java"), program(code));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                        "-cp", System.getProperty("inkling.jar"), source.toString())
                .directory(source.getParent().toFile()).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes());
        String expected = PRINTS.matcher(code).results().map(found -> found.group(1) + "\n").collect(Collectors.joining());
        assertEquals(expected, printed);
        assertEquals(0, process.waitFor());
    }
}
