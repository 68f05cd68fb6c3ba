package inkling;

import java.nio.file.Path;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file of one sketch or of many, each with a label: a group, a slot of time, both or neither.
 *
 * <pre>{@code
 * try (InkFile file = InkFile.open(Path.of("users.ink"));
 *      Sketch alice = file.group("alice")) {
 *     alice.contains("/about");
 * }
 * }</pre>
 *
 * <p>The file is mapped, and its sketches are views that are asked in place and cannot be changed; {@link Sketch#copy} makes one
 * that can. They live on after the file is closed, and the mapping with them. Threads: as for {@link Sketch}; nothing changes a
 * file. The file must not be truncated while it is open; programs that replace it by renaming, as these do, are safe.
 */
public final class InkFile extends NativeObject {
    private static final int LAZY = 1;
    private static final int ENTRY_NUMBERS = 5;

    /**
     * One sketch of a file.
     *
     * @param index its number in the file, from 0
     * @param kind such as "bloom"
     * @param label its group and slot
     * @param records how many keys were added, repeated ones included
     * @param bytes the size of its payload
     */
    public record Entry(int index, String kind, Label label, long records, long bytes) {}

    /**
     * A sketch with its label, to be written.
     *
     * @param label its group and slot
     * @param sketch the sketch
     */
    public record Labelled(Label label, Sketch sketch) {}

    /** The handle of C, which is closed with the last of the file and its views. */
    private static final class Mapped {
        private final long handle;
        private final AtomicInteger users = new AtomicInteger(1);

        Mapped(long handle) {
            this.handle = handle;
        }

        void use() {
            users.incrementAndGet();
        }

        void release() {
            if (users.decrementAndGet() == 0) {
                Native.fileClose(handle);
            }
        }
    }

    private final Mapped mapped;

    private InkFile(Mapped mapped) {
        super(mapped.handle, handle -> mapped.release(), () -> {});
        this.mapped = mapped;
    }

    /**
     * Opens a file and checks every byte.
     *
     * @param path the file
     * @return the file
     * @throws InkException IO; FORMAT, naming the byte
     */
    public static InkFile open(Path path) {
        return open(path, 0);
    }

    /**
     * Opens a file at once, however large: its sketches are checked by {@link #check}, and where they are copied or saved.
     *
     * @param path the file
     * @return the file
     * @throws InkException IO; FORMAT, naming the byte
     */
    public static InkFile openLazy(Path path) {
        return open(path, LAZY);
    }

    private static InkFile open(Path path, int flags) {
        try {
            return new InkFile(new Mapped(Native.fileOpen(Text.path(path), flags)));
        } catch (InkException error) {
            throw error.about(path);
        }
    }

    /**
     * A file of bytes in memory, which are copied: its sketches can be changed.
     *
     * @param data the bytes, each of which is checked
     * @return the file
     * @throws InkException FORMAT, naming the byte
     */
    public static InkFile fromBytes(byte[] data) {
        return new InkFile(new Mapped(Native.fileDecode(data)));
    }

    /**
     * Saves sketches of groups as one file, whole or not at all.
     *
     * @param path the file, which is replaced if it exists
     * @param groups the sketch of each group; null is the group of nulls
     * @throws InkException IO; MISMATCH if their keys are hashed in different ways
     */
    public static void save(Path path, Map<String, Sketch> groups) {
        save(path, labelled(groups));
    }

    /**
     * Saves sketches with labels as one file, whole or not at all.
     *
     * @param path the file, which is replaced if it exists
     * @param sketches the sketches, in any order; no two of one kind with one label
     * @throws InkException IO; MISMATCH if their keys are hashed in different ways; USAGE
     */
    public static void save(Path path, List<Labelled> sketches) {
        try {
            write(sketches, Text.path(path));
        } catch (InkException error) {
            throw error.about(path);
        }
    }

    /**
     * The bytes of a file with sketches of groups.
     *
     * @param groups the sketch of each group; null is the group of nulls
     * @return the bytes
     * @throws InkException MISMATCH if their keys are hashed in different ways
     */
    public static byte[] toBytes(Map<String, Sketch> groups) {
        return write(labelled(groups), null);
    }

    private static List<Labelled> labelled(Map<String, Sketch> groups) {
        return groups.entrySet().stream()
                .map(group -> new Labelled(Label.of(group.getKey()), group.getValue()))
                .toList();
    }

    private static byte[] write(List<Labelled> sketches, byte[] path) {
        int count = sketches.size();
        int entered = 0;
        long[] handles = new long[count];
        long[] labels = new long[3 * count];
        byte[][] groups = new byte[count][];
        try {
            for (Labelled one : sketches) {
                handles[entered] = one.sketch().asking();
                labels[3 * entered] = one.label().sort().ordinal();
                labels[3 * entered + 1] = one.label().hasSlot() ? 1 : 0;
                labels[3 * entered + 2] = one.label().slotMicros();
                groups[entered++] = one.label().group();
            }
            return Native.contents(handles, labels, groups, path);
        } finally {
            for (Labelled one : sketches.subList(0, entered)) {
                one.sketch().leftShared();
            }
        }
    }

    /**
     * The sketches of the file, in order of kind, group and slot. The list reads the file as it is asked, and
     * not once the file is closed.
     *
     * @return a list that is not copied from the file
     */
    public List<Entry> entries() {
        int count = (int) Math.min(Integer.MAX_VALUE, with(Native::fileCount));
        return new AbstractList<>() {
            @Override
            public Entry get(int index) {
                java.util.Objects.checkIndex(index, count);
                return with(handle -> entry(handle, index));
            }

            @Override
            public int size() {
                return count;
            }
        };
    }

    private static Entry entry(long handle, int index) {
        long[] numbers = new long[ENTRY_NUMBERS];
        Object[] names = Native.fileEntry(handle, index, numbers);
        Label label = new Label(
                Label.Sort.values()[(int) numbers[0]],
                (byte[]) names[1],
                numbers[1] == 0 ? null : Label.instant(numbers[2]));
        return new Entry(index, (String) names[0], label, numbers[3], numbers[4]);
    }

    /**
     * The sketch of an entry.
     *
     * @param entry one of {@link #entries}
     * @return a view, or a sketch that can be changed if the file is of bytes in memory
     * @throws InkException FORMAT, NOT_FOUND
     */
    public Sketch sketch(Entry entry) {
        return made(handle -> Native.fileSketch(handle, entry.index()));
    }

    /**
     * The only sketch of a file that has neither group nor slot.
     *
     * @return a view, or a sketch that can be changed if the file is of bytes in memory
     * @throws InkException NOT_FOUND if there is none; USAGE if there are several kinds
     */
    public Sketch sketch() {
        return find(null, Label.NONE).orElseThrow(() -> missing("a sketch without group and slot"));
    }

    /**
     * The sketch of a group, in a file of one kind.
     *
     * @param group its text; null is the group of nulls
     * @return a view, or a sketch that can be changed if the file is of bytes in memory
     * @throws InkException NOT_FOUND if there is no such group; USAGE if there are several kinds
     */
    public Sketch group(String group) {
        return find(null, Label.of(group)).orElseThrow(() -> missing("the group " + group));
    }

    private static InkException missing(String what) {
        return new InkException(Status.NOT_FOUND, "found no such entry, expected " + what);
    }

    /**
     * The sketch of a kind and a label, if there is one.
     *
     * @param kind such as "bloom"; null: the only kind of the file
     * @param label the group and slot
     * @return a view, or a sketch that can be changed if the file is of bytes in memory
     * @throws InkException USAGE if kind is null and there are several
     */
    public Optional<Sketch> find(String kind, Label label) {
        try {
            return Optional.of(made(handle -> Native.fileSketch(
                    handle,
                    Native.fileFind(
                            handle, kind, label.sort().ordinal(), label.group(), label.hasSlot(),
                            label.slotMicros()))));
        } catch (InkException error) {
            if (error.status() == Status.NOT_FOUND) {
                return Optional.empty();
            }
            throw error;
        }
    }

    /**
     * The union of the newest slots of a group.
     *
     * @param kind such as "bloom"; null: the only kind of the file
     * @param label the group; its slot is not looked at
     * @param slots how many; 0: all
     * @return a sketch that can be changed
     * @throws InkException NOT_FOUND if the group has no slot
     */
    public Sketch last(String kind, Label label, int slots) {
        if (slots < 0) {
            throw new InkException(Status.USAGE, "slots: found " + slots + ", expected no negative number");
        }
        return union(kind, label, slots, 0, 0);
    }

    /**
     * The union of the slots of a group that start in a segment of time.
     *
     * @param kind such as "bloom"; null: the only kind of the file
     * @param label the group; its slot is not looked at
     * @param from the start of the segment
     * @param until its end, which is not in it
     * @return a sketch that can be changed
     * @throws InkException NOT_FOUND if the group has no slot
     */
    public Sketch between(String kind, Label label, Instant from, Instant until) {
        return union(kind, label, -1, Label.micros(from), Label.micros(until));
    }

    private Sketch union(String kind, Label label, long last, long from, long until) {
        return with(handle -> new Sketch(
                Native.fileBetween(handle, kind, label.sort().ordinal(), label.group(), last, from, until),
                () -> {}));
    }

    /**
     * Checks all sketches of a lazily opened file, once.
     *
     * @throws InkException FORMAT, naming the byte
     */
    public void check() {
        long handle = alone();
        try {
            Native.fileCheck(handle);
        } finally {
            left();
        }
    }

    /**
     * The digest of the whole file.
     *
     * @return 32 hexadecimal digits
     */
    public String digest() {
        return Text.hex(with(Native::fileDigest));
    }

    private interface Question<R> {
        R of(long handle);
    }

    private <R> R with(Question<R> question) {
        long handle = shared();
        try {
            return question.of(handle);
        } finally {
            leftShared();
        }
    }

    /** A sketch that keeps the file mapped. */
    private Sketch made(Question<Long> view) {
        return with(handle -> {
            long sketch = view.of(handle);
            mapped.use();
            return new Sketch(sketch, mapped::release);
        });
    }

    /** How many sketches it has, for logs. */
    @Override
    public String toString() {
        return "InkFile[" + entries().size() + " sketches]";
    }
}
