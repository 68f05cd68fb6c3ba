/* arguments.h - words of a command as options, numbers and keys of a sketch. */
#ifndef INKLING_VALKEY_ARGUMENTS_H
#define INKLING_VALKEY_ARGUMENTS_H

#include "value.h"

bool argument_is(const RM_String *word, const char *name); /* in any case */

bool argument_whole(const RM_String *word, long long *number);
/* Also 1e6; false unless it is a whole number from 0 on. */
bool argument_count(const RM_String *word, uint64_t *number);
bool argument_real(const RM_String *word, double *number);

/* The keys in argv[0], argv[step], ...: `count` of them, as the sketch takes them. With `weights`,
 * those are the words after each key. Replies with an error and is false if a key of ints is no
 * number, or a weight none. The batch lives until the next call. */
bool argument_keys(RM_Ctx *ctx, const value *v, RM_String **argv, size_t count, bool weights,
                   ink_batch *batch);

/* As many bytes as keys, for answers, after argument_keys. */
uint8_t *argument_answers(void);

#endif
