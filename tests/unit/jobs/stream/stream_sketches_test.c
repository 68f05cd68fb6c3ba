/* stream_sketches_test.c - the sketches of a stream hold what each of them would hold if records
 * were added to it alone, one by one, over a window to the slot of their time; loaded again they go
 * on as if nothing had been; and a filter that is full is noticed at the same records always. */
#include "jobs/stream/stream_sketches.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;

static const ink_reading lines = {.form = INK_FORM_LINES};
static const ink_reading numbers = {.form = INK_FORM_LINES, .keys = INK_KEYS_INT};

/* ---- Rows --------------------------------------------------------------------------------- */

/* Rows as a reader gives them: keys stand apart, in any order of bytes. */
typedef struct table {
    ink__rows rows;
    uint8_t   bytes[INK__ROWS_MAX * 24];
    uint64_t  starts[INK__ROWS_MAX], ends[INK__ROWS_MAX], weights[INK__ROWS_MAX];
    int64_t   ints[INK__ROWS_MAX], times[INK__ROWS_MAX];
} table;

/* What a table has besides keys of bytes. */
enum { WITH_INTS = 1, WITH_WEIGHTS = 2, WITH_TIMES = 4 };

static void fill_table(table *to, size_t count, uint64_t different, unsigned with, uint64_t *chance)
{
    uint64_t used = 0;

    to->rows = (ink__rows){.count = count};
    for (size_t i = 0; i < count; i++) {
        uint64_t key = records_below(chance, different);
        to->ints[i] = (int64_t)key - (int64_t)(different / 2);
        used += records_below(chance, 4); /* something between keys */
        to->starts[i] = used;
        used += (uint64_t)snprintf((char *)to->bytes + used, 20, "%.*s%llu", (int)(key % 5),
                                   "key  ", (unsigned long long)key);
        to->ends[i] = used;
        to->weights[i] = records_below(chance, 4);
    }
    if (with & WITH_INTS)
        to->rows.key_ints = to->ints;
    else {
        to->rows.key_bytes = to->bytes;
        to->rows.key_starts = to->starts;
        to->rows.key_ends = to->ends;
    }
    to->rows.weights = with & WITH_WEIGHTS ? to->weights : NULL;
    to->rows.times = with & WITH_TIMES ? to->times : NULL;
}

/* Row `row` alone, as a batch for a kind. */
static ink_batch one_row(const table *from, size_t row, const ink__stream_kind *kind)
{
    ink_batch batch = {.count = 1};

    if (from->rows.key_ints != NULL)
        batch.ints = from->ints + row;
    else {
        batch.data = from->bytes;
        batch.offsets = from->starts + row;
        batch.ends = from->ends + row;
    }
    if (from->rows.weights != NULL && kind->info.weights)
        batch.weights = from->weights + row;
    return batch;
}

/* ---- Sketches ----------------------------------------------------------------------------- */

static const ink_params all_kinds[] = {
    {.kind = "bloom", .expected_keys = 2000},
    {.kind = "classic", .expected_keys = 2000},
    {.kind = "counting", .expected_keys = 2000},
    {.kind = "scalable", .expected_keys = 64},
    {.kind = "count-min", .width = 64, .depth = 3, .conservative = true},
    {.kind = "top", .phi = 0.05},
    {.kind = "fm", .width = 4, .depth = 3},
    {.kind = "hll", .precision = 6},
};
enum { ALL_KINDS = sizeof all_kinds / sizeof all_kinds[0] };

/* Freed at the end of their block. */
#define SKETCHES OWNED(ink__stream_sketches_free) ink__stream_sketches

static void create(ink__stream_sketches *to, const ink_reading *reading,
                   const ink_stream_options *options)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);

    CHECK_OK(ink__stream_sketches_create(to, reading, options, &heap, &error));
}

static ink_stream_options of_kinds(const ink_params *kinds, size_t count)
{
    return (ink_stream_options){.kinds = kinds, .kind_count = count};
}

static ink_stream_options of_window(const ink_params *kinds, size_t count, uint64_t window,
                                    uint32_t slots)
{
    return (ink_stream_options){
        .kinds = kinds, .kind_count = count, .window_microseconds = window, .slots = slots};
}

