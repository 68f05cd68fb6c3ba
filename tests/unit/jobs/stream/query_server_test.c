/* query_server_test.c - queries are answered in order for all clients, however badly one behaves:
 * the others notice nothing of clients that are slow, dead, half gone or talk garbage, and nothing
 * is kept or left open for those who have gone. Clients are real sockets of this same thread. */
#define _DEFAULT_SOURCE 1
#include "base/status.h"
#include "jobs/stream/query_server.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static ink_error error;

#define SECOND ((uint64_t)1000000000)

/* ---- Answers ------------------------------------------------------------------------------ */

enum { LONG_BYTES = 100000 };
static char long_line[LONG_BYTES]; /* the answer to "long" */

/* Answers "<question>". "fail" fails, "quiet" has no answer. */
static ink_status answer(void *host, const uint8_t *question, size_t bytes, const ink_sink *to,
                         ink_error *trouble)
{
    uint64_t *calls = host;

    ++*calls;
    if (bytes == 4 && memcmp(question, "fail", 4) == 0)
        return ink__fail(trouble, INK_USAGE, INK_NOWHERE, 0, "found that, expected this");
    if (bytes == 5 && memcmp(question, "quiet", 5) == 0)
        return INK_OK;
    if (bytes == 4 && memcmp(question, "long", 4) == 0)
        return to->write(to->host, long_line, LONG_BYTES) == 0 ? INK_OK : INK_MEMORY;
    to->write(to->host, "<", 1);
    to->write(to->host, question, bytes);
    to->write(to->host, ">\n", 2);
    return INK_OK;
}

static uint64_t calls; /* of that */
static bool     again; /* FIFOs wait for their next writers */

static ink_status begin(ink__query_server **server, const char *address, const ink_sink *sink,
                        const ink_allocator *allocator)
{
    ink__query_server_rule rule = {
        .address = address,
        .by = {answer, &calls, ink__allocator_or_heap(allocator)},
        .sink = sink,
        .again = again,
    };

    alarm(50); /* a test that waits for ever is ended */
    calls = 0;
    memset(long_line, 'l', LONG_BYTES - 1);
    long_line[LONG_BYTES - 1] = '\n';
    return ink__query_server_open(server, &rule, &error);
}

/* Both are closed at the end of their block. */
#define SERVER OWNED(end_server) ink__query_server
#define CLIENT OWNED(end_client) int

static void end_server(ink__query_server **server)
{
    bool listened = ink__query_server_listens(*server);

    ink__query_server_close(*server);
    CHECK(!listened || faults_names_here() == 0); /* the socket is removed */
}

static void end_client(const int *file)
{
    close(*file);
}

/* Questions of a file, whose answers go to `got`. */
static ink__query_server *read_from(const char *address, records_bytes *got)
{
    static ink_sink    sink;
    ink__query_server *server;

    sink = records_sink(got);
    CHECK_OK(begin(&server, address, &sink, NULL));
    assert_false(ink__query_server_listens(server));
    assert_string_equal(ink__query_server_address(server), address);
    return server;
}

static ink__query_server *listen_at(const char *address)
{
    ink__query_server *server;

    CHECK_OK(begin(&server, address, NULL, NULL));
    assert_true(ink__query_server_listens(server));
    assert_false(server->fifo);
    return server;
}

/* This many rounds without waiting. */
static void serve(ink__query_server *server, int rounds)
{
    bool ended = true;

    for (int i = 0; i < rounds; i++) {
        CHECK_OK(ink__query_server_serve(server, 0, &ended, &error));
        assert_false(ended);
    }
}

/* There is nothing to do, and nothing is done all the time. */
static void check_waits(ink__query_server *server)
{
    uint64_t began = ink__posix.nanoseconds();
    bool     ended;

    CHECK_OK(ink__query_server_serve(server, 10, &ended, &error));
    assert_true(ink__posix.nanoseconds() - began >= SECOND / 100);
}

/* ---- Clients ------------------------------------------------------------------------------ */

/* Whether it is not yet later than anything here can take. */
static bool in_time(uint64_t began)
{
    return ink__posix.nanoseconds() - began < 20 * SECOND;
}

/* Connects to a query server, by whichever address it has. */
static int connect_to(const ink__query_server *server)
{
    const char *address = ink__query_server_address(server);
    int         file = records_connect(address), yes = 1;

    if (address[0] == 't') /* every byte on its own, without waiting for others */
        assert_int_equal(setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), 0);
    assert_int_equal(fcntl(file, F_SETFL, O_NONBLOCK), 0);
    return file;
}

