/* filter_test.c - a filter passes the records that a naive loop over ink_sketch_contains passes, as
 * they stand and in their order, for any number of threads and any size of chunks. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/files.h"
#include "support/records.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static ink_error         error;
static ink_filter_report report;
static uint64_t          chance = 21;

static const ink_reading        plain = {0};
static const ink_filter_options none = {0};

static const uint8_t secret[INK_SECRET_BYTES] = "the filter test";

/* ---- The naive filter --------------------------------------------------------------------- */

/* A record as it stands, with its end. */
typedef struct record {
    size_t at, bytes, end_bytes;
} record;

typedef struct data {
    records_bytes text;
    records_rows  rows;
    record        records[4000];
    bool          json;
} data;

/* Adds a record with its key, and its group if that is not NULL. */
static void put_record(data *to, const void *bytes, size_t count, const char *end, size_t end_bytes,
                       const char *key, const char *group)
{
    to->records[to->rows.count] = (record){to->text.count, count, end_bytes};
    records_put(&to->text, bytes, count);
    records_put(&to->text, end, end_bytes);
    records_add_text(&to->rows, key, group, 1);
}

static void free_data(data **of)
{
    records_bytes_free(&(*of)->text);
    records_rows_free(&(*of)->rows);
    free(*of);
}

#define owned_data OWNED(free_data) data

static data *new_data(void)
{
    data *made = calloc(1, sizeof *made);

    assert_non_null(made);
    return made;
}

/* What the naive filter passes, and counts. */
typedef struct passed {
    records_bytes text;
    uint64_t      admitted;
} passed;

/* Filters bytes; a NULL sink only counts. Sets the report. */
static ink_status filter(const ink_file *file, const records_bytes *text,
                         const ink_reading *reading, const ink_filter_options *options,
                         const ink_sink *sink, ink_job *job)
{
    const ink_input input = {.path = "name", .memory = text->bytes, .memory_bytes = text->count};

    return ink_filter(file, &input, 1, reading, options, sink, &report, job, &error);
}

static bool contains(const ink_file *file, size_t entry, const data *of, size_t i)
{
    const records_row *row = &of->rows.rows[i];
    owned_sketch      *sketch;
    bool               maybe;

    CHECK_OK(ink_file_sketch(file, entry, &sketch, &error));
    if (of->rows.ints)
        CHECK_OK(ink_sketch_contains_int(sketch, row->number, &maybe, &error));
    else
        CHECK_OK(ink_sketch_contains(sketch, of->rows.bytes.bytes + row->key, row->key_bytes,
                                     &maybe, &error));
    return maybe;
}

/* A group as an item of a field, or of an array of JSON. */
static void say_group(records_bytes *to, const ink_label *label, bool json)
{
    const char *text = label->group;

    if (label->group_kind == INK_GROUP_NULL || label->group_bytes == 0) {
        records_say(to, label->group_kind == INK_GROUP_NULL ? json ? "null" : "\\N"
                        : json                              ? "\"\""
                                                            : "\\E");
        return;
    }
    records_say(to, json ? "\"" : "");
    for (size_t i = 0; i < label->group_bytes; i++)
        if (text[i] == ',' && !json)
            records_say(to, "\\x2c");
        else
            records_put(to, &text[i], 1);
    records_say(to, json ? "\"" : "");
}

/* Puts the groups that record i may be in after `to`; whether there are any. */
static bool naive_groups(const ink_file *file, const data *of, size_t i, const char *kind,
                         records_bytes *to)
{
    bool any = false;

    for (size_t entry = 0; entry < ink_file_count(file); entry++) {
        ink_entry_info info;
        CHECK_OK(ink_file_entry(file, entry, &info, &error));
        if (strcmp(info.kind, kind) != 0 || !contains(file, entry, of, i))
            continue;
        records_say(to, any ? "," : "");
        say_group(to, &info.label, of->json);
        any = true;
    }
    return any;
}

