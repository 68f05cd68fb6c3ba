/* cuckoo.c - the commands CF.*, which a `counting` filter answers: deletes included, without
 * growth. */
#include "arguments.h"
#include "commands.h"
#include "keys.h"
#include "reply.h"

#include <string.h>

#define NOT_FOUND "Not found"
#define FULL "Filter is full"

enum {
    CAPACITY = 1024,
    SMALLEST = 4096,
    BUCKET = 2,
    ITERATIONS = 20,
    EXPANSION = 1,
    BUCKET_BYTES = 256
};
#define RATE 0.01

typedef struct wanted {
    long long capacity, bucket, iterations, expansion;
    bool      must_exist;
} wanted;

static const wanted defaults = {
    .capacity = CAPACITY, .bucket = BUCKET, .iterations = ITERATIONS, .expansion = EXPANSION};

/* How many keys it takes: not fewer than SMALLEST, as it does not grow. */
static uint64_t takes(uint64_t capacity)
{
    return capacity < SMALLEST ? SMALLEST : capacity;
}

static value *make(RM_Ctx *ctx, const wanted *w)
{
    const ink_params params = {.kind = "counting",
                               .expected_keys = takes((uint64_t)w->capacity),
                               .false_positive_rate = RATE};
    ink_description  planned;
    ink_error        error;
    value           *made = NULL;

    if (ink_plan(&params, &planned, &error) != INK_OK)
        reply_failure(ctx, &error);
    else if (!memory_allows(planned.bytes))
        reply_no_memory(ctx);
    else if (value_make(&made, FAMILY_CUCKOO, &params, &error) != INK_OK)
        reply_failure(ctx, &error);
    if (made == NULL)
        return NULL;
    made->set.capacity = (uint64_t)w->capacity;
    made->set.bucket = (uint64_t)w->bucket;
    made->set.iterations = (uint64_t)w->iterations;
    made->set.expansion = (uint64_t)w->expansion;
    return made;
}

static bool read_number(const RM_String *word, long long min, long long max, long long *number)
{
    return argument_whole(word, number) && *number >= min && *number <= max;
}

static const char *read_options(RM_String **argv, int argc, wanted *w)
{
    for (int i = 3; i + 1 < argc; i += 2)
        if (argument_is(argv[i], "bucketsize")) {
            if (!read_number(argv[i + 1], 1, 255, &w->bucket))
                return "Couldn't parse BUCKETSIZE";
        } else if (argument_is(argv[i], "maxiterations")) {
            if (!read_number(argv[i + 1], 1, 65535, &w->iterations))
                return "Couldn't parse MAXITERATIONS";
        } else if (argument_is(argv[i], "expansion")) {
            if (!read_number(argv[i + 1], 0, 32768, &w->expansion))
                return "Couldn't parse EXPANSION";
        } else {
            return "Unknown argument received";
        }
    return NULL;
}

static int reserve(RM_Ctx *ctx, RM_String **argv, int argc)
{
    wanted      w = defaults;
    const char *bad;
    open_key    to;
    value      *made;

    if (argc % 2 == 0)
        return RM_WrongArity(ctx);
    bad = read_number(argv[2], 1, INT64_MAX, &w.capacity) ? read_options(argv, argc, &w)
                                                          : "Bad capacity";
    if (bad != NULL)
        return RM_ReplyWithError(ctx, bad);
    if (!key_open_of(ctx, argv[1], ACCESS_ANY, FAMILY_CUCKOO, NULL, &to))
        return RM_OK;
    if (to.value != NULL) {
        RM_ReplyWithError(ctx, "ERR item exists");
    } else if ((made = make(ctx, &w)) != NULL) {
        key_set(&to, made);
        key_changed(ctx, &to, "cf.reserve");
        RM_ReplicateVerbatim(ctx);
        reply_ok(ctx);
    }
    key_close(&to);
    return RM_OK;
}

/* ---- Add ---------------------------------------------------------------------------------- */

/* How a command adds, and how it answers. */
typedef struct adding {
    bool        only_new, single;
    const char *event;
} adding;

enum { ADDED = 1, KNOWN = 0, IS_FULL = -1, FAILED = -2 };

