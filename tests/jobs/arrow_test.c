/* arrow_test.c - an Arrow array gives a sketch the keys of its rows: the sketch is the one that it
 * becomes by the same keys one by one, and answers stand where their rows stand. */
#include "inkling_arrow.h"
#include "inkling_job.h"

#include "support/arrow.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/sketches.h"

#include <stdio.h>

enum { ROWS = 3000, BLOCK = 1024, TEXT_BYTES = 40 };

static ink_error error;

static const uint8_t secret[INK_SECRET_BYTES] = "the arrow test";

/* ---- Rows, as the test itself knows them --------------------------------------------------- */

/* Keys repeat; some texts are empty, and some too long for a view to hold them in place. */
typedef struct data {
    char        texts[ROWS][TEXT_BYTES];
    const char *keys[ROWS]; /* NULL is a null */
    int64_t     ints[ROWS];
    int64_t     weights[ROWS];
    char        valid[ROWS]; /* '0' is a null */
    char        counted[ROWS];
    size_t      nulls; /* of keys */
} data;
#define owned_data OWNED(owned_free) data

static data *new_data(bool nulls)
{
    data *made = calloc(1, sizeof *made);

    assert_non_null(made);
    for (size_t i = 0; i < ROWS; i++) {
        size_t key = i * 7 % 1700;
        snprintf(made->texts[i], TEXT_BYTES, "%.*s%zu", key % 3 == 0 ? 20 : 0,
                 "a prefix that makes it long", key);
        if (key % 100 == 1)
            made->texts[i][0] = '\0';
        bool null = nulls && (i % 5 == 2 || (i > BLOCK && i < 2 * BLOCK + 500));
        made->keys[i] = null ? NULL : made->texts[i];
        made->valid[i] = null ? '0' : '1';
        made->counted[i] = nulls && i % 11 == 3 ? '0' : '1';
        made->ints[i] = (int64_t)key - 800;
        made->weights[i] = (int64_t)(i % 4);
        made->nulls += null;
    }
    return made;
}

static const ink_params bytes_kinds[] = {
    {.kind = "bloom", .expected_keys = 1700},
    {.kind = "classic", .expected_keys = 1700},
    {.kind = "classic", .hash = "mmh3", .expected_keys = 1700},
    {.kind = "counting", .expected_keys = 1700},
    {.kind = "scalable", .expected_keys = 100},
    {.kind = "count-min", .width = 512, .depth = 4},
    {.kind = "count-min", .width = 512, .depth = 4, .conservative = true},
    {.kind = "top", .top_keys = 40},
    {.kind = "fm"},
    {.kind = "hll", .precision = 10},
    {.kind = "bloom", .expected_keys = 1700, .secret = secret},
};
enum { KINDS = sizeof bytes_kinds / sizeof bytes_kinds[0] };

static ink_sketch *new_sketch(const ink_params *params, ink_key_type type)
{
    ink_params  of = *params;
    ink_sketch *sketch;

    of.key_type = type;
    CHECK_OK(ink_sketch_create(&sketch, &of, NULL, &error));
    return sketch;
}

/* The first `count` rows added one by one. */
static void add_rows(ink_sketch *sketch, const data *of, ink_key_type type, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (type == INK_KEY_INT && of->valid[i] == '1')
            CHECK_OK(ink_sketch_add_int(sketch, of->ints[i], &error));
        else if (type == INK_KEY_BYTES && of->keys[i] != NULL)
            CHECK_OK(ink_sketch_add(sketch, of->keys[i], strlen(of->keys[i]), &error));
}

static bool is_known(const ink_sketch *sketch, const char *key)
{
    bool maybe;

    CHECK_OK(ink_sketch_contains(sketch, key, strlen(key), &maybe, &error));
    return maybe;
}

/* ---- Columns ------------------------------------------------------------------------------ */

/* The texts as a dictionary of all of them, backwards. */
static arrow_data texts_by_dictionary(const data *of, size_t count)
{
    static int64_t     indices[ROWS];
    static const char *words[ROWS];

    for (size_t i = 0; i < count; i++) {
        indices[i] = (int64_t)(count - 1 - i);
        words[count - 1 - i] = of->texts[i];
    }
    return arrow_dictionary("key", "s", indices, of->nulls > 0 ? of->valid : NULL, count, 2,
                            arrow_texts("", "u", words, count, 1));
}

static const char *const text_formats[] = {"u", "U", "z", "Z", "vu", "vz", "dictionary"};
enum { TEXT_FORMATS = sizeof text_formats / sizeof text_formats[0] };

static arrow_data texts(const data *of, size_t format, size_t count, size_t offset)
{
    if (strcmp(text_formats[format], "dictionary") == 0)
        return texts_by_dictionary(of, count);
    return arrow_texts("key", text_formats[format], of->keys, count, offset);
}

static const char *const int_formats[] = {"l", "L", "i", "s", "tdD", "tsu:"};
enum { INT_FORMATS = sizeof int_formats / sizeof int_formats[0] };

static arrow_data ints(const data *of, size_t format, size_t count, size_t offset)
{
    return arrow_ints("key", int_formats[format], of->ints, of->nulls > 0 ? of->valid : NULL, count,
                      offset);
}

