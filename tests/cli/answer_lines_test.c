/* answer_lines_test.c - the query protocol over views that the test makes, and how the command
 * writes its answers: what is read as which question, which sketch answers, and how the line looks.
 */
#include "stream/answer_lines.h"

#include "support/check.h"
#include "support/views.h"

enum { LINE_BYTES = 4096 };

void ink_stream_now(ink_stream *stream, ink_stream_report *report)
{
    (void)stream;
    *report = (ink_stream_report){
        .saved_batches = 7, .questions = 3, .timed = true, .newest = 9, .seconds = 1.4996};
}

static void add_keys(ink_stream_view *view, const char *key, unsigned times)
{
    views_put(view, key, strlen(key), times);
}

/* How answers are written; freed at the end of its block. */
#define LINES OWNED(answer_lines_end) answer_lines

/* ---- Asking ------------------------------------------------------------------------------- */

typedef struct reported {
    char   bytes[LINE_BYTES];
    size_t count;
    int    os_error; /* of the next write */
} reported;

static int take_line(void *host, const void *bytes, size_t count)
{
    reported *line = host;

    assert_true(line->count + count < LINE_BYTES);
    memcpy(line->bytes + line->count, bytes, count);
    line->count += count;
    line->bytes[line->count] = '\0';
    return line->os_error;
}

static reported ask(answer_lines *q, const ink_stream_view *view, const char *question,
                    size_t bytes)
{
    reported       line = {.count = 0};
    const ink_sink sink = {take_line, &line};
    ink_error      error;

    CHECK_OK(answer_lines_answer(q, view, (const uint8_t *)question, bytes, &sink, &error));
    return line;
}

static void check_answer(answer_lines *q, const ink_stream_view *view, const char *question,
                         const char *answer)
{
    assert_string_equal(ask(q, view, question, strlen(question)).bytes, answer);
}

/* The answer has this in it. */
static void check_part(answer_lines *q, const ink_stream_view *view, const char *question,
                       const char *part)
{
    assert_non_null(strstr(ask(q, view, question, strlen(question)).bytes, part));
}

static void check_refused(answer_lines *q, const ink_stream_view *view, const char *question,
                          ink_status status, const char *text)
{
    reported       line = {.count = 0};
    const ink_sink sink = {take_line, &line};
    ink_error      error;

    CHECK_FAILS(
        answer_lines_answer(q, view, (const uint8_t *)question, strlen(question), &sink, &error),
        status, text);
    assert_int_equal(line.count, 0);
}

/* ---- Tests -------------------------------------------------------------------------------- */

TEST(a_key_is_seen_at_the_present_rate_or_surely_not)
{
    owned_view view = views_of(&(ink_params){.kind = "bloom", .bits = 256});
    LINES      q = {.key_columns = 0}, json = {.json = true};

    check_answer(&q, &view, "bee", "bee\tno\n");
    add_keys(&view, "bee", 1);
    /* One block of 256 bits, 8 of them set: (1 / 32)^8. */
    check_answer(&q, &view, "bee", "bee\tyes\t9.09e-13\n");
    check_answer(&json, &view, "bee",
                 "{\"kind\":\"bloom\",\"key\":\"bee\",\"seen\":true,\"rate\":"
                 "9.094947017729282e-13}\n");
    check_answer(&json, &view, "?ant", "{\"kind\":\"bloom\",\"key\":\"ant\",\"seen\":false}\n");
}

