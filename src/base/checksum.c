/* checksum.c - XXH3 as checksum and digest. */
#define XXH_INLINE_ALL
#include "base/checksum.h"

#include <string.h>

uint64_t ink__checksum(const uint8_t *bytes, uint64_t count)
{
    return XXH3_64bits(bytes, (size_t)count);
}

/* The library's canonical form is an array of as many bytes, and nothing else. */
_Static_assert(sizeof(XXH128_canonical_t) == INK_DIGEST_BYTES, "it is written in place");

void ink__digest(const uint8_t *bytes, uint64_t count, uint8_t digest[INK_DIGEST_BYTES])
{
    XXH128_canonicalFromHash((XXH128_canonical_t *)digest, XXH3_128bits(bytes, (size_t)count));
}

void ink__digest_begin(ink__digester *digester)
{
    memset(digester, 0, sizeof *digester);
    XXH3_128bits_reset(&digester->state);
}

void ink__digest_add(ink__digester *digester, const uint8_t *bytes, uint64_t count)
{
    XXH3_128bits_update(&digester->state, bytes, (size_t)count);
}

void ink__digest_end(const ink__digester *digester, uint8_t digest[INK_DIGEST_BYTES])
{
    XXH128_canonicalFromHash((XXH128_canonical_t *)digest, XXH3_128bits_digest(&digester->state));
}
