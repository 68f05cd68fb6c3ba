/* concurrent_test.c - concurrent sketches: any number of threads add and ask at once, nothing is
 * lost, and the bytes are those of one writer. What needs a sketch to stand still takes a snapshot;
 * what would change it otherwise is refused. Run with SAN=tsan to see races. */
#define _DEFAULT_SOURCE 1
#include "properties/sketches.h"
#include "support/faults.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS_MAX = 64 };

static bool can_share(const ink_params *params)
{
    return is_one_of(params->kind, "bloom classic count-min hll") && !params->conservative;
}

static ink_sketch *make_shared(ink_params params)
{
    params.concurrent = 1;
    return make(&params);
}

/* ---- Threads ------------------------------------------------------------------------------ */

/* The keys of a variant, as threads take them. */
typedef struct keys {
    bool     ints;
    size_t   count;
    int64_t *as_int;
    ink_key *as_bytes;
    uint8_t (*bytes)[KEY_BYTES_MAX];
} keys;

static keys keys_of(const ink_params *params, size_t count)
{
    keys made = {.ints = params->key_type == INK_KEY_INT,
                 .count = count,
                 .as_int = test_malloc(count * sizeof(int64_t)),
                 .as_bytes = test_malloc(count * sizeof(ink_key)),
                 .bytes = test_malloc(count * sizeof *made.bytes)};

    for (size_t i = 0; i < count; i++) {
        made.as_int[i] = int_of_key(i);
        made.as_bytes[i] = (ink_key){made.bytes[i], bytes_of_key(i, made.bytes[i])};
    }
    return made;
}

static void free_keys(keys *of)
{
    test_free(of->as_int);
    test_free(of->as_bytes);
    test_free(of->bytes);
}

static ink_batch range_of(const keys *of, size_t first, size_t count)
{
    return of->ints ? (ink_batch){.count = count, .ints = of->as_int + first}
                    : (ink_batch){.count = count, .keys = of->as_bytes + first};
}

/* One thread of several. No check stands in it: cmocka is for the first thread alone. */
typedef struct writer {
    pthread_t          thread;
    pthread_barrier_t *start;
    ink_sketch        *sketch;
    const keys        *of;
    const uint64_t    *weights; /* of all keys, or NULL */
    unsigned           number;
    unsigned           rounds;
    atomic_size_t     *done; /* how many keys of its own the first writer has added; or NULL */
    atomic_bool       *stop; /* for those that ask until the others are done */
    unsigned           failed;
} writer;

/* The line of the first thing that went wrong. */
#define EXPECT(w, condition)                                                                       \
    do {                                                                                           \
        if (!(condition) && (w)->failed == 0)                                                      \
            (w)->failed = __LINE__;                                                                \
    } while (0)

static void run_writers(writer *writers, unsigned count, void *(*work)(void *))
{
    pthread_barrier_t start;

    CHECK(pthread_barrier_init(&start, NULL, count) == 0);
    for (unsigned i = 0; i < count; i++) {
        writers[i].start = &start;
        CHECK(pthread_create(&writers[i].thread, NULL, work, &writers[i]) == 0);
    }
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_join(writers[i].thread, NULL) == 0);
    for (unsigned i = 0; i < count; i++)
        if (writers[i].failed != 0)
            fail_msg("thread %u of %u: line %u of the test", i, count, writers[i].failed);
    pthread_barrier_destroy(&start);
}

/* Whether the sketch knows key `i`, which was added at least so often. */
static void expect_key(writer *w, size_t i, double times)
{
    const ink_batch one = range_of(w->of, i, 1);
    uint8_t         answer = 0;
    ink_answer      count = {0};
    ink_error       why;
    ink_status      contains = ink_sketch_contains_batch(w->sketch, &one, &answer, &why);
    ink_status      counted = ink_sketch_count_batch(w->sketch, &one, &count, &why);

    EXPECT(w, contains == INK_UNSUPPORTED || (contains == INK_OK && answer == 1));
    EXPECT(w, counted == INK_UNSUPPORTED ||
                  (counted == INK_OK && (count.saturated || count.estimate >= times)));
    if (w->of->ints) {
        EXPECT(w, ink_sketch_maybe_int(w->sketch, w->of->as_int[i]) != 0);
    } else {
        EXPECT(w, ink_sketch_maybe(w->sketch, w->of->bytes[i], w->of->as_bytes[i].bytes) != 0);
    }
}

