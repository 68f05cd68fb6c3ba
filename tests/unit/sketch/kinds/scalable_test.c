/* scalable_test.c - a chain of filters: levels that follow the rule of docs/format.md, keys that
 * fill them once, unions that close them, and files that go on as if they had never been written.
 * The reference is a list of single filters. */
#include "base/status.h"
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <math.h>
#include <stdio.h>

static ink_error       error;
static ink_description described;

#define PLAN(...) ink_plan(&(const ink_params){.kind = "scalable", __VA_ARGS__}, &described, &error)
#define REFUSED(words, ...) CHECK_FAILS(PLAN(__VA_ARGS__), INK_USAGE, words)

enum { LEVELS = 40, FILED = 64 };
enum { AT_KIND = 0, AT_KEYS = 8, AT_EXPECTED = 16, AT_ASKED = 24, AT_PROMISED = 32, AT_BITS = 40 };
enum { AT_HASHES = 48, AT_CELLS = 56 };
enum { COLUMN_CHAINS = 16 + 4, COLUMN_LEVELS = 16 + 5 };

static ink_params of_ints(uint64_t keys, double rate, double ratio)
{
    return (ink_params){
        .kind = "scalable",
        .expected_keys = keys,
        .false_positive_rate = rate,
        .ratio = ratio,
        .key_type = INK_KEY_INT,
    };
}

/* Of the chain of RedisBloom: byte keys, and a rule that needs them. */
static ink_params of_redisbloom(uint64_t keys, double rate, double ratio)
{
    ink_params params = of_ints(keys, rate, ratio);

    params.key_type = INK_KEY_BYTES;
    params.hash = "redisbloom";
    return params;
}

static ink_sketch *empty_chain(uint64_t keys, double rate, double ratio)
{
    return sketches_with(of_ints(keys, rate, ratio), 0, 0);
}

static void add_ints(ink_sketch *sketch, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        CHECK_OK(ink_sketch_add_int(sketch, i, &error));
}

