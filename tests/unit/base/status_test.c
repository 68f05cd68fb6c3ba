/* status_test.c - a failure has a status, a place and a message, and they are told in one line. */
#include "base/status.h"

#include "support/check.h"

#include <errno.h>

TEST(each_status_has_its_name)
{
    assert_string_equal(ink_status_name(INK_OK), "INK_OK");
    assert_string_equal(ink_status_name(INK_USAGE), "INK_USAGE");
    assert_string_equal(ink_status_name(INK_UNSUPPORTED), "INK_UNSUPPORTED");
    assert_string_equal(ink_status_name(INK_READ_ONLY), "INK_READ_ONLY");
    assert_string_equal(ink_status_name(INK_FORMAT), "INK_FORMAT");
    assert_string_equal(ink_status_name(INK_MISMATCH), "INK_MISMATCH");
    assert_string_equal(ink_status_name(INK_NOT_FOUND), "INK_NOT_FOUND");
    assert_string_equal(ink_status_name(INK_PROMISE), "INK_PROMISE");
    assert_string_equal(ink_status_name(INK_IO), "INK_IO");
    assert_string_equal(ink_status_name(INK_MEMORY), "INK_MEMORY");
    assert_string_equal(ink_status_name(INK_LIMIT), "INK_LIMIT");
    assert_string_equal(ink_status_name(INK_STOPPED), "INK_STOPPED");
}

TEST(a_number_that_is_no_status_has_a_name_too)
{
    assert_string_equal(ink_status_name((ink_status)(INK_STOPPED + 1)), "an unknown status");
}

TEST(failing_sets_every_field)
{
    ink_error error;

    memset(&error, 0x5a, sizeof error);
    assert_int_equal(
        ink__fail(&error, INK_FORMAT, INK_AT_BYTE, UINT64_MAX, "%u %s, expected %d", 3u, "rows", 4),
        INK_FORMAT);
    assert_int_equal(error.status, INK_FORMAT);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, UINT64_MAX);
    assert_int_equal(error.os_error, 0);
    assert_string_equal(error.message, "3 rows, expected 4");
}

TEST(failing_without_an_error_gives_the_status_alone)
{
    assert_int_equal(ink__fail(NULL, INK_LIMIT, INK_NOWHERE, 0, "too much"), INK_LIMIT);
    assert_int_equal(ink__fail_io(NULL, EIO, "cannot read"), INK_IO);
}

TEST(a_message_is_one_line_whatever_it_repeats)
{
    ink_error error;
    char      much[INK_MESSAGE_BYTES + 1];

    ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "no column \"%s\"",
              "a\nb\x1b[31m\x7f\t\x1f caf\xc3\xa9\\");
    assert_string_equal(error.message,
                        "no column \"a\\x0ab\\x1b[31m\\x7f\\x09\\x1f caf\xc3\xa9\\\"");
    memset(much, '\n', sizeof much - 1); /* grows beyond its room: cut between two of them */
    much[sizeof much - 1] = '\0';
    for (size_t before = 0; before < 4; before++) {
        ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "%s%s", &"xxx"[before], much);
        size_t whole = (INK_MESSAGE_BYTES - 1 - (3 - before)) / 4;
        assert_int_equal(strlen(error.message), 3 - before + 4 * whole);
        assert_string_equal(error.message + strlen(error.message) - 4, "\\x0a");
    }
    memset(much, 'x', sizeof much - 1); /* nothing stands behind one that has no room */
    much[INK_MESSAGE_BYTES - 4] = '\n';
    ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "%s", much);
    assert_int_equal(strlen(error.message), INK_MESSAGE_BYTES - 4);
}

TEST(a_sentence_too_long_is_cut_at_the_end_of_its_room)
{
    ink_error error;
    char      much[1000];

    memset(much, 'x', sizeof much - 1);
    much[sizeof much - 1] = '\0';
    ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "hash %s", much);
    assert_int_equal(strlen(error.message), INK_MESSAGE_BYTES - 1);
    assert_memory_equal(error.message, "hash xxx", 8);
}

