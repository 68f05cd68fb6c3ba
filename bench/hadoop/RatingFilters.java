// RatingFilters.java - a published job over movie ratings as three MapReduce jobs in Java, to compare with.
//
//     RatingFilters run IN OUT RATE REDUCERS [careful]     all three jobs; a line of JSON for each
//     RatingFilters export OUT FOLDER                      the bits of each filter as a local file FOLDER/RATING
//
// Written from the job's documentation. It makes a Bloom filter for each rounded rating of a table of titles (title,
// rating, votes; tabs between, a line of names first):
//
//   Parameters  map emits (rating, 1); reduce adds up n and emits (rating, n m k)
//   Filters     map emits (rating, the k positions of the title); reduce sets them in m bits
//   Test        map tests each title with the filters of all other ratings and emits (rating, 1) for a false positive;
//               reduce emits (rating, false positives, rate)
//
// Position i is MurmurHash3 (x86, 32 bits) of the title with the seed i, modulo m. Loops are those of the documentation: the
// test hashes for every filter anew and counts all k hits. With "careful" it hashes each title once and leaves a filter at
// the first bit that is not set. What the documentation leaves open is done well: nothing is made for each record, sums are
// combined in the mappers, positions and bits travel as bytes, and one JVM submits all three jobs.
package inkling.bench;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

public final class RatingFilters extends Configured implements Tool {
    static final String RATE = "ratings.rate";
    static final String PARAMETERS = "ratings.parameters";
    static final String CAREFUL = "ratings.careful";

    // ---- A row ---------------------------------------------------------------------------------------------------

    /** The title and the rounded rating of a line; used for one line after the other. */
    static final class Row {
        byte[] bytes;
        int titleBytes;
        int rating;

        /** Whether the line is a row: the first line of a file holds names. */
        boolean read(LongWritable offset, Text line) {
            if (offset.get() == 0) {
                return false;
            }
            bytes = line.getBytes();
            int end = line.getLength();
            titleBytes = find(0, end);
            int from = titleBytes + 1;
            // A half goes to the even neighbour.
            rating = (int) Math.rint(Double.parseDouble(rating(from, end)));
            return true;
        }

        private String rating(int from, int end) {
            return new String(bytes, from, find(from, end) - from, StandardCharsets.US_ASCII);
        }

        private int find(int from, int end) {
            int at = from;
            while (at < end && bytes[at] != '\t') {
                at++;
            }
            return at;
        }

        /** MurmurHash3_x86_32 of the title, as an unsigned number. */
        long hash(int seed) {
            int hash = seed;
            int whole = titleBytes & ~3;
            for (int i = 0; i < whole; i += 4) {
                int word = (bytes[i] & 255) | (bytes[i + 1] & 255) << 8 | (bytes[i + 2] & 255) << 16 | bytes[i + 3] << 24;
                hash = Integer.rotateLeft(hash ^ scrambled(word), 13) * 5 + 0xe6546b64;
            }
            int rest = 0;
            for (int i = titleBytes - 1; i >= whole; i--) {
                rest = rest << 8 | (bytes[i] & 255);
            }
            hash ^= scrambled(rest) ^ titleBytes;
            hash = (hash ^ hash >>> 16) * 0x85ebca6b;
            hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
            return (hash ^ hash >>> 16) & 0xffffffffL;
        }

        private static int scrambled(int word) {
            return Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
        }
    }

    // ---- Parameters ----------------------------------------------------------------------------------------------

    /** Number of titles, of bits, and of hash functions of one filter. */
    static final class Size {
        final long n;
        final long m;
        final int k;

        Size(long n, long m, int k) {
            this.n = n;
            this.m = m;
            this.k = k;
        }

        static Size of(long n, double rate) {
            long m = (long) Math.rint(-n * Math.log(rate) / (Math.log(2) * Math.log(2)));
            return new Size(n, m, (int) Math.rint((double) m / n * Math.log(2)));
        }

        @Override
        public String toString() {
            return n + " " + m + " " + k;
        }
    }

