/* feed_test.c - every record is fed once, for all inputs, chunks and threads; commits are
 * in order; the first failure of the input wins; and progress is reported. */
#define _DEFAULT_SOURCE 1
#include "base/status.h"
#include "jobs/runtime/feed.h"

#include "base/mix.h"
#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static ink_error error;

static uint64_t chance = 31;

/* ---- Whom it is fed to -------------------------------------------------------------------- */

/* Keys are the numbers of rows, from 0 through all inputs. */
enum { ROWS = 6000, CHUNKS = 2 * ROWS + 100, THREADS = 8, TEXT_BYTES = 12 * ROWS };

/* How the next one behaves, and no other. */
typedef struct plan {
    const uint8_t *text;  /* where records stand, or NULL */
    const bool    *fails; /* rows that take refuses, or NULL */
    uint64_t       turn_fails, enough_at;
} plan;

#define NO_PLAN ((plan){.turn_fails = UINT64_MAX, .enough_at = UINT64_MAX})
static plan coming = {.turn_fails = UINT64_MAX, .enough_at = UINT64_MAX};

typedef struct chunk {
    uint64_t position;
    size_t   input;
    int64_t  first, last;       /* keys */
    uint64_t first_at, last_at; /* where their records start in `text`, if that is not NULL */
    uint64_t header_bytes;
    unsigned rows;
} chunk;

/* What callbacks see. They are called by many threads, so that they note what is wrong and the test
 * looks at it later. */
typedef struct eater {
    atomic_uint seen[ROWS];
    chunk       chunks[CHUNKS];
    atomic_uint chunk_count; /* the highest sequence and one */
    atomic_uint in_turn, rows;
    atomic_bool wrong;
    uint64_t    commits;
    unsigned    workers;
    bool        enough;
    plan        plan;
} eater;

static eater host;

static void wrong_if(bool it_is)
{
    if (it_is)
        atomic_store(&host.wrong, true);
}

static ink_status take(void *eats, unsigned worker, const ink__feed_rows *feed, ink_error *failure)
{
    const ink__rows *rows = feed->rows;

    wrong_if(eats != &host || worker >= host.workers || rows->count == 0 ||
             feed->sequence >= CHUNKS);
    if (atomic_load(&host.wrong))
        return ink__fail(failure, INK_USAGE, INK_NOWHERE, 0, "the test is wrong");
    if ((rows->key_ints[0] * 7 + worker) % 3 == 0)
        sched_yield(); /* others go first, at times */
    chunk   *to = &host.chunks[feed->sequence];
    unsigned count = atomic_load(&host.chunk_count);
    while (count <= feed->sequence &&
           !atomic_compare_exchange_weak(&host.chunk_count, &count, (unsigned)feed->sequence + 1)) {
    }
    for (size_t i = 0; i < rows->count; i++) {
        int64_t key = rows->key_ints[i];
        wrong_if(key < 0 || key >= ROWS);
        if (atomic_load(&host.wrong))
            return ink__fail(failure, INK_USAGE, INK_NOWHERE, 0, "the test is wrong");
        if (host.plan.fails != NULL && host.plan.fails[key])
            return ink__fail(failure, INK_LIMIT, INK_AT_KEY, i, "row %lld", (long long)key);
        atomic_fetch_add(&host.seen[key], 1);
        atomic_fetch_add(&host.rows, 1);
        uint64_t at = 0;
        size_t   input = feed->chunk->input;
        if (host.plan.text != NULL)
            at = (uint64_t)(rows->record_bytes + rows->record_starts[i] - host.plan.text);
        if (to->rows == 0)
            *to = (chunk){feed->position, input, key, key, at, at, feed->header_bytes, 0};
        else
            wrong_if(to->last != key - 1 || to->position != feed->position || to->input != input);
        to->last = key;
        to->last_at = at;
        to->rows++;
    }
    return INK_OK;
}

static ink_status commit(void *to, unsigned worker, const ink__feed_rows *feed, ink_error *failure)
{
    wrong_if(to != &host || worker >= host.workers);
    wrong_if(atomic_fetch_add(&host.in_turn, 1) != 0);
    wrong_if(host.commits != feed->sequence);
    host.commits++;
    if (feed->sequence % 5 == 0)
        sched_yield();
    if (feed->sequence == host.plan.enough_at)
        host.enough = true;
    atomic_fetch_sub(&host.in_turn, 1);
    if (feed->sequence == host.plan.turn_fails)
        return ink__fail(failure, INK_UNSUPPORTED, INK_AT_KEY, 0, "turn %llu", /* of its batch */
                         (unsigned long long)feed->sequence);
    return INK_OK;
}

static const ink_reading ints = {.keys = INK_KEYS_INT};

/* Feeds a new host, with and without ordered commits. */
static ink_status feed(const ink_input *inputs, size_t count, const ink_reading *reading,
                       bool commits, uint64_t segment_bytes, ink_job *job)
{
    ink__feed wanted = {.inputs = inputs,
                        .input_count = count,
                        .reading = reading,
                        .segment_bytes = segment_bytes,
                        .host = &host,
                        .take = take,
                        .commit = commits ? commit : NULL,
                        .enough = coming.enough_at < UINT64_MAX ? &host.enough : NULL};

    memset(&host, 0, sizeof host);
    host.plan = coming;
    coming = NO_PLAN;
    host.workers = wanted.workers = ink__feed_workers(&wanted, job);
    ink_status status = ink__feed_run(&wanted, job, ink__system_now()->nanoseconds(), &error);
    CHECK(!atomic_load(&host.wrong));
    return status;
}

/* ---- Inputs ------------------------------------------------------------------------------- */

/* The numbers from `first` up to `end`, a line each. */
static size_t make_lines(char *text, unsigned first, unsigned end)
{
    size_t used = 0;

    for (unsigned i = first; i < end; i++)
        used += (size_t)sprintf(text + used, "%0*u\n", (int)(i * 7 % 6), i);
    return used;
}

/* Four inputs of a quarter of the rows each: a file, memory, standard input and a gzip file. */
static char   text[4][TEXT_BYTES];
static size_t text_bytes[4];

static void make_inputs(ink_input inputs[4], unsigned rows)
{
    for (unsigned i = 0; i < 4; i++)
        text_bytes[i] = make_lines(text[i], i * rows / 4, (i + 1) * rows / 4);
    records_write("rows", text[0], text_bytes[0]);
    records_write("input", text[2], text_bytes[2]);
    assert_non_null(freopen("input", "rb", stdin));
    records_gzip("rows.gz", text[3], text_bytes[3]);
    inputs[0] = (ink_input){.path = "rows"};
    inputs[1] = (ink_input){
        .path = "memory", .memory = (const uint8_t *)text[1], .memory_bytes = text_bytes[1]};
    inputs[2] = (ink_input){.path = "-"};
    inputs[3] = (ink_input){.path = "rows.gz"};
}

static void remove_inputs(void)
{
    remove("rows");
    remove("input");
    remove("rows.gz");
}

/* ---- All of it ---------------------------------------------------------------------------- */

