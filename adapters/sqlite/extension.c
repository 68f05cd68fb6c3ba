/* extension.c - the functions of adapters/sql in SQLite: registered from the list, values turned
 * into theirs, results turned back.
 *
 *     .load ./inkling                                 every function but those that open files
 *     .load ./inkling sqlite3_inklingfiles_init       these, which only top-level SQL may call
 *
 * A program that is linked with this file, compiled with -DSQLITE_CORE, calls the same two entry
 * points, or gives them to sqlite3_auto_extension.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sql.h"

#include <sqlite3ext.h>
#include <string.h>

SQLITE_EXTENSION_INIT1

enum { ARGUMENTS_MAX = 128 };

const inksql_engine inksql_engine_here = {.cast_to_text = "CAST(key AS TEXT)",
                                          .cast_to_int = "CAST(key AS INTEGER)"};

/* What a registered function keeps as long as its connection. */
typedef struct registered {
    const inksql_function *function;
    inksql_plan            plan;
    inksql_cache          *cache;
} registered;

/* ---- Values ------------------------------------------------------------------------------ */

static void *room_of(void *host, size_t bytes)
{
    void **room = host;

    sqlite3_free(*room);
    *room = sqlite3_malloc64(bytes == 0 ? 1 : bytes);
    return *room;
}

/* False if there is no memory for a text in UTF-8. */
static bool take_value(sqlite3_value *from, inksql_value *to)
{
    switch (sqlite3_value_type(from)) {
    case SQLITE_INTEGER:
        *to = (inksql_value){.type = INKSQL_INT, .whole = sqlite3_value_int64(from)};
        return true;
    case SQLITE_FLOAT:
        *to = (inksql_value){.type = INKSQL_REAL, .real = sqlite3_value_double(from)};
        return true;
    case SQLITE_TEXT:
        *to = (inksql_value){.type = INKSQL_TEXT, .data = sqlite3_value_text(from)};
        to->bytes = (size_t)sqlite3_value_bytes(from);
        return to->data != NULL;
    case SQLITE_BLOB:
        *to = (inksql_value){.type = INKSQL_BYTES, .data = sqlite3_value_blob(from)};
        to->bytes = (size_t)sqlite3_value_bytes(from);
        return to->data != NULL || to->bytes == 0;
    default:
        *to = (inksql_value){.type = INKSQL_NULL};
        return true;
    }
}

static bool take_values(sqlite3_context *context, int count, sqlite3_value **from, inksql_value *to)
{
    if (count > ARGUMENTS_MAX) {
        sqlite3_result_error(context, "too many arguments, expected at most 128", -1);
        return false;
    }
    for (int i = 0; i < count; i++)
        if (!take_value(from[i], &to[i])) {
            sqlite3_result_error_nomem(context);
            return false;
        }
    return true;
}

/* Gives a value, whose bytes are in `room`, which is freed. */
static void give_value(sqlite3_context *context, const inksql_value *value, void *room)
{
    switch (value->type) {
    case INKSQL_INT:
    case INKSQL_UINT:
    case INKSQL_BOOLEAN:
        sqlite3_result_int64(context, value->whole);
        break;
    case INKSQL_REAL:
        sqlite3_result_double(context, value->real);
        break;
    case INKSQL_TEXT:
        sqlite3_result_text64(context, room, value->bytes, sqlite3_free, SQLITE_UTF8);
        return;
    case INKSQL_BYTES:
        sqlite3_result_blob64(context, room, value->bytes, sqlite3_free);
        return;
    case INKSQL_NULL:
    case INKSQL_OPENED:
    case INKSQL_REFUSED:
    default:
        sqlite3_result_null(context);
    }
    sqlite3_free(room);
}

static void give_error(sqlite3_context *context, const inksql_error *error, void *room)
{
    sqlite3_free(room);
    if (error->status == INK_MEMORY)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_error(context, error->text, -1);
}

/* ---- Aggregates -------------------------------------------------------------------------- */

/* A state, and whose it is: NULL before its first row. */
typedef struct group {
    inksql_state state;
    registered  *of;
} group;

