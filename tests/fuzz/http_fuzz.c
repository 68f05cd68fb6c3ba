/* http_fuzz.c - answers of servers: whatever NameNodes and DataNodes say, cut anywhere, slowly, and
 * however it ends, a file in HDFS is read or written, or refused with one line; the same comes of
 * the same answers however they are cut; requests are whole ones, of which no server writes a line;
 * and no wait is longer than allowed.
 *
 * The first bytes of an input say what is done, how answers are cut and how their connections end;
 * then come the answers, one for each connection, with a byte 0xff between them. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "net/http.h"
#include "net/webhdfs_reader.h"
#include "net/webhdfs_writer.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/network.h"

#include <stdio.h>

enum { HEAD_BYTES = 4, MOST_BYTES = 1 << 13, ANSWERS_MAX = 12, FILE_BYTES_MAX = 1 << 17 };
#define BETWEEN "\xff"

/* ---- What is done ------------------------------------------------------------------------- */

typedef enum deed { READS, READS_PART, WRITES, TAKES, DEEDS } deed;

/* The bytes of the head are: the deed, and whether servers answer before they were asked; how many
 * NameNodes there are, and how connections end; how slowly bytes come; how they are cut. */
typedef struct script {
    deed         does;
    unsigned     nodes;
    network_peer peers[ANSWERS_MAX];
    size_t       count;
} script;

static void read_script(script *to, const uint8_t *bytes, size_t count)
{
    static const uint64_t pauses[] = {0, 0, 0, 1000000, 400000000, 3000000000u};
    const uint8_t        *at = bytes + HEAD_BYTES, *end = bytes + count;
    network_end_kind      ends = (network_end_kind)(bytes[1] / 4 % 3);

    *to = (script){.does = (deed)(bytes[0] % DEEDS), .nodes = 1 + bytes[1] % 3};
    while (to->count < ANSWERS_MAX) {
        const uint8_t *next = memchr(at, 0xff, (size_t)(end - at));
        size_t         bytes_here = (size_t)((next == NULL ? end : next) - at);
        to->peers[to->count++] = (network_peer){
            .bytes = at,
            .count = bytes_here,
            .until = bytes[0] / 16 % 2 == 0 ? "0\r\n\r\n" : NULL, /* how requests end */
            .end = bytes[1] / 12 % 2 == 0 ? ends : NETWORK_CLOSES,
            .piece = 1 + (size_t)(bytes[2] / 8) * 10,
            .pause = pauses[bytes[2] % 6],
        };
        if (next == NULL)
            break;
        at = next + 1;
    }
}

/* ---- Where it begins ---------------------------------------------------------------------- */

#define OK "HTTP/1.1 200 OK\r\n"
#define JSON OK "Content-Type: application/json\r\n"
#define SEND_ON "HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\n"
#define THERE SEND_ON "Location: http://127.0.0.1:9864/webhdfs/v1/dir/file?op=OPEN&offset=0\r\n\r\n"
#define STATUS(length)                                                                             \
    JSON "\r\n{\"FileStatus\":{\"length\":" length ",\"type\":\"FILE\",\"owner\":\"\\u00e9\"}}"
#define STANDBY                                                                                    \
    "HTTP/1.1 403 Forbidden\r\n\r\n{\"RemoteException\":{\"exception\":\"StandbyException\","      \
    "\"message\":\"Operation category READ is not supported\\nat org\"}}"
#define CREATED "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
#define RENAMED JSON "Content-Length: 16\r\n\r\n{\"boolean\": true}"

