/* suite.c - a suite of faults in commands. Its cases are all faults of all scenarios, in blocks
 * that are taken in an order of their own, so that a run that is cut short has seen something of
 * each. It uses one core. */
#define _GNU_SOURCE 1
#include "suite.h"

#include "judge.h"
#include "support/sanitizer.h"
#include "support/torture.h"
#include "symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64, CHECK_CASES = 650, SCENARIOS_MAX = 512 };

static const fault_suite *suite;
static char               built[TORTURE_PATH_BYTES]; /* the folder with the command */
static char               own_folder[TORTURE_PATH_BYTES];
static server            *with;
static bench             *benches;
static uint64_t           first[SCENARIOS_MAX + 1]; /* the case that each scenario begins with */
static bool               checking;                 /* the share of make check */
static bool               showing;                  /* one case is shown */

static uint64_t all_cases(void)
{
    return first[scenario_count];
}

/* ---- Preparing ---------------------------------------------------------------------------- */

/* Whatever ends the program. */
static void remove_own_folder(void)
{
    tree_remove(own_folder);
}

static void find_folders(void)
{
    const char *below = getenv("TMPDIR"), *reported = getenv("INK_BINARY_FOLDER"),
               *library = getenv("INK_LIBRARY");

    if (reported != NULL)
        snprintf(built, sizeof built, "%s", reported);
    else if (library != NULL && strrchr(library, '/') != NULL)
        snprintf(built, sizeof built, "%.*s", (int)(strrchr(library, '/') - library), library);
    else
        torture_die("no INK_BINARY_FOLDER, expected the folder with ink");
    if (below == NULL)
        below = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(own_folder, sizeof own_folder, "%s/ink-torture.XXXXXX", below);
    if (mkdtemp(own_folder) == NULL)
        torture_die("%s: %s", own_folder, strerror(errno));
    atexit(remove_own_folder);
}

/* INK_TORTURE_SCENARIOS, if it is set, is what the words of scenarios have to have. */
static bool is_wanted(const scenario *of)
{
    const char *wanted = getenv("INK_TORTURE_SCENARIOS");

    if (checking && (of->flags & SCENARIO_SLOW) != 0)
        return false;
    return wanted == NULL || strstr(of->words, wanted) != NULL;
}

static void prepare(void)
{
    char stock[TORTURE_PATH_BYTES + 16], folder[TORTURE_PATH_BYTES + 16];

    find_folders();
    if (scenario_count > SCENARIOS_MAX)
        torture_die("%zu scenarios, expected at most %d", scenario_count, SCENARIOS_MAX);
    with = server_start(built, own_folder);
    snprintf(stock, sizeof stock, "%s/stock", own_folder);
    if (mkdir(stock, 0700) != 0)
        torture_die("%s: %s", stock, strerror(errno));
    stock_make(with, stock);
    benches = calloc(scenario_count, sizeof *benches);
    if (benches == NULL)
        torture_die("not enough memory");
    for (size_t i = 0; i < scenario_count; i++) {
        if (!is_wanted(&scenarios[i]))
            continue;
        snprintf(folder, sizeof folder, "%s/%zu", own_folder, i);
        bench_open(&benches[i], &scenarios[i], with, stock, folder);
    }
}

static void count_cases(void)
{
    for (size_t i = 0; i < scenario_count; i++)
        first[i + 1] = first[i] + suite->cases(benches[i].counts);
}

static torture_plan plan_of(size_t at, uint64_t index)
{
    torture_plan plan = suite->plan(benches[at].counts, index);

    plan.nth = bench_nth(&benches[at], plan.call, plan.nth);
    return plan;
}

static void release(void)
{
    for (size_t i = 0; i < scenario_count; i++)
        if (is_wanted(&scenarios[i]))
            bench_close(&benches[i]);
    free(benches);
    server_stop(with);
}

/* ---- Counts that stay --------------------------------------------------------------------- */

