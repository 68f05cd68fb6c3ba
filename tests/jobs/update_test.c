/* update_test.c - keys that are added to a file of sketches, or removed, change it as if the
 * records came one by one, for any number of threads; filters keep their promises as in a merge;
 * and what cannot be done is refused, the file as it was. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>
#include <unistd.h>

static ink_error         error;
static ink_update_report report;
static ink_job           job;
static uint64_t          chance = 5;

static const uint8_t secret[INK_SECRET_BYTES] = "the update test";

static const ink_update_options adds = {0}, removes = {.remove = true}, once = {.once = true};

/* ---- Data --------------------------------------------------------------------------------- */

static const char *const first_column[] = {"1"}, *const key_path[] = {"k"};

static const ink_reading lines = {.form = INK_FORM_LINES};
static const ink_reading weighted = {
    .form = INK_FORM_TSV, .key = first_column, .key_count = 1, .weight = "3"};
static const ink_reading grouped = {
    .form = INK_FORM_TSV, .key = first_column, .key_count = 1, .by = "2"};
static const ink_reading json = {
    .form = INK_FORM_JSONL, .key = key_path, .key_count = 1, .by = "g"};

/* A record as a reading like one of those above finds it. */
static void put(records_data *to, const ink_reading *reading, const char *key, const char *group,
                uint64_t weight)
{
    to->reading = *reading;
    records_data_put(to, key, group, weight);
}

/* `count` records with keys from `first` on, some of them several times, but none so often that a
 * counter of four bits stops, in `groups` groups, of which one is null where that can be. */
static records_data data_of(const ink_reading *reading, unsigned first, unsigned count,
                            unsigned groups)
{
    records_data of = {0};

    for (unsigned i = 0; i < count; i++) {
        char     key[24], group[16];
        unsigned which = (unsigned)records_below(&chance, groups);
        bool     null = reading->form == INK_FORM_JSONL && which == 0;
        snprintf(key, sizeof key, "%u", first + (unsigned)records_below(&chance, 2 * count));
        snprintf(group, sizeof group, "g%u", which);
        if (which == 1) /* the empty group is one too */
            group[0] = '\0';
        put(&of, reading, key, null ? NULL : group, records_below(&chance, 3));
    }
    return of;
}

/* ---- Files -------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
    records_write(path, text, strlen(text));
}

static void build(const char *path, const records_data *of, const ink_reading *reading,
                  const ink_params *kinds, size_t kind_count)
{
    records_build_file(path, of->text.bytes, of->text.count, reading, kinds, kind_count);
}

/* Records that are read as the input spec says. */
static ink_status update(const records_data *of, const ink_update_options *options)
{
    const ink_input input = {.memory = of->text.bytes, .memory_bytes = of->text.count};

    error = (ink_error){0};
    return ink_update("x.ink", &input, 1, &(ink_reading){0}, options, &report, &job, &error);
}

static records_digest digest(const char *path)
{
    records_digest found;
    ink_file      *file;

    CHECK_OK(ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, &error));
    found = records_digest_of(file);
    ink_file_close(file);
    return found;
}

static bool same_files(const char *a, const char *b)
{
    records_digest of_a = digest(a), of_b = digest(b);

    return records_same(&of_a, &of_b);
}

static ink_description describe(const char *path, const char *kind, const char *group)
{
    ink_label       label = group == NULL ? (ink_label){0} : ink_group(group);
    ink_file       *file;
    ink_sketch     *sketch;
    size_t          index;
    ink_description found;

    CHECK_OK(ink_file_open(&file, path, INK_OPEN_COPY, NULL, &error));
    CHECK_OK(ink_file_find(file, kind, &label, &index, &error));
    CHECK_OK(ink_file_sketch(file, index, &sketch, &error));
    ink_sketch_describe(sketch, &found);
    ink_sketch_free(sketch);
    ink_file_close(file);
    return found;
}

/* ---- One by one --------------------------------------------------------------------------- */

enum { ENTRIES_MAX = 64 };

static ink_sketch *sketch_of(ink_entry *entries, size_t *count, const ink_params *kind,
                             const ink_label *label)
{
    ink_description d;
    ink_sketch     *made;

    for (size_t i = 0; i < *count; i++) {
        ink_sketch_describe(entries[i].sketch, &d);
        if (strcmp(d.kind, kind->kind) == 0 && ink_label_compare(&entries[i].label, label) == 0)
            return (ink_sketch *)(uintptr_t)entries[i].sketch;
    }
    CHECK(*count < ENTRIES_MAX);
    CHECK_OK(ink_sketch_create(&made, kind, NULL, &error));
    entries[(*count)++] = (ink_entry){*label, made};
    return made;
}

/* Adds rows to the sketches of a file one by one, each to all kinds, and saves them elsewhere. */
static void by_hand(const char *path, const char *to, const records_rows *rows,
                    const ink_params *kinds, size_t kind_count)
{
    ink_entry      entries[ENTRIES_MAX];
    ink_entry_info info;
    ink_file      *file;
    size_t         count = 0;

    CHECK_OK(ink_file_open(&file, path, INK_OPEN_COPY, NULL, &error));
    for (; count < ink_file_count(file); count++) {
        ink_sketch *copy;
        CHECK_OK(ink_file_entry(file, count, &info, &error));
        CHECK_OK(ink_file_sketch(file, count, &copy, &error));
        if (kinds[0].secret != NULL)
            CHECK_OK(ink_sketch_unlock(copy, kinds[0].secret, &error));
        entries[count] = (ink_entry){info.label, copy};
    }
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < kind_count; k++) {
            ink_label label = records_group(rows, &rows->rows[i]);
            records_add_row(sketch_of(entries, &count, &kinds[k], &label), rows, &rows->rows[i]);
        }
    CHECK_OK(
        ink_contents_save(to, &(ink_contents){.entries = entries, .entry_count = count}, &error));
    for (size_t i = 0; i < count; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    ink_file_close(file);
}

