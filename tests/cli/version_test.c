/* version_test.c - the sizes that ink version --tuning prints. */
#include "../../cli/commands/version.c"
#include "support/check.h"

TEST(a_size_is_in_mib_if_it_is_a_whole_number_of_them_and_in_kib_else)
{
    static const struct {
        uint64_t    bytes;
        const char *text;
    } cases[] = {
        {32 << 10, "32 KiB"},           {1 << 20, "1 MiB"},
        {1280 << 10, "1280 KiB"},       {3 << 20, "3 MiB"},
        {(1 << 20) - 1024, "1023 KiB"}, {UINT64_C(4) << 30, "4096 MiB"},
    };
    char text[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(in_units(text, sizeof text, cases[i].bytes), cases[i].text);
}

RUN_TESTS()
