/* puffin.c - Puffin files of Apache Iceberg, which hold statistics of a table's columns: their
 * theta sketches, each a blob that the footer, a text in JSON, lists with the numbers of its
 * fields. Blobs may be compressed with zstd, which is linked statically, so that its memory may be
 * ours. */
#define ZSTD_STATIC_LINKING_ONLY
#include "base/bits.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/foreign/datasketches.h"

#include <string.h>

#include <zstd.h>

/* A footer: a magic number, the text, its length, flags, and a magic number again. */
enum { MAGIC_BYTES = 4, TAIL_BYTES = 12, FLAG_COMPRESSED = 1 };
static const uint8_t magic[MAGIC_BYTES] = "PFA1";
static const char    theta_type[] = "apache-datasketches-theta-v1";

typedef struct footer {
    const uint8_t *bytes; /* of the file */
    uint64_t       start, end;
} footer;

static bool is_magic(const uint8_t *bytes)
{
    return memcmp(bytes, magic, MAGIC_BYTES) == 0;
}

static ink_status find_footer(const ink__foreign_file *file, footer *of, ink_error *error)
{
    const uint8_t *bytes = file->bytes;
    const uint64_t count = file->count;

    if (count < MAGIC_BYTES || !is_magic(bytes))
        return INK__FOREIGN_FAIL(error, 0, "other bytes, expected PFA1");
    if (count < 2 * MAGIC_BYTES + TAIL_BYTES || !is_magic(bytes + count - MAGIC_BYTES))
        return INK__FOREIGN_FAIL(error, count - MAGIC_BYTES,
                                 "a Puffin file that does not end with PFA1");
    const uint64_t text_bytes = ink__load_u32(bytes + count - TAIL_BYTES);
    const uint32_t flags = ink__load_u32(bytes + count - TAIL_BYTES + 4);
    if ((flags & FLAG_COMPRESSED) != 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "a footer compressed with lz4, expected one that is not");
    if (flags != 0)
        return INK__FOREIGN_FAIL(error, count - TAIL_BYTES + 4, "flags 0x%x, expected 0 or 1",
                                 flags);
    if (text_bytes > count - 2 * MAGIC_BYTES - TAIL_BYTES)
        return INK__FOREIGN_FAIL(error, count - TAIL_BYTES,
                                 "a footer of %llu bytes, but the file has %llu",
                                 (unsigned long long)text_bytes, (unsigned long long)count);
    *of = (footer){bytes, count - TAIL_BYTES - text_bytes, count - TAIL_BYTES};
    if (!is_magic(bytes + of->start - MAGIC_BYTES))
        return INK__FOREIGN_FAIL(error, of->start - MAGIC_BYTES,
                                 "other bytes before the footer, expected PFA1");
    return INK_OK;
}

/* ---- Blobs, as the footer lists them ------------------------------------------------------- */

enum { NAME_BYTES = sizeof((ink__foreign_sketch *)NULL)->group };
typedef enum codec { PLAIN, ZSTD } codec;

typedef struct blob {
    bool     is_theta;
    uint64_t listed_at; /* where the footer has it; what follows, of a theta sketch only: */
    uint64_t at, bytes;
    codec    codec;
    char     fields[NAME_BYTES]; /* "3", or of several "3,5" */
} blob;

/* What the footer says of a blob. */
enum { TYPE, FIELDS, OFFSET, LENGTH, CODEC, MEMBERS };
static const char *const members[MEMBERS] = {"type", "fields", "offset", "length",
                                             "compression-codec"};

/* A walk over the blobs. */
typedef struct blob_walk {
    footer          of;
    ink__json_path  paths[MEMBERS];
    ink__json_value array;
    uint64_t        at;
} blob_walk;

/* Finds values in a part of the footer; their locations, and those of errors, are of the file. */
static ink_status find(const footer *of, uint64_t start, uint64_t end, const ink__json_path *paths,
                       size_t count, ink__json_value *values, ink_error *error)
{
    ink_status status = ink__json_find(of->bytes, start, end, paths, count, values, error);

    if (status == INK_OK)
        return INK_OK;
    if (error != NULL)
        error->at += start;
    ink__fail_within(error, "the footer: ");
    return status;
}

static bool is_text(const blob_walk *walk, const ink__json_value *value, const char *text)
{
    const size_t bytes = strlen(text);

    return value->kind == INK__JSON_STRING && !value->escaped &&
           value->end - value->start == bytes &&
           memcmp(walk->of.bytes + value->start, text, bytes) == 0;
}

