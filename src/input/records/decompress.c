/* decompress.c - an input looked through gzip and zstd. These are linked statically, so that parts
 * of zstd's API that only its static library promises (memory from our allocator) may be used. */
#define ZLIB_CONST
#define ZSTD_STATIC_LINKING_ONLY
#include "input/records/decompress.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "net/webhdfs_reader.h"

#include <string.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    PIECE_BYTES = 256 << 10, /* of compressed input, read at a time */
    BLOCK_HEAD_BYTES = 3,    /* of zstd */
    BGZF_HEAD_BYTES = 18,
    BGZF_BYTES_MAX = 1 << 16 /* of a block, compressed and not */
};

/* What is decoded ahead: compressed, decoded, and parts for each thread. Some large frames must
 * fit; of BGZF the blocks of a thread have 4 MiB. */
#define AHEAD_BYTES ((uint64_t)8 << 20)
#define AHEAD_ROOM ((uint64_t)64 << 20)
enum { AHEAD_THREADS = 16, AHEAD_PARTS = 64 };

#define ZLIB_BYTES_MAX ((uint64_t)1 << 30) /* its counts have 32 bits */
/* The format's own advice, and what compressing gives up to level 19 without further options: a
 * header of ten bytes must not take more memory than this. */
#define WINDOW_LOG_MAX 23

typedef enum stream_form { PLAIN, GZIP, ZSTD, FOREIGN } stream_form;

/* The formats, and what they call their parts. */
static const struct {
    const char *name, *part;
} words[] = {[GZIP] = {"gzip", "member"}, [ZSTD] = {"zstd", "frame"}};

/* A member or frame that is decoded ahead. */
typedef struct ahead_part {
    const uint8_t *from;
    uint64_t       from_bytes, room; /* for the largest that it may be */
    uint64_t       at, bytes;        /* where it stands, decoded */
    bool           good;
    uint64_t       refused_bytes; /* of memory for its decoder */
} ahead_part;

typedef struct ahead {
    const ink__crew *crew; /* NULL: nothing is decoded ahead */
    unsigned         threads;
    uint8_t         *input; /* compressed */
    uint8_t         *output;
    ahead_part      *parts;
    unsigned         count, given; /* parts that are good, and those before the one that is read */
    uint64_t         given_bytes;  /* of that one */
} ahead;

struct ink__decompressor {
    ahead                ahead;
    ink_allocator        allocator;
    uint64_t             refused_bytes; /* of the allocation that failed in a decoder */
    stream_form          form;
    ink__input           input;                   /* file -1: in memory, or in HDFS: */
    ink__webhdfs_reader *remote;                  /* NULL: not there */
    uint64_t             taken;                   /* bytes of the input */
    const uint8_t       *next;                    /* bytes that were read and not taken yet, ... */
    uint64_t             left;                    /* ... how many, ... */
    bool                 all;                     /* ... and no more come after them */
    uint8_t              first[INK__BEGUN_BYTES]; /* where they are while the form is found ... */
    uint8_t             *piece;                   /* ... and then, if it is compressed */

    bool       inside; /* a member or frame: it has begun and not ended */
    uint64_t   part_at;
    z_stream   gzip;
    ZSTD_DCtx *zstd;
    size_t     zstd_wants; /* bytes for its next step, ... */
    uint64_t   step_at;    /* ... which begins here */
};

/* ---- Memory of the decoders --------------------------------------------------------------- */

static void *decoder_takes(void *host, size_t bytes)
{
    ink__decompressor *stream = host;
    void              *memory = ink__take_sized(&stream->allocator, bytes);

    if (memory == NULL)
        stream->refused_bytes = ink__add_saturating(bytes, INK__SIZE_BYTES);
    return memory;
}

static void decoder_gives_back(void *host, void *memory)
{
    ink__decompressor *stream = host;

    ink__give_back_sized(&stream->allocator, memory);
}

static void *zlib_takes(void *stream, unsigned items, unsigned bytes)
{
    return decoder_takes(stream, (size_t)items * bytes);
}

