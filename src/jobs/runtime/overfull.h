/* overfull.h - filters that are above their promise: found among the results of a job, ranked, and
 * refused in one line. */
#ifndef INK_JOBS_RUNTIME_OVERFULL_H
#define INK_JOBS_RUNTIME_OVERFULL_H

#include "inkling_file.h"
#include "sketch/internal.h"

enum { INK__OVERFULL_WORST = 3, INK__OVERFULL_LABEL = 16 };

/* All zero: none was looked at yet. */
typedef struct ink__overfull {
    double      max_rate; /* that the caller allows; 0: the promises of the filters */
    uint64_t    filters, count;
    bool        grouped;
    bool        built;   /* from records: the size of each group could follow from its keys */
    bool        stopped; /* the job has not read all records */
    ink__excess worst[INK__OVERFULL_WORST]; /* by rate, the highest first; their groups: */
    char        labels[INK__OVERFULL_WORST][INK__OVERFULL_LABEL];
    uint64_t    keys; /* that would do for all */
} ink__overfull;

/* Looks at a sketch of this label; one that is no filter, or NULL, is passed over. */
void ink__overfull_look(ink__overfull *all, const ink_label *label, const ink_sketch *sketch);

/* Adds what was found of filters that come after all others. */
void ink__overfull_join(ink__overfull *all, const ink__overfull *later);

/* A group as a message names it: "" in quotes if it is empty; (null), (none). */
void ink__label_show(const ink_label *label, char *text, size_t bytes);

/* INK_PROMISE if filters are above their promise: the rate, and the number of keys that would do;
 * of groups the three with the highest rates, and how many there are. */
ink_status ink__overfull_refuse(const ink__overfull *all, ink_error *error);

#endif
