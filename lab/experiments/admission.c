/* admission.c - the experiments of a report on a Bloom filter in Java (document 004): which strings
 * of a flow are admitted, how long that takes by the number of strings and of threads, and how much
 * memory. */
#include "workbench.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Published ---------------------------------------------------------------------------- */

/* Section 2.4.1: five sets of strings, the sample S of each, and the places in its filter. Table 1:
 * the average time of an analysis, in ms, one after another and by two threads. */
typedef struct dataset {
    const char *name;
    uint64_t    strings;
    uint32_t    printed; /* how many are in S, as it is printed */
    uint32_t    sample;  /* and how many there must have been, see tell_misprint */
    uint32_t    bits;
    double      sequential, parallel;
} dataset;

enum { DATASETS = 5, LARGEST = DATASETS - 1, PARALLEL = 2 };

static const dataset published[DATASETS] = {
    {"10K", 10000, 39, 39, 100, 2.67, 2.11},        {"100K", 100000, 409, 409, 1050, 2.00, 2.56},
    {"500K", 500000, 2012, 2012, 5160, 5.00, 5.00}, {"1M", 1000000, 39176, 3976, 10200, 5.67, 5.44},
    {"2M", 2000000, 8018, 8018, 20560, 7.67, 6.56},
};

/* Table 2: the average time over the number of threads, on the largest set; 1 is "sequential". */
typedef struct threading {
    unsigned threads;
    double   time;
} threading;

enum { THREADINGS = 6 };

static const threading published_threads[THREADINGS] = {
    {1, 7.22}, {2, 6.44}, {3, 11.22}, {5, 12.00}, {10, 15.78}, {15, 17.78},
};

/* ---- Measuring ---------------------------------------------------------------------------- */

/* Milliseconds of several runs, the first of which is left out. */
typedef struct timing {
    double average, least;
} timing;

/* What a filter of S makes of the flow. */
typedef struct analysis {
    ink_description   filter;
    ink_filter_report report;
} analysis;

typedef struct admission_found {
    analysis textbook[DATASETS], bloom[DATASETS];
    uint64_t set_bytes[DATASETS]; /* S as text ... */
    uint64_t flow_bytes;          /* ... and the largest flow */
    timing   times[DATASETS][2];  /* sequential, parallel */
    timing   threads[THREADINGS]; /* on the largest set */
    uint64_t working[THREADINGS]; /* bytes that the analysis asks for at most at one time */
    double   published_hash;      /* ms for one published hash function over the largest set */
    uint64_t runs;
} admission_found;

/* Runs with one number of threads are apart from one another, so that what else goes on here meets
 * all alike. */
static void time_analyses(lab *bench, const ink_sketch *filter, const lab_data *flow, uint64_t runs,
                          const unsigned *threads, size_t count, timing *found)
{
    for (uint64_t run = 0; run <= runs; run++)
        for (size_t i = 0; i < count && bench->status == INK_OK; i++) {
            ink_job job = {.threads = threads[i]};
            double  ms = 1000 * lab_filter(bench, filter, flow, &job).seconds;
            if (run == 0)
                continue;
            found[i].average += ms / (double)runs;
            found[i].least = run == 1 ? ms : fmin(found[i].least, ms);
        }
}

/* Memory that is counted: threads ask for it at once. */
typedef struct counted {
    atomic_size_t now, most;
} counted;

static void *resize_counted(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    counted *all = host;
    void    *moved = NULL;

    if (new_bytes == 0)
        free(block);
    else if ((moved = realloc(block, new_bytes)) == NULL)
        return NULL;
    size_t now = atomic_fetch_add(&all->now, new_bytes - old_bytes) + (new_bytes - old_bytes);
    size_t most = atomic_load(&all->most);
    while (now > most && !atomic_compare_exchange_weak(&all->most, &most, now))
        continue;
    return moved;
}

