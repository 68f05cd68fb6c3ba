/* suggestions.h - lists of words: the nearest to a mistyped one, and all of them in a message. */
#ifndef INK_CLI_OPTIONS_SUGGESTIONS_H
#define INK_CLI_OPTIONS_SUGGESTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Word number `index`, and a line about it ("" if there is none; `about` may be NULL); NULL after
 * the last word. */
typedef const char *word_list(size_t index, const char **about);

/* Words are shorter than this, and their distances smaller. */
enum { WORD_MAX = 24 };

/* The word of a list that is nearest to `typed`, or NULL if none is near. */
const char *nearest_word(const char *typed, word_list *words);
/* Whether a word is near, and nearer than *best (at first WORD_MAX), which is then set. */
bool nearer(const char *typed, const char *word, size_t *best);

/* Enough for any list of words. */
enum { WORDS_BYTES = 384 };

/* Appends a word to a list; `between` separates two. */
void suggestions_add(char list[WORDS_BYTES], const char *between, const char *word);

#endif
