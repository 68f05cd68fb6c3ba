/* extension.c - the functions of adapters/sql in PostgreSQL 15 and later: a type `ink`, whose
 * values are whole .ink files, and one C function for each function of the list.
 *
 * All memory lies in PostgreSQL's contexts, aggregates' in theirs, so that it is counted, limits
 * spill it, and errors free it: nothing has to be freed when ereport jumps out of a function. While
 * the library runs nothing may jump, so the allocator refuses where palloc would.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "common/base64.h"
#include "common/hashfn.h"
#include "common/int.h"
#include "fmgr.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "sql.h"

#include <string.h>

PG_MODULE_MAGIC;

#if PG_VERSION_NUM < 150000
#error "PostgreSQL 15 or later is needed"
#endif

/* PostgreSQL loads modules with all their names global. */
__attribute__((visibility("hidden"))) const inksql_engine inksql_engine_here = {
    .cast_to_text = "key::text", .cast_to_int = "key::bigint"};

enum {
    BLOCK_ALIGNMENT = 16,
    DAYS_BEFORE_2000 = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE,
    FEW_ARGUMENTS = 4,
    LARGE_BYTES = 1 << 20,
};

/* ---- Memory ------------------------------------------------------------------------------ */

/* Whether the query was cancelled: then no memory is given, which ends what the library does. */
static inline bool is_stopping(void)
{
    return unlikely(InterruptPending) && (QueryCancelPending || ProcDiePending) &&
           InterruptHoldoffCount == 0 && QueryCancelHoldoffCount == 0 && CritSectionCount == 0;
}

/* A block aligned as malloc's, where palloc aligns to 8: before it stands where it begins. NULL if
 * there is no memory. */
static void *take_block(MemoryContext context, size_t bytes, int flags)
{
    char *begins, *block;

    if (bytes > MaxAllocHugeSize - BLOCK_ALIGNMENT || is_stopping())
        return NULL;
    begins = MemoryContextAllocExtended(context, bytes + BLOCK_ALIGNMENT,
                                        MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM | flags);
    if (begins == NULL)
        return NULL;
    block = (char *)TYPEALIGN(BLOCK_ALIGNMENT, begins + sizeof begins);
    memcpy(block - sizeof begins, &begins, sizeof begins);
    return block;
}

static void *zeroed_block(void *context, size_t bytes)
{
    return take_block(context, bytes, MCXT_ALLOC_ZERO);
}

/* PostgreSQL 15 has no repalloc that refuses. */
static void *resize_block(void *context, void *block, size_t old_bytes, size_t new_bytes)
{
    void *begins, *made = NULL;

    if (new_bytes > 0) {
        made = take_block(context, new_bytes, 0);
        if (made == NULL || block == NULL)
            return made;
        memcpy(made, block, Min(old_bytes, new_bytes));
    }
    if (block != NULL) {
        memcpy(&begins, (char *)block - sizeof begins, sizeof begins);
        pfree(begins);
    }
    return made;
}

static ink_allocator allocator_in(MemoryContext context)
{
    return (ink_allocator){.resize = resize_block, .host = context, .zeroed = zeroed_block};
}

/* The bytes of a result, as a value; `before` of them are the shell's own. */
typedef struct room {
    size_t          before;
    struct varlena *made;
    size_t          refused; /* bytes that are more than a value can have */
} room;

static void *room_of(void *host, size_t bytes)
{
    room *r = host;

    if (bytes > MaxAllocSize - VARHDRSZ - r->before) {
        r->refused = bytes;
        return NULL;
    }
    if (is_stopping())
        return NULL;
    r->made = MemoryContextAllocExtended(CurrentMemoryContext, VARHDRSZ + r->before + bytes,
                                         MCXT_ALLOC_NO_OOM);
    if (r->made == NULL)
        return NULL;
    SET_VARSIZE(r->made, VARHDRSZ + r->before + bytes);
    return VARDATA(r->made) + r->before;
}

/* Of a value that is not toasted, in either form of its header. */
static inline size_t bytes_of(const void *value)
{
    return VARATT_IS_SHORT(value) ? VARSIZE_SHORT(value) - VARHDRSZ_SHORT
                                  : VARSIZE(value) - (size_t)VARHDRSZ;
}

/* ---- Errors ------------------------------------------------------------------------------ */

