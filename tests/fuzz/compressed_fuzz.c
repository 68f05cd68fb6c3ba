/* compressed_fuzz.c - what gzip and zstd are looked through for: members and frames one after
 * another, damaged, cut off, too large, or followed by something else. However the compressed bytes
 * come, in memory at once or read in any pieces, and however much is wanted at a time, the same
 * bytes are found, and then the end, after the last whole member or frame, or the same message at
 * the same location, which lies within the input; and whatever a header promises, the memory is
 * that of a window of 8 MiB and no more. An input is the compressed bytes. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "base/system.h"
#include "input/records/decompress.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <stdio.h>

#include <zlib.h>
#include <zstd.h>

enum {
    MOST_BYTES = 1 << 14,
    /* What a bomb of that size comes to is read no further than this. */
    READ_BYTES_MAX = 4 << 20,
    /* A window of 8 MiB and the 128 KiB after it; what decoders take besides; a piece of input. */
    MEMORY_MAX = (8 << 20) + (1 << 20),
    FILE_HERE = 7,
};

/* ---- Where it begins ---------------------------------------------------------------------- */

/* `streamed`: the size does not stand in the header, but the window does. */
static size_t put_zstd(uint8_t *to, size_t room, const void *from, size_t count, int window_log,
                       bool streamed)
{
    ZSTD_CCtx     *zstd = ZSTD_createCCtx();
    ZSTD_inBuffer  in = {from, count, 0};
    ZSTD_outBuffer out = {to, room, 0};

    assert_non_null(zstd);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, window_log % 2);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, !streamed);
    if (window_log > 0)
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, window_log);
    if (streamed) {
        ZSTD_inBuffer begin = {from, count / 2, 0};
        assert_false(ZSTD_isError(ZSTD_compressStream2(zstd, &out, &begin, ZSTD_e_flush)));
        in.pos = begin.pos;
    }
    assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(zstd);
    return out.pos;
}

static size_t put_skippable(uint8_t *to, size_t room, uint32_t says, uint32_t has)
{
    uint8_t head[8] = {(uint8_t)(0x50 + says % 16), 0x2a, 0x4d, 0x18};

    if (sizeof head + has > room)
        return 0;
    for (unsigned i = 0; i < 4; i++)
        head[4 + i] = (uint8_t)(says >> 8 * i);
    memcpy(to, head, sizeof head);
    memset(to + sizeof head, 'x', has);
    return sizeof head + has;
}

/* Frames of zstd that no encoder here makes: what must be refused by name, or by its older form,
 * and a bomb of blocks that repeat a byte. */
static size_t put_strange_zstd(uint8_t *to, size_t room, unsigned which)
{
    static const struct {
        uint8_t  bytes[18];
        unsigned count;
    } strange[] = {
        {{0x28, 0xb5, 0x2f, 0xfd, 0, 0x70, 0x21, 0, 0, 't', 'e', 'x', 't'}, 13}, /* 16 MiB */
        {{0x28, 0xb5, 0x2f, 0xfd, 0, 0xff, 0x21, 0, 0, 't', 'e', 'x', 't'}, 13},
        {{0x28, 0xb5, 0x2f, 0xfd, 0, 0x68, 0x21, 0, 0, 't', 'e', 'x', 't'}, 13}, /* 8 MiB */
        /* A single segment of 2^60 bytes, and of 4. */
        {{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x10, 1, 0, 0}, 16},
        {{0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0x21, 0, 0, 't', 'e', 'x', 't'}, 13},
        {{0x28, 0xb5, 0x2f, 0xfd, 1, 0, 5, 1, 0, 0}, 10}, /* with a dictionary */
        {{0x27, 0xb5, 0x2f, 0xfd, 0, 0, 1, 0, 0}, 9},     /* of zstd 0.7 */
    };
    enum { STRANGE = sizeof strange / sizeof strange[0], BLOCK = 4 };

    if (which % (STRANGE + 1) < STRANGE) {
        which %= STRANGE + 1;
        if (strange[which].count > room)
            return 0;
        memcpy(to, strange[which].bytes, strange[which].count);
        return strange[which].count;
    }
    if (room < 6 + BLOCK)
        return 0;
    memcpy(to, strange[2].bytes, 6);
    size_t blocks = (room - 6) / BLOCK < 1000 ? (room - 6) / BLOCK : 1000, used = 6;
    for (size_t i = 0; i < blocks; i++, used += BLOCK) {
        uint32_t head = (i + 1 == blocks) | 1 << 1 | 1u << 17 << 3; /* 128 KiB of one byte */
        for (unsigned b = 0; b < 3; b++)
            to[used + b] = (uint8_t)(head >> 8 * b);
        to[used + 3] = 'x';
    }
    return used;
}

