/* membership.h - what filters share: cells in memory or in a file, their current rate, and union,
 * intersection and folding under a promise. A kind tells, in its rules, how its cells are united
 * and what they weigh. */
#ifndef INK_SKETCH_KINDS_MEMBERSHIP_H
#define INK_SKETCH_KINDS_MEMBERSHIP_H

#include "sketch/kinds/payload.h"
#include "sketch/kinds/promise.h"

typedef struct ink__filter ink__filter;

/* Sizes are in the kind's own unit (blocks, bits). */
typedef struct ink__filter_rules {
    uint64_t (*bytes_of)(uint64_t size);
    /* Bytes `first` to `first + count` <= INK__FILTER_CHUNK of the filter folded to `size`: in
     * place, or put together in `chunk`. */
    const uint8_t *(*part)(const ink__filter *filter, uint64_t size, uint64_t first, uint64_t count,
                           uint8_t *chunk);
    /* Unites parts of two filters, or of one that is folded. */
    void (*merge_slice)(const ink__kernels *kernels, uint8_t *into, const uint8_t *from,
                        size_t bytes);
    /* What the union of two parts weighs (b may be NULL); below 2^63. */
    uint64_t (*weigh)(const ink__kernels *kernels, const uint8_t *a, const uint8_t *b,
                      uint64_t count);
    /* The rate of a filter of this size whose parts weigh `weight` together. */
    double (*rate)(const ink__filter *filter, uint64_t size, double weight);
    /* The size at which two filters can meet, or would; INK_MISMATCH, naming both, if they cannot.
     */
    ink_status (*meet)(const ink__filter *a, const ink__filter *b, uint64_t *size,
                       ink_error *error);
    /* INK_USAGE if the filter cannot be folded by this divisor. */
    ink_status (*check_divisor)(const ink__filter *filter, uint64_t divisor, ink_error *error);
    /* The smallest size above `size` that the filter can be folded to. */
    uint64_t (*next_size)(const ink__filter *filter, uint64_t size);
} ink__filter_rules;

enum { INK__FILTER_CHUNK = 4096 };

struct ink__filter {
    ink_sketch               base;
    const ink__filter_rules *rules;
    ink__promise             promise;
    uint64_t                 size;
    uint32_t                 hashes;
    ink__payload             cells;
};

static inline ink__filter *ink__filter_of(ink_sketch *sketch)
{
    return (ink__filter *)sketch;
}

static inline const ink__filter *ink__const_filter_of(const ink_sketch *sketch)
{
    return (const ink__filter *)sketch;
}

/* Gives a filter, whose rules, size and hashes are set, its promise and its cells: zeros if
 * `payload` is NULL. */
ink_status ink__filter_start(ink__filter *filter, const ink__shape *shape, const uint8_t *payload,
                             ink_error *error);

/* The rule of unions of plain bits, and the function of a kind that has them. */
void ink__filter_or(const ink__kernels *kernels, uint8_t *into, const uint8_t *from, size_t bytes);
void ink__filter_merge_bits(const ink__kernels *kernels, const ink__shape *shape, uint8_t *into,
                            const uint8_t *from, size_t bytes);

/* Functions of a kind, as they stand; the shape is that of a promise and a size. */
void           ink__filter_shape(const ink_sketch *sketch, ink__shape *shape);
void           ink__filter_release(ink_sketch *sketch);
const uint8_t *ink__filter_payload(const ink_sketch *sketch, uint8_t *scratch);
ink_status     ink__filter_merge(ink_sketch *into, const ink_sketch *from,
                                 const ink_merge_options *options, ink_error *error);
ink_status     ink__filter_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error);
ink_status ink__filter_fold(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                            ink_error *error);
double     ink__filter_rate(const ink_sketch *sketch);

#endif
