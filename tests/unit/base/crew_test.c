/* crew_test.c - work is lent to threads only where it is enough for them, and a search finds the
 * first number that is refused, whatever the order in which ranges are checked. */
#include "base/crew.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

/* ---- Threads, here one that takes the steps in some order ----------------------------------- */

static unsigned lent; /* threads that were asked for last; 0: none */

static void each_forward(const void *lender, unsigned threads, uint64_t count,
                         void (*step)(void *host, uint64_t number), void *host)
{
    lent = threads;
    for (uint64_t i = 0; i < count; i++)
        step(host, i);
}

static void each_backward(const void *lender, unsigned threads, uint64_t count,
                          void (*step)(void *host, uint64_t number), void *host)
{
    lent = threads;
    for (uint64_t i = count; i-- > 0;)
        step(host, i);
}

/* The first step goes on in the middle of the last one, as on a thread of its own. */
static struct {
    void (*step)(void *host, uint64_t number);
    void *host;
} within;

static void each_within_the_last(const void *lender, unsigned threads, uint64_t count,
                                 void (*step)(void *host, uint64_t number), void *host)
{
    lent = threads;
    for (uint64_t i = 1; i + 1 < count; i++)
        step(host, i);
    within.step = step;
    within.host = host;
    step(host, count - 1);
    if (within.step != NULL) /* no number of the last step was looked at */
        step(host, 0);
    within.step = NULL;
}

static const ink__crew crews[] = {
    {8, NULL, each_forward}, {8, NULL, each_backward}, {8, NULL, each_within_the_last}};
enum { CREWS = sizeof crews / sizeof *crews };

TEST(steps_are_lent_to_as_many_threads_as_they_are_worth)
{
    static const struct {
        unsigned threads;
        uint64_t count, fewest;
        unsigned expected;
    } rows[] = {{8, 0, 4, 1},          {8, 7, 4, 1},  {8, 8, 4, 2},   {8, 31, 4, 7}, {8, 32, 4, 8},
                {8, UINT64_MAX, 4, 8}, {1, 32, 4, 1}, {3, 100, 1, 3}, {8, 2, 1, 2}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ink__crew crew = {rows[i].threads, NULL, each_forward};
        assert_int_equal(ink__crew_for(&crew, rows[i].count, rows[i].fewest), rows[i].expected);
        assert_int_equal(ink__crew_for(NULL, rows[i].count, rows[i].fewest), 1);
    }
}

static void note_step(void *host, uint64_t number)
{
    uint8_t *taken = host;

    taken[number]++;
}

TEST(each_step_is_taken_once)
{
    for (uint64_t count = 0; count < 20; count++)
        for (int c = -1; c < CREWS - 1; c++) {
            uint8_t taken[20] = {0}, once[20] = {0};
            memset(once, 1, count);
            lent = 0;
            ink__crew_each(c < 0 ? NULL : &crews[c], count, 4, note_step, taken);
            assert_memory_equal(taken, once, sizeof taken);
            assert_int_equal(lent, c < 0 || count < 8 ? 0 : count / 4);
        }
}

/* ---- A search ----------------------------------------------------------------------------- */

typedef struct numbers {
    const uint64_t *refused;
    size_t          count;
    uint8_t        *seen; /* how often each was looked at */
} numbers;

static uint64_t look(const void *host, uint64_t from, uint64_t until)
{
    const numbers *all = host;

    if (from > 4096 && within.step != NULL) {
        void (*step)(void *host, uint64_t number) = within.step;
        within.step = NULL;
        step(within.host, 0);
    }
    for (uint64_t i = from; i < until; i++) {
        all->seen[i]++;
        for (size_t r = 0; r < all->count; r++)
            if (all->refused[r] == i)
                return i;
    }
    return until;
}

/* One range is 4,096 numbers, and threads are worth eight of them after the first. */
TEST(the_first_number_that_is_refused_is_found_in_any_order)
{
    enum { RANGE = 4096, MOST = 12 * RANGE };
    static const uint64_t counts[] = {1,         RANGE - 1,     RANGE,     RANGE + 1,
                                      2 * RANGE, 2 * RANGE + 1, 9 * RANGE, 9 * RANGE + 1,
                                      MOST - 1,  MOST};
    uint8_t              *seen = malloc(MOST);

    assert_non_null(seen);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int c = -1; c < CREWS; c++) {
            const ink__crew *crew = c < 0 ? NULL : &crews[c];
            const uint64_t   count = counts[i], last = count - 1;
            const uint64_t   refused[][2] = {
                  {MOST, MOST},       {0, last},          {last, last},     {count / 2, last},
                  {RANGE, RANGE + 1}, {RANGE - 1, RANGE}, {RANGE + 5, last}};
            for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
                const numbers all = {refused[r], 2, seen};
                memset(seen, 0, MOST);
                lent = 0;
                const uint64_t found = ink__crew_first(crew, count, look, &all);
                const uint64_t first =
                    refused[r][0] < refused[r][1] ? refused[r][0] : refused[r][1];
                assert_int_equal(found, first < count ? first : count);
                for (uint64_t n = 0; n < found; n++)
                    if (seen[n] != 1)
                        fail_msg("%llu of %llu was looked at %d times", (unsigned long long)n,
                                 (unsigned long long)count, seen[n]);
                assert_int_equal(lent, crew != NULL && last / RANGE >= 8 && found >= RANGE
                                           ? last / RANGE / 4
                                           : 0);
            }
        }
    free(seen);
}

RUN_TESTS()
