/* stream_tool.c - what `make bench-stream` needs besides the command: clients that send data, and
 * clients that ask.
 *   stream_tool send ADDRESS FILE
 *       sends a file, and waits until the other side closes
 *   stream_tool ask ADDRESS CONNECTIONS SECONDS PAUSE KEYS
 *       each connection asks for one of the first KEYS lines of standard input, waits for its
 * answer and for PAUSE milliseconds on average, and asks again; prints
 *       "questions<tab>p50<tab>p99<tab>worst", in milliseconds
 * ADDRESS is unix:PATH or tcp://127.0.0.1:PORT. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "stream_tool: %s: %s\n", what, strerror(errno));
    exit(1);
}

static _Noreturn void usage(const char *what)
{
    fprintf(stderr, "stream_tool: %s\n", what);
    exit(2);
}

static uint64_t number(const char *text)
{
    char    *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != 0)
        usage("expected a whole number");
    return value;
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int connect_to(const char *address)
{
    struct sockaddr_un unix_address = {.sun_family = AF_UNIX};
    struct sockaddr_in tcp_address = {.sin_family = AF_INET};
    unsigned           port;
    int                file, one = 1;

    if (strncmp(address, "unix:", 5) == 0) {
        snprintf(unix_address.sun_path, sizeof unix_address.sun_path, "%s", address + 5);
        file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (file < 0 || connect(file, (struct sockaddr *)&unix_address, sizeof unix_address) != 0)
            fail(address);
        return file;
    }
    if (sscanf(address, "tcp://127.0.0.1:%u", &port) != 1)
        usage("expected unix:PATH or tcp://127.0.0.1:PORT");
    tcp_address.sin_port = htons((uint16_t)port);
    tcp_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0 || connect(file, (struct sockaddr *)&tcp_address, sizeof tcp_address) != 0)
        fail(address);
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return file;
}

/* ---- Sending ------------------------------------------------------------------------------ */

static void send_file(const char *address, const char *path)
{
    int         from = open(path, O_RDONLY), to = connect_to(address);
    struct stat stat;
    char        byte;

    if (from < 0 || fstat(from, &stat) != 0)
        fail(path);
    for (off_t at = 0; at < stat.st_size;)
        if (sendfile(to, from, &at, (size_t)(stat.st_size - at)) <= 0)
            fail("sendfile");
    shutdown(to, SHUT_WR);
    while (read(to, &byte, 1) > 0)
        continue;
    close(to);
}

/* ---- Asking ------------------------------------------------------------------------------- */

enum { LINE_BYTES = 256, EVENTS = 256 };

typedef struct session {
    int    file;
    double asked, next; /* when it asked, 0: it waits to ask at `next` */
} session;

typedef struct asking {
    session *sessions;
    uint64_t count, answered, room, key_count;
    double   pause, *times;
    char (*keys)[LINE_BYTES];
    uint64_t random;
    int      poll;
} asking;

static uint64_t random_number(asking *all)
{
    all->random ^= all->random << 13;
    all->random ^= all->random >> 7;
    all->random ^= all->random << 17;
    return all->random;
}

static void read_keys(asking *all, uint64_t most)
{
    all->keys = malloc(most * LINE_BYTES);
    if (all->keys == NULL)
        fail("keys");
    while (all->key_count < most && fgets(all->keys[all->key_count], LINE_BYTES, stdin) != NULL)
        all->key_count++;
    if (all->key_count == 0)
        usage("no keys on standard input");
}

static void ask(asking *all, session *one)
{
    const char *key = all->keys[random_number(all) % all->key_count];

    one->asked = now_ms();
    if (write(one->file, key, strlen(key)) != (ssize_t)strlen(key))
        fail("asking");
}

static void take_answer(asking *all, session *one)
{
    char    text[4096];
    ssize_t count = read(one->file, text, sizeof text);

    if (count <= 0)
        fail("an answer");
    if (text[count - 1] != '\n')
        return;
    if (all->answered == all->room) {
        all->room = all->room == 0 ? 1 << 16 : all->room * 2;
        all->times = realloc(all->times, all->room * sizeof *all->times);
        if (all->times == NULL)
            fail("times");
    }
    double now = now_ms();
    all->times[all->answered++] = now - one->asked;
    one->asked = 0;
    one->next = now + all->pause * 2 * (double)(random_number(all) % 1000) / 1000;
}

static void open_all(asking *all, const char *address)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    all->poll = epoll_create1(EPOLL_CLOEXEC);
    all->sessions = calloc(all->count, sizeof *all->sessions);
    if (all->poll < 0 || all->sessions == NULL)
        fail("threads");
    for (uint64_t i = 0; i < all->count; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
        all->sessions[i].file = connect_to(address);
        all->sessions[i].next = now_ms() + all->pause * (double)(i % 1000) / 1000;
        epoll_ctl(all->poll, EPOLL_CTL_ADD, all->sessions[i].file, &event);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void ask_for(asking *all, double seconds)
{
    struct epoll_event events[EVENTS];
    double             until = now_ms() + seconds * 1e3;

    for (double now = now_ms(); now < until; now = now_ms()) {
        for (uint64_t i = 0; i < all->count; i++)
            if (all->sessions[i].asked == 0 && all->sessions[i].next <= now)
                ask(all, &all->sessions[i]);
        int ready = epoll_wait(all->poll, events, EVENTS, all->pause > 0 ? 1 : 100);
        for (int i = 0; i < ready; i++)
            take_answer(all, &all->sessions[events[i].data.u64]);
    }
    for (uint64_t i = 0; i < all->count; i++) /* what is open counts as long as it has waited */
        if (all->sessions[i].asked != 0 && until - all->sessions[i].asked > 1000)
            usage("a question was not answered within a second");
    if (all->answered == 0)
        usage("no answers");
    qsort(all->times, all->answered, sizeof *all->times, compare);
    printf("%" PRIu64 "\t%.3f\t%.3f\t%.3f\n", all->answered, all->times[all->answered / 2],
           all->times[all->answered * 99 / 100], all->times[all->answered - 1]);
}

int main(int argc, char **argv)
{
    asking all = {.random = 88172645463325252u};

    if (argc == 4 && strcmp(argv[1], "send") == 0) {
        send_file(argv[2], argv[3]);
        return 0;
    }
    if (argc != 7 || strcmp(argv[1], "ask") != 0)
        usage("expected send ADDRESS FILE, or ask ADDRESS CONNECTIONS SECONDS PAUSE KEYS");
    all.count = number(argv[3]);
    all.pause = (double)number(argv[5]);
    read_keys(&all, number(argv[6]));
    open_all(&all, argv[2]);
    ask_for(&all, (double)number(argv[4]));
    return 0;
}
