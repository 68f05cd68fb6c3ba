/* tables.c - functions that give rows: the most frequent keys of a sketch, and the sketches of a
 * file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"
#include "memory.h"
#include "opened.h"

#include <stdio.h>
#include <string.h>

enum { KEYS_DEFAULT = 10, PATH_BYTES = 4096 };

struct inksql_rows {
    const inksql_function *function;
    const ink_allocator   *allocator;
    size_t                 count, at;
    ink_sketch            *sketch; /* whose items these are ... */
    ink_item              *items;
    size_t                 room;
    ink_file              *file; /* ... or the file, and the sketch of the row as bytes */
    uint8_t               *encoded;
    size_t                 encoded_bytes;
    char                  *text; /* of the row */
    size_t                 text_bytes;
};

static ink_status no_memory(const inksql_rows *rows, size_t bytes, inksql_error *error)
{
    return inksql_fail(error, rows->function, INK_MEMORY, "no memory for %zu bytes", bytes);
}

/* Bytes as a text: those that are none, or have a NUL, as \x and hex digits. */
static ink_status put_text(inksql_rows *rows, const void *data, size_t bytes, inksql_value *value,
                           inksql_error *error)
{
    if (ink_is_utf8(data, bytes) && (bytes == 0 || memchr(data, '\0', bytes) == NULL)) {
        *value = (inksql_value){.type = INKSQL_TEXT, .data = data, .bytes = bytes};
        return INK_OK;
    }
    inksql_give_back(rows->allocator, rows->text, rows->text_bytes);
    rows->text_bytes = 2 * bytes + 3;
    rows->text = inksql_resize(rows->allocator, NULL, 0, rows->text_bytes);
    if (rows->text == NULL)
        return no_memory(rows, rows->text_bytes, error);
    memcpy(rows->text, "\\x", 2);
    const size_t digits = ink_hex_text(data, bytes, rows->text + 2, rows->text_bytes - 2);
    *value = (inksql_value){.type = INKSQL_TEXT, .data = rows->text, .bytes = 2 + digits};
    return INK_OK;
}

/* ---- ink_top_keys ------------------------------------------------------------------------ */

static ink_status open_top(inksql_rows *rows, const inksql_value *arguments, size_t count,
                           inksql_error *error)
{
    int64_t         k = count > 1 ? arguments[1].whole : KEYS_DEFAULT;
    ink_description described;
    ink_error       failed;

    if (arguments[0].type != INKSQL_BYTES || (count > 1 && arguments[1].type != INKSQL_INT))
        return inksql_fail(error, rows->function, INK_USAGE,
                           "arguments of other types, expected bytes of a sketch, and an integer");
    if (k < 1)
        return inksql_fail(error, rows->function, INK_USAGE, "k %lld, expected 1 or more",
                           (long long)k);
    if (ink_sketch_decode(&rows->sketch, arguments[0].data, arguments[0].bytes, rows->allocator,
                          &failed) != INK_OK)
        return inksql_fail_as(error, rows->function, &failed);
    ink_sketch_describe(rows->sketch, &described);
    rows->room = (size_t)(2 * described.capacity + 1);
    if ((uint64_t)k < rows->room)
        rows->room = (size_t)k;
    rows->items = inksql_resize(rows->allocator, NULL, 0, rows->room * sizeof *rows->items);
    if (rows->items == NULL)
        return no_memory(rows, rows->room * sizeof *rows->items, error);
    if (ink_sketch_top(rows->sketch, rows->items, rows->room, &rows->count, &failed) != INK_OK)
        return inksql_fail_as(error, rows->function, &failed);
    return INK_OK;
}

static ink_status next_top(inksql_rows *rows, inksql_value *columns, inksql_error *error)
{
    const ink_item *item = &rows->items[rows->at];

    for (int bound = INKSQL_ESTIMATE; bound <= INKSQL_HIGH; bound++)
        columns[1 + bound] = (inksql_value){
            .type = INKSQL_INT, .whole = inksql_whole(&item->count, (inksql_bound)bound)};
    if (item->key != NULL)
        return put_text(rows, item->key, item->key_bytes, &columns[0], error);
    const inksql_value key = {.type = INKSQL_INT, .whole = item->key_int};
    if (rows->text == NULL) {
        rows->text = inksql_resize(rows->allocator, NULL, 0, INKSQL_DIGITS_BYTES);
        if (rows->text == NULL)
            return no_memory(rows, INKSQL_DIGITS_BYTES, error);
        rows->text_bytes = INKSQL_DIGITS_BYTES;
    }
    columns[0].type = INKSQL_TEXT;
    columns[0].data = inksql_key_text(&key, rows->text, &columns[0].bytes);
    return INK_OK;
}

/* ---- ink_read ---------------------------------------------------------------------------- */

