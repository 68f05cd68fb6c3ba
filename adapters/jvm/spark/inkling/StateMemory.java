package inkling;

/** The door to {@link NativeMemory} for inkling.spark, whose states are no sketches. */
public final class StateMemory {
    private StateMemory() {}

    /**
     * Counts bytes of C that were taken since the last call, or given back if they are below 0.
     *
     * @param bytes how many
     */
    public static void count(long bytes) {
        NativeMemory.count(bytes);
    }
}
