/* words.h - numbers of eight bytes, the lowest first, in what is stored. */
#ifndef INKLING_VALKEY_WORDS_H
#define INKLING_VALKEY_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum { WORD = 8 };

static inline void put_word(uint8_t **to, uint64_t word)
{
    for (int i = 0; i < WORD; i++)
        *(*to)++ = (uint8_t)(word >> (8 * i));
}

static inline bool get_word(const uint8_t **from, const uint8_t *end, uint64_t *word)
{
    if (end - *from < WORD)
        return false;
    *word = 0;
    for (int i = 0; i < WORD; i++)
        *word |= (uint64_t) * (*from)++ << (8 * i);
    return true;
}

#endif
