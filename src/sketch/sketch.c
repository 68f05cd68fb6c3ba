/* sketch.c - the public calls that make, change, combine and describe one sketch: check the
 * arguments, match the rules, and go through the kind. */
#include "sketch/sketch.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "format/image.h"
#include "kernels/dispatch.h"
#include "sketch/batch.h"
#include "sketch/internal.h"
#include "sketch/kinds/payload.h"
#include "sketch/kinds/promise.h"
#include "sketch/kinds/shared.h"

#include <string.h>

#define INK__TEXT(x) #x
#define INK__VERSION_TEXT(major, minor, patch)                                                     \
    INK__TEXT(major) "." INK__TEXT(minor) "." INK__TEXT(patch)

const char *ink_version(void)
{
    return INK__VERSION_TEXT(INK_VERSION_MAJOR, INK_VERSION_MINOR, INK_VERSION_PATCH);
}

/* ---- Create ------------------------------------------------------------------------------- */

static ink_status check_taken(const ink__kind *kind, const ink_params *params, ink_error *error)
{
    const struct {
        unsigned    taken;
        bool        given;
        const char *name;
    } fields[] = {
        {INK__TAKES_KEYS, params->expected_keys != 0, "expected_keys"},
        {INK__TAKES_RATE, params->false_positive_rate != 0, "false_positive_rate"},
        {INK__TAKES_BITS, params->bits != 0, "bits"},
        {INK__TAKES_BITS, params->max_rate != 0, "max_rate"},
        {INK__TAKES_HASHES, params->hashes != 0, "hashes"},
        {INK__TAKES_RATIO, params->ratio != 0, "ratio"},
        {INK__TAKES_ERROR, params->epsilon != 0, "epsilon"},
        {INK__TAKES_ERROR, params->delta != 0, "delta"},
        {INK__TAKES_WIDTH, params->width != 0, "width"},
        {INK__TAKES_WIDTH, params->depth != 0, "depth"},
        {INK__TAKES_COUNTERS, params->counter_bits != 0, "counter_bits"},
        {INK__TAKES_COUNTERS, params->conservative, "conservative"},
        {INK__TAKES_SHARE, params->top_keys != 0, "top_keys"},
        {INK__TAKES_SHARE, params->phi != 0, "phi"},
        {INK__TAKES_PRECISION, params->precision != 0, "precision"},
        {INK__TAKES_WRITERS, params->concurrent != 0, "concurrent"},
    };

    INK__TRY_ROOM("ink_params", params, error);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].given && (kind->takes & fields[i].taken) == 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s has no {%s}", kind->name,
                             fields[i].name);
    if (params->concurrent > 1)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{concurrent} %llu, expected 0 or 1",
                         (unsigned long long)params->concurrent);
    return INK_OK;
}

ink_status ink_kind_takes(const ink_params *params, ink_error *error)
{
    const ink__kind *kind;

    INK__TRY(ink__kind_find(params->kind, &kind, error));
    return check_taken(kind, params, error);
}

/* The kind that a hash scheme of another system is for. */
static const char *kind_of(ink__hash_scheme scheme)
{
    const ink__kind *const *kind = ink__kinds;

    while ((*kind)->position_rules[scheme] == 0)
        kind++;
    return (*kind)->name;
}

static ink_status plan_one(const ink_params *params, ink__plan *planned, ink_error *error)
{
    const ink__kind *kind;

    INK__TRY(ink__kind_find(params->kind, &kind, error));
    INK__TRY(check_taken(kind, params, error));
    INK__TRY(ink__rule_create(&planned->rule, params, error));
    if (kind->position_rules[planned->rule.scheme] == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{hash} %s is for %s, not for %s",
                         ink__rule_hash_name(&planned->rule), kind_of(planned->rule.scheme),
                         kind->name);
    planned->shape = (ink__shape){.kind = kind};
    planned->records = 0;
    ink_status status = kind->plan(params, &planned->rule, &planned->shape, error);
    if (status == INK_OK)
        status = ink__promise_allow(&planned->shape, params->max_rate, error);
    if (status != INK_OK)
        ink__rule_wipe(&planned->rule);
    return status;
}

