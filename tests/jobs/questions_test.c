/* questions_test.c - inputs are distinguished by their first bytes and nothing of them is lost; the
 * sketches that answer are those that were asked for, merged as by hand; keys are counted in their
 * order, for any number of threads. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "inkling_command.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static ink_error error;
static ink_job   job;

static const ink_reading lines = {.form = INK_FORM_LINES};

static const ink_union_options ask_count = {.question = INK_ASK_COUNT};
static const ink_union_options ask_top = {.question = INK_ASK_TOP};
static const ink_union_options ask_distinct = {.question = INK_ASK_DISTINCT};

/* Records "key group", one a line. */
static const char *const first_column[] = {"1"};
static const ink_reading pairs = {
    .form = INK_FORM_LINES, .blanks = true, .key = first_column, .key_count = 1, .by = "2"};

/* ---- Files -------------------------------------------------------------------------------- */

static void build_with(const char *path, const char *text, const ink_params *kinds, size_t count,
                       const ink_reading *how)
{
    records_build_file(path, text, strlen(text), how == NULL ? &lines : how, kinds, count);
    job = (ink_job){0};
}

static void build(const char *path, const char *text, const char *kind)
{
    const ink_params params = {.kind = kind};

    build_with(path, text, &params, 1, NULL);
}

static void build_groups(const char *path, const char *text, const char *kind)
{
    const ink_params params = {.kind = kind};

    build_with(path, text, &params, 1, &pairs);
}

static ink_status merge(ink_set **set, const char *const *paths, size_t count,
                        const ink_union_options *options)
{
    ink_input inputs[4] = {{0}};

    for (size_t i = 0; i < count; i++)
        inputs[i].path = paths[i];
    return ink_union_files(set, inputs, count, options, &job, &error);
}

/* The sketches of one file that answer. */
static ink_set *answering(const char *path, const ink_union_options *options)
{
    ink_set *set;

    CHECK_OK(merge(&set, &path, 1, options));
    return set;
}

static const ink_sketch *entry_of(const ink_set *set, size_t index, ink_label *label)
{
    ink_entry entry;

    CHECK_OK(ink_set_entry(set, index, &entry, &error));
    if (label != NULL)
        *label = entry.label;
    return entry.sketch;
}

static const char *kind_of(const ink_set *set)
{
    ink_description description;

    ink_sketch_describe(entry_of(set, 0, NULL), &description);
    return description.kind;
}

static double distinct_of(const ink_sketch *sketch)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
    return answer.estimate;
}

/* ---- Looking ------------------------------------------------------------------------------ */

static ink_status look(const char *a, const char *b, bool *sketches)
{
    ink_input inputs[] = {{.path = a}, {.path = b}};

    return ink_inputs_look(inputs, b == NULL ? 1 : 2, sketches, &job, &error);
}

TEST(the_first_bytes_report_sketches_from_records)
{
    bool sketches;

    build("a.ink", "one\ntwo\n", "hll");
    records_write("records", "one\ntwo\n", 8);
    records_write("empty", "", 0);
    records_write("short", "\x89INK\r\n", 6); /* only looks like one */
    CHECK_OK(look("a.ink", "a.ink", &sketches));
    assert_true(sketches);
    CHECK_OK(look("records", "empty", &sketches));
    assert_false(sketches);
    CHECK_OK(look("short", NULL, &sketches));
    assert_false(sketches);
    CHECK_FAILS(look("a.ink", "records", &sketches), INK_USAGE, "records after a file of sketches");
    assert_string_equal(job.failed_path, "records");
    CHECK_FAILS(look("records", "a.ink", &sketches), INK_USAGE,
                "a file of sketches after one of records");
    assert_string_equal(job.failed_path, "a.ink");
    records_write("damaged.ink", "\x88INK\r\n\x1a\n and more", 17);
    CHECK_FAILS(look("damaged.ink", NULL, &sketches), INK_FORMAT,
                "named .ink, but does not begin as an .ink file");
    assert_string_equal(job.failed_path, "damaged.ink");
    records_write("damaged.ink", "", 0);
    CHECK_FAILS(look("records", "damaged.ink", &sketches), INK_FORMAT, "named .ink");
    CHECK_FAILS(look("records", "absent", &sketches), INK_IO, "cannot open");
    assert_string_equal(job.failed_path, "absent");
    CHECK_OK(look("/dev/null", NULL, &sketches)); /* not looked at */
    assert_false(sketches);
}

