/* plans.h - what was asked for, filled in as ink build would, and the sketch that it leads to:
 * sizes, rates and errors before any data is read. */
#ifndef INK_CLI_PLANS_H
#include "inkling.h"

#define INK_CLI_PLANS_H

#include <inkling.h>

/* How a kind is sized. */
typedef enum plan_family {
    PLAN_FILTER,    /* bits for a number of keys at a rate */
    PLAN_CHAIN,     /* filters behind each other, as keys come: scalable */
    PLAN_COUNTERS,  /* rows of counters: count-min */
    PLAN_KEPT,      /* keys with counts: top */
    PLAN_GROUPS,    /* groups of sub-sketches: fm */
    PLAN_REGISTERS, /* 2^precision registers: hll */
} plan_family;

enum { PLAN_NOTE_BYTES = 160 };

typedef struct cli_plan {
    ink_params      params; /* what ink build would be told, but for `number` */
    plan_family     family;
    uint64_t        number; /* keys; of kinds that count, records; 0: not told */
    bool            number_is_example;
    ink_description is;
    uint64_t        bytes; /* of the payload once it is full; of a top without the keys' bytes */
    uint64_t        bytes_max;             /* of a top: with the longest keys; else 0 */
    uint64_t        needs;                 /* where the memory is too little: so many bytes */
    uint32_t        levels;                /* of a chain with `number` keys */
    double          rate;                  /* of a filter: asked for, or, if bits were, promised */
    char            note[PLAN_NOTE_BYTES]; /* what else is to be said, or "" */
} cli_plan;

/* Works out all but `params`, `family` and `number`, for parameters that are complete. */
ink_status plan_size(cli_plan *plan, ink_error *error);

/* Plans for what was asked: `number` and `memory` are 0 where nobody told. The memory goes to what
 * was left open: the rate, the number of keys, or the size of the kinds without either; if nothing
 * was, the plan must fit into it. INK_USAGE with a message if it cannot be done. */
ink_status plan_make(cli_plan *plan, const ink_params *asked, uint64_t number, uint64_t memory,
                     ink_error *error);

/* The error for `number` keys or records, as a whole number of them: count-min and top at most that
 * much (count-min but for a share of delta), fm and hll one standard error. 0 for filters. */
double plan_error(const cli_plan *plan);

#endif
