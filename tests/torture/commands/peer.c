/* peer.c - the other side of a command that has connections. */
#define _GNU_SOURCE 1
#include "peer.h"

#include "support/hdfs.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 2048, HEARD = 1 << 16, WHILE_MILLISECONDS = 130 };

struct peer {
    unsigned            does;
    const torture_page *page;
    int                 folder; /* a path may be too long for a socket's address */
    char                words[WORDS], variables[WORDS];
    hdfs_server         nodes;
    pthread_t           thread;
    bool                meets;
    atomic_bool         over; /* the command has ended */
    pid_t               command;
    struct timespec     last; /* sign of life */
    unsigned            listener;
    char                heard[HEARD];
    size_t              heard_bytes;
    uint64_t            saved;
    bool                left;
};

/* ---- Patience ----------------------------------------------------------------------------- */

static void sign_of_life(peer *of)
{
    clock_gettime(CLOCK_MONOTONIC, &of->last);
}

/* Whether something has failed, so that not all that is usual will come. */
static bool is_disturbed(const peer *of)
{
    int os_error = of->page->plan.os_error;

    return of->page->struck > 0 && os_error != EINTR && os_error != TORTURE_SHORT;
}

/* Whether to go on waiting. */
static bool waits(peer *of)
{
    struct timespec now;

    if (atomic_load(&of->over))
        return false;
    if (!is_disturbed(of))
        return true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - of->last.tv_sec) * 1000 + (now.tv_nsec - of->last.tv_nsec) / 1000000 <
           WHILE_MILLISECONDS;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/* ---- Connections -------------------------------------------------------------------------- */

static struct sockaddr_un path_of(const peer *of, const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/%s", of->folder, name);
    return at;
}

static int connect_to(const peer *of, unsigned listener, const char *name)
{
    struct sockaddr_un path = path_of(of, name);
    struct sockaddr_in port = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)of->page->ports[listener]),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bool               is_path = of->page->ports[listener] == 0;
    int file = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (file >= 0 &&
        connect(file, is_path ? (struct sockaddr *)&path : (struct sockaddr *)&port,
                is_path ? sizeof path : sizeof port) != 0 &&
        errno != EINPROGRESS) {
        close(file);
        return -1;
    }
    return file;
}

/* Connects as soon as the command listens; -1: it does not. */
static int meet(peer *of, unsigned listener, const char *name)
{
    int file = -1;

    while (file < 0 && waits(of)) {
        if (of->page->listeners > listener)
            file = connect_to(of, listener, name);
        if (file < 0)
            nap();
    }
    if (file >= 0)
        sign_of_life(of);
    return file;
}

static bool ready(peer *of, int file, short what)
{
    struct pollfd polled = {.fd = file, .events = what};

    while (waits(of))
        if (poll(&polled, 1, 5) > 0)
            return true;
    return false;
}

static bool send_all(peer *of, int file, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t sent = ready(of, file, POLLOUT) ? send(file, text, left, MSG_NOSIGNAL) : -1;
        if (sent <= 0)
            return false;
        text += sent;
        left -= (size_t)sent;
        sign_of_life(of);
    }
    return true;
}

/* Receives up to the end of a line, or of the connection; false if neither comes. */
static bool receive(peer *of, int file, char *to, size_t room, bool line)
{
    size_t used = 0;

    to[0] = '\0';
    while (used + 1 < room && ready(of, file, POLLIN)) {
        ssize_t got = recv(file, to + used, room - used - 1, 0);
        if (got < 0)
            return false;
        if (got == 0)
            return !line;
        sign_of_life(of);
        used += (size_t)got;
        to[used] = '\0';
        if (line && to[used - 1] == '\n')
            return true;
    }
    return false;
}

static void hear(peer *of, const char *text)
{
    int more = snprintf(of->heard + of->heard_bytes, HEARD - of->heard_bytes, "%s", text);

    of->heard_bytes += (size_t)more;
    if (of->heard_bytes >= HEARD)
        torture_die("a peer heard more than %d bytes", HEARD);
}

