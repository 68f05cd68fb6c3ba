/* internal.h - what jobs may use of sketches besides the public calls: hashing by a key rule
 * without a sketch, sizes that follow from keys (draft.c), one batch on several threads (bulk.c),
 * one filter in ranges (filter_ranges.c), a sketch of all of its hashes at once (whole.c), heads
 * (head.c), and payloads in slices (head.c, slice.c). Nothing else of src/sketch, src/hash and
 * src/format is open to jobs.
 *
 * The folder src/sketch implements inkling.h: sketch.c makes, changes and merges one sketch, ask.c
 * queries it, one_key.c does either for a key alone, batch.c, bulk.c, sorted_questions.c and
 * each.c bring many keys,
 * save.c and file.c write and read files, decoder.c reads one in pieces, info.c describes one as
 * JSON, ring.c is the window of time slots, draft.c the keys of a sketch without a size, share.c
 * the sketch that several threads write to. kinds/ is
 * below. Jobs call it by inkling.h and this header. */
#ifndef INK_SKETCH_INTERNAL_H
#define INK_SKETCH_INTERNAL_H

#include "base/crew.h"
#include "inkling_file.h"

/* ---- Hashing without a sketch ------------------------------------------------------------- */

/* Hashes keys as every sketch with the same key rule does. Many threads may use one. */
typedef struct ink__hasher ink__hasher;

/* A hasher with the key type, hash, seed and secret of `params`; no other field is read. All zero
 * is the rule of labels. INK_USAGE as for a sketch, INK_UNSUPPORTED if the hash has no 64 bits. */
ink_status ink__hasher_create(ink__hasher **hasher, const ink_params *params,
                              const ink_allocator *allocator, ink_error *error);
/* Wipes the secret; NULL is allowed. */
void ink__hasher_free(ink__hasher *hasher);

/* The hashes of keys, which are ints or bytes. INK_MISMATCH if the rule is for the other type. */
ink_status ink__hasher_batch(const ink__hasher *hasher, const ink_batch *batch, uint64_t *hashes,
                             ink_error *error);

/* The hash of one label, by the default rule of bytes; also the checksum of what jobs exchange. */
uint64_t ink__hash_label(const void *bytes, size_t count);

/* The key rule that `params` name: sets key_type, hash, seed, keyed and secret_check of a
 * description, and the others to 0. */
ink_status ink__describe_rule(const ink_params *params, ink_description *description,
                              ink_error *error);

/* ---- Sizes that follow from keys ---------------------------------------------------------- */

/* A filter without a number of keys is planned for the different keys that there are (draft.c): up
 * to INK__EXACT_KEYS they are counted, above they are estimated by an hll of this precision. */
enum { INK__EXACT_KEYS = 1 << 20, INK__COUNTER_PRECISION = 18 };

/* The number of keys to plan for, by such an estimate. */
uint64_t ink__keys_of_estimate(double estimate);

/* Sets a headroom of 0 to 1; INK_USAGE unless it is 1 to 1e6. */
ink_status ink__check_headroom(double *headroom, ink_error *error);
/* INK_USAGE for a kind that is made whole, unless it is 1. */
ink_status ink__check_no_headroom(const char *kind, double headroom, ink_error *error);
/* This multiple of the keys. Saturates. */
uint64_t ink__with_headroom(uint64_t keys, double headroom);

/* ---- A sketch of all of its hashes at once ------------------------------------------------ */

/* A kind that is made whole (ink_kind_info.made_whole) is made of its different hashes, in shards
 * by their first bits, which threads of the caller make at once, each with a room of its own:
 *
 *     ink__whole_sort(room, ...)             parts of all hashes, in as many threads
 *     ink__whole_open(&whole, &params, keys, allocator, &error)    when all are counted
 *     ink__whole_build(whole, room, ...)     whole shards, in as many threads
 *     ink__whole_finish(whole, records, &sketch, &error)           when all are made
 *     ink__whole_close(whole)
 *
 * A room takes 12 bytes for each hash of its largest shard (184,000, unless hashes are no hashes),
 * and 20 for each of a sort, up to 256 Ki of them. */
