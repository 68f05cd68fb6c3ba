/* webhdfs_writer_test.c - a file goes into HDFS whole or not at all, whatever the servers do:
 * requests are as WebHDFS wants them, answers are waited for and understood, and every way in which
 * servers can refuse, break off, fall silent or talk nonsense ends with one clear line and nothing
 * left behind. */
#define _DEFAULT_SOURCE 1
#include "net/webhdfs_writer.h"

#include "base/memory.h"
#include "base/system.h"
#include "net/http.h"
#include "net/namenodes.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/hdfs.h"
#include "support/network.h"
#include "support/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of the case that runs. */
static ink_error   error;
static hdfs_server server;

/* Nothing takes so long unless it is to be waited for. Whoever waits for it is ended by the alarm,
 * which comes before. */
static const ink__patience patient = {60000, 60000, 0};
static const ink__patience hasty = {60000, 100, 0};

enum { MANY = 4 << 20 };
static uint8_t bytes[MANY]; /* that are sent */

static int make_bytes(void **state)
{
    uint64_t random = 1;

    for (size_t i = 0; i < MANY; i++)
        bytes[i] = (uint8_t)records_random(&random);
    return 0;
}

/* Puts the first `count` bytes in steps. */
static ink_status put(const char *address, size_t count, size_t step, const ink__patience *patience)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__webhdfs *output;
    ink_status    status = ink__webhdfs_begin(&output, address, patience, &heap, &error);

    if (status != INK_OK)
        return status;
    for (size_t at = 0; at < count && status == INK_OK; at += step)
        status =
            ink__webhdfs_write(output, bytes + at, count - at < step ? count - at : step, &error);
    if (status == INK_OK)
        return ink__webhdfs_commit(output, true, &error);
    ink__webhdfs_abandon(output);
    return status;
}

static ink_status put_to(size_t count, const ink__patience *patience)
{
    char address[128];

    hdfs_address(&server, address, sizeof address);
    return put(address, count, INK__HTTP_CHUNK_BYTES, patience);
}

/* ---- What is asked ------------------------------------------------------------------------ */

TEST(a_file_is_created_filled_and_renamed)
{
    static const size_t counts[] = {0, 1, 65535, 65536, 65537, 3 * 65536, 1000000};
    static const size_t steps[] = {1, 7, 1000, 65536, MANY};
    char                address[128];

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t s = counts[i] > 100000 ? 1 : 0; s < sizeof steps / sizeof steps[0]; s++) {
            hdfs_begin(&server, NULL);
            hdfs_address(&server, address, sizeof address);
            CHECK_OK(put(address, counts[i], steps[s], &patient));
            hdfs_end(&server);
            CHECK(hdfs_holds(&server.file, bytes, counts[i]));
            CHECK(!server.temporary.there);
            assert_int_equal(server.connections, 3);
            assert_int_equal(server.chunks, (counts[i] + 65535) / 65536 + 1);
            assert_int_equal(server.largest_chunk, counts[i] < 65536 ? counts[i] : 65536);
            hdfs_free(&server);
        }
}

TEST(requests_are_as_webhdfs_wants_them)
{
    char expected[256];

    hdfs_begin(&server, NULL);
    CHECK_OK(put_to(100, &patient));
    hdfs_end(&server);
    CHECK(strncmp(server.log, "PUT /webhdfs/v1/dir/_ink.", 25) == 0);
    CHECK(strncmp(server.temporary_target, "/webhdfs/v1/dir/_ink.", 21) == 0);
    snprintf(expected, sizeof expected,
             "?op=CREATE&overwrite=true&user.name=me HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n",
             (unsigned)server.port);
    hdfs_check_logged(&server, expected);
    hdfs_check_logged(&server, "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                               "PUT /data?op=CREATE&overwrite=true HTTP/1.1\r\n");
    hdfs_check_logged(&server, "\r\nContent-Type: application/octet-stream\r\n"
                               "Transfer-Encoding: chunked\r\n\r\nPUT /webhdfs/v1/dir/_ink.");
    hdfs_check_logged(&server,
                      "?op=RENAME&renameoptions=OVERWRITE&destination=/dir/file&user.name=me "
                      "HTTP/1.1\r\n");
    hdfs_free(&server);
}

TEST(a_path_and_a_user_are_escaped)
{
    char address[128];

    hdfs_begin(&server, NULL);
    snprintf(address, sizeof address,
             "webhdfs://127.0.0.1:%u/a b/%%41+\xc3\xbc;?=&#\r\n-._~Z?user.name=x y&op=z",
             (unsigned)server.port);
    CHECK_OK(put(address, 3, 1, &patient));
    hdfs_end(&server);
    CHECK(strncmp(server.log, "PUT /webhdfs/v1/a%20b/_ink.", 27) == 0);
    hdfs_check_logged(&server, "&destination=/a%20b/%2541%2B%C3%BC%3B%3F%3D%26%23%0D%0A-._~Z"
                               "&user.name=x%20y%26op%3Dz HTTP/1.1\r\n");
    hdfs_free(&server);
    hdfs_begin(&server, NULL);
    snprintf(address, sizeof address, "webhdfs://127.0.0.1:%u/f", (unsigned)server.port);
    CHECK_OK(put(address, 3, 1, &patient));
    hdfs_end(&server);
    hdfs_check_logged(&server, "?op=CREATE&overwrite=true HTTP/1.1\r\n");
    hdfs_check_logged(&server, "&destination=/f HTTP/1.1\r\n");
    hdfs_free(&server);
}

TEST(an_address_is_reported_from_a_path)
{
    static const char *const others[] = {"file",      "/webhdfs://", "webhdfs:/x", "",
                                         "hdfs:/x/y", "WEBHDFS://",  "./http://",  "webhdf"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(ink__webhdfs_is_address(others[i]));
    assert_true(ink__webhdfs_is_address("webhdfs://"));
    assert_true(ink__webhdfs_is_address("https://x"));
}

TEST(an_address_that_is_none_is_refused)
{
    static const struct {
        const char *address, *message;
    } cases[] = {
        {"swebhdfs://h:1/f", "swebhdfs:// is encrypted"},
        {"https://h:1/f", "https:// is encrypted"},
        {"http://h:1/f", "http:// is not the address of a file in HDFS"},
        {"hdfs://h:1/f", "hdfs:// is Hadoop's own protocol"},
        {"webhdfs://", "without the path"},
        {"webhdfs://h:1", "without the path"},
        {"webhdfs://h:1/", "without the path"},
        {"webhdfs://h:1/folder/", "without the path"},
        {"webhdfs://h:1?user.name=u", "without the path"},
        {"webhdfs://h:1/?user.name=u", "without the path"},
        {"webhdfs://h:1?f?user.name=u", "without the path"},
        {"webhdfs://h:1/f?", "the name of a user"},
        {"webhdfs://h:1/f?user.name=", "the name of a user"},
        {"webhdfs://h:1/f?username=u", "the name of a user"},
        {"webhdfs://h:1/f?user.name=u?op=x", "the name of a user"},
        {"webhdfs:///f", "\"\" is not the HOST:PORT"},
        {"webhdfs://h/f", "\"h\" is not the HOST:PORT"},
        {"webhdfs://h:/f", "\"h:\" is not"},
        {"webhdfs://:1/f", "\":1\" is not"},
        {"webhdfs://h:0/f", "\"h:0\" is not"},
        {"webhdfs://h:65536/f", "\"h:65536\" is not"},
        {"webhdfs://h:99999999999999999999/f", "\"h:99999999999999999999\" is not"},
        {"webhdfs://h:1x/f", "\"h:1x\" is not"},
        {"webhdfs://h:-1/f", "\"h:-1\" is not"},
        {"webhdfs://-h:1/f", "\"-h:1\" is not"},
        {"webhdfs://.h:1/f", "\".h:1\" is not"},
        {"webhdfs://u@h:1/f", "\"u@h:1\" is not"},
        {"webhdfs://h\r\nX:1/f", "\"h\\x0d\\x0aX:1\" is not"},
        {"webhdfs://h:1,/f", "\"\" is not"},
        {"webhdfs://h:1,,h:2/f", "\"\" is not"},
        {"webhdfs://[::1/f", "\"[::1\" is not"},
        {"webhdfs://[::1]/f", "\"[::1]\" is not"},
        {"webhdfs://[::1]1/f", "\"[::1]1\" is not"},
        {"webhdfs://[1.2.3.4]:1/f", "\"[1.2.3.4]:1\" is not"},
        {"webhdfs://[h]:1/f", "\"[h]:1\" is not"},
        {"webhdfs://::1:1/f", "\"::1:1\" is not"},
        {"webhdfs://h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1,h:1/f",
         "more than 16 NameNodes"},
    };

    faults_system_begin(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ink_status status = put(cases[i].address, 1, 1, &patient);
        if (status != INK_USAGE || strstr(error.message, cases[i].message) == NULL ||
            strstr(error.message, "expected") == NULL)
            fail_msg("%s: %s: %s", cases[i].address, ink_status_name(status), error.message);
    }
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_ANY), 0); /* no server was asked */
}

