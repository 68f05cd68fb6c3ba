/* stream_train.c - arriving data taken in, batch by batch: queries see a batch when it is complete,
 * and it is saved together with the position of the data. */
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "input/records/decompress.h"
#include "jobs/runtime/open_sketches.h"
#include "jobs/runtime/reading.h"
#include "jobs/stream/streaming.h"

#include <string.h>

#define SECOND_NANOSECONDS 1000000000u
#define TEXT_BYTES 512

/* ---- Time --------------------------------------------------------------------------------- */

/* Whether the time of a record is that of its arrival. */
static bool by_arrival(const ink_stream *all)
{
    return all->sketches.windowed && all->reading->time == NULL;
}

/* The time of arrivals: the wall clock at the start of the run and what has passed since, so that
 * setting the clock changes nothing; never before the newest slot of a window by arrival. */
static int64_t arrival_time(const ink_stream *all)
{
    uint64_t passed = (ink__system_now()->nanoseconds() - all->began) / 1000;
    int64_t  now = all->wall_began + (int64_t)passed;
    bool     back = by_arrival(all) && all->sketches.started && now < all->sketches.newest_time;

    return back ? all->sketches.newest_time : now;
}

/* ---- A complete batch --------------------------------------------------------------------- */

/* The number of records that the batch has room for. Batches of a fixed size end at multiples of it
 * among all records since the state began, wherever runs ended. */
static uint64_t batch_room(const ink_stream *all)
{
    const ink__stream_position *position = &all->state.position;
    const ink__stream_batch    *batch = &all->batch;
    uint64_t                    every = all->options->every_records;
    uint64_t seen = position->records + position->bad + position->late + batch->records +
                    batch->bad + batch->late;

    return every == 0 ? UINT64_MAX : every - seen % every;
}

static bool at_border(const ink_stream *all)
{
    return batch_room(all) == all->options->every_records;
}

/* A filter above its promise is reported once, or renewed. With batches of one size that happens at
 * their borders only, so that it does not depend on where runs ended. */
static ink_status check_promises(ink_stream *all, ink_error *error)
{
    uint64_t every = all->options->every_records;
    bool     renew = all->options->renew, passed;
    double   rate, promised;
    char     text[TEXT_BYTES];

    if (renew && every != 0 && !at_border(all))
        return INK_OK;
    for (size_t i = 0; i < all->sketches.count; i++) {
        INK__TRY(ink__stream_sketches_measure(&all->sketches, i, every, &passed, &rate, &promised,
                                              error));
        if (!passed)
            continue;
        ink__format(text, sizeof text,
                    "%s has false-positive rate %g, above the %g that is promised%s",
                    all->sketches.kinds[i].params.kind, rate, promised,
                    renew ? ", and is renewed: its keys are forgotten" : "");
        if (renew)
            INK__TRY(ink__stream_sketches_renew(&all->sketches, i, error));
        ink__mutex_lock(&all->mutex);
        all->report.passed_rate = rate;
        ink__mutex_unlock(&all->mutex);
        ink__stream_report(all, renew ? INK_STREAM_RENEWED : INK_STREAM_FULL, text);
    }
    return INK_OK;
}

/* Notes how far the chunk in hand was taken in, of a file that can be read again. */
static void note_location(ink_stream *all)
{
    const ink__live_chunk *arrival = all->in_hand;

    if (arrival != NULL && ink__live_source_again(all->live))
        all->locations[arrival->chunk.input] = ink__live_chunk_location(arrival, all->taken);
}

/* The file that replaces a followed one may be a link to another name: its position is kept under
 * that name, by which the next run looks for it. */
