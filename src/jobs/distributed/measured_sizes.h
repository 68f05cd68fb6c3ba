/* measured_sizes.h - the number of keys of each group, measured before the build. */
#ifndef INK_JOBS_DISTRIBUTED_MEASURED_SIZES_H
#define INK_JOBS_DISTRIBUTED_MEASURED_SIZES_H

#include "inkling_pieces.h"

/* The number of records or keys of a group, of the counts or sizes of ink_pieces_options `host`;
 * false if it was not measured. For ink__build_use. */
bool ink__sizes_measured(const void *host, bool records, const ink_label *label, uint64_t *keys);

/* INK_MISMATCH if counts or sizes are those of another job. */
ink_status ink__sizes_match(const ink_pieces_options *options, uint64_t job, ink_error *error);

/* All groups, with their keys. */
typedef ink_status ink__size_visit(void *host, const ink_label *label, uint64_t keys,
                                   ink_error *error);
ink_status         ink__sizes_each(const ink_sizes *sizes, ink__size_visit *visit, void *host,
                                   ink_error *error);

#endif
