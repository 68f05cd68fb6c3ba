/* samples_test.c - what a sample keeps: rates, the history, the best counter, and notes. */
#include "../../cli/stream/samples.c"
#include "support/check.h"

static cli_sampler sampler;

static int begin_sampler(void **state)
{
    (void)state;
    memset(&sampler, 0, sizeof sampler);
    pthread_mutex_init(&sampler.mutex, NULL);
    return 0;
}

/* Takes a moment of a stream at `seconds`. */
static const sample_moment *keep(double seconds, uint64_t records, uint64_t questions)
{
    cli_samples      *samples = &sampler.samples;
    ink_stream_report before = samples->report;

    samples->report =
        (ink_stream_report){.seconds = seconds, .run_records = records, .questions = questions};
    keep_moment(samples, samples->moments == 0 ? &samples->report : &before);
    return &samples->history[(samples->moments - 1) % SAMPLE_HISTORY];
}

TEST(rates_are_of_the_time_since_the_sample_before)
{
    const sample_moment *moment = keep(0.5, 0, 0);

    CHECK(moment->seconds == 0.5 && moment->records_per_second == 0);
    CHECK(moment->questions_per_second == 0);
    moment = keep(1.5, 0, 0); /* still waits */
    assert_int_equal(sampler.samples.moments, 1);
    CHECK(moment->seconds == 1.5);
    moment = keep(3.5, 100, 30);
    assert_int_equal(sampler.samples.moments, 2);
    CHECK(moment->seconds == 3.5 && moment->records_per_second == 50);
    CHECK(moment->questions_per_second == 15);
    moment = keep(4, 100, 30); /* waits no more */
    assert_int_equal(sampler.samples.moments, 3);
    CHECK(moment->records_per_second == 0 && moment->questions_per_second == 0);
    moment = keep(4, 200, 40); /* at the same time */
    CHECK(moment->records_per_second == 0);
}

TEST(a_question_begins_the_history_too)
{
    keep(1, 0, 0);
    keep(2, 0, 1);
    assert_int_equal(sampler.samples.moments, 2);
}

TEST(ten_minutes_are_kept)
{
    for (int second = 0; second < SAMPLE_HISTORY + 10; second++)
        keep(second, (uint64_t)second, 0);
    CHECK(sampler.samples.history[9].seconds == SAMPLE_HISTORY + 9);
    CHECK(sampler.samples.history[10].seconds == 10);
    assert_int_equal(SAMPLE_HISTORY, 600);
}

TEST(a_moment_has_the_rates_of_filters_and_the_number_of_the_best_counter)
{
    sampler.samples.sketch_count = 2;
    sampler.samples.sketches[0].rate = 0.25;
    sampler.samples.sketches[1].rate = NAN;
    sampler.samples.sketches[1].distinct = (ink_answer){.estimate = 5, .low = 4, .high = 6};
    sampler.samples.counter = 1;
    const sample_moment *moment = keep(1, 0, 0);
    CHECK(moment->rates[0] == 0.25 && isnan(moment->rates[1]));
    CHECK(moment->distinct.estimate == 5 && moment->distinct.low == 4 &&
          moment->distinct.high == 6);
    sampler.samples.counter = 2;
    moment = keep(2, 0, 0);
    CHECK(isnan(moment->distinct.estimate));
}

TEST(the_best_counter_is_made_for_it_and_has_the_lowest_error)
{
    static const struct {
        double estimates[4], errors[4];
        size_t best;
    } cases[] = {
        {{NAN, NAN, NAN, NAN}, {0, 0, 0, 0}, 4},
        {{NAN, 5, 5, NAN}, {0, 0, 0, 0}, 1},
        {{5, 5, 5, NAN}, {0, 0.02, 0.01, 0.001}, 2},
        {{5, 5, 5, 5}, {0.01, 0.02, 0, 0.03}, 0},
    };

    sampler.samples.sketch_count = 4;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t j = 0; j < 4; j++) {
            sampler.samples.sketches[j].distinct.estimate = cases[i].estimates[j];
            sampler.samples.sketches[j].description.standard_error = cases[i].errors[j];
        }
        assert_int_equal(best_counter(&sampler.samples), cases[i].best);
    }
}

TEST(a_note_that_repeats_the_last_only_renews_its_time)
{
    static const char *const texts[] = {"one", "one", "two", "one", "one"};
    const cli_samples       *samples = &sampler.samples;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sampler.samples.notes[0].when = 1;
        samples_note(&sampler, texts[i]);
    }
    assert_int_equal(samples->note_count, 3);
    assert_string_equal(samples->notes[0].text, "one");
    assert_string_equal(samples->notes[1].text, "two");
    assert_string_equal(samples->notes[2].text, "one");
    sampler.samples.notes[2].when = 1;
    samples_note(&sampler, "one");
    CHECK(samples->note_count == 3 && samples->notes[2].when > 1);
}

TEST(a_long_key_is_cut_and_a_number_is_its_digits)
{
    static const char     text[SAMPLE_KEY_BYTES + 1];
    const ink_description of_ints = {.key_type = INK_KEY_INT};
    const ink_description of_bytes = {.key_type = INK_KEY_BYTES};
    static sample_item    kept;

    keep_item(&kept, &(ink_item){.key = (const uint8_t *)text, .key_bytes = sizeof text - 1},
              &of_bytes);
    CHECK(kept.key_bytes == SAMPLE_KEY_BYTES && !kept.cut);
    keep_item(&kept, &(ink_item){.key = (const uint8_t *)text, .key_bytes = sizeof text},
              &of_bytes);
    CHECK(kept.key_bytes == SAMPLE_KEY_BYTES && kept.cut);
    keep_item(&kept, &(ink_item){.key = (const uint8_t *)"ant", .key_bytes = 3, .cut = true},
              &of_bytes);
    CHECK(kept.key_bytes == 3 && kept.cut && memcmp(kept.key, "ant", 3) == 0);
    keep_item(&kept, &(ink_item){.key_int = INT64_MIN}, &of_ints);
    CHECK(kept.key_bytes == 20 && memcmp(kept.key, "-9223372036854775808", 20) == 0);
}

RUN_TESTS(.before = begin_sampler)
