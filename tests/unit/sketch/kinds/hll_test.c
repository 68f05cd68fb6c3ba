/* hll_test.c - HyperLogLog: estimates with an honest interval, lists and arrays that hold the same,
 * unions across precisions, and payloads that are refused. */
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/shapes.h"
#include "support/sketches.h"

static ink_error error;

static ink_params precise(uint32_t precision)
{
    return (ink_params){.kind = "hll", .precision = precision};
}

/* Adds a key whose hash has this register and this value. */
static void raise_one(ink_sketch *sketch, uint64_t register_number, unsigned value)
{
    unsigned        precision = sketches_describe(sketch).precision;
    uint64_t        rest = value == 65 - precision ? 0 : (uint64_t)1 << (64 - precision - value);
    const uint64_t  hash = register_number << (64 - precision) | rest;
    const ink_batch batch = {.count = 1, .hashes = &hash};

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
}

/* Few keys, again and again: their list becomes an array, without a visible difference. */
TEST(a_list_that_is_searched_often_holds_the_same)
{
    enum { KEYS = 5, TIMES = 20000, PRECISION = 8, OTHERS = 300 };
    const ink_params params = precise(PRECISION);
    owned_sketch    *once = files_sketch(&params, 0, 0, NULL);
    owned_sketch    *often = files_sketch(&params, 0, 0, NULL);
    uint64_t         hashes[KEYS];
    ink_batch        batch = {.count = KEYS, .hashes = hashes};

    for (uint64_t i = 0; i < KEYS; i++)
        hashes[i] = (i * 50) << (64 - PRECISION) | (uint64_t)1 << (50 - i);
    for (int i = 0; i < TIMES; i++)
        CHECK_OK(ink_sketch_add_batch(often, &batch, &error));
    batch.records = (uint64_t)KEYS * TIMES;
    CHECK_OK(ink_sketch_add_batch(once, &batch, &error));
    CHECK(sketches_equal(once, often));
    for (uint64_t i = 0; i < OTHERS; i++) {
        raise_one(once, i % 256, 1 + (unsigned)i % 40);
        raise_one(often, i % 256, 1 + (unsigned)i % 40);
    }
    CHECK(sketches_equal(once, often));
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(the_precision_is_14_unless_it_is_given)
{
    ink_description described;

    CHECK_OK(ink_plan(&(ink_params){.kind = "hll"}, &described, &error));
    CHECK(described.precision == 14 && described.bytes == 0 && described.order_free);
    CHECK(described.bits == 0 && described.hashes == 0 && described.expected_keys == 0);
    for (uint32_t precision = 4; precision <= 18; precision++) {
        const ink_params params = precise(precision);
        CHECK_OK(ink_plan(&params, &described, &error));
        CHECK(described.precision == precision);
    }
}

TEST(a_precision_out_of_range_is_refused)
{
    ink_description described;

    CHECK_FAILS(ink_plan(&(ink_params){.kind = "hll", .precision = 3}, &described, &error),
                INK_USAGE, "precision 3, expected 4 to 18");
    CHECK_FAILS(ink_plan(&(ink_params){.kind = "hll", .precision = 19}, &described, &error),
                INK_USAGE, "precision 19, expected 4 to 18");
}

TEST(parameters_of_filters_and_hashes_of_32_bits_are_refused)
{
    const struct {
        ink_params  params;
        const char *words;
    } wrong[] = {
        {{.kind = "hll", .expected_keys = 5}, "hll has no expected_keys"},
        {{.kind = "hll", .false_positive_rate = 0.1}, "hll has no false_positive_rate"},
        {{.kind = "hll", .bits = 256}, "hll has no bits"},
        {{.kind = "hll", .hashes = 2}, "hll has no hashes"},
        {{.kind = "hll", .hash = "mmh3"}, "hash mmh3 is for classic, not for hll"},
    };
    ink_description described;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(ink_plan(&wrong[i].params, &described, &error), INK_USAGE, wrong[i].words);
}

TEST(the_empty_key_has_no_coupon_in_a_list_or_an_array_or_a_shared_one)
{
    for (int form = 0; form < 3; form++) {
        const ink_params params = {.kind = "hll", .precision = 8, .hash = "datasketches-hll"};
        owned_sketch    *sketch = files_sketch(&params, 0, form == 0 ? 0 : 300, NULL);
        owned_sketch    *with;
        CHECK_OK(ink_sketch_copy(&with, sketch, NULL, &error));
        if (form == 2)
            CHECK_OK(ink_sketch_share(with, &error));
        const ink_key   keys[] = {{"", 0}, {"key 1", form == 0 ? 0 : 5}, {"", 0}};
        const ink_batch batch = {.count = 3, .keys = keys};
        CHECK_OK(ink_sketch_add_batch(with, &batch, &error));
        CHECK_OK(ink_sketch_add(with, "", 0, &error));
        CHECK(sketches_equal_payloads(sketch, with));
    }
}

/* ---- Estimates ---------------------------------------------------------------------------- */

TEST(an_empty_hll_counts_exactly_0)
{
    owned_sketch *sketch = sketches_with(precise(14), 0, 0);
    ink_answer    answer = sketches_distinct(sketch);

    CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0 && !answer.saturated);
}

