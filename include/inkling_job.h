/* inkling_job.h - jobs over data: records in files, splits and pipes, or Arrow columns, go in,
 * sketches or answers come out, on every core. What the command `ink` does is here; the command
 * parses options and prints.
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
    uint64_t  total;   /* ... of this total; 0: unknown, as for a pipe */
    uint64_t  records; /* read so far */
    double    seconds; /* since the job began */
    uint64_t  reserved[4];
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
                                or NULL; error.location INK_AT_LINE counts its records from 1 */
    const char
            *failed_file; /* the file in that folder, such as "state.ink"; NULL: the path itself */
    uint64_t failed_byte; /* and then where that record starts, in the input as it is read */
    uint64_t records;     /* set on success: read ... */
    uint64_t bad;         /* ... and skipped, see ink_reading.skip_bad ... */
    uint64_t nulls;       /* ... or see ink_reading.refuse_nulls */
    uint64_t reserved[8];
} ink_job;

/* ---- Records: where they come from and how they are read ---------------------------------- */

/* The first bytes of an input that show what it is. */
#define INK_LOOK_BYTES 8

/* The Arrow C data interface; programs with Arrow data define these structs. See below. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* A file, "-" for standard input, a FIFO; or a split of a file: the records that start at `offset`
 * or later and before offset + bytes. gzip and zstd are looked through (not in a split). Or a file
 * in HDFS, read over WebHDFS (plain HTTP: neither TLS nor Kerberos), whose path is an address as
 * ink_output_begin has it; such a file must not end before its split does, and in a split that does
 * not begin at 0 errors have byte offsets, since its lines were not counted. */
typedef struct ink_input {
    const char    *path;
    uint64_t       offset;
    uint64_t       bytes;  /* 0: up to the end */
    const uint8_t *memory; /* or memory_bytes bytes that are in memory; path then only names */
    uint64_t       memory_bytes; /* them in errors, and may be NULL; both NULL: no bytes at all */
    /* Of a pipe: bytes that were read of it already, and come first; see ink_inputs_look */
    uint8_t  begun[INK_LOOK_BYTES];
    unsigned begun_bytes;
    /* Or the rows of a stream of Arrow arrays, which a job asks for its schema and pulls, to its
     * end unless the job ends before, by one thread at a time, and leaves to the caller to release;
     * path then only names it. All inputs of a job are Arrow, or none. */
    struct ArrowArrayStream *arrow;
    /* Of records with a header (ink_reading.header), where others have seen it already, as of a
     * part of a file: the line that names the columns, without its end. NULL: the first record of
     * the input does. */
    const char *header;
    bool        header_apart; /* it is not in the input, whose first record is as all others */
    uint64_t    reserved[4];
} ink_input;

typedef enum ink_form {
    INK_FORM_DEFAULT = 0, /* as the input spec says, else by the first path's suffix (.csv, .tsv,
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

typedef enum ink_time_unit {
    INK_TIME_SECONDS = 0, /* also with decimals */
    INK_TIME_MILLISECONDS,
    INK_TIME_MICROSECONDS,
    INK_TIME_NANOSECONDS,
} ink_time_unit;

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
    const char        *weight;    /* the column with the weight of a record; NULL: once */
    const char        *time;      /* the column with the time, in streams with a window; NULL: when
                                     it arrives */
    ink_time_unit time_unit;      /* of times that are numbers since 1970 UTC */
    bool          skip_bad;       /* a record that cannot be read is counted, not a failure */
    bool refuse_nulls; /* Arrow: a row whose key or weight is null is a failure, INK_MISMATCH;
                          otherwise it is counted and left out */
    uint64_t reserved[8];
} ink_reading;

/* ---- Sets of sketches: what building and merging give ------------------------------------- */

/* Labelled sketches in memory, and the input spec that they were made by, ready to be saved as one
 * file.
 */
typedef struct ink_set ink_set;

INK_API void   ink_set_free(ink_set *set); /* NULL is allowed */
INK_API size_t ink_set_count(const ink_set *set);
/* Entry `index`; the entries of one kind stand in order of label. The sketch and its label stay the
 * set's. */
INK_API ink_status ink_set_entry(const ink_set *set, size_t index, ink_entry *entry,
                                 ink_error *error);
/* Whether files with different input specs were merged: the set has none then. */
INK_API bool ink_set_input_spec_dropped(const ink_set *set);
/* Takes the sketch of entry `index` out of the set: the caller owns it, and the entries after it
 * move up. INK_UNSUPPORTED if it is a view of a file that the set has open; INK_NOT_FOUND past the
 * last one. */
INK_API ink_status ink_set_take(ink_set *set, size_t index, ink_sketch **sketch, ink_error *error);
/* The input spec, as a section to be saved with sketches that were taken; its bytes stay the set's.
 * INK_NOT_FOUND if the set has none. */
INK_API ink_status ink_set_input_spec(const ink_set *set, ink_section *section, ink_error *error);
/* Drops the entries whose label `wanted` does not want. */
INK_API void ink_set_keep(ink_set *set, bool (*wanted)(void *host, const ink_label *label),
                          void    *host);
/* How many columns make a key, with 2 or more it is a tuple; 0 without an input spec. */
INK_API size_t ink_set_key_columns(const ink_set *set);
/* Takes the next field off a key that is a tuple (docs/keys.md); false if there is none, or if it
 * is cut. */
INK_API bool ink_tuple_next(const uint8_t **key, size_t *key_bytes, const uint8_t **field,
                            size_t *field_bytes);
/* As ink_save and ink_encode do. */
INK_API ink_status ink_set_save(const ink_set *set, const char *path, ink_error *error);
INK_API ink_status ink_set_encode(const ink_set *set, uint8_t **bytes, size_t *count,
                                  ink_error *error);

