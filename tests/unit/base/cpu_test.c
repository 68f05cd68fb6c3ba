/* cpu_test.c - the instruction sets found are those that the processor and the system announce. */
#include "base/cpu.h"

#include "support/check.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Whether the system saves the upper halves of the vector registers: XCR0 bits 1 and 2. */
static bool system_saves_ymm(void)
{
    unsigned low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}

static unsigned expected_features(void)
{
    unsigned a, b, c, d;

    /* Leaf 1, ECX bits 27 and 28: XSAVE is in use, and AVX. Leaf 7, EBX bit 5: AVX2. */
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c >> 27 & 3) != 3 || !system_saves_ymm())
        return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 5 & 1) ? INK__CPU_AVX2 : 0;
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

static void features_are_those_that_the_processor_announces(void **state)
{
    (void)state;
    assert_int_equal(ink__cpu_features(), expected_features());
    assert_int_equal(ink__cpu_features(), expected_features()); /* whenever it is asked */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_those_that_the_processor_announces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
