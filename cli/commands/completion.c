/* completion.c - ink completion: what a shell must know to complete the words of ink. */
#include "commands/commands.h"
#include "help/completion_scripts.h"
#include "report/failure.h"

#include <string.h>

static const struct {
    const char *name;
    const char *about;
    void (*print)(void);
} shells[] = {
    {"bash", "4 or later; as a file to be sourced", completion_bash},
    {"fish", "as a file in ~/.config/fish/completions", completion_fish},
    {"zsh", "as a file _ink in a folder of fpath, or sourced behind compinit", completion_zsh},
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

static const char *shell_word(size_t index)
{
    return shell_words(index, NULL);
}

static int run(const cli_arguments *arguments)
{
    if (arguments->operand_count != 1)
        return fail_usage("completion", "%zu shells, expected one: bash, fish or zsh",
                          arguments->operand_count);
    const char *name = arguments->operands[0], *meant;
    for (size_t i = 0; i < SHELLS; i++)
        if (strcmp(shells[i].name, name) == 0) {
            shells[i].print();
            return 0;
        }
    meant = nearest_word(name, shell_word);
    if (meant != NULL)
        return fail_usage("completion", "no shell %s, did you mean %s", shown(name), meant);
    return fail_usage("completion", "no shell %s, expected bash, fish or zsh", shown(name));
}

static const cli_offer offers[] = {{.id = OPTION_END}};

static const char *const examples[] = {
    "ink completion bash > ink.bash   # then: . ./ink.bash",
    "ink completion zsh > _ink        # then move it to a folder of $fpath",
    "ink completion fish > ink.fish   # then move it to ~/.config/fish/completions",
    NULL,
};

static const char *const codes[] = {"0  the script is printed", NULL};

const cli_command command_completion = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "a script that completes words of ink in a shell",
    .about = "Prints a script that makes a shell complete the commands of ink, their options and "
             "values. make install installs these scripts already.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .words = shell_words,
    .words_title = "shells",
    .run = run,
};