static const struct {
    uint8_t     head[HEAD_BYTES];
    bool        goes_well;
    const char *answers;
} dialogs[] = {
    {{READS}, true, STATUS("5") BETWEEN THERE BETWEEN OK "Content-Length: 5\r\n\r\nhello"},
    {{READS, 1, 0, 3},
     true,
     STANDBY BETWEEN STATUS("5") BETWEEN THERE BETWEEN OK
     "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n02\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n"},
    {{READS, 0, 0, 5}, true, STATUS("5") BETWEEN THERE BETWEEN OK "\r\nhello"},
    {{READS, 0, 0, 2},
     true,
     STATUS("5") BETWEEN THERE BETWEEN OK "Content-Length: 5\r\n\r\nhe" BETWEEN THERE BETWEEN OK
                                          "Content-Length: 3\r\n\r\nllo"},
    {{READS, 0, 0, 1},
     true,
     STATUS("5") BETWEEN SEND_ON "location:\t/webhdfs/v1/other?op=OPEN \r\n\r\n" BETWEEN
                                 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 x\r\nA: b\r\n\r\n" OK
                                 "\r\nhello"},
    {{READS_PART, 0, 0, 7},
     false,
     STATUS("70000") BETWEEN THERE BETWEEN OK "Content-Length: 4000\r\n\r\nhello world"},
    {{READS}, false, STATUS("18446744073709551615") BETWEEN THERE BETWEEN OK "\r\nhello"},
    {{READS}, false, JSON "\r\n{\"FileStatus\":{\"length\":0,\"type\":\"DIRECTORY\"}}"},
    {{READS}, false, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\n\r\n"},
    {{READS, 8, 3, 7}, true, STATUS("5") BETWEEN THERE BETWEEN OK "Content-Length: 5\r\n\r\nhello"},
    {{WRITES}, true, THERE BETWEEN CREATED BETWEEN RENAMED},
    {{WRITES, 1, 0, 9}, true, STANDBY BETWEEN THERE BETWEEN CREATED BETWEEN RENAMED},
    {{WRITES, 0, 0, 4},
     false,
     THERE BETWEEN "HTTP/1.1 100 Continue\r\n\r\n" CREATED BETWEEN JSON
                   "\r\n{\"boolean\": false}" BETWEEN              JSON "\r\n{\"boolean\":true}"},
    {{WRITES, 4, 0, 4},
     false,
     THERE BETWEEN "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "40\r\n{\"RemoteException\":{\"exception\":\"AccessControlException\","
                   "\"mess\r\n1b\r\nage\":\"Permission denied\"}}   \r\n0\r\n\r\n" BETWEEN RENAMED},
    {{WRITES + 16}, false, THERE BETWEEN CREATED BETWEEN RENAMED},
    {{READS + 16}, true, STATUS("5") BETWEEN THERE BETWEEN OK "Content-Length: 5\r\n\r\nhello"},
    {{TAKES, 0, 0, 3}, true, OK "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabcd"},
    {{TAKES, 0, 1, 6}, true, OK "transfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"},
};
enum { DIALOGS = sizeof dialogs / sizeof dialogs[0] };

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= DIALOGS)
        return SIZE_MAX;
    return fuzz_put(to, room, dialogs[index].head, dialogs[index].answers,
                    strlen(dialogs[index].answers));
}

/* Words that mean something in an answer. */
static const char words[] =
    "\r\n|\r\n\r\n|\n|HTTP/1.1 |HTTP/1.0 404 x\r\n|Content-Length: |"
    "Content-Length: 18446744073709551616\r\n|Transfer-Encoding: chunked\r\n|Location: |"
    "Location: http://[::1]:80/x\r\n|Location: https://a/\r\n|Location: http://a b/\r\n|"
    "Location: http://-o:1/x\r\n|307|200|500|100|0\r\n\r\n|ffffffffffffffff\r\n|7fffffff\r\n|"
    "1\r\n|-1|0|\xff|{|}|\"|[[[[[[[[|\\u0000|\\n|null|{\"RemoteException\":{\"message\":\"|:|"
    "http://127.0.0.1:0/|http://127.0.0.1:65536/x| |\t|;|\r|\x80|1e3|" THERE
    "|" STATUS("3") "|" STANDBY "|" CREATED "|" RENAMED "|" OK;

/* ---- Deeds -------------------------------------------------------------------------------- */

static const ink__patience patience = {1000, 2000, 10};

typedef struct outcome {
    ink_status status;
    ink_error  error;
    size_t     connections, count;
    uint8_t    bytes[FILE_BYTES_MAX]; /* that were read */
} outcome;

