/* uniq_test.c - of records the first with each key are written, as they stand and in their order,
 * as a naive reader with an exact set finds them, for any number of threads; what a filter that is
 * too small loses is as much as the report says, and never more than its limit. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static ink_error       error;
static ink_uniq_report report; /* of the last uniq */
static uint64_t        chance = 77;

static const ink_reading      plain = {0};
static const ink_uniq_options none = {0};

/* Passes records of bytes, or counts them if there is no sink. */
static ink_status uniq(const records_bytes *text, const ink_reading *reading,
                       const ink_uniq_options *options, const ink_sink *sink, ink_job *job)
{
    const ink_input input = {.path = "name", .memory = text->bytes, .memory_bytes = text->count};

    return ink_uniq(&input, 1, reading, options, sink, &report, job, &error);
}

/* A text, which is not to be freed. */
static records_bytes bytes_of(const char *text)
{
    return (records_bytes){.bytes = (uint8_t *)(uintptr_t)text, .count = strlen(text)};
}

/* ---- The naive reader --------------------------------------------------------------------- */

/* Records, and which key each has. */
enum { KEYS = 700, RECORDS = 3000 };

typedef struct data {
    records_bytes text;
    records_bytes first, repeated; /* what passes, either way */
    uint64_t      records, keys;
    bool          met[KEYS];
} data;

/* Adds a record with key number `key`; `missing` is put after it where it passes. */
static void put_record(data *to, size_t key, const void *bytes, size_t count, const char *missing)
{
    records_bytes *passed = to->met[key] ? &to->repeated : &to->first;

    records_put(&to->text, bytes, count);
    records_put(passed, bytes, count);
    records_put(passed, missing, strlen(missing));
    to->records++;
    to->keys += !to->met[key];
    to->met[key] = true;
}

static void free_data(data *of)
{
    records_bytes_free(&of->text);
    records_bytes_free(&of->first);
    records_bytes_free(&of->repeated);
}

#define owned_data OWNED(free_data) data

/* A key number, some of them often. */
static size_t draw_key(void)
{
    return (size_t)records_below(&chance, 1 + records_below(&chance, KEYS));
}

static void check_report(const data *of, const ink_job *job)
{
    assert_int_equal(report.records, of->records);
    assert_int_equal(report.first, of->keys);
    assert_int_equal(job->records, of->records);
    CHECK(report.lost >= 0 && report.lost < 1e-6); /* there is room for far more */
    assert_int_equal(report.lost_high, 0);
    CHECK(report.rate >= 0 && report.rate < 1e-9);
    CHECK(report.seconds >= 0);
}

/* From memory, a file and a FIFO, with several threads and sizes of chunks. */
static void check(const data *of, const ink_reading *reading)
{
    static const unsigned threads[] = {1, 2, 7, 1, 2, 7};
    static const uint64_t chunks[] = {0, 0, 0, 1, 100, 3000};
    const ink_input       inputs[] = {{.memory = of->text.bytes, .memory_bytes = of->text.count},
                                      {.path = "records"},
                                      {.path = "fifo"}};

    CHECK(of->keys > 1 && of->keys < of->records); /* both ways are tried */
    records_write("records", of->text.bytes, of->text.count);
    for (size_t i = 0; i < 18; i++) {
        const ink_uniq_options options = {.invert = i % 2};
        const records_bytes   *expected = options.invert ? &of->repeated : &of->first;
        owned_bytes            got = {0};
        const ink_sink         sink = records_sink(&got);
        ink_job                job = {
                           .threads = threads[i / 3], .chunk_bytes = chunks[i / 3], .memory_bytes = 1 << 20};
        records_pipe *pipe =
            i % 3 == 2 ? records_pipe_begin("fifo", of->text.bytes, of->text.count) : NULL;
        CHECK_OK(ink_uniq(&inputs[i % 3], 1, reading, &options, &sink, &report, &job, &error));
        records_pipe_end(pipe);
        assert_int_equal(got.count, expected->count);
        CHECK(memcmp(got.bytes, expected->bytes, got.count) == 0);
        check_report(of, &job);
        CHECK_OK(uniq(&of->text, reading, &options, NULL, &job));
        check_report(of, &job); /* without a sink: it counts */
    }
    unlink("records");
}

/* ---- Records of every form ---------------------------------------------------------------- */

TEST(lines_pass_as_they_stand)
{
    owned_data of = {0};

    for (int i = 0; i < RECORDS; i++) {
        char   line[400];
        size_t key = draw_key(), bytes = 0;
        bool   last = i == RECORDS - 1;
        /* Short ones, long ones, and one that is empty. */
        for (size_t j = 0; key != 0 && j < 1 + key % 9 * (key % 50); j++)
            line[bytes++] = (char)('a' + (key + j) % 26);
        bytes += key == 0 ? 0 : (size_t)snprintf(line + bytes, 20, "%zu", key);
        const char *end = last ? "" : i % 3 == 0 ? "\r\n" : "\n";
        memcpy(line + bytes, end, strlen(end));
        put_record(&of, key, line, bytes + strlen(end), last ? "\n" : "");
    }
    check(&of, &plain);
}

