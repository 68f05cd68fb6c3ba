/* internal.h - what our own jobs may use of sketches besides the public calls: hashing by a key
 * rule without a sketch, one batch on several threads (bulk.c), heads (head.c), and payloads in
 * slices (head.c, slice.c).
 *
 * Nothing else of src/sketch, src/hash and src/format is open to jobs. */
#ifndef INK_SKETCH_INTERNAL_H
#define INK_SKETCH_INTERNAL_H

#include "inkling.h"

/* ---- Hashing without a sketch ------------------------------------------------------------- */

/* Hashes keys as every sketch with the same key rule does. Many threads may use one. */
typedef struct ink__hasher ink__hasher;

/* A hasher with the key type, hash, seed and secret of `params`; nothing else of them is read. All
 * zero is the rule of labels. INK_USAGE as for a sketch, INK_UNSUPPORTED if the hash has no 64
 * bits. */
ink_status ink__hasher_create(ink__hasher **hasher, const ink_params *params,
                              const ink_allocator *allocator, ink_error *error);
/* Wipes the secret; NULL is allowed. */
void ink__hasher_free(ink__hasher *hasher);

/* The hashes of keys, which stand in the batch as ints or as bytes. INK_MISMATCH if the rule is for
 * the other type. */
ink_status ink__hasher_batch(const ink__hasher *hasher, const ink_batch *batch, uint64_t *hashes,
                             ink_error *error);

/* The hash of one label, by the default rule of bytes. It is the checksum of what jobs exchange,
 * too. */
uint64_t ink__hash_label(const void *bytes, size_t count);

/* The key rule that `params` name: sets key_type, hash, seed, keyed and secret_check of a
 * description, and the others to 0. */
ink_status ink__describe_rule(const ink_params *params, ink_description *description,
                              ink_error *error);

/* ---- One batch, several threads ----------------------------------------------------------- */

/* A batch that threads of the caller add to one large sketch together (ink_add_batch has threads of
 * its own). Each sorts a part of the keys by where they fall; when all have, each adds those of
 * some ranges, and no two write to the same memory. There are no locks and no atomics: it is for
 * the caller that nobody applies before all have sorted, nor sorts before all have applied.
 *
 *     ink__bulk_open(&bulk, sketch, &batch, parts, &error)
 *     do {
 *         ink__bulk_sort(bulk, part)         for part 0 to parts - 1, in as many threads
 *         ink__bulk_apply(bulk, part)        for part 0 to parts - 1, when that is done
 *     } while (ink__bulk_more(bulk));        when that is done
 *     ink__bulk_close(bulk);
 *
 * Room for hashes comes from the sketch's allocator, as for ink_sketch_add_batch, and some 16 KiB
 * for each part. The result is the same, byte for byte. */
typedef struct ink__bulk ink__bulk;

/* Checks the batch, whose arrays must live until the end, and makes room. `parts` are 1 to 1024.
 * INK_UNSUPPORTED if the kind is not one of blocks (bloom, counting), or if there are weights. */
ink_status ink__bulk_open(ink__bulk **bulk, ink_sketch *sketch, const ink_batch *batch,
                          unsigned parts, ink_error *error);
/* Sorts keys of a part, up to their end or that of the room. */
void ink__bulk_sort(ink__bulk *bulk, unsigned part);
/* Adds what all parts have sorted into the ranges that are this one's. */
void ink__bulk_apply(ink__bulk *bulk, unsigned part);
/* Whether keys are left for another turn. If not, all are in, and counted as records: it is not
 * called again then. */
bool ink__bulk_more(ink__bulk *bulk);
/* Keys that come some at a time, as hashes, and nobody knows how many: a bulk without a batch, with
 * room for `room_bytes` bytes of hashes at most (0: as much as serves best), at least 16 KiB for
 * each part. In place of ink__bulk_sort each part is given hashes, in as many threads, until one
 * finds no room, or there are no more; then all are applied, ink__bulk_more counts them as records
 * (and says no), and it goes on. */