/* Adds records to a file in many ways, each time to the same one, and compares. */
static void check_adding(const ink_reading *reading, const records_data *before,
                         const records_data *more, const ink_params *kinds, size_t kind_count)
{
    const unsigned           threads[] = {1, 2, 7, 7, 2, 1};
    const uint64_t           chunks[] = {0, 100, 1, 3000, 20000, 1};
    const ink_update_options options = {.max_rate = 0, .secret = kinds[0].secret};
    owned_bytes              old, made = {0};

    build("x.ink", before, reading, kinds, kind_count);
    old = records_read("x.ink");
    by_hand("x.ink", "hand.ink", &more->rows, kinds, kind_count);
    records_write("more", more->text.bytes, more->text.count);
    for (size_t i = 0; i < 6; i++) {
        const ink_input inputs[] = {{.memory = more->text.bytes, .memory_bytes = more->text.count},
                                    {.path = "more"},
                                    {.path = "fifo"}};
        job = (ink_job){.threads = threads[i], .chunk_bytes = chunks[i]};
        records_write("x.ink", old.bytes, old.count);
        records_pipe *pipe =
            i % 3 == 2 ? records_pipe_begin("fifo", more->text.bytes, more->text.count) : NULL;
        CHECK_OK(ink_update("x.ink", &inputs[i % 3], 1, &(ink_reading){.keys = reading->keys},
                            &options, &report, &job, &error));
        records_pipe_end(pipe);
        assert_int_equal(report.changed, more->rows.count);
        assert_int_equal(job.records, more->rows.count);
        CHECK(same_files("x.ink", "hand.ink"));
        if (i == 0)
            made = records_read("x.ink");
        CHECK(records_unchanged("x.ink", &made)); /* the sections too */
    }
    UNLINK("x.ink", "hand.ink", "more");
}

TEST(every_kind_takes_keys_as_if_they_came_one_by_one)
{
    static const struct {
        ink_params         params;
        const ink_reading *reading;
    } ways[] = {
        {{.kind = "bloom", .expected_keys = 20000}, &lines},
        {{.kind = "bloom", .expected_keys = 20000, .secret = secret}, &lines},
        {{.kind = "classic", .expected_keys = 20000}, &lines},
        {{.kind = "classic", .expected_keys = 20000, .hash = "mmh3"}, &lines},
        {{.kind = "counting", .expected_keys = 20000}, &lines},
        {{.kind = "counting", .expected_keys = 20000}, &weighted},
        {{.kind = "scalable", .expected_keys = 100}, &lines},
        {{.kind = "count-min", .width = 500, .depth = 3}, &weighted},
        {{.kind = "count-min", .width = 500, .depth = 3, .conservative = true}, &weighted},
        {{.kind = "top", .phi = 1.0 / 49}, &lines},
        {{.kind = "top", .phi = 0.02, .secret = secret}, &weighted},
        {{.kind = "fm"}, &lines},
        {{.kind = "hll", .precision = 8}, &lines},
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        owned_records before = data_of(ways[i].reading, 0, 2000, 1);
        owned_records more = data_of(ways[i].reading, 1000, 3000, 1);
        check_adding(ways[i].reading, &before, &more, &ways[i].params, 1);
    }
}

TEST(integer_keys_are_added_as_integers)
{
    static const ink_params kinds[] = {
        {.kind = "bloom", .expected_keys = 20000, .key_type = INK_KEY_INT},
        {.kind = "top", .phi = 0.1, .key_type = INK_KEY_INT}};
    const ink_reading ints = {.form = INK_FORM_LINES, .keys = INK_KEYS_INT};
    owned_records     before = data_of(&ints, 0, 500, 1), more = data_of(&ints, 100, 900, 1);

    check_adding(&ints, &before, &more, kinds, 2);
}

TEST(each_record_goes_to_its_own_group_and_new_groups_are_made)
{
    static const ink_params  kinds[] = {{.kind = "scalable", .expected_keys = 50},
                                        {.kind = "count-min", .width = 60, .depth = 2},
                                        {.kind = "top", .phi = 1.0 / 49},
                                        {.kind = "fm"},
                                        {.kind = "hll", .precision = 6}};
    const ink_reading *const readings[] = {&grouped, &json};

    for (size_t i = 0; i < 2; i++)
        for (unsigned groups = 1; groups <= 6; groups += 5) { /* some are new, or none */
            owned_records before = data_of(readings[i], 0, 400, groups);
            owned_records more = data_of(readings[i], 200, 1000, 6);
            check_adding(readings[i], &before, &more, kinds, 5);
            assert_int_equal(report.made, groups == 1 ? 25 : 0);
            assert_int_equal(report.sketches, 30);
        }
}

TEST(new_groups_of_a_keyed_file_are_keyed)
{
    static const ink_params kind = {.kind = "hll", .precision = 6, .secret = secret};
    owned_records before = data_of(&grouped, 0, 100, 2), more = data_of(&grouped, 0, 300, 4);

    check_adding(&grouped, &before, &more, &kind, 1);
}

/* ---- Build and add ------------------------------------------------------------------------ */

static void join(records_data *to, const records_data *a, const records_data *b)
{
    records_put(&to->text, a->text.bytes, a->text.count);
    records_put(&to->text, b->text.bytes, b->text.count);
}

TEST(building_and_adding_is_building_of_both)
{
    static const ink_params  kinds[] = {{.kind = "bloom", .expected_keys = 5000},
                                        {.kind = "classic", .expected_keys = 5000},
                                        {.kind = "counting", .expected_keys = 5000},
                                        {.kind = "scalable", .expected_keys = 40},
                                        {.kind = "count-min", .width = 300, .depth = 3},
                                        {.kind = "fm"},
                                        {.kind = "hll", .precision = 7}};
    const ink_reading *const readings[] = {&lines, &grouped};

    job = (ink_job){.threads = 2, .chunk_bytes = 1000};
    for (size_t i = 0; i < 2; i++) {
        owned_records a = data_of(readings[i], 0, 1000, 4), b = data_of(readings[i], 500, 1000, 4),
                      all = {0};
        join(&all, &a, &b);
        build("both.ink", &all, readings[i], kinds, 7);
        build("x.ink", &a, readings[i], kinds, 7);
        CHECK_OK(update(&b, &adds));
        CHECK(same_files("x.ink", "both.ink"));
    }
}

