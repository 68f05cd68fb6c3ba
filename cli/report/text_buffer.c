/* text_buffer.c - a growing buffer of bytes. */
#include "report/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_reserve(cli_text *text, size_t more)
{
    if (text->room - text->count >= more)
        return;
    text->room = 2 * text->room + more;
    text->bytes = need_memory(text->bytes, text->room);
}

void text_bytes(cli_text *text, const void *bytes, size_t count)
{
    if (count == 0)
        return;
    text_reserve(text, count);
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

void text_put(cli_text *text, const char *more)
{
    text_bytes(text, more, strlen(more));
}

void text_format(cli_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int needed = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (needed <= 0)
        return;
    text_reserve(text, (size_t)needed + 1); /* and the NUL of vsnprintf */
    va_start(arguments, format);
    vsnprintf(text->bytes + text->count, (size_t)needed + 1, format, arguments);
    va_end(arguments);
    text->count += (size_t)needed;
}

void text_free(cli_text *text)
{
    free(text->bytes);
    *text = (cli_text){0};
}
