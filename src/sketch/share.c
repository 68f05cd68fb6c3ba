/* share.c - concurrent sketches: made, counted, and copied for calls that need one to stand still.
 * What their threads do with keys is in the kinds.
 *
 * Circle: a snapshot is a sketch that sketch.c makes, and what sketch.c makes may be concurrent. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "sketch/batch.h"
#include "sketch/internal.h"
#include "sketch/kinds/shared.h"
#include "sketch/sketch.h"

ink_status ink__check_one_writer(const ink_params *params, ink_error *error)
{
    if (params->concurrent == 0)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "{concurrent} for what makes its sketches itself, expected a sketch alone");
}

ink_status ink_sketch_share(ink_sketch *sketch, ink_error *error)
{
    const ink__kind *kind = sketch->kind->shared;
    ink__tallies    *tallies;

    if (sketch->concurrent)
        return INK_OK;
    INK__TRY(ink__check_writable(sketch, error));
    if (kind == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s has one writer; bloom, classic, count-min and hll can be {concurrent}",
                         sketch->kind->name);
    INK__TRY(ink__allocate_zeroed(&sketch->allocator, sizeof *tallies, &tallies, error));
    ink_status status = kind->share == NULL ? INK_OK : kind->share(sketch, error);
    if (status != INK_OK) {
        ink__release(&sketch->allocator, tallies, sizeof *tallies);
        return status;
    }
    sketch->tallies = tallies;
    sketch->concurrent = true;
    sketch->kind = kind;
    sketch->read_only = true; /* for all but the calls that know it */
    return INK_OK;
}

void ink__count_records(ink_sketch *sketch, uint64_t records)
{
    if (!sketch->concurrent)
        sketch->records = ink__add_saturating(sketch->records, records);
    else {
        ink__shared_add_u64(ink__tally_here(sketch)->records, records);
        ink__shared_counted();
    }
}

/* Numbers are read after the cells, which rise after them. */
ink_status ink__snapshot(ink_sketch **sketch, const ink_sketch *from,
                         const ink_allocator *allocator, ink_error *error)
{
    ink__plan   of = {.rule = from->rule, .shape = ink__shape_of(from)};
    ink_sketch *made;
    ink_status  status = ink__sketch_open(&made, &of, NULL, false, allocator, error);

    ink__rule_wipe(&of.rule);
    INK__TRY(status);
    status = from->kind->snapshot(from, made, error);
    if (status != INK_OK) {
        ink_sketch_free(made);
        return status;
    }
    ink__shared_seen();
    made->records = ink__records_of(from);
    *sketch = made;
    return INK_OK;
}

ink_status ink__hold(ink__held *held, const ink_sketch *sketch, ink_error *error)
{
    *held = (ink__held){.sketch = sketch};
    if (!sketch->concurrent)
        return INK_OK;
    INK__TRY(ink__snapshot(&held->copy, sketch, &sketch->allocator, error));
    held->sketch = held->copy;
    return INK_OK;
}

void ink__let_go(ink__held *held)
{
    ink_sketch_free(held->copy);
}