static ink_status fail_memory(const ink__decompressor *stream, ink_error *error)
{
    return ink__fail(error, INK_MEMORY, INK_NOWHERE, 0, "no memory for %llu bytes",
                     (unsigned long long)stream->refused_bytes);
}

/* ---- Input, and its form ------------------------------------------------------------------ */

/* Reads at least a byte, or with `fill` all there is room for; less only at the end. */
static ink_status read_input(ink__decompressor *stream, bool fill, uint8_t *to, uint64_t room,
                             uint64_t *count, ink_error *error)
{
    if (stream->remote != NULL)
        return ink__webhdfs_read(stream->remote, to, room, count, error);
    return fill ? ink__input_read_some(&stream->input, to, room, count, error)
                : ink__input_read_once(&stream->input, to, room, count, error);
}

/* Forms by their first bytes. FOREIGN ones are refused by name, and not taken for text: each begins
 * with bytes that text does not have, or hardly. */
static const struct magic {
    stream_form form;
    const char *name, *instead;
    unsigned    count;
    uint8_t     first[INK__BEGUN_BYTES];
    unsigned    masked; /* of this byte only the bits of `mask` count */
    uint8_t     mask;
} magics[] = {
    {GZIP, "gzip", "", 2, {0x1f, 0x8b}, 0, 0xff},
    {ZSTD, "zstd", "", 4, {0x28, 0xb5, 0x2f, 0xfd}, 0, 0xff},
    {ZSTD, "zstd", "", 4, {0x50, 0x2a, 0x4d, 0x18}, 0, 0xf0}, /* a skippable frame */
    {FOREIGN, "xz", " (xz -dc)", 4, {0xfd, '7', 'z', 'X'}, 0, 0xff},
    {FOREIGN, "bzip2", " (bzip2 -dc)", 8, {'B', 'Z', 'h', 0, '1', 'A', 'Y', '&'}, 3, 0},
    {FOREIGN, "lz4", " (lz4 -dc)", 4, {0x04, 0x22, 0x4d, 0x18}, 0, 0xff},
    {FOREIGN, "zip", " (unzip -p)", 4, {'P', 'K', 3, 4}, 0, 0xff},
    {FOREIGN, "7z", "", 4, {'7', 'z', 0xbc, 0xaf}, 0, 0xff},
    {FOREIGN, "Parquet", "", 5, {'P', 'A', 'R', '1', 0x15}, 0, 0xff},
    {FOREIGN, "Arrow", "", 8, {'A', 'R', 'R', 'O', 'W', '1', 0, 0}, 0, 0xff},
    {FOREIGN, "Avro", "", 4, {'O', 'b', 'j', 1}, 0, 0xff},
};

/* How many of the first bytes are those of a form. */
static uint64_t same_bytes(const struct magic *form, const uint8_t *bytes, uint64_t count)
{
    uint64_t at = 0;

    while (at < form->count && at < count &&
           ((bytes[at] ^ form->first[at]) & (at == form->masked ? form->mask : 0xff)) == 0)
        at++;
    return at;
}

ink__compression ink__compression_of(const uint8_t *bytes, uint64_t count)
{
    static const ink__compression of[] = {[GZIP] = INK__COMPRESSION_GZIP,
                                          [ZSTD] = INK__COMPRESSION_ZSTD,
                                          [FOREIGN] = INK__COMPRESSION_NONE};

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (same_bytes(&magics[i], bytes, count) == magics[i].count)
            return of[magics[i].form];
    return INK__COMPRESSION_NONE;
}

/* The form that the bytes at `next` begin with; NULL: none of these, or too few bytes. *more: more
 * may show one. A pipe that begins as text does is not read further: it may have no more now. */
