/* distinct.c - ink distinct: how many different keys. */
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "inkling_command.h"
#include "report/answers.h"
#include "report/failure.h"
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

static int answer_all(const cli_arguments *arguments, const cli_query *query)
{
    const option_given *options = arguments->options;
    ink_answer         *numbers = need_memory(NULL, (query->entry_count + 1) * sizeof *numbers);
    const ink_job       job = progress_job(arguments);
    cli_answers         answers;
    ink_error           error;
    int                 code = 0;

    answers_begin(&answers, arguments, ANSWERS_OF_GROUPS);
    if (ink_distinct_entries(query->entries, query->entry_count,
                             (ink_estimator)options[OPTION_ESTIMATOR].number,
                             options[OPTION_CONFIDENCE].real, numbers, &job, &error) != INK_OK)
        code = fail_error(query->path, &error);
    for (size_t i = 0; code == 0 && i < query->entry_count; i++) {
        const ink_entry *entry = &query->entries[i];
        const cli_answer answer = {
            .kind = ink_sketch_kind(entry->sketch), .label = entry->label, .number = numbers[i]};
        answers_row(&answers, &answer);
    }
    free(numbers);
    return answers_end(&answers, code, query->entries, query->question, query->sketches);
}

/* The textbook estimator implies fm. */
static int choose_kind(const cli_arguments *arguments, cli_query *query)
{
    TRY(query_kind(arguments, INK_ASK_DISTINCT, &query->kind));
    if (arguments->options[OPTION_ESTIMATOR].number == INK_ESTIMATOR_MEAN_OF_POWERS) {
        if (query->kind != NULL && strcmp(query->kind, "fm") != 0)
            return fail_usage("--estimator seed is for fm, but --kind is %s", query->kind);
        query->kind = "fm";
    }
    query->params.kind = query->kind == NULL ? "hll" : query->kind;
    return 0;
}

static int run(const cli_arguments *arguments)
{
    cli_query query = {.question = INK_ASK_DISTINCT};

    int code = choose_kind(arguments, &query);
    if (code == 0)
        code = query_any(&query, 1, arguments, arguments->operands, arguments->operand_count);
    if (code == 0)
        code = answer_all(arguments, &query);
    query_end(&query);
    return code;
}

const cli_command command_distinct = {
    .group = "ask",
    .name = "distinct",
    .operands = "[FILE...]",
    .summary = "how many different keys",
    .about = "Prints the number of different keys in the data, or in sketch files; several files "
             "are merged. On a terminal the bounds follow; elsewhere only the number is printed, "
             "unless --json or --tsv is given.",
    .offers = OFFERS(
        OFFER_AS(
            KIND,
            "the kind to query, or to build from data: hll, theta, fm, or a filter (default hll)"),
        OFFER(GROUPS), OFFER(LAST), OFFER(CONFIDENCE), OFFER(ESTIMATOR), OFFERS_FOREIGN,
        OFFERS_RECORDS, OFFER_AS(BY, "print one answer for each value of this column"),
        OFFER(ROUND), OFFERS_HASH,
        OFFER_AS(KEYS,
                 "filters: how many different keys to plan for (default: as many as the data has)"),
        OFFER(RATE), OFFER(PRECISION), OFFER(BITS), OFFER(HASHES),
        OFFER_AS(WIDTH, "fm: sub-sketches in a group (default 16)"),
        OFFER_AS(DEPTH, "fm: groups (default 9)"), OFFER(HEADROOM), OFFER(MEMORY), OFFER(THREADS),
        OFFER(TEMP), OFFERS_RUN, OFFERS_FORMS),
    .examples = LINES("ink distinct access.log",
                      "ink distinct --fields --by 1 --key 2 access.log   # clients of each host",
                      "ink distinct hll.ink                              # what was built before",
                      "ink build hll -o - mon.txt | ink distinct --json",
                      "ink build hll -o mon.ink mon.txt && ink build hll -o tue.ink tue.txt && \\\n"
                      "      ink distinct mon.ink tue.ink              # of both days together"),
    .codes =
        LINES("0  answered; 0 is an answer", "1  there is no group, or none that matches --groups"),
    .data_from = 1,
    .run = run,
};
