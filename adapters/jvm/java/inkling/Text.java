package inkling;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/** Text as the bytes that C takes. */
final class Text {
    /** What the JVM takes the names of files for. */
    private static final Charset PATHS = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private Text() {}

    /** A key's UTF-8. Half of a surrogate pair has none: Java would put "?", and make one key of different ones. */
    static byte[] utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (byte one : bytes) {
            if (one == '?') {
                refuseHalves(text);
                break;
            }
        }
        return bytes;
    }

    private static void refuseHalves(String text) {
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            boolean isPair = Character.isHighSurrogate(one)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (isPair) {
                i++;
            } else if (Character.isSurrogate(one)) {
                throw new InkException(
                        Status.MISMATCH, "key: found half of a surrogate pair at " + i + ", expected text");
            }
        }
    }

    static byte[] path(Path path) {
        return path.toString().getBytes(PATHS);
    }

    static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }
}
