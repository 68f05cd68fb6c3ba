/* sockets_fuzz.c - data from sockets: questions, which are answered line by line from
 * sketches, and records, of which whole ones are taken. Whatever is sent over several connections
 * at once, cut anywhere, half closed, broken off or never ended, each question gets its answer, one
 * whole line, and each connection is given exactly the answers, or its records taken, that it would
 * have been without the others and in one piece.
 *
 * The first bytes of an input say which of the two it is, how everything is cut and how connections
 * end; then comes what they send, with a byte 0xff between them. A byte 0xfe stands for 10 times
 * the one before it, or for 1000 times, so that lines can be too long, if the head says so. Lines
 * are never that many: each is a question, and a thousand of them say no more than a hundred. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "input/live/live_source.h"
#include "jobs/stream/query_server.h"
#include "stream/answer_lines.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/network.h"

#include <errno.h>
#include <stdio.h>

enum {
    HEAD_BYTES = 4,
    MOST_BYTES = 1 << 12,
    PEERS_MAX = 6,
    SENT_MAX = 90000, /* by all of them ... */
    LINES_MAX = 200,  /* ... and what comes after these is not sent */
    LONG_LINES = 128, /* in the head */
    TURNS_MAX = 2000000,
    TAKES_NOTHING = 192, /* in the head: too slow to be waited for */
};
#define SECOND ((uint64_t)1000000000)

static ink_error error;

/* ---- Views, which answers are made from --------------------------------------------------- */

enum { SKETCHES = 3 };

struct ink_stream_view {
    ink_stream_report report;
    ink_sketch       *sketches[SKETCHES];
};

static ink_stream_view view;

const ink_stream_report *ink_stream_view_report(const ink_stream_view *of)
{
    return &of->report;
}

size_t ink_stream_view_count(const ink_stream_view *of)
{
    (void)of;
    return SKETCHES;
}

ink_status ink_stream_view_sketch(const ink_stream_view *of, size_t index,
                                  const ink_sketch **sketch, ink_error *to)
{
    (void)to;
    if (index >= SKETCHES)
        return INK_NOT_FOUND;
    *sketch = of->sketches[index];
    return INK_OK;
}

ink_status ink_stream_view_rate(const ink_stream_view *of, size_t index, double *rate,
                                ink_error *to)
{
    return ink_sketch_rate(of->sketches[index], rate, to);
}

void ink_stream_now(ink_stream *stream, ink_stream_report *report)
{
    (void)stream;
    *report = (ink_stream_report){.saved_batches = 7, .questions = 3, .seconds = 1.5};
}

static void begin(void)
{
    static const ink_params params[SKETCHES] = {
        {.kind = "bloom", .bits = 256}, {.kind = "top", .phi = 0.01}, {.kind = "hll"}};
    char key[8];

    for (size_t i = 0; i < SKETCHES; i++) {
        CHECK_OK(ink_sketch_create(&view.sketches[i], &params[i], NULL, &error));
        for (unsigned k = 0; k < 60; k++) {
            int bytes = snprintf(key, sizeof key, "%c%u", k % 5 == 0 ? '\t' : 'k', k % 30);
            CHECK_OK(ink_sketch_add(view.sketches[i], key, (size_t)bytes, &error));
        }
    }
}

/* ---- Where it begins ---------------------------------------------------------------------- */

#define BETWEEN "\xff"
#define LONG "x\xfe\xfe\xfe\xfe\xfe\xfe\xfe\xfe\xfe\xfe"
#define TOO_LONG LONG LONG LONG LONG LONG LONG LONG

