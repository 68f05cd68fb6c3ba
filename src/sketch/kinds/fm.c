/* fm.c - how many different keys did I see? Flajolet-Martin: each sub-sketch hashes every key in
 * its own way and keeps K, the largest number of trailing zeros; with n keys K is about log2 n
 * [Flajolet, Martin 1985]. There are `depth` groups of `width` sub-sketches: the estimate is the
 * median over groups of the mean in a group. Owns the registers: K + 1, and 0 without keys. An hll
 * of the same size is more precise; this is the sketch of the textbooks. */
#include "base/bits.h"
#include "base/real.h"
#include "base/status.h"
#include "sketch/kinds/payload.h"

enum { DEPTH_DEFAULT = 9, WIDTH_DEFAULT = 16, SUB_SKETCHES_MAX = 1 << 16, DEPTH_MAX = 255 };
enum { FIELD_WIDTH, FIELD_DEPTH, FIELDS };
enum { REGISTER_MAX = 65 };

#define LN2 0.6931471805599453
/* K - log2 n: its mean, gamma / ln 2 - 1/2, and its deviation, sqrt(pi^2 / 6 / (ln 2)^2 + 1/12). */
#define K_MEAN 0.3327461772769
#define K_DEVIATION 1.8727114235436

typedef struct fm {
    ink_sketch   base;
    ink__payload registers;
    uint32_t     width, depth;
    double       error; /* the relative standard error that they give */
} fm;

INK__PAYLOAD_IS_SECOND(fm, registers);

static bool can_be(uint64_t width, uint64_t depth)
{
    return depth >= 1 && depth <= DEPTH_MAX && width >= 1 && width <= SUB_SKETCHES_MAX / depth;
}

static ink_status fm_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                          ink_error *error)
{
    uint64_t width = params->width == 0 ? WIDTH_DEFAULT : params->width;
    uint64_t depth = params->depth == 0 ? DEPTH_DEFAULT : params->depth;

    (void)rule;
    if (!can_be(width, depth))
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "{depth} %llu and {width} %llu, expected 1 to %d groups (depth), and at most %d "
            "sub-sketches (depth x width), for fm",
            (unsigned long long)depth, (unsigned long long)width, DEPTH_MAX, SUB_SKETCHES_MAX);
    shape->fields[FIELD_WIDTH] = width;
    shape->fields[FIELD_DEPTH] = depth;
    shape->payload_bytes = width * depth;
    return INK_OK;
}

static ink_status fm_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error)
{
    uint64_t width = shape->fields[FIELD_WIDTH], depth = shape->fields[FIELD_DEPTH];

    (void)rule;
    if (!can_be(1, depth))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_DEPTH,
                         "%llu groups, expected 1 to %d", (unsigned long long)depth, DEPTH_MAX);
    if (!can_be(width, depth))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_WIDTH,
                         "%llu sub-sketches in %llu groups each, expected at most %d in all",
                         (unsigned long long)width, (unsigned long long)depth, SUB_SKETCHES_MAX);
    if (shape->payload_bytes != width * depth)
        return ink__fail(
            error, INK_FORMAT, INK__AT_FIELD, FIELDS, "an fm of %llu bytes, expected %llu",
            (unsigned long long)shape->payload_bytes, (unsigned long long)(width * depth));
    return INK_OK;
}

static ink_status fm_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                   const uint8_t *payload, ink_error *error)
{
    (void)rule;
    for (uint64_t i = 0; i < shape->payload_bytes; i++) {
        if (payload[i] > REGISTER_MAX)
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i,
                             "value %u of a sub-sketch, expected at most %d", payload[i],
                             REGISTER_MAX);
        if ((payload[i] == 0) != (payload[0] == 0)) /* every key reaches every sub-sketch */
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i,
                             "sub-sketches with and without a key, expected all or none");
    }
    return INK_OK;
}

/* The deviation of the base-2 logarithm of an estimate: that of the mean of K in a group, times the
 * factor of the median over groups. */
static double deviation(uint32_t width, uint32_t depth)
{
    double median = ink__sqrt(1.5707963267948966 / ((double)depth + 0.5707963267948966));

    return K_DEVIATION / ink__sqrt((double)width) * median;
}

static void fm_describe(const ink__shape *shape, ink_description *description)
{
    description->width = shape->fields[FIELD_WIDTH];
    description->depth = (uint32_t)shape->fields[FIELD_DEPTH];
    description->standard_error =
        shape->error != 0 ? shape->error
                          : LN2 * deviation((uint32_t)description->width, description->depth);
}

static ink_status fm_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                          ink_error *error)
{
    fm *f = (fm *)sketch;

    f->width = (uint32_t)shape->fields[FIELD_WIDTH];
    f->depth = (uint32_t)shape->fields[FIELD_DEPTH];
    f->error = LN2 * deviation(f->width, f->depth);
    return ink__payload_start(sketch, shape->payload_bytes, payload, error);
}

static void fm_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const fm *f = (const fm *)sketch;

    shape->fields[FIELD_WIDTH] = f->width;
    shape->fields[FIELD_DEPTH] = f->depth;
    shape->payload_bytes = (uint64_t)f->width * f->depth;
    shape->error = f->error;
}

