/* faults_test.c - every allocation and every system call of small jobs is made to fail in turn: the
 * job fails with INK_MEMORY or INK_IO, names the path that it was about, holds nothing and leaves
 * nothing behind; and where a failure does no harm, the result is the same. */
#define _DEFAULT_SOURCE 1
#include "inkling_command.h"
#include "inkling_job.h"
#include "inkling_pieces.h"

#include "support/arrow.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static ink_error error;

/* ---- Jobs --------------------------------------------------------------------------------- */

typedef struct scene scene;

/* A whole job, all of whose memory comes from job->allocator. Adds what it made to `out`, nothing
 * on failure. */
typedef ink_status run(const scene *of, ink_job *job, records_bytes *out);

/* What a job does, and to what. */
struct scene {
    const char        *name;
    run               *run;
    bool               writes; /* its failures may be about a file that it writes */
    const char        *path;
    const ink_reading *reading;
    ink_params         kinds[5];
    size_t             kind_count;
    uint64_t           memory; /* 0: enough; else the rest goes to disk */
    /* In pieces: */
    uint32_t buckets;
    uint64_t slice_bytes; /* 0: no ranges */
    bool     counts_first, relays;
    /* Of a verification: */
    uint64_t tests_max;
    bool     absent;
};

static const char *const column[] = {"1"};
static const ink_reading plain = {.form = INK_FORM_TSV, .key = column, .key_count = 1};
static const ink_reading grouped = {
    .form = INK_FORM_TSV, .key = column, .key_count = 1, .by = "2", .weight = "3"};
static const ink_reading unweighted = {
    .form = INK_FORM_TSV, .key = column, .key_count = 1, .by = "2"};

/* Encodes a set that was made, and frees it. */
static ink_status keep_set(ink_set *set, const ink_job *job, records_bytes *out)
{
    uint8_t   *bytes;
    size_t     count;
    ink_status status = ink_set_encode(set, &bytes, &count, &error);

    if (status == INK_OK) {
        records_put(out, bytes, count);
        ink_bytes_free(bytes, count, job->allocator);
    }
    ink_set_free(set);
    return status;
}

/* What is kept of records goes to a file, a few blocks at a time, where there is little memory. */
static ink_status build(const scene *of, ink_job *job, records_bytes *out)
{
    const ink_input         inputs[] = {{.path = of->path}, {.path = "more.tsv"}};
    const ink_build_options options = {.kinds = of->kinds, .kind_count = of->kind_count};
    ink_set                *set;

    job->memory_bytes = of->memory;
    job->temp_folder = ".";
    ink_status status = ink_build(&set, inputs, 2, of->reading, &options, job, &error);
    return status == INK_OK ? keep_set(set, job, out) : status;
}

/* Two arrays, whose columns need work: a dictionary, 32-bit offsets, nulls. */
static ink_status build_of_columns(const scene *of __attribute__((unused)), ink_job *job,
                                   records_bytes *out)
{
    static const char *const texts[] = {"ant", NULL, "a longer name", "bee", "cow"};
    static const int64_t     indices[] = {2, 0, 1, 1, 0}, groups[] = {7, 8, 7, 0, -1};
    static const char *const key[] = {"key", "word"};
    static const ink_params  kinds[] = {{.kind = "bloom"}, {.kind = "top", .phi = 0.2}};

    arrow_data arrays[2];
    for (size_t i = 0; i < 2; i++) {
        arrow_data columns[] = {
            arrow_texts("key", "u", texts, 5, i),
            arrow_dictionary("word", "c", indices, NULL, 5, 1,
                             arrow_texts("", "vu", texts + 2, 3, 0)),
            arrow_ints("by", "i", groups, "11011", 5, 0),
        };
        arrays[i] = arrow_struct(columns, 3, NULL, 5, 0);
    }
    struct ArrowArrayStream stream = arrow_stream(arrays, 2, SIZE_MAX);
    const ink_input         input = {.path = "columns", .arrow = &stream};
    const ink_reading       reading = {.key = key, .key_count = 2, .by = "by"};
    const ink_build_options options = {.kinds = kinds, .kind_count = 2};
    ink_set                *set;
    ink_status              status = ink_build(&set, &input, 1, &reading, &options, job, &error);
    stream.release(&stream);
    assert_int_equal(arrow_live(), 0);
    return status == INK_OK ? keep_set(set, job, out) : status;
}

