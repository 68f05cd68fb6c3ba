/* pieces_test.c - a build in pieces gives the file of a build in one: for any maps, buckets
 * and ranges, with any measured sizes, for every kind that does not depend on order; and
 * pieces that are damaged, or of another job, are refused.
 * With INK_TEST_LIGHT set, fewer ways are tried. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"
#include "inkling_pieces.h"

#include "support/check.h"
#include "support/owned.h"
#include "support/records.h"
#include "support/sketches.h"

#include <stdio.h>
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
#define owned_pile OWNED(free_pile) pile

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
    bool               count, measure;
    unsigned           relays; /* steps of reducers that only pass on */
    ink_job            job;
    size_t             largest; /* set: of all pieces */
} task;

static void free_task(task *of)
{
    records_bytes_free(&of->text);
}
#define owned_task OWNED(free_task) task

static ink_input input_of(const records_bytes *text)
{
    return (ink_input){.memory = text->bytes, .memory_bytes = text->count};
}

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
        const ink_input input = {.memory = of->text.bytes == NULL ? NULL : of->text.bytes + at,
                                 .memory_bytes = some};
        ink_job         job = of->job;
        CHECK_OK(map(&input, 1, of->reading, &of->options, &sink, &job, &error));
        assert_int_equal(job.chunk_bytes, of->job.chunk_bytes); /* as it was left */
        at += some;
    }
    shuffle(to);
    of->largest = to->largest > of->largest ? to->largest : of->largest;
}

typedef ink_status ender(ink_reducer *reducer, const ink_piece_sink *sink, ink_error *error);

/* Reduces the pieces of a bucket, if there are any: a cluster has no task for a bucket without. */
static ink_status reduce(const task *of, const pile *from, uint32_t bucket, ender *end, pile *to)
{
    const ink_piece_sink sink = sink_of(to);
    ink_status           status = INK_OK;
    ink_reducer         *reducer;
    size_t               taken = 0;

    CHECK_OK(ink_reducer_create(&reducer, of->reading, &of->options, &of->job, &error));
    for (size_t i = 0; i < from->count; i++)
        if (from->list[i].bucket == bucket) {
            CHECK_OK(ink_reducer_add(reducer, from->list[i].bytes, from->list[i].count, &error));
            taken++;
        }
    if (taken > 0)
        status = end(reducer, &sink, &error);
    ink_reducer_free(reducer);
    return status;
}

/* One reducer for each bucket. */
static void reduce_all(task *of, const pile *from, ender *end, pile *to)
{
    for (uint32_t bucket = 0; bucket < of->options.buckets; bucket++)
        CHECK_OK(reduce(of, from, bucket, end, to));
    of->largest = to->largest > of->largest ? to->largest : of->largest;
}

