/* sections.c - the sections of a file of sketches, by their ids, and what that of the origin says.
 */
#include "jobs/runtime/sections.h"

#include "inkling_command.h"

#include <string.h>

ink_status ink__section_find(const ink_file *file, uint32_t id, ink_section *section,
                             ink_error *error)
{
    for (size_t i = 0;; i++) {
        ink_status status = ink_file_section(file, i, section, error);
        if (status != INK_OK || section->id == id)
            return status;
    }
}

/* A name and a value, each ended by a NUL. */
static const char name[] = "format";

void ink__origin_make(ink__origin *origin, const char *format)
{
    const size_t bytes = strlen(format) + 1;

    memcpy(origin->text, name, sizeof name);
    memcpy(origin->text + sizeof name, format, bytes);
    origin->bytes = sizeof name + bytes;
}

const char *ink_file_origin(const ink_file *file)
{
    ink_section section;

    if (ink__section_find(file, INK_SECTION_ORIGIN, &section, NULL) != INK_OK ||
        section.bytes < sizeof name + 2 || memcmp(section.data, name, sizeof name) != 0 ||
        memchr(section.data + sizeof name, '\0', section.bytes - sizeof name) !=
            section.data + section.bytes - 1)
        return NULL;
    return (const char *)section.data + sizeof name;
}
