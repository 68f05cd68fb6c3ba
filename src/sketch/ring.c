/* ring.c - what did I see in the last minutes? A window that moves with time: a ring of slots, each
 * with a sketch, all of one plan. Records go to the slot of their time, slots that are too old are
 * dropped, and a question is answered by the union of the newest. Owns the slots; the sketches know
 * nothing of time. */
#include "base/memory.h"
#include "base/status.h"
#include "sketch/sketch.h"

enum { SLOTS_MAX = 65536 };

/* The number of a slot is its start divided by the length of slots. Slot n is stored at n modulo
 * the number of slots: the next one there replaces it. */
typedef struct slot {
    int64_t     number;
    ink_sketch *sketch; /* NULL: nothing was added in this time */
} slot;

struct ink_ring {
    ink_allocator allocator;
    ink__plan     planned; /* what all slots are */
    int64_t       length;
    uint64_t      slots_ahead; /* as the window has it */
    uint32_t      slot_count;
    bool          started; /* it has seen a time: */
    int64_t       newest;  /* the number of the newest slot */
    slot         *slots;   /* after this object */
};

/* ---- Life --------------------------------------------------------------------------------- */

/* The union of all slots keeps the promise: where a merge adds rates up, each slot has its share of
 * the rate. */
static ink_status plan_slots(const ink_params *params, uint32_t slots, ink__plan *planned,
                             ink_error *error)
{
    ink_params      part = *params;
    ink_description whole = {0};

    INK__TRY(ink__sketch_plan(params, planned, error));
    if (!planned->shape.kind->adds_rates)
        return INK_OK;
    planned->shape.kind->describe(&planned->shape, &whole);
    part.false_positive_rate = whole.promised_rate / slots;
    if (ink__sketch_plan(&part, planned, NULL) == INK_OK)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "{false_positive_rate} %g over %u slots is %g in each, too low for %s",
                     whole.promised_rate, slots, part.false_positive_rate, params->kind);
}

static uint64_t bytes_of(uint32_t slots)
{
    return sizeof(ink_ring) + slots * sizeof(slot);
}

static ink_status new_ring(ink_ring **ring, const ink__plan *planned, const ink_window *window,
                           const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);

    INK__TRY(ink__allocate_zeroed(&memory, bytes_of(window->slots), ring, error));
    **ring = (ink_ring){
        .allocator = memory,
        .planned = *planned,
        .length = (int64_t)window->slot_microseconds,
        .slots_ahead = window->slots_ahead,
        .slot_count = window->slots,
        .slots = (slot *)(void *)(*ring + 1),
    };
    return INK_OK;
}

ink_status ink_ring_create(ink_ring **ring, const ink_params *params, const ink_window *window,
                           const ink_allocator *allocator, ink_error *error)
{
    ink__plan planned;

    INK__TRY_ROOM("ink_window", window, error);
    if (window->slots == 0 || window->slots > SLOTS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%u slots, expected 1 to %d",
                         window->slots, SLOTS_MAX);
    if (window->slot_microseconds == 0 || window->slot_microseconds > INT64_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "slots of %llu microseconds, expected 1 to 2^63 - 1",
                         (unsigned long long)window->slot_microseconds);
    INK__TRY(plan_slots(params, window->slots, &planned, error));
    ink_status status = new_ring(ring, &planned, window, allocator, error);
    ink__rule_wipe(&planned.rule);
    return status;
}

void ink_ring_free(ink_ring *ring)
{
    if (ring == NULL)
        return;
    ink_allocator memory = ring->allocator;

    for (uint32_t i = 0; i < ring->slot_count; i++)
        ink_sketch_free(ring->slots[i].sketch);
    ink__rule_wipe(&ring->planned.rule);
    ink__release(&memory, ring, bytes_of(ring->slot_count));
}

/* ---- Time --------------------------------------------------------------------------------- */

/* Rounded towards the past. */
static int64_t number_of(const ink_ring *ring, int64_t when)
{
    return when / ring->length - (when % ring->length < 0);
}

