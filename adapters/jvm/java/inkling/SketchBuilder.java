package inkling;

/**
 * The parameters of a sketch; what is not set takes its default, and what the kind does not have is refused. Not for several
 * threads.
 */
public final class SketchBuilder {
    private static final int SECRET_BYTES = 16;

    private final String kind;
    private long expectedKeys;
    private long bits;
    private long hashes;
    private long width;
    private long depth;
    private long counterBits;
    private boolean conservative;
    private long topKeys;
    private long precision;
    private KeyType keyType;
    private long seed;
    private boolean hasSeed;
    private boolean concurrent;
    private double falsePositiveRate;
    private double ratio;
    private double epsilon;
    private double delta;
    private double phi;
    private double maxRate;
    private String hash;
    private byte[] secret;

    SketchBuilder(String kind) {
        this.kind = java.util.Objects.requireNonNull(kind, "kind");
    }

    private SketchBuilder(SketchBuilder from) {
        kind = from.kind;
        expectedKeys = from.expectedKeys;
        bits = from.bits;
        hashes = from.hashes;
        width = from.width;
        depth = from.depth;
        counterBits = from.counterBits;
        conservative = from.conservative;
        topKeys = from.topKeys;
        precision = from.precision;
        keyType = from.keyType;
        seed = from.seed;
        hasSeed = from.hasSeed;
        concurrent = from.concurrent;
        falsePositiveRate = from.falsePositiveRate;
        ratio = from.ratio;
        epsilon = from.epsilon;
        delta = from.delta;
        phi = from.phi;
        maxRate = from.maxRate;
        hash = from.hash;
        secret = from.secret;
    }

    /**
     * Filters: how many distinct keys are expected; of a scalable, in its first level.
     *
     * @param keys their number
     * @return this builder
     */
    public SketchBuilder expectedKeys(long keys) {
        expectedKeys = notNegative("expectedKeys", keys, Long.MAX_VALUE);
        return this;
    }

    /**
     * Filters: the rate of wrong yeses.
     *
     * @param rate the rate, 0.01 by default
     * @return this builder
     */
    public SketchBuilder falsePositiveRate(double rate) {
        falsePositiveRate = rate;
        return this;
    }

    /**
     * Filters: the size by hand.
     *
     * @param count the number of bits
     * @return this builder
     */
    public SketchBuilder bits(long count) {
        bits = notNegative("bits", count, Long.MAX_VALUE);
        return this;
    }

    /**
     * classic: how many bits a key sets.
     *
     * @param count their number
     * @return this builder
     */
    public SketchBuilder hashes(int count) {
        hashes = notNegative("hashes", count, Integer.MAX_VALUE);
        return this;
    }

    /**
     * scalable: level i has the rate p (1 - ratio) ratio^i.
     *
     * @param share 0.1 to 0.9, by default 0.5
     * @return this builder
     */
    public SketchBuilder ratio(double share) {
        ratio = share;
        return this;
    }

    /**
     * count-min: a count is at most epsilon x total too high.
     *
     * @param share by default 1e-4
     * @return this builder
     */
    public SketchBuilder epsilon(double share) {
        epsilon = share;
        return this;
    }

    /**
     * count-min: the chance that a count is higher than that.
     *
     * @param chance by default 0.01
     * @return this builder
     */
    public SketchBuilder delta(double chance) {
        delta = chance;
        return this;
    }

    /**
     * count-min: counters of a row; fm: sub-sketches of a group.
     *
     * @param count their number
     * @return this builder
     */
    public SketchBuilder width(long count) {
        width = notNegative("width", count, Long.MAX_VALUE);
        return this;
    }

    /**
     * count-min: rows; fm: groups.
     *
     * @param count their number
     * @return this builder
     */
    public SketchBuilder depth(int count) {
        depth = notNegative("depth", count, Integer.MAX_VALUE);
        return this;
    }

    /**
     * count-min: the size of a counter.
     *
     * @param count 32, the default, or 64
     * @return this builder
     */
    public SketchBuilder counterBits(int count) {
        counterBits = notNegative("counterBits", count, Integer.MAX_VALUE);
        return this;
    }

    /**
     * count-min: raises only the counters that must rise.
     *
     * @return this builder
     */
    public SketchBuilder conservative() {
        conservative = true;
        return this;
    }

    /**
     * top: how many keys will be asked for.
     *
     * @param count their number, by default 10
     * @return this builder
     */
    public SketchBuilder topKeys(int count) {
        topKeys = notNegative("topKeys", count, Integer.MAX_VALUE);
        return this;
    }

