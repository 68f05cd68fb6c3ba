/* inkling.h - sketches of data too big to keep: have I seen this key, how often, which are the most
 * frequent, how many different ones, in a few megabytes, with a known error bound, and one file
 * format for all of them.
 *
 *     ink_sketch *seen;
 *     ink_error   error;
 *     bool        maybe;
 *     const ink_params params = {
 *         .kind = "bloom", .expected_keys = 1000000, .false_positive_rate = 0.01,
 *     };
 *
 *     if (ink_sketch_create(&seen, &params, NULL, &error) != INK_OK) ...
 *     ink_sketch_add(seen, "bee", 3, &error);
 *     ink_sketch_contains(seen, "bee", 3, &maybe, &error);      a certain no, or a maybe
 *     ink_sketch_save(seen, "seen.ink", &error);
 *     ink_sketch_free(seen);
 *
 * Reading order: errors; one sketch (make, one key, numbers, a file, many keys, two sketches, what
 * it is, bytes); then what hosts such as databases need: drafts, memory, names in messages. Beside
 * this header stand inkling_file.h (files of many labelled sketches, windows of time),
 * inkling_job.h (jobs over data on every core), and with it inkling_arrow.h, inkling_stream.h and
 * inkling_pieces.h (clusters). What is not in these is not API; inkling_command.h may change in any
 * version.
 *
 * Rules that hold for every call, except where its comment says otherwise:
 *   - A call that can fail returns a status; on anything but INK_OK its results are not set, its
 *     objects are as they were before, and `error`, unless NULL, has a message and a location.
 *   - The library never prints, exits or starts threads. What it keeps between calls is the sizes
 * of the caches, which it reads once, and a list of the files that it has mapped or is writing. It
 *     reads one environment variable, INK_CPU, which names the instruction set to use ("scalar").
 *   - Pointers are not NULL, except to what has no bytes. Every free, close and release takes NULL.
 *   - A name that ends in `bytes` is a length, one that ends in `count` a number of elements.
 *   - Threads: calls that take an object as const may run at once on any number of threads while
 *     none changes it; any other call must be alone with its object. Objects may be made, used and
 *     freed on different threads. Const calls too may take memory: an allocator whose objects are
 *     asked by several threads is called by several at once. A concurrent sketch has several
 *     writers: see ink_sketch_share.
 *   - Ownership: strings and arrays passed in stay the caller's and are not kept. A call that is
 *     named after what it makes (ink_sketch_create) has that first; any other has its object first
 *     and its results last. The caller frees what a call makes.
 *   - Functions of the caller (allocators, sinks) must return: neither longjmp nor an exception may
 *     pass through the library. They must not use the object that the call is about.
 *   - A call that fills memory of the caller, with room for too little, is INK_LIMIT, and nothing
 * is written.
 *
 * Structs grow without breaking programs that were compiled before. Those that may get a field end
 * with room, `reserved`, which a new field is taken from: no size changes. Initialise a struct that
 * you fill, as C99 does with {.kind = "hll"}: all that is not named is 0, which means the default,
 * of later fields too. A library that finds something set in its room refuses it (INK_USAGE): the
 * program needs a newer one. Structs without room are final. Enums get new values at their end:
 * take one that you do not know as the general case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_H
#define INKLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define INK_API __attribute__((visibility("default")))
#else
#define INK_API
#endif

#define INK_VERSION_MAJOR 0
#define INK_VERSION_MINOR 2
#define INK_VERSION_PATCH 0

/* The version of the library that runs, such as "0.2.0". */
INK_API const char *ink_version(void);

/* ---- Errors ----------------------------------------------------------------------------- */

typedef enum ink_status {
    INK_OK = 0,
    INK_USAGE,       /* a parameter is out of range, or parameters do not go together */
    INK_UNSUPPORTED, /* this kind of sketch cannot do this */
    INK_READ_ONLY,   /* the sketch is a view of a mapped file */
    INK_FORMAT,      /* the bytes are not a whole, valid .ink file */
    INK_MISMATCH,    /* two sketches, or a sketch and a key or a secret, do not fit together */
    INK_NOT_FOUND,   /* there is no such file entry, slot, or key to remove */
    INK_PROMISE,     /* the result would break the promised false-positive rate: ink_rate_holds */
    INK_IO,          /* the operating system refused; see ink_error.os_error */
    INK_MEMORY,      /* the allocator refused */
    INK_LIMIT,       /* larger than the format or this machine can hold */
    INK_STOPPED,     /* the caller's progress function asked for it */
} ink_status;

/* The name of a status, such as "INK_FORMAT"; never NULL. */
INK_API const char *ink_status_name(ink_status status);

/* What ink_error.at counts. */
typedef enum ink_location { INK_NOWHERE = 0, INK_AT_BYTE, INK_AT_LINE, INK_AT_KEY } ink_location;

/* Where a parameter is named in a message. Final. */
typedef struct ink_named {
    uint16_t parameter; /* an ink_parameter */
    uint16_t start;     /* its first byte in the message, rising from one to the next */
    uint16_t bytes;
} ink_named;

#define INK_MESSAGE_BYTES 248
#define INK_NAMED_MAX 8

/* Why a call failed. Belongs to the caller, needs no clean-up; set only on failure. Names no path:
 * the caller knows which file the call was about. */
typedef struct ink_error {
    ink_status   status;
    ink_location location;
    uint64_t     at;                /* byte offset or number of a key in its batch,
                                       from 0, or line number, from 1; else 0 */
    int       os_error;             /* errno where the system gave one, else 0 */
    uint32_t  named_count;          /* how many parameters the message names ... */
    ink_named named[INK_NAMED_MAX]; /* ... and where */
    char
        message[INK_MESSAGE_BYTES]; /* what was found and what was expected, in one line of UTF-8 */
    uint64_t reserved[6];
} ink_error;

/* Writes "byte 40: ..." or the bare message to `text`, cut to fit and ended by a NUL, if there is
 * room for that. Returns the length that was written, without the NUL. */
INK_API size_t ink_error_text(const ink_error *error, char *text, size_t text_bytes);

/* ---- A sketch: make and free ------------------------------------------------------------ */

typedef struct ink_sketch ink_sketch;

typedef struct ink_allocator ink_allocator; /* where memory comes from; NULL means malloc */

/* What a key is. Fixed when a sketch is made; docs/keys.md. */
typedef enum ink_key_type { INK_KEY_BYTES = 0, INK_KEY_INT = 1 } ink_key_type;

#define INK_SECRET_BYTES 16
#define INK_DIGEST_BYTES 16

/* Named parameters; a field left 0 or NULL takes its default. A field that the kind does not have
 * is refused, not ignored. */
