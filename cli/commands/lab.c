/* lab.c - ink lab: published experiments, run again, as one page. */
#include "lab.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/signals.h"

#include <stdlib.h>
#include <string.h>

/* The path of the results as JSON, page.json beside page.html; the caller frees it. */
static char *json_beside(const char *page)
{
    size_t length = strlen(page);
    bool   html = length > 5 && strcmp(page + length - 5, ".html") == 0;
    char  *json = need_memory(NULL, length + sizeof ".json");

    strcpy(json, page);
    strcpy(json + length - (html ? 5 : 0), ".json");
    return json;
}

static bool show(void *host, const char *what, double share)
{
    progress_share(host, what, share);
    return !signals_pending();
}

typedef ink_status lab_write(const findings *found, const lab_options *options,
                             const ink_sink *sink, ink_error *error);

static int write_one(const char *path, bool overwrite, lab_write *write, const findings *found,
                     const lab_options *options)
{
    cli_target target;
    ink_error  error;
    int        code;

    TRY(target_begin(&target, path, overwrite));
    if (write(found, options, &target.sink, &error) == INK_OK)
        return target_commit(&target);
    return target_failed(&target, &code) ? code : fail_error(path, &error);
}

static lab_options options_of(const cli_arguments *arguments)
{
    const option_given *given = arguments->options;

    return (lab_options){
        .quick = given[OPTION_QUICK].given,
        .only = given[OPTION_ONLY].text,
        .threads = (unsigned)given[OPTION_THREADS].number,
        .spark = given[OPTION_SPARK].text,
        .hadoop = given[OPTION_HADOOP].text,
        .progress = show,
        .host = (void *)(uintptr_t)arguments,
    };
}

static int run_lab(const cli_arguments *arguments, const char *page, const char *json)
{
    const option_given *given = arguments->options;
    const lab_options   options = options_of(arguments);
    findings            found = {0};
    ink_error           error;
    int                 code = 0;

    signals_begin(NULL, NULL);
    ink_status status = lab_run(&options, &found, &error);
    signals_over();
    progress_clear();
    signals_die();
    if (status != INK_OK)
        code = status == INK_USAGE ? fail_usage("%s", error.message) : fail_error(NULL, &error);
    if (code == 0)
        code = write_one(json, given[OPTION_FORCE].given, lab_write_json, &found, &options);
    if (code == 0)
        code = write_one(page, given[OPTION_FORCE].given, lab_write_page, &found, &options);
    findings_free(&found);
    if (code == 0 && !given[OPTION_QUIET].given)
        say("%s: the page; %s: the same as JSON", page, json);
    return code;
}

static int run(const cli_arguments *arguments)
{
    const option_given *output = &arguments->options[OPTION_OUTPUT];
    const char         *page = output->given ? output->text : "lab.html";

    if (arguments->operand_count > 0)
        return fail_usage("%s beside options, expected none, or --only ID",
                          shown(arguments->operands[0]));
    if (strcmp(page, "-") == 0)
        return fail_usage("-o -, expected a file: JSON goes beside it");
    TRY(target_check(arguments, page, NULL, 0, false));
    char *json = json_beside(page);
    int   code = target_check(arguments, json, NULL, 0, false);
    if (code == 0)
        code = run_lab(arguments, page, json);
    free(json);
    return code;
}

const cli_command command_lab = {
    .group = "try",
    .name = "lab",
    .operands = "[--quick] [--only ID] [-o PAGE]",
    .summary = "published experiments, run again, as one page",
    .about = "Runs published experiments on sketches, and writes one page with\n"
             "their figures beside ours, every one of ours computed in this run, with the\n"
             "commands that make it.",
    .offers =
        OFFERS(OFFER(QUICK), OFFER(ONLY), OFFER(SPARK), OFFER(HADOOP), OFFER(THREADS),
               OFFER_AS(OUTPUT, "where the page goes; JSON goes beside it (default lab.html)"),
               OFFER(FORCE), OFFER(NO_PROGRESS), OFFER(QUIET)),
    .examples = LINES("ink lab --quick --only 000 -o streams.html"),
    .codes = LINES("0  the page is written"),
    .words = lab_experiment,
    .words_title = "experiments",
    .run = run,
};
