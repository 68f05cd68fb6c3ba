/* theta_test.c - theta: the k smallest values and their threshold, however they came; unions,
 * intersections and differences against plain sets; and payloads that are refused. */
#include "base/bits.h"
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/files.h"
#include "support/shapes.h"
#include "support/sketches.h"

static ink_error error;

#define ALL ((uint64_t)INT64_MAX)

static ink_params precise(uint32_t precision)
{
    return (ink_params){.kind = "theta", .precision = precision};
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(the_precision_is_12_unless_it_is_given)
{
    ink_description described;

    CHECK_OK(ink_plan(&(ink_params){.kind = "theta"}, &described, &error));
    CHECK(described.precision == 12 && described.bytes == 8 && described.order_free);
    CHECK(described.bytes_max == 8 * (4096 + 1));
    CHECK(described.standard_error > 0.0156269 && described.standard_error < 0.015627);
    for (uint32_t precision = 4; precision <= 26; precision++) {
        const ink_params params = precise(precision);
        CHECK_OK(ink_plan(&params, &described, &error));
        CHECK(described.precision == precision);
    }
}

TEST(what_a_theta_does_not_have_is_refused)
{
    const struct {
        ink_params  params;
        const char *words;
    } wrong[] = {
        {{.kind = "theta", .precision = 3}, "precision 3, expected 4 to 26"},
        {{.kind = "theta", .precision = 27}, "precision 27, expected 4 to 26"},
        {{.kind = "theta", .expected_keys = 5}, "theta has no expected_keys"},
        {{.kind = "theta", .top_keys = 5}, "theta has no top_keys"},
        {{.kind = "theta", .concurrent = 1}, "theta has no concurrent"},
        {{.kind = "theta", .hash = "mmh3"}, "hash mmh3 is for classic, not for theta"},
    };
    ink_description described;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(ink_plan(&wrong[i].params, &described, &error), INK_USAGE, wrong[i].words);
}

/* ---- The values --------------------------------------------------------------------------- */

enum { VALUES_MAX = 3000 };

/* A set as the format describes it: all values below the threshold, in order. */
typedef struct plain {
    uint64_t threshold, count, most;
    uint64_t values[VALUES_MAX];
} plain;

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static bool plain_has(const plain *set, uint64_t value)
{
    return bsearch(&value, set->values, set->count, sizeof value, compare_words) != NULL;
}

/* Drops what is at or above the threshold, and all above the k smallest. */
static void plain_cut(plain *set)
{
    while (set->count > 0 && set->values[set->count - 1] >= set->threshold)
        set->count--;
    if (set->count <= set->most)
        return;
    set->threshold = set->values[set->most];
    set->count = set->most;
}

static void plain_add(plain *set, uint64_t value)
{
    if (value >= set->threshold || plain_has(set, value))
        return;
    set->values[set->count++] = value;
    qsort(set->values, set->count, sizeof value, compare_words);
    plain_cut(set);
}

static void plain_union(plain *into, const plain *from)
{
    into->most = from->most < into->most ? from->most : into->most;
    into->threshold = from->threshold < into->threshold ? from->threshold : into->threshold;
    plain_cut(into);
    for (uint64_t i = 0; i < from->count; i++)
        plain_add(into, from->values[i]);
}

static bool plain_empty(const plain *set)
{
    return set->count == 0 && set->threshold == ALL;
}

/* The values that `from` has, or has not. */
static void plain_keep(plain *into, const plain *from, bool both)
{
    uint64_t kept = 0;

    if (both && from->most < into->most)
        into->most = from->most;
    if (plain_empty(into))
        return;
    into->threshold = from->threshold < into->threshold ? from->threshold : into->threshold;
    plain_cut(into);
    for (uint64_t i = 0; i < into->count; i++)
        if (plain_has(from, into->values[i]) == both)
            into->values[kept++] = into->values[i];
    into->count = kept;
    if (both && plain_empty(from))
        into->threshold = ALL;
}

static void check_same(const ink_sketch *sketch, const plain *set)
{
    const ink_description described = sketches_describe(sketch);
    uint8_t               payload[8 * (VALUES_MAX + 1)];

    if (described.bytes != 8 * (set->count + 1))
        fail_msg("%llu bytes, expected %llu values", (unsigned long long)described.bytes,
                 (unsigned long long)set->count);
    CHECK((uint64_t)1 << described.precision == set->most);
    CHECK_OK(ink_sketch_payload(sketch, payload, sizeof payload, &error));
    for (uint64_t i = 0; i < set->count; i++)
        assert_true(ink__load_u64(payload + 8 * i) == set->values[i]);
    CHECK(ink__load_u64(payload + 8 * set->count) == set->threshold);
    ink_answer answer = sketches_distinct(sketch);
    double     share = set->threshold == ALL ? 1 : (double)set->threshold / 0x1p63;
    CHECK(answer.estimate * share >= (double)set->count * (1 - 1e-12));
    CHECK(answer.estimate * share <= (double)set->count * (1 + 1e-12));
    CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
    CHECK(answer.low >= (double)set->count);
    CHECK(set->threshold == ALL ? answer.confidence == 1 && answer.low == answer.high
                                : answer.confidence == 0.95 && answer.low < answer.high);
}

static void add_hashes(ink_sketch *sketch, plain *set, const uint64_t *hashes, size_t count)
{
    const ink_batch batch = {.count = count, .hashes = hashes};

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    for (size_t i = 0; i < count; i++)
        plain_add(set, hashes[i] >> 1);
}

static plain *new_plain(uint32_t precision)
{
    plain *set = calloc(1, sizeof *set);

    assert_non_null(set);
    set->threshold = ALL;
    set->most = (uint64_t)1 << precision;
    return set;
}

TEST(a_sketch_has_the_smallest_values_after_every_key)
{
    const ink_params         params = precise(4);
    OWNED(owned_free) plain *set = new_plain(4);
    owned_sketch            *sketch = files_sketch(&params, 0, 0, NULL);

    check_same(sketch, set);
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t hash = scramble(i % 200);
        add_hashes(sketch, set, &hash, 1);
        check_same(sketch, set);
    }
}

