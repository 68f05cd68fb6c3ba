/* merge.c - ink merge and ink fold: several sketch files into one, and smaller filters. */
#include "arguments/foreign_format.h"
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

/* Checks -o; all files are read before it is written. */
static int check_output(const cli_arguments *arguments, const char *of)
{
    const option_given *output = &arguments->options[OPTION_OUTPUT];
    const char         *name = arguments->command->name;

    if (!output->given)
        return fail_usage("%s without -o, expected -o FILE for the %s", name, of);
    return target_check(arguments, output->text, arguments->operands, arguments->operand_count,
                        true);
}

static int run_merge(const cli_arguments *arguments)
{
    const option_given     *options = arguments->options;
    const ink_merge_options how = {.max_rate = options[OPTION_MAX_RATE].real};
    ink_job                 job = progress_job(arguments);
    ink_set                *set;
    ink_error               error;

    if (arguments->operand_count == 0)
        return fail_usage("merge without sketch files");
    TRY(check_output(arguments, "union"));
    TRY(foreign_read(arguments, false, &job.foreign));
    for (size_t i = 0; i < arguments->operand_count; i++)
        path_announce(arguments->operands[i]);
    if (ink_merge_files(&set, arguments->operands, arguments->operand_count,
                        how.max_rate > 0 ? &how : NULL, &job, &error) != INK_OK)
        return fail_error(job.failed_path, &error);
    progress_clear();
    int code = target_save(arguments, set);
    if (code == 0 && ink_set_input_spec_dropped(set) && !options[OPTION_QUIET].given)
        say("%s: the files were read in different ways, so the union keeps no input spec; say how "
            "data is read",
            shown_target(options[OPTION_OUTPUT].text));
    ink_set_free(set);
    return code;
}

static int run_fold(const cli_arguments *arguments)
{
    const option_given *rate = &arguments->options[OPTION_RATE];
    ink_job             job = progress_job(arguments);
    ink_set            *set;
    ink_error           error;

    if (arguments->operand_count != 1)
        return fail_usage("%zu files, expected one", arguments->operand_count);
    TRY(check_output(arguments, "result"));
    path_announce(arguments->operands[0]);
    if (ink_fold_file(&set, arguments->operands[0], rate->real, 0, &job, &error) != INK_OK)
        return job_fails(&job, arguments->operands[0], &error);
    progress_clear();
    int code = target_save(arguments, set);
    ink_set_free(set);
    return code;
}

const cli_command command_merge = {
    .group = "combine",
    .name = "merge",
    .operands = "-o SKETCHES FILE...",
    .summary = "several sketch files into one",
    .about = "Merges sketches of the same kind and group, as if one had been built from all "
             "records; a sketch that only one file has is copied. Filters must have the same size, "
             "or sizes that divide each other. A union above its promised rate is refused.",
    .offers = OFFERS(OFFERS_FOREIGN_ALONE, OFFER(MAX_RATE), OFFER(THREADS), OFFER(OUTPUT),
                     OFFER(FORCE), OFFERS_RUN, OFFER(QUIET)),
    .examples = LINES("ink build bloom -n 1e6 -o mon.ink mon.txt   # filters of one size:",
                      "ink build bloom -n 1e6 -o tue.ink tue.txt   # both have the same -n",
                      "ink merge -o both.ink mon.ink tue.ink",
                      "ink merge --max-rate 0.02 -o all.ink part-*.ink",
                      "ink merge --force -o mon.ink mon.ink tue.ink"),
    .codes = LINES("0  the union is written", "1  it would break its promised rate"),
    .run = run_merge,
};

const cli_command command_fold = {
    .group = "combine",
    .name = "fold",
    .operands = "[-p P] -o SKETCHES FILE",
    .summary = "shrink filters that are larger than needed",
    .about =
        "Folds every filter of a file to the smallest size at which its current rate, by its bits, "
        "is at most P, without -p the rate that it was made for. The result is exactly the filter "
        "that would have been built at that size; no data is read. Sizes that are a power of two "
        "fold best (ink build --bits).",
    .offers =
        OFFERS(OFFER_AS(RATE, "the highest false-positive rate that the result may have (default: "
                              "that which the filter was made for)"),
               OFFER(THREADS), OFFER(OUTPUT), OFFER(FORCE), OFFERS_RUN, OFFER(QUIET)),
    .examples = LINES("ink fold -o small.ink words.ink           # it was built with headroom",
                      "ink fold -p 0.05 --force -o words.ink words.ink"),
    .codes = LINES("0  the result is written", "1  a filter's rate is above -p already"),
    .run = run_fold,
};
