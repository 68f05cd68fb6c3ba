/* arrow_check_test.c - an array that is not what its schema says, or whose values cannot be keys,
 * groups or weights, is refused before a row of it is read, and the row is reported; what stands
 * below a null is not looked at. */
#include "input/arrow/arrow_check.h"
#include "input/arrow/arrow_rows.h"

#include "support/arrow.h"
#include "support/check.h"

#include <math.h>

static ink_error error;

static const ink__arrow_wanted the_array = {0};

/* Checks an array of one column. */
static ink_status check_wanted(const arrow_data *data, const ink__arrow_wanted *wanted)
{
    ink__arrow_plan plan;

    CHECK_OK(ink__arrow_plan_make(&plan, &data->schema, wanted, &error));
    return ink__arrow_check(&plan, &data->array, &error);
}

static ink_status check_array(const arrow_data *data)
{
    return check_wanted(data, &the_array);
}

/* Checks, and releases. */
static ink_status check_once(arrow_data data, const ink__arrow_wanted *wanted)
{
    ink_status status = check_wanted(&data, wanted);

    arrow_release(&data);
    return status;
}

static ink_status check_alone(arrow_data data)
{
    return check_once(data, &the_array);
}

/* The call fails as long as a part of the array has another value. */
#define CHECK_FAILS_WITH(part, value, call, status, text)                                          \
    do {                                                                                           \
        __typeof__(part) kept_part = (part);                                                       \
        (part) = (value);                                                                          \
        CHECK_FAILS(call, status, text);                                                           \
        (part) = kept_part;                                                                        \
    } while (0)

/* The failure is about this row. */
#define CHECK_FAILS_AT(call, expected, row, text)                                                  \
    do {                                                                                           \
        CHECK_FAILS(call, expected, text);                                                         \
        assert_int_equal(error.location, INK_AT_KEY);                                              \
        assert_int_equal(error.at, row);                                                           \
    } while (0)

static const int64_t     three_ints[] = {1, 2, 3};
static const char *const three_texts[] = {"one", "a text that is long", "three"};

/* Writes into a buffer of an array. */
static void put(const arrow_data *data, size_t buffer, size_t at, const void *bytes, size_t count)
{
    memcpy((uint8_t *)(uintptr_t)data->array.buffers[buffer] + at, bytes, count);
}

static void put_32(const arrow_data *data, size_t buffer, size_t at, int32_t value)
{
    put(data, buffer, at * 4, &value, sizeof value);
}

static void put_64(const arrow_data *data, size_t buffer, size_t at, int64_t value)
{
    put(data, buffer, at * 8, &value, sizeof value);
}

/* Indices into the first of the three texts. */
static arrow_data words_of(const char *format, const int64_t *indices, size_t count, size_t words,
                           size_t offset)
{
    return arrow_dictionary("x", format, indices, NULL, count, offset,
                            arrow_texts("", "u", three_texts, words, offset));
}

/* ---- Structure ---------------------------------------------------------------------------- */

TEST(what_was_released_is_not_looked_at)
{
    arrow_data column = arrow_ints("x", "l", three_ints, NULL, 3, 0);
    arrow_data columns[] = {arrow_ints("x", "l", three_ints, NULL, 3, 0)};
    arrow_data table = arrow_struct(columns, 1, NULL, 3, 0);
    arrow_data words = words_of("c", (const int64_t[]){0}, 1, 3, 0);

    CHECK_FAILS_WITH(column.array.release, NULL, check_array(&column), INK_USAGE,
                     "the array was released");
    CHECK_FAILS_WITH(table.array.children[0]->release, NULL, check_array(&table), INK_USAGE,
                     "a column of the array was released");
    CHECK_FAILS_WITH(words.array.dictionary->release, NULL, check_array(&words), INK_USAGE,
                     "the dictionary of a column was released");
    CHECK_OK(check_array(&words));
    arrow_release(&column);
    arrow_release(&table);
    arrow_release(&words);
}

