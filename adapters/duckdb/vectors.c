/* vectors.c - columns of a chunk as keys and values, and values as rows of a vector.
 *
 * Keys stay where they stand: a batch points to the integers of a vector if none is NULL, and to
 * the bytes of its strings in any case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {
    [DUCK_INVALID] = "of a type that this extension does not know",
    [DUCK_BOOLEAN] = "BOOLEAN",
    [DUCK_FLOAT] = "FLOAT",
    [DUCK_DOUBLE] = "DOUBLE",
    [DUCK_TIME] = "TIME",
    [DUCK_INTERVAL] = "INTERVAL",
    [DUCK_HUGEINT] = "HUGEINT",
    [DUCK_DECIMAL] = "DECIMAL",
    [DUCK_ENUM] = "ENUM",
    [DUCK_LIST] = "LIST",
    [DUCK_STRUCT] = "STRUCT",
    [DUCK_MAP] = "MAP",
    [DUCK_UUID] = "UUID",
    [DUCK_UNION] = "UNION",
    [DUCK_BIT] = "BIT",
    [DUCK_TIME_TZ] = "TIME WITH TIME ZONE",
    [DUCK_UHUGEINT] = "UHUGEINT",
    [DUCK_ARRAY] = "ARRAY",
    [DUCK_BIGNUM] = "BIGNUM",
    [DUCK_TIME_NS] = "TIME_NS",
};

static duck_class class_of(duckdb_type type)
{
    switch ((int)type) {
    case DUCK_SQLNULL:
        return DUCK_NULLS;
    case DUCK_TINYINT:
    case DUCK_SMALLINT:
    case DUCK_INTEGER:
    case DUCK_BIGINT:
    case DUCK_UTINYINT:
    case DUCK_USMALLINT:
    case DUCK_UINTEGER:
    case DUCK_UBIGINT:
    case DUCK_DATE:
    case DUCK_TIMESTAMP:
    case DUCK_TIMESTAMP_S:
    case DUCK_TIMESTAMP_MS:
    case DUCK_TIMESTAMP_NS:
    case DUCK_TIMESTAMP_TZ:
        return DUCK_INTS;
    case DUCK_VARCHAR:
    case DUCK_BLOB:
        return DUCK_BYTES;
    default:
        return DUCK_OTHER;
    }
}

duck_column duck_column_of(duckdb_data_chunk chunk, idx_t index)
{
    duckdb_vector       vector = duck.data_chunk_get_vector(chunk, index);
    duckdb_logical_type type = duck.vector_get_column_type(vector);
    duck_column         column = {.type = duck.get_type_id(type),
                                  .data = duck.vector_get_data(vector),
                                  .validity = duck.vector_get_validity(vector)};

    column.class = class_of(column.type);
    if (column.type == DUCK_VARCHAR) {
        char *alias = duck.logical_type_get_alias(type);
        if (alias != NULL && strcmp(alias, "JSON") == 0) {
            column.class = DUCK_OTHER;
            column.refused = "JSON";
        }
        duck.free(alias);
    }
    if (column.class == DUCK_OTHER && column.refused == NULL) {
        const size_t number = (size_t)column.type;
        column.refused =
            number < sizeof type_names / sizeof *type_names ? type_names[number] : NULL;
        if (column.refused == NULL)
            column.refused = type_names[DUCK_INVALID];
    }
    duck.destroy_logical_type(&type);
    return column;
}

bool duck_is_one(const duck_column *column, idx_t from, size_t count)
{
    const size_t each = column->class == DUCK_BYTES ? sizeof(duckdb_string_t) : sizeof(uint64_t);
    const char  *data = (const char *)column->data + from * each;

    return memcmp(data, data + each, (count - 1) * each) == 0;
}

/* ---- Integers ---------------------------------------------------------------------------- */

#define TYPES_OF_INTS(X)                                                                           \
    X(DUCK_TINYINT, int8_t)                                                                        \
    X(DUCK_SMALLINT, int16_t)                                                                      \
    X(DUCK_INTEGER, int32_t)                                                                       \
    X(DUCK_DATE, int32_t)                                                                          \
    X(DUCK_UTINYINT, uint8_t)                                                                      \
    X(DUCK_USMALLINT, uint16_t)                                                                    \
    X(DUCK_UINTEGER, uint32_t)

