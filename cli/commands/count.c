/* count.c - ink count: how often keys were seen. */
#include "arguments/foreign_format.h"
#include "arguments/inputs.h"
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "inkling_command.h"
#include "report/answers.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

#include <string.h>

enum { EXACT_BY_DEFAULT = 1024 }; /* different keys that a top counts exactly */

typedef struct count_run {
    const cli_arguments *arguments;
    const cli_query     *query;
    cli_answers          answers;
    bool                 by;    /* keys name their groups, which --groups may exclude */
    bool                 any;   /* some key may have been seen */
    bool                 exact; /* no sketch was asked */
} count_run;

static int take_row(void *host, const ink_count_row *row)
{
    count_run       *run = host;
    const cli_answer answer = {
        .kind = run->exact ? NULL : row->kind,
        .label = row->label,
        .number = row->count,
        .key = cell_key(row->key, row->key_bytes, false, ink_set_key_columns(run->query->set)),
    };

    if (run->by && !group_is_wanted(run->arguments, &row->label))
        return 0;
    run->any |= row->count.estimate > 0;
    if (!run->arguments->options[OPTION_QUIET].given)
        answers_row(&run->answers, &answer);
    return 0;
}

/* A client that sends keys one by one waits for each answer. */
static int take_end(void *host)
{
    (void)host;
    return out_flush();
}

static int answer_keys(const cli_arguments *arguments, const cli_query *query,
                       const ink_input *keys, size_t key_count, const ink_reading *how)
{
    count_run            run = {.arguments = arguments,
                                .query = query,
                                .by = how->by != NULL,
                                .exact = !query->sketches && query->only != NULL};
    const ink_count_sink sink = {.row = take_row, .end = take_end, .host = &run};
    ink_job              job = progress_job(arguments);
    ink_error            error;
    int                  code = 0;

    inputs_announce(keys, key_count);
    answers_begin(&run.answers, arguments, run.exact ? ANSWERS_EXACT : ANSWERS_OF_KEYS);
    answers_stream(&run.answers, query->entries, query->entry_count);
    ink_status status = ink_count_keys(query->set, keys, key_count, how, &sink, &job, &error);
    progress_clear();
    if (status != INK_OK)
        code = out_failed() ? CODE_IO : job_fails(&job, query->path, &error);
    answers_end(&run.answers, code, query->entries, query->question, query->sketches);
    if (code != 0)
        return code;
    job_reports_skipped(arguments, &job);
    return run.any ? CODE_YES : CODE_NO;
}

/* Whether keys that are read in this way fit the sketches. */
static int check_keys(const cli_query *query, const cli_data *data)
{
    const ink_reading *how = &data->how;
    size_t             columns = ink_set_key_columns(query->set);

    if (how->by != NULL && query->plain && !query->groups)
        return fail_usage("--by, but %s has no groups", shown_path(query->path));
    if (columns > 1 && how->key_count != columns)
        return fail_usage("%skeys of %s are tuples of %zu columns, expected %s with these",
                          data->keys != NULL ? "-e, but " : "", shown_path(query->path), columns,
                          data->keys != NULL ? "KEYS" : "--key");
    return 0;
}

/* Whether an option says how to build a sketch, which data is not needed to be made into. */
static bool sizes_a_sketch(option_id id)
{
    return (option_group_of(id) == GROUP_SIZE && id != OPTION_MEMORY) || id == OPTION_KIND;
}

static int check_plain(const cli_arguments *arguments, const char *from)
{
    cli_data data;

    TRY(data_begin(&data, arguments, NULL, 0));
    size_t columns = data.how.key_count;
    data_end(&data);
    if (columns > 1)
        return fail_usage("%s has plain keys, but --key %s makes tuples, expected one column", from,
                          shown(arguments->options[OPTION_KEY].text));
    return 0;
}

/* ---- Keys of a file, in sketches ---------------------------------------------------------- */

/* Options that say how to build sketches do not apply to built ones. */
static int check_sketches(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    if (arguments->operand_count == 0)
        return fail_usage("count without a sketch file, or --keys-from or -e for data");
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        if (options[id].given && !foreign_takes(arguments, id) &&
            (option_group_of(id) == GROUP_SIZE || id == OPTION_HASH || id == OPTION_SEED ||
             id == OPTION_WEIGHT))
            return fail_usage("%s is for data, expected it with --keys-from or -e",
                              option_name(id));
    return 0;
}

