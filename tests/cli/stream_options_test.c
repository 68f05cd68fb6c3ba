/* stream_options_test.c - options of ink stream as the library takes them. */
#include "../../cli/commands/stream.c"
#include "support/check.h"

/* Of the words after "ink stream". */
static ink_stream_options read_words(char **words)
{
    static stream_run run;
    cli_arguments     arguments;
    int               count = 0;

    while (words[count] != NULL)
        count++;
    assert_int_equal(options_parse(&arguments, &command_stream, count, words), 0);
    ink_stream_options options = options_of(&arguments, &run);
    options_release(&arguments);
    return options;
}

#define READ(...) read_words((char *[]){__VA_ARGS__, NULL})

TEST(a_batch_is_a_time_or_a_number_of_records)
{
    ink_stream_options options = READ("--every", "50000");

    assert_int_equal(options.every_records, 50000);
    assert_int_equal(options.every_microseconds, 0);
    options = READ("--every", "500ms");
    assert_int_equal(options.every_records, 0);
    assert_int_equal(options.every_microseconds, 500000);
    options = READ("--state", "x");
    assert_int_equal(options.every_records, 0);
    assert_int_equal(options.every_microseconds, 0);
}

TEST(each_option_is_that_of_the_library)
{
    ink_stream_options options = READ("--ask", "a", "--state", "s", "--follow", "--checkpoint", "7",
                                      "--window", "2m", "--slots", "5", "--http", "localhost:1");

    assert_string_equal(options.ask, "a");
    assert_string_equal(options.folder, "s");
    assert_int_equal(options.checkpoint_batches, 7);
    assert_int_equal(options.window_microseconds, 120000000);
    assert_int_equal(options.slots, 5);
    assert_true(options.follow && options.views && !options.renew);
    options = READ("--state", "s", "--renew");
    assert_true(options.renew && !options.follow && !options.views && options.ask == NULL);
    assert_int_equal(options.checkpoint_batches, 0);
    assert_int_equal(options.slots, 0);
}

RUN_TESTS()