static int code_of(ink_status status)
{
    switch (status) {
    case INK_FORMAT:
        return ERRCODE_DATA_CORRUPTED;
    case INK_MISMATCH:
        return ERRCODE_DATATYPE_MISMATCH;
    case INK_UNSUPPORTED:
    case INK_READ_ONLY:
        return ERRCODE_FEATURE_NOT_SUPPORTED;
    case INK_MEMORY:
        return ERRCODE_OUT_OF_MEMORY;
    case INK_LIMIT:
        return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case INK_IO:
        return ERRCODE_IO_ERROR;
    default:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    }
}

/* `made` may be NULL. */
__attribute__((noreturn)) static void raise_error(const inksql_error *error, const room *made)
{
    const int bytes = (int)strlen(error->text);

    CHECK_FOR_INTERRUPTS();
    if (made != NULL && made->refused > 0)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("a value of %zu bytes, expected fewer than %zu", made->refused,
                               (size_t)MaxAllocSize)));
    ereport(ERROR, (errcode(code_of(error->status)),
                    errmsg("%.*s", pg_mbcliplen(error->text, bytes, bytes), error->text)));
}

/* Of a value that is no whole file. */
__attribute__((noreturn)) static void raise_value(const ink_error *error)
{
    char text[2 * INK_MESSAGE_BYTES];

    CHECK_FOR_INTERRUPTS();
    ink_error_text(error, text, sizeof text);
    ereport(ERROR, (errcode(code_of(error->status)), errmsg("ink: %s", text)));
}

/* ---- Arguments --------------------------------------------------------------------------- */

typedef enum reading {
    READ_REFUSED,
    READ_INT2,
    READ_INT4,
    READ_INT8,
    READ_REAL,
    READ_BYTES,
    READ_TEXT,     /* bytes as they are, for options and paths */
    READ_KEY_TEXT, /* those that must be UTF-8 from here */
    READ_PADDED,
    READ_NAME,
    READ_LITERAL,
    READ_DATE,
    READ_TIMESTAMP,
} reading;

/* How an argument is read, by its type. */
typedef struct reader {
    reading     how;
    const char *type; /* of READ_REFUSED */
} reader;

/* What a call keeps as long as its query. */
typedef struct memo {
    const inksql_function *function;
    inksql_plan            plan;
    ink_allocator          allocator;
    inksql_cache          *cache;
    inksql_opened         *opened; /* of the toasted value, or of the path, of the last row */
    struct varatt_external toast;
    char                  *path;
    size_t                 path_bytes;
    TimestampTz            looked; /* when the file of the path was, */
    Oid                    role;   /* ... and for whom */
    int                    count;
    reader                 readers[FLEXIBLE_ARRAY_MEMBER];
} memo;

static reader reader_of_key(Oid type)
{
    switch (getBaseType(type)) {
    case INT2OID:
        return (reader){READ_INT2, NULL};
    case INT4OID:
        return (reader){READ_INT4, NULL};
    case INT8OID:
        return (reader){READ_INT8, NULL};
    case TEXTOID:
    case VARCHAROID:
        return (reader){READ_KEY_TEXT, NULL};
    case BPCHAROID:
        return (reader){READ_PADDED, NULL};
    case NAMEOID:
        return (reader){READ_NAME, NULL};
    case UNKNOWNOID:
        return (reader){READ_LITERAL, NULL};
    case BYTEAOID:
        return (reader){READ_BYTES, NULL};
    case DATEOID:
        return (reader){READ_DATE, NULL};
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
        return (reader){READ_TIMESTAMP, NULL};
    default:
        return (reader){READ_REFUSED, format_type_be(type)};
    }
}

static reader reader_of(char letter, Oid type)
{
    switch (letter) {
    case 'S':
        return (reader){READ_BYTES, NULL};
    case 'O':
    case 'P':
        return (reader){READ_TEXT, NULL};
    case 'W':
    case 'N':
        return (reader){READ_INT8, NULL};
    case 'R':
        return (reader){READ_REAL, NULL};
    default:
        if (!OidIsValid(type))
            elog(ERROR, "inkling: an argument of unknown type");
        return reader_of_key(type);
    }
}

/* The letters of the form with `count` arguments, of which an aggregate may have two: its second
 * argument is a weight if it is a number. */
