/* arrow_values.h - columns of a plan in an array, and the value of a row; for this folder alone. */
#ifndef INK_INPUT_ARROW_ARROW_VALUES_H
#define INK_INPUT_ARROW_ARROW_VALUES_H

#include "base/bits.h"
#include "input/arrow/arrow_plan.h"

#include <string.h>

/* Values of one type. Value `row` is element at + row of its buffers. */
typedef struct ink__arrow_values {
    ink__arrow_type type;
    uint64_t        at, count;
    const uint8_t  *validity; /* a bit an element; NULL: no nulls */
    const uint8_t  *data;     /* numbers, bits, pieces of fixed size, offsets, or views */
    const uint8_t  *bytes;    /* that offsets point into; NULL if all pieces are empty */
    /* Views: the buffers that long ones point into, and their sizes, 64 bits each. */
    const void *const *buffers;
    uint64_t           buffer_count;
    const uint8_t     *buffer_sizes;
} ink__arrow_values;

typedef struct ink__arrow_bound {
    const ink__arrow_column *column;
    ink__arrow_values        rows;  /* of a dictionary: the indices ... */
    ink__arrow_values        words; /* ... and what they stand for; not set otherwise */
} ink__arrow_bound;

/* The columns of a plan in one array. */
typedef struct ink__arrow_table {
    uint64_t         count;    /* of rows */
    const uint8_t   *validity; /* of the struct; NULL: it has no nulls */
    uint64_t         at;       /* row 0 there */
    ink__arrow_bound keys[INK__KEY_COLUMNS_MAX], group, weight;
} ink__arrow_table;

/* Finds the columns, and checks lengths, offsets, children and buffers: everything but values.
 * INK_FORMAT, or INK_USAGE for a released array. */
ink_status ink__arrow_bind(const ink__arrow_plan *plan, const struct ArrowArray *array,
                           ink__arrow_table *table, ink_error *error);

/* ---- One value ---------------------------------------------------------------------------- */

static inline bool ink__arrow_bit(const uint8_t *bits, uint64_t at)
{
    return (bits[at / 8] >> at % 8 & 1) != 0;
}

static inline bool ink__arrow_is_null(const ink__arrow_values *values, uint64_t row)
{
    return values->type.layout == INK__ARROW_NULLS ||
           (values->validity != NULL && !ink__arrow_bit(values->validity, values->at + row));
}

/* Native integers of any width and alignment. */
#define INK__ARROW_LOAD(name, type)                                                                \
    static inline int64_t name(const uint8_t *from)                                                \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        memcpy(&value, from, sizeof value);                                                        \
        return (int64_t)value;                                                                     \
    }
INK__ARROW_LOAD(ink__arrow_u16, uint16_t)
INK__ARROW_LOAD(ink__arrow_u32, uint32_t)
INK__ARROW_LOAD(ink__arrow_i64, int64_t)
#undef INK__ARROW_LOAD

/* Does it with the type that these integers, or offsets, have. */
#define INK__ARROW_WITH_TYPE(of, DO)                                                               \
    switch ((of)->width + 16 * (of)->is_unsigned) {                                                \
    case 1:                                                                                        \
        DO(int8_t) break;                                                                          \
    case 2:                                                                                        \
        DO(int16_t) break;                                                                         \
    case 4:                                                                                        \
        DO(int32_t) break;                                                                         \
    case 16 + 1:                                                                                   \
        DO(uint8_t) break;                                                                         \
    case 16 + 2:                                                                                   \
        DO(uint16_t) break;                                                                        \
    case 16 + 4:                                                                                   \
        DO(uint32_t) break;                                                                        \
    default:                                                                                       \
        DO(int64_t)                                                                                \
    }

/* The integer or offset in a row, not converted. */
static inline int64_t ink__arrow_int(const ink__arrow_values *values, uint64_t row)
{
    const uint8_t *from = values->data + (values->at + row) * values->type.width;
    int64_t        found;

#define INK__ARROW_LOAD(type)                                                                      \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, from, sizeof value);                                                        \
        found = (int64_t)value;                                                                    \
    }
    INK__ARROW_WITH_TYPE(&values->type, INK__ARROW_LOAD)
