/* completion_bash.c - the script for bash, 4 and later; it needs nothing but bash. */
#include "help/completion_scripts.h"
#include "report/output.h"

/* The fixed parts. `cur` is the word to complete, `before` a prefix of it that stays unchanged. */
static const char functions[] =
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
    "}\n";

static const char begin[] =
    "_ink()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} before= assigned=\n"
    "    local command=${COMP_WORDS[1]} values= operands=0 ended= i word\n"
    "    local -a options=()\n"
    "    COMPREPLY=()\n";

static const char middle[] =
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

static const char end[] = "    *) _ink_paths default -f ;;\n"
                          "    esac\n"
                          "}\n"
                          "\n"
                          "complete -F _ink ink\n";

/* The options of a command, and those that take a value. */
static void put_command(const cli_command *command)
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
static void put_value(const cli_option *o)
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
static void put_operands(const cli_command *command)
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

static void put_commands(const cli_command *const *all)
{
    out_text("    if ((COMP_CWORD == 1)); then\n        _ink_words");
    for (size_t i = 0; all[i] != NULL; i++)
        out_format(" %s", all[i]->name);
    out_text(" --help --version\n        return\n    fi\n    case $command in\n");
    for (size_t i = 0; all[i] != NULL; i++)
        put_command(all[i]);
    out_text("    *) return ;;\n    esac\n");
}

void completion_bash(const cli_command *const *all)
{
    out_format("# Completes the words of ink %s in bash; printed by: ink completion bash\n\n",
               ink_version());
    out_text(functions);
    out_text("\n");
    out_text(begin);
    put_commands(all);
    out_text(middle);
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        put_value(option_of(id));
    out_text("        esac\n        return\n    fi\n"
             "    if [[ -z $ended && $cur == -* ]]; then\n"
             "        _ink_words \"${options[@]}\"\n"
             "        return\n    fi\n"
             "    case $command:$operands in\n");
    for (size_t i = 0; all[i] != NULL; i++)
        put_operands(all[i]);
    out_text(end);
}
