/* metrics.c - samples of a stream for programs. */
#include "stream/metrics.h"

#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

/* Whole numbers below this are written with all their digits. */
#define WHOLE_BELOW 1e15

/* The shortest decimal that reads back as the same number; "null" if it is not finite. */
static void put_number(cli_text *text, double real)
{
    char number[NUMBER_BYTES] = "null";

    if (fabs(real) < WHOLE_BELOW && floor(real) == real) {
        text_format(text, "%.0f", real);
        return;
    }
    if (isfinite(real))
        ink_real_text(real, number);
    text_put(text, number);
}

/* ---- JSON: fields ------------------------------------------------------------------------- */

static void separate(cli_text *text)
{
    if (text->count > 0 && text->bytes[text->count - 1] != '{' &&
        text->bytes[text->count - 1] != '[')
        text_put(text, ",");
}

static void name(cli_text *text, const char *field)
{
    separate(text);
    text_format(text, "\"%s\":", field);
}

/* Begins an object or an array, as the value of a field, or (NULL) as the next element. */
static void begin(cli_text *text, const char *field, const char *bracket)
{
    if (field == NULL)
        separate(text);
    else
        name(text, field);
    text_put(text, bracket);
}

/* A field of text, or in hex, with another name, if it is not UTF-8. */
static void put_cell(cli_text *text, const char *field, cli_cell cell)
{
    const cli_column column = {.name = field, .type = COLUMN_TEXT};

    separate(text);
    json_member(text, &column, &cell);
}

static void put_text(cli_text *text, const char *field, const char *value)
{
    put_cell(text, field, cell_text(value));
}

static void put_count(cli_text *text, const char *field, uint64_t count)
{
    name(text, field);
    text_format(text, "%" PRIu64, count);
}

static void put_count_if(cli_text *text, const char *field, uint64_t count)
{
    if (count > 0)
        put_count(text, field, count);
}

static void put_real(cli_text *text, const char *field, double real)
{
    name(text, field);
    put_number(text, real);
}

static void put_real_if(cli_text *text, const char *field, double real)
{
    if (real > 0)
        put_real(text, field, real);
}

static void put_bool(cli_text *text, const char *field, bool value)
{
    name(text, field);
    text_put(text, value ? "true" : "false");
}

/* A whole number, with all its digits. */
static void put_whole(cli_text *text, const char *field, double real)
{
    name(text, field);
    text_format(text, isfinite(real) ? "%.0f" : "null", real < 0x1p52 ? floor(real + 0.5) : real);
}

/* An answer about keys, in whole numbers. */
static void put_answer(cli_text *text, const ink_answer *answer)
{
    put_whole(text, "estimate", answer->estimate);
    put_whole(text, "low", answer->low);
    put_whole(text, "high", answer->high);
    put_real(text, "confidence", answer->confidence);
}

/* ---- JSON: sketches ----------------------------------------------------------------------- */

static void put_keys(cli_text *text, const sample_sketch *sketch, size_t columns)
{
    begin(text, "answers", "[");
    for (size_t i = 0; i < sketch->item_count; i++) {
        const sample_item *item = &sketch->items[i];
        begin(text, NULL, "{");
        put_cell(text, "key", cell_key(item->key, item->key_bytes, item->cut, columns));
        if (item->cut)
            put_bool(text, "cut", true);
        put_answer(text, &item->count);
        if (sketch->description.total > 0)
            put_real(text, "share", item->count.estimate / (double)sketch->description.total);
        text_put(text, "}");
    }
    text_put(text, "]");
}

/* The keys of a filter as a share of its capacity; NAN for other kinds, and for a scalable, which
 * has no fixed capacity. */
static double fill_of(const sample_sketch *sketch)
{
    const ink_description *d = &sketch->description;

    if (!sketch->kind.contains || d->expected_keys == 0 || d->levels > 0)
        return NAN;
    return sketch->distinct.estimate / (double)d->expected_keys;
}

/* A whole number with commas between thousands. */
static void put_grouped(cli_text *text, double number)
{
    char   digits[NUMBER_BYTES];
    size_t count = (size_t)snprintf(digits, sizeof digits, "%.0f", fmin(number, 1e18));

    for (size_t i = 0; i < count; i++) {
        text_bytes(text, digits + i, 1);
        if ((count - i) % 3 == 1 && i + 1 < count)
            text_put(text, ",");
    }
}

/* A number of keys to plan for, half again as many as there are: two digits, and zeros. */
static double roomy(double keys)
{
    double scale = pow(10, floor(log10(fmax(1.5 * keys, 10))) - 1);

    return ceil(1.5 * keys / scale) * scale;
}

