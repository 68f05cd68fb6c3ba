/* set.c - labelled sketches in memory, on their way to a file. */
#include "engine/set.h"

#include "base/memory.h"

#include <string.h>

ink_status ink__set_create(ink_set **set, const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    void         *object;

    INK__TRY(ink__allocate(&memory, sizeof **set, &object, error));
    *set = object;
    **set = (ink_set){.allocator = memory};
    ink__arena_begin(&(*set)->labels, &memory);
    return INK_OK;
}

void ink_set_free(ink_set *set)
{
    if (set == NULL)
        return;
    ink_allocator memory = set->allocator;

    for (uint64_t i = 0; i < set->count; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)set->entries[i].sketch);
    ink__release(&memory, set->entries, set->entries_bytes);
    ink__arena_end(&set->labels);
    ink__release(&memory, set, sizeof *set);
}

ink_status ink__set_add(ink_set *set, const ink_label *label, ink_sketch *sketch, ink_error *error)
{
    void      *memory = set->entries;
    ink_label  kept = *label;
    ink_status status = ink__make_room(&set->allocator, &memory, &set->entries_bytes,
                                       set->count * sizeof(ink_entry), sizeof(ink_entry), error);

    set->entries = memory;
    if (status == INK_OK && label->group_kind == INK_GROUP_BYTES) {
        const uint8_t *bytes;
        status = ink__arena_keep(&set->labels, label->group, label->group_bytes, &bytes, error);
        kept.group = bytes;
    }
    if (status != INK_OK) {
        ink_sketch_free(sketch);
        return status;
    }
    set->entries[set->count++] = (ink_entry){.label = kept, .sketch = sketch};
    return INK_OK;
}

/* ---- The public calls --------------------------------------------------------------------- */

size_t ink_set_count(const ink_set *set)
{
    return (size_t)set->count;
}

ink_status ink_set_entry(const ink_set *set, size_t index, ink_entry *entry, ink_error *error)
{
    if (index >= set->count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0,
                         "entry %zu of a set of %llu, expected a smaller number", index,
                         (unsigned long long)set->count);
    *entry = set->entries[index];
    return INK_OK;
}

bool ink_set_recipe_dropped(const ink_set *set)
{
    return set->recipe_dropped;
}

static ink_contents contents_of(const ink_set *set, ink_section *recipe)
{
    *recipe = (ink_section){
        .id = INK_SECTION_RECIPE, .bytes = set->recipe, .count = (size_t)set->recipe_bytes};
    return (ink_contents){
        .entries = set->entries,
        .entry_count = (size_t)set->count,
        .sections = recipe,
        .section_count = set->recipe_bytes > 0,
        .allocator = &set->allocator,
    };
}

ink_status ink_set_save(const ink_set *set, const char *path, ink_error *error)
{
    ink_section  recipe;
    ink_contents contents = contents_of(set, &recipe);

    return ink_save(path, &contents, error);
}

ink_status ink_set_encode(const ink_set *set, uint8_t **bytes, size_t *count, ink_error *error)
{
    ink_section  recipe;
    ink_contents contents = contents_of(set, &recipe);

    return ink_encode(&contents, bytes, count, error);
}