TEST(nothing_to_add_leaves_the_file_alone)
{
    static const ink_params kind = {.kind = "bloom", .expected_keys = 10};
    owned_records           of = data_of(&lines, 0, 10, 1), none = {0};

    build("x.ink", &of, &lines, &kind, 1);
    owned_bytes old = records_read("x.ink");
    records_put(&none.text, "", 0);
    CHECK_OK(update(&none, &adds));
    CHECK_OK(update(&none, &(ink_update_options){.max_rate = 0.5}));
    assert_int_equal(report.changed, 0);
    assert_int_equal(report.sketches, 0);
    CHECK_OK(ink_update("x.ink", NULL, 0, &lines, &adds, &report, &job, &error));
    CHECK(records_unchanged("x.ink", &old));
}

TEST(inputs_are_read_one_after_another_as_the_caller_says)
{
    static const ink_params  kinds[] = {{.kind = "scalable", .expected_keys = 2}};
    static const char *const second[] = {"b"};
    static const ink_reading csv = {
        .form = INK_FORM_CSV, .header = true, .key = second, .key_count = 1, .skip_bad = true};
    const ink_input inputs[] = {{.path = "1.csv"}, {.path = "2.csv"}};
    owned_records   start = {0}, rows = {0};

    put(&start, &lines, "start", NULL, 1);
    build("x.ink", &start, &lines, kinds, 1);
    write_text("1.csv", "a,b\n1,one\n2,\"two, too\"\n");
    write_text("2.csv", "a,b\n3,three\nbad\n");
    put(&rows, &lines, "one", NULL, 1);
    put(&rows, &lines, "two, too", NULL, 1);
    put(&rows, &lines, "three", NULL, 1);
    by_hand("x.ink", "hand.ink", &rows.rows, kinds, 1);
    job = (ink_job){.threads = 1};
    CHECK_OK(ink_update("x.ink", inputs, 2, &csv, &adds, &report, &job, &error));
    assert_int_equal(report.changed, 3);
    assert_int_equal(job.bad, 1);
    CHECK(same_files("x.ink", "hand.ink"));
}

/* ---- Once --------------------------------------------------------------------------------- */

TEST(once_adds_only_keys_that_are_new)
{
    static const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 5000},
                                       {.kind = "counting", .expected_keys = 5000}};
    owned_records           old = {0}, all = {0}, more = {0};

    for (int i = 0; i < 300; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        put(i < 100 ? &old : &more, &lines, key, NULL, 1);
        put(&all, &lines, key, NULL, 1);
        if (i >= 100 && i < 150) /* again at once, and one that is in already */
            put(&more, &lines, key, NULL, 1);
    }
    put(&more, &lines, "k5", NULL, 1);
    build("all.ink", &all, &lines, kinds, 2);
    build("x.ink", &old, &lines, kinds, 2);
    job = (ink_job){.threads = 3, .chunk_bytes = 64};
    CHECK_OK(update(&more, &once));
    assert_int_equal(report.changed, 200);
    assert_int_equal(report.sketches, 2);
    CHECK(same_files("x.ink", "all.ink"));
    owned_bytes bytes = records_read("x.ink");
    CHECK_OK(update(&more, &once));
    assert_int_equal(report.changed, 0);
    assert_int_equal(report.sketches, 0);
    CHECK(records_unchanged("x.ink", &bytes));
}

/* Two filters of one file differ in what they have seen. */
TEST(a_key_is_new_if_one_of_the_filters_takes_it_for_new)
{
    const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 100},
                                {.kind = "counting", .expected_keys = 100}};
    ink_entry        entries[2];
    owned_records    more = {0};

    for (size_t k = 0; k < 2; k++) {
        ink_sketch *made;
        CHECK_OK(ink_sketch_create(&made, &kinds[k], NULL, &error));
        CHECK_OK(ink_sketch_add(made, k == 0 ? "a" : "b", 1, &error));
        entries[k] = (ink_entry){.sketch = made};
    }
    CHECK_OK(
        ink_contents_save("x.ink", &(ink_contents){.entries = entries, .entry_count = 2}, &error));
    for (size_t k = 0; k < 2; k++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[k].sketch);
    put(&more, &lines, "a", NULL, 1);
    CHECK_OK(update(&more, &once));
    assert_int_equal(report.changed, 1);
    assert_int_equal(report.sketches, 1); /* the bloom has it */
    records_data_free(&more);
    put(&more, &lines, "b", NULL, 1);
    CHECK_OK(update(&more, &once));
    assert_int_equal(report.changed, 1);
    assert_int_equal(report.sketches, 1); /* the counting filter has it */
}

TEST(once_is_for_filters_and_without_weights)
{
    static const ink_params kinds[] = {{.kind = "counting", .expected_keys = 100},
                                       {.kind = "hll", .precision = 4}};
    owned_records           of = data_of(&weighted, 0, 10, 1);
    const ink_input         input = {.memory = of.text.bytes, .memory_bytes = of.text.count};

    build("x.ink", &of, &weighted, kinds, 2);
    CHECK_FAILS(update(&of, &once), INK_USAGE, "hll");
    build("x.ink", &of, &weighted, kinds, 1);
    CHECK_OK(update(&of, &once)); /* the weights of the input spec mean nothing here */
    CHECK_FAILS(ink_update("x.ink", &input, 1, &weighted, &once, &report, &job, &error), INK_USAGE,
                "weights");
}

/* ---- Promises ----------------------------------------------------------------------------- */

static const ink_params filters[] = {{.kind = "bloom", .expected_keys = 200},
                                     {.kind = "classic", .expected_keys = 200},
                                     {.kind = "classic", .expected_keys = 200, .hash = "mmh3"},
                                     {.kind = "counting", .expected_keys = 200}};

TEST(a_filter_that_would_break_its_promise_is_left_alone)
{
    owned_records few = data_of(&lines, 0, 100, 1), many = data_of(&lines, 1000, 3000, 1);

    for (size_t i = 0; i < 4; i++) {
        build("x.ink", &few, &lines, &filters[i], 1);
        owned_bytes old = records_read("x.ink");
        CHECK_FAILS(update(&many, &adds), INK_PROMISE, "max_rate");
        assert_string_equal(job.failed_path, "x.ink");
        CHECK(report.changed == 0 && report.sketches == 0 && report.made == 0);
        CHECK_FAILS(update(&many, &(ink_update_options){.max_rate = 0.05}), INK_PROMISE,
                    "0.05 that is allowed");
        CHECK(records_unchanged("x.ink", &old));
    }
}

