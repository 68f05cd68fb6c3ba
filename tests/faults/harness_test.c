/* harness_test.c - the tests of hostile files, tested: what they must not let pass ends them. Each
 * wrong is done in a child, and is seen by how that ends. */
#define _DEFAULT_SOURCE 1
#include "faults/hostile.h"

#include <sys/wait.h>
#include <unistd.h>

/* Whether a child that does this comes to its end. */
static bool passes(void (*deed)(void))
{
    int status;

    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        deed();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status == 0;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void take_all_that_is_allowed(void)
{
    allow(1000, false);
    free(metered.resize(NULL, NULL, 0, FIXED_BYTES + 1000));
}

static void take_a_byte_more(void)
{
    allow(1000, false);
    free(metered.resize(NULL, NULL, 0, FIXED_BYTES + 1001));
}

static void take_more_where_no_size_is_known(void)
{
    allow(0, true);
    free(metered.resize(NULL, NULL, 0, FIXED_BYTES + 1));
    REQUIRE(metered.resize(NULL, NULL, 0, PLAN_BYTES_MAX + 1) == NULL);
}

TEST(no_block_is_larger_than_what_is_allowed)
{
    assert_true(passes(take_all_that_is_allowed));
    assert_false(passes(take_a_byte_more));
    assert_true(passes(take_more_where_no_size_is_known));
}

/* A sketch whose operations take what they are allowed to, and then one that is allowed less. */
static void grow(uint64_t allowed_bytes)
{
    const ink_params params = {.kind = "hll", .precision = 18};
    ink_sketch      *sketch;

    allow(allowed_bytes, false);
    REQUIRE_OK(ink_sketch_create(&sketch, &params, &metered, &error));
    for (int i = 0; i < 60000; i++)
        REQUIRE_OK(ink_sketch_add(sketch, &i, sizeof i, &error));
    ink_sketch_free(sketch);
}

static void grow_to_the_dense_size(void)
{
    ink_description d;

    REQUIRE_OK(ink_plan(&(ink_params){.kind = "hll", .precision = 18}, &d, &error));
    grow(dense_bytes(&d));
}

static void grow_beyond_what_is_allowed(void)
{
    grow(1000);
}

TEST(operations_take_the_dense_size_and_no_more)
{
    assert_true(passes(grow_to_the_dense_size));
    assert_false(passes(grow_beyond_what_is_allowed));
}

/* ---- Bytes -------------------------------------------------------------------------------- */

static const uint8_t five[5] = "five";

static void read_the_last_byte(void)
{
    const volatile uint8_t *bytes = files_location(&guard, five, 5);
    REQUIRE(bytes[4] == '\0');
}

static void read_after_the_last_byte(void)
{
    const volatile uint8_t *bytes = files_location(&guard, five, 5);
    REQUIRE(bytes[5] == '\0' || bytes[5] != '\0');
}

TEST(a_byte_after_a_file_cannot_be_read)
{
    assert_true(passes(read_the_last_byte));
    assert_false(passes(read_after_the_last_byte));
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void damage(bool repaired)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
    bytes[files_payload_at(bytes)] ^= 1;
    if (repaired)
        files_repair(bytes, sample.count);
    require_refused(bytes, sample.count);
}

static void flip_a_bit(void)
{
    damage(false);
}

static void flip_a_bit_and_repair(void)
{
    damage(true);
}

/* A filter of any bits is valid: if its checksum is right, it cannot be refused. */
TEST(a_damaged_file_that_is_accepted_ends_the_test)
{
    assert_true(passes(flip_a_bit));
    assert_false(passes(flip_a_bit_and_repair));
}

int main(void)
{
    files_guard_create(&guard, 1 << 16);
    int failed = check_run((check_fixtures){0});
    files_guard_free(&guard);
    return failed;
}
