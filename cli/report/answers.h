/* answers.h - rows of answers: one shape for all questions; docs/output.md. */
#ifndef INK_CLI_REPORT_ANSWERS_H
#define INK_CLI_REPORT_ANSWERS_H

#include "inkling_file.h"
#include "report/report.h"

typedef struct cli_answer {
    const char *kind; /* NULL: no sketch was asked, the number is exact */
    ink_label   label;
    ink_answer  number;
    cli_cell    key;   /* absent: the answer is not about a key */
    cli_cell    share; /* of the total */
    bool        cut;   /* the key is truncated */
} cli_answer;

enum { ANSWER_COLUMNS_MAX = 16 };

typedef struct cli_answers {
    cli_report report;
    cli_column columns[ANSWER_COLUMNS_MAX];
    size_t     order[ANSWER_COLUMNS_MAX]; /* the index of each in the table of columns */
    bool       keyed;
    bool       kinds; /* they differ: text names that of each answer, too */
    uint64_t   row_count, saturated;
    cli_answer first;
} cli_answers;

/* Answers for each group, about keys, or about keys without bounds: in text a column `exactly`. */
typedef enum answer_shape { ANSWERS_OF_GROUPS, ANSWERS_OF_KEYS, ANSWERS_EXACT } answer_shape;

void answers_begin(cli_answers *answers, const cli_arguments *arguments, answer_shape shape);
/* From now on rows of text are printed at once, with columns wide enough for these sketches. */
void answers_stream(cli_answers *answers, const ink_entry *entries, size_t entry_count);
void answers_row(cli_answers *answers, const cli_answer *answer);
/* Discards the rows if `code` is that of an error, and returns it. Else prints them, and returns
 * CODE_YES if there are any, CODE_NO if not. In text a single answer without key and group is one
 * line: the number, and on a terminal its bounds. Warns if sketches were saturated, and names an
 * option that avoids it: of the stored sketches, or of those that were built from data. */
int answers_end(cli_answers *answers, int code, const ink_entry *entries, ink_question question,
                bool stored);

/* A number of keys as whole numbers: its estimate, low and high. */
void answer_whole(const ink_answer *number, cli_cell cells[3]);

/* A single answer: as a JSON object; or as TSV fields, appended to those in `to`: its key, if it
 * has one, its estimate, low and high. */
void answer_object(cli_text *to, const cli_answer *answer);
void answer_fields(cli_text *to, const cli_answer *answer);

#endif
