/* failure_test.c - the line of an error, and its exit code. */
#include "support/check.h"

#undef fail /* that of cmocka */
#include "report/failure.h"

#include <fcntl.h>
#include <unistd.h>

static int standard; /* standard error, while lines go nowhere */

static int hide_lines(void **state)
{
    int nowhere = open("/dev/null", O_WRONLY);

    (void)state;
    standard = dup(STDERR_FILENO);
    int result = nowhere < 0 || standard < 0 || dup2(nowhere, STDERR_FILENO) < 0;
    close(nowhere);
    return result;
}

static int show_lines(void **state)
{
    (void)state;
    dup2(standard, STDERR_FILENO);
    return close(standard);
}

static const struct {
    ink_status status;
    int        code;
} codes[] = {
    {INK_PROMISE, 1},     {INK_USAGE, 2},     {INK_FORMAT, 3},    {INK_MISMATCH, 3},
    {INK_UNSUPPORTED, 3}, {INK_NOT_FOUND, 3}, {INK_READ_ONLY, 3}, {INK_MEMORY, 5},
    {INK_LIMIT, 5},       {INK_IO, 4},        {INK_STOPPED, 4},
};

enum { CODES = sizeof codes / sizeof *codes };

TEST(an_error_of_the_library_has_the_exit_code_of_its_status)
{
    for (size_t i = 0; i < CODES; i++) {
        const ink_error error = {.status = codes[i].status, .message = "why"};
        assert_int_equal(fail_error("some.ink", &error), codes[i].code);
        assert_string_equal(failure_reported(), "ink: some.ink: why\n");
        assert_int_equal(fail_error(NULL, &error), codes[i].code);
        assert_string_equal(failure_reported(), "ink: why\n");
    }
}

TEST(an_error_about_two_files_names_both_and_has_the_exit_code_of_its_status)
{
    for (size_t i = 0; i < CODES; i++) {
        const ink_error error = {.status = codes[i].status, .message = "why"};
        assert_int_equal(fail_error_of_two("a.ink", "-", &error), codes[i].code);
        assert_string_equal(failure_reported(), "ink: a.ink and standard input: why\n");
        fail_error_of_two("-", "b\t.ink", &error);
        assert_string_equal(failure_reported(), "ink: standard input and b\\x09.ink: why\n");
    }
}

TEST(a_line_that_is_no_error_does_not_take_the_place_of_one)
{
    assert_int_equal(fail(CODE_IO, "first"), CODE_IO);
    assert_int_equal(fail(CODE_LIMIT, "%s", "second"), CODE_LIMIT);
    say("said");
    assert_string_equal(failure_reported(), "ink: second\n");
}

RUN_TESTS(.before = hide_lines, .after = show_lines)
