/* xxh3_batch_scalar.c - XXH3-64 of many keys in plain C: the reference. Text has short keys of
 * mixed lengths, and XXH3 branches on the length. Here keys are sorted by length class without a
 * branch, then hashed class by class in straight loops: nothing is left to mispredict. The values
 * are those of the library. */
#include "kernels/xxh3_batch.h"

#include "base/bits.h"
#include "kernels/xxh3_short.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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

static inline uint64_t avalanche_xxh3(uint64_t hash)
{
    hash ^= hash >> 37;
    hash *= INK__XXH3_PRIME_MX1;
    return hash ^ hash >> 32;
}

static inline uint64_t hash_1_to_3(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    uint64_t flip =
        (uint64_t)((uint32_t)INK__XXH3_SECRET_0 ^ (uint32_t)(INK__XXH3_SECRET_0 >> 32)) + seed;
    uint32_t word = (uint32_t)key[0] << 16 | (uint32_t)key[bytes >> 1] << 24 |
                    (uint32_t)bytes << 8 | key[bytes - 1];

    uint64_t hash = word ^ flip;
    hash = (hash ^ hash >> 33) * INK__XXH3_PRIME64_2;
    hash = (hash ^ hash >> 29) * INK__XXH3_PRIME64_3;
    return hash ^ hash >> 32;
}

static inline uint64_t hash_4_to_8(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    uint64_t word = ink__load_u32(key + bytes - 4) + ((uint64_t)ink__load_u32(key) << 32);
    uint64_t hash = word ^ ink__xxh3_flip_4_to_8(seed);

    hash ^= ink__rotate_left_64(hash, 49) ^ ink__rotate_left_64(hash, 24);
    hash *= INK__XXH3_PRIME_MX2;
    hash ^= (hash >> 35) + bytes;
    hash *= INK__XXH3_PRIME_MX2;
    return hash ^ hash >> 28;
}

static inline uint64_t hash_9_to_16(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    uint64_t low = ink__load_u64(key) ^ ((INK__XXH3_SECRET_24 ^ INK__XXH3_SECRET_32) + seed);
    uint64_t high =
        ink__load_u64(key + bytes - 8) ^ ((INK__XXH3_SECRET_40 ^ INK__XXH3_SECRET_48) - seed);

    return avalanche_xxh3(bytes + __builtin_bswap64(low) + high + folded_product(low, high));
}

static inline uint64_t hash_17_to_32(const uint8_t *key, uint64_t bytes, uint64_t seed)
{
    const uint8_t *end = key + bytes - 16;
    uint64_t       hash = bytes * INK__XXH3_PRIME64_1;

    hash += folded_product(ink__load_u64(key) ^ (INK__XXH3_SECRET_0 + seed),
                           ink__load_u64(key + 8) ^ (INK__XXH3_SECRET_8 - seed));
    hash += folded_product(ink__load_u64(end) ^ (INK__XXH3_SECRET_16 + seed),
                           ink__load_u64(end + 8) ^ (INK__XXH3_SECRET_24 - seed));
    return avalanche_xxh3(hash);
}

enum { CLASSES = 5, LONGEST_SHORT = 32 };

/* The class of a key by its length; 0 and everything above 32 are the last. */
static const uint8_t class_of[LONGEST_SHORT + 2] = {
    4, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4,
};

/* Hashes the keys that `number` lists, all of one class. */
#define HASH_ALL(function, number)                                                                 \
    for (size_t j = 0; j < count; j++) {                                                           \
        size_t i = (number);                                                                       \
        hashes[i] = function(ink__key_at(bytes, starts[i]), (size_t)(ends[i] - starts[i]), seed);  \
    }
#define HASH_CLASS(class, number)                                                                  \
    switch (class) {                                                                               \
    case 0:                                                                                        \
        HASH_ALL(hash_1_to_3, number) break;                                                       \
    case 1:                                                                                        \
        HASH_ALL(hash_4_to_8, number) break;                                                       \
    case 2:                                                                                        \
        HASH_ALL(hash_9_to_16, number) break;                                                      \
    case 3:                                                                                        \
        HASH_ALL(hash_17_to_32, number) break;                                                     \
    default:                                                                                       \
        HASH_ALL(XXH3_64bits_withSeed, number) break;                                              \
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
    hash_listed(bytes, starts, ends, shorter, shorter_count, seed, hashes, 2);
    hash_listed(bytes, starts, ends, longer, longer_count, seed, hashes, 3);
}

/* Hashes at most INK__XXH3_BATCH_MAX keys. */
static void hash_some(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                      size_t count, uint64_t seed, uint64_t *hashes)
{
    uint8_t  list[CLASSES][INK__XXH3_BATCH_MAX], classes[INK__XXH3_BATCH_MAX];
    unsigned seen = 0;
    uint64_t members = 0; /* eight bits for each class, in one register */

    for (size_t i = 0; i < count; i++) {
        uint64_t length = ends[i] - starts[i];
        classes[i] = class_of[length < LONGEST_SHORT + 1 ? length : LONGEST_SHORT + 1];
        seen |= 1u << classes[i];
    }
    if (seen == (1u << 2 | 1u << 3)) {
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

void ink__xxh3_batch_scalar(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                            size_t count, uint64_t seed, uint64_t *hashes)
{
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < INK__XXH3_BATCH_MAX ? count - first : INK__XXH3_BATCH_MAX;
        hash_some(bytes, starts + first, ends + first, some, seed, hashes + first);
    }
}