/* ---- What it does ------------------------------------------------------------------------- */

static void put_records(char *to, size_t room, int from, int end)
{
    size_t used = 0;

    for (int i = from; i < end; i++)
        used += (size_t)snprintf(to + used, room - used, "word%d\n", i % 17);
}

/* Sends records, says that there are no more, and waits until the other side has seen it. */
static bool train(peer *of, int from, int end, bool whole)
{
    char text[1024], ignored[16];
    int  file = meet(of, of->listener, "train");

    if (file < 0)
        return false;
    put_records(text, sizeof text, from, end);
    if (!whole) /* the end of a connection is one of a record */
        text[strlen(text) - 1] = '\0';
    bool done = send_all(of, file, text) && shutdown(file, SHUT_WR) == 0 &&
                receive(of, file, ignored, sizeof ignored, false);
    close(file);
    return done;
}

static bool grow(peer *of)
{
    char text[1024];
    int  file = openat(of->folder, PEER_GROWING, O_WRONLY | O_APPEND | O_CLOEXEC);

    put_records(text, sizeof text, 0, PEER_RECORDS);
    ssize_t written = file < 0 ? -1 : write(file, text, strlen(text));
    if (written != (ssize_t)strlen(text))
        torture_die("%s: %s", PEER_GROWING, strerror(errno));
    close(file);
    return true;
}

/* The number after a name, in whichever form. */
static uint64_t reported(const char *answer, const char *name)
{
    const char *at = strstr(answer, name);

    return at == NULL ? 0 : strtoull(at + strcspn(at, "0123456789"), NULL, 10);
}

/* Asks until all records are in, and saved; where something has failed they may not be yet. */
static bool is_all_in(peer *of, int file)
{
    char           answer[4096];
    const uint64_t all = (of->does & PEER_GROWS) != 0 ? 2 * PEER_RECORDS : PEER_RECORDS;
    uint64_t       before = 0;

    for (;;) {
        struct timespec last = of->last;
        if (!send_all(of, file, "INFO\n") || !receive(of, file, answer, sizeof answer, true))
            return false;
        of->saved = reported(answer, "saved_records");
        uint64_t in = reported(answer, "\trecords");
        in = in > 0 ? in : reported(answer, "\"records\"");
        if (in == all && (of->saved == all || is_disturbed(of)))
            return true;
        if (in == before)
            of->last = last; /* answers alone are none, or it would be asked for ever */
        before = in;
        if (!waits(of))
            return false;
        nap();
    }
}

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

/* Each is answered by a line. */
static const char questions[] = "word1\nnobody\nCOUNT word1\nTOP 2\nDISTINCT\nTOP two\nword2";
enum { QUESTIONS = 7 };

static bool ask(peer *of)
{
    char answers[8192];
    int  file = meet(of, of->listener, "ask");

    if (file < 0)
        return false;
    bool all = is_all_in(of, file);
    bool done = send_all(of, file, questions) && shutdown(file, SHUT_WR) == 0 &&
                receive(of, file, answers, sizeof answers, false);
    if (done)
        hear(of, answers);
    close(file);
    return all && done && count_lines(answers) == QUESTIONS;
}

/* What came, without the head, which has the time. */
static bool look(peer *of, const char *path)
{
    static char answer[HEARD];
    char        request[128];
    int         file = meet(of, of->listener, NULL);

    if (file < 0)
        return false;
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
    bool done = send_all(of, file, request) && receive(of, file, answer, sizeof answer, false);
    close(file);
    char *body = strstr(answer, "\r\n\r\n");
    if (!done || body == NULL)
        return false;
    answer[strcspn(answer, "\r")] = '\0';
    hear(of, answer);
    if (strlen(body) < 64)
        hear(of, body);
    return true;
}

