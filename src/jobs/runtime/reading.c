/* reading.c - makes a rule for rows of what a user says about records. */
#include "jobs/runtime/reading.h"

#include "base/status.h"
#include "base/text.h"
#include "inkling_command.h"
#include "net/namenodes.h"

#include <string.h>

/* ---- Forms -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *suffix;
    ink_form    form;
} forms[] = {
    {"lines", NULL, INK_FORM_LINES},     {"csv", ".csv", INK_FORM_CSV},
    {"tsv", ".tsv", INK_FORM_TSV},       {"nul", NULL, INK_FORM_NUL},
    {"jsonl", ".jsonl", INK_FORM_JSONL}, {"u32", NULL, INK_FORM_U32},
    {"u64", NULL, INK_FORM_U64},         {"jsonl", ".ndjson", INK_FORM_JSONL},
    {"jsonl", ".json", INK_FORM_JSONL},
};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

const char *ink__form_name(ink_form form)
{
    for (size_t i = 0; i < FORM_COUNT; i++)
        if (forms[i].form == form)
            return forms[i].name;
    return "";
}

bool ink__form_named(const char *name, ink_form *form)
{
    for (size_t i = 0; i < FORM_COUNT; i++)
        if (strcmp(forms[i].name, name) == 0) {
            *form = forms[i].form;
            return true;
        }
    return false;
}

/* The form that a path's suffix stands for, or else the default. */
static ink_form form_of_path(const char *path)
{
    size_t bytes = ink__webhdfs_path_bytes(path);

    if (ink__ends_with(path, bytes, ".gz"))
        bytes -= 3;
    else if (ink__ends_with(path, bytes, ".zst"))
        bytes -= 4;
    for (size_t i = 0; i < FORM_COUNT; i++)
        if (forms[i].suffix != NULL && ink__ends_with(path, bytes, forms[i].suffix))
            return forms[i].form;
    return INK_FORM_DEFAULT;
}

static ink_status fail_forms(const char *path, ink_form form, ink_form before, ink_error *error)
{
    char name[48] = "an input without a name";

    if (path != NULL && strcmp(path, "-") == 0)
        ink__format(name, sizeof name, "standard input");
    else if (path != NULL)
        ink__quote(name, sizeof name, path, strlen(path));
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "%s is read as %s and the input before it as %s, expected one form ({form})",
                     name, ink__form_name(form), ink__form_name(before));
}

/* The form that all inputs share. Those without a name are `unnamed` (default: as the others),
 * those whose suffix says nothing `plain`. */
static ink_status form_of_inputs(const ink_input *inputs, size_t input_count, ink_form unnamed,
                                 ink_form plain, ink_form *form, ink_error *error)
{
    *form = INK_FORM_DEFAULT;
    for (size_t i = 0; i < input_count; i++) {
        bool     named = inputs[i].path != NULL && strcmp(inputs[i].path, "-") != 0;
        ink_form other = named ? form_of_path(inputs[i].path) : unnamed;
        if (named && other == INK_FORM_DEFAULT)
            other = plain;
        if (*form == INK_FORM_DEFAULT)
            *form = other;
        else if (other != *form && other != INK_FORM_DEFAULT)
            return fail_forms(inputs[i].path, other, *form, error);
    }
    if (*form == INK_FORM_DEFAULT)
        *form = plain;
    return INK_OK;
}

ink_status ink_reading_form(const ink_reading *reading, const ink_input *inputs, size_t input_count,
                            ink_form *form, ink_error *error)
{
    *form = reading->form;
    if (*form != INK_FORM_DEFAULT)
        return INK_OK;
    return form_of_inputs(inputs, input_count, INK_FORM_DEFAULT, INK_FORM_LINES, form, error);
}

/* ---- The rule ----------------------------------------------------------------------------- */

static bool has_columns(const ink_reading *reading)
{
    return reading->key_count > 0 || reading->by != NULL || reading->weight != NULL ||
           reading->time != NULL;
}

static ink_status refuse(ink_error *error, const char *what, const char *form, const char *expected)
{
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s for records in %s, expected %s", what,
                     form, expected);
}

