/* tradeoff.h - size against rate or error, around a plan and between kinds, as plots. */
#ifndef INK_CLI_TRADEOFF_H
#define INK_CLI_TRADEOFF_H

#include "plan/plans.h"

#include <stddef.h>

/* Size against rate or error around the plan, which is marked; for a filter also its rate with
 * other numbers of keys. */
void tradeoff_print(const cli_plan *plan);

/* Several kinds side by side. */
void tradeoff_compare(const cli_plan *plans, size_t count);

#endif
