/* arrow_check.c - whether an Arrow array matches its schema, and its values can be keys, groups and
 * weights. A quick scan of all values, nulls included, nearly always finds nothing; only if it
 * does, or where there is none, are they checked row by row. */
#include "input/arrow/arrow_check.h"

#include "base/status.h"
#include "base/text.h"
#include "input/arrow/arrow_values.h"
#include "input/records/records.h"

/* ---- The quick scan ----------------------------------------------------------------------- */

/* What a column is used for. */
typedef enum use { AS_KEY, AS_PART, AS_GROUP, AS_ROUNDED, AS_WEIGHT } use;

/* The length from which pieces are too long. Parts together must not be too long either. */
static uint64_t too_long(use as)
{
    return as == AS_PART ? INK__RECORD_BYTES_MAX / INK__KEY_COLUMNS_MAX : INK__RECORD_BYTES_MAX;
}

/* Offsets never fall and are not below 0, and no piece is too long: without comparisons, which not
 * all vectors have. If no offset is negative, a difference is, where they fall. */
#define SCAN_OFFSETS(name, type)                                                                   \
    static bool name(const uint8_t *offsets, uint64_t count, uint64_t limit, bool *empty)          \
    {                                                                                              \
        type signs = 0, lengths = 0;                                                               \
                                                                                                   \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            type start, end;                                                                       \
            memcpy(&start, offsets + i * sizeof start, sizeof start);                              \
            memcpy(&end, offsets + (i + 1) * sizeof end, sizeof end);                              \
            lengths |= end - start;                                                                \
            signs |= start | end;                                                                  \
        }                                                                                          \
        *empty = lengths == 0;                                                                     \
        return (signs | lengths) >> (8 * sizeof signs - 1) == 0 && lengths < limit;                \
    }
SCAN_OFFSETS(scan_offsets_32, uint32_t)
SCAN_OFFSETS(scan_offsets_64, uint64_t)
#undef SCAN_OFFSETS

static bool scan_offsets(const ink__arrow_values *values, uint64_t limit)
{
    uint32_t       width = values->type.width;
    const uint8_t *offsets = values->data + values->at * width;
    bool           empty;

    return (width == 4 ? scan_offsets_32(offsets, values->count, limit, &empty)
                       : scan_offsets_64(offsets, values->count, limit, &empty)) &&
           (empty || values->bytes != NULL);
}

/* Whether a view is short, or points into a buffer that is there. */
static bool is_good_view(const ink__arrow_values *values, const uint8_t *view, uint64_t limit)
{
    uint64_t length = (uint64_t)ink__arrow_u32(view);

    if (length <= INK__VIEW_SHORT)
        return true;
    uint64_t buffer = (uint64_t)ink__arrow_u32(view + 8), at = (uint64_t)ink__arrow_u32(view + 12);
    if (at > INT32_MAX || buffer >= values->buffer_count || values->buffers[buffer] == NULL)
        return false;
    int64_t size = ink__arrow_i64(values->buffer_sizes + 8 * buffer);
    return size >= 0 && at + length <= (uint64_t)size && length < limit;
}

static bool scan_views(const ink__arrow_values *values, uint64_t limit)
{
    const uint8_t *view = values->data + values->at * INK__VIEW_BYTES;
    bool           good = true;

    for (uint64_t i = 0; i < values->count; i++, view += INK__VIEW_BYTES)
        good &= is_good_view(values, view, limit);
    return good;
}

/* Whether all integers divide. Other numbers have a result of ink__arrow_quotient that is too
 * large. The union of the bits of some numbers is no smaller than the largest of them. */
static bool scan_rests(const ink__arrow_values *values)
{
    const uint8_t     *from = values->data + values->at * sizeof(int64_t);
    ink__arrow_divisor by = ink__arrow_divide_by(values->type.over);
    uint64_t           bits = 0, sizes = 0;

    for (uint64_t i = 0; i < values->count; i++) {
        int64_t value = ink__arrow_i64(from + 8 * i), quotient = ink__arrow_quotient(by, value);
        bits |= (uint64_t)value;
        sizes |= (uint64_t)(quotient ^ quotient >> 63);
    }
    return (bits & ((1ull << by.shift) - 1)) == 0 &&
           sizes < (uint64_t)(INT64_MAX / values->type.over);
}