static const char *form_of(const inksql_function *function, int count, Oid second, bool *any)
{
    const char *form, *found = NULL;
    size_t      letters;

    for (size_t i = 0; (form = inksql_form(function, i, &letters, any)) != NULL; i++)
        if (*any || letters == (size_t)count)
            if (found == NULL || (form[letters - 1] == 'W') == (second == INT8OID))
                found = form;
    if (found == NULL)
        elog(ERROR, "inkling: %s with %d arguments", function->name, count);
    *any = found[1] == '+';
    return found;
}

/* `first` is the number of the first argument that is the function's, as those of an aggregate come
 * after its state. */
static memo *make_memo(FunctionCallInfo fcinfo, inksql_id id, int first)
{
    const inksql_function *function = &inksql_functions[id];
    FmgrInfo              *called = fcinfo->flinfo;
    const int              count = fcinfo->nargs - first;
    const Oid              second = count > 1 ? get_fn_expr_argtype(called, first + 1) : InvalidOid;
    bool                   any;
    const char            *form = form_of(function, count, second, &any);
    MemoryContext          before = MemoryContextSwitchTo(called->fn_mcxt);
    memo                  *made = palloc0(offsetof(memo, readers) + (size_t)count * sizeof(reader));

    made->function = function;
    made->allocator = allocator_in(called->fn_mcxt);
    made->count = count;
    for (int i = 0; i < count; i++)
        made->readers[i] = reader_of(form[any ? 0 : i], get_fn_expr_argtype(called, first + i));
    MemoryContextSwitchTo(before);
    called->fn_extra = made;
    return made;
}

static inline memo *memo_of(FunctionCallInfo fcinfo, inksql_id id, int first)
{
    memo *kept = fcinfo->flinfo->fn_extra;

    return likely(kept != NULL) ? kept : make_memo(fcinfo, id, first);
}

static inline void put_whole(inksql_value *value, int64_t whole)
{
    value->type = INKSQL_INT;
    value->whole = whole;
    value->data = NULL;
    value->bytes = 0;
}

static inline void put_bytes(inksql_value *value, inksql_type type, const void *data, size_t bytes)
{
    value->type = type;
    value->data = data;
    value->bytes = bytes;
}

static void check_encoding(const inksql_function *function)
{
    if (GetDatabaseEncoding() != PG_UTF8)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("%s: a text key in a database whose encoding is %s, expected UTF8; "
                               "cast it: convert_to(key, 'UTF8')",
                               function->name, GetDatabaseEncodingName())));
}

static void put_text(const inksql_function *function, inksql_value *value, const char *text,
                     size_t bytes)
{
    check_encoding(function);
    put_bytes(value, INKSQL_TEXT, text, bytes);
}

/* A date or a timestamp, which count from 2000. */
static void put_time(const inksql_function *function, inksql_value *value, bool finite,
                     int64_t count, int64_t before_2000)
{
    inksql_error error;
    int64        since_1970;

    if (!finite) {
        inksql_refuse_infinity(function, &error);
        raise_error(&error, NULL);
    }
    /* A timestamp that does not fit is refused as one of as many seconds. */
    if (pg_add_s64_overflow(count, before_2000, &since_1970) &&
        inksql_timestamp(function, count, 1, value, &error) != INK_OK)
        raise_error(&error, NULL);
    put_whole(value, since_1970);
}

/* The end of the text without its padding, as a cast to text has it. */
static size_t end_of_padded(const char *text, size_t bytes)
{
    while (bytes > 0 && text[bytes - 1] == ' ')
        bytes--;
    return bytes;
}

static void read_text(const inksql_function *function, reading how, Datum datum,
                      inksql_value *value)
{
    struct varlena *packed = PG_DETOAST_DATUM_PACKED(datum);
    const char     *text = VARDATA_ANY(packed);
    size_t          bytes = bytes_of(packed);

    if (how == READ_PADDED)
        bytes = end_of_padded(text, bytes);
    if (how == READ_BYTES)
        put_bytes(value, INKSQL_BYTES, text, bytes);
    else if (how == READ_TEXT)
        put_bytes(value, INKSQL_TEXT, text, bytes);
    else
        put_text(function, value, text, bytes);
}

