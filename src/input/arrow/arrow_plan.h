/* arrow_plan.h - which columns of an Arrow schema are the key, the group and the weight, and the
 * layout of their values. */
#ifndef INK_INPUT_ARROW_ARROW_PLAN_H
#define INK_INPUT_ARROW_ARROW_PLAN_H

#include "inkling_job.h"
#include "input/arrow/arrow_abi.h"
#include "input/records/parse_number.h"
#include "input/records/row.h"

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

enum { INK__VIEW_BYTES = 16, INK__VIEW_SHORT = 12 };

/* The layout of the values of a column in its buffers. */
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
    /* Ints: the key of a value is value x times / over, which must divide (timestamps as
     * microseconds, dates as days); 1 and 1 for the rest. */
    int64_t times, over;
} ink__arrow_type;

typedef struct ink__arrow_column {
    int64_t         child; /* of the struct; -1: the array itself */
    ink__arrow_type type;  /* of its values; of a dictionary those that it decodes to */
    bool            dictionary;
    ink__arrow_type index; /* of a dictionary: of its indices */
    const char     *name;  /* for errors; the schema's, or "" */
} ink__arrow_column;

/* The wanted columns of a schema, which must outlive it. */
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

/* INK_UNSUPPORTED: a column of a type that cannot be used; INK_USAGE: a column is missing, or none
 * of several is named as the key; INK_FORMAT: a malformed schema. */
ink_status ink__arrow_plan_make(ink__arrow_plan *plan, const struct ArrowSchema *schema,
                                const ink__arrow_wanted *wanted, ink_error *error);

/* Sets the key type. INK_MISMATCH unless it is that already, or the column holds only nulls. */
ink_status ink__arrow_plan_keys(ink__arrow_plan *plan, ink_key_type type, ink_error *error);

enum { INK__ARROW_NAME_BYTES = 64 };

/* The name of a column in errors: column "x", or column 2 or the array if it has none. */
void ink__arrow_name(const ink__arrow_column *column, char text[INK__ARROW_NAME_BYTES]);

#endif