/* A table whose columns are a key and its weight. */
static arrow_data weighted(const data *of, arrow_data key, size_t count)
{
    arrow_data columns[] = {
        key,
        arrow_ints("times", "I", of->weights, of->nulls > 0 ? of->counted : NULL, count, 0),
    };

    return arrow_struct(columns, 2, NULL, count, 0);
}

static const char *const key_column[] = {"key"};
static const ink_reading by_weight = {.key = key_column, .key_count = 1, .weight = "times"};

/* ---- Adding ------------------------------------------------------------------------------- */

/* Adds an array, and compares with what was added one by one. */
static void check_added(const ink_params *params, ink_key_type type, arrow_data *array,
                        const ink_sketch *expected, size_t nulls)
{
    owned_sketch    *sketch = new_sketch(params, type), *on_threads = new_sketch(params, type);
    ink_job          job = {.threads = 2, .records = 1, .bad = 1, .nulls = 1};
    ink_arrow_report report;

    CHECK_OK(ink_arrow_add(sketch, &array->schema, &array->array, NULL, &report, &error));
    CHECK(sketches_equal(sketch, expected));
    assert_int_equal(report.rows, array->array.length);
    assert_int_equal(report.nulls, nulls);
    CHECK_OK(ink_job_add_array(on_threads, &array->schema, &array->array, NULL, &job, &error));
    CHECK(sketches_equal(on_threads, expected));
    assert_int_equal(job.records, array->array.length);
    assert_int_equal(job.nulls, nulls);
    assert_int_equal(job.bad, 0);
    CHECK_OK(ink_arrow_add(sketch, &array->schema, &array->array, NULL, NULL, &error));
    arrow_release(array);
}

static size_t nulls_of(const char *valid, size_t count)
{
    size_t nulls = 0;

    for (size_t i = 0; i < count; i++)
        nulls += valid[i] == '0';
    return nulls;
}

static const size_t counts[] = {0, 1, 7, BLOCK, BLOCK + 1, ROWS};
enum { COUNTS = sizeof counts / sizeof counts[0] };

/* Every kind, number of rows and format of a column. */
static void check_keys(const data *of, ink_key_type type)
{
    const bool of_ints = type == INK_KEY_INT;

    for (size_t k = 0; k < KINDS; k++)
        for (size_t n = 0; n < COUNTS && (!of_ints || bytes_kinds[k].hash == NULL); n++) {
            owned_sketch *expected = new_sketch(&bytes_kinds[k], type);
            add_rows(expected, of, type, counts[n]);
            for (size_t f = 0; f < (size_t)(of_ints ? INT_FORMATS : TEXT_FORMATS); f++) {
                arrow_data array = of_ints ? ints(of, f, counts[n], n) : texts(of, f, counts[n], n);
                check_added(&bytes_kinds[k], type, &array, expected,
                            nulls_of(of->valid, counts[n]));
            }
        }
    assert_int_equal(arrow_live(), 0);
}

TEST(texts_are_added_as_one_by_one)
{
    owned_data *of = new_data(false);

    check_keys(of, INK_KEY_BYTES);
}

TEST(ints_are_added_as_one_by_one)
{
    owned_data *of = new_data(false);

    check_keys(of, INK_KEY_INT);
}

TEST(nulls_are_counted_and_left_out)
{
    owned_data *of = new_data(true);

    check_keys(of, INK_KEY_BYTES);
    check_keys(of, INK_KEY_INT);
}

TEST(nothing_but_nulls_adds_nothing)
{
    const ink_params hll = {.kind = "hll"};
    static char      none[ROWS];
    owned_data      *of = new_data(false);
    owned_sketch    *empty = new_sketch(&hll, INK_KEY_INT);

    memset(none, '0', sizeof none);
    arrow_data array = arrow_ints("key", "l", of->ints, none, ROWS, 1);
    check_added(&hll, INK_KEY_INT, &array, empty, ROWS);
}

/* Long arrays are asked part by part. */
TEST(long_arrays_are_asked_row_for_row)
{
    enum { MANY = 40000 };
    const ink_params         params = {.kind = "bloom", .expected_keys = MANY};
    static char              keys[MANY][24];
    static const char       *values[MANY];
    static uint8_t           answers[MANY];
    static const char *const formats[] = {"u", "U", "vu"};
    const ink_reading        strict = {.refuse_nulls = true};
    ink_arrow_report         report;

    for (size_t i = 0; i < MANY; i++) {
        snprintf(keys[i], sizeof keys[i], i % 2 ? "%zu" : "a longer key %zu", i);
        values[i] = i == 39 || i == 30001 ? NULL : keys[i];
    }
    for (size_t f = 0; f < 3; f++) {
        owned_sketch *sketch = new_sketch(&params, INK_KEY_BYTES);
        for (size_t i = 0; i < MANY; i += 3)
            CHECK_OK(ink_sketch_add(sketch, keys[i], strlen(keys[i]), &error));
        for (unsigned refuses = 0; refuses < 2; refuses++) {
            values[39] = refuses ? keys[39] : NULL;
            arrow_data  columns[] = {arrow_texts("key", formats[f], values, MANY, 5)};
            owned_arrow table = arrow_struct(columns, 1, NULL, MANY - 7, 7);
            ink_status  status =
                ink_arrow_contains(sketch, &table.schema, &table.array, refuses ? &strict : NULL,
                                   answers, &report, &error);
            assert_int_equal(status, refuses ? INK_MISMATCH : INK_OK);
            if (refuses) {
                assert_int_equal(error.location, INK_AT_KEY);
                assert_int_equal(error.at, 30001 - 7);
                continue;
            }
            assert_int_equal(report.rows, MANY - 7);
            assert_int_equal(report.nulls, 2);
            for (size_t i = 7; i < MANY; i++)
                assert_int_equal(answers[i - 7],
                                 values[i] != NULL &&
                                     ink_sketch_maybe(sketch, values[i], strlen(values[i])) == 1);
        }
    }
    assert_int_equal(arrow_live(), 0);
}

