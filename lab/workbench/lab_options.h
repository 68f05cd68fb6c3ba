/* lab_options.h - how experiments are to be run. */
#ifndef LAB_WORKBENCH_LAB_OPTIONS_H
#define LAB_WORKBENCH_LAB_OPTIONS_H

#include <stdbool.h>

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

#endif
