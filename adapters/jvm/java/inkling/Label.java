package inkling;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The name of a sketch within a file: a group, a slot of time, both or neither.
 *
 * @param sort whether there is a group
 * @param group the bytes of the group, or null
 * @param slot the start of the slot of time, or null
 */
public record Label(Sort sort, byte[] group, Instant slot) {
    /** Neither group nor slot. */
    public static final Label NONE = new Label(Sort.NONE, null, null);

    /** The group of records whose group is null. */
    public static final Label NULL = new Label(Sort.NULL, null, null);

    /** Whether a label has a group; the order is that of {@code ink_group_kind} in inkling_file.h. */
    public enum Sort {
        /** There is no group. */
        NONE,
        /** The group is null. */
        NULL,
        /** The group is bytes, which may be empty. */
        BYTES
    }

    /**
     * The label of a group.
     *
     * @param group text, of which the label has the UTF-8; null is the group of nulls
     * @return a label without a slot
     */
    public static Label of(String group) {
        return group == null ? NULL : of(group.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The label of a group.
     *
     * @param group its bytes, which are not copied
     * @return a label without a slot
     */
    public static Label of(byte[] group) {
        return new Label(Sort.BYTES, group, null);
    }

    /**
     * The same with a slot of time.
     *
     * @param start when the slot starts
     * @return a label with the same group
     */
    public Label at(Instant start) {
        return new Label(sort, group, start);
    }

    /**
     * The group as text.
     *
     * @return its bytes as UTF-8, or null if there is no group or if it is null
     */
    public String text() {
        return group == null ? null : new String(group, StandardCharsets.UTF_8);
    }

    static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    boolean hasSlot() {
        return slot != null;
    }

    long slotMicros() {
        return slot == null ? 0 : micros(slot);
    }
}
