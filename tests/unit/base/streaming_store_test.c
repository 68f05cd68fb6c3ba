/* streaming_store_test.c - lines written past the cache arrive whole, and nothing beside them
 * changes. */
#include "base/streaming_store.h"

#include "support/check.h"

TEST(a_line_arrives_whole_wherever_it_goes)
{
    static _Alignas(INK__LINE_BYTES) uint8_t from[INK__LINE_BYTES], room[4 * INK__LINE_BYTES];

    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(3 * i + 1);
    for (size_t at = 0; at + INK__LINE_BYTES <= sizeof room; at++) {
        memset(room, 0xee, sizeof room);
        ink__line_put(room + at, from);
        ink__lines_done();
        for (size_t i = 0; i < sizeof room; i++) {
            bool inside = i >= at && i < at + INK__LINE_BYTES;
            assert_int_equal(room[i], inside ? from[i - at] : 0xee);
        }
    }
}

RUN_TESTS()