/* The value 0 is one; 2^63 - 1 is none; the last bit does not count. */
TEST(the_first_value_is_kept_and_the_last_is_not)
{
    const uint64_t   hashes[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX - 3};
    const ink_params params = precise(4);
    OWNED(owned_free) plain *set = new_plain(4);
    owned_sketch            *sketch = files_sketch(&params, 0, 0, NULL);

    add_hashes(sketch, set, hashes, sizeof hashes / sizeof *hashes);
    CHECK(set->count == 2 && set->values[0] == 0 && set->values[1] == ALL - 1);
    check_same(sketch, set);
    CHECK(sketches_describe(sketch).records == 6);
}

/* Under a name of its own, which a file does not have, the hash of DataSketches leaves keys out. */
TEST(a_theta_for_datasketches_leaves_out_the_empty_key_and_meets_one_that_does_not)
{
    const ink_params theirs = {.kind = "theta", .hash = "datasketches-theta"};
    const ink_params plain_hash = {.kind = "theta", .hash = "murmur3-128", .seed = 9001};
    owned_sketch    *sketch = files_sketch(&theirs, 0, 5, NULL);
    owned_sketch    *other = files_sketch(&plain_hash, 0, 5, NULL);
    ink_description  described;

    CHECK_OK(ink_sketch_add(sketch, "", 0, &error));
    CHECK(sketches_equal_payloads(sketch, other));
    CHECK_OK(ink_sketch_add(other, "", 0, &error));
    CHECK(!sketches_equal_payloads(sketch, other));
    CHECK_OK(ink_sketch_merge(sketch, other, NULL, &error));
    CHECK(sketches_equal_payloads(sketch, other));

    sketches_reload(&sketch);
    described = sketches_describe(sketch);
    assert_string_equal(described.hash, "murmur3-128");
    CHECK(described.seed == 9001);
    CHECK_OK(ink_sketch_merge(other, sketch, NULL, &error));
    CHECK_FAILS(
        ink_plan(&(ink_params){.kind = "hll", .hash = "datasketches-theta"}, &described, &error),
        INK_USAGE, "hash datasketches-theta is for theta, not for hll");
}

/* Numbers that are no hashes: all close together, at either end. */
TEST(values_that_are_not_spread_are_cut_alike)
{
    const uint64_t firsts[] = {0, 1000, (uint64_t)1 << 40, UINT64_MAX - 4000};

    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
        const ink_params         params = precise(6);
        OWNED(owned_free) plain *set = new_plain(6);
        owned_sketch            *sketch = files_sketch(&params, 0, 0, NULL);
        uint64_t                 hashes[1000];
        for (uint64_t i = 0; i < 1000; i++)
            hashes[i] = firsts[f] + 4 * (i * 617 % 1000);
        for (size_t done = 0; done < 1000; done += 50)
            add_hashes(sketch, set, hashes + done, 50);
        check_same(sketch, set);
    }
}

