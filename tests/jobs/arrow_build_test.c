/* arrow_build_test.c - jobs over streams of Arrow arrays: what is built of columns has the bytes of
 * sketches made one key at a time, however rows are cut into arrays and chunks; other jobs read the
 * same columns; and on any failure every array is released. */
#include "inkling_job.h"

#include "support/arrow.h"
#include "support/check.h"
#include "support/owned.h"
#include "support/records.h"
#include "support/sketches.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static ink_error error;
static uint64_t  chance = 7;

/* ---- A table, and the rows that the test knows it says ------------------------------------ */

enum { ROWS_MAX = 5000, ARRAYS_MAX = 8 };

typedef struct table {
    const char  *key_format, *group_format; /* of the columns; NULL: no groups */
    bool         weighted;
    size_t       null_every; /* one key in this many is null; 0: none */
    size_t       rows;
    records_rows known;
    uint64_t     nulls;
    /* What the columns hold: */
    int64_t numbers[ROWS_MAX], groups[ROWS_MAX], weights[ROWS_MAX];
    char    texts[ROWS_MAX][40], labels[ROWS_MAX][24];
    bool    null[ROWS_MAX];
} table;

static bool is_text(const char *format)
{
    return format != NULL && strchr("uUzZv", format[0]) != NULL;
}

static void fill(table *of)
{
    bool texts = is_text(of->key_format);

    of->known = (records_rows){
        .ints = !texts, .grouped = of->group_format != NULL, .weighted = of->weighted};
    of->nulls = 0;
    for (size_t i = 0; i < of->rows; i++) {
        of->numbers[i] = (int64_t)records_below(&chance, 900) - 300;
        snprintf(of->texts[i], sizeof of->texts[i], i % 3 ? "%lld" : "a longer key %lld",
                 (long long)(of->numbers[i] % 100));
        of->groups[i] = (int64_t)records_below(&chance, 4) - 1;
        snprintf(of->labels[i], sizeof of->labels[i], "%lld", (long long)of->groups[i]);
        of->weights[i] = (int64_t)records_below(&chance, 5);
        of->null[i] = of->null_every != 0 && i % of->null_every == 1;
        of->nulls += of->null[i];
        if (of->null[i])
            continue;
        const char *group = of->group_format == NULL || of->groups[i] < 0 ? NULL : of->labels[i];
        uint64_t    weight = of->weighted ? (uint64_t)of->weights[i] : 1;
        if (texts)
            records_add_text(&of->known, of->texts[i], group, weight);
        else
            records_add_int(&of->known, of->numbers[i], group, weight);
    }
}

/* The columns of some rows as a struct, each with an offset of its own. */
static arrow_data array_of(const table *of, size_t first, size_t end)
{
    arrow_data  columns[3];
    const char *texts[ROWS_MAX], *labels[ROWS_MAX];
    char        valid[ROWS_MAX + 1], valid_group[ROWS_MAX + 1];
    size_t      count = end - first, used = 0;

    for (size_t i = 0; i < count; i++) {
        texts[i] = of->null[first + i] ? NULL : of->texts[first + i];
        labels[i] = of->groups[first + i] < 0 ? NULL : of->labels[first + i];
        valid[i] = of->null[first + i] ? '0' : '1';
        valid_group[i] = of->groups[first + i] < 0 ? '0' : '1';
    }
    valid[count] = valid_group[count] = '\0';
    columns[used++] = is_text(of->key_format)
                          ? arrow_texts("key", of->key_format, texts, count, first % 11)
                          : arrow_ints("key", of->key_format, of->numbers + first,
                                       of->null_every == 0 ? NULL : valid, count, first % 7);
    if (of->group_format != NULL)
        columns[used++] =
            is_text(of->group_format)
                ? arrow_texts("by", of->group_format, labels, count, 3)
                : arrow_ints("by", of->group_format, of->groups + first, valid_group, count, 2);
    if (of->weighted)
        columns[used++] = arrow_ints("weight", "i", of->weights + first, NULL, count, 5);
    return arrow_struct(columns, used, NULL, count, 0);
}

/* The table cut into arrays, of which some are empty. */
static void end_stream(struct ArrowArrayStream *stream)
{
    if (stream->release != NULL)
        stream->release(stream);
}
#define owned_stream OWNED(end_stream) struct ArrowArrayStream

