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

#include "inkling_file.h"
#include "inkling_foreign.h"

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

/* What a job did, so that its time on more cores can be worked out. A job is a sequence of regions,
 * in which its threads work, with the serial time of the calling thread before each. Times are
 * nanoseconds, and CPU time is that of the threads' own clocks. */

/* A task of a region, which one thread did. */
typedef struct ink_task {
    uint64_t number;    /* in its region, from 0; ordered parts are done in this order */
    uint64_t exclusive; /* CPU time of what one thread at a time does, in any order: reading input
                           and cutting it into chunks */
    uint64_t parallel;  /* ... of what threads do side by side */
    uint64_t ordered;   /* ... of what is done after the ordered part of the task before */
    uint64_t bytes;     /* of input */
    uint32_t worker;    /* number of its thread, from 0 */
    uint32_t nested; /* 1: the share of a thread that another task has started; it has no number */
    uint32_t step;   /* tasks of a step begin when all of the step before have ended */
    uint32_t lane;   /* ordered parts of a lane are done in order, beside those of others */
    uint64_t reserved[1];
} ink_task;

typedef struct ink_region {
    const char *name;    /* "reading", "filling", "testing", "adding" ... */
    uint64_t    workers; /* threads that took part */
    uint64_t    serial;  /* CPU time of the calling thread since the region before ... */
    uint64_t    serial_wall;
    uint64_t    wall;
    uint64_t    cpu;          /* of all threads */
    uint64_t    exclusive;    /* of it, in all tasks ... */
    uint64_t    ordered;      /* ... and */
    uint64_t    once;         /* outside of tasks: what each thread does once */
    uint64_t    longest;      /* CPU time of the longest task */
    uint64_t    waited_input; /* time that threads waited for their turn to read, or for the data */
    uint64_t    waited_order; /* ... for the ordered parts of tasks before */
    uint64_t    waited_end;   /* ... for the last thread, and before they had started */
    uint64_t    waited_other; /* ... for locks, memory and a free core */
    uint64_t    bytes;        /* of input */
    uint64_t    zeroed;       /* bytes of sketches that were made */
    uint64_t    faults;       /* page faults: each is a page that the system zeroed or mapped */
    uint64_t    task_count;
    /* If ink_account.tasks: the tasks, nested ones last, and the `once` of each worker. They live
     * until the callback returns. */
    const ink_task *tasks;
    uint64_t        listed; /* how many these are */
    const uint64_t *worker_once;
    uint64_t        lost; /* tasks and workers that are not in all this, for lack of memory */
    uint64_t        reserved[4];
} ink_region;

/* An account that a caller asks for. All zero, but for the callback, is fine. It belongs to one job
 * at a time. */
typedef struct ink_account {
    /* Called at the end of each region, by the thread that called the job. */
    void (*region)(void *host, const ink_region *region);
    void    *host;
    uint64_t tasks; /* not 0: tasks are listed */
    /* Set by the job at the end of each region, and read at the next one: the CPU time of the
     * calling thread since it started, and a monotonic clock. A caller whose thread did other
     * things before sets them; 0 counts from the start of the thread, and no time. */
    uint64_t since, since_wall;
    uint64_t zeroed; /* bytes of sketches that were made since */
    void    *open;   /* the job's */
    uint64_t reserved[5];
} ink_account;

/* How a job runs. All zero is fine. The fields at the end are set by the job. */
typedef struct ink_job {
    unsigned threads;         /* 0: as many as can run at once: the cores that the process
                                may run on, or fewer by a CPU quota (cgroup); at most 1024 */
    uint64_t    memory_bytes; /* for what is kept of records before a size is known; 0: 1 GiB */
    const char *temp_folder;  /* for what does not fit there; NULL: TMPDIR, else /tmp */
    uint64_t    chunk_bytes;  /* of input that a thread takes at a time; 0: a good choice */
    /* Called now and then, by one thread at a time; returns false to stop the job, which then
     * fails with INK_STOPPED and does not call it again. May be NULL. */
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

    ink_account *account; /* what the job did; NULL: none is wanted, and no clock is read for it */
    const ink_foreign_options *foreign; /* merge and fold: as ink_input.foreign, of all files */
    uint64_t                   reserved[6];
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
    bool        header_apart; /* it is not in the input, whose first record is as all others: a
                                 byte-order mark is part of it */
    uint64_t begun_all; /* not 0: the pipe ended with its begun bytes, and is not read again */
    /* Of a file of sketches in a format of another system: how it is read. NULL: an .ink file, or
     * one that ink_foreign_certain knows. */
    const ink_foreign_options *foreign;
    uint64_t                   reserved[2];
} ink_input;

