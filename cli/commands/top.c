/* top.c - ink top: the most frequent keys. */
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "report/answers.h"
#include "report/failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS_BY_DEFAULT = 10 };

typedef struct top_question {
    uint64_t keys;  /* at most this number for each group */
    double   phi;   /* with more than this share of the total; 0: any */
    uint64_t parts; /* 1/parts of the total is just below phi */
} top_question;

static top_question question_of(const cli_arguments *arguments)
{
    const option_given *keys = &arguments->options[OPTION_TOP];
    const option_given *phi = &arguments->options[OPTION_PHI];

    return (top_question){
        .keys = keys->given  ? keys->number
                : phi->given ? UINT64_MAX
                             : KEYS_BY_DEFAULT,
        .phi = phi->real,
        .parts = !phi->given              ? 0
                 : 1 / phi->real < 0x1p64 ? (uint64_t)(1 / phi->real) + 1
                                          : UINT64_MAX,
    };
}

/* The smallest phi of a sketch. A sketch's phi is SHARPER times smaller than the question's, so
 * that bounds are narrow. */
#define PHI_SMALLEST 0x1p-20
enum { SHARPER = 8 };

/* The parameters, or those of the largest sketch if that is not large enough. */
static ink_params or_largest(const ink_params *params, double *phi)
{
    ink_description plan;

    if (ink_plan(params, &plan, NULL) == INK_OK) {
        *phi = plan.phi;
        return *params;
    }
    *phi = PHI_SMALLEST;
    return (ink_params){.kind = "top", .phi = PHI_SMALLEST};
}

/* The sketch to build from data: large enough for the number of keys and for the share. */
static ink_params params_for(const top_question *question)
{
    ink_params by_keys = {.kind = "top"}, by_share = {.kind = "top"};
    double     keys_phi, share_phi;

    if (question->keys != UINT64_MAX)
        by_keys.top_keys = (uint32_t)question->keys;
    by_keys = or_largest(&by_keys, &keys_phi);
    if (question->phi == 0)
        return by_keys;
    by_share.phi = question->phi / SHARPER;
    by_share = or_largest(&by_share, &share_phi);
    return share_phi < keys_phi ? by_share : by_keys;
}

typedef struct top_run {
    const cli_query *query;
    top_question     question;
    cli_answers      answers;
    size_t           unsure;   /* groups where an unlisted key may exceed a listed one */
    uint64_t         unlisted; /* the largest possible count of an unlisted key */
} top_run;

static void print_item(top_run *run, const ink_entry *entry, const ink_description *d,
                       const ink_item *item)
{
    char       digits[24];
    cli_answer answer = {
        .kind = d->kind,
        .label = entry->label,
        .number = item->count,
        .share = cell_real(item->count.estimate / (double)d->total),
        .cut = item->cut,
    };

    if (d->key_type == INK_KEY_INT) {
        snprintf(digits, sizeof digits, "%" PRId64, item->key_int);
        answer.key = cell_text(digits);
    } else {
        answer.key =
            cell_key(item->key, item->key_bytes, item->cut, ink_set_key_columns(run->query->set));
    }
    answers_row(&run->answers, &answer);
}

/* The first keys of a sketch; *listed is their number. */
static int list_first(top_run *run, const ink_entry *entry, const ink_description *d,
                      ink_item *items, size_t room, size_t *listed)
{
    size_t    wanted = run->question.keys < room ? (size_t)run->question.keys : room;
    ink_error error;

    if (ink_sketch_top(entry->sketch, items, wanted, listed, &error) != INK_OK)
        return fail_error(run->query->path, &error);
    bool fewer = *listed < run->question.keys;
    if (d->missed > 0 && (fewer || items[*listed - 1].count.low < (double)d->missed)) {
        run->unsure++;
        run->unlisted = d->missed > run->unlisted ? d->missed : run->unlisted;
    }
    return 0;
}

static int fail_phi(const top_run *run, const ink_description *d)
{
    const char *path = run->query->path; /* NULL: there are several */

    return fail(CODE_USAGE,
                "%s%s--phi %g: a key that is not kept may have %" PRIu64 " of %" PRIu64
                ", expected a larger share%s",
                path == NULL ? "" : shown_path(path), path == NULL ? "" : ": ", run->question.phi,
                d->missed, d->total,
                run->query->sketches ? ", or sketches that were built for this one" : "");
}