TEST(estimates_are_near_and_their_interval_holds_the_truth)
{
    const uint64_t counts[] = {1, 2, 10, 100, 3000, 50000};

    for (uint32_t precision = 10; precision <= 18; precision += 4)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            owned_sketch *sketch = sketches_with(precise(precision), 0, counts[i]);
            ink_answer    answer;
            double        exact = (double)counts[i];
            CHECK_OK(ink_sketch_distinct(sketch, 0.999, &answer, &error));
            CHECK(answer.confidence == 0.999 && !answer.saturated);
            if (!(answer.low <= answer.estimate && answer.estimate <= answer.high))
                fail_msg("%d keys: %.17g is not within %.17g to %.17g", (int)counts[i],
                         answer.estimate, answer.low, answer.high);
            CHECK(answer.low <= exact && exact <= answer.high);
            CHECK(answer.estimate > exact * 0.9 && answer.estimate < exact * 1.1);
        }
}

TEST(keys_that_are_repeated_count_once)
{
    const ink_params params = precise(12);
    owned_sketch    *once = files_sketch(&params, 0, 500, NULL);
    owned_sketch    *twice = files_sketch(&params, 0, 500, NULL);
    owned_sketch    *again = files_sketch(&params, 0, 500, NULL);

    CHECK_OK(ink_sketch_merge(twice, again, NULL, &error));
    CHECK(sketches_equal_payloads(once, twice));
    CHECK(sketches_describe(twice).records == 1000);
}

TEST(an_hll_whose_registers_are_all_full_says_so_and_stays_finite)
{
    owned_sketch *sketch = sketches_with(precise(4), 0, 0);

    for (uint64_t i = 0; i < 16; i++)
        raise_one(sketch, i, 61);
    ink_answer answer = sketches_distinct(sketch);
    CHECK(answer.saturated);
    CHECK(answer.estimate == 0x1p64 && answer.high == 0x1p64);
    CHECK(answer.low > 0x1p62 && answer.low <= answer.estimate);
}

TEST(no_interval_goes_above_the_number_of_hashes)
{
    owned_sketch *sketch = sketches_with(precise(4), 0, 0);

    for (uint64_t i = 0; i < 16; i++)
        raise_one(sketch, i, 60);
    ink_answer answer = sketches_distinct(sketch);
    CHECK(!answer.saturated);
    CHECK(answer.estimate > 0x1p63 && answer.estimate < 0x1p64 && answer.high == 0x1p64);
}

