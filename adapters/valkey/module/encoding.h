/* encoding.h - answers from the encoding of a value, which is kept while it is read in pieces. */
#ifndef INKLING_VALKEY_ENCODING_H
#define INKLING_VALKEY_ENCODING_H

#include "keys.h"

/* Replies with a piece. */
typedef void encoding_reply(RM_Ctx *ctx, value *v, const uint64_t *numbers);

enum { ENCODING_NUMBERS = 4 };

/* Closes the key and replies, now or when a thread has encoded the value. The numbers are copied.
 */
int encoding_read(RM_Ctx *ctx, open_key *of, RM_String **argv, int argc, encoding_reply *reply,
                  const uint64_t numbers[ENCODING_NUMBERS]);

#endif
