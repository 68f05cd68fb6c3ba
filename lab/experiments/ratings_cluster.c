/* ratings_cluster.c - the published job on a cluster, by commands that the user gives. A command is
 * run by the shell once for each rate, with the file, the rate and the number of threads in its
 * environment, and prints how many seconds the job took as its last line; docs/lab.md. */
#define _POSIX_C_SOURCE 200809L
#include "experiments/ratings_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

typedef struct cluster_run {
    double seconds; /* as the command reports; 0: it has failed ... */
    char   why[64]; /* ... so */
    double whole;   /* of the whole command, by our clock */
} cluster_run;

static void set_environment(const lab *bench, const ratings_found *found, size_t rate)
{
    char text[32];

    setenv("INK_LAB_FILE", found->file, 1);
    snprintf(text, sizeof text, "%g", ratings_asked[rate]);
    setenv("INK_LAB_RATE", text, 1);
    snprintf(text, sizeof text, "%u", ratings_threads(bench));
    setenv("INK_LAB_THREADS", text, 1);
}

static void unset_environment(void)
{
    unsetenv("INK_LAB_FILE");
    unsetenv("INK_LAB_RATE");
    unsetenv("INK_LAB_THREADS");
}

/* The last line that is not empty. */
static void read_last_line(FILE *output, char *last, size_t room)
{
    char line[256];

    last[0] = '\0';
    while (fgets(line, sizeof line, output) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '\0')
            snprintf(last, room, "%s", line);
    }
}

static void judge(cluster_run *run, const char *last, int status)
{
    char  *end;
    double seconds = strtod(last, &end);

    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        snprintf(run->why, sizeof run->why, "failed: exit code %d", WEXITSTATUS(status));
    else if (!WIFEXITED(status))
        snprintf(run->why, sizeof run->why, "failed: did not end by itself");
    else if (last[0] == '\0')
        snprintf(run->why, sizeof run->why, "failed: printed no seconds");
    else if (*end != '\0' || !isfinite(seconds) || seconds <= 0)
        snprintf(run->why, sizeof run->why, "failed: printed \u201c%.20s\u201d", last);
    else
        run->seconds = seconds;
}

static void run_command(const lab *bench, const char *command, const ratings_found *found,
                        size_t rate, cluster_run *run)
{
    char   last[256];
    double start = lab_clock();

    set_environment(bench, found, rate);
    fflush(NULL);
    FILE *output = popen(command, "r");
    if (output == NULL)
        snprintf(run->why, sizeof run->why, "failed: could not be started");
    else {
        read_last_line(output, last, sizeof last);
        judge(run, last, pclose(output));
    }
    run->whole = lab_clock() - start;
    unset_environment();
}

static void report_run(findings *all, const cluster_run *run)
{
    if (run->seconds > 0)
        found_number(all, 1000 * run->seconds);
    else
        found_word(all, "%s", run->why);
    found_number(all, 1000 * run->whole);
}

static void report_columns(findings *all, const lab_options *options)
{
    found_table(all, "cluster", "Building and testing on a cluster");
    found_column(all, "p", "", FOUND_GIVEN, FOUND_SHORT);
    found_column(all, "published, fastest", "ms", FOUND_PUBLISHED, 0);
    if (options->spark != NULL) {
        found_column(all, "Inkling on Spark", "ms", FOUND_HERE, 0);
        found_column(all, "Spark: the command in all", "ms", FOUND_HERE, 0);
    }
    if (options->hadoop != NULL) {
        found_column(all, "Inkling on Hadoop", "ms", FOUND_HERE, 0);
        found_column(all, "Hadoop: the command in all", "ms", FOUND_HERE, 0);
    }
    found_column(all, "one process here, fastest", "ms", FOUND_HERE, 0);
}

static void report_command(const lab *bench, const char *command)
{
    if (command != NULL)
        found_command(
            bench->found,
            "for p in %s; do\n"
            "  export INK_LAB_FILE=\"$PWD/titles.tsv\" INK_LAB_RATE=$p INK_LAB_THREADS=%u\n"
            "  (%s)\ndone",
            bench->options->quick ? "0.01" : "0.001 0.01 0.05 0.1", ratings_threads(bench),
            command);
}

static bool is_run(const lab *bench, size_t rate)
{
    return !bench->options->quick || rate == RATINGS_USUAL;
}

enum { SPARK, HADOOP, CLUSTERS };

static void run_commands(lab *bench, const ratings_found *found, cluster_run runs[RATES][CLUSTERS])
{
    const lab_options *options = bench->options;

    for (size_t rate = 0; rate < RATES; rate++) {
        double share = 0.9 + 0.1 * (double)rate / RATES;
        if (!is_run(bench, rate))
            continue;
        if (options->spark != NULL && lab_step(bench, share, "the same on Spark"))
            run_command(bench, options->spark, found, rate, &runs[rate][SPARK]);
        if (options->hadoop != NULL && lab_step(bench, share, "the same on Hadoop"))
            run_command(bench, options->hadoop, found, rate, &runs[rate][HADOOP]);
    }
}

void ratings_on_clusters(lab *bench, const ratings_found *found)
{
    const lab_options *options = bench->options;
    cluster_run        runs[RATES][CLUSTERS] = {0};
    findings          *all = bench->found;

    if (options->spark == NULL && options->hadoop == NULL)
        return;
    run_commands(bench, found, runs);
    found_text(all, "The same job by Inkling on a cluster, with the commands that were given for "
                    "it: the time that they report, and by our clock all that they took, with "
                    "all that they start and end.");
    report_command(bench, options->spark);
    report_command(bench, options->hadoop);
    report_columns(all, options);
    for (size_t rate = 0; rate < RATES; rate++) {
        const rated *here = &found->textbook[rate];
        if (!is_run(bench, rate))
            continue;
        found_number(all, ratings_asked[rate]);
        found_number(all, ratings_published_least(rate, NULL));
        if (options->spark != NULL)
            report_run(all, &runs[rate][SPARK]);
        if (options->hadoop != NULL)
            report_run(all, &runs[rate][HADOOP]);
        found_number(all, 1000 * ratings_seconds(here, ratings_fastest(found, here)));
    }
}
