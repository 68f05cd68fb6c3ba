/* pieces.h - what the parts of a distributed job (maps, reducers, sizes, an assembly) send each
 * other: a header, items and a checksum. An item is about one group, or has finished sketches. Only
 * parts of the same job read them, all with the same version of the library. */
#ifndef INK_JOBS_GROUPS_PIECES_H
#define INK_JOBS_GROUPS_PIECES_H

#include "inkling_job.h"
#include "inkling_pieces.h"
#include "sketch/internal.h"

typedef enum ink__item_type {
    INK__ITEM_HASHES = 1, /* 8 bytes each */
    INK__ITEM_COUNTED,    /* hashes and how often each occurred: 16 bytes */
    INK__ITEM_KEYS,       /* keys, as ink__spill_put_key puts them */
    INK__ITEM_SKETCHES,   /* an .ink file; its entries have the labels */
    INK__ITEM_SLICE,      /* a head, and bytes of the payload from byte `number` on */
    INK__ITEM_MEASURE,    /* a group has `number` distinct keys; if there are bytes, an .ink file
                             with an hll that estimates them */
} ink__item_type;

typedef struct ink__item {
    ink__item_type type;
    ink_label      label;   /* of SKETCHES: none; never with a slot */
    uint64_t       records; /* that it stands for; of slices of one sketch, all in the first */
    uint64_t       number;
    const uint8_t *bytes; /* aligned to 8 in a piece whose first byte is */
    uint64_t       count;
} ink__item;

#define INK__PIECE_BYTES_DEFAULT ((uint64_t)16 << 20)
#define INK__SLICE_BYTES_DEFAULT ((uint64_t)64 << 20)

/* The number of a job: the same for the same reading and options, never 0. */
ink_status ink__pieces_job(const ink_reading *reading, const ink_build_options *build,
                           uint64_t *job, ink_error *error);

/* The bucket of a hash, where buckets are ranges of hashes. Keys without a 64-bit hash use the hash
 * of labels. */
static inline uint32_t ink__pieces_range(uint64_t hash, uint32_t buckets)
{
    return (uint32_t)((hash >> 32) * buckets >> 32);
}

/* ---- Writing ------------------------------------------------------------------------------ */

typedef struct ink__piece {
    uint8_t *bytes;
    uint64_t used, room, items;
} ink__piece;

/* Pieces that are filled, one for each bucket, and given to the sink. For one thread at a time. */
typedef struct ink__pieces {
    ink_allocator         allocator;
    const ink_piece_sink *sink;
    uint64_t              job, limit;
    uint64_t              pending_bytes; /* in all pieces */
    uint64_t              rooms;         /* ... and all that there is memory for */
    uint32_t              buckets;
    bool                  always; /* pieces without items are given to the sink too */
    ink__piece           *list;
} ink__pieces;

ink_status ink__pieces_begin(ink__pieces *pieces, uint32_t buckets, uint64_t piece_bytes,
                             uint64_t job, const ink_piece_sink *sink,
                             const ink_allocator *allocator, ink_error *error);
/* Gives all pieces to the sink. */
ink_status ink__pieces_flush(ink__pieces *pieces, ink_error *error);
void       ink__pieces_end(ink__pieces *pieces);

/* Adds an item; elements of more than ink__pieces_room bytes belong into several. `head` precedes
 * the bytes of a SLICE; NULL otherwise. */
ink_status ink__pieces_put(ink__pieces *pieces, uint32_t bucket, const ink__item *item,
                           const ink__head *head, ink_error *error);

/* Adds a MEASURE to bucket 0; `counter` estimates the keys, or is NULL. */
ink_status ink__pieces_put_measure(ink__pieces *pieces, const ink_label *label, uint64_t records,
                                   uint64_t keys, const ink_sketch *counter, ink_error *error);

/* The most bytes of elements that one item should have. */
uint64_t ink__pieces_room(const ink__pieces *pieces, const ink_label *label);

/* ---- Reading ------------------------------------------------------------------------------ */

/* Checks a piece and passes its items to `visit`. The piece must be of *job; if that is 0, it is
 * set to the job of the piece. A piece without items may be of job 0, which fits all. */
typedef ink_status ink__item_visit(void *host, const ink__item *item, ink_error *error);
ink_status         ink__piece_read(const uint8_t *piece, uint64_t count, uint64_t *job,
                                   ink__item_visit *visit, void *host, ink_error *error);

/* An entry of an item of sketches; INK_FORMAT if it is of a time slot. */
ink_status ink__piece_entry(const ink_file *file, size_t index, ink_entry_info *info,
                            ink_error *error);

/* A slice, read and checked: bytes of a payload that has this head. */
typedef struct ink__slice {
    ink__head      head;
    ink__head_info info;
    const uint8_t *bytes;
    uint64_t       offset, count;
} ink__slice;
ink_status ink__slice_read(const ink__item *item, ink__slice *slice, ink_error *error);

#endif