static void read_rare(const inksql_function *function, const reader *by, Datum datum,
                      inksql_value *value)
{
    switch (by->how) {
    case READ_REAL:
        value->type = INKSQL_REAL;
        value->real = DatumGetFloat8(datum);
        break;
    case READ_NAME:
    case READ_LITERAL: /* both end with a NUL */
        put_text(function, value, DatumGetCString(datum), strlen(DatumGetCString(datum)));
        break;
    case READ_DATE:
        put_time(function, value, !DATE_NOT_FINITE(DatumGetDateADT(datum)), DatumGetDateADT(datum),
                 DAYS_BEFORE_2000);
        break;
    case READ_TIMESTAMP:
        put_time(function, value, !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(datum)),
                 DatumGetTimestamp(datum), DAYS_BEFORE_2000 * USECS_PER_DAY);
        break;
    default:
        put_bytes(value, INKSQL_REFUSED, by->type, strlen(by->type));
    }
}

static inline void read_value(const memo *mine, int index, const NullableDatum *from,
                              inksql_value *value)
{
    const reader *by = &mine->readers[index];

    if (from->isnull) {
        *value = (inksql_value){.type = INKSQL_NULL};
        return;
    }
    switch (by->how) {
    case READ_INT2:
        put_whole(value, DatumGetInt16(from->value));
        break;
    case READ_INT4:
        put_whole(value, DatumGetInt32(from->value));
        break;
    case READ_INT8:
        put_whole(value, DatumGetInt64(from->value));
        break;
    case READ_BYTES:
    case READ_TEXT:
    case READ_KEY_TEXT:
    case READ_PADDED:
        read_text(mine->function, by->how, from->value, value);
        break;
    default:
        read_rare(mine->function, by, from->value, value);
    }
}

/* ---- Aggregates -------------------------------------------------------------------------- */

/* A state, in the context of its aggregate. */
typedef struct group {
    ink_allocator allocator;
    inksql_state  state;
} group;

static group *make_group(MemoryContext context, const inksql_function *function)
{
    group *made = MemoryContextAlloc(context, sizeof *made);

    made->allocator = allocator_in(context);
    inksql_state_start(&made->state, function, &made->allocator);
    return made;
}

static group *group_of_aggregate(FunctionCallInfo fcinfo, const inksql_function *function)
{
    MemoryContext context;

    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "inkling: a part of an aggregate was called on its own");
    return make_group(context, function);
}

/* Hash aggregation looks at its memory before it starts a group, and makes the values of groups
 * while the states of all of them are there. So that it keeps to its limit, a large state has half
 * as much again set aside, which nothing touches. */
