/* live_files.h - regular files, one after another, looked through gzip and zstd; the last of them,
 * if it is followed, as it grows: read on when it is longer, from its start when it was cut or
 * another file has taken its place. For live_source.c. */
#ifndef INK_INPUT_LIVE_LIVE_FILES_H
#define INK_INPUT_LIVE_LIVE_FILES_H

#include "input/live/live_origin.h"

typedef struct ink__live_files ink__live_files;

/* As the calls of live_source.h. The rule must outlive it. */
ink_status ink__live_files_open(ink__live_files **files, const ink__live_rule *rule,
                                const ink_allocator *allocator, size_t *address, ink_error *error);
void       ink__live_files_close(ink__live_files *files); /* NULL is allowed */
ink_status ink__live_files_next(ink__live_files *files, ink__live_chunk *arrival, uint64_t until,
                                ink__live_state *what, size_t *address, ink_error *error);

#endif
