/* parquet_file.c - the footer of a Parquet file: from the name of a column to the places of its
 * Bloom filters. Columns are numbered as the leaves of the schema, a tree in depth-first order;
 * each row group has a chunk for each of them. */
#include "format/foreign/parquet_file.h"

#include "base/bits.h"
#include "base/status.h"
#include "format/foreign/thrift.h"

#include <string.h>

enum { MAGIC_BYTES = 4, TAIL_BYTES = 8, PATH_BYTES = 256, DEPTH_MAX = 32, NOTED_MAX = 8 };

typedef struct footer {
    const uint8_t   *bytes;
    uint64_t         start, end;
    uint64_t         schema_at, groups_at; /* the first elements of these lists */
    ink__thrift_list schema, groups;
} footer;

static ink__thrift reader_at(const footer *of, uint64_t at)
{
    return (ink__thrift){of->bytes, at, of->end};
}

bool ink__parquet_is_file(const uint8_t *bytes, uint64_t count)
{
    return count >= MAGIC_BYTES &&
           (memcmp(bytes, "PAR1", MAGIC_BYTES) == 0 || memcmp(bytes, "PARE", MAGIC_BYTES) == 0);
}

/* ---- The schema --------------------------------------------------------------------------- */

/* An element of the schema: a column, or a group of the next elements. */
typedef struct element {
    const uint8_t *name;
    uint64_t       name_bytes;
    int64_t        children, type;
    bool           has_type;
} element;

/* A walk over the columns of the schema. */
typedef struct schema_walk {
    ink__thrift from;
    uint64_t    left;                /* elements */
    unsigned    depth;               /* of groups that are open: the root is the first */
    int64_t     children[DEPTH_MAX]; /* that are left of each ... */
    size_t      ends[DEPTH_MAX];     /* ... and where its path ends */
    char        path[PATH_BYTES];    /* of the column, with dots; cut if it fills all */
    size_t      path_bytes;
    int64_t     type;
} schema_walk;

static schema_walk schema_begin(const footer *of)
{
    return (schema_walk){.from = reader_at(of, of->schema_at), .left = of->schema.count};
}

static ink_status read_element(ink__thrift *from, element *read, ink_error *error)
{
    ink__thrift_field field = {0, INK__THRIFT_STOP};

    *read = (element){0};
    for (;;) {
        INK__TRY(ink__thrift_next(from, &field, error));
        if (field.type == INK__THRIFT_STOP)
            return INK_OK;
        switch (field.id) {
        case 1:
            INK__TRY(ink__thrift_number(from, &field, &read->type, error));
            read->has_type = true;
            break;
        case 4:
            INK__TRY(ink__thrift_text(from, &field, &read->name, &read->name_bytes, error));
            break;
        case 5:
            INK__TRY(ink__thrift_number(from, &field, &read->children, error));
            break;
        default:
            INK__TRY(ink__thrift_skip(from, &field, error));
        }
    }
}

/* Puts a name after the path of the group that holds it. */
static void put_name(schema_walk *walk, const element *read)
{
    size_t used = walk->ends[walk->depth - 1];

    if (used > 0 && used < PATH_BYTES)
        walk->path[used++] = '.';
    uint64_t bytes = read->name_bytes < PATH_BYTES - used ? read->name_bytes : PATH_BYTES - used;
    if (bytes > 0)
        memcpy(walk->path + used, read->name, (size_t)bytes);
    walk->path_bytes = used + (size_t)bytes;
}

static ink_status open_group(schema_walk *walk, int64_t children, ink_error *error)
{
    if (walk->depth == DEPTH_MAX || children < 0)
        return INK__FOREIGN_FAIL(error, walk->from.at,
                                 "a schema of more than %d levels, or a group of %lld elements",
                                 DEPTH_MAX, (long long)children);
    walk->children[walk->depth] = children;
    walk->ends[walk->depth++] = walk->path_bytes;
    return INK_OK;
}

/* Goes on to the next column; *is is false if there is none. */
static ink_status next_column(schema_walk *walk, bool *is, ink_error *error)
{
    element read;

    *is = false;
    while (!*is && walk->left > 0) {
        const bool root = walk->depth == 0;
        walk->left--;
        INK__TRY(read_element(&walk->from, &read, error));
        while (walk->depth > 1 && walk->children[walk->depth - 1] == 0)
            walk->depth--;
        if (!root && walk->children[walk->depth - 1]-- <= 0)
            return INK__FOREIGN_FAIL(error, walk->from.at, "more elements than the schema has");
        if (!root)
            put_name(walk, &read);
        *is = !root && read.has_type && read.children == 0;
        walk->type = read.type;
        if (!*is)
            INK__TRY(open_group(walk, read.children, error));
    }
    return INK_OK;
}

