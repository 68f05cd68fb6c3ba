/* lines_test.c - lines are cut where a loop over all bytes would cut them, whatever their lengths,
 * wherever they stand, and however little room there is. */
#include "kernels/lines.h"

#include "kernels/masks.h"
#include "support/check.h"
#include "support/files.h"
#include "support/kernel_tables.h"

enum { BYTES = 3000, LINES = 3100 };

static uint64_t state_of_random = 1;

static unsigned random_below(unsigned below)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state_of_random >> 33) % below;
}

/* Bytes of which about one in `spread` is `end`, at the end of what can be read. */
static uint8_t *random_bytes(files_guard *guard, size_t count, uint8_t end, unsigned spread)
{
    uint8_t bytes[BYTES];

    for (size_t i = 0; i < count; i++)
        bytes[i] = random_below(spread) == 0 ? end : (uint8_t)random_below(256);
    return files_location(guard, bytes, count);
}

/* Cuts as ink__lines_cut says, byte by byte. */
static size_t cut_slowly(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                         uint64_t *ends, size_t room, uint64_t *used)
{
    size_t found = 0;

    *used = 0;
    for (uint64_t i = 0; i < count && found < room; i++)
        if (bytes[i] == end) {
            starts[found] = *used;
            ends[found++] = i;
            *used = i + 1;
        }
    return found;
}

TEST(a_mask_has_a_bit_for_each_position)
{
    uint8_t bytes[INK__MASK_BYTES];

    for (unsigned wanted = 0; wanted < 256; wanted++)
        for (unsigned round = 0; round < 20; round++) {
            uint64_t expected = 0, up_to = 0;
            for (unsigned i = 0; i < INK__MASK_BYTES; i++) {
                /* Neighbours of the byte, which a careless trick takes for it. */
                bytes[i] = (uint8_t)(wanted + (random_below(3) == 0 ? 0 : random_below(256)) +
                                     (random_below(4) == 0 ? 0x80 : 0));
                expected |= (uint64_t)(bytes[i] == wanted) << i;
                up_to |= (uint64_t)(bytes[i] <= wanted) << i;
            }
            assert_int_equal(ink__mask_up_to(bytes, (uint8_t)wanted), up_to);
            assert_int_equal(ink__mask_of(bytes, (uint8_t)wanted), expected);
            for (unsigned count = 0; count < INK__MASK_BYTES; count += 7)
                assert_int_equal(ink__mask_at(bytes, 0, count, (uint8_t)wanted),
                                 expected & (((uint64_t)1 << count) - 1));
        }
}

static void check_cut(ink__lines_cut *cut, const uint8_t *bytes, size_t count, uint8_t end,
                      size_t room)
{
    static uint64_t starts[LINES], ends[LINES], slow_starts[LINES], slow_ends[LINES];
    uint64_t        used = 77, slow_used = 77;

    memset(starts, 0xee, sizeof starts); /* nothing of the table before */
    memset(ends, 0xee, sizeof ends);
    size_t slow = cut_slowly(bytes, count, end, slow_starts, slow_ends, room, &slow_used);
    size_t found = cut(bytes, count, end, starts, ends, room, &used, &(bool){false});
    assert_int_equal(found, slow);
    assert_int_equal(used, slow_used);
    assert_memory_equal(starts, slow_starts, found * sizeof *starts);
    assert_memory_equal(ends, slow_ends, found * sizeof *ends);
}

TEST(lines_are_cut_as_byte_by_byte)
{
    static const uint8_t  ends_of_lines[] = {'\n', 0};
    static const unsigned spreads[] = {1, 2, 7, 64, 200, 100000};
    files_guard           guard;

    files_guard_create(&guard, BYTES);
    for (size_t count = 0; count < BYTES; count += count < 200 ? 1 : 37)
        for (unsigned kind = 0; kind < 2 * 6; kind++) {
            uint8_t  end = ends_of_lines[kind % 2];
            uint8_t *bytes = random_bytes(&guard, count, end, spreads[kind / 2]);
            FOR_EACH_TABLE(table)
            check_cut(table->lines_cut, bytes, count, end, kind % 3 == 0 ? random_below(5) : LINES);
        }
    files_guard_free(&guard);
}

/* What is behind the room stays as it was, and everything before it is used as far as there are 64
 * lines and a few more. */
TEST(no_more_lines_are_noted_than_there_is_room_for)
{
    enum { GUARD = 80 };
    static uint64_t starts[LINES + GUARD], ends[LINES + GUARD];
    uint8_t         bytes[BYTES];
    uint64_t        used;

    for (size_t i = 0; i < BYTES; i++) /* from no byte between two ends up to some hundreds */
        bytes[i] = i < 1000 || random_below(1 + (unsigned)i / 8) == 0 ? '\n' : 'a';
    FOR_EACH_TABLE(table)
    for (size_t room = 1; room < 1500; room += room < 400 ? 1 : 31) {
        memset(starts, 0xee, sizeof starts);
        memset(ends, 0xee, sizeof ends);
        size_t found =
            table->lines_cut(bytes, BYTES, '\n', starts, ends, room, &used, &(bool){false});
        assert_in_range(found, room < 256 ? room : room - 73 - (room > 1000 ? room - 1000 : 0),
                        room);
        for (size_t i = room; i < room + GUARD; i++)
            assert_true(starts[i] == 0xeeeeeeeeeeeeeeee && ends[i] == 0xeeeeeeeeeeeeeeee);
    }
}

