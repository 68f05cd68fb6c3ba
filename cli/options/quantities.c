/* quantities.c - numbers as people write and read them: 1e6, 64M, 4x, 10m. Whole numbers are read
 * exactly, not through a double. */
#include "options/quantities.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPONENT_MAX = 9999 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips digits; false if there are none. */
static bool skip_digits(const char **at)
{
    const char *start = *at;

    while (is_digit(**at))
        (*at)++;
    return *at > start;
}

/* Skips digits, an optional fraction and an optional exponent; *exponent becomes NULL if there is
 * none. NULL if this is no number. */
static const char *skip_number(const char *at, const char **exponent)
{
    *exponent = NULL;
    if (!skip_digits(&at))
        return NULL;
    if (*at == '.' && (at++, !skip_digits(&at)))
        return NULL;
    if ((*at == 'e' || *at == 'E') && (is_digit(at[1]) || at[1] == '+' || at[1] == '-')) {
        *exponent = ++at;
        at += !is_digit(*at);
        if (!skip_digits(&at))
            return NULL;
    }
    return at;
}

static int read_exponent(const char *text)
{
    bool negative = *text == '-';
    int  value = 0;

    text += *text == '-' || *text == '+';
    for (; is_digit(*text); text++)
        value = value < EXPONENT_MAX ? value * 10 + (*text - '0') : value;
    return negative ? -value : value;
}

static bool times_ten_plus(uint64_t *value, unsigned digit)
{
    if (*value > (UINT64_MAX - digit) / 10)
        return false;
    *value = *value * 10 + digit;
    return true;
}

/* The digits before `end`, which may have a point among them, times a power of ten. */
static number_status whole(const char *text, const char *end, int exponent, uint64_t *value)
{
    const char *point = memchr(text, '.', (size_t)(end - text));
    ptrdiff_t   digits = end - text - (point != NULL);
    ptrdiff_t   kept = digits + exponent - (point == NULL ? 0 : end - point - 1);

    *value = 0;
    for (; text < end; text++) {
        if (text == point)
            continue;
        if (kept-- <= 0 && *text != '0')
            return NUMBER_IS_NONE; /* a fraction is left */
        if (kept >= 0 && !times_ten_plus(value, (unsigned)(*text - '0')))
            return NUMBER_TOO_LARGE;
    }
    for (; *value != 0 && kept > 0; kept--)
        if (!times_ten_plus(value, 0))
            return NUMBER_TOO_LARGE;
    return NUMBER_OK;
}

/* The suffix of a number, and its factor. */
typedef struct unit {
    const char *name;
    uint64_t    factor;
} unit;

static number_status count_of_units(const char *text, const unit *units, size_t unit_count,
                                    uint64_t *value)
{
    const char *exponent, *end = skip_number(text, &exponent);
    uint64_t    number;
    size_t      i = 0;

    if (end == NULL)
        return NUMBER_IS_NONE;
    while (i < unit_count && strcmp(end, units[i].name) != 0)
        i++;
    if (i == unit_count)
        return NUMBER_IS_NONE;
    const char   *digits_end = exponent == NULL ? end : exponent - 1;
    int           power = exponent == NULL ? 0 : read_exponent(exponent);
    number_status status = whole(text, digits_end, power, &number);
    if (status != NUMBER_OK)
        return status;
    if (number > UINT64_MAX / units[i].factor)
        return NUMBER_TOO_LARGE;
    *value = number * units[i].factor;
    return NUMBER_OK;
}

number_status number_count(const char *text, uint64_t *value)
{
    static const unit units[] = {{"", 1}};

    return count_of_units(text, units, 1, value);
}

number_status number_bytes(const char *text, uint64_t *value)
{
    static const unit units[] = {
        {"", 1}, {"K", 1u << 10}, {"M", 1u << 20}, {"G", 1u << 30}, {"T", UINT64_C(1) << 40},
    };

    return count_of_units(text, units, sizeof units / sizeof *units, value);
}

number_status number_time(const char *text, uint64_t *value)
{
    static const unit units[] = {
        {"", 1000000},
        {"ms", 1000},
        {"s", 1000000},
        {"m", 60 * UINT64_C(1000000)},
        {"h", 3600 * UINT64_C(1000000)},
        {"d", 86400 * UINT64_C(1000000)},
    };

    return count_of_units(text, units, sizeof units / sizeof *units, value);
}

/* A real number, followed by `suffix` or nothing. */
static number_status real_with(const char *text, const char *suffix, double *value)
{
    const char *exponent, *end = skip_number(text, &exponent);

    if (end == NULL || (*end != '\0' && strcmp(end, suffix) != 0))
        return NUMBER_IS_NONE;
    double number = strtod(text, NULL); /* the locale is always C */
    if (!isfinite(number))
        return NUMBER_TOO_LARGE;
    *value = number;
    return NUMBER_OK;
}

number_status number_real(const char *text, double *value)
{
    return real_with(text, "", value);
}

number_status number_factor(const char *text, double *value)
{
    return real_with(text, "x", value);
}

static void format_scaled(char *text, size_t room, double number, const char *one,
                          const char *const *scales)
{
    size_t scale = 0;

    if (number < 999.5) {
        snprintf(text, room, "%.0f%s", number, one);
        return;
    }
    for (number /= 1000; number >= 999.5 && scales[scale + 1] != NULL; number /= 1000)
        scale++;
    snprintf(text, room, number < 99.95 ? "%.1f %s" : "%.0f %s", number, scales[scale]);
}

void format_size(char *text, size_t room, uint64_t bytes)
{
    static const char *const scales[] = {"kB", "MB", "GB", "TB", "PB", "EB", NULL};

    format_scaled(text, room, (double)bytes, " B", scales);
}

void format_short(char *text, size_t room, double number)
{
    static const char *const scales[] = {"k", "M", "G", "T", NULL};

    format_scaled(text, room, number, "", scales);
}

void format_rate(char *text, size_t room, double rate)
{
    if (rate == 0)
        snprintf(text, room, "0");
    else if (rate >= 1e-4)
        snprintf(text, room, "%#.3g", rate);
    else
        snprintf(text, room, "%.2e", rate);
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '.') /* "100." */
        text[length - 1] = '\0';
}
