/* cut_words.h - the words of a text of UTF-8, which white space of Unicode separates. */
#ifndef INK_INPUT_RECORDS_CUT_WORDS_H
#define INK_INPUT_RECORDS_CUT_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* A text that is being cut. */
typedef struct ink__cut_words {
    const uint8_t *text;
    uint64_t       bytes, word; /* where the next word begins, or white space before it */
    uint64_t block, mask; /* where white space may begin in the block, and was not looked at */
} ink__cut_words;

ink__cut_words ink__cut_words_of(const uint8_t *text, uint64_t bytes);
/* Cuts the next words off, at most `room`, and returns their number, 0 at the end; word i is
 * text[starts[i]] up to text[ends[i]]. */
size_t ink__cut_words_next(ink__cut_words *words, uint64_t *starts, uint64_t *ends, size_t room);

#endif
