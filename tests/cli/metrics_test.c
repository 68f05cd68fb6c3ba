/* metrics_test.c - each number of a sample stands where docs/live.md says, in JSON and for
 * Prometheus: no two of them are equal here. */
#include "../../cli/stream/metrics.c"
#include "support/check.h"

static cli_samples        samples;
static ink_stream_options options;

static const ink_stream_report report = {
    .batches = 11,
    .records = 12,
    .bad = 13,
    .late = 14,
    .cut = 15,
    .saved_batches = 16,
    .saved_records = 17,
    .questions = 18,
    .train_connections = 19,
    .ask_connections = 20,
    .ended = true,
    .timed = true,
    .newest = 21500000,
    .seconds = 22.5,
    .run_records = 23,
};

/* It answers everything, so that it has all numbers. */
static const sample_sketch versatile = {
    .description = {.kind = "bloom",
                    .expected_keys = 1000,
                    .bits = 6400,
                    .hashes = 32,
                    .bytes = 33,
                    .bits_per_key = 34.5,
                    .records = 35,
                    .total = 400,
                    .width = 37,
                    .depth = 38,
                    .epsilon = 0.39,
                    .delta = 0.4,
                    .capacity = 41,
                    .missed = 42,
                    .precision = 43,
                    .standard_error = 0.44,
                    .target_rate = 0.045,
                    .promised_rate = 0.046},
    .kind = {.contains = true, .keeps_keys = true},
    .rate = 0.0345,
    .distinct = {.estimate = 500.4, .low = 480.2, .high = 520.6, .confidence = 0.95},
    .item_count = 2,
    .items = {{.key = "ant",
               .key_bytes = 3,
               .cut = true,
               .count = {.estimate = 100, .low = 90, .high = 110, .confidence = 1}},
              {.key = "bee",
               .key_bytes = 3,
               .count = {.estimate = 50, .low = 45, .high = 55, .confidence = 1}}},
};

static const sample_moment moments[] = {
    {1.25, 2.5, 3.75, {.estimate = 4, .low = 5, .high = 6}, {0.7}},
    {2.25, 20.5, 30.75, {.estimate = 40, .low = 50, .high = 60}, {0.07}},
};

static int begin_samples(void **state)
{
    static const char *const train[] = {"first", "second"};

    (void)state;
    options = (ink_stream_options){
        .train = train, .train_count = 2, .folder = "folder", .window_microseconds = 2500000};
    memset(&samples, 0, sizeof samples);
    samples.options = &options;
    samples.key_columns = 1;
    samples.train = "address";
    samples.ask = "questions";
    samples.report = report;
    samples.saved_at = 24;
    samples.sketches[0] = versatile;
    samples.sketch_count = 1;
    samples.moments = 2;
    memcpy(samples.history, moments, sizeof moments);
    return 0;
}

/* The text of samples, with a NUL. */
static char *written(void (*write)(cli_text *, const cli_samples *))
{
    static cli_text text;

    text.count = 0;
    write(&text, &samples);
    text_bytes(&text, "", 1);
    return text.bytes;
}

/* The part of the JSON from one text on, up to another (NULL: all). */
static const char *part(const char *from, const char *to)
{
    char *all = written(metrics_json), *begins = strstr(all, from), *ends;

    if (begins == NULL)
        fail_msg("%s is not in %s", from, all);
    if (to != NULL && (ends = strstr(begins + strlen(from), to)) != NULL)
        *ends = '\0';
    return begins;
}

TEST(each_number_is_in_json)
{
    assert_string_equal(
        part("\"train\"", NULL),
        "\"train\":[\"first\",\"second\"],\"ask\":\"questions\",\"state\":\"folder\","
        "\"window_seconds\":2.5,\"now\":{\"seconds\":22.5,"
        "\"records_per_second\":20.5,\"questions_per_second\":30.75,"
        "\"batches\":11,\"records\":12,\"run_records\":23,\"bad\":13,\"late\":14,"
        "\"cut\":15,\"saved_batches\":16,\"saved_records\":17,\"saved_at\":24,"
        "\"questions\":18,\"train_connections\":19,\"ask_connections\":20,"
        "\"ended\":true,\"newest\":21500000},\"sketches\":[{\"kind\":\"bloom\","
        "\"keys\":1000,\"bits\":6400,\"hashes\":32,\"bytes\":33,"
        "\"bits_per_key\":34.5,\"records\":35,\"total\":400,\"width\":37,"
        "\"depth\":38,\"epsilon\":0.39,\"delta\":0.4,\"capacity\":41,"
        "\"missed\":42,\"precision\":43,\"standard_error\":0.44,"
        "\"target_rate\":0.045,\"promised_rate\":0.046,"
        "\"current_rate\":0.0345,\"fill\":0.5004,\"ok\":true,"
        "\"state\":\"3.45 % false positives, promised 4.6 %\","
        "\"distinct\":{\"estimate\":500,\"low\":480,\"high\":521,"
        "\"confidence\":0.95},\"answers\":[{\"key\":\"ant\",\"cut\":true,"
        "\"estimate\":100,\"low\":90,\"high\":110,\"confidence\":1,"
        "\"share\":0.25},{\"key\":\"bee\",\"estimate\":50,\"low\":45,\"high\":55,"
        "\"confidence\":1,\"share\":0.125}]}],\"worst\":\"bloom\","
        "\"distinct_by\":\"bloom\",\"notes\":[],\"history\":{\"seconds\":[1.25,"
        "2.25],\"records_per_second\":[2.5,20.5],"
        "\"questions_per_second\":[3.75,30.75],\"distinct\":[4,40],"
        "\"distinct_low\":[5,50],\"distinct_high\":[6,60],"
        "\"current_rate\":{\"bloom\":[0.7,0.07]}}}\n");
}

