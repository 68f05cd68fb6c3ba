/* fuse_slots.h - where the fingerprints of a hash are in a fuse, and whether they are its own. A
 * hash has four slots, in neighbouring segments of its shard; the xor of what they hold is the
 * fingerprint of every key that is in. */
#ifndef INK_KERNELS_FUSE_SLOTS_H
#define INK_KERNELS_FUSE_SLOTS_H

#include "base/bits.h"
#include "base/mix.h"

#include <stdbool.h>
#include <stddef.h>

enum { INK__FUSE_WAYS = 4, INK__FUSE_VALUE_BITS = 56 };

/* ---- Slots -------------------------------------------------------------------------------- */

/* What positions and fingerprint of a hash come from, in one attempt. */
static inline uint64_t ink__fuse_mixed(uint64_t hash, uint64_t seed)
{
    return ink__mix64(hash ^ seed);
}

/* The first of the hash's four segments; `rest` is the hash without the bits of its shard. */
static inline uint64_t ink__fuse_segment(uint64_t rest, uint64_t mixed, uint32_t segments,
                                         bool scattered)
{
    if (scattered)
        rest = ink__mix64(mixed + 0x9e3779b97f4a7c15u);
    return (rest >> 32) * segments >> 32;
}

static inline uint64_t ink__fuse_value(uint64_t mixed)
{
    return mixed >> (64 - INK__FUSE_VALUE_BITS);
}

/* The slot in the segment number `way` of the four. */
static inline uint64_t ink__fuse_slot(uint64_t segment, uint64_t value, unsigned way,
                                      unsigned length_bits)
{
    return ((segment + way) << length_bits) +
           (value >> (way * length_bits) & (((uint64_t)1 << length_bits) - 1));
}

static inline uint64_t ink__fuse_fingerprint(uint64_t value, unsigned bits)
{
    return value >> (INK__FUSE_VALUE_BITS - bits);
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* A shard whose head was checked: questions take nothing from a file but fingerprints. */
typedef struct ink__fuse_place {
    uint64_t first_bit; /* of all fingerprints */
    uint64_t seed;
    uint32_t segments; /* 0: no keys */
    uint8_t  length_bits;
    uint8_t  scattered; /* 0 or 1 */
    uint16_t zero;
} ink__fuse_place;

/* The packed fingerprints of all shards: 8 bytes can be read from the first one of each slot on,
 * and there is a shard for each number that the first bits of a hash make. */
typedef struct ink__fuse_filter {
    const uint8_t         *data;
    const ink__fuse_place *places;
    unsigned               bits, shard_bits;
    bool                   far; /* beyond the caches of a core */
} ink__fuse_filter;

/* Whether each hash has its own fingerprint there, as 0 or 1; any number of hashes. */
typedef void ink__fuse_test(const ink__fuse_filter *of, const uint64_t *hashes, size_t count,
                            uint8_t *answers);

/* The first bits of the four slots of a hash, and the fingerprint that they are to have. */
typedef struct ink__fuse_question {
    uint64_t bits[INK__FUSE_WAYS];
    uint64_t fingerprint;
} ink__fuse_question;

/* Of a shard without keys: readable, and no fingerprint. */
static inline __attribute__((always_inline)) ink__fuse_question
ink__fuse_ask(const ink__fuse_filter *of, uint64_t hash)
{
    const ink__fuse_place *at = &of->places[hash >> 1 >> (63 - of->shard_bits)];
    const uint64_t         mixed = ink__fuse_mixed(hash, at->seed), value = ink__fuse_value(mixed);
    const uint64_t         segment =
        ink__fuse_segment(hash << of->shard_bits, mixed, at->segments, at->scattered != 0);
    ink__fuse_question made = {.fingerprint = UINT64_MAX};

    if (at->segments == 0)
        return made;
#pragma GCC unroll 4
    for (unsigned way = 0; way < INK__FUSE_WAYS; way++)
        made.bits[way] =
            at->first_bit + ink__fuse_slot(segment, value, way, at->length_bits) * of->bits;
    made.fingerprint = ink__fuse_fingerprint(value, of->bits);
    return made;
}

static inline __attribute__((always_inline)) uint8_t
ink__fuse_answer(const ink__fuse_filter *of, const ink__fuse_question *question)
{
    uint64_t sum = 0;

#pragma GCC unroll 4
    for (unsigned way = 0; way < INK__FUSE_WAYS; way++)
        sum ^= ink__load_u64(of->data + (question->bits[way] >> 3)) >> (question->bits[way] & 7);
    return (sum & (((uint64_t)1 << of->bits) - 1)) == question->fingerprint;
}

/* The same at once, where nothing is fetched before: a question in memory takes twice as long. */
static inline __attribute__((always_inline)) uint8_t ink__fuse_is_in(const ink__fuse_filter *of,
                                                                     uint64_t hash, uint64_t mask)
{
    const ink__fuse_place *at = &of->places[hash >> 1 >> (63 - of->shard_bits)];
    const uint64_t         mixed = ink__fuse_mixed(hash, at->seed), value = ink__fuse_value(mixed);
    const unsigned         length_bits = at->length_bits, bits = of->bits;
    const uint64_t         slots = ((uint64_t)1 << length_bits) - 1;
    const uint64_t         length = (slots + 1) * bits;
    uint64_t               first =
        at->first_bit +
        ink__fuse_segment(hash << of->shard_bits, mixed, at->segments, at->scattered != 0) * length;
    uint64_t left = value, sum = 0;

    if (at->segments == 0)
        return 0;
#pragma GCC unroll 4
    for (unsigned way = 0; way < INK__FUSE_WAYS; way++) {
        const uint64_t bit = first + (left & slots) * bits;
        sum ^= ink__load_u64(of->data + (bit >> 3)) >> (bit & 7);
        first += length;
        left >>= length_bits;
    }
    return (sum & mask) == ink__fuse_fingerprint(value, bits);
}

/* The loop of the tables that have no wider one; each is compiled for its own instructions. */
static inline __attribute__((always_inline)) void ink__fuse_test_each(const ink__fuse_filter *of,
                                                                      const uint64_t *hashes,
                                                                      size_t          count,
                                                                      uint8_t        *answers)
{
    enum { TOGETHER = 64 };
    ink__fuse_question asked[TOGETHER];

    const ink__fuse_filter here = *of; /* no answer that is written can change it */

    for (size_t first = 0; !here.far && first < count; first++)
        answers[first] = ink__fuse_is_in(&here, hashes[first], ((uint64_t)1 << here.bits) - 1);
    for (size_t first = 0, some; of->far && first < count; first += some) {
        some = count - first < TOGETHER ? count - first : TOGETHER;
        for (size_t i = 0; i < some; i++) {
            asked[i] = ink__fuse_ask(of, hashes[first + i]);
            for (unsigned way = 0; way < INK__FUSE_WAYS; way++)
                __builtin_prefetch(of->data + (asked[i].bits[way] >> 3));
        }
        for (size_t i = 0; i < some; i++)
            answers[first + i] = ink__fuse_answer(of, &asked[i]);
    }
}

#endif