TEST(every_record_is_fed_once_and_in_the_order_of_chunks)
{
    static const uint64_t sizes[] = {1, 7, 100, 1000, 20000, 0};
    static const unsigned threads[] = {1, 2, THREADS};

    for (unsigned round = 0; round < 36; round++) {
        ink_job   job = {.threads = threads[round % 3], .chunk_bytes = sizes[round / 6]};
        ink_input inputs[4];
        uint64_t  position = 0;
        int64_t   next = 0;
        unsigned  rows = sizes[round / 6] == 1 ? 1000 : ROWS;
        make_inputs(inputs, rows);
        CHECK_OK(feed(inputs, 4, &ints, round / 3 % 2 == 1, round % 5 == 4 ? 777 : 0, &job));
        for (unsigned i = 0; i < rows; i++)
            assert_int_equal(atomic_load(&host.seen[i]), 1);
        assert_int_equal(atomic_load(&host.rows), rows);
        assert_int_equal(job.records, rows);
        assert_int_equal(job.bad, 0);
        assert_null(job.failed_path);
        unsigned chunks = atomic_load(&host.chunk_count);
        for (unsigned i = 0; i < chunks; i++) { /* without gaps */
            const chunk *of = &host.chunks[i];
            CHECK(of->rows > 0 && of->first == next);
            CHECK(i == 0 ? of->position == 0 : of->position > position);
            assert_int_equal(of->input, 4 * next / rows);
            position = of->position;
            next = of->last + 1;
        }
        if (round / 3 % 2 == 1)
            assert_int_equal(host.commits, chunks);
    }
}

TEST(no_input_is_no_record)
{
    static const ink_input empty[] = {{.memory = (const uint8_t *)"", .memory_bytes = 0}};
    ink_job                job = {.records = 5, .bad = 6, .failed_path = "old"};

    for (size_t count = 0; count < 2; count++) {
        CHECK_OK(feed(empty, count, &ints, true, 0, &job));
        CHECK(job.records == 0 && job.bad == 0 && job.failed_path == NULL && host.commits == 0);
        job.records = job.bad = 7;
    }
}

/* Chunks are the same for any number of threads, and none reaches over a multiple. */
TEST(no_chunk_has_records_on_both_sides_of_a_multiple)
{
    static const uint64_t stretches[] = {1, 5, 64, 999, 4096, 1 << 20};
    static struct {
        uint64_t position;
        int64_t  first;
    } before[CHUNKS];

    size_t          bytes = make_lines(text[0], 0, ROWS);
    const ink_input memory = {.memory = (const uint8_t *)text[0], .memory_bytes = bytes};
    for (size_t s = 0; s < sizeof stretches / sizeof stretches[0]; s++) {
        unsigned chunks = 0;
        for (unsigned threads = 1; threads <= THREADS; threads += THREADS - 1) {
            ink_job job = {.threads = threads, .chunk_bytes = 700};
            coming.text = (const uint8_t *)text[0];
            CHECK_OK(feed(&memory, 1, &ints, threads > 1, stretches[s], &job));
            assert_int_equal(job.records, ROWS);
            if (threads == 1)
                chunks = atomic_load(&host.chunk_count);
            assert_int_equal(atomic_load(&host.chunk_count), chunks);
            for (unsigned i = 0; i < chunks; i++) {
                assert_int_equal(host.chunks[i].first_at, host.chunks[i].position);
                assert_int_equal(host.chunks[i].first_at / stretches[s],
                                 host.chunks[i].last_at / stretches[s]);
                if (threads > 1)
                    CHECK(before[i].position == host.chunks[i].position &&
                          before[i].first == host.chunks[i].first);
                before[i].position = host.chunks[i].position;
                before[i].first = host.chunks[i].first;
            }
        }
    }
}

TEST(stretches_go_through_all_inputs)
{
    for (uint64_t segment = 100; segment < 20000; segment = 3 * segment + 1) {
        ink_job   job = {.threads = 3, .chunk_bytes = 400};
        ink_input inputs[4];
        make_inputs(inputs, ROWS);
        CHECK_OK(feed(inputs, 4, &ints, true, segment, &job));
        /* The offsets of all records, counted byte by byte. */
        uint64_t at = 0, starts[ROWS];
        unsigned row = 0;
        for (unsigned i = 0; i < 4; i++)
            for (size_t k = 0; k < text_bytes[i]; k++, at++)
                if (k == 0 || text[i][k - 1] == '\n')
                    starts[row++] = at;
        assert_int_equal(row, ROWS);
        for (unsigned i = 0; i < atomic_load(&host.chunk_count); i++) {
            assert_int_equal(starts[host.chunks[i].first], host.chunks[i].position);
            assert_int_equal(starts[host.chunks[i].first] / segment,
                             starts[host.chunks[i].last] / segment);
        }
    }
}

TEST(no_more_is_taken_once_it_is_enough)
{
    for (unsigned threads = 1; threads <= THREADS; threads *= 2) {
        ink_job   job = {.threads = threads, .chunk_bytes = 50};
        ink_input inputs[4];
        make_inputs(inputs, ROWS);
        coming.enough_at = 20;
        inputs[2] = inputs[3]; /* the size of standard input is unknown, see below */
        CHECK_OK(feed(inputs, 3, &ints, true, 0, &job));
        assert_int_equal(host.workers, threads);
        /* Chunks that were taken before are committed too. */
        assert_in_range(host.commits, 21, 20 + threads);
        assert_int_equal(host.commits, atomic_load(&host.chunk_count));
        assert_int_equal(job.records, atomic_load(&host.rows));
    }
}

/* ---- Lanes -------------------------------------------------------------------------------- */

/* Rows go to the list of their lane, at once if it is their turn, else in their commit; a lane that
 * is closed moves its list to the end of all. */
enum { LANES = 7, CROWD = 64 };

typedef struct row_list {
    unsigned count;
    int64_t  keys[ROWS];
} row_list;

static struct {
    row_list    waiting[CROWD], lanes[LANES], all;
    unsigned    closed, ends[ROWS]; /* of segments, in `all` */
    const bool *fails;
    uint64_t    close_fails;
    atomic_uint busy[LANES], closing;
    atomic_bool wrong;
} road;

static void append(row_list *to, const int64_t *keys, size_t count)
{
    if (to->count + count > ROWS) {
        atomic_store(&road.wrong, true);
        return;
    }
    memcpy(to->keys + to->count, keys, count * sizeof *keys);
    to->count += (unsigned)count;
}

static void road_append(unsigned lane, const int64_t *keys, size_t count)
{
    if (atomic_fetch_add(&road.busy[lane], 1) != 0)
        atomic_store(&road.wrong, true);
    append(&road.lanes[lane], keys, count);
    if (keys[0] % 11 == 0)
        sched_yield();
    atomic_fetch_sub(&road.busy[lane], 1);
}

