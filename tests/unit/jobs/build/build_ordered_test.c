/* build_ordered_test.c - kinds that depend on the order of keys are made of segments of the input,
 * merged in order: the same bytes for any number of threads, any chunks and any segments, whether
 * these are read beside each other or one after another. */
#include "jobs/build/build_state.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static ink_error error;
static uint64_t  chance = 77;

enum { ROWS = 5000, PARTS = 3, KINDS = 2 };

/* Two that are merged, and one that has many levels and one writer: alone, or beside another. */
static const struct {
    ink_params kinds[KINDS];
    size_t     count;
} lists[] = {
    {{{.kind = "top", .phi = 0.05},
      {.kind = "count-min", .width = 64, .depth = 3, .conservative = true}},
     2},
    {{{.kind = "scalable", .expected_keys = 8}}, 1},
    {{{.kind = "scalable", .expected_keys = 8}, {.kind = "top", .phi = 0.05}}, 2},
};
enum { LISTS = sizeof lists / sizeof lists[0] };

/* Rows of a key and a weight, in files that each begin with a header. */
static struct {
    char     keys[ROWS][16];
    uint64_t weights[ROWS], starts[ROWS], bytes;
    char     text[PARTS][32 * ROWS];
    size_t   text_bytes[PARTS];
} rows;

static const char *const paths[PARTS] = {"a.csv", "b.csv", "c.csv"};

static void make_rows(void)
{
    rows.bytes = 0;
    for (unsigned p = 0, i = 0; p < PARTS; p++) {
        size_t used = (size_t)sprintf(rows.text[p], "word,times\n");
        for (; i < (p + 1) * ROWS / PARTS; i++) {
            snprintf(rows.keys[i], sizeof rows.keys[i], "%.*skey%u", (int)records_below(&chance, 5),
                     "long ", (unsigned)records_below(&chance, 1 + records_below(&chance, 500)));
            rows.weights[i] = 1 + records_below(&chance, 9);
            rows.starts[i] = rows.bytes + used;
            used += (size_t)sprintf(rows.text[p] + used, "%s,%u\n", rows.keys[i],
                                    (unsigned)rows.weights[i]);
        }
        rows.text_bytes[p] = used;
        rows.bytes += used;
        records_write(paths[p], rows.text[p], used);
    }
}

/* The sketch of all rows, one key at a time; of those that `only` holds, unless it is NULL. */
static ink_sketch *by_hand(const ink_params *params, uint64_t segment, bool weighted,
                           const ink_sketch *only)
{
    ink_sketch *whole, *part;

    if (strcmp(params->kind, "scalable") == 0)
        segment = UINT64_MAX; /* it has no segments */

    CHECK_OK(ink_sketch_create(&whole, params, NULL, &error));
    for (unsigned i = 0, before = 1; i < ROWS;) {
        uint64_t number = rows.starts[i] / segment;
        CHECK_OK(ink_sketch_create(&part, params, NULL, &error));
        for (; i < ROWS && rows.starts[i] / segment == number; i++) {
            uint64_t  start = 0, end = strlen(rows.keys[i]);
            ink_batch row = {
                .count = 1, .data = (const uint8_t *)rows.keys[i], .offsets = &start, .ends = &end};
            ink_answer held = {.estimate = 1};
            if (only != NULL)
                CHECK_OK(ink_sketch_count_batch(only, &row, &held, &error));
            row.weights = weighted ? &rows.weights[i] : NULL;
            if (held.estimate > 0)
                CHECK_OK(ink_sketch_add_batch(part, &row, &error));
        }
        if (before) {
            ink_sketch_free(whole);
            whole = part;
        } else {
            CHECK_OK(ink_sketch_merge(whole, part, NULL, &error));
            ink_sketch_free(part);
        }
        before = 0;
    }
    return whole;
}

