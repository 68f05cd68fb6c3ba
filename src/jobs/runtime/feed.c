/* feed.c - the loop of every job. */
#include "jobs/runtime/feed.h"

#include "base/cores.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "base/system.h"
#include "input/records/decompress.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/open_sketches.h"
#include "jobs/runtime/reading.h"

#include <limits.h>
#include <string.h>

_Static_assert(INK_LOOK_BYTES == INK__BEGUN_BYTES, "a stream takes what was read to look at it");

/* Large enough that taking one costs nothing, small enough that all threads end together. */
#define CHUNK_BYTES ((uint64_t)1 << 20)
#define CHUNK_BYTES_MAX ((uint64_t)1 << 30)
#define MEMORY_BYTES ((uint64_t)1 << 30)
#define REPORT_NANOSECONDS 100000000u
/* The number of a chunk is that of its lane and, in these bits, that in its lane. */
enum { LANE_BITS = 32 };
/* Of more files in a segment, on average, it would take too long to look at each beforehand. */
enum { LANE_FILES = 1024 };

/* A run of chunks in order: of all inputs, or of one segment. */
typedef struct lane {
    /* Under the mutex of the source: */
    ink__source *source;   /* NULL: not open */
    uint64_t     sequence; /* of the next chunk */
    uint64_t     position; /* of it */
    uint64_t     limit;    /* chunks of later lanes have this number or more */
    unsigned     workers;  /* that are in the lane */
    bool         drained;  /* no more chunks */
    bool         reading;  /* a worker reads the source, without the mutex */
    /* Under the other: */
    uint64_t commit;   /* number of the next chunk to commit */
    bool     used;     /* not closed yet */
    bool     complete; /* all is committed: it can be closed when those before it are */
} lane;

/* A worker that waits until it may commit. */
typedef struct commit_wait {
    ink__waiter  waiter;
    uint64_t     sequence; /* the chunk */
    ink__tracks *tracks;   /* or until these are open, if not NULL */
} commit_wait;

/* What the workers share. */
typedef struct feeding {
    const ink__feed  *feed;
    ink_job          *job;
    ink_allocator     allocator;
    ink__input_part  *parts;
    ink__arrow_part  *arrow; /* one for each part, if these are Arrow */
    ink__arrow_wanted wanted;
    uint64_t          began, reported, total;
    ink__region       region;
    uint64_t         *part_bytes; /* of each part, if segments are read beside each other */
    uint64_t          segments;   /* lanes to be opened in all */
    ink__crew         crew;       /* that decodes compressed inputs, if these are not apart */
    bool              apart;      /* each input is a lane, and read without the mutex */
    lane             *lanes;
    unsigned          lane_count;

    ink__mutex    source_mutex; /* of sources and what follows: reading may block */
    uint64_t      opened;       /* lanes so far ... */
    size_t        part;         /* ... and the part where the next one begins, ... */
    uint64_t      part_start;   /* ... which starts here in the concatenation */
    bool          cut;          /* an input became shorter while it was read: */
    size_t        cut_input;
    ink__row_rule rule;   /* its columns are set when the first chunk is taken */
    bool          headed; /* the header of this input was looked at: */
    size_t        headed_input;

    ink__mutex   mutex;           /* of all that follows */
    bool         ended;           /* no more chunks */
    bool         stopped;         /* by what progress is reported to */
    bool         ended_enough;    /* because feed->enough was set ... */
    uint64_t     enough_sequence; /* ... by this chunk */
    uint64_t     taken;           /* bytes of the inputs */
    uint64_t     closed;          /* lanes so far */
    bool         closing;         /* a worker closes one */
    unsigned     working;         /* workers that have a chunk */
    commit_wait *turns;           /* one for each worker */
    uint64_t     records, bad, nulls;

    bool      failed;
    uint64_t  failed_sequence; /* of the chunk */
    ink_error failure;
    size_t    failed_input; /* input_count: about none */
    uint64_t  failed_byte;
} feeding;

/* The state of one worker. */
typedef struct feeder {
    ink__laps       *laps;
    lane            *lane; /* or NULL */
    ink__row_reader *reader;
    ink__chunk       chunk;
    ink__rows        read;
    ink__feed_rows   rows;
    uint64_t         records, bad_before, nulls_before;
} feeder;

static uint64_t chunk_bytes(const ink_job *job)
{
    if (job->chunk_bytes == 0)
        return CHUNK_BYTES;
    return job->chunk_bytes < CHUNK_BYTES_MAX ? job->chunk_bytes : CHUNK_BYTES_MAX;
}

