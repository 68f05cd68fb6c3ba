/* wrap.h - text that is at most 80 columns wide. */
#ifndef INK_CLI_WRAP_H
#define INK_CLI_WRAP_H

#include <stddef.h>

/* Prints a text word by word. The line that it begins on has `column` columns already, further ones
 * are set in by `indent`; the last one is ended. A blank line within the text stays one, other line
 * ends are blanks. */
void wrap_text(const char *text, size_t column, size_t indent);

#endif
