/* salt.h - slots of hashes in a table, salted by its address, so that no one can choose keys that
 * collide in it. It changes speed, never a result. */
#ifndef INK_BASE_SALT_H
#define INK_BASE_SALT_H

#include "base/bits.h"

#include <stdint.h>

/* Odd, so that it can be multiplied by. */
static inline uint64_t ink__salt_of(const void *table)
{
    uint64_t salt = (uint64_t)(uintptr_t)table;

    salt = (salt ^ salt >> 32) * 0x9e3779b97f4a7c15u;
    salt = (salt ^ salt >> 29) * 0xbf58476d1ce4e5b9u;
    return (salt ^ salt >> 32) | 1;
}

/* The slot of a hash in a table of `slots`, a power of two and 2 at least. Hashes at equal
 * distances keep them in one product, and cluster for one salt in a few hundred; in two products,
 * with a shift between them, they do not. */
static inline uint64_t ink__salted_slot(uint64_t hash, uint64_t salt, uint64_t slots)
{
    const uint64_t product = (hash ^ salt) * salt;

    return (product ^ product >> 32) * salt >> (64 - ink__trailing_zeros_64(slots));
}

#endif