/* Adds all keys, from another one on than the others, alone or in batches of many sizes, and asks
 * for each that it has added. */
static void *add_and_ask(void *host)
{
    writer   *w = host;
    ink_error why;
    size_t    count = w->of->count, first = count / THREADS_MAX * w->number % count, some;

    pthread_barrier_wait(w->start);
    for (size_t done = 0; done < count; done += some, first = (first + some) % count) {
        some = 1 + (done + w->number) * 7 % 300;
        some = some < count - done ? some : count - done;
        some = some < count - first ? some : count - first;
        ink_batch batch = range_of(w->of, first, some);
        batch.weights = w->weights == NULL ? NULL : w->weights + first;
        if (some > 1 || batch.weights != NULL) {
            EXPECT(w, ink_sketch_add_batch(w->sketch, &batch, &why) == INK_OK);
        } else if (w->of->ints) {
            EXPECT(w, ink_sketch_add_int(w->sketch, w->of->as_int[first], &why) == INK_OK);
        } else {
            const ink_key *key = &w->of->as_bytes[first];
            EXPECT(w, ink_sketch_add(w->sketch, key->data, key->bytes, &why) == INK_OK);
        }
        for (size_t i = 0; i < some; i += 5)
            expect_key(w, first + i, batch.weights == NULL ? 1 : (double)batch.weights[i]);
    }
    return NULL;
}

/* ---- The same bytes ----------------------------------------------------------------------- */

static void check_threads(size_t variant, const keys *of, const uint64_t *weights, unsigned threads)
{
    const ink_params *params = &variants[variant].params;
    ink_batch         all = range_of(of, 0, of->count);
    owned_sketch     *one = make(params), *several = make_shared(*params);
    writer            writers[THREADS_MAX] = {0};

    all.weights = weights;
    for (unsigned i = 0; i < threads; i++) {
        CHECK_OK(ink_sketch_add_batch(one, &all, &error));
        writers[i] = (writer){.sketch = several, .of = of, .weights = weights, .number = i};
    }
    run_writers(writers, threads, add_and_ask);
    assert_int_equal(sketches_describe(several).records, threads * of->count);
    assert_int_equal(sketches_describe(several).total, sketches_describe(one).total);
    assert_int_equal(sketches_describe(several).bytes, sketches_describe(one).bytes);
    CHECK_SAME(several, one, variant);
}

TEST_OF_VARIANTS(writers_leave_the_bytes_of_one)
{
    static const unsigned threads[] = {1, 2, 5, 16, 64};

    if (!can_share(&variants[i].params))
        return;
    keys of = keys_of(&variants[i].params, variants[i].keys);
    for (size_t j = 0; j < (light() ? 2 : 5); j++)
        check_threads(i, &of, NULL, threads[j]);
    free_keys(&of);
}

TEST_OF_VARIANTS(weights_of_writers_add_up)
{
    uint64_t weights[3000];

    if (!can_share(&variants[i].params) || !takes_weights(&variants[i]))
        return;
    keys of = keys_of(&variants[i].params, variants[i].keys);
    for (size_t j = 0; j < of.count; j++) /* small ones, none, large ones, and too large ones */
        weights[j] = j % 7 == 0 ? 0 : j % 50 == 1 ? UINT64_MAX >> j % 40 : j % 3 == 0 ? 300 : j;
    check_threads(i, &of, weights, 4);
    free_keys(&of);
}

/* Every thread adds to the same few cells at once, again and again: a lost bit, count or register
 * is seen. */