ink_status ink__reading_check_values(const ink_reading *reading, ink_error *error)
{
    const struct {
        const char *name;
        unsigned    value, most;
    } enums[] = {
        {"form", reading->form, INK_FORM_U64},
        {"keys", reading->keys, INK_KEYS_INT},
        {"round", reading->round, INK_ROUND_HALF_AWAY},
        {"time_unit", reading->time_unit, INK_TIME_NANOSECONDS},
    };

    INK__TRY_ROOM("ink_reading", reading, error);
    if (reading->skip_bad && reading->fail_bad != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{skip_bad} and fail_bad, expected one of them");
    for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++)
        if (enums[i].value > enums[i].most)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{%s} %u, expected 0 to %u",
                             enums[i].name, enums[i].value, enums[i].most);
    return INK_OK;
}

/* Refuses what the form does not allow. A delimiter must not end records or begin quotes. */
static ink_status check_form(const ink_reading *reading, ink_form form, ink_error *error)
{
    bool        fixed = form == INK_FORM_U32 || form == INK_FORM_U64;
    bool        lines = form == INK_FORM_LINES || form == INK_FORM_NUL;
    const char *name = ink__form_name(form);

    if (fixed && (has_columns(reading) || reading->header))
        return refuse(error, "columns or a header", name, "integers alone");
    if (fixed && reading->keys == INK_KEYS_BYTES)
        return refuse(error, "keys that are bytes", name, "integer keys");
    if (reading->delimiter != 0 && !lines && form != INK_FORM_CSV)
        return refuse(error, "a delimiter", name, "none: it has its own");
    if ((form != INK_FORM_NUL && (reading->delimiter == '\n' || reading->delimiter == '\r')) ||
        (form == INK_FORM_CSV && reading->delimiter == '"'))
        return refuse(error, "a line end or quote as delimiter", name, "another byte");
    if (reading->blanks && (!lines || reading->delimiter != 0))
        return refuse(error, "fields between blanks", name, "one way to separate fields");
    if (form == INK_FORM_JSONL && reading->header)
        return refuse(error, "a header", name, "none: each record names its members");
    if (reading->multiline && form != INK_FORM_CSV)
        return refuse(error, "line ends in quotes", name, "csv");
    if (lines && has_columns(reading) && reading->delimiter == 0 && !reading->blanks)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         reading->time == NULL
                             ? "a column ({key}, {by}, {weight}) of records in %s, expected "
                               "fields: {blanks}, {delimiter}, or {form} csv, tsv or jsonl"
                             : "a column of times of records in %s, expected fields: {blanks}, "
                               "{delimiter}, or {form} csv, tsv or jsonl",
                         name);
    if (reading->time_unit != INK_TIME_SECONDS && reading->time == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a unit of times without a column of times, expected both");
    return INK_OK;
}

static void set_records(ink__row_rule *rule, const ink_reading *reading, ink_form form)
{
    rule->records.end = form == INK_FORM_NUL ? 0 : '\n';
    rule->records.form = INK__RECORDS_ENDED;
    if (form == INK_FORM_CSV && reading->multiline)
        rule->records.form = INK__RECORDS_QUOTED;
    if (form == INK_FORM_U32 || form == INK_FORM_U64) {
        rule->records.form = INK__RECORDS_FIXED;
        rule->records.width = form == INK_FORM_U32 ? 4 : 8;
        rule->key_type = INK_KEY_INT;
    }
    rule->form = form == INK_FORM_CSV ? INK__FIELDS_CSV
                 : reading->blanks    ? INK__FIELDS_BLANKS
                                      : INK__FIELDS_DELIMITED;
    rule->delimiter = form == INK_FORM_TSV ? '\t' : form == INK_FORM_CSV ? ',' : 0;
    if (reading->delimiter != 0)
        rule->delimiter = (uint8_t)reading->delimiter;
}

/* Finds a column by its number or by its name in the header, or adds a path of JSON, whose number
 * is the column. */
static ink_status find_column(ink__row_rule *rule, const char *name, const uint8_t *header,
                              uint64_t bytes, uint32_t *column, ink_error *error)
{
    if (!rule->json)
        return ink__column_find(name, rule->form, rule->delimiter, header, bytes, column, error);
    rule->path_texts[rule->path_count] = name;
    *column = (uint32_t)rule->path_count;
    return ink__json_path_create(&rule->paths[rule->path_count++], name, error);
}