static ink__input_part part_of(const ink_input *input)
{
    static const uint8_t none[1];
    const uint8_t       *empty = ink__reading_in_memory(input) ? none : NULL;

    return (ink__input_part){
        .path = input->path,
        .offset = input->offset,
        .bytes = input->bytes == 0 ? UINT64_MAX : input->bytes,
        .memory = input->memory != NULL ? input->memory : empty,
        .memory_bytes = input->memory_bytes,
        .begun = input->begun,
        .begun_bytes = input->begun_bytes,
        .begun_all = input->begun_all != 0,
        .headless = input->header_apart,
    };
}

bool ink__feed_knows_size(const ink__feed *feed, uint64_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < feed->input_count; i++) {
        ink__input_part part = part_of(&feed->inputs[i]);
        uint64_t        more;
        if (feed->inputs[i].arrow != NULL || !ink__source_size(&part, &more))
            return false;
        *bytes = ink__add_saturating(*bytes, more);
    }
    return true;
}

unsigned ink__job_threads(const ink_job *job)
{
    unsigned threads = job->threads == 0 ? ink__cores() : job->threads;

    return threads < INK__THREADS_MAX ? threads : INK__THREADS_MAX;
}

unsigned ink__feed_workers(const ink__feed *feed, const ink_job *job)
{
    unsigned threads = ink__job_threads(job);
    uint64_t chunk = chunk_bytes(job), bytes;

    if (!ink__feed_knows_size(feed, &bytes))
        return feed->enough != NULL ? 1 : threads; /* no worker may be left waiting for a pipe */
    return bytes / chunk + 1 < threads ? (unsigned)(bytes / chunk + 1) : threads;
}

ink_status ink__feed_report(const ink_job *job, ink_progress *progress, uint64_t began,
                            uint64_t *last, ink_error *error)
{
    uint64_t now = ink__system_now()->nanoseconds();

    if (job->progress == NULL || now - *last < REPORT_NANOSECONDS)
        return INK_OK;
    *last = now;
    progress->seconds = (double)(now - began) / 1e9;
    if (job->progress(job->host, progress))
        return INK_OK;
    return ink__fail(error, INK_STOPPED, INK_NOWHERE, 0, "stopped");
}

uint64_t ink__job_memory(const ink_job *job)
{
    return job->memory_bytes == 0 ? MEMORY_BYTES : job->memory_bytes;
}

const char *ink__job_folder(const ink_job *job)
{
    const char *folder = job->temp_folder;

    if (folder == NULL)
        folder = ink__system_now()->environment("TMPDIR");
    return folder == NULL || folder[0] == '\0' ? "/tmp" : folder;
}

/* ---- Failing ------------------------------------------------------------------------------ */

/* Records a failure of chunk number `sequence`, unless an earlier one has failed. */
static void note(feeding *all, uint64_t sequence, size_t input, uint64_t byte,
                 const ink_error *failure)
{
    ink__mutex_lock(&all->mutex);
    if (!all->failed || sequence < all->failed_sequence) {
        all->failed = true;
        all->failed_sequence = sequence;
        all->failed_input = input;
        all->failed_byte = byte;
        all->failure = *failure;
    }
    if (all->feed->tracks != NULL)
        ink__tracks_stop(all->feed->tracks, all->failed_sequence);
    for (unsigned i = 0; i < all->feed->workers; i++)
        ink__waiter_wake(&all->turns[i].waiter);
    ink__mutex_wake_all(&all->mutex);
    ink__mutex_unlock(&all->mutex);
}

/* Whether no chunk with a number below `limit` is wanted; the mutex is locked. Lanes before one
 * that failed go on: they may have the first failure. */
static bool is_over(const feeding *all, uint64_t limit)
{
    return all->ended || (all->failed && all->failed_sequence < limit);
}

/* Records a failure within a chunk; its location becomes the number of the record, or the byte
 * where that starts if the number is unknown. */
static void note_chunk(feeding *all, const feeder *mine, ink_error *failure)
{
    uint64_t byte = 0;

    if (failure->location == INK_AT_KEY && failure->at >= mine->read.count) {
        failure->location = INK_NOWHERE; /* in a commit: the rows are gone */
        failure->at = 0;
    }
    if (failure->location == INK_AT_KEY)
        failure->at = ink__row_location(mine->reader, mine->rows.rows, (size_t)failure->at);
    bool about_input = failure->location == INK_AT_BYTE || failure->location == INK_AT_KEY;
    if (about_input) {
        if (all->arrow == NULL) /* whose rows have no bytes */
            byte = mine->chunk.offset +
                   ink__records_last(&all->rule.records, mine->chunk.bytes, failure->at);
        failure->at = ink__source_record(mine->rows.source, &mine->chunk, failure->at);
        failure->location = INK_AT_LINE;
        if (failure->at == 0) {
            failure->location = INK_AT_BYTE;
            failure->at = byte;
        }
    }
    note(all, mine->rows.sequence, about_input ? mine->chunk.input : all->feed->input_count, byte,
         failure);
}

