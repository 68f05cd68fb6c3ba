/* kind_texts.h - the kinds of sketches in words, for help and completion. Whatever the library can
 * tell is asked of it; only what it cannot, a sentence or two, stands in a table. */
#ifndef INK_CLI_OPTIONS_KIND_TEXTS_H
#define INK_CLI_OPTIONS_KIND_TEXTS_H

#include <stddef.h>

/* The questions that a kind answers, and the commands that ask them, by number; NULL past the last
 * one. */
const char *kind_question(const char *kind, size_t index, const char **command);

/* A sentence or two; "" if there are none. */
const char *kind_about(const char *kind);

/* Lines of shell that build one and ask it, up to a NULL. */
const char *const *kind_examples(const char *kind);

enum { KINDS_MAX = 16 };

/* The kinds, each with the first question that it answers and what tells it from others: a
 * word_list. */
const char *kind_words(size_t index, const char **about);

#endif
