package inkling;

import java.util.Arrays;

/** Keys on their way to C, which takes them together: one call for many keys. Starts below 1 KiB. */
final class KeyBuffer {
    private static final int FIRST_KEYS = 32;
    private static final int MOST_KEYS = Native.COUNTS;
    private static final int MOST_BYTES = 1 << 16;

    private long[] ints = {};
    private byte[] data = {};
    private long[] offsets = {0};
    private long[] weights;
    private int count;

    int count() {
        return count;
    }

    boolean isFull() {
        return count == MOST_KEYS || offsets[offsets.length == 1 ? 0 : count] >= MOST_BYTES;
    }

    void put(long key, long weight) {
        if (count == ints.length) {
            ints = Arrays.copyOf(ints, Math.max(FIRST_KEYS, 4 * count));
        }
        ints[count] = key;
        weigh(weight);
        count++;
    }

    void put(byte[] key, int from, int bytes, long weight) {
        int at = room(bytes);
        System.arraycopy(key, from, data, at, bytes);
        weigh(weight);
        count++;
    }

    /** Where the next key of this length begins. */
    private int room(int bytes) {
        if (count + 1 >= offsets.length) {
            offsets = Arrays.copyOf(offsets, Math.max(FIRST_KEYS, 4 * count) + 1);
        }
        int at = (int) offsets[count];
        int end = Math.addExact(at, bytes);
        if (end > data.length) {
            data = Arrays.copyOf(data, Math.max(end, Math.min(2 * data.length + 16 * FIRST_KEYS, 2 * MOST_BYTES)));
        }
        offsets[count + 1] = end;
        return at;
    }

    private void weigh(long weight) {
        if (weights == null && weight == 1) {
            return;
        }
        if (weights == null) {
            weights = new long[Math.max(FIRST_KEYS, 4 * count)];
            Arrays.fill(weights, 0, count, 1);
        }
        if (count == weights.length) {
            weights = Arrays.copyOf(weights, 4 * count);
        }
        weights[count] = weight;
    }

    /** Makes one call with all keys; its results stand in the arrays, from {@code at} on. */
    void send(int call, long to, KeyType type, boolean[] flags, double[] answers, int at) {
        if (type == KeyType.INT) {
            Native.longs(call, to, ints, 0, count, weights, flags, answers, at);
        } else {
            Native.bytes(call, to, data, offsets, 0, count, weights, flags, answers, at);
        }
    }

    void clear() {
        count = 0;
        weights = null;
        if (data.length > 2 * MOST_BYTES) {
            data = new byte[] {};
        }
    }
}
