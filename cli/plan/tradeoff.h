/* tradeoff.h - what a little more or less would cost: plans beside a plan, as plots. */
#ifndef INK_CLI_TRADEOFF_H
#define INK_CLI_TRADEOFF_H

#include "plan/plans.h"

#include <stddef.h>

/* Size against rate or error around the plan, which is marked; for a filter also what becomes of
 * the rate if other numbers of keys come. */
void tradeoff_print(const cli_plan *plan);

/* Several kinds side by side. */
void tradeoff_compare(const cli_plan *plans, size_t count);

#endif
