/* membership.c - what filters share. The result of a change is computed on folded parts of the two
 * filters first, and the change made only if the promise allows it. */
#include "sketch/kinds/membership.h"

#include "base/size.h"
#include "base/status.h"
#include "sketch/kinds/shared.h"

#include <string.h>

static const ink__filter_rules *rules_of(const ink__filter *filter)
{
    return filter->base.kind->filter_rules;
}

void ink__filter_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    ink__promise_store(&filter->promise, shape);
    shape->payload_bytes = ink__filter_bytes(filter, filter->size);
}

static uint64_t chunk_at(uint64_t done, uint64_t bytes)
{
    return bytes - done < INK__FILTER_CHUNK ? bytes - done : INK__FILTER_CHUNK;
}

double ink__filter_rate_of(const ink__filter *filter, uint64_t size, uint64_t high, uint64_t low)
{
    high += low >> 32;
    return rules_of(filter)->rate(filter, size,
                                  (double)high * 0x1p32 + (double)(low & 0xffffffffu));
}

/* The current rate of the union of two filters folded to `size`; b may be NULL. Stops early, with a
 * rate above `enough`, once it must be above: weights only grow. */
static double rate_at(const ink__filter *a, const ink__filter *b, uint64_t size, double enough)
{
    const ink__filter_rules *rules = rules_of(a);
    uint8_t                  chunk_a[INK__FILTER_CHUNK], chunk_b[INK__FILTER_CHUNK];
    uint64_t                 bytes = ink__filter_bytes(a, size);
    uint64_t                 high = 0, low = 0; /* the weight is high * 2^32 + low, exactly */
    double                   rate = 0;

    for (uint64_t done = 0; done < bytes && rate <= enough; done += INK__FILTER_CHUNK) {
        uint64_t count = chunk_at(done, bytes);
        uint64_t weight = a->base.kind->weigh(
            a->base.kernels, rules->part(a, size, done, count, chunk_a),
            b == NULL ? NULL : rules->part(b, size, done, count, chunk_b), count);
        low += weight & 0xffffffffu;
        high += weight >> 32;
        rate = ink__filter_rate_of(a, size, high, low);
    }
    return rate;
}

double ink__filter_rate(const ink_sketch *sketch)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    return rate_at(filter, NULL, filter->size, 1);
}

/* Blocks are changed by words, bits alone by bytes. */
ink_status ink__filter_snapshot(const ink_sketch *sketch, ink_sketch *into, ink_error *error)
{
    const ink__filter *from = (const ink__filter *)sketch;

    (void)error;
    ink__shared_copy(((ink__filter *)into)->cells.block.data, from->cells.data,
                     ink__filter_bytes(from, from->size), sketch->kind->block_bytes == 0 ? 1 : 8);
    return INK_OK;
}

/* ---- Promises ----------------------------------------------------------------------------- */

/* Logarithms of rates are nearly normal, also of small filters. */
#define SCATTER_ALLOWED 6.0
#define SCATTER_OF_KEYS 3.0
#define FULL 0.99
#define KEYS_MAX ((uint64_t)1 << 60)

ink__filter_size ink__filter_size_of(const ink__filter *filter)
{
    return (ink__filter_size){filter->base.kind, filter->size, filter->hashes, filter->promise};
}

bool ink__filter_holds(const ink__filter_size *filter, double max_rate, double rate)
{
    double   promised = filter->promise.promised;
    uint64_t keys = filter->promise.expected_keys;
    double   limit = max_rate != 0 ? max_rate : promised;

    if (limit == 0 || rate <= limit)
        return true;
    if (promised == 0 || limit < promised)
        return false;
    if (keys > INK__ESTIMATED_KEYS)
        keys += keys / 100;
    return rate < 1 && rate <= filter->kind->filter_rules->expected(filter->size, filter->hashes,
                                                                    keys, SCATTER_ALLOWED);
}

uint64_t ink__filter_needs(const ink__filter_size *filter, double rate, uint64_t records)
{
    uint64_t few = 0, many = records == 0 || records > KEYS_MAX ? KEYS_MAX : records;

    if (rate > FULL) /* it does not say how many */
        return records;
    while (many - few > 1) {
        uint64_t keys = few + (many - few) / 2;
        if (filter->kind->filter_rules->expected(filter->size, filter->hashes, keys,
                                                 -SCATTER_OF_KEYS) >= rate)
            many = keys;
        else
            few = keys;
    }
    return many;
}

/* INK_PROMISE if a filter of these keys, folded to `size`, that would have this rate breaks what
 * is promised or allowed. */
static ink_status keep(const ink__filter *filter, uint64_t size, ink__promise *promise, double rate,
                       uint64_t records, const ink_merge_options *options, ink_error *error)
{
    ink__filter_size of = ink__filter_size_of(filter);
    double           limit = ink__promise_limit(promise, options);

    of.size = size;
    of.promise = *promise;
    if (limit < 1 && !ink__filter_holds(&of, options->max_rate, rate))
        return ink__fail_rate(rate, limit, options->max_rate != 0,
                              ink__filter_needs(&of, rate, records), error);
    ink__promise_raise(promise, options);
    return INK_OK;
}

/* ---- Changes ------------------------------------------------------------------------------ */

/* An operation on cells, as `merge_slice` of a kind. */
typedef void combine(const ink__kernels *kernels, const ink__shape *shape, uint8_t *into,
                     const uint8_t *from, size_t bytes);

