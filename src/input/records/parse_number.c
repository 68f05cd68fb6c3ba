/* parse_number.c - numbers in text. */
#include "input/records/parse_number.h"

#include "base/size.h"
#include "base/text.h"

/* Reads digits from *at on, at least one; *at becomes where they end. */
static bool read_digits(const uint8_t *text, uint64_t bytes, uint64_t *at, uint64_t *value)
{
    uint64_t start = *at;

    for (*value = 0; *at < bytes && ink__is_digit(text[*at]); ++*at)
        if (!ink__mul_u64(*value, 10, value) ||
            !ink__add_u64(*value, (uint64_t)(text[*at] - '0'), value))
            return false;
    return *at > start;
}

/* Skips a sign; true if it is a minus. */
static bool read_sign(const uint8_t *text, uint64_t bytes, uint64_t *at)
{
    bool minus = *at < bytes && text[*at] == '-';

    *at += minus || (*at < bytes && text[*at] == '+');
    return minus;
}

/* The number with this sign, if it is one of 64 bits with a sign. */
static bool with_sign(bool minus, uint64_t value, int64_t *number)
{
    if (value > (uint64_t)INT64_MAX + minus)
        return false;
    *number = (int64_t)(minus ? 0 - value : value);
    return true;
}

bool ink__number_key(const uint8_t *text, uint64_t bytes, int64_t *key)
{
    uint64_t at = 0, value;
    bool     minus = read_sign(text, bytes, &at);

    if (!read_digits(text, bytes, &at, &value) || at != bytes)
        return false;
    if (minus)
        return with_sign(minus, value, key);
    *key = (int64_t)value;
    return true;
}

bool ink__number_weight(const uint8_t *text, uint64_t bytes, uint64_t *weight)
{
    uint64_t at = 0;

    return read_digits(text, bytes, &at, weight) && at == bytes;
}

bool ink__number_round(const uint8_t *text, uint64_t bytes, ink__rounding rounding, int64_t *whole)
{
    uint64_t at = 0, value = 0;
    bool     minus = read_sign(text, bytes, &at);
    bool     digits = at < bytes && ink__is_digit(text[at]);

    if (digits && !read_digits(text, bytes, &at, &value))
        return false;
    if (at < bytes && text[at] == '.') {
        uint64_t point = ++at;
        while (at < bytes && ink__is_digit(text[at]))
            at++;
        if (at == point && !digits) /* a point alone */
            return false;
        int  half = ink__compare_half(text + point, at - point);
        bool tie_goes_away = rounding == INK__ROUND_HALF_UP ? !minus : value % 2 == 1;
        bool away = half > 0 || (half == 0 && tie_goes_away);
        if (away && value++ == UINT64_MAX)
            return false;
        digits = true;
    }
    return digits && at == bytes && with_sign(minus, value, whole);
}
