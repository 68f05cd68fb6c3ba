/* asked_test.c - rows asked of the filters of a file: the answers are those of a naive loop over
 * ink_sketch_contains, for any group or for the one that a row names, and for many threads. */
#include "inkling_arrow.h"
#include "inkling_job.h"

#include "support/arrow.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/records.h"

#include <pthread.h>
#include <stdio.h>

enum { ROWS = 2500, STORED = 600, GROUPS = 5, MANY = 400, THREADS = 2 };

static ink_error error;
static uint64_t  chance = 5;

static const uint8_t secret[INK_SECRET_BYTES] = "the asked test";

/* ---- Rows, as the test itself knows them --------------------------------------------------- */

typedef struct data {
    char         texts[ROWS][32];
    const char  *keys[ROWS];
    const char  *groups[ROWS]; /* NULL is the null group */
    char         valid[ROWS];  /* '0': the key is a null */
    int64_t      ints[ROWS];
    records_rows rows; /* with all keys */
    size_t       nulls;
} data;

/* Groups come in runs and one by one; some of the later rows name one that is not in the file. */
static data *new_data(size_t groups, bool ints)
{
    static const char *names[MANY] = {"b", "a", "", NULL, "cc"};
    static char        more[MANY][8];
    data              *of = calloc(1, sizeof *of);

    assert_non_null(of);
    for (size_t i = GROUPS; i < MANY; i++) {
        snprintf(more[i], sizeof more[i], "g%zu", i);
        names[i] = more[i];
    }
    of->rows.grouped = groups > 0;
    of->rows.ints = ints;
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t key = records_below(&chance, i < STORED ? 400 : 900);
        size_t   of_them = groups > 0 ? groups : GROUPS;
        uint64_t group =
            i / 100 % 2 == 0 && groups < MANY ? i / 30 % of_them : records_below(&chance, of_them);
        bool null = i >= STORED && i % 9 == 4;
        of->ints[i] = (int64_t)key - 100;
        snprintf(of->texts[i], sizeof of->texts[i], "key %d", (int)key);
        of->keys[i] = null ? NULL : of->texts[i];
        of->valid[i] = null ? '0' : '1';
        of->nulls += null;
        of->groups[i] = i >= STORED && i % 50 < 3 ? "nowhere" : names[group];
        if (ints)
            records_add_int(&of->rows, of->ints[i], of->groups[i], 1);
        else
            records_add_text(&of->rows, of->texts[i], of->groups[i], 1);
    }
    return of;
}

static void free_data(data **of)
{
    records_rows_free(&(*of)->rows);
    free(*of);
}
#define owned_data OWNED(free_data) data

/* The first rows, as a file. */
static records_file file_of(const data *of, const ink_params *params)
{
    records_rows            some = of->rows;
    const ink_build_options options = {.kinds = params, .kind_count = 1};

    some.count = STORED;
    return records_by_hand(&some, &options);
}

/* Whether an entry of the file may hold the key of row i. */
static bool holds(const ink_file *file, size_t entry, const uint8_t *unlock, const data *of,
                  size_t i)
{
    owned_sketch *sketch = NULL;
    bool          maybe;

    CHECK_OK(ink_file_sketch(file, entry, &sketch, &error));
    if (unlock != NULL)
        CHECK_OK(ink_sketch_unlock(sketch, unlock, &error));
    if (of->rows.ints)
        CHECK_OK(ink_sketch_contains_int(sketch, of->ints[i], &maybe, &error));
    else
        CHECK_OK(ink_sketch_contains(sketch, of->texts[i], strlen(of->texts[i]), &maybe, &error));
    return maybe;
}

/* What a naive loop answers; returns how many rows may be in. */
static size_t naive(const ink_file *file, const data *of, bool by, const uint8_t *unlock,
                    uint8_t *answers)
{
    size_t found = 0;

    for (size_t i = 0; i < ROWS; i++) {
        const ink_label own = records_group(&of->rows, &of->rows.rows[i]);
        answers[i] = 0;
        for (size_t entry = 0; entry < ink_file_count(file) && of->valid[i] == '1'; entry++) {
            ink_entry_info info;
            CHECK_OK(ink_file_entry(file, entry, &info, &error));
            if (!by || ink_label_compare(&info.label, &own) == 0)
                answers[i] |= holds(file, entry, unlock, of, i);
        }
        found += answers[i];
    }
    return found;
}

/* ---- Columns ------------------------------------------------------------------------------ */

static arrow_data key_of(const data *of, const char *format)
{
    return of->rows.ints ? arrow_ints("key", format, of->ints, of->valid, ROWS, 3)
                         : arrow_texts("key", format, of->keys, ROWS, 3);
}

