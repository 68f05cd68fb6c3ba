/* arguments.c - parses a command line: options, their values, operands. */
#include "arguments/arguments.h"

#include "options/quantities.h"
#include "report/failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option_id conflicts[][2] = {
    {OPTION_JSON, OPTION_TSV},         {OPTION_QUIET, OPTION_JSON},
    {OPTION_QUIET, OPTION_TSV},        {OPTION_QUIET, OPTION_COUNT},
    {OPTION_QUIET, OPTION_DIGEST},     {OPTION_DIGEST, OPTION_CHECK},
    {OPTION_DIGEST, OPTION_GROUPS},    {OPTION_DIGEST, OPTION_JSON},
    {OPTION_DIGEST, OPTION_TSV},       {OPTION_CHECK, OPTION_GROUPS},
    {OPTION_CHECK, OPTION_JSON},       {OPTION_CHECK, OPTION_TSV},
    {OPTION_DELIMITER, OPTION_FIELDS}, {OPTION_SECRET, OPTION_SEED},
    {OPTION_SECRET, OPTION_HASH},      {OPTION_VERIFY, OPTION_FILTER},
    {OPTION_GROW, OPTION_RENEW},       {OPTION_RENEW, OPTION_WINDOW},
    {OPTION_SEEN, OPTION_JSON},        {OPTION_NO_GROUPS, OPTION_GROUP_COLUMN},
};

static int unknown_option(const cli_command *command, const char *typed)
{
    const char *found = NULL;
    size_t      best = WORD_MAX;

    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++) {
        if (option_of(id)->name == NULL)
            continue;
        if (strcmp(option_of(id)->name, typed) == 0)
            return fail_usage("%s has no option --%s", command->name, typed);
        if (command_offer(command, id) != NULL && nearer(typed, option_of(id)->name, &best))
            found = option_of(id)->name;
    }
    if (found != NULL)
        return fail_usage("no option --%s, did you mean --%s", shown(typed), found);
    return fail_usage("no option --%s", shown(typed));
}

/* Quotes a value that has blanks. */
static const char *shown_value(const char *text)
{
    static char quoted[128];

    if (strpbrk(text, " \t") == NULL)
        return shown(text);
    snprintf(quoted, sizeof quoted, "\"%.100s\"", shown(text));
    return quoted;
}

/* In microseconds. */
#define DAY (UINT64_C(86400) * 1000000)

static int wrong_value(const cli_option *o, const char *as, const char *text)
{
    char        expected[WORDS_BYTES] = "";
    uint64_t    low = o->low, high = o->high;
    const char *word;

    switch (o->value) {
    case VALUE_CHOICE:
        for (size_t i = 0; (word = option_word(o, i)) != NULL; i++)
            suggestions_add(expected, option_word(o, i + 1) == NULL ? " or " : ", ", word);
        break;
    case VALUE_SHARE:
        strcpy(expected, "a number above 0 and below 1");
        break;
    case VALUE_REAL:
        snprintf(expected, sizeof expected, "a number above 0 and up to %" PRIu64, high);
        break;
    case VALUE_FACTOR:
        snprintf(expected, sizeof expected, "a number from %" PRIu64 " to %" PRIu64 ", as 4x", low,
                 high);
        break;
    case VALUE_BYTES:
        snprintf(expected, sizeof expected, "bytes from %" PRIu64 "%s to %" PRIu64 "T, as 64M",
                 low >> 20 == 0 ? low : low >> 20, low >> 20 == 0 ? "" : "M", high >> 40);
        break;
    case VALUE_TIME:
    case VALUE_PACE:
        snprintf(expected, sizeof expected, "%sa time from %" PRIu64 "ms to %" PRIu64 "d, as %s",
                 o->value == VALUE_PACE ? "a number of records, as 50000, or " : "", low / 1000,
                 high / DAY, o->value == VALUE_PACE ? "1s" : "10m");
        break;
    default:
        snprintf(expected, sizeof expected,
                 high == UINT64_MAX ? "a whole number from %" PRIu64 " to 2^64 - 1, as 1e6"
                                    : "a whole number from %" PRIu64 " to %" PRIu64,
                 low, high);
    }
    return fail_usage("%s %s, expected %s", as, shown_value(text), expected);
}

