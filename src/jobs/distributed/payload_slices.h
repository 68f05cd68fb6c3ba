/* payload_slices.h - payloads that come in slices, in any order, assembled in a file: bytes that
 * come once are written, bytes that come again are merged. */
#ifndef INK_JOBS_DISTRIBUTED_PAYLOAD_SLICES_H
#define INK_JOBS_DISTRIBUTED_PAYLOAD_SLICES_H

#include "jobs/groups/pieces.h"
#include "jobs/runtime/arena.h"
#include "jobs/runtime/spool.h"

/* Bytes of a payload that have come. */
typedef struct ink__span {
    uint64_t from, until;
} ink__span;

/* A sketch of which slices have come. */
typedef struct ink__sliced {
    ink__head   head;    /* with the records and totals of all parts */
    bool        counted; /* one part at least had them */
    const char *kind;
    ink_label   label;
    uint64_t    at; /* of its payload in the file */
    uint64_t    bytes;
    ink__span  *spans; /* in order, with gaps between them */
    uint64_t    span_count, spans_bytes;
} ink__sliced;

typedef struct ink__slices {
    ink_allocator allocator;
    ink__spool   *spool;
    ink__arena    labels;
    ink__sliced **list; /* in order of kind and label */
    uint64_t      count, list_bytes;
    uint8_t      *buffer; /* for merging; NULL: not needed yet */
} ink__slices;

/* `spool` must outlive the slices. */
void ink__slices_begin(ink__slices *slices, ink__spool *spool, const ink_allocator *allocator);
void ink__slices_end(ink__slices *slices);

/* Adds an item, which is a slice. A slice with records is the first of a part: its head's totals
 * are added. If it fails after *changed became true, the slices are unusable. */
ink_status ink__slices_add(ink__slices *slices, const ink__item *item, bool *changed,
                           ink_error *error);

/* INK_FORMAT, naming the group and the byte, if a byte of a payload has not come. */
ink_status ink__slices_check(const ink__slices *slices, ink_error *error);

#endif
