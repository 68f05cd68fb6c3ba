/* listener.c - listening at addresses, accepting connections, and who sends on them. */
#include "net/listener.h"

#include "base/cleanup.h"
#include "base/status.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum {
    SHOWN_BYTES = 64, /* of a part of an address in failures */
    /* Open files that connections leave to the rest of the process, to save its state. */
    FILES_SPARED = 32,
    METHOD_BYTES = 32, /* of a method of HTTP at most; browsers send no longer ones */
};

#define REST_NANOSECONDS 100000000u
#define NANOSECONDS 1000000u /* of a millisecond */

static const char tcp[] = "tcp://", unix_path[] = "unix:";

bool ink__listener_named(const char *address)
{
    return ink__starts_with(address, tcp) || ink__starts_with(address, unix_path);
}

/* ---- TCP ---------------------------------------------------------------------------------- */

static ink_status refuse_part(ink_error *error, const char *part, size_t bytes,
                              const char *expected)
{
    char shown[SHOWN_BYTES];

    ink__quote(shown, sizeof shown, part, bytes);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "\"%s\" is not a %s", shown, expected);
}

/* Parses a host of `bytes` bytes, and writes it to `name` as in an address. */
static ink_status read_host(const char *text, size_t bytes, ink__peer *peer, char name[SHOWN_BYTES],
                            ink_error *error)
{
    char numbers[SHOWN_BYTES] = "127.0.0.1";
    bool six = bytes >= 2 && text[0] == '[' && text[bytes - 1] == ']', fits = bytes < SHOWN_BYTES;
    bool loopback = bytes == 0 || (bytes == 9 && memcmp(text, "localhost", 9) == 0);

    if (fits && !loopback) {
        memcpy(numbers, text + six, bytes - (six ? 2 : 0));
        numbers[bytes - (six ? 2 : 0)] = '\0';
    }
    if (!fits || ink__system_now()->peer(numbers, peer) < 0 || peer->six != six)
        return refuse_part(error, text, bytes,
                           "host to listen at, expected a numeric address, as 127.0.0.1 or [::1], "
                           "or localhost, or none");
    ink__format(name, SHOWN_BYTES, six ? "[%s]" : "%s", numbers);
    return INK_OK;
}

static ink_status open_tcp(ink__listener *listener, const char *host, ink_error *error)
{
    char        name[SHOWN_BYTES];
    const char *colon = strrchr(host, ':');
    ink__peer   peer;
    uint64_t    port;

    /* A colon within brackets is part of the host. */
    if (colon == NULL || strchr(colon, ']') != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "an address without a port, expected tcp://HOST:PORT");
    INK__TRY(read_host(host, (size_t)(colon - host), &peer, name, error));
    if (!ink__parse_digits(colon + 1, strlen(colon + 1), UINT16_MAX, &port))
        return refuse_part(error, colon + 1, strlen(colon + 1),
                           "port, expected a number from 0 (any free one) to 65535");
    peer.port = (uint16_t)port;
    listener->file = ink__system_now()->listen(&peer);
    int found = listener->file < 0 ? listener->file : ink__system_now()->port(listener->file);
    if (found < 0)
        return ink__fail_io(error, -found, "cannot listen");
    ink__format(listener->address, sizeof listener->address, "%s%s:%d", tcp, name, found);
    return INK_OK;
}

/* ---- Unix sockets ------------------------------------------------------------------------- */

/* Removes a socket that has no listener any more. */
static ink_status clear_path(const char *path, ink_error *error)
{
    ink__stat stat;
    int       result = ink__system_now()->stat_path(path, &stat);

    if (result == 0 && !stat.socket)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "a file that is no socket already exists there, expected a free path");
    if (result == 0)
        result = ink__system_now()->connect_path(path);
    if (result >= 0)
        ink__system_now()->close(result);
    if (result >= 0 || result == -EAGAIN) /* its queue is full */
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "another process already listens there, expected a free path");
    if (result == -ECONNREFUSED)
        result = ink__system_now()->unlink(path);
    if (result < 0 && result != -ENOENT) /* another process was faster */
        return ink__fail_io(error, -result, "cannot replace the existing socket");
    return INK_OK;
}

static ink_status open_unix(ink__listener *listener, const char *address, ink_error *error)
{
    ink__stat stat;

    if (!ink__starts_with(address, unix_path))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "not an address to listen at, expected tcp://HOST:PORT or unix:PATH");
    const char *path = address + strlen(unix_path);
    size_t      bytes = strlen(path);
    if (bytes == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "an address without a path, expected unix:PATH");
    if (bytes >= INK__SOCKET_PATH_BYTES)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a path of %zu bytes, expected at most %d for a socket", bytes,
                         INK__SOCKET_PATH_BYTES - 1);
    listener->file = ink__system_now()->listen_path(path);
    if (listener->file == -EADDRINUSE) {
        INK__TRY(clear_path(path, error));
        listener->file = ink__system_now()->listen_path(path);
    }
    if (listener->file < 0)
        return ink__fail_io(error, -listener->file, "cannot listen");
    int result = ink__system_now()->stat_path(path, &stat);
    if (result < 0) {
        ink__system_now()->unlink(path); /* which listen_path created */
        return ink__fail_io(error, -result, "cannot listen");
    }
    listener->device = stat.device;
    listener->number = stat.number;
    ink__cleanup_unfinished(path); /* removed when a signal ends the process */
    ink__format(listener->path, sizeof listener->path, "%s", path);
    ink__format(listener->address, sizeof listener->address, "%s", address);
    return INK_OK;
}

