/* inkling_pieces.h - builds and verifications in pieces, on many machines: maps read records and
 * give pieces, reducers make sketches of them. What Spark and Hadoop run is here; who moves the
 * pieces is the caller's choice.
 *
 * The rules of inkling_job.h hold here too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_PIECES_H
#define INKLING_PIECES_H

#include "inkling_job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A build in pieces: on many machines -------------------------------------------------- */

/* ink_map is the first part of a build: it reads records and gives what it keeps of them as pieces,
 * bytes that can be sent anywhere, each for one of several buckets. A reducer is the second part:
 * it takes the pieces of a bucket, from all maps, in any order, each once, and gives finished
 * sketches, as pieces again. An assembly takes these, of all buckets, and writes one file: that of
 * ink_build over all inputs, with the same digest (of kinds whose bytes depend on order: with the
 * same promises).
 *
 *     every map:     ink_map(inputs, ...)                          -> pieces, by bucket
 *     every bucket:  ink_reducer_create, _add(piece)..., _finish     -> pieces
 *     once:          ink_assembly_open, _add(piece)..., _save      -> a file
 *
 * ink_pieces_plan_for says how it is best done. Where sizes follow from all keys, and no reducer
 * has them all, there are steps before:
 *
 *     plan.count:    every map: ink_map_count                      -> pieces
 *                    once: ink_sizes_create, _add(piece)..., _encode -> bytes, for every task: the
 *                    numbers of records of all groups, which are options.counts of all that follows
 *     plan.measure:  every map: ink_map                            -> pieces, by bucket, to be kept
 *                    every bucket: a reducer, _add(piece)..., _measure -> pieces
 *                    once: ink_sizes_create, _add(piece)..., _encode -> bytes, for every task: the
 *                    numbers of different keys, which are options.sizes of all that follows
 *     then as above, where pieces were kept from these.
 *
 * All parts of a job need the same reading (of which reducers look at keys, by and weight), the
 * same options and the same version of the library: INK_MISMATCH otherwise. A piece is checked as a
 * file is: INK_FORMAT. */

typedef struct ink_sizes ink_sizes;

typedef struct ink_pieces_options {
    const ink_build_options *build;
    uint32_t buckets;     /* 0: 1; at most 4096; with `ranged` a power of two, at most 256 */
    bool     ranged;      /* buckets are ranges of hashes, of which each has a part of every group,
                             or, where counts are given, of those that may be large; otherwise what
                             is kept of a group goes to one bucket */
    bool together;        /* and so do all slices of a large sketch, that each bucket comes to be a
                             file of its own; not with `ranged` */
    uint64_t piece_bytes; /* that a piece has at most, but for a key or a sketch that is longer; 0:
                             16 MiB */
    uint64_t slice_bytes; /* larger sketches, of kinds that merge in slices, travel in slices of
                             piece_bytes; 0: 64 MiB */
    const ink_sizes *counts; /* how many records each group has, if they were counted, or NULL; of
                                kinds that are sized by these the size */
    const ink_sizes *sizes;  /* how many keys each group has, if that was measured, or NULL */
    uint64_t         reserved[4];
} ink_pieces_options;

/* Where pieces go, by one thread at a time; returns 0, or an errno, which fails the call with
 * INK_IO. The bytes are good during the call. */
typedef struct ink_piece_sink {
    int (*take)(void *host, uint32_t bucket, const uint8_t *data, size_t bytes);
    void *host;
} ink_piece_sink;

typedef struct ink_pieces_plan {
    bool     count, measure; /* see above */
    bool     ranged;
    uint32_t buckets;
    uint64_t reserved[4];
} ink_pieces_plan;

/* How to build from about `input_bytes` bytes of data (UINT64_MAX: unknown) with `tasks` tasks
 * at a time, of sketches that travel in slices from slice_bytes on (0: 64 MiB). INK_UNSUPPORTED
 * for kinds that cannot be built in parts (scalable). */
INK_API ink_status ink_pieces_plan_for(const ink_reading *reading, const ink_build_options *build,
                                       uint64_t input_bytes, uint32_t tasks, uint64_t slice_bytes,
                                       ink_pieces_plan *plan, ink_error *error);

