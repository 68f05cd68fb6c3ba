/* overlap.c - ink overlap: what two or more sets have in common. */
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "options/kind_texts.h"
#include "report/answers.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

/* What an overlap answers, as TSV and JSON name it, with a low and a high for each. */
#define NUMBERS(X)                                                                                 \
    X("in_a", a)                                                                                   \
    X("in_b", b)                                                                                   \
    X("union", in_union) X("intersection", intersection) X("only_a", only_a) X("only_b", only_b)
#define SHARES(X) X("jaccard", jaccard) X("a_in_b", a_in_b) X("b_in_a", b_in_a)

enum { HEAD = 6, NUMBER_COUNT = 6, SHARE_COUNT = 3 };
enum { COLUMNS = HEAD + 3 * (NUMBER_COUNT + SHARE_COUNT) };

#define BOUNDED(name, type)                                                                        \
    {name, name, type}, {name "_low", "low", type}, {name "_high", "high", type},
#define NUMBER_COLUMNS(name, member) BOUNDED(name, COLUMN_WHOLE)
#define SHARE_COLUMNS(name, member) BOUNDED(name, COLUMN_RATE)

static const cli_column columns[COLUMNS] = {{"kind", NULL, COLUMN_TEXT},
                                            {"group", "group", COLUMN_LABEL},
                                            {"a", "a", COLUMN_TEXT},
                                            {"b", "b", COLUMN_TEXT},
                                            {"method", NULL, COLUMN_TEXT},
                                            {"confidence", NULL, COLUMN_RATE},
                                            NUMBERS(NUMBER_COLUMNS) SHARES(SHARE_COLUMNS)};

/* A table in text has these of them; `a` and `b` only if there are more than two files. */
static const size_t text_order[] = {
    1,         2,         3,         HEAD,      HEAD + 3,  HEAD + 6,  HEAD + 9,
    HEAD + 10, HEAD + 11, HEAD + 12, HEAD + 15, HEAD + 18, HEAD + 19, HEAD + 20,
};
enum { TEXT_COLUMNS = sizeof text_order / sizeof text_order[0] };

typedef struct cli_overlap {
    const cli_arguments *arguments;
    const char *const   *paths;
    size_t               count;
    const char          *kind; /* of the sketches that were compared */
    report_form          form;
    bool                 matrix, intersection;
    cli_report           report;
    cli_column          *columns; /* of the report */
    cli_cell            *cells;   /* of a row of it */
    double              *table;   /* of a matrix, count x count */
    bool                 began;
    uint64_t             rows;
    ink_overlap_row      first; /* without a group, in text: printed at the end if it is alone */
    bool                 held;
} cli_overlap;

static void share_cells(const ink_answer *share, cli_cell cells[3])
{
    cells[0] = cell_real(share->estimate);
    cells[1] = cell_real(share->low);
    cells[2] = cell_real(share->high);
}

/* The confidence of all answers: some may be exact. */
static double least_confidence(const ink_overlap *o)
{
    double least = 1;

#define LEAST(name, member) least = o->member.confidence < least ? o->member.confidence : least;
    NUMBERS(LEAST)
    SHARES(LEAST)
    return least;
}

