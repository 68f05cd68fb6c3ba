/* States of SQL aggregates: however rows come (one by one, in vectors for many states, in parts
 * that are merged or sent as bytes), the result is that of the library for all keys at once. */
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include "keys.h"
#include "opened.h"

#include <stdio.h>
#include <unistd.h>

const inksql_engine inksql_engine_here = {.cast_to_text = "key::text",
                                          .cast_to_int = "key::bigint"};

enum { ROWS = 5000, PARTS = 7, ROOM = 1 << 20 };

static inksql_error error;
static uint64_t     random_state;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

#define SQL_OK(call)                                                                               \
    do {                                                                                           \
        if ((call) != INK_OK)                                                                      \
            fail_msg("%s: %s", #call, error.text);                                                 \
    } while (0)

/* ---- Results ----------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t *data;
    size_t   count;
} bytes;

static void *room_of(void *host, size_t count)
{
    bytes *to = host;

    free(to->data);
    *to = (bytes){malloc(count), count};
    return to->data;
}

static void free_bytes(bytes *all)
{
    free(all->data);
}
#define owned_result __attribute__((cleanup(free_bytes))) bytes

/* ---- Rows -------------------------------------------------------------------------------- */

/* 300 blanks: options may be longer than a byte counts. */
#define BLANKS_30 "                              "
#define BLANKS_100 BLANKS_30 BLANKS_30 BLANKS_30 "          "
#define BLANKS_300 BLANKS_100 BLANKS_100 BLANKS_100

/* What is aggregated: a function, its options, and whether its keys are integers. */
static const struct aggregate {
    inksql_id   id;
    const char *options;
    bool        ints, weights;
} aggregates[] = {
    {INKSQL_BLOOM, "n=1e4", true, false},
    {INKSQL_BLOOM, NULL, true, false},
    {INKSQL_BLOOM, "p=0.001", false, false},
    {INKSQL_BLOOM, "p=0.002" BLANKS_300, true, false},
    {INKSQL_CLASSIC, NULL, false, false},
    {INKSQL_CLASSIC, "hash=mmh3", false, false},
    {INKSQL_COUNTING, NULL, true, false},
    {INKSQL_FUSE, NULL, true, false},
    {INKSQL_HLL, NULL, true, false},
    {INKSQL_HLL, "precision=9", false, false},
    {INKSQL_HLL, "hash=mix64", true, false}, /* a hash of integers alone */
    {INKSQL_THETA, NULL, false, false},
    {INKSQL_COUNT_MIN, NULL, true, true},
    {INKSQL_COUNT_MIN, "eps=0.01", false, true},
    {INKSQL_TOP, "k=100", true, true},
    {INKSQL_TOP, NULL, false, false},
};
enum { AGGREGATES = sizeof aggregates / sizeof aggregates[0] };

static int64_t  ints[ROWS];
static uint64_t weights[ROWS];
static char     texts[ROWS][40], long_text[20000];
static ink_key  keys[ROWS];

/* Some 600 different keys, so that a top keeps all of them; texts of any length, from
 * none to 20 KB. */
static void make_rows(uint64_t seed)
{
    random_state = seed;
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t key = draw(600);
        ints[i] = (int64_t)(key * UINT64_C(0x9e3779b97f4a7c15));
        weights[i] = draw(5);
        keys[i].bytes = key == 0 ? 0
                                 : (size_t)snprintf(texts[i], sizeof texts[i], "%0*llu",
                                                    (int)(key % 37 + 1), (unsigned long long)key);
        keys[i].data = texts[i];
        if (key % 200 == 7) /* more than ever wait together */
            keys[i] = (ink_key){long_text, sizeof long_text - key};
    }
}

static inksql_plan plan_of(const struct aggregate *a)
{
    inksql_plan plan = {0};

    SQL_OK(inksql_plan_read(&plan, &inksql_functions[a->id], a->options,
                            a->options == NULL ? 0 : strlen(a->options), &error));
    return plan;
}

/* Adds row `i` as shells do where they can. */
static bool wait(inksql_state *state, const inksql_plan *plan, const struct aggregate *a, size_t i)
{
    if (a->weights || a->options != NULL)
        return false;
    return a->ints ? inksql_wait_whole(state, plan, ints[i])
                   : inksql_wait_bytes(state, plan, keys[i].data, keys[i].bytes);
}

/* Adds row `i` as its values. */
static ink_status step(inksql_state *state, inksql_plan *plan, const struct aggregate *a, size_t i)
{
    inksql_value row[3];
    size_t       count = 1;

    if (i % 3 != 0 && wait(state, plan, a, i))
        return INK_OK;
    row[0] =
        a->ints ? (inksql_value){.type = INKSQL_INT, .whole = ints[i]}
                : (inksql_value){.type = INKSQL_TEXT, .data = keys[i].data, .bytes = keys[i].bytes};
    if (a->weights)
        row[count++] = (inksql_value){.type = INKSQL_INT, .whole = (int64_t)weights[i]};
    if (a->options != NULL)
        row[count++] =
            (inksql_value){.type = INKSQL_TEXT, .data = a->options, .bytes = strlen(a->options)};
    return inksql_step(state, plan, row, count, &error);
}

static ink_batch batch_of(const struct aggregate *a, size_t from, size_t count)
{
    return (ink_batch){.count = count,
                       .ints = a->ints ? ints + from : NULL,
                       .keys = a->ints ? NULL : keys + from,
                       .weights = a->weights ? weights + from : NULL};
}