static const struct {
    uint8_t     head[HEAD_BYTES];
    const char *sent;
} dialogs[] = {
    {{0}, "k1\nCOUNT k2\nTOP\nDISTINCT\n"},
    {{0, 3, 1}, "k1\r\n?k1\n=k1\n\nTOP 3" BETWEEN "STATS\nHELP\nCOUNT\n" BETWEEN "\n\n\n"},
    {{128, 0, 2}, TOO_LONG "\nk1\n" BETWEEN "k1\n" TOO_LONG BETWEEN "TOP 99999\n"},
    {{2, 5, 3}, "TOP\nTOP\nTOP\nTOP" BETWEEN "BATCH\nk1\tk2\nCOUNT a\tb" BETWEEN "\x80\xc3\n"},
    {{4, 1, 4}, "k1\n\0k2\n"},
    {{128 + 6, 7, 5}, "DISTINCT\n" BETWEEN LONG LONG "\nCOUNT " LONG "\n"},
    {{1, 0, 1}, "one\ntwo\r\nthree" BETWEEN "four\n\nfive\n" BETWEEN ""},
    {{128 + 3, 1, 7}, "a,\"x\ny\"\nb\n" BETWEEN "\"\n\n" BETWEEN "c" BETWEEN TOO_LONG "\n"},
    {{128 + 5, 2, 9}, LONG BETWEEN LONG BETWEEN LONG "\n" BETWEEN "short\n"},
};
enum { DIALOGS = sizeof dialogs / sizeof dialogs[0] };

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= DIALOGS)
        return SIZE_MAX;
    return fuzz_put(to, room, dialogs[index].head, dialogs[index].sent,
                    strlen(dialogs[index].sent));
}

static const char words[] =
    "\n|\r\n|\r|\n\n\n\n|COUNT |TOP |TOP "
    "3\n|DISTINCT\n|STATS\n|BATCH\n|?|=|k1\n|k2|\t|\"|\xff|\xfe|" LONG "|" TOO_LONG
    "|0|10000|10001|-1|99999999999999999999\n|\x80|\xc3\xa9| |a,b\n|count k|HELP\n";

/* ---- Who sends what ----------------------------------------------------------------------- */

/* The bytes of the head are: what comes, and how it is asked or cut into records; how connections
 * end, two bits each; what is drawn; how slowly answers are taken. */
static struct {
    bool         records;
    unsigned     how;
    network_peer peers[PEERS_MAX];
    size_t       count;
    uint8_t      sent[SENT_MAX];
    size_t       used; /* of these */
} now;

/* Adds a byte, or repeats the one before it; *lines are those that may still come. */
static size_t expand(uint8_t byte, bool more, size_t start, size_t used, size_t *lines)
{
    size_t  times = byte != 0xfe ? 1 : more ? 1000 : 10, left = SENT_MAX - used;
    uint8_t what = times == 1 || used == start ? byte : now.sent[used - 1];

    left = what == '\n' && *lines < left ? *lines : left;
    times = times < left ? times : left;
    memset(now.sent + used, what, times);
    *lines -= what == '\n' ? times : 0;
    return used + times;
}

