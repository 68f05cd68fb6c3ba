/* records_test.c - records are cut, counted and found as byte by byte, by every rule, however many
 * are asked for at a time, wherever they stand and in whatever parts, and no byte after them is
 * read. */
#include "input/records/records.h"

#include "support/check.h"
#include "support/files.h"
#include "support/records.h"

enum { BYTES = 20000, RECORDS = BYTES + 1 };

static const ink__record_rule rules[] = {
    {.form = INK__RECORDS_ENDED, .end = '\n'}, {.form = INK__RECORDS_ENDED, .end = 0},
    {.form = INK__RECORDS_ENDED, .end = ';'},  {.form = INK__RECORDS_QUOTED, .end = '\n'},
    {.form = INK__RECORDS_FIXED, .width = 1},  {.form = INK__RECORDS_FIXED, .width = 4},
    {.form = INK__RECORDS_FIXED, .width = 8},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static uint64_t chance = 3;

static unsigned random_below(unsigned below)
{
    return (unsigned)records_below(&chance, below);
}

/* Bytes of which one in `spread` or so means something; `dull`: but for carriage returns and
 * quotes. */
static void fill(uint8_t *bytes, size_t count, unsigned spread, bool dull)
{
    static const uint8_t special[] = {'\n', 0, ';', '\n', '\r', '"', '\r'};

    for (size_t i = 0; i < count; i++)
        bytes[i] = random_below(spread) == 0 ? special[random_below(dull ? 4 : sizeof special)]
                                             : (uint8_t)('a' + random_below(26));
    for (size_t i = 1; i < count && !dull; i++) /* where a carriage return is taken along */
        if (bytes[i] == '\n' && random_below(2) == 0)
            bytes[i - 1] = '\r';
}

/* ---- Byte by byte ------------------------------------------------------------------------- */

typedef struct cut {
    uint64_t start, end, behind; /* `after` is where the next one starts */
} cut;

static cut    slow[RECORDS];
static size_t slow_count;

static void cut_slowly(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count)
{
    uint64_t start = 0;
    bool     inside = false;

    slow_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool fixed = rule->form == INK__RECORDS_FIXED;
        inside ^= rule->form == INK__RECORDS_QUOTED && bytes[i] == '"';
        bool ends = fixed ? (i + 1) % rule->width == 0 : bytes[i] == rule->end && !inside;
        if (!ends)
            continue;
        uint64_t end = fixed ? i + 1 : i;
        if (!fixed && rule->end == '\n' && end > start && bytes[end - 1] == '\r')
            end--;
        slow[slow_count++] = (cut){start, end, i + 1};
        start = i + 1;
    }
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void check_cuts(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                       size_t room)
{
    static uint64_t starts[RECORDS], ends[RECORDS];
    uint64_t        done = 0, used;
    size_t          seen = 0, found;

    do {
        starts[room] = ends[room] = 0x77; /* after the room */
        used = 77;
        found = ink__records_cut(rule, bytes + done, count - done, starts, ends, room, &used);
        assert_in_range(found, 0, room);
        CHECK(starts[room] == 0x77 && ends[room] == 0x77);
        CHECK(found > 0 || (seen == slow_count && used == 0)); /* none only if there is none */
        for (size_t i = 0; i < found; i++, seen++) {
            CHECK(seen < slow_count);
            assert_int_equal(done + starts[i], slow[seen].start);
            assert_int_equal(done + ends[i], slow[seen].end);
        }
        done += used;
        assert_int_equal(done, seen == 0 ? 0 : slow[seen - 1].behind);
    } while (found > 0);
}

TEST(records_are_cut_as_byte_by_byte)
{
    static const size_t   rooms[] = {1, 2, 7, 255, 256, 300, 1024, BYTES};
    static const unsigned spreads[] = {2, 10, 80, 3000};
    static uint8_t        text[BYTES];
    files_guard           guard;

    files_guard_create(&guard, BYTES);
    for (unsigned round = 0; round < 60; round++) {
        size_t count = round < 10 ? round : 1 + random_below(round % 2 == 0 ? 300 : BYTES);
        fill(text, count, spreads[round % 4], round % 3 == 0);
        const uint8_t *bytes = files_location(&guard, text, count);
        for (unsigned r = 0; r < RULES; r++) {
            cut_slowly(&rules[r], bytes, count);
            check_cuts(&rules[r], bytes, count, rooms[random_below(3)]);
            for (size_t i = 3; i < sizeof rooms / sizeof rooms[0]; i++)
                check_cuts(&rules[r], bytes, count, rooms[i]);
        }
    }
    files_guard_free(&guard);
}

TEST(a_carriage_return_is_taken_along_however_rare_it_is)
{
    static char text[BYTES];

    for (unsigned at = 0; at < 700; at += 1 + at / 50) { /* the only one of many lines */
        for (size_t i = 0; i < BYTES; i++)
            text[i] = i % 10 == 9 ? '\n' : 'x';
        text[10 * at + 8] = '\r';
        cut_slowly(&rules[0], (const uint8_t *)text, BYTES);
        assert_int_equal(slow[at].end, 10 * at + 8);
        check_cuts(&rules[0], (const uint8_t *)text, BYTES, 1024);
        check_cuts(&rules[3], (const uint8_t *)text, BYTES, 1024); /* no quotes: the same */
    }
}

/* The first start of a record at `at` or after it; false if the bytes do not show it. */
static bool start_slowly(uint64_t count, uint64_t at, uint64_t *location)
{
    *location = 0;
    if (at == 0)
        return true;
    for (size_t i = 0; i < slow_count; i++)
        if (slow[i].behind >= at) {
            *location = slow[i].behind;
            return true;
        }
    *location = count;
    return false;
}

TEST(starts_are_found_from_every_location)
{
    static const unsigned spreads[] = {2, 6, 100};
    uint8_t               text[300];
    files_guard           guard;

    files_guard_create(&guard, sizeof text);
    for (unsigned round = 0; round < 60; round++) {
        size_t count = round < 10 ? round : random_below(sizeof text);
        fill(text, count, spreads[round % 3], round % 2 == 0);
        if (count > 0 && round % 4 == 0)
            text[count - 1] = '\n'; /* the place after it is a start */
        const uint8_t *bytes = files_location(&guard, text, count);
        for (unsigned r = 0; r < RULES; r++) {
            cut_slowly(&rules[r], bytes, count);
            assert_int_equal(ink__records_last(&rules[r], bytes, count),
                             slow_count == 0 ? 0 : slow[slow_count - 1].behind);
            for (uint64_t at = 0; at <= count; at++) {
                uint64_t location = 99, expected;
                bool     known = start_slowly(count, at, &expected);
                CHECK(ink__records_start(&rules[r], bytes, count, at, &location) == known);
                assert_int_equal(location, expected);
            }
        }
    }
    files_guard_free(&guard);
}

/* ---- Quotes ------------------------------------------------------------------------------- */

static const ink__record_rule *const quoted = &rules[3];

/* How often quotes and line ends stand in random bytes: one in this number; 0: never. */
typedef struct mixture {
    unsigned quotes, ends;
} mixture;

static const mixture mixtures[] = {{3, 3}, {2, 9}, {9, 2},  {40, 10}, {200, 20},
                                   {0, 5}, {5, 0}, {1, 10}, {80, 80}, {1000, 3}};
enum { MIXTURES = sizeof mixtures / sizeof mixtures[0], MIXED = 5000 };

/* Such bytes, at the end of what can be read. */
static uint8_t *mixed_bytes(files_guard *guard, size_t count, mixture mixed)
{
    static const uint8_t others[] = "ab,#!\r\x0b\x8a\xa2";
    static uint8_t       bytes[MIXED];

    for (size_t i = 0; i < count; i++) {
        bytes[i] = others[random_below(sizeof others - 1)];
        if (mixed.ends != 0 && random_below(mixed.ends) == 0)
            bytes[i] = '\n';
        if (mixed.quotes != 0 && random_below(mixed.quotes) == 0)
            bytes[i] = '"';
    }
    return files_location(guard, bytes, count);
}

static void check_mixed(const uint8_t *bytes, size_t count, size_t room)
{
    uint64_t location, expected;
    bool     inside = false, odd = false;

    cut_slowly(quoted, bytes, count);
    check_cuts(quoted, bytes, count, room);
    for (unsigned i = 0; i < 4; i++) { /* the first start, the last, and two in between */
        uint64_t at = i == 0 || count == 0 ? count > 0 : 1 + random_below((unsigned)count);
        bool     known = start_slowly(count, at, &expected);
        CHECK(ink__records_start(quoted, bytes, count, at, &location) == known);
        assert_int_equal(location, expected);
    }
    assert_int_equal(ink__records_last_after(quoted, 7, bytes, count, &inside),
                     slow_count == 0 ? 0 : slow[slow_count - 1].behind);
    for (size_t i = 0; i < count; i++)
        odd ^= bytes[i] == '"';
    assert_int_equal(inside, odd);
}

TEST(quoted_records_end_where_a_loop_finds_their_ends)
{
    files_guard guard;

    files_guard_create(&guard, MIXED);
    /* The bytes end where memory does, so that every length is another alignment. */
    for (size_t count = 0; count <= MIXED; count += count < 200 ? 1 : 480)
        for (unsigned round = 0; round < 2 * MIXTURES; round++)
            check_mixed(mixed_bytes(&guard, count, mixtures[round / 2]), count,
                        round % 2 != 0 ? 1 + random_below(4) : BYTES);
    for (unsigned m = 0; m < MIXTURES; m++) { /* and every location another one */
        uint8_t *bytes = mixed_bytes(&guard, 400, mixtures[m]);
        for (size_t start = 0; start < 70; start++)
            for (size_t count = 0; count <= 330; count += 1 + count / 8)
                check_mixed(bytes + start, count, BYTES);
    }
    files_guard_free(&guard);
}

/* As bytes come in pieces: each part knows how the one before it ended. */
TEST(parts_that_know_what_was_before_them_find_the_last_records)
{
    files_guard guard;

    files_guard_create(&guard, MIXED);
    for (unsigned round = 0; round < 200 * RULES; round++) {
        const ink__record_rule *rule = &rules[round % RULES];
        size_t                  count = random_below(MIXED), part = 1 + random_below(700);
        uint8_t *bytes = mixed_bytes(&guard, count, mixtures[round / RULES % MIXTURES]);
        size_t   records = 0;
        bool     inside = false;
        cut_slowly(rule, bytes, count);
        for (size_t at = 0; at < count; at += part) {
            size_t   some = count - at < part ? count - at : part, before = records;
            uint64_t kept = at - (records == 0 ? 0 : slow[records - 1].behind);
            uint64_t last = ink__records_last_after(rule, kept, bytes + at, some, &inside);
            while (records < slow_count && slow[records].behind <= at + some)
                records++;
            assert_int_equal(last, records == before ? 0 : slow[records - 1].behind - at);
        }
        assert_int_equal(records, slow_count);
    }
    files_guard_free(&guard);
}

TEST(a_quoted_field_keeps_its_line_ends)
{
    static const char text[] =
        "id,text\n1,\"two\nlines\"\n2,\"a \"\"b\"\"\n\n\"\n3,plain\n4,\"open\n";
    const char *expected[] = {"id,text", "1,\"two\nlines\"", "2,\"a \"\"b\"\"\n\n\"", "3,plain"};
    uint64_t    starts[8], ends[8], used;

    size_t count =
        ink__records_cut(quoted, (const uint8_t *)text, sizeof text - 1, starts, ends, 8, &used);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ends[i] - starts[i], strlen(expected[i]));
        assert_memory_equal(text + starts[i], expected[i], strlen(expected[i]));
    }
    assert_string_equal(text + used, "4,\"open\n"); /* its end is yet to come */
}