/* Adds the rows of a table; gives those that were left out. */
static ink__stream_left add(ink__stream_sketches *to, const table *from, int64_t now)
{
    ink__stream_left left = {7, 7};

    CHECK_OK(ink__stream_sketches_add(to, &from->rows, now, &left, &error));
    return left;
}

static records_bytes encode(const ink_entry *entries, size_t count)
{
    const ink_contents contents = {.entries = entries, .entry_count = count};
    records_bytes      all = {0};
    uint8_t           *bytes;
    size_t             size;

    CHECK_OK(ink_contents_encode(&contents, &bytes, &size, &error));
    records_put(&all, bytes, size);
    ink_bytes_free(bytes, size, NULL);
    return all;
}

/* What would be saved of these sketches. */
static records_bytes encode_all(const ink__stream_sketches *from)
{
    size_t     count = ink__stream_sketches_entries(from, NULL);
    ink_entry *entries = calloc(count + 1, sizeof *entries);

    assert_non_null(entries);
    ink__stream_sketches_entries(from, entries);
    records_bytes all = encode(entries, count);
    free(entries);
    return all;
}

static void check_same(records_bytes *a, records_bytes *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->bytes, b->bytes, a->count);
    records_bytes_free(a);
    records_bytes_free(b);
}

/* Sketches that go on from what others would have saved. */
static void load_again(ink__stream_sketches *sketches, const ink_reading *reading,
                       const ink_stream_options *options)
{
    records_bytes saved = encode_all(sketches);
    int64_t       newest = sketches->newest_time;
    ink_file     *file;

    ink__stream_sketches_free(sketches);
    create(sketches, reading, options);
    CHECK_OK(ink_file_decode(&file, saved.bytes, saved.count, 0, NULL, &error));
    CHECK_OK(ink__stream_sketches_load(sketches, file, newest, &error));
    ink_file_close(file);
    records_bytes_free(&saved);
}

/* ---- Making ------------------------------------------------------------------------------- */

static void check_refused(ink_stream_options options, const char *text)
{
    ink_allocator        heap = ink__allocator_or_heap(NULL);
    ink__stream_sketches made;

    CHECK_FAILS(ink__stream_sketches_create(&made, &lines, &options, &heap, &error), INK_USAGE,
                text);
}

