/* times_test.c - times in text are the microseconds that Python and a calendar that counts days one
 * by one find, and what is no time is refused with what was expected. */
#define _DEFAULT_SOURCE 1
#include "input/records/times.h"

#include "support/check.h"
#include "support/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)

/* Reads a text that stands at the very end of its memory, so that a byte too many is noticed. NULL
 * if it is a time and nothing else. */
static const char *read_in(ink_time_unit unit, const char *text, int64_t *time)
{
    size_t      bytes = strlen(text);
    uint8_t    *alone = malloc(bytes + (bytes == 0));
    uint64_t    used = 0;
    const char *expected;

    assert_non_null(alone);
    memcpy(alone, text, bytes);
    expected = ink__time_read(alone, bytes, unit, &used, time);
    free(alone);
    return expected != NULL ? expected : used == bytes ? NULL : "less";
}

static void check_time(const char *text, int64_t wanted)
{
    int64_t     time = -1;
    const char *expected = read_in(INK_TIME_SECONDS, text, &time);

    if (expected != NULL)
        fail_msg("\"%s\": expected %s", text, expected);
    if (time != wanted)
        fail_msg("\"%s\" is %" PRId64 ", expected %" PRId64, text, time, wanted);
}

static void check_number(const char *text, ink_time_unit unit, int64_t wanted)
{
    int64_t     time = -1;
    const char *expected = read_in(unit, text, &time);

    if (expected != NULL || time != wanted)
        fail_msg("\"%s\" is %" PRId64 " (%s), expected %" PRId64, text, time,
                 expected == NULL ? "fine" : expected, wanted);
}

static void check_bad(ink_time_unit unit, const char *text, const char *part)
{
    int64_t     time;
    const char *expected = read_in(unit, text, &time);

    if (expected == NULL)
        fail_msg("\"%s\" is %" PRId64 ", expected a failure", text, time);
    if (strstr(expected, part) == NULL)
        fail_msg("\"%s\": expected \"%s\", not \"%s\"", text, part, expected);
}

/* ---- The calendar ------------------------------------------------------------------------- */

typedef struct date {
    int year, month, day;
} date;

static int length_of(int year, int month)
{
    bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);

    if (month == 2)
        return leap ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Writes a date; by hand, as days are many. */
static void write_date(char text[11], const date *on)
{
    int number = on->year * 10000 + on->month * 100 + on->day;

    memcpy(text, "----------", 11);
    for (int at = 9; at >= 0; at--)
        if (at != 4 && at != 7) {
            text[at] = (char)('0' + number % 10);
            number /= 10;
        }
}

static void check_date(const date *on, int64_t days)
{
    char     text[11];
    uint64_t used = 0;
    int64_t  time = 0;

    write_date(text, on);
    if (ink__time_read((const uint8_t *)text, 10, INK_TIME_SECONDS, &used, &time) != NULL ||
        used != 10 || time != days * DAY)
        fail_msg("%s is %" PRId64 ", expected %" PRId64, text, time, days * DAY);
}

/* The first day that a month does not have. */
static void check_no_date(const date *last)
{
    const date next = {last->year, last->month, last->day + 1};
    char       text[11];

    write_date(text, &next);
    check_bad(INK_TIME_SECONDS, text, last->day < 31 ? "that the month has" : "from 01 to 31");
}

TEST(every_day_from_1970_on_is_one_more)
{
    date    on = {1970, 1, 1};
    int64_t days = 0;

    for (; on.year <= (records_light() ? 2370 : 9999); days++) {
        check_date(&on, days);
        if (on.day < length_of(on.year, on.month)) {
            on.day++;
            continue;
        }
        check_no_date(&on);
        on = on.month < 12 ? (date){on.year, on.month + 1, 1} : (date){on.year + 1, 1, 1};
    }
    assert_int_equal(days, records_light() ? 146462 : 2932897); /* as Python counts them */
}

