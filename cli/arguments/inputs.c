/* inputs.c - the inputs that a command line names: data, sketch files, secrets, keys of -e. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/inputs.h"

#include "arguments/foreign_format.h"
#include "arguments/kind_params.h"
#include "inkling_command.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/stats.h"
#include "report/text_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECRET_FILE_BYTES = 64, READ_BYTES = 1 << 16, PLACE_BYTES = 40 };

/* ---- How data is read --------------------------------------------------------------------- */

static int read_delimiter(const cli_arguments *arguments, ink_reading *how)
{
    const char *text = arguments->options[OPTION_DELIMITER].text;

    if (text == NULL)
        return 0;
    if (strcmp(text, "\\t") == 0)
        text = "\t";
    if (text[1] != '\0' || *text == '\n' || *text == '\r' || *text == '"')
        return fail_usage("--delimiter %s, expected one byte, no line end and no quote",
                          shown(text));
    how->delimiter = *text;
    return 0;
}

/* Takes the next column off a list (NULL: none is left), in place. In quotes, by the rule of CSV, a
 * name may hold commas and quotes, and be empty. */
static int next_column(option_id id, const char *text, char **left, const char **column)
{
    char *from = *left, *to = from;
    bool  list = id == OPTION_KEY;

    *column = from;
    if (*from != '"') {
        if (list)
            list_next(left);
        else
            *left = NULL;
        if (**column == '\0')
            return fail_usage("%s %s: a column without a name", option_name(id), shown(text));
        return 0;
    }
    bool closed = false;
    while (!closed && *++from != '\0') {
        closed = *from == '"' && *++from != '"';
        if (!closed)
            *to++ = *from;
    }
    if (!closed)
        return fail_usage("%s %s: a quote that is not closed", option_name(id), shown(text));
    if (*from != '\0' && (*from != ',' || !list))
        return fail_usage("%s %s: text after a closing quote, expected %s", option_name(id),
                          shown(text), list ? "a comma" : "none");
    *left = *from == '\0' ? NULL : from + 1;
    *to = '\0';
    return 0;
}

static int read_columns(const cli_arguments *arguments, cli_data *data)
{
    ink_reading *how = &data->how;
    const struct {
        option_id    id;
        const char **column; /* NULL: several */
    } all[] = {{OPTION_KEY, NULL},
               {OPTION_BY, &how->by},
               {OPTION_WEIGHT, &how->weight},
               {OPTION_TIME, &how->time}};
    enum { ALL = sizeof all / sizeof all[0] };
    size_t bytes = 0;

    for (size_t i = 0; i < ALL; i++)
        if (arguments->options[all[i].id].text != NULL)
            bytes += strlen(arguments->options[all[i].id].text) + 1;
    char *room = data->columns_text = need_memory(NULL, bytes);
    for (size_t i = 0; i < ALL; i++) {
        const char *text = arguments->options[all[i].id].text;
        char       *left = text == NULL ? NULL : strcpy(room, text);
        room += text == NULL ? 0 : strlen(text) + 1;
        while (left != NULL) {
            const char *column;
            TRY(next_column(all[i].id, text, &left, &column));
            if (all[i].column != NULL) {
                *all[i].column = column;
                continue;
            }
            if (how->key_count == INK_KEY_COLUMNS_MAX)
                return fail_usage("--key %s, expected at most %d columns", shown(text),
                                  INK_KEY_COLUMNS_MAX);
            data->columns[how->key_count++] = column;
        }
    }
    how->key = how->key_count > 0 ? data->columns : NULL;
    return 0;
}

/* The form of records that --in gives, and the type of keys. */
static int reading_form(const cli_arguments *arguments, ink_reading *how)
{
    const option_given *type = &arguments->options[OPTION_KEY_TYPE];
    const option_given *in = &arguments->options[OPTION_IN];

    /* Choices are in the order of their enums, which begin with the default. */
    if (in->given)
        how->form = (ink_form)(INK_FORM_LINES + in->number);
    bool numbers = how->form == INK_FORM_U32 || how->form == INK_FORM_U64;
    if (type->given)
        how->keys = type->number == 0 ? INK_KEYS_BYTES : INK_KEYS_INT;
    if (numbers && how->keys == INK_KEYS_BYTES)
        return fail_usage("--in %s with --key-type bytes, expected int", in->text);
    if (numbers)
        how->keys = INK_KEYS_INT;
    return 0;
}