static bool in_own_group(const ink_file *file, const data *of, size_t i, const char *kind)
{
    const ink_label label = records_group(&of->rows, &of->rows.rows[i]);
    size_t          entry;

    if (ink_file_find(file, kind, &label, &entry, &error) != INK_OK)
        return false;
    return contains(file, entry, of, i);
}

/* `end`: what ends a record in the output where it has no end. */
static passed naive(const ink_file *file, const data *of, const char *kind, bool by, bool invert,
                    const char *end, size_t end_bytes)
{
    passed all = {0};

    for (size_t i = 0; i < of->rows.count; i++) {
        owned_bytes    groups = {0};
        const record  *mine = &of->records[i];
        const uint8_t *bytes = of->text.bytes + mine->at;
        bool in = by ? in_own_group(file, of, i, kind) : naive_groups(file, of, i, kind, &groups);
        bool grouped = of->rows.grouped && !by && !invert;
        all.admitted += in;
        if (in == invert)
            continue;
        records_put(&all.text, bytes, mine->bytes - (grouped && of->json));
        if (grouped) {
            records_say(&all.text, of->json ? ",\"ink_group\":[" : "\t");
            records_put(&all.text, groups.bytes, groups.count);
            records_say(&all.text, of->json ? "]}" : "");
        }
        if (mine->end_bytes > 0)
            records_put(&all.text, bytes + mine->bytes, mine->end_bytes);
        else
            records_put(&all.text, end, end_bytes);
    }
    return all;
}

/* Filters from memory, a file or a FIFO, with several threads, and compares. */
static void check(const ink_file *file, const data *of, const ink_reading *reading,
                  const ink_filter_options *options, const passed *expected)
{
    const unsigned threads[] = {1, 2, 3, 8, 3, 2, 1, 8};
    const uint64_t chunks[] = {0, 0, 1, 1, 100, 3000, 1, 20000};

    records_write("records", of->text.bytes, of->text.count);
    for (size_t i = 0; i < 8; i++) {
        const ink_input inputs[] = {{.memory = of->text.bytes, .memory_bytes = of->text.count},
                                    {.path = "records"},
                                    {.path = "fifo"}};
        owned_bytes     got = {0};
        const ink_sink  sink = records_sink(&got);
        ink_job         job = {.threads = threads[i], .chunk_bytes = chunks[i]};
        records_pipe   *pipe =
            i % 3 == 2 ? records_pipe_begin("fifo", of->text.bytes, of->text.count) : NULL;
        CHECK_OK(
            ink_filter(file, &inputs[i % 3], 1, reading, options, &sink, &report, &job, &error));
        records_pipe_end(pipe);
        assert_int_equal(got.count, expected->text.count);
        CHECK(got.count == 0 || memcmp(got.bytes, expected->text.bytes, got.count) == 0);
        assert_int_equal(report.analysed, of->rows.count);
        assert_int_equal(report.admitted, expected->admitted);
        assert_int_equal(report.rejected, of->rows.count - expected->admitted);
        assert_int_equal(job.records, of->rows.count);
        CHECK_OK(filter(file, &of->text, reading, options, NULL, &job));
        assert_int_equal(report.admitted, expected->admitted); /* without a sink: it counts */
    }
    unlink("records");
}

static void check_naive(const ink_file *file, data *of, const ink_reading *reading,
                        const char *kind, bool by, const char *end, size_t end_bytes)
{
    for (unsigned invert = 0; invert < 2; invert++) {
        const ink_filter_options options = {.invert = invert, .by = by, .kind = kind};
        passed                   all = naive(file, of, kind, by, invert, end, end_bytes);
        CHECK(all.admitted > 0 && all.admitted < of->rows.count); /* both ways are tried */
        check(file, of, reading, &options, &all);
        records_bytes_free(&all.text);
    }
}

/* A file built from these rows; the first `most` of them. */
static records_file file_of(const data *of, size_t most, const ink_params *params)
{
    records_rows            some = of->rows;
    const ink_build_options options = {.kinds = params, .kind_count = 1};

    some.count = most;
    return records_by_hand(&some, &options);
}