static ink_status road_take(void *eats, unsigned worker, const ink__feed_rows *feed,
                            ink_error *failure)
{
    const ink__rows *rows = feed->rows;

    (void)eats;
    for (size_t i = 0; road.fails != NULL && i < rows->count; i++)
        if (road.fails[rows->key_ints[i]])
            return ink__fail(failure, INK_LIMIT, INK_AT_KEY, i, "row %lld",
                             (long long)rows->key_ints[i]);
    uint64_t late = ink__mix64((uint64_t)rows->key_ints[0] * CROWD + worker);
    if (late % 37 == 0)
        usleep((unsigned)(late >> 32) % 300); /* any thread may be late */
    if (feed->turn)
        road_append(feed->lane, rows->key_ints, rows->count);
    else
        append(&road.waiting[worker], rows->key_ints, rows->count);
    return INK_OK;
}

static ink_status road_commit(void *to, unsigned worker, const ink__feed_rows *feed,
                              ink_error *failure)
{
    row_list *waiting = &road.waiting[worker];

    (void)to;
    (void)failure;
    if (waiting->count > 0)
        road_append(feed->lane, waiting->keys, waiting->count);
    waiting->count = 0;
    return INK_OK;
}

static ink_status road_close(void *to, unsigned lane, ink_error *failure)
{
    (void)to;
    if (atomic_fetch_add(&road.closing, 1) != 0 || road.closed >= ROWS)
        atomic_store(&road.wrong, true);
    append(&road.all, road.lanes[lane].keys, road.lanes[lane].count);
    road.lanes[lane].count = 0;
    road.ends[road.closed++] = road.all.count;
    if (road.closed % 3 == 0)
        sched_yield();
    atomic_fetch_sub(&road.closing, 1);
    if (road.closed == road.close_fails)
        return ink__fail(failure, INK_UNSUPPORTED, INK_NOWHERE, 0, "close %u", road.closed);
    return INK_OK;
}

static ink_status road_feed(const ink_input *inputs, size_t count, uint64_t segment_bytes,
                            unsigned lanes, ink_job *job)
{
    const ink__feed wanted = {.inputs = inputs,
                              .input_count = count,
                              .reading = &ints,
                              .segment_bytes = segment_bytes,
                              .workers = job->threads,
                              .lanes = lanes,
                              .take = road_take,
                              .commit = road_commit,
                              .close = road_close};
    const bool     *fails = road.fails;
    uint64_t        close_fails = road.close_fails;

    memset(&road, 0, sizeof road);
    road.fails = fails;
    road.close_fails = close_fails;
    ink_status status = ink__feed_run(&wanted, job, ink__system_now()->nanoseconds(), &error);
    road.fails = NULL;
    road.close_fails = 0;
    CHECK(!atomic_load(&road.wrong));
    return status;
}

/* As make_inputs, but all are mapped: two files and two in memory; and where records start. */
static uint64_t road_starts[ROWS];

static uint64_t make_mapped(ink_input inputs[4])
{
    uint64_t at = 0;
    unsigned row = 0;

    make_inputs(inputs, ROWS);
    for (unsigned i = 0; i < 4; i++)
        for (size_t k = 0; k < text_bytes[i]; k++, at++)
            if (k == 0 || text[i][k - 1] == '\n')
                road_starts[row++] = at;
    assert_int_equal(row, ROWS);
    inputs[2] = (ink_input){.path = "input"};
    inputs[3] = (ink_input){
        .path = "last", .memory = (const uint8_t *)text[3], .memory_bytes = text_bytes[3]};
    return at;
}

TEST(segments_are_closed_in_order_with_their_rows_in_order)
{
    static const uint64_t segments[] = {11, 64, 1000, 7777, 20000, 1 << 20};
    static const unsigned threads[] = {1, 2, 3, 8, CROWD};

    for (unsigned round = 0; round < 60; round += records_light() ? 7 : 1) {
        uint64_t  segment = segments[round % 6];
        unsigned  lanes = 2 + round % (LANES - 1);
        ink_job   job = {.threads = threads[round / 6 % 5],
                         .chunk_bytes = 1 + records_below(&chance, segment < 1000 ? 99 : 3000)};
        ink_input inputs[4];
        uint64_t  total = make_mapped(inputs);
        CHECK_OK(road_feed(inputs, 4, segment, lanes, &job));
        assert_int_equal(job.records, ROWS);
        bool several = job.threads > 1 && total > segment;
        assert_int_equal(road.closed, several ? (total - 1) / segment + 1 : 0);
        if (!several)
            append(&road.all, road.lanes[0].keys, road.lanes[0].count);
        assert_int_equal(road.all.count, ROWS);
        unsigned in = 0;
        for (unsigned i = 0; i < ROWS; i++) {
            assert_int_equal(road.all.keys[i], i);
            while (several && road.ends[in] <= i)
                in++;
            if (several)
                assert_int_equal(road_starts[i] / segment, in);
        }
    }
}

/* What is not mapped is one lane, which is not closed. */
TEST(inputs_that_cannot_be_cut_are_one_lane)
{
    for (unsigned threads = 1; threads <= CROWD; threads *= 4) {
        ink_job   job = {.threads = threads, .chunk_bytes = 300};
        ink_input inputs[4];
        make_inputs(inputs, ROWS);
        CHECK_OK(road_feed(inputs, 4, 1000, LANES, &job));
        CHECK(road.closed == 0 && road.lanes[0].count == ROWS);
        for (unsigned i = 0; i < ROWS; i++)
            assert_int_equal(road.lanes[0].keys[i], i);
    }
}

TEST(the_first_failure_of_all_lanes_is_reported)
{
    static bool fails[ROWS];

    for (unsigned round = 0; round < 40; round += records_light() ? 4 : 1) {
        ink_job   job = {.threads = 1 + round * 5 % CROWD,
                         .chunk_bytes = 1 + records_below(&chance, 1000)};
        ink_input inputs[4];
        unsigned  first = ROWS;
        char      words[32];
        uint64_t  total = make_mapped(inputs), segment = 100 + records_below(&chance, total);
        memset(fails, 0, sizeof fails);
        for (unsigned i = 0; i < 4; i++) {
            unsigned row = (unsigned)records_below(&chance, ROWS);
            fails[row] = true;
            first = row < first ? row : first;
        }
        road.fails = fails;
        snprintf(words, sizeof words, "row %u", first);
        CHECK_FAILS(road_feed(inputs, 4, segment, LANES, &job), INK_LIMIT, words);
        CHECK(error.location == INK_AT_LINE && error.at == 1 + first % (ROWS / 4));
        assert_ptr_equal(job.failed_path, inputs[first / (ROWS / 4)].path);
        assert_string_equal(error.message, words);
        /* A close that fails is after all rows of its segment, and before those of the next. */
        uint64_t count = (total - 1) / segment + 1, number = road_starts[first] / segment;
        if (job.threads == 1 || number == 0)
            continue;
        road.fails = fails;
        road.close_fails = 1 + records_below(&chance, count);
        bool close_first = road.close_fails <= number;
        CHECK_FAILS(road_feed(inputs, 4, segment, LANES, &job),
                    close_first ? INK_UNSUPPORTED : INK_LIMIT, close_first ? "close" : words);
    }
}

