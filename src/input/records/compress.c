/* compress.c - gzip members and zstd frames, made whole in memory. */
#define ZLIB_CONST
#define ZSTD_STATIC_LINKING_ONLY
#include "input/records/compress.h"

#include "base/memory.h"
#include "base/status.h"

#include <zlib.h>
#include <zstd.h>

enum {
    GZIP_LEVEL = 6,
    ZSTD_LEVEL = 3,
    GZIP_WINDOW = 15 + 16, /* with the head and end of gzip */
    GZIP_MEMORY = 8,
};
#define GZIP_STEP ((uint64_t)1 << 30) /* its counts have 32 bits */

static void *take(void *host, size_t bytes)
{
    return ink__take_sized(host, bytes);
}

static void give_back(void *host, void *memory)
{
    ink__give_back_sized(host, memory);
}

static void *gzip_take(void *host, unsigned items, unsigned bytes)
{
    return take(host, (size_t)items * bytes);
}

uint64_t ink__compress_room(ink__compression form, uint64_t count)
{
    if (form == INK__COMPRESSION_GZIP) /* deflateBound of any member, and more */
        return count + count / 1000 + 4096;
    return form == INK__COMPRESSION_ZSTD ? ZSTD_compressBound((size_t)count) : count;
}

void ink__compressor_end(ink__compressor *compressor)
{
    if (compressor->gzip != NULL) {
        deflateEnd(compressor->gzip);
        give_back(&compressor->allocator, compressor->gzip);
    }
    ZSTD_freeCCtx(compressor->zstd);
    compressor->gzip = compressor->zstd = NULL;
}

static ink_status refuse_memory(ink_error *error)
{
    return ink__fail(error, INK_MEMORY, INK_NOWHERE, 0, "no memory for a compressor");
}

static ink_status open_gzip(ink__compressor *compressor, ink_error *error)
{
    z_stream *stream = compressor->gzip;

    if (stream != NULL) {
        deflateReset(stream);
        return INK_OK;
    }
    stream = take(&compressor->allocator, sizeof *stream);
    if (stream == NULL)
        return refuse_memory(error);
    *stream = (z_stream){.zalloc = gzip_take, .zfree = give_back, .opaque = &compressor->allocator};
    if (deflateInit2(stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        give_back(&compressor->allocator, stream);
        return refuse_memory(error);
    }
    compressor->gzip = stream;
    return INK_OK;
}

static ink_status gzip(ink__compressor *compressor, const uint8_t *from, uint64_t count,
                       uint8_t *to, uint64_t room, uint64_t *bytes, ink_error *error)
{
    int result;

    INK__TRY(open_gzip(compressor, error));
    z_stream *stream = compressor->gzip;
    stream->next_in = from;
    stream->next_out = to;
    do {
        uint64_t left = count - (uint64_t)(stream->next_in - from);
        uint64_t space = room - (uint64_t)(stream->next_out - to);
        stream->avail_in = (unsigned)(left < GZIP_STEP ? left : GZIP_STEP);
        stream->avail_out = (unsigned)(space < GZIP_STEP ? space : GZIP_STEP);
        result = deflate(stream, left <= GZIP_STEP ? Z_FINISH : Z_NO_FLUSH);
    } while (result == Z_OK);
    *bytes = (uint64_t)(stream->next_out - to);
    return result == Z_STREAM_END ? INK_OK : refuse_memory(error);
}

static ink_status zstd(ink__compressor *compressor, const uint8_t *from, uint64_t count,
                       uint8_t *to, uint64_t room, uint64_t *bytes, ink_error *error)
{
    const ZSTD_customMem memory = {take, give_back, &compressor->allocator};

    if (compressor->zstd == NULL)
        compressor->zstd = ZSTD_createCCtx_advanced(memory);
    if (compressor->zstd == NULL)
        return refuse_memory(error);
    ZSTD_CCtx_setParameter(compressor->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(compressor->zstd, ZSTD_c_checksumFlag, 1);
    size_t made = ZSTD_compress2(compressor->zstd, to, (size_t)room, from, (size_t)count);
    *bytes = made;
    return ZSTD_isError(made) ? refuse_memory(error) : INK_OK;
}

ink_status ink__compress(ink__compressor *compressor, ink__compression form, const uint8_t *from,
                         uint64_t count, uint8_t *to, uint64_t room, uint64_t *bytes,
                         ink_error *error)
{
    if (form == INK__COMPRESSION_GZIP)
        return gzip(compressor, from, count, to, room, bytes, error);
    return zstd(compressor, from, count, to, room, bytes, error);
}
