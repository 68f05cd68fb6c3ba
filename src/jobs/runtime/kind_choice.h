/* kind_choice.h - which kind answers a question: of those available the one with the highest rank
 * (ink_kind_info.ranks). Jobs name no kind themselves. */
#ifndef INK_JOBS_RUNTIME_KIND_CHOICE_H
#define INK_JOBS_RUNTIME_KIND_CHOICE_H

#include "inkling.h"

/* How well a kind answers a question; 0: not at all, or there is no such kind. */
unsigned ink__kind_rank(const char *kind, ink_question question);

/* Whether a kind is asked together with others, and the best answer for each key is taken. */
bool ink__kind_joins(const char *kind, ink_question question);

/* The best of the kinds offered so far. */
typedef struct ink__kind_choice {
    ink_question question;
    const char  *kind;  /* NULL: none answers */
    const char  *other; /* another one of the same rank; NULL: none */
    unsigned     rank;
} ink__kind_choice;

/* Returns whether this kind is better than all before. */
bool ink__kind_choice_offer(ink__kind_choice *choice, const char *kind);

typedef enum ink__kind_need {
    INK__KIND_ANY,
    INK__KIND_SIZED,   /* planned for a number of keys */
    INK__KIND_GROWS,   /* not so */
    INK__KIND_REMOVES, /* takes keys out again */
} ink__kind_need;

/* The best of all kinds that fit the need, of equals the first; NULL: none does. For kinds that a
 * job makes itself or advises. */
const char *ink__kind_best(ink_question question, ink__kind_need need);

enum { INK__KINDS_BYTES = 96 };

/* The kinds that answer, the best first, as a message lists them: "hll, fm or a filter". */
void ink__kinds_expected(ink_question question, char text[INK__KINDS_BYTES]);

#endif