typedef enum ink_form {
    INK_FORM_DEFAULT = 0, /* by the suffix of paths (.csv, .tsv, .jsonl, .ndjson, .json, also before
                             .gz and .zst), else as the input spec says, else lines */
    INK_FORM_LINES,
    INK_FORM_CSV,
    INK_FORM_TSV,
    INK_FORM_NUL,   /* records end with a NUL byte */
    INK_FORM_JSONL, /* one JSON object a line; columns are paths such as user.id or tags[0] */
    INK_FORM_U32,   /* little-endian integers without anything between */
    INK_FORM_U64,
} ink_form;

typedef enum ink_keys { INK_KEYS_DEFAULT = 0, INK_KEYS_BYTES, INK_KEYS_INT } ink_keys;

typedef enum ink_round {
    INK_ROUND_NONE = 0,
    INK_ROUND_HALF_EVEN, /* a half goes to the even number: 2.5 is 2, -2.5 is -2 */
    INK_ROUND_HALF_UP,   /* towards plus infinity: 2.5 is 3, -2.5 is -2, as Java's Math.round */
    INK_ROUND_HALF_AWAY, /* away from zero: 2.5 is 3, -2.5 is -3, as Decimal's ROUND_HALF_UP */
} ink_round;

typedef enum ink_time_unit {
    INK_TIME_SECONDS = 0, /* also with decimals */
    INK_TIME_MILLISECONDS,
    INK_TIME_MICROSECONDS,
    INK_TIME_NANOSECONDS,
} ink_time_unit;

#define INK_KEY_COLUMNS_MAX 16

/* How records are read. All zero: a line is a key. A column is a number from 1, a name in the
 * header, or a JSON path; a JSON member `key` or `group` that is absent is read from `key_hex` or
 * `group_hex`, as `ink --json` prints bytes that are not UTF-8. A byte-order mark of UTF-8 at the
 * start of an input of lines, CSV, TSV or JSON is no part of its first record. */
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
    uint64_t fail_bad; /* not 0: a record that cannot be read is a failure, whatever the input spec
                          says; the message does not suggest skip_bad */
    uint64_t reserved[7];
} ink_reading;

/* ---- Sets of sketches: what building and merging give ------------------------------------- */

/* Labelled sketches in memory, and the input spec that they were made by, ready to be saved as one
 * file.
 */
typedef struct ink_set ink_set;

/* NULL is allowed. Thousands of sketches are freed by as many threads as the job that made them
 * had, all ended when the call returns. */
INK_API void   ink_set_free(ink_set *set);
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
/* As ink_contents_save and ink_contents_encode do. */
INK_API ink_status ink_set_save(const ink_set *set, const char *path, ink_error *error);
/* With `no_overwrite` unless `overwrite`. */
INK_API ink_status ink_set_save_to(const ink_set *set, const char *path, bool overwrite,
                                   ink_error *error);
INK_API ink_status ink_set_encode(const ink_set *set, uint8_t **data, size_t *bytes,
                                  ink_error *error);

/* Opens a file of sketches as the command does: read into memory up to 64 MiB, mapped above, every
 * byte checked. "-" is standard input; from that and from other pipes it is read to the end. */
INK_API ink_status ink_file_open_any(ink_file **file, const char *path,
                                     const ink_allocator *allocator, ink_error *error);

/* Opens a file of sketches, of ours or of another system, as a set; *found (which may be NULL)
 * becomes the format of another system, or NULL. */
INK_API ink_status ink_convert(ink_set **set, const ink_input *input, ink_job *job,
                               const ink_foreign_info **found, ink_error *error);

