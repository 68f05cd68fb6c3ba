/* stream_position.c - the position section of a stream: pairs of a name and a value, each ended by
 * a NUL byte, in a fixed order. */
#include "jobs/stream/stream_position.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

enum { NUMBERS_BYTES = 512, FILE_BYTES = 160 }; /* at most, without paths */

/* ---- Writing ------------------------------------------------------------------------------ */

static void put_number(uint8_t *bytes, uint64_t *used, const char *name, uint64_t number)
{
    *used += ink__format((char *)bytes + *used, NUMBERS_BYTES, "%s%c%llu%c", name, 0,
                         (unsigned long long)number, 0);
}

static void put_file(uint8_t *bytes, uint64_t *used, const ink__stream_file *file)
{
    const ink__live_location *at = &file->location;

    *used += ink__format((char *)bytes + *used, FILE_BYTES + strlen(file->path),
                         "path%c%s%coffset%c%llu%ccheck%c%llx%cfile%c%llu:%llu%c", 0, file->path, 0,
                         0, (unsigned long long)at->offset, 0, 0, (unsigned long long)at->check, 0,
                         0, (unsigned long long)at->device, (unsigned long long)at->number, 0);
}

ink_status ink__stream_position_write(const ink__stream_position *position,
                                      const ink_allocator *allocator, uint8_t **bytes,
                                      uint64_t *count, uint64_t *room, ink_error *error)
{
    *room = NUMBERS_BYTES;
    for (uint64_t i = 0; i < position->file_count; i++)
        *room += FILE_BYTES + strlen(position->files[i].path);
    INK__TRY(ink__allocate_zeroed(allocator, *room, bytes, error));
    *count = ink__format((char *)*bytes, NUMBERS_BYTES, "source%cstream%c", 0, 0);
    put_number(*bytes, count, "batch", position->batches);
    if (position->slots != 0) {
        put_number(*bytes, count, "slot", position->slot_microseconds);
        put_number(*bytes, count, "slots", position->slots);
    }
    if (position->timed)
        *count += ink__format((char *)*bytes + *count, NUMBERS_BYTES, "newest%c%lld%c", 0,
                              (long long)position->newest, 0);
    put_number(*bytes, count, "records", position->records);
    put_number(*bytes, count, "bad", position->bad);
    put_number(*bytes, count, "late", position->late);
    put_number(*bytes, count, "cut", position->cut);
    for (uint64_t i = 0; i < position->file_count; i++)
        if (position->files[i].location.offset != 0) /* something was read of it */
            put_file(*bytes, count, &position->files[i]);
    return INK_OK;
}

/* ---- Reading ------------------------------------------------------------------------------ */

typedef struct pairs {
    const uint8_t *bytes;
    uint64_t       count, at;
    const char    *name, *value; /* the next pair, empty after the last ... */
    bool           ended;        /* ... which has been read */
} pairs;

static ink_status fail_position(const pairs *from, ink_error *error)
{
    char name[48], value[48];

    ink__quote(name, sizeof name, from->name, strlen(from->name));
    ink__quote(value, sizeof value, from->value, strlen(from->value));
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     "the position says \"%s\" \"%s\", expected how far a stream was read", name,
                     value);
}

static bool is_next(const pairs *from, const char *name)
{
    return !from->ended && strcmp(from->name, name) == 0;
}

static ink_status next_pair(pairs *from, ink_error *error)
{
    const char **words[] = {&from->name, &from->value};

    from->name = from->value = "";
    from->ended = from->at == from->count;
    for (size_t i = 0; i < 2 && !from->ended; i++) {
        const uint8_t *start = from->bytes + from->at;
        const uint8_t *end = memchr(start, '\0', (size_t)(from->count - from->at));
        if (end == NULL)
            return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                             "the position ends within a word, expected pairs of words");
        *words[i] = (const char *)start;
        from->at += (uint64_t)(end - start) + 1;
    }
    return INK_OK;
}

static bool parse_number(const char *text, char end, uint64_t *number, const char **rest)
{
    size_t digits = strspn(text, "0123456789");

    *rest = text + digits + 1;
    return ink__parse_digits(text, digits, UINT64_MAX, number) && text[digits] == end &&
           (text[0] != '0' || digits == 1);
}