/* With several threads the number of calls differs from run to run. What was counted first is kept
 * beside the state, so that a case stays the case it was; for another command it is counted anew.
 */

static uint64_t fingerprint(void)
{
    char     path[TORTURE_PATH_BYTES + 8];
    size_t   count;
    uint64_t value = scenario_count * TORTURE_CALL_COUNT + 14695981039346656037u;

    snprintf(path, sizeof path, "%s/ink", built);
    char *bytes = file_read(path, &count);
    for (size_t i = 0; i < count; i++)
        value = (value ^ (uint8_t)bytes[i]) * 1099511628211u;
    free(bytes);
    return value;
}

static void keep_counts(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL)
        torture_die("%s: %s", path, strerror(errno));
    fprintf(file, "%" PRIu64 "\n", fingerprint());
    for (size_t i = 0; i < scenario_count; i++)
        for (size_t call = 0; call < TORTURE_CALL_COUNT; call++)
            fprintf(file, "%" PRIu64 "\n", benches[i].counts[call]);
    if (fclose(file) != 0)
        torture_die("%s: %s", path, strerror(errno));
}

static bool recall_counts(const char *path)
{
    uint64_t value = 0;
    FILE    *file = fopen(path, "r");
    size_t   count = scenario_count * TORTURE_CALL_COUNT, i = 0;

    if (file == NULL)
        return false;
    uint64_t *counts = calloc(count, sizeof *counts);
    if (fscanf(file, "%" SCNu64, &value) == 1 && value == fingerprint())
        while (i < count && fscanf(file, "%" SCNu64, &counts[i]) == 1)
            i++;
    fclose(file);
    for (size_t j = 0; i == count && j < count; j++)
        if (benches[j / TORTURE_CALL_COUNT].sites == NULL)
            benches[j / TORTURE_CALL_COUNT].counts[j % TORTURE_CALL_COUNT] = counts[j];
    free(counts);
    return i == count;
}

static void settle_counts(const char *state)
{
    char path[2 * TORTURE_PATH_BYTES];

    if (state == NULL)
        return;
    snprintf(path, sizeof path, "%s.calls", state);
    if (!recall_counts(path))
        keep_counts(path);
}

/* ---- Cases -------------------------------------------------------------------------------- */

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : common_factor(b, a % b);
}

/* The fault of a case: blocks of them in an order that follows from the seed. */
static uint64_t fault_of(uint64_t seed, uint64_t number)
{
    uint64_t blocks = all_cases() / BLOCK, block = number / BLOCK;

    if (blocks < 2 || block >= blocks)
        return number;
    uint64_t step = (blocks * 618 / 1000) | 1;
    while (common_factor(step, blocks) != 1)
        step += 2;
    return (block * step + seed) % blocks * BLOCK + number % BLOCK;
}

static const char *call_name(torture_call call)
{
    static const char *const names[] = {
#define TORTURE_NAME(name, faults) #name,
        TORTURE_CALLS(TORTURE_NAME)
#undef TORTURE_NAME
            "allocation",
    };

    return names[call];
}

static void report_plan(const torture_plan *plan, char *text, size_t room)
{
    const char *how =
        plan->os_error == TORTURE_SHORT ? "moves one byte" : strerrorname_np(plan->os_error);

    snprintf(text, room, "%s %" PRIu64 ": %s%s", call_name(plan->call), plan->nth, how,
             plan->alternate   ? ", and every second one after it"
             : plan->and_after ? ", and all after it"
                               : "");
}

/* Where it struck, by the names of functions. */
static void show_frames(void)
{
    const torture_page *page = server_page(with);
    char                command[2048];
    size_t used = (size_t)snprintf(command, sizeof command, "addr2line -fpCe '%s/ink'", built);

    for (int i = 0; i < page->frame_count; i++)
        used += (size_t)snprintf(
            command + used, sizeof command - used, " %llx",
            (unsigned long long)((uintptr_t)page->frames[i] - (uintptr_t)page->command_start - 1));
    snprintf(command + used, sizeof command - used, " | grep -v '^[?]'");
    fflush(stdout);
    if (page->frame_count > 0 && system(command) != 0)
        puts("no frames");
}

