/* memory_test.c - an allocator that refuses: every call that allocates is made to fail at each of
 * its allocations in turn, that one alone and from there on. It must say INK_MEMORY, set no result,
 * leak nothing and leave every object and file as it was. */
#define _DEFAULT_SOURCE 1
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"

#include <stdio.h>
#include <unistd.h>

static ink_error error;

/* ---- The harness -------------------------------------------------------------------------- */

#define NOTHING ((void *)(uintptr_t)48) /* what a result holds that was not set */

enum { PAYLOAD_BYTES_MAX = 1 << 18 };

/* What the calls work on. Everything comes from the allocator that refuses. */
typedef struct bench {
    faults_memory         memory;
    ink_allocator         allocator;
    ink_sketch           *a, *b; /* some have a second one */
    ink_file             *file;  /* some have a file, of these bytes */
    uint8_t              *bytes;
    size_t                count;
    ink_sketch           *view;                /* of its first entry */
    ink_ring             *ring;                /* some have a ring */
    ink_draft            *draft, *other_draft; /* or drafts */
    const struct setting *given;

    /* Results, given back after each success. */
    ink_sketch *sketch_made;
    ink_ring   *ring_made;
    ink_draft  *draft_made;
    ink_file   *file_made;
    uint8_t    *bytes_made;
    size_t      count_made;
    uint8_t     digest_made[INK_DIGEST_BYTES];
    uint8_t    *payload_made;
    uint8_t     room[1 << 16]; /* of the caller */
} bench;

/* Keys from `first` on in a sketch; none where there are no parameters. */
typedef struct keyed {
    const ink_params *params;
    uint64_t          first, count;
} keyed;

/* What a task finds when it begins. */
typedef struct setting {
    keyed       a, b;
    const char *sample;                       /* whose bytes there are ... */
    enum { AS_BYTES, AS_VIEW, AS_FILE } held; /* ... opened, or in the file "in" */
    unsigned          flags;                  /* opened so */
    const ink_params *ring;                   /* there is one of these ... */
    bool              ring_used; /* ... with two slots of its window used, one of them twice */
    keyed             draft, other_draft;
    const ink_params *make; /* what it makes, or which slot it asks for, if it does */
    int64_t           when;
} setting;

typedef struct task {
    const char    *name;
    const setting *given;
    ink_status (*act)(bench *w);
    uint64_t allocations_min; /* it takes at least as many */
    bool     saves;           /* it writes to the file "x", which is there already */
    uint64_t may_keep;        /* bytes of room for next time that may stay when it fails */
} task;

static void set_no_results(bench *w)
{
    w->sketch_made = NOTHING;
    w->ring_made = NOTHING;
    w->draft_made = NOTHING;
    w->file_made = NOTHING;
    w->bytes_made = NOTHING;
    w->count_made = 48;
    memset(w->digest_made, 0xee, sizeof w->digest_made);
    memset(w->payload_made, 0xee, PAYLOAD_BYTES_MAX);
}

static bool all_are(const uint8_t *bytes, size_t count, uint8_t value)
{
    while (count > 0 && bytes[count - 1] == value)
        count--;
    return count == 0;
}

static void check_no_results(const bench *w)
{
    assert_ptr_equal(w->sketch_made, NOTHING);
    assert_ptr_equal(w->ring_made, NOTHING);
    assert_ptr_equal(w->draft_made, NOTHING);
    assert_ptr_equal(w->file_made, NOTHING);
    assert_ptr_equal(w->bytes_made, NOTHING);
    assert_int_equal(w->count_made, 48);
    assert_true(all_are(w->digest_made, sizeof w->digest_made, 0xee));
    assert_true(all_are(w->payload_made, PAYLOAD_BYTES_MAX, 0xee));
}

static void give_results_back(bench *w)
{
    if (w->sketch_made != NOTHING)
        ink_sketch_free(w->sketch_made);
    if (w->ring_made != NOTHING)
        ink_ring_free(w->ring_made);
    if (w->draft_made != NOTHING)
        ink_draft_free(w->draft_made);
    if (w->file_made != NOTHING)
        ink_file_close(w->file_made);
    if (w->bytes_made != NOTHING)
        ink_bytes_free(w->bytes_made, w->count_made, &w->allocator);
}

typedef struct state_of {
    uint8_t         digest[INK_DIGEST_BYTES];
    ink_description description;
} state_of;

static void remember(const ink_sketch *sketch, state_of *state)
{
    memset(state, 0, sizeof *state);
    if (sketch == NULL)
        return;
    CHECK_OK(ink_sketch_digest(sketch, state->digest, &error));
    ink_sketch_describe(sketch, &state->description);
}

static void check_unchanged(const ink_sketch *sketch, const state_of *before)
{
    state_of now;

    remember(sketch, &now);
    assert_memory_equal(now.digest, before->digest, INK_DIGEST_BYTES);
    assert_true(now.description.records == before->description.records);
    assert_true(now.description.bytes == before->description.bytes);
}

/* What the slots of a ring are, together, and how many there are. */
typedef struct state_of_ring {
    uint8_t digest[INK_DIGEST_BYTES];
    size_t  count;
} state_of_ring;

static void remember_ring(const ink_ring *ring, state_of_ring *state)
{
    ink_sketch *last;

    memset(state, 0, sizeof *state);
    if (ring == NULL)
        return;
    state->count = ink_ring_count(ring);
    CHECK_OK(ink_ring_last(ring, 0, &last, &error));
    CHECK_OK(ink_sketch_digest(last, state->digest, &error));
    ink_sketch_free(last);
}

static void check_unchanged_ring(const ink_ring *ring, const state_of_ring *before)
{
    state_of_ring now;

    remember_ring(ring, &now);
    assert_int_equal(now.count, before->count);
    assert_memory_equal(now.digest, before->digest, INK_DIGEST_BYTES);
}

/* Text keys from `first` on, as one batch. */
static ink_status add_to_draft(ink_draft *draft, uint64_t first, uint64_t count)
{
    enum { MOST = 4096 };
    static char    texts[MOST][24];
    static ink_key keys[MOST];

    assert_true(count <= MOST);
    for (uint64_t i = 0; i < count; i++) {
        int bytes =
            snprintf(texts[i], sizeof texts[i], "key %llu", (unsigned long long)(first + i));
        keys[i] = (ink_key){texts[i], (size_t)bytes};
    }
    return ink_draft_add_batch(draft, &(ink_batch){.count = (size_t)count, .keys = keys}, &error);
}

static void make_draft(ink_draft **draft, const keyed *given, const ink_allocator *allocator)
{
    if (given->params == NULL)
        return;
    CHECK_OK(ink_draft_create(draft, given->params, 0, allocator, &error));
    CHECK_OK(add_to_draft(*draft, given->first, given->count));
}

/* A draft as bytes, which are few; and what the two of a task were before. */
typedef struct state_of_draft {
    uint8_t bytes[1 << 16];
    size_t  count;
} state_of_draft;
static state_of_draft draft_before, other_draft_before;

