/* build_direct.c - the sketches of direct kinds of a build without groups, filled by many threads:
 * one each, or fewer if these would be too large. */
#include "base/memory.h"
#include "base/status.h"
#include "base/tuning.h"
#include "jobs/build/build_state.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/tasks.h"

/* Fewer bytes are merged before other threads have started. */
#define MERGED_BYTES ((uint64_t)1 << 20)

/* ---- Planning ----------------------------------------------------------------------------- */

/* Whether hashes are sorted by range on their way to a kind. */
static bool sorts(const ink__build_plan *plan, const ink__build_kind *kind)
{
    return kind->mode == INK__BUILD_DIRECT && ink__bulk_takes(&kind->description) &&
           kind->description.bytes >= ink__tuning_now().radix_from_bytes &&
           plan->reading.weight == NULL;
}

/* Whether all workers fill one sketch of such a kind: a large one, or of many workers, whose copies
 * would take longer to clear and merge than they save. */
static bool is_shared(const ink__build_plan *plan, const ink__build_kind *kind)
{
    return plan->workers > 2 || kind->description.bytes > ink__tuning_now().private_to_bytes;
}

/* The number of slots that memory suffices for, with the room for hashes that are sorted. */
static unsigned count_slots(const ink__build_plan *plan)
{
    uint64_t bytes = 1;

    for (size_t i = 0; i < plan->kind_count; i++) {
        const ink__build_kind *kind = &plan->kinds[i];
        if (kind->mode == INK__BUILD_DIRECT && !sorts(plan, kind))
            bytes += kind->description.bytes_max;
        else if (kind->mode == INK__BUILD_DIRECT && !is_shared(plan, kind))
            bytes += 2 * kind->description.bytes_max;
    }
    if (plan->memory / bytes >= plan->workers)
        return plan->workers;
    return plan->memory / bytes == 0 ? 1 : (unsigned)(plan->memory / bytes);
}

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status open_ranges(ink__build_state *all, size_t number, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    ink__build_direct     *direct = &all->direct;
    const ink__build_kind *kind = &plan->kinds[number];
    ink__build_ranged     *ranged = &direct->ranged[number];
    bool                   own = !is_shared(plan, kind) && direct->slot_count == plan->workers;
    unsigned               count = own ? plan->workers : 1;

    if (!sorts(plan, kind))
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&plan->allocator, count * sizeof *ranged->ranges, &ranged->ranges,
                                  error));
    ranged->count = count;
    for (unsigned i = 0; i < count; i++) {
        ink_sketch **sketch = &direct->slots[i].sketches[number];
        INK__TRY(ink__build_make(plan, number, 0, sketch, error));
        INK__TRY(ink__ranges_open(&ranged->ranges[i], *sketch, plan->memory,
                                  own ? 1 : plan->workers, &plan->allocator, error));
    }
    return INK_OK;
}

ink_status ink__build_direct_begin(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    ink__build_direct     *direct = &all->direct;
    unsigned               count = count_slots(plan);
    uint64_t               kinds = plan->kind_count;
    uint64_t bytes = count * (sizeof(ink__build_slot) + kinds * sizeof(ink_sketch *)) +
                     kinds * sizeof(ink__build_ranged);

    if (!plan->any[INK__BUILD_DIRECT] || plan->reading.by != NULL)
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&plan->allocator, bytes, &direct->slots, error));
    direct->bytes = bytes;
    direct->slot_count = count;
    direct->ranged = (ink__build_ranged *)(void *)(direct->slots + count);
    ink_sketch **sketches = (ink_sketch **)(void *)(direct->ranged + kinds);
    for (unsigned i = 0; i < count; i++)
        direct->slots[i].sketches = sketches + i * kinds;
    for (unsigned i = 0; i < count; i++, direct->open_slots++)
        INK__TRY(ink__mutex_open(&direct->slots[i].mutex, error));
    for (size_t i = 0; i < kinds; i++)
        INK__TRY(open_ranges(all, i, error));
    return INK_OK;
}

static void close_ranges(const ink__build_state *all, size_t kind)
{
    ink__build_ranged *ranged = &all->direct.ranged[kind];

    for (unsigned i = 0; i < ranged->count; i++)
        ink__ranges_close(&ranged->ranges[i]);
    ink__release(&all->plan->allocator, ranged->ranges, ranged->count * sizeof *ranged->ranges);
    *ranged = (ink__build_ranged){0};
}