/* Reads all records, and gives pieces: at the end, or, before that takes more memory than there is
 * (job->memory_bytes), of what was read so far. Those of a map that failed are to be forgotten. */
INK_API ink_status ink_map(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                           const ink_pieces_options *options, const ink_piece_sink *sink,
                           ink_job *job, ink_error *error);
/* Reads all records, and gives pieces with the number of records of each group only. */
INK_API ink_status ink_map_count(const ink_input *inputs, size_t input_count,
                                 const ink_reading *reading, const ink_pieces_options *options,
                                 const ink_piece_sink *sink, ink_job *job, ink_error *error);

/* For one thread at a time. */
typedef struct ink_reducer ink_reducer;
INK_API ink_status         ink_reducer_create(ink_reducer **reducer, const ink_reading *reading,
                                              const ink_pieces_options *options, const ink_job *job,
                                              ink_error *error);
INK_API void               ink_reducer_free(ink_reducer *reducer); /* NULL is allowed */
/* A piece that fails when some of it was added spoils the reducer: it says so then, with INK_USAGE,
 * and a new one is needed; otherwise it is as it was. Where buckets are ranges, a piece of another
 * one than those before is INK_MISMATCH. */
INK_API ink_status ink_reducer_add(ink_reducer *reducer, const void *piece, size_t piece_bytes,
                                   ink_error *error);
/* One of these is called once, as the last call before closing: INK_USAGE afterwards. Gives
 * finished sketches; or what is needed for sizes; or what was added, merged as far as possible, in
 * pieces for another reducer (to merge in several steps). */
INK_API ink_status ink_reducer_finish(ink_reducer *reducer, const ink_piece_sink *sink,
                                      ink_error *error);
INK_API ink_status ink_reducer_measure(ink_reducer *reducer, const ink_piece_sink *sink,
                                       ink_error *error);
INK_API ink_status ink_reducer_relay(ink_reducer *reducer, const ink_piece_sink *sink,
                                     ink_error *error);

/* How many keys each group has. `allocator` NULL means malloc. */
INK_API ink_status ink_sizes_create(ink_sizes **sizes, const ink_allocator *allocator,
                                    ink_error *error);
INK_API void       ink_sizes_free(ink_sizes *sizes); /* NULL is allowed */
/* Takes a piece of ink_map_count or of ink_reducer_measure, or what _encode gave. A failure in the
 * middle of a piece may leave a part of it added: new sizes are needed then. */
INK_API ink_status ink_sizes_add(ink_sizes *sizes, const void *piece, size_t piece_bytes,
                                 ink_error *error);
/* What was added, as one piece; give it back with ink_bytes_free and the same allocator. */
INK_API ink_status ink_sizes_encode(const ink_sizes *sizes, uint8_t **data, size_t *bytes,
                                    ink_error *error);
/* The number of keys that the sketches of a group are planned for; INK_NOT_FOUND if there is no
 * such group. */
INK_API ink_status ink_sizes_keys(const ink_sizes *sizes, const ink_label *label, uint64_t *keys,
                                  ink_error *error);

/* Puts finished sketches together. What was added waits in a temporary file, in `folder` (NULL:
 * TMPDIR, else /tmp), and not in memory. */
typedef struct ink_assembly ink_assembly;
INK_API ink_status          ink_assembly_open(ink_assembly **assembly, const char *folder,
                                              const ink_allocator *allocator, ink_error *error);
INK_API void                ink_assembly_close(ink_assembly *assembly); /* NULL is allowed */
/* What is assembled is a part of a larger set, as a batch of a stream is: filters are not looked
 * at, as with ink_merge_options.parts. */
INK_API void ink_assembly_of_part(ink_assembly *assembly);
/* Takes a piece that a reducer finished. A failure in the middle of one with slices may spoil the
 * assembly: it says so then, with INK_USAGE, and a new one is needed; otherwise it is as it was. */
INK_API ink_status ink_assembly_add(ink_assembly *assembly, const void *piece, size_t piece_bytes,
                                    ink_error *error);
/* Writes all sketches as ink_contents_save does, with the input spec of `reading` for records of
 * such inputs; none if `reading` is NULL. Nothing can be added any more; may be called again.
 * INK_FORMAT, naming the group and the byte, if a slice of a large sketch did not come.
 * INK_PROMISE for filters above their promise, as in ink_build. */
