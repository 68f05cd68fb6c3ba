/* memory_test.c - an allocator that refuses: every call that allocates is made to fail at each of
 * its allocations in turn, that one alone and from there on. It must say INK_MEMORY, set no result,
 * leak nothing and leave every object and file as it was. */
#define _DEFAULT_SOURCE 1
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"

#include <stdio.h>
#include <unistd.h>

static ink_error error;

/* ---- The harness -------------------------------------------------------------------------- */

#define NOTHING ((void *)(uintptr_t)48) /* what a result holds that was not set */

enum { PAYLOAD_BYTES_MAX = 1 << 18, FILE_BYTES_MAX = 1 << 16 };

/* What the calls work on. Everything comes from the allocator that refuses. */
typedef struct bench {
    faults_memory memory;
    ink_allocator allocator;
    ink_sketch   *a, *b; /* some have a second one */
    ink_file     *file;  /* some have a file, of these bytes */
    uint8_t      *bytes;
    size_t        count;
    ink_sketch   *view; /* of its first entry */
    ink_ring     *ring; /* some have a ring */

    /* Results, given back after each success. */
    ink_sketch *sketch_made;
    ink_ring   *ring_made;
    ink_file   *file_made;
    uint8_t    *bytes_made;
    size_t      count_made;
    uint8_t     digest_made[INK_DIGEST_BYTES];
    uint8_t    *payload_made;
} bench;

typedef struct task {
    const char *name;
    void (*set_up)(bench *w);
    ink_status (*act)(bench *w);
    uint64_t allocations_min; /* it takes at least as many */
    bool     saves;           /* it writes to the file "x", which is there already */
    uint64_t may_keep;        /* bytes of room for next time that may stay when it fails */
} task;

