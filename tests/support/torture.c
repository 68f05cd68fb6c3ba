/* torture.c - see torture.h. */
#define _DEFAULT_SOURCE 1
#include "support/torture.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPORT_SECONDS = 2 };

typedef struct run {
    const torture_suite *suite;
    const char          *program, *state;
    double               seconds;
    uint64_t             seed, next, faults, failures;
    bool                 check, only;
} run;

/* What is said if the process ends within a case, ready for a signal handler; empty in between. */
enum { LINE_BYTES = 8192 }; /* a message and two paths */
static char last_words[LINE_BYTES];

/* ---- Cases -------------------------------------------------------------------------------- */

void torture_fail(torture_case *of, const char *format, ...)
{
    va_list arguments;

    if (of->why[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(of->why, sizeof of->why, format, arguments);
    va_end(arguments);
}

uint64_t torture_chance(const torture_case *of)
{
    uint64_t mixed = of->seed * UINT64_C(0x9e3779b97f4a7c15) + of->number + 1;

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/* ---- Ends by a signal --------------------------------------------------------------------- */

static void say_last_words(void)
{
    if (last_words[0] != '\0') {
        ssize_t ignored = write(STDOUT_FILENO, last_words, strlen(last_words));
        (void)ignored;
    }
}

static void end_by_signal(int number)
{
    say_last_words();
    last_words[0] = '\0';
    signal(number, SIG_DFL);
    raise(number);
}

static void expect_the_worst(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    atexit(say_last_words);
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        signal(deadly[i], end_by_signal);
}

/* ---- Reporting and keeping ---------------------------------------------------------------- */

static void notify(const run *now)
{
    printf("torture: %s cases %" PRIu64 " of %" PRIu64 " faults %" PRIu64 " failures %" PRIu64 "\n",
           now->suite->name, now->next, now->suite->cases, now->faults, now->failures);
    fflush(stdout);
}

/* The line of a case that failed, with the command that makes it again. What the cases are may
 * depend on what was counted once, which is kept beside the state. */
static void write_failure(const run *now, uint64_t number, const char *why, char *text, size_t room)
{
    snprintf(text, room,
             "torture: %s FAILED case %" PRIu64 ": %s; again: %s --seed %" PRIu64 " --only %" PRIu64
             "%s%s\n",
             now->suite->name, number, why, now->program, now->seed, number,
             now->state == NULL ? "" : " --state ", now->state == NULL ? "" : now->state);
}

static void report_failure(const run *now, const torture_case *of)
{
    char text[LINE_BYTES];

    write_failure(now, of->number, of->why, text, sizeof text);
    fputs(text, stdout);
    fflush(stdout);
}

static bool keep(const run *now)
{
    char path[4096];

    if (now->state == NULL || now->only)
        return true;
    snprintf(path, sizeof path, "%s.new", now->state);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return perror(path), false;
    fprintf(file,
            "done %" PRIu64 "\nof %" PRIu64 "\nseed %" PRIu64 "\nfaults %" PRIu64
            "\nfailures %" PRIu64 "\n",
            now->next, now->suite->cases, now->seed, now->faults, now->failures);
    if (fclose(file) != 0 || rename(path, now->state) != 0)
        return perror(now->state), false;
    return true;
}

/* Goes on from a state of the same seed and the same cases. */
static void recall(run *now)
{
    uint64_t done, of, seed, faults, failures;
    FILE    *file = now->state == NULL ? NULL : fopen(now->state, "r");

    if (file == NULL)
        return;
    if (fscanf(file,
               "done %" SCNu64 " of %" SCNu64 " seed %" SCNu64 " faults %" SCNu64
               " failures %" SCNu64,
               &done, &of, &seed, &faults, &failures) == 5 &&
        of == now->suite->cases && seed == now->seed && done <= of) {
        now->next = done;
        now->faults = faults;
        now->failures = failures;
    }
    fclose(file);
}

/* ---- Running ------------------------------------------------------------------------------ */

static double seconds_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_case(run *now)
{
    torture_case of = {.seed = now->seed, .number = now->next};

    write_failure(now, of.number, "the process ended", last_words, sizeof last_words);
    now->suite->run(&of);
    last_words[0] = '\0';
    now->next++;
    now->faults += of.faults;
    if (of.why[0] != '\0') {
        now->failures++;
        report_failure(now, &of);
    }
}

static int run_cases(run *now)
{
    double   began = seconds_now(), reported = began;
    uint64_t end = now->only ? now->next + 1 : now->suite->cases;
    bool     kept = true;

    while (now->next < end && kept) {
        run_case(now);
        double time = seconds_now();
        if (now->seconds > 0 && time - began >= now->seconds)
            break;
        if (time - reported >= REPORT_SECONDS) {
            reported = time;
            notify(now);
            kept = keep(now);
        }
    }
    notify(now);
    if (!keep(now) || !kept)
        return 2;
    return now->failures > 0 ? 1 : 0;
}

/* As scripts/run_tests.sh wants it: exits with the number of tests that failed. */
static int run_checks(const run *now)
{
    int failed = 0;

    printf("1..%zu\n", now->suite->check_count);
    for (size_t i = 0; i < now->suite->check_count; i++) {
        torture_case of = {.seed = now->seed};
        now->suite->checks[i].run(&of);
        bool good = of.why[0] == '\0';
        printf("%s %zu - %s\n", good ? "ok" : "not ok", i + 1, now->suite->checks[i].message);
        if (!good)
            printf("# %s\n", of.why);
        fflush(stdout);
        failed += !good;
    }
    return failed;
}

/* ---- Words -------------------------------------------------------------------------------- */

static bool take_number(const char *word, uint64_t *number)
{
    char *end;

    if (word == NULL || *word < '0' || *word > '9')
        return false;
    *number = strtoull(word, &end, 10);
    return *end == '\0';
}

static bool take_words(run *now, char **words, uint64_t *from)
{
    for (; *words != NULL; words++) {
        uint64_t number = 0;
        if (strcmp(*words, "--check") == 0) {
            now->check = true;
            continue;
        }
        if (strcmp(*words, "--state") == 0 && words[1] != NULL)
            now->state = words[1];
        else if (strcmp(*words, "--seconds") == 0 && words[1] != NULL)
            now->seconds = strtod(words[1], NULL);
        else if (strcmp(*words, "--seed") == 0 && take_number(words[1], &number))
            now->seed = number;
        else if ((strcmp(*words, "--from") == 0 || strcmp(*words, "--only") == 0) &&
                 take_number(words[1], &number) && number < now->suite->cases) {
            *from = number;
            now->only = now->only || strcmp(*words, "--only") == 0;
        } else
            return false;
        words++;
    }
    return true;
}

int torture_main(int argc, char **argv, const torture_suite *suite)
{
    run      now = {.suite = suite, .program = argv[0], .seed = 1};
    uint64_t from = UINT64_MAX;

    (void)argc;
    if (!take_words(&now, argv + 1, &from)) {
        fprintf(
            stderr,
            "%s: expected --seconds S --seed N --state FILE [--from I | --only I], or --check\n",
            argv[0]);
        return 2;
    }
    expect_the_worst();
    if (now.check)
        return run_checks(&now);
    if (from == UINT64_MAX)
        recall(&now);
    else
        now.next = from;
    return run_cases(&now);
}
