/* live_fuzz.c - live input from files, also as they grow, are cut or replaced, and from FIFOs. In
 * all cases the bytes of a file come once and in order, as whole records as long as more may come;
 * a source that is closed and opened again at its location goes on there, or says that a record has
 * grown.
 *
 * The first bytes of an input say where data come from, what a record is, how much is read at a
 * time and when the stream is opened anew; then come the steps, each the bytes that are written at
 * a time, with a byte between them that says how: 0xff after the others, 0xfe after the file was
 * cut to nothing, 0xfd in a new file of its name. */
#define _GNU_SOURCE 1
#include "fuzz/fuzz.h"

#include "base/system.h"
#include "input/live/live_source.h"
#include "support/check.h"
#include "support/faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 4, MOST_BYTES = 1 << 11, TURNS_MAX = 100000 };
enum { APPENDS = 0xff, CUTS = 0xfe, REPLACES = 0xfd };
#define SECOND ((uint64_t)1000000000)

static ink_error error;
static char      folder[64], path[80], fresh[80];

/* ---- A system in which waiting costs nothing ---------------------------------------------- */

static ink__system system_here;
static uint64_t    clock_now;

static uint64_t reported_nanoseconds(void)
{
    return clock_now;
}

static int skip_time(int file, int what, int milliseconds)
{
    int ready = file < 0 ? 0 : ink__posix.wait(file, what, 0);

    if (ready == 0)
        clock_now += (uint64_t)milliseconds * 1000000;
    return ready;
}

static void leave(void)
{
    unlink(path);
    rmdir(folder);
}

static void begin(void)
{
    snprintf(folder, sizeof folder, "%s/ink-live.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/data", folder);
    snprintf(fresh, sizeof fresh, "%s/fresh", folder);
    atexit(leave);
    system_here = ink__posix;
    system_here.nanoseconds = reported_nanoseconds;
    system_here.wait = skip_time;
}

/* ---- Where it begins ---------------------------------------------------------------------- */

static const char *const scripts[] = {
    "0000one\ntwo\nthree",
    "1000one\ntwo\xffo\nthree\n\xff"
    "four",
    "1001one\r\n\xfe"
    "an\nother\n\xfd"
    "third\xff\n",
    "1013a,\"x\ny\"\n\xff\"\n\n\xff"
    "c\n",
    "1022"
    "12345678"
    "1234\xff"
    "5678",
    "0001one\xff\ntwo\xffno end",
    "2000one\ntwo\xffo\nthree",
    "2011\"a\n\xff"
    "b\"\n\xff"
    "c",
    "1003\xfd\xfd"
    "x\n\xfe\xfey\n\xfdz",
};

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= sizeof scripts / sizeof *scripts)
        return SIZE_MAX;
    return fuzz_put(to, room, NULL, scripts[index], strlen(scripts[index]));
}

static const char words[] = "\n|\r\n|\xff|\xff\n|\xfe|\xfd|\n\n|\"|word|\xff\"|12345678";

/* ---- What a file has, and what was given of it -------------------------------------------- */

enum { FILES_READ, FILE_FOLLOWED, FIFO };

static struct {
    int                origin;
    bool               leaves; /* it is opened anew after each step */
    ink__live_rule     rule;
    ink__live_location location;
    ink__live_source  *source;
    ink__live_chunk    live;
    uint8_t            bytes[MOST_BYTES]; /* of the file as it is now */
    size_t             count;
    size_t             given;           /* of these */
    uint8_t            old[MOST_BYTES]; /* of the one before it, which is to be given to its end */
    size_t             old_count;
    bool               over; /* there is such a one */
} now;

