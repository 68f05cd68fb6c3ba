/* foreign_positions.h - where keys are in sketches of other systems: in filters, one position after
 * another, by a walk from two words of the key; in the rows of counters. docs/format.md numbers the
 * rules. The sizes that these systems choose are here too. */
#ifndef INK_SKETCH_KINDS_FOREIGN_POSITIONS_H
#define INK_SKETCH_KINDS_FOREIGN_POSITIONS_H

#include "hash/foreign_hashes.h"
#include "sketch/kinds/membership.h"

/* ---- Filters ------------------------------------------------------------------------------- */

/* Where a walk is, and its step, as the rule of the filter has them. */
typedef struct ink__bit_walk {
    uint64_t at, step;
} ink__bit_walk;

/* Walks before their first positions, of keys from number `first` on: the same in all filters of a
 * rule. */
void ink__bit_walks_start(ink__bit_walk *walks, const ink__key_rule *rule, const ink__keys *keys,
                          size_t first, size_t count);
/* Leaves out `count` positions; of a rule whose keys are not needed. */
void ink__bit_walk_skip(ink__bit_walk *walk, const ink__filter *filter, uint32_t count);
/* The next position of each of some keys: of key number `first + listed[j]`, whose walk is
 * walks[listed[j]]. */
void ink__bit_walks_next(ink__bit_walk *walks, const ink__filter *filter, const ink__keys *keys,
                         size_t first, const uint32_t *listed, size_t count, uint64_t *positions);

/* The positions that a rule can reach; 2^64 - 1: all. */
uint64_t ink__foreign_reach(ink__hash_scheme scheme);

/* The size that the system of a rule gives n keys at a rate, computed as it computes it; false if
 * the rule is of no other system. At most 2^63 bits, and at least one hash. */
bool ink__foreign_size(ink__hash_scheme scheme, uint64_t keys, double rate, uint64_t *bits,
                       uint32_t *hashes);

/* ---- Rows --------------------------------------------------------------------------------- */

/* Of Spark's CountMinSketch: bytes are placed by a pair of hashes, ints by a factor for each row,
 * drawn as java.util.Random draws numbers below 2^31 - 1. */

/* The factors of the first `count` rows. */
static inline void ink__spark_factors(uint64_t seed, uint32_t *factors, uint32_t count)
{
    uint64_t state = ink__java_state(seed);

    for (uint32_t i = 0; i < count; i++)
        factors[i] = ink__java_random(&state);
}

/* The counter of a hash in row number `row`, which has this factor. */
static inline uint64_t ink__spark_position(const ink__key_rule *rule, uint64_t hash, uint32_t row,
                                           uint32_t factor, uint64_t width)
{
    if (rule->type == INK_KEY_INT) {
        int64_t  product = (int64_t)(factor * ink__unmix64(hash));
        uint64_t sum = (uint64_t)product + (uint64_t)(product >> 32);
        return (sum & INT32_MAX) % width;
    }
    int64_t number = (int32_t)((uint32_t)(hash >> 32) + row * (uint32_t)hash);
    int64_t rest = number % (int64_t)width;
    return (uint64_t)(rest < 0 ? -rest : rest);
}

/* Of RedisBloom's count-min, where the number of a row is its seed: the counter of key number
 * `key`. */
static inline uint64_t ink__redisbloom_position(const ink__keys *keys, size_t key, uint32_t row,
                                                uint64_t width)
{
    return ink__murmur2(ink__key_at(keys->bytes, keys->starts[key]),
                        (size_t)(keys->ends[key] - keys->starts[key]), row) %
           width;
}

#endif