static slot *slot_of(const ink_ring *ring, int64_t number)
{
    int64_t location = number % (int64_t)ring->slot_count;

    return &ring->slots[location < 0 ? location + (int64_t)ring->slot_count : location];
}

/* The distance of a slot from the newest, which is not older. */
static uint64_t age_of(const ink_ring *ring, int64_t number)
{
    return (uint64_t)ring->newest - (uint64_t)number;
}

/* Whether a time is before the window, or in a slot whose start cannot be represented. */
static bool is_late(const ink_ring *ring, int64_t when)
{
    int64_t past = when % ring->length, number = number_of(ring, when);

    if (past < 0 && when - past < INT64_MIN + ring->length)
        return true;
    return ring->started && number <= ring->newest && age_of(ring, number) >= ring->slot_count;
}

/* INK_USAGE for a time further in the future than the window allows. */
static ink_status check_ahead(const ink_ring *ring, int64_t number, ink_error *error)
{
    uint64_t ahead = (uint64_t)number - (uint64_t)ring->newest;

    if (!ring->started || number <= ring->newest || ring->slots_ahead == 0 ||
        ahead <= ring->slots_ahead)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "a time %llu slots ahead of the newest, expected at most %llu",
                     (unsigned long long)ahead, (unsigned long long)ring->slots_ahead);
}

/* Makes `number` the newest slot, unless it is older, and drops what is too old then. */
static void move_to(ink_ring *ring, int64_t number)
{
    if (ring->started && number <= ring->newest)
        return;
    ring->newest = number;
    ring->started = true;
    for (slot *old = ring->slots; old < ring->slots + ring->slot_count; old++)
        if (old->sketch != NULL && age_of(ring, old->number) >= ring->slot_count) {
            ink_sketch_free(old->sketch);
            old->sketch = NULL;
        }
}

ink_status ink_ring_slot(ink_ring *ring, int64_t when, ink_sketch **sketch, ink_error *error)
{
    int64_t number = number_of(ring, when);
    slot   *at = slot_of(ring, number);

    if (is_late(ring, when)) {
        *sketch = NULL;
        return INK_OK;
    }
    INK__TRY(check_ahead(ring, number, error));
    if (at->sketch == NULL || at->number != number) {
        ink_sketch *made;
        INK__TRY(ink__sketch_open(&made, &ring->planned, NULL, false, &ring->allocator, error));
        move_to(ring, number);
        at->number = number;
        at->sketch = made;
    }
    *sketch = at->sketch;
    return INK_OK;
}

ink_status ink_ring_move(ink_ring *ring, int64_t when, ink_error *error)
{
    ink_sketch *newest;

    if (ring->started && number_of(ring, when) <= ring->newest)
        return INK_OK;
    return ink_ring_slot(ring, when, &newest, error);
}

ink_status ink_ring_last(const ink_ring *ring, size_t last, ink_sketch **sketch, ink_error *error)
{
    const ink_merge_options options = {.parts = true};
    ink_sketch             *made;
    ink_entry               entry;
    size_t                  at = last == 0 ? 0 : ring->slot_count - last;

    if (last > ring->slot_count)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "the last %zu slots, expected at most the %u of the ring", last,
                         ring->slot_count);
    INK__TRY(ink__sketch_open(&made, &ring->planned, NULL, false, &ring->allocator, error));
    while (ink_ring_next(ring, &at, NULL, &entry)) {
        ink_status status = ink_sketch_merge(made, entry.sketch, &options, error);
        if (status != INK_OK) {
            ink_sketch_free(made);
            return status;
        }
    }
    *sketch = made;
    return INK_OK;
}

/* ---- Files -------------------------------------------------------------------------------- */

size_t ink_ring_count(const ink_ring *ring)
{
    size_t count = 0;

    for (uint32_t i = 0; i < ring->slot_count; i++)
        count += ring->slots[i].sketch != NULL;
    return count;
}

