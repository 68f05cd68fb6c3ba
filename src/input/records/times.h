/* times.h - times in text, as microseconds since 1970 UTC. Strict, and without the time functions
 * of C: the calendar is the Gregorian one, also before there was one, of the years 0001 to 9999. */
#ifndef INK_INPUT_RECORDS_TIMES_H
#define INK_INPUT_RECORDS_TIMES_H

#include "inkling_job.h"

/* Reads the time that the text begins with, as far as it goes: *used becomes how many bytes of the
 * text it takes. Returns NULL, or else what was expected, for an error. A time is
 *     2026-11-16T14:26:08.123456789+01:00   as in ISO 8601 and RFC 3339; also with a blank instead
 *                                           of the T, a comma instead of the point, without
 *                                           fraction, seconds, or clock time (then it is midnight)
 *     16/Nov/2026:14:26:08 +0100            as in the logs of web servers
 * perhaps in brackets, with an offset Z, +01:00, +0100 or +01 or none, which means UTC; or
 *     1794839168.25                         a number of `unit` since 1970 UTC, of which only
 * seconds may have decimals. Fractions of a microsecond are cut off, towards the past. A leap
 * second, second 60 of 23:59 UTC, is the last microsecond before it. */
const char *ink__time_read(const uint8_t *text, uint64_t bytes, ink_time_unit unit, uint64_t *used,
                           int64_t *time);

#endif