static ink_status uniq(const scene *of, ink_job *job, records_bytes *out)
{
    const ink_input  inputs[] = {{.path = of->path}, {.path = "more.tsv"}};
    owned_bytes      passed = {0};
    const ink_sink   sink = records_sink(&passed);
    ink_uniq_options options = {0};
    ink_uniq_report  report;

    job->memory_bytes = 10000;
    ink_status status = ink_uniq(inputs, 2, &plain, &options, &sink, &report, job, &error);
    if (status == INK_OK)
        records_put(out, passed.bytes, passed.count);
    return status;
}

static ink_status filter(const scene *of __attribute__((unused)), ink_job *job, records_bytes *out)
{
    const ink_input   inputs[] = {{.path = "in.tsv"}, {.path = "in.tsv.gz"}};
    owned_bytes       passed = {0};
    const ink_sink    sink = records_sink(&passed);
    ink_filter_report report;
    ink_file         *file;
    ink_status status = ink_file_open(&file, "set.ink", INK_OPEN_CHECKED, job->allocator, &error);

    if (status != INK_OK) {
        job->failed_path = "set.ink";
        return status;
    }
    status =
        ink_filter(file, inputs, 2, &plain, &(ink_filter_options){0}, &sink, &report, job, &error);
    if (status == INK_OK)
        records_put(out, passed.bytes, passed.count);
    ink_file_close(file);
    return status;
}

static ink_status verify(const scene *of, ink_job *job, records_bytes *out)
{
    const ink_input          input = {.path = "in.tsv"}, absent = {.path = "more.tsv"};
    const ink_verify_options options = {.tests_max = of->tests_max,
                                        .absent = of->absent ? &absent : NULL,
                                        .absent_count = of->absent};
    ink_verification        *verification;
    ink_verification_summary summary;
    ink_file                *file;
    ink_status status = ink_file_open(&file, of->path, INK_OPEN_CHECKED, job->allocator, &error);

    if (status != INK_OK) {
        job->failed_path = of->path;
        return status;
    }
    status = ink_verify(&verification, file, &input, 1, of->reading, &options, job, &error);
    ink_file_close(file);
    if (status != INK_OK)
        return status;
    ink_verification_summarise(verification, &summary);
    records_say(out, "%d %llu %llu %llu\n", summary.ok, (unsigned long long)summary.tested,
                (unsigned long long)summary.false_positives, (unsigned long long)summary.denied);
    ink_verification_free(verification);
    return INK_OK;
}

static ink_status merge(const scene *of __attribute__((unused)), ink_job *job, records_bytes *out)
{
    const char *const paths[] = {"set.ink", "other.ink", "set.ink"};
    ink_set          *set;
    ink_status        status =
        ink_merge_files(&set, paths, 3, &(ink_merge_options){.max_rate = 0.9}, job, &error);

    return status == INK_OK ? keep_set(set, job, out) : status;
}

static ink_status open_file(const scene *of __attribute__((unused)), ink_job *job,
                            records_bytes *out)
{
    ink_file  *file;
    ink_status status = ink_job_open(&file, "set.ink", job, &error);

    if (status != INK_OK)
        return status;
    records_say(out, "%zu\n", ink_file_count(file));
    ink_file_close(file);
    return INK_OK;
}

static ink_status fold(const scene *of __attribute__((unused)), ink_job *job, records_bytes *out)
{
    ink_set   *set;
    ink_status status = ink_fold_file(&set, "plain.ink", 0.4, 0, job, &error);

    return status == INK_OK ? keep_set(set, job, out) : status;
}

/* Distinguished from records, and merged. */
static ink_status union_files(const scene *of __attribute__((unused)), ink_job *job,
                              records_bytes *out)
{
    const ink_union_options asked = {.question = INK_ASK_DISTINCT};
    ink_input               inputs[] = {{.path = "set.ink"}, {.path = "other.ink"}};
    bool                    sketches;
    ink_set                *set;
    ink_status              status = ink_inputs_look(inputs, 2, &sketches, job, &error);

    if (status == INK_OK)
        status = ink_union_files(&set, inputs, 2, &asked, job, &error);
    return status == INK_OK ? keep_set(set, job, out) : status;
}

static int keep_overlap(void *host, const ink_overlap_row *row)
{
    records_bytes *out = host;

    records_put(out, row->label.group, row->label.group_bytes);
    records_say(out, " %zu %zu %g\n", row->a, row->b, row->overlap.intersection.high);
    return 0;
}

