/* in_pieces.h - bytes that come in pieces are decoded as those that come at once. */
#ifndef INK_TESTS_IN_PIECES_H
#define INK_TESTS_IN_PIECES_H

#include "inkling.h"

/* How large the pieces are: PIECES_WHOLE, PIECES_OF_1, or drawn by this number. */
enum { PIECES_WHOLE, PIECES_OF_1, PIECES_DRAWN };

/* Decodes the bytes at once and in pieces; fails the test, with `tried`, unless the sketches are
 * equal, or the failures are: status, location and message. No block may be larger than 16 times
 * the bytes that have come, and a fixed part. Returns whether there is a sketch. */
bool in_pieces_as_at_once(const uint8_t *bytes, size_t count, uint64_t sizes, const char *tried);

#endif
