/* build_test.c - what is built has the bytes of sketches made one key at a time, whatever the
 * number of threads, the size of chunks, the place that records come from and the memory there is.
 * With INK_TEST_LIGHT set, fewer ways to read the same records. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static ink_error error;
static uint64_t  chance = 1;

static const uint8_t secret[INK_SECRET_BYTES] = "0123456789abcde";
static const uint8_t other_secret[INK_SECRET_BYTES] = "0123456789abcdf";

/* ---- One build ---------------------------------------------------------------------------- */

/* Records as bytes, how to read them, what they say, and what is to be made of them. */
typedef struct scene {
    records_bytes     text;
    ink_reading       reading;
    records_rows      rows;
    ink_build_options options;
    const char       *name;
    size_t            width; /* of records of fixed width, else 0 */
} scene;

/* All memory is given back. */
static records_digest build(const scene *of, const ink_input *inputs, size_t count, ink_job job)
{
    faults_memory       memory = {.unfilled = true};
    const ink_allocator allocator = faults_allocator(&memory);
    ink_set            *set;

    job.allocator = &allocator;
    CHECK_OK(ink_build(&set, inputs, count, &of->reading, &of->options, &job, &error));
    assert_null(job.failed_path);
    assert_int_equal(job.records, of->rows.count);
    assert_int_equal(job.bad, 0);
    return records_digest_of_counted(set, &allocator);
}

static void check_same(const scene *of, const char *way, ink_job job, const records_digest *got,
                       const records_digest *expected)
{
    if (!records_same(got, expected))
        fail_msg("%s: another file from %s with %u threads, chunks of %llu, memory %llu", of->name,
                 way, job.threads, (unsigned long long)job.chunk_bytes,
                 (unsigned long long)job.memory_bytes);
}

/* ---- Ways to read the same records -------------------------------------------------------- */

/* A place near `at` where a record starts. */
static size_t cut_near(const scene *of, size_t at)
{
    uint8_t end = of->reading.form == INK_FORM_NUL ? 0 : '\n';

    if (of->width != 0)
        return at / of->width * of->width;
    while (at > 0 && of->text.bytes[at - 1] != end)
        at--;
    return at;
}

typedef records_digest way(const scene *of, const char *path, ink_job job);

static records_digest from_file(const scene *of, const char *path, ink_job job)
{
    const ink_input input = {.path = path};

    (strstr(path, ".gz") != NULL ? records_gzip : records_write)(path, of->text.bytes,
                                                                 of->text.count);
    records_digest digest = build(of, &input, 1, job);
    unlink(path);
    return digest;
}

static records_digest from_files(const scene *of, const char *path __attribute__((unused)),
                                 ink_job job)
{
    const ink_input inputs[] = {{.path = "a"}, {.path = "empty"}, {.path = "b"}, {.path = "c"}};
    size_t          first = cut_near(of, records_below(&chance, of->text.count));
    size_t          second = first + (of->text.count - first) / 2;

    second = cut_near(of, second);
    if (second < first)
        second = first;
    records_write("a", of->text.bytes, first);
    records_write("empty", "", 0);
    records_write("b", of->text.bytes + first, second - first);
    records_write("c", of->text.bytes + second, of->text.count - second);
    records_digest digest = build(of, inputs, 4, job);
    UNLINK("a", "empty", "b", "c");
    return digest;
}

static records_digest from_splits(const scene *of, const char *path, ink_job job)
{
    uint64_t        first = 1 + records_below(&chance, of->text.count - 1);
    uint64_t        second = first + 1 + records_below(&chance, of->text.count);
    const ink_input inputs[] = {{.path = path, .bytes = first},
                                {.path = path, .offset = first, .bytes = second - first},
                                {.path = path, .offset = second}};

    records_write(path, of->text.bytes, of->text.count);
    records_digest digest = build(of, inputs, 3, job);
    unlink(path);
    return digest;
}

/* A FIFO, or standard input. */
static records_digest from_pipe(const scene *of, const char *path, ink_job job)
{
    const ink_input input = {.path = path};
    records_pipe   *pipe =
        records_pipe_begin(strcmp(path, "-") == 0 ? NULL : path, of->text.bytes, of->text.count);
    records_digest digest = build(of, &input, 1, job);

    records_pipe_end(pipe);
    return digest;
}

