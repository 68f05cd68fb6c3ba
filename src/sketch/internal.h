/* internal.h - what our own jobs may use of sketches besides the public calls: hashing by a key
 * rule without a sketch.
 *
 * Nothing else of src/sketch, src/hash and src/format is open to jobs. */
#ifndef INK_SKETCH_INTERNAL_H
#define INK_SKETCH_INTERNAL_H

#include "inkling.h"

/* ---- Hashing without a sketch ------------------------------------------------------------- */

/* Hashes keys as every sketch with the same key rule does. Many threads may use one. */
typedef struct ink__hasher ink__hasher;

/* A hasher with the key type, hash, seed and secret of `params`; nothing else of them is read. All
 * zero is the rule of labels. INK_USAGE as for a sketch, INK_UNSUPPORTED if the hash has no 64
 * bits. */
ink_status ink__hasher_create(ink__hasher **hasher, const ink_params *params,
                              const ink_allocator *allocator, ink_error *error);
/* Wipes the secret; NULL is allowed. */
void ink__hasher_free(ink__hasher *hasher);

/* The hashes of keys, which stand in the batch as ints or as bytes. INK_MISMATCH if the rule is for
 * the other type. */
ink_status ink__hasher_batch(const ink__hasher *hasher, const ink_batch *batch, uint64_t *hashes,
                             ink_error *error);

/* The hash of one label, by the default rule of bytes. It is the checksum of what jobs exchange,
 * too. */
uint64_t ink__hash_label(const void *bytes, size_t count);

/* The key rule that `params` name: sets key_type, hash, seed, keyed and secret_check of a
 * description, and the others to 0. */
ink_status ink__describe_rule(const ink_params *params, ink_description *description,
                              ink_error *error);

#endif
