/* parse_number.c - numbers in text. */
#include "input/records/parse_number.h"

#include "base/text.h"

/* Skips a sign; true if it is a minus. */
static bool read_sign(const uint8_t *text, uint64_t bytes, uint64_t *at)
{
    bool minus = *at < bytes && text[*at] == '-';

    *at += minus || (*at < bytes && text[*at] == '+');
    return minus;
}

bool ink__number_key(const uint8_t *text, uint64_t bytes, int64_t *key)
{
    uint64_t at = 0, value;
    bool     minus = read_sign(text, bytes, &at);

    if (!ink__parse_digits(text + at, (size_t)(bytes - at), minus ? 1ull << 63 : UINT64_MAX,
                           &value))
        return false;
    *key = (int64_t)(minus ? 0 - value : value);
    return true;
}

bool ink__number_weight(const uint8_t *text, uint64_t bytes, uint64_t *weight)
{
    return ink__parse_digits(text, (size_t)bytes, UINT64_MAX, weight);
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

static uint64_t skip_digits(const uint8_t *text, uint64_t bytes, uint64_t at)
{
    while (at < bytes && ink__is_digit(text[at]))
        at++;
    return at;
}

bool ink__number_round(const uint8_t *text, uint64_t bytes, ink__rounding rounding, int64_t *whole)
{
    uint64_t start = 0, value = 0;
    bool     minus = read_sign(text, bytes, &start);
    uint64_t at = skip_digits(text, bytes, start), count = at - start;

    if (count > 0 && !ink__parse_digits(text + start, (size_t)count, UINT64_MAX, &value))
        return false;
    if (at < bytes && text[at] == '.') {
        uint64_t point = ++at;
        at = skip_digits(text, bytes, at);
        count += at - point; /* 0: a point alone */
        int  half = ink__compare_half(text + point, at - point);
        bool tie_goes_away = rounding == INK__ROUND_HALF_UP ? !minus : value % 2 == 1;
        bool away = half > 0 || (half == 0 && tie_goes_away);
        if (away && value++ == UINT64_MAX)
            return false;
    }
    if (count == 0 || at != bytes || value > (uint64_t)INT64_MAX + minus)
        return false;
    *whole = (int64_t)(minus ? 0 - value : value);
    return true;
}
