/* threads_test.c - threads that keep to the rules (one writer or many readers a sketch) meet no
 * race, and parts built side by side merge to the bytes of the whole. Run with SAN=tsan to see
 * races. */
#include "support/check.h"

#include <pthread.h>

enum { THREADS = 4, KEYS = 20000 };

static const ink_params kinds[] = {
    {.kind = "bloom", .expected_keys = KEYS},
    {.kind = "classic", .expected_keys = KEYS},
    {.kind = "hll", .precision = 12},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct work {
    pthread_t         thread;
    const ink_params *params;
    uint64_t          first, until; /* numbers of keys */
    const ink_sketch *shared;       /* to be asked */
    ink_sketch       *part;         /* to be built */
    uint64_t          found;
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

static void *ask_shared(void *argument)
{
    work     *w = argument;
    ink_error error;
    uint8_t   digest[INK_DIGEST_BYTES];

    for (uint64_t key = w->first; key < w->until; key++) {
        bool maybe = false;
        w->failed |= ink_sketch_contains(w->shared, &key, sizeof key, &maybe, &error) != INK_OK;
        w->found += maybe;
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

static void parts_built_by_threads_merge_to_the_bytes_of_the_whole(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
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

static void many_threads_may_ask_one_sketch(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) { /* the filters */
        work whole = {.params = &kinds[k], .until = KEYS}, works[THREADS];

        build_part(&whole);
        for (int i = 0; i < THREADS; i++)
            works[i] = (work){.shared = whole.part, .until = KEYS};
        run_all(works, ask_shared);
        for (int i = 0; i < THREADS; i++)
            CHECK(works[i].found == KEYS);
        ink_sketch_free(whole.part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_built_by_threads_merge_to_the_bytes_of_the_whole),
        cmocka_unit_test(many_threads_may_ask_one_sketch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
