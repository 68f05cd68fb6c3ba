/* each.c - one batch for many sketches: key i goes to sketch i. What a key will touch is prefetched
 * in two steps: the sketch, then its memory. */
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

/* Whether all sketches take keys as the first one does. */
static ink_status check_sketches(ink_sketch *const *sketches, size_t count, ink_error *error)
{
    const ink_sketch *first = sketches[0];

    for (size_t i = 0; i < count; i++) {
        const ink_sketch *sketch = sketches[i];
        ink_status        status = INK_OK;
        if (i + SKETCH_FETCHED < count)
            fetch_sketch(sketches[i + SKETCH_FETCHED]);
        if (sketch->kind != first->kind)
            status = ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s",
                               first->kind->name, sketch->kind->name);
        else
            status = ink__check_writable(sketch, error);
        if (status == INK_OK)
            status = ink__rule_match(&first->rule, &sketch->rule, error);
        if (status != INK_OK)
            return at_key(status, i, error);
    }
    return INK_OK;
}

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
    if (keys->weights != NULL)
        one->weights = keys->weights + i;
}

/* Adds keys of a part to sketches. */
static ink_status add_part(ink_sketch *const *sketches, const ink__keys *keys, size_t left,
                           size_t first, ink_error *error)
{
    const ink__kind *kind = sketches[0]->kind;
    const bool       times = keys->weights != NULL && kind->remove != NULL; /* as of a batch */
    ink__keys        one = *keys;

    one.count = 1;
    for (size_t i = 0; i < keys->count; i++) {
        if (i + SKETCH_FETCHED < left)
            fetch_sketch(sketches[i + SKETCH_FETCHED]);
        if (i + MEMORY_FETCHED < keys->count && kind->fetch != NULL)
            kind->fetch(sketches[i + MEMORY_FETCHED], keys->hashes + i + MEMORY_FETCHED, 1,
                        INK__FETCH_WRITE);
        move_to(&one, keys, i);
        ink_status status = ink__reserve(sketches[i], &one, error);
        if (status != INK_OK)
            return at_key(status, first + i, error);
        kind->add(sketches[i], &one);
        sketches[i]->records =
            ink__add_saturating(sketches[i]->records, times ? keys->weights[i] : 1);
    }
    return INK_OK;
}

ink_status ink_add_each(ink_sketch *const *sketches, const ink_batch *batch, ink_error *error)
{
    const ink__keys *keys;
    ink__walk        walk;

    if (batch->count == 0)
        return INK_OK;
    INK__TRY(ink__batch_check(sketches[0], batch, error));
    INK__TRY(check_sketches(sketches, batch->count, error));
    ink__walk_start_near(&walk, sketches[0], batch);
    while ((keys = ink__walk_next(&walk)) != NULL)
        INK__TRY(
            add_part(sketches + walk.first, keys, batch->count - walk.first, walk.first, error));
    return INK_OK;
}
