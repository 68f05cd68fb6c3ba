/* api.h - what the extension uses of DuckDB's C extension API: types, and slots of the table of
 * functions that DuckDB gives to an extension when it is loaded.
 *
 * Version 1.2.0 of the table is frozen: a slot keeps its number and its signature in every later
 * DuckDB. scripts/check_duckdb_api.py compares this header with DuckDB's own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKDUCK_API_H
#define INKDUCK_API_H

#include <stdbool.h>
#include <stdint.h>

#define DUCK_API_VERSION "v1.2.0"

typedef uint64_t idx_t;

typedef enum duckdb_state { DUCK_SUCCESS = 0, DUCK_ERROR = 1 } duckdb_state;

/* Types of columns by their numbers; those of later versions have larger ones. */
typedef enum duckdb_type {
    DUCK_INVALID = 0,
    DUCK_BOOLEAN = 1,
    DUCK_TINYINT = 2,
    DUCK_SMALLINT = 3,
    DUCK_INTEGER = 4,
    DUCK_BIGINT = 5,
    DUCK_UTINYINT = 6,
    DUCK_USMALLINT = 7,
    DUCK_UINTEGER = 8,
    DUCK_UBIGINT = 9,
    DUCK_FLOAT = 10,
    DUCK_DOUBLE = 11,
    DUCK_TIMESTAMP = 12,
    DUCK_DATE = 13,
    DUCK_TIME = 14,
    DUCK_INTERVAL = 15,
    DUCK_HUGEINT = 16,
    DUCK_VARCHAR = 17,
    DUCK_BLOB = 18,
    DUCK_DECIMAL = 19,
    DUCK_TIMESTAMP_S = 20,
    DUCK_TIMESTAMP_MS = 21,
    DUCK_TIMESTAMP_NS = 22,
    DUCK_ENUM = 23,
    DUCK_LIST = 24,
    DUCK_STRUCT = 25,
    DUCK_MAP = 26,
    DUCK_UUID = 27,
    DUCK_UNION = 28,
    DUCK_BIT = 29,
    DUCK_TIME_TZ = 30,
    DUCK_TIMESTAMP_TZ = 31,
    DUCK_UHUGEINT = 32,
    DUCK_ARRAY = 33,
    DUCK_ANY = 34,
    DUCK_BIGNUM = 35,
    DUCK_SQLNULL = 36,
    DUCK_TIME_NS = 39,
} duckdb_type;

/* A text or blob in a vector: its bytes are in place if there are at most 12. */
enum { DUCK_INLINE_BYTES = 12 };
typedef union duckdb_string_t {
    struct {
        uint32_t length;
        char     bytes[DUCK_INLINE_BYTES];
    } inlined;
    struct {
        uint32_t    length;
        char        prefix[4];
        const char *bytes;
    } away;
} duckdb_string_t;

typedef struct duckdb_result {
    idx_t unused_counts[3];
    void *unused_columns, *unused_message;
    void *internal;
} duckdb_result;

#define DUCK_HANDLE(name) typedef struct name##_handle *name
DUCK_HANDLE(duckdb_database);
DUCK_HANDLE(duckdb_connection);
DUCK_HANDLE(duckdb_logical_type);
DUCK_HANDLE(duckdb_data_chunk);
DUCK_HANDLE(duckdb_vector);
DUCK_HANDLE(duckdb_scalar_function);
DUCK_HANDLE(duckdb_scalar_function_set);
DUCK_HANDLE(duckdb_aggregate_function);
DUCK_HANDLE(duckdb_aggregate_function_set);
DUCK_HANDLE(duckdb_aggregate_state);
DUCK_HANDLE(duckdb_function_info);
DUCK_HANDLE(duckdb_extension_info);

typedef void (*duckdb_delete_callback_t)(void *);
typedef void (*duckdb_scalar_function_t)(duckdb_function_info, duckdb_data_chunk, duckdb_vector);
typedef idx_t (*duckdb_aggregate_state_size)(duckdb_function_info);
typedef void (*duckdb_aggregate_init_t)(duckdb_function_info, duckdb_aggregate_state);
typedef void (*duckdb_aggregate_destroy_t)(duckdb_aggregate_state *, idx_t);
typedef void (*duckdb_aggregate_update_t)(duckdb_function_info, duckdb_data_chunk,
                                          duckdb_aggregate_state *);
typedef void (*duckdb_aggregate_combine_t)(duckdb_function_info, duckdb_aggregate_state *,
                                           duckdb_aggregate_state *, idx_t);
typedef void (*duckdb_aggregate_finalize_t)(duckdb_function_info, duckdb_aggregate_state *,
                                            duckdb_vector, idx_t, idx_t);

/* What DuckDB gives to the entry point. */
struct duckdb_extension_access {
    void (*set_error)(duckdb_extension_info, const char *);
    duckdb_database *(*get_database)(duckdb_extension_info);
    const void *(*get_api)(duckdb_extension_info, const char *);
};

