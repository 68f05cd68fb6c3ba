/* arena_test.c - copies of every length, with a NUL appended, and objects do not move until all are
 * released.
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

TEST(objects_are_aligned_and_zero_and_stay_when_arenas_are_joined)
{
    faults_memory  memory = {0};
    ink_allocator  allocator = faults_allocator(&memory);
    ink__arena     arenas[3];
    const uint8_t *kept[PIECES], *more;
    uint64_t      *objects[PIECES], all = 0;

    for (int i = 0; i < 3; i++)
        ink__arena_begin(&arenas[i], &allocator);
    for (unsigned i = 0; i < PIECES; i++) {
        ink__arena *arena = &arenas[1 + i % 2];
        CHECK_OK(ink__arena_keep(arena, "odd", i % 4, &kept[i], &error));
        CHECK_OK(ink__arena_take(arena, 8 * (1 + i * i % 9000), &objects[i], &error));
        CHECK((uintptr_t)objects[i] % 8 == 0);
        for (unsigned k = 0; k < 1 + i * i % 9000; k++)
            all |= objects[i][k];
        memset(objects[i], 0xff, 8 * (1 + i * i % 9000));
    }
    assert_int_equal(all, 0);
    ink__arena_join(&arenas[0], &arenas[1]);
    CHECK_OK(ink__arena_keep(&arenas[0], "between", 7, &more, &error));
    ink__arena_join(&arenas[0], &arenas[2]);
    for (int i = 1; i < 3; i++)
        ink__arena_end(&arenas[i]); /* empty now */
    CHECK_OK(ink__arena_keep(&arenas[0], "after", 5, &kept[0], &error));
    for (unsigned i = 1; i < PIECES; i++)
        CHECK(memcmp(kept[i], "odd", i % 4) == 0 && kept[i][i % 4] == 0 && ~objects[i][0] == 0);
    CHECK(memcmp(more, "between", 8) == 0 && memcmp(kept[0], "after", 6) == 0);
    ink__arena_end(&arenas[0]);
    faults_check_no_leak(&memory);
}

TEST(an_arena_that_takes_in_another_goes_on_where_it_was)
{
    faults_memory  memory = {0};
    ink_allocator  allocator = faults_allocator(&memory);
    ink__arena     arena, less;
    const uint8_t *first[PIECES], *other;

    ink__arena_begin(&arena, &allocator);
    ink__arena_begin(&less, &allocator);
    for (unsigned i = 0; i < PIECES; i++)
        CHECK_OK(ink__arena_keep(&arena, "first", 5, &first[i], &error));
    CHECK_OK(ink__arena_keep(&less, "less", 4, &other, &error));
    ink__arena_join(&arena, &less);
    for (unsigned i = 0; i < PIECES; i++)
        CHECK_OK(ink__arena_keep(&arena, "after", 5, &other, &error));
    for (unsigned i = 0; i < PIECES; i++)
        assert_string_equal((const char *)first[i], "first");
    ink__arena_end(&arena);
    faults_check_no_leak(&memory);
}

TEST(an_object_after_a_piece_that_fills_its_block_has_one_of_its_own)
{
    faults_memory  memory = {0};
    ink_allocator  allocator = faults_allocator(&memory);
    ink__arena     arena;
    const uint8_t *kept;
    uint64_t      *object;
    static uint8_t large[100001]; /* with its NUL no multiple of 8 */

    ink__arena_begin(&arena, &allocator);
    CHECK_OK(ink__arena_keep(&arena, large, sizeof large, &kept, &error));
    CHECK_OK(ink__arena_take(&arena, sizeof *object, &object, &error));
    assert_int_equal(memory.live_blocks, 2);
    assert_int_equal(*object, 0);
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
