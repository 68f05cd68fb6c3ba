/* checksum.c - XXH3 as checksum and digest. */
#include "format/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t ink__checksum(const uint8_t *bytes, uint64_t count)
{
    return XXH3_64bits(bytes, (size_t)count);
}

static void write_digest(XXH128_hash_t hash, uint8_t digest[INK_DIGEST_BYTES])
{
    XXH128_canonical_t canonical;

    XXH128_canonicalFromHash(&canonical, hash);
    memcpy(digest, canonical.digest, INK_DIGEST_BYTES);
}

void ink__digest(const uint8_t *bytes, uint64_t count, uint8_t digest[INK_DIGEST_BYTES])
{
    write_digest(XXH3_128bits(bytes, (size_t)count), digest);
}

_Static_assert(sizeof(XXH3_state_t) <= sizeof(ink__digester), "the state fits the digester");

static XXH3_state_t *state_of(ink__digester *digester)
{
    return (XXH3_state_t *)(void *)digester->state;
}

void ink__digest_begin(ink__digester *digester)
{
    memset(digester, 0, sizeof *digester);
    XXH3_128bits_reset(state_of(digester));
}

void ink__digest_add(ink__digester *digester, const uint8_t *bytes, uint64_t count)
{
    XXH3_128bits_update(state_of(digester), bytes, (size_t)count);
}

void ink__digest_end(const ink__digester *digester, uint8_t digest[INK_DIGEST_BYTES])
{
    write_digest(XXH3_128bits_digest((const XXH3_state_t *)(const void *)digester->state), digest);
}