TEST(a_column_that_has_no_type_but_null_goes_to_any_sketch)
{
    const ink_params hll = {.kind = "hll"};

    for (int type = INK_KEY_BYTES; type <= INK_KEY_INT; type++) {
        owned_sketch *empty = new_sketch(&hll, (ink_key_type)type);
        arrow_data    array = arrow_nulls("key", 2 * BLOCK, 1);
        check_added(&hll, (ink_key_type)type, &array, empty, 2 * BLOCK);
    }
}

TEST(columns_at_any_address_are_added_as_one_by_one)
{
    const ink_params bloom = {.kind = "bloom", .expected_keys = 1700};
    owned_data      *of = new_data(false);

    for (int type = INK_KEY_BYTES; type <= INK_KEY_INT; type++) {
        owned_sketch *expected = new_sketch(&bloom, (ink_key_type)type);
        add_rows(expected, of, (ink_key_type)type, ROWS);
        arrow_misaligned = 1;
        arrow_data array = type == INK_KEY_INT ? ints(of, 0, ROWS, 0) : texts(of, 1, ROWS, 0);
        arrow_misaligned = 0;
        check_added(&bloom, (ink_key_type)type, &array, expected, 0);
    }
}

/* A field of a tuple: its length in four bytes, little-endian, and its bytes. */
static size_t put_field(uint8_t *to, const void *bytes, size_t count)
{
    const uint8_t length[4] = {(uint8_t)count, (uint8_t)(count >> 8), 0, 0};

    memcpy(to, length, 4);
    memcpy(to + 4, bytes, count);
    return 4 + count;
}

TEST(several_columns_are_added_as_tuples)
{
    static const char *const pair[] = {"second", "1"};
    const ink_reading        reading = {.key = pair, .key_count = 2};
    owned_data              *of = new_data(true);
    static const char       *other[ROWS];

    for (size_t i = 0; i < ROWS; i++)
        other[i] = i % 13 == 0 ? NULL : of->texts[ROWS - 1 - i];
    for (size_t k = 0; k < KINDS; k++) {
        owned_sketch    *sketch = new_sketch(&bytes_kinds[k], INK_KEY_BYTES);
        owned_sketch    *expected = new_sketch(&bytes_kinds[k], INK_KEY_BYTES);
        ink_arrow_report report;
        size_t           nulls = 0;
        arrow_data       columns[] = {
                  arrow_texts("first", "u", of->keys, ROWS, 0),
                  arrow_texts("second", "vz", other, ROWS, 1),
                  arrow_ints("third", "l", of->ints, NULL, ROWS, 0),
        };
        owned_arrow table = arrow_struct(columns, 3, NULL, ROWS, 0);
        CHECK_OK(ink_arrow_add(sketch, &table.schema, &table.array, &reading, &report, &error));
        for (size_t i = 0; i < ROWS; i++) {
            uint8_t key[2 * TEXT_BYTES + 8];
            size_t  bytes = 0;
            if (other[i] == NULL || of->keys[i] == NULL) {
                nulls++;
                continue;
            }
            bytes += put_field(key, other[i], strlen(other[i]));
            bytes += put_field(key + bytes, of->keys[i], strlen(of->keys[i]));
            CHECK_OK(ink_sketch_add(expected, key, bytes, &error));
        }
        CHECK(sketches_equal(sketch, expected));
        assert_int_equal(report.nulls, nulls);
    }
}

/* Kinds that count. */
static const ink_params counting_kind = {.kind = "counting", .expected_keys = 1700};
static const ink_params counters[] = {
    {.kind = "count-min", .width = 512, .depth = 4},
    {.kind = "top", .top_keys = 40},
    {.kind = "counting", .expected_keys = 1700},
};