static void *add_quickly(void *host)
{
    writer   *w = host;
    ink_error why;

    pthread_barrier_wait(w->start);
    for (unsigned round = 0; round < w->rounds; round++)
        for (size_t i = w->number; i < w->of->count; i += 4)
            EXPECT(w, ink_sketch_add_int(w->sketch, w->of->as_int[i], &why) == INK_OK);
    return NULL;
}

TEST(nothing_is_lost_where_threads_meet)
{
    static const struct {
        ink_params params;
        size_t     keys;
        unsigned   rounds, turns; /* of adding all keys; of sketches */
    } cases[] = {
        {{.kind = "bloom", .bits = 256}, 16, 1, 400},
        {{.kind = "classic", .bits = 64, .hashes = 3}, 16, 1, 400},
        {{.kind = "hll", .precision = 4}, 400, 1, 200},
        {{.kind = "count-min", .width = 1, .depth = 2}, 40, 2000, 1},
        {{.kind = "count-min", .width = 1, .depth = 1, .counter_bits = 64}, 40, 2000, 1},
    };

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        ink_params params = cases[c].params;
        params.key_type = INK_KEY_INT;
        keys      of = keys_of(&params, cases[c].keys);
        ink_batch all = range_of(&of, 0, of.count);

        for (unsigned turn = 0; turn < (light() ? 1 : cases[c].turns); turn++) {
            owned_sketch *one = make(&params), *several = make_shared(params);
            writer        writers[4] = {0};
            for (unsigned round = 0; round < cases[c].rounds; round++)
                CHECK_OK(ink_sketch_add_batch(one, &all, &error));
            for (unsigned i = 0; i < 4; i++)
                writers[i] =
                    (writer){.sketch = several, .of = &of, .number = i, .rounds = cases[c].rounds};
            run_writers(writers, 4, add_quickly);
            CHECK(same_bytes(several, one));
        }
        free_keys(&of);
    }
}

/* Threads raise a counter over its half, and up to where it stops. */
TEST(counters_stop_as_those_of_one_writer)
{
    static const uint64_t starts[] = {0,
                                      ((uint64_t)1 << 31) - 2000,
                                      UINT32_MAX - 8000 * 255,
                                      UINT32_MAX - 100,
                                      ((uint64_t)1 << 63) - 2000,
                                      UINT64_MAX - 100};
    static const uint64_t weights[] = {1, 255, 256, 70000};

    for (unsigned bits = 32; bits <= 64; bits += 32)
        for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
            const ink_params params = {.kind = "count-min",
                                       .width = 1,
                                       .depth = 1,
                                       .counter_bits = bits,
                                       .key_type = INK_KEY_INT};
            keys             of = keys_of(&params, 1000);
            uint64_t         each[1000];
            owned_sketch    *one = make(&params), *several = make(&params);
            ink_batch        all = range_of(&of, 0, of.count);
            writer           writers[8] = {0};

            for (size_t j = 0; j < of.count; j++)
                each[j] = weights[j % (1 + s % 4)];
            add_weighted(several, 1, starts[s]);
            CHECK_OK(ink_sketch_share(several, &error));
            add_weighted(one, 1, starts[s]);
            all.weights = each;
            for (unsigned i = 0; i < 8; i++) {
                CHECK_OK(ink_sketch_add_batch(one, &all, &error));
                writers[i] = (writer){.sketch = several, .of = &of, .weights = each, .number = i};
            }
            run_writers(writers, 8, add_and_ask);
            CHECK(same_bytes(several, one));
            free_keys(&of);
        }
}

/* ---- Snapshots ---------------------------------------------------------------------------- */

enum { SNAP_KEYS = 4000 };

/* The first adds keys and says how far it is; others add all, or look. */
static void *add_in_order(void *host)
{
    writer   *w = host;
    ink_error why;

    pthread_barrier_wait(w->start);
    for (size_t i = 0; i < w->of->count; i++) {
        EXPECT(w, ink_sketch_add_int(w->sketch, w->of->as_int[i], &why) == INK_OK);
        if (w->done != NULL)
            atomic_store_explicit(w->done, i + 1, memory_order_release);
    }
    return NULL;
}

