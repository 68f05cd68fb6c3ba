package inkling.spark;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** The state of one group: memory of C, which is given back when Spark has dropped it. */
final class AggregateState {
    private static final Cleaner CLEANER = Cleaner.create();
    /** In a row of one value: which are NULL, and where the value is. */
    private static final int ROW_HEAD = 2 * Long.BYTES;

    private final long handle;
    private final Cleaner.Cleanable memory;
    /** Keys that are still on their way; null if there never were any. */
    private KeyBatch batch;
    /** Whether anything may have been added. */
    private boolean isUsed;

    AggregateState(int function) {
        long state = SqlNative.start(function);
        handle = state;
        memory = CLEANER.register(this, () -> SqlNative.free(state));
    }

    long handle() {
        return handle;
    }

    /** Keys of this state go through this batch. */
    void through(KeyBatch keys) {
        batch = keys;
        isUsed = true;
    }

    /** Gives the memory back at once; nothing may be done with it any more. */
    void close() {
        memory.clean();
    }

    private void flush() {
        if (batch != null) {
            batch.flush();
        }
    }

    void step(int[] types, long[] numbers, byte[][] data) {
        isUsed = true;
        SqlNative.step(handle, types, numbers, data);
        Reference.reachabilityFence(this);
    }

    /** Returns the state that has both, which is the other one if this was never used: large ones are not copied then. */
    AggregateState merge(AggregateState from) {
        if (!isUsed) {
            return from;
        }
        flush();
        from.flush();
        SqlNative.merge(handle, from.handle);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(from);
        return this;
    }

    byte[] finish(long[] found) {
        flush();
        byte[] bytes = SqlNative.finish(handle, found);
        Reference.reachabilityFence(this);
        return bytes;
    }

    byte[] encode() {
        flush();
        byte[] bytes = SqlNative.encode(handle, 0, null);
        Reference.reachabilityFence(this);
        return bytes;
    }

    /** A row of the encoded state alone, which is written where it stays: a projection would make two more of a large one. */
    UnsafeRow encodeRow() {
        flush();
        long[] found = new long[2];
        byte[] data = SqlNative.encode(handle, ROW_HEAD, found);
        Reference.reachabilityFence(this);
        UnsafeRow row = new UnsafeRow(1);
        row.pointTo(data, data.length);
        row.setLong(0, (long) ROW_HEAD << Integer.SIZE | found[1]);
        return row;
    }

    void decode(byte[] data) {
        isUsed = true;
        SqlNative.decode(handle, data);
        KeyBatch.report();
        Reference.reachabilityFence(this);
    }
}
