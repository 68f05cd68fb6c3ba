/* client_session_test.c - however the bytes of questions come in, and however slowly answers are
 * taken, each line gets its answer, in order, and no more is kept than was promised. */
#include "jobs/stream/client_session.h"

#include "base/memory.h"
#include "base/status.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;

/* ---- Who answers -------------------------------------------------------------------------- */

/* Answers "<question>" in two pieces; "quiet" not at all; "fail ..." fails after half an answer; of
 * "more" comes a long line. */
static ink_status answer(void *host, const uint8_t *question, size_t bytes, const ink_sink *to,
                         ink_error *trouble)
{
    static char line[100000];

    (void)host;
    if (bytes == 5 && memcmp(question, "quiet", 5) == 0)
        return INK_OK;
    if (bytes == 4 && memcmp(question, "more", 4) == 0) {
        memset(line, 'm', sizeof line - 1);
        line[sizeof line - 1] = '\n';
        return to->write(to->host, line, sizeof line) == 0
                   ? INK_OK
                   : ink__fail(trouble, INK_IO, INK_NOWHERE, 0, "not written");
    }
    to->write(to->host, "<", 1);
    to->write(to->host, question, bytes);
    if (bytes >= 4 && memcmp(question, "fail", 4) == 0) { /* in words of its own */
        *trouble = (ink_error){.status = INK_USAGE,
                               .location = INK_AT_BYTE,
                               .at = 7,
                               .message = "found a\nb\r\x01, expected c"};
        return INK_USAGE;
    }
    to->write(to->host, ">\n", 2);
    return INK_OK;
}

/* A session, its answers that were taken, and how many there were. */
typedef struct talk {
    ink__client_session session;
    ink__answerer       by;
    records_bytes       got;
    _Atomic uint64_t    answered;
} talk;

#define TALK OWNED(end_talk) talk

static talk begin_talk(const ink_allocator *allocator)
{
    return (talk){.by = {.answer = answer, .allocator = ink__allocator_or_heap(allocator)}};
}

static void end_talk(talk *with)
{
    ink__client_session_release(&with->session, &with->by.allocator);
    records_bytes_free(&with->got);
}

static void hear(talk *with, const void *bytes, size_t count)
{
    CHECK_OK(ink__client_session_hear(&with->session, &with->by, bytes, count, &error));
}

static void reply(talk *with, uint64_t most)
{
    CHECK_OK(ink__client_session_answer(&with->session, &with->by, most, &with->answered, &error));
}

/* Takes at most `most` bytes of the answers. */
static void take_answers(talk *with, uint64_t most)
{
    uint64_t pending = ink__client_session_pending(&with->session);
    uint64_t taken = pending < most ? pending : most;

    records_put(&with->got, with->session.answers + with->session.taken, (size_t)taken);
    ink__client_session_taken(&with->session, &with->by.allocator, taken);
}

#define TOO_LONG "ERR a question of more than 65536 bytes, expected at most that in a line\n"

/* What a whole query server gives, worked out here in another way: with all of it at hand. */
static void expect(records_bytes *to, const uint8_t *bytes, size_t count, uint64_t *questions)
{
    for (size_t at = 0, end; at < count; at = end + 1) {
        for (end = at; end < count && bytes[end] != '\n'; end++)
            ;
        size_t length = end - at;
        if (length > 0 && bytes[at + length - 1] == '\r')
            length--;
        ++*questions;
        if (length > INK__QUESTION_BYTES)
            records_say(to, TOO_LONG);
        else if (length >= 4 && memcmp(bytes + at, "fail", 4) == 0)
            records_say(to, "ERR byte 7: found a b  , expected c\n");
        else if (length != 5 || memcmp(bytes + at, "quiet", 5) != 0) {
            records_put(to, "<", 1);
            records_put(to, bytes + at, length);
            records_put(to, ">\n", 2);
        }
    }
}

/* ---- What comes in ------------------------------------------------------------------------ */

