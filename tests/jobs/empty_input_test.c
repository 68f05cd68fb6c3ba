/* empty_input_test.c - an input that has neither a path nor memory, as a buffer without bytes has
 * none, is an empty one for every job; bytes at no address are refused by all. */
#define _DEFAULT_SOURCE 1
#include "inkling_command.h"
#include "inkling_job.h"
#include "inkling_pieces.h"

#include "support/check.h"
#include "support/records.h"

static ink_error         error;
static const ink_params  kinds[] = {{.kind = "bloom", .expected_keys = 100}, {.kind = "count-min"}};
static const ink_reading lines = {.form = INK_FORM_LINES};
#define SOME "some.ink"

/* A file with the key "a". */
static void make_some(void)
{
    records_build_file(SOME, "a\n", 2, &lines, kinds, 2);
}

static int take_piece(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    (void)host;
    (void)bucket;
    (void)bytes;
    (void)count;
    return 0;
}

static int take_row(void *host, const ink_count_row *row)
{
    (void)host;
    (void)row;
    return 0;
}

/* ---- Jobs, each with one input ------------------------------------------------------------ */

static ink_status build(ink_input *input, ink_job *job)
{
    const ink_build_options options = {.kinds = kinds, .kind_count = 2};
    owned_set              *set = NULL;

    return ink_build(&set, input, 1, &lines, &options, job, &error);
}

static ink_status map(ink_input *input, ink_job *job)
{
    const ink_build_options  build = {.kinds = kinds, .kind_count = 2};
    const ink_pieces_options options = {.build = &build};
    const ink_piece_sink     sink = {.take = take_piece};

    return ink_map(input, 1, &lines, &options, &sink, job, &error);
}

static ink_status filter(ink_input *input, ink_job *job)
{
    const ink_filter_options options = {.kind = "bloom"};
    ink_filter_report        report;
    ink_file                *file;

    CHECK_OK(ink_file_open(&file, SOME, 0, NULL, &error));
    ink_status status = ink_filter(file, input, 1, &lines, &options, NULL, &report, job, &error);
    ink_file_close(file);
    return status;
}

static ink_status verify(ink_input *input, ink_job *job)
{
    const ink_verify_options options = {0};
    ink_verification        *verification = NULL;
    ink_file                *file;

    CHECK_OK(ink_file_open(&file, SOME, 0, NULL, &error));
    ink_status status = ink_verify(&verification, file, input, 1, &lines, &options, job, &error);
    ink_verification_free(verification);
    ink_file_close(file);
    return status;
}

static ink_status count_keys(ink_input *input, ink_job *job)
{
    const ink_union_options options = {.question = INK_ASK_COUNT};
    const ink_input         some = {.path = SOME};
    const ink_count_sink    sink = {.row = take_row};
    owned_set              *set;

    CHECK_OK(ink_union_files(&set, &some, 1, &options, job, &error));

    return ink_count_keys(set, input, 1, &lines, &sink, job, &error);
}

static ink_status uniq(ink_input *input, ink_job *job)
{
    const ink_uniq_options options = {0};
    ink_uniq_report        report;

    return ink_uniq(input, 1, &lines, &options, NULL, &report, job, &error);
}

static ink_status update(ink_input *input, ink_job *job)
{
    const ink_update_options options = {0};
    ink_update_report        report;

    return ink_update(SOME, input, 1, &lines, &options, &report, job, &error);
}

static ink_status look(ink_input *input, ink_job *job)
{
    bool       sketches = true;
    ink_status status = ink_inputs_look(input, 1, &sketches, job, &error);

    CHECK(status != INK_OK || !sketches);
    return status;
}

static ink_status merge(ink_input *input, ink_job *job)
{
    const ink_union_options options = {.question = INK_ASK_COUNT};
    owned_set              *set = NULL;

    return ink_union_files(&set, input, 1, &options, job, &error);
}

typedef ink_status work(ink_input *input, ink_job *job);
static work *const of_records[] = {build, map, filter, verify, count_keys, uniq, update, look};
enum { JOBS = sizeof of_records / sizeof of_records[0] };

/* ---- Tests -------------------------------------------------------------------------------- */

TEST(an_input_of_nothing_is_empty_for_every_job)
{
    make_some();
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int i = 0; i < JOBS; i++) {
            ink_input nothing = {0};
            ink_job   job = {.threads = threads};
            CHECK_OK(of_records[i](&nothing, &job));
            assert_int_equal(job.records, 0);
        }
}

TEST(an_input_of_nothing_is_no_file_of_sketches)
{
    ink_input nothing = {0};
    ink_job   job = {0};

    CHECK_FAILS(merge(&nothing, &job), INK_FORMAT, "0 bytes");
}

TEST(bytes_at_no_address_are_refused_by_every_job)
{
    make_some();
    for (int i = 0; i <= JOBS; i++) {
        ink_input nowhere = {.memory_bytes = 1};
        ink_job   job = {.threads = 2};
        CHECK_FAILS(i < JOBS ? of_records[i](&nowhere, &job) : merge(&nowhere, &job), INK_USAGE,
                    "an input of 1 bytes at no address, expected memory or a path");
    }
}

RUN_TESTS_REMOVING(SOME)
