// Sketches of Spark, Guava and Hadoop, made, read, asked and written as systems_java.py asks over standard input.
//
// A request is a line of words (SYSTEM FORM A B C, a UTF string of DataInput), the bytes of a sketch (none: it is made by
// the numbers A, B and C), keys to add, and keys to ask for. The answer is 0 and a message, or 1, the bytes of the
// sketch, and one long for each key that was asked for. Arrays begin with an int, their length.

import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.hadoop.util.bloom.CountingBloomFilter;
import org.apache.hadoop.util.bloom.Filter;
import org.apache.hadoop.util.bloom.Key;
import org.apache.spark.util.sketch.BloomFilter;
import org.apache.spark.util.sketch.CountMinSketch;

/** Answers until standard input ends. */
public final class Interop {
    /** A sketch of any of the classes; keys are as its class takes them. */
    private interface Writing {
        void to(OutputStream out) throws IOException;
    }

    private record Sketch(Consumer<Object> adding, ToLongFunction<Object> asking, Writing writing) {
        void add(Object key) {
            adding.accept(key);
        }

        long ask(Object key) {
            return asking.applyAsLong(key);
        }

        void write(OutputStream to) throws IOException {
            writing.to(to);
        }
    }

    private static Sketch of(BloomFilter filter) {
        return new Sketch(filter::put, key -> filter.mightContain(key) ? 1 : 0, filter::writeTo);
    }

    private static Sketch of(CountMinSketch counts) {
        return new Sketch(counts::add, counts::estimateCount, counts::writeTo);
    }

    private static Sketch of(com.google.common.hash.BloomFilter<Object> filter) {
        return new Sketch(filter::put, key -> filter.mightContain(key) ? 1 : 0, filter::writeTo);
    }

    private static Sketch of(Filter filter) {
        return new Sketch(key -> filter.add(new Key((byte[]) key)), key -> filter.membershipTest(new Key((byte[]) key)) ? 1 : 0,
            out -> filter.write(new DataOutputStream(out)));
    }

    @SuppressWarnings("unchecked")
    private static Funnel<Object> funnel(String form) {
        return (Funnel<Object>) (Funnel<?>) switch (form) {
            case "utf8" -> Funnels.stringFunnel(StandardCharsets.UTF_8);
            case "chars" -> Funnels.unencodedCharsFunnel();
            case "long" -> Funnels.longFunnel();
            case "int" -> Funnels.integerFunnel();
            default -> Funnels.byteArrayFunnel();
        };
    }

    private static Object key(String form, byte[] bytes) {
        return switch (form) {
            case "utf8", "chars" -> new String(bytes, StandardCharsets.UTF_8);
            case "long" -> ByteBuffer.wrap(bytes).getLong();
            case "int" -> (int) ByteBuffer.wrap(bytes).getLong();
            default -> bytes;
        };
    }

    /** Versions of Spark before 4.1 have no create with a version. */
    private static BloomFilter makeSpark(String version, double[] with) {
        final long n = (long) with[0];

        return version.equals("default")
                ? BloomFilter.create(n, with[1])
                : BloomFilter.create(BloomFilter.Version.valueOf(version), n, BloomFilter.optimalNumOfBits(n, with[1]),
                        (int) with[2]);
    }

    /** No version of today makes a filter of strategy 0. */
    private static Sketch makeGuava(Funnel<Object> funnel, double[] with) throws IOException {
        final ByteArrayOutputStream empty = new ByteArrayOutputStream();

        com.google.common.hash.BloomFilter.create(funnel, (long) with[0], with[1]).writeTo(empty);
        final byte[] bytes = empty.toByteArray();
        bytes[0] = (byte) with[2];
        return of(com.google.common.hash.BloomFilter.readFrom(new ByteArrayInputStream(bytes), funnel));
    }

    private static Sketch make(String system, String form, double[] with) throws IOException {
        final int first = (int) with[0], second = (int) with[1], third = (int) with[2];

        return switch (system) {
            case "spark" -> of(makeSpark("default", with));
            case "spark-v1" -> of(makeSpark("V1", with));
            case "spark-v2" -> of(makeSpark("V2", with));
            case "spark-count-min" -> of(CountMinSketch.create(with[0], with[1], third));
            case "guava" -> makeGuava(funnel(form), with);
            case "hadoop" -> of(new org.apache.hadoop.util.bloom.BloomFilter(first, second, third));
            default -> of(new CountingBloomFilter(first, second, third));
        };
    }

    private static Sketch read(String system, String form, byte[] bytes) throws IOException {
        final InputStream from = new ByteArrayInputStream(bytes);

        switch (system) {
            case "spark", "spark-v1", "spark-v2":
                return of(BloomFilter.readFrom(from));
            case "spark-count-min":
                return of(CountMinSketch.readFrom(from));
            case "guava":
                return of(com.google.common.hash.BloomFilter.readFrom(from, funnel(form)));
            default:
                final Filter filter = system.equals("hadoop")
                        ? new org.apache.hadoop.util.bloom.BloomFilter() : new CountingBloomFilter();
                filter.readFields(new DataInputStream(from));
                return of(filter);
        }
    }

    private static byte[] array(DataInputStream in) throws IOException {
        final byte[] bytes = new byte[in.readInt()];

        in.readFully(bytes);
        return bytes;
    }

    private static Object[] keys(DataInputStream in, String form) throws IOException {
        final Object[] keys = new Object[in.readInt()];

        for (int i = 0; i < keys.length; i++) {
            keys[i] = key(form, array(in));
        }
        return keys;
    }

    private static void answer(String[] words, DataInputStream in, DataOutputStream out) throws IOException {
        final double[] with = new double[3];
        final byte[] bytes = array(in);
        final Object[] added = keys(in, words[1]), asked = keys(in, words[1]);
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        final long[] answers = new long[asked.length];

        try {
            for (int i = 0; i < with.length; i++) {
                with[i] = Double.parseDouble(words[2 + i]);
            }
            final Sketch sketch = bytes.length == 0 ? make(words[0], words[1], with) : read(words[0], words[1], bytes);
            for (final Object key : added) {
                sketch.add(key);
            }
            for (int i = 0; i < asked.length; i++) {
                answers[i] = sketch.ask(asked[i]);
            }
            sketch.write(written);
        } catch (IOException | RuntimeException failure) {
            out.writeByte(0);
            out.writeUTF(failure.toString());
            return;
        }
        out.writeByte(1);
        out.writeInt(written.size());
        written.writeTo(out);
        out.writeInt(answers.length);
        for (final long number : answers) {
            out.writeLong(number);
        }
    }

    /** The protocol. */
    public static void main(String[] none) throws IOException {
        final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));

        try {
            while (true) {
                answer(in.readUTF().split(" "), in, out);
                out.flush();
            }
        } catch (EOFException end) {
            out.flush();
        }
    }
}
