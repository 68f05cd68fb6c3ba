/* source.c - inputs as chunks of whole records. */
#include "input/source.h"

#include "base/cleanup.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "base/system.h"
#include "input/records/decompress.h"
#include "net/namenodes.h"
#include "net/webhdfs_reader.h"

#include <stdatomic.h>
#include <string.h>

/* How much more than a chunk is read of a stream at a time, to find the end of its last record. */
#define BEYOND_BYTES ((uint64_t)INK__WEBHDFS_BEYOND_BYTES)

/* Pages of a mapped file are given back by regions of this size: each call interrupts the cores of
 * all other threads, and 2 GB by chunks of 1 MiB took two threads a tenth more CPU time. */
#define REGION_BYTES ((uint64_t)1 << 22)

/* A mapped file, or the caller's memory; it stays as long as the source or a chunk uses it. */
struct ink__source_map {
    const uint8_t   *bytes;
    uint64_t         count;
    uint64_t         users;
    size_t           part;
    bool             lent;           /* the caller's memory, not a file */
    uint64_t         taken;          /* chunks were made up to here */
    uint64_t         device, number; /* which file it is */
    uint64_t         first, stop;    /* what is read of it; in regions from `first` ... */
    _Atomic uint32_t done[];         /* ... the bytes of each that threads are done with */
};

struct ink__source {
    ink_allocator          allocator;
    const ink__input_part *parts;
    size_t                 part_count;
    ink__record_rule       records;
    uint64_t               chunk_bytes;
    ink__source_place      from, until; /* see ink__source_bound */
    const ink__crew       *crew;        /* or NULL */

    size_t             part; /* the one that is read now, if it is open: */
    bool               open;
    ink__decompressor *stream;       /* one that is read, or NULL */
    ink__source_map   *map;          /* or NULL */
    ink__arrow_stream *arrow;        /* or NULL */
    uint64_t           start;        /* of a map: where reading began */
    uint64_t           cursor, stop; /* the next record, and the end of the split */
    uint64_t           record;       /* of a stream: the number of the next one, 0: unknown */
    uint8_t           *carry;        /* its bytes that were read after the last chunk */
    uint64_t           carry_bytes, carry_room;
    uint64_t           taken; /* of the parts before */
    bool               cut;   /* one of these became shorter while it was read: */
    size_t             cut_part;
};

/* ---- Maps --------------------------------------------------------------------------------- */

/* The registry does not know of a file that is shorter than the chunks made of it by less than a
 * page: the rest of its last page reads as zeros, without any signal. */
static bool was_cut(const ink__source *source, const ink__source_map *map)
{
    const char *path = source->parts[map->part].path;
    ink__stat   now;

    return !map->lent &&
           (ink__cleanup_was_cut(map->bytes) ||
            (ink__system_now()->stat_path(path, &now) == 0 && now.device == map->device &&
             now.number == map->number && now.bytes < map->taken));
}

static uint64_t map_room(uint64_t bytes)
{
    return sizeof(ink__source_map) + (bytes / REGION_BYTES + 1) * sizeof(_Atomic uint32_t);
}

static void leave_map(ink__source *source, ink__source_map *map)
{
    if (map == NULL || --map->users > 0)
        return;
    if (was_cut(source, map)) {
        source->cut = true;
        source->cut_part = map->part;
    }
    if (!map->lent)
        ink__unmap(map->bytes, map->count);
    ink__release(&source->allocator, map, map_room(map->lent ? 0 : map->count));
}

/* Maps a file that is not empty, or (NULL) the caller's memory, and finds where to begin. */
static ink_status make_map(ink__source *source, const ink__input_part *part, ink__input *file,
                           ink_error *error)
{
    ink__source_map *map;
    const uint64_t   room = map_room(file == NULL ? 0 : file->bytes);

    INK__TRY(ink__allocate_zeroed(&source->allocator, room, &map, error));
    map->bytes = part->memory;
    map->users = 1;
    map->part = source->part;
    map->lent = file == NULL;
    map->count = file == NULL ? part->memory_bytes : file->bytes;
    ink_status status = file == NULL ? INK_OK : ink__input_map(file, &map->bytes, error);
    if (status != INK_OK) {
        ink__release(&source->allocator, map, room);
        return status;
    }
    if (file != NULL) {
        map->device = file->device;
        map->number = file->number;
        ink__cleanup_watch(map->bytes);
    }
    source->map = map;
    /* A split starts with the first record that starts in it. Quoted records need the whole file
     * from its start: jobs make no splits of them. */
    uint64_t from = part->offset < map->count ? part->offset : map->count;
    source->stop = part->bytes < map->count - from ? from + part->bytes : map->count;
    source->start = from;
    ink__records_start(&source->records, map->bytes, map->count, from, &source->cursor);
    if (source->cursor < from || source->cursor > source->stop)
        source->cursor = source->stop;
    map->first = source->cursor;
    map->stop = source->stop;
    return INK_OK;
}

