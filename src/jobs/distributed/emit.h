/* emit.h - what a build has read or taken, emitted as pieces instead of finished sketches.
 *
 * The folder src/jobs/distributed is a build on many machines: map.c reads records and gives
 * pieces, reduce.c makes sketches of the pieces of a bucket, assembly.c puts finished pieces
 * together as one file. measured_sizes counts keys before a build. Nothing else in src uses it. */
#ifndef INK_JOBS_DISTRIBUTED_EMIT_H
#define INK_JOBS_DISTRIBUTED_EMIT_H

#include "jobs/build/build_state.h"
#include "jobs/groups/pieces.h"

enum { INK__RANGES_MAX = 256 };

/* Fills in the defaults of the options; INK_USAGE if they cannot be. */
ink_status ink__pieces_settle(ink_pieces_options *options, ink_error *error);

/* The type of items for what is kept of records. */
static inline ink__item_type ink__item_of(ink__keep keep)
{
    return keep == INK__KEEP_HASHES    ? INK__ITEM_HASHES
           : keep == INK__KEEP_WEIGHTS ? INK__ITEM_COUNTED
                                       : INK__ITEM_KEYS;
}

/* A build that is emitted. */
typedef struct ink__emission {
    ink__build_state  *all;
    ink_pieces_options options; /* settled */
    ink__pieces        pieces;
    ink__group       **list;         /* all groups, by bucket */
    uint64_t           count, freed; /* the sketches of the first `freed` groups were sent */
    bool               relayed;      /* of pieces that came: their maps gave empty sketches, too */
    uint32_t           range, range_end; /* to emit, if buckets are ranges; relayed: one */
    bool               large;            /* every group has sketches that are made range by range */
    bool               reported[INK__RANGES_MAX]; /* ranges that have an item of any group */
    uint8_t           *scratch;
    uint64_t           scratch_bytes;
    ink_entry         *pending; /* small sketches for one bucket */
    uint64_t           pending_count, pending_bytes, pending_sum;
    uint32_t           pending_bucket;
    bool               known; /* the bytes of the sketches of a group with this many keys */
    uint64_t           known_keys, known_bytes;
} ink__emission;

ink_status ink__emit_begin(ink__emission *out, ink__build_state *all,
                           const ink_pieces_options *options, uint64_t job,
                           const ink_piece_sink *sink, ink_error *error);
void       ink__emit_end(ink__emission *out);

/* Emits what is kept of records, as it is, or as sketches where these are smaller and their size is
 * known; and the sketches that need no size. */
ink_status ink__emit_kept(ink__emission *out, ink_error *error);

/* Emits the number of keys of each group, for sizes. */
ink_status ink__emit_measures(ink__emission *out, ink_error *error);

/* Emits the sketches of a group, finished or parts. They are freed when they were sent. */
ink_status ink__emit_group_sketches(ink__emission *out, ink__group *group, ink_error *error);

/* Frees the sketches that were sent, if only those of group number `at` are pending. */
void ink__emit_free_sent(ink__emission *out, uint64_t at);

/* Emits `bytes` bytes of the payload of `from` in slices: they are those from `offset` on of the
 * payload with this head. */
ink_status ink__emit_slices(ink__emission *out, const ink_label *label, uint32_t bucket,
                            const ink__head *head, uint64_t offset, const ink_sketch *from,
                            uint64_t bytes, uint64_t records, ink_error *error);

/* The bucket of a slice of a group's sketch, the same in every step of a job: all maps cut a
 * payload alike, and its slices go round the buckets, unless they stay together. */
ink_status ink__emit_slice_bucket(const ink__emission *out, const ink__group *group,
                                  const ink__head *head, uint64_t offset, uint32_t *bucket,
                                  ink_error *error);

/* Whether a sketch for `keys` keys that is made range by range is too large to be sent whole. */
ink_status ink__emit_is_large(const ink__build_plan *plan, size_t kind, uint64_t keys,
                              uint64_t slice_bytes, bool *large, ink_error *error);

/* Gives all pieces to the sink. */
ink_status ink__emit_flush(ink__emission *out, ink_error *error);

#endif