static const struct magic *find_magic(const ink__decompressor *stream, bool *more)
{
    bool regular = stream->input.regular || stream->remote != NULL;

    *more = stream->left == 0;
    for (const struct magic *form = magics; form < magics + sizeof magics / sizeof *magics;
         form++) {
        const uint64_t at = same_bytes(form, stream->next, stream->left);
        if (at == form->count)
            return form;
        *more = *more || (at == stream->left && (form->form != FOREIGN || regular ||
                                                 stream->next[0] < ' ' || stream->next[0] > '~'));
    }
    return NULL;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static ink_status start_decoder(ink__decompressor *stream, ink_error *error)
{
    const ZSTD_customMem memory = {decoder_takes, decoder_gives_back, stream};

    if (stream->form == GZIP) {
        stream->gzip.zalloc = zlib_takes;
        stream->gzip.zfree = decoder_gives_back;
        stream->gzip.opaque = stream;
        if (inflateInit2(&stream->gzip, 16 + MAX_WBITS) == Z_OK) /* 16: gzip and nothing else */
            return INK_OK;
    } else if ((stream->zstd = ZSTD_createDCtx_advanced(memory)) != NULL) {
        /* The limit is in its range. */
        ZSTD_DCtx_setParameter(stream->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
        return INK_OK;
    }
    return fail_memory(stream, error);
}

/* Reads as few of the first bytes as show the form, and makes the decoder. */
static ink_status look_through(ink__decompressor *stream, ink_error *error)
{
    const struct magic *form;
    bool                more;

    while ((form = find_magic(stream, &more)) == NULL && more && !stream->all) {
        uint64_t count;
        INK__TRY(read_input(stream, true, stream->first + stream->left, 1, &count, error));
        stream->all = count == 0;
        stream->left += count;
    }
    if (form == NULL)
        return INK_OK;
    if (form->form == FOREIGN)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0,
                         "%s data, expected records, plain or in gzip or zstd%s", form->name,
                         form->instead);
    stream->form = form->form;
    if (!stream->all)
        INK__TRY(ink__allocate(&stream->allocator, PIECE_BYTES, &stream->piece, error));
    return start_decoder(stream, error);
}

/* A stream over nothing yet, which begins with these bytes: copied, or with `all` the caller's. */
static ink_status make_stream(ink__decompressor **stream, const uint8_t *bytes, uint64_t count,
                              bool all, const ink_allocator *allocator, ink_error *error)
{
    ink_allocator given = ink__allocator_or_heap(allocator);

    *stream = NULL;
    INK__TRY(ink__allocate_zeroed(&given, sizeof **stream, stream, error));
    **stream = (ink__decompressor){.allocator = given, .input = {.file = -1}, .all = all};
    (*stream)->next = all ? bytes : (*stream)->first;
    (*stream)->left = count;
    if (!all && count > 0)
        memcpy((*stream)->first, bytes, (size_t)count);
    return INK_OK;
}

static void release_ahead(ink__decompressor *stream)
{
    ahead *a = &stream->ahead;

    ink__release(&stream->allocator, a->input, AHEAD_BYTES);
    ink__release(&stream->allocator, a->output, AHEAD_ROOM);
    ink__release(&stream->allocator, a->parts, a->threads * AHEAD_PARTS * sizeof *a->parts);
}

/* Looks through what was opened with this status, if that is wanted; closes it if either failed. */
static ink_status begin(ink__decompressor **stream, ink_status status, bool look, ink_error *error)
{
    if (status == INK_OK && look)
        status = look_through(*stream, error);
    if (status != INK_OK) {
        ink__decompress_close(*stream);
        *stream = NULL;
    }
    return status;
}

ink_status ink__decompress_open(ink__decompressor **stream, const char *path, const uint8_t *bytes,
                                uint64_t count, bool look, const ink_allocator *allocator,
                                ink_error *error)
{
    INK__TRY(make_stream(stream, bytes, count, path == NULL, allocator, error));
    return begin(stream,
                 path == NULL ? INK_OK : ink__input_open_any(&(*stream)->input, path, error), look,
                 error);
}

ink_status ink__decompress_open_remote(ink__decompressor **stream, const char *address,
                                       uint64_t from, uint64_t until, bool look,
                                       const ink_allocator *allocator, ink_error *error)
{
    INK__TRY(make_stream(stream, NULL, 0, false, allocator, error));
    return begin(stream,
                 ink__webhdfs_open(&(*stream)->remote, address, from, until, NULL,
                                   &(*stream)->allocator, error),
                 look, error);
}

void ink__decompress_close(ink__decompressor *stream)
{
    if (stream == NULL)
        return;
    ink_allocator memory = stream->allocator;

    release_ahead(stream);
    inflateEnd(&stream->gzip); /* these do nothing where nothing was begun */
    ZSTD_freeDCtx(stream->zstd);
    if (stream->input.file >= 0)
        ink__input_close(&stream->input);
    ink__webhdfs_close(stream->remote);
    ink__release(&memory, stream->piece, PIECE_BYTES);
    ink__release(&memory, stream, sizeof *stream);
}

bool ink__decompress_compressed(const ink__decompressor *stream)
{
    return stream->form != PLAIN;
}

ink__input *ink__decompress_plain_file(ink__decompressor *stream)
{
    bool plain = stream->form == PLAIN && stream->input.regular && !stream->input.lent;

    return plain ? &stream->input : NULL;
}

uint64_t ink__decompress_taken(const ink__decompressor *stream)
{
    return stream->taken;
}

/* ---- Plain bytes -------------------------------------------------------------------------- */

static void take(ink__decompressor *stream, uint64_t bytes)
{
    stream->next += bytes;
    stream->left -= bytes;
    stream->taken += bytes;
}

/* Makes sure that some bytes are left, unless the input has ended. */
static ink_status read_piece(ink__decompressor *stream, ink_error *error)
{
    if (stream->left > 0 || stream->all)
        return INK_OK;
    INK__TRY(read_input(stream, true, stream->piece, PIECE_BYTES, &stream->left, error));
    stream->next = stream->piece;
    stream->all = stream->left < PIECE_BYTES;
    return INK_OK;
}

static ink_status read_plain(ink__decompressor *stream, uint8_t *to, uint64_t room, bool fill,
                             uint64_t *count, ink_error *error)
{
    uint64_t more = 0, least = fill ? room : 1;

    *count = stream->left < room ? stream->left : room;
    if (*count > 0) {
        memcpy(to, stream->next, (size_t)*count);
        take(stream, *count);
    }
    while (*count < least && !stream->all) {
        INK__TRY(read_input(stream, false, to + *count, room - *count, &more, error));
        stream->all = more == 0;
        stream->taken += more;
        *count += more;
    }
    return INK_OK;
}

/* ---- Decoding ----------------------------------------------------------------------------- */

static ink_status fail_damaged(const ink__decompressor *stream, uint64_t at, const char *what,
                               ink_error *error)
{
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at, "%s: %s, expected undamaged data",
                     words[stream->form].name, what);
}