/* ---- Life --------------------------------------------------------------------------------- */

ink_status ink__source_create(ink__source **source, const ink__input_part *parts, size_t count,
                              const ink__record_rule *records, uint64_t chunk_bytes,
                              const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);

    INK__TRY(ink__allocate_zeroed(&memory, sizeof **source, source, error));
    **source = (ink__source){
        .allocator = memory,
        .parts = parts,
        .part_count = count,
        .records = *records,
        .chunk_bytes = chunk_bytes,
        .until = {count, 0},
    };
    return INK_OK;
}

void ink__source_lend(ink__source *source, const ink__crew *crew)
{
    source->crew = crew;
}

void ink__source_bound(ink__source *source, ink__source_place from, ink__source_place until)
{
    source->from = from;
    source->until = until;
    source->part = from.part;
    source->part_count = until.part + (until.offset > 0);
}

/* Of a split no more than its bytes, though its last record goes on: those are of the next one. */
static uint64_t taken_of_part(const ink__source *source)
{
    if (source->stream != NULL)
        return ink__decompress_taken(source->stream);
    const uint64_t until = source->cursor < source->stop ? source->cursor : source->stop;
    return source->open ? until - source->start : 0;
}

static void close_part(ink__source *source)
{
    source->taken += taken_of_part(source);
    ink__decompress_close(source->stream);
    leave_map(source, source->map);
    ink__arrow_stream_close(source->arrow);
    source->stream = NULL;
    source->map = NULL;
    source->arrow = NULL;
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

void ink__source_ahead(const ink__chunk *chunk, uint64_t bytes)
{
    const ink__source_map *map = chunk->map;
    const uint64_t         end = chunk->offset + chunk->count;

    if (map != NULL && !map->lent && end < map->stop && bytes < map->stop - end)
        (void)*(const volatile uint8_t *)(map->bytes + end + bytes);
}

void ink__source_leave(const ink__chunk *chunk)
{
    ink__source_map *map = chunk->map;

    if (map == NULL || map->lent)
        return;
    /* Its last record may reach beyond what is read of the file. */
    uint64_t end = chunk->offset + chunk->count, at = chunk->offset;
    end = end < map->stop ? end : map->stop;
    while (at < end) {
        const uint64_t number = (at - map->first) / REGION_BYTES;
        const uint64_t from = map->first + number * REGION_BYTES;
        const uint64_t all = map->stop - from < REGION_BYTES ? map->stop - from : REGION_BYTES;
        const uint64_t part = (end < from + all ? end : from + all) - at;
        if (atomic_fetch_add(&map->done[number], (uint32_t)part) + part == all)
            (void)ink__system_now()->leave(map->bytes + from, (size_t)all); /* a hint */
        at += part;
    }
}

void ink__source_release(ink__source *source, ink__chunk *chunk)
{
    leave_map(source, chunk->map);
    ink__arrow_slice_release(&chunk->arrow);
    ink__release(&source->allocator, chunk->buffer, chunk->room);
    *chunk = (ink__chunk){0};
}

bool ink__source_was_cut(const ink__source *source, size_t *input)
{
    bool now = source->map != NULL && was_cut(source, source->map);

    *input = now ? source->map->part : source->cut_part;
    return now || source->cut;
}

uint64_t ink__source_taken(const ink__source *source)
{
    return source->taken + taken_of_part(source);
}

bool ink__source_size(const ink__input_part *part, uint64_t *bytes)
{
    ink__stat stat = {.bytes = part->memory_bytes, .regular = true};

    if (part->arrow != NULL)
        return false;
    if (part->memory == NULL && ink__webhdfs_is_address(part->path)) {
        *bytes = part->bytes;
        return part->bytes != UINT64_MAX;
    }
    if (part->memory == NULL &&
        (strcmp(part->path, "-") == 0 || ink__system_now()->stat_path(part->path, &stat) < 0 ||
         !stat.regular))
        return false;
    uint64_t left = stat.bytes - (part->offset < stat.bytes ? part->offset : stat.bytes);
    *bytes = part->bytes < left ? part->bytes : left;
    return true;
}

uint64_t ink__source_total(const ink__input_part *parts, size_t count)
{
    uint64_t total = 0, more;

    for (size_t i = 0; i < count; i++) {
        if (!ink__source_size(&parts[i], &more))
            return 0;
        total = ink__add_saturating(total, more);
    }
    return total;
}

/* ---- Opening a part ----------------------------------------------------------------------- */

static ink_status fail_split(ink_error *error)
{
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "a split of what can only be read from its start");
}

