/* lines.h - bytes cut into lines: where each starts and ends. */
#ifndef INK_KERNELS_LINES_H
#define INK_KERNELS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cuts the first lines off `count` bytes, at most `room` of them: line i goes from starts[i] up to
 * ends[i], where the byte `end` stands ('\n' or NUL). What comes behind the last `end` is left.
 * Returns how many (fewer than there is room for, at times); *used becomes the number of bytes that
 * they take, their ends included, and *cr false if no carriage return is among them for sure.
 * `features` are those of the processor to be used (base/cpu.h), of which it must have all. */
size_t ink__lines_cut(unsigned features, const uint8_t *bytes, uint64_t count, uint8_t end,
                      uint64_t *starts, uint64_t *ends, size_t room, uint64_t *used, bool *cr);

/* Takes a carriage return off the end of each of these lines that has one. */
void ink__lines_without_cr(const uint8_t *bytes, const uint64_t *starts, uint64_t *ends,
                           size_t count);

/* How many times `end` stands in these bytes. */
uint64_t ink__lines_count(const uint8_t *bytes, uint64_t count, uint8_t end);

/* Where the bytes behind the first `end` start, and those behind the last one; `count` if there is
 * none, and 0. */
uint64_t ink__lines_after_first(const uint8_t *bytes, uint64_t count, uint8_t end);
uint64_t ink__lines_after_last(const uint8_t *bytes, uint64_t count, uint8_t end);

#endif
