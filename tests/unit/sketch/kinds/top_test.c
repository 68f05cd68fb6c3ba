/* top_test.c - the most frequent keys: bounds that hold for every key on any stream and after any
 * merge, the order of what is listed, keys of every length, and files that go on as if they had
 * never been written. The reference is a naive table with the same rule, and exact counts. */
#include "base/status.h"
#include "sketch/kinds/kind.h"
#include "sketch/kinds/top_table.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <math.h>
#include <stdio.h>

static ink_error       error;
static ink_description described;

#define PLAN(...) ink_plan(&(const ink_params){.kind = "top", __VA_ARGS__}, &described, &error)
#define REFUSED(words, ...) CHECK_FAILS(PLAN(__VA_ARGS__), INK_USAGE, words)

enum { KEYS = 100, MODEL_MAX = 128, KEY_MAX = 1024, FILED = 32 };

static ink_params of_ints(uint64_t capacity)
{
    return (ink_params){.kind = "top", .phi = 1 / (double)capacity, .key_type = INK_KEY_INT};
}

static ink_sketch *empty_top(uint64_t capacity, ink_key_type type)
{
    ink_params  params = of_ints(capacity);
    ink_sketch *sketch;

    params.key_type = type;
    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    assert_int_equal(sketches_describe(sketch).capacity, capacity);
    return sketch;
}

static void add_int(ink_sketch *sketch, int64_t key, uint64_t weight)
{
    const ink_batch batch = {.count = 1, .ints = &key, .weights = &weight};

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
}

static void add_text(ink_sketch *sketch, const void *key, size_t bytes, uint64_t weight)
{
    const uint64_t  offsets[2] = {0, bytes};
    const ink_batch batch = {.count = 1, .data = key, .offsets = offsets, .weights = &weight};

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
}

static ink_answer count_of(const ink_sketch *sketch, int64_t key)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_count_int(sketch, key, &answer, &error));
    return answer;
}

static ink_answer count_of_text(const ink_sketch *sketch, const void *key, size_t bytes)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_count(sketch, key, bytes, &answer, &error));
    return answer;
}

/* The most that a key can have which is not kept: what a key has that no one ever added. */
static double missed_of(const ink_sketch *sketch)
{
    ink_answer answer = count_of(sketch, -777777);

    CHECK(answer.low == 0 && answer.estimate == 0);
    return answer.high;
}

/* A keyed top that has not got its secret takes hashes beside keys as they are. */
static ink_sketch *locked_top(uint64_t capacity)
{
    ink_sketch *sketch = sketches_with(
        (ink_params){.kind = "top", .phi = 1 / (double)capacity, .secret = files_secret}, 0, 0);

    sketches_reload(&sketch);
    return sketch;
}

/* ---- A naive table ------------------------------------------------------------------------ */

typedef struct counted {
    int64_t  key;
    uint64_t high, error;
} counted;

typedef struct model {
    uint64_t capacity, total, missed, kept;
    counted  entries[MODEL_MAX];
    uint64_t exact[KEYS]; /* the true value */
} model;

static counted *model_find(model *m, int64_t key)
{
    for (uint64_t i = 0; i < m->kept; i++)
        if (m->entries[i].key == key)
            return &m->entries[i];
    return NULL;
}

static int falling(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

static void model_purge(model *m)
{
    uint64_t highs[MODEL_MAX], kept = 0;

    for (uint64_t i = 0; i < m->kept; i++)
        highs[i] = m->entries[i].high;
    qsort(highs, (size_t)m->kept, sizeof highs[0], falling);
    m->missed = highs[m->capacity]; /* the (c + 1)-th largest */
    for (uint64_t i = 0; i < m->kept; i++)
        if (m->entries[i].high > m->missed)
            m->entries[kept++] = m->entries[i];
    m->kept = kept;
}

static void model_add(model *m, int64_t key, uint64_t weight)
{
    counted *known = model_find(m, key);

    m->exact[key] += weight;
    m->total += weight;
    if (weight == 0)
        return;
    if (known != NULL) {
        known->high += weight;
        return;
    }
    if (m->kept == 2 * m->capacity)
        model_purge(m);
    m->entries[m->kept++] = (counted){key, m->missed + weight, m->missed};
}

static void model_merge(model *a, const model *b)
{
    model both = {.total = a->total + b->total, .missed = a->missed + b->missed};

    both.capacity = a->capacity < b->capacity ? a->capacity : b->capacity;
    for (int64_t key = 0; key < KEYS; key++) {
        counted *of_a = model_find(a, key), *of_b = model_find((model *)(uintptr_t)b, key);
        both.exact[key] = a->exact[key] + b->exact[key];
        if (of_a == NULL && of_b == NULL)
            continue;
        both.entries[both.kept++] = (counted){
            key,
            (of_a == NULL ? a->missed : of_a->high) + (of_b == NULL ? b->missed : of_b->high),
            (of_a == NULL ? a->missed : of_a->error) + (of_b == NULL ? b->missed : of_b->error),
        };
    }
    if (both.kept > 2 * both.capacity)
        model_purge(&both);
    *a = both;
}

/* The bounds are those of the table, and contain the true value, for every key. */
static void check_model(const ink_sketch *sketch, model *m)
{
    ink_item items[2 * MODEL_MAX];
    size_t   found;

    described = sketches_describe(sketch);
    CHECK(described.capacity == m->capacity && described.total == m->total);
    CHECK_OK(ink_sketch_top(sketch, items, 2 * MODEL_MAX, &found, &error));
    assert_int_equal(found, m->kept);
    CHECK(missed_of(sketch) == (double)m->missed);
    CHECK(m->missed <= m->total / (m->capacity + 1));
    for (int64_t key = 0; key < KEYS; key++) {
        counted   *known = model_find(m, key);
        ink_answer answer = count_of(sketch, key);
        double     truth = (double)m->exact[key];
        bool       listed = false;
        CHECK(answer.confidence == 1 && !answer.saturated && answer.estimate == answer.low);
        CHECK(answer.low <= truth && truth <= answer.high);
        CHECK(answer.high == (double)(known == NULL ? m->missed : known->high));
        CHECK(answer.low == (double)(known == NULL ? 0 : known->high - known->error));
        for (size_t i = 0; i < found; i++)
            listed |= items[i].key_int == key && items[i].count.high == answer.high;
        CHECK(listed == (known != NULL));
        CHECK(listed || truth <= (double)m->total / (double)m->capacity);
    }
}

/* ---- Streams ------------------------------------------------------------------------------ */

enum { SORTED, REVERSED, EQUAL, ROUND_ROBIN, HEAVY, LAST, SKEWED, SHAPES };
enum { STREAM = 600 };

static int64_t stream_key(int shape, uint64_t capacity, uint64_t i)
{
    switch (shape) {
    case SORTED:
        return (int64_t)(i * KEYS / STREAM);
    case REVERSED:
        return (int64_t)(KEYS - 1 - i * KEYS / STREAM);
    case EQUAL:
        return 7;
    case ROUND_ROBIN:
        return (int64_t)(i % 60);
    case HEAVY: /* one more than there is place for */
        return (int64_t)(i % (capacity + 1));
    case LAST: /* one that has all of the last third */
        return i < 2 * STREAM / 3 ? (int64_t)(i % (KEYS - 1)) : KEYS - 1;
    default:
        return (int64_t)(scramble(i) % (1 + scramble(i + STREAM) % KEYS));
    }
}

static const uint64_t capacities[] = {1, 2, 3, 8, 16};
enum { CAPACITIES = sizeof capacities / sizeof capacities[0] };

TEST(the_bounds_hold_for_every_key_on_every_stream)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int c = 0; c < CAPACITIES; c++) {
            owned_sketch *sketch = empty_top(capacities[c], INK_KEY_INT);
            model         m = {.capacity = capacities[c]};
            for (uint64_t i = 0; i < STREAM; i++) {
                int64_t key = stream_key(shape, capacities[c], i);
                CHECK_OK(ink_sketch_add_int(sketch, key, &error));
                model_add(&m, key, 1);
                if (i < 50 || i % 37 == 0 || i + 1 == STREAM)
                    check_model(sketch, &m);
            }
            CHECK(sketches_describe(sketch).records == STREAM);
        }
}

