/* elements_test.c - elements are gathered as they were put, and distinct hashes are those of a
 * naive search, in order of first occurrence, with the sums of their weights. */
#include "jobs/groups/elements.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <time.h>

static ink_error error;

static uint64_t chance = 23;

static uint64_t random_64(void)
{
    return records_random(&chance);
}

/* ---- Gathering ---------------------------------------------------------------------------- */

TEST(a_key_head_is_read_as_it_was_written)
{
    uint8_t bytes[INK__KEY_HEAD_BYTES + 2] = {[0] = 0x55, [INK__KEY_HEAD_BYTES + 1] = 0x66};

    ink__key_head_write(bytes + 1, (ink__key_head){.weight = UINT64_MAX - 2, .bytes = 0x80000001});
    ink__key_head head = ink__key_head_read(bytes + 1);
    CHECK(head.weight == UINT64_MAX - 2 && head.bytes == 0x80000001);
    CHECK(bytes[0] == 0x55 && bytes[INK__KEY_HEAD_BYTES + 1] == 0x66);
}

TEST(hashes_and_weights_come_together)
{
    enum { COUNT = 3000 };
    static uint64_t elements[2 * COUNT];

    for (size_t i = 0; i < 2 * COUNT; i++)
        elements[i] = random_64();
    for (int weighted = 0; weighted < 2; weighted++) {
        faults_memory memory = {0};
        ink__gather   gather = {.allocator = faults_allocator(&memory),
                                .keep = weighted ? INK__KEEP_WEIGHTS : INK__KEEP_HASHES};
        uint64_t      each = weighted ? 2 : 1, done = 0;
        while (done < COUNT) { /* pieces of any size */
            uint64_t more = 1 + random_64() % 700;
            more = more > COUNT - done ? COUNT - done : more;
            CHECK_OK(ink__gather_add(&gather, (const uint8_t *)(elements + each * done),
                                     8 * each * more, &error));
            done += more;
        }
        ink_batch batch = ink__gather_batch(&gather);
        assert_int_equal(batch.count, COUNT);
        CHECK(batch.data == NULL && batch.offsets == NULL && batch.ends == NULL);
        CHECK(batch.ints == NULL && (batch.weights != NULL) == (weighted == 1));
        for (size_t i = 0; i < COUNT; i++) {
            CHECK(batch.hashes[i] == elements[each * i]);
            CHECK(!weighted || batch.weights[i] == elements[each * i + 1]);
        }
        ink__gather_end(&gather);
        faults_check_no_leak(&memory);
    }
}

/* The key of number i: some bytes, of some length, often none. */
static uint32_t make_key(uint64_t i, uint8_t *key)
{
    uint32_t bytes = i % 5 == 0 ? 0 : (uint32_t)(i * 37 % 300);

    for (uint32_t k = 0; k < bytes; k++)
        key[k] = (uint8_t)(i + k);
    return bytes;
}

TEST(keys_go_through_spill_and_come_together)
{
    enum { COUNT = 700 };
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink__gather   gather = {.allocator = allocator, .keep = INK__KEEP_KEYS};
    ink__spill    spill;
    uint8_t       key[300];

    ink__spill_begin(&spill, UINT64_MAX, NULL, ".", &allocator); /* in memory the order stays */
    CHECK_OK(ink__spill_add(&spill, &error));
    for (uint64_t i = 0; i < COUNT; i++)
        CHECK_OK(ink__spill_put_key(&spill, 0, key, make_key(i, key), i * i, &error));
    CHECK_OK(ink__spill_each(&spill, 0, ink__gather_add, &gather, &error));
    ink__spill_end(&spill);
    CHECK_OK(ink__gather_key(&gather, (const uint8_t *)"last", 4, 9, &error));
    ink_batch batch = ink__gather_batch(&gather);
    assert_int_equal(batch.count, COUNT + 1);
    CHECK(batch.hashes == NULL && batch.ints == NULL);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint32_t bytes = make_key(i, key);
        assert_int_equal(batch.ends[i] - batch.offsets[i], bytes);
        assert_memory_equal(batch.data + batch.offsets[i], key, bytes);
        assert_int_equal(batch.weights[i], i * i);
    }
    assert_memory_equal(batch.data + batch.offsets[COUNT], "last", 4);
    assert_int_equal(batch.weights[COUNT], 9);
    ink__gather_end(&gather);
    faults_check_no_leak(&memory);
}