/* Opens a file of sketches as the command does: read into memory up to 64 MiB, mapped above, every
 * byte checked. "-" is standard input; from that and from other pipes it is read to the end. */
INK_API ink_status ink_sketches_open(ink_file **file, const char *path,
                                     const ink_allocator *allocator, ink_error *error);

/* Reads the input spec of a file, if it has one, into *reading, whose strings are the input spec's:
 * they live until ink_input_spec_free. *input spec becomes NULL if the file has none. */
typedef struct ink_input_spec ink_input_spec;
INK_API ink_status            ink_input_spec_read(ink_input_spec **input_spec, const ink_file *file,
                                                  ink_reading *reading, ink_error *error);
INK_API void                  ink_input_spec_free(ink_input_spec *input_spec);
/* Fills what `reading` leaves open from an input spec, as jobs do that are given a file: fields
 * that are 0 or NULL, but what belongs to a form, as its header and delimiter, only if no form is
 * given, and `by` with its rounding only if `with_by`; `time`, which only streams look at, never.
 */
INK_API void ink_reading_complete(ink_reading *reading, const ink_reading *input_spec,
                                  bool with_by);

/* The form that is given, or that the suffixes of the inputs stand for; INK_USAGE if these differ.
 */
INK_API ink_status ink_reading_form(const ink_reading *reading, const ink_input *inputs,
                                    size_t input_count, ink_form *form, ink_error *error);

/* ---- Build -------------------------------------------------------------------------------- */

typedef struct ink_build_options {
    /* One for each kind to make in one pass. Sizes left out of filters (expected_keys and bits are
     * 0) are worked out from the different keys, for each group on its own. Key type, hash, seed
     * and secret must be the same in all; the key type is taken from ink_reading. */
    const ink_params *kinds;
    size_t            kind_count;
    double            headroom; /* plan for this multiple of the keys; 0: 1 */
    uint64_t          reserved[4];
} ink_build_options;

/* Reads all records and makes a sketch of each kind, of each group where reading->by names one.
 * Groups that would take more than job->memory_bytes in kinds whose sketches have a fixed size
 * (count-min) or keep keys (top) are INK_LIMIT, naming both. */
INK_API ink_status ink_build(ink_set **set, const ink_input *inputs, size_t input_count,
                             const ink_reading *reading, const ink_build_options *options,
                             ink_job *job, ink_error *error);

/* ---- Add a batch --------------------------------------------------------------------------- */

/* Adds keys that are in memory to one sketch, as ink_sketch_add_batch does, on job->threads
 * threads, with the same bytes as result: worth it from some 100,000 keys on. A small sketch is
 * filled in copies, one for each thread, which are merged; of a bloom or counting that the caches
 * do not hold each thread fills a part, with the memory that ink_sketch_add_batch has for that;
 * there are no copies of other kinds that have more than 4 bytes for each key. What has one writer
 * (scalable, top, conservative count-min) takes the keys on one thread, in order, and so does every
 * sketch where memory or threads are refused. Of the job threads and allocator are used, and
 * records are set. */
INK_API ink_status ink_add_batch(ink_sketch *sketch, const ink_batch *batch, ink_job *job,
                                 ink_error *error);

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
    bool        plain;  /* records are read as `reading` says, not by the input spec */
    bool        by; /* test each record against the group that it names (reading->by) alone; a group
                       that the file does not have holds nothing */
    size_t         last;   /* of a group with time slots only this many, the newest; 0: all */
    const uint8_t *secret; /* of a keyed file */
    uint64_t       reserved[4];
} ink_filter_options;

typedef struct ink_filter_report {
    const char *kind;
    uint32_t    functions; /* bits that a key sets; 0 if the entries differ */
    uint64_t    set_size;  /* records that were added to the sketches */
    uint64_t
        groups; /* that each record was tested against; 0 if the file has none, or options->by */
    uint64_t analysed, admitted, rejected; /* records; admitted are those that may be in the set */
    double false_groups; /* groups that a non-member is found in by chance: the sum of the rates */
    double seconds;
    uint64_t reserved[4];
} ink_filter_report;

/* Asks for every record whether its key may be in the set and writes those that pass to `sink`
 * (NULL: only counts), as they stand, in the order of the input. Of a file with groups, unless
 * options->by, a record may be in any, and those it may be in follow it: a tab and their
 * labels, joined by commas; a label with a comma, quote or control character in it, an empty one
 * and one that begins with a parenthesis stand in quotes, as in CSV; "(null)" is the null group,
 * "(none)" a sketch without one. If records have a header, that of the first input comes first.
 * Fields of `reading` that are 0 or NULL are taken from the file's input spec (but `by` only if
 * options->by, and what belongs to a form, as its header and delimiter, only if no form is given).
 * The first record that passes, if only that is wanted, is written alone. */
INK_API ink_status ink_filter(const ink_file *file, const ink_input *inputs, size_t input_count,
                              const ink_reading *reading, const ink_filter_options *options,
                              const ink_sink *sink, ink_filter_report *report, ink_job *job,
                              ink_error *error);

/* ---- Verify: measure what was promised ---------------------------------------------------- */

typedef struct ink_verify_options {
    const ink_input *absent; /* keys that are not in the set, read as the true data; NULL: other
                                groups' keys, or random ones where there are no groups */
    size_t         absent_count;
    uint64_t       tests_max; /* 0: 2^30; beyond that a sample of keys, equal for every group */
    const uint8_t *secret;
    uint64_t       reserved[4];
} ink_verify_options;

