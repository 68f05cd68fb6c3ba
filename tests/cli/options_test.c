/* options_test.c - parameters of the library as options of the command. */
#include "options/options.h"

#include "support/check.h"

#include <stdio.h>

/* What the command shows where a message names this parameter. */
static const char *const shown[] = {
    [INK_PARAMETER_KIND] = "--kind",
    [INK_PARAMETER_EXPECTED_KEYS] = "--keys",
    [INK_PARAMETER_FALSE_POSITIVE_RATE] = "--rate",
    [INK_PARAMETER_BITS] = "--bits",
    [INK_PARAMETER_HASHES] = "--hashes",
    [INK_PARAMETER_EPSILON] = "--eps",
    [INK_PARAMETER_DELTA] = "--delta",
    [INK_PARAMETER_WIDTH] = "--width",
    [INK_PARAMETER_DEPTH] = "--depth",
    [INK_PARAMETER_COUNTER_BITS] = "--counters",
    [INK_PARAMETER_CONSERVATIVE] = "--conservative",
    [INK_PARAMETER_TOP_KEYS] = "--top",
    [INK_PARAMETER_PHI] = "--phi",
    [INK_PARAMETER_PRECISION] = "--precision",
    [INK_PARAMETER_KEY_TYPE] = "--key-type",
    [INK_PARAMETER_HASH] = "--hash",
    [INK_PARAMETER_SEED] = "--seed",
    [INK_PARAMETER_SECRET] = "--secret",
    [INK_PARAMETER_MAX_RATE] = "--max-rate",
    [INK_PARAMETER_RATE] = "--rate",
    [INK_PARAMETER_CONFIDENCE] = "--confidence",
    [INK_PARAMETER_ESTIMATOR] = "--estimator",
    [INK_PARAMETER_SLOTS] = "--slots",
    [INK_PARAMETER_FORM] = "--in",
    [INK_PARAMETER_DELIMITER] = "--delimiter",
    [INK_PARAMETER_BLANKS] = "--fields",
    [INK_PARAMETER_HEADER] = "--header",
    [INK_PARAMETER_MULTILINE] = "--csv-multiline",
    [INK_PARAMETER_KEY] = "--key",
    [INK_PARAMETER_BY] = "--by",
    [INK_PARAMETER_ROUND] = "--round",
    [INK_PARAMETER_WEIGHT] = "--weight",
    [INK_PARAMETER_TIME] = "--time",
    [INK_PARAMETER_TIME_UNIT] = "--time-unit",
    [INK_PARAMETER_SKIP_BAD] = "--bad skip",
    [INK_PARAMETER_MEMORY_BYTES] = "--memory",
    [INK_PARAMETER_HEADROOM] = "--headroom",
    [INK_PARAMETER_SKEW] = "--skew",
    [INK_PARAMETER_ONCE] = "--once",
    [INK_PARAMETER_OVERWRITE] = "--force",
    [INK_PARAMETER_GROUP_COLUMN] = "--group-column",
    [INK_PARAMETER_GROUPS] = "--groups",
};

/* The others, as INK_PARAMETER_K, have no option, and keep their names. */
TEST(a_parameter_in_a_message_is_its_option)
{
    const size_t most = sizeof shown / sizeof *shown;

    for (uint16_t parameter = 0; ink_parameter_name(parameter) != NULL; parameter++) {
        const char *name = ink_parameter_name(parameter);
        const char *option = parameter < most && shown[parameter] != NULL ? shown[parameter] : name;
        ink_error   error = {.status = INK_USAGE, .named_count = 2};
        char        text[2 * INK_MESSAGE_BYTES], expected[2 * INK_MESSAGE_BYTES];
        snprintf(error.message, sizeof error.message, "%s 5, expected %s", name, name);
        for (size_t i = 0; i < 2; i++)
            error.named[i] = (ink_named){
                .parameter = parameter,
                .start = (uint16_t)(i * (strlen(name) + strlen(" 5, expected "))),
                .bytes = (uint16_t)strlen(name),
            };
        options_text(&error, text, sizeof text);
        snprintf(expected, sizeof expected, "%s 5, expected %s", option, option);
        assert_string_equal(text, expected);
    }
}

RUN_TESTS()
