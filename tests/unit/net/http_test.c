/* http_test.c - whatever a server answers, its body is what HTTP makes of it or one line says why
 * not, within the memory of a connection, and at an end. */
#define _GNU_SOURCE 1 /* memmem */
#include "net/http.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/hdfs.h"
#include "support/network.h"

static ink_error error;

static const ink__patience patient = {60000, 60000, 0};
enum { FOUND_ROOM = 1000, KEPT_MORE = 1000 };

static ink__http http;
static uint8_t   found[FOUND_ROOM];

/* Asks a server that answers so, and waits for the head of that. */
static ink_status ask(hdfs_server *server, const hdfs_strange *strange, ink__answer *answer)
{
    ink__host host = {.name = "127.0.0.1"};

    hdfs_begin(server, strange);
    host.port = server->port;
    memset(&http, 0, sizeof http);
    memset(&error, 0, sizeof error);
    CHECK_OK(ink__http_open(&http, &host, &patient, &error));
    CHECK_OK(ink__http_ask(&http, &host, "GET", "/f", 2, false, &error));
    return ink__http_answer(&http, answer, &error);
}

static void leave(hdfs_server *server)
{
    ink__disconnect(&http.connection);
    hdfs_end(server);
    hdfs_free(server);
}

/* Takes the body of an answer into `found`. */
static ink_status take(const char *said, size_t *count)
{
    hdfs_server server;
    ink__answer answer;
    size_t      more = 1;
    ink_status  status = ask(&server, &(hdfs_strange){1, .answer = said}, &answer);

    *count = 0;
    if (status == INK_OK)
        status = ink__http_begin_body(&http, &answer, &error);
    while (status == INK_OK && more > 0) {
        status = ink__http_take(&http, &answer, found + *count, FOUND_ROOM - *count, &more, &error);
        *count += more;
    }
    leave(&server);
    return status;
}

#define SIZED(length) "HTTP/1.1 200 OK\r\nContent-Length: " length "\r\n\r\n"
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define NO_CHUNK "sends invalid chunks, expected the size of each in hexadecimal digits"
#define NO_LENGTH "sent an invalid Content-Length, expected one number below 2^64"
#define BROKEN "closed the connection in the middle of the bytes, expected all of them"

