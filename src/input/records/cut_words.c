/* cut_words.c - see cut_words.h. */
#include "input/records/cut_words.h"

#include "kernels/masks.h"

#include <string.h>

/* The bytes of the white space at the start of a text of UTF-8, 0 if there is none. White_Space:
 * U+0009 to 000D, 0020, 0085, 00A0, 1680, 2000 to 200A, 2028, 2029, 202F, 205F, 3000. */
static unsigned space_bytes(const uint8_t *text)
{
    switch (text[0]) {
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case ' ':
        return 1;
    case 0xc2:
        return text[1] == 0x85 || text[1] == 0xa0 ? 2 : 0;
    case 0xe1:
        return text[1] == 0x9a && text[2] == 0x80 ? 3 : 0;
    case 0xe2:
        return (text[1] == 0x80 &&
                (text[2] <= 0x8a || text[2] == 0xa8 || text[2] == 0xa9 || text[2] == 0xaf)) ||
                       (text[1] == 0x81 && text[2] == 0x9f)
                   ? 3
                   : 0;
    case 0xe3:
        return text[1] == 0x80 && text[2] == 0x80 ? 3 : 0;
    default:
        return 0;
    }
}

/* Bit i is set where white space may begin at text[i], for INK__MASK_BYTES bytes. */
static uint64_t may_be_space(const uint8_t *text)
{
    uint64_t mask = ink__mask_up_to(text, ' ');

    if (ink__mask_up_to(text, 0x7f) != UINT64_MAX)
        mask |= ink__mask_of(text, 0xc2) | ink__mask_of(text, 0xe1) | ink__mask_of(text, 0xe2) |
                ink__mask_of(text, 0xe3);
    return mask;
}

static uint64_t mask_of_block(const ink__cut_words *words)
{
    const uint64_t left = words->bytes - words->block;
    uint8_t        padded[INK__MASK_BYTES];

    if (left >= INK__MASK_BYTES)
        return may_be_space(words->text + words->block);
    memset(padded, 'x', sizeof padded);
    memcpy(padded, words->text + words->block, (size_t)left);
    return may_be_space(padded);
}

ink__cut_words ink__cut_words_of(const uint8_t *text, uint64_t bytes)
{
    ink__cut_words words = {.text = text, .bytes = bytes};

    words.mask = bytes > 0 ? mask_of_block(&words) : 0;
    return words;
}

size_t ink__cut_words_next(ink__cut_words *words, uint64_t *starts, uint64_t *ends, size_t room)
{
    size_t count = 0;

    while (count < room && words->block < words->bytes) {
        for (; words->mask != 0 && count < room; words->mask &= words->mask - 1) {
            const uint64_t at = words->block + ink__trailing_zeros_64(words->mask);
            const unsigned space = space_bytes(words->text + at);
            starts[count] = words->word;
            ends[count] = at;
            count += space > 0 && at > words->word;
            words->word = space > 0 ? at + space : words->word;
        }
        if (words->mask == 0) {
            words->block += INK__MASK_BYTES;
            words->mask = words->block < words->bytes ? mask_of_block(words) : 0;
        }
    }
    if (count < room && words->word < words->bytes) { /* the last one has no white space after it */
        starts[count] = words->word;
        ends[count++] = words->word = words->bytes;
    }
    return count;
}