/* The last row of a segment fails after the first row of the next one. */
TEST(a_segment_is_read_to_its_end_though_the_next_one_has_failed)
{
    static bool fails[ROWS];

    for (unsigned round = 0; round < 20; round++) {
        ink_job   job = {.threads = 2 + round % 7, .chunk_bytes = 40};
        ink_input inputs[4];
        uint64_t  total = make_mapped(inputs), segment = total / 5 + round;
        unsigned  first = 0;
        while (road_starts[first] < (1 + round % 3) * segment)
            first++;
        memset(fails, 0, sizeof fails);
        fails[first] = fails[first - 1] = true;
        road.fails = fails;
        CHECK_FAILS(road_feed(inputs, 4, segment, LANES, &job), INK_LIMIT, "row");
        assert_int_equal(error.at, 1 + (first - 1) % (ROWS / 4));
    }
}

/* ---- Failing ------------------------------------------------------------------------------ */

TEST(the_first_record_that_cannot_be_read_is_reported_by_its_location)
{
    static const char *const paths[] = {"rows", "memory", "-", "rows.gz"};

    for (unsigned round = 0; round < 60; round++) {
        ink_job   job = {.threads = 1 + round % THREADS,
                         .chunk_bytes = 1 + records_below(&chance, 600)};
        ink_input inputs[4];
        unsigned  bad_input = round % 4, first = UINT32_MAX;
        make_inputs(inputs, ROWS);
        for (unsigned i = bad_input; i < 4; i++) /* several bad ones, also in later inputs */
            for (unsigned k = 0; k < 3; k++) {
                size_t at = records_below(&chance, text_bytes[i]);
                while (text[i][at] == '\n')
                    at--;
                text[i][at] = 'x';
                unsigned line = 1;
                for (size_t b = 0; b < at; b++)
                    line += text[i][b] == '\n';
                if (i == bad_input && line < first)
                    first = line;
            }
        records_write("rows", text[0], text_bytes[0]);
        records_write("input", text[2], text_bytes[2]);
        records_gzip("rows.gz", text[3], text_bytes[3]);
        assert_non_null(freopen("input", "rb", stdin));
        CHECK_FAILS(feed(inputs, 4, &ints, round % 3 == 0, 0, &job), INK_FORMAT,
                    "expected an integer key");
        assert_int_equal(error.location, INK_AT_LINE);
        assert_int_equal(error.at, first);
        assert_string_equal(job.failed_path, paths[bad_input]);
    }
}

TEST(the_first_row_that_a_job_refuses_is_reported_by_its_location)
{
    static bool fails[ROWS];

    for (unsigned round = 0; round < 40; round++) {
        ink_job   job = {.threads = THREADS,
                         .chunk_bytes = 1 + records_below(&chance, round < 20 ? 50 : 5000)};
        ink_input inputs[4];
        unsigned  first = ROWS;
        char      words[32];
        make_inputs(inputs, ROWS);
        memset(fails, 0, sizeof fails);
        for (unsigned i = 0; i < 5; i++) {
            unsigned row = (unsigned)records_below(&chance, ROWS);
            fails[row] = true;
            first = row < first ? row : first;
        }
        coming.fails = fails;
        snprintf(words, sizeof words, "row %u", first);
        CHECK_FAILS(feed(inputs, 4, &ints, round % 2 == 0, 0, &job), INK_LIMIT, words);
        assert_int_equal(error.location, INK_AT_LINE);
        assert_int_equal(error.at, 1 + first % (ROWS / 4));
        assert_ptr_equal(job.failed_path, inputs[first / (ROWS / 4)].path);
        assert_string_equal(error.message, words);
    }
}

TEST(a_turn_that_fails_ends_it_and_no_later_one_comes)
{
    static bool fails[ROWS];

    fails[ROWS - 1] = true; /* a later failure does not win */
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        ink_job   job = {.threads = threads, .chunk_bytes = 100};
        ink_input inputs[4];
        make_inputs(inputs, ROWS);
        coming.turn_fails = 13;
        coming.fails = fails;
        CHECK_FAILS(feed(inputs, 4, &ints, true, 0, &job), INK_UNSUPPORTED, "turn 13");
        assert_int_equal(host.commits, 14);
        assert_null(job.failed_path); /* it is about no input */
        assert_int_equal(error.location, INK_NOWHERE);
    }
}

TEST(what_cannot_be_opened_comes_after_what_cannot_be_read)
{
    static const char bad[] = "0\n1\nx\n", good[] = "0\n1\n2\n";

    for (unsigned threads = 1; threads <= THREADS; threads++) {
        ink_job   job = {.threads = threads, .chunk_bytes = 1};
        ink_input inputs[] = {{.path = "first", .memory = (const uint8_t *)bad, .memory_bytes = 6},
                              {.path = "absent"},
                              {.path = "third", .memory = (const uint8_t *)bad, .memory_bytes = 6}};
        CHECK_FAILS(feed(inputs, 3, &ints, false, 0, &job), INK_FORMAT, "\"x\", expected");
        assert_int_equal(error.at, 3);
        assert_string_equal(job.failed_path, "first");
        inputs[0].memory = (const uint8_t *)good;
        CHECK_FAILS(feed(inputs, 3, &ints, false, 0, &job), INK_IO, "cannot open");
        CHECK(error.os_error == ENOENT && strcmp(job.failed_path, "absent") == 0);
    }
}