static int reading_begin(cli_data *data, const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    ink_reading        *how = &data->how;

    if (options[OPTION_ROUND].given)
        how->round = (ink_round)(INK_ROUND_HALF_EVEN + options[OPTION_ROUND].number);
    how->blanks = options[OPTION_FIELDS].given;
    how->header = options[OPTION_HEADER].given;
    how->multiline = options[OPTION_CSV_MULTILINE].given;
    how->skip_bad = options[OPTION_BAD].number == 1;
    how->fail_bad = options[OPTION_BAD].given && !how->skip_bad;
    TRY(reading_form(arguments, how));
    TRY(read_delimiter(arguments, how));
    TRY(read_columns(arguments, data));
    how->time_unit = (ink_time_unit)options[OPTION_TIME_UNIT].number;
    if (options[OPTION_TIME_UNIT].given && how->time == NULL)
        return fail_usage("--time-unit without --time");
    return 0;
}

/* ---- Standard input ----------------------------------------------------------------------- */

void path_announce(const char *path)
{
    static bool said;

    if (said || path == NULL || strcmp(path, "-") != 0 || !isatty(STDIN_FILENO))
        return;
    said = true;
    say("reading standard input from the terminal, Ctrl-D ends it");
}

void inputs_announce(const ink_input *inputs, size_t input_count)
{
    for (size_t i = 0; i < input_count; i++)
        path_announce(inputs[i].path);
}

/* Counts a place that reads standard input, by its name. */
static int note_reading(char first[PLACE_BYTES], const char *place)
{
    if (*first != '\0')
        return fail_usage(
            "standard input is read twice, for %s and for %s, expected a FILE for one of them",
            first, place);
    snprintf(first, PLACE_BYTES, "%s", place);
    return 0;
}

/* Whether an option takes the place of the first operand. */
static bool first_is_option(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    return options[OPTION_KEYS_FROM].given || options[OPTION_VERIFY].given ||
           options[OPTION_FILTER].given || options[OPTION_AS].given ||
           (options[OPTION_ASK].given && arguments->command->asks_data);
}

/* Whether data comes from standard input because no file is named. */
static bool data_is_standard(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    size_t              before = arguments->command->data_from;

    if (before == 0 || (options[OPTION_ASK].given && !arguments->command->asks_data) ||
        options[OPTION_PLAN].given || options[OPTION_SPLITS].given)
        return false;
    return arguments->operand_count + 1 == before - first_is_option(arguments);
}

int standard_input_check(const cli_arguments *arguments)
{
    char first[PLACE_BYTES] = "", place[PLACE_BYTES];

    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++) {
        const option_given *given = &arguments->options[id];
        const cli_option   *option = option_of(id);
        if (!option->reads || !given->given || option->repeats)
            continue;
        if (option->value == VALUE_NONE || strcmp(given->text, "-") == 0)
            TRY(note_reading(first, option_name(id)));
    }
    for (size_t i = 0; i < arguments->item_count; i++)
        if (option_of(arguments->items[i].id)->reads && strcmp(arguments->items[i].text, "-") == 0)
            TRY(note_reading(first, option_name(arguments->items[i].id)));
    bool kind = arguments->command->words != NULL && !first_is_option(arguments);
    for (size_t i = kind; i + arguments->command->writes_last < arguments->operand_count; i++) {
        snprintf(place, sizeof place, "operand %zu", i + 1);
        if (strcmp(arguments->operands[i], "-") == 0)
            TRY(note_reading(first, place));
    }
    return data_is_standard(arguments) ? note_reading(first, "the data") : 0;
}

/* ---- Data --------------------------------------------------------------------------------- */

void inputs_of(const char *const *paths, size_t path_count, ink_input **inputs, size_t *input_count)
{
    *input_count = path_count == 0 ? 1 : path_count;
    *inputs = need_memory(NULL, *input_count * sizeof **inputs);
    **inputs = (ink_input){.path = "-"};
    for (size_t i = 0; i < path_count; i++)
        (*inputs)[i] = (ink_input){.path = paths[i]};
}

