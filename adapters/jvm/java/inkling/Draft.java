package inkling;

/**
 * The distinct keys of a filter whose number is not known before: bloom, classic, counting, fuse. Drafts of parts of the data
 * merge, also as bytes from other processes, and finish as the filter of all of it, with the bytes of {@code ink build}.
 *
 * <pre>{@code
 * try (Draft draft = Draft.of("fuse", 0.01)) {
 *     draft.add("bee").add("cat");
 *     draft.finish().save(Path.of("seen.ink"));
 * }
 * }</pre>
 *
 * Threads: as for {@link Sketch}.
 */
public final class Draft extends KeyTarget<Draft> {
    private final SketchBuilder builder;
    private final long limitBytes;

    Draft(SketchBuilder builder, long limitBytes) {
        super(
                builder.makeDraft(KeyType.BYTES, limitBytes), Native::draftFree, () -> {}, builder.keyType(),
                Native.DRAFT_ADD);
        this.builder = builder;
        this.limitBytes = limitBytes;
        account(Native.draftMemory(handle()));
    }

    private Draft(long handle, KeyType keyType, long limitBytes) {
        super(handle, Native::draftFree, () -> {}, keyType, Native.DRAFT_ADD);
        this.builder = null;
        this.limitBytes = limitBytes;
        account(Native.draftMemory(handle));
    }

    /**
     * Makes a draft with bytes keys or ints, which the first one decides.
     *
     * @param kind the kind of the filter, such as "fuse"
     * @param rate its rate of wrong yeses
     * @return an empty draft; {@link Sketch#builder} has more parameters
     * @throws InkException USAGE, UNSUPPORTED
     */
    public static Draft of(String kind, double rate) {
        return Sketch.builder(kind).falsePositiveRate(rate).draft();
    }

    /**
     * Makes a draft of what {@link #toBytes} gave.
     *
     * @param data the bytes, each of which is checked
     * @param keyType what its keys are
     * @return a draft that takes more keys, unless it is of keyed ones
     * @throws InkException FORMAT, naming the byte; MISMATCH once its keys prove to be of another type
     */
    public static Draft fromBytes(byte[] data, KeyType keyType) {
        return new Draft(Native.draftDecode(data, 0), java.util.Objects.requireNonNull(keyType, "keyType"), 0);
    }

    @Override
    long remade(KeyType type) {
        return builder.makeDraft(type, limitBytes);
    }

    @Override
    long memoryOf(long handle) {
        return Native.draftMemory(handle);
    }

    @Override
    Draft self() {
        return this;
    }

    /**
     * How many distinct keys there are so far.
     *
     * @return their number
     */
    public long keys() {
        long handle = asking();
        try {
            return Native.draftKeys(handle);
        } finally {
            leftShared();
        }
    }

    /**
     * Adds all keys of another draft, of equal kind, keys and rate.
     *
     * @param from the other, which stays as it is
     * @return this
     * @throws InkException MISMATCH, LIMIT
     */
    public Draft merge(Draft from) {
        if (from == this) {
            throw new InkException(Status.USAGE, "merge: found the draft itself, expected another one");
        }
        long other = from.asking();
        try {
            changing();
            try {
                if (from.decidedKeyType() != null) {
                    expect(from.decidedKeyType());
                    Native.draftMerge(handle(), other);
                    settle();
                    account(Native.draftMemory(handle()));
                }
            } finally {
                leftFirst();
            }
        } finally {
            from.leftShared();
        }
        return this;
    }

    /**
     * Makes the filter of all keys, sized by their number.
     *
     * @return a sketch; the draft stays as it is
     * @throws InkException as {@link SketchBuilder#create}
     */
    public Sketch finish() {
        return finish(1);
    }

    /**
     * The same with room for more keys.
     *
     * @param headroom how many times the number of keys, 1 to 1e6
     * @return a sketch; the draft stays as it is
     * @throws InkException as {@link SketchBuilder#create}
     */
    public Sketch finish(double headroom) {
        long handle = asking();
        try {
            return new Sketch(Native.draftFinish(handle, headroom), () -> {});
        } finally {
            leftShared();
        }
    }

    /**
     * The draft as bytes, to be sent to where drafts are merged. They are no .ink file.
     *
     * @return bytes for {@link #fromBytes}
     */
    public byte[] toBytes() {
        long handle = asking();
        try {
            return Native.draftEncode(handle);
        } finally {
            leftShared();
        }
    }
}
