/* quotes.h - where records of CSV end when line ends may stand in quotes. A place is inside quotes
 * if an odd number of them stands before it: doubled quotes change nothing, and the quotes of the
 * parts of a file, counted apart, tell for each part how it begins. */
#ifndef INK_INPUT_RECORDS_QUOTES_H
#define INK_INPUT_RECORDS_QUOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many quotes stand in these bytes. */
uint64_t ink__quotes_count(const uint8_t *bytes, uint64_t count);

/* In the calls below a record ends with a '\n' outside quotes. *inside tells whether the first byte
 * stands inside quotes, and becomes the same for the place behind the bytes that were looked at, so
 * that a call with the next bytes goes on. */

/* Where the bytes behind the first end of a record start, up to where it looks; *inside is then
 * false. `count` if there is no end. */
uint64_t ink__quoted_after_first(const uint8_t *bytes, uint64_t count, bool *inside);

/* Where the bytes behind the last end of a record start; 0 if there is none. Looks at all bytes. */
uint64_t ink__quoted_after_last(const uint8_t *bytes, uint64_t count, bool *inside);

/* Cuts the first records off `count` bytes, which start outside quotes, at most `room` of them:
 * record i goes from starts[i] up to ends[i], where its '\n' stands. What comes behind the last end
 * is left. Returns how many; *used becomes the number of bytes that they take, their ends included.
 */
size_t ink__quoted_cut(const uint8_t *bytes, uint64_t count, uint64_t *starts, uint64_t *ends,
                       size_t room, uint64_t *used);

#endif