static void and_bytes(const ink__kernels *kernels, const ink__shape *shape, uint8_t *into,
                      const uint8_t *from, size_t bytes)
{
    (void)shape;
    kernels->and_bytes(into, from, bytes);
}

void ink__filter_merge_bits(const ink__kernels *kernels, const ink__shape *shape, uint8_t *into,
                            const uint8_t *from, size_t bytes)
{
    (void)shape;
    kernels->or_bytes(into, from, bytes);
}

/* Applies `operation` to the cells of `into`, which is of this size, and those of `from` folded to
 * it; NULL copies these. */
static void combine_at(ink__filter *into, const ink__filter *from, uint64_t size,
                       combine *operation)
{
    uint8_t  chunk[INK__FILTER_CHUNK];
    uint64_t bytes = ink__filter_bytes(into, size);

    for (uint64_t done = 0; done < bytes; done += INK__FILTER_CHUNK) {
        uint64_t       count = chunk_at(done, bytes);
        const uint8_t *part = rules_of(into)->part(from, size, done, count, chunk);
        uint8_t       *cells = into->cells.block.data + done;
        if (operation == NULL)
            memcpy(cells, part, (size_t)count);
        else
            operation(into->base.kernels, NULL, cells, part, (size_t)count);
    }
}

/* Folds a filter in place: a byte is written only after it was read. */
static void fold_to(ink__filter *filter, uint64_t size)
{
    if (size != filter->size)
        combine_at(filter, filter, size, NULL);
    filter->size = size;
    filter->inverse = UINT64_MAX / size;
}

/* The size at which two filters meet, and what each of them promises there. */
static ink_status meet(const ink__filter *a, const ink__filter *b, uint64_t *size,
                       ink__promise *of_a, ink__promise *of_b, ink_error *error)
{
    ink_status status = rules_of(a)->meet(a, b, size, error);

    *of_a = ink__promise_folded(&a->promise, a->size / *size);
    *of_b = ink__promise_folded(&b->promise, b->size / *size);
    return status;
}

ink_status ink__filter_merge(ink_sketch *into, const ink_sketch *from,
                             const ink_merge_options *options, ink_error *error)
{
    ink__filter       *a = (ink__filter *)into;
    const ink__filter *b = (const ink__filter *)from;
    ink__promise       of_a, of_b;
    uint64_t           size;

    INK__TRY(meet(a, b, &size, &of_a, &of_b, error));
    ink__promise promise = ink__promise_union(&of_a, &of_b);
    double       rate = ink__promise_limit(&promise, options) < 1 ? rate_at(a, b, size, 1) : 0;
    INK__TRY(keep(a, size, &promise, rate, ink__add_saturating(into->records, from->records),
                  options, error));
    a->promise = promise;
    fold_to(a, size);
    combine_at(a, b, size, into->kind->merge_slice);
    return INK_OK;
}

ink_status ink__filter_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    ink__filter       *a = (ink__filter *)into;
    const ink__filter *b = (const ink__filter *)from;
    ink__promise       of_a, of_b;
    uint64_t           size;

    INK__TRY(meet(a, b, &size, &of_a, &of_b, error));
    a->promise = ink__promise_intersection(&of_a, &of_b);
    fold_to(a, size);
    combine_at(a, b, size, and_bytes);
    return INK_OK;
}

/* To the smallest size with at most this rate; 0: the one that the filter was made for, its target,
 * or its promise if that is larger. A filter above that has no smaller size. */
static ink_status fold_to_rate(ink__filter *filter, double rate, uint64_t *divided,
                               ink_error *error)
{
    double   now = rate_at(filter, NULL, filter->size, 1);
    uint64_t size = 0;
    double   target = rate > 0 ? rate : filter->promise.target;

    if (rate == 0) {
        rate = target > filter->promise.promised ? target : filter->promise.promised;
        if (rate == 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "a filter of a given size has no target rate, expected a rate "
                             "({rate})");
        *divided = 1;
        if (now > rate)
            return INK_OK;
    }
    if (now > rate)
        return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                         "the false-positive rate is %g already, above %g", now, rate);
    do
        size = rules_of(filter)->next_size(filter, size);
    while (size < filter->size && rate_at(filter, NULL, size, rate) > rate);
    *divided = filter->size / size;
    filter->promise = ink__promise_folded(&filter->promise, *divided);
    filter->promise.target = target;
    /* For n / d keys the old rate holds, and so does a looser one; a tighter one holds only now. */
    if (filter->promise.promised != 0 && filter->promise.promised < rate)
        filter->promise.promised = rate;
    fold_to(filter, size);
    return INK_OK;
}

ink_status ink__filter_fold(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                            ink_error *error)
{
    const ink_merge_options plain = {0};
    ink__filter            *filter = (ink__filter *)sketch;

    if (divisor == 0)
        return fold_to_rate(filter, rate, divided, error);
    INK__TRY(rules_of(filter)->check_divisor(filter, divisor, error));
    uint64_t     size = filter->size / divisor;
    ink__promise promise = ink__promise_folded(&filter->promise, divisor);
    INK__TRY(keep(filter, size, &promise, rate_at(filter, NULL, size, 1), sketch->records, &plain,
                  error));
    filter->promise = promise;
    fold_to(filter, size);
    *divided = divisor;
    return INK_OK;
}
