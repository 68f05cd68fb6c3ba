/* kernel_tables.h - for tests that go through all kernel tables, with data that is the same each
 * time. */
#ifndef TESTS_SUPPORT_KERNEL_TABLES_H
#define TESTS_SUPPORT_KERNEL_TABLES_H

#include "kernels/dispatch.h"

#include <stdlib.h>

/* Runs the body for every table that this machine can run. */
#define FOR_EACH_TABLE(table)                                                                      \
    for (size_t index_ = 0; ink__kernels_at(index_) != NULL; index_++)                             \
        for (const ink__kernels *table = ink__kernels_at(index_);                                  \
             table != NULL && ink__kernels_run_here(table); table = NULL)

/* Whether less is tried, where all takes long (valgrind, mutants). */
static inline bool light(void)
{
    return getenv("INK_TEST_LIGHT") != NULL;
}

/* Set it before each loop. */
static uint64_t random_state;

static inline uint64_t next_random(void) /* splitmix64 */
{
    uint64_t x = random_state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The last step of MurmurHash3 x64, as its author wrote it. */
static inline uint64_t plain_mix(uint64_t k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdu;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53u;
    k ^= k >> 33;
    return k;
}

#endif
