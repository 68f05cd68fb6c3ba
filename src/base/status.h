/* status.h - failing: one call that sets status, location and message, and returns the status.
 *
 * The folder src/base is what every other folder uses: errors, memory, sizes, text, files and the
 * operating system. It knows no keys and no sketches. Read status.h, memory.h and system.h first,
 * then files.h. It uses no other folder. */
#ifndef INK_BASE_STATUS_H
#define INK_BASE_STATUS_H

#include "base/text.h"
#include "inkling.h"

/* A location inside the library only: `at` is the number of a parameter field in the directory. The
 * layer that knows the file converts it to a byte offset. */
#define INK__AT_FIELD ((ink_location)100)
/* The same for a byte within a payload. */
#define INK__AT_PAYLOAD ((ink_location)101)

/* Fills *error, if not NULL, and returns `status`. The format is that of ink__format, with names of
 * parameters (ink_parameter_name) in braces. */
ink_status ink__fail(ink_error *error, ink_status status, ink_location location, uint64_t at,
                     const char *format, ...) INK__PRINTF(5, 6);

/* The same for a call that the system refused with `os_error`: "what: reason". */
ink_status ink__fail_io(ink_error *error, int os_error, const char *what);

/* Puts text before the message of a failure; `error` may be NULL. */
void ink__fail_within(ink_error *error, const char *format, ...) INK__PRINTF(2, 3);

/* Puts a hint after the message of a failure, with names in braces; a message that leaves no room
 * for it is cut. `error` may be NULL. */
void ink__fail_hint(ink_error *error, const char *format, ...) INK__PRINTF(2, 3);

/* INK_PROMISE: a result whose rate is above the one that the caller allowed, or else that is
 * promised. `keys` is the number to plan for; 0: it is not known. */
ink_status ink__fail_rate(double rate, double limit, bool allowed, uint64_t keys, ink_error *error);

/* INK_USAGE if the room at the end of a caller's struct is not zero: a field of a newer library. */
ink_status ink__check_room(const uint64_t *room, size_t bytes, const char *name, ink_error *error);
#define INK__TRY_ROOM(name, object, error)                                                         \
    INK__TRY(ink__check_room((object)->reserved, sizeof(object)->reserved, name, error))

/* Passes a failure on. */
#define INK__TRY(call)                                                                             \
    do {                                                                                           \
        ink_status ink__try_status = (call);                                                       \
        if (ink__try_status != INK_OK)                                                             \
            return ink__try_status;                                                                \
    } while (0)

#endif