static int64_t whole_at(const duck_column *column, idx_t row)
{
    switch ((int)column->type) {
#define WHOLE_AT(type, stored)                                                                     \
    case type:                                                                                     \
        return ((const stored *)column->data)[row];
        TYPES_OF_INTS(WHOLE_AT)
    default:
        return ((const int64_t *)column->data)[row];
    }
}

static int64_t per_second(duckdb_type type)
{
    switch ((int)type) {
    case DUCK_TIMESTAMP:
    case DUCK_TIMESTAMP_TZ:
        return 1000000;
    case DUCK_TIMESTAMP_S:
        return 1;
    case DUCK_TIMESTAMP_MS:
        return 1000;
    case DUCK_TIMESTAMP_NS:
        return 1000000000;
    default:
        return 0;
    }
}

bool duck_is_time(duckdb_type type)
{
    return type == DUCK_DATE || per_second(type) != 0;
}

/* Infinities are the largest value and its negative. */
static ink_status whole_value(const duck_column *column, idx_t row, const inksql_function *function,
                              inksql_value *value, inksql_error *error)
{
    const int64_t whole = whole_at(column, row), ticks = per_second(column->type);
    const int64_t most = column->type == DUCK_DATE ? INT32_MAX : INT64_MAX;

    if (duck_is_time(column->type) && (whole == most || whole == -most))
        return inksql_refuse_infinity(function, error);
    if (ticks != 0)
        return inksql_timestamp(function, whole, ticks, value, error);
    *value = (inksql_value){.type = column->type == DUCK_UBIGINT ? INKSQL_UINT : INKSQL_INT,
                            .whole = whole};
    return INK_OK;
}

ink_status duck_value_at(const duck_column *column, idx_t row, const inksql_function *function,
                         inksql_value *value, inksql_error *error)
{
    *value = (inksql_value){.type = INKSQL_NULL};
    if (!duck_is_valid(column, row))
        return INK_OK;
    if (column->class == DUCK_INTS)
        return whole_value(column, row, function, value, error);
    if (column->class == DUCK_BYTES) {
        const ink_key bytes = duck_bytes_at(column, row);
        value->type = column->type == DUCK_BLOB ? INKSQL_BYTES : INKSQL_TEXT;
        value->data = bytes.data;
        value->bytes = bytes.bytes;
    } else if (column->type == DUCK_DOUBLE && strchr(function->forms, 'R') != NULL) {
        value->type = INKSQL_REAL;
        value->real = ((const double *)column->data)[row];
    } else {
        value->type = INKSQL_REFUSED;
        value->data = column->refused;
        value->bytes = strlen(column->refused);
    }
    return INK_OK;
}

/* ---- Rows -------------------------------------------------------------------------------- */

bool duck_all_valid(const duck_column *column, idx_t from, size_t count)
{
    if (column->class == DUCK_NULLS)
        return false;
    if (column->validity == NULL)
        return true;
    for (size_t i = 0, some; i < count; i += some) {
        const size_t   bit = (from + i) % 64;
        const uint64_t word = column->validity[(from + i) / 64] >> bit;
        some = count - i < 64 - bit ? count - i : 64 - bit;
        if ((word << (64 - some)) != UINT64_MAX << (64 - some))
            return false;
    }
    return true;
}

void duck_rows_valid(duck_rows *rows, idx_t from, size_t count, const duck_column *a,
                     const duck_column *b)
{
    const bool nulls = a->class == DUCK_NULLS || (b != NULL && b->class == DUCK_NULLS);

    rows->from = from;
    rows->count = nulls ? 0 : count;
    rows->some = false;
    if (nulls || (duck_all_valid(a, from, count) && (b == NULL || duck_all_valid(b, from, count))))
        return;
    rows->some = true;
    rows->count = 0;
    for (size_t i = 0; i < count; i++)
        if (duck_is_valid(a, from + i) && (b == NULL || duck_is_valid(b, from + i)))
            rows->list[rows->count++] = (uint16_t)i;
}

/* Timestamps that are microseconds, as nearly all are. */
static ink_status check_finite(const duck_rows *rows, const inksql_function *function,
                               inksql_error *error)
{
    bool infinite = false;

    for (size_t i = 0; i < rows->count; i++)
        infinite |= rows->batch.ints[i] == INT64_MAX || rows->batch.ints[i] == -INT64_MAX;
    return infinite ? inksql_refuse_infinity(function, error) : INK_OK;
}

