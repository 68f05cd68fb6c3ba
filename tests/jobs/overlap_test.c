/* overlap_test.c - files and sets are compared pair by pair and group by group: the rows are those
 * of ink_sketch_overlap, in order, for any number of threads; a group that a file does not have is
 * empty there; and what does not fit together is refused with the file's name. */
#include "inkling_job.h"

#include "support/check.h"
#include "support/files.h"
#include "support/records.h"

#include <errno.h>
#include <stdio.h>

static ink_error error;
static ink_job   job;

enum { ROWS_MAX = 8192 };
static ink_overlap_row rows[ROWS_MAX];
static char            labels[ROWS_MAX][8];
static size_t          row_count;

static int keep_row(void *host, const ink_overlap_row *row)
{
    if (host != NULL)
        return EPIPE;
    CHECK(row_count < ROWS_MAX && row->label.group_bytes < sizeof labels[0]);
    snprintf(labels[row_count], sizeof labels[0], "%.*s", (int)row->label.group_bytes,
             row->label.group_bytes == 0 ? "" : (const char *)row->label.group);
    rows[row_count++] = *row;
    return 0;
}

static const ink_overlap_sink sink = {keep_row, NULL};

/* Keys from..until - 1, of `groups` groups by turns, or of none. */
static void build(const char *path, const char *kind, int from, int until, int groups, int first)
{
    static const char *const column[] = {"1"};
    const ink_reading        plain = {.form = INK_FORM_LINES};
    const ink_reading        by = {
               .form = INK_FORM_LINES, .blanks = true, .key = column, .key_count = 1, .by = "2"};
    const ink_params params = {.kind = kind};
    owned_bytes      text = {0};

    for (int i = from; i < until; i++)
        if (groups > 0)
            records_say(&text, "%d g%d\n", i, first + i % groups);
        else
            records_say(&text, "%d\n", i);
    records_build_file(path, (const char *)text.bytes, text.count, groups > 0 ? &by : &plain,
                       &params, 1);
}

static ink_status compare(const char *const *paths, size_t count,
                          const ink_overlap_options *options, unsigned threads)
{
    ink_input inputs[40] = {{0}};

    CHECK(count <= 40);
    for (size_t i = 0; i < count; i++)
        inputs[i].path = paths[i];
    row_count = 0;
    job = (ink_job){.threads = threads};
    return ink_overlap_files(inputs, count, options, &sink, &job, &error);
}

static const ink_overlap_options usual;

static void check_threads(const char *kind)
{
    static const char *const paths[] = {"a.ink", "b.ink", "c.ink"};
    static const unsigned    threads[] = {1, 2, 3, 8, 64};
    static ink_overlap_row   first[ROWS_MAX];

    build("a.ink", kind, 0, 9000, 700, 0);
    build("b.ink", kind, 4500, 12000, 700, 0);
    build("c.ink", kind, 0, 500, 50, 680); /* most groups of its own */
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        CHECK_OK(compare(paths, 3, &usual, threads[t]));
        assert_int_equal(row_count, 730 * 3);
        for (size_t i = 0; i < row_count; i++)
            rows[i].label = (ink_label){0};
        if (t == 0)
            memcpy(first, rows, sizeof rows);
        assert_memory_equal(first, rows, sizeof rows);
    }
    ink_file *files[2];
    for (size_t i = 0; i < 2; i++)
        CHECK_OK(ink_file_open(&files[i], paths[i], INK_OPEN_CHECKED, NULL, &error));
    for (size_t i = 0; i < row_count; i += 3) {
        ink_label   label = ink_group(labels[i]);
        ink_sketch *pair[2] = {NULL, NULL};
        ink_overlap alone;
        size_t      index;
        CHECK(rows[i].a == 0 && rows[i].b == 1 && rows[i + 1].b == 2 && rows[i + 2].a == 1);
        CHECK(i == 0 || strcmp(labels[i - 1], labels[i]) < 0);
        if (ink_file_find(files[0], NULL, &label, &index, NULL) != INK_OK) {
            CHECK(rows[i].overlap.in_union.high == 0 && rows[i + 1].overlap.intersection.high == 0);
            CHECK(rows[i + 1].overlap.only_b.estimate >= 1);
            continue;
        }
        for (size_t k = 0; k < 2; k++) {
            CHECK_OK(ink_file_find(files[k], NULL, &label, &index, &error));
            CHECK_OK(ink_file_sketch(files[k], index, &pair[k], &error));
        }
        CHECK_OK(ink_sketch_overlap(pair[0], pair[1], 0, &alone, &error));
        assert_memory_equal(&alone, &rows[i].overlap, sizeof alone);
        ink_sketch_free(pair[0]);
        ink_sketch_free(pair[1]);
    }
    ink_file_close(files[0]);
    ink_file_close(files[1]);
}

TEST(the_rows_of_any_number_of_threads_are_those_of_each_pair_alone)
{
    check_threads("hll");
    check_threads("theta");
}

static bool wants_g7(void *host, const ink_label *label)
{
    (void)host;
    return label->group_bytes == 2 && memcmp(label->group, "g7", 2) == 0;
}

