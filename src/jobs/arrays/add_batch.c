/* add_batch.c - adds one batch to one sketch, on the threads of a job. For a small sketch, each
 * thread takes segments of keys and adds them to an empty copy, and the copies are merged, share by
 * share. A large one of blocks is divided into ranges, which the keys are sorted by (ink__bulk). No
 * more threads work than the keys are worth. */
#include "base/memory.h"
#include "base/status.h"
#include "base/tuning.h"
#include "inkling_job.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/tasks.h"
#include "sketch/internal.h"

#include <string.h>

/* Threads start one after another, and each takes as long as adding this many keys that touch a
 * line each. So t threads take t times that and 1/t of the keys, which is least for the root of the
 * number of keys over this: more threads would be slower. */
enum { KEYS_PER_START = 1 << 14 };
/* Keys of a segment, of which each touches a line. */
enum { PART_KEYS = 1 << 14 };
enum { LINES_MAX = 64 };
/* A copy has at most this many bytes for each line that the keys touch: clearing and merging it
 * takes 0.27 ns a byte, adding a key to what fits the cache 2 to 4 ns. */
enum { COPY_BYTES_PER_LINE = 3 };
/* Keys that are worth a thread that sorts, and threads that are worth sorting. */
enum { KEYS_PER_SORTER = 1 << 16, SORTERS_LEAST = 3 };

/* ---- A large sketch: ranges --------------------------------------------------------------- */

/* Keys are sorted part by part, then added share by share, in turns. */
typedef struct ranges {
    ink__region region;
    ink__steps  steps;
    ink__bulk  *bulk;
    unsigned    parts;
    bool        adding;
} ranges;

static unsigned next_turn(void *host)
{
    ranges *all = host;

    all->adding = !all->adding;
    if (all->adding)
        return ink__bulk_shares(all->bulk);
    return ink__bulk_more(all->bulk) ? all->parts : 0;
}

static void sort_and_add(void *host, unsigned number)
{
    ranges    *all = host;
    ink__laps *laps = ink__laps_start(&all->region, number);
    unsigned   task;

    while (ink__steps_take(&all->steps, &task)) {
        ink__lap_end(laps, INK__LAP_ONCE);
        if (all->adding)
            ink__bulk_apply_share(all->bulk, task, ink__bulk_shares(all->bulk));
        else
            ink__bulk_sort(all->bulk, task);
        ink__lap_end(laps, INK__LAP_PARALLEL);
        ink__lap_step(laps, all->steps.step, task);
        ink__steps_end(&all->steps);
    }
    ink__laps_stop(laps);
}

static ink_status add_by_ranges(const ink_job *job, ink_sketch *sketch, const ink_batch *batch,
                                unsigned threads)
{
    ranges all = {.parts = threads};

    INK__TRY(ink__bulk_open(&all.bulk, sketch, batch, threads, NULL));
    ink_status status = ink__steps_open(&all.steps, threads, next_turn, &all, NULL);
    if (status == INK_OK) {
        ink__region_open(&all.region, job, "adding", threads);
        ink__threads_run(threads, sort_and_add, &all);
        ink__region_close(&all.region);
        (void)ink__steps_close(&all.steps);
    }
    ink__bulk_close(all.bulk);
    return status;
}

/* ---- Room for a copy ---------------------------------------------------------------------- */

/* The system clears a huge page in the time of some sixty small ones: from this size on a huge page
 * is faster, even if it is not filled. */
#define HUGE_PAYS_BYTES ((uint64_t)512 << 10)

/* Memory for the payload of a copy, which another thread makes. It is allocated here and touched
 * there: a new thread that allocates by itself gets fresh pages from the system each time, which
 * for a million keys cost more than half of the time. All zero is empty. */
typedef struct room {
    ink_allocator allocator;
    ink__block    memory;
    uint64_t      least; /* a request of at least this many bytes is for the payload */
    bool          used;
} room;

/* A refusal is no failure: the thread then allocates itself. */
static void open_room(room *made, uint64_t bytes, const ink_allocator *allocator)
{
    const uint64_t asked = ink__block_asks(allocator, bytes),
                   huge = ink__tuning_now().huge_from_bytes;
    const uint64_t wanted = bytes >= HUGE_PAYS_BYTES && asked < huge ? huge : asked;

    *made = (room){.allocator = *allocator, .least = bytes};
    made->used = ink__block_take(&made->memory, allocator, wanted, NULL) != INK_OK;
}

/* The allocator of one copy: the payload gets the room, other requests go to the job's allocator. A
 * block is allocated and released, never resized. */
static void *resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    room *mine = host;

    if (block != NULL && block == mine->memory.data) {
        mine->used = false;
        return NULL;
    }
    /* From `least` on, and no more than there is: less wraps round. */
    if (block == NULL && !mine->used &&
        new_bytes - mine->least <= mine->memory.bytes - mine->least) {
        mine->used = true;
        return mine->memory.data;
    }
    return mine->allocator.resize(mine->allocator.host, block, old_bytes, new_bytes);
}

/* ---- A small one: copies ------------------------------------------------------------------ */

