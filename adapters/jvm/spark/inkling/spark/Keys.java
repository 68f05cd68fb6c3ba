package inkling.spark;

import java.util.Arrays;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Keys side by side, as C takes them: integers, or bytes and where each begins. */
final class Keys {
    private static final int FIRST_BYTES = 1 << 17;
    /** The longest array of many a JVM. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final int room;
    private long[] ints;
    private byte[] data;
    private long[] offsets;
    private int count;

    /** Room for this many keys, whatever bytes they have. */
    Keys(int room) {
        this.room = room;
    }

    int room() {
        return room;
    }

    int count() {
        return count;
    }

    /** Those of all keys; of integers, none. */
    long bytes() {
        return offsets == null ? 0 : offsets[count];
    }

    void clear() {
        count = 0;
    }

    void add(long key) {
        ints()[count++] = key;
    }

    void add(UTF8String key) {
        int bytes = key.numBytes();
        int at = place(bytes);
        if (key.getBaseObject() instanceof byte[] base) {
            System.arraycopy(base, (int) (key.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET), data, at, bytes);
        } else {
            key.writeToMemory(data, Platform.BYTE_ARRAY_OFFSET + (long) at);
        }
    }

    void add(byte[] key) {
        int at = place(key.length);
        System.arraycopy(key, 0, data, at, key.length);
    }

    /** The integers of a column without NULL, at its rows from {@code from} on. */
    void addAll(IntColumn type, ColumnVector column, int from, int rows) {
        type.copy(column, from, rows, ints(), count);
        count += rows;
    }

    private long[] ints() {
        if (ints == null) {
            ints = new long[room];
        }
        return ints;
    }

    /** Where the bytes of the next key go. */
    private int place(int bytes) {
        if (offsets == null) {
            offsets = new long[room + 1];
            data = new byte[FIRST_BYTES];
        }
        int at = (int) offsets[count];
        int end = Math.addExact(at, bytes);
        if (end > data.length) {
            data = Arrays.copyOf(data, Math.max(end, (int) Math.min(2L * data.length, MOST_BYTES)));
        }
        offsets[++count] = end;
        return at;
    }

    // ---- To C -------------------------------------------------------------------------------

    void addTo(long[] states, long plan, long[] weights) {
        if (ints != null) {
            SqlNative.addLongs(states, plan, ints, weights, count);
        } else {
            SqlNative.addBytes(states, plan, data, offsets, weights, count);
        }
    }

    /** Of each key 1 or 0, for a function of the list that asks an opened sketch. */
    void ask(int function, long opened, byte[] answers) {
        if (ints != null) {
            SqlNative.maybeLongs(function, opened, ints, count, answers);
        } else {
            SqlNative.maybeEach(function, opened, data, offsets, count, answers);
        }
    }
}
