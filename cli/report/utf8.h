/* utf8.h - which bytes are safe text for a terminal or a JSON reader. */
#ifndef INK_CLI_REPORT_UTF8_H
#define INK_CLI_REPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the character that `bytes` begin with, 1 to 4; 0 if they do not begin with one. */
size_t utf8_character(const uint8_t *bytes, size_t count);

/* Whether a character of this length is a control character. */
bool utf8_is_control(const uint8_t *character, size_t length);

/* Writes bytes as printable text: control characters, backslashes and bytes that are not UTF-8
 * become \xNN; "..." marks a cut where `room` (4 or more) ends. Returns its number of columns. */
size_t utf8_show(char *text, size_t room, const void *bytes, size_t count);

#endif