/* Sends everything, while the query server goes on. */
static void say(ink__query_server *server, int file, const void *bytes, size_t count)
{
    uint64_t began = ink__posix.nanoseconds();
    size_t   sent = 0;

    while (sent < count && in_time(began)) {
        ssize_t now = send(file, (const char *)bytes + sent, count - sent, MSG_NOSIGNAL);
        if (now > 0)
            sent += (size_t)now;
        else
            assert_int_equal(errno, EAGAIN);
        serve(server, 1);
    }
    assert_int_equal(sent, count);
}

static void ask(ink__query_server *server, int file, const char *text)
{
    say(server, file, text, strlen(text));
}

/* Receives this many bytes, and not one more, while the query server goes on. */
static void hear_bytes(ink__query_server *server, int file, records_bytes *got, size_t count)
{
    static uint8_t bytes[1 << 16];
    uint64_t       began = ink__posix.nanoseconds();

    got->count = 0;
    while (got->count < count && in_time(began)) {
        serve(server, 1);
        ssize_t now = recv(file, bytes, sizeof bytes, 0);
        if (now > 0)
            records_put(got, bytes, (size_t)now);
        else
            assert_true(now < 0 && errno == EAGAIN);
    }
    assert_int_equal(got->count, count);
    ssize_t more = recv(file, bytes, 1, 0);
    assert_true(more == 0 || (more < 0 && errno == EAGAIN));
}

static void hear(ink__query_server *server, int file, const char *text)
{
    records_bytes got = {0};

    hear_bytes(server, file, &got, strlen(text));
    if (!records_are(&got, text))
        fail_msg("\"%.*s\", expected \"%s\"", (int)got.count, (const char *)got.bytes, text);
    records_bytes_free(&got);
}

/* The other side has closed the connection, after everything that was heard. */
static void hear_end(ink__query_server *server, int file)
{
    char     byte;
    ssize_t  count = -1;
    uint64_t began = ink__posix.nanoseconds();

    while (count < 0 && in_time(began)) {
        serve(server, 1);
        count = recv(file, &byte, 1, 0);
    }
    assert_int_equal(count, 0);
    close(file);
}

static void serve_until_connections(ink__query_server *server, uint64_t count)
{
    uint64_t began = ink__posix.nanoseconds();

    while (server->connections != count && in_time(began))
        serve(server, 1);
    assert_true(server->connections == count);
}

/* ---- To and fro --------------------------------------------------------------------------- */

TEST(questions_are_answered_on_their_connection)
{
    static const char *const addresses[] = {"tcp://:0", "unix:s"};

    for (int i = 0; i < 2; i++) {
        SERVER *server = listen_at(addresses[i]);
        int     one = connect_to(server);
        CLIENT  two = connect_to(server);
        ask(server, one, "bees\n");
        ask(server, two, "ants\r\n");
        hear(server, one, "<bees>\n");
        hear(server, two, "<ants>\n");
        ask(server, two, "fail\nquiet\n\nwasps\n");
        hear(server, two, "ERR found that, expected this\n<>\n<wasps>\n");
        assert_true(server->connections == 2);
        assert_true(server->answered == 6);
        close(one);
        serve_until_connections(server, 1);
        ask(server, two, "still here\n");
        hear(server, two, "<still here>\n");
    }
}

static char reported[200];

static void report(void *host, const char *message)
{
    (void)host;
    CHECK(reported[0] == '\0'); /* one line */
    snprintf(reported, sizeof reported, "%s", message);
}

TEST(a_request_of_http_is_not_answered)
{
    static const char *const pieces[] = {"POST / HTTP/1.1\r\n\r\nbees\n",
                                         NULL,
                                         "GET",
                                         " /",
                                         " HTTP/1.1\nbees\n",
                                         NULL,
                                         "Host: x\nbees\n",
                                         NULL};
    SERVER                  *server = listen_at("tcp://:0");

    server->rule.notify = report;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        int file = connect_to(server);
        reported[0] = '\0';
        serve_until_connections(server, 1);
        for (; pieces[i] != NULL; i++)
            ask(server, file, pieces[i]);
        serve_until_connections(server, 0);
        assert_true(strstr(reported, ": a request of HTTP, expected questions: closed") != NULL);
        assert_true(strncmp(reported, "tcp://127.0.0.1:", 16) == 0);
        close(file);
    }
    server->rule.notify = NULL; /* nobody wants to know */
    int file = connect_to(server);
    ask(server, file, "GET / HTTP/1.1\r\n\r\n");
    serve_until_connections(server, 0);
    close(file);
    assert_int_equal(calls, 0);
}

