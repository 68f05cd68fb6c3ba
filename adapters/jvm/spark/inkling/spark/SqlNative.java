package inkling.spark;

import inkling.Sketch;
import java.util.List;

/** The calls of native/inkling_sql_jni.c. */
final class SqlNative {
    /** Types of arguments and results, as {@code inksql_type} in adapters/sql/sql.h. */
    static final int NULL = 0;
    static final int INT = 1;
    static final int REAL = 3;
    static final int BOOLEAN = 4;
    static final int TEXT = 5;
    static final int BYTES = 6;
    static final int OPENED = 7;

    static {
        Sketch.version(); // loads the library
    }

    private SqlNative() {}

    static native long live();

    static native String[] function(int id, int[] numbers);

    static native void refuse(int id, String type);

    static native long plan(int id, byte[] options);

    static native boolean drafts(long plan);

    static native long start(int id);

    static native void free(long state);

    static native void addLongs(long[] states, long plan, long[] keys, long[] weights, int count);

    static native void addBytes(long[] states, long plan, byte[] data, long[] offsets, long[] weights, int count);

    static native void step(long state, int[] types, long[] numbers, byte[][] data);

    static native void merge(long into, long from);

    static native byte[] finish(long state, long[] found);

    static native byte[] encode(long state, int before, long[] found);

    static native void decode(long state, byte[] data);

    static native long cacheCreate();

    static native void cacheFree(long cache);

    static native long open(long cache, int id, byte[] sketch);

    static native void release(long opened);

    static native int maybeLong(long opened, long key);

    static native int maybeBytes(long opened, byte[] data, int from, int count);

    static native void maybeLongs(int id, long opened, long[] keys, int count, byte[] answers);

    static native void maybeEach(int id, long opened, byte[] data, long[] offsets, int count, byte[] answers);

    static native byte[] call(int id, long cache, int[] types, long[] numbers, byte[][] data, long[] found);

    static native void topKeys(int id, int[] types, long[] numbers, byte[][] data, List<byte[]> keys, long[] counts);
}