/* Walks to column number `column`, which there is. */
static ink_status find_column(schema_walk *walk, const footer *of, uint64_t column,
                              ink_error *error)
{
    bool is = true;

    *walk = schema_begin(of);
    for (uint64_t i = 0; i <= column && is; i++)
        INK__TRY(next_column(walk, &is, error));
    return INK_OK;
}

/* Columns that a name stands for: one, or all of a group. They follow each other. */
typedef struct column_range {
    uint64_t first, end;
    uint64_t all; /* of the file */
} column_range;

static bool is_named(const schema_walk *walk, const char *name)
{
    const size_t bytes = name == NULL ? 0 : strlen(name);

    return name == NULL || (walk->path_bytes >= bytes && bytes < PATH_BYTES &&
                            memcmp(walk->path, name, bytes) == 0 &&
                            (walk->path_bytes == bytes || walk->path[bytes] == '.'));
}

/* NULL: all columns. An empty range if none has the name. */
static ink_status find_named(const footer *of, const char *name, column_range *range,
                             ink_error *error)
{
    schema_walk walk = schema_begin(of);
    uint64_t    named = 0;
    char        text[64];
    bool        is;

    *range = (column_range){0};
    for (;; range->all++) {
        INK__TRY(next_column(&walk, &is, error));
        if (!is)
            break;
        if (!is_named(&walk, name))
            continue;
        if (named++ == 0)
            range->first = range->all;
        range->end = range->all + 1;
    }
    if (range->end - range->first == named)
        return INK_OK;
    ink__quote(text, sizeof text, name, strlen(name));
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "columns in different places are called \"%s\", expected another {key}", text);
}

/* ---- Row groups --------------------------------------------------------------------------- */

typedef struct chunk {
    bool    has_filter, encrypted, elsewhere;
    int64_t filter_at, filter_bytes; /* -1: it is not said */
} chunk;

static ink_status read_metadata(ink__thrift *from, chunk *read, ink_error *error)
{
    ink__thrift_field field = {0, INK__THRIFT_STOP};

    for (;;) {
        INK__TRY(ink__thrift_next(from, &field, error));
        if (field.type == INK__THRIFT_STOP)
            return INK_OK;
        if (field.id == 14) {
            INK__TRY(ink__thrift_number(from, &field, &read->filter_at, error));
            read->has_filter = true;
        } else if (field.id == 15)
            INK__TRY(ink__thrift_number(from, &field, &read->filter_bytes, error));
        else
            INK__TRY(ink__thrift_skip(from, &field, error));
    }
}

static ink_status read_chunk(ink__thrift *from, chunk *read, ink_error *error)
{
    ink__thrift_field field = {0, INK__THRIFT_STOP};

    *read = (chunk){.filter_bytes = -1};
    for (;;) {
        INK__TRY(ink__thrift_next(from, &field, error));
        if (field.type == INK__THRIFT_STOP)
            return INK_OK;
        read->elsewhere = read->elsewhere || field.id == 1;
        read->encrypted = read->encrypted || field.id == 8;
        if (field.id == 3) {
            INK__TRY(ink__thrift_struct(from, &field, error));
            INK__TRY(read_metadata(from, read, error));
        } else
            INK__TRY(ink__thrift_skip(from, &field, error));
    }
}

/* What is found out about the columns of a range. */
typedef struct found {
    uint64_t columns[NOTED_MAX]; /* that have filters, the first ones of these */
    unsigned count;
    bool     encrypted; /* some of the range is */
    chunk    last;      /* of the range, in the row group that was read last */
} found;

static void note(found *into, uint64_t column)
{
    unsigned i = 0;

    while (i < into->count && into->columns[i] != column)
        i++;
    if (i == into->count && i < NOTED_MAX)
        into->columns[into->count++] = column;
}

static ink_status read_chunks(ink__thrift *from, const ink__thrift_list *chunks,
                              const column_range *range, found *into, ink_error *error)
{
    chunk read;

    if (chunks->count != range->all)
        return INK__FOREIGN_FAIL(error, from->at,
                                 "a row group of %llu columns, expected %llu as in the schema",
                                 (unsigned long long)chunks->count, (unsigned long long)range->all);
    for (uint64_t i = 0; i < chunks->count; i++) {
        INK__TRY(read_chunk(from, &read, error));
        if (i < range->first || i >= range->end)
            continue;
        into->last = read;
        into->encrypted = into->encrypted || read.encrypted;
        if (read.has_filter && !read.encrypted)
            note(into, i);
    }
    return INK_OK;
}