/* Adding what another file was built from gives the file that merging with that one gives. */
static void check_as_merged(const ink_params *kind, const records_data *a, const records_data *b,
                            double max_rate)
{
    const ink_merge_options merge = {.max_rate = max_rate};
    const char *const       paths[] = {"x.ink", "b.ink"};
    ink_job                 merging = {0};
    ink_set                *set;

    build("x.ink", a, &lines, kind, 1);
    build("b.ink", b, &lines, kind, 1);
    CHECK_OK(ink_merge_files(&set, paths, 2, &merge, &merging, &error));
    CHECK_OK(ink_set_save(set, "merged.ink", &error));
    ink_set_free(set);
    CHECK_OK(update(b, &(ink_update_options){.max_rate = max_rate}));
    CHECK(same_files("x.ink", "merged.ink"));
}

TEST(what_is_allowed_becomes_the_promise_as_in_a_merge)
{
    const double  rates[] = {0, 0.009, 0.02, 0.4};
    owned_records a = data_of(&lines, 0, 60, 1), b = data_of(&lines, 30, 60, 1);

    for (size_t i = 0; i < 4; i++)
        for (size_t r = 0; r < 4; r++) {
            check_as_merged(&filters[i], &a, &b, rates[r]);
            ink_description planned = describe("b.ink", filters[i].kind, NULL);
            ink_description found = describe("x.ink", filters[i].kind, NULL);
            CHECK(planned.promised_rate > rates[1] && planned.promised_rate < rates[2]);
            CHECK(found.promised_rate == (r < 2 ? planned.promised_rate : rates[r]));
        }
}

TEST(more_keys_than_planned_are_taken_where_that_is_allowed)
{
    const ink_update_options allowed = {.max_rate = 0.9};
    owned_records   few = data_of(&lines, 0, 100, 1), many = data_of(&lines, 1000, 1000, 1);
    ink_description found;

    for (size_t i = 0; i < 4; i++) {
        build("x.ink", &few, &lines, &filters[i], 1);
        by_hand("x.ink", "hand.ink", &many.rows, &filters[i], 1);
        CHECK_OK(update(&many, &allowed));
        found = describe("x.ink", filters[i].kind, NULL);
        CHECK(found.promised_rate == 0.9 && found.expected_keys == 200);
        CHECK(found.target_rate == 0.01 && found.records == 1100);
        CHECK_FAILS(update(&many, &(ink_update_options){.max_rate = 0.02}), INK_PROMISE, "allowed");
        CHECK_OK(update(&few, &adds)); /* what it promises now */
    }
}

TEST(a_filter_sized_by_hand_that_promises_nothing_takes_any_number)
{
    static const ink_params kind = {.kind = "bloom", .bits = 1024};
    owned_records           of = data_of(&lines, 0, 5000, 1);

    build("x.ink", &of, &lines, &kind, 1);
    CHECK_OK(update(&of, &adds));
    ink_description found = describe("x.ink", "bloom", NULL);
    CHECK(found.promised_rate == 0 && found.records == 10000);
    /* What is allowed once is no promise of a filter that has none. */
    CHECK_OK(update(&of, &(ink_update_options){.max_rate = 1}));
    found = describe("x.ink", "bloom", NULL);
    CHECK(found.promised_rate == 0 && found.records == 15000);
}

TEST(a_scalable_keeps_its_rate_by_itself_and_takes_a_larger_promise)
{
    static const ink_params kind = {.kind = "scalable", .expected_keys = 20};
    owned_records           few = data_of(&lines, 0, 100, 1), many = data_of(&lines, 0, 20000, 1);

    build("x.ink", &few, &lines, &kind, 1);
    CHECK_OK(update(&many, &adds));
    ink_description found = describe("x.ink", "scalable", NULL);
    CHECK(found.promised_rate == 0.01 && found.levels > 5);
    CHECK_OK(update(&few, &(ink_update_options){.max_rate = 0.03}));
    found = describe("x.ink", "scalable", NULL);
    CHECK(found.promised_rate == 0.03 && found.target_rate == 0.01 && found.expected_keys == 20);
}

TEST(the_groups_that_break_their_promise_are_named_and_others_keep_theirs)
{
    static const ink_params  kinds[] = {{.kind = "bloom", .expected_keys = 100}, {.kind = "fm"}};
    const ink_update_options allowed = {.max_rate = 0.99};
    owned_records            start = {0}, many = {0};

    put(&start, &grouped, "a", "calm", 1);
    put(&start, &grouped, "a", "full", 1);
    put(&start, &grouped, "a", "overfull", 1);
    for (int i = 0; i < 400; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        put(&many, &grouped, key, i % 2 ? "overfull" : "full", 1);
    }
    job = (ink_job){.threads = 3, .chunk_bytes = 100};
    build("x.ink", &start, &grouped, kinds, 2);
    CHECK_FAILS(update(&many, &adds), INK_PROMISE,
                "2 of 2 filters would be above the promised rate 0.01: overfull (0.0985583), full "
                "(0.0642028); expected expected_keys 201, or max_rate");
    CHECK_OK(update(&many, &allowed));
    ink_description found = describe("x.ink", "bloom", "full");
    CHECK(found.promised_rate == 0.99);
    found = describe("x.ink", "bloom", "calm");
    CHECK(found.promised_rate == 0.01);
}

/* ---- Groups that the file does not have --------------------------------------------------- */