    /** The sizes by rating, from the configuration of a job. */
    static TreeMap<Integer, Size> sizes(Configuration conf) {
        TreeMap<Integer, Size> found = new TreeMap<>();
        for (String line : conf.get(PARAMETERS).split(";")) {
            String[] fields = line.split("[\t ]");
            found.put(Integer.parseInt(fields[0]),
                new Size(Long.parseLong(fields[1]), Long.parseLong(fields[2]), Integer.parseInt(fields[3])));
        }
        return found;
    }

    public static final class CountMapper extends Mapper<LongWritable, Text, IntWritable, LongWritable> {
        private final Row row = new Row();
        private final IntWritable rating = new IntWritable();
        private final LongWritable one = new LongWritable(1);

        @Override
        protected void map(LongWritable offset, Text line, Context context) throws IOException, InterruptedException {
            if (row.read(offset, line)) {
                rating.set(row.rating);
                context.write(rating, one);
            }
        }
    }

    static long sum(Iterable<LongWritable> values) {
        long sum = 0;
        for (LongWritable value : values) {
            sum += value.get();
        }
        return sum;
    }

    public static final class SumCombiner extends Reducer<IntWritable, LongWritable, IntWritable, LongWritable> {
        private final LongWritable total = new LongWritable();

        @Override
        protected void reduce(IntWritable rating, Iterable<LongWritable> values, Context context)
            throws IOException, InterruptedException {
            total.set(sum(values));
            context.write(rating, total);
        }
    }

    public static final class SizeReducer extends Reducer<IntWritable, LongWritable, IntWritable, Text> {
        @Override
        protected void reduce(IntWritable rating, Iterable<LongWritable> values, Context context)
            throws IOException, InterruptedException {
            Size size = Size.of(sum(values), context.getConfiguration().getDouble(RATE, 0));
            context.write(rating, new Text(size.toString()));
        }
    }

    // ---- Filters -------------------------------------------------------------------------------------------------

    /** The positions of one title. */
    public static final class Positions implements Writable {
        int count;
        long[] at = new long[64];

        @Override
        public void write(DataOutput out) throws IOException {
            out.writeByte(count);
            for (int i = 0; i < count; i++) {
                out.writeInt((int) at[i]);
            }
        }

        @Override
        public void readFields(DataInput in) throws IOException {
            count = in.readByte();
            for (int i = 0; i < count; i++) {
                at[i] = in.readInt() & 0xffffffffL;
            }
        }
    }

    public static final class PositionsMapper extends Mapper<LongWritable, Text, IntWritable, Positions> {
        private final Row row = new Row();
        private final IntWritable rating = new IntWritable();
        private final Positions positions = new Positions();
        private TreeMap<Integer, Size> sizes;

        @Override
        protected void setup(Context context) {
            sizes = sizes(context.getConfiguration());
        }

        @Override
        protected void map(LongWritable offset, Text line, Context context) throws IOException, InterruptedException {
            if (!row.read(offset, line)) {
                return;
            }
            Size size = sizes.get(row.rating);
            positions.count = size.k;
            for (int i = 0; i < size.k; i++) {
                positions.at[i] = row.hash(i) % size.m;
            }
            rating.set(row.rating);
            context.write(rating, positions);
        }
    }

    public static final class FilterReducer extends Reducer<IntWritable, Positions, IntWritable, BytesWritable> {
        @Override
        protected void reduce(IntWritable rating, Iterable<Positions> values, Context context)
            throws IOException, InterruptedException {
            Size size = sizes(context.getConfiguration()).get(rating.get());
            byte[] bits = new byte[(int) ((size.m + 7) / 8)];
            for (Positions positions : values) {
                for (int i = 0; i < positions.count; i++) {
                    bits[(int) (positions.at[i] >> 3)] |= (byte) (1 << (positions.at[i] & 7));
                }
            }
            context.write(rating, new BytesWritable(bits));
        }
    }

