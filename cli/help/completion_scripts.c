/* completion_scripts.c - what the scripts of all shells have in common. */
#include "help/completion_scripts.h"

#include "report/output.h"

#include <string.h>

value_source option_source(const cli_option *option)
{
    switch (option->value) {
    case VALUE_NONE:
        return SOURCE_NONE;
    case VALUE_PATH:
        return strcmp(option->value_name, "DIR") == 0 ? SOURCE_FOLDERS : SOURCE_FILES;
    default:
        return option->choices != NULL || option->words != NULL ? SOURCE_WORDS : SOURCE_FREE;
    }
}

void put_value_words(const cli_option *option)
{
    const char *word;

    for (size_t i = 0; option_source(option) == SOURCE_WORDS; i++) {
        word = option->choices != NULL ? option->choices[i] : option->words(i, NULL);
        if (word == NULL)
            break;
        out_format("%s%s", i == 0 ? "" : " ", word);
    }
}

void put_option_names(const cli_option *option, const char *between)
{
    if (option->letter != 0)
        out_format("-%c%s", option->letter, option->name == NULL ? "" : between);
    if (option->name != NULL)
        out_format("--%s", option->name);
}

const cli_offer *completed_offer(const cli_command *command, size_t index)
{
    size_t count = 0;

    while (command->offers[count].id != OPTION_END)
        count++;
    if (index == count)
        return command_offer(command, OPTION_HELP);
    return index < count ? &command->offers[index] : NULL;
}

void put_valued_options(const cli_command *command)
{
    const cli_offer *offer;

    for (size_t i = 0; (offer = completed_offer(command, i)) != NULL; i++) {
        if (option_source(option_of(offer->id)) == SOURCE_NONE || offer->bare)
            continue;
        out_text(" ");
        put_option_names(option_of(offer->id), " ");
    }
}

/* The first operand in `text`, a usage line such as "KIND -o SKETCHES [FILE...]", where every
 * option has a value. NULL: none. */
static const char *next_operand(const char *text)
{
    for (;;) {
        text += strspn(text, " [");
        if (*text == '\0')
            return NULL;
        if (*text != '-')
            return text;
        text += strcspn(text, " ");
        text += strspn(text, " ");
        text += strcspn(text, " ");
    }
}

bool takes_files(const cli_command *command)
{
    const char *operand = next_operand(command->operands);

    if (operand != NULL && command->words != NULL)
        operand = next_operand(operand + strcspn(operand, " "));
    return operand != NULL;
}

bool takes_sketches(const cli_command *command)
{
    const char *operand = next_operand(command->operands);

    return operand != NULL && strncmp(operand, "SKETCHES", strlen("SKETCHES")) == 0;
}
