/* xxh3.c - XXH3-64: the library for one key, and its short forms (0 to 32 bytes) written so that a
 * batch of mixed lengths meets no unpredictable branch. The values are those of the library. */
#include "hash/xxh3.h"

#include "base/bits.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t ink__xxh3(const uint8_t *key, size_t bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(key, bytes, seed);
}

uint64_t ink__xxh64(const uint8_t *key, size_t bytes, uint64_t seed)
{
    return XXH64(key, bytes, seed);
}

/* ---- Short keys --------------------------------------------------------------------------- */

/* The first 72 bytes of XXH3's default secret as words, combined as the short forms need them. */
#define SECRET_0 0xbe4ba423396cfeb8u
#define SECRET_8 0x1cad21f72c81017cu
#define SECRET_16 0xdb979083e96dd4deu
#define SECRET_24 0x1f67b3b7a4a44072u
#define SECRET_32 0x78e5c0cc4ee679cbu
#define SECRET_40 0x2172ffcc7dd05a82u
#define SECRET_48 0x8e2443f7744608b8u
#define SECRET_56 0x4c263a81e69035e0u
#define SECRET_64 0xcb00c391bb52283cu

#define PRIME64_1 0x9e3779b185ebca87u
#define PRIME64_2 0xc2b2ae3d27d4eb4fu
#define PRIME64_3 0x165667b19e3779f9u
#define PRIME_MX1 0x165667919e3779f9u
#define PRIME_MX2 0x9fb21c651e98df25u

/* The two halves of a 128-bit product, folded. */
static inline uint64_t folded_product(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide                                    product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu);
    uint64_t left = (a >> 32) * (b & 0xffffffffu), right = (a & 0xffffffffu) * (b >> 32);
    uint64_t cross = (low >> 32) + (left & 0xffffffffu) + right;

    return (cross << 32 | (low & 0xffffffffu)) ^
           ((a >> 32) * (b >> 32) + (left >> 32) + (cross >> 32));
#endif
}

static inline uint64_t avalanche_xxh64(uint64_t hash)
{
    hash ^= hash >> 33;
    hash *= PRIME64_2;
    hash ^= hash >> 29;
    hash *= PRIME64_3;
    return hash ^ hash >> 32;
}

static inline uint64_t avalanche_xxh3(uint64_t hash)
{
    hash ^= hash >> 37;
    hash *= PRIME_MX1;
    return hash ^ hash >> 32;
}

static inline uint64_t hash_0(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    (void)key;
    (void)bytes;
    return avalanche_xxh64(seed ^ SECRET_56 ^ SECRET_64);
}

static inline uint64_t hash_1_to_3(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    uint64_t flip = (uint64_t)((uint32_t)SECRET_0 ^ (uint32_t)(SECRET_0 >> 32)) + seed;
    uint32_t word = (uint32_t)key[0] << 16 | (uint32_t)key[bytes >> 1] << 24 |
                    (uint32_t)bytes << 8 | key[bytes - 1];

    return avalanche_xxh64(word ^ flip);
}