/* Maps a file; anything else stays a stream. */
static ink_status open_path(ink__source *source, const ink__input_part *part, ink_error *error)
{
    bool               whole = part->offset == 0 && part->bytes == UINT64_MAX;
    ink__decompressor *stream;

    INK__TRY(ink__decompress_open(
        &stream, part->begun_all ? NULL : part->path, part->begun, part->begun_bytes,
        ink__records_may_be_compressed(&source->records, part->path), &source->allocator, error));
    ink__input *file = ink__decompress_plain_file(stream);
    if (file == NULL && !whole) {
        ink__decompress_close(stream);
        return fail_split(error);
    }
    source->stream = stream;
    if (source->crew != NULL)
        ink__decompress_lend(stream, source->crew);
    if (file == NULL || file->bytes == 0) /* as in /proc, where files have no size */
        return INK_OK;
    ink_status status = make_map(source, part, file, error);
    if (status == INK_IO && whole)
        return INK_OK; /* some files can only be read */
    ink__decompress_close(stream);
    source->stream = NULL;
    return status;
}

/* Skips the record that began before the split. The next byte to be read is the last one before the
 * split. */
static ink_status skip_record(ink__source *source, ink_error *error)
{
    uint64_t more = 1, next = 0;
    bool     found = false;

    INK__TRY(ink__make_room(&source->allocator, &source->carry, &source->carry_room, 0,
                            BEYOND_BYTES, error));
    while (!found && more > 0 && source->cursor < source->stop) {
        INK__TRY(ink__decompress_read(source->stream, source->carry, BEYOND_BYTES, &more, error));
        found = more > 0 && ink__records_start(&source->records, source->carry, more, 1, &next);
        next = found ? next : more;
        source->cursor += next;
    }
    source->carry_bytes = more - next;
    memmove(source->carry, source->carry + next, (size_t)source->carry_bytes);
    return INK_OK;
}

/* A file in HDFS is read, whole or a split of it. */
static ink_status open_address(ink__source *source, const ink__input_part *part, ink_error *error)
{
    bool whole = part->offset == 0 && part->bytes == UINT64_MAX;
    bool fixed = source->records.form == INK__RECORDS_FIXED;
    bool look = part->offset == 0 && ink__records_may_be_compressed(&source->records, part->path);
    uint64_t stop = ink__add_saturating(part->offset, part->bytes), from = part->offset;

    if (fixed)
        from = ink__add_saturating(from, (source->records.width - from % source->records.width) %
                                             source->records.width);
    else
        from -= from > 0;
    INK__TRY(ink__decompress_open_remote(&source->stream, part->path, from, stop, look,
                                         &source->allocator, error));
    if (!whole && ink__decompress_compressed(source->stream))
        return fail_split(error);
    source->cursor = from;
    source->stop = stop;
    if (part->offset == 0)
        return INK_OK;
    source->record = 0;
    return fixed ? INK_OK : skip_record(source, error);
}

static ink_status open_part(ink__source *source, ink_error *error)
{
    ink__input_part        bounded = source->parts[source->part];
    const ink__input_part *part = &bounded;

    if (source->part == source->from.part)
        bounded.offset += source->from.offset;
    if (source->part == source->until.part)
        bounded.bytes = source->until.offset - bounded.offset;
    source->record = 1;
    source->carry_bytes = 0;
    source->start = source->cursor = 0;
    source->stop = UINT64_MAX;
    if (part->arrow != NULL)
        INK__TRY(ink__arrow_stream_open(&source->arrow, part->arrow, &source->allocator, error));
    else if (part->memory != NULL)
        INK__TRY(make_map(source, part, NULL, error));
    else if (ink__webhdfs_is_address(part->path))
        INK__TRY(open_address(source, part, error));
    else
        INK__TRY(open_path(source, part, error));
    source->open = true;
    return INK_OK;
}

