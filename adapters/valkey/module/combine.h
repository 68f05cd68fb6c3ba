/* combine.h - commands that make a new value of others: INK.MERGE and INK.FOLD. */
#ifndef INKLING_VALKEY_COMBINE_H
#define INKLING_VALKEY_COMBINE_H

#include "api.h"

int combine_merge(RM_Ctx *ctx, RM_String **argv, int argc);
int combine_fold(RM_Ctx *ctx, RM_String **argv, int argc);

#endif
