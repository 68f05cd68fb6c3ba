/* utf8.h - which bytes are text that a terminal or a JSON reader can take. */
#ifndef INK_CLI_REPORT_UTF8_H
#define INK_CLI_REPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the character that `bytes` begin with, 1 to 4; 0 if they do not begin with one. */
size_t utf8_character(const uint8_t *bytes, size_t count);

/* Whether a character of this length is a control character, which a terminal would obey. */
bool utf8_is_control(const uint8_t *character, size_t length);

/* Writes bytes so that a terminal shows them and does nothing else: characters as they are, control
 * characters, backslashes and what is no UTF-8 as \xNN; cut with "..." where room ends. Returns how
 * many columns it takes. `room` is 4 or more. */
size_t utf8_show(char *text, size_t room, const void *bytes, size_t count);

/* Whether utf8_show would change anything. */
bool utf8_is_plain(const void *bytes, size_t count);

#endif
