/* query_target.h - the sketches that a query reads: the union of sketch files, or sketches built
 * from data first. */
#ifndef INK_CLI_ARGUMENTS_QUERY_TARGET_H
#define INK_CLI_ARGUMENTS_QUERY_TARGET_H

#include "arguments/inputs.h"
#include "inkling_job.h"
#include "options/options.h"

typedef struct cli_query {
    ink_question      question;
    const char       *kind;      /* of the sketches to query; NULL: the first that answers */
    ink_params        params;    /* of a sketch built from data ... */
    bool              sized;     /* ... with its sizes; false: the options give them */
    bool              data_only; /* sketch files are refused */
    const ink_sketch *only; /* from data only the keys that this one counts are taken; NULL: all */
    /* results: */
    ink_set    *set;
    ink_entry  *entries; /* of the set, in order of their groups */
    size_t      entry_count;
    bool        groups;   /* some sketches had a group, and ... */
    bool        plain;    /* ... some had none, before --groups selected some */
    const char *path;     /* of the file, for messages; NULL if there are several */
    bool        sketches; /* the files are sketch files, not data */
} cli_query;

/* The kind of --kind, or NULL if there is none; refused if it does not answer the question. */
int query_kind(const cli_arguments *arguments, ink_question question, const char **kind);

/* Detects what the files are (none: standard input): sketch files are merged, of data sketches are
 * built. Options that do not apply are refused. Several queries share the files out evenly, in
 * order; all files are sketch files, or all are data. */
int query_any(cli_query *query, size_t count, const cli_arguments *arguments,
              const char *const *paths, size_t path_count);
/* The two steps of that: what the files are, with options that apply to these, to be ended by
 * data_end unless it fails; and the sketches of data. */
int query_inputs(cli_data *data, const cli_arguments *arguments, const char *const *paths,
                 size_t path_count, bool *sketches);
int query_build(cli_query *query, const cli_arguments *arguments, const ink_input *inputs,
                size_t input_count, const ink_reading *how);
/* The same for one sketch file. */
int query_sketches(cli_query *query, const cli_arguments *arguments, const char *path);
/* Frees the results; there may be none. */
void query_end(cli_query *query);

/* Whether --groups selects a group. Without --groups every one is selected; with it, neither the
 * null group nor sketches without a group. */
bool group_is_wanted(const cli_arguments *arguments, const ink_label *label);

/* The groups that --groups selects, for the library; NULL: all. */
const ink_group_choice *groups_chosen(const cli_arguments *arguments);
/* What ink_filter_options.group_column is: the name of --group-column, "" after --no-groups. */
const char *group_column(const cli_arguments *arguments);

/* Prints the line about --groups where `path` (NULL: several files) has none; returns its code. */
int groups_missing(const char *path);

#endif
