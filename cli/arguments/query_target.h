/* query_target.h - whom a question is asked: sketches of files, united, or data that is made into
 * sketches first. */
#ifndef INK_CLI_ARGUMENTS_QUERY_TARGET_H
#define INK_CLI_ARGUMENTS_QUERY_TARGET_H

#include "inkling_job.h"
#include "options/options.h"

typedef struct cli_query {
    ink_question question;
    const char  *kind;   /* of sketches that are asked; NULL: the first that answers */
    ink_params   params; /* what data is made into ... */
    bool         sized;  /* ... and its sizes are there; else they come from the options */
    /* found: */
    ink_set    *set;
    ink_entry  *entries; /* of the set, in order of their groups */
    size_t      entry_count;
    bool        groups;   /* some sketches had a group, and ... */
    bool        plain;    /* ... some had none, before --groups chose among them */
    const char *path;     /* of the file, for messages; NULL if there are several */
    bool        sketches; /* the files are sketches, no data */
} cli_query;

/* The kind of --kind, or NULL if there is none; refused if it does not answer the question. Returns
 * 0, or prints a line and returns a code, as all of these do. */
int query_kind(const cli_arguments *arguments, ink_question question, const char **kind);

/* Looks what the files are (none: standard input), and unites them, or makes sketches of them. What
 * does not belong to the one or the other is refused. Of several questions each is about as many of
 * the files, in their order; all are sketches, or all data. */
int query_any(cli_query *asked, size_t count, const cli_arguments *arguments,
              const char *const *paths, size_t path_count);
/* The same for one file of sketches, and for data. */
int query_sketches(cli_query *asked, const cli_arguments *arguments, const char *path);
int query_data(cli_query *asked, const cli_arguments *arguments, const char *const *paths,
               size_t path_count);
/* Gives the set back; one that was never found is allowed. */
void query_end(cli_query *asked);

#endif
