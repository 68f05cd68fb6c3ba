/* sizes_test.c - a filter whose size is not given is planned for the number of its different keys,
 * exactly up to 2^20, above that by an estimate that is the same everywhere; and kinds that depend
 * on the order of keys are made of segments of 64 MiB of the input, merged in order.
 * With INK_TEST_LIGHT set, fewer sizes and numbers of threads. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;
static uint64_t  chance = 5;

/* Of these entries, whose sketches are freed. */
static records_digest digest_of(const ink_entry *entries, size_t count)
{
    owned_file file = records_entries(entries, count);

    return records_digest_of(file.file);
}

/* ---- Planned sizes ------------------------------------------------------------------------ */

enum { LIMIT = 1 << 20, REPEATED = 100000 };

/* The integers from 0 up to `different`, times something odd, and the first ones once more. */
typedef struct integers {
    int64_t *keys;
    size_t   count;
    uint64_t different, planned;
} integers;

static void free_integers(integers *of)
{
    free(of->keys);
}

#define owned_integers OWNED(free_integers) integers

/* The keys to plan for, by an hll with this hash (NULL: the default). */
static uint64_t planned_with(const integers *of, const char *hash)
{
    const ink_params params = {.kind = "hll",
                               .precision = 18,
                               .key_type = INK_KEY_INT,
                               .hash = hash,
                               .has_seed = hash != NULL};
    const ink_batch  all = {.count = of->count, .ints = of->keys};
    owned_sketch    *hll;

    CHECK_OK(ink_sketch_create(&hll, &params, NULL, &error));
    CHECK_OK(ink_sketch_add_batch(hll, &all, &error));
    return records_planned(of->different, hll);
}

static integers make_integers(uint64_t different)
{
    integers of = {.count = (size_t)different + REPEATED, .different = different};

    of.keys = malloc(of.count * sizeof *of.keys);
    assert_non_null(of.keys);
    for (size_t i = 0; i < of.count; i++)
        of.keys[i] = (int64_t)(i % different * 0x9e3779b97f4a7c15u);
    of.planned = planned_with(&of, NULL);
    return of;
}

static ink_sketch *sketch_of(const integers *of, ink_params params)
{
    const ink_batch all = {.count = of->count, .ints = of->keys};
    ink_sketch     *sketch;

    params.key_type = INK_KEY_INT;
    params.expected_keys = of->planned;
    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    CHECK_OK(ink_sketch_add_batch(sketch, &all, &error));
    return sketch;
}

static void check_planned(const integers *of, const ink_params *kinds, size_t kind_count,
                          const ink_label *label, const records_bytes *text,
                          const ink_reading *reading, ink_job job)
{
    const ink_input         input = {.memory = text->bytes, .memory_bytes = text->count};
    const ink_build_options options = {.kinds = kinds, .kind_count = kind_count};
    ink_entry               entries[4];
    owned_set              *set;

    for (size_t i = 0; i < kind_count; i++)
        entries[i] = (ink_entry){*label, sketch_of(of, kinds[i])};
    records_digest expected = digest_of(entries, kind_count);
    CHECK_OK(ink_build(&set, &input, 1, reading, &options, &job, &error));
    assert_int_equal(job.records, of->count);
    records_digest got = records_digest_of_set(set);
    if (!records_same(&got, &expected))
        fail_msg("%s of %llu different keys, %u threads, memory %llu: expected to be planned for "
                 "%llu",
                 kinds[0].kind, (unsigned long long)of->different, job.threads,
                 (unsigned long long)job.memory_bytes, (unsigned long long)of->planned);
}

static records_bytes as_u64(const integers *of)
{
    records_bytes text = {0};

    for (size_t i = 0; i < of->count; i++) {
        uint8_t bytes[8];
        for (int byte = 0; byte < 8; byte++)
            bytes[byte] = (uint8_t)((uint64_t)of->keys[i] >> 8 * byte);
        records_put(&text, bytes, 8);
    }
    return text;
}

