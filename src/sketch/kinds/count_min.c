/* count_min.c - how often did I see this key? Count-Min: `depth` rows of `width` counters; every
 * key has one counter in each row, raised by what is added, and the smallest of them is the answer,
 * which may be too high but never too low [Cormode, Muthukrishnan 2005]. With conservative update
 * only those counters rise that must [Estan, Varghese 2002].
 * Owns the counter matrix, in file order, row after row. */
#include "base/bits.h"
#include "base/real.h"
#include "base/size.h"
#include "base/status.h"
#include "base/tuning.h"
#include "sketch/kinds/foreign_positions.h"
#include "sketch/kinds/payload.h"
#include "sketch/kinds/shared.h"

#include <string.h>

#define EPSILON_DEFAULT 1e-4
#define DELTA_DEFAULT 0.01
#define WIDTH_MAX ((uint64_t)1 << 32)
#define BYTES_MAX ((uint64_t)1 << 40)
#define E 2.718281828459045
/* Each row mixes the hash with its own multiple of this. */
#define ROW_STEP 0x9e3779b97f4a7c15u

enum { DEPTH_MAX = 64 };
enum { FIELD_WIDTH, FIELD_DEPTH, FIELD_COUNTER_BITS, FIELD_CONSERVATIVE, FIELD_TOTAL, FIELDS };

typedef struct count_min {
    ink_sketch   base;
    ink__payload counters;
    uint64_t     width;
    uint32_t     depth;
    uint32_t     counter_bits;
    bool         conservative;
    uint64_t     total;              /* of all weights; stops at 2^64 - 1 */
    double       epsilon, delta;     /* that the size gives */
    uint32_t     factors[DEPTH_MAX]; /* of the rows, under Spark's rule (foreign_positions.h) */
} count_min;

INK__PAYLOAD_IS_SECOND(count_min, counters);

/* ---- Counters ----------------------------------------------------------------------------- */

static uint64_t counter_most(const count_min *c)
{
    return c->counter_bits == 64 ? UINT64_MAX : UINT32_MAX;
}

/* Loops over counters are compiled for 4 and for 8 bytes, each with a constant number. */
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))

FOR_EACH_WIDTH uint64_t load(const uint8_t *at, unsigned bytes)
{
    return bytes == 8 ? ink__load_u64(at) : ink__load_u32(at);
}

FOR_EACH_WIDTH void store(uint8_t *at, uint64_t value, unsigned bytes)
{
    if (bytes == 8)
        ink__store_u64(at, value);
    else
        ink__store_u32(at, (uint32_t)value);
}

static uint32_t counter_bytes(const count_min *c)
{
    return c->counter_bits / 8;
}

static uint64_t counter_at(const count_min *c, uint64_t index)
{
    return load(c->counters.data + index * counter_bytes(c), counter_bytes(c));
}

static bool is_native(const count_min *c)
{
    return c->base.rule.scheme == INK__SCHEME_HASH64;
}

