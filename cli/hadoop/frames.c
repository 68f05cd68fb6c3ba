/* frames.c - pieces between map and reduce, as Hadoop Streaming exchanges them.
 *
 * Hadoop's default partitioner hashes the bytes of a key, h = 31 h + byte from h = 1 on, modulo the
 * number of reducers. Three bytes below 31 are the digits of a number to base 31; their hash is
 * that number plus 31^3, so every reducer has a key. */
#define _POSIX_C_SOURCE 200809L
#include "hadoop/frames.h"

#include "arguments/inputs.h"
#include "report/failure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAME_KEY_BYTES = 3, BASE = 31, LENGTH_BYTES = 4, BUFFER_BYTES = 1 << 16 };

/* The key that Hadoop's default partitioner sends to `bucket`; `buckets` is at most 4096. */
static void frame_key(uint32_t bucket, uint32_t buckets, uint8_t key[FRAME_KEY_BYTES])
{
    uint32_t first = BASE * BASE * BASE % buckets;
    uint32_t number = (bucket + buckets - first) % buckets;

    key[0] = (uint8_t)(number / (BASE * BASE));
    key[1] = (uint8_t)(number / BASE % BASE);
    key[2] = (uint8_t)(number % BASE);
}

static void store_length(uint8_t to[LENGTH_BYTES], uint32_t length)
{
    for (int i = 0; i < LENGTH_BYTES; i++)
        to[i] = (uint8_t)(length >> (24 - 8 * i));
}

int frame_take(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    const frame_writer *to = host;
    uint8_t             head[LENGTH_BYTES + FRAME_KEY_BYTES + LENGTH_BYTES];

    if (count > INT32_MAX)
        return EFBIG;
    store_length(head, FRAME_KEY_BYTES);
    frame_key(bucket, to->buckets, head + LENGTH_BYTES);
    store_length(head + LENGTH_BYTES + FRAME_KEY_BYTES, (uint32_t)count);
    int os_error = to->write(to->host, head, sizeof head);
    return os_error != 0 ? os_error : to->write(to->host, bytes, count);
}

int frames_open(frame_reader *reader, const char *path)
{
    *reader = (frame_reader){.path = path, .descriptor = file_open(path)};
    if (reader->descriptor < 0)
        return fail(CODE_IO, "%s: cannot open: %s", shown(path), strerror(errno));
    reader->buffer = need_memory(NULL, BUFFER_BYTES);
    reader->room = BUFFER_BYTES;
    reader->value = need_memory(NULL, reader->room);
    return 0;
}

void frames_close(frame_reader *reader)
{
    if (reader->descriptor > STDIN_FILENO)
        close(reader->descriptor);
    free(reader->buffer);
    free(reader->value);
    *reader = (frame_reader){.descriptor = -1};
}

/* Reads once, at most `count` bytes; *got becomes 0 at the end. */
static int read_some(const frame_reader *reader, uint8_t *to, size_t count, size_t *got)
{
    ssize_t some;

    do
        some = read(reader->descriptor, to, count);
    while (some < 0 && errno == EINTR);
    if (some < 0)
        return fail(CODE_IO, "%s: cannot read: %s", shown_path(reader->path), strerror(errno));
    *got = (size_t)some;
    return 0;
}

/* Takes `count` bytes; *got is less at the end of the input. */
static int take_bytes(frame_reader *reader, uint8_t *to, size_t count, size_t *got)
{
    size_t some;

    for (*got = 0; *got < count; *got += some, reader->taken += some) {
        some = reader->used - reader->at;
        if (some == 0) {
            bool direct = count - *got >= BUFFER_BYTES; /* no copy of large values */
            TRY(read_some(reader, direct ? to + *got : reader->buffer,
                          direct ? count - *got : BUFFER_BYTES, &some));
            if (some == 0)
                return 0;
            if (direct)
                continue;
            reader->at = 0;
            reader->used = some;
        }
        some = some < count - *got ? some : count - *got;
        memcpy(to + *got, reader->buffer + reader->at, some);
        reader->at += some;
    }
    return 0;
}

static int fail_cut(const frame_reader *reader, size_t got, const char *what, size_t expected)
{
    return fail(CODE_FILE,
                "%s: byte %" PRIu64 ": the input ends after %zu bytes of a frame's %s, expected "
                "%zu",
                shown_path(reader->path), reader->taken, got, what, expected);
}

static int take_length(frame_reader *reader, const char *what, int32_t *length, bool *more)
{
    uint8_t bytes[LENGTH_BYTES];
    size_t  got;

    TRY(take_bytes(reader, bytes, sizeof bytes, &got));
    *more = got > 0;
    if (got == 0)
        return 0;
    if (got < sizeof bytes)
        return fail_cut(reader, got, what, sizeof bytes);
    *length = (int32_t)((uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                        (uint32_t)bytes[2] << 8 | bytes[3]);
    return 0;
}

static int take_key(frame_reader *reader, bool *more)
{
    uint8_t key[FRAME_KEY_BYTES];
    int32_t length = 0;
    size_t  got;

    TRY(take_length(reader, "key length", &length, more));
    if (!*more)
        return 0;
    if (length != FRAME_KEY_BYTES)
        return fail(CODE_FILE,
                    "%s: byte %" PRIu64 ": a frame with a key of %" PRId32
                    " bytes, expected %d, as ink map writes them",
                    shown_path(reader->path), reader->taken - LENGTH_BYTES, length,
                    FRAME_KEY_BYTES);
    TRY(take_bytes(reader, key, sizeof key, &got));
    return got < sizeof key ? fail_cut(reader, got, "key", sizeof key) : 0;
}

/* Memory grows with the bytes read: the length is not trusted. */
static int take_value(frame_reader *reader, size_t length)
{
    size_t got, some;

    for (got = 0; got < length; got += some) {
        if (got == reader->room) {
            reader->room = 2 * reader->room < length ? 2 * reader->room : length;
            reader->value = need_memory(reader->value, reader->room);
        }
        size_t wanted = (reader->room < length ? reader->room : length) - got;
        TRY(take_bytes(reader, reader->value + got, wanted, &some));
        if (some < wanted)
            return fail_cut(reader, got + some, "value", length);
    }
    reader->value_bytes = length;
    return 0;
}

int frames_next(frame_reader *reader, bool *more)
{
    int32_t length = 0;
    bool    there;

    TRY(take_key(reader, more));
    if (!*more)
        return 0;
    TRY(take_length(reader, "value length", &length, &there));
    if (!there)
        return fail_cut(reader, 0, "value length", LENGTH_BYTES);
    if (length < 0)
        return fail(CODE_FILE,
                    "%s: byte %" PRIu64 ": a frame with a value of %" PRId32
                    " bytes, expected 0 or more",
                    shown_path(reader->path), reader->taken - LENGTH_BYTES, length);
    reader->count++;
    return take_value(reader, (size_t)length);
}
