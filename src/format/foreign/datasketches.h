/* datasketches.h - what the formats of Apache DataSketches share: the byte of each file that names
 * its family of sketches, and the seed of their keys. */
#ifndef INK_FORMAT_FOREIGN_DATASKETCHES_H
#define INK_FORMAT_FOREIGN_DATASKETCHES_H

#include "format/foreign/formats.h"

enum {
    INK__FAMILY_THETA = 3, /* compact */
    INK__FAMILY_HLL = 7,
    INK__FAMILY_BLOOM = 21,
};

enum { INK__DATASKETCHES_SEED = 9001 };

/* Flags that several families share. */
enum { INK__DATASKETCHES_EMPTY = 4, INK__DATASKETCHES_COMPACT = 8 };

/* INK_FORMAT unless a file has at least eight bytes, and the family. */
ink_status ink__datasketches_is(const ink__foreign_file *file, unsigned family, ink_error *error);

/* Reads a compact theta sketch, which may be a part of a file: errors name its own bytes. */
ink_status ink__datasketches_read_theta(const ink__foreign_file *file, uint64_t index,
                                        ink__foreign_sketch *sketch, ink_error *error);

/* Whether a file is of a family that no format reads: its name, and why not. */
bool ink__datasketches_is_refused(const uint8_t *bytes, uint64_t count, const char **name,
                                  const char **why);

#endif