static uint64_t count_memory(lab *bench, const ink_sketch *filter, const lab_data *flow,
                             unsigned threads)
{
    counted             memory = {0};
    const ink_allocator allocator = {.resize = resize_counted, .host = &memory};
    ink_job             job = {.threads = threads, .allocator = &allocator};

    lab_filter(bench, filter, flow, &job);
    return atomic_load(&memory.most);
}

/* The published hash function, hash = (R hash + letter) % n over the letters of each string. */
static double time_published_hash(const lab_data *flow, uint32_t places)
{
    double            least = INFINITY;
    volatile uint32_t seen = 0; /* so that the work is not left out */

    for (unsigned run = 0; run < 3; run++) {
        double   start = lab_clock();
        uint32_t hash = 0, all = 0;
        for (size_t i = 0; i < flow->count; i++) {
            if (flow->bytes[i] != '\n') {
                hash = (31 * hash + flow->bytes[i]) % places;
                continue;
            }
            all += hash;
            hash = 0;
        }
        seen = seen + all;
        least = fmin(least, 1000 * (lab_clock() - start));
    }
    return least;
}

static void analyse(lab *bench, const ink_sketch *filter, const lab_data *flow, analysis *found)
{
    ink_job job = {.threads = 1};

    if (filter == NULL)
        return;
    ink_sketch_describe(filter, &found->filter);
    found->report = lab_filter(bench, filter, flow, &job);
}

static void measure_threads(lab *bench, const ink_sketch *filter, const lab_data *flow,
                            admission_found *found)
{
    unsigned threads[THREADINGS];

    for (size_t i = 0; i < THREADINGS; i++)
        threads[i] = published_threads[i].threads;
    if (lab_step(bench, 0.6, "numbers of threads"))
        time_analyses(bench, filter, flow, found->runs, threads, THREADINGS, found->threads);
    for (size_t i = 0; i < THREADINGS; i++)
        found->working[i] = count_memory(bench, filter, flow, threads[i]);
    found->published_hash = time_published_hash(flow, published[LARGEST].bits);
}

static void measure_dataset(lab *bench, size_t which, admission_found *found)
{
    const dataset   *one = &published[which];
    const ink_params textbook = {
        .kind = "classic", .bits = one->bits, .expected_keys = one->sample};
    const ink_params bloom = {.kind = "bloom"};
    lab_data         set = {0};
    lab_data         flow = lab_generate_sample(bench, "names", one->strings, 0, one->sample, &set);
    ink_sketch      *filter = lab_build(bench, &set, &textbook);
    ink_sketch      *other = lab_build(bench, &set, &bloom);

    found->set_bytes[which] = set.count;
    found->flow_bytes = flow.count;
    analyse(bench, filter, &flow, &found->textbook[which]);
    analyse(bench, other, &flow, &found->bloom[which]);
    time_analyses(bench, filter, &flow, found->runs, (const unsigned[]){1, PARALLEL}, 2,
                  found->times[which]);
    if (which == LARGEST)
        measure_threads(bench, filter, &flow, found);
    ink_sketch_free(filter);
    ink_sketch_free(other);
    lab_data_free(&flow);
    lab_data_free(&set);
}

static void measure(lab *bench, admission_found *found)
{
    found->runs = lab_size(bench, 9, 3);
    for (size_t i = 0; i < DATASETS; i++)
        if (lab_step(bench, 0.12 * (double)i, "strings that are admitted"))
            measure_dataset(bench, i, found);
}

/* ---- Command lines ------------------------------------------------------------------------ */

/* Runs `what` for each set of strings, of which $1 are the strings, $2 those of S and $3 the bits.
 */
static void tell_loop(findings *all, const char *what)
{
    char   sets[256];
    size_t used = 0;

    for (size_t i = 0; i < DATASETS; i++)
        used += (size_t)snprintf(sets + used, sizeof sets - used, "%s\"%llu %u %u\"",
                                 i == 0 ? "" : " ", (unsigned long long)published[i].strings,
                                 published[i].sample, published[i].bits);
    found_command(all,
                  "for set in %s; do\n"
                  "  set -- $set\n"
                  "  ink gen names -n $1 --sample $2 --sample-out set.txt --force -o flow.txt\n"
                  "  %s\ndone",
                  sets, what);
}

