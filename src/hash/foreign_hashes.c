/* foreign_hashes.c - the hashes of keys in other systems. */
#include "hash/foreign_hashes.h"

#include "base/bits.h"
#include "kernels/xxh3_batch.h"

/* A byte of Java, which has a sign. */
static uint32_t with_sign(uint8_t byte)
{
    return (uint32_t)(int32_t)(int8_t)byte;
}

/* ---- Spark -------------------------------------------------------------------------------- */

static uint32_t spark_word(uint32_t word)
{
    return ink__rotate_left_32(word * 0xcc9e2d51u, 15) * 0x1b873593u;
}

static uint32_t spark_step(uint32_t hash, uint32_t word)
{
    return ink__rotate_left_32(hash ^ word, 13) * 5 + 0xe6546b64u;
}

static uint32_t spark_end(uint32_t hash, uint32_t bytes)
{
    hash ^= bytes;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static uint32_t spark_hash(const uint8_t *key, size_t bytes, uint32_t seed)
{
    size_t   whole = bytes & ~(size_t)3;
    uint32_t hash = seed;

    for (size_t i = 0; i < whole; i += 4)
        hash = spark_step(hash, spark_word(ink__load_u32(key + i)));
    for (size_t i = whole; i < bytes; i++)
        hash = spark_step(hash, spark_word(with_sign(key[i])));
    return spark_end(hash, (uint32_t)bytes);
}

uint64_t ink__spark_pair(const uint8_t *key, size_t bytes, uint32_t seed)
{
    const uint32_t first = spark_hash(key, bytes, seed);

    return (uint64_t)first << 32 | spark_hash(key, bytes, first);
}

void ink__spark_pairs(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                      size_t count, uint32_t seed, uint64_t *pairs)
{
    for (size_t i = 0; i < count; i++)
        pairs[i] =
            ink__spark_pair(ink__key_at(bytes, starts[i]), (size_t)(ends[i] - starts[i]), seed);
}

void ink__spark_int_pairs(const int64_t *ints, size_t count, uint32_t seed, uint64_t *pairs)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t low = spark_word((uint32_t)(uint64_t)ints[i]);
        const uint32_t high = spark_word((uint32_t)((uint64_t)ints[i] >> 32));
        const uint32_t first = spark_end(spark_step(spark_step(seed, low), high), 8);
        pairs[i] = (uint64_t)first << 32 | spark_end(spark_step(spark_step(first, low), high), 8);
    }
}

/* ---- MurmurHash2, and Hadoop -------------------------------------------------------------- */

enum { MURMUR2_FACTOR = 0x5bd1e995 };

static uint32_t murmur2_mixed(uint32_t hash, uint32_t word)
{
    word *= MURMUR2_FACTOR;
    return hash * MURMUR2_FACTOR ^ (word ^ word >> 24) * MURMUR2_FACTOR;
}

static uint32_t murmur2_end(uint32_t hash)
{
    hash = (hash ^ hash >> 13) * MURMUR2_FACTOR;
    return hash ^ hash >> 15;
}

/* Of all whole words. */
static uint32_t murmur2_words(const uint8_t *key, size_t bytes, uint32_t seed)
{
    uint32_t hash = seed ^ (uint32_t)bytes;

    for (; bytes >= 4; bytes -= 4, key += 4)
        hash = murmur2_mixed(hash, ink__load_u32(key));
    return hash;
}

uint32_t ink__murmur2(const uint8_t *key, size_t bytes, uint32_t seed)
{
    const size_t whole = bytes & ~(size_t)3;
    uint32_t     hash = murmur2_words(key, bytes, seed);

    for (size_t i = whole; i < bytes; i++)
        hash ^= (uint32_t)key[i] << 8 * (i - whole);
    if (whole < bytes)
        hash *= MURMUR2_FACTOR;
    return murmur2_end(hash);
}

uint32_t ink__hadoop_murmur(const uint8_t *key, size_t bytes, uint32_t seed)
{
    const size_t left = bytes & 3;
    uint32_t     hash = murmur2_words(key, bytes, seed);

    if (left >= 3)
        hash ^= with_sign(key[bytes - 3]) << 16;
    if (left >= 2)
        hash ^= with_sign(key[bytes - 2]) << 8;
    if (left >= 1)
        hash = (hash ^ with_sign(key[bytes - 1])) * MURMUR2_FACTOR;
    return murmur2_end(hash);
}

/* The last 12 bytes or fewer as three words. */
static void lookup3_words(const uint8_t *key, size_t bytes, uint32_t words[3])
{
    words[0] = words[1] = words[2] = 0;
    for (size_t i = 0; i < bytes; i++)
        words[i / 4] += (uint32_t)key[i] << 8 * (i % 4);
}

uint32_t ink__jenkins(const uint8_t *key, size_t bytes, uint32_t seed)
{
    uint32_t a = 0xdeadbeefu + (uint32_t)bytes + seed, b = a, c = a, words[3];

    for (; bytes > 12; bytes -= 12, key += 12) {
        a += ink__load_u32(key);
        b += ink__load_u32(key + 4);
        c += ink__load_u32(key + 8);
        a = (a - c) ^ ink__rotate_left_32(c, 4);
        c += b;
        b = (b - a) ^ ink__rotate_left_32(a, 6);
        a += c;
        c = (c - b) ^ ink__rotate_left_32(b, 8);
        b += a;
        a = (a - c) ^ ink__rotate_left_32(c, 16);
        c += b;
        b = (b - a) ^ ink__rotate_left_32(a, 19);
        a += c;
        c = (c - b) ^ ink__rotate_left_32(b, 4);
        b += a;
    }
    if (bytes == 0)
        return c;
    lookup3_words(key, bytes, words);
    a += words[0];
    b += words[1];
    c += words[2];
    c = (c ^ b) - ink__rotate_left_32(b, 14);
    a = (a ^ c) - ink__rotate_left_32(c, 11);
    b = (b ^ a) - ink__rotate_left_32(a, 25);
    c = (c ^ b) - ink__rotate_left_32(b, 16);
    a = (a ^ c) - ink__rotate_left_32(c, 4);
    b = (b ^ a) - ink__rotate_left_32(a, 14);
    return (c ^ b) - ink__rotate_left_32(b, 24);
}

/* ---- Others ------------------------------------------------------------------------------- */

uint64_t ink__dcso(const uint8_t *key, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < bytes; i++)
        hash = hash * 0x100000001b3u ^ key[i];
    return hash % INK__DCSO_PRIME;
}

uint64_t ink__reversed(uint64_t bits)
{
    bits = (bits & 0x5555555555555555u) << 1 | (bits >> 1 & 0x5555555555555555u);
    bits = (bits & 0x3333333333333333u) << 2 | (bits >> 2 & 0x3333333333333333u);
    bits = (bits & 0x0f0f0f0f0f0f0f0fu) << 4 | (bits >> 4 & 0x0f0f0f0f0f0f0f0fu);
    return __builtin_bswap64(bits);
}

uint64_t ink__coupon(const uint64_t hash[2])
{
    const unsigned zeros = ink__leading_zeros_64(hash[1] | 1); /* 62 and more are one */

    return (ink__reversed(hash[0]) & ~(uint64_t)0 << 38) | ((zeros < 62 ? zeros : 62) + 1);
}

uint32_t ink__java_random(uint64_t *state)
{
    uint32_t number;

    do {
        *state = (*state * INK__JAVA_FACTOR + 0xb) % INK__JAVA_STATES;
        number = (uint32_t)(*state >> 17);
    } while (number == INT32_MAX);
    return number;
}