static char text[20000];

static void begin(void)
{
    fuzz_draw_from(5);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 17 == 16 ? '\n' : (char)('a' + fuzz_draw(20) * fuzz_draw(20) / 20);
}

/* Something that may stand in an input: a part of it, or what is none. */
enum { PARTS = 24 };
static size_t put_part(uint8_t *to, size_t room, unsigned which)
{
    if (room < 6000)
        return 0;
    switch (which % PARTS) {
    case 0:
        return records_gzip_to(to, room, text, 40);
    case 1:
        return records_gzip_to(to, room, text, 0);
    case 2:
        return records_gzip_to(to, room, text, 3000);
    case 3:
        memset(to, 0, 12);
        return 12;
    case 4:
        memcpy(to, "not compressed\n", 15);
        return 15;
    case 5:
        return put_zstd(to, room, text, 40, 0, false);
    case 6:
        return put_zstd(to, room, text, 3000, 23, true);
    case 7:
        return put_zstd(to, room, text, 40, 24, true);
    case 8:
        return put_zstd(to, room, text, 0, 0, false);
    case 9:
        return put_skippable(to, room, 11, 11);
    case 10:
        return put_skippable(to, room, 0, 0);
    case 11:
        return put_skippable(to, room, UINT32_MAX, 40);
    case 12:
        return put_zstd(to, room, text, 40, 11, true);
    case 13: { /* a bomb of gzip */
        static uint8_t zeros[2 << 20];
        return records_gzip_to(to, room, zeros, sizeof zeros);
    }
    default:
        return put_strange_zstd(to, room, which % PARTS - 14);
    }
}

/* Each part, and each after another one of its format. */
static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= 3 * PARTS)
        return SIZE_MAX;
    size_t used = 0;
    if (index >= PARTS)
        used = put_part(to, room, index < 2 * PARTS ? 0 : 5);
    return used + put_part(to + used, room - used, index);
}

/* ---- Changes ------------------------------------------------------------------------------ */

static size_t change(uint8_t *bytes, size_t count, size_t room)
{
    switch (fuzz_draw(5)) {
    case 0: /* another part after it */
        return count + put_part(bytes + count, room - count, (unsigned)fuzz_draw(PARTS));
    case 1: /* cut off */
        return fuzz_draw(count + 1);
    case 2: /* in the header */
        if (count > 0)
            bytes[fuzz_draw(count < 20 ? count : 20)] = (uint8_t)fuzz_draw(256);
        return count;
    default:
        return fuzz_scramble(bytes, count, room);
    }
}

/* ---- A file that is read in pieces -------------------------------------------------------- */

static struct {
    const uint8_t *bytes;
    size_t         count, at;
    uint64_t       cut; /* pieces have up to this number of bytes */
    bool           regular;
} here;

static int open_here(const char *path, ink__open_how how, unsigned mode)
{
    (void)path;
    (void)how;
    (void)mode;
    return FILE_HERE;
}

static int close_here(int file)
{
    assert_int_equal(file, FILE_HERE);
    return 0;
}

static int stat_here(int file, ink__stat *stat)
{
    assert_int_equal(file, FILE_HERE);
    *stat = (ink__stat){.bytes = here.count, .regular = here.regular, .pipe = !here.regular};
    return 0;
}

static long long read_here(int file, void *to, size_t bytes)
{
    size_t left = here.count - here.at, most = 1 + (size_t)fuzz_draw(here.cut);

    assert_int_equal(file, FILE_HERE);
    if (fuzz_draw(8) == 0)
        return -EINTR;
    if (bytes > left)
        bytes = left;
    if (bytes > most)
        bytes = most;
    memcpy(to, here.bytes + here.at, bytes);
    here.at += bytes;
    return (long long)bytes;
}

/* ---- Trial -------------------------------------------------------------------------------- */

typedef struct outcome {
    ink_status status;
    ink_error  error;
    uint64_t   count; /* of the bytes that were found ... */
    uLong      sum;   /* ... and their CRC */
    bool       compressed;
} outcome;

/* Reads a stream to its end, or as far as anybody would, this number of bytes at a time; 0: as many
 * as are drawn, at first only a few. */
static void read_all(ink__decompressor *stream, uint64_t room, outcome *found)
{
    static uint8_t to[1 << 16];
    uint64_t       count, wanted;

    do {
        uint64_t left = READ_BYTES_MAX - found->count;
        wanted = room > 0 ? room : 1 + fuzz_draw(found->count < 1000 ? 10 : sizeof to);
        wanted = wanted < left ? wanted : left;
        found->status = ink__decompress_read(stream, to, wanted, &count, &found->error);
        if (found->status != INK_OK)
            return; /* what was decoded before it in this turn is not given */
        assert_true(count <= wanted);
        found->sum = crc32(found->sum, to, (uInt)count);
        found->count += count;
    } while (count == wanted && found->count < READ_BYTES_MAX);
}