/* The integer, or its text as in files_sketch. */
static void add_key(ink_sketch *sketch, int64_t number)
{
    char key[32];
    int  bytes = snprintf(key, sizeof key, "key %lld", (long long)number);

    if (sketches_describe(sketch).key_type == INK_KEY_INT)
        CHECK_OK(ink_sketch_add_int(sketch, number, &error));
    else
        CHECK_OK(ink_sketch_add(sketch, key, (size_t)bytes, &error));
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- A list of filters -------------------------------------------------------------------- */

typedef struct naive_level {
    ink_sketch *filter;
    uint64_t    keys, expected;
    double      target, promised;
} naive_level;

typedef struct naive {
    uint64_t    expected;
    double      promised, ratio;
    const char *hash; /* NULL, of ints; else of the texts of files_sketch */
    unsigned    used;
    naive_level levels[LEVELS];
} naive;

static naive naive_of(const ink_params *params)
{
    return (naive){
        .expected = params->expected_keys,
        .promised = params->false_positive_rate,
        .ratio = params->ratio,
        .hash = params->hash,
    };
}

static void naive_open(naive *n)
{
    uint64_t expected = n->expected;
    double   left = n->promised;

    for (unsigned i = 0; i < n->used; i++) {
        expected += n->levels[i].expected;
        left -= n->levels[i].promised;
    }
    double     asked = left * (1 - n->ratio);
    ink_params params = {
        .kind = n->hash == NULL && asked >= 1e-4 ? "bloom" : "classic",
        .expected_keys = expected + (uint64_t)((double)expected * asked / 2),
        .false_positive_rate = asked,
        .key_type = n->hash == NULL ? INK_KEY_INT : INK_KEY_BYTES,
        .hash = n->hash,
    };
    /* A small classic promises more than it is asked for. */
    CHECK_OK(ink_plan(&params, &described, &error));
    while (described.promised_rate > asked) {
        params.false_positive_rate *= 0.9;
        CHECK_OK(ink_plan(&params, &described, &error));
    }
    assert_true(n->used < LEVELS);
    n->levels[n->used++] = (naive_level){
        .filter = files_sketch(&params, 0, 0, NULL),
        .expected = expected,
        .target = asked,
        .promised = asked,
    };
}

static bool naive_contains(const naive *n, int64_t key)
{
    for (unsigned i = 0; i < n->used; i++)
        if (sketches_found(n->levels[i].filter, (uint64_t)key, 1) == 1)
            return true;
    return false;
}

static void naive_add(naive *n, int64_t key)
{
    if (naive_contains(n, key))
        return;
    if (n->used == 0 || n->levels[n->used - 1].keys == n->levels[n->used - 1].expected)
        naive_open(n);
    n->levels[n->used - 1].keys++;
    add_key(n->levels[n->used - 1].filter, key);
}

static void naive_add_ints(naive *n, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        naive_add(n, i);
}

/* Takes the levels of the other, and closes all. */
static void naive_join(naive *n, naive *from)
{
    for (unsigned i = 0; i < from->used; i++)
        n->levels[n->used++] = from->levels[i];
    from->used = 0;
    for (unsigned i = 0; i < n->used; i++) {
        n->levels[i].expected = n->levels[i].keys;
        n->levels[i].promised = sketches_rate(n->levels[i].filter);
    }
}

static void naive_free(naive *n)
{
    for (unsigned i = 0; i < n->used; i++)
        ink_sketch_free(n->levels[i].filter);
}

/* The payload as docs/format.md has it. */
static uint8_t *naive_payload(const naive *n, size_t *bytes)
{
    uint64_t end = FILED * n->used;

    for (unsigned i = 0; i < n->used; i++)
        end = (end + 63) / 64 * 64 + sketches_describe(n->levels[i].filter).bytes;
    uint8_t *payload = calloc(1, (size_t)end + 1);
    assert_non_null(payload);
    *bytes = (size_t)end;
    end = FILED * n->used;
    for (unsigned i = 0; i < n->used; i++) {
        const naive_level *l = &n->levels[i];
        ink_description    d = sketches_describe(l->filter);
        uint8_t           *at = payload + (size_t)FILED * i;
        end = (end + 63) / 64 * 64;
        files_set(at + AT_KIND, 8, strcmp(d.kind, "bloom") == 0 ? 1 : 2);
        files_set(at + AT_KEYS, 8, l->keys);
        files_set(at + AT_EXPECTED, 8, l->expected);
        files_set(at + AT_ASKED, 8, bits_of(l->target));
        files_set(at + AT_PROMISED, 8, bits_of(l->promised));
        files_set(at + AT_BITS, 8, d.bits);
        files_set(at + AT_HASHES, 8, d.hashes);
        files_set(at + AT_CELLS, 8, end);
        CHECK_OK(ink_sketch_payload(l->filter, payload + end, (size_t)d.bytes, &error));
        end += d.bytes;
    }
    return payload;
}

static void check_naive(const ink_sketch *sketch, const naive *n)
{
    size_t   expected_bytes;
    uint8_t *expected = naive_payload(n, &expected_bytes);
    uint8_t *found = malloc(expected_bytes + 1);

    assert_non_null(found);
    assert_int_equal(sketches_describe(sketch).bytes, expected_bytes);
    CHECK_OK(ink_sketch_payload(sketch, found, expected_bytes, &error));
    if (expected_bytes > 0)
        assert_memory_equal(found, expected, expected_bytes);
    free(found);
    free(expected);
}

/* A column of the file that a chain is saved as; 0 if it is left out. */
static uint64_t filed(const ink_sketch *sketch, unsigned column)
{
    owned_snapshot file = sketches_remember(sketch);
    files_field    field = files_column(file.bytes, file.count, 0, column);

    return files_get(file.bytes + field.at, field.width);
}

/* A number of level `level`. */
static uint64_t level_field(const ink_sketch *sketch, unsigned level, unsigned field)
{
    size_t   bytes = (size_t)sketches_describe(sketch).bytes;
    uint8_t *payload = malloc(bytes + 1);

    assert_non_null(payload);
    CHECK_OK(ink_sketch_payload(sketch, payload, bytes, &error));
    uint64_t value = files_get(payload + (size_t)FILED * level + field, 8);
    free(payload);
    return value;
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(what_is_not_given_has_its_default)
{
    CHECK_OK(PLAN(.seed = 0));
    CHECK(described.expected_keys == 65536 && described.ratio == 0.5);
    CHECK(described.target_rate == 0.01 && described.promised_rate == 0.01);
    CHECK(described.bytes == 0 && described.bytes_max == 0 && !described.order_free);
    CHECK(described.bits == 0 && described.hashes == 0);
    CHECK_OK(PLAN(.expected_keys = 10, .false_positive_rate = 0.2, .ratio = 0.8));
    CHECK(described.expected_keys == 10 && described.ratio == 0.8);
    CHECK(described.target_rate == 0.2 && described.promised_rate == 0.2);
    CHECK_OK(PLAN(.false_positive_rate = 1e-9, .ratio = 0.1));
    CHECK_OK(PLAN(.false_positive_rate = 0.5, .ratio = 0.9));
}

TEST(rates_and_ratios_out_of_range_are_refused)
{
    REFUSED("false_positive_rate 0.51, expected 1e-09 to 0.5 for scalable",
            .false_positive_rate = 0.51);
    REFUSED("expected 1e-09 to 0.5", .false_positive_rate = 0.9e-9);
    REFUSED("false_positive_rate -0.1", .false_positive_rate = -0.1);
    REFUSED("expected 1e-09 to 0.5", .false_positive_rate = (double)NAN);
    REFUSED("ratio 0.09, expected 0.1 to 0.9", .ratio = 0.09);
    REFUSED("ratio 0.91, expected 0.1 to 0.9", .ratio = 0.91);
    REFUSED("ratio -1, expected", .ratio = -1);
    REFUSED("expected 0.1 to 0.9", .ratio = (double)NAN);
}

/* ---- Levels ------------------------------------------------------------------------------- */

static const struct {
    uint64_t keys;
    double   rate, ratio;
} plans[] = {
    {10, 0.01, 0.5},   {1, 0.5, 0.9},   {100, 0.05, 0.1}, {100, 2e-4, 0.5}, {60, 1e-9, 0.8},
    {20, 0.0016, 0.5}, {500, 0.1, 0.7}, {50, 1e-3, 0.1},  {1, 1e-6, 0.5},
};
enum { PLANS = sizeof plans / sizeof plans[0] };

static void check_levels(ink_params params)
{
    owned_sketch *sketch = sketches_with(params, 0, 0);
    naive         n = naive_of(&params);

    check_naive(sketch, &n);
    for (int64_t i = 0; i < 1500; i++) {
        unsigned before = n.used;
        add_key(sketch, i);
        naive_add(&n, i);
        if (n.used != before || i % 97 == 0)
            check_naive(sketch, &n);
    }
    check_naive(sketch, &n);
    CHECK(n.used > 1 && filed(sketch, COLUMN_LEVELS) == n.used);
    CHECK(filed(sketch, COLUMN_CHAINS) == 1);
    CHECK(sketches_describe(sketch).records == 1500);
    assert_int_equal(sketches_found(sketch, 0, 1500), 1500);
    for (int64_t key = 1500; key < 3000; key++)
        CHECK(sketches_found(sketch, (uint64_t)key, 1) == naive_contains(&n, key));
    naive_free(&n);
}

TEST(levels_are_those_of_a_list_of_filters)
{
    for (int p = 0; p < PLANS; p++)
        check_levels(of_ints(plans[p].keys, plans[p].rate, plans[p].ratio));
}

TEST(levels_under_the_rule_of_redisbloom_are_classics_under_that_rule)
{
    for (int p = 0; p < PLANS; p++)
        check_levels(of_redisbloom(plans[p].keys, plans[p].rate, plans[p].ratio));
}

TEST(other_foreign_rules_are_not_for_chains)
{
    REFUSED("hash guava is for classic, not for scalable", .hash = "guava");
    REFUSED("hash mmh3 is for classic, not for scalable", .hash = "mmh3");
}

static void check_filled(const ink_params *params, uint64_t keys, const ink_sketch *sketch)
{
    const ink_description made = sketches_describe(sketch);

    CHECK_OK(ink_plan_filled(params, keys, &described, &error));
    assert_int_equal(described.levels, made.levels);
    assert_int_equal(described.bytes, made.bytes);
    CHECK(described.expected_keys == made.expected_keys && described.ratio == made.ratio);
    CHECK(described.target_rate == made.target_rate && described.bytes_max == made.bytes_max);
    CHECK(described.promised_rate == made.promised_rate && described.records == 0);
}

TEST(the_levels_and_bytes_with_any_number_of_keys_are_known_before)
{
    for (int p = 0; p < PLANS; p++) {
        const ink_params params = of_ints(plans[p].keys, plans[p].rate, plans[p].ratio);
        owned_sketch    *sketch = sketches_with(params, 0, 0);
        ink_answer       held;
        check_filled(&params, 0, sketch);
        for (int64_t i = 0; i < 1500; i++) {
            CHECK_OK(ink_sketch_add_int(sketch, i, &error));
            CHECK_OK(ink_sketch_distinct(sketch, 0, &held, &error));
            check_filled(&params, (uint64_t)held.low, sketch); /* without those it took for known */
        }
        CHECK(described.levels > 1);
    }
}

/* Levels of a filter of 2^29 blocks and beyond, of which none is made here. */
TEST(more_keys_than_a_chain_can_hold_are_refused_with_what_it_can)
{
    const ink_params   params = of_ints(65536, 0.01, 0.5);
    const char        *words = "expected at most ";
    unsigned long long most = 0;

    CHECK_FAILS(ink_plan_filled(&params, UINT64_MAX, &described, &error), INK_USAGE,
                "18446744073709551615 keys, expected at most ");
    assert_int_equal(sscanf(strstr(error.message, words) + strlen(words), "%llu", &most), 1);
    CHECK_OK(ink_plan_filled(&params, most, &described, &error));
    CHECK(most == (uint64_t)65536 * (((uint64_t)1 << described.levels) - 1));
    CHECK(described.bytes > most); /* 8 bits a key are too few for the rate */
    CHECK_FAILS(ink_plan_filled(&params, most + 1, &described, &error), INK_USAGE, words);
    CHECK_FAILS(
        ink_plan_filled(&(const ink_params){.kind = "scalable", .ratio = 2}, 1, &described, &error),
        INK_USAGE, "ratio 2");
    assert_int_equal(ink_plan_filled(&params, UINT64_MAX, &described, NULL), INK_USAGE);
}

TEST(levels_double_and_share_out_the_rate)
{
    owned_sketch *sketch = empty_chain(10, 0.08, 0.5);

    add_ints(sketch, 0, 500);
    for (unsigned i = 0; i < 5; i++) {
        CHECK(level_field(sketch, i, AT_EXPECTED) == (uint64_t)10 << i);
        double target = double_of(level_field(sketch, i, AT_ASKED));
        CHECK(fabs(target - 0.04 / (1 << i)) < 1e-15);
    }
}

TEST(levels_are_classic_below_a_rate_of_1_in_10000)
{
    /* 5e-4, 2.5e-4, 1.25e-4, 6.25e-5 */
    const uint64_t kinds[] = {1, 1, 1, 2, 2};
    owned_sketch  *sketch = empty_chain(4, 0.001, 0.5);

    add_ints(sketch, 0, 100);
    for (unsigned i = 0; i < 5; i++) {
        CHECK(level_field(sketch, i, AT_KIND) == kinds[i]);
        CHECK((level_field(sketch, i, AT_HASHES) == 8) == (kinds[i] == 1));
        CHECK((double_of(level_field(sketch, i, AT_ASKED)) >= 1e-4) == (kinds[i] == 1));
    }
}

/* "However long the chain grows": small levels must not take more of the rate than their share. */
TEST(a_chain_that_was_never_merged_does_not_run_out_of_its_rate)
{
    static const struct {
        uint64_t keys;
        double   rate, ratio;
    } small[] = {
        {10, 1e-4, 0.5}, {1, 1e-3, 0.5}, {50, 1e-3, 0.1}, {1000, 1e-4, 0.1}, {3, 1e-6, 0.7},
    };

    for (size_t p = 0; p < sizeof small / sizeof small[0]; p++) {
        owned_sketch *sketch = empty_chain(small[p].keys, small[p].rate, small[p].ratio);
        for (int64_t i = 0; i < 5000; i++)
            if (ink_sketch_add_int(sketch, i, &error) != INK_OK)
                fail_msg("%d keys at %g, ratio %g: key %d: %s", (int)small[p].keys, small[p].rate,
                         small[p].ratio, (int)i, error.message);
    }
}

TEST(repeated_keys_do_not_fill_it)
{
    owned_sketch *once = empty_chain(16, 0.01, 0.5), *often = empty_chain(16, 0.01, 0.5);

    add_ints(once, 0, 100);
    for (int64_t i = 0; i < 100; i++)
        for (int64_t j = 0; j <= i; j += 7)
            CHECK_OK(ink_sketch_add_int(often, j % 7 == 0 && j + 7 > i ? i : j, &error));
    CHECK(sketches_describe(often).records > 700);
    add_ints(once, 0, 100);
    CHECK(sketches_equal_payloads(once, often));
    CHECK(sketches_describe(once).records == 200);
}

TEST(a_first_level_that_no_filter_can_be_is_refused_when_it_is_planned)
{
    REFUSED("expected_keys 18446744073709551615 at rate 0.01, expected what the first level",
            .expected_keys = UINT64_MAX);
    CHECK_OK(PLAN(.expected_keys = 1000000000));
}

/* A share that becomes ten times smaller with each level is soon below what 64 bits can tell. */
TEST(a_level_that_no_filter_can_be_is_refused)
{
    owned_sketch *sketch = empty_chain(1, 1e-6, 0.1);
    int64_t       keys = 0;

    while (keys < 100000 && ink_sketch_add_int(sketch, keys, &error) == INK_OK)
        keys++;
    CHECK(keys > 200 && keys < 10000);
    sketches_snapshot before = sketches_remember(sketch);
    CHECK_FAILS(ink_sketch_add_int(sketch, keys, &error), INK_LIMIT, "no filter can take another");
    CHECK(sketches_unchanged(sketch, &before));
    assert_int_equal(sketches_found(sketch, 0, (uint64_t)keys), keys);
}

/* ---- Batches ------------------------------------------------------------------------------ */

TEST(batches_are_the_same_as_their_keys_one_by_one)
{
    enum { COUNT = 1200 };
    int64_t keys[COUNT];

    for (uint64_t i = 0; i < COUNT; i++) /* half of them are repeated, near and far */
        keys[i] = (int64_t)(scramble(i) % 600);
    for (int p = 0; p < PLANS; p++)
        for (size_t size = 1; size <= COUNT; size = size * 5 + 3) {
            owned_sketch *single = empty_chain(plans[p].keys, plans[p].rate, plans[p].ratio),
                         *batched = empty_chain(plans[p].keys, plans[p].rate, plans[p].ratio);
            for (size_t first = 0; first < COUNT; first += size) {
                size_t          count = COUNT - first < size ? COUNT - first : size;
                const ink_batch batch = {.count = count, .ints = keys + first};
                CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
                for (size_t i = first; i < first + count; i++)
                    CHECK_OK(ink_sketch_add_int(single, keys[i], &error));
                CHECK(sketches_equal(single, batched));
            }
        }
}

/* Hashes come in one piece, however many they are. */
TEST(a_batch_of_hashes_is_the_same_as_its_keys)
{
    enum { COUNT = 1000 };
    owned_sketch *single = empty_chain(30, 0.01, 0.5), *batched = empty_chain(30, 0.01, 0.5);
    int64_t       keys[COUNT];
    uint64_t      hashes[COUNT];
    uint8_t       answers[COUNT];

    for (uint64_t i = 0; i < COUNT; i++)
        keys[i] = (int64_t)(scramble(i) % 700);
    const ink_batch ints = {.count = COUNT, .ints = keys};
    const ink_batch hashed = {.count = COUNT, .hashes = hashes};
    for (size_t i = 0; i < COUNT; i++)
        CHECK_OK(ink_sketch_add_int(single, keys[i], &error));
    CHECK_OK(ink_sketch_hash_batch(single, &ints, hashes, &error));
    CHECK_OK(ink_sketch_add_batch(batched, &hashed, &error));
    CHECK(sketches_equal(single, batched));
    CHECK_OK(ink_sketch_contains_batch(batched, &hashed, answers, &error));
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(answers[i], 1);
    for (size_t i = 0; i < COUNT; i++)
        hashes[i] = scramble(i + 100000);
    CHECK_OK(ink_sketch_contains_batch(batched, &hashed, answers, &error));
    for (size_t i = 0; i < COUNT; i++) {
        const ink_batch one = {.count = 1, .hashes = hashes + i};
        uint8_t         answer;
        CHECK_OK(ink_sketch_contains_batch(batched, &one, &answer, &error));
        assert_int_equal(answers[i], answer);
    }
}

/* Texts of the numbers from `first` on, one after another. */
enum { TEXTS = 700, TEXT_BYTES = 12 };
typedef struct texts {
    uint8_t  bytes[TEXTS * TEXT_BYTES];
    uint64_t offsets[TEXTS + 1];
} texts;

static ink_batch texts_batch(texts *to, uint64_t first, size_t count)
{
    to->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        char *at = (char *)to->bytes + to->offsets[i];
        int   bytes = snprintf(at, TEXT_BYTES, "key %llu", (unsigned long long)(first + i));
        to->offsets[i + 1] = to->offsets[i] + (uint64_t)bytes;
    }
    return (ink_batch){.count = count, .data = to->bytes, .offsets = to->offsets};
}

TEST(batches_of_keys_that_are_needed_are_these_keys_one_by_one)
{
    texts   keys;
    uint8_t answers[TEXTS], was_new[TEXTS];

    for (size_t size = 1; size <= TEXTS; size = size * 5 + 3) {
        const ink_params params = of_redisbloom(20, 0.02, 0.5);
        owned_sketch *single = sketches_with(params, 0, 0), *batched = sketches_with(params, 0, 0);
        owned_sketch *news = sketches_with(params, 0, 0);
        for (uint64_t first = 0; first < 2000; first += size / 2 + 1) { /* half of them again */
            const ink_batch batch = texts_batch(&keys, first, size);
            CHECK_OK(ink_sketch_contains_batch(single, &batch, answers, &error));
            for (size_t i = 0; i < size; i++)
                CHECK(answers[i] == sketches_found(single, first + i, 1));
            CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
            CHECK_OK(ink_sketch_add_new_batch(news, &batch, was_new, &error));
            for (size_t i = 0; i < size; i++) {
                bool fresh = sketches_found(single, first + i, 1) == 0;
                CHECK(was_new[i] == fresh);
                add_key(single, (int64_t)(first + i));
            }
            CHECK(sketches_equal(single, batched) && sketches_equal_payloads(batched, news));
        }
        CHECK(filed(batched, COLUMN_LEVELS) > 4);
    }
}

TEST(chains_under_the_rule_of_redisbloom_are_loaded_viewed_and_merged)
{
    const ink_params        params = of_redisbloom(20, 0.02, 0.5);
    const ink_merge_options parts = {.parts = true};
    owned_sketch           *a = sketches_with(params, 0, 300), *b = sketches_with(params, 1000, 50);
    owned_sketch           *xxh3 = sketches_with((ink_params){.kind = "scalable"}, 0, 1);
    owned_sketch           *reloaded = sketches_with(params, 0, 300);
    naive                   of_a = naive_of(&params), of_b = naive_of(&params);

    naive_add_ints(&of_a, 0, 300);
    naive_add_ints(&of_b, 1000, 50);
    sketches_reload(&reloaded);
    for (int64_t i = 300; i < 500; i++) {
        add_key(a, i);
        add_key(reloaded, i);
    }
    naive_add_ints(&of_a, 300, 200);
    CHECK(sketches_equal(a, reloaded));
    owned_view view = sketches_view_of(a, INK_OPEN_LAZY);
    assert_int_equal(sketches_found(view.sketch, 0, 500), 500);
    assert_int_equal(sketches_found(view.sketch, 500, 5000), sketches_found(a, 500, 5000));
    CHECK(sketches_rate(view.sketch) == sketches_rate(a));
    CHECK(fabs(sketches_distinct(a).estimate - 500) < 10);
    naive_join(&of_a, &of_b);
    CHECK_OK(ink_sketch_merge(a, b, &parts, &error));
    check_naive(a, &of_a);
    assert_int_equal(sketches_found(a, 1000, 50), 50);
    CHECK_FAILS(ink_sketch_merge(a, xxh3, &parts, &error), INK_MISMATCH,
                "hashes differ: redisbloom and xxh3");
    naive_free(&of_a);
}

TEST(levels_opened_for_keys_that_did_not_come_are_not_saved)
{
    enum { COUNT = 1000 };
    owned_sketch *spare = empty_chain(10, 0.01, 0.5), *plain = empty_chain(10, 0.01, 0.5);
    int64_t       keys[COUNT];

    for (int i = 0; i < COUNT; i++)
        keys[i] = i % 3; /* room is made for a thousand, and three come */
    const ink_batch batch = {.count = COUNT, .ints = keys};
    CHECK_OK(ink_sketch_add_batch(spare, &batch, &error));
    for (int i = 0; i < COUNT; i++)
        CHECK_OK(ink_sketch_add_int(plain, keys[i], &error));
    CHECK(sketches_equal(spare, plain));
    CHECK(filed(spare, COLUMN_LEVELS) == 1);
    CHECK(sketches_rate(spare) == sketches_rate(plain));
    CHECK(sketches_distinct(spare).estimate == sketches_distinct(plain).estimate);
    add_ints(spare, 0, 500); /* and they are used when others come */
    add_ints(plain, 0, 500);
    CHECK(sketches_equal(spare, plain));
}

/* ---- Files -------------------------------------------------------------------------------- */

TEST(a_chain_that_is_loaded_goes_on_as_if_it_had_never_been_saved)
{
    for (int p = 0; p < PLANS; p++) {
        owned_sketch *never = empty_chain(plans[p].keys, plans[p].rate, plans[p].ratio),
                     *always = empty_chain(plans[p].keys, plans[p].rate, plans[p].ratio);
        for (int64_t i = 0; i < 200; i++) { /* loaded before every key, so at every n */
            sketches_reload(&always);
            CHECK_OK(ink_sketch_add_int(always, i, &error));
            CHECK_OK(ink_sketch_add_int(never, i, &error));
            CHECK(sketches_equal(always, never));
        }
    }
}

TEST(a_chain_with_spare_levels_is_loaded_and_goes_on_as_itself)
{
    int64_t         keys[300] = {0};
    const ink_batch batch = {.count = 300, .ints = keys};

    for (int64_t n = 0; n < 100; n += 7) {
        owned_sketch *spare = empty_chain(5, 0.01, 0.5), *loaded = NULL;
        add_ints(spare, 0, n);
        CHECK_OK(ink_sketch_add_batch(spare, &batch, &error));
        CHECK_OK(ink_sketch_copy(&loaded, spare, NULL, &error));
        CHECK(sketches_equal(spare, loaded));
        add_ints(spare, 1000, 100);
        add_ints(loaded, 1000, 100);
        CHECK(sketches_equal(spare, loaded));
    }
}

TEST(a_view_answers_as_the_chain_and_cannot_be_changed)
{
    owned_sketch *sketch = empty_chain(5, 0.001, 0.5);

    add_ints(sketch, 0, 300);
    owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
    assert_int_equal(sketches_found(view.sketch, 0, 300), 300);
    assert_int_equal(sketches_found(view.sketch, 300, 3000), sketches_found(sketch, 300, 3000));
    CHECK(sketches_rate(view.sketch) == sketches_rate(sketch));
    CHECK(sketches_distinct(view.sketch).high == sketches_distinct(sketch).high);
    CHECK(sketches_equal(view.sketch, sketch));
    CHECK_FAILS(ink_sketch_add_int(view.sketch, 1, &error), INK_READ_ONLY,
                "this scalable is a view");
    CHECK_FAILS(ink_sketch_merge(view.sketch, sketch, NULL, &error), INK_READ_ONLY, "is a view");
    uint64_t at = files_payload_at(view.bytes); /* bytes that change lead nowhere */
    memset(view.bytes + at, 0xff, files_sections_at(view.bytes) - at);
    assert_int_equal(sketches_found(view.sketch, 0, 300), 300);
}

TEST(a_shape_that_no_scalable_has_is_refused_at_its_field)
{
    const ink__key_rule rule = {0};
    const ink__shape    good = {.fields = {10, bits_of(0.01), bits_of(0.01), bits_of(0.5), 1, 0}};
    const struct {
        unsigned    at;
        uint64_t    value;
        const char *words;
    } wrong[] = {
        {0, 0, "a scalable without expected keys"},
        {1, 0, "a scalable without a target rate"},
        {2, 0, "a scalable without a promised rate"},
        {1, bits_of(1.0), "target rate 1"},
        {2, bits_of(-0.5), "promised rate -0.5"},
        {3, 0, "ratio 0, expected 0.1 to 0.9"},
        {3, bits_of(0.95), "ratio 0.95, expected 0.1 to 0.9"},
        {3, bits_of((double)NAN), "expected 0.1 to 0.9"},
        {4, 0, "0 chains, expected at least 1"},
        {5, 1025, "1025 levels, expected at most 1024"},
    };

    CHECK_OK(ink__scalable.check(&good, &rule, &error));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink__shape shape = good;
        shape.fields[wrong[i].at] = wrong[i].value;
        CHECK_FAILS(ink__scalable.check(&shape, &rule, &error), INK_FORMAT, wrong[i].words);
        CHECK(error.location == INK__AT_FIELD && error.at == wrong[i].at);
    }
    ink__shape shape = good;
    shape.payload_bytes = 64;
    CHECK_FAILS(ink__scalable.check(&shape, &rule, &error), INK_FORMAT,
                "a scalable of 64 bytes, expected none for its 0 levels");
    CHECK(error.location == INK__AT_FIELD && error.at == 6);
    shape.fields[5] = 1;
    CHECK_FAILS(ink__scalable.check(&shape, &rule, &error), INK_FORMAT, "expected more");
    shape.payload_bytes = 65;
    CHECK_OK(ink__scalable.check(&shape, &rule, &error));
}

