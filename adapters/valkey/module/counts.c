/* counts.c - the commands CMS.*: a `count-min` of counters that stop at 2^32 - 1. */
#include "arguments.h"
#include "combine.h"
#include "commands.h"
#include "keys.h"
#include "reply.h"

#include <math.h>
#include <string.h>

#define NO_KEY "CMS: key does not exist"
#define STOPPED UINT32_MAX

/* ---- Make --------------------------------------------------------------------------------- */

static int make(RM_Ctx *ctx, RM_String *name, uint64_t width, uint64_t depth, const char *event)
{
    const ink_params params = {.kind = "count-min", .width = width, .depth = (uint32_t)depth};
    ink_description  planned;
    ink_error        error;
    open_key         to;
    value           *made;

    if (depth > UINT32_MAX)
        return RM_ReplyWithError(ctx, "CMS: invalid depth");
    if (ink_plan(&params, &planned, &error) != INK_OK)
        return reply_failure(ctx, &error);
    if (!memory_allows(planned.bytes))
        return reply_no_memory(ctx);
    if (!key_open(ctx, name, ACCESS_ANY, &to))
        return RM_OK;
    if (to.value != NULL) {
        RM_ReplyWithError(ctx, "CMS: key already exists");
    } else if (value_make(&made, FAMILY_COUNTS, &params, &error) != INK_OK) {
        reply_failure(ctx, &error);
    } else {
        made->set.width = width;
        made->set.depth = depth;
        key_set(&to, made);
        key_changed(ctx, &to, event);
        RM_ReplicateVerbatim(ctx);
        reply_ok(ctx);
    }
    key_close(&to);
    return RM_OK;
}

static int init_by_dim(RM_Ctx *ctx, RM_String **argv, int argc)
{
    long long width, depth;

    (void)argc;
    if (!argument_whole(argv[2], &width) || width < 1)
        return RM_ReplyWithError(ctx, "CMS: invalid width");
    if (!argument_whole(argv[3], &depth) || depth < 1)
        return RM_ReplyWithError(ctx, "CMS: invalid depth");
    return make(ctx, argv[1], (uint64_t)width, (uint64_t)depth, "cms.initbydim");
}

static int init_by_prob(RM_Ctx *ctx, RM_String **argv, int argc)
{
    double error, chance;

    (void)argc;
    if (!argument_real(argv[2], &error) || error <= 0 || error >= 1 || 2 / error > 4e9)
        return RM_ReplyWithError(ctx, "CMS: invalid overestimation value");
    if (!argument_real(argv[3], &chance) || chance <= 0 || chance >= 1)
        return RM_ReplyWithError(ctx, "CMS: invalid prob value");
    return make(ctx, argv[1], (uint64_t)ceil(2 / error), (uint64_t)ceil(log10(chance) / log10(0.5)),
                "cms.initbyprob");
}

/* ---- Add and ask -------------------------------------------------------------------------- */

/* NULL: all are good, and *last is the last one. */
static const char *bad_weights(RM_String **argv, int argc, long long *last)
{
    for (int i = 3; i < argc; i += 2) {
        if (!argument_whole(argv[i], last))
            return "CMS: Cannot parse number";
        if (*last < 0)
            return "CMS: Number cannot be negative";
    }
    return NULL;
}

static void reply_count(RM_Ctx *ctx, const value *v, const ink_key *key, bool added)
{
    const int64_t count = ink_sketch_times(v->body->sketch, key->data, key->bytes);

    if (added && count == STOPPED)
        RM_ReplyWithError(ctx, "CMS: INCRBY overflow");
    else
        RM_ReplyWithLongLong(ctx, count);
}

static void reply_counts(RM_Ctx *ctx, const value *v, const ink_batch *batch, bool added)
{
    RM_ReplyWithArray(ctx, (long)batch->count);
    for (size_t i = 0; i < batch->count; i++)
        reply_count(ctx, v, &batch->keys[i], added);
}

static void counted(RM_Ctx *ctx, open_key *to)
{
    key_changed(ctx, to, "cms.incrby");
    RM_ReplicateVerbatim(ctx);
}

