/* reply.h - answers to clients, in RESP2 and RESP3. */
#ifndef INKLING_VALKEY_REPLY_H
#define INKLING_VALKEY_REPLY_H

#include "api.h"
#include "inkling.h"

#define REPLY_WRONG_TYPE "WRONGTYPE Operation against a key holding the wrong kind of value"

int reply_ok(RM_Ctx *ctx);

/* What the library reports, in the words of the commands; or the limit that was run into. */
int reply_failure(RM_Ctx *ctx, const ink_error *error);

/* Memory was refused without a word of the library. */
int reply_no_memory(RM_Ctx *ctx);

/* A number with its bounds: whole numbers or, for shares, reals. */
int reply_answer(RM_Ctx *ctx, const ink_answer *answer);
int reply_share(RM_Ctx *ctx, const ink_answer *answer);

/* The four fields of an answer within a map that has others. */
enum { REPLY_ANSWER_FIELDS = 4 };
void reply_answer_fields(RM_Ctx *ctx, const ink_answer *answer);

/* Fields of a map. */
void reply_field(RM_Ctx *ctx, const char *name, uint64_t number);

int reply_flags(RM_Ctx *ctx, const uint8_t *flags, size_t count);

#endif
