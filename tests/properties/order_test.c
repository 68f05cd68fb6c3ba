/* order_test.c - what kinds promise whose bytes depend on the order of keys and merges (scalable,
 * top, conservative count-min): the same inputs give the same bytes; no member is lost; bounds hold
 * against exact counts, of parts merged in a row, as a tree and through bytes; a chain grows as
 * long as keys come, within its rate. And of rings, whatever kind they are of: the last slots are
 * the slots merged by rising time, in memory, in a file, and loaded from it.
 *
 * With INK_TEST_LIGHT set, a tenth of the keys. */
#include "properties/sketches.h"

static uint64_t scaled(uint64_t count)
{
    return light() ? count / 10 : count;
}

/* ---- Records ------------------------------------------------------------------------------ */

enum { KEYS = 400, PARTS = 7 };

/* Low numbers come often, high ones rarely. */
static uint64_t skewed(generator *random)
{
    return random_below(random, 1 + random_below(random, 1 + random_below(random, KEYS)));
}

/* Records dealt to parts, the whole, and the exact counts. */
typedef struct dealt {
    ink_sketch *parts[PARTS], *whole;
    uint64_t    exact[KEYS], total;
} dealt;

static void deal(dealt *d, const ink_params *params, uint64_t records, uint64_t weight,
                 uint64_t seed)
{
    generator random = {seed};

    memset(d, 0, sizeof *d);
    d->whole = make(params);
    for (size_t i = 0; i < PARTS; i++)
        d->parts[i] = make(params);
    for (uint64_t record = 0; record < records; record++) {
        uint64_t    number = skewed(&random);
        uint64_t    often = weight == 0 ? 1 : random_below(&random, weight);
        ink_sketch *part = d->parts[random_below(&random, PARTS)];
        d->exact[number] += often;
        d->total += often;
        if (weight == 0) {
            add_key(d->whole, number);
            add_key(part, number);
        } else {
            add_weighted(d->whole, number, often);
            add_weighted(part, number, often);
        }
    }
}

static void free_dealt(dealt *d)
{
    ink_sketch_free(d->whole);
    for (size_t i = 0; i < PARTS; i++)
        ink_sketch_free(d->parts[i]);
}

/* All parts, one after another. */
static ink_sketch *in_a_row(const dealt *d)
{
    ink_sketch *merged = copy_of(d->parts[0]);

    for (size_t i = 1; i < PARTS; i++)
        merge_parts(merged, d->parts[i]);
    return merged;
}

/* The same as a tree whose branches go through bytes. */
static ink_sketch *as_a_tree(const dealt *d)
{
    ink_sketch *nodes[PARTS];

    for (size_t i = 0; i < PARTS; i++)
        nodes[i] = copy_of(d->parts[i]);
    for (size_t step = 1; step < PARTS; step *= 2)
        for (size_t i = 0; i + step < PARTS; i += 2 * step) {
            owned_snapshot sent = encode(nodes[i + step]);
            owned_sketch  *received = decode(&sent);
            merge_parts(nodes[i], received); /* needs no secret */
        }
    for (size_t i = 1; i < PARTS; i++)
        ink_sketch_free(nodes[i]);
    return nodes[0];
}

/* ---- The same inputs ---------------------------------------------------------------------- */

TEST_OF_VARIANTS(the_same_inputs_give_the_same_bytes)
{
    dealt a, b;
    if (is_order_free(&variants[i]))
        return;
    deal(&a, &variants[i].params, scaled(1500), 0, i);
    deal(&b, &variants[i].params, scaled(1500), 0, i);
    ink_sketch *row_a = in_a_row(&a), *row_b = in_a_row(&b);
    ink_sketch *tree_a = as_a_tree(&a), *tree_b = as_a_tree(&b);
    CHECK_SAME(a.whole, b.whole, i);
    CHECK_SAME(row_a, row_b, i);
    CHECK_SAME(tree_a, tree_b, i);
    ink_sketch_free(row_a);
    ink_sketch_free(row_b);
    ink_sketch_free(tree_a);
    ink_sketch_free(tree_b);
    free_dealt(&a);
    free_dealt(&b);
}

TEST_OF_VARIANTS(no_member_is_lost_however_parts_are_merged)
{
    dealt d;
    if (!is_filter(&variants[i]))
        return;
    deal(&d, &variants[i].params, scaled(1500), 0, i);
    ink_sketch *row = in_a_row(&d), *tree = as_a_tree(&d);
    for (uint64_t number = 0; number < KEYS; number++)
        if (d.exact[number] > 0)
            CHECK(may_contain(d.whole, number) && may_contain(row, number) &&
                  may_contain(tree, number));
    CHECK(sketches_describe(row).records == scaled(1500));
    CHECK(sketches_describe(tree).records == scaled(1500));
    ink_sketch_free(row);
    ink_sketch_free(tree);
    free_dealt(&d);
}

