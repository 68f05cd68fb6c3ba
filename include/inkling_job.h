/* inkling_job.h - jobs over data: records in files, splits and pipes go in, sketches or answers
 * come out, on every core. What the command `ink` does is here; the command parses options and
 * prints.
 *
 *     ink_set  *built;
 *     ink_error error;
 *     ink_job   job = {0};
 *     const ink_input   inputs[] = {{.path = "ratings.tsv"}};
 *     const char *const key[] = {"tconst"};
 *     const ink_reading reading = {
 *         .header = true, .key = key, .key_count = 1, .by = "averageRating",
 *         .round = INK_ROUND_HALF_EVEN,
 *     };
 *     const ink_params kinds[] = {{.kind = "bloom", .false_positive_rate = 0.01}};
 *     const ink_build_options build = {.kinds = kinds, .kind_count = 1};
 *
 *     if (ink_build(&built, inputs, 1, &reading, &build, &job, &error) != INK_OK) ...
 *     ink_set_save(built, "ratings.ink", &error);
 *     ink_set_free(built);
 *
 * The rules of inkling.h hold here too, with these exceptions: a job starts threads and joins them
 * before it returns, and takes its temporary folder from the environment (TMPDIR) if none is given.
 * The result of a job is the same, byte for byte, for any number of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_JOB_H
#define INKLING_JOB_H

#include "inkling.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A job: how to run -------------------------------------------------------------------- */

typedef enum ink_phase {
    INK_PHASE_READING, /* records */
    INK_PHASE_FILLING, /* sketches, from what was kept of the records */
    INK_PHASE_TESTING, /* keys against sketches */
} ink_phase;

typedef struct ink_progress {
    ink_phase phase;
    uint64_t  done;    /* bytes read, or keys handled ... */
    uint64_t  total;   /* ... of so many; 0: unknown, as for a pipe */
    uint64_t  records; /* read so far */
    double    seconds; /* since the job began */
} ink_progress;

/* How a job runs. All zero is fine. The fields at the end are set by the job. */
typedef struct ink_job {
    unsigned    threads;      /* 0: as many as there are cores; at most 1024 */
    uint64_t    memory_bytes; /* for what is kept of records before a size is known; 0: 1 GiB */
    const char *temp_folder;  /* for what does not fit there; NULL: TMPDIR, else /tmp */
    uint64_t    chunk_bytes;  /* of input that a thread takes at a time; 0: a good choice */
    /* Called now and then, by one thread at a time; returns false to stop the job, which then
     * fails with INK_STOPPED. May be NULL. */
    bool (*progress)(void *host, const ink_progress *progress);
    void                *host;
    const ink_allocator *allocator; /* called by several threads at once; NULL means malloc */

    const char *failed_path; /* set on failure: the path that it is about, of those the caller gave,
                                or NULL; error.place INK_AT_LINE counts its records from 1 */
    uint64_t records;        /* set on success: read ... */
    uint64_t bad;            /* ... and skipped, see ink_reading.skip_bad */
} ink_job;

/* ---- Records: where they come from and how they are read ---------------------------------- */

/* A file, "-" for standard input, a FIFO; or a split of a file: the records that start at `offset`
 * or later and before offset + bytes. gzip and zstd are looked through (not in a split). */
typedef struct ink_input {
    const char    *path;
    uint64_t       offset;
    uint64_t       bytes;  /* 0: up to the end */
    const uint8_t *memory; /* or memory_bytes bytes that are in memory; path then only names */
    uint64_t       memory_bytes; /* them in errors, and may be NULL */
} ink_input;

typedef enum ink_form {
    INK_FORM_DEFAULT = 0, /* as the recipe says, else by the first path's suffix (.csv, .tsv,
                             .jsonl, also before .gz and .zst), else lines */
    INK_FORM_LINES,
    INK_FORM_CSV,
    INK_FORM_TSV,
    INK_FORM_NUL,   /* records end with a NUL byte */
    INK_FORM_JSONL, /* one JSON object a line; columns are paths such as user.id or tags[0] */
    INK_FORM_U32,   /* little-endian integers without anything between */
    INK_FORM_U64,
} ink_form;