typedef struct ink__whole      ink__whole;
typedef struct ink__whole_room ink__whole_room;

ink_status ink__whole_room_create(ink__whole_room **room, const ink_allocator *allocator,
                                  ink_error *error);
void       ink__whole_room_free(ink__whole_room *room); /* NULL is allowed */
/* For tests: this many first attempts of each shard count as failed. */
void ink__whole_room_refuse(ink__whole_room *room, unsigned attempts);

/* Writes hashes, all of which have equal first `known_bits` bits, to `to`: rising, and each once.
 * *kept is how many these are. */
ink_status ink__whole_sort(ink__whole_room *room, const uint64_t *hashes, size_t count,
                           unsigned known_bits, uint64_t *to, size_t *kept, ink_error *error);

/* A whole of `keys` different hashes; expected_keys is not read. */
ink_status ink__whole_open(ink__whole **whole, const ink_params *params, uint64_t keys,
                           const ink_allocator *allocator, ink_error *error);
/* Hashes whose first bits are equal, this many, are a shard. */
unsigned ink__whole_shard_bits(const ink__whole *whole);
/* Makes shards of sorted different hashes: all hashes of each. INK_LIMIT if that is not possible,
 * which is so only of keys that were chosen for it. */
ink_status ink__whole_build(ink__whole *whole, ink__whole_room *room, const uint64_t *hashes,
                            size_t count, ink_error *error);
ink_status ink__whole_finish(ink__whole *whole, uint64_t records, ink_sketch **sketch,
                             ink_error *error);
void       ink__whole_close(ink__whole *whole); /* NULL is allowed */

/* All steps, by one thread: of hashes in any order, and as often as they come. */
ink_status ink__whole_make(ink_sketch **sketch, const ink_params *params, const uint64_t *hashes,
                           size_t count, uint64_t records, ink__whole_room *room, ink_error *error);

/* ---- One writer --------------------------------------------------------------------------- */

/* INK_USAGE if the sketch were to be concurrent: of those that jobs make, threads of jobs alone
 * are the writers. */
ink_status ink__check_one_writer(const ink_params *params, ink_error *error);

/* ---- Promises ----------------------------------------------------------------------------- */

/* A filter that is above its promise, and the keys to plan for instead. */
typedef struct ink__excess {
    double   rate, limit;
    uint64_t keys;
} ink__excess;

/* Whether a filter is above its promise, by the rule of ink_rate_holds, or above max_rate unless
 * that is 0. Kinds without a fixed size never are. Reads the whole filter. */
bool ink__sketch_overfull(const ink_sketch *sketch, double max_rate, ink__excess *excess);

/* INK_USAGE unless it is 0 (none is given) to 1. */
ink_status ink__check_max_rate(double max_rate, ink_error *error);

/* Whether it is a filter of a fixed size; and makes a rate that is allowed its promise, where that
 * is larger than the promise that it has. */
bool ink__sketch_is_fixed_filter(const ink_sketch *sketch);
void ink__sketch_raise_promise(ink_sketch *sketch, double max_rate);

/* Whether a sketch is a view, which needs its bytes or its file; and whether all of a file are. */
bool ink__sketch_is_view(const ink_sketch *sketch);
bool ink__file_has_views(const ink_file *file);

/* ---- One sketch, several threads ---------------------------------------------------------- */

/* Hashes with equal first bits fall into neighbouring blocks of a kind that has blocks
 * (ink_kind_info.local). Whether, of `ranges` equal ranges of all hashes, only neighbours share a
 * block of this sketch. */
bool ink__sketch_has_ranges(const ink_sketch *sketch, uint64_t ranges);

/* Adds a batch of hashes to such a sketch, and their number of records to *records instead of the
 * sketch's own. Threads may do so at once if their hashes are of ranges that are no neighbours. */
ink_status ink__sketch_add_in_range(ink_sketch *sketch, const ink_batch *batch, uint64_t *records,
                                    ink_error *error);