ink_status ink__sketch_plan(const ink_params *params, ink__plan *planned, ink_error *error)
{
    INK__TRY(ink__check_one_writer(params, error));
    return plan_one(params, planned, error);
}

void ink_sketch_free(ink_sketch *sketch)
{
    if (sketch == NULL)
        return;
    ink_allocator allocator = sketch->allocator;
    size_t        bytes = sketch->kind->object_bytes;

    sketch->kind->release(sketch);
    if (sketch->concurrent)
        ink__release(&allocator, sketch->tallies, sizeof *sketch->tallies);
    if (sketch->close != NULL)
        sketch->close(sketch->file);
    ink__rule_wipe(&sketch->rule);
    ink__release(&allocator, sketch, bytes);
}

const char *ink_sketch_kind(const ink_sketch *sketch)
{
    return sketch->kind->name;
}

uint64_t ink_sketch_memory(const ink_sketch *sketch)
{
    return sketch->kind->object_bytes + sketch->kind->memory(sketch) +
           (sketch->concurrent ? sizeof *sketch->tallies : 0);
}

void ink_sketch_allocator(const ink_sketch *sketch, ink_allocator *allocator)
{
    *allocator = sketch->allocator;
}

ink_status ink_sketch_create(ink_sketch **sketch, const ink_params *params,
                             const ink_allocator *allocator, ink_error *error)
{
    const ink__kind *kind;
    ink__plan        planned;

    INK__TRY(ink__kind_find(params->kind, &kind, error));
    if (kind->whole != NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "an empty %s, which takes no keys: make it of all of them, by a draft or "
                         "a build",
                         kind->name);
    INK__TRY(plan_one(params, &planned, error));
    ink_sketch *made = NULL;
    ink_status  status = ink__sketch_open(&made, &planned, NULL, false, allocator, error);
    ink__rule_wipe(&planned.rule);
    if (status == INK_OK && params->concurrent != 0)
        status = ink_sketch_share(made, error);
    if (status == INK_OK)
        *sketch = made;
    else
        ink_sketch_free(made);
    return status;
}

ink_status ink__sketch_open(ink_sketch **sketch, const ink__plan *of, const uint8_t *payload,
                            bool view, const ink_allocator *allocator, ink_error *error)
{
    const ink__kind    *kind = of->shape.kind;
    ink_allocator       memory = ink__allocator_or_heap(allocator);
    const ink__kernels *kernels = NULL;
    ink_sketch         *made;

    INK__TRY(ink__kernels_choose(&kernels, error));
    INK__TRY(ink__allocate_zeroed(&memory, kind->object_bytes, &made, error));
    *made = (ink_sketch){
        .kind = kind,
        .kernels = kernels,
        .allocator = memory,
        .rule = of->rule,
        .records = of->records,
        .read_only = view,
    };
    ink_status status = kind->load(made, &of->shape, payload, error);
    if (status != INK_OK) {
        if (status == INK_FORMAT && error != NULL) { /* a mapped file has changed meanwhile */
            error->location = INK_NOWHERE;
            error->at = 0;
        }
        ink_sketch_free(made);
        return status;
    }
    *sketch = made;
    return INK_OK;
}

ink_status ink__sketch_check_view(const ink_sketch *sketch, ink_error *error)
{
    if (sketch->image == NULL)
        return INK_OK;
    return ink__image_check_pieces(sketch->image, sketch->image_at,
                                   ink__shape_of(sketch).payload_bytes, error);
}

/* ---- Add and remove ----------------------------------------------------------------------- */

/* Checks a batch and makes room for it. */
static ink_status prepare(ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    ink__keys keys = ink__batch_keys(batch);

    INK__TRY(ink_sketch_check_batch(sketch, batch, error));
    return ink__reserve(sketch, &keys, error);
}

/* Adds the keys of a batch that was prepared. */
static void add_keys(ink_sketch *sketch, const ink_batch *batch)
{
    const ink__keys *keys;
    ink__walk        walk;

    ink__walk_start(&walk, sketch, batch, true);
    while ((keys = ink__walk_next(&walk)) != NULL)
        sketch->kind->add(sketch, keys);
}

