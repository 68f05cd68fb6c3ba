/* text.c - formatting into a bounded buffer, and strings of JSON. printf would need stdio, and
 * write "0,01" in some locales. */
#include "base/text.h"

#include "base/bits.h"
#include "base/size.h"
#include "inkling.h"

#include <string.h>

typedef struct output {
    char  *text;
    size_t room; /* for characters, the NUL excluded */
    size_t used;
    /* Of a message: reports names; otherwise NULL. */
    void (*named)(void *host, size_t start, size_t bytes);
    void  *host;
    size_t name; /* where the name that braces mark began */
} output;

static void put(output *out, char c)
{
    const uint8_t byte = (uint8_t)c;

    if (out->named == NULL || (byte >= 0x20 && byte != 0x7f)) {
        if (out->used < out->room)
            out->text[out->used++] = c;
    } else if (out->room - out->used >= 4) {
        ink__quote(out->text + out->used, out->room - out->used + 1, &c, 1);
        out->used += 4;
    } else
        out->room = out->used; /* an escape is whole, and the text ends before what would follow */
}

static void put_text(output *out, const char *text)
{
    while (*text != '\0')
        put(out, *text++);
}

static void put_number(output *out, unsigned long long value, unsigned base)
{
    char     digits[24];
    unsigned count = 0;

    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (count > 0)
        put(out, digits[--count]);
}

static void put_real(output *out, double value)
{
    char digits[7];
    int  exponent = 5, count = 6; /* exponent: the power of ten of the first digit */

    if (value < 0) {
        put(out, '-');
        value = -value;
    }
    if (!(value > 0 && value <= 1.7976931348623157e308)) {
        put_text(out, value == 0 ? "0" : value > 0 ? "inf" : "nan");
        return;
    }
    for (; value >= 1e6; exponent++)
        value /= 10;
    for (; value < 1e5; exponent--)
        value *= 10;
    unsigned long number = (unsigned long)(value + 0.5);
    if (number >= 1000000) {
        number /= 10;
        exponent++;
    }
    for (int i = 5; i >= 0; i--) {
        digits[i] = (char)('0' + number % 10);
        number /= 10;
    }
    while (count > 1 && digits[count - 1] == '0')
        count--;

    if (exponent < -4 || exponent >= 6) {
        put(out, digits[0]);
        if (count > 1)
            put(out, '.');
        for (int i = 1; i < count; i++)
            put(out, digits[i]);
        put(out, 'e');
        put(out, exponent < 0 ? '-' : '+');
        if (exponent > -10 && exponent < 10)
            put(out, '0');
        put_number(out, (unsigned long long)(exponent < 0 ? -exponent : exponent), 10);
        return;
    }
    if (exponent < 0)
        put_text(out, "0.");
    for (int i = -1; i > exponent; i--)
        put(out, '0');
    for (int i = 0; i < count || i <= exponent; i++) {
        put(out, i < count ? digits[i] : '0');
        if (i == exponent && i + 1 < count)
            put(out, '.');
    }
}

/* A brace of a message: it marks a name that is whole. */
static void put_brace(output *out, char brace)
{
    if (brace == '{')
        out->name = out->used;
    else if (out->used < out->room)
        out->named(out->host, out->name, out->used - out->name);
}

static void put_list(output *out, const char *format, va_list list)
{
    va_list   arguments;
    long long whole;

    va_copy(arguments, list);
    for (; *format != '\0'; format++) {
        if (out->named != NULL && (*format == '{' || *format == '}')) {
            put_brace(out, *format);
            continue;
        }
        if (*format != '%') {
            put(out, *format);
            continue;
        }
        int length = 0; /* 0: int, 1: long, 2: long long, 3: size_t */
        for (format++; *format == 'l' || *format == 'z'; format++)
            length += *format == 'z' ? 3 : 1;
        switch (*format) {
        case 's':
            put_text(out, va_arg(arguments, const char *));
            break;
        case 'c':
            put(out, (char)va_arg(arguments, int));
            break;
        case 'd':
            whole = length == 0   ? va_arg(arguments, int)
                    : length == 1 ? va_arg(arguments, long)
                    : length == 2 ? va_arg(arguments, long long)
                                  : va_arg(arguments, ptrdiff_t);
            if (whole < 0)
                put(out, '-');
            put_number(out, whole < 0 ? 0 - (unsigned long long)whole : (unsigned long long)whole,
                       10);
            break;
        case 'u':
        case 'x':
            put_number(out,
                       length == 0   ? va_arg(arguments, unsigned)
                       : length == 1 ? va_arg(arguments, unsigned long)
                       : length == 2 ? va_arg(arguments, unsigned long long)
                                     : va_arg(arguments, size_t),
                       *format == 'x' ? 16 : 10);
            break;
        case 'g':
            put_real(out, va_arg(arguments, double));
            break;
        case '\0': /* a lone % at the end */
            format--;
            break;
        default: /* %% */
            put(out, '%');
            break;
        }
    }
    va_end(arguments);
}