/* What a thread adds to. */
typedef struct copy {
    room        room;
    ink_sketch *made;
    bool        used; /* has keys */
} copy;

/* What the threads share. They take segments one by one, so that a slower thread takes fewer, and
 * then shares of the copies to merge, if these can be divided. */
typedef struct copies {
    const ink_job       *job;
    ink__region          region;
    ink_sketch          *sketch;
    const ink_batch     *batch;
    const ink_allocator *allocator;
    ink__steps           steps;
    unsigned             threads, parts; /* parts: segments */
    bool                 in_place;       /* thread 0 adds to the sketch itself */
    bool                 shares, merging;
    uint64_t             bytes;   /* of a copy, at most */
    copy                *of;      /* one for each thread */
    ink_status           checked; /* of the whole batch, by thread 0 ... */
    ink_error           *error;   /* ... with its error */
} copies;

/* Part number `part` of `parts` of the batch, with its share of the records. */
static ink_batch part_of(const ink_batch *batch, unsigned part, unsigned parts)
{
    size_t    each = batch->count / parts, over = batch->count % parts;
    size_t    first = part * each + (part < over ? part : over);
    ink_batch some = ink__batch_range(batch, first, each + (part < over));

    if (batch->records != 0) /* the first part has all but one for each of the others */
        some.records = part == 0 ? batch->records - (parts - 1) : 1;
    return some;
}

/* Whether this thread adds to the sketch itself. */
static bool is_in_place(const copies *all, unsigned number)
{
    return number == 0 && all->in_place;
}

/* The sketch that a thread adds to; NULL if it gets no memory. A thread makes its copy itself, so
 * that it is cleared in the cache of its core, unless all segments are taken already. */
static ink_sketch *open_copy(copies *all, unsigned number)
{
    copy               *mine = &all->of[number];
    const ink_allocator allocator = {.resize = resize, .host = &mine->room};

    if (is_in_place(all, number))
        return all->sketch;
    if (ink__steps_left(&all->steps, 0) &&
        ink_sketch_create_like(&mine->made, all->sketch, &allocator, NULL) != INK_OK)
        return NULL;
    return mine->made;
}

static void add_segment(copies *all, unsigned number, ink_sketch *into, unsigned part)
{
    ink_batch some = part_of(all->batch, part, all->parts);

    all->of[number].used = !is_in_place(all, number);
    if (ink_sketch_add_batch(into, &some, NULL) != INK_OK)
        ink__steps_stop(&all->steps);
}

static void merge_share(const copies *all, unsigned share)
{
    for (unsigned i = 0; i < all->threads; i++)
        if (all->of[i].used)
            ink__sketch_merge_share(all->sketch, all->of[i].made, share, all->threads);
}

/* Task 0 is the check of the whole batch, by thread 0 before it adds, while others add to their
 * copies already: these are dropped if it is wrong. A thread without a copy leaves all segments to
 * the others. */
static void add_parts(void *host, unsigned number)
{
    copies    *all = host;
    ink__laps *laps = ink__laps_start(&all->region, number);
    unsigned   task;

    if (number == 0) {
        all->checked = ink_sketch_check_batch(all->sketch, all->batch, all->error);
        if (all->checked != INK_OK)
            ink__steps_stop(&all->steps);
        ink__lap_end(laps, INK__LAP_PARALLEL);
        ink__lap_step(laps, 0, 0);
        ink__steps_end(&all->steps);
    }
    ink_sketch *into = open_copy(all, number);
    if (into != NULL && into != all->sketch)
        ink__account_made(all->job, into);
    bool goes_on = into != NULL || !ink__steps_left(&all->steps, 0);
    while (goes_on && ink__steps_take(&all->steps, &task)) {
        ink__lap_end(laps, INK__LAP_ONCE);
        if (all->merging)
            merge_share(all, task);
        else
            add_segment(all, number, into, task - 1);
        ink__lap_end(laps, INK__LAP_PARALLEL);
        ink__lap_step(laps, all->steps.step, task);
        ink__steps_end(&all->steps);
    }
    ink__laps_stop(laps);
}

/* After the segments come the shares. */
static unsigned next_step(void *host)
{
    copies *all = host;

    if (all->merging || !all->shares)
        return 0;
    all->merging = true;
    return all->threads;
}

/* Merges what is not merged yet. A failure leaves the sketch unchanged. */
static ink_status merge_copies(copies *all)
{
    const ink_merge_options parts = {.parts = true};
    ink_sketch             *first = NULL;

    for (unsigned i = 0; i < all->threads; i++) {
        ink_sketch *made = all->of[i].used ? all->of[i].made : NULL;
        if (made != NULL && all->shares)
            ink__sketch_merge_rest(all->sketch, made);
        else if (made != NULL && first != NULL)
            INK__TRY(ink_sketch_merge(first, made, &parts, NULL));
        else if (made != NULL)
            first = made;
    }
    return first == NULL ? INK_OK : ink_sketch_merge(all->sketch, first, &parts, NULL);
}