TEST(contents_that_no_scalable_has_are_refused_at_their_position)
{
    const ink__key_rule rule = {0};
    owned_sketch       *sketch = empty_chain(4, 0.001, 0.5);
    ink__shape          shape = {0};
    uint8_t             good[4096], bad[4096];
    enum { BLOOM = 0, CLASSIC = 3 * FILED, LAST = 4 * FILED };

    add_ints(sketch, 0, 4 + 8 + 16 + 32 + 1);
    sketch->kind->shape(sketch, &shape);
    CHECK(shape.fields[5] == 5 && shape.payload_bytes <= sizeof good);
    CHECK_OK(ink_sketch_payload(sketch, good, sizeof good, &error));
    CHECK_OK(ink__scalable.check_payload(&shape, &rule, good, &error));
    uint64_t cells = files_get(good + CLASSIC + AT_CELLS, 8);
    uint64_t bits = files_get(good + CLASSIC + AT_BITS, 8);
    CHECK(bits % 8 != 0); /* so that the last byte has bits that no one uses */
    uint64_t gap = 0;     /* a byte between two levels */
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *at = good + (size_t)FILED * i;
        uint64_t       end = files_get(at + AT_CELLS, 8) + (files_get(at + AT_BITS, 8) + 7) / 8;
        if (end < files_get(at + FILED + AT_CELLS, 8))
            gap = end;
    }
    CHECK(gap != 0);
    const struct {
        uint64_t    at;
        unsigned    width;
        uint64_t    value;
        const char *words;
        uint64_t    reported;
    } wrong[] = {
        {BLOOM + AT_KIND, 8, 0, "a level of kind 0, expected 1 or 2", BLOOM},
        {BLOOM + AT_KIND, 8, 3, "a level of kind 3", BLOOM},
        {CLASSIC + AT_KIND, 8, (uint64_t)1 << 32, "a level of kind 4294967296", CLASSIC},
        {BLOOM + AT_KEYS, 8, 0, "a level with 0 keys of 4 expected", BLOOM + AT_KEYS},
        {BLOOM + AT_KEYS, 8, 3, "only the last one may have fewer", BLOOM + AT_KEYS},
        {BLOOM + AT_KEYS, 8, 5, "a level with 5 keys of 4 expected", BLOOM + AT_KEYS},
        {LAST + AT_KEYS, 8, 0, "a level with 0 keys of 64 expected", LAST + AT_KEYS},
        {LAST + AT_KEYS, 8, 65, "a level with 65 keys of 64 expected", LAST + AT_KEYS},
        {BLOOM + AT_ASKED, 8, bits_of(1.0), "target rate 1", BLOOM + AT_ASKED},
        {CLASSIC + AT_ASKED, 8, bits_of(-1.0), "target rate -1", CLASSIC + AT_ASKED},
        {BLOOM + AT_PROMISED, 8, bits_of(1.5), "promised rate 1.5", BLOOM + AT_PROMISED},
        {BLOOM + AT_BITS, 8, 0, "a bloom of 0 bytes", BLOOM + AT_BITS},
        {BLOOM + AT_BITS, 8, 255, "expected a multiple of 256 and 8", BLOOM + AT_BITS},
        {BLOOM + AT_HASHES, 8, 7, "and 7 hashes", BLOOM + AT_BITS},
        {CLASSIC + AT_BITS, 8, 0, "", CLASSIC + AT_BITS},
        {CLASSIC + AT_HASHES, 8, 0, "", CLASSIC + AT_HASHES},
        {CLASSIC + AT_HASHES, 8, 65, "", CLASSIC + AT_HASHES},
        {CLASSIC + AT_BITS, 8, UINT64_MAX, "", CLASSIC + AT_BITS},
        {BLOOM + AT_CELLS, 8, 0, "expected them at 320 and below", BLOOM + AT_CELLS},
        {BLOOM + AT_CELLS, 8, 384, "expected them at 320", BLOOM + AT_CELLS},
        {CLASSIC + AT_CELLS, 8, UINT64_MAX, "bytes of a level at", CLASSIC + AT_CELLS},
        {gap, 1, 1, "byte 0x1 between levels, expected 0", gap},
        {cells + bits / 8, 1, 0xff, "", cells + bits / 8},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(bad, good, sizeof bad);
        files_set(bad + wrong[i].at, wrong[i].width, wrong[i].value);
        CHECK_FAILS(ink__scalable.check_payload(&shape, &rule, bad, &error), INK_FORMAT,
                    wrong[i].words);
        CHECK(error.location == INK__AT_PAYLOAD);
        if (error.at != wrong[i].reported)
            fail_msg("change %d is told at %d, expected %d: %s", (int)i, (int)error.at,
                     (int)wrong[i].reported, error.message);
        CHECK(ink__scalable.check_payload(&shape, &rule, bad, NULL) == INK_FORMAT);
    }
    const ink__key_rule foreign = {.scheme = INK__SCHEME_REDISBLOOM};
    CHECK_FAILS(ink__scalable.check_payload(&shape, &foreign, good, &error), INK_FORMAT,
                "a level of kind 1, expected 2");
    shape.payload_bytes++;
    CHECK_FAILS(ink__scalable.check_payload(&shape, &rule, good, &error), INK_FORMAT,
                "levels that end at");
    shape.payload_bytes -= 2;
    CHECK_FAILS(ink__scalable.check_payload(&shape, &rule, good, &error), INK_FORMAT,
                "bytes of a level at");
}