bool ink__source_is_mapped(const ink__input_part *part, const ink__record_rule *records,
                           const ink_allocator *allocator, uint64_t *bytes)
{
    ink__source source = {
        .allocator = *allocator,
        .parts = part,
        .part_count = 1,
        .records = *records,
        .until = {1, 0},
    };

    if (part->arrow != NULL || part->offset != 0 || part->bytes != UINT64_MAX ||
        !ink__source_size(part, bytes) || *bytes == 0)
        return false;
    bool mapped = open_part(&source, NULL) == INK_OK && source.map != NULL;
    *bytes = mapped ? source.map->count : 0;
    close_part(&source);
    ink__release(allocator, source.carry, source.carry_room);
    return mapped;
}

/* ---- Chunks ------------------------------------------------------------------------------- */

static ink_status next_mapped(ink__source *source, ink__chunk *chunk, uint64_t most,
                              ink_error *error)
{
    ink__source_map *map = source->map;
    uint64_t         from = source->cursor, wanted = source->stop - from, count;

    if (most < wanted)
        wanted = most;
    /* The record that holds the last byte is taken whole. */
    ink__records_start(&source->records, map->bytes + from, map->count - from, wanted, &count);
    if (count >= wanted + INK__RECORD_BYTES_MAX)
        return ink__records_fail_long(
            error, 1 + ink__records_count(&source->records, map->bytes, from + wanted));
    source->cursor = map->taken = from + count;
    map->users++;
    chunk->map = map;
    chunk->bytes = map->bytes + from;
    chunk->count = count;
    chunk->seen = map->count - from;
    chunk->offset = from;
    chunk->record = 0;
    return INK_OK;
}

/* Whether the chunk that is being read is complete, and where it ends: at the start of the first
 * record at `most` or later; or, as long as there is less, after the last whole record, since a
 * slow pipe may have no more for now. Beyond a chunk nothing is searched until the buffer, which
 * doubles, is full or the input ends: a long record is not searched again for each piece of it. */
static bool find_end(const ink__source *source, const ink__chunk *chunk, uint64_t used,
                     uint64_t most, bool full, uint64_t *count)
{
    /* An input that begins as no text does, with a continuation byte of UTF-8, may be an .ink file:
     * the bytes that show it must come in one chunk. */
    if (!full && source->cursor == 0 && source->records.form != INK__RECORDS_FIXED && used > 0 &&
        used < INK__BEGUN_BYTES && (chunk->buffer[0] & 0xc0) == 0x80)
        return false;
    if (used < most) {
        *count = ink__records_last(&source->records, chunk->buffer, used);
        return *count > 0;
    }
    return (full || used <= most + BEYOND_BYTES) &&
           ink__records_start(&source->records, chunk->buffer, used, most, count);
}

static ink_status fail_long_read(const ink__source *source, const ink__chunk *chunk, uint64_t used,
                                 ink_error *error)
{
    uint64_t before = ink__records_count(&source->records, chunk->buffer, used);

    ink__records_fail_long(error, source->record + before);
    if (source->record == 0 && error != NULL) { /* only its byte is known */
        error->location = INK_AT_BYTE;
        error->at = source->cursor + ink__records_last(&source->records, chunk->buffer, used);
    }
    return INK_LIMIT;
}

/* Reads until the chunk is complete, or the input ends; *count is where the chunk ends. */
static ink_status read_records(ink__source *source, ink__chunk *chunk, uint64_t most,
                               uint64_t *used, uint64_t *count, ink_error *error)
{
    uint64_t wanted = most + BEYOND_BYTES, more = 1;

    *used = source->carry_bytes;
    if (wanted < *used)
        wanted = *used;
    INK__TRY(ink__make_room(&source->allocator, &chunk->buffer, &chunk->room, 0, wanted, error));
    if (*used > 0)
        memcpy(chunk->buffer, source->carry, (size_t)*used);
    bool found = *used >= most && find_end(source, chunk, *used, most, true, count);
    while (!found && more > 0) {
        if (*used >= most + INK__RECORD_BYTES_MAX)
            return fail_long_read(source, chunk, *used, error);
        if (*used == wanted) {
            wanted =
                2 * *used < most + INK__RECORD_BYTES_MAX ? 2 * *used : most + INK__RECORD_BYTES_MAX;
            INK__TRY(ink__make_room(&source->allocator, &chunk->buffer, &chunk->room, *used,
                                    wanted - *used, error));
        }
        INK__TRY(ink__decompress_read_some(source->stream, chunk->buffer + *used, wanted - *used,
                                           &more, error));
        *used += more;
        found = find_end(source, chunk, *used, most, *used == wanted || more == 0, count);
    }
    if (!found)
        *count = *used;
    return INK_OK;
}