/* ---- Counts against exact ones ------------------------------------------------------------ */

static void check_top(const ink_sketch *sketch, const dealt *d)
{
    static ink_item items[8000];
    ink_description of = sketches_describe(sketch);
    size_t          found;

    CHECK(of.total == d->total);
    for (uint64_t k = 1; k <= of.capacity; k = k < 8 ? k + 1 : 2 * k) {
        double share = (double)(d->total / k);
        size_t over = 0;
        CHECK_OK(ink_sketch_over(sketch, k, items, 8000, &found, &error));
        CHECK(found <= 2 * of.capacity);
        /* Everything that belongs there is there ... */
        for (uint64_t number = 0; number < KEYS; number++) {
            uint8_t key[KEY_BYTES_MAX];
            size_t  bytes = bytes_of_key(number, key);
            bool    listed = false;
            if (!((double)d->exact[number] > share))
                continue;
            over++;
            for (size_t i = 0; i < found; i++)
                listed |= of.key_type == INK_KEY_INT
                              ? items[i].key_int == int_of_key(number)
                              : items[i].key_bytes == bytes &&
                                    (bytes == 0 || memcmp(items[i].key, key, bytes) == 0);
            CHECK(listed);
        }
        /* ... and what is sure to belong there does. */
        for (size_t i = 0; i < found; i++)
            over -= items[i].count.low > share;
        CHECK(over < KEYS); /* has not fallen below 0 */
    }
}

static void check_counts(const ink_sketch *sketch, const dealt *d)
{
    ink_description of = sketches_describe(sketch);
    bool            top = strcmp(of.kind, "top") == 0;

    for (uint64_t number = 0; number < KEYS + 50; number++) {
        double     exact = number < KEYS ? (double)d->exact[number] : 0;
        ink_answer answer = count_of(sketch, number);
        CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
        CHECK(exact <= answer.high);
        if (top) {
            CHECK(answer.low <= exact && answer.confidence == 1);
            CHECK(answer.high - answer.low <= (double)of.total / (double)(of.capacity + 1));
        }
    }
    CHECK(of.total == d->total);
    if (top)
        check_top(sketch, d);
}

TEST(counts_keep_their_bounds_however_parts_are_merged)
{
    for (size_t i = 0; i < VARIANTS; i++)
        for (uint64_t weight = 0; weight < 40; weight += 13) {
            dealt d;
            if (!is_counter(&variants[i]))
                continue;
            deal(&d, &variants[i].params, scaled(1500), weight, i + weight);
            ink_sketch *row = in_a_row(&d), *tree = as_a_tree(&d);
            check_counts(d.whole, &d);
            check_counts(row, &d);
            check_counts(tree, &d);
            /* And goes on. */
            add_weighted(row, 3, 1000);
            d.exact[3] += 1000;
            d.total += 1000;
            check_counts(row, &d);
            ink_sketch_free(row);
            ink_sketch_free(tree);
            free_dealt(&d);
        }
}

TEST(tops_of_different_capacities_meet_at_the_smaller)
{
    static const double phis[] = {1, 0.5, 0.2, 0.05, 0.01};

    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            const ink_params params_a = {.kind = "top", .phi = phis[i]};
            const ink_params params_b = {.kind = "top", .phi = phis[j]};
            dealt            a, b;
            deal(&a, &params_a, scaled(600), 0, i);
            deal(&b, &params_b, scaled(600), 0, 10 + j);
            merge_parts(a.whole, b.whole);
            for (uint64_t number = 0; number < KEYS; number++)
                a.exact[number] += b.exact[number];
            a.total += b.total;
            check_counts(a.whole, &a);
            uint64_t smaller = sketches_describe(b.whole).capacity;
            CHECK(sketches_describe(a.whole).capacity <= smaller);
            free_dealt(&a);
            free_dealt(&b);
        }
}