    /** Reads the filters that a task or a program finds at some paths. */
    static TreeMap<Integer, byte[]> filters(Configuration conf, Iterable<Path> paths) throws IOException {
        TreeMap<Integer, byte[]> found = new TreeMap<>();
        for (Path path : paths) {
            try (SequenceFile.Reader reader = new SequenceFile.Reader(conf, SequenceFile.Reader.file(path))) {
                IntWritable rating = new IntWritable();
                BytesWritable bits = new BytesWritable();
                while (reader.next(rating, bits)) {
                    found.put(rating.get(), bits.copyBytes());
                }
            }
        }
        return found;
    }

    // ---- Test ----------------------------------------------------------------------------------------------------

    public static final class TestMapper extends Mapper<LongWritable, Text, IntWritable, LongWritable> {
        private final Row row = new Row();
        private final IntWritable found = new IntWritable();
        private final LongWritable one = new LongWritable(1);
        private final long[] hashes = new long[64];
        private int[] ratings;
        private Size[] sizes;
        private byte[][] filters;
        private int mostHashes;
        private boolean careful;

        @Override
        protected void setup(Context context) throws IOException {
            Configuration conf = context.getConfiguration();
            careful = conf.getBoolean(CAREFUL, false);
            TreeMap<Integer, Size> known = RatingFilters.sizes(conf);
            List<Path> local = new ArrayList<>();
            for (URI uri : context.getCacheFiles()) {
                local.add(new Path(new File(uri.getFragment()).toURI()));
            }
            TreeMap<Integer, byte[]> bits = RatingFilters.filters(conf, local);
            ratings = bits.keySet().stream().mapToInt(Integer::intValue).toArray();
            filters = bits.values().toArray(new byte[0][]);
            sizes = bits.keySet().stream().map(known::get).toArray(Size[]::new);
            for (Size size : sizes) {
                mostHashes = Math.max(mostHashes, size.k);
            }
        }

        @Override
        protected void map(LongWritable offset, Text line, Context context) throws IOException, InterruptedException {
            if (!row.read(offset, line)) {
                return;
            }
            if (careful) {
                for (int i = 0; i < mostHashes; i++) {
                    hashes[i] = row.hash(i);
                }
            }
            for (int r = 0; r < ratings.length; r++) {
                if (ratings[r] != row.rating && (careful ? isInOnceHashed(r) : isIn(r))) {
                    found.set(ratings[r]);
                    context.write(found, one);
                }
            }
        }

        /** As the documentation has it. */
        private boolean isIn(int r) {
            int hits = 0;
            for (int i = 0; i < sizes[r].k; i++) {
                if (isSet(r, row.hash(i) % sizes[r].m)) {
                    hits++;
                }
            }
            return hits == sizes[r].k;
        }

        private boolean isInOnceHashed(int r) {
            for (int i = 0; i < sizes[r].k; i++) {
                if (!isSet(r, hashes[i] % sizes[r].m)) {
                    return false;
                }
            }
            return true;
        }

        private boolean isSet(int r, long position) {
            return (filters[r][(int) (position >> 3)] >> (position & 7) & 1) == 1;
        }
    }

    public static final class RateReducer extends Reducer<IntWritable, LongWritable, IntWritable, Text> {
        @Override
        protected void reduce(IntWritable rating, Iterable<LongWritable> values, Context context)
            throws IOException, InterruptedException {
            TreeMap<Integer, Size> sizes = sizes(context.getConfiguration());
            long titles = 0;
            for (Size size : sizes.values()) {
                titles += size.n;
            }
            long falsePositives = sum(values);
            long trueNegatives = titles - sizes.get(rating.get()).n;
            double rate = (double) falsePositives / (falsePositives + trueNegatives);
            context.write(rating, new Text(falsePositives + " " + rate));
        }
    }

    // ---- The three jobs ------------------------------------------------------------------------------------------

