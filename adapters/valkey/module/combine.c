/* combine.c - see combine.h. The result is a value of its own, which takes the place of the old one
 * when it is whole. */
#include "combine.h"

#include "arguments.h"
#include "background.h"
#include "keys.h"
#include "reply.h"

#include <string.h>

#define GONE "ERR a key was changed, deleted, renamed or expired meanwhile: nothing is done"

/* A new value of the sketches of keys: the first is copied, the others are merged into it. */
typedef struct combination {
    task       base;
    value     *made; /* its sketch is made by run() */
    double     rate; /* of INK.FOLD, which has one key; 0: merge */
    uint64_t   divisor;
    ink_status status;
    ink_error  error;
} combination;

static ink_status combine(combination *c, ink_sketch **sketch)
{
    const ink_allocator memory = memory_of(&c->made->body->memory);
    ink_status          status = INK_OK;

    *sketch = NULL;
    for (size_t i = 0; status == INK_OK && i < c->base.read_count; i++)
        if (c->base.read[i] == NULL)
            continue;
        else if (*sketch == NULL)
            status = ink_sketch_copy(sketch, c->base.read[i]->sketch, &memory, &c->error);
        else
            status = ink_sketch_merge(*sketch, c->base.read[i]->sketch, NULL, &c->error);
    if (status == INK_OK && c->rate != 0)
        status = ink_sketch_fold_to_rate(*sketch, c->rate, &c->divisor, &c->error);
    return status;
}

static void run(task *t)
{
    combination *c = (combination *)t;
    ink_sketch  *sketch;

    c->status = combine(c, &sketch);
    if (c->status == INK_OK)
        value_take(c->made, sketch);
    else
        ink_sketch_free(sketch);
}

static void end(combination *c)
{
    value_free(c->made);
    task_free(&c->base);
}

/* Whether every key still has what was read of it. */
static bool still_there(RM_Ctx *ctx, const task *t)
{
    bool same = true;

    for (size_t i = 0; same && i < t->read_count; i++) {
        open_key of;
        if (!key_look(ctx, t->words[i + 1], &of))
            return false;
        same = (of.value == NULL ? NULL : of.value->body) == t->read[i];
        key_close(&of);
    }
    return same;
}

/* Puts the result where the old value was, or where none was. */
static bool put(RM_Ctx *ctx, combination *c, const char *event)
{
    open_key to;

    if (!key_open(ctx, c->base.words[1], ACCESS_ANY, &to))
        return false;
    if (to.value != NULL) {
        value_swap(to.value, c->made);
    } else {
        key_set(&to, c->made);
        c->made = NULL;
    }
    key_changed(ctx, &to, event);
    key_close(&to);
    if (c->base.blocked == NULL)
        RM_ReplicateVerbatim(ctx);
    else
        RM_Replicate(ctx, c->rate != 0 ? "INK.FOLD" : "INK.MERGE", "v", c->base.words + 1,
                     (size_t)c->base.word_count - 1);
    return true;
}

static void finish(RM_Ctx *ctx, task *t)
{
    combination *c = (combination *)t;

    if (c->status != INK_OK)
        reply_failure(ctx, &c->error);
    else if (t->blocked != NULL && !still_there(ctx, t))
        RM_ReplyWithError(ctx, GONE);
    else if (put(ctx, c, c->rate != 0 ? "ink.fold" : "ink.merge")) {
        if (c->rate != 0)
            RM_ReplyWithLongLong(ctx, (long long)c->divisor);
        else
            reply_ok(ctx);
    }
    end(c);
}

/* Takes key `i` as a source; a missing one is an empty set. Only the first is changed. */
static bool add_source(RM_Ctx *ctx, combination *c, RM_String *name, size_t i, bool *any)
{
    open_key from;

    if (!key_open(ctx, name, i == 0 ? ACCESS_WRITE : ACCESS_READ, &from))
        return false;
    if (from.value != NULL && i == 0 && from.value->heap != NULL) {
        key_close(&from);
        RM_ReplyWithError(ctx, "ERR the list of TOPK takes keys by TOPK.ADD alone");
        return false;
    }
    if (from.value != NULL) {
        if (!*any && from.value->heap == NULL)
            c->made->set = from.value->set;
        c->base.read[i] = body_hold(from.value->body);
        *any = true;
    }
    key_close(&from);
    return true;
}

static int start(RM_Ctx *ctx, RM_String **argv, int argc, size_t keys, double rate,
                 const char *none)
{
    combination *c = (combination *)task_create(sizeof *c, keys);
    bool         any = false;

    if (c == NULL)
        return reply_no_memory(ctx);
    c->base.run = run;
    c->base.finish = finish;
    c->rate = rate;
    if ((c->made = value_create(FAMILY_NATIVE)) == NULL) {
        end(c);
        return reply_no_memory(ctx);
    }
    for (size_t i = 0; i < keys; i++)
        if (!add_source(ctx, c, argv[i + 1], i, &any)) {
            end(c);
            return RM_OK;
        }
    if (any)
        return task_start(ctx, &c->base, argv, argc);
    end(c);
    return RM_ReplyWithError(ctx, none);
}

int combine_merge(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return start(ctx, argv, argc, (size_t)argc - 1, 0, "ERR none of these keys exists");
}

int combine_fold(RM_Ctx *ctx, RM_String **argv, int argc)
{
    double rate;

    if (!argument_real(argv[2], &rate) || rate <= 0 || rate >= 1)
        return RM_ReplyWithError(ctx, "ERR rate: expected a number between 0 and 1");
    return start(ctx, argv, argc, 1, rate, "ERR no such key");
}