/* ---- Records of every form ---------------------------------------------------------------- */

TEST(lines_pass_as_they_stand)
{
    static const ink_params kinds[] = {
        {.kind = "bloom", .false_positive_rate = 0.1},
        {.kind = "classic", .hash = "mmh3", .expected_keys = 300},
        {.kind = "counting"},
        {.kind = "scalable", .expected_keys = 20, .false_positive_rate = 0.2},
    };
    owned_data *of = new_data();

    for (int i = 0; i < 3000; i++) {
        char key[32];
        int  bytes = snprintf(key, sizeof key, "word %d", i % 1000);
        if (i % 50 == 0) /* an empty line is a key too */
            bytes = 0;
        key[bytes] = '\0';
        const char *end = i == 2999 ? "" : i % 3 == 0 ? "\r\n" : "\n";
        put_record(of, key, (size_t)bytes, end, strlen(end), key, NULL);
    }
    for (size_t k = 0; k < 4; k++) {
        owned_file file = file_of(of, 400, &kinds[k]);
        /* The last record, which lacks its end, gets one. */
        check_naive(file.file, of, &plain, kinds[k].kind, false, "\n", 1);
    }
}

/* Or, the other way round, few do not. */
TEST(few_lines_pass_as_they_stand)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 0.001};
    owned_data      *of = new_data();

    for (int i = 0; i < 3000; i++) {
        char        key[100];
        const char *end = i == 2999 ? "" : i % 3 == 0 ? "\r\n" : "\n";
        int         bytes = snprintf(key, sizeof key, "word %0*d", 1 + i % 60, i);
        put_record(of, key, (size_t)bytes, end, strlen(end), key, NULL);
    }
    owned_file file = file_of(of, 40, &bloom);
    check_naive(file.file, of, &plain, "bloom", false, "\n", 1);
}

TEST(records_with_nul_and_of_fixed_width_pass_as_they_stand)
{
    const ink_params bloom = {.kind = "bloom"};
    owned_data      *nul = new_data(), *fixed = new_data();

    fixed->rows.ints = true;
    for (int i = 0; i < 2000; i++) {
        char    key[32];
        uint8_t bytes[8] = {0};
        int     count = snprintf(key, sizeof key, "a\nb\r%d", i % 700);
        put_record(nul, key, (size_t)count, "\0", 1, key, NULL);
        bytes[0] = (uint8_t)(i % 700);
        bytes[1] = (uint8_t)(i % 700 >> 8);
        put_record(fixed, bytes, 8, "", 0, "", NULL);
        fixed->rows.rows[i].number = i % 700;
    }
    owned_file file = file_of(nul, 300, &bloom);
    check_naive(file.file, nul, &(ink_reading){.form = INK_FORM_NUL}, "bloom", false, "", 1);
    records_file_close(&file);
    file = file_of(fixed, 300, &bloom);
    check_naive(file.file, fixed, &(ink_reading){.form = INK_FORM_U64}, "bloom", false, "", 0);
}

TEST(csv_records_with_line_ends_pass_as_they_stand)
{
    static const char *const column[] = {"2"};
    const ink_params         bloom = {.kind = "bloom"};
    owned_data              *of = new_data();

    for (int i = 0; i < 1000; i++) {
        char key[32], text[64];
        snprintf(key, sizeof key, "k\n\"%d", i % 500);
        int bytes = snprintf(text, sizeof text, "\"%d\n\",\"k\n\"\"%d\"", i, i % 500);
        put_record(of, text, (size_t)bytes, i % 2 ? "\r\n" : "\n", 1 + (size_t)i % 2, key, NULL);
    }
    owned_file file = file_of(of, 200, &bloom);
    check_naive(
        file.file, of,
        &(ink_reading){.form = INK_FORM_CSV, .multiline = true, .key = column, .key_count = 1},
        "bloom", false, "", 0);
}

/* ---- Groups ------------------------------------------------------------------------------- */