/* Whether all integers can be multiplied. */
static bool scan_products(const ink__arrow_values *values)
{
    const uint8_t *from = values->data + values->at * sizeof(int64_t);
    uint64_t       sizes = 0;

    for (uint64_t i = 0; i < values->count; i++) {
        int64_t value = ink__arrow_i64(from + 8 * i);
        sizes |= (uint64_t)(value ^ value >> 63);
    }
    return sizes < (uint64_t)(INT64_MAX / values->type.times);
}

/* Whether no integer has its highest bit set. */
static bool scan_signs(const ink__arrow_values *values)
{
    const uint8_t *from = values->data + values->at * values->type.width;
    int64_t        signs = 0;

#define ADD_SIGNS(type)                                                                            \
    for (uint64_t i = 0; i < values->count; i++) {                                                 \
        type value;                                                                                \
        memcpy(&value, from + i * sizeof value, sizeof value);                                     \
        signs |= (int64_t)value;                                                                   \
    }
    INK__ARROW_WITH_TYPE(&values->type, ADD_SIGNS)
    return signs >= 0;
}

static bool scan_ints(const ink__arrow_values *values, use as)
{
    const ink__arrow_type *type = &values->type;

    if (type->over != 1)
        return scan_rests(values);
    if (type->times != 1)
        return scan_products(values);
    if (as == AS_WEIGHT ? !type->is_unsigned
                        : as == AS_ROUNDED && type->is_unsigned && type->width == 8)
        return scan_signs(values);
    return true;
}

/* True if all values can be used so; false if some may not. */
static bool scan_values(const ink__arrow_values *values, use as)
{
    if (values->count == 0)
        return true;
    switch (values->type.layout) {
    case INK__ARROW_INTS:
        return scan_ints(values, as);
    case INK__ARROW_OFFSETS32:
    case INK__ARROW_OFFSETS64:
        return scan_offsets(values, too_long(as)) && as != AS_ROUNDED;
    case INK__ARROW_VIEWS:
        return scan_views(values, too_long(as)) && as != AS_ROUNDED;
    case INK__ARROW_FIXED:
        return values->type.width < too_long(as) && as != AS_ROUNDED;
    case INK__ARROW_FLOATS:
        return as != AS_ROUNDED;
    default:
        return true;
    }
}

static bool scan_column(const ink__arrow_bound *bound, use as)
{
    bool good = true;

    if (!bound->column->dictionary)
        return scan_values(&bound->rows, as);
    if (bound->words.count > bound->rows.count) /* that many values are not scanned */
        return false;
    for (uint64_t i = 0; i < bound->rows.count; i++)
        good &= (uint64_t)ink__arrow_int(&bound->rows, i) < bound->words.count;
    return good && scan_values(&bound->words, as);
}

/* ---- Row by row --------------------------------------------------------------------------- */

/* A value that is checked: of a row, and where it stands once a dictionary is decoded. */
typedef struct check {
    const ink__arrow_plan   *plan;
    const ink__arrow_bound  *bound;
    use                      as;
    char                     name[INK__ARROW_NAME_BYTES];
    uint64_t                 row;
    const ink__arrow_values *values;
    uint64_t                 location;
    ink_error               *error;
} check;

#define FAIL(now, status, words, ...)                                                              \
    ink__fail((now)->error, status, INK_AT_KEY, (now)->row, "%s " words, (now)->name, __VA_ARGS__)

