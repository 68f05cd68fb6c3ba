/* streams.c - the experiments of a project on Spark Streaming (document 000): a filter and a
 * Count-Min sketch that learn from one stream, micro-batch by micro-batch, and answer another
 * meanwhile. */
#define _POSIX_C_SOURCE 200809L
#include "inkling_stream.h"
#include "workbench/workbench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 20, BATCHES_MOST = 64, NON_MEMBERS = 100000 };

static const double promised = 0.01, epsilon = 1e-3, delta = 0.01;
static const char   counted_word[] = "word3";

/* The state after a micro-batch. */
typedef struct state {
    uint64_t records;
    double   rate;     /* from the bits */
    uint64_t admitted; /* of the non-members */
    uint64_t estimate; /* Count-Min: of the key that is asked for ... */
    uint64_t truth;    /* ... and how often it came */
} state;

/* A stream that is looked at after each batch. */
typedef struct watched {
    lab            *bench;
    ink_stream     *stream;
    const lab_data *non_members;
    const char     *key;                      /* of a Count-Min */
    state           states[2 * BATCHES_MOST]; /* one more where a filter was given up */
    size_t          count, renewed;
    uint64_t        every;       /* records in a batch */
    double          least, most; /* rates at which filters were given up */
} watched;

/* ---- Running a stream --------------------------------------------------------------------- */

static void look(watched *all, const ink_stream_report *report)
{
    const ink_stream_view *view = ink_stream_view_take(all->stream);
    const ink_sketch      *sketch = NULL;
    state                 *now = &all->states[all->count];
    ink_answer             answer;

    if (all->count == 2 * BATCHES_MOST ||
        !lab_ok(all->bench, ink_stream_view_sketch(view, 0, &sketch, &all->bench->error))) {
        ink_stream_view_release(view);
        return;
    }
    now->records = report->records;
    if (all->key == NULL) {
        now->rate = lab_rate(all->bench, sketch);
        now->admitted = lab_admitted(all->bench, sketch, all->non_members);
    } else if (lab_ok(all->bench, ink_sketch_count(sketch, all->key, strlen(all->key), &answer,
                                                   &all->bench->error)))
        now->estimate = (uint64_t)answer.estimate;
    all->count++;
    ink_stream_view_release(view);
}

/* A filter is given up in the midst of a batch: the next look finds an empty one. */
static void look_at_end(watched *all, const ink_stream_report *report)
{
    double rate = report->passed_rate;

    if (all->count < 2 * BATCHES_MOST)
        all->states[all->count++] = (state){.records = report->records + all->every, .rate = rate};
    all->least = all->renewed == 0 || rate < all->least ? rate : all->least;
    all->most = rate > all->most ? rate : all->most;
    all->renewed++;
}

static void reported(void *host, ink_stream_event event, const ink_stream_report *report,
                     const char *text)
{
    watched *all = host;

    (void)text;
    if (event == INK_STREAM_RENEWED)
        look_at_end(all, report);
    if (event == INK_STREAM_BATCH)
        look(all, report);
}

/* As `ink stream --train keys.txt --sketch ... --every EVERY --state DIR`, looked at after each
 * batch. */
static void train(watched *all, const char *folder, const ink_params *params, uint64_t every,
                  bool renew)
{
    char               keys[LAB_PATH + 16], where[LAB_PATH + 16], left[LAB_PATH + 32];
    const char *const  files[] = {keys};
    ink_job            job = {0};
    ink_stream_options options = {
        .train = files,
        .train_count = 1,
        .folder = where,
        .kinds = params,
        .kind_count = 1,
        .every_records = every,
        .checkpoint_batches = UINT64_MAX,
        .renew = renew,
        .views = true,
        .notify = reported,
        .host = all,
    };
    const ink_reading lines = {0};
    lab              *bench = all->bench;

    snprintf(keys, sizeof keys, "%s/keys.txt", folder);
    snprintf(where, sizeof where, "%s/state", folder);
    if (bench->status == INK_OK &&
        lab_ok(bench, ink_stream_open(&all->stream, &lines, &options, &job, &bench->error))) {
        lab_ok(bench, ink_stream_run(all->stream, &bench->error));
        ink_stream_close(all->stream);
    }
    snprintf(left, sizeof left, "%s/state.ink", where);
    unlink(left);
    snprintf(left, sizeof left, "%s/lock", where);
    unlink(left);
    rmdir(where);
}

