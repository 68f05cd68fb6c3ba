/* spill_test.c - elements put into partitions are read back, from memory and from the unnamed file,
 * each in one piece; and nothing is left after any refusal. */
#include "jobs/groups/spill.h"

#include "base/memory.h"
#include "jobs/groups/elements.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/records.h"

#include <errno.h>

static ink_error error;

static uint64_t chance = 11;

static uint64_t random_64(void)
{
    return records_random(&chance);
}

/* ---- What comes out ----------------------------------------------------------------------- */

/* Elements of 8 or 16 bytes whose words can be summed up: an order is not promised. */
typedef struct seen {
    uint32_t each; /* bytes of an element */
    uint64_t elements, sum, mixed;
    unsigned visits;
} seen;

static void add_element(seen *to, const uint8_t *element)
{
    uint64_t words[2] = {0, 0};

    memcpy(words, element, to->each);
    to->elements++;
    to->sum += words[0];
    to->mixed ^= (words[0] + 3 * words[1]) * 0x9e3779b97f4a7c15u;
}

static ink_status see(void *host, const uint8_t *elements, uint64_t bytes, ink_error *failure)
{
    seen *to = host;

    CHECK(bytes > 0 && bytes % to->each == 0); /* no element is torn */
    for (uint64_t at = 0; at < bytes; at += to->each)
        add_element(to, elements + at);
    to->visits++;
    return INK_OK;
}

/* ---- A spill, and its memory -------------------------------------------------------------- */

typedef struct opened {
    faults_memory memory;
    ink__spill    spill;
} opened;

static void open_spill(opened *of, uint64_t limit, uint64_t partitions)
{
    *of = (opened){.memory = {0}};
    ink_allocator allocator = faults_allocator(&of->memory);
    ink__spill_begin(&of->spill, limit, NULL, ".", &allocator);
    while (of->spill.count < partitions)
        CHECK_OK(ink__spill_add(&of->spill, &error));
}

static void close_spill(opened *of)
{
    ink__spill_end(&of->spill);
    faults_check_no_leak(&of->memory);
}
#define owned_spill OWNED(close_spill) opened

/* ---- Putting ------------------------------------------------------------------------------ */

enum { PARTITIONS = 50 };

/* Puts `count` random elements into random ones of the partitions that are there, and notes them.
 */
static ink_status put_some(ink__spill *spill, uint64_t count, seen expected[PARTITIONS],
                           uint32_t each)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t partition = random_64() % (random_64() % 7 == 0 ? spill->count : 3);
        uint64_t element[2] = {random_64(), random_64()};
        INK__TRY(ink__spill_put(spill, partition, element, each, &error));
        expected[partition].each = each;
        add_element(&expected[partition], (const uint8_t *)element);
    }
    return INK_OK;
}

static ink_status check_spill(const ink__spill *spill, const seen expected[PARTITIONS],
                              uint32_t each)
{
    for (uint64_t partition = 0; partition < spill->count; partition++) {
        seen found = {.each = each};
        INK__TRY(ink__spill_each(spill, partition, see, &found, &error));
        assert_int_equal(found.elements, expected[partition].elements);
        assert_int_equal(ink__spill_elements(spill, partition), expected[partition].elements);
        CHECK(found.sum == expected[partition].sum && found.mixed == expected[partition].mixed);
    }
    return INK_OK;
}

/* Fills partitions a few times, with new partitions in between, and looks each time. */
static ink_status fill_and_check(ink__spill *spill, uint32_t each, uint64_t count)
{
    seen expected[PARTITIONS] = {{0}};

    for (int round = 0; round < 3; round++) {
        while (spill->count < (round == 0 ? 3 : PARTITIONS)) /* a run that knows only the first */
            INK__TRY(ink__spill_add(spill, &error));
        INK__TRY(put_some(spill, count, expected, each));
        INK__TRY(check_spill(spill, expected, each));
    }
    return INK_OK;
}

TEST(spill_hold_what_was_put_into_them)
{
    static const uint64_t limits[] = {0, 1, 1000, 100000, 1000000, UINT64_MAX};

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        for (uint32_t each = 8; each <= 16; each += 8) {
            /* Without room every block goes to the file for itself. */
            uint64_t count = limits[i] < 1000 ? 100 : 40000;
            opened   of;
            faults_system_begin(NULL);
            open_spill(&of, limits[i], 0);
            CHECK_OK(fill_and_check(&of.spill, each, count));
            CHECK((faults_calls(FAULTS_WRITE_AT) > 0) == (limits[i] <= 1000000));
            assert_int_equal(faults_calls(FAULTS_OPEN), limits[i] <= 1000000);
            assert_int_equal(faults_names_here(), 0); /* not even while it is there */
            close_spill(&of);
            faults_system_end();
            assert_int_equal(faults_open_files(), 0);
        }
}