TEST(a_refusal_of_the_system_carries_errno_and_its_words)
{
    ink_error error;
    char      expected[200] = "cannot write: ";

    strcat(expected, strerror(ENOSPC));
    assert_int_equal(ink__fail_io(&error, ENOSPC, "cannot write"), INK_IO);
    assert_int_equal(error.status, INK_IO);
    assert_int_equal(error.location, INK_NOWHERE);
    assert_int_equal(error.at, 0);
    assert_int_equal(error.os_error, ENOSPC);
    assert_string_equal(error.message, expected);
}

TEST(the_text_of_an_error_starts_with_its_location)
{
    ink_error error;
    char      text[100];

    ink__fail(&error, INK_FORMAT, INK_AT_BYTE, 40, "version 9, expected 1");
    assert_int_equal(ink_error_text(&error, text, sizeof text), 30);
    assert_string_equal(text, "byte 40: version 9, expected 1");

    ink__fail(&error, INK_NOT_FOUND, INK_AT_KEY, 3, "not in");
    ink_error_text(&error, text, sizeof text);
    assert_string_equal(text, "key 3: not in");
    ink__fail(&error, INK_FORMAT, INK_AT_LINE, 5821, "2 columns");
    assert_int_equal(ink_error_text(&error, text, sizeof text), 20);
    assert_string_equal(text, "line 5821: 2 columns");

    ink__fail(&error, INK_USAGE, INK_NOWHERE, 77, "no kind");
    assert_int_equal(ink_error_text(&error, text, sizeof text), 7);
    assert_string_equal(text, "no kind");

    ink__fail(&error, INK_FORMAT, INK__AT_FIELD, 2, "a place of the library's own");
    ink_error_text(&error, text, sizeof text);
    assert_string_equal(text, "a place of the library's own");
}

TEST(the_text_of_an_error_is_cut_to_fit)
{
    ink_error error;
    char      text[12];

    ink__fail(&error, INK_FORMAT, INK_AT_BYTE, 40, "version 9, expected 1");
    memset(text, '#', sizeof text);
    assert_int_equal(ink_error_text(&error, text, 10), 9);
    assert_memory_equal(text, "byte 40: \0##", 12);
    assert_int_equal(ink_error_text(&error, text, 1), 0);
    assert_int_equal(text[0], '\0');
    text[0] = '#';
    assert_int_equal(ink_error_text(&error, text, 0), 0);
    assert_int_equal(text[0], '#'); /* no room even for the NUL */
}

static const char *const words[] = {[INK_PARAMETER_EXPECTED_KEYS] = "-n",
                                    [INK_PARAMETER_BITS] = "--bits",
                                    [INK_PARAMETER_SEED] = ""};
enum { WORDS = sizeof words / sizeof words[0] };

TEST(a_message_marks_the_parameters_that_it_names)
{
    static const struct {
        const char *name, *found;
        unsigned    count;
        const char *message, *named;
    } rows[] = {
        {"bits", "x", 1, "{%s} of %s", "byte 7: --bits of x"},
        {"ratio", "{bits}", 1, "{%s} of %s",
         "byte 7: ratio of {bits}"}, /* found text marks nothing */
        {"expected_keys", "3", 2, "{%s} %s, or {bits}", "byte 7: -n 3, or --bits"},
        {"phi", "1", 3, "a{%s}%s{bits}{expected_keys}", "byte 7: aphi1--bits-n"},
        {"seed", "1", 1, "{%s} %s, expected %%",
         "byte 7:  1, expected %"}, /* an empty name is one */
        {"no_such", "1", 0, "{%s} %s", "byte 7: no_such 1"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ink_error error;
        char      text[100], plain[100];
        memset(&error, 0x5a, sizeof error);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        ink__fail(&error, INK_USAGE, INK_AT_BYTE, 7, rows[i].message, rows[i].name, rows[i].found);
#pragma GCC diagnostic pop
        assert_int_equal(error.named_count, rows[i].count);
        assert_int_equal(ink_error_text_named(&error, words, WORDS, text, sizeof text),
                         strlen(rows[i].named));
        assert_string_equal(text, rows[i].named);
        ink_error_text(&error, plain, sizeof plain);
        assert_string_equal(plain + strlen("byte 7: "), error.message);
        for (unsigned j = 0; j < error.named_count; j++) {
            const char *name = ink_parameter_name(error.named[j].parameter);
            assert_int_equal(error.named[j].bytes, strlen(name));
            assert_memory_equal(error.message + error.named[j].start, name, strlen(name));
        }
        for (size_t room = 0; room < sizeof text; room++) { /* cut anywhere, never beyond */
            memset(plain, '#', sizeof plain);
            size_t used = ink_error_text_named(&error, words, WORDS, plain, room);
            assert_true(used == (room == 0 ? 0 : room > strlen(text) ? strlen(text) : room - 1));
            assert_memory_equal(plain, text, used);
            assert_int_equal(plain[room], '#');
        }
    }
    assert_string_equal(ink_parameter_name(INK_PARAMETER_KIND), "kind");
    assert_null(ink_parameter_name(INK_PARAMETER_CONCURRENT + 1));
}

TEST(a_name_that_finds_no_room_is_not_marked)
{
    ink_error error;
    char      much[INK_MESSAGE_BYTES + 1];

    for (size_t before = INK_MESSAGE_BYTES - 10; before <= INK_MESSAGE_BYTES; before++) {
        memset(much, 'x', before);
        much[before] = '\0';
        ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "%s{phi}", much);
        assert_int_equal(error.named_count, before + strlen("phi") < INK_MESSAGE_BYTES - 1);
    }
    ink__fail(&error, INK_USAGE, INK_NOWHERE, 0,
              "{bits}{bits}{bits}{bits}{bits}{bits}{bits}{bits}{phi}");
    assert_int_equal(error.named_count, INK_NAMED_MAX);
}

