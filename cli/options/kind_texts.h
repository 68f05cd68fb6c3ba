/* kind_texts.h - what help says about the kinds of sketches. Whatever the library can tell is asked
 * of it; only what it cannot, a sentence or two, stands in a table. */
#ifndef INK_CLI_OPTIONS_KIND_TEXTS_H
#define INK_CLI_OPTIONS_KIND_TEXTS_H

#include "options/options.h"

/* The questions that a kind answers, and the commands that ask them, by number; NULL past the last
 * one. */
const char *kind_question(const char *kind, size_t index, const char **command);

/* The first of these, and what tells the kind from others, in a line. */
void kind_line(const char *kind, char *text, size_t room);

/* A sentence or two; "" if there are none. */
const char *kind_about(const char *kind);

/* Lines of shell that build one and ask it, up to a NULL. */
const char *const *kind_examples(const char *kind);

/* Whether an option of build means something for a kind, and what it is about there: of
 * "count-min: rows; fm: groups" the part that is about this one. */
bool kind_has_option(const char *kind, option_id id);
void kind_option_about(const char *kind, const cli_offer *offer, char *text, size_t room);

/* The size that it has unless told otherwise, and what that promises. */
void kind_size(const char *kind, char *text, size_t room);

#endif
