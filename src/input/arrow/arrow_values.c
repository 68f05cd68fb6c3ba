/* arrow_values.c - finds the columns of a plan in an array, and checks its structure: lengths,
 * offsets, children and buffers. */
#include "input/arrow/arrow_values.h"

#include "base/status.h"

double ink__arrow_float(const ink__arrow_values *values, uint64_t row)
{
    const uint8_t *from = values->data + (values->at + row) * values->type.width;
    float          single;
    double         value;

    if (values->type.width == 2) {
        uint64_t bits = (uint64_t)ink__arrow_u16(from), fraction = bits & 0x3ff;
        uint64_t exponent = bits >> 10 & 0x1f, sign = bits >> 15 << 63;
        if (exponent == 0) /* subnormal: a multiple of 2^-24 */
            return ink__double_of_bits(ink__bits_of_double((double)fraction * 0x1p-24) | sign);
        exponent = exponent == 0x1f ? 0x7ff : exponent + 1023 - 15;
        return ink__double_of_bits(sign | exponent << 52 | fraction << 42);
    }
    if (values->type.width == 4) {
        memcpy(&single, from, sizeof single);
        return (double)single;
    }
    memcpy(&value, from, sizeof value);
    return value;
}

/* ---- Structure ---------------------------------------------------------------------------- */

/* The number of elements of a buffer whose offset in bytes cannot overflow. */
static uint64_t locations_max(const ink__arrow_type *type)
{
    return (uint64_t)PTRDIFF_MAX / (type->width > INK__VIEW_BYTES ? type->width : INK__VIEW_BYTES);
}

static ink_status fail_column(const ink__arrow_column *column, long long found, const char *what,
                              long long expected, ink_error *error)
{
    char name[INK__ARROW_NAME_BYTES];

    ink__arrow_name(column, name);
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "%s has %lld %s, expected %lld", name,
                     found, what, expected);
}

static ink_status fail_buffer(const ink__arrow_column *column, const char *what, ink_error *error)
{
    char name[INK__ARROW_NAME_BYTES];

    ink__arrow_name(column, name);
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "%s has no %s (NULL), expected some", name,
                     what);
}

static ink_status check_lengths(const struct ArrowArray *array, const char *what, ink_error *error)
{
    if (array == NULL)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "%s is NULL, expected an array", what);
    if (array->release == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%s was released, expected one that is not", what);
    if (array->length < 0 || array->offset < 0 || array->null_count < -1)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "%s has length %lld, offset %lld and %lld nulls, expected none below 0",
                         what, (long long)array->length, (long long)array->offset,
                         (long long)array->null_count);
    if (array->n_buffers < 0 || array->n_children < 0)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "%s has %lld buffers and %lld children, expected none below 0", what,
                         (long long)array->n_buffers, (long long)array->n_children);
    return INK_OK;
}

/* The buffers of a column that has rows. */
static ink_status bind_buffers(const ink__arrow_column *column, const struct ArrowArray *array,
                               ink__arrow_values *values, ink_error *error)
{
    static const uint8_t nothing[1];
    ink__arrow_layout    layout = values->type.layout;

    if (layout == INK__ARROW_NULLS)
        return INK_OK;
    if (array->buffers == NULL)
        return fail_buffer(column, "buffers", error);
    values->validity = array->null_count == 0 ? NULL : array->buffers[0];
    if (array->null_count > 0 && values->validity == NULL)
        return fail_buffer(column, "bitmap of its nulls", error);
    values->data = array->buffers[1];
    if (layout == INK__ARROW_FIXED && values->type.width == 0)
        values->data = nothing; /* it may have none */
    if (values->data == NULL)
        return fail_buffer(column, ink__arrow_is_bytes(layout) ? "offsets or bytes" : "values",
                           error);
    if (layout == INK__ARROW_VIEWS) {
        values->buffers = (const void *const *)array->buffers + 2;
        values->buffer_count = (uint64_t)array->n_buffers - 3;
        values->buffer_sizes = array->buffers[array->n_buffers - 1];
        if (values->buffer_count > 0 && values->buffer_sizes == NULL)
            return fail_buffer(column, "sizes of its buffers", error);
    }
    if (ink__arrow_has_offsets(layout))
        values->bytes = array->buffers[2];
    return INK_OK;
}