TEST(garbage_is_asked_as_it_is)
{
    SERVER     *server = listen_at("unix:s");
    owned_bytes got = {0};
    uint8_t     all[257];
    int         file = connect_to(server);

    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t)(i < '\n' ? i : i + 1); /* every byte but the end of a line, NUL first */
    all[255] = '\0';
    all[256] = '\n';
    say(server, file, all, sizeof all);
    hear_bytes(server, file, &got, sizeof all + 2);
    assert_memory_equal(got.bytes + 1, all, 256);
    uint64_t random = 7;
    for (int i = 0; i < 100000; i++) { /* noise is answered by something, and ends nothing */
        uint8_t byte = (uint8_t)records_random(&random);
        if (i % 1000 == 0)
            serve(server, 1);
        assert_true(send(file, &byte, 1, MSG_NOSIGNAL) == 1 || errno == EAGAIN);
    }
    close(file);
    serve_until_connections(server, 0);
    file = connect_to(server);
    ask(server, file, "bees\n");
    hear(server, file, "<bees>\n");
    close(file);
}

TEST(a_question_has_at_most_64_kib)
{
    static uint8_t text[INK__QUESTION_BYTES + 3];
    SERVER        *server = listen_at("tcp://:0");
    owned_bytes    got = {0};
    CLIENT         file = connect_to(server);

    memset(text, 'q', sizeof text);
    text[INK__QUESTION_BYTES] = '\n';
    say(server, file, text, INK__QUESTION_BYTES + 1);
    hear_bytes(server, file, &got, INK__QUESTION_BYTES + 3);
    assert_memory_equal(got.bytes + 1, text, INK__QUESTION_BYTES);
    memcpy(text + INK__QUESTION_BYTES, "q\n", 2);
    say(server, file, text, INK__QUESTION_BYTES + 2);
    ask(server, file, "bees\n");
    hear(server, file,
         "ERR a question of more than 65536 bytes, expected at most that in a line\n<bees>\n");
    assert_true(server->answered == 3 && calls == 2);
}

TEST(many_questions_come_in_one_packet_and_one_in_many)
{
    enum { MANY = 10000 };
    SERVER     *server = listen_at("tcp://:0");
    owned_bytes said = {0}, wanted = {0}, got = {0};
    CLIENT      file = connect_to(server);

    for (int i = 0; i < MANY; i++) {
        records_say(&said, "%d\n", i);
        records_say(&wanted, "<%d>\n", i);
    }
    say(server, file, said.bytes, said.count);
    hear_bytes(server, file, &got, wanted.count);
    assert_memory_equal(got.bytes, wanted.bytes, wanted.count);
    for (size_t i = 0; i < 100; i++)
        say(server, file, said.bytes + i, 1);
    hear_bytes(server, file, &got, 10 * 4 + 26 * 5); /* 0 to 35, and half of the next */
    assert_memory_equal(got.bytes, wanted.bytes, got.count);
}

TEST(whoever_has_ended_asking_gets_the_rest)
{
    SERVER     *server = listen_at("tcp://:0");
    owned_bytes got = {0};
    int         file = connect_to(server);

    ask(server, file, "long\nlong\nlong\nlong\nlast");
    assert_int_equal(shutdown(file, SHUT_WR), 0);
    hear_bytes(server, file, &got, 4 * LONG_BYTES + 7);
    assert_memory_equal(got.bytes + 4 * LONG_BYTES, "<last>\n", 7);
    hear_end(server, file);
    assert_true(server->connections == 0);
    file = connect_to(server); /* more questions than are answered in a round */
    for (int i = 0; i < 1000; i++)
        assert_int_equal(send(file, "quiet\n", 6, 0), 6);
    assert_int_equal(send(file, "last", 4, 0), 4);
    assert_int_equal(shutdown(file, SHUT_WR), 0);
    hear(server, file, "<last>\n");
    hear_end(server, file);
    file = connect_to(server); /* says nothing at all */
    serve_until_connections(server, 1);
    assert_int_equal(shutdown(file, SHUT_WR), 0);
    hear_end(server, file);
}

/* The rest of its questions are answered in the next rounds, which wait for nothing. */
TEST(while_questions_are_left_nothing_is_waited_for)
{
    SERVER     *server = listen_at("unix:s");
    CLIENT      file = connect_to(server);
    owned_bytes said = {0};
    uint64_t    began = ink__posix.nanoseconds();
    bool        ended;

    for (int i = 0; i < 2000; i++)
        records_say(&said, "quiet\n");
    assert_int_equal(send(file, said.bytes, said.count, 0), said.count);
    while (server->answered < 2000 && in_time(began))
        CHECK_OK(ink__query_server_serve(server, 30000, &ended, &error));
    assert_true(server->answered == 2000 && in_time(began));
}