/* ---- Rates and keys ----------------------------------------------------------------------- */

TEST(the_rate_is_the_sum_over_the_levels)
{
    const ink_params params = of_ints(10, 0.02, 0.5);
    owned_sketch    *sketch = sketches_with(params, 0, 0);
    naive            n = naive_of(&params);

    CHECK(sketches_rate(sketch) == 0);
    for (int64_t i = 0; i < 600; i++) {
        double sum = 0;
        CHECK_OK(ink_sketch_add_int(sketch, i, &error));
        naive_add(&n, i);
        for (unsigned j = 0; j < n.used; j++)
            sum += sketches_rate(n.levels[j].filter);
        CHECK(sketches_rate(sketch) == sum);
        CHECK(sum < 0.03); /* promised is 0.02; small levels scatter */
    }
    naive_free(&n);
}

TEST(no_rate_is_above_1)
{
    const ink_merge_options parts = {.parts = true};
    owned_sketch           *sketch = empty_chain(500, 0.5, 0.9);
    double                  sum = 0;

    for (int64_t i = 0; i < 100 && sum < 2; i++) {
        owned_sketch *more = empty_chain(500, 0.5, 0.9);
        add_ints(more, 10000 * i, 2000);
        sum += sketches_rate(more);
        CHECK_OK(ink_sketch_merge(sketch, more, &parts, &error));
    }
    CHECK(sum >= 2 && sketches_rate(sketch) == 1);
    CHECK(sketches_describe(sketch).promised_rate == 1);
    ink_answer answer = sketches_distinct(sketch);
    CHECK(answer.saturated && answer.high == 0x1p64);
    CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
}