/* The numbers of the fields, between brackets, without blanks. */
static ink_status read_fields(const blob_walk *walk, const ink__json_value *list, blob *read,
                              ink_error *error)
{
    const uint8_t *bytes = walk->of.bytes;
    size_t         used = 0;
    bool           good = list->kind == INK__JSON_CONTAINER && bytes[list->start] == '[';

    for (uint64_t at = list->start + 1; good && at + 1 < list->end; at++) {
        if (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\n' || bytes[at] == '\r')
            continue;
        good = (bytes[at] == ',' || ink__is_digit(bytes[at])) && used + 1 < NAME_BYTES;
        if (good)
            read->fields[used++] = (char)bytes[at];
    }
    if (good && used > 0)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, read->listed_at,
                             "a blob without a list of fields, expected numbers, together shorter "
                             "than %d characters",
                             NAME_BYTES);
}

static ink_status read_number(const blob_walk *walk, const ink__json_value *value, const char *name,
                              uint64_t *number, ink_error *error)
{
    if (value->kind == INK__JSON_NUMBER &&
        ink__parse_digits(walk->of.bytes + value->start, (size_t)(value->end - value->start),
                          INT64_MAX, number))
        return INK_OK;
    return INK__FOREIGN_FAIL(error, value->start, "a blob without the number \"%s\"", name);
}

static ink_status read_codec(const blob_walk *walk, const ink__json_value *value, blob *read,
                             ink_error *error)
{
    char text[32];

    if (value->kind == INK__JSON_MISSING || value->kind == INK__JSON_NULL) {
        read->codec = PLAIN;
        return INK_OK;
    }
    if (is_text(walk, value, "zstd")) {
        read->codec = ZSTD;
        return INK_OK;
    }
    ink__quote(text, sizeof text, walk->of.bytes + value->start,
               (size_t)(value->end - value->start));
    return ink__fail(error, is_text(walk, value, "lz4") ? INK_UNSUPPORTED : INK_FORMAT, INK_AT_BYTE,
                     value->start, "a sketch compressed with \"%s\", expected zstd or none", text);
}

/* Of the part of the footer that describes it. */
static ink_status read_blob(const blob_walk *walk, const ink__json_value *listed, blob *read,
                            ink_error *error)
{
    ink__json_value values[MEMBERS];

    *read = (blob){.listed_at = listed->start};
    INK__TRY(find(&walk->of, listed->start, listed->end, walk->paths, MEMBERS, values, error));
    if (values[TYPE].kind != INK__JSON_STRING)
        return INK__FOREIGN_FAIL(error, listed->start, "a blob without a type");
    read->is_theta = is_text(walk, &values[TYPE], theta_type);
    if (!read->is_theta)
        return INK_OK;
    INK__TRY(read_fields(walk, &values[FIELDS], read, error));
    INK__TRY(read_number(walk, &values[OFFSET], members[OFFSET], &read->at, error));
    INK__TRY(read_number(walk, &values[LENGTH], members[LENGTH], &read->bytes, error));
    if (read->at < MAGIC_BYTES || read->at > walk->of.start - MAGIC_BYTES ||
        read->bytes > walk->of.start - MAGIC_BYTES - read->at)
        return INK__FOREIGN_FAIL(error, listed->start,
                                 "a blob of %llu bytes at byte %llu, expected it before the footer",
                                 (unsigned long long)read->bytes, (unsigned long long)read->at);
    return read_codec(walk, &values[CODEC], read, error);
}

/* Goes on to the next theta sketch; *is is false after the last. */
static ink_status next_theta(blob_walk *walk, blob *read, bool *is, ink_error *error)
{
    ink__json_value listed;

    do {
        *is = ink__json_next(walk->of.bytes, &walk->array, &walk->at, &listed);
        if (*is)
            INK__TRY(read_blob(walk, &listed, read, error));
    } while (*is && !read->is_theta);
    return INK_OK;
}

static ink_status open_blobs(const ink__foreign_file *file, blob_walk *walk, ink_error *error)
{
    INK__TRY(find_footer(file, &walk->of, error));
    for (unsigned i = 0; i < MEMBERS; i++)
        INK__TRY(ink__json_path_create(&walk->paths[i], members[i], error));
    return INK_OK;
}

