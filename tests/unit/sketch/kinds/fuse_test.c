/* fuse_test.c - fuse: no key is missed at any width and number of keys, the bytes follow from the
 * set of hashes alone, attempts that fail are followed by others, hashes that are no hashes end,
 * and nothing changes it. */
#include "base/bits.h"
#include "base/mix.h"
#include "sketch/internal.h"
#include "sketch/kinds/fuse_shard.h"
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/shapes.h"
#include "support/sketches.h"

static ink_error error;

static uint64_t *random_hashes(size_t count)
{
    uint64_t *hashes = malloc((count + 1) * sizeof *hashes);

    CHECK(hashes != NULL);
    for (size_t i = 0; i < count; i++)
        hashes[i] = scramble(i + 1);
    return hashes;
}

static ink_params with_bits(unsigned bits)
{
    return (ink_params){.kind = "fuse", .false_positive_rate = 1 / (double)((uint64_t)1 << bits)};
}

/* Made with this many first attempts refused. */
static ink_sketch *make_after(const uint64_t *hashes, size_t count, unsigned bits, unsigned refused)
{
    const ink_params params = with_bits(bits);
    ink__whole_room *room;
    ink_sketch      *sketch;

    CHECK_OK(ink__whole_room_create(&room, NULL, &error));
    ink__whole_room_refuse(room, refused);
    CHECK_OK(ink__whole_make(&sketch, &params, hashes, count, count, room, &error));
    ink__whole_room_free(room);
    return sketch;
}

static ink_sketch *make(const uint64_t *hashes, size_t count, unsigned bits)
{
    return make_after(hashes, count, bits, 0);
}

static size_t found(const ink_sketch *sketch, const uint64_t *hashes, size_t count)
{
    const ink_batch batch = {.count = count, .hashes = hashes};
    uint8_t        *answers = malloc(count + 1);
    size_t          sum = 0;

    CHECK_OK(ink_sketch_contains_batch(sketch, &batch, answers, &error));
    for (size_t i = 0; i < count; i++)
        sum += answers[i];
    free(answers);
    return sum;
}

static ink__shape shape_of(const ink_sketch *sketch)
{
    return ink__shape_of(sketch);
}

/* ---- Keys --------------------------------------------------------------------------------- */

TEST(every_width_finds_all_keys_and_few_others)
{
    enum { KEYS = 3000, OTHERS = 20000 };
    uint64_t *hashes = random_hashes(KEYS + OTHERS);

    for (unsigned bits = INK__FUSE_BITS_MIN; bits <= INK__FUSE_BITS_MAX; bits++) {
        owned_sketch *sketch = make(hashes, KEYS, bits);
        const double  expected = OTHERS / (double)((uint64_t)1 << bits);
        const double  false_ones = (double)found(sketch, hashes + KEYS, OTHERS);
        CHECK(found(sketch, hashes, KEYS) == KEYS);
        CHECK(false_ones <= 2 * expected + 4 && false_ones >= expected / 2 - 4);
        CHECK(sketches_rate(sketch) == with_bits(bits).false_positive_rate);
        CHECK(sketches_describe(sketch).promised_rate == sketches_rate(sketch));
    }
    free(hashes);
}

/* So what is measured of few bits holds for more: a key that is wrong at one width is so at all
 * that are narrower. */
TEST(fingerprints_of_fewer_bits_begin_those_of_more)
{
    enum { KEYS = 2000 };
    uint64_t      *hashes = random_hashes(KEYS);
    owned_sketch  *widest = make(hashes, KEYS, INK__FUSE_BITS_MAX);
    const uint8_t *all = widest->kind->payload(widest, NULL);
    const uint64_t slots = (shape_of(widest).payload_bytes - INK__SHARD_HEAD_BYTES) / 4;

    for (unsigned bits = INK__FUSE_BITS_MIN; bits < INK__FUSE_BITS_MAX; bits++) {
        owned_sketch  *sketch = make(hashes, KEYS, bits);
        const uint8_t *some = sketch->kind->payload(sketch, NULL);
        const uint64_t bytes = (slots * bits + 7) / 8;
        CHECK(shape_of(sketch).payload_bytes == bytes + INK__SHARD_HEAD_BYTES);
        CHECK(memcmp(some + bytes, all + 4 * slots, INK__SHARD_HEAD_BYTES) == 0);
        for (uint64_t i = 0; i < slots; i++) {
            const uint64_t from = ink__load_u64(some + i * bits / 8) >> i * bits % 8;
            CHECK((from & (((uint64_t)1 << bits) - 1)) ==
                  ink__load_u32(all + 4 * i) >> (INK__FUSE_BITS_MAX - bits));
        }
    }
    free(hashes);
}

