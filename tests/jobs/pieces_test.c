/* pieces_test.c - a build in pieces gives the file of a build in one: whatever the maps, buckets
 * and ranges, whatever was measured before, for every kind that does not depend on order; and
 * pieces that are damaged, or of another job, are refused.
 * With INK_TEST_LIGHT set, fewer ways are tried. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ink_error error;
static uint64_t  chance = 77;

/* ---- Pieces that wait --------------------------------------------------------------------- */

typedef struct piece {
    uint32_t bucket;
    uint8_t *bytes;
    size_t   count;
} piece;

typedef struct pile {
    piece *list;
    size_t count;
    size_t largest;
} pile;

static int keep(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    pile *to = host;

    to->list = realloc(to->list, (to->count + 1) * sizeof *to->list);
    assert_non_null(to->list);
    piece one = {.bucket = bucket, .bytes = malloc(count), .count = count};
    assert_non_null(one.bytes);
    memcpy(one.bytes, bytes, count);
    to->list[to->count++] = one;
    to->largest = count > to->largest ? count : to->largest;
    return 0;
}

static ink_piece_sink sink_of(pile *to)
{
    return (ink_piece_sink){.take = keep, .host = to};
}

static void free_pile(pile *of)
{
    for (size_t i = 0; i < of->count; i++)
        free(of->list[i].bytes);
    free(of->list);
    *of = (pile){0};
}

/* Pieces may come in any order. */
static void shuffle(pile *of)
{
    for (size_t i = of->count; i > 1; i--) {
        size_t j = (size_t)records_below(&chance, i);
        piece  swapped = of->list[i - 1];
        of->list[i - 1] = of->list[j];
        of->list[j] = swapped;
    }
}

/* ---- A job -------------------------------------------------------------------------------- */

typedef struct task {
    const ink_reading *reading;
    ink_pieces_options options;
    records_bytes      text;
    unsigned           maps;
    bool               count, measure, relay;
    ink_job            job;
    size_t             largest; /* set: of all pieces */
} task;

typedef ink_status mapper(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                          const ink_pieces_options *options, const ink_piece_sink *sink,
                          ink_job *job, ink_error *error);

/* Cuts the text at the ends of records by chance, and maps each part. */
static void map_all(task *of, mapper *map, pile *to)
{
    size_t               at = 0;
    const ink_piece_sink sink = sink_of(to);

    for (unsigned m = 0; m < of->maps; m++) {
        size_t left = of->text.count - at;
        size_t some = m + 1 == of->maps ? left : (size_t)records_below(&chance, left + 1);
        while (some > 0 && some < left && of->text.bytes[at + some - 1] != '\n')
            some++;
        const ink_input input = {.memory = of->text.bytes == NULL ? (const uint8_t *)""
                                                                  : of->text.bytes + at,
                                 .memory_bytes = some};
        ink_job         job = of->job;
        CHECK_OK(map(&input, 1, of->reading, &of->options, &sink, &job, &error));
        at += some;
    }
    shuffle(to);
    of->largest = to->largest > of->largest ? to->largest : of->largest;
}

typedef ink_status ender(ink_reducer *reducer, const ink_piece_sink *sink, ink_error *error);

/* One reducer for each bucket. */
static void reduce_all(task *of, const pile *from, ender *end, pile *to)
{
    const ink_piece_sink sink = sink_of(to);

    for (uint32_t bucket = 0; bucket < of->options.buckets; bucket++) {
        ink_reducer *reducer;
        size_t       taken = 0;
        CHECK_OK(ink_reducer_open(&reducer, of->reading, &of->options, &of->job, &error));
        for (size_t i = 0; i < from->count; i++)
            if (from->list[i].bucket == bucket) {
                CHECK_OK(
                    ink_reducer_add(reducer, from->list[i].bytes, from->list[i].count, &error));
                taken++;
            }
        if (taken > 0) /* a cluster has no task for a bucket without pieces */
            CHECK_OK(end(reducer, &sink, &error));
        ink_reducer_close(reducer);
    }
    of->largest = to->largest > of->largest ? to->largest : of->largest;
}

static ink_sizes *sizes_of(const pile *measures)
{
    ink_sizes *first, *sizes;
    uint8_t   *bytes;
    size_t     count;

    CHECK_OK(ink_sizes_open(&first, NULL, &error));
    for (size_t i = 0; i < measures->count; i++)
        CHECK_OK(ink_sizes_add(first, measures->list[i].bytes, measures->list[i].count, &error));
    CHECK_OK(ink_sizes_encode(first, &bytes, &count, &error)); /* they travel to all tasks */
    ink_sizes_close(first);
    CHECK_OK(ink_sizes_open(&sizes, NULL, &error));
    CHECK_OK(ink_sizes_add(sizes, bytes, count, &error));
    ink_bytes_free(bytes, count, NULL);
    return sizes;
}

