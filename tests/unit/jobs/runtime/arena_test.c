/* arena_test.c - copies of every length, with a NUL appended, do not move until all are released.
 */
#include "base/status.h"
#include "jobs/runtime/arena.h"

#include "support/check.h"
#include "support/faults.h"

static ink_error error;

/* Around the size of a block, and far beyond it. */
static const uint64_t lengths[] = {0, 1, 7, 100, 4000, 65471, 65472, 65473, 65536, 300000};
enum { LENGTHS = sizeof lengths / sizeof lengths[0], PIECES = 200 };

static ink_status keep_all(ink__arena *arena, const uint8_t *kept[PIECES])
{
    static uint8_t bytes[300000];

    for (unsigned i = 0; i < PIECES; i++) {
        uint64_t length = lengths[i * i % LENGTHS];
        memset(bytes, (int)(i & 0x7f) + 1, length);
        INK__TRY(ink__arena_keep(arena, length == 0 ? NULL : bytes, length, &kept[i], &error));
    }
    return INK_OK;
}

TEST(pieces_stay_as_they_were_put_in)
{
    faults_memory  memory = {0};
    ink_allocator  allocator = faults_allocator(&memory);
    ink__arena     arena;
    const uint8_t *kept[PIECES];

    ink__arena_begin(&arena, &allocator);
    CHECK_OK(keep_all(&arena, kept));
    for (unsigned i = 0; i < PIECES; i++) {
        uint64_t length = lengths[i * i % LENGTHS];
        uint64_t wrong = 0;
        for (uint64_t k = 0; k < length; k++)
            wrong += kept[i][k] != (i & 0x7f) + 1;
        assert_int_equal(wrong, 0);
        assert_int_equal(kept[i][length], 0);
    }
    ink__arena_end(&arena);
    faults_check_no_leak(&memory);
    ink__arena_end(&arena); /* empty now */
}

TEST(small_pieces_share_a_block)
{
    faults_memory  memory = {0};
    ink_allocator  allocator = faults_allocator(&memory);
    ink__arena     arena;
    const uint8_t *kept;

    ink__arena_begin(&arena, &allocator);
    for (int i = 0; i < 1000; i++)
        CHECK_OK(ink__arena_keep(&arena, "piece", 5, &kept, &error));
    assert_int_equal(memory.asked, 1);
    ink__arena_end(&arena);
    faults_check_no_leak(&memory);
}

TEST(refused_memory_is_a_failure_and_no_leak)
{
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator  allocator = faults_allocator(&memory);
        ink__arena     arena;
        const uint8_t *kept[PIECES];
        ink__arena_begin(&arena, &allocator);
        ink_status status = keep_all(&arena, kept);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        ink__arena_end(&arena);
    }
}

RUN_TESTS()
