/* files.c - see files.h. */
#include "files.h"

#include "arguments.h"
#include "keys.h"
#include "reply.h"
#include "type.h"

#include <string.h>

/* A part of the encoding, which is kept until its end is read or the value changes. */
typedef struct part {
    uint64_t offset, count, generation;
    bool     given, has_generation;
} part;

static bool read_part(RM_Ctx *ctx, RM_String **argv, int argc, part *p)
{
    bool good = argc % 2 == 0;

    for (int i = 0; good && i < argc; i += 2)
        if (argument_is(argv[i], "offset"))
            good = argument_count(argv[i + 1], &p->offset) && (p->given = true);
        else if (argument_is(argv[i], "count"))
            good = argument_count(argv[i + 1], &p->count) && (p->given = true);
        else
            good = argument_is(argv[i], "generation") &&
                   argument_count(argv[i + 1], &p->generation) && (p->has_generation = true);
    if (!good)
        RM_ReplyWithError(ctx,
                          "ERR expected OFFSET, COUNT or GENERATION, and a whole number from 0 on");
    return good;
}

static void reply_part(RM_Ctx *ctx, value *v, const part *p)
{
    const uint64_t total = v->body->total;
    const uint64_t from = p->offset < total ? p->offset : total;
    const uint64_t count = p->count < total - from ? p->count : total - from;

    if (p->given) {
        RM_ReplyWithArray(ctx, 3);
        RM_ReplyWithLongLong(ctx, (long long)total);
        RM_ReplyWithLongLong(ctx, (long long)v->generation);
    }
    RM_ReplyWithStringBuffer(ctx, (const char *)v->body->bytes + from, count);
    if (from + count == total)
        body_forget(v->body);
}

int file_get(RM_Ctx *ctx, RM_String **argv, int argc)
{
    part      p = {.count = UINT64_MAX};
    ink_error error;
    open_key  of;

    if (!read_part(ctx, argv + 2, argc - 2, &p) || !key_open(ctx, argv[1], ACCESS_READ, &of))
        return RM_OK;
    if (of.value == NULL)
        RM_ReplyWithNull(ctx);
    else if (p.has_generation && p.generation != of.value->generation)
        RM_ReplyWithError(ctx, "ERR the value has changed since its first piece: start again");
    else if (value_encoding(of.value, &error) != INK_OK)
        reply_failure(ctx, &error);
    else
        reply_part(ctx, of.value, &p);
    key_close(&of);
    return RM_OK;
}

int file_set(RM_Ctx *ctx, RM_String **argv, int argc)
{
    size_t      bytes;
    const char *data = RM_StringPtrLen(argv[2], &bytes);
    value      *v;
    ink_error   error;
    open_key    to;

    (void)argc;
    if (!key_open(ctx, argv[1], ACCESS_ANY, &to))
        return RM_OK;
    if ((v = value_create(FAMILY_NATIVE)) == NULL) {
        key_close(&to);
        return reply_no_memory(ctx);
    }
    if (type_decode(v, data, bytes, &error) != INK_OK) {
        value_free(v);
        reply_failure(ctx, &error);
    } else {
        key_set(&to, v);
        key_changed(ctx, &to, "ink.set");
        RM_ReplicateVerbatim(ctx);
        reply_ok(ctx);
    }
    key_close(&to);
    return RM_OK;
}

/* A value of which nothing has come. */
static value *begin_half(uint64_t total, const RM_String *head)
{
    value *v = value_create(FAMILY_NATIVE);
    size_t bytes = 0;
    bool   good = v != NULL;

    if (good && head != NULL) {
        const char *text = RM_StringPtrLen(head, &bytes);
        good = value_head_read(v, (const uint8_t *)text, bytes);
    }
    if (good) {
        v->body->total = total;
        v->body->arrived = 0;
        v->body->bytes = memory_zeroed(&v->body->memory, total);
        good = v->body->bytes != NULL;
    }
    if (good)
        return v;
    value_free(v);
    return NULL;
}

/* Takes a piece; completes the value with the last one. */
static bool take_piece(RM_Ctx *ctx, value *half, const char *data, size_t bytes)
{
    body     *of = half->body;
    value    *whole;
    ink_error error;

    memcpy(of->bytes + of->arrived, data, bytes);
    if (of->arrived + bytes < of->total || of->foreign) {
        of->arrived += bytes;
        return true;
    }
    if (type_complete(&whole, half, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return false;
    }
    value_swap(half, whole);
    value_free(whole);
    return true;
}

int file_set_chunk(RM_Ctx *ctx, RM_String **argv, int argc)
{
    size_t      bytes;
    const char *data = RM_StringPtrLen(argv[4], &bytes);
    uint64_t    offset, total;
    open_key    to;
    const bool  headed = argc == 7 && argument_is(argv[5], "head");

    if ((argc != 5 && !headed) || !argument_count(argv[2], &offset) ||
        !argument_count(argv[3], &total) || total == 0 || offset > total || bytes > total - offset)
        return RM_ReplyWithError(
            ctx,
            "ERR expected the offset of these bytes, and the total, which is not less than both");
    if (!key_open(ctx, argv[1], ACCESS_ANY, &to))
        return RM_OK;
    value *begun = offset == 0 ? begin_half(total, headed ? argv[6] : NULL) : NULL;
    if (offset == 0 && begun == NULL) {
        reply_no_memory(ctx);
    } else if (offset != 0 &&
               (to.value == NULL || to.value->kind != NULL || to.value->body->total != total ||
                to.value->body->arrived != offset)) {
        RM_ReplyWithError(ctx, "ERR a piece that does not follow the one before");
    } else {
        value *taker = begun != NULL ? begun : to.value;
        if (!take_piece(ctx, taker, data, bytes)) {
            value_free(begun);
        } else {
            if (begun != NULL)
                key_set(&to, begun);
            key_changed(ctx, &to, "ink.setchunk");
            RM_ReplicateVerbatim(ctx);
            reply_ok(ctx);
        }
    }
    key_close(&to);
    return RM_OK;
}
