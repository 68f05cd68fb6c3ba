/* aggregates.c - aggregates: whole vectors of keys to their states, at once.
 *
 * A state is an inksql_state in DuckDB's memory. Chunks of the usual kind go to inksql_add_each;
 * others, with NULL options or keys that are refused, go row by row, where the messages are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <string.h>

/* The columns of a chunk by what they are; NULL: there is none. */
typedef struct arguments {
    duck_column        columns[3];
    size_t             count;
    const duck_column *key, *weight, *options;
} arguments;

static const duck_registered *registered_of(duckdb_function_info info)
{
    return duck.aggregate_function_get_extra_info(info);
}

static void fail(duckdb_function_info info, const inksql_error *error)
{
    duck.aggregate_function_set_error(info, duck_error_text(registered_of(info)->shell, error));
}

/* Options that were read in this thread: the same text again costs a comparison. */
static inksql_plan *memo_of(const inksql_function *function)
{
    static _Thread_local inksql_plan memos[INKSQL_MERGE];

    return function->id < INKSQL_MERGE ? &memos[function->id] : &memos[0];
}

/* ---- Begin and end ----------------------------------------------------------------------- */

static idx_t state_size(duckdb_function_info info)
{
    (void)info;
    return sizeof(inksql_state);
}

static void start(duckdb_function_info info, duckdb_aggregate_state state)
{
    const duck_registered *mine = registered_of(info);

    inksql_state_start((inksql_state *)(void *)state, mine->function, &mine->shell->allocator);
}

static void destroy(duckdb_aggregate_state *states, idx_t count)
{
    for (idx_t i = 0; i < count; i++)
        inksql_state_free((inksql_state *)(void *)states[i]);
}

/* ---- Add --------------------------------------------------------------------------------- */

static ink_status step_row(inksql_state *state, const arguments *of, idx_t row, inksql_error *error)
{
    inksql_value values[3];
    ink_status   status = INK_OK;

    for (size_t i = 0; i < of->count && status == INK_OK; i++)
        status = duck_value_at(&of->columns[i], row, state->function, &values[i], error);
    return status == INK_OK ? inksql_step(state, memo_of(state->function), values, of->count, error)
                            : status;
}

static ink_status step_rows(inksql_state *const *states, const arguments *of, idx_t count,
                            inksql_error *error)
{
    ink_status status = INK_OK;

    for (idx_t i = 0; i < count && status == INK_OK; i++)
        status = step_row(states[i], of, i, error);
    return status;
}

/* Which argument is what, as inksql_step has it. Dates and timestamps are keys, but no weights. */
static void name_arguments(arguments *of, const inksql_function *function)
{
    const bool weighs = strchr(function->forms, 'W') != NULL;

    of->key = &of->columns[0];
    if (of->count == 3 || (of->count == 2 && weighs && of->columns[1].class != DUCK_BYTES))
        of->weight = &of->columns[1];
    if (of->weight != NULL && duck_is_time(of->weight->type)) {
        of->columns[1].class = DUCK_OTHER;
        of->columns[1].refused = "a date or a timestamp";
    }
    if (of->count == 3 || (of->count == 2 && of->weight == NULL))
        of->options = &of->columns[of->count - 1];
}

/* Whether all rows have the same options, none of them NULL unless all are. */
static bool is_constant(const duck_column *options, idx_t count)
{
    if (options == NULL || options->class == DUCK_NULLS)
        return true;
    if (options->class != DUCK_BYTES || !duck_all_valid(options, 0, count))
        return false;
    if (duck_is_one(options, 0, (size_t)count))
        return true;
    const ink_key first = duck_bytes_at(options, 0);
    for (idx_t i = 1; i < count; i++) {
        const ink_key other = duck_bytes_at(options, i);
        if (other.bytes != first.bytes || memcmp(other.data, first.data, first.bytes) != 0)
            return false;
    }
    return true;
}

static bool is_usual(const arguments *of, const inksql_function *function, idx_t count)
{
    return function->kind != NULL && of->key->class != DUCK_OTHER &&
           (of->weight == NULL || of->weight->class == DUCK_INTS ||
            of->weight->class == DUCK_NULLS) &&
           is_constant(of->options, count);
}

/* False: a weight below 0. */
static bool take_weights(const duck_rows *rows, const duck_column *column, uint64_t *weights)
{
    const inksql_function *function = &inksql_functions[INKSQL_TOP];
    inksql_value           value;
    inksql_error           error;

    for (size_t i = 0; i < rows->count; i++) {
        if (duck_value_at(column, duck_row(rows, i), function, &value, &error) != INK_OK ||
            (value.type == INKSQL_INT && value.whole < 0))
            return false;
        weights[i] = (uint64_t)value.whole;
    }
    return true;
}

/* At most DUCK_ROWS rows. *unusual: there is something to say about a row. */
static ink_status add_rows(inksql_state *const *states, const arguments *of,
                           const inksql_plan *plan, idx_t from, size_t count, bool *unusual,
                           inksql_error *error)
{
    duck_rows     rows;
    inksql_state *some[DUCK_ROWS];
    uint64_t      weights[DUCK_ROWS];

    duck_rows_valid(&rows, from, count, of->key, of->weight);
    if (rows.count == 0)
        return INK_OK;
    ink_status status = duck_rows_keys(&rows, of->key, plan->function, error);
    if (status != INK_OK)
        return status;
    if (of->weight != NULL) {
        rows.batch.weights = weights;
        *unusual = !take_weights(&rows, of->weight, weights);
        if (*unusual)
            return INK_OK;
    }
    if (rows.some)
        for (size_t i = 0; i < rows.count; i++)
            some[i] = states[duck_row(&rows, i)];
    return inksql_add_each(rows.some ? some : states + from, plan, &rows.batch, error);
}

