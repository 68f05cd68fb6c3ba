/* build.c - ink build: records in, sketches out. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/inputs.h"
#include "arguments/kind_params.h"
#include "commands/commands.h"
#include "options/quantities.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line for a terminal; nothing in a script. */
static void notify(const cli_arguments *arguments, const ink_set *set, const ink_job *job,
                   double started)
{
    const char *path = arguments->options[OPTION_OUTPUT].text;
    size_t      count = ink_set_count(set);
    struct stat status;
    char        size[32];

    if (!is_interactive(arguments) || strcmp(path, "-") == 0 || stat(path, &status) != 0)
        return;
    format_size(size, sizeof size, (uint64_t)status.st_size);
    say("%s: %zu sketch%s of %" PRIu64 " record%s, %s, in %.2f s", shown(path), count,
        count == 1 ? "" : "es", job->records, job->records == 1 ? "" : "s", size,
        seconds_now() - started);
}

/* Says which rate is promised where it is more than a tenth above the target, as for a classic of
 * few keys. */
static void report_promises(const char *path, const ink_set *set)
{
    ink_description d, worst = {0};
    size_t          above = 0;
    ink_entry       entry;

    for (size_t i = 0; i < ink_set_count(set); i++) {
        if (ink_set_entry(set, i, &entry, NULL) != INK_OK)
            return;
        ink_sketch_describe(entry.sketch, &d);
        if (d.target_rate <= 0 || d.promised_rate <= 1.1 * d.target_rate)
            continue;
        above++;
        if (d.promised_rate > worst.promised_rate)
            worst = d;
    }
    if (above > 0)
        say("%s: %zu filter%s more than a tenth above the target: %s for %" PRIu64
            " key%s, target %.3g, promised %.3g; expected a lower -p, or bloom",
            shown_path(path), above, above == 1 ? " has a promise" : "s have promises", worst.kind,
            worst.expected_keys, worst.expected_keys == 1 ? "" : "s", worst.target_rate,
            worst.promised_rate);
}

static int build(const cli_arguments *arguments, const ink_params *kinds, size_t kind_count,
                 const cli_data *data)
{
    const ink_build_options options = {
        .kinds = kinds,
        .kind_count = kind_count,
        .headroom = arguments->options[OPTION_HEADROOM].real,
    };
    double    started = seconds_now();
    ink_job   job = progress_job(arguments);
    ink_set  *set;
    ink_error error;

    inputs_announce(data->inputs, data->input_count);
    if (ink_build(&set, data->inputs, data->input_count, &data->how, &options, &job, &error) !=
        INK_OK)
        return error.status == INK_PROMISE
                   ? target_refused(arguments->options[OPTION_OUTPUT].text, &error)
                   : fail_error(job.failed_path, &error);
    job_reports_skipped(&job);
    int code = target_save(arguments, set);
    if (code == 0 && !arguments->options[OPTION_QUIET].given &&
        !arguments->options[OPTION_MAX_RATE].given)
        report_promises(arguments->options[OPTION_OUTPUT].text, set);
    if (code == 0)
        notify(arguments, set, &job, started);
    ink_set_free(set);
    return code;
}

/* "bloom hll" is a kind and a file; if no such file exists, a comma was probably meant. */
static int check_blank(const cli_arguments *arguments)
{
    const char *const *words = arguments->operands;

    if (arguments->operand_count < 2 || !is_kind(words[1]) || access(words[1], F_OK) == 0)
        return 0;
    return fail_usage("%s %s: kinds are joined by commas, as %s,%s", words[0], words[1], words[0],
                      words[1]);
}

static int run(const cli_arguments *arguments)
{
    const option_given *output = &arguments->options[OPTION_OUTPUT];
    const char *const  *paths = arguments->operands + 1;
    size_t              path_count = arguments->operand_count - 1, kind_count;
    ink_params          kinds[KINDS_MAX];
    const uint8_t      *secret;
    cli_data            data;

    if (arguments->operand_count == 0)
        return fail_usage("build without a kind, expected one such as bloom");
    TRY(kinds_read(arguments->operands[0], kinds, &kind_count));
    TRY(check_blank(arguments));
    if (!output->given)
        return fail_usage("build without -o, expected -o FILE for the sketches");
    TRY(sizes_set(arguments, kinds, kind_count));
    TRY(target_check(arguments, output->text, paths, path_count, false));
    TRY(temp_check(arguments));
    TRY(secret_read(arguments, &secret));
    TRY(data_begin(&data, arguments, paths, path_count));
    sizes_hash(arguments, secret, kinds, kind_count);
    int code = build(arguments, kinds, kind_count, &data);
    data_end(&data);
    return code;
}

const cli_command command_build = {
    .group = "make",
    .name = "build",
    .operands = "KIND[,KIND...] -o SKETCHES [FILE...]",
    .summary = "records in, sketches out",
    .about =
        "Reads records, takes a key from each, and writes a sketch of each kind; with --by one for "
        "each group. Without -n a filter is sized by the different keys that were read. A filter "
        "that got more keys than -n, and so is above its promised rate, is refused.",
    .offers =
        OFFERS(OFFERS_RECORDS, OFFER(WEIGHT), OFFER(BY), OFFER(ROUND), OFFERS_HASH, OFFER(KEYS),
               OFFERS_SIZES, OFFER(HEADROOM), OFFER(MAX_RATE), OFFER(MEMORY), OFFER(THREADS),
               OFFER(OUTPUT), OFFER(FORCE), OFFER(TEMP), OFFERS_RUN, OFFER(QUIET)),
    .examples =
        LINES("ink build bloom -o seen.ink words.txt      # as large as its keys need",
              "ink build bloom -n 1e6 -p 0.001 -o million.ink words.txt",
              "ink build bloom --header --key tconst --by averageRating --round half-even \\\n"
              "    -o groups.ink ratings.tsv              # a filter for each rating",
              "ink build bloom,hll,count-min --key user.id -o all.ink events.jsonl.gz",
              "zcat log.gz | ink build top -k 100 --fields --key 1 -o hosts.ink"),
    .codes = LINES("0  the sketches are written",
                   "1  a filter would break its promised rate; nothing is written"),
    .words = kind_words,
    .words_title = "kinds",
    .suggestions_join = true,
    .data_from = 2,
    .run = run,
};
