/* near.h - documents that are like an earlier one: the signatures of all, their bands in partitions of
 * any size, and for each document the first earlier one whose signature is alike.
 *
 * A signature is one permutation hashing [Li, Owen, Zhang 2012] of the n-grams of a document: each
 * falls into one of 256 bins by the first 8 bits of its mixed fingerprint, and the least of the lower
 * 32 bits stays; an empty bin takes the value of another one [Shrivastava 2017]. The share of equal
 * bins estimates the Jaccard similarity of two sets of n-grams. Documents with an equal band, which is
 * a run of bins, are candidates. */
#ifndef INK_JOBS_DEDUP_NEAR_H
#define INK_JOBS_DEDUP_NEAR_H

#include "inkling_job.h"
#include "jobs/groups/spill.h"

enum {
    INK__NEAR_BINS = 256,
    INK__NEAR_WORDS = 5,      /* of an n-gram */
    INK__NEAR_BANDS_MAX = 256 /* of one bin each */
};

/* Bands of `rows` bins for this similarity: as many rows as give a pair that is so similar a chance of
 * 0.94 to be candidates. */
typedef struct ink__near_shape {
    unsigned bands, rows;
    unsigned least; /* equal bins */
} ink__near_shape;

ink__near_shape ink__near_shape_of(double similarity);
/* The chance of a pair of this similarity to be candidates. */
double ink__near_chance(const ink__near_shape *shape, double similarity);

/* Bins of a document without n-grams, ... */
void ink__near_start(uint32_t bins[INK__NEAR_BINS]);
/* ... with one more, ... */
static inline void ink__near_add(uint32_t bins[INK__NEAR_BINS], uint64_t mixed)
{
    uint32_t *bin = &bins[mixed >> 56];

    *bin = (uint32_t)mixed < *bin ? (uint32_t)mixed : *bin;
}
/* ... and when it has all: fills empty bins, and makes the hashes of bands. False: it has none. */
bool ink__near_finish(const ink__near_shape *shape, uint32_t bins[INK__NEAR_BINS],
                      uint64_t hashes[INK__NEAR_BANDS_MAX]);

/* All documents. */
typedef struct ink__near {
    ink_allocator   allocator;
    ink__near_shape shape;
    uint64_t        documents;
    ink__spool      signatures;
    ink__spill      bands;
    uint64_t       *earlier; /* of each document the number of the first one like it, and 1; 0: none */
    uint64_t        earlier_bytes;
} ink__near;

ink_status ink__near_begin(ink__near *near, double similarity, uint64_t memory, const char *folder,
                           const ink_allocator *allocator, ink_error *error);
void       ink__near_end(ink__near *near);

/* Adds the next documents, in order: their bins, and the hashes of their bands, all 0 for one that has
 * no n-grams. */
ink_status ink__near_put(ink__near *near, const uint32_t *bins, const uint64_t *hashes,
                         uint64_t count, ink_error *error);

/* Finds for each document the first earlier one that is alike. */
ink_status ink__near_find(ink__near *near, const ink_job *job, uint64_t began, ink_error *error);

/* How many bins of two documents are equal; after ink__near_find. */
unsigned ink__near_equal(const ink__near *near, uint64_t one, uint64_t other);

#endif
