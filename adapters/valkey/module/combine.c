/* combine.c - see combine.h. The result is a value of its own, which takes the place of the old one
 * when it is whole. */
#include "combine.h"

#include "arguments.h"
#include "keys.h"
#include "reply.h"

#include <string.h>

/* A new value of the sketches of others. */
typedef struct combination {
    value    *made;  /* its sketch is made by combine() */
    size_t    count; /* of sources: the first is copied, the others merged into it ... */
    body    **sources;
    double    rate; /* ... or it alone is folded to this rate; 0: merge */
    uint64_t  divisor;
    ink_error error;
} combination;

static ink_status combine(combination *c)
{
    const ink_allocator memory = memory_of(&c->made->body->memory);
    ink_sketch         *sketch;
    ink_status status = ink_sketch_copy(&sketch, c->sources[0]->sketch, &memory, &c->error);

    if (status != INK_OK)
        return status;
    if (c->rate != 0)
        status = ink_sketch_fold_to_rate(sketch, c->rate, &c->divisor, &c->error);
    for (size_t i = 1; status == INK_OK && i < c->count; i++)
        status = ink_sketch_merge(sketch, c->sources[i]->sketch, NULL, &c->error);
    if (status != INK_OK)
        ink_sketch_free(sketch);
    else
        value_take(c->made, sketch);
    return status;
}

/* Room for the sources of a command with this number of words, or NULL after an error. */
static combination *begin(RM_Ctx *ctx, int argc)
{
    combination *c = RM_TryAlloc(sizeof *c + (size_t)argc * sizeof *c->sources);

    if (c == NULL || (memset(c, 0, sizeof *c), c->made = value_create(FAMILY_NATIVE)) == NULL) {
        RM_Free(c);
        reply_no_memory(ctx);
        return NULL;
    }
    c->sources = (body **)(c + 1);
    return c;
}

static int end(combination *c)
{
    for (size_t i = 0; i < c->count; i++)
        body_release(c->sources[i]);
    value_free(c->made);
    RM_Free(c);
    return RM_OK;
}

/* Takes a key as a source; a missing one is an empty set. */
static bool add_source(RM_Ctx *ctx, combination *c, RM_String *name, access how)
{
    open_key from;

    if (!key_open(ctx, name, how, &from))
        return false;
    if (from.value != NULL && how == ACCESS_WRITE && from.value->heap != NULL) {
        key_close(&from);
        RM_ReplyWithError(ctx, "ERR the list of TOPK takes keys by TOPK.ADD alone");
        return false;
    }
    if (from.value != NULL) {
        if (c->count == 0 && from.value->heap == NULL)
            c->made->set = from.value->set;
        c->sources[c->count++] = body_hold(from.value->body);
    }
    key_close(&from);
    return true;
}

/* Puts the result where the old value was, or where none was. */
static bool put(RM_Ctx *ctx, combination *c, RM_String *name, const char *event)
{
    open_key to;

    if (!key_open(ctx, name, ACCESS_ANY, &to))
        return false;
    if (to.value != NULL) {
        value_swap(to.value, c->made);
    } else {
        key_set(&to, c->made);
        c->made = NULL;
    }
    key_changed(ctx, &to, event);
    key_close(&to);
    RM_ReplicateVerbatim(ctx);
    return true;
}

int combine_merge(RM_Ctx *ctx, RM_String **argv, int argc)
{
    combination *c = begin(ctx, argc);

    if (c == NULL)
        return RM_OK;
    for (int i = 1; i < argc; i++)
        if (!add_source(ctx, c, argv[i], i == 1 ? ACCESS_WRITE : ACCESS_READ))
            return end(c);
    if (c->count == 0)
        RM_ReplyWithError(ctx, "ERR none of these keys exists");
    else if (combine(c) != INK_OK)
        reply_failure(ctx, &c->error);
    else if (put(ctx, c, argv[1], "ink.merge"))
        reply_ok(ctx);
    return end(c);
}

int combine_fold(RM_Ctx *ctx, RM_String **argv, int argc)
{
    double       rate;
    combination *c;

    if (!argument_real(argv[2], &rate) || rate <= 0 || rate >= 1)
        return RM_ReplyWithError(ctx, "ERR rate: expected a number between 0 and 1");
    if ((c = begin(ctx, argc)) == NULL)
        return RM_OK;
    c->rate = rate;
    if (!add_source(ctx, c, argv[1], ACCESS_WRITE))
        return end(c);
    if (c->count == 0)
        RM_ReplyWithError(ctx, "ERR no such key");
    else if (combine(c) != INK_OK)
        reply_failure(ctx, &c->error);
    else if (put(ctx, c, argv[1], "ink.fold"))
        RM_ReplyWithLongLong(ctx, (long long)c->divisor);
    return end(c);
}