/* The sketch of all rows by the library alone. */
static bytes expected_of(const struct aggregate *a)
{
    const inksql_plan plan = plan_of(a);
    const ink_batch   all = batch_of(a, 0, ROWS);
    ink_params        params = plan.params;
    ink_sketch       *sketch;
    ink_draft        *draft = NULL;
    bytes             made = {malloc(ROOM), 0};
    ink_error         failed;

    params.key_type = a->ints ? INK_KEY_INT : INK_KEY_BYTES;
    if (plan.drafts) {
        assert_int_equal(ink_draft_create(&draft, &params, 0, NULL, &failed), INK_OK);
        assert_int_equal(ink_draft_add_batch(draft, &all, &failed), INK_OK);
        assert_int_equal(ink_draft_finish(&sketch, draft, 0, &failed), INK_OK);
        ink_draft_free(draft);
    } else {
        assert_int_equal(ink_sketch_create(&sketch, &params, NULL, &failed), INK_OK);
        assert_int_equal(ink_sketch_add_batch(sketch, &all, &failed), INK_OK);
    }
    assert_int_equal(ink_sketch_encode_to(sketch, made.data, ROOM, &made.count, &failed), INK_OK);
    ink_sketch_free(sketch);
    return made;
}

static void check_result(const struct aggregate *a, const inksql_state *state)
{
    owned_result        expected = expected_of(a), found = {0};
    const inksql_output output = {room_of, &found};
    inksql_value        result;

    for (int again = 0; again < 2; again++) { /* finishing does not change a state */
        SQL_OK(inksql_finish(state, &output, &result, &error));
        assert_int_equal(result.type, INKSQL_BYTES);
        assert_int_equal(result.bytes, expected.count);
        assert_memory_equal(result.data, expected.data, expected.count);
    }
}

/* ---- Tests ------------------------------------------------------------------------------- */

TEST(rows_one_by_one_are_the_sketch_of_all)
{
    for (size_t i = 0; i < AGGREGATES; i++) {
        inksql_state here;
        inksql_plan  plan = {0};
        make_rows(i + 1);
        inksql_state_start(&here, &inksql_functions[aggregates[i].id], NULL);
        for (size_t row = 0; row < ROWS; row++)
            SQL_OK(step(&here, &plan, &aggregates[i], row));
        check_result(&aggregates[i], &here);
        inksql_state_free(&here);
    }
}

TEST(a_state_takes_more_rows_after_it_was_finished)
{
    const struct aggregate *a = &aggregates[0];
    inksql_state            here;
    inksql_plan             plan = {0};
    owned_result            found = {0};
    const inksql_output     output = {room_of, &found};
    inksql_value            result;

    make_rows(3);
    inksql_state_start(&here, &inksql_functions[a->id], NULL);
    for (size_t row = 0; row < ROWS; row++) {
        SQL_OK(step(&here, &plan, a, row));
        if (row % 500 == 3)
            SQL_OK(inksql_finish(&here, &output, &result, &error));
    }
    check_result(a, &here);
    inksql_state_free(&here);
}

/* Rows in vectors for several states, alone or in runs, and some one by one between them; the
 * states are merged in any order, and some go through bytes first. */
TEST(vectors_for_many_states_that_merge_are_the_sketch_of_all)
{
    for (size_t i = 0; i < AGGREGATES; i++) {
        const struct aggregate *a = &aggregates[i];
        inksql_plan             plan = plan_of(a);
        inksql_state            parts[PARTS], whole, *states[ROWS];
        make_rows(i + 100);
        for (size_t p = 0; p < PARTS; p++)
            inksql_state_start(&parts[p], &inksql_functions[a->id], NULL);
        inksql_state_start(&whole, &inksql_functions[a->id], NULL);
        for (size_t row = 0; row < ROWS;) {
            size_t run = draw(4) == 0 ? 1 + draw(200) : 1,
                   part = draw(PARTS - 1); /* one is empty */
            for (; run > 0 && row < ROWS; run--)
                states[row++] = &parts[part];
        }
        for (size_t from = 0, count; from < ROWS; from += count) {
            count = 1 + draw(3000);
            count = count < ROWS - from ? count : ROWS - from;
            const ink_batch batch = batch_of(a, from, count);
            const bool      alone = draw(4) == 0;
            for (size_t row = from; alone && row < from + count; row++)
                SQL_OK(step(states[row], &plan, a, row));
            if (!alone)
                SQL_OK(inksql_add_each(states + from, &plan, &batch, &error));
        }
        for (size_t p = 0; p < PARTS; p++) {
            if (draw(2) == 0) {
                owned_result        sent = {0};
                const inksql_output output = {room_of, &sent};
                inksql_value        encoded;
                SQL_OK(inksql_state_encode(&parts[p], &output, &encoded, &error));
                inksql_state_free(&parts[p]);
                SQL_OK(inksql_state_decode(&parts[p], encoded.data, encoded.bytes, &error));
            }
            SQL_OK(inksql_state_merge(&whole, &parts[p], &error));
            SQL_OK(inksql_state_merge(&whole, &parts[PARTS - 1], &error)); /* empty, or twice */
            if (p == PARTS - 1)
                assert_true(inksql_state_is_empty(&parts[p]));
        }
        check_result(a, &whole);
        for (size_t p = 0; p < PARTS; p++)
            inksql_state_free(&parts[p]);
        inksql_state_free(&whole);
    }
}

