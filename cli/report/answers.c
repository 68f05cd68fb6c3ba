/* answers.c - rows of answers: one shape for all questions. */
#define _POSIX_C_SOURCE 200809L
#include "report/answers.h"

#include "options/kind_texts.h"
#include "report/failure.h"
#include "report/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define COLUMNS(X)                                                                                 \
    X(ANSWER_KIND, "kind", "kind", TEXT, answer->kind == NULL ? NO_CELL : cell_text(answer->kind)) \
    X(ANSWER_GROUP, "group", "group", LABEL, cell_group(&answer->label))                           \
    X(ANSWER_SLOT, "slot", "slot", SLOT, cell_slot(&answer->label))                                \
    X(ANSWER_KEY, "key", "key", TEXT, answer->key)                                                 \
    X(ANSWER_ESTIMATE, "estimate", "estimate", WHOLE, cell_real(nearest_whole(number->estimate)))  \
    X(ANSWER_LOW, "low", "low", WHOLE, cell_real(whole_below(number->low)))                        \
    X(ANSWER_HIGH, "high", "high", WHOLE, bounded ? cell_real(high) : NO_CELL)                     \
    X(ANSWER_CONFIDENCE, "confidence", "confidence", RATE, cell_real(number->confidence))          \
    X(ANSWER_SATURATED, "saturated", "", MARK, cell_mark(number->saturated, "full"))               \
    X(ANSWER_SHARE, "share", "share", RATE, answer->share)                                         \
    X(ANSWER_CUT, "cut", "", MARK, cell_mark(answer->cut, "(cut)"))
/* clang-format on */
enum { COLUMNS(COLUMN_ID) ANSWER_COLUMNS };

_Static_assert((int)ANSWER_COLUMNS <= (int)ANSWER_COLUMNS_MAX, "answers have room for the columns");

static const cli_column columns[ANSWER_COLUMNS] = {COLUMNS(COLUMN_ID_IS)};

/* TSV and JSON have all columns, in their order. In text the numbers come after a group, and before
 * a key, which may contain blanks. */
static const size_t group_order[] = {ANSWER_GROUP, ANSWER_ESTIMATE, ANSWER_LOW, ANSWER_HIGH};
static const size_t key_order[] = {ANSWER_ESTIMATE, ANSWER_LOW,   ANSWER_HIGH, ANSWER_SHARE,
                                   ANSWER_KIND,     ANSWER_GROUP, ANSWER_KEY,  ANSWER_CUT};
static const size_t exact_order[] = {ANSWER_ESTIMATE, ANSWER_GROUP, ANSWER_KEY};

void answers_begin(cli_answers *answers, const cli_arguments *arguments, answer_shape shape)
{
    static const struct {
        const size_t *order;
        size_t        count;
    } texts[] = {
        [ANSWERS_OF_GROUPS] = {group_order, COUNT_OF(group_order)},
        [ANSWERS_OF_KEYS] = {key_order, COUNT_OF(key_order)},
        [ANSWERS_EXACT] = {exact_order, COUNT_OF(exact_order)},
    };
    report_form form = report_form_of(arguments);
    bool        text = form == REPORT_TEXT;
    size_t      count = text ? texts[shape].count : ANSWER_COLUMNS;

    *answers = (cli_answers){.keyed = shape != ANSWERS_OF_GROUPS};
    for (size_t i = 0; i < count; i++) {
        answers->order[i] = text ? texts[shape].order[i] : i;
        answers->columns[i] = columns[answers->order[i]];
    }
    if (shape == ANSWERS_EXACT && text)
        answers->columns[0].title = "exactly";
    report_begin(&answers->report, form, answers->columns, count);
}

/* Numbers are never negative, and from 2^53 on they are whole. */
static double whole_below(double real)
{
    return real < 0x1p53 ? (double)(uint64_t)real : real;
}

static double whole_above(double real)
{
    double below = whole_below(real);

    return below < real ? below + 1 : below;
}

static double nearest_whole(double real)
{
    return whole_below(real < 0x1p52 ? real + 0.5 : real);
}

void answer_whole(const ink_answer *number, cli_cell cells[3])
{
    cells[0] = cell_real(nearest_whole(number->estimate));
    cells[1] = cell_real(whole_below(number->low));
    cells[2] = cell_real(whole_above(number->high));
}

static cli_cell cell_mark(bool marked, const char *text)
{
    return marked ? cell_text(text) : NO_CELL;
}

/* The upper bound as a whole number; false if there is none, as for a saturated sketch. */
static bool high_of(const cli_answer *answer, double *high)
{
    *high = whole_above(answer->number.high);
    return !answer->number.saturated || *high != 0x1p64;
}

static void answer_cells(cli_cell all[ANSWER_COLUMNS], const cli_answer *answer)
{
    double            high;
    bool              bounded = high_of(answer, &high);
    const ink_answer *number = &answer->number;
    const cli_cell    found[ANSWER_COLUMNS] = {COLUMNS(COLUMN_ID_CELL)};

    memcpy(all, found, sizeof found);
}