typedef enum ink_keys { INK_KEYS_DEFAULT = 0, INK_KEYS_BYTES, INK_KEYS_INT } ink_keys;

typedef enum ink_round { INK_ROUND_NONE = 0, INK_ROUND_HALF_EVEN, INK_ROUND_HALF_UP } ink_round;

#define INK_KEY_COLUMNS_MAX 16

/* How records are read. All zero: a line is a key. A column is a number from 1, a name in the
 * header, or a JSON path. */
typedef struct ink_reading {
    ink_form form;
    char delimiter; /* between fields, of lines or CSV; 0: none, ',' or a tab as the form has it */
    bool blanks;    /* lines: fields are separated by runs of blanks and tabs, as in awk */
    bool header;    /* the first record of each input names the columns */
    bool multiline; /* CSV: quoted fields may hold line ends */
    const char *const *key;       /* NULL: the whole record */
    size_t             key_count; /* several columns make a tuple */
    ink_keys           keys;      /* what a key is; default: as the sketch has it, or bytes */
    const char        *by;        /* the column that names the group; NULL: none */
    ink_round          round;     /* the group is a number to be rounded */
    const char        *weight;    /* the column that tells how often a record counts; NULL: once */
    bool               skip_bad;  /* a record that cannot be read is counted, not a failure */
} ink_reading;

/* ---- Sets of sketches: what building and merging give ------------------------------------- */

/* Labelled sketches in memory, and the recipe that they were made by, ready to be saved as one
 * file.
 */
typedef struct ink_set ink_set;

INK_API void   ink_set_free(ink_set *set); /* NULL is allowed */
INK_API size_t ink_set_count(const ink_set *set);
/* Entry `index`, in no order that is promised; the sketch and its label stay the set's. */
INK_API ink_status ink_set_entry(const ink_set *set, size_t index, ink_entry *entry,
                                 ink_error *error);
/* Whether files with different recipes were merged: the set has none then. */
INK_API bool ink_set_recipe_dropped(const ink_set *set);
/* As ink_save and ink_encode do. */
INK_API ink_status ink_set_save(const ink_set *set, const char *path, ink_error *error);
INK_API ink_status ink_set_encode(const ink_set *set, uint8_t **bytes, size_t *count,
                                  ink_error *error);

/* Opens a file of sketches as the command does: read into memory up to 64 MiB, mapped above, every
 * byte checked; "-" is standard input. */
INK_API ink_status ink_sketches_open(ink_file **file, const char *path,
                                     const ink_allocator *allocator, ink_error *error);

/* Reads the recipe of a file, if it has one, into *reading, whose strings are the recipe's: they
 * live until ink_recipe_free. *recipe becomes NULL if the file has none. */
typedef struct ink_recipe ink_recipe;
INK_API ink_status ink_recipe_read(ink_recipe **recipe, const ink_file *file, ink_reading *reading,
                                   ink_error *error);
INK_API void       ink_recipe_free(ink_recipe *recipe);

/* ---- Build -------------------------------------------------------------------------------- */

typedef struct ink_build_options {
    /* One for each kind to make in one pass. Sizes left out of filters (expected_keys and bits are
     * 0) are worked out from the different keys, for each group on its own. Key type, hash, seed
     * and secret must be the same in all; the key type is taken from ink_reading. */
    const ink_params *kinds;
    size_t            kind_count;
    double            headroom; /* plan for so many times as many keys; 0: 1 */
} ink_build_options;

/* Reads all records and makes a sketch of each kind, of each group where reading->by names one.
 * Groups that would take more than job->memory_bytes in kinds whose sketches have a fixed size
 * (count-min, top) are INK_LIMIT, naming both. */
INK_API ink_status ink_build(ink_set **set, const ink_input *inputs, size_t input_count,
                             const ink_reading *reading, const ink_build_options *options,
                             ink_job *job, ink_error *error);