/* Of files, two of which have the same groups, and of sets. */
static ink_status overlap(const scene *of __attribute__((unused)), ink_job *job, records_bytes *out)
{
    const ink_overlap_options options = {.confidence = 0.9};
    const ink_union_options   asked = {.question = INK_ASK_OVERLAP};
    const ink_input inputs[] = {{.path = "hll.ink"}, {.path = "hll.ink"}, {.path = "few.ink"}};
    owned_bytes     rows = {0};
    const ink_overlap_sink sink = {keep_overlap, &rows};
    ink_set               *set;
    ink_status             status = ink_overlap_files(inputs, 3, &options, &sink, job, &error);

    if (status == INK_OK)
        status = ink_union_files(&set, inputs, 1, &asked, job, &error);
    if (status != INK_OK)
        return status;
    const ink_set *const sets[] = {set, set};
    status = ink_overlap_sets(sets, 2, &options, &sink, job, &error);
    ink_set_free(set);
    if (status == INK_OK)
        records_put(out, rows.bytes, rows.count);
    return status;
}

static int keep_count(void *host, const ink_count_row *row)
{
    records_bytes *out = host;

    records_put(out, row->label.group, row->label.group_bytes);
    records_put(out, row->key, row->key_bytes);
    records_say(out, " %g\n", row->count.estimate);
    return 0;
}

/* Each key is asked of its own group. */
static ink_status count(const scene *of __attribute__((unused)), ink_job *job, records_bytes *out)
{
    const ink_union_options asked = {.question = INK_ASK_DISTINCT, .kind = "counting"};
    const ink_input         sketches = {.path = "counting.ink"};
    const ink_input         keys[] = {{.path = "in.tsv"}, {.path = "in.tsv.gz"}};
    owned_bytes             counted = {0};
    const ink_count_sink    sink = {.row = keep_count, .host = &counted};
    ink_set                *set;
    ink_status              status = ink_union_files(&set, &sketches, 1, &asked, job, &error);

    if (status != INK_OK)
        return status;
    status = ink_count_keys(set, keys, 2, &grouped, &sink, job, &error);
    ink_set_free(set);
    if (status == INK_OK)
        records_put(out, counted.bytes, counted.count);
    return status;
}

/* Built, saved, and read again with everything in order. */
static ink_status save(const scene *of __attribute__((unused)), ink_job *job, records_bytes *out)
{
    static const ink_params kind = {.kind = "bloom"};
    const ink_input         input = {.path = "in.tsv"};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    ink_set                *set;
    ink_status              status = ink_build(&set, &input, 1, &plain, &options, job, &error);

    if (status != INK_OK)
        return status;
    job->failed_path = "saved.ink";
    status = ink_set_save_to(set, "saved.ink", true, &error);
    if (status == INK_OK)
        status = ink_job_save(set, "saved.ink", true, job, &error);
    ink_set_free(set);
    unlink("saved.ink");
    if (status == INK_OK)
        records_say(out, "saved\n");
    return status;
}

/* A file that is written whole or not at all. */
static ink_status write_output(const scene *of __attribute__((unused)), ink_job *job,
                               records_bytes *out)
{
    ink_output *output;
    ink_status  status = ink_output_begin(&output, "written", &error);

    job->failed_path = "written";
    if (status != INK_OK)
        return status;
    for (int i = 0; i < 3 && status == INK_OK; i++)
        status = ink_output_write(output, "some text\n", 10, &error);
    if (status != INK_OK)
        ink_output_abandon(output);
    else
        status = ink_output_commit(output, &error);
    unlink("written");
    if (status == INK_OK)
        records_say(out, "written\n");
    return status;
}

typedef ink_status ender(ink_reducer *reducer, const ink_piece_sink *sink, ink_error *error);

/* A reducer for each bucket. */
static ink_status reduce(const ink_reading *reading, const ink_pieces_options *options,
                         const records_pieces *from, ender *end, records_pieces *to,
                         const ink_job *job)
{
    const ink_piece_sink sink = {.take = records_take_piece, .host = to};
    ink_status           status = INK_OK;

    for (uint32_t bucket = 0; bucket < options->buckets && status == INK_OK; bucket++) {
        ink_reducer *reducer;
        status = ink_reducer_create(&reducer, reading, options, job, &error);
        if (status != INK_OK)
            return status;
        for (size_t i = 0; i < from->count && status == INK_OK; i++)
            if (from->buckets[i] == bucket)
                status = ink_reducer_add(reducer, from->list[i].bytes, from->list[i].count, &error);
        if (status == INK_OK)
            status = end(reducer, &sink, &error);
        ink_reducer_free(reducer);
    }
    return status;
}

