/* webhdfs_reader_test.c - a file in HDFS is read as it stands there, or a line says why not:
 * however its bytes come, wherever connections break, and whatever servers say instead; and splits
 * of it share its records out as those of a local file do. */
#define _DEFAULT_SOURCE 1
#include "base/status.h"
#include "net/webhdfs_reader.h"

#include "base/memory.h"
#include "base/system.h"
#include "input/source.h"
#include "net/namenodes.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/hdfs.h"
#include "support/network.h"
#include "support/records.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <zlib.h>

/* Of the case that runs. */
static ink_error   error;
static hdfs_server server;

/* Nothing takes so long unless it is to be waited for; then the alarm ends it before. */
static const ink__patience patient = {60000, 60000, 0};

/* The connections of a file that is read in one go. */
enum { LOOKING = 1, ASKING, SENDING };
enum { TRIES = 4 };

enum { MANY = 6 << 20, FEW = 60 };
static uint8_t bytes[MANY]; /* of the file */
static uint8_t found[MANY + 1];

static int make_bytes(void **state)
{
    uint64_t random = 1;

    for (size_t i = 0; i < MANY; i++)
        bytes[i] = (uint8_t)records_random(&random);
    return 0;
}

/* Reads from `from` on in steps into `found`, to the end; *count tells how many came before it, or
 * before a failure. */
static ink_status read_waiting(const char *address, uint64_t from, uint64_t until, size_t step,
                               const ink__patience *patience, size_t *count)
{
    ink_allocator        heap = ink__allocator_or_heap(NULL);
    ink__webhdfs_reader *reader;
    uint64_t             more = step;

    *count = 0;
    memset(&error, 0, sizeof error);
    INK__TRY(ink__webhdfs_open(&reader, address, from, until, patience, &heap, &error));
    ink_status status = INK_OK;
    while (status == INK_OK && more == step) {
        step = step < sizeof found - *count ? step : sizeof found - *count;
        status = ink__webhdfs_read(reader, found + *count, step, &more, &error);
        *count += more;
    }
    ink__webhdfs_close(reader);
    return status;
}

static ink_status read_address(const char *address, uint64_t from, uint64_t until, size_t step,
                               size_t *count)
{
    return read_waiting(address, from, until, step, &patient, count);
}

static ink_status read_all(size_t step, size_t *count)
{
    char address[128];

    hdfs_address(&server, address, sizeof address);
    return read_address(address, 0, UINT64_MAX, step, count);
}

static bool is_found(size_t from, size_t count)
{
    return memcmp(found, bytes + from, count) == 0;
}

/* ---- What is asked ------------------------------------------------------------------------ */

TEST(a_file_is_read_however_its_bytes_come)
{
    static const size_t counts[] = {0, 1, 65535, 65536, 131072, 200000, 1000000};
    static const size_t steps[] = {1, 1000, 65536, sizeof found};
    size_t              count;

    for (hdfs_body body = HDFS_SIZED; body <= HDFS_UNSIZED; body++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            for (size_t s = counts[i] > 100000 ? 1 : 0; s < sizeof steps / sizeof steps[0]; s++) {
                hdfs_offer(&server, NULL, bytes, counts[i], body);
                CHECK_OK(read_all(steps[s], &count));
                hdfs_end(&server);
                assert_int_equal(count, counts[i]);
                CHECK(is_found(0, count));
                assert_int_equal(server.connections, counts[i] == 0 ? LOOKING : SENDING);
                hdfs_free(&server);
            }
}

TEST(requests_are_as_webhdfs_wants_them)
{
    char   address[128];
    size_t count;

    hdfs_offer(&server, NULL, bytes, 300000, HDFS_SIZED);
    snprintf(address, sizeof address, "webhdfs://127.0.0.1:%u/a b/c?d?user.name=x y",
             (unsigned)server.port);
    CHECK_OK(read_address(address, 7, 100000, 1000, &count));
    hdfs_end(&server);
    assert_int_equal(count, 300000 - 7);
    CHECK(is_found(7, count));
    hdfs_check_logged(&server,
                      "GET /webhdfs/v1/a%20b/c%3Fd?op=GETFILESTATUS&user.name=x%20y HTTP/1.1\r\n");
    hdfs_check_logged(&server,
                      "GET /webhdfs/v1/a%20b/c%3Fd?op=OPEN&offset=7&length=165529&user.name=x%20y "
                      "HTTP/1.1\r\n"); /* up to what is wanted, and 64 KiB behind it */
    hdfs_check_logged(&server, "GET /data?op=OPEN&length=165529&offset=7 HTTP/1.1\r\n");
    /* Behind that the more is asked for the more was needed. */
    hdfs_check_logged(&server, "?op=OPEN&offset=165536&length=131072&");
    hdfs_check_logged(&server, "?op=OPEN&offset=296608&length=3392&");
    hdfs_free(&server);
}

TEST(a_part_after_the_end_is_refused)
{
    char   address[128];
    size_t count;

    hdfs_offer(&server, NULL, bytes, 1000, HDFS_SIZED);
    hdfs_address(&server, address, sizeof address);
    CHECK_OK(read_address(address, 999, 1000, 10, &count));
    assert_int_equal(count, 1);
    CHECK_OK(read_address(address, 1000, UINT64_MAX, 10, &count));
    assert_int_equal(count, 0);
    CHECK_FAILS(read_address(address, 0, 1001, 10, &count), INK_IO,
                "the file ends here, expected a part of it up to byte 1001");
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, 1000);
    CHECK_FAILS(read_address(address, 2000, UINT64_MAX, 10, &count), INK_IO, "up to byte 2000");
    hdfs_end(&server);
    hdfs_free(&server);
}

