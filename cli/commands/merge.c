/* merge.c - ink merge: several sketch files into one. */
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

static int run(const cli_arguments *arguments)
{
    const option_given     *options = arguments->options;
    const ink_merge_options how = {.max_rate = options[OPTION_MAX_RATE].real};
    ink_job                 job = progress_job(arguments);
    ink_set                *set;
    ink_error               error;

    if (arguments->operand_count == 0)
        return fail_usage("merge", "merge without sketch files");
    if (!options[OPTION_OUTPUT].given)
        return fail_usage("merge", "merge without -o, expected -o FILE for the union");
    TRY(target_check(arguments, options[OPTION_OUTPUT].text, arguments->operands,
                     arguments->operand_count, true));
    if (ink_merge_files(&set, arguments->operands, arguments->operand_count,
                        how.max_rate > 0 ? &how : NULL, &job, &error) != INK_OK)
        return fail_error(job.failed_path, &error);
    progress_clear();
    int code = target_save(arguments, set);
    if (code == 0 && ink_set_input_spec_dropped(set))
        say("%s: the files were read in different ways, so the union keeps no input spec; say how "
            "data is read",
            shown_path(options[OPTION_OUTPUT].text));
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
    .offers = OFFERS(OFFER(MAX_RATE), OFFER(THREADS), OFFER(OUTPUT), OFFER(FORCE),
                     OFFER(NO_PROGRESS), OFFER(QUIET)),
    .examples = LINES("ink build bloom -n 1e6 -o mon.ink mon.txt   # filters of one size:",
                      "ink build bloom -n 1e6 -o tue.ink tue.txt   # both have the same -n",
                      "ink merge -o both.ink mon.ink tue.ink",
                      "ink merge --max-rate 0.02 -o all.ink part-*.ink",
                      "ink merge --force -o mon.ink mon.ink tue.ink"),
    .codes = LINES("0  the union is written", "1  it would break its promised rate"),
    .run = run,
};
