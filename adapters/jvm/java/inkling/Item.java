package inkling;

import java.nio.charset.StandardCharsets;

/**
 * One of the most frequent keys, with its count.
 *
 * @param key the bytes of the key, or null if the sketch holds ints
 * @param number the key of a sketch that holds ints, else 0
 * @param cut whether the key is longer: of keys above 1 KiB only the beginning is kept
 * @param count how often it was added; both bounds are certain
 */
public record Item(byte[] key, long number, boolean cut, Answer count) {
    /**
     * The key as text.
     *
     * @return its bytes as UTF-8, or the digits of the number
     */
    public String text() {
        return key == null ? Long.toString(number) : new String(key, StandardCharsets.UTF_8);
    }
}