/* Reads the input spec of a file, if it has one, into *reading, whose strings are the input spec's:
 * they live until ink_input_spec_free. *input_spec becomes NULL if the file has none. */
typedef struct ink_input_spec ink_input_spec;
INK_API ink_status            ink_input_spec_read(ink_input_spec **input_spec, const ink_file *file,
                                                  ink_reading *reading, ink_error *error);
INK_API void                  ink_input_spec_free(ink_input_spec *input_spec);
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
    const ink_sketch *only;     /* add only keys that this one counts: a top of a few keys makes a
                                   top of these alone, whose counts are exact; groups without any are
                                   there, too. NULL: all keys */
    const char *format; /* of another system, for which kinds are completed as ink_foreign_params
                           does, sizes when the keys are known; NULL: none */
    uint64_t reserved[2];
} ink_build_options;

/* Reads all records and makes a sketch of each kind, of each group where reading->by names one.
 * Groups that would take more than job->memory_bytes in kinds whose sketches have a fixed size
 * (count-min) or keep keys (top) are INK_LIMIT, naming both. Filters that got more keys than were
 * planned for, so that their promise is broken (ink_rate_holds), are INK_PROMISE: all of the build
 * is refused, with the number of keys that would do, unless max_rate of their ink_params allows
 * their rate. Of groups the three with the highest rates are named; reading stops when one of them
 * is found to be above its promise. A filter without expected_keys is never refused. */
INK_API ink_status ink_build(ink_set **set, const ink_input *inputs, size_t input_count,
                             const ink_reading *reading, const ink_build_options *options,
                             ink_job *job, ink_error *error);

/* ---- Add a batch --------------------------------------------------------------------------- */

/* Adds keys that are in memory to one sketch, as ink_sketch_add_batch does, on job->threads
 * threads at most, with the same bytes as result: as many threads work as the keys are worth, from
 * some 100,000 keys on. A small sketch is filled in copies, which the threads merge together; no
 * copy has more than 3 bytes for each line of memory that the keys touch. Of a bloom or counting
 * that the caches do not hold each thread fills a part, without copies, with the memory that
 * ink_sketch_add_batch has for that, or half of the second cache for each thread. What has one
 * writer (scalable, top, conservative count-min) takes the keys on one thread, in order, and so
 * does every sketch where memory or threads are refused. The sketch is the caller's, and gets more
 * keys than it was planned for without a refusal: ink_rate_holds says whether it keeps its promise.
 * Of the job threads and allocator are used, and records are set. */
INK_API ink_status ink_job_add_batch(ink_sketch *sketch, const ink_batch *batch, ink_job *job,
                                     ink_error *error);

/* ---- Filter: grep for sets ---------------------------------------------------------------- */

/* Which groups count; called by the thread that calls the job, before it reads. */
typedef struct ink_group_choice {
    bool (*wanted)(void *host, const ink_label *label);
    void *host;
} ink_group_choice;

typedef struct ink_filter_options {
    const char *kind;   /* of the entries to ask; NULL: the only filter kind in the file */
    bool        invert; /* pass the records that are surely not in the set */
    bool        first;  /* stop at the first record that passes */
    bool        plain;  /* records are read as `reading` says, not by the input spec */
    bool        by; /* test each record against the group that it names (reading->by) alone; a group
                       that the file does not have holds nothing */
    size_t         last;         /* of a group with time slots only this many, the newest; 0: all */
    const uint8_t *secret;       /* of a keyed file */
    const char    *group_column; /* what the column or member of groups is called; NULL:
                                    "ink_group"; "": groups are not written */
    const ink_group_choice *groups; /* the groups to test; NULL: all. INK_USAGE if there are none */
    uint64_t                reserved[2];
} ink_filter_options;