static ink_status fill_ints(duck_rows *rows, const duck_column *column,
                            const inksql_function *function, inksql_error *error)
{
    const int64_t ticks = per_second(column->type);
    inksql_value  value;

    rows->batch.ints = rows->ints;
    switch ((int)column->type) {
#define WIDEN(type, stored)                                                                        \
    case type:                                                                                     \
        for (size_t i = 0; i < rows->count; i++)                                                   \
            rows->ints[i] = ((const stored *)column->data)[duck_row(rows, i)];                     \
        break;
        TYPES_OF_INTS(WIDEN)
    default:
        if (ticks != 0 && ticks != 1000000)
            break;
        if (!rows->some) {
            rows->batch.ints = (const int64_t *)column->data + rows->from;
            break;
        }
        for (size_t i = 0; i < rows->count; i++)
            rows->ints[i] = ((const int64_t *)column->data)[duck_row(rows, i)];
    }
    if (ticks == 1000000)
        return check_finite(rows, function, error);
    if (!duck_is_time(column->type))
        return INK_OK;
    for (size_t i = 0; i < rows->count; i++) {
        ink_status status = whole_value(column, duck_row(rows, i), function, &value, error);
        if (status != INK_OK)
            return status;
        rows->ints[i] = value.whole;
    }
    return INK_OK;
}

ink_status duck_rows_keys(duck_rows *rows, const duck_column *column,
                          const inksql_function *function, inksql_error *error)
{
    rows->batch = (ink_batch){.count = rows->count};
    if (column->class == DUCK_INTS)
        return fill_ints(rows, column, function, error);
    for (size_t i = 0; i < rows->count; i++)
        rows->keys[i] = duck_bytes_at(column, duck_row(rows, i));
    rows->batch.keys = rows->keys;
    return INK_OK;
}

/* ---- Results ----------------------------------------------------------------------------- */

static void *room_of(void *host, size_t bytes)
{
    duck_room *room = host;

    if (bytes > room->bytes || room->data == NULL) {
        free(room->data);
        room->bytes = bytes == 0 ? 1 : bytes;
        room->data = malloc(room->bytes);
    }
    return room->data;
}

void duck_room_free(duck_room *room)
{
    free(room->data);
}

inksql_output duck_room_output(duck_room *room)
{
    return (inksql_output){room_of, room};
}

duckdb_type duck_type_of(inksql_gives gives)
{
    static const duckdb_type types[] = {
        [INKSQL_GIVES_SKETCH] = DUCK_BLOB,  [INKSQL_GIVES_WHOLE] = DUCK_BIGINT,
        [INKSQL_GIVES_REAL] = DUCK_DOUBLE,  [INKSQL_GIVES_BOOLEAN] = DUCK_BOOLEAN,
        [INKSQL_GIVES_TEXT] = DUCK_VARCHAR, [INKSQL_GIVES_BYTES] = DUCK_BLOB,
    };

    return types[gives];
}

void duck_put_null(duckdb_vector vector, idx_t row)
{
    duck.vector_ensure_validity_writable(vector);
    duck.vector_get_validity(vector)[row / 64] &= ~(UINT64_C(1) << (row % 64));
}

ink_status duck_put(duckdb_vector vector, idx_t row, const inksql_function *function,
                    const inksql_value *value, inksql_error *error)
{
    void *data = duck.vector_get_data(vector);

    switch (value->type) {
    case INKSQL_INT:
    case INKSQL_UINT:
        ((int64_t *)data)[row] = value->whole;
        return INK_OK;
    case INKSQL_BOOLEAN:
        ((uint8_t *)data)[row] = value->whole != 0;
        return INK_OK;
    case INKSQL_REAL:
        ((double *)data)[row] = value->real;
        return INK_OK;
    case INKSQL_TEXT:
    case INKSQL_BYTES:
        if (value->bytes >= UINT32_MAX)
            return inksql_fail(error, function, INK_LIMIT,
                               "a value of %zu bytes, expected fewer than 4 GB, as DuckDB has it",
                               value->bytes);
        duck.vector_assign_string_element_len(vector, row, value->data, value->bytes);
        return INK_OK;
    case INKSQL_NULL:
    case INKSQL_OPENED:
    case INKSQL_REFUSED:
    default:
        duck_put_null(vector, row);
        return INK_OK;
    }
}