static arrow_data table_of(const data *of, const char *format, const char *group_format)
{
    arrow_data columns[] = {
        arrow_texts("group", group_format, of->groups, ROWS, 0),
        key_of(of, format),
    };

    return arrow_struct(columns, 2, NULL, ROWS, 0);
}

static const char *const key_column[] = {"key"};
static const ink_reading plain = {.key = key_column, .key_count = 1};
static const ink_reading by_group = {.key = key_column, .key_count = 1, .by = "group"};

/* ---- Filters ------------------------------------------------------------------------------ */

static void close_filters(ink_arrow_filters **filters)
{
    ink_arrow_filters_free(*filters);
}
#define owned_filters OWNED(close_filters) ink_arrow_filters

static ink_arrow_filters *open_filters(const ink_file *file, ink_filter_options options)
{
    ink_arrow_filters *filters;

    CHECK_OK(ink_arrow_filters_create(&filters, file, &options, NULL, &error));
    return filters;
}

static ink_status ask(const ink_arrow_filters *filters, const arrow_data *rows,
                      const ink_reading *reading, uint8_t *answers, ink_arrow_report *report)
{
    return ink_arrow_filters_rows(filters, &rows->schema, &rows->array, reading, answers, report,
                                  &error);
}

/* Asks, and compares with the naive loop. */
static void check(const ink_file *file, const data *of, const ink_filter_options *options,
                  const arrow_data *rows, const ink_reading *reading)
{
    uint8_t          expected[ROWS], answers[ROWS];
    size_t           found = naive(file, of, options->by, options->secret, expected);
    owned_filters   *asked = open_filters(file, *options);
    ink_arrow_report report;

    CHECK(found > 0 && found + of->nulls < ROWS); /* both answers are tried */
    for (unsigned again = 0; again < 2; again++) {
        memset(answers, 7, sizeof answers);
        CHECK_OK(ask(asked, rows, reading, answers, &report));
        assert_memory_equal(answers, expected, ROWS);
        assert_int_equal(report.rows, ROWS);
        assert_int_equal(report.nulls, of->nulls);
    }
    CHECK_OK(ask(asked, rows, reading, answers, NULL));
}

static const ink_params kinds[] = {
    {.kind = "bloom", .false_positive_rate = 0.05},
    {.kind = "classic", .hash = "mmh3", .expected_keys = 300},
    {.kind = "counting"},
    {.kind = "scalable", .expected_keys = 20, .false_positive_rate = 0.2},
    {.kind = "bloom", .secret = secret},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- Questions ---------------------------------------------------------------------------- */

/* Of files with groups and without, in any group and in the own one. */
static void check_all(bool ints, const char *format, const char *group_format)
{
    for (unsigned grouped = 0; grouped < 2; grouped++)
        for (size_t k = 0; k < KINDS; k++) {
            if (ints && kinds[k].hash != NULL)
                continue;
            owned_data *of = new_data(grouped * GROUPS, ints);
            owned_file  file = file_of(of, &kinds[k]);
            owned_arrow table = table_of(of, format, group_format);
            for (unsigned by = 0; by <= grouped; by++) {
                const ink_filter_options options = {.by = by, .secret = kinds[k].secret};
                check(file.file, of, &options, &table, by ? &by_group : &plain);
            }
        }
}

TEST(texts_are_asked_as_in_a_loop)
{
    check_all(false, "u", "u");
    check_all(false, "vz", "vu");
}

TEST(ints_are_asked_as_in_a_loop)
{
    check_all(true, "l", "U");
    check_all(true, "i", "u");
}

/* More groups than a block of rows can distinguish by a few bits of their hashes, in any order,
 * some of which the file does not have. */
TEST(rows_are_asked_of_the_one_group_of_many_that_each_names)
{
    for (size_t k = 0; k < 2; k++) {
        owned_data *of = new_data(MANY, false);
        owned_file  file = file_of(of, &kinds[k]);
        owned_arrow table = table_of(of, "u", "u");
        check(file.file, of, &(ink_filter_options){.by = true}, &table, &by_group);
    }
}

/* A column of 64-bit integers without nulls is taken whole, and has more rows than are asked at
 * once. */
TEST(a_column_that_is_taken_whole_is_asked_in_parts)
{
    for (unsigned grouped = 0; grouped < 2; grouped++) {
        owned_data *of = new_data(grouped * GROUPS, true);
        owned_file  file = file_of(of, &kinds[0]);
        owned_arrow array = arrow_ints("key", "l", of->ints, NULL, ROWS, 0);
        memset(of->valid, '1', ROWS);
        of->nulls = 0;
        check(file.file, of, &(ink_filter_options){0}, &array, NULL);
    }
}

/* Ratings that are rounded name the group, as they do when sketches are built. */
TEST(a_group_may_be_a_number_that_is_rounded)
{
    const double     ratings[] = {7.4, 7.6, 8.5, 7.5};
    const int64_t    ids[] = {70, 80, 80, 70};
    const uint8_t    even[] = {1, 1, 1, 0}, up[] = {1, 1, 0, 0};
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 1e-5};
    owned_rows       rows = {.grouped = true, .ints = true};
    ink_reading      reading = {.key = key_column, .key_count = 1, .by = "rating"};
    uint8_t          answers[4];

    records_add_int(&rows, 70, "7", 1);
    records_add_int(&rows, 80, "8", 1);
    owned_file file =
        records_by_hand(&rows, &(ink_build_options){.kinds = &bloom, .kind_count = 1});
    arrow_data columns[] = {
        arrow_ints("key", "l", ids, NULL, 4, 0),
        arrow_floats("rating", "g", ratings, NULL, 4, 0),
    };
    owned_arrow    table = arrow_struct(columns, 2, NULL, 4, 0);
    owned_filters *asked = open_filters(file.file, (ink_filter_options){.by = true});
    reading.round = INK_ROUND_HALF_EVEN;
    CHECK_OK(ask(asked, &table, &reading, answers, NULL));
    assert_memory_equal(answers, even, 4);
    reading.round = INK_ROUND_HALF_UP;
    CHECK_OK(ask(asked, &table, &reading, answers, NULL));
    assert_memory_equal(answers, up, 4);
}