TEST(a_host_has_less_than_256_bytes)
{
    ink__host host;
    char      text[300];

    memset(text, 'h', sizeof text);
    memcpy(text + 255, ":1", 2);
    assert_true(ink__host_parse(&host, text, 257, 0));
    assert_int_equal(strlen(host.name), 255);
    memcpy(text + 255, "h:1", 3);
    assert_false(ink__host_parse(&host, text, 258, 0));
    memset(text, '0', sizeof text);
    text[0] = '[';
    memcpy(text + 290, "]:1", 3);
    assert_false(ink__host_parse(&host, text, 293, 0));
    assert_true(ink__host_parse(&host, "[fe80::1]:17", 12, 0));
    assert_int_equal(host.port, 17);
    assert_string_equal(host.name, "fe80::1");
    assert_true(host.six);
    assert_true(ink__host_parse(&host, "[::1]", 5, 80));
    assert_int_equal(host.port, 80);
    assert_true(ink__host_parse(&host, "a-b.c_d", 7, 80));
    assert_int_equal(host.port, 80);
    assert_false(host.six);
}

/* ---- What servers do ---------------------------------------------------------------------- */

#define STANDBY                                                                                    \
    "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\n\r\n" HDFS_EXCEPTION(             \
        "StandbyException", "Operation category WRITE is not supported in state standby")

enum { CREATING = 1, FILLING, RENAMING, REMOVING };

/* Answers to CREATE; NULL as a message: the file is there. */
static const struct {
    const char *name, *answer, *message;
} replies[] = {
    {"a redirect to nowhere", "HTTP/1.1 307 x\r\nLocations: http://127.0.0.1:PORT/data?\r\n\r\n",
     "answered 307 without a Location, expected one"},
    {"a redirect to a path", HDFS_TO("/data?op=CREATE"), NULL},
    {"a redirect to another name", HDFS_TO("http://localhost:PORT/data?op=CREATE"), NULL},
    {"a redirect with blanks around it, in lower case, with lone line feeds",
     "HTTP/1.0 307\nlocation: \t http://127.0.0.1:PORT/data?x \t\n\n", NULL},
    {"a redirect to TLS", HDFS_TO("https://127.0.0.1:PORT/data?x"),
     "/data?x\", expected http:// (without encryption)"},
    {"an empty redirect", HDFS_TO(""), "sends the bytes to \"\", expected"},
    {"a redirect without a path", HDFS_TO("http://127.0.0.1:PORT"), "expected http://"},
    {"a redirect to no host", HDFS_TO("http:///data?x"), "expected http://"},
    {"a redirect to a port that is none", HDFS_TO("http://127.0.0.1:0/data?x"), "expected http://"},
    {"a redirect with a second line inside", HDFS_TO("http://127.0.0.1:PORT/data?x\rHost:"),
     "\\x0dHost:\", expected http://"},
    {"a redirect with a blank in it", HDFS_TO("http://127.0.0.1:PORT/da ta?x"),
     "/da ta?x\", expected http://"},
    {"a redirect with a byte that no address has", HDFS_TO("http://127.0.0.1:PORT/data?\x7f"),
     "/data?\\x7f\", expected http://"},
    {"a redirect to a bracket that stays open", HDFS_TO("http://[::1/data?x"), "expected http://"},
    {"a redirect to a file", HDFS_TO("file:///etc/passwd"), "expected http://"},
    {"not allowed, in lines that end as on an old Mac",
     "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("Denied", "no\\rand more"),
     "answered 403 to CREATE: Denied: no, expected 307"},
    {"created before there are bytes", "HTTP/1.1 201 Created\r\n\r\n",
     "answered 201 to CREATE, expected 307"},
    {"not allowed",
     "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("AccessControlException",
                                                     "Permission denied: user=me"),
     "answered 403 to CREATE: AccessControlException: Permission denied: user=me, expected 307"},
    {"who are you",
     "HTTP/1.1 401 Authentication required\r\nWWW-Authenticate: Negotiate\r\n"
     "Content-Length: 0\r\n\r\n",
     "answered 401 to CREATE: it requires Kerberos, which is not supported, "
     "expected 307"},
    {"a reason with escapes, of which the first line counts",
     "HTTP/1.1 500 x\r\n\r\n" HDFS_EXCEPTION(
         "IO\\u0045xception", "a \\\"b\\\" \\u00fc \\\\ c\\/d\\n\\tat org.apache.Hadoop"),
     "answered 500 to CREATE: IOException: a \"b\" \\xc3\\xbc \\x5c c/d, expected 307"},
    {"a reason without a name", "HTTP/1.1 500 x\r\n\r\n{\"RemoteException\":{\"message\":\"no\"}}",
     "answered 500 to CREATE: no, expected 307"},
    {"a reason that is no text",
     "HTTP/1.1 500 x\r\n\r\n{\"RemoteException\":{\"exception\":7,\"message\":[]}}",
     "answered 500 to CREATE, expected 307"},
    {"a reason with more length than it has",
     "HTTP/1.1 500 x\r\nContent-Length: 18446744073709551616\r\n\r\n" HDFS_EXCEPTION("X", "y"),
     "answered 500 to CREATE: X: y, expected 307"},
    {"a reason that breaks off",
     "HTTP/1.1 500 x\r\nContent-Length: 1000\r\n\r\n{\"RemoteException\":{\"exc",
     "answered 500 to CREATE, expected 307"},
    {"chunks that make no sense",
     "HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\n"
     "10000000000000000\r\n" HDFS_EXCEPTION("X", "y"),
     "answered 500 to CREATE, expected 307"},
    {"a page for people", "HTTP/1.1 404 Not Found\r\n\r\n<html>\r\n<p>Not here</p></html>\n",
     "answered 404 to CREATE, expected 307"},
    {"another version", "HTTP/2 200\r\n\r\n", "expected HTTP/1.1"},
    {"no status", "HTTP/1.1 2x0 y\r\n\r\n", "expected HTTP/1.1"},
    {"a long status", "HTTP/1.1 2000\r\n\r\n", "expected HTTP/1.1"},
    {"no answer", "", "closed the connection without an answer, expected"},
    {"a lonely NameNode on standby", STANDBY, "is a NameNode on standby, expected an active one"},
};
enum { REPLIES = sizeof replies / sizeof replies[0] };