static bool talk(peer *of)
{
    bool good = true;

    if ((of->does & PEER_TRAINS) != 0) {
        good = train(of, 0, PEER_RECORDS / 2, true) &&
               train(of, PEER_RECORDS / 2, PEER_RECORDS, false);
        of->listener++;
    }
    if ((of->does & PEER_GROWS) != 0)
        good = grow(of) && good;
    if ((of->does & PEER_ASKS) != 0) {
        good = ask(of) && good;
        of->listener++;
    }
    if ((of->does & PEER_BROWSES) != 0)
        good = look(of, "/healthz") && look(of, "/") && look(of, "/nowhere") && good;
    return good;
}

static void *run(void *host)
{
    peer *of = host;

    sign_of_life(of);
    of->left = !talk(of);
    /* Before that the signal would be the end of it at once. */
    while (!of->page->catches && !atomic_load(&of->over))
        nap();
    if (!atomic_load(&of->over))
        kill(of->command, SIGTERM);
    return NULL;
}

/* ---- Before and after --------------------------------------------------------------------- */

/* PORT becomes the port of the NameNode. */
static void put_port(const peer *of, const char *from, char *to)
{
    const char *port = from == NULL ? NULL : strstr(from, "PORT");

    if (port == NULL)
        snprintf(to, WORDS, "%s", from == NULL ? "" : from);
    else
        snprintf(to, WORDS, "%.*s%u%s", (int)(port - from), from, (unsigned)of->nodes.port,
                 port + 4);
}

static void leave_socket(const peer *of, const char *name)
{
    struct sockaddr_un at = path_of(of, name);
    int                file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (file < 0 || bind(file, (struct sockaddr *)&at, sizeof at) != 0)
        torture_die("%s: cannot bind: %s", name, strerror(errno));
    close(file);
}

peer *peer_begin(unsigned does, const char *folder, const torture_page *page, const char *words,
                 const char *variables)
{
    peer *of = calloc(1, sizeof *of);
    char  text[1024];

    if (of == NULL)
        torture_die("not enough memory");
    of->does = does;
    of->page = page;
    of->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (of->folder < 0)
        torture_die("%s: %s", folder, strerror(errno));
    if ((does & PEER_STALE) != 0) {
        leave_socket(of, "train");
        leave_socket(of, "ask");
    }
    put_records(text, sizeof text, 0, PEER_RECORDS);
    if ((does & PEER_OFFERS) != 0)
        hdfs_offer(&of->nodes, NULL, text, strlen(text), HDFS_CHUNKED);
    if ((does & PEER_STORES) != 0)
        hdfs_begin(&of->nodes, NULL);
    put_port(of, words, of->words);
    put_port(of, variables, of->variables);
    return of;
}

const char *peer_words(const peer *of)
{
    return of->words;
}

const char *peer_variables(const peer *of)
{
    return of->variables;
}

void peer_meet(peer *of, pid_t command)
{
    of->command = command;
    of->meets = (of->does & PEER_ENDS) != 0;
    if (of->meets && pthread_create(&of->thread, NULL, run, of) != 0)
        torture_die("cannot start a thread");
}

void peer_end(peer *of, peer_report *to)
{
    atomic_store(&of->over, true);
    if (of->meets)
        pthread_join(of->thread, NULL);
    if ((of->does & (PEER_OFFERS | PEER_STORES)) != 0) {
        hdfs_end(&of->nodes);
        if ((of->does & PEER_STORES) != 0 && of->nodes.file.there) {
            memcpy(of->heard, of->nodes.file.bytes, of->nodes.file.count);
            of->heard_bytes = of->nodes.file.count;
        }
        hdfs_free(&of->nodes);
    }
    *to = (peer_report){.bytes = of->heard_bytes, .left = of->left, .saved = of->saved};
    to->heard = malloc(of->heard_bytes + 1);
    if (to->heard == NULL)
        torture_die("not enough memory");
    memcpy(to->heard, of->heard, of->heard_bytes + 1);
    close(of->folder);
    free(of);
}