/* ---- Taking chunks ------------------------------------------------------------------------ */

/* The columns of this input must be those of the first one. Its header, given or its first record,
 * is NULL if none is known. */
static ink_status check_header(feeding *all, const ink__source *source, const ink__chunk *chunk,
                               ink_error *error)
{
    const ink_reading *reading = all->feed->reading;
    const ink_input   *input = &all->feed->inputs[chunk->input];
    const uint8_t     *header = (const uint8_t *)input->header;
    uint64_t           bytes = header == NULL ? 0 : strlen(input->header);

    if (!all->rule.header || (all->headed && chunk->input == all->headed_input))
        return INK_OK;
    if (header == NULL && !input->header_apart)
        ink__source_first(source, chunk, &header, &bytes);
    all->headed_input = chunk->input;
    all->headed = true;
    if (ink__reading_names(reading, &all->rule)) {
        ink_status status =
            ink__reading_resolve(reading, header, bytes, "the first input", &all->rule, error);
        if (status == INK_USAGE || status == INK_FORMAT)
            ink__reading_explain(all->feed->remembered, error);
        INK__TRY(status);
    }
    if (all->feed->see_header == NULL || header == NULL)
        return INK_OK;
    uint64_t mark = ink__records_mark(&all->rule.records, header, bytes); /* is no name */
    return all->feed->see_header(all->feed->host, header + mark, bytes - mark, error);
}

/* Takes the next chunk of the lane's source, while other lanes are read if these are apart. */
static ink_status read_chunk(feeding *all, feeder *mine, uint64_t most, bool *more, size_t *input,
                             ink_error *error)
{
    lane *in = mine->lane;

    if (!all->apart)
        return ink__source_next(in->source, &mine->chunk, most, more, input, error);
    in->reading = true;
    ink__mutex_unlock(&all->source_mutex);
    ink_status status = ink__source_next(in->source, &mine->chunk, most, more, input, error);
    ink__mutex_lock(&all->source_mutex);
    in->reading = false;
    ink__mutex_wake_all(&all->source_mutex);
    return status;
}

/* Waits until no other worker reads the source of a lane. The source is locked. */
static void await_lane(feeding *all, const lane *in)
{
    while (in->reading)
        ink__mutex_wait(&all->source_mutex);
}

/* Takes the next chunk of the source, and checks how its input begins. */
static ink_status next_chunk(feeding *all, feeder *mine, bool *more, size_t *input,
                             ink_error *error)
{
    uint64_t segment = all->feed->segment_bytes;
    lane    *in = mine->lane;
    uint64_t most = segment == 0 ? UINT64_MAX : segment - in->position % segment;
    uint64_t wanted = all->feed->most == NULL ? UINT64_MAX : all->feed->most(all->feed->host);

    INK__TRY(read_chunk(all, mine, wanted < most ? wanted : most, more, input, error));
    if (!*more)
        return INK_OK;
    *input = mine->chunk.input;
    if (all->arrow != NULL)
        return INK_OK; /* the schema was checked */
    if (mine->chunk.offset == 0)
        INK__TRY(ink__sketches_refuse(&all->feed->inputs[*input], &all->rule.records,
                                      mine->chunk.bytes, mine->chunk.seen, mine->chunk.compressed,
                                      error));
    if (mine->chunk.offset == 0 && !mine->chunk.headless)
        INK__TRY(ink__records_check_mark(&all->rule.records, mine->chunk.bytes, mine->chunk.count,
                                         error));
    return check_header(all, in->source, &mine->chunk, error);
}

/* Whether another chunk may be taken: flushes first if the job is full. The source is locked, so
 * that no other worker takes a chunk meanwhile. */
static bool may_take(feeding *all, const lane *in)
{
    const ink__feed *feed = all->feed;
    bool             full = feed->full != NULL && feed->full(feed->host);
    ink_error        failure;

    ink__mutex_lock(&all->mutex);
    while (full && !is_over(all, in->limit) && all->working > 0)
        ink__mutex_wait(&all->mutex);
    bool ended = is_over(all, in->limit);
    ink__mutex_unlock(&all->mutex);
    if (ended || !full || feed->flush(feed->host, &failure) == INK_OK)
        return !ended;
    note(all, in->sequence, feed->input_count, 0, &failure);
    return false;
}

