/* dot.c - ink dot: the inner product of two count-mins, the size of a join. */
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "report/answers.h"
#include "report/failure.h"

#include <string.h>

typedef struct cli_pair {
    cli_query files[2];
    size_t    only[2]; /* groups that are missing in the other one */
} cli_pair;

static int fail_both(const cli_pair *pair, const ink_error *error)
{
    return fail_error_of_two(pair->files[0].path, pair->files[1].path, error);
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
static int answer_common(cli_pair *pair, cli_answers *answers)
{
    const cli_query *left = &pair->files[0], *right = &pair->files[1];
    size_t           i = 0, j = 0;
    int              code = 0;

    while (code == 0 && (i < left->entry_count || j < right->entry_count)) {
        const ink_entry *a = i < left->entry_count ? &left->entries[i] : NULL;
        const ink_entry *b = j < right->entry_count ? &right->entries[j] : NULL;
        int order = a == NULL ? 1 : b == NULL ? -1 : ink_label_compare(&a->label, &b->label);
        if (order == 0)
            code = answer_pair(pair, a, b, answers);
        pair->only[0] += order < 0;
        pair->only[1] += order > 0;
        i += order <= 0;
        j += order >= 0;
    }
    return code;
}

static bool has_none(const cli_query *query)
{
    return query->plain && !query->groups;
}

static void report_others(const cli_pair *pair)
{
    const cli_query *left = &pair->files[0], *right = &pair->files[1];
    const char      *a = shown_path(left->path), *b = shown_path(right->path);

    if (left->groups && has_none(right))
        say("%s has groups, but %s has none", a, b);
    else if (right->groups && has_none(left))
        say("%s has groups, but %s has none", b, a);
    else if (pair->only[0] + pair->only[1] > 0)
        say("%zu group%s only in %s, %zu only in %s", pair->only[0],
            pair->only[0] == 1 ? " is" : "s are", a, pair->only[1], b);
}

static int answer_all(const cli_arguments *arguments, cli_pair *pair)
{
    const cli_query *first = &pair->files[0];
    cli_answers      answers;

    answers_begin(&answers, arguments, ANSWERS_OF_GROUPS);
    int code = answers_end(&answers, answer_common(pair, &answers), first->entries, first->question,
                           first->sketches);
    if (code <= CODE_NO)
        report_others(pair);
    return code;
}

static int run(const cli_arguments *arguments)
{
    const cli_query query = {.question = INK_ASK_DOT, .params.kind = "count-min"};
    cli_pair        pair = {.files = {query, query}};

    if (arguments->operand_count != 2)
        return fail_usage("%zu file%s, expected two", arguments->operand_count,
                          arguments->operand_count == 1 ? "" : "s");
    int code = query_any(pair.files, 2, arguments, arguments->operands, 2);
    if (code == 0)
        code = answer_all(arguments, &pair);
    query_end(&pair.files[0]);
    query_end(&pair.files[1]);
    return code;
}

const cli_command command_dot = {
    .group = "ask",
    .name = "dot",
    .operands = "A B",
    .summary = "the size of a join",
    .about = "Prints how many rows a join of A and B would have: the sum over all keys of (count "
             "in A) x (count in B). It is never too low. A and B are files of data, or of "
             "count-mins of the same size; with groups there is one answer for each.",
    .offers = OFFERS(
        OFFER(GROUPS), OFFER(LAST), OFFERS_FOREIGN, OFFERS_RECORDS, OFFER(WEIGHT),
        OFFER_AS(BY, "print one answer for each value of this column"), OFFER(ROUND), OFFERS_HASH,
        OFFER(EPS), OFFER(DELTA),
        OFFER_AS(WIDTH, "count-min: counters in a row, with --depth in place of --eps and --delta"),
        OFFER_AS(DEPTH, "count-min: rows, with --width"), OFFER(COUNTERS),
        OFFER_AS(MEMORY,
                 "memory for the sketches of all groups of a file, such as 64M (default 1G)"),
        OFFER(THREADS), OFFERS_RUN, OFFERS_FORMS),
    .examples =
        LINES("ink dot a.txt b.txt",
              "ink build count-min -o a.ink a.txt && ink build count-min -o b.ink b.txt && \\\n"
              "      ink dot a.ink b.ink",
              "ink dot count.ink count.ink   # with itself: the sum of all counts squared"),
    .codes = LINES("0  answered", "1  no group is in both"),
    .run = run,
};
