/* stats.c - what a command did, for --stats: a JSON object on standard error. */
#define _POSIX_C_SOURCE 200809L
#include "report/stats.h"

#include "report/text_buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static struct {
    bool        wanted;
    const char *command;
    ink_account account;
    uint64_t    began; /* when the options were read */
    uint64_t    workers, accounted, serial;
    cli_text    phases;
} stats;

static uint64_t clock_now(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void put_time(const char *name, uint64_t nanoseconds)
{
    text_format(&stats.phases, ",\"%s_seconds\":%.9g", name, (double)nanoseconds / 1e9);
}

static void put_count(const char *name, uint64_t count)
{
    text_format(&stats.phases, ",\"%s\":%" PRIu64, name, count);
}

static void begin_phase(const char *name, uint64_t wall, uint64_t cpu)
{
    text_format(&stats.phases, "%s{\"name\":\"%s\"", stats.phases.count == 0 ? "" : ",", name);
    put_time("wall", wall);
    put_time("cpu", cpu);
    stats.accounted += cpu;
}

static void put_serial(const char *name, uint64_t wall, uint64_t cpu)
{
    begin_phase(name, wall, cpu);
    text_put(&stats.phases, "}");
    stats.serial += cpu;
}

static void put_tasks(const ink_region *region)
{
    cli_text *to = &stats.phases;

    text_put(to, ",\"list\":[");
    for (uint64_t i = 0; i < region->listed; i++) {
        const ink_task *task = &region->tasks[i];
        text_format(to,
                    "%s{\"worker\":%" PRIu32 ",\"exclusive\":%" PRIu64 ",\"parallel\":%" PRIu64
                    ",\"ordered\":%" PRIu64,
                    i == 0 ? "" : ",", task->worker, task->exclusive, task->parallel,
                    task->ordered);
        if (task->step != 0)
            put_count("step", task->step);
        if (task->lane != 0)
            put_count("lane", task->lane);
        text_put(to, task->nested ? ",\"nested\":true}" : "}");
    }
    text_put(to, "],\"once\":[");
    for (uint64_t i = 0; region->worker_once != NULL && i < region->workers; i++)
        text_format(to, "%s%" PRIu64, i == 0 ? "" : ",", region->worker_once[i]);
    text_put(to, "]");
}

static void see_region(void *host, const ink_region *region)
{
    (void)host;
    put_serial("serial", region->serial_wall, region->serial);
    begin_phase(region->name, region->wall, region->cpu);
    put_count("workers", region->workers);
    put_count("tasks", region->task_count);
    put_time("exclusive", region->exclusive);
    put_time("ordered", region->ordered);
    put_time("once", region->once);
    put_time("longest", region->longest);
    put_time("waited_input", region->waited_input);
    put_time("waited_order", region->waited_order);
    put_time("waited_end", region->waited_end);
    put_time("waited_other", region->waited_other);
    put_count("bytes", region->bytes);
    put_count("zeroed_bytes", region->zeroed);
    put_count("faults", region->faults);
    if (region->lost > 0)
        put_count("lost", region->lost);
    if (stats.account.tasks != 0)
        put_tasks(region);
    text_put(&stats.phases, "}");
    if (region->workers > stats.workers)
        stats.workers = region->workers;
}

ink_account *stats_begin(const cli_arguments *arguments)
{
    const option_given *given = &arguments->options[OPTION_STATS];

    if (!given->given)
        return NULL;
    stats.wanted = true;
    stats.command = arguments->command->name;
    stats.workers = 1;
    stats.account.region = see_region;
    stats.account.tasks = given->text != NULL;
    /* CPU time counts from the start of the process. */
    stats.began = stats.account.since_wall = clock_now(CLOCK_MONOTONIC);
    return &stats.account;
}

ink_account *stats_account(void)
{
    return stats.wanted ? &stats.account : NULL;
}

void stats_phase(const char *name)
{
    if (!stats.wanted)
        return;
    const uint64_t cpu = clock_now(CLOCK_THREAD_CPUTIME_ID), wall = clock_now(CLOCK_MONOTONIC);
    put_serial(name, wall - stats.account.since_wall, cpu - stats.account.since);
    stats.account.since_wall = wall;
    stats.account.since = cpu;
}

void stats_finish(void)
{
    struct rusage used = {0};

    if (!stats.wanted)
        return;
    stats_phase("serial");
    const uint64_t cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    getrusage(RUSAGE_SELF, &used);
    fprintf(stderr,
            "{\"command\":\"%s\",\"threads\":%" PRIu64 ",\"wall_seconds\":%.9g,"
            "\"cpu_seconds\":%.9g,\"serial_seconds\":%.9g,\"other_seconds\":%.9g,"
            "\"peak_bytes\":%" PRIu64 ",\"phases\":[",
            stats.command, stats.workers, (double)(clock_now(CLOCK_MONOTONIC) - stats.began) / 1e9,
            (double)cpu / 1e9, (double)stats.serial / 1e9,
            cpu > stats.accounted ? (double)(cpu - stats.accounted) / 1e9 : 0.0,
            (uint64_t)used.ru_maxrss * 1024);
    fwrite(stats.phases.bytes, 1, stats.phases.count, stderr);
    fputs("]}\n", stderr);
    text_free(&stats.phases);
}