int data_begin(cli_data *data, const cli_arguments *arguments, const char *const *paths,
               size_t path_count)
{
    *data = (cli_data){0};
    inputs_of(paths, path_count, &data->inputs, &data->input_count);
    int code = reading_begin(data, arguments);
    if (code != 0)
        data_end(data);
    return code;
}

void data_end(cli_data *data)
{
    free(data->columns_text);
    free(data->inputs);
    free(data->keys);
}

/* ---- Keys on the command line ------------------------------------------------------------- */

static const char query_keys[] = "the keys of -e";

int data_asked(cli_data *data, const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    ink_reading         like = {0};
    cli_text            keys = {0};

    if (!options[OPTION_ASK].given)
        return data_begin(data, arguments, arguments->operands + 1, arguments->operand_count - 1);
    TRY(reading_form(arguments, &like));
    for (size_t i = 0; i < arguments->item_count; i++)
        text_bytes(&keys, arguments->items[i].text, strlen(arguments->items[i].text) + 1);
    *data = (cli_data){.how = {.form = INK_FORM_NUL, .keys = like.keys, .fail_bad = true},
                       .input_count = 1};
    data->keys = (uint8_t *)keys.bytes;
    data->inputs = need_memory(NULL, sizeof *data->inputs);
    *data->inputs =
        (ink_input){.memory = data->keys, .memory_bytes = keys.count, .path = query_keys};
    return 0;
}

int keys_fit(const cli_arguments *arguments, const ink_file *file, bool in_groups)
{
    const char     *path = arguments->operands[0];
    ink_entry_info  entry = {0};
    ink_input_spec *input_spec;
    ink_reading     how;
    ink_error       error;

    if (ink_input_spec_read(&input_spec, file, &how, &error) != INK_OK)
        return fail_error(path, &error);
    size_t columns = how.key_count;
    ink_input_spec_free(input_spec);
    if (!in_groups && ink_file_count(file) > 0)
        ink_file_entry(file, 0, &entry, &error);
    if (entry.label.group_kind != INK_GROUP_NONE)
        return fail_usage("-e, but %s has groups, expected data that names them", shown_path(path));
    if (columns > 1)
        return fail_usage("-e, but keys of %s are tuples of %zu columns, expected data with these",
                          shown_path(path), columns);
    return 0;
}

int keys_check(const cli_arguments *arguments)
{
    if (arguments->operand_count > 1)
        return fail_usage("-e and %s: keys and data do not go together",
                          shown(arguments->operands[1]));
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        if (arguments->options[id].given && option_group_of(id) == GROUP_INPUT &&
            !foreign_takes(arguments, id))
            return fail_usage("-e and %s do not go together: a key of -e is plain",
                              option_name(id));
    return 0;
}

/* ---- Files -------------------------------------------------------------------------------- */

bool is_data_file(const char *path, const cli_arguments *arguments)
{
    ink_input   input = {.path = path};
    ink_job     job = {0};
    struct stat status;
    bool        sketches;

    return !arguments->options[OPTION_FROM].given && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && ink_inputs_look(&input, 1, &sketches, &job, NULL) == INK_OK &&
           !sketches;
}

int sketches_open(ink_file **file, const char *path, const cli_arguments *arguments)
{
    ink_job   job = {.threads = (unsigned)arguments->options[OPTION_THREADS].number,
                     .account = stats_account()};
    ink_input input = {.path = path};
    ink_error error;

    const bool beside = command_offer(arguments->command, OPTION_IN) != NULL &&
                        !arguments->options[OPTION_ASK].given;

    TRY(foreign_inputs(arguments, beside, &input, 1));
    path_announce(path);
    return ink_job_open_input(file, &input, &job, &error) == INK_OK ? 0 : fail_error(path, &error);
}

