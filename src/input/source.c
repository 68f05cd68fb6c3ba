/* source.c - inputs as chunks of whole records. */
#include "input/source.h"

#include "base/files.h"
#include "base/memory.h"
#include "input/lines.h"

#include <string.h>

#define RECORD_BYTES_MAX ((uint64_t)1 << 31)

/* A mapped file, for as long as the source or a chunk needs it. */
struct ink__source_map {
    const uint8_t *bytes;
    uint64_t       count;
    uint64_t       users;
};

struct ink__source {
    ink_allocator          allocator;
    const ink__input_part *parts;
    size_t                 part_count;
    uint8_t                end;
    uint64_t               chunk_bytes;

    size_t           part; /* the one that is read now, if it is open: */
    bool             open;
    ink__input       input;        /* a stream; a mapped file is closed at once */
    ink__source_map *map;          /* or NULL */
    uint64_t         cursor, stop; /* of a map: from here on, records that start before that */
    uint64_t         record;       /* of a stream: the number of the next one ... */
    uint8_t         *carry;        /* ... whose first bytes have been read already */
    uint64_t         carry_bytes, carry_room;
};

/* ---- Maps --------------------------------------------------------------------------------- */

static void leave_map(ink__source *source, ink__source_map *map)
{
    if (map == NULL || --map->users > 0)
        return;
    ink__unmap(map->bytes, map->count);
    ink__release(&source->allocator, map, sizeof *map);
}

static ink_status map_input(ink__source *source, ink__input *input, ink_error *error)
{
    void *memory;

    INK__TRY(ink__allocate(&source->allocator, sizeof *source->map, &memory, error));
    ink__source_map *map = memory;
    *map = (ink__source_map){.count = input->bytes, .users = 1};
    ink_status status = ink__input_map(input, &map->bytes, error);
    if (status != INK_OK) {
        ink__release(&source->allocator, map, sizeof *map);
        return status;
    }
    source->map = map;
    return INK_OK;
}

/* ---- Life --------------------------------------------------------------------------------- */

ink_status ink__source_create(ink__source **source, const ink__input_part *parts, size_t count,
                              uint8_t end, uint64_t chunk_bytes, const ink_allocator *allocator,
                              ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    void         *object;

    INK__TRY(ink__allocate(&memory, sizeof **source, &object, error));
    *source = object;
    **source = (ink__source){
        .allocator = memory,
        .parts = parts,
        .part_count = count,
        .end = end,
        .chunk_bytes = chunk_bytes,
    };
    return INK_OK;
}

/* Ends the part that is read. */
static void close_part(ink__source *source)
{
    if (source->open && source->map == NULL)
        ink__input_close(&source->input);
    leave_map(source, source->map);
    source->map = NULL;
    source->open = false;
}

void ink__source_free(ink__source *source)
{
    if (source == NULL)
        return;
    ink_allocator memory = source->allocator;

    close_part(source);
    ink__release(&memory, source->carry, source->carry_room);
    ink__release(&memory, source, sizeof *source);
}

void ink__source_release(ink__source *source, ink__chunk *chunk)
{
    leave_map(source, chunk->map);
    ink__release(&source->allocator, chunk->buffer, chunk->room);
    *chunk = (ink__chunk){0};
}

/* ---- Opening a part ----------------------------------------------------------------------- */

/* A split starts with the first record that starts in it: behind the first end from the byte before
 * it on. */
static void start_map(ink__source *source, const ink__input_part *part)
{
    const ink__source_map *map = source->map;
    uint64_t left = map->count - (part->offset < map->count ? part->offset : map->count);

    source->stop = part->bytes < left ? map->count - left + part->bytes : map->count;
    source->cursor = map->count - left;
    if (part->offset > 0 && left > 0)
        source->cursor +=
            ink__lines_after_first(map->bytes + part->offset - 1, left + 1, source->end) - 1;
}

static ink_status open_part(ink__source *source, ink_error *error)
{
    const ink__input_part *part = &source->parts[source->part];
    bool                   whole = part->offset == 0 && part->bytes == UINT64_MAX;

    INK__TRY(ink__input_open_any(&source->input, part->path, error));
    source->record = 1;
    source->carry_bytes = 0;
    source->cursor = source->stop = 0;
    /* Standard input may have been read in part by somebody before us. */
    if (source->input.regular && !source->input.lent && source->input.bytes > 0) {
        ink_status status = map_input(source, &source->input, error);
        ink__input_close(&source->input);
        INK__TRY(status);
        start_map(source, part);
    } else if (!whole && !(source->input.regular && source->input.bytes == 0)) {
        ink__input_close(&source->input);
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a split of what can only be read from its start");
    }
    source->open = true;
    return INK_OK;
}

