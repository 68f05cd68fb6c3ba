/* stored.h - what bytes from elsewhere, the directory of a file or a head, say of a sketch: key
 * rule, kind and how it is laid out, checked before anything is made of it. */
#ifndef INK_SKETCH_STORED_H
#define INK_SKETCH_STORED_H

#include "format/layout.h"
#include "sketch/kinds/kind.h"

/* Turns what a rule or a kind complained of, the number of a field or a place within the payload at
 * `payload_at`, into a place among the bytes. */
ink_status ink__stored_placed(ink_status status, uint64_t field_at, uint64_t payload_at,
                              ink_error *error);

/* The key rule that a header tells; `scheme` is left to the position rule. INK_FORMAT at the byte
 * of the header. `error` is not NULL, here and below. */
ink_status ink__stored_rule(const ink__identity *keys, ink__key_rule *rule, ink_error *error);

/* The numbers that say which kind it is, as they stand one behind the other. */
typedef struct ink__stored_kind {
    uint16_t kind;
    uint16_t position_rule;
    uint16_t layout;
} ink__stored_kind;

/* The kind that they name, and the draw of the rule under it. `at` is where they stand. */
ink_status ink__stored_kind_of(const ink__stored_kind *numbers, uint64_t at, ink__key_rule *rule,
                               const ink__kind **kind, ink_error *error);

#endif