static records_digest from_memory(const scene *of, const char *path __attribute__((unused)),
                                  ink_job job)
{
    const ink_input input = {.memory = of->text.bytes, .memory_bytes = of->text.count};

    return build(of, &input, 1, job);
}

static records_digest from_zstd(const scene *of, const char *path __attribute__((unused)),
                                ink_job job)
{
    const ink_input inputs[] = {{.path = "a.zst"}, {.path = "b"}}; /* compressed or not */
    size_t          half = cut_near(of, of->text.count / 2);

    records_zstd("a.zst", of->text.bytes, half);
    records_write("b", of->text.bytes + half, of->text.count - half);
    records_digest digest = build(of, inputs, 2, job);
    UNLINK("a.zst", "b");
    return digest;
}

/* What does not fit into memory goes to a folder, where nothing is left of it. */
static records_digest with_little_memory(const scene *of, const char *path, ink_job job)
{
    assert_int_equal(mkdir(path, 0700), 0);
    job.temp_folder = path;
    records_digest digest = from_memory(of, NULL, job);
    assert_int_equal(records_names_in(path), 0);
    assert_int_equal(rmdir(path), 0);
    return digest;
}

static const struct {
    const char *name;
    way        *read;
    const char *path;
    unsigned    threads;
    uint64_t    chunk_bytes;  /* 0: any */
    uint64_t    memory_bytes; /* 0: enough */
    bool        always;       /* also where fewer are tried */
} ways[] = {
    {"a file", from_file, "records", 1, 1 << 20, 0, false},
    {"a file", from_file, "records", 2, 0, 0, true},
    {"a file", from_file, "records", 3, 0, 0, false},
    {"a file", from_file, "records", 8, 0, 0, true},
    {"memory", from_memory, NULL, 3, 1, 0, true},
    {"memory", from_memory, NULL, 1, 0, 0, false},
    {"files", from_files, NULL, 2, 0, 0, false},
    {"files", from_files, NULL, 8, 1, 0, false},
    {"splits", from_splits, "records", 3, 0, 0, true},
    {"a FIFO", from_pipe, "fifo", 2, 0, 0, true},
    {"standard input", from_pipe, "-", 3, 0, 0, false},
    {"gzip", from_file, "records.gz", 2, 0, 0, false},
    {"zstd", from_zstd, NULL, 3, 0, 0, false},
    {"little memory", with_little_memory, "temporary", 1, 0, 20000, false},
    {"little memory", with_little_memory, "temporary", 3, 0, 40000, true},
    {"hardly any memory", with_little_memory, "temporary", 2, 0, 1, false},
};

/* Most ways are tried with every other choice of kinds, so that each meets each in some scene. */
static bool skips(size_t way_number, bool always)
{
    static size_t scenes;

    scenes += way_number == 0;
    return !always && (records_light() || (way_number + scenes + scenes / 20) % 2 == 0);
}

static void check_all_ways(const scene *of)
{
    records_digest expected = records_digest_by_hand(&of->rows, &of->options);

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        ink_job job = {.threads = ways[i].threads,
                       .chunk_bytes = ways[i].chunk_bytes,
                       .memory_bytes = ways[i].memory_bytes};
        if (skips(i, ways[i].always))
            continue;
        /* Sketches of a fixed size have to find room. */
        if (job.memory_bytes == 1 && of->rows.grouped)
            continue;
        if (job.memory_bytes != 0 && of->options.kind_count > 0)
            for (size_t k = 0; k < of->options.kind_count; k++)
                if (strcmp(of->options.kinds[k].kind, "count-min") == 0 ||
                    strcmp(of->options.kinds[k].kind, "top") == 0 ||
                    strcmp(of->options.kinds[k].kind, "fm") == 0)
                    job.memory_bytes = of->rows.grouped ? 0 : job.memory_bytes;
        if (job.chunk_bytes == 0)
            job.chunk_bytes = 1 + records_below(&chance, 20000);
        if (ways[i].read == from_splits && of->reading.header)
            continue; /* only the first split of a file has its header */
        records_digest got = ways[i].read(of, ways[i].path, job);
        check_same(of, ways[i].name, job, &got, &expected);
    }
}