static void step_any(sqlite3_context *context, group *g, int count, sqlite3_value **arguments)
{
    inksql_value values[3];
    inksql_error error;

    if (g == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (g->of == NULL) {
        g->of = sqlite3_user_data(context);
        inksql_state_start(&g->state, g->of->function, NULL);
    }
    if (take_values(context, count, arguments, values) &&
        inksql_step(&g->state, &g->of->plan, values, (size_t)count, &error) != INK_OK)
        give_error(context, &error, NULL);
}

/* Most rows have a key alone, which is kept. The plan of functions with one argument has no
 * options. */
static void step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    group *g = sqlite3_aggregate_context(context, sizeof *g);

    if (count == 1 && g != NULL && g->of != NULL) {
        sqlite3_value *key = arguments[0];
        const int      type = sqlite3_value_type(key);
        if (type == SQLITE_INTEGER &&
            inksql_wait_whole(&g->state, &g->of->plan, sqlite3_value_int64(key)))
            return;
        if (type == SQLITE_TEXT) {
            const void *text = sqlite3_value_text(key);
            if (text != NULL &&
                inksql_wait_bytes(&g->state, &g->of->plan, text, (size_t)sqlite3_value_bytes(key)))
                return;
        }
    }
    step_any(context, g, count, arguments);
}

/* The value so far. Without rows there is no context. */
static void value_so_far(sqlite3_context *context)
{
    const registered   *mine = sqlite3_user_data(context);
    const group        *g = sqlite3_aggregate_context(context, 0);
    inksql_state        empty;
    void               *room = NULL;
    const inksql_output output = {room_of, &room};
    inksql_value        result;
    inksql_error        error;

    inksql_state_start(&empty, mine->function, NULL);
    if (inksql_finish(g == NULL || g->of == NULL ? &empty : &g->state, &output, &result, &error) ==
        INK_OK)
        give_value(context, &result, room);
    else
        give_error(context, &error, room);
}

static void finish(sqlite3_context *context)
{
    group *g = sqlite3_aggregate_context(context, 0);

    value_so_far(context);
    if (g != NULL && g->of != NULL)
        inksql_state_free(&g->state);
}

/* No sketch forgets a row. */
static void leave(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const registered *mine = sqlite3_user_data(context);
    inksql_error      error;

    (void)count;
    (void)arguments;
    inksql_fail(
        &error, mine->function, INK_UNSUPPORTED,
        "rows that leave the window, expected a frame that begins with UNBOUNDED PRECEDING");
    give_error(context, &error, NULL);
}

/* ---- Scalars ----------------------------------------------------------------------------- */

static void release(void *opened)
{
    inksql_release(opened);
}

/* Opens a sketch that is asked, or finds what was opened for a constant in an earlier row. */
static bool open_first(sqlite3_context *context, registered *mine, inksql_value *first)
{
    inksql_opened *opened = sqlite3_get_auxdata(context, 0);
    inksql_error   error;
    ink_status     status;

    if (opened == NULL) {
        const bool file = mine->function->opens_files;
        if (first->type != (file ? INKSQL_TEXT : INKSQL_BYTES))
            return true; /* the call says what is wrong, or gives NULL */
        status = file ? inksql_cache_file(mine->cache, mine->function, first->data, first->bytes,
                                          &opened, &error)
                      : inksql_cache_value(mine->cache, mine->function, first->data, first->bytes,
                                           &opened, &error);
        if (status != INK_OK) {
            give_error(context, &error, NULL);
            return false;
        }
        sqlite3_set_auxdata(context, 0, opened, release);
        /* What is no constant is not kept, but released at once: the cache has it. */
        opened = sqlite3_get_auxdata(context, 0);
    }
    if (opened != NULL)
        *first = (inksql_value){.type = INKSQL_OPENED, .opened = opened};
    return true;
}

static void call(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    registered         *mine = sqlite3_user_data(context);
    inksql_value        values[ARGUMENTS_MAX];
    void               *room = NULL;
    const inksql_output output = {room_of, &room};
    inksql_value        result;
    inksql_error        error;

    if (!take_values(context, count, arguments, values) ||
        (mine->cache != NULL && !open_first(context, mine, &values[0])))
        return;
    if (inksql_call(mine->function, mine->cache, values, (size_t)count, NULL, &output, &result,
                    &error) == INK_OK)
        give_value(context, &result, room);
    else
        give_error(context, &error, room);
}

