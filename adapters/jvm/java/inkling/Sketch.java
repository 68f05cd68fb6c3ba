package inkling;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A sketch: keys go in, and it answers whether a key was seen, how often, which are the most frequent, how many distinct ones
 * there were; approximately, with known bounds, in little memory. Which of these depends on the kind.
 *
 * <pre>{@code
 * try (Sketch seen = Sketch.bloom(1_000_000, 0.01)) {
 *     seen.add("bee").add("cat");
 *     seen.contains("bee");                  // true: maybe
 *     seen.contains("emu");                  // false: certainly not
 *     seen.save(Path.of("seen.ink"));        // read by ink, Python, C
 * }
 * }</pre>
 *
 * <p><b>Memory</b> is that of C, outside of the heap. {@link #close} gives it back; a sketch that is dropped is freed by the
 * collector, which is called when sketches take more than the largest heap.
 *
 * <p><b>Threads.</b> Calls that ask may run at once while no call changes the sketch; a call that changes it must be alone. A
 * call that finds another in its way throws {@link java.util.ConcurrentModificationException} and does nothing. To a
 * concurrent sketch ({@link SketchBuilder#concurrent}, {@link #share}) any number of threads add.
 *
 * <p><b>Serialization.</b> A sketch is not Serializable, on purpose: {@link #toBytes} is what to store and send.
 *
 * <p>Every call may throw {@link InkException}, and {@link IllegalStateException} after {@code close}.
 */
public final class Sketch extends KeyTarget<Sketch> {
    private static final byte[] EMPTY = {};

    /** Makes it anew while no key has decided its key type. */
    private final SketchBuilder builder;

    Sketch(SketchBuilder builder) {
        super(builder.make(KeyType.BYTES), Native::free, () -> {}, builder.keyType(), Native.ADD);
        this.builder = builder;
        start(builder.isConcurrent());
    }

    /** Of a handle that C made. {@code after} runs once it is freed. */
    Sketch(long handle, Runnable after) {
        this(handle, after, Description.of(Native.describe(handle)), null);
    }

    /** With a builder no key has decided the key type. */
    private Sketch(long handle, Runnable after, Description about, SketchBuilder builder) {
        super(handle, Native::free, after, builder == null ? about.keyType() : null, Native.ADD);
        this.builder = builder;
        start(about.concurrent());
    }

    private void start(boolean concurrent) {
        account(Native.memory(handle()));
        if (concurrent) {
            expectManyThreads();
        }
    }

    /** Of the kind and the size that it has now: it may have been converted and folded since it was built. */
    @Override
    long remade(KeyType type) {
        Description now = Description.of(Native.describe(handle()));
        long made = builder.make(type);
        try {
            if (!now.kind().equals(builder.kind())) {
                long converted = Native.convert(made, now.kind());
                Native.free(made);
                made = converted;
            }
            long bits = Description.of(Native.describe(made)).bits();
            if (bits > now.bits()) {
                Native.fold(made, bits / now.bits());
            }
        } catch (Throwable error) {
            Native.free(made);
            throw error;
        }
        return made;
    }

    @Override
    long memoryOf(long handle) {
        return Native.memory(handle);
    }

    @Override
    Sketch self() {
        return this;
    }

    // ---- Made -------------------------------------------------------------------------------

    /**
     * Parameters of a sketch of any kind.
     *
     * @param kind one of {@link #kinds}
     * @return a builder with the defaults of the kind
     */
    public static SketchBuilder builder(String kind) {
        return new SketchBuilder(kind);
    }

    /**
     * The kinds of sketches.
     *
     * @return their names, as of files
     */
    public static List<String> kinds() {
        return List.of(Native.kinds());
    }

    /**
     * The version of the library.
     *
     * @return such as "0.2.0"
     */
    public static String version() {
        return Native.version();
    }

    /**
     * A filter: was this key seen? One cache line a key.
     *
     * @param expectedKeys distinct keys that it is for
     * @param falsePositiveRate the rate of wrong yeses
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch bloom(long expectedKeys, double falsePositiveRate) {
        return filter("bloom", expectedKeys, falsePositiveRate);
    }

    /**
     * The filter of textbooks, for any rate.
     *
     * @param expectedKeys distinct keys that it is for
     * @param falsePositiveRate the rate of wrong yeses
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch classic(long expectedKeys, double falsePositiveRate) {
        return filter("classic", expectedKeys, falsePositiveRate);
    }

    /**
     * A filter from which keys can be removed.
     *
     * @param expectedKeys distinct keys that it is for
     * @param falsePositiveRate the rate of wrong yeses
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch counting(long expectedKeys, double falsePositiveRate) {
        return filter("counting", expectedKeys, falsePositiveRate);
    }

    private static Sketch filter(String kind, long expectedKeys, double falsePositiveRate) {
        return builder(kind).expectedKeys(expectedKeys).falsePositiveRate(falsePositiveRate).create();
    }

    /**
     * A filter that grows with its keys.
     *
     * @param falsePositiveRate the rate of wrong yeses
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch scalable(double falsePositiveRate) {
        return builder("scalable").falsePositiveRate(falsePositiveRate).create();
    }

    /**
     * Counts: how often was this key added? Never too low.
     *
     * @param epsilon a count is at most this share of the total too high ...
     * @param delta ... except with this chance
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch countMin(double epsilon, double delta) {
        return builder("count-min").epsilon(epsilon).delta(delta).create();
    }

    /**
     * The most frequent keys.
     *
     * @param keys how many will be asked for
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch topKeys(int keys) {
        return builder("top").topKeys(keys).create();
    }

    /**
     * How many distinct keys: HyperLogLog of 2^14 registers.
     *
     * @return an empty sketch
     */
    public static Sketch hll() {
        return builder("hll").create();
    }

    /**
     * How many distinct keys: HyperLogLog.
     *
     * @param precision 2^precision registers, 4 to 18
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch hll(int precision) {
        return builder("hll").precision(precision).create();
    }

    /**
     * How many distinct keys: Flajolet and Martin's sketch.
     *
     * @return an empty sketch
     */
    public static Sketch fm() {
        return builder("fm").create();
    }

    /**
     * Distinct keys of unions, intersections and differences.
     *
     * @param precision at most 2^precision values, 4 to 26
     * @return an empty sketch
     * @throws InkException USAGE
     */
    public static Sketch theta(int precision) {
        return builder("theta").precision(precision).create();
    }

    /**
     * A sketch of the bytes that {@link #toBytes} gave, or of a file of one sketch.
     *
     * @param data the bytes, each of which is checked
     * @return a sketch that can be changed
     * @throws InkException FORMAT, naming the byte
     */
    public static Sketch fromBytes(byte[] data) {
        return new Sketch(Native.decode(data, 0, data.length), () -> {});
    }

    /**
     * The same of a buffer.
     *
     * @param data the bytes from its position to its limit, which stay as they are
     * @return a sketch that can be changed
     * @throws InkException FORMAT, naming the byte
     */
    public static Sketch fromBytes(ByteBuffer data) {
        if (data.isDirect()) {
            return new Sketch(Native.decodeBuffer(data, data.position(), data.remaining()), () -> {});
        }
        byte[] copy = new byte[data.remaining()];
        data.get(data.position(), copy);
        return fromBytes(copy);
    }

    /**
     * Loads a file of one sketch. {@link InkFile#open} opens it in place instead, and files of many.
     *
     * @param path the file
     * @return a sketch that can be changed
     * @throws InkException IO, FORMAT
     */
    public static Sketch load(Path path) {
        try {
            return new Sketch(Native.load(Text.path(path)), () -> {});
        } catch (InkException error) {
            throw error.about(path);
        }
    }

    // ---- Was this key seen? -----------------------------------------------------------------

    /**
     * Whether a key may have been added.
     *
     * @param key a 64-bit integer
     * @return false: certainly not; true: maybe, wrongly at the rate of the filter
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are bytes
     */
    public boolean contains(long key) {
        long handle = asking();
        try {
            int maybe = decidedKeyType() == KeyType.INT ? Native.maybeLong(handle, key) : -1;
            return maybe < 0 ? flag(Native.CONTAINS, handle, key) : maybe != 0;
        } finally {
            leftShared();
        }
    }

    /**
     * Whether a key may have been added.
     *
     * @param key its bytes
     * @return false: certainly not; true: maybe, wrongly at the rate of the filter
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are ints
     */
    public boolean contains(byte[] key) {
        return contains(key, 0, key.length);
    }

    /**
     * Whether a key may have been added.
     *
     * @param key an array with its bytes
     * @param from where it begins
     * @param bytes how long it is
     * @return false: certainly not; true: maybe, wrongly at the rate of the filter
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are ints
     */
    public boolean contains(byte[] key, int from, int bytes) {
        Objects.checkFromIndexSize(from, bytes, key.length);
        long handle = asking();
        try {
            int maybe = Native.maybeBytes(handle, key, from, bytes);
            return maybe < 0
                    ? flag(Native.CONTAINS, handle, Arrays.copyOfRange(key, from, from + bytes))
                    : maybe != 0;
        } finally {
            leftShared();
        }
    }

    /**
     * Whether a key may have been added.
     *
     * @param key text, which is its UTF-8
     * @return false: certainly not; true: maybe, wrongly at the rate of the filter
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are ints
     */
    public boolean contains(String key) {
        return contains(Text.utf8(key));
    }

    /**
     * Whether a key may have been added.
     *
     * @param key the bytes from its position to its limit, which stay as they are
     * @return false: certainly not; true: maybe, wrongly at the rate of the filter
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are ints
     */
    public boolean contains(ByteBuffer key) {
        byte[] copy = new byte[key.remaining()];
        key.get(key.position(), copy);
        return contains(copy);
    }

    /**
     * Which of many keys may have been added.
     *
     * @param keys 64-bit integers
     * @return an answer for each key, as of {@link #contains(long)}
     * @throws InkException as {@link #contains(long)}
     */
    public boolean[] containsAll(long[] keys) {
        return containsAll(keys, 0, keys.length);
    }

    /**
     * Which of many keys may have been added.
     *
     * @param keys an array with 64-bit integers
     * @param from the index of the first one
     * @param count how many
     * @return an answer for each key, as of {@link #contains(long)}
     * @throws InkException as {@link #contains(long)}
     */
    public boolean[] containsAll(long[] keys, int from, int count) {
        Objects.checkFromIndexSize(from, count, keys.length);
        boolean[] answers = new boolean[count];
        ask(handle -> longs(Native.CONTAINS, handle, keys, from, count, answers, null));
        return answers;
    }

    /**
     * Which of many keys may have been added.
     *
     * @param data the bytes of all keys
     * @param offsets one more than keys: key i is data[offsets[i]] up to offsets[i + 1]
     * @return an answer for each key, as of {@link #contains(byte[])}
     * @throws InkException as {@link #contains(byte[])}
     */
    public boolean[] containsAll(byte[] data, long[] offsets) {
        boolean[] answers = new boolean[checkedOffsets(data, offsets)];
        ask(handle -> bytes(Native.CONTAINS, handle, data, offsets, answers, null));
        return answers;
    }

    /**
     * Which of many keys may have been added.
     *
     * @param keys texts, of which the keys are the UTF-8
     * @return an answer for each key, as of {@link #contains(String)}
     * @throws InkException as {@link #contains(String)}
     */
    public boolean[] containsAll(Collection<String> keys) {
        boolean[] answers = new boolean[keys.size()];
        ask(handle -> texts(Native.CONTAINS, handle, keys, answers, null));
        return answers;
    }

    /**
     * Adds a key unless it seems to be in already.
     *
     * @param key a 64-bit integer
     * @return whether it was new
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are bytes
     */
    public boolean addNew(long key) {
        return changeOne(KeyType.INT, handle -> flag(Native.ADD_NEW, handle, key));
    }

    /**
     * Adds a key unless it seems to be in already.
     *
     * @param key its bytes
     * @return whether it was new
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are ints
     */
    public boolean addNew(byte[] key) {
        return changeOne(KeyType.BYTES, handle -> flag(Native.ADD_NEW, handle, key));
    }

    /**
     * Adds a key unless it seems to be in already.
     *
     * @param key text, which is its UTF-8
     * @return whether it was new
     * @throws InkException UNSUPPORTED if the kind is no filter; MISMATCH if its keys are ints
     */
    public boolean addNew(String key) {
        return addNew(Text.utf8(key));
    }

    /**
     * Takes a key out again: counting.
     *
     * @param key a 64-bit integer
     * @return this
     * @throws InkException NOT_FOUND if the key is certainly not in; UNSUPPORTED for other kinds
     */
    public Sketch remove(long key) {
        changeOne(KeyType.INT, handle -> flag(Native.REMOVE, handle, key));
        return this;
    }

    /**
     * Takes a key out again: counting.
     *
     * @param key its bytes
     * @return this
     * @throws InkException NOT_FOUND if the key is certainly not in; UNSUPPORTED for other kinds
     */
    public Sketch remove(byte[] key) {
        changeOne(KeyType.BYTES, handle -> flag(Native.REMOVE, handle, key));
        return this;
    }

    /**
     * Takes a key out again: counting.
     *
     * @param key text, which is its UTF-8
     * @return this
     * @throws InkException NOT_FOUND if the key is certainly not in; UNSUPPORTED for other kinds
     */
    public Sketch remove(String key) {
        return remove(Text.utf8(key));
    }

    /**
     * The current rate of wrong yeses, from the bits. Reads the whole filter.
     *
     * @return the rate
     * @throws InkException UNSUPPORTED if the kind is no filter
     */
    public double rate() {
        long handle = asking();
        try {
            return Native.rate(handle);
        } finally {
            leftShared();
        }
    }

    // ---- How often? -------------------------------------------------------------------------

    /**
     * How often a key was added, with bounds.
     *
     * @param key a 64-bit integer
     * @return the count
     * @throws InkException UNSUPPORTED if the kind does not count; MISMATCH if its keys are bytes
     */
    public Answer count(long key) {
        return countAll(new long[] {key})[0];
    }

    /**
     * How often a key was added, with bounds.
     *
     * @param key its bytes
     * @return the count
     * @throws InkException UNSUPPORTED if the kind does not count; MISMATCH if its keys are ints
     */
    public Answer count(byte[] key) {
        return countAll(key, new long[] {0, key.length})[0];
    }

    /**
     * How often a key was added, with bounds.
     *
     * @param key text, which is its UTF-8
     * @return the count
     * @throws InkException UNSUPPORTED if the kind does not count; MISMATCH if its keys are ints
     */
    public Answer count(String key) {
        return count(Text.utf8(key));
    }

    /**
     * The estimate of {@link #count(long)} alone, which is faster.
     *
     * @param key a 64-bit integer
     * @return how often it was added
     * @throws InkException as {@link #count(long)}
     */
    public long times(long key) {
        long handle = asking();
        long times;
        try {
            times = decidedKeyType() == KeyType.INT ? Native.timesLong(handle, key) : -1;
        } finally {
            leftShared();
        }
        return times < 0 ? count(key).rounded() : times;
    }

    /**
     * The estimate of {@link #count(String)} alone, which is faster.
     *
     * @param key text, which is its UTF-8
     * @return how often it was added
     * @throws InkException as {@link #count(String)}
     */
    public long times(String key) {
        byte[] bytes = Text.utf8(key);
        long handle = asking();
        long times;
        try {
            times = Native.timesBytes(handle, bytes, 0, bytes.length);
        } finally {
            leftShared();
        }
        return times < 0 ? count(bytes).rounded() : times;
    }

    /**
     * How often each of many keys was added.
     *
     * @param keys 64-bit integers
     * @return a count for each
     * @throws InkException as {@link #count(long)}
     */
    public Answer[] countAll(long[] keys) {
        double[] answers = new double[Math.multiplyExact(keys.length, Answer.NUMBERS)];
        ask(handle -> longs(Native.COUNT, handle, keys, 0, keys.length, null, answers));
        return Answer.all(answers);
    }

    /**
     * How often each of many keys was added.
     *
     * @param data the bytes of all keys
     * @param offsets one more than keys: key i is data[offsets[i]] up to offsets[i + 1]
     * @return a count for each
     * @throws InkException as {@link #count(byte[])}
     */
    public Answer[] countAll(byte[] data, long[] offsets) {
        double[] answers = new double[Math.multiplyExact(checkedOffsets(data, offsets), Answer.NUMBERS)];
        ask(handle -> bytes(Native.COUNT, handle, data, offsets, null, answers));
        return Answer.all(answers);
    }

    /**
     * How often each of many keys was added.
     *
     * @param keys texts, of which the keys are the UTF-8
     * @return a count for each
     * @throws InkException as {@link #count(String)}
     */
    public Answer[] countAll(Collection<String> keys) {
        double[] answers = new double[Math.multiplyExact(keys.size(), Answer.NUMBERS)];
        ask(handle -> texts(Native.COUNT, handle, keys, null, answers));
        return Answer.all(answers);
    }

    /**
     * The sum over all keys of the products of their counts here and there: the size of a join. Plain count-min.
     *
     * @param other another of the same size, or this
     * @return the inner product
     * @throws InkException UNSUPPORTED, MISMATCH
     */
    public Answer dot(Sketch other) {
        return with(other, (handle, there) -> Answer.of(Native.dot(handle, there), 0));
    }

    // ---- Which are the most frequent? -------------------------------------------------------

    /**
     * The keys with the largest counts, largest first.
     *
     * @param keys how many at most
     * @return the keys with their counts
     * @throws InkException UNSUPPORTED if the kind keeps no keys
     */
    public List<Item> top(int keys) {
        if (keys < 0) {
            throw new InkException(Status.USAGE, "keys: found " + keys + ", expected no negative number");
        }
        return items(keys, 0);
    }

    /**
     * The keys that have more than 1/k of the total: none that has is missing, and one whose low bound is not above may not
     * belong there.
     *
     * @param k the share is 1/k
     * @return the keys with their counts, largest first
     * @throws InkException UNSUPPORTED if the kind keeps no keys; USAGE if k is too large for this sketch to be sure
     */
    public List<Item> over(long k) {
        if (k < 1) {
            throw new InkException(Status.USAGE, "k: found " + k + ", expected 1 or more");
        }
        return items(0, k);
    }

    private List<Item> items(long room, long share) {
        long handle = asking();
        try {
            Object[] parts = Native.top(handle, room, share);
            byte[][] keys = (byte[][]) parts[0];
            long[] numbers = (long[]) parts[1];
            boolean[] cuts = (boolean[]) parts[2];
            double[] answers = (double[]) parts[3];
            List<Item> items = new ArrayList<>(keys.length);
            for (int i = 0; i < keys.length; i++) {
                items.add(new Item(keys[i], numbers[i], cuts[i], Answer.of(answers, i)));
            }
            return Collections.unmodifiableList(items);
        } finally {
            leftShared();
        }
    }

    // ---- How many distinct keys? ------------------------------------------------------------

    /**
     * How many distinct keys were added, with bounds of 95 %.
     *
     * @return their number
     * @throws InkException UNSUPPORTED if the kind does not know
     */
    public Answer distinct() {
        return distinct(0.95);
    }

    /**
     * The same with bounds of another confidence.
     *
     * @param confidence between 0 and 1
     * @return their number
     * @throws InkException UNSUPPORTED if the kind does not know; USAGE
     */
    public Answer distinct(double confidence) {
        long handle = asking();
        try {
            return Answer.of(Native.distinct(handle, confidence), 0);
        } finally {
            leftShared();
        }
    }

    /**
     * What two sets have in common: theta, hll.
     *
     * @param other a sketch of the same kind
     * @return numbers with bounds of 95 %
     * @throws InkException UNSUPPORTED, MISMATCH
     */
    public Overlap overlap(Sketch other) {
        return with(other, (handle, there) -> {
            double[] answers = new double[Native.OVERLAPS * Answer.NUMBERS];
            return Overlap.of(answers, Native.overlap(handle, there, 0.95, answers));
        });
    }

    // ---- Two sketches -----------------------------------------------------------------------

    /**
     * Adds all keys of another sketch.
     *
     * @param from the other, which stays as it is
     * @return this
     * @throws InkException MISMATCH, naming both; PROMISE if the result would be above the promised rates
     */
    public Sketch merge(Sketch from) {
        return merge(from, 0);
    }

    /**
     * The same, with a rate of wrong yeses that is allowed.
     *
     * @param from the other, which stays as it is
     * @param maxRate the rate that the result may have; 0: the larger of the two promises
     * @return this
     * @throws InkException MISMATCH, naming both; PROMISE
     */
    public Sketch merge(Sketch from, double maxRate) {
        return take("merge", from, (handle, there) -> Native.merge(handle, there, maxRate, false));
    }

    /**
     * Adds all keys of a part: a sketch of one set with this one, planned as a whole, as of {@link #like}. The rate is not
     * looked at.
     *
     * @param part the other, which stays as it is
     * @return this
     * @throws InkException MISMATCH, naming both
     */
    public Sketch mergePart(Sketch part) {
        return take("mergePart", part, (handle, there) -> Native.merge(handle, there, 0, true));
    }

    /**
     * Keeps only what the other may hold, too: bloom, classic, theta.
     *
     * @param with the other, which stays as it is
     * @return this
     * @throws InkException MISMATCH, UNSUPPORTED
     */
    public Sketch intersect(Sketch with) {
        return take("intersect", with, Native::intersect);
    }

    /**
     * Takes the keys of another out: theta.
     *
     * @param keys the other, which stays as it is
     * @return this
     * @throws InkException MISMATCH, UNSUPPORTED
     */
    public Sketch subtract(Sketch keys) {
        return take("subtract", keys, Native::subtract);
    }

    /**
     * Shrinks a filter to a part of its size: exactly the filter that would have been built at that size.
     *
     * @param divisor what the size is divided by
     * @return this
     * @throws InkException USAGE, UNSUPPORTED; PROMISE if the rate would be above what is promised
     */
    public Sketch fold(long divisor) {
        return change(handle -> Native.fold(handle, divisor));
    }

    /**
     * Shrinks a filter to the smallest size that has this rate.
     *
     * @param rate the rate; 0: what the filter was made for
     * @return this
     * @throws InkException USAGE, UNSUPPORTED; PROMISE if the rate is above it already
     */
    public Sketch foldToRate(double rate) {
        return change(handle -> Native.foldToRate(handle, rate));
    }

    // ---- Copies -----------------------------------------------------------------------------

    /**
     * A copy that can be changed and depends on nothing, also of a view of a file.
     *
     * @return another sketch
     */
    public Sketch copy() {
        return another(Native::copy);
    }

    /**
     * An empty sketch of the same plan, as for a thread that adds to one of its own, to be merged by {@link #mergePart}.
     *
     * @return another sketch
     * @throws InkException UNSUPPORTED if the order of keys is part of the content
     */
    public Sketch like() {
        return another(Native::like);
    }

    /**
     * A sketch of another kind from what this one holds: of a counting the bloom of its keys.
     *
     * @param kind the other kind
     * @return another sketch
     * @throws InkException UNSUPPORTED
     */
    public Sketch convert(String kind) {
        return another(handle -> Native.convert(handle, kind));
    }

    /**
     * Makes the sketch concurrent: from now on any number of threads add and query at once. It stays so.
     *
     * @return this
     * @throws InkException UNSUPPORTED if the kind is not bloom, classic, count-min or hll; READ_ONLY
     */
    public Sketch share() {
        return change(handle -> {
            if (decidedKeyType() == null) {
                expect(KeyType.BYTES);
            }
            Native.share(handle);
            expectManyThreads();
            settle();
        });
    }

    /**
     * Gives a keyed sketch that came from bytes or a file its secret back.
     *
     * @param secret 16 bytes
     * @return this
     * @throws InkException MISMATCH if it is another secret, or if the sketch is not keyed
     */
    public Sketch unlock(byte[] secret) {
        SketchBuilder.checkedSecret(secret);
        return change(handle -> Native.unlock(handle, secret));
    }

    // ---- What it is -------------------------------------------------------------------------

    /**
     * What the sketch is.
     *
     * @return its parameters, sizes and promises
     */
    public Description describe() {
        long handle = asking();
        try {
            return Description.of(Native.describe(handle));
        } finally {
            leftShared();
        }
    }

    /**
     * The kind of the sketch.
     *
     * @return such as "bloom"
     */
    public String kind() {
        return describe().kind();
    }

    /**
     * What its keys are.
     *
     * @return bytes or ints; null as long as no key has decided it
     */
    public KeyType keyType() {
        return decidedKeyType();
    }

    /**
     * How many keys were added so far, repeated ones included.
     *
     * @return their number
     */
    public long records() {
        return describe().records();
    }

    /**
     * What {@code ink info --json} prints of the sketch.
     *
     * @return an object of JSON
     */
    public String json() {
        return new String(bytesOf(Native::json), java.nio.charset.StandardCharsets.UTF_8);
    }

    /**
     * The digest of its content: equal content, equal digest, whatever built it.
     *
     * @return 32 hexadecimal digits
     */
    public String digest() {
        return Text.hex(bytesOf(Native::digest));
    }

    /**
     * The sketch as an .ink file in memory. Equal content, equal bytes.
     *
     * @return bytes for {@link #fromBytes(byte[])}, a file, or a column
     * @throws OutOfMemoryError if they are more than an array can have; {@link #save} has no such limit
     */
    public byte[] toBytes() {
        return bytesOf(Native::encode);
    }

    /**
     * Saves the sketch as a file, whole or not at all.
     *
     * @param path the file, which is replaced if it exists
     * @throws InkException IO
     */
    public void save(Path path) {
        long handle = asking();
        try {
            Native.save(handle, Text.path(path));
        } catch (InkException error) {
            throw error.about(path);
        } finally {
            leftShared();
        }
    }

    /** In a word, for logs. */
    @Override
    public String toString() {
        Description about = describe();
        return "Sketch[" + about.kind() + ", " + about.records() + " records]";
    }

    // ---- How calls are made -----------------------------------------------------------------

    private interface Call {
        void call(long handle);
    }

    private interface Making {
        long make(long handle);
    }

    private interface Encoding {
        byte[] of(long handle);
    }

    private interface Asking {
        boolean of(long handle);
    }

    private interface Pair<R> {
        R of(long handle, long other);
    }

    private interface PairCall {
        void call(long handle, long other);
    }

    private void ask(Call question) {
        long handle = asking();
        try {
            question.call(handle);
        } finally {
            leftShared();
        }
    }

    private Sketch another(Making copy) {
        long handle = asking();
        try {
            long made = copy.make(handle);
            return new Sketch(
                    made, () -> {}, Description.of(Native.describe(made)), decidedKeyType() == null ? builder : null);
        } finally {
            leftShared();
        }
    }

    private byte[] bytesOf(Encoding encoding) {
        long handle = asking();
        try {
            return encoding.of(handle);
        } finally {
            leftShared();
        }
    }

    private Sketch change(Call call) {
        long handle = changing();
        try {
            call.call(handle);
            account(Native.memory(handle));
        } finally {
            leftFirst();
        }
        return this;
    }

    private boolean changeOne(KeyType type, Asking call) {
        changing();
        try {
            expect(type);
            boolean answer = call.of(handle());
            settle();
            account(Native.memory(handle()));
            return answer;
        } finally {
            leftFirst();
        }
    }

    private <R> R with(Sketch other, Pair<R> question) {
        long handle = asking();
        try {
            long there = other.asking();
            try {
                return question.of(handle, there);
            } finally {
                other.leftShared();
            }
        } finally {
            leftShared();
        }
    }

    /** Changes this sketch by another one, whose type of keys it takes if it has none. */
    private Sketch take(String call, Sketch other, PairCall change) {
        if (other == this) {
            throw new InkException(Status.USAGE, call + ": found the sketch itself, expected another one");
        }
        long there = other.asking();
        try {
            changing();
            try {
                if (decidedKeyType() == null && other.decidedKeyType() != null) {
                    expect(other.decidedKeyType());
                }
                callWith(change, other, there);
                settle();
                account(Native.memory(handle()));
            } finally {
                leftFirst();
            }
        } finally {
            other.leftShared();
        }
        return this;
    }

    /** One that no key has decided the type of is empty, and any type is right. */
    private void callWith(PairCall change, Sketch other, long there) {
        if (other.decidedKeyType() != null || decidedKeyType() != KeyType.INT) {
            change.call(handle(), there);
            return;
        }
        long empty = other.remade(KeyType.INT);
        try {
            change.call(handle(), empty);
        } finally {
            Native.free(empty);
        }
    }

    /** A call about many integers. A sketch of no keys answers of all as of any. */
    private void longs(
            int call, long handle, long[] keys, int from, int count, boolean[] flags, double[] answers) {
        int part = call == Native.COUNT ? Native.COUNTS : PART;
        for (int at = 0; at < count; at += part) {
            int some = Math.min(part, count - at);
            if (decidedKeyType() == null) {
                Native.bytes(call, handle, EMPTY, new long[some + 1], 0, some, null, flags, answers, at);
            } else {
                Native.longs(call, handle, keys, from + at, some, null, flags, answers, at);
            }
        }
    }

    private void bytes(
            int call, long handle, byte[] data, long[] offsets, boolean[] flags, double[] answers) {
        int part = call == Native.COUNT ? Native.COUNTS : PART;
        int count = offsets.length - 1;
        for (int at = 0; at < count; at += part) {
            Native.bytes(
                    call, handle, data, offsets, at, Math.min(part, count - at), null, flags, answers, at);
        }
    }

    private void texts(
            int call, long handle, Collection<String> keys, boolean[] flags, double[] answers) {
        KeyBuffer buffer = new KeyBuffer();
        int at = 0;
        for (String key : keys) {
            byte[] bytes = Text.utf8(key);
            buffer.put(bytes, 0, bytes.length, 1);
            if (buffer.isFull()) {
                buffer.send(call, handle, KeyType.BYTES, flags, answers, at);
                at += buffer.count();
                buffer.clear();
            }
        }
        if (buffer.count() > 0) {
            buffer.send(call, handle, KeyType.BYTES, flags, answers, at);
        }
    }

    private boolean flag(int call, long handle, long key) {
        boolean[] flags = {false};
        longs(call, handle, new long[] {key}, 0, 1, flags, null);
        return flags[0];
    }

    private boolean flag(int call, long handle, byte[] key) {
        boolean[] flags = {false};
        bytes(call, handle, key, new long[] {0, key.length}, flags, null);
        return flags[0];
    }
}