static ink_status decode_gzip(ink__decompressor *stream, uint8_t *to, uint64_t room,
                              uint64_t *count, ink_error *error)
{
    z_stream *gzip = &stream->gzip;
    uint64_t  from_bytes = stream->left < ZLIB_BYTES_MAX ? stream->left : ZLIB_BYTES_MAX;
    uint64_t  to_bytes = room < ZLIB_BYTES_MAX ? room : ZLIB_BYTES_MAX;

    gzip->next_in = stream->next;
    gzip->avail_in = (unsigned)from_bytes;
    gzip->next_out = to;
    gzip->avail_out = (unsigned)to_bytes;
    int result = inflate(gzip, Z_NO_FLUSH);
    take(stream, from_bytes - gzip->avail_in);
    *count = to_bytes - gzip->avail_out;
    stream->inside = result != Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END)
        return INK_OK;
    if (result == Z_MEM_ERROR)
        return fail_memory(stream, error);
    return fail_damaged(stream, stream->taken, gzip->msg != NULL ? gzip->msg : "bad data", error);
}

static ink_status fail_zstd(const ink__decompressor *stream, size_t result, ink_error *error)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return fail_memory(stream, error);
    case ZSTD_error_frameParameter_windowTooLarge:
        return ink__fail(error, INK_LIMIT, INK_AT_BYTE, stream->part_at,
                         "zstd: a frame with a window above 8 MiB, expected 8 MiB or less "
                         "(no --long, no --ultra)");
    case ZSTD_error_dictionary_wrong:
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, stream->part_at,
                         "zstd: a frame that needs a dictionary, expected one that does not");
    case ZSTD_error_dstSize_tooSmall: /* or this, by the sizes of frames before */
        return fail_damaged(stream, stream->step_at,
                            ZSTD_getErrorString(ZSTD_error_corruption_detected), error);
    default:
        return fail_damaged(stream, stream->step_at, ZSTD_getErrorName(result), error);
    }
}