/* What pieces measure, sent once more as it is to tasks. */
static ink_status measure(const records_pieces *from, ink_sizes **sizes, const ink_job *job)
{
    uint8_t   *bytes = NULL;
    size_t     count = 0;
    ink_sizes *first;
    ink_status status = ink_sizes_create(&first, job->allocator, &error);

    if (status != INK_OK)
        return status;
    for (size_t i = 0; i < from->count && status == INK_OK; i++)
        status = ink_sizes_add(first, from->list[i].bytes, from->list[i].count, &error);
    if (status == INK_OK)
        status = ink_sizes_encode(first, &bytes, &count, &error);
    ink_sizes_free(first);
    if (status == INK_OK)
        status = ink_sizes_create(sizes, job->allocator, &error);
    if (status == INK_OK)
        status = ink_sizes_add(*sizes, bytes, count, &error);
    ink_bytes_free(bytes, count, job->allocator);
    return status;
}

/* The file that finished pieces make; that it is written is another job's business. */
static ink_status assemble(const records_pieces *from, ink_job *job, records_bytes *out)
{
    ink_assembly *assembly;
    ink_file     *file = NULL;
    uint8_t       digest[INK_DIGEST_BYTES];
    ink_status    status = ink_assembly_open(&assembly, ".", job->allocator, &error);

    job->failed_path = "assembled.ink";
    if (status != INK_OK)
        return status;
    for (size_t i = 0; i < from->count && status == INK_OK; i++)
        status = ink_assembly_add(assembly, from->list[i].bytes, from->list[i].count, &error);
    if (status == INK_OK)
        status = ink_assembly_save(assembly, "assembled.ink", NULL, NULL, 0, &error);
    if (status == INK_OK)
        status = ink_file_open(&file, "assembled.ink", INK_OPEN_CHECKED, job->allocator, &error);
    if (status == INK_OK)
        status = ink_file_digest(file, digest, &error);
    if (status == INK_OK)
        records_put(out, digest, sizeof digest);
    ink_file_close(file);
    unlink("assembled.ink");
    ink_assembly_close(assembly);
    return status;
}

/* All steps that a build in pieces can have. */
static ink_status build_in_pieces(const scene *of, ink_job *job, records_bytes *out)
{
    const ink_input         input = {.path = "more.tsv"};
    const ink_reading      *reading = of->reading;
    const ink_build_options build_options = {.kinds = of->kinds, .kind_count = of->kind_count};
    ink_pieces_options      options = {.build = &build_options,
                                       .buckets = of->buckets,
                                       .ranged = of->slice_bytes > 0,
                                       .slice_bytes = of->slice_bytes};
    static records_pieces   counts, kept, relayed, measures, finished;
    const ink_piece_sink    counting = {records_take_piece, &counts},
                         keeping = {records_take_piece, &kept};
    ink_sizes *counted = NULL, *measured = NULL;
    ink_status status = INK_OK;

    if (of->counts_first) {
        status = ink_map_count(&input, 1, reading, &options, &counting, job, &error);
        if (status == INK_OK)
            status = measure(&counts, &counted, job);
    }
    options.counts = counted;
    if (status == INK_OK)
        status = ink_map(&input, 1, reading, &options, &keeping, job, &error);
    if (status == INK_OK && of->relays)
        status = reduce(reading, &options, &kept, ink_reducer_relay, &relayed, job);
    const records_pieces *pieces = of->relays ? &relayed : &kept;
    if (status == INK_OK && options.ranged)
        status = reduce(reading, &options, pieces, ink_reducer_measure, &measures, job);
    if (status == INK_OK && options.ranged)
        status = measure(&measures, &measured, job);
    options.sizes = measured;
    if (status == INK_OK)
        status = reduce(reading, &options, pieces, ink_reducer_finish, &finished, job);
    if (status == INK_OK)
        status = assemble(&finished, job, out);
    ink_sizes_free(counted);
    ink_sizes_free(measured);
    records_pieces_free(&counts);
    records_pieces_free(&kept);
    records_pieces_free(&relayed);
    records_pieces_free(&measures);
    records_pieces_free(&finished);
    return status;
}

