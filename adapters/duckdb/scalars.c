/* scalars.c - scalars: questions about a sketch as whole vectors of keys, all others row by row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <string.h>

enum { ARGUMENTS_MAX = 128 };

static const duck_registered *registered_of(duckdb_function_info info)
{
    return duck.scalar_function_get_extra_info(info);
}

static void fail(duckdb_function_info info, const inksql_error *error)
{
    duck.scalar_function_set_error(info, duck_error_text(registered_of(info)->shell, error));
}

/* ---- Questions --------------------------------------------------------------------------- */

/* A chunk of questions: which sketch is asked, for which keys, and where the answers go. */
typedef struct question {
    const duck_registered *registered;
    duck_column            sketch, key;
    duckdb_vector          to;
    void                  *answers; /* of `to` */
} question;

static ink_status open_row(const question *q, idx_t row, inksql_opened **opened,
                           inksql_error *error)
{
    const inksql_function *function = q->registered->function;

    if (q->sketch.type == DUCK_UBIGINT) {
        const uint64_t number = ((const uint64_t *)q->sketch.data)[row];
        *opened = duck_file_numbered(q->registered->shell, number);
        if (*opened == NULL)
            return inksql_fail(error, function, INK_USAGE,
                               "a number that is no open file, or one of a query that opened more "
                               "than %d files",
                               DUCK_FILES);
        return INK_OK;
    }
    const ink_key bytes = duck_bytes_at(&q->sketch, row);
    return duck_open(q->registered->shell, function, bytes.data, bytes.bytes, opened, error);
}

static ink_status ask_rows(const question *q, const inksql_opened *opened, duck_rows *rows,
                           inksql_error *error)
{
    const inksql_function *function = q->registered->function;
    const bool             counts = function->gives == INKSQL_GIVES_WHOLE;
    int64_t                numbers[DUCK_ROWS];
    uint8_t                found[DUCK_ROWS];
    uint8_t               *maybe = rows->some ? found : (uint8_t *)q->answers + rows->from;
    int64_t               *whole = rows->some ? numbers : (int64_t *)q->answers + rows->from;
    ink_status             status = duck_rows_keys(rows, &q->key, function, error);

    if (status == INK_OK)
        status = counts ? inksql_count_each(function, opened, &rows->batch, whole, error)
                        : inksql_contains_each(function, opened, &rows->batch, maybe, error);
    if (status != INK_OK || !rows->some)
        return status;
    for (size_t i = 0; i < rows->count; i++) {
        if (counts)
            ((int64_t *)q->answers)[duck_row(rows, i)] = numbers[i];
        else
            ((uint8_t *)q->answers)[duck_row(rows, i)] = found[i];
    }
    return INK_OK;
}

/* At most DUCK_ROWS rows that ask one sketch. */
static ink_status ask_run(const question *q, idx_t from, size_t count, inksql_error *error)
{
    duck_rows      rows;
    inksql_opened *opened;

    duck_rows_valid(&rows, from, count, &q->sketch, &q->key);
    for (size_t i = 0; i < count && rows.count < count; i++)
        if (!duck_is_valid(&q->sketch, from + i) || !duck_is_valid(&q->key, from + i))
            duck_put_null(q->to, from + i);
    if (rows.count == 0)
        return INK_OK;
    if (q->key.class == DUCK_OTHER)
        return inksql_refuse_type(q->registered->function, q->key.refused, strlen(q->key.refused),
                                  error);
    ink_status status = open_row(q, duck_row(&rows, 0), &opened, error);
    if (status != INK_OK)
        return status;
    status = ask_rows(q, opened, &rows, error);
    inksql_release(opened);
    return status;
}

/* Rows whose sketch is one value, at one place: most often all of a chunk. */
static size_t run_of(const duck_column *sketch, idx_t from, idx_t count)
{
    const bool   valid = duck_is_valid(sketch, from);
    const size_t most = count - from < DUCK_ROWS ? (size_t)(count - from) : DUCK_ROWS;
    size_t       run = 1;

    if (valid && duck_all_valid(sketch, from, most) && duck_is_one(sketch, from, most))
        return most;
    while (run < most && duck_is_valid(sketch, from + run) == valid &&
           (!valid || duck_is_one(sketch, from + run - 1, 2)))
        run++;
    return run;
}