TEST(a_hint_stands_after_a_message_which_is_cut_for_it)
{
    ink_error error;
    char      much[INK_MESSAGE_BYTES + 1], text[2 * INK_MESSAGE_BYTES];

    ink__fail(&error, INK_USAGE, INK_AT_BYTE, 7, "{bits} 3");
    ink__fail_hint(&error, "; %s, or {expected_keys}", "none");
    ink_error_text_named(&error, words, WORDS, text, sizeof text);
    assert_string_equal(text, "byte 7: --bits 3; none, or -n");
    for (size_t before = INK_MESSAGE_BYTES - 30; before <= INK_MESSAGE_BYTES; before++) {
        memset(much, 'x', before);
        memcpy(much + before - 20, "\xe2\x82\xac", 3); /* a character is not cut */
        much[before] = '\0';
        ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "{bits}%s{phi}", much);
        ink__fail_hint(&error, "; {seed} or {expected_keys}");
        const char *end = error.message + strlen(error.message) - strlen("; seed or expected_keys");
        assert_string_equal(end, "; seed or expected_keys");
        assert_string_equal(ink_parameter_name(error.named[error.named_count - 1].parameter),
                            "expected_keys");
        bool cut =
            strlen("bits") + before + strlen("phi; seed or expected_keys") >= INK_MESSAGE_BYTES;
        assert_int_equal(memcmp(end - 3, "...", 3) == 0, cut);
        CHECK(((uint8_t)end[-4] & 0xc0) != 0xc0);
        assert_int_equal(error.named_count, cut ? 3 : 4);
    }
    ink__fail_hint(NULL, "nowhere");
}

TEST(a_hint_as_long_as_a_message_leaves_what_finds_room_before_it)
{
    enum { BEFORE = 10, MOST = INK_MESSAGE_BYTES - 1 };
    char      hint[INK_MESSAGE_BYTES];
    ink_error error;

    for (size_t bytes = MOST - BEFORE - 2; bytes <= MOST; bytes++) {
        memset(hint, 'h', bytes);
        hint[bytes] = '\0';
        memset(&error, 0, sizeof error);
        ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "0123456789");
        ink__fail_hint(&error, "%s", hint);
        const size_t room = MOST - bytes, kept = room < BEFORE ? room : BEFORE;
        assert_int_equal(strlen(error.message), kept + bytes);
        assert_string_equal(error.message + kept, hint);
        CHECK(error.named_count == 0 && error.named[INK_NAMED_MAX - 1].bytes == 0);
    }
}