static void set_no_results(bench *w)
{
    w->sketch_made = NOTHING;
    w->ring_made = NOTHING;
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

static void write_file(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static size_t read_file(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    size_t count = fread(bytes, 1, FILE_BYTES_MAX, file);
    assert_int_equal(fclose(file), 0);
    return count;
}

static void check_old_file(void)
{
    uint8_t bytes[FILE_BYTES_MAX];

    assert_int_equal(read_file("x", bytes), 3);
    assert_memory_equal(bytes, "old", 3);
    assert_int_equal(faults_names_here(), 1); /* nor is a temporary file left */
}

static void tear_down(bench *w)
{
    ink_ring_free(w->ring);
    ink_sketch_free(w->view);
    ink_sketch_free(w->a);
    ink_sketch_free(w->b);
    ink_file_close(w->file);
    free(w->bytes);
    faults_check_no_leak(&w->memory);
}

/* Runs a task with its n-th allocation refused; false once it has no n-th one. */
static bool refuse(const task *t, uint64_t nth, bool from_then_on, uint8_t *payload)
{
    bench         w = {.payload_made = payload};
    state_of      a, b, view;
    state_of_ring ring;

    w.allocator = faults_allocator(&w.memory);
    if (t->set_up != NULL)
        t->set_up(&w);
    if (t->saves)
        write_file("x", (const uint8_t *)"old", 3);
    remember(w.a, &a);
    remember(w.b, &b);
    remember(w.view, &view);
    remember_ring(w.ring, &ring);
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
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_maps(), 0);
        if (t->saves)
            check_old_file();
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

static void refuse_each(const task *tasks, size_t count)
{
    uint8_t *payload = malloc(PAYLOAD_BYTES_MAX);

    assert_non_null(payload);
    for (size_t i = 0; i < count; i++)
        for (unsigned from_then_on = 0; from_then_on < 2; from_then_on++)
            for (uint64_t nth = 1; refuse(&tasks[i], nth, from_then_on != 0, payload); nth++)
                assert_true(nth < 200);
    free(payload);
    assert_int_equal(faults_names_here(), 0);
}

#define REFUSE_EACH(tasks) refuse_each(tasks, sizeof(tasks) / sizeof(tasks)[0])

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
static const ink_window window = {.slot_microseconds = 1000, .slots = 4};

static void a_counting(bench *w)
{
    w->a = files_sketch(&small_counting, 0, 50, &w->allocator);
}

static void two_countings(bench *w)
{
    a_counting(w);
    w->b = files_sketch(&(ink_params){.kind = "counting", .bits = 1024}, 30, 9, &w->allocator);
}

static void an_empty_scalable(bench *w)
{
    w->a = files_sketch(&scalable, 0, 0, &w->allocator);
}

/* Its only level is nearly full. */
static void a_scalable(bench *w)
{
    w->a = files_sketch(&scalable, 0, 19990, &w->allocator);
}

static void two_scalables(bench *w)
{
    const ink_params params = {.kind = "scalable", .expected_keys = 100};

    w->a = files_sketch(&params, 0, 250, &w->allocator);
    w->b = files_sketch(&params, 200, 800, &w->allocator);
}

static void an_empty_scalable_and_one(bench *w)
{
    const ink_params params = {.kind = "scalable", .expected_keys = 100};

    w->a = files_sketch(&params, 0, 0, &w->allocator);
    w->b = files_sketch(&params, 200, 800, &w->allocator);
}

static void a_count_min(bench *w)
{
    w->a = files_sketch(&small_count_min, 0, 50, &w->allocator);
}

static void an_empty_top(bench *w)
{
    w->a = files_sketch(&top, 0, 0, &w->allocator);
}

static void a_top(bench *w)
{
    w->a = files_sketch(&top, 0, 30, &w->allocator);
}

/* Together they have more keys than either keeps. */
static void two_tops(bench *w)
{
    w->a = files_sketch(&top, 0, 90, &w->allocator);
    w->b = files_sketch(&small_top, 60, 39, &w->allocator);
}

static void an_empty_top_and_one(bench *w)
{
    an_empty_top(w);
    w->b = files_sketch(&top, 0, 90, &w->allocator);
}

static void an_fm(bench *w)
{
    w->a = files_sketch(&small_fm, 0, 50, &w->allocator);
}

/* A ring of these, with two slots of its window used, one of them twice. */
static void a_ring_of(bench *w, const ink_params *params)
{
    ink_sketch *slot;

    CHECK_OK(ink_ring_create(&w->ring, params, &window, &w->allocator, &error));
    for (int64_t when = 0; when < 3; when++) {
        CHECK_OK(ink_ring_slot(w->ring, 5000 + 700 * when, &slot, &error));
        for (int64_t i = 0; i < 40; i++)
            CHECK_OK(ink_sketch_add(slot, &i, 1 + (size_t)(when + i) % 8, &error));
    }
    assert_int_equal(ink_ring_count(w->ring), 2);
}

static void a_ring_of_tops(bench *w)
{
    a_ring_of(w, &small_top);
}

static void a_ring_of_scalables(bench *w)
{
    a_ring_of(w, &(ink_params){.kind = "scalable", .expected_keys = 10});
}

static void a_ring_of_hlls(bench *w)
{
    a_ring_of(w, &coarse_hll);
}

static void a_bloom(bench *w)
{
    w->a = files_sketch(&small_bloom, 0, 50, &w->allocator);
}

static void a_large_bloom(bench *w)
{
    w->a = files_sketch(&large_bloom, 0, 50, &w->allocator);
}

static void a_classic(bench *w)
{
    w->a = files_sketch(&small_classic, 0, 50, &w->allocator);
}

static void an_empty_hll(bench *w)
{
    w->a = files_sketch(&hll, 0, 0, &w->allocator);
}

static void a_listed_hll(bench *w)
{
    w->a = files_sketch(&hll, 0, 100, &w->allocator);
}

static void an_hll_array(bench *w)
{
    w->a = files_sketch(&hll, 0, 8000, &w->allocator);
}

static void two_lists(bench *w)
{
    a_listed_hll(w);
    w->b = files_sketch(&hll, 1000, 200, &w->allocator);
}

static void a_list_and_an_array(bench *w)
{
    a_listed_hll(w);
    w->b = files_sketch(&hll, 0, 8000, &w->allocator);
}

static void two_long_lists(bench *w)
{
    w->a = files_sketch(&hll, 0, 700, &w->allocator);
    w->b = files_sketch(&hll, 1000, 700, &w->allocator);
}

static void a_fine_list_and_a_coarse_array(bench *w)
{
    a_listed_hll(w);
    w->b = files_sketch(&coarse_hll, 0, 8000, &w->allocator);
}

static void a_coarse_list_and_a_fine_array(bench *w)
{
    w->a = files_sketch(&coarse_hll, 0, 10, &w->allocator);
    w->b = files_sketch(&hll, 0, 8000, &w->allocator);
}

static void a_coarse_list_and_a_fine_list(bench *w)
{
    w->a = files_sketch(&coarse_hll, 0, 4, &w->allocator);
    w->b = files_sketch(&hll, 100, 40, &w->allocator);
}

static void a_fine_list_and_a_coarse_list(bench *w)
{
    w->a = files_sketch(&hll, 100, 30, &w->allocator);
    w->b = files_sketch(&coarse_hll, 0, 30, &w->allocator);
}

static void bytes_of(bench *w, const char *sample_name)
{
    files_sample sample;

    files_sample_named(&sample, sample_name);
    w->bytes = malloc(sample.count);
    assert_non_null(w->bytes);
    memcpy(w->bytes, sample.bytes, sample.count);
    w->count = sample.count;
    files_sample_free(&sample);
}

static void bytes_of_bloom(bench *w)
{
    bytes_of(w, "bloom");
}

static void bytes_of_classic(bench *w)
{
    bytes_of(w, "classic mmh3");
}

static void bytes_of_a_list(bench *w)
{
    bytes_of(w, "hll list 14");
}

static void bytes_of_packed_registers(bench *w)
{
    bytes_of(w, "hll packed 14");
}

static void bytes_of_two_kinds(bench *w)
{
    bytes_of(w, "two kinds");
}

static void bytes_of_counting(bench *w)
{
    bytes_of(w, "counting");
}

static void bytes_of_scalable(bench *w)
{
    bytes_of(w, "scalable");
}

static void bytes_of_classics(bench *w)
{
    bytes_of(w, "scalable of classics");
}

static void bytes_of_count_min(bench *w)
{
    bytes_of(w, "count-min 64");
}

static void bytes_of_top(bench *w)
{
    bytes_of(w, "top");
}

static void bytes_of_a_top_of_ints(bench *w)
{
    bytes_of(w, "top of ints");
}

static void bytes_of_fm(bench *w)
{
    bytes_of(w, "fm");
}

static void open_view(bench *w, unsigned flags)
{
    CHECK_OK(ink_file_decode(&w->file, w->bytes, w->count, flags, &w->allocator, &error));
    if ((flags & INK_OPEN_COPY) == 0)
        CHECK_OK(ink_file_sketch(w->file, 0, &w->view, &error));
}

static void a_view_of_bloom(bench *w)
{
    bytes_of_bloom(w);
    open_view(w, INK_OPEN_LAZY);
}

static void a_view_of_a_list(bench *w)
{
    bytes_of_a_list(w);
    open_view(w, INK_OPEN_CHECKED);
}

static void a_view_of_packed_registers(bench *w)
{
    bytes_of_packed_registers(w);
    open_view(w, INK_OPEN_LAZY);
}

static void a_view_of_scalable(bench *w)
{
    bytes_of_scalable(w);
    open_view(w, INK_OPEN_LAZY);
}

static void a_view_of_top(bench *w)
{
    bytes_of_top(w);
    open_view(w, INK_OPEN_LAZY);
}

static void a_view_of_counting(bench *w)
{
    bytes_of_counting(w);
    open_view(w, INK_OPEN_CHECKED);
}

static void a_top_and_a_view(bench *w)
{
    a_view_of_top(w);
    w->a = files_sketch(&small_top, 0, 10, &w->allocator);
}

static void slots(bench *w)
{
    bytes_of(w, "slots");
    open_view(w, INK_OPEN_LAZY);
}

static void slots_copied(bench *w)
{
    bytes_of(w, "slots");
    open_view(w, INK_OPEN_COPY);
}

static void slots_and_a_ring_of(bench *w, const ink_params *params)
{
    slots(w);
    CHECK_OK(ink_ring_create(&w->ring, params, &window, &w->allocator, &error));
}

static void slots_and_a_ring_of_tops(bench *w)
{
    slots_and_a_ring_of(w, &(ink_params){.kind = "top", .phi = 0.5});
}

static void slots_and_a_ring_of_scalables(bench *w)
{
    /* Each of the four slots has its part of the rate. */
    slots_and_a_ring_of(
        w, &(ink_params){.kind = "scalable", .expected_keys = 4, .false_positive_rate = 4 * 0.01});
}

static void slots_and_a_ring_of_count_mins(bench *w)
{
    slots_and_a_ring_of(w, &(ink_params){.kind = "count-min", .width = 6, .depth = 2});
}

static void a_copied_file(bench *w)
{
    bytes_of_packed_registers(w);
    open_view(w, INK_OPEN_COPY);
}

static void a_list_and_a_view_of_registers(bench *w)
{
    bytes_of_packed_registers(w);
    open_view(w, INK_OPEN_LAZY);
    w->a =
        files_sketch(&(ink_params){.kind = "hll", .key_type = INK_KEY_INT}, 0, 10, &w->allocator);
}

/* ---- Making and copying ------------------------------------------------------------------- */

static ink_status create_small_bloom(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &small_bloom, &w->allocator, &error);
}

static ink_status create_large_bloom(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &large_bloom, &w->allocator, &error);
}