static void run_stream(watched *all, const lab_data *keys, const ink_params *params, uint64_t every,
                       bool renew)
{
    char folder[LAB_PATH], path[LAB_PATH + 16];

    if (!lab_make_folder(all->bench, folder))
        return;
    snprintf(path, sizeof path, "%s/keys.txt", folder);
    lab_write_file(all->bench, path, keys);
    train(all, folder, params, every, renew);
    unlink(path);
    rmdir(folder);
}

/* ---- A filter that fills ------------------------------------------------------------------ */

static void report_filling(findings *all, const watched *found, uint64_t planned)
{
    char non_members[32];

    snprintf(non_members, sizeof non_members, "of %d", NON_MEMBERS);
    found_table(all, "filling", "The state after each micro-batch");
    found_column(all, "micro-batch", "", FOUND_GIVEN, 0);
    found_column(all, "keys learnt", "", FOUND_HERE, 0);
    found_column(all, "non-members admitted", non_members, FOUND_HERE, 0);
    found_column(all, "measured", "%", FOUND_HERE, 3);
    found_column(all, "from the bits", "%", FOUND_HERE, 3);
    for (size_t i = 0; i < found->count; i++) {
        const state *now = &found->states[i];
        found_number(all, (double)(i + 1));
        found_number(all, (double)now->records);
        found_number(all, (double)now->admitted);
        found_number(all, 100.0 * (double)now->admitted / NON_MEMBERS);
        found_number(all, 100 * now->rate);
    }
    for (size_t i = found->count; i-- > 0;)
        if (found->states[i].records <= planned) {
            found_compared(all, &(found_comparison){
                                    .what = "False positives of a filter with the keys it was "
                                            "planned for",
                                    .unit = "%",
                                    .by = FOUND_GIVEN,
                                    .decimals = FOUND_SHORT,
                                    .expected = 100 * promised,
                                    .here = 100 * found->states[i].rate,
                                    .high = 100 * promised,
                                    .why = "a single filter may be above its promise by chance",
                                });
            break;
        }
    found_plot(all, "rate", "False positives as the filter fills");
    found_axis_x(all, "keys learnt", "", false);
    found_axis_y(all, "false positives", "%", false);
    found_line(all, "measured", FOUND_HERE);
    for (size_t i = 0; i < found->count; i++)
        found_point(all, (double)found->states[i].records,
                    100.0 * (double)found->states[i].admitted / NON_MEMBERS);
    found_line(all, "from the bits", FOUND_HERE);
    for (size_t i = 0; i < found->count; i++)
        found_point(all, (double)found->states[i].records, 100 * found->states[i].rate);
    found_line(all, "promised up to its plan", FOUND_GIVEN);
    found_point(all, 0, 100 * promised);
    found_point(all, (double)planned, 100 * promised);
}

