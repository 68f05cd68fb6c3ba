/* passes_test.c - a filter that is made in ranges says of each hash what the whole filter says, for
 * any number of ranges and chunks, and has its rate. */
#include "jobs/dedup/passes.h"

#include "base/memory.h"
#include "base/mix.h"
#include "sketch/internal.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"

static ink_error error;

/* In batches of ranges, and in bytes of answers, all but the last ones are full. */
enum { BATCH = 4096, HASHES = 15 * BATCH, PUT = HASHES + 3 * INK__PASSES_MAX };

/* Of 1000 blocks and more; it comes to have more keys than planned. */
static const ink_params planned = {
    .kind = "bloom", .expected_keys = 2 * HASHES / 3, .false_positive_rate = 0.05};

/* The first and the last hash of each range, and others, of which every third comes again. */
static uint64_t hashes[PUT];
static uint64_t hash_count;

static void make_hashes(unsigned ranges, uint64_t count)
{
    hash_count = 0;
    hashes[hash_count++] = UINT64_MAX;
    for (unsigned i = 0; i < ranges; i++) {
        uint64_t start;
        CHECK_OK(ink__slice_start(&planned, i, ranges, &start, &error));
        hashes[hash_count++] = start;
        hashes[hash_count++] = start - (i > 0);
    }
    for (uint64_t i = 0; i < count; i++)
        hashes[hash_count++] = ink__mix64(i % 3 == 2 ? i / 2 : i);
}

/* Passes of all hashes, in chunks of these lengths in turn, as the whole filter has them. */
static void check_passes(unsigned ranges, uint64_t memory, unsigned threads,
                         const uint64_t lengths[3])
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    const ink_job       job = {.threads = threads};
    static uint8_t      expected[PUT], found[PUT];
    owned_sketch       *whole;
    ink__passes         passes;
    double              rate;
    uint64_t            chunk = 0, some;

    CHECK_OK(ink_sketch_create(&whole, &planned, NULL, &error));
    CHECK_OK(ink_sketch_add_new_batch(
        whole, &(ink_batch){.hashes = hashes, .count = (size_t)hash_count}, expected, &error));
    CHECK_OK(ink_sketch_rate(whole, &rate, &error));
    CHECK_OK(ink__passes_begin(&passes, &planned, ranges, memory, "/tmp", &heap, &error));
    for (uint64_t at = 0; at < hash_count; at += some, chunk++) {
        some = lengths[chunk % 3] < hash_count - at ? lengths[chunk % 3] : hash_count - at;
        CHECK_OK(ink__passes_put(&passes, hashes + at, some, &error));
    }
    CHECK_OK(ink__passes_run(&passes, &job, 0, &error));
    assert_int_equal(passes.chunks, chunk);
    for (uint64_t at = hash_count; at > 0; at -= some) { /* in any order: the last one first */
        uint64_t start = 0;
        chunk--;
        for (uint64_t i = 0; i < chunk; i++)
            start += lengths[i % 3];
        some = at - start;
        ink__passes_answer(&passes, chunk, hashes + start, some, found + start);
    }
    assert_memory_equal(found, expected, hash_count);
    assert_float_equal(ink__passes_rate(&passes), rate, 1e-12);
    ink__passes_end(&passes);
    ink__passes_end(&passes); /* no harm */
}

TEST(answers_are_those_of_the_whole_filter)
{
    static const uint64_t lengths[][3] = {
        {PUT, PUT, PUT}, {1000, 0, 3}, {BATCH, BATCH - 1, 8}, {700, 1, 5000}};
    static const unsigned ranges[] = {1, 2, 3, 64, 1000, INK__PASSES_MAX};

    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        make_hashes(ranges[r], HASHES);
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            check_passes(ranges[r], UINT64_MAX, 1 + (unsigned)i % 3,
                         lengths[i]);                                        /* all in memory */
            check_passes(ranges[r], 20000, 3 - (unsigned)i % 3, lengths[i]); /* most in the file */
        }
    }
}

/* As many as fill batches and bytes, and one more or fewer. */
TEST(ranges_end_with_any_number_of_hashes)
{
    static const uint64_t counts[] = {0,  1,  7,         8,     9,         15,           16,
                                      17, 63, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 8};
    const uint64_t        all[] = {PUT, PUT, PUT};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        hash_count = counts[i];
        for (uint64_t k = 0; k < hash_count; k++)
            hashes[k] = ink__mix64(k) >> 1; /* of the first range of two */
        check_passes(2, UINT64_MAX, 2, all);
        check_passes(1, UINT64_MAX, 2, all);
    }
}

TEST(what_fails_leaves_nothing)
{
    make_hashes(8, 2000);
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        const ink_allocator allocator = faults_allocator(&memory);
        const ink_job       job = {.threads = 1, .allocator = &allocator};
        ink__passes         passes;
        ink_status          status =
            ink__passes_begin(&passes, &planned, 8, 4000, "/tmp", &allocator, &error);
        for (unsigned i = 0; i < 2 && status == INK_OK; i++)
            status = ink__passes_put(&passes, hashes, hash_count, &error);
        if (status == INK_OK)
            status = ink__passes_run(&passes, &job, 0, &error);
        ink__passes_end(&passes);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        faults_check_no_leak(&memory);
    }
}

RUN_TESTS()
