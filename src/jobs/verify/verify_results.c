/* verify_results.c - the counts of a verification, and the results that follow. */
#include "jobs/verify/verify_results.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "jobs/runtime/statistics.h"

#include <string.h>

/* ---- The life of a verification ----------------------------------------------------------- */

static ink_status start_row(ink_verification *verification, size_t m, const ink__member *member,
                            ink_error *error)
{
    ink_verify_result *row = &verification->rows[m];
    const uint8_t     *kept = NULL;

    if (member->label.group_kind == INK_GROUP_BYTES)
        INK__TRY(ink__arena_keep(&verification->labels, member->label.group,
                                 member->label.group_bytes, &kept, error));
    row->kind = member->description.kind;
    row->label = member->label;
    row->label.group = kept;
    row->membership = member->info.contains;
    if (!row->membership)
        return INK_OK;
    verification->counted.filters++;
    row->target = member->description.target_rate;
    row->promised = member->description.promised_rate;
    return ink_sketch_rate(member->sketch, &row->current, error);
}

static ink_status start_rows(ink_verification *verification, const ink__members *members,
                             ink_error *error)
{
    INK__TRY(ink__allocate_zeroed(&verification->allocator,
                                  (members->count + 1) * sizeof *verification->rows,
                                  &verification->rows, error));
    verification->count = members->count;
    for (size_t m = 0; m < members->count; m++)
        INK__TRY(start_row(verification, m, &members->list[m], error));
    return INK_OK;
}

ink_status ink__verification_create(ink_verification **verification, const ink__members *members,
                                    const ink_allocator *allocator, ink_error *error)
{
    ink_verification *made;

    if (members->count == 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "an empty file, expected sketches");
    INK__TRY(ink__allocate_zeroed(allocator, sizeof *made, &made, error));
    made->allocator = *allocator;
    ink__arena_begin(&made->labels, allocator);
    ink_status status = start_rows(made, members, error);
    if (status != INK_OK) {
        ink_verification_free(made);
        return status;
    }
    *verification = made;
    return INK_OK;
}

void ink_verification_free(ink_verification *verification)
{
    if (verification == NULL)
        return;
    ink_allocator memory = verification->allocator;

    ink__release(&memory, verification->rows,
                 (verification->count + 1) * sizeof(ink_verify_result));
    ink__arena_end(&verification->labels);
    ink__release(&memory, verification, sizeof *verification);
}

size_t ink_verification_count(const ink_verification *verification)
{
    return verification->count;
}

uint64_t ink_verification_records(const ink_verification *verification)
{
    return verification->records;
}

/* ---- Parts -------------------------------------------------------------------------------- */

bool ink_verification_lacks(const ink_verification *verification, uint32_t *bucket)
{
    for (*bucket = 0; *bucket < verification->parts; ++*bucket)
        if (!ink__has_part(verification->added, *bucket))
            return true;
    return false;
}

/* ---- The result -------------------------------------------------------------------------- */

/* Results are computed on request, not with every count: a limit takes microseconds, and there may
 * be many rows and parts. */
static void judge_filter(ink_verify_result *row)
{
    double mean = (double)row->tested * row->promised;

    row->rate = row->tested == 0 ? 0 : (double)row->false_positives / (double)row->tested;
    ink__chance_interval(row->false_positives, row->tested, &row->low, &row->high);
    row->ok = row->denied == 0 &&
              (row->promised <= 0 ||
               (double)row->false_positives <= ink__chance_limit(mean, mean * (1 - row->promised)));
}

ink_status ink_verification_row(const ink_verification *verification, size_t index,
                                ink_verify_result *result, ink_error *error)
{
    if (index >= verification->count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0,
                         "row %zu of %zu, expected a smaller number", index, verification->count);
    *result = verification->rows[index];
    if (result->membership)
        judge_filter(result);
    return INK_OK;
}

void ink_verification_summarise(const ink_verification   *verification,
                                ink_verification_summary *summary)
{
    double   variance = 0, worse = 0;
    bool     others_ok = !verification->missing;
    uint32_t part;

    *summary = verification->counted;
    summary->denied = verification->homeless;
    for (size_t m = 0; m < verification->count; m++) {
        const ink_verify_result *row = &verification->rows[m];
        others_ok = others_ok && (row->membership || row->ok);
        summary->denied = ink__add_saturating(summary->denied, row->denied);
        if (row->promised <= 0)
            continue;
        summary->tested = ink__add_saturating(summary->tested, row->tested);
        summary->false_positives =
            ink__add_saturating(summary->false_positives, row->false_positives);
        summary->expected += (double)row->tested * row->promised;
        variance += (double)row->tested * row->promised * (1 - row->promised);
        worse += (double)row->tested * 1.1 * row->promised * (1 - 1.1 * row->promised);
    }
    summary->limit = ink__chance_limit(summary->expected, variance);
    summary->power = ink__chance_above(1.1 * summary->expected, worse, summary->limit);
    summary->ok = others_ok && summary->denied == 0 &&
                  (double)summary->false_positives <= summary->limit &&
                  !ink_verification_lacks(verification, &part);
}
