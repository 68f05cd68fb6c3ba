/* webhdfs.c - a file that is written into HDFS over WebHDFS. A NameNode says which DataNode is to
 * have it (CREATE, 307), which takes the bytes (PUT, 201); the NameNode then gives the file its
 * name (RENAME, 200). Until then it has one that nobody looks at, as a DataNode takes a connection
 * that breaks for the end of a file. */
#include "input/webhdfs.h"

#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "input/http.h"
#include "input/json.h"

#include <string.h>

enum {
    NODES_MAX = 16,
    EXCEPTION_BYTES = 64,
    TEMPORARY_BYTES = 64, /* of the last part of its name */
    HTTP_PORT = 80,       /* of an address that names none */

    /* Usual patience, in milliseconds: a NameNode that must collect its garbage, or a DataNode that
     * finds others for the copies, are slow and not dead. */
    CONNECT_MILLISECONDS = 20000,
    SILENCE_MILLISECONDS = 120000,
    /* To remove what failed, which is worth less. */
    REMOVE_CONNECT_MILLISECONDS = 5000,
    REMOVE_SILENCE_MILLISECONDS = 10000,

    OK = 200,
    CREATED = 201,
    REDIRECT = 307,
    UNAUTHORIZED = 401,
    REFUSED = 400, /* and above */
};

#define SCHEME "webhdfs://"
#define EXPECTED "expected webhdfs://HOST:PORT/PATH?user.name=USER"
#define SERVICE "/webhdfs/v1"

struct ink__webhdfs {
    ink_allocator allocator;
    uint64_t      bytes; /* of all this */
    ink__patience patience;
    ink__host     nodes[NODES_MAX];
    unsigned      node_count, node; /* the one that answered last */
    bool          begun;            /* a file may be there */
    ink_status    status;           /* of the first failure */
    ink_error     failure;
    char          exception[EXCEPTION_BYTES]; /* that the last answer tells; "": none */
    size_t        message_bytes;              /* of what it says to that, in http.chunk */
    ink__http     http;
    char         *path, *temporary, *user; /* as they stand in requests; in text */
    char          text[];
};

/* ---- Addresses ---------------------------------------------------------------------------- */

/* What else looks like an address, and why it is none. */
static const struct {
    const char *scheme, *reason;
} foreign[] = {
    {"swebhdfs://", "is encrypted, which is not supported"},
    {"https://", "is encrypted, which is not supported"},
    {"http://", "is not the address of a file in HDFS"},
    {"hdfs://", "is Hadoop's own protocol, which is not supported"},
};
enum { FOREIGN = sizeof foreign / sizeof foreign[0] };

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool ink__webhdfs_is_address(const char *path)
{
    for (size_t i = 0; i < FOREIGN; i++)
        if (starts_with(path, foreign[i].scheme))
            return true;
    return starts_with(path, SCHEME);
}

/* The parts of an address. */
typedef struct address_parts {
    const char *nodes, *path, *user; /* user: NULL if none */
    size_t      nodes_bytes, path_bytes;
} address_parts;

static ink_status split_address(address_parts *parts, const char *address, ink_error *error)
{
    for (size_t i = 0; i < FOREIGN; i++)
        if (starts_with(address, foreign[i].scheme))
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s %s, " EXPECTED,
                             foreign[i].scheme, foreign[i].reason);
    parts->nodes = address + strlen(SCHEME);
    parts->nodes_bytes = strcspn(parts->nodes, "/?");
    parts->path = parts->nodes + parts->nodes_bytes;
    const char *query = strrchr(parts->path, '?');
    parts->path_bytes = query != NULL ? (size_t)(query - parts->path) : strlen(parts->path);
    parts->user = query != NULL ? query + strlen("?user.name=") : NULL;
    if (query != NULL && (!starts_with(query, "?user.name=") || *parts->user == '\0'))
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "an address whose last '?' is not followed by the name of a user, " EXPECTED);
    if (parts->path_bytes < 2 || parts->path[parts->path_bytes - 1] == '/')
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "an address without the path of a file, " EXPECTED);
    return INK_OK;
}

