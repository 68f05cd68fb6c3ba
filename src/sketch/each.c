/* each.c - one batch for many sketches: key i goes to sketch i. Many keys for few sketches are
 * sorted by sketch, a window at a time. Others are added one by one; what a key will touch is
 * prefetched in two steps: the sketch, then its memory. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "sketch/batch.h"

/* Keys before its turn, a sketch is fetched, and then what its key touches. */
enum { SKETCH_FETCHED = 32, MEMORY_FETCHED = 16 };

static void fetch_sketch(const ink_sketch *sketch)
{
    const char *object = (const char *)sketch;

    __builtin_prefetch(object, 1, 3);
    __builtin_prefetch(object + 64, 1, 3);
    __builtin_prefetch(object + 128, 1, 3);
}

static ink_status at_key(ink_status status, size_t key, ink_error *error)
{
    if (error != NULL) {
        error->location = INK_AT_KEY;
        error->at = key;
    }
    return status;
}

/* ---- Groups ------------------------------------------------------------------------------- */

/* Keys that are sorted together, at most and at least; and how many a group has in the mean, at
 * least: below, one by one is as fast. */
enum { WINDOW_MAX = 1 << 19, WINDOW_MIN = 1 << 10, GROUP_KEYS = 4 };

/* A sketch of this call, and where its keys end in the window. */
typedef struct group {
    ink_sketch *sketch;
    size_t      end;
} group;

/* The groups of a call. A sketch holds the number of its group; what it held before does not
 * matter, since a number is valid only if its group names the sketch. */
typedef struct grouping {
    void     *memory;
    uint64_t  bytes;
    size_t    window;
    uint32_t *numbers;          /* of the groups of a window's keys ... */
    uint64_t *hashes, *weights; /* ... which are sorted by group; weights NULL: none */
    group    *groups;
    size_t    count, room; /* of groups */
    bool      complete;    /* all sketches have a group */
} grouping;

/* Takes memory for the groups of a batch, or leaves all zero if they cannot pay: few keys, or a
 * kind that takes more of them than their hashes. It goes on without if there is no memory. */
static void open_groups(grouping *g, const ink_sketch *sketch, const ink_batch *batch)
{
    const size_t windows = batch->count / WINDOW_MAX + 1;
    const size_t window = batch->count / windows + 1, room = window / GROUP_KEYS;
    const size_t arrays = batch->weights == NULL ? 1 : 2;

    *g = (grouping){.bytes = window * arrays * sizeof(uint64_t) + room * sizeof(group) +
                             window * sizeof(uint32_t)};
    if (batch->count < WINDOW_MIN || sketch->kind->keeps_keys ||
        ink__rule_needs_keys(&sketch->rule) ||
        ink__allocate(&sketch->allocator, g->bytes, &g->memory, NULL) != INK_OK)
        return;
    g->window = window;
    g->hashes = g->memory;
    g->weights = arrays == 1 ? NULL : g->hashes + window;
    g->groups = (group *)(void *)(g->hashes + window * arrays);
    g->numbers = (uint32_t *)(void *)(g->groups + room);
    g->room = room;
    g->complete = true;
}

static inline bool is_grouped(const grouping *g, const ink_sketch *sketch)
{
    return sketch->group < g->count && g->groups[sketch->group].sketch == sketch;
}

static void make_group(grouping *g, ink_sketch *sketch)
{
    if (g->count == g->room) {
        g->complete = false;
        return;
    }
    sketch->group = (uint32_t)g->count;
    g->groups[g->count++].sketch = sketch;
}

/* Whether all sketches take keys as the first one does; each gets its group. */
static ink_status check_sketches(ink_sketch *const *sketches, size_t count, grouping *g,
                                 ink_error *error)
{
    const ink_sketch *first = sketches[0];

    for (size_t i = 0; i < count; i++) {
        ink_sketch *sketch = sketches[i];
        ink_status  status = INK_OK;
        if (i + SKETCH_FETCHED < count)
            fetch_sketch(sketches[i + SKETCH_FETCHED]);
        if (is_grouped(g, sketch))
            continue;
        if (sketch->kind != first->kind)
            status = ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s",
                               first->kind->name, sketch->kind->name);
        else
            status = ink__check_writable(sketch, error);
        if (status == INK_OK)
            status = ink__rule_match(&first->rule, &sketch->rule, error);
        if (status != INK_OK)
            return at_key(status, i, error);
        make_group(g, sketch);
    }
    return INK_OK;
}

/* Counts the keys of each group in a window and reserves room for them; `end` becomes the first
 * one's place. */
static ink_status reserve_groups(grouping *g, ink_sketch *const *sketches, size_t count)
{
    size_t end = 0;

    for (size_t i = 0; i < g->count; i++)
        g->groups[i].end = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + SKETCH_FETCHED < count)
            __builtin_prefetch(&sketches[i + SKETCH_FETCHED]->group, 0, 3);
        g->numbers[i] = sketches[i]->group;
        g->groups[g->numbers[i]].end++;
    }
    for (size_t i = 0; i < g->count; i++) {
        group          *one = &g->groups[i];
        const ink__keys keys = {.count = one->end};
        one->end = end;
        end += keys.count;
        if (keys.count > 0)
            INK__TRY(ink__reserve(one->sketch, &keys, NULL));
    }
    return INK_OK;
}

