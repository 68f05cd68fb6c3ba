/* kernel_tables.h - for tests that go through all kernel tables. */
#ifndef TESTS_SUPPORT_KERNEL_TABLES_H
#define TESTS_SUPPORT_KERNEL_TABLES_H

#include "kernels/dispatch.h"

/* Runs the body for every table that this machine can run. */
#define FOR_EACH_TABLE(table)                                                                      \
    for (size_t index_ = 0; ink__kernels_at(index_) != NULL; index_++)                             \
        for (const ink__kernels *table = ink__kernels_at(index_);                                  \
             table != NULL && ink__kernels_run_here(table); table = NULL)

#endif