TEST(each_number_is_a_metric)
{
    assert_string_equal(
        strstr(written(metrics_prometheus), "# HELP ink_stream_records"),
        "# HELP ink_stream_records_total Records in complete batches, since the state began.\n"
        "# TYPE ink_stream_records_total counter\n"
        "ink_stream_records_total 12\n"
        "# HELP ink_stream_bad_records_total Records that could not be read.\n"
        "# TYPE ink_stream_bad_records_total counter\n"
        "ink_stream_bad_records_total 13\n"
        "# HELP ink_stream_late_records_total Records from before the window.\n"
        "# TYPE ink_stream_late_records_total counter\n"
        "ink_stream_late_records_total 14\n"
        "# HELP ink_stream_cut_records_total Records that were not whole when their connection "
        "broke.\n"
        "# TYPE ink_stream_cut_records_total counter\n"
        "ink_stream_cut_records_total 15\n"
        "# HELP ink_stream_batches_total Complete batches, since the state began.\n"
        "# TYPE ink_stream_batches_total counter\n"
        "ink_stream_batches_total 11\n"
        "# HELP ink_stream_saved_records_total Records in the last checkpoint.\n"
        "# TYPE ink_stream_saved_records_total counter\n"
        "ink_stream_saved_records_total 17\n"
        "# HELP ink_stream_saved_batches_total Batches in the last checkpoint.\n"
        "# TYPE ink_stream_saved_batches_total counter\n"
        "ink_stream_saved_batches_total 16\n"
        "# HELP ink_stream_run_records_total Records that this run has read.\n"
        "# TYPE ink_stream_run_records_total counter\n"
        "ink_stream_run_records_total 23\n"
        "# HELP ink_stream_questions_total Questions that this run has answered.\n"
        "# TYPE ink_stream_questions_total counter\n"
        "ink_stream_questions_total 18\n"
        "# HELP ink_stream_connections Open connections, by what they are for.\n"
        "# TYPE ink_stream_connections gauge\n"
        "ink_stream_connections{for=\"train\"} 19\n"
        "ink_stream_connections{for=\"ask\"} 20\n"
        "# HELP ink_stream_run_seconds How long this run has lasted.\n"
        "# TYPE ink_stream_run_seconds gauge\n"
        "ink_stream_run_seconds 22.5\n"
        "# HELP ink_stream_ended 1 if the data have ended.\n"
        "# TYPE ink_stream_ended gauge\n"
        "ink_stream_ended 1\n"
        "# HELP ink_stream_newest_record_timestamp_seconds The latest time of a record.\n"
        "# TYPE ink_stream_newest_record_timestamp_seconds gauge\n"
        "ink_stream_newest_record_timestamp_seconds 21.5\n"
        "# HELP ink_stream_last_checkpoint_timestamp_seconds When the last checkpoint was saved.\n"
        "# TYPE ink_stream_last_checkpoint_timestamp_seconds gauge\n"
        "ink_stream_last_checkpoint_timestamp_seconds 24\n"
        "# HELP ink_stream_sketch_bytes The size of a sketch, as it is saved.\n"
        "# TYPE ink_stream_sketch_bytes gauge\n"
        "ink_stream_sketch_bytes{kind=\"bloom\"} 33\n"
        "# HELP ink_stream_sketch_records Records in a sketch: of the window, if there is one.\n"
        "# TYPE ink_stream_sketch_records gauge\n"
        "ink_stream_sketch_records{kind=\"bloom\"} 35\n"
        "# HELP ink_stream_filter_false_positive_rate The current false-positive rate, from the "
        "bits.\n"
        "# TYPE ink_stream_filter_false_positive_rate gauge\n"
        "ink_stream_filter_false_positive_rate{kind=\"bloom\"} 0.0345\n"
        "# HELP ink_stream_filter_promised_rate The false-positive rate that the size promises.\n"
        "# TYPE ink_stream_filter_promised_rate gauge\n"
        "ink_stream_filter_promised_rate{kind=\"bloom\"} 0.046\n"
        "# HELP ink_stream_filter_fill_ratio Different keys in a filter, of those that it was "
        "planned for.\n"
        "# TYPE ink_stream_filter_fill_ratio gauge\n"
        "ink_stream_filter_fill_ratio{kind=\"bloom\"} 0.5004\n"
        "# HELP ink_stream_distinct_keys Different keys, estimated.\n"
        "# TYPE ink_stream_distinct_keys gauge\n"
        "ink_stream_distinct_keys{kind=\"bloom\"} 500.4\n"
        "# HELP ink_stream_distinct_keys_low Different keys, at least, with 95 % confidence.\n"
        "# TYPE ink_stream_distinct_keys_low gauge\n"
        "ink_stream_distinct_keys_low{kind=\"bloom\"} 480.2\n"
        "# HELP ink_stream_distinct_keys_high Different keys, at most, with 95 % confidence.\n"
        "# TYPE ink_stream_distinct_keys_high gauge\n"
        "ink_stream_distinct_keys_high{kind=\"bloom\"} 520.6\n");
}