static void set_aside(FunctionCallInfo fcinfo, const group *g)
{
    const uint64 bytes = inksql_state_memory(&g->state) / 2;

    if (bytes < LARGE_BYTES || !IsA(fcinfo->context, AggState) ||
        castNode(AggState, fcinfo->context)->aggstrategy == AGG_PLAIN ||
        castNode(AggState, fcinfo->context)->aggstrategy == AGG_SORTED)
        return;
    MemoryContextAllocExtended(g->allocator.host, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static pg_noinline Datum step_any(FunctionCallInfo fcinfo, inksql_id id)
{
    memo        *mine = memo_of(fcinfo, id, 1);
    const bool   first = PG_ARGISNULL(0);
    group       *g = first ? NULL : (group *)PG_GETARG_POINTER(0);
    inksql_value values[FEW_ARGUMENTS];
    inksql_error error;

    if (first)
        g = group_of_aggregate(fcinfo, mine->function);
    for (int i = 0; i < mine->count; i++)
        read_value(mine, i, &fcinfo->args[i + 1], &values[i]);
    if (inksql_step(&g->state, &mine->plan, values, (size_t)mine->count, &error) != INK_OK)
        raise_error(&error, NULL);
    if (first)
        set_aside(fcinfo, g);
    PG_RETURN_POINTER(g);
}

/* Most rows have a key alone, which is kept. The plan of functions with one argument has no
 * options. */
static inline bool step_key(FunctionCallInfo fcinfo)
{
    const memo   *mine = fcinfo->flinfo->fn_extra;
    const Datum   key = fcinfo->args[1].value;
    const void   *text;
    inksql_state *state;

    if (mine == NULL || mine->count != 1 || PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return false;
    state = &((group *)PG_GETARG_POINTER(0))->state;
    switch (mine->readers[0].how) {
    case READ_INT4:
        return inksql_wait_whole(state, &mine->plan, DatumGetInt32(key));
    case READ_INT8:
        return inksql_wait_whole(state, &mine->plan, DatumGetInt64(key));
    case READ_KEY_TEXT:
        text = DatumGetPointer(key);
        return !VARATT_IS_EXTERNAL(text) && !VARATT_IS_COMPRESSED(text) &&
               GetDatabaseEncoding() == PG_UTF8 &&
               inksql_wait_bytes(state, &mine->plan, VARDATA_ANY(text), bytes_of(text));
    default:
        return false;
    }
}

static inline Datum step(FunctionCallInfo fcinfo, inksql_id id)
{
    return step_key(fcinfo) ? fcinfo->args[0].value : step_any(fcinfo, id);
}

static Datum give_value(FunctionCallInfo fcinfo, const inksql_value *value, const room *made)
{
    switch (value->type) {
    case INKSQL_BOOLEAN:
        PG_RETURN_BOOL(value->whole != 0);
    case INKSQL_INT:
    case INKSQL_UINT:
        PG_RETURN_INT64(value->whole);
    case INKSQL_REAL:
        PG_RETURN_FLOAT8(value->real);
    case INKSQL_TEXT:
    case INKSQL_BYTES:
        PG_RETURN_POINTER(made->made);
    default:
        PG_RETURN_NULL();
    }
}

PG_FUNCTION_INFO_V1(inkpg_finish);
PG_FUNCTION_INFO_V1(inkpg_finish_count);
PG_FUNCTION_INFO_V1(inkpg_combine);
PG_FUNCTION_INFO_V1(inkpg_serialise);
PG_FUNCTION_INFO_V1(inkpg_deserialise);

Datum inkpg_finish(PG_FUNCTION_ARGS)
{
    room                made = {0};
    const inksql_output output = {room_of, &made};
    inksql_value        result;
    inksql_error        error;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    if (inksql_finish(&((group *)PG_GETARG_POINTER(0))->state, &output, &result, &error) != INK_OK)
        raise_error(&error, &made);
    return give_value(fcinfo, &result, &made);
}

Datum inkpg_finish_count(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(0))
        PG_RETURN_INT64(0);
    return inkpg_finish(fcinfo);
}

Datum inkpg_combine(PG_FUNCTION_ARGS)
{
    group       *into = PG_ARGISNULL(0) ? NULL : (group *)PG_GETARG_POINTER(0);
    inksql_error error;

    if (PG_ARGISNULL(1)) {
        if (into == NULL)
            PG_RETURN_NULL();
        PG_RETURN_POINTER(into);
    }
    const group *from = (const group *)PG_GETARG_POINTER(1);
    if (into == NULL)
        into = group_of_aggregate(fcinfo, from->state.function);
    if (inksql_state_merge(&into->state, &from->state, &error) != INK_OK)
        raise_error(&error, NULL);
    PG_RETURN_POINTER(into);
}

/* The id of the function, and the state. */
Datum inkpg_serialise(PG_FUNCTION_ARGS)
{
    const group        *g = (const group *)PG_GETARG_POINTER(0);
    room                made = {.before = sizeof(inksql_id)};
    const inksql_output output = {room_of, &made};
    inksql_value        result;
    inksql_error        error;

    if (inksql_state_encode(&g->state, &output, &result, &error) != INK_OK)
        raise_error(&error, &made);
    memcpy(VARDATA(made.made), &g->state.function->id, sizeof(inksql_id));
    PG_RETURN_BYTEA_P(made.made);
}

/* A state that is merged at once, and then forgotten. */
Datum inkpg_deserialise(PG_FUNCTION_ARGS)
{
    bytea       *from = PG_GETARG_BYTEA_PP(0);
    const char  *data = VARDATA_ANY(from);
    const size_t bytes = bytes_of(from);
    inksql_id    id = INKSQL_FUNCTIONS;
    inksql_error error;

    if (bytes >= sizeof id)
        memcpy(&id, data, sizeof id);
    if (id >= INKSQL_FUNCTIONS || inksql_functions[id].shape != INKSQL_AGGREGATE)
        elog(ERROR, "inkling: a state of no aggregate");
    group *made = make_group(CurrentMemoryContext, &inksql_functions[id]);
    if (inksql_state_decode(&made->state, data + sizeof id, bytes - sizeof id, &error) != INK_OK)
        raise_error(&error, NULL);
    PG_RETURN_POINTER(made);
}

/* ---- Scalars ----------------------------------------------------------------------------- */

static void check_files(const inksql_function *function)
{
    if (function->opens_files && !has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("%s: permission denied, expected a role that has the privileges of "
                               "pg_read_server_files",
                               function->name)));
}

static void keep_opened(memo *mine, inksql_opened *opened)
{
    inksql_release(mine->opened);
    mine->opened = opened;
}

/* A path is looked up once for each statement and role: PL/pgSQL keeps what is called for as long
 * as a transaction. */
static void open_path(memo *mine, const inksql_value *path)
{
    const TimestampTz now = GetCurrentStatementStartTimestamp();
    inksql_opened    *opened;
    inksql_error      error;

    if (mine->opened != NULL && mine->looked == now && mine->role == GetUserId() &&
        mine->path_bytes == path->bytes && memcmp(mine->path, path->data, path->bytes) == 0)
        return;
    check_files(mine->function);
    if (inksql_cache_file(mine->cache, mine->function, path->data, path->bytes, &opened, &error) !=
        INK_OK)
        raise_error(&error, NULL);
    keep_opened(mine, opened);
    if (mine->path != NULL)
        pfree(mine->path);
    mine->path = MemoryContextAlloc(mine->allocator.host, path->bytes);
    memcpy(mine->path, path->data, path->bytes);
    mine->path_bytes = path->bytes;
    mine->looked = now;
    mine->role = GetUserId();
}

/* A toasted value is known by where it is stored, for as long as a query lasts; any other, by its
 * header and directory. */
static void open_value(memo *mine, Datum datum)
{
    struct varlena        *stored = (struct varlena *)DatumGetPointer(datum);
    const bool             toasted = VARATT_IS_EXTERNAL_ONDISK(stored);
    struct varatt_external toast = {0};
    inksql_opened         *opened;
    inksql_error           error;

    if (toasted) {
        VARATT_EXTERNAL_GET_POINTER(toast, stored);
        if (mine->opened != NULL && memcmp(&toast, &mine->toast, sizeof toast) == 0)
            return;
    }
    const struct varlena *packed = PG_DETOAST_DATUM_PACKED(datum);
    if (inksql_cache_value(mine->cache, mine->function, VARDATA_ANY(packed), bytes_of(packed),
                           &opened, &error) != INK_OK)
        raise_error(&error, NULL);
    keep_opened(mine, opened);
    mine->toast = toast;
    if ((const void *)packed != (const void *)stored)
        pfree((void *)(uintptr_t)packed);
}

/* ink_contains and its like: the sketch is opened once. */
static Datum ask(FunctionCallInfo fcinfo, inksql_id id)
{
    memo        *mine = memo_of(fcinfo, id, 0);
    inksql_value values[2], result;
    inksql_error error;

    if (mine->cache == NULL) {
        mine->cache = inksql_cache_create(&mine->allocator);
        if (mine->cache == NULL)
            ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    }
    read_value(mine, 1, &fcinfo->args[1], &values[1]);
    if (mine->function->opens_files) {
        read_value(mine, 0, &fcinfo->args[0], &values[0]);
        open_path(mine, &values[0]);
    } else
        open_value(mine, fcinfo->args[0].value);
    values[0] = (inksql_value){.type = INKSQL_OPENED, .opened = mine->opened};
    if (inksql_call(mine->function, mine->cache, values, 2, &mine->allocator, NULL, &result,
                    &error) != INK_OK)
        raise_error(&error, NULL);
    return give_value(fcinfo, &result, NULL);
}

static Datum call(FunctionCallInfo fcinfo, inksql_id id)
{
    memo               *mine = memo_of(fcinfo, id, 0);
    const ink_allocator here = allocator_in(CurrentMemoryContext);
    room                made = {0};
    const inksql_output output = {room_of, &made};
    inksql_value        few[FEW_ARGUMENTS], *values = few, result;
    inksql_error        error;

    if (mine->function->gives == INKSQL_GIVES_BOOLEAN || strcmp(mine->function->forms, "SK") == 0)
        return ask(fcinfo, id);
    if (mine->count > FEW_ARGUMENTS)
        values = palloc((size_t)mine->count * sizeof *values);
    for (int i = 0; i < mine->count; i++)
        read_value(mine, i, &fcinfo->args[i], &values[i]);
    if (inksql_call(mine->function, NULL, values, (size_t)mine->count, &here, &output, &result,
                    &error) != INK_OK)
        raise_error(&error, &made);
    return give_value(fcinfo, &result, &made);
}

/* ---- Tables ------------------------------------------------------------------------------ */

/* A column as a value, in the current context. Texts are UTF-8. */
static Datum datum_of(const inksql_value *value)
{
    struct varlena *made;
    char           *ended;

    switch (value->type) {
    case INKSQL_INT:
        return Int64GetDatum(value->whole);
    case INKSQL_TEXT:
        ended = pnstrdup(value->data, value->bytes);
        return CStringGetTextDatum(pg_any_to_server(ended, (int)value->bytes, PG_UTF8));
    default:
        if (value->bytes > MaxAllocSize - VARHDRSZ)
            ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                            errmsg("a value of %zu bytes, expected fewer than %zu", value->bytes,
                                   (size_t)MaxAllocSize)));
        made = palloc(VARHDRSZ + value->bytes);
        SET_VARSIZE(made, VARHDRSZ + value->bytes);
        memcpy(VARDATA(made), value->data, value->bytes);
        return PointerGetDatum(made);
    }
}