TEST(an_hll_knows_neither_membership_nor_rates_nor_folding)
{
    const ink_params params = precise(4);
    owned_sketch    *a = files_sketch(&params, 0, 3, NULL), *b = files_sketch(&params, 0, 3, NULL);
    bool             maybe = true;
    double           rate = -1;

    CHECK_FAILS(ink_sketch_contains(a, "x", 1, &maybe, &error), INK_UNSUPPORTED,
                "hll cannot tell whether a key was added");
    CHECK_FAILS(ink_sketch_rate(a, &rate, &error), INK_UNSUPPORTED,
                "hll is no filter: it has no false-positive rate");
    CHECK_FAILS(ink_sketch_fold(a, 2, &error), INK_UNSUPPORTED, "hll cannot be folded");
    CHECK_FAILS(ink_sketch_fold_to_rate(a, 0.1, NULL, &error), INK_UNSUPPORTED,
                "hll cannot be folded");
    CHECK_FAILS(ink_sketch_intersect(a, b, &error), INK_UNSUPPORTED, "hll cannot be intersected");
    CHECK(maybe && rate == -1);
}

/* ---- Lists and arrays --------------------------------------------------------------------- */

TEST(a_register_keeps_the_largest_value_in_a_list_and_in_an_array)
{
    const uint8_t listed[] = {0x49, 0x01, 0x00}; /* 5 * 64 + 9 */

    for (int array = 0; array < 2; array++) {
        owned_sketch *sketch = sketches_with(precise(14), 0, 0);
        uint8_t       payload[3];
        if (array) { /* room for many keys makes it an array, even if there is but one */
            uint64_t        hashes[2000];
            const ink_batch batch = {.count = 2000, .hashes = hashes};
            for (int i = 0; i < 2000; i++)
                hashes[i] = 5ull << 50 | 1ull << 49;
            CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        }
        raise_one(sketch, 5, 3);
        raise_one(sketch, 5, 9);
        raise_one(sketch, 5, 7);
        CHECK_OK(ink_sketch_payload(sketch, payload, sizeof payload, &error));
        assert_memory_equal(payload, listed, sizeof listed);
    }
}

/* Under its rule a hash without a bit beside those of the register has no value; the empty key's is
 * 0. */
TEST(what_postgresql_leaves_out_sets_no_register)
{
    enum { COUNT = 600 };
    uint64_t hashes[COUNT], others[COUNT];

    for (uint32_t precision = 4; precision <= 18; precision += 7)
        for (uint32_t concurrent = 0; concurrent < 2; concurrent++)
            for (size_t count = 1; count <= COUNT; count = count * 5 + 3) {
                const ink_params params = {.kind = "hll",
                                           .hash = "postgresql-hll",
                                           .precision = precision,
                                           .concurrent = concurrent};
                owned_sketch    *all = sketches_with(params, 0, 0),
                             *some = sketches_with(params, 0, 0);
                ink_batch batch = {.count = count, .hashes = hashes};
                ink_batch rest = {.hashes = others, .records = count + 1};
                for (uint64_t i = 0; i < count; i++) {
                    hashes[i] = scramble(i);
                    if (i % 3 == 0)
                        hashes[i] &= ~(uint64_t)0 << (64 - precision);
                    else
                        others[rest.count++] = hashes[i];
                }
                CHECK_OK(ink_sketch_add_batch(all, &batch, &error));
                CHECK_OK(ink_sketch_add(all, "", 0, &error));
                CHECK_OK(ink_sketch_add_batch(some, &rest, &error));
                owned_sketch *a = NULL, *b = NULL;
                CHECK_OK(ink_sketch_copy(&a, all, NULL, &error));
                CHECK_OK(ink_sketch_copy(&b, some, NULL, &error));
                CHECK(sketches_equal_payloads(a, b));
                CHECK((sketches_describe(a).bytes == 0) == (count == 1));
            }
}

TEST(content_alone_decides_whether_the_payload_is_a_list)
{
    for (uint32_t precision = 4; precision <= 14; precision += 5) {
        owned_sketch *sketch = sketches_with(precise(precision), 0, 0);
        uint64_t      registers = 1ull << precision;
        for (uint64_t i = 0; i < registers / 4; i++) {
            CHECK(sketches_describe(sketch).bytes == 3 * i);
            raise_one(sketch, i, 1);
        }
        CHECK(sketches_describe(sketch).bytes == 3 * registers / 4);
    }
}

