/* encoding.c - see encoding.h. */
#include "encoding.h"

#include "background.h"
#include "reply.h"

#include <string.h>

typedef struct encoding {
    task            base;
    encoding_reply *reply;
    uint64_t        numbers[ENCODING_NUMBERS];
    uint8_t        *bytes;
    size_t          count;
    ink_status      status;
    ink_error       error;
} encoding;

static void run(task *t)
{
    encoding *e = (encoding *)t;

    e->status = body_encode(t->read[0], &e->bytes, &e->count, &e->error);
}

/* The body keeps it, unless another reader was first. */
static void keep(encoding *e)
{
    body *of = e->base.read[0];

    if (of->bytes != NULL) {
        memory_give(&of->memory, e->bytes);
        return;
    }
    of->bytes = e->bytes;
    of->total = e->count;
}

static void finish(RM_Ctx *ctx, task *t)
{
    encoding *e = (encoding *)t;
    open_key  of = {.name = t->words[1]};

    if (e->status != INK_OK) {
        reply_failure(ctx, &e->error);
        task_free(t);
        return;
    }
    keep(e);
    if (key_look(ctx, t->words[1], &of) && of.value != NULL && of.value->body == t->read[0])
        e->reply(ctx, of.value, e->numbers);
    else
        RM_ReplyWithError(ctx, "ERR the key was deleted, renamed or expired meanwhile");
    key_close(&of);
    task_free(t);
}

int encoding_read(RM_Ctx *ctx, open_key *of, RM_String **argv, int argc, encoding_reply *reply,
                  const uint64_t numbers[ENCODING_NUMBERS])
{
    encoding *e;

    if (of->value->body->bytes != NULL) {
        reply(ctx, of->value, numbers);
        key_close(of);
        return RM_OK;
    }
    e = (encoding *)task_create(sizeof *e, 1);
    if (e == NULL) {
        key_close(of);
        return reply_no_memory(ctx);
    }
    e->base.run = run;
    e->base.finish = finish;
    e->base.read[0] = body_hold(of->value->body);
    e->reply = reply;
    memcpy(e->numbers, numbers, sizeof e->numbers);
    key_close(of);
    return task_start(ctx, &e->base, argv, argc);
}