/* Takes the next chunk of the lane; false if there is none. The source is locked. */
static bool take_from_lane(feeding *all, feeder *mine)
{
    lane     *in = mine->lane;
    size_t    input = all->feed->input_count;
    ink_error failure;
    bool      more = false;

    await_lane(all, in);
    if (in->drained || !may_take(all, in))
        return false;
    uint64_t before = ink__source_taken(in->source);
    if (next_chunk(all, mine, &more, &input, &failure) != INK_OK) {
        note(all, in->sequence, input, 0, &failure);
        more = false;
    }
    ink__mutex_lock(&all->mutex);
    all->taken += ink__source_taken(in->source) - before;
    all->working += more;
    bool turn = in->commit == in->sequence;
    ink__mutex_unlock(&all->mutex);
    if (!more)
        return false;
    mine->rows = (ink__feed_rows){
        .rows = &mine->read,
        .sequence = in->sequence++,
        .position = in->position,
        .lane = (unsigned)(in - all->lanes),
        .turn = turn,
        .header = mine->chunk.bytes,
        .source = in->source,
        .chunk = &mine->chunk,
        .laps = mine->laps,
    };
    in->position += mine->chunk.count;
    return true;
}

/* ---- Lanes -------------------------------------------------------------------------------- */

/* Segments of mapped inputs are read beside each other, each in a lane with an order of its own,
 * and closed in order. A worker opens the next segment, or helps in a lane with few workers. Where
 * no order is wanted, compressed inputs have a lane each, so that threads decompress beside each
 * other. Other inputs are one lane. */

/* The place of a byte of the concatenation, at or after the last one that was asked for. */
static ink__source_place place_of(feeding *all, uint64_t position)
{
    while (all->part < all->feed->input_count &&
           position - all->part_start >= all->part_bytes[all->part])
        all->part_start += all->part_bytes[all->part++];
    return (ink__source_place){all->part, position - all->part_start};
}

/* The next lane that can be opened. */
static lane next_lane(const feeding *all)
{
    uint64_t first = all->opened << LANE_BITS;

    return (lane){
        .sequence = first,
        .position = all->opened * all->feed->segment_bytes,
        .limit = all->segments == 1 ? UINT64_MAX : first + ((uint64_t)1 << LANE_BITS),
        .commit = first,
        .used = true,
    };
}

/* Opens the source of a lane, the last one so far. */
static ink_status open_lane(feeding *all, lane *in, ink_error *error)
{
    INK__TRY(ink__source_create(&in->source, all->parts, all->feed->input_count, &all->rule.records,
                                chunk_bytes(all->job), &all->allocator, error));
    if (!all->apart)
        ink__source_lend(in->source, &all->crew);
    if (all->segments == 1)
        return INK_OK;
    if (all->apart) {
        const size_t input = (size_t)all->opened - 1;
        ink__source_bound(in->source, (ink__source_place){input, 0},
                          (ink__source_place){input + 1, 0});
        return INK_OK;
    }
    ink__source_place from = place_of(all, in->position);
    ink__source_place until = all->opened == all->segments
                                  ? (ink__source_place){all->feed->input_count, 0}
                                  : place_of(all, in->position + all->feed->segment_bytes);
    ink__source_bound(in->source, from, until);
    return INK_OK;
}

/* Of the lanes with chunks the one with the fewest workers, the first of several; NULL: there is
 * none. Both mutexes are locked. */
static lane *find_lane(const feeding *all)
{
    lane *best = NULL;

    for (unsigned i = 0; i < all->lane_count; i++) {
        lane *in = &all->lanes[i];
        if (in->source != NULL && !in->drained && !is_over(all, in->limit) &&
            (best == NULL || in->workers < best->workers ||
             (in->workers == best->workers && in->limit < best->limit)))
            best = in;
    }
    return best;
}

static lane *free_lane(const feeding *all)
{
    for (unsigned i = 0; i < all->lane_count; i++)
        if (!all->lanes[i].used)
            return &all->lanes[i];
    return NULL;
}

/* Gives a worker a new lane, or one to help in; false if there are no more chunks. Waits if a lane
 * has to be closed first. The source is locked. */