static ink_status find_columns(const ink_reading *reading, ink__row_rule *rule,
                               const uint8_t *header, uint64_t bytes, ink__row_columns *found,
                               ink_error *error)
{
    *found = (ink__row_columns){.group = 0};
    for (size_t i = 0; i < reading->key_count; i++)
        INK__TRY(find_column(rule, reading->key[i], header, bytes, &found->key[i], error));
    if (reading->by != NULL)
        INK__TRY(find_column(rule, reading->by, header, bytes, &found->group, error));
    if (reading->weight != NULL)
        INK__TRY(find_column(rule, reading->weight, header, bytes, &found->weight, error));
    if (reading->time != NULL)
        INK__TRY(find_column(rule, reading->time, header, bytes, &found->time, error));
    return INK_OK;
}

/* ---- Arrow -------------------------------------------------------------------------------- */

static ink__rounding rounding_of(const ink_reading *reading)
{
    return reading->round == INK_ROUND_HALF_UP     ? INK__ROUND_HALF_UP
           : reading->round == INK_ROUND_HALF_AWAY ? INK__ROUND_HALF_AWAY
                                                   : INK__ROUND_HALF_EVEN;
}

ink__arrow_wanted ink__reading_arrow(const ink_reading *reading)
{
    return (ink__arrow_wanted){
        .key = reading->key,
        .key_count = reading->key_count,
        .by = reading->by,
        .rounded = reading->round != INK_ROUND_NONE,
        .rounding = rounding_of(reading),
        .weight = reading->weight,
        .refuse_nulls = reading->refuse_nulls,
    };
}

ink_status ink__reading_arrow_keys(ink_reading *reading, const ink_input *inputs,
                                   size_t input_count, ink_error *error)
{
    ink__arrow_wanted wanted = ink__reading_arrow(reading);
    ink_key_type      type;

    if (input_count == 0 || inputs[0].arrow == NULL || reading->keys != INK_KEYS_DEFAULT)
        return INK_OK;
    INK__TRY(ink__arrow_stream_key_type(inputs[0].arrow, &wanted, &type, error));
    reading->keys = type == INK_KEY_INT ? INK_KEYS_INT : INK_KEYS_BYTES;
    return INK_OK;
}

bool ink__reading_in_memory(const ink_input *input)
{
    return input->memory != NULL || (input->path == NULL && input->arrow == NULL);
}

ink_status ink__reading_check_input(const ink_input *input, ink_error *error)
{
    INK__TRY_ROOM("ink_input", input, error);
    if (ink__reading_in_memory(input) && input->memory == NULL && input->memory_bytes > 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "an input of %llu bytes at no address, expected memory or a path",
                         (unsigned long long)input->memory_bytes);
    if (input->begun_bytes > INK_LOOK_BYTES)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%u bytes of an input were read, expected at most %d", input->begun_bytes,
                         INK_LOOK_BYTES);
    return INK_OK;
}

ink_status ink__reading_standard_once(const char *path, bool *seen, ink_error *error)
{
    if (path == NULL || strcmp(path, "-") != 0)
        return INK_OK;
    if (*seen)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "standard input (-) is given twice, expected it once");
    *seen = true;
    return INK_OK;
}

ink_status ink__reading_refuse_arrow(const ink_input *inputs, size_t input_count, ink_error *error)
{
    for (size_t i = 0; i < input_count; i++)
        if (inputs[i].arrow != NULL)
            return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                             "Arrow rows, which have no records to copy, expected files");
    return INK_OK;
}

/* Either all inputs are Arrow, or none. Arrow ignores the options about the form of records. */
static ink_status check_arrow(const ink_reading *reading, const ink_input *inputs,
                              size_t input_count, ink_error *error)
{
    for (size_t i = 1; i < input_count; i++)
        if ((inputs[i].arrow != NULL) != (inputs[0].arrow != NULL))
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "Arrow and records in one job, expected one or the other");
    if (input_count > 0 && inputs[0].arrow != NULL && reading->skip_bad)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "bad records to skip in Arrow, expected none: its rows are typed");
    return INK_OK;
}

