/* kind_names.h - the kinds of sketches as words of a command line. */
#ifndef INK_CLI_ARGUMENTS_KIND_NAMES_H
#define INK_CLI_ARGUMENTS_KIND_NAMES_H

#include "inkling.h"
#include "options/kind_texts.h"
#include "options/options.h"

#include <inkling.h>

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