TEST(sizes_are_exact_up_to_2_to_the_20_and_then_estimated)
{
    const uint64_t    sizes[] = {LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + LIMIT / 20};
    const ink_params  one[] = {{.kind = "bloom"}};
    const ink_params  more[] = {{.kind = "counting"}, {.kind = "bloom"}, {.kind = "classic"}};
    const ink_reading reading = {.form = INK_FORM_U64};

    for (size_t i = records_light() ? 2 : 0; i < 4; i++) {
        owned_integers of = make_integers(sizes[i]);
        owned_bytes    text = as_u64(&of);
        if (sizes[i] <= LIMIT)
            assert_int_equal(of.planned, sizes[i]);
        else
            CHECK(of.planned > LIMIT && of.planned < sizes[i] / 50 * 51);
        check_planned(&of, one, 1, &(ink_label){0}, &text, &reading, (ink_job){.threads = 1});
        check_planned(&of, one, 1, &(ink_label){0}, &text, &reading, (ink_job){.threads = 3});
        if (i >= 2) /* kinds for which repeats matter; on disk */
            check_planned(&of, more, 3, &(ink_label){0}, &text, &reading,
                          (ink_job){.threads = 2, .memory_bytes = 1 << 20, .temp_folder = "."});
    }
}

/* Lines "key|other": the second column is a group, or a weight. */
static records_bytes as_lines(const integers *of, const char *other)
{
    records_bytes text = {0};

    for (size_t k = 0; k < of->count; k++)
        records_say(&text, "%lld|%s\n", (long long)of->keys[k], other);
    return text;
}

static ink_reading read_lines(const char *by, const char *weight)
{
    static const char *const key[] = {"1"};

    return (ink_reading){.form = INK_FORM_LINES,
                         .delimiter = '|',
                         .key = key,
                         .key_count = 1,
                         .keys = INK_KEYS_INT,
                         .by = by,
                         .weight = weight};
}

TEST(sizes_of_groups_follow_the_same_rule)
{
    const uint64_t    sizes[] = {LIMIT, LIMIT + 1, LIMIT + LIMIT / 20};
    const ink_params  one[] = {{.kind = "bloom"}}, more[] = {{.kind = "counting"}};
    const ink_reading reading = read_lines("2", NULL);
    const ink_label   label = ink_group("g");

    for (size_t i = 0; i < (records_light() ? 1 : 3); i++) {
        owned_integers of = make_integers(sizes[i]);
        owned_bytes    text = as_lines(&of, "g");
        check_planned(&of, one, 1, &label, &text, &reading, (ink_job){.threads = 2});
        if (i == 1)
            check_planned(&of, more, 1, &label, &text, &reading, (ink_job){.threads = 2});
    }
}

TEST(sizes_of_keys_with_weights_follow_the_same_rule)
{
    const ink_params  kinds[] = {{.kind = "counting"}, {.kind = "bloom"}};
    const ink_reading reading = read_lines(NULL, "2");
    owned_integers    of = make_integers(LIMIT + LIMIT / 20);
    owned_bytes       text = as_lines(&of, "1");

    check_planned(&of, kinds, 2, &(ink_label){0}, &text, &reading, (ink_job){.threads = 1});
    check_planned(&of, kinds, 2, &(ink_label){0}, &text, &reading,
                  (ink_job){.threads = 3, .memory_bytes = 1 << 20, .temp_folder = "."});
}

/* The hash of a filter of Guava, of ints mix64 without a seed, is none that an hll can have. */
TEST(sizes_of_filters_of_other_systems_follow_the_same_rule)
{
    const ink_params  guava[] = {{.kind = "classic", .hash = "guava"}};
    const ink_reading reading = {.form = INK_FORM_U64};
    owned_integers    of = make_integers(LIMIT + LIMIT / 20);
    owned_bytes       text = as_u64(&of);

    of.planned = planned_with(&of, "mix64");
    for (unsigned threads = 1; threads <= 3; threads += 2)
        check_planned(&of, guava, 1, &(ink_label){0}, &text, &reading,
                      (ink_job){.threads = threads});
}

TEST(seeded_murmur_counts_records_and_not_keys)
{
    static const ink_params kind = {.kind = "classic", .hash = "mmh3"};
    owned_set              *set = records_build("a\na\nb\na\n", 8, &(ink_reading){0}, &kind, 1);
    ink_entry               entry;
    ink_description         description;

    CHECK_OK(ink_set_entry(set, 0, &entry, &error));
    ink_sketch_describe(entry.sketch, &description);
    assert_int_equal(description.expected_keys, 4);
    assert_int_equal(description.records, 4);
}

/* ---- Stretches ---------------------------------------------------------------------------- */

#define STRETCH_BYTES ((uint64_t)64 << 20)

/* Long records, so that there are few of them in a segment: key, tab, group, tab, padding. */
typedef struct long_records {
    records_rows  rows;
    uint64_t     *starts;
    records_bytes text;
} long_records;

