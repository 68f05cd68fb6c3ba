/* passing.h - what passes: records on their way from a chunk to a sink, copied as they stand, in
 * the order of the input, the header of the first input before them. */
#ifndef INK_JOBS_RUNTIME_PASSING_H
#define INK_JOBS_RUNTIME_PASSING_H

#include "jobs/runtime/feed.h"

/* How records pass. */
typedef struct ink__passing {
    ink_allocator   allocator;
    const ink_sink *sink;  /* NULL: nothing is written */
    bool            ended; /* records have ends, by the byte ... */
    uint8_t         end;   /* ... that a last record without one gets */
} ink__passing;

/* Sets how records pass that are read by this rule. */
void ink__passing_begin(ink__passing *passing, const ink__record_rule *records,
                        const ink_sink *sink, const ink_allocator *allocator);

/* Writes the header, in the turn of the first chunk; does nothing in other turns, and without one.
 */
ink_status ink__passing_header(const ink__passing *passing, const ink__feed_rows *feed,
                               ink_error *error);

/* Where a record stands in its chunk. Its end counts, with a carriage return before it, also where
 * the last record of an input lacks it. */
typedef struct ink__location {
    uint32_t start, bytes;
} ink__location;

/* The places of some rows, whose bytes start at byte `at` of all. */
void ink__passing_locations(const ink__passing *passing, const ink__rows *rows, uint64_t at,
                            ink__location *locations);

/* What has passed and was not written yet. All zero: nothing. */
typedef struct ink__passed {
    uint8_t *bytes;
    uint64_t used, room;
} ink__passed;

void ink__passed_free(const ink__passing *passing, ink__passed *passed);

/* Adds any bytes. */
ink_status ink__passed_put(const ink__passing *passing, ink__passed *passed, const void *bytes,
                           uint64_t count, ink_error *error);

/* Adds those records, at `locations` of `bytes`, whose mark is the one that is wanted, 0 or 1.
 * There are `limit` bytes. */
ink_status ink__passed_put_records(const ink__passing *passing, ink__passed *passed,
                                   const uint8_t *bytes, uint64_t limit,
                                   const ink__location *locations, const uint8_t *marks,
                                   uint8_t wanted, size_t count, ink_error *error);

/* Writes what has passed, in its turn; nothing is left then, whether or not it could be written. */
ink_status ink__passed_write(const ink__passing *passing, ink__passed *passed, ink_error *error);

#endif