ink_status ink_sketch_add_batch(ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    INK__TRY(prepare(sketch, batch, error));
    if (ink__bulk_pays(sketch, batch) && ink__bulk_add(sketch, batch, NULL) == INK_OK)
        return INK_OK;
    ink__count_records(sketch, ink__batch_records(sketch, batch));
    add_keys(sketch, batch);
    return INK_OK;
}

bool ink__sketch_has_ranges(const ink_sketch *sketch, uint64_t ranges)
{
    const uint32_t block = sketch->kind->block_bytes;

    return block > 0 && ink__shape_of(sketch).payload_bytes / block >= ranges;
}

ink_status ink__sketch_add_in_range(ink_sketch *sketch, const ink_batch *batch, uint64_t *records,
                                    ink_error *error)
{
    INK__TRY(prepare(sketch, batch, error));
    add_keys(sketch, batch);
    *records = ink__add_saturating(*records, ink__batch_records(sketch, batch));
    return INK_OK;
}

uint64_t ink__sketch_closed(const ink_sketch *sketch)
{
    return sketch->kind->closed == NULL ? 0 : sketch->kind->closed(sketch);
}

ink_status ink__sketch_view_closed(const ink_sketch *sketch, ink_sketch **view, ink_error *error)
{
    ink_sketch *made = NULL;
    ink_status  status = sketch->kind->view_closed(sketch, &made, error);

    if (status == INK_OK)
        *view = made;
    else
        ink_sketch_free(made);
    return status;
}

ink_status ink__sketch_add_absent(ink_sketch *sketch, const ink_batch *batch, uint64_t levels,
                                  ink_error *error)
{
    if (levels == 0)
        return ink_sketch_add_batch(sketch, batch, error);
    sketch->kind->skip_closed(sketch, levels);
    ink_status status = ink_sketch_add_batch(sketch, batch, error);
    sketch->kind->skip_closed(sketch, 0);
    return status;
}

/* Key number `key` of some, alone. */
static ink__keys one_of(const ink__keys *keys, size_t key)
{
    ink__keys one = ink__keys_from(keys, key);

    one.count = 1;
    one.weights = NULL;
    return one;
}

/* For kinds without add_new. */
static size_t add_new_one_by_one(ink_sketch *sketch, const ink__keys *keys, uint8_t *was_new)
{
    size_t fresh = 0;

    for (size_t i = 0; i < keys->count; i++) {
        ink__keys key = one_of(keys, i);
        uint8_t   known;
        sketch->kind->contains(sketch, &key, &known);
        if (known == 0)
            sketch->kind->add(sketch, &key);
        was_new[i] = known == 0;
        fresh += was_new[i];
    }
    return fresh;
}

size_t ink__sketch_add_new(ink_sketch *sketch, const ink__keys *keys, uint8_t *was_new)
{
    return sketch->kind->add_new != NULL ? sketch->kind->add_new(sketch, keys, was_new)
                                         : add_new_one_by_one(sketch, keys, was_new);
}

/* Without the answers; for any number of keys. */
static size_t add_new_silently(ink_sketch *sketch, const ink__keys *keys)
{
    uint8_t   was_new[INK__HASH_BATCH];
    ink__keys part;
    size_t    fresh = 0;

    for (size_t first = 0; first < keys->count; first += part.count) {
        part = ink__keys_from(keys, first);
        part.count = part.count < sizeof was_new ? part.count : sizeof was_new;
        fresh += ink__sketch_add_new(sketch, &part, was_new);
    }
    return fresh;
}

