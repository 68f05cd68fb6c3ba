/* stored.h - what untrusted bytes, a directory or a head, state of a sketch: key rule, kind and
 * layout, checked before anything is made of them. */
#ifndef INK_SKETCH_STORED_H
#define INK_SKETCH_STORED_H

#include "format/layout.h"
#include "sketch/kinds/kind.h"

/* Converts the location of an error from a rule or a kind, the number of a field or a byte of the
 * payload at `payload_at`, to a byte offset. */
ink_status ink__stored_placed(ink_status status, uint64_t field_at, uint64_t payload_at,
                              ink_error *error);

/* The key rule of a header; `scheme` depends on the position rule. INK_FORMAT at the byte of the
 * header. `error` is not NULL, here and below. */
ink_status ink__stored_rule(const ink__identity *keys, ink__key_rule *rule, ink_error *error);

/* The numbers of a kind, in the order of the file. */
typedef struct ink__stored_kind {
    uint16_t kind;
    uint16_t position_rule;
    uint16_t layout;
} ink__stored_kind;

/* The kind that they name; sets the hash scheme of the rule. `at` is their offset. */
ink_status ink__stored_kind_of(const ink__stored_kind *numbers, uint64_t at, ink__key_rule *rule,
                               const ink__kind **kind, ink_error *error);

#endif
