/* update.c - ink add and ink remove: a file of sketches is changed, whole or not at all. */
#define _XOPEN_SOURCE 700
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/progress.h"
#include "report/tuples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const cli_command command_remove;

static bool removes(const cli_arguments *arguments)
{
    return arguments->command == &command_remove;
}

/* ---- What is told ------------------------------------------------------------------------- */

/* A line for whoever sits there; nothing in a script. */
static void notify(const cli_arguments *arguments, const ink_update_report *report,
                   const ink_job *job, double started)
{
    char made[48] = "";

    if (!somebody_waits(arguments))
        return;
    if (report->made > 0)
        snprintf(made, sizeof made, " (%" PRIu64 " new)", report->made);
    say("%s: %" PRIu64 " of %" PRIu64 " record%s %s %" PRIu64 " sketch%s%s, in %.2f s",
        shown(arguments->operands[0]), report->changed, job->records, job->records == 1 ? "" : "s",
        removes(arguments) ? "removed from" : "added to", report->sketches,
        report->sketches == 1 ? "" : "es", made, seconds_now() - started);
}

/* A key that is not in; of a long one as much as is known of it. */
static void put_key(char *text, size_t room, const ink_absent_key *absent,
                    const ink_update_report *report)
{
    const size_t known = sizeof absent->key;
    bool         cut = absent->key_bytes > known;
    size_t       bytes = cut ? known : absent->key_bytes;
    uint8_t     *record = NULL;

    if (report->key_columns > 1)
        record = tuple_join(absent->key, bytes, cut, &bytes);
    const char *key =
        bytes == 0 ? "\"\"" : shown_bytes(record == NULL ? absent->key : record, bytes);
    snprintf(text, room, "%s%s", key, cut ? "..." : "");
    free(record);
}

enum { KEY_ROOM = 4 * INK_ABSENT_KEY_BYTES + 8 };

/* Adds the first keys that are not in, if there are several: " (3 such records: foo, bar, baz)". */
static void put_absent(char *text, size_t room, const ink_update_report *report)
{
    size_t used = 0;
    char   key[KEY_ROOM];

    *text = '\0';
    if (report->absent < 2)
        return;
    used = (size_t)snprintf(text, room, " (%" PRIu64 " such records:", report->absent);
    for (uint64_t i = 0; i < report->absent && i < INK_ABSENT_KEYS; i++) {
        put_key(key, sizeof key, &report->absent_keys[i], report);
        used += (size_t)snprintf(text + used, room - used, "%s %s", i == 0 ? "" : ",", key);
    }
    snprintf(text + used, room - used, "%s)", report->absent > INK_ABSENT_KEYS ? ", ..." : "");
}

static int fail_absent(const cli_arguments *arguments, const ink_update_report *report)
{
    const ink_absent_key *first = &report->absent_keys[0];
    char                  key[KEY_ROOM], list[64 + INK_ABSENT_KEYS * (KEY_ROOM + 2)];
    char                  line[32] = "";
    bool                  asks = arguments->options[OPTION_ASK].given;

    put_key(key, sizeof key, first, report);
    put_absent(list, sizeof list, report);
    if (!asks)
        snprintf(line, sizeof line, ": line %" PRIu64 ": ", first->line);
    return fail(CODE_NO, "%s%skey %s is not in %s%s%s; nothing was removed%s",
                asks ? "" : shown_path(first->path), line, key,
                report->grouped ? "its group of " : "", shown(arguments->operands[0]),
                first->fewer ? " so often" : "", list);
}

/* ---- The command -------------------------------------------------------------------------- */

static int update(const cli_arguments *arguments, const ink_input *inputs, size_t input_count,
                  const ink_reading *how, const uint8_t *secret)
{
    const option_given      *options = arguments->options;
    const char              *path = arguments->operands[0];
    const ink_update_options wanted = {
        .remove = removes(arguments),
        .once = options[OPTION_ONCE].given,
        .max_rate = options[OPTION_MAX_RATE].real,
        .secret = secret,
    };
    double            started = seconds_now();
    ink_job           job = progress_job(arguments);
    ink_update_report report;
    ink_error         error;

    ink_status status = ink_update(path, inputs, input_count, how, &wanted, &report, &job, &error);
    progress_clear();
    if (status == INK_NOT_FOUND && report.absent > 0)
        return fail_absent(arguments, &report);
    if (status != INK_OK)
        return job_fails(&job, NULL, &error);
    job_reports_skipped(&job);
    if (report.stuck > 0)
        say("%s: %" PRIu64 " of %" PRIu64
            " keys stay in for good: their counters are full, as after 15 additions",
            shown(arguments->operands[0]), report.stuck, report.changed);
    notify(arguments, &report, &job, started);
    return CODE_YES;
}

/* A key of -e is plain: it names no group, and a tuple has no plain form. */
static int check_file(const cli_arguments *arguments)
{
    const char     *path = arguments->operands[0];
    ink_entry_info  entry = {0};
    ink_reading     how;
    ink_input_spec *input_spec;
    ink_file       *file;
    ink_error       error;

    if (ink_file_open(&file, path, INK_OPEN_LAZY, NULL, &error) != INK_OK)
        return fail_error(path, &error);
    if (ink_file_count(file) > 0)
        ink_file_entry(file, 0, &entry, &error);
    bool       grouped = entry.label.group_kind != INK_GROUP_NONE;
    ink_status status = ink_input_spec_read(&input_spec, file, &how, &error);
    ink_file_close(file);
    if (status != INK_OK)
        return fail_error(path, &error);
    size_t columns = how.key_count;
    ink_input_spec_free(input_spec);
    if (grouped)
        return fail_usage(arguments->command->name,
                          "-e, but %s has groups, expected data that names them", shown(path));
    if (columns > 1)
        return fail_usage(arguments->command->name,
                          "-e, but keys of %s are tuples of %zu columns, expected data with these",
                          shown(path), columns);
    return 0;
}