TEST(weights_count_as_they_do_in_batches)
{
    owned_data *of = new_data(true);

    for (size_t k = 0; k < 3; k++) {
        owned_sketch    *sketch = new_sketch(&counters[k], INK_KEY_BYTES);
        owned_sketch    *expected = new_sketch(&counters[k], INK_KEY_BYTES);
        owned_arrow      table = weighted(of, texts(of, 0, ROWS, 0), ROWS);
        ink_arrow_report report;
        size_t           nulls = 0;
        CHECK_OK(ink_arrow_add(sketch, &table.schema, &table.array, &by_weight, &report, &error));
        for (size_t i = 0; i < ROWS; i++) {
            bool null = of->keys[i] == NULL || of->counted[i] == '0';
            nulls += null;
            if (null)
                continue;
            const uint64_t  offsets[] = {0, strlen(of->keys[i])};
            const uint64_t  weight = (uint64_t)of->weights[i];
            const ink_batch one = {
                .count = 1,
                .data = (const uint8_t *)of->keys[i],
                .offsets = offsets,
                .weights = &weight,
            };
            CHECK_OK(ink_sketch_add_batch(expected, &one, &error));
        }
        CHECK(sketches_equal(sketch, expected));
        assert_int_equal(report.rows, ROWS);
        assert_int_equal(report.nulls, nulls);
    }
}

TEST(what_is_new_is_reported_where_its_row_stands)
{
    const ink_params kinds[] = {
        {.kind = "bloom", .expected_keys = 1700},
        {.kind = "classic", .hash = "mmh3", .expected_keys = 1700},
        {.kind = "scalable", .expected_keys = 100},
    };

    for (unsigned nulls = 0; nulls < 2; nulls++) {
        owned_data *of = new_data(nulls);
        for (size_t k = 0; k < 3; k++)
            for (size_t f = 0; f < TEXT_FORMATS; f++) {
                owned_sketch    *sketch = new_sketch(&kinds[k], INK_KEY_BYTES);
                owned_sketch    *unwatched = new_sketch(&kinds[k], INK_KEY_BYTES);
                owned_sketch    *expected = new_sketch(&kinds[k], INK_KEY_BYTES);
                owned_arrow      array = texts(of, f, ROWS, 0);
                uint8_t          was_new[ROWS];
                ink_arrow_report report;
                memset(was_new, 7, sizeof was_new);
                CHECK_OK(ink_arrow_add_new(sketch, &array.schema, &array.array, NULL, was_new,
                                           &report, &error));
                CHECK_OK(ink_arrow_add_new(unwatched, &array.schema, &array.array, NULL, NULL, NULL,
                                           &error));
                for (size_t i = 0; i < ROWS; i++) {
                    bool known = of->keys[i] == NULL || is_known(expected, of->keys[i]);
                    if (!known)
                        CHECK_OK(
                            ink_sketch_add(expected, of->keys[i], strlen(of->keys[i]), &error));
                    assert_int_equal(was_new[i], !known);
                }
                CHECK(sketches_equal(sketch, expected));
                CHECK(sketches_equal(unwatched, expected));
                assert_int_equal(report.nulls, of->nulls);
            }
    }
}

/* ---- Asking ------------------------------------------------------------------------------- */

TEST(answers_stand_where_their_rows_stand)
{
    for (unsigned nulls = 0; nulls < 2; nulls++) {
        owned_data *of = new_data(nulls);
        for (size_t k = 0; k < KINDS; k++) {
            ink_kind_info info;
            CHECK_OK(ink_kind_describe(bytes_kinds[k].kind, &info, &error));
            if (!info.contains)
                continue;
            owned_sketch *sketch = new_sketch(&bytes_kinds[k], INK_KEY_BYTES);
            add_rows(sketch, of, INK_KEY_BYTES, 300);
            for (size_t f = 0; f < TEXT_FORMATS; f++) {
                owned_arrow      array = texts(of, f, ROWS, 0);
                uint8_t          answers[ROWS];
                ink_arrow_report report;
                memset(answers, 7, sizeof answers);
                CHECK_OK(ink_arrow_contains(sketch, &array.schema, &array.array, NULL, answers,
                                            &report, &error));
                for (size_t i = 0; i < ROWS; i++)
                    assert_int_equal(answers[i],
                                     of->keys[i] != NULL && is_known(sketch, of->keys[i]));
                assert_int_equal(report.rows, ROWS);
                assert_int_equal(report.nulls, of->nulls);
            }
        }
    }
}

static bool same_answer(const ink_answer *a, const ink_answer *b)
{
    return a->estimate == b->estimate && a->low == b->low && a->high == b->high &&
           a->confidence == b->confidence && a->saturated == b->saturated;
}

TEST(counts_stand_where_their_rows_stand)
{
    static ink_answer answers[ROWS];

    for (unsigned nulls = 0; nulls < 2; nulls++) {
        owned_data *of = new_data(nulls);
        for (size_t k = 0; k < 3; k++)
            for (size_t f = 0; f < INT_FORMATS; f++) {
                owned_sketch    *sketch = new_sketch(&counters[k], INK_KEY_INT);
                owned_arrow      array = ints(of, f, ROWS, 0);
                ink_arrow_report report;
                add_rows(sketch, of, INK_KEY_INT, ROWS / 2);
                memset(answers, 7, sizeof answers);
                CHECK_OK(ink_arrow_count(sketch, &array.schema, &array.array, NULL, answers,
                                         &report, &error));
                for (size_t i = 0; i < ROWS; i++) {
                    ink_answer one = {.confidence = 1};
                    if (of->valid[i] == '1')
                        CHECK_OK(ink_sketch_count_int(sketch, of->ints[i], &one, &error));
                    CHECK(same_answer(&answers[i], &one));
                }
                assert_int_equal(report.nulls, of->nulls);
            }
    }
}

