/* verify_test.c - a verification counts what a naive double loop over groups and keys counts,
 * notices what is wrong with a sketch, and does not when nothing is. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/records.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static ink_error error;

static const ink_reading        plain = {0};
static const ink_verify_options every = {0};
static uint64_t                 chance = 31;

/* ---- Verifying ---------------------------------------------------------------------------- */

/* What a verification reported; the labels' bytes are in `groups`. */
typedef struct outcome {
    ink_verify_result        rows[32];
    char                     groups[32][32];
    size_t                   count;
    ink_verification_summary summary;
    uint64_t                 records;
} outcome;

static void notify(const ink_verification *verification, outcome *to)
{
    to->count = ink_verification_count(verification);
    CHECK(to->count <= 32);
    for (size_t i = 0; i < to->count; i++) {
        CHECK_OK(ink_verification_row(verification, i, &to->rows[i], &error));
        CHECK(to->rows[i].label.group_bytes < 32);
        if (to->rows[i].label.group_bytes > 0)
            memcpy(to->groups[i], to->rows[i].label.group, to->rows[i].label.group_bytes);
    }
    ink_verify_result none;
    CHECK_FAILS(ink_verification_row(verification, to->count, &none, &error), INK_NOT_FOUND, "");
    ink_verification_summarise(verification, &to->summary);
}

static outcome verify(const ink_file *file, const records_data *of,
                      const ink_verify_options *options, unsigned threads, uint64_t chunk_bytes)
{
    static const outcome nothing;
    outcome              got = nothing;
    const ink_input      input = {.memory = of->text.bytes, .memory_bytes = of->text.count};
    ink_job              job = {.threads = threads, .chunk_bytes = chunk_bytes};
    owned_verification  *verification;

    CHECK_OK(ink_verify(&verification, file, &input, 1, &of->reading, options, &job, &error));
    assert_int_equal(job.records, of->rows.count);
    notify(verification, &got);
    return got;
}

static bool same_label(const ink_label *a, const ink_label *b)
{
    return ink_label_compare(a, b) == 0;
}

/* ---- The naive verification --------------------------------------------------------------- */

static bool same_key(const records_rows *rows, const records_row *a, const records_row *b)
{
    if (rows->ints)
        return a->number == b->number;
    return a->key_bytes == b->key_bytes &&
           (a->key_bytes == 0 ||
            memcmp(rows->bytes.bytes + a->key, rows->bytes.bytes + b->key, a->key_bytes) == 0);
}

/* Whether row i is the first one with its key. */
static bool is_first(const records_rows *rows, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (same_key(rows, &rows->rows[j], &rows->rows[i]))
            return false;
    return true;
}

/* Whether this group has the key of row i. */
static bool has_key(const records_rows *rows, const ink_label *label, const records_row *key)
{
    for (size_t j = 0; j < rows->count; j++) {
        const ink_label other = records_group(rows, &rows->rows[j]);
        if (same_label(label, &other) && same_key(rows, &rows->rows[j], key))
            return true;
    }
    return false;
}

static bool asks(const ink_sketch *sketch, const records_rows *rows, const records_row *row)
{
    bool maybe;

    if (rows->ints)
        CHECK_OK(ink_sketch_contains_int(sketch, row->number, &maybe, &error));
    else
        CHECK_OK(ink_sketch_contains(sketch, rows->bytes.bytes + row->key, row->key_bytes, &maybe,
                                     &error));
    return maybe;
}

