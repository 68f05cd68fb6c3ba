/* stream.c - train and answer at the same time: a stream opened, run by its threads, and closed.
 * One thread receives data (stream_queue.c), one takes them in (stream_train.c), one answers. */
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/runtime/reading.h"
#include "jobs/stream/streaming.h"

#include <string.h>

#define SERVE_MILLISECONDS 100
#define REST_MILLISECONDS 20

/* ---- Opening ------------------------------------------------------------------------------ */

static ink_status check_options(const ink_reading *reading, const ink_stream_options *options,
                                ink_error *error)
{
    const char *wrong = NULL;

    INK__TRY_ROOM("ink_stream_options", options, error);
    if (options->train_count == 0)
        wrong = "no data to train with, expected where they come from";
    else if (reading->by != NULL)
        wrong = "a column that names the group, expected none: a stream has no groups";
    else if (reading->time != NULL && options->window_microseconds == 0)
        wrong = "a column of times without a window, expected both";
    else if (options->renew && options->window_microseconds != 0)
        wrong = "filters that are renewed over a window, expected one of them";
    else if (options->ask != NULL && (options->answer == NULL || options->answers == NULL))
        wrong = "questions without a way to answer them, expected one";
    else if (options->ask != NULL && strcmp(options->ask, "-") == 0 &&
             strcmp(options->train[0], "-") == 0)
        wrong = "standard input for data and for questions, expected one of them elsewhere";
    return wrong == NULL ? INK_OK : ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s", wrong);
}

static ink_status plan_reading(ink_stream *all, ink_form *form, ink_error *error)
{
    const ink_stream_options *options = all->options;
    uint64_t                  bytes = options->train_count * sizeof(ink_input);
    ink_input                *inputs;

    INK__TRY(ink__allocate_zeroed(&all->allocator, bytes, &inputs, error));
    for (size_t i = 0; i < options->train_count; i++)
        inputs[i].path = ink__listener_named(options->train[i]) ? NULL : options->train[i];
    ink_status status = ink_reading_form(all->reading, inputs, options->train_count, form, error);
    if (status == INK_OK)
        status = ink__reading_rule(&all->rule, all->reading, inputs, options->train_count, error);
    ink__release(&all->allocator, inputs, bytes);
    all->listening = ink__listener_named(options->train[0]);
    all->rule.skip_bad = all->rule.skip_bad || all->listening;
    return status;
}

/* Finds where each file was left. Columns of a file that was begun follow from its header. */
static ink_status find_locations(ink_stream *all, ink_error *error)
{
    const ink_stream_options *options = all->options;
    ink__stream_position     *position = &all->state.position;
    size_t                    count = options->train_count;
    char                      path[INK__PATH_BYTES];

    all->locations_bytes = count * (sizeof *all->locations + sizeof *all->files);
    INK__TRY(ink__allocate_zeroed(&all->allocator, all->locations_bytes, &all->locations, error));
    all->files = (size_t *)(void *)(all->locations + count);
    for (size_t i = 0; i < count; i++) {
        const char *address = options->train[i];
        if (ink__listener_named(address) || strcmp(address, "-") == 0)
            continue;
        all->job->failed_path = address;
        INK__TRY(ink__path_resolve(address, path, error));
        INK__TRY(
            ink__stream_position_find(position, path, &all->state.arena, &all->files[i], error));
        for (size_t j = 0; j < i; j++)
            if (all->files[j] == all->files[i] && strcmp(options->train[j], "-") != 0)
                return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                                 "the same file twice, expected each once");
        all->locations[i] = position->files[all->files[i]].location;
        if (all->locations[i].offset != 0)
            INK__TRY(ink__stream_learn_header(all, address, error));
        all->job->failed_path = NULL;
    }
    return INK_OK;
}

/* Files are replaced, connections are refused. */
static void report_source(void *host, const char *message)
{
    const ink_stream *all = host;

    ink__stream_report(host, all->listening ? INK_STREAM_REFUSED : INK_STREAM_REPLACED, message);
}

static void report_refused(void *host, const char *message)
{
    ink__stream_report(host, INK_STREAM_REFUSED, message);
}

static bool is_stopped(void *host)
{
    return ((const ink_stream *)host)->stopped;
}

static ink_status open_live_source(ink_stream *all, ink_error *error)
{
    const ink__live_rule rule = {
        .addresses = all->options->train,
        .count = all->options->train_count,
        .follow = all->options->follow,
        .records = all->rule.records,
        .chunk_bytes = all->job->chunk_bytes,
        .locations = all->locations,
        .host = all,
        .notify = report_source,
        .stop = is_stopped,
    };
    size_t     address = all->options->train_count;
    ink_status status = ink__live_source_open(&all->live, &rule, &all->allocator, &address, error);

    if (status != INK_OK && address < all->options->train_count)
        all->job->failed_path = all->options->train[address];
    return status;
}

/* Answers from the last complete batch. */
static ink_status answer(void *host, const uint8_t *question, size_t bytes, const ink_sink *to,
                         ink_error *error)
{
    ink_stream            *all = host;
    const ink_stream_view *view = ink_stream_view_take(all);
    ink_status status = all->options->answer(all->options->host, view, question, bytes, to, error);

    ink_stream_view_release(view);
    return status;
}

static ink_status open_server(ink_stream *all, ink_error *error)
{
    const ink__query_server_rule rule = {
        .address = all->options->ask,
        .by = {.answer = answer, .host = all, .allocator = all->allocator},
        .sink = all->options->answers,
        .notify = report_refused,
        .host = all,
        .again = !ink__live_source_end(all->live), /* endless queries for endless data */
    };
    if (all->options->ask == NULL)
        return INK_OK;
    ink_status status = ink__query_server_open(&all->server, &rule, error);
    if (status != INK_OK)
        all->job->failed_path = all->options->ask;
    return status;
}

