/* lab.h - the published experiments, run anew: which there are, how they are run, and what comes of
 * it. The command ink lab calls this; experiments call workbench.h. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "inkling.h"

#include "workbench/findings.h"
#include "workbench/lab_options.h"

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
