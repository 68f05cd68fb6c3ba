/* output_test.c - standard output that fails: when it is written, and when it is closed. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "report/output.h"

#include "support/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_fails, close_fails; /* errno, or 0: those of standard output, in a child */

ssize_t write(int file, const void *bytes, size_t count)
{
    ssize_t (*next)(int, const void *, size_t);

    errno = write_fails;
    if (file == STDOUT_FILENO && write_fails != 0)
        return -1;
    *(void **)&next = dlsym(RTLD_NEXT, "write");
    return next(file, bytes, count);
}

int close(int file)
{
    int (*next)(int);

    errno = close_fails;
    if (file == STDOUT_FILENO && close_fails != 0)
        return -1;
    *(void **)&next = dlsym(RTLD_NEXT, "close");
    return next(file);
}

/* The exit code of a command that prints `text`, and its line of standard error. */
static int finish(const char *text, bool insists, char *line, int room)
{
    int status;

    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("errors", "w", stderr) == NULL)
            _exit(99);
        out_text(text);
        if (insists)
            out_insist();
        status = out_finish(7);
        fflush(stderr);
        _exit(status);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    FILE *errors = fopen("errors", "r");
    assert_non_null(errors);
    if (fgets(line, room, errors) == NULL)
        line[0] = '\0';
    fclose(errors);
    unlink("errors");
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_failure_of_writing_or_of_closing_is_reported)
{
    static const struct {
        const char *text;
        int         write_fails, close_fails;
        bool        insists;
        int         code;
        const char *line;
    } cases[] = {
        {"x", 0, 0, false, 7, ""},
        {"x", ENOSPC, 0, false, CODE_IO, "standard output: cannot write: No space left"},
        {"x", 0, ENOSPC, false, CODE_IO, "standard output: cannot write: No space left"},
        {"x", 0, EIO, false, CODE_IO, "standard output: cannot write: Input/output error"},
        {"x", 0, EINTR, false, 7, ""}, /* it is closed all the same */
        {"x", EPIPE, 0, false, CODE_YES, ""},
        {"x", EPIPE, 0, true, CODE_IO, "standard output: cannot write: Broken pipe"},
        {"", 0, EIO, false, 7, ""}, /* nothing was written that could be lost */
    };
    char line[256];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_fails = cases[i].write_fails;
        close_fails = cases[i].close_fails;
        assert_int_equal(finish(cases[i].text, cases[i].insists, line, sizeof line), cases[i].code);
        CHECK(cases[i].line[0] == '\0' ? line[0] == '\0' : strstr(line, cases[i].line) != NULL);
    }
    write_fails = close_fails = 0;
}

RUN_TESTS()
