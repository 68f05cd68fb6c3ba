/* hdfs.c - a NameNode and a DataNode in a thread. Nothing in the thread may fail a test: what it
 * finds is noted. */
#define _GNU_SOURCE 1
#include "support/hdfs.h"

#include "base/system.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_ROOM = 1 << 17, ANSWER_ROOM = 512, CHUNK_BYTES_MAX = 5000, ALARM_SECONDS = 50 };

/* One connection: what has been received, and how far that was taken. */
typedef struct caller {
    hdfs_server   *server;
    int            file;
    uint8_t        bytes[REQUEST_ROOM];
    size_t         count, taken;
    char           answer[ANSWER_ROOM]; /* that is made for this request */
    const uint8_t *data;                /* what is sent after it, ... */
    size_t         data_count;          /* ... and its size */
} caller;

/* ---- Sockets ------------------------------------------------------------------------------ */

static bool more(caller *visit)
{
    if (visit->taken > 0) {
        memmove(visit->bytes, visit->bytes + visit->taken, visit->count - visit->taken);
        visit->count -= visit->taken;
        visit->taken = 0;
    }
    if (visit->count == REQUEST_ROOM)
        return false;
    ssize_t got = recv(visit->file, visit->bytes + visit->count, REQUEST_ROOM - visit->count, 0);
    if (got > 0)
        visit->count += (size_t)got;
    return got > 0;
}

static void say(caller *visit, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(visit->file, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes += sent;
        count -= (size_t)sent;
    }
}

/* Says an answer, with the port where PORT stands. */
static void say_answer(caller *visit, const char *answer, size_t count)
{
    const char *port = memmem(answer, count, "PORT", 4);
    char        digits[8];

    if (port == NULL) {
        say(visit, answer, count);
        return;
    }
    snprintf(digits, sizeof digits, "%u", (unsigned)visit->server->port);
    say(visit, answer, (size_t)(port - answer));
    say(visit, digits, strlen(digits));
    say(visit, port + 4, count - (size_t)(port + 4 - answer));
}