TEST(lengths_and_offsets_must_be_possible)
{
    arrow_data         data = arrow_ints("x", "l", three_ints, NULL, 3, 0);
    struct ArrowArray *array = &data.array;
    const struct {
        int64_t    *part, value;
        const char *text;
    } wrong[] = {
        {&array->length, -1, "the array has length -1, offset 0 and 0 nulls"},
        {&array->offset, -2, "offset -2"},
        {&array->null_count, -2, "-2 nulls"},
        {&array->n_buffers, -1, "-1 buffers"},
        {&array->n_children, -1, "-1 children"},
        /* The sum would not fit, nor its bytes. */
        {&array->offset, INT64_MAX, "rows with those before them"},
        {&array->offset, INT64_MAX / 8, "rows with those before them"},
        {&array->length, INT64_MAX, "rows with those before them"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS_WITH(*wrong[i].part, wrong[i].value, check_array(&data), INK_FORMAT,
                         wrong[i].text);
    CHECK_OK(check_array(&data));
    arrow_release(&data);
}

TEST(fixed_sizes_do_not_overflow)
{
    arrow_data data = arrow_texts("x", "w:3", three_texts, 3, 0);

    free((void *)(uintptr_t)data.schema.format);
    data.schema.format = strcpy(malloc(16), "w:2147483647");
    data.array.offset = INT64_MAX / INT32_MAX;
    CHECK_FAILS(check_array(&data), INK_FORMAT, "rows with those before them");
    data.array.length = 0; /* so that no value is looked at */
    CHECK_FAILS(check_array(&data), INK_FORMAT,
                "column \"x\" has 4294967298 rows with those before "
                "them, expected 4294967297");
    data.array.offset--;
    CHECK_OK(check_array(&data));
    arrow_release(&data);
}

TEST(buffers_must_be_as_many_as_the_type_has)
{
    static const struct {
        const char *format;
        int64_t     buffers;
    } types[] = {{"u", 3}, {"U", 3}, {"w:3", 2}, {"vu", 6}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        arrow_data data = arrow_texts("x", types[i].format, three_texts, 3, 0);
        assert_int_equal(data.array.n_buffers, types[i].buffers);
        CHECK_OK(check_array(&data));
        bool views = types[i].format[0] == 'v';
        CHECK_FAILS_WITH(data.array.n_buffers, views ? 2 : types[i].buffers - 1, check_array(&data),
                         INK_FORMAT, " buffers, expected ");
        if (!views)
            CHECK_FAILS_WITH(data.array.n_buffers, types[i].buffers + 1, check_array(&data),
                             INK_FORMAT, " buffers, expected ");
        CHECK_FAILS_WITH(data.array.n_children, 1, check_array(&data), INK_FORMAT,
                         "column \"x\" has 1 children, expected 0");
        CHECK_FAILS_WITH(data.array.buffers, NULL, check_array(&data), INK_FORMAT,
                         "has no buffers (NULL)");
        arrow_release(&data);
    }
}

/* Takes a buffer away, checks, and puts it back. */
static ink_status check_without(arrow_data *data, size_t buffer)
{
    const void *kept = data->array.buffers[buffer];
    ink_status  status;

    data->array.buffers[buffer] = NULL;
    status = check_array(data);
    data->array.buffers[buffer] = kept;
    return status;
}

TEST(buffers_that_are_needed_must_be_there)
{
    static const char *const empty[] = {"", "", ""};
    arrow_data               ints = arrow_ints("x", "l", three_ints, "101", 3, 0);
    arrow_data               texts = arrow_texts("x", "u", three_texts, 3, 0);
    arrow_data               large = arrow_texts("x", "U", three_texts, 3, 0);
    arrow_data               views = arrow_texts("x", "vu", three_texts, 3, 0);
    arrow_data               fixed = arrow_texts("x", "w:0", three_texts, 3, 0);
    arrow_data               nothing = arrow_texts("x", "u", empty, 3, 0);
    arrow_data               byte = arrow_texts("x", "u", (const char *const[]){"", "a"}, 2, 0);

    CHECK_FAILS(check_without(&ints, 0), INK_FORMAT, "no bitmap of its nulls");
    ints.array.null_count = -1; /* then there are none */
    CHECK_OK(check_without(&ints, 0));
    CHECK_FAILS(check_without(&ints, 1), INK_FORMAT, "column \"x\" has no values (NULL)");
    CHECK_FAILS(check_without(&texts, 1), INK_FORMAT, "no offsets");
    CHECK_FAILS_AT(check_without(&texts, 2), INK_FORMAT, 0, "3 bytes, but none are there");
    CHECK_FAILS_AT(check_without(&large, 2), INK_FORMAT, 0, "3 bytes, but none are there");
    CHECK_FAILS_AT(check_without(&byte, 2), INK_FORMAT, 1, "1 bytes, but none are there");
    CHECK_OK(check_without(&nothing, 2));
    CHECK_OK(check_without(&fixed, 1));
    CHECK_FAILS(check_without(&views, 1), INK_FORMAT, "no offsets or bytes");
    CHECK_FAILS_AT(check_without(&views, 3), INK_FORMAT, 1, "expected it within one of 3 buffers");
    CHECK_OK(check_without(&views, 2)); /* where nothing stands */
    CHECK_FAILS(check_without(&views, 5), INK_FORMAT, "no sizes of its buffers");
    arrow_release(&ints);
    arrow_release(&texts);
    arrow_release(&large);
    arrow_release(&views);
    arrow_release(&fixed);
    arrow_release(&nothing);
    arrow_release(&byte);
}

TEST(tables_must_have_their_columns)
{
    static const char *const x[] = {"x"};
    const ink__arrow_wanted  wanted = {.key = x, .key_count = 1};
    arrow_data               columns[] = {arrow_ints("x", "l", three_ints, NULL, 3, 0),
                                          arrow_ints("y", "l", three_ints, NULL, 3, 0)};
    arrow_data               table = arrow_struct(columns, 2, "101", 3, 0);
    struct ArrowArray      **children = table.array.children;

#define CHECK_TABLE(part, value, text)                                                             \
    CHECK_FAILS_WITH(part, value, check_wanted(&table, &wanted), INK_FORMAT, text)
    CHECK_OK(check_wanted(&table, &wanted));
    CHECK_TABLE(table.array.n_children, 1, "an array of 1 columns, expected 2 as its schema says");
    CHECK_TABLE(table.array.children, NULL, "an array of 0 columns, expected 2");
    CHECK_TABLE(children[0], NULL, "a column of the array is NULL");
    CHECK_TABLE(table.array.n_buffers, 2, "a struct of 2 buffers, expected 1");
    CHECK_TABLE(table.array.buffers[0], NULL, "1 nulls without a bitmap");
    CHECK_TABLE(children[0]->length, 2, "column \"x\" has 2 rows, expected 3");
    CHECK_TABLE(table.array.offset, 1, "column \"x\" has 3 rows, expected 4");
    CHECK_TABLE(table.array.offset, INT64_MAX, "column \"x\" has 3 rows");
    CHECK_TABLE(children[0]->offset, INT64_MAX, "rows with those before them");
    CHECK_OK(check_wanted(&table, &wanted));
    arrow_release(&table);
}

TEST(dictionaries_must_be_there_as_the_schema_says)
{
    arrow_data         words = words_of("c", (const int64_t[]){0, 2}, 2, 3, 0);
    arrow_data         ints = arrow_ints("x", "l", three_ints, NULL, 3, 0);
    struct ArrowArray *dictionary = words.array.dictionary;

    CHECK_FAILS_WITH(words.array.dictionary, NULL, check_array(&words), INK_FORMAT,
                     "0 dictionaries, expected 1");
    CHECK_FAILS_WITH(ints.array.dictionary, dictionary, check_array(&ints), INK_FORMAT,
                     "1 dictionaries, expected 0");
    CHECK_FAILS_WITH(dictionary->length, -3, check_array(&words), INK_FORMAT,
                     "the dictionary of a column has length -3");
    CHECK_FAILS_WITH(dictionary->n_buffers, 2, check_array(&words), INK_FORMAT,
                     "2 buffers, expected 3");
    CHECK_OK(check_array(&words));
    arrow_release(&words);
    arrow_release(&ints);
}

/* ---- Values ------------------------------------------------------------------------------- */

TEST(offsets_never_fall)
{
    static const struct {
        size_t      at;
        int64_t     offsets[2]; /* of 32 and of 64 bits */
        uint64_t    row;
        const char *texts[2];
    } wrong[] = {
        {4, {3, 3}, 1, {"offsets 5 and 3, expected ones that", "offsets 5 and 3, expected ones"}},
        {2,
         {INT32_MIN, INT64_MIN},
         0,
         {"offsets -2147483648 and 5", "offsets -9223372036854775808 and 5"}},
        {5, {-1, -1}, 2, {"offsets 24 and -1", "offsets 24 and -1"}},
        {5, /* so far below that the difference has no sign */
         {INT32_MIN, INT64_MIN},
         2,
         {"offsets 24 and -2147483648", "offsets 24 and -9223372036854775808"}},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int large = 0; large < 2; large++) {
            arrow_data data = arrow_texts("x", large ? "Z" : "u", three_texts, 3, 2);
            CHECK_OK(check_array(&data));
            if (large)
                put_64(&data, 1, wrong[i].at, wrong[i].offsets[1]);
            else
                put_32(&data, 1, wrong[i].at, (int32_t)wrong[i].offsets[0]);
            CHECK_FAILS_AT(check_array(&data), INK_FORMAT, wrong[i].row, wrong[i].texts[large]);
            data.array.length = 2; /* as if the third were not there */
            if (wrong[i].row == 2)
                CHECK_OK(check_array(&data));
            arrow_release(&data);
        }
}

/* The last offset says how many bytes there are: none may be above it, though offsets fall only at
 * a null, or at a value that no row has. */
TEST(no_offset_is_above_the_last)
{
    static const char *const texts[] = {"abcd", NULL, "ef"}, *const three[] = {"abcd", "ef", "gh"};
    const int64_t indices[] = {0, 0};
    arrow_data    nulls = arrow_texts("x", "u", texts, 3, 0);
    arrow_data    words =
        arrow_dictionary("x", "i", indices, NULL, 2, 0, arrow_texts("", "U", three, 3, 0));
    arrow_data dictionary = {.array = *words.array.dictionary};

    CHECK_OK(check_array(&nulls));
    put_32(&nulls, 1, 2, 1); /* below the null */
    put_32(&nulls, 1, 3, 3);
    CHECK_FAILS_AT(check_array(&nulls), INK_FORMAT, 1, "offsets 4 and 1, expected ones that never");
    CHECK_OK(check_array(&words));
    put_64(&dictionary, 1, 2, 1); /* of a value that no row has */
    put_64(&dictionary, 1, 3, 3);
    CHECK_FAILS_AT(check_array(&words), INK_FORMAT, 0,
                   "offset 4 before a last one of 3, expected ones");
    arrow_release(&nulls);
    arrow_release(&words);
}

/* Memory of that size is not touched: offsets are believed. */
TEST(keys_of_two_gibibytes_are_too_long)
{
    static const char *const names[] = {"x", "y"};
    const ink__arrow_wanted  tuple = {.key = names, .key_count = 2};
    arrow_data               large = arrow_texts("x", "U", three_texts, 3, 0);
    arrow_data               texts = arrow_texts("y", "u", three_texts, 3, 0);

    put_64(&large, 1, 3, (int64_t)INT32_MAX + 22);
    CHECK_OK(check_array(&large));
    put_64(&large, 1, 3, (int64_t)INT32_MAX + 23);
    CHECK_FAILS_AT(check_array(&large), INK_LIMIT, 2,
                   "has 2147483648 bytes, expected fewer than 2147483648");
    arrow_data one = arrow_texts("x", "U", three_texts, 1, 0); /* no other length beside it */
    int64_t    start;
    memcpy(&start, one.array.buffers[1], sizeof start);
    put_64(&one, 1, 1, start + INT32_MAX);
    CHECK_OK(check_array(&one));
    put_64(&one, 1, 1, start + INT32_MAX + 1);
    CHECK_FAILS_AT(check_array(&one), INK_LIMIT, 0, "has 2147483648 bytes");
    arrow_release(&one);
    put_64(&large, 1, 3, 30);
    put_32(&texts, 1, 3, 22 + (1 << 27));
    CHECK_OK(check_array(&texts));
    arrow_data columns[] = {large, texts};
    arrow_data table = arrow_struct(columns, 2, NULL, 3, 0);
    CHECK_FAILS_AT(check_wanted(&table, &tuple), INK_LIMIT, 2, "column \"y\" has 134217728 bytes");
    put_32(&(arrow_data){.array = *table.array.children[1]}, 1, 3, 21 + (1 << 27));
    CHECK_OK(check_wanted(&table, &tuple));
    arrow_release(&table);
}

TEST(fixed_parts_of_a_tuple_are_limited_by_their_width)
{
    static const char *const names[] = {"x", "y"}, *const formats[] = {"w:134217727",
                                                                       "w:134217728"};
    const ink__arrow_wanted tuple = {.key = names, .key_count = 2};

    for (size_t i = 0; i < 2; i++) {
        arrow_data columns[] = {arrow_texts("x", "w:3", three_texts, 3, 0),
                                arrow_ints("y", "l", three_ints, NULL, 3, 0)};
        free((void *)(uintptr_t)columns[0].schema.format);
        columns[0].schema.format = strcpy(malloc(16), formats[i]);
        arrow_data table = arrow_struct(columns, 2, NULL, 3, 0);
        if (i == 0) /* no byte is looked at */
            CHECK_OK(check_wanted(&table, &tuple));
        else
            CHECK_FAILS_AT(check_wanted(&table, &tuple), INK_LIMIT, 0,
                           "column \"x\" has 134217728 bytes, expected fewer than 134217728");
        arrow_release(&table);
    }
}

TEST(views_stay_within_their_buffers)
{
    static const struct {
        size_t      part; /* of the view: its length, where it begins, its buffer or its offset */
        int32_t     value;
        const char *text;
    } wrong[] = {
        {0, 20, "a view of 20 bytes at 0 of buffer 1"},
        {0, -1, "a view of 4294967295 bytes"},
        {0, INT32_MIN, "a view of 2147483648 bytes"},
        {2, 3, "buffer 3, expected it within one of 3 buffers"},
        {2, -1, "buffer 4294967295"},
        {2, 0, "buffer 0"},
        {3, 1, "at 1 of buffer 1"},
        {3, -1, "at 4294967295 of"},
        {3, INT32_MAX, "at 2147483647 of"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        arrow_data views = arrow_texts("x", "vu", three_texts, 3, 2);
        CHECK_OK(check_array(&views));
        put_32(&views, 1, (2 + 1) * 4 + wrong[i].part, wrong[i].value);
        CHECK_FAILS_AT(check_array(&views), INK_FORMAT, 1, wrong[i].text);
        arrow_release(&views);
    }
    arrow_data views = arrow_texts("x", "vu", three_texts, 3, 2);
    put_64(&views, 5, 1, -1); /* the size of the buffer */
    CHECK_FAILS_AT(check_array(&views), INK_FORMAT, 1, "a view of 19 bytes");
    put_64(&views, 5, 1, INT64_MAX); /* is believed; but an offset has a sign */
    CHECK_OK(check_array(&views));
    put_32(&views, 1, (2 + 1) * 4 + 3, -1);
    CHECK_FAILS_AT(check_array(&views), INK_FORMAT, 1, "at 4294967295 of");
    views.array.length = 1;
    CHECK_OK(check_array(&views));
    arrow_release(&views);
}

TEST(views_without_buffers_are_short)
{
    static const char *const shorts[] = {"twelve bytes", "", "a"};
    arrow_data               views = arrow_texts("x", "vu", shorts, 3, 0);

    views.array.n_buffers = 3; /* the third would be the sizes of none */
    CHECK_OK(check_without(&views, 2));
    put_32(&views, 1, 0, 13);
    CHECK_FAILS_AT(check_without(&views, 2), INK_FORMAT, 0, "within one of 0 buffers");
    arrow_release(&views);
}

TEST(indices_stay_within_their_dictionary)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};

    for (size_t i = 0; i < 8; i++)
        for (int larger = 0; larger < 2; larger++) {
            size_t  words = larger == 1 ? 3 : 2; /* than the array is, or not */
            int64_t good[] = {(int64_t)words - 1, 0}, high[] = {0, (int64_t)words}, low[] = {-1, 0};
            CHECK_OK(check_alone(words_of(formats[i], good, 2, words, 1)));
            CHECK_FAILS_AT(check_alone(words_of(formats[i], high, 2, words, 1)), INK_FORMAT, 1,
                           "expected one below ");
            CHECK_FAILS_AT(check_alone(words_of(formats[i], low, 2, words, 1)), INK_FORMAT, 0,
                           "within its dictionary");
        }
    CHECK_FAILS_AT(check_alone(words_of("c", (const int64_t[]){0}, 1, 0, 0)), INK_FORMAT, 0,
                   "has index 0, expected one below 0");
}

/* A value that no one names may be anything, whether the dictionary is larger or not. */
TEST(only_words_that_are_named_count)
{
    static const int64_t nanos[] = {1000, 1001, 2000}, first[] = {0, 2, 0, 2}, second[] = {0, 1, 1};

    CHECK_OK(check_alone(
        arrow_dictionary("x", "c", first, NULL, 4, 0, arrow_ints("", "tsn:", nanos, NULL, 3, 0))));
    CHECK_OK(check_alone(
        arrow_dictionary("x", "c", first, NULL, 2, 0, arrow_ints("", "tsn:", nanos, NULL, 3, 0))));
    CHECK_FAILS_AT(check_alone(arrow_dictionary("x", "c", second, NULL, 3, 0,
                                                arrow_ints("", "tsn:", nanos, NULL, 3, 0))),
                   INK_FORMAT, 1, "1001 nanoseconds");
    CHECK_OK(check_alone(arrow_dictionary("x", "c", second, NULL, 3, 0,
                                          arrow_ints("", "tsn:", nanos, "101", 3, 0))));
}

TEST(times_that_do_not_divide_or_fit_are_refused)
{
    static const struct {
        const char *format, *text;
        int64_t     good, bad;
    } times[] = {
        {"tsn:", "column \"x\" holds 1001 nanoseconds, expected whole microseconds", -1000, 1001},
        {"tsn:", "-999 nanoseconds", INT64_MIN + 808, -999},
        {"tsn:", "9223372036854775616 nanoseconds", 9223372036854775000, 9223372036854775616},
        {"tdm", "86399999 milliseconds, expected whole days", -86400000, 86399999},
        {"tss:", "9223372036855 seconds, expected microseconds that fit 64 bits", 9223372036854,
         9223372036855},
        {"tss:", "-9223372036855 seconds", -9223372036854, -9223372036855},
        {"tsm:", "9223372036854776 milliseconds, expected microseconds", 9223372036854775,
         9223372036854776},
        {"tsm:", "-9223372036854776 milliseconds", -9223372036854775, -9223372036854776},
    };

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const int64_t values[] = {0, times[i].good, times[i].bad, 0};
        CHECK_OK(check_alone(arrow_ints("x", times[i].format, values, NULL, 2, 3)));
        CHECK_FAILS_AT(check_alone(arrow_ints("x", times[i].format, values, NULL, 4, 3)),
                       INK_FORMAT, 2, times[i].text);
        CHECK_FAILS_AT(check_alone(arrow_ints("x", times[i].format, values, "1011", 4, 3)),
                       INK_FORMAT, 2, times[i].text);
        /* Below a null stands junk. */
        CHECK_OK(check_alone(arrow_ints("x", times[i].format, values, "1101", 4, 3)));
    }
}