/* Counts records; of a sketch with one writer, by one thread. */
void ink__count_records(ink_sketch *sketch, uint64_t records);

/* ---- One batch, several threads ----------------------------------------------------------- */

/* A batch that threads of the caller add to one large sketch together (ink_job_add_batch has
 * threads of its own). Each thread partitions some of the keys by range; then each adds the keys of
 * some ranges, and no two write to the same memory. There are no locks and no atomics: the caller
 * lets no thread apply before all have sorted, nor sort before all have applied.
 *
 *     ink__bulk_open(&bulk, sketch, &batch, parts, &error)
 *     do {
 *         ink__bulk_sort(bulk, part)         for part 0 to parts - 1, in as many threads
 *         ink__bulk_apply(bulk, part)        for part 0 to parts - 1, when that is done
 *     } while (ink__bulk_more(bulk));        when that is done
 *     ink__bulk_close(bulk);
 *
 * Memory for hashes comes from the sketch's allocator, as for ink_sketch_add_batch, and some 16 KiB
 * for each part. The result has the same bytes. */
typedef struct ink__bulk ink__bulk;

/* Whether the sketches of a description can be filled so. */
bool ink__bulk_takes(const ink_description *description);
/* Checks the batch, whose arrays must live until the end, and allocates. `parts` is 1 to 1024.
 * INK_UNSUPPORTED for kinds other than bloom, counting and classic, for keys without a 64-bit hash,
 * or for weights. */
ink_status ink__bulk_open(ink__bulk **bulk, ink_sketch *sketch, const ink_batch *batch,
                          unsigned parts, ink_error *error);
/* Sorts keys of a part, until they or the memory end. */
void ink__bulk_sort(ink__bulk *bulk, unsigned part);
/* Adds what all parts have sorted into the ranges of this part; or, for threads that take one share
 * after another, into those of one share of some. */
void     ink__bulk_apply(ink__bulk *bulk, unsigned part);
void     ink__bulk_apply_share(ink__bulk *bulk, unsigned share, unsigned shares);
unsigned ink__bulk_shares(const ink__bulk *bulk); /* more than parts, if there are enough ranges */
/* Whether keys are left for another round. If not, all are added and counted as records, and it is
 * not called again. */
bool ink__bulk_more(ink__bulk *bulk);
/* A bulk without a batch, for a stream of hashes of unknown length, with at most `room_bytes` bytes
 * for hashes (0: the best size), at least 16 KiB for each part. Instead of ink__bulk_sort, each
 * part is given hashes by ink__bulk_put, in as many threads, until one has no room or there are no
 * more; then all are applied, and ink__bulk_more counts them as records (and returns false). */
ink_status ink__bulk_open_for_hashes(ink__bulk **bulk, ink_sketch *sketch, uint64_t room_bytes,
                                     unsigned parts, ink_error *error);
/* Takes the first hashes, as many as there is room for; returns how many. */
size_t ink__bulk_put(ink__bulk *bulk, unsigned part, const uint64_t *hashes, size_t count);
/* Frees the bulk; NULL is allowed. What was applied stays in the sketch. */
void ink__bulk_close(ink__bulk *bulk);

/* Merges several sketches, none of them concurrent, as ink_sketch_merge of parts does, and faster
 * where the kind can. After a failure some of them may be merged. */
ink_status ink__sketch_merge_all(ink_sketch *into, const ink_sketch *const *from, size_t count,
                                 ink_error *error);

/* ---- Copies that several threads merge ---------------------------------------------------- */

/* Whether sketches made like one (ink_sketch_create_like) can be merged into it by several threads:
 * each merges other shares of all payloads (`share` of `shares`), then one thread merges the rest,
 * which is totals and records. Nothing can fail. The result is that of ink_sketch_merge of parts.
 */
bool ink__sketch_has_shares(const ink_sketch *sketch);
void ink__sketch_merge_share(ink_sketch *into, const ink_sketch *from, unsigned share,
                             unsigned shares);
