package inkling;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of C the open objects have. The collector of Java sees a small object where megabytes are: it is called
 * when these bytes are more than the heap may be, as the JVM does for direct buffers.
 */
final class NativeMemory {
    private static final AtomicLong LIVE = new AtomicLong();
    private static final AtomicLong COLLECT_AT = new AtomicLong(Runtime.getRuntime().maxMemory());
    private static final int WAITS = 8;

    private NativeMemory() {}

    /** Counts bytes that were taken, or given back if they are below 0. */
    static void count(long bytes) {
        long live = LIVE.addAndGet(bytes);
        if (bytes > 0 && live > COLLECT_AT.get()) {
            collect();
        }
    }

    static long live() {
        return LIVE.get();
    }

    /** Dropped objects give their memory back on the cleaner's thread, which is waited for a moment. */
    private static synchronized void collect() {
        long limit = COLLECT_AT.get();
        if (LIVE.get() <= limit) {
            return;
        }
        System.gc();
        boolean interrupted = false;
        for (int wait = 0; wait < WAITS && LIVE.get() > limit / 2; wait++) {
            try {
                Thread.sleep(1L << wait);
            } catch (InterruptedException error) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        COLLECT_AT.set(Math.max(Runtime.getRuntime().maxMemory(), 2 * LIVE.get()));
    }
}
