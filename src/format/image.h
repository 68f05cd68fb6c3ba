/* image.h - a whole file in memory, read in place: parsed and checked once, without allocating, and
 * then asked for entries, payloads and sections. Knows nothing of what kinds mean. */
#ifndef INK_FORMAT_IMAGE_H
#define INK_FORMAT_IMAGE_H

#include "base/byte_reader.h"
#include "base/crew.h"
#include "format/directory.h"

/* Checks what can be checked from the first INK__HEADER_BYTES bytes (fewer, if the file is shorter)
 * of a file of `count` bytes, before anything is allocated or mapped for the rest. */
ink_status ink__image_check_header(const uint8_t *header, uint64_t count, ink_error *error);

/* The same while not all bytes have come: without their number. */
ink_status ink__image_check_start(const uint8_t *header, uint64_t count, ink_error *error);

/* Begins an image with its header, which has been checked and stays where it is; the directory must
 * come after it in memory before it is parsed. */
void ink__image_read_header(ink__image *image, const uint8_t *header);

/* Reads a file: header, directory and sections are checked wholly, payloads not at all. `bytes`
 * must outlive the image. INK_FORMAT names field and offset. */
ink_status ink__image_parse(ink__image *image, const uint8_t *bytes, uint64_t count,
                            const ink__crew *crew, ink_error *error);

/* Checks the pieces that hold bytes `from` to `from + count` of the payload area, unless all have
 * been checked before. */
ink_status ink__image_check_pieces(const ink__image *image, uint64_t from, uint64_t count,
                                   ink_error *error);

/* How many bytes the piece from byte `start` of the payload area on has. */
static inline uint64_t ink__piece_bytes(const ink__image *image, uint64_t start)
{
    uint64_t rest = image->payload_bytes - start;

    return rest < INK__PIECE_BYTES ? rest : INK__PIECE_BYTES;
}

/* Checks that piece, and that bytes `from` to `until` of the area are zero; they are at `bytes`. */
ink_status ink__image_check_piece(const ink__image *image, uint64_t start, const uint8_t *bytes,
                                  ink_error *error);
ink_status ink__image_check_zero(const ink__image *image, uint64_t from, uint64_t until,
                                 const uint8_t *bytes, ink_error *error);

/* Checks all pieces, many of them by the crew (NULL: none), and that what lies between payloads is
 * zero. */
ink_status ink__image_check_payloads(const ink__image *image, const ink__crew *crew,
                                     ink_error *error);

/* A walk over the sections, one by one: those in `in` that are still to come. */
typedef struct ink__sections {
    ink__reader in;
    uint32_t    last;  /* id */
    uint64_t    count; /* without the end section */
    bool        ended; /* the end section was the last one */
} ink__sections;

/* Checks the next section; the end section must end the bytes, and the file with them. */
ink_status ink__sections_next(ink__sections *walk, ink_error *error);

/* How many bytes the section has whose first `count` are these; as many as say it, if there are
 * fewer. */
uint64_t ink__section_bytes(const uint8_t *bytes, uint64_t count);

/* Section `index` < image->section_count. */
void ink__image_section(const ink__image *image, uint64_t index, ink_section *section);

#endif