/* Records that come through standard input, looked at before they are read. */
static uint64_t records_after_a_look(const void *bytes, size_t count, const char *first_key)
{
    records_pipe           *pipe = records_pipe_begin(NULL, bytes, count);
    const ink_params        kind = {.kind = "count-min"};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    ink_input               input = {.path = "-"};
    bool                    sketches;
    ink_set                *set;
    ink_answer              answer;

    CHECK_OK(ink_inputs_look(&input, 1, &sketches, &job, &error));
    assert_false(sketches);
    CHECK_OK(ink_build(&set, &input, 1, &lines, &options, &job, &error));
    CHECK_OK(
        ink_sketch_count(entry_of(set, 0, NULL), first_key, strlen(first_key), &answer, &error));
    assert_true(count == 0 || answer.estimate == 1);
    ink_set_free(set);
    records_pipe_end(pipe);
    return job.records;
}

TEST(nothing_of_standard_input_is_lost_by_a_look)
{
    static const char text[] = "a line longer than a look\nb\nc\n";

    assert_int_equal(records_after_a_look(text, sizeof text - 1, "a line longer than a look"), 3);
    assert_int_equal(records_after_a_look("a\n\nb", 4, "a"), 3);
    assert_int_equal(records_after_a_look("", 0, ""), 0);
}

TEST(compressed_standard_input_is_looked_through_after_a_look)
{
    for (int zstd = 0; zstd < 2; zstd++) {
        (zstd ? records_zstd : records_gzip)("z", "first\nsecond\n", 13);
        owned_bytes bytes = records_read("z");
        assert_int_equal(records_after_a_look(bytes.bytes, bytes.count, "first"), 2);
        unlink("z");
    }
}

TEST(sketches_may_come_through_standard_input)
{
    ink_input inputs[] = {{.path = "b.ink"}, {.path = "-"}};
    bool      sketches;
    ink_set  *set;

    build("a.ink", "one\ntwo\n", "hll");
    build("b.ink", "two\nthree\n", "hll");
    owned_bytes   bytes = records_read("a.ink");
    records_pipe *pipe = records_pipe_begin(NULL, bytes.bytes, bytes.count);
    CHECK_OK(ink_inputs_look(inputs, 2, &sketches, &job, &error));
    assert_true(sketches);
    CHECK_OK(ink_union_files(&set, inputs, 2, &ask_distinct, &job, &error));
    assert_true(fabs(distinct_of(entry_of(set, 0, NULL)) - 3) < 0.01);
    ink_set_free(set);
    records_pipe_end(pipe);
}

/* ---- Kinds -------------------------------------------------------------------------------- */

/* The kind of the sketches of all inputs that answer. */
static void check_kind_of(const ink_input *inputs, size_t count, const char *kind)
{
    owned_set *set;

    CHECK_OK(ink_union_files(&set, inputs, count, &ask_distinct, &job, &error));
    assert_string_equal(kind_of(set), kind);
}

static void check_kind_asked(const char *path, ink_question question, const char *wanted,
                             const char *kind)
{
    const ink_union_options options = {.question = question, .kind = wanted};
    owned_set              *set = answering(path, &options);

    assert_string_equal(kind_of(set), kind);
}

TEST(the_kind_asked_is_the_best_that_is_there_or_the_one_wanted)
{
    const ink_params all[] = {{.kind = "bloom"}, {.kind = "count-min"}, {.kind = "top"},
                              {.kind = "fm"},    {.kind = "hll"},       {.kind = "counting"}};

    build_with("all.ink", "a\nb\n", all, 6, NULL);
    check_kind_asked("all.ink", INK_ASK_COUNT, NULL, "count-min");
    check_kind_asked("all.ink", INK_ASK_COUNT, "top", "top");
    check_kind_asked("all.ink", INK_ASK_COUNT, "counting", "counting");
    check_kind_asked("all.ink", INK_ASK_TOP, NULL, "top");
    check_kind_asked("all.ink", INK_ASK_DISTINCT, NULL, "hll");
    check_kind_asked("all.ink", INK_ASK_DISTINCT, "bloom", "bloom");
    check_kind_asked("all.ink", INK_ASK_DOT, NULL, "count-min");
    build_with("all.ink", "a\nb\n", all, 4, NULL);
    check_kind_asked("all.ink", INK_ASK_DISTINCT, NULL, "fm");
    build_with("all.ink", "a\nb\n", all, 3, NULL);
    check_kind_asked("all.ink", INK_ASK_DISTINCT, NULL, "bloom");
    build_with("all.ink", "a\nb\n", all + 2, 1, NULL);
    check_kind_asked("all.ink", INK_ASK_COUNT, NULL, "top");
    build_with("all.ink", "a\nb\n", all + 3, 3, NULL);
    check_kind_asked("all.ink", INK_ASK_COUNT, NULL, "counting");
    check_kind_asked("all.ink", INK_ASK_DISTINCT, NULL, "hll");
}

