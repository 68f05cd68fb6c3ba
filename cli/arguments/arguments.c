/* arguments.c - how a command line is taken apart: options, their values, operands. */
#include "arguments/arguments.h"

#include "options/quantities.h"
#include "report/failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that contradict each other. */
static const option_id conflicts[][2] = {
    {OPTION_JSON, OPTION_TSV},         {OPTION_QUIET, OPTION_JSON},   {OPTION_QUIET, OPTION_TSV},
    {OPTION_QUIET, OPTION_COUNT},      {OPTION_QUIET, OPTION_DIGEST}, {OPTION_DIGEST, OPTION_CHECK},
    {OPTION_DIGEST, OPTION_GROUPS},    {OPTION_DIGEST, OPTION_JSON},  {OPTION_DIGEST, OPTION_TSV},
    {OPTION_CHECK, OPTION_GROUPS},     {OPTION_CHECK, OPTION_JSON},   {OPTION_CHECK, OPTION_TSV},
    {OPTION_DELIMITER, OPTION_FIELDS}, {OPTION_SECRET, OPTION_SEED},  {OPTION_SECRET, OPTION_HASH},
    {OPTION_VERIFY, OPTION_FILTER},    {OPTION_GROW, OPTION_RENEW},   {OPTION_RENEW, OPTION_WINDOW},
    {OPTION_SEEN, OPTION_JSON},
};

/* ---- Values ------------------------------------------------------------------------------- */

static int unknown_option(const cli_command *command, const char *typed)
{
    const char *found = NULL;
    size_t      best = WORD_MAX;

    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++) {
        if (option_of(id)->name == NULL)
            continue;
        if (strcmp(option_of(id)->name, typed) == 0)
            return fail_usage(command->name, "%s has no option --%s", command->name, typed);
        if (command_offer(command, id) != NULL && nearer(typed, option_of(id)->name, &best))
            found = option_of(id)->name;
    }
    if (found != NULL)
        return fail_usage(command->name, "no option --%s, did you mean --%s", shown(typed), found);
    return fail_usage(command->name, "no option --%s", shown(typed));
}

/* A value with blanks in it in quotes, so that they are seen. */
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

static int wrong_number(const cli_command *command, const cli_option *o, const char *as,
                        const char *text)
{
    const char *found = shown_value(text);

    switch (o->value) {
    case VALUE_SHARE:
        return fail_usage(command->name, "%s %s, expected a number above 0 and below 1", as, found);
    case VALUE_REAL:
        return fail_usage(command->name, "%s %s, expected a number above 0 and up to %" PRIu64, as,
                          found, o->high);
    case VALUE_FACTOR:
        return fail_usage(command->name,
                          "%s %s, expected a number from %" PRIu64 " to %" PRIu64 ", as 4x", as,
                          found, o->low, o->high);
    case VALUE_BYTES:
        return fail_usage(command->name,
                          "%s %s, expected bytes from %" PRIu64 "%s to %" PRIu64 "T, as 64M", as,
                          found, o->low >> 20 == 0 ? o->low : o->low >> 20,
                          o->low >> 20 == 0 ? "" : "M", o->high >> 40);
    case VALUE_TIME:
        return fail_usage(command->name,
                          "%s %s, expected a time from %" PRIu64 "ms to %" PRIu64 "d, as 10m", as,
                          found, o->low / 1000, o->high / DAY);
    case VALUE_PACE:
        return fail_usage(command->name,
                          "%s %s, expected a number of records, as 50000, or a time from %" PRIu64
                          "ms to %" PRIu64 "d, as 1s",
                          as, found, o->low / 1000, o->high / DAY);
    default:
        break;
    }
    if (o->high == UINT64_MAX)
        return fail_usage(command->name,
                          "%s %s, expected a whole number from %" PRIu64 " to 2^64 - 1, as 1e6", as,
                          found, o->low);
    return fail_usage(command->name, "%s %s, expected a whole number from %" PRIu64 " to %" PRIu64,
                      as, found, o->low, o->high);
}