/* ---- Counting, and the first one ---------------------------------------------------------- */

TEST(a_person_counts_line_ends_and_integers)
{
    static const char text[] = "a\n\"b\nc\"\r\nd";
    const uint8_t    *bytes = (const uint8_t *)text;

    assert_int_equal(ink__records_count(&rules[0], bytes, sizeof text - 1), 3);
    assert_int_equal(ink__records_count(&rules[3], bytes, sizeof text - 1), 3); /* lines, too */
    assert_int_equal(ink__records_count(&rules[1], bytes, sizeof text), 1);
    assert_int_equal(ink__records_count(&rules[5], bytes, 11), 2);
    assert_int_equal(ink__records_count(&rules[6], bytes, 7), 0);
    assert_int_equal(ink__records_count(&rules[0], bytes, 0), 0);
}

TEST(the_first_record_is_found_with_and_without_its_end)
{
    static const char text[] = "\"a\nb\"\r\nc";
    const uint8_t    *bytes = (const uint8_t *)text;
    uint64_t          used;

    assert_int_equal(ink__records_first(&rules[0], bytes, sizeof text - 1, &used), 2);
    assert_int_equal(used, 3);
    assert_int_equal(ink__records_first(&rules[3], bytes, sizeof text - 1, &used), 5);
    assert_int_equal(used, 7);
    assert_int_equal(ink__records_first(&rules[3], bytes, 6, &used), 6); /* it has no end */
    assert_int_equal(used, 6);
    assert_int_equal(ink__records_first(&rules[0], bytes, 0, &used), 0);
    assert_int_equal(used, 0);
}