static int add_one(value *v, RM_String *word, bool only_new, ink_error *error)
{
    size_t      bytes;
    const char *key = RM_StringPtrLen(word, &bytes);

    if (only_new && ink_sketch_maybe(v->body->sketch, key, bytes) == 1)
        return KNOWN;
    if (v->set.capacity != 0 && v->items >= takes(v->set.capacity))
        return IS_FULL;
    if (ink_sketch_add(v->body->sketch, key, bytes, error) != INK_OK)
        return FAILED;
    v->items++;
    return ADDED;
}

/* Of several items RESP2 has -1 for a full filter, RESP3 false. */
static void reply_added(RM_Ctx *ctx, int found, const adding *how, const ink_error *error)
{
    const bool resp3 = (RM_GetContextFlags(ctx) & RM_FLAG_RESP3) != 0;

    if (found == FAILED)
        reply_failure(ctx, error);
    else if (found == IS_FULL && how->single)
        RM_ReplyWithError(ctx, FULL);
    else if (!how->single && (how->only_new || (found == IS_FULL && !resp3)))
        RM_ReplyWithLongLong(ctx, found);
    else
        RM_ReplyWithBool(ctx, found == ADDED);
}

static void replicate(RM_Ctx *ctx, const open_key *to, bool made, const adding *how,
                      RM_String **items, size_t count)
{
    if (made)
        RM_Replicate(ctx, how->only_new ? "CF.INSERTNX" : "CF.INSERT", "sclcv", to->name,
                     "CAPACITY", (long long)to->value->set.capacity, "ITEMS", items, count);
    else
        RM_ReplicateVerbatim(ctx);
}

static int insert_into(RM_Ctx *ctx, RM_String *name, const wanted *w, RM_String **items,
                       size_t count, const adding *how)
{
    ink_error error;
    open_key  to;
    bool      changed;

    if (!key_open_of(ctx, name, ACCESS_WRITE, FAMILY_CUCKOO, w->must_exist ? NOT_FOUND : NULL, &to))
        return RM_OK;
    const bool made = changed = to.value == NULL;
    if (made) {
        value *new = make(ctx, w);
        if (new == NULL) {
            key_close(&to);
            return RM_OK;
        }
        key_set(&to, new);
    }
    if (!how->single)
        RM_ReplyWithArray(ctx, (long)count);
    for (size_t i = 0; i < count; i++) {
        const int found = add_one(to.value, items[i], how->only_new, &error);
        changed |= found == ADDED;
        reply_added(ctx, found, how, &error);
    }
    if (changed) {
        key_changed(ctx, &to, how->event);
        replicate(ctx, &to, made, how, items, count);
    }
    key_close(&to);
    return RM_OK;
}

static int add(RM_Ctx *ctx, RM_String **argv, int argc)
{
    (void)argc;
    return insert_into(ctx, argv[1], &defaults, argv + 2, 1, &(adding){false, true, "cf.add"});
}

static int addnx(RM_Ctx *ctx, RM_String **argv, int argc)
{
    (void)argc;
    return insert_into(ctx, argv[1], &defaults, argv + 2, 1, &(adding){true, true, "cf.addnx"});
}

static int insert_items(RM_Ctx *ctx, RM_String **argv, int argc, const adding *how)
{
    wanted w = defaults;
    int    i;

    for (i = 2; i < argc && !argument_is(argv[i], "items"); i++)
        if (argument_is(argv[i], "nocreate"))
            w.must_exist = true;
        else if (!argument_is(argv[i], "capacity"))
            return RM_ReplyWithError(ctx, "Unknown argument received");
        else if (i + 1 == argc || !read_number(argv[++i], 1, INT64_MAX, &w.capacity))
            return RM_ReplyWithError(ctx, "Bad capacity");
    if (i + 1 >= argc)
        return RM_WrongArity(ctx);
    return insert_into(ctx, argv[1], &w, argv + i + 1, (size_t)(argc - i - 1), how);
}

static int insert(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return insert_items(ctx, argv, argc, &(adding){false, false, "cf.insert"});
}

static int insertnx(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return insert_items(ctx, argv, argc, &(adding){true, false, "cf.insertnx"});
}

