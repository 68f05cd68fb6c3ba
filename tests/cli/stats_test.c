/* stats_test.c - each number of a region stands under its name in --stats. */
#include "../../cli/report/stats.c"
#include "support/check.h"

/* No two numbers are equal. */
static const ink_task tasks[] = {
    {.worker = 41, .exclusive = 42, .parallel = 43, .ordered = 44},
    {.worker = 45,
     .exclusive = 46,
     .parallel = 47,
     .ordered = 48,
     .step = 49,
     .lane = 50,
     .nested = true},
};
static const uint64_t   once[] = {51, 52};
static const ink_region region = {
    .name = "testing",
    .workers = 2,
    .serial = 1000000000,
    .serial_wall = 2000000000,
    .wall = 3000000000,
    .cpu = 4000000000,
    .exclusive = 5000000000,
    .ordered = 6000000000,
    .once = 7000000000,
    .longest = 8000000000,
    .waited_input = 9000000000,
    .waited_order = 10000000000,
    .waited_end = 11000000000,
    .waited_other = 12000000000,
    .bytes = 13,
    .zeroed = 14,
    .faults = 15,
    .task_count = 16,
    .tasks = tasks,
    .listed = 2,
    .worker_once = once,
    .lost = 17,
};

#define SERIAL "{\"name\":\"serial\",\"wall_seconds\":2,\"cpu_seconds\":1}"
#define NUMBERS                                                                                    \
    "{\"name\":\"testing\",\"wall_seconds\":3,\"cpu_seconds\":4,\"workers\":2,\"tasks\":16,"       \
    "\"exclusive_seconds\":5,\"ordered_seconds\":6,\"once_seconds\":7,\"longest_seconds\":8,"      \
    "\"waited_input_seconds\":9,\"waited_order_seconds\":10,\"waited_end_seconds\":11,"            \
    "\"waited_other_seconds\":12,\"bytes\":13,\"zeroed_bytes\":14,\"faults\":15,\"lost\":17"
#define TASKS                                                                                      \
    ",\"list\":[{\"worker\":41,\"exclusive\":42,\"parallel\":43,\"ordered\":44},"                  \
    "{\"worker\":45,\"exclusive\":46,\"parallel\":47,\"ordered\":48,\"step\":49,\"lane\":50,"      \
    "\"nested\":true}],\"once\":[51,52]"

TEST(each_number_of_a_region_has_its_name)
{
    static const ink_region later = {.name = "later", .workers = 1};

    stats.account.tasks = 1;
    stats.workers = 1;
    see_region(NULL, &region);
    text_bytes(&stats.phases, "", 1);
    assert_string_equal(stats.phases.bytes, SERIAL "," NUMBERS TASKS "}");
    text_free(&stats.phases);
    stats.account.tasks = 0;
    see_region(NULL, &region);
    text_bytes(&stats.phases, "", 1);
    assert_string_equal(stats.phases.bytes, SERIAL "," NUMBERS "}");
    text_free(&stats.phases);
    see_region(NULL, &later);
    text_bytes(&stats.phases, "", 1);
    CHECK(strstr(stats.phases.bytes, "\"lost\"") == NULL);
    assert_int_equal(stats.workers, 2); /* the most of all regions */
    CHECK(stats.serial == 2000000000 && stats.accounted == UINT64_C(10000000000));
    text_free(&stats.phases);
}

TEST(the_time_of_a_phase_is_that_since_the_one_before)
{
    cli_arguments arguments = {.command = &(cli_command){.name = "build"}};

    CHECK(stats_begin(&arguments) == NULL && stats_account() == NULL);
    stats_phase("nothing");
    assert_int_equal(stats.phases.count, 0);
    arguments.options[OPTION_STATS].given = true;
    CHECK(stats_begin(&arguments) == &stats.account && stats.account.tasks == 0);
    arguments.options[OPTION_STATS].text = "tasks";
    CHECK(stats_begin(&arguments) == stats_account() && stats.account.tasks == 1);
    const uint64_t began = stats.account.since_wall;
    while (clock_now(CLOCK_MONOTONIC) == began)
        ;
    stats_phase("first");
    CHECK(stats.account.since_wall > began && stats.account.since > 0);
    text_free(&stats.phases);
}

RUN_TESTS()