#define MURMUR                                                                                     \
    {                                                                                              \
        {                                                                                          \
            .kind = "classic", .hash = "mmh3"                                                      \
        }                                                                                          \
    }
#define COUNTING                                                                                   \
    {                                                                                              \
        {                                                                                          \
            .kind = "counting"                                                                     \
        }                                                                                          \
    }

static const scene jobs[] = {
    {"a build of many kinds",
     build,
     false,
     "in.tsv",
     &plain,
     {{.kind = "bloom"},
      {.kind = "counting"},
      {.kind = "hll", .precision = 6},
      {.kind = "top", .phi = 0.2},
      {.kind = "scalable", .expected_keys = 4}},
     .kind_count = 5},
    {"a build of groups",
     build,
     false,
     "in.tsv.gz",
     &grouped,
     {{.kind = "bloom"},
      {.kind = "count-min", .width = 8, .depth = 2},
      {.kind = "top", .phi = 0.2}},
     .kind_count = 3},
    {"a build of keys", build, false, "in.tsv", &unweighted, MURMUR, .kind_count = 1},
    {"a build on disk", build, true, "in.tsv", &plain, COUNTING, 1, .memory = 3000},
    {"a build of groups on disk", build, true, "in.tsv", &grouped, COUNTING, 1, .memory = 1},
    {"a build of Arrow columns", build_of_columns, .writes = false},
    {"a filter", filter, .writes = false},
    {"a uniq", uniq, .path = "in.tsv"},
    {"a uniq of what is compressed", uniq, .path = "in.tsv.gz"},
    {"a verification of groups", verify, false, "set.ink", &grouped, .absent = false},
    {"a verification with absent keys", verify, false, "set.ink", &grouped, .absent = true},
    {"a verification with random keys", verify, false, "plain.ink", &plain, .tests_max = 100},
    {"a merge", merge, .writes = false},
    {"a fold", fold, .writes = false},
    {"an opening", open_file, .writes = false},
    {"a union", union_files, .writes = false},
    {"an overlap", overlap, .writes = false},
    {"a count", count, .writes = false},
    {"a build in pieces",
     build_in_pieces,
     true,
     NULL,
     &plain,
     {{.kind = "bloom"}, {.kind = "hll", .precision = 6}},
     .kind_count = 2,
     .buckets = 2,
     .slice_bytes = 30,
     .relays = true},
    {"a build of groups in pieces",
     build_in_pieces,
     true,
     NULL,
     &grouped,
     {{.kind = "bloom"}, {.kind = "counting"}, {.kind = "count-min", .width = 8, .depth = 2}},
     .kind_count = 3,
     .buckets = 1,
     .slice_bytes = 100,
     .counts_first = true},
    {"a build of keys in pieces", build_in_pieces, true, NULL, &unweighted, MURMUR, 1, .buckets = 1,
     .counts_first = true},
    {"a save", save, .writes = true},
    {"an output", write_output, .writes = true},
};
enum { JOBS = sizeof jobs / sizeof jobs[0] };

/* ---- Files -------------------------------------------------------------------------------- */

static const char *const names[] = {"in.tsv",    "in.tsv.gz",    "more.tsv", "set.ink", "other.ink",
                                    "plain.ink", "counting.ink", "hll.ink",  "few.ink"};
enum { NAMES = sizeof names / sizeof names[0] };

static void write_set(const char *path, const ink_reading *reading, const char *data,
                      const char *name)
{
    const bool              filter = strcmp(name, "hll") != 0;
    const ink_params        kind = {.kind = name, .expected_keys = filter ? 30 : 0};
    const ink_input         input = {.path = data};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    ink_reading             without = *reading;
    ink_job                 job = {.threads = 1};
    owned_set              *set;

    without.weight = NULL;
    CHECK_OK(ink_build(&set, &input, 1, &without, &options, &job, &error));
    CHECK_OK(ink_set_save(set, path, &error));
}

