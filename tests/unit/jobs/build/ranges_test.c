/* ranges_test.c - threads that fill one sketch together give the bytes of one that was filled key
 * by key, with little room, with any shares of the threads, and without one of them. */
#include "jobs/build/ranges.h"

#include "base/memory.h"
#include "properties/sketches.h"
#include "support/faults.h"
#include "support/sketches.h"

static ink_error error;

enum { COUNT = 400009, PARTS_MAX = 5 };
static const ink_params shape = {.kind = "bloom", .bits = (uint64_t)256 * 20011};

typedef struct crew {
    ink__ranges     ranges;
    const uint64_t *hashes;
    unsigned        parts, absent; /* the threads from this number on have nothing to hand in */
} crew;

/* Every thread hands in a segment of the keys, in pieces of many lengths. */
static void hand_in(void *host, unsigned number)
{
    crew *all = host;

    if (number >= all->absent)
        return;
    size_t first = (size_t)COUNT * number / all->absent;
    size_t end = (size_t)COUNT * (number + 1) / all->absent;
    for (size_t some; first < end; first += some) {
        some = 1 + first % 3001 < end - first ? 1 + first % 3001 : end - first;
        ink__ranges_put(&all->ranges, number, all->hashes + first, some);
    }
}

static void check_fill(unsigned parts, unsigned absent, uint64_t room_bytes)
{
    faults_memory   memory = {0};
    ink_allocator   allocator = faults_allocator(&memory);
    uint64_t       *hashes = test_malloc(COUNT * sizeof *hashes);
    generator       random = {parts};
    ink_sketch     *plain = make(&shape), *filled;
    const ink_batch batch = {.count = COUNT, .hashes = hashes};
    crew            all = {.hashes = hashes, .parts = parts, .absent = absent};

    for (size_t i = 0; i < COUNT; i++)
        hashes[i] = next_random(&random);
    CHECK_OK(ink_sketch_add_batch(plain, &batch, &error));
    CHECK_OK(ink_sketch_create(&filled, &shape, &allocator, &error));
    CHECK_OK(ink__ranges_open(&all.ranges, filled, room_bytes, parts, &allocator, &error));
    ink__threads_run(parts, hand_in, &all);
    ink__ranges_finish(&all.ranges, NULL);
    ink__ranges_close(&all.ranges);
    CHECK(sketches_equal(plain, filled));
    assert_int_equal(sketches_describe(filled).records, COUNT);
    ink_sketch_free(plain);
    ink_sketch_free(filled);
    test_free(hashes);
    faults_check_no_leak(&memory);
}

TEST(threads_that_fill_together_give_the_same_bytes)
{
    for (unsigned parts = 1; parts <= PARTS_MAX; parts++)
        for (uint64_t room = 1 << 16; room <= 1 << 22; room <<= 6)
            check_fill(parts, parts, room);
}

TEST(a_thread_that_never_comes_is_not_waited_for)
{
    for (unsigned parts = 2; parts <= PARTS_MAX; parts++)
        check_fill(parts, 1, 1 << 16);
}

TEST(nothing_handed_in_is_an_empty_sketch)
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    ink_sketch         *sketch = make(&shape);
    ink__ranges         ranges;
    ink_answer          answer;

    CHECK_OK(ink__ranges_open(&ranges, sketch, 1 << 20, 2, &heap, &error));
    ink__ranges_finish(&ranges, NULL);
    ink__ranges_close(&ranges);
    ink__ranges_close(&ranges); /* is not open any more */
    CHECK_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
    CHECK(answer.estimate == 0 && sketches_describe(sketch).records == 0);
    ink_sketch_free(sketch);
}

TEST(refused_memory_is_a_failure)
{
    for (unsigned refused = 1; refused <= 3; refused++) {
        faults_memory memory = {0};
        ink_allocator allocator = faults_allocator(&memory);
        ink_sketch   *sketch;
        ink__ranges   ranges;
        CHECK_OK(ink_sketch_create(&sketch, &shape, &allocator, &error));
        memory.refuse_at = memory.asked + refused;
        assert_int_equal(ink__ranges_open(&ranges, sketch, 1 << 20, 2, &allocator, &error),
                         INK_MEMORY);
        ink__ranges_close(&ranges);
        ink_sketch_free(sketch);
        faults_check_no_leak(&memory);
    }
}

RUN_TESTS()
