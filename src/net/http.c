/* http.c - requests to a server and their answers. While a request is sent the server may answer
 * already, and say why it does not take the rest. */
#include "net/http.h"

#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum {
    INTERIM_MAX = 100,  /* answers of 1xx to one request */
    STATUS_AT = 9,      /* after "HTTP/1.1 " */
    STATUS_END = 12,    /* after its three digits */
    HEAD_ROOM = 1024,   /* of a request, without its target */
    SHOWN_BYTES = 48,   /* of something that is not HTTP */
    MILLISECONDS = 1000 /* of a second */
};

/* ---- Connections -------------------------------------------------------------------------- */

ink_status ink__http_open(ink__http *http, const ink__host *host, const ink__patience *patience,
                          ink_error *error)
{
    /* The input is kept: the target of the next request may be in it. */
    http->stopped = http->ended = http->drips = false;
    http->os_error = 0;
    http->interim = 0;
    http->received = http->searched = http->kept = 0;
    return ink__connect(&http->connection, host, patience, error);
}

/* Notes that nothing more can be sent, and why. */
static void stop(ink__http *http, int os_error)
{
    http->stopped = true;
    if (http->os_error == 0)
        http->os_error = os_error;
}

/* The same for receiving. */
static void end(ink__http *http, int os_error)
{
    http->ended = true;
    stop(http, os_error);
}

/* Receives what has come; gives how much, 0 at the end, which http->ended says too, or if nothing
 * has come yet. */
static size_t receive(ink__http *http, uint8_t *to, size_t room)
{
    long long count = ink__system_now()->receive(http->connection.file, to, room);

    if (count > 0)
        return (size_t)count;
    if (count != -EINTR && count != -EAGAIN && count != -EWOULDBLOCK)
        end(http, (int)-count);
    return 0;
}

/* Waits for bytes, for the rest of the time that they may take, and receives them, as `receive`
 * does. The time between calls does not count. */
static size_t receive_some(ink__http *http, uint8_t *to, size_t room)
{
    uint64_t start = ink__system_now()->nanoseconds();
    uint64_t deadline = ink__deadline(http->connection.patience.silence);
    int      ready = 0;

    if (http->waited < deadline - start)
        ready = ink__wait_until(http->connection.file, INK__CAN_READ, deadline - http->waited);
    http->waited += ink__system_now()->nanoseconds() - start;
    if (ready > 0)
        return receive(http, to, room);
    end(http, ready < 0 ? -ready : ETIMEDOUT);
    return 0;
}

static void receive_head(ink__http *http)
{
    http->received +=
        receive(http, http->input + http->received, sizeof http->input - http->received);
}

/* ---- Heads of answers --------------------------------------------------------------------- */

/* Whether the input so far can begin an answer. */
static bool begins_well(const ink__http *http)
{
    static const char pattern[] = "HTTP/1.# ###";

    for (size_t i = 0; i < http->received && i < STATUS_END; i++)
        if (pattern[i] == '#' ? !ink__is_digit(http->input[i])
                              : http->input[i] != (uint8_t)pattern[i])
            return false;
    return http->received <= STATUS_END || memchr(" \r\n", http->input[STATUS_END], 3) != NULL;
}

/* Where the head ends; 0: not yet. */
static size_t find_end(ink__http *http)
{
    for (size_t i = http->searched; i < http->received; i++) {
        const uint8_t *at = http->input + i;
        if (at[0] == '\n' && i > 0 &&
            (at[-1] == '\n' || (i > 1 && at[-1] == '\r' && at[-2] == '\n')))
            return i + 1;
    }
    http->searched = http->received;
    return 0;
}

/* Drops complete answers of 1xx. */
static void drop_interim(ink__http *http)
{
    size_t bytes;

    while (http->interim <= INTERIM_MAX && begins_well(http) && (bytes = find_end(http)) > 0 &&
           http->input[STATUS_AT] == '1') {
        memmove(http->input, http->input + bytes, http->received - bytes);
        http->received -= bytes;
        http->searched = 0;
        http->interim++;
    }
}

static void listen_early(ink__http *http)
{
    receive_head(http);
    drop_interim(http);
    if (http->interim > INTERIM_MAX || !begins_well(http) ||
        (http->received > STATUS_AT && http->input[STATUS_AT] != '1'))
        stop(http, 0);
}

/* ---- Sending ------------------------------------------------------------------------------ */