TEST(weights_count_as_so_many_times)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int c = 0; c < CAPACITIES; c++) {
            owned_sketch *sketch = empty_top(capacities[c], INK_KEY_INT);
            owned_sketch *repeated = empty_top(capacities[c], INK_KEY_INT);
            model         m = {.capacity = capacities[c]};
            for (uint64_t i = 0; i < STREAM; i++) {
                int64_t  key = stream_key(shape, capacities[c], i);
                uint64_t weight = scramble(i) % 5;
                add_int(sketch, key, weight);
                model_add(&m, key, weight);
                for (uint64_t j = 0; j < weight; j++)
                    CHECK_OK(ink_sketch_add_int(repeated, key, &error));
            }
            check_model(sketch, &m);
            CHECK(sketches_equal_payloads(sketch, repeated));
            CHECK(sketches_describe(repeated).total == m.total);
            CHECK(sketches_describe(repeated).records == m.total);
            CHECK(sketches_describe(sketch).records == STREAM);
        }
}

TEST(keys_up_to_the_capacity_are_counted_exactly)
{
    owned_sketch *sketch = empty_top(16, INK_KEY_INT);

    for (int64_t i = 0; i < 3200; i++)
        CHECK_OK(ink_sketch_add_int(sketch, i % 32, &error)); /* twice the capacity: no purge yet */
    for (int64_t key = 0; key < 32; key++) {
        ink_answer answer = count_of(sketch, key);
        CHECK(answer.low == 100 && answer.estimate == 100 && answer.high == 100);
    }
    CHECK(missed_of(sketch) == 0);
}

TEST(an_empty_top_knows_that_it_has_nothing)
{
    owned_sketch *sketch = empty_top(4, INK_KEY_INT);
    ink_item      items[4];
    size_t        found = 9;
    ink_answer    answer = count_of(sketch, 5);

    CHECK(answer.low == 0 && answer.high == 0 && answer.confidence == 1 && !answer.saturated);
    CHECK_OK(ink_sketch_top(sketch, items, 4, &found, &error));
    assert_int_equal(found, 0);
    found = 9;
    CHECK_OK(ink_sketch_over(sketch, 3, items, 4, &found, &error));
    assert_int_equal(found, 0);
    CHECK(sketches_describe(sketch).bytes == 0 && !sketches_describe(sketch).order_free);
    owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
    answer = count_of(view.sketch, 5);
    CHECK(answer.low == 0 && answer.high == 0);
    CHECK(sketches_equal(view.sketch, sketch));
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(the_capacity_comes_from_the_keys_asked_for_or_from_the_share)
{
    CHECK_OK(PLAN(.seed = 0));
    CHECK(described.capacity == 1024 && described.phi == 1.0 / 1024);
    CHECK(described.bytes == 0 && described.bytes_max == 2048 * (32 + 1024));
    CHECK(described.total == 0 && described.bits == 0 && described.width == 0);
    CHECK_OK(PLAN(.top_keys = 1));
    CHECK(described.capacity == 1024);
    CHECK_OK(PLAN(.top_keys = 32));
    CHECK(described.capacity == 1024);
    CHECK_OK(PLAN(.top_keys = 33));
    CHECK(described.capacity == 33 * 32);
    CHECK_OK(PLAN(.top_keys = 32768));
    CHECK(described.capacity == 1 << 20);
    CHECK_OK(PLAN(.phi = 0.001));
    CHECK(described.capacity == 1000 && described.phi == 0.001);
    CHECK_OK(PLAN(.phi = 0.3));
    CHECK(described.capacity == 4 && described.phi == 0.25);
    CHECK_OK(PLAN(.phi = 1));
    CHECK(described.capacity == 1);
    CHECK_OK(PLAN(.phi = 0x1p-20, .key_type = INK_KEY_INT));
    CHECK(described.capacity == 1 << 20 && described.bytes_max == (uint64_t)64 << 20);
}

TEST(shares_and_numbers_of_keys_out_of_range_are_refused)
{
    REFUSED("phi and top_keys do not go together: give one of them", .phi = 0.1, .top_keys = 5);
    REFUSED("top_keys 32769, expected at most 32768", .top_keys = 32769);
    REFUSED("top_keys 4294967295, expected at most 32768", .top_keys = UINT32_MAX);
    REFUSED("phi 1.5, expected 9.53674e-07 to 1", .phi = 1.5);
    REFUSED("phi -0.1, expected", .phi = -0.1);
    REFUSED("expected 9.53674e-07 to 1", .phi = 0x1p-21);
    REFUSED("expected 9.53674e-07 to 1", .phi = (double)NAN);
    REFUSED("expected 9.53674e-07 to 1", .phi = (double)INFINITY);
}

/* ---- The payload -------------------------------------------------------------------------- */

TEST(the_payload_is_the_table_by_rising_hash)
{
    owned_sketch *sketch = empty_top(16, INK_KEY_INT);
    model         m = {.capacity = 16};
    uint8_t       payload[32 * FILED];
    uint64_t      last = 0;

    for (uint64_t i = 0; i < STREAM; i++) {
        model_add(&m, stream_key(SKEWED, 16, i), 1);
        CHECK_OK(ink_sketch_add_int(sketch, stream_key(SKEWED, 16, i), &error));
    }
    ink_item items[32];
    size_t   found;
    assert_int_equal(sketches_describe(sketch).bytes, FILED * m.kept);
    CHECK_OK(ink_sketch_top(sketch, items, 32, &found, &error));
    for (size_t i = 0; i < found; i++) { /* what is listed has its hash beside it */
        uint64_t        hash;
        const ink_batch batch = {.count = 1, .ints = &items[i].key_int};
        CHECK_OK(ink_sketch_hash_batch(sketch, &batch, &hash, &error));
        CHECK(items[i].hash == hash);
    }
    CHECK_OK(ink_sketch_payload(sketch, payload, sizeof payload, &error));
    for (uint64_t i = 0; i < m.kept; i++) {
        const uint8_t  *at = payload + FILED * i;
        int64_t         key = (int64_t)files_get(at + 24, 8);
        counted        *known = model_find(&m, key);
        uint64_t        hash;
        const ink_batch batch = {.count = 1, .ints = &key};
        CHECK_OK(ink_sketch_hash_batch(sketch, &batch, &hash, &error));
        assert_non_null(known);
        CHECK(files_get(at, 8) == hash && (i == 0 || last < hash));
        CHECK(files_get(at + 8, 8) == known->high && files_get(at + 16, 8) == known->error);
        last = hash;
    }
}

TEST(bytes_keys_stand_behind_the_records)
{
    const uint64_t  hashes[] = {9, 3, 3, 7}, offsets[] = {0, 2, 4, 5, 5};
    const ink_batch batch = {
        .count = 4, .hashes = hashes, .data = (const uint8_t *)"xybba", .offsets = offsets};
    const struct {
        uint64_t hash, end;
    } records[] = {{3, 1}, {3, 3}, {7, 3}, {9, 5}}; /* "a", "bb", "", "xy" */
    owned_sketch *sketch = locked_top(4);
    uint8_t       payload[4 * FILED + 5];

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    assert_int_equal(sketches_describe(sketch).bytes, sizeof payload);
    CHECK_OK(ink_sketch_payload(sketch, payload, sizeof payload, &error));
    for (unsigned i = 0; i < 4; i++) {
        CHECK(files_get(payload + FILED * i, 8) == records[i].hash);
        CHECK(files_get(payload + FILED * i + 8, 8) == 1);
        CHECK(files_get(payload + FILED * i + 16, 8) == 0);
        CHECK(files_get(payload + FILED * i + 24, 8) == records[i].end);
    }
    assert_memory_equal(payload + sizeof payload - 5, "abbxy", 5);
}

/* ---- Order -------------------------------------------------------------------------------- */

/* The order that is promised, written out once more. */
static int in_order(const void *left, const void *right)
{
    const ink_item *a = left, *b = right;

    if (a->count.estimate != b->count.estimate)
        return a->count.estimate > b->count.estimate ? -1 : 1;
    if (a->count.high != b->count.high)
        return a->count.high > b->count.high ? -1 : 1;
    if (a->key == NULL)
        return (a->key_int > b->key_int) - (a->key_int < b->key_int);
    for (size_t i = 0; i < a->key_bytes && i < b->key_bytes; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
}

static void check_order(const ink_sketch *sketch)
{
    ink_item all[64], sorted[64], some[64];
    size_t   found, first;

    CHECK_OK(ink_sketch_top(sketch, all, 64, &found, &error));
    memcpy(sorted, all, sizeof sorted);
    qsort(sorted, found, sizeof sorted[0], in_order);
    for (size_t i = 0; i < found; i++)
        CHECK(in_order(&all[i], &sorted[i]) == 0);
    for (size_t room = 0; room <= found + 1; room++) {
        CHECK_OK(ink_sketch_top(sketch, some, room, &first, &error));
        assert_int_equal(first, room < found ? room : found);
        for (size_t i = 0; i < first; i++)
            CHECK(in_order(&some[i], &all[i]) == 0);
    }
}

TEST(keys_are_listed_by_falling_count_and_as_many_as_there_is_room_for)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int c = 0; c < CAPACITIES; c++) {
            owned_sketch *sketch = empty_top(capacities[c], INK_KEY_INT);
            for (uint64_t i = 0; i < STREAM; i++)
                add_int(sketch, 50 - stream_key(shape, capacities[c], i), 1 + i % 3);
            check_order(sketch);
            owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
            check_order(view.sketch);
        }
}