/* What the servers do in place of the usual, and what comes of it. NULL: the file is there. */
typedef struct exchange {
    const char  *name;
    hdfs_strange strange;
    const char  *message;
    size_t       count; /* of bytes; 0: a few */
} exchange;

static const exchange others[] = {
    {"nothing strange", {0}, NULL, 0},
    {"two redirects to no server",
     {CREATING, .count = 2, .answer = HDFS_TO("http://127.0.0.1:1/data?x")},
     NULL,
     0},
    {"redirects to no server",
     {CREATING, .count = 3, .answer = HDFS_TO("http://127.0.0.1:1/data?x")},
     "cannot connect to 127.0.0.1:1: Connection refused",
     0},
    {"it continues before it sends us on",
     {CREATING, .answer = "HTTP/1.1 100 Continue\r\n\r\n", .before = true},
     NULL,
     0},
    {"it continues before the bytes",
     {FILLING, .answer = "HTTP/1.1 100 Continue\r\n\r\n", .before = true},
     NULL,
     MANY},
    {"it continues before and behind",
     {FILLING, .answer = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nA: b\r\n\r\n"
                         "HTTP/1.1 201 Created\r\n\r\n"},
     NULL,
     100000},
    {"it continues often",
     {FILLING, .answer = "HTTP/1.1 100 Continue\r\n\r\n", .before = true, .times = 100},
     NULL,
     MANY},
    {"it continues too often at first",
     {CREATING, .answer = "HTTP/1.1 100 Continue\r\n\r\n", .times = 101, .leaves = HDFS_STAYS},
     "sent more than 100 answers of 1xx, expected a final one",
     0},
    {"it continues for ever instead of taking bytes",
     {FILLING, .reads = HDFS_READS_HEAD, .answer = "HTTP/1.1 100 Continue\r\n\r\n", .times = 10000},
     "sent more than 100 answers of 1xx",
     MANY},
    {"a redirect without an end",
     {FILLING, .answer = HDFS_TO("http://127.0.0.1:PORT/data?x")},
     "answered 307 to the bytes, expected 201",
     0},
    {"a reason in chunks, and then silence",
     {CREATING,
      .answer = "HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\n"
                "15;name=value\r\n{\"RemoteException\":{\"\r\n1B\r\nexception\":\"X\",\"message\":"
                "\"y\r\n3\r\n\"}}\r\n0\r\n\r\n",
      .leaves = HDFS_STAYS},
     "answered 500 to CREATE: X: y, expected 307",
     0},
    {"a reason with its length, and then silence",
     {CREATING,
      .answer = "HTTP/1.1 500 x\r\ncontent-length: 53\r\n\r\n"
                "{\"RemoteException\":{\"exception\":\"XY\",\"message\":\"yz\"}}garbage",
      .leaves = HDFS_STAYS},
     "answered 500 to CREATE: XY: yz, expected 307",
     0},
    {"a reason that never ends",
     {CREATING, .answer = "HTTP/1.1 500 x\r\n\r\n{", .times = 10000},
     "answered 500 to CREATE, expected 307",
     0},
    {"a head that never ends",
     {CREATING, .answer = "HTTP/1.1 500 x\r\nX: y\r\n", .times = 10000},
     "sent an answer whose head has more than 65536 bytes, expected less",
     0},
    {"a head that never ends, while there are bytes to send",
     {FILLING, .reads = HDFS_READS_HEAD, .answer = "HTTP/1.1 500 x\r\nX: y\r\n", .times = 10000},
     "sent an answer whose head has more than 65536 bytes, expected less",
     MANY},
    {"another language",
     {CREATING, .answer = "SSH-2.0-OpenSSH\r\n", .leaves = HDFS_STAYS},
     "answered \"SSH-2.0-OpenSSH\\x0d\", expected HTTP/1.1",
     0},
    {"bytes",
     {CREATING, .answer = "\0\0\0|{\x08\xff", .bytes = 7, .leaves = HDFS_STAYS},
     "answered \"\\x00\\x00\\x00|{\\x08\\xff\", expected HTTP/1.1",
     0},
    {"a NUL behind the status",
     {CREATING, .answer = "HTTP/1.1 307\0\r\n\r\n", .bytes = 17},
     "expected HTTP/1.1",
     0},
    {"a page at once",
     {CREATING, .reads = HDFS_READS_NOTHING, .answer = "<html>", .leaves = HDFS_STAYS},
     "answered \"<html>\", expected HTTP/1.1",
     0},
    {"nonsense instead of taking bytes",
     {FILLING, .reads = HDFS_READS_HEAD, .answer = "what?", .leaves = HDFS_STAYS},
     "answered \"what?\", expected HTTP/1.1",
     MANY},
    {"no answer to the bytes",
     {FILLING, .answer = ""},
     "closed the connection without an answer, expected",
     0},
    {"no answer to the name",
     {RENAMING, .reads = HDFS_READS_HEAD, .answer = ""},
     "closed the connection without an answer, expected",
     0},
    {"it breaks off at once", {CREATING, .answer = "", .leaves = HDFS_RESETS}, "127.0.0.1:", 0},
    {"it breaks off in the middle of the bytes",
     {FILLING, .reads = HDFS_READS_HEAD, .answer = "", .leaves = HDFS_RESETS},
     "127.0.0.1:",
     MANY},
    {"it leaves in the middle of the bytes",
     {FILLING, .reads = HDFS_READS_HEAD, .answer = ""},
     "127.0.0.1:",
     MANY},
    {"it refuses in the middle of the bytes, and takes no more",
     {FILLING, .reads = HDFS_READS_HEAD,
      .answer =
          "HTTP/1.1 403 Forbidden\r\n\r\n" HDFS_EXCEPTION("DSQuotaExceededException", "full")},
     "answered 403 to the bytes: DSQuotaExceededException: full, expected 201",
     MANY},
    {"it refuses the bytes, and waits",
     {FILLING, .reads = HDFS_READS_HEAD,
      .answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 78\r\n\r\n" HDFS_EXCEPTION("Xy", "full"),
      .leaves = HDFS_STAYS},
     "answered 403 to the bytes: Xy: full, expected 201",
     MANY},
    {"it refuses all the bytes",
     {FILLING, .answer = "HTTP/1.1 500 x\r\n\r\n" HDFS_EXCEPTION("IOException", "no DataNode")},
     "answered 500 to the bytes: IOException: no DataNode, expected 201",
     100000},
    {"it thanks before it has the bytes",
     {FILLING, .reads = HDFS_READS_HEAD, .answer = "HTTP/1.1 201 Created\r\n\r\n",
      .leaves = HDFS_STAYS},
     "answered 201 before it had all bytes",
     MANY},
    {"it says 200", {FILLING, .answer = "HTTP/1.1 200 OK\r\n\r\n"}, "expected 201", 0},
    {"it may not have the name",
     {RENAMING, .reads = HDFS_READS_HEAD,
      .answer =
          "HTTP/1.1 403 x\r\n\r\n" HDFS_EXCEPTION("FileAlreadyExistsException", "is a folder")},
     "answered 403 to RENAME: FileAlreadyExistsException: is a folder, expected 200",
     0},
    {"it is renamed in words",
     {RENAMING, .answer = "HTTP/1.1 200 OK\r\n\r\n{\"boolean\":true}"},
     NULL,
     0},
    {"it is renamed in other words",
     {RENAMING, .answer = "HTTP/1.1 200 OK\r\n\r\n{\"renamed\":1}"},
     NULL,
     0},
    {"it is not renamed, in words",
     {RENAMING, .reads = HDFS_READS_HEAD,
      .answer = "HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"boolean\": false}",
      .leaves = HDFS_STAYS},
     "did not rename the file, expected",
     0},
    {"it sends the name somewhere else",
     {RENAMING, .reads = HDFS_READS_HEAD, .answer = HDFS_TO("http://127.0.0.1:PORT/data?x")},
     "answered 307 to RENAME, expected 200",
     0},
};
enum { EXCHANGES = REPLIES + sizeof others / sizeof others[0] };