/* By how much a filter has passed its promise: above 1, it has; NAN: it has none. */
static double passed(const sample_sketch *sketch)
{
    double promised = sketch->description.promised_rate;

    return sketch->kind.contains && promised > 0 ? sketch->rate / promised : NAN;
}

static bool holds(const sample_sketch *sketch)
{
    return ink_rate_holds(&sketch->description, sketch->rate);
}

/* The state of a filter with a promise in one line, and what to do if it does not hold. Keys that a
 * full filter cannot distinguish are counted by the sketch that counts best. */
static void put_state(cli_text *text, const sample_sketch *sketch, const cli_samples *samples)
{
    const ink_stream_options *options = samples->options;
    const ink_answer *keys = sketch->distinct.saturated && samples->counter < samples->sketch_count
                                 ? &samples->sketches[samples->counter].distinct
                                 : &sketch->distinct;
    cli_text          line = {0};

    text_format(&line, "%.3g %% false positives, promised %.3g %%", 100 * sketch->rate,
                100 * sketch->description.promised_rate);
    if (!holds(sketch) && !isnan(fill_of(sketch))) {
        text_put(&line, keys->saturated ? ": it holds more than " : ": it holds ");
        put_grouped(&line, floor(keys->estimate + 0.5));
        text_put(&line, " keys of ");
        put_grouped(&line, (double)sketch->description.expected_keys);
        text_format(&line, " planned; begin a new state with n=%.0f or --grow",
                    roomy(keys->estimate));
        if (options->window_microseconds == 0 && !options->renew)
            text_put(&line, ", or go on with --renew");
    }
    name(text, "state");
    json_string(text, false, line.bytes, line.count);
    text_free(&line);
}

static void put_filter(cli_text *text, const sample_sketch *sketch, const cli_samples *samples)
{
    const ink_description *d = &sketch->description;

    put_real_if(text, "target_rate", d->target_rate);
    put_real_if(text, "promised_rate", d->promised_rate);
    put_real(text, "current_rate", sketch->rate);
    if (!isnan(fill_of(sketch)))
        put_real(text, "fill", fill_of(sketch));
    if (!isnan(passed(sketch))) {
        put_bool(text, "ok", holds(sketch));
        put_state(text, sketch, samples);
    }
}

static void put_sketch(cli_text *text, const sample_sketch *sketch, const cli_samples *samples)
{
    const ink_description *d = &sketch->description;

    begin(text, NULL, "{");
    put_text(text, "kind", d->kind);
    put_count_if(text, "keys", d->expected_keys);
    put_count_if(text, "bits", d->bits);
    put_count_if(text, "hashes", d->hashes);
    put_count(text, "bytes", d->bytes);
    put_real_if(text, "bits_per_key", d->bits_per_key);
    put_count(text, "records", d->records);
    put_count_if(text, "total", d->total);
    put_count_if(text, "levels", d->levels);
    put_count_if(text, "width", d->width);
    put_count_if(text, "depth", d->depth);
    put_real_if(text, "epsilon", d->epsilon);
    put_real_if(text, "delta", d->delta);
    put_count_if(text, "capacity", d->capacity);
    put_count_if(text, "missed", d->missed);
    put_count_if(text, "precision", d->precision);
    put_real_if(text, "standard_error", d->standard_error);
    if (sketch->kind.contains)
        put_filter(text, sketch, samples);
    if (!isnan(sketch->distinct.estimate)) {
        begin(text, "distinct", "{");
        put_answer(text, &sketch->distinct);
        text_put(text, "}");
    }
    if (sketch->kind.keeps_keys)
        put_keys(text, sketch, samples->key_columns);
    text_put(text, "}");
}

/* The kind of the filter that has passed its promise by most, or is nearest to it. */
static void put_worst(cli_text *text, const cli_samples *samples)
{
    const sample_sketch *worst = NULL;

    for (size_t i = 0; i < samples->sketch_count; i++) {
        const sample_sketch *sketch = &samples->sketches[i];
        if (!isnan(passed(sketch)) && (worst == NULL || passed(sketch) > passed(worst)))
            worst = sketch;
    }
    if (worst != NULL)
        put_text(text, "worst", worst->description.kind);
}

/* ---- JSON: the stream --------------------------------------------------------------------- */

static const sample_moment *moment_at(const cli_samples *samples, uint64_t index)
{
    return &samples->history[index % SAMPLE_HISTORY];
}

