/* fuse_shard.c - the construction of one shard of a fuse. Every key is added to a cell in each of
 * four neighbouring segments. A cell that only one key is left in is that key's: it is taken out of
 * the other three, which may leave others alone in theirs, and so on until none is left (peeling).
 * In the reverse order the cell of each key gets the fingerprint that the other three lack.
 *
 * A cell is one word: how many keys it has (6 bits), and the xor of their ways (2 bits) and of
 * their values (56 bits). With one key left it is all that is known of that key, and it lies in one
 * of the key's segments. Keys come in the order of their hashes, so all work stays within four
 * segments, which fit the first cache. */
#include "sketch/kinds/fuse_shard.h"

#include "base/bits.h"
#include "base/real.h"
#include "base/status.h"

#include <string.h>

enum { COUNT_SHIFT = 58, WAY_SHIFT = INK__FUSE_VALUE_BITS, COUNT_MAX = 63 };

#define ONE_KEY ((uint64_t)1 << COUNT_SHIFT)
#define VALUE_MASK (((uint64_t)1 << INK__FUSE_VALUE_BITS) - 1)
#define SHARD_KEYS_MAX 184000u
/* With those that later attempts add, the most that a file may have. */
#define PLANNED_SEGMENTS_MAX (INK__FUSE_SEGMENTS_MAX - INK__FUSE_ATTEMPTS_MAX)

/* ---- Sizes -------------------------------------------------------------------------------- */

unsigned ink__fuse_shard_bits(uint64_t keys)
{
    unsigned bits = 0;

    while (keys >> bits >= SHARD_KEYS_MAX)
        bits++;
    return bits;
}

/* Segment length and slots a key as published for four ways; the logarithms are the same on every
 * host. */
ink__fuse_shard ink__fuse_shard_plan(uint64_t keys)
{
    ink__fuse_shard shard = {.segments = 1};

    if (keys < 2) {
        shard.segments = (uint32_t)keys;
        return shard;
    }
    double ln = ink__ln((double)keys), length = ln / ink__ln(2.91) - 0.5;
    double each = 0.77 + 0.305 * ink__ln(600000) / ln;
    double slots = (double)keys * (each < 1.075 ? 1.075 : each) + 0.5;
    if (length > 0)
        shard.length_bits =
            length < INK__FUSE_LENGTH_BITS_MAX ? (uint8_t)length : INK__FUSE_LENGTH_BITS_MAX;
    uint64_t one = (uint64_t)1 << shard.length_bits;
    uint64_t segments = ((uint64_t)slots + one - 1) >> shard.length_bits;
    if (segments > INK__FUSE_WAYS)
        shard.segments = segments < PLANNED_SEGMENTS_MAX ? (uint32_t)(segments - INK__FUSE_WAYS + 1)
                                                         : PLANNED_SEGMENTS_MAX;
    return shard;
}

/* ---- Room --------------------------------------------------------------------------------- */

void ink__fuse_room_end(ink__fuse_room *room, const ink_allocator *allocator)
{
    ink__block_release(&room->cells, allocator);
    ink__block_release(&room->order, allocator);
}

static ink_status grow(ink__block *block, uint64_t bytes, const ink_allocator *allocator,
                       ink_error *error)
{
    if (block->bytes >= bytes)
        return INK_OK;
    ink__block_release(block, allocator);
    *block = (ink__block){0};
    return ink__block_take(block, allocator, bytes, error);
}

static ink_status make_room(ink__fuse_room *room, const ink__fuse_shard *shard,
                            const ink_allocator *allocator, ink_error *error)
{
    uint64_t slots = ink__fuse_slots(shard);

    INK__TRY(grow(&room->cells, slots * sizeof(uint64_t), allocator, error));
    return grow(&room->order, (slots + 1) * sizeof(uint32_t), allocator, error);
}

/* ---- One attempt -------------------------------------------------------------------------- */

static void fill(uint64_t *cells, const ink__fuse_shard *shard, const uint64_t *hashes,
                 size_t count, unsigned shard_bits)
{
    const uint64_t seed = ink__fuse_seed(shard->attempt);
    const uint32_t segments = shard->segments;
    const unsigned length_bits = shard->length_bits;
    const bool     scattered = shard->attempt >= INK__FUSE_SCATTERED;

    for (size_t i = 0; i < count; i++) {
        const uint64_t mixed = ink__fuse_mixed(hashes[i], seed), value = ink__fuse_value(mixed);
        const uint64_t segment =
            ink__fuse_segment(hashes[i] << shard_bits, mixed, segments, scattered);
#pragma GCC unroll 4
        for (unsigned way = 0; way < INK__FUSE_WAYS; way++) {
            uint64_t *cell = &cells[ink__fuse_slot(segment, value, way, length_bits)];
            *cell = (*cell + ONE_KEY) ^ (value | (uint64_t)way << WAY_SHIFT);
        }
    }
}

/* Lists the cells with one key; returns how many. *keys is the sum of all counts, which is less
 * than was added if a count went beyond COUNT_MAX. */
static uint32_t find_single(const uint64_t *cells, uint64_t slots, uint32_t *order, uint64_t *keys)
{
    uint32_t single = 0;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < slots; i++) {
        const uint64_t in = cells[i] >> COUNT_SHIFT;
        order[single] = (uint32_t)i;
        single += in == 1;
        sum += in;
    }
    *keys = sum;
    return single;
}