/* `at` counts from the oldest slot that the ring can have. */
bool ink_ring_next(const ink_ring *ring, size_t *at, const ink_label *label, ink_entry *entry)
{
    while (*at < ring->slot_count) { /* by rising time */
        uint64_t    age = ring->slot_count - ++*at;
        const slot *from = slot_of(ring, (int64_t)((uint64_t)ring->newest - age));
        if (from->sketch == NULL || age_of(ring, from->number) != age)
            continue;
        entry->label = label == NULL ? (ink_label){0} : *label;
        entry->label.has_slot = true;
        entry->label.slot = from->number * ring->length;
        entry->sketch = from->sketch;
        return true;
    }
    return false;
}

ink_status ink_ring_entry(const ink_ring *ring, size_t index, const ink_label *label,
                          ink_entry *entry, ink_error *error)
{
    size_t at = 0, left = index;

    while (ink_ring_next(ring, &at, label, entry))
        if (left-- == 0)
            return INK_OK;
    return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "slot %zu, but %zu hold a sketch", index,
                     ink_ring_count(ring));
}

/* INK_MISMATCH, naming both values, unless the sketch, of the kind that was planned, was made by
 * this plan and not folded or reduced since. */
static ink_status check_plan(const ink__plan *planned, const ink_sketch *sketch, ink_error *error)
{
    ink_description of_a, of_b;

    INK__TRY(ink__rule_match(&planned->rule, &sketch->rule, error));
    ink__describe(&planned->rule, &planned->shape, &of_a);
    ink_sketch_describe(sketch, &of_b);
    return ink__same_plan(&of_a, &of_b, " were planned, ", " are there", error);
}

/* Loads entry `index` of a file, unless it is too old for the newest slot. */
static ink_status load_slot(ink_ring *ring, const ink_file *file, size_t index, ink_error *error)
{
    ink_entry_info info;
    ink_sketch    *part, *made;

    INK__TRY(ink_file_entry(file, index, &info, error));
    if (info.label.slot % ring->length != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a slot starts at %lld, expected a multiple of %lld microseconds",
                         (long long)info.label.slot, (long long)ring->length);
    int64_t number = info.label.slot / ring->length;
    if (age_of(ring, number) >= ring->slot_count)
        return INK_OK;
    INK__TRY(ink_file_sketch(file, index, &part, error));
    ink_status status = check_plan(&ring->planned, part, error);
    if (status == INK_OK)
        status = ink_sketch_copy(&made, part, &ring->allocator, error);
    ink_sketch_free(part);
    INK__TRY(status);
    made->rule = ring->planned.rule; /* a file has no secret; the plan may have one */
    slot *at = slot_of(ring, number);
    ink_sketch_free(at->sketch); /* the newest has an empty one */
    *at = (slot){.number = number, .sketch = made};
    return INK_OK;
}

/* A group with slots of other kinds only belongs to another stream. */
static ink_status check_other_kinds(const ink_ring *ring, const ink_file *file,
                                    const ink_label *label, ink_error *error)
{
    size_t first, count;

    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (ink__file_slots(file, ink_kind_name(i), label, &first, &count, NULL) == INK_OK &&
            count > 0)
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s",
                             ring->planned.shape.kind->name, ink_kind_name(i));
    return INK_OK;
}

ink_status ink_ring_load(ink_ring *ring, const ink_file *file, const ink_label *label,
                         ink_error *error)
{
    size_t         first, count;
    ink_entry_info newest;
    ink_error      why;

    if (ring->started)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a ring that has been used, expected an empty one");
    ink_status status =
        ink__file_slots(file, ring->planned.shape.kind->name, label, &first, &count, &why);
    if (status == INK_NOT_FOUND || (status == INK_OK && count == 0))
        return check_other_kinds(ring, file, label, error);
    if (status != INK_OK) {
        if (error != NULL)
            *error = why;
        return status;
    }
    INK__TRY(ink_file_entry(file, first + count - 1, &newest, error));
    INK__TRY(ink_ring_move(ring, newest.label.slot, error));
    for (size_t i = first; i < first + count && status == INK_OK; i++)
        status = load_slot(ring, file, i, error);
    if (status == INK_OK)
        return INK_OK;
    for (uint32_t i = 0; i < ring->slot_count; i++) {
        ink_sketch_free(ring->slots[i].sketch);
        ring->slots[i].sketch = NULL;
    }
    ring->started = false;
    return status;
}
