/* inclusion_exclusion.h - what two sets have in common, from three numbers: those of both, and that
 * of their union. */
#ifndef INK_SKETCH_KINDS_INCLUSION_EXCLUSION_H
#define INK_SKETCH_KINDS_INCLUSION_EXCLUSION_H

#include "inkling.h"

/* Sets the intersection, the differences, the shares and the method, from a, b and in_union, which
 * are estimates of `registers` registers each. `spread` is z times their relative standard error.
 */
void ink__inclusion_exclusion(ink_overlap *overlap, double spread, double registers);

#endif
