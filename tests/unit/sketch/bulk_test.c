/* bulk_test.c - keys that are sorted by range and then added give the bytes of keys added one by
 * one: for every size, number of parts and table of kernels, however the hashes are spread, and
 * with however much memory there is; and sketches made like others. */
#include "base/tuning.h"
#include "kernels/dispatch.h"
#include "properties/sketches.h"
#include "sketch/internal.h"
#include "support/faults.h"
#include "support/sketches.h"

#include <pthread.h>

static uint64_t *random_hashes(size_t count)
{
    uint64_t *hashes = test_malloc((count + 1) * sizeof *hashes);
    generator random = {count};

    for (size_t i = 0; i < count; i++)
        hashes[i] = next_random(&random);
    return hashes;
}

/* Adds hashes in one bulk of this many parts, one after another; returns how many turns it took. */
static unsigned add_bulk(ink_sketch *sketch, const ink_batch *batch, unsigned parts)
{
    ink__bulk *bulk;
    unsigned   turns = 0;

    CHECK_OK(ink__bulk_open(&bulk, sketch, batch, parts, &error));
    do {
        const unsigned shares = ink__bulk_shares(bulk);
        for (unsigned part = 0; part < parts; part++)
            ink__bulk_sort(bulk, parts - 1 - part);
        for (unsigned part = 0; part < (turns == 0 ? shares : parts); part++)
            if (turns == 0)
                ink__bulk_apply_share(bulk, shares - 1 - part, shares);
            else
                ink__bulk_apply(bulk, part);
        turns++;
    } while (ink__bulk_more(bulk));
    ink__bulk_close(bulk);
    return turns;
}

/* Fails unless two sketches have the same bytes, and records; frees both. */
static void check_same(ink_sketch *a, ink_sketch *b)
{
    uint8_t of_a[INK_DIGEST_BYTES], of_b[INK_DIGEST_BYTES];

    CHECK_OK(ink_sketch_digest(a, of_a, &error));
    CHECK_OK(ink_sketch_digest(b, of_b, &error));
    assert_memory_equal(of_a, of_b, INK_DIGEST_BYTES);
    assert_int_equal(sketches_describe(a).bytes, sketches_describe(b).bytes);
    assert_int_equal(sketches_describe(a).records, sketches_describe(b).records);
    ink_sketch_free(a);
    ink_sketch_free(b);
}

/* ---- The same bytes ----------------------------------------------------------------------- */

