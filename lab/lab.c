/* lab.c - which experiments there are, and how they are run: one after another. */
#include "lab.h"
#include "workbench/workbench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In the order of the page; each stands in a file of its own in experiments/. */
extern const experiment experiment_streams, experiment_ratings, experiment_uses,
    experiment_filtering, experiment_admission;

static const experiment *const experiments[] = {
    &experiment_streams,   &experiment_ratings,   &experiment_uses,
    &experiment_filtering, &experiment_admission,
};

enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

const char *lab_experiment(size_t index, const char **title)
{
    if (index >= EXPERIMENTS)
        return NULL;
    if (title != NULL)
        *title = experiments[index]->title;
    return experiments[index]->id;
}

static bool is_wanted(const lab_options *options, const experiment *one)
{
    return options->only == NULL || strcmp(options->only, one->id) == 0;
}

static ink_status fail_unknown(const char *only, ink_error *error)
{
    size_t used;

    error->status = INK_USAGE;
    used = (size_t)snprintf(error->message, sizeof error->message,
                            "experiment \"%.40s\", expected one of", only);
    for (size_t i = 0; i < EXPERIMENTS && used < sizeof error->message; i++)
        used += (size_t)snprintf(error->message + used, sizeof error->message - used, "%s %s",
                                 i == 0 ? "" : ",", experiments[i]->id);
    return INK_USAGE;
}

static ink_status check_findings(const findings *found, ink_error *error)
{
    if (!found->refused)
        return INK_OK;
    *error = (ink_error){.status = INK_MEMORY};
    snprintf(error->message, sizeof error->message, "no memory for what was found");
    return INK_MEMORY;
}

/* What experiments write goes to memory: a sink of theirs that fails has found none. */
static ink_status report_memory(ink_status status, ink_error *error)
{
    if (status != INK_IO || error->os_error != ENOMEM)
        return status;
    snprintf(error->message, sizeof error->message, "not enough memory");
    return error->status = INK_MEMORY;
}

ink_status lab_run(const lab_options *options, findings *found, ink_error *error)
{
    unsigned all = 0, done = 0;

    *error = (ink_error){0};
    for (size_t i = 0; i < EXPERIMENTS; i++)
        all += is_wanted(options, experiments[i]) ? experiments[i]->share : 0;
    if (all == 0)
        return fail_unknown(options->only, error);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        const experiment *one = experiments[i];
        if (!is_wanted(options, one))
            continue;
        lab bench = {
            .found = found,
            .options = options,
            .threads = options->threads,
            .from = (double)done / all,
            .until = (double)(done + one->share) / all,
        };
        found_experiment(found, one->id, one->title, one->source, one->about);
        one->run(&bench);
        if (bench.status != INK_OK) {
            *error = bench.error;
            return report_memory(bench.status, error);
        }
        done += one->share;
    }
    return check_findings(found, error);
}
