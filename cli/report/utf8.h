/* utf8.h - bytes as text that is safe for a terminal. */
#ifndef INK_CLI_REPORT_UTF8_H
#define INK_CLI_REPORT_UTF8_H

#include <stddef.h>

/* Makes a line safe for a terminal in place: what utf8_show escapes becomes \xNN, except for
 * backslashes. `room` has four bytes for each, and a NUL. */
void utf8_make_safe(char *text, size_t room);

/* Writes bytes as printable text: control characters, backslashes and bytes that are not UTF-8
 * become \xNN; "..." marks a cut where `room` (4 or more) ends. Returns its number of columns. */
size_t utf8_show(char *text, size_t room, const void *bytes, size_t count);

#endif
