/* theta.c - how many different keys do two sets share? A theta sketch keeps the smallest values of
 * all keys, and a threshold that no other value is below: a uniform sample of the set [Bar-Yossef,
 * Jayram, Kumar, Sivakumar, Trevisan 2002; Dasgupta, Lang, Rhodes, Thaler 2016]. Union,
 * intersection and difference of two samples below one threshold are samples of the union,
 * intersection and difference.
 *
 * A value is the hash of a key without its last bit. A file has the values in order
 * (docs/format.md#theta). In memory they are in a table of slots, with up to twice as many as a
 * file may have; then all above the k smallest leave, and the threshold falls. What a file has and
 * what is answered depends on the k smallest alone. Owns the values. */
#include "base/bits.h"
#include "base/memory.h"
#include "base/real.h"
#include "base/size.h"
#include "base/sort.h"
#include "base/status.h"
#include "sketch/kinds/kind.h"
#include "sketch/kinds/sampled.h"

enum { PRECISION_MIN = 4, PRECISION_MAX = 26, PRECISION_DEFAULT = 12 };
enum { FIELD_PRECISION, FIELDS };
enum { WORD = 8, SLOTS_MIN = 8 };

/* The threshold while no value had to leave: all are below but one, which is never kept. */
#define ALL INT64_MAX
#define EMPTY UINT64_MAX /* of a slot */

typedef struct theta {
    ink_sketch base;
    uint32_t   precision;
    uint64_t   threshold; /* above all values in the table */

    /* The values are in one of two: */
    uint64_t      *slots; /* each at or after the slot of its last bits; at most half are used */
    const uint8_t *view;  /* the payload in a file */

    uint64_t slot_count; /* a power of two, or 0 */
    uint64_t count;      /* of values */
} theta;

/* What a file has of a sketch, and what answers depend on. */
typedef struct sample {
    uint64_t count, threshold;
} sample;

static uint64_t values_max(uint32_t precision)
{
    return (uint64_t)1 << precision;
}