/* Sequences of operations on sketches of two precisions, some of them views of a file. */
TEST(unions_intersections_and_differences_are_those_of_plain_sets)
{
    enum { SKETCHES = 4, STEPS = 3000 };
    uint64_t    random = 1;
    plain      *sets[SKETCHES];
    ink_sketch *sketches[SKETCHES];

    for (uint32_t i = 0; i < SKETCHES; i++) {
        const ink_params params = precise(5 + i % 2);
        sets[i] = new_plain(5 + i % 2);
        sketches[i] = files_sketch(&params, 0, 0, NULL);
    }
    for (int step = 0; step < STEPS; step++) {
        random = scramble(random);
        const size_t to = random % SKETCHES,
                     from = (to + 1 + random / 8 % (SKETCHES - 1)) % SKETCHES;
        const unsigned what = random / 64 % 16;
        uint64_t       hashes[200];
        const uint64_t first = random / 1024 % 1000;
        sketches_view  view = sketches_view_of(sketches[from], random % 3 == 0 ? INK_OPEN_LAZY : 0);
        const ink_sketch *other = random / 4096 % 2 == 0 ? view.sketch : sketches[from];
        if (what < 8) {
            for (uint64_t i = 0; i < 200; i++)
                hashes[i] = scramble(first + i);
            add_hashes(sketches[to], sets[to], hashes, random / 2048 % 200);
        } else if (what < 11) {
            CHECK_OK(ink_sketch_merge(sketches[to], other, NULL, &error));
            plain_union(sets[to], sets[from]);
        } else if (what < 13) {
            CHECK_OK(ink_sketch_intersect(sketches[to], other, &error));
            plain_keep(sets[to], sets[from], true);
        } else if (what < 15) {
            CHECK_OK(ink_sketch_subtract(sketches[to], other, &error));
            plain_keep(sets[to], sets[from], false);
        } else { /* begin again */
            const ink_params params = precise(5 + (uint32_t)to % 2);
            ink_sketch_free(sketches[to]);
            sketches[to] = files_sketch(&params, 0, 0, NULL);
            free(sets[to]);
            sets[to] = new_plain(5 + (uint32_t)to % 2);
        }
        sketches_view_close(&view);
        check_same(sketches[to], sets[to]);
    }
    for (size_t i = 0; i < SKETCHES; i++) {
        ink_sketch_free(sketches[i]);
        free(sets[i]);
    }
}

TEST(a_union_has_the_bytes_of_a_build_of_all_keys)
{
    for (uint64_t keys = 1; keys < 40000; keys = keys * 3 + 1) {
        owned_sketch *a = sketches_with(precise(10), 0, keys);
        owned_sketch *b = sketches_with(precise(12), keys / 2, keys);
        owned_sketch *all = sketches_with(precise(10), 0, keys / 2 + keys);
        CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
        CHECK(sketches_equal_payloads(a, all));
        CHECK(sketches_describe(a).records == 2 * keys);
    }
}

/* Slots that are equal, or share some keys, or none; the first and every fourth with fewer values
 * than the others. */
TEST(the_union_of_many_slots_has_the_bytes_of_a_build_of_all_keys)
{
    enum { SLOTS = 40, KEYS = 900 };
    const uint64_t steps[] = {0, 1, KEYS / 2, KEYS, 3 * KEYS};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        ink_entry     entries[SLOTS];
        ink_file     *file;
        owned_sketch *all = sketches_with(precise(6), 0, 0), *found = NULL;
        for (uint64_t slot = 0; slot < SLOTS; slot++) {
            const uint64_t first = slot * steps[i], keys = slot % 4 == 0 ? 20 : KEYS;
            entries[slot] = (ink_entry){.label = {.has_slot = true, .slot = (int64_t)slot},
                                        .sketch = sketches_with(precise(6), first, keys)};
            owned_sketch *same = sketches_with(precise(8), first, keys);
            CHECK_OK(ink_sketch_merge(all, same, NULL, &error)); /* from a table, one by one */
        }
        owned_snapshot encoded =
            sketches_encode(&(ink_contents){.entries = entries, .entry_count = SLOTS});
        CHECK_OK(ink_file_decode(&file, encoded.bytes, encoded.count, 0, NULL, &error));
        CHECK_OK(ink_file_last(file, NULL, NULL, 0, &found, &error));
        CHECK(sketches_equal(found, all));
        ink_file_close(file);
        for (size_t slot = 0; slot < SLOTS; slot++)
            ink_sketch_free((ink_sketch *)(uintptr_t)entries[slot].sketch);
    }
}