static int wrong_choice(const cli_command *command, const cli_option *o, const char *as,
                        const char *text)
{
    char        list[WORDS_BYTES] = "";
    const char *meant = NULL;
    size_t      best = WORD_MAX;

    for (const char *const *choice = o->choices; *choice != NULL; choice++)
        if (nearer(text, *choice, &best))
            meant = *choice;
    if (meant != NULL)
        return fail_usage(command->name, "%s %s, did you mean %s", as, shown_value(text), meant);
    for (const char *const *choice = o->choices; *choice != NULL; choice++)
        suggestions_add(list, sizeof list, choice[1] == NULL ? " or " : ", ", *choice);
    return fail_usage(command->name, "%s %s, expected %s", as, shown_value(text), list);
}

/* The word of the option's list that `text`, which is none of them, was perhaps meant to be; NULL:
 * it is one, or nobody knows, and whoever uses it judges. */
static const char *meant_word(const cli_option *o, const char *text)
{
    const char *word, *meant = NULL;
    size_t      best = WORD_MAX;

    if (o->begins)
        return NULL;
    for (size_t i = 0; o->words != NULL && (word = o->words(i, NULL)) != NULL; i++) {
        if (strcmp(word, text) == 0)
            return NULL;
        if (nearer(text, word, &best))
            meant = word;
    }
    return meant;
}

static bool read_time(const cli_option *o, option_given *given, const char *text)
{
    given->timed = number_time(text, &given->number) == NUMBER_OK;
    return given->timed && given->number >= o->low && given->number <= o->high;
}

/* Whether `text` is a value of this option; sets its number. */
static bool read_value(const cli_option *o, option_given *given, const char *text)
{
    switch (o->value) {
    case VALUE_NONE:
    case VALUE_TEXT:
    case VALUE_PATH:
        return true;
    case VALUE_CHOICE:
        for (given->number = 0; o->choices[given->number] != NULL; given->number++)
            if (strcmp(o->choices[given->number], text) == 0)
                return true;
        return false;
    case VALUE_COUNT:
        return number_count(text, &given->number) == NUMBER_OK && given->number >= o->low &&
               given->number <= o->high;
    case VALUE_BYTES:
        return number_bytes(text, &given->number) == NUMBER_OK && given->number >= o->low &&
               given->number <= o->high;
    case VALUE_SHARE:
        return number_real(text, &given->real) == NUMBER_OK && given->real > 0 && given->real < 1;
    case VALUE_REAL:
        return number_real(text, &given->real) == NUMBER_OK && given->real > 0 &&
               given->real <= (double)o->high;
    case VALUE_FACTOR:
        return number_factor(text, &given->real) == NUMBER_OK && given->real >= (double)o->low &&
               given->real <= (double)o->high;
    case VALUE_PACE:
        if (number_count(text, &given->number) == NUMBER_OK)
            return given->number > 0;
        return read_time(o, given, text);
    case VALUE_TIME:
        return read_time(o, given, text);
    }
    return false;
}

int options_value(const cli_command *command, option_id id, const char *as, const char *text,
                  option_given *given)
{
    const cli_offer *offer = command_offer(command, id);
    cli_option       there = *option_of(id); /* as this command has it */

    if (offer->low != 0)
        there.low = offer->low;
    if (*text == '\0' && !there.empty)
        return fail_usage(command->name, "%s with an empty value", as);
    if (!read_value(&there, given, text))
        return there.value == VALUE_CHOICE ? wrong_choice(command, &there, as, text)
                                           : wrong_number(command, &there, as, text);
    const char *meant = meant_word(&there, text);
    if (meant != NULL)
        return fail_usage(command->name, "%s %s, did you mean %s", as, shown_value(text), meant);
    return 0;
}

/* Takes option `id` with its value (NULL: none), which was typed as `as`. */
static int take(cli_arguments *arguments, option_id id, const char *as, const char *text)
{
    const cli_option *o = option_of(id);
    option_given     *given = &arguments->options[id];

    if (given->given && !o->repeats)
        return fail_usage(arguments->command->name, "%s is given twice, expected it once", as);
    int code = text == NULL ? 0 : options_value(arguments->command, id, as, text, given);
    if (code != 0)
        return code;
    given->given = true;
    given->text = text;
    if (o->repeats)
        arguments->items[arguments->item_count++] = (option_item){id, text};
    return 0;
}