/* Puts the hashes and weights of a window in order of groups, and `end` after them. */
static void sort_window(grouping *g, const ink_batch *batch, size_t first, size_t count)
{
    uint64_t  hashes[INK__HASH_BATCH];
    ink__keys keys;

    for (size_t done = 0; done < count; done += keys.count) {
        keys = ink__batch_part(g->groups[0].sketch, batch, first + done, hashes);
        if (keys.count > count - done)
            keys.count = count - done;
        for (size_t i = 0; i < keys.count; i++) {
            size_t at = g->groups[g->numbers[done + i]].end++;
            g->hashes[at] = keys.hashes[i];
            if (g->weights != NULL)
                g->weights[at] = keys.weights[i];
        }
    }
}

/* How many records these keys stand for, as in a batch. */
static uint64_t records_of(const ink__kind *kind, const ink__keys *keys)
{
    uint64_t sum = 0;

    if (keys->weights == NULL || kind->remove == NULL)
        return keys->count;
    for (size_t i = 0; i < keys->count; i++)
        sum = ink__add_saturating(sum, keys->weights[i]);
    return sum;
}

/* Adds the sorted keys group by group; what the next group touches is fetched meanwhile. */
static void add_groups(const grouping *g)
{
    const ink__kind *kind = g->groups[0].sketch->kind;

    for (size_t i = 0, start = 0; i < g->count; start = g->groups[i++].end) {
        const group    *one = &g->groups[i];
        const ink__keys keys = {.count = one->end - start,
                                .hashes = g->hashes + start,
                                .weights = g->weights == NULL ? NULL : g->weights + start};
        if (i + 2 < g->count)
            fetch_sketch(one[2].sketch);
        if (i + 1 < g->count && kind->fetch != NULL)
            kind->fetch(one[1].sketch, g->hashes + one->end, one[1].end - one->end,
                        INK__FETCH_WRITE);
        if (keys.count == 0)
            continue;
        kind->add(one->sketch, &keys);
        one->sketch->records = ink__add_saturating(one->sketch->records, records_of(kind, &keys));
    }
}

/* Adds keys window by window, up to the end or to a window for which there is no room. Returns how
 * many were added. */
static size_t add_windows(grouping *g, ink_sketch *const *sketches, const ink_batch *batch)
{
    size_t first = 0, count;

    for (; g->complete && first < batch->count; first += count) {
        count = batch->count - first < g->window ? batch->count - first : g->window;
        if (reserve_groups(g, sketches + first, count) != INK_OK)
            break;
        sort_window(g, batch, first, count);
        add_groups(g);
    }
    return first;
}

/* ---- One by one --------------------------------------------------------------------------- */

/* Makes `one` key number i; fields that are NULL stay so. */
static inline void move_to(ink__keys *one, const ink__keys *keys, size_t i)
{
    one->hashes = keys->hashes + i;
    if (keys->ints != NULL)
        one->ints = keys->ints + i;
    if (keys->starts != NULL) {
        one->starts = keys->starts + i;
        one->ends = keys->ends + i;
    }
    if (keys->pairs != NULL)
        one->pairs = keys->pairs + i;
    if (keys->weights != NULL)
        one->weights = keys->weights + i;
}

/* Adds keys of a part to sketches. */
static ink_status add_part(ink_sketch *const *sketches, const ink__keys *keys, size_t left,
                           size_t first, ink_error *error)
{
    const ink__kind *kind = sketches[0]->kind;
    const bool       fetches = kind->fetch != NULL && !ink__rule_needs_keys(&sketches[0]->rule);
    ink__keys        one = *keys;

    one.count = 1;
    for (size_t i = 0; i < keys->count; i++) {
        if (i + SKETCH_FETCHED < left)
            fetch_sketch(sketches[i + SKETCH_FETCHED]);
        if (i + MEMORY_FETCHED < keys->count && fetches)
            kind->fetch(sketches[i + MEMORY_FETCHED], keys->hashes + i + MEMORY_FETCHED, 1,
                        INK__FETCH_WRITE);
        move_to(&one, keys, i);
        ink_status status = ink__reserve(sketches[i], &one, error);
        if (status != INK_OK)
            return at_key(status, first + i, error);
        kind->add(sketches[i], &one);
        sketches[i]->records = ink__add_saturating(sketches[i]->records, records_of(kind, &one));
    }
    return INK_OK;
}

/* Adds the keys from number `first` on. */
static ink_status add_rest(ink_sketch *const *sketches, const ink_batch *batch, size_t first,
                           ink_error *error)
{
    const ink__keys *keys;
    ink__walk        walk;

    ink__walk_start_near(&walk, sketches[0], batch);
    walk.end = first;
    while ((keys = ink__walk_next(&walk)) != NULL)
        INK__TRY(
            add_part(sketches + walk.first, keys, batch->count - walk.first, walk.first, error));
    return INK_OK;
}

ink_status ink_add_each(ink_sketch *const *sketches, const ink_batch *batch, ink_error *error)
{
    grouping   g;
    ink_status status;

    if (batch->count == 0)
        return INK_OK;
    INK__TRY(ink__batch_check(sketches[0], batch, error));
    if (batch->records != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%llu records for keys of a sketch each, expected 0: one for each key",
                         (unsigned long long)batch->records);
    open_groups(&g, sketches[0], batch);
    status = check_sketches(sketches, batch->count, &g, error);
    if (status == INK_OK)
        status = add_rest(sketches, batch, add_windows(&g, sketches, batch), error);
    ink__release(&sketches[0]->allocator, g.memory, g.bytes);
    return status;
}
