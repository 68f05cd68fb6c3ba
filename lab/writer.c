/* writer.c - text on its way to a sink. */
#define _GNU_SOURCE 1
#include "writer.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void flush(writer *to)
{
    if (to->os_error == 0 && to->used > 0)
        to->os_error = to->sink->write(to->sink->host, to->buffer, to->used);
    to->used = 0;
}

void write_bytes(writer *to, const char *bytes, size_t count)
{
    while (count > 0) {
        size_t room = sizeof to->buffer - to->used, some = count < room ? count : room;
        memcpy(to->buffer + to->used, bytes, some);
        to->used += some;
        bytes += some;
        count -= some;
        if (to->used == sizeof to->buffer)
            flush(to);
    }
}

void write_text(writer *to, const char *text)
{
    write_bytes(to, text, strlen(text));
}

void write_format(writer *to, const char *format, ...)
{
    char   *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        to->os_error = to->os_error == 0 ? ENOMEM : to->os_error;
        return;
    }
    write_bytes(to, text, (size_t)length);
    free(text);
}

void write_html_bytes(writer *to, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        switch (text[i]) {
        case '&':
            write_text(to, "&amp;");
            break;
        case '<':
            write_text(to, "&lt;");
            break;
        case '>':
            write_text(to, "&gt;");
            break;
        case '"':
            write_text(to, "&quot;");
            break;
        default:
            write_bytes(to, text + i, 1);
        }
}

void write_html(writer *to, const char *text)
{
    write_html_bytes(to, text, strlen(text));
}

void write_json(writer *to, const char *text)
{
    write_text(to, "\"");
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            write_format(to, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            write_format(to, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            write_bytes(to, text, 1);
    write_text(to, "\"");
}

void write_json_number(writer *to, double number)
{
    char text[40];

    if (!isfinite(number)) {
        write_text(to, "null");
        return;
    }
    if (number == floor(number) && fabs(number) < 1e15) {
        write_format(to, "%.0f", number);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    write_text(to, text);
}

ink_status write_end(writer *to, ink_error *error)
{
    flush(to);
    if (to->os_error == 0)
        return INK_OK;
    *error = (ink_error){.status = to->os_error == ENOMEM ? INK_MEMORY : INK_IO,
                         .os_error = to->os_error};
    snprintf(error->message, sizeof error->message, "cannot write: %s", strerror(to->os_error));
    return error->status;
}