/* One item: what most commands are. */
static void increase_one(RM_Ctx *ctx, open_key *to, const RM_String *item, long long weight)
{
    ink_key   key;
    ink_error error;

    key.data = RM_StringPtrLen(item, &key.bytes);
    if (ink_sketch_add_weight(to->value->body->sketch, key.data, key.bytes, (uint64_t)weight,
                              &error) != INK_OK) {
        reply_failure(ctx, &error);
        return;
    }
    counted(ctx, to);
    RM_ReplyWithArray(ctx, 1);
    reply_count(ctx, to->value, &key, true);
}

static void increase_all(RM_Ctx *ctx, open_key *to, RM_String **argv, int argc)
{
    ink_batch batch;
    ink_error error;

    if (!argument_keys(ctx, to->value, argv + 2, (size_t)(argc - 2) / 2, true, &batch))
        return;
    if (ink_sketch_add_batch(to->value->body->sketch, &batch, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return;
    }
    counted(ctx, to);
    reply_counts(ctx, to->value, &batch, true);
}

static int increase(RM_Ctx *ctx, RM_String **argv, int argc)
{
    long long weight;
    open_key  to;

    if (argc % 2 != 0)
        return RM_WrongArity(ctx);
    if (!key_open_of(ctx, argv[1], ACCESS_WRITE, FAMILY_COUNTS, NO_KEY, &to))
        return RM_OK;
    const char *bad = bad_weights(argv, argc, &weight);
    if (bad != NULL)
        RM_ReplyWithError(ctx, bad);
    else if (argc == 4)
        increase_one(ctx, &to, argv[2], weight);
    else
        increase_all(ctx, &to, argv, argc);
    key_close(&to);
    return RM_OK;
}

static int query(RM_Ctx *ctx, RM_String **argv, int argc)
{
    ink_batch batch;
    open_key  of;

    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_COUNTS, NO_KEY, &of))
        return RM_OK;
    if (argument_keys(ctx, of.value, argv + 2, (size_t)argc - 2, false, &batch))
        reply_counts(ctx, of.value, &batch, false);
    key_close(&of);
    return RM_OK;
}

static int info(RM_Ctx *ctx, RM_String **argv, int argc)
{
    ink_description is;
    open_key        of;

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_COUNTS, NO_KEY, &of))
        return RM_OK;
    ink_sketch_describe(of.value->body->sketch, &is);
    RM_ReplyWithMap(ctx, 3);
    reply_field(ctx, "width", is.width);
    reply_field(ctx, "depth", is.depth);
    reply_field(ctx, "count", is.total);
    key_close(&of);
    return RM_OK;
}

/* ---- Merge -------------------------------------------------------------------------------- */

/* Doubles a sketch. */
static ink_status add_itself(ink_sketch *sketch, ink_error *error)
{
    ink_sketch *copy;
    ink_status  status = ink_sketch_copy(&copy, sketch, NULL, error);

    if (status != INK_OK)
        return status;
    status = ink_sketch_merge(sketch, copy, NULL, error);
    ink_sketch_free(copy);
    return status;
}

/* Adds a sketch as often as `weight` says, by doubling: 2^0 times, 2^1 times, ... */
static ink_status add_weighted(ink_sketch *sum, const ink_sketch *from, uint64_t weight,
                               ink_error *error)
{
    ink_sketch *power;
    ink_status  status;

    if (weight == 1)
        return ink_sketch_merge(sum, from, NULL, error);
    status = ink_sketch_copy(&power, from, NULL, error);
    if (status != INK_OK)
        return status;
    for (; status == INK_OK && weight != 0; weight >>= 1) {
        if ((weight & 1) != 0)
            status = ink_sketch_merge(sum, power, NULL, error);
        if (status == INK_OK && weight > 1)
            status = add_itself(power, error);
    }
    ink_sketch_free(power);
    return status;
}

static bool same_size(const value *a, const value *b)
{
    ink_description of_a, of_b;

    ink_sketch_describe(a->body->sketch, &of_a);
    ink_sketch_describe(b->body->sketch, &of_b);
    return of_a.width == of_b.width && of_a.depth == of_b.depth;
}

/* The weight of source i, from 1 on; it was looked at before. */
static uint64_t weight_of(const combination *c, size_t i)
{
    long long weight = 1;

    if (c->weights != 0)
        argument_whole(c->base.words[(size_t)c->weights + i - 1], &weight);
    return (uint64_t)weight;
}

