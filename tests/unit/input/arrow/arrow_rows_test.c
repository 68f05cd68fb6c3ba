/* arrow_rows_test.c - the rows of Arrow arrays of every type, with offsets and nulls at every
 * level, are those that a naive reader finds one by one, in parts of any size; nothing is copied
 * that stands right in the array; and what a column names as a group is the label that its text
 * would give. */
#include "input/arrow/arrow_check.h"
#include "input/arrow/arrow_rows.h"

#include "support/arrow.h"
#include "support/check.h"
#include "support/faults.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static ink_error error;

static uint64_t random_number(uint64_t below)
{
    static uint64_t state = 7;

    state += 0x9e3779b97f4a7c15u;
    uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

/* ---- A naive reader ----------------------------------------------------------------------- */

/* One value: nothing, or a text (bytes, a number in digits), or a float; and the int key. */
typedef struct value {
    bool    null;
    bool    real;
    uint8_t bytes[256];
    size_t  count;
    int64_t key;
    double  number;
} value;

static bool bit_at(const void *bits, int64_t at)
{
    return ((const uint8_t *)bits)[at / 8] >> at % 8 & 1;
}

static int64_t int_at(char letter, const void *buffer, int64_t at)
{
#define CASE(of, type)                                                                             \
    case of: {                                                                                     \
        type number;                                                                               \
        memcpy(&number, (const uint8_t *)buffer + at * (int64_t)sizeof number, sizeof number);     \
        return (int64_t)number;                                                                    \
    }
    switch (letter) {
        CASE('c', int8_t)
        CASE('C', uint8_t)
        CASE('s', int16_t)
        CASE('S', uint16_t)
        CASE('i', int32_t)
        CASE('I', uint32_t)
    default:
        CASE('l', int64_t)
    }
#undef CASE
}

static void set_text(value *to, const void *bytes, size_t count)
{
    CHECK(count < sizeof to->bytes);
    if (count > 0)
        memcpy(to->bytes, bytes, count);
    to->bytes[count] = 0;
    to->count = count;
}

static void set_int(value *to, const char *format, int64_t raw)
{
    int64_t key = strncmp(format, "tss", 3) == 0   ? raw * 1000000
                  : strncmp(format, "tsm", 3) == 0 ? raw * 1000
                  : strncmp(format, "tsn", 3) == 0 ? raw / 1000
                  : strcmp(format, "tdm") == 0     ? raw / 86400000
                                                   : raw;

    to->key = key;
    to->count =
        (size_t)(format[0] == 'L'
                     ? snprintf((char *)to->bytes, sizeof to->bytes, "%" PRIu64, (uint64_t)key)
                     : snprintf((char *)to->bytes, sizeof to->bytes, "%" PRId64, key));
}

static void set_view(value *to, const struct ArrowArray *array, int64_t at)
{
    const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * at;
    uint32_t       parts[4];

    memcpy(parts, view, sizeof parts);
    if (parts[0] <= 12)
        set_text(to, view + 4, parts[0]);
    else
        set_text(to, (const uint8_t *)array->buffers[2 + parts[2]] + parts[3], parts[0]);
}

/* The value in a row of a column. */
static value value_at(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
    const char   *format = schema->format;
    const int64_t at = array->offset + row;
    value         found = {0};

    if (format[0] == 'n' ||
        (array->buffers[0] != NULL && array->null_count != 0 && !bit_at(array->buffers[0], at)))
        return (value){.null = true};
    if (array->dictionary != NULL)
        return value_at(schema->dictionary, array->dictionary,
                        int_at(format[0], array->buffers[1], at));
    if (format[0] == 'b')
        set_text(&found, bit_at(array->buffers[1], at) ? "true" : "false",
                 bit_at(array->buffers[1], at) ? 4 : 5);
    else if (format[0] == 'v')
        set_view(&found, array, at);
    else if (format[0] == 'w')
        set_text(&found, (const uint8_t *)array->buffers[1] + at * atol(format + 2),
                 (size_t)atol(format + 2));
    else if (strchr("uzUZ", format[0]) != NULL) {
        char    letter = strchr("UZ", format[0]) != NULL ? 'l' : 'i';
        int64_t start = int_at(letter, array->buffers[1], at);
        set_text(&found, (const uint8_t *)array->buffers[2] + start,
                 (size_t)(int_at(letter, array->buffers[1], at + 1) - start));
    } else if (strchr("fg", format[0]) != NULL) {
        float single;
        found.real = true;
        if (format[0] == 'g')
            memcpy(&found.number, (const uint8_t *)array->buffers[1] + 8 * at, 8);
        else {
            memcpy(&single, (const uint8_t *)array->buffers[1] + 4 * at, 4);
            found.number = (double)single;
        }
    } else if (format[0] == 't')
        set_int(&found, format,
                int_at(strcmp(format, "tdD") == 0 ? 'i' : 'l', array->buffers[1], at));
    else
        set_int(&found, format, int_at(format[0], array->buffers[1], at));
    return found;
}

/* The value of a row in column `name` of a table, or in the array itself. */
static value column_at(const arrow_data *data, const char *name, int64_t row)
{
    const struct ArrowSchema *schema = &data->schema;

    if (strcmp(schema->format, "+s") != 0)
        return value_at(schema, &data->array, row);
    if (data->array.buffers[0] != NULL && data->array.null_count != 0 &&
        !bit_at(data->array.buffers[0], data->array.offset + row))
        return (value){.null = true};
    for (int64_t i = 0; i < schema->n_children; i++)
        if (strcmp(schema->children[i]->name, name) == 0)
            return value_at(schema->children[i], data->array.children[i], data->array.offset + row);
    fail_msg("no column %s", name);
    return (value){0};
}

/* ---- Comparing ---------------------------------------------------------------------------- */

/* A float as text: few digits only, which is what the tests here have. */
static void write_real(value *number)
{
    if (number->real && !number->null)
        number->count =
            (size_t)snprintf((char *)number->bytes, sizeof number->bytes, "%.6g", number->number);
}

/* The key of a row as bytes, of a table with several as a tuple; null if one part is. */
static value key_at(const arrow_data *data, const ink__arrow_wanted *wanted, int64_t row)
{
    value key = {0};

    if (wanted->key_count < 2)
        return column_at(data, wanted->key_count == 0 ? "" : wanted->key[0], row);
    for (size_t i = 0; i < wanted->key_count; i++) {
        value   part = column_at(data, wanted->key[i], row);
        uint8_t length[4] = {(uint8_t)part.count, 0, 0, 0};
        key.null = key.null || part.null;
        CHECK(key.count + part.count + 4 <= sizeof key.bytes);
        memcpy(key.bytes + key.count, length, 4);
        memcpy(key.bytes + key.count + 4, part.bytes, part.count);
        key.count += 4 + part.count;
    }
    return key;
}

static void check_bytes(const value *wanted, const uint8_t *bytes, uint64_t start, uint64_t end)
{
    CHECK(start <= end);
    assert_int_equal(end - start, wanted->count);
    if (wanted->count > 0)
        assert_memory_equal(bytes + start, wanted->bytes, wanted->count);
}

static void check_row(const arrow_data *data, const ink__arrow_wanted *wanted, bool ints,
                      const ink__rows *rows, size_t i, int64_t row)
{
    value key = key_at(data, wanted, row);

    CHECK(!key.null);
    if (ints)
        assert_int_equal(rows->key_ints[i], key.key);
    else
        check_bytes(&key, rows->key_bytes, rows->key_starts[i], rows->key_ends[i]);
    if (wanted->weight != NULL)
        assert_int_equal(rows->weights[i], column_at(data, wanted->weight, row).key);
    if (wanted->by == NULL)
        return;
    value group = column_at(data, wanted->by, row);
    write_real(&group);
    if (group.null)
        CHECK(rows->group_starts[i] == INK__GROUP_NULL && rows->group_ends[i] == INK__GROUP_NULL);
    else
        check_bytes(&group, rows->group_bytes, rows->group_starts[i], rows->group_ends[i]);
}

static bool is_null_row(const arrow_data *data, const ink__arrow_wanted *wanted, int64_t row)
{
    return key_at(data, wanted, row).null ||
           (wanted->weight != NULL && column_at(data, wanted->weight, row).null) ||
           (data->schema.n_children > 0 && data->array.buffers[0] != NULL &&
            data->array.null_count != 0 &&
            !bit_at(data->array.buffers[0], data->array.offset + row));
}

static ink__arrow_plan    plan;
static ink__arrow_reader *reader;

static void open_reader(const struct ArrowSchema *schema, const struct ArrowArray *array,
                        const ink__arrow_wanted *wanted)
{
    CHECK_OK(ink__arrow_plan_make(&plan, schema, wanted, &error));
    CHECK_OK(ink__arrow_check(&plan, array, &error));
    CHECK_OK(ink__arrow_reader_create(&reader, &plan, NULL, &error));
}

/* Reads all rows, in parts that end anywhere if `parts`; returns how many were no nulls. */
static size_t check_rows(const arrow_data *data, const ink__arrow_wanted *wanted, bool parts)
{
    uint64_t length = (uint64_t)data->array.length, all = 0;

    open_reader(&data->schema, &data->array, wanted);
    for (uint64_t first = 0, next; first < length; first = next) {
        uint64_t  end = parts ? first + 1 + random_number(length - first) : length;
        ink__rows rows;
        size_t    i = 0;
        CHECK_OK(ink__arrow_read(reader, &data->array, first, end, &next, &rows, &error));
        CHECK(next > first && next <= end);
        for (uint64_t row = first; row < next; row++)
            if (!is_null_row(data, wanted, (int64_t)row)) {
                CHECK(i < rows.count);
                assert_int_equal(ink__arrow_location(reader, i), row);
                check_row(data, wanted, plan.key_type == INK_KEY_INT, &rows, i++, (int64_t)row);
            }
        assert_int_equal(i, rows.count);
        assert_int_equal(ink__arrow_nulls(reader), next - first - rows.count);
        all += rows.count;
    }
    ink__arrow_reader_free(reader);
    return (size_t)all;
}

/* Checks an array as it is, and with its count of nulls unknown, and releases it. */
static void check_data(arrow_data data, const ink__arrow_wanted *wanted)
{
    size_t all = check_rows(&data, wanted, false);

    assert_int_equal(check_rows(&data, wanted, true), all);
    if (data.schema.format[0] != 'n')
        data.array.null_count = -1;
    for (int64_t i = 0; i < data.array.n_children; i++)
        if (data.schema.children[i]->format[0] != 'n')
            data.array.children[i]->null_count = -1;
    assert_int_equal(check_rows(&data, wanted, true), all);
    arrow_release(&data);
    assert_int_equal(arrow_live(), 0);
}

/* ---- Data --------------------------------------------------------------------------------- */

enum { MANY = 2600, FEW = 40 };

static int64_t     numbers[MANY], smalls[MANY], weights[MANY];
static const char *texts[MANY], *texts_all[MANY];
static char        valid[MANY + 1], sparse[MANY + 1];
static double      reals[MANY];

static int make_data(void **state)
{
    static char room[MANY][48];

    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        numbers[i] = (int64_t)(random_number(UINT64_MAX) >> random_number(64));
        numbers[i] = random_number(2) == 0 ? numbers[i] : -numbers[i];
        smalls[i] = (int64_t)random_number(FEW);
        weights[i] = (int64_t)random_number(100);
        reals[i] = ((double)random_number(100000) - 30000) / 100;
        valid[i] = random_number(4) == 0 ? '0' : '1';
        sparse[i] = i >= 1024 && i < 1700 ? '1' : random_number(200) == 0 ? '0' : '1';
        size_t length = random_number(3) == 0 ? random_number(40) : random_number(15);
        for (size_t at = 0; at < length; at++)
            room[i][at] = (char)('a' + random_number(26));
        texts_all[i] = room[i];
        texts[i] = random_number(4) == 0 ? NULL : room[i];
    }
    return 0;
}