TEST(whatever_a_key_looks_like_it_can_be_asked_for)
{
    static const struct {
        const char *question, *answer;
    } cases[] = {
        {"", "\\E\tno\n"},
        {"?", "\\E\tno\n"},
        {"??", "?\tno\n"},
        {"?TOP", "TOP\tno\n"},
        {"?TOP 3", "TOP 3\tno\n"},
        {"?COUNT x", "COUNT x\tno\n"},
        {"top", "top\tno\n"},
        {"TOPS", "TOPS\tno\n"},
        {"COUNT", "COUNT\tno\n"},
        {"INFO ", "INFO \tno\n"},
        {" INFO", " INFO\tno\n"},
        {"DISTINCT?", "DISTINCT?\tno\n"},
        {"a\tb\\", "a\\tb\\\\\tno\n"},
    };
    owned_view view = views_of(&(ink_params){.kind = "bloom", .expected_keys = 100});
    LINES      q = {.key_columns = 0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_answer(&q, &view, cases[i].question, cases[i].answer);
}

TEST(with_seen_only_keys_that_were_are_printed_as_they_were_asked)
{
    owned_view view = views_of(&(ink_params){.kind = "bloom", .expected_keys = 100});
    LINES      q = {.seen = true};

    check_answer(&q, &view, "", "");
    add_keys(&view, "a\tb", 1);
    add_keys(&view, "", 1);
    add_keys(&view, "TOP", 1);
    check_answer(&q, &view, "a\tb", "a\tb\n");
    check_answer(&q, &view, "", "\n");
    check_answer(&q, &view, "?TOP", "TOP\n");
    check_answer(&q, &view, "ant", "");
    check_answer(&q, &view, "DISTINCT", "DISTINCT\t3\t2\t3\n");
}

TEST(a_count_has_its_bounds)
{
    owned_view view = views_of(&(ink_params){.kind = "count-min"});
    LINES      q = {.key_columns = 0}, json = {.json = true};

    add_keys(&view, "bee", 5);
    check_answer(&q, &view, "bee", "bee\t5\t4\t5\n");
    check_answer(&q, &view, "COUNT bee", "bee\t5\t4\t5\n");
    check_answer(&q, &view, "COUNT ", "\\E\t0\t0\t0\n");
    check_answer(&json, &view, "COUNT bee",
                 "{\"kind\":\"count-min\",\"key\":\"bee\",\"estimate\":5,\"low\":4,\"high\":5,"
                 "\"confidence\":0.9932620530009145}\n");
}

/* Of several that could answer: as ink count and ink distinct choose, in any order. */
TEST(the_best_sketch_answers)
{
    owned_view view = views_of(&(ink_params){.kind = "counting", .expected_keys = 100});
    LINES      json = {.json = true}, q = {.key_columns = 0};

    views_add(&view, &(ink_params){.kind = "fm"});
    views_add(&view, &(ink_params){.kind = "top"});
    add_keys(&view, "bee", 2);
    check_part(&json, &view, "COUNT bee", "{\"kind\":\"top\",\"key\":\"bee\",\"estimate\":2");
    check_part(&json, &view, "DISTINCT", "{\"kind\":\"fm\",\"estimate\":");
    views_add(&view, &(ink_params){.kind = "hll"});
    check_part(&json, &view, "DISTINCT", "{\"kind\":\"hll\",\"estimate\":0,");
    check_part(&json, &view, "bee", "{\"kind\":\"counting\",\"key\":\"bee\",\"seen\":true");
    ink_sketch_free(view.sketches[2]); /* then a filter counts, too */
    view.sketches[2] = view.sketches[3];
    view.count = 3;
    check_answer(&q, &view, "COUNT bee", "bee\t2\t0\t2\n");
}

TEST(top_lists_keys_in_one_line)
{
    owned_view view = views_of(&(ink_params){.kind = "top"});
    LINES      q = {.key_columns = 0}, json = {.json = true};

    check_answer(&q, &view, "TOP", "TOP\n");
    check_answer(&json, &view, "TOP", "{\"question\":\"TOP 10\",\"answers\":[]}\n");
    add_keys(&view, "bee", 3);
    add_keys(&view, "an\tt", 1);
    check_answer(&q, &view, "TOP 2", "TOP\tbee\t3\t3\t3\tan\\tt\t1\t1\t1\n");
    check_answer(&q, &view, "TOP 1", "TOP\tbee\t3\t3\t3\n");
    check_answer(&json, &view, "TOP 2",
                 "{\"question\":\"TOP 2\",\"answers\":[{\"kind\":\"top\",\"key\":\"bee\","
                 "\"estimate\":3,\"low\":3,\"high\":3,\"confidence\":1,\"share\":0.75},"
                 "{\"kind\":\"top\",\"key\":\"an\\u0009t\",\"estimate\":1,\"low\":1,\"high\":1,"
                 "\"confidence\":1,\"share\":0.25}]}\n");
}

TEST(a_key_that_is_too_long_for_a_top_is_marked_as_cut)
{
    owned_view view = views_of(&(ink_params){.kind = "top"});
    LINES      q = {.key_columns = 0}, json = {.json = true};
    char       key[1026] = {0}; /* 1,024 bytes are kept */

    memset(key, 'k', sizeof key - 1);
    add_keys(&view, key + 1, 1);
    check_part(&q, &view, "TOP", "k\t1\t1\t1\n");
    check_part(&json, &view, "TOP", "k\",\"estimate\":1");
    assert_null(strstr(ask(&json, &view, "TOP", 3).bytes, "\"cut\""));
    add_keys(&view, key, 2);
    check_part(&q, &view, "TOP 1", "k\t2\t2\t2\n"); /* its fields are those of all keys */
    check_part(&json, &view, "TOP 1", "\"cut\":true");
}

TEST(keys_of_int_sketches_are_integers)
{
    static const struct {
        const char *question, *answer;
    } good[] = {
        {"5", "5\tyes\t9.09e-13\n"},
        {"+5", "5\tyes\t9.09e-13\n"},
        {"005", "5\tyes\t9.09e-13\n"},
        {"-5", "-5\tno\n"},
        {"-9223372036854775808", "-9223372036854775808\tno\n"},
        {"18446744073709551615", "-1\tno\n"},
    };
    static const char *const bad[] = {
        "",
        "x",
        "5x",
        " 5",
        "5 ",
        "-",
        "+",
        "1e3",
        "5.0",
        "-9223372036854775809",
        "--5",
        "+-5",
        "0x10",
        "18446744073709551616",
        "00000000000000000000000000000000000005",
    };
    owned_view view =
        views_of(&(ink_params){.kind = "bloom", .bits = 256, .key_type = INK_KEY_INT});
    LINES     q = {.key_columns = 1};
    ink_error error;

    CHECK_OK(ink_sketch_add_int(view.sketches[0], 5, &error));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        check_answer(&q, &view, good[i].question, good[i].answer);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_refused(&q, &view, bad[i], INK_USAGE, ", expected an integer of 64 bits");
    check_refused(&q, &view, "", INK_USAGE, "key \"\", expected");
}

TEST(ints_of_a_top_are_printed_in_decimal)
{
    owned_view view = views_of(&(ink_params){.kind = "top", .key_type = INK_KEY_INT});
    LINES      q = {.key_columns = 0};
    ink_error  error;

    CHECK_OK(ink_sketch_add_int(view.sketches[0], -7, &error));
    check_answer(&q, &view, "TOP 5", "TOP\t-7\t1\t1\t1\n");
    check_answer(&q, &view, "-7", "-7\t1\t1\t1\n");
}

TEST(tuples_are_fields_between_tabs)
{
    static const uint8_t tuple[] = {1, 0, 0, 0, 'a', 2, 0, 0, 0, 'b', ','};
    owned_view           view = views_of(&(ink_params){.kind = "top"});
    LINES                q = {.key_columns = 2}, json = {.key_columns = 2, .json = true};
    ink_error            error;

    CHECK_OK(ink_sketch_add(view.sketches[0], tuple, sizeof tuple, &error));
    check_answer(&q, &view, "a\tb,", "a,\"b,\"\t1\t1\t1\n");
    check_answer(&q, &view, "TOP 1", "TOP\ta,\"b,\"\t1\t1\t1\n");
    check_answer(&q, &view, "\t", ",\t0\t0\t0\n");
    check_answer(&json, &view, "a\tb,",
                 "{\"kind\":\"top\",\"key\":[\"a\",\"b,\"],\"estimate\":1,\"low\":1,\"high\":1,"
                 "\"confidence\":1}\n");
    check_refused(&q, &view, "a", INK_USAGE,
                  "a key of 1 field, expected 2, with tabs between them");
    check_refused(&q, &view, "?a\tb\tc", INK_USAGE, "a key of 3 fields, expected 2");
}

TEST(what_nobody_can_answer_is_reported_with_what_there_is)
{
    owned_view view = views_of(&(ink_params){.kind = "hll"});
    LINES      q = {.key_columns = 0};

    check_refused(&q, &view, "bee", INK_UNSUPPORTED, "a key, but this stream has hll, expected");
    check_refused(&q, &view, "COUNT bee", INK_UNSUPPORTED,
                  "COUNT, but this stream has hll, expected count-min, top or counting");
    check_refused(&q, &view, "TOP 3", INK_UNSUPPORTED, "TOP, but this stream has hll");
    views_add(&view, &(ink_params){.kind = "top"});
    check_refused(&q, &view, "TOP 0", INK_USAGE, "TOP 0, expected a whole number from 1 to 10000");
    check_refused(&q, &view, "TOP 10001", INK_USAGE, "TOP 10001, expected");
    check_refused(&q, &view, "TOP ", INK_USAGE, "TOP , expected");
    check_refused(&q, &view, "TOP ten", INK_USAGE, "TOP ten, expected");
    check_refused(&q, &view, "TOP 11111111111111111111111111", INK_USAGE, "TOP 1111111");
    check_answer(&q, &view, "TOP 1e4", "TOP\n");
    ink_sketch_free(view.sketches[--view.count]);
    views_add(&view, &(ink_params){.kind = "count-min"});
    check_refused(&q, &view, "TOP", INK_UNSUPPORTED,
                  "TOP, but this stream has hll, count-min, expected top");
}

/* A NUL is a byte of a key, and no end of anything. */
TEST(zero_bytes_are_bytes)
{
    owned_view     view = views_of(&(ink_params){.kind = "top"});
    LINES          q = {.json = true};
    reported       line = {.count = 0};
    const ink_sink sink = {take_line, &line};
    ink_error      error;

    CHECK_OK(ink_sketch_add(view.sketches[0], "a\0b", 3, &error));
    assert_string_equal(
        ask(&q, &view, "a\0b", 3).bytes,
        "{\"kind\":\"top\",\"key\":\"a\\u0000b\",\"estimate\":1,\"low\":1,\"high\":1,"
        "\"confidence\":1}\n");
    CHECK_FAILS(answer_lines_answer(&q, &view, (const uint8_t *)"TOP 3\0", 6, &sink, &error),
                INK_USAGE, "TOP 3\\x00, expected");
}

TEST(info_reports_of_the_batch_and_of_all_sketches)
{
    ink_stream *stream = (ink_stream *)&stream; /* it is never read */
    owned_view  view = {.count = 0, .report = {.batches = 4, .records = 2, .late = 1}};
    LINES       q = {.stream = stream}, json = {.json = true};

    views_add(&view, &(ink_params){.kind = "bloom", .bits = 256});
    check_answer(
        &q, &view, "INFO",
        "INFO\tbatches=4\trecords=2\tbad=0\tlate=1\tcut=0\tsaved_batches=7\tsaved_records="
        "0\tquestions=3\ttrain_connections=0\task_connections=0\tended=false\tseconds=1.5\t"
        "bloom.bits=256\tbloom.hashes=8\tbloom.bytes=32\tbloom.current_rate=0\t"
        "bloom.records=0\n");
    views_add(&view, &(ink_params){.kind = "hll"});
    view.report.timed = true;
    view.report.newest = -5;
    check_answer(
        &json, &view, "INFO",
        "{\"batches\":4,\"records\":2,\"bad\":0,\"late\":1,\"cut\":0,\"saved_batches\":0,"
        "\"saved_records\":0,\"questions\":0,\"train_connections\":0,\"ask_connections\":0,"
        "\"ended\":false,\"newest\":-5,\"seconds\":0,\"sketches\":[{\"kind\":\"bloom\","
        "\"bits\":256,\"hashes\":8,\"bytes\":32,\"current_rate\":0,\"records\":0},"
        "{\"kind\":\"hll\",\"bytes\":0,\"records\":0,\"precision\":14,\"standard_error\":"
        "0.008116888761044447,\"distinct\":0}]}\n");
}

TEST(a_line_that_cannot_be_written_fails_with_the_systems_error)
{
    owned_view     view = views_of(&(ink_params){.kind = "hll"});
    LINES          q = {.key_columns = 0};
    reported       line = {.os_error = 28};
    const ink_sink sink = {take_line, &line};
    ink_error      error;

    CHECK_FAILS(answer_lines_answer(&q, &view, (const uint8_t *)"DISTINCT", 8, &sink, &error),
                INK_IO, "cannot write an answer: No space left on device");
    assert_int_equal(error.os_error, 28);
}

RUN_TESTS()