TEST(different_keys_are_those_that_the_levels_hold_and_a_few_more)
{
    owned_sketch *sketch = empty_chain(20, 0.05, 0.5);
    ink_answer    answer = sketches_distinct(sketch);

    CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0);
    for (int64_t n = 1; n <= 2000; n++) {
        uint64_t held = 0, levels;
        add_ints(sketch, n - 1, 1);
        add_ints(sketch, n / 2, 1); /* again */
        if (n > 5 && n % 83 != 0)
            continue;
        levels = filed(sketch, COLUMN_LEVELS);
        for (unsigned i = 0; i < levels; i++)
            held += level_field(sketch, i, AT_KEYS);
        CHECK_OK(ink_sketch_distinct(sketch, 0.999, &answer, &error));
        CHECK(answer.low == (double)held && !answer.saturated);
        CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
        CHECK(answer.low <= (double)n && (double)n <= answer.high);
        CHECK(fabs(answer.estimate - (double)n) <= 0.01 * (double)n + 1);
    }
}

/* ---- Merges ------------------------------------------------------------------------------- */

TEST(a_merge_puts_the_levels_behind_one_another_and_closes_them)
{
    const ink_params        params = of_ints(10, 0.01, 0.5);
    const ink_merge_options parts = {.parts = true};
    const int64_t           counts[][2] = {{5, 7}, {100, 3}, {3, 100}, {10, 30}, {1, 1}};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        owned_sketch *a = sketches_with(params, 0, 0), *b = sketches_with(params, 0, 0);
        naive         of_a = naive_of(&params), of_b = naive_of(&params);
        add_ints(a, 0, counts[i][0]);
        naive_add_ints(&of_a, 0, counts[i][0]);
        add_ints(b, 1000, counts[i][1]);
        naive_add_ints(&of_b, 1000, counts[i][1]);
        naive_join(&of_a, &of_b);
        CHECK_OK(ink_sketch_merge(a, b, &parts, &error));
        check_naive(a, &of_a);
        CHECK(filed(a, COLUMN_CHAINS) == 2);
        CHECK(sketches_describe(a).records == (uint64_t)(counts[i][0] + counts[i][1]));
        assert_int_equal(sketches_found(a, 0, (uint64_t)counts[i][0]), counts[i][0]);
        assert_int_equal(sketches_found(a, 1000, (uint64_t)counts[i][1]), counts[i][1]);
        naive_free(&of_a);
    }
}