TEST(every_value_survives_being_packed)
{
    owned_sketch *sketch = sketches_with(precise(7), 0, 0), *copy = NULL;

    for (uint64_t i = 0; i < 128; i++)
        raise_one(sketch, i, 1 + (unsigned)i % 58);
    CHECK_OK(ink_sketch_copy(&copy, sketch, NULL, &error));
    CHECK(sketches_equal(sketch, copy));
    CHECK(sketches_distinct(sketch).estimate == sketches_distinct(copy).estimate);
}

/* ---- Keys that come late ------------------------------------------------------------------ */

/* Keys `first` and on, merged from sketches so small that none of them leaves a key out unseen. */
static ink_sketch *united(const ink_params *params, uint64_t first, uint64_t count)
{
    const uint64_t each = (uint64_t)1 << params->precision;
    ink_sketch    *all = files_sketch(params, 0, 0, NULL);

    for (uint64_t done = 0; done < count; done += each) {
        owned_sketch *part =
            files_sketch(params, first + done, count - done < each ? count - done : each, NULL);
        CHECK_OK(ink_sketch_merge(all, part, NULL, &error));
    }
    return all;
}

TEST(keys_that_come_late_raise_what_they_must)
{
    for (uint32_t precision = 4; precision <= 9; precision++)
        for (uint64_t count = 40; count < 100000; count *= 3) {
            const ink_params params = precise(precision);
            owned_sketch    *once = files_sketch(&params, 0, count, NULL);
            owned_sketch    *parts = united(&params, 0, count);
            CHECK(sketches_equal_payloads(once, parts));
        }
}

TEST(after_a_reduction_keys_raise_what_they_must)
{
    enum { BEFORE = 20000, AFTER = 3000 };
    const ink_params fine = precise(8), coarse = precise(4);
    owned_sketch    *into = files_sketch(&fine, 0, BEFORE, NULL);
    owned_sketch    *none = files_sketch(&coarse, 0, 0, NULL);
    owned_sketch    *parts = united(&coarse, 0, BEFORE);

    CHECK_OK(ink_sketch_merge(into, none, NULL, &error));
    for (uint64_t register_number = 0; register_number < 16; register_number++)
        for (unsigned value = 1; value <= 30; value++) {
            raise_one(into, register_number, value);
            raise_one(parts, register_number, value);
            if (value % 10 == 0)
                CHECK(sketches_equal_payloads(into, parts));
        }
}

/* Where all are, `least` is one more than there are bits to look at: a sanitizer sees a shift by
 * that. */
TEST(registers_that_are_full_stay_so)
{
    const ink_params params = precise(4);
    owned_sketch    *full = files_sketch(&params, 0, 0, NULL), *copy = NULL;
    owned_sketch    *late = files_sketch(&params, 0, 1000, NULL);

    for (uint64_t i = 0; i < 16; i++)
        raise_one(full, i, 61);
    CHECK_OK(ink_sketch_copy(&copy, full, NULL, &error));
    for (uint64_t key = 0; key < 1000; key++)
        raise_one(full, key % 16, 1 + (unsigned)key % 61);
    CHECK_OK(ink_sketch_merge(late, copy, NULL, &error));
    CHECK(sketches_equal_payloads(full, copy) && sketches_equal_payloads(late, copy));
}

/* ---- Unions ------------------------------------------------------------------------------- */

/* Merges `right` keys of one precision into `left` keys of another, and compares with the sketch
 * that is built at the smaller precision at once. */
static void check_union(const char *hash, uint32_t left_precision, uint64_t left,
                        uint32_t right_precision, uint64_t right, bool from_view)
{
    ink_params left_params = precise(left_precision), right_params = precise(right_precision);
    left_params.hash = right_params.hash = hash;
    const ink_params both_params = left_precision < right_precision ? left_params : right_params;
    owned_sketch    *into = files_sketch(&left_params, 0, left, NULL);
    owned_sketch    *from = files_sketch(&right_params, left, right, NULL);
    owned_sketch    *both = files_sketch(&both_params, 0, left + right, NULL);
    owned_view       view = sketches_view_of(from, INK_OPEN_CHECKED);

    CHECK_OK(ink_sketch_merge(into, from_view ? view.sketch : from, NULL, &error));
    if (!sketches_equal(into, both))
        fail_msg("%d keys at %u and %d keys at %u: another sketch", (int)left, left_precision,
                 (int)right, right_precision);
}