static ink_sizes *sizes_of(const pile *measures)
{
    ink_sizes *first, *sizes;
    uint8_t   *bytes;
    size_t     count;

    CHECK_OK(ink_sizes_create(&first, NULL, &error));
    for (size_t i = 0; i < measures->count; i++)
        CHECK_OK(ink_sizes_add(first, measures->list[i].bytes, measures->list[i].count, &error));
    CHECK_OK(ink_sizes_encode(first, &bytes, &count, &error)); /* they travel to all tasks */
    ink_sizes_free(first);
    CHECK_OK(ink_sizes_create(&sizes, NULL, &error));
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
    owned_pile kept = {0}, counts = {0}, measures = {0}, finished = {0};
    ink_sizes *counted = NULL, *measured = NULL;

    if (of->count)
        map_all(of, ink_map_count, &counts);
    if (of->count)
        of->options.counts = counted = sizes_of(&counts);
    map_all(of, ink_map, &kept);
    for (unsigned i = 0; i < of->relays; i++) {
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
    ink_sizes_free(counted);
    ink_sizes_free(measured);
    return digest;
}

static records_digest in_one(const task *of)
{
    const ink_input input = input_of(&of->text);
    ink_job         job = of->job;
    owned_set      *set = NULL;

    CHECK_OK(ink_build(&set, &input, 1, of->reading, of->options.build, &job, &error));
    owned_file file = records_encode(set);
    return records_digest_of(file.file);
}

/* Fails, with all that matters of the job, unless pieces have the digest of the build in one. */
static void check_digest(task *of, const records_digest *expected, size_t number)
{
    records_digest got = in_pieces(of);

    if (records_same(&got, expected))
        return;
    for (size_t k = 0; k < of->options.build->kind_count; k++)
        print_error("%s ", of->options.build->kinds[k].kind);
    fail_msg("number %zu: %u maps, %u buckets%s%s%s, %u relays, slices of %llu, %u threads, memory "
             "%llu, headroom %g%s%s%s: another digest",
             number, of->maps, of->options.buckets, of->options.ranged ? ", ranged" : "",
             of->count ? ", counted" : "", of->measure ? ", measured" : "", of->relays,
             (unsigned long long)of->options.slice_bytes, of->job.threads,
             (unsigned long long)of->job.memory_bytes, of->options.build->headroom,
             of->reading->by != NULL ? ", groups" : "",
             of->reading->weight != NULL ? ", weights" : "",
             of->reading->keys == INK_KEYS_INT ? ", ints" : "");
}

static void check_same(task *of, size_t number)
{
    records_digest expected = in_one(of);

    check_digest(of, &expected, number);
}

static bool is_sized(const ink_params *kind)
{
    ink_kind_info info;

    CHECK_OK(ink_kind_describe(kind->kind, &info, &error));
    return info.sized_by_keys && kind->expected_keys == 0 && kind->bits == 0;
}

static bool is_whole(const ink_params *kind)
{
    ink_kind_info info;

    CHECK_OK(ink_kind_describe(kind->kind, &info, &error));
    return info.made_whole;
}

/* Tries all ways to build this in pieces that there are. */
static void check_all_ways(task of, size_t row)
{
    static const uint32_t buckets[] = {1, 2, 8};
    records_digest        expected = in_one(&of);
    bool                  records = of.options.build->kinds[0].hash != NULL;
    bool                  sized = false, whole = false;

    for (size_t k = 0; k < of.options.build->kind_count; k++) {
        sized = sized || is_sized(&of.options.build->kinds[k]);
        whole = whole || is_whole(&of.options.build->kinds[k]);
    }
    for (int ranged = 0; ranged < (whole ? 1 : 2); ranged++)
        for (size_t b = 0; b < (records_light() ? 2 : 3); b++)
            for (int relay = 0; relay < 2; relay++) {
                of.options.ranged = ranged == 1;
                of.options.buckets = buckets[b];
                of.relays = (unsigned)relay;
                of.maps = 1 + (unsigned)records_below(&chance, 5);
                of.measure = sized && of.options.ranged;
                of.count =
                    sized && (records || ((of.options.ranged || whole) && of.reading->by != NULL &&
                                          records_below(&chance, 2) == 0));
                if (!records || !of.options.ranged)
                    check_digest(&of, &expected, row);
            }
}

/* ---- Data --------------------------------------------------------------------------------- */

/* Lines of a key, a group, a weight and a number for a key, with many repeats. */
static records_bytes lines(size_t count, uint64_t keys, uint64_t groups)
{
    records_bytes text = {0};

    for (size_t i = 0; i < count; i++) {
        uint64_t group = records_below(&chance, groups);
        group = group == 0 ? 0 : records_below(&chance, group + 1); /* some are larger */
        uint64_t key = records_below(&chance, keys);
        records_say(&text, "key %llu,g%llu,%llu,%llu\n", (unsigned long long)key,
                    (unsigned long long)group, (unsigned long long)records_below(&chance, 20),
                    (unsigned long long)key);
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

/* By groups, by two maps. */
static task task_of(const ink_build_options *build, uint32_t buckets, uint64_t slice_bytes,
                    records_bytes text)
{
    return (task){
        .reading = &grouped,
        .options = {.build = build,
                    .buckets = buckets,
                    .piece_bytes = 4096,
                    .slice_bytes = slice_bytes},
        .text = text,
        .maps = 2,
        .job = {.threads = 1},
    };
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

TEST(every_build_in_pieces_has_the_digest_of_a_build_in_one)
{
    enum { PLAIN = 1, GROUPED = 2, WEIGHTED = 4, BOTH = 8, TWO = PLAIN | GROUPED, ALL = 15 };
    static const ink_reading *const readings[] = {&plain, &grouped, &weighted, &both};
    typedef struct amount {
        size_t lines, keys, groups;
    } amount;
    static const amount some = {3000, 1200, 7}, more = {8000, 6000, 3}, few = {3, 3, 1},
                        none = {0, 1, 1}, sparse = {40, 40, 30};
    static const struct {
        unsigned      readings;
        const amount *of;
        size_t        slice_bytes;
        ink_params    kinds[4];
    } rows[] = {
        /* Every kind. */
        {TWO, &some, 0, {{.kind = "bloom"}}},
        {TWO, &some, 0, {{.kind = "bloom", .expected_keys = 3000, .max_rate = 1}}},
        {TWO, &some, 0, {{.kind = "bloom", .bits = 8192}}},
        {TWO, &some, 0, {{.kind = "classic", .false_positive_rate = 1e-3}}},
        {TWO, &some, 0, {{.kind = "classic", .hash = "mmh3"}}},
        {TWO, &some, 0, {{.kind = "classic", .expected_keys = 50, .max_rate = 1}}},
        {TWO, &some, 0, {{.kind = "fm"}}},
        {TWO, &some, 0, {{.kind = "hll"}}},
        {TWO, &some, 0, {{.kind = "theta", .precision = 5}}},
        {TWO, &some, 0, {{.kind = "fuse"}}},
        {TWO, &more, 256, {{.kind = "fuse", .false_positive_rate = 1e-9}, {.kind = "bloom"}}},
        {ALL, &some, 0, {{.kind = "counting"}}},
        {ALL, &some, 0, {{.kind = "counting", .expected_keys = 3000, .max_rate = 1}}},
        {ALL, &some, 0, {{.kind = "count-min", .width = 300, .depth = 3}}},
        /* Several in one pass. */
        {TWO, &some, 0, {{.kind = "bloom"}, {.kind = "counting"}, {.kind = "hll"}}},
        {PLAIN | BOTH,
         &some,
         0,
         {{.kind = "bloom", .expected_keys = 500, .max_rate = 1},
          {.kind = "classic"},
          {.kind = "count-min", .width = 100, .depth = 2},
          {.kind = "fm"}}},
        /* Large ones, which are cut. */
        {TWO, &more, 1000, {{.kind = "bloom", .expected_keys = 100000, .max_rate = 1}}},
        {TWO, &more, 1000, {{.kind = "bloom", .false_positive_rate = 1e-4}}},
        {TWO, &more, 1000, {{.kind = "counting", .expected_keys = 30000, .max_rate = 1}}},
        {TWO, &more, 1000, {{.kind = "classic", .expected_keys = 90000, .max_rate = 1}}},
        {TWO, &more, 1000, {{.kind = "count-min", .width = 30000, .depth = 4}}},
        /* Two whose slices have the same places. */
        {TWO,
         &more,
         1000,
         {{.kind = "bloom", .bits = 1 << 16}, {.kind = "classic", .bits = 1 << 16, .hashes = 4}}},
        {TWO, &more, 1000, {{.kind = "count-min", .width = 30000, .depth = 2, .counter_bits = 64}}},
        /* Slices of one kind go round all buckets, and leave others alone. */
        {TWO, &some, 256, {{.kind = "bloom"}, {.kind = "count-min", .width = 3000, .depth = 3}}},
        {TWO,
         &some,
         256,
         {{.kind = "bloom", .expected_keys = 90000, .max_rate = 1},
          {.kind = "counting"},
          {.kind = "classic", .expected_keys = 50000, .max_rate = 1},
          {.kind = "hll"}}},
        /* Far fewer keys than ranges: most of a large filter is never touched. */
        {PLAIN, &few, 1000, {{.kind = "bloom", .expected_keys = 1000000, .max_rate = 1}}},
        {PLAIN, &none, 1000, {{.kind = "bloom", .expected_keys = 1000000, .max_rate = 1}}},
        {GROUPED, &sparse, 1000, {{.kind = "bloom", .expected_keys = 100000, .max_rate = 1}}},
        /* No records make empty sketches. */
        {TWO, &none, 0, {{.kind = "bloom"}, {.kind = "hll"}, {.kind = "counting"}}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        owned_bytes       text = lines(rows[i].of->lines, rows[i].of->keys, rows[i].of->groups);
        ink_build_options build = {.kinds = rows[i].kinds};
        task              of = {.options = {.build = &build, .piece_bytes = 4096}, .text = text};
        of.options.slice_bytes = rows[i].slice_bytes;
        of.job.threads = 1;
        while (build.kind_count < 4 && rows[i].kinds[build.kind_count].kind != NULL)
            build.kind_count++;
        for (unsigned r = 0; r < COUNT(readings); r++)
            if (rows[i].readings >> r & 1) {
                of.reading = readings[r];
                check_all_ways(of, i);
            }
    }
}

/* A map with little memory gives away what it has, again and again, as if it were several. */
TEST(maps_that_give_away_early_have_the_same_digest)
{
    static const ink_params some[] = {
        {.kind = "bloom"},
        {.kind = "bloom", .expected_keys = 3000, .max_rate = 1},
        {.kind = "classic", .hash = "mmh3"},
        {.kind = "hll"},
        {.kind = "counting"},
        {.kind = "count-min", .width = 300, .depth = 3},
        {.kind = "fuse"},
    };
    owned_bytes text = lines(20000, 6000, 1500);

    for (size_t i = 0; i < COUNT(some); i++)
        for (int way = 0; way < 4; way++) {
            const ink_build_options build = {.kinds = &some[i], .kind_count = 1};
            task                    of = {
                                   .reading = way % 2 == 0 ? &grouped : &plain,
                                   .options = {.build = &build, .buckets = 2},
                                   .text = text,
                                   .maps = 1,
                                   .job = {.threads = 1 + (unsigned)way / 2, .chunk_bytes = 10000},
            };
            owned_pile     few = {0}, many = {0}, finished = {0};
            records_digest expected = in_one(&of);
            map_all(&of, ink_map, &few);
            of.job.memory_bytes = 100000;
            map_all(&of, ink_map, &many);
            of.job.memory_bytes = 0;
            reduce_all(&of, &many, ink_reducer_finish, &finished);
            records_digest got = assemble(&finished);
            CHECK(records_same(&got, &expected));
            /* Hashes without groups wait in buffers that are larger than all of them. */
            CHECK(many.count > few.count || (way % 2 == 1 && some[i].hash == NULL));
        }
}

/* Slices that stay together make every bucket a file of its own. */
TEST(slices_may_stay_together)
{
    const ink_params        kind = {.kind = "count-min", .width = 30000, .depth = 4};
    const ink_build_options build = {.kinds = &kind, .kind_count = 1};
    owned_task              of = task_of(&build, 4, 40000, lines(90000, 60000, 2));
    owned_pile              mapped = {0};
    uint32_t                homes = 0;

    of.options.together = true;
    of.options.piece_bytes = 40000;
    of.maps = 3;
    check_same(&of, 0);
    map_all(&of, ink_map, &mapped);
    CHECK(mapped.count > 10);
    for (size_t i = 0; i < mapped.count; i++)
        homes |= 1u << mapped.list[i].bucket;
    CHECK(__builtin_popcount(homes) <= 2); /* of two groups */
    of.options.ranged = true;
    ink_reducer *reducer;
    CHECK_FAILS(ink_reducer_create(&reducer, of.reading, &of.options, &of.job, &error), INK_USAGE,
                "together");
}

TEST(pieces_are_as_small_as_was_asked_for)
{
    const ink_params        kinds[] = {{.kind = "bloom"}, {.kind = "hll", .precision = 8}};
    const ink_build_options build = {.kinds = kinds, .kind_count = 2};
    owned_task              of = task_of(&build, 3, 4096, lines(20000, 20000, 300));

    of.options.piece_bytes = 8192;
    of.maps = 3;
    of.job.threads = 2;
    check_same(&of, 0);
    assert_in_range(of.largest, 1, 8192);
}

/* ---- Ways by chance ----------------------------------------------------------------------- */

static const char *const number_column[] = {"4"};
static const uint8_t     secret[INK_SECRET_BYTES] = "fifteen letters";

static bool coin(void)
{
    return records_below(&chance, 2) == 0;
}

/* Some kinds, each once, of which one takes weights if there are any. All keys of these tests fit
 * into a top, which is exact then, and has the same bytes in any order. */
static size_t some_kinds(ink_params *kinds, bool weights, bool keyed)
{
    static const ink_params blooms[] = {{.kind = "bloom"},
                                        {.kind = "bloom", .expected_keys = 2000, .max_rate = 1},
                                        {.kind = "bloom", .bits = 1 << 14}};
    static const ink_params countings[] = {
        {.kind = "counting"}, {.kind = "counting", .expected_keys = 900, .max_rate = 1}};
    static const ink_params others[] = {
        {.kind = "classic"}, {.kind = "hll"}, {.kind = "fm"}, {.kind = "top", .top_keys = 100}};
    size_t count = 0;

    if (weights || coin())
        kinds[count++] = (ink_params){.kind = "count-min", .width = 200, .depth = 3};
    if (count == 0 || coin())
        kinds[count++] = blooms[records_below(&chance, COUNT(blooms))];
    if (coin())
        kinds[count++] = countings[records_below(&chance, COUNT(countings))];
    for (size_t i = 0; i < COUNT(others); i++)
        if (records_below(&chance, 4) == 0)
            kinds[count++] = others[i];
    for (size_t i = 0; i < count && keyed; i++)
        kinds[i].secret = secret;
    return count;
}

static ink_reading some_reading(void)
{
    ink_reading reading = {.form = INK_FORM_CSV, .key = first_column, .key_count = 1};

    if (coin()) {
        reading.key = number_column;
        reading.keys = INK_KEYS_INT;
    }
    reading.by = coin() ? "2" : NULL;
    reading.weight = coin() ? "3" : NULL;
    return reading;
}

/* How a job is cut, sent and merged. */
static void choose_way(task *of, bool sized, bool records)
{
    static const uint64_t slices[] = {0, 256, 3000};

    of->options.ranged = coin();
    of->options.buckets = 1u << records_below(&chance, 5);
    of->options.slice_bytes = slices[records_below(&chance, COUNT(slices))];
    of->maps = 1 + (unsigned)records_below(&chance, 6);
    of->relays = (unsigned)records_below(&chance, 3);
    of->count = coin() || (records && of->options.ranged);
    of->measure = sized && !records && (of->options.ranged || coin());
    of->job = (ink_job){.threads = 1 + (unsigned)records_below(&chance, 3),
                        .chunk_bytes = coin() ? 4096 : 0,
                        .memory_bytes = coin() ? 20000 : 0};
}

/* Whether groups of these kinds are refused where there is little memory. */
static bool needs_room(const ink_build_options *build)
{
    bool needs = false;

    for (size_t k = 0; k < build->kind_count; k++)
        needs = needs || strcmp(build->kinds[k].kind, "count-min") == 0 ||
                strcmp(build->kinds[k].kind, "top") == 0;
    return needs;
}

TEST(any_way_has_the_digest_of_a_build_in_one)
{
    unsigned tries = records_light() ? 20 : 150;

    for (unsigned try = 0; try < tries; try++) {
        ink_params        kinds[8];
        bool              records = records_below(&chance, 6) == 0, sized = false;
        ink_reading       reading = some_reading();
        ink_build_options build = {.kinds = kinds, .headroom = coin() ? 1.5 : 0};
        owned_task of = {.reading = &reading, .options = {.build = &build, .piece_bytes = 4096}};

        if (records) { /* a kind that is sized by the number of records, and needs the keys */
            reading.weight = NULL;
            reading.key = first_column;
            reading.keys = INK_KEYS_DEFAULT;
            kinds[build.kind_count++] = (ink_params){.kind = "classic", .hash = "mmh3"};
        } else
            build.kind_count = some_kinds(kinds, reading.weight != NULL, coin());
        for (size_t k = 0; k < build.kind_count; k++)
            sized = sized || is_sized(&kinds[k]);
        choose_way(&of, sized, records);
        of.text = lines((size_t)records_below(&chance, 3000), 800, 1 + records_below(&chance, 12));
        if (reading.by != NULL && needs_room(&build))
            of.job.memory_bytes = 0;
        check_same(&of, try);
    }
}

/* ---- Order -------------------------------------------------------------------------------- */

/* How often each key came, of keys "key 0", "key 1" and so on. */
static uint64_t *true_counts(const records_bytes *text, size_t keys, uint64_t *records)
{
    uint64_t *counts = test_calloc(keys, sizeof *counts);

    *records = 0;
    for (size_t at = 0; at < text->count; ++*records) {
        counts[strtoull((const char *)text->bytes + at + 4, NULL, 10)]++;
        while (text->bytes[at++] != '\n')
            ;
    }
    return counts;
}

/* Kinds that depend on order have other bytes in pieces, but what they promise holds: all records
 * are in, and no answer excludes the true count. */
static void check_promises(const ink_params *kind, unsigned maps, unsigned relays)
{
    enum { KEYS = 3000 };
    const ink_build_options build = {.kinds = kind, .kind_count = 1};
    owned_task              of = {.reading = &plain,
                                  .options = {.build = &build, .buckets = 4, .piece_bytes = 4096},
                                  .text = lines(20000, KEYS, 1),
                                  .maps = maps,
                                  .relays = relays,
                                  .job = {.threads = 2, .chunk_bytes = 8192}};
    uint64_t                records;
    uint64_t               *counts = true_counts(&of.text, KEYS, &records);
    ink_file               *file;
    ink_sketch             *sketch;
    ink_description         description;

    (void)in_pieces(&of);
    CHECK_OK(ink_file_open(&file, "assembled.ink", INK_OPEN_CHECKED, NULL, &error));
    assert_int_equal(ink_file_count(file), 1);
    CHECK_OK(ink_file_sketch(file, 0, &sketch, &error));
    ink_sketch_describe(sketch, &description);
    assert_int_equal(description.records, records);
    for (size_t i = 0; i < KEYS; i++) {
        char       key[16];
        ink_answer answer;
        int        bytes = snprintf(key, sizeof key, "key %zu", i);
        CHECK_OK(ink_sketch_count(sketch, key, (size_t)bytes, &answer, &error));
        assert_true((double)counts[i] <= answer.high);
        assert_true(answer.confidence < 1 || answer.low <= (double)counts[i]);
    }
    ink_sketch_free(sketch);
    ink_file_close(file);
    test_free(counts);
}

TEST(ordered_kinds_keep_their_promises)
{
    const ink_params kinds[] = {
        {.kind = "top", .top_keys = 5},
        {.kind = "count-min", .width = 400, .depth = 3, .conservative = true}};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned maps = 1; maps <= 5; maps += 2)
            check_promises(&kinds[k], maps, maps / 2);
}

/* ---- Sizes that are not known ------------------------------------------------------------- */

/* Groups that were not counted are of a size that follows from all their keys, as ever. */
TEST(counts_that_lack_groups_change_nothing)
{
    const ink_params        kinds[] = {{.kind = "classic", .hash = "mmh3"}, {.kind = "bloom"}};
    const ink_build_options builds[] = {{.kinds = &kinds[0], .kind_count = 1},
                                        {.kinds = &kinds[1], .kind_count = 1}};

    for (size_t b = 0; b < 2; b++) {
        owned_task of = task_of(&builds[b], 4, 256, lines(4000, 900, 400));
        owned_pile counts = {0};
        of.options.ranged = of.measure = b == 1;
        of.maps = 1; /* each group is in one piece of counts */
        records_digest expected = in_one(&of);
        map_all(&of, ink_map_count, &counts);
        assert_in_range(counts.count, 4, 1000);
        free(counts.list[--counts.count].bytes);
        ink_sizes *lacking = sizes_of(&counts);
        of.options.counts = lacking;
        of.maps = 3;
        records_digest got = in_pieces(&of);
        assert_true(records_same(&got, &expected));
        ink_sizes_free(lacking);
    }
}

/* Whether all reducers finish; one that does not says that a size is not known. */
static bool finishes(const task *of, const pile *kept)
{
    owned_pile finished = {0};
    bool       all = true;

    for (uint32_t bucket = 0; bucket < of->options.buckets; bucket++) {
        ink_status status = reduce(of, kept, bucket, ink_reducer_finish, &finished);
        assert_true(status == INK_OK || status == INK_USAGE);
        if (status == INK_USAGE)
            assert_non_null(strstr(error.message, "expected sizes that were measured"));
        all = all && status == INK_OK;
    }
    return all;
}

/* A group in ranges whose keys were not measured has no size, at any position among others that
 * have. */
TEST(sizes_that_lack_a_group_are_refused)
{
    const ink_params        bloom = {.kind = "bloom"};
    const ink_build_options build = {.kinds = &bloom, .kind_count = 1};
    owned_task              of = task_of(&build, 2, 64, lines(2000, 1500, 20));
    owned_pile              kept = {0}, measures = {0};

    of.options.ranged = true;
    map_all(&of, ink_map, &kept);
    reduce_all(&of, &kept, ink_reducer_measure, &measures);
    ink_sizes *lacking = sizes_of(&measures);
    of.options.sizes = lacking;
    assert_true(finishes(&of, &kept));
    for (unsigned i = 0; i < 5; i++) {
        size_t before = of.text.count;
        records_say(&of.text, "key 1,new %u,1,1\n", i);
        free_pile(&kept);
        map_all(&of, ink_map, &kept);
        assert_false(finishes(&of, &kept));
        of.text.count = before;
    }
    ink_sizes_free(lacking);
}

/* Few keys in many ranges: most ranges have none of a group, whose sketch is large all the same;
 * and what is sent of them does not grow with groups and ranges. */
TEST(ranges_without_keys_cost_little)
{
    const ink_params        fine = {.kind = "bloom", .false_positive_rate = 1e-4};
    const ink_build_options build = {.kinds = &fine, .kind_count = 1};
    owned_task              of = task_of(&build, 256, 64, lines(2000, 100000, 300));
    owned_pile              kept = {0};
    size_t                  bytes = 0;

    of.options.ranged = of.measure = true;
    check_same(&of, 0);
    map_all(&of, ink_map, &kept);
    for (size_t i = 0; i < kept.count; i++)
        bytes += kept.list[i].count;
    assert_in_range(bytes, 1,
                    2000 * 56 + 2 * 256 * 128); /* an item for each key, and for each range */
}

/* ---- What is refused ---------------------------------------------------------------------- */

/* A piece of some job. */
static pile some_pieces(const ink_reading *reading, const ink_build_options *build)
{
    pile                     to = {0};
    const ink_piece_sink     sink = sink_of(&to);
    const ink_pieces_options options = {.build = build};
    owned_bytes              text = lines(5, 5, 2);
    const ink_input          input = input_of(&text);
    ink_job                  job = {0};

    CHECK_OK(ink_map(&input, 1, reading, &options, &sink, &job, &error));
    return to;
}

TEST(every_flipped_bit_is_found)
{
    const ink_params         kinds[] = {{.kind = "bloom"}, {.kind = "hll"}};
    const ink_build_options  build = {.kinds = kinds, .kind_count = 2};
    const ink_pieces_options options = {.build = &build};
    owned_pile               pieces = some_pieces(&plain, &build);
    const ink_job            job = {0};
    ink_reducer             *reducer;

    CHECK_OK(ink_reducer_create(&reducer, &plain, &options, &job, &error));
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
    ink_reducer_free(reducer);
}

TEST(a_map_that_fails_gives_nothing)
{
    const ink_params         kind = {.kind = "count-min", .width = 100, .depth = 2};
    const ink_build_options  build = {.kinds = &kind, .kind_count = 1};
    const ink_pieces_options options = {.build = &build, .buckets = 3};
    pile                     to = {0};
    const ink_piece_sink     sink = sink_of(&to);
    owned_bytes              text = lines(5000, 100, 30);
    ink_job                  job = {.threads = 2, .chunk_bytes = 4096};

    records_say(&text, "key 1,g1,many,1\n"); /* no weight, late in the input */
    const ink_input input = {.path = "text", .memory = text.bytes, .memory_bytes = text.count};
    CHECK_FAILS(ink_map(&input, 1, &both, &options, &sink, &job, &error), INK_FORMAT, "many");
    assert_string_equal(job.failed_path, "text");
    assert_int_equal(to.count, 0);
}

TEST(pieces_of_another_job_are_refused)
{
    static const struct {
        const ink_reading *reading;
        ink_params         kind;
    } others[] = {
        {&plain, {.kind = "bloom", .false_positive_rate = 1e-3}},
        {&grouped, {.kind = "bloom"}},
        {&plain, {.kind = "bloom", .secret = secret}},
    };
    const ink_params         bloom = {.kind = "bloom"};
    const ink_build_options  build = {.kinds = &bloom, .kind_count = 1};
    const ink_pieces_options options = {.build = &build};
    const ink_job            job = {0};
    ink_reducer             *reducer;

    CHECK_OK(ink_reducer_create(&reducer, &plain, &options, &job, &error));
    for (size_t i = 0; i < COUNT(others); i++) {
        const ink_build_options other = {.kinds = &others[i].kind, .kind_count = 1};
        owned_pile              pieces = some_pieces(others[i].reading, &other);
        CHECK_FAILS(ink_reducer_add(reducer, pieces.list[0].bytes, pieces.list[0].count, &error),
                    INK_MISMATCH, "another job");
    }
    ink_reducer_free(reducer);
}

TEST(options_of_pieces_have_limits)
{
    static const struct {
        uint32_t    buckets;
        bool        ranged;
        uint64_t    piece_bytes;
        const char *words; /* NULL: it is taken */
    } cases[] = {
        {4096, false, 0, NULL},
        {4097, false, 0, "4097 buckets, expected at most 4096"},
        {256, true, 0, NULL},
        {512, true, 0, "512 buckets, expected at most 256"},
        {255, true, 0, "255 buckets that are ranges, expected a power of two"},
        {1, true, 0, NULL},
        {1, false, 4096, NULL},
        {1, false, 4095, "pieces of 4095 bytes, expected 4096 to 2^30"},
        {1, false, 1 << 30, NULL},
        {1, false, (1 << 30) + 1, "pieces of 1073741825 bytes, expected"},
    };
    const ink_params        kind = {.kind = "bloom"};
    const ink_build_options build = {.kinds = &kind, .kind_count = 1};
    const ink_job           job = {.threads = 1};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const ink_pieces_options options = {.build = &build,
                                            .buckets = cases[i].buckets,
                                            .ranged = cases[i].ranged,
                                            .piece_bytes = cases[i].piece_bytes};
        ink_reducer             *reducer = NULL;
        if (cases[i].words != NULL)
            CHECK_FAILS(ink_reducer_create(&reducer, &plain, &options, &job, &error), INK_USAGE,
                        cases[i].words);
        else
            CHECK_OK(ink_reducer_create(&reducer, &plain, &options, &job, &error));
        ink_reducer_free(reducer);
    }
}

TEST(scalable_cannot_be_built_in_parts)
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

    CHECK_FAILS(ink_map(&input, 1, &reading, &options, &sink, &job, &error), INK_UNSUPPORTED,
                "expected bloom");
    CHECK_FAILS(ink_pieces_plan_for(&reading, &build, 0, 2, 0, &plan, &error), INK_UNSUPPORTED,
                "expected bloom");
}

TEST(a_kind_that_is_made_whole_is_not_cut_into_ranges)
{
    const ink_params         kind = {.kind = "fuse"};
    const ink_build_options  build = {.kinds = &kind, .kind_count = 1};
    const ink_pieces_options options = {.build = &build, .buckets = 4, .ranged = true};
    const ink_reading        reading = {0};
    ink_job                  job = {0};
    ink_reducer             *reducer;

    CHECK_FAILS(ink_reducer_create(&reducer, &reading, &options, &job, &error), INK_USAGE,
                "made of all keys at once");
}

TEST(plans_say_how_it_is_done)
{
    static const ink_params mixed[] = {{.kind = "bloom"}, {.kind = "fuse"}},
                            bloom = {.kind = "bloom"},
                            large = {.kind = "bloom", .expected_keys = 100000000},
                            mmh3 = {.kind = "classic", .hash = "mmh3"};
    /* 64 MiB are a slice. */
    static const ink_params whole[] = {{.kind = "bloom", .expected_keys = 100000000},
                                       {.kind = "fuse"}},
                            slice = {.kind = "bloom", .bits = (uint64_t)1 << 29},
                            larger = {.kind = "bloom", .bits = ((uint64_t)1 << 29) + 256},
                            counters = {.kind = "count-min", .width = 1 << 22, .depth = 5},
                            planned = {.kind = "classic", .hash = "mmh3", .expected_keys = 100};
    const uint64_t gib = (uint64_t)1 << 30;
    const struct {
        const ink_reading *reading;
        const ink_params  *kind;
        uint64_t           bytes;
        uint32_t           tasks, buckets;
        bool               count, measure, ranged;
    } known[] = {
        {&plain, &bloom, 1000, 4, 1, false, false, false},
        {&plain, &bloom, (uint64_t)1 << 40, 4, 256, false, true, true},
        {&plain, &large, UINT64_MAX, 3, 4, false, false, true},
        {&grouped, &mmh3, 1000, 4, 4, true, false, false},
        {&grouped, &bloom, (uint64_t)1 << 33, 4, 64, true, true, true},
        {&plain, mixed, (uint64_t)1 << 40, 4, 1, false, false, false}, /* a fuse has no ranges */
        {&plain, whole, 1000, 4, 4, false, false, false},
        /* Both sides of each limit. */
        {&plain, &bloom, gib / 2 - 1, 1, 1, false, false, false},
        {&plain, &bloom, gib / 2, 1, 4, false, true, true},
        {&plain, &bloom, UINT64_MAX, 4, 1, false, false, false},
        {&grouped, &bloom, 4 * gib - 1, 5, 5, false, false, false},
        {&grouped, &bloom, 4 * gib, 5, 32, true, true, true},
        {&plain, &slice, 1000, 5, 1, false, false, false},
        {&plain, &larger, 1000, 5, 8, false, false, true},
        {&plain, &larger, gib, 5, 8, false, false, true},
        {&plain, &larger, 2 * gib, 5, 16, false, false, true},
        {&plain, &counters, 1000, 5, 5, false, false, false},
        {&grouped, &bloom, 1000, 0, 1, false, false, false},
        {&grouped, &bloom, 1000, 256, 256, false, false, false},
        {&grouped, &bloom, 1000, 257, 256, false, false, false},
        {&grouped, &planned, 1000, 4, 4, false, false, false},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        const ink_build_options build = {
            .kinds = known[i].kind,
            .kind_count = known[i].kind == mixed || known[i].kind == whole ? 2 : 1};
        ink_pieces_plan plan;
        CHECK_OK(ink_pieces_plan_for(known[i].reading, &build, known[i].bytes, known[i].tasks, 0,
                                     &plan, &error));
        assert_int_equal(plan.buckets, known[i].buckets);
        CHECK(plan.count == known[i].count && plan.measure == known[i].measure);
        CHECK(plan.ranged == known[i].ranged);
    }
}

static int end_folder(void **state)
{
    unlink("assembled.ink");
    return records_folder_end(state);
}

RUN_TESTS(.begin = records_folder_begin, .end = end_folder)
