/* tops.c - the commands TOPK.*: a `top`, whose counts decide which k keys stand in a heap. */
#include "arguments.h"
#include "commands.h"
#include "keys.h"
#include "reply.h"

#include <string.h>

#define NO_KEY "TopK: key does not exist"
#define BAD_INCREMENT                                                                              \
    "TopK: increment must be an integer greater or equal to 0 and smaller or equal to 100,000"

enum { WIDTH = 8, DEPTH = 7, INCREMENT_MAX = 100000, DECAY_TEXT = 32 };
#define DECAY 0.9

static const char *read_size(RM_String **argv, int argc, settings *set)
{
    long long k, width = WIDTH, depth = DEPTH;
    double    decay = DECAY;

    if (!argument_whole(argv[2], &k) || k < 1 || k > UINT32_MAX)
        return "TopK: invalid k";
    if (argc == 6 && (!argument_whole(argv[3], &width) || width < 1))
        return "TopK: invalid width";
    if (argc == 6 && (!argument_whole(argv[4], &depth) || depth < 1))
        return "TopK: invalid depth";
    if (argc == 6 && (!argument_real(argv[5], &decay) || decay <= 0 || decay > 1))
        return "TopK: invalid decay value. must be '<= 1' & '> 0'";
    set->k = (uint64_t)k;
    set->width = (uint64_t)width;
    set->depth = (uint64_t)depth;
    set->decay = decay;
    return NULL;
}

static void make(RM_Ctx *ctx, open_key *to, const settings *set)
{
    const ink_params params = {.kind = "top", .top_keys = (uint32_t)set->k};
    ink_error        error;
    value           *made;

    if (value_make(&made, FAMILY_TOP, &params, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return;
    }
    made->heap = heap_create(set->k, &made->body->memory);
    if (made->heap == NULL) {
        value_free(made);
        reply_no_memory(ctx);
        return;
    }
    made->set = *set;
    key_set(to, made);
    key_changed(ctx, to, "topk.reserve");
    RM_ReplicateVerbatim(ctx);
    reply_ok(ctx);
}

static int reserve(RM_Ctx *ctx, RM_String **argv, int argc)
{
    settings    set = {.family = FAMILY_TOP};
    const char *bad;
    open_key    to;

    if (argc != 3 && argc != 6)
        return RM_WrongArity(ctx);
    if (!key_open_of(ctx, argv[1], ACCESS_ANY, FAMILY_TOP, NULL, &to))
        return RM_OK;
    if (to.value != NULL)
        RM_ReplyWithError(ctx, "TopK: key already exists");
    else if ((bad = read_size(argv, argc, &set)) != NULL)
        RM_ReplyWithError(ctx, bad);
    else
        make(ctx, &to, &set);
    key_close(&to);
    return RM_OK;
}

/* Adds to a key's count, and replies with the key that had to leave, or null. */
static bool add_one(RM_Ctx *ctx, value *v, RM_String *word, uint64_t increment)
{
    size_t      bytes;
    const char *key = RM_StringPtrLen(word, &bytes);
    account    *memory = &v->body->memory;
    ink_error   error;
    heap_slot   expelled;

    if (ink_sketch_add_weight(v->body->sketch, key, bytes, increment, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return false;
    }
    const int64_t count = ink_sketch_times(v->body->sketch, key, bytes);
    switch (heap_offer(v->heap, key, bytes, count < 0 ? 0 : (uint64_t)count, memory, &expelled)) {
    case HEAP_NO_MEMORY:
        reply_no_memory(ctx);
        break;
    case HEAP_EXPELLED:
        RM_ReplyWithStringBuffer(ctx, heap_key(&expelled), expelled.bytes);
        heap_give(&expelled, memory);
        break;
    default:
        RM_ReplyWithNull(ctx);
    }
    return true;
}

static int change(RM_Ctx *ctx, RM_String **argv, int argc, int step, const char *event)
{
    long long increment = 1;
    bool      changed = false;
    open_key  to;

    if ((argc - 2) % step != 0)
        return RM_WrongArity(ctx);
    if (!key_open_of(ctx, argv[1], ACCESS_WRITE, FAMILY_TOP, NO_KEY, &to))
        return RM_OK;
    RM_ReplyWithArray(ctx, (argc - 2) / step);
    for (int i = 2; i < argc; i += step)
        if (step == 2 && (!argument_whole(argv[i + 1], &increment) || increment < 0 ||
                          increment > INCREMENT_MAX))
            RM_ReplyWithError(ctx, BAD_INCREMENT);
        else
            changed |= add_one(ctx, to.value, argv[i], (uint64_t)increment);
    if (changed) {
        key_changed(ctx, &to, event);
        RM_ReplicateVerbatim(ctx);
    }
    key_close(&to);
    return RM_OK;
}

static int add(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return change(ctx, argv, argc, 1, "topk.add");
}

static int increase(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return change(ctx, argv, argc, 2, "topk.incrby");
}

static int ask(RM_Ctx *ctx, RM_String **argv, int argc, bool counts)
{
    open_key    of;
    size_t      bytes;
    const char *key;

    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_TOP, NO_KEY, &of))
        return RM_OK;
    RM_ReplyWithArray(ctx, argc - 2);
    for (int i = 2; i < argc; i++) {
        key = RM_StringPtrLen(argv[i], &bytes);
        if (counts)
            RM_ReplyWithLongLong(ctx, ink_sketch_times(of.value->body->sketch, key, bytes));
        else
            RM_ReplyWithBool(ctx, heap_has(of.value->heap, key, bytes));
    }
    key_close(&of);
    return RM_OK;
}

