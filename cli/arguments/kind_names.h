/* kind_names.h - names of kinds on the command line. */
#ifndef INK_CLI_ARGUMENTS_KIND_NAMES_H
#define INK_CLI_ARGUMENTS_KIND_NAMES_H

#include "inkling.h"
#include "options/kind_texts.h"
#include "options/options.h"

/* Whether there is a kind of this name. */
bool is_kind(const char *name);

/* The library's own copy of the name of a kind. Returns 0, or prints a line and returns an exit
 * code if there is none. */
int kind_named(const cli_arguments *arguments, const char *name, const char **kind);

/* Reads "bloom,hll" into parameters with nothing set but their kind. Returns 0, or prints a line
 * and returns an exit code if a kind is unknown or named twice. */
int kinds_read(const cli_arguments *arguments, const char *text, ink_params kinds[KINDS_MAX],
               size_t *kind_count);

/* Splits a list: ends the part at *list with a NUL in place of its comma, and returns it; *list
 * becomes the rest, NULL after the last part. */
char *list_next(char **list);

#endif