static void put_now(cli_text *text, const cli_samples *samples)
{
    const ink_stream_report *r = &samples->report;
    const sample_moment     *last = moment_at(samples, samples->moments - 1);

    begin(text, "now", "{");
    put_real(text, "seconds", r->seconds);
    put_real(text, "records_per_second", last->records_per_second);
    put_real(text, "questions_per_second", last->questions_per_second);
    put_count(text, "batches", r->batches);
    put_count(text, "records", r->records);
    put_count(text, "run_records", r->run_records);
    put_count(text, "bad", r->bad);
    put_count(text, "late", r->late);
    put_count(text, "cut", r->cut);
    put_count(text, "saved_batches", r->saved_batches);
    put_count(text, "saved_records", r->saved_records);
    if (samples->saved_at != 0)
        put_count(text, "saved_at", (uint64_t)samples->saved_at);
    put_count(text, "questions", r->questions);
    put_count(text, "train_connections", r->train_connections);
    put_count(text, "ask_connections", r->ask_connections);
    put_bool(text, "ended", r->ended);
    if (r->timed) {
        name(text, "newest");
        text_format(text, "%" PRId64, r->newest);
    }
    text_put(text, "}");
}

static const char *source_of(const cli_samples *samples, size_t index)
{
    const ink_stream_options *options = samples->options;

    return options->train_count == 1 ? samples->train : options->train[index];
}

static void put_sources(cli_text *text, const cli_samples *samples)
{
    const ink_stream_options *options = samples->options;
    bool                      hex = false; /* the name of a file is not UTF-8 */

    for (size_t i = 0; i < options->train_count; i++)
        hex = hex || !ink_is_utf8(source_of(samples, i), strlen(source_of(samples, i)));
    begin(text, hex ? "train_hex" : "train", "[");
    for (size_t i = 0; i < options->train_count; i++) {
        separate(text);
        json_string(text, hex, source_of(samples, i), strlen(source_of(samples, i)));
    }
    text_put(text, "]");
    if (samples->ask != NULL)
        put_text(text, "ask", samples->ask);
    put_text(text, "state", options->folder);
    if (options->window_microseconds > 0)
        put_real(text, "window_seconds", (double)options->window_microseconds / 1e6);
}

static void put_notes(cli_text *text, const cli_samples *samples)
{
    uint64_t count = samples->note_count;

    begin(text, "notes", "[");
    for (uint64_t i = count > SAMPLE_NOTES ? count - SAMPLE_NOTES : 0; i < count; i++) {
        const sample_note *note = &samples->notes[i % SAMPLE_NOTES];
        begin(text, NULL, "{");
        put_count(text, "at", (uint64_t)note->when);
        put_text(text, "text", note->text);
        text_put(text, "}");
    }
    text_put(text, "]");
}

/* One number of each moment, in six digits: enough for a chart. */
static void put_past(cli_text *text, const cli_samples *samples, const char *field, size_t offset)
{
    uint64_t first = samples->moments > SAMPLE_HISTORY ? samples->moments - SAMPLE_HISTORY : 0;

    begin(text, field, "[");
    for (uint64_t i = first; i < samples->moments; i++) {
        double real;
        memcpy(&real, (const char *)moment_at(samples, i) + offset, sizeof real);
        separate(text);
        text_format(text, isfinite(real) ? "%.6g" : "null", real);
    }
    text_put(text, "]");
}

static void put_history(cli_text *text, const cli_samples *samples)
{
    begin(text, "history", "{");
    put_past(text, samples, "seconds", offsetof(sample_moment, seconds));
    put_past(text, samples, "records_per_second", offsetof(sample_moment, records_per_second));
    put_past(text, samples, "questions_per_second", offsetof(sample_moment, questions_per_second));
    if (samples->counter < samples->sketch_count) {
        put_past(text, samples, "distinct", offsetof(sample_moment, distinct.estimate));
        put_past(text, samples, "distinct_low", offsetof(sample_moment, distinct.low));
        put_past(text, samples, "distinct_high", offsetof(sample_moment, distinct.high));
    }
    begin(text, "current_rate", "{");
    for (size_t i = 0; i < samples->sketch_count; i++)
        if (samples->sketches[i].kind.contains)
            put_past(text, samples, samples->sketches[i].description.kind,
                     offsetof(sample_moment, rates) + i * sizeof(double));
    text_put(text, "}}");
}

void metrics_json(cli_text *text, const cli_samples *samples)
{
    text_put(text, "{");
    put_text(text, "version", ink_version());
    put_count(text, "time", (uint64_t)time(NULL));
    put_sources(text, samples);
    put_now(text, samples);
    begin(text, "sketches", "[");
    for (size_t i = 0; i < samples->sketch_count; i++)
        put_sketch(text, &samples->sketches[i], samples);
    text_put(text, "]");
    put_worst(text, samples);
    if (samples->counter < samples->sketch_count)
        put_text(text, "distinct_by", samples->sketches[samples->counter].description.kind);
    put_notes(text, samples);
    put_history(text, samples);
    text_put(text, "}\n");
}