/* `count` values of an array, after the first `skipped`. */
static ink_status bind_values(const ink__arrow_column *column, const ink__arrow_type *type,
                              const struct ArrowArray *array, uint64_t skipped, uint64_t count,
                              ink__arrow_values *values, ink_error *error)
{
    bool    views = type->layout == INK__ARROW_VIEWS;
    int64_t wanted = views || ink__arrow_has_offsets(type->layout) ? 3 : 2;
    bool    fits = array->n_buffers == wanted || (views && array->n_buffers > wanted);

    *values =
        (ink__arrow_values){.type = *type, .at = (uint64_t)array->offset + skipped, .count = count};
    if (array->n_children != 0)
        return fail_column(column, array->n_children, "children", 0, error);
    if (type->layout != INK__ARROW_NULLS && !fits)
        return fail_column(column, array->n_buffers, "buffers", wanted, error);
    if (skipped + count > (uint64_t)array->length)
        return fail_column(column, array->length, "rows", (long long)(skipped + count), error);
    /* Of the whole array, though only some of its rows may be wanted. */
    uint64_t locations = (uint64_t)array->offset + (uint64_t)array->length;
    if (locations >= locations_max(type))
        return fail_column(column, (long long)(locations & INT64_MAX),
                           "rows with those before them", (long long)locations_max(type) - 1,
                           error);
    return count == 0 ? INK_OK : bind_buffers(column, array, values, error);
}

static ink_status bind_column(const ink__arrow_column *column, const struct ArrowArray *array,
                              const ink__arrow_table *table, ink__arrow_bound *bound,
                              ink_error *error)
{
    uint64_t skipped = 0;

    bound->column = column;
    if (column->child >= 0) {
        skipped = table->at;
        array = array->children[column->child];
        INK__TRY(check_lengths(array, "a column of the array", error));
    }
    if ((array->dictionary != NULL) != column->dictionary)
        return fail_column(column, array->dictionary != NULL, "dictionaries", column->dictionary,
                           error);
    if (!column->dictionary)
        return bind_values(column, &column->type, array, skipped, table->count, &bound->rows,
                           error);
    INK__TRY(
        bind_values(column, &column->index, array, skipped, table->count, &bound->rows, error));
    INK__TRY(check_lengths(array->dictionary, "the dictionary of a column", error));
    return bind_values(column, &column->type, array->dictionary, 0,
                       (uint64_t)array->dictionary->length, &bound->words, error);
}

static ink_status bind_struct(const ink__arrow_plan *plan, const struct ArrowArray *array,
                              ink__arrow_table *table, ink_error *error)
{
    if (array->n_children != plan->child_count ||
        (plan->child_count > 0 && array->children == NULL))
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "an array of %lld columns, expected %lld as its schema says",
                         (long long)(array->children == NULL ? 0 : array->n_children),
                         (long long)plan->child_count);
    if (array->n_buffers != 1)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "a struct of %lld buffers, expected 1",
                         (long long)array->n_buffers);
    table->at = (uint64_t)array->offset;
    if (table->count > 0 && array->null_count != 0 && array->buffers != NULL)
        table->validity = array->buffers[0];
    if (table->count > 0 && array->null_count > 0 && table->validity == NULL)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "a struct of %lld nulls without a bitmap, expected one",
                         (long long)array->null_count);
    return INK_OK;
}

ink_status ink__arrow_bind(const ink__arrow_plan *plan, const struct ArrowArray *array,
                           ink__arrow_table *table, ink_error *error)
{
    INK__TRY(check_lengths(array, "the array", error));
    table->count = (uint64_t)array->length;
    table->validity = NULL;
    table->at = 0;
    if (plan->is_struct)
        INK__TRY(bind_struct(plan, array, table, error));
    for (size_t i = 0; i < plan->key_count; i++)
        INK__TRY(bind_column(&plan->keys[i], array, table, &table->keys[i], error));
    if (plan->has_group)
        INK__TRY(bind_column(&plan->group, array, table, &table->group, error));
    if (plan->has_weight)
        INK__TRY(bind_column(&plan->weight, array, table, &table->weight, error));
    return INK_OK;
}
