/* spool_test.c - bytes written at any offset of an unnamed file are read back and mapped, on cache
 * lines; and a refusal of the system is reported with the folder. */
#include "base/status.h"
#include "jobs/runtime/spool.h"

#include "base/size.h"
#include "support/check.h"
#include "support/faults.h"

#include <errno.h>

static ink_error error;

enum { LOCATIONS = 5 };
static const uint64_t lengths[LOCATIONS] = {1, 64, 0, 5000, 63};

TEST(what_is_written_anywhere_is_read_and_mapped_there)
{
    uint8_t    bytes[5000], back[5000];
    uint64_t   at[LOCATIONS];
    ink__spool spool;

    ink__spool_begin(&spool, ".");
    for (unsigned i = 0; i < LOCATIONS; i++) {
        CHECK_OK(ink__spool_reserve(&spool, lengths[i], &at[i], &error));
        assert_int_equal(at[i] % 64, 0);
        CHECK(i == 0 || at[i] >= at[i - 1] + lengths[i - 1]);
    }
    for (unsigned i = LOCATIONS; i-- > 0;) { /* the last one first */
        memset(bytes, (int)i + 1, sizeof bytes);
        CHECK_OK(ink__spool_write(&spool, at[i], bytes, lengths[i], &error));
        CHECK_OK(ink__spool_read(&spool, at[i], back, lengths[i], &error));
        assert_memory_equal(back, bytes, lengths[i]);
    }
    CHECK_OK(ink__spool_map(&spool, &error));
    for (unsigned i = 0; i < LOCATIONS; i++)
        for (uint64_t k = 0; k < lengths[i]; k++)
            assert_int_equal(ink__spool_at(&spool, at[i])[k], i + 1);
    assert_int_equal(faults_names_here(), 0);
    ink__spool_end(&spool);
}

TEST(a_spool_of_nothing_needs_no_file)
{
    ink__spool spool;

    faults_system_begin(NULL);
    ink__spool_begin(&spool, "nowhere");
    CHECK_OK(ink__spool_map(&spool, &error));
    assert_non_null(ink__spool_at(&spool, 0)); /* of no bytes */
    ink__spool_end(&spool);
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_ANY), 0);
}

TEST(more_than_a_file_can_have_is_refused)
{
    uint64_t   at = 7;
    ink__spool spool;

    ink__spool_begin(&spool, ".");
    CHECK_FAILS(ink__spool_reserve(&spool, UINT64_MAX, &at, &error), INK_LIMIT,
                "18446744073709551615 bytes after 0 others");
    CHECK_OK(ink__spool_reserve(&spool, 1, &at, &error));
    CHECK_FAILS(ink__spool_reserve(&spool, UINT64_MAX - 64, &at, &error), INK_LIMIT, "after 1");
    CHECK_FAILS(ink__spool_reserve(&spool, INK__BYTES_MAX, &at, &error), INK_LIMIT, "after 1");
    assert_int_equal(at, 0);
    CHECK_OK(ink__spool_reserve(&spool, INK__BYTES_MAX - 64, &at, &error));
    assert_int_equal(at, 64);
    CHECK_FAILS(ink__spool_reserve(&spool, 1, &at, &error), INK_LIMIT, "than a file can have");
    ink__spool_end(&spool);
}

/* Makes, writes, reads and maps. */
static ink_status use(ink__spool *spool)
{
    uint8_t  bytes[100] = {1, 2, 3};
    uint64_t at;

    INK__TRY(ink__spool_reserve(spool, sizeof bytes, &at, &error));
    INK__TRY(ink__spool_write(spool, at, bytes, sizeof bytes, &error));
    INK__TRY(ink__spool_read(spool, at, bytes, sizeof bytes, &error));
    return ink__spool_map(spool, &error);
}

TEST(every_call_that_fails_is_reported_with_the_folder)
{
    static const struct {
        faults_call call;
        const char *words;
    } calls[] = {
        {FAULTS_OPEN, "cannot make a temporary file in ."},
        {FAULTS_WRITE_AT, "cannot write to a temporary file in ."},
        {FAULTS_READ_AT, "cannot read a temporary file in ."},
        {FAULTS_MAP, "cannot map a temporary file in ."},
    };
    ink__spool spool;

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        faults_system_begin(&(faults_plan){.call = calls[i].call, .nth = 1, .os_error = ENOSPC});
        ink__spool_begin(&spool, ".");
        CHECK_FAILS(use(&spool), INK_IO, calls[i].words);
        assert_int_equal(error.os_error, ENOSPC);
        ink__spool_end(&spool);
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_maps(), 0);
    }
}

TEST(short_and_interrupted_calls_are_made_again)
{
    ink__spool spool;

    faults_system_begin(&(faults_plan){.transfer_bytes = 7, .interrupt = true});
    ink__spool_begin(&spool, ".");
    CHECK_OK(use(&spool));
    assert_memory_equal(ink__spool_at(&spool, 0), ((const uint8_t[]){1, 2, 3, 0}), 4);
    ink__spool_end(&spool);
    faults_system_end();
    CHECK(faults_calls(FAULTS_WRITE_AT) >= 15 && faults_calls(FAULTS_READ_AT) >= 15);
}

TEST(what_was_mapped_is_unmapped_once_by_a_call_or_at_the_end)
{
    for (unsigned calls = 0; calls < 3; calls++) {
        ink__spool spool;

        faults_system_begin(NULL);
        ink__spool_begin(&spool, ".");
        CHECK_OK(use(&spool));
        assert_int_equal(faults_maps(), 1);
        for (unsigned i = 0; i < calls; i++)
            ink__spool_unmap(&spool);
        assert_int_equal(faults_maps(), calls == 0);
        ink__spool_end(&spool);
        faults_system_end();
        assert_int_equal(faults_maps(), 0);
        assert_int_equal(faults_open_files(), 0);
    }
}

RUN_TESTS()
