/* foreign_rows.h - where a key is in each row of Spark's CountMinSketch: bytes by a pair of hashes,
 * ints by a factor for each row, drawn as java.util.Random draws numbers below 2^31 - 1. */
#ifndef INK_SKETCH_KINDS_FOREIGN_ROWS_H
#define INK_SKETCH_KINDS_FOREIGN_ROWS_H

#include "base/mix.h"
#include "hash/foreign_hashes.h"
#include "hash/rule.h"

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
        int64_t product = (int64_t)(factor * ink__unmix64(hash));
        uint64_t sum = (uint64_t)product + (uint64_t)(product >> 32);
        return (sum & INT32_MAX) % width;
    }
    int64_t number = (int32_t)((uint32_t)(hash >> 32) + row * (uint32_t)hash);
    int64_t rest = number % (int64_t)width;
    return (uint64_t)(rest < 0 ? -rest : rest);
}

#endif
