/* kind_choice.c - which kind answers a question. */
#include "jobs/runtime/kind_choice.h"

#include "base/text.h"

#include <string.h>

unsigned ink__kind_rank(const char *kind, ink_question question)
{
    ink_kind_info info;

    return ink_kind_describe(kind, &info, NULL) == INK_OK ? info.ranks[question] : 0;
}

bool ink__kind_joins(const char *kind, ink_question question)
{
    return question == INK_ASK_COUNT && ink__kind_rank(kind, question) > 1;
}

bool ink__kind_choice_offer(ink__kind_choice *choice, const char *kind)
{
    unsigned rank = ink__kind_rank(kind, choice->question);

    if (rank > choice->rank) {
        choice->kind = kind;
        choice->other = NULL;
        choice->rank = rank;
        return true;
    }
    if (rank > 0 && rank == choice->rank && choice->other == NULL &&
        strcmp(kind, choice->kind) != 0)
        choice->other = kind;
    return false;
}

static bool fits(const char *kind, ink__kind_need need)
{
    ink_kind_info info;

    ink_kind_describe(kind, &info, NULL);
    const bool able[] = {
        [INK__KIND_ANY] = true,
        [INK__KIND_SIZED] = info.sized_by_keys,
        [INK__KIND_GROWS] = !info.sized_by_keys,
        [INK__KIND_REMOVES] = info.removes,
    };
    return able[need];
}

const char *ink__kind_best(ink_question question, ink__kind_need need)
{
    ink__kind_choice best = {.question = question};

    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (fits(ink_kind_name(i), need))
            ink__kind_choice_offer(&best, ink_kind_name(i));
    return best.kind;
}

/* One name for the kinds of a rank; NULL: there is none. Only filters share a rank. */
static const char *name_of_rank(ink_question question, unsigned rank)
{
    const char *name = NULL;

    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (ink__kind_rank(ink_kind_name(i), question) == rank)
            name = name == NULL ? ink_kind_name(i) : "a filter";
    return name;
}

void ink__kinds_expected(ink_question question, char text[INK__KINDS_BYTES])
{
    const char *name;
    size_t      used = 0;

    for (unsigned rank = UINT8_MAX; rank > 0; rank--)
        if ((name = name_of_rank(question, rank)) != NULL)
            used += ink__format(text + used, INK__KINDS_BYTES - used, "%s%s",
                                used == 0   ? ""
                                : rank == 1 ? " or "
                                            : ", ",
                                name);
}
