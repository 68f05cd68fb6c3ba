/* answers.h - rows of answers: one shape for all questions; docs/output.md. */
#ifndef INK_CLI_REPORT_ANSWERS_H
#define INK_CLI_REPORT_ANSWERS_H

#include "inkling_job.h"
#include "report/report.h"

typedef struct cli_answer {
    const char *kind;
    ink_label   label;
    ink_answer  number;
    double      most;  /* it cannot be more than this, see answer_most; 0: nobody knows */
    cli_cell    key;   /* absent: the answer is about none */
    cli_cell    share; /* of the total */
    bool        cut;   /* the key is longer */
} cli_answer;

enum { ANSWER_COLUMNS_MAX = 16 };

typedef struct cli_answers {
    cli_report report;
    cli_column columns[ANSWER_COLUMNS_MAX];
    size_t     order[ANSWER_COLUMNS_MAX]; /* which of the columns of all answers each is */
    bool       keyed;
    uint64_t   row_count, saturated;
    cli_answer first;
} cli_answers;

/* Answers about keys, or (`keyed` false) one for each group. */
void answers_begin(cli_answers *answers, const cli_arguments *arguments, bool keyed);
/* From now on rows of text are printed as they come, with room for whatever these may answer. */
void answers_stream(cli_answers *answers, const ink_entry *entries, size_t entry_count);
/* The most that a sketch can truly answer: to how often the total of its weights, or to that and to
 * how many different ones its records; 0 if they have stopped. */
double answer_most(const ink_description *d, ink_question question);
void   answers_row(cli_answers *answers, const cli_answer *answer);
/* Prints what was kept. An answer that is alone, about no key and no group, is in text a line:
 * nothing but the number, and on a terminal its bounds. Says so if the sketches that were asked
 * were full, and what would help: another size of those that are stored, or of those made of data.
 */
void answers_end(cli_answers *answers, const ink_entry *asked, ink_question question, bool stored);
/* Prints nothing of it. */
void answers_drop(cli_answers *answers);

/* An answer alone: as an object of JSON; and as fields of TSV, behind those that stand in `to`: its
 * key, if it has one, its estimate, low and high. */
void answer_object(cli_text *to, const cli_answer *answer);
void answer_fields(cli_text *to, const cli_answer *answer);

#endif
