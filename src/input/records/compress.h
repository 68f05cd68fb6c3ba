/* compress.h - gzip members and zstd frames, each made whole in memory: pieces of a file that
 * several threads compress. */
#ifndef INK_INPUT_RECORDS_COMPRESS_H
#define INK_INPUT_RECORDS_COMPRESS_H

#include "input/records/decompress.h"

/* One for each thread, with the memory of the compressors. All zero but the allocator at first. */
typedef struct ink__compressor {
    ink_allocator allocator;
    void         *gzip, *zstd; /* NULL: not needed yet */
} ink__compressor;

void ink__compressor_end(ink__compressor *compressor);

/* The most bytes that `count` bytes take. */
uint64_t ink__compress_room(ink__compression form, uint64_t count);

/* Makes one member or frame of `count` bytes, of which there may be none, with the usual level of
 * its program: gzip 6, zstd 3. *bytes is what it took of the room, which is enough for any. */
ink_status ink__compress(ink__compressor *compressor, ink__compression form, const uint8_t *from,
                         uint64_t count, uint8_t *to, uint64_t room, uint64_t *bytes,
                         ink_error *error);

#endif
