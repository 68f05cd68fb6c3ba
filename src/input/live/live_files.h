/* live_files.h - regular files, one after another, looked through gzip and zstd; the last of them,
 * if it is followed, as it grows: read on when it is longer, from its start when it was cut or
 * another file has taken its place. For arrivals. */
#ifndef INK_INPUT_LIVE_LIVE_FILES_H
#define INK_INPUT_LIVE_LIVE_FILES_H

#include "input/live/live_origin.h"

typedef struct ink__regulars ink__regulars;

/* As the calls of live_source.h. The rule must outlive it. */
ink_status ink__regulars_open(ink__regulars **regulars, const ink__arrivals_rule *rule,
                              const ink_allocator *allocator, size_t *address, ink_error *error);
void       ink__regulars_close(ink__regulars *regulars); /* NULL is allowed */
ink_status ink__regulars_next(ink__regulars *regulars, ink__arrival *arrival, uint64_t until,
                              ink__arrived *what, size_t *address, ink_error *error);

#endif
