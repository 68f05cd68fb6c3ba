// Keys one by one and in batches, in Java: our sketches beside Guava's filter of the same size and rate, in ns per key.
//
// The least of the rounds counts; both run by turns in one JVM. Prints a row for each number of keys and operation:
// keys, operation, Guava, ours.
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import inkling.KeyType;
import inkling.Sketch;
import java.util.function.LongPredicate;

public final class SingleKeys {
    private static final double RATE = 0.01;
    private static final int ROUNDS = 5;
    private static final int BATCH = 4096;
    private static final long STEP = 0x9E3779B97F4A7C15L;
    /** Questions are repeated until a round is long enough to be timed. */
    private static final int LEAST_KEYS = 2_000_000;

    private static long answers;

    private SingleKeys() {}

    /** Nanoseconds per key of a call for each of the keys. */
    private static double time(int keys, LongPredicate call) {
        int times = Math.max(1, LEAST_KEYS / keys);
        long start = System.nanoTime();
        for (int repeat = 0; repeat < times; repeat++) {
            for (int i = 0; i < keys; i++) {
                answers += call.test(i * STEP) ? 1 : 0;
            }
        }
        return (System.nanoTime() - start) / (double) keys / times;
    }

    private static double timeBatches(int keys, Sketch sketch) {
        long[] batch = new long[BATCH];
        long start = System.nanoTime();
        for (int from = 0; from < keys; from += BATCH) {
            for (int i = 0; i < BATCH; i++) {
                batch[i] = (from + i) * STEP;
            }
            sketch.addAll(batch);
        }
        return (System.nanoTime() - start) / (double) keys;
    }

    private static void compare(int keys) {
        double[] guava = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        double[] ours = guava.clone();
        for (int round = 0; round < ROUNDS; round++) {
            BloomFilter<Long> filter = BloomFilter.create(Funnels.longFunnel(), keys, RATE);
            double put = time(keys, filter::put);
            guava[0] = Math.min(guava[0], put);
            guava[1] = Math.min(guava[1], time(keys, filter::mightContain));
            guava[2] = guava[0];
            try (Sketch sketch = Sketch.builder("bloom").expectedKeys(keys).falsePositiveRate(RATE).keyType(KeyType.INT).create();
                    Sketch batches = sketch.like()) {
                ours[0] = Math.min(ours[0], time(keys, key -> sketch.add(key) == null));
                ours[1] = Math.min(ours[1], time(keys, sketch::contains));
                ours[2] = Math.min(ours[2], timeBatches(Math.max(keys, LEAST_KEYS), batches));
            }
        }
        String[] names = {"put / add", "mightContain / contains", "put / addAll of 4,096"};
        for (int i = 0; i < names.length; i++) {
            System.out.printf("%d\t%s\t%.1f\t%.1f%n", keys, names[i], guava[i], ours[i]);
        }
    }

    public static void main(String[] arguments) {
        for (int keys : new int[] {10_000, 1_000_000, 10_000_000}) {
            compare(keys);
        }
        if (answers == 0) {
            throw new AssertionError("no key was found");
        }
    }
}
