/* connection.c - connections to servers, within limits of time. */
#include "net/connection.h"

#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum {
    PEERS_MAX = 16,         /* addresses of one name that are tried */
    FOUND_BYTES_MAX = 8192, /* of what getent prints */
    NAMED_NAME_BYTES = INK__HOST_NAMED_BYTES - 8,
    NO_PROGRAM = 127, /* as an exit code */
};

#define NANOSECONDS 1000000u /* of a millisecond */

/* ---- Hosts -------------------------------------------------------------------------------- */

/* Whether it can be a name, or an address with dots: nothing that getent would take for an option,
 * and nothing that has a meaning in HTTP. */
static bool is_name(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        char lower = (char)(text[i] | 0x20);
        bool letter = (lower >= 'a' && lower <= 'z') || ink__is_digit((uint8_t)text[i]);
        if (!letter && text[i] != '_' && (i == 0 || (text[i] != '-' && text[i] != '.')))
            return false;
    }
    return bytes > 0;
}

bool ink__host_parse(ink__host *host, const char *text, size_t bytes, uint16_t usual_port)
{
    ink__peer   peer;
    uint64_t    port;
    bool        six = bytes > 0 && text[0] == '[';
    const char *name = text + six, *end = text + bytes;
    const char *name_end = memchr(name, six ? ']' : ':', (size_t)(end - name));

    if (name_end == NULL && six)
        return false;
    if (name_end == NULL)
        name_end = end;
    size_t      name_bytes = (size_t)(name_end - name);
    const char *rest = name_end + six; /* ":port", or nothing */
    if (name_bytes >= INK__HOST_BYTES || (!six && !is_name(name, name_bytes)))
        return false;
    *host = (ink__host){.six = six, .port = usual_port};
    memcpy(host->name, name, name_bytes);
    if (six && (ink__system_now()->peer(host->name, &peer) < 0 || !peer.six))
        return false;
    if (rest == end)
        return usual_port != 0;
    if (rest[0] != ':' ||
        !ink__parse_digits(rest + 1, (size_t)(end - rest) - 1, UINT16_MAX, &port) || port == 0)
        return false;
    host->port = (uint16_t)port;
    return true;
}

uint64_t ink__deadline(int milliseconds)
{
    return ink__system_now()->nanoseconds() + (uint64_t)milliseconds * NANOSECONDS;
}

int ink__wait_until(int file, int what, uint64_t deadline)
{
    for (;;) {
        uint64_t now = ink__system_now()->nanoseconds();
        uint64_t left = now < deadline ? (deadline - now + NANOSECONDS - 1) / NANOSECONDS : 0;
        int ready = ink__system_now()->wait(file, what, left < INT32_MAX ? (int)left : INT32_MAX);
        if (ready != -EINTR)
            return ready;
    }
}

/* ---- Names -------------------------------------------------------------------------------- */

typedef struct peers {
    size_t    count;
    ink__peer peer[PEERS_MAX];
} peers;

/* Keeps the address of a line such as "127.0.0.1  STREAM localhost"; other lines repeat it. */
static void take_line(peers *found, char *line, uint16_t port)
{
    size_t      name_bytes = strcspn(line, " \t");
    const char *rest = line + name_bytes + strspn(line + name_bytes, " \t");
    ink__peer  *peer = &found->peer[found->count];

    if (strncmp(rest, "STREAM", 6) != 0)
        return;
    line[name_bytes] = '\0';
    if (ink__system_now()->peer(line, peer) < 0)
        return;
    peer->port = port;
    found->count++;
}

static int read_output(int output, char *text, size_t room, size_t *bytes, uint64_t deadline)
{
    long long more = 1;

    for (*bytes = 0; more > 0 && *bytes < room; *bytes += (size_t)more) {
        int ready = ink__wait_until(output, INK__CAN_READ, deadline);
        if (ready <= 0)
            return ready < 0 ? ready : -ETIMEDOUT;
        INK__UNINTERRUPTED(more, ink__system_now()->read(output, text + *bytes, room - *bytes));
        if (more < 0)
            return (int)more;
    }
    return 0;
}

