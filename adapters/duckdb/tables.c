/* tables.c - functions that give rows. DuckDB's API has no table function with a choice of
 * arguments, or of values of a query: rows are a list of structs, which the macros of inkling.sql
 * unnest.
 *
 *     inkling_top_keys(sketch, k)    a list of the rows of ink_top_keys
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

/* Where the rows of a list are in its child. */
typedef struct list_entry {
    uint64_t from, count;
} list_entry;

duckdb_logical_type duck_type_of_rows(const inksql_function *function)
{
    duckdb_logical_type  types[INKSQL_COLUMNS_MAX];
    const char          *names[INKSQL_COLUMNS_MAX];
    const inksql_column *column;
    size_t               count = 0;

    for (; (column = inksql_table_column(function, count)) != NULL; count++) {
        types[count] = duck.create_logical_type(duck_type_of(column->gives));
        names[count] = column->name;
    }
    duckdb_logical_type row = duck.create_struct_type(types, names, count);
    duckdb_logical_type list = duck.create_list_type(row);
    duck.destroy_logical_type(&row);
    for (size_t i = 0; i < count; i++)
        duck.destroy_logical_type(&types[i]);
    return list;
}

static ink_status put_row(duckdb_vector to, const inksql_function *function,
                          const inksql_value *columns, inksql_error *error)
{
    const idx_t   at = duck.list_vector_get_size(to);
    duckdb_vector child = duck.list_vector_get_child(to);
    ink_status    status = INK_OK;

    if (duck.list_vector_reserve(to, at + 1) != DUCK_SUCCESS ||
        duck.list_vector_set_size(to, at + 1) != DUCK_SUCCESS)
        return inksql_fail(error, function, INK_MEMORY, "no memory for a row");
    for (size_t i = 0; inksql_table_column(function, i) != NULL && status == INK_OK; i++)
        status = duck_put(duck.struct_vector_get_child(child, i), at, function, &columns[i], error);
    return status;
}

ink_status duck_put_rows(const duck_registered *mine, const inksql_value *arguments, size_t count,
                         duckdb_vector to, idx_t row, inksql_error *error)
{
    list_entry   entry = {.from = duck.list_vector_get_size(to)};
    inksql_value columns[INKSQL_COLUMNS_MAX];
    inksql_rows *rows;
    bool         more;
    ink_status   status =
        inksql_rows_open(&rows, mine->function, arguments, count, &mine->shell->allocator, error);

    if (status != INK_OK)
        return status;
    while ((status = inksql_rows_next(rows, columns, &more, error)) == INK_OK && more) {
        status = put_row(to, mine->function, columns, error);
        if (status != INK_OK)
            break;
        entry.count++;
    }
    inksql_rows_close(rows);
    ((list_entry *)duck.vector_get_data(to))[row] = entry;
    return status;
}

/* ---- ink_top_keys ------------------------------------------------------------------------ */

static void give_top_keys(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector to)
{
    const duck_registered *mine = duck.scalar_function_get_extra_info(info);
    const duck_column      sketch = duck_column_of(chunk, 0), k = duck_column_of(chunk, 1);
    const idx_t            count = duck.data_chunk_get_size(chunk);
    ink_status             status = INK_OK;
    inksql_error           error;

    for (idx_t row = 0; row < count && status == INK_OK; row++) {
        inksql_value arguments[2];
        status = duck_value_at(&sketch, row, mine->function, &arguments[0], &error);
        if (status == INK_OK)
            status = duck_value_at(&k, row, mine->function, &arguments[1], &error);
        if (status == INK_OK)
            status = duck_put_rows(mine, arguments, 2, to, row, &error);
    }
    if (status != INK_OK)
        duck.scalar_function_set_error(info, duck_error_text(mine->shell, &error));
}

bool duck_register_tables(duckdb_connection connection, duck_shell *shell)
{
    static const duckdb_type types[] = {DUCK_BLOB, DUCK_BIGINT};
    const inksql_function   *function = &inksql_functions[INKSQL_TOP_KEYS];
    duck_scalar              top_keys = {.name = "inkling_top_keys",
                                         .function = function,
                                         .types = types,
                                         .count = 2,
                                         .gives = duck_type_of_rows(function),
                                         .call = give_top_keys};
    bool                     good = duck_add_scalar(connection, shell, &top_keys);

    duck.destroy_logical_type(&top_keys.gives);
    return good;
}