TEST(a_last_line_without_its_end_gets_one)
{
    static const char *const ends[] = {"", "\r", "\n", "\r\n"};

    for (size_t length = 0; length < 70; length++)
        for (size_t i = 0; i < 4; i++) {
            char           text[100] = "x\n", expected[104];
            owned_bytes    got = {0};
            const ink_sink sink = records_sink(&got);
            ink_job        job = {.threads = 1};
            memset(text + 2, 'l', length);
            strcpy(text + 2 + length, ends[i]);
            const records_bytes bytes = bytes_of(text);
            snprintf(expected, sizeof expected, "%s%s", text, i < 2 ? "\n" : "");
            if (length == 0 && i == 0)
                strcpy(expected, "x\n"); /* there is no second line */
            CHECK_OK(uniq(&bytes, &plain, &none, &sink, &job));
            CHECK(records_are(&got, expected));
        }
}

TEST(records_with_nul_and_of_fixed_width_pass_as_they_stand)
{
    owned_data nul = {0}, u32 = {0}, u64 = {0};

    for (int i = 0; i < RECORDS; i++) {
        char    text[32];
        uint8_t bytes[8] = {0};
        size_t  key = draw_key();
        int     count = snprintf(text, sizeof text, "a\nb\r%zu", key);
        put_record(&nul, key, text, (size_t)count + 1, "");
        bytes[1] = (uint8_t)key;
        bytes[3] = (uint8_t)(key >> 8);
        put_record(&u32, key, bytes, 4, "");
        put_record(&u64, key, bytes, 8, "");
    }
    check(&nul, &(ink_reading){.form = INK_FORM_NUL});
    check(&u32, &(ink_reading){.form = INK_FORM_U32});
    check(&u64, &(ink_reading){.form = INK_FORM_U64});
}

/* The rest of a record may differ; how its key is written, too. */
TEST(keys_are_fields_tuples_and_integers)
{
    static const char *const name[] = {"k"}, *const tuple[] = {"1", "3"}, *const second[] = {"2"};
    owned_data csv = {0}, tsv = {0}, json = {0};

    for (int i = 0; i < RECORDS; i++) {
        char   text[64];
        size_t key = draw_key();
        int    count = snprintf(text, sizeof text,
                             i % 2 ? "\"%d\n\",\"k\n\"\"%zu\"\r\n" : "%d,\"k\n\"\"%zu\"\n", i, key);
        put_record(&csv, key, text, (size_t)count, "");
        count = snprintf(text, sizeof text, "%zu\t%d\t%zu\n", key % 10, i, key / 10);
        put_record(&tsv, key, text, (size_t)count, "");
        count = snprintf(text, sizeof text,
                         i % 2 ? "{\"i\":%d,\"k\":%zu}\n" : "{\"i\":%d,\"k\":+0%zu}\n", i, key);
        if (i % 2 == 0) /* the same integer as a string */
            count = snprintf(text, sizeof text, "{\"i\":%d,\"k\":\"+0%zu\"}\n", i, key);
        put_record(&json, key, text, (size_t)count, "");
    }
    check(&csv,
          &(ink_reading){.form = INK_FORM_CSV, .multiline = true, .key = second, .key_count = 1});
    check(&tsv, &(ink_reading){.form = INK_FORM_TSV, .key = tuple, .key_count = 2});
    check(&json, &(ink_reading){
                     .form = INK_FORM_JSONL, .keys = INK_KEYS_INT, .key = name, .key_count = 1});
}

/* ---- Inputs ------------------------------------------------------------------------------- */

/* What passes of these texts, one input each. */
static void check_texts(const char *const *texts, size_t count, const ink_reading *reading,
                        const ink_uniq_options *options, const char *expected)
{
    ink_input      inputs[4];
    owned_bytes    got = {0};
    const ink_sink sink = records_sink(&got);
    ink_job        job = {.threads = 2};

    for (size_t i = 0; i < count; i++)
        inputs[i] =
            (ink_input){.memory = (const uint8_t *)texts[i], .memory_bytes = strlen(texts[i])};
    CHECK_OK(ink_uniq(inputs, count, reading, options, &sink, &report, &job, &error));
    records_put(&got, "", 1);
    assert_string_equal((char *)got.bytes, expected);
}

TEST(several_inputs_are_one_after_another)
{
    const char *const texts[] = {"ant\nbee\nant", "cow\nbee\n", "", "dog\nant\n"};

    check_texts(texts, 4, &plain, &none, "ant\nbee\ncow\ndog\n");
    check_texts(texts, 4, &plain, &(ink_uniq_options){.invert = true}, "ant\nbee\nant\n");
}

TEST(the_header_of_the_first_input_stays)
{
    static const char *const column[] = {"id"};
    const ink_reading        reading = {
               .form = INK_FORM_CSV, .header = true, .key = column, .key_count = 1};
    const char *const texts[] = {"id,n\r\na,1\r\nb,2\r\na,3\r\n", "id,n\nc,4\nb,5\nid,n\n"};
    const char *const bare[] = {"id,n"};

    check_texts(texts, 2, &reading, &none, "id,n\r\na,1\r\nb,2\r\nc,4\nid,n\n");
    check_texts(texts, 2, &reading, &(ink_uniq_options){.invert = true}, "id,n\r\na,3\r\nb,5\n");
    check_texts(bare, 1, &reading, &none, "id,n\n");
    assert_int_equal(report.records, 0);
}