static bool enter_lane(feeding *all, feeder *mine)
{
    ink_error failure;

    ink__mutex_lock(&all->mutex);
    for (;;) {
        const lane next = next_lane(all);
        const bool more = all->opened < all->segments && !is_over(all, next.limit);
        lane      *in = more ? free_lane(all) : NULL;
        const bool opens = in != NULL;
        if (opens) {
            *in = next;
            all->opened++;
        } else
            in = find_lane(all);
        if (in != NULL || !more) {
            ink__mutex_unlock(&all->mutex);
            if (opens && open_lane(all, in, &failure) != INK_OK) {
                note(all, in->sequence, all->feed->input_count, 0, &failure);
                return false;
            }
            mine->lane = in;
            if (in != NULL)
                in->workers++;
            return in != NULL;
        }
        const uint64_t closed = all->closed;
        ink__mutex_unlock(&all->source_mutex);
        while (closed == all->closed && !is_over(all, next.limit))
            ink__mutex_wait(&all->mutex);
        ink__mutex_unlock(&all->mutex); /* the source is locked first, everywhere */
        ink__mutex_lock(&all->source_mutex);
        ink__mutex_lock(&all->mutex);
    }
}

/* Closes lanes that are complete, in order, if no other worker does. */
static void close_lanes(feeding *all)
{
    ink_error failure;

    ink__mutex_lock(&all->mutex);
    for (unsigned i = 0; i < all->lane_count && !all->closing; i++) {
        lane    *in = &all->lanes[i];
        uint64_t last = in->limit - 1;
        if (!in->complete || last >> LANE_BITS != all->closed || is_over(all, in->limit))
            continue;
        all->closing = true;
        ink__mutex_unlock(&all->mutex);
        ink_status status = all->feed->close(all->feed->host, i, &failure);
        if (status != INK_OK)
            note(all, last, all->feed->input_count, 0, &failure);
        ink__mutex_lock(&all->mutex);
        all->closing = in->complete = in->used = false;
        all->closed++;
        ink__mutex_wake_all(&all->mutex);
        i = UINT_MAX; /* the next may be any */
    }
    ink__mutex_unlock(&all->mutex);
}

/* Lets a worker leave its lane; the last one completes it. The source is locked. */
static void leave_lane(feeding *all, feeder *mine)
{
    lane  *in = mine->lane;
    size_t input;

    if (in == NULL)
        return;
    mine->lane = NULL;
    await_lane(all, in);
    ink__source_release(in->source, &mine->chunk);
    if (--in->workers > 0)
        return;
    if (ink__source_was_cut(in->source, &input) && (!all->cut || input < all->cut_input)) {
        all->cut = true;
        all->cut_input = input;
    }
    if (!in->drained || all->segments == 1)
        return;
    ink__source_free(in->source);
    in->source = NULL;
    ink__mutex_lock(&all->mutex);
    in->complete = !all->apart; /* which need not be closed in order */
    in->used = !all->apart;
    all->closed += all->apart;
    ink__mutex_wake_all(&all->mutex);
    ink__mutex_unlock(&all->mutex);
    if (all->apart)
        return;
    ink__mutex_unlock(&all->source_mutex);
    close_lanes(all);
    ink__mutex_lock(&all->source_mutex);
}

/* Takes a chunk, of the worker's lane or another; false if there is none. The source is locked. */
static bool take_chunk(feeding *all, feeder *mine)
{
    while (mine->lane != NULL || enter_lane(all, mine)) {
        if (!mine->lane->drained && take_from_lane(all, mine))
            return true;
        mine->lane->drained = true;
        leave_lane(all, mine);
    }
    return false;
}

/* ---- Working on a chunk ------------------------------------------------------------------- */

static ink_status take_rows(feeding *all, feeder *mine, unsigned worker, ink_error *error)
{
    ink__row_reader_start(mine->reader, &mine->chunk);
    mine->rows.header_bytes = mine->reader->header_bytes;
    mine->rows.reader = mine->reader;
    for (;;) {
        ink_status status = ink__row_reader_next(mine->reader, &mine->read, error);
        if (status == INK_FORMAT && all->arrow == NULL) {
            ink__reading_explain(all->feed->remembered, error);
            ink__reading_may_skip(all->feed->reading, error);
        }
        INK__TRY(status);
        if (mine->read.count == 0)
            return INK_OK;
        mine->records += mine->read.count;
        INK__TRY(all->feed->take(all->feed->host, worker, &mine->rows, error));
    }
}

/* Waits until all chunks before this one are committed, or until these tracks are open (NULL:
 * never); false if one of the chunks has failed. */
