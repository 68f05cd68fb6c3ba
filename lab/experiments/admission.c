/* admission.c - the experiments of a report on a Bloom filter in Java (document 004): which strings
 * of a flow are admitted, how long that takes by the number of strings and of threads, and how much
 * memory. */
#include "workbench/classic_rate.h"
#include "workbench/workbench.h"

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
    uint32_t    sample;  /* and how many there must have been, see report_misprint */
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

/* Section 4, the conclusions: the speed-up with two cores. */
static const double published_speedup = 1.3;

/* ---- Measuring ---------------------------------------------------------------------------- */

/* Milliseconds of several runs: on average, their standard deviation, and the fastest. */
typedef struct timing {
    double   average, deviation, least;
    double   squares; /* of the distances from the average */
    uint64_t runs;
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

static void note_time(timing *t, double ms)
{
    double off = ms - t->average;

    t->average += off / (double)++t->runs;
    t->squares += off * (ms - t->average);
    t->least = t->runs == 1 ? ms : fmin(t->least, ms);
    t->deviation = t->runs < 2 ? 0 : sqrt(t->squares / (double)(t->runs - 1));
}

/* Whether two averages are further apart than chance would have them: by more than two standard
 * deviations of their difference. */
static bool differ(const timing *one, const timing *other)
{
    double noise = sqrt(one->deviation * one->deviation / (double)one->runs +
                        other->deviation * other->deviation / (double)other->runs);

    return fabs(one->average - other->average) > 2 * noise;
}

/* The first run is left out. Runs with one number of threads are apart from one another, so that
 * what else goes on here meets all alike. */
static void time_analyses(lab *bench, const ink_sketch *filter, const lab_data *flow, uint64_t runs,
                          const unsigned *threads, size_t count, timing *found)
{
    for (uint64_t run = 0; run <= runs; run++)
        for (size_t i = 0; i < count && bench->status == INK_OK; i++) {
            ink_job job = {.threads = threads[i]};
            double  ms = 1000 * lab_filter(bench, filter, flow, &job).seconds;
            if (run > 0)
                note_time(&found[i], ms);
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
static double time_published_hash(const lab_data *flow, uint32_t locations)
{
    double            least = INFINITY;
    volatile uint32_t seen = 0; /* so that the work is not left out */

    for (unsigned run = 0; run < 3; run++) {
        double   start = lab_clock();
        uint32_t hash = 0, all = 0;
        for (size_t i = 0; i < flow->count; i++) {
            if (flow->bytes[i] != '\n') {
                hash = (31 * hash + flow->bytes[i]) % locations;
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
    found->runs = lab_size(bench, 9, 5);
    for (size_t i = 0; i < DATASETS; i++)
        if (lab_step(bench, 0.12 * (double)i, "strings that are admitted"))
            measure_dataset(bench, i, found);
}

/* ---- Command lines ------------------------------------------------------------------------ */

/* Runs `what` for each set of strings, of which $1 are the strings, $2 those of S and $3 the bits.
 */
static void report_loop(findings *all, const char *what)
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

static void report_largest(findings *all)
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
static double non_member_rate(const analysis *one)
{
    double non_members = (double)one->report.analysed - (double)one->report.set_records;

    return ((double)one->report.admitted - (double)one->report.set_records) / non_members;
}

static double formula_rate(const analysis *one)
{
    return classic_rate((double)one->report.set_records, (double)one->filter.bits,
                        one->filter.hashes);
}

static void report_report(findings *all, const char *id, const char *caption, const analysis *found)
{
    found_table(all, id, caption);
    found_column(all, "strings", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "functions", "", FOUND_HERE, 0);
    found_column(all, "size of S", "", FOUND_HERE, 0);
    found_column(all, "bits", "", FOUND_HERE, 0);
    found_column(all, "analysed", "", FOUND_HERE, 0);
    found_column(all, "admitted", "", FOUND_HERE, 0);
    found_column(all, "rejected", "", FOUND_HERE, 0);
    found_column(all, "non-members admitted", "%", FOUND_HERE, 2);
    found_column(all, "(1\u00a0\u2212\u00a0e^(\u2212rm/n))^r", "%", FOUND_THEORY, 2);
    for (size_t i = 0; i < DATASETS; i++) {
        const analysis *one = &found[i];
        found_word(all, "%s", published[i].name);
        found_number(all, one->report.functions);
        found_number(all, (double)one->report.set_records);
        found_number(all, (double)one->filter.bits);
        found_number(all, (double)one->report.analysed);
        found_number(all, (double)one->report.admitted);
        found_number(all, (double)one->report.rejected);
        found_number(all, 100 * non_member_rate(one));
        found_number(all, 100 * formula_rate(one));
    }
}

/* The printed sizes of S and of its filter: one of them does not fit the others. */
static void report_misprint(findings *all)
{
    for (size_t i = 0; i < DATASETS; i++)
        if (published[i].printed != published[i].sample) {
            found_compared(all, &(found_comparison){
                                    .what = "Strings of S among 1M",
                                    .by = FOUND_PUBLISHED,
                                    .expected = published[i].printed,
                                    .here = published[i].sample,
                                    .low = published[i].printed,
                                    .high = published[i].printed,
                                    .why = "the printed number has a digit too much: the bits of "
                                           "its filter fit the other one",
                                });
            found_text(all,
                       "Of the %s strings the report prints %u in S, in %u bits. That is %.2f bits "
                       "for each, where all its other filters have %.2f; %u, with a digit less, "
                       "fit, and are taken here.",
                       published[i].name, published[i].printed, published[i].bits,
                       (double)published[i].bits / published[i].printed,
                       (double)published[LARGEST].bits / published[LARGEST].sample,
                       published[i].sample);
        }
}

static void report_planned(findings *all, const admission_found *found)
{
    found_table(all, "planned", "The same with a filter that is planned for 1 %");
    found_column(all, "strings", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "functions", "", FOUND_HERE, 0);
    found_column(all, "bits", "", FOUND_HERE, 0);
    found_column(all, "admitted", "", FOUND_HERE, 0);
    found_column(all, "rejected", "", FOUND_HERE, 0);
    found_column(all, "non-members admitted", "%", FOUND_HERE, 2);
    for (size_t i = 0; i < DATASETS; i++) {
        found_word(all, "%s", published[i].name);
        found_number(all, found->bloom[i].report.functions);
        found_number(all, (double)found->bloom[i].filter.bits);
        found_number(all, (double)found->bloom[i].report.admitted);
        found_number(all, (double)found->bloom[i].report.rejected);
        found_number(all, 100 * non_member_rate(&found->bloom[i]));
    }
}

static void report_admitted(findings *all, const admission_found *found)
{
    const analysis *textbook = &found->textbook[LARGEST], *bloom = &found->bloom[LARGEST];

    found_part(all, "report", "Admitted and rejected");
    found_text(
        all, "Pronounceable strings of 30 letters are passengers; a few of them, chosen in random "
             "steps, are the set S. The filter of S then admits or rejects every string of the "
             "flow, and a report counts. Published are the number of strings, the size of S and "
             "that of the filter, not the number of hash functions nor what was admitted: here "
             "the number r of functions is the best for m strings of S in n bits.");
    report_misprint(all);
    report_loop(all, "ink build classic --bits $3 -n $2 --force -o set.ink set.txt\n"
                     "  ink filter --count --threads 1 set.ink flow.txt");
    report_report(all, "report", "The report, with filters of the published size", found->textbook);
    found_text(all,
               "With %.2f bits for a string of S the best filter lets %.0f %% of all non-members "
               "pass: of %llu strings that it admits, %llu are in S. To plan for 1 %% takes %.1f "
               "bits, and is what `ink build` does by default:",
               (double)textbook->filter.bits / (double)textbook->report.set_records,
               100 * non_member_rate(textbook), (unsigned long long)textbook->report.admitted,
               (unsigned long long)textbook->report.set_records,
               (double)bloom->filter.bits / (double)bloom->report.set_records);
    report_loop(all, "ink build bloom --force -o set.ink set.txt\n"
                     "  ink filter --count --threads 1 set.ink flow.txt");
    report_planned(all, found);
}

/* ---- Time over the number of strings (table 1, figure 1) ---------------------------------- */

/* How much faster two threads are than one, on set number i; here of the fastest runs, which other
 * programs disturb least. */
static double published_gain(size_t i)
{
    return published[i].sequential / published[i].parallel;
}

static double gain(const admission_found *found, size_t i)
{
    return found->times[i][0].least / found->times[i][1].least;
}

static void report_sizes_table(findings *all, const admission_found *found)
{
    found_table(all, "times", "Time of the analysis, one after another and with two threads");
    found_column(all, "strings", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "sequential", "ms", FOUND_PUBLISHED, 2);
    found_column(all, "parallel", "ms", FOUND_PUBLISHED, 2);
    found_column(all, "speed-up", "", FOUND_PUBLISHED, 2);
    found_column(all, "sequential, average", "ms", FOUND_HERE, 2);
    found_column(all, "sequential, fastest", "ms", FOUND_HERE, 2);
    found_column(all, "parallel, average", "ms", FOUND_HERE, 2);
    found_column(all, "parallel, fastest", "ms", FOUND_HERE, 2);
    found_column(all, "speed-up, of the fastest", "", FOUND_HERE, 2);
    for (size_t i = 0; i < DATASETS; i++) {
        found_word(all, "%s", published[i].name);
        found_number(all, published[i].sequential);
        found_number(all, published[i].parallel);
        found_number(all, published_gain(i));
        for (size_t j = 0; j < 2; j++) {
            found_number(all, found->times[i][j].average);
            found_number(all, found->times[i][j].least);
        }
        found_number(all, gain(found, i));
    }
}

static void report_sizes_plot(findings *all, const admission_found *found)
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
    found_line(all, "sequential, here, fastest", FOUND_HERE);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, found->times[i][0].least);
    found_line(all, "parallel, here, fastest", FOUND_HERE);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, found->times[i][1].least);
    found_plot(all, "sizes-gain", "Speed-up of two threads over the number of strings");
    found_axis_x(all, "strings", "", true);
    found_axis_y(all, "speed-up", "", false);
    found_line(all, "Java", FOUND_PUBLISHED);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, published_gain(i));
    found_line(all, "here, of the fastest runs", FOUND_HERE);
    for (size_t i = 0; i < DATASETS; i++)
        found_point(all, (double)published[i].strings, gain(found, i));
}

/* The largest standard deviation of a run, as a share of its average. */
static double noise(const timing *times, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, times[i].deviation / times[i].average);
    return most;
}

/* What two threads gain, or that it is within the noise; and what the report says of its own. */
static void report_gain(findings *all, const admission_found *found)
{
    const timing *times = found->times[LARGEST];
    unsigned      cores = lab_cores();
    size_t        most = 0;

    for (size_t i = 1; i < DATASETS; i++)
        most = published_gain(i) > published_gain(most) ? i : most;
    if (differ(&times[0], &times[1]))
        found_text(all,
                   "Two threads analyse the %s strings %.2f times as fast as one, on %u core%s "
                   "(published: %.2f). A run is off its average by up to %.0f %%; the averages are "
                   "further apart than that explains.",
                   published[LARGEST].name, gain(found, LARGEST), cores, cores == 1 ? "" : "s",
                   published_gain(LARGEST), 100 * noise(times, 2));
    else
        found_text(all,
                   "What two threads gain on the %s strings is within the noise of these runs: one "
                   "is off its average by up to %.0f %%, on %u core%s. The published speed-up is "
                   "%.2f.",
                   published[LARGEST].name, 100 * noise(times, 2), cores, cores == 1 ? "" : "s",
                   published_gain(LARGEST));
    found_text(all,
               "The report concludes that the speed-up is %.1f with two cores, and grows with the "
               "number of strings. In its own table it is %.2f at most, with %s strings.",
               published_speedup, published_gain(most), published[most].name);
}

/* Whether the published times can be those of the published work. */
static void report_doubt(findings *all, const admission_found *found)
{
    const dataset *one = &published[LARGEST], *least = &published[0];

    found_text(
        all,
        "For %s strings the published time is %.1f ns each, for %s it is %.0f ns each; our fastest "
        "are %.1f ns and %.0f ns.",
        one->name, 1e6 * one->sequential / (double)one->strings, least->name,
        1e6 * least->sequential / (double)least->strings,
        1e6 * found->times[LARGEST][0].least / (double)one->strings,
        1e6 * found->times[0][0].least / (double)least->strings);
    if (found->published_hash > one->sequential)
        found_text(
            all,
            "The published hash function, hash = (R \u00b7 hash + letter) %% n, takes %.0f ms "
            "for all letters of the %s strings, once, on one core here (no command does that: the "
            "lab itself runs it, in C). So %.2f ms cannot be a whole analysis with such functions "
            "on a machine like "
            "this one: the published times show how they change, but not how long it takes.",
            found->published_hash, one->name, one->sequential);
    else
        found_text(all,
                   "The published hash function takes %.2f ms for all letters of the %s strings, "
                   "once, on one core here (no command does that: the lab itself runs it, in C).",
                   found->published_hash, one->name);
}

/* The largest flow, for the summary: its time, and what two threads gain, if that is more than the
 * noise of the runs. */
static void compare_times(findings *all, const admission_found *found)
{
    const timing *times = found->times[LARGEST];
    double        time = published[LARGEST].sequential, speedup = published_gain(LARGEST);
    double        spread = 2 * noise(times, 2);
    char          why[160];

    snprintf(why, sizeof why,
             "one published hash function alone takes %.0f ms here for the letters of all strings",
             found->published_hash);
    found_compared(all, &(found_comparison){
                            .what = "Analysis of 2M strings",
                            .unit = "ms",
                            .by = FOUND_PUBLISHED,
                            .decimals = FOUND_SHORT,
                            .expected = time,
                            .here = times[0].average,
                            .low = time / 2,
                            .high = time * 2,
                            .why = why,
                        });
    if (!differ(&times[0], &times[1]) || spread > 0.2)
        return;
    found_compared(all, &(found_comparison){
                            .what = "Speed-up of two threads on 2M strings",
                            .by = FOUND_PUBLISHED,
                            .decimals = 2,
                            .expected = speedup,
                            .here = gain(found, LARGEST),
                            .low = speedup * (1 - spread),
                            .high = speedup * (1 + spread),
                            .why = "cores and the work of a string are others",
                        });
}

static void report_sizes(findings *all, const admission_found *found)
{
    char each[256];

    found_part(all, "sizes", "Time over the number of strings");
    found_text(
        all,
        "Strings and filter are in memory, and the analysis alone is timed. The report has "
        "run everything ten times, on a virtual machine with two cores; its averages are "
        "ninths of whole milliseconds. So here the first run is left out, and the average of "
        "the other %llu stands beside the published one, then the fastest of them. "
        "Ours includes finding the lines; the command reads them from a file besides.",
        (unsigned long long)found->runs);
    snprintf(each, sizeof each,
             "ink build classic --bits $3 -n $2 --force -o set.ink set.txt\n"
             "  for t in 1 %d; do for run in $(seq %llu); do\n"
             "    ink filter --count --threads $t set.ink flow.txt | grep seconds\n"
             "  done; done",
             PARALLEL, (unsigned long long)found->runs + 1);
    report_loop(all, each);
    report_sizes_table(all, found);
    report_sizes_plot(all, found);
    report_gain(all, found);
    report_doubt(all, found);
    compare_times(all, found);
}

/* ---- Time and memory over the number of threads (table 2, figure 2) ----------------------- */

static void report_threads_table(findings *all, const admission_found *found)
{
    found_table(all, "threads", "Time of the analysis of 2M strings over the number of threads");
    found_column(all, "threads", "", FOUND_GIVEN, 0);
    found_column(all, "time", "ms", FOUND_PUBLISHED, 2);
    found_column(all, "speed-up", "", FOUND_PUBLISHED, 2);
    found_column(all, "time, average", "ms", FOUND_HERE, 2);
    found_column(all, "\u00b1 of a run", "ms", FOUND_HERE, 2);
    found_column(all, "time, fastest", "ms", FOUND_HERE, 2);
    found_column(all, "speed-up, of the fastest", "", FOUND_HERE, 2);
    for (size_t i = 0; i < THREADINGS; i++) {
        found_number(all, published_threads[i].threads);
        found_number(all, published_threads[i].time);
        found_number(all, published_threads[0].time / published_threads[i].time);
        found_number(all, found->threads[i].average);
        found_number(all, found->threads[i].deviation);
        found_number(all, found->threads[i].least);
        found_number(all, found->threads[0].least / found->threads[i].least);
    }
}

static void report_threads_plot(findings *all, const admission_found *found)
{
    found_plot(all, "threads-curve", "Speed-up over the number of threads, 2M strings");
    found_axis_x(all, "threads", "", false);
    found_axis_y(all, "speed-up", "", false);
    found_line(all, "Java", FOUND_PUBLISHED);
    for (size_t i = 0; i < THREADINGS; i++)
        found_point(all, published_threads[i].threads,
                    published_threads[0].time / published_threads[i].time);
    found_line(all, "here, of the fastest runs", FOUND_HERE);
    for (size_t i = 0; i < THREADINGS; i++)
        found_point(all, published_threads[i].threads,
                    found->threads[0].least / found->threads[i].least);
}

/* Numbers of threads as text: all of them, or those that are within the noise of row `of`. */
static size_t list_threads(const admission_found *found, size_t of, char *text, size_t bytes)
{
    size_t count = 0, used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < THREADINGS; i++)
        if (of == THREADINGS || (i != of && !differ(&found->threads[i], &found->threads[of]))) {
            used += (size_t)snprintf(text + used, bytes - used, "%s%u", count == 0 ? "" : " ",
                                     published_threads[i].threads);
            count++;
        }
    return count;
}