/* What was found for one entry. A field that does not apply is 0; `answers` says which do. */
typedef struct ink_verify_result {
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
    double   target, promised, current;

    /* Other kinds: */
    uint64_t wrong;  /* answers beyond their bounds */
    uint64_t missed; /* top: keys above phi of the total that are not reported */
    double   error; /* the largest one seen: of a count, relative to the total; of a number of keys,
                       to the true number */
    double   bound; /* that was promised */
    uint64_t reserved[4];
} ink_verify_result;

typedef struct ink_verification ink_verification;

/* Builds nothing: reads the true data and compares. Of a filter every true key that is not
 * the group's own is tested (or options->absent, or random keys), and every one that is must be
 * found. */
INK_API ink_status ink_verify(ink_verification **verification, const ink_file *file,
                              const ink_input *inputs, size_t input_count,
                              const ink_reading *reading, const ink_verify_options *options,
                              ink_job *job, ink_error *error);
INK_API void       ink_verification_free(ink_verification *verification); /* NULL is allowed */
INK_API size_t     ink_verification_count(const ink_verification *verification);
INK_API ink_status ink_verification_row(const ink_verification *verification, size_t index,
                                        ink_verify_result *result, ink_error *error);

typedef struct ink_verification_summary {
    bool ok; /* no true member denied, no bound broken, and the false positives of all groups
                together are not more than their promises allow, at one-sided alpha 1e-6 */
    uint64_t filters; /* among the sketches */
    uint64_t members; /* different keys of the true data, each tested with its group's filter */
    uint64_t tested, false_positives, denied;
    double   expected; /* false positives, if every promise were just kept */
    double   limit;    /* above this many it is not ok */
    double   power;    /* the chance to notice rates that are 10 % above the promises */
    bool     sampled;  /* there were more tests than tests_max */
    bool     random;   /* non-members were random keys */
    uint64_t reserved[4];
} ink_verification_summary;
INK_API void ink_verification_summarise(const ink_verification   *verification,
                                        ink_verification_summary *summary);
/* The number of records of the true data. */
INK_API uint64_t ink_verification_records(const ink_verification *verification);

/* ---- Questions: how often, which are the most frequent, how many different ---------------- */

/* Whether the inputs are files of sketches, all of them, or records, all of them: looks at the
 * first bytes of each. INK_USAGE, with job->failed_path, if they are mixed; INK_FORMAT if a file is
 * named .ink and does not begin as one. What it must read of standard input, or of another pipe of
 * the process (/dev/fd/N), is kept in the input, so that nothing is lost; a FIFO, which can be
 * opened but once, is not looked at and taken for records. */
INK_API ink_status ink_inputs_look(ink_input *inputs, size_t input_count, bool *sketches,
                                   ink_job *job, ink_error *error);

typedef struct ink_union_options {
    ink_question question; /* not INK_ASK_MEMBER */
    const char  *kind;     /* to ask; NULL: of those that all files have the one that answers best,
                              see ink_kind_info.ranks */
    size_t         last;   /* of a group with time slots only this many, the newest; 0: all */
    const uint8_t *secret; /* of keyed files */
    uint64_t       reserved[4];
} ink_union_options;

/* The sketches of files that answer a question, merged by group over all files and all slots of a
 * group, without a limit of the rate: a set to ask with ink_sketch_count, _top, _distinct or _dot,
 * in order of label, without slots. INK_UNSUPPORTED if a file has no kind that answers, INK_USAGE
 * if there are two filter kinds and no choice was made. job->failed_path names the file that it is
 * about. */
INK_API ink_status ink_union_files(ink_set **set, const ink_input *inputs, size_t input_count,
                                   const ink_union_options *options, ink_job *job,
                                   ink_error *error);

/* A key and how often it was seen, in one group. The pointers are good during the call. */
typedef struct ink_count_row {
    const char *kind;
    ink_label   label;
    const void *key; /* as it stands in the record: of an integer its digits */
    size_t      key_bytes;
    ink_answer  count;
    uint64_t    reserved[2];
} ink_count_row;

/* Where counts go; returns 0, or an errno, which fails the job with INK_IO. Called by one thread at
 * a time. `end` is called when no more rows are there for now, as after the last one, or while a
 * slow pipe has no further key; may be NULL. */
typedef struct ink_count_sink {
    int (*row)(void *host, const ink_count_row *row);
    int (*end)(void *host);
    void *host;
} ink_count_sink;

/* Asks a set of sketches of one kind (of ink_union_files, or ink_build) how often each key of the
 * inputs was seen: rows in the order of the keys, for each key in that of groups. `reading` states
 * how keys are read; the input spec of the sketches is not used. If it names groups (`by`), each
 * key is counted in its own group only, and a group that the set does not have counts 0. */
INK_API ink_status ink_count_keys(const ink_set *set, const ink_input *keys, size_t key_count,
                                  const ink_reading *reading, const ink_count_sink *sink,
                                  ink_job *job, ink_error *error);

/* ---- Uniq: the first record of each key ---------------------------------------------------- */

typedef struct ink_uniq_options {
    uint64_t expected_keys; /* different keys to plan for; 0: as many as there would be records if
                               all bytes were like the first chunk of them, and an eighth more; if
                               the size cannot be known (pipes, compressed files), as many as all
                               memory has room for */
    double         rate;    /* of taking a new key for a seen one, with that many keys; 0: 1e-4 */
    uint64_t       seed;    /* as in ink_params */
    bool           explicit_seed;
    const uint8_t *secret;
    bool           invert; /* the records that repeat a key, instead of the first ones */
    uint64_t       reserved[4];
} ink_uniq_options;