typedef struct ink_params {
    const char *kind; /* "bloom", "classic", "counting", "scalable", "count-min", "top", "fm",
                         "hll" or "theta"; see ink_kind_name */

    /* Filters: either the keys expected and the rate wanted ... */
    uint64_t expected_keys; /* n: different keys; scalable: of its first level, default 2^16 */
    double   false_positive_rate; /* p; default 0.01 */
    /* ... or the size by hand; with expected_keys beside it the promised rate is worked out. */
    uint64_t bits;   /* m; bloom: a multiple of 256, counting: of 1024 */
    uint32_t hashes; /* k; classic only */
    double   ratio;  /* scalable: level i has p (1 - ratio) ratio^i; 0.1 to 0.9, default 0.5 */

    /* count-min: either a count is at most epsilon x (sum of all counts) too high with chance
     * 1 - delta ... */
    double epsilon; /* default 1e-4 */
    double delta;   /* default 0.01 */
    /* ... or the size by hand: `depth` rows of `width` counters. fm: `depth` groups (default 9) of
     * `width` sub-sketches (default 16). */
    uint64_t width;
    uint32_t depth;
    uint32_t counter_bits; /* count-min: 32 (default; a counter stops at 4.29e9) or 64, as for
                              weights that are bytes */
    bool conservative;     /* count-min: raise only the counters that must rise */

    /* top: its capacity is max(1024, 32 x top_keys), or 1 / phi rounded up. */
    uint32_t top_keys; /* how many keys will be asked for; default 10 */
    double   phi;      /* or the share of the total above which no key is to be missed */

    uint32_t precision; /* hll: 2^precision registers, 4 to 18, default 14; theta: at most
                           2^precision values, 4 to 26, default 12 */

    /* Keys and hashing. All sketches that meet must agree on these. */
    ink_key_type   key_type;
    const char    *hash;     /* default "xxh3" for bytes, "mix64" for ints; docs/keys.md */
    uint64_t       seed;     /* 0: the default seed of the hash ... */
    bool           has_seed; /* ... unless this is true: then `seed` as it stands */
    const uint8_t *secret;   /* INK_SECRET_BYTES bytes: SipHash-2-4 keyed with them, for keys that
                                an adversary may choose. Kept in memory, never written. */
    double max_rate; /* filters but scalable: becomes the promised rate where it is more than the
                        size promises, for a filter that may get more keys than planned */
    uint64_t concurrent; /* 1: any number of threads add and ask at once, as after ink_sketch_share.
                            bloom, classic, count-min that is not conservative, hll; for
                            ink_sketch_create alone, and refused by drafts, windows and jobs */
    uint64_t reserved[6];
} ink_params;

/* Makes an empty sketch. `allocator` NULL means malloc. INK_USAGE names the parameter that is
 * wrong and its range; INK_MEMORY names the bytes needed. The caller owns *sketch and
 * gives it back with ink_sketch_free. */
INK_API ink_status ink_sketch_create(ink_sketch **sketch, const ink_params *params,
                                     const ink_allocator *allocator, ink_error *error);

/* Gives all memory of a sketch back. A secret is wiped first. */
INK_API void ink_sketch_free(ink_sketch *sketch);

/* Makes a writable copy that depends on nothing, also of a view of a mapped file (whose bytes are
 * checked first). `allocator` NULL means that of `from`. */
INK_API ink_status ink_sketch_copy(ink_sketch **sketch, const ink_sketch *from,
                                   const ink_allocator *allocator, ink_error *error);

/* Makes an empty sketch of the plan of another, secret included: same kind, size, promises and key
 * rule, as for a thread that adds to one of its own, to be merged (as parts) into the other.
 * `allocator` NULL means that of `like`, to which another thread may be adding keys if its kind is
 * local (ink_kind_info). INK_UNSUPPORTED if the order of keys is part of the content (scalable,
 * top, conservative count-min). */
INK_API ink_status ink_sketch_create_like(ink_sketch **sketch, const ink_sketch *like,
                                          const ink_allocator *allocator, ink_error *error);

/* Makes a sketch concurrent, also one that was loaded or decoded; it stays so. bloom, classic,
 * count-min and hll; INK_UNSUPPORTED for others, and for a conservative count-min, INK_READ_ONLY
 * for a view. The call itself must be alone with the sketch. From then on, on any number of threads
 * at once and without a lock:
 *   - Keys are added, one by one or in batches, with weights. No bit, count or record is lost, and
 *     counters stop where they do otherwise: once all adds have returned, the sketch has the bytes
 *     that one thread would have given it by the same keys, in any order.
 *   - Keys are asked for (contains, maybe, count, times, also of batches). Every add that returned
 *     before the question is in the answer; one that is under way may be. (Before, as threads see
 *     it: by a lock, a join, or in the same thread.)
 *   - All other calls that take the sketch as const (describe, distinct, rate, dot, overlap, over,
 * copy, its encoding, digest or file, as `from` of a merge) look at a snapshot. Every key whose add
 *     returned before is in it; of one whose add is under way, all, a part or nothing, and no count
 *     is above its total. All but describe take memory for a copy while they last (INK_MEMORY).
 *     Copies are not concurrent.
 *   - What changes it otherwise is refused with INK_UNSUPPORTED, and nothing is done: add_new,
 *     remove, being `into` of a merge or an intersection, fold, unlock, ink_add_each. Do it with a
 *     copy.
 * Being concurrent is not part of the content, nor of a file. It takes 8 KiB of memory; an hll is
 * an array of bytes, however few keys it has. ink_job_add_batch adds on the thread that calls it.
 */
INK_API ink_status ink_sketch_share(ink_sketch *sketch, ink_error *error);

/* ---- One key ---------------------------------------------------------------------------- */

/* Adds one key of `key_bytes` bytes; an empty key is a key. INK_MISMATCH if the sketch holds ints,
 * or is keyed and was opened without its secret; INK_READ_ONLY if it is a view. */
INK_API ink_status ink_sketch_add(ink_sketch *sketch, const void *key, size_t key_bytes,
                                  ink_error *error);

/* Adds one 64-bit integer key; INK_MISMATCH if the sketch holds bytes. */
INK_API ink_status ink_sketch_add_int(ink_sketch *sketch, int64_t key, ink_error *error);

/* Sets *maybe to false if the key was certainly never added, to true if it may have been (wrongly
 * at the rate of ink_sketch_rate). INK_UNSUPPORTED if the kind does not know membership. */
INK_API ink_status ink_sketch_contains(const ink_sketch *sketch, const void *key, size_t key_bytes,
                                       bool *maybe, ink_error *error);