static const ink_params shapes[] = {
    {.kind = "bloom", .bits = 256},
    {.kind = "bloom", .bits = 256 * 3},
    {.kind = "bloom", .bits = 256 * 127},
    {.kind = "bloom", .bits = (uint64_t)256 * 100003}, /* ranges that end within the last one */
    {.kind = "counting", .bits = 1024},
    {.kind = "counting", .bits = (uint64_t)1024 * 30011},
    {.kind = "classic", .bits = 1, .hashes = 9},
    {.kind = "classic", .bits = 100003, .hashes = 3},
    {.kind = "classic", .bits = (uint64_t)256 * 100003 + 1, .hashes = 7},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

TEST(any_number_of_keys_and_parts_gives_the_same_bytes)
{
    static const size_t   counts[] = {0, 1, 2, 503, 504, 505, 9973, 40009};
    static const unsigned parts[] = {1, 2, 3, 64, 1024};
    uint64_t             *hashes = random_hashes(40009);

    for (size_t s = 0; s < SHAPES; s++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
                if ((light() || parts[p] == 1024) && (s + c + p) % 3 != 0)
                    continue;
                const ink_batch batch = {.count = counts[c], .hashes = hashes};
                ink_sketch     *plain = make(&shapes[s]), *bulk = make(&shapes[s]);
                CHECK_OK(ink_sketch_add_batch(plain, &batch, &error));
                (void)add_bulk(bulk, &batch, parts[p]);
                check_same(plain, bulk);
            }
    test_free(hashes);
}

/* The room of a small sketch is used up many times over. */
TEST(keys_beyond_the_room_take_several_turns)
{
    const size_t    count = (size_t)(ink__tuning_now().l2_bytes / 2 + 3);
    uint64_t       *hashes = random_hashes(count);
    const ink_batch batch = {.count = count, .hashes = hashes};

    for (unsigned parts = 1; parts <= 3; parts++) {
        ink_sketch *plain = make(&shapes[2]), *bulk = make(&shapes[2]);
        CHECK_OK(ink_sketch_add_batch(plain, &batch, &error));
        assert_true(add_bulk(bulk, &batch, parts) > (parts == 1 ? 10 : 2));
        check_same(plain, bulk);
    }
    test_free(hashes);
}

TEST(hashes_that_all_fall_into_one_range_are_added)
{
    static const uint64_t where[] = {0, UINT64_MAX, (uint64_t)1 << 63, 0xffffffff};
    enum { COUNT = 50000 };
    uint64_t       *hashes = random_hashes(COUNT);
    const ink_batch batch = {.count = COUNT, .hashes = hashes};

    for (size_t w = 0; w < sizeof where / sizeof where[0]; w++)
        for (size_t s = 0; s < SHAPES; s++) {
            for (size_t i = 0; i < COUNT; i++)
                hashes[i] = where[w];
            ink_sketch *plain = make(&shapes[s]), *bulk = make(&shapes[s]);
            CHECK_OK(ink_sketch_add_batch(plain, &batch, &error));
            (void)add_bulk(bulk, &batch, 2);
            check_same(plain, bulk);
        }
    test_free(hashes);
}

TEST(keys_of_every_form_are_hashed_on_the_way)
{
    enum { COUNT = 3001 };
    static uint8_t  bytes[COUNT * KEY_BYTES_MAX];
    static uint64_t offsets[COUNT + 1];
    static int64_t  ints[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        offsets[i + 1] = offsets[i] + bytes_of_key(i, bytes + offsets[i]);
        ints[i] = int_of_key(i);
    }
    for (size_t v = 0; v < VARIANTS; v++) {
        const ink_params *params = &variants[v].params;
        bool              is_int = params->key_type == INK_KEY_INT;
        const ink_batch   batch = {.count = COUNT,
                                   .ints = is_int ? ints : NULL,
                                   .data = is_int ? NULL : bytes,
                                   .offsets = is_int ? NULL : offsets,
                                   .records = 5000};
        if (strcmp(params->kind, "bloom") != 0 && strcmp(params->kind, "counting") != 0)
            continue;
        ink_sketch *plain = make(params), *bulk = make(params);
        CHECK_OK(ink_sketch_add_batch(plain, &batch, &error));
        (void)add_bulk(bulk, &batch, 3);
        assert_int_equal(sketches_describe(bulk).records, 5000);
        check_same(plain, bulk);
    }
}

/* Hands hashes in, some to each part in turn; returns how many times the room was used up. */
static unsigned put_hashes(ink_sketch *sketch, const uint64_t *hashes, size_t count,
                           uint64_t room_bytes, unsigned parts)
{
    ink__bulk *bulk;
    unsigned   turns = 0;

    CHECK_OK(ink__bulk_open_for_hashes(&bulk, sketch, room_bytes, parts, &error));
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < 1 + done % 700 ? count - done : 1 + done % 700;
        size_t put = ink__bulk_put(bulk, (unsigned)(done % parts), hashes + done, some);
        for (unsigned part = 0; part < parts && put < some; part++)
            ink__bulk_apply(bulk, part);
        turns += put < some;
        assert_false(put < some && ink__bulk_more(bulk));
        some = put;
    }
    for (unsigned part = 0; part < parts; part++)
        ink__bulk_apply(bulk, part);
    assert_false(ink__bulk_more(bulk));
    ink__bulk_close(bulk);
    return turns;
}

