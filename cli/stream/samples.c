/* samples.c - samples of a stream, one each second. */
#define _POSIX_C_SOURCE 200809L
#include "stream/samples.h"

#include "options/kind_texts.h"
#include "report/failure.h"
#include "report/progress.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample of a filter reads all of it: at most one part in LEISURE of a core's time. */
enum { LEISURE = 20 };

static const ink_answer no_answer = {.estimate = NAN, .low = NAN, .high = NAN};

struct cli_sampler {
    ink_stream *stream;
    void (*each_second)(void *host);
    void           *host;
    pthread_t       thread;
    pthread_mutex_t mutex; /* guards ended and samples */
    pthread_cond_t  ends;
    bool            ended;
    cli_samples     samples;
    /* of the thread alone: */
    sample_sketch looked[SAMPLE_SKETCHES_MAX]; /* the next of samples */
    uint64_t      looked_batches;              /* their batch; at first UINT64_MAX */
    double        look_next;                   /* the earliest time of the next sample */
};

/* ---- Sketches ----------------------------------------------------------------------------- */

static void keep_item(sample_item *kept, const ink_item *item, const ink_description *d)
{
    kept->count = item->count;
    kept->cut = item->cut || item->key_bytes > SAMPLE_KEY_BYTES;
    if (d->key_type == INK_KEY_INT) {
        kept->key_bytes = (size_t)snprintf(kept->key, sizeof kept->key, "%" PRId64, item->key_int);
        return;
    }
    kept->key_bytes = item->key_bytes < SAMPLE_KEY_BYTES ? item->key_bytes : SAMPLE_KEY_BYTES;
    memcpy(kept->key, item->key, kept->key_bytes);
}

static void look_at_keys(sample_sketch *looked, const ink_sketch *sketch)
{
    ink_item items[SAMPLE_ITEMS];

    if (ink_sketch_top(sketch, items, SAMPLE_ITEMS, &looked->item_count, NULL) != INK_OK)
        looked->item_count = 0;
    for (size_t i = 0; i < looked->item_count; i++)
        keep_item(&looked->items[i], &items[i], &looked->description);
}

static void look_at(sample_sketch *looked, const ink_stream_view *view, size_t index,
                    const ink_sketch *sketch)
{
    looked->item_count = 0;
    ink_sketch_describe(sketch, &looked->description);
    looked->kind = kind_info(looked->description.kind);
    if (!looked->kind.contains || ink_stream_view_rate(view, index, &looked->rate, NULL) != INK_OK)
        looked->rate = NAN;
    if (!looked->kind.distinct || ink_sketch_distinct(sketch, 0, &looked->distinct, NULL) != INK_OK)
        looked->distinct = no_answer;
    if (looked->kind.keeps_keys)
        look_at_keys(looked, sketch);
}

/* Returns the number of sketches; 0 if there are no new batches, or no time for a sample. */
static size_t look_at_all(cli_sampler *sampler)
{
    const ink_stream_view *view = ink_stream_view_take(sampler->stream);
    uint64_t               batches = ink_stream_view_report(view)->batches;
    size_t                 count = 0;
    const ink_sketch      *sketch;
    double                 began = seconds_now();

    if (batches != sampler->looked_batches && began >= sampler->look_next) {
        while (count < SAMPLE_SKETCHES_MAX &&
               ink_stream_view_sketch(view, count, &sketch, NULL) == INK_OK) {
            look_at(&sampler->looked[count], view, count, sketch);
            count++;
        }
        sampler->looked_batches = batches;
        sampler->look_next = seconds_now() + LEISURE * (seconds_now() - began);
    }
    ink_stream_view_release(view);
    return count;
}

/* The sketch with the best estimate of distinct keys: of a kind for this, with the lowest error. */
static size_t best_counter(const cli_samples *samples)
{
    size_t best = samples->sketch_count;

    for (size_t i = 0; i < samples->sketch_count; i++) {
        const sample_sketch *sketch = &samples->sketches[i];
        if (isnan(sketch->distinct.estimate))
            continue;
        if (best == samples->sketch_count)
            best = i;
        bool   made_for_it = sketch->description.standard_error > 0;
        double error = samples->sketches[best].description.standard_error;
        if (made_for_it && (error == 0 || sketch->description.standard_error < error))
            best = i;
    }
    return best;
}

/* ---- Samples ------------------------------------------------------------------------------ */

static double per_second(uint64_t before, uint64_t after, double seconds)
{
    return seconds > 0 && after >= before ? (double)(after - before) / seconds : 0;
}

static void keep_moment(cli_samples *samples, const ink_stream_report *before)
{
    const ink_stream_report *after = &samples->report;
    double                   seconds = after->seconds - before->seconds;
    /* The history begins with the first record or question: one moment is kept until then. */
    bool     waits = samples->moments == 1 && after->run_records == 0 && after->questions == 0;
    uint64_t index = waits ? 0 : samples->moments++;
    sample_moment *moment = &samples->history[index % SAMPLE_HISTORY];

    *moment = (sample_moment){
        .seconds = after->seconds,
        .records_per_second = per_second(before->run_records, after->run_records, seconds),
        .questions_per_second = per_second(before->questions, after->questions, seconds),
        .distinct = samples->counter < samples->sketch_count
                        ? samples->sketches[samples->counter].distinct
                        : no_answer,
    };
    for (size_t i = 0; i < samples->sketch_count; i++)
        moment->rates[i] = samples->sketches[i].rate;
}

