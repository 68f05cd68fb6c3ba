/* meaning.h - the numbers of a plan, in a few words. */
#ifndef INK_CLI_MEANING_H
#define INK_CLI_MEANING_H

#include "plan/plans.h"

enum { PLAN_MEANING_BYTES = 160 };

void plan_meaning(char text[PLAN_MEANING_BYTES], const cli_plan *plan);

#endif