/* The word of the option's list that is nearest to `text`. NULL: it is one of them, or none is
 * near; then the command checks it, unless the list has all values. */
static const char *meant_word(const cli_option *o, const char *text)
{
    const char *word, *meant = NULL;
    size_t      best = WORD_MAX;

    for (size_t i = 0; !o->begins && (word = option_word(o, i)) != NULL; i++) {
        if (strcmp(word, text) == 0)
            return NULL;
        if (nearer(text, word, &best))
            meant = word;
    }
    return meant;
}

/* Whether `text` is a value of this option; sets its number. */
static bool read_value(const cli_option *o, option_given *given, const char *text)
{
    number_status status;

    switch (o->value) {
    case VALUE_CHOICE:
        given->number = 0;
        while (o->choices[given->number] != NULL && strcmp(o->choices[given->number], text) != 0)
            given->number++;
        return o->choices[given->number] != NULL;
    case VALUE_SHARE:
    case VALUE_REAL:
        return number_real(text, &given->real) == NUMBER_OK && given->real > 0 &&
               (o->value == VALUE_SHARE ? given->real < 1 : given->real <= (double)o->high);
    case VALUE_FACTOR:
        return number_factor(text, &given->real) == NUMBER_OK && given->real >= (double)o->low &&
               given->real <= (double)o->high;
    case VALUE_COUNT:
        status = number_count(text, &given->number);
        break;
    case VALUE_BYTES:
        status = number_bytes(text, &given->number);
        break;
    case VALUE_PACE:
        if (number_count(text, &given->number) == NUMBER_OK)
            return given->number > 0;
        /* fall through */
    case VALUE_TIME:
        status = number_time(text, &given->number);
        given->timed = status == NUMBER_OK;
        break;
    default:
        return true;
    }
    return status == NUMBER_OK && given->number >= o->low && given->number <= o->high;
}

int options_value(const cli_command *command, option_id id, const char *as, const char *text,
                  option_given *given)
{
    const cli_offer *offer = command_offer(command, id);
    cli_option       there = *option_of(id); /* as this command has it */

    if (offer->low != 0)
        there.low = offer->low;
    if (*text == '\0' && !there.empty)
        return fail_usage("%s with an empty value", as);
    const char *meant = meant_word(&there, text);
    if (meant != NULL)
        return fail_usage("%s %s, did you mean %s", as, shown_value(text), meant);
    return read_value(&there, given, text) ? 0 : wrong_value(&there, as, text);
}

/* Takes option `id` with its value (NULL: none); messages name the option `as`. */
static int take(cli_arguments *arguments, option_id id, const char *as, const char *text)
{
    const cli_option *o = option_of(id);
    option_given     *given = &arguments->options[id];

    if (given->given && !o->repeats)
        return fail_usage("%s is given twice, expected it once", as);
    if (text != NULL)
        TRY(options_value(arguments->command, id, as, text, given));
    given->given = true;
    given->text = text;
    if (o->repeats)
        arguments->items[arguments->item_count++] = (option_item){id, text};
    return 0;
}

typedef struct typed_words {
    char **words;
    int    count;
    int    next;
} typed_words;

/* Takes an option with a value: `value`, or the next word if that is NULL. A value that looks like
 * an option must follow a = or the letter. */
static int take_value(cli_arguments *arguments, typed_words *list, option_id id, const char *as,
                      const char *value)
{
    const char *word = list->next < list->count ? list->words[list->next] : NULL;

    if (value == NULL && word != NULL &&
        (id == OPTION_ASK || *word != '-' || strchr("0123456789.", word[1]) != NULL)) {
        value = word;
        list->next++;
    }
    if (value == NULL)
        return fail_usage("%s without its value %s", as, option_of(id)->value_name);
    return take(arguments, id, as, value);
}