static exchange exchange_at(size_t i)
{
    if (i >= REPLIES)
        return others[i - REPLIES];
    return (exchange){
        replies[i].name, {CREATING, .answer = replies[i].answer}, replies[i].message, 0};
}

static void check_exchange(const exchange *held)
{
    size_t count = held->count == 0 ? 10 : held->count;

    memset(&error, 0, sizeof error);
    hdfs_begin(&server, &held->strange);
    ink_status status = put_to(count, &patient);
    hdfs_end(&server);
    if (status != (held->message == NULL ? INK_OK : INK_IO) ||
        (held->message != NULL && strstr(error.message, held->message) == NULL))
        fail_msg("%s: %s: %s", held->name, ink_status_name(status), error.message);
    if (held->message == NULL ? !hdfs_holds(&server.file, bytes, count) : server.file.there)
        fail_msg("%s: found a file of %zu bytes", held->name, server.file.count);
    if (server.temporary.there)
        fail_msg("%s: left a file behind", held->name);
    if (error.message[strcspn(error.message, "\r\n")] != '\0')
        fail_msg("%s: found several lines: %s", held->name, error.message);
    hdfs_free(&server);
}

TEST(a_file_is_there_whole_or_not_at_all_and_a_line_says_why)
{
    for (size_t i = 0; i < EXCHANGES; i++) {
        const exchange held = exchange_at(i);
        check_exchange(&held);
    }
}

/* An answer that ends within its head is none, wherever it ends. */
TEST(an_answer_before_the_last_bytes_is_none)
{
    const hdfs_strange  strange = {FILLING, .reads = HDFS_READS_HEAD,
                                   .answer = "HTTP/1.1 201 Created\r\n\r\n", .leaves = HDFS_STAYS};
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__webhdfs       *output;
    char                address[128];

    hdfs_begin(&server, &strange);
    hdfs_address(&server, address, sizeof address);
    CHECK_OK(ink__webhdfs_begin(&output, address, &patient, &heap, &error));
    CHECK_OK(ink__webhdfs_write(output, bytes, 10, &error)); /* which stay here so far */
    while (!atomic_load(&server.silent))
        usleep(100);
    CHECK_FAILS(ink__webhdfs_commit(output, true, &error), INK_IO,
                "answered 201 before it had all bytes, expected it after them");
    hdfs_end(&server);
    CHECK(!server.file.there);
    hdfs_free(&server);
}

TEST(what_is_created_before_there_are_bytes_is_removed)
{
    const hdfs_strange strange = {CREATING, .answer = "HTTP/1.1 201 Created\r\n\r\n"};
    char               address[128];

    hdfs_begin(&server, &strange);
    hdfs_address(&server, address, sizeof address);
    CHECK_FAILS(put(address, 1, 1, &patient), INK_IO, "answered 201 to CREATE, expected 307");
    hdfs_end(&server);
    hdfs_check_logged(&server, "?op=DELETE");
    hdfs_free(&server);
}