void duck_ask(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector to)
{
    const idx_t    count = duck.data_chunk_get_size(chunk);
    const question q = {.registered = registered_of(info),
                        .sketch = duck_column_of(chunk, 0),
                        .key = duck_column_of(chunk, 1),
                        .to = to,
                        .answers = duck.vector_get_data(to)};
    ink_status     status = INK_OK;
    inksql_error   error;

    for (idx_t i = 0, run; i < count && status == INK_OK; i += run) {
        run = run_of(&q.sketch, i, count);
        status = ask_run(&q, i, run, &error);
    }
    if (status != INK_OK)
        fail(info, &error);
}

/* ---- Any --------------------------------------------------------------------------------- */

static ink_status call_row(const duck_registered *mine, const duck_column *columns, size_t count,
                           idx_t row, const inksql_output *output, inksql_value *result,
                           inksql_error *error)
{
    inksql_value values[ARGUMENTS_MAX];
    ink_status   status = INK_OK;

    for (size_t i = 0; i < count && status == INK_OK; i++)
        status = duck_value_at(&columns[i], row, mine->function, &values[i], error);
    return status == INK_OK ? inksql_call(mine->function, NULL, values, count,
                                          &mine->shell->allocator, output, result, error)
                            : status;
}

static void call(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector to)
{
    const duck_registered *mine = registered_of(info);
    const idx_t            count = duck.data_chunk_get_size(chunk);
    const size_t           width = (size_t)duck.data_chunk_get_column_count(chunk);
    duck_column            columns[ARGUMENTS_MAX];
    ink_status             status = INK_OK;
    inksql_error           error;
    DUCK_ROOM(room);
    const inksql_output output = duck_room_output(&room);

    if (width > ARGUMENTS_MAX)
        status = inksql_fail(&error, mine->function, INK_USAGE,
                             "%zu arguments, expected at most %d", width, ARGUMENTS_MAX);
    for (size_t i = 0; i < width && status == INK_OK; i++)
        columns[i] = duck_column_of(chunk, i);
    for (idx_t row = 0; row < count && status == INK_OK; row++) {
        inksql_value result;
        status = call_row(mine, columns, width, row, &output, &result, &error);
        if (status == INK_OK)
            status = duck_put(to, row, mine->function, &result, &error);
    }
    if (status != INK_OK)
        fail(info, &error);
}

/* ---- Registration ------------------------------------------------------------------------ */

static duckdb_type type_of_argument(char letter)
{
    switch (letter) {
    case 'S':
        return DUCK_BLOB;
    case 'R':
        return DUCK_DOUBLE;
    default:
        return DUCK_ANY;
    }
}

bool duck_add_scalar(duckdb_connection connection, duck_shell *shell, const duck_scalar *s)
{
    duckdb_scalar_function_set set = duck.create_scalar_function_set(s->name);
    duckdb_scalar_function     made = duck.create_scalar_function();
    duck_registered           *registered = duck_register(shell, s->function);
    bool                       good = registered != NULL;
    duckdb_logical_type        type;

    duck.scalar_function_set_name(made, s->name);
    duck.scalar_function_set_return_type(made, s->gives);
    for (size_t i = 0; i < s->count; i++) {
        type = duck.create_logical_type(s->types[i]);
        if (s->any_number)
            duck.scalar_function_set_varargs(made, type);
        else
            duck.scalar_function_add_parameter(made, type);
        duck.destroy_logical_type(&type);
    }
    duck.scalar_function_set_function(made, s->call);
    duck.scalar_function_set_special_handling(made);
    if (s->is_volatile)
        duck.scalar_function_set_volatile(made);
    if (good) {
        duck.scalar_function_set_extra_info(made, registered, duck_forget);
        good = duck.add_scalar_function_to_set(set, made) == DUCK_SUCCESS &&
               duck.register_scalar_function_set(connection, set) == DUCK_SUCCESS;
    }
    duck.destroy_scalar_function(&made);
    duck.destroy_scalar_function_set(&set);
    return good;
}

bool duck_register_scalar(duckdb_connection connection, duck_shell *shell,
                          const inksql_function *function)
{
    duckdb_type types[4];
    duck_scalar s = {.name = function->name,
                     .function = function,
                     .types = types,
                     .gives = duck.create_logical_type(duck_type_of(function->gives)),
                     .call = strcmp(function->forms, "SK") == 0 ? duck_ask : call};
    const char *form = inksql_form(function, 0, &s.count, &s.any_number);

    for (size_t i = 0; i < s.count; i++)
        types[i] = type_of_argument(form[i]);
    bool good = duck_add_scalar(connection, shell, &s);
    duck.destroy_logical_type(&s.gives);
    return good;
}