/* ---- Numbers in hot loops ------------------------------------------------------------------ */

/* The digits of a number below 10^8, the first one in the lowest byte: of all pairs of four, then
 * of two, then of one digits at once, the quotients by a multiplication and a shift. */
static uint64_t eight_digits(uint64_t value)
{
    uint64_t fours = value / 10000 | value % 10000 << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007fu;
    uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000fu;

    return tens | (twos - tens * 10) << 8;
}

uint8_t *ink__put_number(uint8_t *to, uint64_t value)
{
    const uint64_t low = 100000000, zeros = 0x3030303030303030u;
    uint8_t        digits[24];
    unsigned       skipped = 0;
    uint64_t       parts[3] = {value / low / low, value / low % low, value % low};

    if (value < 10) { /* as most rounded numbers are */
        *to = (uint8_t)('0' + value);
        return to + 1;
    }
    while (skipped < 2 && parts[skipped] == 0)
        skipped++;
    for (unsigned i = skipped; i < 3; i++) {
        parts[i] = eight_digits(parts[i]);
        ink__store_u64(digits + 8 * i, parts[i] | zeros);
    }
    /* The zeros before the first digit, of which the last one is never left out. */
    const uint64_t first = parts[skipped];
    const unsigned from = 8 * skipped + (first == 0 ? 7 : ink__trailing_zeros_64(first) / 8);
    const unsigned count = (unsigned)sizeof digits - from;
    if (count >= 8) { /* blocks of fixed size, which may overlap, are faster than a loop */
        memcpy(to, digits + from, 8);
        if (count > 16)
            memcpy(to + 8, digits + from + 8, 8);
        memcpy(to + count - 8, digits + 16, 8);
    } else
        for (unsigned i = 0; i < count; i++)
            to[i] = digits[from + i];
    return to + count;
}

size_t ink__format_list(char *text, size_t text_bytes, const char *format, va_list arguments)
{
    output out = {.text = text, .room = text_bytes > 0 ? text_bytes - 1 : 0};

    put_list(&out, format, arguments);
    if (text_bytes > 0)
        text[out.used] = '\0';
    return out.used;
}

void ink__format_message(char *text, size_t                                           text_bytes,
                         void (*named)(void *host, size_t start, size_t bytes), void *host,
                         const char *format, va_list arguments)
{
    output out = {.text = text, .room = text_bytes - 1, .named = named, .host = host};

    put_list(&out, format, arguments);
    text[out.used] = '\0';
}

size_t ink__format(char *text, size_t text_bytes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    size_t used = ink__format_list(text, text_bytes, format, arguments);
    va_end(arguments);
    return used;
}

/* How a byte is written: as itself, or as \xNN. */
static size_t quoted_width(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '\\' ? 1 : 4;
}

size_t ink__escape_byte(char *text, size_t text_bytes, uint8_t byte)
{
    return ink__format(text, text_bytes, "\\x%c%c", "0123456789abcdef"[byte >> 4],
                       "0123456789abcdef"[byte & 15]);
}

void ink__quote(char *text, size_t text_bytes, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;
    size_t         whole = 0, used = 0;

    for (size_t i = 0; i < count && whole < text_bytes; i++)
        whole += quoted_width(byte[i]);
    size_t room = whole < text_bytes ? text_bytes - 1 : text_bytes > 4 ? text_bytes - 4 : 0;
    for (size_t i = 0; i < count && used + quoted_width(byte[i]) <= room; i++) {
        if (quoted_width(byte[i]) == 1)
            text[used++] = (char)byte[i];
        else
            used += ink__escape_byte(text + used, text_bytes - used, byte[i]);
    }
    if (whole >= text_bytes)
        used += ink__format(text + used, text_bytes - used, "...");
    text[used] = '\0';
}