TEST(an_answer_that_is_cut_is_none)
{
    hdfs_strange strange = {.at = CREATING};

    for (; strange.at <= RENAMING; strange.at++)
        for (strange.bytes = 1;; strange.bytes++) {
            hdfs_begin(&server, &strange);
            ink_status status = put_to(1000, &patient);
            hdfs_end(&server);
            bool whole = hdfs_holds(&server.file, bytes, 1000);
            CHECK(!server.temporary.there && whole == server.file.there);
            hdfs_free(&server);
            if (status == INK_OK)
                break;
            assert_int_equal(status, INK_IO);
            CHECK(strstr(error.message, "in the middle of its answer") != NULL);
            assert_int_equal(whole, strange.at == RENAMING); /* the name was given before */
            assert_int_equal(server.connections, strange.at == CREATING ? 1 : strange.at + 1);
        }
}

TEST(answers_come_in_pieces_of_any_size)
{
    for (size_t i = 0; i < EXCHANGES; i++) {
        exchange held = exchange_at(i);
        if (held.strange.times > 1 || held.count > 100)
            continue;
        if (held.message != NULL && strstr(held.message, "expected HTTP/1.1") != NULL)
            held.message = "expected HTTP/1.1"; /* after its first byte */
        faults_system_begin(&(faults_plan){.transfer_bytes = 1, .interrupt = true});
        check_exchange(&held);
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_programs(), 0);
    }
}

/* One that ends in the middle of what is received leaves nothing behind of where was looked. */
TEST(answers_of_1xx_come_in_pieces_of_any_size)
{
    const exchange held = {
        "a long hint before a short answer",
        {FILLING, .answer = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
                            "HTTP/1.1 201 Created\r\n\r\n"},
        NULL,
        0};

    for (size_t transfer = 1; transfer < 100; transfer++) {
        faults_system_begin(&(faults_plan){.transfer_bytes = transfer});
        check_exchange(&held);
        faults_system_end();
    }
}

/* ---- Several NameNodes -------------------------------------------------------------------- */

/* Two addresses of the same server, which are told apart by the name that is asked for. */
static void address_twice(char *address, size_t room)
{
    snprintf(address, room, "webhdfs://127.0.0.1:%u,127.0.0.2:1,localhost:%u/dir/file",
             (unsigned)server.port, (unsigned)server.port);
}

TEST(the_next_name_node_is_asked)
{
    hdfs_strange strange = {.answer = STANDBY, .reads = HDFS_READS_HEAD};
    char         address[128], host[64];

    for (strange.at = CREATING; strange.at <= RENAMING; strange.at += RENAMING - CREATING) {
        hdfs_begin(&server, &strange);
        address_twice(address, sizeof address);
        CHECK_OK(put(address, 1000, 1000, &patient));
        hdfs_end(&server);
        CHECK(hdfs_holds(&server.file, bytes, 1000));
        assert_int_equal(server.connections, 4);
        snprintf(host, sizeof host, "HTTP/1.1\r\nHost: localhost:%u\r\n", (unsigned)server.port);
        hdfs_check_logged(&server, host);
        /* The one that has answered is asked first from then on. */
        const char *renaming = strstr(server.log, "op=RENAME");
        CHECK(renaming != NULL && strstr(renaming, host) != NULL);
        if (strange.at == CREATING)
            CHECK(strstr(renaming, "127.0.0.1") == NULL);
        hdfs_free(&server);
    }
}

TEST(a_data_node_that_cannot_be_reached_is_left_out)
{
    const hdfs_strange strange = {CREATING, .answer = HDFS_TO("http://127.0.0.1:1/data?x")};

    hdfs_begin(&server, &strange);
    CHECK_OK(put_to(10, &patient));
    hdfs_end(&server);
    CHECK(hdfs_holds(&server.file, bytes, 10));
    hdfs_check_logged(&server, "&overwrite=true&user.name=me&excludedatanodes=127.0.0.1 HTTP/1.1");
    hdfs_free(&server);
}

/* HDFS knows none by an address of six. */
TEST(a_data_node_is_left_out_by_its_numeric_address)
{
    ink__namenodes *servers = calloc(1, sizeof *servers);

    assert_non_null(servers);
    servers->datanode = (ink__peer){.bytes = {127, 0, 255, 1}};
    ink__namenodes_avoid(servers); /* to none so far */
    assert_string_equal(servers->avoided, "");
    servers->datanode.port = 1;
    servers->datanode.six = true;
    ink__namenodes_avoid(servers);
    assert_string_equal(servers->avoided, "");
    servers->datanode.six = false;
    ink__namenodes_avoid(servers);
    assert_string_equal(servers->avoided, "&excludedatanodes=127.0.255.1");
    free(servers);
}

TEST(a_redirect_to_a_path_leads_to_the_name_node_that_answered)
{
    const hdfs_strange strange = {CREATING, .reads = HDFS_READS_HEAD,
                                  .answer = HDFS_TO("/data?op=CREATE")};
    char               address[128];

    hdfs_begin(&server, &strange);
    snprintf(address, sizeof address, "webhdfs://127.0.0.2:1,127.0.0.1:%u/dir/file",
             (unsigned)server.port);
    CHECK_OK(put(address, 1000, 1000, &patient));
    hdfs_end(&server);
    CHECK(hdfs_holds(&server.file, bytes, 1000));
    assert_int_equal(server.connections, RENAMING); /* none was asked twice */
    hdfs_free(&server);
}

/* It is asked again only if another could take over. */
TEST(a_name_node_alone_that_starts_is_a_refusal)
{
    const hdfs_strange strange = {
        CREATING,
        .answer = "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\n\r\n" HDFS_EXCEPTION(
            "RetriableException", "in safe mode")};
    char address[128];

    hdfs_begin(&server, &strange);
    hdfs_address(&server, address, sizeof address);
    CHECK_FAILS(put(address, 1, 1, &patient), INK_IO,
                " answered 403 to CREATE: RetriableException: in safe mode, expected 307");
    hdfs_end(&server);
    hdfs_free(&server);
}

TEST(when_no_name_node_is_active_that_is_said)
{
    const hdfs_strange strange = {CREATING, .count = 10, .answer = STANDBY};
    char               address[128];

    hdfs_begin(&server, &strange);
    address_twice(address, sizeof address);
    CHECK_FAILS(put(address, 1, 1, &patient), INK_IO, "none of 3 NameNodes: localhost:");
    CHECK(strstr(error.message, " is a NameNode on standby, expected an active one") != NULL);
    hdfs_end(&server);
    assert_int_equal(server.connections, 2); /* and nothing was removed */
    hdfs_free(&server);
}

TEST(a_refusal_is_not_asked_for_twice)
{
    const hdfs_strange strange = {CREATING, .answer = "HTTP/1.1 403 Forbidden\r\n\r\n"};
    char               address[128];

    hdfs_begin(&server, &strange);
    address_twice(address, sizeof address);
    CHECK_FAILS(put(address, 1, 1, &patient), INK_IO, " answered 403 to CREATE, expected 307");
    CHECK(strstr(error.message, "none of") == NULL);
    hdfs_end(&server);
    assert_int_equal(server.connections, 1);
    hdfs_free(&server);
}