static void open_contents(records_file *file, const ink_contents *contents)
{
    CHECK_OK(ink_contents_encode(contents, &file->bytes, &file->count, &error));
    CHECK_OK(ink_file_decode(&file->file, file->bytes, file->count, 0, NULL, &error));
}

TEST(of_time_slots_the_newest_are_asked)
{
    static const uint8_t expected[4][3] = {{1, 1, 1}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    const ink_params     bloom = {
            .kind = "bloom", .expected_keys = 10, .false_positive_rate = 1e-5, .key_type = INK_KEY_INT};
    const int64_t keys[3] = {10, 11, 12};
    ink_entry     entries[3];
    ink_sketch   *slots[3];
    owned_file    file = {0};
    uint8_t       answers[3];
    owned_arrow   array = arrow_ints("key", "l", keys, NULL, 3, 0);

    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(ink_sketch_create(&slots[i], &bloom, NULL, &error));
        CHECK_OK(ink_sketch_add_int(slots[i], keys[i], &error));
        entries[i] =
            (ink_entry){.label = {.has_slot = true, .slot = (int64_t)i}, .sketch = slots[i]};
    }
    open_contents(&file, &(ink_contents){.entries = entries, .entry_count = 3});
    for (size_t i = 0; i < 3; i++)
        ink_sketch_free(slots[i]);
    for (size_t last = 0; last < 4; last++) {
        owned_filters *asked = open_filters(file.file, (ink_filter_options){.last = last});
        CHECK_OK(ask(asked, &array, NULL, answers, NULL));
        assert_memory_equal(answers, expected[last], 3);
    }
}

/* ---- Threads ------------------------------------------------------------------------------ */

typedef struct session {
    pthread_t                thread;
    const ink_arrow_filters *asked;
    const arrow_data        *table;
    uint8_t                  answers[ROWS];
    ink_status               status;
} session;

static void *ask_often(void *host)
{
    session *mine = host;

    for (unsigned i = 0; i < 10 && mine->status == INK_OK; i++)
        mine->status =
            ink_arrow_filters_rows(mine->asked, &mine->table->schema, &mine->table->array,
                                   &by_group, mine->answers, NULL, NULL);
    return NULL;
}