static struct ArrowArrayStream stream_of(const table *of, size_t arrays, size_t fail_at)
{
    arrow_data all[ARRAYS_MAX];
    size_t     first = 0;

    for (size_t i = 0; i < arrays; i++) {
        size_t end = i + 1 == arrays ? of->rows : i * of->rows / arrays;
        all[i] = array_of(of, first, end);
        first = end;
    }
    return arrow_stream(all, arrays, fail_at);
}

static ink_reading reading_of(const table *of)
{
    static const char *const key[] = {"key"};

    return (ink_reading){.key = key,
                         .key_count = 1,
                         .by = of->group_format == NULL ? NULL : "by",
                         .weight = of->weighted ? "weight" : NULL};
}

/* ---- Building ----------------------------------------------------------------------------- */

static records_digest build(const table *of, const ink_build_options *options, size_t arrays,
                            ink_job job)
{
    owned_stream      stream = stream_of(of, arrays, SIZE_MAX);
    const ink_input   input = {.path = "a table", .arrow = &stream};
    const ink_reading reading = reading_of(of);
    owned_set        *set = NULL;
    ink_section       input_spec;

    CHECK_OK(ink_build(&set, &input, 1, &reading, options, &job, &error));
    assert_int_equal(job.records, of->known.count);
    assert_int_equal(job.nulls, of->nulls);
    assert_int_equal(job.bad, 0);
    assert_int_equal(ink_set_input_spec(set, &input_spec, &error), INK_NOT_FOUND);
    owned_file file = records_encode(set);
    return records_digest_of(file.file);
}

static table scratch;

/* There is one at a time. */
static table *table_of(const char *key_format, const char *group_format, bool weighted,
                       size_t null_every, size_t rows)
{
    records_rows_free(&scratch.known);
    memset(&scratch, 0, sizeof scratch);
    scratch.key_format = key_format;
    scratch.group_format = group_format;
    scratch.weighted = weighted;
    scratch.null_every = null_every;
    scratch.rows = rows;
    fill(&scratch);
    return &scratch;
}

static void check_builds(const table *of, const ink_params *kinds, size_t kind_count)
{
    const ink_build_options options = {.kinds = kinds, .kind_count = kind_count};
    static const ink_job    jobs[] = {{.threads = 1},
                                      {.threads = 4, .chunk_bytes = 1},
                                      {.threads = 3, .chunk_bytes = 3000},
                                      {.threads = 2, .memory_bytes = 1 << 20}};

    owned_file           by_hand = records_by_hand(&of->known, &options);
    const records_digest expected = records_digest_of(by_hand.file);
    for (size_t arrays = 1; arrays <= ARRAYS_MAX; arrays += 3)
        for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
            const records_digest got = build(of, &options, arrays, jobs[i]);
            assert_int_equal(arrow_live(), 0);
            if (!records_same(&got, &expected))
                fail_msg("%s of %s by %s: another file from %zu arrays with job %zu", kinds[0].kind,
                         of->key_format, of->group_format == NULL ? "-" : of->group_format, arrays,
                         i);
        }
}

