package inkling;

/**
 * What a sketch is, or would be. A component that does not apply to the kind is 0.
 *
 * @param kind the kind, such as "bloom"
 * @param hash the hash of its keys
 * @param keyType what its keys are
 * @param keyed whether keys are hashed with a secret
 * @param records adds so far, repeated keys included, less removals
 * @param expectedKeys distinct keys that it was planned for
 * @param bits the size of a filter
 * @param hashes bits that a key sets
 * @param width counters of a row, or sub-sketches of a group
 * @param depth rows, or groups
 * @param total the sum of all weights, where they are counted
 * @param capacity of a top: no key above 1 / capacity of the total is missed
 * @param precision of an hll or theta
 * @param bytes of its payload in a file, as it is now
 * @param readOnly whether it is a view of a file
 * @param concurrent whether several threads may add at once
 * @param orderFree whether the bytes are the same for any order of keys
 * @param epsilon of a count-min: e / width
 * @param delta of a count-min: e^-depth
 * @param standardError of the answer of an fm or hll, relative
 * @param targetRate the false-positive rate that was asked for
 * @param promisedRate the false-positive rate that the size promises
 * @param phi of a top: the share of the total above which no key is missed
 */
public record Description(
        String kind,
        String hash,
        KeyType keyType,
        boolean keyed,
        long records,
        long expectedKeys,
        long bits,
        int hashes,
        long width,
        int depth,
        long total,
        long capacity,
        int precision,
        long bytes,
        boolean readOnly,
        boolean concurrent,
        boolean orderFree,
        double epsilon,
        double delta,
        double standardError,
        double targetRate,
        double promisedRate,
        double phi) {
    /** From the arrays that native/inkling_jni.c makes, in its order. */
    static Description of(Object[] parts) {
        long[] n = (long[]) parts[2];
        double[] r = (double[]) parts[3];
        return new Description(
                (String) parts[0],
                (String) parts[1],
                KeyType.values()[(int) n[0]],
                n[1] != 0,
                n[2],
                n[3],
                n[4],
                (int) n[5],
                n[6],
                (int) n[7],
                n[8],
                n[9],
                (int) n[10],
                n[11],
                n[12] != 0,
                n[13] != 0,
                n[14] != 0,
                r[0],
                r[1],
                r[2],
                r[3],
                r[4],
                r[5]);
    }
}
