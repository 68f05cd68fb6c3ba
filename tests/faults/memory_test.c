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

    /* Results, given back after each success. */
    ink_sketch *sketch_made;
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
} task;

static void set_no_results(bench *w)
{
    w->sketch_made = NOTHING;
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
    bench    w = {.payload_made = payload};
    state_of a, b, view;

    w.allocator = faults_allocator(&w.memory);
    if (t->set_up != NULL)
        t->set_up(&w);
    if (t->saves)
        write_file("x", (const uint8_t *)"old", 3);
    remember(w.a, &a);
    remember(w.b, &b);
    remember(w.view, &view);
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
        assert_non_null(strstr(error.sentence, "no memory for "));
        if (w.memory.live_bytes != live_bytes || w.memory.live_blocks != live_blocks)
            fail_msg("%s, allocation %llu refused: %llu bytes were kept, not %llu", t->name,
                     (unsigned long long)nth, (unsigned long long)w.memory.live_bytes,
                     (unsigned long long)live_bytes);
        check_no_results(&w);
        check_unchanged(w.a, &a);
        check_unchanged(w.b, &b);
        check_unchanged(w.view, &view);
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_maps(), 0);
        if (t->saves)
            check_old_file();
    } else {
        if (status != INK_OK)
            fail_msg("%s: %s: %s", t->name, ink_status_name(status), error.sentence);
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
                assert_true(nth < 100);
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

static void creating_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"create bloom", NULL, create_small_bloom, 2, false},
        {"create a large bloom", NULL, create_large_bloom, 2, false},
        {"create classic", NULL, create_small_classic, 2, false},
        {"create a large classic", NULL, create_large_classic, 2, false},
        {"create hll", NULL, create_hll, 1, false},
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
        {"copy bloom", a_bloom, copy, 2, false},
        {"copy a large bloom", a_large_bloom, copy, 2, false},
        {"copy classic", a_classic, copy, 2, false},
        {"copy an empty hll", an_empty_hll, copy, 1, false},
        {"copy a listed hll", a_listed_hll, copy, 3, false},
        {"copy an hll array", an_hll_array, copy, 3, false},
        {"copy a view of a bloom", a_view_of_bloom, copy, 2, false},
        {"copy a view of a list", a_view_of_a_list, copy, 2, false},
        {"copy a view of registers", a_view_of_packed_registers, copy, 2, false},
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
        {"add few to an empty hll", an_empty_hll, add_few, 1, false},
        {"add few to a listed hll", a_listed_hll, add_few, 1, false},
        {"add many to an empty hll", an_empty_hll, add_many, 1, false},
        {"add many to a listed hll", a_listed_hll, add_many, 1, false},
        {"add one to an empty hll", an_empty_hll, add_one, 1, false},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void merging_hlls_is_all_or_nothing(void **state)
{
    static const task tasks[] = {
        {"merge two lists", two_lists, merge, 1, false},
        {"merge two lists to an array", two_long_lists, merge, 1, false},
        {"merge an array into a list", a_list_and_an_array, merge, 1, false},
        {"merge a coarse array into a fine list", a_fine_list_and_a_coarse_array, merge, 1, false},
        {"merge a fine array into a coarse list", a_coarse_list_and_a_fine_array, merge, 1, false},
        {"merge a fine list into a coarse one", a_coarse_list_and_a_fine_list, merge, 1, false},
        {"merge a coarse list into a fine one", a_fine_list_and_a_coarse_list, merge, 0, false},
        {"merge a view of registers into a list", a_list_and_a_view_of_registers, merge, 1, false},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

/* Filters, and hlls that are arrays already, need nothing: they work when there is no memory. */
static void what_needs_no_memory_works_without(void **state)
{
    const ink_params *const all[] = {&small_bloom, &small_classic, &hll};
    faults_memory           memory = {0};
    ink_allocator           allocator = faults_allocator(&memory);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bool        filter = i < 2, maybe;
        bench       w = {.a = files_sketch(all[i], 0, 5000, &allocator)};
        ink_sketch *other = files_sketch(all[i], 6000, 5000, &allocator);
        ink_answer  answer;
        double      rate;
        memory.refuse_at = memory.asked + 1;
        memory.refuse_after = true;
        uint64_t asked = memory.asked;
        CHECK_OK(add_many(&w));
        CHECK_OK(ink_sketch_merge(w.a, other, &(ink_merge_options){.parts = true}, &error));
        CHECK_OK(ink_sketch_distinct(w.a, 0, &answer, &error));
        if (filter) {
            CHECK_OK(ink_sketch_contains(w.a, "key 1", 5, &maybe, &error));
            CHECK_OK(ink_sketch_intersect(w.a, other, &error));
            CHECK_OK(ink_sketch_rate(w.a, &rate, &error));
            ink_sketch_fold(w.a, 2, &error);
        }
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
        {"encode bloom", a_bloom, encode, 5, false},
        {"encode classic", a_classic, encode, 5, false},
        {"encode an empty hll", an_empty_hll, encode, 4, false},
        {"encode a listed hll", a_listed_hll, encode, 5, false},
        {"encode an hll array", an_hll_array, encode, 5, false},
        {"encode a view", a_view_of_packed_registers, encode, 5, false},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void digesting_a_sketch_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"digest bloom", a_bloom, digest, 3, false},
        {"digest a listed hll", a_listed_hll, digest, 3, false},
        {"digest an hll array", an_hll_array, digest, 3, false},
        {"digest a view", a_view_of_bloom, digest, 3, false},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void taking_the_payload_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"payload of a listed hll", a_listed_hll, payload, 1, false},
        {"payload of an hll array", an_hll_array, payload, 1, false},
        {"payload of a bloom", a_bloom, payload, 0, false}, /* in place */
        {"payload of a view", a_view_of_packed_registers, payload, 0, false},
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
        {"decode bloom", bytes_of_bloom, decode, 3, false},
        {"decode classic", bytes_of_classic, decode, 3, false},
        {"decode a list", bytes_of_a_list, decode, 3, false},
        {"decode registers", bytes_of_packed_registers, decode, 3, false},
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
        {"decode a file", bytes_of_two_kinds, decode_checked, 1, false},
        {"decode a file lazily", bytes_of_two_kinds, decode_lazily, 1, false},
        {"decode a file to a copy", bytes_of_two_kinds, decode_a_copy, 2, false},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void taking_a_sketch_of_a_file_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"a view of bloom", a_view_of_bloom, take_first, 1, false},
        {"a view of registers", a_view_of_packed_registers, take_first, 1, false},
        {"a copy of registers", a_copied_file, take_first, 2, false},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

