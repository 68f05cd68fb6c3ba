/* completion.c - scripts that complete the words of ink in a shell, from the tables of commands and
 * options. */
#include "help/help_pages.h"

#include "report/output.h"

#include <string.h>

/* ---- What the scripts have in common -------------------------------------------------------- */

typedef enum value_source {
    SOURCE_NONE, /* no value */
    SOURCE_FREE, /* any text */
    SOURCE_WORDS,
    SOURCE_FILES,
    SOURCE_FOLDERS,
} value_source;

/* What completes the value of an option. */
static value_source option_source(const cli_option *option)
{
    switch (option->value) {
    case VALUE_NONE:
        return SOURCE_NONE;
    case VALUE_PATH:
        return strcmp(option->value_name, "DIR") == 0 ? SOURCE_FOLDERS : SOURCE_FILES;
    default:
        return option_word(option, 0) != NULL ? SOURCE_WORDS : SOURCE_FREE;
    }
}

/* The words that may be its value, if any. */
static void put_value_words(const cli_option *option)
{
    const char *word;

    for (size_t i = 0; (word = option_word(option, i)) != NULL; i++)
        out_format("%s%s", i == 0 ? "" : " ", word);
}

static void put_option_names(const cli_option *option, const char *between)
{
    if (option->letter != 0)
        out_format("-%c%s", option->letter, option->name == NULL ? "" : between);
    if (option->name != NULL)
        out_format("--%s", option->name);
}

/* Option number `index` of a command, --help last; NULL after it. */
static const cli_offer *completed_offer(const cli_command *command, size_t index)
{
    size_t count = 0;

    while (command->offers[count].id != OPTION_END)
        count++;
    if (index == count)
        return command_offer(command, OPTION_HELP);
    return index < count ? &command->offers[index] : NULL;
}

/* The names of all options of a command whose value is the next word, a blank before each. */
static void put_valued_options(const cli_command *command)
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

/* Whether operands are files, all or those after the first. */
static bool takes_files(const cli_command *command)
{
    const char *operand = next_operand(command->operands);

    if (operand != NULL && command->words != NULL)
        operand = next_operand(operand + strcspn(operand, " "));
    return operand != NULL;
}

static bool takes_sketches(const cli_command *command)
{
    const char *operand = next_operand(command->operands);

    return operand != NULL && strncmp(operand, "SKETCHES", strlen("SKETCHES")) == 0;
}

/* ---- bash 4 and later, with nothing but bash ------------------------------------------------ */

/* The fixed parts. `cur` is the word to complete, `before` a prefix of it that stays unchanged. */
static const char bash_begin[] =
    "# Those of the words that begin as the one that was typed.\n"
    "_ink_words()\n"
    "{\n"
    "    local word\n"
    "    for word in \"$@\"; do\n"
    "        [[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$before$word\")\n"
    "    done\n"
    "}\n"
    "\n"
    "# The same for words with commas between them; none comes twice.\n"
    "_ink_list()\n"
    "{\n"
    "    local word had=\n"
    "    [[ $cur == *,* ]] && had=${cur%,*},\n"
    "    cur=${cur#\"$had\"} before=$before$had\n"
    "    for word in \"$@\"; do\n"
    "        [[ ,$had == *\",$word,\"* ]] || _ink_words \"$word\"\n"
    "    done\n"
    "}\n"
    "\n"
    "# Paths: bash completes them itself, unless something stands before them in the word.\n"
    "_ink_paths()\n"
    "{\n"
    "    if [[ -z $before ]]; then\n"
    "        compopt -o \"$1\"\n"
    "    else\n"
    "        _ink_later_paths \"$2\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "# Paths after --option=. Words are as they were typed, and what is offered is\n"
    "# put in as it stands, so that quotes are taken off and put on here. Of a quote\n"
    "# that is still open only what follows it is replaced.\n"
    "_ink_later_paths()\n"
    "{\n"
    "    local plain= quote= typed=$cur head=$before c i skip=0 path common\n"
    "    local -a paths=()\n"
    "    for ((i = 0; i < ${#cur}; i++)); do\n"
    "        c=${cur:i:1}\n"
    "        if [[ $c == \\\\ && ( -z $quote || $quote == \\\" && ${cur:i+1:1} == [\\\\\\\"\\$\\`] "
    ") ]]; then\n"
    "            ((i += 1))\n"
    "            plain+=${cur:i:1}\n"
    "        elif [[ -n $quote && $c == \"$quote\" ]]; then\n"
    "            quote= typed=$cur head=$before skip=0\n"
    "        elif [[ -z $quote && $c == [\\'\\\"] ]]; then\n"
    "            quote=$c typed=${cur:i+1} head= skip=${#plain}\n"
    "        else\n"
    "            plain+=$c\n"
    "        fi\n"
    "    done\n"
    "    while IFS= read -r -d '' path; do\n"
    "        [[ -d $path ]] && path+=/\n"
    "        [[ -z $path || $1 == -d && $path != */ ]] || paths+=(\"$path\")\n"
    "    done < <(shopt -s nullglob; set +f; printf '%s\\0' \"$plain\"*)\n"
    "    ((${#paths[@]} > 0)) || return\n"
    "    common=${paths[0]}\n"
    "    for path in \"${paths[@]}\"; do\n"
    "        while [[ $path != \"$common\"* ]]; do common=${common%?}; done\n"
    "    done\n"
    "    if [[ $common == \"$plain\" && ${#paths[@]} -gt 1 ]]; then\n"
    "        for path in \"${paths[@]}\"; do\n"
    "            COMPREPLY+=(\"$head$typed${path:${#plain}}\") # to be looked at: nothing is put "
    "in\n"
    "        done\n"
    "        return\n"
    "    fi\n"
    "    [[ ${#paths[@]} -gt 1 || $common == */ ]] && compopt -o nospace\n"
    "    common=${common:skip}\n"
    "    case $quote in\n"
    "    \\') common=${common//\\'/\\'\\\\\\'\\'} ;;\n"
    "    \\\")\n"
    "        for c in \\\\ \\\" \\$ \\`; do common=${common//\"$c\"/\\\\\"$c\"}; done ;;\n"
    "    *) printf -v common %q \"$common\" ;;\n"
    "    esac\n"
    "    COMPREPLY=(\"$head$common\")\n"
    "}\n"
    "\n"
    "_ink()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} before= assigned=\n"
    "    local command=${COMP_WORDS[1]} values= operands=0 ended= i word\n"
    "    local -a options=()\n"
    "    COMPREPLY=()\n";