/* Prose has 2, 3 and 5 where a command has 2 3 5. */
static void join_words(const char *words, size_t count, char *text, size_t bytes)
{
    size_t used = 0, seen = 1;

    for (; *words != '\0' && used + 8 < bytes; words++)
        if (*words == ' ')
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s", ++seen == count ? " and " : ", ");
        else
            text[used++] = *words;
    text[used] = '\0';
}

/* Which number of threads is fastest, and which are as fast within the noise. */
static void report_fastest(findings *all, const admission_found *found)
{
    size_t   best = 0, last = THREADINGS - 1;
    unsigned cores = lab_cores();
    char     words[64], others[96];

    for (size_t i = 1; i < THREADINGS; i++)
        best = found->threads[i].average < found->threads[best].average ? i : best;
    size_t near = list_threads(found, best, words, sizeof words);
    join_words(words, near, others, sizeof others);
    found_text(all, "Here %u thread%s %s fastest on average, on %u core%s%s%s%s.",
               published_threads[best].threads, best == 0 ? "" : "s", best == 0 ? "is" : "are",
               cores, cores == 1 ? "" : "s", near == 0 ? ", beyond the noise" : "; with ", others,
               near == 0 ? "" : " it takes as long, within the noise of these runs");
    if (differ(&found->threads[0], &found->threads[last]))
        found_text(all, "With %u threads it takes %.2f times as long as with one; published: %.2f.",
                   published_threads[last].threads,
                   found->threads[last].least / found->threads[0].least,
                   published_threads[last].time / published_threads[0].time);
    else
        found_text(all,
                   "With %u threads it takes as long as with one, within the noise; published: "
                   "%.2f times as long.",
                   published_threads[last].threads,
                   published_threads[last].time / published_threads[0].time);
    if (found->threads[0].least / found->threads[best].least > 1.1 * cores)
        found_text(all, "A speed-up above the number of cores means that other programs were "
                        "running meanwhile: a process with more threads then gets a larger share.");
}

