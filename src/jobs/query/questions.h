/* questions.h - the kind that answers a question, of those that several files have. */
#ifndef INK_JOBS_QUERY_QUESTIONS_H
#define INK_JOBS_QUERY_QUESTIONS_H

#include "inkling_job.h"

/* The kind that answers best of those that all files have, or options->kind; NULL if all files are
 * empty. Refusals are those of ink_union_files, with job->failed_path. */
ink_status ink__question_kind(ink_file *const *files, const ink_input *inputs, size_t count,
                              const ink_union_options *options, const char **kind, ink_job *job,
                              ink_error *error);

#endif