static void run_filling(lab *bench)
{
    uint64_t         planned = lab_size(bench, 1000000, 100000), keys = planned * 3 / 2;
    uint64_t         every = keys / BATCHES;
    const ink_params params = {
        .kind = "bloom", .expected_keys = planned, .false_positive_rate = promised};
    findings *all = bench->found;
    lab_data  learnt = lab_generate(bench, "ip", keys, 1);
    lab_data  non_members = lab_generate(bench, "names", NON_MEMBERS, 2);
    watched   found = {.bench = bench, .non_members = &non_members};

    found_part(all, "filling", "A filter that learns from one stream and answers another");
    found_text(
        all,
        "The project feeds random IPv4 addresses, written without dots, to a Bloom filter in "
        "micro-batches; a second stream asks which addresses were seen, and is answered from "
        "the state of the last batch. Here %llu addresses come in %d batches into a filter "
        "planned for %llu of them at %g %%, and after each batch %d non-members are asked for.",
        (unsigned long long)keys, BATCHES, (unsigned long long)planned, 100 * promised,
        NON_MEMBERS);
    found_command(all, "ink gen ip -n %llu --seed 1 -o keys.txt", (unsigned long long)keys);
    found_command(all, "ink gen names -n %d --seed 2 -o others.txt", NON_MEMBERS);
    found_command(
        all,
        "for batch in $(seq %d); do head -n $((batch * %llu)) keys.txt > so-far.txt; rm -rf "
        "seen; ink stream -q --train so-far.txt --sketch bloom -n %llu -p %g --every %llu "
        "--state seen; ink filter --count seen/state.ink others.txt; done",
        BATCHES, (unsigned long long)every, (unsigned long long)planned, promised,
        (unsigned long long)every);
    if (lab_step(bench, 0, "a filter that fills"))
        run_stream(&found, &learnt, &params, every, false);
    if (bench->status == INK_OK)
        report_filling(all, &found, planned);
    lab_data_free(&learnt);
    lab_data_free(&non_members);
}

/* ---- Begun anew --------------------------------------------------------------------------- */

static void run_renewing(lab *bench)
{
    uint64_t         planned = lab_size(bench, 200000, 20000), keys = planned * 6;
    uint64_t         every = keys / BATCHES_MOST;
    const ink_params params = {
        .kind = "bloom", .expected_keys = planned, .false_positive_rate = promised};
    findings *all = bench->found;
    lab_data  learnt = lab_generate(bench, "ip", every * BATCHES_MOST, 3);
    lab_data  non_members = lab_generate(bench, "names", NON_MEMBERS, 2);
    watched   found = {.bench = bench, .non_members = &non_members, .every = every};

    found_part(all, "renewing", "When the rate gets too high");
    found_text(all,
               "The project notes that a filter is to be regenerated when too many false positives "
               "come. With `--renew` a filter that has passed its promise is begun anew, at a "
               "border between batches: what it held is forgotten. (`--grow` lets it grow "
               "instead.)");
    found_command(all, "ink gen ip -n %llu --seed 3 -o more.txt",
                  (unsigned long long)(every * BATCHES_MOST));
    found_command(all,
                  "ink stream --train more.txt --sketch bloom -n %llu -p %g --renew --every %llu "
                  "--state renewed",
                  (unsigned long long)planned, promised, (unsigned long long)every);
    if (lab_step(bench, 0.4, "a filter that is begun anew"))
        run_stream(&found, &learnt, &params, every, true);
    if (bench->status == INK_OK) {
        found_plot(all, "sawtooth", "Begun anew whenever the promise was passed");
        found_axis_x(all, "keys that came", "", false);
        found_axis_y(all, "rate from the bits", "%", false);
        found_line(all, "rate", FOUND_HERE);
        for (size_t i = 0; i < found.count; i++)
            found_point(all, (double)found.states[i].records, 100 * found.states[i].rate);
        found_line(all, "promised", FOUND_GIVEN);
        found_point(all, 0, 100 * promised);
        found_point(all, (double)found.states[found.count - 1].records, 100 * promised);
        found_text(
            all,
            "It was begun anew %zu times in %llu keys, at rates of %.2f to %.2f %%: the command "
            "reports each.",
            found.renewed, (unsigned long long)found.states[found.count - 1].records,
            100 * found.least, 100 * found.most);
    }
    lab_data_free(&learnt);
    lab_data_free(&non_members);
}

/* ---- Counting ----------------------------------------------------------------------------- */

/* How often the key is among the first lines, of which there are `records`, batch by batch. */
static void count_truth(watched *found, const lab_data *lines)
{
    size_t   length = strlen(found->key), at = 0, batch = 0;
    uint64_t record = 0, truth = 0;

    while (at < lines->count && batch < found->count) {
        const uint8_t *start = lines->bytes + at, *end = memchr(start, '\n', lines->count - at);
        size_t         bytes = end == NULL ? lines->count - at : (size_t)(end - start);
        truth += bytes == length && memcmp(start, found->key, length) == 0;
        at += bytes + 1;
        if (++record == found->states[batch].records)
            found->states[batch++].truth = truth;
    }
}