static void remember_draft(const ink_draft *draft, state_of_draft *state)
{
    state->count = 0;
    if (draft != NULL)
        CHECK_OK(
            ink_draft_encode_to(draft, state->bytes, sizeof state->bytes, &state->count, &error));
}

static void check_unchanged_draft(const ink_draft *draft, const state_of_draft *before)
{
    static state_of_draft now;

    remember_draft(draft, &now);
    assert_int_equal(now.count, before->count);
    assert_memory_equal(now.bytes, before->bytes, now.count);
}

static const ink_window window = {.slot_microseconds = 1000, .slots = 4};

static void take_bytes(bench *w, const setting *given)
{
    files_sample sample;

    files_sample_named(&sample, given->sample);
    w->bytes = malloc(sample.count);
    assert_non_null(w->bytes);
    memcpy(w->bytes, sample.bytes, sample.count);
    w->count = sample.count;
    files_sample_free(&sample);
    if (given->held == AS_FILE)
        records_write("in", w->bytes, w->count);
    if (given->held != AS_VIEW)
        return;
    CHECK_OK(ink_file_decode(&w->file, w->bytes, w->count, given->flags, &w->allocator, &error));
    if ((given->flags & INK_OPEN_COPY) == 0)
        CHECK_OK(ink_file_sketch(w->file, 0, &w->view, &error));
}

static void make_ring(bench *w, const setting *given)
{
    ink_sketch *slot;

    CHECK_OK(ink_ring_create(&w->ring, given->ring, &window, &w->allocator, &error));
    for (int64_t when = 0; when < (given->ring_used ? 3 : 0); when++) {
        CHECK_OK(ink_ring_slot(w->ring, 5000 + 700 * when, &slot, &error));
        for (int64_t i = 0; i < 40; i++)
            CHECK_OK(ink_sketch_add(slot, &i, 1 + (size_t)(when + i) % 8, &error));
    }
    assert_int_equal(ink_ring_count(w->ring), given->ring_used ? 2 : 0);
}

static void set_up(bench *w, const setting *given)
{
    w->given = given;
    w->allocator = faults_allocator(&w->memory);
    if (given->sample != NULL)
        take_bytes(w, given);
    if (given->ring != NULL)
        make_ring(w, given);
    make_draft(&w->draft, &given->draft, &w->allocator);
    make_draft(&w->other_draft, &given->other_draft, &w->allocator);
    if (given->a.params != NULL)
        w->a = files_sketch(given->a.params, given->a.first, given->a.count, &w->allocator);
    if (given->b.params != NULL)
        w->b = files_sketch(given->b.params, given->b.first, given->b.count, &w->allocator);
}

static void tear_down(bench *w)
{
    ink_ring_free(w->ring);
    ink_draft_free(w->draft);
    ink_draft_free(w->other_draft);
    ink_sketch_free(w->view);
    ink_sketch_free(w->a);
    ink_sketch_free(w->b);
    ink_file_close(w->file);
    free(w->bytes);
    if (w->given->held == AS_FILE)
        assert_int_equal(unlink("in"), 0);
    faults_check_no_leak(&w->memory);
}

/* Runs a task with its n-th allocation refused; false once it has no n-th one. */
static bool refuse(const task *t, uint64_t nth, bool from_then_on, uint8_t *payload)
{
    bench         w = {.payload_made = payload};
    state_of      a, b, view;
    state_of_ring ring;

    set_up(&w, t->given);
    if (t->saves)
        records_write("x", "old", 3);
    remember(w.a, &a);
    remember(w.b, &b);
    remember(w.view, &view);
    remember_ring(w.ring, &ring);
    remember_draft(w.draft, &draft_before);
    remember_draft(w.other_draft, &other_draft_before);
    set_no_results(&w);

    uint64_t live_bytes = w.memory.live_bytes, live_blocks = w.memory.live_blocks;
    w.memory.refuse_at = w.memory.asked + nth;
    w.memory.refuse_after = from_then_on;
    memset(&error, 0, sizeof error);
    faults_system_begin(NULL);
    ink_status status = t->act(&w);
    faults_system_end();
    bool refused = w.memory.refused > 0;
    w.memory.refuse_at = 0;

    if (refused) {
        if (status != INK_MEMORY)
            fail_msg("%s, allocation %llu refused%s: %s", t->name, (unsigned long long)nth,
                     from_then_on ? " and all after it" : "", ink_status_name(status));
        assert_int_equal(error.status, INK_MEMORY);
        assert_non_null(strstr(error.message, "no memory for "));
        if (t->may_keep == 0
                ? w.memory.live_bytes != live_bytes || w.memory.live_blocks != live_blocks
                : w.memory.live_bytes > live_bytes + t->may_keep)
            fail_msg("%s, allocation %llu refused: %llu bytes were kept, not %llu", t->name,
                     (unsigned long long)nth, (unsigned long long)w.memory.live_bytes,
                     (unsigned long long)live_bytes);
        check_no_results(&w);
        check_unchanged(w.a, &a);
        check_unchanged(w.b, &b);
        check_unchanged(w.view, &view);
        check_unchanged_ring(w.ring, &ring);
        check_unchanged_draft(w.draft, &draft_before);
        check_unchanged_draft(w.other_draft, &other_draft_before);
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_maps(), 0);
        if (t->saves)
            assert_true(records_file_is("x", "old"));
        /* What was read or written; no temporary file is left. */
        assert_int_equal(faults_names_here(), (t->given->held == AS_FILE) + t->saves);
    } else {
        if (status != INK_OK)
            fail_msg("%s: %s: %s", t->name, ink_status_name(status), error.message);
        if (nth <= t->allocations_min)
            fail_msg("%s: only %llu allocations, expected %llu", t->name,
                     (unsigned long long)nth - 1, (unsigned long long)t->allocations_min);
        give_results_back(&w);
    }
    if (t->saves)
        assert_int_equal(unlink("x"), 0);
    tear_down(&w);
    return refused;
}

static void refuse_each(void **state)
{
    uint8_t *payload = malloc(PAYLOAD_BYTES_MAX);

    assert_non_null(payload);
    for (const task *t = *state; t->name != NULL; t++)
        for (unsigned from_then_on = 0; from_then_on < 2; from_then_on++)
            for (uint64_t nth = 1; refuse(t, nth, from_then_on != 0, payload); nth++)
                assert_true(nth < 200);
    free(payload);
    assert_int_equal(faults_names_here(), 0);
}

/* REFUSED(name) = {...} is a test of these tasks, after which a row of zeros stands. */
#define REFUSED(name)                                                                              \
    extern const task                        name[];                                               \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        check_add(#name, refuse_each, (void *)(uintptr_t)name, __LINE__);                          \
    }                                                                                              \
    const task name[]

/* ---- Sketches to begin with --------------------------------------------------------------- */

