/* fold.c - ink fold: smaller filters from large ones. */
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

static int run(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    ink_job             job = progress_job(arguments);
    ink_set            *set;
    ink_error           error;

    if (arguments->operand_count != 1)
        return fail_usage("fold", "%zu files, expected one", arguments->operand_count);
    if (!options[OPTION_RATE].given)
        return fail_usage("fold", "fold without -p, expected -p P for the rate to keep");
    if (!options[OPTION_OUTPUT].given)
        return fail_usage("fold", "fold without -o, expected -o FILE for the result");
    TRY(target_check(arguments, options[OPTION_OUTPUT].text, arguments->operands,
                     arguments->operand_count, true));
    if (ink_fold_file(&set, arguments->operands[0], options[OPTION_RATE].real, 0, &job, &error) !=
        INK_OK)
        return job_fails(&job, arguments->operands[0], &error);
    progress_clear();
    int code = target_save(arguments, set);
    ink_set_free(set);
    return code;
}

const cli_command command_fold = {
    .group = "combine",
    .name = "fold",
    .operands = "-p P -o SKETCHES FILE",
    .summary = "shrink filters that are larger than needed",
    .about =
        "Folds every filter of a file to the smallest size at which its current rate, by its bits, "
        "is at most P. The result is exactly the filter that would have been built at that size; "
        "no data is read. Sizes that are a power of two fold best (ink build --bits).",
    .offers = OFFERS(OFFER_AS(RATE, "the highest false-positive rate that the result may have"),
                     OFFER(OUTPUT), OFFER(FORCE), OFFER(NO_PROGRESS), OFFER(QUIET)),
    .examples = LINES("ink fold -p 0.01 -o small.ink words.ink   # it was built with headroom",
                      "ink fold -p 0.05 --force -o words.ink words.ink"),
    .codes = LINES("0  the result is written", "1  a filter's rate is above -p already"),
    .run = run,
};