typedef struct ink_uniq_report {
    uint64_t records;
    uint64_t first;     /* of these the first with their key; the rest repeat one, or seem to: */
    double   lost;      /* first ones that were taken for repeats: the expected number, */
    uint64_t lost_high; /* and not more than this, with a chance of 1 - 1e-6, unless keys were
                           chosen against a seed that is known (a secret helps); as many as lost
                           if nothing is known, as of a full filter: all that seem to repeat */
    uint64_t expected_keys; /* planned for ... */
    uint64_t bytes;         /* ... in this much memory; both are 0 if there were no records */
    double   rate;          /* the current one, from the bits of the filter */
    double   seconds;
    uint64_t reserved[4];
} ink_uniq_report;

/* Writes the first record of each key to `sink` (NULL: only counts), in the order of the input, in
 * one pass, with a bloom that has a fixed size: at most job->memory_bytes (0: 1 GiB, or 64 MiB if
 * the size of the inputs cannot be known). More keys than planned for cost more first ones, which
 * the report states; with one size it is the same for any number of threads and however a pipe
 * delivers. Records as ink_filter writes them, the header of the first input first. What is written
 * is the first record of its key for sure (inverted: perhaps not a repeat). INK_LIMIT if
 * options->expected_keys do not fit into the memory; groups and weights are INK_USAGE, as are rates
 * and numbers of keys that no bloom has. */
INK_API ink_status ink_uniq(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                            const ink_uniq_options *options, const ink_sink *sink,
                            ink_uniq_report *report, ink_job *job, ink_error *error);

/* ---- Add and remove ----------------------------------------------------------------------- */

typedef struct ink_update_options {
    bool           remove;   /* take the keys out, instead of adding them */
    bool           once;     /* add only keys that the filters do not seem to hold */
    double         max_rate; /* as in ink_merge_options: the rate that filters may come to have */
    const uint8_t *secret;
    uint64_t       reserved[4];
} ink_update_options;

enum { INK_ABSENT_KEYS = 5, INK_ABSENT_KEY_BYTES = 64 };

/* A key that was to be removed and is not in. */
typedef struct ink_absent_key {
    const char *path;                      /* of the input */
    uint64_t    line;                      /* and the record's number there, from 1 */
    uint8_t     key[INK_ABSENT_KEY_BYTES]; /* the first bytes of the key, as many as fit */
    size_t      key_bytes;                 /* that it has; an integer stands in digits */
    bool        fewer;                     /* it is in, but not as often as it is to be removed */
} ink_absent_key;

typedef struct ink_update_report {
    uint64_t changed;      /* records that were added or removed; with `once`, that were new */
    uint64_t sketches;     /* that changed */
    uint64_t made;         /* of these, for groups that the file did not have */
    uint64_t stuck;        /* removed: records whose key stays in for good, as it was added more
                              often than its counters can count */
    uint64_t       absent; /* records whose key is not in; the first ones: */
    ink_absent_key absent_keys[INK_ABSENT_KEYS];
    size_t         key_columns; /* of a key; 2 or more make a tuple, see ink_tuple_next */
    bool           grouped;     /* the file has groups, and each key belongs to one */
    uint64_t       reserved[4];
} ink_update_report;

/* Adds the keys of records to every sketch of a file, each to those of its group, or removes them,
 * and replaces the file as ink_save does, whole or not at all. The result is that of adding the
 * records one by one. Records are read as the file's input spec says; fields of `reading` go
 * before. A file with groups needs the column that names them, one without takes none. If no record
 * changes anything the file stays as it is. `path` may not be "-".
 *
 * The file: it must be one that can be written, in a folder that takes new ones. The new file has
 * the mode, the owner and the group of the old one; INK_IO, before data is read, if these cannot be
 * kept. A symbolic link stays, and what it points to is replaced; other hard links keep the old
 * file. Sections stay, but for the position of a stream: such a file is INK_UNSUPPORTED, as are
 * those with time slots, with groups and without at once, and empty ones.
 *
 * Several at once: the file is locked from before it is read until it has been replaced. Of two
 * updates the second waits for the first, however long, and both count; this wait reports no
 * progress and cannot be stopped by it. Other writers of the file do not wait: INK_IO if it was
 * written, replaced or removed by the time all records are read, and what is there then stays.
 *
 * Promises: INK_PROMISE if a filter would exceed its promised rate, or max_rate where that is
 * given, which becomes the promise of the filters that change or are new where it is larger.
 *
 * Removing: INK_NOT_FOUND if a key is not in, and then nothing changes.
 *
 * New groups: one that the file does not have is made, with the parameters of the first sketch of
 * its kind, if its size does not depend on keys, else INK_UNSUPPORTED. New groups, and what other
 * sketches grow by, of a file without groups too, may take job->memory_bytes, else INK_LIMIT.
 *
 * On failure job->failed_path is the input that it is about, or else `path` (but NULL if the job
 * was stopped, or options do not go together), and the report shows no change; report->absent
 * and what follows it are set as far as they are known. */
INK_API ink_status ink_update(const char *path, const ink_input *inputs, size_t input_count,
                              const ink_reading *reading, const ink_update_options *options,
                              ink_update_report *report, ink_job *job, ink_error *error);

/* ---- Arrow: keys that stand in columns ------------------------------------------------------ */

/* An ArrowSchema and an ArrowArray of it say what the keys are: the array is the key column itself,
 * or a struct whose children are columns, of which `reading` names the key (one that has a single
 * child needs no name), the group (by) and the weight, by name or by number from 1. `reading` may
 * be NULL; its `keys` is only compared, and what is for records (form, delimiter, blanks, header,
 * multiline, skip_bad) is INK_USAGE. Nothing is copied that need not be, nothing is kept, nothing
 * is released; memory for the time of the call comes from the sketch's allocator, which several
 * threads then call at once if they ask one sketch.
 *
 * docs/keys.md states which column type makes which key: integers of any width, dates and
 * timestamps are ints; strings and binary, also large, fixed-size and views, are bytes;
 * dictionaries are what they decode to; several columns are a tuple. What cannot be a key is
 * INK_UNSUPPORTED, by the name of its type. A null in a key or weight: see
 * ink_reading.refuse_nulls; a null group is the null group. INK_FORMAT if the structs contradict
 * themselves (their buffers have no sizes: offsets, and the number of buffers of views, are
 * believed); INK_LIMIT for a key of 2^31 bytes or more, or 2^27 as a part of a tuple. Errors about
 * a row have its number in the array, from 0, as INK_AT_KEY.
 *
 * Each call looks at the whole array before it changes anything. */

