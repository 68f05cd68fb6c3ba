/* siphash.h - SipHash-2-4: a keyed hash that an adversary without the key cannot steer
 * [Aumasson, Bernstein 2012]. */
#ifndef INK_HASH_SIPHASH_H
#define INK_HASH_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* `secret` are the 16 bytes of the key as two little-endian words. */
uint64_t ink__siphash(const uint64_t secret[2], const uint8_t *key, size_t bytes);

#endif