static ink_status check_int(const check *now)
{
    const ink__arrow_type *type = &now->values->type;
    int64_t                value = ink__arrow_int(now->values, now->location), key;

    if (!ink__arrow_key(type, value, &key)) {
        if (type->over != 1)
            return FAIL(now, INK_FORMAT, "holds %lld %s, expected %s", (long long)value,
                        type->over == 1000 ? "nanoseconds" : "milliseconds",
                        type->over == 1000 ? "whole microseconds" : "whole days");
        return FAIL(now, INK_FORMAT, "holds %lld %s, expected microseconds that fit 64 bits",
                    (long long)value, type->times == 1000 ? "milliseconds" : "seconds");
    }
    if (now->as == AS_WEIGHT && value < 0 && !type->is_unsigned)
        return FAIL(now, INK_FORMAT, "holds %lld, expected a weight of 0 or more",
                    (long long)value);
    if (now->as == AS_ROUNDED && value < 0 && type->is_unsigned)
        return FAIL(now, INK_FORMAT, "holds %llu, expected a number to round to a group",
                    (unsigned long long)value);
    return INK_OK;
}

/* Offsets never fall, also below nulls: the last one is how many bytes there are. */
static ink_status check_offsets(const check *now)
{
    int64_t start = ink__arrow_int(now->values, now->location);
    int64_t end = ink__arrow_int(now->values, now->location + 1);

    if (start >= 0 && end >= start)
        return INK_OK;
    return FAIL(now, INK_FORMAT, "has offsets %lld and %lld, expected ones that never fall",
                (long long)start, (long long)end);
}

static ink_status check_location(const check *now)
{
    const ink__arrow_values *values = now->values;
    const uint8_t *data = values->data + (values->at + now->location) * values->type.width;

    if (values->type.layout == INK__ARROW_VIEWS &&
        !is_good_view(values, data, INK__RECORD_BYTES_MAX))
        return FAIL(now, INK_FORMAT,
                    "has a view of %u bytes at %u of buffer %u, expected it within one of %llu "
                    "buffers",
                    (unsigned)ink__arrow_u32(data), (unsigned)ink__arrow_u32(data + 12),
                    (unsigned)ink__arrow_u32(data + 8), (unsigned long long)values->buffer_count);
    if (!ink__arrow_has_offsets(values->type.layout))
        return INK_OK;
    INK__TRY(check_offsets(now));
    int64_t count =
        ink__arrow_int(values, now->location + 1) - ink__arrow_int(values, now->location);
    if (count > 0 && values->bytes == NULL)
        return FAIL(now, INK_FORMAT, "has %lld bytes, but none are there (NULL)", (long long)count);
    return INK_OK;
}

static ink_status check_piece(const check *now)
{
    const ink__arrow_values *values = now->values;
    int64_t                  whole;
    char                     quoted[48];

    /* In a dictionary offsets may fall at a value that no row has, which is not checked: so each is
     * compared with the last one. */
    if (ink__arrow_has_offsets(values->type.layout) &&
        ink__arrow_int(values, now->location + 1) > ink__arrow_int(values, values->count))
        return FAIL(now, INK_FORMAT,
                    "has offset %lld before a last one of %lld, expected ones that never fall",
                    (long long)ink__arrow_int(values, now->location + 1),
                    (long long)ink__arrow_int(values, values->count));
    ink__arrow_piece piece = ink__arrow_bytes(values, now->location);
    if (piece.count >= too_long(now->as))
        return FAIL(now, INK_LIMIT, "has %llu bytes, expected fewer than %llu",
                    (unsigned long long)piece.count, (unsigned long long)too_long(now->as));
    if (now->as != AS_ROUNDED ||
        ink__number_round(piece.bytes, piece.count, now->plan->rounding, &whole))
        return INK_OK;
    ink__quote(quoted, sizeof quoted, piece.bytes, (size_t)piece.count);
    return FAIL(now, INK_FORMAT, "holds \"%s\", expected a number to round to a group", quoted);
}

static ink_status check_float(const check *now)
{
    double value = ink__arrow_float(now->values, now->location);

    if (now->as != AS_ROUNDED || (value >= -0x1p63 && value < 0x1p63)) /* a NaN is neither */
        return INK_OK;
    return FAIL(now, INK_FORMAT, "holds %g, expected a number that is rounded to one of 64 bits",
                value);
}