TEST(what_a_stream_cannot_make_is_refused)
{
    static const ink_params twice[] = {{.kind = "hll"}, {.kind = "top"}, {.kind = "hll"}};
    static const ink_params unsized[] = {
        {.kind = "bloom"}, {.kind = "classic"}, {.kind = "counting"}};
    static const ink_params wrong[] = {{.kind = "blum"}, {.kind = "hll", .width = 3}};

    check_refused(of_kinds(NULL, 0), "no sketch");
    check_refused(of_kinds(twice, 3), "two sketches of kind hll");
    for (size_t i = 0; i < 3; i++)
        check_refused(of_kinds(&unsized[i], 1), "without the number of keys");
    check_refused(of_kinds(&wrong[0], 1), "blum");
    check_refused(of_kinds(&wrong[1], 1), "width");
    check_refused(of_window(all_kinds, 1, 0, 3), "slots without a window");
    check_refused(of_window(all_kinds, 1, 10, 3), "10 microseconds in 3 slots");
    check_refused(of_window(all_kinds, 1, 70000, 70000), "70000 slots");
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* Adds tables to sketches together, and row by row to each alone. */
static void check_together(const ink_params *kinds, size_t count, unsigned with)
{
    static table             some;
    const ink_reading       *reading = with & WITH_INTS ? &numbers : &lines;
    const ink_stream_options options = of_kinds(kinds, count);
    ink_entry                entries[ALL_KINDS];
    ink_sketch              *alone[ALL_KINDS];
    SKETCHES                 together;
    uint64_t                 chance = 1 + with;

    create(&together, reading, &options);
    for (size_t i = 0; i < count; i++)
        CHECK_OK(ink_sketch_create(&alone[i], &together.kinds[i].params, NULL, &error));
    for (size_t round = 0; round < 8; round++) {
        size_t rows = round == 0 ? INK__ROWS_MAX : records_below(&chance, 300);
        fill_table(&some, rows, 3000, with, &chance);
        ink__stream_left left = add(&together, &some, 0);
        CHECK(left.late == 0 && left.future == 0);
        for (size_t row = 0; row < rows; row++)
            for (size_t i = 0; i < count; i++) {
                ink_batch batch = one_row(&some, row, &together.kinds[i]);
                CHECK_OK(ink_sketch_add_batch(alone[i], &batch, &error));
            }
    }
    for (size_t i = 0; i < count; i++)
        entries[i] = (ink_entry){.sketch = alone[i]};
    records_bytes one = encode(entries, count), other = encode_all(&together);
    check_same(&one, &other);
    for (size_t i = 0; i < count; i++)
        ink_sketch_free(alone[i]);
}

TEST(several_kinds_hold_what_each_would_alone)
{
    static const uint8_t    secret[INK_SECRET_BYTES] = "0123456789abcde";
    static const ink_params seeded[] = {{.kind = "classic", .expected_keys = 500, .hash = "mmh3"}};
    ink_params              keyed[ALL_KINDS];

    for (unsigned with = 0; with < WITH_TIMES; with++) {
        check_together(all_kinds, ALL_KINDS, with);
        for (size_t i = 0; i < ALL_KINDS; i++)
            check_together(&all_kinds[i], 1, with);
    }
    check_together(seeded, 1, 0);
    memcpy(keyed, all_kinds, sizeof keyed);
    for (size_t i = 0; i < ALL_KINDS; i++)
        keyed[i].secret = secret;
    check_together(keyed, ALL_KINDS, WITH_WEIGHTS);
}

/* ---- Windows ------------------------------------------------------------------------------ */

/* The naive window: a ring for each kind, to which records are added one by one. */
typedef struct model {
    ink_window window;
    ink_ring  *rings[ALL_KINDS];
    size_t     count;
    bool       started;
    int64_t    newest; /* the number of the newest slot */
    uint64_t   late, future, added;
} model;

static void model_create(model *to, const ink__stream_sketches *as)
{
    *to = (model){.window = as->window, .count = as->count};
    for (size_t i = 0; i < as->count; i++)
        CHECK_OK(ink_ring_create(&to->rings[i], &as->kinds[i].params, &as->window, NULL, &error));
}

static void model_free(model *from)
{
    for (size_t i = 0; i < from->count; i++)
        ink_ring_free(from->rings[i]);
}

static void model_add(model *to, const table *from, size_t row, int64_t now,
                      const ink__stream_sketches *as)
{
    int64_t length = (int64_t)to->window.slot_microseconds, when = from->times[row];
    int64_t number = when / length;

    if (when < 0 && number * length != when)
        number--;
    if (when > now + length * (int64_t)to->window.slots) {
        to->future++;
        return;
    }
    if (to->started && number + (int64_t)to->window.slots <= to->newest) {
        to->late++;
        return;
    }
    to->newest = !to->started || number > to->newest ? number : to->newest;
    to->started = true;
    to->added++;
    for (size_t i = 0; i < to->count; i++) {
        ink_batch   batch = one_row(from, row, &as->kinds[i]);
        ink_sketch *slot;
        CHECK_OK(ink_ring_slot(to->rings[i], when, &slot, &error));
        assert_non_null(slot);
        CHECK_OK(ink_sketch_add_batch(slot, &batch, &error));
    }
}

static records_bytes model_encode(const model *from)
{
    ink_entry entries[ALL_KINDS * 64];
    size_t    at = 0;

    for (size_t i = 0; i < from->count; i++)
        for (size_t j = 0; j < ink_ring_count(from->rings[i]); j++)
            CHECK_OK(ink_ring_entry(from->rings[i], j, NULL, &entries[at++], &error));
    return encode(entries, at);
}

/* How times go on from one record to the next. */
typedef int64_t clock_of(int64_t before, int64_t now, int64_t window, uint64_t *chance);

static int64_t rising(int64_t before, int64_t now, int64_t window, uint64_t *chance)
{
    (void)now;
    return before + (int64_t)records_below(chance, (uint64_t)window / 40 + 2);
}

static int64_t mixed(int64_t before, int64_t now, int64_t window, uint64_t *chance)
{
    (void)before;
    return now - (int64_t)records_below(chance, (uint64_t)window * 2) + window / 2;
}

static int64_t jumping(int64_t before, int64_t now, int64_t window, uint64_t *chance)
{
    uint64_t what = records_below(chance, 100);

    if (what < 3)
        return before + window * 3; /* all falls out, or it is too far in the future */
    if (what < 6)
        return now + window + 1; /* just too far in the future */
    if (what < 9)
        return now + window;
    if (what < 12)
        return before - window;
    return before - 1 + (int64_t)records_below(chance, 4);
}

static void check_window(clock_of *clock, uint32_t slots, int64_t began, unsigned with,
                         bool reloaded)
{
    static table       some;
    ink_stream_options options = of_window(all_kinds, ALL_KINDS, 60 * slots, slots);
    const ink_reading *reading = with & WITH_INTS ? &numbers : &lines;
    SKETCHES           together;
    uint64_t           chance = 17 + slots + with, late = 0, future = 0, added = 0;
    int64_t            now = began, last = began;
    model              naive;

    create(&together, reading, &options);
    model_create(&naive, &together);
    for (unsigned round = 0; round < 12; round++, now += 45 * (int64_t)slots / 2) {
        fill_table(&some, records_below(&chance, 200), 300, with | WITH_TIMES, &chance);
        for (size_t i = 0; i < some.rows.count; i++)
            last = some.times[i] = clock(last, now, 60 * (int64_t)slots, &chance);
        last = last > now ? now : last;
        ink__stream_left left = add(&together, &some, now);
        late += left.late;
        future += left.future;
        added += some.rows.count - left.late - left.future;
        for (size_t i = 0; i < some.rows.count; i++)
            model_add(&naive, &some, i, now, &together);
        CHECK(late == naive.late && future == naive.future && added == naive.added);
        records_bytes one = model_encode(&naive), other = encode_all(&together);
        check_same(&one, &other);
        if (reloaded)
            load_again(&together, reading, &options);
    }
    CHECK(clock == rising || (late > 0 && added > 0));
    CHECK(clock != jumping || future > 0);
    model_free(&naive);
}

TEST(windows_hold_what_records_one_by_one_would_bring_there)
{
    static clock_of *const clocks[] = {rising, mixed, jumping};
    static const uint32_t  slots[] = {1, 2, 10};
    static const int64_t   began[] = {1700000000000000, -250};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++)
            for (unsigned k = 0; k < 2; k++)
                check_window(clocks[i], slots[j], began[k], (i + j + k) % WITH_TIMES, k == 1);
}

