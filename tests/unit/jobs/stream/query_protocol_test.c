/* query_protocol_test.c - a line asks, and an answer comes as data, over views that the test makes.
 * How the command writes answers is tested with it, in tests/cli/answer_lines_test.c. */
#include "inkling_job.h"
#include "inkling_stream.h"

#include "support/check.h"
#include "support/views.h"

#include <stdio.h>

enum { LINE_BYTES = 256 };

static ink_error error;

/* ---- Asking ------------------------------------------------------------------------------- */

/* Writes what an answer says: which sketch, which question, the key in hex, and the numbers. */
static ink_status write_plain(void *host, const ink_query_answer *answer, const ink_sink *to,
                              ink_error *why)
{
    char line[LINE_BYTES];
    int  used = 0;

    if (host != NULL) {
        *why = (ink_error){.status = *(ink_status *)host};
        return why->status;
    }
    if (answer->sketch == NULL) {
        to->write(to->host, "info", 4);
        return INK_OK;
    }
    used = snprintf(line, sizeof line, "%zu:%s:%d", answer->index, answer->description.kind,
                    (int)answer->question);
    for (size_t i = 0; i < answer->key_bytes; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s%02x", i == 0 ? " " : "",
                         answer->key[i]);
    used += snprintf(line + used, sizeof line - (size_t)used, " %d %.0f %zu/%zu", answer->seen,
                     answer->number.estimate, answer->item_count, answer->wanted);
    to->write(to->host, line, (size_t)used);
    return INK_OK;
}

static int take(void *host, const void *bytes, size_t count)
{
    char *line = host;

    memcpy(line, bytes, count);
    line[count] = '\0';
    return 0;
}

static const ink_query_options plain = {.write = write_plain};

static ink_status ask(const ink_query_options *options, const ink_stream_view *view,
                      const char *question, char line[LINE_BYTES])
{
    const ink_sink sink = {take, line};

    line[0] = '\0';
    return ink_query_line(options, view, (const uint8_t *)question, strlen(question), &sink,
                          &error);
}

static void check_answer(const ink_query_options *options, const ink_stream_view *view,
                         const char *question, const char *answer)
{
    char line[LINE_BYTES];

    CHECK_OK(ask(options, view, question, line));
    assert_string_equal(line, answer);
}

static void check_refused(const ink_query_options *options, const ink_stream_view *view,
                          const char *question, ink_status status, const char *text)
{
    char line[LINE_BYTES];

    CHECK_FAILS(ask(options, view, question, line), status, text);
    assert_string_equal(line, "");
}

/* ---- Tests -------------------------------------------------------------------------------- */

TEST(each_question_is_answered_by_the_best_sketch)
{
    owned_view view = views_of(&(ink_params){.kind = "counting", .expected_keys = 100});

    views_add(&view, &(ink_params){.kind = "fm"});
    views_add(&view, &(ink_params){.kind = "top", .phi = 0.1});
    views_put(&view, "a", 1, 2);
    check_answer(&plain, &view, "a", "0:counting:4 61 1 0 0/0");
    check_answer(&plain, &view, "?TOP", "0:counting:4 544f50 0 0 0/0");
    check_answer(&plain, &view, "COUNT a", "2:top:0 61 0 2 0/0");
    check_answer(&plain, &view, "TOP", "2:top:1 0 0 1/10");
    check_answer(&plain, &view, "TOP 10000", "2:top:1 0 0 1/10000");
    check_answer(&plain, &view, "DISTINCT", "1:fm:2 0 1 0/0");
    check_answer(&plain, &view, "INFO", "info");
    check_answer(&plain, &view, "", "0:counting:4 0 0 0/0");
}