TEST(memory_stays_near_the_limit)
{
    owned_spill of;
    seen        expected[PARTITIONS] = {{0}};

    open_spill(&of, 2 << 20, PARTITIONS);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(put_some(&of.spill, 100000, expected, 8));
        CHECK(of.spill.kept_bytes <= (2 << 20) + (64 << 10));
    }
    /* 16 MB went through; a slab, its alignment and a piece for the file come on top. */
    CHECK(of.memory.most_bytes < (2 << 20) + (10 << 20));
    CHECK_OK(check_spill(&of.spill, expected, 8));
}

TEST(spill_that_share_a_limit_keep_to_it_together)
{
    enum { SHARING = 3, LIMIT = 4 << 20 };
    atomic_uint_fast64_t kept = 0;
    opened               of[SHARING];
    seen                 expected[SHARING][PARTITIONS] = {{{0}}};

    faults_system_begin(NULL);
    for (int i = 0; i < SHARING; i++) {
        open_spill(&of[i], LIMIT, PARTITIONS);
        of[i].spill.shared = &kept;
    }
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < SHARING; i++)
            CHECK_OK(put_some(&of[i].spill, 20000, expected[i], 16));
        assert_int_equal(atomic_load(&kept),
                         of[0].spill.kept_bytes + of[1].spill.kept_bytes + of[2].spill.kept_bytes);
        CHECK(atomic_load(&kept) <= LIMIT + LIMIT / 2);
        if (round == 2)
            assert_int_equal(faults_calls(FAULTS_OPEN), 0); /* about 3 MB: there is room */
    }
    CHECK(faults_calls(FAULTS_OPEN) > 0); /* 38 MB went through */
    for (int i = 0; i < SHARING; i++) {
        CHECK_OK(check_spill(&of[i].spill, expected[i], 16));
        close_spill(&of[i]);
    }
    faults_system_end();
    assert_int_equal(atomic_load(&kept), 0);
    assert_int_equal(faults_open_files(), 0);
}

TEST(many_at_a_time_are_as_one_by_one)
{
    enum { MOST = 30000 };
    static uint64_t       words[2 * MOST];
    static const uint64_t limits[] = {300, 100000, UINT64_MAX};

    for (size_t l = 0; l < 3; l++) {
        owned_spill of;
        seen        expected[PARTITIONS] = {{0}};
        open_spill(&of, limits[l], 3);
        for (uint64_t count = 0; count < MOST; count = 3 * count + 1) {
            uint64_t partition = count % 3;
            for (uint64_t i = 0; i < 2 * count; i++)
                words[i] = random_64();
            CHECK_OK(ink__spill_put_many(&of.spill, partition, words, 16, count, &error));
            expected[partition].each = 16;
            for (uint64_t i = 0; i < count; i++)
                add_element(&expected[partition], (const uint8_t *)&words[2 * i]);
        }
        CHECK_OK(check_spill(&of.spill, expected, 16));
    }
}

TEST(hashes_are_scattered_by_their_first_bits)
{
    enum { COUNT = 150011 };
    static uint64_t       hashes[COUNT];
    static const uint64_t limits[] = {300, 100000, 400000, UINT64_MAX};

    for (size_t l = 0; l < 4; l++) {
        owned_spill of;
        seen        expected[PARTITIONS] = {{.each = 8}, {.each = 8}, {.each = 8}, {.each = 8}};
        open_spill(&of, limits[l], 4);
        for (size_t i = 0; i < COUNT; i++) {
            hashes[i] =
                i % 7 == 0 ? random_64() >> 2 : random_64(); /* more of the first partition */
            add_element(&expected[hashes[i] >> 62], (const uint8_t *)&hashes[i]);
        }
        for (size_t done = 0, some; done < COUNT; done += some) {
            some = COUNT - done < 1 + done % 900 ? COUNT - done : 1 + done % 900;
            CHECK_OK(ink__spill_scatter(&of.spill, hashes + done, some, 62, &error));
        }
        CHECK_OK(check_spill(&of.spill, expected, 8));
    }
}

enum { MANY = 20000 };

/* Two partitions, of which the first has enough that hashes are collected in lines from now on. */
static ink_status begin_with_many(ink__spill *spill)
{
    static const uint64_t many[MANY];

    INK__TRY(ink__spill_add(spill, &error));
    INK__TRY(ink__spill_add(spill, &error));
    return ink__spill_put_many(spill, 0, many, 8, MANY, &error);
}

/* Scatters `count` hashes, five at a time, over two partitions; a failure may come before any of
 * them. What was scattered before it is there. */
