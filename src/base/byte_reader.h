/* byte_reader.h - reading little-endian fields from bytes of known length. A read past the end
 * yields 0 and is remembered; ink__reader_check turns it into a failure with its location. */
#ifndef INK_BASE_BYTE_READER_H
#define INK_BASE_BYTE_READER_H

#include "inkling.h"

typedef struct ink__reader {
    const uint8_t *bytes;
    uint64_t       count;
    uint64_t       offset;
    uint64_t       start; /* the offset of bytes[0] in the file, for error messages */
    bool           ran_out;
} ink__reader;

uint16_t ink__read_u16(ink__reader *in);
uint32_t ink__read_u32(ink__reader *in);
uint64_t ink__read_u64(ink__reader *in);

/* The next `count` bytes in place, or NULL. */
const uint8_t *ink__read_bytes(ink__reader *in, uint64_t count);

/* Skips zeros up to a multiple of `unit` from the start of the bytes; INK_FORMAT for others. */
ink_status ink__read_padding(ink__reader *in, uint64_t unit, ink_error *error);

/* INK_FORMAT, with `what` and the location, if a read ran past the end. */
ink_status ink__reader_check(const ink__reader *in, const char *what, ink_error *error);

/* The offset of the next field in the file. */
uint64_t ink__reader_location(const ink__reader *in);

#endif