TEST(files_of_groups_merge_and_are_sent)
{
    inksql_state        a, b;
    inksql_plan         plan = {0};
    owned_result        sketch = {0}, sent = {0}, found = {0};
    const inksql_output to_sketch = {room_of, &sketch}, to_sent = {room_of, &sent},
                        to_found = {room_of, &found};
    inksql_value row[2] = {{.type = INKSQL_INT, .whole = 5}}, result;
    ink_file    *file;
    ink_error    failed;

    inksql_state_start(&a, &inksql_functions[INKSQL_HLL], NULL);
    SQL_OK(inksql_step(&a, &plan, row, 1, &error));
    SQL_OK(inksql_finish(&a, &to_sketch, &row[0], &error));
    inksql_state_free(&a);
    inksql_state_start(&a, &inksql_functions[INKSQL_FILE], NULL);
    inksql_state_start(&b, &inksql_functions[INKSQL_FILE], NULL);
    row[1] = (inksql_value){.type = INKSQL_TEXT, .data = "x", .bytes = 1};
    SQL_OK(inksql_step(&a, &plan, row, 2, &error));
    row[1] = (inksql_value){0};
    SQL_OK(inksql_step(&b, &plan, row, 2, &error));
    SQL_OK(inksql_state_encode(&b, &to_sent, &result, &error));
    inksql_state_free(&b);
    SQL_OK(inksql_state_decode(&b, result.data, result.bytes, &error));
    SQL_OK(inksql_state_merge(&a, &b, &error));
    assert_true(inksql_state_memory(&a) > inksql_state_memory(&b) && inksql_state_memory(&b) > 100);
    SQL_OK(inksql_finish(&a, &to_found, &result, &error));
    assert_int_equal(ink_file_decode(&file, result.data, result.bytes, 0, NULL, &failed), INK_OK);
    assert_int_equal(ink_file_count(file), 2);
    ink_file_close(file);
    inksql_state_free(&a);
    inksql_state_free(&b);
}

TEST(other_options_and_other_types_do_not_merge)
{
    inksql_state a, b;
    inksql_plan  plan = {0}, other = {0};
    inksql_value row[2] = {{.type = INKSQL_INT, .whole = 5},
                           {.type = INKSQL_TEXT, .data = "precision=9", .bytes = 11}};

    inksql_state_start(&a, &inksql_functions[INKSQL_HLL], NULL);
    inksql_state_start(&b, &inksql_functions[INKSQL_HLL], NULL);
    SQL_OK(inksql_step(&a, &plan, row, 1, &error));
    SQL_OK(inksql_step(&b, &other, row, 2, &error));
    assert_int_equal(inksql_state_merge(&a, &b, &error), INK_USAGE);
    inksql_state_free(&b);
    row[0] = (inksql_value){.type = INKSQL_TEXT, .data = "5", .bytes = 1};
    SQL_OK(inksql_step(&b, &plan, row, 1, &error));
    assert_int_equal(inksql_state_merge(&a, &b, &error), INK_MISMATCH);
    assert_string_equal(error.text, "ink_hll: a text key and a sketch of integers, expected an "
                                    "integer; cast it: key::bigint");
    inksql_state_free(&a);
    inksql_state_free(&b);
}

/* Some rows, a merge, bytes and back, and the result, with an allocator that refuses. */
static ink_status run_once(const struct aggregate *a, const ink_allocator *allocator, bytes *found)
{
    inksql_state        state, other;
    inksql_plan         plan = {0};
    owned_result        sent = {0};
    const inksql_output to_sent = {room_of, &sent}, to_found = {room_of, found};
    inksql_value        result;
    ink_status          status = INK_OK;

    inksql_state_start(&state, &inksql_functions[a->id], allocator);
    inksql_state_start(&other, &inksql_functions[a->id], allocator);
    for (size_t i = 0; i < 20 && status == INK_OK; i++)
        status = step(&state, &plan, a, i);
    if (status == INK_OK)
        status = inksql_state_encode(&state, &to_sent, &result, &error);
    if (status == INK_OK)
        status = inksql_state_decode(&other, result.data, result.bytes, &error);
    if (status == INK_OK)
        status = inksql_state_merge(&state, &other, &error);
    if (status == INK_OK)
        status = inksql_finish(&state, &to_found, &result, &error);
    inksql_state_free(&state);
    inksql_state_free(&other);
    return status;
}

/* Without memory for keys that wait they are added one by one. */
TEST(want_of_memory_is_an_error_or_no_loss_and_leaks_nothing)
{
    unsigned all = 0;

    make_rows(9);
    for (size_t i = 0; i < AGGREGATES; i++) {
        unsigned     refused = 0;
        owned_result expected = {0};
        SQL_OK(run_once(&aggregates[i], NULL, &expected));
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            const ink_allocator allocator = faults_allocator(&memory);
            owned_result        found = {0};
            const ink_status    status = run_once(&aggregates[i], &allocator, &found);
            refused += status != INK_OK;
            if (status != INK_OK) {
                assert_int_equal(status, INK_MEMORY);
                continue;
            }
            assert_int_equal(found.count, expected.count);
            assert_memory_equal(found.data, expected.data, expected.count);
        }
        assert_true(refused >= 2);
        all += refused;
    }
    printf("# %u refused allocations\n", all);
}

