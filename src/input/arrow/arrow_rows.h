/* arrow_rows.h - rows of Arrow columns: which columns of a schema are the key, the group and the
 * weight, whether an array is what its schema says, and its rows, many at a time, as every job
 * takes them.
 */
#ifndef INK_INPUT_ARROW_ARROW_ROWS_H
#define INK_INPUT_ARROW_ARROW_ROWS_H

#include "input/arrow/arrow_abi.h"
#include "input/rows.h"

/* What is wanted of a schema. Columns are names, or numbers from 1. */
typedef struct ink__arrow_wanted {
    const char *const *key; /* none: the array is the key column, or has a single child */
    size_t             key_count;
    const char        *by; /* NULL: no groups */
    bool               rounded;
    ink__rounding      rounding;
    const char        *weight; /* NULL: none */
    bool               refuse_nulls;
} ink__arrow_wanted;

/* How the values of a column stand in its buffers. */
typedef enum ink__arrow_layout {
    INK__ARROW_NULLS,     /* nothing but nulls, no buffers */
    INK__ARROW_BITS,      /* bool: groups only */
    INK__ARROW_INTS,      /* of `width` bytes, signed or not; also dates and timestamps */
    INK__ARROW_FLOATS,    /* of `width` bytes, 2, 4 or 8: groups only */
    INK__ARROW_OFFSETS32, /* strings and binary */
    INK__ARROW_OFFSETS64,
    INK__ARROW_VIEWS,
    INK__ARROW_FIXED, /* binary of `width` bytes */
} ink__arrow_layout;

typedef struct ink__arrow_type {
    ink__arrow_layout layout;
    uint32_t          width; /* in bytes */
    bool              is_unsigned;
    /* Ints: what makes a value the key that it stands for, value x times / over, which must divide
     * (timestamps as microseconds, dates as days); 1 and 1 for the rest. */
    int64_t times, over;
} ink__arrow_type;

/* One column of a schema. */
typedef struct ink__arrow_column {
    int64_t         child; /* of the struct; -1: the array itself */
    ink__arrow_type type;  /* of its values; of a dictionary those that it decodes to */
    bool            dictionary;
    ink__arrow_type index; /* of a dictionary: of its indices */
    const char     *name;  /* for errors; the schema's, or "" */
} ink__arrow_column;

/* The columns that are wanted, found in a schema. The schema must outlive it. */
typedef struct ink__arrow_plan {
    ink__arrow_column keys[INK__KEY_COLUMNS_MAX];
    size_t            key_count; /* 1 or more; several make a tuple */
    ink_key_type      key_type;
    bool              has_group, rounded, has_weight, refuse_nulls;
    ink__rounding     rounding;
    ink__arrow_column group, weight;
    bool              is_struct;
    int64_t           child_count; /* of the struct */
} ink__arrow_plan;

/* INK_UNSUPPORTED names a column's type that cannot be used so; INK_USAGE a column that is not
 * there, or that no key column was named among several; INK_FORMAT a schema that cannot be. */
ink_status ink__arrow_plan_make(ink__arrow_plan *plan, const struct ArrowSchema *schema,
                                const ink__arrow_wanted *wanted, ink_error *error);

/* Makes the keys of a plan be of this type: they are, or there are none, as a column of nothing but
 * nulls holds keys of any type. INK_MISMATCH otherwise. */
ink_status ink__arrow_plan_keys(ink__arrow_plan *plan, ink_key_type type, ink_error *error);

/* Whether an array is what the plan's schema says, in structure (children, buffers, lengths,
 * offsets of struct and columns) and in values: offsets that do not fall, indices within
 * dictionaries, timestamps that divide, weights that are not negative, floats that can be rounded,
 * no nulls if these are refused. After that no row of it can fail but for lack of memory.
 * What stands below a null is not looked at, but for offsets. INK_FORMAT;
 * INK_MISMATCH for a null that is refused; INK_LIMIT for a piece of 2^31 bytes, in a tuple of 2^27;
 * INK_USAGE for what was released. About a row at INK_AT_KEY, its number from 0. */
ink_status ink__arrow_check(const ink__arrow_plan *plan, const struct ArrowArray *array,
                            ink_error *error);

/* The first half of that: the structure alone. Who checks an array part by part must do this with
 * the whole before, as a part does not show that there cannot be so many rows. */
ink_status ink__arrow_check_structure(const ink__arrow_plan *plan, const struct ArrowArray *array,
                                      ink_error *error);

typedef struct ink__arrow_reader ink__arrow_reader;

ink_status ink__arrow_reader_create(ink__arrow_reader **reader, const ink__arrow_plan *plan,
                                    const ink_allocator *allocator, ink_error *error);
void       ink__arrow_reader_free(ink__arrow_reader *reader);

/* Reads the rows from `first` up to `end` of an array that was checked, or as many of them as it
 * likes: *next becomes where to go on. Those without nulls become `rows`, in memory of the array
 * and the reader, until the next call; a row that was left out is a null. At most INK__ROWS_MAX,
 * unless all the array needs no work (64-bit ints or offsets, no nulls, groups or weights): then
 * all of it.
 */
ink_status ink__arrow_read(ink__arrow_reader *reader, const struct ArrowArray *array,
                           uint64_t first, uint64_t end, uint64_t *next, ink__rows *rows,
                           ink_error *error);

/* The number in the array of row `row` of those that were read last. */
uint64_t ink__arrow_place(const ink__arrow_reader *reader, size_t row);

/* How many nulls were left out by the last call. */
uint64_t ink__arrow_nulls(const ink__arrow_reader *reader);

#endif
