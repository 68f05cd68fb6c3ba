/* list.c - the list of commands, and the commands that print it: help and completion. */
#include "commands/commands.h"

#include "arguments/kind_params.h"
#include "help/help_pages.h"
#include "report/failure.h"
#include "report/output.h"

#include <string.h>

#define LISTED(name) &command_##name,
const cli_command *const all_commands[] = {COMMANDS(LISTED) NULL};

/* NULL if there is none of this name. */
static const cli_command *command_known(const char *name)
{
    const cli_command *const *command = all_commands;

    while (*command != NULL && strcmp((*command)->name, name) != 0)
        command++;
    return *command;
}

static const char *command_words(size_t index, const char **about)
{
    if (all_commands[index] != NULL && about != NULL)
        *about = all_commands[index]->summary;
    return all_commands[index] == NULL ? NULL : all_commands[index]->name;
}

const cli_command *command_named(const char *name)
{
    const cli_command *known = command_known(name);

    if (known == NULL)
        fail_unknown("command", name, command_words, NULL);
    return known;
}

/* ---- ink help ----------------------------------------------------------------------------- */

/* Commands, then kinds that are not called like one. */
static const char *topic_words(size_t index, const char **about)
{
    const char *kind = NULL;
    size_t      count = 0;

    for (; all_commands[count] != NULL; count++)
        if (count == index)
            return command_words(index, about);
    for (size_t i = 0; (kind = kind_words(i, about)) != NULL; i++)
        if (command_known(kind) == NULL && count++ == index)
            break;
    return kind;
}

static int unknown_topic(const char *name)
{
    usage_of("");
    return fail_unknown("command or kind", name, topic_words, NULL);
}

static int print_manual(const char *name)
{
    const cli_command *command = name == NULL ? NULL : command_known(name);

    if (name == NULL)
        manual_overview(all_commands, &command_build);
    else if (command != NULL)
        manual_command(all_commands, command);
    else if (is_kind(name))
        return fail_usage("no manual of kind %s alone, expected a command, or none", name);
    else
        return unknown_topic(name);
    return 0;
}

static int run_help(const cli_arguments *arguments)
{
    const char *name = arguments->operand_count == 0 ? NULL : arguments->operands[0];

    if (arguments->operand_count > 1)
        return fail_usage("%zu commands, expected one", arguments->operand_count);
    if (arguments->options[OPTION_MAN].given)
        return print_manual(name);
    if (name == NULL) {
        help_overview(all_commands);
        return 0;
    }
    const cli_command *command = command_known(name);
    if (command == NULL && !is_kind(name))
        return unknown_topic(name);
    if (command != NULL)
        help_command(all_commands, command);
    if (is_kind(name)) { /* top is both */
        out_text(command != NULL ? "\n" : "");
        help_kind(&command_build, name);
    }
    return 0;
}

const cli_command command_help = {
    .group = "more",
    .name = "help",
    .operands = "[COMMAND|KIND]",
    .summary = "this list, or help on a command or a kind of sketch",
    .about = "Prints the list of commands, or what a command does with all its options, or what a "
             "kind of sketch answers and how large it is. With --man it prints the manual page of "
             "ink, or of a command.",
    .offers = OFFERS(OFFER(MAN)),
    .examples = LINES("ink help build", "ink help hll                         # a kind of sketch",
                      "ink help --man build > ink-build.1   # the manual page"),
    .codes = LINES("0  done"),
    .words = topic_words,
    .run = run_help,
};

/* ---- ink completion ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *about;
    void (*print)(const cli_command *const *all);
} shells[] = {
    {"bash", "4 or later; as a file to be sourced", completion_bash},
    {"fish", "as a file in ~/.config/fish/completions", completion_fish},
    {"zsh", "as a file _ink in a folder of fpath, or sourced after compinit", completion_zsh},
};

enum { SHELLS = sizeof shells / sizeof *shells };

static const char *shell_words(size_t index, const char **about)
{
    if (index >= SHELLS)
        return NULL;
    if (about != NULL)
        *about = shells[index].about;
    return shells[index].name;
}

static int run_completion(const cli_arguments *arguments)
{
    if (arguments->operand_count != 1)
        return fail_usage("%zu shells, expected one: bash, fish or zsh", arguments->operand_count);
    const char *name = arguments->operands[0];
    for (size_t i = 0; i < SHELLS; i++)
        if (strcmp(shells[i].name, name) == 0) {
            shells[i].print(all_commands);
            return 0;
        }
    return fail_unknown("shell", name, shell_words, "bash, fish or zsh");
}

const cli_command command_completion = {
    .group = "more",
    .name = "completion",
    .operands = "SHELL",
    .summary = "a completion script for a shell",
    .about = "Prints a script that makes a shell complete the commands of ink, their options and "
             "values. make install installs these scripts already.",
    .offers = (const cli_offer[]){{.id = OPTION_END}},
    .examples =
        LINES("ink completion bash > ink.bash   # then: . ./ink.bash",
              "ink completion zsh > _ink        # then move it to a folder of $fpath",
              "ink completion fish > ink.fish   # then move it to ~/.config/fish/completions"),
    .codes = LINES("0  the script is printed"),
    .words = shell_words,
    .words_title = "shells",
    .run = run_completion,
};
