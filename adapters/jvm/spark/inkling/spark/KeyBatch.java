package inkling.spark;

import inkling.StateMemory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Keys of one aggregate in one task on their way to C, each with the state of its group: one call for many keys, however many
 * groups these are of.
 */
final class KeyBatch {
    private static final int MOST_KEYS = 4096;
    private static final int MOST_BYTES = 1 << 17;
    /** The bytes of all states as the collector knows of them. */
    private static final AtomicLong REPORTED = new AtomicLong();

    private final long plan;
    private final AggregateState[] owners = new AggregateState[MOST_KEYS];
    private final long[] states = new long[MOST_KEYS];
    private long[] ints;
    private byte[] data;
    private long[] offsets;
    private long[] weights;
    private int count;

    KeyBatch(long plan) {
        this.plan = plan;
    }

    void add(AggregateState owner, long key, long weight) {
        if (ints == null) {
            ints = new long[MOST_KEYS];
        }
        ints[count] = key;
        own(owner, weight);
    }

    void add(AggregateState owner, UTF8String key, long weight) {
        int bytes = key.numBytes();
        int at = room(bytes);
        if (key.getBaseObject() instanceof byte[] base) {
            System.arraycopy(base, (int) (key.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET), data, at, bytes);
        } else {
            key.writeToMemory(data, Platform.BYTE_ARRAY_OFFSET + (long) at);
        }
        offsets[count + 1] = at + (long) bytes;
        own(owner, weight);
    }

    void add(AggregateState owner, byte[] key, long weight) {
        int at = room(key.length);
        System.arraycopy(key, 0, data, at, key.length);
        offsets[count + 1] = at + (long) key.length;
        own(owner, weight);
    }

    /** All values of a column of integers without NULL. */
    void addAll(AggregateState owner, IntColumn type, ColumnVector column, int rows) {
        flush();
        if (ints == null) {
            ints = new long[MOST_KEYS];
        }
        for (int from = 0; from < rows; from += MOST_KEYS) {
            count = Math.min(MOST_KEYS, rows - from);
            type.copy(column, from, count, ints);
            Arrays.fill(states, 0, count, owner.handle());
            owners[0] = owner;
            flush();
        }
    }

    private int room(int bytes) {
        if (offsets == null) {
            offsets = new long[MOST_KEYS + 1];
            data = new byte[MOST_BYTES];
        }
        int at = (int) offsets[count];
        if (at + (long) bytes > data.length) {
            data = Arrays.copyOf(data, Math.addExact(at, bytes));
        }
        return at;
    }

    private void own(AggregateState owner, long weight) {
        if (weight != 1 && weights == null) {
            weights = new long[MOST_KEYS];
            Arrays.fill(weights, 0, count, 1);
        }
        if (weights != null) {
            weights[count] = weight;
        }
        owners[count] = owner;
        states[count++] = owner.handle();
        if (count == MOST_KEYS || (offsets != null && offsets[count] >= MOST_BYTES)) {
            flush();
        }
    }

    void flush() {
        if (count == 0) {
            return;
        }
        if (ints != null) {
            SqlNative.addLongs(states, plan, ints, weights, count);
        } else {
            SqlNative.addBytes(states, plan, data, offsets, weights, count);
        }
        Arrays.fill(owners, 0, count, null);
        count = 0;
        weights = null;
        report();
    }

    /** Lets the collector hear of the memory that states have taken. */
    static void report() {
        long live = SqlNative.live();
        StateMemory.count(live - REPORTED.getAndSet(live));
    }
}
