/* dot.c - ink dot: the inner product of two count-mins, the size of a join. */
#include "answers.h"
#include "commands.h"
#include "failure.h"
#include "groups.h"

#include <inttypes.h>
#include <string.h>

typedef struct cli_pair {
    cli_asked a, b;
    size_t    only_a, only_b; /* groups that the other one does not have */
} cli_pair;

static int fail_both(const cli_pair *pair, const ink_error *error)
{
    char text[INK_SENTENCE_BYTES + 32];

    ink_error_text(error, text, sizeof text);
    return fail(CODE_FILE, "%s and %s: %s", shown_path(pair->a.path), shown_path(pair->b.path),
                text);
}

static int answer_pair(const cli_pair *pair, const ink_entry *a, const ink_entry *b,
                       cli_answers *answers)
{
    ink_description d;
    ink_answer      number;
    ink_error       error;

    if (ink_sketch_dot(a->sketch, b->sketch, &number, &error) != INK_OK)
        return fail_both(pair, &error);
    ink_sketch_describe(a->sketch, &d);
    const cli_answer answer = {.kind = d.kind, .label = a->label, .number = number};
    answers_row(answers, &answer);
    return 0;
}

/* Both are in order of their labels. */
static int answer_common(const cli_arguments *arguments, cli_pair *pair, cli_answers *answers)
{
    size_t i = 0, j = 0;
    int    code = 0;

    while (code == 0 && (i < pair->a.entry_count || j < pair->b.entry_count)) {
        const ink_entry *a = i < pair->a.entry_count ? &pair->a.entries[i] : NULL;
        const ink_entry *b = j < pair->b.entry_count ? &pair->b.entries[j] : NULL;
        int  order = a == NULL ? 1 : b == NULL ? -1 : ink_label_compare(&a->label, &b->label);
        bool wanted = group_is_wanted(arguments, order <= 0 ? &a->label : &b->label);
        if (order == 0 && wanted)
            code = answer_pair(pair, a, b, answers);
        pair->only_a += order < 0 && wanted;
        pair->only_b += order > 0 && wanted;
        i += order <= 0;
        j += order >= 0;
    }
    return code;
}

static bool has_groups(const cli_asked *asked)
{
    return asked->entry_count > 1 ||
           (asked->entry_count == 1 && asked->entries[0].label.group_kind != INK_GROUP_NONE);
}

static void tell_others(const cli_pair *pair)
{
    const char *a = shown_path(pair->a.path), *b = shown_path(pair->b.path);

    if (has_groups(&pair->a) != has_groups(&pair->b))
        say("%s has groups, but %s has none", has_groups(&pair->a) ? a : b,
            has_groups(&pair->a) ? b : a);
    else if (pair->only_a + pair->only_b > 0)
        say("%zu group%s only in %s, %zu only in %s", pair->only_a,
            pair->only_a == 1 ? " is" : "s are", a, pair->only_b, b);
}

static int answer_all(const cli_arguments *arguments, cli_pair *pair)
{
    cli_answers answers;

    answers_begin(&answers, arguments, false);
    int code = answer_common(arguments, pair, &answers);
    if (code != 0) {
        answers_drop(&answers);
        return code;
    }
    answers_end(&answers, &pair->a);
    tell_others(pair);
    return answers.row_count > 0 ? CODE_YES : CODE_NO;
}

static int run(const cli_arguments *arguments)
{
    cli_pair pair = {.a.question = INK_ASK_DOT, .b.question = INK_ASK_DOT};

    if (arguments->operand_count != 2)
        return fail_usage("dot", "%zu file%s, expected two", arguments->operand_count,
                          arguments->operand_count == 1 ? "" : "s");
    if (strcmp(arguments->operands[0], "-") == 0 && strcmp(arguments->operands[1], "-") == 0)
        return fail_usage("dot", "standard input (-) is given twice");
    int code = asked_sketches(&pair.a, arguments, arguments->operands[0]);
    if (code == 0)
        code = asked_sketches(&pair.b, arguments, arguments->operands[1]);
    if (code == 0)
        code = answer_all(arguments, &pair);
    asked_end(&pair.a);
    asked_end(&pair.b);
    return code;
}

static const cli_offer offers[] = {
    {.id = OPTION_GROUPS},
    {.id = OPTION_LAST},
    {.id = OPTION_SECRET, .about = "the secret that the sketches were built with"},
    {.id = OPTION_NO_PROGRESS},
    OFFERS_FORMS,
    {.id = OPTION_END},
};

static const char *const examples[] = {
    "ink build count-min -o a.ink a.txt && ink build count-min -o b.ink b.txt && \\\n"
    "      ink dot a.ink b.ink",
    "ink dot count.ink count.ink   # with itself: the sum of all counts squared",
    NULL,
};

static const char *const codes[] = {
    "0  answered",
    "1  no group is in both",
    NULL,
};

const cli_command command_dot = {
    .name = "dot",
    .operands = "A B",
    .summary = "the size of a join",
    .about = "Tells the sum over all keys of (count in A) x (count in B), the rows of a join,\n"
             "from two files with count-mins of one size: never too low. One for each group.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .run = run,
};
