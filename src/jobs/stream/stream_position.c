/* stream_position.c - the position section of a stream: pairs of a name and a value, each ended by
 * a NUL byte, in a fixed order. */
#include "jobs/stream/stream_position.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

enum { NUMBERS_BYTES = 512, FILE_BYTES = 160 }; /* at most, without paths */

/* ---- Writing ------------------------------------------------------------------------------ */

static void put(uint8_t *bytes, uint64_t *used, const char *name, const char *value)
{
    size_t name_bytes = strlen(name) + 1, value_bytes = strlen(value) + 1;

    memcpy(bytes + *used, name, name_bytes);
    memcpy(bytes + *used + name_bytes, value, value_bytes);
    *used += name_bytes + value_bytes;
}

static void put_number(uint8_t *bytes, uint64_t *used, const char *name, uint64_t number)
{
    char text[24];

    ink__format(text, sizeof text, "%llu", (unsigned long long)number);
    put(bytes, used, name, text);
}

static void put_file(uint8_t *bytes, uint64_t *used, const ink__stream_file *file)
{
    char text[48];

    put(bytes, used, "path", file->path);
    put_number(bytes, used, "offset", file->location.offset);
    ink__format(text, sizeof text, "%llx", (unsigned long long)file->location.check);
    put(bytes, used, "check", text);
    ink__format(text, sizeof text, "%llu:%llu", (unsigned long long)file->location.device,
                (unsigned long long)file->location.number);
    put(bytes, used, "file", text);
}

ink_status ink__stream_position_write(const ink__stream_position *position,
                                      const ink_allocator *allocator, uint8_t **bytes,
                                      uint64_t *count, uint64_t *room, ink_error *error)
{
    char text[24];

    *room = NUMBERS_BYTES;
    for (uint64_t i = 0; i < position->file_count; i++)
        *room += FILE_BYTES + strlen(position->files[i].path);
    INK__TRY(ink__allocate_zeroed(allocator, *room, bytes, error));
    *count = 0;
    put(*bytes, count, "source", "stream");
    put_number(*bytes, count, "batch", position->batches);
    if (position->slots != 0) {
        put_number(*bytes, count, "slot", position->slot_microseconds);
        put_number(*bytes, count, "slots", position->slots);
    }
    if (position->timed) {
        ink__format(text, sizeof text, "%lld", (long long)position->newest);
        put(*bytes, count, "newest", text);
    }
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

/* Whether the next pair has this name. */
static bool is_next(const pairs *from, const char *name)
{
    return !from->ended && strcmp(from->name, name) == 0;
}

/* One word, ended by its NUL. */
static const char *next_word(pairs *from)
{
    const uint8_t *start = from->bytes + from->at;
    const uint8_t *end = memchr(start, '\0', (size_t)(from->count - from->at));

    if (end == NULL)
        return NULL;
    from->at += (uint64_t)(end - start) + 1;
    return (const char *)start;
}

static ink_status next_pair(pairs *from, ink_error *error)
{
    from->name = from->value = "";
    from->ended = from->at == from->count;
    if (from->ended)
        return INK_OK;
    const char *name = next_word(from), *value = name == NULL ? NULL : next_word(from);
    if (value == NULL)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "the position ends within a word, expected pairs of words");
    from->name = name;
    from->value = value;
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

static ink_status take_number(pairs *from, const char *name, uint64_t least, uint64_t *number,
                              ink_error *error)
{
    const char *rest;

    if (!is_next(from, name) || !parse_number(from->value, '\0', number, &rest) || *number < least)
        return fail_position(from, error);
    return next_pair(from, error);
}

static ink_status take_file(pairs *from, ink__stream_position *position, ink__arena *arena,
                            ink_error *error)
{
    ink__live_location location = {0};
    const char        *path = from->value, *rest;
    size_t             index;
    uint64_t           known = position->file_count;

    if (!is_next(from, "path") || path[0] == '\0')
        return fail_position(from, error);
    INK__TRY(next_pair(from, error));
    INK__TRY(take_number(from, "offset", 1, &location.offset, error));
    if (!is_next(from, "check") || !parse_hex(from->value, &location.check))
        return fail_position(from, error);
    INK__TRY(next_pair(from, error));
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
    if (position->timed) {
        if (!parse_time(from.value, &position->newest))
            return fail_position(&from, error);
        INK__TRY(next_pair(&from, error));
    }
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

/* ---- Files -------------------------------------------------------------------------------- */

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