static const char bash_middle[] =
    "    # --option=value is three words where = parts words, else one.\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur= assigned=1\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]} assigned=1\n"
    "    elif [[ $cur == --*=* ]]; then\n"
    "        prev=${cur%%=*} before=${cur%%=*}= cur=${cur#*=} assigned=1\n"
    "    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ -n $ended || $word != -?* && $word != = ]]; then\n"
    "            ((operands += 1))\n"
    "        elif [[ $word == -- ]]; then\n"
    "            ended=1\n"
    "        elif [[ $word == = || $values == *\" $word \"* && ${COMP_WORDS[i+1]} != = ]]; then\n"
    "            ((i += 1)) # what follows is its value\n"
    "        fi\n"
    "    done\n"
    "    if [[ -z $ended && ( -n $assigned || $values == *\" $prev \"* ) ]]; then\n"
    "        case $prev in\n";

static const char bash_end[] = "    *) _ink_paths default -f ;;\n"
                               "    esac\n"
                               "}\n"
                               "\n"
                               "complete -F _ink ink\n";

/* The options of a command, and those that take a value. */
static void bash_command(const cli_command *command)
{
    const cli_offer *offer;

    out_format("    %s)\n        options=(", command->name);
    for (size_t i = 0; (offer = completed_offer(command, i)) != NULL; i++) {
        out_text(i == 0 ? "" : " ");
        put_option_names(option_of(offer->id), " ");
    }
    out_text(")\n        values='");
    put_valued_options(command);
    out_text(" ' ;;\n");
}

/* The values of an option. */
static void bash_value(const cli_option *o)
{
    static const char *const actions[] = {
        [SOURCE_WORDS] = "_ink_words ",
        [SOURCE_FILES] = "_ink_paths default -f",
        [SOURCE_FOLDERS] = "_ink_paths dirnames -d",
    };
    const char *action = actions[option_source(o)];

    if (action == NULL)
        return;
    out_text("        ");
    put_option_names(o, " | ");
    out_format(") %s", action);
    put_value_words(o);
    out_text(" ;;\n");
}

/* The operands of a command, unless they are files. */
static void bash_operands(const cli_command *command)
{
    const char *word;

    if (command->words != NULL)
        out_format("    %s:0) %s", command->name,
                   command->suggestions_join ? "_ink_list" : "_ink_words");
    for (size_t i = 0; command->words != NULL && (word = command->words(i, NULL)) != NULL; i++)
        out_format(" %s", word);
    out_text(command->words != NULL ? " ;;\n" : "");
    if (!takes_files(command))
        out_format("    %s:*) ;;\n", command->name);
}

void completion_bash(const cli_command *const *all)
{
    out_format("# Completes the words of ink %s in bash; printed by: ink completion bash\n\n",
               ink_version());
    out_text(bash_begin);
    out_text("    if ((COMP_CWORD == 1)); then\n        _ink_words");
    for (size_t i = 0; all[i] != NULL; i++)
        out_format(" %s", all[i]->name);
    out_text(" --help --version\n        return\n    fi\n    case $command in\n");
    for (size_t i = 0; all[i] != NULL; i++)
        bash_command(all[i]);
    out_text("    *) return ;;\n    esac\n");
    out_text(bash_middle);
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        bash_value(option_of(id));
    out_text("        esac\n        return\n    fi\n"
             "    if [[ -z $ended && $cur == -* ]]; then\n"
             "        _ink_words \"${options[@]}\"\n"
             "        return\n    fi\n"
             "    case $command:$operands in\n");
    for (size_t i = 0; all[i] != NULL; i++)
        bash_operands(all[i]);
    out_text(bash_end);
}

/* ---- fish ----------------------------------------------------------------------------------- */

