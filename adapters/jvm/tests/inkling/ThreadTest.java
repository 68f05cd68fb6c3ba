package inkling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Threads: many at once where that is allowed, and refused where it is not. */
class ThreadTest {
    private static final int THREADS = 64;
    private static final int KEYS = 2000;

    private interface Work {
        void of(int thread) throws Exception;
    }

    private static void atOnce(Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            futures.add(pool.submit(() -> {
                start.await();
                work.of(thread);
                return null;
            }));
        }
        start.countDown();
        for (Future<?> future : futures) {
            future.get();
        }
        pool.shutdown();
    }

    private static long[] keysOf(int thread) {
        return LongStream.range((long) thread * KEYS, (long) (thread + 1) * KEYS).toArray();
    }

    private static Sketch whole(SketchBuilder builder) {
        return builder.create().addAll(LongStream.range(0, (long) THREADS * KEYS).toArray());
    }

    private static List<SketchBuilder> shareable() {
        return List.of(
                Sketch.builder("bloom").expectedKeys(100_000), Sketch.builder("classic").expectedKeys(100_000),
                Sketch.builder("count-min").epsilon(0.001), Sketch.builder("hll"));
    }

    @Test
    void aConcurrentSketchTakesKeysOfAllThreads() throws Exception {
        for (SketchBuilder builder : shareable()) {
            String expected = whole(builder).digest();
            Sketch shared = builder.keyType(KeyType.INT).create().share();
            atOnce(thread -> {
                long[] keys = keysOf(thread);
                shared.addAll(keys, 0, KEYS / 2);
                for (int i = KEYS / 2; i < KEYS; i++) {
                    shared.add(keys[i]);
                }
                assertEquals(true, shared.describe().concurrent());
            });
            assertEquals(expected, shared.digest());
        }
    }

    @Test
    void aConcurrentSketchTakesKeysOfAnyLengthAndWeight() throws Exception {
        byte[] data = new byte[5000];
        new java.util.Random(7).nextBytes(data);
        SketchBuilder builder = Sketch.builder("count-min").epsilon(0.001);
        Sketch expected = builder.create();
        Sketch shared = builder.concurrent().create();
        for (int length : new int[] {0, 1, 1024, 1025, 4990}) {
            byte[] key = java.util.Arrays.copyOfRange(data, 7, 7 + length);
            for (int thread = 0; thread < THREADS; thread++) {
                expected.add(key).add(key).add(key, 2);
            }
            atOnce(thread -> shared.add(key).add(data, 7, length).add(key, 2));
        }
        assertEquals(expected.digest(), shared.digest());
        Sketch ints = Sketch.builder("count-min").keyType(KeyType.INT).concurrent().create();
        atOnce(thread -> ints.add(5, 3));
        assertEquals(3 * THREADS, ints.times(5));
    }

    @Test
    void whoIsInASketchIsNotDisturbed() {
        List<Sketch> sketches = List.of(Sketch.hll().add(1), Sketch.hll().add(1).share());
        for (Sketch sketch : sketches) {
            sketch.asking();
            for (Executable call : List.<Executable>of(sketch::close, () -> sketch.merge(Sketch.hll()), () -> sketch.unlock(new byte[16]))) {
                assertThrows(ConcurrentModificationException.class, call);
            }
            assertEquals(1, sketch.records());
            sketch.leftShared();
            sketch.changing();
            for (Executable call : List.<Executable>of(sketch::close, sketch::records, () -> sketch.add(2), sketch::toBytes)) {
                assertThrows(ConcurrentModificationException.class, call);
            }
            sketch.left();
            assertEquals(2, sketch.add(2).records());
            sketch.close();
        }
        try (InkFile file = InkFile.fromBytes(Sketch.hll().toBytes())) {
            file.shared();
            assertThrows(ConcurrentModificationException.class, file::check);
            assertThrows(ConcurrentModificationException.class, file::close);
            file.leftShared();
            file.check();
        }
    }

    @Test
    void threadsFillPartsThatMerge() throws Exception {
        for (SketchBuilder builder : shareable()) {
            Sketch whole = whole(builder.keyType(KeyType.INT));
            Sketch empty = whole.like();
            Sketch[] parts = new Sketch[THREADS];
            atOnce(thread -> {
                parts[thread] = empty.like();
                for (long key : keysOf(thread)) {
                    parts[thread].add(key);
                }
            });
            Sketch merged = empty.like();
            for (Sketch part : parts) {
                merged.mergePart(part);
            }
            assertEquals(whole.digest(), merged.digest());
        }
    }

    @Test
    void keysThatWaitAreSeenByAllWhoAsk() throws Exception {
        for (int round = 0; round < 20; round++) {
            Sketch sketch = Sketch.bloom(1000, 0.001);
            for (long key = 0; key < 500; key++) {
                sketch.add(key);
            }
            atOnce(thread -> {
                for (long key = 0; key < 500; key++) {
                    assertTrue(sketch.contains((key + thread) % 500));
                }
            });
            assertEquals(500, sketch.records());
        }
    }

    @Test
    void aThreadInTheWayIsRefused() throws Exception {
        Sketch sketch = Sketch.hll();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger added = new AtomicInteger();
        long[] many = LongStream.range(0, 200_000).toArray();
        atOnce(thread -> {
            for (int i = 0; i < 20; i++) {
                try {
                    if (thread % 2 == 0) {
                        sketch.addAll(many);
                        added.incrementAndGet();
                    } else {
                        sketch.distinct();
                    }
                } catch (ConcurrentModificationException error) {
                    refused.incrementAndGet();
                }
            }
        });
        assertTrue(refused.get() > 0, "threads met, but no call was refused");
        assertEquals((long) added.get() * many.length, sketch.records());
        sketch.close();
    }

    @Test
    void closingWhileOthersAskIsSafe() throws Exception {
        for (int round = 0; round < 20; round++) {
            Sketch sketch = Sketch.bloom(1000, 0.001).add(1);
            atOnce(thread -> {
                for (int i = 0; i < 300; i++) {
                    try {
                        if (thread % 8 == 7) {
                            sketch.close();
                        }
                        assertTrue(sketch.contains(1));
                    } catch (ConcurrentModificationException | IllegalStateException error) {
                        Thread.yield(); // others are in it, or it is closed
                    }
                }
            });
            sketch.close();
        }
    }
}