static void tell_largest(findings *all)
{
    const dataset *one = &published[LARGEST];

    found_command(all, "ink gen names -n %llu --sample %u --sample-out set.txt --force -o flow.txt",
                  (unsigned long long)one->strings, one->sample);
    found_command(all, "ink build classic --bits %u -n %u --force -o set.ink set.txt", one->bits,
                  one->sample);
}

/* ---- Admitted and rejected ---------------------------------------------------------------- */

/* The share of strings that are not in S, and are admitted. Each string of S is in the flow once.
 */
static double stranger_rate(const analysis *one)
{
    double strangers = (double)one->report.analysed - (double)one->report.set_size;

    return ((double)one->report.admitted - (double)one->report.set_size) / strangers;
}

static double formula_rate(const analysis *one)
{
    double k = one->filter.hashes;

    return pow(1 - exp(-k * (double)one->report.set_size / (double)one->filter.bits), k);
}

static void tell_report(findings *all, const char *id, const char *caption, const analysis *found)
{
    found_table(all, id, caption);
    found_column(all, "strings", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "functions", "", FOUND_HERE, 0);
    found_column(all, "size of S", "", FOUND_HERE, 0);
    found_column(all, "bits", "", FOUND_HERE, 0);
    found_column(all, "analysed", "", FOUND_HERE, 0);
    found_column(all, "admitted", "", FOUND_HERE, 0);
    found_column(all, "rejected", "", FOUND_HERE, 0);
    found_column(all, "strangers admitted", "%", FOUND_HERE, 2);
    found_column(all, "(1 \u2212 e^(\u2212rm/n))^r", "%", FOUND_THEORY, 2);
    for (size_t i = 0; i < DATASETS; i++) {
        const analysis *one = &found[i];
        found_word(all, "%s", published[i].name);
        found_number(all, one->report.functions);
        found_number(all, (double)one->report.set_size);
        found_number(all, (double)one->filter.bits);
        found_number(all, (double)one->report.analysed);
        found_number(all, (double)one->report.admitted);
        found_number(all, (double)one->report.rejected);
        found_number(all, 100 * stranger_rate(one));
        found_number(all, 100 * formula_rate(one));
    }
}

/* The printed sizes of S and of its filter: one of them does not fit the others. */
static void tell_misprint(findings *all)
{
    for (size_t i = 0; i < DATASETS; i++)
        if (published[i].printed != published[i].sample)
            found_text(all,
                       "Of the %s strings the report prints %u in S, in %u bits. That is %.2f bits "
                       "for each, where all its other filters have %.2f; %u, with a digit less, "
                       "fit, and are taken here.",
                       published[i].name, published[i].printed, published[i].bits,
                       (double)published[i].bits / published[i].printed,
                       (double)published[LARGEST].bits / published[LARGEST].sample,
                       published[i].sample);
}

static void tell_planned(findings *all, const admission_found *found)
{
    found_table(all, "planned", "The same with a filter that is planned for 1 %");
    found_column(all, "strings", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "functions", "", FOUND_HERE, 0);
    found_column(all, "bits", "", FOUND_HERE, 0);
    found_column(all, "admitted", "", FOUND_HERE, 0);
    found_column(all, "rejected", "", FOUND_HERE, 0);
    found_column(all, "strangers admitted", "%", FOUND_HERE, 2);
    for (size_t i = 0; i < DATASETS; i++) {
        found_word(all, "%s", published[i].name);
        found_number(all, found->bloom[i].report.functions);
        found_number(all, (double)found->bloom[i].filter.bits);
        found_number(all, (double)found->bloom[i].report.admitted);
        found_number(all, (double)found->bloom[i].report.rejected);
        found_number(all, 100 * stranger_rate(&found->bloom[i]));
    }
}

