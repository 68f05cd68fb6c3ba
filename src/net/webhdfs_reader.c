/* webhdfs_reader.c - reading a file over WebHDFS. A NameNode gives its length (GETFILESTATUS, 200)
 * and the DataNode that has the bytes from an offset on (OPEN, 307); that sends them (GET, 200). */
#include "net/webhdfs_reader.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "net/namenodes.h"

#include <string.h>

enum {
    TRIES = 4,       /* in a row, for the same bytes */
    RANGE_BYTES = 64 /* of the part of a target with offset and length */
};
/* A connection that breaks after this many bytes starts a new row of tries. */
#define ROW_BYTES ((uint64_t)1 << 20)

struct ink__webhdfs_reader {
    ink_allocator   allocator;
    uint64_t        length;
    uint64_t        at, until; /* the next byte; the end of those that will be wanted */
    uint64_t        left;      /* of those requested; 0: no connection */
    unsigned        tries;     /* that failed in a row, ... */
    uint64_t        row_at;    /* ... the first of them at this byte */
    ink__answer     answer;
    ink__namenodes *servers;
};

/* {"FileStatus": {"length": 7, "type": "FILE", ...}} */
static ink_status read_status(ink__webhdfs_reader *reader, const ink__answer *answer,
                              ink_error *error)
{
    static const char *const names[] = {"FileStatus.length", "FileStatus.type"};
    ink__json_value          values[2];

    if (!ink__answer_find(answer, names, values) || values[0].kind != INK__JSON_NUMBER ||
        !ink__parse_digits(answer->body + values[0].start,
                           (size_t)(values[0].end - values[0].start), UINT64_MAX, &reader->length))
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s does not report the length of the file, expected WebHDFS there",
                         reader->servers->http.connection.named);
    if (values[1].end - values[1].start == strlen("DIRECTORY") &&
        memcmp(answer->body + values[1].start, "DIRECTORY", strlen("DIRECTORY")) == 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0, "a folder in HDFS, expected a file");
    return INK_OK;
}

static ink_status look(ink__webhdfs_reader *reader, ink_error *error)
{
    const ink__question asked = {"GET", reader->servers->path, "GETFILESTATUS", "", false};
    ink__namenodes     *servers = reader->servers;
    ink__answer         answer;

    INK__TRY(ink__namenodes_ask(servers, &asked, &servers->patience, &answer, error));
    if (answer.status != INK__HTTP_OK)
        return ink__namenodes_refuse(servers, &answer, "GETFILESTATUS", INK__HTTP_OK, error);
    INK__TRY(read_status(reader, &answer, error));
    uint64_t least = reader->until == UINT64_MAX ? reader->at : reader->until;
    if (reader->length < least)
        return ink__fail(error, INK_IO, INK_AT_BYTE, reader->length,
                         "the file ends here, expected a part of it up to byte %llu",
                         (unsigned long long)least);
    if (reader->at > reader->length)
        reader->at = reader->length;
    return INK_OK;
}

ink_status ink__webhdfs_open(ink__webhdfs_reader **reader, const char *address, uint64_t from,
                             uint64_t until, const ink__patience *patience,
                             const ink_allocator *allocator, ink_error *error)
{
    ink__webhdfs_reader *made;

    *reader = NULL;
    INK__TRY(ink__allocate_zeroed(allocator, sizeof *made, &made, error));
    *made = (ink__webhdfs_reader){
        .allocator = *allocator,
        .at = from,
        .row_at = from,
        .until = until,
    };
    ink_status status =
        ink__namenodes_open(&made->servers, address, NULL, patience, allocator, error);
    if (status == INK_OK)
        status = look(made, error);
    if (status == INK_OK)
        *reader = made;
    else
        ink__webhdfs_close(made);
    return status;
}

void ink__webhdfs_close(ink__webhdfs_reader *reader)
{
    if (reader == NULL)
        return;
    ink_allocator allocator = reader->allocator;

    ink__namenodes_close(reader->servers);
    ink__release(&allocator, reader, sizeof *reader);
}

uint64_t ink__webhdfs_length(const ink__webhdfs_reader *reader)
{
    return reader->length;
}

/* How many bytes are requested at once: all that will be wanted and some more; after them a part of
 * the record that doubles what was read of it. */