static bool await_commit(feeding *all, const feeder *mine, unsigned worker, ink__tracks *tracks)
{
    commit_wait *own = &all->turns[worker];
    bool         open = false;

    ink__mutex_lock(&all->mutex);
    own->sequence = mine->rows.sequence;
    own->tracks = tracks;
    while (mine->lane->commit != mine->rows.sequence && !open &&
           !(all->failed && all->failed_sequence < mine->rows.sequence)) {
        open = tracks != NULL && ink__tracks_are_open(tracks);
        if (!open)
            ink__waiter_wait(&own->waiter, &all->mutex);
    }
    bool ready = open || mine->lane->commit == mine->rows.sequence;
    ink__mutex_unlock(&all->mutex);
    return ready;
}

/* The steps of a chunk in the tracks, if these are open before its turn. *dropped: a chunk before
 * it has failed. */
static ink_status go_by_tracks(feeding *all, const feeder *mine, unsigned worker, bool *dropped,
                               ink_error *error)
{
    const ink__feed *feed = all->feed;
    unsigned         at_once = 1;

    if (!ink__tracks_are_open(feed->tracks)) {
        *dropped = !await_commit(all, mine, worker, feed->tracks);
        if (*dropped || !ink__tracks_are_open(feed->tracks))
            return INK_OK;
    }
    INK__TRY(feed->prepare(feed->host, worker, &at_once, error));
    *dropped = !ink__tracks_run(feed->tracks, worker, mine->rows.sequence, at_once);
    return *dropped ? INK_OK : feed->gather(feed->host, worker, error);
}

/* Wakes who can commit chunk number `sequence`, and those for whom tracks were opened. The mutex is
 * locked. */
static void wake_next(feeding *all, uint64_t sequence)
{
    for (unsigned i = 0; i < all->feed->workers; i++) {
        commit_wait *one = &all->turns[i];
        if (one->sequence == sequence || (one->tracks != NULL && ink__tracks_are_open(one->tracks)))
            ink__waiter_wake(&one->waiter);
    }
}

/* Counts a chunk that is done, lets the next one commit, and reports progress. */
static void end_chunk(feeding *all, feeder *mine)
{
    ink_error      failure;
    const uint64_t bad = mine->reader->bad, nulls = mine->reader->nulls;

    ink__mutex_lock(&all->mutex);
    if (all->feed->enough != NULL && *all->feed->enough && !all->ended_enough) {
        all->ended = all->ended_enough = true;
        all->enough_sequence = mine->rows.sequence;
        ink__mutex_wake_all(&all->mutex);
    }
    mine->lane->commit = mine->rows.sequence + 1;
    all->records += mine->records;
    all->bad += bad - mine->bad_before;
    all->nulls += nulls - mine->nulls_before;
    mine->records = 0;
    mine->bad_before = bad;
    mine->nulls_before = nulls;
    ink_progress progress = {
        .phase = INK_PHASE_READING,
        .done = all->taken,
        .total = all->total,
        .records = all->records,
    };
    ink_status status = INK_OK;
    if (!all->stopped)
        status = ink__feed_report(all->job, &progress, all->began, &all->reported, &failure);
    all->stopped = all->stopped || status != INK_OK;
    if (all->feed->commit != NULL)
        wake_next(all, mine->lane->commit);
    ink__mutex_unlock(&all->mutex);
    if (status != INK_OK) /* ends all lanes */
        note(all, all->segments == 1 ? mine->rows.sequence : 0, all->feed->input_count, 0,
             &failure);
}

static bool work_on_chunk(feeding *all, feeder *mine, unsigned worker)
{
    ink_error  failure;
    ink_status status = take_rows(all, mine, worker, &failure);
    bool       dropped = false;

    ink__lap_end(mine->laps, INK__LAP_PARALLEL);
    if (status == INK_OK && all->feed->tracks != NULL) {
        status = go_by_tracks(all, mine, worker, &dropped, &failure);
        ink__lap_end(mine->laps, INK__LAP_PARALLEL);
    }
    if (status == INK_OK && all->feed->commit != NULL) {
        bool ready = !dropped && await_commit(all, mine, worker, NULL);
        ink__lap_end(mine->laps, INK__LAP_ORDER);
        if (!ready)
            return false;
        status = all->feed->commit(all->feed->host, worker, &mine->rows, &failure);
        ink__lap_end(mine->laps, INK__LAP_ORDERED);
    }
    if (status == INK_OK)
        end_chunk(all, mine);
    else
        note_chunk(all, mine, &failure);
    return status == INK_OK;
}

/* Makes the reader, when the first chunk has set the columns. The source is locked. */
static bool ready_reader(feeding *all, feeder *mine)
{
    ink_error failure;

    if (mine->reader != NULL ||
        ink__row_reader_create(&mine->reader, &all->rule, &all->allocator, &failure) == INK_OK)
        return true;
    note(all, mine->rows.sequence, all->feed->input_count, 0, &failure);
    return false;
}