static const ink_params small_bloom = {.kind = "bloom", .expected_keys = 100};
static const ink_params large_bloom = {.kind = "bloom", .bits = (uint64_t)5 << 23}; /* 5 MiB */
static const ink_params small_classic = {.kind = "classic", .bits = 1024, .hashes = 4};
static const ink_params large_classic = {
    .kind = "classic", .bits = ((uint64_t)5 << 23) + 1, .hashes = 4};
static const ink_params hll = {.kind = "hll"};
static const ink_params coarse_hll = {.kind = "hll", .precision = 10};

static const ink_params small_counting = {.kind = "counting", .expected_keys = 100};
static const ink_params scalable = {.kind = "scalable", .expected_keys = 20000};
static const ink_params small_count_min = {.kind = "count-min", .width = 100, .depth = 3};
static const ink_params wide_count_min = {
    .kind = "count-min", .width = 1000, .depth = 2, .counter_bits = 64, .conservative = true};
static const ink_params top = {.kind = "top", .phi = 0.02};
static const ink_params small_top = {.kind = "top", .phi = 0.05};
static const ink_params small_fm = {.kind = "fm"};
static const ink_params tiny_counting = {.kind = "counting", .bits = 1024};
static const ink_params short_scalable = {.kind = "scalable", .expected_keys = 100};
static const ink_params hll_of_ints = {.kind = "hll", .key_type = INK_KEY_INT};

static const setting a_counting = {.a = {&small_counting, 0, 50}};
static const setting an_empty_scalable = {.a = {&scalable, 0, 0}};
/* Its only level is nearly full. */
static const setting a_scalable = {.a = {&scalable, 0, 19990}};
static const setting two_scalables = {.a = {&short_scalable, 0, 250},
                                      .b = {&short_scalable, 200, 800}};
static const setting a_count_min = {.a = {&small_count_min, 0, 50}};
static const setting an_empty_top = {.a = {&top, 0, 0}};
static const setting a_top = {.a = {&top, 0, 30}};
/* Together they have more keys than either keeps. */
static const setting    two_tops = {.a = {&top, 0, 90}, .b = {&small_top, 60, 39}};
static const setting    an_fm = {.a = {&small_fm, 0, 50}};
static const setting    a_bloom = {.a = {&small_bloom, 0, 50}};
static const setting    a_large_bloom = {.a = {&large_bloom, 0, 50}};
static const setting    a_classic = {.a = {&small_classic, 0, 50}};
static const ink_params theta = {.kind = "theta", .precision = 4};
static const setting    an_empty_theta = {.a = {&theta, 0, 0}};
static const setting    two_thetas = {.a = {&theta, 0, 5}, .b = {&theta, 100, 20}};
static const setting    an_empty_hll = {.a = {&hll, 0, 0}};
static const setting    a_listed_hll = {.a = {&hll, 0, 100}};
static const setting    an_hll_array = {.a = {&hll, 0, 8000}};
static const setting    two_lists = {.a = {&hll, 0, 100}, .b = {&hll, 1000, 200}};
static const setting    a_list_and_an_array = {.a = {&hll, 0, 100}, .b = {&hll, 0, 8000}};

static const setting a_view_of_bloom = {.sample = "bloom", .held = AS_VIEW, .flags = INK_OPEN_LAZY};
static const setting a_view_of_registers = {
    .sample = "hll packed 14", .held = AS_VIEW, .flags = INK_OPEN_LAZY};
static const setting a_view_of_scalable = {
    .sample = "scalable", .held = AS_VIEW, .flags = INK_OPEN_LAZY};
static const setting a_view_of_top = {.sample = "top", .held = AS_VIEW, .flags = INK_OPEN_LAZY};
static const setting slots = {.sample = "slots", .held = AS_VIEW, .flags = INK_OPEN_LAZY};
static const setting slots_copied = {.sample = "slots", .held = AS_VIEW, .flags = INK_OPEN_COPY};

/* What a call is about: a view where there is one. */
static const ink_sketch *subject(const bench *w)
{
    return w->view != NULL ? w->view : w->a;
}

/* ---- Making and copying ------------------------------------------------------------------- */

static ink_status create(bench *w)
{
    return ink_sketch_create(&w->sketch_made, w->given->make, &w->allocator, &error);
}

REFUSED(creating_a_sketch_survives_refused_memory) = {
    {"create bloom", &(setting){.make = &small_bloom}, create, 2, false, 0},
    {"create a large bloom", &(setting){.make = &large_bloom}, create, 2, false, 0},
    {"create classic", &(setting){.make = &small_classic}, create, 2, false, 0},
    {"create a large classic", &(setting){.make = &large_classic}, create, 2, false, 0},
    {"create hll", &(setting){.make = &hll}, create, 1, false, 0},
    {"create theta", &(setting){.make = &theta}, create, 1, false, 0},
    {"create counting", &(setting){.make = &small_counting}, create, 2, false, 0},
    {"create scalable", &(setting){.make = &scalable}, create, 1, false, 0},
    {"create count-min", &(setting){.make = &wide_count_min}, create, 2, false, 0},
    {"create top", &(setting){.make = &top}, create, 1, false, 0},
    {"create fm", &(setting){.make = &small_fm}, create, 2, false, 0},
    {0},
};

static ink_status copy(bench *w)
{
    return ink_sketch_copy(&w->sketch_made, subject(w), NULL, &error);
}

REFUSED(copying_a_sketch_survives_refused_memory) = {
    {"copy bloom", &a_bloom, copy, 2, false, 0},
    {"copy a large bloom", &a_large_bloom, copy, 2, false, 0},
    {"copy classic", &a_classic, copy, 2, false, 0},
    {"copy an empty hll", &an_empty_hll, copy, 1, false, 0},
    {"copy a listed hll", &a_listed_hll, copy, 3, false, 0},
    {"copy an hll array", &an_hll_array, copy, 3, false, 0},
    {"copy theta", &two_thetas, copy, 3, false, 0},
    {"copy a view of a bloom", &a_view_of_bloom, copy, 2, false, 0},
    {"copy a view of a list", &(setting){.sample = "hll list 14", .held = AS_VIEW}, copy, 2, false,
     0},
    {"copy a view of registers", &a_view_of_registers, copy, 2, false, 0},
    {"copy counting", &a_counting, copy, 2, false, 0},
    {"copy an empty scalable", &an_empty_scalable, copy, 1, false, 0},
    {"copy scalable", &two_scalables, copy, 5, false, 0}, /* two levels, and their list */
    {"copy a view of a scalable", &a_view_of_scalable, copy, 6, false, 0},
    {"copy count-min", &a_count_min, copy, 2, false, 0},
    {"copy an empty top", &an_empty_top, copy, 1, false, 0},
    {"copy top", &a_top, copy, 4, false, 0},
    {"copy a view of a top", &a_view_of_top, copy, 3, false, 0},
    {"copy fm", &an_fm, copy, 2, false, 0},
    {0},
};

static ink_status convert_to_bloom(bench *w)
{
    return ink_sketch_convert(&w->sketch_made, subject(w), "bloom", NULL, &error);
}

static ink_status convert_to_top(bench *w)
{
    return ink_sketch_convert(&w->sketch_made, subject(w), "top", NULL, &error);
}