/* Only counters that must rise do: so nothing is counted higher than without. */
TEST(conservative_counts_lie_between_the_truth_and_the_plain_ones)
{
    for (uint32_t depth = 1; depth <= 5; depth += 2) {
        ink_params plain = {.kind = "count-min", .width = 30, .depth = depth};
        ink_params conservative = plain;
        dealt      a, b;
        conservative.conservative = true;
        deal(&a, &plain, scaled(2000), 5, depth);
        deal(&b, &conservative, scaled(2000), 5, depth);
        for (uint64_t number = 0; number < KEYS; number++) {
            double high = count_of(b.whole, number).estimate;
            CHECK((double)b.exact[number] <= high);
            CHECK(high <= count_of(a.whole, number).estimate);
        }
        free_dealt(&a);
        free_dealt(&b);
    }
}

/* ---- Chains ------------------------------------------------------------------------------- */

static double rate_of(const ink_sketch *sketch)
{
    double rate = 2;

    CHECK_OK(ink_sketch_rate(sketch, &rate, &error));
    return rate;
}

TEST(a_chain_grows_as_long_as_keys_come_and_keeps_its_rate)
{
    static const double   rates[] = {0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5};
    static const double   ratios[] = {0.1, 0.5, 0.9};
    static const uint64_t firsts[] = {1, 2, 10, 1000};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++) {
                uint64_t keys = scaled(10000);
                double   left = rates[i]; /* for the next level, and those after it */
                for (uint64_t room = firsts[k]; room < keys; room = 2 * room + firsts[k])
                    left *= ratios[j];
                if (left < 1e-11) /* a hash of 64 bits is not enough */
                    continue;
                owned_sketch *sketch = make(&(const ink_params){
                    .kind = "scalable",
                    .expected_keys = firsts[k],
                    .false_positive_rate = rates[i],
                    .ratio = ratios[j],
                    .key_type = INK_KEY_INT,
                });
                for (uint64_t number = 0; number < keys; number++) {
                    ink_status status = ink_sketch_add_int(sketch, int_of_key(number), &error);
                    if (status != INK_OK)
                        fail_msg("rate %g, ratio %g, first %llu: stopped after %llu keys: %s",
                                 rates[i], ratios[j], (unsigned long long)firsts[k],
                                 (unsigned long long)number, error.message);
                }
                CHECK(rate_of(sketch) <= 1.3 * rates[i]); /* by chance a level is above its own */
                for (uint64_t number = 0; number < keys; number += 7)
                    CHECK(may_contain(sketch, number));
            }
}

/* Parts are merged without a look at the rate, also where their rates sum up to more than 1. */
TEST(any_number_of_chains_is_joined_as_parts)
{
    const ink_params params = {
        .kind = "scalable", .expected_keys = 500, .false_positive_rate = 0.5};
    owned_sketch *joined = make(&params);

    for (uint64_t part = 0; part < 12; part++) {
        owned_sketch *chain = make_with(&params, 1500 * part, 1500 * part + 1500);
        merge_parts(joined, chain);
    }
    CHECK(rate_of(joined) <= 1);
    for (uint64_t part = 0; part < 12; part++)
        for (uint64_t number = 1500 * part; number < 1500 * part + 1500; number += 7)
            CHECK(may_contain(joined, number));
    owned_snapshot made = encode(joined);
    owned_sketch  *decoded = decode(&made);
    CHECK(same_bytes(decoded, joined));
}

TEST(a_merge_of_chains_that_breaks_the_promise_is_refused_and_changes_nothing)
{
    const ink_params params = {.kind = "scalable", .expected_keys = 100};
    owned_sketch    *a = make_with(&params, 0, 3000), *b = make_with(&params, 3000, 6000);
    owned_sketch    *before = copy_of(a);

    CHECK_FAILS(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 1e-6}, &error), INK_PROMISE,
                "rate");
    CHECK(same_bytes(a, before));
    CHECK_OK(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 0.5}, &error));
    CHECK(sketches_describe(a).promised_rate == 0.5);
    add_range(a, 6000, 9000); /* there is room for more again */
    for (uint64_t number = 0; number < 9000; number++)
        CHECK(may_contain(a, number));
}

/* ---- Rings -------------------------------------------------------------------------------- */

enum { SLOTS = 4, SLOT_LENGTH = 10 };
static const ink_window window = {.slot_microseconds = SLOT_LENGTH, .slots = SLOTS};

static ink_ring *make_ring(const ink_params *params)
{
    ink_ring *ring = NULL;

    CHECK_OK(ink_ring_create(&ring, params, &window, NULL, &error));
    return ring;
}

static ink_sketch *last_of(const ink_ring *ring, uint32_t last)
{
    ink_sketch *made = NULL;

    CHECK_OK(ink_ring_last(ring, last, &made, &error));
    return made;
}