TEST(nothing_gathered_is_an_empty_batch)
{
    ink__gather gather = {.allocator = ink__allocator_or_heap(NULL)};
    ink__table  table = {0};

    assert_int_equal(ink__gather_batch(&gather).count, 0);
    CHECK_OK(ink__gather_add(&gather, NULL, 0, &error));
    CHECK_OK(ink__gather_distinct(&gather, &table, &error));
    assert_int_equal(gather.count, 0);
    ink__release(&gather.allocator, table.slots, table.bytes);
    ink__gather_end(&gather);
}

/* ---- Distinct ----------------------------------------------------------------------------- */

enum { MOST = 4000 };

static uint64_t hashes[MOST], weights[MOST];
static struct {
    uint64_t hash, weight, first;
} naive[MOST];
static size_t naive_count;

/* By looking at all that came before. */
static void find_naively(size_t count)
{
    naive_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < naive_count && naive[k].hash != hashes[i])
            k++;
        if (k == naive_count) {
            naive[naive_count].hash = hashes[i];
            naive[naive_count].first = i;
            naive[naive_count++].weight = weights[i];
        } else if (naive[k].weight > UINT64_MAX - weights[i])
            naive[k].weight = UINT64_MAX;
        else
            naive[k].weight += weights[i];
    }
}

/* Hashes of several sorts, among them 0, and those whose high or low bits are all the same. */
static void make_hashes(size_t count, unsigned sort, uint64_t different)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t number = random_64() % different;
        hashes[i] = sort == 0     ? number
                    : sort == 1   ? number << 50
                    : sort == 2   ? number * 0x9e3779b97f4a7c15u
                    : sort == 3   ? (uint64_t)0xab << 56 | number << 20
                    : number == 0 ? 0
                                  : UINT64_MAX;
        weights[i] = random_64() % 3 == 0 ? random_64() : random_64() % 10;
    }
}

static ink_status gather_all(ink__gather *gather, size_t count)
{
    uint8_t key[300];

    for (size_t i = 0; i < count; i++) {
        uint64_t element[2] = {hashes[i], weights[i]};
        if (gather->keep == INK__KEEP_KEYS)
            INK__TRY(ink__gather_key(gather, key, make_key(i, key), weights[i], &error));
        else
            INK__TRY(ink__gather_add(gather, (const uint8_t *)element,
                                     gather->keep == INK__KEEP_HASHES ? 8 : 16, &error));
    }
    if (gather->keep == INK__KEEP_KEYS && count > 0) { /* their hashes beside them */
        void *memory = gather->hashes;
        if (gather->hashes_room < 8 * count)
            INK__TRY(
                ink__grow(&gather->allocator, &memory, &gather->hashes_room, 0, 8 * count, &error));
        gather->hashes = memory;
        memcpy(gather->hashes, hashes, 8 * count);
    }
    return INK_OK;
}

static void check_distinct(const ink__gather *gather)
{
    uint8_t key[300];

    assert_int_equal(gather->count, naive_count);
    for (size_t i = 0; i < naive_count; i++) {
        CHECK(gather->hashes[i] == naive[i].hash);
        if (gather->keep != INK__KEEP_HASHES)
            CHECK(gather->weights[i] == naive[i].weight);
        if (gather->keep == INK__KEEP_KEYS) {
            uint32_t bytes = make_key(naive[i].first, key);
            assert_int_equal(gather->ends[i] - gather->starts[i], bytes);
            assert_memory_equal(gather->bytes + gather->starts[i], key, bytes);
        }
    }
}