/* Sketches with labels of any length, sent, merged and finished. */
static ink_status run_sketches(const inksql_function *function, const bytes *sketch,
                               const ink_allocator *allocator)
{
    inksql_state        state, other;
    inksql_plan         plan = {0};
    owned_result        sent = {0}, found = {0};
    const inksql_output to_sent = {room_of, &sent}, to_found = {room_of, &found};
    inksql_value row[2] = {{.type = INKSQL_BYTES, .data = sketch->data, .bytes = sketch->count},
                           {.type = INKSQL_INT}},
                 result;
    ink_status status = INK_OK;

    inksql_state_start(&state, function, allocator);
    inksql_state_start(&other, function, allocator);
    for (; row[1].whole < 6 && status == INK_OK; row[1].whole++)
        status = inksql_step(&state, &plan, row, 2, &error);
    if (status == INK_OK)
        status = inksql_state_encode(&state, &to_sent, &result, &error);
    if (status == INK_OK)
        status = inksql_state_decode(&other, result.data, result.bytes, &error);
    inksql_state_free(&state);
    if (status == INK_OK)
        status = inksql_state_merge(&state, &other, &error);
    if (status == INK_OK)
        status = inksql_finish(&state, &to_found, &result, &error);
    inksql_state_free(&state);
    inksql_state_free(&other);
    return status;
}

TEST(want_of_memory_for_sketches_of_sketches_leaks_nothing)
{
    static const inksql_id of_sketches[] = {INKSQL_FILE, INKSQL_MERGE};
    owned_result           sketch = {0};

    make_rows(4);
    SQL_OK(run_once(&aggregates[9], NULL, &sketch));
    for (size_t i = 0; i < 2; i++) {
        unsigned refused = 0;
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            const ink_allocator allocator = faults_allocator(&memory);
            const ink_status    status =
                run_sketches(&inksql_functions[of_sketches[i]], &sketch, &allocator);
            if (status != INK_OK)
                assert_int_equal(status, INK_MEMORY);
            refused += status != INK_OK;
        }
        assert_true(refused >= 4);
    }
}

TEST(a_row_without_options_forgets_those_of_the_row_before)
{
    inksql_state a, b;
    inksql_plan  plan = {0};
    inksql_value row[2] = {{.type = INKSQL_INT, .whole = 5},
                           {.type = INKSQL_TEXT, .data = "precision=9", .bytes = 11}};

    inksql_state_start(&a, &inksql_functions[INKSQL_HLL], NULL);
    inksql_state_start(&b, &inksql_functions[INKSQL_HLL], NULL);
    SQL_OK(inksql_step(&a, &plan, row, 2, &error));
    SQL_OK(inksql_step(&b, &plan, row, 1, &error));
    assert_int_equal(inksql_state_merge(&a, &b, &error), INK_USAGE);
    inksql_state_free(&a);
    inksql_state_free(&b);
}

/* As a column of options that is constant within each vector, of which the second begins with a
 * new group. */
TEST(other_options_in_the_next_vector_are_refused)
{
    inksql_state        here[3];
    inksql_state *const first[] = {&here[0], &here[1]}, *const second[] = {&here[2], &here[1]};
    const ink_batch two = {.count = 2, .ints = ints};
    inksql_plan     plan = plan_of(&aggregates[8]), other = plan_of(&aggregates[9]);

    for (int i = 0; i < 3; i++)
        inksql_state_start(&here[i], &inksql_functions[INKSQL_HLL], NULL);
    SQL_OK(inksql_add_each(first, &plan, &two, &error));
    assert_int_equal(inksql_add_each(second, &other, &two, &error), INK_USAGE);
    assert_string_equal(error.text, "ink_hll: other options than in the row before, expected a "
                                    "constant text");
    for (int i = 0; i < 3; i++)
        inksql_state_free(&here[i]);
}

TEST(opened_sketches_are_found_again_and_leak_nothing)
{
    bytes                  made[6] = {{0}};
    inksql_plan            plan = {0};
    const inksql_value     options = {.type = INKSQL_TEXT, .data = "n=50", .bytes = 4};
    const inksql_function *contains = &inksql_functions[INKSQL_CONTAINS];

    for (size_t i = 0; i < 6; i++) {
        inksql_state        here;
        const inksql_output output = {room_of, &made[i]};
        inksql_value        row[2] = {{.type = INKSQL_INT, .whole = (int64_t)i}, options}, result;
        inksql_state_start(&here, &inksql_functions[INKSQL_BLOOM], NULL);
        SQL_OK(inksql_step(&here, &plan, row, 2, &error));
        SQL_OK(inksql_finish(&here, &output, &result, &error));
        inksql_state_free(&here);
    }
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        const ink_allocator allocator = faults_allocator(&memory);
        inksql_cache       *cache = inksql_cache_create(&allocator);
        inksql_opened      *kept = NULL;
        for (size_t i = 0; i < 40 && cache != NULL; i++) {
            const size_t    n = i % 6;
            inksql_opened  *opened;
            const int64_t   key = (int64_t)n;
            uint8_t         answer = 0;
            const ink_batch one = {.count = 1, .ints = &key};
            if (inksql_cache_value(cache, contains, made[n].data, made[n].count, &opened, &error) !=
                INK_OK) {
                assert_int_equal(error.status, INK_MEMORY);
                continue;
            }
            SQL_OK(inksql_contains_each(contains, opened, &one, &answer, &error));
            assert_int_equal(answer, 1);
            if (i == 7) {
                kept = opened; /* longer than its cache */
            } else {
                inksql_release(opened);
            }
        }
        inksql_cache_free(cache);
        if (kept != NULL)
            assert_int_equal(ink_sketch_maybe_int(inksql_sketch(kept), 1), 1);
        inksql_release(kept);
    }
    for (size_t i = 0; i < 6; i++)
        free(made[i].data);
}

