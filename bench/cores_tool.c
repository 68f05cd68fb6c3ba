/* cores_tool.c - what `make bench-cores` needs besides the command.
 *   cores_tool loop THREADS       seconds of a loop without memory, on each of THREADS threads
 *   cores_tool copy THREADS       seconds of copying 64 MiB, again and again, on each of them
 *   cores_tool add KEYS THREADS   adds a batch to a bloom of KEYS keys; prints what --stats=tasks
 *                                 of the command prints, for the call alone */
#define _POSIX_C_SOURCE 200809L
#include "inkling_job.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 1024, COPIES = 8 };
#define COPY_BYTES ((size_t)64 << 20)
#define STEPS UINT64_C(300000000)

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "cores_tool: %s\n", what);
    exit(1);
}

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t number(const char *text, uint64_t most)
{
    char    *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != 0 || value == 0 || value > most) {
        fprintf(stderr, "cores_tool: %s: expected a whole number from 1 to %" PRIu64 "\n", text,
                most);
        exit(2);
    }
    return value;
}

/* ---- Calibration -------------------------------------------------------------------------- */

static void *loop(void *result)
{
    uint64_t x = 1;

    for (uint64_t i = 0; i < STEPS; i++)
        x = x * UINT64_C(6364136223846793005) + 1;
    *(uint64_t *)result = x;
    return NULL;
}

static void *copy(void *result)
{
    char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);

    if (from == NULL || to == NULL)
        fail("no memory");
    memset(from, 1, COPY_BYTES);
    for (int i = 0; i < COPIES; i++) {
        from[i] = (char)i;
        memcpy(to, from, COPY_BYTES);
        *(uint64_t *)result += (uint64_t)to[COPY_BYTES - 1] + (uint64_t)to[i];
    }
    free(from);
    free(to);
    return NULL;
}

static void calibrate(void *(*work)(void *), uint64_t threads)
{
    static uint64_t  results[THREADS_MAX][16]; /* a line each */
    static pthread_t ids[THREADS_MAX];
    const double     began = seconds(CLOCK_MONOTONIC);

    for (uint64_t i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, results[i]) != 0)
            fail("no thread");
    for (uint64_t i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    printf("%.6f\n", seconds(CLOCK_MONOTONIC) - began);
}

/* ---- Adding ------------------------------------------------------------------------------- */

static void print_region(void *host, const ink_region *region)
{
    bool *more = host;

    printf("%s{\"name\":\"serial\",\"cpu_seconds\":%.9f},{\"name\":\"%s\",\"cpu_seconds\":%.9f,"
           "\"exclusive_seconds\":0,\"ordered_seconds\":0,\"tasks\":%" PRIu64 ",\"list\":[",
           *more ? "," : "", (double)region->serial / 1e9, region->name, (double)region->cpu / 1e9,
           region->task_count);
    for (uint64_t i = 0; i < region->listed; i++)
        printf("%s{\"exclusive\":0,\"parallel\":%" PRIu64 ",\"ordered\":0,\"step\":%" PRIu32 "}",
               i == 0 ? "" : ",", region->tasks[i].parallel, region->tasks[i].step);
    printf("],\"once\":[");
    for (uint64_t i = 0; i < region->workers; i++)
        printf("%s%" PRIu64, i == 0 ? "" : ",", region->worker_once[i]);
    printf("]}");
    *more = true;
}

static void add(uint64_t count, unsigned threads)
{
    const ink_params params = {.kind = "bloom", .key_type = INK_KEY_INT, .expected_keys = count};
    int64_t         *keys = malloc(count * sizeof *keys);
    bool             more = false;
    ink_account      account = {.region = print_region, .host = &more, .tasks = 1};
    ink_job          job = {.threads = threads, .account = &account};
    ink_sketch      *sketch;
    ink_error        error;

    if (keys == NULL)
        fail("no memory");
    for (uint64_t i = 0; i < count; i++)
        keys[i] = (int64_t)(i * UINT64_C(0x9e3779b97f4a7c15));
    if (ink_sketch_create(&sketch, &params, NULL, &error) != INK_OK)
        fail(error.message);
    const ink_batch batch = {.ints = keys, .count = count};
    /* Once before, so that the pages are there. */
    job.account = NULL;
    if (ink_job_add_batch(sketch, &batch, &job, &error) != INK_OK)
        fail(error.message);
    job.account = &account;
    printf("{\"phases\":[");
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const double thread = seconds(CLOCK_THREAD_CPUTIME_ID);
    account.since = (uint64_t)(thread * 1e9);
    if (ink_job_add_batch(sketch, &batch, &job, &error) != INK_OK)
        fail(error.message);
    const double end = seconds(CLOCK_THREAD_CPUTIME_ID),
                 cpu_end = seconds(CLOCK_PROCESS_CPUTIME_ID);
    printf("%s{\"name\":\"serial\",\"cpu_seconds\":%.9f}],\"other_seconds\":0,"
           "\"wall_seconds\":%.9f,\"cpu_seconds\":%.9f}\n",
           more ? "," : "", end - (double)account.since / 1e9, seconds(CLOCK_MONOTONIC) - wall,
           cpu_end - cpu);
    ink_sketch_free(sketch);
    free(keys);
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "loop") == 0)
        calibrate(loop, number(words[2], THREADS_MAX));
    else if (count == 3 && strcmp(words[1], "copy") == 0)
        calibrate(copy, number(words[2], THREADS_MAX));
    else if (count == 4 && strcmp(words[1], "add") == 0)
        add(number(words[2], UINT64_C(1) << 32), (unsigned)number(words[3], THREADS_MAX));
    else {
        fprintf(stderr, "cores_tool: expected loop THREADS, copy THREADS or add KEYS THREADS\n");
        return 2;
    }
    return 0;
}
