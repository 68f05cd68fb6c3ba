/* reply.c - see reply.h. */
#include "reply.h"

#include "memory.h"

#include <stdio.h>
#include <string.h>

int reply_ok(RM_Ctx *ctx)
{
    return RM_ReplyWithSimpleString(ctx, "OK");
}

int reply_no_memory(RM_Ctx *ctx)
{
    const char *limit = memory_refused();

    return RM_ReplyWithError(ctx, limit != NULL ? limit : "ERR no memory");
}

/* As INK.CREATE has them. */
static const char *const names[] = {
    [INK_PARAMETER_EXPECTED_KEYS] = "n", [INK_PARAMETER_FALSE_POSITIVE_RATE] = "p",
    [INK_PARAMETER_EPSILON] = "eps",     [INK_PARAMETER_DELTA] = "delta",
    [INK_PARAMETER_TOP_KEYS] = "k",      [INK_PARAMETER_KEY_TYPE] = "key-type",
};

int reply_failure(RM_Ctx *ctx, const ink_error *error)
{
    char text[INK_MESSAGE_BYTES + 64] = "ERR ";

    if (error->status == INK_MEMORY)
        return reply_no_memory(ctx);
    ink_error_text_named(error, names, sizeof names / sizeof *names, text + 4, sizeof text - 4);
    return RM_ReplyWithError(ctx, text);
}

static void field_name(RM_Ctx *ctx, const char *name)
{
    RM_ReplyWithSimpleString(ctx, name);
}

void reply_field(RM_Ctx *ctx, const char *name, uint64_t number)
{
    field_name(ctx, name);
    RM_ReplyWithLongLong(ctx, number > INT64_MAX ? INT64_MAX : (long long)number);
}

void reply_answer_fields(RM_Ctx *ctx, const ink_answer *answer)
{
    reply_field(ctx, "estimate", ink_nearest_whole(answer->estimate));
    reply_field(ctx, "low", ink_nearest_whole(answer->low));
    reply_field(ctx, "high", ink_nearest_whole(answer->high));
    field_name(ctx, "confidence");
    RM_ReplyWithDouble(ctx, answer->confidence);
}

int reply_answer(RM_Ctx *ctx, const ink_answer *answer)
{
    RM_ReplyWithMap(ctx, REPLY_ANSWER_FIELDS);
    reply_answer_fields(ctx, answer);
    return RM_OK;
}

int reply_share(RM_Ctx *ctx, const ink_answer *answer)
{
    const struct {
        const char *name;
        double      number;
    } fields[REPLY_ANSWER_FIELDS] = {{"estimate", answer->estimate},
                                     {"low", answer->low},
                                     {"high", answer->high},
                                     {"confidence", answer->confidence}};

    RM_ReplyWithMap(ctx, REPLY_ANSWER_FIELDS);
    for (int i = 0; i < REPLY_ANSWER_FIELDS; i++) {
        field_name(ctx, fields[i].name);
        RM_ReplyWithDouble(ctx, fields[i].number);
    }
    return RM_OK;
}

int reply_flags(RM_Ctx *ctx, const uint8_t *flags, size_t count)
{
    RM_ReplyWithArray(ctx, (long)count);
    for (size_t i = 0; i < count; i++)
        RM_ReplyWithBool(ctx, flags[i]);
    return RM_OK;
}