static outcome decode(const uint8_t *bytes, size_t count, bool in_memory, uint64_t room)
{
    faults_memory       memory = {.unfilled = true}; /* windows are large */
    const ink_allocator allocator = faults_allocator(&memory);
    ink__decompressor  *stream;
    outcome             found = {0};

    found.status = ink__decompress_open(&stream, in_memory ? NULL : "fuzz", bytes,
                                        in_memory ? count : 0, true, &allocator, &found.error);
    if (found.status == INK_OK) {
        found.compressed = ink__decompress_compressed(stream);
        read_all(stream, room, &found);
        assert_true(ink__decompress_taken(stream) <= count);
        if (found.status == INK_OK && found.count < READ_BYTES_MAX)
            assert_int_equal(ink__decompress_taken(stream), count);
        ink__decompress_close(stream);
    }
    faults_check_no_leak(&memory);
    if (memory.most_bytes > MEMORY_MAX)
        fail_msg("%llu bytes of memory for %zu", (unsigned long long)memory.most_bytes, count);
    return found;
}

static void check_same(const outcome *a, const outcome *b, size_t count)
{
    if (a->status != b->status)
        fail_msg("%s: \"%s\", read otherwise %s: \"%s\"", ink_status_name(a->status),
                 a->error.message, ink_status_name(b->status), b->error.message);
    if (a->status == INK_OK) {
        assert_int_equal(a->compressed, b->compressed);
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->sum, b->sum);
        return;
    }
    assert_true(a->status == INK_FORMAT || a->status == INK_LIMIT);
    assert_string_equal(a->error.message, b->error.message);
    assert_true(strlen(a->error.message) > 10);
    assert_true(a->error.location == INK_AT_BYTE && a->error.at <= count);
    if (a->error.at != b->error.at)
        fail_msg("\"%s\" at %llu, read otherwise at %llu", a->error.message,
                 (unsigned long long)a->error.at, (unsigned long long)b->error.at);
}

/* How many bytes the member or frame that stands here takes, 0 if it is none that is whole; by the
 * decoders themselves, on all bytes at once. */
static size_t whole_part(const uint8_t *bytes, size_t count, uint64_t *found)
{
    static uint8_t to[1 << 16];
    z_stream       z = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)count};
    int            result = Z_OK;

    if (bytes[0] != 0x1f) {
        size_t taken = ZSTD_findFrameCompressedSize(bytes, count);
        return ZSTD_isError(taken) ? 0 : taken;
    }
    assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
    while (result == Z_OK) {
        z.next_out = to;
        z.avail_out = sizeof to;
        result = inflate(&z, Z_NO_FLUSH);
    }
    *found += z.total_out;
    inflateEnd(&z);
    return result == Z_STREAM_END ? z.total_in : 0;
}

/* What was read to its end consists of whole members or frames, and of zeros after members. */
static void check_whole(const uint8_t *bytes, size_t count, const outcome *found)
{
    uint64_t in_members = 0;
    size_t   taken;

    if (found->status != INK_OK || !found->compressed || found->count == READ_BYTES_MAX)
        return;
    bool gzip = bytes[0] == 0x1f;
    for (size_t at = 0; at < count; at += taken) {
        taken = gzip && bytes[at] == 0 ? 1 : whole_part(bytes + at, count - at, &in_members);
        if (taken == 0)
            fail_msg("read to its end, though it is not whole at byte %zu of %zu", at, count);
    }
    if (gzip)
        assert_int_equal(in_members, found->count);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    ink__system system = ink__posix;

    system.open = open_here;
    system.close = close_here;
    system.stat_file = stat_here;
    system.read = read_here;
    uint64_t sum = count;
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + bytes[i];
    fuzz_draw_from(sum);
    const outcome whole = decode(bytes, count, true, 1 << 16);
    here.bytes = bytes;
    here.count = count;
    here.at = 0;
    here.cut = sum % 3 == 0 ? 1 : sum % 3 == 1 ? 100 : MOST_BYTES;
    here.regular = sum % 2 == 0;
    ink__system_replace(&system);
    const outcome cut = decode(bytes, count, false, 0);
    ink__system_replace(NULL);
    check_same(&whole, &cut, count);
    check_whole(bytes, count, &whole);
}

const fuzz_target fuzz_here = {
    .name = "compressed",
    .most_bytes = MOST_BYTES,
    .rounds = 1200,
    .begin = begin,
    .seed = seed,
    .change = change,
    .attempt = attempt,
};