static int take_long(cli_arguments *arguments, typed_words *list, const char *word)
{
    const cli_command *command = arguments->command;
    const char        *equals = strchr(word, '=');
    size_t             length = equals == NULL ? strlen(word) : (size_t)(equals - word);
    const char        *value = equals == NULL ? NULL : equals + 1;
    char               as[WORD_MAX + 3];
    option_id          id = OPTION_END + 1;

    while (id < OPTION_LIMIT_ &&
           (option_of(id)->name == NULL || strlen(option_of(id)->name) != length ||
            strncmp(option_of(id)->name, word, length) != 0 || command_offer(command, id) == NULL))
        id++;
    if (id == OPTION_LIMIT_) {
        char typed[256];
        snprintf(typed, sizeof typed, "%.*s", (int)(length < 200 ? length : 200), word);
        return unknown_option(command, typed);
    }
    const cli_offer *offer = command_offer(command, id);
    bool             bare = offer->bare || arguments->options[offer->bare_after].given;
    snprintf(as, sizeof as, "--%s", option_of(id)->name);
    if (option_of(id)->value == VALUE_NONE && value != NULL)
        return fail_usage("%s=%s, but %s takes no value", as, shown(value), as);
    if (option_of(id)->value == VALUE_NONE || (value == NULL && bare))
        return take(arguments, id, as, value);
    return take_value(arguments, list, id, as, value);
}

static int take_letters(cli_arguments *arguments, typed_words *list, const char *letters)
{
    const cli_command *command = arguments->command;

    for (; *letters != '\0'; letters++) {
        char      as[] = {'-', *letters, '\0'};
        option_id id = OPTION_END + 1;
        while (id < OPTION_LIMIT_ &&
               (option_of(id)->letter != *letters || command_offer(command, id) == NULL))
            id++;
        if (id == OPTION_LIMIT_)
            return fail_usage("no option -%s", shown_bytes(letters, 1));
        if (option_of(id)->value != VALUE_NONE)
            return take_value(arguments, list, id, as, letters[1] != '\0' ? letters + 1 : NULL);
        TRY(take(arguments, id, as, NULL));
    }
    return 0;
}

static int check_conflicts(const cli_arguments *arguments)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if (arguments->options[conflicts[i][0]].given &&
            arguments->options[conflicts[i][1]].given &&
            !command_offer(arguments->command, conflicts[i][0])->apart)
            return fail_usage("%s and %s do not go together", option_name(conflicts[i][0]),
                              option_name(conflicts[i][1]));
    return 0;
}

int options_parse(cli_arguments *arguments, const cli_command *command, int word_count,
                  char **words)
{
    typed_words list = {words, word_count, 0};
    size_t      room = (size_t)word_count + 1;
    bool        only_operands = false;
    int         code = 0;

    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    usage_of(command->name);
    arguments->operands = need_memory(NULL, room * sizeof *arguments->operands);
    /* An item takes at least one word. */
    arguments->items = need_memory(NULL, room * sizeof *arguments->items);
    while (code == 0 && list.next < list.count) {
        const char *word = list.words[list.next++];
        if (*word == '\0')
            return fail_usage("an empty word, expected %sa file",
                              only_operands ? "" : "an option or ");
        if (only_operands || *word != '-' || word[1] == '\0')
            arguments->operands[arguments->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            code = take_long(arguments, &list, word + 2);
        else
            code = take_letters(arguments, &list, word + 1);
        if (arguments->options[OPTION_HELP].given)
            return 0; /* help is shown even if more is wrong */
    }
    return code != 0 ? code : check_conflicts(arguments);
}

void options_release(cli_arguments *arguments)
{
    free(arguments->operands);
    free(arguments->items);
}

size_t options_list(const cli_arguments *arguments, option_id id, const char **texts, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < arguments->item_count; i++)
        if (arguments->items[i].id == id && count++ < room)
            texts[count - 1] = arguments->items[i].text;
    return count;
}