static ink_status add_by_copies(copies *all)
{
    const uint64_t bytes = all->threads * sizeof *all->of;

    INK__TRY(ink__steps_open(&all->steps, all->parts + 1, next_step, all, NULL));
    all->steps.taken = 1; /* the check, which is thread 0's */
    ink_status status = ink__allocate_zeroed(all->allocator, bytes, &all->of, NULL);
    for (unsigned i = 0; i < all->threads && status == INK_OK; i++)
        if (!is_in_place(all, i))
            open_room(&all->of[i].room, all->bytes, all->allocator);
    if (status == INK_OK) {
        ink__region_open(&all->region, all->job, "adding", all->threads);
        ink__threads_run(all->threads, add_parts, all);
        ink__region_close(&all->region);
    }
    const bool ended = ink__steps_close(&all->steps);
    if (status == INK_OK)
        status = ended ? merge_copies(all) : INK_MEMORY;
    for (unsigned i = 0; i < all->threads && all->of != NULL; i++) {
        ink_sketch_free(all->of[i].made);
        ink__block_release(&all->of[i].room.memory, all->allocator);
    }
    ink__release(all->allocator, all->of, bytes);
    return status;
}

/* ---- Which of them ------------------------------------------------------------------------ */

/* How many lines of memory a key touches, or operations as costly as one. */
static uint64_t lines_of(const ink_description *found, const ink_kind_info *kind)
{
    const uint64_t rows = found->hashes > found->depth ? found->hashes : found->depth;

    return (kind->local && !kind->counts) || rows == 0 ? 1 : rows < LINES_MAX ? rows : LINES_MAX;
}

static unsigned threads_worth(uint64_t lines, unsigned most)
{
    unsigned threads = 1;

    while (threads < most && (uint64_t)(threads + 1) * (threads + 1) <= lines / KEYS_PER_START)
        threads++;
    return threads;
}

/* How many threads copies are worth: clearing and merging one takes no more than a small part of
 * the time of all keys. Every segment has a record. */
static unsigned copies_worth(const copies *all, const ink_description *found, uint64_t lines)
{
    const uint64_t worth = all->batch->count * lines / (found->bytes_max / COPY_BYTES_PER_LINE + 1);

    if (!found->order_free || (all->batch->records != 0 && all->batch->records < all->parts) ||
        (all->in_place && found->bytes > ink__tuning_now().private_to_bytes))
        return 1;
    return worth + 1 < all->threads ? (unsigned)worth + 1 : all->threads;
}

/* How many threads ranges are worth. Sorting takes as long as adding what fits the cache: it pays
 * above, with several threads, or where one thread would sort as well. */
static unsigned ranges_worth(const copies *all, const ink_description *found, bool local)
{
    const ink__tuning tuning = ink__tuning_now();
    const uint64_t    worth = all->batch->count / KEYS_PER_SORTER;

    if (!local || all->batch->weights != NULL ||
        all->batch->count < found->bytes / INK__LINE_BYTES ||
        found->bytes <=
            (all->threads < SORTERS_LEAST ? tuning.radix_from_bytes : 2 * tuning.l2_bytes))
        return 1;
    return worth < all->threads ? (unsigned)worth : all->threads;
}

/* Adds a batch on several threads, if that pays and there is memory. Returns whether it was added
 * or refused, by *status; else nothing was done. */
static bool add_in_parts(ink_sketch *sketch, const ink_batch *batch, const ink_job *job,
                         ink_status *status, ink_error *error)
{
    const ink_allocator allocator = ink__allocator_or_heap(job->allocator);
    ink_description     found;
    ink_kind_info       kind;

    ink_sketch_describe(sketch, &found);
    if (found.concurrent != 0 || ink_kind_describe(found.kind, &kind, NULL) != INK_OK)
        return false;
    const uint64_t lines = lines_of(&found, &kind);
    copies         all = {
                .job = job,
                .sketch = sketch,
                .batch = batch,
                .allocator = &allocator,
                .threads = threads_worth(batch->count * lines, ink__job_threads(job)),
                .in_place = ink__sketch_copies_while_added(sketch) && batch->weights == NULL,
                .shares = ink__sketch_has_shares(sketch),
                .parts = (unsigned)(batch->count / (PART_KEYS / lines)),
                .bytes = found.bytes_max,
                .error = error,
    };
    const unsigned by_copies = copies_worth(&all, &found, lines);
    const unsigned by_ranges = ranges_worth(&all, &found, kind.local);
    *status = INK_OK;
    if (by_ranges > 1 && by_ranges >= by_copies)
        return add_by_ranges(job, sketch, batch, by_ranges) == INK_OK;
    all.threads = by_copies;
    if (by_copies <= 1)
        return false;
    bool added = add_by_copies(&all) == INK_OK;
    *status = all.checked;
    return added || all.checked != INK_OK;
}

ink_status ink_job_add_batch(ink_sketch *sketch, const ink_batch *batch, ink_job *job,
                             ink_error *error)
{
    ink_status status;

    job->failed_path = NULL;
    if (!add_in_parts(sketch, batch, job, &status, error))
        status = ink_sketch_add_batch(sketch, batch, error);
    if (status != INK_OK)
        return status;
    job->records = batch->count;
    job->bad = job->nulls = 0;
    return INK_OK;
}