static ink_status next_read(ink__source *source, ink__chunk *chunk, uint64_t most, ink_error *error)
{
    uint64_t used, count;

    if (source->cursor >= source->stop)
        return INK_OK;
    if (most > source->stop - source->cursor)
        most = source->stop - source->cursor;
    INK__TRY(read_records(source, chunk, most, &used, &count, error));
    INK__TRY(ink__make_room(&source->allocator, &source->carry, &source->carry_room, 0,
                            used - count, error));
    if (used > count)
        memcpy(source->carry, chunk->buffer + count, (size_t)(used - count));
    source->carry_bytes = used - count;
    chunk->bytes = chunk->buffer;
    chunk->count = count;
    chunk->seen = used;
    chunk->offset = source->cursor;
    chunk->record = source->record;
    source->cursor += count;
    if (source->record > 0)
        source->record += ink__records_count(&source->records, chunk->buffer, count);
    return INK_OK;
}

static ink_status next_rows(ink__source *source, ink__chunk *chunk, uint64_t most, ink_error *error)
{
    uint64_t rows = most / INK__ARROW_ROW_BYTES;

    INK__TRY(ink__arrow_stream_next(source->arrow, rows == 0 ? 1 : rows, &chunk->arrow, error));
    chunk->count = (chunk->arrow.end - chunk->arrow.first) * INK__ARROW_ROW_BYTES;
    chunk->offset = source->cursor;
    source->cursor += chunk->count;
    return INK_OK;
}

ink_status ink__source_next(ink__source *source, ink__chunk *chunk, uint64_t most, bool *more,
                            size_t *input, ink_error *error)
{
    if (most > source->chunk_bytes)
        most = source->chunk_bytes;
    leave_map(source, chunk->map);
    ink__arrow_slice_release(&chunk->arrow);
    chunk->map = NULL;
    chunk->bytes = NULL;
    chunk->count = 0;
    while (source->part < source->part_count) {
        if (input != NULL)
            *input = source->part;
        if (!source->open)
            INK__TRY(open_part(source, error));
        if (source->stream != NULL)
            INK__TRY(next_read(source, chunk, most, error));
        else if (source->arrow != NULL)
            INK__TRY(next_rows(source, chunk, most, error));
        else if (source->cursor < source->stop)
            INK__TRY(next_mapped(source, chunk, most, error));
        chunk->input = source->part;
        chunk->headless = source->parts[source->part].headless;
        chunk->compressed = source->stream != NULL && ink__decompress_compressed(source->stream);
        *more = chunk->count > 0;
        if (*more)
            return INK_OK;
        close_part(source);
        source->part++;
    }
    *more = false;
    return INK_OK;
}

void ink__source_first(const ink__source *source, const ink__chunk *chunk, const uint8_t **bytes,
                       uint64_t *count)
{
    uint64_t there = chunk->map == NULL ? chunk->count : chunk->map->count, used;

    *bytes = chunk->map == NULL ? chunk->bytes : chunk->map->bytes;
    *count = 0;
    if (chunk->map != NULL || chunk->offset == 0)
        *count = ink__records_first(&source->records, *bytes, there, &used);
}

uint64_t ink__source_record(const ink__source *source, const ink__chunk *chunk, uint64_t at)
{
    const ink__record_rule *records = &source->records;

    if (chunk->arrow.batch != NULL)
        return chunk->arrow.batch->before + at + 1;
    if (chunk->map == NULL && chunk->record == 0)
        return 0;
    uint64_t before = chunk->map == NULL
                          ? chunk->record
                          : 1 + ink__records_count(records, chunk->map->bytes, chunk->offset);

    return before + ink__records_count(records, chunk->bytes, at);
}
