/* add_batch.c - adds one batch to one sketch, on the threads of a job. For a small sketch, each
 * thread takes segments of keys and adds them to an empty copy, and the copies are merged. A large
 * one of blocks is divided into ranges, which the keys are sorted by (ink__bulk). */
#include "base/memory.h"
#include "base/status.h"
#include "base/tuning.h"
#include "inkling_job.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/threads.h"
#include "sketch/internal.h"

#include <string.h>

/* This many keys are worth a thread: they take several times as long as starting one. */
enum { KEYS_PER_THREAD = 1 << 15 };
/* Keys of a segment. */
enum { PART_KEYS = 1 << 14 };
/* A copy has at most this many bytes for a key: making and merging it takes less than adding. */
enum { COPY_BYTES_PER_KEY = 4 };

/* ---- A large sketch: ranges --------------------------------------------------------------- */

/* A step of all parts of a bulk. */
typedef struct round {
    ink__bulk *bulk;
    void (*step)(ink__bulk *bulk, unsigned part);
    bool *done; /* one for each part */
} round;

static void run_round(void *host, unsigned part)
{
    const round *now = host;

    now->step(now->bulk, part);
    now->done[part] = true;
}

/* Does a step for each part. Parts whose threads were refused are done here. */
static void run_step(const ink_job *job, ink__bulk                      *bulk,
                     void (*step)(ink__bulk *bulk, unsigned part), bool *done, unsigned parts)
{
    round now = {bulk, step, done};

    memset(done, 0, parts * sizeof *done);
    ink__region_run(job, "adding", parts, run_round, &now);
    for (unsigned part = 0; part < parts; part++)
        if (!done[part])
            step(bulk, part);
}

static ink_status add_by_ranges(const ink_job *job, ink_sketch *sketch, const ink_batch *batch,
                                unsigned threads)
{
    bool       done[INK__THREADS_MAX];
    ink__bulk *bulk;

    INK__TRY(ink__bulk_open(&bulk, sketch, batch, threads, NULL));
    do {
        run_step(job, bulk, ink__bulk_sort, done, threads);
        run_step(job, bulk, ink__bulk_apply, done, threads);
    } while (ink__bulk_more(bulk));
    ink__bulk_close(bulk);
    return INK_OK;
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
    const uint64_t asked = ink__block_asks(bytes), huge = ink__tuning_now().huge_from_bytes;
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
} copy;