INK_API ink_status ink_sketch_contains_int(const ink_sketch *sketch, int64_t key, bool *maybe,
                                           ink_error *error);

/* The short form, for hosts where each argument of a call costs more than its answer: 1 for maybe,
 * 0 for certainly not, -1 where ink_sketch_contains fails, which reports why. */
INK_API int ink_sketch_maybe(const ink_sketch *sketch, const void *key, size_t key_bytes);
INK_API int ink_sketch_maybe_int(const ink_sketch *sketch, int64_t key);

/* Adds one key as often as `weight` says; kinds that count, INK_UNSUPPORTED for others. */
INK_API ink_status ink_sketch_add_weight(ink_sketch *sketch, const void *key, size_t key_bytes,
                                         uint64_t weight, ink_error *error);
INK_API ink_status ink_sketch_add_weight_int(ink_sketch *sketch, int64_t key, uint64_t weight,
                                             ink_error *error);

/* Adds one key unless it seems to be in already, and learns which: the same as asking, then adding
 * what is new. Filters only. A key that is taken for known, wrongly at the filter's rate, is not
 * added. `was_new` may be NULL. */
INK_API ink_status ink_sketch_add_new(ink_sketch *sketch, const void *key, size_t key_bytes,
                                      bool *was_new, ink_error *error);
INK_API ink_status ink_sketch_add_new_int(ink_sketch *sketch, int64_t key, bool *was_new,
                                          ink_error *error);

/* Takes one key out again; counting only. INK_NOT_FOUND, at INK_AT_KEY, and nothing changes, if the
 * key is certainly not in. Removing a key that was never added passes unnoticed at the filter's
 * rate, and can make the filter deny keys that were. */
INK_API ink_status ink_sketch_remove(ink_sketch *sketch, const void *key, size_t key_bytes,
                                     ink_error *error);
INK_API ink_status ink_sketch_remove_int(ink_sketch *sketch, int64_t key, ink_error *error);

/* ---- Numbers: how often, which, how many ------------------------------------------------ */

/* Every number answered has this shape: low <= estimate <= high, and the true value lies in
 * [low, high] with this confidence, 1 if it is certain. Final. */
typedef struct ink_answer {
    double estimate;
    double low;
    double high;
    double confidence;
    bool   saturated; /* the sketch is full: the true value may lie far above the estimate */
} ink_answer;

/* How often a key was added, each time with its weight. count-min: never too low, too high by more
 * than epsilon x total with chance delta, so low lies that far below and high is the estimate. top:
 * both bounds are certain, also for a key that is not kept. counting: at most the estimate, up to
 * 14; 15 is saturated, and high is the number of records. No count is above the total. */
INK_API ink_status ink_sketch_count(const ink_sketch *sketch, const void *key, size_t key_bytes,
                                    ink_answer *answer, ink_error *error);
INK_API ink_status ink_sketch_count_int(const ink_sketch *sketch, int64_t key, ink_answer *answer,
                                        ink_error *error);

/* Whether an answer about the same is better than another: its bounds are closer together, or as
 * close and more certain. */
INK_API bool ink_answer_is_better(const ink_answer *answer, const ink_answer *than);

/* The short form, as ink_sketch_maybe: the estimate, at most 2^63 - 1, or -1 where ink_sketch_count
 * fails. */
INK_API int64_t ink_sketch_times(const ink_sketch *sketch, const void *key, size_t key_bytes);
INK_API int64_t ink_sketch_times_int(const ink_sketch *sketch, int64_t key);

/* How many different keys were added, from a filter's fill or from registers. `confidence` between
 * 0 and 1; 0 means 0.95. An empty sketch answers exactly 0. Neither estimate nor bounds are above
 * the records (description.records; 0 and 2^64 - 1 say nothing), nor below 1 where there are some.
 */
INK_API ink_status ink_sketch_distinct(const ink_sketch *sketch, double confidence,
                                       ink_answer *answer, ink_error *error);

/* One key of a top sketch with its count. Its bytes live until the sketch is changed or freed.
 * Final. */
typedef struct ink_item {
    uint64_t hash; /* as ink_sketch_hash_batch gives it: distinguishes cut keys that begin alike */
    const uint8_t *key; /* NULL if the sketch holds ints */
    size_t         key_bytes;
    int64_t        key_int;
    bool           cut; /* the key is longer: of keys above 1 KiB only the beginning is kept, and
                           that alone is another key */
    ink_answer count;
} ink_item;

/* The keys with the largest counts, in falling order of estimate (then high bound, then key): at
 * most `room`; *found is how many were written. */
INK_API ink_status ink_sketch_top(const ink_sketch *sketch, ink_item *items, size_t room,
                                  size_t *found, ink_error *error);

/* HH(k), the keys that have more than 1/k of the total, in the same order: every one that has is
 * among them, and one whose low bound is not above 1/k of the total may not belong there. There
 * are at most twice description.capacity; INK_LIMIT if they find no room, and *items are then
 * changed. INK_USAGE if k is too large for this sketch to be sure. */
INK_API ink_status ink_sketch_over(const ink_sketch *sketch, uint64_t k, ink_item *items,
                                   size_t room, size_t *found, ink_error *error);

/* The inner product of the counts of two plain count-min sketches of one size: the sum over all
 * keys of (count in a) x (count in b), the size of their join. Never too low; too high by more than
 * epsilon x total(a) x total(b) with chance delta. Saturated if every row has a counter that
 * stopped. `a` and `b` may be the same sketch. */
INK_API ink_status ink_sketch_dot(const ink_sketch *a, const ink_sketch *b, ink_answer *answer,
                                  ink_error *error);

/* What two sets have in common. `a`, `b`, `in_union`, `intersection`, `only_a` and `only_b` are
 * numbers of different keys; `jaccard` is the share of the union that is in both, `a_in_b` the
 * share of a that is in b, `b_in_a` that of b in a: 0 to 1. */
typedef struct ink_overlap {
    ink_answer  a, b;
    ink_answer  in_union, intersection, only_a, only_b;
    ink_answer  jaccard, a_in_b, b_in_a;
    const char *method; /* "sampled": of a sample of the union's keys; or "inclusion-exclusion": of
                           three numbers, a + b - union, whose errors are those of the union,
                           however small the intersection is. Lives as long as the library */
    uint64_t reserved[4];
} ink_overlap;

/* The overlap of two sketches, with bounds as ink_sketch_distinct has them; `confidence` likewise.
 * theta: sampled; hll: by inclusion-exclusion. The sketches need equal kind, key type, hash and
 * seed, otherwise INK_MISMATCH; of different precisions the larger is reduced. Two empty sets are
 * equal (jaccard 1), and an empty one is in every other. INK_UNSUPPORTED for kinds that do not
 * know. `a` and `b` may be the same sketch, and views. */
