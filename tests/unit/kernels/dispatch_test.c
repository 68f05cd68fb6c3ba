/* dispatch_test.c - the instruction sets found are those that the processor and the system
 * announce. */
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

RUN_TESTS()
