/* filtering_parts.h - what the parts of document 003 have in common, and those that stand in files
 * of their own. */
#ifndef LAB_EXPERIMENTS_FILTERING_PARTS_H
#define LAB_EXPERIMENTS_FILTERING_PARTS_H

#include "workbench/workbench.h"

/* The bits of a file with one filter and nothing else begin after this number of bytes
 * (docs/format.md).
 */
enum { BITS_A_KEY = 8, PER_CENT = 100, PAYLOAD_AT = 192 };
enum { HALF_DIGEST = INK_DIGEST_BYTES }; /* of its digits, as tables show it */

typedef unsigned long long number; /* as printf has them */

/* The chance that all k places of a non-member are set, when m keys have set k of n places each. */
double filtering_rate(double n, double m, double k);

/* As `ink info --digest` prints it. */
typedef struct digest {
    char text[2 * INK_DIGEST_BYTES + 1];
} digest;

digest filtering_digest(lab *bench, const ink_sketch *sketch);
bool   filtering_same(const digest *one, const digest *other);

/* What a filter is like, once it is built. */
typedef struct measured {
    double   measured, current; /* rates: of the non-members asked, and from the bits */
    uint64_t admitted, bytes;
    digest   digest;
} measured;

measured filtering_measure(lab *bench, const ink_sketch *filter, const lab_data *non_members);

/* Each begins at the share `from` of the experiment. */
void filtering_union(lab *bench, double from);
void filtering_halving(lab *bench, double from);
void filtering_deletes(lab *bench, double from);
/* How many different elements a stream has; goes on to the end of the experiment. */
void filtering_distinct(lab *bench, double from);

#endif