TEST(of_several_files_the_best_kind_that_all_have_is_asked)
{
    const ink_params both[] = {{.kind = "hll"}, {.kind = "fm"}};
    const ink_params filters[] = {{.kind = "hll"}, {.kind = "bloom", .bits = 1024}};
    ink_input        inputs[] = {{.path = "both.ink"}, {.path = "fm.ink"}, {.path = "both.ink"}};

    build_with("both.ink", "a\nb\n", both, 2, NULL);
    build("fm.ink", "c\n", "fm");
    check_kind_of(inputs, 3, "fm");
    check_kind_of(inputs + 1, 1, "fm");
    /* In any order, and filters too. */
    build_with("both.ink", "a\nb\n", filters, 2, NULL);
    build_with("bloom.ink", "c\n", filters + 1, 1, NULL);
    inputs[1].path = "bloom.ink";
    for (size_t first = 0; first < 2; first++)
        check_kind_of(inputs + first, 2, "bloom");
    owned_bytes   bytes = records_read("bloom.ink");
    records_pipe *pipe = records_pipe_begin(NULL, bytes.bytes, bytes.count);
    inputs[1].path = "-";
    check_kind_of(inputs, 2, "bloom");
    records_pipe_end(pipe);
    inputs[1] = (ink_input){.memory = bytes.bytes, .memory_bytes = bytes.count};
    check_kind_of(inputs, 2, "bloom");
    build_with("both.ink", "a\nb\n", both, 2, NULL);
    inputs[1] = (ink_input){.path = "fm.ink"};
    /* What a later file has besides does not count, nor does one without sketches. */
    const ink_input later[] = {{.path = "fm.ink"}, {.path = "both.ink"}, {.path = "both.ink"}};
    check_kind_of(later, 3, "fm");
    CHECK_OK(ink_contents_save("fm.ink", &(ink_contents){0}, &error));
    check_kind_of(inputs, 3, "hll");
}

/* Also those of the last task, of which there are fewer. */
TEST(each_entry_is_estimated_and_nothing_else)
{
    enum { ENTRIES = 1 << 11 };
    owned_bytes text = {0};

    for (unsigned i = 0; i < ENTRIES; i++)
        records_say(&text, "a %u\nb %u\n", i, i);
    owned_set  *set = records_build(text.bytes, text.count, &pairs, &(ink_params){.kind = "fm"}, 1);
    ink_entry  *entries = test_malloc(ENTRIES * sizeof *entries);
    ink_answer *found = test_malloc(ENTRIES * sizeof *found);
    for (size_t i = 0; i < ENTRIES; i++)
        CHECK_OK(ink_set_entry(set, i, &entries[i], &error));
    for (size_t count = 0; count < ENTRIES; count = 2 * count + 511) {
        ink_job few = {.threads = 2};
        for (size_t i = 0; i < ENTRIES; i++)
            found[i].estimate = -1;
        CHECK_OK(
            ink_distinct_entries(entries, count, INK_ESTIMATOR_UNLIMITED, 0, found, &few, &error));
        for (size_t i = 0; i < ENTRIES; i++)
            CHECK((found[i].estimate >= 0) == (i < count));
    }
    test_free(entries);
    test_free(found);
}

TEST(a_kind_that_cannot_answer_or_is_not_there_is_refused_by_name)
{
    const ink_params  filters[] = {{.kind = "bloom"}, {.kind = "classic"}};
    const char *const paths[] = {"h.ink", "a.ink"};
    const struct {
        size_t            first, count; /* paths */
        ink_union_options asked;
        ink_status        status;
        const char       *words;
    } wrong[] = {
        {1, 1, ask_count, INK_UNSUPPORTED,
         "holds bloom and classic, expected count-min, top or counting"},
        {1, 1, ask_distinct, INK_USAGE, "holds bloom and classic, expected a choice (kind)"},
        {0, 2, ask_distinct, INK_UNSUPPORTED, "expected hll"},
        {1, 1, {.question = INK_ASK_DISTINCT, .kind = "fm"}, INK_UNSUPPORTED, "expected fm"},
        {1,
         1,
         {.question = INK_ASK_DISTINCT, .kind = "top"},
         INK_USAGE,
         "top cannot count different keys"},
        {1, 1, {.question = INK_ASK_DISTINCT, .kind = "flower"}, INK_USAGE, "flower"},
        {1, 0, {.question = INK_ASK_DISTINCT, .kind = "flower"}, INK_USAGE, "no file"},
        {1, 1, {.question = (ink_question)4}, INK_USAGE, "question 4, expected 0 to 3"},
    };
    ink_set *set;

    build_with("a.ink", "a\nb\n", filters, 2, NULL);
    build("h.ink", "a\n", "hll");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(merge(&set, paths + wrong[i].first, wrong[i].count, &wrong[i].asked),
                    wrong[i].status, wrong[i].words);
        if (wrong[i].status == INK_UNSUPPORTED)
            assert_string_equal(job.failed_path, "a.ink");
    }
}

