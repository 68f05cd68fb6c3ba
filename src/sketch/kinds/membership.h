/* membership.h - what filters share: cells in memory or in a file, their current rate, and union,
 * intersection and folding under a promise. The rules of a kind define how its cells are folded and
 * what they weigh. */
#ifndef INK_SKETCH_KINDS_MEMBERSHIP_H
#define INK_SKETCH_KINDS_MEMBERSHIP_H

#include "base/bits.h"
#include "base/mix.h"
#include "sketch/kinds/payload.h"
#include "sketch/kinds/promise.h"

typedef struct ink__filter ink__filter;

/* Sizes are in the kind's own unit (blocks, bits). */
typedef struct ink__filter_rules {
    /* Bytes `first` to `first + count` <= INK__FILTER_CHUNK of the filter folded to `size`: in
     * place, or assembled in `chunk`. */
    const uint8_t *(*part)(const ink__filter *filter, uint64_t size, uint64_t first, uint64_t count,
                           uint8_t *chunk);
    /* The rate of a filter of this size whose parts weigh `weight` in all. */
    double (*rate)(const ink__filter *filter, uint64_t size, double weight);
    /* The rate of filters of this size with `keys` different keys: the expected one, times e^(z s)
     * where s is the relative standard deviation of one filter's. Grows with the keys. */
    double (*expected)(uint64_t size, uint32_t hashes, uint64_t keys, double z);
    /* The size at which two filters meet, or would; INK_MISMATCH, naming both, if they cannot. */
    ink_status (*meet)(const ink__filter *a, const ink__filter *b, uint64_t *size,
                       ink_error *error);
    /* INK_USAGE if the filter cannot be folded by this divisor. */
    ink_status (*check_divisor)(const ink__filter *filter, uint64_t divisor, ink_error *error);
    /* The smallest size above `size` that the filter can be folded to. */
    uint64_t (*next_size)(const ink__filter *filter, uint64_t size);
} ink__filter_rules;

enum { INK__FILTER_CHUNK = 4096 };

struct ink__filter {
    ink_sketch   base;
    ink__payload cells;
    ink__promise promise;
    uint64_t     size;
    uint64_t     inverse; /* 2^64 / size, rounded down: remainders without a division */
    uint32_t     hashes;
};

INK__PAYLOAD_IS_SECOND(ink__filter, cells);

/* The bytes of the cells of a filter folded to `size`. */
static inline uint64_t ink__filter_bytes(const ink__filter *filter, uint64_t size)
{
    uint32_t block_bytes = filter->base.kind->block_bytes;

    return block_bytes == 0 ? (size + 7) / 8 : size * block_bytes;
}

/* A number modulo the size. The quotient from the inverse is right or one too low. */
static inline uint64_t ink__filter_remainder(const ink__filter *filter, uint64_t number)
{
    uint64_t size = filter->size;
    uint64_t rest = number - ink__multiply_high(number, filter->inverse) * size;

    return rest < size ? rest : rest - size;
}

/* Where bit i of a hash is in a filter of `size` bits: the mixed hash modulo the size. */
static inline uint64_t ink__filter_position(const ink__filter *filter, uint64_t hash, uint32_t i)
{
    return ink__filter_remainder(filter, ink__mix64(hash + i * 0x9e3779b97f4a7c15u));
}

/* The function of a kind whose cells are plain bits. */
void ink__filter_merge_bits(const ink__kernels *kernels, const ink__shape *shape, uint8_t *into,
                            const uint8_t *from, size_t bytes);

/* Functions of a kind; the shape is that of a promise and a size. */
void       ink__filter_shape(const ink_sketch *sketch, ink__shape *shape);
ink_status ink__filter_merge(ink_sketch *into, const ink_sketch *from,
                             const ink_merge_options *options, ink_error *error);
ink_status ink__filter_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error);
ink_status ink__filter_fold(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                            ink_error *error);
double     ink__filter_rate(const ink_sketch *sketch);
ink_status ink__filter_snapshot(const ink_sketch *sketch, ink_sketch *into, ink_error *error);
/* The rate if the cells of a filter of this size weigh high * 2^32 + low. */
double ink__filter_rate_of(const ink__filter *filter, uint64_t size, uint64_t high, uint64_t low);

/* Plans for more keys than these rest on an estimate: INK__EXACT_KEYS of internal.h. */
enum { INK__ESTIMATED_KEYS = 1 << 20 };

/* What decides whether a filter keeps its promise, besides its rate. */
typedef struct ink__filter_size {
    const ink__kind *kind;
    uint64_t         size;
    uint32_t         hashes;
    ink__promise     promise;
} ink__filter_size;

ink__filter_size ink__filter_size_of(const ink__filter *filter);

/* Whether a filter with this rate is within its promise, or within max_rate unless that is 0. A
 * rate above a promise is within it as long as the planned keys may have made it by chance: the
 * result of `expected` for 6 standard deviations, which a filter exceeds with a chance of 1e-9.
 * (Above INK__ESTIMATED_KEYS plans rest on estimates of the keys, so one percent more is allowed.)
 * A max_rate below the promise is kept to the letter. */
bool ink__filter_holds(const ink__filter_size *filter, double max_rate, double rate);

/* The keys to plan for, of a filter that `records` keys, some of them equal, gave this rate: more
 * than it has, with 3 standard deviations, but not more than the records, unless these are 0; 0 if
 * nothing is known. */
uint64_t ink__filter_needs(const ink__filter_size *filter, double rate, uint64_t records);

#endif