TEST(a_hint_names_nothing_where_the_message_names_as_much_as_can_be)
{
    ink_error error, before;

    ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "{bits}{bits}{bits}{bits}{bits}{bits}{bits}{phi}");
    assert_int_equal(error.named_count, INK_NAMED_MAX);
    before = error;
    ink__fail_hint(&error, " {seed}");
    assert_int_equal(error.named_count, INK_NAMED_MAX);
    assert_memory_equal(error.named, before.named, sizeof error.named);
    assert_string_equal(error.message, "bitsbitsbitsbitsbitsbitsbitsphi seed");
}

TEST(a_name_that_a_hint_cuts_is_none)
{
    char      before[INK_MESSAGE_BYTES] = "", after[INK_MESSAGE_BYTES];
    ink_error error;

    memset(after, 'y', sizeof after - 1);
    after[sizeof after - 1] = '\0';
    for (size_t i = 0; i + 1 < sizeof before; i++) {
        before[i] = 'x';
        ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "%s{bits}%s", before, after);
        ink__fail_hint(&error, "; {seed}");
        for (uint32_t n = 0; n < error.named_count; n++) {
            const ink_named *named = &error.named[n];
            const char      *name = ink_parameter_name(named->parameter);
            assert_int_equal(named->bytes, strlen(name));
            assert_memory_equal(error.message + named->start, name, named->bytes);
        }
    }
}

TEST(words_before_a_message_move_the_names_in_it)
{
    char      before[INK_MESSAGE_BYTES] = "", text[2 * INK_MESSAGE_BYTES];
    ink_error error;

    ink__fail(&error, INK_USAGE, INK_AT_BYTE, 7, "{bits} 3, or {expected_keys}");
    ink__fail_within(&error, "%s of %u: ", "none", 2u);
    ink_error_text_named(&error, words, WORDS, text, sizeof text);
    assert_string_equal(text, "byte 7: none of 2: --bits 3, or -n");
    for (size_t i = 0; i + 1 < sizeof before; i++) { /* one that is cut is no name */
        before[i] = 'x';
        ink__fail(&error, INK_USAGE, INK_NOWHERE, 0, "{bits}");
        ink__fail_within(&error, "%s", before);
        assert_true(error.named_count == (i + 1 + strlen("bits") < INK_MESSAGE_BYTES - 1));
        assert_memory_equal(error.message, before, i + 1);
    }
    ink__fail_within(NULL, "nowhere");
}

TEST(a_rate_above_a_promise_is_refused_with_what_can_allow_it)
{
    static const struct {
        bool        allowed;
        uint64_t    keys;
        const char *message;
    } rows[] = {
        {false, 0,
         "the result would have false-positive rate 0.5, above the 0.1 that is promised; max_rate "
         "can allow it"},
        {true, 0, "the result would have false-positive rate 0.5, above the 0.1 that is allowed"},
        {false, 9,
         "the result would have false-positive rate 0.5, above the 0.1 that is promised, expected "
         "expected_keys 9, or max_rate to allow it"},
        {true, 9,
         "the result would have false-positive rate 0.5, above the 0.1 that is allowed, expected "
         "expected_keys 9, or a higher max_rate"},
    };
    ink_error error;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ink__fail_rate(0.5, 0.1, rows[i].allowed, rows[i].keys, &error),
                         INK_PROMISE);
        assert_string_equal(error.message, rows[i].message);
    }
}

TEST(room_that_is_reserved_must_be_0)
{
    uint64_t  room[3] = {0};
    ink_error error;

    assert_int_equal(ink__check_room(room, sizeof room, "x", &error), INK_OK);
    for (size_t i = 0; i < 3; i++) {
        room[i] = (uint64_t)1 << 63;
        assert_int_equal(ink__check_room(room, sizeof room, "x", &error), INK_USAGE);
        assert_memory_equal(error.message, "x.reserved is not 0", 19);
        room[i] = 0;
    }
}

static ink_status passed_on(ink_status inner, bool *went_on)
{
    *went_on = false;
    INK__TRY(inner);
    *went_on = true;
    return INK_OK;
}

TEST(try_passes_a_failure_on_and_goes_on_otherwise)
{
    bool went_on;

    assert_int_equal(passed_on(INK_PROMISE, &went_on), INK_PROMISE);
    assert_false(went_on);
    assert_int_equal(passed_on(INK_OK, &went_on), INK_OK);
    assert_true(went_on);
}

RUN_TESTS()
