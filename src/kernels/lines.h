/* lines.h - bytes cut into lines: where each starts and ends. */
#ifndef INK_KERNELS_LINES_H
#define INK_KERNELS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cuts the first lines off `count` bytes, at most `room` of them: line i goes from starts[i] up to
 * ends[i], where the byte `end` is ('\n' or NUL). Bytes after the last `end` are left. Returns how
 * many lines (at times fewer than there is room for); *used becomes the number of bytes that they
 * take, their ends included, and *cr false only if no carriage return is among them. */
typedef size_t ink__lines_cut(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                              uint64_t *ends, size_t room, uint64_t *used, bool *cr);

ink__lines_cut ink__lines_cut_scalar;
#if defined(__x86_64__)
ink__lines_cut ink__lines_cut_avx2;
ink__lines_cut ink__lines_cut_avx512; /* needs vbmi2 */
#endif

/* With less room than this the wide loops leave all lines to the scalar one. */
enum { INK__LINES_WIDE_ROOM = 256 };

/* Goes on where a wide loop stopped: at byte `at`, after `found` lines. *cr is what it has seen. */
size_t ink__lines_cut_rest(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                           uint64_t *ends, size_t room, uint64_t at, size_t found, uint64_t *used,
                           bool *cr);

/* Prefetches text before it is cut. Processors do so by themselves, but not beyond a page, and
 * memory is idle while lines are hashed. One page: measured, the best of 512 to 16384. */
static inline void ink__lines_fetch(const uint8_t *bytes, uint64_t at, uint64_t count)
{
    __builtin_prefetch(bytes + (at + 4096 < count ? at + 4096 : at));
}

/* Removes a carriage return from the end of each line. */
void ink__lines_without_cr(const uint8_t *bytes, const uint64_t *starts, uint64_t *ends,
                           size_t count);

/* How many of these bytes are `end`. */
uint64_t ink__lines_count(const uint8_t *bytes, uint64_t count, uint8_t end);

/* The position after the first `end`, or `count`; after the last one, or 0. */
uint64_t ink__lines_after_first(const uint8_t *bytes, uint64_t count, uint8_t end);
uint64_t ink__lines_after_last(const uint8_t *bytes, uint64_t count, uint8_t end);

#endif