TEST(hashes_that_come_some_at_a_time_give_the_same_bytes)
{
    enum { COUNT = 100003 };
    static const unsigned parts[] = {1, 2, 7};
    uint64_t             *hashes = random_hashes(COUNT);

    for (size_t s = 0; s < SHAPES; s++)
        for (size_t p = 0; p < 3; p++)
            for (uint64_t room = 0; room <= 1 << 16; room += 1 << 16) {
                const ink_batch batch = {.count = COUNT, .hashes = hashes};
                ink_sketch     *plain = make(&shapes[s]), *bulk = make(&shapes[s]);
                CHECK_OK(ink_sketch_add_batch(plain, &batch, &error));
                unsigned turns = put_hashes(bulk, hashes, COUNT, room, parts[p]);
                assert_true(turns > 0 || room == 0); /* 800 KB of hashes in 64 KiB */
                check_same(plain, bulk);
            }
    test_free(hashes);
}

/* ---- Batches that are sorted by themselves ------------------------------------------------ */

/* A filter just as large as it takes, and as many keys. */
static ink_params large_params(const char *kind, unsigned block_bytes)
{
    uint64_t blocks = ink__tuning_now().radix_from_bytes / block_bytes + 1;

    return (ink_params){.kind = kind, .bits = blocks * block_bytes * 8};
}

static size_t enough_keys(const ink_params *params)
{
    return (size_t)(params->bits / 8 / 64) + 1;
}

/* The same keys in batches that are too small to be sorted. */
static ink_sketch *filled_plainly(const ink_params *params, const uint64_t *hashes, size_t count)
{
    ink_sketch *sketch = make(params);

    for (size_t first = 0; first < count; first += count / 3) {
        const ink_batch some = {.count = count - first < count / 3 ? count - first : count / 3,
                                .hashes = hashes + first};
        CHECK_OK(ink_sketch_add_batch(sketch, &some, &error));
    }
    return sketch;
}

TEST(every_table_adds_a_sorted_batch_alike)
{
    static const struct {
        const char *kind;
        unsigned    block_bytes;
    } kinds[] = {{"bloom", 32}, {"counting", 128}};

    for (size_t k = 0; k < 2; k++) {
        const ink_params params = large_params(kinds[k].kind, kinds[k].block_bytes);
        const size_t     count = enough_keys(&params);
        uint64_t        *hashes = random_hashes(count);
        for (size_t t = 0; ink__kernels_at(t) != NULL; t++) {
            const ink__kernels *table = ink__kernels_at(t);
            if (!ink__kernels_run_here(table))
                continue;
            ink_sketch *plain = filled_plainly(&params, hashes, count);
            faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = table->name});
            ink_sketch *sorted = make(&params);
            CHECK_OK(ink_sketch_add_batch(sorted, &(ink_batch){.count = count, .hashes = hashes},
                                          &error));
            faults_system_end();
            check_same(plain, sorted);
        }
        test_free(hashes);
    }
}

/* Where memory for sorting is refused the keys are added as they come. */
TEST(refused_memory_is_no_failure)
{
    const ink_params params = large_params("bloom", 32);
    const size_t     count = enough_keys(&params);
    uint64_t        *hashes = random_hashes(count);
    const ink_batch  batch = {.count = count, .hashes = hashes};
    uint64_t         asked = 0;

    for (uint64_t nth = 0; nth <= 2; nth++) { /* 0: none is refused */
        faults_memory memory = {0};
        ink_allocator allocator = faults_allocator(&memory);
        ink_sketch   *plain = filled_plainly(&params, hashes, count), *sketch;
        CHECK_OK(ink_sketch_create(&sketch, &params, &allocator, &error));
        uint64_t before = memory.asked, live = memory.live_bytes;
        memory.refuse_at = nth == 0 ? 0 : memory.asked + nth;
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        assert_int_equal(memory.refused, nth == 0 ? 0 : 1);
        assert_int_equal(memory.live_bytes, live);
        asked = nth == 0 ? memory.asked - before : asked;
        memory.refuse_at = 0;
        check_same(plain, sketch);
        faults_check_no_leak(&memory);
    }
    assert_int_equal(asked, 2); /* so the loop above has refused each */
    test_free(hashes);
}

