/* completion_fish.c - the script for fish. */
#include "help/completion_scripts.h"
#include "report/output.h"

/* __ink_is: whether the command is one of these. __ink_operands: how many words after it are
 * neither options nor values of one; -- ends options. */
static const char functions[] = "function __ink_is\n"
                                "    set -l words (commandline -opc)\n"
                                "    set -q words[2]; and contains -- $words[2] $argv\n"
                                "end\n"
                                "\n"
                                "function __ink_any\n"
                                "    set -l words (commandline -opc)\n"
                                "    set -q words[2]\n"
                                "end\n"
                                "\n"
                                "function __ink_operands\n"
                                "    set -l words (commandline -opc)\n"
                                "    set -l count 0\n"
                                "    set -l valued __ink_valued_$words[2]\n"
                                "    set -l before\n"
                                "    for word in $words[3..-1]\n"
                                "        if test \"$before\" = value\n"
                                "            set before\n"
                                "        else if test \"$before\" = end\n"
                                "            set count (math $count + 1)\n"
                                "        else if test \"$word\" = --\n"
                                "            set before end\n"
                                "        else if contains -- $word $$valued\n"
                                "            set before value\n"
                                "        else if not string match -q -- '-?*' $word\n"
                                "            set count (math $count + 1)\n"
                                "        end\n"
                                "    end\n"
                                "    echo $count\n"
                                "end\n"
                                "\n"
                                "function __ink_first\n"
                                "    __ink_is $argv; and test (__ink_operands) = 0\n"
                                "end\n"
                                "\n"
                                "function __ink_later\n"
                                "    __ink_is $argv; and test (__ink_operands) != 0\n"
                                "end\n";

static void put_quoted(const char *text)
{
    out_text("'");
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            out_text("\\");
        out_bytes(text, 1);
    }
    out_text("'");
}

static void put_option(const cli_command *command, const cli_offer *offer)
{
    const cli_option        *o = option_of(offer->id);
    static const char *const actions[] = {
        [SOURCE_NONE] = "",
        [SOURCE_FREE] = " -x",
        [SOURCE_WORDS] = " -x -a '",
        [SOURCE_FILES] = " -r -F",
        [SOURCE_FOLDERS] = " -x -a '(__fish_complete_directories)'",
    };

    out_format("complete -c ink -n '__ink_is %s'", command->name);
    if (o->letter != 0)
        out_format(" -s %c", o->letter);
    if (o->name != NULL)
        out_format(" -l %s", o->name);
    if (!offer->bare)
        out_text(actions[option_source(o)]);
    put_value_words(o);
    out_text(option_source(o) == SOURCE_WORDS ? "' -d " : " -d ");
    put_quoted(offer_about(offer));
    out_text("\n");
}

/* A function that prints the words of a command's first operand, each with a tab and a description.
 */
static void put_words(const cli_command *command)
{
    const char *word, *about;

    out_format("function __ink_words_%s\n", command->name);
    for (size_t i = 0; (word = command->words(i, &about)) != NULL; i++) {
        out_format("    echo %s\\t", word);
        put_quoted(about);
        out_text("\n");
    }
    out_text("end\n");
    out_format("complete -c ink -n '__ink_first %s' -a '(", command->name);
    out_text(command->suggestions_join ? "__fish_complete_list , " : "");
    out_format("__ink_words_%s)'\n", command->name);
}

static void put_operands(const cli_command *command)
{
    if (command->words != NULL)
        put_words(command);
    else if (takes_sketches(command))
        out_format("complete -c ink -n '__ink_first %s' -a '(__fish_complete_suffix .ink)'\n",
                   command->name);
    if (!takes_files(command))
        return;
    out_format("complete -c ink -n '%s %s' -F\n",
               command->words != NULL || takes_sketches(command) ? "__ink_later" : "__ink_is",
               command->name);
}

void completion_fish(const cli_command *const *all)
{
    const cli_offer *offer;

    out_format("# Completes the words of ink %s in fish; printed by: ink completion fish\n\n",
               ink_version());
    out_text(functions);
    out_text("\ncomplete -c ink -f\n"
             "complete -c ink -n 'not __ink_any' -s h -l help -d 'the list of commands'\n"
             "complete -c ink -n 'not __ink_any' -l version -d 'the version'\n");
    for (size_t i = 0; all[i] != NULL; i++) {
        const cli_command *command = all[i];
        out_format("\ncomplete -c ink -n 'not __ink_any' -a %s -d ", command->name);
        put_quoted(command->summary);
        out_text("\n");
        out_format("set -g __ink_valued_%s", command->name);
        put_valued_options(command);
        out_text("\n");
        for (size_t o = 0; (offer = completed_offer(command, o)) != NULL; o++)
            put_option(command, offer);
        put_operands(command);
    }
}