static double share_of(uint64_t threshold)
{
    return threshold == ALL ? 1 : (double)threshold * 0x1p-63;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t viewed(const theta *t, uint64_t index)
{
    return ink__load_u64(t->view + index * WORD);
}

/* ---- The smallest values ------------------------------------------------------------------ */

enum { BUCKET_BITS = 11, BUCKETS = 1 << BUCKET_BITS, GATHERED_MAX = 64 };

/* The value with this rank, from 0, among words that are below `bound` (not 0) or EMPTY, of which
 * there are more than that: counted in buckets, which become narrower until few words are left. */
static uint64_t value_of_rank(const uint64_t *words, uint64_t count, uint64_t bound, uint64_t rank)
{
    const unsigned bits = 64 - ink__leading_zeros_64(bound);
    unsigned       shift = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
    uint64_t       first = 0, gathered[GATHERED_MAX];

    for (;;) {
        uint64_t counts[BUCKETS + 1] = {0}, bucket = 0, few = 0;
        for (uint64_t i = 0; i < count; i++) { /* no jumps: empty slots come in no order */
            uint64_t at = (words[i] - first) >> shift;
            counts[at < BUCKETS ? at : BUCKETS]++;
        }
        while (bucket < BUCKETS - 1 && rank >= counts[bucket])
            rank -= counts[bucket++];
        first += bucket << shift;
        if (shift == 0)
            return first;
        if (counts[bucket] > GATHERED_MAX) {
            shift = shift > BUCKET_BITS ? shift - BUCKET_BITS : 0;
            continue;
        }
        for (uint64_t i = 0; i < count && few < counts[bucket]; i++)
            if (words[i] - first < (uint64_t)1 << shift)
                gathered[few++] = words[i];
        ink__sort_u64_in_place(gathered, (size_t)few, 64);
        return gathered[rank];
    }
}

/* The threshold in a file was checked, but a mapped file may change: so it is limited again. */
static sample sample_of(const theta *t)
{
    const uint64_t most = values_max(t->precision);

    if (t->view != NULL) {
        uint64_t last = viewed(t, t->count);
        return (sample){t->count, last == 0 ? 1 : smaller(last, ALL)};
    }
    if (t->count <= most)
        return (sample){t->count, t->threshold};
    return (sample){most, value_of_rank(t->slots, t->slot_count, t->threshold, most)};
}

/* ---- The table ---------------------------------------------------------------------------- */

/* Adds a value to a table with a free slot, unless it has it. */
static inline void insert(theta *t, uint64_t value)
{
    const uint64_t mask = t->slot_count - 1;
    uint64_t       at = value & mask;

    while (t->slots[at] != EMPTY) {
        if (t->slots[at] == value)
            return;
        at = (at + 1) & mask;
    }
    t->slots[at] = value;
    t->count++;
}

/* How many values of a view are below a bound. */
static uint64_t viewed_below(const theta *t, uint64_t bound)
{
    uint64_t low = 0, left = t->count;

    while (left > 0) {
        uint64_t half = (left + 1) / 2;
        low += viewed(t, low + half - 1) < bound ? half : 0;
        left -= half;
    }
    return low;
}

/* Whether a sketch has a value that is below its threshold. */
static bool has(const theta *t, uint64_t value)
{
    const uint64_t mask = t->slot_count - 1;

    if (t->view != NULL) {
        uint64_t at = viewed_below(t, value);
        return at < t->count && viewed(t, at) == value;
    }
    if (t->slot_count == 0)
        return false;
    for (uint64_t at = value & mask; t->slots[at] != EMPTY; at = (at + 1) & mask)
        if (t->slots[at] == value)
            return true;
    return false;
}

/* Keeps the values below a threshold, and of these those that another sketch has, or has not; NULL:
 * all. In place: after a free slot, the values of some slots are taken out and put in again, each
 * at or before where it was. */
static void keep(theta *t, uint64_t threshold, const theta *other, bool both)
{
    uint64_t first = 0, picked[INK__HASH_BATCH];

    t->threshold = threshold;
    if (t->count == 0)
        return;
    t->count = 0;
    while (t->slots[first] != EMPTY)
        first++;
    for (uint64_t done = 0, some; done < t->slot_count; done += some) {
        uint64_t at = (first + done) & (t->slot_count - 1);
        some = smaller(smaller(INK__HASH_BATCH, t->slot_count - done), t->slot_count - at);
        size_t few = t->base.kernels->pick_below(t->slots + at, (size_t)some, threshold, picked);
        memset(t->slots + at, 0xff, (size_t)(some * WORD));
        for (size_t i = 0; i < few; i++)
            if (other == NULL || has(other, picked[i]) == both)
                insert(t, picked[i]);
    }
}

/* Only the k smallest stay. */
static void cut(theta *t)
{
    sample of = sample_of(t);

    if (t->count > of.count)
        keep(t, of.threshold, NULL, false);
}

static inline void add_value(theta *t, uint64_t value, uint64_t values_before_cut)
{
    if (value >= t->threshold)
        return;
    insert(t, value);
    if (t->count >= values_before_cut)
        cut(t);
}

/* Room for this many values, or as many as there may be before a cut. */
static ink_status make_room(theta *t, uint64_t values, uint32_t precision, ink_error *error)
{
    const ink_allocator *allocator = &t->base.allocator;
    const uint64_t       most = 2 * values_max(precision);
    uint64_t             wanted = SLOTS_MIN;
    theta                grown = *t;

    values = smaller(values, most > t->count ? most : t->count);
    while (wanted < 2 * values)
        wanted *= 2;
    if (wanted <= t->slot_count)
        return INK_OK;
    INK__TRY(ink__allocate(allocator, wanted * WORD, &grown.slots, error));
    memset(grown.slots, 0xff, (size_t)(wanted * WORD));
    grown.slot_count = wanted;
    grown.count = 0;
    for (uint64_t i = 0; i < t->slot_count; i++)
        if (t->slots[i] != EMPTY)
            insert(&grown, t->slots[i]);
    ink__release(allocator, t->slots, t->slot_count * WORD);
    t->slots = grown.slots;
    t->slot_count = wanted;
    return INK_OK;
}

static ink_status theta_reserve(ink_sketch *sketch, const ink__keys *keys, ink_error *error)
{
    theta *t = (theta *)sketch;

    /* A table that is full already has room for all: values leave it. */
    if (t->slot_count >= 4 * values_max(t->precision))
        return INK_OK;
    return make_room(t, t->count + keys->count, t->precision, error);
}

static void theta_release(ink_sketch *sketch)
{
    theta *t = (theta *)sketch;

    ink__release(&sketch->allocator, t->slots, t->slot_count * WORD);
}

static uint64_t theta_memory(const ink_sketch *sketch)
{
    return ((const theta *)sketch)->slot_count * WORD;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static ink_status theta_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                             ink_error *error)
{
    uint32_t precision = params->precision == 0 ? PRECISION_DEFAULT : params->precision;

    (void)rule;
    if (precision < PRECISION_MIN || precision > PRECISION_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{precision} %u, expected %d to %d",
                         precision, PRECISION_MIN, PRECISION_MAX);
    shape->fields[FIELD_PRECISION] = precision;
    shape->payload_bytes = WORD;
    return INK_OK;
}

static ink_status theta_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error)
{
    uint64_t precision = shape->fields[FIELD_PRECISION], bytes = shape->payload_bytes;

    (void)rule;
    if (precision < PRECISION_MIN || precision > PRECISION_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_PRECISION,
                         "precision %llu, expected %d to %d", (unsigned long long)precision,
                         PRECISION_MIN, PRECISION_MAX);
    const uint64_t most = (values_max((uint32_t)precision) + 1) * WORD;
    if (bytes == 0 || bytes > most || bytes % WORD != 0)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "a theta of %llu bytes, expected a multiple of %d from %d to %llu",
                         (unsigned long long)bytes, WORD, WORD, (unsigned long long)most);
    return INK_OK;
}