/* ---- Chunks ------------------------------------------------------------------------------- */

static void next_mapped(ink__source *source, ink__chunk *chunk)
{
    ink__source_map *map = source->map;
    uint64_t         from = source->cursor, to = source->stop;

    if (source->chunk_bytes < to - from)
        to = from + source->chunk_bytes;
    if (to < map->count) /* the record that holds the last byte is taken whole */
        to += ink__lines_after_first(map->bytes + to - 1, map->count - to + 1, source->end) - 1;
    source->cursor = to;
    map->users++;
    chunk->map = map;
    chunk->bytes = map->bytes + from;
    chunk->count = to - from;
    chunk->offset = from;
    chunk->record = 0;
}

/* Makes room for so many bytes, of which so many are used. */
static ink_status make_room(const ink__source *source, uint8_t **bytes, uint64_t *room,
                            uint64_t used, uint64_t wanted, ink_error *error)
{
    void *memory = *bytes;

    if (wanted <= *room)
        return INK_OK;
    INK__TRY(ink__grow(&source->allocator, &memory, room, used, wanted, error));
    *bytes = memory;
    return INK_OK;
}

/* Reads on until there is a whole record, or the end. */
static ink_status next_read(ink__source *source, ink__chunk *chunk, ink_error *error)
{
    uint64_t used = source->carry_bytes, whole = 0, more;
    uint64_t wanted = used + source->chunk_bytes;

    INK__TRY(make_room(source, &chunk->buffer, &chunk->room, 0, wanted, error));
    if (used > 0)
        memcpy(chunk->buffer, source->carry, used);
    for (;;) {
        INK__TRY(ink__input_read_some(&source->input, chunk->buffer + used, wanted - used, &more,
                                      error));
        used += more;
        bool ended = used < wanted;
        whole = ended ? used : ink__lines_after_last(chunk->buffer, used, source->end);
        if (whole > 0 || ended)
            break;
        if (used >= RECORD_BYTES_MAX)
            return ink__fail(error, INK_LIMIT, INK_AT_LINE, source->record,
                             "a record of 2^31 bytes or more");
        wanted = 2 * used < RECORD_BYTES_MAX ? 2 * used : RECORD_BYTES_MAX;
        INK__TRY(make_room(source, &chunk->buffer, &chunk->room, used, wanted, error));
    }
    INK__TRY(make_room(source, &source->carry, &source->carry_room, 0, used - whole, error));
    if (used > whole)
        memcpy(source->carry, chunk->buffer + whole, used - whole);
    source->carry_bytes = used - whole;
    chunk->bytes = chunk->buffer;
    chunk->count = whole;
    chunk->offset = source->cursor;
    chunk->record = source->record;
    source->cursor += whole;
    source->record += ink__lines_count(chunk->buffer, whole, source->end);
    return INK_OK;
}

/* Fills the chunk from the part that is open; leaves it empty if there is nothing more in it. */
static ink_status next_of_part(ink__source *source, ink__chunk *chunk, ink_error *error)
{
    if (source->map == NULL)
        return next_read(source, chunk, error);
    if (source->cursor < source->stop)
        next_mapped(source, chunk);
    return INK_OK;
}

ink_status ink__source_next(ink__source *source, ink__chunk *chunk, bool *more, size_t *input,
                            ink_error *error)
{
    leave_map(source, chunk->map);
    chunk->map = NULL;
    chunk->bytes = NULL;
    chunk->count = 0;
    while (source->part < source->part_count) {
        ink_status status = source->open ? INK_OK : open_part(source, error);
        if (status == INK_OK)
            status = next_of_part(source, chunk, error);
        if (status != INK_OK) {
            if (input != NULL)
                *input = source->part;
            return status;
        }
        chunk->input = source->part;
        if (chunk->count > 0) {
            *more = true;
            return INK_OK;
        }
        close_part(source);
        source->part++;
    }
    *more = false;
    return INK_OK;
}

uint64_t ink__source_record(const ink__source *source, const ink__chunk *chunk, uint64_t at)
{
    uint64_t before = chunk->map == NULL
                          ? chunk->record
                          : 1 + ink__lines_count(chunk->map->bytes, chunk->offset, source->end);

    return before + ink__lines_count(chunk->bytes, at, source->end);
}