/* ---- The command line --------------------------------------------------------------------- */

typedef struct typed_words {
    char **words;
    int    count;
    int    next;
} typed_words;

/* The word behind an option that needs a value. One that looks like an option was hardly meant;
 * after = or the letter it may be anything. */
static const char *next_value(typed_words *list, option_id id)
{
    const char *word = list->next < list->count ? list->words[list->next] : NULL;

    if (word == NULL)
        return NULL;
    if (id != OPTION_ASK && word[0] == '-' && word[1] != '\0' &&
        !(word[1] >= '0' && word[1] <= '9') && word[1] != '.')
        return NULL;
    list->next++;
    return word;
}

/* Whether the value of an option may be left out, as things stand. */
static bool is_bare(const cli_arguments *arguments, option_id id)
{
    const cli_offer *offer = command_offer(arguments->command, id);

    return offer->bare || arguments->options[offer->bare_after].given;
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
    snprintf(as, sizeof as, "--%s", option_of(id)->name);
    if (option_of(id)->value == VALUE_NONE && value != NULL)
        return fail_usage(command->name, "%s=%s, but %s takes no value", as, shown(value), as);
    if (option_of(id)->value != VALUE_NONE && value == NULL && !is_bare(arguments, id)) {
        value = next_value(list, id);
        if (value == NULL)
            return fail_usage(command->name, "%s without its value %s", as,
                              option_of(id)->value_name);
    }
    return take(arguments, id, as, value);
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
            return fail_usage(command->name, "no option -%s", shown_bytes(letters, 1));
        if (option_of(id)->value == VALUE_NONE) {
            int code = take(arguments, id, as, NULL);
            if (code != 0)
                return code;
            continue;
        }
        const char *value = letters[1] != '\0' ? letters + 1 : next_value(list, id);
        if (value == NULL)
            return fail_usage(command->name, "%s without its value %s", as,
                              option_of(id)->value_name);
        return take(arguments, id, as, value);
    }
    return 0;
}

static int check_conflicts(const cli_arguments *arguments)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if (arguments->options[conflicts[i][0]].given &&
            arguments->options[conflicts[i][1]].given &&
            !command_offer(arguments->command, conflicts[i][0])->apart)
            return fail_usage(arguments->command->name, "%s and %s do not go together",
                              option_name(conflicts[i][0]), option_name(conflicts[i][1]));
    return 0;
}

int options_parse(cli_arguments *arguments, const cli_command *command, int word_count,
                  char **words)
{
    typed_words list = {words, word_count, 0};
    size_t      room = (size_t)word_count + 1;
    int         code = 0;

    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    arguments->operands = need_memory(NULL, room * sizeof *arguments->operands);
    /* -eKEY and the like: an item takes a word at least. */
    arguments->items = need_memory(NULL, room * sizeof *arguments->items);
    while (code == 0 && list.next < list.count) {
        const char *word = list.words[list.next++];
        if (*word == '\0')
            code = fail_usage(command->name, "an empty word, expected an option or a file");
        else if (strcmp(word, "--") == 0)
            break;
        else if (strncmp(word, "--", 2) == 0)
            code = take_long(arguments, &list, word + 2);
        else if (word[0] == '-' && word[1] != '\0')
            code = take_letters(arguments, &list, word + 1);
        else
            arguments->operands[arguments->operand_count++] = word;
        if (arguments->options[OPTION_HELP].given)
            return 0; /* whatever else is wrong */
    }
    while (code == 0 && list.next < list.count) {
        const char *word = list.words[list.next++];
        if (*word == '\0')
            code = fail_usage(command->name, "an empty word, expected a file");
        arguments->operands[arguments->operand_count++] = word;
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

    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].id != id)
            continue;
        if (count < room)
            texts[count] = arguments->items[i].text;
        count++;
    }
    return count;
}
