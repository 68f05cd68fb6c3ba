/* sql.h - the SQL functions of Inkling without a database: their list, options, states of
 * aggregates, scalars and tables. A shell (adapters/duckdb, adapters/postgresql, adapters/sqlite)
 * registers what the list has, turns values of its engine into inksql_value or ink_batch, calls
 * once, and turns the result back.
 *
 * Reading order: functions; values; errors; aggregates; opened sketches; scalars; tables.
 *
 * Rules: nothing here prints, starts threads, or calls the engine but through an ink_allocator or
 * an inksql_output, which return NULL if there is no memory and never longjmp. A call that fails
 * returns a status that is not INK_OK and sets *error, whose text is a whole line that begins with
 * the name of the function. Objects are not locked: one thread at a time, except where it says
 * otherwise. Pointers to allocators may be NULL (malloc), and must outlive what is made with them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKSQL_SQL_H
#define INKSQL_SQL_H

#include "inkling_file.h"

/* ---- Functions --------------------------------------------------------------------------- */

#define FUNCTION(id, name, shape, forms, result, kind, text) INKSQL_##id,
typedef enum inksql_id {
#include "function_list.h"
    INKSQL_FUNCTIONS
} inksql_id;
#undef FUNCTION

typedef enum inksql_shape { INKSQL_AGGREGATE, INKSQL_SCALAR, INKSQL_TABLE } inksql_shape;

/* What a function gives. SKETCH is bytes, in engines without a type of their own for it. */
typedef enum inksql_gives {
    INKSQL_GIVES_SKETCH,
    INKSQL_GIVES_WHOLE, /* a signed integer of 64 bits */
    INKSQL_GIVES_REAL,
    INKSQL_GIVES_BOOLEAN,
    INKSQL_GIVES_TEXT,
    INKSQL_GIVES_BYTES,
    INKSQL_GIVES_ROWS,
} inksql_gives;

typedef struct inksql_function {
    inksql_id    id;
    const char  *name;
    inksql_shape shape;
    const char  *forms; /* as in function_list.h */
    inksql_gives gives;
    const char  *kind;        /* of the sketch of an aggregate over keys, otherwise NULL */
    bool         opens_files; /* obeys what the engine has to say about that */
    const char  *text;
} inksql_function;

/* All functions, by id. */
extern const inksql_function inksql_functions[INKSQL_FUNCTIONS];

/* The form number `index` of a function: its letters, and how many there are (0 for "-"); NULL past
 * the last one. A form of "K+" has 1 letter, and *any_number is set. */
const char *inksql_form(const inksql_function *function, size_t index, size_t *letters,
                        bool *any_number);

/* The name of an argument by its letter, for declarations: key, weight, options, ... */
const char *inksql_argument_name(char letter);

/* The columns of what a table function gives, in order; NULL past the last one. */
typedef struct inksql_column {
    const char  *name;
    inksql_gives gives;
} inksql_column;
const inksql_column *inksql_table_column(const inksql_function *function, size_t index);

/* ---- Values ------------------------------------------------------------------------------ */

typedef struct inksql_opened inksql_opened;

typedef enum inksql_type {
    INKSQL_NULL = 0,
    INKSQL_INT,     /* `whole`: integers, dates (days since 1970), timestamps (microseconds) */
    INKSQL_UINT,    /* `whole` has the bits of an unsigned one; differs in tuples alone */
    INKSQL_REAL,    /* `real`: no key, but a rate */
    INKSQL_BOOLEAN, /* `whole`: of results alone; as an argument it is refused */
    INKSQL_TEXT,    /* `data`, `bytes`: UTF-8 */
    INKSQL_BYTES,   /* the same of any bytes: blobs and sketches */
    INKSQL_OPENED,  /* `opened`: a sketch, in place of its bytes or path, for those that ask */
    INKSQL_REFUSED, /* `data`, `bytes`: the name of a type that is no key, for the message */
} inksql_type;

typedef struct inksql_value {
    inksql_type type;
    union {
        int64_t              whole;
        double               real;
        const inksql_opened *opened;
    };
    const void *data;
    size_t      bytes;
} inksql_value;

/* Where the bytes of a result are written: `room` gives memory for them once their number is known,
 * or NULL. After a failure what it gave is the shell's to free. */
typedef struct inksql_output {
    void *(*room)(void *host, size_t bytes);
    void *host;
} inksql_output;

/* ---- Errors ------------------------------------------------------------------------------ */

enum { INKSQL_ERROR_BYTES = 768 };

typedef struct inksql_error {
    ink_status status;
    char       text[INKSQL_ERROR_BYTES];
} inksql_error;

/* How this engine writes a cast, for messages: each shell defines it. */
typedef struct inksql_engine {
    const char *cast_to_text; /* "key::text" */
    const char *cast_to_int;  /* "key::bigint" */
} inksql_engine;
extern const inksql_engine inksql_engine_here;