typedef struct ink_arrow_report {
    uint64_t rows;  /* of the array that were gone through, from its first on ... */
    uint64_t nulls; /* ... and how many of these were left out */
    uint64_t reserved[4];
} ink_arrow_report;

/* What the keys of such arrays are. */
INK_API ink_status ink_arrow_key_type(const struct ArrowSchema *schema, const ink_reading *reading,
                                      ink_key_type *type, ink_error *error);

/* Add or remove the keys of all rows, as ink_sketch_add_batch, ink_sketch_add_new_batch and
 * ink_sketch_remove_batch do with a batch of them, and refuse what these refuse, also if there are
 * no rows; groups are INK_USAGE. was_new[i] is that of row i, 0 for a null, and may be NULL.
 * `report` may be NULL. On INK_MEMORY and INK_LIMIT, which a sketch that grows may meet on the way,
 * the first report->rows rows were added; after other failures, and if nothing could be removed,
 * the sketch is as it was and report->rows is 0. */
INK_API ink_status ink_arrow_add(ink_sketch *sketch, const struct ArrowSchema *schema,
                                 const struct ArrowArray *array, const ink_reading *reading,
                                 ink_arrow_report *report, ink_error *error);
INK_API ink_status ink_arrow_add_new(ink_sketch *sketch, const struct ArrowSchema *schema,
                                     const struct ArrowArray *array, const ink_reading *reading,
                                     uint8_t *was_new, ink_arrow_report *report, ink_error *error);
INK_API ink_status ink_arrow_remove(ink_sketch *sketch, const struct ArrowSchema *schema,
                                    const struct ArrowArray *array, const ink_reading *reading,
                                    ink_arrow_report *report, ink_error *error);

/* ink_arrow_add on the threads of a job, as ink_add_batch has it. Threads share the rows where keys
 * stand in the array as they do in a batch: integers of 64 bits, or strings with offsets of 64,
 * without nulls and weights. Other arrays are read by one thread. job->records and job->nulls are
 * what ink_arrow_add reports as rows and nulls, on failure, too. */
INK_API ink_status ink_add_array(ink_sketch *sketch, const struct ArrowSchema *schema,
                                 const struct ArrowArray *array, const ink_reading *reading,
                                 ink_job *job, ink_error *error);

/* Set answers[i] for row i: 1 if its key may be in the sketch, else 0; how often it was added. A
 * null is in no sketch: 0, or all zero with confidence 1. Groups and weights are refused. */
INK_API ink_status ink_arrow_contains(const ink_sketch *sketch, const struct ArrowSchema *schema,
                                      const struct ArrowArray *array, const ink_reading *reading,
                                      uint8_t *answers, ink_arrow_report *report, ink_error *error);
INK_API ink_status ink_arrow_count(const ink_sketch *sketch, const struct ArrowSchema *schema,
                                   const struct ArrowArray *array, const ink_reading *reading,
                                   ink_answer *answers, ink_arrow_report *report, ink_error *error);

/* The filters of a file, prepared for repeated queries of rows by any number of threads
 * at once, which then call `allocator` at once, too. Of `options` kind, by, last and secret are
 * used, and what cannot be queried is refused as by ink_filter. The file must outlive them. */
typedef struct ink_arrow_filters ink_arrow_filters;
INK_API ink_status ink_arrow_filters_open(ink_arrow_filters **filters, const ink_file *file,
                                          const ink_filter_options *options,
                                          const ink_allocator *allocator, ink_error *error);
INK_API void       ink_arrow_filters_close(ink_arrow_filters *filters); /* NULL is allowed */

/* Sets answers[i] to 1 if the key of row i may be in any group, or, if options->by said so, in the
 * one that the row names (reading->by, which is INK_USAGE otherwise); else, and for a null, to 0. A
 * group that the file does not have holds nothing. */
INK_API ink_status ink_arrow_filters_rows(const ink_arrow_filters  *filters,
                                          const struct ArrowSchema *schema,
                                          const struct ArrowArray  *array,
                                          const ink_reading *reading, uint8_t *answers,
                                          ink_arrow_report *report, ink_error *error);

/* ---- A build in pieces: on many machines -------------------------------------------------- */

/* ink_map is the first part of a build: it reads records and gives what it keeps of them as pieces,
 * bytes that can be sent anywhere, each for one of several buckets. A reducer is the second part:
 * it takes the pieces of a bucket, from all maps, in any order, each once, and gives finished
 * sketches, as pieces again. An assembly takes these, of all buckets, and writes one file: that of
 * ink_build over all inputs, with the same digest (of kinds whose bytes depend on order: with the
 * same promises).
 *
 *     every map:     ink_map(inputs, ...)                          -> pieces, by bucket
 *     every bucket:  ink_reducer_open, _add(piece)..., _finish     -> pieces
 *     once:          ink_assembly_open, _add(piece)..., _save      -> a file
 *
 * ink_pieces_plan_for says how it is best done. Where sizes follow from all keys, and no reducer
 * has them all, there are steps before:
 *
 *     plan.count:    every map: ink_map_count                      -> pieces
 *                    once: ink_sizes_open, _add(piece)..., _encode -> bytes, for every task: the
 *                    numbers of records of all groups, which are options.counts of all that follows
 *     plan.measure:  every map: ink_map                            -> pieces, by bucket, to be kept
 *                    every bucket: a reducer, _add(piece)..., _measure -> pieces
 *                    once: ink_sizes_open, _add(piece)..., _encode -> bytes, for every task: the
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
    int (*take)(void *host, uint32_t bucket, const uint8_t *bytes, size_t count);
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
INK_API ink_status         ink_reducer_open(ink_reducer **reducer, const ink_reading *reading,
                                            const ink_pieces_options *options, const ink_job *job,
                                            ink_error *error);
INK_API void               ink_reducer_close(ink_reducer *reducer); /* NULL is allowed */
/* A piece that fails when some of it was added spoils the reducer: it says so then, with INK_USAGE,
 * and a new one is needed; otherwise it is as it was. Where buckets are ranges, a piece of another
 * one than those before is INK_MISMATCH. */