static void *look(void *host)
{
    writer   *w = host;
    ink_error why;

    pthread_barrier_wait(w->start);
    while (!atomic_load(w->stop)) {
        size_t                          done = atomic_load_explicit(w->done, memory_order_acquire);
        const ink_description           now = sketches_describe(w->sketch);
        ink_sketch                     *copy = NULL, *again = NULL;
        uint8_t                        *bytes = NULL, digest[INK_DIGEST_BYTES], known[SNAP_KEYS];
        static _Thread_local ink_answer counts[SNAP_KEYS];
        const ink_batch                 all = range_of(w->of, 0, done);
        size_t                          count = 0;
        ink_answer                      answer;
        double                          rate;

        EXPECT(w, now.records >= done && now.concurrent == 1 && !now.read_only);
        EXPECT(w, ink_sketch_copy(&copy, w->sketch, NULL, &why) == INK_OK);
        EXPECT(w, ink_sketch_encode(w->sketch, &bytes, &count, &why) == INK_OK);
        EXPECT(w, ink_sketch_decode(&again, bytes, count, NULL, &why) == INK_OK);
        EXPECT(w, ink_sketch_digest(w->sketch, digest, &why) == INK_OK);
        for (int i = 0; i < 2 && w->failed == 0; i++) {
            const ink_sketch     *still = i == 0 ? copy : again;
            const ink_description is = sketches_describe(still);
            EXPECT(w, is.records >= done && is.concurrent == 0);
            ink_status contains = ink_sketch_contains_batch(still, &all, known, &why);
            ink_status counted = ink_sketch_count_batch(still, &all, counts, &why);
            EXPECT(w, contains == INK_OK || contains == INK_UNSUPPORTED);
            EXPECT(w, counted == INK_OK || counted == INK_UNSUPPORTED);
            for (size_t j = 0; j < done; j++) {
                EXPECT(w, contains != INK_OK || known[j] == 1);
                EXPECT(w, counted != INK_OK ||
                              (counts[j].estimate >= 1 && counts[j].estimate <= (double)is.total));
            }
        }
        ink_status distinct = ink_sketch_distinct(w->sketch, 0, &answer, &why);
        EXPECT(w, distinct == INK_UNSUPPORTED || answer.estimate >= 0.8 * (double)done);
        (void)ink_sketch_rate(w->sketch, &rate, &why);
        (void)ink_sketch_dot(w->sketch, w->sketch, &answer, &why);
        ink_sketch_free(copy);
        ink_sketch_free(again);
        ink_bytes_free(bytes, count, NULL);
    }
    return NULL;
}

static void *add_or_look(void *host)
{
    writer *w = host;

    if (w->stop == NULL)
        return add_in_order(w);
    if (w->number == 0) { /* the first ends the looking */
        add_in_order(w);
        atomic_store(w->stop, true);
        return NULL;
    }
    return look(w);
}

TEST(a_snapshot_has_all_that_was_added_before)
{
    static const ink_params sorts[] = {
        {.kind = "bloom", .expected_keys = SNAP_KEYS},
        {.kind = "classic", .expected_keys = SNAP_KEYS},
        {.kind = "count-min", .width = 900, .depth = 3},
        {.kind = "count-min", .width = 1, .depth = 1, .counter_bits = 64},
        {.kind = "hll", .precision = 12},
    };

    for (size_t s = 0; s < sizeof sorts / sizeof sorts[0]; s++) {
        ink_params params = sorts[s];
        params.key_type = INK_KEY_INT;
        keys          of = keys_of(&params, light() ? 100 : SNAP_KEYS);
        owned_sketch *one = make(&params), *several = make_shared(params);
        ink_batch     all = range_of(&of, 0, of.count);
        atomic_size_t done = 0;
        atomic_bool   stop = false;
        writer        writers[4] = {
                   {.sketch = several, .of = &of, .number = 0, .done = &done, .stop = &stop},
                   {.sketch = several, .of = &of, .number = 1, .done = &done, .stop = &stop},
                   {.sketch = several, .of = &of, .number = 2},
                   {.sketch = several, .of = &of, .number = 3},
        };
        run_writers(writers, 4, add_or_look);
        for (int i = 0; i < 3; i++)
            CHECK_OK(ink_sketch_add_batch(one, &all, &error));
        CHECK(same_bytes(several, one));
        owned_sketch *copy; /* takes keys as any other */
        CHECK_OK(ink_sketch_copy(&copy, several, NULL, &error));
        CHECK_OK(ink_sketch_add_batch(copy, &all, &error));
        CHECK_OK(ink_sketch_add_batch(one, &all, &error));
        CHECK(same_bytes(copy, one));
        free_keys(&of);
    }
}