/* zstd does not report how far it got in data that it refuses. So it is given no more than its next
 * step needs, which is what it asks for without the head of the next block: the location of a
 * failure is that of a block or its head, however the bytes of the step are split. */
static ink_status decode_zstd(ink__decompressor *stream, uint8_t *to, uint64_t room,
                              uint64_t *count, ink_error *error)
{
    uint64_t       bytes = stream->left < stream->zstd_wants ? stream->left : stream->zstd_wants;
    ZSTD_inBuffer  from = {.src = stream->next, .size = (size_t)bytes};
    ZSTD_outBuffer into = {.dst = to, .size = (size_t)room};
    size_t         result = ZSTD_decompressStream(stream->zstd, &into, &from);

    if (ZSTD_isError(result))
        return fail_zstd(stream, result, error);
    take(stream, from.pos);
    *count = into.pos;
    stream->inside = result != 0;
    stream->zstd_wants -= from.pos;
    if (stream->zstd_wants == 0) {
        stream->zstd_wants = result > BLOCK_HEAD_BYTES ? result - BLOCK_HEAD_BYTES : result;
        stream->step_at = stream->taken;
    }
    return INK_OK;
}

/* Begins the next member or frame, unless the input ends here. */
static ink_status begin_part(ink__decompressor *stream, ink_error *error)
{
    INK__TRY(read_piece(stream, error));
    while (stream->form == GZIP && stream->left > 0 && *stream->next == 0) { /* padding */
        take(stream, 1);
        INK__TRY(read_piece(stream, error));
    }
    if (stream->left == 0)
        return INK_OK;
    /* The rest of what a part starts with is for the decoders to judge; but zstd must not be shown
     * what it takes for its own older forms, for which it does not use our allocator. */
    uint8_t first = *stream->next;
    if (stream->form == GZIP ? first != 0x1f : first != 0x28 && (first & 0xf0) != 0x50)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, stream->taken,
                         "%s: other data after a %s, expected another one or the end",
                         words[stream->form].name, words[stream->form].part);
    stream->inside = true;
    stream->part_at = stream->step_at = stream->taken;
    stream->zstd_wants = ZSTD_FRAMEHEADERSIZE_PREFIX(ZSTD_f_zstd1);
    if (stream->form == GZIP)
        inflateReset(&stream->gzip);
    return INK_OK;
}

/* ---- Parts decoded ahead ------------------------------------------------------------------ */

void ink__decompress_lend(ink__decompressor *stream, const ink__crew *crew)
{
    if (stream->form == PLAIN || !stream->input.regular || stream->all || crew->threads < 2)
        return;
    stream->ahead.crew = crew;
    stream->ahead.threads = crew->threads < AHEAD_THREADS ? crew->threads : AHEAD_THREADS;
}

/* Whether a block of BGZF begins here: a member whose only extra field has its length. */
static bool is_bgzf(const uint8_t *bytes, uint64_t count)
{
    static const uint8_t head[] = {0x1f, 0x8b, 8, 4}, field[] = {6, 0, 'B', 'C', 2, 0};

    return count >= BGZF_HEAD_BYTES && memcmp(bytes, head, sizeof head) == 0 &&
           memcmp(bytes + 10, field, sizeof field) == 0;
}

static bool find_bgzf(const uint8_t *bytes, uint64_t count, ahead_part *part)
{
    if (!is_bgzf(bytes, count))
        return false;
    part->from_bytes = (uint64_t)ink__load_u16(bytes + 16) + 1;
    if (part->from_bytes < BGZF_HEAD_BYTES + 8 || part->from_bytes > count)
        return false;
    part->room = ink__load_u32(bytes + part->from_bytes - 4);
    return part->room <= BGZF_BYTES_MAX;
}

