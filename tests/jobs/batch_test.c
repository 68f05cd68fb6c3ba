/* batch_test.c - a batch added on threads: the bytes of one thread, for every kind, form of keys
 * and number of threads; what is refused changes nothing; refused memory is no failure. Run with
 * SAN=tsan to see races.
 *
 * With INK_TEST_LIGHT set, every other kind. */
#include "base/tuning.h"
#include "inkling_job.h"
#include "support/check.h"
#include "support/sketches.h"

#include <pthread.h>
#include <stdatomic.h>

/* Enough for ranges on three threads. */
enum { KEYS = 200003, KEY_BYTES = 5 };

static ink_error error;
static int64_t   ints[KEYS];
static uint8_t   bytes[KEYS * KEY_BYTES];
static uint64_t  offsets[KEYS + 1], ends[KEYS], weights[KEYS];

/* About one key in three comes several times. */
static int make_keys(void **state)
{
    uint64_t x = 1;

    for (size_t i = 0; i < KEYS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        ints[i] = (int64_t)(x >> 33) % (2 * KEYS);
        weights[i] = x >> 60;
        memcpy(bytes + i * KEY_BYTES, &ints[i], KEY_BYTES);
        offsets[i + 1] = (i + 1) * KEY_BYTES;
        ends[i] = offsets[i] + 3 + i % 3;
    }
    return 0;
}

static size_t next_kind(size_t kind)
{
    return kind + (getenv("INK_TEST_LIGHT") == NULL ? 1 : 2);
}