static void write_bytes(const char *to, int flags, const uint8_t *bytes, size_t count)
{
    int file = open(to, flags | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(file >= 0 && write(file, bytes, count) == (ssize_t)count && close(file) == 0);
}

/* Takes a chunk, which goes on where the one before it has ended. */
static void take(void)
{
    const ink__chunk *chunk = &now.live.chunk;
    const uint8_t    *bytes = now.over ? now.old : now.bytes;
    size_t            count = now.over ? now.old_count : now.count;

    assert_int_equal(chunk->offset, now.given);
    assert_true(chunk->count <= count - now.given);
    if (chunk->count > 0)
        assert_memory_equal(chunk->bytes, bytes + now.given, chunk->count);
    now.given += (size_t)chunk->count;
    if (now.origin != FIFO && chunk->count > 0)
        now.location = ink__live_chunk_location(&now.live, chunk->count);
    if (now.live.last && now.origin == FILE_FOLLOWED) {
        assert_true(now.over && now.given == now.old_count); /* none ends for any other reason */
        now.over = false;
        now.given = 0;
        now.location = (ink__live_location){0};
    }
}

/* Takes all that is there. */
static ink_status take_all(void)
{
    ink__live_state what = INK__LIVE_RECORDS;

    for (unsigned turns = 0; what == INK__LIVE_RECORDS; turns++) {
        ink_status status = ink__live_source_next(now.source, &now.live, clock_now + 3 * SECOND,
                                                  &what, NULL, &error);
        if (status != INK_OK)
            return status;
        assert_true(turns < TURNS_MAX);
        if (what == INK__LIVE_RECORDS)
            take();
    }
    assert_int_equal(what, now.origin == FILES_READ ? INK__LIVE_END : INK__LIVE_NOTHING);
    assert_false(now.over);
    return INK_OK;
}

static void open_again(const ink_allocator *allocator)
{
    if (now.source != NULL)
        ink__live_source_release(now.source, &now.live);
    ink__live_source_close(now.source);
    now.source = NULL;
    (void)ink__live_source_open(&now.source, &now.rule, allocator, NULL, &error);
}

/* Compressed data are another target's. */
static bool may_be_compressed(void)
{
    return now.rule.records.form != INK__RECORDS_FIXED && now.count > 0 &&
           (now.bytes[0] == 0x1f || (now.bytes[0] & 0xf0) == 0x50 || now.bytes[0] == 0x28);
}

/* ---- Files -------------------------------------------------------------------------------- */

/* Reads a file to its end, from its saved location. */
static void read_file(const ink_allocator *allocator)
{
    const ink__record_rule *records = &now.rule.records;
    bool                    fixed = records->form == INK__RECORDS_FIXED;
    bool                    ended = now.given == 0 || (fixed ? now.given % records->width == 0
                                                             : now.bytes[now.given - 1] == records->end);
    bool grown = !ended && now.count > now.given && (fixed || now.bytes[now.given] != records->end);

    open_again(allocator);
    if (now.source == NULL || grown) {
        assert_true(grown && now.source == NULL && error.status == INK_MISMATCH);
        assert_non_null(strstr(error.message, "has grown"));
        now.location = (ink__live_location){0};
        now.given = 0;
        open_again(allocator);
        ended = true;
    }
    assert_non_null(now.source);
    now.given += !ended && now.count > now.given; /* the end that has come is none of the next */
    CHECK_OK(take_all());
    assert_int_equal(now.given, now.count);
}

static void follow_file(const ink_allocator *allocator)
{
    if (now.source == NULL || (now.leaves && !now.over))
        open_again(allocator);
    assert_non_null(now.source);
    CHECK_OK(take_all());
    assert_int_equal(now.given, ink__records_last(&now.rule.records, now.bytes, now.count));
}

/* Writes what a step says; how much of the file that was there counts. */
static void write_step(int how, const uint8_t *bytes, size_t count)
{
    if (how == APPENDS || now.origin == FILES_READ) {
        memcpy(now.bytes + now.count, bytes, count);
        now.count += count;
        write_bytes(path, O_APPEND, bytes, count);
        return;
    }
    memcpy(now.old, now.bytes, now.count);
    now.old_count = now.count;
    now.over = how == REPLACES || now.count > 0;
    if (how == CUTS)
        assert_int_equal(truncate(path, 0), 0);
    else {
        write_bytes(fresh, O_CREAT | O_EXCL, NULL, 0);
        assert_int_equal(rename(fresh, path), 0);
    }
    now.count = 0;
    CHECK_OK(take_all());
    memcpy(now.bytes, bytes, count);
    now.count = count;
    write_bytes(path, O_APPEND, bytes, count);
}

/* ---- FIFOs -------------------------------------------------------------------------------- */

/* Each step is written by one who comes and goes, so that it ends there. */
static void fill_fifo(const uint8_t *bytes, size_t count)
{
    size_t half = count / 2; /* of which what is not whole waits */

    memcpy(now.bytes, bytes, count);
    now.count = count;
    now.given = 0;
    if (may_be_compressed())
        return;
    int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(file >= 0 && write(file, bytes, half) == (ssize_t)half);
    CHECK_OK(take_all());
    assert_int_equal(now.given, ink__records_last(&now.rule.records, bytes, half));
    assert_true(write(file, bytes + half, count - half) == (ssize_t)(count - half));
    close(file);
    CHECK_OK(take_all());
    assert_int_equal(now.given, count);
}

/* ---- Trial -------------------------------------------------------------------------------- */

static void step(int how, const uint8_t *bytes, size_t count, const ink_allocator *allocator)
{
    if (now.origin == FIFO) {
        fill_fifo(bytes, count);
        return;
    }
    if (how != APPENDS && now.source == NULL) /* it was not read yet */
        how = APPENDS;
    write_step(how, bytes, count);
    if (now.origin == FILES_READ)
        read_file(allocator);
    else
        follow_file(allocator);
}

static void play(const uint8_t *bytes, size_t count, const ink_allocator *allocator)
{
    for (size_t at = HEAD_BYTES, how = APPENDS; at <= count;) {
        size_t end = at;
        while (end < count && bytes[end] < REPLACES)
            end++;
        if (at == HEAD_BYTES && end > at) { /* which says whether it is compressed */
            now.bytes[0] = bytes[at];
            now.count = 1;
            bool compressed = may_be_compressed();
            now.count = 0;
            if (compressed)
                return;
        }
        step((int)how, bytes + at, end - at, allocator);
        how = end < count ? bytes[end] : APPENDS;
        at = end + 1;
    }
}

static void attempt(const uint8_t *bytes, size_t count)
{
    static const ink__record_rule forms[] = {{.form = INK__RECORDS_ENDED, .end = '\n'},
                                             {.form = INK__RECORDS_QUOTED, .end = '\n'},
                                             {.form = INK__RECORDS_FIXED, .width = 8}};
    static const char *const      addresses[] = {path};
    faults_memory                 memory = {.unfilled = true};
    const ink_allocator           allocator = faults_allocator(&memory);

    memset(&now, 0, sizeof now);
    now.origin = bytes[0] % 3;
    now.leaves = bytes[3] & 1;
    now.rule = (ink__live_rule){.addresses = addresses,
                                .count = 1,
                                .follow = now.origin != FILES_READ,
                                .records = forms[bytes[2] % 3],
                                .chunk_bytes = bytes[3] & 2 ? 1 + bytes[1] : MOST_BYTES,
                                .locations = &now.location};
    unlink(path);
    if (now.origin == FIFO)
        assert_int_equal(mkfifo(path, 0600), 0);
    else
        write_bytes(path, O_CREAT | O_EXCL, NULL, 0);
    ink__system_replace(&system_here);
    clock_now = SECOND;
    if (now.origin == FIFO)
        open_again(&allocator);
    play(bytes, count, &allocator);
    if (now.source != NULL)
        ink__live_source_release(now.source, &now.live);
    ink__live_source_close(now.source);
    ink__system_replace(NULL);
    faults_check_no_leak(&memory);
}

const fuzz_target fuzz_here = {
    .name = "live",
    .most_bytes = MOST_BYTES,
    .head_bytes = HEAD_BYTES,
    .rounds = 800,
    .begin = begin,
    .seed = seed,
    .words = words,
    .attempt = attempt,
};