static void report_counts(findings *all, const watched *found)
{
    char   caption[64];
    double worst = 0;

    snprintf(caption, sizeof caption, "How often `%s` came, after each micro-batch", counted_word);
    found_table(all, "counts", caption);
    found_column(all, "micro-batch", "", FOUND_GIVEN, 0);
    found_column(all, "words", "", FOUND_HERE, 0);
    found_column(all, "Count-Min", "", FOUND_HERE, 0);
    found_column(all, "exactly", "", FOUND_HERE, 0);
    found_column(all, "too high by", "", FOUND_HERE, 0);
    found_column(all, "bound: \u03b5 \u00d7 words", "", FOUND_THEORY, 0);
    for (size_t i = 0; i < found->count; i++) {
        const state *now = &found->states[i];
        worst = fmax(worst, (double)(now->estimate - now->truth) / (double)now->records);
        found_number(all, (double)(i + 1));
        found_number(all, (double)now->records);
        found_number(all, (double)now->estimate);
        found_number(all, (double)now->truth);
        found_number(all, (double)now->estimate - (double)now->truth);
        found_number(all, epsilon * (double)now->records);
    }
    found_compared(all, &(found_comparison){
                            .what = "Largest error of a count in a stream",
                            .unit = "% of all words",
                            .by = FOUND_GIVEN,
                            .decimals = FOUND_SHORT,
                            .expected = 100 * epsilon,
                            .here = 100 * worst,
                            .high = 100 * epsilon,
                            .why = "one word in 1/\u03b4 may be off by more",
                        });
}

static void run_counting(lab *bench)
{
    uint64_t         words = lab_size(bench, 2000000, 200000), every = words / BATCHES;
    const ink_params params = {.kind = "count-min", .epsilon = epsilon, .delta = delta};
    findings        *all = bench->found;
    lab_data         text = lab_generate(bench, "zipf", words, 1);
    watched          found = {.bench = bench, .key = counted_word};

    found_part(all, "counting", "How often, while it goes on");
    found_text(
        all,
        "The same two streams with a Count-Min sketch: \u2308e/\u03b5\u2309 counters in each of "
        "\u2308ln 1/\u03b4\u2309 rows, raised batch by batch; the answer is the least of a "
        "word\u2019s counters. It is never too low, and too high by more than \u03b5 times all "
        "words at most once in 1/\u03b4 words.");
    found_command(all, "ink gen zipf -n %llu --seed 1 -o words.txt", (unsigned long long)words);
    found_command(
        all,
        "for batch in $(seq %d); do head -n $((batch * %llu)) words.txt > so-far.txt; rm -rf "
        "counted; echo 'COUNT %s' | ink stream -q --train so-far.txt --ask - --sketch "
        "count-min --eps %g --delta %g --every %llu --state counted; grep -cx %s so-far.txt; done",
        BATCHES, (unsigned long long)every, counted_word, epsilon, delta, (unsigned long long)every,
        counted_word);
    if (lab_step(bench, 0.8, "counts in a stream"))
        run_stream(&found, &text, &params, every, false);
    count_truth(&found, &text);
    if (bench->status == INK_OK)
        report_counts(all, &found);
    lab_data_free(&text);
}

static void run(lab *bench)
{
    run_filling(bench);
    run_renewing(bench);
    run_counting(bench);
}

const experiment experiment_streams = {
    .id = "000",
    .title = "Train and ask at the same time",
    .source = "\u201cImplementation of Bloom Filter and Count-Min Sketch in Apache Spark\u201d, by "
              "Logothetis N. Fragkoulis, M.Sc. candidate",
    .about = "A student\u2019s project: a Bloom filter and a Count-Min sketch on Spark Streaming, "
             "trained by one stream and asked by another, in micro-batches. It has published no "
             "figures.",
    .share = 10,
    .run = run,
};
