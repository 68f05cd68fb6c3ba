/* dispatch.c - the list of kernel tables, and the choice of one. */
#include "kernels/dispatch.h"

#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

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

/* Asked of cpuid and the system, not of the compiler or its runtime: the same binary runs
 * everywhere, and under valgrind, which hides what it cannot run. */
#if defined(__x86_64__)

enum {
    POPCNT = 1 << 23, /* leaf 1, ecx */
    OSXSAVE = 1 << 27,
    BMI = 1 << 3, /* leaf 7, ebx */
    AVX2 = 1 << 5,
    BMI2 = 1 << 8,
    AVX512F = 1 << 16,
    AVX512DQ = 1 << 17,
    AVX512CD = 1 << 28,
    AVX512BW = 1 << 30,
    VBMI = 1 << 1, /* leaf 7, ecx */
    VBMI2 = 1 << 6,
    VPOPCNTDQ = 1 << 14,
    SAVED_YMM = 0x06, /* with xmm */
    SAVED_ZMM = 0xe6, /* with all below, and masks */
};
static const unsigned AVX512VL = 1u << 31;

static bool has(unsigned word, unsigned bits)
{
    return (word & bits) == bits;
}

/* Which registers the system keeps for a thread that waits. */
static unsigned saved_registers(void)
{
    unsigned low, high;

    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

unsigned ink__cpu_features_of(const ink__cpu_words *words)
{
    unsigned features = 0;

    /* The others come with it in every processor, but not in every virtual one. */
    if (has(words->leaf_1_ecx, POPCNT) && has(words->saved, SAVED_YMM) &&
        has(words->leaf_7_ebx, AVX2 | BMI | BMI2))
        features |= INK__CPU_AVX2;
    if (features != 0 && has(words->saved, SAVED_ZMM) &&
        has(words->leaf_7_ebx, AVX512F | AVX512DQ | AVX512CD | AVX512BW | AVX512VL))
        features |= INK__CPU_AVX512;
    if ((features & INK__CPU_AVX512) != 0 && has(words->leaf_7_ecx, VBMI | VBMI2 | VPOPCNTDQ))
        features |= INK__CPU_VBMI2;
    return features;
}

static unsigned ask_cpu(void)
{
    ink__cpu_words words = {0}; /* what it does not answer stays 0 */
    unsigned       eax, ebx, edx;

    if (__get_cpuid(1, &eax, &ebx, &words.leaf_1_ecx, &edx) && has(words.leaf_1_ecx, OSXSAVE))
        words.saved = saved_registers();
    __get_cpuid_count(7, 0, &eax, &words.leaf_7_ebx, &words.leaf_7_ecx, &edx);
    return ink__cpu_features_of(&words);
}

#else

static unsigned ask_cpu(void)
{
#if defined(__aarch64__) && defined(__AARCH64EL__)
    return INK__CPU_NEON; /* part of every 64-bit Arm */
#else
    return 0;
#endif
}

#endif

/* Asked once: a virtual machine leaves to its host at every cpuid, and this is called for each
 * piece of work. Threads that ask at the same time get the same answer. */
unsigned ink__cpu_features(void)
{
    static const unsigned   known = 1u << 31;
    static _Atomic unsigned kept;
    unsigned                features = atomic_load_explicit(&kept, memory_order_relaxed);

    if (features == 0) {
        features = known | ask_cpu();
        atomic_store_explicit(&kept, features, memory_order_relaxed);
    }
    return features & ~known;
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