/* ---- Scenes ------------------------------------------------------------------------------- */

static int row_count(void)
{
    return records_light() ? 500 : 3000;
}

static const char *const first_column[] = {"1"};

static void free_scene(scene *of)
{
    records_bytes_free(&of->text);
    records_rows_free(&of->rows);
}

#define owned_scene OWNED(free_scene) scene

/* A key of chance: short, long or empty, and often one that was there before. */
static size_t some_key(char *key, size_t room, uint64_t different)
{
    uint64_t number = records_below(&chance, different);

    if (number == 0)
        return 0;
    if (number % 100 == 1) { /* too long for a stage of the engine */
        memset(key, 'a' + (int)(number % 26), 3000);
        return 3000 + (size_t)snprintf(key + 3000, room - 3000, "%llu", (unsigned long long)number);
    }
    return (size_t)snprintf(key, room, "k%llu", (unsigned long long)(number * number));
}

/* Lines: a key alone. */
static scene lines_of_keys(void)
{
    scene of = {.name = "lines"};
    char  key[4096];

    for (int i = 0; i < row_count(); i++) {
        size_t bytes = some_key(key, sizeof key, 2000);
        records_put(&of.text, key, bytes);
        records_put(&of.text, "\n", 1);
        records_add(&of.rows, key, bytes, NULL, 0, 1);
    }
    return of;
}

/* Tab-separated: a key, a weight if wanted, a group if there are any. */
static scene columns(uint64_t groups, bool weighted)
{
    scene of = {.name = groups == 0   ? "columns"
                        : groups < 10 ? "few groups"
                                      : "many groups",
                .reading = {.form = INK_FORM_TSV,
                            .key = first_column,
                            .key_count = 1,
                            .by = groups == 0 ? NULL : "3",
                            .weight = weighted ? "2" : NULL},
                .rows = {.grouped = groups != 0, .weighted = weighted}};
    char  key[4096], group[32];

    for (int i = 0; i < row_count(); i++) {
        size_t   bytes = some_key(key, sizeof key, 2000);
        uint64_t weight = weighted ? records_below(&chance, 20) : 1;
        uint64_t number = groups == 0 ? 0 : records_below(&chance, groups);
        group[0] = '\0'; /* "" is a group too */
        if (number > 0)
            snprintf(group, sizeof group, "group %llu", (unsigned long long)number);
        records_put(&of.text, key, bytes);
        records_say(&of.text, "\t%llu\t%s\n", (unsigned long long)weight, group);
        records_add(&of.rows, key, bytes, group, strlen(group), weight);
    }
    return of;
}

/* JSON: the group may be null, which is not "" and not "null". */
static scene json(bool weighted)
{
    static const char *const key_path[] = {"user.id"};
    static const char *const groups[] = {NULL, "", "null", "a", "b"};
    scene                    of = {.name = "groups that may be null",
                                   .reading = {.form = INK_FORM_JSONL,
                                               .key = key_path,
                                               .key_count = 1,
                                               .by = "tags[0]",
                                               .weight = weighted ? "w" : NULL},
                                   .rows = {.grouped = true, .weighted = weighted}};
    char                     key[4096];

    for (int i = 0; i < row_count(); i++) {
        size_t      bytes = some_key(key, sizeof key, 2000);
        const char *group = groups[records_below(&chance, 5)];
        uint64_t    weight = weighted ? records_below(&chance, 20) : 1;
        records_say(&of.text, "{\"w\":%llu, \"user\":{\"id\":\"", (unsigned long long)weight);
        records_put(&of.text, key, bytes);
        if (group == NULL)
            records_say(&of.text, "\"}, \"tags\":[null]}\n");
        else
            records_say(&of.text, "\"}, \"tags\":[\"%s\", 1]}\n", group);
        records_add(&of.rows, key, bytes, group, group == NULL ? 0 : strlen(group), weight);
    }
    return of;
}