TEST(every_number_of_keys_is_ordinary)
{
    static const struct {
        size_t   keys;
        unsigned shard_bits;
    } rows[] = {{0, 0},      {1, 0},      {2, 0},      {3, 0},      {4, 0},
                {5, 0},      {10, 0},     {11, 0},     {100, 0},    {1000, 0},
                {91999, 0},  {92000, 0},  {92001, 0},  {183999, 0}, {184000, 1},
                {184001, 1}, {367999, 1}, {368000, 2}, {735999, 2}, {736000, 3}};
    uint64_t *hashes = random_hashes(800000);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t  keys = rows[i].keys;
        owned_sketch *sketch = make(hashes, keys, 8);
        CHECK(ink__fuse_shard_bits(keys) == rows[i].shard_bits);
        CHECK(found(sketch, hashes, keys) == keys);
        CHECK(sketches_describe(sketch).expected_keys == keys);
        CHECK(sketches_distinct(sketch).estimate == (double)keys);
        if (keys == 0)
            CHECK(found(sketch, hashes, 10000) == 0 && sketches_rate(sketch) == 0);
        if (keys >= 92000) /* 9.12 bits a key at most, with 3 standard deviations of shards */
            CHECK(sketches_describe(sketch).bits <= keys * 914 / 100);
        owned_view view = sketches_view_of(sketch, 0);
        CHECK(found(view.sketch, hashes, keys) == keys);
        sketches_reload(&sketch);
        CHECK(found(sketch, hashes, keys) == keys);
    }
    free(hashes);
}

TEST(ten_keys_take_no_more_than_a_block_of_a_bloom)
{
    uint64_t        *hashes = random_hashes(10);
    const ink_params params = {.kind = "fuse"};
    ink__whole_room *room;
    owned_sketch    *sketch = NULL;

    CHECK_OK(ink__whole_room_create(&room, NULL, &error));
    CHECK_OK(ink__whole_make(&sketch, &params, hashes, 10, 10, room, &error));
    CHECK(sketches_describe(sketch).bytes <= 32);
    ink__whole_room_free(room);
    free(hashes);
}

TEST(order_and_repeats_change_nothing_but_records)
{
    enum { KEYS = 300000, REPEATED = 5000 };
    uint64_t     *hashes = random_hashes(KEYS + REPEATED);
    owned_sketch *once = make(hashes, KEYS, 9);

    for (size_t i = 0; i < KEYS / 2; i++) {
        const uint64_t kept = hashes[i];
        hashes[i] = hashes[KEYS - 1 - i];
        hashes[KEYS - 1 - i] = kept;
    }
    for (size_t i = 0; i < REPEATED; i++)
        hashes[KEYS + i] = hashes[i < REPEATED / 2 ? i : 7];
    owned_sketch *again = make(hashes, KEYS + REPEATED, 9);
    CHECK(sketches_equal_payloads(once, again));
    CHECK(sketches_describe(again).records == KEYS + REPEATED);
    CHECK(sketches_describe(again).expected_keys == KEYS);
    free(hashes);
}

/* A draft sorts the slots of a table, in which the hash 0 has a place of its own. */
TEST(a_draft_makes_the_same_bytes)
{
    enum { KEYS = 400000 };
    uint64_t        *hashes = random_hashes(KEYS);
    const ink_params params = with_bits(12);
    const ink_batch  batch = {.count = KEYS, .hashes = hashes};

    for (int zero = 0; zero < 2; zero++) {
        ink_draft    *draft;
        owned_sketch *finished = NULL;
        if (zero)
            hashes[5] = 0;
        owned_sketch *made = make(hashes, KEYS, 12);
        CHECK_OK(ink_draft_create(&draft, &params, 0, NULL, &error));
        CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
        CHECK_OK(ink_draft_finish(&finished, draft, 0, &error));
        CHECK(sketches_equal(made, finished));
        CHECK(found(finished, hashes, KEYS) == KEYS);
        CHECK_FAILS(ink_draft_finish(&finished, draft, 1.5, &error), INK_USAGE, "headroom 1.5");
        ink_draft_free(draft);
    }
    free(hashes);
}

/* ---- Attempts ----------------------------------------------------------------------------- */