/* Says `bytes` in pieces of at most `piece`, and takes everything at once. */
static void check_says(const void *bytes, size_t count, size_t piece)
{
    TALK        with = begin_talk(NULL);
    owned_bytes wanted = {0};
    uint64_t    questions = 0;

    for (size_t at = 0; at < count; at += piece) {
        hear(&with, (const uint8_t *)bytes + at, count - at < piece ? count - at : piece);
        do {
            reply(&with, UINT64_MAX);
            take_answers(&with, UINT64_MAX);
        } while (with.session.more);
    }
    with.session.ended = true;
    hear(&with, NULL, 0);
    reply(&with, UINT64_MAX);
    take_answers(&with, UINT64_MAX);
    assert_false(with.session.more);
    expect(&wanted, bytes, count, &questions);
    assert_int_equal(with.got.count, wanted.count);
    assert_true(wanted.count == 0 || memcmp(with.got.bytes, wanted.bytes, wanted.count) == 0);
    assert_true(with.answered == questions);
}

TEST(a_line_is_a_question)
{
    static const char text[] =
        "bees\nfail\nquiet\n\nants\r\n\r\nfa\0il\n\0\nfailed\n\xff\xfe\na\rb\n"
        "\r\r\nlast\r";

    for (size_t count = 0; count < sizeof text; count++)
        for (size_t piece = 1; piece <= count; piece++)
            check_says(text, count, piece);
}

TEST(an_answer_that_fails_is_one_line)
{
    TALK with = begin_talk(NULL);

    hear(&with, "a\nfail\nb\n", 9);
    reply(&with, UINT64_MAX);
    take_answers(&with, UINT64_MAX);
    CHECK(records_are(&with.got, "<a>\nERR byte 7: found a b  , expected c\n<b>\n"));
}

TEST(a_question_has_at_most_64_kib)
{
    static const char *const ends[] = {"\n", "\r\n", "", "\r", "\nnext\n", "\r\nnext", "\rx\nnext"};
    static char              text[INK__QUESTION_BYTES + 200000];
    static const size_t      extras[] = {0, 1, 2, 3, 100000};
    static const size_t      pieces[] = {sizeof text, 65536, 65537, 4096, 1};

    for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++)
        for (size_t x = 0; x < sizeof extras / sizeof extras[0]; x++)
            for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
                size_t bytes = INK__QUESTION_BYTES + extras[x], end = strlen(ends[e]);
                if (pieces[p] == 1 && (e > 1 || extras[x] > 1 || records_light()))
                    continue; /* takes long, and says nothing new */
                memset(text, 'q', bytes);
                memcpy(text + bytes, ends[e], end);
                check_says(text, bytes + end, pieces[p]);
            }
}

/* A question without an end is refused when it is too long, not when its end comes; and what it is
 * of is not kept. */
TEST(a_question_without_end_takes_no_memory)
{
    static uint8_t text[INK__QUESTION_BYTES];
    faults_memory  memory = {0};
    ink_allocator  allocator = faults_allocator(&memory);
    talk           with = begin_talk(&allocator);

    memset(text, 'q', sizeof text);
    for (int i = 0; i < 100; i++) {
        hear(&with, text, sizeof text);
        reply(&with, UINT64_MAX);
        assert_true(with.answered == (i == 0 ? 0 : 1));
    }
    assert_true(ink__client_session_pending(&with.session) == strlen(TOO_LONG));
    assert_true(memory.most_bytes <= 6 * INK__QUESTION_BYTES);
    assert_true(with.session.heard_room == 0); /* one that is silent now has given it all back */
    end_talk(&with);
    faults_check_no_leak(&memory);
}

/* ---- What is taken ------------------------------------------------------------------------ */

TEST(whoever_takes_no_answers_gets_no_more)
{
    TALK with = begin_talk(NULL);

    hear(&with, "more\nmore\nmore\nmore\nlast\n", 25);
    for (int i = 0; i < 3; i++) {
        reply(&with, UINT64_MAX);
        assert_true(with.answered == 3); /* the third has passed the limit */
        assert_true(with.session.more && !ink__client_session_can_go_on(&with.session));
    }
    take_answers(&with, 300000 - INK__ANSWERS_BYTES);
    assert_false(ink__client_session_can_go_on(&with.session));
    take_answers(&with, 1);
    assert_true(ink__client_session_can_go_on(&with.session));
    for (uint64_t answered = 4; answered < 6; answered++) {
        reply(&with, UINT64_MAX);
        assert_true(with.answered == answered);
        take_answers(&with, UINT64_MAX);
    }
    assert_false(with.session.more);
    assert_int_equal(with.got.count, 4 * 100000 + 7);
    assert_memory_equal(with.got.bytes + 4 * 100000, "<last>\n", 7);
    for (size_t i = 0; i < 4 * 100000; i++)
        assert_int_equal(with.got.bytes[i], i % 100000 == 99999 ? '\n' : 'm');
}

