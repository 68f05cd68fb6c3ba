/* completion_scripts.c - what the scripts of all shells have in common. */
#include "help/completion_scripts.h"

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

const char *option_value_word(const cli_option *option, size_t index)
{
    return option->choices != NULL ? option->choices[index] : option->words(index, NULL);
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

/* The operand at or behind `text`, which is as in a line of usage: "KIND -o SKETCHES [FILE...]".
 * Options there have their value behind them. NULL: there is none. */
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