TEST(equal_counts_are_listed_by_key)
{
    static const char *const keys[] = {"", "a", "a\xff", "ab", "b", "\x7f", "\x80", "\xff"};
    static const unsigned    order[] = {0, 1, 3, 2, 4, 5, 6, 7}; /* unsigned, a prefix first */
    owned_sketch            *sketch = empty_top(8, INK_KEY_BYTES);
    ink_item                 items[9];
    size_t                   found;

    for (unsigned i = 0; i < 8; i++)
        add_text(sketch, keys[(i * 5) % 8], strlen(keys[(i * 5) % 8]), 4);
    add_text(sketch, "zz", 2, 5);
    CHECK_OK(ink_sketch_top(sketch, items, 9, &found, &error));
    assert_int_equal(found, 9);
    CHECK(items[0].key_bytes == 2 && items[0].count.estimate == 5);
    for (unsigned i = 0; i < 8; i++) {
        const char *key = keys[order[i]];
        assert_int_equal(items[i + 1].key_bytes, strlen(key));
        assert_memory_equal(items[i + 1].key, key, strlen(key));
    }
    check_order(sketch);
}

TEST(ints_of_equal_counts_are_listed_by_signed_value)
{
    const int64_t keys[] = {5, -1, INT64_MAX, 0, INT64_MIN};
    const int64_t order[] = {INT64_MIN, -1, 0, 5, INT64_MAX};
    owned_sketch *sketch = empty_top(4, INK_KEY_INT);
    ink_item      items[8];
    size_t        found;

    for (int i = 0; i < 5; i++)
        add_int(sketch, keys[i], 1);
    CHECK_OK(ink_sketch_top(sketch, items, 8, &found, &error));
    assert_int_equal(found, 5);
    for (int i = 0; i < 5; i++) {
        CHECK(items[i].key_int == order[i] && items[i].key == NULL && items[i].key_bytes == 0);
        CHECK(!items[i].cut && items[i].count.estimate == 1 && items[i].count.high == 1);
    }
}

TEST(a_key_with_the_higher_bound_comes_first_among_equal_estimates)
{
    owned_sketch *sketch = empty_top(1, INK_KEY_INT);
    ink_item      items[2];
    size_t        found;

    add_int(sketch, 1, 3);
    add_int(sketch, 2, 1);
    add_int(sketch, 3, 2); /* purges: missed becomes 1; 3 has 2 to 3, and 1 has 3 */
    add_int(sketch, 3, 1);
    CHECK_OK(ink_sketch_top(sketch, items, 2, &found, &error));
    assert_int_equal(found, 2);
    CHECK(items[0].key_int == 3 && items[0].count.low == 3 && items[0].count.high == 4);
    CHECK(items[1].key_int == 1 && items[1].count.low == 3 && items[1].count.high == 3);
}

/* ---- Shares ------------------------------------------------------------------------------- */

TEST(keys_over_a_share_are_all_found)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int c = 0; c < CAPACITIES; c++) {
            owned_sketch *sketch = empty_top(capacities[c], INK_KEY_INT);
            model         m = {.capacity = capacities[c]};
            ink_item      items[64];
            for (uint64_t i = 0; i < STREAM - 1; i++) {
                int64_t key = stream_key(shape, capacities[c], i);
                CHECK_OK(ink_sketch_add_int(sketch, key, &error));
                model_add(&m, key, 1);
            }
            for (uint64_t k = 1; k <= capacities[c] + 1; k++) { /* for these it is always sure */
                size_t found, expected = 0, over = 0;
                CHECK_OK(ink_sketch_over(sketch, k, items, 64, &found, &error));
                for (uint64_t i = 0; i < m.kept; i++)
                    expected += m.entries[i].high * k > m.total;
                assert_int_equal(found, expected);
                if (expected > 0) { /* with room for all but one */
                    ink_item few[64];
                    CHECK_FAILS(ink_sketch_over(sketch, k, few, expected - 1, &found, &error),
                                INK_LIMIT, "expected room for the ");
                }
                assert_int_equal(found, expected);
                for (size_t i = 0; i < found; i++) {
                    counted *known = model_find(&m, items[i].key_int);
                    assert_non_null(known);
                    CHECK(known->high * k > m.total);
                    CHECK(i == 0 || in_order(&items[i - 1], &items[i]) < 0);
                    over += m.exact[items[i].key_int] * k > m.total;
                }
                for (int key = 0; key < KEYS; key++)
                    over -= m.exact[key] * k > m.total;
                assert_int_equal(over, 0); /* none is missing */
            }
        }
}