static ink_status open_content(inksql_rows *rows, const inksql_value *content, inksql_error *error)
{
    ink_error failed;

    if (ink_file_decode(&rows->file, content->data, content->bytes, INK_OPEN_CHECKED,
                        rows->allocator, &failed) != INK_OK) {
        rows->file = NULL;
        return inksql_fail_as(error, rows->function, &failed);
    }
    return INK_OK;
}

static ink_status open_path(inksql_rows *rows, const inksql_value *path, inksql_error *error)
{
    char      named[PATH_BYTES];
    ink_error failed;

    if (path->type != INKSQL_TEXT || path->bytes == 0 || path->bytes >= sizeof named ||
        memchr(path->data, '\0', path->bytes) != NULL)
        return inksql_fail(error, rows->function, INK_USAGE,
                           "no path, expected a text of 1 to %d bytes, and no NUL", PATH_BYTES - 1);
    memcpy(named, path->data, path->bytes);
    named[path->bytes] = '\0';
    if (ink_file_open(&rows->file, named, INK_OPEN_COPY, rows->allocator, &failed) != INK_OK) {
        inksql_error described;
        rows->file = NULL;
        inksql_fail_as(&described, rows->function, &failed);
        return inksql_fail_in_file(error, rows->function, named, path->bytes, &described);
    }
    return INK_OK;
}

static ink_status open_read(inksql_rows *rows, const inksql_value *path, inksql_error *error)
{
    ink_status status =
        path->type == INKSQL_BYTES ? open_content(rows, path, error) : open_path(rows, path, error);

    if (status == INK_OK)
        rows->count = ink_file_count(rows->file);
    return status;
}

static ink_status next_read(inksql_rows *rows, inksql_value *columns, inksql_error *error)
{
    ink_entry_info info;
    ink_sketch    *sketch;
    ink_error      failed;

    ink_bytes_free(rows->encoded, rows->encoded_bytes, rows->allocator);
    rows->encoded = NULL;
    if (ink_file_entry(rows->file, rows->at, &info, &failed) != INK_OK ||
        ink_file_sketch(rows->file, rows->at, &sketch, &failed) != INK_OK)
        return inksql_fail_as(error, rows->function, &failed);
    ink_status status = ink_sketch_encode(sketch, &rows->encoded, &rows->encoded_bytes, &failed);
    ink_sketch_free(sketch);
    if (status != INK_OK) {
        rows->encoded = NULL;
        return inksql_fail_as(error, rows->function, &failed);
    }
    columns[0] = (inksql_value){.type = INKSQL_TEXT, .data = info.kind, .bytes = strlen(info.kind)};
    if (info.label.has_slot)
        columns[2] = (inksql_value){.type = INKSQL_INT, .whole = info.label.slot};
    columns[3] =
        (inksql_value){.type = INKSQL_BYTES, .data = rows->encoded, .bytes = rows->encoded_bytes};
    if (info.label.group_kind != INK_GROUP_BYTES)
        return INK_OK;
    return put_text(rows, info.label.group, info.label.group_bytes, &columns[1], error);
}

/* ---- Both -------------------------------------------------------------------------------- */

void inksql_rows_close(inksql_rows *rows)
{
    if (rows == NULL)
        return;
    inksql_give_back(rows->allocator, rows->items, rows->room * sizeof *rows->items);
    ink_sketch_free(rows->sketch);
    ink_bytes_free(rows->encoded, rows->encoded_bytes, rows->allocator);
    ink_file_close(rows->file);
    inksql_give_back(rows->allocator, rows->text, rows->text_bytes);
    inksql_give_back(rows->allocator, rows, sizeof *rows);
}

ink_status inksql_rows_open(inksql_rows **rows, const inksql_function *function,
                            const inksql_value *arguments, size_t count,
                            const ink_allocator *allocator, inksql_error *error)
{
    inksql_rows *made = inksql_resize(allocator, NULL, 0, sizeof *made);
    ink_status   status = INK_OK;
    bool         null = false;

    if (made == NULL)
        return inksql_fail(error, function, INK_MEMORY, "no memory for %zu bytes", sizeof *made);
    *made = (inksql_rows){.function = function, .allocator = allocator};
    for (size_t i = 0; i < count; i++)
        null = null || arguments[i].type == INKSQL_NULL;
    if (!null)
        status = function->id == INKSQL_TOP_KEYS ? open_top(made, arguments, count, error)
                                                 : open_read(made, arguments, error);
    if (status == INK_OK)
        *rows = made;
    else
        inksql_rows_close(made);
    return status;
}

ink_status inksql_rows_next(inksql_rows *rows, inksql_value columns[INKSQL_COLUMNS_MAX], bool *more,
                            inksql_error *error)
{
    ink_status status;

    *more = rows->at < rows->count;
    memset(columns, 0, INKSQL_COLUMNS_MAX * sizeof *columns);
    if (!*more)
        return INK_OK;
    status = rows->function->id == INKSQL_TOP_KEYS ? next_top(rows, columns, error)
                                                   : next_read(rows, columns, error);
    if (status == INK_OK)
        rows->at++;
    return status;
}