TEST(of_nothing_nothing_passes_and_no_memory_is_taken)
{
    const char *const texts[] = {"", ""};
    ink_job           job = {.threads = 1};

    check_texts(texts, 2, &plain, &none, "");
    CHECK(report.records == 0 && report.first == 0 && report.lost == 0 && report.lost_high == 0);
    CHECK(report.bytes == 0 && report.expected_keys == 0 && report.rate == 0);
    CHECK_OK(ink_uniq(NULL, 0, &plain, &none, NULL, &report, &job, &error));
    assert_int_equal(report.records, 0);
}

TEST(of_one_key_one_record_passes)
{
    owned_bytes text = {0};

    for (int i = 0; i < 100000; i++)
        records_say(&text, "one\n");
    records_put(&text, "", 1);
    const char *const texts[] = {(char *)text.bytes};
    check_texts(texts, 1, &plain, &none, "one\n");
    CHECK(report.records == 100000 && report.first == 1 && report.lost_high == 0);
}

TEST(seeds_and_secrets_choose_the_hash)
{
    static const uint8_t secret[INK_SECRET_BYTES] = "the uniq test";
    const char *const    texts[] = {"ant\nbee\nant\n"};
    ink_uniq_options     options[] = {{.seed = 5}, {.has_seed = true}, {.secret = secret}};

    for (size_t i = 0; i < 3; i++)
        check_texts(texts, 1, &plain, &options[i], "ant\nbee\n");
}

TEST(bad_records_may_be_skipped)
{
    static const char *const column[] = {"2"};
    const ink_reading        reading = {
               .form = INK_FORM_TSV, .skip_bad = true, .key = column, .key_count = 1};
    const char *const texts[] = {"bad\n1\ta\nbad\nbad\n2\ta\nbad\n3\tb\nbad\n"};

    check_texts(texts, 1, &reading, &none, "1\ta\n3\tb\n");
    check_texts(texts, 1, &reading, &(ink_uniq_options){.invert = true}, "2\ta\n");
}

/* ---- The size of the filter --------------------------------------------------------------- */

enum { LINES = 200000, LINE_BYTES = 8 };

static records_bytes numbered_lines(void)
{
    records_bytes text = {0};

    for (int i = 0; i < LINES; i++)
        records_say(&text, "%07d\n", i);
    return text;
}

static void plan(const ink_input *inputs, size_t count, const ink_uniq_options *options,
                 uint64_t memory, unsigned threads)
{
    ink_job job = {.threads = threads, .memory_bytes = memory, .chunk_bytes = 1 << 16};

    CHECK_OK(ink_uniq(inputs, count, &plain, options, NULL, &report, &job, &error));
}

/* Lines that are empty, a chunk of them, then long ones. */
enum { EMPTY = 1 << 16, LONG = 2000, LONG_BYTES = 1000 };

static records_bytes uneven_lines(void)
{
    records_bytes text = {0};
    char          line[LONG_BYTES];

    for (int i = 0; i < EMPTY; i++)
        records_put(&text, "\n", 1);
    memset(line, 'l', sizeof line);
    line[LONG_BYTES - 1] = '\n';
    for (int i = 0; i < LONG; i++)
        records_put(&text, line, sizeof line);
    return text;
}

static uint64_t planned_bytes(uint64_t keys, double rate)
{
    const ink_params params = {.kind = "bloom", .expected_keys = keys, .false_positive_rate = rate};
    ink_description  description;

    CHECK_OK(ink_plan(&params, &description, &error));
    return description.bytes;
}

/* As if all were like the first chunk, and an eighth more. */
TEST(the_size_follows_from_the_first_records_and_all_bytes)
{
    const uint64_t  bytes = EMPTY + LONG * LONG_BYTES;
    owned_bytes     text = uneven_lines();
    const ink_input inputs[] = {{.path = "lines"},
                                {.memory = text.bytes, .memory_bytes = text.count},
                                {.path = "lines", .bytes = EMPTY + 1000000},
                                {.path = "lines", .offset = EMPTY + 1000000}};

    records_write("lines", text.bytes, text.count);
    for (unsigned threads = 1; threads <= 3; threads++) {
        plan(inputs, 1, &none, 0, threads);
        assert_int_equal(report.expected_keys, bytes * 9 / 8);
        assert_int_equal(report.bytes, planned_bytes(bytes * 9 / 8, 1e-4));
        plan(inputs, 1, &(ink_uniq_options){.rate = 0.01}, 0, threads);
        assert_int_equal(report.expected_keys, bytes * 9 / 8);
        assert_int_equal(report.bytes, planned_bytes(bytes * 9 / 8, 0.01));
    }
    /* Files and parts of them count by what is read of them. */
    plan(inputs, 4, &none, 0, 1);
    assert_int_equal(report.expected_keys, 3 * bytes * 9 / 8);
}