TEST(a_share_that_a_missed_key_may_have_is_refused)
{
    owned_sketch *sketch = empty_top(2, INK_KEY_INT);
    ink_item      items[8];
    size_t        found = 99;

    for (int64_t i = 0; i < 100; i++)
        CHECK_OK(ink_sketch_add_int(sketch, i % 10, &error));
    double missed = missed_of(sketch);
    CHECK(missed >= 10);
    uint64_t most = (uint64_t)(100 / missed);
    CHECK_OK(ink_sketch_over(sketch, most, items, 8, &found, &error));
    found = 99;
    CHECK_FAILS(ink_sketch_over(sketch, most + 1, items, 8, &found, &error), INK_USAGE,
                "and a key that is not kept may have");
    CHECK(strstr(error.message, "build with more top_keys or a smaller phi") != NULL);
    CHECK_FAILS(ink_sketch_over(sketch, UINT64_MAX, items, 8, &found, &error), INK_USAGE,
                "k 18446744073709551615");
    CHECK_FAILS(ink_sketch_over(sketch, 0, items, 8, &found, &error), INK_USAGE,
                "k 0, expected 1 or more");
    assert_int_equal(found, 99);
}

TEST(keys_of_a_batch_are_below_perhaps_above_or_above_a_share)
{
    owned_sketch *sketch = empty_top(4, INK_KEY_INT);
    model         m = {.capacity = 4};
    int64_t       keys[KEYS];
    uint8_t       answers[KEYS];
    unsigned      seen[3] = {0};

    for (uint64_t i = 0; i < STREAM; i++) {
        int64_t key = i % 3 == 0 ? 5 : i % 7 == 0 ? 6 : (int64_t)(i % 90);
        CHECK_OK(ink_sketch_add_int(sketch, key, &error));
        model_add(&m, key, 1);
    }
    for (int i = 0; i < KEYS; i++)
        keys[i] = i;
    const ink_batch batch = {.count = KEYS, .ints = keys};
    for (uint64_t k = 1; k < 40; k++) {
        CHECK_OK(ink_sketch_over_batch(sketch, &batch, k, answers, &error));
        for (int i = 0; i < KEYS; i++) {
            counted *known = model_find(&m, i);
            uint64_t high = known == NULL ? m.missed : known->high;
            uint64_t low = known == NULL ? 0 : known->high - known->error;
            assert_int_equal(answers[i], low * k > m.total ? 2 : high * k > m.total);
            CHECK(answers[i] != 0 || m.exact[i] * k <= m.total);
            CHECK(answers[i] != 2 || m.exact[i] * k > m.total);
            seen[answers[i]]++;
        }
    }
    CHECK(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    CHECK_FAILS(ink_sketch_over_batch(sketch, &batch, 0, answers, &error), INK_USAGE,
                "k 0, expected 1 or more");
}

/* More than a half, by one in 2^61: a real number of 53 bits does not see it. */
TEST(no_share_is_missed_for_want_of_digits)
{
    const int64_t   key = 1;
    const ink_batch batch = {.count = 1, .ints = &key};
    owned_sketch   *sketch = empty_top(4, INK_KEY_INT);
    ink_item        items[8];
    size_t          found;
    uint8_t         answer;

    add_int(sketch, 1, ((uint64_t)1 << 61) + 1);
    add_int(sketch, 2, ((uint64_t)1 << 61) - 1);
    CHECK_OK(ink_sketch_over(sketch, 2, items, 8, &found, &error));
    CHECK(found >= 1 && items[0].key_int == 1);
    CHECK_OK(ink_sketch_over_batch(sketch, &batch, 2, &answer, &error));
    CHECK(answer != 0);
}

/* ---- Keys --------------------------------------------------------------------------------- */

TEST(keys_of_every_length_are_kept_and_long_ones_are_cut)
{
    static const size_t lengths[] = {0, 1, 2, 31, 32, 1023, 1024, 1025, 1026, 5000, 100000};
    enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
    owned_sketch *sketch = empty_top(8, INK_KEY_BYTES);
    uint8_t      *bytes = malloc(100000);
    ink_item      items[LENGTHS];
    size_t        found;

    assert_non_null(bytes);
    for (size_t i = 0; i < 100000; i++)
        bytes[i] = (uint8_t)scramble(i / 3); /* binary, with zeros */
    bytes[0] = 0;
    for (unsigned i = 0; i < LENGTHS; i++)
        add_text(sketch, bytes, lengths[i], 100 - i);
    owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
    for (int from_view = 0; from_view < 2; from_view++) {
        const ink_sketch *asked = from_view ? view.sketch : sketch;
        CHECK_OK(ink_sketch_top(asked, items, LENGTHS, &found, &error));
        assert_int_equal(found, LENGTHS);
        for (unsigned i = 0; i < LENGTHS; i++) {
            size_t kept = lengths[i] < KEY_MAX ? lengths[i] : KEY_MAX;
            CHECK(count_of_text(asked, bytes, lengths[i]).low == 100 - i);
            CHECK(items[i].count.estimate == 100 - i);
            assert_int_equal(items[i].key_bytes, kept);
            CHECK(items[i].key_int == 0 && items[i].cut == (lengths[i] > KEY_MAX));
            if (kept > 0)
                assert_memory_equal(items[i].key, bytes, kept);
        }
        CHECK(count_of_text(asked, bytes, 4).high == 0);
        CHECK(count_of_text(asked, bytes, 1027).high == 0);
    }
    free(bytes);
}

TEST(long_keys_that_begin_alike_are_counted_apart)
{
    owned_sketch *sketch = empty_top(8, INK_KEY_BYTES);
    uint8_t       bytes[2000];
    ink_item      items[8];
    size_t        found;

    memset(bytes, 'x', sizeof bytes);
    for (unsigned i = 0; i < 4; i++) {
        bytes[1999] = (uint8_t)i;
        add_text(sketch, bytes, sizeof bytes, 10 + i);
    }
    for (unsigned i = 0; i < 4; i++) {
        bytes[1999] = (uint8_t)i;
        CHECK(count_of_text(sketch, bytes, sizeof bytes).high == 10 + i);
    }
    CHECK(count_of_text(sketch, bytes, KEY_MAX).high == 0); /* what is kept of them is none */
    add_text(sketch, bytes, KEY_MAX, 1);
    CHECK_OK(ink_sketch_top(sketch, items, 8, &found, &error));
    assert_int_equal(found, 5);
    CHECK(items[3].cut && !items[4].cut && items[4].key_bytes == KEY_MAX);
    assert_memory_equal(items[3].key, items[4].key, KEY_MAX);
}

TEST(of_equal_counts_a_cut_key_comes_after_the_whole_one)
{
    uint8_t bytes[KEY_MAX + 1];

    memset(bytes, 'x', sizeof bytes);
    for (unsigned cut_first = 0; cut_first < 2; cut_first++) {
        owned_sketch *sketch = empty_top(8, INK_KEY_BYTES);
        ink_item      items[2];
        size_t        found;
        for (unsigned i = 0; i < 2; i++)
            add_text(sketch, bytes, KEY_MAX + (i == cut_first ? 0 : 1), 3);
        owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
        CHECK_OK(ink_sketch_top(view.sketch, items, 2, &found, &error));
        CHECK(!items[0].cut && items[1].cut);
        CHECK_OK(ink_sketch_top(sketch, items, 2, &found, &error));
        CHECK(!items[0].cut && items[1].cut);
    }
}

TEST(keys_with_equal_hashes_are_reported_apart_by_their_bytes)
{
    const uint64_t  hashes[] = {7, 7, 7, 7}, offsets[] = {0, 1, 3, 4, 5};
    const ink_batch batch = {.count = 4,
                             .hashes = hashes,
                             .data = (const uint8_t *)"aaaab",
                             .offsets = offsets}; /* "a", "aa", "a", "b" */
    owned_sketch   *sketch = locked_top(4);
    ink_answer      answers[4];

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
    for (int from_view = 0; from_view < 2; from_view++) {
        CHECK_OK(ink_sketch_count_batch(from_view ? view.sketch : sketch, &batch, answers, &error));
        CHECK(answers[0].low == 2 && answers[1].low == 1 && answers[2].low == 2);
        CHECK(answers[3].low == 1);
    }
}

/* Keys of 0 to 23 bytes, of which many share a hash, and some a key has two of. */
TEST(a_batch_with_equal_hashes_is_the_same_as_its_keys_one_by_one)
{
    enum { COUNT = 3000, LONGEST = 24 };
    uint8_t    bytes[LONGEST + COUNT];
    uint64_t   starts[COUNT], ends[COUNT], hashes[COUNT], weights[COUNT];
    const bool weighted[] = {false, true};

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)('a' + scramble(i) % 2);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t key = scramble(i) % (1 + scramble(i + COUNT) % 400);
        starts[i] = scramble(key) % COUNT;
        ends[i] = starts[i] + key % LONGEST;
        hashes[i] = scramble(i) % 50 == 0 ? 3 : scramble(key % 100);
        weights[i] = scramble(i) % 4;
    }
    for (int w = 0; w < 2; w++)
        for (uint64_t capacity = 1; capacity <= 256; capacity *= 4) {
            ink_batch     batch = {.count = COUNT,
                                   .hashes = hashes,
                                   .data = bytes,
                                   .offsets = starts,
                                   .ends = ends,
                                   .weights = weighted[w] ? weights : NULL};
            owned_sketch *batched = locked_top(capacity), *single = locked_top(capacity);
            CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
            for (uint64_t i = 0; i < COUNT; i++) {
                const ink_batch one = {.count = 1,
                                       .hashes = hashes + i,
                                       .data = bytes,
                                       .offsets = starts + i,
                                       .ends = ends + i,
                                       .weights = weighted[w] ? weights + i : NULL};
                CHECK_OK(ink_sketch_add_batch(single, &one, &error));
            }
            CHECK(sketches_equal(batched, single));
        }
}