INK_API ink_status ink_sketch_overlap(const ink_sketch *a, const ink_sketch *b, double confidence,
                                      ink_overlap *overlap, ink_error *error);

/* The current false-positive rate, from the bits: exact for bloom and counting, (ones /
 * bits)^hashes for classic, the sum over the levels, an upper bound, for scalable. Reads the whole
 * filter. */
INK_API ink_status ink_sketch_rate(const ink_sketch *sketch, double *rate, ink_error *error);

typedef enum ink_estimator {
    INK_ESTIMATOR_DEFAULT = 0,
    INK_ESTIMATOR_MEAN_OF_POWERS, /* fm: the median of the groups' means of 2^K, as textbooks have
                                     it; about 2.8 times too high at the default size. The interval
                                     is that of the default, extended to contain it. Unlimited */
    INK_ESTIMATOR_UNLIMITED,      /* the default without a look at the records: to plan sizes, and
                                     to measure the estimator itself */
} ink_estimator;

/* ink_sketch_distinct with an estimator of one's choice. */
INK_API ink_status ink_sketch_distinct_by(const ink_sketch *sketch, ink_estimator estimator,
                                          double confidence, ink_answer *answer, ink_error *error);

/* ---- A file of one sketch --------------------------------------------------------------- */

/* Saves one sketch as a file, as ink_contents_save does, and loads it as a writable sketch. */
INK_API ink_status ink_sketch_save(const ink_sketch *sketch, const char *path, ink_error *error);
INK_API ink_status ink_sketch_load(ink_sketch **sketch, const char *path,
                                   const ink_allocator *allocator, ink_error *error);

/* Gives a keyed sketch that came from a file its secret back (INK_SECRET_BYTES bytes).
 * INK_MISMATCH if it is another secret, or if the sketch is not keyed. */
INK_API ink_status ink_sketch_unlock(ink_sketch *sketch, const uint8_t *secret, ink_error *error);

/* ---- Many keys -------------------------------------------------------------------------- */

/* A key of bytes somewhere in memory; `data` may be NULL if there are none. Final. */
typedef struct ink_key {
    const void *data;
    size_t      bytes;
} ink_key;

/* Many keys at once: the fast path. The keys stand in one of four forms; where a kind needs the
 * key itself (classic with hash "mmh3"), hashes alone are refused with INK_UNSUPPORTED. Hashes and
 * keys together are welcome: the hashes are then taken as those of the keys. (top makes its own.)
 */
typedef struct ink_batch {
    size_t          count;
    const uint64_t *hashes;  /* from ink_sketch_hash_batch, under the same hash and seed */
    const int64_t  *ints;    /* or integer keys */
    const uint8_t  *data;    /* or byte keys: key i is data[offsets[i]] up to offsets[i + 1] */
    const uint64_t *offsets; /* count + 1 of them, never falling ... */
    const uint64_t *ends;    /* ... or count of them in any order, and key i goes up to ends[i], as
                                where lines or fields have something between them; NULL otherwise */
    const ink_key  *keys;    /* or byte keys, each where it is */
    const uint64_t *weights; /* how often each key counts; NULL: once. Refused by kinds that do not
                                count */
    uint64_t records;   /* how many records the keys stand for, if they were made distinct before;
                           0: one each */
    uint64_t one_array; /* 1: with `ends`, what stands between keys may be read, too, as it is in
                           one array with them; short ones are then hashed faster */
    uint64_t reserved[7];
} ink_batch;

/* Adds the keys in order; the same as adding each alone. All or nothing: what a growing sketch
 * (scalable, top, hll) needs for these keys, should all be new, is taken before the first one is
 * added.
 *
 * The more keys at once, the better: where a bloom or counting is far larger than the caches, and
 * the batch has at least a key for every 64 bytes of it, the keys are sorted by range first. That
 * takes memory while the call lasts: for each key 8 bytes, up to the size of the sketch, or above
 * 512 MiB half of it. If the allocator refuses, it goes on without. */
INK_API ink_status ink_sketch_add_batch(ink_sketch *sketch, const ink_batch *batch,
                                        ink_error *error);

/* Adds key i of the batch to sketches[i], in order, as for the groups of a query: the same as
 * adding each alone, without waiting for the memory of one sketch after another. All sketches are
 * of one kind and key rule (INK_MISMATCH, at the key, and nothing is added); one may stand there
 * many times. INK_MEMORY, at the key that found no room: the keys before it are added.
 * batch->records must be 0.
 *
 * Many keys for few sketches are sorted by sketch first, which takes memory while the call lasts:
 * 16 bytes a key, 24 with weights, and 12 MiB at most. If the allocator of the first sketch
 * refuses, it goes on without. */
INK_API ink_status ink_add_each(ink_sketch *const *sketches, const ink_batch *batch,
                                ink_error *error);

/* Sets answers[i] to 0 (certainly not) or 1 (maybe), for batch->count keys.
 *
 * Millions of keys for a fuse that is far larger than the caches are sorted first, which takes
 * memory while the call lasts: 20 bytes a key, and 40 MiB at most. If the allocator refuses, it
 * goes on without. */
INK_API ink_status ink_sketch_contains_batch(const ink_sketch *sketch, const ink_batch *batch,
                                             uint8_t *answers, ink_error *error);

/* Sets answers[i] as ink_sketch_count does for key i. */
INK_API ink_status ink_sketch_count_batch(const ink_sketch *sketch, const ink_batch *batch,
                                          ink_answer *answers, ink_error *error);

/* Adds, in order, each key that the sketch does not seem to hold, and sets was_new[i] to 1 for
 * those, else to 0. Keys that repeat within the batch are added once. `was_new` may be NULL.
 * INK_UNSUPPORTED if the kind does not know membership; weights are refused. */
INK_API ink_status ink_sketch_add_new_batch(ink_sketch *sketch, const ink_batch *batch,
                                            uint8_t *was_new, ink_error *error);

/* Removes the keys in order, each as often as its weight says. All or nothing: INK_NOT_FOUND names
 * the first key that is certainly not in, and the sketch is as it was. */
INK_API ink_status ink_sketch_remove_batch(ink_sketch *sketch, const ink_batch *batch,
                                           ink_error *error);

enum { INK_OVER_NO = 0, INK_OVER_MAYBE = 1, INK_OVER_YES = 2 };