/* ---- Files of many ------------------------------------------------------------------------ */

/* Two groups and two sections around sketches a and b. */
static ink_status write_groups(bench *w, const char *path)
{
    const ink_entry entries[] = {
        {.label = ink_group("right"), .sketch = w->b},
        {.label = ink_group("left"), .sketch = w->a},
        {.label = {.group_kind = INK_GROUP_NULL, .has_slot = true, .slot = -1}, .sketch = w->a},
    };
    const ink_section sections[] = {
        {.id = INK_SECTION_RECIPE,
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

    return path != NULL ? ink_save(path, &contents, &error)
                        : ink_encode(&contents, &w->bytes_made, &w->count_made, &error);
}

static ink_status encode_groups(bench *w)
{
    return write_groups(w, NULL);
}

static ink_status save_groups(bench *w)
{
    return write_groups(w, "x");
}

static ink_status save(bench *w)
{
    return ink_sketch_save(w->a, "x", &error);
}

static void encoding_groups_and_sections_survives_refused_memory(void **state)
{
    static const task tasks[] = {
        {"encode groups of lists", two_lists, encode_groups, 8, false},
        {"encode groups of lists and arrays", a_list_and_an_array, encode_groups, 8, false},
    };

    (void)state;
    REFUSE_EACH(tasks);
}

static void saving_leaves_the_old_file_when_memory_is_refused(void **state)
{
    static const task tasks[] = {
        {"save bloom", a_bloom, save, 5, true},
        {"save an hll array", an_hll_array, save, 5, true},
        {"save groups", two_lists, save_groups, 8, true},
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
        {"load bloom", a_bloom_in_a_file, load, 4, false},
        {"load registers", registers_in_a_file, load, 4, false},
        {"open checked", two_kinds_in_a_file, open_checked, 1, false},
        {"open lazily", two_kinds_in_a_file, open_lazily, 1, false},
        {"open a copy", two_kinds_in_a_file, open_a_copy, 2, false},
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

/* Whatever a test left behind when it failed, so that the next one does not fail for it. */
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
        TEST(copying_to_another_allocator_asks_only_that_one),
        TEST(every_growth_of_an_hll_survives_refused_memory),
        TEST(adding_keys_to_an_hll_is_all_or_nothing),
        TEST(merging_hlls_is_all_or_nothing),
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
