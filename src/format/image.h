/* image.h - a whole file in memory, read in place: parsed and checked once, without allocating, and
 * then asked for entries, payloads and sections. Knows nothing of what kinds mean. */
#ifndef INK_FORMAT_IMAGE_H
#define INK_FORMAT_IMAGE_H

#include "format/directory.h"

/* Checks what can be checked from the first INK__HEADER_BYTES bytes (fewer, if the file is shorter)
 * of a file of `count` bytes, before anything is allocated or mapped for the rest. */
ink_status ink__image_check_header(const uint8_t *header, uint64_t count, ink_error *error);

/* Reads a file: header, directory and sections are checked wholly, payloads not at all. `bytes`
 * must outlive the image. INK_FORMAT names field and offset. */
ink_status ink__image_parse(ink__image *image, const uint8_t *bytes, uint64_t count,
                            ink_error *error);

/* Checks the pieces that hold bytes `from` to `from + count` of the payload area, unless all have
 * been checked before. */
ink_status ink__image_check_pieces(const ink__image *image, uint64_t from, uint64_t count,
                                   ink_error *error);

/* Checks all pieces, and that what lies between payloads is zero. */
ink_status ink__image_check_payloads(const ink__image *image, ink_error *error);

/* Section `index` < image->section_count. */
void ink__image_section(const ink__image *image, uint64_t index, ink_section *section);

#endif