/* Checks all of the footer. */
static ink_status find_blobs(blob_walk *walk, ink_error *error)
{
    ink__json_path path;

    INK__TRY(ink__json_path_create(&path, "blobs", error));
    INK__TRY(find(&walk->of, walk->of.start, walk->of.end, &path, 1, &walk->array, error));
    if (walk->array.kind != INK__JSON_CONTAINER || walk->of.bytes[walk->array.start] != '[')
        return INK__FOREIGN_FAIL(error, walk->of.start, "a footer without a list of blobs");
    walk->at = walk->array.start;
    return INK_OK;
}

/* ---- The column --------------------------------------------------------------------------- */

/* Counts the theta sketches of a column, NULL for all; `list` becomes the fields of all. */
static ink_status count_of(const blob_walk *blobs, const char *column, uint64_t *count, char *list,
                           size_t room, ink_error *error)
{
    blob_walk walk = *blobs;
    size_t    used = 0;
    blob      read;
    bool      is;

    *count = 0;
    list[0] = '\0';
    for (;;) {
        INK__TRY(next_theta(&walk, &read, &is, error));
        if (!is)
            return INK_OK;
        *count += column == NULL || strcmp(read.fields, column) == 0;
        if (used + NAME_BYTES + 2 < room)
            used +=
                ink__format(list + used, room - used, "%s%s", used == 0 ? "" : ", ", read.fields);
    }
}

/* How many theta sketches the caller's column stands for; NULL for all columns. */
static ink_status choose_column(const blob_walk *walk, const ink_foreign_options *options,
                                const char **column, uint64_t *count, ink_error *error)
{
    char list[160], text[64];

    *column = options->column;
    INK__TRY(count_of(walk, *column, count, list, sizeof list, error));
    if (list[0] == '\0')
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "a Puffin file without theta sketches, expected blobs of type %s",
                         theta_type);
    if (*count == 0 && options->column_of_data) {
        *column = NULL;
        return count_of(walk, NULL, count, list, sizeof list, error);
    }
    if (*column == NULL || *count == 1)
        return INK_OK;
    ink__quote(text, sizeof text, *column, strlen(*column));
    if (*count > 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%llu theta sketches of field %s, expected one",
                         (unsigned long long)*count, text);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "no theta sketch of field \"%s\", expected one of the fields %s ({key})", text,
                     list);
}

/* ---- Sketches ----------------------------------------------------------------------------- */

/* Values of a sketch hardly become smaller: a claim of more than this many times is none of theirs.
 */
enum { TIMES_MAX = 16 };

static ink_status measure(const uint8_t *from, uint64_t stored, uint64_t *bytes, ink_error *error)
{
    if (stored < sizeof(uint32_t) ||
        ink__load_u32(from) != ZSTD_MAGICNUMBER) /* its old ones, too */
        return INK__FOREIGN_FAIL(error, 0, "other bytes, expected a frame of zstd");
    const unsigned long long states = ZSTD_getFrameContentSize(from, (size_t)stored);
    const size_t             frame = ZSTD_findFrameCompressedSize(from, (size_t)stored);

    if (states == ZSTD_CONTENTSIZE_ERROR || states == ZSTD_CONTENTSIZE_UNKNOWN)
        return INK__FOREIGN_FAIL(error, 0, "no frame of zstd that states its content size");
    if (frame != stored) /* or an error */
        return INK__FOREIGN_FAIL(error, 0, "a frame of zstd that is not %llu bytes",
                                 (unsigned long long)stored);
    if (states > TIMES_MAX * stored)
        return INK__FOREIGN_FAIL(error, 0,
                                 "%llu bytes in a frame of %llu, expected at most %d times as many",
                                 states, (unsigned long long)stored, TIMES_MAX);
    *bytes = states;
    return INK_OK;
}

static ink_status unpack(const ink_allocator *allocator, const ink__foreign_file *stored,
                         uint8_t *to, uint64_t bytes, ink_error *error)
{
    const size_t needed = ZSTD_estimateDCtxSize();
    void        *memory;

    INK__TRY(ink__allocate(allocator, needed, &memory, error));
    const size_t made = ZSTD_decompressDCtx(ZSTD_initStaticDCtx(memory, needed), to, (size_t)bytes,
                                            stored->bytes, (size_t)stored->count);
    ink__release(allocator, memory, needed);
    if (made == bytes)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, 0, "zstd: %s",
                             ZSTD_isError(made) ? ZSTD_getErrorName(made) : "a shorter content");
}