static ink_status read_nodes(ink__webhdfs *to, const address_parts *parts, ink_error *error)
{
    const char *at = parts->nodes, *end = at + parts->nodes_bytes;
    char        shown[INK__HOST_NAMED_BYTES];

    for (bool more = true; more;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t      bytes = (size_t)((comma != NULL ? comma : end) - at);
        if (to->node_count == NODES_MAX)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "an address with more than %d NameNodes, expected fewer", NODES_MAX);
        if (!ink__host_parse(&to->nodes[to->node_count++], at, bytes, 0)) {
            ink__quote(shown, sizeof shown, at, bytes);
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "\"%s\" is not the HOST:PORT of a NameNode, " EXPECTED, shown);
        }
        more = comma != NULL;
        at += bytes + more;
    }
    return INK_OK;
}

/* Writes bytes as they may stand in the target of a request; gives where they end. */
static char *put_escaped(char *to, const char *bytes, size_t count)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)bytes[i], lower = byte | 0x20;
        if ((lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') ||
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

static void write_texts(ink__webhdfs *to, const address_parts *parts)
{
    size_t folder = parts->path_bytes;
    char  *at = to->text;

    while (parts->path[folder - 1] != '/')
        folder--;
    to->path = at;
    at = put_escaped(at, parts->path, parts->path_bytes);
    *at++ = '\0';
    to->temporary = at;
    at = put_escaped(at, parts->path, folder);
    at += ink__format(at, TEMPORARY_BYTES, "_ink.%lld.%llx", ink__system_now()->process_id(),
                      (unsigned long long)ink__system_now()->nanoseconds());
    *at++ = '\0';
    to->user = at;
    if (parts->user != NULL) {
        at += ink__format(at, TEMPORARY_BYTES, "&user.name=");
        at = put_escaped(at, parts->user, strlen(parts->user));
    }
    *at = '\0';
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* Keeps the first line of a string of JSON, without its escapes, in the chunk, which is not needed
 * any more. */
static size_t take_line(ink__webhdfs *to, const ink__answer *answer, const ink__json_value *value)
{
    uint8_t *text = to->http.chunk;
    size_t   bytes = 0, line = 0;

    if (value->kind == INK__JSON_STRING)
        bytes = (size_t)ink__json_unescape(answer->body, value, text);
    while (line < bytes && text[line] != '\n' && text[line] != '\r')
        line++;
    return line;
}

/* Reads what the server says of its refusal:
 * {"RemoteException": {"exception": "...", "message": "...", ...}}, if it says that. */
static void read_exception(ink__webhdfs *to, ink__answer *answer)
{
    ink__json_path  paths[2];
    ink__json_value values[2];

    to->exception[0] = '\0';
    to->message_bytes = 0;
    ink__http_body(&to->http, answer);
    if (ink__json_path_create(&paths[0], "RemoteException.exception", NULL) != INK_OK ||
        ink__json_path_create(&paths[1], "RemoteException.message", NULL) != INK_OK ||
        ink__json_find(answer->body, 0, answer->body_bytes, paths, 2, values, NULL) != INK_OK)
        return;
    ink__quote(to->exception, sizeof to->exception, to->http.chunk,
               take_line(to, answer, &values[0]));
    to->message_bytes = take_line(to, answer, &values[1]);
}

/* Fails with an answer that is not the one that was expected; read_exception has seen it. */
static ink_status refuse(const ink__webhdfs *to, const ink__answer *answer, const char *what,
                         unsigned expected, ink_error *error)
{
    char   start[INK_SENTENCE_BYTES], message[INK_SENTENCE_BYTES], end[32];
    size_t used = ink__format(start, sizeof start, "%s answered %u to %s",
                              to->http.connection.named, answer->status, what);

    if (answer->status == UNAUTHORIZED)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s: it wants to know who asks by Kerberos, which is not supported, "
                         "expected %u",
                         start, expected);
    if (to->exception[0] == '\0' && to->message_bytes == 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s, expected %u", start, expected);
    used += ink__format(start + used, sizeof start - used, ": %s%s", to->exception,
                        to->exception[0] != '\0' ? ": " : "");
    used += ink__format(end, sizeof end, ", expected %u", expected);
    ink__quote(message, sizeof message - used, to->http.chunk, to->message_bytes);
    return ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s%s%s", start, message, end);
}

/* ---- NameNodes ---------------------------------------------------------------------------- */

/* A question to a NameNode: "METHOD /webhdfs/v1PATH?op=OPERATION". */
typedef struct question {
    const char *method, *path, *operation, *value; /* value: behind the operation */
} question;

/* Writes it into the input, where nothing is that is still needed. */
static ink_status write_target(ink__webhdfs *to, const question *asked, size_t *bytes,
                               ink_error *error)
{
    char  *text = (char *)to->http.input;
    size_t room = sizeof to->http.input;

    *bytes = ink__format(text, room, SERVICE "%s?op=%s%s%s", asked->path, asked->operation,
                         asked->value, to->user);
    if (*bytes == room - 1)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "a path that takes more than %zu bytes in a request, expected fewer",
                         room);
    return INK_OK;
}

static ink_status ask_node(ink__webhdfs *to, const ink__host *node, const question *asked,
                           const ink__patience *patience, ink__answer *answer, ink_error *error)
{
    size_t bytes = 0;

    to->exception[0] = '\0'; /* of another answer */
    to->message_bytes = 0;
    INK__TRY(ink__http_open(&to->http, node, patience, error));
    INK__TRY(write_target(to, asked, &bytes, error));
    INK__TRY(ink__http_ask(&to->http, node, asked->method, (const char *)to->http.input, bytes,
                           false, error));
    INK__TRY(ink__http_answer(&to->http, answer, error));
    if (answer->status != REDIRECT)
        read_exception(to, answer);
    if (answer->status >= REFUSED && strcmp(to->exception, "StandbyException") == 0)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s is a NameNode on standby, expected an active one",
                         to->http.connection.named);
    return INK_OK;
}

/* Asks one NameNode after the other, from the one that answered last on, until one answers. */
static ink_status ask(ink__webhdfs *to, const question *asked, const ink__patience *patience,
                      ink__answer *answer, ink_error *error)
{
    ink_status status = INK_OK;
    char       last[INK_SENTENCE_BYTES];

    for (unsigned i = 0; i < to->node_count; i++) {
        unsigned node = (to->node + i) % to->node_count;
        status = ask_node(to, &to->nodes[node], asked, patience, answer, error);
        ink__http_close(&to->http);
        if (status == INK_OK)
            to->node = node;
        if (status != INK_IO)
            return status;
    }
    if (to->node_count > 1 && error != NULL) {
        memcpy(last, error->sentence, sizeof last);
        ink__format(error->sentence, sizeof error->sentence, "none of %u NameNodes: %s",
                    to->node_count, last);
    }
    return status;
}

/* ---- DataNodes ---------------------------------------------------------------------------- */

/* Finds out where an answer sends us to: another host, or a path on the same one. */
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

/* Goes where the NameNode has said. */
static ink_status follow(ink__webhdfs *to, const ink__answer *answer, ink_error *error)
{
    ink__host   host = to->nodes[to->node];
    const char *target = NULL;
    size_t      target_bytes = 0;

    INK__TRY(
        read_location(answer, to->http.connection.named, &host, &target, &target_bytes, error));
    INK__TRY(ink__http_open(&to->http, &host, &to->patience, error));
    to->begun = true;
    return ink__http_ask(&to->http, &host, "PUT", target, target_bytes, true, error);
}

static ink_status create(ink__webhdfs *to, ink_error *error)
{
    const question asked = {"PUT", to->temporary, "CREATE", "&overwrite=true"};
    ink__answer    answer;

    INK__TRY(ask(to, &asked, &to->patience, &answer, error));
    if (answer.status == REDIRECT)
        return follow(to, &answer, error);
    to->begun = answer.status == CREATED; /* nobody should do that without the bytes */
    return refuse(to, &answer, "CREATE", REDIRECT, error);
}

/* What the DataNode says when it has all bytes, or before. */
static ink_status hear(ink__webhdfs *to, bool complete, ink_error *error)
{
    ink__answer answer;

    INK__TRY(ink__http_answer(&to->http, &answer, error));
    if (answer.status == CREATED && complete)
        return INK_OK;
    if (answer.status == CREATED)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s answered 201 before it had all bytes, expected that behind them",
                         to->http.connection.named);
    read_exception(to, &answer);
    return refuse(to, &answer, "the bytes", CREATED, error);
}