static int make_files(void **state)
{
    records_bytes text = {0};

    (void)state;
    for (int i = 0; i < 60; i++)
        records_say(&text, "key %d\tgroup %d\t%d\n", i % 40, i % 3, i);
    records_write("in.tsv", text.bytes, text.count);
    records_gzip("in.tsv.gz", text.bytes, text.count);
    records_bytes_free(&text);
    for (int i = 0; i < 20; i++)
        records_say(&text, "more %d\tgroup %d\t%d\n", i, i % 5, i);
    records_write("more.tsv", text.bytes, text.count);
    records_bytes_free(&text);
    write_set("set.ink", &grouped, "in.tsv", "bloom");
    write_set("other.ink", &grouped, "more.tsv", "bloom");
    write_set("plain.ink", &plain, "in.tsv", "bloom");
    write_set("hll.ink", &grouped, "in.tsv", "hll");
    write_set("few.ink", &grouped, "more.tsv", "hll");
    write_set("counting.ink", &grouped, "in.tsv", "counting");
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        unlink(names[i]);
    return 0;
}

/* What a job makes when nothing fails. */
static records_bytes result_of(const scene *of)
{
    records_bytes out = {0};
    ink_job       job = {.threads = 1};

    CHECK_OK(of->run(of, &job, &out));
    CHECK(out.count > 0);
    assert_int_equal(faults_names_here(), NAMES);
    return out;
}

static bool same_bytes(const records_bytes *a, const records_bytes *b)
{
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void check_refusals(size_t number, bool and_after)
{
    owned_bytes expected = result_of(&jobs[number]);

    for (uint64_t nth = 1;; nth++) {
        faults_memory       memory = {.refuse_at = nth, .refuse_after = and_after};
        const ink_allocator allocator = faults_allocator(&memory);
        ink_job             job = {.threads = 1, .allocator = &allocator};
        owned_bytes         out = {0};
        error = (ink_error){0};
        ink_status status = jobs[number].run(&jobs[number], &job, &out);
        if (memory.refused == 0)
            CHECK(status == INK_OK && same_bytes(&out, &expected));
        else if (status != INK_MEMORY || error.status != INK_MEMORY || out.count != 0)
            fail_msg("%s, allocation %llu refused: %s \"%s\"", jobs[number].name,
                     (unsigned long long)nth, ink_status_name(status), error.message);
        if (memory.live_blocks != 0)
            fail_msg("%s, allocation %llu refused: %llu blocks are not given back",
                     jobs[number].name, (unsigned long long)nth,
                     (unsigned long long)memory.live_blocks);
        assert_int_equal(faults_names_here(), NAMES);
        if (memory.refused == 0)
            break;
    }
}

TEST(every_allocation_may_be_refused)
{
    for (size_t i = 0; i < JOBS; i++)
        if (jobs[i].run != write_output) { /* which has no allocator to be given */
            check_refusals(i, false);
            check_refusals(i, true);
        }
}

/* ---- The system --------------------------------------------------------------------------- */

/* Calls without which a job cannot do its work; others may fail without harm. */
static bool is_needed(faults_call call)
{
    return call == FAULTS_OPEN || call == FAULTS_READ || call == FAULTS_WRITE ||
           call == FAULTS_WRITE_AT || call == FAULTS_READ_AT || call == FAULTS_SYNC ||
           call == FAULTS_RENAME;
}

/* One of the files of the job. */
static bool is_a_name(const char *path)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return strcmp(path, "saved.ink") == 0 || strcmp(path, "written") == 0 ||
           strcmp(path, "assembled.ink") == 0;
}

static void check_failure(size_t number, faults_call call, unsigned nth, ink_status status,
                          const ink_job *job)
{
    if (status != INK_IO || error.status != INK_IO || error.os_error != EIO)
        fail_msg("%s, call %u of kind %d: %s, errno %d, \"%s\"", jobs[number].name, nth, call,
                 ink_status_name(status), error.os_error, error.message);
    /* What a job reads has a path; a file without a name has none. */
    bool reported = job->failed_path != NULL && is_a_name(job->failed_path);
    if (!reported && !(jobs[number].writes && job->failed_path == NULL))
        fail_msg("%s, call %u of kind %d: the reported path is %s", jobs[number].name, nth, call,
                 job->failed_path == NULL ? "none" : job->failed_path);
}