/* key, tab, group; or the same as JSON, where a group may be null. */
static data *grouped_data(bool json)
{
    static const char *const groups[] = {"a", "b", "", "c,d", NULL};
    data                    *of = new_data();

    of->rows.grouped = true;
    of->json = json;
    for (int i = 0; i < 2000; i++) {
        char        key[32], text[64];
        const char *group = groups[records_below(&chance, json ? 5 : 4)];
        if (i >= 700 && i < 750)
            group = "nowhere"; /* a group that a file of the first ones does not have */
        snprintf(key, sizeof key, "k%d", (int)records_below(&chance, i < 600 ? 300 : 900));
        int bytes = !json ? snprintf(text, sizeof text, "%s\t%s", key, group)
                    : group == NULL
                        ? snprintf(text, sizeof text, "{\"k\":\"%s\",\"g\":null}", key)
                        : snprintf(text, sizeof text, "{\"k\":\"%s\",\"g\":\"%s\"}", key, group);
        put_record(of, text, (size_t)bytes, i % 2 ? "\r\n" : "\n", 1 + (size_t)i % 2, key, group);
    }
    return of;
}

/* Records are asked of all groups, or of their own alone. */
static void check_groups(bool by)
{
    static const char *const column[] = {"1"}, *const path[] = {"k"};
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 0.05};

    for (unsigned json = 0; json < 2; json++) {
        owned_data       *of = grouped_data(json);
        owned_file        file = file_of(of, 600, &bloom);
        const ink_reading reading = {.form = json ? INK_FORM_JSONL : INK_FORM_TSV,
                                     .key = json ? path : column,
                                     .key_count = 1,
                                     .by = !by    ? NULL
                                           : json ? "g"
                                                  : "2"};
        check_naive(file.file, of, &reading, "bloom", by, "\n", 1);
    }
}

TEST(of_a_file_with_groups_those_it_may_be_in_are_written_with_a_record)
{
    check_groups(false);
}

TEST(a_record_may_be_asked_of_its_own_group_alone)
{
    check_groups(true);
}

/* ---- Recipes ------------------------------------------------------------------------------ */

/* A set built from text, as a file with its input spec. */
static records_file built(const char *text, const ink_reading *reading, const ink_params *kinds,
                          size_t kind_count)
{
    owned_set *set = records_build(text, strlen(text), reading, kinds, kind_count);

    return records_encode(set);
}

/* Filters a text; what passes must be this. */
static ink_status filter_text(const ink_file *file, const char *text, const ink_reading *reading,
                              const ink_filter_options *options, const char *expected)
{
    const records_bytes bytes = {.bytes = (uint8_t *)(uintptr_t)text, .count = strlen(text)};
    owned_bytes         got = {0};
    const ink_sink      sink = records_sink(&got);
    ink_job             job = {.threads = 2};
    ink_status          status = filter(file, &bytes, reading, options, &sink, &job);

    records_put(&got, "", 1);
    assert_string_equal((char *)got.bytes, expected);
    return status;
}

static void check_text(const ink_file *file, const char *text, const ink_reading *reading,
                       const ink_filter_options *options, const char *expected)
{
    CHECK_OK(filter_text(file, text, reading, options, expected));
}

static void check_refused(const ink_file *file, const char *text, const ink_reading *reading,
                          const ink_filter_options *options, ink_status status, const char *words)
{
    CHECK_FAILS(filter_text(file, text, reading, options, ""), status, words);
}

static const ink_params sharp = {.kind = "bloom", .false_positive_rate = 1e-5};