TEST(no_more_of_an_input_was_read_than_it_can_hold)
{
    static const char *const more = "9 bytes of an input were read, expected at most 8";
    ink_input                input = {.path = "-", .begun_bytes = INK_LOOK_BYTES + 1};
    ink_set                 *set;
    bool                     sketches;

    CHECK_FAILS(ink_inputs_look(&input, 1, &sketches, &job, &error), INK_USAGE, more);
    CHECK_FAILS(ink_union_files(&set, &input, 1, &ask_distinct, &job, &error), INK_USAGE, more);
}

TEST(a_pipe_that_ended_is_looked_at_again)
{
    ink_input input = {.path = "-", .begun_all = 1};
    bool      sketches;

    for (unsigned bytes = 0; bytes <= INK_LOOK_BYTES; bytes += INK_LOOK_BYTES) {
        memcpy(input.begun, "\x89INK\r\n\x1a\n", INK_LOOK_BYTES);
        input.begun_bytes = bytes;
        for (unsigned i = 0; i < 2; i++) {
            CHECK_OK(ink_inputs_look(&input, 1, &sketches, &job, &error));
            assert_int_equal(sketches, bytes == INK_LOOK_BYTES);
        }
    }
}

static int open_files(void)
{
    int count = 0;

    for (int file = 0; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

TEST(a_pipe_that_sketches_came_through_is_closed)
{
    const int before = open_files();
    char      path[32];
    ink_file *file;

    build("a.ink", "one\ntwo\n", "hll");
    owned_bytes bytes = records_read("a.ink");
    for (int whole = 0; whole < 2; whole++) { /* or cut, and refused */
        size_t sent = whole ? bytes.count : 20;
        int    ends[2];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], bytes.bytes, sent), sent);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        if (whole) {
            CHECK_OK(ink_file_open_any(&file, path, NULL, &error));
            ink_file_close(file);
        } else
            CHECK_FAILS(ink_file_open_any(&file, path, NULL, &error), INK_FORMAT, "too short");
        close(ends[0]);
        assert_int_equal(open_files(), before);
    }
}

TEST(a_file_of_another_system_is_mapped_until_it_is_read)
{
    static const uint8_t empty[] = "HYLL\1\0\0\0\0\0\0\0\0\0\0\x80\x7f\xff"; /* of Redis */
    ink_file            *file;

    records_write("a.hll", empty, sizeof empty - 1);
    faults_system_begin(NULL);
    CHECK_OK(ink_file_open_any(&file, "a.hll", NULL, &error));
    faults_system_end();
    CHECK(faults_calls(FAULTS_MAP) > 0 && faults_maps() == 0 && faults_open_files() == 0);
    ink_file_close(file);
    unlink("a.hll");
}

/* ---- Unions ------------------------------------------------------------------------------- */