TEST(keys_added_after_a_merge_go_to_a_new_level)
{
    const ink_params params = of_ints(10, 0.05, 0.5);
    owned_sketch    *a = sketches_with(params, 0, 0), *b = sketches_with(params, 0, 0), *c = NULL;
    naive            of_a = naive_of(&params), of_b = naive_of(&params);

    add_ints(a, 0, 13);
    naive_add_ints(&of_a, 0, 13);
    add_ints(b, 100, 4);
    naive_add_ints(&of_b, 100, 4);
    naive_join(&of_a, &of_b);
    CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
    CHECK_OK(ink_sketch_copy(&c, a, NULL, &error));
    for (int64_t i = 200; i < 700; i++) {
        CHECK_OK(ink_sketch_add_int(a, i, &error));
        naive_add(&of_a, i);
        CHECK_OK(ink_sketch_add_int(c, i, &error));
        if (i < 205 || i % 50 == 0)
            check_naive(a, &of_a);
    }
    check_naive(a, &of_a);
    CHECK(sketches_equal(a, c)); /* loaded after the merge, it goes on all the same */
    CHECK(filed(a, COLUMN_CHAINS) == 2);
    naive_free(&of_a);
}

TEST(spare_levels_are_left_behind_in_a_merge)
{
    int64_t         keys[500] = {0};
    const ink_batch batch = {.count = 500, .ints = keys};
    ink_sketch     *sketches[2][2];

    for (int spare = 0; spare < 2; spare++) {
        for (int i = 0; i < 2; i++) {
            sketches[spare][i] = empty_chain(10, 0.05, 0.5);
            add_ints(sketches[spare][i], 100 * i, 15);
            if (spare == 1)
                CHECK_OK(ink_sketch_add_batch(sketches[spare][i], &batch, &error));
            for (int j = 0; spare == 0 && j < 500; j++)
                CHECK_OK(ink_sketch_add_int(sketches[spare][i], 0, &error));
        }
        CHECK_OK(ink_sketch_merge(sketches[spare][0], sketches[spare][1], NULL, &error));
        add_ints(sketches[spare][0], 1000, 50);
    }
    CHECK(sketches_equal(sketches[0][0], sketches[1][0]));
    for (int i = 0; i < 4; i++)
        ink_sketch_free(sketches[i / 2][i % 2]);
}