ink_status ink_sketch_add_new_batch(ink_sketch *sketch, const ink_batch *batch, uint8_t *was_new,
                                    ink_error *error)
{
    const ink__keys *keys;
    ink__walk        walk;

    if (sketch->kind->contains == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot tell whether a key was added", sketch->kind->name);
    if (batch->weights != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "weights for keys that are added once or not at all");
    INK__TRY(ink__check_writable(sketch, error));
    INK__TRY(prepare(sketch, batch, error));
    ink__walk_start(&walk, sketch, batch, true);
    while ((keys = ink__walk_next(&walk)) != NULL)
        sketch->records = ink__add_saturating(
            sketch->records, was_new == NULL
                                 ? add_new_silently(sketch, keys)
                                 : ink__sketch_add_new(sketch, keys, was_new + walk.first));
    return INK_OK;
}

/* Adds the first `count` keys of a batch again, which have just been removed. */
static void put_back(ink_sketch *sketch, const ink_batch *batch, size_t count)
{
    uint64_t  hashes[INK__HASH_BATCH];
    ink__keys keys;

    for (size_t first = 0; first < count; first += keys.count) {
        keys = ink__batch_part(sketch, batch, first, hashes);
        if (keys.count > count - first)
            keys.count = count - first;
        sketch->kind->add(sketch, &keys);
    }
}

/* Key number `key` of a part that starts at `first` of the batch is not in as often as it is to be
 * removed; without weights, not at all. */
static ink_status fail_absent(const ink_sketch *sketch, const ink__keys *keys, size_t first,
                              size_t key, ink_error *error)
{
    ink__keys  one = one_of(keys, key);
    ink_answer count;

    sketch->kind->count(sketch, &one, &count);
    if (count.estimate == 0)
        return ink__fail(error, INK_NOT_FOUND, INK_AT_KEY, first + key,
                         "the key is not in, expected one that was added");
    return ink__fail(error, INK_NOT_FOUND, INK_AT_KEY, first + key,
                     "the key is to be removed %llu times, but is in %g times at most",
                     (unsigned long long)keys->weights[key], count.estimate);
}

ink_status ink_sketch_remove_batch(ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    uint64_t  hashes[INK__HASH_BATCH];
    ink__keys keys;

    if (sketch->kind->remove == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot take keys out again; counting can", sketch->kind->name);
    INK__TRY(ink_sketch_check_batch(sketch, batch, error));
    for (size_t first = 0; first < batch->count; first += keys.count) {
        keys = ink__batch_part(sketch, batch, first, hashes);
        size_t removed = sketch->kind->remove(sketch, &keys);
        if (removed < keys.count) {
            ink_status status = fail_absent(sketch, &keys, first, removed, error);
            put_back(sketch, batch, first + removed);
            return status;
        }
    }
    uint64_t records = ink__batch_records(sketch, batch);
    sketch->records = sketch->records < records ? 0 : sketch->records - records;
    return INK_OK;
}

/* ---- Combine ------------------------------------------------------------------------------ */

static ink_status check_pair(const ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    INK__TRY(ink__check_writable(into, error));
    if (into == from)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "a sketch with itself, expected two");
    if (into->kind->id != from->kind->id)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s",
                         into->kind->name, from->kind->name);
    INK__TRY(ink__rule_match(&into->rule, &from->rule, error));
    return ink__sketch_check_view(from, error);
}

ink_status ink__check_max_rate(double max_rate, ink_error *error)
{
    if (max_rate >= 0 && max_rate <= 1)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{max_rate} %g, expected 0 to 1", max_rate);
}

