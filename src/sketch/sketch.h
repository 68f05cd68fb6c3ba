/* sketch.h - what the public calls share: plans, descriptions, and sketches made of them; and what
 * untrusted bytes, a directory or a head, state of a sketch. */
#ifndef INK_SKETCH_SKETCH_H
#define INK_SKETCH_SKETCH_H

#include "sketch/kinds/kind.h"

/* All of a sketch but its payload. May hold a secret: to be wiped. */
typedef struct ink__plan {
    ink__key_rule rule;
    ink__shape    shape;
    uint64_t      records;
} ink__plan;

/* A sketch of a kind that is made whole, of the hashes in a set, which has no values; `one` is its
 * plan for one key, with the records (whole.c). */
struct ink__hash_set;
ink_status ink__whole_of_set(ink_sketch **sketch, const ink__plan *one, double rate,
                             const struct ink__hash_set *set, uint64_t count,
                             const ink_allocator *allocator, ink_error *error);

/* INK_USAGE if it were to be concurrent, which is for one sketch alone. */
ink_status ink__sketch_plan(const ink_params *params, ink__plan *planned, ink_error *error);

/* ---- Concurrent sketches (share.c) -------------------------------------------------------- */

/* A sketch that stands still: one with one writer itself, of a concurrent one a copy. */
typedef struct ink__held {
    const ink_sketch *sketch;
    ink_sketch       *copy;
} ink__held;

/* To be let go, unless it fails. */
ink_status ink__hold(ink__held *held, const ink_sketch *sketch, ink_error *error);
void       ink__let_go(ink__held *held);

/* Makes the copy. */
ink_status ink__snapshot(ink_sketch **sketch, const ink_sketch *from,
                         const ink_allocator *allocator, ink_error *error);

/* ------------------------------------------------------------------------------------------- */

/* Adds keys that do not seem to be in, as the function of a kind (add_new), for any filter; there
 * is room for them. */
size_t ink__sketch_add_new(ink_sketch *sketch, const ink__keys *keys, uint8_t *was_new);

/* Describes a sketch of this shape, as far as the shape determines it. */
void ink__describe(const ink__key_rule *rule, const ink__shape *shape,
                   ink_description *description);

/* INK_MISMATCH unless two descriptions are of one plan. The message has both values, with `between`
 * and `after` around the second. */
ink_status ink__same_plan(const ink_description *a, const ink_description *b, const char *between,
                          const char *after, ink_error *error);

/* The entries of one kind and group in a file that have a slot: from *first on, by rising time. The
 * kind is NULL if the file has only one. */
ink_status ink__file_slots(const ink_file *file, const char *kind, const ink_label *label,
                           size_t *first, size_t *count, ink_error *error);

/* Makes a sketch with this payload: a read-only view, or a copy; empty if it is NULL. */
ink_status ink__sketch_open(ink_sketch **sketch, const ink__plan *of, const uint8_t *payload,
                            bool view, const ink_allocator *allocator, ink_error *error);

/* Checks the bytes of a view of a lazily opened file that were not checked yet. */
ink_status ink__sketch_check_view(const ink_sketch *sketch, ink_error *error);

/* The scratch memory that the payload of a sketch needs. */
static inline uint64_t ink__scratch_bytes(const ink_sketch *sketch)
{
    return sketch->kind->scratch_bytes == NULL ? 0 : sketch->kind->scratch_bytes(sketch);
}

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

/* Heads and drafts begin as a file does, up to the key rule, and then have these numbers and two
 * bytes that are 0. */
enum { INK__STORED_KIND_AT = INK__HEADER_CHECK + 8 };
void ink__stored_put(uint8_t *to, const char *magic, uint16_t version, const ink__key_rule *rule,
                     const ink__kind *kind);
ink__stored_kind ink__stored_numbers(const uint8_t *bytes);

/* The kind that they name; sets the hash scheme of the rule. `at` is their offset. */
ink_status ink__stored_kind_of(const ink__stored_kind *numbers, uint64_t at, ink__key_rule *rule,
                               const ink__kind **kind, ink_error *error);

#endif
