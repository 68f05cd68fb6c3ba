/* convert.c - ink convert: sketches of other systems from and to files of ours. */
#include "arguments/foreign_format.h"
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

#include <stdio.h>
#include <string.h>

/* Writes the only sketch of a set for another system. */
static int save_foreign(const cli_arguments *arguments, const char *format, const ink_set *set)
{
    ink_entry entry;
    ink_error error;

    if (ink_set_count(set) != 1)
        return fail_usage("%s: %zu sketches, expected one for --to %s",
                          shown_path(arguments->operands[0]), ink_set_count(set), format);
    if (ink_set_entry(set, 0, &entry, &error) != INK_OK)
        return fail_error(arguments->operands[0], &error);
    return foreign_save(arguments, arguments->operands[1], format, entry.sketch,
                        arguments->operands[0]);
}

static void report_lost(const cli_arguments *arguments, const char *lost)
{
    if (lost != NULL && !arguments->options[OPTION_QUIET].given)
        say("%s: not kept: %s", shown_target(arguments->operands[1]), lost);
}

static int run(const cli_arguments *arguments)
{
    const option_given     *to = &arguments->options[OPTION_TO];
    const bool              own = !to->given || strcmp(to->text, "ink") == 0;
    const ink_foreign_info *found;
    ink_job                 job = progress_job(arguments);
    ink_input               input = {.path = arguments->operands[0]};
    ink_set                *set;
    ink_error               error;

    if (arguments->operand_count != 2)
        return fail_usage("%zu file%s, expected two: IN and OUT", arguments->operand_count,
                          arguments->operand_count == 1 ? "" : "s");
    if (!own)
        TRY(foreign_check(OPTION_TO, to->text, true));
    TRY(foreign_read(arguments, false, &input.foreign));
    TRY(target_check(arguments, arguments->operands[1], arguments->operands, 1, true));
    path_announce(input.path);
    if (ink_convert(&set, &input, &job, &found, &error) != INK_OK)
        return fail_error(job.failed_path, &error);
    progress_clear();
    int code = own ? target_save_at(arguments, arguments->operands[1], set)
                   : save_foreign(arguments, to->text, set);
    if (code == 0) {
        report_lost(arguments, found == NULL ? NULL : found->lost);
        report_lost(arguments, own ? NULL : foreign_unsaid(to->text));
    }
    ink_set_free(set);
    return code;
}

/* What help lists. */
static const char *formats(size_t index, const char **about)
{
    static char             text[160];
    const ink_foreign_info *info = ink_foreign(index);

    if (info == NULL)
        return NULL;
    snprintf(text, sizeof text, "%s: %s, %s", info->about, info->kind,
             info->writes ? "read and written" : "read");
    if (about != NULL)
        *about = text;
    return info->name;
}

const cli_command command_convert = {
    .group = "combine",
    .name = "convert",
    .operands = "[--from NAME] [--to NAME] IN OUT",
    .summary = "sketches of other systems from and to files of ours",
    .about =
        "Reads a file of sketches, of ours or of another system, and writes it in another format. "
        "--from auto takes the only format that a file fits in full; formats with a magic number "
        "need no --from. A sketch hashes keys as its system does, so it is written for a system "
        "only if it came from there, or was made by ink build --as. docs/formats.md shows how for "
        "each system.",
    .offers = OFFERS(OFFERS_FOREIGN_ALONE, OFFER(TO), OFFER(THREADS), OFFER(FORCE), OFFERS_RUN,
                     OFFER(QUIET)),
    .examples = LINES("ink convert --from spark-v1 users.bin users.ink   # of df.stat.bloomFilter",
                      "ink convert --to spark-v1 users.ink - > same.bin",
                      "ink filter --from auto users.bin words.txt        # asked as it is",
                      "ink build --as spark-v2 -o words.bin words.txt    # Spark 4.1 loads it"),
    .codes = LINES("0  the file is written"),
    .listed = formats,
    .words_title = "formats",
    .writes_last = true,
    .run = run,
};
