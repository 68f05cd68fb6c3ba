/* list.c - the table of foreign formats, and where one is found in it. */
#include "format/foreign/list.h"

#include "base/status.h"

#include <string.h>

#define LISTED(name) &ink__foreign_##name,
const ink__foreign_format *const ink__foreign_formats[] = {INK__FOREIGN_FORMATS(LISTED) NULL};

ink_status ink__foreign_find(const char *name, const ink__foreign_format **format, ink_error *error)
{
    char   list[INK_MESSAGE_BYTES] = "";
    size_t used = 0;

    for (const ink__foreign_format *const *at = ink__foreign_formats; *at != NULL; at++) {
        size_t bytes = strlen((*at)->info.name);
        if (strcmp((*at)->info.name, name) == 0) {
            *format = *at;
            return INK_OK;
        }
        if (used + bytes + 3 < sizeof list) {
            memcpy(list + used, used == 0 ? "" : ", ", used == 0 ? 0 : 2);
            used += used == 0 ? 0 : 2;
            memcpy(list + used, (*at)->info.name, bytes + 1);
            used += bytes;
        }
    }
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no format of this name, expected %s", list);
}