/* Records of CSV, TSV and JSON, as files are named, are read as the data of the sketches was. Lines
 * are keys as they stand. */
static int read_as_stored(const cli_arguments *arguments, cli_data *data,
                          ink_input_spec **input_spec)
{
    const option_given *options = arguments->options;
    const char         *path = arguments->operands[0];
    ink_file           *file;
    ink_reading         stored;
    ink_form            form;
    ink_error           error;

    if (options[OPTION_IN].given || options[OPTION_KEY].given || strcmp(path, "-") == 0)
        return 0;
    if (ink_reading_form(&data->how, data->inputs, data->input_count, &form, &error) != INK_OK)
        return fail_error(NULL, &error);
    if (form == INK_FORM_LINES)
        return 0;
    TRY(sketches_open(&file, path, arguments));
    ink_status status = ink_input_spec_read(input_spec, file, &stored, &error);
    ink_file_close(file);
    if (status != INK_OK)
        return fail_error(path, &error);
    if (*input_spec != NULL &&
        ink_reading_complete(&data->how, &stored, options[OPTION_BY].given, data->inputs,
                             data->input_count, &error) != INK_OK)
        return fail_error(NULL, &error);
    data->how.weight = NULL;
    return 0;
}

static int run_sketches(const cli_arguments *arguments, cli_query *query)
{
    ink_input_spec *input_spec = NULL;
    cli_data        data;

    TRY(check_sketches(arguments));
    if (is_data_file(arguments->operands[0], arguments))
        return fail(CODE_FILE,
                    "%s: not an .ink file, but data; to count in data: --keys-from KEYS or -e KEY",
                    shown(arguments->operands[0]));
    TRY(query_sketches(query, arguments, arguments->operands[0]));
    TRY(data_asked(&data, arguments));
    int code = read_as_stored(arguments, &data, &input_spec);
    if (code == 0)
        code = check_keys(query, &data);
    if (code == 0)
        code = answer_keys(arguments, query, data.inputs, data.input_count, &data.how);
    data_end(&data);
    ink_input_spec_free(input_spec);
    return code;
}

/* ---- Keys of -e, in sketches or data ------------------------------------------------------ */

/* A top with the keys of -e, read as those of the data: what data is counted for. */
static int keep_asked(const cli_arguments *arguments, const cli_data *asked, ink_set **keys,
                      ink_entry *entry, cli_query *query)
{
    const ink_build_options options = {.kinds = &query->params, .kind_count = 1};
    ink_job                 job = progress_job(arguments);
    ink_error               error;

    query->params = (ink_params){.kind = "top"};
    if (arguments->item_count > EXACT_BY_DEFAULT)
        query->params.phi = 1.0 / (double)arguments->item_count;
    query->sized = true;
    if (ink_build(keys, asked->inputs, 1, &asked->how, &options, &job, &error) != INK_OK ||
        ink_set_entry(*keys, 0, entry, &error) != INK_OK)
        return job_fails(&job, NULL, &error);
    query->only = entry->sketch;
    return 0;
}

static int answer_asked(const cli_arguments *arguments, cli_query *query, cli_data *asked)
{
    const option_given *options = arguments->options;
    bool                sketch = false;
    ink_set            *keys = NULL;
    ink_entry           entry;
    int                 code = 0;

    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        sketch |= options[id].given && sizes_a_sketch(id);
    if (!sketch)
        code = keep_asked(arguments, asked, &keys, &entry, query);
    if (code == 0)
        code = query_any(query, 1, arguments, arguments->operands, arguments->operand_count);
    if (code == 0 && query->sketches)
        code = check_keys(query, asked);
    if (code == 0)
        code = answer_keys(arguments, query, asked->inputs, 1, &asked->how);
    ink_set_free(keys);
    return code;
}

static int run_asked(const cli_arguments *arguments, cli_query *query)
{
    cli_data asked;

    TRY(check_plain(arguments, "-e"));
    TRY(data_asked(&asked, arguments));
    int code = answer_asked(arguments, query, &asked);
    data_end(&asked);
    return code;
}

/* ---- Keys of a file, in data -------------------------------------------------------------- */