static void run_case(torture_case *of)
{
    uint64_t fault = fault_of(of->seed, of->number);
    size_t   at = 0;
    char     why[1024], what[128];
    bool     struck;

    while (fault >= first[at + 1])
        at++;
    torture_plan plan = plan_of(at, fault - first[at]);
    server_page(with)->trace = showing;
    bool allowed = bench_fault(&benches[at], &plan, &struck, why, sizeof why);
    report_plan(&plan, what, sizeof what);
    if (!allowed)
        torture_fail(of, "ink %s (%s): %s", scenarios[at].words, what, why);
    if (showing) {
        printf("ink %s: %s: %s, %s\n", scenarios[at].words, what, struck ? "struck" : "never came",
               allowed ? "allowed" : "not allowed");
        show_frames();
    }
    of->faults += struck;
}

/* ---- The share of every check ------------------------------------------------------------- */

static void check_calls(torture_case *of)
{
    char text[512];

    if (!symbols_all_known(built, text, sizeof text))
        torture_fail(of, "%s", text);
}

static void check_commands(torture_case *of)
{
    char text[512];

    if (!commands_all_there(with, own_folder, text, sizeof text))
        torture_fail(of, "%s", text);
}

static void check_share(torture_case *of)
{
    uint64_t step = all_cases() / CHECK_CASES + 1, count = 0;

    for (of->number = 0; of->number < all_cases(); of->number += step, count++)
        run_case(of);
    if (of->faults < count / 2)
        torture_fail(of, "%" PRIu64 " of %" PRIu64 " faults came to be, expected almost all",
                     of->faults, count);
}

static const torture_check checks[] = {
    {"every call of the command that enters the kernel can be made to fail", check_calls},
    {"every command, word and option of ink help that opens something has a scenario",
     check_commands},
    {"each of a share of all faults is met as the documents say", check_share},
};

/* ---- The way in --------------------------------------------------------------------------- */

/* A sanitizer that has an allocator of its own leaves no room for another. */
static bool can_interpose(void)
{
    return !ADDRESS_SANITIZER && !THREAD_SANITIZER && sizeof(void *) == 8;
}

static void list(void)
{
    for (size_t i = 0; i < scenario_count; i++) {
        printf("%6" PRIu64 " cases: ink %s:", first[i + 1] - first[i], scenarios[i].words);
        for (size_t call = 0; call < TORTURE_CALL_COUNT; call++)
            if (benches[i].counts[call] > 0)
                printf(" %s %" PRIu64, call_name((torture_call)call), benches[i].counts[call]);
        printf("\n");
    }
}

int fault_suite_main(const fault_suite *of, int word_count, char **words)
{
    const char *state = NULL;
    bool        lists = false;

    suite = of;
    for (int i = 1; i < word_count; i++) {
        showing = showing || strcmp(words[i], "--only") == 0;
        checking = checking || strcmp(words[i], "--check") == 0;
        lists = lists || strcmp(words[i], "--list") == 0;
        if (strcmp(words[i], "--state") == 0)
            state = words[i + 1];
    }
    if (!can_interpose()) {
        printf("1..1\nok 1 - nothing can come between this command and libc # SKIP\n");
        return 0;
    }
    prepare();
    settle_counts(state);
    count_cases();
    torture_suite all = {
        .name = of->name,
        .cases = all_cases(),
        .run = run_case,
        .checks = checks,
        .check_count = sizeof checks / sizeof *checks,
    };
    int code = 0;
    if (lists)
        list();
    else
        code = torture_main(word_count, words, &all);
    release();
    return code;
}