#undef INK__ARROW_LOAD
    return found;
}

/* The key that an integer stands for; false if there is none. */
static inline bool ink__arrow_key(const ink__arrow_type *type, int64_t value, int64_t *key)
{
    if (type->over != 1) {
        *key = value / type->over;
        return value % type->over == 0;
    }
    return !__builtin_mul_overflow(value, type->times, key);
}

/* Division without remainder: odd numbers have inverses modulo 2^64, powers of two are shifted. */
typedef struct ink__arrow_divisor {
    uint64_t inverse; /* of its odd factor */
    unsigned shift;   /* 2^shift is the other */
} ink__arrow_divisor;

static inline ink__arrow_divisor ink__arrow_divide_by(int64_t over)
{
    unsigned shift = ink__trailing_zeros_64((uint64_t)over);
    uint64_t odd = (uint64_t)(over >> shift),
             inverse = odd; /* right in 3 bits; each step doubles */

    for (int step = 0; step < 5; step++)
        inverse *= 2 - odd * inverse;
    return (ink__arrow_divisor){inverse, shift};
}

static inline int64_t ink__arrow_quotient(ink__arrow_divisor by, int64_t value)
{
    return (int64_t)((uint64_t)(value >> by.shift) * by.inverse);
}

double ink__arrow_float(const ink__arrow_values *values, uint64_t row);

typedef struct ink__arrow_piece {
    const uint8_t *bytes; /* undefined if count is 0 */
    uint64_t       count;
} ink__arrow_piece;

/* The bytes of a long view, which must be valid. */
static inline const uint8_t *ink__arrow_view_bytes(const ink__arrow_values *values,
                                                   const uint8_t           *view)
{
    return (const uint8_t *)values->buffers[ink__arrow_u32(view + 8)] + ink__arrow_u32(view + 12);
}

/* The bytes in a row of strings or binary. */
static inline ink__arrow_piece ink__arrow_bytes(const ink__arrow_values *values, uint64_t row)
{
    const uint8_t *data = values->data + (values->at + row) * values->type.width;
    int64_t        start;

    switch (values->type.layout) {
    case INK__ARROW_OFFSETS32:
    case INK__ARROW_OFFSETS64:
        start = ink__arrow_int(values, row);
        return (ink__arrow_piece){values->bytes == NULL ? NULL : values->bytes + start,
                                  (uint64_t)(ink__arrow_int(values, row + 1) - start)};
    case INK__ARROW_VIEWS:
        start = ink__arrow_u32(data); /* its length */
        return (ink__arrow_piece){start <= INK__VIEW_SHORT ? data + 4
                                                           : ink__arrow_view_bytes(values, data),
                                  (uint64_t)start};
    default:
        return (ink__arrow_piece){data, values->type.width};
    }
}

static inline bool ink__arrow_has_offsets(ink__arrow_layout layout)
{
    return layout == INK__ARROW_OFFSETS32 || layout == INK__ARROW_OFFSETS64;
}

static inline bool ink__arrow_is_bytes(ink__arrow_layout layout)
{
    return layout >= INK__ARROW_OFFSETS32;
}

/* The values of a column, of a dictionary those that it decodes to. */
static inline const ink__arrow_values *ink__arrow_decoded(const ink__arrow_bound *bound)
{
    return bound->column->dictionary ? &bound->words : &bound->rows;
}

static inline bool ink__arrow_may_have_nulls(const ink__arrow_bound *bound)
{
    const ink__arrow_values *values = ink__arrow_decoded(bound);

    return bound->rows.validity != NULL || values->validity != NULL ||
           values->type.layout == INK__ARROW_NULLS;
}

/* The index of a row's value in ink__arrow_decoded; false if it is null. */
static inline bool ink__arrow_find(const ink__arrow_bound *bound, uint64_t row, uint64_t *location)
{
    *location = row;
    if (ink__arrow_is_null(&bound->rows, row))
        return false;
    if (!bound->column->dictionary)
        return true;
    *location = (uint64_t)ink__arrow_int(&bound->rows, row);
    return !ink__arrow_is_null(&bound->words, *location);
}

#endif
