/* gen.c - ink gen: test data, the same for the same seed on every machine. */
#include "commands/commands.h"
#include "inkling_command.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

#include <string.h>

static int check_kind(const char *name)
{
    char list[WORDS_BYTES] = "";

    for (size_t i = 0; ink_generation_kind(i, NULL) != NULL; i++) {
        if (name != NULL && strcmp(ink_generation_kind(i, NULL), name) == 0)
            return 0;
        suggestions_add(list, ", ", ink_generation_kind(i, NULL));
    }
    if (name == NULL)
        return fail_usage("gen without a kind, expected %s", list);
    return fail_unknown("kind of data", name, ink_generation_kind, list);
}

static int check(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    const char         *output = options[OPTION_OUTPUT].text;

    TRY(check_kind(arguments->operand_count == 0 ? NULL : arguments->operands[0]));
    if (arguments->operand_count > 1)
        return fail_usage("%s after %s, expected one kind", shown(arguments->operands[1]),
                          arguments->operands[0]);
    if (options[OPTION_SAMPLE].given != options[OPTION_SAMPLE_OUT].given)
        return fail_usage("--sample and --sample-out go together");
    if (output != NULL && strcmp(output, "-") != 0)
        TRY(target_check(arguments, output, NULL, 0, false));
    if (!options[OPTION_SAMPLE_OUT].given)
        return 0;
    if (output != NULL && targets_meet(output, options[OPTION_SAMPLE_OUT].text))
        return fail_usage("%s: --output and --sample-out are the same", shown(output));
    if (output == NULL && strcmp(options[OPTION_SAMPLE_OUT].text, "-") == 0)
        return fail_usage("--sample-out -, expected a file, or -o FILE for the rest");
    return target_check(arguments, options[OPTION_SAMPLE_OUT].text, NULL, 0, false);
}

static int generate(const cli_arguments *arguments, cli_target *all, cli_target *sample)
{
    const option_given  *options = arguments->options;
    const ink_generation what = {
        .kind = arguments->operands[0],
        .records = options[OPTION_KEYS].number,
        .seed = options[OPTION_SEED].number,
        .skew = options[OPTION_SKEW].real,
        .sample = options[OPTION_SAMPLE].number,
        .sample_sink = options[OPTION_SAMPLE].given ? &sample->sink : NULL,
    };
    ink_job   job = progress_job(arguments);
    ink_error error;
    int       code = 0;

    if (ink_generate(&what, &all->sink, &job, &error) != INK_OK)
        return target_failed(all, &code) || target_failed(sample, &code)
                   ? code
                   : fail_error(job.failed_path, &error);
    progress_clear();
    TRY(target_commit(all));
    return target_commit(sample);
}

static int run(const cli_arguments *arguments)
{
    cli_target all, sample;

    TRY(check(arguments));
    const option_given *options = arguments->options;
    TRY(target_begin(&all, options[OPTION_OUTPUT].text, options[OPTION_FORCE].given));
    int code = target_begin(&sample, options[OPTION_SAMPLE_OUT].text, options[OPTION_FORCE].given);
    if (code == 0)
        code = generate(arguments, &all, &sample);
    target_abandon(&all);
    target_abandon(&sample);
    return code;
}

const cli_command command_gen = {
    .group = "try",
    .name = "gen",
    .operands = "KIND [-n N] [--seed S] [-o FILE]",
    .summary = "generate test data",
    .about = "Writes test records of a kind. The same seed gives the same records on "
             "every machine. A file is written whole or not at all.",
    .offers =
        OFFERS(OFFER_AS(KEYS, "how many records to write (default: by kind)"),
               OFFER_AS(SEED, "another seed gives other data (default 0)"),
               OFFER_AS(SKEW, "zipf, log: the exponent (default 1.1)"), OFFER(SAMPLE),
               OFFER(SAMPLE_OUT), OFFER_AS(OUTPUT, "the file to write (default: standard output)"),
               OFFER(FORCE), OFFER(THREADS), OFFERS_RUN, OFFER(QUIET)),
    .examples = LINES("ink gen log -n 1e6 -o million.log", "ink gen imdb -o titles.tsv",
                      "ink gen zipf -n 1e6 --skew 1.2 | ink build top -o zipf.ink",
                      "ink gen names -n 2e6 --sample 1e4 --sample-out set.txt -o flow.txt"),
    .codes = LINES("0  the records are written"),
    .words = ink_generation_kind,
    .words_title = "kinds",
    .run = run,
};