ink_status ink__reading_rule(ink__row_rule *rule, const ink_reading *reading,
                             const ink_input *inputs, size_t input_count, ink_error *error)
{
    ink_form form;
    bool     standard = false;

    if (reading->key_count > INK_KEY_COLUMNS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%zu key columns, expected at most %d",
                         reading->key_count, INK_KEY_COLUMNS_MAX);
    INK__TRY(ink__reading_check_values(reading, error));
    INK__TRY(check_arrow(reading, inputs, input_count, error));
    if (reading->round != INK_ROUND_NONE && reading->by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "rounding without a column to group by, expected both");
    for (size_t i = 0; i < input_count; i++) {
        INK__TRY(ink__reading_check_input(&inputs[i], error));
        if (!ink__reading_in_memory(&inputs[i]))
            INK__TRY(ink__reading_standard_once(inputs[i].path, &standard, error));
    }
    *rule = (ink__row_rule){
        .key_type = reading->keys == INK_KEYS_INT ? INK_KEY_INT : INK_KEY_BYTES,
    };
    if (input_count > 0 && inputs[0].arrow != NULL)
        return INK_OK;
    INK__TRY(ink_reading_form(reading, inputs, input_count, &form, error));
    INK__TRY(check_form(reading, form, error));
    rule->header = reading->header;
    rule->skip_bad = reading->skip_bad;
    rule->key_column_count = reading->key_count;
    rule->has_group = reading->by != NULL;
    rule->rounded = reading->round != INK_ROUND_NONE;
    rule->rounding = rounding_of(reading);
    rule->has_weight = reading->weight != NULL;
    rule->has_time = reading->time != NULL;
    rule->time_unit = reading->time_unit;
    rule->json = form == INK_FORM_JSONL;
    set_records(rule, reading, form);
    INK__TRY(ink__records_choose_loop(&rule->records, error));
    if (ink__reading_names(reading, rule))
        return INK_OK; /* columns come from the header */
    return find_columns(reading, rule, NULL, 0, &rule->columns, error);
}

bool ink__reading_names(const ink_reading *reading, const ink__row_rule *rule)
{
    return reading->header && has_columns(reading) && !rule->json;
}

ink_status ink__reading_resolve(const ink_reading *reading, const uint8_t *header, uint64_t bytes,
                                const char *first, ink__row_rule *rule, ink_error *error)
{
    ink__row_columns found;
    uint64_t         mark = ink__records_mark(&rule->records, header, bytes);

    if (mark > 0) /* it is no name; without a header it is 0 */
        header += mark;
    ink_status status = find_columns(reading, rule, header, bytes - mark, &found, error);
    if (status == INK_FORMAT && error != NULL && error->location == INK_AT_BYTE)
        error->at += mark;
    INK__TRY(status);
    if (rule->resolved && memcmp(&found, &rule->columns, sizeof found) != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "its header has the columns in another order, expected that of %s", first);
    rule->columns = found;
    rule->resolved = true;
    return INK_OK;
}

ink_key_type ink__reading_key_type(const ink_reading *reading)
{
    bool ints = reading->keys == INK_KEYS_INT || reading->form == INK_FORM_U32 ||
                reading->form == INK_FORM_U64;

    return ints ? INK_KEY_INT : INK_KEY_BYTES;
}

/* ---- How data was read -------------------------------------------------------------------- */

/* Adds text, and drops what finds no room. */
static size_t add(char *text, size_t room, size_t used, const char *format, const char *value)
{
    return used + ink__format(text + used, room - used, format, value);
}

/* Adds a column as a list of them has it: in quotes, by the rule of CSV, if it needs any. */
static size_t add_column(char *text, size_t room, size_t used, const char *before, const char *name)
{
    bool quoted = *name == '"' || *name == '\0' || strchr(name, ',') != NULL;

    used = add(text, room, used, quoted ? "%s\"" : "%s", before);
    for (; *name != '\0'; name++)
        used = add(text, room, used, quoted && *name == '"' ? "\"%s" : "%s",
                   (const char[]){*name, '\0'});
    return add(text, room, used, "%s", quoted ? "\"" : "");
}

