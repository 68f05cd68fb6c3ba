/* live.c - the status page of a stream, and its metrics, over HTTP. Requests only read.
 * libmicrohttpd is loaded on demand: linked, its ten libraries would slow every start of the
 * command, and prevent it where they are not installed. */
#define _POSIX_C_SOURCE 200809L
#include "stream/live.h"

#include "report/failure.h"
#include "report/progress.h"
#include "stream/http_address.h"
#include "stream/metrics.h"
#include "stream/page.h"
#include "stream/samples.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS = 64,         /* at a time; others wait */
    CONNECTION_BYTES = 16384, /* for the head of a request */
    IDLE_SECONDS = 3,         /* until an idle connection is closed ... */
    REQUEST_SECONDS = 5,      /* ... and one whose request is not complete */
    ADDRESS_BYTES = HTTP_HOST_BYTES + 32,
};

/* ---- The library -------------------------------------------------------------------------- */

/* The functions that are used, as its header declares them. */
#define HTTPD_CALLS(X)                                                                             \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(get_connection_info)                                                                         \
    X(get_connection_values)                                                                       \
    X(create_response_from_buffer)                                                                 \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)

typedef struct httpd_calls {
#define HTTPD_POINTER(name) __typeof__(MHD_##name) *name;
    HTTPD_CALLS(HTTPD_POINTER)
} httpd_calls;

