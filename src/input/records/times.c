/* times.c - times in text. Digits are read where they must be; nothing is searched. */
#include "input/records/times.h"

#include "base/size.h"
#include "base/text.h"

#include <string.h>

enum { SECONDS_OF_DAY = 86400, MINUTES_OF_DAY = 1440, MICROS = 1000000, FRACTION_DIGITS = 9 };

static const char a_time[] = "a time, as 2026-11-16T14:26:08Z or 16/Nov/2026:14:26:08 +0000, "
                             "or a number since 1970";
static const char a_small_number[] = "a time whose microseconds since 1970 fit 64 bits";

/* The text that is left, and what was expected where reading failed. */
typedef struct cursor {
    const uint8_t *at, *end;
    const char    *expected;
} cursor;

/* A day and a time of it, as written. */
typedef struct moment {
    unsigned year, month, day;
    unsigned hour, minute, second;
    uint64_t micros;
    int      offset; /* from UTC, in minutes */
} moment;

/* ---- The calendar ------------------------------------------------------------------------- */

static bool is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days of a common year before each month, and of all. */
static const uint16_t before_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

/* Days from the first of January of year 1 to that of `year`. */
static int64_t days_before(unsigned year)
{
    int64_t past = (int64_t)year - 1;

    return 365 * past + past / 4 - past / 100 + past / 400;
}

static int64_t micros_since_1970(const moment *when)
{
    int64_t days = days_before(when->year) - days_before(1970) + before_month[when->month - 1] +
                   (when->month > 2 && is_leap(when->year)) + when->day - 1;
    int64_t minutes = (int64_t)when->hour * 60 + when->minute - when->offset;

    return (days * SECONDS_OF_DAY + minutes * 60 + when->second) * MICROS + (int64_t)when->micros;
}

/* ---- Letters and digits ------------------------------------------------------------------- */

static bool fail(cursor *in, const char *expected)
{
    in->expected = expected;
    return false;
}

static uint64_t left(const cursor *in)
{
    return (uint64_t)(in->end - in->at);
}

static bool byte_at(const cursor *in, uint64_t offset, uint8_t byte)
{
    return left(in) > offset && in->at[offset] == byte;
}

static bool digit_at(const cursor *in, uint64_t offset)
{
    return left(in) > offset && ink__is_digit(in->at[offset]);
}

static bool accept(cursor *in, uint8_t byte)
{
    bool found = byte_at(in, 0, byte);

    in->at += found;
    return found;
}

static bool need(cursor *in, uint8_t byte)
{
    return accept(in, byte) || fail(in, a_time);
}

static bool read_pair(cursor *in, unsigned low, unsigned high, const char *expected, unsigned *pair)
{
    if (!digit_at(in, 0) || !digit_at(in, 1))
        return fail(in, expected);
    *pair = (unsigned)(in->at[0] - '0') * 10 + (unsigned)(in->at[1] - '0');
    in->at += 2;
    return (*pair >= low && *pair <= high) || fail(in, expected);
}

/* ---- Days --------------------------------------------------------------------------------- */

static bool read_year(cursor *in, unsigned *year)
{
    static const char expected[] = "a year from 0001 to 9999";
    unsigned          high, low;

    if (!read_pair(in, 0, 99, expected, &high) || !read_pair(in, 0, 99, expected, &low))
        return false;
    *year = high * 100 + low;
    return *year > 0 || fail(in, expected);
}

static bool read_day(cursor *in, unsigned *day)
{
    return read_pair(in, 1, 31, "a day from 01 to 31", day);
}

static bool check_day(cursor *in, const moment *when)
{
    unsigned last = (unsigned)(before_month[when->month] - before_month[when->month - 1]) +
                    (when->month == 2 && is_leap(when->year));

    return when->day <= last || fail(in, "a day that the month has");
}

static bool read_month_name(cursor *in, unsigned *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (*month = 1; *month <= 12 && left(in) >= 3; ++*month)
        if (memcmp(in->at, names + 3 * (*month - 1), 3) == 0) {
            in->at += 3;
            return true;
        }
    return fail(in, "a month from Jan to Dec");
}

/* ---- Times of a day ----------------------------------------------------------------------- */

/* Reads the decimals of a second, and returns how many there are. *more: some are not 0 beyond the
 * microseconds. */
static unsigned read_decimals(cursor *in, uint64_t *micros, bool *more)
{
    unsigned unit = MICROS, digits = 0;

    for (; digit_at(in, 0); in->at++, digits++) {
        unit /= 10; /* 0 from the seventh digit on */
        *micros += (uint64_t)(*in->at - '0') * unit;
        *more |= unit == 0 && *in->at != '0';
    }
    return digits;
}

/* As 14:26, 14:26:08 or 14:26:08.123. */
static bool read_clock(cursor *in, moment *when)
{
    bool more = false;

    if (!read_pair(in, 0, 23, "an hour from 00 to 23", &when->hour) || !need(in, ':') ||
        !read_pair(in, 0, 59, "a minute from 00 to 59", &when->minute))
        return false;
    if (!accept(in, ':'))
        return true;
    if (!read_pair(in, 0, 60, "a second from 00 to 59", &when->second))
        return false;
    if (!accept(in, '.') && !accept(in, ','))
        return true;
    unsigned digits = read_decimals(in, &when->micros, &more);
    return (digits > 0 && digits <= FRACTION_DIGITS) || fail(in, "1 to 9 digits of a second");
}