/* ---- Groups and weights ------------------------------------------------------------------- */

/* Checks a column as the group, perhaps rounded, or as the weight of three rows. */
static ink_status check_beside(arrow_data column, bool weight, bool rounded)
{
    static const char *const key[] = {"k"};
    arrow_data               columns[] = {arrow_ints("k", "l", three_ints, NULL, 3, 0), column};
    const ink__arrow_wanted  wanted = {.key = key,
                                       .key_count = 1,
                                       .by = weight ? NULL : "x",
                                       .rounded = rounded,
                                       .weight = weight ? "x" : NULL};

    return check_once(arrow_struct(columns, 2, NULL, 3, 0), &wanted);
}

TEST(weights_are_not_negative)
{
    static const char *const formats[] = {"c", "s", "i", "l"}, *const others[] = {"C", "S", "I",
                                                                                  "L"};
    static const int64_t values[] = {0, 7, -1};

    for (size_t i = 0; i < 4; i++) {
        CHECK_FAILS_AT(check_beside(arrow_ints("x", formats[i], values, NULL, 3, 1), true, false),
                       INK_FORMAT, 2, "column \"x\" holds -1, expected a weight of 0 or more");
        CHECK_OK(check_beside(arrow_ints("x", formats[i], values, "110", 3, 1), true, false));
        CHECK_OK(check_beside(arrow_ints("x", others[i], values, NULL, 3, 1), true, false));
    }
    CHECK_FAILS_AT(check_beside(arrow_dictionary("x", "c", (const int64_t[]){0, 0, 2}, NULL, 3, 0,
                                                 arrow_ints("", "i", values, NULL, 3, 0)),
                                true, false),
                   INK_FORMAT, 2, "holds -1");
    /* All indices are looked at before the first weight. */
    CHECK_FAILS_AT(check_beside(arrow_dictionary("x", "c", (const int64_t[]){2, 0, 3}, NULL, 3, 0,
                                                 arrow_ints("", "i", values, NULL, 3, 0)),
                                true, false),
                   INK_FORMAT, 2, "has index 3, expected one below 3");
    CHECK_OK(check_beside(arrow_nulls("x", 3, 0), true, false));
}

