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
        *trouble = (ink_error){INK_USAGE, INK_AT_BYTE, 7, 0, "found a\nb\r\x01, expected c"};
        return INK_USAGE;
    }
    to->write(to->host, ">\n", 2);
    return INK_OK;
}

static ink__answerer answerer(const ink_allocator *allocator)
{
    return (ink__answerer){.answer = answer, .allocator = ink__allocator_or_heap(allocator)};
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

/* Takes at most `most` bytes of the answers. */
static void take_answers(ink__client_session *session, const ink__answerer *by, records_bytes *to,
                         uint64_t most)
{
    uint64_t pending = ink__client_session_pending(session);
    uint64_t taken = pending < most ? pending : most;

    records_put(to, session->answers + session->taken, (size_t)taken);
    ink__client_session_taken(session, &by->allocator, taken);
}

/* ---- What comes in ------------------------------------------------------------------------ */

/* Says `bytes` in pieces of at most `piece`, and takes everything at once. */
static void check_says(const void *bytes, size_t count, size_t piece)
{
    ink__client_session session = {0};
    ink__answerer       by = answerer(NULL);
    records_bytes       got = {0}, wanted = {0};
    uint64_t            answered = 0, questions = 0;

    for (size_t at = 0; at < count; at += piece) {
        size_t now = count - at < piece ? count - at : piece;
        CHECK_OK(ink__client_session_hear(&session, &by, (const uint8_t *)bytes + at, now, &error));
        do {
            CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
            take_answers(&session, &by, &got, UINT64_MAX);
        } while (session.more);
    }
    session.ended = true;
    CHECK_OK(ink__client_session_hear(&session, &by, NULL, 0, &error));
    CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
    take_answers(&session, &by, &got, UINT64_MAX);
    assert_false(session.more);
    expect(&wanted, bytes, count, &questions);
    assert_int_equal(got.count, wanted.count);
    assert_true(got.count == 0 || memcmp(got.bytes, wanted.bytes, got.count) == 0);
    assert_true(answered == questions);
    ink__client_session_release(&session, &by.allocator);
    records_bytes_free(&got);
    records_bytes_free(&wanted);
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
    ink__client_session session = {0};
    ink__answerer       by = answerer(NULL);
    records_bytes       got = {0};
    uint64_t            answered = 0;

    CHECK_OK(ink__client_session_hear(&session, &by, (const uint8_t *)"a\nfail\nb\n", 9, &error));
    CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
    take_answers(&session, &by, &got, UINT64_MAX);
    CHECK(records_are(&got, "<a>\nERR byte 7: found a b  , expected c\n<b>\n"));
    ink__client_session_release(&session, &by.allocator);
    records_bytes_free(&got);
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
    static uint8_t      text[INK__QUESTION_BYTES];
    faults_memory       memory = {0};
    ink_allocator       allocator = faults_allocator(&memory);
    ink__client_session session = {0};
    ink__answerer       by = answerer(&allocator);
    uint64_t            answered = 0;

    memset(text, 'q', sizeof text);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(ink__client_session_hear(&session, &by, text, sizeof text, &error));
        CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
        assert_true(answered == (i == 0 ? 0 : 1));
    }
    assert_true(ink__client_session_pending(&session) == strlen(TOO_LONG));
    assert_true(memory.most_bytes <= 6 * INK__QUESTION_BYTES);
    assert_true(session.heard_room == 0); /* one that is silent now has given all of it back */
    ink__client_session_release(&session, &allocator);
    faults_check_no_leak(&memory);
}

/* ---- What is taken ------------------------------------------------------------------------ */

TEST(whoever_takes_no_answers_gets_no_more)
{
    ink__client_session session = {0};
    ink__answerer       by = answerer(NULL);
    records_bytes       got = {0};
    uint64_t            answered = 0;

    CHECK_OK(ink__client_session_hear(
        &session, &by, (const uint8_t *)"more\nmore\nmore\nmore\nlast\n", 25, &error));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
        assert_true(answered == 3); /* the third has passed the limit */
        assert_true(session.more && !ink__client_session_can_go_on(&session));
    }
    take_answers(&session, &by, &got, 300000 - INK__ANSWERS_BYTES);
    assert_false(ink__client_session_can_go_on(&session));
    take_answers(&session, &by, &got, 1);
    assert_true(ink__client_session_can_go_on(&session));
    CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
    assert_true(answered == 4);
    take_answers(&session, &by, &got, UINT64_MAX);
    CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
    take_answers(&session, &by, &got, UINT64_MAX);
    assert_true(answered == 5 && !session.more);
    assert_int_equal(got.count, 4 * 100000 + 7);
    assert_memory_equal(got.bytes + 4 * 100000, "<last>\n", 7);
    for (size_t i = 0; i < 4 * 100000; i++)
        assert_int_equal(got.bytes[i], i % 100000 == 99999 ? '\n' : 'm');
    ink__client_session_release(&session, &by.allocator);
    records_bytes_free(&got);
}