void ink__sketch_merge_rest(ink_sketch *into, const ink_sketch *from);
/* Whether another thread may make sketches like one while it is added to. */
bool ink__sketch_copies_while_added(const ink_sketch *sketch);

/* ---- Closed levels ------------------------------------------------------------------------ */

/* The levels of a scalable but the last never change. How many there are; other kinds have none. */
uint64_t ink__sketch_closed(const ink_sketch *sketch);
/* A view of them, for queries of any thread while another one adds to the sketch, which must
 * outlive it. */
ink_status ink__sketch_view_closed(const ink_sketch *sketch, ink_sketch **view, ink_error *error);
/* ink_sketch_add_batch of keys that the first `levels` of them do not have, with the same result
 * in less time. */
ink_status ink__sketch_add_absent(ink_sketch *sketch, const ink_batch *batch, uint64_t levels,
                                  ink_error *error);

/* ---- One filter, several ranges ----------------------------------------------------------- */

/* A filter of blocks as ranges of them, to which threads of the caller add at once: no two ranges
 * share a cache line, and nothing else is written. The caller lets one thread at a time into a
 * range. Records are not counted. */
enum { INK__FILTER_RANGES_MAX = 128, INK__FILTER_BLOCK_BYTES = 32 };
typedef struct ink__filter_ranges {
    ink_sketch *sketch;
    uint64_t    blocks; /* of which 2^shift are a range */
    unsigned    shift, count;
} ink__filter_ranges;

/* At least `wanted` ranges and less than twice as many, if the filter has the lines; at most
 * INK__FILTER_RANGES_MAX. False if the kind has no such blocks (only bloom has). */
bool ink__filter_ranges_of(ink__filter_ranges *ranges, ink_sketch *filter, unsigned wanted);

/* How many of these hashes each range has. */
void ink__filter_ranges_count(const ink__filter_ranges *ranges, const uint64_t *hashes,
                              size_t count, uint64_t counts[INK__FILTER_RANGES_MAX]);

/* Sorts less than 2^32 hashes by range, and keeps their order in each: hash i is
 * sorted[places[i]], and the hashes of a range are sorted[starts[range]] up to
 * sorted[starts[range + 1]]. */
void ink__filter_ranges_sort(const ink__filter_ranges *ranges, const uint64_t *hashes, size_t count,
                             uint32_t *places, uint64_t *sorted,
                             uint64_t starts[INK__FILTER_RANGES_MAX + 1]);

/* Adds hashes of one range in order, as ink_sketch_add_new_batch does; returns how many were new.
 * was_new NULL: without the answers. */
size_t ink__filter_ranges_add(const ink__filter_ranges *ranges, const uint64_t *hashes,
                              size_t count, uint8_t *was_new);

/* Copies the blocks that these hashes will touch, INK__FILTER_BLOCK_BYTES each, and puts them back:
 * the range is as it was before these hashes were added. */
void ink__filter_ranges_save(const ink__filter_ranges *ranges, const uint64_t *hashes, size_t count,
                             uint8_t *saved);
void ink__filter_ranges_restore(const ink__filter_ranges *ranges, const uint64_t *hashes,
                                size_t count, const uint8_t *saved);

/* What a range weighs in the rate: high * 2^32 + low; the weights of all ranges are added up. */
typedef struct ink__weight {
    uint64_t high, low;
} ink__weight;
ink__weight ink__filter_ranges_weigh(const ink__filter_ranges *ranges, unsigned range);
/* The rate of a filter of this weight: that of ink_sketch_rate, to the last bit. */
double ink__filter_ranges_rate(const ink__filter_ranges *ranges, ink__weight all);

/* ---- Large files, several threads --------------------------------------------------------- */

/* ink_contents_save, ink_contents_encode and ink_file_open with a crew (NULL: none) that computes
 * checksums, if these are of many MiB. Bytes, failures and messages are the same. */
ink_status ink__contents_save(const char *path, const ink_contents *contents, const ink__crew *crew,
                              ink_error *error);