/* The counter of a key in a row. */
static inline uint64_t position_of(const count_min *c, const ink__keys *keys, size_t key,
                                   uint32_t row)
{
    if (is_native(c))
        return ink__row_position(keys->hashes[key], row * ROW_STEP, c->width);
    if (c->base.rule.scheme == INK__SCHEME_REDISBLOOM_ROWS)
        return ink__redisbloom_position(keys, key, row, c->width);
    return ink__spark_position(&c->base.rule, keys->hashes[key], row, c->factors[row], c->width);
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static ink_status plan_by_error(const ink_params *params, uint64_t *width, uint64_t *depth,
                                ink_error *error)
{
    double epsilon = params->epsilon == 0 ? EPSILON_DEFAULT : params->epsilon;
    double delta = params->delta == 0 ? DELTA_DEFAULT : params->delta;

    if (!(epsilon >= E / (double)WIDTH_MAX && epsilon < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{epsilon} %g, expected at least %g and below 1", epsilon,
                         E / (double)WIDTH_MAX);
    if (!(delta >= 1e-27 && delta < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{delta} %g, expected at least 1e-27 and below 1", delta);
    *width = ink__whole_up(E / epsilon);
    *depth = ink__whole_up(-ink__ln(delta));
    return INK_OK;
}

static ink_status plan_by_hand(const ink_params *params, uint64_t *width, uint64_t *depth,
                               ink_error *error)
{
    *width = params->width;
    *depth = params->depth;
    if (params->epsilon != 0 || params->delta != 0)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "{width} and {depth} do not go together with {epsilon} and {delta}: they decide");
    if (*width == 0 || *depth == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{%s} without {%s}: give both for count-min, or neither",
                         *width == 0 ? "depth" : "width", *width == 0 ? "width" : "depth");
    if (*width > WIDTH_MAX || *depth > DEPTH_MAX)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "{width} %llu and {depth} %llu, expected 1 to 2^32 and 1 to %d for count-min",
            (unsigned long long)*width, (unsigned long long)*depth, DEPTH_MAX);
    return INK_OK;
}

static ink_status fail_conservative(ink_status status, ink_error *error)
{
    return ink__fail(error, status, INK_NOWHERE, 0,
                     "{conservative} and {concurrent}, expected one of them: which counters rise "
                     "depends on the order of keys");
}

static ink_status count_min_plan(const ink_params *params, const ink__key_rule *rule,
                                 ink__shape *shape, ink_error *error)
{
    uint64_t width = 0, depth = 0;
    uint32_t bits = params->counter_bits == 0 ? 32 : params->counter_bits;

    (void)rule;
    if (bits != 32 && bits != 64)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{counter_bits} %u, expected 32 or 64",
                         bits);
    if (params->width != 0 || params->depth != 0)
        INK__TRY(plan_by_hand(params, &width, &depth, error));
    else
        INK__TRY(plan_by_error(params, &width, &depth, error));
    if (params->conservative && params->concurrent != 0)
        return fail_conservative(INK_USAGE, error);
    shape->payload_bytes = width * depth * (bits / 8);
    if (shape->payload_bytes > BYTES_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%llu rows of %llu counters need %llu bytes, expected at most 2^40",
                         (unsigned long long)depth, (unsigned long long)width,
                         (unsigned long long)shape->payload_bytes);
    shape->fields[FIELD_WIDTH] = width;
    shape->fields[FIELD_DEPTH] = depth;
    shape->fields[FIELD_COUNTER_BITS] = bits;
    shape->fields[FIELD_CONSERVATIVE] = params->conservative;
    return INK_OK;
}

static ink_status count_min_check(const ink__shape *shape, const ink__key_rule *rule,
                                  ink_error *error)
{
    uint64_t width = shape->fields[FIELD_WIDTH], depth = shape->fields[FIELD_DEPTH];
    uint64_t bits = shape->fields[FIELD_COUNTER_BITS];

    (void)rule;
    if (width == 0 || width > WIDTH_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_WIDTH,
                         "%llu counters in a row, expected 1 to 2^32", (unsigned long long)width);
    if (depth == 0 || depth > DEPTH_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_DEPTH,
                         "%llu rows, expected 1 to %d", (unsigned long long)depth, DEPTH_MAX);
    if (bits != 32 && bits != 64)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_COUNTER_BITS,
                         "counters of %llu bits, expected 32 or 64", (unsigned long long)bits);
    if (shape->fields[FIELD_CONSERVATIVE] > 1)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_CONSERVATIVE,
                         "conservative is %llu, expected 0 or 1",
                         (unsigned long long)shape->fields[FIELD_CONSERVATIVE]);
    if (shape->payload_bytes > BYTES_MAX || shape->payload_bytes != width * depth * (bits / 8))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "a count-min of %llu bytes, expected %llu, at most 2^40",
                         (unsigned long long)shape->payload_bytes,
                         (unsigned long long)(width * depth * (bits / 8)));
    return INK_OK;
}

static void count_min_describe(const ink__shape *shape, ink_description *description)
{
    description->width = shape->fields[FIELD_WIDTH];
    description->depth = (uint32_t)shape->fields[FIELD_DEPTH];
    description->counter_bits = (uint32_t)shape->fields[FIELD_COUNTER_BITS];
    description->conservative = shape->fields[FIELD_CONSERVATIVE] != 0;
    description->total = shape->fields[FIELD_TOTAL];
    description->epsilon = E / (double)description->width;
    description->delta = shape->error != 0 ? shape->error : ink__exp(-(double)description->depth);
    description->order_free = !description->conservative;
}