int file_open(const char *path)
{
    int descriptor;

    path_announce(path);
    if (strcmp(path, "-") == 0)
        return STDIN_FILENO;
    do
        descriptor = open(path, O_RDONLY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Reads at most `room` bytes, fewer only at the end; -1 with errno set if the system refuses. */
static ssize_t read_up_to(int descriptor, uint8_t *bytes, size_t room)
{
    size_t  count = 0;
    ssize_t got;

    do {
        got = read(descriptor, bytes + count, room - count);
        count += got > 0 ? (size_t)got : 0;
    } while (count < room && (got > 0 || (got < 0 && errno == EINTR)));
    return got < 0 ? -1 : (ssize_t)count;
}

static void close_file(int descriptor)
{
    int os_error = errno;

    if (descriptor > STDIN_FILENO)
        close(descriptor);
    errno = os_error;
}

int file_read(const char *path, uint8_t **bytes, size_t *count)
{
    int     descriptor = file_open(path);
    size_t  room = READ_BYTES;
    ssize_t got = -1;

    *bytes = need_memory(NULL, room);
    *count = 0;
    while (descriptor >= 0) {
        got = read_up_to(descriptor, *bytes + *count, room - *count);
        if (got < (ssize_t)(room - *count))
            break;
        *count = room;
        *bytes = need_memory(*bytes, room *= 2);
    }
    close_file(descriptor);
    if (got >= 0) {
        *count += (size_t)got;
        return 0;
    }
    free(*bytes);
    return fail(CODE_IO, "%s: cannot read: %s", shown_path(path), strerror(errno));
}

/* ---- Secrets ------------------------------------------------------------------------------ */

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const uint8_t *text, size_t count, uint8_t room[INK_SECRET_BYTES])
{
    if (count > 0 && text[count - 1] == '\n')
        count--;
    if (count > 0 && text[count - 1] == '\r')
        count--;
    if (count != 2 * INK_SECRET_BYTES)
        return false;
    for (size_t i = 0; i < INK_SECRET_BYTES; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        room[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

int secret_read(const cli_arguments *arguments, const uint8_t **secret)
{
    static uint8_t room[INK_SECRET_BYTES];
    const char    *path = arguments->options[OPTION_SECRET].text;
    uint8_t        bytes[SECRET_FILE_BYTES];

    *secret = NULL;
    if (path == NULL)
        return 0;
    int     descriptor = file_open(path);
    ssize_t count = descriptor < 0 ? -1 : read_up_to(descriptor, bytes, sizeof bytes);
    close_file(descriptor);
    if (count < 0)
        return fail(CODE_IO, "%s: cannot read the secret: %s", shown_path(path), strerror(errno));
    if (count == INK_SECRET_BYTES)
        memcpy(room, bytes, INK_SECRET_BYTES);
    else if (!read_hex(bytes, (size_t)count, room))
        return fail(CODE_FILE, "%s: %s%zd bytes, expected a secret of %d bytes, or %d hex digits",
                    shown_path(path), count == SECRET_FILE_BYTES ? "at least " : "", count,
                    INK_SECRET_BYTES, 2 * INK_SECRET_BYTES);
    *secret = room;
    return 0;
}

int temp_check(const cli_arguments *arguments)
{
    const char *path = arguments->options[OPTION_TEMP].text;
    int         os_error = path == NULL ? 0 : folder_error(path);

    if (os_error == 0)
        return 0;
    return fail(CODE_IO, "%s: the folder of --temp: %s", shown(path), strerror(os_error));
}

/* ---- Jobs --------------------------------------------------------------------------------- */

int job_fails(const ink_job *job, const char *sketches, const ink_error *error)
{
    ink_error  reported = *error;
    ink_status status = error->status;
    bool       of_sketches = status == INK_FORMAT || status == INK_MISMATCH ||
                       status == INK_UNSUPPORTED || status == INK_NOT_FOUND ||
                       status == INK_PROMISE;
    const char *path = job->failed_path != NULL ? job->failed_path : of_sketches ? sketches : NULL;

    if (path == query_keys && reported.location == INK_AT_LINE)
        reported.location = INK_AT_KEY;
    return fail_error(path, &reported);
}

void job_reports_skipped(const cli_arguments *arguments, const ink_job *job)
{
    progress_clear();
    if (job->bad > 0 && !arguments->options[OPTION_QUIET].given)
        say("%" PRIu64 " of %" PRIu64 " records could not be read and were skipped", job->bad,
            job->records + job->bad);
}
