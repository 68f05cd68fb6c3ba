/* promise.c - what a filter promises, and the promise of a union, an intersection or a fold. */
#include "sketch/kinds/promise.h"

#include "base/bits.h"
#include "base/status.h"

ink__promise ink__promise_of(const ink__shape *shape)
{
    return (ink__promise){
        .expected_keys = shape->fields[0],
        .target = ink__double_of_bits(shape->fields[1]),
        .promised = ink__double_of_bits(shape->fields[2]),
    };
}

void ink__promise_store(const ink__promise *promise, ink__shape *shape)
{
    shape->fields[0] = promise->expected_keys;
    shape->fields[1] = ink__bits_of_double(promise->target);
    shape->fields[2] = ink__bits_of_double(promise->promised);
}

void ink__promise_describe(const ink__shape *shape, ink_description *description)
{
    ink__promise promise = ink__promise_of(shape);

    description->expected_keys = promise.expected_keys;
    description->target_rate = promise.target;
    description->promised_rate = promise.promised;
}

ink_status ink__promise_check(const ink__shape *shape, ink_error *error)
{
    ink__promise of = ink__promise_of(shape);

    /* Written so that NaN fails; 0 must be +0. */
    if (shape->fields[1] != 0 && !(of.target > 0 && of.target < 1))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, 1,
                         "target rate %g, expected 0, or above 0 and below 1", of.target);
    if (shape->fields[2] != 0 && !(of.promised > 0 && of.promised <= 1))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, 2,
                         "promised rate %g, expected 0, or above 0 and at most 1", of.promised);
    return INK_OK;
}

ink_status ink__promise_params(const ink_params *params, double *rate, ink_error *error)
{
    double p = params->false_positive_rate;

    if (params->bits != 0 && p != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{bits} and {false_positive_rate} do not go together: the bits decide");
    if (params->bits == 0 && params->expected_keys == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%s needs {expected_keys}, or its size in {bits}", params->kind);
    if (params->bits == 0 && p == 0)
        p = INK__DEFAULT_RATE;
    if (!(p >= 0 && p < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{false_positive_rate} %g, expected above 0 and below 1", p);
    *rate = p;
    return INK_OK;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The smaller, where 0 means that there is none. */
static double smaller(double a, double b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

ink__promise ink__promise_union(const ink__promise *a, const ink__promise *b)
{
    /* A filter that promises nothing makes the union promise nothing. */
    bool promised = a->promised != 0 && b->promised != 0;

    return (ink__promise){
        .expected_keys = a->expected_keys > b->expected_keys ? a->expected_keys : b->expected_keys,
        .target = larger(a->target, b->target),
        .promised = promised ? larger(a->promised, b->promised) : 0,
    };
}

ink__promise ink__promise_intersection(const ink__promise *a, const ink__promise *b)
{
    uint64_t fewer = a->expected_keys < b->expected_keys ? a->expected_keys : b->expected_keys;
    uint64_t more = a->expected_keys < b->expected_keys ? b->expected_keys : a->expected_keys;

    return (ink__promise){
        .expected_keys = fewer == 0 ? more : fewer,
        .target = smaller(a->target, b->target),
        .promised = smaller(a->promised, b->promised),
    };
}

ink__promise ink__promise_folded(const ink__promise *promise, uint64_t divisor)
{
    ink__promise folded = *promise;

    folded.expected_keys /= divisor;
    return folded;
}

double ink__promise_limit(const ink__promise *promise, const ink_merge_options *options)
{
    if (options->parts)
        return 1;
    if (options->max_rate != 0)
        return options->max_rate;
    return promise->promised != 0 ? promise->promised : 1;
}

ink_status ink__promise_keep(ink__promise *promise, double rate, const ink_merge_options *options,
                             ink_error *error)
{
    double limit = ink__promise_limit(promise, options);

    if (rate > limit)
        return ink__fail_rate(rate, limit, options->max_rate != 0, 0, error);
    ink__promise_raise(promise, options);
    return INK_OK;
}

void ink__promise_raise(ink__promise *promise, const ink_merge_options *options)
{
    /* Whether or not it is needed now, so that the order of merges does not matter. */
    if (!options->parts && promise->promised != 0 && options->max_rate > promise->promised)
        promise->promised = options->max_rate;
}

ink_status ink__promise_allow(ink__shape *shape, double max_rate, ink_error *error)
{
    ink__promise promise = ink__promise_of(shape);
    double       wanted = promise.target != 0 ? promise.target : promise.promised;

    if (max_rate == 0)
        return INK_OK;
    if (!(max_rate >= wanted && max_rate <= 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{max_rate} %g, expected %g, the rate that is planned for, to 1", max_rate,
                         wanted);
    if (max_rate > promise.promised)
        promise.promised = max_rate;
    ink__promise_store(&promise, shape);
    return INK_OK;
}