static ink_status count_min_load(ink_sketch *sketch, const ink__shape *shape,
                                 const uint8_t *payload, ink_error *error)
{
    count_min *c = (count_min *)sketch;

    c->width = shape->fields[FIELD_WIDTH];
    c->depth = (uint32_t)shape->fields[FIELD_DEPTH];
    c->counter_bits = (uint32_t)shape->fields[FIELD_COUNTER_BITS];
    c->conservative = shape->fields[FIELD_CONSERVATIVE] != 0;
    c->total = shape->fields[FIELD_TOTAL];
    c->epsilon = E / (double)c->width;
    c->delta = ink__exp(-(double)c->depth);
    ink__spark_factors(sketch->rule.seed, c->factors,
                       c->base.rule.scheme == INK__SCHEME_SPARK_ROWS ? c->depth : 0);
    return ink__payload_start(sketch, shape->payload_bytes, payload, error);
}

static void count_min_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const count_min *c = (const count_min *)sketch;

    shape->fields[FIELD_WIDTH] = c->width;
    shape->fields[FIELD_DEPTH] = c->depth;
    shape->fields[FIELD_COUNTER_BITS] = c->counter_bits;
    shape->fields[FIELD_CONSERVATIVE] = c->conservative;
    shape->fields[FIELD_TOTAL] = c->total;
    shape->payload_bytes = c->width * c->depth * (c->counter_bits / 8);
    shape->error = c->delta;
}

/* ---- Positions ---------------------------------------------------------------------------- */

enum { WINDOW = 32, WINDOW_LARGE = 16 };

/* Where the counters of some keys are, row by row. */
typedef struct positions {
    size_t   first, count; /* the keys */
    uint64_t at[DEPTH_MAX][WINDOW];
} positions;

/* A walk over keys, window by window. If the matrix is larger than the second-level cache, the
 * positions of the next window are known while one is processed, to be prefetched. */
typedef struct walk {
    const count_min *c;
    const ink__keys *keys;
    bool             large;
    size_t           window, windows;
    positions        found[2];
} walk;

/* The positions of some keys in a row, under the rule of another system. */
static __attribute__((noinline)) void find_foreign(const count_min *c, const ink__keys *keys,
                                                   size_t first, size_t count, uint32_t row,
                                                   uint64_t *at)
{
    for (size_t i = 0; i < count; i++)
        at[i] = position_of(c, keys, first + i, row);
}

static void find_positions(walk *w, size_t window)
{
    const count_min *c = w->c;
    positions       *now = &w->found[window % 2];
    size_t           first = window * w->window;
    size_t           left = first < w->keys->count ? w->keys->count - first : 0;

    now->first = first;
    now->count = left < w->window ? left : w->window;
    for (uint32_t row = 0; row < c->depth && now->count > 0; row++) {
        if (is_native(c))
            c->base.kernels->row_positions(w->keys->hashes + first, now->count, row * ROW_STEP,
                                           c->width, now->at[row]);
        else
            find_foreign(c, w->keys, first, now->count, row, now->at[row]);
        for (size_t i = now->count; i < w->window; i++)
            now->at[row][i] = 0; /* may be fetched, and is never used */
    }
}

/* Whether the matrix is larger than the second-level cache. */
static bool is_large(const count_min *c)
{
    return c->width * c->depth * counter_bytes(c) > ink__tuning_now().l2_bytes;
}

static void start_walk(walk *w, const count_min *c, const ink__keys *keys)
{
    w->c = c;
    w->keys = keys;
    w->large = is_large(c);
    w->window = w->large ? WINDOW_LARGE : WINDOW;
    w->windows = 0;
    if (w->large)
        find_positions(w, 0);
}

/* The next window, or NULL; *next is the one after it if that is to be prefetched, or NULL. */
static const positions *next_window(walk *w, const positions **next)
{
    size_t window = w->windows++;

    if (window * w->window >= w->keys->count)
        return NULL;
    find_positions(w, w->large ? window + 1 : window);
    *next = w->large && w->found[(window + 1) % 2].count > 0 ? &w->found[(window + 1) % 2] : NULL;
    return &w->found[window % 2];
}

