/* sections.h - the sections of a file of sketches, by their ids, and what that of the origin says.
 * docs/format.md has the bytes. */
#ifndef INK_JOBS_RUNTIME_SECTIONS_H
#define INK_JOBS_RUNTIME_SECTIONS_H

#include "inkling_file.h"

/* The section of an open file that has this id; INK_NOT_FOUND if there is none. */
ink_status ink__section_find(const ink_file *file, uint32_t id, ink_section *section,
                             ink_error *error);

/* The section that says of which foreign format a file was. */
typedef struct ink__origin {
    char   text[64];
    size_t bytes;
} ink__origin;
void ink__origin_make(ink__origin *origin, const char *format);

#endif