TEST(a_job_that_failed_before_it_began_is_about_no_input)
{
    static const struct {
        ink_input   input;
        size_t      count;
        ink_reading reading;
        const char *text;
    } wrong[] = {
        {{.path = "x"}, 1, {.multiline = true}, "line ends in quotes"},
        {{.path = "x.csv", .offset = 1},
         1,
         {.form = INK_FORM_CSV, .multiline = true, .keys = INK_KEYS_INT},
         "a split of CSV with line ends in quotes, expected the whole file"},
        {{.path = "x.csv", .bytes = 1},
         1,
         {.form = INK_FORM_CSV, .multiline = true, .keys = INK_KEYS_INT},
         "a split of CSV with line ends in quotes, expected the whole file"},
        /* Times are for streams, which are fed otherwise. */
        {{.path = "x"},
         0,
         {.form = INK_FORM_CSV, .time = "when", .header = true},
         "time \"when\", a column of times, expected none: only streams have windows"},
        {{.path = "x"},
         1,
         {.form = INK_FORM_CSV, .time = "when", .header = true},
         "time \"when\", a column of times, expected none: only streams have windows"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink_job job = {.records = 3, .failed_path = "old", .failed_byte = 7};
        CHECK_FAILS(feed(&wrong[i].input, wrong[i].count, &wrong[i].reading, false, 0, &job),
                    INK_USAGE, wrong[i].text);
        CHECK(job.failed_path == NULL && job.records == 0 && job.failed_byte == 0);
    }
}

/* ---- Locations in every form ----------------------------------------------------------------- */

/* The number of the record that cannot be read, of these bytes in a file of this name, or read from
 * standard input. */
static void check_location(const char *path, const void *bytes, size_t count,
                           const ink_reading *reading, uint64_t expected)
{
    for (int how = 0; how < 4; how++)
        for (uint64_t size = 1; size < 40; size += 6) {
            ink_job   job = {.threads = 4, .chunk_bytes = size};
            ink_input input = {.path = how == 1 ? "-" : path};
            records_write(path, bytes, count);
            if (how == 1)
                assert_non_null(freopen(path, "rb", stdin));
            if (how == 2) {
                input.memory = bytes;
                input.memory_bytes = count;
            }
            if (how == 3 && reading->form != INK_FORM_U32 && reading->form != INK_FORM_U64)
                records_gzip(path, bytes, count);
            ink_status status = feed(&input, 1, reading, false, 0, &job);
            remove(path);
            assert_int_equal(status, INK_FORMAT);
            assert_int_equal(error.location, INK_AT_LINE);
            assert_int_equal(error.at, expected);
            assert_ptr_equal(job.failed_path, input.path);
        }
}

TEST(a_record_has_its_number_in_every_form)
{
    static const char *const second[] = {"2"}, *const name[] = {"n"};
    ink_reading reading = {.keys = INK_KEYS_INT};

    check_location("x", "1\n2\n3\nbad\n", 10, &reading, 4);
    check_location("x", "1\n2\n3\nbad", 9, &reading, 4);
    reading.form = INK_FORM_NUL;
    check_location("x", "1\0002\0bad\0004\0", 10, &reading, 3);
    reading =
        (ink_reading){.form = INK_FORM_CSV, .keys = INK_KEYS_INT, .key = second, .key_count = 1};
    check_location("x", "a,1\nb,2\nc\n", 10, &reading, 3);
    reading.key = name;
    reading.header = true; /* is counted */
    check_location("x", "t,n\na,1\nb,z\n", 12, &reading, 3);
    reading.multiline = true; /* lines, as an editor counts them */
    check_location("x", "t,n\n\"a\n\n\",1\nb,z\n", 16, &reading, 5);
    reading =
        (ink_reading){.form = INK_FORM_JSONL, .keys = INK_KEYS_INT, .key = name, .key_count = 1};
    check_location("x", "{\"n\":1}\n{\"m\":1}\n", 16, &reading, 2);
    reading = (ink_reading){.form = INK_FORM_U32};
    check_location("x", "\1\0\0\0\2\0\0\0\3\0", 10, &reading, 3);
    reading.form = INK_FORM_U64;
    check_location("x", "\1\0\0\0\0\0\0\0\3\0", 10, &reading, 2);
}

TEST(bad_records_are_skipped_and_counted)
{
    size_t   used = 0;
    unsigned bad = 0;
    for (unsigned i = 0; i < 3000; i++) {
        used += (size_t)sprintf(text[0] + used, "%u\n", i);
        for (unsigned k = i % 7 == 0 ? i % 3 : 0; k > 0; k--, bad++)
            used += (size_t)sprintf(text[0] + used, "bad %u\n", k);
    }
    const ink_input   input = {.memory = (const uint8_t *)text[0], .memory_bytes = used};
    const ink_reading reading = {.keys = INK_KEYS_INT, .skip_bad = true};
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        ink_job job = {.threads = threads, .chunk_bytes = 1 + records_below(&chance, 3000)};
        CHECK_OK(feed(&input, 1, &reading, threads % 2 == 0, 0, &job));
        assert_int_equal(job.records, 3000);
        assert_int_equal(job.bad, bad);
    }
}

/* ---- Headers ------------------------------------------------------------------------------ */

static const char *const named[] = {"n"};

/* Feeds two inputs of CSV with these headers, the second as a file, on standard input, or in
 * memory; records are the header's number of columns times their number. */
static ink_status feed_headers(const char *first, const char *second, int how, ink_job *job)
{
    const ink_reading reading = {
        .form = INK_FORM_CSV, .header = true, .keys = INK_KEYS_INT, .key = named, .key_count = 1};
    ink_input inputs[] = {{.path = "first"}, {.path = how == 1 ? "-" : "second"}};
    size_t    used = (size_t)sprintf(text[0], "%s", first);

    for (unsigned i = 0; i < 50; i++)
        used += (size_t)sprintf(text[0] + used, "%u,%u\n", i, i);
    records_write("first", text[0], used);
    used = (size_t)sprintf(text[1], "%s", second);
    for (unsigned i = 50; i < 100; i++)
        used += (size_t)sprintf(text[1] + used, "%u,%u\n", i, i);
    records_write("second", text[1], used);
    if (how == 1)
        assert_non_null(freopen("second", "rb", stdin));
    if (how == 2) {
        inputs[1].memory = (const uint8_t *)text[1];
        inputs[1].memory_bytes = used;
    }
    ink_status status = feed(inputs, 2, &reading, false, 0, job);
    remove("first");
    remove("second");
    return status;
}

TEST(columns_have_the_same_names_in_every_input)
{
    for (int how = 0; how < 3; how++)
        for (unsigned threads = 1; threads <= 4; threads++) {
            ink_job job = {.threads = threads, .chunk_bytes = 1 + records_below(&chance, 200)};
            CHECK_OK(feed_headers("m,n\n", "m,n\r\n", how, &job));
            assert_int_equal(job.records, 100);
            CHECK_OK(feed_headers("m,n\n", "other,\"n\"\n", how, &job)); /* where it matters */
            assert_int_equal(job.records, 100);
            CHECK_FAILS(
                feed_headers("m,n\n", "n,m\n", how, &job), INK_MISMATCH,
                "its header has the columns in another order, expected that of the first input");
            assert_string_equal(job.failed_path, how == 1 ? "-" : "second");
            CHECK_FAILS(feed_headers("m,n\n", "m,o\n", how, &job), INK_USAGE, "no column \"n\"");
            assert_string_equal(job.failed_path, how == 1 ? "-" : "second");
            CHECK_FAILS(feed_headers("m,o\n", "m,n\n", how, &job), INK_USAGE, "no column \"n\"");
            assert_string_equal(job.failed_path, "first");
        }
}

TEST(a_byte_order_mark_is_no_part_of_a_name)
{
    for (int how = 0; how < 3; how++) {
        ink_job job = {.threads = 2, .chunk_bytes = 60};
        CHECK_OK(feed_headers("\xef\xbb\xbfn,m\n", "n,m\n", how, &job));
        assert_int_equal(job.records, 100);
        CHECK_OK(feed_headers("n,m\n", "\xef\xbb\xbfn,m\n", how, &job));
        assert_int_equal(job.records, 100);
    }
}

TEST(a_chunk_that_begins_with_a_header_has_it)
{
    for (int how = 0; how < 3; how++) {
        ink_job job = {.threads = 1, .chunk_bytes = 70};
        CHECK_OK(feed_headers("m,n\r\n", "\"m\",n\n", how, &job));
        unsigned headers = 0;
        for (unsigned i = 0; i < atomic_load(&host.chunk_count); i++) {
            bool begins = i == 0 || host.chunks[i].input != host.chunks[i - 1].input;
            assert_int_equal(host.chunks[i].header_bytes, !begins                     ? 0
                                                          : host.chunks[i].input == 0 ? 5
                                                                                      : 6);
            headers += begins;
        }
        assert_int_equal(headers, 2);
    }
}