/* Where a row begins. */
static uint64_t row_at(const count_min *c, uint32_t row)
{
    return row * c->width * counter_bytes(c);
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Adds 1 to counters of a row that are not at their largest value. */
FOR_EACH_WIDTH void raise_row(uint8_t *row, const uint64_t *at, const uint64_t *next, size_t count,
                              unsigned bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = load(row + bytes * at[i], bytes);
        if (next != NULL)
            __builtin_prefetch(row + bytes * next[i], 1, 3);
        store(row + bytes * at[i],
              bytes == 8 ? value + (value < UINT64_MAX) : value + (value < UINT32_MAX), bytes);
    }
}

/* Adds to counters of a row, saturating. A sum below what was added has wrapped. */
FOR_EACH_WIDTH void add_row(uint8_t *row, const uint64_t *at, const uint64_t *next, size_t count,
                            const uint64_t *weights, unsigned bytes)
{
    const uint64_t most = bytes == 8 ? UINT64_MAX : UINT32_MAX;

    if (weights == NULL) {
        raise_row(row, at, next, count, bytes);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t added = weights[i] > most ? most : weights[i];
        uint64_t sum = (load(row + bytes * at[i], bytes) + added) & most;
        if (next != NULL)
            __builtin_prefetch(row + bytes * next[i], 1, 3);
        store(row + bytes * at[i], sum | (0 - (uint64_t)(sum < added)), bytes);
    }
}

static void add_plain(count_min *c, const positions *now, const positions *next,
                      const uint64_t *weights)
{
    for (uint32_t row = 0; row < c->depth; row++) {
        uint8_t        *counters = c->counters.block.data + row_at(c, row);
        const uint64_t *soon = next == NULL ? NULL : next->at[row];
        if (c->counter_bits == 64)
            add_row(counters, now->at[row], soon, now->count, weights, 8);
        else
            add_row(counters, now->at[row], soon, now->count, weights, 4);
    }
}

static void fetch(const count_min *c, const positions *next)
{
    for (uint32_t row = 0; next != NULL && row < c->depth; row++)
        for (size_t i = 0; i < next->count; i++)
            __builtin_prefetch(
                c->counters.data + row_at(c, row) + next->at[row][i] * counter_bytes(c), 1, 3);
}

FOR_EACH_WIDTH uint64_t least_of(const count_min *c, const positions *now, size_t i, unsigned bytes)
{
    const uint8_t *counters = c->counters.data;
    uint64_t       least = UINT64_MAX;

    for (uint32_t row = 0; row < c->depth; row++, counters += bytes * c->width) {
        uint64_t value = load(counters + bytes * now->at[row][i], bytes);
        least = value < least ? value : least;
    }
    return least;
}

/* Key by key: which counters rise depends on the keys before. All are written, since a branch would
 * be mispredicted. */
FOR_EACH_WIDTH void add_conservative(count_min *c, const positions *now, const uint64_t *weights,
                                     unsigned bytes)
{
    const uint64_t most = counter_most(c);

    for (size_t i = 0; i < now->count; i++) {
        uint64_t sum =
            ink__add_saturating(least_of(c, now, i, bytes), weights == NULL ? 1 : weights[i]);
        uint64_t raised = sum > most ? most : sum;
        uint8_t *counters = c->counters.block.data;
        for (uint32_t row = 0; row < c->depth; row++, counters += bytes * c->width) {
            uint8_t *at = counters + bytes * now->at[row][i];
            uint64_t value = load(at, bytes);
            store(at, value < raised ? raised : value, bytes);
        }
    }
}

static void add_windows(count_min *c, const ink__keys *keys)
{
    const positions *now, *next;
    walk             w;

    start_walk(&w, c, keys);
    while ((now = next_window(&w, &next)) != NULL) {
        const uint64_t *weights = keys->weights == NULL ? NULL : keys->weights + now->first;
        if (c->conservative)
            fetch(c, next);
        if (!c->conservative)
            add_plain(c, now, next, weights);
        else if (c->counter_bits == 64)
            add_conservative(c, now, weights, 8);
        else
            add_conservative(c, now, weights, 4);
    }
}