/* Every different key of the truth is asked; those that are not the group's own are non-members. */
static void check_filter_row(const ink_file *file, size_t entry, const records_rows *rows,
                             const outcome *got)
{
    const ink_verify_result *row = &got->rows[entry];
    ink_label                label = row->label;
    uint64_t                 tested = 0, false_positives = 0, denied = 0;
    ink_entry_info           info;
    ink_sketch              *sketch;
    ink_description          description;
    double                   present;

    CHECK_OK(ink_file_entry(file, entry, &info, &error));
    CHECK_OK(ink_file_sketch(file, entry, &sketch, &error));
    ink_sketch_describe(sketch, &description);
    CHECK_OK(ink_sketch_rate(sketch, &present, &error));
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_first(rows, i))
            continue;
        bool own = has_key(rows, &info.label, &rows->rows[i]);
        bool found = asks(sketch, rows, &rows->rows[i]);
        tested += !own;
        false_positives += !own && found;
        denied += own && !found;
    }
    ink_sketch_free(sketch);
    assert_string_equal(row->kind, info.kind);
    label.group = got->groups[entry];
    CHECK(same_label(&label, &info.label));
    CHECK(row->membership);
    assert_int_equal(row->tested, tested);
    assert_int_equal(row->false_positives, false_positives);
    assert_int_equal(row->denied, denied);
    CHECK(fabs(row->rate - (double)false_positives / (double)tested) < 1e-12);
    CHECK(row->low <= row->rate && row->rate <= row->high && row->low < row->high);
    CHECK(row->promised == description.promised_rate && row->target == description.target_rate);
    CHECK(row->current == present);
}

static void check_naive(const ink_file *file, const records_data *of, const outcome *got)
{
    uint64_t tested = 0, false_positives = 0, denied = 0;
    double   expected = 0;

    assert_int_equal(got->count, ink_file_count(file));
    for (size_t i = 0; i < got->count; i++) {
        check_filter_row(file, i, &of->rows, got);
        tested += got->rows[i].tested;
        false_positives += got->rows[i].false_positives;
        denied += got->rows[i].denied;
        expected += got->rows[i].promised * (double)got->rows[i].tested;
    }
    assert_int_equal(got->summary.tested, tested);
    assert_int_equal(got->summary.false_positives, false_positives);
    assert_int_equal(got->summary.denied, denied);
    CHECK(fabs(got->summary.expected - expected) < 1e-6);
    CHECK(got->summary.limit > expected);
    CHECK(!got->summary.sampled && !got->summary.random);
    CHECK(got->summary.power > 0 && got->summary.power <= 1);
}

/* Whether the numbers of tests, and what came of them, are the same. */
static void check_same(const outcome *a, const outcome *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->rows[i].tested, b->rows[i].tested);
        assert_int_equal(a->rows[i].false_positives, b->rows[i].false_positives);
        assert_int_equal(a->rows[i].denied, b->rows[i].denied);
    }
    assert_int_equal(a->summary.ok, b->summary.ok);
}

/* ---- Data --------------------------------------------------------------------------------- */

static const char *const first_column[] = {"1"}, *const key_path[] = {"k"};

/* Keys that may be in several groups, and records that repeat. */
static records_data grouped_truth(bool ints, bool json)
{
    static const char *const groups[] = {"a", "b", "", "c", "d", NULL};
    records_data             of = {.reading = {.form = json ? INK_FORM_JSONL : INK_FORM_TSV,
                                               .key = json ? key_path : first_column,
                                               .key_count = 1,
                                               .keys = ints ? INK_KEYS_INT : INK_KEYS_BYTES,
                                               .by = json ? "g" : "2"}};

    for (int i = 0; i < 900; i++) {
        char        key[32];
        const char *group = groups[records_below(&chance, json ? 6 : 5)];
        snprintf(key, sizeof key, ints ? "%d" : "k%d", (int)records_below(&chance, 400));
        records_data_put(&of, key, group, 1);
    }
    return of;
}

/* Words without groups. */
static records_data words(unsigned first, unsigned different, unsigned count)
{
    records_data of = {0};

    for (unsigned i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "word %u", first + i % different);
        records_data_put(&of, key, NULL, 1);
    }
    return of;
}

static records_file file_of(const records_data *of, const ink_params *kinds, size_t count)
{
    return records_by_hand(&of->rows, &(ink_build_options){.kinds = kinds, .kind_count = count});
}

/* ---- Filters ------------------------------------------------------------------------------ */