TEST(what_is_built_of_columns_is_what_is_built_of_their_keys)
{
    static const ink_params sized[] = {{.kind = "bloom"}, {.kind = "hll"}};
    static const ink_params ordered[] = {{.kind = "top", .top_keys = 1}, {.kind = "scalable"}};
    static const ink_params counted[] = {{.kind = "count-min", .width = 64, .depth = 3},
                                         {.kind = "top", .top_keys = 5}};
    static const ink_params hashed = {.kind = "classic", .expected_keys = 500, .hash = "mmh3"};
    static const struct {
        const char       *key_format, *group_format;
        bool              weighted;
        size_t            null_every, rows;
        const ink_params *kinds;
        size_t            kind_count;
    } builds[] = {
        {"u", NULL, false, 0, 3000, sized, 1}, /* filters are sized by their keys, ... */
        {"U", NULL, false, 5, 3000, sized, 1},
        {"vu", NULL, false, 3, 3000, sized, 1},
        {"l", NULL, false, 0, 3000, sized, 1},
        {"i", NULL, false, 4, 3000, sized, 1},
        {"u", "u", false, 0, 3000, sized, 2}, /* ... for each group, ... */
        {"s", "vu", false, 7, 3000, sized, 2},
        {"Z", "c", false, 2, 3000, sized, 2},
        {"l", "l", false, 0, 3000, sized, 2},
        {"u", NULL, false, 0, 0, sized, 1}, /* ... and empty without rows */
        {"l", "u", false, 0, 0, sized, 1},
        {"vz", NULL, false, 6, 4000, ordered, 2}, /* kinds that depend on order get it */
        {"l", "u", false, 0, 4000, ordered, 2},
        {"u", NULL, true, 9, 2000, counted, 2}, /* weights are counted */
        {"i", "i", true, 0, 2000, counted, 2},
        {"u", "u", false, 3, 1000, &hashed, 1}, /* hashes that need the keys get them */
        {"vu", NULL, false, 0, 1000, &hashed, 1},
    };

    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++)
        check_builds(table_of(builds[i].key_format, builds[i].group_format, builds[i].weighted,
                              builds[i].null_every, builds[i].rows),
                     builds[i].kinds, builds[i].kind_count);
}

/* ---- What cannot be read ------------------------------------------------------------------ */

/* Builds a bloom and expects a failure; every array must be released. */
static void refuse(struct ArrowArrayStream given, const ink_reading *reading, ink_status status,
                   const char *message)
{
    owned_stream            stream = given;
    const ink_params        kinds[] = {{.kind = "bloom"}};
    const ink_build_options options = {.kinds = kinds, .kind_count = 1};
    const ink_input         input = {.path = "a table", .arrow = &stream};
    ink_job                 job = {.threads = 2, .chunk_bytes = 640};
    ink_set                *set = NULL;

    CHECK_FAILS(ink_build(&set, &input, 1, reading, &options, &job, &error), status, message);
    assert_int_equal(job.failed_byte, 0); /* rows have no bytes */
    assert_null(set);
    if (status != INK_USAGE) /* that may be about no input */
        assert_string_equal(job.failed_path, "a table");
}

TEST(a_stream_that_fails_says_why)
{
    const table *of = table_of("u", NULL, false, 0, 2000);

    const ink_reading reading = reading_of(of);
    for (size_t fail_at = 0; fail_at < 4; fail_at++) {
        refuse(stream_of(of, 4, fail_at), &reading, INK_IO, "the disk is gone");
        assert_int_equal(error.os_error, 5);
    }
}

static int find_no_memory(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    return ENOMEM;
}

/* Which a producer may fill before it fails. */
static void release_nothing(struct ArrowArray *array)
{
    fail_msg("what was not given is released");
}

static int fail_with_an_array(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    array->release = release_nothing;
    return EIO;
}

static const char *say_nothing(struct ArrowArrayStream *stream)
{
    return "";
}

TEST(a_stream_that_fails_without_words_says_what_the_system_has)
{
    const table            *of = table_of("u", NULL, false, 0, 2000);
    const ink_reading       reading = reading_of(of);
    struct ArrowArrayStream stream = stream_of(of, 4, 0);

    stream.get_next = fail_with_an_array;
    stream.get_last_error = say_nothing;
    refuse(stream, &reading, INK_IO, "cannot read a stream of Arrow arrays: Input/output error");
    assert_int_equal(error.os_error, EIO);
}

TEST(a_stream_that_finds_no_memory_says_so_with_its_words_or_without)
{
    const table            *of = table_of("u", NULL, false, 0, 2000);
    const ink_reading       reading = reading_of(of);
    struct ArrowArrayStream stream = stream_of(of, 4, 0);

    stream.get_next = find_no_memory;
    refuse(stream, &reading, INK_MEMORY, "Arrow arrays: the disk is gone");
    stream = stream_of(of, 4, 0);
    stream.get_next = find_no_memory;
    stream.get_last_error = NULL;
    refuse(stream, &reading, INK_IO, "cannot read a stream of Arrow arrays: ");
    assert_int_equal(error.os_error, ENOMEM);
}

/* A stream that has no schema, and leaves junk where one was to be. */
static void release_junk(struct ArrowSchema *schema)
{
    fail_msg("a schema that is none was released");
}

