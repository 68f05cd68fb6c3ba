/* build_ordered.c - kinds whose bytes depend on the order of keys. Rows are added in the ordered
 * commit of their chunk, so that any number of threads gives the same bytes. Kinds that can be
 * merged (top, conservative count-min) are made of segments of the input, merged in order, so that
 * a distributed build, which makes segments in parallel, gives the same bytes too; a filter that
 * grows has one writer. */
#include "jobs/build/build_ordered.h"

#include "base/status.h"

ink_status ink__build_defer(const ink__build_ordered *ordered, ink__pending_rows *pending,
                            const ink__rows *rows, const uint64_t *hashes,
                            ink__group *const *groups, ink_error *error)
{
    const ink__pending_rows_for what = {
        .hashes = ordered->plan->hasher != NULL ? hashes : NULL,
        .groups = ordered->whole == NULL ? groups : NULL,
        .keys = true,
    };

    return ink__pending_rows_add(pending, rows, &what, error);
}

/* Records that a group has parts of this segment. */
static ink_status touch(ink__build_ordered *ordered, ink__group *group, ink_error *error)
{
    INK__TRY(ink__make_room(&ordered->plan->allocator, &ordered->touched, &ordered->touched_bytes,
                            ordered->touched_count * sizeof *ordered->touched,
                            sizeof *ordered->touched, error));
    ordered->touched[ordered->touched_count++] = group;
    return INK_OK;
}

/* Counts the memory of groups' sketches that keep keys; INK_LIMIT above the job's. These change
 * only in commits, so that the sum is exact, and the same for any number of threads. */
static ink_status charge(ink__build_ordered *ordered, uint64_t before, uint64_t after,
                         ink_error *error)
{
    uint64_t grown = atomic_fetch_add(&ordered->grown_bytes, after - before) + after - before;

    if (ordered->whole != NULL || ordered->plan->use.flush != NULL ||
        grown <= ordered->plan->memory)
        return INK_OK;
    return ink__fail(
        error, INK_LIMIT, INK_NOWHERE, 0,
        "groups with more than %llu bytes of keys and counts in all, expected fewer or "
        "smaller ones, or more memory (--memory)",
        (unsigned long long)ordered->plan->memory);
}

static ink_status add_rows(ink__build_ordered *ordered, const ink__pending_rows *pending,
                           ink__group *group, uint64_t first, uint64_t end, ink_error *error)
{
    bool touched = false;

    for (size_t k = 0; k < ordered->plan->kind_count; k++) {
        const ink__build_kind *kind = &ordered->plan->kinds[k];
        if (kind->mode != INK__BUILD_ORDERED)
            continue;
        ink_sketch **to = kind->info.contains ? &group->sketches[k] : &group->parts[k];
        bool         made = *to == NULL;
        if (made) {
            INK__TRY(ink__build_make(ordered->plan, k, 0, to, error));
            touched = touched || !kind->info.contains;
        }
        uint64_t before = kind->info.keeps_keys && !made ? ink__sketch_cost(*to) : 0;
        INK__TRY(ink__build_add(kind, *to, ink__pending_rows_batch(pending, first, end), error));
        if (kind->info.keeps_keys)
            INK__TRY(charge(ordered, before, ink__sketch_cost(*to), error));
    }
    return touched ? touch(ordered, group, error) : INK_OK;
}

ink_status ink__build_close_segment(ink__build_ordered *ordered, ink_error *error)
{
    for (uint64_t i = 0; i < ordered->touched_count; i++) {
        ink__group *group = ordered->touched[i];
        for (size_t k = 0; k < ordered->plan->kind_count; k++) {
            ink_sketch *part = group->parts[k];
            if (part == NULL)
                continue;
            group->parts[k] = NULL;
            if (group->sketches[k] == NULL) {
                group->sketches[k] = part;
                continue;
            }
            uint64_t   before = ink__sketch_cost(group->sketches[k]) + ink__sketch_cost(part);
            ink_status status = ink_sketch_merge(group->sketches[k], part, NULL, error);
            ink_sketch_free(part);
            INK__TRY(status);
            if (ordered->plan->kinds[k].info.keeps_keys)
                INK__TRY(charge(ordered, before, ink__sketch_cost(group->sketches[k]), error));
        }
    }
    ordered->touched_count = 0;
    return INK_OK;
}

ink_status ink__build_commit(ink__build_ordered *ordered, ink__pending_rows *pending,
                             uint64_t position, ink_error *error)
{
    if (position / INK__SEGMENT_BYTES != ordered->segment)
        INK__TRY(ink__build_close_segment(ordered, error));
    ordered->segment = position / INK__SEGMENT_BYTES;
    for (uint64_t first = 0, end; first < pending->count; first = end) {
        ink__group *group = ordered->whole != NULL ? ordered->whole : pending->groups[first];
        end = ink__pending_rows_run(pending, first);
        INK__TRY(add_rows(ordered, pending, group, first, end, error));
    }
    ink__pending_rows_clear(pending);
    return INK_OK;
}