/* A client that is always a little late. */
TEST(answers_that_were_taken_are_not_kept)
{
    faults_memory       memory = {0};
    ink_allocator       allocator = faults_allocator(&memory);
    ink__client_session session = {0};
    ink__answerer       by = answerer(&allocator);
    records_bytes       got = {0};
    uint64_t            answered = 0;

    for (int i = 0; i < 10000; i++) {
        CHECK_OK(ink__client_session_hear(&session, &by, (const uint8_t *)"bees\n", 5, &error));
        CHECK_OK(ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error));
        take_answers(&session, &by, &got, ink__client_session_pending(&session) - 1);
    }
    assert_true(memory.most_bytes < 1000);
    assert_int_equal(got.count, 10000 * 7 - 1);
    ink__client_session_release(&session, &allocator);
    faults_check_no_leak(&memory);
    records_bytes_free(&got);
}

TEST(no_more_queries_are_answered_in_a_call_than_allowed)
{
    ink__client_session session = {0};
    ink__answerer       by = answerer(NULL);
    uint64_t            answered = 0;

    CHECK_OK(ink__client_session_hear(&session, &by, (const uint8_t *)"a\nb\nc\nd", 7, &error));
    CHECK_OK(ink__client_session_answer(&session, &by, 2, &answered, &error));
    assert_true(answered == 2 && session.more);
    CHECK_OK(ink__client_session_answer(&session, &by, 2, &answered, &error));
    assert_true(answered == 3 && !session.more);
    ink__client_session_release(&session, &by.allocator);
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
    ink__client_session session = {0};
    ink__answerer       by = answerer(NULL);
    records_bytes       said = {0}, got = {0}, wanted = {0};
    uint64_t            answered = 0, questions = 0, steps = 1 + records_below(&seed, 5) * 20000;
    size_t              at = 0;

    say_by_chance(seed, &said);
    expect(&wanted, said.bytes, said.count, &questions);
    while (at < said.count || session.more || ink__client_session_pending(&session) > 0 ||
           !session.ended) {
        uint64_t count = 1 + records_below(&seed, steps), left = said.count - at;
        if (count > left)
            count = left;
        if (!session.more && !session.ended) {
            CHECK_OK(ink__client_session_hear(&session, &by, said.bytes + at, count, &error));
            session.ended = count == 0;
            at += (size_t)count;
        }
        CHECK_OK(ink__client_session_answer(&session, &by, 1 + records_below(&seed, 9), &answered,
                                            &error));
        take_answers(&session, &by, &got, records_below(&seed, steps + 10));
    }
    if (got.count != wanted.count || answered != questions ||
        (got.count > 0 && memcmp(got.bytes, wanted.bytes, got.count) != 0))
        fail_msg("seed %llu: %zu bytes, expected %zu", (unsigned long long)seed, got.count,
                 wanted.count);
    ink__client_session_release(&session, &by.allocator);
    records_bytes_free(&said);
    records_bytes_free(&got);
    records_bytes_free(&wanted);
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
    bool              refused = true;

    for (uint64_t nth = 1; refused; nth++) {
        faults_memory       memory = {.refuse_at = nth};
        ink_allocator       allocator = faults_allocator(&memory);
        ink__answerer       by = answerer(&allocator);
        ink__client_session session = {0};
        uint64_t            answered = 0;

        ink_status status =
            ink__client_session_hear(&session, &by, (const uint8_t *)text, sizeof text - 1, &error);
        if (status == INK_OK)
            status = ink__client_session_answer(&session, &by, UINT64_MAX, &answered, &error);
        refused = memory.refused > 0;
        assert_int_equal(status, refused ? INK_MEMORY : INK_OK);
        assert_true(refused || (answered == 3 && nth > 3));
        ink__client_session_release(&session, &allocator);
        faults_check_no_leak(&memory);
    }
}

RUN_TESTS(NULL, NULL)
