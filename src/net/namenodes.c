/* namenodes.c - an address of WebHDFS, and the NameNodes that it names. */
#include "net/namenodes.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <string.h>

enum {
    HTTP_PORT = 80, /* the default */
    /* Pauses in a row until another NameNode has taken over, which takes it seconds to a minute:
     * each twice as long as the one before, up to the longest. */
    TAKEOVER_PAUSES = 10,
    TAKEOVER_DOUBLINGS = 4,
};

#define SCHEME "webhdfs://"
#define EXPECTED "expected webhdfs://HOST:PORT/PATH?user.name=USER"
#define USER "&user.name="

/* ---- Addresses ---------------------------------------------------------------------------- */

/* Schemes that are not supported, and why. */
static const struct {
    const char *scheme, *reason;
} foreign[] = {
    {"swebhdfs://", "is encrypted, which is not supported"},
    {"https://", "is encrypted, which is not supported"},
    {"http://", "is not the address of a file in HDFS"},
    {"hdfs://", "is Hadoop's own protocol, which is not supported"},
};
enum { FOREIGN = sizeof foreign / sizeof foreign[0] };

bool ink__webhdfs_is_address(const char *path)
{
    for (size_t i = 0; i < FOREIGN; i++)
        if (ink__starts_with(path, foreign[i].scheme))
            return true;
    return ink__starts_with(path, SCHEME);
}

size_t ink__webhdfs_path_bytes(const char *path)
{
    const char *query = ink__webhdfs_is_address(path) ? strrchr(path, '?') : NULL;

    return query != NULL ? (size_t)(query - path) : strlen(path);
}

typedef struct parts_of_address {
    const char *nodes, *path, *user; /* user: NULL if none */
    size_t      nodes_bytes, path_bytes;
} parts_of_address;

static ink_status split(parts_of_address *parts, const char *address, ink_error *error)
{
    for (size_t i = 0; i < FOREIGN; i++)
        if (ink__starts_with(address, foreign[i].scheme))
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s %s, " EXPECTED,
                             foreign[i].scheme, foreign[i].reason);
    parts->nodes = address + strlen(SCHEME);
    parts->nodes_bytes = strcspn(parts->nodes, "/?");
    parts->path = parts->nodes + parts->nodes_bytes;
    const char *query = strrchr(parts->path, '?');
    parts->path_bytes = query != NULL ? (size_t)(query - parts->path) : strlen(parts->path);
    parts->user = query != NULL ? query + strlen("?user.name=") : NULL;
    if (query != NULL && (!ink__starts_with(query, "?user.name=") || *parts->user == '\0'))
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "an address whose last '?' is not followed by the name of a user, " EXPECTED);
    if (parts->path_bytes < 2 || parts->path[0] != '/' || parts->path[parts->path_bytes - 1] == '/')
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "an address without the path of a file, " EXPECTED);
    return INK_OK;
}

static ink_status read_nodes(ink__namenodes *servers, const parts_of_address *parts,
                             ink_error *error)
{
    const char *at = parts->nodes, *end = at + parts->nodes_bytes;
    char        shown[INK__HOST_NAMED_BYTES];

    for (bool more = true; more;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t      bytes = (size_t)((comma != NULL ? comma : end) - at);
        if (servers->count == INK__NAMENODES_MAX)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "an address with more than %d NameNodes, expected fewer",
                             INK__NAMENODES_MAX);
        if (!ink__host_parse(&servers->nodes[servers->count++], at, bytes, 0)) {
            ink__quote(shown, sizeof shown, at, bytes);
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "\"%s\" is not the HOST:PORT of a NameNode, " EXPECTED, shown);
        }
        more = comma != NULL;
        at += bytes + more;
    }
    return INK_OK;
}