static void read_file(const script *of, const ink_allocator *allocator, outcome *found)
{
    static const char *const addresses[] = {
        "webhdfs://127.0.0.1:1/dir/file", "webhdfs://127.0.0.1:1,127.0.0.1:2/dir/a?b?user.name=me",
        "webhdfs://127.0.0.1:1,[::1]:2,127.0.0.1:3/dir/f?user.name=\xc3\xa9 x"};
    bool                 part = of->does == READS_PART;
    ink__webhdfs_reader *reader;
    uint64_t             more;

    found->status = ink__webhdfs_open(&reader, addresses[of->nodes - 1], part ? 2 : 0,
                                      part ? 4 : UINT64_MAX, &patience, allocator, &found->error);
    if (found->status != INK_OK) {
        assert_null(reader);
        return;
    }
    do {
        uint64_t room = FILE_BYTES_MAX - found->count < 1000 ? FILE_BYTES_MAX - found->count : 1000;
        found->status =
            ink__webhdfs_read(reader, found->bytes + found->count, room, &more, &found->error);
        found->count += found->status == INK_OK ? (size_t)more : 0;
        if (more < room)
            break;
    } while (found->status == INK_OK && found->count < FILE_BYTES_MAX);
    assert_true(found->status != INK_OK ||
                found->count <= ink__webhdfs_length(reader) - (part ? 2 : 0));
    ink__webhdfs_close(reader);
}

static void write_file(const script *of, const ink_allocator *allocator, outcome *found)
{
    static const char *const addresses[] = {"webhdfs://127.0.0.1:1/dir/file",
                                            "webhdfs://127.0.0.1:1,127.0.0.1:2/f?user.name=x",
                                            "webhdfs://unknown:1,127.0.0.1:2/f"};
    static uint8_t           bytes[70000]; /* a chunk and something */
    ink__webhdfs            *output;

    found->status =
        ink__webhdfs_begin(&output, addresses[of->nodes - 1], &patience, allocator, &found->error);
    if (found->status != INK_OK)
        return;
    found->status = ink__webhdfs_write(output, bytes, sizeof bytes, &found->error);
    if (found->status != INK_OK && of->nodes == 3)
        ink__webhdfs_abandon(output);
    else
        found->status = ink__webhdfs_commit(output, true, &found->error);
}

/* One answer, without anything of HDFS. */
static void take_answer(outcome *found)
{
    static ink__http http;
    const ink__host  host = {.name = "127.0.0.1", .port = 1};
    ink__answer      answer;
    size_t           more = 1;

    memset(&http, 0, sizeof http);
    found->status = ink__http_open(&http, &host, &patience, &found->error);
    if (found->status == INK_OK)
        found->status = ink__http_ask(&http, &host, "GET", "/x", 2, false, &found->error);
    if (found->status == INK_OK)
        found->status = ink__http_answer(&http, &answer, &found->error);
    if (found->status == INK_OK)
        found->status = ink__http_begin_body(&http, &answer, &found->error);
    while (found->status == INK_OK && more > 0) {
        assert_true(found->count < FILE_BYTES_MAX); /* there are no more in an input */
        found->status = ink__http_take(&http, &answer, found->bytes + found->count,
                                       FILE_BYTES_MAX - found->count, &more, &found->error);
        found->count += more;
    }
    ink__disconnect(&http.connection);
}

/* ---- Trial -------------------------------------------------------------------------------- */

/* A request has the lines that are written here, and none that a server has brought into it. */
static void check_request(const uint8_t *sent, size_t count)
{
    static const char *const lines[] = {"Host: ",      "User-Agent: ink",
                                        "Accept: */*", "Connection: close",
                                        "Content-",    "Transfer-Encoding: chunked"};
    const uint8_t           *at = sent, *end = sent + count;
    unsigned                 number = 0;

    for (const uint8_t *next; at < end; at = next + 2, number++) {
        next = memchr(at, '\r', (size_t)(end - at));
        if (next == NULL || next + 2 > end || next == at) /* not all of it was sent; or its end */
            return;
        assert_true(next[1] == '\n');
        for (const uint8_t *byte = at; byte < next; byte++)
            assert_true(*byte >= ' ' && *byte < 0x7f);
        bool known = number == 0 && next - at > 9 && memcmp(next - 9, " HTTP/1.1", 9) == 0;
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            known = known || (number > 0 && (size_t)(next - at) >= strlen(lines[i]) &&
                              memcmp(at, lines[i], strlen(lines[i])) == 0);
        if (!known)
            fail_msg("a line of a request: %.*s", (int)(next - at), (const char *)at);
    }
    assert_true(number < 8);
}

