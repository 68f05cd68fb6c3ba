package inkling;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Objects;

/**
 * What keys are added to: a {@link Sketch} or a {@link Draft}. Keys that are added one by one are collected, and reach the
 * library together, before anything is asked at the latest. Batches are added in parts of a million keys, each of which is added
 * whole or not at all.
 *
 * @param <S> the class itself, for chains of calls
 */
public abstract sealed class KeyTarget<S extends KeyTarget<S>> extends NativeObject permits Sketch, Draft {
    /** Keys of one call, for which the collector waits. */
    static final int PART = 1 << 20;

    private final int addCall;
    private final KeyBuffer pending = new KeyBuffer();
    private volatile boolean isPending;
    /** Null while no key has decided it. */
    private KeyType keyType;
    /** Whether the call that decides the type of keys may still fail. */
    private boolean isLeaning;
    /** Whether keys, and keys with weights, are known to be accepted: a first one goes to the library at once. */
    private boolean takesKeys;

    private boolean takesWeights;

    KeyTarget(long handle, java.util.function.LongConsumer free, Runnable after, KeyType keyType, int addCall) {
        super(handle, free, after);
        this.keyType = keyType;
        this.addCall = addCall;
    }

    /** Makes the object of C anew, empty, with keys of this type. */
    abstract long remade(KeyType type);

    /** The bytes that it takes in C. */
    abstract long memoryOf(long handle);

    abstract S self();

    /** What the keys are, or null if nothing has decided that. */
    final KeyType decidedKeyType() {
        return keyType;
    }