size_t ink_reading_text(const ink_reading *reading, char *text, size_t room)
{
    static const char *const rounds[] = {
        [INK_ROUND_NONE] = "",
        [INK_ROUND_HALF_EVEN] = " rounded half-even",
        [INK_ROUND_HALF_UP] = " rounded half-up",
        [INK_ROUND_HALF_AWAY] = " rounded half-away",
    };
    static const char *const units[] = {
        [INK_TIME_SECONDS] = "",
        [INK_TIME_MILLISECONDS] = " in ms",
        [INK_TIME_MICROSECONDS] = " in us",
        [INK_TIME_NANOSECONDS] = " in ns",
    };
    size_t used = add(text, room, 0, "read as: %s", ink__form_name(reading->form));

    if (reading->delimiter != 0)
        used = add(text, room, used, ", delimiter %s", (const char[]){reading->delimiter, '\0'});
    used = add(text, room, used, "%s", reading->blanks ? ", fields" : "");
    used = add(text, room, used, "%s", reading->multiline ? ", csv-multiline" : "");
    used = add(text, room, used, "%s", reading->header ? ", header" : "");
    for (size_t i = 0; i < reading->key_count; i++)
        used = add_column(text, room, used, i == 0 ? ", key " : ",", reading->key[i]);
    if (reading->by != NULL) {
        used = add_column(text, room, used, ", by ", reading->by);
        used = add(text, room, used, "%s", rounds[reading->round]);
    }
    if (reading->weight != NULL)
        used = add_column(text, room, used, ", weight ", reading->weight);
    if (reading->time != NULL) {
        used = add_column(text, room, used, ", time ", reading->time);
        used = add(text, room, used, "%s", units[reading->time_unit]);
    }
    return add(text, room, used, "%s", reading->skip_bad ? ", bad skip" : "");
}

enum { REMEMBERED_BYTES = 96 };

/* What an input spec says, cut to a length that leaves room in a message. */
static void show_remembered(const ink_reading *input_spec, char text[REMEMBERED_BYTES])
{
    size_t used = ink_reading_text(input_spec, text, REMEMBERED_BYTES);

    if (used < REMEMBERED_BYTES - 1)
        return;
    for (used -= 3; used > 0 && ((uint8_t)text[used] & 0xc0) == 0x80;)
        used--;
    strcpy(text + used, "...");
}

void ink__reading_explain(const ink_reading *input_spec, ink_error *error)
{
    char text[REMEMBERED_BYTES];

    if (input_spec == NULL)
        return;
    show_remembered(input_spec, text);
    ink__fail_hint(
        error, "; the sketches say \"%s\" ({form} overrides it: \"lines\" for plain keys)", text);
}

void ink__reading_may_skip(const ink_reading *reading, ink_error *error)
{
    if (reading->fail_bad == 0)
        ink__fail_hint(error, "; {skip_bad} skips such records");
}

/* Why a column of the input spec may mean another one in inputs of another form; NULL: it does not.
 * A number may; a name is found in the header, or else refused. */
static const char *misleads(const char *column, bool json)
{
    uint64_t number;

    if (column == NULL)
        return NULL;
    if (ink__number_weight((const uint8_t *)column, strlen(column), &number))
        return "a column by number may be another one";
    return json && strpbrk(column, ".[") != NULL ? "a name is no JSON path" : NULL;
}

/* Sets what belongs to a form for inputs whose suffix names another form than the input spec;
 * `taken` are the columns that came from that. INK_USAGE if it may not mean the same there. */