TEST(several_threads_may_ask_at_once)
{
    owned_data    *of = new_data(GROUPS, false);
    owned_file     file = file_of(of, &kinds[4]);
    owned_arrow    table = table_of(of, "vu", "u");
    owned_filters *asked =
        open_filters(file.file, (ink_filter_options){.by = true, .secret = secret});
    static session sessions[THREADS];
    uint8_t        expected[ROWS];

    naive(file.file, of, true, secret, expected);
    for (size_t i = 0; i < THREADS; i++) {
        sessions[i] = (session){.asked = asked, .table = &table};
        assert_int_equal(pthread_create(&sessions[i].thread, NULL, ask_often, &sessions[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(sessions[i].thread, NULL);
        assert_int_equal(sessions[i].status, INK_OK);
        assert_memory_equal(sessions[i].answers, expected, ROWS);
    }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void check_refused(const ink_arrow_filters *asked, const arrow_data *table,
                          const ink_reading *reading, ink_status status, const char *text)
{
    arrow_data       some = *table;
    uint8_t          answers[ROWS];
    ink_arrow_report report;

    for (unsigned empty = 0; empty < 2; empty++) {
        report = (ink_arrow_report){.rows = 7, .nulls = 7};
        some.array.length = empty ? 0 : table->array.length;
        CHECK_FAILS(ask(asked, &some, reading, answers, &report), status, text);
        assert_int_equal(report.rows, 0);
        assert_int_equal(report.nulls, 0);
    }
}

TEST(rows_that_cannot_be_asked_are_refused_by_name)
{
    owned_data *of = new_data(GROUPS, false);
    owned_file  file = file_of(of, &kinds[2]);
    arrow_data  columns[] = {
         arrow_texts("group", "u", of->groups, ROWS, 0),
         key_of(of, "u"),
         arrow_ints("number", "l", of->ints, NULL, ROWS, 0),
    };
    owned_arrow              table = arrow_struct(columns, 3, NULL, ROWS, 0);
    static const char *const number[] = {"number"};
    const ink_reading        ints = {.key = number, .key_count = 1};
    ink_reading              as_ints = plain, headed = plain, weighed = plain, strict = plain;
    owned_filters           *any = open_filters(file.file, (ink_filter_options){0});
    owned_filters           *own = open_filters(file.file, (ink_filter_options){.by = true});
    uint8_t                  answers[ROWS];

    as_ints.keys = INK_KEYS_INT;
    headed.header = true;
    weighed.weight = "number";
    strict.refuse_nulls = true;
    check_refused(own, &table, &plain, INK_USAGE, "no column that names the group, expected one");
    check_refused(own, &table, NULL, INK_USAGE, "no column that names the group, expected one");
    check_refused(any, &table, &by_group, INK_USAGE, "expected none: every group is tested");
    check_refused(any, &table, &ints, INK_MISMATCH,
                  "int keys for a sketch of bytes keys (key_type)");
    check_refused(any, &table, &as_ints, INK_MISMATCH, "expected ints (key_type)");
    check_refused(any, &table, &headed, INK_USAGE, "header");
    check_refused(any, &table, &weighed, INK_USAGE, "weights in a question");
    CHECK_FAILS(ask(any, &table, &strict, answers, NULL), INK_MISMATCH, "null");
    assert_int_equal(error.location, INK_AT_KEY);
    CHECK(of->valid[error.at] == '0' && memchr(of->valid, '0', error.at) == NULL);
    ink_arrow_filters_free(NULL);
}

TEST(files_that_cannot_be_asked_are_refused_by_name)
{
    const ink_params        bloom_and_counting[] = {{.kind = "bloom"}, {.kind = "counting"}};
    const ink_params        hll = {.kind = "hll"};
    const ink_build_options two = {.kinds = bloom_and_counting, .kind_count = 2};
    owned_data             *of = new_data(0, false);
    owned_file              both = records_by_hand(&of->rows, &two), none = file_of(of, &hll);
    owned_file              keyed = file_of(of, &kinds[4]), empty = {0};
    const uint8_t           other[INK_SECRET_BYTES] = "another";
    ink_arrow_filters      *asked = NULL;

    open_contents(&empty, &(ink_contents){0});
    const struct {
        const ink_file    *file;
        ink_filter_options options;
        ink_status         status;
        const char        *text;
    } refused[] = {
        {empty.file, {0}, INK_UNSUPPORTED, "the file holds no filter"},
        {none.file, {0}, INK_UNSUPPORTED, "the file holds no filter"},
        {both.file, {0}, INK_USAGE, "bloom and counting"},
        {both.file, {.kind = "bloom", .by = true}, INK_USAGE, "the file has no groups"},
        {keyed.file, {0}, INK_MISMATCH, "secret"},
        {keyed.file, {.secret = other}, INK_MISMATCH, "secret"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_FAILS(
            ink_arrow_filters_create(&asked, refused[i].file, &refused[i].options, NULL, &error),
            refused[i].status, refused[i].text);
    CHECK(asked == NULL);
    ink_arrow_filters_free(open_filters(both.file, (ink_filter_options){.kind = "counting"}));
}

/* ---- Memory ------------------------------------------------------------------------------- */

TEST(without_memory_nothing_is_asked_and_nothing_leaks)
{
    const ink_filter_options options = {.by = true};
    owned_data              *of = new_data(GROUPS, false);
    owned_file               file = file_of(of, &kinds[0]);
    owned_arrow              table = table_of(of, "vu", "u");
    unsigned                 refused = 0;

    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator      allocator = faults_allocator(&memory);
        uint8_t            answers[ROWS];
        ink_arrow_filters *asked = NULL;
        ink_status         status =
            ink_arrow_filters_create(&asked, file.file, &options, &allocator, &error);
        bool opened = status == INK_OK;
        if (opened)
            status = ask(asked, &table, &by_group, answers, NULL);
        ink_arrow_filters_free(asked);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        if (memory.refused > 0)
            refused |= opened ? 2 : 1;
    }
    assert_int_equal(refused, 3); /* while it was opened and while it was asked */
}

RUN_TESTS()
