/* memory_test.c - memory comes from the caller's allocator, aligned and cleared; a refusal is an
 * ordinary failure, and everything goes back with the size it came with. */
#include "base/memory.h"

#include "base/size.h"
#include "support/check.h"
#include "support/faults.h"

#include <errno.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20, HUGE_FROM = 4 << 20 };

static ink_error error;

static bool all_zero(const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* An allocator that hands out one piece of an aligned arena, `shift` bytes from its start. */
typedef struct arena {
    uint8_t *bytes;
    size_t   count, shift;
} arena;

static void *arena_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    arena *here = host;

    return new_bytes == 0 || new_bytes > here->count - here->shift ? NULL
                                                                   : here->bytes + here->shift;
}

TEST(without_an_allocator_memory_comes_from_the_heap)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    uint8_t      *block = heap.resize(heap.host, NULL, 0, 10);

    assert_non_null(block);
    memset(block, 7, 10);
    block = heap.resize(heap.host, block, 10, 100000);
    assert_non_null(block);
    assert_int_equal(block[9], 7);
    assert_null(heap.resize(heap.host, block, 100000, 0));
}

TEST(a_given_allocator_is_used_as_it_is)
{
    faults_memory memory = {0};
    ink_allocator given = faults_allocator(&memory), used = ink__allocator_or_heap(&given);

    assert_ptr_equal(used.host, &memory);
    assert_true(used.resize == given.resize);
}

TEST(memory_is_allocated_and_released_with_its_size)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    void         *block;

    CHECK_OK(ink__allocate(&allocator, 100, &block, &error));
    memset(block, 1, 100);
    assert_int_equal(memory.live_bytes, 100);
    ink__release(&allocator, block, 100);
    faults_check_no_leak(&memory);
    assert_int_equal(memory.asked, 1);
}

TEST(releasing_nothing_does_not_bother_the_allocator)
{
    ink_allocator nobody = {0};

    ink__release(&nobody, NULL, 0); /* would call NULL */
    ink__block_release(&(ink__block){0}, &nobody);
}

TEST(a_refused_allocation_names_the_bytes)
{
    faults_memory memory = {.refuse_at = 1};
    ink_allocator allocator = faults_allocator(&memory);
    void         *block = &memory;

    CHECK_FAILS(ink__allocate(&allocator, 12345, &block, &error), INK_MEMORY,
                "no memory for 12345 bytes");
    assert_null(block);
    assert_int_equal(memory.refused, 1);
    CHECK_OK(ink__allocate(&allocator, 12345, &block, &error)); /* only the first one */
    ink__release(&allocator, block, 12345);
    faults_check_no_leak(&memory);
}

static void *give_zeroed(void *host, size_t bytes)
{
    uint64_t *asked = host;

    *asked += bytes;
    return bytes == 4096 ? NULL : calloc(1, bytes);
}

static void *resize_none(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)host;
    (void)old_bytes;
    CHECK(new_bytes == 0);
    free(block);
    return NULL;
}

TEST(an_allocator_of_a_newer_library_is_refused_and_gives_nothing)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    uint8_t      *block = (uint8_t *)&memory;

    allocator.reserved[0] = 5;
    CHECK_FAILS(ink__allocate(&allocator, 100, &block, &error), INK_USAGE,
                "ink_allocator.reserved is not 0");
    assert_null(block); /* for callers that release what they have */
    assert_int_equal(memory.asked, 0);
}

TEST(cleared_memory_comes_from_the_function_for_it)
{
    uint64_t      asked = 0;
    ink_allocator allocator = {.resize = resize_none, .host = &asked, .zeroed = give_zeroed};
    uint8_t      *memory = NULL;
    ink__block    block;

    CHECK_OK(ink__allocate_zeroed(&allocator, 100, &memory, &error));
    CHECK(asked == 100 && memory[0] == 0 && memory[99] == 0);
    ink__release(&allocator, memory, 100);
    CHECK_OK(ink__block_create(&block, &allocator, 100, &error));
    CHECK(asked > 200 && block.data[0] == 0 && block.data[99] == 0);
    ink__block_release(&block, &allocator);
    CHECK_FAILS(ink__allocate_zeroed(&allocator, 4096, &memory, &error), INK_MEMORY,
                "no memory for 4096 bytes");
}

