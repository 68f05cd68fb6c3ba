/* inkling_command.h - what the command `ink`, the lab and our adapters need besides. It is
 * exported, and no promise: it may change in any version. Programs of others do without it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_COMMAND_H
#define INKLING_COMMAND_H

#include "inkling_job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Inputs ------------------------------------------------------------------------------- */

/* Whether the inputs are files of sketches, all of them, or records, all of them: looks at the
 * first bytes of each. INK_USAGE, with job->failed_path, if they are mixed; INK_FORMAT if a file is
 * named .ink and does not begin as one. What it must read of standard input, or of another pipe of
 * the process (/dev/stdin, /dev/fd/N), is kept in the input, so that nothing is lost; a FIFO, which
 * can be opened but once, is not looked at and taken for records. */
INK_API ink_status ink_inputs_look(ink_input *inputs, size_t input_count, bool *sketches,
                                   ink_job *job, ink_error *error);

/* The answers of ink_sketch_distinct_by for the sketches of `count` entries, made by the threads of
 * the job. On failure, that of the first entry that fails, they are undefined. */
INK_API ink_status ink_distinct_entries(const ink_entry *entries, size_t count,
                                        ink_estimator estimator, double confidence,
                                        ink_answer *answers, const ink_job *job, ink_error *error);

/* Fills what `reading` leaves open from an input spec, as jobs do that are given a file: fields
 * that are 0 or NULL, but what belongs to a form, as its header and delimiter, only if no form is
 * given, and `by` with its rounding only if `with_by`; `time`, which only streams look at, never.
 * Inputs whose suffix names another form have that form, and columns are found by name. INK_USAGE
 * if columns or the header might not mean the same there (docs/input.md has the table). */
INK_API ink_status ink_reading_complete(ink_reading *reading, const ink_reading *input_spec,
                                        bool with_by, const ink_input *inputs, size_t input_count,
                                        ink_error *error);

/* Writes "read as: tsv, header, key user" to `text`, cut to fit and ended by a NUL, with column
 * names as they are, in quotes where a list of them needs these. Returns the length. */
INK_API size_t ink_reading_text(const ink_reading *reading, char *text, size_t text_bytes);

/* ---- Sketches ----------------------------------------------------------------------------- */

/* ink_file_open_any with the threads and the allocator of a job: the checksums of a large file are
 * compared by several threads. The failure that is reported is the first one in the file. */
INK_API ink_status ink_job_open(ink_file **file, const char *path, ink_job *job, ink_error *error);

/* The same of an input, which may be in a format of another system. */
INK_API ink_status ink_job_open_input(ink_file **file, const ink_input *input, ink_job *job,
                                      ink_error *error);

/* The name of the foreign format that a file was converted from, or NULL; it lives as long as the
 * file is open. */
INK_API const char *ink_file_origin(const ink_file *file);

/* ink_set_save_to with the threads and in the account of a job. */
INK_API ink_status ink_job_save(const ink_set *set, const char *path, bool overwrite, ink_job *job,
                                ink_error *error);

/* ---- Outputs ------------------------------------------------------------------------------ */

enum { INK_TARGET_BYTES = 4096 };

/* The path of the file that an output at `path` makes or replaces: a symbolic link is followed.
 * INK_IO if that is not allowed, see ink_contents_save. */
INK_API ink_status ink_output_target(const char *path, char target[INK_TARGET_BYTES],
                                     ink_error *error);

/* ---- The end of a process ----------------------------------------------------------------- */

/* ink_remove_unfinished for a process that ends at once, by a signal or _exit, from whichever
 * thread: also what other threads begin meanwhile is removed. From then on a thread that is about
 * to make a temporary file waits for the end instead. */
INK_API void ink_end_unfinished(void);

/* The path of the mapped file that `address` lies in (SIGBUS: it was truncated), or NULL, also if
 * too many files are mapped to be listed. Valid until that file is closed. */
INK_API const char *ink_mapped_path(const void *address);

/* ---- The data of the examples ------------------------------------------------------------- */

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

#ifdef __cplusplus
}
#endif

#endif