TEST(files_are_merged_by_group_for_any_promised_rate)
{
    const char  *paths[] = {"a.ink", "b.ink", "c.ink"};
    const char  *groups[] = {"x", "y", "z"};
    const double expected[] = {3, 1, 2};
    ink_set     *set;

    build_groups("a.ink", "k1 x\nk2 x\nk1 y\n", "hll");
    build_groups("b.ink", "k2 x\nk3 x\nk5 z\n", "hll");
    build_groups("c.ink", "k6 z\n", "hll");
    CHECK_OK(merge(&set, paths, 3, &ask_distinct));
    assert_int_equal(ink_set_count(set), 3);
    for (size_t i = 0; i < 3; i++) {
        ink_label         label, wanted = ink_group(groups[i]);
        const ink_sketch *sketch = entry_of(set, i, &label);
        assert_int_equal(ink_label_compare(&label, &wanted), 0);
        assert_true(fabs(distinct_of(sketch) - expected[i]) < 0.01);
    }
    ink_set_free(set);
    UNLINK("a.ink", "b.ink", "c.ink");

    /* Filters that would be too full together are merged all the same. */
    const ink_params small = {.kind = "bloom", .bits = 256, .expected_keys = 10};
    build_with("a.ink", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", &small, 1, NULL);
    build_with("b.ink", "11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n", &small, 1, NULL);
    CHECK_OK(merge(&set, paths, 2, &ask_distinct));
    assert_true(fabs(distinct_of(entry_of(set, 0, NULL)) - 20) < 5);
    ink_set_free(set);
}

TEST(sketches_that_do_not_fit_are_refused_with_their_path)
{
    const ink_params other = {.kind = "count-min", .epsilon = 0.01};
    const ink_params seeded = {.kind = "count-min", .seed = 7, .has_seed = true};
    const char      *paths[] = {"a.ink", "b.ink"};
    ink_set         *set;

    build("a.ink", "a\n", "count-min");
    build_with("b.ink", "b\n", &other, 1, NULL);
    CHECK_FAILS(merge(&set, paths, 2, &ask_count), INK_MISMATCH, "");
    assert_string_equal(job.failed_path, "b.ink");
    build_with("b.ink", "b\n", &seeded, 1, NULL);
    CHECK_FAILS(merge(&set, paths, 2, &ask_count), INK_MISMATCH, "seed 7");
    records_write("b.ink", "\x89INK\r\n\x1a\n and more", 17);
    CHECK_FAILS(merge(&set, paths, 2, &ask_count), INK_FORMAT, "");
    assert_string_equal(job.failed_path, "b.ink");
}

TEST(of_time_slots_the_newest_are_asked)
{
    const ink_params params = {.kind = "hll"};
    ink_entry        entries[3];
    const char      *path = "w.ink";

    for (uint64_t i = 0; i < 3; i++)
        entries[i] = (ink_entry){{.has_slot = true, .slot = (int64_t)i},
                                 files_sketch(&params, 100 * i, 10 * (i + 1), NULL)};
    records_save_entries(path, entries, 3);
    for (uint64_t last = 0; last < 5; last++) {
        const ink_union_options asked = {.question = INK_ASK_DISTINCT, .last = (size_t)last};
        const double            keys[] = {60, 30, 50, 60, 60};
        ink_label               label;
        owned_set              *set = answering(path, &asked);
        assert_int_equal(ink_set_count(set), 1);
        assert_true(fabs(distinct_of(entry_of(set, 0, &label)) - keys[last]) < 1);
        assert_false(label.has_slot);
    }
    unlink(path);
}

TEST(a_group_with_slots_and_without_one_is_merged_or_only_its_slots_are_asked)
{
    const ink_params params = {.kind = "hll"};
    ink_entry        entries[4];
    const char      *path = "w.ink";

    for (uint64_t i = 0; i < 4; i++)
        entries[i] = (ink_entry){{.has_slot = i % 2 == 1, .slot = i % 2 == 1 ? (int64_t)i : 0},
                                 files_sketch(&params, 100 * i, 10 * (i + 1), NULL)};
    for (int i = 2; i < 4; i++) {
        entries[i].label.group_kind = INK_GROUP_BYTES;
        entries[i].label.group = "g";
        entries[i].label.group_bytes = 1;
    }
    records_save_entries(path, entries, 4);
    for (size_t last = 0; last < 2; last++) {
        const ink_union_options asked = {.question = INK_ASK_DISTINCT, .last = last};
        const double            keys[2][2] = {{30, 70}, {20, 40}};
        owned_set              *set = answering(path, &asked);
        assert_int_equal(ink_set_count(set), 2);
        for (size_t i = 0; i < 2; i++)
            assert_true(fabs(distinct_of(entry_of(set, i, NULL)) - keys[last][i]) < 1);
    }
    unlink(path);
}

TEST(keyed_files_need_their_secret)
{
    static const uint8_t secret[INK_SECRET_BYTES] = {1}, other[INK_SECRET_BYTES] = {2};
    const ink_params     params = {.kind = "hll", .secret = secret};
    ink_union_options    asked = {.question = INK_ASK_DISTINCT};
    const char          *path = "k.ink";
    ink_set             *set;

    build_with(path, "a\nb\n", &params, 1, NULL);
    CHECK_FAILS(merge(&set, &path, 1, &asked), INK_MISMATCH, "expected its secret");
    asked.secret = other;
    CHECK_FAILS(merge(&set, &path, 1, &asked), INK_MISMATCH, "secret");
    asked.secret = secret;
    CHECK_OK(merge(&set, &path, 1, &asked));
    ink_set_free(set);
    unlink(path);
}

TEST(a_file_without_entries_answers_nothing)
{
    const char *path = "none.ink";

    CHECK_OK(ink_contents_save(path, &(ink_contents){0}, &error));
    owned_set *set = answering(path, &ask_top);
    assert_int_equal(ink_set_count(set), 0);
    unlink(path);
}

/* ---- Counts ------------------------------------------------------------------------------- */

typedef struct counts {
    records_bytes text; /* "group key estimate low high;" for each row */
    unsigned      ends;
    int           fails_at; /* row number, from 1; 0: never */
    int           rows;
} counts;

static void free_counts(counts *of)
{
    records_bytes_free(&of->text);
}

#define owned_counts OWNED(free_counts) counts

static int take_row(void *host, const ink_count_row *row)
{
    counts *all = host;

    if (++all->rows == all->fails_at)
        return ENOSPC;
    records_put(&all->text, row->label.group_kind == INK_GROUP_BYTES ? row->label.group : "-",
                row->label.group_kind == INK_GROUP_BYTES  ? row->label.group_bytes
                : row->label.group_kind == INK_GROUP_NULL ? 1
                                                          : 0);
    records_say(&all->text, " ");
    records_put(&all->text, row->key, row->key_bytes);
    records_say(&all->text, " %g %g %g;", row->count.estimate, row->count.low, row->count.high);
    return 0;
}

static int take_end(void *host)
{
    ((counts *)host)->ends++;
    return 0;
}

static ink_status count_in(const ink_set *set, const char *keys, const ink_reading *how,
                           unsigned threads, counts *all)
{
    const ink_count_sink sink = {take_row, take_end, all};
    const ink_input      input = {.memory = (const uint8_t *)keys, .memory_bytes = strlen(keys)};

    job = (ink_job){.threads = threads, .chunk_bytes = 16};
    return ink_count_keys(set, &input, 1, how == NULL ? &lines : how, &sink, &job, &error);
}

static void check_counts(const char *path, const char *keys, const ink_reading *how,
                         const char *expected)
{
    owned_set *set;

    CHECK_OK(merge(&set, &path, 1, &ask_count));
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        owned_counts all = {0};
        CHECK_OK(count_in(set, keys, how, threads, &all));
        if (!records_are(&all.text, expected))
            fail_msg("%.*s, expected %s", (int)all.text.count, (const char *)all.text.bytes,
                     expected);
        assert_true(all.ends > 0 || *keys == 0);
    }
}

