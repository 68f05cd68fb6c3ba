/* passes.c - a filter that is larger than the memory, made range by range of hashes on disk. */
#include "jobs/dedup/passes.h"

#include "jobs/runtime/feed.h"
#include "jobs/runtime/tasks.h"
#include "sketch/internal.h"

enum { BATCH = 4096 }; /* hashes that are added at once: their bits are whole words */

ink_status ink__passes_begin(ink__passes *passes, const ink_params *params, unsigned ranges,
                             uint64_t memory, const char *folder, const ink_allocator *allocator,
                             ink_error *error)
{
    *passes = (ink__passes){.allocator = *allocator, .params = *params, .ranges = ranges};
    ink__spool_begin(&passes->answers, folder);
    ink__spill_begin(&passes->hashes, memory, NULL, folder, allocator);
    INK__TRY(
        ink__allocate_zeroed(allocator, 3 * ranges * sizeof *passes->words, &passes->words, error));
    passes->starts = passes->words;
    passes->answers_at = passes->words + ranges;
    passes->rates = (double *)(void *)(passes->words + 2 * (uint64_t)ranges);
    for (unsigned i = 0; i < ranges; i++) {
        INK__TRY(ink__slice_start(params, i, ranges, &passes->words[i], error));
        INK__TRY(ink__spill_add(&passes->hashes, error));
    }
    return INK_OK;
}

void ink__passes_end(ink__passes *passes)
{
    if (passes->ranges == 0)
        return;
    ink__spool_end(&passes->answers);
    ink__spill_end(&passes->hashes);
    if (passes->words != NULL)
        ink__release(&passes->allocator, passes->words, 3 * passes->ranges * sizeof *passes->words);
    ink__release(&passes->allocator, passes->counts, passes->counts_room);
    *passes = (ink__passes){0};
}

/* Ranges are of nearly equal width: the one that an even cut gives, or one beside it. */
static unsigned range_of(const ink__passes *passes, uint64_t hash)
{
    unsigned range = (unsigned)(((hash >> 32) * passes->ranges) >> 32);

    while (range > 0 && hash < passes->starts[range])
        range--;
    while (range + 1 < passes->ranges && hash >= passes->starts[range + 1])
        range++;
    return range;
}

ink_status ink__passes_put(ink__passes *passes, const uint64_t *hashes, uint64_t count,
                           ink_error *error)
{
    const uint64_t each = passes->ranges * sizeof *passes->counts;

    if ((passes->chunks + 1) * each > passes->counts_room)
        INK__TRY(ink__make_room(&passes->allocator, &passes->counts, &passes->counts_room,
                                passes->chunks * each, each, error));
    uint64_t *counts = passes->counts + passes->chunks++ * passes->ranges;
    for (unsigned i = 0; i < passes->ranges; i++)
        counts[i] = ink__spill_elements(&passes->hashes, i);
    for (uint64_t i = 0; i < count; i++)
        INK__TRY(ink__spill_put(&passes->hashes, range_of(passes, hashes[i]), &hashes[i],
                                sizeof *hashes, error));
    return INK_OK;
}

/* ---- Ranges ------------------------------------------------------------------------------- */

/* A range that is made: a filter, and a batch of hashes that are not added yet. */
typedef struct making {
    ink__passes *passes;
    ink_sketch  *filter;
    uint64_t     first, last; /* hashes of the range */
    uint64_t     at;          /* of the bits in `answers` */
    uint64_t     count;
    uint64_t     hashes[BATCH];
    uint8_t      was_new[BATCH], bits[BATCH / 8];
} making;

static ink_status add_batch(making *one, ink_error *error)
{
    const ink_batch batch = {.hashes = one->hashes, .count = (size_t)one->count};
    const uint64_t  bytes = (one->count + 7) / 8;

    INK__TRY(ink__slice_hashes(&one->passes->params, one->first, one->last, one->hashes,
                               (size_t)one->count, error));
    INK__TRY(ink_sketch_add_new_batch(one->filter, &batch, one->was_new, error));
    memset(one->bits, 0, sizeof one->bits);
    for (uint64_t i = 0; i < one->count; i++)
        one->bits[i / 8] |= (uint8_t)(one->was_new[i] << i % 8);
    INK__TRY(ink__spool_write(&one->passes->answers, one->at, one->bits, bytes, error));
    one->at += bytes;
    one->count = 0;
    return INK_OK;
}

