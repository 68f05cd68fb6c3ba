/* help.c - ink help and ink version. */
#include "help/help.h"
#include "commands.h"
#include "failure.h"
#include "help/manual.h"
#include "kinds.h"
#include "output.h"

/* Commands, then kinds that are not called like one. */
static const char *topic_words(size_t index, const char **about)
{
    const char *kind = NULL;
    size_t      count = 0;

    for (; command_at(count) != NULL; count++) {
        if (count != index)
            continue;
        if (about != NULL)
            *about = command_at(count)->summary;
        return command_at(count)->name;
    }
    for (size_t i = 0; (kind = kind_words(i, about)) != NULL; i++)
        if (command_known(kind) == NULL && count++ == index)
            break;
    return kind;
}

static const char *topic_word(size_t index)
{
    return topic_words(index, NULL);
}

static int unknown_topic(const char *name)
{
    const char *meant = nearest_word(name, topic_word);

    if (meant != NULL)
        return fail_usage("", "no command or kind %s, did you mean %s", shown(name), meant);
    return fail_usage("", "no command or kind %s", shown(name));
}

static int print_manual(const char *name)
{
    const cli_command *command = name == NULL ? NULL : command_known(name);

    if (name == NULL)
        manual_overview();
    else if (command != NULL)
        manual_command(command);
    else if (is_kind(name))
        return fail_usage("help", "no manual of kind %s alone, expected a command, or none", name);
    else
        return unknown_topic(name);
    return 0;
}

static int run_help(const cli_arguments *arguments)
{
    const char *name = arguments->operand_count == 0 ? NULL : arguments->operands[0];

    if (arguments->operand_count > 1)
        return fail_usage("help", "%zu commands, expected one", arguments->operand_count);
    if (arguments->options[OPTION_MAN].given)
        return print_manual(name);
    if (name == NULL) {
        help_overview();
        return 0;
    }
    const cli_command *command = command_known(name);
    if (command == NULL && !is_kind(name))
        return unknown_topic(name);
    if (command != NULL)
        help_command(command);
    if (is_kind(name)) { /* top is both */
        out_text(command != NULL ? "\n" : "");
        help_kind(name);
    }
    return 0;
}

static int run_version(const cli_arguments *arguments)
{
    if (arguments->operand_count > 0)
        return fail_usage("version", "%s behind version, expected nothing",
                          shown(arguments->operands[0]));
    out_format("ink %s\n", ink_version());
    return 0;
}

static const cli_offer help_offers[] = {
    {.id = OPTION_MAN},
    {.id = OPTION_END},
};
static const cli_offer version_offers[] = {{.id = OPTION_END}};

static const char *const help_examples[] = {
    "ink help build",
    "ink help hll                         # a kind of sketch",
    "ink help --man build > ink-build.1   # the manual page",
    NULL,
};
static const char *const version_examples[] = {"ink version", NULL};
static const char *const codes[] = {"0  done", NULL};

const cli_command command_help = {
    .name = "help",
    .operands = "[COMMAND|KIND]",
    .summary = "this list, or all about a command or a kind of sketch",
    .about = "Prints the list of commands; what a command does, with all its options; or what a "
             "kind of sketch answers, and how large it is. With --man the manual page of ink, or "
             "of a command.",
    .offers = help_offers,
    .examples = help_examples,
    .codes = codes,
    .words = topic_words,
    .run = run_help,
};

const cli_command command_version = {
    .name = "version",
    .operands = "",
    .summary = "the version of the library that runs",
    .about = "Prints the version of the library that runs.",
    .offers = version_offers,
    .examples = version_examples,
    .codes = codes,
    .run = run_version,
};
