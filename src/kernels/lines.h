/* lines.h - bytes cut into lines: where each starts and ends. */
#ifndef INK_KERNELS_LINES_H
#define INK_KERNELS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cuts the first lines off `count` bytes, at most `room` of them: line i goes from starts[i] up to
 * ends[i], where the byte `end` stands ('\n' or NUL). What comes after the last `end` is left.
 * Returns how many (at times fewer than there is room for); *used becomes the number of bytes that
 * they take, their ends included, and *cr false if no carriage return is among them for sure.
 * The tables of kernels.h have one for each instruction set. */
typedef size_t ink__lines_cut(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                              uint64_t *ends, size_t room, uint64_t *used, bool *cr);

ink__lines_cut ink__lines_cut_scalar;
#if defined(__x86_64__)
ink__lines_cut ink__lines_cut_avx2;
ink__lines_cut ink__lines_cut_avx512; /* needs vbmi2 */
#endif

/* With less room than this the wide loops leave all to the scalar one. */
enum { INK__LINES_WIDE_ROOM = 256 };

/* Goes on where a wide loop stopped: at byte `at`, after `found` lines. *cr is what it has seen. */
size_t ink__lines_cut_rest(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                           uint64_t *ends, size_t room, uint64_t at, size_t found, uint64_t *used,
                           bool *cr);

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
