/* radix_test.c - hashes stand in the buffer of their first bits, in the order in which they came,
 * and a buffer that is full says so. */
#include "engine/radix.h"

#include "support/check.h"
#include "support/faults.h"

static ink_error error;

static void hashes_stand_in_the_buffer_of_their_first_bits(void **state)
{
    enum { CAPACITY = 9 };
    static uint64_t expected[INK__RADIX_BINS][CAPACITY];
    uint32_t        used[INK__RADIX_BINS] = {0};
    faults_memory   memory = {0};
    ink_allocator   allocator = faults_allocator(&memory);
    ink__radix      radix;
    uint64_t        hash = 1;
    unsigned        emptied = 0;

    (void)state;
    CHECK_OK(ink__radix_open(&radix, CAPACITY, &allocator, &error));
    assert_int_equal(radix.capacity, CAPACITY);
    for (int i = 0; i < 100000; i++) {
        hash = hash * 6364136223846793005u + 1442695040888963407u;
        unsigned bin = (unsigned)(hash >> 56);
        bool     full = ink__radix_put(&radix, hash);
        expected[bin][used[bin]++] = hash;
        CHECK(full == (used[bin] == CAPACITY) && radix.used[bin] == used[bin]);
        if (!full)
            continue;
        assert_memory_equal(ink__radix_buffer(&radix, bin), expected[bin], 8 * CAPACITY);
        radix.used[bin] = used[bin] = 0;
        emptied++;
    }
    CHECK(emptied > 10000);
    for (unsigned bin = 0; bin < INK__RADIX_BINS; bin++) {
        assert_int_equal(radix.used[bin], used[bin]);
        assert_memory_equal(ink__radix_buffer(&radix, bin), expected[bin], 8 * used[bin]);
    }
    ink__radix_close(&radix, &allocator);
    faults_check_no_leak(&memory);
}

static void many_are_put_as_one_by_one(void **state)
{
    static const uint64_t hashes[] = {(uint64_t)255 << 56, (uint64_t)255 << 56 | 7, UINT64_MAX};
    ink_allocator         heap = ink__allocator_or_heap(NULL);
    ink__radix            radix;

    (void)state;
    CHECK_OK(ink__radix_open(&radix, 4, &heap, &error));
    CHECK(!ink__radix_put(&radix, hashes[2]));
    ink__radix_put_many(&radix, 255, hashes, 3); /* the last one is the last of all */
    assert_int_equal(radix.used[255], 4);
    CHECK(ink__radix_buffer(&radix, 255)[0] == hashes[2]);
    assert_memory_equal(ink__radix_buffer(&radix, 255) + 1, hashes, sizeof hashes);
    assert_int_equal(radix.used[254], 0);
    ink__radix_close(&radix, &heap);
}

static void refused_memory_is_a_failure(void **state)
{
    faults_memory memory = {.refuse_at = 1};
    ink_allocator allocator = faults_allocator(&memory);
    ink__radix    radix;

    (void)state;
    assert_int_equal(ink__radix_open(&radix, 1000, &allocator, &error), INK_MEMORY);
    assert_int_equal(radix.capacity, 0); /* is not open */
    ink__radix_close(&radix, &allocator);
    faults_check_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_stand_in_the_buffer_of_their_first_bits),
        cmocka_unit_test(many_are_put_as_one_by_one),
        cmocka_unit_test(refused_memory_is_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