TEST(no_rows_need_no_room_for_answers)
{
    owned_sketch    *sketch = new_sketch(&counting_kind, INK_KEY_INT);
    owned_arrow      array = arrow_ints("key", "l", NULL, NULL, 0, 0);
    ink_arrow_report report = {.rows = 7, .nulls = 7};

    CHECK_OK(ink_arrow_contains(sketch, &array.schema, &array.array, NULL, NULL, &report, &error));
    CHECK_OK(ink_arrow_count(sketch, &array.schema, &array.array, NULL, NULL, NULL, &error));
    CHECK_OK(ink_arrow_remove(sketch, &array.schema, &array.array, NULL, NULL, &error));
    assert_int_equal(report.rows, 0);
    assert_int_equal(report.nulls, 0);
}

TEST(columns_report_what_their_keys_are)
{
    static const char *const pair[] = {"1", "key"};
    owned_data              *of = new_data(false);
    owned_arrow              number = ints(of, 3, 1, 0), text = texts(of, 6, 1, 0);
    arrow_data  columns[] = {arrow_ints("id", "i", of->ints, NULL, 1, 0), texts(of, 0, 1, 0)};
    owned_arrow table = arrow_struct(columns, 2, NULL, 1, 0);
    const struct {
        const arrow_data *of;
        ink_reading       reading;
        ink_key_type      type;
    } known[] = {
        {&number, {0}, INK_KEY_INT},
        {&text, {.keys = INK_KEYS_BYTES}, INK_KEY_BYTES},
        {&table, {.key = pair, .key_count = 1, .by = "key"}, INK_KEY_INT},
        {&table, {.key = pair + 1, .key_count = 1}, INK_KEY_BYTES},
    };
    ink_key_type type;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        CHECK_OK(ink_arrow_key_type(&known[i].of->schema, &known[i].reading, &type, &error));
        assert_int_equal(type, known[i].type);
    }
    CHECK_OK(ink_arrow_key_type(&number.schema, NULL, &type, &error));
    assert_int_equal(type, INK_KEY_INT);
    CHECK_FAILS(ink_arrow_key_type(&table.schema, NULL, &type, &error), INK_USAGE, "");
}

/* ---- Removing ----------------------------------------------------------------------------- */

TEST(rows_are_removed_as_one_by_one)
{
    for (unsigned nulls = 0; nulls < 2; nulls++) {
        owned_data *of = new_data(nulls);
        for (size_t n = 0; n < COUNTS; n++)
            for (size_t f = 0; f < TEXT_FORMATS; f++) {
                owned_sketch    *sketch = new_sketch(&counting_kind, INK_KEY_BYTES);
                owned_sketch    *expected = new_sketch(&counting_kind, INK_KEY_BYTES);
                owned_arrow      array = texts(of, f, counts[n], 0);
                ink_arrow_report report;
                add_rows(sketch, of, INK_KEY_BYTES, ROWS);
                add_rows(expected, of, INK_KEY_BYTES, ROWS);
                for (size_t i = 0; i < counts[n]; i++)
                    if (of->keys[i] != NULL)
                        CHECK_OK(
                            ink_sketch_remove(expected, of->keys[i], strlen(of->keys[i]), &error));
                CHECK_OK(
                    ink_arrow_remove(sketch, &array.schema, &array.array, NULL, &report, &error));
                CHECK(sketches_equal(sketch, expected));
                assert_int_equal(report.rows, counts[n]);
                assert_int_equal(report.nulls, nulls_of(of->valid, counts[n]));
            }
    }
}

TEST(weights_report_how_often_rows_are_removed)
{
    owned_data       *of = new_data(true);
    owned_sketch     *sketch = new_sketch(&counting_kind, INK_KEY_INT);
    owned_arrow       table = weighted(of, ints(of, 0, ROWS, 0), ROWS);
    sketches_snapshot before = sketches_remember(sketch);

    CHECK_OK(ink_arrow_add(sketch, &table.schema, &table.array, &by_weight, NULL, &error));
    CHECK(sketches_describe(sketch).records > 0);
    CHECK_OK(ink_arrow_remove(sketch, &table.schema, &table.array, &by_weight, NULL, &error));
    CHECK(sketches_unchanged(sketch, &before));
    CHECK_FAILS(ink_arrow_remove(sketch, &table.schema, &table.array, &by_weight, NULL, &error),
                INK_NOT_FOUND, "the key is not in");
    assert_int_equal(error.at, 1); /* row 0 is to be removed 0 times */
}

/* Nothing is removed, and the row is reported, in columns that are taken whole, in one block or in
 * several. */
static void check_absent(const data *of, arrow_data *array, size_t row, ink_key_type type)
{
    owned_sketch    *sketch = new_sketch(&counting_kind, type);
    ink_arrow_report report = {.rows = 7, .nulls = 7};

    add_rows(sketch, of, type, ROWS);
    sketches_snapshot before = sketches_remember(sketch);
    CHECK_FAILS(ink_arrow_remove(sketch, &array->schema, &array->array, NULL, &report, &error),
                INK_NOT_FOUND, "the key is not in");
    assert_int_equal(error.location, INK_AT_KEY);
    assert_int_equal(error.at, row);
    assert_int_equal(report.rows, 0);
    assert_int_equal(report.nulls, 0);
    assert_int_equal(ink_arrow_remove(sketch, &array->schema, &array->array, NULL, NULL, NULL),
                     INK_NOT_FOUND);
    CHECK(sketches_unchanged(sketch, &before));
    arrow_release(array);
}