TEST(a_new_group_of_a_kind_that_is_sized_by_keys_is_refused_with_its_line)
{
    static const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 100},
                                       {.kind = "hll", .precision = 4}};
    static const struct {
        const char *group, *shown;
    } known[] = {{NULL, "group (null): it has no bloom"},
                 {"", "group \"\": it has no bloom"},
                 {"odd", "group odd: it has no bloom"}};
    owned_records start = {0};

    put(&start, &json, "a", "old", 1);
    build("x.ink", &start, &json, kinds, 2);
    owned_bytes old = records_read("x.ink");
    for (size_t at = 0; at < sizeof known / sizeof known[0]; at++) {
        owned_records more = {0};
        for (int i = 0; i < 50; i++)
            put(&more, &json, "b", i < 41 ? "old" : i == 41 ? known[at].group : "new", 1);
        for (unsigned threads = 1; threads < 8; threads += 3) {
            job = (ink_job){.threads = threads, .chunk_bytes = 30};
            CHECK_FAILS(update(&more, &adds), INK_UNSUPPORTED, known[at].shown);
            assert_int_equal(error.location, INK_AT_LINE);
            assert_int_equal(error.at, 42);
            CHECK(records_unchanged("x.ink", &old));
        }
    }
}

/* A record in each of this many groups, or in none but the old one. */
static records_data spread(unsigned count, bool old)
{
    records_data of = {0};

    for (unsigned i = 0; i < count; i++) {
        char key[16], group[16];
        snprintf(key, sizeof key, "%u", i);
        snprintf(group, sizeof group, "new %u", i);
        put(&of, &grouped, key, old ? "old" : group, 1);
    }
    return of;
}

static void build_old_group(const ink_params *kind)
{
    owned_records start = {0};

    put(&start, &grouped, "a", "old", 1);
    build("x.ink", &start, &grouped, kind, 1);
}

/* The most memory that adding takes. */
static uint64_t most_bytes(const ink_params *kind, const records_data *more)
{
    faults_memory       memory = {0};
    const ink_allocator allocator = faults_allocator(&memory);

    build_old_group(kind);
    job = (ink_job){.threads = 1, .allocator = &allocator};
    CHECK_OK(update(more, &adds));
    faults_check_no_leak(&memory);
    return memory.most_bytes;
}

TEST(new_groups_are_refused_by_about_what_they_take)
{
    static const ink_params kinds[] = {{.kind = "count-min", .width = 100, .depth = 5},
                                       {.kind = "top", .phi = 0.01},
                                       {.kind = "scalable", .expected_keys = 1000},
                                       {.kind = "fm"},
                                       {.kind = "hll"}};
    enum { NEW = 1500 };
    owned_records few = spread(NEW, false), more = spread(2 * NEW, false);

    for (size_t i = 0; i < 5; i++) {
        uint64_t take = most_bytes(&kinds[i], &more) - most_bytes(&kinds[i], &few);
        build_old_group(&kinds[i]);
        owned_bytes old = records_read("x.ink");
        job = (ink_job){.threads = 1, .memory_bytes = take / 4 * 3};
        CHECK_FAILS(update(&few, &adds), INK_LIMIT, "(memory_bytes)");
        assert_string_equal(job.failed_path, "x.ink");
        CHECK(report.changed == 0 && report.made == 0);
        CHECK(records_unchanged("x.ink", &old));
        job.memory_bytes = take + take / 2;
        CHECK_OK(update(&few, &adds));
        CHECK(report.made == NEW && report.changed == NEW);
        job.memory_bytes = 1;
        CHECK_OK(update(&few, &adds)); /* none is new, and they have the keys already */
    }
}

TEST(what_grows_takes_memory_in_groups_and_without)
{
    static const ink_params kind = {.kind = "scalable", .expected_keys = 10};
    owned_records more = spread(20000, true), start = {0}, many = data_of(&lines, 0, 20000, 1);

    build_old_group(&kind);
    job = (ink_job){.threads = 1, .memory_bytes = 2000};
    CHECK_FAILS(update(&more, &adds), INK_LIMIT, "grown");
    put(&start, &lines, "a", NULL, 1);
    build("x.ink", &start, &lines, &kind, 1);
    CHECK_FAILS(update(&many, &adds), INK_LIMIT, "grow by");
    job = (ink_job){.threads = 1, .memory_bytes = 1 << 20};
    CHECK_OK(update(&many, &adds));
}

TEST(copies_of_all_threads_together_fit_in_the_memory)
{
    static const ink_params kind = {.kind = "count-min", .width = 1 << 19, .depth = 2};
    owned_records           start = {0}, many = data_of(&lines, 0, 200000, 1);
    faults_memory           memory = {.unfilled = true};
    const ink_allocator     allocator = faults_allocator(&memory);
    enum { THREADS = 32, COUNTERS = 4 << 20 };

    put(&start, &lines, "a", NULL, 1);
    build("x.ink", &start, &lines, &kind, 1);
    job = (ink_job){.threads = THREADS,
                    .chunk_bytes = 1 << 10,
                    .memory_bytes = 3 * COUNTERS,
                    .allocator = &allocator};
    CHECK_OK(update(&many, &adds));
    faults_check_no_leak(&memory);
    CHECK(memory.most_bytes < 7 * COUNTERS); /* of which rows of all threads are five */
}

TEST(what_is_allowed_becomes_the_promise_of_new_groups_too)
{
    static const ink_params kind = {.kind = "scalable", .expected_keys = 10};
    owned_records           more = spread(1, false), again = spread(1, true);

    job = (ink_job){.threads = 1};
    build_old_group(&kind);
    join(&more, &again, &(records_data){0});
    CHECK_OK(update(&more, &(ink_update_options){.max_rate = 0.03}));
    CHECK(report.sketches == 2 && report.made == 1);
    ink_description found = describe("x.ink", "scalable", "old");
    CHECK(found.promised_rate == 0.03 && found.target_rate == 0.01);
    found = describe("x.ink", "scalable", "new 0");
    CHECK(found.promised_rate == 0.03 && found.target_rate == 0.01);
    build_old_group(&kind);
    CHECK_OK(update(&more, &adds));
    found = describe("x.ink", "scalable", "new 0");
    CHECK(found.promised_rate == 0.01);
}

/* ---- Removing ----------------------------------------------------------------------------- */

static const ink_params counting = {.kind = "counting", .expected_keys = 20000};