TEST(filters_are_asked_every_key_of_every_group)
{
    static const ink_params kinds[][2] = {
        {{.kind = "bloom", .false_positive_rate = 0.2}, {.kind = NULL}},
        {{.kind = "classic", .false_positive_rate = 0.3}, {.kind = "bloom"}},
        {{.kind = "counting", .false_positive_rate = 0.2},
         {.kind = "scalable", .expected_keys = 20, .false_positive_rate = 0.3}},
        {{.kind = "classic", .hash = "mmh3", .false_positive_rate = 0.2}, {.kind = NULL}},
    };

    for (size_t k = 0; k < 4; k++)
        for (unsigned form = 0; form < 3; form++) {
            if (k == 3 && form == 1)
                continue; /* seeded Murmur hashes bytes alone */
            owned_records of = grouped_truth(form == 1, form == 2);
            owned_file    file = file_of(&of, kinds[k], kinds[k][1].kind == NULL ? 1 : 2);
            outcome       first = verify(file.file, &of, &every, 1, 0);
            check_naive(file.file, &of, &first);
            CHECK(first.summary.false_positives > 0); /* else the loop would say nothing */
            CHECK(first.summary.ok);
            for (unsigned threads = 2; threads <= 8; threads++) {
                outcome got =
                    verify(file.file, &of, &every, threads, 1 + records_below(&chance, 3000));
                check_same(&got, &first);
            }
        }
}

TEST(a_filter_of_other_keys_is_noticed)
{
    const ink_params bloom = {.kind = "bloom"};
    owned_records    of = grouped_truth(false, false), other = grouped_truth(false, false);
    owned_file       file = file_of(&other, &bloom, 1);

    outcome got = verify(file.file, &of, &every, 2, 500);
    check_naive(file.file, &of, &got);
    CHECK(!got.summary.ok && got.summary.denied > 100);
}

TEST(a_single_key_that_is_denied_is_noticed)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 1e-5};
    owned_records    of = grouped_truth(false, false);
    owned_file       file = file_of(&of, &bloom, 1);

    outcome got = verify(file.file, &of, &every, 2, 500);
    CHECK(got.summary.ok && got.summary.denied == 0);
    records_data_put(&of, "nobody added this", "b", 1);
    got = verify(file.file, &of, &every, 2, 500);
    check_naive(file.file, &of, &got);
    assert_int_equal(got.summary.denied, 1);
    CHECK(!got.summary.ok);
    for (size_t i = 0; i < got.count; i++)
        assert_int_equal(got.rows[i].ok, got.rows[i].denied == 0);
}

TEST(a_group_that_the_file_lacks_is_denied)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 1e-5};
    owned_records    of = grouped_truth(false, false);
    owned_file       file = file_of(&of, &bloom, 1);

    records_data_put(&of, "k1", "new", 1);
    records_data_put(&of, "k2", "new", 1);
    outcome got = verify(file.file, &of, &every, 2, 500);
    assert_int_equal(got.summary.denied, 2);
    CHECK(!got.summary.ok);
}

/* More than there are tasks: each takes several groups, and the last one fewer. */
TEST(each_of_thousands_of_groups_is_asked_its_own_keys)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 1e-5};
    owned_records    of = {
           .reading = {.form = INK_FORM_TSV, .key = first_column, .key_count = 1, .by = "2"}};
    owned_file file = {0};

    for (int i = 0; i < 9000; i++) {
        char key[16], group[16];
        snprintf(key, sizeof key, "k%d", i);
        snprintf(group, sizeof group, "g%d", i);
        records_data_put(&of, key, group, 1);
        if (i == 19)
            file = file_of(&of, &bloom, 1);
    }
    for (unsigned threads = 1; threads <= 3; threads++) {
        outcome got = verify(file.file, &of, &every, threads, 0);
        assert_int_equal(got.count, 20);
        assert_int_equal(got.summary.denied, 9000 - 20); /* of groups that the file lacks */
        for (size_t i = 0; i < got.count; i++)
            CHECK(got.rows[i].denied == 0 && got.rows[i].tested == 9000 - 1);
    }
}

