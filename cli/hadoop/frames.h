/* frames.h - pieces between map and reduce, as Hadoop Streaming exchanges them ("rawbytes"): a
 * length, a key, a length, a value; lengths are 32 bits, big-endian. The key selects the reducer;
 * docs/output.md has the rule. */
#ifndef INK_CLI_HADOOP_FRAMES_H
#define INK_CLI_HADOOP_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `write` takes bytes in order, as that of ink_sink. */
typedef struct frame_writer {
    uint32_t buckets;
    int (*write)(void *host, const void *bytes, size_t count);
    void *host;
} frame_writer;

/* An ink_piece_sink.take; host is a frame_writer. EFBIG for a piece of 2^31 bytes or more. */
int frame_take(void *host, uint32_t bucket, const uint8_t *bytes, size_t count);

typedef struct frame_reader {
    const char *path; /* "-": standard input */
    int         descriptor;
    uint64_t    taken; /* bytes so far ... */
    uint64_t    count; /* ... and frames */
    uint8_t    *value; /* of the last one */
    size_t      value_bytes, room;
    uint8_t    *buffer;
    size_t      used, at;
} frame_reader;

int  frames_open(frame_reader *reader, const char *path);
void frames_close(frame_reader *reader);

/* Reads the next frame; its value is valid until the next call. *more becomes false after the last
 * one. A truncated frame, or one with an impossible length, is a bad file. */
int frames_next(frame_reader *reader, bool *more);

#endif