TEST(attempts_that_fail_are_followed_by_others)
{
    static const struct {
        unsigned refused, more_segments;
    } rows[] = {{1, 0}, {2, 0}, {7, 0}, {8, 1}, {9, 2}, {40, 33}};
    static const size_t counts[] = {10, 5000, 200000};
    uint64_t           *hashes = random_hashes(200000);

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            owned_sketch         *sketch = make_after(hashes, counts[c], 8, rows[i].refused);
            const ink__fuse_shard planned = ink__fuse_shard_plan(counts[c]);
            ink__shape            shape = shape_of(sketch);
            const uint8_t        *head =
                sketch->kind->payload(sketch, NULL) + shape.payload_bytes - INK__SHARD_HEAD_BYTES;
            CHECK(found(sketch, hashes, counts[c]) == counts[c]);
            CHECK(head[5] >= rows[i].refused);
            if (counts[c] == 5000) /* which succeeds at once */
                CHECK(head[0] == planned.segments + rows[i].more_segments);
        }
    free(hashes);
}

/* The inverse of ink__mix64. */
static uint64_t unmix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0x9cb4b2f8129337db;
    x ^= x >> 33;
    x *= 0x4f74430c22a54005;
    return x ^ x >> 33;
}

/* Two hashes that have all slots in common in one attempt. */
static void collide(unsigned attempt, uint32_t segments, uint64_t *pair, uint64_t *random)
{
    const bool scattered = attempt >= INK__FUSE_SCATTERED;
    uint64_t   segment[2];

    do {
        const uint64_t mixed = scramble(++*random);
        for (unsigned i = 0; i < 2; i++) {
            pair[i] = unmix(mixed ^ i) ^ ink__fuse_seed(attempt);
            segment[i] = ink__fuse_segment(pair[i], mixed ^ i, segments, scattered);
        }
    } while (segment[0] != segment[1]);
}

TEST(keys_that_are_chosen_against_it_are_refused_in_the_end)
{
    enum { KEYS = 2 * INK__FUSE_ATTEMPTS_MAX };
    const ink_params params = with_bits(8);
    uint32_t         segments = ink__fuse_shard_plan(KEYS).segments;
    uint64_t         hashes[KEYS], random = 0;
    ink_sketch      *sketch = NULL;
    ink__whole_room *room;

    for (unsigned i = 0; i < INK__FUSE_ATTEMPTS_MAX; i++) {
        segments += i >= INK__FUSE_SCATTERED;
        collide(i, segments, &hashes[2 * i], &random);
    }
    CHECK_OK(ink__whole_room_create(&room, NULL, &error));
    CHECK_FAILS(ink__whole_make(&sketch, &params, hashes, KEYS, KEYS, room, &error), INK_LIMIT,
                "expected a secret");
    CHECK(sketch == NULL);
    ink__whole_room_free(room);
}

TEST(hashes_that_are_no_hashes_are_no_bad_case)
{
    enum { KEYS = 250000 };
    uint64_t *hashes = random_hashes(KEYS);

    for (unsigned form = 0; form < 4; form++) {
        for (size_t i = 0; i < KEYS; i++)
            hashes[i] = form == 0   ? i                      /* in one segment */
                        : form == 1 ? scramble(i) >> 20      /* in one shard */
                        : form == 2 ? UINT64_MAX - (i << 20) /* in the last */
                                    : scramble(9);           /* one key */
        owned_sketch *sketch = make(hashes, KEYS, 8);
        CHECK(found(sketch, hashes, KEYS) == KEYS);
        CHECK(sketches_describe(sketch).expected_keys == (form == 3 ? 1 : KEYS));
    }
    free(hashes);
}

TEST(refused_memory_is_an_ordinary_failure)
{
    enum { KEYS = 190000 };
    const ink_params params = with_bits(8);
    uint64_t        *hashes = random_hashes(KEYS);

    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        const ink_allocator allocator = faults_allocator(&memory);
        ink__whole_room    *room = NULL;
        owned_sketch       *sketch = NULL;
        ink_status          status = ink__whole_room_create(&room, &allocator, &error);
        if (status == INK_OK)
            status = ink__whole_make(&sketch, &params, hashes, KEYS, KEYS, room, &error);
        ink__whole_room_free(room);
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK));
        CHECK((sketch != NULL) == (status == INK_OK));
        CHECK(sketch == NULL || ink_sketch_memory(sketch) == memory.live_bytes);
    }
    free(hashes);
}

/* ---- Refused ------------------------------------------------------------------------------ */