/* Makes the n-th call of a kind fail; whether there was one. */
static bool check_fault(size_t number, faults_call call, unsigned nth,
                        const records_bytes *expected)
{
    owned_bytes out = {0};
    ink_job     job = {.threads = 1};

    error = (ink_error){0};
    faults_system_begin(&(faults_plan){.call = call, .nth = nth, .os_error = EIO});
    ink_status status = jobs[number].run(&jobs[number], &job, &out);
    faults_system_end();
    bool struck = faults_struck();
    if (status == INK_OK) {
        CHECK(same_bytes(&out, expected));
        if (struck && is_needed(call))
            fail_msg("%s, call %u of kind %d failed without an error", jobs[number].name, nth,
                     call);
    } else
        check_failure(number, call, nth, status, &job);
    if (faults_open_files() != 0 || (faults_maps() != 0 && call != FAULTS_UNMAP))
        fail_msg("%s, call %u of kind %d: %d files are open, %d mapped", jobs[number].name, nth,
                 call, faults_open_files(), faults_maps());
    if (call != FAULTS_UNLINK)
        assert_int_equal(faults_names_here(), NAMES);
    return struck;
}

TEST(every_system_call_may_fail)
{
    for (size_t i = 0; i < JOBS; i++) {
        owned_bytes expected = result_of(&jobs[i]);
        for (faults_call call = 0; call < FAULTS_ANY; call++)
            for (unsigned nth = 1; check_fault(i, call, nth, &expected); nth++)
                ;
    }
}

TEST(jobs_on_disk_write_and_read_a_file)
{
    for (size_t i = 0; i < JOBS; i++) {
        if (jobs[i].memory == 0)
            continue;
        owned_bytes out = {0};
        ink_job     job = {.threads = 1};
        faults_system_begin(NULL);
        CHECK_OK(jobs[i].run(&jobs[i], &job, &out));
        faults_system_end();
        CHECK(faults_calls(FAULTS_WRITE_AT) > 1 && faults_calls(FAULTS_READ_AT) > 1);
    }
}

TEST(interrupted_and_short_calls_change_nothing)
{
    for (size_t i = 0; i < JOBS; i++) {
        owned_bytes expected = result_of(&jobs[i]), out = {0};
        ink_job     job = {.threads = 1};
        faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = 3});
        ink_status status = jobs[i].run(&jobs[i], &job, &out);
        faults_system_end();
        if (status != INK_OK)
            fail_msg("%s: %s \"%s\"", jobs[i].name, ink_status_name(status), error.message);
        CHECK(same_bytes(&out, &expected));
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_names_here(), NAMES);
    }
}

/* ---- Paths -------------------------------------------------------------------------------- */

static ink_status build_bloom(const ink_input *inputs, size_t count, ink_job *job)
{
    static const ink_params kind = {.kind = "bloom"};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    ink_set                *set;

    return ink_build(&set, inputs, count, &plain, &options, job, &error);
}

TEST(a_failure_to_read_names_the_input)
{
    const ink_input inputs[] = {{.path = "more.tsv"}, {.path = "in.tsv.gz"}};

    /* Of each input the first bytes are read, to see whether it is compressed; the second one is
     * then read to its end. */
    for (unsigned nth = 1; nth <= 2; nth++) {
        ink_job job = {.threads = 1};
        faults_system_begin(&(faults_plan){.call = FAULTS_READ, .nth = nth, .os_error = EIO});
        CHECK_FAILS(build_bloom(inputs, 2, &job), INK_IO, "");
        faults_system_end();
        CHECK(job.failed_path == inputs[nth - 1].path);
    }
}

TEST(data_that_are_cut_off_are_reported_with_their_path)
{
    const ink_input inputs[] = {{.path = "in.tsv"}, {.path = "cut.gz"}};
    ink_job         job = {.threads = 1};
    owned_bytes     whole = records_read("in.tsv.gz");

    assert_true(whole.count > 64);
    records_write("cut.gz", whole.bytes, 64);
    CHECK_FAILS(build_bloom(inputs, 2, &job), INK_FORMAT, "");
    CHECK(job.failed_path == inputs[1].path);
    unlink("cut.gz");
}

TEST(a_folder_for_temporary_files_that_is_not_there_is_an_error)
{
    const ink_input input = {.path = "in.tsv"};
    ink_job         job = {.threads = 1, .memory_bytes = 1, .temp_folder = "not there"};

    CHECK_FAILS(build_bloom(&input, 1, &job), INK_IO, "temporary");
    assert_int_equal(error.os_error, ENOENT);
    /* The environment names it by default. */
    job.temp_folder = NULL;
    faults_system_begin(&(faults_plan){.variable = "TMPDIR", .value = "nowhere"});
    CHECK_FAILS(build_bloom(&input, 1, &job), INK_IO, "temporary");
    assert_string_equal(faults_last_opened(), "nowhere");
    faults_system_end();
}

RUN_TESTS(.begin = make_files, .end = remove_files)
