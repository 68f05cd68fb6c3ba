/* lab_options_test.c - options of ink lab as the lab takes them. */
#include "../../cli/commands/lab.c"
#include "arguments/arguments.h"
#include "report/report.h"
#include "support/check.h"

/* Of the words after "ink lab". */
static lab_options read_words(int count, char **words)
{
    static cli_arguments arguments;

    assert_int_equal(options_parse(&arguments, &command_lab, count, words), 0);
    lab_options options = options_of(&arguments);
    CHECK(options.progress == show && options.host == &arguments);
    options_release(&arguments);
    return options;
}

TEST(each_option_is_that_of_the_lab)
{
    char *all[] = {"--quick", "--only", "001",      "--threads", "3",
                   "--spark", "echo 1", "--hadoop", "echo 2"};

    lab_options options = read_words((int)COUNT_OF(all), all);
    assert_string_equal(options.only, "001");
    assert_string_equal(options.spark, "echo 1");
    assert_string_equal(options.hadoop, "echo 2");
    CHECK(options.quick && options.threads == 3);
    options = read_words(0, NULL);
    CHECK(!options.quick && options.threads == 0);
    CHECK(options.only == NULL && options.spark == NULL && options.hadoop == NULL);
}

RUN_TESTS()