TEST(a_promise_that_is_not_kept_is_noticed)
{
    /* Planned for 20 keys, and given about 150. */
    const ink_params bloom = {.kind = "bloom", .bits = 768, .expected_keys = 20};
    const ink_params roomy = {.kind = "bloom", .bits = 768};
    owned_records    of = grouped_truth(false, false);
    owned_file       file = file_of(&of, &bloom, 1);

    outcome got = verify(file.file, &of, &every, 3, 500);
    check_naive(file.file, &of, &got);
    CHECK(!got.summary.ok && got.summary.denied == 0);
    CHECK((double)got.summary.false_positives > got.summary.limit);
    for (size_t i = 0; i < got.count; i++)
        CHECK(!got.rows[i].ok && got.rows[i].promised > 0 &&
              got.rows[i].low > got.rows[i].promised);
    records_file_close(&file);
    file = file_of(&of, &roomy, 1); /* nothing is promised, nothing can be broken */
    got = verify(file.file, &of, &every, 3, 500);
    CHECK(got.summary.ok && got.rows[0].promised == 0 && got.rows[0].false_positives > 0);
}

/* ---- Non-members ---------------------------------------------------------------------------- */

TEST(random_non_members_are_as_many_as_the_rate_needs)
{
    static const ink_params kinds[] = {
        {.kind = "bloom", .false_positive_rate = 0.05},
        {.kind = "classic", .hash = "mmh3", .false_positive_rate = 0.1},
        {.kind = "scalable", .expected_keys = 100, .false_positive_rate = 0.1},
    };

    for (size_t k = 0; k < 3; k++) {
        owned_records of = words(0, 700, 1500);
        owned_file    file = file_of(&of, &kinds[k], 1);
        outcome       one = verify(file.file, &of, &every, 1, 0);
        outcome       three = verify(file.file, &of, &every, 3, 100);
        CHECK(one.summary.ok && one.summary.random && !one.summary.sampled);
        CHECK(one.summary.power >= 0.999 && one.rows[0].tested > 1000);
        CHECK(one.rows[0].low <= one.rows[0].promised);
        /* Within five standard deviations of the rate by the bits. */
        double n = (double)one.rows[0].tested, present = one.rows[0].current;
        CHECK(one.rows[0].rate < present + 5 * sqrt(present / n));
        CHECK(k == 2 || one.rows[0].rate > present - 5 * sqrt(present / n));
        assert_int_equal(one.summary.tested, three.summary.tested);
        assert_int_equal(one.summary.false_positives, three.summary.false_positives);
    }
}

TEST(random_non_members_may_be_integers_and_notice_a_broken_promise)
{
    const ink_params bad = {.kind = "bloom", .bits = 2560, .expected_keys = 100};
    const ink_params good = {.kind = "bloom", .false_positive_rate = 0.05};
    owned_records    of = {.reading = {.keys = INK_KEYS_INT}};

    for (int i = 0; i < 300; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", 17 * i);
        records_data_put(&of, key, NULL, 1);
    }
    owned_file file = file_of(&of, &bad, 1);
    outcome    got = verify(file.file, &of, &(ink_verify_options){.tests_max = 100000}, 2, 0);
    CHECK(!got.summary.ok && got.summary.random && got.summary.denied == 0);
    CHECK(got.rows[0].tested <= 100000);
    records_file_close(&file);
    file = file_of(&of, &good, 1);
    got = verify(file.file, &of, &every, 2, 0);
    CHECK(got.summary.ok && got.summary.random && got.rows[0].rate > 0.01);
}