TEST(one_absent_key_and_no_row_is_removed)
{
    static const size_t rows[] = {5, 900, ROWS - 1};

    for (unsigned nulls = 0; nulls < 2; nulls++)
        for (size_t r = 0; r < 3; r++) {
            owned_data *of = new_data(nulls), *with = new_data(nulls);
            size_t      row = rows[r], count = r == 1 ? BLOCK : ROWS;
            with->keys[row] = "absent";
            with->valid[row] = '1';
            with->ints[row] = 1 << 20;
            snprintf(with->texts[row], TEXT_BYTES, "absent");
            for (size_t f = 0; f < TEXT_FORMATS; f++) {
                arrow_data array = texts(with, f, count, 0);
                check_absent(of, &array, row, INK_KEY_BYTES);
            }
            arrow_data wide = ints(with, 0, count, 0), narrow = ints(with, 2, count, 0);
            check_absent(of, &wide, row, INK_KEY_INT);
            check_absent(of, &narrow, row, INK_KEY_INT);
        }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

typedef enum verb { ADD, ADD_ON_THREADS, ADD_NEW, REMOVE, CONTAINS, COUNT, VERBS } verb;

/* One of the calls, with room for its answers. */
static ink_status call(verb what, ink_sketch *sketch, const arrow_data *of,
                       const ink_reading *reading, ink_arrow_report *report)
{
    static uint8_t            marks[ROWS];
    static ink_answer         answers[ROWS];
    const struct ArrowSchema *schema = &of->schema;
    const struct ArrowArray  *array = &of->array;
    ink_job                   job = {
                          .threads = 2, .failed_path = "of another call", .records = 1, .bad = 1, .nulls = 1};

    switch (what) {
    case ADD:
        return ink_arrow_add(sketch, schema, array, reading, report, &error);
    case ADD_NEW:
        return ink_arrow_add_new(sketch, schema, array, reading, marks, report, &error);
    case REMOVE:
        return ink_arrow_remove(sketch, schema, array, reading, report, &error);
    case CONTAINS:
        return ink_arrow_contains(sketch, schema, array, reading, marks, report, &error);
    case COUNT:
        return ink_arrow_count(sketch, schema, array, reading, answers, report, &error);
    default:
        break;
    }
    ink_status status = ink_job_add_array(sketch, schema, array, reading, &job, &error);
    *report = (ink_arrow_report){.rows = job.records, .nulls = job.nulls};
    assert_null(job.failed_path);
    assert_int_equal(job.bad, 0);
    return status;
}

/* All calls refuse in the same words, with rows and without, and change nothing. */
static void check_refused(ink_sketch *sketch, const ink_reading *reading, arrow_data *array,
                          ink_status status, const char *text)
{
    const int64_t     rows = array->array.length;
    sketches_snapshot before = sketches_remember(sketch);

    for (unsigned i = 0; i < 2 * VERBS; i++) {
        ink_arrow_report report = {.rows = 7, .nulls = 7};
        array->array.length = i < VERBS ? rows : 0;
        CHECK_FAILS(call(i % VERBS, sketch, array, reading, &report), status, text);
        assert_int_equal(report.rows, 0);
        assert_int_equal(report.nulls, 0);
    }
    array->array.length = rows;
    CHECK(sketches_unchanged(sketch, &before));
}

TEST(what_is_for_records_is_refused_by_name)
{
    const struct {
        ink_reading reading;
        const char *name;
    } refused[] = {
        {{.form = INK_FORM_CSV}, "form for an Arrow array, expected none"},
        {{.delimiter = ','}, "delimiter"},
        {{.blanks = true}, "blanks"},
        {{.header = true}, "header"},
        {{.multiline = true}, "multiline"},
        {{.time = "when"}, "time"},
        {{.skip_bad = true}, "skip_bad"},
        {{.keys = (ink_keys)3}, "keys 3, expected 0 to 2"},
        {{.round = (ink_round)4}, "round 4, expected 0 to 3"},
        {{.round = INK_ROUND_HALF_UP}, "round"},
        {{.by = "1"}, "(by)"},
    };
    owned_data   *of = new_data(false);
    owned_sketch *sketch = new_sketch(&counting_kind, INK_KEY_INT);
    owned_arrow   array = ints(of, 0, 10, 0);
    ink_key_type  type;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        check_refused(sketch, &refused[i].reading, &array, INK_USAGE, refused[i].name);
    for (size_t i = 0; i < 9; i++)
        CHECK_FAILS(ink_arrow_key_type(&array.schema, &refused[i].reading, &type, &error),
                    INK_USAGE, refused[i].name);
}

TEST(keys_of_another_type_are_refused)
{
    const ink_reading want_ints = {.keys = INK_KEYS_INT}, want_bytes = {.keys = INK_KEYS_BYTES};
    owned_data       *of = new_data(false);
    owned_sketch     *of_ints = new_sketch(&counting_kind, INK_KEY_INT);
    owned_sketch     *of_bytes = new_sketch(&counting_kind, INK_KEY_BYTES);
    owned_arrow       number = ints(of, 0, 10, 0), text = texts(of, 0, 10, 0);

    check_refused(of_bytes, NULL, &number, INK_MISMATCH,
                  "int keys for a sketch of bytes keys (key_type)");
    check_refused(of_ints, NULL, &text, INK_MISMATCH,
                  "bytes keys for a sketch of int keys (key_type)");
    check_refused(of_ints, &want_bytes, &number, INK_MISMATCH, "expected bytes (key_type)");
    check_refused(of_bytes, &want_ints, &text, INK_MISMATCH, "expected ints (key_type)");
    CHECK_OK(ink_arrow_add(of_ints, &number.schema, &number.array, &want_ints, NULL, &error));
    CHECK_OK(ink_arrow_add(of_bytes, &text.schema, &text.array, &want_bytes, NULL, &error));
}

TEST(a_keyed_sketch_without_its_secret_is_refused)
{
    const ink_params keyed = {.kind = "counting", .expected_keys = 10, .secret = secret};
    owned_data      *of = new_data(false);
    owned_sketch    *sketch = new_sketch(&keyed, INK_KEY_INT);
    owned_arrow      array = ints(of, 0, 10, 0);
    sketches_view    view;

    view = sketches_view_of(sketch, INK_OPEN_COPY);
    check_refused(view.sketch, NULL, &array, INK_MISMATCH, "secret");
    CHECK_OK(ink_sketch_unlock(view.sketch, secret, &error));
    CHECK_OK(ink_arrow_add(view.sketch, &array.schema, &array.array, NULL, NULL, &error));
    sketches_view_close(&view);
}

TEST(views_are_asked_and_not_changed)
{
    owned_data      *of = new_data(false);
    owned_sketch    *sketch = new_sketch(&counting_kind, INK_KEY_INT);
    ink_arrow_report report;
    sketches_view    view;
    uint8_t          marks[10];

    add_rows(sketch, of, INK_KEY_INT, 5);
    view = sketches_view_of(sketch, 0);
    for (size_t count = 0; count <= 10; count += 10) {
        owned_arrow array = ints(of, 0, count, 0);
        for (verb what = ADD; what <= REMOVE; what++)
            CHECK_FAILS(call(what, view.sketch, &array, NULL, &report), INK_READ_ONLY,
                        "view of a file");
        CHECK_OK(ink_arrow_contains(view.sketch, &array.schema, &array.array, NULL, marks, NULL,
                                    &error));
    }
    CHECK(marks[0] == 1 && marks[9] == 0);
    sketches_view_close(&view);
}

TEST(weights_and_questions_that_a_kind_does_not_know_are_refused)
{
    const ink_reading unweighted = {.key = key_column, .key_count = 1};
    const ink_params  bloom = {.kind = "bloom", .expected_keys = 10}, hll = {.kind = "hll"};
    const struct {
        verb               what;
        const ink_params  *kind;
        const ink_reading *reading;
        ink_status         status;
        const char        *text;
    } refused[] = {
        {ADD, &bloom, &by_weight, INK_UNSUPPORTED, "bloom does not count: it takes no weights"},
        {ADD_NEW, &counting_kind, &by_weight, INK_USAGE, "weights for keys that are added once"},
        {CONTAINS, &counting_kind, &by_weight, INK_USAGE, "weights in a question"},
        {COUNT, &counting_kind, &by_weight, INK_USAGE, "weights in a question"},
        {CONTAINS, &hll, &unweighted, INK_UNSUPPORTED, "hll cannot tell whether"},
        {ADD_NEW, &hll, &unweighted, INK_UNSUPPORTED, "hll cannot tell whether"},
        {COUNT, &hll, &unweighted, INK_UNSUPPORTED, "hll cannot tell how often"},
        {REMOVE, &bloom, &unweighted, INK_UNSUPPORTED, "bloom cannot take keys out"},
    };
    owned_data      *of = new_data(false);
    ink_arrow_report report;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        for (size_t count = 0; count <= 10; count += 10) {
            owned_sketch *sketch = new_sketch(refused[i].kind, INK_KEY_INT);
            owned_arrow   table = weighted(of, ints(of, 0, count, 0), count);
            CHECK_FAILS(call(refused[i].what, sketch, &table, refused[i].reading, &report),
                        refused[i].status, refused[i].text);
        }
}

/* The last row is looked at before the first is added. */
static void check_bad_row(ink_sketch *sketch, const arrow_data *array, const ink_reading *reading,
                          size_t row, ink_status status, const char *text)
{
    sketches_snapshot before = sketches_remember(sketch);

    for (verb what = ADD; what <= REMOVE; what += REMOVE - ADD) {
        ink_arrow_report report = {.rows = 7, .nulls = 7};
        CHECK_FAILS(call(what, sketch, array, reading, &report), status, text);
        assert_int_equal(error.location, INK_AT_KEY);
        assert_int_equal(error.at, row);
        assert_int_equal(report.rows, 0);
    }
    CHECK(sketches_unchanged(sketch, &before));
}

TEST(a_row_that_is_refused_is_named_and_none_is_added)
{
    const ink_reading refuse = {.refuse_nulls = true};
    owned_data       *of = new_data(false);
    owned_sketch     *sketch = new_sketch(&counting_kind, INK_KEY_BYTES);
    owned_sketch     *times = new_sketch(&counting_kind, INK_KEY_INT);

    add_rows(sketch, of, INK_KEY_BYTES, ROWS);
    of->keys[ROWS - 2] = NULL;
    for (size_t f = 0; f + 1 < TEXT_FORMATS; f++) {
        owned_arrow array = texts(of, f, ROWS, 0);
        check_bad_row(sketch, &array, &refuse, ROWS - 2, INK_MISMATCH, "null");
    }
    of->weights[ROWS - 1] = -1;
    arrow_data  columns[] = {texts(of, 0, ROWS, 0),
                             arrow_ints("times", "l", of->weights, NULL, ROWS, 0)};
    owned_arrow table = arrow_struct(columns, 2, NULL, ROWS, 0);
    check_bad_row(sketch, &table, &by_weight, ROWS - 1, INK_FORMAT, "-1, expected a weight");
    for (size_t i = 0; i < ROWS; i++)
        of->ints[i] = i == ROWS - 3 ? 1001 : 1000 * (int64_t)i;
    owned_arrow nanoseconds = arrow_ints("when", "tsn:", of->ints, NULL, ROWS, 0);
    check_bad_row(times, &nanoseconds, NULL, ROWS - 3, INK_FORMAT, "1001");
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Refuses every allocation in turn. The sketch then has the rows that the report counts, and no
 * more; `before` rows were in it. */
static void check_memory(const data *of, const ink_params *params, verb what, size_t before,
                         const arrow_data *array)
{
    const bool adds = what <= ADD_NEW;
    unsigned   stopped_early = 0, on_the_way = 0;

    for (uint64_t nth = 1, refused = 1; refused > 0; nth++) {
        faults_memory    memory = {0};
        ink_allocator    allocator = faults_allocator(&memory), used;
        owned_sketch    *expected = new_sketch(params, INK_KEY_BYTES);
        ink_arrow_report report;
        ink_sketch      *sketch;
        CHECK_OK(ink_sketch_create(&sketch, params, &allocator, &error));
        ink_sketch_allocator(sketch, &used);
        CHECK(used.host == &memory); /* that the call takes memory from */
        add_rows(sketch, of, INK_KEY_BYTES, before);
        add_rows(expected, of, INK_KEY_BYTES, before);
        memory.refuse_at = memory.asked + nth;
        ink_status status = call(what, sketch, array, NULL, &report);
        refused = memory.refused;
        assert_int_equal(status, refused > 0 ? INK_MEMORY : INK_OK);
        if (refused > 0) {
            for (size_t i = 0; adds && i < report.rows; i++)
                if (of->keys[i] != NULL && !(what == ADD_NEW && is_known(expected, of->keys[i])))
                    CHECK_OK(ink_sketch_add(expected, of->keys[i], strlen(of->keys[i]), &error));
            CHECK(sketches_equal(sketch, expected));
            stopped_early += report.rows == 0;
            on_the_way += report.rows > 0;
        }
        ink_sketch_free(sketch);
        faults_check_no_leak(&memory);
    }
    CHECK(stopped_early > 0);
    CHECK(!adds || on_the_way > 0);
}

TEST(without_memory_the_report_reports_what_was_added)
{
    const ink_params scalable = {.kind = "scalable", .expected_keys = 100};
    owned_data      *of = new_data(false);

    for (size_t i = 0; i < ROWS; i += 5)
        of->keys[i] = NULL;
    owned_arrow array = texts(of, 4, ROWS, 0);
    check_memory(of, &scalable, ADD, 0, &array);
    check_memory(of, &scalable, ADD_ON_THREADS, 0, &array);
    check_memory(of, &scalable, ADD_NEW, 50, &array);
    check_memory(of, &scalable, CONTAINS, 50, &array);
    check_memory(of, &counting_kind, REMOVE, ROWS, &array);
}

/* Arrays that are asked part by part, too, whose buffers end long before that. */
TEST(a_length_that_nothing_can_have_is_refused_before_a_row_is_read)
{
    static const char *const texts[] = {"a", "b"};
    const ink_params         bloom = {.kind = "bloom", .bits = 256};
    owned_arrow              array = arrow_texts("", "u", texts, 2, 0);
    owned_sketch            *sketch = new_sketch(&bloom, INK_KEY_BYTES);
    ink_arrow_report         report;
    uint8_t                  answers[2] = {7, 7};

    array.array.length = (int64_t)1 << 59;
    CHECK_FAILS(
        ink_arrow_contains(sketch, &array.schema, &array.array, NULL, answers, &report, &error),
        INK_FORMAT, "the array has 576460752303423488 rows with those before them, expected");
    assert_true(report.rows == 0 && answers[0] == 7);
    array.array.length = 2;
    CHECK_OK(
        ink_arrow_contains(sketch, &array.schema, &array.array, NULL, answers, &report, &error));
}

RUN_TESTS()