/* Checks a row that is not null: only where its value stands, or the value. */
static ink_status check_row(check *now, bool only_location)
{
    ink__arrow_layout layout = now->values->type.layout;

    if (now->bound->column->dictionary) {
        uint64_t location = now->location = (uint64_t)ink__arrow_int(&now->bound->rows, now->row);
        if (location >= now->values->count)
            return FAIL(now, INK_FORMAT,
                        "has index %lld, expected one below %llu, within its dictionary",
                        (long long)location, (unsigned long long)now->values->count);
        if (ink__arrow_is_null(now->values, location))
            return INK_OK;
    }
    if (ink__arrow_is_bytes(layout))
        return only_location ? check_location(now) : check_piece(now);
    if (only_location)
        return INK_OK;
    return layout == INK__ARROW_INTS     ? check_int(now)
           : layout == INK__ARROW_FLOATS ? check_float(now)
                                         : INK_OK;
}

static bool is_missing(const ink__arrow_table *table, uint64_t row)
{
    return table->validity != NULL && !ink__arrow_bit(table->validity, table->at + row);
}

static ink_status check_column(const ink__arrow_plan *plan, const ink__arrow_table *table,
                               const ink__arrow_bound *bound, use as, ink_error *error)
{
    check now = {.plan = plan, .bound = bound, .as = as, .error = error};

    if (scan_column(bound, as))
        return INK_OK;
    ink__arrow_name(bound->column, now.name);
    now.values = ink__arrow_decoded(bound);
    bool offsets = ink__arrow_has_offsets(bound->rows.type.layout);
    for (uint64_t row = 0; offsets && row < table->count; row++) {
        now.row = now.location = row;
        INK__TRY(check_offsets(&now));
    }
    /* No byte is read before all locations were checked. */
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t row = 0; row < table->count; row++)
            if (!is_missing(table, row) && !ink__arrow_is_null(&bound->rows, row)) {
                now.row = now.location = row;
                INK__TRY(check_row(&now, pass == 0));
            }
    return INK_OK;
}

/* ---- Nulls -------------------------------------------------------------------------------- */

/* Refuses the first null of a column that may have none. */
static ink_status check_nulls(const ink__arrow_table *table, const ink__arrow_bound *bound,
                              ink_error *error)
{
    uint64_t location;
    char     name[INK__ARROW_NAME_BYTES];

    if (table->validity == NULL && !ink__arrow_may_have_nulls(bound))
        return INK_OK;
    for (uint64_t row = 0; row < table->count; row++)
        if (is_missing(table, row) || !ink__arrow_find(bound, row, &location)) {
            ink__arrow_name(bound->column, name);
            return ink__fail(error, INK_MISMATCH, INK_AT_KEY, row, "%s is null, expected no nulls",
                             name);
        }
    return INK_OK;
}

ink_status ink__arrow_check_structure(const ink__arrow_plan *plan, const struct ArrowArray *array,
                                      ink_error *error)
{
    ink__arrow_table table;

    return ink__arrow_bind(plan, array, &table, error);
}

ink_status ink__arrow_check(const ink__arrow_plan *plan, const struct ArrowArray *array,
                            ink_error *error)
{
    ink__arrow_table table;
    use              as_key = plan->key_count > 1 ? AS_PART : AS_KEY;

    INK__TRY(ink__arrow_bind(plan, array, &table, error));
    for (size_t i = 0; i < plan->key_count; i++)
        INK__TRY(check_column(plan, &table, &table.keys[i], as_key, error));
    if (plan->has_group)
        INK__TRY(
            check_column(plan, &table, &table.group, plan->rounded ? AS_ROUNDED : AS_GROUP, error));
    if (plan->has_weight)
        INK__TRY(check_column(plan, &table, &table.weight, AS_WEIGHT, error));
    for (size_t i = 0; plan->refuse_nulls && i < plan->key_count; i++)
        INK__TRY(check_nulls(&table, &table.keys[i], error));
    return plan->refuse_nulls && plan->has_weight ? check_nulls(&table, &table.weight, error)
                                                  : INK_OK;
}