/* Times at both ends of the range, over a window of one slot or several. */
TEST(times_at_the_ends_are_added_or_late_but_never_lost)
{
    static const int64_t times[] = {INT64_MIN, INT64_MIN + 1,  INT64_MIN + 61, -1,
                                    0,         INT64_MAX - 61, INT64_MAX - 1,  INT64_MAX};
    static table         some;
    uint64_t             chance = 3;

    for (uint32_t slots = 1; slots < 4; slots++)
        for (size_t first = 0; first < 8; first++) {
            ink_stream_options options = of_window(all_kinds + 7, 1, 60 * slots, slots);
            SKETCHES           sketches;
            create(&sketches, &lines, &options);
            for (size_t i = first; i < 8; i++) {
                fill_table(&some, 1, 5, WITH_TIMES, &chance);
                some.times[0] = times[i];
                ink__stream_left left = add(&sketches, &some, INT64_MAX);
                ink_sketch      *merged;
                CHECK_OK(ink__stream_sketches_copy(&sketches, 0, &merged, &error));
                ink_description d;
                ink_sketch_describe(merged, &d);
                CHECK(d.records + left.late > 0 && left.future == 0);
                ink_sketch_free(merged);
            }
        }
}

TEST(a_clock_that_was_set_back_counts_nothing_twice)
{
    static table       some;
    ink_stream_options options = of_window(all_kinds + 7, 1, 100, 0);
    SKETCHES           sketches;
    uint64_t           chance = 3;

    create(&sketches, &lines, &options);
    fill_table(&some, 1, 5, WITH_TIMES, &chance);
    some.times[0] = 1000000;
    ink__stream_left left = add(&sketches, &some, 1000000);
    CHECK(left.late == 0 && left.future == 0);
    some.times[0] = 500000; /* both before the window and in the future */
    left = add(&sketches, &some, 0);
    CHECK(left.late == 1 && left.future == 0);
}