static ink_status change_form(ink_reading *reading, const ink_reading *input_spec,
                              const ink_reading *taken, ink_error *error)
{
    const bool json = reading->form == INK_FORM_JSONL,
               was_json = input_spec->form == INK_FORM_JSONL;
    const char *why = misleads(taken->by, json || was_json);
    bool        named = misleads(reading->by, false) == NULL && reading->by != NULL;
    char        text[REMEMBERED_BYTES];

    if (why == NULL)
        why = misleads(taken->weight, json || was_json);
    named = named || (reading->weight != NULL && misleads(reading->weight, false) == NULL);
    for (size_t i = 0; i < reading->key_count; i++) {
        if (why == NULL && taken->key != NULL)
            why = misleads(reading->key[i], json || was_json);
        named = named || misleads(reading->key[i], false) == NULL;
    }
    if (!json && named && (input_spec->header || was_json))
        reading->header = true;
    else if (why == NULL && !json && input_spec->header && !reading->header)
        why = "nothing shows whether it has a header";
    if (why == NULL)
        return INK_OK;
    show_remembered(input_spec, text);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "an input is named as %s, the sketches say \"%s\", and %s: expected {form}",
                     ink__form_name(reading->form), text, why);
}

/* INK_USAGE if a column that came from the input spec, of text, has a number there: the columns of
 * a table may stand in another order. */
static ink_status refuse_numbers(const ink_reading *reading, const ink_reading *input_spec,
                                 const ink_reading *taken, ink_error *error)
{
    const char *why = NULL;
    char        text[REMEMBERED_BYTES];

    for (size_t i = 0; taken->key != NULL && why == NULL && i < reading->key_count; i++)
        why = misleads(reading->key[i], false);
    if (why == NULL)
        why = misleads(taken->by, false);
    if (why == NULL)
        why = misleads(taken->weight, false);
    if (why == NULL)
        return INK_OK;
    show_remembered(input_spec, text);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "a table, the sketches say \"%s\", and %s: expected its columns ({key}, {by}, "
                     "{weight})",
                     text, why);
}

ink_status ink__reading_follow(ink_reading *reading, const ink_reading *input_spec, bool with_by,
                               const ink_input *inputs, size_t input_count,
                               const ink_reading **followed, ink_error *error)
{
    bool lines = reading->form == INK_FORM_LINES || reading->form == INK_FORM_NUL;
    bool fixed = reading->form == INK_FORM_U32 || reading->form == INK_FORM_U64;
    /* Without columns a record is its key. */
    bool        plain = fixed || (lines && reading->delimiter == 0 && !reading->blanks);
    bool        given = reading->form != INK_FORM_DEFAULT;
    bool        arrow = input_count > 0 && inputs[0].arrow != NULL;
    ink_form    form = input_spec->form;
    ink_reading taken = {0};

    *followed = NULL;
    if (!given && !arrow) {
        ink_status status =
            form_of_inputs(inputs, input_count, input_spec->form, input_spec->form, &form, error);
        if (status != INK_OK) {
            ink__reading_explain(input_spec, error);
            return status;
        }
    }
    if (!given)
        reading->form = form;
    if (!given && form == input_spec->form) { /* another form excludes the spec's other options */
        reading->header = reading->header || input_spec->header;
        reading->multiline = reading->multiline || input_spec->multiline;
        if (reading->delimiter == 0 && !reading->blanks) {
            reading->delimiter = input_spec->delimiter;
            reading->blanks = input_spec->blanks;
        }
    }
    if (reading->key_count == 0 && !plain) {
        reading->key = taken.key = input_spec->key;
        reading->key_count = input_spec->key_count;
    }
    if (with_by && reading->by == NULL) {
        reading->by = taken.by = input_spec->by;
        if (reading->round == INK_ROUND_NONE)
            reading->round = input_spec->round;
    }
    if (reading->weight == NULL && !plain)
        reading->weight = taken.weight = input_spec->weight;
    if (reading->fail_bad == 0 && !arrow) /* whose rows are typed */
        reading->skip_bad = reading->skip_bad || input_spec->skip_bad;
    if (taken.key != NULL || taken.by != NULL || taken.weight != NULL ||
        (!given && (form != INK_FORM_LINES || reading->header)))
        *followed = input_spec;
    if (arrow)
        return refuse_numbers(reading, input_spec, &taken, error);
    return given || form == input_spec->form ? INK_OK
                                             : change_form(reading, input_spec, &taken, error);
}

ink_status ink_reading_complete(ink_reading *reading, const ink_reading *input_spec, bool with_by,
                                const ink_input *inputs, size_t input_count, ink_error *error)
{
    const ink_reading *followed;

    return ink__reading_follow(reading, input_spec, with_by, inputs, input_count, &followed, error);
}