TEST(an_empty_file_does_not_hide_the_size_of_others)
{
    owned_bytes     text = uneven_lines();
    const ink_input inputs[] = {{.path = "empty"},
                                {.memory = text.bytes, .memory_bytes = text.count}};

    records_write("empty", "", 0);
    for (unsigned threads = 1; threads <= 64; threads *= 4) {
        plan(inputs, 2, &none, 0, threads);
        assert_int_equal(report.expected_keys, text.count * 9 / 8);
    }
}

TEST(a_small_input_gets_room_for_more)
{
    const ink_input input = {.memory = (const uint8_t *)"a\nb\n", .memory_bytes = 4};

    plan(&input, 1, &none, 0, 1);
    assert_int_equal(report.expected_keys, 5 << 18);
    assert_int_equal(report.bytes, planned_bytes(5 << 18, 1e-4));
    CHECK(report.bytes > 4 << 20 && report.bytes < 5 << 20);
    plan(&input, 1, &none, (uint64_t)1 << 50, 1); /* more than a filter can have */
    assert_int_equal(report.expected_keys, 5 << 18);
}

/* All records are in the first chunk: there are no more. */
TEST(of_what_is_read_whole_the_size_is_known)
{
    enum { KEYS_IN_ALL = 1400000 };
    uint32_t           *numbers = test_malloc(KEYS_IN_ALL * sizeof *numbers);
    const records_bytes text = {.bytes = (uint8_t *)numbers, .count = 4 * KEYS_IN_ALL};
    ink_job             job = {.threads = 1, .chunk_bytes = 1 << 23};

    for (uint32_t i = 0; i < KEYS_IN_ALL; i++)
        numbers[i] = i;
    CHECK_OK(uniq(&text, &(ink_reading){.form = INK_FORM_U32}, &none, NULL, &job));
    CHECK(report.expected_keys == KEYS_IN_ALL && report.records == KEYS_IN_ALL);
    test_free(numbers);
}

TEST(what_is_given_goes_before)
{
    const ink_input        input = {.memory = (const uint8_t *)"a\nb\n", .memory_bytes = 4};
    const ink_uniq_options options = {.expected_keys = 1000, .rate = 0.05};

    plan(&input, 1, &options, 0, 1);
    assert_int_equal(report.expected_keys, 1000);
    assert_int_equal(report.bytes, planned_bytes(1000, 0.05));
}

/* Pipes and what is compressed. */
TEST(of_what_cannot_be_known_all_memory_is_taken)
{
    owned_bytes     text = numbered_lines();
    const uint64_t  usual = (uint64_t)64 << 20, little = 3 << 20;
    const ink_input inputs[] = {{.path = "fifo"}, {.path = "lines"}, {.path = "lines.zst"}};

    records_gzip("lines", text.bytes, text.count); /* its name does not count */
    records_zstd("lines.zst", text.bytes, text.count);
    for (size_t i = 0; i < 3; i++)
        for (unsigned given = 0; given < 2; given++) {
            uint64_t      memory = given ? little : usual;
            records_pipe *pipe = i == 0 ? records_pipe_begin("fifo", text.bytes, text.count) : NULL;
            plan(&inputs[i], 1, &none, given ? memory : 0, 1);
            records_pipe_end(pipe);
            assert_int_equal(report.bytes, memory);
            /* That many keys keep the rate there, and hardly more would. */
            CHECK(planned_bytes(report.expected_keys, 1e-4) <= memory);
            CHECK(planned_bytes(report.expected_keys + report.expected_keys / 50, 1e-4) > memory);
            assert_int_equal(report.records, LINES);
        }
    /* Numbers may be compressed by name. */
    ink_job job = {.threads = 1, .memory_bytes = little};
    CHECK_OK(ink_uniq(&inputs[2], 1, &(ink_reading){.form = INK_FORM_U64}, &none, NULL, &report,
                      &job, &error));
    assert_int_equal(report.bytes, little);
}

/* Nobody has lost more records than did not pass. */
TEST(where_all_keys_are_new_none_is_lost)
{
    enum { KEYS_NEW = 3000 };
    uint64_t            numbers[KEYS_NEW];
    const records_bytes text = {.bytes = (uint8_t *)numbers, .count = sizeof numbers};

    for (uint64_t i = 0; i < KEYS_NEW; i++)
        numbers[i] = i;
    for (uint64_t seed = 1; seed < 20; seed++) {
        const ink_uniq_options options = {.expected_keys = KEYS_NEW, .rate = 0.001, .seed = seed};
        ink_job                job = {.threads = 1};
        CHECK_OK(uniq(&text, &(ink_reading){.form = INK_FORM_U64}, &options, NULL, &job));
        const uint64_t repeated = KEYS_NEW - report.first;
        CHECK(report.lost_high <= repeated && report.lost <= (double)repeated);
    }
}

