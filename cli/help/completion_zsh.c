/* completion_zsh.c - the script for zsh: as a file _ink in a folder of fpath, or sourced. */
#include "help/completion_scripts.h"
#include "report/output.h"

#include <string.h>

/* Text between single quotes, with a backslash before each of `special`. */
static void put_quoted(const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL)
            out_text("\\");
        if (*text == '\'')
            out_text("'\\''");
        else
            out_bytes(text, 1);
    }
}

/* ":NAME:action", what _arguments does for a value. */
static void put_value(const cli_option *o)
{
    static const char *const actions[] = {[SOURCE_FREE] = " ",
                                          [SOURCE_WORDS] = "(",
                                          [SOURCE_FILES] = "_files",
                                          [SOURCE_FOLDERS] = "_files -/"};
    value_source             source = option_source(o);

    if (source == SOURCE_NONE)
        return;
    out_text(":");
    put_quoted(o->value_name, ":\\");
    out_format(":%s", actions[source]);
    put_value_words(o);
    out_text(source == SOURCE_WORDS ? ")" : "");
}

/* A spec of _arguments for one name of an option: '(-p --rate)--rate=[about]:P: '. */
static void put_spec(const cli_offer *offer, bool by_letter)
{
    const cli_option *o = option_of(offer->id);
    bool              valued = o->value != VALUE_NONE;

    out_text("            '");
    if (o->repeats)
        out_text("*");
    else if (offer->id == OPTION_HELP)
        out_text("(- *)");
    else if (o->letter != 0 && o->name != NULL)
        out_format("(-%c --%s)", o->letter, o->name);
    if (by_letter)
        out_format("-%c%s", o->letter, valued ? "+" : "");
    else
        out_format("--%s%s", o->name, !valued ? "" : offer->bare ? "=-" : "=");
    out_text("[");
    put_quoted(offer_about(offer), "[]\\");
    out_text(valued && offer->bare ? "]:" : "]");
    put_value(o);
    out_text("' \\\n");
}

static void put_operands(const cli_command *command)
{
    if (command->words != NULL)
        out_format("            '1: :_ink_%s' \\\n", command->name);
    else if (takes_sketches(command))
        out_text("            '1:sketches:_files -g \"*.ink\"' \\\n");
    if (takes_files(command))
        out_text("            '*:file:_files' \\\n");
    out_text("            && return\n        ;;\n");
}

static void put_command(const cli_command *command)
{
    const cli_offer *offer;

    out_format("    %s)\n        _arguments -s -S : \\\n", command->name);
    for (size_t i = 0; (offer = completed_offer(command, i)) != NULL; i++) {
        if (option_of(offer->id)->letter != 0)
            put_spec(offer, true);
        if (option_of(offer->id)->name != NULL)
            put_spec(offer, false);
    }
    put_operands(command);
}

/* A function that offers the words of a command's first operand. */
static void put_words(const cli_command *command)
{
    const char *word, *about;

    if (command->words == NULL)
        return;
    out_format("_ink_%s() {\n    _values %s'%s' \\\n", command->name,
               command->suggestions_join ? "-s , " : "", command->operands);
    for (size_t i = 0; (word = command->words(i, &about)) != NULL; i++) {
        out_format("        '%s[", word);
        put_quoted(about, "[]\\");
        out_text("]' \\\n");
    }
    out_text("        && return\n}\n\n");
}

void completion_zsh(const cli_command *const *all)
{
    out_format("#compdef ink\n"
               "# Completes the words of ink %s in zsh; printed by: ink completion zsh\n\n",
               ink_version());
    for (size_t i = 0; all[i] != NULL; i++)
        put_words(all[i]);
    out_text("_ink() {\n"
             "    local context state state_descr line ret=1\n"
             "    typeset -A opt_args\n"
             "    local -a commands\n"
             "    commands=(\n");
    for (size_t i = 0; all[i] != NULL; i++) {
        out_format("        '%s:", all[i]->name);
        put_quoted(all[i]->summary, ":\\");
        out_text("'\n");
    }
    out_text("    )\n"
             "    _arguments -C \\\n"
             "        '(- *)'{-h,--help}'[the list of commands]' \\\n"
             "        '(- *)--version[the version]' \\\n"
             "        '1: :->command' '*:: :->argument' && ret=0\n"
             "    if [[ $state == command ]]; then\n"
             "        _describe -t commands 'command of ink' commands && ret=0\n"
             "        return ret\n"
             "    fi\n"
             "    [[ $state == argument ]] || return ret\n"
             "    case $words[1] in\n");
    for (size_t i = 0; all[i] != NULL; i++)
        put_command(all[i]);
    out_text("    esac\n"
             "    return ret\n"
             "}\n\n"
             "if [[ $funcstack[1] == _ink ]]; then\n"
             "    _ink \"$@\"\n"
             "else\n"
             "    compdef _ink ink\n"
             "fi\n");
}