TEST(the_input_spec_is_used_and_may_be_overridden)
{
    static const char *const name[] = {"k"}, *const other[] = {"x"};
    const ink_reading reading = {.form = INK_FORM_CSV, .header = true, .key = name, .key_count = 1};
    owned_file        file = built("k,x\nant,1\nbee,2\n", &reading, &sharp, 1);

    check_text(file.file, "k,x\nant,bee\ncow,ant\n", &plain, &none, "k,x\nant,bee\n");
    check_text(file.file, "x,k\ncow,ant\nbee,cow\n", &plain, &none, "x,k\ncow,ant\n");
    check_text(file.file, "k,x\nant,cow\ncow,ant\n", &(ink_reading){.key = other, .key_count = 1},
               &none, "k,x\ncow,ant\n");
    check_text(file.file, "k;x\nant;cow\ncow;ant\n", &(ink_reading){.delimiter = ';'}, &none,
               "k;x\nant;cow\n");
    /* A form that is given comes with its header; the columns stay. */
    check_text(file.file, "k\tx\nant\tcow\ncow\tant\n",
               &(ink_reading){.form = INK_FORM_TSV, .header = true}, &none, "k\tx\nant\tcow\n");
    /* Lines without a delimiter are keys. */
    check_text(file.file, "ant\ncow\nbee\n", &(ink_reading){.form = INK_FORM_LINES}, &none,
               "ant\nbee\n");
    /* Plain: the input spec does not count. */
    check_text(file.file, "ant\ncow\nbee\n", &plain, &(ink_filter_options){.plain = true},
               "ant\nbee\n");
}

TEST(the_input_spec_names_the_group_only_where_asked)
{
    static const char *const name[] = {"k"};
    const ink_reading        reading = {.form = INK_FORM_CSV,
                                        .header = true,
                                        .key = name,
                                        .key_count = 1,
                                        .by = "g",
                                        .round = INK_ROUND_HALF_EVEN};
    owned_file               file = built("k,g\nant,1.5\nbee,7\n", &reading, &sharp, 1);
    const char              *data_text = "k,g\nant,2.2\nant,7\nbee,6.9\ncow,2\n";

    check_text(file.file, data_text, &plain, &none,
               "k,g,ink_group\nant,2.2,2\nant,7,2\nbee,6.9,7\n");
    check_text(file.file, data_text, &plain, &(ink_filter_options){.by = true},
               "k,g\nant,2.2\nbee,6.9\n");
    check_text(file.file, data_text, &plain, &(ink_filter_options){.by = true, .invert = true},
               "k,g\nant,7\ncow,2\n");
    check_text(file.file, "g,k,h\n2,ant,7\n7,bee,7\n", &(ink_reading){.by = "h"},
               &(ink_filter_options){.by = true}, "g,k,h\n7,bee,7\n");
    records_file_close(&file);
    file = built("ant\n", &plain, &sharp, 1);
    check_refused(file.file, "ant\n", &plain, &(ink_filter_options){.by = true}, INK_USAGE,
                  "group");
}

/* ---- Kinds and keys ----------------------------------------------------------------------- */

TEST(two_filter_kinds_need_a_choice)
{
    static const ink_params kinds[] = {
        {.kind = "bloom"}, {.kind = "classic"}, {.kind = "hll", .precision = 6}};
    owned_file both = built("ant\n", &plain, kinds, 3);
    owned_file one = built("ant\n", &plain, kinds + 1, 2);
    owned_file neither = built("ant\n", &plain, kinds + 2, 1);

    check_refused(both.file, "ant\n", &plain, &none, INK_USAGE, "bloom and classic");
    check_text(both.file, "ant\ncow\n", &plain, &(ink_filter_options){.kind = "classic"}, "ant\n");
    check_text(one.file, "ant\ncow\n", &plain, &none, "ant\n");
    check_refused(one.file, "ant\n", &plain, &(ink_filter_options){.kind = "bloom"},
                  INK_UNSUPPORTED, "bloom");
    check_refused(one.file, "ant\n", &plain, &(ink_filter_options){.kind = "hll"}, INK_USAGE,
                  "hll");
    check_refused(neither.file, "ant\n", &plain, &none, INK_UNSUPPORTED, "filter");
}