TEST(records_are_the_smaller_of_two_or_those_of_the_first)
{
    owned_sketch *a = sketches_with(precise(8), 0, 900), *b = sketches_with(precise(8), 0, 500);
    owned_sketch *c = sketches_with(precise(8), 0, 700);

    CHECK_OK(ink_sketch_subtract(a, b, &error));
    CHECK(sketches_describe(a).records == 900);
    CHECK_OK(ink_sketch_intersect(c, b, &error));
    CHECK(sketches_describe(c).records == 500);
}

/* No common value is left, and there may be common keys all the same, but not more than records. */
TEST(an_intersection_without_values_may_have_keys)
{
    owned_sketch *a = sketches_with(precise(4), 0, 1000), *b = sketches_with(precise(4), 5000, 40);
    ink_answer    answer;

    CHECK_OK(ink_sketch_intersect(a, b, &error));
    CHECK_OK(ink_sketch_distinct(a, 0, &answer, &error));
    CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 40);
    CHECK(answer.confidence == 0.95);
    answer = sketches_distinct(a);
    CHECK(answer.high > 100);
}

TEST(what_has_no_keys_at_all_leaves_nothing_for_certain)
{
    owned_sketch *a = sketches_with(precise(4), 0, 1000), *none = sketches_with(precise(4), 0, 0);
    owned_sketch *nothing = sketches_with(precise(4), 0, 0);

    CHECK_OK(ink_sketch_subtract(nothing, a, &error));
    CHECK(sketches_equal(nothing, none));
    CHECK_OK(ink_sketch_intersect(nothing, a, &error));
    CHECK(sketches_equal(nothing, none));
    CHECK_OK(ink_sketch_intersect(a, none, &error));
    CHECK(sketches_equal(a, none));
}

/* A share of nothing is 1, and one of something is 0: so it is not known. */
TEST(shares_of_a_set_that_may_have_keys_and_an_empty_one_are_not_known)
{
    owned_sketch *a = sketches_with(precise(4), 0, 100), *b = sketches_with(precise(4), 500, 100);
    owned_sketch *none = sketches_with(precise(4), 0, 0);
    ink_overlap   o;

    CHECK_OK(ink_sketch_intersect(a, b, &error));
    CHECK_OK(ink_sketch_overlap(none, a, 0, &o, &error));
    CHECK(o.intersection.high == 0 && o.intersection.confidence == 1);
    CHECK(o.jaccard.low == 0 && o.jaccard.high == 1 && o.jaccard.confidence == 0.95);
    CHECK(o.a_in_b.low == 1 && o.a_in_b.confidence == 1);
    CHECK(o.b_in_a.low == 0 && o.b_in_a.high == 1 && o.b_in_a.confidence == 0.95);
    CHECK_OK(ink_sketch_overlap(none, b, 0, &o, &error));
    CHECK(o.jaccard.high == 0 && o.jaccard.confidence == 1 && o.b_in_a.high == 0);
}

static bool same_answer(const ink_answer *a, const ink_answer *b)
{
    return a->estimate == b->estimate && a->low == b->low && a->high == b->high &&
           a->confidence == b->confidence;
}

/* What two have in common is what the sketches of union, intersection and differences answer, as
 * tables and as views; but the union may have more than k values. */
