/* arguments_fuzz.c - command lines: whatever words a command is given, they are taken apart or
 * refused with one line and the exit code of usage, and what help, manuals and completion say of a
 * command does not matter here. An input is words that end with NUL; the first byte chooses the
 * command. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "arguments/arguments.h"
#include "commands/commands.h"
#include "options/options.h"
#include "report/failure.h"
#include "support/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_BYTES = 2048, WORDS_MAX = 256 };

/* ---- Where it begins ---------------------------------------------------------------------- */

static const char *const lines[] = {
    "build|bloom|-p|0.01|--key|2|--by=3|in.tsv|-o|out.ink",
    "build|count-min,hll|--eps|1e-4|--delta|0.01|--threads|2|--memory|64M",
    "add|set.ink|--once|new.txt",
    "filter|set.ink|-v|-e|key|--count|--json",
    "plan|bloom|-n|1e6|-p|1%",
    "top|-k|10|--weight|3|--in|csv|--header|log.csv",
    "distinct|--precision|18|--confidence|0.99|a|b|--|-c",
    "stream|--train|tcp:127.0.0.1:0|--sketch|hll|--every|1s|--window|1h|--slots|60",
    "merge|a.ink|b.ink|--max-rate|0.05|-o|c.ink|--force",
    "fold|-p|0.1|a.ink|-o|b.ink",
    "gen|ratings|--sample|0.5|--seed|18446744073709551615",
    "uniq|--memory|64M|-q",
    "map|bloom|--buckets|4096|--ranged",
};
enum { LINES = sizeof lines / sizeof lines[0] };

/* Those with options of their own. */
static const cli_command *const commands[] = {
    &command_plan,   &command_build, &command_add,   &command_remove,   &command_filter,
    &command_count,  &command_top,   &command_dot,   &command_distinct, &command_uniq,
    &command_verify, &command_info,  &command_merge, &command_fold,     &command_stream,
    &command_map,    &command_gen,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int standard_error, nowhere;

static void begin(void)
{
    standard_error = dup(STDERR_FILENO);
    nowhere = open("/dev/null", O_WRONLY);
    assert_true(standard_error >= 0 && nowhere >= 0);
}

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= LINES)
        return SIZE_MAX;
    size_t count = fuzz_put(to, room, NULL, lines[index], strlen(lines[index]) + 1);
    for (size_t i = 0; i < count; i++)
        if (to[i] == '|')
            to[i] = '\0';
    return count;
}

/* ---- Changes ------------------------------------------------------------------------------ */

/* An option by its name or letter, whole, cut or with a value after "=". */
static size_t put_option(char *word, size_t room)
{
    const cli_option *option = option_of((option_id)(1 + fuzz_draw((uint64_t)OPTION_LIMIT_ - 1)));

    if (option->name == NULL || (option->letter != 0 && fuzz_draw(3) == 0))
        return (size_t)snprintf(word, room, "-%c%s", option->letter, fuzz_draw(3) == 0 ? "5" : "");
    int count = snprintf(word, room, "--%s%s", option->name,
                         fuzz_draw(4) == 0 ? (fuzz_draw(2) == 0 ? "=" : "=1e3") : "");
    return fuzz_draw(8) == 0 ? fuzz_draw((uint64_t)count) : (size_t)count;
}

/* Puts a word before another one. */
static size_t put_word(uint8_t *bytes, size_t count, size_t room)
{
    static const char words[] =
        "|-|--|0|-1|1e400|1e-400|nan|inf|0x10| 5|5x|10 M|0,01|1%|2|64M|16E|1h|-5s|0|1.5|NaN|"
        "\xff|18446744073709551616|9223372036854775808|a\nb|bloom|top|-o|/dev/"
        "null|....|=|--=|-=|---";
    char   word[64] = "";
    size_t size;

    if (fuzz_draw(2) == 0) {
        size = put_option(word, sizeof word);
    } else {
        const char *one = fuzz_word(words, &size);
        memcpy(word, one, size);
    }
    size_t at = fuzz_draw(count + 1);
    while (at > 0 && at < count && bytes[at - 1] != '\0')
        at++;
    return fuzz_insert(bytes, count, room, at, word, size + 1); /* with its NUL */
}

/* ---- Trial -------------------------------------------------------------------------------- */

static void attempt(const uint8_t *bytes, size_t count)
{
    char         *words[WORDS_MAX];
    int           word_count = 0;
    cli_arguments arguments;

    char *copy = malloc(count + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    copy[count] = '\0';
    for (size_t at = 0; at < count && word_count < WORDS_MAX; at += strlen(copy + at) + 1)
        words[word_count++] = copy + at;
    const cli_command *command = commands[(uint8_t)words[0][0] % COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, words[0]) == 0)
            command = commands[i];
    dup2(nowhere, STDERR_FILENO);
    int code = options_parse(&arguments, command, word_count - 1, words + 1);
    dup2(standard_error, STDERR_FILENO);
    assert_true(code == 0 || code == CODE_USAGE || code == CODE_LIMIT);
    if (code != 0) {
        const char *line = failure_reported();
        assert_true(line != NULL && strlen(line) > 10);
        assert_true(strchr(line, '\n') == line + strlen(line) - 1);
    } else {
        for (size_t i = 0; i < arguments.operand_count; i++)
            assert_true(arguments.operands[i] >= copy && arguments.operands[i] <= copy + count);
    }
    options_release(&arguments);
    free(copy);
}

const fuzz_target fuzz_here = {
    .name = "arguments",
    .most_bytes = MOST_BYTES,
    .head_bytes = 1, /* of the command */
    .rounds = 20000,
    .begin = begin,
    .seed = seed,
    .change = put_word,
    .attempt = attempt,
};