TEST(keys_are_what_the_file_holds)
{
    owned_file ints = built("5\n-7\n", &(ink_reading){.keys = INK_KEYS_INT}, &sharp, 1);
    owned_file text = built("5\n-7\n", &plain, &sharp, 1);

    check_text(ints.file, "+5\n-07\n6\n", &plain, &none, "+5\n-07\n");
    check_text(ints.file, "\5\0\0", &(ink_reading){.form = INK_FORM_LINES, .skip_bad = true}, &none,
               "");
    check_text(text.file, "+5\n-7\n6\n", &plain, &none, "-7\n");
    check_refused(ints.file, "5\n", &(ink_reading){.keys = INK_KEYS_BYTES}, &none, INK_MISMATCH,
                  "integers");
    check_refused(text.file, "5\n", &(ink_reading){.keys = INK_KEYS_INT}, &none, INK_MISMATCH,
                  "bytes");
    check_refused(text.file, "12345678", &(ink_reading){.form = INK_FORM_U64}, &none, INK_MISMATCH,
                  "bytes");
    check_refused(ints.file, "6\nant\n", &plain, &none, INK_FORMAT, "ant");
    assert_int_equal(error.location, INK_AT_LINE);
    assert_int_equal(error.at, 2);
}

TEST(a_keyed_file_needs_its_secret)
{
    static const uint8_t wrong[INK_SECRET_BYTES] = "another one";
    const ink_params     keyed = {.kind = "bloom", .secret = secret};
    owned_file           file = built("ant\n", &plain, &keyed, 1);

    check_text(file.file, "ant\ncow\n", &plain, &(ink_filter_options){.secret = secret}, "ant\n");
    check_refused(file.file, "ant\n", &plain, &none, INK_MISMATCH, "secret");
    check_refused(file.file, "ant\n", &plain, &(ink_filter_options){.secret = wrong}, INK_MISMATCH,
                  "secret");
}

/* ---- Slots -------------------------------------------------------------------------------- */

TEST(the_slots_of_a_group_are_merged)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 100, .false_positive_rate = 1e-5};
    const char      *keys[] = {"ant", "bee", "cow"};
    ink_entry        entries[3];

    for (int i = 0; i < 3; i++) {
        ink_sketch *sketch;
        CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
        CHECK_OK(ink_sketch_add(sketch, keys[i], 3, &error));
        entries[i] = (ink_entry){ink_group(i < 2 ? "g" : "h"), sketch};
        entries[i].label.has_slot = true;
        entries[i].label.slot = 1000 * i;
    }
    owned_file file = records_entries(entries, 3);
    check_text(file.file, "cow\nbee\nant\ndog\n", &plain, &none, "cow\th\nbee\tg\nant\tg\n");
    check_text(file.file, "cow g\nbee g\nant g\nant h\n",
               &(ink_reading){
                   .blanks = true, .key = (const char *const[]){"1"}, .key_count = 1, .by = "2"},
               &(ink_filter_options){.by = true}, "bee g\nant g\n");
    check_text(file.file, "ant\n", &plain, &none, "ant\tg\n");
    assert_int_equal(report.groups, 2);
    assert_int_equal(report.set_records, 3);
    assert_int_equal(report.set_keys, 200); /* of g and h: the slots of a group are one set */
}

/* ---- Reports, the first record, sinks that fail ------------------------------------------- */

TEST(a_report_reports_of_the_set)
{
    static const char *const column[] = {"1"};
    owned_data              *of = grouped_data(false);
    const ink_params         classic = {.kind = "classic"}, bloom = {.kind = "bloom"};
    owned_file               file = file_of(of, 600, &classic);
    const ink_reading        reading = {.form = INK_FORM_TSV, .key = column, .key_count = 1};
    ink_job                  job = {.threads = 2};
    double                   sum = 0;

    CHECK_OK(filter(file.file, &of->text, &reading, &none, NULL, &job));
    for (size_t i = 0; i < ink_file_count(file.file); i++) {
        owned_sketch *sketch;
        double        rate;
        CHECK_OK(ink_file_sketch(file.file, i, &sketch, &error));
        CHECK_OK(ink_sketch_rate(sketch, &rate, &error));
        sum += rate;
    }
    assert_string_equal(report.kind, "classic");
    assert_int_equal(report.set_records, 600);
    assert_int_equal(report.groups, 4);
    CHECK(fabs(report.false_groups - sum) < 1e-12);
    CHECK(report.seconds >= 0);
    records_file_close(&file);
    file = file_of(of, 600, &bloom);
    CHECK_OK(filter(file.file, &of->text, &reading, &none, NULL, &job));
    assert_int_equal(report.functions, 8);
    /* Not all have the same number of them. */
    ink_entry entries[2];
    for (unsigned i = 0; i < 2; i++) {
        const ink_params params = {.kind = "classic", .bits = 1024, .hashes = 3 + i};
        ink_sketch      *sketch;
        CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
        entries[i] = (ink_entry){ink_group(i == 0 ? "g" : "h"), sketch};
    }
    records_file_close(&file);
    file = records_entries(entries, 2);
    CHECK_OK(filter(file.file, &of->text, &reading, &none, NULL, &job));
    assert_int_equal(report.functions, 0);
}

