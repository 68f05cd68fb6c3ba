/* replay.c - a target as an ordinary test: all inputs to begin with, all that were ever found to
 * break something (tests/fuzz/found/NAME/), and a number of changed ones, each made from the number
 * of its round alone. INK_FUZZ_ROUNDS says how many; INK_FUZZ_ROUND tries one only, the one that a
 * failure named. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint8_t *input;
static char     tried[768]; /* what is being tried, for the log */

/* ---- One trial ---------------------------------------------------------------------------- */

static void notify(int number)
{
    static const char head[] = "# ended while trying ";
    ssize_t           written = write(STDOUT_FILENO, head, sizeof head - 1);

    written = write(STDOUT_FILENO, tried, strlen(tried));
    written = write(STDOUT_FILENO, "\n", 1);
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

/* The input at the end of a piece of memory of its size, so that a sanitizer sees a byte too many.
 */
static void attempt(size_t count)
{
    uint8_t *bytes = malloc(count + (count == 0));

    if (bytes == NULL)
        abort();
    memcpy(bytes, input, count);
    double seconds = fuzz_try(bytes, count);
    free(bytes);
    if (seconds > FUZZ_SECONDS_MAX && getenv("INK_TEST_LIGHT") == NULL) {
        printf("# %s took %.1f s, expected at most %g\n", tried, seconds, FUZZ_SECONDS_MAX);
        abort();
    }
}

/* ---- Inputs ------------------------------------------------------------------------------- */

static unsigned try_seeds(void)
{
    unsigned tries = 0;
    size_t   count;

    while ((count = fuzz_here.seed(tries, input, fuzz_here.most_bytes)) != SIZE_MAX) {
        snprintf(tried, sizeof tried, "seed %u of %s", tries++, fuzz_here.name);
        attempt(count);
    }
    return tries;
}

static unsigned try_found(void)
{
    char           folder[256], path[768];
    unsigned       tries = 0;
    struct dirent *entry;

    snprintf(folder, sizeof folder, "%s/tests/fuzz/found/%s", getenv("INK_SOURCE"), fuzz_here.name);
    DIR *names = opendir(folder);
    while (names != NULL && (entry = readdir(names)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        if (file == NULL)
            abort();
        size_t count = fread(input, 1, fuzz_here.most_bytes, file);
        fclose(file);
        snprintf(tried, sizeof tried, "%s", path);
        attempt(count);
        tries++;
    }
    if (names != NULL)
        closedir(names);
    return tries;
}

/* The input of a round, made from its number alone. */
static void try_round(uint64_t round, unsigned seeds)
{
    snprintf(tried, sizeof tried, "round %" PRIu64 " of %s (INK_FUZZ_ROUND=%" PRIu64 ")", round,
             fuzz_here.name, round);
    fuzz_draw_from(round * 0x9e3779b97f4a7c15u + 1);
    size_t count = fuzz_here.seed((unsigned)fuzz_draw(seeds), input, fuzz_here.most_bytes);
    for (uint64_t times = 1 + fuzz_draw(4); times > 0; times--)
        count = fuzz_change(input, count, fuzz_here.most_bytes);
    attempt(count);
}

static uint64_t number_of(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text == NULL ? usual : strtoull(text, NULL, 10);
}

int main(void)
{
    static const int deaths[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    bool             one = getenv("INK_FUZZ_ROUND") != NULL;
    bool             light = getenv("INK_TEST_LIGHT") != NULL;

    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails is a finding */
    for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++)
        signal(deaths[i], notify);
    setvbuf(stdout, NULL, _IOLBF, 0);
    input = malloc(fuzz_here.most_bytes);
    if (input == NULL || getenv("INK_SOURCE") == NULL)
        abort();
    fuzz_begin();
    unsigned seeds = try_seeds();
    printf("ok 1 - the %u inputs that fuzzing of %s begins with\n", seeds, fuzz_here.name);
    printf("ok 2 - the %u inputs that once broke something\n", try_found());
    uint64_t first = number_of("INK_FUZZ_ROUND", 0);
    uint64_t rounds =
        one ? 1 : number_of("INK_FUZZ_ROUNDS", light ? fuzz_here.rounds / 10 : fuzz_here.rounds);
    for (uint64_t round = first; round < first + rounds; round++)
        try_round(round, seeds);
    printf("ok 3 - %" PRIu64 " inputs that were made from them\n1..3\n", rounds);
    free(input);
    return 0;
}