/* Integers: of fixed width, or as text with groups. */
static scene integers(bool grouped)
{
    scene of = {.name = grouped ? "integers with groups" : "integers of 64 bits",
                .width = grouped ? 0 : 8,
                .reading = {.form = grouped ? INK_FORM_LINES : INK_FORM_U64,
                            .keys = INK_KEYS_INT,
                            .blanks = grouped,
                            .by = grouped ? "2" : NULL,
                            .key = grouped ? first_column : NULL,
                            .key_count = grouped},
                .rows = {.ints = true, .grouped = grouped}};
    char  group[32];

    for (int i = 0; i < row_count(); i++) {
        int64_t number = (int64_t)records_below(&chance, 2000) - 1000;
        snprintf(group, sizeof group, "%u", (unsigned)records_below(&chance, 7));
        if (grouped)
            records_say(&of.text, "%lld %s\n", (long long)number, group);
        for (int byte = 0; byte < 8 && !grouped; byte++) {
            uint8_t piece = (uint8_t)((uint64_t)number >> 8 * byte);
            records_put(&of.text, &piece, 1);
        }
        records_add_int(&of.rows, number, group, 1);
    }
    return of;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

#define SMALL_COUNT_MIN .kind = "count-min", .width = 50, .depth = 3
#define SMALL_TOP .kind = "top", .phi = 0.05

/* What is built in one pass. */
typedef struct choice {
    ink_params kinds[4];
    size_t     count;
    bool       no_ints;
} choice;

static const choice choices[] = {
    {{{.kind = "bloom"}}, 1, false},
    {{{.kind = "bloom", .expected_keys = 700, .max_rate = 1}}, 1, false},
    {{{.kind = "bloom", .bits = 25600}}, 1, false},
    {{{.kind = "classic", .false_positive_rate = 1e-6}}, 1, false},
    {{{.kind = "classic", .expected_keys = 900, .max_rate = 1}}, 1, false},
    {{{.kind = "classic", .hash = "mmh3"}}, 1, true},
    {{{.kind = "classic", .hash = "mmh3-signed", .expected_keys = 300, .max_rate = 1}}, 1, true},
    {{{.kind = "classic", .hash = "spark-v2", .seed = 3}}, 1, false},
    {{{.kind = "classic", .hash = "guava"}}, 1, false},
    {{{.kind = "classic", .hash = "dcso"}}, 1, true},
    {{{.kind = "classic", .hash = "guava-32-chars"}}, 1, true},
    {{{.kind = "classic", .hash = "hadoop", .bits = 5000, .hashes = 3}}, 1, true},
    {{{.kind = "classic", .hash = "datasketches-bloom", .expected_keys = 900, .max_rate = 1}},
     1,
     false},
    {{{.kind = "count-min", .width = 50, .depth = 3, .hash = "spark-count-min", .seed = 42}},
     1,
     false},
    {{{.kind = "count-min", .width = 50, .depth = 3, .hash = "redisbloom-cms"}}, 1, true},
    {{{.kind = "hll", .precision = 8, .hash = "datasketches-hll"}}, 1, false},
    {{{.kind = "counting"}}, 1, false},
    {{{.kind = "counting", .expected_keys = 2000, .max_rate = 1}}, 1, false},
    {{{.kind = "scalable"}}, 1, false},
    {{{.kind = "scalable", .expected_keys = 100}}, 1, false},
    {{{SMALL_COUNT_MIN}}, 1, false},
    {{{SMALL_COUNT_MIN, .counter_bits = 64}}, 1, false},
    {{{SMALL_COUNT_MIN, .conservative = true}}, 1, false},
    {{{SMALL_TOP}}, 1, false},
    {{{.kind = "fm", .width = 4, .depth = 3}}, 1, false},
    {{{.kind = "hll", .precision = 8}}, 1, false},
    {{{.kind = "theta", .precision = 5}}, 1, false},
    {{{.kind = "bloom", .seed = 7}, {.kind = "hll", .precision = 6, .seed = 7}}, 2, false},
    {{{.kind = "bloom", .secret = secret}, {SMALL_TOP, .secret = secret}}, 2, false},
    {{{.kind = "bloom"}, {SMALL_COUNT_MIN}, {SMALL_TOP}, {.kind = "counting"}}, 4, false},
    {{{SMALL_TOP}, {.kind = "classic"}, {.kind = "hll"}}, 3, false},
    {{{.kind = "scalable", .expected_keys = 50},
      {SMALL_COUNT_MIN, .conservative = true},
      {.kind = "bloom", .expected_keys = 1000, .max_rate = 1}},
     3,
     false},
};

static bool counts(const choice *of)
{
    ink_kind_info info;

    for (size_t i = 0; i < of->count; i++) {
        CHECK_OK(ink_kind_describe(of->kinds[i].kind, &info, &error));
        if (info.weights)
            return true;
    }
    return false;
}

/* Checks every choice of kinds that fits the scene. */
static void check_choices(scene of)
{
    static char name[128];
    const char *scene_name = of.name;

    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if ((of.rows.ints && choices[i].no_ints) || (of.rows.weighted && !counts(&choices[i])))
            continue;
        of.options = (ink_build_options){.kinds = choices[i].kinds, .kind_count = choices[i].count};
        snprintf(name, sizeof name, "%s, %s%s (choice %zu)", scene_name, choices[i].kinds[0].kind,
                 choices[i].count > 1 ? " and more" : "", i);
        of.name = name;
        check_all_ways(&of);
    }
    free_scene(&of);
}