REFUSED(converting_a_sketch_survives_refused_memory) = {
    {"convert counting", &a_counting, convert_to_bloom, 3, false, 0},
    {"convert a view of counting", &(setting){.sample = "counting", .held = AS_VIEW},
     convert_to_bloom, 3, false, 0},
    {"convert bloom to its own kind", &a_bloom, convert_to_bloom, 2, false, 0},
    {"convert top to its own kind", &a_top, convert_to_top, 4, false, 0},
    {0},
};

/* The new sketch comes from another allocator than the old one's, which is not asked. */
TEST(copying_to_another_allocator_asks_only_that_one)
{
    faults_memory old = {0}, fresh = {0};
    ink_allocator old_allocator = faults_allocator(&old),
                  fresh_allocator = faults_allocator(&fresh);
    ink_sketch *from = files_sketch(&hll, 0, 100, &old_allocator), *made;
    uint64_t    asked = old.asked;

    CHECK_OK(ink_sketch_copy(&made, from, &fresh_allocator, &error));
    assert_true(old.asked == asked && fresh.asked > 0);
    ink_sketch_free(from);
    faults_check_no_leak(&old);
    CHECK_OK(ink_sketch_add(made, "one more", 8, &error));
    ink_sketch_free(made);
    faults_check_no_leak(&fresh);
}

/* ---- Growing ------------------------------------------------------------------------------ */

static uint64_t hash_of(uint64_t i)
{
    return i * 0x9e3779b97f4a7c15u;
}

/* Adds one key after another; whenever a key needs memory it is refused first. */
static unsigned growth_steps(uint32_t precision, uint64_t keys)
{
    faults_memory   memory = {0};
    ink_allocator   allocator = faults_allocator(&memory);
    ink_sketch     *sketch;
    unsigned        steps = 0;
    state_of        before;
    ink_description now;

    CHECK_OK(ink_sketch_create(&sketch, &(ink_params){.kind = "hll", .precision = precision},
                               &allocator, &error));
    for (uint64_t i = 0; i < keys; i++) {
        uint64_t  hash = hash_of(i), bytes = memory.live_bytes;
        ink_batch batch = {.count = 1, .hashes = &hash};
        memory.refuse_at = memory.asked + 1;
        ink_status status = ink_sketch_add_batch(sketch, &batch, &error);
        memory.refuse_at = 0;
        if (status == INK_OK)
            continue;
        assert_int_equal(status, INK_MEMORY);
        assert_true(memory.live_bytes == bytes);
        ink_sketch_describe(sketch, &now);
        assert_true(now.records == i && now.bytes == 3 * i); /* these keys have a register each */
        remember(sketch, &before);
        memory.refuse_at = memory.asked + 1; /* still refused the second time */
        assert_int_equal(ink_sketch_add_batch(sketch, &batch, &error), INK_MEMORY);
        memory.refuse_at = 0;
        check_unchanged(sketch, &before);
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        steps++;
    }
    ink_sketch_describe(sketch, &now);
    assert_true(now.records == keys);
    ink_sketch_free(sketch);
    faults_check_no_leak(&memory);
    return steps;
}

TEST(every_growth_of_an_hll_survives_refused_memory)
{
    /* Lists of 4, 8, ... entries up to 2^precision / 16, then the array. */
    assert_int_equal(growth_steps(14, 2000), 10);
    assert_int_equal(growth_steps(10, 200), 6);
    assert_int_equal(growth_steps(8, 50), 4);
    assert_int_equal(growth_steps(4, 3), 2);
}

static ink_status add_hashes(bench *w, size_t count)
{
    static uint64_t hashes[200000];

    for (uint64_t i = 0; i < count; i++)
        hashes[i] = hash_of(i + 77);
    return ink_sketch_add_batch(w->a, &(ink_batch){.count = count, .hashes = hashes}, &error);
}

static ink_status add_few(bench *w)
{
    return add_hashes(w, 300);
}

static ink_status add_many(bench *w)
{
    return add_hashes(w, 5000);
}

static ink_status add_one(bench *w)
{
    return ink_sketch_add(w->a, "one", 3, &error);
}

static ink_status merge(bench *w)
{
    return ink_sketch_merge(w->a, w->b != NULL ? w->b : w->view, NULL, &error);
}

REFUSED(adding_keys_to_an_hll_is_all_or_nothing) = {
    {"add few to an empty hll", &an_empty_hll, add_few, 1, false, 0},
    {"add few to a listed hll", &a_listed_hll, add_few, 1, false, 0},
    {"add many to an empty hll", &an_empty_hll, add_many, 1, false, 0},
    {"add many to a listed hll", &a_listed_hll, add_many, 1, false, 0},
    {"add one to an empty hll", &an_empty_hll, add_one, 1, false, 0},
    {0},
};

REFUSED(adding_keys_to_a_theta_and_merging_two_is_all_or_nothing) = {
    {"add one to an empty theta", &an_empty_theta, add_one, 1, false, 0},
    {"add many to an empty theta", &an_empty_theta, add_many, 1, false, 0},
    {"add many to a theta", &two_thetas, add_many, 1, false, 0},
    {"merge two thetas", &two_thetas, merge, 1, false, 0},
    {"merge a view of values into a theta",
     &(setting){.a = {&(ink_params){.kind = "theta"}, 0, 10},
                .sample = "theta few",
                .held = AS_VIEW,
                .flags = INK_OPEN_LAZY},
     merge, 1, false, 0},
    {0},
};

REFUSED(merging_hlls_is_all_or_nothing) = {
    {"merge two lists", &two_lists, merge, 1, false, 0},
    {"merge two lists to an array", &(setting){.a = {&hll, 0, 700}, .b = {&hll, 1000, 700}}, merge,
     1, false, 0},
    {"merge an array into a list", &a_list_and_an_array, merge, 1, false, 0},
    {"merge a coarse array into a fine list",
     &(setting){.a = {&hll, 0, 100}, .b = {&coarse_hll, 0, 8000}}, merge, 1, false, 0},
    {"merge a fine array into a coarse list",
     &(setting){.a = {&coarse_hll, 0, 10}, .b = {&hll, 0, 8000}}, merge, 1, false, 0},
    {"merge a fine list into a coarse one",
     &(setting){.a = {&coarse_hll, 0, 4}, .b = {&hll, 100, 40}}, merge, 1, false, 0},
    {"merge a coarse list into a fine one",
     &(setting){.a = {&hll, 100, 30}, .b = {&coarse_hll, 0, 30}}, merge, 0, false, 0},
    {"merge a view of registers into a list",
     &(setting){.a = {&hll_of_ints, 0, 10},
                .sample = "hll packed 14",
                .held = AS_VIEW,
                .flags = INK_OPEN_LAZY},
     merge, 1, false, 0},
    {0},
};

