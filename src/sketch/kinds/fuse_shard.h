/* fuse_shard.h - one shard of a fuse: how many slots a number of keys needs, and the construction
 * [Graefe, Lemire 2022: binary fuse filters, 4-wise]. */
#ifndef INK_SKETCH_KINDS_FUSE_SHARD_H
#define INK_SKETCH_KINDS_FUSE_SHARD_H

#include "base/memory.h"
#include "kernels/fuse_slots.h"

enum {
    INK__FUSE_BITS_MIN = 4,
    INK__FUSE_BITS_MAX = 32,
    INK__FUSE_LENGTH_BITS_MAX = 14, /* 4 positions of this many bits are in a value */
    INK__FUSE_SEGMENTS_MAX = (1 << 18) - INK__FUSE_WAYS, /* slots have 32 bits */
    /* From this attempt on the segment comes from the mixed hash, too, and there is one more of
     * them each time. */
    INK__FUSE_SCATTERED = 8,
    INK__FUSE_ATTEMPTS_MAX = 256,
};

/* `segments` + 3 segments of 2^length_bits slots; no segments: no keys and no slots. */
typedef struct ink__fuse_shard {
    uint32_t segments;
    uint8_t  length_bits;
    uint8_t  attempt;
} ink__fuse_shard;

static inline uint64_t ink__fuse_slots(const ink__fuse_shard *shard)
{
    return shard->segments == 0
               ? 0
               : (uint64_t)(shard->segments + INK__FUSE_WAYS - 1) << shard->length_bits;
}

/* The bytes of the fingerprints, packed. */
static inline uint64_t ink__fuse_bytes(const ink__fuse_shard *shard, unsigned bits)
{
    return (ink__fuse_slots(shard) * bits + 7) / 8;
}

static inline uint64_t ink__fuse_seed(unsigned attempt)
{
    return ink__mix64(attempt);
}

/* The first bits of a hash that number its shard, of this many different hashes in all: a shard has
 * 92,000 to 184,000 of them, or all. */
unsigned ink__fuse_shard_bits(uint64_t keys);

/* The shard of this many keys, if one of the first attempts succeeds. */
ink__fuse_shard ink__fuse_shard_plan(uint64_t keys);

/* The memory of a construction, to be used again; all zero has none. */
typedef struct ink__fuse_room {
    ink__block cells;   /* 8 bytes a slot */
    ink__block order;   /* 4 bytes a slot */
    unsigned   refused; /* for tests: this many first attempts count as failed */
} ink__fuse_room;

void ink__fuse_room_end(ink__fuse_room *room, const ink_allocator *allocator);

/* Finds fingerprints for different hashes of one shard, whose number has `shard_bits` bits; rising
 * ones are the fastest, and the result is the same for any order. The room keeps them. INK_LIMIT if
 * no attempt succeeds, which is so only of keys that were chosen for it. */
ink_status ink__fuse_shard_build(ink__fuse_room *room, ink__fuse_shard *shard,
                                 const uint64_t *hashes, size_t count, unsigned shard_bits,
                                 const ink_allocator *allocator, ink_error *error);

/* Packs the fingerprints that were found last into ink__fuse_bytes bytes, from the first bit on. */
void ink__fuse_shard_pack(const ink__fuse_room *room, const ink__fuse_shard *shard, unsigned bits,
                          uint8_t *to);

#endif