/* Sub-sketch by sub-sketch: the register stays in the core while some keys, no more than a cache
 * has room for, are read. */
static void fm_add(ink_sketch *sketch, const ink__keys *keys)
{
    enum { SOME = 1024 };
    fm *f = (fm *)sketch;

    for (size_t first = 0; first < keys->count; first += SOME) {
        size_t count = keys->count - first < SOME ? keys->count - first : SOME;
        for (uint32_t sub = 0; sub < f->width * f->depth; sub++) {
            uint64_t own = (sub + 1) * 0x9e3779b97f4a7c15u;
            uint64_t tails = sketch->kernels->tails(keys->hashes + first, count, own);
            uint8_t *most = &f->registers.block.data[sub];
            uint8_t  value = (uint8_t)(1 + ink__ones_64(tails));
            *most = *most > value ? *most : value;
        }
    }
}

static void fm_merge_slice(const ink__kernels *kernels, const ink__shape *shape, uint8_t *into,
                           const uint8_t *from, size_t bytes)
{
    (void)shape;
    kernels->max_u8(into, from, bytes);
}

static ink_status fm_merge(ink_sketch *into, const ink_sketch *from,
                           const ink_merge_options *options, ink_error *error)
{
    fm       *a = (fm *)into;
    const fm *b = (const fm *)from;

    (void)options;
    if (a->width != b->width || a->depth != b->depth)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "sizes differ: %u groups of %u sub-sketches, and %u of %u", a->depth,
                         a->width, b->depth, b->width);
    fm_merge_slice(into->kernels, NULL, a->registers.block.data, b->registers.data,
                   (size_t)a->width * a->depth);
    return INK_OK;
}

static double power_of_two(double x)
{
    return ink__exp(x * LN2);
}

/* The estimate of a group: 2^(mean K), or, as in textbooks, the mean of 2^K. Values are limited: a
 * mapped file may have changed. */
static double group_estimate(const fm *f, uint32_t group, bool mean_of_powers)
{
    const uint8_t *registers = f->registers.data + (uint64_t)group * f->width;
    double         sum = 0;

    for (uint32_t i = 0; i < f->width; i++) {
        unsigned value = registers[i] > REGISTER_MAX ? REGISTER_MAX : registers[i];
        double   k = value == 0 ? 0 : (double)(value - 1);
        sum += mean_of_powers ? ink__double_of_bits((uint64_t)(1023 + k) << 52) : k; /* 2^k */
    }
    return mean_of_powers ? sum / (double)f->width : power_of_two(sum / (double)f->width - K_MEAN);
}

static double median_of_groups(const fm *f, bool mean_of_powers)
{
    double sorted[DEPTH_MAX];

    for (uint32_t group = 0; group < f->depth; group++) {
        double   estimate = group_estimate(f, group, mean_of_powers);
        uint32_t at = group;
        for (; at > 0 && sorted[at - 1] > estimate; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = estimate;
    }
    return (sorted[(f->depth - 1) / 2] + sorted[f->depth / 2]) / 2;
}

static void fm_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const fm *f = (const fm *)sketch;
    double    most = 0x1p64; /* no more keys than there are hashes */

    if (f->registers.data[0] == 0)
        return;
    /* The mean of K is (1 + 1/2 + ... + 1/n) / ln 2 - 1/2, so the median estimates n + 1/2. */
    double said = median_of_groups(f, false);
    double factor = power_of_two(z * deviation(f->width, f->depth));
    double low = said / factor - 0.5, high = said * factor - 0.5;
    answer->saturated = said >= power_of_two(64 - K_MEAN); /* the largest estimate */
    answer->estimate = said < 1.5 ? 1 : said - 0.5;
    answer->low = low < 1 ? 1 : low;
    answer->high = answer->saturated || high > most ? most : high < 1 ? 1 : high;
}

/* This estimator has no finite mean to derive bounds from. Those of the other one hold, and this
 * one is never the lower. */
static void fm_distinct_mean_of_powers(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const fm *f = (const fm *)sketch;

    fm_distinct(sketch, z, answer);
    if (f->registers.data[0] == 0)
        return;
    answer->estimate = median_of_groups(f, true);
    if (answer->high < answer->estimate)
        answer->high = answer->estimate;
}

const ink__kind ink__fm = {
    .name = "fm",
    .id = 7,
    .layout = 1,
    .takes = INK__TAKES_WIDTH,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_DISTINCT] = 2},
    .order_free = true,
    .fixed_size = true,
    .object_bytes = sizeof(fm),
    .position_rules = {[INK__SCHEME_HASH64] = INK__RULE_TAILS},
    .plan = fm_plan,
    .check = fm_check,
    .check_payload = fm_check_payload,
    .describe = fm_describe,
    .load = fm_load,
    .take = ink__payload_take,
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .shape = fm_shape,
    .payload = ink__payload_in_place,
    .add = fm_add,
    .merge = fm_merge,
    .merge_slice = fm_merge_slice,
    .distinct = fm_distinct,
    .distinct_mean_of_powers = fm_distinct_mean_of_powers,
};