/* Writes bytes URL-escaped, three for one at most; gives where they end. */
static char *escape(char *to, const char *bytes, size_t count)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)bytes[i], lower = byte | 0x20;
        if ((lower >= 'a' && lower <= 'z') || ink__is_digit(byte) ||
            memchr("/-._~", byte, 5) != NULL) {
            *to++ = bytes[i];
        } else {
            *to++ = '%';
            *to++ = digits[byte >> 4];
            *to++ = digits[byte & 15];
        }
    }
    return to;
}

static void write_texts(ink__namenodes *servers, const parts_of_address *parts, const char *beside)
{
    size_t folder = parts->path_bytes;
    char  *at = servers->text;

    while (parts->path[folder - 1] != '/')
        folder--;
    servers->path = at;
    at = escape(at, parts->path, parts->path_bytes);
    *at++ = '\0';
    servers->beside = at;
    at = escape(at, parts->path, folder);
    at = escape(at, beside, strlen(beside));
    *at++ = '\0';
    servers->user = at;
    if (parts->user != NULL) {
        memcpy(at, USER, strlen(USER));
        at = escape(at + strlen(USER), parts->user, strlen(parts->user));
    }
    *at = '\0';
}

ink_status ink__namenodes_open(ink__namenodes **servers, const char *address, const char *beside,
                               const ink__patience *patience, const ink_allocator *allocator,
                               ink_error *error)
{
    /* Garbage collection of a NameNode and replication by a DataNode take long. */
    static const ink__patience usual = {.connect = 20000, .silence = 120000, .pause = 500};
    parts_of_address           parts = {0};
    ink__namenodes            *made;

    *servers = NULL;
    INK__TRY(split(&parts, address, error));
    beside = beside != NULL ? beside : "";
    size_t   user_bytes = parts.user != NULL ? strlen(parts.user) : 0;
    uint64_t escaped = 2 * (uint64_t)parts.path_bytes + strlen(beside) + user_bytes;
    uint64_t bytes = sizeof **servers + 3 * escaped + strlen(USER) + 3;
    INK__TRY(ink__allocate_zeroed(allocator, bytes, &made, error));
    made->allocator = *allocator;
    made->bytes = bytes;
    made->patience = patience != NULL ? *patience : usual;
    made->http.connection.file = -1;
    write_texts(made, &parts, beside);
    ink_status status = read_nodes(made, &parts, error);
    if (status == INK_OK)
        *servers = made;
    else
        ink__namenodes_close(made);
    return status;
}