/* ---- Bad clients -------------------------------------------------------------------------- */

/* Asks for long answers until nothing more is taken; gives how many were asked for. */
static unsigned never_read(ink__query_server *server, int file)
{
    unsigned asked = 0;

    for (int idle = 0; idle < 10;) {
        bool sent = send(file, "long\n", 5, MSG_NOSIGNAL) == 5;
        asked += sent;
        idle = sent ? 0 : idle + 1;
        serve(server, 2);
    }
    return asked;
}

TEST(a_client_that_never_reads_delays_no_other)
{
    faults_memory      memory = {0};
    ink_allocator      allocator = faults_allocator(&memory);
    ink__query_server *server;

    CHECK_OK(begin(&server, "unix:s", NULL, &allocator));
    CLIENT deaf = connect_to(server), other = connect_to(server);
    never_read(server, deaf);
    uint64_t answered = server->answered;
    faults_system_begin(NULL);
    ask(server, other, "bees\n");
    hear(server, other, "<bees>\n");
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_SEND), 1); /* to the one who listens */
    assert_int_equal(faults_calls(FAULTS_RECEIVE), 1);
    assert_true(server->answered == answered + 1);
    /* What it was sent is limited by what is pending, and what it said by what is read at once.
     */
    assert_true(memory.most_bytes <
                4 * (INK__ANSWERS_BYTES + LONG_BYTES) + 4 * INK__QUESTION_BYTES);
    ink__query_server_close(server);
    faults_check_no_leak(&memory);
}

/* As long as so much waits, nothing more is read, even if all that was read is answered. */
TEST(nothing_is_read_of_one_who_has_enough)
{
    SERVER *server = listen_at("unix:s");
    CLIENT  file = connect_to(server);

    faults_system_begin(
        &(faults_plan){.call = FAULTS_SEND, .nth = 1, .os_error = EAGAIN, .and_after = true});
    ask(server, file, "long\nlong\nlong\n");
    serve(server, 3);
    assert_true(server->answered == 3);
    unsigned before = faults_calls(FAULTS_RECEIVE);
    assert_int_equal(send(file, "bees\n", 5, 0), 5);
    serve(server, 3);
    assert_int_equal(faults_calls(FAULTS_RECEIVE), before);
    faults_system_end();
}

/* The end of what it says is heard once. */
TEST(one_who_has_ended_asking_and_never_reads_keeps_nobody_busy)
{
    SERVER *server = listen_at("unix:s");
    CLIENT  file = connect_to(server);

    faults_system_begin(
        &(faults_plan){.call = FAULTS_SEND, .nth = 1, .os_error = EAGAIN, .and_after = true});
    ask(server, file, "bees\nants");
    assert_int_equal(shutdown(file, SHUT_WR), 0);
    serve(server, 5);
    assert_true(server->answered == 2);
    unsigned before = faults_calls(FAULTS_RECEIVE);
    serve(server, 5);
    assert_int_equal(faults_calls(FAULTS_RECEIVE), before);
    assert_true(server->connections == 1);
    faults_system_end();
}

TEST(a_connection_that_fails_is_left)
{
    static const faults_plan plans[] = {{.call = FAULTS_RECEIVE, .nth = 1, .os_error = ECONNRESET},
                                        {.call = FAULTS_RECEIVE, .nth = 1, .os_error = ETIMEDOUT},
                                        {.call = FAULTS_SEND, .nth = 1, .os_error = EPIPE},
                                        {.call = FAULTS_SEND, .nth = 1, .os_error = EHOSTUNREACH}};

    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        SERVER *server = listen_at("unix:s");
        CLIENT  file = connect_to(server);
        serve_until_connections(server, 1);
        assert_int_equal(send(file, "bees\n", 5, 0), 5);
        faults_system_begin(&plans[i]);
        serve(server, 1);
        faults_system_end();
        assert_true(server->connections == 0);
    }
}

TEST(one_who_reads_late_gets_every_answer)
{
    SERVER     *server = listen_at("unix:s");
    owned_bytes got = {0};
    CLIENT      file = connect_to(server);
    unsigned    asked = never_read(server, file);

    assert_true(server->answered < asked);
    hear_bytes(server, file, &got, (size_t)asked * LONG_BYTES);
    assert_true(server->answered == asked);
    for (size_t i = 0; i < asked; i++)
        assert_memory_equal(got.bytes + i * LONG_BYTES, long_line, LONG_BYTES);
}