static const char *const int_formats[] = {"c", "C", "s", "S", "i", "I", "l", "L", "tdD", "tsu:"};
static const char *const text_formats[] = {"u", "z", "U", "Z", "vu", "vz", "w:7", "w:0", "w:20"};
static const char *const index_formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const ink__arrow_wanted the_array = {0};

static const size_t counts[] = {0, 1, 7, 63, 64, 65, 129, 1023, 1024, 1025, MANY};

/* ---- Types -------------------------------------------------------------------------------- */

TEST(integers_of_any_width_are_read)
{
    for (size_t i = 0; i < COUNT(int_formats); i++)
        for (size_t n = 0; n < COUNT(counts); n++)
            for (size_t offset = 0; offset < 20; offset += 1 + 6 * n % 19) {
                const char *format = int_formats[i];
                check_data(arrow_ints("", format, numbers, NULL, counts[n], offset), &the_array);
                check_data(arrow_ints("", format, numbers, valid, counts[n], offset), &the_array);
                check_data(arrow_ints("", format, numbers, sparse, counts[n], offset), &the_array);
            }
}

TEST(dates_and_timestamps_become_days_and_microseconds)
{
    static const int64_t seconds[] = {0, -1, 1700000000, 9223372036854, -9223372036854};
    static const int64_t millis[] = {0, -1, 1700000000123, 9223372036854775, -9223372036854775};
    static const int64_t nanos[] = {0, -1000, 1700000000123456000, 9223372036854775000,
                                    -9223372036854775000};
    static const int64_t dates[] = {0, -86400000, 86400000, 1699920000000, -9223372036828800000};

    for (size_t offset = 0; offset < 3; offset++) {
        check_data(arrow_ints("", "tss:", seconds, "11011", 5, offset), &the_array);
        check_data(arrow_ints("", "tss:UTC", seconds, NULL, 5, offset), &the_array);
        check_data(arrow_ints("", "tsm:", millis, "11011", 5, offset), &the_array);
        check_data(arrow_ints("", "tsm:", millis, NULL, 5, offset), &the_array);
        check_data(arrow_ints("", "tsn:", nanos, "01110", 5, offset), &the_array);
        check_data(arrow_ints("", "tsn:", nanos, NULL, 5, offset), &the_array);
        check_data(arrow_ints("", "tdm", dates, "01110", 5, offset), &the_array);
        check_data(arrow_ints("", "tdm", dates, NULL, 5, offset), &the_array);
    }
}

