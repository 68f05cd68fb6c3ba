/* decompress.h - an input read from its start to its end, looking through gzip and zstd. */
#ifndef INK_INPUT_RECORDS_DECOMPRESS_H
#define INK_INPUT_RECORDS_DECOMPRESS_H

#include "base/crew.h"
#include "base/files.h"

typedef struct ink__decompressor ink__decompressor;

typedef enum ink__compression {
    INK__COMPRESSION_NONE,
    INK__COMPRESSION_GZIP,
    INK__COMPRESSION_ZSTD,
} ink__compression;

/* What a file is that begins with these bytes; four show it. */
ink__compression ink__compression_of(const uint8_t *bytes, uint64_t count);

/* Opens the file `path`, "-" for standard input, of which the first `count` bytes, at most
 * INK__BEGUN_BYTES, were read already: they come first, and are copied. `path` NULL: `count` bytes
 * in memory, which must outlive the stream. With `look` the first bytes decide whether it is gzip
 * or zstd; without it nothing is read yet, and bytes are read as they are. `allocator` NULL means
 * malloc. On failure *stream is NULL. */
enum { INK__BEGUN_BYTES = 8 };
ink_status ink__decompress_open(ink__decompressor **stream, const char *path, const uint8_t *bytes,
                                uint64_t count, bool look, const ink_allocator *allocator,
                                ink_error *error);
void       ink__decompress_close(ink__decompressor *stream); /* NULL is allowed */

/* The same for a WebHDFS address, from byte `from` on, to be read up to `until` or a bit more. */
ink_status ink__decompress_open_remote(ink__decompressor **stream, const char *address,
                                       uint64_t from, uint64_t until, bool look,
                                       const ink_allocator *allocator, ink_error *error);

/* Lends threads that decode members and frames of a regular file beside each other, some ahead of
 * what is read, where their lengths are known: blocks of BGZF, and frames of zstd of some MiB. The
 * bytes and failures are the same. The crew must outlive the stream. */
void ink__decompress_lend(ink__decompressor *stream, const ink__crew *crew);

bool ink__decompress_compressed(const ink__decompressor *stream);

/* The file of the stream, to be mapped instead of read: regular, maybe empty, and not compressed.
 * NULL for everything else, and for standard input, of which the caller may have read a part. The
 * stream closes it; the map stays. */
ink__input *ink__decompress_plain_file(ink__decompressor *stream);

/* Reads the next bytes; *count < room only at the end. INK_FORMAT, at the byte of the compressed
 * input that the decoder had reached: data that are damaged, cut off, or followed by other data.
 * INK_LIMIT: a zstd window above 8 MiB. After a failure a stream can only be closed. */
ink_status ink__decompress_read(ink__decompressor *stream, uint8_t *to, uint64_t room,
                                uint64_t *count, ink_error *error);

/* The same, but reads only what the input has now, at least a byte; *count is 0 only at the end. */
ink_status ink__decompress_read_some(ink__decompressor *stream, uint8_t *to, uint64_t room,
                                     uint64_t *count, ink_error *error);

/* How many bytes of the input have been taken, compressed as they stand there. */
uint64_t ink__decompress_taken(const ink__decompressor *stream);

#endif