static void report_threads(findings *all, const admission_found *found)
{
    char   numbers[64], text[96];
    size_t count = list_threads(found, THREADINGS, numbers, sizeof numbers);

    join_words(numbers, count, text, sizeof text);
    found_part(all, "threads", "Time over the number of threads");
    found_text(
        all,
        "The report divides the largest flow among %s threads, on two cores. Beyond two, "
        "every further thread cost it time. Here are %llu runs with each, the first left out; "
        "\u00b1 is their standard deviation.",
        text, (unsigned long long)found->runs);
    report_largest(all);
    found_command(all,
                  "for t in %s; do for run in $(seq %llu); do\n"
                  "  ink filter --count --threads $t set.ink flow.txt | grep seconds\n"
                  "done; done",
                  numbers, (unsigned long long)found->runs + 1);
    report_threads_table(all, found);
    report_threads_plot(all, found);
    report_fastest(all, found);
}

static void report_filter_memory(findings *all, const admission_found *found)
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

static void report_memory(findings *all, const admission_found *found)
{
    found_part(all, "memory", "Memory");
    found_text(all, "The published filter is a Java array of booleans, each of which takes a byte; "
                    "ours has bits.");
    report_loop(all, "ink build classic --bits $3 -n $2 --force -o set.ink set.txt\n"
                     "  ink build bloom --force -o planned.ink set.txt\n"
                     "  ink info set.ink; ink info planned.ink; wc -c set.txt");
    report_filter_memory(all, found);
    found_text(
        all,
        "The flow need not be in memory: the analysis takes it piece by piece. This is what "
        "it asks for at most, beside the flow of %.0f MB that the lab holds, the filter, and "
        "the stacks of threads; no command reports it, the lab itself counts.",
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
    report_admitted(bench->found, &found);
    report_sizes(bench->found, &found);
    report_threads(bench->found, &found);
    report_memory(bench->found, &found);
}

const experiment experiment_admission = {
    .id = "004",
    .title = "Admitted or rejected",
    .source =
        "\u201cImplementation of Bloom Filter using Java and Java Hadoop\u201d, by Luisa Collodi "
        "and Matteo Ghera, final project PC-2018/19, Unifi",
    .about =
        "A report on a Bloom filter in Java, one after another, with threads, and on Hadoop: a "
        "set S, and a flow of strings of which those in S are to be admitted. It has published "
        "the times of the analysis.",
    .share = 15,
    .run = run,
};