/* Of keys that are cut alike the hash alone says which is which; all of these have the same bits
 * where the index takes those that stand beside the number of an entry. */
TEST(cut_keys_of_a_batch_are_reported_apart_by_their_hashes)
{
    enum { COUNT = 1000, BYTES = KEY_MAX + 1 };
    static uint8_t bytes[BYTES];
    uint64_t       starts[COUNT] = {0}, ends[COUNT], hashes[COUNT];
    ink_item       items[COUNT];
    size_t         found;

    for (uint64_t i = 0; i < COUNT; i++) {
        ends[i] = BYTES;
        hashes[i] = scramble(i) << 29;
    }
    const ink_batch batch = {
        .count = COUNT, .hashes = hashes, .data = bytes, .offsets = starts, .ends = ends};
    owned_sketch *sketch = locked_top(COUNT);
    for (unsigned times = 0; times < 2; times++)
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    CHECK_OK(ink_sketch_top(sketch, items, COUNT, &found, &error));
    assert_int_equal(found, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(items[i].cut && items[i].count.low == 2 && items[i].count.high == 2);
}

/* The pointer tells bytes from ints. */
TEST(the_empty_key_has_an_address)
{
    owned_sketch *sketch = empty_top(4, INK_KEY_BYTES);
    ink_item      item;
    size_t        found;

    CHECK_OK(ink_sketch_add(sketch, NULL, 0, &error));
    CHECK(count_of_text(sketch, "", 0).low == 1);
    CHECK_OK(ink_sketch_top(sketch, &item, 1, &found, &error));
    CHECK(found == 1 && item.key_bytes == 0 && item.count.low == 1);
    assert_non_null(item.key);
}

/* ---- Weights ------------------------------------------------------------------------------ */

TEST(a_weight_of_0_adds_no_key)
{
    owned_sketch *sketch = empty_top(2, INK_KEY_INT);
    ink_item      items[4];
    size_t        found;

    add_int(sketch, 1, 0);
    add_int(sketch, 2, 3);
    add_int(sketch, 2, 0);
    CHECK_OK(ink_sketch_top(sketch, items, 4, &found, &error));
    CHECK(found == 1 && items[0].key_int == 2 && items[0].count.high == 3);
    CHECK(sketches_describe(sketch).total == 3 && sketches_describe(sketch).records == 3);
    for (int64_t i = 10; i < 40; i++)
        add_int(sketch, i, 0);
    CHECK(count_of(sketch, 2).low == 3 && missed_of(sketch) == 0);
}

TEST(counts_stop_at_the_largest_number_and_say_so)
{
    owned_sketch *sketch = empty_top(4, INK_KEY_INT);

    add_int(sketch, 1, UINT64_MAX - 5);
    CHECK(!count_of(sketch, 1).saturated);
    add_int(sketch, 1, 100);
    add_int(sketch, 2, 3);
    ink_answer full = count_of(sketch, 1), small = count_of(sketch, 2);
    CHECK(full.saturated && full.high == 0x1p64 && full.low <= full.estimate);
    CHECK(full.estimate <= full.high && full.low > 0x1p63);
    CHECK(!small.saturated && small.low == 3 && small.high == 3);
    CHECK(sketches_describe(sketch).total == UINT64_MAX);
}

TEST(a_top_whose_counts_have_stopped_is_saved_and_loaded)
{
    for (uint64_t capacity = 1; capacity <= 2; capacity++)
        for (int64_t keys = 1; keys <= 7; keys++) {
            owned_sketch *sketch = empty_top(capacity, INK_KEY_INT), *loaded = NULL;
            for (int64_t key = 0; key < keys; key++)
                add_int(sketch, key, UINT64_MAX);
            for (int64_t key = 0; key < keys; key++) {
                ink_answer answer = count_of(sketch, key);
                CHECK(answer.low <= 0x1p64 && answer.high == 0x1p64 && answer.saturated);
            }
            sketches_snapshot file = sketches_remember(sketch);
            ink_status status = ink_sketch_decode(&loaded, file.bytes, file.count, NULL, &error);
            if (status != INK_OK)
                fail_msg("%d keys with 2^64 - 1 each in a top of %d: %s", (int)keys, (int)capacity,
                         error.message);
            CHECK(sketches_unchanged(loaded, &file));
        }
}

/* ---- Batches ------------------------------------------------------------------------------ */

TEST(a_batch_is_the_same_as_its_keys_one_by_one)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int c = 0; c < CAPACITIES; c++) {
            owned_sketch *batched = empty_top(capacities[c], INK_KEY_INT);
            owned_sketch *single = empty_top(capacities[c], INK_KEY_INT);
            int64_t       keys[STREAM];
            uint64_t      weights[STREAM];
            for (uint64_t i = 0; i < STREAM; i++) {
                keys[i] = stream_key(shape, capacities[c], i);
                weights[i] = scramble(i) % 4;
                add_int(single, keys[i], weights[i]);
            }
            const ink_batch batch = {.count = STREAM, .ints = keys, .weights = weights};
            CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
            CHECK(sketches_equal(batched, single));
        }
}