/* memcpy, as C has no cast from an object pointer to a function pointer. */
#define LOAD(name)                                                                                 \
    call = dlsym(library, "MHD_" #name);                                                           \
    if (call == NULL)                                                                              \
        return fail(CODE_IO, "--http: %s has no MHD_%s, expected version 0.9.75 or later",         \
                    INK_HTTP_LIBRARY, #name);                                                      \
    memcpy(&calls->name, &call, sizeof call);

/* Loads the library that was found at build time; it stays. */
static int load(httpd_calls *calls)
{
    void *call;

    errno = 0;
    void *library = dlopen(INK_HTTP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL && errno == ENOMEM)
        return fail(CODE_LIMIT, "--http: not enough memory for %s", INK_HTTP_LIBRARY);
    if (library == NULL)
        return fail(CODE_IO, "--http: %s, expected it to be installed", dlerror());
    HTTPD_CALLS(LOAD)
    return 0;
}

typedef struct http_client {
    int    socket;
    double since; /* opened, or last answered */
    bool   open;
} http_client;

struct cli_live {
    httpd_calls        http;
    http_address       where;
    char               address[ADDRESS_BYTES];
    cli_sampler       *sampler;
    struct MHD_Daemon *server;
    pthread_mutex_t    mutex; /* guards clients */
    http_client        clients[CONNECTIONS];
};

/* ---- Answers ------------------------------------------------------------------------------ */

/* Sent with every response: no caching, no guessing of types, no use by other sites. */
static const char *const headers[][2] = {
    {"Cache-Control", "no-store"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
};

/* Sends bytes; `made`: they are freed afterwards. `extra`: one more header, or NULL. */
static enum MHD_Result send_bytes(const cli_live *live, struct MHD_Connection *connection,
                                  unsigned status, const char *type, const void *bytes,
                                  size_t count, bool made, const char *const extra[2])
{
    struct MHD_Response *response = live->http.create_response_from_buffer(
        count, (void *)(uintptr_t)bytes, made ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

    if (response == NULL) {
        if (made)
            free((void *)(uintptr_t)bytes);
        return MHD_NO; /* closes the connection */
    }
    live->http.add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        live->http.add_response_header(response, headers[i][0], headers[i][1]);
    if (extra != NULL)
        live->http.add_response_header(response, extra[0], extra[1]);
    enum MHD_Result result = live->http.queue_response(connection, status, response);
    live->http.destroy_response(response);
    return result;
}

static enum MHD_Result send_line(const cli_live *live, struct MHD_Connection *connection,
                                 unsigned status, const char *line)
{
    static const char *const allow[] = {"Allow", "GET, HEAD"};

    return send_bytes(live, connection, status, "text/plain; charset=utf-8", line, strlen(line),
                      false, status == MHD_HTTP_METHOD_NOT_ALLOWED ? allow : NULL);
}

static enum MHD_Result send_samples(const cli_live *live, struct MHD_Connection *connection,
                                    const char *type,
                                    void (*write)(cli_text *, const cli_samples *))
{
    cli_text text = {0};

    write(&text, samples_lock(live->sampler));
    samples_unlock(live->sampler);
    return send_bytes(live, connection, MHD_HTTP_OK, type, text.bytes, text.count, true, NULL);
}

/* ---- Requests ----------------------------------------------------------------------------- */

/* Whether there is a header Host, and one that names another host. */
typedef struct host_check {
    const http_address *where;
    bool                named, foreign;
} host_check;

static enum MHD_Result check_host(void *host, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    host_check *check = host;

    (void)kind;
    if (strcasecmp(key, "Host") != 0)
        return MHD_YES;
    check->named = true;
    if (value == NULL || !http_address_accepts(check->where, value))
        check->foreign = true;
    return MHD_YES;
}

static enum MHD_Result answer(void *host, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *sent,
                              size_t *sent_bytes, void **request)
{
    static const char *const policy[] = {"Content-Security-Policy", page_policy};
    const cli_live          *live = host;
    host_check               check = {.where = &live->where};

    (void)sent;
    live->http.get_connection_values(connection, MHD_HEADER_KIND, check_host, &check);
    /* Not by the option for strictness: version 0.9.75 sends the head of such an answer twice. */
    if (!check.named && strcmp(version, "HTTP/1.0") != 0)
        return send_line(live, connection, MHD_HTTP_BAD_REQUEST,
                         "found no Host, expected the name of this host\n");
    if (check.foreign)
        return send_line(live, connection, MHD_HTTP_FORBIDDEN,
                         "found another host's name, expected an address in numbers, localhost, "
                         "or the host of --http\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return send_line(live, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                         "found another method, expected GET or HEAD\n");
    if (*request == NULL ||
        *sent_bytes > 0) { /* an answer before the body would close the connection */
        *request = host;
        *sent_bytes = 0; /* the body is ignored */
        return MHD_YES;
    }
    if (strcmp(path, "/") == 0)
        return send_bytes(live, connection, MHD_HTTP_OK, "text/html; charset=utf-8", page_html,
                          page_html_bytes, false, policy);
    if (strcmp(path, "/live.json") == 0)
        return send_samples(live, connection, "application/json", metrics_json);
    if (strcmp(path, "/metrics") == 0)
        return send_samples(live, connection, "text/plain; version=0.0.4; charset=utf-8",
                            metrics_prometheus);
    if (strcmp(path, "/healthz") == 0)
        return send_line(live, connection, MHD_HTTP_OK, "ok\n");
    return send_line(live, connection, MHD_HTTP_NOT_FOUND,
                     "found another path, expected /, /live.json, /metrics or /healthz\n");
}

/* ---- Clients ------------------------------------------------------------------------------ */

static void add_client(cli_live *live, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        live->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    *context = NULL;
    for (size_t i = 0; info != NULL && i < CONNECTIONS; i++) {
        if (live->clients[i].open)
            continue;
        live->clients[i] =
            (http_client){.socket = info->connect_fd, .since = seconds_now(), .open = true};
        *context = &live->clients[i];
        return;
    }
}

static void opened_or_closed(void *host, struct MHD_Connection *connection, void **context,
                             enum MHD_ConnectionNotificationCode what)
{
    cli_live    *live = host;
    http_client *client;

    pthread_mutex_lock(&live->mutex);
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        add_client(live, connection, context);
    else if ((client = *context) != NULL)
        client->open = false; /* the socket is closed after this */
    pthread_mutex_unlock(&live->mutex);
}

static void was_answered(void *host, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode how)
{
    cli_live                       *live = host;
    const union MHD_ConnectionInfo *info =
        live->http.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    http_client *client = info == NULL ? NULL : info->socket_context;

    (void)request;
    (void)how;
    pthread_mutex_lock(&live->mutex);
    if (client != NULL)
        client->since = seconds_now();
    pthread_mutex_unlock(&live->mutex);
}

/* The server closes idle clients; this closes those that send a byte now and then. */
static void cut_slow(void *host)
{
    cli_live *live = host;

    pthread_mutex_lock(&live->mutex);
    for (size_t i = 0; i < CONNECTIONS; i++)
        if (live->clients[i].open && seconds_now() - live->clients[i].since > REQUEST_SECONDS)
            shutdown(live->clients[i].socket, SHUT_RDWR);
    pthread_mutex_unlock(&live->mutex);
}

/* ---- Start and stop ----------------------------------------------------------------------- */

static void write_address(cli_live *live, uint16_t port)
{
    const char *name = live->where.host[0] == '\0' ? "127.0.0.1" : live->where.host;
    bool        is_v6 = strchr(name, ':') != NULL;

    snprintf(live->address, sizeof live->address, "http://%s%s%s:%u/", is_v6 ? "[" : "", name,
             is_v6 ? "]" : "", (unsigned)port);
}

static int start_server(cli_live *live)
{
    int      listener;
    uint16_t port;

    TRY(http_address_listen(&live->where, &listener, &port));
    write_address(live, port);
    errno = 0;
    live->server = live->http.start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, answer, live, MHD_OPTION_LISTEN_SOCKET,
        listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, opened_or_closed, live,
        MHD_OPTION_NOTIFY_COMPLETED, was_answered, live, MHD_OPTION_END);
    if (live->server != NULL)
        return 0;
    bool memory = errno == ENOMEM || errno == EAGAIN; /* EAGAIN: no thread */
    close(listener);
    if (memory)
        return fail(CODE_LIMIT, "--http: not enough memory for the server");
    return fail(CODE_IO, "--http: the server cannot be started");
}

int live_check(const char *where)
{
    http_address address;

    return http_address_option(&address, where);
}

int live_start(cli_live **started, const char *where, ink_stream *stream,
               const ink_stream_options *options, size_t key_columns)
{
    cli_live *live = need_memory(NULL, sizeof *live);
    sigset_t  fatal, before;

    memset(live, 0, sizeof *live);
    pthread_mutex_init(&live->mutex, NULL);
    int code = http_address_option(&live->where, where);
    if (code == 0)
        code = load(&live->http);
    /* Signals go to the threads of the stream. */
    sigemptyset(&fatal);
    sigaddset(&fatal, SIGINT);
    sigaddset(&fatal, SIGTERM);
    sigaddset(&fatal, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &fatal, &before);
    if (code == 0)
        code = samples_start(&live->sampler, stream, options, key_columns, cut_slow, live);
    if (code == 0)
        code = start_server(live);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0) {
        live_stop(live);
        return code;
    }
    *started = live;
    return 0;
}

const char *live_address(const cli_live *live)
{
    return live->address;
}

void live_report(cli_live *live, ink_stream_event event, const char *text)
{
    char note[SAMPLE_NOTE_BYTES];

    if (live == NULL || text == NULL || event == INK_STREAM_BATCH || event == INK_STREAM_SAVED)
        return;
    snprintf(note, sizeof note, "%s%s", event == INK_STREAM_NOT_SAVED ? "state.ink: " : "", text);
    samples_note(live->sampler, note);
}

void live_stop(cli_live *live)
{
    if (live == NULL)
        return;
    if (live->server != NULL)
        live->http.stop_daemon(live->server);
    samples_stop(live->sampler);
    pthread_mutex_destroy(&live->mutex);
    free(live);
}