TEST(groups_can_be_chosen)
{
    static const char *const  paths[] = {"a.ink", "a.ink"};
    const ink_group_choice    choice = {wants_g7, NULL};
    const ink_overlap_options some = {.groups = &choice};

    build("a.ink", "hll", 0, 100, 9, 0);
    CHECK_OK(compare(paths, 2, &some, 2));
    assert_int_equal(row_count, 1);
    assert_string_equal(labels[0], "g7");
    CHECK(rows[0].overlap.jaccard.estimate == 1);
    build("a.ink", "hll", 0, 100, 0, 0);
    build("b.ink", "hll", 0, 100, 0, 0);
    const char *const plain[] = {"a.ink", "b.ink"};
    CHECK_FAILS(compare(plain, 2, &some, 2), INK_USAGE, "the file has no groups");
    assert_string_equal(job.failed_path, "a.ink");
}

/* Rows are loaded a part at a time: with 40 files there are 27 groups in each. */
TEST(many_files_are_compared_in_parts)
{
    const char *paths[40];

    build("a.ink", "hll", 0, 400, 10, 0);
    build("b.ink", "hll", 0, 400, 10, 5);
    for (size_t i = 0; i < 40; i++)
        paths[i] = i % 2 == 0 ? "a.ink" : "b.ink";
    CHECK_OK(compare(paths, 3, &usual, 4));
    assert_int_equal(row_count, 15 * 3);
    for (size_t count = 20; count <= 30; count += 10) {
        CHECK_OK(compare(paths, count, &usual, 4));
        assert_int_equal(row_count, 15 * count * (count - 1) / 2);
        for (size_t i = 0; i < row_count; i++)
            CHECK((rows[i].overlap.jaccard.estimate == 1) ==
                  (rows[i].a % 2 == rows[i].b % 2 || rows[i].overlap.in_union.high == 0));
    }
}

TEST(what_does_not_fit_together_is_refused_with_its_name)
{
    static const struct {
        const char *paths[3];
        size_t      count;
        ink_status  status;
        const char *words, *path;
    } wrong[] = {
        {{"plain.ink"}, 1, INK_USAGE, "1 set to compare, expected two or more", NULL},
        {{"plain.ink"}, 0, INK_USAGE, "0 sets to compare", NULL},
        {{"plain.ink", "groups.ink"}, 2, INK_MISMATCH, "with groups, expected none", "groups.ink"},
        {{"groups.ink", "plain.ink"},
         2,
         INK_MISMATCH,
         "without groups, expected groups",
         "plain.ink"},
        {{"plain.ink", "plain.ink", "bloom.ink"}, 3, INK_UNSUPPORTED, "holds bloom", "bloom.ink"},
        {{"plain.ink", "ints.ink"}, 2, INK_MISMATCH, "differ", "ints.ink"},
        {{"plain.ink", "none.ink"}, 2, INK_IO, "cannot open", "none.ink"},
        {{"plain.ink", "-", "-"}, 3, INK_USAGE, "standard input", NULL},
    };

    build("plain.ink", "hll", 0, 100, 0, 0);
    build("groups.ink", "hll", 0, 100, 3, 0);
    build("bloom.ink", "bloom", 0, 100, 0, 0);
    const ink_params ints = {.kind = "hll", .key_type = INK_KEY_INT};
    owned_sketch    *numbers = NULL;
    CHECK_OK(ink_sketch_create(&numbers, &ints, NULL, &error));
    CHECK_OK(ink_sketch_add_int(numbers, 1, &error));
    CHECK_OK(ink_sketch_save(numbers, "ints.ink", &error));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(compare(wrong[i].paths, wrong[i].count, &usual, 2), wrong[i].status,
                    wrong[i].words);
        if (wrong[i].path != NULL)
            assert_string_equal(job.failed_path, wrong[i].path);
        assert_int_equal(row_count, 0);
    }
}

TEST(a_sink_that_fails_ends_the_job)
{
    const ink_input        inputs[] = {{.path = "a.ink"}, {.path = "a.ink"}};
    const ink_overlap_sink broken = {keep_row, &job};

    build("a.ink", "hll", 0, 100, 9, 0);
    job = (ink_job){.threads = 2};
    CHECK_FAILS(ink_overlap_files(inputs, 2, &usual, &broken, &job, &error), INK_IO, "write");
    assert_null(job.failed_path); /* it is about none of them */
}

TEST(empty_files_have_no_groups_and_are_empty_sets)
{
    static const char *const  paths[] = {"none.ink", "a.ink", "none.ink"};
    const ink_group_choice    choice = {wants_g7, NULL};
    const ink_overlap_options some = {.groups = &choice};

    CHECK_OK(ink_contents_save("none.ink", &(ink_contents){0}, &error));
    build("a.ink", "hll", 0, 100, 9, 0);
    CHECK_OK(compare(paths, 2, &usual, 2));
    assert_int_equal(row_count, 9);
    CHECK(rows[3].overlap.a.high == 0 && rows[3].overlap.only_b.estimate >= 10);
    const char *const both[] = {"none.ink", "none.ink"};
    CHECK_OK(compare(both, 2, &usual, 2));
    assert_int_equal(row_count, 0);
    /* Groups can be chosen where any has some, or none has a sketch. */
    CHECK_OK(compare(paths, 3, &some, 2));
    assert_int_equal(row_count, 3);
    CHECK_OK(compare(both, 2, &some, 2));
    assert_int_equal(row_count, 0);
}

RUN_TESTS_REMOVING("a.ink", "b.ink", "c.ink", "plain.ink", "groups.ink", "bloom.ink", "ints.ink",
                   "none.ink")
