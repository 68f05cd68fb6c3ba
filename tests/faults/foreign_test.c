/* foreign_test.c - hostile files of other systems: cut at every byte, with every byte and every
 * number at the values where it may break, they are refused with a message and a byte, or are
 * sketches that write and read again; nothing is allocated by a claim, and refused memory is said.
 */
#define _DEFAULT_SOURCE 1
#include "faults/hostile.h"
#include "support/foreign_samples.h"

/* Beside the file: what a conversion holds at once, and the registers of an hll. */
enum { ROOM = 1 << 16, ALLOWED_FIXED = (1 << 20) + (1 << 19), ALLOWED_TIMES = 4 };

static unsigned tries;

/* Reads bytes that lie against a page that cannot be read, with this format or, NULL, any. Whether
 * they are a file. */
static bool read_or_refused(const foreign_sample *of, const uint8_t *bytes, size_t count,
                            bool any_format)
{
    static uint8_t      first[ROOM], second[ROOM];
    faults_memory       memory = {.unfilled = true};
    const ink_allocator allocator = faults_allocator(&memory);
    ink_foreign_options options = of->options;
    ink_sketch         *sketch = NULL, *again;
    size_t              first_bytes, second_bytes;

    if (any_format)
        options.format = NULL;
    tries++;
    forget_error();
    ink_status status = foreign_read_first(&sketch, files_location(&guard, bytes, count), count,
                                           &options, &allocator, &error);
    REQUIRE(memory.largest_bytes <= ALLOWED_FIXED + ALLOWED_TIMES * count);
    if (status != INK_OK) {
        REQUIRE(status == INK_FORMAT || status == INK_USAGE || status == INK_MISMATCH ||
                status == INK_UNSUPPORTED);
        REQUIRE(error.message[0] != '\0' && error.status == status);
        REQUIRE((error.location == INK_NOWHERE && error.at == 0) ||
                (error.location == INK_AT_BYTE && error.at <= count));
        faults_check_no_leak(&memory);
        return false;
    }
    /* What is a sketch can be asked, and what is written of it reads as the same sketch. */
    if (sketch != NULL && of->written && !any_format &&
        foreign_write_to(sketch, options.format, first, sizeof first, &first_bytes, &error) ==
            INK_OK) {
        REQUIRE_OK(foreign_read_first(&again, first, first_bytes, &options, NULL, &error));
        REQUIRE_OK(
            foreign_write_to(again, options.format, second, sizeof second, &second_bytes, &error));
        REQUIRE(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
        ink_sketch_free(again);
    }
    ink_sketch_free(sketch);
    faults_check_no_leak(&memory);
    return true;
}

static int begin(void **state)
{
    (void)state;
    files_guard_create(&guard, ROOM);
    return 0;
}

static int end(void **state)
{
    (void)state;
    files_guard_free(&guard);
    return 0;
}

/* For every sample: of->count is 0 where its format is not there. */
#define EACH_SAMPLE(sample)                                                                        \
    for (unsigned index_ = 0; foreign_sample_make(&(sample), index_);                              \
         foreign_sample_free(&(sample)), index_++)                                                 \
        if ((sample).count > 0)

TEST(a_file_is_read_and_written_again_with_the_same_bytes)
{
    static uint8_t written[ROOM];
    foreign_sample sample;
    size_t         count;

    EACH_SAMPLE(sample)
    {
        ink_sketch *sketch = NULL;
        snprintf(tried, sizeof tried, "%s", sample.options.format);
        REQUIRE_OK(
            foreign_read_first(&sketch, sample.bytes, sample.count, &sample.options, NULL, &error));
        if (sample.written) {
            REQUIRE_OK(foreign_write_to(sketch, sample.options.format, written, sizeof written,
                                        &count, &error));
            REQUIRE(count == sample.count && memcmp(written, sample.bytes, count) == 0);
        }
        ink_sketch_free(sketch);
    }
}

TEST(a_file_that_is_cut_anywhere_or_has_more_bytes_is_refused)
{
    foreign_sample sample;

    EACH_SAMPLE(sample)
    {
        uint8_t *longer = malloc(sample.count + 8);
        for (size_t count = 0; count < sample.count; count += count < 200 || light() ? 1 : 7) {
            snprintf(tried, sizeof tried, "%s cut to %zu of %zu bytes", sample.options.format,
                     count, sample.count);
            /* The text of index-list is whole where a number ends, and postgresql-hll where a
             * register or a hash does. */
            bool whole = read_or_refused(&sample, sample.bytes, count, false);
            REQUIRE(!whole || strcmp(sample.options.format, "index-list") == 0 ||
                    strcmp(sample.options.format, "postgresql-hll") == 0);
            if (count < 64)
                (void)read_or_refused(&sample, sample.bytes, count, true);
        }
        memcpy(longer, sample.bytes, sample.count);
        memset(longer + sample.count, 0xa5, 8);
        for (size_t more = 1; more <= 8; more++) {
            snprintf(tried, sizeof tried, "%s with %zu bytes more", sample.options.format, more);
            (void)read_or_refused(&sample, longer, sample.count + more, false);
        }
        free(longer);
    }
}

TEST(every_number_at_its_limits_is_refused_or_makes_a_sketch)
{
    foreign_sample sample;
    uint64_t       limits[LIMITS_MAX];

    EACH_SAMPLE(sample)
    {
        enum { FIRST = 96, LAST = 24 }; /* where formats state sizes */
        uint8_t *bytes = malloc(sample.count);
        memcpy(bytes, sample.bytes, sample.count);
        for (unsigned width = 1; width <= 8; width *= 2)
            for (size_t at = 0; at + width <= sample.count; at++) {
                if (at == FIRST && sample.count > FIRST + LAST)
                    at = sample.count - LAST;
                uint64_t old = files_get(bytes + at, width);
                size_t   count = limits_around(old, width, limits);
                for (size_t i = 0; i < count; i += light() ? 5 : 1) {
                    uint64_t value = limits[i];
                    for (int high_first = 0; high_first < 2 && (width > 1 || high_first == 0);
                         high_first++) {
                        if (high_first)
                            value = __builtin_bswap64(value) >> (64 - 8 * width);
                        snprintf(tried, sizeof tried, "%s: %u bytes at %zu are %llx",
                                 sample.options.format, width, at, (unsigned long long)value);
                        files_set(bytes + at, width, value);
                        foreign_mend(sample.options.format, bytes, sample.count);
                        (void)read_or_refused(&sample, bytes, sample.count, false);
                    }
                }
                memcpy(bytes, sample.bytes, sample.count);
            }
        free(bytes);
    }
}

TEST(without_a_name_a_file_is_taken_for_its_own_format_or_for_none)
{
    foreign_sample sample;

    EACH_SAMPLE(sample)
    {
        snprintf(tried, sizeof tried, "%s by itself", sample.options.format);
        (void)read_or_refused(&sample, sample.bytes, sample.count, true);
    }
}

/* Of ink_foreign_read, and of ink_foreign_write. */
TEST(refused_memory_is_said_and_leaves_nothing)
{
    foreign_sample sample;
    unsigned       refused = 0;

    printf("# %u files\n", tries);
    EACH_SAMPLE(sample)
    {
        for (faults_refusals run = {0}; faults_refusals_next(&run);) {
            owned_sketch *sketch = NULL;
            refused += faults_check_refused(&run, foreign_read_first(&sketch, sample.bytes,
                                                                     sample.count, &sample.options,
                                                                     &run.allocator, &error));
        }
        static uint8_t written[ROOM];
        size_t         count;
        for (faults_refusals run = {.later = true}; sample.written && faults_refusals_next(&run);) {
            owned_sketch *sketch = NULL;
            CHECK_OK(foreign_read_first(&sketch, sample.bytes, sample.count, &sample.options,
                                        &run.allocator, &error));
            faults_refuse_now(&run);
            refused +=
                faults_check_refused(&run, foreign_write_to(sketch, sample.options.format, written,
                                                            sizeof written, &count, &error));
        }
    }
    printf("# %u refused allocations\n", refused);
}

RUN_TESTS(.begin = begin, .end = end)