/* ---- Listeners ---------------------------------------------------------------------------- */

ink_status ink__listener_open(ink__listener *listener, const char *address, ink_error *error)
{
    *listener = (ink__listener){.file = -1};
    ink_status status = ink__starts_with(address, tcp)
                            ? open_tcp(listener, address + strlen(tcp), error)
                            : open_unix(listener, address, error);
    if (status != INK_OK)
        ink__listener_close(listener);
    return status;
}

void ink__listener_close(ink__listener *listener)
{
    ink__stat stat;

    if (listener->path[0] != '\0') {
        if (ink__system_now()->stat_path(listener->path, &stat) == 0 &&
            stat.device == listener->device && stat.number == listener->number)
            ink__system_now()->unlink(listener->path);
        ink__cleanup_finished(listener->path);
    }
    if (listener->file >= 0)
        ink__system_now()->close(listener->file);
    *listener = (ink__listener){.file = -1};
}

ink_status ink__listener_accept(ink__listener *listener, int *file, ink_error *error)
{
    /* No peer; or it has gone, or its network failed. */
    static const int gone[] = {EAGAIN,   EINTR,       ECONNABORTED, EPROTO,       EPERM,
                               ENETDOWN, ENETUNREACH, EHOSTDOWN,    EHOSTUNREACH, ETIMEDOUT};
    static const int scarce[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
    bool             spared = ink__system_now()->files_left(listener->file) >= FILES_SPARED;
    int              result = spared ? ink__system_now()->accept(listener->file) : -EMFILE;

    *file = result < 0 ? -1 : result;
    if (result >= 0)
        return INK_OK;
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        if (result == -gone[i])
            return INK_OK;
    for (size_t i = 0; i < sizeof scarce / sizeof scarce[0]; i++)
        if (result == -scarce[i]) {
            listener->rests_until = ink__system_now()->nanoseconds() + REST_NANOSECONDS;
            return INK_OK;
        }
    return ink__fail_io(error, -result, "cannot take a connection");
}

void ink__listener_await(ink__listener *listener, ink__awaited *awaited, int *milliseconds)
{
    uint64_t now = listener->rests_until == 0 ? 0 : ink__system_now()->nanoseconds();

    *awaited = (ink__awaited){.file = listener->file, .what = INK__CAN_READ};
    if (now >= listener->rests_until) {
        listener->rests_until = 0;
        return;
    }
    int left = (int)((listener->rests_until - now + NANOSECONDS - 1) / NANOSECONDS);
    awaited->file = -1;
    if (*milliseconds < 0 || *milliseconds > left)
        *milliseconds = left;
}

/* ---- Senders ------------------------------------------------------------------------------ */

ink__greeting ink__listener_greeting(const ink__listener *listener)
{
    return (ink__greeting){
        .sender = listener->path[0] != '\0' ? INK__SENDER_OTHER : INK__SENDER_UNKNOWN,
        .named = true,
    };
}

/* Takes a byte of the method, or of the name of a field. */
static ink__sender take_method(ink__greeting *greeting, uint8_t byte)
{
    static const char name[] = "host";
    const uint8_t     letter = byte | 0x20;

    if (byte == ':' && greeting->named && greeting->matched == strlen(name))
        return INK__SENDER_HTTP;
    if (byte == ' ' && greeting->matched > 0) {
        greeting->part = 1;
        greeting->matched = 0;
        return INK__SENDER_UNKNOWN;
    }
    greeting->named = greeting->named && greeting->matched < strlen(name) &&
                      letter == (uint8_t)name[greeting->matched];
    if (((letter < 'a' || letter > 'z') && byte != '-') || ++greeting->matched > METHOD_BYTES)
        return INK__SENDER_OTHER;
    return INK__SENDER_UNKNOWN;
}

static ink__sender take_first_line(ink__greeting *greeting, uint8_t byte)
{
    static const char version[] = "HTTP/";

    if (greeting->part == 0)
        return take_method(greeting, byte);
    if (greeting->part == 1 && byte == ' ' && greeting->matched > 0) {
        greeting->part = 2;
        greeting->matched = 0;
    } else if (greeting->part == 1) {
        greeting->matched = 1;
        if (byte <= ' ' || byte == 0x7f) /* as the end of the line */
            return INK__SENDER_OTHER;
    } else if (byte != (uint8_t)version[greeting->matched++]) {
        return INK__SENDER_OTHER;
    }
    return greeting->matched == strlen(version) ? INK__SENDER_HTTP : INK__SENDER_UNKNOWN;
}

ink__sender ink__greeting_take(ink__greeting *greeting, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count && greeting->sender == INK__SENDER_UNKNOWN; i++)
        greeting->sender = take_first_line(greeting, bytes[i]);
    return greeting->sender;
}