/* All keys above a share. */
static int list_over(top_run *run, const ink_entry *entry, const ink_description *d,
                     ink_item *items, size_t room, size_t *listed)
{
    size_t    found;
    ink_error error;

    *listed = 0;
    if (ink_sketch_over(entry->sketch, run->question.parts, items, room, &found, &error) != INK_OK)
        return error.status == INK_USAGE ? fail_phi(run, d) : fail_error(run->query->path, &error);
    for (size_t i = 0; i < found && *listed < run->question.keys; i++)
        if (items[i].count.high / (double)d->total > run->question.phi)
            items[(*listed)++] = items[i];
    return 0;
}

static int answer_entry(top_run *run, const ink_entry *entry)
{
    ink_description d;
    size_t          listed;

    ink_sketch_describe(entry->sketch, &d);
    size_t    room = 2 * (size_t)d.capacity; /* it keeps no more */
    ink_item *items = need_memory(NULL, room * sizeof *items);
    int       code = run->question.phi > 0 ? list_over(run, entry, &d, items, room, &listed)
                                           : list_first(run, entry, &d, items, room, &listed);
    for (size_t i = 0; code == 0 && i < listed; i++)
        print_item(run, entry, &d, &items[i]);
    free(items);
    return code;
}

/* Warns if the list may miss a frequent key. */
static void report_unsure(const top_run *run)
{
    const char *path = run->query->path;
    size_t      count = run->query->entry_count;
    char        groups[64] = "";

    if (run->unsure == 0)
        return;
    if (count > 1)
        snprintf(groups, sizeof groups, "in %zu of %zu groups ", run->unsure, count);
    say("%s%s%sa key that is not listed may have up to %" PRIu64 ", more than some that are; %s",
        path == NULL ? "" : shown_path(path), path == NULL ? "" : ": ", groups, run->unlisted,
        run->query->sketches ? "use sketches built with a larger -k" : "use a larger -k");
}

static int answer_all(const cli_arguments *arguments, const cli_query *query,
                      const top_question *question)
{
    top_run run = {.query = query, .question = *question};
    int     code = 0;

    answers_begin(&run.answers, arguments, ANSWERS_OF_KEYS);
    for (size_t i = 0; code == 0 && i < query->entry_count; i++)
        code = answer_entry(&run, &query->entries[i]);
    code = answers_end(&run.answers, code, query->entries, query->question, query->sketches);
    if (code <= CODE_NO)
        report_unsure(&run);
    return code;
}

static int run(const cli_arguments *arguments)
{
    const top_question question = question_of(arguments);
    cli_query query = {.question = INK_ASK_TOP, .params = params_for(&question), .sized = true};

    int code = query_any(&query, 1, arguments, arguments->operands, arguments->operand_count);
    if (code == 0)
        code = answer_all(arguments, &query, &question);
    query_end(&query);
    return code;
}

const cli_command command_top = {
    .group = "ask",
    .name = "top",
    .operands = "[FILE...]",
    .summary = "the most frequent keys",
    .about = "Lists the most frequent keys of the data, or of sketch files, each with its count, "
             "guaranteed bounds, and its share of the total. Several files are merged.",
    .offers = OFFERS(
        OFFER(GROUPS), OFFER(LAST), OFFERS_RECORDS, OFFER(WEIGHT),
        OFFER_AS(BY, "list the keys of each value of this column"), OFFER(ROUND), OFFERS_HASH,
        OFFER_AS(PHI, "list all keys that have more than this share of the total"),
        OFFER_AS(TOP, "how many keys to list, of each group (default 10; with --phi all)"),
        OFFER_AS(MEMORY, "memory for the sketches of all groups, such as 64M (default 1G)"),
        OFFER(THREADS), OFFERS_RUN, OFFERS_FORMS),
    .examples = LINES("ink top access.log", "ink top -k 3 --fields --key 1 access.log",
                      "ink top --phi 0.01 words.txt          # each above 1 % of all records",
                      "ink top --header --key item --weight amount --by shop sales.csv",
                      "ink top top.ink                       # what was built before"),
    .codes = LINES("0  some key is listed", "1  none is"),
    .data_from = 1,
    .run = run,
};
