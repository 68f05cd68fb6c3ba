/* crew.h - threads that a caller lends to a lower layer, which starts none itself. */
#ifndef INK_BASE_CREW_H
#define INK_BASE_CREW_H

#include <stddef.h>
#include <stdint.h>

typedef struct ink__crew {
    unsigned    threads;
    const void *lender;
    /* Calls step(host, i) once for each i below `count`, in any order, on at most `threads`
     * threads, and returns when all have returned. */
    void (*each)(const void *lender, unsigned threads, uint64_t count,
                 void (*step)(void *host, uint64_t number), void *host);
} ink__crew;

/* How many of them `count` equal steps are worth, at least `fewest` for each; 1 without a crew. */
static inline unsigned ink__crew_for(const ink__crew *crew, uint64_t count, uint64_t fewest)
{
    if (crew == NULL || count < 2 * fewest)
        return 1;
    return count / fewest < crew->threads ? (unsigned)(count / fewest) : crew->threads;
}

/* Calls step(host, i) once for each i below `count`: by the crew, if the steps are worth threads,
 * else in order. */
static inline void ink__crew_each(const ink__crew *crew, uint64_t count, uint64_t fewest,
                                  void (*step)(void *host, uint64_t number), void *host)
{
    const unsigned threads = ink__crew_for(crew, count, fewest);

    if (threads > 1)
        crew->each(crew->lender, threads, count, step, host);
    else
        for (uint64_t i = 0; i < count; i++)
            step(host, i);
}

/* Returns the first of the numbers from `from` on that is refused, or `until`. */
typedef uint64_t ink__crew_check(const void *host, uint64_t from, uint64_t until);

/* Checks all numbers below `count`, in ranges beside each other if there are many. Returns the
 * first that is refused, or `count`: what is found depends on no thread. A range may rely on
 * nothing that the check of another one has seen. */
uint64_t ink__crew_first(const ink__crew *crew, uint64_t count, ink__crew_check *check,
                         const void *host);

#endif
