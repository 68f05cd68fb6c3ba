/* verify.c - ink verify: measure rates and errors against the true data. */
#include "arguments/arguments.h"
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/progress.h"
#include "report/verify_report.h"

#include <stdlib.h>
#include <string.h>

/* The files of --truth, and the operands after the sketch file. */
static int truth_of(const cli_arguments *arguments, cli_data *truth)
{
    size_t       given = options_list(arguments, OPTION_TRUTH, NULL, 0);
    size_t       count = given + arguments->operand_count - 1;
    const char **paths = need_memory(NULL, count * sizeof *paths);

    options_list(arguments, OPTION_TRUTH, paths, given);
    for (size_t i = given; i < count; i++)
        paths[i] = arguments->operands[1 + i - given];
    int code = count == 0 ? fail_usage("verify", "verify without --truth, expected --truth FILE (- "
                                                 "is standard input)")
                          : data_begin(truth, arguments, paths, count);
    if (code == 0 && strcmp(truth->inputs[0].path, "-") == 0 &&
        strcmp(arguments->operands[0], "-") == 0) {
        data_end(truth);
        code = fail_usage("verify", "sketches and truth from standard input, expected a FILE");
    }
    free(paths);
    return code;
}

static int absent_of(const cli_arguments *arguments, ink_input **inputs, size_t *input_count)
{
    size_t       given = options_list(arguments, OPTION_ABSENT, NULL, 0);
    const char **paths = need_memory(NULL, given * sizeof *paths);

    options_list(arguments, OPTION_ABSENT, paths, given);
    int code = given == 0 ? 0 : inputs_of(arguments, paths, given, inputs, input_count);
    free(paths);
    return code;
}

static int verify(const cli_arguments *arguments, const ink_file *file,
                  const ink_verify_options *options, const cli_data *truth)
{
    ink_job           job = progress_job(arguments);
    ink_verification *verification;
    ink_error         error;

    if (ink_verify(&verification, file, truth->inputs, truth->input_count, &truth->reading.how,
                   options, &job, &error) != INK_OK)
        return job_fails(&job, arguments->operands[0], &error);
    progress_clear();
    job_reports_skipped(&job);
    int code = verify_report_print(arguments, verification);
    ink_verification_free(verification);
    return code;
}

static int run(const cli_arguments *arguments)
{
    ink_verify_options options = {0};
    ink_input         *absent = NULL;
    cli_data           truth;
    ink_file          *file;
    uint8_t            secret[INK_SECRET_BYTES];

    if (arguments->operand_count == 0)
        return fail_usage("verify", "verify without a sketch file");
    TRY(temp_check(arguments));
    TRY(secret_read(arguments, secret, &options.secret));
    TRY(truth_of(arguments, &truth));
    int code = absent_of(arguments, &absent, &options.absent_count);
    if (code == 0) {
        options.absent = absent;
        code = sketches_open(&file, arguments->operands[0]);
    }
    if (code == 0) {
        code = verify(arguments, file, &options, &truth);
        ink_file_close(file);
    }
    data_end(&truth);
    free(absent);
    return code;
}

const cli_command command_verify = {
    .group = "check",
    .name = "verify",
    .operands = "SKETCHES --truth FILE [FILE...]",
    .summary = "measure rates and errors against the true data",
    .about = "Queries the sketches for keys whose true answer is known, and compares their errors "
             "with the promised ones. A filter is tested with its members, and with non-members: "
             "the keys of other groups, those of --absent, or random keys. A group above its "
             "promise is marked; the result is about all groups together.",
    .offers = OFFERS(OFFER(TRUTH), OFFER(ABSENT), OFFERS_MORE_RECORDS,
                     OFFER_AS(MEMORY, "memory for the true keys, such as 64M (default 1G)"),
                     OFFER(THREADS), OFFER(TEMP), OFFER(NO_PROGRESS),
                     OFFER_AS(QUIET, "print nothing; the exit code is the result"), OFFERS_FORMS),
    .examples = LINES("ink verify words.ink --truth words.txt        # non-members: random keys",
                      "ink verify words.ink --truth words.txt --absent more.txt",
                      "ink verify ratings.ink --truth ratings.tsv    # non-members: other groups",
                      "ink verify --json count.ink --truth words.txt"),
    .codes = LINES("0  every promise is kept",
                   "1  a true member is denied, or there are more errors than promised"),
    .run = run,
};
