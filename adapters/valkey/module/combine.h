/* combine.h - results of the values of several keys, large ones in a thread: INK.MERGE, INK.FOLD,
 * INK.DISTINCT, and what other commands make so. */
#ifndef INKLING_VALKEY_COMBINE_H
#define INKLING_VALKEY_COMBINE_H

#include "background.h"

typedef struct combination combination;

struct combination {
    task        base;  /* reads the bodies of the keys */
    const char *name;  /* of the command, and of its event */
    int         shift; /* body 0 is that of word 1, body i that of word i + shift */
    /* Makes the new sketch of the first key, perhaps in a thread; none: it only answers. */
    ink_status (*make)(combination *c, const ink_allocator *memory, ink_sketch **sketch);
    void (*reply)(RM_Ctx *ctx, const combination *c);
    value     *made; /* takes the place of the first key's, or NULL */
    double     rate; /* of INK.FOLD ... */
    uint64_t   divisor;
    ink_answer answer;  /* ... of INK.DISTINCT ... */
    int        weights; /* ... of CMS.MERGE: the word of the first one; 0: none */
    ink_status status;
    ink_error  error;
};

/* Room for this many bodies, of which none is held yet; made->set is that of a native value. NULL:
 * no memory, which is replied. */
combination *combine_create(RM_Ctx *ctx, const char *name, size_t bodies);

/* Replies, now or when it is made, and frees it. */
int  combine_start(RM_Ctx *ctx, combination *c, RM_String **argv, int argc);
void combine_free(combination *c);

int combine_merge(RM_Ctx *ctx, RM_String **argv, int argc);
int combine_fold(RM_Ctx *ctx, RM_String **argv, int argc);
int combine_distinct(RM_Ctx *ctx, RM_String **argv, int argc);

#endif