/* One key alone: a window takes several times as long. */
FOR_EACH_WIDTH uint64_t least_of_one(const count_min *c, uint64_t hash, unsigned bytes)
{
    const uint8_t *row = c->counters.data;
    uint64_t       least = UINT64_MAX, added = 0;

    for (uint32_t i = 0; i < c->depth; i++, added += ROW_STEP, row += bytes * c->width) {
        uint64_t value = load(row + bytes * ink__row_position(hash, added, c->width), bytes);
        least = value < least ? value : least;
    }
    return least;
}

FOR_EACH_WIDTH void add_one(count_min *c, uint64_t hash, const uint64_t *weight, unsigned bytes)
{
    uint8_t *row = c->counters.block.data;
    uint64_t added = 0;

    for (uint32_t i = 0; i < c->depth; i++, added += ROW_STEP, row += bytes * c->width) {
        uint64_t at = ink__row_position(hash, added, c->width);
        add_row(row, &at, NULL, 1, weight, bytes);
    }
}

static void count_min_add(ink_sketch *sketch, const ink__keys *keys)
{
    count_min *c = (count_min *)sketch;

    if (keys->count != 1 || c->conservative || !is_native(c))
        add_windows(c, keys);
    else if (c->counter_bits == 64)
        add_one(c, keys->hashes[0], keys->weights, 8);
    else
        add_one(c, keys->hashes[0], keys->weights, 4);
    if (keys->weights == NULL)
        c->total = ink__add_saturating(c->total, keys->count);
    for (size_t i = 0; keys->weights != NULL && i < keys->count; i++)
        c->total = ink__add_saturating(c->total, keys->weights[i]);
}

static void count_min_fetch(const ink_sketch *sketch, const uint64_t *hashes, size_t count,
                            ink__fetch how)
{
    const count_min *c = (const count_min *)sketch;
    const ink__keys  keys = {.count = count, .hashes = hashes};
    const uint64_t   bytes = c->width * c->depth * counter_bytes(c);

    (void)how;
    if (count * c->depth >= 2 * (bytes / INK__LINE_BYTES)) { /* most lines */
        for (uint64_t at = 0; at < bytes; at += INK__LINE_BYTES)
            __builtin_prefetch(c->counters.data + at, 1, 3);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t row = 0; row < c->depth; row++) {
            uint64_t at = position_of(c, &keys, i, row);
            __builtin_prefetch(c->counters.data + counter_bytes(c) * (row * c->width + at), 1, 3);
        }
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* How much too high a count may be, except with chance e^-depth; a saturated total has no bound. */
static double error_of(const count_min *c, uint64_t total)
{
    return total == UINT64_MAX ? 0x1p200 : c->epsilon * (double)total;
}

/* What all answers have in common, computed once. */
typedef struct counts {
    uint64_t    most, total;
    double      error, confidence;
    ink_answer *answers; /* of all keys */
} counts;

/* A counter has the count of the key and of others, so the smallest is the upper bound; Markov's
 * inequality, once for each row, gives the lower one. Written field by field: building an answer
 * and copying it takes twice as long. */
static inline void answer_least(const counts *of, size_t key, uint64_t least, double estimate)
{
    ink_answer *answer = &of->answers[key];
    double      low = estimate - of->error;

    answer->estimate = estimate;
    answer->low = low > 0 ? low : 0;
    answer->high = estimate;
    answer->confidence = of->confidence;
    answer->saturated = least == of->most;
    if (least == of->most && of->total > least)
        answer->high = ink__real_up(of->total); /* no key has more than all */
}

/* The answers of keys from number `first` on. */
static void answer_32(const count_min *c, const counts *of, size_t first, const uint32_t *least,
                      size_t count)
{
    const ink__kernels *kernels = c->base.kernels;

    if (kernels->answer_counts != NULL &&
        kernels->answer_counts(least, count, of->error, of->confidence, of->answers + first) <
            of->most)
        return;
    for (size_t i = 0; i < count; i++)
        answer_least(of, first + i, least[i], (double)least[i]);
}

/* least[i] becomes the counter at at[i] of a row if that is smaller. */
static void least_of_row(const uint8_t *row, const uint64_t *at, const uint64_t *next, size_t count,
                         uint32_t *least)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value = ink__load_u32(row + 4 * at[i]);
        if (next != NULL)
            __builtin_prefetch(row + 4 * next[i], 0, 3);
        least[i] = value < least[i] ? value : least[i];
    }
}

