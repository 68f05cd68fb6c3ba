/* utf8.c - bytes as text that is safe for a terminal. */
#include "report/utf8.h"

#include "inkling.h"

#include <string.h>

/* Whether a character of this length is a control character. */
static bool is_control(const uint8_t *character, size_t length)
{
    if (length == 1)
        return character[0] < 0x20 || character[0] == 0x7f;
    return length == 2 && character[0] == 0xc2 && character[1] < 0xa0;
}

size_t utf8_show(char *text, size_t room, const void *from, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t    *bytes = from;
    size_t            used = 0, columns = 0;

    for (size_t at = 0; at < count;) {
        size_t length = ink_utf8_character(bytes + at, count - at);
        bool   plain = length > 0 && !is_control(bytes + at, length) && bytes[at] != '\\';
        size_t needed = plain ? length : 4;
        if (used + needed + (at + (plain ? length : 1) < count ? 3 : 0) >= room) {
            memcpy(text + used, "...", 3);
            text[used + 3] = '\0';
            return columns + 3;
        }
        if (plain) {
            memcpy(text + used, bytes + at, length);
        } else {
            memcpy(text + used, "\\x", 2);
            text[used + 2] = digits[bytes[at] >> 4];
            text[used + 3] = digits[bytes[at] & 15];
        }
        used += needed;
        columns += plain ? 1 : 4;
        at += plain ? length : 1;
    }
    text[used] = '\0';
    return columns;
}