TEST(an_empty_chain_changes_nothing_in_a_merge)
{
    owned_sketch *filled = empty_chain(10, 0.01, 0.5), *none = empty_chain(10, 0.01, 0.5);
    owned_sketch *into = empty_chain(10, 0.01, 0.5);

    add_ints(filled, 0, 35);
    sketches_snapshot before = sketches_remember(filled);
    CHECK_OK(ink_sketch_merge(into, none, NULL, &error));
    CHECK(sketches_equal(into, none));
    CHECK_OK(ink_sketch_merge(into, filled, NULL, &error));
    CHECK(sketches_equal(into, filled));
    CHECK_OK(ink_sketch_merge(filled, none, NULL, &error));
    CHECK(sketches_unchanged(filled, &before));
    CHECK(filed(into, COLUMN_CHAINS) == 1 && filed(filled, COLUMN_CHAINS) == 1);
    add_ints(filled, 35, 100); /* its last level is open still */
    add_ints(into, 35, 100);
    CHECK(sketches_equal(into, filled));
}

TEST(views_are_merged_as_chains)
{
    owned_sketch *a = empty_chain(10, 0.05, 0.5), *same = empty_chain(10, 0.05, 0.5);
    owned_sketch *b = empty_chain(10, 0.05, 0.5);
    sketches_view view;

    add_ints(a, 0, 20);
    add_ints(same, 0, 20);
    add_ints(b, 20, 33);
    view = sketches_view_of(b, INK_OPEN_LAZY);
    CHECK_OK(ink_sketch_merge(a, view.sketch, NULL, &error));
    CHECK_OK(ink_sketch_merge(same, b, NULL, &error));
    CHECK(sketches_equal(a, same));
    sketches_view_close(&view);
    add_ints(a, 53, 10);
}