/* What is said, and the body of it or a part of the message. */
static const struct {
    const char *said, *body, *message;
} bodies[] = {
    {SIZED("3") "abcd", "abc", NULL},
    {SIZED("0") "abcd", "", NULL},
    {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\nabc", "abc", NULL},
    {"HTTP/1.1 200 OK\r\n\r\nabc", "abc", NULL},
    {"HTTP/1.1 200\nContent-Length:\t3 \t\n\nabcd", "abc", NULL},
    {SIZED("4") "abc", NULL, BROKEN},
    {SIZED("18446744073709551615") "abc", NULL, BROKEN},
    {SIZED("18446744073709551616") "abc", NULL, NO_LENGTH},
    {SIZED("-3") "abc", NULL, NO_LENGTH},
    {SIZED("+3") "abc", NULL, NO_LENGTH},
    {SIZED("0x3") "abc", NULL, NO_LENGTH},
    {SIZED("3, 3") "abc", NULL, NO_LENGTH},
    {SIZED("") "abc", NULL, NO_LENGTH},
    {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nabc", NULL, NO_LENGTH},
    {"HTTP/1.1 200 OK\r\nContent-Length: x\r\nContent-Length: 3\r\n\r\nabc", NULL, NO_LENGTH},

    {CHUNKED "3\r\nabc\r\n02;x=y\r\nde\r\n0\r\n\r\n", "abcde", NULL},
    {CHUNKED "a \r\nabcdefghij\r\n1\t;\r\nk\r\n0\r\n\r\n", "abcdefghijk", NULL},
    {CHUNKED "1\na\n0000000000000000000000001\nb\n0\n\n", "ab", NULL},
    {CHUNKED "-3\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK},
    {CHUNKED "+3\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK},
    {CHUNKED "\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK},
    {CHUNKED ";x\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK},
    {CHUNKED "3h\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK},
    {CHUNKED "0x3\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK},
    {CHUNKED "3\r\nabcd\r\n0\r\n\r\n", NULL, NO_CHUNK},                /* one more than it said */
    {CHUNKED "10000000000000003\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK}, /* 3 in 64 bits */
    {CHUNKED "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", NULL, NO_CHUNK},
    {CHUNKED "7fffffffffffffff\r\nabc\r\n0\r\n\r\n", NULL, BROKEN},
    {CHUNKED "3\r\nabc\r\n", NULL, BROKEN},
    {CHUNKED "3\r\nab", NULL, BROKEN},
};
enum { BODIES = sizeof bodies / sizeof bodies[0] };

static void check_bodies(void)
{
    size_t count;

    for (size_t i = 0; i < BODIES; i++) {
        ink_status status = take(bodies[i].said, &count);
        if (bodies[i].message != NULL)
            CHECK_FAILS(status, INK_IO, bodies[i].message);
        else if (status != INK_OK || count != strlen(bodies[i].body) ||
                 memcmp(found, bodies[i].body, count) != 0)
            fail_msg("%s: found %zu bytes: %s", bodies[i].said, count, error.message);
    }
}

TEST(a_body_is_taken_or_a_line_says_why_not)
{
    check_bodies();
    faults_system_begin(&(faults_plan){.transfer_bytes = 1, .interrupt = true});
    check_bodies();
    faults_system_end();
    assert_int_equal(faults_open_files(), 0);
}

/* Servers that go on for ever are left: here they go on for longer than is listened to. */
TEST(nothing_goes_on_for_ever)
{
    static const struct {
        const char *start, *message;
    } endless[] = {
        {"HTTP/1.1 200 OK\r\nX: ", "whose head has more than 65536 bytes, expected less"},
        {CHUNKED "3;", NO_CHUNK},
        {CHUNKED "0", NO_CHUNK},
        {CHUNKED "3\r\nabc\r", NO_CHUNK},
    };
    enum { MORE = 200000 };
    static char said[MORE];
    size_t      count;

    for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++) {
        size_t start = strlen(endless[i].start);
        memcpy(said, endless[i].start, start);
        memset(said + start, said[start - 1], MORE - 1 - start); /* its last byte, over and over */
        CHECK_FAILS(take(said, &count), INK_IO, endless[i].message);
    }
}

/* What stands between chunks is limited from one chunk to the next, not in all. */
TEST(a_body_may_come_in_any_number_of_chunks)
{
    enum { CHUNKS = FOUND_ROOM - 50 };
    static const char one[] = "1\r\nx\r\n";
    static char       said[sizeof CHUNKED + CHUNKS * sizeof one + 8];
    size_t            count, used = strlen(strcpy(said, CHUNKED));

    for (int i = 0; i < CHUNKS; i++, used += strlen(one))
        memcpy(said + used, one, sizeof one);
    memcpy(said + used, "0\r\n\r\n", 6);
    CHECK_OK(take(said, &count));
    assert_int_equal(count, CHUNKS);
    for (size_t i = 0; i < count; i++)
        CHECK(found[i] == 'x');
}

TEST(a_line_before_a_chunk_has_4_kib_at_most)
{
    static char said[sizeof CHUNKED + INK__HTTP_LINES_BYTES + 16];
    size_t      count;

    for (size_t line = INK__HTTP_LINES_BYTES; line <= INK__HTTP_LINES_BYTES + 1; line++) {
        char *at = said + strlen(strcpy(said, CHUNKED));
        memset(at, ';', line);
        memcpy(at, "3", 1);
        memcpy(at + line - 1, "\nabc\n0\n\n", 9);
        if (line == INK__HTTP_LINES_BYTES)
            CHECK_OK(take(said, &count));
        else
            CHECK_FAILS(take(said, &count), INK_IO, NO_CHUNK);
        assert_int_equal(count, line == INK__HTTP_LINES_BYTES ? 3 : 0);
    }
}

TEST(a_target_leaves_a_kib_of_a_request_to_its_head)
{
    static char     target[sizeof http.chunk];
    const ink__host host = {.name = "h", .port = 80};
    const size_t    most = sizeof http.chunk - 1024;

    memset(&http, 0, sizeof http);
    http.stopped = true; /* nothing is sent */
    memset(target, 'x', sizeof target);
    CHECK_OK(ink__http_ask(&http, &host, "GET", target, most, true, &error));
    CHECK_FAILS(ink__http_ask(&http, &host, "GET", target, most + 1, true, &error), INK_LIMIT,
                "expected at most");
}

TEST(a_head_has_64_kib_at_most)
{
    static const char start[] = "HTTP/1.1 200 OK\r\nX: ", end[] = "\r\nContent-Length: 3\r\n\r\n";
    static char       said[INK__HTTP_HEAD_BYTES + 8];
    size_t            count;

    for (size_t head = INK__HTTP_HEAD_BYTES; head <= INK__HTTP_HEAD_BYTES + 1; head++) {
        memset(said, 'x', head);
        memcpy(said, start, strlen(start));
        memcpy(said + head - strlen(end), end, strlen(end));
        memcpy(said + head, "abc", 4);
        if (head == INK__HTTP_HEAD_BYTES)
            CHECK_OK(take(said, &count));
        else
            CHECK_FAILS(take(said, &count), INK_IO, "whose head has more than 65536 bytes");
        assert_int_equal(count, head == INK__HTTP_HEAD_BYTES ? 3 : 0);
    }
}

/* Of a body that is kept no more is than whoever keeps it expects, however short the head is. */
TEST(a_body_is_kept_up_to_a_limit)
{
    static const char *const heads[] = {"HTTP/1.1 404 No\r\n\r\n", CHUNKED "20000\r\n",
                                        SIZED("120000")};
    static char              said[2 * INK__HTTP_BODY_BYTES];
    hdfs_server              server;
    ink__answer              answer;

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        for (size_t kept = INK__HTTP_BODY_BYTES - 1; kept <= INK__HTTP_BODY_BYTES + KEPT_MORE;
             kept += i == 0 ? 1 + KEPT_MORE / 2 : KEPT_MORE) {
            size_t head = strlen(heads[i]);
            memcpy(said, heads[i], head);
            memset(said + head, 'x', kept);
            said[head + kept] = '\0';
            CHECK_OK(ask(&server, &(hdfs_strange){1, .answer = said}, &answer));
            ink__http_body(&http, &answer);
            assert_int_equal(answer.body_bytes,
                             kept < INK__HTTP_BODY_BYTES ? kept : INK__HTTP_BODY_BYTES);
            CHECK(answer.body[0] == 'x' && answer.body[answer.body_bytes - 1] == 'x');
            leave(&server);
        }
}

/* ---- Servers that do something now and then ----------------------------------------------- */

#define SECOND ((uint64_t)1000000000)

/* Asks a peer, and takes or sends a body of MANY bytes; how many went, and in which time. */
enum { MANY = 200000 };

static ink_status ask_slow(const network_peer *peer, bool sends, size_t *count, double *seconds)
{
    static uint8_t  bytes[MANY];
    const ink__host host = {.name = "127.0.0.1", .port = 80};
    ink__answer     answer;
    size_t          more = 1;

    network_begin(&(network_plan){.peers = peer, .count = 1});
    memset(&http, 0, sizeof http);
    memset(&error, 0, sizeof error);
    CHECK_OK(ink__http_open(&http, &host, &patient, &error));
    CHECK_OK(ink__http_ask(&http, &host, "GET", "/f", 2, sends, &error));
    if (sends)
        ink__http_put(&http, bytes, MANY);
    ink_status status = ink__http_answer(&http, &answer, &error);
    if (status == INK_OK)
        status = ink__http_begin_body(&http, &answer, &error);
    for (*count = 0; status == INK_OK && more > 0; *count += more)
        status = ink__http_take(&http, &answer, bytes, sizeof bytes, &more, &error);
    if (sends)
        network_sent(0, count);
    ink__disconnect(&http.connection);
    network_end();
    assert_int_equal(network_open(), 0);
    *seconds = (double)network_passed() / 1e9;
    return status;
}

TEST(whoever_lets_bytes_drip_is_left)
{
    static char  said[sizeof SIZED("200000") + MANY] = SIZED("200000");
    const size_t head = sizeof SIZED("200000") - 1;
    size_t       count;
    double       seconds;

    memset(said + head, 'x', MANY);
    network_peer peer = {said, head + MANY, .piece = 1, .pause = SECOND};
    CHECK_FAILS(ask_slow(&peer, false, &count, &seconds), INK_IO,
                "127.0.0.1:80 sent 60 bytes in 60 s, expected 64 KiB or the rest within that time");
    CHECK(seconds <= (double)head + 61);
    peer.piece = head; /* which then is there at once */
    peer.pause = 59 * SECOND;
    CHECK_FAILS(ask_slow(&peer, false, &count, &seconds), INK_IO, "bytes in 60 s, expected 64 KiB");
    CHECK(seconds < 180);
    peer.piece = 1; /* the head, too */
    CHECK_FAILS(ask_slow(&peer, false, &count, &seconds), INK_IO,
                "did too little for 60 s, expected an answer within that time");
    CHECK(seconds <= 61);
    peer = (network_peer){said, 0, .end = NETWORK_STAYS, .pause = SECOND, .takes = 100};
    CHECK_FAILS(ask_slow(&peer, true, &count, &seconds), INK_IO,
                "did too little for 60 s, expected an answer within that time");
    CHECK(seconds <= 122 && count > 6000);
}

TEST(whoever_is_slow_is_waited_for)
{
    static char  said[sizeof SIZED("200000") + MANY] = SIZED("200000");
    const size_t head = sizeof SIZED("200000") - 1;
    size_t       count;
    double       seconds;

    network_peer peer = {said, head + MANY, .piece = 1200, .pause = SECOND};
    CHECK_OK(ask_slow(&peer, false, &count, &seconds));
    assert_int_equal(count, MANY);
    CHECK(seconds > 160); /* more than twice the time for 64 KiB */
    peer = (network_peer){said, 0, .end = NETWORK_STAYS, .pause = SECOND, .takes = 1200};
    CHECK_FAILS(ask_slow(&peer, true, &count, &seconds), INK_IO,
                "did nothing for 60 s, expected an answer within that time");
    CHECK(count > INK__HTTP_CHUNK_BYTES * 3 && seconds > 160 + 60); /* but for the last chunk */
}

TEST(a_body_without_a_length_is_not_whole_when_the_connection_breaks)
{
    static const char  said[] = "HTTP/1.1 200 OK\r\n\r\nabc";
    const network_peer peer = {said, sizeof said - 1, .end = NETWORK_RESETS};
    size_t             count;
    double             seconds;

    CHECK_FAILS(ask_slow(&peer, false, &count, &seconds), INK_IO,
                "the connection to 127.0.0.1:80 broke in the middle of the bytes: ");
    assert_int_equal(count, 3);
}

/* Of the answer before, neither its 60 of 1xx nor its 40 seconds count. */
TEST(limits_hold_for_one_request)
{
    enum { INTERIM = 60 };
    static const char continues[] = "HTTP/1.1 100 Continue\r\n\r\n",
                      end[] = "HTTP/1.1 200 OK\r\n\r\n";
    static char     said[INTERIM * sizeof continues + sizeof end];
    const ink__host host = {.name = "::1", .six = true, .port = 80};
    size_t          count = 0;

    for (int i = 0; i < INTERIM; i++)
        strcat(said, continues);
    strcat(said, end);
    const network_peer peer = {said, strlen(said), .until = "\r\n\r\n",
                               .piece = strlen(said) / 5 + 1, .pause = 8 * SECOND};
    const network_peer peers[] = {peer, peer};
    network_begin(&(network_plan){.peers = peers, .count = 2});
    memset(&http, 0, sizeof http);
    for (int i = 0; i < 2; i++) {
        ink__answer answer;
        CHECK_OK(ink__http_open(&http, &host, &patient, &error));
        CHECK_OK(ink__http_ask(&http, &host, "GET", "/f", 2, false, &error));
        CHECK_OK(ink__http_answer(&http, &answer, &error));
        assert_int_equal(answer.status, 200);
        ink__disconnect(&http.connection);
    }
    network_end();
    CHECK(network_passed() >= 80 * SECOND - SECOND);
    const uint8_t *sent = network_sent(0, &count);
    CHECK(memmem(sent, count, "\r\nHost: [::1]:80\r\n", 18) != NULL);
}

/* The second answer is shorter than the first, and the third server is silent from the start. */
TEST(what_was_heard_of_one_server_does_not_count_for_the_next)
{
    static const char slow[] = "HTTP/1.1 200 OK\r\nServer: a slow one\r\n\r\n",
                      quick[] = "HTTP/1.1 201 OK\r\n\r\n";
    static const uint8_t  bytes[MANY];
    static const unsigned statuses[] = {200, 201};
    const network_peer    peers[] = {
           {slow, sizeof slow - 1, .until = "\r\n\r\n", .piece = 30, .pause = SECOND},
           {quick, sizeof quick - 1, .until = NULL}, /* before it was asked */
           {quick, 0, .end = NETWORK_STAYS, .pause = SECOND, .takes = 100},
           {quick, 0, .end = NETWORK_STAYS},
    };
    const ink__host host = {.name = "127.0.0.1", .port = 80};
    ink__answer     answer;

    network_begin(&(network_plan){.peers = peers, .count = 4});
    memset(&http, 0, sizeof http);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ink__http_open(&http, &host, &patient, &error));
        CHECK_OK(ink__http_ask(&http, &host, "GET", "/f", 2, i == 2, &error));
        if (i == 2)
            ink__http_put(&http, bytes, MANY);
        ink_status status = ink__http_answer(&http, &answer, &error);
        if (i < 2)
            CHECK(status == INK_OK && answer.status == statuses[i]);
        else
            CHECK_FAILS(status, INK_IO, i == 2 ? "did too little" : "did nothing for 60 s");
        ink__disconnect(&http.connection);
    }
    network_end();
    assert_int_equal(network_open(), 0);
}

RUN_TESTS(.before = hdfs_set_alarm, .after = hdfs_clear_alarm)