/* The different keys of the absent text that no group has, asked one by one. */
static void check_absent(const ink_file *file, size_t entry, const records_data *of,
                         const records_data *absent, const ink_verify_result *row)
{
    uint64_t     tested = 0, false_positives = 0;
    ink_sketch  *sketch;
    records_rows all = {0};

    CHECK_OK(ink_file_sketch(file, entry, &sketch, &error));
    for (size_t i = 0; i < of->rows.count; i++)
        records_add(&all, of->rows.bytes.bytes + of->rows.rows[i].key, of->rows.rows[i].key_bytes,
                    NULL, 0, 1);
    for (size_t i = 0; i < absent->rows.count; i++) {
        const records_row *from = &absent->rows.rows[i];
        records_row        key = {.key = all.bytes.count, .key_bytes = from->key_bytes};
        records_put(&all.bytes, absent->rows.bytes.bytes + from->key, from->key_bytes);
        if (!is_first(&absent->rows, i) || has_key(&all, &(ink_label){0}, &key))
            continue;
        tested++;
        false_positives += asks(sketch, &absent->rows, from);
    }
    ink_sketch_free(sketch);
    records_rows_free(&all);
    assert_int_equal(row->tested, tested);
    assert_int_equal(row->false_positives, false_positives);
}

TEST(absent_keys_are_asked_but_for_true_members)
{
    static const ink_params kinds[] = {
        {.kind = "bloom", .false_positive_rate = 0.2},
        {.kind = "classic", .hash = "mmh3", .false_positive_rate = 0.2},
    };

    for (size_t k = 0; k < 2; k++)
        for (unsigned grouped = 0; grouped < 2; grouped++) {
            owned_records of = grouped ? grouped_truth(false, false) : words(0, 300, 500);
            owned_records absent = {0};
            owned_file    file = file_of(&of, &kinds[k], 1);
            for (int i = 0; i < 1200; i++) { /* repeated, some of them members */
                char key[32];
                snprintf(key, sizeof key, grouped ? "k%d" : "word %d", i % 700 + 150);
                records_say(&absent.text, grouped ? "%s\tany\n" : "%s\n", key);
                records_add_text(&absent.rows, key, NULL, 1);
            }
            const ink_input input = {.memory = absent.text.bytes,
                                     .memory_bytes = absent.text.count};
            for (unsigned threads = 1; threads <= 3; threads++) {
                const ink_verify_options options = {.absent = &input, .absent_count = 1};
                outcome                  got = verify(file.file, &of, &options, threads, 1000);
                CHECK(got.summary.denied == 0 && !got.summary.random && !got.summary.sampled);
                for (size_t i = 0; i < got.count; i++)
                    check_absent(file.file, i, &of, &absent, &got.rows[i]);
            }
        }
}

/* ---- Samples ------------------------------------------------------------------------------ */

TEST(above_tests_max_a_sample_of_keys_is_asked)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 0.2};
    owned_records    of = {
           .reading = {.form = INK_FORM_TSV, .key = first_column, .key_count = 1, .by = "2"}};

    for (int i = 0; i < 20000; i++) {
        char key[32], group[8];
        snprintf(key, sizeof key, "k%d", i);
        snprintf(group, sizeof group, "%d", i % 10);
        records_data_put(&of, key, group, 1);
    }
    owned_file file = file_of(&of, &bloom, 1);
    outcome    all = verify(file.file, &of, &every, 2, 0);
    outcome    one = verify(file.file, &of, &(ink_verify_options){.tests_max = 50000}, 1, 0);
    outcome    two = verify(file.file, &of, &(ink_verify_options){.tests_max = 50000}, 3, 999);
    assert_int_equal(all.summary.tested, 180000);
    CHECK(!all.summary.sampled && one.summary.sampled && two.summary.sampled);
    CHECK(one.summary.tested < 60000 && one.summary.tested > 30000);
    CHECK(one.summary.ok && one.summary.power < all.summary.power);
    for (size_t i = 0; i < one.count; i++) {
        assert_int_equal(one.rows[i].tested, two.rows[i].tested);
        assert_int_equal(one.rows[i].false_positives, two.rows[i].false_positives);
        /* A tenth of the sample is the group's own. */
        CHECK(one.rows[i].tested < one.summary.tested / 9 && one.rows[i].tested > 3000);
        CHECK(fabs(one.rows[i].rate - all.rows[i].rate) < 0.05);
    }
    /* Every true member is tested, in any sample. */
    records_add_text(&of.rows, "nobody", "3", 1);
    records_say(&of.text, "nobody added this one here\t3\n");
    one = verify(file.file, &of, &(ink_verify_options){.tests_max = 1000}, 2, 0);
    CHECK(one.summary.sampled && one.summary.tested < 2000);
    CHECK(one.summary.denied <= 1 && one.summary.ok == (one.summary.denied == 0));
}