TEST(an_address_that_is_none_is_refused)
{
    static const char *const addresses[] = {
        "hdfs://h:1/f",  "http://h:1/f",           "webhdfs://h:1/",
        "webhdfs://h/f", "webhdfs://h:1/f?user=u", "webhdfs://h:1?f?user.name=u"};
    size_t count;

    faults_system_begin(NULL);
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        CHECK_FAILS(read_address(addresses[i], 0, 1, 1, &count), INK_USAGE, "expected webhdfs://");
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_ANY), 0); /* no server was asked */
    assert_int_equal(ink__webhdfs_path_bytes("webhdfs://h:1/a?b.tsv?user.name=u"), 21);
    assert_int_equal(ink__webhdfs_path_bytes("webhdfs://h:1/a.tsv"), 19);
    assert_int_equal(ink__webhdfs_path_bytes("a?b.tsv"), 7); /* a file */
}

/* ---- Connections that break --------------------------------------------------------------- */

/* Wherever the answer with the bytes ends too early, once, the rest is asked for. */
TEST(a_connection_that_breaks_is_followed_by_another)
{
    static const hdfs_leaves leaves[] = {HDFS_CLOSES, HDFS_RESETS};
    hdfs_strange             strange = {.at = SENDING};
    size_t                   count;

    for (hdfs_body body = HDFS_SIZED; body <= HDFS_UNSIZED; body++)
        for (size_t how = 0; how < 2; how++) {
            unsigned connections = 0;
            strange.leaves = leaves[how];
            for (strange.bytes = 1; connections != SENDING; strange.bytes++) {
                hdfs_offer(&server, &strange, bytes, FEW, body);
                CHECK_OK(read_all(7, &count));
                hdfs_end(&server);
                assert_int_equal(count, FEW);
                CHECK(is_found(0, FEW));
                connections = server.connections;
                /* The second time it begins where the first one ended. */
                CHECK(connections == SENDING || connections == SENDING + 2);
                hdfs_free(&server);
            }
            CHECK(strange.bytes > FEW);
        }
}

TEST(the_rest_is_asked_for_from_the_byte_that_was_reached)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n";
    hdfs_strange      strange = {.at = SENDING, .bytes = sizeof head - 1 + 25};
    size_t            count;

    hdfs_offer(&server, &strange, bytes, FEW, HDFS_SIZED);
    CHECK_OK(read_all(FEW + 1, &count));
    hdfs_end(&server);
    CHECK(count == FEW && is_found(0, FEW));
    hdfs_check_logged(&server, "?op=OPEN&offset=25&length=35&");
    hdfs_free(&server);
}

/* A NameNode that knows no other DataNode refuses then, and is asked as at first. */
TEST(a_data_node_that_failed_is_left_out_if_there_is_another)
{
    static const char plain[] = "webhdfs/v1/dir/file?op=OPEN&offset=0&length=60&user.name=me ";
    hdfs_strange      strange = {SENDING, .answer = "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION(
                                              "IOException", "no node")};
    size_t            count;

    for (strange.count = 1; strange.count <= 2; strange.count++) {
        unsigned asked = 0;
        hdfs_offer(&server, &strange, bytes, FEW, HDFS_SIZED);
        CHECK_OK(read_all(FEW + 1, &count));
        hdfs_end(&server);
        CHECK(count == FEW && is_found(0, FEW));
        hdfs_check_logged(&server, "&length=60&user.name=me&excludedatanodes=127.0.0.1 HTTP/1.1");
        for (const char *at = server.log; (at = strstr(at, plain)) != NULL; at++)
            asked++;
        assert_int_equal(asked, strange.count);
        assert_int_equal(server.connections, SENDING + 1 + strange.count);
        hdfs_free(&server);
    }
}

