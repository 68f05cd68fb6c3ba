/* ask.c - the public calls that ask one sketch: membership, counts, the most frequent keys,
 * distinct keys, inner products, overlaps, rates. */
#include "base/real.h"
#include "base/sort.h"
#include "base/status.h"
#include "sketch/batch.h"
#include "sketch/internal.h"
#include "sketch/kinds/membership.h"
#include "sketch/sketch.h"

#include <string.h>

/* Whether a sketch can answer for such a batch; a question has no weights. */
static ink_status check_question(const ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    INK__TRY(ink__batch_check(sketch, batch, error));
    if (batch->weights != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "weights in a question");
    return INK_OK;
}

/* ---- Membership --------------------------------------------------------------------------- */

ink_status ink_sketch_contains_batch(const ink_sketch *sketch, const ink_batch *batch,
                                     uint8_t *answers, ink_error *error)
{
    const ink__keys *keys;
    ink__walk        walk;

    if (sketch->kind->contains == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot tell whether a key was added", sketch->kind->name);
    INK__TRY(check_question(sketch, batch, error));
    if (ink__sorted_questions_pay(sketch, batch) &&
        ink__sorted_questions(sketch, batch, answers) == INK_OK)
        return INK_OK;
    ink__walk_start(&walk, sketch, batch, false);
    while ((keys = ink__walk_next(&walk)) != NULL)
        sketch->kind->contains(sketch, keys, answers + walk.first);
    return INK_OK;
}

bool ink__sketch_is_fixed_filter(const ink_sketch *sketch)
{
    return sketch->kind->filter_rules != NULL;
}

bool ink__sketch_is_view(const ink_sketch *sketch)
{
    return sketch->read_only;
}

void ink__sketch_raise_promise(ink_sketch *sketch, double max_rate)
{
    if (ink__sketch_is_fixed_filter(sketch))
        ink__promise_raise(&((ink__filter *)sketch)->promise,
                           &(ink_merge_options){.max_rate = max_rate});
}

bool ink__sketch_overfull(const ink_sketch *sketch, double max_rate, ink__excess *excess)
{
    if (!ink__sketch_is_fixed_filter(sketch))
        return false;
    ink__filter_size of = ink__filter_size_of((const ink__filter *)sketch);

    excess->limit = max_rate != 0 ? max_rate : of.promise.promised;
    if (excess->limit == 0 || excess->limit == 1)
        return false;
    if (max_rate == 0 && sketch->records > 0 && sketch->records <= of.promise.expected_keys)
        return false; /* no more different keys than planned: the bits need not be read */
    excess->rate = sketch->kind->rate(sketch);
    if (ink__filter_holds(&of, max_rate, excess->rate))
        return false;
    excess->keys = ink__filter_needs(&of, excess->rate, sketch->records);
    return true;
}

ink_status ink_sketch_rate(const ink_sketch *sketch, double *rate, ink_error *error)
{
    ink__held held;

    if (sketch->kind->contains == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s is no filter: it has no false-positive rate", sketch->kind->name);
    INK__TRY(ink__hold(&held, sketch, error));
    *rate = held.sketch->kind->rate(held.sketch);
    ink__let_go(&held);
    return INK_OK;
}

/* ---- Counts ------------------------------------------------------------------------------- */

static ink_status check_counted(const ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    if (sketch->kind->count == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot tell how often a key was added", sketch->kind->name);
    return check_question(sketch, batch, error);
}

ink_status ink_sketch_count_batch(const ink_sketch *sketch, const ink_batch *batch,
                                  ink_answer *answers, ink_error *error)
{
    const ink__keys *keys;
    ink__walk        walk;

    INK__TRY(check_counted(sketch, batch, error));
    ink__walk_start(&walk, sketch, batch, false);
    while ((keys = ink__walk_next(&walk)) != NULL)
        sketch->kind->count(sketch, keys, answers + walk.first);
    return INK_OK;
}

/* The most that a key with at most 1/k of the total has. A total that has saturated is a lower
 * bound, so nothing is surely above. */
typedef struct share {
    uint64_t most, missed;
    double   maybe_above, surely_above;
} share;

static ink_status share_of_total(const ink_sketch *sketch, uint64_t k, share *of, ink_error *error)
{
    ink_description description;

    if (k == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{k} 0, expected 1 or more");
    ink_sketch_describe(sketch, &description);
    of->most = description.total / k;
    of->missed = description.missed;
    of->maybe_above = ink__real_down(of->most);
    of->surely_above = description.total == UINT64_MAX ? 0x1p200 : ink__real_up(of->most);
    return INK_OK;
}

ink_status ink_sketch_over_batch(const ink_sketch *sketch, const ink_batch *batch, uint64_t k,
                                 uint8_t *answers, ink_error *error)
{
    uint64_t   hashes[INK__HASH_BATCH];
    ink_answer counts[INK__HASH_BATCH];
    ink__keys  keys;
    share      of = {0};
    ink__held  held;

    INK__TRY(check_counted(sketch, batch, error));
    if (!sketch->kind->totals)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s keeps no total: it knows no shares", sketch->kind->name);
    INK__TRY(ink__hold(&held, sketch, error));
    sketch = held.sketch;
    ink_status status = share_of_total(sketch, k, &of, error);
    for (size_t first = 0; first < batch->count && status == INK_OK; first += keys.count) {
        keys = ink__batch_part(sketch, batch, first, hashes);
        if (keys.count > INK__HASH_BATCH)
            keys.count = INK__HASH_BATCH;
        sketch->kind->count(sketch, &keys, counts);
        for (size_t i = 0; i < keys.count; i++)
            answers[first + i] = counts[i].low > of.surely_above   ? INK_OVER_YES
                                 : counts[i].high > of.maybe_above ? INK_OVER_MAYBE
                                                                   : INK_OVER_NO;
    }
    ink__let_go(&held);
    return status;
}

bool ink_answer_is_better(const ink_answer *answer, const ink_answer *than)
{
    double width = answer->high - answer->low, other = than->high - than->low;

    return width < other || (width == other && answer->confidence > than->confidence);
}

static ink_status check_one_kind(const ink_sketch *a, const ink_sketch *b, ink_error *error)
{
    if (a->kind == b->kind)
        return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s", a->kind->name,
                     b->kind->name);
}

/* The inner product of two that stand still. */
static ink_status dot_of(const ink_sketch *a, const ink_sketch *b, ink_answer *answer,
                         ink_error *error)
{
    INK__TRY(check_one_kind(a, b, error));
    if (a->kind->dot == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s has no inner product; count-min has", a->kind->name);
    INK__TRY(ink__rule_match(&a->rule, &b->rule, error));
    return a->kind->dot(a, b, answer, error);
}

ink_status ink_sketch_dot(const ink_sketch *a, const ink_sketch *b, ink_answer *answer,
                          ink_error *error)
{
    ink__held one, other;

    INK__TRY(ink__hold(&one, a, error));
    ink_status status = ink__hold(&other, a == b ? one.sketch : b, error);
    if (status == INK_OK) {
        status = dot_of(one.sketch, other.sketch, answer, error);
        ink__let_go(&other);
    }
    ink__let_go(&one);
    return status;
}

/* ---- The most frequent keys --------------------------------------------------------------- */

static ink_status check_keeps(const ink_sketch *sketch, ink_error *error)
{
    if (sketch->kind->kept != NULL)
        return INK_OK;
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s keeps no keys; top does",
                     sketch->kind->name);
}

/* Order of items: by estimate, then by upper bound, both falling, then by key. */
static bool before(const ink_item *a, const ink_item *b)
{
    size_t shorter = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;

    if (a->count.estimate != b->count.estimate)
        return a->count.estimate > b->count.estimate;
    if (a->count.high != b->count.high)
        return a->count.high > b->count.high;
    int order = shorter == 0 ? 0 : memcmp(a->key, b->key, shorter);
    if (order != 0)
        return order < 0;
    if (a->key_bytes != b->key_bytes)
        return a->key_bytes < b->key_bytes;
    if (a->key_int != b->key_int)
        return a->key_int < b->key_int;
    return a->hash < b->hash; /* long keys that begin alike */
}

static bool item_after(const void *host, uint64_t a, uint64_t b)
{
    const ink_item *items = host;

    return before(&items[b], &items[a]);
}

static void swap_items(void *host, uint64_t a, uint64_t b)
{
    ink_item *items = host, kept = items[a];

    items[a] = items[b];
    items[b] = kept;
}

/* Writes the first `room` of all items whose upper bound is above `above`, in order; returns how
 * many there are in all. A heap keeps the best so far, with the last of them at its root. */
static size_t rank(const ink_sketch *sketch, double above, ink_item *items, size_t room)
{
    const ink__heap heap = {items, item_after, swap_items};
    size_t          found = 0, all = 0, kept = sketch->kind->kept(sketch);

    for (size_t i = 0; i < kept; i++) {
        ink_item item;
        sketch->kind->item(sketch, i, &item);
        if (!(item.count.high > above))
            continue;
        all++;
        if (found < room) {
            items[found++] = item;
            if (found == room)
                ink__heap_make(&heap, found);
        } else if (room > 0 && before(&item, &items[0])) {
            items[0] = item;
            ink__heap_sink(&heap, 0, found);
        }
    }
    ink__heap_sort(&heap, found);
    return all;
}

ink_status ink_sketch_top(const ink_sketch *sketch, ink_item *items, size_t room, size_t *found,
                          ink_error *error)
{
    INK__TRY(check_keeps(sketch, error));
    size_t all = rank(sketch, -1, items, room);
    *found = all < room ? all : room;
    return INK_OK;
}

ink_status ink_sketch_over(const ink_sketch *sketch, uint64_t k, ink_item *items, size_t room,
                           size_t *found, ink_error *error)
{
    share of = {0};

    INK__TRY(check_keeps(sketch, error));
    INK__TRY(share_of_total(sketch, k, &of, error));
    if (of.missed > of.most)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{k} %llu: 1/k of the total is %llu, and a key that is not kept may have "
                         "%llu; build with more {top_keys} or a smaller {phi}",
                         (unsigned long long)k, (unsigned long long)of.most,
                         (unsigned long long)of.missed);
    size_t all = rank(sketch, of.maybe_above, items, room);
    if (all > room)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "room for %zu keys, expected room for the %zu that there are", room, all);
    *found = all;
    return INK_OK;
}

/* ---- Distinct keys ------------------------------------------------------------------------ */

/* Of some records there is at least one key, and at most one each. An estimate of 0 stays: what an
 * intersection leaves has records, too, and may be empty. */
static void limit_distinct(uint64_t records, ink_answer *answer)
{
    if (records == 0)
        return;
    ink__answer_limit(answer, records);
    if (answer->estimate == 0)
        return;
    answer->low = answer->low < 1 ? 1 : answer->low;
    answer->estimate = answer->estimate < 1 ? 1 : answer->estimate;
    answer->high = answer->high < 1 ? 1 : answer->high;
}

/* Sets 0 to the default. */
static ink_status check_confidence(double *confidence, ink_error *error)
{
    if (*confidence == 0)
        *confidence = 0.95;
    if (!(*confidence > 0 && *confidence < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{confidence} %g, expected above 0 and below 1", *confidence);
    return INK_OK;
}

/* Of one that stands still. */
static ink_status distinct_of(const ink_sketch *sketch, ink_estimator estimator, double confidence,
                              ink_answer *answer, ink_error *error)
{
    const ink__kind *kind = sketch->kind;
    bool             textbook = estimator == INK_ESTIMATOR_MEAN_OF_POWERS;

    INK__TRY(check_confidence(&confidence, error));
    if ((unsigned)estimator > INK_ESTIMATOR_UNLIMITED)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{estimator} %d, expected 0 to %d",
                         (int)estimator, INK_ESTIMATOR_UNLIMITED);
    if (kind->distinct == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot tell how many different keys there are", kind->name);
    if (textbook && kind->distinct_mean_of_powers == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s has no other estimator; fm has", kind->name);
    *answer = (ink_answer){.confidence = confidence};
    if (textbook)
        kind->distinct_mean_of_powers(sketch, ink__normal_z(confidence), answer);
    else
        kind->distinct(sketch, ink__normal_z(confidence), answer);
    if (answer->low < 0)
        answer->low = 0;
    if (estimator == INK_ESTIMATOR_DEFAULT)
        limit_distinct(sketch->records, answer);
    return INK_OK;
}

ink_status ink_sketch_distinct_by(const ink_sketch *sketch, ink_estimator estimator,
                                  double confidence, ink_answer *answer, ink_error *error)
{
    ink__held held;

    INK__TRY(ink__hold(&held, sketch, error));
    ink_status status = distinct_of(held.sketch, estimator, confidence, answer, error);
    ink__let_go(&held);
    return status;
}

ink_status ink_sketch_distinct(const ink_sketch *sketch, double confidence, ink_answer *answer,
                               ink_error *error)
{
    return ink_sketch_distinct_by(sketch, INK_ESTIMATOR_DEFAULT, confidence, answer, error);
}

/* ---- What two have in common -------------------------------------------------------------- */

/* The most keys that a part of a set may have. The bound of the set is wrong in some cases, the
 * part's own in others: so it is taken two standard deviations further out, where it hardly adds to
 * these. */
static double most_of_part(const ink_answer *whole, uint64_t records, double z)
{
    const double above = whole->high - whole->estimate;
    const double most = above > 0 ? whole->estimate + above * (1 + 2 / z) : whole->estimate;

    return records != 0 && most > (double)records ? (double)records : most;
}

/* A part of a set has no more keys than the set; and no answer is below 0, or out of order. */
static void limit_part(ink_answer *answer, double high, double estimate)
{
    answer->high = answer->high > high ? high : answer->high;
    answer->estimate = answer->estimate > estimate ? estimate : answer->estimate;
    answer->estimate = answer->estimate < 0 ? 0 : answer->estimate;
    answer->high = answer->high < answer->estimate ? answer->estimate : answer->high;
    answer->low = answer->low < 0 ? 0 : answer->low;
    answer->low = answer->low > answer->estimate ? answer->estimate : answer->low;
}

/* The share that `part` is of `whole`. Of nothing it is 1, as two sets without a key are equal; of
 * what may be nothing it is not known. */
static void limit_share(ink_answer *answer, const ink_answer *part, const ink_answer *whole)
{
    if (whole->high == 0)
        *answer = (ink_answer){1, 1, 1, whole->confidence, false};
    else if (part->high == 0 && whole->low > 0)
        *answer = (ink_answer){.confidence = part->confidence};
    else if (part->high == 0)
        *answer = (ink_answer){.high = 1, .confidence = whole->confidence};
    else
        limit_part(answer, 1, 1);
}

static void limit_overlap(uint64_t a, uint64_t b, double z, ink_overlap *o)
{
    limit_distinct(a, &o->a);
    limit_distinct(b, &o->b);
    limit_distinct(a == 0 || b == 0 ? 0 : a > UINT64_MAX - b ? UINT64_MAX : a + b, &o->in_union);
    const double most_a = most_of_part(&o->a, a, z), most_b = most_of_part(&o->b, b, z);
    limit_part(&o->only_a, most_a, o->a.estimate);
    limit_part(&o->only_b, most_b, o->b.estimate);
    limit_part(&o->intersection, most_a, o->a.estimate);
    limit_part(&o->intersection, most_b, o->b.estimate);
    limit_share(&o->jaccard, &o->intersection, &o->in_union);
    limit_share(&o->a_in_b, &o->intersection, &o->a);
    limit_share(&o->b_in_a, &o->intersection, &o->b);
}

/* Of two that stand still. */
static ink_status overlap_of(const ink_sketch *a, const ink_sketch *b, double confidence,
                             ink_overlap *overlap, ink_error *error)
{
    const ink_answer unknown = {.confidence = confidence};
    const double     z = ink__normal_z(confidence);

    INK__TRY(check_one_kind(a, b, error));
    if (a->kind->overlap == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot tell what two sets have in common", a->kind->name);
    INK__TRY(ink__rule_match(&a->rule, &b->rule, error));
    *overlap = (ink_overlap){unknown, unknown, unknown, unknown, unknown,
                             unknown, unknown, unknown, unknown, .method = NULL};
    a->kind->overlap(a, b, z, overlap);
    limit_overlap(a->records, b->records, z, overlap);
    return INK_OK;
}

ink_status ink_sketch_overlap(const ink_sketch *a, const ink_sketch *b, double confidence,
                              ink_overlap *overlap, ink_error *error)
{
    ink__held one, other;

    INK__TRY(check_confidence(&confidence, error));
    INK__TRY(ink__hold(&one, a, error));
    ink_status status = ink__hold(&other, a == b ? one.sketch : b, error);
    if (status == INK_OK) {
        status = overlap_of(one.sketch, other.sketch, confidence, overlap, error);
        ink__let_go(&other);
    }
    ink__let_go(&one);
    return status;
}