typedef struct ink_filter_report {
    const char *kind;
    uint32_t    functions;   /* bits that a key sets; 0 if the entries differ */
    uint64_t    set_records; /* that were added to the sketches */
    uint64_t
        groups; /* that each record was tested against; 0 if the file has none, or options->by */
    uint64_t analysed, admitted, rejected; /* records; admitted are those that may be in the set */
    double false_groups; /* groups that a non-member is found in by chance: the sum of the rates */
    double seconds;
    uint64_t set_keys; /* the keys that the sketches were planned for; estimated from the bits where
                          none were, and of scalable */
    uint64_t reserved[3];
} ink_filter_report;

/* Asks for every record whether its key may be in the set and writes those that pass to `sink`
 * (NULL: only counts), as they stand, in the order of the input. If records have a header, that of
 * the first input comes first. Of a file with groups, unless options->by or invert, a record may be
 * in any, and those it may be in are written with it, so that the output is read as the input was.
 *
 * Fields: one more, after as many as the header has, which names it group_column. Labels are joined
 * by commas (by semicolons where the delimiter is a comma, except in CSV, where the field is
 * quoted). In a label \xNN is a byte: of control characters, of what is no UTF-8, of a backslash,
 * of what joins labels and, except in CSV, of the delimiter and a quote. The null group is \N, the
 * empty one \E, a sketch without a group is empty.
 *
 * JSON: one more member of objects, or element of arrays: an array of labels, in which the null
 * group is null and a sketch without a group absent. If one of them is no UTF-8, the member is
 * group_column with _hex at its end, and all are lower-case hex.
 *
 * Others: a tab and the labels, joined by commas. An empty label, one that begins with a
 * parenthesis, and one with a comma, quote, backslash, control character or a byte that is no UTF-8
 * stands in quotes, as in CSV, with \xNN as above; "(null)" is the null group, "(none)" a sketch
 * without one.
 *
 * INK_USAGE if a header or an object has that name already; INK_FORMAT for a record with more
 * columns than the header. Fields of `reading` that are 0 or NULL are taken from the file's input
 * spec (but `by` only if options->by, and what belongs to a form, as its header and delimiter, only
 * if no form is given). Inputs whose suffix names another form have that form, and columns are
 * found by name; INK_USAGE if these might not mean the same there (docs/input.md). The first record
 * that passes, if only that is wanted, is written alone. */
INK_API ink_status ink_filter(const ink_file *file, const ink_input *inputs, size_t input_count,
                              const ink_reading *reading, const ink_filter_options *options,
                              const ink_sink *sink, ink_filter_report *report, ink_job *job,
                              ink_error *error);

/* ---- Questions: how often, which are the most frequent, how many different ---------------- */