TEST(an_overlap_is_that_of_the_combined_sketches)
{
    static const uint64_t sizes[][3] = {
        {0, 0, 0},     {5, 7, 3},    {0, 9, 0},  {100, 100, 50}, {100, 3000, 7}, {0, 0, 500},
        {900, 0, 100}, {5000, 2, 0}, {40, 0, 0}, {300, 300, 3},  {0, 1000, 1}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned way = 0; way < 4; way++) {
            const uint64_t only_a = sizes[i][0], only_b = sizes[i][1], both = sizes[i][2];
            owned_sketch  *a = sketches_with(precise(6), 0, only_a + both);
            owned_sketch  *b = sketches_with(precise(5), only_a, both + only_b);
            owned_sketch  *met = NULL, *less = NULL, *joined = NULL;
            owned_view     view_a = sketches_view_of(a, 0), view_b = sketches_view_of(b, 0);
            ink_overlap    o;
            ink_answer     answer;
            CHECK_OK(ink_sketch_overlap(way % 2 == 0 ? a : view_a.sketch,
                                        way / 2 == 0 ? b : view_b.sketch, 0, &o, &error));
            assert_string_equal(o.method, "sampled");
            CHECK_OK(ink_sketch_copy(&met, a, NULL, &error));
            CHECK_OK(ink_sketch_copy(&less, a, NULL, &error));
            CHECK_OK(ink_sketch_copy(&joined, a, NULL, &error));
            CHECK_OK(ink_sketch_intersect(met, b, &error));
            CHECK_OK(ink_sketch_subtract(less, b, &error));
            CHECK_OK(ink_sketch_merge(joined, b, NULL, &error));
            CHECK_OK(ink_sketch_distinct(met, 0, &answer, &error));
            CHECK(same_answer(&answer, &o.intersection));
            CHECK_OK(ink_sketch_distinct(less, 0, &answer, &error));
            CHECK(answer.estimate == o.only_a.estimate && answer.low == o.only_a.low);
            CHECK_OK(ink_sketch_distinct(a, 0, &answer, &error));
            CHECK(same_answer(&answer, &o.a));
            CHECK_OK(ink_sketch_distinct(joined, 0, &answer, &error));
            if (answer.confidence == 1)
                CHECK(same_answer(&answer, &o.in_union));
            CHECK(o.in_union.low <= answer.high && answer.low <= o.in_union.high);
            const double all = (double)(only_a + only_b + both);
            CHECK(o.jaccard.low <= (double)both / (all == 0 ? 1 : all) || all == 0);
            if (o.jaccard.confidence == 1)
                CHECK(o.jaccard.estimate == (all == 0 ? 1 : (double)both / all));
        }
}

TEST(other_kinds_cannot_be_subtracted)
{
    owned_sketch *a = sketches_with((ink_params){.kind = "hll"}, 0, 9);
    owned_sketch *b = sketches_with((ink_params){.kind = "hll"}, 0, 9);
    owned_sketch *c = sketches_with(precise(12), 0, 9);
    owned_sketch *d = sketches_with((ink_params){.kind = "theta", .seed = 5}, 0, 9);

    CHECK_FAILS(ink_sketch_subtract(a, b, &error), INK_UNSUPPORTED,
                "hll cannot be subtracted; theta can");
    CHECK_FAILS(ink_sketch_subtract(c, a, &error), INK_MISMATCH, "kinds differ: theta and hll");
    CHECK_FAILS(ink_sketch_subtract(c, d, &error), INK_MISMATCH, "seeds differ");
    CHECK_FAILS(ink_sketch_subtract(c, c, &error), INK_USAGE, "a sketch with itself");
}

/* ---- Payloads ----------------------------------------------------------------------------- */

TEST(payloads_out_of_order_or_range_are_refused)
{
    const struct {
        uint64_t    words[4];
        const char *message;
        uint64_t    at;
    } wrong[] = {
        {{5, 5, 6, 7}, "value 5 after value 5, expected rising ones", 8},
        {{5, 6, 4, 7}, "value 4 after value 6", 16},
        {{1, 2, 7, 7}, "threshold 7 after value 7", 24},
        {{1, 2, 8, 7}, "threshold 7 after value 8", 24},
        {{1, 2, 3, 0}, "threshold 0, expected 1 to 9223372036854775807", 24},
        {{1, 2, 3, ALL + 1}, "threshold 9223372036854775808, expected 1 to", 24},
    };
    ink__shape    shape = {.kind = &ink__theta, .fields = {4}, .payload_bytes = 32};
    ink__key_rule rule = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t payload[32];
        for (size_t word = 0; word < 4; word++)
            ink__store_u64(payload + 8 * word, wrong[i].words[word]);
        CHECK_FAILS(ink__theta.check_payload(&shape, &rule, payload, &error), INK_FORMAT,
                    wrong[i].message);
        CHECK(error.at == wrong[i].at);
    }
    for (uint64_t bytes = 0; bytes < 200; bytes++) {
        shape.payload_bytes = bytes;
        bool good = bytes % 8 == 0 && bytes >= 8 && bytes <= 8 * 17;
        CHECK((ink__theta.check(&shape, &rule, &error) == INK_OK) == good);
    }
}

RUN_TESTS()