TEST(lines_give_the_same_by_all_ways)
{
    check_choices(lines_of_keys());
}

TEST(weights_give_the_same_by_all_ways)
{
    check_choices(columns(0, true));
}

TEST(few_groups_give_the_same_by_all_ways)
{
    check_choices(columns(5, false));
    check_choices(columns(5, true));
}

TEST(many_groups_give_the_same_by_all_ways)
{
    check_choices(columns(700, true));
}

TEST(groups_that_may_be_null_give_the_same_by_all_ways)
{
    check_choices(json(true));
}

TEST(integers_give_the_same_by_all_ways)
{
    check_choices(integers(false));
    check_choices(integers(true));
}

/* ---- Headroom, nothing, and what is refused ----------------------------------------------- */

TEST(headroom_plans_for_so_many_times_as_many_keys)
{
    const ink_params kinds[] = {{.kind = "bloom"},
                                {.kind = "classic", .expected_keys = 100, .max_rate = 1}};
    const ink_params hll = {.kind = "hll"};
    owned_scene      of = lines_of_keys(), grouped = columns(5, false);

    of.options = grouped.options =
        (ink_build_options){.kinds = kinds, .kind_count = 2, .headroom = 4};
    of.name = "headroom";
    grouped.name = "headroom of groups";
    check_all_ways(&of);
    check_all_ways(&grouped);
    of.options.headroom = 2.5;
    check_all_ways(&of);
    of.options = (ink_build_options){.kinds = &hll, .kind_count = 1}; /* which has no size */
    records_digest expected = records_digest_by_hand(&of.rows, &of.options);
    of.options.headroom = 4;
    ink_job        job = {.threads = 1};
    records_digest got = from_memory(&of, NULL, job);
    check_same(&of, "memory", job, &got, &expected);
}

TEST(no_records_make_empty_sketches_and_no_groups)
{
    static const ink_params kinds[] = {
        {.kind = "bloom"}, {.kind = "counting"}, {SMALL_TOP}, {.kind = "hll"}};
    scene           of = {.name = "nothing", .options = {kinds, 4, 0}};
    owned_file      by_hand = records_by_hand(&of.rows, &of.options);
    records_digest  expected = records_digest_of(by_hand.file);
    const ink_input nothing = {.path = "nothing"};
    owned_set      *set;
    ink_job         job = {.threads = 3};

    assert_int_equal(ink_file_count(by_hand.file), 4);
    records_digest got = from_file(&of, "records", job);
    check_same(&of, "an empty file", job, &got, &expected);
    job.records = 77; /* of the job before */
    CHECK_OK(ink_build(&set, NULL, 0, &of.reading, &of.options, &job, &error));
    assert_int_equal(job.records, 0);
    assert_int_equal(ink_set_count(set), 4);
    ink_set_free(set);
    records_write("nothing", "", 0);
    of.reading = (ink_reading){.form = INK_FORM_TSV, .by = "1"};
    CHECK_OK(ink_build(&set, &nothing, 1, &of.reading, &of.options, &job, &error));
    assert_int_equal(ink_set_count(set), 0);
}

