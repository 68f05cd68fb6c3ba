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

/* Where bit i of a hash is in a filter of `size` bits: the mixed hash modulo the size. The quotient
 * from the inverse is right or one too low. */
static inline uint64_t ink__filter_position(const ink__filter *filter, uint64_t hash, uint32_t i)
{
    uint64_t mixed = ink__mix64(hash + i * 0x9e3779b97f4a7c15u), size = filter->size;
    uint64_t rest = mixed - ink__multiply_high(mixed, filter->inverse) * size;

    return rest < size ? rest : rest - size;
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

#endif