static ink_status scatter_some(ink__spill *spill, uint64_t count)
{
    seen expected[2] = {{.each = 8, .elements = MANY}, {.each = 8}};

    INK__TRY(begin_with_many(spill));
    for (uint64_t done = 0; done < count; done += 5) {
        uint64_t   hashes[5];
        uint64_t   before = ink__spill_elements(spill, 0) + ink__spill_elements(spill, 1);
        ink_status status;
        for (int i = 0; i < 5; i++)
            hashes[i] = random_64();
        status = ink__spill_scatter(spill, hashes, 5, 63, &error);
        uint64_t now = ink__spill_elements(spill, 0) + ink__spill_elements(spill, 1) - before;
        CHECK(status == INK_OK ? now == 5 : now < 5);
        for (uint64_t i = 0; i < now; i++)
            add_element(&expected[hashes[i] >> 63], (const uint8_t *)&hashes[i]);
        for (uint64_t partition = 0; partition < 2; partition++) {
            seen found = {.each = 8};
            CHECK_OK(ink__spill_each(spill, partition, see, &found, &error));
            assert_int_equal(found.elements, expected[partition].elements);
            assert_int_equal(found.sum, expected[partition].sum);
        }
        INK__TRY(status);
    }
    return INK_OK;
}

TEST(hashes_are_there_as_soon_as_they_were_scattered)
{
    uint64_t turns = 0;

    /* And those before a refusal too. */
    for (faults_memory memory = {0}; faults_refuse_next(&memory); turns++) {
        ink_allocator allocator = faults_allocator(&memory);
        ink__spill    spill;
        ink__spill_begin(&spill, UINT64_MAX, NULL, ".", &allocator);
        ink_status status = scatter_some(&spill, 500);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        ink__spill_end(&spill);
    }
    CHECK(turns > 10);
}

TEST(hashes_that_were_scattered_are_forgotten_with_their_partition)
{
    owned_spill of;
    uint64_t    hashes[] = {1, 2, UINT64_MAX};
    seen        none = {.each = 8}, one = {.each = 8};

    open_spill(&of, UINT64_MAX, 0);
    CHECK_OK(begin_with_many(&of.spill));
    CHECK_OK(ink__spill_scatter(&of.spill, hashes, 3, 63, &error));
    ink__spill_empty(&of.spill, 0);
    CHECK_OK(ink__spill_each(&of.spill, 0, see, &none, &error));
    CHECK_OK(ink__spill_each(&of.spill, 1, see, &one, &error));
    assert_int_equal(none.visits, 0);
    assert_int_equal(one.elements, 1);
}

TEST(what_is_forgotten_in_memory_is_gone_and_the_rest_stays)
{
    owned_spill of;
    uint64_t    word = 1;

    open_spill(&of, UINT64_MAX, 2);
    for (int round = 0; round < 5; round++) { /* blocks of every size, given back and taken again */
        for (int i = 0; i < 100000; i++, word++)
            CHECK_OK(ink__spill_put(&of.spill, word % 2, &word, 8, &error));
        ink__spill_empty(&of.spill, 0);
        of.spill.partitions[0].elements = 0;
        seen none = {.each = 8}, odd = {.each = 8};
        CHECK_OK(ink__spill_each(&of.spill, 0, see, &none, &error));
        CHECK_OK(ink__spill_each(&of.spill, 1, see, &odd, &error));
        assert_int_equal(none.visits, 0);
        assert_int_equal(odd.elements, 50000 * (round + 1));
    }
    ink__spill_empty(&of.spill, 1);
    assert_int_equal(of.spill.kept_bytes, 0);
}

/* ---- Elements of any size ----------------------------------------------------------------- */

/* Keys: their number, and the bytes of number n, which are n times the byte n. */
static ink_status see_keys(void *host, const uint8_t *elements, uint64_t bytes, ink_error *failure)
{
    uint64_t *sum = host;

    for (uint64_t at = 0; at < bytes;) {
        ink__key_head head = ink__key_head_read(elements + at);
        at += INK__KEY_HEAD_BYTES;
        CHECK(head.bytes <= bytes - at && head.weight == head.bytes + (uint64_t)7);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < head.bytes; i++)
            wrong += elements[at + i] != (uint8_t)head.bytes;
        assert_int_equal(wrong, 0);
        at += head.bytes;
        *sum += head.bytes + (uint64_t)1;
    }
    return INK_OK;
}