/* A client that is always a little late. */
TEST(answers_that_were_taken_are_not_kept)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    talk          with = begin_talk(&allocator);

    for (int i = 0; i < 10000; i++) {
        hear(&with, "bees\n", 5);
        reply(&with, UINT64_MAX);
        take_answers(&with, ink__client_session_pending(&with.session) - 1);
    }
    assert_true(memory.most_bytes < 1000);
    assert_int_equal(with.got.count, 10000 * 7 - 1);
    end_talk(&with);
    faults_check_no_leak(&memory);
}

TEST(no_more_queries_are_answered_in_a_call_than_allowed)
{
    TALK with = begin_talk(NULL);

    hear(&with, "a\nb\nc\nd", 7);
    reply(&with, 2);
    assert_true(with.answered == 2 && with.session.more);
    reply(&with, 2);
    assert_true(with.answered == 3 && !with.session.more);
}

/* Questions of all sorts, said and answered and taken by chance. */
static void say_by_chance(uint64_t seed, records_bytes *said)
{
    static const char *const words[] = {"bees",           "fail", "quiet", "",
                                        "ants and wasps", "\r",   "more?"};
    static uint8_t           large[INK__QUESTION_BYTES + 3];
    uint64_t                 lines = 1 + records_below(&seed, 40);

    memset(large, 'L', sizeof large);
    for (uint64_t i = 0; i < lines; i++) {
        if (records_below(&seed, 20) == 0)
            records_put(said, large, sizeof large - records_below(&seed, 6));
        else
            records_say(said, "%s", words[records_below(&seed, 7)]);
        if (i + 1 < lines || records_below(&seed, 2) == 0)
            records_say(said, "%s", records_below(&seed, 3) == 0 ? "\r\n" : "\n");
    }
}

static void check_chance(uint64_t seed)
{
    TALK                 with = begin_talk(NULL);
    ink__client_session *session = &with.session;
    owned_bytes          said = {0}, wanted = {0};
    uint64_t             questions = 0, steps = 1 + records_below(&seed, 5) * 20000;
    size_t               at = 0;

    say_by_chance(seed, &said);
    expect(&wanted, said.bytes, said.count, &questions);
    while (at < said.count || session->more || ink__client_session_pending(session) > 0 ||
           !session->ended) {
        uint64_t count = 1 + records_below(&seed, steps), left = said.count - at;
        if (count > left)
            count = left;
        if (!session->more && !session->ended) {
            hear(&with, said.bytes + at, count);
            session->ended = count == 0;
            at += (size_t)count;
        }
        reply(&with, 1 + records_below(&seed, 9));
        take_answers(&with, records_below(&seed, steps + 10));
    }
    if (with.got.count != wanted.count || with.answered != questions ||
        (wanted.count > 0 && memcmp(with.got.bytes, wanted.bytes, wanted.count) != 0))
        fail_msg("seed %llu: %zu bytes, expected %zu", (unsigned long long)seed, with.got.count,
                 wanted.count);
}

TEST(by_chance_it_is_all_the_same)
{
    for (uint64_t seed = 1; seed <= (records_light() ? 20 : 100); seed++)
        check_chance(seed);
}

/* ---- Memory ------------------------------------------------------------------------------- */

TEST(a_refusal_of_memory_is_one)
{
    static const char text[] = "bees\nmore\nfail\n";

    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        TALK          with = begin_talk(&allocator);
        ink_status status = ink__client_session_hear(&with.session, &with.by, (const uint8_t *)text,
                                                     sizeof text - 1, &error);
        if (status == INK_OK)
            status = ink__client_session_answer(&with.session, &with.by, UINT64_MAX, &with.answered,
                                                &error);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        assert_true(memory.refused > 0 || (with.answered == 3 && memory.refuse_at > 3));
    }
}

RUN_TESTS()
