/* stream_view_test.c - a view stays as it was while the stream goes on, for every reader, in
 * any thread, until the last of them has released it. */
#define _DEFAULT_SOURCE 1
#include "jobs/stream/streaming.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"
#include "support/sketches.h"

#include <stdatomic.h>

static ink_error error;

static const ink_params kinds[] = {
    {.kind = "bloom", .expected_keys = 1000},
    {.kind = "count-min", .width = 64, .depth = 3},
    {.kind = "top", .phi = 0.01},
    {.kind = "scalable", .expected_keys = 16},
    {.kind = "hll", .precision = 8},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const ink_reading numbers = {.form = INK_FORM_LINES, .keys = INK_KEYS_INT};

static void create(ink__stream_sketches *to, uint64_t window, const ink_allocator *allocator)
{
    const ink_stream_options options = {
        .kinds = kinds, .kind_count = KINDS, .window_microseconds = window};
    ink_allocator memory = ink__allocator_or_heap(allocator);

    CHECK_OK(ink__stream_sketches_create(to, &numbers, &options, &memory, &error));
}

/* Adds the keys `first` to `first + 100` at a time. */
static void add_hundred(ink__stream_sketches *to, int64_t first, int64_t now)
{
    int64_t          keys[100];
    const ink__rows  rows = {.count = 100, .key_ints = keys};
    ink__stream_left left;

    for (int64_t i = 0; i < 100; i++)
        keys[i] = first + i;
    CHECK_OK(ink__stream_sketches_add(to, &rows, now, &left, &error));
}

static const ink_sketch *sketch_of(const ink_stream_view *view, size_t index)
{
    const ink_sketch *sketch;

    CHECK_OK(ink_stream_view_sketch(view, index, &sketch, &error));
    return sketch;
}

/* ---- One thread --------------------------------------------------------------------------- */

TEST(a_view_stays_as_it_was_while_sketches_are_filled_renewed_and_freed)
{
    for (unsigned windowed = 0; windowed < 2; windowed++) {
        const ink_stream_report report = {.batches = 7, .records = 100};
        ink__stream_sketches    sketches;
        ink_stream_view        *view;
        sketches_snapshot       before[KINDS];
        create(&sketches, windowed ? 100 : 0, NULL);
        add_hundred(&sketches, 0, 1000);
        CHECK_OK(ink__stream_view_create(&view, &sketches, &report, &error));
        assert_int_equal(ink_stream_view_count(view), KINDS);
        assert_memory_equal(ink_stream_view_report(view), &report, sizeof report);
        for (size_t i = 0; i < KINDS; i++)
            before[i] = sketches_remember(sketch_of(view, i));
        for (int64_t i = 1; i < 30; i++)
            add_hundred(&sketches, 100 * i, 1000 + 15 * i);
        if (!windowed)
            CHECK_OK(ink__stream_sketches_renew(&sketches, 0, &error));
        ink__stream_sketches_free(&sketches);
        CHECK(sketches_found(sketch_of(view, 0), 0, 100) == 100);
        for (size_t i = 0; i < KINDS; i++)
            CHECK(sketches_unchanged(sketch_of(view, i), &before[i]));
        ink_stream_view_release(view);
    }
}

TEST(what_is_not_there_is_not_found)
{
    const ink_stream_report report = {0};
    const ink_sketch       *sketch;
    ink__stream_sketches    sketches;
    ink_stream_view        *view;
    double                  rate;

    create(&sketches, 0, NULL);
    CHECK_OK(ink__stream_view_create(&view, &sketches, &report, &error));
    CHECK_FAILS(ink_stream_view_sketch(view, KINDS, &sketch, &error), INK_NOT_FOUND, "sketch 5");
    CHECK_FAILS(ink_stream_view_rate(view, KINDS, &rate, &error), INK_NOT_FOUND, "sketch 5");
    CHECK_FAILS(ink_stream_view_rate(view, 1, &rate, &error), INK_UNSUPPORTED, "count-min");
    ink_stream_view_release(view);
    ink_stream_view_release(NULL);
    ink__stream_sketches_free(&sketches);
}

TEST(the_rate_is_that_of_the_view)
{
    const ink_stream_report report = {0};
    ink__stream_sketches    sketches;
    ink_stream_view        *view;
    double                  rate, again;

    create(&sketches, 0, NULL);
    for (int64_t i = 0; i < 10; i++)
        add_hundred(&sketches, 100 * i, 0);
    CHECK_OK(ink__stream_view_create(&view, &sketches, &report, &error));
    CHECK_OK(ink_stream_view_rate(view, 0, &rate, &error));
    for (int64_t i = 10; i < 30; i++)
        add_hundred(&sketches, 100 * i, 0);
    CHECK_OK(ink_stream_view_rate(view, 0, &again, &error));
    CHECK(rate > 0 && rate == again && rate == sketches_rate(sketch_of(view, 0)));
    CHECK(rate < sketches_rate(sketches.kinds[0].sketch));
    ink_stream_view_release(view);
    ink__stream_sketches_free(&sketches);
}

TEST(without_memory_there_is_no_view)
{
    const ink_stream_report report = {0};

    for (uint64_t nth = 1;; nth++) {
        faults_memory        memory = {0};
        ink_allocator        allocator = faults_allocator(&memory);
        ink__stream_sketches sketches;
        ink_stream_view     *view;
        create(&sketches, nth % 2 == 0 ? 100 : 0, &allocator);
        add_hundred(&sketches, 0, 10);
        memory.refuse_at = memory.asked + (nth + 1) / 2;
        ink_status status = ink__stream_view_create(&view, &sketches, &report, &error);
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK));
        if (status == INK_OK)
            ink_stream_view_release(view);
        ink__stream_sketches_free(&sketches);
        faults_check_no_leak(&memory);
        if (nth % 2 == 0 && status == INK_OK)
            break;
        CHECK(nth < 1000);
    }
}

