/* splits.c - a list of parts of files that a map reads itself. */
#include "hadoop/splits.h"

#include "arguments/inputs.h"
#include "hadoop/task.h"
#include "options/quantities.h"
#include "report/failure.h"

#include <stdlib.h>
#include <string.h>

#define EXPECTED "expected OFFSET, BYTES and PATH, each followed by a tab or a line end"

/* Takes the next field; NULL: there is none. */
static char *next_field(char **at, char *end)
{
    char *field = *at;

    if (field == end)
        return NULL;
    while (*at < end && **at != '\t' && **at != '\n')
        ++*at;
    if (*at < end)
        *(*at)++ = '\0';
    return field;
}

static int fail_field(const cli_splits *splits, const char *field)
{
    if (field == NULL)
        return fail(CODE_FILE,
                    "standard input: the list of splits ends within split %zu, " EXPECTED,
                    splits->count + 1);
    return fail(CODE_FILE, "standard input: split %zu of the list: %s, " EXPECTED,
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

static int take_split(cli_splits *splits, char **at, char *end, ink_input *input)
{
    char *offset = next_field(at, end);
    char *bytes = next_field(at, end);
    char *path = next_field(at, end);

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
    if (strlen(splits->text) != count) { /* text after it would be lost */
        code = fail(CODE_FILE, "standard input: a zero byte in the list of splits, " EXPECTED);
        splits_end(splits);
        return code;
    }
    size_t room = count_fields(splits->text, count) / 3 + 1;
    splits->names = need_memory(NULL, room * sizeof *splits->names);
    splits->addresses = need_memory(NULL, room * sizeof *splits->addresses);
    *inputs = need_memory(NULL, room * sizeof **inputs);
    char *at = splits->text, *end = at + count;
    do
        code = take_split(splits, &at, end, &(*inputs)[splits->count]);
    while (code == 0 && at < end);
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
