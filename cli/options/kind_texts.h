/* kind_texts.h - texts about the kinds of sketches, for help and completion. A table holds only
 * what the library does not report about a kind. */
#ifndef INK_CLI_OPTIONS_KIND_TEXTS_H
#define INK_CLI_OPTIONS_KIND_TEXTS_H

#include "inkling.h"

#include <stddef.h>

/* What the library reports about a kind; all zero if there is none of this name. */
ink_kind_info kind_info(const char *kind);

/* Question number `index` that a kind answers, and the command for it; NULL after the last. */
const char *kind_question(const char *kind, size_t index, const char **command);

typedef struct kind_text {
    const char *kind;
    const char *apart;       /* its difference from others, in a few words */
    const char *about;       /* a short paragraph */
    const char *examples[3]; /* shell lines that build one and query it; ends with NULL */
} kind_text;

/* Empty texts for a kind that has none. */
const kind_text *kind_text_of(const char *kind);

enum { KINDS_MAX = 16 };

/* A word_list of the kinds, each with the first question that it answers and its difference from
 * others. */
const char *kind_words(size_t index, const char **about);

#endif
