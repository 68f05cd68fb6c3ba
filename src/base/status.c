/* status.c - statuses, their names, and the message that goes with a failure. */
#include "base/status.h"

#include "base/system.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

const char *ink_status_name(ink_status status)
{
#define NAME(status) [status] = #status
    static const char *const names[] = {
        NAME(INK_OK),     NAME(INK_USAGE),    NAME(INK_UNSUPPORTED), NAME(INK_READ_ONLY),
        NAME(INK_FORMAT), NAME(INK_MISMATCH), NAME(INK_NOT_FOUND),   NAME(INK_PROMISE),
        NAME(INK_IO),     NAME(INK_MEMORY),   NAME(INK_LIMIT),       NAME(INK_STOPPED),
    };
#undef NAME

    return (size_t)status < sizeof names / sizeof names[0] ? names[status] : "an unknown status";
}

/* A message is one line that is safe for a terminal: control bytes in it become \xNN. */
static void show_controls(char message[INK_MESSAGE_BYTES])
{
    char   shown[INK_MESSAGE_BYTES];
    size_t used = 0;

    for (const char *from = message; *from != '\0'; from++) {
        const uint8_t byte = (uint8_t)*from;
        const size_t  width = byte < 0x20 || byte == 0x7f ? 4 : 1;
        if (used + width >= sizeof shown)
            break;
        shown[used] = *from;
        if (width > 1)
            ink__quote(shown + used, sizeof shown - used, from, 1);
        used += width;
    }
    memcpy(message, shown, used);
    message[used] = '\0';
}

ink_status ink__fail(ink_error *error, ink_status status, ink_location location, uint64_t at,
                     const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return status;
    error->status = status;
    error->location = location;
    error->at = at;
    error->os_error = 0;
    va_start(arguments, format);
    ink__format_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    show_controls(error->message);
    return status;
}

ink_status ink__fail_io(ink_error *error, int os_error, const char *what)
{
    char reason[128];

    ink__system_reason(os_error, reason, sizeof reason);
    ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s: %s", what, reason);
    if (error != NULL)
        error->os_error = os_error;
    return INK_IO;
}

size_t ink_error_text(const ink_error *error, char *text, size_t text_bytes)
{
    const char *unit = error->location == INK_AT_BYTE   ? "byte"
                       : error->location == INK_AT_LINE ? "line"
                       : error->location == INK_AT_KEY  ? "key"
                                                        : NULL;

    if (unit == NULL)
        return ink__format(text, text_bytes, "%s", error->message);
    return ink__format(text, text_bytes, "%s %llu: %s", unit, (unsigned long long)error->at,
                       error->message);
}
