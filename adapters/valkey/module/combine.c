/* combine.c - see combine.h. The result is a value of its own, which takes the place of the old one
 * when it is whole. */
#include "combine.h"

#include "arguments.h"
#include "keys.h"
#include "reply.h"

#include <string.h>

#define GONE "ERR a key was changed, deleted, renamed or expired meanwhile: nothing is done"

/* ---- One result --------------------------------------------------------------------------- */

static void run(task *t)
{
    combination        *c = (combination *)t;
    const ink_allocator memory = memory_of(&c->made->body->memory);
    ink_sketch         *sketch = NULL;

    c->status = c->make(c, &memory, &sketch);
    if (c->status == INK_OK && sketch != NULL)
        value_take(c->made, sketch);
    else
        ink_sketch_free(sketch);
}

void combine_free(combination *c)
{
    value_free(c->made);
    task_free(&c->base);
}

/* Whether every key still has what was read of it. */
static bool still_there(RM_Ctx *ctx, const combination *c)
{
    const task *t = &c->base;
    bool        same = true;

    for (size_t i = 0; same && i < t->read_count; i++) {
        open_key of;
        if (!key_look(ctx, t->words[i == 0 ? 1 : i + (size_t)c->shift], &of))
            return false;
        same = (of.value == NULL ? NULL : of.value->body) == t->read[i];
        key_close(&of);
    }
    return same;
}

/* Puts the result where the old value was, or where none was. */
static bool put(RM_Ctx *ctx, combination *c)
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
    key_changed(ctx, &to, c->name);
    key_close(&to);
    if (c->base.blocked == NULL)
        RM_ReplicateVerbatim(ctx);
    else
        RM_Replicate(ctx, c->name, "v", c->base.words + 1, (size_t)c->base.word_count - 1);
    return true;
}

static void finish(RM_Ctx *ctx, task *t)
{
    combination *c = (combination *)t;

    if (c->status != INK_OK)
        reply_failure(ctx, &c->error);
    else if (c->made->body->sketch == NULL)
        c->reply(ctx, c);
    else if (t->blocked != NULL && !still_there(ctx, c))
        RM_ReplyWithError(ctx, GONE);
    else if (put(ctx, c))
        c->reply(ctx, c);
    combine_free(c);
}

combination *combine_create(RM_Ctx *ctx, const char *name, size_t bodies)
{
    combination *c = (combination *)task_create(sizeof *c, bodies);

    if (c != NULL && (c->made = value_create(FAMILY_NATIVE)) == NULL) {
        task_free(&c->base);
        c = NULL;
    }
    if (c == NULL) {
        reply_no_memory(ctx);
        return NULL;
    }
    c->base.run = run;
    c->base.finish = finish;
    c->name = name;
    c->shift = 1;
    return c;
}

int combine_start(RM_Ctx *ctx, combination *c, RM_String **argv, int argc)
{
    return task_start(ctx, &c->base, argv, argc);
}

/* ---- Native commands ---------------------------------------------------------------------- */

/* A sketch of all keys: the first is copied, the others are merged into it. NULL: none exists. */
static ink_status merge_all(combination *c, const ink_allocator *memory,
                            const ink_merge_options *options, ink_sketch **sketch)
{
    ink_status status = INK_OK;

    for (size_t i = 0; status == INK_OK && i < c->base.read_count; i++)
        if (c->base.read[i] == NULL)
            continue;
        else if (*sketch == NULL)
            status = ink_sketch_copy(sketch, c->base.read[i]->sketch, memory, &c->error);
        else
            status = ink_sketch_merge(*sketch, c->base.read[i]->sketch, options, &c->error);
    return status;
}

static ink_status make_merged(combination *c, const ink_allocator *memory, ink_sketch **sketch)
{
    return merge_all(c, memory, NULL, sketch);
}

static ink_status make_folded(combination *c, const ink_allocator *memory, ink_sketch **sketch)
{
    const ink_status status = merge_all(c, memory, NULL, sketch);

    return status != INK_OK ? status
                            : ink_sketch_fold_to_rate(*sketch, c->rate, &c->divisor, &c->error);
}

/* The union is asked where it was made, and forgotten. */
static ink_status ask_distinct(combination *c, const ink_allocator *memory, ink_sketch **none)
{
    const ink_merge_options parts = {.parts = true}; /* its rate is of no interest */
    ink_sketch             *all = NULL;
    ink_status              status;

    (void)none;
    c->answer = (ink_answer){.confidence = 1}; /* of a set without keys */
    if (c->base.read_count == 1)
        return c->base.read[0] == NULL
                   ? INK_OK
                   : ink_sketch_distinct(c->base.read[0]->sketch, 0, &c->answer, &c->error);
    status = merge_all(c, memory, &parts, &all);
    if (status == INK_OK && all != NULL)
        status = ink_sketch_distinct(all, 0, &c->answer, &c->error);
    ink_sketch_free(all);
    return status;
}

static void reply_merged(RM_Ctx *ctx, const combination *c)
{
    (void)c;
    reply_ok(ctx);
}

static void reply_folded(RM_Ctx *ctx, const combination *c)
{
    RM_ReplyWithLongLong(ctx, (long long)c->divisor);
}

static void reply_distinct(RM_Ctx *ctx, const combination *c)
{
    reply_answer(ctx, &c->answer);
}

/* Takes key `i`; a missing one is an empty set. */
static bool add_source(RM_Ctx *ctx, combination *c, RM_String *name, size_t i, access how,
                       bool *any)
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
        if (!*any && from.value->heap == NULL)
            c->made->set = from.value->set;
        c->base.read[i] = body_hold(from.value->body);
        *any = true;
    }
    key_close(&from);
    return true;
}

/* Takes the keys, which are the words after the name. `none`: the error if none of them exists. */
static int start(RM_Ctx *ctx, combination *c, RM_String **argv, int argc, access first,
                 const char *none)
{
    bool any = false;

    for (size_t i = 0; i < c->base.read_count; i++)
        if (!add_source(ctx, c, argv[i + 1], i, i == 0 ? first : ACCESS_READ, &any)) {
            combine_free(c);
            return RM_OK;
        }
    if (any || none == NULL)
        return combine_start(ctx, c, argv, argc);
    combine_free(c);
    return RM_ReplyWithError(ctx, none);
}

int combine_merge(RM_Ctx *ctx, RM_String **argv, int argc)
{
    combination *c = combine_create(ctx, "ink.merge", (size_t)argc - 1);

    if (c == NULL)
        return RM_OK;
    c->make = make_merged;
    c->reply = reply_merged;
    return start(ctx, c, argv, argc, ACCESS_WRITE, "ERR none of these keys exists");
}

int combine_fold(RM_Ctx *ctx, RM_String **argv, int argc)
{
    combination *c;
    double       rate;

    if (!argument_real(argv[2], &rate) || rate <= 0 || rate >= 1)
        return RM_ReplyWithError(ctx, "ERR rate: expected a number between 0 and 1");
    if ((c = combine_create(ctx, "ink.fold", 1)) == NULL)
        return RM_OK;
    c->make = make_folded;
    c->reply = reply_folded;
    c->rate = rate;
    return start(ctx, c, argv, argc, ACCESS_WRITE, "ERR no such key");
}

int combine_distinct(RM_Ctx *ctx, RM_String **argv, int argc)
{
    combination *c = combine_create(ctx, "ink.distinct", (size_t)argc - 1);

    if (c == NULL)
        return RM_OK;
    c->make = ask_distinct;
    c->reply = reply_distinct;
    return start(ctx, c, argv, argc, ACCESS_READ, NULL);
}