/* ---- Tables ------------------------------------------------------------------------------ */

typedef struct table {
    sqlite3_vtab           base;
    const inksql_function *function;
    size_t                 columns, arguments; /* the arguments are hidden columns after these */
} table;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    inksql_rows        *rows;
    bool                more;
    sqlite3_int64       number;
    inksql_value        values[INKSQL_COLUMNS_MAX];
} cursor;

static const char *const sql_types[] = {
    [INKSQL_GIVES_SKETCH] = "BLOB", [INKSQL_GIVES_WHOLE] = "INTEGER",
    [INKSQL_GIVES_REAL] = "REAL",   [INKSQL_GIVES_BOOLEAN] = "INTEGER",
    [INKSQL_GIVES_TEXT] = "TEXT",   [INKSQL_GIVES_BYTES] = "BLOB",
};

static int table_connect(sqlite3 *db, void *user, int count, const char *const *arguments,
                         sqlite3_vtab **made, char **message)
{
    const inksql_function *function = user;
    const inksql_column   *column;
    const char            *form = NULL, *next;
    size_t                 letters = 0, last;
    bool                   any;
    sqlite3_str           *sql = sqlite3_str_new(db);
    table                 *t = sqlite3_malloc64(sizeof *t);

    (void)count;
    (void)arguments;
    (void)message;
    sqlite3_str_appendall(sql, "CREATE TABLE made(");
    size_t columns = 0;
    for (; (column = inksql_table_column(function, columns)) != NULL; columns++)
        sqlite3_str_appendf(sql, "%s %s, ", column->name, sql_types[column->gives]);
    for (size_t i = 0; (next = inksql_form(function, i, &last, &any)) != NULL; i++) {
        form = next;
        letters = last;
    }
    for (size_t i = 0; i < letters; i++)
        sqlite3_str_appendf(sql, "%s\"of %s\" HIDDEN", i > 0 ? ", " : "",
                            inksql_argument_name(form[i]));
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int   code = text == NULL || t == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, text);
    sqlite3_free(text);
    if (code != SQLITE_OK) {
        sqlite3_free(t);
        return code;
    }
    *t = (table){.function = function, .columns = columns, .arguments = letters};
    sqlite3_vtab_config(db, function->opens_files ? SQLITE_VTAB_DIRECTONLY : SQLITE_VTAB_INNOCUOUS);
    *made = &t->base;
    return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

/* All arguments must be known: a plan without is refused, or there is no way to read it. */
static int table_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const table *t = (const table *)base;
    unsigned     found = 0; /* a bit for each argument */

    for (int i = 0; i < info->nConstraint; i++) {
        const int argument = info->aConstraint[i].iColumn - (int)t->columns;
        if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
            (found >> argument & 1) != 0)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = argument + 1;
        info->aConstraintUsage[i].omit = 1;
        found |= 1u << argument;
    }
    if ((found & 1) == 0) {
        base->zErrMsg = sqlite3_mprintf("%s: no argument, expected %s", t->function->name,
                                        inksql_argument_name(t->function->forms[0]));
        return SQLITE_ERROR;
    }
    info->estimatedCost = 100;
    info->estimatedRows = 100;
    return SQLITE_OK;
}

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
    cursor *c = sqlite3_malloc64(sizeof *c);

    (void)base;
    if (c == NULL)
        return SQLITE_NOMEM;
    memset(c, 0, sizeof *c);
    *made = &c->base;
    return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    inksql_rows_close(((cursor *)base)->rows);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int cursor_failed(cursor *c, const inksql_error *error)
{
    if (error->status == INK_MEMORY)
        return SQLITE_NOMEM;
    sqlite3_free(c->base.pVtab->zErrMsg);
    c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", error->text);
    return SQLITE_ERROR;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    cursor      *c = (cursor *)base;
    inksql_error error;

    c->number++;
    if (inksql_rows_next(c->rows, c->values, &c->more, &error) != INK_OK)
        return cursor_failed(c, &error);
    return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                         sqlite3_value **arguments)
{
    cursor      *c = (cursor *)base;
    const table *t = (const table *)base->pVtab;
    inksql_value values[2];
    inksql_error error;

    (void)number;
    (void)text;
    inksql_rows_close(c->rows);
    c->rows = NULL;
    for (int i = 0; i < count; i++)
        if (!take_value(arguments[i], &values[i]))
            return SQLITE_NOMEM;
    if (inksql_rows_open(&c->rows, t->function, values, (size_t)count, NULL, &error) != INK_OK) {
        c->rows = NULL;
        return cursor_failed(c, &error);
    }
    return cursor_next(base);
}