static int query(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return ask(ctx, argv, argc, false);
}

static int count(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return ask(ctx, argv, argc, true);
}

static int list(RM_Ctx *ctx, RM_String **argv, int argc)
{
    const bool counted = argc == 3 && argument_is(argv[2], "withcount");
    open_key   of;

    if (argc > 3)
        return RM_WrongArity(ctx);
    if (argc == 3 && !counted)
        return RM_ReplyWithError(ctx, "WITHCOUNT keyword expected");
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_TOP, NO_KEY, &of))
        return RM_OK;
    const heap_slot **slots = memory_scratch(heap_room(of.value->heap) * sizeof *slots);
    if (slots == NULL) {
        reply_no_memory(ctx);
    } else {
        const uint64_t found = heap_list(of.value->heap, slots);
        RM_ReplyWithArray(ctx, (long)(counted ? 2 * found : found));
        for (uint64_t i = 0; i < found; i++) {
            RM_ReplyWithStringBuffer(ctx, heap_key(slots[i]), slots[i]->bytes);
            if (counted)
                RM_ReplyWithLongLong(ctx, (long long)slots[i]->count);
        }
    }
    key_close(&of);
    return RM_OK;
}

static int info(RM_Ctx *ctx, RM_String **argv, int argc)
{
    open_key of;

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_TOP, NO_KEY, &of))
        return RM_OK;
    RM_ReplyWithMap(ctx, 4);
    reply_field(ctx, "k", of.value->set.k);
    reply_field(ctx, "width", of.value->set.width);
    reply_field(ctx, "depth", of.value->set.depth);
    RM_ReplyWithSimpleString(ctx, "decay");
    RM_ReplyWithDouble(ctx, of.value->set.decay);
    key_close(&of);
    return RM_OK;
}

const command top_commands[] = {
    {"topk.reserve", reserve, -3, 'i', KEYS_FIRST, "key k [width] [depth] [decay]",
     "Makes an empty list", "O(k)"},
    {"topk.add", add, -3, 'i', KEYS_FIRST, "key item...", "Adds items, and which had to leave",
     "O(items k)"},
    {"topk.incrby", increase, -4, 'i', KEYS_FIRST, "key (item increment...)",
     "Adds to the counts of items, and which had to leave", "O(items k)"},
    {"topk.query", query, -3, 'r', KEYS_FIRST, "key item...", "Which items are among the top k",
     "O(items k)"},
    {"topk.count", count, -3, 'r', KEYS_FIRST, "key item...", "The counts of items", "O(items)"},
    {"topk.list", list, -2, 'r', KEYS_FIRST, "key [WITHCOUNT]",
     "The top k, the most frequent first", "O(k log k)"},
    {"topk.info", info, 2, 'r', KEYS_FIRST, "key", "k, width, depth and decay of a list", "O(1)"},
    {0},
};