/* Keys of all lengths, some of which are cut. */
static ink_batch long_keys(size_t count)
{
    enum { KEYS = 400 };
    static uint8_t  bytes[KEYS * 1200];
    static uint64_t offsets[KEYS + 1];

    assert_true(count <= KEYS);
    for (size_t i = 0; i < KEYS; i++) {
        size_t length = i * 37 % 1100 + 4;
        memset(bytes + offsets[i], (int)(i % 251), length);
        memcpy(bytes + offsets[i], &i, 4);
        offsets[i + 1] = offsets[i] + length;
    }
    return (ink_batch){.count = count, .data = bytes, .offsets = offsets};
}

static ink_status add_long_keys(bench *w)
{
    const ink_batch batch = long_keys(400);

    return ink_sketch_add_batch(w->a, &batch, &error);
}

static ink_status add_new_keys(bench *w)
{
    const ink_batch batch = long_keys(400);

    return ink_sketch_add_new_batch(w->a, &batch, w->payload_made, &error);
}

/* Enough that several levels are opened at once. */
static ink_status add_levels(bench *w)
{
    return add_hashes(w, 200000);
}

static ink_status remove_keys(bench *w)
{
    return ink_sketch_remove(w->a, "key 3", 5, &error);
}

/* Of a sketch of bytes: refused for that, and not for memory. */
static ink_status add_weighted_int(bench *w)
{
    ink_status status = ink_sketch_add_weight_int(w->a, 3, 2, &error);

    assert_int_equal(status, INK_MISMATCH);
    return INK_OK;
}

static ink_status merge_as_parts(bench *w)
{
    return ink_sketch_merge(w->a, w->b != NULL ? w->b : w->view,
                            &(ink_merge_options){.parts = true}, &error);
}

/* A level that was opened in vain is given back: it may be as large as all that came before. */
REFUSED(adding_keys_to_a_scalable_is_all_or_nothing) = {
    {"add one to an empty scalable", &an_empty_scalable, add_one, 2, false, 2048},
    {"add to a scalable that is nearly full", &a_scalable, add_few, 1, false, 2048},
    {"add levels to an empty scalable", &an_empty_scalable, add_levels, 5, false, 2048},
    {"add levels to a scalable", &a_scalable, add_levels, 3, false, 2048},
    {"add new keys to an empty scalable", &an_empty_scalable, add_new_keys, 2, false, 2048},
    {0},
};

/* Room for entries may be there already when that for their bytes is refused. */
REFUSED(adding_keys_to_a_top_is_all_or_nothing) = {
    {"add one to an empty top", &an_empty_top, add_one, 2, false, 8192},
    {"add long keys to an empty top", &an_empty_top, add_long_keys, 2, false, 8192},
    {"add long keys to a top", &a_top, add_long_keys, 2, false, 8192},
    {0},
};

REFUSED(merging_other_kinds_is_all_or_nothing) = {
    {"merge countings", &(setting){.a = {&small_counting, 0, 50}, .b = {&tiny_counting, 30, 9}},
     merge, 0, false, 0},
    {"merge scalables", &two_scalables, merge_as_parts, 5, false, 4096},
    {"merge into an empty scalable",
     &(setting){.a = {&short_scalable, 0, 0}, .b = {&short_scalable, 200, 800}}, merge, 5, false,
     4096},
    {"merge tops", &two_tops, merge, 1, false, 16384},
    {"merge into an empty top", &(setting){.a = {&top, 0, 0}, .b = {&top, 0, 90}}, merge, 2, false,
     16384},
    {"merge a view of a top",
     &(setting){.a = {&small_top, 0, 10}, .sample = "top", .held = AS_VIEW, .flags = INK_OPEN_LAZY},
     merge, 1, false, 16384},
    {0},
};

REFUSED(removing_keys_needs_no_memory) = {
    {"remove", &a_counting, remove_keys, 0, false, 0},
    {"add an integer to bytes", &a_counting, add_weighted_int, 0, false, 0},
    {0},
};

/* Whenever a key needs memory it is refused first, and then again; what comes of it is the sketch
 * of an allocator that never refuses. */
static unsigned growth_of(const ink_params *params, uint64_t keys)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_sketch   *sketch = files_sketch(params, 0, 0, &allocator);
    ink_sketch   *plain = files_sketch(params, 0, keys, NULL);
    unsigned      steps = 0;
    state_of      before, of_plain;

    for (uint64_t i = 0; i < keys; i++)
        for (uint64_t nth = 1;; nth++) {
            char key[32];
            int  bytes = snprintf(key, sizeof key, "key %llu", (unsigned long long)i);
            if (nth > 1 || i % 64 == 0)
                remember(sketch, &before);
            memory.refused = 0;
            memory.refuse_at = memory.asked + nth;
            ink_status status = i % 2 == 0 || params != &top
                                    ? ink_sketch_add(sketch, key, (size_t)bytes, &error)
                                    : ink_sketch_add_weight(sketch, key, (size_t)bytes, 1, &error);
            memory.refuse_at = 0;
            if (status == INK_OK)
                break;
            assert_int_equal(status, INK_MEMORY);
            if (nth > 1 || i % 64 == 0)
                check_unchanged(sketch, &before);
            steps++;
        }
    remember(plain, &of_plain);
    check_unchanged(sketch, &of_plain);
    ink_sketch_free(sketch);
    ink_sketch_free(plain);
    faults_check_no_leak(&memory);
    return steps;
}

TEST(every_growth_of_a_scalable_and_a_top_survives_refused_memory)
{
    /* Seven levels, and a list of 4, then 8, of them. */
    assert_int_equal(growth_of(&(ink_params){.kind = "scalable", .expected_keys = 10}, 1000), 9);
    assert_true(growth_of(&top, 1000) >= 8);
}

/* ---- Rings -------------------------------------------------------------------------------- */

static ink_status create_ring(bench *w)
{
    return ink_ring_create(&w->ring_made, w->given->make, &window, &w->allocator, &error);
}

/* Its result is not one to give back. */
static ink_status slot_at(bench *w)
{
    ink_sketch *slot = NOTHING;
    ink_status  status = ink_ring_slot(w->ring, w->given->when, &slot, &error);

    assert_true((slot == NOTHING) == (status != INK_OK));
    return status;
}

static ink_status move_ring(bench *w)
{
    return ink_ring_move(w->ring, 100000, &error);
}

static ink_status last_slots(bench *w)
{
    return ink_ring_last(w->ring, 2, &w->sketch_made, &error);
}

static ink_status load_ring(bench *w)
{
    return ink_ring_load(w->ring, w->file, NULL, &error);
}

static ink_status load_ring_of_group(bench *w)
{
    const ink_label label = ink_group("w");

    return ink_ring_load(w->ring, w->file, &label, &error);
}

static ink_status last_of_file(bench *w)
{
    return ink_file_last(w->file, "scalable", NULL, 0, &w->sketch_made, &error);
}

static ink_status last_tops_of_file(bench *w)
{
    return ink_file_last(w->file, "top", NULL, 2, &w->sketch_made, &error);
}