static void count_32(const count_min *c, counts of, const positions *now, const positions *next)
{
    uint32_t least[WINDOW];

    memset(least, 0xff, sizeof least);
    for (uint32_t row = 0; row < c->depth; row++)
        least_of_row(c->counters.data + row_at(c, row), now->at[row],
                     next == NULL ? NULL : next->at[row], now->count, least);
    answer_32(c, &of, now->first, least, now->count);
}

/* The same for all keys, with a kernel that reads all rows. */
static void count_32_together(const count_min *c, counts of, const ink__keys *keys)
{
    enum { SOME = 64 };
    const ink__kernels *kernels = c->base.kernels;
    uint32_t            least[SOME];

    for (size_t first = 0; first < keys->count; first += SOME) {
        size_t count = keys->count - first < SOME ? keys->count - first : SOME;
        kernels->rows_least(c->counters.data, c->width, c->depth, ROW_STEP, keys->hashes + first,
                            count, least);
        answer_32(c, &of, first, least, count);
    }
}

static void count_64(const count_min *c, counts of, const positions *now, const positions *next)
{
    fetch(c, next);
    for (size_t i = 0; i < now->count; i++) {
        uint64_t least = least_of(c, now, i, 8);
        answer_least(&of, now->first + i, least, ink__real_up(least));
    }
}

static void count_windows(const count_min *c, counts of, const ink__keys *keys)
{
    const positions *now, *next;
    walk             w;

    start_walk(&w, c, keys);
    while ((now = next_window(&w, &next)) != NULL) {
        if (c->counter_bits == 64)
            count_64(c, of, now, next);
        else
            count_32(c, of, now, next);
    }
}

static void count_min_count(const ink_sketch *sketch, const ink__keys *keys, ink_answer *answers)
{
    const count_min *c = (const count_min *)sketch;
    const counts     of = {counter_most(c), c->total, error_of(c, c->total), 1 - c->delta, answers};
    const ink__kernels *kernels = c->base.kernels;

    if (keys->count == 1 && is_native(c)) {
        uint64_t least = c->counter_bits == 64 ? least_of_one(c, keys->hashes[0], 8)
                                               : least_of_one(c, keys->hashes[0], 4);
        answer_least(&of, 0, least, ink__real_up(least));
    } else if (c->counter_bits == 32 && is_native(c) && kernels->rows_least != NULL &&
               !(kernels->rows_least_near && is_large(c)))
        count_32_together(c, of, keys);
    else
        count_windows(c, of, keys);
}

/* The inner product of two rows, exact up to the last rounding; *full: of a saturated counter. */
static double dot_of_row(const count_min *a, const count_min *b, uint32_t row, bool *full)
{
    uint64_t most = counter_most(a), low = 0, middle = 0, high = 0; /* 64 bits each */

    *full = false;
    for (uint64_t i = row * a->width; i < (row + 1) * a->width; i++) {
        uint64_t left = counter_at(a, i), right = counter_at(b, i), product = left * right;
        uint64_t carried = ink__multiply_high(left, right); /* below 2^64 - 1 */
        low += product;
        carried += low < product;
        middle += carried;
        high += middle < carried;
        *full |= (left == most && right != 0) || (right == most && left != 0);
    }
    return ((double)high * 0x1p64 + (double)middle) * 0x1p64 + (double)low;
}

static ink_status check_sizes(const count_min *a, const count_min *b, ink_error *error)
{
    if (a->width != b->width || a->depth != b->depth || a->counter_bits != b->counter_bits)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "sizes differ: %u rows of %llu counters of %u bits, and %u of %llu of %u",
                         a->depth, (unsigned long long)a->width, a->counter_bits, b->depth,
                         (unsigned long long)b->width, b->counter_bits);
    return INK_OK;
}