static void send_all(ink__http *http, const uint8_t *bytes, size_t count)
{
    /* For all of them, a chunk at most: a server must not take them byte by byte. */
    uint64_t deadline = ink__deadline(http->connection.patience.silence);
    bool     some = false; /* were taken */

    while (count > 0 && !http->stopped) {
        int ready =
            ink__wait_until(http->connection.file, INK__CAN_READ | INK__CAN_WRITE, deadline);
        if (ready <= 0) {
            end(http, ready < 0 ? -ready : ETIMEDOUT);
            http->drips = some;
        } else if ((ready & INK__CAN_READ) != 0) {
            listen_early(http);
        } else {
            long long sent = ink__system_now()->send(http->connection.file, bytes, count);
            if (sent > 0) {
                bytes += sent;
                count -= (size_t)sent;
                some = true;
            } else if (sent != -EINTR && sent != -EAGAIN && sent != -EWOULDBLOCK) {
                stop(http, sent < 0 ? (int)-sent : EIO);
                /* The server may still say why; it must not wait for the rest. */
                ink__system_now()->end_sending(http->connection.file);
            }
        }
    }
}

ink_status ink__http_ask(ink__http *http, const ink__host *host, const char *method,
                         const char *target, size_t target_bytes, bool has_body, ink_error *error)
{
    char  *text = (char *)http->chunk;
    size_t used, room = sizeof http->chunk;

    if (target_bytes > room - HEAD_ROOM)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "a path that takes %zu bytes in a request, expected at most %zu",
                         target_bytes, room - HEAD_ROOM);
    used = ink__format(text, room, "%s ", method);
    memcpy(text + used, target, target_bytes);
    used += target_bytes;
    used +=
        ink__format(text + used, room - used, " HTTP/1.1\r\nHost: %s%s%s:%u\r\n",
                    host->six ? "[" : "", host->name, host->six ? "]" : "", (unsigned)host->port);
    used += ink__format(text + used, room - used,
                        "User-Agent: ink\r\nAccept: */*\r\nConnection: close\r\n%s\r\n",
                        has_body ? "Content-Type: application/octet-stream\r\n"
                                   "Transfer-Encoding: chunked\r\n"
                                 : "Content-Length: 0\r\n");
    send_all(http, http->chunk, used);
    return INK_OK;
}

/* Sends the pending bytes as a chunk: after its size and before `suffix`. */
static void send_chunk(ink__http *http, const char *suffix)
{
    uint8_t *data = http->chunk + INK__HTTP_AROUND_BYTES;
    char     size[INK__HTTP_AROUND_BYTES];
    size_t   before = ink__format(size, sizeof size, "%zx\r\n", http->kept);
    size_t   after = strlen(suffix);

    memcpy(data - before, size, before);
    memcpy(data + http->kept, suffix, after);
    send_all(http, data - before, before + http->kept + after);
    http->kept = 0;
}

void ink__http_put(ink__http *http, const uint8_t *bytes, size_t count)
{
    while (count > 0 && !http->stopped) {
        size_t room = INK__HTTP_CHUNK_BYTES - http->kept;
        size_t more = count < room ? count : room;
        memcpy(http->chunk + INK__HTTP_AROUND_BYTES + http->kept, bytes, more);
        http->kept += more;
        bytes += more;
        count -= more;
        if (http->kept == INK__HTTP_CHUNK_BYTES)
            send_chunk(http, "\r\n");
    }
}

void ink__http_end(ink__http *http)
{
    send_chunk(http, http->kept > 0 ? "\r\n0\r\n\r\n" : "\r\n"); /* an empty chunk is the last */
}

