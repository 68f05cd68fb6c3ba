package inkling;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * The C library that is inside the jar: unpacked into a new folder that only its owner may enter, loaded, deleted. Every
 * class loader has a copy of its own, as the JVM loads a file only once.
 */
final class NativeLibrary {
    /** Where to unpack, if not in {@code java.io.tmpdir}; or where the library is, which is then loaded from there. */
    static final String FOLDER = "inkling.native.dir";

    private static final String NAME = "libinkling_jni.so";
    private static final Map<String, String> MACHINES =
            Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "aarch64", "arm64", "aarch64");

    private NativeLibrary() {}

    static void load() {
        String named = System.getProperty(FOLDER);
        Path folder = Path.of(named == null ? System.getProperty("java.io.tmpdir") : named);
        Path ready = folder.resolve(NAME);
        try {
            if (named != null && Files.exists(ready)) {
                System.load(ready.toAbsolutePath().toString());
            } else {
                unpackAndLoad(folder.toAbsolutePath());
            }
        } catch (IOException | UnsatisfiedLinkError error) {
            throw failure(folder + ": " + error + ", expected a folder for programs: set -D" + FOLDER, error);
        }
    }

    private static void unpackAndLoad(Path folder) throws IOException {
        try (InputStream library = NativeLibrary.class.getResourceAsStream(resource())) {
            if (library == null) {
                throw failure("found no " + resource() + " in the jar, expected a library for this machine", null);
            }
            Path own = Files.createTempDirectory(folder, "inkling");
            Path copy = own.resolve(NAME);
            try {
                Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
                System.load(copy.toString());
            } finally {
                Files.deleteIfExists(copy);
                Files.delete(own);
            }
        }
    }

    private static String resource() {
        String system = System.getProperty("os.name");
        String machine = System.getProperty("os.arch");
        if (!system.equals("Linux") || !MACHINES.containsKey(machine)) {
            throw failure("found " + system + " on " + machine + ", expected Linux on x86_64 or aarch64", null);
        }
        return "/inkling/native/linux-" + MACHINES.get(machine) + "/" + NAME;
    }

    private static UnsatisfiedLinkError failure(String message, Throwable cause) {
        UnsatisfiedLinkError error = new UnsatisfiedLinkError("inkling: " + message);
        error.initCause(cause);
        return error;
    }
}
