/* text_buffer.h - a growing buffer of bytes. */
#ifndef INK_CLI_REPORT_TEXT_BUFFER_H
#define INK_CLI_REPORT_TEXT_BUFFER_H

#include "report/failure.h"

#include <stddef.h>

/* All zero is empty; so is a count of 0, which keeps the memory. */
typedef struct cli_text {
    char  *bytes; /* not ended by a NUL */
    size_t count, room;
} cli_text;

/* Makes room for `more` bytes. */
void text_reserve(cli_text *text, size_t more);
void text_bytes(cli_text *text, const void *bytes, size_t count);
void text_put(cli_text *text, const char *more);
void text_format(cli_text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_free(cli_text *text);

#endif