TEST(one_who_takes_nothing_for_a_minute_is_left)
{
    static uint8_t bytes[LONG_BYTES];
    SERVER        *server = listen_at("unix:s");

    faults_system_begin(NULL);
    CLIENT deaf = connect_to(server), other = connect_to(server);
    never_read(server, deaf);
    ask(server, other, "bees\n");
    faults_pass(59 * SECOND);
    serve(server, 3);
    assert_true(server->connections == 2);
    while (recv(deaf, bytes, sizeof bytes, 0) > 0) /* takes something after all */
        ;
    serve(server, 3);
    faults_pass(59 * SECOND);
    serve(server, 3);
    assert_true(server->connections == 2);
    faults_pass(SECOND);
    serve(server, 3);
    assert_true(server->connections == 1);
    faults_pass(3600 * SECOND); /* one who only asks nothing is welcome for ever */
    serve(server, 3);
    hear(server, other, "<bees>\n");
    assert_true(server->connections == 1);
    faults_system_end();
}

/* A query server waits no longer than until a client must be left. */
TEST(a_wait_ends_when_a_client_must_be_left)
{
    SERVER *server = listen_at("unix:s");
    bool    ended;

    faults_system_begin(NULL);
    CLIENT deaf = connect_to(server);
    never_read(server, deaf);
    faults_pass(60 * SECOND - 1000000);
    CHECK_OK(ink__query_server_serve(server, -1, &ended, &error)); /* and not for ever */
    faults_pass(SECOND);
    serve(server, 1);
    assert_true(server->connections == 0);
    faults_system_end();
}

/* Leaves without a word, in the way in which a process does that is killed. */
static void reset(int file)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    assert_int_equal(setsockopt(file, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
    close(file);
}

TEST(a_client_that_breaks_off_delays_no_other)
{
    SERVER *server = listen_at("tcp://:0");
    CLIENT  other = connect_to(server);

    for (int when = 0; when < 4; when++) {
        int file = connect_to(server);
        if (when == 1)
            serve(server, 2);
        if (when == 2)
            ask(server, file, "half a ques");
        for (int i = 0; when == 3 && i < 200; i++) /* more than the system keeps for it */
            ask(server, file, "long\n");
        reset(file);
        ask(server, other, "bees\n");
        hear(server, other, "<bees>\n");
        serve_until_connections(server, 1);
    }
}

/* Ten thousand questions wait, and another client has one: it need not wait for them all. */
TEST(one_who_asks_all_the_time_gets_turns)
{
    faults_memory      memory = {0};
    ink_allocator      allocator = faults_allocator(&memory);
    ink__query_server *server;
    static char        questions[60000];
    char               text[16];

    CHECK_OK(begin(&server, "unix:s", NULL, &allocator));
    CLIENT greedy = connect_to(server), other = connect_to(server);
    serve_until_connections(server, 2);
    for (size_t i = 0; i < sizeof questions; i += 6)
        memcpy(questions + i, "quiet\n", 6);
    assert_int_equal(send(greedy, questions, sizeof questions, 0), sizeof questions);
    assert_int_equal(send(other, "bees\n", 5, 0), 5);
    serve(server, 1);
    assert_int_equal(recv(other, text, sizeof text, 0), 7);
    assert_in_range(server->answered, 2, 1000);
    /* Nor is more read of it than can be answered. */
    uint64_t before = server->answered;
    for (int i = 0; i < 200; i++) {
        assert_true(send(greedy, questions, sizeof questions, 0) > 0 || errno == EAGAIN);
        serve(server, 1);
    }
    assert_true(server->answered >= before + 200 * 100);
    assert_true(memory.most_bytes < 8 * INK__QUESTION_BYTES);
    ink__query_server_close(server);
    faults_check_no_leak(&memory);
}

/* ---- Many clients ------------------------------------------------------------------------- */

/* Allows this many more open files than usual, or reports that it cannot. */
static bool allow_files(struct rlimit *before, rlim_t count)
{
    struct rlimit more;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, before), 0);
    more = *before;
    if (more.rlim_cur < count)
        more.rlim_cur = count < more.rlim_max ? count : more.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &more), 0);
    return more.rlim_cur >= count;
}

