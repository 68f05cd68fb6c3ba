/* map_reduce.c - the options that a map and a reduce stage share, and the list of splits. */
#include "hadoop/map_reduce.h"

#include "arguments/kind_params.h"
#include "arguments/query_target.h"
#include "hadoop/task.h"
#include "inkling_arrow.h"
#include "inkling_command.h"
#include "options/quantities.h"
#include "report/failure.h"
#include "report/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Hadoop keeps several copies of a value in memory. */
#define PIECE_BYTES (UINT64_C(4) << 20)

ink_filter_options stage_filter(const cli_stage *stage, const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    return (ink_filter_options){
        .kind = options[OPTION_KIND].text,
        .invert = options[OPTION_INVERT].given,
        .by = options[OPTION_BY].given,
        .last = (size_t)options[OPTION_LAST].number,
        .secret = stage->secret,
        .group_column = group_column(arguments),
        .groups = groups_chosen(arguments),
    };
}

/* ---- Splits ------------------------------------------------------------------------------- */

#define SPLIT_EXPECTED "expected OFFSET, BYTES and PATH, each followed by a tab or a line end"

/* Takes the next field; NULL: there is none. */
static char *next_field(char **at)
{
    char *field = *at;

    if (*field == '\0')
        return NULL;
    *at += strcspn(field, "\t\n");
    if (**at != '\0')
        *(*at)++ = '\0';
    return field;
}

static int fail_field(const cli_splits *splits, const char *field)
{
    if (field == NULL)
        return fail(CODE_FILE,
                    "standard input: the list of splits ends within split %zu, " SPLIT_EXPECTED,
                    splits->count + 1);
    return fail(CODE_FILE, "standard input: split %zu of the list: %s, " SPLIT_EXPECTED,
                splits->count + 1, shown(field));
}

/* Hadoop's numbers are those of Java, and sums of smaller ones do not overflow. */
static int take_number(const cli_splits *splits, const char *field, uint64_t *number)
{
    number_status status = number_count(field, number);

    if (status == NUMBER_IS_NONE)
        return fail_field(splits, field);
    if (status == NUMBER_TOO_LARGE || *number > INT64_MAX)
        return fail(CODE_FILE, "standard input: split %zu of the list: %s, expected less than 2^63",
                    splits->count + 1, shown(field));
    return 0;
}

static int take_split(cli_splits *splits, char **at, ink_input *input)
{
    char *offset = next_field(at), *bytes = next_field(at), *path = next_field(at);

    *input = (ink_input){.path = path};
    if (path == NULL)
        return fail_field(splits, NULL);
    TRY(take_number(splits, offset, &input->offset));
    TRY(take_number(splits, bytes, &input->bytes));
    if (*path == '\0' || strcmp(path, "-") == 0)
        return fail_field(splits, path);
    TRY(task_address(path, &splits->addresses[splits->count]));
    splits->names[splits->count] = path;
    if (splits->addresses[splits->count] != NULL)
        input->path = splits->addresses[splits->count];
    splits->count++;
    return 0;
}

static size_t count_fields(const char *text, size_t bytes)
{
    size_t count = 1;

    for (size_t i = 0; i < bytes; i++)
        count += text[i] == '\t' || text[i] == '\n';
    return count;
}

int splits_read(cli_splits *splits, ink_input **inputs, size_t *input_count)
{
    uint8_t *bytes;
    size_t   count;
    int      code = file_read("-", &bytes, &count);

    *splits = (cli_splits){0};
    if (code != 0)
        return code;
    splits->text = need_memory(bytes, count + 1);
    splits->text[count] = '\0';
    if (strlen(splits->text) != count) /* text after it would be lost */
        code =
            fail(CODE_FILE, "standard input: a zero byte in the list of splits, " SPLIT_EXPECTED);
    size_t room = count_fields(splits->text, count) / 3 + 1;
    splits->names = need_memory(NULL, room * sizeof *splits->names);
    splits->addresses = need_memory(NULL, room * sizeof *splits->addresses);
    *inputs = need_memory(NULL, room * sizeof **inputs);
    for (char *at = splits->text; code == 0 && (*at != '\0' || splits->count == 0);)
        code = take_split(splits, &at, &(*inputs)[splits->count]);
    *input_count = splits->count;
    if (code == 0)
        return 0;
    free(*inputs);
    splits_end(splits);
    return code;
}