static long_records make_long_records(void)
{
    long_records of = {.rows = {.grouped = true}};
    char         padding[2000], key[32], group[8];

    memset(padding, '.', sizeof padding);
    of.text.room = (size_t)STRETCH_BYTES * 2 + (10 << 20);
    of.text.bytes = malloc(of.text.room);
    of.starts = malloc(400000 * sizeof *of.starts);
    CHECK(of.text.bytes != NULL && of.starts != NULL);
    while (of.text.count < 2 * STRETCH_BYTES + (8 << 20)) {
        uint64_t skewed = records_below(&chance, 1 + records_below(&chance, 2000));
        size_t   some = 1 + (size_t)records_below(&chance, sizeof padding);
        snprintf(key, sizeof key, "key %llu", (unsigned long long)skewed);
        snprintf(group, sizeof group, "%u", (unsigned)records_below(&chance, 3));
        of.starts[of.rows.count] = of.text.count;
        records_say(&of.text, "%s\t%s\t", key, group);
        records_put(&of.text, padding, some);
        records_put(&of.text, "\n", 1);
        records_add_text(&of.rows, key, group, 1);
        CHECK(of.rows.count < 400000);
    }
    return of;
}

/* The sketch of one group (NULL: of all), segment after segment; or without segments. */
static ink_sketch *by_stretches(const long_records *of, const ink_params *params, const char *group,
                                uint64_t segment_bytes)
{
    ink_sketch *whole = NULL, *part = NULL;

    for (uint64_t segment = 0; segment * segment_bytes < of->text.count; segment++) {
        CHECK_OK(ink_sketch_create(&part, params, NULL, &error));
        for (size_t i = 0; i < of->rows.count; i++)
            if (of->starts[i] / segment_bytes == segment &&
                (group == NULL || of->rows.bytes.bytes[of->rows.rows[i].group] == group[0]))
                records_add_row(part, &of->rows, &of->rows.rows[i]);
        if (whole == NULL)
            whole = part;
        else {
            CHECK_OK(ink_sketch_merge(whole, part, NULL, &error));
            ink_sketch_free(part);
        }
    }
    return whole;
}

static const ink_params ordered_kinds[] = {
    {.kind = "top", .phi = 0.02},
    {.kind = "count-min", .width = 100, .depth = 3, .conservative = true},
    {.kind = "scalable", .expected_keys = 64},
};

/* All entries by hand: three kinds, of all records or of each group. */
static records_digest stretches_by_hand(const long_records *of, bool grouped, uint64_t segment)
{
    static const char *const groups[] = {"0", "1", "2"};
    ink_entry                entries[9];
    size_t                   count = 0;

    for (size_t k = 0; k < 3; k++)
        for (size_t g = 0; g < (grouped ? 3 : 1); g++)
            entries[count++] = (ink_entry){
                grouped ? ink_group(groups[g]) : (ink_label){0},
                by_stretches(of, &ordered_kinds[k], grouped ? groups[g] : NULL,
                             k == 2 ? UINT64_MAX : segment)}; /* a scalable has one writer */
    return digest_of(entries, count);
}

/* The records in one piece, or in three of which none ends with a segment. */
static size_t pieces(const long_records *of, bool several, ink_input inputs[3])
{
    uint64_t first = of->starts[of->rows.count / 3], second = of->starts[of->rows.count / 2];

    inputs[0] = (ink_input){.memory = of->text.bytes, .memory_bytes = of->text.count};
    if (!several)
        return 1;
    inputs[0].memory_bytes = first;
    inputs[1] = (ink_input){.memory = of->text.bytes + first, .memory_bytes = second - first};
    inputs[2] =
        (ink_input){.memory = of->text.bytes + second, .memory_bytes = of->text.count - second};
    return 3;
}

TEST(ordered_kinds_are_made_of_stretches_of_64_mib_merged_in_order)
{
    static const char *const key[] = {"1"};
    long_records             of = make_long_records();
    const ink_build_options  options = {.kinds = ordered_kinds, .kind_count = 3};
    const unsigned           threads[] = {1, 2, 3, 8};

    for (unsigned grouped = 0; grouped < 2; grouped++) {
        records_digest    expected = stretches_by_hand(&of, grouped, STRETCH_BYTES);
        records_digest    without = stretches_by_hand(&of, grouped, UINT64_MAX);
        const ink_reading reading = {
            .form = INK_FORM_TSV, .key = key, .key_count = 1, .by = grouped ? "2" : NULL};
        CHECK(!records_same(&expected, &without)); /* else this test would say nothing */
        for (unsigned i = 0; i < (records_light() ? 2 : 4); i++) {
            ink_input  inputs[3];
            size_t     count = pieces(&of, i % 2 == 1, inputs);
            ink_job    job = {.threads = threads[i],
                              .chunk_bytes = 10000 + records_below(&chance, 3 << 20)};
            owned_set *set;
            CHECK_OK(ink_build(&set, inputs, count, &reading, &options, &job, &error));
            records_digest got = records_digest_of_set(set);
            if (!records_same(&got, &expected))
                fail_msg("%u threads, chunks of %llu, grouped %u: another file", job.threads,
                         (unsigned long long)job.chunk_bytes, grouped);
        }
    }
    free(of.starts);
    records_bytes_free(&of.text);
    records_rows_free(&of.rows);
}