/* Keys of 0 to 2000 bytes, long ones cut, more of them than are ever kept. */
TEST(batches_of_bytes_with_and_without_hashes_are_the_same)
{
    enum { COUNT = 400 };
    owned_sketch *by_key = empty_top(8, INK_KEY_BYTES), *by_both = empty_top(8, INK_KEY_BYTES);
    owned_sketch *single = empty_top(8, INK_KEY_BYTES);
    uint8_t      *bytes = malloc(COUNT * 2000);
    uint64_t      offsets[COUNT + 1] = {3}, hashes[COUNT];

    assert_non_null(bytes);
    memset(bytes, 'k', COUNT * 2000);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t length = 100 * (scramble(i) % 20);
        offsets[i + 1] = offsets[i] + length;
        CHECK_OK(ink_sketch_add(single, bytes + offsets[i], (size_t)length, &error));
    }
    ink_batch batch = {.count = COUNT, .data = bytes, .offsets = offsets};
    CHECK_OK(ink_sketch_add_batch(by_key, &batch, &error));
    CHECK_OK(ink_sketch_hash_batch(by_key, &batch, hashes, &error));
    batch.hashes = hashes;
    CHECK_OK(ink_sketch_add_batch(by_both, &batch, &error));
    CHECK(sketches_equal(by_key, single));
    CHECK(sketches_equal(by_both, single));
    free(bytes);
}

TEST(hashes_alone_are_refused)
{
    const uint64_t    hash = 7;
    const ink_batch   batch = {.count = 1, .hashes = &hash};
    owned_sketch     *sketch = empty_top(8, INK_KEY_BYTES);
    sketches_snapshot before = sketches_remember(sketch);
    ink_answer        answer;
    uint8_t           over;

    CHECK_FAILS(ink_sketch_add_batch(sketch, &batch, &error), INK_UNSUPPORTED,
                "top keeps keys: hashes alone do not suffice");
    CHECK_FAILS(ink_sketch_count_batch(sketch, &batch, &answer, &error), INK_UNSUPPORTED,
                "hashes alone do not suffice");
    CHECK_FAILS(ink_sketch_over_batch(sketch, &batch, 2, &over, &error), INK_UNSUPPORTED,
                "hashes alone do not suffice");
    CHECK(sketches_unchanged(sketch, &before));
}

/* ---- Merges ------------------------------------------------------------------------------- */

enum { PARTS = 6 };

/* A part of a stream in a top and in a table. */
static ink_sketch *part_of(model *m, int shape, uint64_t capacity, unsigned part)
{
    ink_sketch *sketch = empty_top(capacity, INK_KEY_INT);

    *m = (model){.capacity = capacity};
    for (uint64_t i = part * STREAM / PARTS; i < (part + 1) * STREAM / PARTS; i++) {
        int64_t key = stream_key(shape, capacity, i);
        CHECK_OK(ink_sketch_add_int(sketch, key, &error));
        model_add(m, key, 1);
    }
    return sketch;
}

static void merge_parts(ink_sketch *into, model *of_into, ink_sketch *from, const model *of_from)
{
    CHECK_OK(ink_sketch_merge(into, from, NULL, &error));
    model_merge(of_into, of_from);
    check_model(into, of_into);
    ink_sketch_free(from);
}

TEST(bounds_hold_however_parts_are_merged)
{
    for (int form = 0; form < 3; form++) /* a list, a list from the end, a tree */
        for (int shape = 0; shape < SHAPES; shape++)
            for (int c = 0; c < CAPACITIES; c++) {
                ink_sketch *parts[PARTS];
                model       models[PARTS];
                for (unsigned i = 0; i < PARTS; i++)
                    parts[i] = part_of(&models[i], shape, capacities[c], i);
                for (unsigned i = 1; form == 0 && i < PARTS; i++)
                    merge_parts(parts[0], &models[0], parts[i], &models[i]);
                for (unsigned i = PARTS - 1; form == 1 && i > 0; i--)
                    merge_parts(parts[i - 1], &models[i - 1], parts[i], &models[i]);
                for (unsigned step = 1; form == 2 && step < PARTS; step *= 2)
                    for (unsigned i = 0; i + step < PARTS; i += 2 * step)
                        merge_parts(parts[i], &models[i], parts[i + step], &models[i + step]);
                CHECK(models[0].total == STREAM);
                CHECK(sketches_describe(parts[0]).records == STREAM);
                ink_sketch_free(parts[0]);
            }
}

TEST(the_smaller_capacity_holds_after_a_merge)
{
    for (int a = 0; a < CAPACITIES; a++)
        for (int b = 0; b < CAPACITIES; b++) {
            model         of_a, of_b;
            owned_sketch *into = part_of(&of_a, SKEWED, capacities[a], 0);
            ink_sketch   *from = part_of(&of_b, SKEWED, capacities[b], 1);
            merge_parts(into, &of_a, from, &of_b);
            assert_int_equal(sketches_describe(into).capacity, capacities[a < b ? a : b]);
            for (uint64_t i = 0; i < 200; i++) { /* and it goes on with it */
                int64_t key = stream_key(SKEWED, 0, i + 300);
                CHECK_OK(ink_sketch_add_int(into, key, &error));
                model_add(&of_a, key, 1);
            }
            check_model(into, &of_a);
        }
}

TEST(a_view_is_merged_as_the_sketch_itself)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int lazy = 0; lazy < 2; lazy++) {
            model         of_a, of_b;
            owned_sketch *a = part_of(&of_a, shape, 8, 0), *b = part_of(&of_b, shape, 3, 1);
            owned_sketch *same = part_of(&of_a, shape, 8, 0);
            owned_view    view = sketches_view_of(b, lazy ? INK_OPEN_LAZY : INK_OPEN_CHECKED);
            CHECK_OK(ink_sketch_merge(a, view.sketch, NULL, &error));
            CHECK_OK(ink_sketch_merge(same, b, NULL, &error));
            CHECK(sketches_equal(a, same));
        }
}

TEST(keys_of_bytes_are_merged_by_their_bytes)
{
    const ink_params params = {.kind = "top", .phi = 0.125};
    owned_sketch    *a = files_sketch(&params, 0, 12, NULL);
    owned_sketch    *b = files_sketch(&params, 8, 8, NULL);
    uint8_t          bytes[3000] = {0};

    add_text(a, bytes, 3000, 5);
    add_text(b, bytes, 3000, 6);
    add_text(b, bytes, 2999, 7);
    CHECK_OK(ink_sketch_merge(a, b, NULL, &error)); /* 18 keys: those with the most stay */
    CHECK(count_of_text(a, bytes, 3000).low == 11 && count_of_text(a, bytes, 2999).low == 7);
    CHECK(count_of_text(a, "key 9", 5).low == 2 && count_of_text(a, "key 9", 5).high == 2);
    CHECK(count_of_text(a, "key 1", 5).low <= 1 && count_of_text(a, "key 1", 5).high >= 1);
    CHECK(sketches_describe(a).total == 12 + 8 + 18);
}

TEST(an_empty_top_changes_nothing_in_a_merge)
{
    model         m;
    owned_sketch *filled = part_of(&m, SKEWED, 8, 0), *first = empty_top(8, INK_KEY_INT);
    owned_sketch *none = empty_top(8, INK_KEY_INT);

    CHECK_OK(ink_sketch_merge(first, none, NULL, &error));
    CHECK(sketches_equal(first, none));
    CHECK_OK(ink_sketch_merge(first, filled, NULL, &error));
    CHECK(sketches_equal(first, filled));
    CHECK_OK(ink_sketch_merge(first, none, NULL, &error));
    CHECK(sketches_equal(first, filled));
}