void answers_row(cli_answers *answers, const cli_answer *answer)
{
    cli_cell all[ANSWER_COLUMNS], cells[ANSWER_COLUMNS];

    answer_cells(all, answer);
    if (answers->report.form == REPORT_TEXT && !answers->kinds)
        all[ANSWER_KIND] = NO_CELL;
    for (size_t i = 0; i < answers->report.column_count; i++)
        cells[i] = all[answers->order[i]];
    report_row(&answers->report, cells);
    if (answers->row_count++ == 0)
        answers->first = *answer;
    answers->saturated += answer->number.saturated;
}

void answer_object(cli_text *to, const cli_answer *answer)
{
    cli_cell cells[ANSWER_COLUMNS];

    answer_cells(cells, answer);
    json_object(to, columns, ANSWER_COLUMNS, cells);
}

void answer_fields(cli_text *to, const cli_answer *answer)
{
    static const size_t fields[] = {ANSWER_KEY, ANSWER_ESTIMATE, ANSWER_LOW, ANSWER_HIGH};
    cli_cell            cells[ANSWER_COLUMNS];

    answer_cells(cells, answer);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i] == ANSWER_KEY && answer->key.state == CELL_ABSENT)
            continue;
        text_put(to, to->count == 0 ? "" : "\t");
        tsv_field(to, &columns[fields[i]], &cells[fields[i]]);
    }
}

/* Room for ten digits, unless a total is larger. */
#define NUMBER_WIDEST 1e9

static void widen(cli_answers *answers, size_t column, cli_cell cell)
{
    for (size_t i = 0; i < answers->report.column_count; i++)
        if (answers->order[i] == column)
            report_widen(&answers->report, i, &cell);
}

void answers_stream(cli_answers *answers, const ink_entry *entries, size_t entry_count)
{
    double largest = NUMBER_WIDEST;

    for (size_t i = 0; i < entry_count; i++) {
        ink_description d;
        ink_sketch_describe(entries[i].sketch, &d);
        largest = (double)d.total > largest ? (double)d.total : largest;
        widen(answers, ANSWER_GROUP, cell_group(&entries[i].label));
        answers->kinds |= strcmp(d.kind, ink_sketch_kind(entries[0].sketch)) != 0;
    }
    widen(answers, ANSWER_ESTIMATE, cell_real(largest));
    widen(answers, ANSWER_LOW, cell_real(largest));
    widen(answers, ANSWER_HIGH, cell_real(largest));
    for (size_t i = 0; i < entry_count && answers->kinds; i++)
        widen(answers, ANSWER_KIND, cell_text(ink_sketch_kind(entries[i].sketch)));
    widen(answers, ANSWER_KEY, cell_text("key"));
    answers->report.streams = true;
}

static void print_alone(const cli_answer *answer)
{
    const ink_answer *number = &answer->number;
    double            high, share = number->confidence;

    out_format("%.0f", nearest_whole(number->estimate));
    if (isatty(STDOUT_FILENO)) {
        out_format("  (%.0f", whole_below(number->low));
        if (high_of(answer, &high))
            out_format(" to %.0f", high);
        else
            out_text(" or more");
        /* Three digits; 100 only if it is certain. */
        out_format(", %.3g %%)", share < 1 && share > 0.999 ? 99.9 : 100 * share);
    }
    out_text("\n");
}

/* Which option would avoid saturation; NULL if none would. */
static const char *larger_size(const ink_sketch *sketch, ink_question question)
{
    ink_description d;

    ink_sketch_describe(sketch, &d);
    if (d.counter_bits == 32)
        return "--counters 64";
    if (question != INK_ASK_DISTINCT || !kind_info(d.kind).sized_by_keys)
        return NULL;
    return d.target_rate > 0 ? "a larger -n" : "a larger --bits";
}

static void report_saturated(const cli_answers *answers, const ink_entry *entries,
                             ink_question question, bool stored)
{
    char        which[64] = "", better[64] = "";
    const char *larger;

    if (answers->saturated == 0 || answers->report.form != REPORT_TEXT)
        return;
    if (answers->row_count > 1)
        snprintf(which, sizeof which, " in %" PRIu64 " of %" PRIu64 " answers", answers->saturated,
                 answers->row_count);
    larger = larger_size(entries->sketch, question);
    if (larger != NULL)
        snprintf(better, sizeof better, stored ? "; use sketches built with %s" : "; use %s",
                 larger);
    say("the sketch is full%s: the true value may lie far above%s", which, better);
}

int answers_end(cli_answers *answers, int code, const ink_entry *entries, ink_question question,
                bool stored)
{
    bool alone = answers->report.form == REPORT_TEXT && !answers->keyed &&
                 answers->row_count == 1 && answers->first.label.group_kind == INK_GROUP_NONE;

    if (code != 0 || alone)
        report_drop(&answers->report);
    else
        report_end(&answers->report);
    if (code != 0)
        return code;
    if (alone)
        print_alone(&answers->first);
    report_saturated(answers, entries, question, stored);
    return answers->row_count > 0 ? CODE_YES : CODE_NO;
}