TEST(nothing_changes_a_fuse)
{
    uint64_t        *hashes = random_hashes(20);
    owned_sketch    *sketch = make(hashes, 10, 8), *other = make(hashes, 20, 8), *made = NULL;
    const ink_batch  batch = {.count = 1, .hashes = hashes};
    owned_snapshot   before = sketches_remember(sketch);
    const ink_params params = {.kind = "fuse", .expected_keys = 10};

    CHECK_FAILS(ink_sketch_create(&made, &params, NULL, &error), INK_UNSUPPORTED, "draft");
    CHECK_FAILS(ink_sketch_create_like(&made, sketch, NULL, &error), INK_UNSUPPORTED,
                "never changes");
    CHECK_FAILS(ink_sketch_add(sketch, "a", 1, &error), INK_UNSUPPORTED, "several inputs");
    CHECK_FAILS(ink_sketch_add_new(sketch, "a", 1, NULL, &error), INK_UNSUPPORTED,
                "several inputs");
    CHECK_FAILS(ink_sketch_add_batch(sketch, &batch, &error), INK_UNSUPPORTED, "several inputs");
    CHECK_FAILS(ink_sketch_add_new_batch(sketch, &batch, NULL, &error), INK_UNSUPPORTED,
                "several inputs");
    CHECK_FAILS(ink_sketch_remove_batch(sketch, &batch, &error), INK_UNSUPPORTED, "take keys out");
    CHECK_FAILS(ink_sketch_merge(sketch, other, NULL, &error), INK_UNSUPPORTED, "several inputs");
    CHECK_FAILS(ink_sketch_intersect(sketch, other, &error), INK_UNSUPPORTED, "several inputs");
    CHECK_FAILS(ink_sketch_fold(sketch, 1, &error), INK_UNSUPPORTED, "several inputs");
    CHECK_FAILS(ink_sketch_share(sketch, &error), INK_UNSUPPORTED, "several inputs");
    CHECK(sketches_unchanged(sketch, &before));
    free(hashes);
}

TEST(a_plan_is_for_one_key_to_2_to_the_40)
{
    static const uint64_t keys[] = {0, 1, (uint64_t)1 << 40, ((uint64_t)1 << 40) + 1};
    ink_description       found;

    for (size_t i = 0; i < 4; i++) {
        const ink_params params = {.kind = "fuse", .expected_keys = keys[i]};
        if (i == 1 || i == 2)
            CHECK_OK(ink_plan(&params, &found, &error));
        else
            CHECK_FAILS(ink_plan(&params, &found, &error), INK_USAGE,
                        "expected 1 to 2^40 for fuse");
    }
    ink__shape       shape = {.kind = &ink__fuse};
    const ink_params largest = {.kind = "fuse", .expected_keys = keys[2]};
    CHECK_OK(ink__fuse.plan(&largest, NULL, &shape, &error));
    CHECK_OK(ink__fuse.check(&shape, NULL, &error)); /* and in a file */
    shape.fields[0]++;
    CHECK_FAILS(ink__fuse.check(&shape, NULL, &error), INK_FORMAT, "expected at most 2^40");
}

TEST(rates_are_those_of_4_to_32_bits)
{
    static const struct {
        double   rate;
        uint64_t bits; /* 0: refused */
    } rows[] = {{0.2, 0},        {0.125, 0},     {0.1249, 4},   {0.0625, 4}, {0.0624, 5},
                {0.01, 7},       {0x1p-8, 8},    {0x1.1p-9, 9}, {1e-9, 30},  {0x1p-32, 32},
                {0x1.8p-32, 32}, {0x1.fp-33, 0}, {1e-12, 0},    {-1, 0},     {2, 0}};
    ink_description found_plan;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const ink_params params = {
            .kind = "fuse", .expected_keys = 1000, .false_positive_rate = rows[i].rate};
        const ink_status status = ink_plan(&params, &found_plan, &error);
        CHECK(status == (rows[i].bits == 0 ? INK_USAGE : INK_OK));
        if (status == INK_OK)
            CHECK(found_plan.target_rate == rows[i].rate &&
                  found_plan.promised_rate == 1 / (double)((uint64_t)1 << rows[i].bits));
    }
}

/* The head of 10 keys at 8 bits is the last 8 bytes: segments, length bits, attempt, zero. */
TEST(a_wrong_head_is_refused)
{
    static const struct {
        unsigned at; /* from the end */
        uint8_t  flip;
    } rows[] = {{8, 1}, {8, 0xff}, {7, 1}, {5, 4}, {4, 3}, {4, 0x80}, {2, 1}, {1, 0x80}};
    uint64_t     *hashes = random_hashes(10);
    owned_sketch *sketch = make(hashes, 10, 8);
    ink__shape    shape = shape_of(sketch);
    uint8_t       payload[256];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memcpy(payload, sketch->kind->payload(sketch, NULL), shape.payload_bytes);
        CHECK_OK(ink__fuse.check_payload(&shape, NULL, payload, &error));
        payload[shape.payload_bytes - rows[i].at] ^= rows[i].flip;
        CHECK_FAILS(ink__fuse.check_payload(&shape, NULL, payload, &error), INK_FORMAT, "expected");
    }
    free(hashes);
}

RUN_TESTS()