static void put_row(const ReturnSetInfo *into, const inksql_value *columns)
{
    Datum datums[INKSQL_COLUMNS_MAX];
    bool  nulls[INKSQL_COLUMNS_MAX];

    for (int i = 0; i < INKSQL_COLUMNS_MAX; i++) {
        nulls[i] = columns[i].type == INKSQL_NULL;
        datums[i] = nulls[i] ? (Datum)0 : datum_of(&columns[i]);
    }
    tuplestore_putvalues(into->setResult, into->setDesc, datums, nulls);
}

static Datum table(FunctionCallInfo fcinfo, inksql_id id)
{
    memo               *mine = memo_of(fcinfo, id, 0);
    const ink_allocator here = allocator_in(CurrentMemoryContext);
    MemoryContext       row, before;
    inksql_value        values[2], columns[INKSQL_COLUMNS_MAX];
    inksql_rows        *rows;
    inksql_error        error;
    bool                more = true;

    check_files(mine->function);
    InitMaterializedSRF(fcinfo, 0);
    for (int i = 0; i < mine->count; i++)
        read_value(mine, i, &fcinfo->args[i], &values[i]);
    if (inksql_rows_open(&rows, mine->function, values, (size_t)mine->count, &here, &error) !=
        INK_OK)
        raise_error(&error, NULL);
    row = AllocSetContextCreate(CurrentMemoryContext, "inkling row", ALLOCSET_SMALL_SIZES);
    before = MemoryContextSwitchTo(row);
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        if (inksql_rows_next(rows, columns, &more, &error) != INK_OK)
            raise_error(&error, NULL);
        if (!more)
            break;
        put_row((const ReturnSetInfo *)fcinfo->resultinfo, columns);
        MemoryContextReset(row);
    }
    MemoryContextSwitchTo(before);
    MemoryContextDelete(row);
    inksql_rows_close(rows);
    PG_RETURN_NULL();
}