TEST(repeated_records_are_no_tests)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 0.2};
    owned_records    of = grouped_truth(false, false);
    owned_file       file = file_of(&of, &bloom, 1);
    outcome          before = verify(file.file, &of, &every, 1, 0);

    size_t once = of.text.count, rows = of.rows.count;
    for (int i = 0; i < 20; i++) {
        records_bytes copy = {0};
        records_put(&copy, of.text.bytes, once);
        records_put(&of.text, copy.bytes, once);
        records_bytes_free(&copy);
        for (size_t r = 0; r < rows; r++)
            records_add_text(&of.rows, "", "", 1); /* only their number counts */
    }
    /* 900 keys of groups at most, and 5 groups, but 94,500 records to ask. */
    outcome got = verify(file.file, &of, &(ink_verify_options){.tests_max = 4500}, 2, 0);
    CHECK(!got.summary.sampled);
    assert_int_equal(got.summary.tested, before.summary.tested);
    assert_int_equal(got.summary.false_positives, before.summary.false_positives);
}

TEST(absent_keys_above_tests_max_are_sampled)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 0.1};
    owned_records    of = words(0, 300, 300), absent = words(1000, 20000, 20000);
    owned_file       file = file_of(&of, &bloom, 1);
    const ink_input  input = {.memory = absent.text.bytes, .memory_bytes = absent.text.count};
    const ink_verify_options options = {.absent = &input, .absent_count = 1, .tests_max = 5000};

    outcome got = verify(file.file, &of, &options, 2, 0);
    CHECK(got.summary.sampled && got.summary.ok);
    CHECK(got.summary.tested > 3000 && got.summary.tested < 6000);
}

/* ---- Other kinds -------------------------------------------------------------------------- */

/* Words with skewed weights. */
static records_data weighted_words(unsigned first, unsigned different)
{
    records_data of = {
        .reading = {.form = INK_FORM_TSV, .key = first_column, .key_count = 1, .weight = "3"}};

    for (unsigned i = 0; i < 2 * different; i++) {
        char     key[32];
        uint64_t weight = 10000 / (1 + i % different);
        snprintf(key, sizeof key, "w%u", first + i % different);
        records_data_put(&of, key, "", weight);
    }
    return of;
}

TEST(counts_are_compared_with_the_truth)
{
    static const ink_params kinds[] = {
        {.kind = "count-min", .width = 300, .depth = 5},
        {.kind = "count-min", .width = 300, .depth = 5, .conservative = true},
        {.kind = "top", .phi = 0.02},
    };

    for (size_t k = 0; k < 3; k++) {
        owned_records of = weighted_words(0, 500), other = weighted_words(250, 500);
        owned_records fewer = weighted_words(0, 500);
        owned_file    file = file_of(&of, &kinds[k], 1);
        ink_sketch   *sketch;
        double        worst = 0, total = 0;
        outcome       got = verify(file.file, &of, &every, 2, 100);
        CHECK_OK(ink_file_sketch(file.file, 0, &sketch, &error));
        for (size_t i = 0; i < of.rows.count; i++)
            total += (double)of.rows.rows[i].weight;
        for (size_t i = 0; i < 500; i++) {
            ink_answer answer;
            char       key[32];
            int        bytes = snprintf(key, sizeof key, "w%zu", i);
            CHECK_OK(ink_sketch_count(sketch, key, (size_t)bytes, &answer, &error));
            double off = fabs(answer.estimate - (double)(2 * (10000 / (1 + i)))) / total;
            worst = off > worst ? off : worst;
        }
        ink_sketch_free(sketch);
        CHECK(got.summary.ok && got.rows[0].ok && !got.rows[0].membership);
        assert_int_equal(got.rows[0].tested, 500);
        assert_int_equal(got.rows[0].wrong, 0);
        assert_int_equal(got.rows[0].missed, 0);
        CHECK(fabs(got.rows[0].error - worst) < 1e-12);
        CHECK(fabs(got.rows[0].bound - (k == 2 ? 0.02 : exp(1) / 300)) < 1e-9);
        got = verify(file.file, &other, &every, 2, 100);
        CHECK(!got.summary.ok && !got.rows[0].ok && got.rows[0].wrong > 0);
        CHECK(k != 2 || got.rows[0].missed > 0); /* the heaviest of the other data */
        records_file_close(&file);
        /* A sketch that counted less than there is. */
        fewer.rows.count /= 2;
        file = file_of(&fewer, &kinds[k], 1);
        got = verify(file.file, &of, &every, 2, 100);
        CHECK(!got.summary.ok && got.rows[0].wrong > 0);
    }
}

