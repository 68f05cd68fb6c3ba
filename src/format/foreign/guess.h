/* guess.h - names for files of other formats. */
#ifndef INK_FORMAT_FOREIGN_GUESS_H
#define INK_FORMAT_FOREIGN_GUESS_H

#include <stdint.h>

/* A name for a file of `count` bytes by its first `present` <= 64; "something else" if unknown. */
const char *ink__foreign_kind(const uint8_t *bytes, uint64_t present, uint64_t count);

#endif