unsigned ink__hex_digit(uint8_t byte)
{
    unsigned lower = byte | 0x20u;

    if (ink__is_digit(byte))
        return byte - (unsigned)'0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

bool ink__parse_digits(const void *bytes, size_t count, uint64_t max, uint64_t *number)
{
    const uint8_t *digits = bytes;

    *number = 0;
    for (size_t i = 0; i < count; i++)
        if (!ink__is_digit(digits[i]) || !ink__mul_u64(*number, 10, number) ||
            !ink__add_u64(*number, (uint64_t)(digits[i] - '0'), number) || *number > max)
            return false;
    return count > 0;
}

int ink__compare_half(const uint8_t *digits, uint64_t count)
{
    if (count == 0 || digits[0] != '5')
        return count > 0 && digits[0] > '5' ? 1 : -1;
    for (uint64_t i = 1; i < count; i++)
        if (digits[i] != '0')
            return 1;
    return 0;
}

bool ink__starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool ink__ends_with(const char *text, size_t bytes, const char *end)
{
    size_t end_bytes = strlen(end);

    return bytes >= end_bytes && memcmp(text + bytes - end_bytes, end, end_bytes) == 0;
}

/* The length of the character of UTF-8 that bytes begin with; 0 if with none. */
static size_t character_bytes(const void *from, size_t count)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const uint8_t        *bytes = from;
    uint8_t               first = count == 0 ? 0x80 : bytes[0];
    size_t                length = first < 0x80   ? 1
                                   : first < 0xc0 ? 0
                                   : first < 0xe0 ? 2
                                   : first < 0xf0 ? 3
                                   : first < 0xf8 ? 4
                                                  : 0;
    uint32_t              value = first & (length == 1 ? 0x7fu : 0xffu >> (length + 1));

    if (length == 0 || length > count)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0u) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    return value >= least[length - 1] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff)
               ? length
               : 0;
}

static bool is_control(const uint8_t *character, size_t length)
{
    return length == 1 ? *character < 0x20 || *character == 0x7f
                       : length == 2 && *character == 0xc2 && character[1] < 0xa0;
}

size_t ink_printable_character(const void *bytes, size_t count)
{
    size_t length = character_bytes(bytes, count);

    return length > 0 && is_control(bytes, length) ? 0 : length;
}

uint64_t ink__utf8_bytes(const void *from, uint64_t count)
{
    const uint64_t high = 0x8080808080808080u;
    const uint8_t *text = from;
    uint64_t       at = 0;

    while (at < count) {
        while (count - at >= 32 &&
               ((ink__load_u64(text + at) | ink__load_u64(text + at + 8) |
                 ink__load_u64(text + at + 16) | ink__load_u64(text + at + 24)) &
                high) == 0)
            at += 32;
        for (uint64_t high_bits; count - at >= 8; at += 8)
            if ((high_bits = ink__load_u64(text + at) & high) != 0) {
                at += ink__trailing_zeros_64(high_bits) / 8;
                break;
            }
        while (at < count && text[at] < 0x80)
            at++;
        for (size_t bytes; at < count && text[at] >= 0x80; at += bytes)
            if ((bytes = character_bytes(text + at, (size_t)(count - at))) == 0)
                return at;
    }
    return at;
}

bool ink_is_utf8(const void *from, size_t count)
{
    return ink__utf8_bytes(from, count) == count;
}

size_t ink_hex_text(const void *from, size_t count, char *text, size_t room)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t    *bytes = from;

    if (2 * count >= room)
        return 2 * count;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
    return 2 * count;
}

/* Writes the characters of a string of JSON to `to`, unless it is NULL; returns how many bytes they
 * take. */
static size_t json_characters(const uint8_t *bytes, size_t count, char *to)
{
    size_t used = 0;

    for (size_t at = 0, length; at < count; at += length == 0 ? 1 : length) {
        const uint8_t *from = bytes + at;
        char           form[8] = "\\";
        length = character_bytes(from, count - at);
        size_t size = length;
        if (length == 0 ||
            is_control(from, length)) { /* by its value, as is a byte that is none of UTF-8 */
            uint8_t value = length == 2 ? from[1] : from[0];
            size = ink__format(form, sizeof form, "\\u00%c%c", "0123456789abcdef"[value >> 4],
                               "0123456789abcdef"[value & 15]);
        } else if (*from == '"' || *from == '\\') {
            form[1] = (char)*from;
            size = 2;
        } else {
            memcpy(form, from, length);
        }
        if (to != NULL)
            memcpy(to + used, form, size);
        used += size;
    }
    return used;
}

size_t ink_json_text(const void *bytes, size_t count, char *text, size_t room)
{
    size_t used = json_characters(bytes, count, NULL);

    if (used + 2 < room) {
        text[0] = '"';
        json_characters(bytes, count, text + 1);
        memcpy(text + 1 + used, "\"", 2);
    }
    return used + 2;
}
