/* zipf.h - random ranks whose frequency falls with a power of the rank. */
#ifndef INK_JOBS_GENERATE_ZIPF_H
#define INK_JOBS_GENERATE_ZIPF_H

#include "jobs/generate/generator.h"

enum { INK__ZIPF_RANKS_MAX = 10000000 };

typedef struct ink__zipf ink__zipf;

/* Rank k of `ranks`, at least 1, has a chance in proportion to k^-skew. */
ink_status ink__zipf_make(ink__zipf **zipf, uint32_t ranks, double skew,
                          const ink_allocator *allocator, ink_error *error);
void       ink__zipf_free(ink__zipf *zipf, const ink_allocator *allocator); /* NULL is allowed */

/* A rank, from 1. */
uint32_t ink__zipf_draw(const ink__zipf *zipf, ink__random *random);

#endif
