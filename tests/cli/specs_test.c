/* specs_test.c - sketches as the command line of a stream names them, as parameters of the library.
 * What is wrong in them is in transcripts, by its line. */
#include "stream/specs.h"

#include "arguments/arguments.h"
#include "commands/commands.h"

#include "support/check.h"

/* Reads the words after "ink stream"; returns the exit code, 0 if all is well. */
static int read_words(char **words, ink_params kinds[KINDS_MAX], size_t *kind_count)
{
    cli_arguments arguments;
    int           count = 0;

    while (words[count] != NULL)
        count++;
    int code = options_parse(&arguments, &command_stream, count, words);
    if (code == 0)
        code = specs_read(&arguments, kinds, kind_count);
    options_release(&arguments);
    return code;
}

#define READ(...) assert_int_equal(read_words((char *[]){__VA_ARGS__, NULL}, kinds, &kind_count), 0)

TEST(sizes_stand_in_the_sketch)
{
    ink_params kinds[KINDS_MAX];
    size_t     kind_count;

    READ("--sketch", "bloom:n=1e6,p=0.001", "--sketch",
         "count-min:eps=0.01,counters=64,conservative", "--sketch", "hll:precision=12", "--sketch",
         "top:k=7", "--sketch", "classic:bits=1000,hashes=3", "--sketch", "fm:width=8,depth=5");
    assert_int_equal(kind_count, 6);
    assert_string_equal(kinds[0].kind, "bloom");
    assert_int_equal(kinds[0].expected_keys, 1000000);
    assert_true(kinds[0].false_positive_rate == 0.001);
    assert_string_equal(kinds[1].kind, "count-min");
    assert_true(kinds[1].epsilon == 0.01);
    assert_true(kinds[1].delta == 0);
    assert_int_equal(kinds[1].counter_bits, 64);
    assert_true(kinds[1].conservative);
    assert_int_equal(kinds[1].expected_keys, 0);
    assert_int_equal(kinds[2].precision, 12);
    assert_int_equal(kinds[3].top_keys, 7);
    assert_int_equal(kinds[4].bits, 1000);
    assert_int_equal(kinds[4].hashes, 3);
    assert_int_equal(kinds[5].width, 8);
    assert_int_equal(kinds[5].depth, 5);
    assert_true(specs_have_filter(kinds, kind_count));
    assert_false(specs_have_filter(kinds + 1, 3));
}

TEST(names_are_letters_or_whole_words)
{
    ink_params kinds[KINDS_MAX];
    size_t     kind_count;

    READ("--sketch=bloom:keys=5,rate=0.1", "--sketch", "top:top=3");
    assert_int_equal(kinds[0].expected_keys, 5);
    assert_true(kinds[0].false_positive_rate == 0.1);
    assert_int_equal(kinds[1].top_keys, 3);
}

TEST(options_of_size_are_those_of_the_only_sketch)
{
    ink_params kinds[KINDS_MAX];
    size_t     kind_count;

    READ("-n", "1e6", "--sketch", "bloom", "-p", "0.01");
    assert_int_equal(kind_count, 1);
    assert_int_equal(kinds[0].expected_keys, 1000000);
    assert_true(kinds[0].false_positive_rate == 0.01);
    READ("--sketch", "bloom:n=7", "-p", "0.02");
    assert_int_equal(kinds[0].expected_keys, 7);
    assert_true(kinds[0].false_positive_rate == 0.02);
}

TEST(with_grow_filters_are_scalable_and_keep_their_sizes)
{
    ink_params kinds[KINDS_MAX];
    size_t     kind_count;

    READ("--sketch", "hll", "--sketch", "counting:n=9,p=0.1", "--grow");
    assert_string_equal(kinds[0].kind, "hll");
    assert_string_equal(kinds[1].kind, "scalable");
    assert_int_equal(kinds[1].expected_keys, 9);
    assert_true(kinds[1].false_positive_rate == 0.1);
    READ("--sketch", "bloom", "--grow"); /* and need not know how many keys will come */
    assert_string_equal(kinds[0].kind, "scalable");
    assert_int_equal(kinds[0].expected_keys, 0);
}

RUN_TESTS()