TEST(keys_are_counted_in_their_order_for_any_number_of_threads)
{
    build("c.ink", "a\nb\na\nc\na\n", "count-min");
    check_counts("c.ink", "c\na\nlonger than a chunk of keys\n\nb\na\n", NULL,
                 " c 1 0.9995 1; a 3 2.9995 3; longer than a chunk of keys 0 0 0;  0 0 0; b 1 "
                 "0.9995 1; a 3 2.9995 3;");
    build("t.ink", "a\nb\na\nc\na\n", "top");
    check_counts("t.ink", "c\na\nd\n", NULL, " c 1 1 1; a 3 3 3; d 0 0 0;");
    check_counts("t.ink", "", NULL, "");
}

typedef struct numbered {
    uint64_t rows, each; /* so far, and of a key */
    bool     wrong;
} numbered;

/* Keys are their numbers. */
static int take_number(void *host, const ink_count_row *row)
{
    numbered *all = host;
    char      expected[16];
    int       bytes =
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)(all->rows++ / all->each));

    all->wrong = all->wrong || row->key_bytes != (size_t)bytes ||
                 memcmp(row->key, expected, (size_t)bytes) != 0;
    return 0;
}

/* Those that are asked before their turn, and the rest. */
TEST(each_key_of_a_large_chunk_has_its_row)
{
    enum { KEYS = 100000 };
    const char *path = "g.ink";
    owned_bytes keys = {0};

    for (unsigned i = 0; i < KEYS; i++)
        records_say(&keys, "%u\n", i);
    build_groups(path, "1 x\n1 y\n2 z\n", "count-min");
    const ink_input input = {.memory = keys.bytes, .memory_bytes = keys.count};
    owned_set      *set = answering(path, &ask_count);
    for (unsigned threads = 1; threads <= 2; threads++) {
        numbered             all = {.each = 3};
        const ink_count_sink sink = {take_number, NULL, &all};
        job = (ink_job){.threads = threads, .chunk_bytes = keys.count};
        CHECK_OK(ink_count_keys(set, &input, 1, &lines, &sink, &job, &error));
        CHECK(all.rows == 3 * KEYS && !all.wrong);
    }
    unlink(path);
}