/* Gives the file its name. */
static ink_status put_in_place(ink__webhdfs *to, ink_error *error)
{
    const question  asked = {"PUT", to->temporary,
                             "RENAME&renameoptions=OVERWRITE&destination=", to->path};
    ink__answer     answer;
    ink__json_path  path;
    ink__json_value done = {0};

    INK__TRY(ask(to, &asked, &to->patience, &answer, error));
    if (answer.status != OK)
        return refuse(to, &answer, "RENAME", OK, error);
    /* A gateway that knows no options says {"boolean": false} where a file is in the way. */
    if (ink__json_path_create(&path, "boolean", NULL) == INK_OK &&
        ink__json_find(answer.body, 0, answer.body_bytes, &path, 1, &done, NULL) == INK_OK &&
        done.kind == INK__JSON_FALSE)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s did not rename the file, expected a path where nothing is",
                         to->http.connection.named);
    return INK_OK;
}

/* Removes what was begun, as far as that is possible. */
static void remove_begun(ink__webhdfs *to)
{
    const question asked = {"DELETE", to->temporary, "DELETE", ""};
    ink__patience  patience = to->patience;
    ink__answer    answer;

    if (patience.connect > REMOVE_CONNECT_MILLISECONDS)
        patience.connect = REMOVE_CONNECT_MILLISECONDS;
    if (patience.silence > REMOVE_SILENCE_MILLISECONDS)
        patience.silence = REMOVE_SILENCE_MILLISECONDS;
    /* A file that is removed before the DataNode has made it would come back. */
    ink__http_break_off(&to->http, patience.connect);
    ink__http_close(&to->http);
    if (to->begun)
        ask(to, &asked, &patience, &answer, NULL);
}