static void theta_describe(const ink__shape *shape, ink_description *description)
{
    uint64_t most = values_max((uint32_t)shape->fields[FIELD_PRECISION]);

    description->precision = (uint32_t)shape->fields[FIELD_PRECISION];
    description->bytes_max = (most + 1) * WORD;
    description->standard_error = 1 / ink__sqrt((double)(most - 1));
}

static void theta_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const theta *t = (const theta *)sketch;

    shape->fields[FIELD_PRECISION] = t->precision;
    shape->payload_bytes = (smaller(t->count, values_max(t->precision)) + 1) * WORD;
}

static ink_status theta_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                      const uint8_t *payload, ink_error *error)
{
    const uint64_t last = shape->payload_bytes / WORD - 1;
    const uint64_t threshold = ink__load_u64(payload + last * WORD);

    (void)rule;
    if (threshold == 0 || threshold > ALL)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, last * WORD,
                         "threshold %llu, expected 1 to %llu", (unsigned long long)threshold,
                         (unsigned long long)ALL);
    for (uint64_t i = 0; i < last; i++) {
        uint64_t value = ink__load_u64(payload + i * WORD);
        if (value >= ink__load_u64(payload + (i + 1) * WORD))
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, (i + 1) * WORD,
                             "%s %llu after value %llu, expected rising ones",
                             i + 1 == last ? "threshold" : "value",
                             (unsigned long long)ink__load_u64(payload + (i + 1) * WORD),
                             (unsigned long long)value);
    }
    return INK_OK;
}

/* ---- The payload -------------------------------------------------------------------------- */

static uint64_t theta_scratch_bytes(const ink_sketch *sketch)
{
    const theta *t = (const theta *)sketch;

    return t->view != NULL ? 0 : (smaller(t->count, values_max(t->precision)) + 1) * WORD;
}