/* ---- Filter: grep for sets ---------------------------------------------------------------- */

/* Where a job writes; returns 0, or an errno, which fails the job with INK_IO, and with os_error.
 */
typedef struct ink_sink {
    int (*write)(void *host, const void *bytes, size_t count);
    void *host;
} ink_sink;

typedef struct ink_filter_options {
    const char *kind;   /* of the entries to ask; NULL: the only filter kind in the file */
    bool        invert; /* pass the records that are surely not in the set */
    bool        first;  /* stop at the first record that passes */
    bool        plain;  /* records are read as `reading` says, whatever the recipe */
    bool        by; /* test each record against the group that it names (reading->by) alone; a group
                       that the file does not have holds nothing */
    const uint8_t *secret; /* of a keyed file */
} ink_filter_options;

typedef struct ink_filter_report {
    const char *kind;
    uint32_t    functions; /* bits that a key sets; 0 if the entries differ */
    uint64_t    set_size;  /* records that were added to the sketches */
    uint64_t    groups; /* that each record was asked of; 0 if the file has none, or options->by */
    uint64_t analysed, admitted, rejected; /* records; admitted are those that may be in the set */
    double   false_groups; /* groups that a stranger is found in by chance: the sum of the rates */
    double   seconds;
} ink_filter_report;

/* Asks for every record whether its key may be in the set and writes those that pass to `sink`
 * (NULL: only counts), as they stand, in the order of the input. Of a file with groups, unless
 * options->by, a record may be in any, and those it may be in come behind it: a tab and their
 * labels, joined by commas; a label with a comma, quote or control character in it, an empty one
 * and one that begins with a parenthesis stand in quotes, as in CSV; "(null)" is the null group,
 * "(none)" a sketch without one. If records have a header, that of the first input comes first.
 * Fields of `reading` that are 0 or NULL are taken from the file's recipe (but `by` only if
 * options->by, and what belongs to a form, as its header and delimiter, only if no form is given).
 * The first record that passes, if only that is wanted, is written alone. */
INK_API ink_status ink_filter(const ink_file *file, const ink_input *inputs, size_t input_count,
                              const ink_reading *reading, const ink_filter_options *options,
                              const ink_sink *sink, ink_filter_report *report, ink_job *job,
                              ink_error *error);

/* ---- Verify: measure what was promised ---------------------------------------------------- */

typedef struct ink_verify_options {
    const ink_input *absent; /* keys that are not in the set, read as the truth is; NULL: other
                                groups' keys, or random ones where there are no groups */
    size_t         absent_count;
    uint64_t       tests_max; /* 0: 2^30; beyond that a sample of keys, equal for every group */
    const uint8_t *secret;
} ink_verify_options;

/* What was found for one entry. A field that does not apply is 0; `answers` says which do. */
typedef struct ink_verdict {
    const char *kind;
    ink_label   label; /* its bytes live as long as the verification */
    bool        membership;
    bool        ok; /* a filter's `false` only marks a rate above the promise or a denied key: see
                       ink_verification_ok */
    uint64_t tested;

    /* Filters: */
    uint64_t false_positives;
    uint64_t denied;          /* true members that the filter denies */
    double   rate, low, high; /* measured, with its 95 % interval */
    double   asked, promised, present;

    /* Other kinds: */
    uint64_t wrong;  /* answers beyond their bounds */
    uint64_t missed; /* top: keys above phi of the total that are not reported */
    double   error; /* the largest one seen: of a count, relative to the total; of a number of keys,
                       to the truth */
    double bound;   /* that was promised */
} ink_verdict;

typedef struct ink_verification ink_verification;

/* Builds nothing: reads the true data and compares. Of a filter every key of the truth that is not
 * the group's own is asked (or options->absent, or random keys), and every one that is must be
 * found. */
INK_API ink_status ink_verify(ink_verification **verification, const ink_file *file,
                              const ink_input *inputs, size_t input_count,
                              const ink_reading *reading, const ink_verify_options *options,
                              ink_job *job, ink_error *error);
