/* pieces.h - what maps, reducers, sizes and an assembly send each other: bytes with a header, a
 * checksum and items, of which each is about one group, or brings finished sketches. Nothing but
 * the parts of one job reads them, and all with the same version of the library. */
#ifndef INK_JOBS_GROUPS_PIECES_H
#define INK_JOBS_GROUPS_PIECES_H

#include "inkling_job.h"
#include "sketch/internal.h"

typedef enum ink__item_type {
    INK__ITEM_HASHES = 1, /* 8 bytes each */
    INK__ITEM_COUNTED,    /* hashes, with how often each came: 16 bytes */
    INK__ITEM_KEYS,       /* keys, as ink__spill_put_key puts them */
    INK__ITEM_SKETCHES,   /* an .ink file; its entries have the labels */
    INK__ITEM_SLICE,      /* a head, and bytes of the payload from byte `number` on */
    INK__ITEM_MEASURE,    /* how many keys a group has: `number` different ones; and an hll that
                             estimates them, an .ink file, if there are bytes */
} ink__item_type;

typedef struct ink__item {
    ink__item_type type;
    ink_label      label;   /* of SKETCHES: none; never with a slot */
    uint64_t       records; /* that it stands for; of slices of one sketch the first tells them */
    uint64_t       number;
    const uint8_t *bytes; /* aligned to 8 in a piece whose first byte is */
    uint64_t       count;
} ink__item;

#define INK__PIECE_BYTES_DEFAULT ((uint64_t)16 << 20)
#define INK__SLICE_BYTES_DEFAULT ((uint64_t)64 << 20)

/* Which job a piece is of: a number that is the same for the same reading and options, never 0. */
ink_status ink__pieces_job(const ink_reading *reading, const ink_build_options *build,
                           uint64_t *job, ink_error *error);

/* The bucket that a hash is in, where buckets are ranges. Keys without a hash of 64 bits are in
 * that of the hash that labels have. */
static inline uint32_t ink__pieces_range(uint64_t hash, uint32_t buckets)
{
    return (uint32_t)((hash >> 32) * buckets >> 32);
}

/* ---- Writing ------------------------------------------------------------------------------ */

typedef struct ink__piece {
    uint8_t *bytes;
    uint64_t used, room, items;
} ink__piece;

/* Pieces on their way: one for each bucket, given to the sink when it is full. For one thread at a
 * time. */
typedef struct ink__pieces {
    ink_allocator         allocator;
    const ink_piece_sink *sink;
    uint64_t              job, limit;
    uint64_t              held;  /* bytes that wait to be given away ... */
    uint64_t              rooms; /* ... and all that there is memory for */
    uint32_t              buckets;
    bool                  always; /* also a piece without items is given away */
    ink__piece           *list;
} ink__pieces;

ink_status ink__pieces_begin(ink__pieces *pieces, uint32_t buckets, uint64_t piece_bytes,
                             uint64_t job, const ink_piece_sink *sink,
                             const ink_allocator *allocator, ink_error *error);
/* Gives what is left to the sink. */
ink_status ink__pieces_flush(ink__pieces *pieces, ink_error *error);
void       ink__pieces_end(ink__pieces *pieces);

/* Adds an item, whole: whoever has more than `limit` bytes of elements gives them in several. Of a
 * SLICE the head comes apart, in front of the bytes; NULL otherwise. */
ink_status ink__pieces_put(ink__pieces *pieces, uint32_t bucket, const ink__item *item,
                           const ink__head *head, ink_error *error);

/* Adds to bucket 0 that a group has so many records and keys; `counter` estimates the keys, NULL:
 * nobody needs that. */
ink_status ink__pieces_put_measure(ink__pieces *pieces, const ink_label *label, uint64_t records,
                                   uint64_t keys, const ink_sketch *counter, ink_error *error);

/* The bytes of elements that one item should have at most. */
uint64_t ink__pieces_room(const ink__pieces *pieces, const ink_label *label);

/* ---- Reading ------------------------------------------------------------------------------ */

/* Checks a piece and hands its items to `visit`. *job is that which it must be of; 0: any, and
 * becomes that of the piece. A piece without items may be of no job, 0, and fits all. */
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