static void work(void *host, unsigned worker)
{
    feeding *all = host;
    feeder   mine = {.laps = ink__laps_start(&all->region, worker)};
    bool     goes_on = true;

    while (goes_on) {
        ink__mutex_lock(&all->source_mutex);
        ink__lap_end(mine.laps, INK__LAP_INPUT);
        bool taken = take_chunk(all, &mine);
        goes_on = taken && ready_reader(all, &mine);
        const uint64_t next = taken ? mine.lane->workers * chunk_bytes(all->job) : 0;
        ink__lap_end(mine.laps, all->apart ? INK__LAP_PARALLEL : INK__LAP_EXCLUSIVE);
        ink__mutex_unlock(&all->source_mutex);
        ink__source_ahead(&mine.chunk, next);
        if (goes_on)
            goes_on = work_on_chunk(all, &mine, worker);
        if (!taken)
            continue;
        ink__source_leave(&mine.chunk);
        ink__lap_end(mine.laps, INK__LAP_PARALLEL);
        ink__lap_task(mine.laps, mine.rows.sequence, mine.chunk.count);
        ink__mutex_lock(&all->mutex);
        all->working--;
        if (all->feed->full != NULL)
            ink__mutex_wake_all(&all->mutex);
        ink__mutex_unlock(&all->mutex);
    }
    ink__mutex_lock(&all->source_mutex);
    leave_lane(all, &mine);
    ink__mutex_unlock(&all->source_mutex);
    ink__row_reader_free(mine.reader);
    ink__laps_stop(mine.laps);
}

/* ---- All of it ---------------------------------------------------------------------------- */

static ink_status make_parts(feeding *all, ink_error *error)
{
    const ink__feed *feed = all->feed;
    const bool       arrow = feed->inputs[0].arrow != NULL;

    INK__TRY(ink__allocate_zeroed(&all->allocator, feed->input_count * sizeof *all->parts,
                                  &all->parts, error));
    if (arrow)
        INK__TRY(ink__allocate_zeroed(&all->allocator, feed->input_count * sizeof *all->arrow,
                                      &all->arrow, error));
    all->wanted = ink__reading_arrow(feed->reading);
    for (size_t i = 0; i < feed->input_count; i++) {
        const ink_input *input = &feed->inputs[i];
        all->parts[i] = part_of(input);
        if (arrow) {
            all->arrow[i] = (ink__arrow_part){input->arrow, &all->wanted, all->rule.key_type};
            all->parts[i].arrow = &all->arrow[i];
        }
        if (all->rule.records.form == INK__RECORDS_QUOTED &&
            (input->offset != 0 || input->bytes != 0))
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "a split of CSV with line ends in quotes, expected the whole file");
    }
    all->total = arrow ? 0 : ink__source_total(all->parts, feed->input_count);
    return INK_OK;
}

static ink_status run(feeding *all, ink_error *error)
{
    ink_job *job = all->job;

    all->failed_input = all->feed->input_count;
    all->crew = ink__crew_of(all->job, all->feed->workers);
    ink__region_open(&all->region, job, ink__phase_name(INK_PHASE_READING), all->feed->workers);
    ink__threads_run(all->feed->workers, work, all);
    ink__region_close(&all->region);
    /* Of a mapped file that was truncated, what was read after its new end is zeros. */
    bool cut = all->cut;
    if (cut) {
        ink__fail(&all->failure, INK_IO, INK_NOWHERE, 0,
                  "the file was truncated while it was read");
        all->failed_input = all->cut_input;
        all->failed_byte = 0;
    }
    job->records = all->records;
    job->bad = all->bad;
    job->nulls = all->nulls;
    /* Failures after the chunk that was enough do not matter. */
    if (!cut && (!all->failed || (all->feed->enough != NULL && *all->feed->enough &&
                                  all->failed_sequence >= all->enough_sequence)))
        return INK_OK;
    if (all->failed_input < all->feed->input_count) {
        job->failed_path = all->feed->inputs[all->failed_input].path;
        job->failed_byte = all->failed_byte;
        if (all->feed->about_input != NULL)
            *all->feed->about_input = true;
    }
    if (error != NULL)
        *error = all->failure;
    return all->failure.status;
}

/* Whether each input gets a lane: some are compressed by their names, and the job wants no order.
 * With a header the first input decides what columns are called. */
