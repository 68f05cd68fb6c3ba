package inkling;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ConcurrentModificationException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongConsumer;

/**
 * An object of C: its handle, who frees it, and the rule of threads. A call that changes the object is alone with it, calls
 * that only look may run at once; a call that finds another in its way is refused before it reaches C.
 */
abstract sealed class NativeObject implements AutoCloseable permits KeyTarget, InkFile {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final VarHandle STATE;
    private static final VarHandle READERS;
    private static final int IDLE = 0;
    private static final int CHANGING = 1;
    private static final int CLOSED = 2;
    /** Counts of readers of a concurrent sketch, each in a cache line of its own. */
    private static final int STRIPES = 16;

    private static final int STRIPE_INTS = 16;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(NativeObject.class, "state", int.class);
            READERS = lookup.findVarHandle(NativeObject.class, "readers", int.class);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    /** The handle, apart from the object, so that it can be freed when the object is gone. */
    private static final class Owned implements Runnable {
        private final LongConsumer free;
        private final Runnable after;
        private long handle;
        private long counted;

        Owned(long handle, LongConsumer free, Runnable after) {
            this.handle = handle;
            this.free = free;
            this.after = after;
        }

        @Override
        public void run() {
            free.accept(handle);
            NativeMemory.count(-counted);
            after.run();
        }
    }

    private final Owned owned;
    private final Cleaner.Cleanable cleanable;
    private volatile int state;
    private volatile int readers;
    private AtomicIntegerArray stripes;

    /** {@code after} runs once the handle is freed. */
    NativeObject(long handle, LongConsumer free, Runnable after) {
        owned = new Owned(handle, free, after);
        cleanable = CLEANER.register(this, owned);
    }

    /** Takes another handle in the place of the one it has, alone. */
    final void replace(long handle) {
        owned.free.accept(owned.handle);
        owned.handle = handle;
    }

    /** The handle, for a call that is in it. */
    final long handle() {
        return owned.handle;
    }

    /** Says how many bytes of C this object has now. */
    final void account(long bytes) {
        if (bytes != owned.counted) {
            long more = bytes - owned.counted;
            owned.counted = bytes;
            NativeMemory.count(more);
        }
    }

    /** From now on many threads at once are the rule: they do not share a counter. */
    final void expectManyThreads() {
        stripes = new AtomicIntegerArray(STRIPES * STRIPE_INTS);
    }

    final boolean expectsManyThreads() {
        return stripes != null;
    }

    /** The handle, for a call that changes the object; {@link #left} follows. */
    final long alone() {
        if (!STATE.compareAndSet(this, IDLE, CHANGING)) {
            throw refused();
        }
        if (readers != 0 || isReadInStripes()) {
            STATE.setVolatile(this, IDLE);
            throw refused();
        }
        return owned.handle;
    }

    final void left() {
        STATE.setRelease(this, IDLE);
        Reference.reachabilityFence(this);
    }

    /** The handle, for a call beside which others may run; {@link #leftShared} follows. */
    final long shared() {
        count(1);
        if (state != IDLE) {
            count(-1);
            throw refused();
        }
        return owned.handle;
    }

    final void leftShared() {
        count(-1);
        Reference.reachabilityFence(this);
    }

    private void count(int by) {
        AtomicIntegerArray counts = stripes;
        if (counts == null) {
            READERS.getAndAdd(this, by);
        } else {
            counts.getAndAdd((int) (Thread.currentThread().getId() & (STRIPES - 1)) * STRIPE_INTS, by);
        }
    }

    private boolean isReadInStripes() {
        AtomicIntegerArray counts = stripes;
        for (int i = 0; counts != null && i < STRIPES; i++) {
            if (counts.get(i * STRIPE_INTS) != 0) {
                return true;
            }
        }
        return false;
    }

    private RuntimeException refused() {
        String name = getClass().getSimpleName();
        return state == CLOSED
                ? new IllegalStateException(name + ": found it closed, expected it open")
                : new ConcurrentModificationException(
                        name + ": found another thread in it, expected one thread at a time where it is changed");
    }

    /**
     * Gives the memory of C back at once; closing twice is closing once. An object that is dropped without it is freed when
     * the collector finds it.
     *
     * @throws ConcurrentModificationException if another thread is using it
     */
    @Override
    public void close() {
        if (state == CLOSED) {
            return;
        }
        alone();
        STATE.setVolatile(this, CLOSED);
        cleanable.clean();
    }
}