TEST(sketches_are_not_taken_for_records)
{
    const ink_reading lines = {.form = INK_FORM_LINES};
    files_sample      sample;
    ink_job           job = {.threads = 1};

    files_sample_make(&sample, 0);
    ink_input input = {.path = "x.ink", .memory = sample.bytes, .memory_bytes = sample.count};
    CHECK_FAILS(feed(&input, 1, &lines, false, 0, &job), INK_FORMAT,
                "an .ink file, expected records");
    assert_string_equal(job.failed_path, "x.ink");
    records_write("x", sample.bytes, sample.count);
    for (uint64_t bytes = 1; bytes <= INK_LOOK_BYTES; bytes++) { /* in small chunks neither */
        const ink_input inputs[] = {input, {.path = "x"}};
        ink_job         small = {.threads = 1, .chunk_bytes = bytes};
        for (unsigned i = 0; i < 2; i++)
            CHECK_FAILS(feed(&inputs[i], 1, &lines, false, 0, &small), INK_FORMAT,
                        "an .ink file, expected records");
    }
    remove("x");
    for (uint64_t cut = 1; cut <= INK_LOOK_BYTES; cut++) { /* nor is a part of them */
        ink_input parts[] = {input, input};
        parts[0].bytes = parts[1].offset = cut;
        CHECK_FAILS(feed(parts, 2, &lines, false, 0, &job), INK_FORMAT,
                    "an .ink file, expected records");
    }
    const ink_input later[] = {
        {.path = "rows", .memory = (const uint8_t *)"0\n1\n", .memory_bytes = 4}, input};
    CHECK_FAILS(feed(later, 2, &ints, false, 0, &job), INK_FORMAT,
                "an .ink file, expected records");
    assert_string_equal(job.failed_path, "x.ink");
    files_sample_free(&sample);
}

TEST(splits_of_a_file_know_its_header)
{
    const ink_reading reading = {
        .form = INK_FORM_CSV, .header = true, .keys = INK_KEYS_INT, .key = named, .key_count = 1};
    size_t used = (size_t)sprintf(text[0], "m,n\n");

    for (unsigned i = 0; i < 30; i++)
        used += (size_t)sprintf(text[0] + used, "x,%u\n", i);
    records_write("rows", text[0], used);
    for (uint64_t cut = 1; cut < used; cut++) {
        ink_input inputs[] = {{.path = "rows", .bytes = cut}, {.path = "rows", .offset = cut}};
        ink_job   job = {.threads = 2, .chunk_bytes = 1 + records_below(&chance, 100)};
        CHECK_OK(feed(inputs, 2, &reading, false, 0, &job));
        assert_int_equal(job.records, 30);
        for (unsigned i = 0; i < 30; i++)
            assert_int_equal(atomic_load(&host.seen[i]), 1);
    }
    remove("rows");
}

static ink_status see_header(void *seen, const uint8_t *header, uint64_t bytes, ink_error *failure)
{
    records_bytes *to = seen;

    (void)failure;
    records_put(to, header, bytes);
    records_put(to, "|", 1);
    return INK_OK;
}

static ink_status take_any(void *to, unsigned worker, const ink__feed_rows *feed,
                           ink_error *failure)
{
    (void)to;
    (void)worker;
    (void)feed;
    (void)failure;
    return INK_OK;
}

/* Where the header is apart, what stands first is a key of any bytes. */
TEST(a_mark_of_another_encoding_is_looked_for_at_the_start_of_a_file_alone)
{
    static const char text_of_bytes[] = "\xff\xfe,1\n";
    const ink_reading reading = {.form = INK_FORM_CSV, .header = true};

    for (unsigned apart = 0; apart < 2; apart++) {
        const ink_input input = {.memory = (const uint8_t *)text_of_bytes,
                                 .memory_bytes = sizeof text_of_bytes - 1,
                                 .header = "m,n",
                                 .header_apart = (uint8_t)apart};
        ink_job         job = {.threads = 1};
        ink__feed       wanted = {.inputs = &input,
                                  .input_count = 1,
                                  .reading = &reading,
                                  .workers = 1,
                                  .take = take_any};
        ink_status      status = ink__feed_run(&wanted, &job, 0, &error);
        if (apart)
            CHECK(status == INK_OK && job.records == 1);
        else
            CHECK_FAILS(status, INK_FORMAT, "UTF-16");
    }
}

TEST(each_header_is_seen_without_its_end_and_without_a_byte_order_mark)
{
    static const char plain[] = "m,n\r\n1,2\n", marked[] = "\xef\xbb\xbfm,n\n3,4\n";
    const ink_reading reading = {.form = INK_FORM_CSV, .header = true};
    const ink_input   inputs[] = {
          {.memory = (const uint8_t *)plain, .memory_bytes = sizeof plain - 1},
          {.memory = (const uint8_t *)marked, .memory_bytes = sizeof marked - 1},
          {.memory = (const uint8_t *)"5,6\n", .memory_bytes = 4, .header = "o,p", .header_apart = 1},
    };

    for (unsigned threads = 1; threads < 4; threads++) {
        owned_bytes seen = {0};
        ink_job     job = {.threads = threads, .chunk_bytes = 5};
        ink__feed   wanted = {.inputs = inputs,
                              .input_count = 3,
                              .reading = &reading,
                              .workers = threads,
                              .host = &seen,
                              .take = take_any,
                              .see_header = see_header};
        CHECK_OK(ink__feed_run(&wanted, &job, 0, &error));
        CHECK(records_are(&seen, "m,n|m,n|o,p|"));
        assert_int_equal(job.records, 3);
    }
}

/* ---- Compressed inputs -------------------------------------------------------------------- */

static ink_status count_keys(void *seen, unsigned worker, const ink__feed_rows *feed,
                             ink_error *failure)
{
    atomic_uint *times = seen;

    (void)worker;
    (void)failure;
    for (size_t i = 0; i < feed->rows->count; i++)
        atomic_fetch_add(&times[feed->rows->key_ints[i]], 1);
    return INK_OK;
}

/* Each is a lane, of which one worker at a time reads: there are more workers than inputs, and
 * fewer. A cut one is named, whoever comes to it. */
TEST(compressed_inputs_are_read_beside_each_other)
{
    enum { FILES = 3, EACH = ROWS / FILES };
    static const char *const paths[FILES] = {"a.gz", "b.gz", "c.gz"};
    ink_input                inputs[FILES];

    for (unsigned i = 0; i < FILES; i++) {
        owned_bytes lines = {0};
        for (unsigned k = 0; k < EACH; k++)
            records_say(&lines, "%u\n", i * EACH + k);
        records_gzip(paths[i], lines.bytes, lines.count);
        inputs[i] = (ink_input){.path = paths[i]};
    }
    for (unsigned cut = 0; cut < 2; cut++) {
        if (cut > 0) {
            owned_bytes whole = records_read("b.gz");
            records_write("b.gz", whole.bytes, whole.count / 2);
        }
        for (unsigned threads = 1; threads <= THREADS; threads++) {
            static atomic_uint seen[ROWS];
            ink_job            job = {.threads = threads, .chunk_bytes = 500};
            ink__feed          wanted = {.inputs = inputs,
                                         .input_count = FILES,
                                         .reading = &ints,
                                         .workers = threads,
                                         .host = seen,
                                         .take = count_keys};
            memset(seen, 0, sizeof seen);
            ink_status status = ink__feed_run(&wanted, &job, 0, &error);
            if (cut > 0) {
                CHECK(status != INK_OK);
                assert_string_equal(job.failed_path, "b.gz");
                continue;
            }
            CHECK_OK(status);
            assert_int_equal(job.records, ROWS);
            for (unsigned i = 0; i < ROWS; i++)
                assert_int_equal(atomic_load(&seen[i]), 1);
        }
    }
    UNLINK("a.gz", "b.gz", "c.gz");
}