static bool are_apart(const feeding *all)
{
    const ink__feed *feed = all->feed;
    bool             compressed = false;

    for (size_t i = 0; i < feed->input_count; i++) {
        const ink__input_part *part = &all->parts[i];
        compressed = compressed || (part->memory == NULL && part->path != NULL &&
                                    ink__records_named_compressed(part->path));
    }
    return compressed && feed->input_count > 1 && feed->workers > 1 && feed->commit == NULL &&
           feed->full == NULL && !all->rule.header && all->total > 0;
}

/* How many lanes there are: segments are read beside each other only if all inputs are mapped. */
static ink_status make_lanes(feeding *all, ink_error *error)
{
    const ink__feed *feed = all->feed;
    uint64_t         total = 0, segment = feed->segment_bytes;
    unsigned         most = feed->workers == 1 ? 1 : feed->lanes;

    all->segments = all->lane_count = 1;
    all->apart = are_apart(all);
    if (all->apart) {
        all->segments = feed->input_count;
        most = feed->workers;
    } else if (all->arrow == NULL && all->rule.records.form != INK__RECORDS_QUOTED && most > 1 &&
               all->total > segment && all->total / feed->input_count >= segment / LANE_FILES) {
        INK__TRY(ink__allocate_zeroed(&all->allocator, feed->input_count * sizeof *all->part_bytes,
                                      &all->part_bytes, error));
        size_t i = 0;
        while (i < feed->input_count && ink__source_is_mapped(&all->parts[i], &all->rule.records,
                                                              &all->allocator, &all->part_bytes[i]))
            total += all->part_bytes[i++];
        if (i == feed->input_count && total > segment)
            all->segments = (total - 1) / segment + 1;
    }
    all->lane_count = all->segments < most ? (unsigned)all->segments : all->segments > 1 ? most : 1;
    return ink__allocate_zeroed(&all->allocator, all->lane_count * sizeof *all->lanes, &all->lanes,
                                error);
}

static ink_status make_turns(feeding *all, ink_error *error)
{
    const unsigned workers = all->feed->workers;

    INK__TRY(
        ink__allocate_zeroed(&all->allocator, workers * sizeof *all->turns, &all->turns, error));
    for (unsigned i = 0; i < workers; i++)
        INK__TRY(ink__waiter_open(&all->turns[i].waiter, error));
    return INK_OK;
}

static void free_turns(feeding *all)
{
    const unsigned workers = all->turns == NULL ? 0 : all->feed->workers;

    for (unsigned i = 0; i < workers; i++)
        ink__waiter_close(&all->turns[i].waiter);
    ink__release(&all->allocator, all->turns, workers * sizeof *all->turns);
}

static ink_status run_lanes(feeding *all, ink_error *error)
{
    INK__TRY(ink__mutex_open(&all->source_mutex, error));
    ink_status status = ink__mutex_open(&all->mutex, error);
    if (status == INK_OK) {
        status = make_lanes(all, error);
        if (status == INK_OK)
            status = make_turns(all, error);
        if (status == INK_OK)
            status = run(all, error);
        free_turns(all);
        for (unsigned i = 0; i < all->lane_count && all->lanes != NULL; i++)
            ink__source_free(all->lanes[i].source);
        ink__release(&all->allocator, all->lanes, all->lane_count * sizeof *all->lanes);
        ink__release(&all->allocator, all->part_bytes,
                     all->feed->input_count * sizeof *all->part_bytes);
        ink__mutex_close(&all->mutex);
    }
    ink__mutex_close(&all->source_mutex);
    return status;
}

ink_status ink__feed_run(const ink__feed *feed, ink_job *job, uint64_t began, ink_error *error)
{
    feeding      *all;
    ink_allocator allocator = ink__allocator_or_heap(job->allocator);

    job->records = job->bad = job->nulls = job->failed_byte = 0;
    job->failed_path = NULL;
    INK__TRY_ROOM("ink_job", job, error);
    if (feed->reading->time != NULL)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "{time} \"%s\", a column of times, expected none: only streams have windows",
            feed->reading->time);
    if (feed->input_count == 0)
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&allocator, sizeof *all, &all, error));
    all->feed = feed;
    all->job = job;
    all->allocator = allocator;
    all->began = all->reported = began;
    ink_status status =
        ink__reading_rule(&all->rule, feed->reading, feed->inputs, feed->input_count, error);
    if (status == INK_USAGE)
        ink__reading_explain(feed->remembered, error);
    if (status == INK_OK)
        status = make_parts(all, error);
    if (status == INK_OK)
        status = run_lanes(all, error);
    ink__release(&allocator, all->arrow, feed->input_count * sizeof *all->arrow);
    ink__release(&allocator, all->parts, feed->input_count * sizeof *all->parts);
    ink__release(&allocator, all, sizeof *all);
    return status;
}