static ink_status open_all(ink_stream *all, ink_error *error)
{
    ink_form form;

    INK__TRY(check_options(all->reading, all->options, error));
    INK__TRY(plan_reading(all, &form, error));
    INK__TRY(ink__stream_sketches_create(&all->sketches, all->reading, all->options,
                                         &all->allocator, error));
    all->job->failed_path = all->options->folder;
    INK__TRY(ink__stream_state_open(&all->state, all->options->folder, &all->allocator, error));
    all->job->failed_file = INK__STATE_FILE;
    INK__TRY(ink__stream_state_load(&all->state, &all->sketches, all->reading, form, error));
    all->job->failed_path = NULL;
    all->job->failed_file = NULL;
    all->report.saved_batches = all->state.position.batches;
    all->report.saved_records = all->state.position.records;
    INK__TRY(find_locations(all, error));
    INK__TRY(open_live_source(all, error));
    INK__TRY(open_server(all, error));
    return ink__stream_publish(all, error);
}

ink_status ink_stream_open(ink_stream **stream, const ink_reading *reading,
                           const ink_stream_options *options, ink_job *job, ink_error *error)
{
    ink_allocator allocator = ink__allocator_or_heap(job->allocator);
    ink_stream   *made;

    *stream = NULL;
    job->failed_path = NULL;
    job->failed_file = NULL;
    job->failed_byte = 0;
    INK__TRY(ink__allocate_zeroed(&allocator, sizeof *made, &made, error));
    made->allocator = allocator;
    made->reading = reading;
    made->options = options;
    made->job = job;
    made->state.lock = -1;
    ink_status status = ink__mutex_open(&made->mutex, error);
    if (status == INK_OK) {
        status = ink__mutex_open(&made->notifying, error);
        if (status != INK_OK)
            ink__mutex_close(&made->mutex);
    }
    if (status != INK_OK) {
        ink__release(&allocator, made, sizeof *made);
        return status;
    }
    status = open_all(made, error);
    if (status == INK_OK)
        *stream = made;
    else
        ink_stream_close(made);
    return status;
}

void ink_stream_close(ink_stream *stream)
{
    if (stream == NULL)
        return;
    ink_allocator allocator = stream->allocator;

    ink_stream_view_release(stream->view);
    ink__query_server_close(stream->server);
    ink__live_source_close(stream->live);
    ink__row_reader_free(stream->reader);
    ink__release(&allocator, stream->locations, stream->locations_bytes);
    if (stream->began == 0)
        ink__stream_state_discard(&stream->state);
    ink__stream_state_close(&stream->state);
    ink__stream_sketches_free(&stream->sketches);
    ink__mutex_close(&stream->notifying);
    ink__mutex_close(&stream->mutex);
    ink__release(&allocator, stream, sizeof *stream);
}

/* ---- Running ------------------------------------------------------------------------------ */

/* Queries from a file wait for the end of the data, or for the first batch of endless data. */
static bool wait_to_ask(ink_stream *all)
{
    bool at_once = ink__query_server_listens(all->server) || all->server->fifo;
    bool ends = ink__live_source_end(all->live);

    while (!at_once && !all->stopped) {
        ink_stream_report now;
        ink_stream_now(all, &now);
        at_once = now.ended || (!ends && now.batches > 0);
        if (!at_once)
            ink__system_now()->wait(-1, 0, SERVE_MILLISECONDS);
    }
    return !all->stopped;
}

static void ask(void *host)
{
    ink_stream *all = host;
    ink_status  status = INK_OK;
    bool        ended = false;

    if (wait_to_ask(all))
        while (status == INK_OK && !ended && !all->stopped)
            status =
                ink__query_server_serve(all->server, SERVE_MILLISECONDS, &ended, &all->ask_failure);
    all->ask_failure.status = status;
    if (status != INK_OK)
        ink_stream_stop(all);
    all->asked = true;
}

ink_status ink_stream_run(ink_stream *stream, ink_error *error)
{
    ink__thread asking = {.running = false};
    ink_status  status = INK_OK;

    ink__mutex_lock(&stream->mutex);
    stream->began = ink__system_now()->nanoseconds();
    ink__mutex_unlock(&stream->mutex);
    stream->wall_began = ink__system_now()->wall();
    if (stream->state.found)
        ink__stream_report(stream, INK_STREAM_RESUMED, NULL);
    if (stream->server != NULL)
        status = ink__thread_start(&asking, ask, stream, error);
    if (status == INK_OK)
        status = ink__stream_queue_open(&stream->queue, stream->live, error);
    if (status == INK_OK) {
        status = ink__stream_train(stream, error);
        ink__stream_queue_close(&stream->queue);
    }
    /* Queries are answered after the end of the data, too. */
    while (status == INK_OK && asking.running && !stream->asked) {
        status = ink__stream_rest(stream, error);
        ink__system_now()->wait(-1, 0, REST_MILLISECONDS);
    }
    if (status != INK_OK)
        ink_stream_stop(stream);
    ink__thread_join(&asking);
    if (status == INK_OK)
        status = ink__stream_settle(stream, error);
    if (status != INK_OK || stream->ask_failure.status == INK_OK)
        return status;
    *error = stream->ask_failure;
    stream->job->failed_path = stream->options->ask;
    return stream->ask_failure.status;
}

void ink_stream_stop(ink_stream *stream)
{
    atomic_store_explicit(&stream->stopped, true, memory_order_relaxed);
}

const char *ink_stream_train_address(const ink_stream *stream)
{
    return ink__live_source_address(stream->live);
}

const char *ink_stream_ask_address(const ink_stream *stream)
{
    return stream->server == NULL ? NULL : ink__query_server_address(stream->server);
}
