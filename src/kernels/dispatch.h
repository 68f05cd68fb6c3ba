/* dispatch.h - which table of kernels is used. The one reader of INK_CPU: it holds for every loop
 * that has instruction sets. */
#ifndef INK_KERNELS_DISPATCH_H
#define INK_KERNELS_DISPATCH_H

#include "kernels/kernels.h"

/* The instruction sets of this machine, as INK__CPU_... bits. */
unsigned ink__cpu_features(void);
#if defined(__x86_64__)
/* Those of a processor that announces this by cpuid, under a system that saves these registers
 * (XCR0; 0 if it has none) of a thread that waits. */
typedef struct ink__cpu_words {
    unsigned leaf_1_ecx, leaf_7_ebx, leaf_7_ecx, saved;
} ink__cpu_words;
unsigned ink__cpu_features_of(const ink__cpu_words *words);
#endif

/* Every table compiled in, the scalar one first; NULL past the last one. */
const ink__kernels *ink__kernels_at(size_t index);
/* Whether this machine can run it. */
bool ink__kernels_run_here(const ink__kernels *kernels);
/* The fastest table that this machine can run. */
const ink__kernels *ink__kernels_fastest(void);

/* The table that the environment variable INK_CPU names, or else the fastest; INK_USAGE if this
 * machine has no such one. */
ink_status ink__kernels_choose(const ink__kernels **kernels, ink_error *error);

#endif
