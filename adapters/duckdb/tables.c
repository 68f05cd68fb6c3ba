/* tables.c - functions that give rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 2 };

/* The arguments of a call, for each time that it runs. */
typedef struct bound {
    const duck_registered *registered;
    inksql_value           values[ARGUMENTS_MAX];
    void                  *owned[ARGUMENTS_MAX];
    size_t                 count;
} bound;

typedef struct running {
    const duck_registered *registered;
    inksql_rows           *rows;
} running;

static void unbind(void *of)
{
    bound *b = of;

    for (size_t i = 0; i < b->count; i++)
        duck.free(b->owned[i]);
    free(b);
}

static void take_argument(bound *b, size_t i, char letter, duckdb_value from)
{
    inksql_value *value = &b->values[i];

    *value = (inksql_value){.type = INKSQL_NULL};
    if (duck.is_null_value(from))
        return;
    if (letter == 'N') {
        value->type = INKSQL_INT;
        value->whole = duck.get_int64(from);
    } else {
        const duckdb_blob blob = duck.get_blob(from);
        b->owned[i] = blob.data;
        value->type = INKSQL_BYTES;
        value->data = blob.data;
        value->bytes = (size_t)blob.size;
    }
}

static void bind_columns(duckdb_bind_info info, const inksql_function *function)
{
    const inksql_column *column;

    for (size_t i = 0; (column = inksql_table_column(function, i)) != NULL; i++) {
        duckdb_logical_type type = duck.create_logical_type(duck_type_of(column->gives));
        duck.bind_add_result_column(info, column->name, type);
        duck.destroy_logical_type(&type);
    }
}

static void bind(duckdb_bind_info info)
{
    const duck_registered *mine = duck.bind_get_extra_info(info);
    bound                 *b = calloc(1, sizeof *b);
    inksql_error           error;
    size_t                 letters;
    bool                   any;

    if (b == NULL) {
        duck.bind_set_error(info, "no memory");
        return;
    }
    b->registered = mine;
    b->count = (size_t)duck.bind_get_parameter_count(info);
    duck.bind_set_bind_data(info, b, unbind);
    bind_columns(info, mine->function);
    if (mine->function->opens_files) {
        duck_fail_files(mine->function, &error);
        duck.bind_set_error(info, error.text);
        return;
    }
    const char *form = inksql_form(mine->function, b->count - 1, &letters, &any);
    for (size_t i = 0; i < b->count; i++) {
        duckdb_value value = duck.bind_get_parameter(info, i);
        take_argument(b, i, form[i], value);
        duck.destroy_value(&value);
    }
}

static void stop(void *of)
{
    running *r = of;

    inksql_rows_close(r->rows);
    free(r);
}

static void start(duckdb_init_info info)
{
    const bound *b = duck.init_get_bind_data(info);
    running     *r = calloc(1, sizeof *r);
    inksql_error error;

    if (r == NULL) {
        duck.init_set_error(info, "no memory");
        return;
    }
    r->registered = b->registered;
    duck.init_set_init_data(info, r, stop);
    duck.init_set_max_threads(info, 1);
    if (inksql_rows_open(&r->rows, b->registered->function, b->values, b->count,
                         &b->registered->shell->allocator, &error) != INK_OK) {
        r->rows = NULL;
        duck.init_set_error(info, duck_error_text(b->registered->shell, &error));
    }
}

static void give_rows(duckdb_function_info info, duckdb_data_chunk chunk)
{
    running      *r = duck.function_get_init_data(info);
    const idx_t   room = duck.vector_size();
    ink_status    status = INK_OK;
    bool          more = true;
    idx_t         row = 0;
    inksql_error  error;
    inksql_value  columns[INKSQL_COLUMNS_MAX];
    const idx_t   width = duck.data_chunk_get_column_count(chunk);

    while (row < room && status == INK_OK) {
        status = inksql_rows_next(r->rows, columns, &more, &error);
        if (status != INK_OK || !more)
            break;
        for (idx_t i = 0; i < width && status == INK_OK; i++)
            status = duck_put(duck.data_chunk_get_vector(chunk, i), row, r->registered->function,
                              &columns[i], &error);
        row++;
    }
    if (status != INK_OK)
        duck.function_set_error(info, duck_error_text(r->registered->shell, &error));
    duck.data_chunk_set_size(chunk, status == INK_OK ? row : 0);
}

static bool add_form(duckdb_connection connection, duck_shell *shell,
                     const inksql_function *function, const char *form, size_t letters)
{
    duckdb_table_function made = duck.create_table_function();
    duck_registered      *registered = duck_register(shell, function);
    bool                  good = registered != NULL;

    duck.table_function_set_name(made, function->name);
    for (size_t i = 0; i < letters; i++) {
        duckdb_logical_type type = duck.create_logical_type(duck_argument(form[i]));
        duck.table_function_add_parameter(made, type);
        duck.destroy_logical_type(&type);
    }
    duck.table_function_set_bind(made, bind);
    duck.table_function_set_init(made, start);
    duck.table_function_set_function(made, give_rows);
    if (good) {
        duck.table_function_set_extra_info(made, registered, duck_forget);
        good = duck.register_table_function(connection, made) == DUCK_SUCCESS;
    }
    duck.destroy_table_function(&made);
    return good;
}

bool duck_register_table(duckdb_connection connection, duck_shell *shell,
                         const inksql_function *function)
{
    const char *form;
    size_t      letters;
    bool        any, good = true;

    for (size_t i = 0; good && (form = inksql_form(function, i, &letters, &any)) != NULL; i++)
        good = add_form(connection, shell, function, form, letters);
    return good;
}