/* ---- Progress ----------------------------------------------------------------------------- */

/* Called by threads of the job, which must not fail the test themselves. */
typedef struct watcher {
    unsigned     calls, stop_at, wrong;
    ink_progress last;
} watcher;

static bool watch(void *host, const ink_progress *progress)
{
    watcher *mine = host;

    mine->wrong += progress->done < mine->last.done && progress->phase == mine->last.phase;
    mine->wrong += progress->seconds < mine->last.seconds;
    mine->wrong += progress->total != 0 && progress->done > progress->total;
    mine->last = *progress;
    return ++mine->calls != mine->stop_at;
}

/* The first numbers, of 32 bits. */
static records_bytes numbers(int count)
{
    records_bytes text = {0};

    for (int i = 0; i < count; i++)
        records_put(&text, (uint8_t[]){(uint8_t)i, (uint8_t)(i >> 8), 0, 0}, 4);
    return text;
}

TEST(a_job_reports_its_progress_and_stops_when_told)
{
    static const ink_params kinds[] = {{.kind = "bloom"}, {.kind = "scalable"}};
    owned_bytes             text = numbers(20000);
    ink_set                *set;

    const ink_input   input = {.memory = text.bytes, .memory_bytes = text.count};
    const ink_reading reading = {.form = INK_FORM_U32};
    records_slow_clock_begin();
    for (unsigned i = 0; i < 8; i++) {
        const ink_build_options options = {.kinds = &kinds[i / 4], .kind_count = 1};
        watcher                 mine = {0}, stopper = {.stop_at = 1 + 10 * i};
        ink_job job = {.threads = 1 + i % 4, .chunk_bytes = 64, .progress = watch, .host = &mine};
        CHECK_OK(ink_build(&set, &input, 1, &reading, &options, &job, &error));
        CHECK(mine.calls >= 1000); /* there are 1250 chunks */
        assert_int_equal(mine.wrong, 0);
        ink_set_free(set);
        job.host = &stopper;
        CHECK_FAILS(ink_build(&set, &input, 1, &reading, &options, &job, &error), INK_STOPPED, "");
        /* Threads that were at work meanwhile may report progress. */
        CHECK(stopper.calls >= stopper.stop_at && stopper.calls < stopper.stop_at + job.threads);
        assert_null(job.failed_path);
    }
    records_slow_clock_end();
}

TEST(groups_that_threads_divide_are_part_of_one_progress)
{
    enum { ROWS = 300000, GROUPS = 3 };
    static const char *const key[] = {"2"};
    const ink_params         kind = {.kind = "bloom"};
    const ink_build_options  options = {.kinds = &kind, .kind_count = 1};
    const ink_reading reading = {.form = INK_FORM_TSV, .key = key, .key_count = 1, .by = "1"};
    owned_bytes       text = {0};
    char              line[32];

    for (unsigned i = 0; i < GROUPS * ROWS; i++)
        records_put(&text, line, (size_t)sprintf(line, "%u\t%u\n", i % GROUPS, i));
    const ink_input input = {.memory = text.bytes, .memory_bytes = text.count};
    records_slow_clock_begin();
    for (unsigned threads = 1; threads <= 4; threads++) {
        watcher  mine = {0};
        ink_job  job = {.threads = threads, .progress = watch, .host = &mine};
        ink_set *set;
        CHECK_OK(ink_build(&set, &input, 1, &reading, &options, &job, &error));
        assert_int_equal(mine.wrong, 0);
        CHECK(mine.last.phase == INK_PHASE_FILLING && mine.last.done == mine.last.total);
        ink_set_free(set);
    }
    records_slow_clock_end();
}