static const ink_params scalable_of_10 = {.kind = "scalable", .expected_keys = 10};
static const ink_params tops_of_slots = {.kind = "top", .phi = 0.5};
static const ink_params count_mins_of_slots = {.kind = "count-min", .width = 6, .depth = 2};
/* Each of the four slots has its part of the rate. */
static const ink_params scalables_of_slots = {
    .kind = "scalable", .expected_keys = 4, .false_positive_rate = 4 * 0.01};

static const setting a_ring_of_tops = {.ring = &small_top, .ring_used = true};
static const setting a_ring_of_scalables = {.ring = &scalable_of_10, .ring_used = true};
static const setting a_ring_of_hlls = {.ring = &coarse_hll, .ring_used = true};
/* All others would fall out. */
static const setting the_newest = {.ring = &small_top, .ring_used = true, .when = 100000};
static const setting the_next = {.ring = &scalable_of_10, .ring_used = true, .when = 7000};
static const setting an_older_one = {.ring = &coarse_hll, .ring_used = true, .when = 4000};

#define SLOTS_AND_A_RING_OF(params)                                                                \
    &(setting)                                                                                     \
    {                                                                                              \
        .sample = "slots", .held = AS_VIEW, .flags = INK_OPEN_LAZY, .ring = &(params)              \
    }

REFUSED(rings_survive_refused_memory) = {
    {"create a ring of tops", &(setting){.make = &top}, create_ring, 1, false, 0},
    {"create a ring of blooms", &(setting){.make = &small_bloom}, create_ring, 1, false, 0},
    {"the newest slot of tops", &the_newest, slot_at, 1, false, 0},
    {"the next slot of scalables", &the_next, slot_at, 1, false, 0},
    {"an older slot of hlls", &an_older_one, slot_at, 1, false, 0},
    {"move a ring of tops", &a_ring_of_tops, move_ring, 1, false, 0},
    {"the last slots of tops", &a_ring_of_tops, last_slots, 3, false, 0},
    {"the last slots of scalables", &a_ring_of_scalables, last_slots, 4, false, 0},
    {"the last slots of hlls", &a_ring_of_hlls, last_slots, 2, false, 0},
    {"load a ring of tops", SLOTS_AND_A_RING_OF(tops_of_slots), load_ring, 6, false, 0},
    {"load a ring of scalables", SLOTS_AND_A_RING_OF(scalables_of_slots), load_ring, 6, false, 0},
    {"load a ring of count-mins", SLOTS_AND_A_RING_OF(count_mins_of_slots), load_ring_of_group, 6,
     false, 0},
    {"last scalables of a file", &slots, last_of_file, 6, false, 0},
    {"last scalables of a copied file", &slots_copied, last_of_file, 6, false, 0},
    {"last tops of a file", &slots, last_tops_of_file, 4, false, 0},
    {0},
};

/* ---- Drafts ------------------------------------------------------------------------------- */

static ink_status create_draft(bench *w)
{
    return ink_draft_create(&w->draft_made, w->given->make, 0, &w->allocator, &error);
}

/* More keys than there are, as a batch that has a draft of its own; some are known. */
static ink_status add_many_to_draft(bench *w)
{
    ink_status status = add_to_draft(w->draft, 10, 3000);

    assert_true(ink_draft_keys(w->draft) == (status == INK_OK ? 3010 : 50));
    assert_true(ink_draft_memory(w->draft) > 400);
    return status;
}

static ink_status merge_drafts(bench *w)
{
    return ink_draft_merge(w->draft, w->other_draft, &error);
}

static ink_status finish_draft(bench *w)
{
    return ink_draft_finish(&w->sketch_made, w->draft, 2, &error);
}

static ink_status encode_draft(bench *w)
{
    size_t bytes;

    CHECK_OK(ink_draft_encoded_bytes(w->draft, &bytes, &error));
    ink_status status =
        ink_draft_encode_to(w->draft, w->room, sizeof w->room, &w->count_made, &error);
    if (status == INK_OK)
        assert_int_equal(w->count_made, bytes);
    return status;
}

static ink_status decode_draft(bench *w)
{
    return ink_draft_decode(&w->draft_made, draft_before.bytes, draft_before.count, 0,
                            &w->allocator, &error);
}

static const ink_params bloom_draft = {.kind = "bloom"};
static const ink_params counting_draft = {.kind = "counting"};
static const ink_params draft_of_keys = {.kind = "classic", .hash = "mmh3"};

#define DRAFTS_OF(params)                                                                          \
    &(setting)                                                                                     \
    {                                                                                              \
        .draft = {&(params), 0, 50}, .other_draft = {&(params), 30, 2000}, .make = &(params)       \
    }
static const setting *const drafts[] = {DRAFTS_OF(bloom_draft), DRAFTS_OF(counting_draft),
                                        DRAFTS_OF(draft_of_keys)};

/* Room for keys may stay, which the table then had no memory for. */
enum { ROOM_FOR_KEYS = 1 << 16 };

TEST(drafts_survive_refused_memory)
{
    for (size_t i = 0; i < sizeof drafts / sizeof drafts[0]; i++) {
        const task tasks[] = {
            {"create a draft", drafts[i], create_draft, 2, false, 0},
            {"add to a draft", drafts[i], add_many_to_draft, 6, false, 0},
            {"merge drafts", drafts[i], merge_drafts, 1, false, ROOM_FOR_KEYS},
            {"finish a draft", drafts[i], finish_draft, 2, false, 0},
            {"encode a draft", drafts[i], encode_draft, 1, false, 0},
            {"decode a draft", drafts[i], decode_draft, 3, false, 0},
            {0},
        };
        const void *start = tasks;
        refuse_each((void **)(uintptr_t)&start);
    }
}

/* Filters, hlls that are arrays already, and thetas that were full once need nothing: they work
 * when there is no memory. */
TEST(what_needs_no_memory_works_without)
{
    const ink_params *const all[] = {
        &small_bloom, &small_classic, &small_counting, &small_count_min, &wide_count_min,
        &small_fm,    &hll,           &theta};
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool        filter = i < 3, meets = i < 2 || i == 7, counts = i == 3 || i == 4, maybe;
        bench       w = {.a = files_sketch(all[i], 0, 5000, &allocator)};
        ink_sketch *other = files_sketch(all[i], 6000, 5000, &allocator);
        ink_answer  answer;
        ink_overlap overlap;
        double      rate;
        memory.refuse_at = memory.asked + 1;
        memory.refuse_after = true;
        uint64_t asked = memory.asked;
        CHECK_OK(add_many(&w));
        CHECK_OK(ink_sketch_merge(w.a, other, &(ink_merge_options){.parts = true}, &error));
        if (counts)
            CHECK_OK(ink_sketch_count(w.a, "key 1", 5, &answer, &error));
        else
            CHECK_OK(ink_sketch_distinct(w.a, 0, &answer, &error));
        if (i == 3)
            CHECK_OK(ink_sketch_dot(w.a, other, &answer, &error));
        if (all[i] == &hll)
            CHECK_OK(ink_sketch_overlap(w.a, other, 0, &overlap, &error));
        if (filter) {
            CHECK_OK(ink_sketch_contains(w.a, "key 1", 5, &maybe, &error));
            CHECK_OK(ink_sketch_rate(w.a, &rate, &error));
            ink_sketch_fold(w.a, 2, &error);
        }
        if (meets)
            CHECK_OK(ink_sketch_intersect(w.a, other, &error));
        if (i == 7)
            CHECK_OK(ink_sketch_subtract(w.a, other, &error));
        if (i == 2)
            CHECK_OK(ink_sketch_remove(w.a, "key 1", 5, &error));
        assert_true(memory.asked == asked);
        memory.refuse_at = 0;
        ink_sketch_free(w.a);
        ink_sketch_free(other);
    }
    faults_check_no_leak(&memory);
}

