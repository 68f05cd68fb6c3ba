/* lab.h - the published experiments, run anew: which there are, how they are run, and what comes of
 * it. The command ink lab calls this; experiments call workbench.h. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "inkling_job.h"

#include "workbench/findings.h"

typedef struct lab_options {
    bool        quick;   /* less data, in under a minute */
    const char *only;    /* the id of the one experiment to run; NULL: all */
    unsigned    threads; /* 0: as many as there are cores */
    const char *spark;   /* commands that run a published job on a cluster, with our adapters ... */
    const char *hadoop;  /* ... or NULL; see docs/lab.md */
    /* Called now and then: what is being done, and the share of all that is done. False: stop. */
    bool (*progress)(void *host, const char *what, double share);
    void *host;
} lab_options;

/* The id and title of experiment number `index`; NULL past the last one. */
const char *lab_experiment(size_t index, const char **title);

/* Runs, and adds to `found`. INK_USAGE if there is no such experiment as `only`. */
ink_status lab_run(const lab_options *options, findings *found, ink_error *error);

/* Writes the page, and the same as JSON, to a sink. */
ink_status lab_write_page(const findings *found, const lab_options *options, const ink_sink *sink,
                          ink_error *error);
ink_status lab_write_json(const findings *found, const lab_options *options, const ink_sink *sink,
                          ink_error *error);

#endif