static ink_status make_sum(combination *c, const ink_allocator *memory, ink_sketch **sum)
{
    ink_status status = ink_sketch_create_like(sum, c->base.read[0]->sketch, memory, &c->error);

    for (size_t i = 1; status == INK_OK && i < c->base.read_count; i++)
        status = add_weighted(*sum, c->base.read[i]->sketch, weight_of(c, i), &c->error);
    return status;
}

static void reply_merged(RM_Ctx *ctx, const combination *c)
{
    (void)c;
    reply_ok(ctx);
}

/* Replies with an error and is false if the source cannot be added. */
static bool add_source(RM_Ctx *ctx, combination *c, const value *sum, RM_String *name, size_t i)
{
    open_key from;

    if (!key_open_of(ctx, name, ACCESS_READ, FAMILY_COUNTS, NO_KEY, &from))
        return false;
    const bool good = same_size(sum, from.value);
    if (good)
        c->base.read[i] = body_hold(from.value->body);
    else
        RM_ReplyWithError(ctx, "CMS: width/depth is not equal");
    key_close(&from);
    return good;
}

/* Where the weights begin, or 0: there are none. False: the words are not as they must be. */
static bool find_weights(RM_String **argv, int argc, long long count, int *weights)
{
    *weights = 0;
    if (count < 1 || count > argc - 3)
        return false;
    if (3 + count == argc)
        return true;
    *weights = (int)(4 + count);
    return argument_is(argv[3 + count], "weights") && argc == *weights + count;
}

static const char *bad_weight(RM_String **argv, int argc, int weights)
{
    long long weight;

    for (int i = weights; weights != 0 && i < argc; i++) {
        if (!argument_whole(argv[i], &weight))
            return "CMS: invalid weight value";
        if (weight < 0)
            return "CMS: a negative weight, expected 0 or more";
    }
    return NULL;
}

/* The weighted sum is to take the place of what the destination holds. NULL: replied. */
static combination *begin_sum(RM_Ctx *ctx, const open_key *to, RM_String **argv, size_t count)
{
    combination *c = combine_create(ctx, "cms.merge", 1 + count);

    if (c == NULL)
        return NULL;
    c->make = make_sum;
    c->reply = reply_merged;
    c->shift = 2;
    c->made->set = to->value->set;
    c->base.read[0] = body_hold(to->value->body);
    for (size_t i = 1; i <= count; i++)
        if (!add_source(ctx, c, to->value, argv[2 + i], i)) {
            combine_free(c);
            return NULL;
        }
    return c;
}

static int merge(RM_Ctx *ctx, RM_String **argv, int argc)
{
    long long count;
    int       weights;
    open_key  to;

    if (!argument_whole(argv[2], &count))
        return RM_ReplyWithError(ctx, "CMS: invalid numkeys");
    if (!find_weights(argv, argc, count, &weights))
        return RM_ReplyWithError(ctx, "CMS: wrong number of keys");
    const char *bad = bad_weight(argv, argc, weights);
    if (bad != NULL)
        return RM_ReplyWithError(ctx, bad);
    if (!key_open_of(ctx, argv[1], ACCESS_WRITE, FAMILY_COUNTS, NO_KEY, &to))
        return RM_OK;
    combination *c = begin_sum(ctx, &to, argv, (size_t)count);
    key_close(&to);
    if (c == NULL)
        return RM_OK;
    c->weights = weights;
    return combine_start(ctx, c, argv, argc);
}

/* ---- The table ---------------------------------------------------------------------------- */

const command counts_commands[] = {
    {"cms.initbydim", init_by_dim, 4, 'i', KEYS_FIRST, "key width depth",
     "Makes an empty sketch of a size", "O(size)"},
    {"cms.initbyprob", init_by_prob, 4, 'i', KEYS_FIRST, "key error probability",
     "Makes an empty sketch for an error and its probability", "O(size)"},
    {"cms.incrby", increase, -4, 'i', KEYS_FIRST, "key (item increment...)",
     "Adds to the counts of items", "O(items)"},
    {"cms.query", query, -3, 'r', KEYS_FIRST, "key item...", "The counts of items", "O(items)"},
    {"cms.merge", merge, -4, 'u', KEYS_NUMBERED, "key count source... [WEIGHTS weight...]",
     "Replaces a sketch by the weighted sum of others", "O(size)"},
    {"cms.info", info, 2, 'r', KEYS_FIRST, "key", "Width, depth and total of a sketch", "O(1)"},
    {0},
};