static ink_status note_name(ink_stream *all, const ink__live_chunk *arrival, ink_error *error)
{
    ink__stream_position *position = &all->state.position;
    size_t                input = arrival->chunk.input, index;
    char                  path[INK__PATH_BYTES];
    ink__stat             stat;

    if (!arrival->first || !all->options->follow || !ink__live_source_again(all->live) ||
        ink__path_resolve(all->options->train[input], path, NULL) != INK_OK ||
        ink__system_now()->stat_path(path, &stat) < 0 || stat.number != arrival->number ||
        stat.device != arrival->device)
        return INK_OK; /* also if it has lost its name since */
    INK__TRY(ink__stream_position_find(position, path, &all->state.arena, &index, error));
    if (index == all->files[input])
        return INK_OK;
    position->files[all->files[input]].location = all->locations[input];
    all->files[input] = index;
    return INK_OK;
}

static void count_batch(ink_stream *all)
{
    ink__stream_position *position = &all->state.position;

    note_location(all);
    for (size_t i = 0; i < all->options->train_count && ink__live_source_again(all->live); i++)
        position->files[all->files[i]].location = all->locations[i];
    position->batches++;
    position->records += all->batch.records;
    position->bad += all->batch.bad;
    position->late += all->batch.late;
    position->cut += all->batch.cut;
    position->timed = all->sketches.started;
    position->newest = all->sketches.newest_time;
    all->batch = (ink__stream_batch){0};
    all->unsaved = true;
}

/* Saves what is complete. A failure is reported and tried again later; the stream goes on. */
static ink_status save(ink_stream *all, ink_error *error)
{
    ink_status status = ink__stream_state_save(&all->state, &all->sketches, error);
    char       text[TEXT_BYTES];

    all->unsaved = status != INK_OK;
    all->failed_at = status == INK_OK ? 0 : ink__system_now()->nanoseconds();
    if (status != INK_OK) {
        ink_error_text(error, text, sizeof text);
        ink__stream_report(all, INK_STREAM_NOT_SAVED, text);
        return status;
    }
    ink__mutex_lock(&all->mutex);
    all->report.saved_batches = all->report.batches;
    all->report.saved_records = all->report.records;
    ink__mutex_unlock(&all->mutex);
    ink__stream_report(all, INK_STREAM_SAVED, NULL);
    return INK_OK;
}

static ink_status complete_batch(ink_stream *all, ink_error *error)
{
    uint64_t  every = all->options->checkpoint_batches;
    ink_error failure;

    if (by_arrival(all))
        INK__TRY(ink__stream_sketches_move(&all->sketches, arrival_time(all), error));
    INK__TRY(check_promises(all, error));
    count_batch(all);
    INK__TRY(ink__stream_publish(all, error));
    ink__stream_report(all, INK_STREAM_BATCH, NULL);
    if (!all->stopped && /* then the rest is saved once, so that the end comes soon */
        (all->failed_at != 0 || every <= 1 || all->state.position.batches % every == 0))
        save(all, &failure);
    return INK_OK;
}

static ink_status complete_if_due(ink_stream *all, ink_error *error)
{
    uint64_t began = all->batch.began, micro = all->options->every_microseconds;
    uint64_t every = micro > UINT64_MAX / 1000 ? UINT64_MAX : micro * 1000;

    if (micro == 0 && all->options->every_records == 0)
        every = SECOND_NANOSECONDS;
    if (began != 0 &&
        (at_border(all) || (every != 0 && ink__system_now()->nanoseconds() - began >= every)))
        return complete_batch(all, error);
    return INK_OK;
}

ink_status ink__stream_rest(ink_stream *all, ink_error *error)
{
    uint64_t  now = ink__system_now()->nanoseconds();
    ink_error failure;

    INK__TRY(complete_if_due(all, error));
    if (by_arrival(all) && all->sketches.started &&
        ink__stream_sketches_late(&all->sketches, arrival_time(all)))
        return complete_batch(all, error);
    /* Within a batch the sketches have more than the position says. */
    if (all->batch.began == 0 && all->failed_at != 0 && now - all->failed_at >= SECOND_NANOSECONDS)
        save(all, &failure);
    return INK_OK;
}