TEST(joined_chains_may_share_keys_and_say_so)
{
    owned_sketch *a = empty_chain(50, 0.05, 0.5), *b = empty_chain(50, 0.05, 0.5);

    add_ints(a, 0, 50);
    add_ints(b, 0, 40); /* all of them are in a too */
    CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
    ink_answer answer = sketches_distinct(a);
    CHECK(answer.low == (double)level_field(a, 0, AT_KEYS) && answer.low <= 50);
    CHECK(answer.estimate == (double)(level_field(a, 0, AT_KEYS) + level_field(a, 1, AT_KEYS)));
    CHECK(answer.high >= answer.estimate && answer.high >= 50);
}

TEST(a_merge_above_the_promised_rate_is_refused_unless_it_is_allowed)
{
    owned_sketch *a = empty_chain(1000, 0.02, 0.5), *b = empty_chain(1000, 0.02, 0.5), *c = NULL;
    ink_merge_options options = {0};

    add_ints(a, 0, 7000);
    add_ints(b, 2000, 7000);
    double both = sketches_rate(a) + sketches_rate(b);
    CHECK(both > 0.02);
    sketches_snapshot before = sketches_remember(a);
    CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_PROMISE,
                "the result would have false-positive rate");
    CHECK(strstr(error.message, "above the 0.02 that is promised") != NULL);
    options.max_rate = both * 0.99;
    CHECK_FAILS(ink_sketch_merge(a, b, &options, &error), INK_PROMISE, "that is allowed");
    CHECK(sketches_unchanged(a, &before));
    CHECK_OK(ink_sketch_copy(&c, a, NULL, &error));

    options.max_rate = both * 1.01;
    CHECK_OK(ink_sketch_merge(a, b, &options, &error));
    CHECK(sketches_rate(a) == both);
    CHECK(sketches_describe(a).promised_rate == both * 1.01);
    CHECK(sketches_describe(a).target_rate == 0.02);
    add_ints(a, 50000, 10); /* what is left is enough for a level */

    options = (ink_merge_options){.parts = true};
    CHECK_OK(ink_sketch_merge(c, b, &options, &error));
    CHECK(sketches_rate(c) == both); /* each part has its share of the whole */
    CHECK(sketches_describe(c).promised_rate == 0.04 && sketches_describe(c).target_rate == 0.04);
}

TEST(when_the_rate_is_used_up_no_key_can_be_added)
{
    owned_sketch   *a = empty_chain(1000, 0.02, 0.1), *b = empty_chain(1000, 0.02, 0.1);
    const int64_t   key = 99999;
    const ink_batch batch = {.count = 1, .ints = &key};
    uint8_t         was_new = 7;

    add_ints(a, 0, 1000);
    add_ints(b, 0, 1000);
    const ink_merge_options allowed = {.max_rate = 2 * sketches_rate(a)}; /* exactly what it has */
    CHECK(allowed.max_rate > 0.02);
    CHECK_OK(ink_sketch_merge(a, b, &allowed, &error));
    sketches_snapshot before = sketches_remember(a);
    CHECK_FAILS(ink_sketch_add_int(a, key, &error), INK_PROMISE,
                "the levels have used up the rate");
    CHECK_FAILS(ink_sketch_add_new_batch(a, &batch, &was_new, &error), INK_PROMISE,
                "no other can be opened");
    CHECK(was_new == 7);
    CHECK(sketches_unchanged(a, &before));
}

TEST(chains_of_other_ratios_are_refused_and_other_plans_meet)
{
    owned_sketch *a = empty_chain(10, 0.01, 0.5), *b = empty_chain(10, 0.01, 0.6);
    owned_sketch *c = empty_chain(40, 0.03, 0.5);

    add_ints(a, 0, 5);
    add_ints(b, 0, 5);
    add_ints(c, 5, 5);
    sketches_snapshot before = sketches_remember(a);
    CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_MISMATCH, "ratios differ: 0.5 and 0.6");
    CHECK(sketches_unchanged(a, &before));
    CHECK_OK(ink_sketch_merge(a, c, NULL, &error));
    described = sketches_describe(a);
    CHECK(described.expected_keys == 40 && described.promised_rate == 0.03);
    CHECK(described.target_rate == 0.03);
    assert_int_equal(sketches_found(a, 0, 10), 10);
}

TEST(a_chain_has_at_most_1024_levels)
{
    owned_sketch *chain = empty_chain(64, 0.5, 0.5), *one = empty_chain(64, 0.5, 0.5),
                 *loaded = NULL;

    add_ints(one, 0, 1);
    add_ints(chain, 0, 1);
    for (int i = 0; i < 10; i++) {
        owned_sketch *same = NULL;
        CHECK_OK(ink_sketch_copy(&same, chain, NULL, &error));
        CHECK_OK(ink_sketch_merge(chain, same, NULL, &error));
    }
    CHECK(filed(chain, COLUMN_LEVELS) == 1024 && filed(chain, COLUMN_CHAINS) == 1024);
    sketches_snapshot before = sketches_remember(chain);
    CHECK_FAILS(ink_sketch_merge(chain, one, NULL, &error), INK_LIMIT,
                "a chain of 1025 levels, expected at most 1024");
    CHECK_FAILS(ink_sketch_add_int(chain, 7, &error), INK_LIMIT, "a chain of 1025 levels");
    CHECK_OK(ink_sketch_decode(&loaded, before.bytes, before.count, NULL, &error));
    CHECK(sketches_equal(loaded, chain));
    CHECK(sketches_unchanged(chain, &before));
    assert_int_equal(sketches_found(loaded, 0, 1), 1);
}

/* ---- Memory ------------------------------------------------------------------------------- */

TEST(every_refusal_of_memory_leaves_a_chain_as_it_was)
{
    const ink_params params = of_ints(10, 0.05, 0.5);
    int64_t          keys[200];
    owned_sketch    *from = sketches_with(params, 0, 0);

    for (int i = 0; i < 200; i++)
        keys[i] = 1000 + i;
    const ink_batch batch = {.count = 200, .ints = keys};
    add_ints(from, 500, 60);
    for (uint64_t held = 0; held <= 30; held += 15)
        for (int merge = 0; merge < 2; merge++)
            sketches_check_refusals(&params, held, merge ? NULL : &batch, from);

    texts            text;
    const ink_params foreign = of_redisbloom(10, 0.05, 0.5);
    const ink_batch  text_batch = texts_batch(&text, 1000, 200);
    sketches_check_refusals(&foreign, 15, &text_batch, NULL);
}

RUN_TESTS()
