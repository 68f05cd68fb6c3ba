/* spool.h - an unnamed temporary file for what is too large for memory: written at any offset, read
 * back, or mapped. For one thread at a time. */
#ifndef INK_JOBS_RUNTIME_SPOOL_H
#define INK_JOBS_RUNTIME_SPOOL_H

#include "inkling.h"

typedef struct ink__spool {
    const char    *folder;
    int            file;  /* -1: none yet */
    uint64_t       bytes; /* that have been reserved */
    const uint8_t *mapped;
    uint64_t       mapped_bytes; /* 0: not mapped */
} ink__spool;

/* `folder` is where the file is made, once it is needed; must outlive the spool. */
void ink__spool_begin(ink__spool *spool, const char *folder);
void ink__spool_end(ink__spool *spool);

/* Reserves `bytes` bytes of the file, from offset *at on, a multiple of a cache line. */
ink_status ink__spool_reserve(ink__spool *spool, uint64_t bytes, uint64_t *at, ink_error *error);

/* Within what is reserved; only written bytes can be read. */
ink_status ink__spool_write(const ink__spool *spool, uint64_t at, const uint8_t *from,
                            uint64_t bytes, ink_error *error);
ink_status ink__spool_read(const ink__spool *spool, uint64_t at, uint8_t *to, uint64_t bytes,
                           ink_error *error);

/* Maps all that is reserved, which must have been written up to its last byte. */
ink_status     ink__spool_map(ink__spool *spool, ink_error *error);
void           ink__spool_unmap(ink__spool *spool);
const uint8_t *ink__spool_at(const ink__spool *spool, uint64_t at); /* of a mapped one */

#endif
