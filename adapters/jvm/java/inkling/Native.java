package inkling;

import java.nio.Buffer;

/** The calls of native/inkling_jni.c. Who calls has made sure that the handle is open and that no other thread is in the way. */
final class Native {
    /** What a batch is for. */
    static final int ADD = 0;
    static final int CONTAINS = 1;
    static final int COUNT = 2;
    static final int ADD_NEW = 3;
    static final int REMOVE = 4;
    static final int DRAFT_ADD = 5;

    /** The most keys of a batch that counts. */
    static final int COUNTS = 1024;
    /** The lengths of the arrays of parameters, and the answers of an overlap. */
    static final int NUMBERS = 13;
    static final int REALS = 6;
    static final int OVERLAPS = 9;

    static {
        NativeLibrary.load();
    }

    private Native() {}

    static native String version();

    static native String[] kinds();

    static native long create(String kind, long[] numbers, double[] reals, String hash, byte[] secret);

    static native void free(long sketch);

    static native long memory(long sketch);

    static native long copy(long from);

    static native long like(long from);

    static native long convert(long from, String kind);

    static native void share(long sketch);

    static native void unlock(long sketch, byte[] secret);

    static native void addLong(long sketch, long key);

    static native void addBytes(long sketch, byte[] key, int from, int bytes);

    static native int maybeLong(long sketch, long key);

    static native int maybeBytes(long sketch, byte[] key, int from, int bytes);

    static native long timesLong(long sketch, long key);

    static native long timesBytes(long sketch, byte[] key, int from, int bytes);

    static native void longs(
            int call, long to, long[] keys, int from, int count, long[] weights, boolean[] flags, double[] answers, int at);

    static native void bytes(
            int call, long to, byte[] data, long[] offsets, int from, int count, long[] weights, boolean[] flags,
            double[] answers, int at);

    static native void buffer(int call, long to, Buffer keys, int from, int count);

    static native double[] distinct(long sketch, double confidence);

    static native double[] dot(long a, long b);

    static native String overlap(long a, long b, double confidence, double[] answers);

    static native double rate(long sketch);

    static native Object[] top(long sketch, long room, long share);

    static native void merge(long into, long from, double maxRate, boolean parts);

    static native void intersect(long into, long from);

    static native void subtract(long into, long from);

    static native void fold(long sketch, long divisor);

    static native long foldToRate(long sketch, double rate);

    static native Object[] describe(long sketch);

    static native Object[] plan(String kind, long[] numbers, double[] reals, String hash, byte[] secret);

    static native byte[] json(long sketch);

    static native byte[] encode(long sketch);

    static native long decode(byte[] data, int from, int bytes);

    static native long decodeBuffer(Buffer data, int from, int bytes);

    static native byte[] digest(long sketch);

    static native void save(long sketch, byte[] path);

    static native long load(byte[] path);

    static native long fileOpen(byte[] path, int flags);

    static native long fileDecode(byte[] data);

    static native void fileClose(long file);

    static native long fileCount(long file);

    static native void fileCheck(long file);

    static native Object[] fileEntry(long file, long index, long[] numbers);

    static native long fileFind(long file, String kind, int groupKind, byte[] group, boolean hasSlot, long slot);

    static native long fileSketch(long file, long index);

    static native byte[] fileDigest(long file);

    static native long fileBetween(long file, String kind, int groupKind, byte[] group, long last, long from, long until);

    static native byte[] contents(long[] sketches, long[] labels, byte[][] groups, byte[] path);

    static native long draftCreate(
            String kind, long[] numbers, double[] reals, String hash, byte[] secret, long limit);

    static native void draftFree(long draft);

    static native long draftKeys(long draft);

    static native long draftMemory(long draft);

    static native void draftMerge(long into, long from);

    static native long draftFinish(long draft, double headroom);

    static native byte[] draftEncode(long draft);

    static native long draftDecode(byte[] data, long limit);
}