TEST(counts_that_are_much_too_high_are_noticed)
{
    const ink_params small = {.kind = "count-min", .width = 300, .depth = 5};
    owned_records    of = words(0, 500, 1000), more = words(0, 500, 1000);

    for (int i = 0; i < 30000; i++) { /* unknown to the verification */
        char key[32];
        snprintf(key, sizeof key, "more %d", i);
        records_add_text(&more.rows, key, NULL, 1);
    }
    owned_file file = file_of(&more, &small, 1);
    outcome    got = verify(file.file, &of, &every, 2, 100);
    CHECK(!got.summary.ok && !got.rows[0].ok && got.rows[0].wrong > 0);
    CHECK(got.rows[0].error > got.rows[0].bound);
}

TEST(numbers_of_keys_are_compared_with_the_truth)
{
    static const ink_params kinds[] = {{.kind = "hll"}, {.kind = "fm"}};
    owned_records           of = words(0, 3000, 5000), few = words(0, 300, 300);
    owned_records           many = words(0, 20000, 20000);

    owned_file file = file_of(&of, kinds, 2);
    outcome    got = verify(file.file, &of, &every, 3, 1000);
    CHECK(got.summary.ok && got.count == 2);
    for (size_t i = 0; i < 2; i++) {
        ink_sketch *sketch;
        ink_answer  answer;
        CHECK_OK(ink_file_sketch(file.file, i, &sketch, &error));
        CHECK_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
        ink_sketch_free(sketch);
        CHECK(got.rows[i].ok && got.rows[i].wrong == 0 && got.rows[i].tested == 3000);
        CHECK(fabs(got.rows[i].error - fabs(answer.estimate - 3000) / 3000) < 1e-12);
        CHECK(got.rows[i].bound > got.rows[i].error);
    }
    got = verify(file.file, &few, &every, 2, 0);
    CHECK(!got.summary.ok && !got.rows[0].ok && !got.rows[1].ok && got.rows[0].wrong == 1);
    got = verify(file.file, &many, &every, 2, 0);
    CHECK(!got.summary.ok && !got.rows[0].ok && !got.rows[1].ok);
}

TEST(all_kinds_of_all_groups_are_verified_at_once)
{
    static const ink_params kinds[] = {{.kind = "bloom", .false_positive_rate = 0.1},
                                       {.kind = "count-min", .width = 300, .depth = 5},
                                       {.kind = "top", .phi = 0.01},
                                       {.kind = "hll"}};

    for (unsigned ints = 0; ints < 2; ints++) {
        owned_records of = grouped_truth(ints, true);
        owned_file    file = file_of(&of, kinds, 4);
        outcome       got = verify(file.file, &of, &every, 3, 1000);
        CHECK(got.summary.ok);
        assert_int_equal(got.count, 24);
        for (size_t i = 0; i < 24; i++) {
            CHECK(got.rows[i].ok && got.rows[i].tested > 0);
            if (strcmp(got.rows[i].kind, "bloom") == 0)
                check_filter_row(file.file, i, &of.rows, &got);
        }
    }
}

/* ---- Recipes, slots, what is refused ------------------------------------------------------ */