TEST(what_a_top_without_keys_has_missed_is_merged_too)
{
    owned_sketch *gone = empty_top(1, INK_KEY_INT), *other = empty_top(1, INK_KEY_INT);
    owned_sketch *into = empty_top(1, INK_KEY_INT);
    ink_item      items[4];
    size_t        found;

    add_int(gone, 1, 5);
    add_int(gone, 2, 5);
    add_int(gone, 3, 1); /* 1 and 2 went, and 3 has 1 to 6 */
    add_int(other, 4, 2);
    CHECK(count_of(gone, 1).high == 5 && count_of(gone, 3).high == 6);
    CHECK_OK(ink_sketch_merge(other, gone, NULL, &error));
    CHECK(count_of(other, 4).low == 2 && count_of(other, 4).high == 7);
    CHECK(count_of(other, 1).high == 5 && count_of(other, 3).low == 1);
    CHECK_OK(ink_sketch_merge(into, gone, NULL, &error));
    CHECK(sketches_equal(into, gone));
    CHECK_OK(ink_sketch_top(into, items, 4, &found, &error));
    CHECK(found == 1 && items[0].key_int == 3);
}

/* ---- Files -------------------------------------------------------------------------------- */

TEST(a_top_that_is_loaded_goes_on_as_if_it_had_never_been_saved)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int c = 0; c < CAPACITIES; c++) {
            owned_sketch *never = empty_top(capacities[c], INK_KEY_INT);
            owned_sketch *always = empty_top(capacities[c], INK_KEY_INT);
            for (uint64_t i = 0; i < 200; i++) { /* loaded before every key, so at every n */
                sketches_reload(&always);
                int64_t key = stream_key(shape, capacities[c], i * 3);
                CHECK_OK(ink_sketch_add_int(always, key, &error));
                CHECK_OK(ink_sketch_add_int(never, key, &error));
                CHECK(sketches_equal(always, never));
            }
        }
}

TEST(a_top_of_bytes_goes_on_after_loading_too)
{
    owned_sketch *never = empty_top(3, INK_KEY_BYTES), *always = empty_top(3, INK_KEY_BYTES);
    uint8_t       bytes[2000] = {0};

    for (uint64_t i = 0; i < 200; i++) {
        sketches_reload(&always);
        size_t length = (size_t)(scramble(i) % 9 * 200 + i % 2);
        CHECK_OK(ink_sketch_add(always, bytes, length, &error));
        CHECK_OK(ink_sketch_add(never, bytes, length, &error));
        CHECK(sketches_equal(always, never));
    }
}

TEST(a_view_whose_bytes_change_leads_nowhere)
{
    static const uint8_t with[] = {0x00, 0xff, 0x41, 0x80};

    for (unsigned i = 0; i < sizeof with; i++) {
        owned_sketch *sketch = sketches_with((ink_params){.kind = "top", .phi = 0.125}, 0, 14),
                     *into = NULL;
        owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
        ink_item   items[16];
        size_t     found;
        CHECK_OK(ink_sketch_copy(&into, view.sketch, NULL, &error));
        uint64_t at = files_payload_at(view.bytes);
        memset(view.bytes + at, with[i], files_sections_at(view.bytes) - at);
        ink_answer answer = count_of_text(view.sketch, "key 3", 5);
        CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
        CHECK_OK(ink_sketch_top(view.sketch, items, 16, &found, &error));
        for (size_t j = 0; j < found; j++)
            for (size_t k = 0; k < items[j].key_bytes; k++)
                CHECK(items[j].key[k] == with[i]);
        ink_sketch_merge(into, view.sketch, NULL, &error); /* with any result */
    }
}

TEST(a_shape_that_no_top_has_is_refused_at_its_field)
{
    const ink__key_rule bytes = {.type = INK_KEY_BYTES}, ints = {.type = INK_KEY_INT};
    const struct {
        const ink__key_rule *rule;
        ink__shape           shape;
        const char          *words;
        unsigned             field;
    } wrong[] = {
        {&bytes, {.fields = {0}}, "capacity 0, expected 1 to 1048576", 0},
        {&bytes, {.fields = {1048577}}, "capacity 1048577", 0},
        {&bytes, {.fields = {3, 100, 26}}, "missed 26 times, expected at most 25", 2},
        {&bytes,
         {.fields = {3, 100, 25, 7}, .payload_bytes = 224},
         "7 keys, expected at most 6",
         3},
        {&bytes, {.fields = {3, 100, 25, 2}, .payload_bytes = 63}, "a top of 63 bytes", 4},
        {&bytes, {.fields = {3, 100, 25, 2}, .payload_bytes = 2113}, "expected 64 to 2112", 4},
        {&ints, {.fields = {3, 100, 25, 2}, .payload_bytes = 65}, "expected 64 to 64", 4},
        {&bytes, {.fields = {3}, .payload_bytes = 1}, "expected 0 to 0 for 0 keys", 4},
    };
    const ink__shape full = {.fields = {3, UINT64_MAX, UINT64_MAX}};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(ink__top.check(&wrong[i].shape, wrong[i].rule, &error), INK_FORMAT,
                    wrong[i].words);
        CHECK(error.location == INK__AT_FIELD && error.at == wrong[i].field);
    }
    CHECK_OK(ink__top.check(&full, &bytes, &error));
}

/* Three records and the keys after them, as docs/format.md has it: high above missed (2), error at
 * most that, hashes and keys rising. */
typedef struct filed {
    uint64_t records[3][4]; /* hash, high, error, end of the key */
    uint8_t  keys[2100];
    size_t   key_bytes;
} filed;

static ink_status check_filed(const filed *f, uint64_t total, ink_key_type type)
{
    const ink__key_rule rule = {.type = type, .hash = INK__HASH_SIPHASH}; /* no secret: any hash */
    const ink__shape    shape = {.fields = {4, total, 2, 3},
                                 .payload_bytes = 3 * FILED + f->key_bytes};
    uint8_t             payload[3 * FILED + 2100];

    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 4; j++)
            files_set(payload + FILED * i + 8 * j, 8, f->records[i][j]);
    memcpy(payload + sizeof payload - 2100, f->keys, f->key_bytes);
    return ink__top.check_payload(&shape, &rule, payload, &error);
}