/* ---- One C function for each of the list ------------------------------------------------- */

#undef INFO /* a level of elog, and a function */
#define INKPG_AGGREGATE(id) step(fcinfo, INKSQL_##id)
#define INKPG_SCALAR(id) call(fcinfo, INKSQL_##id)
#define INKPG_TABLE(id) table(fcinfo, INKSQL_##id)
#define FUNCTION(id, name, shape, forms, result, kind, text)                                       \
    PG_FUNCTION_INFO_V1(inkpg_##id);                                                               \
    Datum inkpg_##id(PG_FUNCTION_ARGS)                                                             \
    {                                                                                              \
        return INKPG_##shape(id);                                                                  \
    }
#include "function_list.h"
#undef FUNCTION

/* ---- The type ---------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(inkpg_in);
PG_FUNCTION_INFO_V1(inkpg_out);
PG_FUNCTION_INFO_V1(inkpg_receive);
PG_FUNCTION_INFO_V1(inkpg_send);
PG_FUNCTION_INFO_V1(inkpg_from_bytea);
PG_FUNCTION_INFO_V1(inkpg_equal);
PG_FUNCTION_INFO_V1(inkpg_unequal);
PG_FUNCTION_INFO_V1(inkpg_hash);
PG_FUNCTION_INFO_V1(inkpg_hash_extended);

/* Opens the bytes as a whole file, every byte of which is checked. */
static ink_file *open_whole(const void *data, size_t bytes)
{
    const ink_allocator here = allocator_in(CurrentMemoryContext);
    ink_file           *file;
    ink_error           error;

    if (ink_file_decode(&file, data, bytes, INK_OPEN_CHECKED, &here, &error) != INK_OK)
        raise_value(&error);
    return file;
}

Datum inkpg_in(PG_FUNCTION_ARGS)
{
    const char  *text = PG_GETARG_CSTRING(0);
    const size_t length = strlen(text);
    const int    most = pg_b64_dec_len((int)length);
    bytea       *made = palloc((size_t)most + VARHDRSZ);
#if PG_VERSION_NUM >= 180000
    const int bytes = pg_b64_decode(text, (int)length, (uint8 *)VARDATA(made), most);
#else
    const int bytes = pg_b64_decode(text, (int)length, VARDATA(made), most);
#endif

    if (bytes < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("ink: a text that is no base64, expected that of an .ink file")));
    SET_VARSIZE(made, (size_t)bytes + VARHDRSZ);
    ink_file_close(open_whole(VARDATA(made), (size_t)bytes));
    PG_RETURN_BYTEA_P(made);
}