TEST(distinct_hashes_are_those_of_a_naive_search)
{
    static const uint64_t different[] = {1, 2, 30, 1000, UINT32_MAX};
    faults_memory         memory = {0};
    ink__table            table = {0}; /* one for all, large and small */
    ink_allocator         allocator = faults_allocator(&memory);

    for (unsigned round = 0; round < 75; round++) {
        size_t      count = round < 5 ? round : random_64() % (round % 2 == 0 ? 30 : MOST);
        ink__gather gather = {.allocator = allocator, .keep = (ink__keep)(round % 3)};
        make_hashes(count, round % 5, different[round / 5 % 5]);
        find_naively(count);
        CHECK_OK(gather_all(&gather, count));
        CHECK_OK(ink__gather_distinct(&gather, &table, &error));
        check_distinct(&gather);
        CHECK_OK(ink__gather_distinct(&gather, &table, &error)); /* and again: nothing changes */
        check_distinct(&gather);
        ink__gather_end(&gather);
    }
    ink__release(&allocator, table.slots, table.bytes);
    faults_check_no_leak(&memory);
}

TEST(hash_0_is_a_hash_like_any_other)
{
    static const uint64_t elements[] = {0, 5, 7, 1, 0, 6, 0, UINT64_MAX, 7, 2};
    ink__gather gather = {.allocator = ink__allocator_or_heap(NULL), .keep = INK__KEEP_WEIGHTS};
    ink__table  table = {0};

    CHECK_OK(ink__gather_add(&gather, (const uint8_t *)elements, sizeof elements, &error));
    CHECK_OK(ink__gather_distinct(&gather, &table, &error));
    assert_int_equal(gather.count, 2);
    CHECK(gather.hashes[0] == 0 && gather.weights[0] == UINT64_MAX); /* 5 + 6 + the most */
    CHECK(gather.hashes[1] == 7 && gather.weights[1] == 3);
    ink__release(&gather.allocator, table.slots, table.bytes);
    ink__gather_end(&gather);
}

/* The processor seconds that ink__gather_distinct takes for `count` multiples of `step`. */
static double seconds_for_multiples(uint64_t step, size_t count)
{
    ink__gather gather = {.allocator = ink__allocator_or_heap(NULL), .keep = INK__KEEP_HASHES};
    ink__table  table = {0};

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t hash = step == 0 ? random_64() : i * step;
        CHECK_OK(ink__gather_add(&gather, (const uint8_t *)&hash, sizeof hash, &error));
    }
    clock_t began = clock();
    CHECK_OK(ink__gather_distinct(&gather, &table, &error));
    double took = (double)(clock() - began) / CLOCKS_PER_SEC;
    assert_int_equal(gather.count, count);
    ink__release(&gather.allocator, table.slots, table.bytes);
    ink__gather_end(&gather);
    return took;
}

/* An attacker who knows the table chooses keys whose hashes collide in it, such as 0 to 199999
 * divided by a number that it multiplies by: 20,000,000,000 probes instead of 300,000. */
TEST(hashes_that_were_chosen_take_no_longer_than_others)
{
    enum { COUNT = 200000 };
    static const uint64_t golden = 0xf1de83e19937733du; /* x 0x9e3779b97f4a7c15 = 1 */
    static const uint64_t steps[] = {golden, 1, (uint64_t)1 << 20};
    double                others = seconds_for_multiples(0, COUNT);

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double took = seconds_for_multiples(steps[i], COUNT);
        if (took > 20 * others + 0.5)
            fail_msg("step %llx: %g s, others %g s", (unsigned long long)steps[i], took, others);
    }
}

TEST(refused_memory_is_a_failure_and_no_leak)
{
    make_hashes(1500, 2, 900);
    find_naively(1500);
    for (ink__keep keep = INK__KEEP_HASHES; keep <= INK__KEEP_KEYS; keep++)
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            ink__gather gather = {.allocator = faults_allocator(&memory), .keep = keep};
            ink__table  table = {0};
            ink_status  status = gather_all(&gather, 1500);
            if (status == INK_OK)
                status = ink__gather_distinct(&gather, &table, &error);
            assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
            if (status == INK_OK)
                check_distinct(&gather);
            ink__release(&gather.allocator, table.slots, table.bytes);
            ink__gather_end(&gather);
        }
}

RUN_TESTS()