TEST(keys_of_any_length_are_never_torn)
{
    /* Around the sizes of blocks, first, largest and beyond. */
    static const uint32_t lengths[] = {0,     1,     7,     90,    99,    100,   101,    5000,
                                       65400, 65507, 65508, 65509, 65535, 65536, 200000, 3000000};
    static const uint64_t limits[] = {0, 70000, UINT64_MAX};
    static uint8_t        key[3000000];

    for (size_t l = 0; l < 3; l++) {
        owned_spill of;
        uint64_t    sums[2] = {0, 0}, found[2] = {0, 0};
        open_spill(&of, limits[l], 2);
        for (unsigned i = 0; i < 80; i++) {
            uint32_t bytes = lengths[(i * 7 + i / 16) % 16];
            memset(key, (int)(bytes & 0xff), bytes);
            CHECK_OK(ink__spill_put_key(&of.spill, i % 2, key, bytes, bytes + (uint64_t)7, &error));
            sums[i % 2] += bytes + (uint64_t)1;
        }
        for (unsigned partition = 0; partition < 2; partition++) {
            CHECK_OK(ink__spill_each(&of.spill, partition, see_keys, &found[partition], &error));
            assert_int_equal(found[partition], sums[partition]);
            assert_int_equal(of.spill.partitions[partition].elements, 40);
        }
    }
}

/* ---- Failing ------------------------------------------------------------------------------ */

/* Thread by thread and byte by byte, most of the failures say nothing new, and take long. */
static unsigned step(void)
{
    return getenv("INK_TEST_LIGHT") != NULL ? 11 : 1;
}

/* A run that spills often, and reads back. */
static ink_status run_small(const ink_allocator *allocator)
{
    ink__spill spill;

    ink__spill_begin(&spill, 3000, NULL, ".", allocator);
    ink_status status = fill_and_check(&spill, 16, 400);
    ink__spill_end(&spill);
    return status;
}

TEST(interrupted_and_short_calls_go_on)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);

    faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = 100});
    CHECK_OK(run_small(&heap));
    faults_system_end();
    CHECK(faults_calls(FAULTS_OPEN) == 2 && faults_calls(FAULTS_WRITE_AT) > 50);
    CHECK(faults_calls(FAULTS_READ_AT) > 50);
    assert_int_equal(faults_open_files(), 0);
}

TEST(every_call_can_fail_and_leaves_nothing)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    unsigned      failures = 0;

    for (unsigned nth = 1;; nth += step()) {
        faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = ENOSPC});
        ink_status status = run_small(&heap);
        bool       struck = faults_struck();
        bool closing = status == INK_OK; /* the last call: what is closed there is done with */
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_names_here(), 0);
        if (!struck)
            break;
        if (!closing) {
            assert_int_equal(status, INK_IO);
            assert_int_equal(error.os_error, ENOSPC);
            CHECK(strstr(error.message, "a temporary file in .: ") != NULL);
            failures++;
        }
    }
    CHECK(failures > 20 / step());
}

TEST(a_file_that_lost_its_end_is_reported)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);

    faults_system_begin(&(faults_plan){.ends_early = true});
    CHECK_FAILS(run_small(&heap), INK_IO, "cannot read a temporary file in .");
    faults_system_end();
    assert_int_equal(error.os_error, EIO);
    assert_int_equal(faults_open_files(), 0);
}

TEST(a_folder_that_is_not_there_is_reported)
{
    owned_spill of;
    uint64_t    word = 1;

    open_spill(&of, 0, 1);
    of.spill.spool.folder = "nowhere";
    CHECK_FAILS(ink__spill_put(&of.spill, 0, &word, 8, &error), INK_IO,
                "cannot make a temporary file in nowhere");
    assert_int_equal(error.os_error, ENOENT);
    assert_int_equal(of.spill.partitions[0].elements, 0);
}

TEST(every_refused_allocation_is_a_failure_and_no_leak)
{
    uint64_t nth = 1;

    for (;; nth += step()) {
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        faults_system_begin(NULL);
        ink_status status = run_small(&allocator);
        faults_system_end();
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        assert_int_equal(faults_open_files(), 0);
        faults_check_no_leak(&memory);
        if (memory.refused == 0)
            break;
    }
    CHECK(nth > 50);
}

static ink_status refuse(void *host, const uint8_t *elements, uint64_t bytes, ink_error *failure)
{
    if (--*(int *)host > 0)
        return INK_OK;
    return ink__fail(failure, INK_LIMIT, INK_NOWHERE, 0, "enough");
}

TEST(a_visitor_may_refuse_what_is_in_memory_or_in_the_file)
{
    owned_spill of;

    open_spill(&of, 300, 1);
    for (uint64_t word = 0; word < 60; word++) /* a run and a block */
        CHECK_OK(ink__spill_put(&of.spill, 0, &word, 8, &error));
    for (int when = 1; when <= 2; when++) {
        int left = when;
        CHECK_FAILS(ink__spill_each(&of.spill, 0, refuse, &left, &error), INK_LIMIT, "enough");
    }
}

/* A test that fails in the middle must not take the table with it into the next one. */
static int end_faults(void **state)
{
    faults_system_end();
    return 0;
}

RUN_TESTS(.after = end_faults)