TEST(what_is_rounded_must_be_a_number_that_fits)
{
    static const double      wrong[] = {0x1p63, -0x1.0000000000001p63, HUGE_VAL, -HUGE_VAL};
    static const char *const texts[] = {"1.5", "2", "two"};
    static const int64_t     ints[] = {0, -1, -1};
    static const char *const layouts[] = {"u", "Z", "vu", "w:3"};

    for (size_t i = 0; i < 5; i++) {
        double floats[] = {1, i < 4 ? wrong[i] : (double)NAN, 2};
        CHECK_FAILS_AT(check_beside(arrow_floats("x", "g", floats, NULL, 3, 1), false, true),
                       INK_FORMAT, 1, "expected a number that is rounded to one of 64 bits");
        CHECK_OK(check_beside(arrow_floats("x", "g", floats, "101", 3, 1), false, true));
        CHECK_OK(check_beside(arrow_floats("x", "g", floats, NULL, 3, 1), false, false));
        if (i >= 2) {
            CHECK_FAILS_AT(check_beside(arrow_floats("x", "e", floats, NULL, 3, 1), false, true),
                           INK_FORMAT, 1, "column \"x\" holds ");
            CHECK_FAILS_AT(check_beside(arrow_floats("x", "f", floats, NULL, 3, 1), false, true),
                           INK_FORMAT, 1, "column \"x\" holds ");
        }
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK_FAILS_AT(check_beside(arrow_texts("x", layouts[i], texts, 3, 0), false, true),
                       INK_FORMAT, i == 3 ? 1 : 2, "expected a number to round to a group");
        CHECK_OK(check_beside(arrow_texts("x", layouts[i], texts, 3, 0), false, false));
    }
    CHECK_FAILS_AT(check_beside(arrow_ints("x", "L", ints, NULL, 3, 0), false, true), INK_FORMAT, 1,
                   "holds 18446744073709551615, expected a number to round");
    CHECK_OK(check_beside(arrow_ints("x", "L", ints, NULL, 3, 0), false, false));
    CHECK_OK(check_beside(arrow_ints("x", "l", ints, NULL, 3, 0), false, true));
    CHECK_OK(check_beside(arrow_ints("x", "I", ints, NULL, 3, 0), false, true));
}