TEST(records_without_times_go_to_the_present_which_never_goes_back)
{
    static table       some;
    ink_stream_options options = of_window(all_kinds, ALL_KINDS, 100, 0); /* in 10 slots */
    SKETCHES           sketches;
    uint64_t           chance = 5;
    ink_entry          entry;

    create(&sketches, &lines, &options);
    CHECK(ink__stream_sketches_late(&sketches, 0));
    fill_table(&some, 10, 50, 0, &chance);
    add(&sketches, &some, 1005);
    ink__stream_left left = add(&sketches, &some, 995);
    CHECK(left.late == 0 && left.future == 0 && sketches.newest_time == 1005);
    CHECK(!ink__stream_sketches_late(&sketches, 1009));
    CHECK(ink__stream_sketches_late(&sketches, 1010));
    for (size_t i = 0; i < ALL_KINDS; i++) {
        assert_int_equal(ink_ring_count(sketches.kinds[i].ring), 1);
        CHECK_OK(ink_ring_entry(sketches.kinds[i].ring, 0, NULL, &entry, &error));
        assert_int_equal(entry.label.slot, 1000);
    }
    CHECK_OK(ink__stream_sketches_move(&sketches, 1095, &error));
    assert_int_equal(ink__stream_sketches_entries(&sketches, NULL), 2 * ALL_KINDS);
    CHECK_OK(ink__stream_sketches_move(&sketches, 1100, &error)); /* what was added falls out */
    assert_int_equal(ink__stream_sketches_entries(&sketches, NULL), 2 * ALL_KINDS);
    CHECK_OK(ink__stream_sketches_move(&sketches, 1000, &error));
    CHECK(sketches.newest_time == 1100);
    load_again(&sketches, &lines, &options);
    CHECK(sketches.newest_time == 1100 && !ink__stream_sketches_late(&sketches, 1109));
}

/* ---- Promises ----------------------------------------------------------------------------- */

/* Adds `count` new keys, and looks whether filter 0 is full, as a stream does after a batch. */
static bool add_and_look(ink__stream_sketches *to, uint64_t *next, size_t count)
{
    static table some;
    double       rate = 0, promised = 0;
    bool         passed;
    uint64_t     chance = *next;

    fill_table(&some, count, 1, WITH_INTS, &chance);
    for (size_t i = 0; i < count; i++)
        some.ints[i] = (int64_t)(*next)++;
    add(to, &some, 0);
    CHECK_OK(ink__stream_sketches_measure(to, 0, count, &passed, &rate, &promised, &error));
    CHECK(!passed || rate > promised);
    return passed;
}

/* At which batches a filter is begun anew, going on after a load at every batch whose number is a
 * multiple of `loaded`. */
static unsigned renewals(const ink_params *kind, size_t batch, unsigned loaded, unsigned *at,
                         unsigned room)
{
    const ink_stream_options options = of_kinds(kind, 1);
    SKETCHES                 sketches;
    unsigned                 count = 0;
    uint64_t                 next = 0;

    create(&sketches, &numbers, &options);
    for (unsigned i = 0; i < 400 && count < room; i++) {
        if (add_and_look(&sketches, &next, batch)) {
            CHECK_OK(ink__stream_sketches_renew(&sketches, 0, &error));
            at[count++] = i;
        }
        if (loaded != 0 && i % loaded == 0)
            load_again(&sketches, &numbers, &options);
    }
    return count;
}

TEST(a_full_filter_is_noticed_at_the_same_records_whenever_it_was_loaded)
{
    static const ink_params kinds[] = {
        {.kind = "bloom", .expected_keys = 3000},
        {.kind = "classic", .expected_keys = 1000, .false_positive_rate = 0.1},
        {.kind = "counting", .expected_keys = 1000},
    };
    static const size_t batches[] = {50, 97, 1000};
    unsigned            expected[16], at[16];

    for (unsigned k = 0; k < 3; k++)
        for (unsigned b = 0; b < 3; b++) {
            unsigned count = renewals(&kinds[k], batches[b], 0, expected, 16);
            CHECK(count > 2);
            uint64_t first = (uint64_t)(expected[0] + 1) * batches[b];
            CHECK(first > kinds[k].expected_keys / 2); /* not long before or after it is full */
            CHECK(first < kinds[k].expected_keys * 2 + batches[b]);
            for (unsigned loaded = 1; loaded < 4; loaded++) {
                assert_int_equal(renewals(&kinds[k], batches[b], loaded, at, 16), count);
                assert_memory_equal(at, expected, count * sizeof *at);
            }
        }
}

