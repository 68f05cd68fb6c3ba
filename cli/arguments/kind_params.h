/* kind_params.h - kinds on the command line, and which options are parameters of which kinds. */
#ifndef INK_CLI_ARGUMENTS_KIND_PARAMS_H
#define INK_CLI_ARGUMENTS_KIND_PARAMS_H

#include "inkling.h"
#include "options/kind_texts.h"
#include "options/options.h"

/* Whether there is a kind of this name. */
bool is_kind(const char *name);

/* The library's own copy of the name of a kind; fails if there is none. */
int kind_named(const char *name, const char **kind);

/* Reads "bloom,hll" into parameters with nothing set but their kind. */
int kinds_read(const char *text, ink_params kinds[KINDS_MAX], size_t *kind_count);

/* Splits a list: ends the part at *list with a NUL in place of its comma, and returns it; *list
 * becomes the rest, NULL after the last part. */
char *list_next(char **list);

/* Whether a kind has the parameter that an option sets. */
bool sizes_kind_has(const char *kind, option_id id);

/* Option number `index` of those that are parameters of kinds; OPTION_END after the last. */
option_id sizes_option(size_t index);

/* Sets the parameter of an option; false if it has none. */
bool sizes_put(ink_params *params, option_id id, const option_given *given);

/* Sets each size option that was given, in every kind that has it; fails if no kind has it, or
 * --headroom applies to none. */
int sizes_set(const cli_arguments *arguments, ink_params *kinds, size_t kind_count);

/* Sets hash, seed and secret on all kinds; `secret` (NULL: none) must outlive them. */
void sizes_hash(const cli_arguments *arguments, const uint8_t *secret, ink_params *kinds,
                size_t kind_count);

#endif