static records_digest assemble(const pile *finished)
{
    const char   *path = "assembled.ink";
    ink_assembly *assembly;
    ink_file     *file;

    CHECK_OK(ink_assembly_open(&assembly, NULL, NULL, &error));
    for (size_t i = 0; i < finished->count; i++)
        CHECK_OK(
            ink_assembly_add(assembly, finished->list[i].bytes, finished->list[i].count, &error));
    CHECK_OK(ink_assembly_save(assembly, path, NULL, NULL, 0, &error));
    ink_assembly_close(assembly);
    CHECK_OK(ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, &error));
    records_digest digest = records_digest_of(file);
    ink_file_close(file);
    return digest;
}

static records_digest in_pieces(task *of)
{
    pile       kept = {0}, counts = {0}, measures = {0}, finished = {0};
    ink_sizes *counted = NULL, *measured = NULL;

    if (of->count)
        map_all(of, ink_map_count, &counts);
    if (of->count)
        of->options.counts = counted = sizes_of(&counts);
    map_all(of, ink_map, &kept);
    if (of->relay) {
        pile relayed = {0};
        reduce_all(of, &kept, ink_reducer_relay, &relayed);
        free_pile(&kept);
        kept = relayed;
    }
    if (of->measure)
        reduce_all(of, &kept, ink_reducer_measure, &measures);
    if (of->measure)
        of->options.sizes = measured = sizes_of(&measures);
    reduce_all(of, &kept, ink_reducer_finish, &finished);
    shuffle(&finished);
    records_digest digest = assemble(&finished);
    of->options.sizes = of->options.counts = NULL;
    ink_sizes_close(counted);
    ink_sizes_close(measured);
    free_pile(&kept);
    free_pile(&counts);
    free_pile(&measures);
    free_pile(&finished);
    return digest;
}

static records_digest in_one(const task *of)
{
    const ink_input input = {.memory =
                                 of->text.bytes == NULL ? (const uint8_t *)"" : of->text.bytes,
                             .memory_bytes = of->text.count};
    ink_job         job = of->job;
    ink_set        *set;

    CHECK_OK(ink_build(&set, &input, 1, of->reading, of->options.build, &job, &error));
    records_file   file = records_encode(set);
    records_digest digest = records_digest_of(file.file);
    records_file_close(&file);
    ink_set_free(set);
    return digest;
}

static bool is_sized(const ink_params *kind)
{
    ink_kind_info info;

    CHECK_OK(ink_kind_describe(kind->kind, &info, &error));
    return info.sized_by_keys && kind->expected_keys == 0 && kind->bits == 0;
}

/* Tries all ways to build this in pieces that there are. */
static void check_all_ways(task of, const char *what)
{
    static const uint32_t buckets[] = {1, 2, 8};
    records_digest        expected = in_one(&of);
    bool                  records = of.options.build->kinds[0].hash != NULL;
    bool                  sized = false;

    for (size_t k = 0; k < of.options.build->kind_count; k++)
        sized = sized || is_sized(&of.options.build->kinds[k]);

    for (int ranged = 0; ranged < 2; ranged++)
        for (size_t b = 0; b < (records_light() ? 2 : 3); b++)
            for (int relay = 0; relay < 2; relay++) {
                of.options.ranged = ranged == 1;
                of.options.buckets = buckets[b];
                of.relay = relay == 1;
                of.maps = 1 + (unsigned)records_below(&chance, 5);
                of.measure = sized && of.options.ranged;
                of.count = sized && (records || (of.options.ranged && of.reading->by != NULL &&
                                                 records_below(&chance, 2) == 0));
                if (records && of.options.ranged)
                    continue;
                records_digest got = in_pieces(&of);
                if (!records_same(&got, &expected))
                    fail_msg("%s: %u maps, %u buckets%s%s%s%s: another digest", what, of.maps,
                             of.options.buckets, of.options.ranged ? ", ranged" : "",
                             of.count ? ", counted" : "", of.measure ? ", measured" : "",
                             of.relay ? ", relayed" : "");
            }
}

/* ---- Data --------------------------------------------------------------------------------- */

/* Lines of a key, a group and a weight, with many repeats. */
static records_bytes lines(size_t count, uint64_t keys, uint64_t groups)
{
    records_bytes text = {0};

    for (size_t i = 0; i < count; i++) {
        uint64_t group = records_below(&chance, groups);
        group = group == 0 ? 0 : records_below(&chance, group + 1); /* some are larger */
        records_say(&text, "key %llu,g%llu,%llu\n",
                    (unsigned long long)records_below(&chance, keys), (unsigned long long)group,
                    (unsigned long long)records_below(&chance, 20));
    }
    return text;
}