TEST(memory_is_the_limit)
{
    owned_bytes            text = numbered_lines();
    const ink_input        input = {.memory = text.bytes, .memory_bytes = text.count};
    const ink_uniq_options reported = {.expected_keys = 1000000};
    ink_job                job = {.threads = 1, .memory_bytes = 50001};

    plan(&input, 1, &none, 50001, 1);
    assert_int_equal(report.bytes, 50000 / 32 * 32);
    CHECK(report.expected_keys < LINES / 10);
    CHECK(report.lost > LINES / 4); /* the report says what that costs */
    CHECK(fabs((double)report.first + report.lost - LINES) < LINES / 50);
    CHECK_FAILS(uniq(&text, &plain, &reported, NULL, &job), INK_LIMIT,
                "1000000 keys at rate 0.0001 need");
    /* From both sides: with the very bytes of the plan it runs, with one less it does not. */
    job.memory_bytes = planned_bytes(reported.expected_keys, 1e-4);
    CHECK_OK(uniq(&text, &plain, &reported, NULL, &job));
    assert_int_equal(report.bytes, job.memory_bytes);
    job.memory_bytes--;
    CHECK_FAILS(uniq(&text, &plain, &reported, NULL, &job), INK_LIMIT, "expected at most the");
    job.memory_bytes = 31;
    CHECK_FAILS(uniq(&text, &plain, &none, NULL, &job), INK_USAGE, "memory_bytes 31");
    CHECK_FAILS(ink_uniq(&(ink_input){.path = "-"}, 1, &plain, &none, NULL, &report, &job, &error),
                INK_USAGE, "memory_bytes 31");
    assert_null(job.failed_path); /* it is not about the input of unknown size */
}