INK_API void       ink_verification_free(ink_verification *verification); /* NULL is allowed */
INK_API size_t     ink_verification_count(const ink_verification *verification);
INK_API ink_status ink_verification_row(const ink_verification *verification, size_t index,
                                        ink_verdict *verdict, ink_error *error);

typedef struct ink_verification_summary {
    bool ok; /* no true member denied, no bound broken, and the false positives of all groups
                together are not more than their promises allow, at one-sided alpha 1e-6 */
    uint64_t filters; /* among the sketches */
    uint64_t members; /* different keys of the truth, each asked of the filter of its group */
    uint64_t tested, false_positives, denied;
    double   expected; /* false positives, if every promise were just kept */
    double   limit;    /* above this many it is not ok */
    double   power;    /* the chance to notice rates that are 10 % above the promises */
    bool     sampled;  /* there were more tests than tests_max */
    bool     random;   /* strangers were random keys */
} ink_verification_summary;
INK_API void ink_verification_summarise(const ink_verification   *verification,
                                        ink_verification_summary *summary);

/* ---- Merge and fold ----------------------------------------------------------------------- */

/* The union of the files by kind and label: what stands under one label is merged as
 * ink_sketch_merge does, the rest is taken along. The recipe stays if all share it.
 * job->failed_path tells which file does not fit. */
INK_API ink_status ink_merge_files(ink_set **set, const char *const *paths, size_t path_count,
                                   const ink_merge_options *options, ink_job *job,
                                   ink_error *error);

/* Every entry of a file folded: to the smallest size that keeps `rate`, or if that is 0, by
 * `divisor`. What does not become smaller by a rate stays as it is, with its promise; kinds that
 * cannot be folded are taken along. INK_UNSUPPORTED if nothing can. `path` may be "-", here as in
 * ink_merge_files. */
INK_API ink_status ink_fold_file(ink_set **set, const char *path, double rate, uint64_t divisor,
                                 ink_job *job, ink_error *error);

/* ---- Generate: the data of the examples --------------------------------------------------- */

typedef struct ink_generation {
    const char *kind;    /* "ip", "names", "imdb", "zipf" or "u64"; see ink_generation_kind */
    uint64_t    records; /* 0: the kind's default (imdb: 1,260,817, and no other number) */
    uint64_t    seed;
    double      skew; /* zipf: the exponent; 0: 1.1 */
    uint64_t sample;  /* names: how many of them go to `sample_sink` too, spread evenly by chance */
    const ink_sink *sample_sink; /* NULL if sample is 0 */
} ink_generation;

/* The name of number `index` of what can be generated, and a line about it; NULL past the last one.
 */
INK_API const char *ink_generation_kind(size_t index, const char **about);

/* Writes records to `sink`; the same for the same seed, on every host. */
INK_API ink_status ink_generate(const ink_generation *generation, const ink_sink *sink,
                                ink_job *job, ink_error *error);

/* ---- Files that are written whole or not at all ------------------------------------------- */

/* A file that takes the place of `path` when it is complete, as ink_save does. */
typedef struct ink_output ink_output;
INK_API ink_status        ink_output_begin(ink_output **output, const char *path, ink_error *error);
INK_API ink_status        ink_output_write(ink_output *output, const void *bytes, size_t count,
                                           ink_error *error);
INK_API ink_status        ink_output_commit(ink_output *output,
                                            ink_error  *error);    /* ends it, whatever comes */
INK_API void              ink_output_abandon(ink_output *output); /* NULL is allowed */

/* For a program's signal handlers, and async-signal-safe. Removes the temporary files that calls of
 * this process are writing at this moment. */
INK_API void ink_remove_unfinished(void);
/* The path of the mapped file that `address` lies in (SIGBUS: it was truncated), or NULL. */
INK_API const char *ink_mapped_path(const void *address);

#ifdef __cplusplus
}
#endif

#endif