/* ---- Loaded, copied, mixed ---------------------------------------------------------------- */

TEST_OF_VARIANTS(a_decoded_sketch_goes_on_as_a_concurrent_one)
{
    const struct variant *of = &variants[i];

    if (!can_share(&of->params) || of->params.secret != NULL)
        return;
    owned_sketch  *plain = make_with(&of->params, 0, of->keys / 2);
    owned_snapshot made = encode(plain);
    owned_sketch  *shared = decode(&made);
    uint64_t       before = ink_sketch_memory(shared);

    CHECK_OK(ink_sketch_share(shared, &error));
    CHECK_OK(ink_sketch_share(shared, &error)); /* it is already */
    CHECK(ink_sketch_memory(shared) >= before + 8192);
    CHECK_SAME(shared, plain, i);
    add_range(plain, of->keys / 2, of->keys);
    add_range(shared, of->keys / 2, of->keys);
    CHECK_SAME(shared, plain, i);

    owned_sketch *copy = copy_of(shared), *like = NULL;
    CHECK_SAME(copy, plain, i);
    assert_int_equal(sketches_describe(copy).concurrent, 0);
    CHECK_OK(ink_sketch_create_like(&like, shared, NULL, &error));
    assert_int_equal(sketches_describe(like).concurrent + sketches_describe(like).records, 0);
    merge_parts(like, shared);
    CHECK_SAME(like, plain, i);
    CHECK(same_content(shared, plain));
}

/* A file of a concurrent sketch and another, and what is asked of both together. */
TEST(concurrent_sketches_stand_in_files_and_beside_others)
{
    const ink_params params = {.kind = "count-min", .width = 100, .depth = 3};
    owned_sketch    *plain = make_with(&params, 0, 500), *shared = make_shared(params);
    const ink_label  a = ink_group("a"), b = ink_group("b");
    ink_answer       of_plain = {0}, of_both = {0};
    ink_batch        none = {0};

    add_range(shared, 0, 500);
    const ink_entry    mixed[] = {{.label = b, .sketch = shared}, {.label = a, .sketch = plain}};
    const ink_entry    same[] = {{.label = b, .sketch = plain}, {.label = a, .sketch = plain}};
    const ink_contents contents = {.entries = mixed, .entry_count = 2};
    owned_snapshot     of_mixed = sketches_encode(&contents);
    owned_snapshot of_same = sketches_encode(&(ink_contents){.entries = same, .entry_count = 2});

    CHECK(encodings_equal(&of_mixed, &of_same));
    CHECK_OK(ink_sketch_dot(plain, plain, &of_plain, &error));
    CHECK_OK(ink_sketch_dot(shared, plain, &of_both, &error));
    CHECK(answers_equal(&of_plain, &of_both));
    CHECK_OK(ink_sketch_dot(shared, shared, &of_both, &error));
    CHECK(answers_equal(&of_plain, &of_both));
    CHECK_OK(ink_sketch_check_batch(shared, &none, &error));

    uint8_t   over[3], expected[3];
    uint64_t  hashes[3] = {1, 2, 3};
    ink_batch three = {.count = 3, .hashes = hashes};
    CHECK_OK(ink_sketch_over_batch(plain, &three, 60, expected, &error));
    CHECK_OK(ink_sketch_over_batch(shared, &three, 60, over, &error));
    assert_memory_equal(over, expected, sizeof over);
}