TEST(every_day_before_1970_is_one_less)
{
    date    on = {1969, 12, 31};
    int64_t days = -1;

    for (; on.year >= (records_light() ? 1570 : 1); days--) {
        check_date(&on, days);
        if (on.day > 1) {
            on.day--;
            continue;
        }
        on.year -= on.month == 1;
        on.month = on.month == 1 ? 12 : on.month - 1;
        on.day = length_of(on.year, on.month);
    }
    assert_int_equal(days, records_light() ? -146098 : -719163);
}

TEST(times_are_those_of_python)
{
    static const struct {
        const char *text;
        int64_t     time;
    } known[] = {
        {"0001-01-01T00:00:00Z", -INT64_C(62135596800000000)},
        {"9999-12-31T23:59:59Z", INT64_C(253402300799000000)},
        {"1970-01-01T00:00:00Z", INT64_C(0)},
        {"1969-12-31T23:59:59Z", -INT64_C(1000000)},
        {"2000-02-29T12:00:00Z", INT64_C(951825600000000)},
        {"1900-02-28T23:59:59Z", -INT64_C(2203891201000000)},
        {"1900-03-01T00:00:00Z", -INT64_C(2203891200000000)},
        {"1600-02-29T01:02:03Z", -INT64_C(11670994677000000)},
        {"2100-03-01T00:00:00Z", INT64_C(4107542400000000)},
        {"0004-02-29T00:00:00Z", -INT64_C(62035891200000000)},
        {"2038-01-19T03:14:08Z", INT64_C(2147483648000000)},
        {"2026-11-16T14:26:08Z", INT64_C(1794839168000000)},
        {"5924-08-16T09:26:14.006137+06:30", INT64_C(124795824974006137)},
        {"23/Nov/6710:08:15:40 -0848", INT64_C(149608141420000000)},
        {"0166-05-10T10:42:09.325172+17:07", -INT64_C(56917578290674828)},
        {"20/Apr/0364:08:01:57 -1329", -INT64_C(50670930543000000)},
        {"9930-11-21T00:29:29.657193+16:53", INT64_C(251221246589657193)},
        {"26/Apr/4854:09:23:16 +0442", INT64_C(91020256876000000)},
        {"1409-06-16T13:33:41.994452-12:14", -INT64_C(17689011138005548)},
        {"19/May/9219:01:18:05 -2334", INT64_C(228768367925000000)},
        {"8575-06-08T15:09:19.331777-03:13", INT64_C(208447410139331777)},
        {"03/Aug/7552:05:44:30 -2306", INT64_C(176169531030000000)},
        {"7294-08-01T15:44:50.476332-15:36", INT64_C(168027722450476332)},
        {"21/Aug/1281:00:09:45 -0808", -INT64_C(21722571735000000)},
        {"6656-06-02T17:02:42.419441+20:24", INT64_C(147889053522419441)},
        {"16/Jun/9893:16:42:52 +2229", INT64_C(250040110432000000)},
        {"1162-04-11T03:45:05.127417+12:59", -INT64_C(25489415634872583)},
        {"13/Jan/3984:20:02:58 -1614", INT64_C(63556834618000000)},
        {"0791-07-05T20:44:16.186800-07:38", -INT64_C(37189568263813200)},
        {"08/Jan/9538:16:15:58 -1604", INT64_C(238823713198000000)},
        {"1705-11-05T08:24:26.424657-21:21", -INT64_C(8335851273575343)},
        {"15/Dec/7610:14:16:02 -1957", INT64_C(178011425582000000)},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        check_time(known[i].text, known[i].time);
}

/* ---- Forms -------------------------------------------------------------------------------- */

static const int64_t moment = INT64_C(1794839168) * SECOND; /* 2026-11-16T14:26:08Z */

TEST(a_time_can_be_written_in_many_ways)
{
    const char *same =
        "2026-11-16T14:26:08Z|2026-11-16t14:26:08z|2026-11-16 14:26:08Z|2026-11-16 14:26:08|"
        "2026-11-16T14:26:08|2026-11-16T14:26:08.0Z|2026-11-16T14:26:08,000Z|"
        "2026-11-16T14:26:08+00:00|2026-11-16T14:26:08-00:00|2026-11-16T15:26:08+01:00|"
        "2026-11-16T15:26:08+0100|2026-11-16T15:26:08+01|2026-11-16 15:26:08 +0100|"
        "2026-11-16 15:26:08 +01:00|2026-11-16T08:56:08-05:30|2026-11-17T14:25:08+23:59|"
        "2026-11-15T14:27:08-23:59|16/Nov/2026:14:26:08 +0000|[16/Nov/2026:14:26:08 +0000]|"
        "16/Nov/2026:14:26:08|[16/Nov/2026:14:26:08]|[16/Nov/2026:08:56:08 -0530]|"
        "[2026-11-16 15:26:08 +0100]|1794839168|1794839168.0|+1794839168|"
        "001794839168.000000000|16/Nov/2026:15:26:08+01:00";

    while (same != NULL)
        check_time(check_next_word(&same), moment);
    check_time("2026-11-16T14:26Z", moment - 8 * SECOND);
    check_time("2026-11-16 14:26", moment - 8 * SECOND);
    check_time("2026-11-16", moment - (14 * 3600 + 26 * 60 + 8) * SECOND);
}

TEST(every_month_of_a_web_log_has_its_name)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char                     text[40];
    int64_t                  days = 0;

    for (int month = 1; month <= 12; days += length_of(1970, month++)) {
        snprintf(text, sizeof text, "01/%s/1970:00:00:00 +0000", months[month - 1]);
        check_time(text, days * DAY);
    }
}

