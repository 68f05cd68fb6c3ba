/* room_test.c - a room gives the one payload that it was opened for, aligned and untouched; all
 * else comes from the allocator. */
#include "jobs/arrays/room.h"

#include "base/tuning.h"
#include "support/check.h"
#include "support/faults.h"

static ink_error error;

/* Within a page, below and above the size from which huge pages pay, and from which all sketches
 * ask for them. */
static const uint64_t sizes[] = {1, 4000, (512 << 10) - 1, 512 << 10, 3 << 20, 5 << 20};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void a_payload_is_made_in_its_room(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SIZES; i++) {
        faults_memory       memory = {0};
        const ink_allocator heap = faults_allocator(&memory);
        ink__room           room;
        ink__block          payload;
        ink__room_open(&room, sizes[i], &heap);
        const ink_allocator allocator = ink__room_allocator(&room);
        assert_int_equal(memory.asked, 1);
        for (int again = 0; again < 2; again++) {
            CHECK_OK(ink__block_create(&payload, &allocator, sizes[i], &error));
            assert_int_equal(memory.asked, 1);
            assert_ptr_equal(payload.base, room.memory.data);
            assert_true(payload.data + sizes[i] <= room.memory.data + room.memory.bytes);
            ink__block_release(&payload, &allocator);
        }
        ink__room_close(&room);
        faults_check_no_leak(&memory);
    }
}

static void what_else_is_asked_for_is_handed_on(void **state)
{
    faults_memory       memory = {0};
    const ink_allocator heap = faults_allocator(&memory);
    ink__room           room;
    ink__block          payload;
    void               *small, *second, *large;

    (void)state;
    ink__room_open(&room, 4000, &heap);
    const ink_allocator allocator = ink__room_allocator(&room);
    CHECK_OK(ink__allocate(&allocator, 100, &small, &error));
    CHECK_OK(ink__allocate(&allocator, 1 << 20, &large, &error));
    assert_int_equal(memory.asked, 3);
    CHECK_OK(ink__block_create(&payload, &allocator, 4000, &error));
    assert_int_equal(memory.asked, 3);
    CHECK_OK(ink__allocate(&allocator, 4000, &second, &error)); /* the room is in use */
    assert_int_equal(memory.asked, 4);
    ink__release(&allocator, second, 4000);
    ink__release(&allocator, large, 1 << 20);
    ink__release(&allocator, small, 100);
    ink__block_release(&payload, &allocator);
    ink__room_close(&room);
    faults_check_no_leak(&memory);
}

static void where_there_is_no_room_all_is_handed_on(void **state)
{
    faults_memory       memory = {.refuse_at = 1};
    const ink_allocator heap = faults_allocator(&memory);
    ink__room           room;
    ink__block          payload;

    (void)state;
    ink__room_open(&room, 4000, &heap);
    memory.refuse_at = 0;
    const ink_allocator allocator = ink__room_allocator(&room);
    CHECK_OK(ink__block_create(&payload, &allocator, 4000, &error));
    assert_int_equal(memory.asked, 2);
    ink__block_release(&payload, &allocator);
    ink__room_close(&room);
    ink__room_open(&room, UINT64_MAX - 5, &heap); /* more than there is */
    ink__room_close(&room);
    faults_check_no_leak(&memory);
}

static void a_room_that_pays_for_it_is_large_enough_for_huge_pages(void **state)
{
    const uint64_t huge = ink__tuning_now().huge_from_bytes;

    (void)state;
    for (unsigned i = 0; i < SIZES; i++) {
        faults_memory       memory = {0};
        const ink_allocator heap = faults_allocator(&memory);
        ink__room           room;
        ink__room_open(&room, sizes[i], &heap);
        assert_int_equal(room.memory.bytes >= huge, sizes[i] >= 512 << 10);
        ink__room_close(&room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payload_is_made_in_its_room),
        cmocka_unit_test(what_else_is_asked_for_is_handed_on),
        cmocka_unit_test(where_there_is_no_room_all_is_handed_on),
        cmocka_unit_test(a_room_that_pays_for_it_is_large_enough_for_huge_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
