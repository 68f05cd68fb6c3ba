/* suggestions.h - lists of words: the one that was perhaps meant, and all of them in a message. */
#ifndef INK_CLI_OPTIONS_SUGGESTIONS_H
#define INK_CLI_OPTIONS_SUGGESTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Words that may be typed, by number, each with a line about it (`about` may be NULL; a word
 * without one sets it to ""); NULL past the last one. */
typedef const char *word_list(size_t index, const char **about);

/* No word is as long, and none as far from another. */
enum { WORD_MAX = 24 };

/* The word of a list that is nearest to what was typed, or NULL if none is near. */
const char *nearest_word(const char *typed, word_list *words);
/* Whether a word is near, and nearer than *best (at first WORD_MAX), which it sets then. */
bool nearer(const char *typed, const char *word, size_t *best);

/* Enough for any list of words. */
enum { WORDS_BYTES = 256 };

/* Adds a word to a list, which is a text of at most `room` bytes; `between` stands between two. */
void suggestions_add(char *list, size_t room, const char *between, const char *word);

#endif
