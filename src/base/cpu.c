/* cpu.c - which instruction sets this machine has. Asked of cpuid and the system, not of the
 * compiler: the same binary runs everywhere, and under valgrind, which hides what it cannot run. */
#include "base/cpu.h"

unsigned ink__cpu_features(void)
{
    unsigned features = 0;

#if defined(__x86_64__)
    __builtin_cpu_init();
    /* bmi and popcnt come with it in every processor, but not in every virtual one. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("popcnt"))
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