TEST(more_than_half_the_address_space_is_never_asked_for)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink__block    made;
    void         *block;

    CHECK_FAILS(ink__allocate(&allocator, INK__BYTES_MAX + 1, &block, &error), INK_MEMORY,
                "no memory for 9223372036854775808 bytes");
    CHECK_FAILS(ink__block_create(&made, &allocator, INK__BYTES_MAX, &error), INK_MEMORY,
                "no memory for");
    CHECK_FAILS(ink__block_create(&made, &allocator, UINT64_MAX, &error), INK_MEMORY,
                "no memory for 18446744073709551615 bytes");
    assert_int_equal(memory.asked, 0);
}

TEST(a_block_of_no_bytes_needs_no_memory)
{
    faults_memory memory = {.refuse_at = 1, .refuse_after = true};
    ink_allocator allocator = faults_allocator(&memory);
    ink__block    block;

    memset(&block, 0x5a, sizeof block);
    CHECK_OK(ink__block_create(&block, &allocator, 0, &error));
    assert_null(block.data);
    assert_null(block.base);
    assert_int_equal(block.bytes, 0);
    assert_int_equal(memory.asked, 0);
    ink__block_release(&block, &allocator);
}

TEST(blocks_are_cleared_and_start_on_a_cache_line)
{
    static const uint64_t sizes[] = {1, 31, 32, 63, 64, 65, 4096, 100003, HUGE_FROM - 1};
    faults_memory         memory = {0};
    ink_allocator         allocator = faults_allocator(&memory);

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ink__block block;
        CHECK_OK(ink__block_create(&block, &allocator, sizes[i], &error));
        assert_int_equal((uintptr_t)block.data % LINE, 0);
        assert_int_equal(block.bytes, sizes[i]);
        assert_true(all_zero(block.data, block.bytes)); /* the allocator gave 0xa5 */
        memset(block.data, 0xff, (size_t)block.bytes);
        ink__block_release(&block, &allocator);
        assert_null(block.data);
        assert_int_equal(block.bytes, 0);
        faults_check_no_leak(&memory);
    }
}

TEST(large_blocks_start_on_a_huge_page_and_wish_for_one)
{
    static const uint64_t sizes[] = {HUGE_FROM, HUGE_FROM + 1, 5 * HUGE_PAGE + 100};
    faults_memory         memory = {0};
    ink_allocator         allocator = faults_allocator(&memory);

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ink__block block;
        faults_system_begin(NULL);
        CHECK_OK(ink__block_create(&block, &allocator, sizes[i], &error));
        faults_system_end();
        assert_int_equal(faults_calls(FAULTS_ADVISE_HUGE), 1);
        assert_int_equal(faults_calls(FAULTS_ANY), 1);
        assert_int_equal((uintptr_t)block.data % HUGE_PAGE, 0);
        assert_true(all_zero(block.data, block.bytes));
        memset(block.data, 0xff, (size_t)block.bytes);
        ink__block_release(&block, &allocator);
        faults_check_no_leak(&memory);
    }
}

TEST(small_blocks_and_those_of_small_pages_wish_for_nothing)
{
    static const struct {
        uint64_t bytes, small_pages;
    } cases[] = {{HUGE_FROM - 1, 0}, {HUGE_FROM, 1}};
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__block    block;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        heap.small_pages = cases[i].small_pages;
        faults_system_begin(NULL);
        CHECK_OK(ink__block_create(&block, &heap, cases[i].bytes, &error));
        faults_system_end();
        assert_int_equal(faults_calls(FAULTS_ANY), 0);
        assert_int_equal(block.base_bytes, cases[i].bytes + LINE - 1);
        ink__block_release(&block, &heap);
    }
}

TEST(a_refused_wish_for_huge_pages_is_no_failure)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__block    block;

    faults_system_begin(&(faults_plan){.call = FAULTS_ADVISE_HUGE, .nth = 1, .os_error = EINVAL});
    CHECK_OK(ink__block_create(&block, &heap, HUGE_FROM, &error));
    faults_system_end();
    assert_true(faults_struck());
    assert_true(all_zero(block.data, block.bytes));
    ink__block_release(&block, &heap);
}

