/* counting.c - have I seen this key, and can I remove it? A bloom whose cells are counters of four
 * bits [Fan, Cao, Almeida, Broder 2000]: adding a key raises eight of them, removing it lowers
 * them. A counter that has reached 15 stays there, since its true value is unknown; so removing a
 * key that was added never hides another.
 *
 * Owns the counters. The cells above 0 are the bits of the bloom of the keys that are in, and of
 * those that saturated counters may stand for. */
#include "base/bits.h"
#include "kernels/block_fetch.h"
#include "kernels/split_block.h"
#include "sketch/kinds/blocks.h"

enum { COUNTER_BITS = 4, STUCK = 15 };

/* The byte of a key's counter in a word of its block, and how far up in it that is. */
static inline uint8_t *counter_of(uint8_t *block, uint64_t hash, unsigned word, unsigned *shift)
{
    static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;
    unsigned              cell = 32 * word + ink__word_position(hash, salts[word]);

    *shift = cell % 2 * COUNTER_BITS;
    return block + cell / 2;
}

static inline uint64_t block_at(const ink__filter *filter, uint64_t hash)
{
    return ink__block_of(hash, filter->size) * INK__COUNTS_BYTES;
}

#define FETCH_BOTH_LINES(write, near)                                                              \
    for (size_t key = 0; key < count; key++) {                                                     \
        const uint8_t *block = filter->cells.data + block_at(filter, hashes[key]);                 \
        __builtin_prefetch(block, (write), (near));                                                \
        __builtin_prefetch(block + INK__COUNTS_BYTES / 2, (write), (near));                        \
    }

static void counting_fetch(const ink_sketch *sketch, const uint64_t *hashes, size_t count,
                           ink__fetch how)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    INK__FETCH_AS(how, FETCH_BOTH_LINES)
}

static void counting_add(ink_sketch *sketch, const ink__keys *keys)
{
    ink__filter *filter = (ink__filter *)sketch;

    if (keys->weights == NULL)
        sketch->kernels->counts_add(filter->cells.block.data, filter->size, keys->hashes,
                                    keys->count);
    for (size_t key = 0; keys->weights != NULL && key < keys->count; key++) {
        uint8_t *block = filter->cells.block.data + block_at(filter, keys->hashes[key]);
        uint64_t times = keys->weights[key];
        for (unsigned word = 0; word < INK__BLOCK_WORDS; word++) {
            unsigned shift;
            uint8_t *at = counter_of(block, keys->hashes[key], word, &shift);
            unsigned most = STUCK - ((unsigned)*at >> shift & STUCK);
            *at = (uint8_t)(*at + ((times < most ? (unsigned)times : most) << shift));
        }
    }
}

static size_t counting_remove(ink_sketch *sketch, const ink__keys *keys)
{
    ink__filter *filter = (ink__filter *)sketch;

    for (size_t key = 0; key < keys->count; key++) {
        uint8_t *block = filter->cells.block.data + block_at(filter, keys->hashes[key]), least;
        uint64_t weight = keys->weights == NULL ? 1 : keys->weights[key];
        sketch->kernels->counts_least(filter->cells.data, filter->size, &keys->hashes[key], 1,
                                      &least);
        if (least != STUCK && least < weight)
            return key;
        for (unsigned word = 0; word < INK__BLOCK_WORDS; word++) {
            unsigned shift;
            uint8_t *at = counter_of(block, keys->hashes[key], word, &shift);
            if (((unsigned)*at >> shift & STUCK) != STUCK)
                *at = (uint8_t)(*at - ((unsigned)weight << shift));
        }
    }
    return keys->count;
}

static void counting_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    sketch->kernels->counts_least(filter->cells.data, filter->size, keys->hashes, keys->count,
                                  answers);
    for (size_t key = 0; key < keys->count; key++)
        answers[key] = answers[key] > 0;
}