/* "NAME: ..." of a printf; returns `status`. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
ink_status
inksql_fail(inksql_error *error, const inksql_function *function, ink_status status,
            const char *format, ...);

/* The same of an error of the library, in the words of options: n, p, eps. */
ink_status inksql_fail_as(inksql_error *error, const inksql_function *function,
                          const ink_error *from);

/* An error of this function, with the file that it is about: "NAME: PATH: ...". */
ink_status inksql_fail_in_file(inksql_error *error, const inksql_function *function,
                               const char *path, size_t bytes, const inksql_error *from);

/* ---- Keys -------------------------------------------------------------------------------- */

/* docs/keys.md and docs/sql.md have the table. A shell maps the types of its engine:
 *
 *   integers up to 64 bits          INKSQL_INT, unsigned ones INKSQL_UINT
 *   text, blob                      INKSQL_TEXT, INKSQL_BYTES: equal bytes are the same key
 *   date                            INKSQL_INT, days since 1970
 *   timestamp, with time zone too   INKSQL_INT, microseconds since 1970, by inksql_timestamp
 *   any other                       INKSQL_REFUSED, with its name
 */

/* A timestamp that counts `per_second` (1, 1000, 1000000, 1000000000) since 1970, as the value of a
 * key. INK_USAGE if it is no whole number of microseconds, or does not fit. */
ink_status inksql_timestamp(const inksql_function *function, int64_t count, int64_t per_second,
                            inksql_value *key, inksql_error *error);

/* INK_USAGE: a date or timestamp that is infinite. */
ink_status inksql_refuse_infinity(const inksql_function *function, inksql_error *error);

/* INK_USAGE: a key of this type, by name. What every call does with an INKSQL_REFUSED. */
ink_status inksql_refuse_type(const inksql_function *function, const char *type, size_t bytes,
                              inksql_error *error);

/* ---- Aggregates -------------------------------------------------------------------------- */

enum { INKSQL_OPTIONS_BYTES = 512 };

/* Options that were read: 'p=0.001, n=1e6'. All zero: none were read yet. It may be copied, and
 * depends on nothing. */
typedef struct inksql_plan {
    const inksql_function *function; /* NULL: not read yet */
    ink_params             params;   /* but key_type */
    bool                   weighs;   /* keys have weights */
    bool                   drafts; /* a filter that is sized by its keys: what follows is for it */
    double                 headroom;
    uint64_t               limit_bytes; /* of the draft of a state */
    uint64_t               hash;        /* of `text` */
    size_t                 text_bytes;
    char                   text[INKSQL_OPTIONS_BYTES];
} inksql_plan;

/* Makes *plan that of these options (NULL: none), if it is not yet: the same text again costs a
 * comparison. A shell keeps a plan where it keeps what lives as long as a query. */
ink_status inksql_plan_read(inksql_plan *plan, const inksql_function *function, const char *options,
                            size_t bytes, inksql_error *error);

/* A state of an aggregate. The shell has the memory of the struct (DuckDB: its state; PostgreSQL:
 * in the aggregate's context; SQLite: its aggregate context); what is in it is not the shell's. It
 * may be moved as bytes. */
typedef struct inksql_state {
    const inksql_function *function;
    const ink_allocator   *allocator;
    struct inksql_draft   *draft;   /* in place of `sketch`, of filters without a size */
    struct inksql_entries *entries; /* of ink_file */
    struct inksql_pending *pending; /* keys that came one by one, ... */
    ink_sketch            *sketch;
    uint64_t              *next, *end; /* ... where the next one goes, and how far they may */
    uint64_t               options;    /* the plan's hash */
    ink_key_type           key_type;
    bool                   bytes_wait; /* byte keys, which were not hashed */
} inksql_state;

/* Starts a state, which takes no memory until the first row. */
void inksql_state_start(inksql_state *state, const inksql_function *function,
                        const ink_allocator *allocator);

/* Gives back all that it holds; it is then as it was started. Not needed where the allocator's
 * memory is freed as a whole. */
void inksql_state_free(inksql_state *state);

/* Whether nothing was added. */
bool inksql_state_is_empty(const inksql_state *state);

/* Adds a row: the arguments in order of a form of the function, options included, which are read
 * with the memo *plan. A NULL key or weight leaves the row out; NULL options are none. Keys are
 * kept until there are up to 504, so this is the way for one row at a time. */
ink_status inksql_step(inksql_state *state, inksql_plan *plan, const inksql_value *arguments,
                       size_t count, inksql_error *error);

/* The short forms, for shells whose rows take no longer than such a call: a key of a row without
 * weight, under a plan whose options are those of the row. False if there is more to do than to
 * keep it, which is then inksql_step's: nothing was done. */