/* ---- Records ------------------------------------------------------------------------------ */

/* Finds the columns by the first record of these bytes. */
static ink_status learn(ink_stream *all, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    uint64_t used, header = ink__records_first(&all->rule.records, bytes, count, &used);

    if (!ink__reading_names(all->reading, &all->rule))
        return INK_OK;
    return ink__reading_resolve(all->reading, bytes, header, "the first", &all->rule, error);
}

ink_status ink__stream_learn_header(ink_stream *all, const char *path, ink_error *error)
{
    enum { HEADER_BYTES = 1 << 20 };
    ink__decompressor *stream;
    uint64_t           count = 0;
    uint8_t           *bytes;

    if (!ink__reading_names(all->reading, &all->rule))
        return INK_OK;
    INK__TRY(ink__decompress_open(&stream, path, NULL, 0, true, &all->allocator, error));
    ink_status status = ink__allocate_zeroed(&all->allocator, HEADER_BYTES, &bytes, error);
    if (status == INK_OK) {
        status = ink__decompress_read(stream, bytes, HEADER_BYTES, &count, error);
        if (status == INK_OK)
            status = learn(all, bytes, count, error);
        ink__release(&all->allocator, bytes, HEADER_BYTES);
    }
    ink__decompress_close(stream);
    return status;
}

static ink_status check_first(ink_stream *all, const ink__live_chunk *arrival, ink_error *error)
{
    const ink__chunk *chunk = &arrival->chunk;
    const ink_input   named = {.path = all->listening ? "" : all->options->train[chunk->input]};

    if (!arrival->first || chunk->offset != 0 || chunk->count == 0)
        return INK_OK;
    INK__TRY(
        ink__sketches_refuse(&named, &all->rule.records, chunk->bytes, chunk->count, false, error));
    INK__TRY(ink__records_check_mark(&all->rule.records, chunk->bytes, chunk->count, error));
    return learn(all, chunk->bytes, chunk->count, error);
}

/* A record with a time too far in the future is bad. */
static ink_status check_times(const ink_stream *all, const ink__rows *rows, int64_t now,
                              ink_error *error)
{
    int64_t latest = ink__stream_latest(&all->sketches, now);

    if (all->rule.skip_bad || rows->times == NULL)
        return INK_OK;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->times[i] > latest)
            return ink__fail(
                error, INK_FORMAT, INK_AT_BYTE, ink__row_location(all->reader, rows, i),
                "a time %llu s ahead of the clock, expected at most a window ahead",
                (unsigned long long)(((uint64_t)rows->times[i] - (uint64_t)now) / 1000000));
    return INK_OK;
}

static ink_status add_rows(ink_stream *all, const ink__rows *rows, ink_error *error)
{
    int64_t          now = all->sketches.windowed ? arrival_time(all) : 0;
    ink__stream_left left;

    if (all->sketches.windowed)
        INK__TRY(check_times(all, rows, now, error));
    all->torn = true;
    INK__TRY(ink__stream_sketches_add(&all->sketches, rows, now, &left, error));
    all->torn = false;
    all->batch.records += rows->count - left.late - left.future;
    all->batch.late += left.late;
    all->batch.bad += left.future;
    atomic_fetch_add_explicit(&all->run_records, rows->count, memory_order_relaxed);
    return INK_OK;
}

/* A stopped stream leaves data that can be read again to the next run. */
static bool leaves_rest(const ink_stream *all)
{
    return all->stopped && ink__live_source_again(all->live);
}

static ink_status take_rows(ink_stream *all, const ink__chunk *chunk, ink_error *error)
{
    ink__rows rows;

    for (;;) {
        uint64_t bad = all->reader->bad;
        all->reader->allowed = batch_room(all);
        INK__TRY(ink__row_reader_next(all->reader, &rows, error));
        bad = all->reader->bad - bad;
        all->batch.bad += bad;
        if (all->batch.began == 0 && rows.count + bad > 0)
            all->batch.began = ink__system_now()->nanoseconds();
        INK__TRY(add_rows(all, &rows, error));
        all->taken = all->reader->at;
        INK__TRY(complete_if_due(all, error));
        if (all->taken == chunk->count || leaves_rest(all))
            return INK_OK;
    }
}