static int del(RM_Ctx *ctx, RM_String **argv, int argc)
{
    size_t      bytes;
    const char *key = RM_StringPtrLen(argv[2], &bytes);
    ink_error   error;
    open_key    to;

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_WRITE, FAMILY_CUCKOO, NOT_FOUND, &to))
        return RM_OK;
    const ink_status status = ink_sketch_remove(to.value->body->sketch, key, bytes, &error);
    if (status == INK_OK) {
        value_recount(to.value);
        to.value->set.removed++;
        key_changed(ctx, &to, "cf.del");
        RM_ReplicateVerbatim(ctx);
    }
    if (status != INK_OK && status != INK_NOT_FOUND)
        reply_failure(ctx, &error);
    else
        RM_ReplyWithBool(ctx, status == INK_OK);
    key_close(&to);
    return RM_OK;
}

/* ---- Ask ---------------------------------------------------------------------------------- */

typedef int64_t question(const ink_sketch *sketch, const void *key, size_t bytes);

static int64_t is_in(const ink_sketch *sketch, const void *key, size_t bytes)
{
    return ink_sketch_maybe(sketch, key, bytes);
}

static int ask(RM_Ctx *ctx, RM_String **argv, int argc, question *put, bool single, bool flag)
{
    open_key    of;
    size_t      bytes;
    const char *key;

    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_CUCKOO, NULL, &of))
        return RM_OK;
    if (!single)
        RM_ReplyWithArray(ctx, argc - 2);
    for (int i = 2; i < argc; i++) {
        key = RM_StringPtrLen(argv[i], &bytes);
        const int64_t found = of.value == NULL ? 0 : put(of.value->body->sketch, key, bytes);
        if (flag)
            RM_ReplyWithBool(ctx, found > 0);
        else
            RM_ReplyWithLongLong(ctx, found);
    }
    key_close(&of);
    return RM_OK;
}

static int exists(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return ask(ctx, argv, argc, is_in, true, true);
}

static int mexists(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return ask(ctx, argv, argc, is_in, false, true);
}

static int count(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return ask(ctx, argv, argc, ink_sketch_times, true, false);
}

static int info(RM_Ctx *ctx, RM_String **argv, int argc)
{
    ink_description is;
    open_key        of;

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_CUCKOO, "ERR not found", &of))
        return RM_OK;
    ink_sketch_describe(of.value->body->sketch, &is);
    RM_ReplyWithMap(ctx, 8);
    reply_field(ctx, "Size", value_memory(of.value));
    reply_field(ctx, "Number of buckets", is.bytes / (BUCKET_BYTES / 2)); /* its blocks */
    reply_field(ctx, "Number of filters", 1);
    reply_field(ctx, "Number of items inserted", of.value->items);
    reply_field(ctx, "Number of items deleted", of.value->set.removed);
    reply_field(ctx, "Bucket size", of.value->set.bucket);
    reply_field(ctx, "Expansion rate", of.value->set.expansion);
    reply_field(ctx, "Max iterations", of.value->set.iterations);
    key_close(&of);
    return RM_OK;
}

const command cuckoo_commands[] = {
    {"cf.reserve", reserve, -3, 'i', KEYS_FIRST,
     "key capacity [BUCKETSIZE size] [MAXITERATIONS iterations] [EXPANSION expansion]",
     "Makes an empty filter", "O(size)"},
    {"cf.add", add, 3, 'i', KEYS_FIRST, "key item", "Adds an item", "O(1)"},
    {"cf.addnx", addnx, 3, 'i', KEYS_FIRST, "key item", "Adds an item unless it may be there",
     "O(1)"},
    {"cf.insert", insert, -4, 'i', KEYS_FIRST, "key [CAPACITY capacity] [NOCREATE] ITEMS item...",
     "Adds items to a filter, which is made if there is none", "O(items)"},
    {"cf.insertnx", insertnx, -4, 'i', KEYS_FIRST,
     "key [CAPACITY capacity] [NOCREATE] ITEMS item...",
     "Adds those of the items that are surely not there", "O(items)"},
    {"cf.exists", exists, 3, 'r', KEYS_FIRST, "key item", "Whether an item may be in a filter",
     "O(1)"},
    {"cf.mexists", mexists, -3, 'r', KEYS_FIRST, "key item...", "Which items may be in a filter",
     "O(items)"},
    {"cf.del", del, 3, 'd', KEYS_FIRST, "key item", "Takes an item out once", "O(1)"},
    {"cf.count", count, 3, 'r', KEYS_FIRST, "key item",
     "How often an item is in a filter, up to 15", "O(1)"},
    {"cf.info", info, 2, 'r', KEYS_FIRST, "key", "Size and items of a filter", "O(1)"},
    {0},
};