void splits_end(cli_splits *splits)
{
    for (size_t i = 0; i < splits->count; i++)
        free(splits->addresses[i]);
    free(splits->addresses);
    free(splits->names);
    free(splits->text);
    *splits = (cli_splits){0};
}

const char *splits_name(const cli_splits *splits, const ink_input *inputs, const char *path)
{
    for (size_t i = 0; i < splits->count; i++)
        if (inputs[i].path == path)
            return splits->names[i];
    return path;
}

/* ---- Options ------------------------------------------------------------------------------ */

static bool is_for(option_id id, stage_work work)
{
    switch (id) {
    case OPTION_INVERT:
    case OPTION_KIND:
    case OPTION_GROUPS:
    case OPTION_NO_GROUPS:
    case OPTION_GROUP_COLUMN:
    case OPTION_LAST:
        return work == STAGE_FILTERS;
    case OPTION_BUCKETS:
    case OPTION_WEIGHT:
        return work != STAGE_FILTERS;
    case OPTION_MEMORY:
    case OPTION_SECRET:
        return true;
    case OPTION_RANGED:
        return work == STAGE_BUILDS;
    default:
        return work == STAGE_BUILDS ||
               (option_group_of(id) != GROUP_HASH && option_group_of(id) != GROUP_SIZE);
    }
}

static int check_options(const cli_stage *stage, const cli_arguments *arguments)
{
    static const char *const works[] = {"where sketches are built", "with --verify",
                                        "with --filter"};
    const option_given      *options = arguments->options;

    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        if (options[id].given && !is_for(id, stage->work))
            return fail_usage("%s has no meaning %s", option_name(id), works[stage->work]);
    if (options[OPTION_SPLITS].given && options[OPTION_PLAN].given)
        return fail_usage("--splits with --plan, which reads nothing");
    for (option_id id = OPTION_BYTES; id <= OPTION_TASKS; id++)
        if (options[id].given && !options[OPTION_PLAN].given)
            return fail_usage("%s without --plan", option_name(id));
    return 0;
}

/* ---- Buckets ------------------------------------------------------------------------------ */

