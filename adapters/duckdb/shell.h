/* shell.h - what the parts of the DuckDB extension share: what is kept for a database, vectors as
 * keys and values, and results.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKDUCK_SHELL_H
#define INKDUCK_SHELL_H

#include "api.h"
#include "sql.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- What is kept for a database --------------------------------------------------------- */

enum { DUCK_FILES = 32, DUCK_LOCKS = 64 };

/* A sketch of a file that DuckDB read, by the number that stands for it in a query. */
typedef struct duck_file {
    uint64_t       number; /* 0: none */
    inksql_opened *opened;
} duck_file;

/* One for each database that loads the extension; freed with the last function of it. */
typedef struct duck_shell {
    atomic_uint     references;
    atomic_size_t   memory; /* of states, and of sketches that were opened */
    size_t          memory_limit;
    ink_allocator   allocator; /* counts */
    pthread_mutex_t lock;      /* of what follows */
    inksql_cache   *cache;
    duck_file       files[DUCK_FILES]; /* the last one first */
    pthread_mutex_t sources[DUCK_LOCKS];
} duck_shell;

/* NULL: no memory. */
duck_shell *duck_shell_create(size_t memory_limit);
void        duck_shell_release(duck_shell *shell);

/* What is registered with each function, and freed by duck_forget. */
typedef struct duck_registered {
    const inksql_function *function;
    duck_shell            *shell;
} duck_registered;

duck_registered *duck_register(duck_shell *shell, const inksql_function *function);
void             duck_forget(void *registered);

/* The error as one line; of memory with the limit. It lives until the thread's next call. */
const char *duck_error_text(const duck_shell *shell, const inksql_error *error);

/* Opens, or finds, a sketch by its bytes. */
ink_status duck_open(duck_shell *shell, const inksql_function *function, const void *data,
                     size_t bytes, inksql_opened **opened, inksql_error *error);

/* Keeps an opened sketch, which is referenced once more, and gives its number, which no one can
 * guess; duck_file_numbered references it for the caller, or gives NULL. */
ink_status duck_file_keep(duck_shell *shell, const inksql_function *function, inksql_opened *opened,
                          uint64_t *number, inksql_error *error);
inksql_opened *duck_file_numbered(duck_shell *shell, uint64_t number);

/* ---- Vectors ----------------------------------------------------------------------------- */

enum { DUCK_ROWS = 2048 };

/* What keys, weights or options a column has. */
typedef enum duck_class { DUCK_NULLS, DUCK_INTS, DUCK_BYTES, DUCK_OTHER } duck_class;

typedef struct duck_column {
    duckdb_type type;
    duck_class class;
    const char     *refused; /* the name of a type that is no key */
    const void     *data;
    const uint64_t *validity; /* NULL: all are valid */
} duck_column;

duck_column duck_column_of(duckdb_data_chunk chunk, idx_t index);

static inline bool duck_is_valid(const duck_column *column, idx_t row)
{
    return column->class != DUCK_NULLS &&
           (column->validity == NULL || (column->validity[row / 64] >> (row % 64) & 1) != 0);
}

static inline ink_key duck_bytes_at(const duck_column *column, idx_t row)
{
    const duckdb_string_t *s = (const duckdb_string_t *)column->data + row;

    return (ink_key){s->inlined.length <= DUCK_INLINE_BYTES ? s->inlined.bytes : s->away.bytes,
                     s->inlined.length};
}

/* Whether integers of this type are days or a part of seconds. */
bool duck_is_time(duckdb_type type);

/* Whether some rows of strings, or of 64-bit integers, are one value: of strings, at one place. */
bool duck_is_one(const duck_column *column, idx_t from, size_t count);

/* Whether none of some rows is NULL. */
bool duck_all_valid(const duck_column *column, idx_t from, size_t count);

ink_status duck_value_at(const duck_column *column, idx_t row, const inksql_function *function,
                         inksql_value *value, inksql_error *error);

/* Some rows of a chunk, at most DUCK_ROWS, and their keys as a batch. */
typedef struct duck_rows {
    idx_t     from;
    size_t    count;
    bool      some;            /* not all between: `list` says which */
    uint16_t  list[DUCK_ROWS]; /* beyond `from` */
    ink_batch batch;
    int64_t   ints[DUCK_ROWS];
    ink_key   keys[DUCK_ROWS];
} duck_rows;

static inline idx_t duck_row(const duck_rows *rows, size_t i)
{
    return rows->from + (rows->some ? rows->list[i] : i);
}

/* Those of `count` rows that are valid in both columns (`b` may be NULL). */
void duck_rows_valid(duck_rows *rows, idx_t from, size_t count, const duck_column *a,
                     const duck_column *b);

/* Fills the batch with the keys of a column of ints or bytes: in place, where they stand so. */
ink_status duck_rows_keys(duck_rows *rows, const duck_column *column,
                          const inksql_function *function, inksql_error *error);

/* ---- Results ----------------------------------------------------------------------------- */

/* Memory for a result until DuckDB has copied it. It is given back also when DuckDB throws. */
typedef struct duck_room {
    void  *data;
    size_t bytes;
} duck_room;

void duck_room_free(duck_room *room);
#define DUCK_ROOM(name) __attribute__((cleanup(duck_room_free))) duck_room name = {NULL, 0}
inksql_output duck_room_output(duck_room *room);

duckdb_type duck_type_of(inksql_gives gives);

ink_status duck_put(duckdb_vector vector, idx_t row, const inksql_function *function,
                    const inksql_value *value, inksql_error *error);
void       duck_put_null(duckdb_vector vector, idx_t row);

/* ---- Registration ------------------------------------------------------------------------ */

bool duck_register_aggregate(duckdb_connection connection, duck_shell *shell,
                             const inksql_function *function);
bool duck_register_scalar(duckdb_connection connection, duck_shell *shell,
                          const inksql_function *function);

/* A scalar function as it is registered. */
typedef struct duck_scalar {
    const char              *name;
    const inksql_function   *function; /* whose name is in messages */
    const duckdb_type       *types;
    size_t                   count;
    bool                     any_number; /* of the first type */
    bool                     is_volatile;
    duckdb_logical_type      gives;
    duckdb_scalar_function_t call;
} duck_scalar;

bool duck_add_scalar(duckdb_connection connection, duck_shell *shell, const duck_scalar *scalar);

/* Questions: of a sketch, or of the number of an open file, and a key. */
void duck_ask(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector to);

/* The rows of a table function as a list, and its type. */
ink_status duck_put_rows(const duck_registered *mine, const inksql_value *arguments, size_t count,
                         duckdb_vector to, idx_t row, inksql_error *error);
duckdb_logical_type duck_type_of_rows(const inksql_function *function);

/* What the macros of inkling.sql call. */
bool duck_register_tables(duckdb_connection connection, duck_shell *shell);
bool duck_register_files(duckdb_connection connection, duck_shell *shell);

#endif