/* Rows are read many at a time; those before a bad one are taken in all the same. */
static ink_status take_records(ink_stream *all, const ink__chunk *chunk, ink_error *error)
{
    ink__chunk good = *chunk;
    ink_error  other;

    ink__row_reader_start(all->reader, chunk);
    ink_status status = take_rows(all, chunk, error);
    if (status != INK_FORMAT || error->location != INK_AT_BYTE || all->torn)
        return status;
    good.count = ink__records_last(&all->rule.records, chunk->bytes, error->at);
    if (good.count <= all->taken)
        return status;
    if (all->taken == 0)
        ink__row_reader_start(all->reader, &good);
    else
        ink__row_reader_start_at(all->reader, &good, all->taken);
    ink_status before = take_rows(all, &good, &other);
    if (before != INK_OK)
        *error = other;
    return before == INK_OK ? status : before;
}

/* ---- Chunks ------------------------------------------------------------------------------- */

/* A failure in a chunk becomes one in its file: at a record, or at a byte if records were not
 * counted from the start. */
static ink_status blame(ink_stream *all, const ink__live_chunk *arrival, ink_status status,
                        ink_error *error)
{
    const ink__chunk *chunk = &arrival->chunk;

    all->job->failed_path = all->options->train[chunk->input];
    if (error->location != INK_AT_BYTE)
        return status;
    uint64_t start = ink__records_last(&all->rule.records, chunk->bytes, error->at);
    all->job->failed_byte = error->at = chunk->offset + start;
    if (!all->counted)
        return status;
    error->at = chunk->record + ink__records_count(&all->rule.records, chunk->bytes, start);
    error->location = INK_AT_LINE;
    return status;
}

/* Closes a connection for a bad record; what it sent before is taken in. */
static void refuse(ink_stream *all, const ink__live_chunk *arrival, const char *why)
{
    char text[TEXT_BYTES];

    ink__format(text, sizeof text, "%s: connection %llu closed: %s",
                ink__live_source_address(all->live), (unsigned long long)arrival->connection, why);
    ink__stream_queue_refuse(&all->queue, arrival->connection);
    ink__stream_report(all, INK_STREAM_REFUSED, text);
}

/* Reads a chunk with bad records again, by a reader that reports the first of them. */
static void find_bad(const ink_stream *all, const ink__chunk *chunk, char *text, size_t bytes)
{
    ink__row_rule    strict = all->rule;
    ink__row_reader *reader;
    ink__rows        rows;
    ink_error        why = {0};
    ink_status       status;

    strict.skip_bad = false;
    if (ink__row_reader_create(&reader, &strict, &all->allocator, &why) == INK_OK) {
        ink__row_reader_start(reader, chunk);
        do
            status = ink__row_reader_next(reader, &rows, &why);
        while (status == INK_OK && rows.count > 0);
        ink__row_reader_free(reader);
    }
    if (why.location != INK_AT_BYTE)
        ink__format(text, bytes, "a record that cannot be read");
    else
        ink__format(text, bytes, "line %llu: %s",
                    (unsigned long long)(chunk->record + ink__records_count(&all->rule.records,
                                                                            chunk->bytes, why.at)),
                    why.message);
}