void ink__build_direct_end(ink__build_state *all)
{
    const ink__build_direct *direct = &all->direct;

    for (size_t k = 0; direct->slot_count > 0 && k < all->plan->kind_count; k++) {
        close_ranges(all, k); /* before the sketches that they fill */
        for (unsigned i = 0; i < direct->slot_count; i++)
            ink_sketch_free(direct->slots[i].sketches[k]);
    }
    for (unsigned i = 0; i < direct->open_slots; i++)
        ink__mutex_close(&direct->slots[i].mutex);
    ink__release(&all->plan->allocator, direct->slots, direct->bytes);
}

/* ---- Adding ------------------------------------------------------------------------------- */

static ink_status add_to_slot(const ink__build_state *all, const ink__build_slot *slot,
                              const ink_batch *batch, ink_error *error)
{
    for (size_t i = 0; i < all->plan->kind_count; i++) {
        const ink__build_kind *kind = &all->plan->kinds[i];
        if (kind->mode != INK__BUILD_DIRECT || all->direct.ranged[i].count > 0)
            continue;
        if (slot->sketches[i] == NULL)
            INK__TRY(ink__build_make(all->plan, i, 0, &slot->sketches[i], error));
        INK__TRY(ink__build_add(kind, slot->sketches[i], *batch, error));
    }
    return INK_OK;
}

ink_status ink__build_direct_add(ink__build_state *all, unsigned worker, const ink_batch *batch,
                                 ink_error *error)
{
    const ink__build_direct *direct = &all->direct;
    ink__build_slot         *slot = &direct->slots[worker % direct->slot_count];
    bool                     shared = direct->slot_count < all->plan->workers;

    if (shared)
        ink__mutex_lock(&slot->mutex);
    ink_status status = add_to_slot(all, slot, batch, error);
    if (shared)
        ink__mutex_unlock(&slot->mutex);
    for (size_t k = 0; k < all->plan->kind_count && status == INK_OK; k++) {
        const ink__build_ranged *ranged = &direct->ranged[k];
        if (ranged->count == 1)
            ink__ranges_put(ranged->ranges, worker, batch->hashes, batch->count);
        else if (ranged->count > 1)
            ink__ranges_put(&ranged->ranges[worker], 0, batch->hashes, batch->count);
    }
    return status;
}

/* ---- Merging ------------------------------------------------------------------------------ */

/* Copies of a kind that threads merge, share by share. */
typedef struct merging {
    const ink__build_direct *direct;
    size_t                   kind;
    unsigned                 shares;
} merging;

static ink_status merge_share(void *host, unsigned worker, uint64_t share, ink_error *error)
{
    const merging         *all = host;
    const ink__build_slot *slots = all->direct->slots;

    (void)worker;
    (void)error;
    for (unsigned i = 1; i < all->direct->slot_count; i++)
        if (slots[i].sketches[all->kind] != NULL)
            ink__sketch_merge_share(slots[0].sketches[all->kind], slots[i].sketches[all->kind],
                                    (unsigned)share, all->shares);
    return INK_OK;
}

/* Merges the copies of a kind into the first, on several threads if that is worth their start. */
static ink_status merge_copies(const ink__build_state *all, size_t kind, ink_error *error)
{
    const ink__build_direct *direct = &all->direct;
    ink_sketch              *first = direct->slots[0].sketches[kind];
    merging                  merge = {direct, kind, all->plan->workers};
    uint64_t bytes = first == NULL ? 0 : ink_sketch_memory(first) * (direct->slot_count - 1);

    if (bytes < MERGED_BYTES || !ink__sketch_has_shares(first))
        return INK_OK;
    INK__TRY(ink__tasks_short(all->plan->job, "merging", merge.shares, merge_share, &merge, error));
    for (unsigned i = 1; i < direct->slot_count; i++) {
        ink_sketch **merged = &direct->slots[i].sketches[kind];
        if (*merged != NULL)
            ink__sketch_merge_rest(first, *merged);
        ink_sketch_free(*merged);
        *merged = NULL;
    }
    return INK_OK;
}

ink_status ink__build_direct_finish(ink__build_state *all, ink_error *error)
{
    const ink__build_direct *direct = &all->direct;

    for (size_t k = 0; direct->slot_count > 0 && k < all->plan->kind_count; k++) {
        for (unsigned i = 0; i < direct->ranged[k].count; i++)
            ink__ranges_finish(&direct->ranged[k].ranges[i], all->plan->job);
        close_ranges(all, k);
        INK__TRY(merge_copies(all, k, error));
        for (unsigned i = 0; i < direct->slot_count; i++)
            INK__TRY(
                ink__build_merge(&all->whole->sketches[k], &direct->slots[i].sketches[k], error));
    }
    return INK_OK;
}