/* X(slot, result, name without duckdb_, parameters) */
#define DUCK_SLOTS(X)                                                                              \
    X(3, duckdb_state, connect, (duckdb_database, duckdb_connection *))                            \
    X(6, void, disconnect, (duckdb_connection *))                                                  \
    X(13, duckdb_state, query, (duckdb_connection, const char *, duckdb_result *))                 \
    X(14, void, destroy_result, (duckdb_result *))                                                 \
    X(25, void, free, (void *))                                                                    \
    X(156, duckdb_logical_type, create_logical_type, (duckdb_type))                                \
    X(157, char *, logical_type_get_alias, (duckdb_logical_type))                                  \
    X(159, duckdb_logical_type, create_list_type, (duckdb_logical_type))                           \
    X(163, duckdb_logical_type, create_struct_type, (duckdb_logical_type *, const char **, idx_t)) \
    X(166, duckdb_type, get_type_id, (duckdb_logical_type))                                        \
    X(184, void, destroy_logical_type, (duckdb_logical_type *))                                    \
    X(187, void, destroy_data_chunk, (duckdb_data_chunk *))                                        \
    X(189, idx_t, data_chunk_get_column_count, (duckdb_data_chunk))                                \
    X(190, duckdb_vector, data_chunk_get_vector, (duckdb_data_chunk, idx_t))                       \
    X(191, idx_t, data_chunk_get_size, (duckdb_data_chunk))                                        \
    X(192, void, data_chunk_set_size, (duckdb_data_chunk, idx_t))                                  \
    X(193, duckdb_logical_type, vector_get_column_type, (duckdb_vector))                           \
    X(194, void *, vector_get_data, (duckdb_vector))                                               \
    X(195, uint64_t *, vector_get_validity, (duckdb_vector))                                       \
    X(196, void, vector_ensure_validity_writable, (duckdb_vector))                                 \
    X(198, void, vector_assign_string_element_len, (duckdb_vector, idx_t, const char *, idx_t))    \
    X(199, duckdb_vector, list_vector_get_child, (duckdb_vector))                                  \
    X(200, idx_t, list_vector_get_size, (duckdb_vector))                                           \
    X(201, duckdb_state, list_vector_set_size, (duckdb_vector, idx_t))                             \
    X(202, duckdb_state, list_vector_reserve, (duckdb_vector, idx_t))                              \
    X(203, duckdb_vector, struct_vector_get_child, (duckdb_vector, idx_t))                         \
    X(209, duckdb_scalar_function, create_scalar_function, (void))                                 \
    X(210, void, destroy_scalar_function, (duckdb_scalar_function *))                              \
    X(211, void, scalar_function_set_name, (duckdb_scalar_function, const char *))                 \
    X(212, void, scalar_function_set_varargs, (duckdb_scalar_function, duckdb_logical_type))       \
    X(213, void, scalar_function_set_special_handling, (duckdb_scalar_function))                   \
    X(214, void, scalar_function_set_volatile, (duckdb_scalar_function))                           \
    X(215, void, scalar_function_add_parameter, (duckdb_scalar_function, duckdb_logical_type))     \
    X(216, void, scalar_function_set_return_type, (duckdb_scalar_function, duckdb_logical_type))   \
    X(217, void, scalar_function_set_extra_info,                                                   \
      (duckdb_scalar_function, void *, duckdb_delete_callback_t))                                  \
    X(218, void, scalar_function_set_function, (duckdb_scalar_function, duckdb_scalar_function_t)) \
    X(220, void *, scalar_function_get_extra_info, (duckdb_function_info))                         \
    X(221, void, scalar_function_set_error, (duckdb_function_info, const char *))                  \
    X(222, duckdb_scalar_function_set, create_scalar_function_set, (const char *))                 \
    X(223, void, destroy_scalar_function_set, (duckdb_scalar_function_set *))                      \
    X(224, duckdb_state, add_scalar_function_to_set,                                               \
      (duckdb_scalar_function_set, duckdb_scalar_function))                                        \
    X(225, duckdb_state, register_scalar_function_set,                                             \
      (duckdb_connection, duckdb_scalar_function_set))                                             \
    X(226, duckdb_aggregate_function, create_aggregate_function, (void))                           \
    X(227, void, destroy_aggregate_function, (duckdb_aggregate_function *))                        \
    X(228, void, aggregate_function_set_name, (duckdb_aggregate_function, const char *))           \
    X(229, void, aggregate_function_add_parameter,                                                 \
      (duckdb_aggregate_function, duckdb_logical_type))                                            \
    X(230, void, aggregate_function_set_return_type,                                               \
      (duckdb_aggregate_function, duckdb_logical_type))                                            \
    X(231, void, aggregate_function_set_functions,                                                 \
      (duckdb_aggregate_function, duckdb_aggregate_state_size, duckdb_aggregate_init_t,            \
       duckdb_aggregate_update_t, duckdb_aggregate_combine_t, duckdb_aggregate_finalize_t))        \
    X(232, void, aggregate_function_set_destructor,                                                \
      (duckdb_aggregate_function, duckdb_aggregate_destroy_t))                                     \
    X(234, void, aggregate_function_set_special_handling, (duckdb_aggregate_function))             \
    X(235, void, aggregate_function_set_extra_info,                                                \
      (duckdb_aggregate_function, void *, duckdb_delete_callback_t))                               \
    X(236, void *, aggregate_function_get_extra_info, (duckdb_function_info))                      \
    X(237, void, aggregate_function_set_error, (duckdb_function_info, const char *))               \
    X(238, duckdb_aggregate_function_set, create_aggregate_function_set, (const char *))           \
    X(239, void, destroy_aggregate_function_set, (duckdb_aggregate_function_set *))                \
    X(240, duckdb_state, add_aggregate_function_to_set,                                            \
      (duckdb_aggregate_function_set, duckdb_aggregate_function))                                  \
    X(241, duckdb_state, register_aggregate_function_set,                                          \
      (duckdb_connection, duckdb_aggregate_function_set))                                          \
    X(306, duckdb_data_chunk, fetch_chunk, (duckdb_result))

typedef struct duck_api {
#define DUCK_MEMBER(slot, result, name, parameters) result(*name) parameters;
    DUCK_SLOTS(DUCK_MEMBER)
#undef DUCK_MEMBER
} duck_api;

/* Filled once, before any function is registered. */
extern duck_api duck;

#endif