TEST(bytes_of_every_layout_are_read)
{
    for (size_t i = 0; i < COUNT(text_formats); i++)
        for (size_t n = 0; n < COUNT(counts); n++)
            for (size_t offset = 0; offset < 20; offset += 1 + 6 * n % 19) {
                check_data(arrow_texts("", text_formats[i], texts, counts[n], offset), &the_array);
                check_data(arrow_texts("", text_formats[i], texts_all, counts[n], offset),
                           &the_array);
            }
}

TEST(dictionaries_are_looked_through)
{
    for (size_t i = 0; i < COUNT(index_formats); i++)
        for (size_t j = 0; j < COUNT(text_formats) + COUNT(int_formats); j++)
            for (size_t n = 0; n < COUNT(counts); n += 2) {
                bool       words = j < COUNT(text_formats);
                size_t     k = j - COUNT(text_formats);
                size_t     offset = n % 4 * 3;
                arrow_data none = words ? arrow_texts("", text_formats[j], texts_all, FEW, j % 3)
                                        : arrow_ints("", int_formats[k], numbers, NULL, FEW, j % 3);
                arrow_data some = words
                                      ? arrow_texts("", text_formats[j], texts, FEW, j % 3)
                                      : arrow_ints("", int_formats[k], numbers, valid, FEW, j % 3);
                arrow_data first =
                    arrow_dictionary("", index_formats[i], smalls, n % 4 == 0 ? valid : NULL,
                                     counts[n], offset, none);
                arrow_data second =
                    arrow_dictionary("", index_formats[i], smalls, n % 4 == 0 ? NULL : valid,
                                     counts[n], offset, some);
                size_t all = check_rows(&first, &the_array, true);
                CHECK(n < 6 || all < counts[n] || n % 4 != 0);
                check_rows(&second, &the_array, true);
                arrow_release(&first);
                arrow_release(&second);
            }
    assert_int_equal(arrow_live(), 0);
}