/* ---- Nulls -------------------------------------------------------------------------------- */

TEST(nulls_are_refused_if_they_are_to_be)
{
    static const char *const names[] = {"x", "y"}, *const texts[] = {"a", NULL, "c"};
    const ink__arrow_wanted refuse = {.refuse_nulls = true};
    const ink__arrow_wanted all = {
        .key = names, .key_count = 2, .by = "g", .weight = "w", .refuse_nulls = true};
    static const char *const bitmaps[][5] = {{"111", "111", "111", NULL, NULL},
                                             {"101", "111", "111", NULL, "column \"x\" is null"},
                                             {"111", "101", "111", "111", "column \"y\" is null"},
                                             {"111", "111", "101", NULL, "column \"w\" is null"},
                                             {"111", "111", "111", "101", "column \"x\" is null"}};

    CHECK_OK(check_once(arrow_ints("x", "l", three_ints, NULL, 3, 7), &refuse));
    CHECK_OK(check_once(arrow_ints("x", "l", three_ints, "111", 3, 7), &refuse));
    CHECK_FAILS_AT(check_once(arrow_ints("x", "l", three_ints, "110", 3, 7), &refuse), INK_MISMATCH,
                   2, "column \"x\" is null, expected no nulls");
    CHECK_FAILS_AT(check_once(arrow_texts("", "vu", texts, 3, 7), &refuse), INK_MISMATCH, 1,
                   "the array is null, expected no nulls");
    CHECK_FAILS_AT(check_once(arrow_nulls("x", 3, 0), &refuse), INK_MISMATCH, 0, "null");
    CHECK_OK(check_once(arrow_nulls("x", 0, 0), &refuse));
    CHECK_FAILS_AT(check_once(arrow_dictionary("x", "c", (const int64_t[]){0, 2, 1}, NULL, 3, 0,
                                               arrow_texts("", "u", texts, 3, 0)),
                              &refuse),
                   INK_MISMATCH, 2, "null");
    CHECK_OK(check_once(arrow_dictionary("x", "c", (const int64_t[]){0, 2, 2}, NULL, 3, 0,
                                         arrow_texts("", "u", texts, 3, 0)),
                        &refuse));
    for (size_t i = 0; i < 5; i++) {
        arrow_data columns[] = {arrow_ints("x", "l", three_ints, bitmaps[i][0], 3, 1),
                                arrow_ints("y", "s", three_ints, bitmaps[i][1], 3, 2),
                                arrow_ints("w", "s", three_ints, bitmaps[i][2], 3, 3),
                                arrow_nulls("g", 3, 0)}; /* a null group is a group */
        arrow_data table = arrow_struct(columns, 4, bitmaps[i][3], 3, 0);
        if (bitmaps[i][4] == NULL)
            CHECK_OK(check_once(table, &all));
        else
            CHECK_FAILS_AT(check_once(table, &all), INK_MISMATCH, 1, bitmaps[i][4]);
    }
    assert_int_equal(arrow_live(), 0);
}