/* The bytes of a filter with one key. */
static bytes filter_of(const char *options, int64_t key)
{
    bytes               made = {0};
    inksql_state        here;
    inksql_plan         plan = {0};
    const inksql_output output = {room_of, &made};
    inksql_value        row[2] = {{.type = INKSQL_INT, .whole = key},
                                  {.type = INKSQL_TEXT, .data = options, .bytes = strlen(options)}},
                 result;

    inksql_state_start(&here, &inksql_functions[INKSQL_BLOOM], NULL);
    SQL_OK(inksql_step(&here, &plan, row, 2, &error));
    SQL_OK(inksql_finish(&here, &output, &result, &error));
    inksql_state_free(&here);
    return made;
}

static void look_up(inksql_cache *cache, const bytes *of)
{
    inksql_opened *opened;

    SQL_OK(inksql_cache_value(cache, &inksql_functions[INKSQL_CONTAINS], of->data, of->count,
                              &opened, &error));
    inksql_release(opened);
}

TEST(a_cache_keeps_the_last_four_and_not_the_large_ones)
{
    faults_memory       memory = {.unfilled = true};
    const ink_allocator allocator = faults_allocator(&memory);
    inksql_cache       *cache = inksql_cache_create(&allocator);
    bytes               made[5];

    for (int i = 0; i < 5; i++)
        made[i] = filter_of(i == 4 ? "bits=6e8" : "n=50", i);
    for (size_t i = 0; i < 4; i++)
        look_up(cache, &made[i]);
    const uint64_t asked = memory.asked;
    for (size_t i = 0; i < 12; i++)
        look_up(cache, &made[i * 3 % 4]);
    assert_int_equal(memory.asked, asked);
    look_up(cache, &made[4]); /* the last one may be larger than all others may be together */
    assert_true(memory.live_bytes > 70000000);
    look_up(cache, &made[4]);
    look_up(cache, &made[0]);
    look_up(cache, &made[1]);
    assert_true(memory.live_bytes < 1000000);
    inksql_cache_free(cache);
    faults_check_no_leak(&memory);
    for (size_t i = 0; i < 5; i++)
        free(made[i].data);
}

TEST(an_opened_file_is_found_again_by_its_path_or_refused_with_it)
{
    const inksql_function *ask = &inksql_functions[INKSQL_CONTAINS_FILE];
    faults_memory          memory = {0};
    const ink_allocator    allocator = faults_allocator(&memory);
    inksql_cache          *cache = inksql_cache_create(&allocator);
    owned_result           made = filter_of("n=50", 7);
    static const char      path[] = "x.ink";
    const inksql_value     value = {.type = INKSQL_TEXT, .data = path, .bytes = strlen(path)};
    inksql_rows           *rows;
    inksql_opened         *opened;

    assert_int_equal(records_folder_begin(NULL), 0);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(made.data, 1, made.count, file), made.count);
    assert_int_equal(fclose(file), 0);
    for (uint64_t i = 0, asked = 0; i < 3; i++) {
        SQL_OK(inksql_cache_file(cache, ask, path, strlen(path), &opened, &error));
        assert_int_equal(ink_sketch_maybe_int(inksql_sketch(opened), 7), 1);
        inksql_release(opened);
        assert_true(i == 0 || memory.asked == asked);
        asked = memory.asked;
    }
    unlink(path);
    assert_int_equal(inksql_cache_file(cache, ask, path, strlen(path), &opened, &error), INK_IO);
    assert_string_equal(error.text, "ink_contains_file: x.ink: No such file or directory");
    file = fopen(path, "wb");
    fputs("nonsense", file);
    fclose(file);
    assert_int_equal(inksql_cache_file(cache, ask, path, strlen(path), &opened, &error),
                     INK_FORMAT);
    assert_string_equal(error.text, "ink_contains_file: x.ink: byte 0: not an .ink file, but text");
    assert_int_equal(
        inksql_rows_open(&rows, &inksql_functions[INKSQL_READ], &value, 1, &allocator, &error),
        INK_FORMAT);
    assert_string_equal(error.text, "ink_read: x.ink: byte 0: not an .ink file, but text");
    unlink(path);
    inksql_cache_free(cache);
    faults_check_no_leak(&memory);
    assert_int_equal(records_folder_end(NULL), 0);
}

TEST(paths_have_a_limit_and_no_nul)
{
    static char    path[4096];
    inksql_cache  *cache = inksql_cache_create(NULL);
    inksql_opened *opened;
    inksql_rows   *rows;
    static const struct {
        size_t     bytes;
        bool       nul;
        ink_status expected;
    } cases[] = {{0, false, INK_USAGE},
                 {4095, false, INK_IO},
                 {4096, false, INK_USAGE},
                 {9, true, INK_USAGE}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const inksql_value value = {.type = INKSQL_TEXT, .data = path, .bytes = cases[i].bytes};
        memset(path, 'x', sizeof path);
        if (cases[i].nul)
            path[5] = '\0';
        assert_int_equal(inksql_cache_file(cache, &inksql_functions[INKSQL_CONTAINS_FILE], path,
                                           cases[i].bytes, &opened, &error),
                         cases[i].expected);
        assert_int_equal(
            inksql_rows_open(&rows, &inksql_functions[INKSQL_READ], &value, 1, NULL, &error),
            cases[i].expected);
    }
    inksql_cache_free(cache);
}