void ink__namenodes_close(ink__namenodes *servers)
{
    if (servers == NULL)
        return;
    ink_allocator allocator = servers->allocator;

    ink__disconnect(&servers->http.connection);
    ink__release(&allocator, servers, servers->bytes);
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* Keeps the first line of a JSON string, unescaped, in the input, which is free by now. */
static size_t take_line(ink__namenodes *servers, const ink__answer *answer,
                        const ink__json_value *value)
{
    uint8_t *text = servers->http.input;
    size_t   bytes = 0, line = 0;

    if (value->kind == INK__JSON_STRING)
        bytes = (size_t)ink__json_unescape(answer->body, value, text);
    while (line < bytes && text[line] != '\n' && text[line] != '\r')
        line++;
    return line;
}

bool ink__answer_find(const ink__answer *answer, const char *const names[2],
                      ink__json_value values[2])
{
    ink__json_path paths[2];

    return ink__json_path_create(&paths[0], names[0], NULL) == INK_OK &&
           ink__json_path_create(&paths[1], names[1], NULL) == INK_OK &&
           ink__json_find(answer->body, 0, answer->body_bytes, paths, 2, values, NULL) == INK_OK;
}

/* {"RemoteException": {"exception": "...", "message": "...", ...}} */
void ink__namenodes_hear(ink__namenodes *servers, ink__answer *answer)
{
    static const char *const names[] = {"RemoteException.exception", "RemoteException.message"};
    ink__json_value          values[2];

    servers->exception[0] = '\0';
    servers->message_bytes = 0;
    ink__http_body(&servers->http, answer);
    if (!ink__answer_find(answer, names, values))
        return;
    ink__quote(servers->exception, sizeof servers->exception, servers->http.input,
               take_line(servers, answer, &values[0]));
    servers->message_bytes = take_line(servers, answer, &values[1]);
}

ink_status ink__namenodes_refuse(const ink__namenodes *servers, const ink__answer *answer,
                                 const char *what, unsigned expected, ink_error *error)
{
    char   start[INK_MESSAGE_BYTES], message[INK_MESSAGE_BYTES], end[32];
    size_t used = ink__format(start, sizeof start, "%s answered %u to %s",
                              servers->http.connection.named, answer->status, what);

    if (answer->status == INK__HTTP_UNAUTHORIZED)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s: it requires Kerberos, which is not supported, "
                         "expected %u",
                         start, expected);
    if (servers->exception[0] == '\0' && servers->message_bytes == 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s, expected %u", start, expected);
    used += ink__format(start + used, sizeof start - used, ": %s%s", servers->exception,
                        servers->exception[0] != '\0' ? ": " : "");
    used += ink__format(end, sizeof end, ", expected %u", expected);
    ink__quote(message, sizeof message - used, servers->http.input, servers->message_bytes);
    return ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s%s%s", start, message, end);
}

/* ---- NameNodes ---------------------------------------------------------------------------- */

static ink_status ask_node(ink__namenodes *servers, const ink__host *node,
                           const ink__question *asked, const ink__patience *patience,
                           ink__answer *answer, ink_error *error)
{
    const char *avoided = asked->redirects ? servers->avoided : "";
    char       *target = (char *)servers->http.input; /* which is free */
    size_t      room = sizeof servers->http.input;

    servers->exception[0] = '\0'; /* of another answer */
    servers->message_bytes = 0;
    INK__TRY(ink__http_open(&servers->http, node, patience, error));
    size_t bytes = ink__format(target, room, "/webhdfs/v1%s?op=%s%s%s%s", asked->path,
                               asked->operation, asked->value, servers->user, avoided);
    if (bytes == room - 1)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "a path that takes more than %zu bytes in a request, expected fewer",
                         room);
    INK__TRY(ink__http_ask(&servers->http, node, asked->method, target, bytes, false, error));
    INK__TRY(ink__http_answer(&servers->http, answer, error));
    if (answer->status != INK__HTTP_REDIRECT)
        ink__namenodes_hear(servers, answer);
    bool refused = answer->status >= INK__HTTP_REFUSED;
    bool standby = refused && strcmp(servers->exception, "StandbyException") == 0;
    bool starts =
        refused && servers->count > 1 && strcmp(servers->exception, "RetriableException") == 0;
    servers->takeover |= standby || starts;
    if (standby || starts)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s is a NameNode %s, expected an active one",
                         servers->http.connection.named, standby ? "on standby" : "that starts");
    return INK_OK;
}

/* Asks all, beginning with the one that answered last. */
static ink_status ask_all(ink__namenodes *servers, const ink__question *asked,
                          const ink__patience *patience, ink__answer *answer, ink_error *error)
{
    ink_status status = INK_OK;

    servers->takeover = false;
    for (unsigned i = 0; i < servers->count; i++) {
        unsigned node = (servers->last + i) % servers->count;
        status = ask_node(servers, &servers->nodes[node], asked, patience, answer, error);
        ink__disconnect(&servers->http.connection);
        if (status == INK_OK)
            servers->last = node;
        if (status != INK_IO)
            return status;
    }
    return status;
}

/* Whether a NameNode is there that may become the active one; waits before it is asked again. One
 * that was named alone is the wrong one. */
static bool takes_over(ink__namenodes *servers, const ink__patience *patience)
{
    if (!servers->takeover || servers->count == 1 || patience->pause == 0 ||
        servers->pauses == TAKEOVER_PAUSES)
        return false;
    unsigned doublings =
        servers->pauses < TAKEOVER_DOUBLINGS ? servers->pauses : TAKEOVER_DOUBLINGS;
    servers->pauses++;
    ink__system_now()->wait_many(NULL, 0, patience->pause << doublings);
    return true;
}

