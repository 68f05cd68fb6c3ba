/* siphash.c - SipHash-2-4. */
#include "hash/siphash.h"

#include "base/bits.h"

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
    size_t   whole = bytes & ~(size_t)7;
    uint64_t last = (uint64_t)bytes << 56;

    for (size_t i = 0; i < whole; i += 8)
        absorb(&s, ink__load_u64(key + i));
    for (size_t i = whole; i < bytes; i++)
        last |= (uint64_t)key[i] << 8 * (i - whole);
    absorb(&s, last);
    s.c ^= 0xff;
    rounds(&s, 4);
    return s.a ^ s.b ^ s.c ^ s.d;
}
