/* dispatch.c - the list of kernel tables, and the choice of one. */
#include "kernels/dispatch.h"

#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <string.h>

/* Slowest first. */
static const ink__kernels *const tables[] = {
    &ink__kernels_scalar,
#if defined(__x86_64__)
    &ink__kernels_avx2,   &ink__kernels_avx512bw, &ink__kernels_avx512,
#endif
#if defined(__aarch64__) && defined(__AARCH64EL__)
    &ink__kernels_neon,
#endif
};
enum { TABLES = sizeof tables / sizeof tables[0] };

/* Asked of cpuid and the system, not of the compiler: the same binary runs everywhere, and under
 * valgrind, which hides what it cannot run. */
unsigned ink__cpu_features(void)
{
    unsigned features = 0;

#if defined(__x86_64__)
    __builtin_cpu_init();
    /* The others come with it in every processor, but not in every virtual one. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
        features |= INK__CPU_AVX2;
    if ((features & INK__CPU_AVX2) != 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        features |= INK__CPU_AVX512;
    if ((features & INK__CPU_AVX512) != 0 && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq"))
        features |= INK__CPU_VBMI2;
#elif defined(__aarch64__) && defined(__AARCH64EL__)
    features |= INK__CPU_NEON; /* part of every 64-bit Arm */
#endif
    return features;
}

const ink__kernels *ink__kernels_at(size_t index)
{
    return index < TABLES ? tables[index] : NULL;
}

bool ink__kernels_run_here(const ink__kernels *kernels)
{
    return (kernels->cpu_features & ~ink__cpu_features()) == 0;
}

const ink__kernels *ink__kernels_fastest(void)
{
    size_t i = TABLES - 1;

    while (!ink__kernels_run_here(tables[i])) /* the scalar one runs anywhere */
        i--;
    return tables[i];
}

ink_status ink__kernels_choose(const ink__kernels **kernels, ink_error *error)
{
    const char *name = ink__system_now()->environment("INK_CPU");
    char        names[64], found[64];
    size_t      used = 0;

    if (name == NULL || name[0] == '\0') {
        *kernels = ink__kernels_fastest();
        return INK_OK;
    }
    for (size_t i = 0; i < TABLES; i++) {
        if (!ink__kernels_run_here(tables[i]))
            continue;
        if (strcmp(tables[i]->name, name) == 0) {
            *kernels = tables[i];
            return INK_OK;
        }
        used += ink__format(names + used, sizeof names - used, "%s%s", used == 0 ? "" : " or ",
                            tables[i]->name);
    }
    ink__quote(found, sizeof found, name, strlen(name));
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "INK_CPU is \"%s\", expected %s", found,
                     names);
}