/* __ink_is: whether the command is one of these. __ink_operands: how many words after it are
 * neither options nor values of one; -- ends options. */
static const char fish_functions[] = "function __ink_is\n"
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

static void fish_quoted(const char *text)
{
    out_text("'");
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            out_text("\\");
        out_bytes(text, 1);
    }
    out_text("'");
}

static void fish_option(const cli_command *command, const cli_offer *offer)
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
    fish_quoted(offer_about(offer));
    out_text("\n");
}

/* A function that prints the words of a command's first operand, each with a tab and its text. */
static void fish_words(const cli_command *command)
{
    const char *word, *about;

    out_format("function __ink_words_%s\n", command->name);
    for (size_t i = 0; (word = command->words(i, &about)) != NULL; i++) {
        out_format("    echo %s\\t", word);
        fish_quoted(about);
        out_text("\n");
    }
    out_text("end\n");
    out_format("complete -c ink -n '__ink_first %s' -a '(", command->name);
    out_text(command->suggestions_join ? "__fish_complete_list , " : "");
    out_format("__ink_words_%s)'\n", command->name);
}

static void fish_operands(const cli_command *command)
{
    if (command->words != NULL)
        fish_words(command);
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
    out_text(fish_functions);
    out_text("\ncomplete -c ink -f\n"
             "complete -c ink -n 'not __ink_any' -s h -l help -d 'the list of commands'\n"
             "complete -c ink -n 'not __ink_any' -l version -d 'the version'\n");
    for (size_t i = 0; all[i] != NULL; i++) {
        const cli_command *command = all[i];
        out_format("\ncomplete -c ink -n 'not __ink_any' -a %s -d ", command->name);
        fish_quoted(command->summary);
        out_text("\n");
        out_format("set -g __ink_valued_%s", command->name);
        put_valued_options(command);
        out_text("\n");
        for (size_t o = 0; (offer = completed_offer(command, o)) != NULL; o++)
            fish_option(command, offer);
        fish_operands(command);
    }
}

/* ---- zsh: as a file _ink in a folder of fpath, or sourced ----------------------------------- */

/* Text between single quotes, with a backslash before each of `special`. */
static void zsh_quoted(const char *text, const char *special)
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
static void zsh_value(const cli_option *o)
{
    static const char *const actions[] = {[SOURCE_FREE] = " ",
                                          [SOURCE_WORDS] = "(",
                                          [SOURCE_FILES] = "_files",
                                          [SOURCE_FOLDERS] = "_files -/"};
    value_source             source = option_source(o);

    if (source == SOURCE_NONE)
        return;
    out_text(":");
    zsh_quoted(o->value_name, ":\\");
    out_format(":%s", actions[source]);
    put_value_words(o);
    out_text(source == SOURCE_WORDS ? ")" : "");
}

/* A spec of _arguments for one name of an option: '(-p --rate)--rate=[about]:P: '. */
static void zsh_spec(const cli_offer *offer, bool by_letter)
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
    zsh_quoted(offer_about(offer), "[]\\");
    out_text(valued && offer->bare ? "]:" : "]");
    zsh_value(o);
    out_text("' \\\n");
}

static void zsh_operands(const cli_command *command)
{
    if (command->words != NULL)
        out_format("            '1: :_ink_%s' \\\n", command->name);
    else if (takes_sketches(command))
        out_text("            '1:sketches:_files -g \"*.ink\"' \\\n");
    if (takes_files(command))
        out_text("            '*:file:_files' \\\n");
    out_text("            && return\n        ;;\n");
}

static void zsh_command(const cli_command *command)
{
    const cli_offer *offer;

    out_format("    %s)\n        _arguments -s -S : \\\n", command->name);
    for (size_t i = 0; (offer = completed_offer(command, i)) != NULL; i++) {
        if (option_of(offer->id)->letter != 0)
            zsh_spec(offer, true);
        if (option_of(offer->id)->name != NULL)
            zsh_spec(offer, false);
    }
    zsh_operands(command);
}

/* A function that offers the words of a command's first operand. */
static void zsh_words(const cli_command *command)
{
    const char *word, *about;

    if (command->words == NULL)
        return;
    out_format("_ink_%s() {\n    _values %s'%s' \\\n", command->name,
               command->suggestions_join ? "-s , " : "", command->operands);
    for (size_t i = 0; (word = command->words(i, &about)) != NULL; i++) {
        out_format("        '%s[", word);
        zsh_quoted(about, "[]\\");
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
        zsh_words(all[i]);
    out_text("_ink() {\n"
             "    local context state state_descr line ret=1\n"
             "    typeset -A opt_args\n"
             "    local -a commands\n"
             "    commands=(\n");
    for (size_t i = 0; all[i] != NULL; i++) {
        out_format("        '%s:", all[i]->name);
        zsh_quoted(all[i]->summary, ":\\");
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
        zsh_command(all[i]);
    out_text("    esac\n"
             "    return ret\n"
             "}\n\n"
             "if [[ $funcstack[1] == _ink ]]; then\n"
             "    _ink \"$@\"\n"
             "else\n"
             "    compdef _ink ink\n"
             "fi\n");
}