TEST(a_full_filter_is_reported_once_and_what_promises_nothing_never)
{
    static const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 500},
                                       {.kind = "bloom", .bits = 4096},
                                       {.kind = "scalable", .expected_keys = 100},
                                       {.kind = "hll"}};
    static const unsigned   expected[] = {1, 0, 0, 0};

    for (size_t i = 0; i < 4; i++) {
        const ink_stream_options options = of_kinds(&kinds[i], 1);
        SKETCHES                 sketches;
        unsigned                 reported = 0;
        uint64_t                 next = 0;
        create(&sketches, &numbers, &options);
        for (unsigned batch = 0; batch < 50; batch++)
            reported += add_and_look(&sketches, &next, 100);
        assert_int_equal(reported, expected[i]);
    }
}

TEST(weights_do_not_hide_that_a_filter_is_full)
{
    static table             some;
    static const ink_params  kind = {.kind = "counting", .expected_keys = 1000};
    const ink_stream_options options = of_kinds(&kind, 1);
    SKETCHES                 sketches;
    uint64_t                 chance = 9;
    bool                     passed = false;

    create(&sketches, &numbers, &options);
    for (unsigned batch = 0; batch < 150 && !passed; batch++) {
        double rate, promised;
        fill_table(&some, 10, 1, WITH_INTS | WITH_WEIGHTS, &chance);
        for (size_t i = 0; i < 10; i++) {
            some.ints[i] = (int64_t)(batch * 10 + i);
            some.weights[i] = 1000;
        }
        add(&sketches, &some, 0);
        CHECK_OK(ink__stream_sketches_measure(&sketches, 0, 10, &passed, &rate, &promised, &error));
    }
    CHECK(passed);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static ink_status live(const ink_stream_options *options, const ink_allocator *allocator)
{
    static table         some;
    ink__stream_sketches sketches;
    ink__stream_left     left;
    ink_sketch          *copy;
    uint64_t             chance = 3;
    double               rate, promised;
    bool                 passed;
    ink_status status = ink__stream_sketches_create(&sketches, &lines, options, allocator, &error);

    if (status != INK_OK)
        return status;
    for (int i = 0; i < 3 && status == INK_OK; i++) {
        fill_table(&some, 100, 1000, WITH_TIMES, &chance);
        for (size_t row = 0; row < 100; row++)
            some.times[row] = 13 * i + (int64_t)row % 7;
        status = ink__stream_sketches_add(&sketches, &some.rows, 20, &left, &error);
        for (size_t k = 0; k < options->kind_count && status == INK_OK; k++) {
            status =
                ink__stream_sketches_measure(&sketches, k, 100, &passed, &rate, &promised, &error);
            if (status == INK_OK)
                status = ink__stream_sketches_copy(&sketches, k, &copy, &error);
            if (status == INK_OK)
                ink_sketch_free(copy);
        }
    }
    if (status == INK_OK && options->window_microseconds == 0)
        status = ink__stream_sketches_renew(&sketches, 0, &error);
    ink__stream_sketches_free(&sketches);
    return status;
}

TEST(without_memory_calls_fail_and_hold_nothing)
{
    for (unsigned round = 0; round < 2; round++) {
        ink_stream_options options =
            of_window(all_kinds, ALL_KINDS, round == 0 ? 0 : 40, round == 0 ? 0 : 4);
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            ink_allocator allocator = faults_allocator(&memory);
            ink_status    status = live(&options, &allocator); /* it can do without the hasher */
            CHECK(status == INK_OK || (memory.refused > 0 && status == INK_MEMORY));
            CHECK(memory.refuse_at < 2000);
        }
    }
}

RUN_TESTS()
