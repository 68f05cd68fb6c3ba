// TitleFilters.java - a Bloom filter for each rating of a table of titles, as one MapReduce job in Java.
//
//     hadoop jar titles.jar TitleFilters -libjars inkling.jar IN OUT RATE
//
// A row is a title, its rating and more, with tabs between. A mapper keeps a draft for each rating, and gives it as bytes when
// it has seen all of its rows: 8 bytes for each title, and nothing for a row. The reducer merges the drafts of a rating, makes
// filters that are as large as their titles need, and writes them as one file, OUT/ratings-r-00000.ink, for ink and others.
import inkling.Draft;
import inkling.InkFile;
import inkling.KeyType;
import inkling.Sketch;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

public final class TitleFilters extends Configured implements Tool {
    private static final String RATE = "titles.rate";

    /** Collects the titles of each rating. */
    public static final class DraftMapper extends Mapper<LongWritable, Text, Text, BytesWritable> {
        private final Map<String, Draft> drafts = new TreeMap<>();
        private double rate;

        @Override
        protected void setup(Context context) {
            rate = context.getConfiguration().getDouble(RATE, 0.01);
        }

        @Override
        protected void map(LongWritable offset, Text line, Context context) {
            String[] fields = line.toString().split("\t");
            drafts.computeIfAbsent(fields[1], rating -> Draft.of("bloom", rate)).add(fields[0]);
        }

        @Override
        protected void cleanup(Context context) throws IOException, InterruptedException {
            for (Map.Entry<String, Draft> entry : drafts.entrySet()) {
                try (Draft draft = entry.getValue()) {
                    context.write(new Text(entry.getKey()), new BytesWritable(draft.toBytes()));
                }
            }
        }
    }

    /** Makes the filters, and one file of them. */
    public static final class FilterReducer extends Reducer<Text, BytesWritable, Text, BytesWritable> {
        private final Map<String, Sketch> filters = new TreeMap<>();

        @Override
        protected void reduce(Text rating, Iterable<BytesWritable> parts, Context context) {
            Draft all = null;
            for (BytesWritable part : parts) {
                Draft draft = Draft.fromBytes(part.copyBytes(), KeyType.BYTES);
                if (all == null) {
                    all = draft;
                } else {
                    all.merge(draft);
                    draft.close();
                }
            }
            try (Draft titles = all) {
                filters.put(rating.toString(), titles.finish());
            }
        }

        /** Into the folder of this attempt, which is moved if it wins. */
        @Override
        protected void cleanup(Context context) throws IOException, InterruptedException {
            Path folder = FileOutputFormat.getWorkOutputPath(context);
            Path path = new Path(folder, FileOutputFormat.getUniqueFile(context, "ratings", ".ink"));
            try (OutputStream out = path.getFileSystem(context.getConfiguration()).create(path)) {
                out.write(InkFile.toBytes(filters));
            }
            filters.values().forEach(Sketch::close);
        }
    }

    @Override
    public int run(String[] words) throws Exception {
        if (words.length != 3) {
            System.err.println("TitleFilters: expected IN OUT RATE");
            return 2;
        }
        getConf().setDouble(RATE, Double.parseDouble(words[2]));
        Job job = Job.getInstance(getConf(), "filters of titles");
        job.setJarByClass(TitleFilters.class);
        job.setMapperClass(DraftMapper.class);
        job.setReducerClass(FilterReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(BytesWritable.class);
        LazyOutputFormat.setOutputFormatClass(job, TextOutputFormat.class); // no other file
        FileInputFormat.addInputPath(job, new Path(words[0]));
        FileOutputFormat.setOutputPath(job, new Path(words[1]));
        return job.waitForCompletion(true) ? 0 : 1;
    }

    public static void main(String[] words) throws Exception {
        System.exit(ToolRunner.run(new TitleFilters(), words));
    }
}