TEST(keys_that_are_removed_might_as_well_never_have_been_added)
{
    const ink_reading *const readings[] = {&lines, &weighted, &grouped, &json};

    for (size_t i = 0; i < 4; i++) {
        owned_records stay = data_of(readings[i], 0, 500, 3),
                      gone = data_of(readings[i], 300, 500, 3);
        owned_records all = {0};
        join(&all, &gone, &stay);
        build("stay.ink", &stay, readings[i], &counting, 1);
        for (unsigned threads = 1; threads < 8; threads += 3) {
            job = (ink_job){.threads = threads, .chunk_bytes = 100};
            build("x.ink", &all, readings[i], &counting, 1);
            CHECK_OK(update(&gone, &removes));
            assert_int_equal(report.changed, 500);
            assert_int_equal(report.absent, 0);
            CHECK(same_files("x.ink", "stay.ink"));
        }
    }
}

static bool is_absent(size_t index, const char *path, uint64_t line, const char *key, bool fewer)
{
    const ink_absent_key *absent = &report.absent_keys[index];

    return strcmp(absent->path, path) == 0 && absent->line == line && absent->fewer == fewer &&
           absent->key_bytes == strlen(key) && memcmp(absent->key, key, strlen(key)) == 0;
}

TEST(keys_that_are_not_in_are_reported_and_nothing_is_removed)
{
    const ink_input inputs[] = {{.path = "1"}, {.path = "2"}};
    owned_records   of = {0};

    for (int i = 0; i < 100; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        put(&of, &lines, key, NULL, 1);
    }
    build("x.ink", &of, &lines, &counting, 1);
    owned_bytes old = records_read("x.ink");
    write_text("1", "k1\nk2\nno\nk3\n\nk1\nk4\n");
    write_text("2", "k5\nno\nnever\nk3\nnowhere\n");
    for (unsigned threads = 1; threads < 4; threads++)
        for (uint64_t chunk = 1; chunk < 40; chunk += 6) {
            job = (ink_job){.threads = threads, .chunk_bytes = chunk};
            CHECK_FAILS(ink_update("x.ink", inputs, 2, &lines, &removes, &report, &job, &error),
                        INK_NOT_FOUND, "key \"no\" is not in, expected");
            assert_string_equal(job.failed_path, "1");
            CHECK(error.location == INK_AT_LINE && error.at == 3);
            assert_int_equal(report.absent, 7);
            CHECK(is_absent(0, "1", 3, "no", false) && is_absent(1, "1", 5, "", false) &&
                  is_absent(2, "1", 6, "k1", true) && is_absent(3, "2", 2, "no", false) &&
                  is_absent(4, "2", 3, "never", false));
            CHECK(records_unchanged("x.ink", &old));
        }
}

TEST(a_key_is_not_removed_more_often_than_it_is_in)
{
    owned_records of = {0}, most = {0}, more = {0};

    put(&of, &weighted, "a", "", 3);
    put(&of, &weighted, "b", "", 1);
    put(&most, &weighted, "a", "", 2);
    put(&most, &weighted, "a", "", 1);
    put(&more, &weighted, "b", "", 1);
    put(&more, &weighted, "a", "", 4);
    build("x.ink", &of, &weighted, &counting, 1);
    owned_bytes old = records_read("x.ink");
    CHECK_FAILS(update(&more, &removes), INK_NOT_FOUND, "so often");
    CHECK(error.at == 2 && report.absent == 1 && report.absent_keys[0].fewer);
    CHECK(records_unchanged("x.ink", &old));
    CHECK_OK(update(&most, &removes));
    CHECK_FAILS(update(&most, &removes), INK_NOT_FOUND, "\"a\" is not in, ");
    assert_int_equal(report.absent, 2);
}

TEST(keys_of_other_groups_and_of_unknown_ones_are_not_in)
{
    static const uint64_t lines_absent[] = {1, 3, 4, 6, 7};
    owned_records         of = {0}, gone = {0};

    put(&of, &json, "a", "g", 1);
    put(&of, &json, "b", "h", 1);
    put(&gone, &json, "a", "h", 1);
    put(&gone, &json, "a", "g", 1);
    put(&gone, &json, "a", "new", 1);
    put(&gone, &json, "a", NULL, 1);
    put(&gone, &json, "b", "h", 1);
    put(&gone, &json, "c", "h", 1); /* after one that is in */
    put(&gone, &json, "d", "other", 1);
    build("x.ink", &of, &json, &counting, 1);
    CHECK_FAILS(update(&gone, &removes), INK_NOT_FOUND, "\"a\" is not in");
    assert_int_equal(report.absent, sizeof lines_absent / sizeof lines_absent[0]);
    for (size_t i = 0; i < report.absent; i++)
        assert_int_equal(report.absent_keys[i].line, lines_absent[i]);
}

TEST(absent_keys_are_shown_as_they_stand)
{
    static const char *const both[] = {"1", "2"};
    const ink_reading        ints = {.keys = INK_KEYS_INT};
    const ink_reading        tuples = {.form = INK_FORM_TSV, .key = both, .key_count = 2};
    char                     name[100];
    owned_records            of = {0}, gone = {0};

    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    put(&of, &lines, "1", "2", 1);
    put(&gone, &lines, "-12", "", 1);
    build("x.ink", &of, &ints, &counting, 1);
    CHECK_FAILS(update(&gone, &removes), INK_NOT_FOUND, "\"-12\"");
    assert_int_equal(report.absent_keys[0].key_bytes, 3);
    assert_int_equal(report.key_columns, 0);
    records_data_free(&of);
    put(&of, &grouped, name, "2", 1);
    put(&of, &grouped, "a", "b", 1);
    build("x.ink", &of, &lines, &counting, 1); /* of whole lines */
    records_say(&gone.text, "%s\n", name);
    CHECK_FAILS(update(&gone, &removes), INK_NOT_FOUND, "-12");
    assert_int_equal(report.absent_keys[1].key_bytes, sizeof name - 1);
    CHECK(memcmp(report.absent_keys[1].key, name, INK_ABSENT_KEY_BYTES) == 0);
    records_data_free(&gone);
    build("x.ink", &of, &tuples, &counting, 1);
    put(&gone, &grouped, "b", "b", 1);
    CHECK_FAILS(update(&gone, &removes), INK_NOT_FOUND, "key");
    assert_int_equal(report.key_columns, 2);
    CHECK(memcmp(report.absent_keys[0].key, "\1\0\0\0b\1\0\0\0b", 10) == 0);
}