/* Timestamps in a dictionary are converted, and one that is larger than the array is fine. */
TEST(dictionaries_of_what_is_converted_are_converted)
{
    static const int64_t nanos[] = {7, 2000, -3000}, indices[] = {1, 2};

    check_data(
        arrow_dictionary("", "c", indices, NULL, 2, 1, arrow_ints("", "tsn:", nanos, NULL, 3, 2)),
        &the_array);
    check_data(
        arrow_dictionary("", "c", indices, NULL, 2, 1, arrow_ints("", "tsn:", nanos, "011", 3, 2)),
        &the_array);
}

TEST(a_column_of_nulls_has_no_keys)
{
    arrow_data nulls = arrow_nulls("", MANY, 3);

    assert_int_equal(check_rows(&nulls, &the_array, false), 0);
    check_data(nulls, &the_array);
    check_data(arrow_dictionary("", "c", smalls, NULL, 100, 0, arrow_nulls("", FEW, 0)),
               &the_array);
}

TEST(misaligned_buffers_are_read)
{
    for (arrow_misaligned = 1; arrow_misaligned < 8; arrow_misaligned += 3) {
        for (size_t i = 0; i < COUNT(int_formats); i++) {
            check_data(arrow_ints("", int_formats[i], numbers, NULL, MANY, 2), &the_array);
            check_data(arrow_ints("", int_formats[i], numbers, valid, MANY, 2), &the_array);
        }
        for (size_t i = 0; i < COUNT(text_formats); i++) {
            check_data(arrow_texts("", text_formats[i], texts_all, MANY, 3), &the_array);
            check_data(arrow_texts("", text_formats[i], texts, MANY, 3), &the_array);
        }
        check_data(
            arrow_dictionary("", "s", smalls, NULL, MANY, 1, arrow_texts("", "u", texts, FEW, 1)),
            &the_array);
    }
    arrow_misaligned = 0;
}