ink_status ink__bulk_open_for_hashes(ink__bulk **bulk, ink_sketch *sketch, uint64_t room_bytes,
                                     unsigned parts, ink_error *error);
/* Takes hashes of a part, the first ones: as many as there is room for; returns how many. */
size_t ink__bulk_put(ink__bulk *bulk, unsigned part, const uint64_t *hashes, size_t count);
/* Gives the room back; NULL is allowed. What was applied stays in the sketch. */
void ink__bulk_close(ink__bulk *bulk);

/* ---- The head of a sketch, where the payload is elsewhere --------------------------------- */

#define INK__HEAD_BYTES 128

/* All of a sketch but its payload: kind, key rule, size and promises, checksummed. What a payload
 * that travels in slices, or is put together in a file, goes by. The bytes can be sent anywhere. */
typedef struct ink__head {
    uint8_t bytes[INK__HEAD_BYTES];
} ink__head;

/* The head of a sketch as it is now; of a kind whose payload has no fixed place for a key, too. */
void ink__sketch_head(const ink_sketch *sketch, ink__head *head);

/* The head of the sketch that ink_sketch_create would make, without making it, with so many records
 * in it. */
ink_status ink__plan_head(const ink_params *params, uint64_t records, ink__head *head,
                          ink_error *error);

/* What a head says. INK_FORMAT if its bytes are not those of a head. */
typedef struct ink__head_info {
    const char *kind;
    uint64_t    payload_bytes;
    uint64_t    records;
    bool slices; /* two payloads of this size can be united slice by slice: ink__head_merge_slice */
    uint32_t unit; /* slices begin and end at multiples of so many bytes */
} ink__head_info;
ink_status ink__head_describe(const ink__head *head, ink__head_info *info, ink_error *error);

/* Sets the number of records that a head tells; what is no head stays none. */
void ink__head_set_records(ink__head *head, uint64_t records);

/* Whether two heads are the same but for records, and totals that a merge adds up (count-min):
 * their payloads may be united. INK_MISMATCH tells what differs. */
ink_status ink__head_match(const ink__head *one, const ink__head *other, ink_error *error);

/* Adds the records and totals of a head to another that it matches: the head of the united payload.
 */
ink_status ink__head_add(ink__head *into, const ink__head *from, ink_error *error);

/* Unites a slice of one payload with the same slice of another, as ink_sketch_merge would: `bytes`
 * bytes at `offset` of both. INK_UNSUPPORTED if the kind cannot be united so, INK_USAGE if there is
 * no such slice. */
ink_status ink__head_merge_slice(const ink__head *head, uint64_t offset, uint8_t *into,
                                 const uint8_t *from, size_t bytes, ink_error *error);

/* Copies `bytes` bytes of the payload, from byte `offset` of it on, as ink_sketch_payload does; for
 * payloads that are sent in slices. INK_USAGE past the end. */
ink_status ink__sketch_payload_slice(const ink_sketch *sketch, uint64_t offset, uint8_t *to,
                                     size_t bytes, ink_error *error);

/* A kind whose hashes, where they begin alike, fall close together (ink_kind_info.local) can be
 * made range by range. Sets *slice to the parameters of a sketch that has just the part of the
 * payload which hashes from `first` to `last` fall into, and *offset to where that begins in the
 * payload of a sketch with `params`; its first and its last place may be those of neighbouring
 * ranges too, with which it is united then. INK_UNSUPPORTED if the kind cannot. */
ink_status ink__plan_slice(const ink_params *params, uint64_t first, uint64_t last,
                           ink_params *slice, uint64_t *offset, ink_error *error);
/* Turns hashes of that range, as they are for `params`, into those to add to the slice. */
ink_status ink__slice_hashes(const ink_params *params, uint64_t first, uint64_t last,
                             uint64_t *hashes, size_t count, ink_error *error);

/* A sketch with this head and payload (payload_bytes bytes, which are checked): a read-only view of
 * it, which must outlive the sketch. */
ink_status ink__head_open(ink_sketch **sketch, const ink__head *head, const uint8_t *payload,
                          const ink_allocator *allocator, ink_error *error);

#endif