static const uint8_t *theta_payload(const ink_sketch *sketch, uint8_t *scratch)
{
    const theta *t = (const theta *)sketch;

    if (t->view != NULL)
        return t->view;
    const sample of = sample_of(t);
    uint64_t    *values = (uint64_t *)(void *)scratch, found = 0;
    for (uint64_t i = 0; i < t->slot_count && found < of.count; i++)
        if (t->slots[i] < of.threshold)
            values[found++] = t->slots[i];
    ink__sort_u64_in_place(values, (size_t)found, 64 - ink__leading_zeros_64(of.threshold));
    values[found] = of.threshold;
    for (uint64_t i = 0; i <= found; i++)
        ink__store_u64(scratch + i * WORD, values[i]);
    return scratch;
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Most keys are above the threshold: they are dropped before the table is read. */
static void theta_add(ink_sketch *sketch, const ink__keys *keys)
{
    theta         *t = (theta *)sketch;
    const uint64_t cut_at = 2 * values_max(t->precision);
    uint64_t       picked[INK__HASH_BATCH];

    for (size_t done = 0, few; done < keys->count; done += INK__HASH_BATCH) {
        size_t count = keys->count - done < INK__HASH_BATCH ? keys->count - done : INK__HASH_BATCH;
        few = sketch->kernels->pick_below(keys->hashes + done, count, 2 * t->threshold, picked);
        for (size_t i = 0; i < few; i++)
            add_value(t, picked[i] >> 1, cut_at);
    }
}

static void theta_fetch(const ink_sketch *sketch, const uint64_t *hashes, size_t count,
                        ink__fetch how)
{
    const theta *t = (const theta *)sketch;

    (void)how;
    for (size_t i = 0; t->slot_count != 0 && i < count; i++)
        __builtin_prefetch(t->slots + (hashes[i] >> 1 & (t->slot_count - 1)), 1, 3);
}

/* ---- Combining ---------------------------------------------------------------------------- */

/* Adds values of another sketch: of a view the values `first` to `end`, of a table all. */
static void add_values(theta *a, const theta *b, uint64_t first, uint64_t end, uint64_t cut_at)
{
    uint64_t picked[INK__HASH_BATCH];

    for (uint64_t i = first; b->view != NULL && i < smaller(end, b->count); i++) {
        uint64_t value = viewed(b, i);
        if (value >= a->threshold) /* and all after it */
            return;
        add_value(a, value, cut_at);
    }
    for (uint64_t done = 0; first == 0 && done < b->slot_count; done += INK__HASH_BATCH) {
        size_t count = (size_t)smaller(b->slot_count - done, INK__HASH_BATCH);
        size_t few = a->base.kernels->pick_below(b->slots + done, count, a->threshold, picked);
        for (size_t i = 0; i < few; i++)
            add_value(a, picked[i], cut_at);
    }
}

/* Whether two views have the same values `first` to `end`, which the second one has. */
static bool are_equal(const theta *a, const theta *b, uint64_t first, uint64_t end)
{
    return a->view != NULL && b->view != NULL && first < end && a->count >= end &&
           memcmp(a->view + first * WORD, b->view + first * WORD, (size_t)((end - first) * WORD)) ==
               0;
}

/* In rounds: the first values of every view, then as many again, and so on. The smallest values of
 * all lower the threshold at once, and most others are never read. Views with the same values are
 * compared, not looked up. */
static ink_status theta_merge_all(ink_sketch *into, const ink_sketch *const *from, size_t count,
                                  ink_error *error)
{
    theta   *a = (theta *)into;
    uint32_t precision = a->precision;
    uint64_t threshold = a->threshold, values = a->count, longest = 1;

    for (size_t i = 0; i < count; i++) {
        const theta *b = (const theta *)from[i];
        precision = b->precision < precision ? b->precision : precision;
        threshold = smaller(threshold, b->view != NULL ? sample_of(b).threshold : b->threshold);
        longest = b->count > longest ? b->count : longest;
        values = ink__add_saturating(values, b->count);
    }
    INK__TRY(make_room(a, values, precision, error));
    const uint64_t cut_at = 2 * values_max(precision);
    a->precision = precision;
    if (threshold < a->threshold)
        keep(a, threshold, NULL, false);
    if (a->count >= cut_at)
        cut(a);
    for (uint64_t first = 0, end = cut_at / (count + 1) + 1; first < longest; first = end, end *= 2)
        for (size_t i = 0; i < count; i++) {
            const theta *b = (const theta *)from[i];
            if (i == 0 || !are_equal((const theta *)from[i - 1], b, first, smaller(end, b->count)))
                add_values(a, b, first, end, cut_at);
        }
    return INK_OK;
}

static ink_status theta_merge(ink_sketch *into, const ink_sketch *from,
                              const ink_merge_options *options, ink_error *error)
{
    (void)options;
    return theta_merge_all(into, &from, 1, error);
}

static bool is_empty(sample of)
{
    return of.count == 0 && of.threshold == ALL;
}

static ink_status theta_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    theta       *a = (theta *)into;
    const theta *b = (const theta *)from;

    (void)error;
    cut(a);
    const sample of_a = sample_of(a), of_b = sample_of(b);
    keep(a, is_empty(of_a) || is_empty(of_b) ? 0 : smaller(of_a.threshold, of_b.threshold), b,
         true);
    if (a->threshold == 0) /* what has no keys shares none: that is certain */
        a->threshold = ALL;
    a->precision = a->precision < b->precision ? a->precision : b->precision;
    return INK_OK;
}

static ink_status theta_subtract(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    theta       *a = (theta *)into;
    const theta *b = (const theta *)from;

    (void)error;
    cut(a);
    const sample of_a = sample_of(a), of_b = sample_of(b);
    if (!is_empty(of_a))
        keep(a, smaller(of_a.threshold, of_b.threshold), b, false);
    return INK_OK;
}

static ink_status theta_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                             ink_error *error)
{
    theta *t = (theta *)sketch;

    t->precision = (uint32_t)shape->fields[FIELD_PRECISION];
    t->threshold = ALL;
    if (payload == NULL)
        return INK_OK;
    if (sketch->read_only) {
        t->view = payload;
        t->count = shape->payload_bytes / WORD - 1;
        return INK_OK;
    }
    const theta from = {
        .precision = t->precision, .view = payload, .count = shape->payload_bytes / WORD - 1};
    return theta_merge(sketch, &from.base, NULL, error);
}