/* Connections that bring something all break; how far one comes with them. */
static size_t come_with(size_t each, ink_status expected)
{
    hdfs_strange strange = {.at = SENDING, .count = 1000, .bytes = each};
    size_t       count;

    hdfs_offer(&server, &strange, bytes, MANY, HDFS_SIZED);
    ink_status status = read_all(65536, &count);
    hdfs_end(&server);
    assert_int_equal(status, expected);
    CHECK(is_found(0, count));
    hdfs_free(&server);
    return count;
}

TEST(tries_are_counted_in_a_row)
{
    /* More than a MiB each time: that is how some networks are. */
    assert_int_equal(come_with(1100000, INK_OK), MANY);
    /* Or by several tries, from the first of them on. */
    assert_int_equal(come_with(600000, INK_OK), MANY);
    size_t count = come_with(100000, INK_IO);
    CHECK(count < TRIES * 100000 && count > 200000);
    CHECK(strstr(error.message, " closed the connection in the middle of the bytes, expected all "
                                "of them") != NULL);
    assert_int_equal(error.location, INK_AT_BYTE);
    CHECK(error.at >= count && error.at < TRIES * 100000);
}

TEST(nobody_is_asked_for_ever)
{
    size_t count;

    hdfs_offer(&server, &(hdfs_strange){SENDING, .count = 1000, .answer = ""}, bytes, FEW,
               HDFS_SIZED);
    CHECK_FAILS(read_all(FEW, &count), INK_IO, "closed the connection without an answer");
    hdfs_end(&server);
    /* From the first answer on that is missing, that of a DataNode, NameNodes have none either. */
    assert_int_equal(server.connections, LOOKING + 2 + TRIES - 1);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, 0);
    hdfs_free(&server);
}

/* ---- What servers say instead ------------------------------------------------------------- */

#define STATUS(json) "HTTP/1.1 200 OK\r\n\r\n{\"FileStatus\":" json "}"