TEST(no_server_at_a_port_is_one_line)
{
    hdfs_begin(&server, NULL);
    hdfs_end(&server); /* no listener any more */
    CHECK_FAILS(put_to(1, &patient), INK_IO, "cannot connect to 127.0.0.1:");
    assert_int_equal(error.os_error, ECONNREFUSED);
    CHECK(strstr(error.message, ": Connection refused") != NULL);
    hdfs_free(&server);
}

/* ---- Silence ------------------------------------------------------------------------------ */

static void check_silence(const hdfs_strange *strange, size_t count, const char *message)
{
    hdfs_begin(&server, strange);
    hdfs_await_silence(&server);
    CHECK_FAILS(put_to(count, &patient), INK_IO, message);
    ink__system_replace(NULL);
    hdfs_end(&server);
    CHECK(!server.temporary.there && !server.file.there);
    hdfs_free(&server);
}

TEST(a_server_that_falls_silent_is_left)
{
    static const char *const answers[] = {"", "HTTP/1.1 307 x\r\nLoc",
                                          "HTTP/1.1 500 x\r\nContent-Length: 9\r\n\r\n{"};
    static const char silence[] = " did nothing for 60 s, expected an answer within that time";
    static const char little[] = " did too little for 60 s, expected an answer within that time";

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        for (unsigned at = CREATING; at <= RENAMING; at++) {
            hdfs_strange strange = {at, .answer = answers[i], .leaves = HDFS_STAYS};
            strange.reads = at == RENAMING ? HDFS_READS_HEAD : HDFS_READS_ALL;
            check_silence(&strange, 100, i == 2 ? ", expected " : i == 1 ? little : silence);
        }
    /* It takes less than the system keeps for it. */
    check_silence(
        &(hdfs_strange){FILLING, .reads = HDFS_READS_HEAD, .answer = "", .leaves = HDFS_STAYS},
        MANY, " for 60 s, expected an answer within that time");
}

/* A connection that is never accepted. */
static int waiting_for_ever(int file, int what, int milliseconds)
{
    return 0;
}

TEST(a_host_that_does_not_answer_is_left)
{
    ink__system system = ink__posix;

    system.wait = waiting_for_ever;
    ink__system_replace(&system);
    CHECK_FAILS(put("webhdfs://127.0.0.1:1,[::1]:2/f", 1, 1, &hasty), INK_IO,
                "none of 2 NameNodes: cannot connect to [::1]:2: Connection timed out");
    assert_int_equal(error.os_error, ETIMEDOUT);
    ink__system_replace(NULL);
}

/* How long is waited to connect where a caller has no limit of its own. */
static int longest;

static int note_waiting(int file, int what, int milliseconds)
{
    longest = milliseconds > longest ? milliseconds : longest;
    return 0;
}

TEST(a_connection_is_waited_for_at_most_20_seconds)
{
    ink__system system = ink__posix;

    system.wait = note_waiting;
    longest = 0;
    ink__system_replace(&system);
    CHECK_FAILS(put("webhdfs://127.0.0.1:1/f", 1, 1, NULL), INK_IO, "cannot connect to");
    ink__system_replace(NULL);
    assert_in_range(longest, 19900, 20000);
}

#define TO_DATANODE HDFS_TO("http://127.0.0.1:3/data?x")

/* A file that was begun is removed, for which little is waited, whatever the limits of the caller:
 * what servers say until then (NULL: nothing more), and how many seconds it takes. */
static const struct {
    const char *address, *answers[4];
    bool        abandoned;
    double      seconds;
} removals[] = {
    {"webhdfs://127.0.0.1:1/f", {TO_DATANODE, NULL, "HTTP/1.1 200 OK\r\n\r\n"}, true, 5},
    {"webhdfs://127.0.0.1:1/f", {TO_DATANODE, "HTTP/1.1 500 x\r\n\r\n", NULL}, false, 10},
    {"webhdfs://127.0.0.1:1,127.0.0.1:2/f",
     {TO_DATANODE, "HTTP/1.1 500 x\r\n\r\n", STANDBY, STANDBY},
     false,
     0},
};

TEST(a_removal_does_not_take_long)
{
    const ink__patience long_patience = {60000, 60000, 500};
    ink_allocator       heap = ink__allocator_or_heap(NULL);

    for (size_t i = 0; i < sizeof removals / sizeof removals[0]; i++) {
        network_peer  peers[4];
        ink__webhdfs *output;
        for (size_t p = 0; p < 4; p++) {
            const char *answer = removals[i].answers[p];
            peers[p] = (network_peer){answer, answer != NULL ? strlen(answer) : 0,
                                      .until = p == 1 ? "0\r\n\r\n" : "\r\n\r\n",
                                      .end = answer != NULL ? NETWORK_CLOSES : NETWORK_STAYS};
        }
        network_begin(&(network_plan){.peers = peers, .count = 4});
        CHECK_OK(ink__webhdfs_begin(&output, removals[i].address, &long_patience, &heap, &error));
        CHECK_OK(ink__webhdfs_write(output, bytes, 10, &error));
        if (removals[i].abandoned)
            ink__webhdfs_abandon(output);
        else
            CHECK_FAILS(ink__webhdfs_commit(output, true, &error), INK_IO, "answered 500");
        network_end();
        assert_int_equal(network_open(), 0);
        assert_int_equal(network_connections(), removals[i].answers[3] != NULL ? 4 : 3);
        const double seconds = (double)network_passed() / 1e9;
        if (seconds < removals[i].seconds || seconds > removals[i].seconds + 0.1)
            fail_msg("row %zu took %g s, expected %g", i, seconds, removals[i].seconds);
    }
}

/* ---- Names -------------------------------------------------------------------------------- */

/* What is started in place of getent, which must be asked for in this way. */
static const char *const *instead;
static bool               asked_well;

static long long start_instead(const char *const *arguments, int *output)
{
    asked_well = strcmp(arguments[0], "getent") == 0 && strcmp(arguments[1], "ahosts") == 0 &&
                 strcmp(arguments[2], "some.name") == 0 && arguments[3] == NULL;
    return ink__posix.start(instead, output);
}

static ink_status put_by_name(const char *program, const char *argument,
                              const ink__patience *patience)
{
    const char *const arguments[] = {program, argument, NULL};
    ink__system       system = ink__posix;
    char              address[128];

    instead = arguments;
    asked_well = false;
    system.start = start_instead;
    snprintf(address, sizeof address, "webhdfs://some.name:%u/dir/file", (unsigned)server.port);
    ink__system_replace(&system);
    ink_status status = put(address, 1000, 1000, patience);
    ink__system_replace(NULL);
    return status;
}