void ink__http_break_off(ink__http *http, int milliseconds)
{
    uint64_t deadline = ink__deadline(milliseconds);

    if (http->connection.file < 0 || ink__system_now()->end_sending(http->connection.file) < 0)
        return;
    while (!http->ended && ink__wait_until(http->connection.file, INK__CAN_READ, deadline) > 0) {
        http->received = 0; /* what it says is of no use */
        receive_head(http);
    }
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* Whether a line of the head is the field of this name, and its value. */
static bool is_field(const char *line, size_t bytes, const char *name, const char **value,
                     size_t *value_bytes)
{
    size_t at = strlen(name);

    if (bytes <= at || line[at] != ':')
        return false;
    for (size_t i = 0; i < at; i++)
        if ((line[i] | 0x20) != name[i])
            return false;
    for (at++; at < bytes && (line[at] == ' ' || line[at] == '\t');)
        at++;
    while (bytes > at && (line[bytes - 1] == ' ' || line[bytes - 1] == '\t'))
        bytes--;
    *value = line + at;
    *value_bytes = bytes - at;
    return true;
}

static void read_field(ink__answer *answer, const char *line, size_t bytes)
{
    const char *value;
    size_t      value_bytes;

    if (is_field(line, bytes, "location", &value, &value_bytes)) {
        answer->location = value;
        answer->location_bytes = value_bytes;
    } else if (is_field(line, bytes, "content-length", &value, &value_bytes)) {
        uint64_t before = answer->length;
        bool     again = answer->sized;
        answer->sized = ink__parse_digits(value, value_bytes, UINT64_MAX, &answer->length);
        answer->missized |= !answer->sized || (again && answer->length != before);
    } else if (is_field(line, bytes, "transfer-encoding", &value, &value_bytes)) {
        answer->chunked = true; /* no other encoding is allowed */
    }
}

static void read_head(const ink__http *http, size_t head_bytes, ink__answer *answer)
{
    const char *at = (const char *)http->input, *head_end = at + head_bytes, *line_end;
    uint64_t    status;

    ink__parse_digits(http->input + STATUS_AT, STATUS_END - STATUS_AT, UINT64_MAX, &status);
    *answer = (ink__answer){.status = (unsigned)status, .body = http->input + head_bytes};
    for (; at < head_end; at = line_end + 1) {
        line_end = memchr(at, '\n', (size_t)(head_end - at)); /* the last byte is one */
        size_t bytes = (size_t)(line_end - at);
        read_field(answer, at, bytes > 0 && at[bytes - 1] == '\r' ? bytes - 1 : bytes);
    }
}

static ink_status fail_unlike_http(const ink__http *http, ink_error *error)
{
    char   shown[SHOWN_BYTES];
    size_t line = 0;

    while (line < http->received && line < SHOWN_BYTES && http->input[line] != '\n')
        line++;
    ink__quote(shown, sizeof shown, http->input, line);
    return ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s answered \"%s\", expected HTTP/1.1",
                     http->connection.named, shown);
}

/* Fails for a connection that the server has closed, or that broke. */
static ink_status fail_ended(const ink__http *http, const char *closed, const char *broke,
                             ink_error *error)
{
    char        message[INK_MESSAGE_BYTES];
    const char *named = http->connection.named;

    if (http->os_error == 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s closed the connection %s", named,
                         closed);
    ink__format(message, sizeof message, "the connection to %s broke %s", named, broke);
    return ink__fail_io(error, http->os_error, message);
}

static ink_status fail_unanswered(const ink__http *http, ink_error *error)
{
    if (http->os_error == ETIMEDOUT)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s did %s for %d s, expected an answer within that time",
                         http->connection.named,
                         http->drips || http->received > 0 ? "too little" : "nothing",
                         http->connection.patience.silence / MILLISECONDS);
    return fail_ended(http,
                      http->received == 0
                          ? "without an answer, expected a whole answer in HTTP"
                          : "in the middle of its answer, expected a whole answer in HTTP",
                      "before it had answered", error);
}

ink_status ink__http_answer(ink__http *http, ink__answer *answer, ink_error *error)
{
    size_t head_bytes = 0;

    http->waited = 0;
    while (head_bytes == 0) {
        drop_interim(http);
        if (http->interim > INTERIM_MAX)
            return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                             "%s sent more than %d answers of 1xx, expected a final one",
                             http->connection.named, INTERIM_MAX);
        if (!begins_well(http))
            return fail_unlike_http(http, error);
        head_bytes = find_end(http);
        if (head_bytes > INK__HTTP_HEAD_BYTES ||
            (head_bytes == 0 && http->received >= INK__HTTP_HEAD_BYTES))
            return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                             "%s sent an answer whose head has more than %d bytes, expected less",
                             http->connection.named, INK__HTTP_HEAD_BYTES);
        if (head_bytes == 0 && http->ended)
            return fail_unanswered(http, error);
        if (head_bytes == 0)
            http->received += receive_some(http, http->input + http->received,
                                           sizeof http->input - http->received);
    }
    read_head(http, head_bytes, answer);
    return INK_OK;
}

/* ---- Bodies of answers -------------------------------------------------------------------- */

/* Takes a byte of the line with the size of a chunk. */
static ink__http_state take_size(ink__http_location *location, uint8_t byte)
{
    unsigned digit = ink__hex_digit(byte);

    if (location->state != INK__HTTP_EXTENSION && digit < 16) {
        if (location->left > UINT64_MAX >> 5) /* one more digit might not fit */
            return INK__HTTP_WRONG;
        location->left = location->left * 16 + digit;
        return INK__HTTP_DIGITS;
    }
    if (location->state == INK__HTTP_SIZE) /* neither a sign nor an empty line */
        return INK__HTTP_WRONG;
    if (byte == '\n')
        return location->left == 0 ? INK__HTTP_DONE : INK__HTTP_DATA;
    if (location->state == INK__HTTP_DIGITS && memchr("\r; \t", byte, 4) == NULL)
        return INK__HTTP_WRONG;
    return INK__HTTP_EXTENSION;
}