static bool is_zero(const void *memory, size_t bytes)
{
    const uint8_t *at = memory;
    uint8_t        any = 0;

    for (size_t i = 0; i < bytes; i++)
        any |= at[i];
    return any == 0;
}

/* Behind a key that is shown, and behind the last one, nothing is written. */
TEST(of_absent_keys_only_as_many_and_as_much_as_fit_are_shown)
{
    struct {
        ink_update_report report;
        uint8_t           after[256];
    } to;
    owned_records of = {0}, gone = {0};

    put(&of, &lines, "there", NULL, 1);
    build("x.ink", &of, &lines, &counting, 1);
    job = (ink_job){.threads = 1};
    for (unsigned count = 1; count < 2 * INK_ABSENT_KEYS; count++) {
        put(&gone, &lines, count % 2 == 0 ? "absent" : "", NULL, 1);
        const ink_input input = {.memory = gone.text.bytes, .memory_bytes = gone.text.count};
        memset(&to, 0, sizeof to);
        CHECK_FAILS(ink_update("x.ink", &input, 1, &lines, &removes, &to.report, &job, &error),
                    INK_NOT_FOUND, count == 1 ? "of 1 such" : "such records");
        assert_int_equal(to.report.absent, count);
        CHECK(is_zero(to.after, sizeof to.after));
        CHECK(is_zero(to.report.reserved, sizeof to.report.reserved));
        for (unsigned i = 0; i < INK_ABSENT_KEYS; i++) {
            const ink_absent_key *key = &to.report.absent_keys[i];
            const size_t          bytes = i >= count || i % 2 == 0 ? 0 : strlen("absent");
            assert_int_equal(key->line, i < count ? i + 1 : 0);
            assert_int_equal(key->key_bytes, bytes);
            CHECK(is_zero(key->key + bytes, sizeof key->key - bytes));
        }
    }
}

/* Counters that are full, keys that are in, and one that is not. */
TEST(an_update_that_fails_reports_of_no_change)
{
    owned_records of = {0}, gone = {0};

    for (int i = 0; i < 20; i++)
        put(&of, &lines, "often", NULL, 1);
    put(&gone, &lines, "often", NULL, 1);
    build("x.ink", &of, &lines, &counting, 1);
    job = (ink_job){.threads = 1};
    CHECK_OK(update(&gone, &removes));
    CHECK(report.stuck == 1 && report.changed == 1 && report.sketches == 1);
    put(&gone, &lines, "never", NULL, 1);
    CHECK_FAILS(update(&gone, &removes), INK_NOT_FOUND, "never");
    CHECK(report.stuck == 0 && report.changed == 0 && report.sketches == 0);
    CHECK(report.absent == 1 && report.absent_keys[0].key_bytes == 5);
    assert_null(job.failed_path); /* that of the input, which has none */
    assert_int_equal(
        ink_update("x.ink", &(ink_input){.path = "nowhere"}, 1, &lines, &adds, &report, &job, NULL),
        INK_IO); /* no error is asked for */
}

/* Of many keys that are removed at once every third has full counters. */
TEST(each_record_whose_key_stays_in_is_counted)
{
    enum { KEYS = 200 };
    owned_records of = {0}, gone = {0};
    char          key[16];

    for (int i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key %d", i);
        for (int times = i % 3 == 1 ? 20 : 1; times > 0; times--)
            put(&of, &json, key, i % 2 == 0 ? "even" : "odd", 1);
    }
    for (int i = 0; i < 2 * KEYS; i++) { /* group by group */
        snprintf(key, sizeof key, "key %d", i % KEYS);
        if (i % 2 == i / KEYS)
            put(&gone, &json, key, i % 2 == 0 ? "even" : "odd", 1);
    }
    build("x.ink", &of, &json, &counting, 1);
    job = (ink_job){.threads = 1};
    CHECK_OK(update(&gone, &removes));
    CHECK(report.stuck == KEYS / 3 + 1 && report.changed == KEYS && report.sketches == 2);
}

TEST(only_files_of_kinds_that_can_are_removed_from)
{
    static const ink_params kinds[] = {{.kind = "counting", .expected_keys = 100},
                                       {.kind = "hll", .precision = 4}};
    owned_records           of = data_of(&lines, 0, 10, 1);

    build("x.ink", &of, &lines, kinds, 2);
    CHECK_FAILS(update(&of, &removes), INK_UNSUPPORTED, "holds hll");
    assert_string_equal(job.failed_path, "x.ink");
    build("x.ink", &of, &lines, &filters[0], 1);
    CHECK_FAILS(update(&of, &removes), INK_UNSUPPORTED, "holds bloom");
}

/* ---- What is refused ---------------------------------------------------------------------- */

TEST(options_that_do_not_go_together_are_refused)
{
    owned_records of = data_of(&lines, 0, 10, 1);

    build("x.ink", &of, &lines, &counting, 1);
    CHECK_FAILS(update(&of, &(ink_update_options){.remove = true, .once = true}), INK_USAGE,
                "once");
    CHECK_FAILS(update(&of, &(ink_update_options){.remove = true, .max_rate = 0.1}), INK_USAGE,
                "max_rate");
    CHECK_FAILS(update(&of, &(ink_update_options){.max_rate = 1.1}), INK_USAGE, "1.1");
    CHECK_FAILS(update(&of, &(ink_update_options){.max_rate = -0.1}), INK_USAGE, "-0.1");
    CHECK_FAILS(ink_update("-", NULL, 0, &lines, &adds, &report, &job, &error), INK_USAGE,
                "standard input");
    build("x.ink", &of, &lines, &(ink_params){.kind = "fm"}, 1);
    CHECK_FAILS(update(&of, &(ink_update_options){.max_rate = 0.1}), INK_USAGE, "fm");
}

static ink_status update_by(const records_data *of, const ink_reading *reading)
{
    const ink_input input = {.memory = of->text.bytes, .memory_bytes = of->text.count};

    return ink_update("x.ink", &input, 1, reading, &adds, &report, &job, &error);
}

