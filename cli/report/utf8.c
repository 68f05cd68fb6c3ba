/* utf8.c - which bytes are safe text for a terminal or a JSON reader. */
#include "report/utf8.h"

#include <string.h>

/* Characters of 1 to 4 bytes: the leading bits of the first byte, and the least code point. */
static const struct {
    uint8_t  mask, lead;
    uint32_t least;
} lengths[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

size_t utf8_character(const uint8_t *bytes, size_t count)
{
    size_t length = 0;

    while (count > 0 && length < 4 && (bytes[0] & lengths[length].mask) != lengths[length].lead)
        length++;
    if (count == 0 || length == 4 || ++length > count)
        return 0;
    uint32_t value = bytes[0] & (uint8_t)~lengths[length - 1].mask;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0u) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (value < lengths[length - 1].least || value > 0x10ffff ||
        (value >= 0xd800 && value < 0xe000))
        return 0;
    return length;
}

bool utf8_is_control(const uint8_t *character, size_t length)
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
        size_t length = utf8_character(bytes + at, count - at);
        bool   plain = length > 0 && !utf8_is_control(bytes + at, length) && bytes[at] != '\\';
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