/* ---- Bytes -------------------------------------------------------------------------------- */

static ink_status encode(bench *w)
{
    return ink_sketch_encode(subject(w), &w->bytes_made, &w->count_made, &error);
}

static ink_status encode_to(bench *w)
{
    size_t     count;
    ink_status status = ink_sketch_encoded_bytes(subject(w), &count, &error);

    if (status != INK_OK)
        return status;
    CHECK(count <= sizeof w->room);
    return ink_sketch_encode_to(subject(w), w->room, count, &count, &error);
}

static ink_status digest(bench *w)
{
    return ink_sketch_digest(subject(w), w->digest_made, &error);
}

static ink_status payload(bench *w)
{
    ink_description d;

    ink_sketch_describe(subject(w), &d);
    return ink_sketch_payload(subject(w), w->payload_made, (size_t)d.bytes, &error);
}

REFUSED(encoding_a_sketch_survives_refused_memory) = {
    {"encode bloom", &a_bloom, encode, 5, false, 0},
    {"encode classic", &a_classic, encode, 5, false, 0},
    {"encode to memory", &a_bloom, encode_to, 4, false, 0},
    {"encode an empty hll", &an_empty_hll, encode, 4, false, 0},
    {"encode a listed hll", &a_listed_hll, encode, 5, false, 0},
    {"encode an hll array", &an_hll_array, encode, 5, false, 0},
    {"encode a view", &a_view_of_registers, encode, 5, false, 0},
    {"encode counting", &a_counting, encode, 5, false, 0},
    {"encode an empty scalable", &an_empty_scalable, encode, 4, false, 0},
    {"encode scalable", &two_scalables, encode, 5, false, 0},
    {"encode a view of a scalable", &a_view_of_scalable, encode, 5, false, 0},
    {"encode count-min", &a_count_min, encode, 5, false, 0},
    {"encode an empty top", &an_empty_top, encode, 4, false, 0},
    {"encode top", &a_top, encode, 5, false, 0},
    {"encode a view of a top", &a_view_of_top, encode, 5, false, 0},
    {"encode fm", &an_fm, encode, 5, false, 0},
    {0},
};

REFUSED(digesting_a_sketch_survives_refused_memory) = {
    {"digest bloom", &a_bloom, digest, 3, false, 0},
    {"digest a listed hll", &a_listed_hll, digest, 3, false, 0},
    {"digest an hll array", &an_hll_array, digest, 3, false, 0},
    {"digest a view", &a_view_of_bloom, digest, 3, false, 0},
    {"digest scalable", &two_scalables, digest, 3, false, 0},
    {"digest top", &a_top, digest, 3, false, 0},
    {0},
};

REFUSED(taking_the_payload_survives_refused_memory) = {
    {"payload of a listed hll", &a_listed_hll, payload, 1, false, 0},
    {"payload of an hll array", &an_hll_array, payload, 1, false, 0},
    {"payload of a bloom", &a_bloom, payload, 0, false, 0}, /* in place */
    {"payload of a view", &a_view_of_registers, payload, 0, false, 0},
    {"payload of a scalable", &two_scalables, payload, 1, false, 0},
    {"payload of a top", &a_top, payload, 1, false, 0},
    {"payload of a count-min", &a_count_min, payload, 0, false, 0},
    {"payload of a view of a top", &a_view_of_top, payload, 0, false, 0},
    {0},
};

static ink_status decode(bench *w)
{
    return ink_sketch_decode(&w->sketch_made, w->bytes, w->count, &w->allocator, &error);
}

static ink_status decode_in_pieces(bench *w)
{
    ink_decoder *decoder = NULL;
    ink_status   status = ink_decoder_create(&decoder, &w->allocator, &error);

    for (size_t at = 0; status == INK_OK && at < w->count; at += 7)
        status = ink_decoder_write(decoder, w->bytes + at, w->count - at < 7 ? w->count - at : 7,
                                   &error);
    if (status == INK_OK)
        status = ink_decoder_finish(decoder, &w->sketch_made, &error);
    ink_decoder_free(decoder);
    return status;
}

static ink_status view(bench *w)
{
    uint8_t    identity[INK_DIGEST_BYTES];
    ink_status status =
        ink_sketch_view(&w->sketch_made, w->bytes, w->count, INK_OPEN_LAZY, &w->allocator, &error);

    CHECK_OK(ink_identity(w->bytes, w->count, identity, &error));
    if (status == INK_OK)
        CHECK(strlen(ink_sketch_kind(w->sketch_made)) > 0 && ink_sketch_memory(w->sketch_made) > 0);
    return status;
}

REFUSED(decoding_a_sketch_survives_refused_memory) = {
    {"view bloom", &(setting){.sample = "bloom"}, view, 2, false, 0},
    {"view scalable", &(setting){.sample = "scalable"}, view, 3, false, 0},
    {"decode bloom", &(setting){.sample = "bloom"}, decode, 3, false, 0},
    {"decode classic", &(setting){.sample = "classic mmh3"}, decode, 3, false, 0},
    {"decode a list", &(setting){.sample = "hll list 14"}, decode, 3, false, 0},
    {"decode registers", &(setting){.sample = "hll packed 14"}, decode, 3, false, 0},
    {"decode counting", &(setting){.sample = "counting"}, decode, 3, false, 0},
    {"decode scalable", &(setting){.sample = "scalable"}, decode, 7, false, 0},
    {"decode scalable of classics", &(setting){.sample = "scalable of classics"}, decode, 5, false,
     0},
    {"decode count-min", &(setting){.sample = "count-min 64"}, decode, 3, false, 0},
    {"decode top", &(setting){.sample = "top"}, decode, 4, false, 0},
    {"decode top of ints", &(setting){.sample = "top of ints"}, decode, 3, false, 0},
    {"decode fm", &(setting){.sample = "fm"}, decode, 3, false, 0},
    {"decode a bloom in pieces", &(setting){.sample = "bloom"}, decode_in_pieces, 7, false, 0},
    {"decode a top in pieces", &(setting){.sample = "top"}, decode_in_pieces, 8, false, 0},
    {0},
};

static ink_status decode_file(bench *w)
{
    return ink_file_decode(&w->file_made, w->bytes, w->count, w->given->flags, &w->allocator,
                           &error);
}