    /** Takes this type of keys, or refuses. */
    final void expect(KeyType type) {
        if (keyType == null) {
            if (type != KeyType.BYTES) {
                replace(remade(type));
            }
            keyType = type;
            isLeaning = true;
        } else if (keyType != type) {
            throw new InkException(
                    Status.MISMATCH,
                    (type == KeyType.INT ? "int" : "bytes") + " keys for a "
                            + getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT) + " of "
                            + (type == KeyType.INT ? "bytes" : "int") + " keys (keyType)");
        }
    }

    /** The call that decided the type of keys has worked. */
    final void settle() {
        isLeaning = false;
    }

    /** The call that was to decide the type of keys has failed, or brought none: the next one decides. */
    private void straighten() {
        if (isLeaning && keyType != KeyType.BYTES) {
            replace(remade(KeyType.BYTES));
        }
        if (isLeaning) {
            keyType = null;
            isLeaning = false;
        }
    }

    /** Leaves a call that may have been the first with keys. */
    final void leftFirst() {
        try {
            straighten();
        } finally {
            left();
        }
    }

    /** The handle for a call that changes the object, with all keys in it. */
    final long changing() {
        long handle = alone();
        try {
            flush(handle);
        } catch (Throwable error) {
            left();
            throw error;
        }
        return handle;
    }

    /** The handle for a question, with all keys in it. */
    final long asking() {
        long handle = shared();
        if (isPending) {
            try {
                synchronized (pending) {
                    flush(handle);
                }
            } catch (Throwable error) {
                leftShared();
                throw error;
            }
        }
        return handle;
    }

    private void flush(long handle) {
        if (pending.count() > 0) {
            pending.send(addCall, handle, keyType, null, null, 0);
            pending.clear();
            isPending = false;
            account(memoryOf(handle));
        }
    }

    /** Makes room for one key more. Nothing has changed if that fails. */
    private void makeRoom(KeyType type) {
        expect(type);
        if (pending.isFull()) {
            flush(handle());
        }
    }

    /** A key is there: the first one is sent at once, so that a refusal is one of its own call. */
    private void hasKey(boolean weighted) {
        if (takesKeys && (takesWeights || !weighted)) {
            if (!isPending) {
                isPending = true;
            }
            return;
        }
        try {
            flush(handle());
        } catch (Throwable error) {
            pending.clear();
            straighten();
            throw error;
        }
        settle();
        takesKeys = true;
        takesWeights |= weighted;
    }

    /** Before a key that may be refused alone, those that wait are sent. */
    private void separate() {
        if (!takesWeights) {
            flush(handle());
        }
    }

    /**
     * Adds one key.
     *
     * @param key a 64-bit integer
     * @return this
     * @throws InkException MISMATCH if its keys are bytes; READ_ONLY if it is a view
     */
    public final S add(long key) {
        if (expectsManyThreads()) {
            long handle = shared();
            try {
                Native.addLong(handle, key);
            } finally {
                leftShared();
            }
            return self();
        }
        alone();
        try {
            makeRoom(KeyType.INT);
            pending.put(key, 1);
            hasKey(false);
        } finally {
            left();
        }
        return self();
    }

    /**
     * Adds one key as often as the weight says.
     *
     * @param key a 64-bit integer
     * @param weight how often, unsigned
     * @return this
     * @throws InkException UNSUPPORTED if the kind does not count; as {@link #add(long)}
     */
    public final S add(long key, long weight) {
        if (expectsManyThreads()) {
            return addAll(new long[] {key}, new long[] {weight});
        }
        alone();
        try {
            separate();
            makeRoom(KeyType.INT);
            pending.put(key, weight);
            hasKey(true);
        } finally {
            left();
        }
        return self();
    }

    /**
     * Adds one key.
     *
     * @param key its bytes; none are a key, too
     * @return this
     * @throws InkException MISMATCH if its keys are ints; READ_ONLY if it is a view
     */
    public final S add(byte[] key) {
        return add(key, 0, key.length);
    }

    /**
     * Adds one key.
     *
     * @param key an array with its bytes
     * @param from where it begins
     * @param bytes how long it is
     * @return this
     * @throws InkException MISMATCH if its keys are ints; READ_ONLY if it is a view
     */
    public final S add(byte[] key, int from, int bytes) {
        Objects.checkFromIndexSize(from, bytes, key.length);
        if (expectsManyThreads()) {
            long handle = shared();
            try {
                Native.addBytes(handle, key, from, bytes);
            } finally {
                leftShared();
            }
            return self();
        }
        alone();
        try {
            makeRoom(KeyType.BYTES);
            pending.put(key, from, bytes, 1);
            hasKey(false);
        } finally {
            left();
        }
        return self();
    }

    /**
     * Adds one key as often as the weight says.
     *
     * @param key its bytes
     * @param weight how often, unsigned
     * @return this
     * @throws InkException UNSUPPORTED if the kind does not count; as {@link #add(byte[])}
     */
    public final S add(byte[] key, long weight) {
        if (expectsManyThreads()) {
            return addAll(key, new long[] {0, key.length}, new long[] {weight});
        }
        alone();
        try {
            separate();
            makeRoom(KeyType.BYTES);
            pending.put(key, 0, key.length, weight);
            hasKey(true);
        } finally {
            left();
        }
        return self();
    }

    /**
     * Adds one key.
     *
     * @param key text, which is its UTF-8
     * @return this
     * @throws InkException MISMATCH if its keys are ints, or if the text has half of a surrogate pair
     */
    public final S add(String key) {
        return add(Text.utf8(key));
    }

    /**
     * Adds one key as often as the weight says.
     *
     * @param key text, which is its UTF-8
     * @param weight how often, unsigned
     * @return this
     * @throws InkException UNSUPPORTED if the kind does not count; as {@link #add(String)}
     */
    public final S add(String key, long weight) {
        return add(Text.utf8(key), weight);
    }

    /**
     * Adds one key.
     *
     * @param key the bytes from its position to its limit, which stay as they are
     * @return this
     * @throws InkException as {@link #add(byte[])}
     */
    public final S add(ByteBuffer key) {
        byte[] bytes = new byte[key.remaining()];
        key.get(key.position(), bytes);
        return add(bytes);
    }

    /**
     * Adds many keys.
     *
     * @param keys 64-bit integers
     * @return this
     * @throws InkException as {@link #add(long)}
     */
    public final S addAll(long[] keys) {
        return addAll(keys, 0, keys.length);
    }

    /**
     * Adds many keys.
     *
     * @param keys an array with 64-bit integers
     * @param from the index of the first one
     * @param count how many
     * @return this
     * @throws InkException as {@link #add(long)}
     */
    public final S addAll(long[] keys, int from, int count) {
        Objects.checkFromIndexSize(from, count, keys.length);
        return addParts(KeyType.INT, count, (handle, at, part) ->
                Native.longs(addCall, handle, keys, from + at, part, null, null, null, at));
    }

    /**
     * Adds many keys, each as often as its weight says.
     *
     * @param keys 64-bit integers
     * @param weights one for each key, unsigned
     * @return this
     * @throws InkException UNSUPPORTED if the kind does not count; as {@link #add(long)}
     */
    public final S addAll(long[] keys, long[] weights) {
        checkWeights(keys.length, weights);
        return addParts(KeyType.INT, keys.length, (handle, at, part) ->
                Native.longs(addCall, handle, keys, at, part, weights, null, null, at));
    }

    /**
     * Adds many keys. Those of a direct buffer in the byte order of the machine are read where they are.
     *
     * @param keys the integers from its position to its limit, which stay as they are
     * @return this
     * @throws InkException as {@link #add(long)}
     */
    public final S addAll(LongBuffer keys) {
        int from = keys.position();
        if (!keys.isDirect() || keys.order() != ByteOrder.nativeOrder()) {
            long[] copy = new long[keys.remaining()];
            keys.get(from, copy);
            return addAll(copy);
        }
        return addParts(KeyType.INT, keys.remaining(), (handle, at, part) ->
                Native.buffer(addCall, handle, keys.slice(from + at, part), 0, part));
    }

    /**
     * Adds many keys that stand one after another.
     *
     * @param data the bytes of all keys
     * @param offsets one more than keys: key i is data[offsets[i]] up to offsets[i + 1]
     * @return this
     * @throws InkException as {@link #add(byte[])}
     */
    public final S addAll(byte[] data, long[] offsets) {
        return addAll(data, offsets, null);
    }

    /**
     * The same with weights.
     *
     * @param data the bytes of all keys
     * @param offsets one more than keys: key i is data[offsets[i]] up to offsets[i + 1]
     * @param weights one for each key, unsigned; null: once each
     * @return this
     * @throws InkException UNSUPPORTED if the kind does not count; as {@link #add(byte[])}
     */
    public final S addAll(byte[] data, long[] offsets, long[] weights) {
        int count = checkedOffsets(data, offsets);
        if (weights != null) {
            checkWeights(count, weights);
        }
        return addParts(KeyType.BYTES, count, (handle, at, part) ->
                Native.bytes(addCall, handle, data, offsets, at, part, weights, null, null, at));
    }

    /**
     * Adds many keys.
     *
     * @param keys texts, of which the keys are the UTF-8
     * @return this
     * @throws InkException as {@link #add(String)}; the keys before are added then
     */
    public final S addAll(Iterable<String> keys) {
        for (String key : keys) {
            add(key);
        }
        return self();
    }

    /**
     * Adds many keys.
     *
     * @param keys texts, of which the keys are the UTF-8
     * @return this
     * @throws InkException as {@link #add(String)}; the keys before are added then
     */
    public final S addAll(String... keys) {
        return addAll(java.util.Arrays.asList(keys));
    }

    /** A call for a part of a batch. */
    private interface PartCall {
        void call(long handle, int at, int count);
    }

    private S addParts(KeyType type, int count, PartCall add) {
        boolean many = expectsManyThreads();
        long handle = many ? shared() : changing();
        try {
            if (!many) {
                expect(type);
                handle = handle();
            }
            for (int at = 0; at < count; at += PART) {
                add.call(handle, at, Math.min(PART, count - at));
                settle();
            }
            if (!many) {
                account(memoryOf(handle));
            }
        } finally {
            if (many) {
                leftShared();
            } else {
                leftFirst();
            }
        }
        return self();
    }

    private static void checkWeights(int count, long[] weights) {
        if (weights.length != count) {
            throw new InkException(
                    Status.USAGE, "weights: found " + weights.length + " for " + count + " keys, expected one each");
        }
    }

    /** The number of keys that offsets are of; C looks at all but the ends of the arrays. */
    static int checkedOffsets(byte[] data, long[] offsets) {
        if (offsets.length == 0) {
            throw new InkException(Status.USAGE, "offsets: found none, expected one more than keys");
        }
        long before = 0;
        for (int i = 0; i < offsets.length; i++) {
            if (offsets[i] < before || offsets[i] > data.length) {
                throw new InkException(
                        Status.USAGE,
                        "offsets: found " + offsets[i] + " at " + i + ", expected " + before + " to " + data.length);
            }
            before = offsets[i];
        }
        return offsets.length - 1;
    }
}