/* What the decoder of streams refuses is left to it. */
static bool find_frame(const uint8_t *bytes, uint64_t count, ahead_part *part)
{
    ZSTD_frameHeader head;
    size_t           size;

    if (count < 4 ||
        (ink__load_u32(bytes) != ZSTD_MAGICNUMBER &&
         (ink__load_u32(bytes) & ZSTD_MAGIC_SKIPPABLE_MASK) != ZSTD_MAGIC_SKIPPABLE_START))
        return false;
    size = ZSTD_findFrameCompressedSize(bytes, (size_t)count);
    if (ZSTD_isError(size) || ZSTD_getFrameHeader(&head, bytes, size) != 0)
        return false;
    const bool content = head.frameType == ZSTD_frame;
    part->from_bytes = size;
    part->room = content ? ZSTD_decompressBound(bytes, size) : 0;
    return !content || (head.windowSize <= (1u << WINDOW_LOG_MAX) && head.dictID == 0 &&
                        part->room != ZSTD_CONTENTSIZE_ERROR);
}

/* Moves the bytes that are left, fewer than this room, to it and fills it; less only at the end. */
static ink_status fill_room(ink__decompressor *stream, uint8_t *to, uint64_t room, ink_error *error)
{
    uint64_t more;

    if (stream->all)
        return INK_OK;
    memmove(to, stream->next, (size_t)stream->left);
    stream->next = to;
    INK__TRY(read_input(stream, true, to + stream->left, room - stream->left, &more, error));
    stream->left += more;
    stream->all = stream->left < room;
    return INK_OK;
}

static ink_status allocate_ahead(ink__decompressor *stream, ink_error *error)
{
    ahead *a = &stream->ahead;

    INK__TRY(ink__allocate(&stream->allocator, AHEAD_BYTES, &a->input, error));
    INK__TRY(ink__allocate(&stream->allocator, AHEAD_ROOM, &a->output, error));
    return ink__allocate(&stream->allocator, a->threads * AHEAD_PARTS * sizeof *a->parts, &a->parts,
                         error);
}

/* Lists the parts that are whole, as many as there is room for. */
static void find_parts(ink__decompressor *stream)
{
    ahead   *a = &stream->ahead;
    uint64_t at = 0, room = 0;

    for (a->count = 0; a->count < a->threads * AHEAD_PARTS; a->count++) {
        ahead_part *part = &a->parts[a->count];
        *part = (ahead_part){.from = stream->next + at, .at = room};
        if (!(stream->form == GZIP ? find_bgzf : find_frame)(part->from, stream->left - at, part) ||
            part->room > AHEAD_ROOM - room)
            return;
        at += part->from_bytes;
        room += part->room;
    }
}

/* Decodes a part whole, with a decoder of the step's own. */
static bool decode_part(ink__decompressor *decoder, const ahead_part *part, uint8_t *to,
                        uint64_t *bytes)
{
    z_stream *gzip = &decoder->gzip;

    if (decoder->form == ZSTD) {
        size_t size = ZSTD_decompressDCtx(decoder->zstd, to, (size_t)part->room, part->from,
                                          (size_t)part->from_bytes);
        *bytes = size;
        return !ZSTD_isError(size);
    }
    inflateReset(gzip);
    gzip->next_in = part->from;
    gzip->avail_in = (unsigned)part->from_bytes;
    gzip->next_out = to;
    gzip->avail_out = (unsigned)part->room;
    *bytes = part->room;
    return inflate(gzip, Z_FINISH) == Z_STREAM_END && gzip->avail_in == 0 && gzip->avail_out == 0;
}

/* Every thread decodes a run of parts, so that it makes one decoder. */
static void decode_run(void *host, uint64_t number)
{
    ink__decompressor *stream = host;
    ahead             *a = &stream->ahead;
    ink__decompressor  decoder = {.allocator = stream->allocator, .form = stream->form};
    uint64_t           i = number * a->count / a->threads;
    const uint64_t     end = (number + 1) * a->count / a->threads;
    bool               good = i < end && start_decoder(&decoder, NULL) == INK_OK;

    for (; i < end && good; i += good) {
        ahead_part *part = &a->parts[i];
        good = part->good = decode_part(&decoder, part, a->output + part->at, &part->bytes);
    }
    if (i < end)
        a->parts[i].refused_bytes = decoder.refused_bytes;
    inflateEnd(&decoder.gzip);
    ZSTD_freeDCtx(decoder.zstd);
}