INK_API ink_status ink_assembly_save(ink_assembly *assembly, const char *path,
                                     const ink_reading *reading, const ink_input *inputs,
                                     size_t input_count, ink_error *error);
/* The same, but gives the bytes of the file to a sink, in order. */
INK_API ink_status ink_assembly_write(ink_assembly *assembly, const ink_sink *sink,
                                      const ink_reading *reading, const ink_input *inputs,
                                      size_t input_count, ink_error *error);
/* All that was added, as far as it is known: the number of sketches, and number `index` of
 * them; it stays the assembly's. Nothing can be added any more. INK_NOT_FOUND past the last one. */
INK_API ink_status ink_assembly_count(ink_assembly *assembly, size_t *count, ink_error *error);
INK_API ink_status ink_assembly_entry(const ink_assembly *assembly, size_t index, ink_entry *entry,
                                      ink_error *error);

/* ---- A verification in pieces ------------------------------------------------------------- */

/* The pieces that ranged maps (ink_pieces_options.ranged) gave for one bucket hold all there is to
 * know of the keys in a range, in all groups. So the filters of a file are verified range by
 * range, anywhere, and what was counted adds up to the result of ink_verify over all records:
 *
 *     every map:     ink_map(inputs, ...)                            -> pieces, by bucket
 *     every bucket:  ink_verify_pieces, ink_verification_encode      -> bytes
 *     once:          ink_verification_create, _add(bytes)...           -> the verification
 *
 * The maps are of one filter that can be built in parts, without a size, counts or sizes, so that
 * they give keys, all of them by range, and not sketches; with the key type, hash, seed and secret
 * of the file. Sketches in the file of other kinds than filters are INK_UNSUPPORTED, by name. */

/* Verifies the filters of a file over the pieces of one bucket: all that any map gave for it, each
 * once, in any order, in memory (ink_input.memory; path names a piece as job->failed_path); there
 * may be none. `mapped` and `reading` are those of the maps, INK_MISMATCH otherwise; pieces of
 * groups serve a file without groups, too. Pieces are checked: INK_FORMAT. job->records are the
 * records of this range.
 *
 * options->absent is INK_UNSUPPORTED. Where non-members are random keys, every bucket tests its
 * share of them, also one without pieces. options->tests_max is for each bucket alone, but that of
 * random keys for all together; a range of which only a sample was tested makes the whole
 * `sampled`.
 */
INK_API ink_status ink_verify_pieces(ink_verification **verification, const ink_file *file,
                                     const ink_input *pieces, size_t piece_count,
                                     const ink_reading *reading, const ink_pieces_options *mapped,
                                     uint32_t bucket, const ink_verify_options *options,
                                     ink_job *job, ink_error *error);

/* A verification of a file in `buckets` buckets (0: 1), none of which is in yet. `secret` is that
 * of a keyed file, else NULL; `allocator` NULL means malloc. The file may be closed then. */
INK_API ink_status ink_verification_create(ink_verification **verification, const ink_file *file,
                                           uint32_t buckets, const uint8_t *secret,
                                           const ink_allocator *allocator, ink_error *error);

/* What was counted, in 24 bytes for each row and some more, as bytes that can be sent anywhere;
 * give them back with ink_bytes_free and the same allocator. INK_USAGE for what ink_verify made. */
INK_API ink_status ink_verification_encode(const ink_verification *verification, uint8_t **data,
                                           size_t *bytes, ink_error *error);

/* Adds what was counted for one bucket, or for several that were added up before: rows and summary
 * are then those of all that is in, as if ink_verify had read it at once. INK_FORMAT if the bytes
 * are damaged; INK_MISMATCH if they are of another file, of another number of buckets or by another
 * version of the library; INK_USAGE if a bucket is in already. The verification is then as it was.
 */
INK_API ink_status ink_verification_add(ink_verification *verification, const void *data,
                                        size_t bytes, ink_error *error);

/* Whether a bucket is not in yet, and which is the first of these. As long as there is one the
 * summary is not ok. False for what ink_verify made. */
INK_API bool ink_verification_lacks(const ink_verification *verification, uint32_t *bucket);

#ifdef __cplusplus
}
#endif

#endif