static ink_status create_small_classic(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &small_classic, &w->allocator, &error);
}

static ink_status create_large_classic(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &large_classic, &w->allocator, &error);
}

static ink_status create_hll(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &hll, &w->allocator, &error);
}

static ink_status create_counting(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &small_counting, &w->allocator, &error);
}

static ink_status create_scalable(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &scalable, &w->allocator, &error);
}

static ink_status create_count_min(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &wide_count_min, &w->allocator, &error);
}

static ink_status create_top(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &top, &w->allocator, &error);
}

static ink_status create_fm(bench *w)
{
    return ink_sketch_create(&w->sketch_made, &small_fm, &w->allocator, &error);
}

static void creating_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"create bloom", NULL, create_small_bloom, 2, false, 0},
        {"create a large bloom", NULL, create_large_bloom, 2, false, 0},
        {"create classic", NULL, create_small_classic, 2, false, 0},
        {"create a large classic", NULL, create_large_classic, 2, false, 0},
        {"create hll", NULL, create_hll, 1, false, 0},
        {"create counting", NULL, create_counting, 2, false, 0},
        {"create scalable", NULL, create_scalable, 1, false, 0},
        {"create count-min", NULL, create_count_min, 2, false, 0},
        {"create top", NULL, create_top, 1, false, 0},
        {"create fm", NULL, create_fm, 2, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static ink_status copy(bench *w)
{
    return ink_sketch_copy(&w->sketch_made, w->view != NULL ? w->view : w->a, NULL, &error);
}

static void copying_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"copy bloom", a_bloom, copy, 2, false, 0},
        {"copy a large bloom", a_large_bloom, copy, 2, false, 0},
        {"copy classic", a_classic, copy, 2, false, 0},
        {"copy an empty hll", an_empty_hll, copy, 1, false, 0},
        {"copy a listed hll", a_listed_hll, copy, 3, false, 0},
        {"copy an hll array", an_hll_array, copy, 3, false, 0},
        {"copy a view of a bloom", a_view_of_bloom, copy, 2, false, 0},
        {"copy a view of a list", a_view_of_a_list, copy, 2, false, 0},
        {"copy a view of registers", a_view_of_packed_registers, copy, 2, false, 0},
        {"copy counting", a_counting, copy, 2, false, 0},
        {"copy an empty scalable", an_empty_scalable, copy, 1, false, 0},
        {"copy scalable", two_scalables, copy, 5, false, 0}, /* two levels, and their list */
        {"copy a view of a scalable", a_view_of_scalable, copy, 6, false, 0},
        {"copy count-min", a_count_min, copy, 2, false, 0},
        {"copy an empty top", an_empty_top, copy, 1, false, 0},
        {"copy top", a_top, copy, 4, false, 0},
        {"copy a view of a top", a_view_of_top, copy, 3, false, 0},
        {"copy fm", an_fm, copy, 2, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static ink_status convert_to_bloom(bench *w)
{
    return ink_sketch_convert(&w->sketch_made, w->view != NULL ? w->view : w->a, "bloom", NULL,
                              &error);
}

static ink_status convert_to_top(bench *w)
{
    return ink_sketch_convert(&w->sketch_made, w->a, "top", NULL, &error);
}

static void converting_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"convert counting", a_counting, convert_to_bloom, 3, false, 0},
        {"convert a view of counting", a_view_of_counting, convert_to_bloom, 3, false, 0},
        {"convert bloom to its own kind", a_bloom, convert_to_bloom, 2, false, 0},
        {"convert top to its own kind", a_top, convert_to_top, 4, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

/* The new sketch comes from another allocator than the old one's, which is not asked. */
static void copying_to_another_allocator_asks_only_that_one(void **state)
{
    faults_memory old = {0}, fresh = {0};
    ink_allocator old_allocator = faults_allocator(&old),
                  fresh_allocator = faults_allocator(&fresh);
    ink_sketch *from = files_sketch(&hll, 0, 100, &old_allocator), *made;
    uint64_t    asked = old.asked;

    (void)state;
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

static void every_growth_of_an_hll_survives_refused_memory(void **state)
{
    (void)state;
    /* Lists of 4, 8, ... entries up to 2^precision / 16, then the array. */
    assert_int_equal(growth_steps(14, 2000), 10);
    assert_int_equal(growth_steps(10, 200), 6);
    assert_int_equal(growth_steps(8, 50), 4);
    assert_int_equal(growth_steps(4, 3), 2);
}

static ink_status add_hashes(bench *w, size_t count)
{
    static uint64_t hashes[5000];

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

static void adding_keys_to_an_hll_is_all_or_nothing(void **state)
{
    static const task tasks[] = {
        {"add few to an empty hll", an_empty_hll, add_few, 1, false, 0},
        {"add few to a listed hll", a_listed_hll, add_few, 1, false, 0},
        {"add many to an empty hll", an_empty_hll, add_many, 1, false, 0},
        {"add many to a listed hll", a_listed_hll, add_many, 1, false, 0},
        {"add one to an empty hll", an_empty_hll, add_one, 1, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void merging_hlls_is_all_or_nothing(void **state)
{
    static const task tasks[] = {
        {"merge two lists", two_lists, merge, 1, false, 0},
        {"merge two lists to an array", two_long_lists, merge, 1, false, 0},
        {"merge an array into a list", a_list_and_an_array, merge, 1, false, 0},
        {"merge a coarse array into a fine list", a_fine_list_and_a_coarse_array, merge, 1, false,
         0},
        {"merge a fine array into a coarse list", a_coarse_list_and_a_fine_array, merge, 1, false,
         0},
        {"merge a fine list into a coarse one", a_coarse_list_and_a_fine_list, merge, 1, false, 0},
        {"merge a coarse list into a fine one", a_fine_list_and_a_coarse_list, merge, 0, false, 0},
        {"merge a view of registers into a list", a_list_and_a_view_of_registers, merge, 1, false,
         0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

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
    return (ink_batch){.count = count, .bytes = bytes, .offsets = offsets};
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
    enum { HASHES = 200000 };
    static uint64_t hashes[HASHES];

    for (uint64_t i = 0; i < HASHES; i++)
        hashes[i] = hash_of(i + 77);
    return ink_sketch_add_batch(w->a, &(ink_batch){.count = HASHES, .hashes = hashes}, &error);
}

static ink_status remove_keys(bench *w)
{
    return ink_sketch_remove(w->a, "key 3", 5, &error);
}

static ink_status merge_as_parts(bench *w)
{
    return ink_sketch_merge(w->a, w->b != NULL ? w->b : w->view,
                            &(ink_merge_options){.parts = true}, &error);
}

/* A level that was opened in vain is given back: it may be as large as all that came before. */
static void adding_keys_to_a_scalable_is_all_or_nothing(void **state)
{
    static const task tasks[] = {
        {"add one to an empty scalable", an_empty_scalable, add_one, 2, false, 2048},
        {"add to a scalable that is nearly full", a_scalable, add_few, 1, false, 2048},
        {"add levels to an empty scalable", an_empty_scalable, add_levels, 5, false, 2048},
        {"add levels to a scalable", a_scalable, add_levels, 3, false, 2048},
        {"add new keys to an empty scalable", an_empty_scalable, add_new_keys, 2, false, 2048},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

/* Room for entries may be there already when that for their bytes is refused. */
static void adding_keys_to_a_top_is_all_or_nothing(void **state)
{
    static const task tasks[] = {
        {"add one to an empty top", an_empty_top, add_one, 2, false, 8192},
        {"add long keys to an empty top", an_empty_top, add_long_keys, 2, false, 8192},
        {"add long keys to a top", a_top, add_long_keys, 2, false, 8192},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void merging_other_kinds_is_all_or_nothing(void **state)
{
    static const task tasks[] = {
        {"merge countings", two_countings, merge, 0, false, 0},
        {"merge scalables", two_scalables, merge_as_parts, 5, false, 4096},
        {"merge into an empty scalable", an_empty_scalable_and_one, merge, 5, false, 4096},
        {"merge tops", two_tops, merge, 1, false, 16384},
        {"merge into an empty top", an_empty_top_and_one, merge, 2, false, 16384},
        {"merge a view of a top", a_top_and_a_view, merge, 1, false, 16384},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void removing_keys_needs_no_memory(void **state)
{
    static const task tasks[] = {
        {"remove", a_counting, remove_keys, 0, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

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
            ink_status status = ink_sketch_add(sketch, key, (size_t)bytes, &error);
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

static void every_growth_of_a_scalable_and_a_top_survives_refused_memory(void **state)
{
    (void)state;
    /* Seven levels, and a list of 4, then 8, of them. */
    assert_int_equal(growth_of(&(ink_params){.kind = "scalable", .expected_keys = 10}, 1000), 9);
    assert_true(growth_of(&top, 1000) >= 8);
}

/* ---- Rings -------------------------------------------------------------------------------- */

static ink_status create_ring_of_tops(bench *w)
{
    return ink_ring_create(&w->ring_made, &top, &window, &w->allocator, &error);
}

static ink_status create_ring_of_blooms(bench *w)
{
    return ink_ring_create(&w->ring_made, &small_bloom, &window, &w->allocator, &error);
}

/* Its result is not one to give back. */
static ink_status slot_at(bench *w, int64_t when)
{
    ink_sketch *slot = NOTHING;
    ink_status  status = ink_ring_slot(w->ring, when, &slot, &error);

    assert_true((slot == NOTHING) == (status != INK_OK));
    return status;
}

static ink_status newest_slot(bench *w)
{
    return slot_at(w, 100000); /* all others would fall out */
}

static ink_status next_slot(bench *w)
{
    return slot_at(w, 7000);
}

static ink_status older_slot(bench *w)
{
    return slot_at(w, 4000);
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

static void rings_survive_refused_memory(void **state)
{
    static const task tasks[] = {
        {"create a ring of tops", NULL, create_ring_of_tops, 2, false, 0},
        {"create a ring of blooms", NULL, create_ring_of_blooms, 2, false, 0},
        {"the newest slot of tops", a_ring_of_tops, newest_slot, 1, false, 0},
        {"the next slot of scalables", a_ring_of_scalables, next_slot, 1, false, 0},
        {"an older slot of hlls", a_ring_of_hlls, older_slot, 1, false, 0},
        {"move a ring of tops", a_ring_of_tops, move_ring, 1, false, 0},
        {"the last slots of tops", a_ring_of_tops, last_slots, 3, false, 0},
        {"the last slots of scalables", a_ring_of_scalables, last_slots, 4, false, 0},
        {"the last slots of hlls", a_ring_of_hlls, last_slots, 2, false, 0},
        {"load a ring of tops", slots_and_a_ring_of_tops, load_ring, 6, false, 0},
        {"load a ring of scalables", slots_and_a_ring_of_scalables, load_ring, 6, false, 0},
        {"load a ring of count-mins", slots_and_a_ring_of_count_mins, load_ring_of_group, 6, false,
         0},
        {"last scalables of a file", slots, last_of_file, 6, false, 0},
        {"last scalables of a copied file", slots_copied, last_of_file, 6, false, 0},
        {"last tops of a file", slots, last_tops_of_file, 4, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

/* Filters, and hlls that are arrays already, need nothing: they work when there is no memory. */
static void what_needs_no_memory_works_without(void **state)
{
    const ink_params *const all[] = {
        &small_bloom, &small_classic, &small_counting, &small_count_min, &wide_count_min, &small_fm,
        &hll};
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool        filter = i < 3, meets = i < 2, counts = i == 3 || i == 4, maybe;
        bench       w = {.a = files_sketch(all[i], 0, 5000, &allocator)};
        ink_sketch *other = files_sketch(all[i], 6000, 5000, &allocator);
        ink_answer  answer;
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
        if (filter) {
            CHECK_OK(ink_sketch_contains(w.a, "key 1", 5, &maybe, &error));
            CHECK_OK(ink_sketch_rate(w.a, &rate, &error));
            ink_sketch_fold(w.a, 2, &error);
        }
        if (meets)
            CHECK_OK(ink_sketch_intersect(w.a, other, &error));
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
    return ink_sketch_encode(w->view != NULL ? w->view : w->a, &w->bytes_made, &w->count_made,
                             &error);
}

static ink_status digest(bench *w)
{
    return ink_sketch_digest(w->view != NULL ? w->view : w->a, w->digest_made, &error);
}

static ink_status payload(bench *w)
{
    const ink_sketch *sketch = w->view != NULL ? w->view : w->a;
    ink_description   d;

    ink_sketch_describe(sketch, &d);
    return ink_sketch_payload(sketch, w->payload_made, (size_t)d.bytes, &error);
}

static void encoding_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"encode bloom", a_bloom, encode, 5, false, 0},
        {"encode classic", a_classic, encode, 5, false, 0},
        {"encode an empty hll", an_empty_hll, encode, 4, false, 0},
        {"encode a listed hll", a_listed_hll, encode, 5, false, 0},
        {"encode an hll array", an_hll_array, encode, 5, false, 0},
        {"encode a view", a_view_of_packed_registers, encode, 5, false, 0},
        {"encode counting", a_counting, encode, 5, false, 0},
        {"encode an empty scalable", an_empty_scalable, encode, 4, false, 0},
        {"encode scalable", two_scalables, encode, 5, false, 0},
        {"encode a view of a scalable", a_view_of_scalable, encode, 5, false, 0},
        {"encode count-min", a_count_min, encode, 5, false, 0},
        {"encode an empty top", an_empty_top, encode, 4, false, 0},
        {"encode top", a_top, encode, 5, false, 0},
        {"encode a view of a top", a_view_of_top, encode, 5, false, 0},
        {"encode fm", an_fm, encode, 5, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void digesting_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"digest bloom", a_bloom, digest, 3, false, 0},
        {"digest a listed hll", a_listed_hll, digest, 3, false, 0},
        {"digest an hll array", an_hll_array, digest, 3, false, 0},
        {"digest a view", a_view_of_bloom, digest, 3, false, 0},
        {"digest scalable", two_scalables, digest, 3, false, 0},
        {"digest top", a_top, digest, 3, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void taking_the_payload_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"payload of a listed hll", a_listed_hll, payload, 1, false, 0},
        {"payload of an hll array", an_hll_array, payload, 1, false, 0},
        {"payload of a bloom", a_bloom, payload, 0, false, 0}, /* in place */
        {"payload of a view", a_view_of_packed_registers, payload, 0, false, 0},
        {"payload of a scalable", two_scalables, payload, 1, false, 0},
        {"payload of a top", a_top, payload, 1, false, 0},
        {"payload of a count-min", a_count_min, payload, 0, false, 0},
        {"payload of a view of a top", a_view_of_top, payload, 0, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static ink_status decode(bench *w)
{
    return ink_sketch_decode(&w->sketch_made, w->bytes, w->count, &w->allocator, &error);
}

static void decoding_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"decode bloom", bytes_of_bloom, decode, 3, false, 0},
        {"decode classic", bytes_of_classic, decode, 3, false, 0},
        {"decode a list", bytes_of_a_list, decode, 3, false, 0},
        {"decode registers", bytes_of_packed_registers, decode, 3, false, 0},
        {"decode counting", bytes_of_counting, decode, 3, false, 0},
        {"decode scalable", bytes_of_scalable, decode, 7, false, 0},
        {"decode scalable of classics", bytes_of_classics, decode, 5, false, 0},
        {"decode count-min", bytes_of_count_min, decode, 3, false, 0},
        {"decode top", bytes_of_top, decode, 4, false, 0},
        {"decode top of ints", bytes_of_a_top_of_ints, decode, 3, false, 0},
        {"decode fm", bytes_of_fm, decode, 3, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static ink_status decode_checked(bench *w)
{
    return ink_file_decode(&w->file_made, w->bytes, w->count, INK_OPEN_CHECKED, &w->allocator,
                           &error);
}

static ink_status decode_lazily(bench *w)
{
    return ink_file_decode(&w->file_made, w->bytes, w->count, INK_OPEN_LAZY, &w->allocator, &error);
}

static ink_status decode_a_copy(bench *w)
{
    return ink_file_decode(&w->file_made, w->bytes, w->count, INK_OPEN_COPY, &w->allocator, &error);
}

static ink_status take_first(bench *w)
{
    return ink_file_sketch(w->file, 0, &w->sketch_made, &error);
}

static void decoding_a_file_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"decode a file", bytes_of_two_kinds, decode_checked, 1, false, 0},
        {"decode a file lazily", bytes_of_two_kinds, decode_lazily, 1, false, 0},
        {"decode a file to a copy", bytes_of_two_kinds, decode_a_copy, 2, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void taking_a_sketch_of_a_file_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"a view of bloom", a_view_of_bloom, take_first, 1, false, 0},
        {"a view of registers", a_view_of_packed_registers, take_first, 1, false, 0},
        {"a copy of registers", a_copied_file, take_first, 2, false, 0},
        {"a view of a scalable", a_view_of_scalable, take_first, 2, false, 0},
        {"a view of a top", a_view_of_top, take_first, 1, false, 0},
        {"a copy of slots", slots_copied, take_first, 4, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

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
    size_t     count = 0;
    ink_status status = ink_write(contents, count_bytes, &count, &error);

    if (status == INK_OK)
        assert_true(count > 0);
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
         .bytes = (const uint8_t *)"recipe",
         .count = 6},
        {.id = 99, .bytes = NULL, .count = 0},
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
    return path != NULL ? ink_save(path, &contents, &error)
                        : ink_encode(&contents, &w->bytes_made, &w->count_made, &error);
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

static void encoding_groups_and_sections_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"encode groups of lists", two_lists, encode_groups, 8, false, 0},
        {"encode groups of lists and arrays", a_list_and_an_array, encode_groups, 8, false, 0},
        {"encode groups of scalables", two_scalables, encode_groups, 8, false, 0},
        {"encode groups of tops", two_tops, encode_groups, 8, false, 0},
        {"write groups of lists in parts", two_lists, give_groups, 4, false, 0},
        {"write groups of scalables in parts", two_scalables, give_groups, 4, false, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void saving_leaves_the_old_file_when_memory_is_refused(void **state)
{
    static const task tasks[] = {
        {"save bloom", a_bloom, save, 5, true, 0},
        {"save an hll array", an_hll_array, save, 5, true, 0},
        {"save groups", two_lists, save_groups, 8, true, 0},
        {"save scalable", two_scalables, save, 5, true, 0},
        {"save groups of tops", two_tops, save_groups, 8, true, 0},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void put_file(bench *w, const char *sample)
{
    bytes_of(w, sample);
    write_file("in", w->bytes, w->count);
}

static void a_bloom_in_a_file(bench *w)
{
    put_file(w, "bloom");
}

static void registers_in_a_file(bench *w)
{
    put_file(w, "hll packed 14");
}

static void a_scalable_in_a_file(bench *w)
{
    put_file(w, "scalable");
}

static void a_top_in_a_file(bench *w)
{
    put_file(w, "top");
}

static void two_kinds_in_a_file(bench *w)
{
    put_file(w, "two kinds");
}

static ink_status load(bench *w)
{
    return ink_sketch_load(&w->sketch_made, "in", &w->allocator, &error);
}

static ink_status open_with(bench *w, unsigned flags)
{
    ink_status status = ink_file_open(&w->file_made, "in", flags, &w->allocator, &error);

    /* Closed here, while the system's calls are counted. */
    if (status == INK_OK) {
        ink_file_close(w->file_made);
        w->file_made = NOTHING;
    }
    return status;
}

static ink_status open_checked(bench *w)
{
    return open_with(w, INK_OPEN_CHECKED);
}

static ink_status open_lazily(bench *w)
{
    return open_with(w, INK_OPEN_LAZY);
}

static ink_status open_a_copy(bench *w)
{
    return open_with(w, INK_OPEN_COPY);
}

static void loading_and_opening_survive_refused_memory(void **state)
{
    static const task tasks[] = {
        {"load bloom", a_bloom_in_a_file, load, 4, false, 0},
        {"load registers", registers_in_a_file, load, 4, false, 0},
        {"load scalable", a_scalable_in_a_file, load, 8, false, 0},
        {"load top", a_top_in_a_file, load, 5, false, 0},
        {"open checked", two_kinds_in_a_file, open_checked, 1, false, 0},
        {"open lazily", two_kinds_in_a_file, open_lazily, 1, false, 0},
        {"open a copy", two_kinds_in_a_file, open_a_copy, 2, false, 0},
    };
    uint8_t *room = malloc(PAYLOAD_BYTES_MAX);

    (void)state;
    assert_non_null(room);
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        for (unsigned from_then_on = 0; from_then_on < 2; from_then_on++)
            for (uint64_t nth = 1; refuse(&tasks[i], nth, from_then_on != 0, room); nth++)
                assert_int_equal(faults_names_here(), 1); /* the file that was read */
    free(room);
    assert_int_equal(unlink("in"), 0);
    assert_int_equal(faults_names_here(), 0);
}

/* More than any machine has: refused by the allocator or as a limit, never a wrapped size. */
static void memory_that_no_machine_has_is_refused(void **state)
{
    faults_memory memory = {.refuse_at = 2, .refuse_after = true};
    ink_allocator allocator = faults_allocator(&memory);
    ink_params    params = {.kind = "classic", .bits = (uint64_t)1 << 43, .hashes = 1};
    ink_sketch   *sketch = NOTHING;

    (void)state;
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

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(creating_a_sketch_survives_refused_memory),
        TEST(copying_a_sketch_survives_refused_memory),
        TEST(converting_a_sketch_survives_refused_memory),
        TEST(copying_to_another_allocator_asks_only_that_one),
        TEST(every_growth_of_an_hll_survives_refused_memory),
        TEST(adding_keys_to_an_hll_is_all_or_nothing),
        TEST(merging_hlls_is_all_or_nothing),
        TEST(adding_keys_to_a_scalable_is_all_or_nothing),
        TEST(adding_keys_to_a_top_is_all_or_nothing),
        TEST(every_growth_of_a_scalable_and_a_top_survives_refused_memory),
        TEST(merging_other_kinds_is_all_or_nothing),
        TEST(removing_keys_needs_no_memory),
        TEST(rings_survive_refused_memory),
        TEST(what_needs_no_memory_works_without),
        TEST(encoding_a_sketch_survives_refused_memory),
        TEST(digesting_a_sketch_survives_refused_memory),
        TEST(taking_the_payload_survives_refused_memory),
        TEST(decoding_a_sketch_survives_refused_memory),
        TEST(decoding_a_file_survives_refused_memory),
        TEST(taking_a_sketch_of_a_file_survives_refused_memory),
        TEST(encoding_groups_and_sections_survives_refused_memory),
        TEST(saving_leaves_the_old_file_when_memory_is_refused),
        TEST(loading_and_opening_survive_refused_memory),
        TEST(memory_that_no_machine_has_is_refused),
    };

    return cmocka_run_group_tests_name("refused memory", tests, NULL, NULL);
}
