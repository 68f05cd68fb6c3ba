/* near.h - documents that are like an earlier one: the signatures of all, their bands in partitions
 * of any size, and for each document the first earlier one whose signature is alike.
 *
 * A signature is one permutation hashing [Li, Owen, Zhang 2012] of the n-grams of a document: each
 * falls into one of 2048 bins by the first 11 bits of its mixed fingerprint, and the least of the
 * lower 32 bits stays, of which the signature has 8. The share of equal bins, of those that are not
 * empty in both, estimates the Jaccard similarity of two sets of n-grams; of short documents, whose
 * n-grams have nearly a bin each, it is nearly that. Documents with an equal band are candidates: a
 * run of groups of four bins, of which the least one counts; a group that is empty takes the value
 * of another one [Shrivastava 2017]. */
#ifndef INK_JOBS_DEDUP_NEAR_H
#define INK_JOBS_DEDUP_NEAR_H

#include "inkling_job.h"
#include "jobs/groups/spill.h"

enum {
    INK__NEAR_BIN_BITS = 11,
    INK__NEAR_BINS = 1 << INK__NEAR_BIN_BITS,
    INK__NEAR_GROUP_BITS = 2, /* of bins in a group */
    INK__NEAR_GROUPS = INK__NEAR_BINS >> INK__NEAR_GROUP_BITS,
    INK__NEAR_WORDS = 5,                   /* of an n-gram */
    INK__NEAR_BANDS_MAX = INK__NEAR_GROUPS /* of one group each */
};

/* Bands of `rows` groups of bins for this similarity: as many rows as give documents that are so
 * similar a chance of 0.98 to be candidates. */
typedef struct ink__near_shape {
    unsigned bands, rows;
    double   share; /* of equal bins that is enough, with those that are equal by chance */
} ink__near_shape;

ink__near_shape ink__near_shape_of(double similarity);
/* The chance of a pair of this similarity to be candidates. */
double ink__near_chance(const ink__near_shape *shape, double similarity);

/* What it takes: memory for bands up to `memory`, and in files the rest and all signatures. */
void ink__near_plan(const ink__near_shape *shape, uint64_t documents, uint64_t memory,
                    unsigned threads, ink_dedup_level_plan *plan);

/* Bins of a document without n-grams, ... */
void ink__near_start(uint32_t bins[INK__NEAR_BINS]);
/* ... with one more, ... */
static inline void ink__near_add(uint32_t bins[INK__NEAR_BINS], uint64_t mixed)
{
    uint32_t *bin = &bins[mixed >> (64 - INK__NEAR_BIN_BITS)];

    *bin = (uint32_t)mixed < *bin ? (uint32_t)mixed : *bin;
}
/* ... and when it has all: makes the signature, which is the last byte of each bin, and the hashes
 * of bands. Of a document without n-grams all bins are empty, and all hashes 0. */
void ink__near_finish(const ink__near_shape *shape, const uint32_t bins[INK__NEAR_BINS],
                      uint8_t signature[INK__NEAR_BINS], uint64_t hashes[INK__NEAR_BANDS_MAX]);

/* All documents. */
typedef struct ink__near {
    ink_allocator   allocator;
    ink__near_shape shape;
    uint64_t        documents;
    ink__spool      signatures;
    ink__spill      bands;
    uint64_t *earlier; /* of each document the number of the first one like it, and 1; 0: none */
    uint64_t  earlier_bytes;
} ink__near;

ink_status ink__near_begin(ink__near *near, double similarity, uint64_t memory, const char *folder,
                           const ink_allocator *allocator, ink_error *error);
void       ink__near_end(ink__near *near);

/* Adds the next documents, in order: their signatures, and the hashes of their bands. */
ink_status ink__near_put(ink__near *near, const uint8_t *signatures, const uint64_t *hashes,
                         uint64_t count, ink_error *error);

/* Finds for each document the first earlier one that is alike. */
ink_status ink__near_find(ink__near *near, const ink_job *job, uint64_t began, ink_error *error);

/* Of N documents, bad and empty records not among them, those that are like no earlier one. */
void ink__near_report(const ink__near *near, uint64_t documents, ink_dedup_count *level);

/* How many bins are not empty in two documents, and how many of these are equal. */
typedef struct ink__likeness {
    unsigned bins, equal;
} ink__likeness;

/* After ink__near_find. */
ink__likeness ink__near_compare(const ink__near *near, uint64_t one, uint64_t other);

#endif
