/* frames.h - pieces between two halves of a job, as Hadoop Streaming takes and gives them
 * ("rawbytes"): a length, a key, a length, a value; lengths are 32 bits, big-endian. The key tells
 * Hadoop which reducer the value goes to. docs/output.md has the rule. */
#ifndef INK_CLI_HADOOP_FRAMES_H
#define INK_CLI_HADOOP_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Writing ------------------------------------------------------------------------------ */

/* Where frames go: bytes in order, as for ink_sink. */
typedef struct frame_writer {
    uint32_t buckets;
    int (*write)(void *host, const void *bytes, size_t count);
    void *host;
} frame_writer;

/* For ink_piece_sink.take; host is a frame_writer. EFBIG for a piece of 2^31 bytes or more. */
int frame_take(void *host, uint32_t bucket, const uint8_t *bytes, size_t count);

/* ---- Reading ------------------------------------------------------------------------------ */

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

/* Returns 0, or prints a line and returns a code, as the others do. */
int  frames_open(frame_reader *reader, const char *path);
void frames_close(frame_reader *reader);

/* Reads the next frame; its value is the reader's, and good until the next call. *more becomes
 * false behind the last one. What is cut, or has a length that no frame has, is a bad file. */
int frames_next(frame_reader *reader, bool *more);

#endif
