package inkling.spark;

import inkling.StateMemory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.vectorized.ColumnVector;
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
    private final Keys keys = new Keys(MOST_KEYS);
    private long[] weights;

    KeyBatch(long plan) {
        this.plan = plan;
    }

    void add(AggregateState owner, long key, long weight) {
        keys.add(key);
        own(owner, weight);
    }

    void add(AggregateState owner, UTF8String key, long weight) {
        keys.add(key);
        own(owner, weight);
    }

    void add(AggregateState owner, byte[] key, long weight) {
        keys.add(key);
        own(owner, weight);
    }

    /** All values of a column of integers without NULL. */
    void addAll(AggregateState owner, IntColumn type, ColumnVector column, int rows) {
        flush();
        for (int from = 0; from < rows; from += MOST_KEYS) {
            keys.addAll(type, column, from, Math.min(MOST_KEYS, rows - from));
            flushAs(owner);
        }
    }

    /** All values of a column of texts without NULL. */
    void addAll(AggregateState owner, ColumnVector texts, int rows) {
        flush();
        for (int row = 0; row < rows; row++) {
            keys.add(texts.getUTF8String(row));
            if (isFull()) {
                flushAs(owner);
            }
        }
        flushAs(owner);
    }

    private void flushAs(AggregateState owner) {
        Arrays.fill(states, 0, keys.count(), owner.handle());
        owners[0] = owner;
        flush();
    }

    private boolean isFull() {
        return keys.count() == MOST_KEYS || keys.bytes() >= MOST_BYTES;
    }

    /** Whose the last key is, and how often it counts. */
    private void own(AggregateState owner, long weight) {
        int last = keys.count() - 1;
        if (weight != 1 && weights == null) {
            weights = new long[MOST_KEYS];
            Arrays.fill(weights, 0, last, 1);
        }
        if (weights != null) {
            weights[last] = weight;
        }
        owners[last] = owner;
        states[last] = owner.handle();
        if (isFull()) {
            flush();
        }
    }

    void flush() {
        if (keys.count() == 0) {
            return;
        }
        keys.addTo(states, plan, weights);
        Arrays.fill(owners, 0, keys.count(), null);
        keys.clear();
        weights = null;
        report();
    }

    /** Lets the collector hear of the memory that states have taken. */
    static void report() {
        long live = SqlNative.live();
        StateMemory.count(live - REPORTED.getAndSet(live));
    }
}