/* Whether two sketches have the same bytes; comparing may be refused memory too. */
static ink_status compare(const ink_sketch *a, const ink_sketch *b, bool *same)
{
    const ink_sketch *sketches[] = {a, b};
    uint8_t          *bytes[2] = {NULL};
    size_t            counts[2];
    ink_status        status = INK_OK;

    for (unsigned i = 0; i < 2 && status == INK_OK; i++) {
        status = ink_sketch_encoded_bytes(sketches[i], &counts[i], &error);
        if (status != INK_OK)
            break;
        CHECK((bytes[i] = malloc(counts[i])) != NULL);
        status = ink_sketch_encode_to(sketches[i], bytes[i], counts[i], &counts[i], &error);
    }
    *same =
        status == INK_OK && counts[0] == counts[1] && memcmp(bytes[0], bytes[1], counts[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return status;
}

/* Where the inputs are: files, memory, or the first in a pipe, which is read in order. */
typedef enum place { FILES, MEMORY, PIPE, PLACES } place;

static records_pipe *make_inputs(ink_input inputs[PARTS], place where)
{
    for (unsigned p = 0; p < PARTS; p++) {
        inputs[p] = (ink_input){.path = paths[p]};
        if (where == MEMORY) {
            inputs[p].memory = (const uint8_t *)rows.text[p];
            inputs[p].memory_bytes = rows.text_bytes[p];
        }
    }
    if (where != PIPE)
        return NULL;
    inputs[0].path = "-";
    return records_pipe_begin(NULL, rows.text[0], rows.text_bytes[0]);
}

/* Builds; whether both sketches are those by hand. */
static ink_status build(unsigned list, place where, uint64_t segment, bool weighted,
                        const ink_sketch *only, ink_job *job, ink_sketch *const expected[KINDS],
                        bool *same)
{
    static const char *const key[] = {"word"};
    const ink_reading        reading = {.form = INK_FORM_CSV,
                                        .header = true,
                                        .key = key,
                                        .key_count = 1,
                                        .weight = weighted ? "times" : NULL};
    const ink_build_options  options = {
         .kinds = lists[list].kinds, .kind_count = lists[list].count, .only = only};
    const ink__build_use use = {.segment_bytes = segment, .workers = job->threads};
    ink_input            inputs[PARTS];
    ink__build_plan      plan;
    ink__build_state     all = {0};
    records_pipe        *pipe = make_inputs(inputs, where);
    ink_status           status =
        ink__build_plan_make(&plan, inputs, PARTS, &reading, &options, &use, job, &error);

    if (status == INK_OK)
        status = ink__build_begin(&all, &plan, 0, &error);
    if (status == INK_OK)
        status = ink__build_read(&all, inputs, PARTS, &error);
    if (status == INK_OK)
        status = ink__build_fill(&all, &error);
    *same = status == INK_OK;
    for (size_t k = 0; k < lists[list].count && *same; k++)
        status = compare(all.whole->sketches[k], expected[k], same);
    ink__build_end(&all);
    ink__build_plan_end(&plan);
    records_pipe_end(pipe);
    return status;
}

TEST(segments_give_the_same_bytes_for_any_number_of_threads)
{
    static const uint64_t segments[] = {40, 700, 5000, 30000, 1 << 20};
    static const unsigned threads[] = {1, 2, 5, 16, 64};
    unsigned              rounds = records_light() ? 25 : 150;

    make_rows();
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t    segment = segments[round % 5];
        unsigned    list = round % LISTS;
        bool        weighted = list == 0 && round / 5 % 2 == 1, same;
        place       where = (place)(round / 10 % PLACES);
        ink_job     job = {.threads = threads[(round + round / 5) % 5],
                           .chunk_bytes = 1 + records_below(&chance, 4 * segment)};
        ink_sketch *only = NULL, *expected[KINDS];
        if (round % 7 == 6)
            only = by_hand(&(ink_params){.kind = "top", .phi = 0.1}, UINT64_MAX, false, NULL);
        for (size_t k = 0; k < lists[list].count; k++)
            expected[k] = by_hand(&lists[list].kinds[k], segment, weighted, only);
        CHECK_OK(build(list, where, segment, weighted, only, &job, expected, &same));
        if (!same)
            fail_msg(
                "list %u, %u threads, chunks of %llu, segments of %llu, place %d: another sketch",
                list, job.threads, (unsigned long long)job.chunk_bytes, (unsigned long long)segment,
                (int)where);
        assert_int_equal(job.records, ROWS);
        for (size_t k = 0; k < lists[list].count; k++)
            ink_sketch_free(expected[k]);
        ink_sketch_free(only);
    }
    UNLINK("a.csv", "b.csv", "c.csv");
}

TEST(the_first_bad_record_of_all_segments_is_named)
{
    bool same;

    make_rows();
    for (unsigned round = 0; round < 60; round++) {
        unsigned first = ROWS;
        ink_job  job = {.threads = 1 + round % 17, .chunk_bytes = 1 + records_below(&chance, 900)};
        for (unsigned i = 0; i < 3; i++) { /* the weight becomes a word */
            unsigned row = (unsigned)records_below(&chance, ROWS), p = row * PARTS / ROWS;
            while (p + 1 < PARTS && row >= (p + 1) * ROWS / PARTS)
                p++;
            uint64_t before = 0;
            for (unsigned q = 0; q < p; q++)
                before += rows.text_bytes[q];
            rows.text[p][rows.starts[row] - before + strlen(rows.keys[row]) + 1] = 'x';
            first = row < first ? row : first;
        }
        unsigned in = 0;
        while (first >= (in + 1) * ROWS / PARTS)
            in++;
        CHECK_FAILS(build(0, MEMORY, 3000, true, NULL, &job, NULL, &same), INK_FORMAT, "x");
        assert_int_equal(error.location, INK_AT_LINE);
        assert_int_equal(error.at, 2 + first - in * ROWS / PARTS);
        assert_string_equal(job.failed_path, paths[in]);
        make_rows();
    }
    UNLINK("a.csv", "b.csv", "c.csv");
}

TEST(refused_memory_leaves_nothing_behind)
{
    bool        same;
    ink_sketch *expected[KINDS];

    make_rows();
    for (unsigned list = 0; list < LISTS - 1; list++) {
        for (size_t k = 0; k < lists[list].count; k++)
            expected[k] = by_hand(&lists[list].kinds[k], 20000, false, NULL);
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            ink_allocator allocator = faults_allocator(&memory);
            ink_job       job = {.threads = 3, .chunk_bytes = 5000, .allocator = &allocator};
            ink_status    status = build(list, FILES, 20000, false, NULL, &job, expected, &same);
            CHECK(status == INK_OK ? same : status == INK_MEMORY && memory.refused > 0);
        }
        for (size_t k = 0; k < lists[list].count; k++)
            ink_sketch_free(expected[k]);
    }
    UNLINK("a.csv", "b.csv", "c.csv");
}

int main(void)
{
    alarm(300); /* a segment that is never closed is waited for */
    return check_run((check_fixtures){0});
}
