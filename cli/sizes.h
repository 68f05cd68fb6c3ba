/* sizes.h - which options are parameters of which kinds, and kinds as they are named on a command
 * line. */
#ifndef INK_CLI_SIZES_H
#define INK_CLI_SIZES_H

#include "options.h"

#include <inkling.h>

enum { SIZES_KINDS_MAX = 16 };

/* Reads "bloom,hll" into parameters that have nothing but their kind. Returns 0, or prints a line
 * and returns an exit code if there is no such kind, or one stands there twice. */
int sizes_kinds(const cli_arguments *arguments, const char *text, ink_params kinds[SIZES_KINDS_MAX],
                size_t *kind_count);

/* Whether a kind has the parameter that an option sets. */
bool sizes_kind_has(const char *kind, option_id id);

/* Sets each size option that was given on every kind that has it; a line and an exit code if none
 * has. */
int sizes_set(const cli_arguments *arguments, ink_params *kinds, size_t kind_count);

/* Whether --headroom, if it was given, means something for one of the kinds. */
int sizes_headroom(const cli_arguments *arguments, const ink_params *kinds, size_t kind_count);

/* Sets hash, seed and secret on all kinds; `secret` (NULL: none) must outlive them. */
void sizes_hash(const cli_arguments *arguments, const uint8_t *secret, ink_params *kinds,
                size_t kind_count);

#endif
