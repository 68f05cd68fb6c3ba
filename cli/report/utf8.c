/* utf8.c - which bytes are text that a terminal or a JSON reader can take. */
#include "report/utf8.h"

#include <string.h>

/* The number of bytes that a first byte announces, and the smallest character of that length. */
static size_t announced(uint8_t first, uint32_t *value, uint32_t *smallest)
{
    if (first < 0x80) {
        *value = first;
        *smallest = 0;
        return 1;
    }
    if (first >= 0xc0 && first < 0xe0) {
        *value = first & 0x1fu;
        *smallest = 0x80;
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        *value = first & 0x0fu;
        *smallest = 0x800;
        return 3;
    }
    if (first >= 0xf0 && first < 0xf8) {
        *value = first & 0x07u;
        *smallest = 0x10000;
        return 4;
    }
    return 0;
}

size_t utf8_character(const uint8_t *bytes, size_t count)
{
    uint32_t value, smallest;

    if (count == 0)
        return 0;
    size_t length = announced(bytes[0], &value, &smallest);
    if (length > count)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0u) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (length == 0 || value < smallest || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
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

bool utf8_is_plain(const void *from, size_t count)
{
    const uint8_t *bytes = from;

    for (size_t at = 0; at < count;) {
        size_t length = utf8_character(bytes + at, count - at);
        if (length == 0 || utf8_is_control(bytes + at, length) || bytes[at] == '\\')
            return false;
        at += length;
    }
    return true;
}
