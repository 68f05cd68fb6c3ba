/* build.c - ink build: records in, sketches out. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/foreign_format.h"
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

/* The rate that was asked for where a format has sizes of its own, which then say no target. */
static double target_of(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    ink_description     like;

    if (!options[OPTION_AS].given || options[OPTION_BITS].given)
        return 0;
    if (options[OPTION_RATE].given)
        return options[OPTION_RATE].real;
    const ink_params asked = {.kind = foreign_kind(options[OPTION_AS].text), .expected_keys = 1};
    return ink_plan(&asked, &like, NULL) == INK_OK ? like.target_rate : 0;
}

/* Says which rate is promised where it is more than a tenth above the target, as for a classic of
 * few keys. */
static void report_promises(const cli_arguments *arguments, const ink_set *set)
{
    const char     *path = arguments->options[OPTION_OUTPUT].text;
    const double    target = target_of(arguments);
    ink_description d, worst = {0};
    size_t          above = 0;
    ink_entry       entry;

    for (size_t i = 0; i < ink_set_count(set); i++) {
        if (ink_set_entry(set, i, &entry, NULL) != INK_OK)
            return;
        ink_sketch_describe(entry.sketch, &d);
        d.target_rate = d.target_rate > 0 ? d.target_rate : target;
        if (d.target_rate <= 0 || d.promised_rate <= 1.1 * d.target_rate)
            continue;
        above++;
        if (d.promised_rate > worst.promised_rate)
            worst = d;
    }
    if (above > 0)
        say("%s: %zu filter%s more than a tenth above the target: %s for %" PRIu64
            " key%s, target %.3g, promised %.3g; expected a lower -p%s",
            shown_target(path), above, above == 1 ? " has a promise" : "s have promises",
            worst.kind, worst.expected_keys, worst.expected_keys == 1 ? "" : "s", worst.target_rate,
            worst.promised_rate, arguments->options[OPTION_AS].given ? "" : ", or bloom");
}

/* As a file of ours, or with --as of another system. */
static int save(const cli_arguments *arguments, const ink_set *set)
{
    const option_given *as = &arguments->options[OPTION_AS];
    ink_entry           entry;
    ink_error           error;

    if (!as->given)
        return target_save(arguments, set);
    if (ink_set_entry(set, 0, &entry, &error) != INK_OK)
        return fail_error(NULL, &error);
    return foreign_save(arguments, arguments->options[OPTION_OUTPUT].text, as->text, entry.sketch,
                        NULL);
}

static int build(const cli_arguments *arguments, const ink_params *kinds, size_t kind_count,
                 const cli_data *data)
{
    const ink_build_options options = {
        .kinds = kinds,
        .kind_count = kind_count,
        .headroom = arguments->options[OPTION_HEADROOM].real,
        .format = arguments->options[OPTION_AS].text,
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
    job_reports_skipped(arguments, &job);
    int code = save(arguments, set);
    if (code == 0 && !arguments->options[OPTION_QUIET].given &&
        !arguments->options[OPTION_MAX_RATE].given)
        report_promises(arguments, set);
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

/* The kinds that the first operand names, or the one of --as. */
static int read_kinds(const cli_arguments *arguments, ink_params *kinds, size_t *kind_count)
{
    const option_given *as = &arguments->options[OPTION_AS];

    if (!as->given && arguments->operand_count == 0)
        return fail_usage("build without a kind, expected one such as bloom");
    if (!as->given) {
        TRY(kinds_read(arguments->operands[0], kinds, kind_count));
        return check_blank(arguments);
    }
    TRY(foreign_check(OPTION_AS, as->text, true));
    if (arguments->operand_count > 0 && is_kind(arguments->operands[0]) &&
        access(arguments->operands[0], F_OK) != 0)
        return fail_usage("%s with --as %s, which is a %s: expected files of data",
                          arguments->operands[0], as->text, foreign_kind(as->text));
    if (arguments->options[OPTION_BY].given)
        return fail_usage("--by with --as %s, expected one sketch in a file of it", as->text);
    *kind_count = 1;
    kinds[0] = (ink_params){.kind = foreign_kind(as->text)};
    return 0;
}

static int run(const cli_arguments *arguments)
{
    const option_given *output = &arguments->options[OPTION_OUTPUT];
    const option_given *as = &arguments->options[OPTION_AS];
    const size_t        words = as->given || arguments->operand_count == 0 ? 0 : 1;
    const char *const  *paths = arguments->operands + words;
    size_t              path_count = arguments->operand_count - words, kind_count;
    ink_params          kinds[KINDS_MAX];
    const uint8_t      *secret;
    cli_data            data;

    TRY(read_kinds(arguments, kinds, &kind_count));
    if (!output->given)
        return fail_usage("build without -o, expected -o FILE for the sketches");
    TRY(sizes_set(arguments, kinds, kind_count));
    TRY(target_check(arguments, output->text, paths, path_count, false));
    TRY(temp_check(arguments));
    TRY(secret_read(arguments, &secret));
    TRY(data_begin(&data, arguments, paths, path_count));
    sizes_hash(arguments, secret, kinds, kind_count);
    int code = foreign_funnel(arguments, as->text, &kinds[0], &data.how.keys);
    if (code == 0)
        code = build(arguments, kinds, kind_count, &data);
    data_end(&data);
    return code;
}

const cli_command command_build = {
    .group = "make",
    .name = "build",
    .operands = "KIND[,KIND...] -o SKETCHES [FILE...] | --as NAME -o FILE [FILE...]",
    .summary = "records in, sketches out",
    .about =
        "Reads records, takes a key from each, and writes a sketch of each kind; with --by one for "
        "each group. Without -n a filter is sized by the different keys that were read. A filter "
        "that got more keys than -n, and so is above its promised rate, is refused. With --as the "
        "result is a file of another system.",
    .offers = OFFERS(OFFERS_RECORDS, OFFER(WEIGHT), OFFER(BY), OFFER(ROUND), OFFERS_HASH,
                     OFFER(KEYS), OFFERS_SIZES, OFFER(HEADROOM), OFFER(MAX_RATE), OFFER(AS),
                     OFFER(FUNNEL), OFFER(MEMORY), OFFER(THREADS), OFFER(OUTPUT), OFFER(FORCE),
                     OFFER(TEMP), OFFERS_RUN, OFFER(QUIET)),
    .examples =
        LINES("ink build bloom -o seen.ink words.txt      # as large as its keys need",
              "ink build bloom -n 1e6 -p 0.001 -o million.ink words.txt",
              "ink build bloom --header --key tconst --by averageRating --round half-even \\\n"
              "    -o groups.ink ratings.tsv              # a filter for each rating",
              "ink build bloom,hll,count-min --key user.id -o all.ink events.jsonl.gz",
              "ink build --as spark-v2 -n 1e6 -o words.bin words.txt   # Spark loads it",
              "zcat log.gz | ink build top -k 100 --fields --key 1 -o hosts.ink"),
    .codes = LINES("0  the sketches are written",
                   "1  a filter would break its promised rate; nothing is written"),
    .words = kind_words,
    .words_title = "kinds",
    .suggestions_join = true,
    .data_from = 2,
    .run = run,
};