/* Which of these keys have more than 1/k of the total: sets answers[i] to INK_OVER_NO if the key
 * certainly has not, to INK_OVER_YES if even its low bound is above (for count-min with the
 * confidence of a count), to INK_OVER_MAYBE otherwise. count-min and top. */
INK_API ink_status ink_sketch_over_batch(const ink_sketch *sketch, const ink_batch *batch,
                                         uint64_t k, uint8_t *answers, ink_error *error);

/* Writes the 64-bit hash of every key in the batch, as this sketch and every other with the same
 * key type, hash and seed takes it: hash once, ask many. INK_UNSUPPORTED for mmh3 hashes. */
INK_API ink_status ink_sketch_hash_batch(const ink_sketch *sketch, const ink_batch *batch,
                                         uint64_t *hashes, ink_error *error);

/* Whether ink_sketch_add_batch would take this batch, should there be memory: what it says of keys
 * and sketch, each offset included. */
INK_API ink_status ink_sketch_check_batch(const ink_sketch *sketch, const ink_batch *batch,
                                          ink_error *error);

/* ---- Two sketches ----------------------------------------------------------------------- */

/* One or the other; max_rate is refused by kinds that have no rate. */
typedef struct ink_merge_options {
    double max_rate; /* filters: the current rate that the result may have; becomes its promise
                        where it is larger than both. 0: the larger of the two promises */
    bool parts;      /* the two are parts of one set planned as a whole: no look at the rate. (Of
                        scalables the promises add up.) */
    uint64_t reserved[4];
} ink_merge_options;

/* Merges `from` into `into`, as if every key of `from` had been added to it; records add up.
 * Both need equal kind, key type, hash and seed. bloom, counting: block counts equal, or one
 * divides the other (the larger is folded). classic: equal bits and hashes, or both powers of two
 * and equal hashes (the larger is halved). scalable: the levels of both, at most 1024. count-min,
 * fm: equal sizes. top: the smaller capacity; the errors add up. hll: the larger precision is
 * reduced. Otherwise INK_MISMATCH, naming both. INK_PROMISE if the result would be above the rate
 * allowed. `options` may be NULL; `from` may be a view; `from` and `into` may not be the same
 * sketch. */
INK_API ink_status ink_sketch_merge(ink_sketch *into, const ink_sketch *from,
                                    const ink_merge_options *options, ink_error *error);

/* Keeps in `into` only what `from` may hold too: every key added to both is still found; a key
 * added to one of them alone is found at the rate of the other. bloom and classic; sizes as for
 * merge. theta: the keys that both have, as ink_sketch_distinct counts them; the smaller precision.
 * The records become the smaller number. */
INK_API ink_status ink_sketch_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error);

/* Takes the keys of `from` out of `into`, as ink_sketch_distinct counts them: those of `into` alone
 * are left. theta; INK_UNSUPPORTED for others, INK_MISMATCH if kinds or key rules differ. Precision
 * and records stay those of `into`. `from` may be a view, but not the same sketch. */
INK_API ink_status ink_sketch_subtract(ink_sketch *into, const ink_sketch *from, ink_error *error);

/* Shrinks a filter to size / divisor: exactly the filter that would have been built at that size.
 * bloom, counting: any divisor of the block count. classic: a power of two, where bits is one. The
 * promise stays, for expected_keys / divisor keys; INK_PROMISE if the current rate would be above
 * it. */
INK_API ink_status ink_sketch_fold(ink_sketch *sketch, uint64_t divisor, ink_error *error);

/* Shrinks a filter to the smallest size whose current rate is at most `rate`, which becomes the
 * target rate. The promise stays, for expected_keys / divisor keys, or becomes `rate` if that is
 * larger. *divisor, if not NULL, becomes the divisor, which may be 1. INK_PROMISE if the rate is
 * above `rate` already. `rate` 0 is the rate that the filter was made for: its target rate, or the
 * promised one if that is larger. Both stay then, and a filter above it stays as it is; INK_USAGE
 * if it has neither, as one of given bits. */
INK_API ink_status ink_sketch_fold_to_rate(ink_sketch *sketch, double rate, uint64_t *divisor,
                                           ink_error *error);

/* Makes a sketch of another kind from what one holds. counting to "bloom": exactly the bloom of the
 * keys that it holds now. To its own kind: a copy. Otherwise INK_UNSUPPORTED. */
INK_API ink_status ink_sketch_convert(ink_sketch **sketch, const ink_sketch *from, const char *kind,
                                      const ink_allocator *allocator, ink_error *error);

/* ---- What a sketch is, and what one would be -------------------------------------------- */

/* What a sketch is. A field that does not apply is 0. */
typedef struct ink_description {
    const char  *kind;
    const char  *hash;
    ink_key_type key_type;
    bool         keyed;        /* hashed with a secret ... */
    uint64_t     secret_check; /* ... whose check value in the file is this */
    uint64_t     seed;
    uint64_t     records;        /* adds so far, repeated keys included, less removals */
    uint64_t     expected_keys;  /* planned for; scalable: by its first level */
    uint64_t     bits;           /* of a filter */
    uint32_t     hashes;         /* bits set, or counters raised, by a key */
    double       ratio;          /* of a scalable */
    uint32_t     levels;         /* of a scalable, so far */
    uint64_t     width;          /* counters in a row; sub-sketches in a group */
    uint32_t     depth;          /* rows; groups */
    uint32_t     counter_bits;   /* of a count-min */
    bool         conservative;   /* of a count-min */
    double       epsilon;        /* of a count-min: e / width ... */
    double       delta;          /* ... and e^-depth */
    uint64_t     total;          /* the sum of all weights, where they are counted */
    uint64_t     capacity;       /* of a top: no key above phi = 1 / capacity of the total ... */
    double       phi;            /* ... is missed ... */
    uint64_t     missed;         /* ... and at present none that has more than this */
    uint32_t     precision;      /* of an hll */
    uint64_t     bytes;          /* of its payload in a file, as it is now ... */
    uint64_t     bytes_max;      /* ... and at most; 0 if there is no limit */
    double       standard_error; /* of the answer of an fm or hll, relative */
    double       bits_per_key;   /* bits / expected_keys */
    double       target_rate;    /* what the caller wanted ... */
    double       promised_rate;  /* ... and what the size promises; 0: nothing is promised */
    bool         read_only;
    bool         order_free; /* the same bytes for any order of keys */
    bool         needs_keys; /* batches of hashes alone are refused */
    uint64_t     concurrent; /* 1: several writers, see ink_sketch_share */
    uint64_t     reserved[7];
} ink_description;

/* Describes a sketch as it is now; cannot fail. The strings live as long as the library. */
INK_API void ink_sketch_describe(const ink_sketch *sketch, ink_description *description);