/* ---- The estimate ------------------------------------------------------------------------- */

static void theta_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const sample of = sample_of((const theta *)sketch);

    ink__sampled_number(of.count, share_of(of.threshold), z, answer);
    ink__answer_limit(answer, (uint64_t)1 << 63); /* no more keys than there are values */
}

/* ---- Two of them -------------------------------------------------------------------------- */

/* How many values below a bound a sketch has. */
static uint64_t count_below(const theta *t, uint64_t bound)
{
    uint64_t count = 0;

    if (t->view != NULL)
        return viewed_below(t, bound);
    for (uint64_t i = 0; i < t->slot_count; i++)
        count += t->slots[i] < bound;
    return count;
}

/* How many of these both have. Two views are walked in order; else a table is asked. */
static uint64_t count_common(const theta *a, const theta *b, uint64_t bound)
{
    uint64_t common = 0;

    if (a->view == NULL && b->view == NULL) {
        for (uint64_t i = 0; i < a->slot_count; i++)
            common += a->slots[i] < bound && has(b, a->slots[i]);
        return common;
    }
    const theta *table = a->view == NULL ? a : b->view == NULL ? b : NULL;
    const theta *view = table == a ? b : a;
    for (uint64_t i = 0, j = 0; i < view->count && viewed(view, i) < bound; i++) {
        while (table == NULL && j < b->count && viewed(b, j) < viewed(view, i))
            j++;
        common += table != NULL ? has(table, viewed(view, i))
                                : j < b->count && viewed(b, j) == viewed(view, i);
    }
    return common;
}

/* All below one threshold: the values that both have are a sample of the intersection, and so on.
 * The union is not cut to k values: more of them are more precise. */
static void theta_overlap(const ink_sketch *one, const ink_sketch *other, double z,
                          ink_overlap *overlap)
{
    const theta   *a = (const theta *)one, *b = (const theta *)other;
    const sample   of_a = sample_of(a), of_b = sample_of(b);
    const bool     certain = is_empty(of_a) || is_empty(of_b);
    const uint64_t threshold = smaller(of_a.threshold, of_b.threshold);
    const double   share = share_of(threshold);
    const uint64_t in_a = count_below(a, threshold), in_b = count_below(b, threshold);
    const uint64_t common = smaller(count_common(a, b, threshold), smaller(in_a, in_b));
    const uint64_t in_any = in_a + in_b - common;

    overlap->method = "sampled";
    ink__sampled_number(of_a.count, share_of(of_a.threshold), z, &overlap->a);
    ink__sampled_number(of_b.count, share_of(of_b.threshold), z, &overlap->b);
    ink__sampled_number(in_any, share, z, &overlap->in_union);
    ink__sampled_number(in_a - common, is_empty(of_a) ? 1 : share, z, &overlap->only_a);
    ink__sampled_number(in_b - common, is_empty(of_b) ? 1 : share, z, &overlap->only_b);
    ink__sampled_number(common, certain ? 1 : share, z, &overlap->intersection);
    ink__sampled_ratio(common, in_any, certain ? 1 : share, 1, z, &overlap->jaccard);
    ink__sampled_ratio(common, in_a, certain ? 1 : share, 1, z, &overlap->a_in_b);
    ink__sampled_ratio(common, in_b, certain ? 1 : share, 1, z, &overlap->b_in_a);
}

const ink__kind ink__theta = {
    .name = "theta",
    .id = 9,
    .layout = 1,
    .takes = INK__TAKES_PRECISION,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_DISTINCT] = 3, [INK_ASK_OVERLAP] = 2},
    .order_free = true,
    .object_bytes = sizeof(theta),
    .position_rules =
        {[INK__SCHEME_HASH64] = INK__RULE_HALVED, [INK__SCHEME_THETA] = INK__RULE_HALVED},
    .plan = theta_plan,
    .check = theta_check,
    .check_payload = theta_check_payload,
    .describe = theta_describe,
    .load = theta_load,
    .release = theta_release,
    .memory = theta_memory,
    .shape = theta_shape,
    .scratch_bytes = theta_scratch_bytes,
    .payload = theta_payload,
    .reserve = theta_reserve,
    .add = theta_add,
    .fetch = theta_fetch,
    .merge = theta_merge,
    .merge_all = theta_merge_all,
    .intersect = theta_intersect,
    .subtract = theta_subtract,
    .distinct = theta_distinct,
    .overlap = theta_overlap,
};
