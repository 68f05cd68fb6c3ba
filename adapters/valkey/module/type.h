/* type.h - the data type `inksketch`: what the server asks of every type of keys. */
#ifndef INKLING_VALKEY_TYPE_H
#define INKLING_VALKEY_TYPE_H

#include "value.h"

extern RM_Type *type_of_sketches;

/* Registers it, while the module is loaded. */
int type_register(RM_Ctx *ctx);

/* Gives a value the sketch of an .ink file, which has one without a label. */
ink_status type_decode(value *v, const void *data, size_t bytes, ink_error *error);

/* Makes the sketch of a half value whose bytes have all come. */
ink_status type_complete(value **whole, const value *half, ink_error *error);

#endif
