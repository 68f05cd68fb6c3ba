/* quotes.h - where records of CSV end when quotes may contain line ends. A byte is inside quotes if
 * an odd number of them stands before it: doubled quotes change nothing, and quotes that are
 * counted part by part of a file show how each part begins. */
#ifndef INK_INPUT_RECORDS_QUOTES_H
#define INK_INPUT_RECORDS_QUOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many quotes stand in these bytes. */
uint64_t ink__quotes_count(const uint8_t *bytes, uint64_t count);

/* In the calls below a record ends with a '\n' outside quotes. *inside: the first byte is inside
 * quotes; it is updated for the byte after those that were read, so that a call with the next bytes
 * goes on. */

/* The byte after the first end of a record, where reading stops and *inside is false; `count` if
 * there is no end. */
uint64_t ink__quoted_after_first(const uint8_t *bytes, uint64_t count, bool *inside);

/* The byte after the last end of a record; 0 if there is none. Reads all bytes. */
uint64_t ink__quoted_after_last(const uint8_t *bytes, uint64_t count, bool *inside);

/* Cuts the first records off `count` bytes, which start outside quotes, at most `room` of them:
 * record i goes from starts[i] up to its '\n' at ends[i]. Returns how many; *used is the number of
 * bytes that they take, their ends included. */
size_t ink__quoted_cut(const uint8_t *bytes, uint64_t count, uint64_t *starts, uint64_t *ends,
                       size_t room, uint64_t *used);

#endif