/* ---- Outputs ------------------------------------------------------------------------------ */

static void release(ink__webhdfs *to)
{
    ink_allocator allocator = to->allocator;

    ink__http_close(&to->http);
    ink__release(&allocator, to, to->bytes);
}

static ink_status set_up(ink__webhdfs **output, const address_parts *parts,
                         const ink__patience *patience, const ink_allocator *allocator,
                         ink_error *error)
{
    size_t   user_bytes = parts->user != NULL ? strlen(parts->user) : 0;
    uint64_t bytes =
        sizeof **output + 3 * (2 * (uint64_t)parts->path_bytes + user_bytes) + 3 * TEMPORARY_BYTES;
    void *memory;

    INK__TRY(ink__allocate(allocator, bytes, &memory, error));
    ink__webhdfs *to = memory;
    memset(to, 0, sizeof *to);
    to->allocator = *allocator;
    to->bytes = bytes;
    to->patience =
        patience != NULL ? *patience : (ink__patience){CONNECT_MILLISECONDS, SILENCE_MILLISECONDS};
    to->http.connection.file = -1;
    ink_status status = read_nodes(to, parts, error);
    if (status != INK_OK) {
        release(to);
        return status;
    }
    write_texts(to, parts);
    *output = to;
    return INK_OK;
}

ink_status ink__webhdfs_begin(ink__webhdfs **output, const char *address,
                              const ink__patience *patience, const ink_allocator *allocator,
                              ink_error *error)
{
    ink__webhdfs *to = NULL;
    address_parts parts = {0};

    INK__TRY(split_address(&parts, address, error));
    INK__TRY(set_up(&to, &parts, patience, allocator, error));
    ink_status status = create(to, error);
    if (status != INK_OK) {
        remove_begun(to);
        release(to);
        return status;
    }
    *output = to;
    return INK_OK;
}

/* Remembers a failure, and tells it. */
static ink_status conclude(ink__webhdfs *to, ink_status status, ink_error *error)
{
    to->status = status;
    if (status != INK_OK && error != NULL)
        *error = to->failure;
    return status;
}

ink_status ink__webhdfs_write(ink__webhdfs *output, const uint8_t *bytes, size_t count,
                              ink_error *error)
{
    ink_status status = output->status;

    if (status == INK_OK) {
        ink__http_put(&output->http, bytes, count);
        if (output->http.stopped)
            status = hear(output, false, &output->failure);
    }
    return conclude(output, status, error);
}

ink_status ink__webhdfs_commit(ink__webhdfs *output, ink_error *error)
{
    ink_status status = output->status;

    if (status == INK_OK) {
        ink__http_end(&output->http);
        status = hear(output, !output->http.stopped, &output->failure);
        ink__http_close(&output->http);
        if (status == INK_OK)
            status = put_in_place(output, &output->failure);
    }
    conclude(output, status, error);
    if (status != INK_OK)
        remove_begun(output);
    release(output);
    return status;
}

void ink__webhdfs_abandon(ink__webhdfs *output)
{
    remove_begun(output);
    release(output);
}