TEST(a_filter_may_stop_at_the_first_record_that_passes)
{
    owned_file  file = built("ant\nbee\n", &plain, &sharp, 1);
    owned_bytes text = {0};

    for (int i = 0; i < 5000; i++)
        records_say(&text, i >= 1234 && i % 3 == 0 ? "ant\n" : i == 2000 ? "bee\n" : "cow %d\n", i);
    for (unsigned threads = 1; threads <= 8; threads++)
        for (unsigned invert = 0; invert < 2; invert++) {
            const ink_filter_options options = {.first = true, .invert = invert};
            owned_bytes              got = {0};
            const ink_sink           sink = records_sink(&got);
            ink_job job = {.threads = threads, .chunk_bytes = 1 + records_below(&chance, 2000)};
            CHECK_OK(filter(file.file, &text, &plain, &options, &sink, &job));
            CHECK(records_are(&got, invert ? "cow 0\n" : "ant\n"));
            CHECK(invert ? report.rejected > 0 : report.admitted > 0);
            CHECK_OK(filter(file.file, &text, &plain, &options, NULL, &job));
            CHECK(invert ? report.rejected > 0 : report.admitted > 0);
            CHECK(report.analysed < 5000);
        }
    /* Of a chunk with many that pass as well, without its header; and a file without groups has
     * none. */
    owned_bytes       many = {0};
    const ink_reading table = {
        .form = INK_FORM_CSV, .header = true, .key = (const char *const[]){"k"}, .key_count = 1};
    records_say(&many, "k,n\n");
    for (int i = 0; i < 5000; i++)
        records_say(&many, "ant,%d\n", i);
    owned_bytes    got = {0};
    const ink_sink sink = records_sink(&got);
    ink_job        job = {.threads = 1};
    CHECK_OK(filter(file.file, &many, &table, &(ink_filter_options){.first = true}, &sink, &job));
    CHECK(records_are(&got, "ant,0\n"));
    assert_int_equal(report.groups, 0);
}

/* A filter that grew has the keys that it was given, not those it was planned for. */
TEST(the_keys_of_a_scalable_are_estimated)
{
    const ink_params kind = {.kind = "scalable", .expected_keys = 10};
    owned_bytes      text = {0};

    for (int i = 0; i < 2000; i++)
        records_say(&text, "key %d\n", i);
    records_put(&text, "", 1);
    owned_file file = built((const char *)text.bytes, &plain, &kind, 1);
    check_text(file.file, "key 7\nno key\n", &plain, &none, "key 7\n");
    assert_in_range(report.set_keys, 1900, 2100);
}

/* The header of the first input, with the name of the groups, and no other. */
TEST(one_header_stays_with_groups_too)
{
    const ink_reading reading = {.form = INK_FORM_CSV,
                                 .header = true,
                                 .key = (const char *const[]){"k"},
                                 .key_count = 1,
                                 .by = "g"};
    owned_file        file = built("k,g\nant,x\nbee,y\n", &reading, &sharp, 1);
    const ink_input   inputs[] = {{.memory = (const uint8_t *)"k,g\nant,1\n", .memory_bytes = 10},
                                  {.memory = (const uint8_t *)"k,g\nbee,2\n", .memory_bytes = 10}};
    owned_bytes       got = {0};
    const ink_sink    sink = records_sink(&got);
    ink_job           job = {.threads = 1};

    CHECK_OK(ink_filter(file.file, inputs, 2, &plain, &none, &sink, &report, &job, &error));
    CHECK(records_are(&got, "k,g,ink_group\nant,1,x\nbee,2,y\n"));
}