TEST(blocks_are_aligned_wherever_the_allocator_puts_them)
{
    static const struct {
        uint64_t bytes, alignment;
    } cases[] = {{1000, LINE}, {HUGE_FROM, HUGE_PAGE}};
    /* Aligned already, as malloc aligns, and one byte past a line, which is the worst case. */
    static const size_t shifts[] = {0, 16, 32, 48, LINE, LINE + 1, 2 * LINE, 1};
    arena               here = {.count = HUGE_FROM + 2 * HUGE_PAGE};
    ink_allocator       allocator = {.resize = arena_resize, .host = &here};

    here.bytes = aligned_alloc(HUGE_PAGE, here.count);
    assert_non_null(here.bytes);
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof shifts / sizeof shifts[0]; j++) {
            uint64_t   alignment = cases[i].alignment;
            size_t     start = (size_t)((shifts[j] + alignment - 1) / alignment * alignment);
            ink__block block;
            here.shift = shifts[j];
            memset(here.bytes, 0xa5, here.count);
            CHECK_OK(ink__block_create(&block, &allocator, cases[i].bytes, &error));
            assert_ptr_equal(block.data, here.bytes + start);
            assert_ptr_equal(block.base, here.bytes + shifts[j]);
            /* Cleared from its first byte to its last, and inside what was asked for. */
            assert_true(all_zero(block.data, block.bytes));
            assert_int_equal(here.bytes[start + cases[i].bytes], 0xa5);
            assert_true(start + block.bytes <= shifts[j] + block.base_bytes);
            assert_true(block.base_bytes < block.bytes + alignment); /* and no more than needed */
            ink__block_release(&block, &allocator);
        }
    free(here.bytes);
}

TEST(a_refused_block_is_a_block_of_no_bytes)
{
    faults_memory memory = {.refuse_at = 1, .refuse_after = true};
    ink_allocator allocator = faults_allocator(&memory);
    ink__block    block;

    memset(&block, 0x5a, sizeof block);
    CHECK_FAILS(ink__block_create(&block, &allocator, 1000, &error), INK_MEMORY, "no memory for");
    assert_null(block.base);
    ink__block_release(&block, &allocator); /* harmless */
    assert_int_equal(memory.asked, 1);
    faults_check_no_leak(&memory);
}

TEST(what_grows_keeps_its_bytes_and_a_refusal_leaves_it_as_it_was)
{
    faults_memory memory = {.refuse_at = 3};
    ink_allocator allocator = faults_allocator(&memory);
    void         *piece = NULL;
    uint64_t      bytes = 0;
    ink_error     why;

    assert_int_equal(ink__grow(&allocator, &piece, &bytes, 0, 5, &why), INK_OK);
    assert_int_equal(bytes, 5);
    memcpy(piece, "abcde", 5);
    assert_int_equal(ink__grow(&allocator, &piece, &bytes, 4, 100, &why), INK_OK);
    assert_int_equal(bytes, 100);
    assert_memory_equal(piece, "abcd", 4);
    void *before = piece;
    assert_int_equal(ink__grow(&allocator, &piece, &bytes, 4, 200, &why), INK_MEMORY);
    assert_true(piece == before && bytes == 100);
    assert_memory_equal(piece, "abcd", 4);
    ink__release(&allocator, piece, bytes);
    faults_check_no_leak(&memory);
}

TEST(room_is_made_by_doubling_and_keeps_what_is_there)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    void         *bytes = NULL;
    uint64_t      room = 0;

    for (uint64_t used = 0; used < 5000; used++) {
        CHECK_OK(ink__make_room(&allocator, &bytes, &room, used, 1, &error));
        assert_true(room > used);
        ((uint8_t *)bytes)[used] = (uint8_t)(used * 7);
    }
    assert_in_range(memory.asked, 1, 6); /* 256, 512, ... 8192 */
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(((uint8_t *)bytes)[i], (uint8_t)(i * 7));
    CHECK_OK(ink__make_room(&allocator, &bytes, &room, 5000, 100000, &error));
    assert_int_equal(room, 105000); /* more than twice: as much as is wanted */
    memory.refuse_at = memory.asked + 1;
    CHECK_OK(ink__make_room(&allocator, &bytes, &room, 5000, 100000, &error)); /* which is there */
    assert_int_equal(ink__make_room(&allocator, &bytes, &room, 5000, 200000, &error), INK_MEMORY);
    assert_int_equal(room, 105000);
    assert_int_equal(((uint8_t *)bytes)[4999], (uint8_t)(4999 * 7));
    ink__release(&allocator, bytes, room);
    faults_check_no_leak(&memory);
}

RUN_TESTS()