static void leave(caller *visit, hdfs_leaves how)
{
    const struct linger now = {.l_onoff = 1};

    if (how == HDFS_STAYS) {
        atomic_store(&visit->server->silent, true);
        while (more(visit))
            visit->taken = visit->count;
        atomic_store(&visit->server->silent, false);
    }
    if (how == HDFS_RESETS)
        setsockopt(visit->file, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(visit->file);
}

/* ---- Requests ----------------------------------------------------------------------------- */

/* Reads the head of a request into the log, and into `head` the target of it. */
static bool read_head(caller *visit, char *head, size_t room)
{
    hdfs_server *server = visit->server;
    uint8_t     *end;

    while ((end = memmem(visit->bytes, visit->count, "\r\n\r\n", 4)) == NULL)
        if (!more(visit))
            return false;
    size_t bytes = (size_t)(end + 4 - visit->bytes);
    if (bytes < sizeof server->log - server->log_bytes) {
        memcpy(server->log + server->log_bytes, visit->bytes, bytes);
        server->log_bytes += bytes;
    }
    size_t line = (size_t)((uint8_t *)memchr(visit->bytes, '\r', bytes) - visit->bytes);
    snprintf(head, room, "%.*s", (int)line, (const char *)visit->bytes);
    visit->taken = bytes;
    return true;
}

static void keep(hdfs_file *file, const uint8_t *bytes, size_t count)
{
    uint8_t *larger = realloc(file->bytes, file->count + count + 1);

    if (larger == NULL)
        return;
    file->bytes = larger;
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
}

static bool have(caller *visit, size_t count)
{
    while (visit->count - visit->taken < count)
        if (!more(visit))
            return false;
    return true;
}

/* Reads a chunk; -1: there is no whole one, 0: it is the last. */
static int read_chunk(caller *visit)
{
    hdfs_server *server = visit->server;
    size_t       size = 0, digits = 0;

    do
        if (!have(visit, ++digits))
            return -1;
    while (visit->bytes[visit->taken + digits - 1] != '\n');
    if (sscanf((const char *)visit->bytes + visit->taken, "%zx\r\n", &size) != 1)
        return -1;
    visit->taken += digits;
    if (size + 2 > REQUEST_ROOM || !have(visit, size + 2))
        return -1;
    keep(&server->temporary, visit->bytes + visit->taken, size);
    bool ended = memcmp(visit->bytes + visit->taken + size, "\r\n", 2) == 0;
    visit->taken += size + 2;
    server->chunks++;
    if (size > server->largest_chunk)
        server->largest_chunk = size;
    return !ended ? -1 : size > 0;
}

/* Reads a body. As a DataNode does, makes a file of what has come, whether it is all or not. */
static bool read_body(caller *visit)
{
    int result = 1;

    visit->server->temporary.there = true;
    visit->server->temporary.count = 0;
    while (result > 0)
        result = read_chunk(visit);
    return result == 0;
}

/* ---- What HDFS does ----------------------------------------------------------------------- */

#define LOCATION "http://127.0.0.1:PORT/data?op=CREATE&overwrite=true"
static const char redirect[] =
    "HTTP/1.1 307 Temporary Redirect\r\nLocation: " LOCATION "\r\nContent-Length: 0\r\n\r\n";
static const char created[] = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
static const char fine[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
static const char missing[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

static const char *rename_file(hdfs_server *server, bool overwrite)
{
    if (!server->temporary.there)
        return missing;
    if (server->file.there && !overwrite)
        return "HTTP/1.1 403 Forbidden\r\n\r\n{\"RemoteException\":{\"exception\":"
               "\"FileAlreadyExistsException\",\"message\":\"rename destination /dir/file "
               "already exists\"}}";
    free(server->file.bytes);
    server->file = server->temporary;
    server->temporary = (hdfs_file){0};
    return fine;
}

static const char *report_status(caller *visit)
{
    const hdfs_server *server = visit->server;
    char               json[128];

    if (!server->file.there)
        return "HTTP/1.1 404 Not Found\r\n\r\n{\"RemoteException\":{\"exception\":"
               "\"FileNotFoundException\",\"message\":\"File does not exist: /dir/file\"}}";
    snprintf(json, sizeof json,
             "{\"FileStatus\":{\"blockSize\":1,\"length\":%zu,\"pathSuffix\":\"\","
             "\"type\":\"FILE\"}}",
             server->file.count);
    snprintf(visit->answer, sizeof visit->answer,
             "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(json), json);
    return visit->answer;
}

/* Reads which bytes are wanted off a target. */
static void read_range(const hdfs_server *server, const char *target, size_t *from, size_t *count)
{
    const char *offset = strstr(target, "offset="), *length = strstr(target, "length=");

    *from = offset == NULL ? 0 : (size_t)strtoull(offset + 7, NULL, 10);
    *count = length == NULL ? SIZE_MAX : (size_t)strtoull(length + 7, NULL, 10);
    if (*from > server->file.count)
        *from = server->file.count;
    if (*count > server->file.count - *from)
        *count = server->file.count - *from;
}

static const char *send_us_on(caller *visit, const char *target)
{
    size_t from, count;

    read_range(visit->server, target, &from, &count);
    if (count == 0) /* as a NameNode does */
        return "HTTP/1.1 403 Forbidden\r\n\r\n{\"RemoteException\":{\"exception\":"
               "\"IOException\",\"message\":\"Offset out of the range\"}}";
    snprintf(visit->answer, sizeof visit->answer,
             "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:PORT/data?op=OPEN&"
             "length=%zu&offset=%zu\r\nContent-Length: 0\r\n\r\n",
             count, from);
    return visit->answer;
}

/* Puts bytes into chunks after each other, of sizes from 1 on that grow; gives how many it took.
 */
static size_t put_chunks(uint8_t *to, const uint8_t *bytes, size_t count)
{
    size_t used = 0, next = 1;

    for (size_t at = 0; at < count; next = next < CHUNK_BYTES_MAX ? 3 * next : next) {
        size_t size = next < count - at ? next : count - at;
        used += (size_t)sprintf((char *)to + used, "%zx%s\r\n", size, next % 2 != 0 ? ";a=b" : "");
        memcpy(to + used, bytes + at, size);
        used += size;
        used += (size_t)sprintf((char *)to + used, "\r\n");
        at += size;
    }
    return used + (size_t)sprintf((char *)to + used, "0\r\n\r\n");
}

/* Gives the bytes; those in chunks are kept as the file that is written otherwise. */
static const char *give(caller *visit, const char *target)
{
    hdfs_server *server = visit->server;
    size_t       from;

    read_range(server, target, &from, &visit->data_count);
    visit->data = server->file.bytes + from;
    if (server->body == HDFS_UNSIZED)
        return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    if (server->body == HDFS_CHUNKED) {
        free(server->temporary.bytes);
        server->temporary.bytes = malloc(16 * visit->data_count + 1000);
        if (server->temporary.bytes == NULL)
            return missing;
        visit->data_count = put_chunks(server->temporary.bytes, visit->data, visit->data_count);
        visit->data = server->temporary.bytes;
        return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    }
    snprintf(visit->answer, sizeof visit->answer, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n",
             visit->data_count);
    return visit->answer;
}

/* Does what a request wants; gives the answer, NULL for none. */
static const char *obey(caller *visit, const char *head)
{
    hdfs_server *server = visit->server;
    const char  *target = strchr(head, '/');

    if (strncmp(head, "GET /data?", 10) == 0)
        return give(visit, target);
    if (strstr(head, "?op=GETFILESTATUS") != NULL)
        return report_status(visit);
    if (strncmp(head, "GET ", 4) == 0)
        return send_us_on(visit, target);
    if (strncmp(head, "PUT /data?", 10) == 0)
        return read_body(visit) ? created : NULL;
    if (strstr(head, "?op=CREATE&") != NULL) {
        snprintf(server->temporary_target, sizeof server->temporary_target, "%.*s",
                 (int)strcspn(target, "?"), target);
        return redirect;
    }
    if (strncmp(target, server->temporary_target, strlen(server->temporary_target)) != 0)
        return missing;
    if (strncmp(head, "PUT ", 4) == 0 && strstr(head, "?op=RENAME&") != NULL)
        return rename_file(server, strstr(head, "renameoptions=OVERWRITE&") != NULL);
    if (strncmp(head, "DELETE ", 7) == 0 && strstr(head, "?op=DELETE") != NULL)
        server->temporary.there = false;
    return fine;
}

static bool is_strange(const hdfs_server *server)
{
    const hdfs_strange *strange = &server->strange;
    unsigned            count = strange->count == 0 ? 1 : strange->count;

    return strange->at != 0 && server->connections >= strange->at &&
           server->connections - strange->at < count;
}

static void answer_strangely(caller *visit, const hdfs_strange *strange)
{
    for (unsigned i = 0; i < (strange->times == 0 ? 1 : strange->times); i++)
        say_answer(visit, strange->answer,
                   strange->bytes != 0 ? strange->bytes : strlen(strange->answer));
}

/* Sends the usual answer and at most `most` of the bytes after it. */
static void say_usual(caller *visit, const char *usual, size_t most)
{
    size_t head = strlen(usual) < most ? strlen(usual) : most;

    say_answer(visit, usual, head);
    say(visit, (const char *)visit->data,
        visit->data_count < most - head ? visit->data_count : most - head);
}

static void serve(caller *visit)
{
    hdfs_server        *server = visit->server;
    const hdfs_strange *strange = is_strange(server) ? &server->strange : NULL;
    char                head[4096] = "/";
    const char         *usual = NULL;

    if (strange == NULL || strange->reads != HDFS_READS_NOTHING)
        if (!read_head(visit, head, sizeof head)) {
            leave(visit, HDFS_CLOSES);
            return;
        }
    if (strange != NULL && strange->before)
        answer_strangely(visit, strange);
    if (strange == NULL || strange->reads == HDFS_READS_ALL)
        usual = obey(visit, head);
    else if (strncmp(head, "PUT /data?", 10) == 0)
        server->temporary.there = true; /* made, and empty */
    if (strange != NULL && strange->answer != NULL && !strange->before)
        answer_strangely(visit, strange);
    else if (usual != NULL)
        say_usual(visit, usual, strange != NULL && strange->bytes != 0 ? strange->bytes : SIZE_MAX);
    leave(visit, strange != NULL ? strange->leaves : HDFS_CLOSES);
}

/* ---- The thread --------------------------------------------------------------------------- */

static void *run(void *argument)
{
    hdfs_server *server = argument;
    caller      *visit = malloc(sizeof *visit);

    for (;;) {
        struct pollfd polled[] = {{.fd = server->listener, .events = POLLIN},
                                  {.fd = server->stop[0], .events = POLLIN}};
        if (visit == NULL || poll(polled, 2, -1) < 0)
            break;
        if ((polled[0].revents & POLLIN) !=
            0) { /* clients that have come are served before the end */
            visit->server = server;
            visit->count = visit->taken = visit->data_count = 0;
            visit->file = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
            if (visit->file < 0)
                continue;
            server->connections++;
            serve(visit);
        } else if (polled[1].revents != 0) {
            break;
        }
    }
    free(visit);
    return NULL;
}

static void begin(hdfs_server *server, const hdfs_strange *strange)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t          bytes = sizeof address;

    if (strange != NULL)
        server->strange = *strange;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(server->listener >= 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, bytes), 0);
    assert_int_equal(listen(server->listener, 16), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &bytes), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pipe2(server->stop, O_CLOEXEC), 0);
    assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
}

void hdfs_begin(hdfs_server *server, const hdfs_strange *strange)
{
    memset(server, 0, sizeof *server);
    begin(server, strange);
}

void hdfs_offer(hdfs_server *server, const hdfs_strange *strange, const void *bytes, size_t count,
                hdfs_body body)
{
    memset(server, 0, sizeof *server);
    server->file.there = true;
    keep(&server->file, bytes, count);
    server->body = body;
    begin(server, strange);
}

void hdfs_end(hdfs_server *server)
{
    close(server->stop[1]);
    assert_int_equal(pthread_join(server->thread, NULL), 0);
    close(server->stop[0]);
    close(server->listener);
}

void hdfs_free(hdfs_server *server)
{
    free(server->temporary.bytes);
    free(server->file.bytes);
}

void hdfs_address(const hdfs_server *server, char *address, size_t room)
{
    snprintf(address, room, "webhdfs://127.0.0.1:%u/dir/file?user.name=me", (unsigned)server->port);
}

bool hdfs_holds(const hdfs_file *file, const void *bytes, size_t count)
{
    return file->there && file->count == count &&
           (count == 0 || memcmp(file->bytes, bytes, count) == 0);
}

void hdfs_check_logged(const hdfs_server *server, const char *text)
{
    if (strstr(server->log, text) == NULL)
        fail_msg("no request has \"%s\" among\n%s", text, server->log);
}

static const hdfs_server *listened_to;

static int wait_for_silence(int file, int what, int milliseconds)
{
    int ready = 0;

    while (ready == 0) {
        bool silent = atomic_load(&listened_to->silent);
        ready = ink__posix.wait(file, what, silent ? 20 : 1);
        if (silent)
            break;
    }
    return ready;
}

void hdfs_await_silence(const hdfs_server *server)
{
    static ink__system system;

    listened_to = server;
    system = ink__posix;
    system.wait = wait_for_silence;
    ink__system_replace(&system);
}

int hdfs_set_alarm(void **state)
{
    alarm(ALARM_SECONDS);
    return 0;
}

int hdfs_clear_alarm(void **state)
{
    alarm(0);
    ink__system_replace(NULL);
    return 0;
}
