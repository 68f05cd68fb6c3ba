/* kind_names.h - the kinds of sketches as words of a command line. */
#ifndef INK_CLI_ARGUMENTS_KIND_NAMES_H
#define INK_CLI_ARGUMENTS_KIND_NAMES_H

#include "options/options.h"

#include <inkling.h>

enum { KINDS_MAX = 16 };

/* The kinds, each with what it answers in a line: a word_list. */
const char *kind_words(size_t index, const char **about);

/* Whether there is a kind of this name. */
bool is_kind(const char *name);

/* The library's own word for a kind, which lives as long as the library. Returns 0, or prints a
 * line and returns an exit code if there is none. */
int kind_named(const cli_arguments *arguments, const char *name, const char **kind);

/* Reads "bloom,hll" into parameters that have nothing but their kind. Returns 0, or prints a line
 * and returns an exit code if there is no such kind, or one stands there twice. */
int kinds_read(const cli_arguments *arguments, const char *text, ink_params kinds[KINDS_MAX],
               size_t *kind_count);

#endif