TEST(a_union_is_the_sketch_built_from_all_keys_at_the_smaller_precision)
{
    const uint32_t precisions[] = {4, 9, 12};
    const uint64_t counts[] = {0, 1, 20, 150, 5000}; /* lists and arrays */

    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 5; j++) {
                    check_union(NULL, precisions[a], counts[i], precisions[b], counts[j], false);
                    check_union(NULL, precisions[a], counts[i], precisions[b], counts[j], true);
                    check_union("datasketches-hll", precisions[a], counts[i], precisions[b],
                                counts[j], i % 2 == 0);
                }
}

TEST(registers_that_fall_together_keep_the_larger_value)
{
    const ink_params fine = precise(6), coarse = precise(5);

    for (int rising = 0; rising < 2; rising++) {
        owned_sketch *into = files_sketch(&fine, 0, 0, NULL);
        owned_sketch *from = files_sketch(&coarse, 0, 0, NULL);
        uint8_t       payload[3];
        raise_one(into, 6, rising ? 4 : 5); /* 11 0: one zero more, so 5 or 6 */
        raise_one(into, 7, 9);              /* 11 1: the run ends at once, so 1 */
        CHECK_OK(ink_sketch_merge(into, from, NULL, &error));
        CHECK_OK(ink_sketch_payload(into, payload, sizeof payload, &error));
        assert_int_equal(files_get(payload, 3), 3 << 6 | (rising ? 5 : 6));
    }
}

/* ---- In files ----------------------------------------------------------------------------- */

TEST(a_shape_that_no_hll_has_is_refused_at_its_field)
{
    const ink__key_rule rule = {0};
    const wrong_shape   wrong[] = {
          {{.fields = {3}}, "precision 3, expected 4 to 18", 0},
          {{.fields = {19}}, "precision 19, expected 4 to 18", 0},
          {{.fields = {4}, .payload_bytes = 15}, "an hll of 15 bytes", 1},
          {{.fields = {4}, .payload_bytes = 4}, "expected a multiple of 3 up to 12", 1},
    };

    shapes_check_refused(&ink__hll, &rule, wrong, sizeof wrong / sizeof wrong[0]);
}

/* Repairs a sample whose payload was changed, expects its sketch to be refused, as a view too, and
 * frees it. */
static void check_refused(files_sample *sample, const char *words)
{
    ink_file   *file;
    ink_sketch *sketch;

    files_repair(sample->bytes, sample->count);
    CHECK_FAILS(ink_sketch_decode(&sketch, sample->bytes, sample->count, NULL, &error), INK_FORMAT,
                words);
    assert_int_equal(error.location, INK_AT_BYTE);
    CHECK(error.at >= files_payload_at(sample->bytes) &&
          error.at < files_sections_at(sample->bytes));
    CHECK_OK(ink_file_decode(&file, sample->bytes, sample->count, INK_OPEN_LAZY, NULL, &error));
    CHECK_FAILS(ink_file_sketch(file, 0, &sketch, &error), INK_FORMAT, words);
    ink_file_close(file);
    files_sample_free(sample);
}

static void check_payload(const char *name, unsigned at, unsigned width, uint64_t value,
                          const char *words)
{
    files_sample sample;

    files_sample_named(&sample, name);
    files_set(sample.bytes + files_payload_at(sample.bytes) + at, width, value);
    check_refused(&sample, words);
}

