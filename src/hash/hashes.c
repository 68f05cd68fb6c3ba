/* hashes.c - the hashes of one key. */
#include "hash/hashes.h"

#include "base/bits.h"
#include "base/mix.h"

#include <stdbool.h>

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

/* The last `count` < 8 bytes as one little-endian number. */
static uint64_t tail_of(const uint8_t *bytes, size_t count)
{
    uint64_t tail = 0;

    for (size_t i = count; i > 0; i--)
        tail = tail << 8 | bytes[i - 1];
    return tail;
}

/* ---- SipHash ------------------------------------------------------------------------------ */

typedef struct state {
    uint64_t a, b, c, d;
} state;

static inline void rounds(state *s, int count)
{
    for (int i = 0; i < count; i++) {
        s->a += s->b;
        s->c += s->d;
        s->b = ink__rotate_left_64(s->b, 13) ^ s->a;
        s->d = ink__rotate_left_64(s->d, 16) ^ s->c;
        s->a = ink__rotate_left_64(s->a, 32);
        s->c += s->b;
        s->a += s->d;
        s->b = ink__rotate_left_64(s->b, 17) ^ s->c;
        s->d = ink__rotate_left_64(s->d, 21) ^ s->a;
        s->c = ink__rotate_left_64(s->c, 32);
    }
}

static inline void absorb(state *s, uint64_t word)
{
    s->d ^= word;
    rounds(s, 2);
    s->a ^= word;
}

uint64_t ink__siphash(const uint64_t secret[2], const uint8_t *key, size_t bytes)
{
    state s = {
        .a = secret[0] ^ 0x736f6d6570736575u,
        .b = secret[1] ^ 0x646f72616e646f6du,
        .c = secret[0] ^ 0x6c7967656e657261u,
        .d = secret[1] ^ 0x7465646279746573u,
    };
    size_t whole = bytes & ~(size_t)7;

    for (size_t i = 0; i < whole; i += 8)
        absorb(&s, ink__load_u64(key + i));
    absorb(&s, (uint64_t)bytes << 56 | tail_of(key + whole, bytes - whole));
    s.c ^= 0xff;
    rounds(&s, 4);
    return s.a ^ s.b ^ s.c ^ s.d;
}

/* ---- Murmur ------------------------------------------------------------------------------- */

static uint32_t scramble_32(uint32_t word)
{
    return ink__rotate_left_32(word * 0xcc9e2d51u, 15) * 0x1b873593u;
}

uint32_t ink__murmur3_x86_32(const uint8_t *key, size_t bytes, uint32_t seed)
{
    uint32_t hash = seed;
    size_t   whole = bytes & ~(size_t)3;

    for (size_t i = 0; i < whole; i += 4) {
        hash ^= scramble_32(ink__load_u32(key + i));
        hash = ink__rotate_left_32(hash, 13) * 5 + 0xe6546b64u;
    }
    /* An empty tail is 0, which scrambles to 0 and changes nothing. */
    hash ^= scramble_32((uint32_t)tail_of(key + whole, bytes - whole)) ^ (uint32_t)bytes;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static uint64_t scramble_first(uint64_t word)
{
    return ink__rotate_left_64(word * INK__MURMUR3_FIRST, 31) * INK__MURMUR3_SECOND;
}

static uint64_t scramble_second(uint64_t word)
{
    return ink__rotate_left_64(word * INK__MURMUR3_SECOND, 33) * INK__MURMUR3_FIRST;
}

/* The two words while bytes are taken, sixteen at a time. */
typedef struct wide_state {
    uint64_t a, b;
} wide_state;

static inline void wide_block(wide_state *s, const uint8_t block[16])
{
    s->a ^= scramble_first(ink__load_u64(block));
    s->a = (ink__rotate_left_64(s->a, 27) + s->b) * 5 + 0x52dce729u;
    s->b ^= scramble_second(ink__load_u64(block + 8));
    s->b = (ink__rotate_left_64(s->b, 31) + s->a) * 5 + 0x38495ab5u;
}

/* The last `rest` < 16 bytes of all `bytes`. */
static inline void wide_end(wide_state s, const uint8_t *tail, size_t rest, uint64_t bytes,
                            uint64_t hash[2])
{
    if (rest > 8)
        s.b ^= scramble_second(tail_of(tail + 8, rest - 8));
    s.a ^= scramble_first(rest >= 8 ? ink__load_u64(tail) : tail_of(tail, rest));

    s.a = (s.a ^ bytes) + (s.b ^ bytes);
    s.b = (s.b ^ bytes) + s.a;
    s.a = ink__mix64(s.a);
    s.b = ink__mix64(s.b);
    hash[0] = s.a + s.b;
    hash[1] = s.b + hash[0];
}

void ink__murmur3_x64_128(const uint8_t *key, size_t bytes, uint64_t seed, uint64_t hash[2])
{
    wide_state s = {seed, seed};
    size_t     whole = bytes & ~(size_t)15;

    for (size_t i = 0; i < whole; i += 16)
        wide_block(&s, key + i);
    wide_end(s, key + whole, bytes - whole, bytes, hash);
}

/* The next character of a text in UTF-8, and how many bytes it has. */
static uint32_t next_character(const uint8_t *text, size_t left, size_t *bytes)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const uint8_t         first = text[0];
    const size_t          more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t              code = more == 0 ? first : first & (0x3fu >> more);
    bool                  good = more == 0 || (first >= 0xc2 && first < 0xf5 && more < left);

    for (size_t i = 1; good && i <= more; i++) {
        good = (text[i] & 0xc0) == 0x80;
        code = code << 6 | (text[i] & 0x3fu);
    }
    good = good && code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    *bytes = good ? more + 1 : 1;
    return good ? code : 0xfffd;
}

void ink__murmur3_x64_128_utf16(const uint8_t *text, size_t bytes, uint64_t seed, uint64_t hash[2])
{
    wide_state s = {seed, seed};
    uint8_t    block[20]; /* room for a pair after 15 bytes */
    size_t     used = 0, step;
    uint64_t   all = 0;

    for (size_t at = 0; at < bytes; at += step) {
        uint32_t code = next_character(text + at, bytes - at, &step);
        size_t   before = used;
        if (code > 0xffff) {
            ink__store_u16(block + used, (uint16_t)(0xd7c0u + (code >> 10)));
            used += 2;
            code = 0xdc00u | (code & 0x3ff);
        }
        ink__store_u16(block + used, (uint16_t)code);
        used += 2;
        all += used - before;
        if (used >= 16) {
            wide_block(&s, block);
            used -= 16;
            memcpy(block, block + 16, used);
        }
    }
    wide_end(s, block, used, all, hash);
}

uint64_t ink__murmur64a(const uint8_t *key, size_t bytes, uint64_t seed)
{
    const uint64_t factor = 0xc6a4a7935bd1e995u;
    uint64_t       hash = seed ^ bytes * factor;
    size_t         whole = bytes & ~(size_t)7;

    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word = ink__load_u64(key + i) * factor;
        hash = (hash ^ (word ^ word >> 47) * factor) * factor;
    }
    if (whole < bytes)
        hash = (hash ^ tail_of(key + whole, bytes - whole)) * factor;
    hash = (hash ^ hash >> 47) * factor;
    return hash ^ hash >> 47;
}
