/* count.c - ink count: how often keys were seen. */
#include "arguments/group_patterns.h"
#include "arguments/inputs.h"
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "report/answers.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

/* ---- Answers as they come ----------------------------------------------------------------- */

typedef struct count_run {
    const cli_arguments *arguments;
    const cli_query     *asked;
    cli_answers          answers;
    bool                 by;  /* keys name their groups, also such as were not chosen */
    bool                 any; /* some key was perhaps seen */
} count_run;

static int compare_labels(const void *label, const void *entry)
{
    return ink_label_compare(label, &((const ink_entry *)entry)->label);
}

/* The most that a group can have of one key; 0: nobody knows. */
static double most_of(const cli_query *asked, const ink_label *label)
{
    const ink_entry *entry =
        bsearch(label, asked->entries, asked->entry_count, sizeof *asked->entries, compare_labels);
    ink_description d;

    if (entry == NULL)
        return 0;
    ink_sketch_describe(entry->sketch, &d);
    return answer_most(&d, INK_ASK_COUNT);
}

static int take_row(void *host, const ink_count_row *row)
{
    count_run       *run = host;
    const cli_answer answer = {
        .kind = row->kind,
        .label = row->label,
        .number = row->count,
        .most = row->count.saturated ? most_of(run->asked, &row->label) : 0,
        .key = cell_key(row->key, row->key_bytes, false, ink_set_key_columns(run->asked->set)),
    };

    if (run->by && !group_is_wanted(run->arguments, &row->label))
        return 0;
    run->any |= row->count.estimate > 0;
    if (!run->arguments->options[OPTION_QUIET].given)
        answers_row(&run->answers, &answer);
    return 0;
}

/* Whoever gives keys one by one waits for their answers. */
static int take_end(void *host)
{
    (void)host;
    return out_flush();
}

static int answer_keys(const cli_arguments *arguments, const cli_query *asked,
                       const ink_input *keys, size_t key_count, const ink_reading *how)
{
    count_run            run = {.arguments = arguments, .asked = asked, .by = how->by != NULL};
    const ink_count_sink sink = {.row = take_row, .end = take_end, .host = &run};
    ink_job              job = progress_job(arguments);
    ink_error            error;

    answers_begin(&run.answers, arguments, true);
    answers_stream(&run.answers, asked->entries, asked->entry_count);
    ink_status status = ink_count_keys(asked->set, keys, key_count, how, &sink, &job, &error);
    progress_clear();
    if (status != INK_OK) {
        answers_drop(&run.answers);
        return out_failed() ? CODE_IO : job_fails(&job, asked->path, &error);
    }
    answers_end(&run.answers, asked->entries, asked->question, asked->sketches);
    job_reports_skipped(&job);
    return run.any ? CODE_YES : CODE_NO;
}

/* ---- Keys of files of sketches ------------------------------------------------------------ */

static int answer_asked(const cli_arguments *arguments, const cli_query *asked)
{
    const ink_reading plain = {.form = INK_FORM_NUL};
    size_t            columns = ink_set_key_columns(asked->set);
    ink_input         input;
    uint8_t          *bytes;

    if (columns > 1)
        return fail_usage("count",
                          "-e, but keys of %s are tuples of %zu columns, expected KEYS with these",
                          shown_path(asked->path), columns);
    inputs_of_keys(arguments, &bytes, &input);
    int code = answer_keys(arguments, asked, &input, 1, &plain);
    free(bytes);
    return code;
}

/* Whether the sketches can be asked for keys that are read so. */
static int check_keys(const cli_query *asked, const ink_reading *how)
{
    size_t columns = ink_set_key_columns(asked->set);

    if (how->by != NULL && asked->plain && !asked->groups)
        return fail_usage("count", "--by, but %s has no groups", shown_path(asked->path));
    if (columns > 1 && how->key_count != columns)
        return fail_usage("count",
                          "keys of %s are tuples of %zu columns, expected --key with these",
                          shown_path(asked->path), columns);
    return 0;
}

static int answer_files(const cli_arguments *arguments, const cli_query *asked)
{
    cli_data data;

    int code = data_begin(&data, arguments, arguments->operands + 1, arguments->operand_count - 1);
    if (code != 0)
        return code;
    code = check_keys(asked, &data.reading.how);
    if (code == 0)
        code = answer_keys(arguments, asked, data.inputs, data.input_count, &data.reading.how);
    data_end(&data);
    return code;
}

/* What tells how sketches are made means nothing if they are there. */
static int check_sketches(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    if (arguments->operand_count == 0)
        return fail_usage("count", "count without a sketch file, or --keys-from for data");
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        if (options[id].given && (option_group_of(id) == GROUP_SIZE || id == OPTION_HASH ||
                                  id == OPTION_SEED || id == OPTION_WEIGHT))
            return fail_usage("count", "%s is for data, expected it with --keys-from",
                              option_name(id));
    if (options[OPTION_ASK].given)
        return keys_check(arguments, 1);
    bool standard = arguments->operand_count == 1;
    for (size_t i = 1; i < arguments->operand_count; i++)
        standard |= strcmp(arguments->operands[i], "-") == 0;
    if (standard && strcmp(arguments->operands[0], "-") == 0)
        return fail_usage("count", "sketches and keys from standard input, expected a FILE");
    return 0;
}