/* What the threads share. They take segments one by one, so that a slower thread takes fewer. */
typedef struct copies {
    const ink_job       *job;
    ink_sketch          *sketch;
    const ink_batch     *batch;
    const ink_allocator *allocator;
    unsigned             threads;
    bool                 in_place;    /* thread 0 adds to the sketch itself: merging cannot fail */
    ink__mutex           mutex;       /* of `next` and `failed` */
    unsigned             next, parts; /* segments */
    bool                 failed;      /* a copy refused its keys, or the batch is wrong */
    uint64_t             bytes;       /* of a copy, at most */
    copy                *of;          /* one for each thread */
    ink_status           checked;     /* of the whole batch, by thread 0 ... */
    ink_error           *error;       /* ... with its error */
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

/* Whether there is another segment, and which. */
static bool take_part(copies *all, unsigned *part)
{
    ink__mutex_lock(&all->mutex);
    bool taken = all->next < all->parts && !all->failed;
    *part = all->next;
    all->next += taken;
    ink__mutex_unlock(&all->mutex);
    return taken;
}

static void fail_part(copies *all)
{
    ink__mutex_lock(&all->mutex);
    all->failed = true;
    ink__mutex_unlock(&all->mutex);
}

/* Whether this thread adds to the sketch itself. */
static bool is_in_place(const copies *all, unsigned number)
{
    return number == 0 && all->in_place;
}

/* Thread 0 checks the whole batch before it adds, while others add to their copies already: these
 * are dropped if it is wrong. A thread makes its copy itself, so that it is cleared in the cache of
 * its core; one that gets no memory leaves all keys to the others. */
static void add_parts(void *host, unsigned number)
{
    copies             *all = host;
    copy               *mine = &all->of[number];
    const ink_allocator allocator = {.resize = resize, .host = &mine->room};
    unsigned            part;

    if (number == 0)
        all->checked = ink_sketch_check_batch(all->sketch, all->batch, all->error);
    if (number == 0 && all->checked != INK_OK)
        fail_part(all);
    if (!is_in_place(all, number) &&
        ink_sketch_create_like(&mine->made, all->sketch, &allocator, NULL) != INK_OK)
        return;
    if (mine->made != NULL)
        ink__account_made(all->job, mine->made);
    ink_sketch *into = is_in_place(all, number) ? all->sketch : mine->made;
    while (take_part(all, &part)) {
        ink_batch some = part_of(all->batch, part, all->parts);
        if (ink_sketch_add_batch(into, &some, NULL) != INK_OK)
            fail_part(all);
    }
}

/* Merges all copies into the first, and that into the sketch, which a failure leaves unchanged. */
static ink_status merge_copies(copies *all)
{
    const ink_merge_options parts = {.parts = true};
    ink_sketch             *first = all->in_place ? all->sketch : all->of[0].made;

    if (all->failed || first == NULL || all->next < all->parts)
        return INK_MEMORY;
    for (unsigned i = 1; i < all->threads; i++)
        if (all->of[i].made != NULL)
            INK__TRY(ink_sketch_merge(first, all->of[i].made, &parts, NULL));
    return all->in_place ? INK_OK : ink_sketch_merge(all->sketch, first, &parts, NULL);
}

static ink_status add_by_copies(copies *all)
{
    const uint64_t bytes = all->threads * sizeof *all->of;

    INK__TRY(ink__mutex_open(&all->mutex, NULL));
    ink_status status = ink__allocate_zeroed(all->allocator, bytes, &all->of, NULL);
    for (unsigned i = 0; i < all->threads && status == INK_OK; i++)
        if (!is_in_place(all, i))
            open_room(&all->of[i].room, all->bytes, all->allocator);
    if (status == INK_OK) {
        ink__region_run(all->job, "adding", all->threads, add_parts, all);
        status = merge_copies(all);
    }
    for (unsigned i = 0; i < all->threads && all->of != NULL; i++) {
        ink_sketch_free(all->of[i].made);
        ink__block_release(&all->of[i].room.memory, all->allocator);
    }
    ink__release(all->allocator, all->of, bytes);
    ink__mutex_close(&all->mutex);
    return status;
}

/* ---- Which of them ------------------------------------------------------------------------ */

/* Whether the copies are worth their memory, and every segment has a record. */
static bool copies_pay(const copies *all, const ink_description *found)
{
    return found->order_free &&
           (found->bytes <= ink__tuning_now().private_to_bytes || !all->in_place) &&
           all->batch->count / (all->threads - 1) >= found->bytes_max / COPY_BYTES_PER_KEY &&
           (all->batch->records == 0 || all->batch->records >= all->parts);
}

/* A sketch within the second cache of a core needs no sorting. */
static bool ranges_pay(const copies *all, const ink_description *found)
{
    return all->in_place && found->bytes > ink__tuning_now().l2_bytes &&
           all->batch->count >= found->bytes / INK__LINE_BYTES;
}

/* Adds a batch on several threads, if that pays and there is memory. Returns whether it was added
 * or refused, by *status; else nothing was done. */
static bool add_in_parts(ink_sketch *sketch, const ink_batch *batch, const ink_job *job,
                         ink_status *status, ink_error *error)
{
    const ink_allocator allocator = ink__allocator_or_heap(job->allocator);
    const unsigned      threads = ink__job_threads(job);
    const uint64_t      worth = batch->count / KEYS_PER_THREAD;
    ink_description     found;
    ink_kind_info       kind;

    ink_sketch_describe(sketch, &found);
    if (ink_kind_describe(found.kind, &kind, NULL) != INK_OK)
        return false;
    copies all = {
        .job = job,
        .sketch = sketch,
        .batch = batch,
        .allocator = &allocator,
        .threads = worth < threads ? (unsigned)worth : threads,
        .in_place = kind.local && batch->weights == NULL,
        .parts = (unsigned)(batch->count / PART_KEYS),
        .bytes = found.bytes_max,
        .error = error,
    };
    *status = INK_OK;
    if (all.threads > 1 && copies_pay(&all, &found)) {
        bool added = add_by_copies(&all) == INK_OK;
        *status = all.checked;
        return added || all.checked != INK_OK;
    }
    return all.threads > 1 && ranges_pay(&all, &found) &&
           add_by_ranges(job, sketch, batch, all.threads) == INK_OK;
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