static ink_status read_group(ink__thrift *from, const column_range *range, found *into,
                             ink_error *error)
{
    ink__thrift_field field = {0, INK__THRIFT_STOP};
    ink__thrift_list  chunks;
    bool              has_columns = false;

    for (;;) {
        INK__TRY(ink__thrift_next(from, &field, error));
        if (field.type == INK__THRIFT_STOP)
            break;
        if (field.id == 1) {
            INK__TRY(ink__thrift_structs(from, &field, &chunks, error));
            INK__TRY(read_chunks(from, &chunks, range, into, error));
            has_columns = true;
        } else
            INK__TRY(ink__thrift_skip(from, &field, error));
    }
    if (has_columns)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, from->at, "a row group without columns");
}

/* ---- Footer ------------------------------------------------------------------------------- */

static ink_status find_footer(const ink__foreign_file *file, footer *of, ink_error *error)
{
    const uint64_t count = file->count;

    if (memcmp(file->bytes, "PARE", MAGIC_BYTES) == 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "a Parquet file whose footer is encrypted, expected a plain one");
    if (count < MAGIC_BYTES + TAIL_BYTES ||
        memcmp(file->bytes + count - MAGIC_BYTES, "PAR1", MAGIC_BYTES) != 0)
        return INK__FOREIGN_FAIL(error, count < MAGIC_BYTES ? 0 : count - MAGIC_BYTES,
                                 "a Parquet file that does not end with PAR1");
    const uint64_t bytes = ink__load_u32(file->bytes + count - TAIL_BYTES);
    if (bytes > count - TAIL_BYTES - MAGIC_BYTES)
        return INK__FOREIGN_FAIL(error, count - TAIL_BYTES,
                                 "a footer of %llu bytes, but the file has %llu",
                                 (unsigned long long)bytes, (unsigned long long)count);
    of->bytes = file->bytes;
    of->end = count - TAIL_BYTES;
    of->start = of->end - bytes;
    return INK_OK;
}

/* Finds schema and row groups, and reads the footer to its end. */
static ink_status read_footer(footer *of, ink_error *error)
{
    ink__thrift       from = reader_at(of, of->start);
    ink__thrift_field field = {0, INK__THRIFT_STOP};

    for (;;) {
        INK__TRY(ink__thrift_next(&from, &field, error));
        if (field.type == INK__THRIFT_STOP)
            break;
        if (field.id != 2 && field.id != 4) {
            INK__TRY(ink__thrift_skip(&from, &field, error));
            continue;
        }
        ink__thrift_list *list = field.id == 2 ? &of->schema : &of->groups;
        INK__TRY(ink__thrift_structs(&from, &field, list, error));
        *(field.id == 2 ? &of->schema_at : &of->groups_at) = from.at;
        INK__TRY(ink__thrift_skip_list(&from, list, error));
    }
    if (of->schema_at != 0 && of->groups_at != 0)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, of->start, "a footer without %s",
                             of->schema_at == 0 ? "a schema" : "row groups");
}

/* ---- The column --------------------------------------------------------------------------- */

/* The name of a column, for a message. */
static void put_column(const footer *of, uint64_t column, char *text, size_t room)
{
    schema_walk walk;

    text[0] = '\0';
    if (find_column(&walk, of, column, NULL) == INK_OK)
        ink__quote(text, room, walk.path, walk.path_bytes);
}

/* The columns that were noted, as a list. */
static void put_columns(const footer *of, const found *have, char *text, size_t room)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < have->count && used + 32 < room; i++) {
        used += ink__format(text + used, room - used, "%s", i == 0 ? "" : ", ");
        put_column(of, have->columns[i], text + used, room - used);
        used += strlen(text + used);
    }
}

/* The columns of a range that have filters, in any row group. */
static ink_status find_filters(const footer *of, const column_range *range, found *have,
                               ink_error *error)
{
    ink__thrift from = reader_at(of, of->groups_at);

    *have = (found){0};
    for (uint64_t i = 0; i < of->groups.count; i++)
        INK__TRY(read_group(&from, range, have, error));
    return INK_OK;
}

/* No column that is named has a filter: which have? */
static ink_status fail_without(const footer *of, const char *name, const column_range *range,
                               const found *named, ink_error *error)
{
    column_range all = {0, range->all, range->all};
    found        have;
    char         text[64], list[120];

    if (named->encrypted)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "encrypted columns, expected one that is not");
    INK__TRY(find_filters(of, &all, &have, error));
    if (have.count == 0)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "a Parquet file without Bloom filters, expected some, or records as text");
    put_columns(of, &have, list, sizeof list);
    ink__quote(text, sizeof text, name, strlen(name));
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     range->end == 0 ? "no column \"%s\", expected one with Bloom filters: %s"
                                     : "column \"%s\" has no Bloom filters, expected one of %s",
                     text, list);
}