TEST(a_job_adds_to_a_concurrent_sketch)
{
    enum { MANY = 300000 };
    const ink_params params = {.kind = "bloom", .bits = 1 << 14, .key_type = INK_KEY_INT};
    owned_sketch    *plain = make(&params), *shared = make_shared(params);
    int64_t         *ints = test_malloc(MANY * sizeof *ints);
    ink_job          job = {.threads = 4};

    for (int64_t i = 0; i < MANY; i++)
        ints[i] = i % 97;
    CHECK_OK(ink_job_add_batch(plain, &(ink_batch){.count = MANY, .ints = ints}, &job, &error));
    CHECK_OK(ink_job_add_batch(shared, &(ink_batch){.count = MANY, .ints = ints}, &job, &error));
    CHECK(same_bytes(shared, plain));
    test_free(ints);
}

/* ---- Refused ------------------------------------------------------------------------------ */

TEST(what_would_change_a_concurrent_sketch_otherwise_is_refused)
{
    const ink_params  params = {.kind = "bloom", .bits = 256 * 4, .secret = a_secret};
    owned_sketch     *plain = make_with(&params, 0, 9), *shared = make_shared(params);
    sketches_snapshot before;
    ink_sketch       *both[2] = {shared, shared};
    const uint64_t    hashes[2] = {1, 2};
    const ink_batch   two = {.count = 2, .hashes = hashes};
    const char *told = "this bloom is concurrent: threads only add keys and ask; change a copy";
    bool        fresh = false;
    uint64_t    divisor = 0;

    add_range(shared, 0, 9);
    before = sketches_remember(shared);
    CHECK_FAILS(ink_sketch_add_new(shared, "x", 1, &fresh, &error), INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_sketch_add_new_batch(shared, &two, NULL, &error), INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_sketch_remove(shared, "x", 1, &error), INK_UNSUPPORTED, "bloom cannot take");
    CHECK_FAILS(ink_sketch_merge(shared, plain, NULL, &error), INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_sketch_merge(shared, plain, &(ink_merge_options){.max_rate = 0.5}, &error),
                INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_sketch_intersect(shared, plain, &error), INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_sketch_fold(shared, 2, &error), INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_sketch_fold_to_rate(shared, 0.9, &divisor, &error), INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_sketch_unlock(shared, a_secret, &error), INK_UNSUPPORTED, told);
    CHECK_FAILS(ink_add_each(both, &two, &error), INK_UNSUPPORTED, told);
    CHECK(sketches_unchanged(shared, &before));
    CHECK(!fresh && divisor == 0);
    CHECK_OK(ink_sketch_intersect(plain, shared, &error)); /* as the other one it is welcome */
    CHECK(same_bytes(plain, shared));
}

