/* inkling_arrow.h - keys that stand in Arrow columns: added, removed and asked where they are.
 *
 *     ink_arrow_report report;
 *     const char *const key[] = {"user"};
 *     const ink_reading reading = {.key = key, .key_count = 1};
 *
 *     ink_arrow_add(sketch, &schema, &array, &reading, &report, &error);
 *
 * The rules of inkling.h hold here too. A job reads streams of arrays: see ink_input.arrow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_ARROW_H
#define INKLING_ARROW_H

#include "inkling_job.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Adds the texts of a column to those that are compared (ink_dedup_texts_add). is_text[i] is 1, or
 * 0 for a null, which is no text, and may be NULL. */
INK_API ink_status ink_arrow_dedup(ink_dedup_texts *texts, const struct ArrowSchema *schema,
                                   const struct ArrowArray *array, const ink_reading *reading,
                                   uint8_t *is_text, ink_arrow_report *report, ink_error *error);

/* ink_arrow_add on the threads of a job, as ink_job_add_batch has it. Threads share the rows where
 * keys stand in the array as they do in a batch: integers of 64 bits, or strings with offsets of
 * 64, without nulls and weights. Other arrays are read by one thread. job->records and job->nulls
 * are what ink_arrow_add reports as rows and nulls, on failure, too. */
INK_API ink_status ink_job_add_array(ink_sketch *sketch, const struct ArrowSchema *schema,
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
INK_API ink_status ink_arrow_filters_create(ink_arrow_filters **filters, const ink_file *file,
                                            const ink_filter_options *options,
                                            const ink_allocator *allocator, ink_error *error);
INK_API void       ink_arrow_filters_free(ink_arrow_filters *filters); /* NULL is allowed */

/* Sets answers[i] to 1 if the key of row i may be in any group, or, if options->by said so, in the
 * one that the row names (reading->by, which is INK_USAGE otherwise); else, and for a null, to 0. A
 * group that the file does not have holds nothing. */
INK_API ink_status ink_arrow_filters_rows(const ink_arrow_filters  *filters,
                                          const struct ArrowSchema *schema,
                                          const struct ArrowArray  *array,
                                          const ink_reading *reading, uint8_t *answers,
                                          ink_arrow_report *report, ink_error *error);

#ifdef __cplusplus
}
#endif

#endif
