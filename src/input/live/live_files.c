/* live_files.c - regular files, one after another; the last of them as it grows, if it is followed.
 * A location is checked by the bytes before it, which a chunk therefore has before its own. */
#include "input/live/live_origin.h"

#include "base/checksum.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "input/records/decompress.h"

#include <errno.h>
#include <string.h>

enum {
    SKIPPED_BYTES = 256 << 10, /* of a compressed file, up to its location, at a time */
    PAUSE_FIRST = 5,           /* milliseconds until a file is polled again; doubles */
    SMALL_BYTES = 64 << 10,    /* a file without a size is read in such pieces */
    MESSAGE_BYTES = 200,
};

/* A replaced file may still be written: it is read until it was quiet for this time. */
#define QUIET_NANOSECONDS 1000000000u

struct ink__live_files {
    const ink__live_rule *rule;
    ink_allocator         allocator;

    size_t              at;     /* the address that is read now, if it is open: */
    ink__decompressor  *stream; /* NULL: it is not */
    int                 file;   /* of the stream, if it is not compressed; else -1 */
    uint64_t            bytes;  /* of that file, at the last poll */
    uint64_t            device, number;
    ink__partial_record partial;
    uint8_t             tail[INK__LOCATION_BYTES]; /* before the partial record */
    uint64_t            tail_bytes;
    bool                unended; /* the record before its first location had no end */
    bool                awaited; /* of a followed one: it had no more ... */
    int                 pause;   /* ... and this is the time until the next poll, in milliseconds */
    bool                replaced; /* another file has its name ... */
    uint64_t            quiet;    /* ... and since then nothing more has come, in nanoseconds */
    bool                anew;     /* the file that has this name now is read from its start */
    char                renamed[INK__PATH_BYTES]; /* its path after a rename */
};

/* ---- Life --------------------------------------------------------------------------------- */

static bool is_followed(const ink__live_files *files)
{
    return files->rule->follow && files->at + 1 == files->rule->count;
}

static const char *path_of(const ink__live_files *files)
{
    return files->rule->addresses[files->at];
}

static void leave_file(ink__live_files *files)
{
    ink__decompress_close(files->stream);
    files->stream = NULL;
    ink__partial_record_drop(&files->partial, &files->allocator);
}

void ink__live_files_close(ink__live_files *files)
{
    if (files == NULL)
        return;
    ink_allocator memory = files->allocator;

    leave_file(files);
    ink__release(&memory, files, sizeof *files);
}

/* ---- Reading ------------------------------------------------------------------------------ */

static ink_status read_at(int file, uint64_t at, uint8_t *to, uint64_t room, uint64_t *count,
                          ink_error *error)
{
    long long more = 1;

    for (*count = 0; *count < room && more > 0;) {
        INK__UNINTERRUPTED(more, ink__system_now()->read_at(file, to + *count,
                                                            (size_t)(room - *count), at + *count));
        if (more < 0)
            return ink__fail_io(error, (int)-more, "cannot read");
        *count += (uint64_t)more;
    }
    return INK_OK;
}

/* Reads what follows the partial record: *count < room only at the end. */
static ink_status read_on(ink__live_files *files, uint8_t *to, uint64_t room, uint64_t *count,
                          ink_error *error)
{
    const ink__partial_record *partial = &files->partial;

    if (files->file < 0)
        return ink__decompress_read(files->stream, to, room, count, error);
    return read_at(files->file, partial->offset + partial->count, to, room, count, error);
}

/* The tail becomes that of itself and these bytes. */
static void follow_tail(ink__live_files *files, const uint8_t *bytes, uint64_t count)
{
    uint64_t kept = count < INK__LOCATION_BYTES ? INK__LOCATION_BYTES - count : 0;

    if (kept > files->tail_bytes)
        kept = files->tail_bytes;
    if (count > INK__LOCATION_BYTES) {
        bytes += count - INK__LOCATION_BYTES;
        count = INK__LOCATION_BYTES;
    }
    memmove(files->tail, files->tail + files->tail_bytes - kept, (size_t)kept);
    memcpy(files->tail + kept, bytes, (size_t)count);
    files->tail_bytes = kept + count;
}

