/* passing.h - copies records that pass a filter from their chunks to a sink, unchanged and in the
 * order of the input, after the header of the first input. */
#ifndef INK_JOBS_RUNTIME_PASSING_H
#define INK_JOBS_RUNTIME_PASSING_H

#include "jobs/runtime/feed.h"

typedef struct ink__passing {
    ink_allocator   allocator;
    const ink_sink *sink;  /* NULL: nothing is written */
    bool            ended; /* records have an end */
    uint8_t         end;   /* its byte, added to a last record without one */
} ink__passing;

void ink__passing_begin(ink__passing *passing, const ink__record_rule *records,
                        const ink_sink *sink, const ink_allocator *allocator);

/* Writes the header, if any, in the commit of the first chunk; does nothing in later ones. */
ink_status ink__passing_header(const ink__passing *passing, const ink__feed_rows *feed,
                               ink_error *error);

/* A record in its chunk: with its end, and a carriage return before that. The end counts even if
 * the last record of an input lacks it. */
typedef struct ink__location {
    uint32_t start, bytes;
} ink__location;

/* The locations of rows whose bytes start at offset `at`. */
void ink__passing_locations(const ink__passing *passing, const ink__rows *rows, uint64_t at,
                            ink__location *locations);

/* Records that have passed and are not written yet. All zero is none. */
typedef struct ink__passed {
    uint8_t *bytes;
    uint64_t used, room;
} ink__passed;

void ink__passed_free(const ink__passing *passing, ink__passed *passed);

ink_status ink__passed_put(const ink__passing *passing, ink__passed *passed, const void *bytes,
                           uint64_t count, ink_error *error);

/* Adds the records at `locations` of `bytes`, which has `limit` bytes, whose mark is `wanted`, 0 or
 * 1. */
ink_status ink__passed_put_records(const ink__passing *passing, ink__passed *passed,
                                   const uint8_t *bytes, uint64_t limit,
                                   const ink__location *locations, const uint8_t *marks,
                                   uint8_t wanted, size_t count, ink_error *error);

/* Writes and drops what has passed, in the commit of its chunk; drops it also on failure. */
ink_status ink__passed_write(const ink__passing *passing, ink__passed *passed, ink_error *error);

#endif