TEST(a_name_is_looked_up_by_getent)
{
    static const struct {
        const char *found;
        bool        known;
    } cases[] = {
        {"127.0.0.1 STREAM some.name\n127.0.0.1 DGRAM\n127.0.0.1 RAW\n", true},
        {"127.0.0.1\tSTREAM", true},
        {"127.0.0.2 STREAM some.name\n::1 STREAM\n127.0.0.1       STREAM\n", true},
        {"nonsense STREAM\n\n\n \nSTREAM\n127.0.0.1 STREAM\n", true},
        {"", false},
        {"\n", false},
        {"127.0.0.1 DGRAM\n", false},
        {"127.0.0.1", false},
        {"127.0.0.1 ", false},
        {"fe80::1%eth0 STREAM\n", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hdfs_begin(&server, NULL);
        ink_status status = put_by_name("printf", cases[i].found, &patient);
        hdfs_end(&server);
        CHECK(asked_well);
        if (cases[i].known)
            CHECK_OK(status);
        else
            CHECK_FAILS(status, INK_IO, " is not known, expected one that \"getent ahosts\" finds");
        assert_int_equal(hdfs_holds(&server.file, bytes, 1000), cases[i].known);
        hdfs_free(&server);
    }
}

TEST(sixteen_addresses_of_a_name_are_tried)
{
    for (int before = 15; before <= 16; before++) {
        char lines[17 * sizeof "127.0.0.2 STREAM\n"] = "";
        for (int i = 0; i < before; i++)
            strcat(lines, "127.0.0.2 STREAM\n");
        strcat(lines, "127.0.0.1 STREAM\n");
        hdfs_begin(&server, NULL);
        ink_status status = put_by_name("printf", lines, &patient);
        hdfs_end(&server);
        if (before == 15)
            CHECK_OK(status);
        else
            CHECK_FAILS(status, INK_IO, "cannot connect to some.name:");
        hdfs_free(&server);
    }
}

TEST(what_a_program_prints_counts_and_not_its_exit_code)
{
    static const char script[] = "echo 127.0.0.1 STREAM\nexit 127\n";

    hdfs_begin(&server, NULL);
    records_write("ends", script, sizeof script - 1);
    CHECK_OK(put_by_name("sh", "ends", &patient));
    unlink("ends");
    hdfs_end(&server);
    hdfs_free(&server);
}

TEST(a_program_that_finds_no_end_is_ended)
{
    hdfs_begin(&server, NULL);
    CHECK_FAILS(put_by_name("yes", "127.0.0.2 DGRAM", &patient), INK_IO, " is not known");
    CHECK_OK(put_by_name("yes", "127.0.0.1 STREAM", &patient));
    records_write("stays", "yes '127.0.0.2 DGRAM' | head -c 9000\nexec sleep 1000\n", 53);
    CHECK_FAILS(put_by_name("sh", "stays", &patient), INK_IO, " is not known");
    unlink("stays");
    CHECK_FAILS(put_by_name("sleep", "1000", &hasty), INK_IO,
                "cannot look up the host of some.name:");
    assert_int_equal(error.os_error, ETIMEDOUT);
    faults_system_begin(&(faults_plan){.call = FAULTS_START, .nth = 1, .os_error = ENOENT});
    CHECK_FAILS(put("webhdfs://some.name:1/f", 1, 1, &patient), INK_IO,
                "by the program getent, expected getent or a numeric address: No such file");
    faults_system_end();
    CHECK_FAILS(put_by_name("env", "no such program", &patient), INK_IO,
                "by the program getent, expected getent or a numeric address: No such file");
    hdfs_end(&server);
    hdfs_free(&server);
}

/* ---- Ends --------------------------------------------------------------------------------- */

TEST(an_output_that_is_abandoned_is_removed)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__webhdfs *output;
    char          address[128];

    hdfs_begin(&server, NULL);
    hdfs_address(&server, address, sizeof address);
    CHECK_OK(put(address, 1000, 1000, &patient));
    faults_system_begin(NULL);
    for (size_t count = 0; count <= 200000; count += 100000) {
        CHECK_OK(ink__webhdfs_begin(&output, address, NULL, &heap, &error));
        CHECK_OK(ink__webhdfs_write(output, bytes + 1, count, &error));
        ink__webhdfs_abandon(output);
    }
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_END_SENDING), 3); /* it has noticed before it removes */
    hdfs_end(&server);
    CHECK(hdfs_holds(&server.file, bytes, 1000)); /* the old one */
    CHECK(!server.temporary.there);
    assert_int_equal(server.connections, 3 + 3 * 3);
    hdfs_check_logged(&server, "DELETE /webhdfs/v1/dir/_ink.");
    hdfs_check_logged(&server, "?op=DELETE&user.name=me HTTP/1.1\r\n");
    hdfs_free(&server);
}

TEST(a_write_that_failed_is_reported_again)
{
    const hdfs_strange strange = {
        FILLING, .reads = HDFS_READS_HEAD,
        .answer = "HTTP/1.1 500 x\r\nContent-Length: 73\r\n\r\n" HDFS_EXCEPTION("X", "y"),
        .leaves = HDFS_STAYS};
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__webhdfs *output;
    char          address[128];

    for (int with_error = 0; with_error < 2; with_error++) {
        hdfs_begin(&server, &strange);
        hdfs_address(&server, address, sizeof address);
        CHECK_OK(ink__webhdfs_begin(&output, address, &patient, &heap, &error));
        while (ink__webhdfs_write(output, bytes, MANY, with_error ? &error : NULL) == INK_OK)
            ;
        memset(&error, 0, sizeof error);
        assert_int_equal(ink__webhdfs_write(output, bytes, 1, NULL), INK_IO);
        CHECK_FAILS(ink__webhdfs_write(output, bytes, 1, &error), INK_IO, "answered 500");
        memset(&error, 0, sizeof error);
        CHECK_FAILS(ink__webhdfs_commit(output, true, &error), INK_IO,
                    "answered 500 to the bytes: X: y");
        hdfs_end(&server);
        CHECK(!server.file.there && !server.temporary.there);
        assert_int_equal(server.connections, 3);
        hdfs_free(&server);
    }
    assert_int_equal(
        ink__webhdfs_begin(&output, "webhdfs://127.0.0.1:1,127.0.0.1:1/f", &hasty, &heap, NULL),
        INK_IO);
}

TEST(what_cannot_be_removed_is_no_second_failure)
{
    const hdfs_strange strange = {FILLING, .count = 2, .answer = "HTTP/1.1 500 x\r\n\r\n"};

    hdfs_begin(&server, &strange);
    CHECK_FAILS(put_to(10, &patient), INK_IO, "answered 500 to the bytes, expected 201");
    hdfs_end(&server);
    hdfs_free(&server);
}