static const char *const first_column[] = {"1"};
static const ink_reading plain = {.form = INK_FORM_CSV, .key = first_column, .key_count = 1};
static const ink_reading grouped = {
    .form = INK_FORM_CSV, .key = first_column, .key_count = 1, .by = "2"};
static const ink_reading weighted = {
    .form = INK_FORM_CSV, .key = first_column, .key_count = 1, .weight = "3"};
static const ink_reading both = {
    .form = INK_FORM_CSV, .key = first_column, .key_count = 1, .by = "2", .weight = "3"};

static void check_kinds(const ink_params *kinds, size_t count, const ink_reading *reading,
                        records_bytes text, uint64_t slice_bytes, const char *what)
{
    const ink_build_options build = {.kinds = kinds, .kind_count = count};
    task                    of = {
                           .reading = reading,
                           .options = {.build = &build, .piece_bytes = 4096, .slice_bytes = slice_bytes},
                           .text = text,
                           .job = {.threads = 1},
    };

    check_all_ways(of, what);
}

static const ink_params kinds_without_weights[] = {
    {.kind = "bloom"},
    {.kind = "bloom", .expected_keys = 3000},
    {.kind = "bloom", .bits = 8192},
    {.kind = "classic", .false_positive_rate = 1e-3},
    {.kind = "classic", .hash = "mmh3"},
    {.kind = "classic", .expected_keys = 50},
    {.kind = "fm"},
    {.kind = "hll"},
};
static const ink_params kinds_with_weights[] = {
    {.kind = "counting"},
    {.kind = "counting", .expected_keys = 3000},
    {.kind = "count-min", .width = 300, .depth = 3},
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void every_kind_has_the_digest_of_a_build_in_one(void **state)
{
    records_bytes text = lines(3000, 1200, 7);

    (void)state;
    for (size_t i = 0; i < COUNT(kinds_without_weights); i++) {
        check_kinds(&kinds_without_weights[i], 1, &plain, text, 0, kinds_without_weights[i].kind);
        check_kinds(&kinds_without_weights[i], 1, &grouped, text, 0, kinds_without_weights[i].kind);
    }
    for (size_t i = 0; i < COUNT(kinds_with_weights); i++) {
        check_kinds(&kinds_with_weights[i], 1, &plain, text, 0, kinds_with_weights[i].kind);
        check_kinds(&kinds_with_weights[i], 1, &grouped, text, 0, kinds_with_weights[i].kind);
        check_kinds(&kinds_with_weights[i], 1, &weighted, text, 0, kinds_with_weights[i].kind);
        check_kinds(&kinds_with_weights[i], 1, &both, text, 0, kinds_with_weights[i].kind);
    }
    records_bytes_free(&text);
}

static void several_kinds_in_one_pass(void **state)
{
    const ink_params some[] = {{.kind = "bloom"}, {.kind = "counting"}, {.kind = "hll"}};
    const ink_params more[] = {{.kind = "bloom", .expected_keys = 500},
                               {.kind = "classic"},
                               {.kind = "count-min", .width = 100, .depth = 2},
                               {.kind = "fm"}};
    records_bytes    text = lines(3000, 1200, 7);

    (void)state;
    check_kinds(some, COUNT(some), &plain, text, 0, "bloom, counting, hll");
    check_kinds(some, COUNT(some), &grouped, text, 0, "bloom, counting, hll");
    check_kinds(more, COUNT(more), &plain, text, 0, "bloom, classic, count-min, fm");
    check_kinds(more, COUNT(more), &both, text, 0, "bloom, classic, count-min, fm");
    records_bytes_free(&text);
}

static void large_sketches_are_cut(void **state)
{
    const ink_params large[] = {
        {.kind = "bloom", .expected_keys = 100000},
        {.kind = "bloom", .false_positive_rate = 1e-4},
        {.kind = "counting", .expected_keys = 30000},
        {.kind = "classic", .expected_keys = 90000},
        {.kind = "count-min", .width = 30000, .depth = 4},
        {.kind = "count-min", .width = 30000, .depth = 2, .counter_bits = 64}};
    records_bytes text = lines(8000, 6000, 3);

    (void)state;
    for (size_t i = 0; i < COUNT(large); i++) {
        check_kinds(&large[i], 1, &plain, text, 1000, large[i].kind);
        check_kinds(&large[i], 1, &grouped, text, 1000, large[i].kind);
    }
    records_bytes_free(&text);
}

/* Slices of one kind go round all buckets, and leave others alone. */
static void large_and_small_kinds_in_one_pass(void **state)
{
    const ink_params mixed[] = {{.kind = "bloom"},
                                {.kind = "count-min", .width = 3000, .depth = 3}};
    const ink_params planned[] = {{.kind = "bloom", .expected_keys = 90000},
                                  {.kind = "counting"},
                                  {.kind = "classic", .expected_keys = 50000},
                                  {.kind = "hll"}};
    records_bytes    text = lines(3000, 1200, 7);

    (void)state;
    check_kinds(mixed, COUNT(mixed), &plain, text, 256, "bloom, count-min");
    check_kinds(mixed, COUNT(mixed), &grouped, text, 256, "bloom, count-min");
    check_kinds(planned, COUNT(planned), &plain, text, 256, "bloom, counting, classic, hll");
    check_kinds(planned, COUNT(planned), &grouped, text, 256, "bloom, counting, classic, hll");
    records_bytes_free(&text);
}

/* Far fewer keys than ranges: most of a large filter is never touched. */
static void nearly_empty_large_sketches(void **state)
{
    const ink_params large = {.kind = "bloom", .expected_keys = 1000000};
    records_bytes    text = lines(3, 3, 1), none = {0};

    (void)state;
    check_kinds(&large, 1, &plain, text, 1000, "bloom of three keys");
    check_kinds(&large, 1, &plain, none, 1000, "bloom of no keys");
    records_bytes_free(&text);
}

static void no_records_make_empty_sketches(void **state)
{
    const ink_params kinds[] = {{.kind = "bloom"}, {.kind = "hll"}, {.kind = "counting"}};
    records_bytes    none = {0};

    (void)state;
    check_kinds(kinds, COUNT(kinds), &plain, none, 0, "nothing");
    check_kinds(kinds, COUNT(kinds), &grouped, none, 0, "nothing, by group");
}

static void pieces_are_as_small_as_was_asked_for(void **state)
{
    const ink_params        kinds[] = {{.kind = "bloom"}, {.kind = "hll", .precision = 8}};
    const ink_build_options build = {.kinds = kinds, .kind_count = 2};
    task                    of = {
                           .reading = &grouped,
                           .options = {.build = &build, .buckets = 3, .piece_bytes = 8192, .slice_bytes = 4096},
                           .text = lines(20000, 20000, 300),
                           .maps = 3,
                           .job = {.threads = 2},
    };

    (void)state;
    records_digest expected = in_one(&of), got = in_pieces(&of);
    assert_true(records_same(&got, &expected));
    assert_in_range(of.largest, 1, 8192);
    records_bytes_free(&of.text);
}

/* ---- What is refused ---------------------------------------------------------------------- */

/* A piece of some job. */
static pile some_pieces(const ink_reading *reading, const ink_build_options *build)
{
    pile                     to = {0};
    const ink_piece_sink     sink = sink_of(&to);
    const ink_pieces_options options = {.build = build};
    records_bytes            text = lines(5, 5, 2);
    const ink_input          input = {.memory = text.bytes, .memory_bytes = text.count};
    ink_job                  job = {0};

    CHECK_OK(ink_map(&input, 1, reading, &options, &sink, &job, &error));
    records_bytes_free(&text);
    return to;
}

static void every_flipped_bit_is_found(void **state)
{
    const ink_params         kinds[] = {{.kind = "bloom"}, {.kind = "hll"}};
    const ink_build_options  build = {.kinds = kinds, .kind_count = 2};
    const ink_pieces_options options = {.build = &build};
    pile                     pieces = some_pieces(&plain, &build);
    const ink_job            job = {0};
    ink_reducer             *reducer;

    (void)state;
    CHECK_OK(ink_reducer_open(&reducer, &plain, &options, &job, &error));
    for (size_t p = 0; p < pieces.count; p++)
        for (size_t bit = 0; bit < 8 * pieces.list[p].count; bit++) {
            pieces.list[p].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            ink_status status =
                ink_reducer_add(reducer, pieces.list[p].bytes, pieces.list[p].count, &error);
            assert_true(status == INK_FORMAT || status == INK_MISMATCH);
            pieces.list[p].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    for (size_t cut = 0; cut < pieces.list[0].count; cut++)
        assert_int_equal(ink_reducer_add(reducer, pieces.list[0].bytes, cut, &error), INK_FORMAT);
    ink_reducer_close(reducer);
    free_pile(&pieces);
}

static void pieces_of_another_job_are_refused(void **state)
{
    const ink_params bloom = {.kind = "bloom"},
                     finer = {.kind = "bloom", .false_positive_rate = 1e-3};
    const ink_build_options build = {.kinds = &bloom, .kind_count = 1},
                            other = {.kinds = &finer, .kind_count = 1};
    const ink_pieces_options options = {.build = &build};
    pile          rate = some_pieces(&plain, &other), groups = some_pieces(&grouped, &build);
    const ink_job job = {0};
    ink_reducer  *reducer;

    (void)state;
    CHECK_OK(ink_reducer_open(&reducer, &plain, &options, &job, &error));
    CHECK_FAILS(ink_reducer_add(reducer, rate.list[0].bytes, rate.list[0].count, &error),
                INK_MISMATCH, "another job");
    CHECK_FAILS(ink_reducer_add(reducer, groups.list[0].bytes, groups.list[0].count, &error),
                INK_MISMATCH, "another job");
    ink_reducer_close(reducer);
    free_pile(&rate);
    free_pile(&groups);
}

static void scalable_cannot_be_built_in_parts(void **state)
{
    const ink_params         kind = {.kind = "scalable"};
    const ink_build_options  build = {.kinds = &kind, .kind_count = 1};
    const ink_pieces_options options = {.build = &build};
    const ink_input          input = {.memory = (const uint8_t *)"a\n", .memory_bytes = 2};
    const ink_reading        reading = {0};
    pile                     to = {0};
    const ink_piece_sink     sink = sink_of(&to);
    ink_job                  job = {0};
    ink_pieces_plan          plan;

    (void)state;
    CHECK_FAILS(ink_map(&input, 1, &reading, &options, &sink, &job, &error), INK_UNSUPPORTED,
                "expected bloom");
    CHECK_FAILS(ink_pieces_plan_for(&reading, &build, 0, 2, 0, &plan, &error), INK_UNSUPPORTED,
                "expected bloom");
}

static void plans_say_how_it_is_done(void **state)
{
    const ink_params bloom = {.kind = "bloom"},
                     large = {.kind = "bloom", .expected_keys = 100000000};
    const ink_params mmh3 = {.kind = "classic", .hash = "mmh3"};
    ink_pieces_plan  plan;

    (void)state;
    CHECK_OK(ink_pieces_plan_for(&plain, &(ink_build_options){.kinds = &bloom, .kind_count = 1},
                                 1000, 4, 0, &plan, &error));
    assert_true(!plan.measure && !plan.ranged && plan.buckets == 1);
    CHECK_OK(ink_pieces_plan_for(&plain, &(ink_build_options){.kinds = &bloom, .kind_count = 1},
                                 (uint64_t)1 << 40, 4, 0, &plan, &error));
    assert_true(plan.measure && plan.ranged && !plan.count && plan.buckets == 256);
    CHECK_OK(ink_pieces_plan_for(&plain, &(ink_build_options){.kinds = &large, .kind_count = 1},
                                 UINT64_MAX, 3, 0, &plan, &error));
    assert_true(!plan.measure && plan.ranged && plan.buckets == 4);
    CHECK_OK(ink_pieces_plan_for(&grouped, &(ink_build_options){.kinds = &mmh3, .kind_count = 1},
                                 1000, 4, 0, &plan, &error));
    assert_true(plan.count && !plan.measure && !plan.ranged && plan.buckets == 4);
    CHECK_OK(ink_pieces_plan_for(&grouped, &(ink_build_options){.kinds = &bloom, .kind_count = 1},
                                 (uint64_t)1 << 30, 4, 0, &plan, &error));
    assert_true(plan.count && plan.measure && plan.ranged && plan.buckets == 8);
}

/* In memory where there is such a folder: files are synced, and there are thousands of them. */
static char folder[32];

static int enter(void **state)
{
    (void)state;
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/pieces-XXXXXX", parent);
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int leave(void **state)
{
    (void)state;
    unlink("assembled.ink");
    return chdir("/") != 0 || rmdir(folder) != 0; /* nothing is left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_the_digest_of_a_build_in_one),
        cmocka_unit_test(several_kinds_in_one_pass),
        cmocka_unit_test(large_sketches_are_cut),
        cmocka_unit_test(large_and_small_kinds_in_one_pass),
        cmocka_unit_test(nearly_empty_large_sketches),
        cmocka_unit_test(no_records_make_empty_sketches),
        cmocka_unit_test(pieces_are_as_small_as_was_asked_for),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(pieces_of_another_job_are_refused),
        cmocka_unit_test(scalable_cannot_be_built_in_parts),
        cmocka_unit_test(plans_say_how_it_is_done),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