TEST(a_set_reports_its_entries_and_saves_them)
{
    static const ink_params kinds[] = {{.kind = "bloom"}, {.kind = "hll"}};
    owned_scene             of = columns(5, false);
    const ink_input         input = {.memory = of.text.bytes, .memory_bytes = of.text.count};
    ink_job                 job = {.threads = 2};
    owned_set              *set;
    ink_entry               entry;
    ink_file               *file;
    ink_description         description;
    uint64_t                records = 0;

    of.options = (ink_build_options){.kinds = kinds, .kind_count = 2};
    CHECK_OK(ink_build(&set, &input, 1, &of.reading, &of.options, &job, &error));
    assert_int_equal(ink_set_count(set), 10);
    for (size_t i = 0; i < 10; i++) {
        CHECK_OK(ink_set_entry(set, i, &entry, &error));
        ink_sketch_describe(entry.sketch, &description);
        assert_int_equal(entry.label.group_kind, INK_GROUP_BYTES);
        records += description.records;
    }
    assert_int_equal(records, 2 * row_count());
    CHECK_FAILS(ink_set_entry(set, 10, &entry, &error), INK_NOT_FOUND, "10");
    CHECK_OK(ink_set_save(set, "saved.ink", &error));
    owned_file encoded = records_encode(set);
    CHECK_OK(ink_file_open(&file, "saved.ink", INK_OPEN_CHECKED, NULL, &error));
    records_digest a = records_digest_of(encoded.file), b = records_digest_of(file);
    CHECK(records_same(&a, &b));
    ink_file_close(file);
}

TEST(what_cannot_be_built_is_refused_by_name)
{
#define ONE_BLOOM {{.kind = "bloom"}}, 1
    static const struct {
        ink_reading reading;
        ink_params  kinds[2];
        size_t      kind_count;
        const char *text, *words;
        double      headroom;
    } wrong[] = {
        {{0}, {{.kind = "blom"}}, 1, "a\n", "bloom", 0},
        {{0}, {{0}}, 0, "a\n", "no kind", 0},
        {{0}, {{.kind = "bloom"}, {.kind = "bloom"}}, 2, "a\n", "twice", 0},
        {{.form = INK_FORM_TSV, .weight = "2"}, ONE_BLOOM, "a\t1\n", "weights", 0},
        {{.form = INK_FORM_TSV, .round = INK_ROUND_HALF_UP}, ONE_BLOOM, "a\t1\n", "rounding", 0},
        {{.key = first_column, .key_count = 1}, ONE_BLOOM, "a\n", "a column", 0},
        {{0}, ONE_BLOOM, "a\n", "headroom", 0.5},
        /* All sketches of a file have one key rule. */
        {{0}, {{.kind = "bloom"}, {.kind = "hll", .seed = 5}}, 2, "a\n", "seed", 0},
        {{0}, {{.kind = "bloom"}, {.kind = "classic", .hash = "mmh3"}}, 2, "a\n", "hash", 0},
        {{0}, {{.kind = "bloom", .secret = secret}, {.kind = "hll"}}, 2, "a\n", "secret", 0},
        {{0},
         {{.kind = "bloom", .secret = secret}, {.kind = "hll", .secret = other_secret}},
         2,
         "a\n",
         "secret",
         0},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const ink_input         input = {.memory = (const uint8_t *)wrong[i].text,
                                         .memory_bytes = strlen(wrong[i].text)};
        const ink_build_options options = {.kinds = wrong[i].kinds,
                                           .kind_count = wrong[i].kind_count,
                                           .headroom = wrong[i].headroom};
        ink_job                 job = {.threads = 2};
        ink_set                *set = NULL;
        CHECK_FAILS(ink_build(&set, &input, 1, &wrong[i].reading, &options, &job, &error),
                    INK_USAGE, wrong[i].words);
        assert_null(set);
    }
}

static const ink_build_options one_bloom = {.kinds = &(const ink_params){.kind = "bloom"},
                                            .kind_count = 1};

/* ---- Bad records -------------------------------------------------------------------------- */

