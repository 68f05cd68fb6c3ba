/* hash_set.h - a set of 64-bit hashes as a table: a slot holds a hash, and perhaps a word that
 * belongs to it; a hash of 0 is a free slot, and a hash is searched from its salted slot on, so
 * that a search takes one cache line. The memory of the table is the caller's. */
#ifndef INK_BASE_HASH_SET_H
#define INK_BASE_HASH_SET_H

#include "base/salt.h"

#include <stdbool.h>

typedef struct ink__hash_set {
    uint64_t *words; /* cleared at first: `slots` slots, and one more for the hash 0 */
    uint64_t  slots; /* a power of two */
    uint64_t  salt;
    unsigned  valued; /* 1: a slot has two words, the second for the caller; 0: it has one */
} ink__hash_set;

/* Hashes are prefetched this many before they are searched. */
enum { INK__HASH_SET_AHEAD = 16, INK__HASH_SET_SLOTS_MIN = 16 };

/* How many hashes fill a table of `slots`: three quarters. */
static inline uint64_t ink__hash_set_room(uint64_t slots)
{
    return slots / 4 * 3;
}

/* The slots for `hashes` hashes, fewer than 2^59. */
static inline uint64_t ink__hash_set_slots(uint64_t hashes)
{
    uint64_t slots = INK__HASH_SET_SLOTS_MIN;

    while (ink__hash_set_room(slots) < hashes)
        slots *= 2;
    return slots;
}

static inline uint64_t ink__hash_set_bytes(uint64_t slots, unsigned valued)
{
    return (slots + 1) * 8 << valued;
}

static inline void ink__hash_set_fetch(const ink__hash_set *set, uint64_t hash)
{
    __builtin_prefetch(&set->words[ink__salted_slot(hash, set->salt, set->slots) << set->valued],
                       1);
}

static inline bool ink__hash_set_has(const ink__hash_set *set, uint64_t slot)
{
    return set->words[slot << set->valued] != 0;
}

/* The hash in a slot that is not free. */
static inline uint64_t ink__hash_set_at(const ink__hash_set *set, uint64_t slot)
{
    return slot == set->slots ? 0 : set->words[slot << set->valued];
}

/* The second word of a slot, where there is one. */
static inline uint64_t *ink__hash_set_value(const ink__hash_set *set, uint64_t slot)
{
    return &set->words[2 * slot + 1];
}

/* The first slot from `slot` on that has this hash, which is not 0, or is free. */
static inline uint64_t ink__hash_set_next(const ink__hash_set *set, uint64_t hash, uint64_t slot)
{
    const uint64_t *words = set->words, mask = set->slots - 1;
    const unsigned  valued = set->valued;

    for (slot &= mask; words[slot << valued] != 0 && words[slot << valued] != hash;)
        slot = (slot + 1) & mask;
    return slot;
}

/* The slot of a hash, or the free one that it goes to. */
static inline uint64_t ink__hash_set_find(const ink__hash_set *set, uint64_t hash)
{
    if (hash == 0)
        return set->slots;
    return ink__hash_set_next(set, hash, ink__salted_slot(hash, set->salt, set->slots));
}

static inline void ink__hash_set_put(const ink__hash_set *set, uint64_t slot, uint64_t hash)
{
    set->words[slot << set->valued] = hash == 0 ? 1 : hash;
}

/* Puts all hashes of a table, with their words, into a larger one. Equal ones stay apart. */
static inline void ink__hash_set_move(const ink__hash_set *to, const ink__hash_set *from)
{
    for (uint64_t slot = 0; slot <= from->slots; slot++) {
        if (!ink__hash_set_has(from, slot))
            continue;
        uint64_t hash = ink__hash_set_at(from, slot), at = ink__hash_set_find(to, hash);
        while (ink__hash_set_has(to, at))
            at = ink__hash_set_next(to, hash, at + 1);
        ink__hash_set_put(to, at, hash);
        if (to->valued)
            *ink__hash_set_value(to, at) = *ink__hash_set_value(from, slot);
    }
}

#endif