ink_status ink__contents_encode(const ink_contents *contents, const ink__crew *crew,
                                uint8_t **bytes, size_t *count, ink_error *error);
ink_status ink__file_open(ink_file **file, const char *path, unsigned flags, const ink__crew *crew,
                          const ink_allocator *allocator, ink_error *error);

/* ---- The head of a sketch, where the payload is elsewhere --------------------------------- */

#define INK__HEAD_BYTES 128

/* All of a sketch but its payload: kind, key rule, size and promises, with a checksum. It describes
 * a payload that is sent in slices or assembled in a file. The bytes can be sent anywhere. */
typedef struct ink__head {
    uint8_t bytes[INK__HEAD_BYTES];
} ink__head;

/* The head of a sketch as it is now; any kind has one. */
void ink__sketch_head(const ink_sketch *sketch, ink__head *head);

/* The head of the sketch that ink_sketch_create would make, with this number of records. */
ink_status ink__plan_head(const ink_params *params, uint64_t records, ink__head *head,
                          ink_error *error);

/* The contents of a head. INK_FORMAT if its bytes are not those of a head. */
typedef struct ink__head_info {
    const char *kind;
    uint64_t    payload_bytes;
    uint64_t    records;
    bool        slices; /* payloads can be merged slice by slice: ink__head_merge_slice */
    uint32_t    unit;   /* slices begin and end at multiples of it, in bytes */
} ink__head_info;
ink_status ink__head_describe(const ink__head *head, ink__head_info *info, ink_error *error);

/* Sets the number of records in a head; bytes that are no head stay invalid. */
void ink__head_set_records(ink__head *head, uint64_t records);

/* Whether two heads are equal but for records, and totals that a merge adds up (count-min): their
 * payloads may be merged. INK_MISMATCH names what differs. */
ink_status ink__head_match(const ink__head *one, const ink__head *other, ink_error *error);

/* Adds the records and totals of a matching head: the result is the head of the merged payload. */
ink_status ink__head_add(ink__head *into, const ink__head *from, ink_error *error);

/* Merges a slice of one payload with the same slice of another, as ink_sketch_merge would: `bytes`
 * bytes at `offset` of both. INK_UNSUPPORTED if the kind cannot be merged in slices, INK_USAGE if
 * there is no such slice. */
ink_status ink__head_merge_slice(const ink__head *head, uint64_t offset, uint8_t *into,
                                 const uint8_t *from, size_t bytes, ink_error *error);

/* Copies `bytes` bytes of the payload from byte `offset` on. INK_USAGE past the end. */
ink_status ink__sketch_payload_slice(const ink_sketch *sketch, uint64_t offset, uint8_t *to,
                                     size_t bytes, ink_error *error);

/* A kind whose hashes with equal first bits fall close together (ink_kind_info.local) can be built
 * range by range. Sets *slice to the parameters of a sketch of just the part of the payload that
 * hashes from `first` to `last` fall into, and *offset to where that part begins in the payload of
 * a sketch with `params`. Its first and last block may belong to neighbouring ranges too, and are
 * merged with those. INK_UNSUPPORTED if the kind cannot. */
ink_status ink__plan_slice(const ink_params *params, uint64_t first, uint64_t last,
                           ink_params *slice, uint64_t *offset, ink_error *error);
/* The first hash of the block that part number `part` of `parts` equal ones begins with: a range
 * from there to the next part shares no block with others. `parts` is 1 to the number of blocks. */
ink_status ink__slice_start(const ink_params *params, uint64_t part, uint64_t parts,
                            uint64_t *first, ink_error *error);
/* Converts hashes of that range, made for `params`, to those to add to the slice. */
ink_status ink__slice_hashes(const ink_params *params, uint64_t first, uint64_t last,
                             uint64_t *hashes, size_t count, ink_error *error);

/* A read-only view of this payload (payload_bytes bytes, which are checked) under this head. The
 * payload must outlive the sketch. */
ink_status ink__head_open(ink_sketch **sketch, const ink__head *head, const uint8_t *payload,
                          const ink_allocator *allocator, ink_error *error);

#endif
