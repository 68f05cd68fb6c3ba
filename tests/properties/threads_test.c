/* threads_test.c - threads that keep to the rules (one writer or many readers a sketch) meet no
 * race, and parts built side by side merge to the bytes of the whole. Run with SAN=tsan to see
 * races. */
#include "inkling_file.h"
#include "support/check.h"

#include <pthread.h>

enum { THREADS = 4, KEYS = 20000 };

/* The first ones are free of order. */
static const ink_params kinds[] = {
    {.kind = "bloom", .expected_keys = KEYS},
    {.kind = "classic", .expected_keys = KEYS},
    {.kind = "counting", .expected_keys = KEYS},
    {.kind = "count-min", .width = 1000, .depth = 4},
    {.kind = "fm", .width = 4, .depth = 5},
    {.kind = "hll", .precision = 12},
    {.kind = "theta", .precision = 8},
    {.kind = "scalable", .expected_keys = 1000},
    {.kind = "count-min", .width = 1000, .depth = 4, .conservative = true},
    {.kind = "top", .phi = 0.01},
};
enum { ORDER_FREE = 6 };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct work {
    pthread_t         thread;
    const ink_params *params;
    uint64_t          first, until; /* numbers of keys */
    const ink_sketch *shared;       /* to be asked */
    ink_sketch       *part;         /* to be built */
    uint64_t          found;
    double            distinct; /* or the inner product */
    bool              failed;
} work;

static void add_range(work *w)
{
    ink_error error;

    for (uint64_t key = w->first; key < w->until; key++)
        w->failed |= ink_sketch_add(w->part, &key, sizeof key, &error) != INK_OK;
}

static void *build_part(void *argument)
{
    work     *w = argument;
    ink_error error;

    w->failed = ink_sketch_create(&w->part, w->params, NULL, &error) != INK_OK;
    if (!w->failed)
        add_range(w);
    return NULL;
}

/* All that a kind can be asked; what it cannot be is refused, which is no failure. */
static void *ask_shared(void *argument)
{
    work      *w = argument;
    ink_error  error;
    ink_answer answer;
    ink_item   items[20];
    size_t     found = 0;
    double     rate;
    uint8_t    digest[INK_DIGEST_BYTES];

    for (uint64_t key = w->first; key < w->until; key++) {
        bool       maybe = false;
        ink_answer count = {0};
        ink_status contains = ink_sketch_contains(w->shared, &key, sizeof key, &maybe, &error);
        ink_status counted = ink_sketch_count(w->shared, &key, sizeof key, &count, &error);
        w->failed |= contains != INK_OK && contains != INK_UNSUPPORTED;
        w->failed |= counted != INK_OK && counted != INK_UNSUPPORTED;
        w->found += maybe || count.high >= 1;
    }
    for (unsigned turn = 0; turn < 10; turn++) {
        (void)ink_sketch_rate(w->shared, &rate, &error);
        if (ink_sketch_distinct(w->shared, 0, &answer, &error) == INK_OK)
            w->distinct = answer.estimate;
        if (ink_sketch_dot(w->shared, w->shared, &answer, &error) == INK_OK)
            w->distinct = answer.estimate;
        if (ink_sketch_top(w->shared, items, 20, &found, &error) == INK_OK)
            w->failed |= found != 20 || items[0].key_bytes != sizeof(uint64_t);
        (void)ink_sketch_over(w->shared, 50, items, 20, &found, &error);
    }
    w->failed |= ink_sketch_digest(w->shared, digest, &error) != INK_OK;
    return NULL;
}

static void run_all(work *works, void *(*function)(void *))
{
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&works[i].thread, NULL, function, &works[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(works[i].thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(!works[i].failed);
}

TEST(parts_built_by_threads_merge_to_the_bytes_of_the_whole)
{
    for (int k = 0; k < ORDER_FREE; k++) {
        const ink_merge_options parts = {.parts = true};
        work                    whole = {.params = &kinds[k], .until = KEYS}, works[THREADS] = {0};
        uint8_t                 expected[INK_DIGEST_BYTES], digest[INK_DIGEST_BYTES];
        ink_error               error;

        for (uint64_t i = 0; i < THREADS; i++)
            works[i] = (work){.params = &kinds[k],
                              .first = i * KEYS / THREADS,
                              .until = (i + 1) * KEYS / THREADS};
        run_all(works, build_part);
        build_part(&whole);
        CHECK(!whole.failed);
        for (int i = 1; i < THREADS; i++)
            CHECK_OK(ink_sketch_merge(works[0].part, works[i].part, &parts, &error));

        CHECK_OK(ink_sketch_digest(whole.part, expected, &error));
        CHECK_OK(ink_sketch_digest(works[0].part, digest, &error));
        assert_memory_equal(digest, expected, sizeof digest);

        ink_sketch_free(whole.part);
        for (int i = 0; i < THREADS; i++)
            ink_sketch_free(works[i].part);
    }
}

TEST(many_threads_may_ask_one_sketch)
{
    for (int k = 0; k < KINDS; k++)
        for (int view = 0; view < 2; view++) { /* as it is, and as a view of its bytes */
            work        whole = {.params = &kinds[k], .until = KEYS}, works[THREADS];
            ink_file   *file = NULL;
            ink_sketch *shared;
            uint8_t    *bytes;
            size_t      count;
            ink_error   error;

            build_part(&whole);
            CHECK_OK(ink_sketch_encode(whole.part, &bytes, &count, &error));
            CHECK_OK(ink_file_decode(&file, bytes, count, INK_OPEN_LAZY, NULL, &error));
            CHECK_OK(ink_file_sketch(file, 0, &shared, &error));
            for (int i = 0; i < THREADS; i++)
                works[i] = (work){.shared = view == 0 ? whole.part : shared, .until = KEYS};
            run_all(works, ask_shared);
            bool tells_keys = strcmp(kinds[k].kind, "fm") != 0 &&
                              strcmp(kinds[k].kind, "hll") != 0 &&
                              strcmp(kinds[k].kind, "theta") != 0;
            for (int i = 0; i < THREADS; i++) {
                CHECK(works[i].found == (tells_keys ? KEYS : 0));
                CHECK(works[i].distinct == works[0].distinct);
            }
            ink_sketch_free(shared);
            ink_file_close(file);
            ink_bytes_free(bytes, count, NULL);
            ink_sketch_free(whole.part);
        }
}

RUN_TESTS()