static int give_junk(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    schema->release = release_junk;
    return 5;
}

static void forget_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

TEST(a_stream_without_a_schema_is_named)
{
    const struct ArrowArrayStream stream = {.get_schema = give_junk, .release = forget_stream};

    refuse(stream, &(ink_reading){0}, INK_IO, "its schema");
    refuse(stream, &(ink_reading){.keys = INK_KEYS_INT}, INK_IO, "its schema");
}

TEST(nulls_can_be_refused_by_their_row)
{
    const table *of = table_of("l", NULL, false, 1500, 3000);

    ink_reading reading = reading_of(of);
    reading.refuse_nulls = true;
    /* Rows 1 and 1501 are null, from 0; of four arrays the first is empty. */
    refuse(stream_of(of, 4, SIZE_MAX), &reading, INK_MISMATCH, "null");
    assert_int_equal(error.location, INK_AT_LINE);
    assert_int_equal(error.at, 2);
}

TEST(what_does_not_go_together_is_refused)
{
    const table *of = table_of("u", NULL, false, 0, 100);

    const ink_reading all = reading_of(of);
    ink_reading       wrong[] = {all, all, all, all};
    wrong[0].keys = INK_KEYS_INT;
    wrong[1].by = "country";
    wrong[2].skip_bad = true;
    wrong[3].round = INK_ROUND_HALF_UP;
    refuse(stream_of(of, 1, SIZE_MAX), &wrong[0], INK_MISMATCH, "key_type");
    refuse(stream_of(of, 1, SIZE_MAX), &wrong[1], INK_USAGE, "country");
    refuse(stream_of(of, 1, SIZE_MAX), &wrong[2], INK_USAGE, "bad records");
    refuse(stream_of(of, 1, SIZE_MAX), &wrong[3], INK_USAGE, "rounding");
}

TEST(arrow_and_files_do_not_mix)
{
    table                  *of = table_of("u", NULL, false, 0, 10);
    const ink_params        kinds[] = {{.kind = "bloom"}};
    const ink_build_options options = {.kinds = kinds, .kind_count = 1};
    ink_job                 job = {0};
    ink_set                *set;

    owned_stream      stream = stream_of(of, 1, SIZE_MAX);
    const ink_reading reading = reading_of(of);
    const ink_input   inputs[] = {{.arrow = &stream}, {.path = "words"}};
    assert_int_equal(ink_build(&set, inputs, 2, &reading, &options, &job, &error), INK_USAGE);
    stream.release(&stream);
    assert_int_equal(ink_build(&set, inputs, 1, &reading, &options, &job, &error), INK_USAGE);
}

/* ---- Other jobs --------------------------------------------------------------------------- */

/* A file with a bloom for each group of the table. */
static records_file groups_of(const table *of)
{
    const ink_params        kinds[] = {{.kind = "bloom"}};
    const ink_build_options options = {.kinds = kinds, .kind_count = 1};

    return records_by_hand(&of->known, &options);
}

TEST(a_verification_reads_columns)
{
    const table *of = table_of("vu", "u", false, 4, 2000);

    owned_file        file = groups_of(of);
    owned_stream      stream = stream_of(of, 3, SIZE_MAX);
    const ink_input   input = {.arrow = &stream};
    const ink_reading reading = reading_of(of);
    ink_job           job = {.threads = 2};
    ink_verification *verification;
    CHECK_OK(ink_verify(&verification, file.file, &input, 1, &reading, &(ink_verify_options){0},
                        &job, &error));
    ink_verification_summary summary;
    ink_verification_summarise(verification, &summary);
    assert_true(summary.ok);
    assert_int_equal(summary.denied, 0);
    assert_true(summary.members > 100);
    ink_verification_free(verification);
}