TEST(a_count_of_no_nulls_is_believed)
{
    arrow_data data = arrow_ints("", "s", numbers, "1011111", 7, 9);

    assert_int_equal(check_rows(&data, &the_array, false), 6);
    data.array.null_count = 0; /* and the bitmap is not looked at */
    assert_int_equal(check_rows(&data, &the_array, false), 7);
    arrow_release(&data);

    const ink__arrow_wanted wanted = {.key = (const char *const[]){"k"}, .key_count = 1};
    arrow_data              columns[] = {arrow_ints("k", "l", numbers, NULL, 7, 0)};
    arrow_data              table = arrow_struct(columns, 1, "1011110", 7, 0);
    assert_int_equal(check_rows(&table, &wanted, false), 5);
    table.array.null_count = 0;
    open_reader(&table.schema, &table.array, &wanted);
    ink__rows rows;
    uint64_t  next;
    CHECK_OK(ink__arrow_read(reader, &table.array, 0, 7, &next, &rows, &error));
    assert_int_equal(rows.count, 7);
    ink__arrow_reader_free(reader);
    arrow_release(&table);
}

TEST(empty_arrays_need_no_buffers)
{
    static const char *const formats[] = {"l", "c", "u", "U", "vu", "w:3", "tsn:", "n"};
    ink__rows                rows;
    uint64_t                 next;

    for (size_t i = 0; i < COUNT(formats); i++) {
        arrow_data         data = arrow_nulls("", 0, 0);
        const void        *none[3] = {NULL, NULL, NULL};
        struct ArrowSchema schema = data.schema;
        schema.format = formats[i];
        data.array.n_buffers = strchr("uUv", formats[i][0]) != NULL ? 3 : 2;
        for (int there = 0; there < 2; there++) {
            data.array.buffers = there == 1 ? none : NULL;
            open_reader(&schema, &data.array, &the_array);
            CHECK_OK(ink__arrow_read(reader, &data.array, 0, 0, &next, &rows, &error));
            CHECK(rows.count == 0 && next == 0);
            ink__arrow_reader_free(reader);
        }
        arrow_release(&data);
    }
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* A column of any type that can be a key; `index` chooses. */
static arrow_data any_column(const char *name, size_t index, bool nulls, size_t count,
                             size_t offset)
{
    size_t ints = COUNT(int_formats), bytes = COUNT(text_formats);

    if (index < ints)
        return arrow_ints(name, int_formats[index], numbers, nulls ? valid : NULL, count, offset);
    if (index < ints + bytes)
        return arrow_texts(name, text_formats[index - ints], nulls ? texts : texts_all, count,
                           offset);
    if (index == ints + bytes)
        return arrow_nulls(name, count, offset);
    return arrow_dictionary(name, index_formats[index % 8], smalls, nulls ? valid : NULL, count,
                            offset,
                            index % 2 == 0 ? arrow_texts("", "vu", texts, FEW, 2)
                                           : arrow_ints("", "tsm:", weights, valid, FEW, 3));
}

static size_t any_index(bool with_nulls)
{
    size_t index = random_number(COUNT(int_formats) + COUNT(text_formats) + 6);

    return !with_nulls && index == COUNT(int_formats) + COUNT(text_formats) ? 0 : index;
}

static arrow_data any_group(size_t count, size_t offset)
{
    bool nulls = random_number(2) == 0;

    switch (random_number(5)) {
    case 0:
        return arrow_bools("g", smalls, nulls ? valid : NULL, count, offset);
    case 1:
        return arrow_floats("g", "g", reals, nulls ? valid : NULL, count, offset);
    case 2:
        return arrow_floats("g", "f", reals, nulls ? sparse : NULL, count, offset);
    default:
        return any_column("g", any_index(true), nulls, count, offset);
    }
}

TEST(tables_of_any_columns_are_read)
{
    static const char *const names[] = {"a", "b", "c"};

    for (int turn = 0; turn < 200; turn++) {
        size_t count = counts[random_number(COUNT(counts) - (turn % 8 != 0))];
        size_t skipped = random_number(3) * random_number(70), length = count + skipped;
        bool   nulls = random_number(2) == 0, struct_nulls = random_number(3) == 0;
        if (length > MANY)
            count -= skipped, length -= skipped;
        arrow_data columns[] = {
            any_column("a", any_index(false), nulls, length, random_number(20)),
            any_column("b", any_index(false), nulls, length, random_number(20)),
            any_column("c", any_index(turn % 5 == 0), nulls, length, random_number(20)),
            any_group(length, random_number(20)),
            arrow_ints("w", int_formats[random_number(6)], weights, turn % 3 == 0 ? sparse : NULL,
                       length, random_number(20)),
        };
        arrow_data table = arrow_struct(columns, 5, struct_nulls ? sparse : NULL, count, skipped);
        ink__arrow_wanted wanted = {.key = names,
                                    .key_count = 1 + random_number(3),
                                    .by = random_number(3) == 0 ? NULL : "g",
                                    .weight = random_number(2) == 0 ? NULL : "w"};
        check_data(table, &wanted);
    }
}

/* Group, weight and key may be one column. */
TEST(one_column_can_be_all)
{
    arrow_data              columns[] = {arrow_ints("x", "C", weights, valid, 50, 3)};
    static const char      *x[] = {"x", "x"};
    const ink__arrow_wanted wanted = {.key = x, .key_count = 2, .by = "x", .weight = "x"};

    check_data(arrow_struct(columns, 1, NULL, 50, 0), &wanted);
}

/* ---- What is not copied, and what memory is needed ---------------------------------------- */

TEST(what_stands_right_is_handed_on)
{
    arrow_data ints = arrow_ints("", "l", numbers, NULL, MANY, 3);
    arrow_data strings = arrow_texts("", "U", texts_all, MANY, 3);
    ink__rows  rows;
    uint64_t   next;

    open_reader(&ints.schema, &ints.array, &the_array);
    CHECK_OK(ink__arrow_read(reader, &ints.array, 5, MANY, &next, &rows, &error));
    CHECK(next == MANY && rows.count == MANY - 5);
    CHECK(rows.key_ints == (const int64_t *)ints.array.buffers[1] + 3 + 5);
    assert_int_equal(ink__arrow_location(reader, 7), 12);
    ink__arrow_reader_free(reader);
    open_reader(&strings.schema, &strings.array, &the_array);
    CHECK_OK(ink__arrow_read(reader, &strings.array, 0, MANY, &next, &rows, &error));
    CHECK(next == MANY && rows.count == MANY && rows.key_bytes == strings.array.buffers[2]);
    CHECK(rows.key_starts == (const uint64_t *)strings.array.buffers[1] + 3);
    CHECK(rows.key_ends == rows.key_starts + 1);
    ink__arrow_reader_free(reader);
    arrow_release(&ints);
    arrow_release(&strings);
}

static arrow_data refused_table;

static ink_status read_refused(const ink_allocator *allocator)
{
    ink__rows rows;
    uint64_t  next = 0;

    reader = NULL;
    ink_status status = ink__arrow_reader_create(&reader, &plan, allocator, &error);
    while (status == INK_OK && next < MANY)
        status = ink__arrow_read(reader, &refused_table.array, next, MANY, &next, &rows, &error);
    if (status != INK_OK && reader != NULL) /* it can be tried again */
        CHECK_OK(ink__arrow_read(reader, &refused_table.array, 0, MANY, &next, &rows, &error));
    ink__arrow_reader_free(reader);
    return status;
}

TEST(refused_memory_is_a_failure_and_no_leak)
{
    static const char *const names[] = {"a", "b"};
    const ink__arrow_wanted  wanted = {.key = names, .key_count = 2, .by = "a"};
    arrow_data               columns[] = {arrow_ints("a", "l", numbers, NULL, MANY, 0),
                                          arrow_texts("b", "u", texts, MANY, 0)};

    refused_table = arrow_struct(columns, 2, NULL, MANY, 0);
    CHECK_OK(ink__arrow_plan_make(&plan, &refused_table.schema, &wanted, &error));
    CHECK(faults_refuse_each(read_refused) >= 3);
    arrow_release(&refused_table);
}

/* ---- Groups ------------------------------------------------------------------------------- */

enum { FLOATS = 300 };

/* The group of each row, joined by blanks, "-" for a null group. */
static const char *groups_of(arrow_data column, const ink__arrow_wanted *how)
{
    static char       said[4096];
    static int64_t    keys[FLOATS];
    size_t            count = (size_t)column.array.length, used = 0;
    arrow_data        columns[] = {arrow_ints("k", "l", keys, NULL, count, 0), column};
    arrow_data        table = arrow_struct(columns, 2, NULL, count, 0);
    const char *const key[] = {"k"};
    ink__arrow_wanted wanted = *how;
    ink__rows         rows;
    uint64_t          next;

    wanted.key = key;
    wanted.key_count = 1;
    wanted.by = "2";
    open_reader(&table.schema, &table.array, &wanted);
    CHECK_OK(ink__arrow_read(reader, &table.array, 0, count, &next, &rows, &error));
    assert_int_equal(rows.count, count);
    for (size_t i = 0; i < count; i++) {
        ink_label label = ink__rows_label(&rows, i);
        used +=
            (size_t)snprintf(said + used, sizeof said - used, "%s%.*s", i == 0 ? "" : " ",
                             label.group_kind == INK_GROUP_NULL ? 1 : (int)label.group_bytes,
                             label.group_kind == INK_GROUP_NULL ? "-" : (const char *)label.group);
    }
    ink__arrow_reader_free(reader);
    arrow_release(&table);
    return said;
}

static const ink__arrow_wanted as_it_is = {0};
static const ink__arrow_wanted half_even = {.rounded = true, .rounding = INK__ROUND_HALF_EVEN};
static const ink__arrow_wanted half_up = {.rounded = true, .rounding = INK__ROUND_HALF_UP};
static const ink__arrow_wanted half_away = {.rounded = true, .rounding = INK__ROUND_HALF_AWAY};

TEST(groups_are_written_as_labels)
{
    static const double floats[] = {
        7.5, 7, -0.0, 1e-5, 1e16, 0.1, (double)INFINITY, -(double)INFINITY, (double)NAN, 65504};
    static const int64_t ints[] = {-1, 0, 5};

    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, 10, 2), &as_it_is),
                        "7.5 7 -0 1e-05 1e+16 0.1 inf -inf nan 65504");
    assert_string_equal(groups_of(arrow_floats("", "f", floats, "1111111110", 10, 2), &as_it_is),
                        "7.5 7 -0 1e-05 1e+16 0.1 inf -inf nan -");
    assert_string_equal(groups_of(arrow_floats("", "e", floats, NULL, 10, 2), &as_it_is),
                        "7.5 7 -0 1e-05 inf 0.1 inf -inf nan 65500");
    assert_string_equal(groups_of(arrow_bools("", ints, "110", 3, 5), &as_it_is), "true false -");
    assert_string_equal(groups_of(arrow_ints("", "L", ints, NULL, 3, 1), &as_it_is),
                        "18446744073709551615 0 5");
    assert_string_equal(groups_of(arrow_ints("", "l", ints, "101", 3, 1), &as_it_is), "-1 - 5");
    assert_string_equal(groups_of(arrow_ints("", "tss:", ints, NULL, 3, 1), &as_it_is),
                        "-1000000 0 5000000");
    assert_string_equal(groups_of(arrow_nulls("", 3, 1), &as_it_is), "- - -");
    assert_string_equal(groups_of(arrow_nulls("", 3, 1), &half_even), "- - -");
}