static void tell_admitted(findings *all, const admission_found *found)
{
    const analysis *textbook = &found->textbook[LARGEST], *bloom = &found->bloom[LARGEST];

    found_part(all, "report", "Admitted and rejected");
    found_text(
        all, "Pronounceable strings of 30 letters are passengers; a few of them, chosen in random "
             "steps, are the set S. The filter of S then admits or rejects every string of the "
             "flow, and a report counts. Published are the number of strings, the size of S and "
             "that of the filter, not the number of hash functions nor what was admitted: here "
             "the number r of functions is the best for m strings of S in n bits.");
    tell_misprint(all);
    tell_loop(all, "ink build classic --bits $3 -n $2 --force -o set.ink set.txt\n"
                   "  ink filter --count --threads 1 set.ink flow.txt");
    tell_report(all, "report", "The report, with filters of the published size", found->textbook);
    found_text(all,
               "With %.2f bits for a string of S the best filter lets %.0f %% of all strangers "
               "pass: of %llu strings that it admits, %llu are in S. To plan for 1 %% takes %.1f "
               "bits, and is what ink build does if it is told nothing:",
               (double)textbook->filter.bits / (double)textbook->report.set_size,
               100 * stranger_rate(textbook), (unsigned long long)textbook->report.admitted,
               (unsigned long long)textbook->report.set_size,
               (double)bloom->filter.bits / (double)bloom->report.set_size);
    tell_loop(all, "ink build bloom --force -o set.ink set.txt\n"
                   "  ink filter --count --threads 1 set.ink flow.txt");
    tell_planned(all, found);
}

/* ---- Time over the number of strings (table 1, figure 1) ---------------------------------- */

static void tell_sizes_table(findings *all, const admission_found *found)
{
    found_table(all, "times", "Time of the analysis, one after another and with two threads");
    found_column(all, "strings", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "sequential", "ms", FOUND_PUBLISHED, 2);
    found_column(all, "parallel", "ms", FOUND_PUBLISHED, 2);
    found_column(all, "speed-up", "", FOUND_PUBLISHED, 2);
    found_column(all, "sequential, average", "ms", FOUND_HERE, 2);
    found_column(all, "parallel, average", "ms", FOUND_HERE, 2);
    found_column(all, "sequential, best", "ms", FOUND_HERE, 2);
    found_column(all, "parallel, best", "ms", FOUND_HERE, 2);
    found_column(all, "speed-up, of the best", "", FOUND_HERE, 2);
    for (size_t i = 0; i < DATASETS; i++) {
        found_word(all, "%s", published[i].name);
        found_number(all, published[i].sequential);
        found_number(all, published[i].parallel);
        found_number(all, published[i].sequential / published[i].parallel);
        found_number(all, found->times[i][0].average);
        found_number(all, found->times[i][1].average);
        found_number(all, found->times[i][0].least);
        found_number(all, found->times[i][1].least);
        found_number(all, found->times[i][0].least / found->times[i][1].least);
    }
}

static void tell_sizes_plot(findings *all, const admission_found *found)
{
    found_plot(all, "times-curve", "Time of the analysis over the number of strings");
    found_axis_x(all, "strings", "", true);
    found_axis_y(all, "time", "ms", true);
    found_line(all, "sequential", FOUND_PUBLISHED);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, published[i].sequential);
    found_line(all, "parallel", FOUND_PUBLISHED);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, published[i].parallel);
    found_line(all, "sequential, here, best", FOUND_HERE);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, found->times[i][0].least);
    found_line(all, "parallel, here, best", FOUND_HERE);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, found->times[i][1].least);
}