/* ---- Prometheus --------------------------------------------------------------------------- */

static void family(cli_text *text, const char *metric, const char *type, const char *help)
{
    text_format(text, "# HELP ink_stream_%s %s\n# TYPE ink_stream_%s %s\n", metric, help, metric,
                type);
}

static void counter(cli_text *text, const char *metric, const char *help, uint64_t count)
{
    family(text, metric, "counter", help);
    text_format(text, "ink_stream_%s %" PRIu64 "\n", metric, count);
}

static void gauge(cli_text *text, const char *metric, const char *help, double value)
{
    family(text, metric, "gauge", help);
    text_format(text, "ink_stream_%s ", metric);
    put_number(text, value);
    text_put(text, "\n");
}

static void put_stream(cli_text *text, const ink_stream_report *r)
{
    counter(text, "records_total", "Records in complete batches, since the state began.",
            r->records);
    counter(text, "bad_records_total", "Records that could not be read.", r->bad);
    counter(text, "late_records_total", "Records from before the window.", r->late);
    counter(text, "cut_records_total", "Records that were not whole when their connection broke.",
            r->cut);
    counter(text, "batches_total", "Complete batches, since the state began.", r->batches);
    counter(text, "saved_records_total", "Records in the last checkpoint.", r->saved_records);
    counter(text, "saved_batches_total", "Batches in the last checkpoint.", r->saved_batches);
    counter(text, "run_records_total", "Records that this run has read.", r->run_records);
    counter(text, "questions_total", "Questions that this run has answered.", r->questions);
    family(text, "connections", "gauge", "Open connections, by what they are for.");
    text_format(text, "ink_stream_connections{for=\"train\"} %" PRIu64 "\n", r->train_connections);
    text_format(text, "ink_stream_connections{for=\"ask\"} %" PRIu64 "\n", r->ask_connections);
    gauge(text, "run_seconds", "How long this run has lasted.", r->seconds);
    gauge(text, "ended", "1 if the data have ended.", r->ended);
    if (r->timed)
        gauge(text, "newest_record_timestamp_seconds", "The latest time of a record.",
              (double)r->newest / 1e6);
}

static const char *const sketch_metrics[][2] = {
    {"sketch_bytes", "The size of a sketch, as it is saved."},
    {"sketch_records", "Records in a sketch: of the window, if there is one."},
    {"filter_false_positive_rate", "The current false-positive rate, from the bits."},
    {"filter_promised_rate", "The false-positive rate that the size promises."},
    {"filter_fill_ratio", "Different keys in a filter, of those that it was planned for."},
    {"distinct_keys", "Different keys, estimated."},
    {"distinct_keys_low", "Different keys, at least, with 95 % confidence."},
    {"distinct_keys_high", "Different keys, at most, with 95 % confidence."},
};

enum { SKETCH_METRICS = sizeof sketch_metrics / sizeof *sketch_metrics };

/* The value of a sketch for one of sketch_metrics; NAN if it has none. */
static double sketch_value(const sample_sketch *sketch, size_t metric)
{
    const ink_description *d = &sketch->description;
    const double           values[SKETCH_METRICS] = {
                  (double)d->bytes,
                  (double)d->records,
                  sketch->rate,
        sketch->kind.contains && d->promised_rate > 0 ? d->promised_rate : NAN,
                  fill_of(sketch),
                  sketch->distinct.estimate,
                  sketch->distinct.low,
                  sketch->distinct.high,
    };

    return values[metric];
}

/* A family has one heading, and none if no sketch has a value. */
static void put_metric(cli_text *text, const cli_samples *samples, size_t metric)
{
    const char *const *of = sketch_metrics[metric];
    bool               begun = false;

    for (size_t i = 0; i < samples->sketch_count; i++) {
        double value = sketch_value(&samples->sketches[i], metric);
        if (isnan(value))
            continue;
        if (!begun)
            family(text, of[0], "gauge", of[1]);
        begun = true;
        text_format(text, "ink_stream_%s{kind=\"%s\"} ", of[0],
                    samples->sketches[i].description.kind);
        put_number(text, value);
        text_put(text, "\n");
    }
}

void metrics_prometheus(cli_text *text, const cli_samples *samples)
{
    family(text, "info", "gauge", "The version of ink.");
    text_format(text, "ink_stream_info{version=\"%s\"} 1\n", ink_version());
    put_stream(text, &samples->report);
    if (samples->saved_at != 0)
        gauge(text, "last_checkpoint_timestamp_seconds", "When the last checkpoint was saved.",
              (double)samples->saved_at);
    for (size_t i = 0; i < SKETCH_METRICS; i++)
        put_metric(text, samples, i);
}
