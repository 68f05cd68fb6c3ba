/* locked_file.h - a file of sketches under a lock: read, then replaced. Writers run one after
 * another, each on the result of the last. */
#ifndef INK_JOBS_UPDATE_LOCKED_FILE_H
#define INK_JOBS_UPDATE_LOCKED_FILE_H

#include "base/files.h"
#include "base/system.h"

typedef struct ink__locked {
    ink_allocator  allocator;
    char           path[INK__PATH_BYTES]; /* of the file itself: symbolic links are resolved */
    ink__input     input;                 /* holds the lock */
    uint8_t       *copy;                  /* its bytes and one to spare; NULL: they are mapped */
    const uint8_t *mapped;
    ink_file      *file; /* sketches of it are views */
    size_t         section_count;
} ink__locked;

/* Waits for the lock, checks that the file can be replaced with the same owner and group, and opens
 * it, every byte checked. INK_UNSUPPORTED if it holds the position of a stream: a change would make
 * that wrong. */
ink_status ink__locked_open(ink__locked *locked, const char *path, const ink_allocator *allocator,
                            ink_error *error);

/* Replaces the file by one with these entries and all sections of the old one. INK_IO if a process
 * that ignores locks has written, replaced or removed the file: it is left as it is. */
ink_status ink__locked_save(ink__locked *locked, const ink_entry *entries, size_t count,
                            ink_error *error);

/* Ends the lock. Views of the file must be freed before. */
void ink__locked_close(ink__locked *locked);

#endif