static ink_status add_hashes(void *host, const uint8_t *elements, uint64_t bytes, ink_error *error)
{
    making *one = host;

    while (bytes > 0) {
        uint64_t some = (BATCH - one->count) * sizeof *one->hashes;
        some = some < bytes ? some : bytes;
        memcpy(one->hashes + one->count, elements, (size_t)some);
        one->count += some / sizeof *one->hashes;
        elements += some;
        bytes -= some;
        if (one->count == BATCH)
            INK__TRY(add_batch(one, error));
    }
    return INK_OK;
}

/* Parts of a partition come in runs of the file, the newest first, and then those in memory. */
static ink_status add_in_order(making *one, unsigned range, ink_error *error)
{
    const ink__spill *spill = &one->passes->hashes;
    ink__spill_walk   walk = ink__spill_walk_of(spill, range), *parts;
    const uint64_t    count = ink__spill_walk_parts(&walk), bytes = (count + 1) * sizeof *parts;
    uint64_t          runs = 0;
    ink_status        status = INK_OK;

    INK__TRY(ink__allocate(&spill->allocator, bytes, &parts, error));
    for (uint64_t i = 0; i < count; i++) {
        parts[i] = ink__spill_walk_next(&walk);
        runs += parts[i].run != NULL;
    }
    for (uint64_t i = 0; i < count && status == INK_OK; i++)
        status = ink__spill_visit_part(&parts[i < runs ? runs - 1 - i : i], add_hashes, one, error);
    ink__release(&spill->allocator, parts, bytes);
    if (status == INK_OK && one->count > 0)
        status = add_batch(one, error);
    return status;
}

static ink_status make_range(void *host, unsigned worker, uint64_t number, ink_error *error)
{
    ink__passes   *passes = host;
    const unsigned range = (unsigned)number;
    making        *one;
    ink_params     params;
    uint64_t       offset;

    (void)worker;
    INK__TRY(ink__allocate_zeroed(&passes->allocator, sizeof *one, &one, error));
    one->passes = passes;
    one->first = passes->starts[range];
    one->last = range + 1 < passes->ranges ? passes->starts[range + 1] - 1 : UINT64_MAX;
    one->at = passes->answers_at[range];
    ink_status status =
        ink__plan_slice(&passes->params, one->first, one->last, &params, &offset, error);
    if (status == INK_OK)
        status = ink_sketch_create(&one->filter, &params, &passes->allocator, error);
    if (status == INK_OK)
        status = add_in_order(one, range, error);
    if (status == INK_OK)
        status = ink_sketch_rate(one->filter, &passes->rates[range], error);
    passes->rates[range] *= (double)params.bits;
    ink_sketch_free(one->filter);
    ink__release(&passes->allocator, one, sizeof *one);
    return status;
}

ink_status ink__passes_run(ink__passes *passes, const ink_job *job, uint64_t began,
                           ink_error *error)
{
    for (unsigned i = 0; i < passes->ranges; i++)
        INK__TRY(ink__spool_reserve(&passes->answers,
                                    ink__spill_elements(&passes->hashes, i) / 8 + 2,
                                    &passes->answers_at[i], error));
    ink__tasks tasks =
        ink__tasks_of(job, began, INK_PHASE_TESTING, passes->ranges, make_range, passes);
    INK__TRY(ink__tasks_run(&tasks, ink__job_threads(job), error));
    /* The last byte, which has no bits, has to be written. */
    INK__TRY(ink__spool_write(&passes->answers, passes->answers.bytes - 1, (const uint8_t *)"", 1,
                              error));
    return ink__spool_map(&passes->answers, error);
}

void ink__passes_answer(const ink__passes *passes, uint64_t chunk, const uint64_t *hashes,
                        uint64_t count, uint8_t *was_new)
{
    uint64_t at[INK__PASSES_MAX];

    memcpy(at, passes->counts + chunk * passes->ranges, passes->ranges * sizeof *at);
    for (uint64_t i = 0; i < count; i++) {
        const unsigned range = range_of(passes, hashes[i]);
        const uint64_t bit = at[range]++;
        was_new[i] =
            *ink__spool_at(&passes->answers, passes->answers_at[range] + bit / 8) >> bit % 8 & 1;
    }
}

double ink__passes_rate(const ink__passes *passes)
{
    ink_description whole;
    double          sum = 0;

    for (unsigned i = 0; i < passes->ranges; i++)
        sum += passes->rates[i];
    if (ink_plan(&passes->params, &whole, NULL) != INK_OK)
        return 1;
    return sum / (double)whole.bits;
}
