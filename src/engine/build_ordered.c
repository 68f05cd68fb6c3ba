/* build_ordered.c - kinds whose bytes depend on the order of keys. The rows of a chunk are held
 * until it has its turn, and added by one thread after another, so that any number of threads gives
 * the same. Those that a merge serves as well as an order (top, conservative count-min) are made of
 * stretches of the input, merged in order, so that others can make them in parallel and get the
 * same; a filter that grows is one writer's. */
#include "base/memory.h"
#include "engine/building.h"

#include <string.h>

/* ---- Holding ------------------------------------------------------------------------------ */

static ink_status hold_words(const ink__building *all, const ink__build_worker *mine,
                             uint64_t **held, uint64_t *bytes, const uint64_t *words, size_t count,
                             ink_error *error)
{
    void      *memory = *held;
    ink_status status =
        ink__make_room(&all->allocator, &memory, bytes, 8 * mine->held_count, 8 * count, error);

    *held = memory;
    INK__TRY(status);
    memcpy(*held + mine->held_count, words, 8 * count);
    return INK_OK;
}

static ink_status hold_groups(const ink__building *all, ink__build_worker *mine, size_t count,
                              ink_error *error)
{
    void      *memory = mine->held_groups;
    uint64_t   each = sizeof *mine->held_groups;
    ink_status status = ink__make_room(&all->allocator, &memory, &mine->held_groups_bytes,
                                       each * mine->held_count, each * count, error);

    mine->held_groups = memory;
    INK__TRY(status);
    memcpy(mine->held_groups + mine->held_count, mine->collect.row_groups,
           count * sizeof *mine->held_groups);
    return INK_OK;
}

static ink_status hold_keys(ink__build_worker *mine, const ink__rows *rows, ink_error *error)
{
    for (size_t i = 0; i < rows->count; i++) {
        const uint8_t *key = rows->key_ints != NULL ? (const uint8_t *)&rows->key_ints[i]
                                                    : rows->key_bytes + rows->key_starts[i];
        uint64_t       bytes = rows->key_ints != NULL ? 8 : rows->key_ends[i] - rows->key_starts[i];
        INK__TRY(ink__gather_key(&mine->held, key, bytes, 1, error));
    }
    return INK_OK;
}

ink_status ink__build_hold(ink__building *all, ink__build_worker *mine, const ink__rows *rows,
                           ink_error *error)
{
    if (all->hasher != NULL)
        INK__TRY(hold_words(all, mine, &mine->held_hashes, &mine->held_hashes_bytes, mine->hashes,
                            rows->count, error));
    if (rows->weights != NULL)
        INK__TRY(hold_words(all, mine, &mine->held_weights, &mine->held_weights_bytes,
                            rows->weights, rows->count, error));
    if (all->whole == NULL)
        INK__TRY(hold_groups(all, mine, rows->count, error));
    INK__TRY(hold_keys(mine, rows, error));
    mine->held_count += rows->count;
    return INK_OK;
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

/* The held rows from `first` up to `end` as a batch. */
static ink_batch batch_of(const ink__building *all, const ink__build_worker *mine, uint64_t first,
                          uint64_t end)
{
    bool      ints = all->kinds[0].params.key_type == INK_KEY_INT;
    ink_batch batch = {
        .count = (size_t)(end - first),
        .hashes = all->hasher != NULL ? mine->held_hashes + first : NULL,
        .weights = all->reading->weight != NULL ? mine->held_weights + first : NULL,
    };

    if (ints)
        batch.ints = (const int64_t *)(const void *)mine->held.bytes + first;
    else {
        batch.bytes = mine->held.bytes;
        batch.offsets = mine->held.starts + first;
        batch.ends = mine->held.ends + first;
    }
    return batch;
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
        if (*to == NULL) {
            INK__TRY(ink__build_make(all, k, 0, to, error));
            touched = touched || !kind->info.contains;
        }
        INK__TRY(ink__build_add(kind, *to, batch_of(all, mine, first, end), error));
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
            ink_status status = ink_sketch_merge(group->sketches[k], part, NULL, error);
            ink_sketch_free(part);
            INK__TRY(status);
        }
    }
    all->touched_count = 0;
    return INK_OK;
}

ink_status ink__build_turn(ink__building *all, ink__build_worker *mine, uint64_t position,
                           ink_error *error)
{
    if (position / INK__STRETCH_BYTES != all->stretch)
        INK__TRY(ink__build_close_stretch(all, error));
    all->stretch = position / INK__STRETCH_BYTES;
    for (uint64_t first = 0, end; first < mine->held_count; first = end) {
        ink__group *group = all->whole != NULL ? all->whole : mine->held_groups[first];
        end = all->whole != NULL ? mine->held_count : first + 1;
        while (end < mine->held_count && mine->held_groups[end] == group)
            end++;
        INK__TRY(add_rows(all, mine, group, first, end, error));
    }
    mine->held_count = mine->held.count = mine->held.byte_count = 0;
    return INK_OK;
}
