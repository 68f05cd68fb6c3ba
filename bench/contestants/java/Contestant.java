// The contestant in Java: Guava's BloomFilter, called as its documentation has it; its threads share one, which
// has no lock. A number goes in by the funnel of longs; a string by a funnel of bytes that copies nothing.
// bench/README.md has the protocol.

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Answers the questions of bench/run.py. */
public final class Contestant {
    private static final int ADDED = 0, MISSING = 1, SERIES = 2, WIDTH = 16;
    private static final int WORK = 1_000_000; // keys that the clock runs for, at least
    private static final int MOST = 100_000_000; // an array of bytes holds no more strings
    private static final double RATE = 0.01;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final long[][] ints = new long[SERIES][];
    private final byte[][] texts = new byte[SERIES][];
    private String form = "";
    private int count;
    private int threads = 1;
    private long sum;

    private static long mix(long x) {
        x *= 0x9e3779b97f4a7c15L;
        x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
        x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
        return x ^ x >>> 31;
    }

    private static long keyAt(int series, int i) {
        return mix(((long) series << 40) + i + 1);
    }

    private void giveKeys(String wanted, int keys) {
        if (form.equals(wanted) && count == keys) {
            return;
        }
        form = wanted;
        count = keys;
        sum = 0;
        for (int series = 0; series < SERIES; series++) {
            ints[series] = null;
            texts[series] = null;
        }
        for (int series = 0; series < SERIES; series++) {
            if (form.equals("u64")) {
                makeInts(series);
            } else {
                makeTexts(series);
            }
        }
    }

    private void makeInts(int series) {
        long[] made = new long[count];
        for (int i = 0; i < count; i++) {
            made[i] = keyAt(series, i);
            sum += made[i];
        }
        ints[series] = made;
    }

    private void makeTexts(int series) {
        byte[] made = new byte[Math.multiplyExact(WIDTH, count)];
        for (int i = 0; i < count; i++) {
            long key = keyAt(series, i);
            for (int j = 0; j < WIDTH; j++) {
                made[WIDTH * i + j] = DIGITS[(int) (key >>> 60 - 4 * j) & 15];
            }
        }
        for (int at = 0; at < made.length; at += 8) {
            sum += (long) WORD.get(made, at);
        }
        texts[series] = made;
    }

    /** What is done with the keys from one number up to another. */
    private interface Work {
        int some(int from, int until);
    }

    /** Gives each thread its share of the keys; the sum of what they return. */
    private int shareOut(Work work) {
        int[] found = new int[threads];
        Thread[] others = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            int from = (int) ((long) count * i / threads);
            int until = (int) ((long) count * (i + 1) / threads);
            others[i] = new Thread(() -> found[number] = work.some(from, until));
            if (i > 0) {
                others[i].start();
            }
        }
        others[0].run();
        int sum = found[0];
        for (int i = 1; i < threads; i++) {
            try {
                others[i].join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            sum += found[i];
        }
        return sum;
    }

    private void addInts(BloomFilter<Long> filter) {
        shareOut((from, until) -> {
            for (int i = from; i < until; i++) {
                filter.put(ints[ADDED][i]);
            }
            return 0;
        });
    }

    private int askInts(BloomFilter<Long> filter, int series) {
        return shareOut((from, until) -> {
            int found = 0;
            for (int i = from; i < until; i++) {
                found += filter.mightContain(ints[series][i]) ? 1 : 0;
            }
            return found;
        });
    }

    /** A filter belongs to a funnel, which belongs to an array: the series change places in one. */
    private final class Texts {
        private byte[] current;
        private final BloomFilter<Integer> filter =
            BloomFilter.create((at, into) -> into.putBytes(current, at, WIDTH), count, RATE);

        void add() {
            current = texts[ADDED];
            shareOut((from, until) -> {
                for (int at = WIDTH * from; at < WIDTH * until; at += WIDTH) {
                    filter.put(at);
                }
                return 0;
            });
        }

        int ask(int series) {
            current = texts[series];
            return shareOut((from, until) -> {
                int found = 0;
                for (int at = WIDTH * from; at < WIDTH * until; at += WIDTH) {
                    found += filter.mightContain(at) ? 1 : 0;
                }
                return found;
            });
        }
    }

    private String measureInts(int times) {
        double adding = 0;
        BloomFilter<Long> filter = null;
        for (int i = 0; i < times; i++) {
            filter = BloomFilter.create(Funnels.longFunnel(), count, RATE);
            long start = System.nanoTime();
            addInts(filter);
            adding += System.nanoTime() - start;
        }
        int[] found = new int[SERIES];
        double[] asking = new double[SERIES];
        for (int series = 0; series < SERIES; series++) {
            long start = System.nanoTime();
            for (int i = 0; i < times; i++) {
                found[series] = askInts(filter, series);
            }
            asking[series] = System.nanoTime() - start;
        }
        return report(times, adding, asking, found);
    }

    private String measureTexts(int times) {
        double adding = 0;
        Texts filter = null;
        for (int i = 0; i < times; i++) {
            filter = new Texts();
            long start = System.nanoTime();
            filter.add();
            adding += System.nanoTime() - start;
        }
        int[] found = new int[SERIES];
        double[] asking = new double[SERIES];
        for (int series = 0; series < SERIES; series++) {
            long start = System.nanoTime();
            for (int i = 0; i < times; i++) {
                found[series] = filter.ask(series);
            }
            asking[series] = System.nanoTime() - start;
        }
        return report(times, adding, asking, found);
    }

    private String report(int times, double adding, double[] asking, int[] found) {
        double each = 1.0 / times / count;
        return String.format(Locale.ROOT, "add=%.4f hit=%.4f found=%d miss=%.4f wrong=%d sum=%s", each * adding,
            each * asking[ADDED], found[ADDED], each * asking[MISSING], found[MISSING], Long.toUnsignedString(sum));
    }

    private String answer(String line) {
        String[] words = line.trim().split(" ");
        if (words.length != 5 || !words[0].equals("guava") || !words[1].equals("filter")) {
            return "no such way";
        }
        giveKeys(words[2], Integer.parseInt(words[3]));
        threads = Integer.parseInt(words[4]);
        int times = count < WORK ? WORK / count : 1;
        return form.equals("u64") ? measureInts(times) : measureTexts(times);
    }

    public static void main(String[] args) throws IOException {
        Contestant contestant = new Contestant();
        System.out.println("offers\tguava\tfilter\tu64,str16\t" + MOST + "\t1,2\tBloomFilter.create, put, mightContain");
        System.out.println("ready");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(contestant.answer(line));
            System.out.flush();
        }
    }
}