TEST(an_error_of_the_sink_comes_back)
{
    owned_file  file = built("ant\n", &plain, &sharp, 1);
    owned_bytes text = {0};

    for (int i = 0; i < 1000; i++)
        records_say(&text, "ant\n");
    for (unsigned threads = 1; threads <= 8; threads++)
        for (unsigned fail_at = 1; fail_at <= 21; fail_at += 10) {
            records_bad_sink mine = {.fail_at = fail_at, .os_error = fail_at > 1 ? EPIPE : ENOSPC};
            const ink_sink   sink = {records_fail_later, &mine};
            ink_job          job = {.threads = threads, .chunk_bytes = 100};
            CHECK_FAILS(filter(file.file, &text, &plain, &none, &sink, &job), INK_IO, "");
            assert_int_equal(error.os_error, mine.os_error);
            assert_int_equal(mine.calls, fail_at); /* nothing is written after a failure */
            assert_null(job.failed_path);          /* it is not about an input */
        }
}

TEST(what_passed_before_a_bad_record_was_written)
{
    owned_file  file = built("7\n", &(ink_reading){.keys = INK_KEYS_INT}, &sharp, 1);
    owned_bytes text = {0};

    for (int i = 0; i < 3000; i++)
        records_say(&text, i == 2000 ? "x\n" : "7\n");
    for (unsigned threads = 1; threads <= 3; threads++) {
        owned_bytes    got = {0};
        const ink_sink sink = records_sink(&got);
        ink_job        job = {.threads = threads, .chunk_bytes = 1};
        CHECK_FAILS(filter(file.file, &text, &plain, &none, &sink, &job), INK_FORMAT, "\"x\"");
        assert_int_equal(error.at, 2001);
        assert_string_equal(job.failed_path, "name");
        assert_int_equal(got.count, 4000);
    }
}

/* The first chunk is slow and fails at its end; others are ready long before. */
TEST(nothing_after_a_bad_record_is_written)
{
    owned_file  file = built("1234567\n", &(ink_reading){.keys = INK_KEYS_INT}, &sharp, 1);
    owned_bytes text = {0};

    for (int i = 1; i <= 60000; i++)
        records_put(&text, i == 50000 ? "wrong x\n" : "1234567\n", 8);
    for (unsigned i = 0; i < 10; i++) {
        owned_bytes    got = {0};
        const ink_sink sink = records_sink(&got);
        ink_job        job = {.threads = 1 + i % 4, .chunk_bytes = 8 * 50000};
        CHECK_FAILS(filter(file.file, &text, &plain, &none, &sink, &job), INK_FORMAT, "wrong x");
        assert_int_equal(error.at, 50000);
        assert_int_equal(got.count, 0); /* the chunk has failed as a whole */
    }
}

TEST(of_time_slots_the_newest_are_asked)
{
    static const char text[] = "key 5\nkey 105\nkey 205\n";
    const char *const expected[] = {text, "key 205\n", "key 105\nkey 205\n", text};
    const ink_params  params = {.kind = "bloom", .bits = 4096};
    ink_entry         entries[3];

    for (uint64_t i = 0; i < 3; i++)
        entries[i] = (ink_entry){{.has_slot = true, .slot = (int64_t)i},
                                 files_sketch(&params, 100 * i, 10, NULL)};
    owned_file file = records_entries(entries, 3);
    for (size_t last = 0; last < 4; last++)
        check_text(file.file, text, &(ink_reading){.form = INK_FORM_LINES},
                   &(ink_filter_options){.last = last}, expected[last]);
}

RUN_TESTS()
