/* lab_options_test.c - options of ink lab as the lab takes them, and files that appear meanwhile.
 */
#include "../../cli/commands/lab.c"
#include "arguments/arguments.h"
#include "report/report.h"
#include "support/check.h"

#include <stdio.h>

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

/* A file that is there when the lab has run: what it is then, and what was said of it. */
static void check_there(const char *there, bool force, int code, const char *said)
{
    char         *words[] = {"--quick", "-q", "--only", "000", "--force"};
    cli_arguments arguments;

    FILE *file = fopen(there, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(options_parse(&arguments, &command_lab, force ? 5 : 4, words), 0);
    assert_int_equal(run_lab(&arguments, "page", "page.json"), code);
    options_release(&arguments);
    if (said != NULL)
        assert_string_equal(failure_reported(), said);
    remove("page");
    remove("page.json");
}

TEST(a_file_that_has_appeared_is_replaced_only_with_force)
{
    check_there("page", false, 2, "ink: page: already exists, expected a new name or --force\n");
    check_there("page.json", false, 2,
                "ink: page.json: already exists, expected a new name or --force\n");
    check_there("page", true, 0, NULL);
    check_there("page.json", true, 0, NULL);
}

RUN_TESTS()