TEST(columns_are_added_to_a_file)
{
    table                   *of = table_of("l", NULL, false, 0, 1000);
    const ink_params         params = {.kind = "hll", .key_type = INK_KEY_INT};
    const ink_update_options options = {0};
    ink_update_report        report;
    owned_sketch            *added = NULL, *expected = NULL;

    CHECK_OK(ink_sketch_create(&expected, &params, NULL, &error));
    CHECK_OK(ink_sketch_save(expected, "file.ink", &error));
    owned_stream      stream = stream_of(of, 2, SIZE_MAX);
    const ink_input   input = {.arrow = &stream};
    const ink_reading reading = reading_of(of);
    ink_job           job = {.threads = 2};
    CHECK_OK(ink_update("file.ink", &input, 1, &reading, &options, &report, &job, &error));
    assert_int_equal(report.changed, 1000);
    for (size_t i = 0; i < of->known.count; i++)
        records_add_row(expected, &of->known, &of->known.rows[i]);
    CHECK_OK(ink_sketch_load(&added, "file.ink", NULL, &error));
    CHECK(sketches_equal(added, expected));
    unlink("file.ink");
}

TEST(a_stream_that_fails_is_not_taken_for_the_file_of_sketches)
{
    const ink_params         params = {.kind = "hll"};
    const ink_update_options options = {0};
    table                   *of = table_of("u", NULL, false, 0, 1000);
    ink_update_report        report;
    owned_sketch            *sketch = NULL;
    ink_job                  job = {.threads = 2};

    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    CHECK_OK(ink_sketch_save(sketch, "file.ink", &error));
    owned_stream      stream = stream_of(of, 2, 1);
    const ink_input   input = {.arrow = &stream}; /* which has no name */
    const ink_reading reading = reading_of(of);
    assert_int_equal(ink_update("file.ink", &input, 1, &reading, &options, &report, &job, &error),
                     INK_IO);
    assert_null(job.failed_path);
    unlink("file.ink");
}

TEST(jobs_that_write_records_refuse_columns)
{
    const table *of = table_of("u", NULL, false, 0, 100);

    owned_file        file = groups_of(of);
    owned_stream      stream = stream_of(of, 1, SIZE_MAX);
    const ink_input   input = {.arrow = &stream};
    const ink_reading reading = reading_of(of);
    ink_job           job = {0};
    ink_filter_report report;
    ink_uniq_report   first;
    assert_int_equal(ink_filter(file.file, &input, 1, &reading, &(ink_filter_options){0}, NULL,
                                &report, &job, &error),
                     INK_UNSUPPORTED);
    assert_int_equal(
        ink_uniq(&input, 1, &reading, &(ink_uniq_options){0}, NULL, &first, &job, &error),
        INK_UNSUPPORTED);
    ink_set *merged;
    assert_int_equal(ink_union_files(&merged, &input, 1, &(ink_union_options){0}, &job, &error),
                     INK_USAGE);
}

/* ---- Sets --------------------------------------------------------------------------------- */

TEST(a_sketch_is_taken_out_of_a_set)
{
    const ink_params        kinds[] = {{.kind = "bloom"}, {.kind = "hll"}};
    const ink_build_options options = {.kinds = kinds, .kind_count = 2};
    const ink_input         input = {.memory = (const uint8_t *)"a\nb\n", .memory_bytes = 4};
    ink_job                 job = {0};
    ink_set                *set;
    owned_sketch           *sketch = NULL;
    ink_entry               entry;
    ink_section             input_spec;
    bool                    maybe;

    CHECK_OK(ink_build(&set, &input, 1, &(ink_reading){0}, &options, &job, &error));
    assert_int_equal(ink_set_take(set, 2, &sketch, &error), INK_NOT_FOUND);
    CHECK_OK(ink_set_take(set, 0, &sketch, &error));
    assert_int_equal(ink_set_count(set), 1);
    CHECK_OK(ink_set_entry(set, 0, &entry, &error));
    assert_string_equal(sketches_describe(entry.sketch).kind, "hll");
    CHECK_OK(ink_set_input_spec(set, &input_spec, &error));
    assert_int_equal(input_spec.id, INK_SECTION_INPUT_SPEC);
    assert_true(input_spec.bytes > 0);
    ink_set_free(set);
    CHECK_OK(ink_sketch_contains(sketch, "a", 1, &maybe, &error));
    assert_true(maybe);
    CHECK_OK(ink_sketch_add(sketch, "c", 1, &error));
}

/* Every array was released, whether a test has failed or not. */
static int check_released(void **state)
{
    records_rows_free(&scratch.known);
    return arrow_live() != 0;
}

RUN_TESTS(.after = check_released)