/* Of two keys alone a top of one place for each is exact, whatever else there is. */
TEST(only_the_keys_of_another_sketch_are_added)
{
    static const char keys[] = "a\nb\n", text[] = "a x\nc x\nd x\nb y\ne x\na x\nf z\ng x\n";
    const ink_params  two = {.kind = "top", .phi = 0.5};
    const ink_input   asked = {.memory = (const uint8_t *)keys, .memory_bytes = strlen(keys)};
    const ink_input   data = {.memory = (const uint8_t *)text, .memory_bytes = strlen(text)};
    ink_build_options options = {.kinds = &two, .kind_count = 1};
    owned_set        *only, *set = NULL;

    job = (ink_job){0};
    CHECK_OK(ink_build(&only, &asked, 1, &lines, &options, &job, &error));
    options.only = entry_of(only, 0, NULL);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        owned_counts all = {0};
        job = (ink_job){.threads = threads, .chunk_bytes = 8};
        CHECK_OK(ink_build(&set, &data, 1, &pairs, &options, &job, &error));
        CHECK(job.records == 8);
        CHECK_OK(count_in(set, keys, NULL, threads, &all));
        CHECK(
            records_are(&all.text, "x a 2 2 2;y a 0 0 0;z a 0 0 0;x b 0 0 0;y b 1 1 1;z b 0 0 0;"));
        ink_set_free(set);
        set = NULL;
    }
    const ink_params wrong = {.kind = "hll"};
    owned_sketch    *uncounted = files_sketch(&wrong, 0, 1, NULL);
    options.only = uncounted;
    CHECK_FAILS(ink_build(&set, &data, 1, &pairs, &options, &job, &error), INK_UNSUPPORTED,
                "hll cannot tell how often a key was added");
}

TEST(each_key_is_asked_of_every_group_or_of_its_own)
{
    build_groups("g.ink", "a x\na x\nb x\na y\n", "top");
    check_counts("g.ink", "a\nb\n", NULL, "x a 2 2 2;y a 1 1 1;x b 1 1 1;y b 0 0 0;");
    check_counts("g.ink", "a y\na x\nb q\nb x\n", &pairs,
                 "y a 1 1 1;x a 2 2 2;q b 0 0 0;x b 1 1 1;");
}

TEST(the_null_group_is_one_of_its_own)
{
    const char *const key[] = {"k"};
    const ink_reading how = {.form = INK_FORM_JSONL, .key = key, .key_count = 1, .by = "g"};
    const ink_params  top = {.kind = "top"};

    build_with("n.ink", "{\"k\":\"a\",\"g\":null}\n{\"k\":\"a\",\"g\":\"x\"}\n", &top, 1, &how);
    check_counts("n.ink", "a\n", NULL, "- a 1 1 1;x a 1 1 1;");
    check_counts("n.ink", "{\"k\":\"a\",\"g\":null}\n", &how, "- a 1 1 1;");
}

TEST(integer_keys_are_reported_by_their_digits)
{
    const ink_params  kind = {.kind = "top"};
    const ink_reading ints = {.form = INK_FORM_LINES, .keys = INK_KEYS_INT};
    const ink_reading bytes = {.form = INK_FORM_LINES, .keys = INK_KEYS_BYTES};
    const char       *path = "i.ink";
    owned_counts      all = {0};

    build_with(path, "7\n-12\n7\n", &kind, 1, &ints);
    check_counts(path, "-12\n007\n8\n", NULL, " -12 1 1 1; 7 2 2 2; 8 0 0 0;");
    /* Chunks of bad keys alone have no rows. */
    check_counts(path, "7\n-12\n8\nbad bad bad bad\nbad bad bad bad\n7\n",
                 &(ink_reading){.form = INK_FORM_LINES, .skip_bad = true},
                 " 7 2 2 2; -12 1 1 1; 8 0 0 0; 7 2 2 2;");
    owned_set *set = answering(path, &ask_count);
    CHECK_FAILS(count_in(set, "1\n", &bytes, 1, &all), INK_MISMATCH, "integers");
    CHECK_FAILS(count_in(set, "1\nx\n", NULL, 1, &all), INK_FORMAT, "");
    assert_int_equal(error.location, INK_AT_LINE);
    assert_int_equal(error.at, 2);
    unlink(path);
}

TEST(tuples_need_as_many_columns_and_come_apart_again)
{
    const char *const key[] = {"1", "2", "3"};
    const ink_params  kind = {.kind = "top"};
    const ink_reading how = {.form = INK_FORM_CSV, .key = key, .key_count = 2};
    const ink_reading more = {.form = INK_FORM_CSV, .key = key, .key_count = 3};
    const char       *path = "t.ink";
    const uint8_t    *rest, *field;
    size_t            rest_bytes, field_bytes, found;
    ink_set          *set;
    ink_item          item;
    owned_counts      all = {0};

    build_with(path, "ab,,c\nab,,d\nx,y,z\n", &kind, 1, &how);
    CHECK_OK(merge(&set, &path, 1, &ask_top));
    assert_int_equal(ink_set_key_columns(set), 2);
    CHECK_FAILS(count_in(set, "ab\n", NULL, 1, &all), INK_USAGE, "tuples of 2 columns");
    CHECK_FAILS(count_in(set, "a,b,c\n", &more, 1, &all), INK_USAGE, "tuples of 2 columns");
    CHECK_OK(ink_sketch_top(entry_of(set, 0, NULL), &item, 1, &found, &error));
    rest = item.key;
    rest_bytes = item.key_bytes;
    assert_true(ink_tuple_next(&rest, &rest_bytes, &field, &field_bytes));
    assert_true(field_bytes == 2 && memcmp(field, "ab", 2) == 0);
    assert_true(ink_tuple_next(&rest, &rest_bytes, &field, &field_bytes));
    assert_int_equal(field_bytes, 0);
    assert_false(ink_tuple_next(&rest, &rest_bytes, &field, &field_bytes));
    rest = item.key;
    rest_bytes = 5; /* cut within a field */
    assert_false(ink_tuple_next(&rest, &rest_bytes, &field, &field_bytes));
    ink_set_free(set);
    build(path, "a\n", "top");
    CHECK_OK(merge(&set, &path, 1, &ask_top));
    assert_int_equal(ink_set_key_columns(set), 1);
    CHECK_FAILS(count_in(set, "a,b\n", &how, 1, &all), INK_USAGE, "are no tuples");
    ink_set_free(set);
    unlink(path);
}