/* A row that is null in the struct may hold anything in its columns. */
TEST(columns_of_a_null_row_are_not_looked_at)
{
    static const int64_t     nanos[] = {1000, 1, 2000}, indices[] = {0, 9, 1};
    static const char *const names[] = {"x", "y", "z"};
    const ink__arrow_wanted  wanted = {.key = names, .key_count = 3};
    arrow_data               columns[] = {
                      arrow_ints("x", "tsn:", nanos, NULL, 3, 0),
                      arrow_dictionary("y", "c", indices, NULL, 3, 0, arrow_texts("", "u", three_texts, 3, 0)),
                      arrow_texts("z", "vu", three_texts, 3, 0)};

    put_32(&columns[2], 1, 4 + 2, 77);
    CHECK_OK(check_once(arrow_struct(columns, 3, "101", 3, 0), &wanted));
}

TEST(the_nulls_of_a_struct_are_those_after_its_offset)
{
    static const int64_t     nanos[] = {2000, 1000, 1, 2000};
    static const char *const names[] = {"x"};
    const ink__arrow_wanted  wanted = {.key = names, .key_count = 1};

    arrow_data good = arrow_ints("x", "tsn:", nanos, NULL, 4, 0);
    CHECK_OK(check_once(arrow_struct(&good, 1, "101", 3, 1), &wanted));
    arrow_data bad = arrow_ints("x", "tsn:", nanos, NULL, 4, 0);
    CHECK_FAILS_AT(check_once(arrow_struct(&bad, 1, "110", 3, 1), &wanted), INK_FORMAT, 1,
                   "holds 1 nanoseconds");
}

RUN_TESTS()