static bool parse_time(const char *text, int64_t *time)
{
    bool        negative = text[0] == '-';
    const char *rest;
    uint64_t    number;

    if (!parse_number(text + negative, '\0', &number, &rest) ||
        number > (uint64_t)INT64_MAX + negative || (negative && number == 0))
        return false;
    *time = negative ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

static bool parse_hex(const char *text, uint64_t *number)
{
    size_t count = strspn(text, "0123456789abcdef");

    *number = 0;
    for (size_t i = 0; i < count; i++)
        *number = *number << 4 | ink__hex_digit((uint8_t)text[i]);
    return text[count] == '\0' && count > 0 && count <= 16 && (text[0] != '0' || count == 1);
}

/* Goes on after a pair that has this name and a valid value. */
static ink_status take(pairs *from, const char *name, bool valid, ink_error *error)
{
    return is_next(from, name) && valid ? next_pair(from, error) : fail_position(from, error);
}

static ink_status take_number(pairs *from, const char *name, uint64_t least, uint64_t *number,
                              ink_error *error)
{
    const char *rest;
    bool        valid = parse_number(from->value, '\0', number, &rest) && *number >= least;

    return take(from, name, valid, error);
}

static ink_status take_file(pairs *from, ink__stream_position *position, ink__arena *arena,
                            ink_error *error)
{
    ink__live_location location = {0};
    const char        *path = from->value, *rest;
    size_t             index;
    uint64_t           known = position->file_count;

    INK__TRY(take(from, "path", path[0] != '\0', error));
    INK__TRY(take_number(from, "offset", 1, &location.offset, error));
    INK__TRY(take(from, "check", parse_hex(from->value, &location.check), error));
    if (!is_next(from, "file") || !parse_number(from->value, ':', &location.device, &rest) ||
        !parse_number(rest, '\0', &location.number, &rest))
        return fail_position(from, error);
    INK__TRY(ink__stream_position_find(position, path, arena, &index, error));
    if (index != known)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "the position has a file twice, expected each once");
    position->files[index].location = location;
    return next_pair(from, error);
}

ink_status ink__stream_position_read(ink__stream_position *position, const uint8_t *bytes,
                                     uint64_t count, ink__arena *arena, ink_error *error)
{
    pairs from = {.bytes = bytes, .count = count};
    char  source[48];

    *position = (ink__stream_position){0};
    INK__TRY(next_pair(&from, error));
    if (!is_next(&from, "source"))
        return fail_position(&from, error);
    if (strcmp(from.value, "stream") != 0) {
        ink__quote(source, sizeof source, from.value, strlen(from.value));
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "the state of a stream of \"%s\", expected one of ink stream", source);
    }
    INK__TRY(next_pair(&from, error));
    INK__TRY(take_number(&from, "batch", 0, &position->batches, error));
    if (is_next(&from, "slot")) { /* only with a window */
        INK__TRY(take_number(&from, "slot", 1, &position->slot_microseconds, error));
        INK__TRY(take_number(&from, "slots", 1, &position->slots, error));
    }
    position->timed = is_next(&from, "newest");
    if (position->timed)
        INK__TRY(take(&from, "newest", parse_time(from.value, &position->newest), error));
    INK__TRY(take_number(&from, "records", 0, &position->records, error));
    INK__TRY(take_number(&from, "bad", 0, &position->bad, error));
    INK__TRY(take_number(&from, "late", 0, &position->late, error));
    INK__TRY(take_number(&from, "cut", 0, &position->cut, error));
    while (!from.ended)
        INK__TRY(take_file(&from, position, arena, error));
    return INK_OK;
}

void ink__stream_position_free(ink__stream_position *position, const ink_allocator *allocator)
{
    ink__release(allocator, position->files, position->files_bytes);
    *position = (ink__stream_position){0};
}

ink_status ink__stream_position_find(ink__stream_position *position, const char *path,
                                     ink__arena *arena, size_t *index, ink_error *error)
{
    const uint8_t *kept;

    for (*index = 0; *index < position->file_count; ++*index)
        if (strcmp(position->files[*index].path, path) == 0)
            return INK_OK;
    INK__TRY(ink__make_room(&arena->allocator, &position->files, &position->files_bytes,
                            position->file_count * sizeof *position->files, sizeof *position->files,
                            error));
    INK__TRY(ink__arena_keep(arena, path, strlen(path), &kept, error));
    position->files[position->file_count++] = (ink__stream_file){.path = (const char *)kept};
    return INK_OK;
}
