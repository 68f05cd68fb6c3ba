/* crew.c - a search by threads that a caller lends. */
#include "base/crew.h"

#include <stdatomic.h>

enum { RANGE = 1 << 12, RANGES_PER_THREAD = 4 };

typedef struct search {
    ink__crew_check     *check;
    const void          *host;
    uint64_t             count;
    atomic_uint_fast64_t first; /* that was refused so far */
} search;

static void check_range(void *host, uint64_t number)
{
    search        *all = host;
    const uint64_t from = (number + 1) * RANGE;
    const uint64_t until = all->count - from < RANGE ? all->count : from + RANGE;
    uint_fast64_t  first = atomic_load(&all->first);

    if (first <= from)
        return;
    const uint64_t found = all->check(all->host, from, until);
    while (found < until && found < first &&
           !atomic_compare_exchange_weak(&all->first, &first, found))
        ;
}

uint64_t ink__crew_first(const ink__crew *crew, uint64_t count, ink__crew_check *check,
                         const void *host)
{
    search         all = {.check = check, .host = host, .count = count, .first = count};
    const uint64_t start = count < RANGE ? count : RANGE;
    const uint64_t found = check(host, 0, start);

    /* The first range alone: a count that no bytes justify is refused there. */
    if (found < start || start == count)
        return found;
    ink__crew_each(crew, (count - 1) / RANGE, RANGES_PER_THREAD, check_range, &all);
    return atomic_load(&all.first);
}