static void take(cli_sampler *sampler)
{
    cli_samples      *samples = &sampler->samples;
    size_t            looked = look_at_all(sampler);
    ink_stream_report report, before;

    ink_stream_now(sampler->stream, &report);
    pthread_mutex_lock(&sampler->mutex);
    before = samples->report;
    samples->report = report;
    if (samples->moments == 0)
        before = report; /* the first has no rate */
    else if (report.saved_batches != before.saved_batches)
        samples->saved_at = time(NULL);
    if (looked > 0) {
        memcpy(samples->sketches, sampler->looked, looked * sizeof *sampler->looked);
        samples->sketch_count = looked;
        samples->counter = best_counter(samples);
    }
    keep_moment(samples, &before);
    pthread_mutex_unlock(&sampler->mutex);
}

/* ---- The thread --------------------------------------------------------------------------- */

/* Waits until `then`; false if the sampler ends. */
static bool wait_until(cli_sampler *sampler, const struct timespec *then)
{
    pthread_mutex_lock(&sampler->mutex);
    while (!sampler->ended && pthread_cond_timedwait(&sampler->ends, &sampler->mutex, then) == 0)
        ;
    bool goes_on = !sampler->ended;
    pthread_mutex_unlock(&sampler->mutex);
    return goes_on;
}

static void *run(void *host)
{
    cli_sampler    *sampler = host;
    struct timespec next;

    clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_sec++;
    while (wait_until(sampler, &next)) {
        take(sampler);
        sampler->each_second(sampler->host);
        next.tv_sec++;
        if ((double)next.tv_sec < seconds_now()) { /* missed samples are not made up for */
            clock_gettime(CLOCK_MONOTONIC, &next);
            next.tv_sec++;
        }
    }
    return NULL;
}

static int start_thread(cli_sampler *sampler)
{
    pthread_condattr_t clock;
    int                why = pthread_condattr_init(&clock);

    if (why == 0) {
        why = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        if (why == 0)
            why = pthread_cond_init(&sampler->ends, &clock);
        pthread_condattr_destroy(&clock);
    }
    if (why == 0) {
        take(sampler);
        why = pthread_create(&sampler->thread, NULL, run, sampler);
        if (why == 0)
            return 0;
        pthread_cond_destroy(&sampler->ends);
    }
    return fail(CODE_LIMIT, "--http: a thread cannot be started: %s", strerror(why));
}

int samples_start(cli_sampler **started, ink_stream *stream, const ink_stream_options *options,
                  size_t key_columns, void (*each_second)(void *host), void *host)
{
    cli_sampler *sampler = need_memory(NULL, sizeof *sampler);

    memset(sampler, 0, sizeof *sampler);
    sampler->stream = stream;
    sampler->looked_batches = UINT64_MAX;
    sampler->each_second = each_second;
    sampler->host = host;
    sampler->samples.options = options;
    sampler->samples.train = ink_stream_train_address(stream);
    sampler->samples.ask = options->ask == NULL ? NULL : ink_stream_ask_address(stream);
    sampler->samples.key_columns = key_columns;
    pthread_mutex_init(&sampler->mutex, NULL);
    int code = start_thread(sampler);
    if (code != 0) {
        pthread_mutex_destroy(&sampler->mutex);
        free(sampler);
        return code;
    }
    *started = sampler;
    return 0;
}

void samples_stop(cli_sampler *sampler)
{
    if (sampler == NULL)
        return;
    pthread_mutex_lock(&sampler->mutex);
    sampler->ended = true;
    pthread_cond_signal(&sampler->ends);
    pthread_mutex_unlock(&sampler->mutex);
    pthread_join(sampler->thread, NULL);
    pthread_cond_destroy(&sampler->ends);
    pthread_mutex_destroy(&sampler->mutex);
    free(sampler);
}

/* ---- Clients ------------------------------------------------------------------------------ */

const cli_samples *samples_lock(cli_sampler *sampler)
{
    pthread_mutex_lock(&sampler->mutex);
    return &sampler->samples;
}

void samples_unlock(cli_sampler *sampler)
{
    pthread_mutex_unlock(&sampler->mutex);
}

void samples_note(cli_sampler *sampler, const char *text)
{
    cli_samples *samples = &sampler->samples;

    pthread_mutex_lock(&sampler->mutex);
    sample_note *last = &samples->notes[(samples->note_count - 1) % SAMPLE_NOTES];
    if (samples->note_count == 0 || strcmp(last->text, text) != 0)
        last = &samples->notes[samples->note_count++ % SAMPLE_NOTES];
    last->when = time(NULL);
    snprintf(last->text, sizeof last->text, "%s", text);
    pthread_mutex_unlock(&sampler->mutex);
}