/* The kind of a sketch, as ink_params names it. */
INK_API const char *ink_sketch_kind(const ink_sketch *sketch);

typedef struct ink_info_options {
    const struct ink_label *label; /* NULL: neither group nor slot */
    bool                    has_rate;
    double      rate;   /* with has_rate: the current rate of a filter; otherwise it is computed */
    bool        digest; /* takes reading the whole sketch, as the rate does */
    const char *origin; /* the format that it was converted from (ink_file_origin), or NULL */
    uint64_t    reserved[3];
} ink_info_options;

#define INK_INFO_BYTES 2048

/* Writes the object of JSON that `ink info --json` prints of a sketch (with its label and digest):
 * docs/output.md, info, has the fields, and those that the kind has not are left out. *count is its
 * length without the NUL that ends it. INK_INFO_BYTES and six times the bytes of the group are
 * room enough in this version. `options`
 * may be NULL. */
INK_API ink_status ink_sketch_info_json(const ink_sketch *sketch, const ink_info_options *options,
                                        char *text, size_t room, size_t *bytes, ink_error *error);

/* Describes the sketch that ink_sketch_create would make, without making it: sizes and promises
 * before any data is read, and before any memory is taken. */
INK_API ink_status ink_plan(const ink_params *params, ink_description *description,
                            ink_error *error);

/* Describes the sketch that ink_sketch_create would make once it has this many different keys: for
 * kinds that grow by levels (scalable) the levels and bytes that it has then, for others as
 * ink_plan does. More keys than a filter was planned for are no failure; INK_USAGE, naming the most
 * a scalable can take, if these are more. */
INK_API ink_status ink_plan_filled(const ink_params *params, uint64_t keys,
                                   ink_description *description, ink_error *error);

/* The name of kind number `index`, in order of their ids in files; NULL past the last one. */
INK_API const char *ink_kind_name(size_t index);

/* The name of hash number `index`, for ink_params.hash; NULL past the last one. */
INK_API const char *ink_hash_name(size_t index);

/* A question, and a number of it in ink_kind_info.ranks. */
typedef enum ink_question {
    INK_ASK_COUNT,    /* how often a key was added */
    INK_ASK_TOP,      /* which keys are the most frequent */
    INK_ASK_DISTINCT, /* how many different keys there are; a filter answers by its fill */
    INK_ASK_DOT,      /* the inner product of two */
    INK_ASK_MEMBER,   /* whether a key was added */
    INK_ASK_OVERLAP,  /* what two sets have in common */
} ink_question;

#define INK_QUESTIONS_MAX 16

/* What a kind answers and needs, for programs that serve any kind. */
typedef struct ink_kind_info {
    bool contains;      /* have I seen this key: a filter */
    bool counts;        /* how often: ink_sketch_count */
    bool keeps_keys;    /* which are the most frequent: ink_sketch_top; needs the keys themselves */
    bool distinct;      /* how many different ones */
    bool dot;           /* the inner product of two */
    bool weights;       /* takes weights */
    bool removes;       /* keys can be taken out again, so adding one twice is not adding it once */
    bool sized_by_keys; /* needs expected_keys, or a size by hand */
    bool fixed_size;    /* its memory does not grow with what is added */
    bool local;         /* hashes that begin alike fall close together in it */
    /* How well it answers each ink_question: the kind with the highest rank is chosen, and among
     * equals the caller chooses; but of those above rank 1 that count, all are asked, and of each
     * key the best answer is taken (ink_answer_is_better). 0: not at all. */
    uint8_t  ranks[INK_QUESTIONS_MAX];
    uint64_t subtracts; /* 1: a sample of the keys; intersections and differences have its bounds,
                           which are those of the keys that are left in it */
    /* 1: made of all of its keys at once, by a draft or a build, and never changed: no create, add
     * or merge */
    uint64_t made_whole;
    uint64_t reserved[6];
} ink_kind_info;

/* INK_USAGE, naming all kinds, if there is no such one. */
INK_API ink_status ink_kind_describe(const char *kind, ink_kind_info *info, ink_error *error);

/* Whether params->kind has every size parameter that is set, for any value: INK_USAGE names the
 * first that it does not have. For programs that share parameters out among kinds. */
INK_API ink_status ink_kind_takes(const ink_params *params, ink_error *error);

/* ---- A sketch as bytes ------------------------------------------------------------------ */

/* Encodes a sketch as an .ink file in memory (docs/format.md). The bytes are canonical: equal
 * content, equal bytes. *data comes from the sketch's allocator: give it back with ink_bytes_free
 * and the same allocator. */
INK_API ink_status ink_sketch_encode(const ink_sketch *sketch, uint8_t **data, size_t *bytes,
                                     ink_error *error);

/* The same into memory of the caller: how many bytes it takes, and then the bytes. */
INK_API ink_status ink_sketch_encoded_bytes(const ink_sketch *sketch, size_t *bytes,
                                            ink_error *error);
INK_API ink_status ink_sketch_encode_to(const ink_sketch *sketch, void *to, size_t room,
                                        size_t *bytes, ink_error *error);

/* Where bytes are written; returns 0, or an errno, which fails the call with INK_IO and os_error.
 * Final. */
typedef struct ink_sink {
    int (*write)(void *host, const void *data, size_t bytes);
    void *host;
} ink_sink;

/* The same to a sink, in order, in pieces of 1 MiB at most. */
INK_API ink_status ink_sketch_write(const ink_sketch *sketch, const ink_sink *sink,
                                    ink_error *error);

/* `allocator` NULL means malloc. */
INK_API void ink_bytes_free(void *data, size_t bytes, const ink_allocator *allocator);

/* Makes a writable sketch from the bytes of a file with one entry; every byte is checked first. A
 * keyed sketch decodes without its secret, but takes no keys then: see ink_sketch_unlock. */
INK_API ink_status ink_sketch_decode(ink_sketch **sketch, const void *data, size_t bytes,
                                     const ink_allocator *allocator, ink_error *error);

/* The same from bytes that come in pieces of any sizes. Beside the sketch a sixteenth of its bytes
 * is kept, and some 2 MiB; of hll and top, which have another form in memory, all. No block is
 * larger than 16 times the bytes that have come.
 *
 *     ink_decoder_create(&decoder, NULL, &error)
 *     while (there are bytes)
 *         ink_decoder_write(decoder, data, bytes, &error)
 *     ink_decoder_finish(decoder, &sketch, &error)
 *     ink_decoder_free(decoder) */
typedef struct ink_decoder ink_decoder;

INK_API ink_status ink_decoder_create(ink_decoder **decoder, const ink_allocator *allocator,
                                      ink_error *error);