TEST(a_thousand_ask_at_once)
{
    enum { MANY = 1000, QUESTIONS = 5 };
    static int         files[MANY];
    struct rlimit      before;
    ink__query_server *server;
    char               text[32], wanted[32];

    if (!allow_files(&before, 2 * MANY + 100))
        return; /* this host does not allow as many */
    server = listen_at("tcp://:0");
    for (int i = 0; i < MANY; i++) {
        files[i] = connect_to(server);
        serve(server, i % 100 == 0); /* most of them wait in the queue meanwhile */
    }
    uint64_t began = ink__system_now()->nanoseconds();
    for (int q = 0; q < QUESTIONS; q++) {
        for (int i = 0; i < MANY; i++) {
            snprintf(text, sizeof text, "%d of %d\n", q, i);
            assert_int_equal(send(files[i], text, strlen(text), 0), strlen(text));
        }
        while (server->answered < (uint64_t)(q + 1) * MANY)
            serve(server, 1);
        for (int i = 0; i < MANY; i++) {
            snprintf(wanted, sizeof wanted, "<%d of %d>\n", q, i);
            assert_int_equal(ink__posix.wait(files[i], INK__CAN_READ, 10000), INK__CAN_READ);
            assert_int_equal(recv(files[i], text, sizeof text, 0), strlen(wanted));
            assert_memory_equal(text, wanted, strlen(wanted));
        }
    }
    uint64_t passed = ink__system_now()->nanoseconds() - began;
    assert_true(server->connections == MANY);
    assert_true(passed < 20 * SECOND); /* takes a hundredth of that: no client waits */
    for (int i = 0; i < MANY; i++)
        close(files[i]);
    serve_until_connections(server, 0);
    ink__query_server_close(server);
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST(more_than_4096_wait)
{
    enum { MORE = INK__CLIENTS_MAX + 3 };
    static int         files[MORE];
    struct rlimit      before;
    ink__query_server *server;

    if (!allow_files(&before, 2 * MORE + 100) || records_light())
        return;
    server = listen_at("unix:s");
    for (int i = 0; i < MORE; i++) {
        files[i] = connect_to(server);
        serve(server, i % 50 == 0);
    }
    serve_until_connections(server, INK__CLIENTS_MAX);
    check_waits(server);
    assert_true(server->connections == INK__CLIENTS_MAX);
    assert_int_equal(send(files[MORE - 1], "bees\n", 5, 0), 5); /* from the queue */
    for (int i = 0; i < 3; i++)
        close(files[i]);
    hear(server, files[MORE - 1], "<bees>\n");
    assert_true(server->connections == INK__CLIENTS_MAX);
    ink__query_server_close(server);
    for (int i = 3; i < MORE; i++)
        close(files[i]);
    setrlimit(RLIMIT_NOFILE, &before);
}

/* A waiting client is accepted when a file is free; the others notice nothing, and meanwhile the
 * system is not asked all the time. */
TEST(when_too_many_files_are_open_others_wait)
{
    SERVER *server = listen_at("unix:s");
    CLIENT  first = connect_to(server);

    serve_until_connections(server, 1);
    faults_system_begin(&(faults_plan){.call = FAULTS_ACCEPT, .nth = 1, .os_error = EMFILE});
    CLIENT second = connect_to(server);
    assert_int_equal(send(second, "ants\n", 5, 0), 5);
    ask(server, first, "bees\n");
    hear(server, first, "<bees>\n");
    check_waits(server);
    assert_int_equal(faults_calls(FAULTS_ACCEPT), 1);
    assert_true(server->connections == 1);
    faults_pass(SECOND / 10);
    hear(server, second, "<ants>\n");
    faults_system_end();
}

/* ---- Files, pipes ------------------------------------------------------------------------- */

/* Answers everything, at most `rounds` rounds of a second. */
static bool serve_to_the_end(ink__query_server *server, int rounds)
{
    bool ended = false;

    for (int i = 0; i < rounds && !ended; i++)
        CHECK_OK(ink__query_server_serve(server, 1000, &ended, &error));
    return ended;
}

TEST(questions_of_a_file_are_answered_to_the_sink)
{
    enum { LONG = 200 };
    owned_bytes said = {0}, wanted = {0}, got = {0};

    for (int i = 0; i < 50000; i++) {
        records_say(&said, i % 1000 == 0 ? "%d\r\n" : "%d\n", i);
        records_say(&wanted, "<%d>\n", i);
    }
    for (int i = 0; i < LONG; i++) { /* more at once than are kept until they are written */
        records_say(&said, "long\n");
        records_put(&wanted, long_line, LONG_BYTES);
    }
    records_say(&said, "last");
    records_say(&wanted, "<last>\n");
    records_write("asked", said.bytes, said.count);
    SERVER *server = read_from("asked", &got);
    assert_false(server->fifo);
    assert_true(serve_to_the_end(server, 100));
    assert_true(serve_to_the_end(server, 1)); /* it stays so */
    assert_int_equal(got.count, wanted.count);
    assert_memory_equal(got.bytes, wanted.bytes, got.count);
    assert_true(server->answered == 50001 + LONG);
    unlink("asked");
}

TEST(an_empty_file_asks_nothing)
{
    owned_bytes got = {0};

    records_write("asked", "", 0);
    SERVER *server = read_from("asked", &got);
    assert_true(serve_to_the_end(server, 2));
    assert_true(got.count == 0 && calls == 0);
    unlink("asked");
}

/* No process has opened it for writing yet, which is not its end; it is when all have closed it. */
TEST(a_fifo_is_waited_for_and_ends_with_its_writers)
{
    owned_bytes got = {0};
    bool        ended = true;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    SERVER *server = read_from("fifo", &got); /* does not wait */
    assert_true(server->fifo);
    CHECK_OK(ink__query_server_serve(server, 1, &ended, &error));
    assert_false(ended);
    int file = open("fifo", O_WRONLY);
    assert_int_equal(write(file, "bees\nan", 7), 7);
    CHECK_OK(ink__query_server_serve(server, 1000, &ended, &error));
    assert_false(ended);
    CHECK(records_are(&got, "<bees>\n")); /* at once */
    CHECK_OK(ink__query_server_serve(server, 1, &ended, &error));
    assert_int_equal(write(file, "ts\nwasps", 8), 8);
    close(file);
    assert_true(serve_to_the_end(server, 3));
    CHECK(records_are(&got, "<bees>\n<ants>\n<wasps>\n"));
    CHECK(open("fifo", O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO); /* no reader */
    unlink("fifo");
}

TEST(a_fifo_can_wait_for_the_next_writers)
{
    owned_bytes got = {0};
    bool        ended = true;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    again = true;
    {
        SERVER *server = read_from("fifo", &got);
        again = false;
        for (int i = 0; i < 3; i++) {
            int file = open("fifo", O_WRONLY | O_NONBLOCK);
            CHECK(file >= 0);
            assert_int_equal(write(file, "ants\nbees", 9), 9);
            close(file);
            for (int rounds = 0; rounds < 3; rounds++) {
                CHECK_OK(ink__query_server_serve(server, 1, &ended, &error));
                assert_false(ended);
            }
            CHECK(records_are(&got, "<ants>\n<bees>\n"));
            got.count = 0;
        }
    }
    CHECK(open("fifo", O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO); /* no reader is left */
    unlink("fifo");
}

TEST(standard_input_asks_and_stays_open)
{
    owned_bytes   got = {0};
    records_pipe *pipe = records_pipe_begin(NULL, "bees\nants", 9);

    {
        SERVER *server = read_from("-", &got);
        assert_false(server->fifo);
        assert_true(serve_to_the_end(server, 5));
    }
    CHECK(records_are(&got, "<bees>\n<ants>\n"));
    assert_true(fcntl(0, F_GETFD) >= 0);
    records_pipe_end(pipe);
}

/* Under a name of the system it is opened again; it is no FIFO that others might write to. */
TEST(standard_input_by_its_other_names_asks_as_by_its_own)
{
    static const char *const names[] = {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        owned_bytes   got = {0};
        records_pipe *pipe = records_pipe_begin(NULL, "bees\nants", 9);
        again = true;
        SERVER *server = read_from(names[i], &got);
        again = false;
        assert_false(server->fifo);
        assert_true(serve_to_the_end(server, 5));
        CHECK(records_are(&got, "<bees>\n<ants>\n"));
        records_pipe_end(pipe);
    }
}

static int refuse_bytes(void *host, const void *bytes, size_t count)
{
    (void)host;
    (void)bytes;
    (void)count;
    return ENOSPC;
}

TEST(what_ends_it_all_is_one_line)
{
    ink_sink           full = {.write = refuse_bytes};
    ink__query_server *server;
    bool               ended;

    CHECK_FAILS(begin(&server, "nowhere", &full, NULL), INK_IO,
                "cannot open: No such file or directory");
    assert_null(server);
    CHECK_FAILS(begin(&server, "tcp://here", NULL, NULL), INK_USAGE, "without a port");
    assert_null(server);
    CHECK_FAILS(begin(&server, ".", &full, NULL), INK_IO, "cannot read: Is a directory");
    assert_null(server);
    records_write("asked", "bees\n", 5);
    CHECK_OK(begin(&server, "asked", &full, NULL));
    CHECK_FAILS(ink__query_server_serve(server, 0, &ended, &error), INK_IO,
                "cannot write: No space left on device");
    assert_int_equal(error.os_error, ENOSPC);
    ink__query_server_close(server);
    ink__query_server_close(NULL);
    unlink("asked");
}

/* ---- Every call that fails ---------------------------------------------------------------- */

/* A whole query server with a client that asks two questions in a packet, and then ends. Whatever
 * fails, it comes to an end. */
static ink_status converse(const char *address, const ink_allocator *allocator, records_bytes *got)
{
    ink_sink           sink = records_sink(got);
    ink__query_server *server;
    bool               ended = false;
    char               bytes[64];
    int                file = -1;
    ssize_t            count = -1;

    got->count = 0;
    ink_status status = begin(&server, address, &sink, allocator);
    if (status != INK_OK)
        return status;
    if (ink__query_server_listens(server)) {
        file = connect_to(server);
        assert_int_equal(send(file, "bees\nants", 9, MSG_NOSIGNAL), 9);
        shutdown(file, SHUT_WR);
    }
    for (int i = 0; i < 100 && status == INK_OK && !ended && count != 0; i++) {
        status = ink__query_server_serve(server, 1, &ended, &error);
        count = file < 0 ? -1 : recv(file, bytes, sizeof bytes, 0);
        if (count > 0)
            records_put(got, bytes, (size_t)count);
        else if (count < 0 && errno == ECONNRESET)
            count = 0;
    }
    ink__query_server_close(server);
    if (file >= 0)
        close(file);
    return status;
}

static const char *const addresses[] = {"asked", "tcp://:0", "unix:s"};

TEST(nothing_stays_open_whichever_call_fails)
{
    static const int errors[] = {EIO, EINTR, EAGAIN};
    owned_bytes      got = {0};

    records_write("asked", "bees\nants", 9);
    for (size_t a = 0; a < 3; a++)
        for (size_t e = 0; e < 3; e++) {
            bool struck = true;
            for (unsigned nth = 1; struck; nth++) {
                faults_system_begin(
                    &(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = errors[e]});
                ink_status status = converse(addresses[a], NULL, &got);
                struck = faults_struck();
                faults_system_end();
                assert_int_equal(faults_open_files(), 0);
                assert_true(status == INK_OK || (struck && status == INK_IO));
                CHECK(struck || records_are(&got, "<bees>\n<ants>\n"));
                assert_true(struck || nth > 4);
                assert_true(unlink("s") == 0 || errno == ENOENT);
            }
        }
    unlink("asked");
}

TEST(calls_that_do_little_or_nothing_are_made_again)
{
    static const faults_call calls_once[] = {FAULTS_READ, FAULTS_RECEIVE, FAULTS_SEND};
    owned_bytes              got = {0};

    records_write("asked", "bees\nants", 9);
    for (size_t a = 0; a < 3; a++)
        for (size_t c = 0; c < 3; c++) { /* ready, and yet not */
            faults_system_begin(
                &(faults_plan){.call = calls_once[c], .nth = 1, .os_error = EAGAIN});
            CHECK_OK(converse(addresses[a], NULL, &got));
            assert_int_equal(faults_struck(), (a == 0) == (c == 0));
            faults_system_end();
            CHECK(records_are(&got, "<bees>\n<ants>\n"));
        }
    for (size_t a = 0; a < 3; a++)
        for (size_t bytes = 1; bytes < 8; bytes++) {
            faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = bytes});
            CHECK_OK(converse(addresses[a], NULL, &got));
            faults_system_end();
            CHECK(records_are(&got, "<bees>\n<ants>\n"));
        }
    unlink("asked");
}

TEST(a_refusal_of_memory_is_one)
{
    owned_bytes got = {0};

    records_write("asked", "bees\nants", 9);
    for (size_t a = 0; a < 3; a++)
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            ink_allocator allocator = faults_allocator(&memory);
            faults_system_begin(NULL);
            ink_status status = converse(addresses[a], &allocator, &got);
            faults_system_end();
            assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
            assert_int_equal(faults_open_files(), 0);
            assert_true(memory.refused > 0 || memory.refuse_at > 3);
        }
    unlink("asked");
}

/* A failure of one client's question is one, though others connect in the same round. */
TEST(a_refusal_of_memory_is_not_lost_when_others_connect)
{
    faults_memory      memory = {0};
    ink_allocator      allocator = faults_allocator(&memory);
    ink__query_server *server;
    bool               ended;

    CHECK_OK(begin(&server, "unix:s", NULL, &allocator));
    CLIENT one = connect_to(server);
    serve_until_connections(server, 1);
    CLIENT other = connect_to(server);
    assert_int_equal(send(one, "bees\n", 5, 0), 5);
    memory.refuse_at = memory.asked + 1;
    CHECK_FAILS(ink__query_server_serve(server, 0, &ended, &error), INK_MEMORY, "");
    assert_true(server->connections == 1); /* the other one can wait */
    (void)other;
    ink__query_server_close(server);
    faults_check_no_leak(&memory);
}

static int restore_system(void **state)
{
    (void)state;
    ink__system_replace(NULL);
    return 0;
}

RUN_TESTS(.end = restore_system)