static void pair_cells(const cli_overlap *all, const ink_overlap_row *row, cli_cell cells[COLUMNS])
{
    const ink_overlap *o = &row->overlap;
    size_t             at = HEAD;

    cells[0] = cell_text(row->kind);
    cells[1] = cell_group(&row->label);
    cells[2] = cell_text(all->paths[row->a]);
    cells[3] = cell_text(all->paths[row->b]);
    cells[4] = cell_text(o->method);
    cells[5] = cell_real(least_confidence(o));
#define PUT_NUMBER(name, member)                                                                   \
    answer_whole(&o->member, cells + at);                                                          \
    at += 3;
#define PUT_SHARE(name, member)                                                                    \
    share_cells(&o->member, cells + at);                                                           \
    at += 3;
    NUMBERS(PUT_NUMBER)
    SHARES(PUT_SHARE)
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void begin_pairs(cli_overlap *all)
{
    bool   text = all->form == REPORT_TEXT;
    size_t count = text ? TEXT_COLUMNS : COLUMNS;

    all->columns = need_memory(NULL, count * sizeof *all->columns);
    for (size_t i = 0; i < count; i++)
        all->columns[i] = columns[text ? text_order[i] : i];
    report_begin(&all->report, all->form, all->columns, count);
}

static void print_pair(cli_overlap *all, const ink_overlap_row *row)
{
    bool     text = all->form == REPORT_TEXT;
    cli_cell found[COLUMNS], cells[COLUMNS];

    pair_cells(all, row, found);
    if (text && all->count == 2)
        found[2] = found[3] = NO_CELL;
    for (size_t i = 0; i < all->report.column_count; i++)
        cells[i] = found[text ? text_order[i] : i];
    report_row(&all->report, cells);
}

/* A matrix has the columns group and file, and one for each file. */
static void begin_matrix(cli_overlap *all)
{
    const size_t count = all->count + 2;

    all->table = need_memory(NULL, all->count * all->count * sizeof *all->table);
    all->cells = need_memory(NULL, count * sizeof *all->cells);
    all->columns = need_memory(NULL, count * sizeof *all->columns);
    all->columns[0] = columns[1];
    all->columns[1] = (cli_column){"file", "file", COLUMN_TEXT};
    for (size_t i = 0; i < all->count; i++)
        all->columns[i + 2] = (cli_column){all->paths[i], all->paths[i],
                                           all->intersection ? COLUMN_WHOLE : COLUMN_RATE};
    report_begin(&all->report, all->form, all->columns, count);
}

static void print_matrix(cli_overlap *all, const ink_label *label)
{
    for (size_t a = 0; a < all->count; a++) {
        all->cells[0] = cell_group(label);
        all->cells[1] = cell_text(all->paths[a]);
        for (size_t b = 0; b < all->count; b++)
            all->cells[b + 2] = cell_real(all->table[a * all->count + b]);
        report_row(&all->report, all->cells);
    }
}

static void put_in_matrix(cli_overlap *all, const ink_overlap_row *row)
{
    const ink_overlap *o = &row->overlap;
    const size_t       n = all->count;
    double            *table = all->table;
    cli_cell           both[3], in_a[3], in_b[3];

    answer_whole(&o->intersection, both);
    answer_whole(&o->a, in_a);
    answer_whole(&o->b, in_b);
    table[row->a * n + row->b] = table[row->b * n + row->a] =
        all->intersection ? both[0].real : o->jaccard.estimate;
    table[row->a * n + row->a] = all->intersection ? in_a[0].real : 1;
    table[row->b * n + row->b] = all->intersection ? in_b[0].real : 1;
    if (row->a + 2 == n && row->b + 1 == n) /* the last pair of the group */
        print_matrix(all, &row->label);
}

static void print_row(cli_overlap *all, const ink_overlap_row *row)
{
    if (!all->began)
        (all->matrix ? begin_matrix : begin_pairs)(all);
    all->began = true;
    (all->matrix ? put_in_matrix : print_pair)(all, row);
}

/* ---- A single pair ------------------------------------------------------------------------ */

static void print_names(const cli_overlap *all, const char *before, size_t first,
                        const char *between, size_t second, cli_text *name)
{
    text_put(name, before);
    text_put(name, shown_path(all->paths[first]));
    if (between != NULL) {
        text_put(name, between);
        text_put(name, shown_path(all->paths[second]));
    }
    text_bytes(name, "", 1);
}

static void print_part(cli_report *report, const char *name, const cli_cell numbers[3])
{
    const cli_cell cells[] = {cell_text(name), numbers[0], numbers[1], numbers[2]};

    report_row(report, cells);
}

/* Two sets without groups, in text: a line for each answer. */
static void print_alone(const cli_overlap *all, const ink_overlap_row *row)
{
    static const cli_column numbers[] = {{"keys", "keys", COLUMN_TEXT},
                                         {"estimate", "estimate", COLUMN_WHOLE},
                                         {"low", "low", COLUMN_WHOLE},
                                         {"high", "high", COLUMN_WHOLE}};
    static const cli_column shares[] = {{"share", "share", COLUMN_TEXT},
                                        {"estimate", "estimate", COLUMN_RATE},
                                        {"low", "low", COLUMN_RATE},
                                        {"high", "high", COLUMN_RATE}};
    static const struct {
        const char *before, *between;
        bool        swapped;
    } names[] = {{"in ", NULL, false},
                 {"in ", NULL, true},
                 {"in ", " or ", false},
                 {"in ", " and ", false},
                 {"only in ", NULL, false},
                 {"only in ", NULL, true},
                 {"common of all (Jaccard)", NULL, false},
                 {"of ", " in ", false},
                 {"of ", " in ", true}};
    cli_cell   cells[COLUMNS];
    cli_report report;

    pair_cells(all, row, cells);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        cli_text name = {0};
        if (i == 0)
            report_begin(&report, REPORT_TEXT, numbers, COUNT_OF(numbers));
        if (i == NUMBER_COUNT) {
            report_end(&report);
            out_text("\n");
            report_begin(&report, REPORT_TEXT, shares, COUNT_OF(shares));
        }
        if (i == NUMBER_COUNT)
            text_bytes(&name, names[i].before, strlen(names[i].before) + 1);
        else
            print_names(all, names[i].before, names[i].swapped ? row->b : row->a, names[i].between,
                        names[i].swapped ? row->a : row->b, &name);
        print_part(&report, name.bytes, cells + HEAD + 3 * i);
        free(name.bytes);
    }
    report_end(&report);
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* A first row without a group waits: it may be the only one. */
static int see_row(void *host, const ink_overlap_row *row)
{
    cli_overlap *all = host;

    all->kind = row->kind;
    if (all->rows++ == 0 && all->form == REPORT_TEXT && !all->matrix && all->count == 2 &&
        row->label.group_kind == INK_GROUP_NONE) {
        all->first = *row;
        all->held = true;
        return 0;
    }
    if (all->held)
        print_row(all, &all->first);
    all->held = false;
    print_row(all, row);
    return 0;
}

/* The kind that answers best. */
static const char *best_kind(void)
{
    const char *best = NULL;
    unsigned    rank = 0;

    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (kind_info(ink_kind_name(i)).ranks[INK_ASK_OVERLAP] > rank) {
            best = ink_kind_name(i);
            rank = kind_info(best).ranks[INK_ASK_OVERLAP];
        }
    return best;
}

static int end_rows(cli_overlap *all, int code)
{
    if (all->began && code != 0)
        report_drop(&all->report);
    else if (all->began)
        report_end(&all->report);
    else if (all->held && code == 0)
        print_alone(all, &all->first);
    free(all->columns);
    free(all->cells);
    free(all->table);
    if (code != 0)
        return code;
    if (all->kind != NULL && strcmp(all->kind, best_kind()) != 0 &&
        !all->arguments->options[OPTION_KIND].given)
        say("%s answers by inclusion-exclusion; %s would have closer bounds", all->kind,
            best_kind());
    return all->rows > 0 ? CODE_YES : CODE_NO;
}

/* ---- Files and data ----------------------------------------------------------------------- */

static int compare_files(cli_overlap *all, const cli_data *data, ink_overlap_options *options)
{
    const ink_overlap_sink sink = {see_row, all};
    ink_job                job = progress_job(all->arguments);
    ink_error              error;

    TRY(secret_read(all->arguments, &options->secret));
    options->groups = groups_chosen(all->arguments);
    if (ink_overlap_files(data->inputs, data->input_count, options, &sink, &job, &error) != INK_OK)
        return job_fails(&job, NULL, &error);
    progress_clear();
    return 0;
}

static int compare_sets(cli_overlap *all, const cli_query *queries,
                        const ink_overlap_options *options)
{
    const ink_overlap_sink sink = {see_row, all};
    const ink_set        **sets = need_memory(NULL, all->count * sizeof *sets);
    ink_job                job = progress_job(all->arguments);
    ink_error              error;
    int                    code = 0;

    for (size_t i = 0; i < all->count; i++)
        sets[i] = queries[i].set;
    if (ink_overlap_sets(sets, all->count, options, &sink, &job, &error) != INK_OK)
        code = job_fails(&job, NULL, &error);
    progress_clear();
    free(sets);
    return code;
}

/* One set of sketches for each file, built one after another by all threads. */
static int compare_data(cli_overlap *all, const cli_data *data, const ink_overlap_options *options)
{
    cli_query *queries = need_memory(NULL, all->count * sizeof *queries);
    int        code = 0;

    for (size_t i = 0; i < all->count; i++)
        queries[i] = (cli_query){
            .question = INK_ASK_OVERLAP,
            .params.kind = options->kind == NULL ? best_kind() : options->kind,
        };
    for (size_t i = 0; i < all->count && code == 0; i++)
        code = query_build(&queries[i], all->arguments, &data->inputs[i], 1, &data->how);
    if (code == 0)
        code = compare_sets(all, queries, options);
    for (size_t i = 0; i < all->count; i++)
        query_end(&queries[i]);
    free(queries);
    return code;
}

static int run(const cli_arguments *arguments)
{
    const option_given *given = arguments->options;
    ink_overlap_options options = {
        .last = (size_t)given[OPTION_LAST].number,
        .confidence = given[OPTION_CONFIDENCE].real,
    };
    cli_overlap all = {
        .arguments = arguments,
        .paths = arguments->operands,
        .count = arguments->operand_count,
        .form = report_form_of(arguments),
        .intersection = given[OPTION_MATRIX].number == 1,
    };
    cli_data data;
    bool     sketches;

    all.matrix = given[OPTION_MATRIX].given && all.form != REPORT_JSON;
    if (all.count < 2)
        return fail_usage("%zu file%s, expected two or more", all.count, all.count == 1 ? "" : "s");
    TRY(query_kind(arguments, INK_ASK_OVERLAP, &options.kind));
    TRY(query_inputs(&data, arguments, arguments->operands, arguments->operand_count, &sketches));
    int code =
        sketches ? compare_files(&all, &data, &options) : compare_data(&all, &data, &options);
    data_end(&data);
    return end_rows(&all, code);
}

const cli_command command_overlap = {
    .group = "ask",
    .name = "overlap",
    .operands = "A B...",
    .summary = "what two or more sets have in common",
    .about =
        "Prints how many different keys A and B have together and in common, how many only one "
        "of them has, and the shares: the Jaccard index (common keys of all keys), and of each "
        "the share that is in the other, all with bounds. A and B are files of data, or of "
        "sketches. With groups there is one answer for each; a group that a file does not have "
        "is an empty set there. Of more than two files every pair is compared.",
    .offers = OFFERS(
        OFFER_AS(KIND, "the kind to query, or to build from data (default: the one that answers "
                       "best)"),
        OFFER(GROUPS), OFFER(LAST), OFFER(CONFIDENCE), {.id = OPTION_MATRIX, .bare = true},
        OFFERS_FOREIGN, OFFERS_RECORDS,
        OFFER_AS(BY, "print one answer for each value of this column"), OFFER(ROUND), OFFERS_HASH,
        OFFER(PRECISION),
        OFFER_AS(MEMORY,
                 "memory for the sketches of all groups of a file, such as 64M (default 1G)"),
        OFFER(THREADS), OFFERS_RUN, OFFERS_FORMS),
    .examples = LINES("ink overlap mon.txt tue.txt",
                      "ink overlap --fields --by 1 --key 2 access.log access.log   # of each host",
                      "ink overlap --matrix mon.txt tue.txt words.txt              # every pair"),
    .codes = LINES("0  answered", "1  there is no group, or none that matches --groups"),
    .run = run,
};
