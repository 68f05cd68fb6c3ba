/* build_ordered.c - kinds whose bytes depend on the order of keys. The rows of a chunk are held
 * until it has its turn, and added by one thread after another, so that any number of threads gives
 * the same. Those that a merge serves as well as an order (top, conservative count-min) are made of
 * stretches of the input, merged in order, so that others can make them in parallel and get the
 * same; a filter that grows is one writer's. */
#include "base/memory.h"
#include "jobs/build/building.h"

/* ---- Holding ------------------------------------------------------------------------------ */

ink_status ink__build_hold(ink__building *all, ink__build_worker *mine, const ink__rows *rows,
                           ink_error *error)
{
    const ink__waiting_for what = {
        .hashes = all->hasher != NULL ? mine->hashes : NULL,
        .groups = all->whole == NULL ? mine->collect.row_groups : NULL,
        .keys = true,
    };

    return ink__waiting_add(&mine->waiting, rows, &what, error);
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* Notes that a group has parts of this stretch. */
static ink_status touch(ink__building *all, ink__group *group, ink_error *error)
{
    void *memory = all->touched;

    INK__TRY(ink__make_room(&all->allocator, &memory, &all->touched_bytes,
                            all->touched_count * sizeof *all->touched, sizeof *all->touched,
                            error));
    all->touched = memory;
    all->touched[all->touched_count++] = group;
    return INK_OK;
}

/* Groups that keep keys take what these take; all together not more than there is memory. Only
 * whoever has its turn changes such sketches, so that the sum is right, and the same for any number
 * of threads. */
static ink_status charge(ink__building *all, uint64_t before, uint64_t after, ink_error *error)
{
    uint64_t grown = atomic_fetch_add(&all->grown_bytes, after - before) + after - before;

    if (all->whole != NULL || all->relieve != NULL || grown <= all->memory)
        return INK_OK;
    return ink__fail(
        error, INK_LIMIT, INK_NOWHERE, 0,
        "groups with more than %llu bytes of keys and counts in all, expected fewer or "
        "smaller ones, or more memory (--memory)",
        (unsigned long long)all->memory);
}

static ink_status add_rows(ink__building *all, const ink__build_worker *mine, ink__group *group,
                           uint64_t first, uint64_t end, ink_error *error)
{
    bool touched = false;

    for (size_t k = 0; k < all->kind_count; k++) {
        const ink__build_kind *kind = &all->kinds[k];
        if (kind->mode != INK__BUILD_ORDERED)
            continue;
        ink_sketch **to = kind->info.contains ? &group->sketches[k] : &group->parts[k];
        bool         made = *to == NULL;
        if (made) {
            INK__TRY(ink__build_make(all, k, 0, to, error));
            touched = touched || !kind->info.contains;
        }
        uint64_t before = kind->info.keeps_keys && !made ? ink__sketch_cost(*to) : 0;
        INK__TRY(ink__build_add(kind, *to, ink__waiting_batch(&mine->waiting, first, end), error));
        if (kind->info.keeps_keys)
            INK__TRY(charge(all, before, ink__sketch_cost(*to), error));
    }
    return touched ? touch(all, group, error) : INK_OK;
}

ink_status ink__build_close_stretch(ink__building *all, ink_error *error)
{
    for (uint64_t i = 0; i < all->touched_count; i++) {
        ink__group *group = all->touched[i];
        for (size_t k = 0; k < all->kind_count; k++) {
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
            if (all->kinds[k].info.keeps_keys)
                INK__TRY(charge(all, before, ink__sketch_cost(group->sketches[k]), error));
        }
    }
    all->touched_count = 0;
    return INK_OK;
}

/* ---- Turns -------------------------------------------------------------------------------- */

ink_status ink__build_turn(ink__building *all, ink__build_worker *mine, uint64_t position,
                           ink_error *error)
{
    if (position / INK__STRETCH_BYTES != all->stretch)
        INK__TRY(ink__build_close_stretch(all, error));
    all->stretch = position / INK__STRETCH_BYTES;
    for (uint64_t first = 0, end; first < mine->waiting.count; first = end) {
        ink__group *group = all->whole != NULL ? all->whole : mine->waiting.groups[first];
        end = ink__waiting_run(&mine->waiting, first);
        INK__TRY(add_rows(all, mine, group, first, end, error));
    }
    ink__waiting_clear(&mine->waiting);
    return INK_OK;
}