/* Whether an offset follows a blank: it has four digits then, unlike a field. */
static bool is_offset_after_blank(const cursor *in)
{
    uint64_t minutes = byte_at(in, 4, ':') ? 5 : 4;

    return byte_at(in, 0, ' ') && (byte_at(in, 1, '+') || byte_at(in, 1, '-')) && digit_at(in, 2) &&
           digit_at(in, 3) && digit_at(in, minutes) && digit_at(in, minutes + 1) &&
           !digit_at(in, minutes + 2);
}

static bool read_offset(cursor *in, moment *when)
{
    static const char expected[] = "an offset from UTC, as Z, +01:00 or +0100";
    unsigned          hours, minutes = 0;

    if (accept(in, 'Z') || accept(in, 'z'))
        return true;
    if (is_offset_after_blank(in))
        in->at++;
    bool minus = byte_at(in, 0, '-');
    if (!minus && !byte_at(in, 0, '+'))
        return true;
    in->at++;
    if (!read_pair(in, 0, 23, expected, &hours))
        return false;
    if ((accept(in, ':') || digit_at(in, 0)) && !read_pair(in, 0, 59, expected, &minutes))
        return false;
    when->offset = (int)(hours * 60 + minutes) * (minus ? -1 : 1);
    return true;
}

/* A leap second becomes the last microsecond of the second before it. */
static bool adjust_leap_second(cursor *in, moment *when)
{
    int minutes = (int)(when->hour * 60 + when->minute) - when->offset;

    if (when->second < 60)
        return true;
    if ((minutes + 2 * MINUTES_OF_DAY) % MINUTES_OF_DAY != MINUTES_OF_DAY - 1)
        return fail(in, "a second from 00 to 59, or 60 at 23:59 UTC");
    when->second = 59;
    when->micros = MICROS - 1;
    return true;
}

static bool read_time_of_day(cursor *in, moment *when)
{
    return read_clock(in, when) && read_offset(in, when) && adjust_leap_second(in, when);
}

/* ---- Times -------------------------------------------------------------------------------- */

/* A date as 2026-11-16, and the time of the day if there is one. */
static bool read_plain(cursor *in, moment *when)
{
    if (!(read_year(in, &when->year) && need(in, '-') &&
          read_pair(in, 1, 12, "a month from 01 to 12", &when->month) && need(in, '-') &&
          read_day(in, &when->day) && check_day(in, when)))
        return false;
    if (byte_at(in, 0, ' ') && digit_at(in, 1) && digit_at(in, 2) && byte_at(in, 3, ':')) {
        in->at++;
        return read_time_of_day(in, when);
    }
    return !(accept(in, 'T') || accept(in, 't')) || read_time_of_day(in, when);
}

/* As 16/Nov/2026:14:26:08 +0100. */
static bool read_log(cursor *in, moment *when)
{
    return read_day(in, &when->day) && need(in, '/') && read_month_name(in, &when->month) &&
           need(in, '/') && read_year(in, &when->year) && check_day(in, when) && need(in, ':') &&
           read_time_of_day(in, when);
}

static bool read_text(cursor *in, int64_t *time)
{
    moment when = {0};
    bool   bracket = accept(in, '[');

    if (!(byte_at(in, 2, '/') ? read_log(in, &when) : read_plain(in, &when)))
        return false;
    if (bracket && !accept(in, ']'))
        return fail(in, "a time and a closing bracket");
    *time = micros_since_1970(&when);
    return true;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* The microseconds of a number without its sign; *more: a fraction of one was cut off. */
static bool read_size(cursor *in, ink_time_unit unit, uint64_t *micros, bool *more)
{
    static const uint64_t factors[] = {MICROS, 1000, 1, 1};
    uint64_t              value = 0, decimals = 0;

    if (!digit_at(in, 0))
        return fail(in, a_time);
    for (; digit_at(in, 0); in->at++)
        if (!ink__mul_u64(value, 10, &value) ||
            !ink__add_u64(value, (uint64_t)(*in->at - '0'), &value))
            return fail(in, a_small_number);
    if (byte_at(in, 0, '.') && unit != INK_TIME_SECONDS)
        return fail(in, "a whole number, as only seconds have decimals");
    if (accept(in, '.') && read_decimals(in, &decimals, more) == 0)
        return fail(in, "digits after the point");
    if (unit == INK_TIME_NANOSECONDS) {
        *more = value % 1000 != 0;
        value /= 1000;
    }
    return (ink__mul_u64(value, factors[unit], &value) && ink__add_u64(value, decimals, micros)) ||
           fail(in, a_small_number);
}

static bool read_number(cursor *in, ink_time_unit unit, int64_t *time)
{
    bool     minus = byte_at(in, 0, '-'), more = false;
    uint64_t micros;

    in->at += minus || byte_at(in, 0, '+');
    if (!read_size(in, unit, &micros, &more))
        return false;
    more = more && minus; /* towards the past */
    if (micros > (uint64_t)INT64_MAX + minus - more)
        return fail(in, a_small_number);
    *time = (int64_t)(minus ? 0 - micros - more : micros);
    return true;
}

const char *ink__time_read(const uint8_t *text, uint64_t bytes, ink_time_unit unit, uint64_t *used,
                           int64_t *time)
{
    cursor in = {text, text + bytes, NULL};
    bool   written = byte_at(&in, 0, '[') || byte_at(&in, 2, '/') ||
                   (byte_at(&in, 4, '-') && ink__is_digit(text[0]));

    if (!(written ? read_text(&in, time) : read_number(&in, unit, time)))
        return in.expected;
    *used = (uint64_t)(in.at - text);
    return NULL;
}