/* Takes the next bytes of the file. Fails as soon as they cannot be those of a file with one entry,
 * and so does every later call; the caller may stop there, or go on for ink_decoder_finish to
 * report what ink_sketch_decode would. INK_MEMORY ends the decoder: no call does anything then. */
INK_API ink_status ink_decoder_write(ink_decoder *decoder, const void *data, size_t bytes,
                                     ink_error *error);

/* All bytes have come: gives the sketch, which the caller owns, or fails as ink_sketch_decode does
 * for the same bytes. After a failure more may still come; after a success only ink_decoder_free
 * may follow. */
INK_API ink_status ink_decoder_finish(ink_decoder *decoder, ink_sketch **sketch, ink_error *error);

INK_API void ink_decoder_free(ink_decoder *decoder);

/* How the bytes of a file are read, here and by ink_file_open; flags are or-ed. */
enum {
    INK_OPEN_CHECKED = 0, /* every byte is checked now */
    INK_OPEN_LAZY = 1, /* header, directory and sections now; payloads by ink_file_check, and where
                          they are copied or saved */
    INK_OPEN_COPY = 2, /* into memory of its own: the file, or the bytes, may change afterwards */
    INK_OPEN_TRUSTED = 4, /* payloads are never checked, as of bytes that this program has just
                             encoded; wrong ones give wrong answers, and nothing worse */
};

/* Makes a read-only view of the bytes of a file with one entry, at any alignment, which must
 * outlive it; free it with ink_sketch_free. With INK_OPEN_COPY it is a writable copy. */
INK_API ink_status ink_sketch_view(ink_sketch **sketch, const void *data, size_t bytes,
                                   unsigned flags, const ink_allocator *allocator,
                                   ink_error *error);

/* What identifies the bytes of a file, as the key of a cache: a digest of its header and directory,
 * which hold the checksums of all payloads. The payloads are not read, nor checked; for the digest
 * of what they hold see ink_sketch_digest. */
INK_API ink_status ink_identity(const void *data, size_t bytes, uint8_t identity[INK_DIGEST_BYTES],
                                ink_error *error);

/* The digest of a sketch: XXH3-128 of its encoding up to the first section, most significant byte
 * first. Equal content, equal digest. */
INK_API ink_status ink_sketch_digest(const ink_sketch *sketch, uint8_t digest[INK_DIGEST_BYTES],
                                     ink_error *error);

/* Copies the payload as it is in a file (docs/format.md has the layout of each kind) to `payload`,
 * which has room for description.bytes bytes. */
INK_API ink_status ink_sketch_payload(const ink_sketch *sketch, void *payload, size_t payload_bytes,
                                      ink_error *error);

/* ---- Drafts: keys before a size --------------------------------------------------------- */

/* The different keys of a filter whose number is not known before: bloom, classic and counting
 * (kinds that are sized_by_keys; others are INK_UNSUPPORTED, as they need no number). A draft keeps
 * the hash of each key once, in 11 to 27 bytes of memory; counting takes twice that, for how often
 * each was added; hashes of fewer than 64 bits (mmh3) keep the keys. Drafts of parts of the data
 * merge, also as bytes from other processes, and finish as the filter of all of it, with the bytes
 * that a build of the same records gives. Threads as for sketches. */
typedef struct ink_draft ink_draft;

/* Makes an empty draft. `params` has neither expected_keys nor bits (INK_USAGE). The draft takes at
 * most `limit_bytes` bytes, as ink_draft_memory has them, 0: any number; what would need more fails
 * with INK_LIMIT. While it grows, old and new memory are there together. `allocator` NULL means
 * malloc; it is also for sketches made of the draft. */
INK_API ink_status ink_draft_create(ink_draft **draft, const ink_params *params,
                                    uint64_t limit_bytes, const ink_allocator *allocator,
                                    ink_error *error);
/* NULL is allowed. A secret is wiped first. */
INK_API void ink_draft_free(ink_draft *draft);

/* Adds keys as ink_sketch_add_batch does, with the same refusals; all or nothing. A batch that is
 * large beside the draft takes memory for its different keys once more while the call lasts. */
INK_API ink_status ink_draft_add_batch(ink_draft *draft, const ink_batch *batch, ink_error *error);

/* Adds all keys of `from`; records add up. Both need equal kind, key rule and target rate
 * (INK_MISMATCH). `from` and `into` may not be the same draft. */
INK_API ink_status ink_draft_merge(ink_draft *into, const ink_draft *from, ink_error *error);

/* How many different keys there are so far, and the bytes of memory that they take, all included.
 */
INK_API uint64_t ink_draft_keys(const ink_draft *draft);
INK_API uint64_t ink_draft_memory(const ink_draft *draft);

/* Makes the filter of all keys, sized by their number times `headroom` (1 to 1e6; 0: 1). Above 2^20
 * keys that number is an estimate and 0.7 % more, as in every build; with mmh3 it is the number of
 * records. The draft stays as it is. One without its secret gives a sketch without it. */
INK_API ink_status ink_draft_finish(ink_sketch **sketch, const ink_draft *draft, double headroom,
                                    ink_error *error);

/* A draft as bytes to be sent to where drafts are merged; docs/format.md has them. They are no .ink
 * file. Equal content, equal bytes; the limit and the secret are not among them. How many there
 * are, and then the bytes, sorted in memory for the time of the call. INK_LIMIT if there is room
 * for fewer. */
INK_API ink_status ink_draft_encoded_bytes(const ink_draft *draft, size_t *bytes, ink_error *error);
INK_API ink_status ink_draft_encode_to(const ink_draft *draft, void *to, size_t room, size_t *bytes,
                                       ink_error *error);

/* Makes a draft from these bytes, each of which is checked. A keyed one takes hashes and drafts,
 * but no keys: to add some, merge it into one that was made with the secret. */
INK_API ink_status ink_draft_decode(ink_draft **draft, const void *data, size_t bytes,
                                    uint64_t limit_bytes, const ink_allocator *allocator,
                                    ink_error *error);

/* ---- Memory, the machine ---------------------------------------------------------------- */

/* Where a sketch's memory comes from. `resize` with block NULL allocates, with new_bytes 0 frees,
 * and returns NULL to refuse, upon which the old block stays as it was. Blocks are aligned as
 * malloc's. `zeroed`, which may be NULL, allocates cleared memory, as calloc does: a large sketch
 * is then made without writing to every page. Every object keeps a copy of the allocator it was
 * made with. */