TEST(numbers_of_keys_are_whole_also_with_a_power_of_ten)
{
    static const struct {
        const char *number, *answer;
    } good[] = {
        {"1", "1"},      {"0012", "12"},    {"1e3", "1000"},    {"1.5e1", "15"},
        {"2E+2", "200"}, {"1000e-2", "10"}, {"7.0", "7"},       {"0.001e6", "1000"},
        {"10.00", "10"}, {"1e4", "10000"},  {"9999.0", "9999"}, {"1.00000000000000000", "1"},
    };
    static const char bad[][32] = {
        "",     "0",   "-1",    "1.5",    "1e5",
        "1e-1", "1.",  ".5",    ".5e1",   "612402043502525e13", /* 8192, modulo 2^64 */
        "1e",   "1e+", "1ee2",  "1 ",     " 1",
        "x",    "1x",  "1.2.0", "1e99",   "10001",
        "+1",   "0e2", "1e2.0", "1.05e1", "000000000000000000000001"};
    owned_view view = views_of(&(ink_params){.kind = "top"});
    char       question[64], answer[64];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(question, sizeof question, "TOP %s", good[i].number);
        snprintf(answer, sizeof answer, "0:top:1 0 0 0/%s", good[i].answer);
        check_answer(&plain, &view, question, answer);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(question, sizeof question, "TOP %.31s", bad[i]);
        check_refused(&plain, &view, question, INK_USAGE, "expected a whole number from 1 to");
    }
}

TEST(keys_are_read_as_those_of_records)
{
    const ink_query_options pairs = {.key_columns = 2, .write = write_plain};
    owned_view              view = views_of(&(ink_params){.kind = "top"});
    owned_view              ints = views_of(&(ink_params){.kind = "top", .key_type = INK_KEY_INT});

    views_put(&view, "\1\0\0\0a\2\0\0\0bc", 11, 3);
    check_answer(&pairs, &view, "a\tbc", "0:top:0 0100000061020000006263 0 3 0/0");
    check_answer(&pairs, &view, "COUNT \t", "0:top:0 0000000000000000 0 0 0/0");
    check_refused(&pairs, &view, "a", INK_USAGE, "a key of 1 field, expected 2, with tabs");
    check_refused(&pairs, &view, "a\tb\t", INK_USAGE, "a key of 3 fields, expected 2");
    CHECK_OK(ink_sketch_add_int(ints.sketches[0], -1, &error));
    check_answer(&plain, &ints, "18446744073709551615", "0:top:0 2d31 0 1 0/0");
    check_answer(&plain, &ints, "-000000000000000000000000000001", "0:top:0 2d31 0 1 0/0");
    check_refused(&plain, &ints, "-0000000000000000000000000000001", INK_USAGE,
                  "expected an integer of 64 bits"); /* of 32 bytes */
}

static size_t show_stars(void *host, char *text, size_t room, const void *bytes, size_t count)
{
    (void)host;
    (void)bytes;
    assert_true(count < room);
    memset(text, '*', count);
    text[count] = '\0';
    return count;
}

TEST(messages_show_what_was_asked_as_the_caller_wants)
{
    const ink_query_options stars = {.write = write_plain, .show = show_stars};
    owned_view              view = views_of(&(ink_params){.kind = "top", .key_type = INK_KEY_INT});

    views_add(&view, &(ink_params){.kind = "hll"});
    check_refused(&plain, &view, "\xc3\xa9", INK_USAGE, "key \\xc3\\xa9, expected an integer");
    check_refused(&stars, &view, "\xc3\xa9", INK_USAGE, "key **, expected an integer of 64 bits");
    check_refused(&stars, &view, "TOP x", INK_USAGE, "TOP *, expected");
    check_refused(&plain, &view, "", INK_USAGE, "key \"\", expected an integer");
    ink_stream_view last = {.sketches = {view.sketches[1]}, .count = 1};
    check_refused(&plain, &last, "a", INK_UNSUPPORTED,
                  "a key, but this stream has hll, expected a");
    check_refused(&plain, &last, "TOP", INK_UNSUPPORTED,
                  "TOP, but this stream has hll, expected top");
}

static void *refuse(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)host, (void)block, (void)old_bytes, (void)new_bytes;
    return NULL;
}

TEST(memory_that_is_refused_and_answers_that_cannot_be_written_fail_it)
{
    const ink_allocator      none = {.resize = refuse};
    const ink_query_options  options = {.key_columns = 2, .allocator = &none, .write = write_plain};
    ink_status               full = INK_IO;
    const ink_query_options  failing = {.write = write_plain, .host = &full};
    owned_view               view = views_of(&(ink_params){.kind = "top"});
    static const char *const questions[] = {"a", "TOP", "COUNT a", "INFO"};

    check_refused(&options, &view, "a\tb", INK_MEMORY, "");
    check_refused(&options, &view, "TOP", INK_MEMORY, "");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        check_refused(&failing, &view, questions[i], INK_IO, "");
}

RUN_TESTS()