/* For each key 8 bytes, and not more than the sketch has. */
TEST(memory_for_sorting_is_bounded)
{
    const ink_params params = large_params("bloom", 32);
    const uint64_t   bytes = params.bits / 8;

    for (unsigned times = 1; times <= 16; times += 15) {
        const size_t    count = times * enough_keys(&params);
        uint64_t       *hashes = random_hashes(count);
        const ink_batch batch = {.count = count, .hashes = hashes};
        faults_memory   memory = {0};
        ink_allocator   allocator = faults_allocator(&memory);
        ink_sketch     *sketch;
        CHECK_OK(ink_sketch_create(&sketch, &params, &allocator, &error));
        uint64_t before = memory.live_bytes;
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        uint64_t most = memory.most_bytes - before, hashed = 8 * count < bytes ? 8 * count : bytes;
        /* Pieces have heads, and each range may have begun one. */
        assert_in_range(most, 1, hashed + hashed / 64 + ((uint64_t)5 << 20));
        ink_sketch_free(sketch);
        test_free(hashes);
    }
}

/* Many parts share it: they do not take it each. */
TEST(memory_for_many_parts_is_bounded)
{
    const ink_params params = {.kind = "bloom", .bits = (uint64_t)256 << 18};
    const uint64_t   hashes[1] = {1}, bytes = params.bits / 8;

    for (unsigned parts = 1; parts <= 256; parts *= 4) {
        faults_memory   memory = {0};
        ink_allocator   allocator = faults_allocator(&memory);
        const ink_batch batch = {.count = 1, .hashes = hashes};
        owned_sketch   *sketch = NULL;
        ink__bulk      *bulk;
        CHECK_OK(ink_sketch_create(&sketch, &params, &allocator, &error));
        uint64_t before = memory.live_bytes;
        CHECK_OK(ink__bulk_open(&bulk, sketch, &batch, parts, &error));
        assert_in_range(memory.live_bytes - before, 1, bytes + bytes / 2);
        ink__bulk_close(bulk);
        CHECK_OK(ink__bulk_open_for_hashes(&bulk, sketch, 1 << 20, parts, &error));
        assert_in_range(memory.live_bytes - before, 1, (2 << 20) + parts * (32 << 10));
        ink__bulk_close(bulk);
    }
}

/* ---- Threads ------------------------------------------------------------------------------ */

typedef struct hand {
    pthread_t  thread;
    ink__bulk *bulk;
    unsigned   part;
    void (*step)(ink__bulk *bulk, unsigned part);
} hand;

static void *run_hand(void *argument)
{
    hand *mine = argument;

    mine->step(mine->bulk, mine->part);
    return NULL;
}

TEST(threads_fill_one_sketch_without_a_race)
{
    enum { PARTS = 4, COUNT = 60001 };
    uint64_t       *hashes = random_hashes(COUNT);
    const ink_batch batch = {.count = COUNT, .hashes = hashes};
    void (*const steps[])(ink__bulk *, unsigned) = {ink__bulk_sort, ink__bulk_apply};

    for (size_t s = 0; s < SHAPES; s++) {
        ink_sketch *plain = make(&shapes[s]), *sketch = make(&shapes[s]);
        ink__bulk  *bulk;
        hand        hands[PARTS];
        CHECK_OK(ink_sketch_add_batch(plain, &batch, &error));
        CHECK_OK(ink__bulk_open(&bulk, sketch, &batch, PARTS, &error));
        do
            for (unsigned step = 0; step < 2; step++) {
                for (unsigned i = 0; i < PARTS; i++) {
                    hands[i] = (hand){.bulk = bulk, .part = i, .step = steps[step]};
                    assert_int_equal(pthread_create(&hands[i].thread, NULL, run_hand, &hands[i]),
                                     0);
                }
                for (unsigned i = 0; i < PARTS; i++)
                    assert_int_equal(pthread_join(hands[i].thread, NULL), 0);
            }
        while (ink__bulk_more(bulk));
        ink__bulk_close(bulk);
        check_same(plain, sketch);
    }
    test_free(hashes);
}

/* ---- What is refused ---------------------------------------------------------------------- */