/* Whether the published times can be those of the published work. */
static void tell_doubt(findings *all, const admission_found *found)
{
    const dataset *one = &published[LARGEST], *least = &published[0];

    found_text(
        all,
        "For 2M strings the published time is %.1f ns each, for 10K it is %.0f ns each; ours "
        "are %.1f ns and %.0f ns.",
        1e6 * one->sequential / (double)one->strings,
        1e6 * least->sequential / (double)least->strings,
        1e6 * found->times[LARGEST][0].least / (double)one->strings,
        1e6 * found->times[0][0].least / (double)least->strings);
    if (found->published_hash > one->sequential)
        found_text(
            all,
            "The published hash function, hash = (R \u00b7 hash + letter) %% n, takes %.0f ms "
            "for all letters of the 2M strings, once, on one core here (the lab runs it in "
            "C). So %.2f ms cannot be a whole analysis with such functions on a machine like "
            "this one: the published times tell how they change, but not how long it takes.",
            found->published_hash, one->sequential);
    else
        found_text(all,
                   "The published hash function takes %.2f ms for all letters of the 2M strings, "
                   "once, on one core here (the lab runs it in C).",
                   found->published_hash);
}

static void tell_sizes(findings *all, const admission_found *found)
{
    unsigned cores = lab_cores();
    double   speedup = found->times[LARGEST][0].least / found->times[LARGEST][1].least;

    found_part(all, "sizes", "Time over the number of strings");
    found_text(
        all,
        "Strings and filter are in memory, and the analysis alone is timed. The report has "
        "run everything ten times, on a virtual machine with two cores; its averages are "
        "ninths of whole milliseconds. So here the first run is left out, and the average of "
        "the other %llu stands beside the published one, then the least of them. Ours "
        "includes finding the lines; the command reads them from a file besides.",
        (unsigned long long)found->runs);
    tell_loop(all, "ink build classic --bits $3 -n $2 --force -o set.ink set.txt\n"
                   "  for t in 1 2; do for run in $(seq 10); do\n"
                   "    ink filter --count --threads $t set.ink flow.txt | grep seconds\n"
                   "  done; done");
    tell_sizes_table(all, found);
    tell_sizes_plot(all, found);
    found_text(all,
               "Two threads analyse the 2M strings %.2f times as fast as one, on %u core%s; "
               "published is %.2f.",
               speedup, cores, cores == 1 ? "" : "s",
               published[LARGEST].sequential / published[LARGEST].parallel);
    tell_doubt(all, found);
}

/* ---- Time and memory over the number of threads (table 2, figure 2) ----------------------- */

static void tell_threads_table(findings *all, const admission_found *found)
{
    found_table(all, "threads", "Time of the analysis of 2M strings over the number of threads");
    found_column(all, "threads", "", FOUND_GIVEN, 0);
    found_column(all, "time", "ms", FOUND_PUBLISHED, 2);
    found_column(all, "speed-up", "", FOUND_PUBLISHED, 2);
    found_column(all, "time, average", "ms", FOUND_HERE, 2);
    found_column(all, "time, best", "ms", FOUND_HERE, 2);
    found_column(all, "speed-up, of the best", "", FOUND_HERE, 2);
    for (size_t i = 0; i < THREADINGS; i++) {
        found_number(all, published_threads[i].threads);
        found_number(all, published_threads[i].time);
        found_number(all, published_threads[0].time / published_threads[i].time);
        found_number(all, found->threads[i].average);
        found_number(all, found->threads[i].least);
        found_number(all, found->threads[0].least / found->threads[i].least);
    }
}

static void tell_threads_plot(findings *all, const admission_found *found)
{
    found_plot(all, "threads-curve", "Speed-up over the number of threads, 2M strings");
    found_axis_x(all, "threads", "", false);
    found_axis_y(all, "speed-up", "", false);
    found_line(all, "Java", FOUND_PUBLISHED);
    for (size_t i = 0; i < THREADINGS; i++)
        found_point(all, published_threads[i].threads,
                    published_threads[0].time / published_threads[i].time);
    found_line(all, "here, of the best times", FOUND_HERE);
    for (size_t i = 0; i < THREADINGS; i++)
        found_point(all, published_threads[i].threads,
                    found->threads[0].least / found->threads[i].least);
}