static int count_buckets(cli_stage *stage, const cli_arguments *arguments)
{
    const option_given *given = &arguments->options[OPTION_BUCKETS];
    uint64_t            buckets = given->number;

    if (!given->given) {
        TRY(task_number(TASK_REDUCES, 1, &buckets));
        if (buckets == 0 || buckets > option_of(OPTION_BUCKETS)->high)
            return fail(CODE_USAGE, "%s is %" PRIu64 ", expected 1 to %" PRIu64, TASK_REDUCES,
                        buckets, option_of(OPTION_BUCKETS)->high);
    }
    stage->pieces = (ink_pieces_options){
        .build = &stage->build,
        .buckets = (uint32_t)buckets,
        .ranged = arguments->options[OPTION_RANGED].given || stage->work == STAGE_VERIFIES,
        .piece_bytes = PIECE_BYTES,
        .slice_bytes = PIECE_BYTES,
    };
    stage->pieces.together = !stage->pieces.ranged;
    return 0;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static int read_kinds(cli_stage *stage, const cli_arguments *arguments)
{
    const char *command = arguments->command->name;
    size_t      count;

    if (arguments->operand_count == 0)
        return fail_usage("%s without a kind, expected one such as bloom", command);
    TRY(kinds_read(arguments->operands[0], stage->kinds, &count));
    TRY(sizes_set(arguments, stage->kinds, count));
    TRY(secret_read(arguments, &stage->secret));
    sizes_hash(arguments, stage->secret, stage->kinds, count);
    stage->build = (ink_build_options){
        .kinds = stage->kinds,
        .kind_count = count,
        .headroom = arguments->options[OPTION_HEADROOM].real,
    };
    /* A reducer of a range of keys does not know the number of all keys. */
    for (ink_params *kind = stage->kinds; kind < stage->kinds + count; kind++) {
        const ink_kind_info info = kind_info(kind->kind);
        if (arguments->options[OPTION_RANGED].given && info.sized_by_keys && !info.made_whole &&
            kind->expected_keys == 0 && kind->bits == 0)
            return fail_usage("--ranged and %s without a size, expected -n or --bits", kind->kind);
    }
    return 0;
}

/* Maps of a verification build a filter with the hash of the file's, and send only its keys. */
static int set_rule(cli_stage *stage)
{
    ink_description described;
    ink_pieces_plan plan;
    ink_sketch     *sketch;
    ink_error       error;

    if (ink_file_sketch(stage->file, 0, &sketch, &error) != INK_OK)
        return fail_error(stage->sketches, &error);
    ink_sketch_describe(sketch, &described);
    ink_sketch_free(sketch);
    stage->kinds[0] = (ink_params){
        .kind = described.kind,
        .hash = described.keyed ? NULL : described.hash,
        .seed = described.keyed ? 0 : described.seed,
        .has_seed = !described.keyed,
        .secret = stage->secret,
    };
    stage->build = (ink_build_options){.kinds = stage->kinds, .kind_count = 1};
    stage->data.how.keys = described.key_type == INK_KEY_INT ? INK_KEYS_INT : INK_KEYS_BYTES;
    if (kind_info(described.kind).made_whole ||
        ink_pieces_plan_for(&stage->data.how, &stage->build, 0, 1, 0, &plan, NULL) != INK_OK)
        stage->kinds[0].kind = "bloom"; /* the file's kind cannot be built in ranges, or pieces */
    if (!kind_info(stage->kinds[0].kind).weights)
        stage->data.how.weight = NULL;
    return 0;
}

/* Refuses a file that cannot be verified in this way before any data is read. */
static int check_sketches(const cli_stage *stage, uint32_t buckets)
{
    ink_verification *none;
    ink_error         error;

    if (ink_verification_create(&none, stage->file, buckets, stage->secret, NULL, &error) != INK_OK)
        return fail_error(stage->sketches, &error);
    ink_verification_free(none);
    return 0;
}

static int check_filters(const cli_stage *stage, const cli_arguments *arguments)
{
    const ink_filter_options options = stage_filter(stage, arguments);
    ink_arrow_filters       *ready;
    ink_error                error;

    if (ink_arrow_filters_create(&ready, stage->file, &options, NULL, &error) != INK_OK)
        return fail_error(error.status == INK_USAGE ? NULL : stage->sketches, &error);
    ink_arrow_filters_free(ready);
    return 0;
}

static int read_sketches(cli_stage *stage, const cli_arguments *arguments)
{
    bool verifies = stage->work == STAGE_VERIFIES;

    stage->sketches = arguments->options[verifies ? OPTION_VERIFY : OPTION_FILTER].text;
    TRY(secret_read(arguments, &stage->secret));
    TRY(sketches_open(&stage->file, stage->sketches, arguments));
    return verifies ? check_sketches(stage, 1) : check_filters(stage, arguments);
}

/* ---- Input -------------------------------------------------------------------------------- */

/* Hadoop passes records as lines. */
static int check_lines(const cli_stage *stage, const cli_arguments *arguments)
{
    const ink_reading *how = &stage->data.how;

    if (!task_is() && !arguments->options[OPTION_PLAN].given)
        return 0;
    if (how->form == INK_FORM_NUL || how->form == INK_FORM_U32 || how->form == INK_FORM_U64)
        return fail_usage("records in %s in a task of Hadoop, expected lines",
                          option_of(OPTION_IN)->choices[how->form - INK_FORM_LINES]);
    if (how->multiline)
        return fail_usage("--csv-multiline in a task of Hadoop, expected a record a line");
    return 0;
}

/* Data is read as that of the sketches was, where options do not say otherwise. The form of
 * standard input may follow from the name of the task's file. */
static int set_form(cli_stage *stage, const cli_arguments *arguments)
{
    ink_reading     *how = &stage->data.how, stored;
    const ink_input  named = {.path = task_file()};
    bool             standard = strcmp(stage->data.inputs[0].path, "-") == 0;
    bool             verifies = stage->work == STAGE_VERIFIES;
    const ink_input *inputs = standard ? &named : stage->data.inputs;
    size_t           count = standard ? 1 : stage->data.input_count;
    ink_error        error;

    if (stage->file != NULL &&
        ink_input_spec_read(&stage->input_spec, stage->file, &stored, &error) != INK_OK)
        return fail_error(stage->sketches, &error);
    if (stage->input_spec != NULL &&
        ink_reading_complete(how, &stored, verifies || arguments->options[OPTION_BY].given, inputs,
                             count, &error) != INK_OK)
        return fail_error(NULL, &error);
    if (ink_reading_form(how, inputs, count, &how->form, &error) != INK_OK)
        return fail_error(NULL, &error);
    return verifies ? set_rule(stage) : 0;
}

static bool is_name(const char *column)
{
    return column != NULL && column[strspn(column, "0123456789")] != '\0';
}

/* A column that is given by name, not by number; NULL: there is none. */
static const char *named_column(const ink_reading *how)
{
    for (size_t i = 0; i < how->key_count; i++)
        if (is_name(how->key[i]))
            return how->key[i];
    return is_name(how->by) ? how->by : is_name(how->weight) ? how->weight : NULL;
}

/* Only the first split of a file has the header. */
static int set_header(cli_stage *stage, const cli_arguments *arguments)
{
    const option_given *line = &arguments->options[OPTION_HEADER_LINE];
    bool                listed = stage->splits.count > 0, apart = false;
    uint64_t            start;

    if (line->given && !stage->data.how.header)
        return fail_usage("--header-line without --header");
    TRY(task_number(TASK_INPUT_START, 0, &start));
    for (size_t i = 0; i < stage->data.input_count; i++) {
        ink_input *input = &stage->data.inputs[i];
        input->header = line->text;
        input->header_apart = (listed ? input->offset : start) > 0;
        apart = apart || input->header_apart;
    }
    if (apart && !line->given && stage->data.how.header && named_column(&stage->data.how) != NULL)
        return fail_usage("column \"%s\" of a split that does not begin its file, expected "
                          "--header-line, or a number",
                          named_column(&stage->data.how));
    return 0;
}

/* The operands are the inputs, or standard input lists them. */
static int read_inputs(cli_stage *stage, const cli_arguments *arguments)
{
    if (!arguments->options[OPTION_SPLITS].given)
        return 0;
    if (strcmp(stage->data.inputs[0].path, "-") != 0)
        return fail_usage("--splits and %s: files do not go with a list",
                          shown(stage->data.inputs[0].path));
    ink_input *listed;
    TRY(splits_read(&stage->splits, &listed, &stage->data.input_count));
    free(stage->data.inputs);
    stage->data.inputs = listed;
    return 0;
}

static int begin(cli_stage *stage, const cli_arguments *arguments)
{
    TRY(check_options(stage, arguments));
    TRY(stage->work == STAGE_BUILDS ? read_kinds(stage, arguments)
                                    : read_sketches(stage, arguments));
    if (stage->work != STAGE_FILTERS)
        TRY(count_buckets(stage, arguments));
    if (stage->work == STAGE_VERIFIES)
        TRY(check_sketches(stage, stage->pieces.buckets));
    TRY(read_inputs(stage, arguments));
    TRY(set_form(stage, arguments));
    TRY(check_lines(stage, arguments));
    TRY(set_header(stage, arguments));
    return temp_check(arguments);
}

int stage_run(const cli_arguments *arguments, stage_job *job)
{
    const option_given *options = arguments->options;
    cli_stage           stage = {0};

    out_insist();
    stage.work = options[OPTION_VERIFY].given   ? STAGE_VERIFIES
                 : options[OPTION_FILTER].given ? STAGE_FILTERS
                                                : STAGE_BUILDS;
    size_t kinds = stage.work == STAGE_BUILDS && arguments->operand_count > 0 ? 1 : 0;
    int    code = data_begin(&stage.data, arguments, arguments->operands + kinds,
                             arguments->operand_count - kinds);
    if (code != 0)
        return task_end(code);
    code = begin(&stage, arguments);
    if (code == 0)
        code = job(&stage, arguments);
    ink_input_spec_free(stage.input_spec);
    ink_file_close(stage.file);
    data_end(&stage.data);
    splits_end(&stage.splits);
    return task_end(code);
}