static const ink_params kinds[] = {
    {.kind = "bloom", .expected_keys = KEYS},          /* copies */
    {.kind = "bloom", .bits = (uint64_t)256 * 190003}, /* ranges */
    {.kind = "bloom", .bits = (uint64_t)1 << 27},      /* too large for so few keys */
    {.kind = "classic", .expected_keys = KEYS},
    {.kind = "counting", .expected_keys = 1000},
    {.kind = "counting", .bits = (uint64_t)1024 * 47001},
    {.kind = "count-min", .width = 1000, .depth = 4},
    {.kind = "count-min", .width = 100000, .depth = 4, .counter_bits = 64},
    {.kind = "hll"},
    {.kind = "hll", .precision = 18},
    {.kind = "theta", .precision = 6},
    {.kind = "fm", .width = 2, .depth = 1},
    {.kind = "count-min", .width = 1000, .depth = 2, .conservative = true},
    {.kind = "scalable", .expected_keys = 10000},
    {.kind = "top"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static ink_sketch *make(const ink_params *params, bool of_ints, const ink_allocator *allocator)
{
    ink_params  wanted = *params;
    ink_sketch *sketch;

    wanted.key_type = of_ints ? INK_KEY_INT : INK_KEY_BYTES;
    CHECK_OK(ink_sketch_create(&sketch, &wanted, allocator, &error));
    return sketch;
}

/* Fails unless two sketches are the same, records included; frees both. */
static void check_same(ink_sketch *a, ink_sketch *b)
{
    CHECK(sketches_equal(a, b));
    ink_sketch_free(a);
    ink_sketch_free(b);
}

/* A batch to a sketch that has some keys already, on this many threads. */
static void compare(const ink_params *params, bool of_ints, const ink_batch *batch,
                    unsigned threads)
{
    ink_sketch     *one = make(params, of_ints, NULL), *many = make(params, of_ints, NULL);
    ink_job         job = {.threads = threads};
    const ink_batch some = {.count = 100,
                            .ints = of_ints ? ints + 7 : NULL,
                            .data = of_ints ? NULL : bytes,
                            .offsets = of_ints ? NULL : offsets + 7};

    CHECK_OK(ink_sketch_add_batch(one, &some, &error));
    CHECK_OK(ink_sketch_add_batch(many, &some, &error));
    CHECK_OK(ink_sketch_add_batch(one, batch, &error));
    CHECK_OK(ink_job_add_batch(many, batch, &job, &error));
    assert_int_equal(job.records, batch->count);
    check_same(one, many);
}

TEST(every_kind_and_number_of_threads_gives_the_same_bytes)
{
    static const unsigned numbers[] = {0, 1, 2, 3, 4, 7, 16, 64};
    const ink_batch       batch = {.count = KEYS, .ints = ints};

    for (size_t k = 0; k < KINDS; k = next_kind(k))
        for (size_t t = 0; t < sizeof numbers / sizeof numbers[0]; t++)
            compare(&kinds[k], true, &batch, numbers[t]);
}

TEST(so_does_every_form_of_keys)
{
    static uint64_t hashes[KEYS];
    ink_sketch     *hasher = make(&kinds[0], false, NULL);
    const ink_batch keys = {.count = KEYS, .data = bytes, .offsets = offsets};

    CHECK_OK(ink_sketch_hash_batch(hasher, &keys, hashes, &error));
    ink_sketch_free(hasher);
    for (size_t k = 0; k < KINDS; k = next_kind(k)) {
        ink_kind_info info;
        CHECK_OK(ink_kind_describe(kinds[k].kind, &info, &error));
        const ink_batch batches[] = {
            keys,
            {.count = KEYS - 1, .data = bytes, .offsets = offsets, .ends = ends},
            {.count = KEYS, .hashes = hashes},
            {.count = KEYS, .data = bytes, .offsets = offsets, .weights = weights},
            {.count = KEYS, .data = bytes, .offsets = offsets, .records = 999999},
            {.count = KEYS, .data = bytes, .offsets = offsets, .records = 2},
        };
        for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++)
            if ((batches[b].weights == NULL || info.counts || info.weights) &&
                (batches[b].offsets != NULL || !info.keeps_keys))
                compare(&kinds[k], false, &batches[b], 3);
    }
}

TEST(a_few_keys_are_no_work_for_threads)
{
    static const size_t counts[] = {0, 1, 100, 65535, 65536};

    for (size_t k = 0; k < KINDS; k += 3)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            compare(&kinds[k], true, &(ink_batch){.count = counts[c], .ints = ints}, 2);
}

/* The last key is wrong, which another thread than the first would find. */
TEST(what_is_refused_changes_nothing)
{
    ink_job job = {.threads = 2};

    for (size_t k = 0; k < KINDS; k = next_kind(k)) {
        ink_sketch     *sketch = make(&kinds[k], false, NULL);
        const ink_batch falling = {.count = KEYS, .data = bytes, .offsets = offsets, .ends = ends};
        uint64_t        end = ends[KEYS - 1];
        ends[KEYS - 1] = 0;
        CHECK_FAILS(ink_job_add_batch(sketch, &falling, &job, &error), INK_USAGE,
                    "key 200002 goes from offset 1000010 to 0, expected offsets that never fall");
        ends[KEYS - 1] = end;
        assert_int_equal(
            ink_job_add_batch(sketch, &(ink_batch){.count = KEYS, .ints = ints}, &job, &error),
            INK_MISMATCH);
        check_same(sketch, make(&kinds[k], false, NULL));
    }
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* An allocator for several threads that refuses all from the n-th piece on. */
typedef struct meagre {
    atomic_uint_fast64_t asked;
    uint64_t             refuse_from;
    atomic_int_fast64_t  live;
} meagre;

static void *resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    meagre *memory = host;

    if (new_bytes > 0 && atomic_fetch_add(&memory->asked, 1) + 1 >= memory->refuse_from)
        return NULL;
    atomic_fetch_add(&memory->live, (int64_t)new_bytes - (int64_t)old_bytes);
    if (new_bytes > 0)
        return realloc(block, new_bytes);
    free(block);
    return NULL;
}

/* Of copies, and of the room for sorting; the sketch itself has what it needs. */
TEST(refused_memory_is_no_failure)
{
    const ink_batch batch = {.count = KEYS, .ints = ints};

    for (size_t k = 0; k < KINDS; k = next_kind(k))
        for (uint64_t nth = 1; nth <= 8; nth += nth /* 1, 2, 4, 8 */) {
            meagre of_sketch = {.refuse_from = UINT64_MAX}, of_job = {.refuse_from = nth};
            const ink_allocator first = {.resize = resize, .host = &of_sketch};
            const ink_allocator second = {.resize = resize, .host = &of_job};
            ink_job             job = {.threads = 3, .allocator = &second};
            ink_sketch         *one = make(&kinds[k], true, NULL);
            ink_sketch         *many = make(&kinds[k], true, &first);
            CHECK_OK(ink_sketch_add_batch(one, &batch, &error));
            if (k < 3) /* blooms need no memory to grow */
                of_sketch.refuse_from = atomic_load(&of_sketch.asked) + nth;
            CHECK_OK(ink_job_add_batch(many, &batch, &job, &error));
            of_sketch.refuse_from = UINT64_MAX;
            assert_int_equal(atomic_load(&of_job.live), 0);
            check_same(one, many);
            assert_int_equal(atomic_load(&of_sketch.live), 0);
        }
}

/* The most that was asked for at once, by the caller and by other threads. */
typedef struct sessions {
    pthread_t            caller;
    atomic_uint_fast64_t by_caller, by_others;
} sessions;

static void *ask(void *context, void *block, size_t old_bytes, size_t new_bytes)
{
    sessions             *seen = context;
    atomic_uint_fast64_t *most =
        pthread_equal(pthread_self(), seen->caller) ? &seen->by_caller : &seen->by_others;

    for (uint_fast64_t before = atomic_load(most); before < new_bytes;)
        if (atomic_compare_exchange_weak(most, &before, new_bytes))
            break;
    if (new_bytes != 0)
        return realloc(block, new_bytes);
    free(block);
    return NULL;
}

/* Threads that take it for themselves have new pages from the system each time; one that comes too
 * late takes none. Copies for which it pays are as large as huge pages. */
static void check_copies(const ink_params *kind, const ink_batch *batch, unsigned threads)
{
    sessions            seen = {.caller = pthread_self()};
    const ink_allocator memory = {.resize = ask, .host = &seen};
    ink_job             job = {.threads = threads, .allocator = &memory};
    ink_sketch         *sketch = make(kind, true, NULL);

    CHECK_OK(ink_job_add_batch(sketch, batch, &job, &error));
    const uint64_t payload = sketches_describe(sketch).bytes;
    assert_true(atomic_load(&seen.by_caller) >= payload);
    assert_true(atomic_load(&seen.by_others) < payload);
    assert_int_equal(atomic_load(&seen.by_caller) >= ink__tuning_now().huge_from_bytes,
                     payload >= 512 << 10);
    ink_sketch_free(sketch);
}

TEST(the_caller_takes_the_memory_of_copies)
{
    enum { MANY = 1400000 };
    static const uint64_t sizes[] = {4096, (512 << 10) - 128, 512 << 10, 3 << 20, 5 << 20};
    static int64_t        many[MANY];
    static uint64_t       zeros[MANY]; /* with weights, every thread has a copy */
    const ink_batch       some = {.count = KEYS, .ints = ints};
    const ink_batch       all = {.count = MANY, .ints = many, .weights = zeros};

    check_copies(&kinds[0], &some, 3);
    check_copies(&kinds[4], &some, 3);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_copies(&(ink_params){.kind = "counting", .bits = 8 * sizes[i]}, &all, 2);
}

static void *add_often(void *sketch)
{
    const ink_batch batch = {.count = 1000, .ints = ints};

    for (int i = 0; i < 200; i++)
        if (ink_sketch_add_batch(sketch, &batch, NULL) != INK_OK)
            return NULL;
    return sketch;
}

/* As copies are, by other threads; the thread sanitizer looks on. */
TEST(a_sketch_can_be_made_like_one_that_is_being_filled)
{
    for (size_t k = 0; k <= 4; k += 4) { /* bloom and counting */
        ink_sketch *filled = make(&kinds[k], true, NULL), *like;
        pthread_t   other;
        void       *done;
        assert_int_equal(pthread_create(&other, NULL, add_often, filled), 0);
        for (int i = 0; i < 50; i++) {
            CHECK_OK(ink_sketch_create_like(&like, filled, NULL, &error));
            check_same(like, make(&kinds[k], true, NULL));
        }
        pthread_join(other, &done);
        assert_ptr_equal(done, filled);
        ink_sketch_free(filled);
    }
}

RUN_TESTS(.begin = make_keys)