TEST(a_bad_record_is_reported_by_path_and_line_for_any_number_of_threads)
{
    const ink_reading ints = {.keys = INK_KEYS_INT};
    const ink_input   inputs[] = {{.path = "good"}, {.path = "bad"}};
    owned_bytes       text = {0};
    ink_set          *set;

    for (int i = 1; i <= 5000; i++)
        records_say(&text, i == 3210 || i == 3211 || i == 4900 ? "x%d\n" : "%d\n", i);
    records_write("good", "1\n2\n", 4);
    records_write("bad", text.bytes, text.count);
    for (unsigned threads = 1; threads <= 8; threads++)
        for (unsigned fifo = 0; fifo < 2; fifo++) {
            ink_job job = {.threads = threads, .chunk_bytes = 1 + records_below(&chance, 3000)};
            records_pipe *pipe = NULL;
            if (fifo) {
                unlink("bad");
                pipe = records_pipe_begin("bad", text.bytes, text.count);
            }
            CHECK_FAILS(ink_build(&set, inputs, 2, &ints, &one_bloom, &job, &error), INK_FORMAT,
                        "\"x3210\"");
            assert_int_equal(error.location, INK_AT_LINE);
            assert_int_equal(error.at, 3210);
            CHECK(job.failed_path == inputs[1].path);
            if (fifo) {
                records_pipe_end(pipe);
                records_write("bad", text.bytes, text.count);
            }
        }
}

/* The first chunk is bad only at its end, and all others at once: whichever is first in time, the
 * first in the input is reported. */
TEST(the_first_bad_record_is_reported_whichever_thread_fails_first)
{
    const ink_params        kind = {.kind = "bloom", .expected_keys = 10};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    const ink_reading       ints = {.keys = INK_KEYS_INT};
    owned_bytes             text = {0};
    ink_set                *set;

    for (int i = 1; i < 50000; i++)
        records_put(&text, "1234567\n", 8);
    for (int i = 0; i < 50000; i++)
        records_put(&text, i == 0 ? "first x\n" : "other x\n", 8);
    const ink_input input = {.memory = text.bytes, .memory_bytes = text.count};
    for (int i = 0; i < 10; i++) {
        ink_job job = {.threads = 3, .chunk_bytes = 8 * 50000 / (1 + (uint64_t)i % 2 * 50)};
        CHECK_FAILS(ink_build(&set, &input, 1, &ints, &options, &job, &error), INK_FORMAT,
                    "first x");
        assert_int_equal(error.at, 50000);
    }
}

TEST(bad_records_are_skipped_and_counted_where_asked)
{
    owned_scene of = {.reading = {.keys = INK_KEYS_INT, .skip_bad = true},
                      .rows = {.ints = true},
                      .options = one_bloom};

    for (int i = 0; i < 2000; i++) {
        bool bad = i % 7 == 0 || (i > 500 && i < 800);
        records_say(&of.text, bad ? "no %d\n" : "%d\n", i);
        if (!bad)
            records_add_int(&of.rows, i, NULL, 1);
    }
    records_digest expected = records_digest_by_hand(&of.rows, &of.options);
    for (unsigned threads = 1; threads <= 3; threads++) {
        const ink_input input = {.memory = of.text.bytes, .memory_bytes = of.text.count};
        ink_job         job = {.threads = threads, .chunk_bytes = 1 + records_below(&chance, 999)};
        owned_set      *set;
        CHECK_OK(ink_build(&set, &input, 1, &of.reading, &of.options, &job, &error));
        assert_int_equal(job.records, of.rows.count);
        assert_int_equal(job.bad, 2000 - of.rows.count);
        records_digest got = records_digest_of_set(set);
        check_same(&of, "memory", job, &got, &expected);
    }
}

TEST(a_path_that_cannot_be_read_is_reported)
{
    const ink_input inputs[] = {{.path = "there"}, {.path = "not there"}};
    ink_set        *set;

    records_write("there", "a\n", 2);
    for (unsigned threads = 1; threads <= 3; threads++) {
        ink_job job = {.threads = threads};
        CHECK_FAILS(ink_build(&set, inputs, 2, &(ink_reading){0}, &one_bloom, &job, &error), INK_IO,
                    "");
        CHECK(job.failed_path == inputs[1].path);
        CHECK(error.os_error != 0);
    }
}

RUN_TESTS_REMOVING("nothing", "saved.ink", "good", "bad", "there")