TEST(a_byte_order_mark_is_passed_over_or_refused_by_name_at_the_start_of_lines)
{
    static const struct {
        const char *bytes;
        uint64_t    count, mark;
        const char *words; /* NULL: it is not refused */
    } cases[] = {
        {"\xef\xbb\xbf", 3, 3, NULL},
        {"\xef\xbb\xbf\xef\xbb\xbf\n", 7, 3, NULL},
        {"\xef\xbb\n", 3, 0, NULL},
        {"", 0, 0, NULL},
        {"\xff\n", 2, 0, NULL},
        {"\xff\xfe", 2, 0, "UTF-16 text, expected records in UTF-8 (iconv -f UTF-16 -t UTF-8)"},
        {"\xff\xfe\n\0", 4, 0, "UTF-16 text"},
        {"\xfe\xff\0a", 4, 0, "UTF-16 text"},
        {"\xff\xfe\0\0\n", 5, 0,
         "UTF-32 text, expected records in UTF-8 (iconv -f UTF-32 -t UTF-8)"},
        {"\0\0\xfe\xff", 4, 0, "UTF-32 text"},
        {"\0\0\xfe", 3, 0, NULL},
    };
    const ink__record_rule any[] = {{.end = 0},
                                    {.form = INK__RECORDS_FIXED, .end = '\n', .width = 4}};
    const ink__record_rule lines[] = {{.end = '\n'}, {.form = INK__RECORDS_QUOTED, .end = '\n'}};
    ink_error              error;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t rule = 0; rule < 2; rule++) {
            const uint8_t *bytes = (const uint8_t *)cases[i].bytes;
            uint64_t       count = cases[i].count;
            assert_int_equal(ink__records_mark(&lines[rule], bytes, count), cases[i].mark);
            assert_int_equal(ink__records_mark(&any[rule], bytes, count), 0);
            CHECK_OK(ink__records_check_mark(&any[rule], bytes, count, &error));
            if (cases[i].words == NULL)
                CHECK_OK(ink__records_check_mark(&lines[rule], bytes, count, &error));
            else
                CHECK_FAILS(ink__records_check_mark(&lines[rule], bytes, count, &error), INK_FORMAT,
                            cases[i].words);
        }
}

RUN_TESTS()