static inline bool inksql_wait_word(inksql_state *state, const inksql_plan *plan, ink_key_type type,
                                    uint64_t word)
{
    if (state->next == state->end || state->bytes_wait || plan->weighs ||
        state->options != plan->hash || state->key_type != type)
        return false;
    *state->next++ = word;
    return true;
}
static inline bool inksql_wait_whole(inksql_state *state, const inksql_plan *plan, int64_t key)
{
    return inksql_wait_word(state, plan, INK_KEY_INT, (uint64_t)key);
}
bool inksql_wait_bytes(inksql_state *state, const inksql_plan *plan, const void *data,
                       size_t bytes);

/* Adds key i of the batch to states[i], for aggregates over keys: the way for vectors. The batch
 * has `ints` or `keys` (or data and offsets), and `weights` for kinds that count; rows with NULL
 * are not in it. The plan was read. */
ink_status inksql_add_each(inksql_state *const *states, const inksql_plan *plan,
                           const ink_batch *batch, inksql_error *error);

/* Adds all that is in `from`, which stays as it is, and may have another allocator. Either may be
 * empty. */
ink_status inksql_state_merge(inksql_state *into, const inksql_state *from, inksql_error *error);

/* What the aggregate gives for the rows so far: NULL if there were none (ink_count_distinct: 0), a
 * whole number, or bytes in the room of `output`. The state stays as it is, and takes more rows. */
ink_status inksql_finish(const inksql_state *state, const inksql_output *output,
                         inksql_value *result, inksql_error *error);

/* A state as bytes for another process, and back, into a state that was started and is empty. The
 * bytes are checked; they are no file, and mean nothing to another version. */
ink_status inksql_state_encode(const inksql_state *state, const inksql_output *output,
                               inksql_value *result, inksql_error *error);
ink_status inksql_state_decode(inksql_state *state, const void *data, size_t bytes,
                               inksql_error *error);

/* About the bytes that it has from its allocator. */
uint64_t inksql_state_memory(const inksql_state *state);

/* ---- Opened sketches --------------------------------------------------------------------- */

/* Sketches that were opened for questions, each a checked copy of its own. What a cache gives may
 * be kept and asked by any number of threads until it is released, also after the cache is gone;
 * the cache itself is one thread's, or locked by the shell around each lookup. */
typedef struct inksql_cache inksql_cache;

inksql_cache *inksql_cache_create(const ink_allocator *allocator); /* NULL: no memory */
void          inksql_cache_free(inksql_cache *cache);

/* The sketch of these bytes (a file with one entry). Bytes whose header and directory, which hold
 * the checksums of all the rest, are those of a copy that was checked are answered from that copy;
 * any others are checked in full and copied. The last few are kept. Release it with inksql_release.
 */
ink_status inksql_cache_value(inksql_cache *cache, const inksql_function *function,
                              const void *data, size_t bytes, inksql_opened **opened,
                              inksql_error *error);

/* The same of the file at this path (`bytes` long, of any bytes but NUL). A file that was replaced
 * or changed since, by its inode, size or time, is opened anew: each lookup asks the system. */
ink_status inksql_cache_file(inksql_cache *cache, const inksql_function *function, const char *path,
                             size_t bytes, inksql_opened **opened, inksql_error *error);

void              inksql_retain(inksql_opened *opened);  /* to be released once more */
void              inksql_release(inksql_opened *opened); /* NULL is allowed */
const ink_sketch *inksql_sketch(const inksql_opened *opened);

/* Asks a batch: answers[i] is 0 or 1 (ink_contains, ink_contains_file), or numbers[i] the count or
 * its bound (ink_count, _low, _high). Keys as for inksql_add_each. */
ink_status inksql_contains_each(const inksql_function *function, const inksql_opened *opened,
                                const ink_batch *batch, uint8_t *answers, inksql_error *error);
ink_status inksql_count_each(const inksql_function *function, const inksql_opened *opened,
                             const ink_batch *batch, int64_t *numbers, inksql_error *error);

/* ---- Scalars ----------------------------------------------------------------------------- */

/* Any scalar, for one row. A NULL argument gives NULL. Bytes of the result are in the room of
 * `output`; memory that is needed meanwhile comes from `allocator`. */
ink_status inksql_call(const inksql_function *function, inksql_cache *cache,
                       const inksql_value *arguments, size_t count, const ink_allocator *allocator,
                       const inksql_output *output, inksql_value *result, inksql_error *error);

/* ---- Tables ------------------------------------------------------------------------------ */

enum { INKSQL_COLUMNS_MAX = 4 };

/* The rows of a table function. NULL arguments give no rows. In place of the path of ink_read there
 * may be the bytes of the file, which must outlive the rows. */
typedef struct inksql_rows inksql_rows;

ink_status inksql_rows_open(inksql_rows **rows, const inksql_function *function,
                            const inksql_value *arguments, size_t count,
                            const ink_allocator *allocator, inksql_error *error);

/* The next row; *more is false after the last. Texts and bytes live until the next call. */
ink_status inksql_rows_next(inksql_rows *rows, inksql_value columns[INKSQL_COLUMNS_MAX], bool *more,
                            inksql_error *error);
void       inksql_rows_close(inksql_rows *rows); /* NULL is allowed */

#endif
