/* checksum.h - the sums that guard every byte of a file, and the digest that names its contents. */
#ifndef INK_BASE_CHECKSUM_H
#define INK_BASE_CHECKSUM_H

#include "inkling.h"

#ifndef XXH_STATIC_LINKING_ONLY
#define XXH_STATIC_LINKING_ONLY /* for its type of state */
#endif
#include <xxhash.h>

/* XXH3-64 with seed 0. */
uint64_t ink__checksum(const uint8_t *bytes, uint64_t count);

/* XXH3-128 with seed 0, most significant byte first; at once, or in parts. */
void ink__digest(const uint8_t *bytes, uint64_t count, uint8_t digest[INK_DIGEST_BYTES]);

typedef struct ink__digester {
    XXH3_state_t state;
} ink__digester;

void ink__digest_begin(ink__digester *digester);
void ink__digest_add(ink__digester *digester, const uint8_t *bytes, uint64_t count);
void ink__digest_end(const ink__digester *digester, uint8_t digest[INK_DIGEST_BYTES]);

#endif