static void read_script(const uint8_t *bytes, size_t count)
{
    static const network_end_kind ends[] = {NETWORK_CLOSES, NETWORK_CLOSES, NETWORK_STAYS,
                                            NETWORK_RESETS};
    size_t                        used = 0, start = 0, lines = LINES_MAX;

    now.records = bytes[0] % 2 == 1;
    now.how = bytes[0] / 2 % 64;
    now.count = 0;
    for (size_t i = HEAD_BYTES; now.count < PEERS_MAX; i++) {
        if (i < count && bytes[i] != 0xff) {
            used = expand(bytes[i], bytes[0] >= LONG_LINES, start, used, &lines);
            continue;
        }
        bool slow = bytes[3] % 4 == now.count;
        now.peers[now.count] = (network_peer){
            .bytes = now.sent + start,
            .count = used - start,
            .end = ends[bytes[1] >> now.count % 4 * 2 & 3],
            .takes = slow ? 1 + (size_t)bytes[3] * 64 + used / 64 : 0,
            .pause = slow && !now.records && bytes[3] >= TAKES_NOTHING ? 100 * SECOND : 0,
        };
        now.count++;
        start = used;
        if (i >= count)
            break;
    }
    now.used = used;
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* What an answer, or all of them, come to. */
typedef struct page {
    uint8_t *bytes;
    size_t   count, room;
} page;

static page expected[PEERS_MAX];

static int write_page(void *host, const void *bytes, size_t count)
{
    page *to = host;

    if (to->count + count > to->room) {
        to->room = 2 * (to->count + count);
        to->bytes = realloc(to->bytes, to->room);
        assert_non_null(to->bytes);
    }
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
    return 0;
}

static ink_status answer(void *host, const uint8_t *question, size_t bytes, const ink_sink *to,
                         ink_error *why)
{
    /* At the end of a piece of memory of its own, so that a sanitizer sees who reads on. */
    uint8_t *copy = malloc(bytes + (bytes == 0));

    assert_non_null(copy);
    memcpy(copy, question, bytes);
    ink_status status = answer_lines_answer(host, &view, copy, bytes, to, why);
    free(copy);
    return status;
}

/* The answer to one question, put after those before it. */
static void expect(answer_lines *q, page *to, const uint8_t *question, size_t bytes)
{
    const ink_sink sink = {write_page, to};
    size_t         before = to->count;
    char           line[INK_MESSAGE_BYTES + 32] = "ERR ";
    ink_error      why = {0};

    if (bytes > INK__QUESTION_BYTES) {
        static const char text[] =
            "ERR a question of more than 65536 bytes, expected at most that in a line\n";
        write_page(to, text, sizeof text - 1);
        return;
    }
    if (answer(q, question, bytes, &sink, &why) != INK_OK) {
        size_t used = 4 + ink_error_text(&why, line + 4, sizeof line - 5);
        assert_true(used > 10 && strpbrk(line, "\r\n") == NULL);
        for (size_t i = 0; i < used; i++)
            line[i] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
        line[used++] = '\n';
        to->count = before;
        write_page(to, line, used);
    }
    if (to->count == before) /* only if those that were not seen are not answered */
        assert_true(q->seen || bytes == 0);
    else
        assert_true(memchr(to->bytes + before, '\n', to->count - before) ==
                    to->bytes + to->count - 1);
}

static void expect_answers(answer_lines *q, const network_peer *peer, page *to)
{
    const uint8_t *at = peer->bytes, *end = at + peer->count;

    to->count = 0;
    while (at < end) {
        const uint8_t *line = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *stop = line != NULL ? line : end;
        bool           too_long = stop - at > INK__QUESTION_BYTES + 1;
        /* One that has not ended is none before its connection has, unless it is too long anyway;
         * one that breaks may be. */
        if (line == NULL && peer->end != NETWORK_CLOSES && !too_long)
            return;
        expect(q, to, at, (size_t)(stop - at) - (stop > at && stop[-1] == '\r'));
        at = line != NULL ? line + 1 : end;
    }
}

/* Whether a connection may end before all its answers were taken. */
static bool may_break(size_t i)
{
    return now.peers[i].end == NETWORK_RESETS || now.peers[i].pause > 0;
}

/* Whether everybody has got what is expected, or is left. */
static bool is_done(void)
{
    for (size_t i = 0; i < now.count; i++) {
        size_t count;
        network_sent(i, &count);
        if (count < expected[i].count && (!may_break(i) || !network_left(i)))
            return false;
    }
    return network_connections() == now.count;
}

static void check_answers(void)
{
    for (size_t i = 0; i < now.count; i++) {
        size_t         count;
        const uint8_t *sent = network_sent(i, &count);
        if (may_break(i) ? count > expected[i].count : count != expected[i].count)
            fail_msg("connection %zu got %zu bytes of answers, expected %zu", i, count,
                     expected[i].count);
        if (count > 0 && memcmp(sent, expected[i].bytes, count) != 0)
            fail_msg("connection %zu got other answers", i);
    }
}

static void converse(const ink_allocator *allocator)
{
    answer_lines q = {.json = now.how & 1, .seen = now.how & 2, .key_columns = now.how & 4 ? 2 : 0};
    const ink__query_server_rule rule = {.address = "tcp://127.0.0.1:0",
                                         .by = {answer, &q, *allocator}};
    ink__query_server           *server;
    bool                         ended;
    unsigned                     turns = 0, quiet = 0;

    for (size_t i = 0; i < now.count; i++)
        expect_answers(&q, &now.peers[i], &expected[i]);
    CHECK_OK(ink__query_server_open(&server, &rule, &error));
    while (quiet < 3) { /* and then it says nothing more */
        quiet += is_done();
        CHECK_OK(ink__query_server_serve(server, 10000, &ended, &error));
        assert_false(ended);
        if (++turns > TURNS_MAX) {
            check_answers();
            fail_msg("no end of serving");
        }
    }
    check_answers();
    ink__query_server_close(server);
    answer_lines_end(&q);
}

/* ---- Records ------------------------------------------------------------------------------ */

static unsigned closed; /* connections that were closed for what they sent */

static void notify(void *host, const char *message)
{
    (void)host;
    closed += strstr(message, ": closed") != NULL;
}

/* Takes a chunk, which goes on where the one before it of its connection has ended. */
static void take_chunk(const ink__live_chunk *live, bool *ended)
{
    size_t i = (size_t)live->connection - 1;
    page  *taken = &expected[i];

    assert_true(i < network_connections() && !ended[i]);
    assert_int_equal(live->chunk.offset, taken->count);
    if (live->chunk.count > 0)
        write_page(taken, live->chunk.bytes, (size_t)live->chunk.count);
    ended[i] = live->last;
}

/* What was taken of a connection are its records: all of them if it has ended well. */
static void check_records(const ink__record_rule *rule, const bool *ended)
{
    for (size_t i = 0; i < now.count; i++) {
        const network_peer *peer = &now.peers[i];
        uint64_t            whole = ink__records_last(rule, peer->bytes, peer->count);
        size_t              all = peer->end == NETWORK_CLOSES ? peer->count : (size_t)whole;
        if (closed == 0 && expected[i].count != all)
            fail_msg("%zu bytes of records of connection %zu, expected %zu", expected[i].count, i,
                     all);
        assert_true(expected[i].count <= all);
        if (expected[i].count > 0)
            assert_memory_equal(expected[i].bytes, peer->bytes, expected[i].count);
        assert_true(closed > 0 || ended[i] == (peer->end != NETWORK_STAYS));
    }
}

static void take_records(const ink_allocator *allocator)
{
    static const char *const address[] = {"tcp://127.0.0.1:0"};
    static const struct {
        ink__record_rule rule;
    } forms[] = {{{.form = INK__RECORDS_ENDED, .end = '\n'}},
                 {{.form = INK__RECORDS_QUOTED, .end = '\n'}},
                 {{.form = INK__RECORDS_FIXED, .width = 8}}};
    const ink__live_rule rule = {.addresses = address,
                                 .count = 1,
                                 .records = forms[now.how % 3].rule,
                                 .chunk_bytes = 1 + now.how * 40 + now.used / 64,
                                 .partial_bytes = now.how % 5 == 0 ? 20000 : 0,
                                 .notify = notify};
    ink__live_source    *source;
    ink__live_chunk      live = {0};
    ink__live_state      what;
    bool                 ended[PEERS_MAX] = {false};
    unsigned             turns = 0, quiet = 0;

    closed = 0;
    for (size_t i = 0; i < now.count; i++)
        expected[i].count = 0;
    CHECK_OK(ink__live_source_open(&source, &rule, allocator, NULL, &error));
    /* No connection sends for long. */
    while (quiet < 40) {
        uint64_t until = SECOND + network_passed() + 10 * SECOND;
        CHECK_OK(ink__live_source_next(source, &live, until, &what, NULL, &error));
        assert_true(what != INK__LIVE_END && ++turns < TURNS_MAX);
        quiet = what == INK__LIVE_NOTHING ? quiet + 1 : 0;
        if (what == INK__LIVE_RECORDS)
            take_chunk(&live, ended);
    }
    ink__live_source_release(source, &live);
    ink__live_source_close(source);
    check_records(&rule.records, ended);
}

/* ---- Trial -------------------------------------------------------------------------------- */

static void attempt(const uint8_t *bytes, size_t count)
{
    faults_memory       memory = {.unfilled = true};
    const ink_allocator allocator = faults_allocator(&memory);

    read_script(bytes, count);
    network_begin(
        &(network_plan){.peers = now.peers, .count = now.count, .draws = (uint64_t)bytes[2]});
    if (now.records)
        take_records(&allocator);
    else
        converse(&allocator);
    network_end();
    assert_int_equal(network_open(), 0);
    faults_check_no_leak(&memory);
}

const fuzz_target fuzz_here = {
    .name = "sockets",
    .most_bytes = MOST_BYTES,
    .head_bytes = HEAD_BYTES,
    .rounds = 3000,
    .begin = begin,
    .seed = seed,
    .words = words,
    .attempt = attempt,
};
