/* text.h - formatting into a bounded buffer, without stdio and without a locale. */
#ifndef INK_BASE_TEXT_H
#define INK_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define INK__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define INK__PRINTF(text, first)
#endif

/* Writes at most text_bytes - 1 characters and a NUL; returns the number written without it.
 * Knows %s %c %d %u %x %g %% with the lengths l, ll and z; %g gives up to six digits. */
size_t ink__format(char *text, size_t text_bytes, const char *format, ...) INK__PRINTF(3, 4);
size_t ink__format_list(char *text, size_t text_bytes, const char *format, va_list arguments);

/* The same for a message, in one line that is safe for a terminal: control bytes become \\xNN.
 * Braces in the format mark a name, which stands in the text without them: `named` is given its
 * location.
 */
void ink__format_message(char *text, size_t                                           text_bytes,
                         void (*named)(void *host, size_t start, size_t bytes), void *host,
                         const char *format, va_list arguments);

/* Writes a number in at most 20 decimal digits, and returns where they end: for hot loops. */
uint8_t *ink__put_number(uint8_t *to, uint64_t value);

/* The same for a number that may be negative, with its sign. */
static inline uint8_t *ink__put_whole(uint8_t *to, int64_t value)
{
    if (value >= 0 && value < 10) { /* as most rounded numbers are */
        *to = (uint8_t)('0' + value);
        return to + 1;
    }
    if (value < 0)
        *to++ = '-';
    return ink__put_number(to, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static inline bool ink__is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* The value of a hexadecimal digit, or 16. */
unsigned ink__hex_digit(uint8_t byte);

/* Reads `count` bytes, at least one, as a decimal number up to `max`; false if they are none. */
bool ink__parse_digits(const void *bytes, size_t count, uint64_t max, uint64_t *number);

/* How the digits after a point compare with one half: below 0, 0 or above 0. */
int ink__compare_half(const uint8_t *digits, uint64_t count);

/* How many of the first bytes are UTF-8: `count`, or where they are not. */
uint64_t ink__utf8_bytes(const void *from, uint64_t count);

bool ink__starts_with(const char *text, const char *start);
/* Whether the first `bytes` bytes of `text` end with `end`. */
bool ink__ends_with(const char *text, size_t bytes, const char *end);

/* Writes bytes of unknown origin, such as a label, for a terminal: printable ASCII as it is,
 * everything else as \xNN, truncated with "...". text_bytes is 1 or more. */
void ink__quote(char *text, size_t text_bytes, const void *bytes, size_t count);

/* Writes a byte as \xNN and a NUL; returns 4. There is room for them. */
size_t ink__escape_byte(char *text, size_t text_bytes, uint8_t byte);

#endif
