/* foreign.h - what a file that is not ours may be. */
#ifndef INK_FORMAT_FOREIGN_H
#define INK_FORMAT_FOREIGN_H

#include <stdint.h>

/* A name for what begins with `present` bytes, at most 64 of them, and has `count` in all; what
 * nobody knows is "something else". */
const char *ink__foreign_kind(const uint8_t *bytes, uint64_t present, uint64_t count);

#endif
