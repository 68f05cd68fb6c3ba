package inkling;

/** Why a call failed, in the words of the library; the order is that of {@code ink_status} in inkling.h. */
public enum Status {
    /** No failure; no exception has it. */
    OK,
    /** A parameter is out of range, or parameters do not go together. */
    USAGE,
    /** This kind of sketch cannot do this. */
    UNSUPPORTED,
    /** The sketch is a view of a mapped file. */
    READ_ONLY,
    /** The bytes are not a whole, valid .ink file. */
    FORMAT,
    /** Two sketches, or a sketch and a key or a secret, do not fit together. */
    MISMATCH,
    /** There is no such file entry, slot, or key to remove. */
    NOT_FOUND,
    /** The result would break the promised false-positive rate. */
    PROMISE,
    /** The operating system refused. */
    IO,
    /** There is no memory. */
    MEMORY,
    /** Larger than the format or this machine can hold. */
    LIMIT,
    /** The caller asked for it. */
    STOPPED
}