static ink_status count_min_dot(const ink_sketch *of_a, const ink_sketch *of_b, ink_answer *answer,
                                ink_error *error)
{
    const count_min *a = (const count_min *)of_a, *b = (const count_min *)of_b;
    const double     most = 0x1p192; /* more than any two sketches can hold */
    double           least = most, least_full = most;

    if (a->conservative || b->conservative)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "conservative counters do not add up to an inner product: build both "
                         "count-mins without {conservative}");
    INK__TRY(check_sizes(a, b, error));
    /* A row without saturated counters is an upper bound; the sum of another is too low, and serves
     * for the lower bound only. */
    for (uint32_t row = 0; row < a->depth; row++) {
        bool   full;
        double sum = dot_of_row(a, b, row, &full);
        if (full)
            least_full = sum < least_full ? sum : least_full;
        else
            least = sum < least ? sum : least;
    }
    double lowest = least_full < least ? least_full : least;
    double low =
        lowest - error_of(a, a->total) * (b->total == UINT64_MAX ? 0x1p200 : (double)b->total);
    answer->estimate = answer->high = least < most ? least : lowest;
    answer->low = low > 0 ? low : 0;
    answer->confidence = 1 - a->delta;
    answer->saturated = least == most;
    if (answer->saturated) { /* at most every key of one met every key of the other */
        double all = ink__real_up(a->total) * ink__real_up(b->total) * (1 + 0x1p-52);
        bool   stopped = a->total == UINT64_MAX || b->total == UINT64_MAX;
        answer->high = stopped || all < answer->estimate ? most : all;
    }
    return INK_OK;
}

/* ---- Combining ---------------------------------------------------------------------------- */

static uint32_t count_min_unit(const ink__shape *shape)
{
    return (uint32_t)shape->fields[FIELD_COUNTER_BITS] / 8;
}

/* Saturating sums of counters. */
static void count_min_merge_slice(const ink__kernels *kernels, const ink__shape *shape,
                                  uint8_t *into, const uint8_t *from, size_t bytes)
{
    if (shape->fields[FIELD_COUNTER_BITS] == 64)
        kernels->add_u64(into, from, bytes / 8);
    else
        kernels->add_u32(into, from, bytes / 4);
}

static void count_min_merge_totals(ink_sketch *into, const ink_sketch *from)
{
    count_min *a = (count_min *)into;

    a->total = ink__add_saturating(a->total, ((const count_min *)from)->total);
}

static ink_status count_min_merge(ink_sketch *into, const ink_sketch *from,
                                  const ink_merge_options *options, ink_error *error)
{
    count_min       *a = (count_min *)into;
    const count_min *b = (const count_min *)from;
    ink__shape       shape = ink__shape_of(into);

    (void)options;
    INK__TRY(check_sizes(a, b, error));
    if (a->conservative != b->conservative)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "one count-min is conservative and the other is not");
    count_min_merge_slice(into->kernels, &shape, a->counters.block.data, b->counters.data,
                          (size_t)shape.payload_bytes);
    count_min_merge_totals(into, from);
    return INK_OK;
}

/* ---- Several writers ---------------------------------------------------------------------- */

static ink_status shared_share(ink_sketch *sketch, ink_error *error)
{
    return ((const count_min *)sketch)->conservative ? fail_conservative(INK_UNSUPPORTED, error)
                                                     : INK_OK;
}

static void shared_add_row(uint8_t *row, const positions *now, const positions *next,
                           uint32_t number, const uint64_t *weights, uint32_t bytes)
{
    for (size_t i = 0; i < now->count; i++) {
        uint8_t *at = row + bytes * now->at[number][i];
        uint64_t added = weights == NULL ? 1 : weights[i];
        if (next != NULL)
            __builtin_prefetch(row + bytes * next->at[number][i], 1, 3);
        if (bytes == 8)
            ink__shared_add_u64(at, added);
        else
            ink__shared_add_u32(at, added);
    }
}

/* The total rises before any counter, and is read after them: no count is above it. */
static void shared_add(ink_sketch *sketch, const ink__keys *keys)
{
    const count_min *c = (const count_min *)sketch;
    uint64_t         sum = keys->weights == NULL ? keys->count : 0;
    const positions *now, *next;
    walk             w;

    for (size_t i = 0; keys->weights != NULL && i < keys->count; i++)
        sum = ink__add_saturating(sum, keys->weights[i]);
    ink__shared_add_u64(ink__tally_here(sketch)->total, sum);
    start_walk(&w, c, keys);
    while ((now = next_window(&w, &next)) != NULL)
        for (uint32_t row = 0; row < c->depth; row++)
            shared_add_row(c->counters.block.data + row_at(c, row), now, next, row,
                           keys->weights == NULL ? NULL : keys->weights + now->first,
                           counter_bytes(c));
}

