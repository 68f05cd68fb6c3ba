/* locked_file.h - a file of sketches that is changed: locked, read, and replaced, so that of
 * several who change it each goes on from what the one before has made. */
#ifndef INK_JOBS_UPDATE_LOCKED_FILE_H
#define INK_JOBS_UPDATE_LOCKED_FILE_H

#include "base/files.h"
#include "base/system.h"

typedef struct ink__locked {
    ink_allocator  allocator;
    char           path[INK__PATH_BYTES]; /* of the file itself, behind symbolic links */
    ink__input     input;                 /* has the lock */
    uint8_t       *copy;                  /* its bytes, with one to spare, or NULL: they are ... */
    const uint8_t *mapped;
    ink_file      *file; /* its sketches are views */
    size_t         section_count;
} ink__locked;

/* Waits for the lock, sees whether the file can be replaced by one with the same owner and group,
 * and opens it, every byte checked. INK_UNSUPPORTED if it holds the position of a stream, which any
 * change makes untrue. */
ink_status ink__locked_open(ink__locked *locked, const char *path, const ink_allocator *allocator,
                            ink_error *error);

/* Puts a file with these entries in its place, and all sections of the old one. INK_IO if somebody
 * who does not care for locks has written the file, replaced it or removed it: what is there then
 * stays. */
ink_status ink__locked_save(ink__locked *locked, const ink_entry *entries, size_t count,
                            ink_error *error);

/* Ends the lock. What came from the file must be free. */
void ink__locked_close(ink__locked *locked);

#endif
