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

/* The digits of a decimal number, without its point: `whole` of them stand before it. */
typedef struct decimal {
    const uint8_t *text;
    uint64_t       start, whole, fraction;
    bool           minus, small; /* of the number, and of its exponent */
    uint64_t       exponent;
} decimal;

static uint64_t skip_digits(const uint8_t *text, uint64_t bytes, uint64_t *at)
{
    uint64_t start = *at;

    while (*at < bytes && ink__is_digit(text[*at]))
        ++*at;
    return *at - start;
}

/* An exponent that does not fit is as good as the largest one. */
static bool read_exponent(const uint8_t *text, uint64_t bytes, uint64_t *at, decimal *number)
{
    ++*at;
    number->small = read_sign(text, bytes, at);
    uint64_t start = *at;
    if (!read_digits(text, bytes, at, &number->exponent))
        number->exponent = UINT64_MAX;
    skip_digits(text, bytes, at);
    return *at > start;
}

static bool read_decimal(const uint8_t *text, uint64_t bytes, decimal *number)
{
    uint64_t at = 0;

    *number = (decimal){.text = text, .minus = read_sign(text, bytes, &at)};
    number->start = at;
    number->whole = skip_digits(text, bytes, &at);
    if (at < bytes && text[at] == '.') {
        at++;
        number->fraction = skip_digits(text, bytes, &at);
    }
    if (number->whole + number->fraction == 0)
        return false;
    if (at < bytes && (text[at] == 'e' || text[at] == 'E') &&
        !read_exponent(text, bytes, &at, number))
        return false;
    return at == bytes;
}

/* Digit `index`, as a character; past the last one they are zeros. */
static uint8_t digit_at(const decimal *number, uint64_t index)
{
    if (index >= number->whole + number->fraction)
        return '0';
    return number->text[number->start + index + (index >= number->whole)];
}

/* Below, at or above 0: the digits from `index` on, as a fraction, less a half. */
static int compare_half_from(const decimal *number, uint64_t index)
{
    uint64_t end = number->whole + number->fraction;

    if (digit_at(number, index) != '5')
        return digit_at(number, index) > '5' ? 1 : -1;
    for (uint64_t i = index + 1; i < end; i++)
        if (digit_at(number, i) != '0')
            return 1;
    return 0;
}

/* Digits and one decimal, as ratings and prices have them: 40 instructions a row of the seed job,
 * 102 for any number. False if the text has another form. */
static bool round_tenths(const uint8_t *text, uint64_t bytes, ink__rounding rounding,
                         int64_t *whole)
{
    enum { LEAST = 3, MOST = 18 }; /* so that nothing overflows */
    uint64_t value = 0, digits = bytes - 2;

    if (bytes < LEAST || bytes > MOST || text[digits] != '.' || !ink__is_digit(text[digits + 1]))
        return false;
    for (uint64_t i = 0; i < digits; i++) {
        if (!ink__is_digit(text[i]))
            return false;
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    const uint8_t tenths = text[digits + 1];
    value += tenths > '5' || (tenths == '5' && ink__tie_goes_away(rounding, false, value));
    *whole = (int64_t)value;
    return true;
}

bool ink__number_round(const uint8_t *text, uint64_t bytes, ink__rounding rounding, int64_t *whole)
{
    decimal  number;
    uint64_t point, value = 0;

    if (round_tenths(text, bytes, rounding, whole))
        return true;
    if (!read_decimal(text, bytes, &number))
        return false;
    if (number.small && number.exponent > number.whole) /* below a tenth */
        return with_sign(false, 0, whole);
    point = number.small ? number.whole - number.exponent
                         : ink__add_saturating(number.whole, number.exponent);
    for (uint64_t i = 0; i < point; i++) {
        if (value == 0 && i >= number.whole + number.fraction) /* a zero, with any exponent */
            break;
        if (!ink__mul_u64(value, 10, &value) ||
            !ink__add_u64(value, (uint64_t)(digit_at(&number, i) - '0'), &value))
            return false;
    }
    int half = compare_half_from(&number, point);
    if (half > 0 || (half == 0 && ink__tie_goes_away(rounding, number.minus, value)))
        if (value++ == UINT64_MAX)
            return false;
    return with_sign(number.minus, value, whole);
}