static ink_status choose_column(const footer *of, const ink_foreign_options *options,
                                column_range *range, ink_error *error)
{
    const char *name = options->column;
    found       have;
    char        list[160];

    INK__TRY(find_named(of, name, range, error));
    if (range->end == 0 && options->column_of_data)
        INK__TRY(find_named(of, name = NULL, range, error));
    INK__TRY(find_filters(of, range, &have, error));
    if (have.count == 0)
        return fail_without(of, name, range, &have, error);
    if (have.count > 1) {
        put_columns(of, &have, list, sizeof list);
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "Bloom filters of several columns, expected one of them ({key}): %s",
                         list);
    }
    range->first = have.columns[0];
    range->end = range->first + 1;
    return INK_OK;
}

static ink_status check_type(const footer *of, uint64_t column, uint64_t *type, ink_error *error)
{
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    enum { TYPES = sizeof names / sizeof names[0] };
    schema_walk walk;
    char        text[64];

    INK__TRY(find_column(&walk, of, column, error));
    *type = (uint64_t)walk.type;
    if (*type == INK__PARQUET_INT32 || *type == INK__PARQUET_INT64 || *type == INK__PARQUET_BYTES ||
        *type == INK__PARQUET_FIXED)
        return INK_OK;
    put_column(of, column, text, sizeof text);
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "column \"%s\" is of type %s, expected INT32, INT64, BYTE_ARRAY or "
                     "FIXED_LEN_BYTE_ARRAY",
                     text, *type < TYPES ? names[*type] : "unknown");
}

/* ---- Filters ------------------------------------------------------------------------------ */

/* The chunk of the column in the row group that `from` is at, which must have a filter. */
static ink_status take_group(ink__thrift *from, const footer *of, const column_range *range,
                             uint64_t index, chunk *read, ink_error *error)
{
    const unsigned long long number = index;
    const uint64_t           at = from->at;
    found                    have = {0};

    INK__TRY(read_group(from, range, &have, error));
    *read = have.last;
    if (read->encrypted || read->elsewhere)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "row group %llu: the column is %s, expected it plain, in this file",
                         number, read->encrypted ? "encrypted" : "in another file");
    if (!read->has_filter)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "row group %llu has no Bloom filter of the column, expected one in each: "
                         "its keys would be denied",
                         number);
    if (read->filter_at < MAGIC_BYTES || (uint64_t)read->filter_at >= of->start)
        return INK__FOREIGN_FAIL(error, at,
                                 "row group %llu: a Bloom filter at byte %lld, expected one before "
                                 "the footer at %llu",
                                 number, (long long)read->filter_at, (unsigned long long)of->start);
    return INK_OK;
}

/* What is kept from one row group to the next. */
enum { NEXT_AT, NEXT_GROUPS, NEXT_COLUMN, NEXT_COLUMNS, NEXT_TYPE, NEXT_START };

static ink_status begin(const ink__foreign_file *file, footer *of, uint64_t next[INK__FOREIGN_NEXT],
                        ink_error *error)
{
    column_range range;
    chunk        read;

    INK__TRY(read_footer(of, error));
    INK__TRY(choose_column(of, file->options, &range, error));
    INK__TRY(check_type(of, range.first, &next[NEXT_TYPE], error));
    ink__thrift from = reader_at(of, of->groups_at);
    for (uint64_t i = 0; i < of->groups.count; i++)
        INK__TRY(take_group(&from, of, &range, i, &read, error));
    next[NEXT_AT] = of->groups_at;
    next[NEXT_GROUPS] = of->groups.count;
    next[NEXT_COLUMN] = range.first;
    next[NEXT_COLUMNS] = range.all;
    return INK_OK;
}

ink_status ink__parquet_find(const ink__foreign_file *file, uint64_t index,
                             uint64_t next[INK__FOREIGN_NEXT], ink__parquet_filter *filter,
                             ink_error *error)
{
    footer of = {0};
    chunk  read;

    INK__TRY(find_footer(file, &of, error));
    if (index == 0)
        INK__TRY(begin(file, &of, next, error));
    const column_range range = {next[NEXT_COLUMN], next[NEXT_COLUMN] + 1, next[NEXT_COLUMNS]};
    ink__thrift        from = reader_at(&of, next[NEXT_AT]);
    INK__TRY(take_group(&from, &of, &range, index, &read, error));
    next[NEXT_AT] = from.at;
    *filter = (ink__parquet_filter){
        .at = (uint64_t)read.filter_at,
        .end = of.start,
        .type = next[NEXT_TYPE],
        .more = index + 1 < next[NEXT_GROUPS],
    };
    if (read.filter_bytes >= 0 && (uint64_t)read.filter_bytes < of.start - filter->at)
        filter->end = filter->at + (uint64_t)read.filter_bytes;
    return INK_OK;
}