TEST(kinds_with_one_writer_refuse_more)
{
    const ink_window window = {.slot_microseconds = 1, .slots = 2};
    ink_sketch      *made = NULL;
    ink_draft       *draft = NULL;
    ink_ring        *ring = NULL;
    ink_description  planned;
    char             expected[64];

    for (size_t i = 0; i < VARIANTS; i++) {
        ink_params params = variants[i].params;
        if (can_share(&params))
            continue;
        owned_sketch *plain = make(&params);
        params.concurrent = 1;
        snprintf(expected, sizeof expected,
                 params.conservative ? "expected one of them" : "%s has no concurrent",
                 params.kind);
        CHECK_FAILS(ink_sketch_create(&made, &params, NULL, &error), INK_USAGE, expected);
        CHECK_FAILS(ink_plan(&params, &planned, &error), INK_USAGE, expected);
        snprintf(expected, sizeof expected,
                 params.conservative ? "expected one of them" : "%s has one writer", params.kind);
        CHECK_FAILS(ink_sketch_share(plain, &error), INK_UNSUPPORTED, expected);
    }
    ink_params params = {.kind = "bloom", .concurrent = 2, .expected_keys = 10};
    CHECK_FAILS(ink_sketch_create(&made, &params, NULL, &error), INK_USAGE,
                "concurrent 2, expected 0 or 1");
    params.concurrent = 1;
    CHECK_OK(ink_plan(&params, &planned, &error));
    assert_int_equal(planned.concurrent, 1);
    planned.concurrent = 0;
    CHECK_OK(ink_plan_filled(&params, 10, &planned, &error));
    assert_int_equal(planned.concurrent, 1);
    CHECK_FAILS(ink_ring_create(&ring, &params, &window, NULL, &error), INK_USAGE,
                "concurrent for what makes its sketches itself");
    params.expected_keys = 0;
    CHECK_FAILS(ink_draft_create(&draft, &params, 0, NULL, &error), INK_USAGE,
                "concurrent for what makes its sketches itself");
    const ink_build_options build = {.kinds = &params, .kind_count = 1};
    const ink_reading       reading = {0};
    ink_job                 job = {0};
    ink_set                *set = NULL;
    CHECK_FAILS(ink_build(&set, NULL, 0, &reading, &build, &job, &error), INK_USAGE,
                "concurrent for what makes its sketches itself");

    owned_sketch *plain = make_with(&variants[0].params, 0, 9);
    owned_view    view = sketches_view_of(plain, INK_OPEN_CHECKED);
    CHECK_FAILS(ink_sketch_share(view.sketch, &error), INK_READ_ONLY, "is a view of a file");
    CHECK(made == NULL && draft == NULL && ring == NULL && set == NULL);
}

/* ---- Memory ------------------------------------------------------------------------------- */

TEST_OF_VARIANTS(a_refusal_leaves_a_sketch_with_the_writers_it_had)
{
    const struct variant *of = &variants[i];

    if (!can_share(&of->params) || of->keys > 1000)
        return;
    for (faults_refusals run = {0}; faults_refusals_next(&run);) {
        ink_params    params = of->params;
        owned_sketch *made = NULL;
        params.concurrent = 1;
        faults_check_refused(&run, ink_sketch_create(&made, &params, &run.allocator, &error));
    }
    for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
        owned_sketch *made = NULL;
        CHECK_OK(ink_sketch_create(&made, &of->params, &run.allocator, &error));
        add_range(made, 0, 9);
        faults_refuse_now(&run);
        bool refused = faults_check_refused(&run, ink_sketch_share(made, &error));
        assert_int_equal(sketches_describe(made).concurrent, !refused);
        add_range(made, 9, 20);
        owned_sketch *whole = make_with(&of->params, 0, 20);
        CHECK(same_content(made, whole));
    }
    for (int call = 0; call < 5 + (strcmp(of->params.kind, "hll") == 0); call++)
        for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
            owned_sketch *made = NULL, *other = make(&of->params);
            ink_params    params = of->params;
            uint8_t       digest[INK_DIGEST_BYTES], room[INK_INFO_BYTES];
            size_t        bytes;
            ink_answer    answer;
            ink_overlap   overlap;
            params.concurrent = 1;
            CHECK_OK(ink_sketch_create(&made, &params, &run.allocator, &error));
            add_range(made, 0, 9);
            faults_refuse_now(&run);
            faults_check_refused(&run,
                                 call == 0   ? ink_sketch_digest(made, digest, &error)
                                 : call == 1 ? ink_sketch_merge(other, made, NULL, &error)
                                 : call == 2 ? ink_sketch_encoded_bytes(made, &bytes, &error)
                                 : call == 3 ? ink_sketch_info_json(made, NULL, (char *)room,
                                                                    sizeof room, &bytes, &error)
                                 : call == 5 ? ink_sketch_overlap(made, other, 0, &overlap, &error)
                                 : strcmp(of->params.kind, "count-min") == 0
                                     ? ink_sketch_dot(made, made, &answer, &error)
                                     : ink_sketch_distinct(made, 0, &answer, &error));
            owned_sketch *whole = make_with(&of->params, 0, 9);
            CHECK(same_content(made, whole));
        }
}

RUN_TESTS()