ink_status ink__namenodes_ask(ink__namenodes *servers, const ink__question *asked,
                              const ink__patience *patience, ink__answer *answer, ink_error *error)
{
    ink_status status;

    servers->datanode.port = 0;
    do
        status = ask_all(servers, asked, patience, answer, error);
    while (status == INK_IO && takes_over(servers, patience));
    if (status == INK_OK)
        servers->pauses = 0;
    if (status == INK_IO && servers->count > 1)
        ink__fail_within(error, "none of %u NameNodes: ", servers->count);
    return status;
}

/* Parses a Location: on another host, or a path on the same one. */
static ink_status read_location(const ink__answer *answer, const char *named, ink__host *host,
                                const char **target, size_t *target_bytes, ink_error *error)
{
    const char *at = answer->location;
    char        shown[96];
    bool        clean = answer->location_bytes > 0;

    if (at == NULL)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s answered 307 without a Location, expected one", named);
    const char *end = at + answer->location_bytes;
    ink__quote(shown, sizeof shown, at, answer->location_bytes);
    for (const char *byte = at; byte < end; byte++)
        clean = clean && *byte > ' ' && *byte < 0x7f;
    if (clean && at[0] != '/') {
        size_t scheme = strlen("http://");
        clean = answer->location_bytes > scheme && memcmp(at, "http://", scheme) == 0;
        at += clean ? scheme : 0;
        const char *slash = memchr(at, '/', (size_t)(end - at));
        clean =
            clean && slash != NULL && ink__host_parse(host, at, (size_t)(slash - at), HTTP_PORT);
        at = slash;
    }
    if (!clean)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s sends the bytes to \"%s\", expected http:// (without encryption) and "
                         "the path of a file",
                         named, shown);
    *target = at;
    *target_bytes = (size_t)(end - at);
    return INK_OK;
}

static ink_status follow(ink__namenodes *servers, const ink__answer *answer, const char *method,
                         bool has_body, ink_error *error)
{
    ink__host   host = servers->nodes[servers->last];
    const char *target = NULL;
    size_t      target_bytes = 0;

    INK__TRY(read_location(answer, servers->http.connection.named, &host, &target, &target_bytes,
                           error));
    ink_status status = ink__http_open(&servers->http, &host, &servers->patience, error);
    servers->datanode = servers->http.connection.peer;
    if (status != INK_OK)
        return status;
    return ink__http_ask(&servers->http, &host, method, target, target_bytes, has_body, error);
}

ink_status ink__namenodes_redirect(ink__namenodes *servers, const ink__question *asked,
                                   bool has_body, ink__answer *answer, bool *refused,
                                   ink_error *error)
{
    INK__TRY(ink__namenodes_ask(servers, asked, &servers->patience, answer, error));
    if (answer->status != INK__HTTP_REDIRECT && servers->avoided[0] != '\0') {
        servers->avoided[0] = '\0'; /* there may be no other */
        INK__TRY(ink__namenodes_ask(servers, asked, &servers->patience, answer, error));
    }
    *refused = answer->status != INK__HTTP_REDIRECT;
    if (*refused)
        return ink__namenodes_refuse(servers, answer, asked->operation, INK__HTTP_REDIRECT, error);
    return follow(servers, answer, asked->method, has_body, error);
}

/* HDFS knows them by numeric addresses, and takes a colon for the start of a port. */
void ink__namenodes_avoid(ink__namenodes *servers)
{
    const uint8_t *bytes = servers->datanode.bytes;

    if (servers->datanode.port != 0 && !servers->datanode.six)
        ink__format(servers->avoided, sizeof servers->avoided, "&excludedatanodes=%u.%u.%u.%u",
                    (unsigned)bytes[0], (unsigned)bytes[1], (unsigned)bytes[2], (unsigned)bytes[3]);
}