TEST(contents_that_no_top_has_are_refused_at_their_position)
{
    const uint64_t cut = (uint64_t)1 << 32;
    const filed    good = {{{1, 3, 0, 1}, {1, 9, 2, 3}, {5, 4, 1, 3}}, "abb", 3};
    const struct {
        unsigned    record, field;
        uint64_t    value;
        const char *words;
        uint64_t    at;
    } wrong[] = {
        {0, 1, 2, "a key with count 2 and error 0, expected above 2 and at most that", 8},
        {1, 2, 3, "a key with count 9 and error 3", FILED + 8},
        {0, 3, 4, "a key from 0 to 0x4, expected at most 1024 bytes of 3", 24},
        {1, 3, 0, "a key from 1 to 0x0", FILED + 24},
        {2, 3, 2, "a key from 3 to 0x2", 2 * FILED + 24},
        {0, 3, 1 | (uint64_t)1 << 33, "a key from 0 to 0x200000001", 24},
        {0, 3, 1 | (uint64_t)1 << 63, "a key from 0 to 0x8000000000000001", 24},
        {0, 3, 1 | (uint64_t)1 << 32, "a key cut to 1 bytes, expected 1024", 24},
        {0, 0, 2, "keys out of order, expected them by rising hash", FILED},
        {2, 0, 0, "keys out of order", 2 * FILED},
    };
    filed f;

    CHECK_OK(check_filed(&good, 20, INK_KEY_BYTES)); /* 1 + 7 + 2, and 5 x 2 */
    CHECK_FAILS(check_filed(&good, 19, INK_KEY_BYTES), INK_FORMAT,
                "keys that need a total of 20, expected at most 19");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        f = good;
        f.records[wrong[i].record][wrong[i].field] = wrong[i].value;
        CHECK_FAILS(check_filed(&f, 100, INK_KEY_BYTES), INK_FORMAT, wrong[i].words);
        CHECK(error.location == INK__AT_PAYLOAD && error.at == wrong[i].at);
    }
    f = good;
    f.key_bytes = 4;
    CHECK_FAILS(check_filed(&f, 100, INK_KEY_BYTES), INK_FORMAT, "keys of 4 bytes, expected 3");
    f = (filed){{{1, 3, 0, 2}, {1, 9, 2, 3}, {5, 4, 1, 3}}, "aba", 3}; /* "ab", "a": no */
    CHECK_FAILS(check_filed(&f, 100, INK_KEY_BYTES), INK_FORMAT, "keys out of order");
    f = (filed){{{1, 3, 0, 1}, {1, 9, 2, 2}, {5, 4, 1, 2}}, "aa", 2}; /* twice the same */
    CHECK_FAILS(check_filed(&f, 100, INK_KEY_BYTES), INK_FORMAT, "keys out of order");
    f = (filed){{{1, 3, 0, 1025}, {5, 3, 0, 1025}, {6, 3, 0, 1025}}, "", 1025};
    CHECK_FAILS(check_filed(&f, 100, INK_KEY_BYTES), INK_FORMAT, "expected at most 1024 bytes");
    f = (filed){{{1, 3, 0, 1024}, {1, 3, 0, 2048 | cut}, {6, 3, 0, 2048}}, "", 2048};
    CHECK_OK(check_filed(&f, 100, INK_KEY_BYTES)); /* the same bytes, whole and cut */
    f = (filed){{{1, 3, 0, 1024 | cut}, {1, 3, 0, 2048}, {6, 3, 0, 2048}}, "", 2048};
    CHECK_FAILS(check_filed(&f, 100, INK_KEY_BYTES), INK_FORMAT, "keys out of order");
    f = (filed){{{1, 3, 0, 1024 | cut}, {1, 3, 0, 2048 | cut}, {6, 3, 0, 2048}}, "", 2048};
    CHECK_FAILS(check_filed(&f, 100, INK_KEY_BYTES), INK_FORMAT, "keys out of order");
    f = (filed){{{1, 3, 0, UINT64_MAX}, {1, 3, 0, 0}, {1, 3, 0, 1}}, "", 0}; /* -1, 0, 1 */
    CHECK_OK(check_filed(&f, 100, INK_KEY_INT));
    f = (filed){{{1, 3, 0, 0}, {1, 3, 0, UINT64_MAX}, {1, 3, 0, 1}}, "", 0};
    CHECK_FAILS(check_filed(&f, 100, INK_KEY_INT), INK_FORMAT, "keys out of order");
}

/* Decodes a sketch whose first hash has another bit. */
static ink_status decode_changed(const ink_sketch *sketch, ink_sketch **loaded)
{
    owned_snapshot file = sketches_remember(sketch);

    file.bytes[files_payload_at(file.bytes)] ^= 1;
    files_repair(file.bytes, file.count);
    return ink_sketch_decode(loaded, file.bytes, file.count, NULL, &error);
}

TEST(a_hash_that_is_not_that_of_its_key_is_refused)
{
    for (int ints = 0; ints < 2; ints++) {
        owned_sketch *sketch = empty_top(4, ints ? INK_KEY_INT : INK_KEY_BYTES), *loaded = NULL;
        owned_sketch *cut = empty_top(4, INK_KEY_BYTES);
        uint8_t       bytes[KEY_MAX + 1] = {0};
        if (ints)
            add_int(sketch, 5, 1);
        else
            add_text(sketch, "five", 4, 1);
        CHECK_FAILS(decode_changed(sketch, &loaded), INK_FORMAT, "beside a key, expected");
        add_text(cut, bytes, sizeof bytes, 1); /* this one is unknown */
        CHECK_OK(decode_changed(cut, &loaded));
    }
}

TEST(wrong_hashes_beside_keys_change_nothing)
{
    const uint64_t  wrong[] = {1, 2, 3}, offsets[] = {0, 1, 2, 3};
    const ink_batch batch = {
        .count = 3, .hashes = wrong, .data = (const uint8_t *)"aba", .offsets = offsets};
    owned_sketch *sketch = empty_top(4, INK_KEY_BYTES), *plain = empty_top(4, INK_KEY_BYTES);
    ink_answer    answers[3];

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    add_text(plain, "a", 1, 1);
    add_text(plain, "b", 1, 1);
    add_text(plain, "a", 1, 1);
    CHECK(sketches_equal(sketch, plain));
    CHECK_OK(ink_sketch_count_batch(sketch, &batch, answers, &error));
    CHECK(answers[0].low == 2 && answers[1].low == 1 && answers[2].low == 2);
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* However many keys there are: those that come just after a power of two have the largest index.
 */
TEST(a_top_that_is_loaded_takes_at_most_twice_the_bytes_of_its_file)
{
    const uint64_t numbers[] = {100, 1025, 4097, 8193, 16384, 16385, 21846, 32769, 40000, 65537};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        owned_sketch  *sketch = sketches_with(of_ints(numbers[i]), 0, numbers[i]);
        owned_snapshot file = sketches_remember(sketch);
        faults_memory  memory = {0};
        ink_allocator  allocator = faults_allocator(&memory);
        ink_sketch    *loaded;
        CHECK_OK(ink_sketch_decode(&loaded, file.bytes, file.count, &allocator, &error));
        if (memory.most_bytes > 65536 + 2 * (uint64_t)file.count)
            fail_msg("%llu keys in %zu bytes: loaded with %llu", (unsigned long long)numbers[i],
                     file.count, (unsigned long long)memory.most_bytes);
        CHECK(sketches_equal(sketch, loaded));
        ink_sketch_free(loaded);
        faults_check_no_leak(&memory);
    }
}

/* No more than the index has numbers for; however much memory there is. */
TEST(a_table_has_no_more_entries_than_its_index_can_number)
{
    const uint64_t wanted[] = {INK__TOP_ENTRIES_MAX, (uint64_t)INK__TOP_ENTRIES_MAX + 1};

    for (unsigned i = 0; i < 2; i++) {
        faults_memory  memory = {.refuse_at = 1};
        ink_allocator  allocator = faults_allocator(&memory);
        ink__top_table table = {0};
        ink_status     status =
            ink__top_table_reserve(&table, wanted[i], 0, wanted[i], &allocator, &error);
        assert_int_equal(status, i == 0 ? INK_MEMORY : INK_LIMIT);
    }
}

TEST(every_refusal_of_memory_leaves_a_top_as_it_was)
{
    const ink_params params = {.kind = "top", .phi = 0.01};
    const uint64_t   kept[] = {0, 5, 150};
    uint8_t          bytes[4000] = {0};
    uint64_t         offsets[51];

    for (unsigned i = 0; i <= 50; i++)
        offsets[i] = 80 * i;
    for (unsigned i = 0; i < 50; i++)
        bytes[80 * i] = (uint8_t)(i + 1);
    const ink_batch batch = {.count = 50, .data = bytes, .offsets = offsets};
    owned_sketch   *from = files_sketch(&params, 1000, 90, NULL);
    for (unsigned k = 0; k < 3; k++)
        for (int merge = 0; merge < 2; merge++)
            sketches_check_refusals(&params, kept[k], merge ? NULL : &batch, from);
}

RUN_TESTS()