static ink_status add(inksql_state *const *states, const arguments *of, const inksql_plan *plan,
                      idx_t count, bool *unusual, inksql_error *error)
{
    ink_status status = INK_OK;

    for (idx_t from = 0; from < count && status == INK_OK && !*unusual; from += DUCK_ROWS) {
        const size_t some = count - from < DUCK_ROWS ? (size_t)(count - from) : DUCK_ROWS;
        status = add_rows(states, of, plan, from, some, unusual, error);
    }
    return status;
}

static void update(duckdb_function_info info, duckdb_data_chunk chunk,
                   duckdb_aggregate_state *groups)
{
    inksql_state *const   *states = (inksql_state *const *)(void *)groups;
    const inksql_function *function = registered_of(info)->function;
    const idx_t            count = duck.data_chunk_get_size(chunk);
    arguments              of = {.count = (size_t)duck.data_chunk_get_column_count(chunk)};
    bool                   unusual = false;
    ink_status             status = INK_OK;
    inksql_error           error;

    for (size_t i = 0; i < of.count; i++)
        of.columns[i] = duck_column_of(chunk, i);
    name_arguments(&of, function);
    if (count == 0)
        return;
    if (is_usual(&of, function, count)) {
        const bool    given = of.options != NULL && of.options->class == DUCK_BYTES;
        const ink_key text = given ? duck_bytes_at(of.options, 0) : (ink_key){NULL, 0};
        inksql_plan  *plan = memo_of(function);
        status = inksql_plan_read(plan, function, text.data, text.bytes, &error);
        if (status == INK_OK)
            status = add(states, &of, plan, count, &unusual, &error);
    } else {
        unusual = true;
    }
    if (status == INK_OK && unusual)
        status = step_rows(states, &of, count, &error);
    if (status != INK_OK)
        fail(info, &error);
}

/* ---- Merge and finish -------------------------------------------------------------------- */

/* A source stays as it is, because windows merge it again, and in several threads at once: what is
 * pending in it is added by the first of them. */
static void combine(duckdb_function_info info, duckdb_aggregate_state *sources,
                    duckdb_aggregate_state *targets, idx_t count)
{
    duck_shell *shell = registered_of(info)->shell;
    ink_status  status = INK_OK;

    for (idx_t i = 0; i < count && status == INK_OK; i++) {
        pthread_mutex_t *lock = &shell->sources[(uintptr_t)sources[i] / 64 % DUCK_LOCKS];
        inksql_error     error;
        pthread_mutex_lock(lock);
        status = inksql_state_merge((inksql_state *)(void *)targets[i],
                                    (const inksql_state *)(const void *)sources[i], &error);
        pthread_mutex_unlock(lock);
        if (status != INK_OK)
            fail(info, &error);
    }
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states, duckdb_vector vector,
                   idx_t count, idx_t offset)
{
    const inksql_function *function = registered_of(info)->function;
    ink_status             status = INK_OK;
    DUCK_ROOM(room);
    const inksql_output output = duck_room_output(&room);

    for (idx_t i = 0; i < count && status == INK_OK; i++) {
        inksql_value result;
        inksql_error error;
        status =
            inksql_finish((const inksql_state *)(const void *)states[i], &output, &result, &error);
        if (status == INK_OK)
            status = duck_put(vector, offset + i, function, &result, &error);
        if (status != INK_OK)
            fail(info, &error);
    }
}

/* ---- Registration ------------------------------------------------------------------------ */

static bool add_form(duckdb_aggregate_function_set set, duck_shell *shell,
                     const inksql_function *function, const char *form, size_t letters)
{
    duckdb_aggregate_function made = duck.create_aggregate_function();
    duckdb_logical_type       any = duck.create_logical_type(DUCK_ANY);
    duckdb_logical_type       sketch = duck.create_logical_type(DUCK_BLOB);
    duckdb_logical_type       gives = duck.create_logical_type(duck_type_of(function->gives));
    duck_registered          *registered = duck_register(shell, function);
    bool                      good = registered != NULL;

    duck.aggregate_function_set_name(made, function->name);
    for (size_t i = 0; i < letters; i++)
        duck.aggregate_function_add_parameter(made, form[i] == 'S' ? sketch : any);
    duck.aggregate_function_set_return_type(made, gives);
    duck.aggregate_function_set_functions(made, state_size, start, update, combine, finish);
    duck.aggregate_function_set_destructor(made, destroy);
    duck.aggregate_function_set_special_handling(made);
    if (good) {
        duck.aggregate_function_set_extra_info(made, registered, duck_forget);
        good = duck.add_aggregate_function_to_set(set, made) == DUCK_SUCCESS;
    }
    duck.destroy_logical_type(&any);
    duck.destroy_logical_type(&sketch);
    duck.destroy_logical_type(&gives);
    duck.destroy_aggregate_function(&made);
    return good;
}

/* Keys, weights and options are of any type, so that what is refused is refused by name: forms of
 * one length are one. */
bool duck_register_aggregate(duckdb_connection connection, duck_shell *shell,
                             const inksql_function *function)
{
    duckdb_aggregate_function_set set = duck.create_aggregate_function_set(function->name);
    const char                   *form;
    size_t                        letters, before = 0;
    bool                          any, good = true;

    for (size_t i = 0; good && (form = inksql_form(function, i, &letters, &any)) != NULL; i++) {
        if (letters > before)
            good = add_form(set, shell, function, form, letters);
        before = letters > before ? letters : before;
    }
    good = good && duck.register_aggregate_function_set(connection, set) == DUCK_SUCCESS;
    duck.destroy_aggregate_function_set(&set);
    return good;
}