TEST(the_parts_of_a_text_are_the_text)
{
    uint64_t    starts[LINES], ends[LINES], used;
    files_guard guard;

    files_guard_create(&guard, BYTES);
    uint8_t *bytes = random_bytes(&guard, BYTES, '\n', 9);
    uint64_t done = 0, lines = 0;
    while (done < BYTES) { /* seven lines at a time */
        size_t found = ink__kernels_fastest()->lines_cut(bytes + done, BYTES - done, '\n', starts,
                                                         ends, 7, &used, &(bool){false});
        if (found == 0)
            break;
        done += used;
        lines += found;
    }
    assert_int_equal(lines, ink__lines_count(bytes, BYTES, '\n'));
    assert_int_equal(done, ink__lines_after_last(bytes, BYTES, '\n'));
    files_guard_free(&guard);
}

TEST(parts_with_little_room_are_the_text_and_report_carriage_returns)
{
    static const size_t rooms[] = {255, 256, 300, 1024};
    uint64_t            starts[1024], ends[1024], used;
    files_guard         guard;

    files_guard_create(&guard, BYTES);
    FOR_EACH_TABLE(table)
    for (unsigned round = 0; round < 40; round++) {
        uint8_t *bytes = random_bytes(&guard, BYTES, '\n', 1 + random_below(60));
        uint64_t done = 0;
        if (round % 2 == 0) /* most texts have none */
            for (size_t i = 0; i < BYTES; i++)
                bytes[i] = bytes[i] == '\r' ? 'r' : bytes[i];
        for (;;) {
            size_t room = rooms[round % 4];
            bool   cr = false;
            size_t found =
                table->lines_cut(bytes + done, BYTES - done, '\n', starts, ends, room, &used, &cr);
            uint64_t slow_starts[1024], slow_ends[1024], slow_used;
            if (found == 0)
                break;
            assert_int_equal(
                cut_slowly(bytes + done, used, '\n', slow_starts, slow_ends, room, &slow_used),
                found);
            assert_int_equal(used, slow_used);
            assert_memory_equal(starts, slow_starts, found * sizeof *starts);
            assert_memory_equal(ends, slow_ends, found * sizeof *ends);
            assert_true(cr || memchr(bytes + done, '\r', used) == NULL);
            done += used;
        }
        assert_int_equal(done, ink__lines_after_last(bytes, BYTES, '\n'));
    }
    files_guard_free(&guard);
}

TEST(counts_and_ends_are_those_of_a_loop)
{
    files_guard guard;

    files_guard_create(&guard, BYTES);
    for (size_t count = 0; count < BYTES; count += count < 200 ? 1 : 41)
        for (unsigned spread = 1; spread < 2000; spread *= 3) {
            uint8_t *bytes = random_bytes(&guard, count, '\n', spread);
            uint64_t found = 0, first = count, last = 0;
            for (size_t i = 0; i < count; i++)
                if (bytes[i] == '\n') {
                    first = found++ == 0 ? i + 1 : first;
                    last = i + 1;
                }
            assert_int_equal(ink__lines_count(bytes, count, '\n'), found);
            assert_int_equal(ink__lines_after_first(bytes, count, '\n'), first);
            assert_int_equal(ink__lines_after_last(bytes, count, '\n'), last);
        }
    files_guard_free(&guard);
}

TEST(a_long_text_of_ends_alone_is_counted_to_the_last)
{
    static uint8_t bytes[100000];

    memset(bytes, '\n', sizeof bytes);
    for (size_t count = 16000; count <= sizeof bytes; count += 997)
        assert_int_equal(ink__lines_count(bytes, count, '\n'), count);
}

TEST(carriage_returns_are_taken_off_the_end_and_nowhere_else)
{
    static const char text[] = "a\r\n\r\n\nb\rc\n\r\r\nlast\r\n";
    const char       *expected[] = {"a", "", "", "b\rc", "\r", "last"};
    uint64_t          starts[8], ends[8], used;
    size_t count = ink__kernels_fastest()->lines_cut((const uint8_t *)text, sizeof text - 1, '\n',
                                                     starts, ends, 8, &used, &(bool){false});

    assert_int_equal(count, 6);
    ink__lines_without_cr((const uint8_t *)text, starts, ends, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ends[i] - starts[i], strlen(expected[i]));
        assert_memory_equal(text + starts[i], expected[i], strlen(expected[i]));
    }
}

RUN_TESTS()