static int update_keys(const cli_arguments *arguments, const uint8_t *secret)
{
    const ink_reading plain = {.form = INK_FORM_NUL};
    ink_input         input;
    uint8_t          *bytes;

    int code = check_file(arguments);
    if (code != 0)
        return code;
    inputs_of_keys(arguments, &bytes, &input);
    code = update(arguments, &input, 1, &plain, secret);
    free(bytes);
    return code;
}

static int update_data(const cli_arguments *arguments, const uint8_t *secret)
{
    cli_data data;

    int code = data_begin(&data, arguments, arguments->operands + 1, arguments->operand_count - 1);
    if (code != 0)
        return code;
    code = update(arguments, data.inputs, data.input_count, &data.reading.how, secret);
    data_end(&data);
    return code;
}

static int run(const cli_arguments *arguments)
{
    const char    *name = arguments->command->name;
    bool           asks = arguments->options[OPTION_ASK].given;
    uint8_t        room[INK_SECRET_BYTES];
    const uint8_t *secret;

    if (arguments->operand_count == 0)
        return fail_usage(name, "%s without a sketch file", name);
    if (strcmp(arguments->operands[0], "-") == 0)
        return fail_usage(name, "sketches from standard input, expected a file to change");
    int code = asks ? keys_check(arguments, 1) : 0;
    if (code == 0)
        code = secret_read(arguments, room, &secret);
    if (code != 0)
        return code;
    return asks ? update_keys(arguments, secret) : update_data(arguments, secret);
}

/* ---- Help --------------------------------------------------------------------------------- */

static const cli_offer add_offers[] = {
    {.id = OPTION_ONCE},
    {.id = OPTION_ASK, .about = "add this key, and read no data; may be repeated"},
    OFFERS_RECORDS,
    {.id = OPTION_WEIGHT},
    {.id = OPTION_BY, .about = "the column that names the group of a record"},
    {.id = OPTION_ROUND},
    {.id = OPTION_SECRET, .about = "the secret that the sketches were built with"},
    {.id = OPTION_MAX_RATE,
     .about = "the highest rate that a filter may come to have (default: the promised one)"},
    {.id = OPTION_MEMORY,
     .about = "memory for new groups and for what sketches grow by, such as 64M (default 1G)"},
    {.id = OPTION_THREADS},
    {.id = OPTION_NO_PROGRESS},
    {.id = OPTION_QUIET},
    {.id = OPTION_END},
};

static const cli_offer remove_offers[] = {
    {.id = OPTION_ASK, .about = "remove this key, and read no data; may be repeated"},
    OFFERS_RECORDS,
    {.id = OPTION_WEIGHT},
    {.id = OPTION_BY, .about = "the column that names the group of a record"},
    {.id = OPTION_ROUND},
    {.id = OPTION_SECRET, .about = "the secret that the sketches were built with"},
    {.id = OPTION_THREADS},
    {.id = OPTION_NO_PROGRESS},
    {.id = OPTION_QUIET},
    {.id = OPTION_END},
};

static const char *const add_examples[] = {
    "ink add words.ink more.txt",
    "ink add --max-rate 0.05 words.ink more.txt",
    "ink add --once -e alpha -e beta counting.ink",
    NULL,
};

static const char *const remove_examples[] = {
    "ink build counting -n 1e5 -o c2.ink words.txt && ink remove c2.ink gone.txt",
    "ink remove -e nobody counting.ink || echo it was not in",
    NULL,
};

static const char *const add_codes[] = {
    "0  the records are in",
    "1  a filter would break its promised rate; the file is as it was",
    NULL,
};

static const char *const remove_codes[] = {
    "0  the keys are out",
    "1  some key is not in; the file is as it was",
    NULL,
};

const cli_command command_add = {
    .group = "make",
    .name = "add",
    .operands = "SKETCHES [FILE...]",
    .summary = "add records to a file of sketches",
    .about = "Adds the keys of records to the sketches of a file, each key to those of its group, "
             "and replaces the file. Several commands that change one file wait for each other. If "
             "a filter would come to break its promised rate, nothing is changed.",
    .offers = add_offers,
    .examples = add_examples,
    .codes = add_codes,
    .run = run,
};

const cli_command command_remove = {
    .group = "make",
    .name = "remove",
    .operands = "SKETCHES [FILE...]",
    .summary = "take keys out of a file of counting filters",
    .about = "Removes keys from counting filters, each once, or as often as its weight says: all "
             "of them, or none if one is not in. Remove only what was added: a key that never was "
             "may seem to be in, at the filter's rate, and its removal harms others. A key that "
             "was added 15 times or more cannot be removed, as its counters are full.",
    .offers = remove_offers,
    .examples = remove_examples,
    .codes = remove_codes,
    .run = run,
};