TEST(what_cannot_be_is_refused)
{
    const uint64_t  hashes[1] = {1}, weights[1] = {2}, falling[3] = {0, 2, 1};
    const ink_batch one = {.count = 1, .hashes = hashes};
    const ink_batch fall = {.count = 2, .data = (const uint8_t *)"ab", .offsets = falling};
    owned_sketch   *bloom = make(&(ink_params){.kind = "bloom", .bits = 256});
    owned_sketch   *hll = make(&(ink_params){.kind = "hll"});
    owned_sketch   *counting = make(&(ink_params){.kind = "counting", .bits = 1024});
    ink__bulk      *bulk = NULL;

    CHECK_FAILS(ink__bulk_open(&bulk, hll, &one, 1, &error), INK_UNSUPPORTED,
                "hll cannot be filled range by range, expected a filter of hashes");
    CHECK_FAILS(ink__bulk_open(&bulk, bloom, &one, 0, &error), INK_USAGE,
                "0 parts, expected 1 to 1024");
    CHECK_FAILS(ink__bulk_open(&bulk, bloom, &one, 1025, &error), INK_USAGE,
                "1025 parts, expected 1 to 1024");
    CHECK_FAILS(ink__bulk_open(&bulk, counting,
                               &(ink_batch){.count = 1, .hashes = hashes, .weights = weights}, 1,
                               &error),
                INK_UNSUPPORTED, "weights for keys that are sorted by range, expected none");
    CHECK_FAILS(ink__bulk_open(&bulk, bloom, &fall, 2, &error), INK_USAGE,
                "key 1 goes from offset 2 to 1, expected offsets that never fall");
    CHECK_FAILS(ink_sketch_check_batch(bloom, &fall, &error), INK_USAGE,
                "key 1 goes from offset 2 to 1, expected offsets that never fall");
    CHECK_OK(ink_sketch_check_batch(bloom, &one, &error));
    assert_null(bulk);
    ink__bulk_close(NULL);
}

TEST(opening_survives_refused_memory)
{
    const uint64_t  hashes[1] = {1};
    const ink_batch one = {.count = 1, .hashes = hashes};
    uint64_t        refused = 0;

    for (uint64_t nth = 1; nth == refused + 1; nth++) {
        faults_memory memory = {0};
        ink_allocator allocator = faults_allocator(&memory);
        ink_sketch   *sketch;
        ink__bulk    *bulk = NULL;
        CHECK_OK(ink_sketch_create(&sketch, &shapes[0], &allocator, &error));
        memory.refuse_at = memory.asked + nth;
        ink_status status = ink__bulk_open(&bulk, sketch, &one, 2, &error);
        if (memory.refused > 0) {
            assert_int_equal(status, INK_MEMORY);
            assert_null(bulk);
            refused++;
        } else
            assert_int_equal(status, INK_OK);
        ink__bulk_close(bulk);
        ink_sketch_free(sketch);
        faults_check_no_leak(&memory);
    }
    assert_int_equal(refused, 2);
}

/* ---- Sketches like others ----------------------------------------------------------------- */

TEST(a_sketch_like_another_is_an_empty_one_of_its_plan)
{
    for (size_t v = 0; v < VARIANTS; v++) {
        ink_sketch *filled = make_with(&variants[v].params, 0, variants[v].keys), *like = NULL;
        bool        ordered = strcmp(variants[v].params.kind, "top") == 0 ||
                       strcmp(variants[v].params.kind, "scalable") == 0 ||
                       variants[v].params.conservative;
        if (ordered) {
            assert_int_equal(ink_sketch_create_like(&like, filled, NULL, &error), INK_UNSUPPORTED);
            assert_non_null(strstr(error.message, "has one writer"));
            assert_null(like);
            ink_sketch_free(filled);
            continue;
        }
        CHECK_OK(ink_sketch_create_like(&like, filled, NULL, &error));
        ink_sketch_free(filled);
        check_same(like, make(&variants[v].params));
    }
}

TEST(a_sketch_like_another_has_its_secret)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 100, .secret = a_secret};
    ink_sketch      *keyed = make(&params), *like;

    CHECK_OK(ink_sketch_create_like(&like, keyed, NULL, &error));
    add_key(keyed, 5);
    add_key(like, 5);
    check_same(keyed, like);
}

RUN_TESTS()