/* Takes a byte between the data of chunks. Their number is limited: a server could send them
 * without end. */
static void take_around(ink__http_location *location, uint8_t byte)
{
    if (++location->around > INK__HTTP_LINES_BYTES)
        location->state = INK__HTTP_WRONG;
    else if (location->state != INK__HTTP_DATA_END)
        location->state = take_size(location, byte);
    else if (byte == '\n')
        location->state = INK__HTTP_SIZE;
    else if (byte != '\r') /* a chunk that is longer than its size */
        location->state = INK__HTTP_WRONG;
}

ink_status ink__http_begin_body(ink__http *http, const ink__answer *answer, ink_error *error)
{
    http->from = (size_t)(answer->body - http->input);
    http->fresh = http->waited = 0;
    http->location = (ink__http_location){.state = INK__HTTP_SIZE};
    if (!answer->chunked) {
        http->location.left = answer->sized ? answer->length : UINT64_MAX;
        http->location.state = http->location.left == 0 ? INK__HTTP_DONE : INK__HTTP_DATA;
    }
    if (answer->missized)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s sent an invalid Content-Length, expected one number below 2^64",
                         http->connection.named);
    return INK_OK;
}

static ink_status fail_broken(const ink__http *http, ink_error *error)
{
    const char *named = http->connection.named;
    const int   seconds = http->connection.patience.silence / MILLISECONDS;

    if (http->os_error == ETIMEDOUT && http->fresh > 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s sent %llu bytes in %d s, expected 64 KiB or the rest within that time",
                         named, (unsigned long long)http->fresh, seconds);
    if (http->os_error == ETIMEDOUT)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s sent nothing for %d s, expected more bytes within that time", named,
                         seconds);
    return fail_ended(http, "in the middle of the bytes, expected all of them",
                      "in the middle of the bytes", error);
}

static ink_status pass_around(ink__http *http, ink_error *error)
{
    while (http->location.state < INK__HTTP_DATA) {
        if (http->from == http->received) {
            http->from = 0;
            http->received = receive_some(http, http->input, sizeof http->input);
            if (http->ended)
                return fail_broken(http, error);
            continue;
        }
        take_around(&http->location, http->input[http->from++]);
    }
    if (http->location.state == INK__HTTP_WRONG)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s sends invalid chunks, expected the size of each in hexadecimal "
                         "digits, then that many bytes",
                         http->connection.named);
    return INK_OK;
}

ink_status ink__http_take(ink__http *http, const ink__answer *answer, uint8_t *to, size_t room,
                          size_t *count, ink_error *error)
{
    *count = 0;
    INK__TRY(pass_around(http, error));
    if (http->location.state == INK__HTTP_DONE)
        return INK_OK;
    if (room > http->location.left)
        room = (size_t)http->location.left;
    if (http->from < http->received) {
        size_t have = http->received - http->from;
        *count = have < room ? have : room;
        memcpy(to, http->input + http->from, *count);
        http->from += *count;
    }
    while (*count == 0 && !http->ended)
        *count = receive_some(http, to, room);
    bool until_end = !answer->chunked && !answer->sized; /* it ends with the connection */
    if (*count == 0 && (!until_end || http->os_error != 0))
        return fail_broken(http, error);
    http->location.left -= *count;
    http->location.around = 0;
    if (http->location.left == 0 || *count == 0)
        http->location.state = answer->chunked ? INK__HTTP_DATA_END : INK__HTTP_DONE;
    http->fresh += *count;
    if (http->fresh >= INK__HTTP_PROGRESS_BYTES)
        http->fresh = http->waited = 0; /* enough of them reset the time */
    return INK_OK;
}

void ink__http_body(ink__http *http, ink__answer *answer)
{
    size_t more = 1;

    ink__http_begin_body(http, answer,
                         NULL); /* without a valid length it ends with the connection */
    answer->body = http->chunk;
    for (answer->body_bytes = 0; more > 0 && answer->body_bytes < INK__HTTP_BODY_BYTES;
         answer->body_bytes += more)
        ink__http_take(http, answer, http->chunk + answer->body_bytes,
                       INK__HTTP_BODY_BYTES - answer->body_bytes, &more, NULL);
}