static int cursor_at_end(sqlite3_vtab_cursor *base)
{
    return !((cursor *)base)->more;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const cursor       *c = (const cursor *)base;
    const table        *t = (const table *)base->pVtab;
    const inksql_value *value = &c->values[column];

    if (column >= (int)t->columns)
        return SQLITE_OK;
    if (value->type == INKSQL_TEXT)
        sqlite3_result_text64(context, value->data, value->bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
    else if (value->type == INKSQL_BYTES)
        sqlite3_result_blob64(context, value->data, value->bytes, SQLITE_TRANSIENT);
    else
        give_value(context, value, NULL);
    return SQLITE_OK;
}

static int cursor_row(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
    *row = ((cursor *)base)->number;
    return SQLITE_OK;
}

static const sqlite3_module table_module = {
    .xConnect = table_connect,
    .xBestIndex = table_best,
    .xDisconnect = table_disconnect,
    .xOpen = cursor_open,
    .xClose = cursor_close,
    .xFilter = cursor_filter,
    .xNext = cursor_next,
    .xEof = cursor_at_end,
    .xColumn = cursor_column,
    .xRowid = cursor_row,
};

/* ---- Registration ------------------------------------------------------------------------ */

static void forget(void *user)
{
    registered *mine = user;

    inksql_cache_free(mine->cache);
    sqlite3_free(mine);
}

/* Whether the first argument is a sketch that is kept from one row to the next. */
static bool keeps_first(const inksql_function *function)
{
    return function->shape == INKSQL_SCALAR &&
           (strcmp(function->forms, "SK") == 0 || strcmp(function->forms, "PK") == 0);
}

/* SQLite frees what is given by `forget`, also if it fails. */
static int register_form(sqlite3 *db, const inksql_function *function, int arguments)
{
    const int flags =
        SQLITE_UTF8 |
        (function->opens_files ? SQLITE_DIRECTONLY : SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS);
    registered *mine = sqlite3_malloc64(sizeof *mine);

    if (mine == NULL)
        return SQLITE_NOMEM;
    *mine = (registered){.function = function};
    if (keeps_first(function) && (mine->cache = inksql_cache_create(NULL)) == NULL) {
        sqlite3_free(mine);
        return SQLITE_NOMEM;
    }
    if (function->shape == INKSQL_AGGREGATE)
        return sqlite3_create_window_function(db, function->name, arguments, flags, mine, step,
                                              finish, value_so_far, leave, forget);
    return sqlite3_create_function_v2(db, function->name, arguments, flags, mine, call, NULL, NULL,
                                      forget);
}

static int register_function(sqlite3 *db, const inksql_function *function)
{
    size_t letters;
    bool   any;
    int    code = SQLITE_OK;

    if (function->shape == INKSQL_TABLE)
        return sqlite3_create_module_v2(db, function->name, &table_module,
                                        (void *)(uintptr_t)function, NULL);
    for (size_t i = 0; code == SQLITE_OK && inksql_form(function, i, &letters, &any) != NULL; i++)
        code = register_form(db, function, any ? -1 : (int)letters);
    return code;
}

static int register_all(sqlite3 *db, bool files)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < INKSQL_FUNCTIONS && code == SQLITE_OK; i++)
        if (inksql_functions[i].opens_files == files)
            code = register_function(db, &inksql_functions[i]);
    return code;
}

INK_API int sqlite3_inkling_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);
INK_API int sqlite3_inklingfiles_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

int sqlite3_inkling_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api);
    (void)api;
    (void)message;
    return register_all(db, false);
}

int sqlite3_inklingfiles_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api);
    (void)api;
    (void)message;
    return register_all(db, true);
}
