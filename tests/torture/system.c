/* system.c - the suite "system": every call of every command that enters the kernel fails, in every
 * way that calls.h has for it: that call alone, and all of its kind from there on. It must end with
 * exit code 4 and a line that names the file, or do without; an interruption or a transfer of a
 * single byte must change nothing at all. See judge.c. */
#include "commands/suite.h"

#include <errno.h>
#include <string.h>

/* The ways in which each call fails. */
static const char *const faults_of[] = {
#define TORTURE_FAULTS(name, faults) faults,
    TORTURE_CALLS(TORTURE_FAULTS)
#undef TORTURE_FAULTS
};

enum { CALLS = sizeof faults_of / sizeof *faults_of };

static int error_of(char letter)
{
    switch (letter) {
    case 'i':
        return EIO;
    case 's':
        return ENOSPC;
    case 'q':
        return EDQUOT;
    case 'm':
        return ENOMEM;
    case 'f':
        return EMFILE;
    case 'a':
        return EACCES;
    case 'g':
        return EAGAIN;
    case 'p':
        return EPIPE;
    case 'r':
        return ECONNRESET;
    case 'b':
        return ENOBUFS;
    case 'u':
        return EADDRINUSE;
    case 'c':
        return ECONNREFUSED;
    case 'k':
        return ECONNABORTED;
    case 't':
        return EINTR;
    default:
        return TORTURE_SHORT;
    }
}

/* Each call alone, and from it on. */
static uint64_t cases_of(size_t call, uint64_t count)
{
    return 2 * count * strlen(faults_of[call]);
}

static uint64_t cases(const uint64_t counts[TORTURE_CALL_COUNT])
{
    uint64_t all = 0;

    for (size_t call = 0; call < CALLS; call++)
        all += cases_of(call, counts[call]);
    return all;
}

static torture_plan plan(const uint64_t counts[TORTURE_CALL_COUNT], uint64_t index)
{
    size_t call = 0;

    for (; index >= cases_of(call, counts[call]); call++)
        index -= cases_of(call, counts[call]);
    uint64_t     count = counts[call];
    torture_plan made = {.call = (torture_call)call,
                         .nth = index / 2 % count + 1,
                         .os_error = error_of(faults_of[call][index / 2 / count]),
                         .and_after = index % 2 != 0};
    /* What is interrupted each time is never done. */
    made.alternate = made.and_after && made.os_error == EINTR;
    return made;
}

int main(int word_count, char **words)
{
    static const fault_suite system = {"system", cases, plan};

    return fault_suite_main(&system, word_count, words);
}
