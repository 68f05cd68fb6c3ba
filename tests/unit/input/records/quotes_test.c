/* quotes_test.c - records of CSV with quoted line ends are cut where a loop over all bytes would
 * cut them, whatever their lengths and wherever they stand; and parts of a text show the same as
 * the whole. */
#include "input/records/quotes.h"

#include "support/check.h"
#include "support/files.h"

enum { BYTES = 5000, RECORDS = BYTES };

static uint64_t state_of_random = 1;

static unsigned random_below(unsigned below)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state_of_random >> 33) % below;
}

/* How often quotes and line ends stand in random bytes: one in this number; 0: never. */
typedef struct mixture {
    unsigned quotes, ends;
} mixture;

static const mixture mixtures[] = {{3, 3}, {2, 9}, {9, 2},  {40, 10}, {200, 20},
                                   {0, 5}, {5, 0}, {1, 10}, {80, 80}, {1000, 3}};
enum { MIXTURES = sizeof mixtures / sizeof mixtures[0] };

/* Such bytes, at the end of what can be read. */
static uint8_t *random_bytes(files_guard *guard, size_t count, mixture mixed)
{
    static const uint8_t others[] = "ab,#!\r\x0b\x8a\xa2";
    static uint8_t       bytes[BYTES];

    for (size_t i = 0; i < count; i++) {
        bytes[i] = others[random_below(sizeof others - 1)];
        if (mixed.ends != 0 && random_below(mixed.ends) == 0)
            bytes[i] = '\n';
        if (mixed.quotes != 0 && random_below(mixed.quotes) == 0)
            bytes[i] = '"';
    }
    return files_location(guard, bytes, count);
}

/* What a loop over all bytes finds. */
typedef struct slowly {
    uint64_t quotes, records, first, last;
    bool     inside;
    uint64_t starts[RECORDS], ends[RECORDS];
} slowly;

static void look_slowly(slowly *found, const uint8_t *bytes, size_t count, bool inside)
{
    uint64_t start = 0;

    found->quotes = found->records = found->last = 0;
    found->first = count;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '"') {
            found->quotes++;
            inside = !inside;
        } else if (bytes[i] == '\n' && !inside) {
            found->first = found->records == 0 ? i + 1 : found->first;
            found->last = i + 1;
            found->starts[found->records] = start;
            found->ends[found->records++] = i;
            start = i + 1;
        }
    }
    found->inside = inside;
}

static void check_searches(const uint8_t *bytes, size_t count, bool starts_inside)
{
    static slowly expected;
    bool          inside = starts_inside;

    look_slowly(&expected, bytes, count, starts_inside);
    assert_int_equal(ink__quotes_count(bytes, count), expected.quotes);
    assert_int_equal(ink__quoted_after_first(bytes, count, &inside), expected.first);
    assert_int_equal(inside, expected.records == 0 && expected.inside);
    inside = starts_inside;
    assert_int_equal(ink__quoted_after_last(bytes, count, &inside), expected.last);
    assert_int_equal(inside, expected.inside);
}

static void check_cuts(const uint8_t *bytes, size_t count, size_t room)
{
    static slowly   expected;
    static uint64_t starts[RECORDS], ends[RECORDS];
    uint64_t        used = 77;
    size_t          found = ink__quoted_cut(bytes, count, starts, ends, room, &used);

    look_slowly(&expected, bytes, count, false);
    assert_int_equal(found, expected.records < room ? expected.records : room);
    assert_int_equal(used, found == 0 ? 0 : expected.ends[found - 1] + 1);
    assert_memory_equal(starts, expected.starts, found * sizeof *starts);
    assert_memory_equal(ends, expected.ends, found * sizeof *ends);
}

static void records_end_where_a_loop_finds_their_ends(void **state)
{
    files_guard guard;

    (void)state;
    files_guard_create(&guard, BYTES);
    /* The bytes end where memory does, so that every length is another alignment. */
    for (size_t count = 0; count <= BYTES; count += count < 200 ? 1 : 480)
        for (unsigned round = 0; round < 2 * MIXTURES; round++) {
            uint8_t *bytes = random_bytes(&guard, count, mixtures[round / 2]);
            check_searches(bytes, count, round % 2 != 0);
            check_cuts(bytes, count, round % 2 != 0 ? random_below(5) : RECORDS);
        }
    files_guard_free(&guard);
}

static void the_location_in_memory_does_not_matter(void **state)
{
    files_guard guard;

    (void)state;
    files_guard_create(&guard, BYTES);
    for (unsigned m = 0; m < MIXTURES; m++) {
        uint8_t *bytes = random_bytes(&guard, 400, mixtures[m]);
        for (size_t start = 0; start < 70; start++)
            for (size_t count = 0; count <= 330; count += 1 + count / 8) {
                check_searches(bytes + start, count, (start + count) % 2 != 0);
                check_cuts(bytes + start, count, RECORDS);
            }
    }
    files_guard_free(&guard);
}

/* What threads do that take parts of a file: each counts quotes, and from the counts of those
 * before it knows how its own part begins. */
static void parts_that_know_the_quotes_before_them_find_all_records(void **state)
{
    static slowly whole;
    files_guard   guard;

    (void)state;
    files_guard_create(&guard, BYTES);
    for (unsigned round = 0; round < 200; round++) {
        size_t   count = random_below(BYTES), part = 1 + random_below(700);
        uint8_t *bytes = random_bytes(&guard, count, mixtures[round % MIXTURES]);
        uint64_t quotes = 0, records = 0;
        look_slowly(&whole, bytes, count, false);
        for (size_t at = 0; at < count; at += part) {
            size_t some = count - at < part ? count - at : part;
            bool   inside = quotes % 2 != 0;
            /* The first end in a part is the next one of the whole. */
            uint64_t first = ink__quoted_after_first(bytes + at, some, &inside);
            if (records < whole.records && whole.ends[records] < at + some)
                assert_int_equal(at + first, whole.ends[records] + 1);
            else
                assert_int_equal(first, some);
            inside = quotes % 2 != 0;
            uint64_t last = ink__quoted_after_last(bytes + at, some, &inside), before = records;
            while (records < whole.records && whole.ends[records] < at + some)
                records++;
            assert_int_equal(last, records == before ? 0 : whole.ends[records - 1] + 1 - at);
            quotes += ink__quotes_count(bytes + at, some);
            assert_int_equal(inside, quotes % 2 != 0);
        }
        assert_int_equal(records, whole.records);
        assert_int_equal(quotes, whole.quotes);
    }
    files_guard_free(&guard);
}

static void a_quoted_field_keeps_its_line_ends(void **state)
{
    static const char text[] =
        "id,text\n1,\"two\nlines\"\n2,\"a \"\"b\"\"\n\n\"\n3,plain\n4,\"open\n";
    const char *expected[] = {"id,text", "1,\"two\nlines\"", "2,\"a \"\"b\"\"\n\n\"", "3,plain"};
    uint64_t    starts[8], ends[8], used;

    (void)state;
    size_t count = ink__quoted_cut((const uint8_t *)text, sizeof text - 1, starts, ends, 8, &used);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ends[i] - starts[i], strlen(expected[i]));
        assert_memory_equal(text + starts[i], expected[i], strlen(expected[i]));
    }
    assert_string_equal(text + used, "4,\"open\n"); /* its end is yet to come */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_end_where_a_loop_finds_their_ends),
        cmocka_unit_test(the_location_in_memory_does_not_matter),
        cmocka_unit_test(parts_that_know_the_quotes_before_them_find_all_records),
        cmocka_unit_test(a_quoted_field_keeps_its_line_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
