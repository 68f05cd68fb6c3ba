/* native.c - the commands INK.*: every kind of sketch, with its bounds. */
#include "arguments.h"
#include "combine.h"
#include "commands.h"
#include "files.h"
#include "keys.h"
#include "reply.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NO_KEY "ERR no such key"

enum { TOP_DEFAULT = 10, ANSWERS = 64 };

/* ---- Make --------------------------------------------------------------------------------- */

static bool set_key_type(const RM_String *word, ink_params *params)
{
    params->key_type = argument_is(word, "int") ? INK_KEY_INT : INK_KEY_BYTES;
    return params->key_type == INK_KEY_INT || argument_is(word, "bytes");
}

static bool set_number(const RM_String *word, uint64_t *number, uint64_t max)
{
    return argument_count(word, number) && *number <= max;
}

/* False if the value is of the wrong form. */
static bool set_option(const char *name, const RM_String *word, ink_params *params)
{
    uint64_t number = 0;
    bool     good = true;

    if (strcmp(name, "n") == 0)
        return set_number(word, &params->expected_keys, UINT64_MAX);
    if (strcmp(name, "p") == 0)
        return argument_real(word, &params->false_positive_rate);
    if (strcmp(name, "eps") == 0)
        return argument_real(word, &params->epsilon);
    if (strcmp(name, "delta") == 0)
        return argument_real(word, &params->delta);
    if (strcmp(name, "k") == 0) {
        good = set_number(word, &number, UINT32_MAX);
        params->top_keys = (uint32_t)number;
    } else if (strcmp(name, "precision") == 0) {
        good = set_number(word, &number, UINT32_MAX);
        params->precision = (uint32_t)number;
    } else if (strcmp(name, "seed") == 0) {
        params->has_seed = true;
        return set_number(word, &params->seed, UINT64_MAX);
    } else if (strcmp(name, "key-type") == 0) {
        return set_key_type(word, params);
    } else {
        size_t bytes; /* a string of the server ends with a NUL */
        params->hash = RM_StringPtrLen(word, &bytes);
        return strlen(params->hash) == bytes;
    }
    return good;
}

enum { OPTIONS = 9 };
static const char *const options[OPTIONS] = {"n",         "p",        "eps",  "delta", "k",
                                             "precision", "key-type", "hash", "seed"};

/* The number of an option, or OPTIONS. */
static size_t find_option(const RM_String *word)
{
    size_t found = 0;

    while (found < OPTIONS && !argument_is(word, options[found]))
        found++;
    return found;
}

static bool read_options(RM_Ctx *ctx, RM_String **argv, int argc, ink_params *params)
{
    for (int i = 0; i < argc; i += 2) {
        const size_t found = find_option(argv[i]);
        if (found == OPTIONS || i + 1 == argc) {
            RM_ReplyWithError(ctx, found == OPTIONS
                                       ? "ERR unknown option, expected n, p, eps, delta, k, "
                                         "precision, key-type, hash or seed"
                                       : "ERR an option without its value");
            return false;
        }
        if (!set_option(options[found], argv[i + 1], params)) {
            RM_ReplyWithError(ctx,
                              "ERR an option with a value that is no number, or none of its kinds");
            return false;
        }
    }
    return true;
}