static sketches_view saved_ring(const ink_ring *ring)
{
    ink_entry entries[SLOTS];
    size_t    count = ink_ring_count(ring);

    CHECK(count <= SLOTS);
    for (size_t i = 0; i < count; i++)
        CHECK_OK(ink_ring_entry(ring, i, NULL, &entries[i], &error));
    return sketches_view_entries(entries, count, INK_OPEN_LAZY);
}

static void add_at(ink_ring *ring, int64_t when, uint64_t number)
{
    ink_sketch *slot = NULL;

    CHECK_OK(ink_ring_slot(ring, when, &slot, &error));
    if (slot != NULL)
        add_key(slot, number);
}

static ink_description description_of_plan(const ink_params *params)
{
    ink_description plan;

    CHECK_OK(ink_plan(params, &plan, &error));
    return plan;
}

TEST_OF_VARIANTS(the_last_slots_are_the_slots_merged_by_time)
{
    owned_ring *ring = make_ring(&variants[i].params), *loaded = make_ring(&variants[i].params);
    ink_params  part = variants[i].params;
    ink_sketch *slots[SLOTS];
    uint64_t    keys = 60; /* some in each slot */

    if (strcmp(part.kind, "scalable") == 0) /* each slot has its part of the rate */
        part.false_positive_rate = description_of_plan(&part).promised_rate / SLOTS;
    for (size_t s = 0; s < SLOTS; s++)
        slots[s] = make(&part);
    for (uint64_t number = 0; number < keys; number++) {
        uint64_t slot = number % SLOTS;
        add_at(ring, (int64_t)(SLOT_LENGTH * slot + number % SLOT_LENGTH) - 20, number);
        add_key(slots[slot], number);
    }
    owned_view saved = saved_ring(ring);
    CHECK_OK(ink_ring_load(loaded, saved.file, NULL, &error));
    for (uint32_t last = 1; last <= SLOTS; last++) {
        owned_sketch *expected = make(&part), *of_file = NULL;
        owned_sketch *of_ring = last_of(ring, last), *of_loaded = last_of(loaded, last);
        for (size_t s = SLOTS - last; s < SLOTS; s++)
            merge_parts(expected, slots[s]);
        CHECK_OK(ink_file_last(saved.file, NULL, NULL, last, &of_file, &error));
        CHECK_SAME(of_ring, expected, i);
        CHECK_SAME(of_loaded, expected, i);
        CHECK_SAME(of_file, expected, i);
    }
    /* It goes on as if it had never been saved; a keyed one has the ring's secret. */
    for (uint64_t number = 0; number < 30; number++) {
        add_at(ring, (int64_t)number * 2, number);
        add_at(loaded, (int64_t)number * 2, number);
    }
    owned_view again = saved_ring(ring), of_loaded = saved_ring(loaded);
    assert_int_equal(again.count, of_loaded.count);
    assert_memory_equal(again.bytes, of_loaded.bytes, again.count);
    for (size_t s = 0; s < SLOTS; s++)
        ink_sketch_free(slots[s]);
}

/* Slots at both ends of time are as good as any: each stands once, by rising time. */
TEST(a_ring_at_the_ends_of_time_has_every_slot_once)
{
    static const int64_t starts[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN + 2, -2,
                                     0,         INT64_MAX - 3, INT64_MAX - 2};
    const ink_params     params = {.kind = "hll", .precision = 4};

    for (uint32_t slots = 1; slots <= 7; slots++)
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
            const ink_window each = {.slot_microseconds = 1, .slots = slots};
            owned_ring      *ring = NULL;
            CHECK_OK(ink_ring_create(&ring, &params, &each, NULL, &error));
            for (int64_t step = 0; step < 3; step++)
                add_at(ring, starts[i] + step, (uint64_t)step);
            size_t expected = slots < 3 ? slots : 3;
            CHECK(ink_ring_count(ring) == expected);
            for (size_t j = 0; j < expected; j++) {
                ink_entry entry;
                CHECK_OK(ink_ring_entry(ring, j, NULL, &entry, &error));
                int64_t slot = starts[i] + (3 - (int64_t)expected + (int64_t)j);
                if (entry.label.slot != slot)
                    fail_msg("%u slots from %lld on: number %zu is %lld, expected %lld", slots,
                             (long long)starts[i], j, (long long)entry.label.slot, (long long)slot);
            }
            owned_sketch *last = last_of(ring, 0);
            CHECK(sketches_describe(last).records == expected);
        }
}

RUN_TESTS()