/* ---- Locations ---------------------------------------------------------------------------- */

/* Reads up to an offset, so that the tail is what stands before it, or all there is. */
static ink_status read_tail(ink__live_files *files, uint64_t offset, uint64_t *found,
                            ink_error *error)
{
    uint64_t before = offset < INK__LOCATION_BYTES ? offset : INK__LOCATION_BYTES, more = 1;
    void    *memory;

    if (files->file >= 0) {
        INK__TRY(
            read_at(files->file, offset - before, files->tail, before, &files->tail_bytes, error));
        *found = offset - before + files->tail_bytes;
        if (files->tail_bytes < before && files->bytes < offset)
            *found = files->bytes; /* there is less than before the tail */
        return INK_OK;
    }
    INK__TRY(ink__allocate(&files->allocator, SKIPPED_BYTES, &memory, error));
    ink_status status = INK_OK;
    for (*found = 0; status == INK_OK && *found < offset && more > 0; *found += more) {
        uint64_t left = offset - *found;
        status = ink__decompress_read(files->stream, memory,
                                      left < SKIPPED_BYTES ? left : SKIPPED_BYTES, &more, error);
        if (status == INK_OK)
            follow_tail(files, memory, more);
    }
    ink__release(&files->allocator, memory, SKIPPED_BYTES);
    return status;
}

/* The record before the location had no end when it was read: only that may follow. */
static ink_status check_ended(const ink__live_files *files, uint8_t next, ink_error *error)
{
    const ink__record_rule *records = &files->rule->records;

    if (records->form != INK__RECORDS_FIXED && next == records->end)
        return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_AT_BYTE, files->partial.offset,
                     "a record that was read as the last one, without an end, has grown, expected "
                     "its end");
}

/* Goes to a saved location. *wrong becomes what has changed; empty: nothing. */
static ink_status find_location(ink__live_files *files, const ink__live_location *location,
                                char wrong[MESSAGE_BYTES], ink_error *error)
{
    const ink__record_rule *records = &files->rule->records;
    uint64_t                found, more;
    uint8_t                 next;

    wrong[0] = '\0';
    INK__TRY(read_tail(files, location->offset, &found, error));
    if (found < location->offset) {
        ink__format(wrong, MESSAGE_BYTES, "%llu bytes, expected the %llu that were read before",
                    (unsigned long long)found, (unsigned long long)location->offset);
    } else if (ink__checksum(files->tail, files->tail_bytes) != location->check) {
        ink__format(wrong, MESSAGE_BYTES,
                    "other bytes before byte %llu than were read there, expected the same",
                    (unsigned long long)location->offset);
    } else if (is_followed(files) && files->number != location->number) {
        ink__format(wrong, MESSAGE_BYTES, "another file, expected the one that was read before");
    } else {
        files->partial.offset = location->offset;
        files->unended = records->form == INK__RECORDS_FIXED
                             ? location->offset % records->width != 0
                             : files->tail[files->tail_bytes - 1] != records->end;
        if (files->unended && files->file >= 0) {
            INK__TRY(read_at(files->file, location->offset, &next, 1, &more, error));
            return more == 0 ? INK_OK : check_ended(files, next, error);
        }
    }
    return INK_OK;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void begin_at_start(ink__live_files *files)
{
    ink__partial_record_drop(&files->partial, &files->allocator);
    files->partial.offset = 0;
    files->partial.record = 1;
    files->tail_bytes = 0;
    files->unended = false;
}

/* The path to resume at: a log that was rotated while it was not followed is often found beside the
 * one that has its name now, and has records that were not read. */
static const char *path_to_resume(ink__live_files *files)
{
    const ink__live_location *locations = files->rule->locations;
    const char               *path = path_of(files);
    ink__stat                 stat;

    if (!is_followed(files) || files->anew || locations == NULL || locations[files->at].offset == 0)
        return path;
    uint64_t number = locations[files->at].number;
    if (ink__system_now()->stat_path(path, &stat) >= 0 && stat.number == number)
        return path;
    size_t bytes = ink__format(files->renamed, sizeof files->renamed, "%s.1", path);
    if (bytes != strlen(path) + 2 || ink__system_now()->stat_path(files->renamed, &stat) < 0 ||
        stat.number != number)
        return path;
    return files->renamed;
}

/* Opens a file, and notes which one it is. */
static ink_status open_stream(ink__live_files *files, const char *path, ink_error *error)
{
    ink__stat stat;
    int       result = ink__system_now()->stat_path(path, &stat);

    if (result < 0)
        return ink__fail_io(error, -result, "cannot open");
    if (!stat.regular) /* opening a FIFO would wait */
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "not a regular file any more, expected the file that was there");
    INK__TRY(ink__decompress_open(&files->stream, path, NULL, 0,
                                  ink__records_may_be_compressed(&files->rule->records, path),
                                  &files->allocator, error));
    const ink__input *plain = ink__decompress_plain_file(files->stream);
    files->file = plain == NULL ? -1 : plain->file;
    files->device = plain == NULL ? stat.device : plain->device;
    files->number = plain == NULL ? stat.number : plain->number;
    files->bytes = plain == NULL ? stat.bytes : plain->bytes;
    if (plain == NULL && is_followed(files))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a compressed file cannot be followed, expected plain records");
    return INK_OK;
}