static void shared_count(const ink_sketch *sketch, const ink__keys *keys, ink_answer *answers)
{
    enum { SOME = 64 };
    const count_min *c = (const count_min *)sketch;
    const uint32_t   bytes = counter_bytes(c);
    uint64_t         least[SOME];
    size_t           some;

    for (size_t first = 0; first < keys->count; first += some) {
        some = keys->count - first < SOME ? keys->count - first : SOME;
        for (size_t i = 0; i < some; i++) {
            least[i] = UINT64_MAX;
            for (uint32_t row = 0; row < c->depth; row++) {
                const uint8_t *at = c->counters.data + row_at(c, row) +
                                    bytes * position_of(c, keys, first + i, row);
                uint64_t value = bytes == 8 ? ink__shared_load_u64(at) : ink__shared_load_u32(at);
                least[i] = value < least[i] ? value : least[i];
            }
        }
        const uint64_t total = ink__tallied_total(sketch, c->total);
        const counts   of = {counter_most(c), total, error_of(c, total), 1 - c->delta, answers};
        for (size_t i = 0; i < some; i++)
            answer_least(&of, first + i, least[i], ink__real_up(least[i]));
    }
}

static void shared_shape(const ink_sketch *sketch, ink__shape *shape)
{
    count_min_shape(sketch, shape);
    shape->fields[FIELD_TOTAL] = ink__tallied_total(sketch, ((const count_min *)sketch)->total);
}

static ink_status shared_snapshot(const ink_sketch *sketch, ink_sketch *into, ink_error *error)
{
    const count_min *from = (const count_min *)sketch;
    count_min       *to = (count_min *)into;

    (void)error;
    ink__shared_copy(to->counters.block.data, from->counters.data,
                     from->width * from->depth * counter_bytes(from), counter_bytes(from));
    to->total = ink__tallied_total(sketch, from->total);
    return INK_OK;
}

static const ink__kind shared = {
    .name = "count-min",
    .id = 5,
    .plain = &ink__count_min,
    .order_free = true,
    .counts = true,
    .totals = true,
    .object_bytes = sizeof(count_min),
    .added_up = 1u << FIELD_TOTAL,
    .field_count = FIELDS,
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .share = shared_share,
    .shape = shared_shape,
    .add = shared_add,
    .count = shared_count,
    .fetch = count_min_fetch,
    .snapshot = shared_snapshot,
};

const ink__kind ink__count_min = {
    .name = "count-min",
    .id = 5,
    .layout = 1,
    .takes = INK__TAKES_ERROR | INK__TAKES_WIDTH | INK__TAKES_COUNTERS | INK__TAKES_WRITERS,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_COUNT] = 3, [INK_ASK_DOT] = 1},
    .order_free = true,
    .fixed_size = true,
    .counts = true,
    .totals = true,
    .added_up = 1u << FIELD_TOTAL,
    .object_bytes = sizeof(count_min),
    .shared = &shared,
    .position_rules = {[INK__SCHEME_HASH64] = INK__RULE_ROWS,
                       [INK__SCHEME_SPARK_ROWS] = INK__RULE_SPARK_ROWS,
                       [INK__SCHEME_REDISBLOOM_ROWS] = INK__RULE_REDISBLOOM_ROWS},
    .plan = count_min_plan,
    .check = count_min_check,
    .describe = count_min_describe,
    .load = count_min_load,
    .take = ink__payload_take,
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .shape = count_min_shape,
    .payload = ink__payload_in_place,
    .add = count_min_add,
    .fetch = count_min_fetch,
    .count = count_min_count,
    .merge = count_min_merge,
    .merge_slice = count_min_merge_slice,
    .merge_totals = count_min_merge_totals,
    .unit = count_min_unit,
    .dot = count_min_dot,
};