static int run_sketches(const cli_arguments *arguments, cli_query *asked)
{
    int code = check_sketches(arguments);

    if (code == 0 && is_data_file(arguments->operands[0]))
        code = fail(CODE_FILE, "%s: not an .ink file, but data; to count in data: --keys-from KEYS",
                    shown(arguments->operands[0]));
    if (code == 0)
        code = query_sketches(asked, arguments, arguments->operands[0]);
    if (code != 0)
        return code;
    return arguments->options[OPTION_ASK].given ? answer_asked(arguments, asked)
                                                : answer_files(arguments, asked);
}

/* ---- Keys of data ------------------------------------------------------------------------- */

static int check_data(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    bool                standard = arguments->operand_count == 0;

    if (options[OPTION_ASK].given)
        return fail_usage("count", "-e and --keys-from do not go together");
    if (options[OPTION_LAST].given)
        return fail_usage("count", "--last is for sketches with time slots, not for data");
    if (options[OPTION_KEY].given && strchr(options[OPTION_KEY].text, ',') != NULL)
        return fail_usage("count",
                          "--keys-from has plain keys, but --key %s makes tuples, expected one "
                          "column",
                          shown(options[OPTION_KEY].text));
    for (size_t i = 0; i < arguments->operand_count; i++)
        standard |= strcmp(arguments->operands[i], "-") == 0;
    if (standard && strcmp(options[OPTION_KEYS_FROM].text, "-") == 0)
        return fail_usage("count", "keys and data from standard input, expected a FILE");
    return 0;
}

/* Whether there are keys, before the data is read, which may take long. */
static int look_at_keys(const cli_arguments *arguments, ink_input *keys)
{
    ink_job   job = progress_job(arguments);
    ink_error error;
    bool      sketches;

    if (ink_inputs_look(keys, 1, &sketches, &job, &error) != INK_OK)
        return job_fails(&job, NULL, &error);
    if (sketches)
        return fail(CODE_FILE, "%s: an .ink file, expected keys, a line each",
                    shown_path(keys->path));
    return 0;
}

static int run_data(const cli_arguments *arguments, cli_query *asked)
{
    ink_input         keys = {.path = arguments->options[OPTION_KEYS_FROM].text};
    const ink_reading plain = {.form = INK_FORM_LINES};

    int code = check_data(arguments);
    if (code == 0)
        code = look_at_keys(arguments, &keys);
    if (code == 0)
        code = query_data(asked, arguments, arguments->operands, arguments->operand_count);
    if (code != 0)
        return code;
    return answer_keys(arguments, asked, &keys, 1, &plain);
}

/* ---- The command -------------------------------------------------------------------------- */

static int run(const cli_arguments *arguments)
{
    cli_query asked = {.question = INK_ASK_COUNT};

    int code = query_kind(arguments, INK_ASK_COUNT, &asked.kind);
    if (code != 0)
        return code;
    asked.params.kind = asked.kind == NULL ? "count-min" : asked.kind;
    code = arguments->options[OPTION_KEYS_FROM].given ? run_data(arguments, &asked)
                                                      : run_sketches(arguments, &asked);
    query_end(&asked);
    return code;
}

static const cli_offer offers[] = {
    {.id = OPTION_KEYS_FROM,
     .about = "count the keys in this file, one a line, in the data; the options of input and size "
              "are then about the data"},
    {.id = OPTION_ASK, .about = "ask for this key, and read no others; may be repeated"},
    {.id = OPTION_KIND, .about = "which kind to ask, or to make of data (default count-min)"},
    {.id = OPTION_GROUPS},
    {.id = OPTION_LAST},
    OFFERS_RECORDS,
    {.id = OPTION_WEIGHT},
    {.id = OPTION_BY, .about = "ask each key of its own group alone, named by this column"},
    {.id = OPTION_ROUND},
    OFFERS_HASH,
    {.id = OPTION_EPS},
    {.id = OPTION_DELTA},
    {.id = OPTION_PHI},
    {.id = OPTION_WIDTH,
     .about = "count-min: counters in a row, with --depth in place of --eps and --delta"},
    {.id = OPTION_DEPTH, .about = "count-min: rows, with --width"},
    {.id = OPTION_COUNTERS},
    {.id = OPTION_CONSERVATIVE},
    {.id = OPTION_TOP},
    {.id = OPTION_MEMORY,
     .about = "memory for the sketches of all groups, such as 64M (default 1G)"},
    {.id = OPTION_THREADS},
    {.id = OPTION_NO_PROGRESS},
    {.id = OPTION_QUIET, .about = "print nothing; the exit code tells whether any key was seen"},
    OFFERS_FORMS,
    {.id = OPTION_END},
};

static const char *const examples[] = {
    "ink count --keys-from keys.txt access.log",
    "ink count count.ink keys.txt",
    "ink count -e alpha -e beta count.ink",
    "ink build count-min --eps 1e-4 --delta 0.01 -o c.ink words.txt && \\\n"
    "      cat keys.txt | ink count --json c.ink",
    NULL,
};

static const char *const codes[] = {
    "0  some key was seen, or may have been",
    "1  none was",
    NULL,
};

const cli_command command_count = {
    .group = "ask",
    .name = "count",
    .operands = "SKETCHES [KEYS...] | --keys-from KEYS [DATA...]",
    .summary = "how often keys were seen",
    .about = "Prints for each key how often it was added to a count-min or a top, or how often it "
             "is in the data, with bounds; a count-min is never too low. Keys are the lines of "
             "KEYS. A counting filter, which counts up to 14, is asked if there is neither.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .run = run,
};