typedef struct ink_union_options {
    ink_question question; /* not INK_ASK_MEMBER */
    const char  *kind;     /* to ask; NULL: of those that all files have the one that answers best,
                              see ink_kind_info.ranks */
    size_t         last;   /* of a group with time slots only this many, the newest; 0: all */
    const uint8_t *secret; /* of keyed files */
    bool together; /* INK_ASK_COUNT without `kind`: all kinds above rank 1 that all files have, for
                      ink_count_keys to choose among */
    uint64_t reserved[3];
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

/* Asks a set of sketches (of ink_union_files, or ink_build) how often each key of the inputs was
 * seen: rows in the order of the keys, for each key in that of groups. Of several kinds in a group
 * the one with the better answer for the key is in its row (ink_answer_is_better). `reading` states
 * how keys are read; the input spec of the sketches is not used. If it names groups (`by`), each
 * key is counted in its own group only, and a group that the set does not have counts 0. */
INK_API ink_status ink_count_keys(const ink_set *set, const ink_input *keys, size_t key_count,
                                  const ink_reading *reading, const ink_count_sink *sink,
                                  ink_job *job, ink_error *error);

/* ---- Overlap: what sets have in common ---------------------------------------------------- */

typedef struct ink_overlap_options {
    const char *kind;      /* to compare; NULL: of those that all files have the one that answers
                              best (INK_ASK_OVERLAP) */
    size_t         last;   /* of a group with time slots only this many, the newest; 0: all */
    const uint8_t *secret; /* of keyed files */
    double         confidence; /* as in ink_sketch_overlap; 0: 0.95 */
    const ink_group_choice
            *groups; /* the groups to compare; NULL: all. INK_USAGE if there are none */
    uint64_t reserved[4];
} ink_overlap_options;

/* What two of the inputs have in common in one group. The pointers are good during the call. */
typedef struct ink_overlap_row {
    const char *kind;
    ink_label   label; /* without a slot */
    size_t      a, b;  /* numbers of the inputs, from 0; a is below b */
    ink_overlap overlap;
    uint64_t    reserved[2];
} ink_overlap_row;

/* Where rows go; returns 0, or an errno, which fails the job with INK_IO. Called by one thread at a
 * time. Final. */
typedef struct ink_overlap_sink {
    int (*row)(void *host, const ink_overlap_row *row);
    void *host;
} ink_overlap_sink;

/* Compares files of sketches with each other, two or more, by group: for each group, in order of
 * label, a row for each pair of files, by their numbers. A group that a file does not have is an
 * empty set there. Groups are loaded a few at a time; files above 64 MiB, and all files if there
 * are more than two, are mapped. INK_UNSUPPORTED if a file has no kind that answers, INK_MISMATCH
 * if the sketches of two files do not fit together, or one has groups and another has none;
 * job->failed_path names the file that it is about. */
INK_API ink_status ink_overlap_files(const ink_input *inputs, size_t input_count,
                                     const ink_overlap_options *options,
                                     const ink_overlap_sink *sink, ink_job *job, ink_error *error);

/* The same for sets of one kind, as of ink_build; kind, last and secret are not used. */
INK_API ink_status ink_overlap_sets(const ink_set *const *sets, size_t set_count,
                                    const ink_overlap_options *options,
                                    const ink_overlap_sink *sink, ink_job *job, ink_error *error);

/* ---- Uniq: the first record of each key ---------------------------------------------------- */

typedef struct ink_uniq_options {
    uint64_t expected_keys; /* different keys to plan for; 0: as many as there would be records if
                               all bytes were like the first chunk of them, and an eighth more; if
                               the size cannot be known (pipes, compressed files), as many as all
                               memory has room for */
    double         rate;    /* of taking a new key for a seen one, with that many keys; 0: 1e-4 */
    uint64_t       seed;    /* as in ink_params */
    bool           has_seed;
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

/* ---- Dedup: a corpus without repeats ------------------------------------------------------- */

/* What is compared: whole documents; paragraphs, which stand between newlines; how many n-grams of
 * words were seen; the n-grams of two documents. */
typedef enum ink_dedup_level {
    INK_DEDUP_EXACT = 0,
    INK_DEDUP_PARAGRAPHS,
    INK_DEDUP_NGRAMS,
    INK_DEDUP_NEAR,
} ink_dedup_level;
enum { INK_DEDUP_LEVELS = 4 };

/* "exact", "paragraphs", "ngrams", "near"; NULL for no level. */
INK_API const char *ink_dedup_level_name(ink_dedup_level level);

typedef enum ink_dedup_bad {
    INK_DEDUP_BAD_FAIL = 0,
    INK_DEDUP_BAD_SKIP, /* bad records are left out of the results ... */
    INK_DEDUP_BAD_KEEP, /* ... or stay in them, as they are */
} ink_dedup_bad;

/* A document that was removed, or paragraphs of it. The pointers are good during the call. */
typedef struct ink_dedup_row {
    const char     *path; /* its file ... */
    uint64_t        line; /* ... and its number there, from 1 */
    const void     *id;   /* the text at options->id, or NULL */
    size_t          id_bytes;
    ink_dedup_level level;
    bool            whole; /* all of the document, and not only `removed` paragraphs */
    uint64_t    texts; /* its paragraphs or different n-grams, 1 at level exact, at near bins ... */
    uint64_t    removed; /* ... and those that were seen before, or are as in the earlier one */
    const char *earlier_path; /* the first document with this text, or like it, where it is known:
                                 at level near, and exact if a table has what was seen; else NULL */
    uint64_t earlier_line;
    uint64_t reserved[4];
} ink_dedup_row;

/* Where rows go; returns 0, or an errno, which fails the job with INK_IO. Called by one thread at a
 * time, in the order of the input. Final. */
typedef struct ink_dedup_sink {
    int (*row)(void *host, const ink_dedup_row *row);
    void *host;
} ink_dedup_sink;

typedef struct ink_dedup_options {
    bool     exact, paragraphs;        /* levels; none is named: exact */
    uint32_t ngrams;                   /* N, up to 256; 0: not this level */
    bool     ngrams_of_bytes;          /* n-grams are of bytes, not of words */
    bool     lower, strip_punctuation; /* how words are compared */
    double   overlap; /* a document goes if this share of its different n-grams was seen; 0: 0.8 */
    double near; /* a document goes if the Jaccard similarity of its n-grams of 5 words and those of
                    an earlier document is estimated at this or more; 0: not this level */
    const char   *text; /* the path of the text in JSON; NULL: "text" */
    const char   *id;   /* the path of what names a document in rows; NULL: nothing */
    ink_dedup_bad bad;
    const char   *folder;    /* of the results; NULL: nothing is written */
    bool          overwrite; /* results that exist are replaced */
    bool          mark;      /* JSON: every document stays, with a member "ink_dedup" at its end */
    uint64_t      expected_keys; /* different texts to plan for, at each level; 0: by the inputs */
    double        rate;          /* of filters with that many texts; 0: 1e-5, and of n-grams 1e-4 */
    double        max_rate;      /* a filter may come to have this rate; 0: what was planned */
    const char   *seen; /* a file of sketches, for what was seen: it is read if it exists, and then
                           replaced; one filter for each level, whose group names it. NULL: none */
    const char           *against; /* the same, but nothing enters: only texts in there were seen */
    const ink_dedup_sink *rows;    /* or NULL */
    uint64_t every; /* microseconds after which the progress of the run is saved, at the end of a
                       file; 0: ten minutes. Not with rows */
    uint64_t reserved[8];
} ink_dedup_options;

typedef struct ink_dedup_count {
    bool     used;    /* the level was asked for; of near `wrong` and what follows are 0 */
    bool     table;   /* all hashes were kept; else a filter */
    uint64_t texts;   /* documents, paragraphs, or different n-grams of documents ... */
    uint64_t first;   /* ... of which this many were new */
    uint64_t removed; /* documents; or paragraphs, of documents that no other level removed ... */
    uint64_t removed_bytes; /* ... and their bytes */
    double   wrong;         /* removed although no earlier text was equal, or the share was below
                               `overlap`: the expected number ... */
    uint64_t wrong_high;    /* ... and not more than this, with a chance of 1 - 1e-6 */
    uint64_t expected_keys; /* a filter: planned for ... */
    double   promised_rate; /* ... with this rate ... */
    double   rate;          /* ... and has come to this */
    uint64_t bytes;         /* of memory for what was seen */
    uint64_t passes; /* the filter was made in this many parts, of hashes on disk; 0: it was in
                        memory */
    uint64_t reserved[3];
} ink_dedup_count;

typedef struct ink_dedup_report {
    uint64_t        files, documents, bytes; /* read: all bytes, decompressed */
    uint64_t        kept, kept_bytes;        /* with bad records that are kept */
    uint64_t        bad;
    uint64_t        emptied; /* documents of which no paragraph was left */
    uint64_t        changed; /* documents that lost paragraphs and stayed */
    ink_dedup_count levels[INK_DEDUP_LEVELS];
    double          seconds;
    char            failed_path[4096]; /* set on failure: what it is about, where the caller gave no
                                          such path; job->failed_path is this then */
    bool     done_before; /* the same run had finished: nothing was done, and this is its report */
    uint64_t reserved[7];
} ink_dedup_report;

/* Removes what repeats from the files at `paths`: files, folders (all files below them, by the
 * bytes of their paths, but none whose name begins with a dot), or patterns of a shell. A record is
 * a document: an object of JSON in files called .jsonl, .ndjson or .json, else a line, or as
 * reading->form says (lines, NUL or JSONL; of the rest of `reading` nothing is used, and it may be
 * NULL). Files are written to options->folder under the same names below a folder that was given,
 * with the same compression, each whole or not at all, in the order of the input.
 *
 * Everything that is read enters the memory, kept or removed, and the first one in the order of the
 * input stays. So a decision depends on the records before it alone, and results are the same for
 * any number of threads.
 *
 * INK_USAGE if two files would have one name in the results; INK_PROMISE if there are more texts
 * than a filter was planned for, unless max_rate allows its rate.
 *
 * What was finished before a failure, or when the process is killed, stays in the folder, with a
 * file .ink-dedup-progress: the same call goes on from there (with rows, from the start, unless
 * `seen` may have been saved: INK_USAGE), and gives the same results. INK_USAGE if that file is of
 * another run that was not finished, unless `overwrite`. Of a run that was finished it stays: the
 * same call does nothing then, while all results exist, and without rows and `overwrite`. */
INK_API ink_status ink_dedup(const char *const *paths, size_t path_count,
                             const ink_reading *reading, const ink_dedup_options *options,
                             ink_dedup_report *report, ink_job *job, ink_error *error);

/* What a level will take. */
typedef struct ink_dedup_level_plan {
    bool     used, table;
    uint64_t keys;       /* texts that are planned for; of near documents */
    double   rate;       /* of a filter with these */
    uint64_t bytes;      /* of memory with these, ... */
    uint64_t passes;     /* ... if a filter is made in this many parts; 0: it is in memory ... */
    uint64_t disk_bytes; /* ... and of temporary files */
    uint64_t reserved[4];
} ink_dedup_level_plan;

typedef struct ink_dedup_plan {
    uint64_t             files, bytes; /* bytes as the files have them, of all inputs */
    ink_dedup_level_plan levels[INK_DEDUP_LEVELS];
    uint64_t             work_bytes;   /* of memory for chunks of all threads, and the program */
    uint64_t             memory_bytes; /* all */
    uint32_t             permutations, bands,
        rows; /* of a signature, in level near: bands of `rows` pairs of bins */
    double   near;
    char     failed_path[4096]; /* as in ink_dedup_report */
    uint64_t reserved[8];
} ink_dedup_plan;

/* Plans ink_dedup, which uses the same sizes: for options->expected_keys different texts at each
 * level, else for what samples of the inputs show, as if none repeated. Without inputs (path_count
 * 0) expected_keys are needed. Nothing is written. */
INK_API ink_status ink_plan_dedup(const char *const *paths, size_t path_count,
                                  const ink_reading *reading, const ink_dedup_options *options,
                                  ink_dedup_plan *plan, ink_job *job, ink_error *error);
/* In level near, of two documents of this similarity that have far more n-grams than there are
 * bins, the chance to be compared, ... */
INK_API double ink_dedup_chance_compared(const ink_dedup_plan *plan, double similarity);
/* ... and that the later one is removed. */
INK_API double ink_dedup_chance_removed(const ink_dedup_plan *plan, double similarity);

/* Texts in memory instead of files, batch after batch (ink_arrow_dedup adds one): which of them
 * would be removed. For one thread at a time. */
typedef struct ink_dedup_texts ink_dedup_texts;

/* Of the options `folder` and `rows` are NULL, and `mark` is false. Without expected_keys all
 * levels keep every hash, as long as job->memory_bytes hold them. */
INK_API ink_status ink_dedup_texts_open(ink_dedup_texts **texts, const ink_dedup_options *options,
                                        ink_job *job, ink_error *error);
INK_API void       ink_dedup_texts_free(ink_dedup_texts *texts); /* NULL is allowed */
/* Adds texts of UTF-8, which are byte keys. A bad one is INK_FORMAT at its number in the batch, if
 * these are to fail; what was added before it stays. */
INK_API ink_status ink_dedup_texts_add(ink_dedup_texts *texts, const ink_batch *batch,
                                       ink_error *error);
/* After all: sets kept[i] of each text, in the order in which they were added, to 1 or 0, and the
 * report. With options->seen the file is replaced. */
INK_API uint64_t   ink_dedup_texts_count(const ink_dedup_texts *texts);
INK_API ink_status ink_dedup_texts_finish(ink_dedup_texts *texts, uint8_t *kept,
                                          ink_dedup_report *report, ink_error *error);

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
 * and replaces the file as ink_contents_save does, whole or not at all. The result is that of
 * adding the records one by one. Records are read as the file's input spec says, as in ink_filter;
 * fields of `reading` go before. A file with groups needs the column that names them, one without
 * takes none. If no record changes anything the file stays as it is. `path` may not be "-".
 *
 * The file: it must be one that can be written, in a folder that takes new ones. The new file has
 * the mode, the owner and the group of the old one; INK_IO, before data is read, if these cannot be
 * kept. A symbolic link stays, and what it points to is replaced, as by ink_contents_save; other
 * hard links keep the old file. Sections stay, but for the position of a stream: such a file is
 * INK_UNSUPPORTED, as are those with time slots, with groups and without at once, and empty ones.
 *
 * Several at once: the file is locked from before it is read until it has been replaced. Of two
 * updates the second waits for the first, however long, and both count; this wait reports no
 * progress and cannot be stopped by it. Other writers of the file do not wait: INK_IO if it was
 * written, replaced or removed by the time all records are read, and what is there then stays.
 *
 * Promises: INK_PROMISE if a filter would break its promise (ink_rate_holds), or exceed max_rate
 * where that is given, which becomes the promise of the filters that change or are new where it is
 * larger.
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

/* ---- Merge and fold ----------------------------------------------------------------------- */

/* The union of the files by kind and label: what stands under one label is merged as
 * ink_sketch_merge does, the rest is taken along. The input spec stays if all share it.
 * job->failed_path names the file that does not fit. */
INK_API ink_status ink_merge_files(ink_set **set, const char *const *paths, size_t path_count,
                                   const ink_merge_options *options, ink_job *job,
                                   ink_error *error);

/* Every entry of a file folded: to the smallest size that keeps `rate`, or if that is 0, by
 * `divisor`, or if that is 0 too, to the rate that each filter was made for. What does not become
 * smaller by a rate stays as it is, with its promise; kinds that cannot be folded are taken along.
 * INK_UNSUPPORTED if nothing can. `path` may be "-", here as in ink_merge_files. */
INK_API ink_status ink_fold_file(ink_set **set, const char *path, double rate, uint64_t divisor,
                                 ink_job *job, ink_error *error);

/* ---- Verify: measure what was promised ---------------------------------------------------- */

typedef struct ink_verify_options {
    const ink_input *absent; /* keys that are not in the set, read as the true data; NULL: other
                                groups' keys, or random ones where there are no groups */
    size_t         absent_count;
    uint64_t       tests_max; /* 0: 2^30; beyond that a sample of keys, equal for every group */
    const uint8_t *secret;
    uint64_t       reserved[4];
} ink_verify_options;

/* What was found for one entry. A field that does not apply is 0. */
typedef struct ink_verify_result {
    const char *kind;
    ink_label   label; /* its bytes live as long as the verification */
    bool        membership;
    bool        ok; /* a filter's `false` only marks a rate above the promise or a denied key: see
                       ink_verification_summary.ok */
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

/* ---- Files that are written whole or not at all ------------------------------------------- */

/* A file that replaces `path` when it is complete, as ink_contents_save does. The path can be an
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
/* The same if `overwrite`. Else the file must not exist: INK_USAGE if it does, and from
 * ink_output_commit if it was made meanwhile, by others; it stays as it is. In HDFS only the commit
 * finds it: INK_IO. */
INK_API ink_status ink_output_open(ink_output **output, const char *path, bool overwrite,
                                   ink_error *error);
INK_API ink_status ink_output_write(ink_output *output, const void *data, size_t bytes,
                                    ink_error *error);
INK_API ink_status ink_output_commit(ink_output *output,
                                     ink_error  *error);    /* ends it in any case */
INK_API void       ink_output_abandon(ink_output *output); /* NULL is allowed */

/* For a program's signal handlers, and async-signal-safe. Removes the temporary files that calls of
 * this process are writing at this moment, and the sockets at which its streams listen. */
INK_API void ink_remove_unfinished(void);
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
