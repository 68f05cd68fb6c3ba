package inkling;

/** What the keys of a sketch are; the order is that of {@code ink_key_type} in inkling.h. */
public enum KeyType {
    /** Bytes; a String is its UTF-8. */
    BYTES,
    /** 64-bit integers. */
    INT
}