Datum inkpg_out(PG_FUNCTION_ARGS)
{
    bytea *value = PG_GETARG_BYTEA_PP(0);
    int    bytes = (int)bytes_of(value), length = pg_b64_enc_len(bytes);
    char  *text = palloc((size_t)length + 1);

#if PG_VERSION_NUM >= 180000
    length = pg_b64_encode((const uint8 *)VARDATA_ANY(value), bytes, text, length);
#else
    length = pg_b64_encode(VARDATA_ANY(value), bytes, text, length);
#endif
    text[length] = '\0';
    PG_RETURN_CSTRING(text);
}

Datum inkpg_receive(PG_FUNCTION_ARGS)
{
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    const int  bytes = message->len - message->cursor;
    bytea     *made = palloc((size_t)bytes + VARHDRSZ);

    SET_VARSIZE(made, (size_t)bytes + VARHDRSZ);
    pq_copymsgbytes(message, VARDATA(made), bytes);
    ink_file_close(open_whole(VARDATA(made), (size_t)bytes));
    PG_RETURN_BYTEA_P(made);
}

Datum inkpg_send(PG_FUNCTION_ARGS)
{
    PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}

Datum inkpg_from_bytea(PG_FUNCTION_ARGS)
{
    bytea *value = PG_GETARG_BYTEA_PP(0);

    ink_file_close(open_whole(VARDATA_ANY(value), bytes_of(value)));
    PG_RETURN_BYTEA_P(value);
}

static void digest_of(const bytea *value, uint8_t digest[INK_DIGEST_BYTES])
{
    ink_file  *file = open_whole(VARDATA_ANY(value), bytes_of(value));
    ink_error  error;
    ink_status status = ink_file_digest(file, digest, &error);

    ink_file_close(file);
    if (status != INK_OK)
        raise_value(&error);
}

/* Of equal content, by digest; equal bytes need none. */
static bool are_equal(const bytea *a, const bytea *b)
{
    uint8_t digests[2][INK_DIGEST_BYTES];

    if (bytes_of(a) == bytes_of(b) && memcmp(VARDATA_ANY(a), VARDATA_ANY(b), bytes_of(a)) == 0)
        return true;
    digest_of(a, digests[0]);
    digest_of(b, digests[1]);
    return memcmp(digests[0], digests[1], INK_DIGEST_BYTES) == 0;
}

Datum inkpg_equal(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(are_equal(PG_GETARG_BYTEA_PP(0), PG_GETARG_BYTEA_PP(1)));
}

Datum inkpg_unequal(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(!are_equal(PG_GETARG_BYTEA_PP(0), PG_GETARG_BYTEA_PP(1)));
}

Datum inkpg_hash(PG_FUNCTION_ARGS)
{
    uint8_t digest[INK_DIGEST_BYTES];

    digest_of(PG_GETARG_BYTEA_PP(0), digest);
    PG_RETURN_UINT32(hash_bytes(digest, sizeof digest));
}

Datum inkpg_hash_extended(PG_FUNCTION_ARGS)
{
    uint8_t digest[INK_DIGEST_BYTES];

    digest_of(PG_GETARG_BYTEA_PP(0), digest);
    PG_RETURN_UINT64(hash_bytes_extended(digest, sizeof digest, (uint64)PG_GETARG_INT64(1)));
}