static uint64_t range_of(const ink__webhdfs_reader *reader)
{
    uint64_t beyond = reader->at > reader->until ? reader->at - reader->until : 0;
    uint64_t wanted = beyond == 0 ? reader->until - reader->at : beyond;
    uint64_t rest = reader->length - reader->at;

    wanted = ink__add_saturating(wanted, INK__WEBHDFS_BEYOND_BYTES);
    return wanted < rest ? wanted : rest;
}

/* Has a DataNode begin to send. *final: a retry is of no use, since the NameNode refuses. */
static ink_status ask_bytes(ink__webhdfs_reader *reader, bool *final, ink_error *error)
{
    char                text[RANGE_BYTES];
    const ink__question asked = {"GET", reader->servers->path, "OPEN", text, true};
    ink__namenodes     *servers = reader->servers;
    ink__answer        *answer = &reader->answer;
    uint64_t            range = range_of(reader);

    ink__format(text, sizeof text, "&offset=%llu&length=%llu", (unsigned long long)reader->at,
                (unsigned long long)range);
    INK__TRY(ink__namenodes_redirect(servers, &asked, false, answer, final, error));
    INK__TRY(ink__http_answer(&servers->http, answer, error));
    if (answer->status != INK__HTTP_OK) {
        ink__namenodes_hear(servers, answer);
        return ink__namenodes_refuse(servers, answer, "OPEN", INK__HTTP_OK, error);
    }
    if (answer->sized && !answer->chunked && answer->length != range)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s sends %llu bytes, expected %llu",
                         servers->http.connection.named, (unsigned long long)answer->length,
                         (unsigned long long)range);
    INK__TRY(ink__http_begin_body(&servers->http, answer, error));
    reader->left = range;
    return INK_OK;
}

/* A server that sends more than was requested may have sent wrong bytes too. A connection may break
 * after the last byte. */
static ink_status end_range(ink__webhdfs_reader *reader, ink_error *error)
{
    ink__http *http = &reader->servers->http;
    uint8_t    byte;
    size_t     more = 0;
    ink_status status = ink__http_take(http, &reader->answer, &byte, 1, &more, error);

    ink__disconnect(&http->connection);
    if (status != INK_OK)
        return http->ended ? INK_OK : status;
    return more == 0 ? INK_OK
                     : ink__fail(error, INK_IO, INK_NOWHERE, 0,
                                 "%s sends more bytes than it was asked for, expected no more",
                                 http->connection.named);
}

static ink_status read_some(ink__webhdfs_reader *reader, uint8_t *to, uint64_t room,
                            uint64_t *count, bool *final, ink_error *error)
{
    size_t some = 0;

    *count = 0;
    if (reader->left == 0)
        INK__TRY(ask_bytes(reader, final, error));
    if (room > reader->left)
        room = reader->left;
    INK__TRY(
        ink__http_take(&reader->servers->http, &reader->answer, to, (size_t)room, &some, error));
    if (some == 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s sends %llu bytes less than it was asked for, expected all of them",
                         reader->servers->http.connection.named, (unsigned long long)reader->left);
    *count = some;
    reader->at += some;
    reader->left -= some;
    *final = true; /* these bytes must not be read again */
    return reader->left == 0 ? end_range(reader, error) : INK_OK;
}

/* Whether to try again after a failure; waits before that. */
static bool tries_again(ink__webhdfs_reader *reader, bool final)
{
    ink__disconnect(&reader->servers->http.connection);
    ink__namenodes_avoid(reader->servers);
    reader->left = 0;
    if (reader->at - reader->row_at >= ROW_BYTES)
        reader->tries = 0;
    if (reader->tries++ == 0)
        reader->row_at = reader->at;
    if (final || reader->tries == TRIES)
        return false;
    int pause = reader->servers->patience.pause << (reader->tries - 1);
    if (pause > 0)
        ink__system_now()->wait_many(NULL, 0, pause);
    return true;
}

ink_status ink__webhdfs_read(ink__webhdfs_reader *reader, uint8_t *to, uint64_t room,
                             uint64_t *count, ink_error *error)
{
    uint64_t rest = reader->length - reader->at;

    *count = 0;
    if (room > rest)
        room = rest;
    while (*count < room) {
        bool       final = false;
        uint64_t   some;
        ink_status status = read_some(reader, to + *count, room - *count, &some, &final, error);
        if (status != INK_OK && (status != INK_IO || !tries_again(reader, final))) {
            if (error != NULL && error->location == INK_NOWHERE) {
                error->location = INK_AT_BYTE;
                error->at = reader->at;
            }
            return status;
        }
        *count += some;
    }
    return INK_OK;
}