/* Runs getent. Its output counts, not its exit code, which another thread that waits for children
 * may take. But without output the code may say that there is no such program, which some systems
 * do not report earlier. */
static int run_getent(const char *name, char *text, size_t room, size_t *bytes, uint64_t deadline)
{
    const char *const arguments[] = {"getent", "ahosts", name, NULL};
    int               output, ended;
    long long         id = ink__system_now()->start(arguments, &output);

    if (id < 0)
        return (int)id;
    int result = read_output(output, text, room, bytes, deadline);
    ink__system_now()->close(output);
    INK__UNINTERRUPTED(ended, ink__system_now()->finish(id, result < 0 || *bytes == room));
    return result == 0 && *bytes == 0 && ended == NO_PROGRAM ? -ENOENT : result;
}

static ink_status look_up(peers *found, const ink__host *host, const ink__connection *connection,
                          ink_error *error)
{
    char   text[FOUND_BYTES_MAX + 1], message[INK_MESSAGE_BYTES];
    size_t bytes = 0;
    int    result = run_getent(host->name, text, sizeof text - 1, &bytes,
                               ink__deadline(connection->patience.silence));

    if (result < 0) {
        ink__format(message, sizeof message,
                    "cannot look up the host of %s by the program getent, expected getent or a "
                    "numeric address",
                    connection->named);
        return ink__fail_io(error, -result, message);
    }
    text[bytes] = '\0';
    for (char *line = text, *next; *line != '\0' && found->count < PEERS_MAX; line = next) {
        size_t line_bytes = strcspn(line, "\n");
        next = line + line_bytes + (line[line_bytes] == '\n');
        line[line_bytes] = '\0';
        take_line(found, line, host->port);
    }
    if (found->count == 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "the host of %s is not known, expected one that \"getent ahosts\" finds",
                         connection->named);
    return INK_OK;
}

/* ---- Connecting --------------------------------------------------------------------------- */

/* Connects to one address; gives the file, or a negative errno. */
static int connect_to(const ink__peer *peer, uint64_t deadline)
{
    int file = ink__system_now()->connect(peer);

    if (file < 0)
        return file;
    int result = ink__wait_until(file, INK__CAN_WRITE, deadline);
    if (result == 0)
        result = -ETIMEDOUT;
    else if (result > 0)
        result = ink__system_now()->connected(file);
    if (result == 0)
        return file;
    ink__system_now()->close(file);
    return result;
}

ink_status ink__connect(ink__connection *connection, const ink__host *host,
                        const ink__patience *patience, ink_error *error)
{
    peers found;
    char  message[INK_MESSAGE_BYTES], name[NAMED_NAME_BYTES];

    *connection = (ink__connection){.file = -ENOENT, .patience = *patience};
    ink__quote(name, sizeof name - (host->six ? 2 : 0), host->name, strlen(host->name));
    ink__format(connection->named, sizeof connection->named, host->six ? "[%s]:%u" : "%s:%u", name,
                (unsigned)host->port);
    found.count = ink__system_now()->peer(host->name, &found.peer[0]) >= 0;
    found.peer[0].port = host->port;
    if (found.count == 0)
        INK__TRY(look_up(&found, host, connection, error));
    for (size_t i = 0; i < found.count && connection->file < 0; i++) {
        connection->peer = found.peer[i];
        connection->file = connect_to(&found.peer[i], ink__deadline(patience->connect));
    }
    if (connection->file >= 0)
        return INK_OK;
    ink__format(message, sizeof message, "cannot connect to %s", connection->named);
    return ink__fail_io(error, -connection->file, message);
}

void ink__disconnect(ink__connection *connection)
{
    if (connection->file >= 0)
        ink__system_now()->close(connection->file);
    connection->file = -ENOENT;
}
