/* slice.c - sketches built range by range: where hashes with equal first bits fall into
 * neighbouring blocks, a range of hashes is a range of blocks, and a smaller sketch of these blocks
 * has the same bytes, once its hashes are converted. */
#include "base/status.h"
#include "kernels/split_block.h"
#include "sketch/internal.h"
#include "sketch/sketch.h"

/* The blocks of a whole sketch that a range of hashes falls into. */
typedef struct range {
    const ink__kind *kind;
    uint64_t         blocks; /* of the whole */
    uint64_t         first, count;
} range;

static ink_status find_range(const ink_params *params, uint64_t first, uint64_t last, range *found,
                             ink_error *error)
{
    ink__plan planned;

    INK__TRY(ink__sketch_plan(params, &planned, error));
    ink__rule_wipe(&planned.rule);
    found->kind = planned.shape.kind;
    if (found->kind->block_bytes == 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot be made range by range, expected a filter of blocks",
                         found->kind->name);
    if (first > last)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a range of hashes that ends before it begins");
    found->blocks = planned.shape.payload_bytes / found->kind->block_bytes;
    found->first = ink__block_of(first, found->blocks);
    found->count = ink__block_of(last, found->blocks) - found->first + 1;
    return INK_OK;
}

ink_status ink__plan_slice(const ink_params *params, uint64_t first, uint64_t last,
                           ink_params *slice, uint64_t *offset, ink_error *error)
{
    range found = {0};

    INK__TRY(find_range(params, first, last, &found, error));
    *slice = *params;
    slice->expected_keys = 0;
    slice->false_positive_rate = 0;
    slice->bits = found.count * found.kind->block_bytes * 8;
    *offset = found.first * found.kind->block_bytes;
    return INK_OK;
}

/* The smallest upper 32 bits that fall into a block of `blocks`. */
static uint64_t upper_of(uint64_t block, uint64_t blocks)
{
    return ((block << 32) + blocks - 1) / blocks;
}

ink_status ink__slice_start(const ink_params *params, uint64_t part, uint64_t parts,
                            uint64_t *first, ink_error *error)
{
    range found = {0};

    INK__TRY(find_range(params, 0, UINT64_MAX, &found, error));
    *first = upper_of(found.blocks * part / parts, found.blocks) << 32;
    return INK_OK;
}

/* The number of a hash's block in the range; `count` or more if it lies outside. */
static uint64_t block_in(const range *of, uint64_t hash)
{
    return ink__block_of(hash, of->blocks) - of->first;
}

ink_status ink__slice_hashes(const ink_params *params, uint64_t first, uint64_t last,
                             uint64_t *hashes, size_t count, ink_error *error)
{
    range found = {0};

    INK__TRY(find_range(params, first, last, &found, error));
    for (size_t i = 0; i < count; i++) /* before any is changed */
        if (block_in(&found, hashes[i]) >= found.count)
            return ink__fail(error, INK_USAGE, INK_AT_KEY, i,
                             "a hash outside of the range, expected one within");
    for (size_t i = 0; i < count; i++) {
        const uint64_t upper = upper_of(block_in(&found, hashes[i]), found.count);
        hashes[i] = upper << 32 | (hashes[i] & 0xffffffffu);
    }
    return INK_OK;
}
