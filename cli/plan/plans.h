/* plans.h - sizes, rates and errors of a sketch before any data is read: parameters, completed as
 * ink build does, and the sketch that they give. */
#ifndef INK_CLI_PLANS_H
#define INK_CLI_PLANS_H

#include "inkling.h"

/* How a kind is sized. */
typedef enum plan_family {
    PLAN_FILTER,    /* bits for a number of keys at a rate */
    PLAN_CHAIN,     /* filters added as keys come: scalable */
    PLAN_COUNTERS,  /* rows of counters: count-min */
    PLAN_KEPT,      /* keys with counts: top */
    PLAN_GROUPS,    /* groups of sub-sketches: fm */
    PLAN_REGISTERS, /* 2^precision registers or values: hll, theta */
} plan_family;

enum { PLAN_NOTE_BYTES = 160, PLAN_MEANING_BYTES = 160 };

typedef struct cli_plan {
    ink_params      params; /* as for ink build, without `number` */
    plan_family     family;
    uint64_t        number; /* of keys; of kinds that count, of records; 0: unknown */
    bool            number_is_example;
    ink_description is;
    uint64_t        bytes;     /* of the full payload; of a top without the bytes of keys */
    uint64_t        bytes_max; /* of a top: with the longest keys; else 0 */
    uint64_t        needs;     /* bytes, if the memory is too small; else 0 */
    uint32_t        levels;    /* of a chain with `number` keys */
    double          rate;      /* of a filter: the target; with bits, the promised one */
    char            note[PLAN_NOTE_BYTES]; /* a remark, or "" */
} cli_plan;

/* Computes all but `params`, `family` and `number`, from complete parameters. */
ink_status plan_size(cli_plan *plan, ink_error *error);

/* Plans for these parameters; `number` and `memory` are 0 if unknown. Memory sets whichever
 * parameter was left out: the rate, the number of keys, or the size of kinds without either. If
 * none was, the plan must fit into it. INK_USAGE with a message if there is no such plan. */
ink_status plan_make(cli_plan *plan, const ink_params *params, uint64_t number, uint64_t memory,
                     ink_error *error);

/* The error for `number` keys or records, rounded: of count-min (except for a share of delta) and
 * top the largest, of fm, hll and theta one standard error. 0 for filters. */
double plan_error(const cli_plan *plan);

/* The numbers of a plan, in a few words. */
void plan_meaning(char text[PLAN_MEANING_BYTES], const cli_plan *plan);

#endif
