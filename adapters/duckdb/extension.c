/* extension.c - the functions of adapters/sql in DuckDB: the entry point, which registers what the
 * list has.
 *
 *     LOAD './inkling.duckdb_extension';
 *     .read inkling.sql                     in a shell: macros, for tables and files
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <stdlib.h>
#include <string.h>

const inksql_engine inksql_engine_here = {.cast_to_text = "key::VARCHAR",
                                          .cast_to_int = "key::BIGINT"};

duck_api duck;

static void take_slots(const void *table)
{
    void (*const *slots)(void) = table;

#define DUCK_TAKE(slot, result, name, parameters) duck.name = (result(*) parameters)slots[slot];
    DUCK_SLOTS(DUCK_TAKE)
#undef DUCK_TAKE
}

/* ---- The limit of memory ----------------------------------------------------------------- */

/* Half of DuckDB's own, which it writes as "18.6 GiB"; DUCK_MEMORY if it is of another form. */
#define DUCK_MEMORY ((size_t)4 << 30)

static size_t memory_limit(duckdb_connection connection)
{
    static const char query[] =
        "SELECT (regexp_extract(v, '[0-9.]+')::DOUBLE / 2 * 1024 ** "
        "list_position(['KiB', 'MiB', 'GiB', 'TiB'], regexp_extract(v, '[A-Za-z]+')))::BIGINT "
        "FROM (SELECT current_setting('memory_limit') AS v)";
    size_t        limit = DUCK_MEMORY;
    duckdb_result result;

    if (duck.query(connection, query, &result) == DUCK_SUCCESS) {
        duckdb_data_chunk chunk = duck.fetch_chunk(result);
        if (chunk != NULL) {
            const duck_column column = duck_column_of(chunk, 0);
            if (duck.data_chunk_get_size(chunk) == 1 && duck_is_valid(&column, 0))
                limit = (size_t)((const int64_t *)column.data)[0];
            duck.destroy_data_chunk(&chunk);
        }
    }
    duck.destroy_result(&result);
    return limit;
}

/* ---- Registration ------------------------------------------------------------------------ */

/* The name of the function that was refused, or NULL. Tables, and functions that open files, are
 * macros. */
static const char *register_all(duckdb_connection connection, duck_shell *shell)
{
    for (size_t i = 0; i < INKSQL_FUNCTIONS; i++) {
        const inksql_function *function = &inksql_functions[i];
        bool                   good = true;
        if (function->shape == INKSQL_AGGREGATE)
            good = duck_register_aggregate(connection, shell, function);
        else if (function->shape == INKSQL_SCALAR && !function->opens_files)
            good = duck_register_scalar(connection, shell, function);
        if (!good)
            return function->name;
    }
    if (!duck_register_tables(connection, shell) || !duck_register_files(connection, shell))
        return "what inkling.sql calls";
    return NULL;
}

static bool start(duckdb_extension_info info, const struct duckdb_extension_access *access,
                  duckdb_connection connection)
{
    duck_shell *shell = duck_shell_create(memory_limit(connection));
    const char *refused = shell == NULL ? "no memory" : register_all(connection, shell);
    char        text[128] = "inkling: cannot register ";

    if (shell != NULL)
        duck_shell_release(shell);
    if (refused == NULL)
        return true;
    strncat(text, refused, sizeof text - strlen(text) - 1);
    access->set_error(info, text);
    return false;
}

INK_API bool inkling_init_c_api(duckdb_extension_info                 info,
                                const struct duckdb_extension_access *access);

bool inkling_init_c_api(duckdb_extension_info info, const struct duckdb_extension_access *access)
{
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    const void            *table = access->get_api(info, DUCK_API_VERSION);
    duckdb_connection      connection;

    if (table == NULL)
        return false; /* DuckDB has said why */
    pthread_mutex_lock(&once);
    take_slots(table);
    pthread_mutex_unlock(&once);
    duckdb_database *database = access->get_database(info);
    if (database == NULL || duck.connect(*database, &connection) != DUCK_SUCCESS) {
        access->set_error(info, "inkling: no connection to the database");
        return false;
    }
    bool good = start(info, access, connection);
    duck.disconnect(&connection);
    return good;
}