TEST(lists_that_do_not_rise_or_leave_the_registers_are_refused)
{
    check_payload("hll list 14", 3, 3, 0 << 6 | 1, "register 0 in a list, expected rising ones");
    check_payload("hll list 14", 294, 3, 16384 << 6 | 1,
                  "register 16384 in a list, expected rising ones below 16384");
    check_payload("hll list 4", 6, 3, 16 << 6 | 1, "expected rising ones below 16");
}

TEST(values_that_cannot_be_are_refused)
{
    check_payload("hll list 14", 0, 3, 0, "value 0 of register 0 in a list, expected 1 to 51");
    check_payload("hll list 14", 0, 3, 52, "value 52 of register 0 in a list");
    check_payload("hll packed 8", 0, 1, 58, "value 58 of register 0, expected at most 57");
    check_payload("hll packed 4", 3, 1, 62, "value 62 of register 4, expected at most 61");
}

TEST(an_array_that_should_be_a_list_is_refused)
{
    files_sample sample;

    files_sample_named(&sample, "hll packed 4");
    memset(sample.bytes + files_payload_at(sample.bytes), 0, 12);
    files_set(sample.bytes + files_payload_at(sample.bytes), 8, 0x1001);
    check_refused(&sample, "only 2 registers above 0, expected them as a list");
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Every allocation of adding and merging is refused in turn; the sketch stays as it was. */
static void check_refusals(uint32_t precision, uint64_t before, uint64_t keys, uint64_t merged)
{
    const ink_params params = precise(precision);
    owned_sketch    *from = files_sketch(&params, 500, merged, NULL);
    const uint64_t   hashes[100] = {0};
    const ink_batch  batch = {.count = (size_t)keys, .hashes = hashes};

    sketches_check_refusals(&params, before, keys > 0 ? &batch : NULL, from);
}

TEST(every_refusal_of_memory_leaves_the_sketch_as_it_was)
{
    check_refusals(10, 0, 3, 0);    /* a list begins */
    check_refusals(10, 4, 3, 0);    /* a list grows */
    check_refusals(10, 30, 100, 0); /* a list becomes an array */
    check_refusals(10, 0, 100, 0);  /* an array from nothing */
    check_refusals(10, 4, 0, 5);    /* the same in a merge */
    check_refusals(10, 4, 0, 500);
}

TEST(every_refusal_of_memory_when_it_is_read_is_clean)
{
    const uint64_t counts[] = {20, 2000};

    for (int i = 0; i < 2; i++) {
        owned_sketch     *sketch = sketches_with(precise(10), 0, counts[i]);
        sketches_snapshot file = sketches_remember(sketch);
        for (faults_refusals run = {0}; faults_refusals_next(&run);) {
            owned_sketch *copy = NULL;
            faults_check_refused(
                &run, ink_sketch_decode(&copy, file.bytes, file.count, &run.allocator, &error));
        }
        CHECK(sketches_unchanged(sketch, &file));
    }
}

/* A view of bytes that change after they were checked, as a mapped file may. */
static void check_changed(const char *name, uint8_t with)
{
    owned_sample  sample = files_sample_of(name);
    owned_opened *file = NULL;
    owned_sketch *view = NULL, *copy = NULL;
    ink_answer    answer;

    CHECK_OK(ink_file_decode(&file, sample.bytes, sample.count, INK_OPEN_CHECKED, NULL, &error));
    CHECK_OK(ink_file_sketch(file, 0, &view, &error));
    CHECK_OK(ink_sketch_copy(&copy, view, NULL, &error));
    memset(sample.bytes + files_payload_at(sample.bytes), with,
           files_sections_at(sample.bytes) - files_payload_at(sample.bytes));
    CHECK_OK(ink_sketch_distinct(view, 0, &answer, &error));
    CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
    CHECK_OK(ink_sketch_merge(copy, view, NULL, &error));
}

TEST(a_view_whose_bytes_change_leads_nowhere)
{
    check_changed("hll list 4", 0xff);
    check_changed("hll list 4", 0x00);
    check_changed("hll list 4", 0x3e);
    check_changed("hll packed 4", 0xff);
    check_changed("hll packed 4", 0x00);
}

RUN_TESTS()