    /**
     * top: the share of the total above which no key is missed.
     *
     * @param share between 0 and 1
     * @return this builder
     */
    public SketchBuilder phi(double share) {
        phi = share;
        return this;
    }

    /**
     * hll: 2^precision registers, 4 to 18; theta: at most 2^precision values, 4 to 26.
     *
     * @param exponent by default 14, of theta 12
     * @return this builder
     */
    public SketchBuilder precision(int exponent) {
        precision = notNegative("precision", exponent, Integer.MAX_VALUE);
        return this;
    }

    /**
     * What the keys are. Without this the first key that is added decides; of a concurrent sketch they are bytes.
     *
     * @param type bytes or ints
     * @return this builder
     */
    public SketchBuilder keyType(KeyType type) {
        keyType = type;
        return this;
    }

    /**
     * The hash of keys.
     *
     * @param name such as "xxh3"
     * @return this builder
     */
    public SketchBuilder hash(String name) {
        hash = name;
        return this;
    }

    /**
     * The seed of the hash.
     *
     * @param number any number; 0 is one, too
     * @return this builder
     */
    public SketchBuilder seed(long number) {
        seed = number;
        hasSeed = true;
        return this;
    }

    /**
     * Hashes keys with a secret, for keys that an adversary may choose. It is never written into a file.
     *
     * @param bytes 16 bytes
     * @return this builder
     */
    public SketchBuilder secret(byte[] bytes) {
        secret = checkedSecret(bytes).clone();
        return this;
    }

    /**
     * Filters: promises this rate where it is more than the size promises, for a filter that may get more keys than planned.
     *
     * @param rate the rate
     * @return this builder
     */
    public SketchBuilder maxRate(double rate) {
        maxRate = rate;
        return this;
    }

    /**
     * Lets any number of threads add and query at once: bloom, classic, count-min, hll. Each key is then a call of its own.
     *
     * @return this builder
     */
    public SketchBuilder concurrent() {
        concurrent = true;
        return this;
    }

    /**
     * Makes the sketch.
     *
     * @return an empty sketch
     * @throws InkException USAGE, naming the parameter that is wrong and its range; MEMORY
     */
    public Sketch create() {
        return new Sketch(new SketchBuilder(this));
    }

    /**
     * Describes the sketch that {@link #create} would make, and takes no memory for it.
     *
     * @return its size and its promises
     * @throws InkException USAGE, naming the parameter that is wrong and its range
     */
    public Description plan() {
        return Description.of(Native.plan(kind, numbers(KeyType.BYTES), reals(), hash, secret));
    }

    /**
     * Makes a draft: keys first, and a filter that is sized by them later.
     *
     * @return an empty draft
     * @throws InkException UNSUPPORTED if the kind needs no number of keys; USAGE as {@link #create}
     */
    public Draft draft() {
        return draft(0);
    }

    /**
     * The same with a limit of memory.
     *
     * @param limitBytes the most that the draft may take; 0: any number
     * @return an empty draft
     * @throws InkException UNSUPPORTED if the kind needs no number of keys; USAGE as {@link #create}
     */
    public Draft draft(long limitBytes) {
        return new Draft(new SketchBuilder(this), limitBytes);
    }

    String kind() {
        return kind;
    }

    KeyType keyType() {
        return concurrent && keyType == null ? KeyType.BYTES : keyType;
    }

    boolean isConcurrent() {
        return concurrent;
    }

    long make(KeyType type) {
        return Native.create(kind, numbers(type), reals(), hash, secret);
    }

    long makeDraft(KeyType type, long limitBytes) {
        return Native.draftCreate(kind, numbers(type), reals(), hash, secret, limitBytes);
    }

    /** Numbers and reals in the order of read_parameters in native/inkling_jni.c. */
    private long[] numbers(KeyType otherwise) {
        KeyType type = keyType == null ? otherwise : keyType;
        return new long[] {
            expectedKeys, bits, hashes, width, depth, counterBits, conservative ? 1 : 0, topKeys, precision,
            type.ordinal(), seed, hasSeed ? 1 : 0, concurrent ? 1 : 0,
        };
    }

    private double[] reals() {
        return new double[] {falsePositiveRate, ratio, epsilon, delta, phi, maxRate};
    }

    static byte[] checkedSecret(byte[] bytes) {
        if (bytes.length != SECRET_BYTES) {
            throw new InkException(
                    Status.USAGE, "secret: found " + bytes.length + " bytes, expected " + SECRET_BYTES);
        }
        return bytes;
    }

    private static long notNegative(String name, long number, long most) {
        if (number < 0 || number > most) {
            throw new InkException(Status.USAGE, name + ": found " + number + ", expected no negative number");
        }
        return number;
    }
}