/* ---- Many threads ------------------------------------------------------------------------- */

/* A stream that goes on, and three who look at its last batch. */
typedef struct looked_at {
    ink_stream  stream;
    atomic_bool ended, wrong;
    atomic_uint looks;
} looked_at;

enum { BATCHES = 200, LOOKERS = 3 };

/* A view of batch n holds the keys of n batches, and no others. */
static void look(looked_at *all)
{
    const ink_stream_view *view = ink_stream_view_take(&all->stream);
    uint64_t               keys = ink_stream_view_report(view)->records;
    const ink_sketch      *filter = NULL, *counts = NULL;
    ink_error              why;
    ink_answer             answer;
    ink_description        d;
    double                 rate;
    bool                   good = ink_stream_view_sketch(view, 0, &filter, &why) == INK_OK &&
                ink_stream_view_sketch(view, 1, &counts, &why) == INK_OK;

    for (uint64_t i = keys < 50 ? 0 : keys - 50; good && i < keys; i++)
        good = ink_sketch_maybe_int(filter, (int64_t)i) == 1 &&
               ink_sketch_count_int(counts, (int64_t)i, &answer, &why) == INK_OK &&
               answer.estimate >= 1;
    ink_sketch_describe(filter, &d);
    good = good && d.records == keys && ink_stream_view_rate(view, 0, &rate, &why) == INK_OK;
    if (!good)
        atomic_store(&all->wrong, true);
    ink_stream_view_release(view);
    atomic_fetch_add(&all->looks, 1);
}

static void train_or_look(void *host, unsigned number)
{
    looked_at            *all = host;
    ink__stream_position *position = &all->stream.state.position;

    if (number > 0) {
        do
            look(all);
        while (!atomic_load(&all->ended));
        return;
    }
    while (position->batches < BATCHES) {
        add_hundred(&all->stream.sketches, (int64_t)position->records, 0);
        position->batches++;
        position->records += 100;
        CHECK_OK(ink__stream_publish(&all->stream, &error));
    }
    atomic_store(&all->ended, true);
}

TEST(many_look_at_views_while_the_stream_goes_on)
{
    static const ink_stream_options options = {.views = true};
    static looked_at                all;

    all.stream.options = &options;
    CHECK_OK(ink__mutex_open(&all.stream.mutex, &error));
    create(&all.stream.sketches, 0, NULL);
    CHECK_OK(ink__stream_publish(&all.stream, &error));
    ink__threads_run(1 + LOOKERS, train_or_look, &all);
    CHECK(!atomic_load(&all.wrong) && atomic_load(&all.looks) >= LOOKERS);
    assert_int_equal(ink_stream_view_report(all.stream.view)->batches, BATCHES);
    ink_stream_view_release(all.stream.view);
    ink__stream_sketches_free(&all.stream.sketches);
    ink__mutex_close(&all.stream.mutex);
}

RUN_TESTS()