ink_status ink_sketch_merge(ink_sketch *into, const ink_sketch *from,
                            const ink_merge_options *options, ink_error *error)
{
    const ink_merge_options plain = {0};
    ink__held               held;

    if (options == NULL)
        options = &plain;
    INK__TRY_ROOM("ink_merge_options", options, error);
    INK__TRY(ink__check_max_rate(options->max_rate, error));
    if (options->max_rate != 0 && options->parts)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{max_rate} for parts, whose rate is not looked at");
    INK__TRY(ink__check_writable(into, error));
    if (options->max_rate != 0 && into->kind->rate == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{max_rate}, but %s has no false-positive rate", into->kind->name);
    INK__TRY(check_pair(into, from, error));
    INK__TRY(ink__hold(&held, from, error));
    ink_status status = into->kind->merge(into, held.sketch, options, error);
    if (status == INK_OK)
        into->records = ink__add_saturating(into->records, held.sketch->records);
    ink__let_go(&held);
    return status;
}

ink_status ink__sketch_merge_all(ink_sketch *into, const ink_sketch *const *from, size_t count,
                                 ink_error *error)
{
    const ink_merge_options parts = {.parts = true};

    if (into->kind->merge_all == NULL) {
        for (size_t i = 0; i < count; i++)
            INK__TRY(ink_sketch_merge(into, from[i], &parts, error));
        return INK_OK;
    }
    for (size_t i = 0; i < count; i++)
        INK__TRY(check_pair(into, from[i], error));
    INK__TRY(into->kind->merge_all(into, from, count, error));
    for (size_t i = 0; i < count; i++)
        into->records = ink__add_saturating(into->records, from[i]->records);
    return INK_OK;
}

bool ink__sketch_has_shares(const ink_sketch *sketch)
{
    return sketch->kind->merge_slice != NULL && sketch->kind->payload == ink__payload_in_place;
}

void ink__sketch_merge_share(ink_sketch *into, const ink_sketch *from, unsigned share,
                             unsigned shares)
{
    ink__payload_merge_share(into, from, share, shares);
}

void ink__sketch_merge_rest(ink_sketch *into, const ink_sketch *from)
{
    if (into->kind->merge_totals != NULL)
        into->kind->merge_totals(into, from);
    into->records = ink__add_saturating(into->records, from->records);
}

bool ink__sketch_copies_while_added(const ink_sketch *sketch)
{
    return ink__sketch_has_shares(sketch) && sketch->kind->added_up == 0;
}

ink_status ink_sketch_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    ink__held held;

    INK__TRY(check_pair(into, from, error));
    if (into->kind->intersect == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s cannot be intersected%s",
                         into->kind->name,
                         into->kind->becomes == NULL ? "" : "; convert both to bloom first");
    INK__TRY(ink__hold(&held, from, error));
    ink_status status = into->kind->intersect(into, held.sketch, error);
    if (status == INK_OK && held.sketch->records < into->records)
        into->records = held.sketch->records;
    ink__let_go(&held);
    return status;
}