TEST(a_path_that_is_too_long_is_refused)
{
    static const size_t lengths[] = {20000, 64600, 99000, 99000};
    static char         address[100000], expected[20000];

    hdfs_begin(&server, NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        address_twice(address, sizeof address);
        char *path = strstr(address, "/dir/") + 1;
        memset(path, i == 3 ? ' ' : 'p', lengths[i]); /* a blank takes three bytes */
        path[lengths[i]] = '\0';
        ink_status status = put(address, 1, 1, &patient);
        if (i == 0)
            CHECK_OK(status);
        else
            CHECK_FAILS(status, INK_LIMIT,
                        i < 3 ? "bytes in a request, expected at most 64544"
                              : "a path that takes more than 131072 bytes in a request");
        CHECK(strstr(error.message, "none of") == NULL); /* the next would not take it either */
    }
    hdfs_end(&server);
    memset(expected, 'p', sizeof expected - 1);
    hdfs_check_logged(&server, expected);
    CHECK(!server.temporary.there);
    hdfs_free(&server);
}

/* ---- Refusals of our own system ----------------------------------------------------------- */

TEST(a_refusal_of_memory_is_one)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink__webhdfs *output;
    char          address[128];

    hdfs_begin(&server, NULL);
    hdfs_address(&server, address, sizeof address);
    for (memory.refuse_at = 1; memory.refuse_at <= 2; memory.refuse_at++) {
        memory.asked = 0;
        CHECK_FAILS(ink__webhdfs_begin(&output, address, &patient, &allocator, &error), INK_MEMORY,
                    "");
    }
    memory.refuse_at = memory.asked = 0;
    CHECK_OK(ink__webhdfs_begin(&output, address, &patient, &allocator, &error));
    assert_int_equal(memory.asked, 2); /* and none after that can fail */
    CHECK_OK(ink__webhdfs_write(output, bytes, 100000, &error));
    CHECK_OK(ink__webhdfs_commit(output, true, &error));
    assert_int_equal(memory.asked, 2);
    CHECK_FAILS(ink__webhdfs_begin(&output, "webhdfs://h/f", &patient, &allocator, &error),
                INK_USAGE, "");
    CHECK_FAILS(
        ink__webhdfs_begin(&output, "webhdfs://127.0.0.1:1/f", &patient, &allocator, &error),
        INK_IO, "");
    faults_check_no_leak(&memory);
    hdfs_end(&server);
    assert_int_equal(server.connections, 3);
    hdfs_free(&server);
}

/* One put in which the nth call of a kind fails; false: there was none. */
static bool check_fault(faults_call call, unsigned nth)
{
    char address[128];

    hdfs_begin(&server, NULL);
    snprintf(address, sizeof address, "webhdfs://localhost:%u/dir/file", (unsigned)server.port);
    memset(&error, 0, sizeof error);
    faults_system_begin(&(faults_plan){.call = call, .nth = nth, .os_error = EIO});
    ink_status status = put(address, 100000, 50000, &patient);
    faults_system_end();
    hdfs_end(&server);
    assert_int_equal(faults_open_files(), 0);
    assert_int_equal(faults_programs(), faults_struck() && call == FAULTS_FINISH ? 1 : 0);
    bool whole = hdfs_holds(&server.file, bytes, 100000);
    bool harmless = call == FAULTS_CLOSE || call == FAULTS_FINISH || call == FAULTS_END_SENDING;
    CHECK(!server.temporary.there && whole == server.file.there);
    if (!faults_struck() || harmless)
        CHECK_OK(status);
    if (status == INK_OK)
        CHECK(whole);
    else
        CHECK(status == INK_IO && error.os_error == EIO);
    hdfs_free(&server);
    return faults_struck();
}

TEST(a_file_is_whole_or_not_there_whichever_call_fails)
{
    unsigned struck[FAULTS_ANY] = {0};

    for (faults_call call = 0; call < FAULTS_ANY; call++)
        for (unsigned nth = 1; check_fault(call, nth); nth++)
            struck[call]++;
    assert_int_equal(struck[FAULTS_CONNECT], 3);
    assert_int_equal(struck[FAULTS_CONNECTED], 3);
    assert_int_equal(struck[FAULTS_START], 2);
    assert_int_equal(struck[FAULTS_FINISH], 2);
    CHECK(struck[FAULTS_SEND] >= 4 && struck[FAULTS_RECEIVE] >= 3 && struck[FAULTS_WAIT] >= 10);
}

/* What was possible a moment ago is not any more. */
TEST(a_call_that_would_wait_is_made_again)
{
    unsigned struck = 0;

    for (faults_call call = FAULTS_SEND; call <= FAULTS_RECEIVE; call++)
        for (unsigned nth = 1;; nth++) {
            hdfs_begin(&server, NULL);
            faults_system_begin(&(faults_plan){.call = call, .nth = nth, .os_error = EAGAIN});
            CHECK_OK(put_to(100000, &patient));
            faults_system_end();
            hdfs_end(&server);
            CHECK(hdfs_holds(&server.file, bytes, 100000));
            hdfs_free(&server);
            if (!faults_struck())
                break;
            struck++;
        }
    CHECK(struck >= 7);
}

TEST(an_abandoned_output_holds_nothing_whichever_call_fails)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    bool          struck = true;
    ink__webhdfs *output;
    char          address[128];

    for (unsigned nth = 1; struck; nth++) {
        hdfs_begin(&server, NULL);
        hdfs_address(&server, address, sizeof address);
        faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO});
        if (ink__webhdfs_begin(&output, address, &patient, &heap, &error) == INK_OK) {
            ink__webhdfs_write(output, bytes, 100000, &error);
            ink__webhdfs_abandon(output);
        }
        faults_system_end();
        struck = faults_struck();
        hdfs_end(&server);
        assert_int_equal(faults_open_files(), 0);
        CHECK(!server.file.there);
        CHECK(struck || !server.temporary.there);
        hdfs_free(&server);
    }
}

/* ---- Sockets with numbers of six ---------------------------------------------------------- */

TEST(an_address_of_six_is_written_in_brackets)
{
    CHECK_FAILS(put("webhdfs://[::1]:1/f", 1, 1, &patient), INK_IO, "cannot connect to [::1]:1: ");
    CHECK(error.os_error == ECONNREFUSED || error.os_error == EADDRNOTAVAIL ||
          error.os_error == EAFNOSUPPORT || error.os_error == ENETUNREACH);
}

RUN_TESTS(.begin = make_bytes, .before = hdfs_set_alarm, .after = hdfs_clear_alarm)