static bool is_wanted(void *host, const ink_label *label)
{
    return ink_label_compare(label, host) == 0;
}

TEST(entries_that_are_not_wanted_are_dropped)
{
    const char  *path = "g.ink";
    ink_label    wanted = ink_group("y");
    owned_counts all = {0};

    build_groups(path, "a x\na y\nb z\n", "top");
    owned_set *set = answering(path, &ask_count);
    ink_set_keep(set, is_wanted, &wanted);
    assert_int_equal(ink_set_count(set), 1);
    CHECK_OK(count_in(set, "a\n", NULL, 1, &all));
    assert_true(records_are(&all.text, "y a 1 1 1;"));
    wanted = ink_group("q");
    ink_set_keep(set, is_wanted, &wanted);
    assert_int_equal(ink_set_count(set), 0);
    const ink_count_sink sink = {take_row, take_end, &all};
    job = (ink_job){.records = 7, .bad = 7, .nulls = 7, .failed_path = "stale"};
    CHECK_OK(ink_count_keys(set, &(ink_input){.path = "none"}, 1, &lines, &sink, &job, &error));
    CHECK(job.records == 0 && job.bad == 0 && job.nulls == 0 && job.failed_path == NULL);
    unlink(path);
}

TEST(a_sink_that_is_full_ends_the_count)
{
    const char *path = "c.ink";

    build(path, "a\n", "count-min");
    owned_set *set = answering(path, &ask_count);
    for (unsigned threads = 1; threads <= 3; threads++) {
        owned_counts all = {.fails_at = 2};
        CHECK_FAILS(count_in(set, "a\nb\nc\nd\n", NULL, threads, &all), INK_IO, "cannot write");
        assert_int_equal(error.os_error, ENOSPC);
        assert_int_equal(all.rows, 2);
    }
    unlink(path);
}

TEST(entries_of_a_build_stand_in_order_of_label)
{
    const ink_params kind = {.kind = "hll"};
    owned_bytes      text = {0};

    for (unsigned i = 0; i < 3000; i++)
        records_say(&text, "k %u\n", i * 7919 % 5003);
    owned_set *set = records_build(text.bytes, text.count, &pairs, &kind, 1);
    assert_int_equal(ink_set_count(set), 3000);
    for (size_t i = 1; i < ink_set_count(set); i++) {
        ink_label before, label;
        entry_of(set, i - 1, &before);
        entry_of(set, i, &label);
        assert_true(ink_label_compare(&before, &label) < 0);
    }
}

TEST(standard_input_is_one_input_at_most)
{
    const ink_input         twice[] = {{.path = "-"}, {.path = "records"}, {.path = "-"}};
    const char *const       paths[] = {"-", "a.ink", "-"};
    const ink_params        bloom = {.kind = "bloom"};
    const ink_build_options options = {.kinds = &bloom, .kind_count = 1};
    ink_uniq_report         report;
    ink_set                *set = NULL;

    CHECK_FAILS(ink_build(&set, twice, 3, &lines, &options, &job, &error), INK_USAGE, "twice");
    CHECK_FAILS(ink_uniq(twice, 3, &lines, &(ink_uniq_options){0}, NULL, &report, &job, &error),
                INK_USAGE, "twice");
    CHECK_FAILS(ink_union_files(&set, twice, 3, &ask_count, &job, &error), INK_USAGE, "twice");
    CHECK_FAILS(ink_merge_files(&set, paths, 3, NULL, &job, &error), INK_USAGE, "twice");
}

RUN_TESTS_REMOVING("a.ink", "records", "empty", "short", "damaged.ink", "b.ink", "all.ink",
                   "both.ink", "fm.ink", "bloom.ink", "h.ink", "c.ink", "t.ink", "g.ink", "n.ink")