ink_status ink_sketch_subtract(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    ink__held held;

    INK__TRY(check_pair(into, from, error));
    if (into->kind->subtract == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot be subtracted; theta can", into->kind->name);
    INK__TRY(ink__hold(&held, from, error));
    ink_status status = into->kind->subtract(into, held.sketch, error);
    ink__let_go(&held);
    return status;
}

static ink_status fold(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                       ink_error *error)
{
    INK__TRY(ink__check_writable(sketch, error));
    if (sketch->kind->fold == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s cannot be folded",
                         sketch->kind->name);
    return sketch->kind->fold(sketch, divisor, rate, divided, error);
}

ink_status ink_sketch_fold(ink_sketch *sketch, uint64_t divisor, ink_error *error)
{
    uint64_t divided;

    if (divisor == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{divisor} 0, expected 1 or more");
    return fold(sketch, divisor, 0, &divided, error);
}

ink_status ink_sketch_fold_to_rate(ink_sketch *sketch, double rate, uint64_t *divisor,
                                   ink_error *error)
{
    uint64_t divided = 1;

    if (!(rate >= 0 && rate < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{rate} %g, expected above 0 and below 1, or 0 for that of the filter",
                         rate);
    INK__TRY(fold(sketch, 0, rate, &divided, error));
    if (divisor != NULL)
        *divisor = divided;
    return INK_OK;
}

/* ---- Describe ----------------------------------------------------------------------------- */

/* What a rule says; all else becomes 0. Copied, since a loop of stores that clears it took half the
 * time of a description. */
static void describe_rule(const ink__key_rule *rule, ink_description *description)
{
    static const ink_description none;

    *description = none;
    description->hash = ink__rule_hash_name(rule);
    description->key_type = rule->type;
    description->keyed = rule->hash == INK__HASH_SIPHASH;
    description->secret_check = rule->check;
    description->seed = rule->seed;
}

ink_status ink__describe_rule(const ink_params *params, ink_description *description,
                              ink_error *error)
{
    ink__key_rule rule;

    INK__TRY(ink__rule_create(&rule, params, error));
    describe_rule(&rule, description);
    ink__rule_wipe(&rule);
    return INK_OK;
}

void ink__describe(const ink__key_rule *rule, const ink__shape *shape, ink_description *description)
{
    const ink__kind *kind = shape->kind;

    describe_rule(rule, description);
    description->kind = kind->name;
    description->bytes = description->bytes_max = shape->payload_bytes;
    description->order_free = kind->order_free;
    description->needs_keys = kind->keeps_keys || ink__rule_needs_keys(rule);
    kind->describe(shape, description);
    if (description->expected_keys != 0)
        description->bits_per_key = (double)description->bits / (double)description->expected_keys;
}

void ink_sketch_describe(const ink_sketch *sketch, ink_description *description)
{
    ink__shape shape = ink__shape_of(sketch);

    ink__describe(&sketch->rule, &shape, description);
    description->records = ink__records_of(sketch);
    description->read_only = sketch->read_only && !sketch->concurrent;
    description->concurrent = sketch->concurrent;
}

ink_status ink_plan(const ink_params *params, ink_description *description, ink_error *error)
{
    ink__plan planned;

    INK__TRY(plan_one(params, &planned, error));
    ink__describe(&planned.rule, &planned.shape, description);
    description->concurrent = params->concurrent;
    ink__rule_wipe(&planned.rule);
    return INK_OK;
}

ink_status ink_plan_filled(const ink_params *params, uint64_t keys, ink_description *description,
                           ink_error *error)
{
    ink__plan  planned;
    ink_status status = INK_OK;

    INK__TRY(plan_one(params, &planned, error));
    if (planned.shape.kind->fill != NULL)
        status = planned.shape.kind->fill(&planned.rule, keys, &planned.shape, error);
    if (status == INK_OK)
        ink__describe(&planned.rule, &planned.shape, description);
    if (status == INK_OK)
        description->concurrent = params->concurrent;
    ink__rule_wipe(&planned.rule);
    return status;
}

ink_status ink_sketch_unlock(ink_sketch *sketch, const uint8_t *secret, ink_error *error)
{
    if (sketch->concurrent)
        return ink__fail_concurrent(sketch, error);
    return ink__rule_unlock(&sketch->rule, secret, error);
}

ink_status ink__same_plan(const ink_description *a, const ink_description *b, const char *between,
                          const char *after, ink_error *error)
{
    const struct {
        const char *name;
        double      of_a, of_b;
    } fields[] = {
        {"expected keys", (double)a->expected_keys, (double)b->expected_keys},
        {"target rates", a->target_rate, b->target_rate},
        {"promised rates", a->promised_rate, b->promised_rate},
        {"bits", (double)a->bits, (double)b->bits},
        {"hashes", a->hashes, b->hashes},
        {"ratios", a->ratio, b->ratio},
        {"widths", (double)a->width, (double)b->width},
        {"depths", a->depth, b->depth},
        {"counter bits", a->counter_bits, b->counter_bits},
        {"conservative", a->conservative, b->conservative},
        {"capacities", (double)a->capacity, (double)b->capacity},
        {"precisions", a->precision, b->precision},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].of_a != fields[i].of_b)
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "%s differ: %g%s%g%s",
                             fields[i].name, fields[i].of_a, between, fields[i].of_b, after);
    return INK_OK;
}

/* ---- Copy --------------------------------------------------------------------------------- */

/* The payload in one piece, assembled in scratch memory where it must be. */
static ink_status with_payload(const ink_sketch *from, const ink_allocator *allocator,
                               ink__block *scratch, const uint8_t **payload, ink_error *error)
{
    INK__TRY(ink__sketch_check_view(from, error));
    INK__TRY(ink__block_create(scratch, allocator, ink__scratch_bytes(from), error));
    *payload = from->kind->payload(from, scratch->data);
    return INK_OK;
}

ink_status ink_sketch_copy(ink_sketch **sketch, const ink_sketch *from,
                           const ink_allocator *allocator, ink_error *error)
{
    ink_allocator  memory = allocator != NULL ? *allocator : from->allocator;
    ink__block     scratch;
    const uint8_t *payload;

    if (from->concurrent)
        return ink__snapshot(sketch, from, &memory, error);
    INK__TRY(with_payload(from, &memory, &scratch, &payload, error));
    ink__plan  of = {from->rule, ink__shape_of(from), from->records};
    ink_status status = ink__sketch_open(sketch, &of, payload, false, &memory, error);
    ink__rule_wipe(&of.rule);
    ink__block_release(&scratch, &memory);
    return status;
}

ink_status ink_sketch_create_like(ink_sketch **sketch, const ink_sketch *like,
                                  const ink_allocator *allocator, ink_error *error)
{
    ink_allocator   memory = allocator != NULL ? *allocator : like->allocator;
    ink_description found;
    /* By its shape alone: another thread may be counting its records. */
    ink__plan planned = {.rule = like->rule, .shape = ink__shape_of(like)};

    ink__describe(&planned.rule, &planned.shape, &found);
    if (like->kind->whole != NULL) {
        ink__rule_wipe(&planned.rule);
        return ink__check_writable(like, error); /* which refuses all keys */
    }
    if (!found.order_free) {
        ink__rule_wipe(&planned.rule);
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s%s has one writer: the order of keys is part of it",
                         found.conservative ? "conservative " : "", like->kind->name);
    }
    for (unsigned i = 0; i < like->kind->field_count; i++)
        if ((like->kind->added_up >> i & 1) != 0)
            planned.shape.fields[i] = 0;
    ink_status status = ink__sketch_open(sketch, &planned, NULL, false, &memory, error);
    ink__rule_wipe(&planned.rule);
    return status;
}

