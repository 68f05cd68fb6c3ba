/* files.h - a value as an .ink file and back, whole or in pieces: INK.GET, INK.SET, INK.SETCHUNK.
 */
#ifndef INKLING_VALKEY_FILES_H
#define INKLING_VALKEY_FILES_H

#include "api.h"

int file_get(RM_Ctx *ctx, RM_String **argv, int argc);
int file_set(RM_Ctx *ctx, RM_String **argv, int argc);
int file_set_chunk(RM_Ctx *ctx, RM_String **argv, int argc);

#endif