TEST(what_a_sketch_does_not_have_is_left_out)
{
    sample_sketch *sketch = &samples.sketches[0];

    *sketch = (sample_sketch){.description = {.kind = "fm", .bytes = 1, .levels = 2},
                              .rate = NAN,
                              .distinct = {NAN, NAN, NAN, 0}};
    samples.report.timed = false;
    samples.saved_at = 0;
    samples.ask = NULL;
    options.train_count = 1;
    options.window_microseconds = 0;
    samples.counter = samples.sketch_count; /* none */
    assert_string_equal(part("\"train\"", ",\"now\""),
                        "\"train\":[\"address\"],\"state\":\"folder\"");
    assert_string_equal(
        part("\"ended\"", NULL),
        "\"ended\":true},\"sketches\":[{\"kind\":\"fm\",\"bytes\":1,\"records\":0,\"levels\":2}],"
        "\"notes\":[],\"history\":{\"seconds\":[1.25,2.25],\"records_per_second\":[2.5,20.5],"
        "\"questions_per_second\":[3.75,30.75],\"current_rate\":{}}}\n");
    assert_string_equal(strstr(written(metrics_prometheus), "# HELP ink_stream_ended"),
                        "# HELP ink_stream_ended 1 if the data have ended.\n"
                        "# TYPE ink_stream_ended gauge\nink_stream_ended 1\n"
                        "# HELP ink_stream_sketch_bytes The size of a sketch, as it is saved.\n"
                        "# TYPE ink_stream_sketch_bytes gauge\n"
                        "ink_stream_sketch_bytes{kind=\"fm\"} 1\n"
                        "# HELP ink_stream_sketch_records Records in a sketch: of the window, if "
                        "there is one.\n"
                        "# TYPE ink_stream_sketch_records gauge\n"
                        "ink_stream_sketch_records{kind=\"fm\"} 0\n");
}

TEST(a_scalable_has_no_capacity_to_be_filled)
{
    samples.sketches[0].description.levels = 3;
    assert_string_equal(part("\"levels\"", ",\"width"), "\"levels\":3");
    CHECK(strstr(written(metrics_json), "\"fill\"") == NULL);
    CHECK(strstr(written(metrics_prometheus), "fill_ratio") == NULL);
    samples.sketches[0].rate = 0.9; /* nor is one planned */
    assert_string_equal(part("\"ok\"", ",\"distinct\""),
                        "\"ok\":false,\"state\":\"90 % false positives, promised 4.6 %\"");
}

TEST(a_number_of_two_sketches_has_one_heading_and_each_filter_its_history)
{
    static const char heading[] = "# TYPE ink_stream_sketch_bytes gauge\n"
                                  "ink_stream_sketch_bytes{kind=\"bloom\"} 33\n"
                                  "ink_stream_sketch_bytes{kind=\"hll\"} 33\n";

    samples.sketches[1] = versatile;
    samples.sketches[1].description.kind = "hll";
    samples.sketch_count = 2;
    CHECK(strstr(written(metrics_prometheus), heading) != NULL);
    samples.history[0].rates[1] = 0.25;
    assert_string_equal(part("\"current_rate\":{", NULL),
                        "\"current_rate\":{\"bloom\":[0.7,0.07],\"hll\":[0.25,0]}}}\n");
}

TEST(names_are_in_hex_if_one_of_them_is_not_utf8)
{
    static const char *const names[] = {"a\xff", "b"};

    options.train = names;
    assert_string_equal(part("\"train", ",\"ask"), "\"train_hex\":[\"61ff\",\"62\"]");
}