static void act(const script *of, uint64_t draws, outcome *found)
{
    faults_memory       memory = {.unfilled = true};
    const ink_allocator allocator = faults_allocator(&memory);

    memset(found, 0, offsetof(outcome, bytes));
    network_begin(&(network_plan){.peers = of->peers, .count = of->count, .draws = draws});
    if (of->does == WRITES)
        write_file(of, &allocator, found);
    else if (of->does == TAKES)
        take_answer(found);
    else
        read_file(of, &allocator, found);
    network_end();
    found->connections = network_connections();
    assert_int_equal(network_open(), 0);
    faults_check_no_leak(&memory);
    assert_true(memory.most_bytes < 1 << 19);
    if (found->status != INK_OK) {
        assert_true(found->status == INK_IO || found->status == INK_LIMIT);
        assert_true(strlen(found->error.message) > 10);
        assert_null(strpbrk(found->error.message, "\r\n"));
    }
    for (size_t i = 0; i < found->connections; i++) {
        size_t         count;
        const uint8_t *sent = network_sent(i, &count);
        if (count > 0)
            check_request(sent, count);
    }
    /* Of a connection: to connect, to send, the answer, its body; and the pauses between them. */
    uint64_t allowed = (uint64_t)(found->connections + of->nodes) *
                           (4 * (uint64_t)patience.silence + 8 * (uint64_t)patience.pause) +
                       4 * (uint64_t)patience.connect;
    if (network_passed() / 1000000 > allowed)
        fail_msg("%llu ms for %zu connections, expected at most %llu",
                 (unsigned long long)network_passed() / 1000000, found->connections,
                 (unsigned long long)allowed);
}

/* Dialogs to begin with get where they are meant to. */
static void begin(void)
{
    static script  of;
    static outcome found;
    static uint8_t bytes[MOST_BYTES];

    for (unsigned i = 0; i < DIALOGS; i++) {
        size_t count = seed(i, bytes, sizeof bytes);
        read_script(&of, bytes, count);
        act(&of, 0, &found);
        if ((found.status == INK_OK) != dialogs[i].goes_well)
            fail_msg("dialog %u: %s", i, found.error.message);
        if (found.status == INK_OK && of.does == READS)
            assert_true(found.count == 5 && memcmp(found.bytes, "hello", 5) == 0);
    }
}

static void attempt(const uint8_t *bytes, size_t count)
{
    static script  of;
    static outcome whole, cut;

    read_script(&of, bytes, count);
    act(&of, 0, &whole);
    act(&of, 1 + (uint64_t)bytes[3], &cut);
    /* What comes too late depends on how it is cut. */
    for (size_t i = 0; i < of.count; i++)
        if (of.peers[i].pause != 0 || of.peers[i].end != NETWORK_CLOSES)
            return;
    if (whole.status != cut.status || whole.connections != cut.connections)
        fail_msg("%s after %zu connections: \"%s\", cut otherwise %s after %zu: \"%s\"",
                 ink_status_name(whole.status), whole.connections, whole.error.message,
                 ink_status_name(cut.status), cut.connections, cut.error.message);
    assert_int_equal(whole.count, cut.count);
    assert_memory_equal(whole.bytes, cut.bytes, whole.count);
}

const fuzz_target fuzz_here = {
    .name = "http",
    .most_bytes = MOST_BYTES,
    .head_bytes = HEAD_BYTES,
    .rounds = 5000,
    .begin = begin,
    .seed = seed,
    .words = words,
    .attempt = attempt,
};