/* A counter is at least the count of its key: other keys may have raised it. */
static void counting_count(const ink_sketch *sketch, const ink__keys *keys, ink_answer *answers)
{
    enum { SOME = 64 };
    const ink__filter *filter = (const ink__filter *)sketch;
    uint8_t            least[SOME];
    size_t             count;

    for (size_t first = 0; first < keys->count; first += count) {
        count = keys->count - first < SOME ? keys->count - first : SOME;
        sketch->kernels->counts_least(filter->cells.data, filter->size, keys->hashes + first, count,
                                      least);
        for (size_t i = 0; i < count; i++) {
            ink_answer *answer = &answers[first + i];
            answer->estimate = least[i];
            answer->low = 0;
            answer->high = least[i] == STUCK ? 0x1p64 : least[i];
            answer->confidence = 1;
            answer->saturated = least[i] == STUCK;
            if (answer->saturated)
                ink__answer_limit(answer, sketch->records);
        }
    }
}

/* ---- The bloom inside --------------------------------------------------------------------- */

/* Sixteen counters to sixteen bits: 1 where a counter is above 0. */
static inline uint16_t bits_of(uint64_t counters)
{
    uint64_t x = counters | counters >> 1;

    x = (x | x >> 2) & 0x1111111111111111u;
    x = (x | x >> 3) & 0x0303030303030303u;
    x = (x | x >> 6) & 0x000f000f000f000fu;
    x = (x | x >> 12) & 0x000000ff000000ffu;
    return (uint16_t)(x | x >> 24);
}

/* The bits of `bytes` bytes of counters, a multiple of 8: a quarter as many bytes. */
static void write_bits(uint8_t *bits, const uint8_t *counters, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes / 8; i++)
        ink__store_u16(bits + 2 * i, bits_of(ink__load_u64(counters + 8 * i)));
}

static uint64_t weigh(const ink__kernels *kernels, const uint8_t *a, const uint8_t *b,
                      uint64_t count)
{
    uint8_t of_a[INK__FILTER_CHUNK / COUNTER_BITS], of_b[INK__FILTER_CHUNK / COUNTER_BITS];

    write_bits(of_a, a, count);
    if (b != NULL)
        write_bits(of_b, b, count);
    return kernels->block_rates(of_a, b == NULL ? NULL : of_b, count / INK__COUNTS_BYTES);
}

static void counting_become(const ink_sketch *sketch, ink__shape *shape, uint8_t *payload)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    ink__filter_shape(sketch, shape);
    if (payload != NULL)
        write_bits(payload, filter->cells.data, shape->payload_bytes);
    shape->payload_bytes /= COUNTER_BITS;
}

static void counting_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const ink__filter *filter = (const ink__filter *)sketch;
    uint64_t           ones = 0;

    for (uint64_t i = 0; i < filter->size * INK__COUNTS_BYTES / 8; i++)
        ones += ink__ones_32(bits_of(ink__load_u64(filter->cells.data + 8 * i)));
    ink__blocks_distinct(filter->size, ones, z, answer);
}

/* Sums that saturate at 15: the counters of the filter of all keys, in any order of merges. */
static void counting_merge_slice(const ink__kernels *kernels, const ink__shape *shape,
                                 uint8_t *into, const uint8_t *from, size_t bytes)
{
    (void)shape;
    kernels->add_u4(into, from, bytes);
}

const ink__kind ink__counting = {
    .name = "counting",
    .id = 3,
    .layout = 1,
    .takes = INK__TAKES_KEYS | INK__TAKES_RATE | INK__TAKES_BITS,
    .field_count = INK__PROMISE_FIELDS,
    .ranks = {[INK_ASK_MEMBER] = 1, [INK_ASK_COUNT] = 1, [INK_ASK_DISTINCT] = 1},
    .order_free = true,
    .block_bytes = INK__COUNTS_BYTES,
    .counts = true,
    .object_bytes = sizeof(ink__filter),
    .filter_rules = &ink__blocks_rules,
    .weigh = weigh,
    .position_rules = {[INK__SCHEME_HASH64] = INK__RULE_SPLIT_BLOCK},
    .plan = ink__blocks_plan,
    .check = ink__blocks_check,
    .describe = ink__blocks_describe,
    .load = ink__blocks_load,
    .take = ink__payload_take,
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .shape = ink__filter_shape,
    .payload = ink__payload_in_place,
    .add = counting_add,
    .remove = counting_remove,
    .contains = counting_contains,
    .count = counting_count,
    .fetch = counting_fetch,
    .merge = ink__filter_merge,
    .merge_slice = counting_merge_slice,
    .fold = ink__filter_fold,
    .becomes = &ink__bloom,
    .become = counting_become,
    .distinct = counting_distinct,
    .rate = ink__filter_rate,
};