/* Counts the reports of a filter and a verification, and stops them. */
TEST(questions_report_their_progress_and_stop_when_told)
{
    static const ink_params kind = {.kind = "bloom", .false_positive_rate = 0.2};
    const ink_reading       reading = {.form = INK_FORM_U32};
    owned_bytes             text = numbers(5000);
    owned_set              *set = records_build(text.bytes, text.count, &reading, &kind, 1);
    ink_verification       *verification;
    ink_filter_report       report;

    const ink_input input = {.memory = text.bytes, .memory_bytes = text.count};
    owned_file      file = records_encode(set);
    records_slow_clock_begin();
    for (unsigned i = 0; i < 8; i++) {
        watcher mine = {.stop_at = i < 4 ? 0 : 3};
        ink_job job = {.threads = 1 + i % 4, .chunk_bytes = 64, .progress = watch, .host = &mine};
        ink_status status = ink_filter(file.file, &input, 1, &reading, &(ink_filter_options){0},
                                       NULL, &report, &job, &error);
        assert_int_equal(status, i < 4 ? INK_OK : INK_STOPPED);
        CHECK(mine.calls >= (i < 4 ? 300 : 3) && mine.wrong == 0);
        mine = (watcher){.stop_at = i < 4 ? 0 : 320}; /* there are 313 chunks to be read */
        status = ink_verify(&verification, file.file, &input, 1, &reading,
                            &(ink_verify_options){.tests_max = 1 << 20}, &job, &error);
        CHECK(mine.last.phase == INK_PHASE_TESTING || status == INK_STOPPED);
        assert_int_equal(status, mine.calls < 320 || i < 4 ? INK_OK : INK_STOPPED);
        assert_int_equal(mine.wrong, 0);
        if (status == INK_OK)
            ink_verification_free(verification);
    }
    records_slow_clock_end();
}

/* The digest of a sketch made by hand from the same integers. */
static void check_by_hand(const ink_set *set, size_t index, ink_params params, const int64_t *keys,
                          size_t count)
{
    uint8_t       expected[INK_DIGEST_BYTES], got[INK_DIGEST_BYTES];
    ink_batch     batch = {.count = count, .ints = keys};
    owned_sketch *sketch;
    ink_entry     entry;

    params.key_type = INK_KEY_INT;
    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    CHECK_OK(ink_sketch_digest(sketch, expected, &error));
    CHECK_OK(ink_set_entry(set, index, &entry, &error));
    CHECK_OK(ink_sketch_digest(entry.sketch, got, &error));
    assert_memory_equal(got, expected, sizeof got);
}

TEST(large_filters_are_filled_through_buffers_and_are_the_same)
{
    enum { KEYS = 400000, DIFFERENT = 300000, MANY = 5000000 };
    /* The first is above 12 MiB: its hashes are sorted roughly on the way. The second has a size
     * that follows from the keys, of which some come twice. */
    ink_params     kinds[] = {{.kind = "bloom", .expected_keys = 12000000}, {.kind = "counting"}};
    static uint8_t bytes[8 * MANY];
    static int64_t keys[MANY];

    for (uint64_t i = 0; i < MANY; i++) {
        keys[i] = (int64_t)((i < KEYS ? i % DIFFERENT : i) * 0x9e3779b97f4a7c15u);
        for (unsigned b = 0; b < 8; b++)
            bytes[8 * i + b] = (uint8_t)((uint64_t)keys[i] >> 8 * b);
    }
    const ink_input         input = {.memory = bytes, .memory_bytes = 8 * KEYS};
    const ink_input         large = {.memory = bytes, .memory_bytes = sizeof bytes};
    const ink_reading       reading = {.form = INK_FORM_U64};
    const ink_build_options bloom = {.kinds = kinds, .kind_count = 1};
    ink_job                 one = {.threads = 1};
    owned_set              *filled;
    for (unsigned threads = 1; threads <= 3; threads++)
        for (size_t count = 1; count <= 2; count++) {
            const ink_build_options options = {.kinds = kinds, .kind_count = count};
            ink_job                 job = {.threads = threads, .chunk_bytes = 100000};
            owned_set              *set;
            CHECK_OK(ink_build(&set, &input, 1, &reading, &options, &job, &error));
            check_by_hand(set, 0, kinds[0], keys, KEYS);
            if (count == 2)
                check_by_hand(set, 1, (ink_params){.kind = "counting", .expected_keys = DIFFERENT},
                              keys, KEYS);
        }
    /* Enough for buffers to fill and be flushed on the way. */
    CHECK_OK(ink_build(&filled, &large, 1, &reading, &bloom, &one, &error));
    check_by_hand(filled, 0, kinds[0], keys, MANY);
}

RUN_TESTS()