ink_status ink_sketch_convert(ink_sketch **sketch, const ink_sketch *from, const char *kind,
                              const ink_allocator *allocator, ink_error *error)
{
    ink_allocator    memory = allocator != NULL ? *allocator : from->allocator;
    const ink__kind *to;
    ink__block       payload;

    INK__TRY(ink__kind_find(kind, &to, error));
    if (to->id == from->kind->id)
        return ink_sketch_copy(sketch, from, allocator, error);
    if (to != from->kind->becomes)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s cannot become %s%s%s",
                         from->kind->name, kind, from->kind->becomes == NULL ? "" : ", only ",
                         from->kind->becomes == NULL ? "" : from->kind->becomes->name);
    INK__TRY(ink__sketch_check_view(from, error));
    ink__plan of = {.shape.kind = to, .records = from->records};
    from->kind->become(from, &of.shape, NULL);
    INK__TRY(ink__block_create(&payload, &memory, of.shape.payload_bytes, error));
    from->kind->become(from, &of.shape, payload.data);
    of.rule = from->rule;
    ink_status status = ink__sketch_open(sketch, &of, payload.data, false, &memory, error);
    ink__rule_wipe(&of.rule);
    ink__block_release(&payload, &memory);
    return status;
}

ink_status ink__sketch_payload_slice(const ink_sketch *sketch, uint64_t offset, uint8_t *to,
                                     size_t bytes, ink_error *error)
{
    ink__block     scratch;
    ink__shape     shape = ink__shape_of(sketch);
    const uint8_t *payload;

    if (sketch->concurrent) {
        ink__held held;
        INK__TRY(ink__hold(&held, sketch, error));
        ink_status status = ink__sketch_payload_slice(held.sketch, offset, to, bytes, error);
        ink__let_go(&held);
        return status;
    }
    if (offset > shape.payload_bytes || bytes > shape.payload_bytes - offset)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%zu bytes from byte %llu on, expected some of the payload's %llu", bytes,
                         (unsigned long long)offset, (unsigned long long)shape.payload_bytes);
    if (bytes == 0)
        return INK_OK;
    if (ink__scratch_bytes(sketch) == 0) { /* only what is copied is checked */
        if (sketch->image != NULL)
            INK__TRY(
                ink__image_check_pieces(sketch->image, sketch->image_at + offset, bytes, error));
        memcpy(to, sketch->kind->payload(sketch, NULL) + offset, bytes);
        return INK_OK;
    }
    INK__TRY(with_payload(sketch, &sketch->allocator, &scratch, &payload, error));
    memcpy(to, payload + offset, bytes);
    ink__block_release(&scratch, &sketch->allocator);
    return INK_OK;
}

ink_status ink_sketch_payload(const ink_sketch *sketch, void *to, size_t payload_bytes,
                              ink_error *error)
{
    uint8_t   *payload = to;
    ink__shape shape = ink__shape_of(sketch);

    if (payload_bytes < shape.payload_bytes)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "room for %zu bytes, expected %llu, as the description says",
                         payload_bytes, (unsigned long long)shape.payload_bytes);
    return ink__sketch_payload_slice(sketch, 0, payload, (size_t)shape.payload_bytes, error);
}
