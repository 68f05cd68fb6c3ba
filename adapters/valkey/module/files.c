/* files.c - see files.h. */
#include "files.h"

#include "arguments.h"
#include "encoding.h"
#include "keys.h"
#include "reply.h"
#include "type.h"

#include <string.h>

/* The numbers of an answer. */
enum { OFFSET, COUNT, GENERATION, GIVEN };

static bool read_part(RM_Ctx *ctx, RM_String **argv, int argc, uint64_t *numbers)
{
    static const char *const names[] = {"offset", "count", "generation"};
    bool                     good = argc % 2 == 0;

    for (int i = 0; good && i < argc; i += 2) {
        int name = 0;
        while (name < GIVEN && !argument_is(argv[i], names[name]))
            name++;
        good = name < GIVEN && argument_count(argv[i + 1], &numbers[name]);
        numbers[GIVEN] = 1;
    }
    if (!good)
        RM_ReplyWithError(ctx,
                          "ERR expected OFFSET, COUNT or GENERATION, and a whole number from 0 on");
    return good;
}

static void reply_part(RM_Ctx *ctx, value *v, const uint64_t *numbers)
{
    const uint64_t total = v->body->total;
    const uint64_t from = numbers[OFFSET] < total ? numbers[OFFSET] : total;
    const uint64_t count = numbers[COUNT] < total - from ? numbers[COUNT] : total - from;

    if (numbers[GIVEN] != 0) {
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
    uint64_t numbers[ENCODING_NUMBERS] = {[COUNT] = UINT64_MAX};
    open_key of;

    if (!read_part(ctx, argv + 2, argc - 2, numbers) || !key_open(ctx, argv[1], ACCESS_READ, &of))
        return RM_OK;
    if (of.value != NULL &&
        (numbers[GENERATION] == 0 || numbers[GENERATION] == of.value->generation))
        return encoding_read(ctx, &of, argv, argc, reply_part, numbers);
    if (of.value == NULL)
        RM_ReplyWithNull(ctx);
    else
        RM_ReplyWithError(ctx, "ERR the value has changed since its first piece: start again");
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

/* A value of which nothing has come; NULL after the reply that says why there is none. */
static value *begin_half(RM_Ctx *ctx, uint64_t total, const RM_String *head)
{
    value      *v = value_create(FAMILY_NATIVE);
    size_t      bytes = 0;
    const char *text = head == NULL ? NULL : RM_StringPtrLen(head, &bytes);

    if (v != NULL && text != NULL && !value_head_read(v, (const uint8_t *)text, bytes)) {
        RM_ReplyWithError(ctx, "ERR a HEAD that is not that of a value");
        value_free(v);
        return NULL;
    }
    if (v != NULL) {
        v->body->total = total;
        v->body->arrived = 0;
        v->body->bytes = memory_zeroed(&v->body->memory, total);
        if (v->body->bytes != NULL)
            return v;
    }
    reply_no_memory(ctx);
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
    value *begun = offset == 0 ? begin_half(ctx, total, headed ? argv[6] : NULL) : NULL;
    if (offset == 0 && begun == NULL) {
        key_close(&to);
        return RM_OK;
    }
    if (offset != 0 && (to.value == NULL || to.value->kind != NULL ||
                        to.value->body->total != total || to.value->body->arrived != offset)) {
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