static void tell_threads(findings *all, const admission_found *found)
{
    size_t   best = 0, last = THREADINGS - 1;
    unsigned cores = lab_cores();

    for (size_t i = 1; i < THREADINGS; i++)
        best = found->threads[i].least < found->threads[best].least ? i : best;
    found_part(all, "threads", "Time over the number of threads");
    found_text(all,
               "The report divides the largest flow among 1, 2, 3, 5, 10 and 15 threads, on two "
               "cores. Beyond two, every further thread cost it time.");
    tell_largest(all);
    found_command(all, "for t in 1 2 3 5 10 15; do for run in $(seq 10); do\n"
                       "  ink filter --count --threads $t set.ink flow.txt | grep seconds\n"
                       "done; done");
    tell_threads_table(all, found);
    tell_threads_plot(all, found);
    found_text(all,
               "Here %u thread%s %s fastest, on %u core%s. With %u threads it takes %.2f times as "
               "long as with one; published: %.2f times.",
               published_threads[best].threads, best == 0 ? "" : "s", best == 0 ? "is" : "are",
               cores, cores == 1 ? "" : "s", published_threads[last].threads,
               found->threads[last].least / found->threads[0].least,
               published_threads[last].time / published_threads[0].time);
    if (found->threads[0].least / found->threads[best].least > 1.1 * cores)
        found_text(all, "A speed-up above the number of cores tells that other programs were "
                        "running meanwhile: whoever has more threads then gets a larger share.");
}

static void tell_filter_memory(findings *all, const admission_found *found)
{
    found_table(all, "filters", "Memory of S and of its filter");
    found_column(all, "strings", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "S as text", "bytes", FOUND_HERE, 0);
    found_column(all, "array of booleans", "bytes", FOUND_PUBLISHED, 0);
    found_column(all, "the same in bits", "bytes", FOUND_HERE, 0);
    found_column(all, "bloom, 1 %", "bytes", FOUND_HERE, 0);
    for (size_t i = 0; i < DATASETS; i++) {
        found_word(all, "%s", published[i].name);
        found_number(all, (double)found->set_bytes[i]);
        found_number(all, published[i].bits);
        found_number(all, (double)found->textbook[i].filter.bytes);
        found_number(all, (double)found->bloom[i].filter.bytes);
    }
}

static void tell_memory(findings *all, const admission_found *found)
{
    found_part(all, "memory", "Memory");
    found_text(all, "The published filter is a Java array of booleans, each of which takes a byte; "
                    "ours has bits.");
    tell_loop(all, "ink build classic --bits $3 -n $2 --force -o set.ink set.txt\n"
                   "  ink build bloom --force -o planned.ink set.txt\n"
                   "  ink info set.ink; ink info planned.ink; wc -c set.txt");
    tell_filter_memory(all, found);
    found_text(
        all,
        "The flow need not be in memory: the analysis takes it piece by piece. This is what "
        "it asks for at most, beside the flow of %.0f MB that the lab holds, the filter, and "
        "the stacks of threads; the lab counts it.",
        1e-6 * (double)found->flow_bytes);
    found_table(all, "working", "Working memory of the analysis of 2M strings");
    found_column(all, "threads", "", FOUND_GIVEN, 0);
    found_column(all, "working memory", "kB", FOUND_HERE, 0);
    for (size_t i = 0; i < THREADINGS; i++) {
        found_number(all, published_threads[i].threads);
        found_number(all, (double)found->working[i] / 1000);
    }
}

static void run(lab *bench)
{
    admission_found found = {0};

    measure(bench, &found);
    if (bench->status != INK_OK)
        return;
    tell_admitted(bench->found, &found);
    tell_sizes(bench->found, &found);
    tell_threads(bench->found, &found);
    tell_memory(bench->found, &found);
}

const experiment experiment_admission = {
    .id = "004",
    .title = "Admitted or rejected",
    .about =
        "A report on a Bloom filter in Java, one after another, with threads, and on Hadoop: a "
        "set S, and a flow of strings of which those in S are to be admitted. It has published "
        "the times of the analysis.",
    .share = 15,
    .run = run,
};
