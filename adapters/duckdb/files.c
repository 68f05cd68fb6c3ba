/* files.c - sketches of files. The extension opens no file: DuckDB reads it, by its own rules
 * (enable_external_access, allowed_directories), by the macros of inkling.sql. These call what is
 * registered here:
 *
 *     inkling_open_file(path, content)    the number of the opened sketch, for
 *     inkling_ask_file(number, key)
 *     inkling_read_file(path, content)    a list of the rows of ink_read
 *
 * A number is one of chance, so that no one asks what was not read for a query.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <string.h>

static const duck_registered *registered_of(duckdb_function_info info)
{
    return duck.scalar_function_get_extra_info(info);
}

static void fail(duckdb_function_info info, const inksql_error *error)
{
    duck.scalar_function_set_error(info, duck_error_text(registered_of(info)->shell, error));
}

/* ---- A row of a path and a content ------------------------------------------------------- */

typedef ink_status (*take_content)(const duck_registered *mine, const ink_key *content,
                                   duckdb_vector to, idx_t row, inksql_error *error);

/* Without a path there is NULL; without a content no file was found at the path. */
static void take_rows(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector to,
                      take_content take)
{
    const duck_registered *mine = registered_of(info);
    const duck_column      path = duck_column_of(chunk, 0), content = duck_column_of(chunk, 1);
    const idx_t            count = duck.data_chunk_get_size(chunk);

    for (idx_t row = 0; row < count; row++) {
        inksql_error of_content, error;
        ink_status   status;
        if (!duck_is_valid(&path, row)) {
            duck_put_null(to, row);
            continue;
        }
        if (duck_is_valid(&content, row)) {
            const ink_key bytes = duck_bytes_at(&content, row);
            status = take(mine, &bytes, to, row, &of_content);
        } else {
            status = inksql_fail(&of_content, mine->function, INK_IO, "No such file or directory");
        }
        if (status != INK_OK) {
            const ink_key name = duck_bytes_at(&path, row);
            inksql_fail_in_file(&error, mine->function, name.data,
                                name.bytes < 256 ? name.bytes : 256, &of_content);
            fail(info, &error);
            return;
        }
    }
}

/* ---- ink_contains_file ------------------------------------------------------------------- */

static ink_status open_content(const duck_registered *mine, const ink_key *content,
                               duckdb_vector to, idx_t row, inksql_error *error)
{
    uint64_t      *numbers = duck.vector_get_data(to);
    inksql_opened *opened;
    ink_status     status =
        duck_open(mine->shell, mine->function, content->data, content->bytes, &opened, error);

    if (status != INK_OK)
        return status;
    status = duck_file_keep(mine->shell, mine->function, opened, &numbers[row], error);
    inksql_release(opened);
    return status;
}

static void open_contents(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector to)
{
    take_rows(info, chunk, to, open_content);
}

/* ---- ink_read ---------------------------------------------------------------------------- */

static ink_status read_content(const duck_registered *mine, const ink_key *content,
                               duckdb_vector to, idx_t row, inksql_error *error)
{
    const inksql_value value = {
        .type = INKSQL_BYTES, .data = content->data, .bytes = content->bytes};

    return duck_put_rows(mine, &value, 1, to, row, error);
}

static void read_contents(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector to)
{
    take_rows(info, chunk, to, read_content);
}

/* ---- Registration ------------------------------------------------------------------------ */

bool duck_register_files(duckdb_connection connection, duck_shell *shell)
{
    static const duckdb_type content[] = {DUCK_VARCHAR, DUCK_BLOB};
    static const duckdb_type question[] = {DUCK_UBIGINT, DUCK_ANY};
    const inksql_function   *contains = &inksql_functions[INKSQL_CONTAINS_FILE];
    const inksql_function   *read = &inksql_functions[INKSQL_READ];
    duck_scalar              scalars[] = {
                     {"inkling_open_file", contains, content, 2, false, true,
                      duck.create_logical_type(DUCK_UBIGINT), open_contents},
                     {"inkling_ask_file", contains, question, 2, false, true,
                      duck.create_logical_type(DUCK_BOOLEAN), duck_ask},
                     {"inkling_read_file", read, content, 2, false, true, duck_type_of_rows(read),
                      read_contents},
    };
    bool good = true;

    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        good = good && duck_add_scalar(connection, shell, &scalars[i]);
        duck.destroy_logical_type(&scalars[i].gives);
    }
    return good;
}
