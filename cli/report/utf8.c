/* utf8.c - bytes as text that is safe for a terminal. */
#include "report/utf8.h"

#include "inkling.h"

#include <string.h>

static void put_escaped(char text[4], uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";

    memcpy(text, "\\x", 2);
    text[2] = digits[byte >> 4];
    text[3] = digits[byte & 15];
}

void utf8_make_safe(char *text, size_t room)
{
    size_t count = strlen(text), used = 0;
    char  *from = text + room - 1 - count; /* escapes never reach what is still to be read */

    memmove(from, text, count);
    for (size_t at = 0; at < count;) {
        const uint8_t *bytes = (const uint8_t *)from + at;
        size_t         length = ink_printable_character(bytes, count - at);
        bool           plain = length > 0;
        if (plain)
            memmove(text + used, bytes, length);
        else
            put_escaped(text + used, *bytes);
        used += plain ? length : 4;
        at += plain ? length : 1;
    }
    text[used] = '\0';
}

size_t utf8_show(char *text, size_t room, const void *from, size_t count)
{
    const uint8_t *bytes = from;
    size_t         used = 0, columns = 0;

    for (size_t at = 0; at < count;) {
        size_t length = ink_printable_character(bytes + at, count - at);
        bool   plain = length > 0 && bytes[at] != '\\';
        size_t needed = plain ? length : 4;
        if (used + needed + (at + (plain ? length : 1) < count ? 3 : 0) >= room) {
            memcpy(text + used, "...", 3);
            text[used + 3] = '\0';
            return columns + 3;
        }
        if (plain) {
            memcpy(text + used, bytes + at, length);
        } else {
            put_escaped(text + used, bytes[at]);
        }
        used += needed;
        columns += plain ? 1 : 4;
        at += plain ? length : 1;
    }
    text[used] = '\0';
    return columns;
}