struct ink_allocator {
    void *(*resize)(void *host, void *block, size_t old_bytes, size_t new_bytes);
    void *host;
    void *(*zeroed)(void *host, size_t bytes);
    /* Not 0: no huge pages. Keys are slower in memory far larger than the caches; the first in each
     * page, and the first after a fork, wait for 4 KiB and not for 2 MiB. */
    uint64_t small_pages;
    uint64_t reserved[1];
};

/* The bytes of memory that a sketch has from its allocator at this moment, all included; of a view
 * without the file. */
INK_API uint64_t ink_sketch_memory(const ink_sketch *sketch);

/* The allocator that a sketch was made with, as for bytes that it gave; see ink_bytes_free. */
INK_API void ink_sketch_allocator(const ink_sketch *sketch, ink_allocator *allocator);

/* What was chosen for this machine: the instruction set, and what follows from the caches of a
 * core. It affects speed, never results. */
typedef struct ink_tuning {
    const char *instructions; /* "scalar", "avx2", "avx512" or "neon" */
    uint64_t    l1_bytes, l2_bytes;
    bool        caches_known; /* the system reported both sizes; else they are assumed */
    /* Memory of larger sketches is prefetched for this many keys ... */
    uint64_t prefetch_from_bytes;
    uint32_t prefetch_keys;
    /* ... and from this size on for this many, into the second-level cache only; 0: never. */
    uint64_t far_from_bytes;
    uint32_t far_keys;
    uint64_t huge_from_bytes;  /* sketches that ask the system for huge pages */
    uint64_t sort_from_bytes;  /* filters whose keys are sorted by range before they are added */
    uint64_t private_to_bytes; /* threads fill sketches of their own up to here, ranges above */
    uint64_t reserved[4];
} ink_tuning;

/* INK_USAGE if INK_CPU names an instruction set that is not there. */
INK_API ink_status ink_tuning_chosen(ink_tuning *tuning, ink_error *error);

/* ---- For programs that print: names, numbers and text ----------------------------------- */

/* What a message may name: the parameters of calls, called as in these headers. */
typedef enum ink_parameter {
    /* A sketch: ink_params */
    INK_PARAMETER_KIND,
    INK_PARAMETER_EXPECTED_KEYS,
    INK_PARAMETER_FALSE_POSITIVE_RATE,
    INK_PARAMETER_BITS,
    INK_PARAMETER_HASHES,
    INK_PARAMETER_RATIO,
    INK_PARAMETER_EPSILON,
    INK_PARAMETER_DELTA,
    INK_PARAMETER_WIDTH,
    INK_PARAMETER_DEPTH,
    INK_PARAMETER_COUNTER_BITS,
    INK_PARAMETER_CONSERVATIVE,
    INK_PARAMETER_TOP_KEYS,
    INK_PARAMETER_PHI,
    INK_PARAMETER_PRECISION,
    INK_PARAMETER_KEY_TYPE,
    INK_PARAMETER_HASH,
    INK_PARAMETER_SEED,
    INK_PARAMETER_SECRET,
    /* What is done with it */
    INK_PARAMETER_MAX_RATE,
    INK_PARAMETER_RATE,
    INK_PARAMETER_DIVISOR,
    INK_PARAMETER_K,
    INK_PARAMETER_CONFIDENCE,
    INK_PARAMETER_ESTIMATOR,
    INK_PARAMETER_OPEN_COPY, /* INK_OPEN_COPY */
    INK_PARAMETER_SLOTS,
    /* Records: ink_reading */
    INK_PARAMETER_FORM,
    INK_PARAMETER_DELIMITER,
    INK_PARAMETER_BLANKS,
    INK_PARAMETER_HEADER,
    INK_PARAMETER_MULTILINE,
    INK_PARAMETER_KEY,
    INK_PARAMETER_BY,
    INK_PARAMETER_ROUND,
    INK_PARAMETER_WEIGHT,
    INK_PARAMETER_TIME,
    INK_PARAMETER_TIME_UNIT,
    INK_PARAMETER_SKIP_BAD,
    /* Jobs */
    INK_PARAMETER_MEMORY_BYTES,
    INK_PARAMETER_HEADROOM,
    INK_PARAMETER_SKEW,
    INK_PARAMETER_ONCE,
    INK_PARAMETER_OVERWRITE,
    INK_PARAMETER_GROUP_COLUMN,
    INK_PARAMETER_GROUPS,
    INK_PARAMETER_CONCURRENT, /* ink_params */
} ink_parameter;

/* The name of a parameter, such as "expected_keys"; NULL past the last one. */
INK_API const char *ink_parameter_name(size_t parameter);

/* The same in the words of a front end, such as a command with options: names[p], of `name_count`,
 * stands where the message names parameter p; NULL: its name as in these headers. */
INK_API size_t ink_error_text_named(const ink_error *error, const char *const *names,
                                    size_t name_count, char *text, size_t text_bytes);

/* Whether a filter with this current rate keeps its promise. Filters of one plan vary: a rate above
 * the promised one is kept as long as expected_keys keys give it with a chance above 1e-9. By this
 * rule jobs refuse filters (INK_PROMISE). A scalable, which grows, may be a tenth above. */
INK_API bool ink_rate_holds(const ink_description *filter, double rate);

/* An estimate as the nearest whole number of 64 bits, at most 2^64 - 1. */
INK_API uint64_t ink_nearest_whole(double number);

/* Bytes as a string of JSON, with its quotes and a NUL. A byte that is not UTF-8 is written as the
 * character of its value, \u0080 to \u00ff, and so looks like that character: keys and groups that
 * are not UTF-8 are printed in hex instead, as a member with another name (docs/output.md). Returns
 * the length without the NUL, at most six times the bytes and two; nothing is written if `room` is
 * not larger than that. */
INK_API size_t ink_json_text(const void *data, size_t bytes, char *text, size_t room);

/* The length of the character of UTF-8 that the bytes begin with, 1 to 4; 0 if they begin with
 * none, or with a control character, which a terminal would obey. */
INK_API size_t ink_printable_character(const void *data, size_t bytes);

/* Whether all of the bytes are UTF-8; none are. */
INK_API bool ink_is_utf8(const void *data, size_t bytes);

/* Bytes as hexadecimal digits in lower case, and a NUL. Returns the length without the NUL, twice
 * the bytes; nothing is written if `room` is not larger than that. */
INK_API size_t ink_hex_text(const void *data, size_t bytes, char *text, size_t room);

#define INK_REAL_BYTES 32

/* The shortest decimal that reads back as the same number, in any locale: 0.01, 1e+06, 1.5e-07;
 * inf, -inf, nan. Returns its length without the NUL. */
INK_API size_t ink_real_text(double real, char text[INK_REAL_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
