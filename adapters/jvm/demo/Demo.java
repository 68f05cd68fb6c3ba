import inkling.Draft;
import inkling.InkFile;
import inkling.Item;
import inkling.Overlap;
import inkling.Sketch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** A tour of the Java library: a log of page views, and what sketches know of it. */
class Demo {
    private static final int VIEWS = 1_000_000;

    private static String user(Random random) {
        return "user" + (int) (Math.abs(random.nextGaussian()) * 60_000);
    }

    private static void questions() {
        Random random = new Random(1);
        try (Sketch seen = Sketch.bloom(200_000, 0.01);
                Sketch users = Sketch.hll();
                Sketch counts = Sketch.countMin(1e-4, 0.01);
                Sketch top = Sketch.topKeys(3)) {
            for (int i = 0; i < VIEWS; i++) {
                String user = user(random);
                seen.add(user);
                users.add(user);
                counts.add(user);
                top.add(i % 40 == 0 ? "crawler" : user);
            }
            System.out.println("seen user7, user999999:  " + seen.contains("user7") + ", " + seen.contains("user999999"));
            System.out.println("distinct users:          " + users.distinct());
            System.out.println("views of user7:          " + counts.count("user7"));
            for (Item item : top.top(2)) {
                System.out.println("frequent:                " + item.text() + " " + item.count().rounded());
            }
        }
    }

    private static void groups(Path file) {
        Random random = new Random(2);
        Map<String, Sketch> countries = new TreeMap<>();
        for (int i = 0; i < VIEWS; i++) {
            String country = i % 3 == 0 ? "DE" : "FR";
            countries.computeIfAbsent(country, name -> Sketch.theta(12)).add(user(random));
        }
        InkFile.save(file, countries);
        try (InkFile opened = InkFile.open(file);
                Sketch germany = opened.group("DE");
                Sketch france = opened.group("FR")) {
            Overlap overlap = germany.overlap(france);
            System.out.println("users in both countries: " + overlap.intersection().rounded()
                    + " of " + overlap.union().rounded());
        }
    }

    private static void files(Path folder) throws java.io.IOException {
        try (Draft draft = Draft.of("fuse", 0.01)) {
            draft.addAll(LongStream.range(0, VIEWS).toArray());
            try (Sketch fuse = draft.finish()) {
                Path file = folder.resolve("ids.ink");
                fuse.save(file);
                System.out.println("a million ids in a fuse: " + Files.size(file) + " bytes, digest " + fuse.digest());
            }
        }
    }

    public static void main(String[] words) throws java.io.IOException {
        System.out.println("Inkling " + Sketch.version() + ": " + Sketch.kinds());
        questions();
        groups(Path.of("countries.ink"));
        files(Path.of("."));
    }
}