TEST(a_state_knows_its_memory)
{
    make_rows(5);
    for (size_t i = 0; i < AGGREGATES; i++) {
        faults_memory       memory = {0};
        const ink_allocator allocator = faults_allocator(&memory);
        inksql_state        here;
        inksql_plan         plan = {0};
        inksql_state_start(&here, &inksql_functions[aggregates[i].id], &allocator);
        for (size_t row = 0; row < 900; row++) {
            SQL_OK(step(&here, &plan, &aggregates[i], row));
            if (row % 300 != 77)
                continue;
            const uint64_t known = inksql_state_memory(&here);
            assert_true(known >= memory.live_bytes * 9 / 10 &&
                        known <= memory.live_bytes * 11 / 10);
        }
        inksql_state_free(&here);
        faults_check_no_leak(&memory);
    }
}

TEST(damaged_states_are_refused)
{
    make_rows(77);
    for (size_t i = 0; i < AGGREGATES; i++) {
        inksql_state        here, other;
        inksql_plan         plan = {0};
        owned_result        sent = {0};
        const inksql_output output = {room_of, &sent};
        inksql_value        encoded;
        inksql_state_start(&here, &inksql_functions[aggregates[i].id], NULL);
        for (size_t row = 0; row < 30; row++)
            SQL_OK(step(&here, &plan, &aggregates[i], row));
        SQL_OK(inksql_state_encode(&here, &output, &encoded, &error));
        inksql_state_start(&other, here.function, NULL);
        for (size_t round = 0; round < 300; round++) {
            const size_t at = draw(sent.count),
                         cut = round % 3 == 0 ? draw(sent.count) : sent.count;
            const uint8_t bit = (uint8_t)(1u << draw(8));
            sent.data[at] ^= bit;
            /* A byte of the head may make another whole here of it. */
            if (inksql_state_decode(&other, sent.data, cut, &error) == INK_OK) {
                assert_true(at < 12 && cut == sent.count);
                inksql_state_free(&other);
            } else
                assert_true(inksql_state_is_empty(&other));
            sent.data[at] ^= bit;
        }
        sent.data[0] = 0; /* a state of nothing, with bytes after it */
        assert_int_equal(inksql_state_decode(&other, sent.data, sent.count, &error), INK_FORMAT);
        inksql_state_free(&here);
    }
    printf("# %d states\n", AGGREGATES * 300);
}

TEST(options_of_any_bytes_are_read_or_refused)
{
    static const char letters[] = "np=0123456789.,e- precisionmemoryheadroomMx\tbits";
    unsigned          read = 0;

    random_state = 11;
    for (unsigned round = 0; round < 20000; round++) {
        char        text[24];
        size_t      count = draw(sizeof text);
        inksql_plan plan = {0};
        for (size_t i = 0; i < count; i++)
            text[i] = letters[draw(sizeof letters)];
        if (draw(3) == 0)
            count = (size_t)snprintf(text, sizeof text, " n=%u, p=0.%02u ", (unsigned)draw(1000),
                                     (unsigned)draw(100));
        read +=
            inksql_plan_read(&plan, &inksql_functions[INKSQL_BLOOM], text, count, &error) == INK_OK;
    }
    assert_true(read > 1000);
}

TEST(states_of_filters_without_a_size_have_256_megabytes)
{
    inksql_plan plan = {0};

    SQL_OK(inksql_plan_read(&plan, &inksql_functions[INKSQL_BLOOM], NULL, 0, &error));
    assert_int_equal(plan.limit_bytes, 256 << 20);
    SQL_OK(inksql_plan_read(&plan, &inksql_functions[INKSQL_BLOOM], "memory=3K", 9, &error));
    assert_int_equal(plan.limit_bytes, 3 << 10);
}

TEST(values_of_options_are_read_as_a_whole_or_refused)
{
    static const struct {
        const char *text, *message;
        size_t      bytes;
    } cases[] = {
        {"precision=9\0junk",
         "ink_hll: option precision with a value of 6 bytes, expected fewer "
         "than 64, and no NUL",
         16},
        {"precision=9" BLANKS_100 "9",
         "ink_hll: option precision with a value of 102 bytes, expected "
         "fewer than 64, and no NUL",
         112},
        {"precision=", "ink_hll: option precision without its value, expected precision=...", 10},
        {"precision=4294967296", "ink_hll: precision=4294967296, expected a whole number that fits",
         20},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        inksql_plan plan = {0};
        assert_int_equal(inksql_plan_read(&plan, &inksql_functions[INKSQL_HLL], cases[i].text,
                                          cases[i].bytes, &error),
                         INK_USAGE);
        assert_string_equal(error.text, cases[i].message);
    }
}

TEST(a_value_of_an_option_has_up_to_63_bytes)
{
    char        text[10 + 64 + 1];
    inksql_plan plan = {0};

    memset(text, '0', sizeof text);
    memcpy(text, "precision=", 10);
    text[10 + 62] = '9';
    SQL_OK(inksql_plan_read(&plan, &inksql_functions[INKSQL_HLL], text, 10 + 63, &error));
    assert_int_equal(plan.params.precision, 9);
    assert_int_equal(inksql_plan_read(&plan, &inksql_functions[INKSQL_HLL], text, 10 + 64, &error),
                     INK_USAGE);
    assert_string_equal(error.text, "ink_hll: option precision with a value of 64 bytes, expected "
                                    "fewer than 64, and no NUL");
}

