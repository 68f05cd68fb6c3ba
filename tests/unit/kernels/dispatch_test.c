/* dispatch_test.c - the instruction sets found are those that the processor and the system
 * announce, and none of which a part is missing. */
#include "kernels/dispatch.h"

#include "support/check.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Whether the system saves these registers: XCR0 bits 1 and 2 for 256 bits, 5 to 7 for 512. */
static bool system_saves(unsigned bits)
{
    unsigned low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & bits) == bits;
}

static bool all_of(unsigned value, unsigned bits)
{
    return (value & bits) == bits;
}

static unsigned expected_features(void)
{
    unsigned a, b, c, d, features = 0;

    /* Leaf 1, ECX bits 27 and 28: XSAVE is in use, and AVX. Leaf 7, EBX bit 5: AVX2. */
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c >> 27 & 3) != 3 || !system_saves(0x06) ||
        !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 0;
    if (b >> 5 & 1)
        features |= INK__CPU_AVX2;
    /* EBX bits 16, 17, 28, 30 and 31: f, dq, cd, bw, vl. ECX bits 1, 6 and 14: vbmi, vbmi2,
     * vpopcntdq. */
    if (features != 0 && system_saves(0xe6) && all_of(b, 3u << 16 | 1u << 28 | 3u << 30))
        features |=
            INK__CPU_AVX512 | (all_of(c, 1u << 1 | 1u << 6 | 1u << 14) ? INK__CPU_VBMI2 : 0);
    return features;
}
#elif defined(__AARCH64EL__)
static unsigned expected_features(void)
{
    return INK__CPU_NEON;
}
#else
static unsigned expected_features(void)
{
    return 0;
}
#endif

TEST(features_are_those_that_the_processor_announces)
{
    assert_int_equal(ink__cpu_features(), expected_features());
    assert_int_equal(ink__cpu_features(), expected_features()); /* whenever it is asked */
}

#if defined(__x86_64__)
/* The bits that count, and what is left of all sets without each: a virtual processor may lack any.
 */
enum { LEAF_1_ECX, LEAF_7_EBX, LEAF_7_ECX, SAVED, WORDS };
static const unsigned every = INK__CPU_AVX2 | INK__CPU_AVX512 | INK__CPU_VBMI2;
static const struct {
    unsigned word, bit, left;
} needed[] = {
    {LEAF_1_ECX, 23, 0},                               /* popcnt */
    {SAVED, 1, 0},                                     /* 128 bits */
    {SAVED, 2, 0},                                     /* 256 bits */
    {LEAF_7_EBX, 3, 0},                                /* bmi1 */
    {LEAF_7_EBX, 5, 0},                                /* avx2 */
    {LEAF_7_EBX, 8, 0},                                /* bmi2 */
    {SAVED, 5, INK__CPU_AVX2},                         /* masks */
    {SAVED, 6, INK__CPU_AVX2},                         /* 512 bits of the first 16 */
    {SAVED, 7, INK__CPU_AVX2},                         /* the other 16 */
    {LEAF_7_EBX, 16, INK__CPU_AVX2},                   /* f */
    {LEAF_7_EBX, 17, INK__CPU_AVX2},                   /* dq */
    {LEAF_7_EBX, 28, INK__CPU_AVX2},                   /* cd */
    {LEAF_7_EBX, 30, INK__CPU_AVX2},                   /* bw */
    {LEAF_7_EBX, 31, INK__CPU_AVX2},                   /* vl */
    {LEAF_7_ECX, 1, INK__CPU_AVX2 | INK__CPU_AVX512},  /* vbmi */
    {LEAF_7_ECX, 6, INK__CPU_AVX2 | INK__CPU_AVX512},  /* vbmi2 */
    {LEAF_7_ECX, 14, INK__CPU_AVX2 | INK__CPU_AVX512}, /* vpopcntdq */
};

static unsigned features_of(const unsigned *words)
{
    return ink__cpu_features_of(&(ink__cpu_words){.leaf_1_ecx = words[LEAF_1_ECX],
                                                  .leaf_7_ebx = words[LEAF_7_EBX],
                                                  .leaf_7_ecx = words[LEAF_7_ECX],
                                                  .saved = words[SAVED]});
}

TEST(a_set_is_used_if_the_processor_and_the_system_have_all_of_it)
{
    unsigned words[WORDS] = {0};

    assert_int_equal(features_of(words), 0);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        words[needed[i].word] |= 1u << needed[i].bit;
    assert_int_equal(features_of(words), every); /* nothing else is asked for */
    for (unsigned i = 0; i < WORDS * 32; i++) {
        unsigned left = every;
        for (size_t j = 0; j < sizeof needed / sizeof *needed; j++)
            if (needed[j].word == i / 32 && needed[j].bit == i % 32)
                left = needed[j].left;
        memset(words, 0xff, sizeof words);
        words[i / 32] &= ~(1u << i % 32);
        if (features_of(words) != left)
            fail_msg("word %u without bit %u gives %x", i / 32, i % 32, features_of(words));
    }
}
#endif

RUN_TESTS()
