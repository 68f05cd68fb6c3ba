/* size.h - arithmetic on sizes that detects overflow: for every size from a file or a caller. */
#ifndef INK_BASE_SIZE_H
#define INK_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* False if the result does not fit; *result is then not to be used. */
static inline bool ink__add_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

static inline bool ink__mul_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

/* The sum, or the largest number there is. */
static inline uint64_t ink__add_saturating(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return ink__add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* Rounds up to a multiple of `unit`, a power of two. */
static inline bool ink__align_u64(uint64_t value, uint64_t unit, uint64_t *result)
{
    bool fits = ink__add_u64(value, unit - 1, result);

    *result &= ~(unit - 1);
    return fits;
}

/* The largest block of memory that is ever asked for. */
#define INK__BYTES_MAX ((uint64_t)PTRDIFF_MAX)

#endif