/* Decodes some parts ahead, if several are there whole. A part that fails, and all after it, are
 * left to the decoder of streams, which reports what is wrong and where. */
static ink_status decode_ahead(ink__decompressor *stream, ink_error *error)
{
    ahead   *a = &stream->ahead;
    unsigned good = 0;

    a->count = a->given = 0;
    a->given_bytes = 0;
    if (a->crew == NULL)
        return INK_OK;
    if (stream->left < BGZF_HEAD_BYTES)
        INK__TRY(fill_room(stream, stream->piece, PIECE_BYTES, error));
    const bool known = stream->form == ZSTD || is_bgzf(stream->next, stream->left);
    if (known && a->parts == NULL)
        INK__TRY(allocate_ahead(stream, error));
    if (known && stream->left < AHEAD_BYTES / 2)
        INK__TRY(fill_room(stream, a->input, AHEAD_BYTES, error));
    if (known)
        find_parts(stream);
    if (a->count < 2) { /* a member of another sort, a frame that is too large, or the last one */
        a->crew = NULL;
        a->count = 0;
        return INK_OK;
    }
    a->crew->each(a->crew->lender, a->threads, a->threads, decode_run, stream);
    while (good < a->count && a->parts[good].good)
        take(stream, a->parts[good++].from_bytes);
    if (good < a->count) {
        a->crew = NULL;
        stream->refused_bytes = a->parts[good].refused_bytes;
    }
    a->count = good;
    if (stream->refused_bytes > 0)
        return fail_memory(stream, error);
    return INK_OK;
}

/* Gives out what was decoded ahead; *count is 0 if there is no more of it. */
static void read_ahead_parts(ink__decompressor *stream, uint8_t *to, uint64_t room, uint64_t *count)
{
    ahead *a = &stream->ahead;

    for (*count = 0; *count < room && a->given < a->count;) {
        const ahead_part *part = &a->parts[a->given];
        const uint64_t    rest = part->bytes - a->given_bytes;
        const uint64_t    some = rest < room - *count ? rest : room - *count;
        if (some > 0)
            memcpy(to + *count, a->output + part->at + a->given_bytes, (size_t)some);
        *count += some;
        a->given_bytes += some;
        if (a->given_bytes == part->bytes) {
            a->given++;
            a->given_bytes = 0;
        }
    }
}

ink_status ink__decompress_read_some(ink__decompressor *stream, uint8_t *to, uint64_t room,
                                     uint64_t *count, ink_error *error)
{
    if (stream->form == PLAIN)
        return read_plain(stream, to, room, false, count, error);
    return ink__decompress_read(stream, to, room, count, error);
}

ink_status ink__decompress_read(ink__decompressor *stream, uint8_t *to, uint64_t room,
                                uint64_t *count, ink_error *error)
{
    if (stream->form == PLAIN)
        return read_plain(stream, to, room, true, count, error);
    for (*count = 0; *count < room;) {
        uint64_t more = 0, rest = room - *count;
        if (stream->ahead.given == stream->ahead.count && !stream->inside)
            INK__TRY(decode_ahead(stream, error));
        if (stream->ahead.given < stream->ahead.count) {
            read_ahead_parts(stream, to + *count, rest, &more);
            *count += more;
            continue;
        }
        if (!stream->inside) {
            INK__TRY(begin_part(stream, error));
            if (!stream->inside)
                return INK_OK;
        }
        INK__TRY(read_piece(stream, error));
        if (stream->left == 0)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, stream->taken,
                             "the %s data ends within a %s, expected its end",
                             words[stream->form].name, words[stream->form].part);
        if (stream->form == GZIP)
            INK__TRY(decode_gzip(stream, to + *count, rest, &more, error));
        else
            INK__TRY(decode_zstd(stream, to + *count, rest, &more, error));
        *count += more;
    }
    return INK_OK;
}