/* Goes to the saved location. A followed file that has changed is read from its start. */
static ink_status resume(ink__live_files *files, const char *path, ink_error *error)
{
    const ink__live_location *locations = files->rule->locations;
    char                      wrong[MESSAGE_BYTES];

    begin_at_start(files);
    if (locations == NULL || locations[files->at].offset == 0 || files->anew)
        return INK_OK;
    INK__TRY(find_location(files, &locations[files->at], wrong, error));
    if (wrong[0] == '\0')
        return INK_OK;
    if (!is_followed(files))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "%s", wrong);
    ink__live_origin_report(files->rule, path_of(files), "%s: read from its start", wrong);
    files->anew = true;
    begin_at_start(files);
    if (path == path_of(files))
        return INK_OK;
    leave_file(files); /* it is not the renamed one */
    return open_stream(files, path_of(files), error);
}

/* Opens the next file; with `only_check` a compressed one is not read. */
static ink_status open_file(ink__live_files *files, bool only_check, ink_error *error)
{
    const char *path = path_to_resume(files);
    ink_status  status = open_stream(files, path, error);

    if (status == INK_OK && !(only_check && files->file < 0))
        status = resume(files, path, error);
    if (status != INK_OK)
        leave_file(files);
    files->partial.given = files->awaited = files->replaced = false;
    files->pause = PAUSE_FIRST;
    return status;
}

ink_status ink__live_files_open(ink__live_files **files, const ink__live_rule *rule,
                                const ink_allocator *allocator, size_t *address, ink_error *error)
{
    *files = NULL;
    INK__TRY(ink__allocate_zeroed(allocator, sizeof **files, files, error));
    **files = (ink__live_files){.rule = rule, .allocator = *allocator, .file = -1};
    /* Every file must exist and not have changed; compressed ones are checked later, as they have
     * to be read for it. A single one stays open. */
    for (*address = 0; *address < rule->count; ++*address) {
        (*files)->at = *address;
        INK__TRY(open_file(*files, rule->count > 1, error));
        if (rule->count > 1)
            leave_file(*files);
    }
    (*files)->at = *address = 0;
    return INK_OK;
}

/* ---- Following a file --------------------------------------------------------------------- */