TEST(the_input_spec_is_used)
{
    static const char *const name[] = {"k"};
    static const char *const texts[] = {"k,g\nant,1.6\nbee,2\ncow,3\n", "k,g\nant,3\nbee,2\n"};
    const ink_params         bloom = {.kind = "bloom", .false_positive_rate = 1e-5};
    const ink_reading        reading = {.form = INK_FORM_CSV,
                                        .header = true,
                                        .key = name,
                                        .key_count = 1,
                                        .by = "g",
                                        .round = INK_ROUND_HALF_UP};
    owned_set               *set = records_build(texts[0], strlen(texts[0]), &reading, &bloom, 1);
    owned_file               file = records_encode(set);

    for (size_t i = 0; i < 2; i++) {
        const ink_input     input = {.memory = (const uint8_t *)texts[i],
                                     .memory_bytes = strlen(texts[i])};
        ink_job             job = {.threads = 1};
        owned_verification *verification;
        outcome             got = {0};
        CHECK_OK(ink_verify(&verification, file.file, &input, 1, &plain, &every, &job, &error));
        notify(verification, &got);
        if (i == 0)
            CHECK(got.summary.ok && got.count == 2 && got.summary.tested == 3);
        else
            CHECK(!got.summary.ok && got.summary.denied == 1);
    }
}

TEST(slots_are_merged)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 600};
    owned_records    of = words(0, 600, 600);
    ink_entry        entries[3];

    for (size_t s = 0; s < 3; s++) {
        ink_sketch *sketch;
        CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
        for (size_t i = s; i < of.rows.count; i += 3)
            records_add_row(sketch, &of.rows, &of.rows.rows[i]);
        entries[s] = (ink_entry){{.has_slot = true, .slot = (int64_t)s}, sketch};
    }
    owned_file file = records_entries(entries, 3);
    outcome    got = verify(file.file, &of, &(ink_verify_options){.tests_max = 10000}, 2, 0);
    CHECK(got.summary.ok && got.count == 1 && got.summary.denied == 0);
}

TEST(what_cannot_be_verified_is_refused)
{
    static const uint8_t secret[INK_SECRET_BYTES] = "secret";
    const ink_params     bloom = {.kind = "bloom"}, keyed = {.kind = "bloom", .secret = secret};
    owned_records        of = grouped_truth(false, false), words_of = words(0, 10, 10);
    const ink_input      missing = {.path = "not there"},
                    input = {.memory = words_of.text.bytes, .memory_bytes = words_of.text.count};
    owned_file file = file_of(&of, &bloom, 1), empty = records_entries(NULL, 0),
               locked = file_of(&words_of, &keyed, 1);
    const struct {
        const ink_file    *file;
        const ink_input   *input;
        ink_reading        reading;
        ink_verify_options options;
        ink_status         status;
        const char        *words;
    } wrong[] = {
        {file.file, &input, plain, every, INK_USAGE, "groups"},
        {file.file, &missing, of.reading, every, INK_IO, ""},
        {locked.file, &input, plain, every, INK_MISMATCH, "secret"},
        {locked.file, &input, {.keys = INK_KEYS_INT}, {.secret = secret}, INK_MISMATCH, "bytes"},
        {locked.file,
         &input,
         plain,
         {.secret = secret, .absent = &missing, .absent_count = 1},
         INK_IO,
         ""},
        {empty.file, &input, plain, every, INK_UNSUPPORTED, "empty"},
    };
    ink_job             job = {.threads = 2};
    owned_verification *verification;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(ink_verify(&verification, wrong[i].file, wrong[i].input, 1, &wrong[i].reading,
                               &wrong[i].options, &job, &error),
                    wrong[i].status, wrong[i].words);
        CHECK(wrong[i].status != INK_IO || job.failed_path == missing.path);
    }
    CHECK_OK(ink_verify(&verification, locked.file, &input, 1, &plain,
                        &(ink_verify_options){.secret = secret, .tests_max = 1000}, &job, &error));
}

RUN_TESTS()