/* Takes keys out until no cell has one alone; returns how many. Their cells, which stay as they
 * were found, end the order, the last one first. A cell is listed once, when its count becomes 1,
 * so `slots` entries suffice, and one that is written before it is known whether it counts. */
static uint64_t peel(uint64_t *cells, const ink__fuse_shard *shard, uint32_t *order,
                     uint32_t single)
{
    const unsigned length_bits = shard->length_bits;
    uint32_t      *done = order + ink__fuse_slots(shard) + 1;
    uint64_t       peeled = 0;

    while (single > 0) {
        const uint32_t slot = order[--single];
        const uint64_t cell = cells[slot], value = cell & VALUE_MASK;
        if (cell >> COUNT_SHIFT != 1)
            continue; /* its key was taken out by way of another cell */
        const unsigned mine = cell >> WAY_SHIFT & (INK__FUSE_WAYS - 1);
        const uint64_t segment = (slot >> length_bits) - mine;
        *--done = slot;
        peeled++;
#pragma GCC unroll 3
        for (unsigned i = 1; i < INK__FUSE_WAYS; i++) {
            const unsigned way = (mine + i) % INK__FUSE_WAYS;
            const uint64_t other = ink__fuse_slot(segment, value, way, length_bits);
            cells[other] = (cells[other] - ONE_KEY) ^ (value | (uint64_t)way << WAY_SHIFT);
            order[single] = (uint32_t)other;
            single += cells[other] >> COUNT_SHIFT == 1;
        }
    }
    return peeled;
}

/* The fingerprints, 32 bits wide at most, replace the cells. */
static void assign(uint64_t *cells, const ink__fuse_shard *shard, const uint32_t *order,
                   uint64_t count)
{
    const unsigned  length_bits = shard->length_bits;
    const uint32_t *done = order + ink__fuse_slots(shard) + 1 - count;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t cell = cells[done[i]], value = cell & VALUE_MASK;
        const unsigned mine = cell >> WAY_SHIFT & (INK__FUSE_WAYS - 1);
        const uint64_t segment = (done[i] >> length_bits) - mine;
        uint64_t       fingerprint = ink__fuse_fingerprint(value, INK__FUSE_BITS_MAX);
#pragma GCC unroll 3
        for (unsigned j = 1; j < INK__FUSE_WAYS; j++)
            fingerprint ^=
                cells[ink__fuse_slot(segment, value, (mine + j) % INK__FUSE_WAYS, length_bits)];
        cells[done[i]] = fingerprint;
    }
}

static bool attempt(const ink__fuse_room *room, const ink__fuse_shard *shard,
                    const uint64_t *hashes, size_t count, unsigned shard_bits)
{
    const uint64_t slots = ink__fuse_slots(shard);
    uint64_t      *cells = (uint64_t *)(void *)room->cells.data, keys;
    uint32_t      *order = (uint32_t *)(void *)room->order.data;

    memset(cells, 0, (size_t)(slots * sizeof *cells));
    fill(cells, shard, hashes, count, shard_bits);
    const uint32_t single = find_single(cells, slots, order, &keys);
    if (keys != (uint64_t)count * INK__FUSE_WAYS)
        return false;
    if (peel(cells, shard, order, single) != count)
        return false;
    assign(cells, shard, order, count);
    return true;
}

/* ---- The shard ---------------------------------------------------------------------------- */

ink_status ink__fuse_shard_build(ink__fuse_room *room, ink__fuse_shard *shard,
                                 const uint64_t *hashes, size_t count, unsigned shard_bits,
                                 const ink_allocator *allocator, ink_error *error)
{
    ink__fuse_shard of = ink__fuse_shard_plan(count);

    for (unsigned i = 0; i < INK__FUSE_ATTEMPTS_MAX && count > 0; i++) {
        of.attempt = (uint8_t)i;
        of.segments += i >= INK__FUSE_SCATTERED;
        INK__TRY(make_room(room, &of, allocator, error));
        if (i >= room->refused && attempt(room, &of, hashes, count, shard_bits)) {
            *shard = of;
            return INK_OK;
        }
    }
    if (count > 0)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "%d attempts to find fingerprints for %zu keys failed: keys were chosen "
                         "for it, expected a {secret}",
                         INK__FUSE_ATTEMPTS_MAX, count);
    *shard = of;
    return INK_OK;
}

void ink__fuse_shard_pack(const ink__fuse_room *room, const ink__fuse_shard *shard, unsigned bits,
                          uint8_t *to)
{
    const uint64_t *cells = (const uint64_t *)(const void *)room->cells.data;
    const uint64_t  slots = ink__fuse_slots(shard);
    const unsigned  drop = INK__FUSE_BITS_MAX - bits;
    uint64_t        word = 0;
    unsigned        used = 0;

    for (uint64_t i = 0; i < slots; i++) {
        word |= (cells[i] >> drop) << used;
        used += bits;
        for (; used >= 32; used -= 32, word >>= 32, to += 4)
            ink__store_u32(to, (uint32_t)word);
    }
    for (; used > 0; used -= used < 8 ? used : 8, word >>= 8)
        *to++ = (uint8_t)word;
}