static ink_status still_has(const ink__live_files *files, uint64_t at, const uint8_t *bytes,
                            uint64_t count, bool *same, ink_error *error)
{
    uint8_t  now[INK__LOCATION_BYTES];
    uint64_t there;

    INK__TRY(read_at(files->file, at, now, count, &there, error));
    *same = *same && there == count && (count == 0 || memcmp(now, bytes, (size_t)count) == 0);
    return INK_OK;
}

/* Whether the last bytes read are still there: a file may be cut and grow between polls. */
static ink_status is_same(const ink__live_files *files, bool *same, ink_error *error)
{
    const ink__partial_record *rest = &files->partial;
    uint64_t last = rest->count < INK__LOCATION_BYTES ? rest->count : INK__LOCATION_BYTES;

    *same = true;
    if (last > 0)
        INK__TRY(still_has(files, rest->offset + rest->count - last,
                           rest->bytes + rest->count - last, last, same, error));
    return still_has(files, rest->offset - files->tail_bytes, files->tail, files->tail_bytes, same,
                     error);
}

/* Whether another file has the path now. A missing file is awaited. */
static bool is_replaced(const ink__live_files *files)
{
    ink__stat stat;

    return ink__system_now()->stat_path(path_of(files), &stat) >= 0 && stat.regular &&
           (stat.device != files->device || stat.number != files->number);
}

/* Polls a file that had no more. *over: it was cut or replaced, which is reported. */
static ink_status poll_file(ink__live_files *files, bool *over, ink_error *error)
{
    uint64_t  position = files->partial.offset + files->partial.count;
    uint64_t  now = ink__system_now()->nanoseconds();
    bool      same = true;
    ink__stat stat;
    int       result = ink__system_now()->stat_file(files->file, &stat);

    if (result < 0)
        return ink__fail_io(error, -result, "cannot stat");
    files->bytes = stat.bytes;
    if (stat.bytes > position)
        INK__TRY(is_same(files, &same, error));
    *over = stat.bytes < position || !same;
    if (*over) {
        ink__live_origin_report(files->rule, path_of(files),
                                "cut after byte %llu: read from its start",
                                (unsigned long long)position);
    } else if (stat.bytes > position || !is_replaced(files)) {
        files->replaced = false;
    } else if (!files->replaced) {
        files->replaced = true;
        files->quiet = now;
    } else if (now - files->quiet >= QUIET_NANOSECONDS) {
        ink__live_origin_report(files->rule, path_of(files),
                                "another file has taken its place: that is read from its start");
        *over = true;
    }
    return INK_OK;
}

/* Waits for the next poll; false if there is no time left. */
static bool wait_for_poll(ink__live_files *files, uint64_t until)
{
    int milliseconds = ink__live_origin_milliseconds(until, files->pause);

    files->pause *= 2;
    if (files->pause > INK__LIVE_ORIGIN_PAUSE)
        files->pause = INK__LIVE_ORIGIN_PAUSE;
    if (milliseconds > 0)
        ink__system_now()->wait(-1, INK__CAN_READ, milliseconds);
    return milliseconds > 0;
}

/* ---- Chunks ------------------------------------------------------------------------------- */

/* How much to read: the buffer is no larger than the file needs. */
static uint64_t wanted_bytes(const ink__live_files *files)
{
    uint64_t position = files->partial.offset + files->partial.count;
    uint64_t left = position < files->bytes ? files->bytes - position : 0;
    uint64_t wanted = files->rule->chunk_bytes;
    uint64_t allowed = INK__RECORD_BYTES_MAX - files->partial.count;

    if (files->file >= 0 && left < wanted) /* a byte more finds the end */
        wanted = left + 1 > SMALL_BYTES || wanted < SMALL_BYTES ? left + 1 : SMALL_BYTES;
    return wanted < allowed ? wanted : allowed;
}

/* Makes a chunk of the whole records, after the bytes that stood before them. `count` more bytes
 * were read; `ended`: they are the last. */