TEST(readings_that_do_not_fit_the_file_are_refused)
{
    const ink_reading no_group = {.form = INK_FORM_TSV, .key = first_column, .key_count = 1};
    const ink_params  hll = {.kind = "hll", .precision = 4};
    owned_records     of = data_of(&grouped, 0, 10, 2);

    build("x.ink", &of, &no_group, &hll, 1);
    CHECK_FAILS(update_by(&of, &grouped), INK_USAGE, "without groups");
    CHECK_FAILS(update_by(&of, &weighted), INK_USAGE, "weights for hll");
    CHECK_FAILS(update_by(&of, &(ink_reading){.keys = INK_KEYS_INT}), INK_MISMATCH, "bytes");
    CHECK(job.failed_path != NULL && strcmp(job.failed_path, "x.ink") == 0);
    CHECK_FAILS(update_by(&of, &(ink_reading){.form = INK_FORM_JSONL}), INK_FORMAT, "");
    assert_int_equal(error.at, 1);
    assert_null(job.failed_path); /* it is line 1 of the input, which has no path */

    owned_file file = records_by_hand(
        &of.rows, &(ink_build_options){.kinds = &hll, .kind_count = 1}); /* without an input spec */
    records_write("x.ink", file.bytes, file.count);
    CHECK_FAILS(update_by(&of, &no_group), INK_USAGE, "(by)");
    CHECK_OK(update_by(&of, &grouped));
}

TEST(a_header_that_does_not_fit_is_about_its_input_which_may_have_no_path)
{
    static const char *const key[] = {"id"};
    const ink_reading named = {.form = INK_FORM_CSV, .key = key, .key_count = 1, .header = true};
    owned_records     of = data_of(&lines, 0, 10, 1);
    const char        text[] = "name\nant\n";
    const ink_input inputs[] = {{.memory = (const uint8_t *)text, .memory_bytes = sizeof text - 1},
                                {.path = "input.csv"}};

    build("x.ink", &of, &lines, &(ink_params){.kind = "hll"}, 1);
    write_text("input.csv", text);
    for (size_t i = 0; i < 2; i++) {
        job = (ink_job){.threads = 1};
        CHECK_FAILS(ink_update("x.ink", &inputs[i], 1, &named, &adds, &report, &job, &error),
                    INK_USAGE, "id");
        CHECK(i == 0 ? job.failed_path == NULL : strcmp(job.failed_path, "input.csv") == 0);
    }
    UNLINK("input.csv");
}

TEST(the_columns_of_a_key_are_reported_as_they_were_read)
{
    static const char *const two[] = {"1", "2"};
    const ink_reading        given = {.form = INK_FORM_TSV, .key = two, .key_count = 2};
    owned_records            of = data_of(&grouped, 0, 10, 1);

    build("x.ink", &of, &weighted, &(ink_params){.kind = "count-min", .width = 100, .depth = 2}, 1);
    CHECK_OK(update_by(&of, &given));
    assert_int_equal(report.key_columns, 2);
    CHECK_OK(update_by(&of, &(ink_reading){0}));
    assert_int_equal(report.key_columns, 1);
}

TEST(a_keyed_file_needs_its_secret_and_no_other)
{
    const ink_params kind = {.kind = "bloom", .expected_keys = 100, .secret = secret};
    uint8_t          other[INK_SECRET_BYTES] = {1};
    owned_records    of = data_of(&lines, 0, 10, 1);

    build("x.ink", &of, &lines, &kind, 1);
    CHECK_FAILS(update(&of, &adds), INK_MISMATCH, "(secret)");
    CHECK_FAILS(update(&of, &(ink_update_options){.secret = other}), INK_MISMATCH,
                "another secret");
    CHECK_OK(update(&of, &(ink_update_options){.secret = secret}));
    /* What is allowed becomes the promise of a keyed filter too. */
    CHECK_OK(update(&of, &(ink_update_options){.secret = secret, .max_rate = 0.5}));
    build("x.ink", &of, &lines, &counting, 1);
    CHECK_FAILS(update(&of, &(ink_update_options){.secret = secret}), INK_MISMATCH, "without one");
}

TEST(bad_records_are_reported_with_their_location_and_nothing_is_added)
{
    const ink_input inputs[] = {{.path = "good"}, {.path = "bad"}};
    owned_records   of = data_of(&grouped, 0, 100, 1);

    build("x.ink", &of, &grouped, &(ink_params){.kind = "fm"}, 1);
    owned_bytes old = records_read("x.ink");
    records_write("good", of.text.bytes, of.text.count);
    write_text("bad", "a\tg0\nb\n");
    CHECK_FAILS(ink_update("x.ink", inputs, 2, &(ink_reading){0}, &adds, &report, &job, &error),
                INK_FORMAT, "");
    assert_string_equal(job.failed_path, "bad");
    CHECK(error.location == INK_AT_LINE && error.at == 2);
    CHECK_FAILS(
        ink_update("x.ink", &(ink_input){.path = "x.ink"}, 1, &lines, &adds, &report, &job, &error),
        INK_USAGE, "a column");
    CHECK(records_unchanged("x.ink", &old));
}

static bool stop(void *host, const ink_progress *progress)
{
    (void)host;
    (void)progress;
    return false;
}

TEST(a_job_that_is_stopped_changes_nothing)
{
    owned_records of = data_of(&lines, 0, 1000, 1);

    build("x.ink", &of, &lines, &counting, 1);
    owned_bytes old = records_read("x.ink");
    job = (ink_job){.threads = 2, .chunk_bytes = 100, .progress = stop};
    records_slow_clock_begin();
    CHECK_FAILS(update(&of, &adds), INK_STOPPED, "");
    records_slow_clock_end();
    CHECK(job.failed_path == NULL && report.changed == 0);
    job = (ink_job){0};
    CHECK(records_unchanged("x.ink", &old));
}

RUN_TESTS_REMOVING("x.ink", "both.ink", "hand.ink", "1.csv", "2.csv", "all.ink", "b.ink",
                   "merged.ink", "stay.ink", "1", "2", "good", "bad")