static int check_data(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    if (options[OPTION_ASK].given)
        return fail_usage("-e and --keys-from do not go together");
    if (options[OPTION_LAST].given)
        return fail_usage("--last is for sketches with time slots, not for data");
    if (options[OPTION_FROM].given)
        return fail_usage("--from is for sketches, not for data");
    TRY(check_plain(arguments, "--keys-from"));
    return 0;
}

/* Checks the keys before the data is read, which may take long. */
static int look_at_keys(const cli_arguments *arguments, ink_input *keys)
{
    ink_job   job = progress_job(arguments);
    ink_error error;
    bool      sketches;

    inputs_announce(keys, 1);
    if (ink_inputs_look(keys, 1, &sketches, &job, &error) != INK_OK)
        return job_fails(&job, NULL, &error);
    if (sketches)
        return fail(CODE_FILE, "%s: an .ink file, expected keys, a line each",
                    shown_path(keys->path));
    return 0;
}

static int run_data(const cli_arguments *arguments, cli_query *query)
{
    ink_input         keys = {.path = arguments->options[OPTION_KEYS_FROM].text};
    const ink_reading plain = {.form = INK_FORM_LINES, .fail_bad = true};

    TRY(check_data(arguments));
    TRY(look_at_keys(arguments, &keys));
    query->data_only = true;
    TRY(query_any(query, 1, arguments, arguments->operands, arguments->operand_count));
    return answer_keys(arguments, query, &keys, 1, &plain);
}

static int run(const cli_arguments *arguments)
{
    cli_query query = {.question = INK_ASK_COUNT};

    TRY(query_kind(arguments, INK_ASK_COUNT, &query.kind));
    query.params.kind = query.kind == NULL ? "count-min" : query.kind;
    int code = arguments->options[OPTION_KEYS_FROM].given ? run_data(arguments, &query)
               : arguments->options[OPTION_ASK].given     ? run_asked(arguments, &query)
                                                          : run_sketches(arguments, &query);
    query_end(&query);
    return code;
}

const cli_command command_count = {
    .group = "ask",
    .name = "count",
    .operands = "SKETCHES [KEYS...] | -e KEY [FILE...] | --keys-from KEYS [DATA...]",
    .summary = "how often keys were seen",
    .about =
        "Prints for each key how often it was added to a count-min or a top, or how often it "
        "occurs in the data, with bounds; a count-min is never too low. Keys are the lines of "
        "KEYS (of a file named as CSV, TSV or JSON the key column, as ink filter reads it), or "
        "given by -e: the FILEs are then sketches, which are merged, or data, in "
        "which these keys are counted exactly. A sketch file with neither is answered by a "
        "counting filter, which counts up to 14.",
    .offers = OFFERS(
        OFFER_AS(KEYS_FROM, "count the keys of this file, one per line, in the data; input and "
                            "size options then apply to the data"),
        OFFER_AS(ASK, "ask for this key, of sketches or of data; may be repeated"),
        OFFER_AS(KIND, "the kind to query, or to build from data (default count-min; for -e none, "
                       "the counts are exact)"),
        OFFER(GROUPS), OFFER(LAST), OFFERS_FOREIGN, OFFERS_RECORDS, OFFER(WEIGHT),
        OFFER_AS(BY, "look up each key in its own group only, named by this column"), OFFER(ROUND),
        OFFERS_HASH, OFFER(EPS), OFFER(DELTA), OFFER(PHI),
        OFFER_AS(WIDTH, "count-min: counters in a row, with --depth in place of --eps and --delta"),
        OFFER_AS(DEPTH, "count-min: rows, with --width"), OFFER(COUNTERS), OFFER(CONSERVATIVE),
        OFFER(TOP),
        OFFER_AS(MEMORY, "memory for the sketches of all groups, such as 64M (default 1G)"),
        OFFER(THREADS), OFFERS_RUN,
        OFFER_AS(QUIET, "print nothing; the exit code says whether any key was seen"),
        OFFERS_FORMS),
    .examples = LINES("ink count --keys-from keys.txt access.log", "ink count count.ink keys.txt",
                      "ink count -e alpha -e beta count.ink",
                      "ink count -e 10.0.0.1 --fields --key 2 access.log   # exactly",
                      "ink build count-min --eps 1e-4 --delta 0.01 -o c.ink words.txt && \\\n"
                      "      cat keys.txt | ink count --json c.ink"),
    .codes = LINES("0  some key was seen, or may have been", "1  none was"),
    .data_from = 2,
    .asks_data = true,
    .run = run,
};