TEST(a_filter_that_breaks_its_promise_says_what_helps)
{
    static const struct {
        double      keys;
        bool        saturated, renews;
        uint64_t    window;
        const char *state;
    } cases[] = {
        {4000, false, false, 0,
         "it holds 4,000 keys of 1,000 planned; begin a new state with n=6000 or --grow, or go on "
         "with --renew\""},
        {4000, false, true, 0,
         "it holds 4,000 keys of 1,000 planned; begin a new state with n=6000 or --grow\""},
        {4000, false, false, 1,
         "it holds 4,000 keys of 1,000 planned; begin a new state with n=6000 or --grow\""},
        {1234567, true, true, 0,
         "it holds more than 70,000 keys of 1,000 planned; begin a new state with n=110000 or "
         "--grow\""},
        {3, false, true, 0,
         "it holds 3 keys of 1,000 planned; begin a new state with n=5 or --grow\""},
        {123456789, false, true, 0,
         "it holds 123,456,789 keys of 1,000 planned; begin a new state with n=190000000 or "
         "--grow\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        samples.sketches[0].rate = 0.9;
        samples.sketches[0].distinct.estimate = cases[i].keys;
        samples.sketches[0].distinct.saturated = cases[i].saturated;
        samples.sketches[1] = (sample_sketch){.description.kind = "hll",
                                              .distinct = {.estimate = 7e4, .saturated = true}};
        samples.sketch_count = 2;
        samples.counter = 1;
        options.renew = cases[i].renews;
        options.window_microseconds = cases[i].window;
        CHECK(strstr(part("\"ok\"", ",\"distinct\""),
                     "\"ok\":false,\"state\":\"90 % false positives, "
                     "promised 4.6 %: it holds ") != NULL);
        assert_string_equal(part("it holds", ",\"distinct\""), cases[i].state);
    }
}

TEST(the_filter_that_is_nearest_to_its_promise_or_above_is_the_worst)
{
    static const char *const kinds[] = {"bloom", "counting", "hll", "classic"};
    static const double      rates[] = {0.03, 0.045, 1, 0.045}; /* of equal ones the first */

    samples.sketch_count = 4;
    for (size_t i = 0; i < 4; i++) {
        samples.sketches[i] = versatile;
        samples.sketches[i].description.kind = kinds[i];
        samples.sketches[i].kind.contains = i != 2; /* what is no filter has no promise */
        samples.sketches[i].rate = rates[i];
    }
    assert_string_equal(part("\"worst\"", ",\"distinct_by"), "\"worst\":\"counting\"");
}

TEST(the_last_notes_are_shown_and_the_last_ten_minutes)
{
    samples.note_count = SAMPLE_NOTES + 2;
    for (uint64_t i = 0; i < samples.note_count; i++) {
        sample_note *note = &samples.notes[i % SAMPLE_NOTES];
        note->when = (time_t)(100 + i);
        snprintf(note->text, sizeof note->text, "note %d", (int)i);
    }
    assert_string_equal(
        part("\"notes\"", ",\"history"),
        "\"notes\":[{\"at\":102,\"text\":\"note 2\"},{\"at\":103,\"text\":\"note 3\"},"
        "{\"at\":104,\"text\":\"note 4\"},{\"at\":105,\"text\":\"note 5\"},"
        "{\"at\":106,\"text\":\"note 6\"}]");
    samples.moments = SAMPLE_HISTORY + 2;
    for (uint64_t i = 0; i < samples.moments; i++)
        samples.history[i % SAMPLE_HISTORY] =
            (sample_moment){.seconds = (double)i, .records_per_second = (double)i / 2};
    assert_string_equal(part("\"history\"", ",5,"), "\"history\":{\"seconds\":[2,3,4");
    CHECK(strstr(part("\"history\"", ",\"records"), ",600,601]") != NULL);
    CHECK(strstr(part("\"now\"", ",\"batches"), "\"records_per_second\":300.5,") != NULL);
}

TEST(whole_numbers_have_all_their_digits_below_1e15)
{
    static const struct {
        double      number;
        const char *text;
    } cases[] = {
        {0, "0"},        {-3, "-3"},         {0.1, "0.1"},  {999999999999999, "999999999999999"},
        {1e15, "1e+15"}, {INFINITY, "null"}, {NAN, "null"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_text text = {0};
        put_number(&text, cases[i].number);
        text_bytes(&text, "", 1);
        assert_string_equal(text.bytes, cases[i].text);
        text_free(&text);
    }
    samples.sketches[0].distinct.low = 4503599627370497; /* 2^52 + 1, which has no half */
    assert_string_equal(part("\"low\":45", ",\"high"), "\"low\":4503599627370497");
}

RUN_TESTS(.before = begin_samples)