static ink_status take_first(bench *w)
{
    return ink_file_sketch(w->file, 0, &w->sketch_made, &error);
}

REFUSED(decoding_a_file_survives_refused_memory) = {
    {"decode a file", &(setting){.sample = "two kinds"}, decode_file, 1, false, 0},
    {"decode a file lazily", &(setting){.sample = "two kinds", .flags = INK_OPEN_LAZY}, decode_file,
     1, false, 0},
    {"decode a file to a copy", &(setting){.sample = "two kinds", .flags = INK_OPEN_COPY},
     decode_file, 2, false, 0},
    {0},
};

REFUSED(taking_a_sketch_of_a_file_survives_refused_memory) = {
    {"a view of bloom", &a_view_of_bloom, take_first, 1, false, 0},
    {"a view of registers", &a_view_of_registers, take_first, 1, false, 0},
    {"a copy of registers",
     &(setting){.sample = "hll packed 14", .held = AS_VIEW, .flags = INK_OPEN_COPY}, take_first, 2,
     false, 0},
    {"a view of a scalable", &a_view_of_scalable, take_first, 2, false, 0},
    {"a view of a top", &a_view_of_top, take_first, 1, false, 0},
    {"a copy of slots", &slots_copied, take_first, 4, false, 0},
    {0},
};

/* ---- Files of many ------------------------------------------------------------------------ */

/* What is written in parts is counted, and forgotten. */
static int count_bytes(void *host, const void *bytes, size_t count)
{
    (void)bytes;
    *(size_t *)host += count;
    return 0;
}

static ink_status write_in_parts(const ink_contents *contents)
{
    size_t         count = 0, alone = 0;
    const ink_sink sink = {count_bytes, &count}, beside = {count_bytes, &alone};
    ink_status     status = ink_contents_write(contents, &sink, &error);

    if (status == INK_OK)
        status = ink_sketch_write(contents->entries[0].sketch, &beside, &error);
    if (status == INK_OK)
        assert_true(count > 0 && alone > 0);
    return status;
}

/* Two groups and two sections around sketches a and b, to a file, in memory, or in parts. */
static ink_status write_groups(bench *w, const char *path, bool in_parts)
{
    const ink_entry entries[] = {
        {.label = ink_group("right"), .sketch = w->b},
        {.label = ink_group("left"), .sketch = w->a},
        {.label = {.group_kind = INK_GROUP_NULL, .has_slot = true, .slot = -1}, .sketch = w->a},
    };
    const ink_section sections[] = {
        {.id = INK_SECTION_INPUT_SPEC,
         .critical = true,
         .data = (const uint8_t *)"recipe",
         .bytes = 6},
        {.id = 99, .data = NULL, .bytes = 0},
    };
    const ink_contents contents = {
        .entries = entries,
        .entry_count = 3,
        .sections = sections,
        .section_count = 2,
        .allocator = &w->allocator,
    };

    if (in_parts)
        return write_in_parts(&contents);
    return path != NULL ? ink_contents_save(path, &contents, &error)
                        : ink_contents_encode(&contents, &w->bytes_made, &w->count_made, &error);
}

static ink_status encode_groups(bench *w)
{
    return write_groups(w, NULL, false);
}

static ink_status give_groups(bench *w)
{
    return write_groups(w, NULL, true);
}

static ink_status save_groups(bench *w)
{
    return write_groups(w, "x", false);
}

static ink_status save(bench *w)
{
    return ink_sketch_save(w->a, "x", &error);
}

REFUSED(encoding_groups_and_sections_survives_refused_memory) = {
    {"encode groups of lists", &two_lists, encode_groups, 8, false, 0},
    {"encode groups of lists and arrays", &a_list_and_an_array, encode_groups, 8, false, 0},
    {"encode groups of scalables", &two_scalables, encode_groups, 8, false, 0},
    {"encode groups of tops", &two_tops, encode_groups, 8, false, 0},
    {"write groups of lists in parts", &two_lists, give_groups, 4, false, 0},
    {"write groups of scalables in parts", &two_scalables, give_groups, 4, false, 0},
    {0},
};

REFUSED(saving_leaves_the_old_file_when_memory_is_refused) = {
    {"save bloom", &a_bloom, save, 5, true, 0},
    {"save an hll array", &an_hll_array, save, 5, true, 0},
    {"save groups", &two_lists, save_groups, 8, true, 0},
    {"save scalable", &two_scalables, save, 5, true, 0},
    {"save groups of tops", &two_tops, save_groups, 8, true, 0},
    {0},
};

static ink_status load(bench *w)
{
    return ink_sketch_load(&w->sketch_made, "in", &w->allocator, &error);
}

static ink_status open_file(bench *w)
{
    ink_status status = ink_file_open(&w->file_made, "in", w->given->flags, &w->allocator, &error);

    /* Closed here, while the system's calls are counted. */
    if (status == INK_OK) {
        ink_file_close(w->file_made);
        w->file_made = NOTHING;
    }
    return status;
}

static const setting checked_file = {.sample = "two kinds", .held = AS_FILE};
static const setting lazy_file = {.sample = "two kinds", .held = AS_FILE, .flags = INK_OPEN_LAZY};
static const setting copied_file = {.sample = "two kinds", .held = AS_FILE, .flags = INK_OPEN_COPY};

REFUSED(loading_and_opening_survive_refused_memory) = {
    {"load bloom", &(setting){.sample = "bloom", .held = AS_FILE}, load, 4, false, 0},
    {"load registers", &(setting){.sample = "hll packed 14", .held = AS_FILE}, load, 4, false, 0},
    {"load scalable", &(setting){.sample = "scalable", .held = AS_FILE}, load, 8, false, 0},
    {"load top", &(setting){.sample = "top", .held = AS_FILE}, load, 5, false, 0},
    {"open checked", &checked_file, open_file, 1, false, 0},
    {"open lazily", &lazy_file, open_file, 1, false, 0},
    {"open a copy", &copied_file, open_file, 2, false, 0},
    {0},
};

/* More than any machine has: refused by the allocator or as a limit, never a wrapped size. */
TEST(memory_that_no_machine_has_is_refused)
{
    faults_memory memory = {.refuse_at = 2, .refuse_after = true};
    ink_allocator allocator = faults_allocator(&memory);
    ink_params    params = {.kind = "classic", .bits = (uint64_t)1 << 43, .hashes = 1};
    ink_sketch   *sketch = NOTHING;

    CHECK_FAILS(ink_sketch_create(&sketch, &params, &allocator, &error), INK_MEMORY,
                "no memory for 1099513724927 bytes"); /* 2^40, and 2^21 - 1 to align */
    assert_ptr_equal(sketch, NOTHING);
    faults_check_no_leak(&memory);
}

/* What a test left behind when it failed, so that the next one does not fail for it. */
static int clean_up(void **state)
{
    (void)state;
    faults_system_end();
    unlink("x");
    unlink("in");
    return 0;
}

RUN_TESTS(.after = clean_up)
