/* shortest.h - floats as text: the fewest digits that give the same float again, as Python's repr
 * has them, from integer arithmetic alone. */
#ifndef INK_BASE_SHORTEST_H
#define INK_BASE_SHORTEST_H

#include <stddef.h>

/* No text is longer. */
enum { INK__SHORTEST_BYTES = 24 };

/* Writes `value`, which was a float of 16, 32 or 64 `bits`, and returns how many characters it
 * took, without a NUL: the fewest digits that no other float of this width is nearer to, and of
 * these the nearest to the value. 7.5, 1e-05, 1e+16, inf, -inf, nan; whole numbers below 1e16 are
 * written without a point: 7, -0. */
size_t ink__shortest(double value, unsigned bits, char *text);

#endif