TEST(fractions_are_cut_towards_the_past)
{
    static const struct {
        const char *text;
        int64_t     micros;
    } known[] = {
        {"1970-01-01T00:00:00.1", 100000},
        {"1970-01-01T00:00:00.000001", 1},
        {"1970-01-01T00:00:00.0000019", 1},
        {"1970-01-01T00:00:00.123456789Z", 123456},
        {"1970-01-01T00:00:00,999999999", 999999},
        {"1969-12-31T23:59:59.9999999Z", -1},
        {"1969-12-31T23:59:59.000000001Z", -1000000},
        {"0.0000019", 1},
        {"0.9999999999999999999999999", 999999},
        {"-0.0000001", -1}, /* the same moment as 1969-12-31T23:59:59.9999999Z */
        {"-0.9999999999", -1000000},
        {"-1.5", -1500000},
        {"-1.5000000", -1500000},
        {"-1.50000000000000000001", -1500001},
        {"-0", 0},
        {"-0.0", 0},
        {"1794839168.25", INT64_C(1794839168250000)},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        check_time(known[i].text, known[i].micros);
}

TEST(a_leap_second_is_the_end_of_the_second_before)
{
    const int64_t last = INT64_C(1483228800) * SECOND - 1; /* of 2016 */
    const char   *same =
        "2016-12-31T23:59:59.999999Z|2016-12-31T23:59:60Z|2016-12-31T23:59:60.5Z|"
        "2016-12-31 23:59:60|2016-12-31T15:59:60-08:00|2017-01-01T05:29:60.999+05:30|"
        "[31/Dec/2016:18:59:60 -0500]|2016-12-31T00:00:60-23:59|2017-01-01T23:58:60+23:59";

    while (same != NULL)
        check_time(check_next_word(&same), last);
    check_time("2017-01-01T00:00:00Z", last + 1);
    check_bad(INK_TIME_SECONDS, "2016-12-31T23:58:60Z", "60 at 23:59 UTC");
    check_bad(INK_TIME_SECONDS, "2016-12-31T23:59:60+01:00", "60 at 23:59 UTC");
    check_bad(INK_TIME_SECONDS, "2016-12-31T23:59:61Z", "a second from 00 to 59");
}

/* ---- Numbers ------------------------------------------------------------------------------ */

TEST(a_number_counts_its_unit)
{
    check_number("7", INK_TIME_SECONDS, 7000000);
    check_number("7", INK_TIME_MILLISECONDS, 7000);
    check_number("7", INK_TIME_MICROSECONDS, 7);
    check_number("7999", INK_TIME_NANOSECONDS, 7);
    check_number("-7", INK_TIME_SECONDS, -7000000);
    check_number("-7", INK_TIME_MILLISECONDS, -7000);
    check_number("-7", INK_TIME_MICROSECONDS, -7);
    check_number("-7000", INK_TIME_NANOSECONDS, -7);
    check_number("-7001", INK_TIME_NANOSECONDS, -8); /* towards the past */
    check_number("-1", INK_TIME_NANOSECONDS, -1);
    check_number("1794839168000", INK_TIME_MILLISECONDS, moment);
    check_number("1794839168000000999", INK_TIME_NANOSECONDS, moment);
    check_number("2026-11-16T14:26:08Z", INK_TIME_NANOSECONDS, moment); /* text is what it is */
}

TEST(numbers_reach_to_the_ends_of_64_bits)
{
    static const struct {
        ink_time_unit unit;
        int64_t       time;
        const char   *last, *beyond;
    } ends[] = {
        {INK_TIME_MICROSECONDS, INT64_MAX, "9223372036854775807", "9223372036854775808"},
        {INK_TIME_MICROSECONDS, INT64_MIN, "-9223372036854775808", "-9223372036854775809"},
        {INK_TIME_MILLISECONDS, INT64_MAX / 1000 * 1000, "9223372036854775", "9223372036854776"},
        {INK_TIME_MILLISECONDS, INT64_MIN / 1000 * 1000, "-9223372036854775", "-9223372036854776"},
        {INK_TIME_SECONDS, INT64_MAX, "9223372036854.775807999", "9223372036854.775808"},
        {INK_TIME_SECONDS, INT64_MIN, "-9223372036854.775807001", "-9223372036854.7758081"},
        {INK_TIME_SECONDS, INT64_MIN, "-9223372036854.775808", "-9223372036855"},
        {INK_TIME_SECONDS, INT64_MIN, "-9223372036854.77580800", "18446744073709.551616"},
        {INK_TIME_NANOSECONDS, INT64_C(18446744073709551), "18446744073709551615",
         "18446744073709551616"},
        {INK_TIME_NANOSECONDS, -INT64_C(18446744073709552), "-18446744073709551615",
         "-99999999999999999999999"},
    };

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        check_number(ends[i].last, ends[i].unit, ends[i].time);
        check_bad(ends[i].unit, ends[i].beyond, "fit 64 bits");
    }
    check_bad(INK_TIME_SECONDS, "18446744073710", "fit 64 bits"); /* about 2^64 microseconds */
}