TEST(what_does_not_go_together_is_refused)
{
    const ink_input input = {.path = "name", .memory = (const uint8_t *)"a\n", .memory_bytes = 2};
    static const struct {
        ink_reading      reading;
        ink_uniq_options options;
        const char      *words;
    } wrong[] = {
        {{.by = "1", .blanks = true}, {0}, "groups or weights"},
        {{.weight = "1", .blanks = true}, {0}, "groups or weights"},
        {{0}, {.rate = 1e-6}, "false_positive_rate 1e-06"},
        {{0}, {.rate = 0.7}, "false_positive_rate 0.7"},
        {{0}, {.rate = 1.5}, "false_positive_rate 1.5"},
        {{0}, {.expected_keys = (uint64_t)1 << 60}, "GiB"},
        {{.header = true, .form = INK_FORM_U64}, {0}, "u64"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink_job job = {.threads = 1, .failed_path = "stale"};
        CHECK_FAILS(
            ink_uniq(&input, 1, &wrong[i].reading, &wrong[i].options, NULL, &report, &job, &error),
            INK_USAGE, wrong[i].words);
        assert_null(job.failed_path);
    }
}

static ink_status try_plan(const ink_uniq_options *options)
{
    const ink_input input = {.path = "never looked at"};
    ink_job         job = {.threads = 1};

    return ink_uniq(&input, 1, &plain, options, NULL, &report, &job, &error);
}

/* Nothing is advised that uniq has not, and before anything is read. */
TEST(rates_and_numbers_of_keys_that_no_filter_has_are_refused_with_those_it_has)
{
    static const double rates[] = {1e-5, 1e-4, 0.5};
    const char         *words = "expected at most ";

    for (size_t i = 0; i < 3; i++) {
        ink_uniq_options   options = {.rate = rates[i], .expected_keys = 1000000000000};
        unsigned long long most;
        CHECK_FAILS(try_plan(&options), INK_USAGE, "expected_keys 1000000000000 at rate ");
        CHECK(strstr(error.message, "16 GiB") != NULL);
        CHECK(strstr(error.message, "classic") == NULL);
        assert_int_equal(sscanf(strstr(error.message, words) + strlen(words), "%llu", &most), 1);
        options.expected_keys = most; /* could be, but for the memory */
        CHECK_FAILS(try_plan(&options), INK_LIMIT, "memory_bytes");
        options.expected_keys = most + 1;
        CHECK_FAILS(try_plan(&options), INK_USAGE, words);
    }
    for (size_t i = 0; i < 2; i++) {
        const ink_uniq_options options = {.rate = i == 0 ? 0.999e-5 : 0.5001};
        CHECK_FAILS(try_plan(&options), INK_USAGE, ", expected 1e-05 to 0.5");
        assert_int_equal(strstr(error.message, "to 0.5")[6], '\0');
    }
}

/* ---- What is lost ------------------------------------------------------------------------- */

/* A filter for `plan` keys at a rate gets `keys` different ones, each of them twice. */
typedef struct squeeze {
    uint64_t plan, keys;
    double   rate;
    unsigned runs;
} squeeze;

/* Runs with other seeds; what was lost in all of them, and what was reported. */
static void squeeze_often(const squeeze *of, double *lost, double *reported)
{
    unsigned            runs = records_light() ? 2 : of->runs;
    uint64_t           *numbers = test_malloc(2 * of->keys * sizeof *numbers);
    const records_bytes text = {.bytes = (uint8_t *)numbers, .count = 16 * of->keys};

    *lost = *reported = 0;
    for (uint64_t i = 0; i < of->keys; i++) { /* a key comes back after a while */
        numbers[2 * i] = i;
        numbers[2 * i + 1] = i < 100 ? i : i - 100;
    }
    for (unsigned run = 0; run < runs; run++) {
        const ink_uniq_options options = {
            .expected_keys = of->plan, .rate = of->rate, .seed = run + 1};
        ink_job job = {.threads = 1};
        CHECK_OK(uniq(&text, &(ink_reading){.form = INK_FORM_U64}, &options, NULL, &job));
        uint64_t missing = of->keys - report.first;
        CHECK(report.lost_high <= report.records - report.first);
        if (missing > report.lost_high || report.lost > (double)report.lost_high + 1)
            fail_msg("%llu of %llu keys lost, planned for %llu at %g, reported %g and at most %llu",
                     (unsigned long long)missing, (unsigned long long)of->keys,
                     (unsigned long long)of->plan, of->rate, report.lost,
                     (unsigned long long)report.lost_high);
        *lost += (double)missing;
        *reported += report.lost;
    }
    test_free(numbers);
}

/* Losses are independent events, so that 10,000 of them scatter by 1 % (in a filter that is nearly
 * full by more, hence more of them there). The sums agree within four times that: what is reported
 * would fail if it were a tenth too much or too little. */
TEST(what_is_lost_is_what_is_reported)
{
    static const squeeze squeezed[] = {
        {20000, 20000, 0.05, 60},  /* as planned */
        {20000, 10000, 0.3, 200},  /* half of it */
        {100000, 50000, 0.1, 220}, /* the same at a lower rate */
        {20000, 40000, 0.01, 10},  /* twice */
        {5000, 40000, 0.05, 20},   /* eight times: the most are lost */
        {1000, 1000, 0.2, 300},    /* a small one */
    };

    for (size_t i = 0; i < sizeof squeezed / sizeof squeezed[0]; i++) {
        const squeeze of = squeezed[i];
        double        lost, reported;
        squeeze_often(&of, &lost, &reported);
        if (!records_light() && (lost < 9000 || fabs(reported / lost - 1) > 0.04))
            fail_msg("planned for %llu at %g, %llu came: %g lost, %g reported",
                     (unsigned long long)of.plan, of.rate, (unsigned long long)of.keys, lost,
                     reported);
    }
}

/* At most lost_high holds where nothing is lost as well, and where next to nothing is left. */
TEST(the_limit_holds_in_empty_and_in_full_filters)
{
    static const squeeze squeezed[] = {
        {100, 100, 0.5, 300}, {1, 1, 0.5, 20},        {1, 40, 0.5, 100},
        {1, 400, 0.5, 20},    {100, 3000, 0.01, 20},  {1000, 100, 1e-5, 200},
        {30, 200, 0.3, 200},  {5000, 5000, 1e-4, 50}, {5000, 5000, 1e-3, 50},
    };

    for (size_t i = 0; i < sizeof squeezed / sizeof squeezed[0]; i++) {
        double lost, reported;
        squeeze_often(&squeezed[i], &lost, &reported);
    }
}

/* How many first ones a full filter took for repeats is unknown. */
TEST(a_full_filter_may_have_lost_all_repeats)
{
    owned_bytes     text = numbered_lines();
    const ink_input input = {.memory = text.bytes, .memory_bytes = text.count};

    plan(&input, 1, &none, 32, 1);
    CHECK(report.rate == 1);
    CHECK(report.lost_high == report.records - report.first);
    CHECK(report.lost == (double)report.lost_high);
}

/* Keys that come again soon, late and never, in lines of all lengths. */
static records_bytes mixed_lines(int count)
{
    records_bytes text = {0};

    for (int i = 0; i < count; i++)
        records_say(&text, "%llu%s\n",
                    (unsigned long long)records_below(&chance, 1 + (uint64_t)(i / (1 + i % 3))),
                    i % 5 == 0 ? "" : "the same for many keys, and long enough for two strides");
    return text;
}

/* The same are lost, too; and the report is the same to the last bit. Filters are full, have one
 * block or a line for each thread, or read their rate often, seldom and in the middle of chunks. */
TEST(what_passes_does_not_depend_on_threads)
{
    static const struct {
        uint64_t keys, memory;
        double   rate;
    } filters[] = {{0, 0, 0},     {0, 32, 0},      {0, 200, 0},   {0, 20000, 0},  {1, 0, 0},
                   {300, 0, 0.5}, {4000, 0, 0.01}, {12345, 0, 0}, {60000, 0, 0.1}};
    static const unsigned threads[] = {2, 3, 7, 16, 64};
    static const uint64_t chunks[] = {1, 1000, 33333, 300000};
    owned_bytes           text = mixed_lines(records_light() ? 5000 : 40000);

    for (size_t i = 0; i < 9 * 2 * 5; i++) {
        const size_t           of = i / 10;
        const uint64_t         chunk = chunks[(i / 10 + i) % 4];
        records_bytes          some = text; /* of chunks of a line, not so many */
        const ink_uniq_options options = {
            .expected_keys = filters[of].keys, .rate = filters[of].rate, .invert = i / 5 % 2};
        owned_bytes     expected = {0}, got = {0};
        ink_uniq_report one;
        if (chunk == 1)
            some.count = records_light() ? 5000 : 50000;
        for (unsigned run = 0; run < 2; run++) {
            const ink_sink sink = records_sink(run == 0 ? &expected : &got);
            ink_job        job = {.threads = run == 0 ? 1 : threads[i % 5],
                                  .memory_bytes = filters[of].memory,
                                  .chunk_bytes = chunk};
            /* The first chunk is part of the plan. */
            CHECK_OK(uniq(&some, &plain, &options, &sink, &job));
            one = run == 0 ? report : one;
        }
        CHECK(got.count == expected.count && memcmp(got.bytes, expected.bytes, got.count) == 0);
        CHECK(report.records == one.records && report.first == one.first);
        CHECK(report.lost == one.lost && report.lost_high == one.lost_high);
        CHECK(report.rate == one.rate && report.bytes == one.bytes);
    }
}

static void count_region(void *host, const ink_region *region)
{
    *(unsigned *)host += region->task_count > 0;
}

TEST(threads_that_read_the_last_rate_are_accounted_for)
{
    owned_bytes            text = mixed_lines(5000);
    unsigned               regions = 0;
    ink_account            account = {.region = count_region, .host = &regions};
    ink_job                job = {.threads = 4, .chunk_bytes = 1000, .account = &account};
    const ink_uniq_options options = {.expected_keys = 60000, .rate = 0.1};
    owned_bytes            got = {0};
    const ink_sink         sink = records_sink(&got);

    CHECK_OK(uniq(&text, &plain, &options, &sink, &job));
    assert_int_equal(regions, 2); /* records are read, then the rate */
}

/* For any delivery by a pipe, and any threads. */
TEST(the_report_does_not_depend_on_chunks_or_threads)
{
    static const uint64_t  chunks[] = {0, 100, 7777, 65536, 1000000};
    const ink_uniq_options options = {.expected_keys = 60000, .rate = 0.01};
    owned_bytes            text = numbered_lines();
    ink_uniq_report        expected = {0};

    for (int i = 0; i < LINES; i++) /* again, so that there are more repeats than losses */
        records_say(&text, "%07d\n", i);
    const ink_input inputs[] = {{.memory = text.bytes, .memory_bytes = text.count},
                                {.path = "fifo"}};
    for (size_t i = 0; i < 20; i++) {
        ink_job job = {.threads = i % 2 ? 1 + 2 * (unsigned)i : 1, .chunk_bytes = chunks[i / 4]};
        records_pipe *pipe = i % 4 > 1 ? records_pipe_begin("fifo", text.bytes, text.count) : NULL;
        CHECK_OK(ink_uniq(&inputs[i % 4 > 1], 1, &plain, &options, NULL, &report, &job, &error));
        records_pipe_end(pipe);
        if (i == 0)
            expected = report;
        CHECK(report.first == expected.first && report.lost_high < report.records - report.first);
        CHECK(report.lost == expected.lost && report.lost_high == expected.lost_high);
        CHECK(report.rate == expected.rate && report.bytes == expected.bytes);
    }
}

/* The least number that a Poisson count with this mean exceeds with a chance of 1e-6 or less. */
static uint64_t limit_of(double mean)
{
    double   chance_of = exp(-mean), above = 1 - chance_of;
    uint64_t limit = 0;

    while (above > 1e-6) {
        limit++;
        chance_of *= mean / (double)limit;
        above -= chance_of;
    }
    return limit;
}

/* Some keys in one block, then repeats, in one batch: at the rate in the end as many may have been
 * lost before each new key, and once more after the last one. */
TEST(what_may_be_lost_after_the_last_new_key_is_in_the_limit)
{
    static const char text[] = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\na\na\na\na\n";
    const ink_input   input = {.memory = (const uint8_t *)text, .memory_bytes = sizeof text - 1};
    unsigned          telling = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        const ink_uniq_options options = {.seed = seed};
        plan(&input, 1, &options, 32, 1);
        double odds = report.rate / (1 - report.rate), keys = (double)report.first;
        CHECK(report.records == 16 && report.first >= 11 && report.first <= 12);
        assert_int_equal(report.lost_high, limit_of((keys + 1) * odds));
        telling += limit_of(keys * odds) < report.lost_high;
    }
    CHECK(telling > 0);
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* As much for ten times as many records. */
TEST(memory_does_not_grow_with_the_input)
{
    uint64_t most[2];

    for (unsigned i = 0; i < 2; i++) {
        uint64_t      lines = i == 0 ? 50000 : 500000;
        owned_bytes   text = {0};
        faults_memory memory = {0};
        ink_allocator allocator = faults_allocator(&memory);
        for (uint64_t n = 0; n < lines / (records_light() ? 10 : 1); n++)
            records_say(&text, "%07d\n", (int)n);
        const ink_input input = {.path = "fifo"};
        owned_bytes     got = {0};
        const ink_sink  sink = records_sink(&got);
        records_pipe   *pipe = records_pipe_begin("fifo", text.bytes, text.count);
        ink_job         job = {.threads = 1, .memory_bytes = 1 << 20, .allocator = &allocator};
        CHECK_OK(ink_uniq(&input, 1, &plain, &none, &sink, &report, &job, &error));
        records_pipe_end(pipe);
        faults_check_no_leak(&memory);
        assert_int_equal(report.bytes, 1 << 20);
        most[i] = memory.most_bytes;
    }
    CHECK(most[0] > 1 << 20);
    CHECK(most[1] < most[0] + (8 << 20)); /* a chunk, what waits of it, and what passes */
}

/* What is kept of a record has a bound for each thread, even of the shortest records. */
TEST(short_records_take_no_more_than_a_few_mebibytes_a_thread)
{
    enum { THREADS = 16 };
    const size_t  bytes = (size_t)(records_light() ? 4 : THREADS) << 20;
    uint8_t      *text = malloc(bytes);
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_job       job = {.threads = THREADS, .allocator = &allocator};

    for (size_t i = 0; i < bytes; i++)
        text[i] = i % 2 == 0 ? (uint8_t)('0' + i / 2 % 10) : '\n';
    const ink_input input = {.memory = text, .memory_bytes = bytes};
    owned_bytes     got = {0};
    const ink_sink  sink = records_sink(&got);
    CHECK_OK(ink_uniq(&input, 1, &plain, &none, &sink, &report, &job, &error));
    free(text);
    assert_int_equal(report.records, bytes / 2);
    assert_int_equal(report.first, 10);
    /* The filter, the first chunk, which is larger, and each thread. */
    CHECK(memory.most_bytes - report.bytes < ((uint64_t)16 << 20) + THREADS * ((uint64_t)12 << 20));
}

/* ---- Failures ----------------------------------------------------------------------------- */

TEST(an_error_of_the_sink_comes_back)
{
    owned_bytes text = {0};

    for (int i = 0; i < 1000; i++)
        records_say(&text, "%d\n", i);
    for (unsigned threads = 1; threads <= 7; threads += 3)
        for (unsigned fail_at = 1; fail_at <= 21; fail_at += 10) {
            records_bad_sink mine = {.fail_at = fail_at, .os_error = fail_at > 1 ? EPIPE : ENOSPC};
            const ink_sink   sink = {records_fail_later, &mine};
            ink_job          job = {.threads = threads, .chunk_bytes = 100};
            CHECK_FAILS(uniq(&text, &plain, &none, &sink, &job), INK_IO, "");
            assert_int_equal(error.os_error, mine.os_error);
            assert_int_equal(mine.calls, fail_at); /* nothing is written after a failure */
            assert_null(job.failed_path);          /* it is not about an input */
        }
}

TEST(what_passed_before_a_bad_record_was_written)
{
    const ink_reading ints = {.keys = INK_KEYS_INT};
    owned_bytes       text = {0};

    for (int i = 0; i < 3000; i++)
        records_say(&text, i == 2000 ? "x\n" : "%d\n", 1000 + i);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        owned_bytes    got = {0};
        const ink_sink sink = records_sink(&got);
        ink_job        job = {.threads = threads, .chunk_bytes = 1};
        CHECK_FAILS(uniq(&text, &ints, &none, &sink, &job), INK_FORMAT, "\"x\"");
        assert_int_equal(error.at, 2001);
        assert_string_equal(job.failed_path, "name");
        assert_int_equal(got.count, 2000 * 5);
    }
}