TEST(options_stand_between_blanks_of_any_kind)
{
    static const char text[] = " \t\r\n n=70\r\n,\n\tp=0.2 \r\n";
    inksql_plan       plan = {0};

    SQL_OK(inksql_plan_read(&plan, &inksql_functions[INKSQL_BLOOM], text, sizeof text - 1, &error));
    assert_int_equal(plan.params.expected_keys, 70);
    assert_true(plan.params.false_positive_rate == 0.2);
}

/* What was left out is 0 for the library: it is never given so. */
TEST(what_is_wrong_with_options_is_said_in_their_names)
{
    static const struct {
        inksql_id   id;
        const char *text, *message;
    } cases[] = {
        {INKSQL_BLOOM, "p=0", "ink_bloom: p=0, expected a number, such as 0.001, above 0"},
        {INKSQL_BLOOM, "keys=0", "ink_bloom: n=0, expected a whole number, such as 1e6, above 0"},
        {INKSQL_BLOOM, "headroom=0",
         "ink_bloom: headroom=0, expected a factor, such as 4x, above 0"},
        {INKSQL_BLOOM, "memory=0", "ink_bloom: memory=0, expected a size, such as 64M, above 0"},
        {INKSQL_HLL, "precision=0", "ink_hll: precision=0, expected a whole number, above 0"},
        {INKSQL_BLOOM, "n=1e400",
         "ink_bloom: n=1e400, expected a whole number, such as 1e6 that fits"},
        {INKSQL_BLOOM, "p=1e400", "ink_bloom: p=1e400, expected a number, such as 0.001 that fits"},
        {INKSQL_BLOOM, "n=10, memory=5M",
         "ink_bloom: memory beside a size, expected it for a filter that is sized by its keys"},
        {INKSQL_BLOOM, "bits=512, headroom=2x",
         "ink_bloom: headroom beside a size, expected it for a filter that is sized by its keys"},
        {INKSQL_COUNT_MIN, "eps=2",
         "ink_count_min: eps 2, expected at least 6.32899e-10 and below 1"},
        {INKSQL_COUNT_MIN, "delta=2",
         "ink_count_min: delta 2, expected at least 1e-27 and below 1"},
        {INKSQL_COUNT_MIN, "width=5, depth=100",
         "ink_count_min: width 5 and depth 100, expected 1 to 2^32 and 1 to 64 for count-min"},
        {INKSQL_COUNT_MIN, "width=5",
         "ink_count_min: width without depth: give both for count-min, or neither"},
        {INKSQL_COUNT_MIN, "counters=7", "ink_count_min: counters 7, expected 32 or 64"},
        {INKSQL_CLASSIC, "hashes=3", "ink_classic: hashes without bits: give both, or neither"},
        {INKSQL_BLOOM, "n=5, max-rate=2",
         "ink_bloom: max-rate 2, expected 0.01, the rate that is planned for, to 1"},
        {INKSQL_TOP, "k=32769", "ink_top: k 32769, expected at most 32768"},
        {INKSQL_TOP, "phi=2", "ink_top: phi 2, expected 9.53674e-07 to 1"},
        {INKSQL_TOP, "k=5, phi=0.1", "ink_top: phi and k do not go together: give one of them"},
        /* of a hash for keys of one type alone, what else is wrong */
        {INKSQL_HLL, "hash=mmh3", "ink_hll: hash mmh3 is for classic, not for hll"},
        {INKSQL_HLL, "hash=redis-hll, precision=99", "ink_hll: precision 99, expected 4 to 18"},
        {INKSQL_HLL, "hash=mix64, precision=99", "ink_hll: precision 99, expected 4 to 18"},
        {INKSQL_CLASSIC, "hash=mmh3, seed=4294967296",
         "ink_classic: seed 4294967296, expected 0 to 4294967295 for hash mmh3"},
        {INKSQL_BLOOM, "hash=mix64, p=7", "ink_bloom: p 7, expected above 0 and below 1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        inksql_plan plan = {0};
        if (inksql_plan_read(&plan, &inksql_functions[cases[i].id], text, strlen(text), &error) !=
            INK_USAGE)
            fail_msg("%s is accepted", text);
        assert_string_equal(error.text, cases[i].message);
    }
}

TEST(arguments_of_another_type_are_refused_by_number_and_name)
{
    static const inksql_value text = {.type = INKSQL_TEXT, .data = "x", .bytes = 1},
                              blob = {.type = INKSQL_BYTES, .data = "x", .bytes = 1},
                              five = {.type = INKSQL_INT, .whole = 5},
                              half = {.type = INKSQL_REAL, .real = 0.5};
    const struct {
        inksql_id    id;
        inksql_value arguments[2];
        size_t       count;
        const char  *message;
    } cases[] = {
        {INKSQL_DISTINCT,
         {five},
         1,
         "ink_distinct: argument 1 (sketch) of another type, expected bytes of a sketch"},
        {INKSQL_UNION,
         {blob, text},
         2,
         "ink_union: argument 2 (sketch) of another type, expected bytes of a sketch"},
        {INKSQL_FOLD,
         {blob, text},
         2,
         "ink_fold: argument 2 (rate) of another type, expected a number"},
        {INKSQL_CONTAINS_FILE,
         {blob, five},
         2,
         "ink_contains_file: argument 1 (path) of another type, expected text"},
        {INKSQL_TUPLE,
         {half},
         1,
         "ink_tuple: a key of type REAL, expected an integer, text, bytes, a date or a timestamp; "
         "cast it: key::text"},
        {INKSQL_TOP_KEYS,
         {text},
         1,
         "ink_top_keys: arguments of other types, expected bytes of a sketch, and an integer"},
        {INKSQL_TOP_KEYS,
         {blob, half},
         2,
         "ink_top_keys: arguments of other types, expected bytes of a sketch, and an integer"},
        {INKSQL_READ,
         {five},
         1,
         "ink_read: no path, expected a text of 1 to 4095 bytes, and no NUL"},
        {INKSQL_BLOOM,
         {five, five},
         2,
         "ink_bloom: options that are no text, expected one such as 'p=0.001, n=1e6'"},
        {INKSQL_TOP, {five, half}, 2, "ink_top: a weight that is no integer, expected one"},
        {INKSQL_MERGE,
         {text},
         1,
         "ink_merge: a sketch that is no bytes, expected what an aggregate made"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const inksql_function *f = &inksql_functions[cases[i].id];
        const inksql_value    *arguments = cases[i].arguments;
        inksql_state           here;
        inksql_plan            plan = {0};
        inksql_rows           *rows;
        inksql_value           result;
        inksql_state_start(&here, f, NULL);
        const ink_status status =
            f->shape == INKSQL_AGGREGATE
                ? inksql_step(&here, &plan, arguments, cases[i].count, &error)
            : f->shape == INKSQL_TABLE
                ? inksql_rows_open(&rows, f, arguments, cases[i].count, NULL, &error)
                : inksql_call(f, NULL, arguments, cases[i].count, NULL, NULL, &result, &error);
        assert_int_equal(status, INK_USAGE);
        assert_string_equal(error.text, cases[i].message);
    }
}

TEST(timestamps_are_microseconds)
{
    const inksql_function *f = &inksql_functions[INKSQL_HLL];
    inksql_value           key;

    SQL_OK(inksql_timestamp(f, -5, 1, &key, &error));
    assert_int_equal(key.whole, -5000000);
    SQL_OK(inksql_timestamp(f, 1500, 1000, &key, &error));
    assert_int_equal(key.whole, 1500000);
    SQL_OK(inksql_timestamp(f, -7000, 1000000000, &key, &error));
    assert_int_equal(key.whole, -7);
    assert_int_equal(inksql_timestamp(f, 7001, 1000000000, &key, &error), INK_USAGE);
    assert_int_equal(inksql_timestamp(f, -7001, 1000000000, &key, &error), INK_USAGE);
    assert_int_equal(inksql_timestamp(f, INT64_MAX / 2, 1, &key, &error), INK_USAGE);
}

TEST(bounds_are_rounded_away_from_the_estimate)
{
    static const struct {
        ink_answer   answer;
        inksql_bound bound;
        int64_t      expected;
    } cases[] = {
        {{.estimate = 2.4}, INKSQL_ESTIMATE, 2},
        {{.estimate = 2.6}, INKSQL_ESTIMATE, 3},
        {{.low = 2.9, .high = 9}, INKSQL_LOW, 2},
        {{.low = 2, .high = 9.1}, INKSQL_HIGH, 10},
        {{.low = 2, .high = 9}, INKSQL_HIGH, 9},
        {{.estimate = 0x1p64}, INKSQL_ESTIMATE, INT64_MAX},
        {{.low = 0x1p63}, INKSQL_LOW, INT64_MAX},
        {{.high = 0x1p62}, INKSQL_HIGH, INT64_C(1) << 62},
        {{.high = 0x1p70}, INKSQL_HIGH, INT64_MAX},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(inksql_whole(&cases[i].answer, cases[i].bound), cases[i].expected);
}

TEST(long_options_and_parts_of_tuples_are_refused_from_their_limit_on)
{
    const inksql_function *tuple = &inksql_functions[INKSQL_TUPLE];
    char                   text[INKSQL_OPTIONS_BYTES + 1];
    inksql_plan            plan = {0};
    inksql_value           part[2] = {{.type = INKSQL_TEXT, .data = "", .bytes = 0},
                                      {.type = INKSQL_TEXT, .data = "", .bytes = 1 << 27}};
    owned_result           made = {0};
    const inksql_output    output = {room_of, &made};
    inksql_value           result;

    memset(text, ' ', sizeof text);
    memcpy(text, "precision=9", 11);
    SQL_OK(inksql_plan_read(&plan, &inksql_functions[INKSQL_HLL], text, sizeof text - 1, &error));
    assert_int_equal(plan.params.precision, 9);
    assert_int_equal(
        inksql_plan_read(&plan, &inksql_functions[INKSQL_HLL], text, sizeof text, &error),
        INK_USAGE);
    assert_int_equal(inksql_call(tuple, NULL, part, 2, NULL, NULL, &result, &error), INK_LIMIT);
    assert_string_equal(error.text,
                        "ink_tuple: a part of 134217728 bytes, expected fewer than 2^27");
    part[1] = (inksql_value){.type = INKSQL_TEXT, .data = text, .bytes = 0x102};
    SQL_OK(inksql_call(tuple, NULL, part, 2, NULL, &output, &result, &error));
    assert_int_equal(result.bytes, 4 + 4 + 0x102);
    assert_memory_equal(made.data, "\0\0\0\0\2\1\0\0precision=9", 19);
}

RUN_TESTS()