INK_API ink_status ink_reducer_add(ink_reducer *reducer, const uint8_t *piece, size_t count,
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
INK_API ink_status ink_sizes_open(ink_sizes **sizes, const ink_allocator *allocator,
                                  ink_error *error);
INK_API void       ink_sizes_close(ink_sizes *sizes); /* NULL is allowed */
/* Takes a piece of ink_map_count or of ink_reducer_measure, or what _encode gave. A failure in the
 * middle of a piece may leave a part of it added: new sizes are needed then. */
INK_API ink_status ink_sizes_add(ink_sizes *sizes, const uint8_t *piece, size_t count,
                                 ink_error *error);
/* What was added, as one piece; give it back with ink_bytes_free and the same allocator. */
INK_API ink_status ink_sizes_encode(const ink_sizes *sizes, uint8_t **bytes, size_t *count,
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
/* Takes a piece that a reducer finished. A failure in the middle of one with slices may spoil the
 * assembly: it says so then, with INK_USAGE, and a new one is needed; otherwise it is as it was. */
INK_API ink_status ink_assembly_add(ink_assembly *assembly, const uint8_t *piece, size_t count,
                                    ink_error *error);
/* Writes all sketches as ink_save does, with the input spec of `reading` for records of such
 * inputs; none if `reading` is NULL. Nothing can be added any more; may be called again.
 * INK_FORMAT, naming the group and the byte, if a slice of a large sketch did not come. */
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
 *     once:          ink_verification_open, _add(bytes)...           -> the verification
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
INK_API ink_status ink_verification_open(ink_verification **verification, const ink_file *file,
                                         uint32_t buckets, const uint8_t *secret,
                                         const ink_allocator *allocator, ink_error *error);

/* What was counted, in 24 bytes for each row and some more, as bytes that can be sent anywhere;
 * give them back with ink_bytes_free and the same allocator. INK_USAGE for what ink_verify made. */
INK_API ink_status ink_verification_encode(const ink_verification *verification, uint8_t **bytes,
                                           size_t *count, ink_error *error);

/* Adds what was counted for one bucket, or for several that were added up before: rows and summary
 * are then those of all that is in, as if ink_verify had read it at once. INK_FORMAT if the bytes
 * are damaged; INK_MISMATCH if they are of another file, of another number of buckets or by another
 * version of the library; INK_USAGE if a bucket is in already. The verification is then as it was.
 */
INK_API ink_status ink_verification_add(ink_verification *verification, const uint8_t *bytes,
                                        size_t count, ink_error *error);

/* Whether a bucket is not in yet, and which is the first of these. As long as there is one the
 * summary is not ok. False for what ink_verify made. */
INK_API bool ink_verification_lacks(const ink_verification *verification, uint32_t *bucket);

/* ---- Streams: train and ask at the same time ----------------------------------------------- */

/* Records that arrive go to sketches, batch by batch; questions that arrive meanwhile are answered
 * from the last complete batch. After a batch the sketches, and how far the data was read, are
 * saved as one file, state.ink in a folder, by one rename: at all times it is a whole file of
 * sketches. However it ended, the next stream on this folder goes on from there. Of files each
 * record is counted once, and the result has the bytes of a stream that was never interrupted (by
 * batches of time, of order-free kinds); of pipes and connections the batch can be lost that
 * was not saved, and what had arrived after it, at most 1 MiB.
 *
 *     ink_stream_open(&stream, ...)    the folder is ours, listeners listen
 *     ink_stream_run(stream, &error)   to the end of the data and of the questions
 *     ink_stream_close(stream)
 *
 * Data and questions come from a file, "-" for standard input, a FIFO, or from clients of
 * "tcp://HOST:PORT" (HOST in numbers, "localhost", or none: loopback; port 0: any that is free) or
 * "unix:PATH". */
typedef struct ink_stream      ink_stream;
typedef struct ink_stream_view ink_stream_view;

/* Events of a stream that its caller is notified of. */
typedef enum ink_stream_event {
    INK_STREAM_BATCH,     /* a batch is complete */
    INK_STREAM_SAVED,     /* and one is on disk */
    INK_STREAM_NOT_SAVED, /* it could not be saved, `text` says why; the next batch tries again */
    INK_STREAM_FULL,      /* a filter has passed the rate that it promises */
    INK_STREAM_RENEWED,   /* and was emptied: its keys are forgotten */
    INK_STREAM_REPLACED,  /* a file that is followed was replaced by another */
    INK_STREAM_REFUSED,   /* a connection was closed, for what it sent */
    INK_STREAM_RESUMED, /* the stream goes on where it was saved; or cannot, for data that are gone
                         */
} ink_stream_event;

/* How a stream is doing. Numbers of records are since the state began, also over several runs. */
typedef struct ink_stream_report {
    uint64_t batches; /* that are complete */
    uint64_t records; /* in them ... */
    uint64_t bad;     /* ... and left out: unreadable, see ink_reading.skip_bad */
    uint64_t late;    /* ... or before the window */
    uint64_t cut;     /* ... or not whole when their connection broke */
    uint64_t saved_batches, saved_records;       /* of these, on disk */
    uint64_t questions;                          /* that were answered, in this run */
    uint64_t train_connections, ask_connections; /* that are open */
    bool     ended;   /* the data have ended, and all of them are in complete batches */
    bool     timed;   /* there is a window, and something in it: */
    int64_t  newest;  /* the latest time of a record, in microseconds since 1970 UTC */
    double   seconds; /* since the run began */
    uint64_t
        run_records; /* of all records, those of this run, batches that are not complete included */
    double passed_rate; /* of the filter that passed its promise last, in this run, as it was then;
                           0: none has */
    uint64_t reserved[8];
} ink_stream_report;

typedef struct ink_stream_options {
    const char *const *train; /* where data comes from: one address, or several files, which are
                                 read one after another */
    size_t      train_count;
    const char *ask;    /* where questions come from; NULL: nowhere */
    const char *folder; /* is made if it is not there */
    bool        follow; /* the last file is read on as it grows, also when another replaces it */

    const ink_params
            *kinds; /* as for ink_build; of filters, but scalable, the size must be known */
    size_t   kind_count;
    uint64_t every_records;      /* a batch ends after this many records, or ... */
    uint64_t every_microseconds; /* ... this long after it began, if it has any; both 0: a second */
    uint64_t checkpoint_batches; /* one in this many is saved, and the last one; 0: each */
    uint64_t window_microseconds; /* 0: no window, else sketches cover this time ... */
    uint32_t slots;               /* ... in this many slots; 0: 10 */
    bool     renew; /* a filter that has passed its promise is begun anew (not with a window) */
    bool     views; /* ink_stream_view_take is called; asking implies it */

    /* Answers a question (a line without its end) from a view: writes one line, or none, with its
     * end, to `to`. A failure is written as the line "ERR message". Called by one thread at a
     * time. Questions from a file or standard input are asked when the data have ended, if they
     * ever do, else when the first batch is complete; others at once (from an empty view if need
     * be). */
    ink_status (*answer)(void *host, const ink_stream_view *view, const uint8_t *question,
                         size_t bytes, const ink_sink *to, ink_error *error);
    const ink_sink *answers; /* where answers go, but those to a connection */
    /* Reports an event; `text` is NULL or describes it. Called by one
     * thread at a time. May be NULL. */
    void (*notify)(void *host, ink_stream_event event, const ink_stream_report *report,
                   const char *text);
    void    *host;
    uint64_t reserved[8];
} ink_stream_options;

/* Makes or loads the state, and holds the folder: INK_IO names the process that holds it already.
 * INK_MISMATCH if the state is of other sketches or columns than these; INK_FORMAT if it is
 * damaged; INK_IO if an address cannot be listened at. `reading`, `options`, and what they point to
 * must outlive the stream, as `job`, of which threads, memory and progress are not used.
 * job->failed_path names the path or address that a failure is about, here and below. */
INK_API ink_status ink_stream_open(ink_stream **stream, const ink_reading *reading,
                                   const ink_stream_options *options, ink_job *job,
                                   ink_error *error);

/* Runs to the end: of the data, if they end, and of the questions, if they end; or until
 * ink_stream_stop. What was read is then in a complete batch, and saved. A bad record ends it
 * (INK_FORMAT), unless skipped: what came before is saved. From a connection it ends only that. */
INK_API ink_status ink_stream_run(ink_stream *stream, ink_error *error);

/* Lets ink_stream_run end soon, as if the data had ended: of files what was not taken in is left to
 * the next run. For other threads and signal handlers. */
INK_API void ink_stream_stop(ink_stream *stream);

/* Gives the folder free; NULL is allowed. Views must be released before. */
INK_API void ink_stream_close(ink_stream *stream);

/* The address that is listened at, with the port that was found, or as it was given. */
INK_API const char *ink_stream_train_address(const ink_stream *stream);
INK_API const char *ink_stream_ask_address(const ink_stream *stream);

/* How the stream is doing at this moment; for any thread. */
INK_API void ink_stream_now(ink_stream *stream, ink_stream_report *report);

/* The last complete batch, for any thread: it stays as it is until it is released. Before the first
 * batch its sketches are as they were loaded, or empty. NULL without options->views. */
INK_API const ink_stream_view *ink_stream_view_take(ink_stream *stream);
INK_API void                   ink_stream_view_release(const ink_stream_view *view);
/* How the stream was when the batch was complete. */
INK_API const ink_stream_report *ink_stream_view_report(const ink_stream_view *view);
/* Its sketches, one for each kind in the order of options; over a window the union of its slots.
 * They stay the view's. INK_NOT_FOUND past the last one. */
INK_API size_t     ink_stream_view_count(const ink_stream_view *view);
INK_API ink_status ink_stream_view_sketch(const ink_stream_view *view, size_t index,
                                          const ink_sketch **sketch, ink_error *error);
/* The current rate of sketch number `index`, a filter, as of ink_sketch_rate, but computed
 * once for each view. */
INK_API ink_status ink_stream_view_rate(const ink_stream_view *view, size_t index, double *rate,
                                        ink_error *error);

/* ---- Streams: the query protocol ----------------------------------------------------------- */

/* The answer to one question, from a view; what a pointer names lives during the call. */
typedef struct ink_query_answer {
    const ink_stream_view *view;
    const ink_sketch *sketch; /* that answers; NULL: the question is INFO, about all of the view */
    size_t            index;  /* of that sketch in the view */
    ink_description   description; /* of it */
    ink_question      question;
    /* INK_ASK_MEMBER and INK_ASK_COUNT: the key as it stands in the question, and as sketches have
     * it, a tuple (ink_tuple_next) if it has several columns, or the digits of an integer. */
    const uint8_t *query, *key;
    size_t         query_bytes, key_bytes;
    bool           seen;   /* INK_ASK_MEMBER: it may have been; false is certain */
    ink_answer     number; /* INK_ASK_COUNT, INK_ASK_DISTINCT */
    /* INK_ASK_TOP: as ink_sketch_top gives them, and how many were asked for. */
    const ink_item *items;
    size_t          item_count, wanted;
    uint64_t        reserved[4];
} ink_query_answer;

typedef struct ink_query_options {
    size_t               key_columns; /* 2 or more: a key has this many fields, with tabs between */
    const ink_allocator *allocator;   /* NULL means malloc */
    /* Writes an answer to `to`: a line with its end, or nothing. */
    ink_status (*write)(void *host, const ink_query_answer *answer, const ink_sink *to,
                        ink_error *error);
    /* Shows bytes of a question in a message, cut to `room`; NULL: printable ASCII as it is, all
     * else as \xNN. */
    size_t (*show)(char *text, size_t room, const void *bytes, size_t count);
    void    *host;
    uint64_t reserved[4];
} ink_query_options;

/* A line asks, a line answers: answers one question from a view, over any transport, as for
 * ink_stream_options.answer. `line`, without its end, is KEY or ?KEY (whether it was seen, or how
 * often if there is no filter), COUNT KEY, TOP or TOP n, DISTINCT, or INFO (docs/stream.md); the
 * sketch of the kind with the highest rank answers (ink_kind_info), of equals the first. Keys are
 * read as those of records. INK_USAGE if the question cannot be read, INK_UNSUPPORTED if no sketch
 * answers it. Keeps nothing between calls. */
INK_API ink_status ink_query_line(const ink_query_options *options, const ink_stream_view *view,
                                  const uint8_t *line, size_t bytes, const ink_sink *to,
                                  ink_error *error);

/* ---- Merge and fold ----------------------------------------------------------------------- */

/* The union of the files by kind and label: what stands under one label is merged as
 * ink_sketch_merge does, the rest is taken along. The input spec stays if all share it.
 * job->failed_path names the file that does not fit. */
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
    const char *kind;    /* "ip", "names", "imdb", "zipf", "u64", "log"; see ink_generation_kind */
    uint64_t    records; /* 0: the kind's default (imdb: 1,260,817, and no other number) */
    uint64_t    seed;
    double      skew; /* zipf, log: the exponent; 0: 1.1 */
    uint64_t sample;  /* names: how many of them go to `sample_sink` too, spread evenly by chance */
    const ink_sink *sample_sink; /* NULL if sample is 0 */
    uint64_t        reserved[4];
} ink_generation;

/* The name of number `index` of what can be generated, and a line about it; NULL past the last one.
 */
INK_API const char *ink_generation_kind(size_t index, const char **about);

/* Writes records to `sink`; the same for the same seed, on every host. */
INK_API ink_status ink_generate(const ink_generation *generation, const ink_sink *sink,
                                ink_job *job, ink_error *error);

/* ---- Files that are written whole or not at all ------------------------------------------- */

/* A file that replaces `path` when it is complete, as ink_save does. The path can be an
 * address in HDFS,
 *     webhdfs://HOST:PORT[,HOST:PORT...]/PATH[?user.name=USER]
 * with the HTTP addresses of the NameNodes (several: the first that can be reached and is not on
 * standby), path and user as they are, without escapes. The bytes go over plain HTTP into a file
 * "_ink.PROCESS.TIME" in the same folder, which gets its name at the end, or is removed. There is
 * neither TLS nor Kerberos. A host is named by numbers, or is looked up by the program getent.
 * INK_USAGE: the address is malformed, or starts with hdfs://, http://, https:// or swebhdfs://.
 * INK_IO: a server cannot be reached, is silent for two minutes, or refuses; the message names it
 * by host and port, and has the words of HDFS. Writing into a connection raises no signal. */
typedef struct ink_output ink_output;
INK_API ink_status        ink_output_begin(ink_output **output, const char *path, ink_error *error);
INK_API ink_status        ink_output_write(ink_output *output, const void *bytes, size_t count,
                                           ink_error *error);
INK_API ink_status        ink_output_commit(ink_output *output,
                                            ink_error  *error);    /* ends it in any case */
INK_API void              ink_output_abandon(ink_output *output); /* NULL is allowed */

/* For a program's signal handlers, and async-signal-safe. Removes the temporary files that calls of
 * this process are writing at this moment, and the sockets at which its streams listen. */
INK_API void ink_remove_unfinished(void);
/* The same for a process that ends at once, by a signal or _exit, from whichever thread: also what
 * other threads begin meanwhile is removed. From then on a thread that is about to make a
 * temporary file waits for the end instead. */
INK_API void ink_end_unfinished(void);
/* The path of the mapped file that `address` lies in (SIGBUS: it was truncated), or NULL; it is the
 * very pointer that the file was opened by. */
INK_API const char *ink_mapped_path(const void *address);

/* Lets this process outlive data that others cut short while a job reads it, as the rotation of a
 * log may: from now on SIGBUS is handled. If it comes of such data, zeros are read where bytes are
 * missing, and the job fails with INK_IO; any other signal goes to the handler
 * before. Without this call a process dies of it; and a mapped file of sketches that is
 * cut short it does not outlive anyhow, unless that was opened with INK_OPEN_COPY. May be called
 * again, and by any thread. */
INK_API void ink_outlive_cut_data(void);

#ifdef __cplusplus
}
#endif

#endif