TEST(a_file_that_is_not_there_is_named)
{
    const ink_input inputs[] = {{.memory = (const uint8_t *)"a\n", .memory_bytes = 2},
                                {.path = "not there"}};
    ink_job         job = {.threads = 1};

    CHECK_FAILS(ink_uniq(inputs, 2, &plain, &none, NULL, &report, &job, &error), INK_IO, "open");
    CHECK(job.failed_path == inputs[1].path);
    records_gzip("lines", "a\n", 2); /* one that cannot be looked into */
    faults_system_begin(&(faults_plan){.call = FAULTS_OPEN, .nth = 1, .os_error = EACCES});
    CHECK_FAILS(
        ink_uniq(&(ink_input){.path = "lines"}, 1, &plain, &none, NULL, &report, &job, &error),
        INK_IO, "open");
    faults_system_end();
    assert_string_equal(job.failed_path, "lines");
}

static bool stop(void *host, const ink_progress *progress)
{
    (void)host;
    return progress->records == 0;
}

TEST(it_can_be_stopped)
{
    owned_bytes text = numbered_lines();
    ink_job     job = {.threads = 2, .progress = stop, .chunk_bytes = 10000};

    records_slow_clock_begin();
    CHECK_FAILS(uniq(&text, &plain, &none, NULL, &job), INK_STOPPED, "stopped");
    records_slow_clock_end();
}

static struct {
    uint64_t done, calls;
    bool     wrong;
} told;

static bool tell(void *host, const ink_progress *progress)
{
    const uint64_t bytes = *(const uint64_t *)host;

    told.wrong = told.wrong || progress->done < told.done || progress->total != bytes;
    told.done = progress->done;
    told.calls++;
    return true;
}

/* Reading the last rate is none. */
TEST(progress_is_that_of_the_input)
{
    owned_bytes text = numbered_lines();
    ink_job     job = {.progress = tell, .chunk_bytes = 10000};

    job.host = &text.count;
    records_slow_clock_begin();
    for (job.threads = 1; job.threads < 5; job.threads++) {
        memset(&told, 0, sizeof told);
        CHECK_OK(uniq(&text, &plain, &none, NULL, &job));
        CHECK(!told.wrong && told.calls > 5 && told.done == text.count);
    }
    records_slow_clock_end();
}

RUN_TESTS_REMOVING("lines", "empty", "lines.zst")
