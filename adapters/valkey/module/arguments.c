/* arguments.c - see arguments.h. */
#include "arguments.h"

#include "reply.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_BYTES = 63 };

static uint8_t *answers;

bool argument_is(const RM_String *word, const char *name)
{
    size_t      bytes;
    const char *text = RM_StringPtrLen(word, &bytes);

    return bytes == strlen(name) && strncasecmp(text, name, bytes) == 0;
}

bool argument_whole(const RM_String *word, long long *number)
{
    return RM_StringToLongLong(word, number) == RM_OK;
}

bool argument_real(const RM_String *word, double *number)
{
    char        text[NUMBER_BYTES + 1], *end;
    size_t      bytes;
    const char *from = RM_StringPtrLen(word, &bytes);

    if (bytes == 0 || bytes > NUMBER_BYTES || strchr(" \t\n\v\f\r", from[0]) != NULL)
        return false;
    memcpy(text, from, bytes);
    text[bytes] = 0;
    *number = strtod(text, &end);
    return *end == 0 && (size_t)(end - text) == bytes && isfinite(*number);
}

/* Decimal digits, from 2^63 on. */
static bool above_63_bits(const RM_String *word, uint64_t *number)
{
    enum { MOST = 20 };
    char        text[MOST + 1];
    size_t      bytes;
    const char *digits = RM_StringPtrLen(word, &bytes);

    if (bytes < MOST - 1 || bytes > MOST)
        return false;
    memcpy(text, digits, bytes);
    text[bytes] = 0;
    errno = 0;
    *number = strtoull(text, NULL, 10);
    return text[0] != '0' && strspn(text, "0123456789") == bytes && errno == 0;
}

bool argument_count(const RM_String *word, uint64_t *number)
{
    long long whole;
    double    real;

    if (argument_whole(word, &whole)) {
        *number = (uint64_t)whole;
        return whole >= 0;
    }
    if (above_63_bits(word, number))
        return true;
    if (!argument_real(word, &real) || real < 0 || real > 9e18 || floor(real) != real)
        return false;
    *number = (uint64_t)real;
    return true;
}

uint8_t *argument_answers(void)
{
    return answers;
}

static bool take_ints(RM_Ctx *ctx, RM_String **argv, size_t count, size_t step, int64_t *ints)
{
    long long whole;

    for (size_t i = 0; i < count; i++) {
        if (!argument_whole(argv[i * step], &whole)) {
            RM_ReplyWithError(
                ctx, "ERR a key that is no whole number of 64 bits, which this sketch holds");
            return false;
        }
        ints[i] = whole;
    }
    return true;
}

static bool take_weights(RM_Ctx *ctx, RM_String **argv, size_t count, uint64_t *weights)
{
    for (size_t i = 0; i < count; i++)
        if (!argument_count(argv[2 * i + 1], &weights[i])) {
            RM_ReplyWithError(ctx, "ERR a weight that is no whole number from 0 on");
            return false;
        }
    return true;
}

bool argument_keys(RM_Ctx *ctx, const value *v, RM_String **argv, size_t count, bool weights,
                   ink_batch *batch)
{
    const size_t step = weights ? 2 : 1;
    ink_key     *keys = memory_scratch(count * (sizeof *keys + sizeof(uint64_t) + 1));

    if (keys == NULL) {
        RM_ReplyWithError(ctx, "ERR no memory");
        return false;
    }
    uint64_t *counts = (uint64_t *)(keys + count);
    answers = (uint8_t *)(counts + count);
    *batch = (ink_batch){.count = count, .weights = weights ? counts : NULL};
    if (weights && !take_weights(ctx, argv, count, counts))
        return false;
    if (v->ints) {
        batch->ints = (int64_t *)keys;
        return take_ints(ctx, argv, count, step, (int64_t *)keys);
    }
    for (size_t i = 0; i < count; i++)
        keys[i].data = RM_StringPtrLen(argv[i * step], &keys[i].bytes);
    batch->keys = keys;
    return true;
}