/* Whether what is planned is allowed, before any memory is taken. */
static bool plan(RM_Ctx *ctx, const ink_params *params)
{
    ink_description planned;
    ink_kind_info   can;
    ink_error       error;

    if (ink_kind_describe(params->kind, &can, &error) != INK_OK ||
        ink_plan(params, &planned, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return false;
    }
    if (can.sized_by_keys && params->expected_keys == 0) {
        RM_ReplyWithError(ctx, "ERR n: expected the number of different keys");
        return false;
    }
    if (!memory_allows(planned.bytes)) {
        reply_no_memory(ctx);
        return false;
    }
    return true;
}

static bool whole_text(uint64_t number, char text[INK_REAL_BYTES])
{
    snprintf(text, INK_REAL_BYTES, "%llu", (unsigned long long)number);
    return number != 0;
}

static bool real_text(double real, char text[INK_REAL_BYTES])
{
    ink_real_text(real, text);
    return real != 0;
}

/* The size is computed again from e / width and e^-depth: from a little more, as rounding could add
 * one. */
#define ABOVE (1 + 1e-12)

/* The value of an option as a sketch has it; false: its kind has no such option. */
static bool option_text(const char *option, const ink_description *is, char text[INK_REAL_BYTES])
{
    enum { KEYS_OF_CAPACITY = 32 };

    if (strcmp(option, "n") == 0)
        return whole_text(is->expected_keys, text);
    if (strcmp(option, "p") == 0)
        return real_text(is->target_rate, text);
    if (strcmp(option, "eps") == 0)
        return real_text(is->epsilon * ABOVE, text);
    if (strcmp(option, "delta") == 0)
        return real_text(is->delta * ABOVE, text);
    if (strcmp(option, "k") == 0)
        return whole_text(is->capacity / KEYS_OF_CAPACITY, text);
    if (strcmp(option, "precision") == 0)
        return whole_text(is->precision, text);
    if (strcmp(option, "seed") == 0)
        return whole_text(is->seed, text);
    snprintf(text, INK_REAL_BYTES, "%s",
             strcmp(option, "hash") == 0   ? is->hash
             : is->key_type == INK_KEY_INT ? "int"
                                           : "bytes");
    return true;
}

static bool was_given(RM_String **argv, int argc, size_t option)
{
    for (int i = 3; i < argc; i += 2)
        if (find_option(argv[i]) == option)
            return true;
    return false;
}

/* With the defaults written in: a replica may have others. */
static void replicate_created(RM_Ctx *ctx, const value *made, RM_String **argv, int argc)
{
    const size_t    given = (size_t)argc - 1;
    RM_String     **words = memory_scratch((given + 2 * OPTIONS) * sizeof *words);
    size_t          count = given;
    ink_description is;
    char            text[INK_REAL_BYTES];

    if (words == NULL) {
        RM_ReplicateVerbatim(ctx);
        return;
    }
    memcpy(words, argv + 1, given * sizeof *words);
    ink_sketch_describe(made->body->sketch, &is);
    for (size_t i = 0; i < OPTIONS; i++)
        if (!was_given(argv, argc, i) && option_text(options[i], &is, text)) {
            words[count++] = RM_CreateString(NULL, options[i], strlen(options[i]));
            words[count++] = RM_CreateString(NULL, text, strlen(text));
        }
    RM_Replicate(ctx, "INK.CREATE", "v", words, count);
    while (count > given)
        RM_FreeString(NULL, words[--count]);
}

static int create(RM_Ctx *ctx, RM_String **argv, int argc)
{
    size_t     bytes;
    ink_params params = {.kind = RM_StringPtrLen(argv[2], &bytes)};
    ink_error  error;
    open_key   to;
    value     *made;

    if (!read_options(ctx, argv + 3, argc - 3, &params) || !plan(ctx, &params) ||
        !key_open(ctx, argv[1], ACCESS_ANY, &to))
        return RM_OK;
    if (to.value != NULL) {
        RM_ReplyWithError(ctx, "ERR key already exists");
    } else if (value_make(&made, FAMILY_NATIVE, &params, &error) != INK_OK) {
        reply_failure(ctx, &error);
    } else {
        key_set(&to, made);
        key_changed(ctx, &to, "ink.create");
        replicate_created(ctx, made, argv, argc);
        reply_ok(ctx);
    }
    key_close(&to);
    return RM_OK;
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Opens a key that exists for a command that asks or changes its sketch. */
static bool open_sketch(RM_Ctx *ctx, RM_String *name, access how, open_key *opened)
{
    if (!key_open(ctx, name, how, opened))
        return false;
    const char *why = NULL;
    if (opened->value == NULL)
        why = how == ACCESS_WRITE ? "ERR no such key: INK.CREATE makes one" : NO_KEY;
    else if (how == ACCESS_WRITE && opened->value->heap != NULL)
        why = "ERR the list of TOPK takes keys by TOPK.ADD alone";
    if (why == NULL)
        return true;
    key_close(opened);
    RM_ReplyWithError(ctx, why);
    return false;
}

/* Filters: how many keys were new; others: how many there are. Of a counting filter every key
 * counts. */
static ink_status add_keys(value *v, const ink_batch *batch, uint64_t *added, ink_error *error)
{
    uint8_t   *answers = argument_answers();
    ink_status status;

    *added = batch->count;
    if (!v->kind->can.contains)
        return ink_sketch_add_batch(v->body->sketch, batch, error);
    status = v->kind->can.removes
                 ? ink_sketch_contains_batch(v->body->sketch, batch, answers, error)
                 : ink_sketch_add_new_batch(v->body->sketch, batch, answers, error);
    if (status == INK_OK && v->kind->can.removes)
        status = ink_sketch_add_batch(v->body->sketch, batch, error);
    if (status != INK_OK)
        return status;
    *added = 0;
    for (size_t i = 0; i < batch->count; i++)
        *added += (answers[i] != 0) != v->kind->can.removes;
    v->items += *added;
    return INK_OK;
}

typedef ink_status change_call(value *v, const ink_batch *batch, uint64_t *done, ink_error *error);

static int change(RM_Ctx *ctx, RM_String **argv, int argc, bool weights, change_call *call,
                  const char *event)
{
    const size_t count = (size_t)(argc - 2) / (weights ? 2 : 1);
    ink_error    error;
    ink_batch    batch;
    open_key     to;
    uint64_t     done;

    if (weights && argc % 2 != 0)
        return RM_WrongArity(ctx);
    if (!open_sketch(ctx, argv[1], ACCESS_WRITE, &to))
        return RM_OK;
    if (argument_keys(ctx, to.value, argv + 2, count, weights, &batch)) {
        if (call(to.value, &batch, &done, &error) != INK_OK) {
            reply_failure(ctx, &error);
        } else {
            const bool counting = to.value->kind->can.removes; /* of which every key counts */
            if (counting)
                value_recount(to.value);
            if (done != 0 || counting) {
                key_changed(ctx, &to, event);
                RM_ReplicateVerbatim(ctx);
            }
            RM_ReplyWithLongLong(ctx, (long long)done);
        }
    }
    key_close(&to);
    return RM_OK;
}

static int add(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return change(ctx, argv, argc, false, add_keys, "ink.add");
}

static ink_status add_weights(value *v, const ink_batch *batch, uint64_t *done, ink_error *error)
{
    *done = batch->count;
    return ink_sketch_add_batch(v->body->sketch, batch, error);
}

static int addw(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return change(ctx, argv, argc, true, add_weights, "ink.addw");
}

static ink_status remove_keys(value *v, const ink_batch *batch, uint64_t *done, ink_error *error)
{
    const ink_status status = ink_sketch_remove_batch(v->body->sketch, batch, error);

    *done = batch->count;
    if (status == INK_OK)
        v->set.removed += batch->count;
    return status;
}

static int remove_items(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return change(ctx, argv, argc, false, remove_keys, "ink.remove");
}

static int contains(RM_Ctx *ctx, RM_String **argv, int argc)
{
    const size_t count = (size_t)argc - 2;
    ink_error    error;
    ink_batch    batch;
    open_key     of;

    if (!key_open(ctx, argv[1], ACCESS_READ, &of))
        return RM_OK;
    if (of.value == NULL) {
        RM_ReplyWithArray(ctx, (long)count);
        for (size_t i = 0; i < count; i++)
            RM_ReplyWithBool(ctx, 0);
    } else if (argument_keys(ctx, of.value, argv + 2, count, false, &batch)) {
        if (ink_sketch_contains_batch(of.value->body->sketch, &batch, argument_answers(), &error) !=
            INK_OK)
            reply_failure(ctx, &error);
        else
            reply_flags(ctx, argument_answers(), count);
    }
    key_close(&of);
    return RM_OK;
}

/* Answers for a part of the keys at a time, from `at` on; only the first part can fail. */
static ink_status count_part(const value *v, const ink_batch *all, size_t at, ink_answer *answers,
                             size_t *count, ink_error *error)
{
    ink_batch part = *all;

    part.count = *count = all->count - at < ANSWERS ? all->count - at : ANSWERS;
    part.keys = all->keys == NULL ? NULL : all->keys + at;
    part.ints = all->ints == NULL ? NULL : all->ints + at;
    return ink_sketch_count_batch(v->body->sketch, &part, answers, error);
}

static int count(RM_Ctx *ctx, RM_String **argv, int argc)
{
    ink_answer answers[ANSWERS];
    ink_error  error;
    ink_batch  batch;
    open_key   of;
    size_t     found;

    if (!open_sketch(ctx, argv[1], ACCESS_READ, &of))
        return RM_OK;
    if (argument_keys(ctx, of.value, argv + 2, (size_t)argc - 2, false, &batch)) {
        for (size_t at = 0; at < batch.count; at += found) {
            if (count_part(of.value, &batch, at, answers, &found, &error) != INK_OK) {
                reply_failure(ctx, &error);
                break;
            }
            if (at == 0)
                RM_ReplyWithArray(ctx, (long)batch.count);
            for (size_t i = 0; i < found; i++)
                reply_answer(ctx, &answers[i]);
        }
    }
    key_close(&of);
    return RM_OK;
}

/* ---- Questions about a sketch ------------------------------------------------------------- */

static void reply_item(RM_Ctx *ctx, const ink_item *item, bool ints)
{
    RM_ReplyWithMap(ctx, 1 + REPLY_ANSWER_FIELDS);
    RM_ReplyWithSimpleString(ctx, "item");
    if (ints)
        RM_ReplyWithLongLong(ctx, item->key_int);
    else
        RM_ReplyWithStringBuffer(ctx, (const char *)item->key, item->key_bytes);
    reply_answer_fields(ctx, &item->count);
}

static int reply_top(RM_Ctx *ctx, const value *v, uint64_t k)
{
    ink_description is;
    ink_error       error;
    size_t          found;

    ink_sketch_describe(v->body->sketch, &is);
    if (k > 2 * is.capacity) /* it keeps no more */
        k = 2 * is.capacity;
    ink_item *items = RM_TryAlloc((k + 1) * sizeof *items);
    if (items == NULL)
        return reply_no_memory(ctx);
    if (ink_sketch_top(v->body->sketch, items, k, &found, &error) != INK_OK) {
        reply_failure(ctx, &error);
    } else {
        RM_ReplyWithArray(ctx, (long)found);
        for (size_t i = 0; i < found; i++)
            reply_item(ctx, &items[i], v->ints);
    }
    RM_Free(items);
    return RM_OK;
}

static int top(RM_Ctx *ctx, RM_String **argv, int argc)
{
    uint64_t k = TOP_DEFAULT;
    open_key of;

    if (argc > 3)
        return RM_WrongArity(ctx);
    if (argc == 3 && (!argument_count(argv[2], &k) || k == 0))
        return RM_ReplyWithError(ctx, "ERR k: expected a whole number from 1 on");
    if (!open_sketch(ctx, argv[1], ACCESS_READ, &of))
        return RM_OK;
    reply_top(ctx, of.value, k);
    key_close(&of);
    return RM_OK;
}

static void reply_overlap(RM_Ctx *ctx, const ink_overlap *overlap)
{
    const struct {
        const char       *name;
        const ink_answer *answer;
        bool              share;
    } fields[] = {
        {"a", &overlap->a, false},
        {"b", &overlap->b, false},
        {"union", &overlap->in_union, false},
        {"intersection", &overlap->intersection, false},
        {"only_a", &overlap->only_a, false},
        {"only_b", &overlap->only_b, false},
        {"jaccard", &overlap->jaccard, true},
        {"a_in_b", &overlap->a_in_b, true},
        {"b_in_a", &overlap->b_in_a, true},
    };

    RM_ReplyWithMap(ctx, 1 + (long)(sizeof fields / sizeof *fields));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        RM_ReplyWithSimpleString(ctx, fields[i].name);
        (fields[i].share ? reply_share : reply_answer)(ctx, fields[i].answer);
    }
    RM_ReplyWithSimpleString(ctx, "method");
    RM_ReplyWithSimpleString(ctx, overlap->method);
}

static int overlap(RM_Ctx *ctx, RM_String **argv, int argc)
{
    ink_overlap found;
    ink_error   error;
    open_key    a, b;

    (void)argc;
    if (!open_sketch(ctx, argv[1], ACCESS_READ, &a))
        return RM_OK;
    if (open_sketch(ctx, argv[2], ACCESS_READ, &b)) {
        if (ink_sketch_overlap(a.value->body->sketch, b.value->body->sketch, 0, &found, &error) !=
            INK_OK)
            reply_failure(ctx, &error);
        else
            reply_overlap(ctx, &found);
        key_close(&b);
    }
    key_close(&a);
    return RM_OK;
}

static int info(RM_Ctx *ctx, RM_String **argv, int argc)
{
    char      text[INK_INFO_BYTES];
    ink_error error;
    open_key  of;
    size_t    bytes;

    (void)argc;
    if (!open_sketch(ctx, argv[1], ACCESS_READ, &of))
        return RM_OK;
    if (ink_sketch_info_json(of.value->body->sketch, NULL, text, sizeof text, &bytes, &error) !=
        INK_OK)
        reply_failure(ctx, &error);
    else
        RM_ReplyWithStringBuffer(ctx, text, bytes);
    key_close(&of);
    return RM_OK;
}

static int digest(RM_Ctx *ctx, RM_String **argv, int argc)
{
    uint8_t   found[INK_DIGEST_BYTES];
    char      text[2 * INK_DIGEST_BYTES + 1];
    ink_error error;
    open_key  of;

    (void)argc;
    if (!open_sketch(ctx, argv[1], ACCESS_READ, &of))
        return RM_OK;
    if (ink_sketch_digest(of.value->body->sketch, found, &error) != INK_OK)
        reply_failure(ctx, &error);
    else
        RM_ReplyWithStringBuffer(ctx, text, ink_hex_text(found, sizeof found, text, sizeof text));
    key_close(&of);
    return RM_OK;
}

/* ---- The table ---------------------------------------------------------------------------- */

const command native_commands[] = {
    {"ink.create", create, -3, 'i', KEYS_FIRST, "key kind [option value...]",
     "Makes an empty sketch: bloom, classic, counting, scalable, count-min, top, hll, theta or fm",
     "O(size)"},
    {"ink.add", add, -3, 'i', KEYS_FIRST, "key item...",
     "Adds items; of a filter, how many were new, of others, how many were added", "O(items)"},
    {"ink.addw", addw, -4, 'i', KEYS_FIRST, "key (item weight...)",
     "Adds each item as often as its weight says", "O(items)"},
    {"ink.remove", remove_items, -3, 'd', KEYS_FIRST, "key item...",
     "Takes items out of a counting filter, all or none", "O(items)"},
    {"ink.contains", contains, -3, 'r', KEYS_FIRST, "key item...",
     "Whether items may be in a filter; 0 is certain", "O(items)"},
    {"ink.count", count, -3, 'r', KEYS_FIRST, "key item...",
     "How often items were added, with bounds", "O(items)"},
    {"ink.top", top, -2, 'r', KEYS_FIRST, "key [k]", "The most frequent items, with bounds",
     "O(size)"},
    {"ink.distinct", combine_distinct, -2, 'r', KEYS_ALL, "key...",
     "How many different items the keys have together, with bounds", "O(size)"},
    {"ink.overlap", overlap, 3, 'r', KEYS_ALL, "key key",
     "What two sets have in common, with bounds", "O(size)"},
    {"ink.merge", combine_merge, -3, 'i', KEYS_TO_AND_FROM, "key source...",
     "Merges sketches into the first, which takes part if it exists", "O(size)"},
    {"ink.fold", combine_fold, 3, 'u', KEYS_FIRST, "key rate",
     "Shrinks a filter to the smallest size that has this rate", "O(size)"},
    {"ink.info", info, 2, 'r', KEYS_FIRST, "key", "What a sketch is, as JSON", "O(size)"},
    {"ink.digest", digest, 2, 'r', KEYS_FIRST, "key",
     "The digest of a sketch, as ink info --digest has it", "O(size)"},
    {"ink.get", file_get, -2, 'r', KEYS_FIRST,
     "key [OFFSET offset] [COUNT count] [GENERATION generation]",
     "A sketch as an .ink file, or a piece of it", "O(size)"},
    {"ink.set", file_set, 3, 'o', KEYS_FIRST, "key bytes", "Makes a sketch of an .ink file",
     "O(size)"},
    {"ink.setchunk", file_set_chunk, -5, 'o', KEYS_FIRST, "key offset total bytes [HEAD head]",
     "The same, of an .ink file that comes in pieces", "O(size)"},
    {0},
};