TEST(groups_are_rounded_as_text_is)
{
    static const char *const layouts[] = {"u", "z", "U", "Z", "vu", "vz"};
    static const double      floats[] = {
             2.5, 3.5, -2.5, -3.5, 2.4999, -0.4, 0.5, 1.5, -0.5, 1e15, 9007199254740993.0};
    static const double      large[] = {-0x1p63, 0x1.fffffffffffffp62, 0x1p60, 4503599627370497.5};
    static const char *const strings[] = {"2.5", "3.5", "-2.5", ".5", NULL, "+7", "7."};
    static const int64_t     ints[] = {-3, 7, INT64_MAX};
    static const int64_t     dates[] = {86400000, 172800000};

    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, 11, 0), &half_even),
                        "2 4 -2 -4 2 0 0 2 0 1000000000000000 9007199254740992");
    assert_string_equal(groups_of(arrow_floats("", "g", floats, "11111111110", 11, 0), &half_up),
                        "3 4 -2 -3 2 0 1 2 0 1000000000000000 -");
    assert_string_equal(groups_of(arrow_floats("", "g", floats, "11111111110", 11, 0), &half_away),
                        "3 4 -3 -4 2 0 1 2 -1 1000000000000000 -");
    assert_string_equal(groups_of(arrow_floats("", "f", floats, NULL, 9, 4), &half_even),
                        "2 4 -2 -4 2 0 0 2 0");
    assert_string_equal(groups_of(arrow_floats("", "e", floats, NULL, 9, 4), &half_up),
                        "3 4 -2 -3 3 0 1 2 0"); /* half floats have no 2.4999 */
    assert_string_equal(
        groups_of(arrow_floats("", "g", large, NULL, 4, 0), &half_even),
        "-9223372036854775808 9223372036854774784 1152921504606846976 4503599627370498");
    for (size_t i = 0; i < COUNT(layouts); i++)
        assert_string_equal(groups_of(arrow_texts("", layouts[i], strings, 7, i), &half_even),
                            "2 4 -2 0 - 7 7");
    assert_string_equal(groups_of(arrow_texts("", "u", strings, 7, 1), &half_up), "3 4 -2 1 - 7 7");
    assert_string_equal(groups_of(arrow_texts("", "u", strings, 7, 1), &half_away),
                        "3 4 -3 1 - 7 7");
    assert_string_equal(groups_of(arrow_ints("", "l", ints, NULL, 3, 1), &half_even),
                        "-3 7 9223372036854775807");
    assert_string_equal(groups_of(arrow_ints("", "tdm", dates, NULL, 2, 1), &half_up), "1 2");
    assert_string_equal(
        groups_of(arrow_dictionary("", "c", (const int64_t[]){2, 0, 2, 1}, "1011", 4, 1,
                                   arrow_floats("", "g", floats, "101", 3, 1)),
                  &half_even),
        "-2 - -2 -");
}

TEST(a_float_and_its_text_are_rounded_alike)
{
    static char   room[FLOATS][24], wanted[4096];
    const char   *digits[FLOATS];
    static double floats[FLOATS];

    for (int i = 0; i < FLOATS; i++) {
        floats[i] = (double)(i - FLOATS / 2) * 37 / 20; /* every twentieth is half way */
        snprintf(room[i], sizeof room[i], "%.2f", floats[i]);
        digits[i] = room[i];
    }
    strcpy(wanted, groups_of(arrow_texts("", "u", digits, FLOATS, 0), &half_even));
    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, FLOATS, 0), &half_even),
                        wanted);
    strcpy(wanted, groups_of(arrow_texts("", "u", digits, FLOATS, 0), &half_up));
    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, FLOATS, 0), &half_up),
                        wanted);
    CHECK(strstr(wanted, " 19 ") != NULL); /* 18.5 */
}

RUN_TESTS(.begin = make_data)