static ink_status take_arrival(ink_stream *all, const ink__live_chunk *arrival, ink_error *error)
{
    bool       strict = all->listening && !all->reading->skip_bad;
    char       why[TEXT_BYTES / 2];
    ink_status status = check_first(all, arrival, error);

    if (arrival->first)
        all->counted = arrival->chunk.offset == 0;
    all->batch.cut += arrival->cut;
    if (arrival->chunk.count == 0)
        return INK_OK; /* its columns may not be known */
    if (status != INK_OK && all->listening && status != INK_MEMORY) {
        refuse(all, arrival, error->message);
        return INK_OK;
    }
    if (status == INK_OK && all->reader == NULL)
        status = ink__row_reader_create(&all->reader, &all->rule, &all->allocator, error);
    if (status != INK_OK)
        return blame(all, arrival, status, error);
    INK__TRY(note_name(all, arrival, error));
    uint64_t bad = all->reader->bad;
    all->in_hand = arrival;
    all->taken = 0;
    status = take_records(all, &arrival->chunk, error);
    note_location(all);
    all->in_hand = NULL;
    if (status == INK_FORMAT)
        ink__reading_may_skip(all->reading, error);
    if (status != INK_OK)
        return blame(all, arrival, status, error);
    if (strict && all->reader->bad > bad) {
        find_bad(all, &arrival->chunk, why, sizeof why);
        refuse(all, arrival, why);
    }
    return INK_OK;
}

/* A followed file that was truncated or replaced may be gone in the next run: its data are
 * completed and saved before the next file is taken in. So are the first data of a file, by which
 * it is found again if it is renamed between two runs. */
static ink_status keep_followed(ink_stream *all, const ink__live_chunk *arrival, ink_error *error)
{
    size_t    input = arrival->chunk.input;
    bool      again = all->options->follow && ink__live_source_again(all->live);
    ink_error failure;

    if (!again || input + 1 != all->options->train_count)
        return INK_OK;
    const ink__live_location *known = &all->state.position.files[all->files[input]].location;
    if (!arrival->last && known->offset != 0 && known->number == arrival->number)
        return INK_OK;
    if (all->batch.began != 0)
        INK__TRY(complete_batch(all, error));
    if (all->unsaved)
        save(all, &failure);
    return INK_OK;
}

static ink_status take_all(ink_stream *all, ink_error *error)
{
    for (;;) {
        bool                   ended;
        const ink__live_chunk *arrival = ink__stream_queue_next(&all->queue, &ended);
        if (ended)
            break;
        if (arrival == NULL)
            INK__TRY(ink__stream_rest(all, error));
        else {
            INK__TRY(take_arrival(all, arrival, error));
            INK__TRY(keep_followed(all, arrival, error));
            ink__stream_queue_done(&all->queue);
        }
        if (leaves_rest(all))
            return INK_OK;
    }
    if (all->queue.status == INK_OK)
        return INK_OK;
    *error = all->queue.failure;
    if (all->queue.address < all->options->train_count)
        all->job->failed_path = all->options->train[all->queue.address];
    return all->queue.status;
}

/* The rest is a batch, too. What is complete is saved, whatever --checkpoint says; a failure is
 * reported and tried again. */
static ink_status finish(ink_stream *all, ink_error *error)
{
    ink_error failure;

    if (all->torn)
        return INK_OK;
    if (all->batch.began != 0 || all->batch.cut > 0 || all->state.position.batches == 0)
        INK__TRY(complete_batch(all, error));
    if (all->unsaved && all->failed_at == 0)
        save(all, &failure);
    return INK_OK;
}

ink_status ink__stream_settle(ink_stream *all, ink_error *error)
{
    if (all->torn || !all->unsaved)
        return INK_OK;
    ink_status status = save(all, error);
    if (status != INK_OK) {
        all->job->failed_path = all->options->folder;
        all->job->failed_file = INK__STATE_FILE;
    }
    return status;
}

ink_status ink__stream_train(ink_stream *all, ink_error *error)
{
    ink_error  later;
    ink_status status = take_all(all, error);
    ink_status ended = finish(all, status == INK_OK ? error : &later);

    ink__mutex_lock(&all->mutex);
    all->report.ended = true;
    ink__mutex_unlock(&all->mutex);
    return status == INK_OK ? ended : status;
}