static ink_status read_packed(const ink__foreign_file *stored, ink__foreign_sketch *sketch,
                              ink_error *error)
{
    uint64_t bytes = 0;
    uint8_t *to;

    INK__TRY(measure(stored->bytes, stored->count, &bytes, error));
    INK__TRY(ink__allocate(stored->allocator, bytes + 1, &to, error));
    ink__foreign_file unpacked = *stored;
    unpacked.bytes = to;
    unpacked.count = bytes;
    ink_status status = unpack(stored->allocator, stored, to, bytes, error);
    if (status == INK_OK) {
        status = ink__datasketches_read_theta(&unpacked, 0, sketch, error);
        if (status != INK_OK && error != NULL)
            error->at = 0; /* its bytes are not those of the file */
    }
    ink__release(stored->allocator, to, bytes + 1);
    return status;
}

static ink_status read_theta(const ink__foreign_file *file, const blob *from,
                             ink__foreign_sketch *sketch, ink_error *error)
{
    ink__foreign_file stored = *file;

    stored.bytes = file->bytes + from->at;
    stored.count = from->bytes;
    ink_status status = from->codec == ZSTD
                            ? read_packed(&stored, sketch, error)
                            : ink__datasketches_read_theta(&stored, 0, sketch, error);
    if (status == INK_FORMAT) {
        if (error != NULL)
            error->at += from->at;
        ink__fail_within(error, "field %s: ", from->fields);
    }
    return status;
}

/* What is kept from one sketch to the next. */
enum { NEXT_START, NEXT_END, NEXT_AT, NEXT_LEFT, NEXT_ALL, NEXT_TOTAL };

static ink_status begin(const ink__foreign_file *file, blob_walk *walk,
                        uint64_t next[INK__FOREIGN_NEXT], ink_error *error)
{
    const char *column;

    INK__TRY(find_blobs(walk, error));
    INK__TRY(choose_column(walk, file->options, &column, &next[NEXT_LEFT], error));
    next[NEXT_START] = walk->array.start;
    next[NEXT_END] = walk->array.end;
    next[NEXT_AT] = walk->at;
    next[NEXT_ALL] = column == NULL;
    return INK_OK;
}

static ink_status read(const ink__foreign_file *file, uint64_t index, ink__foreign_sketch *sketch,
                       ink_error *error)
{
    uint64_t *next = sketch->next;
    blob_walk walk;
    blob      from;
    bool      is;

    INK__TRY(open_blobs(file, &walk, error));
    if (index == 0)
        INK__TRY(begin(file, &walk, next, error));
    walk.array = (ink__json_value){
        .kind = INK__JSON_CONTAINER, .start = next[NEXT_START], .end = next[NEXT_END]};
    walk.at = next[NEXT_AT];
    do
        INK__TRY(next_theta(&walk, &from, &is, error));
    while (is && next[NEXT_ALL] == 0 && strcmp(from.fields, file->options->column) != 0);
    next[NEXT_AT] = walk.at;
    sketch->more = --next[NEXT_LEFT] > 0;
    /* Each has bytes of its own: a small file is not to become many large sketches. */
    next[NEXT_TOTAL] += from.bytes;
    if (next[NEXT_TOTAL] > file->count)
        return INK__FOREIGN_FAIL(error, from.listed_at,
                                 "field %s: its blob shares bytes with others", from.fields);
    if (next[NEXT_ALL] != 0)
        memcpy(sketch->group, from.fields, sizeof from.fields);
    return read_theta(file, &from, sketch, error);
}

/* A byte that no text has follows the magic number: that of a blob, compressed or not. */
static bool begins(const uint8_t *bytes, size_t count)
{
    enum { CONTROL_MAX = 8 };
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};

    return count >= MAGIC_BYTES + sizeof zstd && is_magic(bytes) &&
           (bytes[MAGIC_BYTES] <= CONTROL_MAX ||
            memcmp(bytes + MAGIC_BYTES, zstd, sizeof zstd) == 0);
}

const ink__foreign_format ink__foreign_puffin = {
    .info = {.name = "puffin",
             .about = "Puffin files of Apache Iceberg: the theta sketches of columns",
             .kind = "theta",
             .lost = "snapshots and properties, blobs of other types",
             .reads = true,
             .certain = true,
             .columns = true,
             .precision = true},
    .hashes = (const char *const[]){"murmur3-128", "datasketches-theta", NULL},
    .seed = INK__DATASKETCHES_SEED,
    .begins = begins,
    .read = read,
};