/* With a header they come one after another: the first one, which takes long, has the order. */
TEST(the_first_of_compressed_inputs_says_what_columns_are_called)
{
    const ink_input inputs[] = {{.path = "first.gz"}, {.path = "second.gz"}};
    owned_bytes     lines = {0};

    records_say(&lines, "m,n\n");
    for (unsigned i = 0; i < 100000; i++)
        records_say(&lines, "%u,%u\n", i % 10, i % ROWS);
    records_gzip("first.gz", lines.bytes, lines.count);
    records_gzip("second.gz", "n,m\n1,2\n", 8);
    for (unsigned threads = 1; threads <= 4; threads++) {
        const ink_reading reading = {.form = INK_FORM_CSV,
                                     .header = true,
                                     .keys = INK_KEYS_INT,
                                     .key = named,
                                     .key_count = 1};
        ink_job           job = {.threads = threads, .chunk_bytes = 1 << 20};
        ink__feed         wanted = {.inputs = inputs,
                                    .input_count = 2,
                                    .reading = &reading,
                                    .workers = threads,
                                    .take = take_any};
        CHECK_FAILS(ink__feed_run(&wanted, &job, 0, &error), INK_MISMATCH, "in another order");
        assert_string_equal(job.failed_path, "second.gz");
    }
    UNLINK("first.gz", "second.gz");
}

/* ---- Flushing ----------------------------------------------------------------------------- */

typedef struct flushing {
    atomic_uint taking; /* workers that have a chunk */
    unsigned    asked, flushes, fails_at;
    bool        wrong;
} flushing;

static ink_status take_slowly(void *to, unsigned worker, const ink__feed_rows *feed,
                              ink_error *failure)
{
    flushing *all = to;

    (void)worker;
    (void)feed;
    (void)failure;
    atomic_fetch_add(&all->taking, 1);
    sched_yield();
    atomic_fetch_sub(&all->taking, 1);
    return INK_OK;
}

static bool is_full(void *to)
{
    flushing *all = to;

    return ++all->asked % 3 == 0;
}

static ink_status flush(void *to, ink_error *failure)
{
    flushing *all = to;

    all->wrong = all->wrong || atomic_load(&all->taking) > 0;
    if (++all->flushes == all->fails_at)
        return ink__fail(failure, INK_IO, INK_NOWHERE, 0, "flush %u", all->flushes);
    return INK_OK;
}

TEST(a_job_that_is_full_is_flushed_while_nothing_is_taken_and_a_failure_is_about_no_input)
{
    owned_bytes lines = {0};

    for (unsigned i = 0; i < 500; i++)
        records_say(&lines, "%u\n", i);
    const ink_input input = {.path = "x", .memory = lines.bytes, .memory_bytes = lines.count};
    for (unsigned i = 0; i < 8; i++) {
        flushing   all = {.fails_at = i % 2 == 0 ? 0 : 7};
        bool       about_input = false;
        ink_job    job = {.threads = 1 + 3 * (i / 2), .chunk_bytes = 20, .failed_path = "stale"};
        ink__feed  wanted = {.inputs = &input,
                             .input_count = 1,
                             .reading = &ints,
                             .workers = job.threads,
                             .host = &all,
                             .take = take_slowly,
                             .full = is_full,
                             .flush = flush,
                             .about_input = &about_input};
        ink_status status = ink__feed_run(&wanted, &job, 0, &error);
        CHECK(!all.wrong && !about_input && job.failed_path == NULL);
        if (all.fails_at == 0) {
            CHECK_OK(status);
            CHECK(job.records == 500 && all.flushes == all.asked / 3 && all.flushes > 20);
        } else {
            CHECK_FAILS(status, INK_IO, "flush 7");
            assert_int_equal(all.flushes, 7);
        }
    }
}

/* ---- Progress ----------------------------------------------------------------------------- */

typedef struct teller {
    unsigned     calls, stop_at;
    ink_progress last;
    bool         wrong;
    atomic_int   inside;
} teller;

static bool notify(void *to, const ink_progress *progress)
{
    teller *all = to;

    all->wrong = all->wrong || atomic_fetch_add(&all->inside, 1) != 0;
    all->calls++;
    all->wrong = all->wrong || progress->phase != INK_PHASE_READING ||
                 progress->done < all->last.done || progress->records < all->last.records ||
                 !(progress->seconds > all->last.seconds) ||
                 (progress->total != 0 && progress->done > progress->total);
    all->last = *progress;
    atomic_fetch_sub(&all->inside, 1);
    return all->calls != all->stop_at;
}

TEST(progress_is_reported_by_one_at_a_time)
{
    size_t          bytes = make_lines(text[0], 0, ROWS);
    const ink_input input = {.memory = (const uint8_t *)text[0], .memory_bytes = bytes};
    records_slow_clock_begin();
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        teller  all = {.stop_at = 0};
        ink_job job = {.threads = threads, .chunk_bytes = 500, .progress = notify, .host = &all};
        CHECK_OK(feed(&input, 1, &ints, threads % 2 == 0, 0, &job));
        assert_int_equal(all.calls, atomic_load(&host.chunk_count)); /* each time it was time */
        CHECK(!all.wrong && all.last.records == ROWS);
        CHECK(all.last.done == bytes && all.last.total == bytes);
        all = (teller){.stop_at = 5};
        CHECK_FAILS(feed(&input, 1, &ints, threads % 2 == 0, 0, &job), INK_STOPPED, "stopped");
        CHECK(all.calls == 5 && job.failed_path == NULL);
        CHECK(error.location == INK_NOWHERE);
    }
    records_slow_clock_end();
}

/* Of lanes that are read beside each other there is one progress, and nothing is reported after a
 * stop. */
TEST(progress_of_all_lanes_is_one)
{
    records_slow_clock_begin();
    for (unsigned round = 0; round < 24; round++) {
        teller  all = {.stop_at = round % 2 * (5 + 7 * round)};
        ink_job job = {
            .threads = 2 + round % 4, .chunk_bytes = 60, .progress = notify, .host = &all};
        ink_input inputs[4];
        uint64_t  total = make_mapped(inputs);
        if (all.stop_at == 0) {
            CHECK_OK(road_feed(inputs, 4, total / 9 + 1, LANES, &job));
            CHECK(all.last.records == ROWS && all.last.done == total && all.last.total == total);
        } else {
            CHECK_FAILS(road_feed(inputs, 4, total / 9 + 1, LANES, &job), INK_STOPPED, "stopped");
            CHECK(all.calls == all.stop_at && job.records >= all.last.records);
        }
        CHECK(!all.wrong);
    }
    records_slow_clock_end();
}