    private Job job(String name, Path in, Path out) throws IOException {
        Job job = Job.getInstance(getConf(), name);
        job.setJarByClass(RatingFilters.class);
        job.setMapOutputKeyClass(IntWritable.class);
        job.setMapOutputValueClass(LongWritable.class);
        job.setOutputKeyClass(IntWritable.class);
        job.setOutputValueClass(Text.class);
        FileInputFormat.addInputPath(job, in);
        FileOutputFormat.setOutputPath(job, out);
        return job;
    }

    private Job parametersJob(Path in, Path out) throws IOException {
        Job job = job("parameters", in, out);
        job.setMapperClass(CountMapper.class);
        job.setCombinerClass(SumCombiner.class);
        job.setReducerClass(SizeReducer.class);
        return job;
    }

    private Job filtersJob(Path in, Path out, int reducers) throws IOException {
        Job job = job("filters", in, out);
        job.setMapperClass(PositionsMapper.class);
        job.setMapOutputValueClass(Positions.class);
        job.setReducerClass(FilterReducer.class);
        job.setOutputValueClass(BytesWritable.class);
        job.setOutputFormatClass(SequenceFileOutputFormat.class);
        job.setNumReduceTasks(reducers);
        return job;
    }

    private Job testJob(Path in, Path out, Path filters) throws IOException {
        Job job = job("test", in, out);
        for (Path path : parts(filters)) {
            job.addCacheFile(URI.create(path.toUri() + "#" + path.getName()));
        }
        job.setMapperClass(TestMapper.class);
        job.setCombinerClass(SumCombiner.class);
        job.setReducerClass(RateReducer.class);
        return job;
    }

    private List<Path> parts(Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        for (FileStatus status : folder.getFileSystem(getConf()).listStatus(folder)) {
            if (status.getPath().getName().startsWith("part-")) {
                found.add(status.getPath());
            }
        }
        return found;
    }

    private String text(Path folder) throws IOException {
        StringBuilder all = new StringBuilder();
        FileSystem files = folder.getFileSystem(getConf());
        for (Path path : parts(folder)) {
            try (InputStream in = files.open(path)) {
                all.append(new String(in.readAllBytes(), StandardCharsets.US_ASCII));
            }
        }
        return all.toString();
    }

    private void finish(Job job) throws Exception {
        long start = System.nanoTime();
        if (!job.waitForCompletion(false)) {
            throw new IOException(job.getJobID() + " failed: " + job.getStatus().getFailureInfo());
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf("{\"step\": \"%s\", \"job\": \"%s\", \"seconds\": %.3f}%n", job.getJobName(), job.getJobID(), seconds);
    }

    @Override
    public int run(String[] words) throws Exception {
        Path in = new Path(words[0]);
        Path out = new Path(words[1]);
        getConf().setDouble(RATE, Double.parseDouble(words[2]));
        getConf().setBoolean(CAREFUL, words.length > 4);
        Path parameters = new Path(out, "Parameters");
        Path filters = new Path(out, "BloomFilters");
        finish(parametersJob(in, parameters));
        getConf().set(PARAMETERS, text(parameters).trim().replace('\n', ';'));
        finish(filtersJob(in, filters, Integer.parseInt(words[3])));
        finish(testJob(in, new Path(out, "FalsePositiveRates"), filters));
        return 0;
    }

    private void export(String out, String folder) throws IOException {
        for (Map.Entry<Integer, byte[]> one : filters(getConf(), parts(new Path(out, "BloomFilters"))).entrySet()) {
            Files.write(new File(folder, one.getKey().toString()).toPath(), one.getValue());
        }
    }

    public static void main(String[] words) throws Exception {
        RatingFilters all = new RatingFilters();
        if (words.length == 3 && words[0].equals("export")) {
            all.setConf(new Configuration());
            all.export(words[1], words[2]);
        } else if (words.length >= 5 && words[0].equals("run")) {
            System.exit(ToolRunner.run(all, Arrays.copyOfRange(words, 1, words.length)));
        } else {
            System.err.println("RatingFilters: expected run IN OUT RATE REDUCERS [careful], or export OUT FOLDER");
            System.exit(2);
        }
    }
}