TEST(only_seconds_have_decimals)
{
    check_bad(INK_TIME_MILLISECONDS, "1794839168.25", "only seconds have decimals");
    check_bad(INK_TIME_MICROSECONDS, "1.0", "only seconds have decimals");
    check_bad(INK_TIME_NANOSECONDS, "1.5", "only seconds have decimals");
}

/* ---- What is no time ---------------------------------------------------------------------- */

TEST(what_is_no_time_is_refused)
{
    static const struct {
        const char *expected, *texts;
    } bad[] = {
        {"a time, as 2026-11-16T14:26:08Z or ", ""},
        {"a time, as", " |yesterday|last-year|now|-|+-1|.5|null| 2026-11-16|2026-11|2026-11-16T14|"
                       "16/Nov/2026|16/Nov/2026 14:26:08|16/Nov-2026:14:26:08|[1794839168]"},
        {"digits after the point", "1.|1.x"},
        {"less", "1e9|12 |1,5|0x10|20261116T142608Z|10000-01-01|2026/11/16|2026-11-16 |2026-11-16x|"
                 "2026-11-16Z|2026-11-16 noon|2026-11-16T14:26:08ZZ|2026-11-16T14:26:08Z |"
                 "2026-11-16T14:26:08 Z|2026-11-16  14:26:08|2026-11-16T14:26:08+01000|"
                 "2026-11-16T14:26:08 +01|2026-11-16T14:26:08 CET|16/Nov/2026:14:26:08 +0000]"},
        {"a month from 01 to 12", "2026-1-1|2026-00-01|2026-13-01"},
        {"a day from 01 to 31",
         "2026-11-|2026-11-1|2026-11-00|2026-01-32|00/Nov/2026:14:26:08 +0000"},
        {"a day that the month has",
         "2026-04-31|2026-02-29|1900-02-29|2000-02-30|31/Nov/2026:14:26:08 +0000"},
        {"a year from 0001 to 9999",
         "0000-01-01|2O26-11-16|16/Nov/0000:14:26:08 +0000|16/Nov/26:14:26:08 +0000|[|[]"},
        {"an hour from 00 to 23",
         "2026-11-16T|2026-11-16T1:26:08|2026-11-16T24:00:00Z|2026-11-16 24:00:00"},
        {"a minute from 00 to 59", "2026-11-16T14:|2026-11-16T14:60:00Z"},
        {"a second from 00 to 59", "2026-11-16T14:26:|2026-11-16T14:26:99|2026-11-16T14:26:8Z"},
        {"1 to 9 digits of a second",
         "2026-11-16T14:26:08.|2026-11-16T14:26:08.Z|2026-11-16T14:26:08.1234567890Z"},
        {"an offset from UTC",
         "2026-11-16T14:26:08+|2026-11-16T14:26:08+1|2026-11-16T14:26:08+24:00|"
         "2026-11-16T14:26:08+01:60|2026-11-16T14:26:08+01:|2026-11-16T14:26:08+01:0|"
         "2026-11-16T14:26:08+010"},
        {"a month from Jan to Dec", "16/nov/2026:14:26:08 +0000|16/11/2026:14:26:08 +0000|16/No"},
        {"a closing bracket", "[16/Nov/2026:14:26:08 +0000|[16/Nov/2026:14:26:08 +0000)"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (const char *rest = bad[i].texts; rest != NULL;)
            check_bad(INK_TIME_SECONDS, check_next_word(&rest), bad[i].expected);
}

TEST(a_time_is_read_as_far_as_it_goes)
{
    static const struct {
        const char *text;
        uint64_t    used;
    } known[] = {
        {"1794839168 GET", 10},
        {"1794839168\tGET", 10},
        {"2026-11-16 14:26:08 GET", 19},
        {"2026-11-16 14:26:08,123 INFO", 23},
        {"2026-11-16 14:26:08 +0100 GET", 25},
        {"2026-11-16 14:26:08 -12 GET", 19},    /* a field of its own ... */
        {"2026-11-16 14:26:08 -12345 GET", 19}, /* ... as this one */
        {"2026-11-16 14:26:08 +010 GET", 19},
        {"2026-11-16 14 GET", 10},
        {"2026-11-16 100:1", 10},
        {"[16/Nov/2026:14:26:08 +0100] \"GET", 28},
        {"16/Nov/2026:14:26:08 +0100] \"GET", 26},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint64_t used = 0;
        int64_t  time;
        assert_null(ink__time_read((const uint8_t *)known[i].text, strlen(known[i].text),
                                   INK_TIME_SECONDS, &used, &time));
        if (used != known[i].used)
            fail_msg("\"%s\": %" PRIu64 " bytes", known[i].text, used);
    }
}

/* ---- Properties --------------------------------------------------------------------------- */

static int64_t floor_seconds(int64_t micros)
{
    return (micros - (micros % SECOND + SECOND) % SECOND) / SECOND;
}

/* A time as C writes it, seen from a place so many minutes ahead of UTC. */
static void write_time(char *text, size_t room, int64_t micros, int offset, bool log)
{
    time_t    local = (time_t)(floor_seconds(micros) + (int64_t)offset * 60);
    struct tm parts;
    char      front[64];
    int       size = abs(offset);

    assert_non_null(gmtime_r(&local, &parts));
    if (log) {
        strftime(front, sizeof front, "%d/%b/", &parts);
        snprintf(text, room, "[%s%04d:%02d:%02d:%02d %c%02d%02d]", front, parts.tm_year + 1900,
                 parts.tm_hour, parts.tm_min, parts.tm_sec, offset < 0 ? '-' : '+', size / 60,
                 size % 60);
        return;
    }
    strftime(front, sizeof front, "-%m-%d %H:%M:%S", &parts);
    snprintf(text, room, "%04d%s.%06d%c%02d:%02d", parts.tm_year + 1900, front,
             (int)((micros % SECOND + SECOND) % SECOND), offset < 0 ? '-' : '+', size / 60,
             size % 60);
}

TEST(any_moment_is_read_as_it_was_written)
{
    const int64_t first = -719162 * DAY, all = 3652059 * DAY;
    uint64_t      random = 10;
    char          text[128];

    for (int i = 0; i < 50000; i++) {
        int64_t time = first + (int64_t)(records_random(&random) % (uint64_t)all);
        int     offset = (int)(records_random(&random) % 2879) - 1439;
        bool    log = i % 2 == 0;
        if (time - 2 * DAY < first || time + 2 * DAY >= first + all)
            offset = 0; /* its year would not be one of four digits */
        if (log)
            time = floor_seconds(time) * SECOND;
        write_time(text, sizeof text, time, offset, log);
        check_time(text, time);
    }
}

TEST(any_number_is_read_as_it_was_written)
{
    static const int64_t micros[] = {1000000, 1000, 1};
    uint64_t             random = 11;
    char                 text[64];

    for (int i = 0; i < 20000; i++) {
        int64_t  value = (int64_t)records_random(&random) >> (i % 64);
        unsigned unit = (unsigned)i % 3;
        snprintf(text, sizeof text, "%" PRId64, value / micros[unit]);
        check_number(text, (ink_time_unit)unit, value / micros[unit] * micros[unit]);
        snprintf(text, sizeof text, "%s%" PRId64 ".%06d", value < 0 && value > -SECOND ? "-" : "",
                 value / SECOND, abs((int)(value % SECOND)));
        check_time(text, value);
    }
}

/* Where a text is changed it may still be a time, but what is used is of the text. */
TEST(changed_texts_are_times_or_not)
{
    static const char *const seeds[] = {"2026-11-16T14:26:08.123456+01:00",
                                        "[16/Nov/2026:14:26:08 +0000]", "-1794839168.25"};
    static const char        letters[] = "0123456789-+:./[] TZ,Jan";
    uint64_t                 random = 12;
    int                      good = 0, bad = 0;

    for (int i = 0; i < 60000; i++) {
        const char *seed = seeds[i % 3];
        size_t      bytes = records_random(&random) % (strlen(seed) + 1);
        uint8_t    *text = malloc(bytes + 1);
        uint64_t    used = UINT64_MAX;
        int64_t     time;
        assert_non_null(text);
        memcpy(text, seed, bytes);
        if (bytes > 0)
            text[records_random(&random) % bytes] =
                (uint8_t)letters[records_random(&random) % (sizeof letters - 1)];
        uint8_t *alone = realloc(text, bytes + (bytes == 0)); /* nothing after it may be read */
        assert_non_null(alone);
        const char *expected = ink__time_read(alone, bytes, (ink_time_unit)(i % 4), &used, &time);
        CHECK(expected != NULL ? expected[0] == 'a' || expected[0] == 'd' || expected[0] == '1'
                               : used > 0 && used <= bytes);
        good += expected == NULL;
        bad += expected != NULL;
        free(alone);
    }
    CHECK(good > 1000 && bad > 1000);
}

RUN_TESTS()