static ink_status give_records(ink__live_files *files, ink__live_chunk *live, uint64_t count,
                               bool ended, ink_error *error)
{
    memcpy(live->chunk.buffer, files->tail, (size_t)files->tail_bytes);
    live->before = files->tail_bytes;
    live->device = files->device;
    live->number = files->number;
    INK__TRY(ink__partial_record_take(&files->partial, &files->rule->records, live, count, ended,
                                      &files->allocator, error));
    follow_tail(files, live->chunk.bytes, live->chunk.count);
    return INK_OK;
}

/* The last record was read without its end: skips that end if it was written since. */
static ink_status pass_end(ink__live_files *files, bool *ended, ink_error *error)
{
    uint64_t count;
    uint8_t  next;

    INK__TRY(read_on(files, &next, 1, &count, error));
    *ended = count == 0;
    if (*ended)
        return INK_OK;
    INK__TRY(check_ended(files, next, error));
    follow_tail(files, &next, 1);
    files->partial.offset++;
    files->unended = false;
    return INK_OK;
}

/* Fills the chunk with the next whole records. *ended: there are no more, for now or, unless it is
 * followed, for good: then the last record needs no end. */
static ink_status read_chunk(ink__live_files *files, ink__live_chunk *live, bool *ended,
                             ink_error *error)
{
    uint64_t wanted = wanted_bytes(files), count = 0;
    uint8_t *to;

    *ended = false;
    if (files->unended)
        INK__TRY(pass_end(files, ended, error));
    INK__TRY(ink__partial_record_prepare(&files->partial, live, files->at, files->tail_bytes,
                                         wanted, &to, &files->allocator, error));
    if (!*ended)
        INK__TRY(read_on(files, to, wanted, &count, error));
    *ended = count < wanted;
    return give_records(files, live, count, *ended && !is_followed(files), error);
}

/* The next chunk of the open file, or its end; *there: it found one of them. */
static ink_status next_of_file(ink__live_files *files, ink__live_chunk *live, bool *there,
                               ink_error *error)
{
    bool     over = false, ended = true;
    uint8_t *to;

    if (files->awaited)
        INK__TRY(poll_file(files, &over, error));
    if (over) { /* the partial record is a record */
        INK__TRY(ink__partial_record_prepare(&files->partial, live, files->at, files->tail_bytes, 1,
                                             &to, &files->allocator, error));
        INK__TRY(give_records(files, live, 0, true, error));
    } else {
        INK__TRY(read_chunk(files, live, &ended, error));
    }
    live->last = over || (ended && !is_followed(files));
    *there = live->last || live->chunk.count > 0;
    files->awaited = ended;
    if (*there)
        files->pause = PAUSE_FIRST;
    if (live->last) {
        leave_file(files);
        files->anew = files->anew || over;
        files->at += over ? 0 : 1;
    }
    return INK_OK;
}

/* Opens the next file. One that replaces another may not exist yet. */
static ink_status open_next(ink__live_files *files, ink_error *error)
{
    ink_error  failure;
    ink_status status = open_file(files, false, &failure);

    if (status == INK_OK || (files->anew && failure.os_error == ENOENT))
        return INK_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

ink_status ink__live_files_next(ink__live_files *files, ink__live_chunk *live, uint64_t until,
                                ink__live_state *what, size_t *address, ink_error *error)
{
    bool there = false;

    *what = INK__LIVE_END;
    while (!there) {
        if (files->at == files->rule->count || ink__live_origin_stops(files->rule))
            return INK_OK;
        *address = files->at;
        if (files->stream == NULL)
            INK__TRY(open_next(files, error));
        if (files->stream != NULL)
            INK__TRY(next_of_file(files, live, &there, error));
        if (!there && (files->stream == NULL || files->awaited) && !wait_for_poll(files, until)) {
            *what = INK__LIVE_NOTHING;
            return INK_OK;
        }
    }
    *what = INK__LIVE_RECORDS;
    return INK_OK;
}