/* What the servers answer in place of the usual, and what comes of it. NULL: the file is read. */
static const struct {
    const char *name;
    unsigned    at, count; /* how many in a row; 0: one, and then the usual one */
    const char *answer, *message;
    unsigned    connections; /* 0: as many as it takes */
} conversations[] = {
    {"nothing strange", 0, 1, NULL, NULL, SENDING},
    {"it continues before the bytes", SENDING, 0, "HTTP/1.1 100 Continue\r\n\r\n", NULL, SENDING},
    {"no such file", LOOKING, 1,
     "HTTP/1.1 404 Not Found\r\n\r\n" HDFS_EXCEPTION("FileNotFoundException",
                                                     "File does not exist: /f"),
     "answered 404 to GETFILESTATUS: FileNotFoundException: File does not exist: /f, expected 200",
     LOOKING},
    {"not allowed to look", LOOKING, 1,
     "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("AccessControlException",
                                                     "Permission denied: user=me"),
     "answered 403 to GETFILESTATUS: AccessControlException: Permission denied: user=me", LOOKING},
    {"not allowed to read", ASKING, 1,
     "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("AccessControlException",
                                                     "Permission denied: user=me"),
     "answered 403 to OPEN: AccessControlException: Permission denied: user=me, expected 307",
     ASKING},
    {"gone since", ASKING, 1,
     "HTTP/1.1 404 Not Found\r\n\r\n" HDFS_EXCEPTION("FileNotFoundException", "no"),
     "answered 404 to OPEN: FileNotFoundException: no, expected 307", ASKING},
    {"who are you", LOOKING, 1, "HTTP/1.1 401 Authentication required\r\n\r\n",
     "answered 401 to GETFILESTATUS: it requires Kerberos", LOOKING},
    {"a folder", LOOKING, 1, STATUS("{\"length\":0,\"type\":\"DIRECTORY\"}"),
     "a folder in HDFS, expected a file", LOOKING},
    {"no length", LOOKING, 1, STATUS("{\"type\":\"FILE\"}"),
     "does not report the length of the file, expected WebHDFS there", LOOKING},
    {"a length that is none", LOOKING, 1, STATUS("{\"length\":-1,\"type\":\"FILE\"}"),
     "does not report the length of the file", LOOKING},
    {"a length that is too large", LOOKING, 1,
     STATUS("{\"length\":18446744073709551616,\"type\":\"FILE\"}"),
     "does not report the length of the file", LOOKING},
    {"a length in words", LOOKING, 1, STATUS("{\"length\":\"60\",\"type\":\"FILE\"}"),
     "does not report the length of the file", LOOKING},
    {"a page for people", LOOKING, 1, "HTTP/1.1 200 OK\r\n\r\n<html>",
     "does not report the length of the file", LOOKING},
    {"it sends the question on", LOOKING, 1, HDFS_TO("http://127.0.0.1:PORT/data?x"),
     "answered 307 to GETFILESTATUS, expected 200", LOOKING},
    {"it has more than the NameNode knows", LOOKING, 1, STATUS("{\"length\":61,\"type\":\"FILE\"}"),
     "sends 60 bytes, expected 61", 0},
    {"a redirect to a path", ASKING, 1, HDFS_TO("/data?op=OPEN&offset=0"), NULL, SENDING},
    {"a redirect to no server, once", ASKING, 1, HDFS_TO("http://127.0.0.1:1/data?x"), NULL,
     SENDING + 1},
    {"a redirect to no server", ASKING, 100, HDFS_TO("http://127.0.0.1:1/data?x"),
     "cannot connect to 127.0.0.1:1: Connection refused", LOOKING + TRIES},
    {"a redirect to TLS", ASKING, 100, HDFS_TO("https://127.0.0.1:PORT/data?x"),
     "expected http:// (without encryption)", 0},
    {"the bytes at once", ASKING, 1, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
     "answered 200 to OPEN, expected 307", ASKING},
    {"a block that is missing, once", SENDING, 1,
     "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("IOException", "no block"), NULL, SENDING + 2},
    {"a server that is too busy, once", SENDING, 1, "HTTP/1.1 503 Busy\r\n\r\n", NULL, SENDING + 2},
    {"another language, once", SENDING, 1, "SSH-2.0\r\n", NULL, SENDING + 2},
    {"fewer bytes than were asked for, once", SENDING, 1,
     "HTTP/1.1 200 OK\r\nContent-Length: 59\r\n\r\n", NULL, SENDING + 2},
    {"more bytes than were asked for, once", SENDING, 1,
     "HTTP/1.1 200 OK\r\nContent-Length: 61\r\n\r\n", NULL, SENDING + 2},
    {"more bytes than were asked for, and all of them, once", SENDING, 1,
     "HTTP/1.1 200 OK\r\nContent-Length: 61\r\n\r\n"
     "0123456789012345678901234567890123456789012345678901234567890",
     NULL, SENDING + 2},
    {"no bytes at all, in chunks, once", SENDING, 1,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", NULL, SENDING + 2},
    {"chunks that make no sense, once", SENDING, 1,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffff", NULL, SENDING + 2},
    {"a chunk too much", SENDING, 1,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "3d\r\n0123456789012345678901234567890123456789012345678901234567890\r\n",
     "sends more bytes than it was asked for", SENDING},
    {"a byte behind a chunk of as many bytes as were asked for", SENDING, 1,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "3c\r\n0123456789012345678901234567890123456789012345678901234567890\r\n",
     "sends invalid chunks, expected the size of each in hexadecimal digits", SENDING},
    {"a chunk of a negative size, once", SENDING, 1,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-3c\r\n", NULL, SENDING + 2},
    {"a length that is none, once", SENDING, 1,
     "HTTP/1.1 200 OK\r\nContent-Length: -60\r\n\r\n"
     "012345678901234567890123456789012345678901234567890123456789",
     NULL, SENDING + 2},
    {"a redirect that goes on, once", SENDING, 1, HDFS_TO("/data?x"), NULL, SENDING + 2},
    {"a redirect that goes on for ever", ASKING, 100, HDFS_TO("http://127.0.0.1:PORT/data?x"),
     "answered 307 to OPEN, expected 200", LOOKING + 2 * TRIES},
    {"a byte too much before the end of the connection", SENDING, 1,
     "HTTP/1.1 200 OK\r\n\r\n"
     "0123456789012345678901234567890123456789012345678901234567890",
     "sends more bytes than it was asked for", SENDING},
};
enum { CONVERSATIONS = sizeof conversations / sizeof conversations[0] };

static void check_conversation(size_t i)
{
    const char        *message = conversations[i].message;
    const hdfs_strange strange = {conversations[i].at, conversations[i].count,
                                  .answer = conversations[i].answer,
                                  .before = conversations[i].count == 0};
    size_t             count;

    hdfs_offer(&server, &strange, bytes, FEW, HDFS_SIZED);
    ink_status status = read_all(FEW + 1, &count);
    hdfs_end(&server);
    if (status != (message == NULL ? INK_OK : INK_IO) ||
        (message != NULL && strstr(error.message, message) == NULL))
        fail_msg("%s: %s: %s", conversations[i].name, ink_status_name(status), error.message);
    if (message == NULL && (count != FEW || !is_found(0, FEW)))
        fail_msg("%s: found %zu other bytes", conversations[i].name, count);
    if (conversations[i].connections != 0 && server.connections != conversations[i].connections)
        fail_msg("%s: found %u connections", conversations[i].name, server.connections);
    if (error.message[strcspn(error.message, "\r\n")] != '\0')
        fail_msg("%s: found several lines: %s", conversations[i].name, error.message);
    hdfs_free(&server);
}

TEST(a_file_is_read_or_a_line_says_why_not)
{
    for (size_t i = 0; i < CONVERSATIONS; i++)
        check_conversation(i);
}

/* A reason that is longer than anybody reads costs no more memory than another one. */
TEST(a_reason_of_any_length_is_one_line)
{
    static const char start[] = "HTTP/1.1 403 No\r\n\r\n{\"RemoteException\":{\"message\":\"";
    static char       said[130000];
    hdfs_strange      strange = {.at = LOOKING, .answer = said};
    size_t            count;

    for (size_t length = 1000; length < sizeof said - 100; length += 43000) {
        memset(said, 'x', sizeof said);
        memcpy(said, start, sizeof start - 1);
        strcpy(said + sizeof start - 1 + length, "\"}}");
        hdfs_offer(&server, &strange, bytes, FEW, HDFS_SIZED);
        CHECK_FAILS(read_all(FEW + 1, &count), INK_IO, "answered 403 to GETFILESTATUS");
        hdfs_end(&server);
        hdfs_free(&server);
        /* What is not read to its end is nothing that could be told. */
        assert_int_equal(strstr(error.message, ": xxxx") != NULL, length < 65000);
        CHECK(strstr(error.message, ", expected 200") != NULL);
    }
}

TEST(answers_come_in_pieces_of_any_size)
{
    for (size_t i = 0; i < CONVERSATIONS; i++)
        for (size_t transfer = 1; transfer < 60; transfer += 29) {
            faults_system_begin(&(faults_plan){.transfer_bytes = transfer, .interrupt = true});
            check_conversation(i);
            faults_system_end();
            assert_int_equal(faults_open_files(), 0);
        }
}

#define STANDBY                                                                                    \
    "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("StandbyException",                            \
                                                    "not supported in state standby")

TEST(the_next_name_node_is_asked)
{
    hdfs_strange strange = {.answer = STANDBY};
    char         address[128], host[64];
    size_t       count;

    for (strange.at = LOOKING; strange.at <= ASKING; strange.at++) {
        hdfs_offer(&server, &strange, bytes, FEW, HDFS_SIZED);
        snprintf(address, sizeof address, "webhdfs://127.0.0.1:%u,127.0.0.2:1,localhost:%u/f",
                 (unsigned)server.port, (unsigned)server.port);
        CHECK_OK(read_address(address, 0, FEW, FEW, &count));
        hdfs_end(&server);
        CHECK(count == FEW && is_found(0, FEW));
        assert_int_equal(server.connections, SENDING + 1);
        snprintf(host, sizeof host, "HTTP/1.1\r\nHost: localhost:%u\r\n", (unsigned)server.port);
        hdfs_check_logged(&server, host);
        hdfs_free(&server);
    }
}

/* How often NameNodes say that they are not active, from which connection on, and what comes then.
 * Of two each is asked eleven times. */
static const struct {
    const char *name, *answer;
    unsigned    at, count;
    bool        two;
    int         pause; /* 0: nothing is waited for */
    const char *message;
} takeovers[] = {
    {"both are on standby for a while", STANDBY, LOOKING, 7, true, 1, NULL},
    {"the active one is lost before the bytes", STANDBY, ASKING, 20, true, 1, NULL},
    {"one of them starts",
     "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("RetriableException", "in safe mode"), ASKING,
     4, true, 1, NULL},
    {"none ever takes over", STANDBY, LOOKING, 22, true, 1, " is a NameNode on standby, expected"},
    {"nobody waits", STANDBY, LOOKING, 2, true, 0, " is a NameNode on standby, expected"},
    {"there is no other", STANDBY, LOOKING, 1, false, 1, " is a NameNode on standby, expected"},
    {"none can be reached", "", LOOKING, 2, true, 1, " closed the connection without an answer"},
};
enum { TAKEOVERS = sizeof takeovers / sizeof takeovers[0] };

TEST(while_a_name_node_takes_over_from_another_both_are_asked_again)
{
    char   address[128];
    size_t count;

    for (size_t i = 0; i < TAKEOVERS; i++) {
        const hdfs_strange  strange = {takeovers[i].at, takeovers[i].count, HDFS_READS_HEAD,
                                       .answer = takeovers[i].answer};
        const ink__patience patience = {60000, 60000, takeovers[i].pause};
        hdfs_offer(&server, &strange, bytes, FEW, HDFS_SIZED);
        snprintf(address, sizeof address,
                 takeovers[i].two ? "webhdfs://127.0.0.1:%u,localhost:%u/f"
                                  : "webhdfs://127.0.0.1:%u/f",
                 (unsigned)server.port, (unsigned)server.port);
        ink_status status = read_waiting(address, 0, FEW, FEW, &patience, &count);
        hdfs_end(&server);
        if (takeovers[i].message == NULL) {
            CHECK_OK(status);
            CHECK(count == FEW && is_found(0, FEW));
            assert_int_equal(server.connections, SENDING + takeovers[i].count);
        } else {
            CHECK_FAILS(status, INK_IO, takeovers[i].message);
            assert_int_equal(server.connections, takeovers[i].count);
        }
        hdfs_free(&server);
    }
}

#define LENGTH STATUS("{\"length\":60,\"type\":\"FILE\"}")
#define LOST HDFS_TO("http://127.0.0.1/data?x"), "SSH-2.0\r\n"
#define STANDBY_12                                                                                 \
    STANDBY, STANDBY, STANDBY, STANDBY, STANDBY, STANDBY, STANDBY, STANDBY, STANDBY, STANDBY,      \
        STANDBY, STANDBY
enum { ANSWERS_MAX = 32 };

/* Without limits of a caller: what one server after the other says ("" closes at once, NULL stays
 * silent), how that ends (NULL: the file is read), and after how many seconds. */
static const struct {
    const char *address, *answers[ANSWERS_MAX], *message;
    double      seconds;
} waits[] = {
    {"webhdfs://127.0.0.1:1/f", {NULL}, " did nothing for 120 s, expected an answer", 120},
    /* Half a second, then twice as long each time; port 80 is that of HTTP. */
    {"webhdfs://127.0.0.1:1/f",
     {LENGTH, LOST, LOST, LOST, LOST},
     "127.0.0.1:80 answered \"SSH-2.0",
     0.5 + 1 + 2},
    {"webhdfs://127.0.0.1:1,127.0.0.1:2/f",
     {STANDBY_12, STANDBY_12},
     "none of 2 NameNodes: ",
     0.5 + 1 + 2 + 4 + 6 * 8},
    {"webhdfs://127.0.0.1:1,127.0.0.1:2/f",
     {STANDBY_12, LENGTH, STANDBY_12, HDFS_TO("/data"),
      "HTTP/1.1 200 OK\r\n\r\n012345678901234567890123456789012345678901234567890123456789"},
     NULL,
     2 * (0.5 + 1 + 2 + 4 + 8 + 8)},
    /* A length means nothing beside chunks. */
    {"webhdfs://127.0.0.1:1/f",
     {LENGTH, HDFS_TO("/data"),
      "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3c\r\n012345678901234567890123456789012345678901234567890123456789\r\n0\r\n\r\n"},
     NULL,
     0},
    /* What one has said is not said of the next. */
    {"webhdfs://127.0.0.1:1,127.0.0.1:2/f",
     {STANDBY, HDFS_TO("/data")},
     "127.0.0.1:2 answered 307 to GETFILESTATUS, expected 200",
     0},
    {"webhdfs://h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,127.0.0.1:1/f",
     {NULL},
     "none of 16 NameNodes: ",
     120},
    /* Neither may become the active one any more. */
    {"webhdfs://127.0.0.1:1,127.0.0.1:2/f", {STANDBY, STANDBY, "", ""}, " without an answer", 0.5},
};

TEST(without_a_limit_of_the_caller_what_is_usual_holds)
{
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        network_peer peers[ANSWERS_MAX];
        size_t       made = 0, count;
        for (const char *answer = ""; made < ANSWERS_MAX && answer != NULL; made++) {
            answer = waits[i].answers[made];
            peers[made] =
                (network_peer){answer, answer != NULL ? strlen(answer) : 0, .until = "\r\n\r\n",
                               .end = answer != NULL ? NETWORK_CLOSES : NETWORK_STAYS};
        }
        network_begin(&(network_plan){.peers = peers, .count = made});
        ink_status status = read_waiting(waits[i].address, 0, FEW, FEW, NULL, &count);
        network_end();
        assert_int_equal(network_open(), 0);
        if (waits[i].message == NULL)
            CHECK_OK(status);
        else
            CHECK_FAILS(status, INK_IO, waits[i].message);
        const double seconds = (double)network_passed() / 1e9;
        if (seconds < waits[i].seconds || seconds > waits[i].seconds + 0.1)
            fail_msg("row %zu took %g s, expected %g", i, seconds, waits[i].seconds);
    }
}

/* The last MiB was read by the first of five connections that break: that is one row of tries. */
TEST(a_row_of_tries_ends_however_much_was_read_before)
{
    enum { BROUGHT = 1200000 };
    static const char length[] = STATUS("{\"length\":6000000,\"type\":\"FILE\"}");
    static const char head[] = "HTTP/1.1 200 OK\r\n\r\n", to[] = HDFS_TO("/data");
    static char       said[sizeof head + BROUGHT];
    network_peer      peers[12];
    size_t            count;

    memset(said, 'x', sizeof said);
    memcpy(said, head, sizeof head - 1);
    for (size_t i = 0; i < 12; i++) {
        const char *answer = i == 0 ? length : i % 2 == 1 ? to : i == 2 ? said : "";
        peers[i] =
            (network_peer){answer, i == 2 ? sizeof said - 1 : strlen(answer), .until = "\r\n\r\n"};
    }
    network_begin(&(network_plan){.peers = peers, .count = 12});
    CHECK_FAILS(read_address("webhdfs://127.0.0.1:1/f", 0, UINT64_MAX, 65536, &count), INK_IO,
                "closed the connection without an answer");
    network_end();
    assert_int_equal(network_open(), 0);
    assert_int_equal(network_connections(), 1 + 2 * TRIES);
    assert_int_equal(error.at, BROUGHT);
}

TEST(a_server_that_falls_silent_is_left)
{
    hdfs_strange strange = {.at = SENDING, .bytes = 70, .leaves = HDFS_STAYS};
    size_t       count;

    for (strange.count = 1; strange.count <= 100; strange.count += 99) {
        hdfs_offer(&server, &strange, bytes, FEW, HDFS_SIZED);
        hdfs_await_silence(&server);
        ink_status status = read_all(FEW + 1, &count);
        ink__system_replace(NULL);
        hdfs_end(&server);
        if (strange.count == 1) {
            CHECK_OK(status);
            CHECK(count == FEW && is_found(0, FEW));
        } else {
            CHECK_FAILS(status, INK_IO, " for 60 s, expected ");
        }
        hdfs_free(&server);
    }
}

/* ---- Refusals of our own system ----------------------------------------------------------- */

TEST(a_refusal_of_memory_is_one)
{
    faults_memory        memory = {0};
    ink_allocator        allocator = faults_allocator(&memory);
    ink__webhdfs_reader *reader;
    char                 address[128];
    uint64_t             count;

    hdfs_offer(&server, NULL, bytes, FEW, HDFS_SIZED);
    hdfs_address(&server, address, sizeof address);
    for (memory.refuse_at = 1; memory.refuse_at <= 2; memory.refuse_at++) {
        memory.asked = 0;
        CHECK_FAILS(ink__webhdfs_open(&reader, address, 0, FEW, &patient, &allocator, &error),
                    INK_MEMORY, "");
        assert_null(reader);
    }
    memory.refuse_at = memory.asked = 0;
    CHECK_OK(ink__webhdfs_open(&reader, address, 0, FEW, &patient, &allocator, &error));
    CHECK_OK(ink__webhdfs_read(reader, found, FEW, &count, &error));
    assert_int_equal(memory.asked, 2); /* and none after that can fail */
    ink__webhdfs_close(reader);
    ink__webhdfs_close(NULL);
    faults_check_no_leak(&memory);
    hdfs_end(&server);
    hdfs_free(&server);
}

/* A call that fails once while bytes are read costs a connection, and no byte. */
TEST(a_call_that_fails_once_costs_no_byte)
{
    static const int errors[] = {EIO, EAGAIN};
    unsigned         struck = 0;

    for (size_t e = 0; e < 2; e++)
        for (faults_call call = FAULTS_SEND; call <= FAULTS_RECEIVE; call++)
            for (unsigned nth = 1;; nth++) {
                size_t count;
                hdfs_offer(&server, NULL, bytes, 300000, HDFS_CHUNKED);
                faults_system_begin(
                    &(faults_plan){.call = call, .nth = nth, .os_error = errors[e]});
                ink_status status = read_all(50000, &count);
                faults_system_end();
                hdfs_end(&server);
                hdfs_free(&server);
                assert_int_equal(faults_open_files(), 0);
                if (status != INK_OK) /* the length could not be asked for */
                    CHECK(status == INK_IO && error.os_error == EIO && nth <= 2);
                else
                    CHECK(count == 300000 && is_found(0, count));
                if (!faults_struck())
                    break;
                struck++;
            }
    CHECK(struck >= 10);
}

/* ---- Splits ------------------------------------------------------------------------------- */

static const ink__record_rule lines = {.form = INK__RECORDS_ENDED, .end = '\n'};
static const ink__record_rule words = {.form = INK__RECORDS_FIXED, .width = 4};

/* What a part gives: its chunks behind each other, and where the first one starts. */
static size_t take_part(const ink__input_part *part, const ink__record_rule *rule, uint8_t *to,
                        uint64_t *start)
{
    ink__source *source;
    ink__chunk   chunk = {0};
    bool         more = true;
    size_t       used = 0;

    *start = UINT64_MAX;
    CHECK_OK(ink__source_create(&source, part, 1, rule, 8, NULL, &error));
    for (;;) {
        CHECK_OK(ink__source_next(source, &chunk, UINT64_MAX, &more, NULL, &error));
        if (!more)
            break;
        *start = *start == UINT64_MAX ? chunk.offset : *start;
        assert_int_equal(chunk.offset, *start + used);
        if (part->memory == NULL && part->offset == 0)
            assert_int_equal(ink__source_record(source, &chunk, 0),
                             1 + (rule == &lines ? ink__records_count(rule, to, used) : used / 4));
        else if (part->memory == NULL)
            assert_int_equal(ink__source_record(source, &chunk, 0), 0); /* nobody knows */
        memcpy(to + used, chunk.bytes, chunk.count);
        used += chunk.count;
    }
    ink__source_release(source, &chunk);
    ink__source_free(source);
    return used;
}

static void check_splits(const char *text, size_t count, const ink__record_rule *rule,
                         hdfs_body body)
{
    uint8_t  here[256], there[256];
    uint64_t start_here, start_there;
    char     address[128];

    hdfs_offer(&server, NULL, text, count, body);
    hdfs_address(&server, address, sizeof address);
    for (size_t from = 0; from < count; from++)
        for (size_t end = from + 1; end <= count; end++) {
            ink__input_part part = {.path = address, .offset = from, .bytes = end - from};
            size_t          remote = take_part(&part, rule, there, &start_there);
            part.memory = (const uint8_t *)text;
            part.memory_bytes = count;
            size_t local = take_part(&part, rule, here, &start_here);
            if (remote != local || memcmp(here, there, local) != 0 || start_here != start_there)
                fail_msg(
                    "bytes %zu to %zu: found %zu bytes from %llu on, expected %zu from %llu on",
                    from, end, remote, (unsigned long long)start_there, local,
                    (unsigned long long)start_here);
        }
    hdfs_end(&server);
    hdfs_free(&server);
}

TEST(splits_share_records_out_as_those_of_a_local_file)
{
    static const char *const texts[] = {"a\nbc\n\ndef\nghijklmno\np\n", "ab\r\n\r\nc\r\nde",
                                        "\n\n\nx", "no end at all"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_splits(texts[i], strlen(texts[i]), &lines, i % 2 == 0 ? HDFS_SIZED : HDFS_CHUNKED);
    check_splits("0123456789abcdefghij", 20, &words, HDFS_SIZED);
    check_splits("0123456789abcdefghijk", 21, &words, HDFS_UNSIZED); /* and a byte too much */
}

/* A record that is longer than what is read beyond a split is taken whole, and skipped whole. */
TEST(a_long_record_goes_beyond_its_split)
{
    enum { LONG = 400000, ALL = LONG + 20 };
    static uint8_t text[ALL], taken[ALL];
    uint64_t       start;
    char           address[128];

    memset(text, 'x', sizeof text);
    text[9] = text[9 + LONG] = '\n';
    hdfs_offer(&server, NULL, text, ALL, HDFS_SIZED);
    hdfs_address(&server, address, sizeof address);
    const ink__input_part parts[] = {{.path = address, .offset = 0, .bytes = 11},
                                     {.path = address, .offset = 11, .bytes = 200000},
                                     {.path = address, .offset = 200011, .bytes = ALL - 200011}};
    assert_int_equal(take_part(&parts[0], &lines, taken, &start), 10 + LONG);
    CHECK(start == 0 && memcmp(taken, text, 10 + LONG) == 0);
    assert_int_equal(take_part(&parts[1], &lines, taken, &start), 0);
    assert_int_equal(take_part(&parts[2], &lines, taken, &start), 10);
    assert_int_equal(start, 10 + LONG);
    hdfs_end(&server);
    hdfs_free(&server);
}

static size_t compress_text(uint8_t *to, size_t room, const uint8_t *text, size_t count)
{
    z_stream packing = {.next_in = (Bytef *)(uintptr_t)text,
                        .avail_in = (unsigned)count,
                        .next_out = to,
                        .avail_out = (unsigned)room};

    assert_int_equal(deflateInit2(&packing, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
    assert_int_equal(deflate(&packing, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&packing), Z_OK);
    return room - packing.avail_out;
}

TEST(gzip_is_looked_through_as_a_whole)
{
    static const char text[] = "one\ntwo\nthree\n";
    uint8_t           packed[256], taken[256];
    size_t   bytes_packed = compress_text(packed, sizeof packed, (const uint8_t *)text, 14);
    uint64_t start;
    char     address[128];

    hdfs_offer(&server, NULL, packed, bytes_packed, HDFS_SIZED);
    hdfs_address(&server, address, sizeof address);
    ink__input_part part = {.path = address, .bytes = UINT64_MAX};
    assert_int_equal(take_part(&part, &lines, taken, &start), 14);
    assert_memory_equal(taken, text, 14);
    part.bytes = 3;
    ink__source *source;
    ink__chunk   chunk = {0};
    bool         more;
    size_t       input = 7;
    CHECK_OK(ink__source_create(&source, &part, 1, &lines, 8, NULL, &error));
    CHECK_FAILS(ink__source_next(source, &chunk, 8, &more, &input, &error), INK_USAGE,
                "a split of what can only be read from its start");
    assert_int_equal(input, 0);
    ink__source_free(source);
    hdfs_end(&server);
    hdfs_free(&server);
}

RUN_TESTS(.begin = make_bytes, .before = hdfs_set_alarm, .after = hdfs_clear_alarm)