static inline uint64_t hash_4_to_8(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    uint64_t turned = seed ^ (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
    uint64_t word = ink__load_u32(key + bytes - 4) + ((uint64_t)ink__load_u32(key) << 32);
    uint64_t hash = word ^ ((SECRET_8 ^ SECRET_16) - turned);

    hash ^= ink__rotate_left_64(hash, 49) ^ ink__rotate_left_64(hash, 24);
    hash *= PRIME_MX2;
    hash ^= (hash >> 35) + bytes;
    hash *= PRIME_MX2;
    return hash ^ hash >> 28;
}

static inline uint64_t hash_9_to_16(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    uint64_t low = ink__load_u64(key) ^ ((SECRET_24 ^ SECRET_32) + seed);
    uint64_t high = ink__load_u64(key + bytes - 8) ^ ((SECRET_40 ^ SECRET_48) - seed);

    return avalanche_xxh3(bytes + __builtin_bswap64(low) + high + folded_product(low, high));
}

static inline uint64_t hash_17_to_32(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    const uint8_t *end = key + bytes - 16;
    uint64_t       hash = bytes * PRIME64_1;

    hash += folded_product(ink__load_u64(key) ^ (SECRET_0 + seed),
                           ink__load_u64(key + 8) ^ (SECRET_8 - seed));
    hash += folded_product(ink__load_u64(end) ^ (SECRET_16 + seed),
                           ink__load_u64(end + 8) ^ (SECRET_24 - seed));
    return avalanche_xxh3(hash);
}

enum { CLASSES = 6, LONGEST_SHORT = 32 };

/* The class of a key by its length; everything above 32 is the last. */
static const uint8_t class_of[LONGEST_SHORT + 2] = {
    0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5,
};

/* Hashes the keys that `number` lists, all of one class. */
#define HASH_ALL(function, number)                                                                 \
    for (size_t j = 0; j < count; j++) {                                                           \
        size_t i = (number);                                                                       \
        hashes[i] = function(bytes + starts[i], ends[i] - starts[i], seed);                        \
    }
#define HASH_CLASS(class, number)                                                                  \
    switch (class) {                                                                               \
    case 0:                                                                                        \
        HASH_ALL(hash_0, number) break;                                                            \
    case 1:                                                                                        \
        HASH_ALL(hash_1_to_3, number) break;                                                       \
    case 2:                                                                                        \
        HASH_ALL(hash_4_to_8, number) break;                                                       \
    case 3:                                                                                        \
        HASH_ALL(hash_9_to_16, number) break;                                                      \
    case 4:                                                                                        \
        HASH_ALL(hash_17_to_32, number) break;                                                     \
    default:                                                                                       \
        HASH_ALL(ink__xxh3, number) break;                                                         \
    }

/* Every key of the batch is of this class. */
static void hash_uniform(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                         size_t count, uint64_t seed, uint64_t *hashes, unsigned class)
{
    HASH_CLASS(class, j)
}

static void hash_listed(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                        const uint8_t *list, size_t count, uint64_t seed, uint64_t *hashes,
                        unsigned class)
{
    HASH_CLASS(class, list[j])
}

/* Keys of 9 to 32 bytes, the usual ones: two lists, made without a jump. */
static void hash_usual(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                       size_t count, uint64_t seed, uint64_t *hashes)
{
    uint8_t  shorter[INK__XXH3_BATCH_MAX], longer[INK__XXH3_BATCH_MAX];
    unsigned shorter_count = 0, longer_count = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned is_longer = ends[i] - starts[i] > 16;
        shorter[shorter_count] = longer[longer_count] = (uint8_t)i;
        longer_count += is_longer;
        shorter_count += 1 - is_longer;
    }
    hash_listed(bytes, starts, ends, shorter, shorter_count, seed, hashes, 3);
    hash_listed(bytes, starts, ends, longer, longer_count, seed, hashes, 4);
}

void ink__xxh3_batch(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                     size_t count, uint64_t seed, uint64_t *hashes)
{
    uint8_t  list[CLASSES][INK__XXH3_BATCH_MAX], classes[INK__XXH3_BATCH_MAX];
    unsigned seen = 0;
    uint64_t members = 0; /* eight bits for each class: in a register, where adding is quick */

    for (size_t i = 0; i < count; i++) {
        uint64_t length = ends[i] - starts[i];
        classes[i] = class_of[length < LONGEST_SHORT + 1 ? length : LONGEST_SHORT + 1];
        seen |= 1u << classes[i];
    }
    if (seen == (1u << 3 | 1u << 4)) {
        hash_usual(bytes, starts, ends, count, seed, hashes);
        return;
    }
    if ((seen & (seen - 1)) == 0) {
        if (count > 0)
            hash_uniform(bytes, starts, ends, count, seed, hashes, classes[0]);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned shift = 8u * classes[i];
        list[classes[i]][members >> shift & 0xff] = (uint8_t)i;
        members += (uint64_t)1 << shift;
    }
    for (unsigned class = 0; class < CLASSES; class ++)
        hash_listed(bytes, starts, ends, list[class], members >> 8 * class & 0xff, seed, hashes,
                    class);
}

_Static_assert(INK__XXH3_BATCH_MAX < 256, "a number of keys in a batch fits a byte");
