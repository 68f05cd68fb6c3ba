/* specs.h - the sketches of a stream on the command line: --sketch 'bloom:n=1e6,p=0.01', once or
 * more, or one --sketch and options of size. */
#ifndef INK_CLI_STREAM_SPECS_H
#define INK_CLI_STREAM_SPECS_H

#include "inkling.h"
#include "options/kind_texts.h"
#include "options/options.h"

/* Reads them into parameters, in order, without hash and key type; with --grow filters become
 * scalable. Fails if there is none, a kind or size is wrong, or a filter has no size. */
int specs_read(const cli_arguments *arguments, ink_params kinds[KINDS_MAX], size_t *kind_count);

/* Whether one of them is a filter. */
bool specs_have_filter(const ink_params *kinds, size_t kind_count);

#endif
