/* ratings_measure.c - rates and times of document 001, and a filter for each rating, built from a
 * file and verified against it, as the commands ink build and ink verify do. */
#include "experiments/ratings_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What the document has ----------------------------------------------------------------- */

const double ratings_asked[RATES] = {0.001, 0.01, 0.05, 0.1};

/* "Testing and Experimental results", execution times in ms, for 1 to 4 executors. */
const double ratings_published_times[EXECUTORS][RATES] = {
    {182841, 151041, 110881, 100432},
    {137614, 116322, 96431, 90039},
    {135178, 115362, 98466, 92057},
    {145495, 120189, 106159, 95315},
};

double ratings_published_least(size_t rate, unsigned *executors)
{
    unsigned best = 0;

    for (unsigned i = 1; i < EXECUTORS; i++)
        best = ratings_published_times[i][rate] < ratings_published_times[best][rate] ? i : best;
    if (executors != NULL)
        *executors = best + 1;
    return ratings_published_times[best][rate];
}

/* ---- What is measured ---------------------------------------------------------------------- */

/* A label is the rating, rounded: "1" to "10". NULL: it is none. */
static rating_filter *filter_of(rated *one, const ink_label *label)
{
    char text[8] = {0};

    if (label->group_bytes >= sizeof text)
        return NULL;
    memcpy(text, label->group, label->group_bytes);
    unsigned long rating = strtoul(text, NULL, 10);
    return rating < 1 || rating > RATINGS ? NULL : &one->of[rating - 1];
}

static void note_filters(lab *bench, const ink_set *set, rated *one)
{
    for (size_t i = 0; i < ink_set_count(set); i++) {
        ink_entry       entry;
        ink_description about;
        if (!lab_ok(bench, ink_set_entry(set, i, &entry, &bench->error)))
            return;
        rating_filter *filter = filter_of(one, &entry.label);
        if (filter == NULL)
            continue;
        ink_sketch_describe(entry.sketch, &about);
        filter->titles = about.records;
        filter->bits = about.bits;
        filter->hashes = about.hashes;
        filter->bytes = about.bytes;
    }
}

static void note_results(lab *bench, const ink_verification *verification, rated *one)
{
    for (size_t i = 0; i < ink_verification_count(verification); i++) {
        ink_verify_result result;
        if (!lab_ok(bench, ink_verification_row(verification, i, &result, &bench->error)))
            return;
        rating_filter *filter = filter_of(one, &result.label);
        if (filter == NULL)
            continue;
        filter->tested = result.tested;
        filter->false_positives = result.false_positives;
    }
}

/* As `ink build KIND --header --key tconst --by averageRating --round half-even -o sketches`. */
static void build(lab *bench, const char *file, const char *sketches, const ink_params *params,
                  unsigned threads, rated *one)
{
    static const char *const key[] = {"tconst"};
    const ink_reading        reading = {.header = true,
                                        .key = key,
                                        .key_count = 1,
                                        .by = "averageRating",
                                        .round = INK_ROUND_HALF_EVEN};
    const ink_input          input = {.path = file};
    const ink_build_options  options = {.kinds = params, .kind_count = 1};
    ink_job                  job = {.threads = threads};
    ink_set                 *set = NULL;

    if (bench->status != INK_OK ||
        !lab_ok(bench, ink_build(&set, &input, 1, &reading, &options, &job, &bench->error)))
        return;
    lab_ok(bench, ink_set_save(set, sketches, &bench->error));
    note_filters(bench, set, one);
    ink_set_free(set);
}

/* As `ink verify sketches --truth file`. */
static void verify(lab *bench, const char *file, const char *sketches, unsigned threads, rated *one)
{
    const ink_input   input = {.path = file};
    ink_job           job = {.threads = threads};
    ink_verification *verification;
    ink_file         *filters;

    if (bench->status != INK_OK ||
        !lab_ok(bench, ink_file_open_any(&filters, sketches, NULL, &bench->error)))
        return;
    if (lab_ok(bench, ink_verify(&verification, filters, &input, 1, &(ink_reading){0},
                                 &(ink_verify_options){0}, &job, &bench->error))) {
        note_results(bench, verification, one);
        ink_verification_free(verification);
    }
    ink_file_close(filters);
}

static double less(double before, double seconds)
{
    return before == 0 || seconds < before ? seconds : before;
}

static void run_once(lab *bench, const ratings_found *found, const char *sketches,
                     const ink_params *params, size_t row, rated *one)
{
    double start = lab_clock();

    build(bench, found->file, sketches, params, found->threads[row], one);
    double built = lab_clock();
    verify(bench, found->file, sketches, found->threads[row], one);
    double verified = lab_clock();
    one->build[row] = less(one->build[row], built - start);
    one->verify[row] = less(one->verify[row], verified - built);
}

unsigned ratings_threads(const lab *bench)
{
    return bench->threads == 0 ? lab_cores() : bench->threads;
}

/* As many as there were executors, and as are used otherwise; a quick run has one and these. */
static void choose_threads(const lab *bench, ratings_found *found)
{
    unsigned usual = ratings_threads(bench), in_turn = bench->options->quick ? 1 : EXECUTORS;

    for (unsigned threads = 1; threads <= in_turn; threads++)
        found->threads[found->rows++] = threads;
    if (usual > in_turn)
        found->threads[found->rows++] = usual;
}

uint64_t ratings_runs(const lab *bench)
{
    return lab_size(bench, 3, 1);
}

static void measure(lab *bench, ratings_found *found, const char *sketches, size_t rate, size_t row)
{
    const ink_params textbook = {
        .kind = "classic", .hash = "mmh3", .false_positive_rate = ratings_asked[rate]};
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = ratings_asked[rate]};

    run_once(bench, found, sketches, &textbook, row, &found->textbook[rate]);
    run_once(bench, found, sketches, &bloom, row, &found->bloom[rate]);
}

/* Runs of one sort are apart from one another, so that what else goes on here meets all alike. */
void ratings_measure(lab *bench, const char *folder, ratings_found *found)
{
    char sketches[LAB_PATH + 16];

    choose_threads(bench, found);
    uint64_t steps = ratings_runs(bench) * found->rows * RATES;
    snprintf(sketches, sizeof sketches, "%s/ratings.ink", folder);
    for (uint64_t step = 0; step < steps; step++) {
        size_t rate = (size_t)(step % RATES), row = (size_t)(step / RATES % found->rows);
        if (lab_step(bench, 0.1 + 0.8 * (double)step / (double)steps, "filters of ratings"))
            measure(bench, found, sketches, rate, row);
    }
    unlink(sketches);
}

double ratings_seconds(const rated *one, size_t row)
{
    return one->build[row] + one->verify[row];
}

size_t ratings_fastest(const ratings_found *found, const rated *one)
{
    size_t best = 0;

    for (size_t row = 1; row < found->rows; row++)
        best = ratings_seconds(one, row) < ratings_seconds(one, best) ? row : best;
    return best;
}