TEST(a_total_that_nobody_knows_is_0)
{
    ink_input inputs[4];
    teller    all = {.stop_at = 0};
    ink_job   job = {.threads = 2, .chunk_bytes = 500, .progress = notify, .host = &all};

    make_inputs(inputs, ROWS);
    records_slow_clock_begin();
    CHECK_OK(feed(inputs, 4, &ints, false, 0, &job)); /* standard input is among them */
    records_slow_clock_end();
    CHECK(all.calls > 5 && !all.wrong && all.last.total == 0);
}

TEST(progress_is_reported_no_more_often_than_every_tenth_of_a_second)
{
    teller       all = {.stop_at = 0};
    ink_job      job = {.progress = notify, .host = &all};
    ink_progress progress = {.phase = INK_PHASE_READING};
    uint64_t     last = ink__posix.nanoseconds(), before = last;

    for (int i = 0; i < 1000; i++)
        CHECK_OK(ink__feed_report(&job, &progress, before, &last, &error));
    assert_in_range(all.calls, 0, (ink__posix.nanoseconds() - before) / 100000000);
    last = 0; /* long ago */
    unsigned calls = all.calls;
    CHECK_OK(ink__feed_report(&job, &progress, before, &last, &error));
    assert_int_equal(all.calls, calls + 1);
    CHECK(last >= before && all.last.seconds >= 0);
    job.progress = NULL;
    last = 0;
    CHECK_OK(ink__feed_report(&job, &progress, before, &last, &error));
}

/* ---- Workers, folders and refusals -------------------------------------------------------- */

TEST(there_are_no_more_workers_than_chunks)
{
    static const ink_input memory[] = {
        {.memory = (const uint8_t *)"", .memory_bytes = 1000},
        {.memory = (const uint8_t *)"", .memory_bytes = 1001},
        {.path = "-"},
    };
    ink__feed wanted = {.inputs = memory, .input_count = 1};
    ink_job   job = {.threads = 8, .chunk_bytes = 400};

    assert_int_equal(ink__feed_workers(&wanted, &job), 3);
    wanted.input_count = 2;
    assert_int_equal(ink__feed_workers(&wanted, &job), 6);
    uint64_t bytes;
    CHECK(ink__feed_knows_size(&wanted, &bytes) && bytes == 2001);
    wanted.input_count = 3; /* the size is unknown */
    CHECK(!ink__feed_knows_size(&wanted, &bytes));
    assert_int_equal(ink__feed_workers(&wanted, &job), 8);
    wanted.enough = &host.enough; /* no worker may wait for a pipe when it is enough */
    assert_int_equal(ink__feed_workers(&wanted, &job), 1);
    wanted.enough = NULL;
    job.threads = 5000;
    assert_int_equal(ink__feed_workers(&wanted, &job), INK__THREADS_MAX);
    job.threads = 0;
    assert_int_equal(ink__feed_workers(&wanted, &job), ink__posix.cores());
    wanted.input_count = 1;
    job.chunk_bytes = 0; /* a good choice */
    assert_int_equal(ink__feed_workers(&wanted, &job), 1);
}

/* No byte of these is read. */
TEST(sizes_beyond_all_files_have_workers_too)
{
    static const ink_input large[] = {
        {.memory = (const uint8_t *)"", .memory_bytes = (uint64_t)3 << 30},
        {.memory = (const uint8_t *)"", .memory_bytes = (uint64_t)3 << 62},
        {.memory = (const uint8_t *)"", .memory_bytes = (uint64_t)1 << 62},
    };
    ink__feed wanted = {.inputs = large, .input_count = 1};
    ink_job   job = {.threads = 8, .chunk_bytes = (uint64_t)1 << 40};
    uint64_t  bytes;

    assert_int_equal(ink__feed_workers(&wanted, &job), 4); /* a chunk has at most 2^30 bytes */
    wanted.inputs++;
    wanted.input_count = 2;
    CHECK(ink__feed_knows_size(&wanted, &bytes) && bytes == UINT64_MAX);
    assert_int_equal(ink__feed_workers(&wanted, &job), 8);
}

TEST(temporary_files_have_the_folder_that_was_given)
{
    ink_job job = {.temp_folder = "here"};

    assert_string_equal(ink__job_folder(&job), "here");
    job.temp_folder = NULL;
    faults_system_begin(&(faults_plan){.variable = "TMPDIR", .value = "/there"});
    assert_string_equal(ink__job_folder(&job), "/there");
    job.temp_folder = ""; /* is given, and names none */
    assert_string_equal(ink__job_folder(&job), "/tmp");
    job.temp_folder = NULL;
    faults_system_begin(&(faults_plan){.variable = "TMPDIR", .value = ""});
    assert_string_equal(ink__job_folder(&job), "/tmp");
    faults_system_begin(&(faults_plan){.variable = "TMPDIR"});
    assert_string_equal(ink__job_folder(&job), "/tmp");
    faults_system_end();
}

TEST(every_failing_call_leaves_nothing_behind)
{
    ink_input inputs[4];

    for (unsigned nth = 1;; nth++) { /* system calls */
        ink_job job = {.threads = 1, .chunk_bytes = 200};
        make_inputs(inputs, 200);
        faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO});
        ink_status status = feed(inputs, 4, &ints, nth % 2 == 0, 0, &job);
        bool       struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        CHECK(faults_maps() <= (struck && status == INK_OK)); /* unmapping was refused */
        CHECK(status == INK_OK || (status == INK_IO && error.os_error == EIO));
        CHECK(status == INK_OK || job.failed_path != NULL);
        if (!struck)
            break;
    }
    for (unsigned nth = 1, struck = 1; struck; nth++) { /* of lanes */
        ink_job job = {.threads = 2, .chunk_bytes = 4000};
        make_mapped(inputs);
        faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO});
        ink_status status = road_feed(inputs, 4, 10000, 3, &job);
        struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        CHECK(faults_maps() <= (struck && status == INK_OK));
        CHECK(status == INK_OK || (status == INK_IO && error.os_error == EIO));
        CHECK(status != INK_OK || job.records == ROWS);
    }
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        ink_job       job = {.threads = 2, .chunk_bytes = 4000, .allocator = &allocator};
        make_mapped(inputs);
        ink_status status = road_feed(inputs, 4, 10000, 3, &job);
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK) ||
              (status == INK_OK && job.records == ROWS)); /* it went without lanes */
    }
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        ink_job       job = {.threads = 1, .chunk_bytes = 200, .allocator = &allocator};
        make_inputs(inputs, 200);
        ink_status status = feed(inputs, 4, &ints, memory.refuse_at % 2 == 0, 0, &job);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
    }
}

/* A test that fails in the middle must not take the table with it into the next one. */
static int end_faults(void **state)
{
    ink__system_replace(NULL);
    remove_inputs();
    return 0;
}

int main(void)
{
    alarm(300); /* a commit that never comes waits for ever */
    return check_run((check_fixtures){.after = end_faults});
}
