/* cmd_help.c - ink help and ink version. All of it comes from the tables of commands and options.
 */
#include "commands.h"
#include "failure.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { SPELLED_BYTES = 64 };

/* "-p, --rate P", "    --in FORM", "-e KEY", "    --by[=COL]". */
static void spell(char text[SPELLED_BYTES], const cli_offer *offer)
{
    const cli_option *o = option_of(offer->id);
    char              letter[8] = "    ", value[32] = "";

    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c%s", o->letter, o->name == NULL ? "" : ", ");
    if (o->value != VALUE_NONE)
        snprintf(value, sizeof value, offer->bare ? "[=%s]" : " %s", o->value_name);
    snprintf(text, SPELLED_BYTES, "%s%s%s%s", letter, o->name == NULL ? "" : "--",
             o->name == NULL ? "" : o->name, value);
}

static size_t widest(const cli_command *command)
{
    size_t width = 0;

    for (const cli_offer *offer = command->offers; offer->id != OPTION_END; offer++) {
        char text[SPELLED_BYTES];
        spell(text, offer);
        if (strlen(text) > width)
            width = strlen(text);
    }
    return width;
}

/* What an option is about, further lines set in as the first. */
static void print_about(const char *about, size_t indent)
{
    for (const char *end; (end = strchr(about, '\n')) != NULL; about = end + 1)
        out_format("%.*s\n%*s", (int)(end - about), about, (int)indent, "");
    out_format("%s\n", about);
}

static void print_group(const cli_command *command, option_group group, size_t width)
{
    bool any = false;

    for (const cli_offer *offer = command->offers; offer->id != OPTION_END; offer++) {
        char text[SPELLED_BYTES];
        if (option_of(offer->id)->group != group)
            continue;
        if (!any)
            out_format("\n%s:\n", option_group_name(group));
        any = true;
        spell(text, offer);
        out_format("  %-*s  ", (int)width, text);
        print_about(offer->about != NULL ? offer->about : option_of(offer->id)->about, width + 4);
    }
}

void help_about(const cli_command *command)
{
    size_t width = widest(command);

    out_format("usage: ink %s%s%s%s\n\n%s\n", command->name, *command->operands == '\0' ? "" : " ",
               command->operands, command->offers->id == OPTION_END ? "" : " [options]",
               command->about);
    for (option_group group = 0; group < GROUP_LIMIT_; group++)
        print_group(command, group, width);
    if (command->more != NULL)
        command->more();
    out_text("\nexamples:\n");
    for (const char *const *example = command->examples; *example != NULL; example++)
        out_format("  %s\n", *example);
    out_text("\nexit codes:\n");
    for (const char *const *code = command->codes; *code != NULL; code++)
        out_format("  %s\n", *code);
    out_text("  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit\n");
}

void help_overview(void)
{
    out_text(
        "usage: ink COMMAND [options] [FILE...]\n\n"
        "Sketches of data too big to keep: have I seen this key, how often, which are the most\n"
        "frequent, how many different ones; in memory you choose, with an error you know.\n\n"
        "commands:\n");
    for (size_t i = 0; command_at(i) != NULL; i++)
        out_format("  %-9s  %s\n", command_at(i)->name, command_at(i)->summary);
    out_text("\nOptions may stand anywhere, -- ends them; - is standard input. Numbers: 1e6, 64M "
             "(bytes), "
             "4x.\n"
             "exit codes: 0 yes or done; 1 no, none, or a promise broken; 2 usage;\n"
             "  3 bad or incompatible file; 4 input/output; 5 memory or a limit\n"
             "ink help COMMAND tells all about one.\n");
}

static int run_help(const cli_arguments *arguments)
{
    if (arguments->operand_count > 1)
        return fail_usage("help", "%zu commands, expected one", arguments->operand_count);
    if (arguments->operand_count == 0) {
        help_overview();
        return 0;
    }
    const cli_command *command = command_named(arguments->operands[0]);
    if (command == NULL)
        return CODE_USAGE;
    help_about(command);
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

static const cli_offer offers[] = {{.id = OPTION_END}};

static const char *const help_examples[] = {"ink help", "ink help build", NULL};
static const char *const version_examples[] = {"ink version", NULL};
static const char *const codes[] = {"0  done", NULL};

const cli_command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "this list, or all about a command",
    .about = "Prints the list of commands, or what a command does and all its options.",
    .offers = offers,
    .examples = help_examples,
    .codes = codes,
    .run = run_help,
};

const cli_command command_version = {
    .name = "version",
    .operands = "",
    .summary = "the version of the library that runs",
    .about = "Prints the version of the library that runs.",
    .offers = offers,
    .examples = version_examples,
    .codes = codes,
    .run = run_version,
};
