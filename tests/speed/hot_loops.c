/* hot_loops.c - the loops whose instructions check_instructions.py counts: each is run once, within
 * measured(), by which callgrind separates it from what prepares it. Prints, in that order, its
 * name and how many keys, lines or updates it had; in the first line the compiler. */
#include "inkling_job.h"
#include "kernels/dispatch.h"
#include "kernels/lines.h"
#include "sketch/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 20000, TEXT_BYTES = KEYS * 21, LINES_AT_A_TIME = 512 };

static ink_error  error;
static int64_t    ints[KEYS];
static uint8_t    text[TEXT_BYTES];
static uint64_t   text_bytes, starts[KEYS], ends[KEYS], hashes[KEYS];
static uint64_t   often_starts[KEYS], often_ends[KEYS];
static uint8_t    maybe[KEYS];
static ink_answer counts[KEYS];

static void must(ink_status status)
{
    if (status == INK_OK)
        return;
    fprintf(stderr, "hot_loops: %s\n", error.message);
    exit(1);
}

static uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Numbers, of which some come often, lines of 12 to 20 characters, each with its end, and those of
 * them that come as often as the numbers. */
static void make_keys(void)
{
    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t draw = mix(i + 1), size = UINT64_C(1) << (draw >> 32) % 16;
        ints[i] = (int64_t)mix(size | (draw & (size - 1)));
        starts[i] = text_bytes;
        ends[i] = text_bytes + 12 + mix(draw) % 9;
        for (; text_bytes < ends[i]; text_bytes++)
            text[text_bytes] = (uint8_t)('a' + mix(draw + text_bytes) % 26);
        text[text_bytes++] = '\n';
    }
    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t line = (uint64_t)ints[i] % KEYS;
        often_starts[i] = starts[line];
        often_ends[i] = ends[line];
    }
}

/* ---- The loops ---------------------------------------------------------------------------- */

static ink_sketch *sketch;

static const ink_batch of_ints = {.count = KEYS, .ints = ints};
static const ink_batch of_bytes = {
    .count = KEYS, .data = text, .offsets = starts, .ends = ends, .one_array = 1};
static const ink_batch of_often = {
    .count = KEYS, .data = text, .offsets = often_starts, .ends = often_ends, .one_array = 1};

static void add_ints(void)
{
    must(ink_sketch_add_batch(sketch, &of_ints, &error));
}

static void ask_ints(void)
{
    must(ink_sketch_contains_batch(sketch, &of_ints, maybe, &error));
}

static void count_ints(void)
{
    must(ink_sketch_count_batch(sketch, &of_ints, counts, &error));
}

static void add_bytes(void)
{
    must(ink_sketch_add_batch(sketch, &of_bytes, &error));
}

static void add_often(void)
{
    must(ink_sketch_add_batch(sketch, &of_often, &error));
}

static void hash_bytes(void)
{
    must(ink_sketch_hash_batch(sketch, &of_bytes, hashes, &error));
}

/* Keys one by one. */
static void add_one_int(void)
{
    for (size_t i = 0; i < KEYS; i++)
        must(ink_sketch_add_int(sketch, ints[i], &error));
}

static void ask_one_int(void)
{
    for (size_t i = 0; i < KEYS; i++)
        maybe[i] = (uint8_t)ink_sketch_maybe_int(sketch, ints[i]);
}

static void count_one_int(void)
{
    for (size_t i = 0; i < KEYS; i++)
        must(ink_sketch_count_int(sketch, ints[i], &counts[i], &error));
}

static void add_one(void)
{
    for (size_t i = 0; i < KEYS; i++)
        must(ink_sketch_add(sketch, text + starts[i], ends[i] - starts[i], &error));
}

static void ask_one(void)
{
    for (size_t i = 0; i < KEYS; i++)
        maybe[i] = (uint8_t)ink_sketch_maybe(sketch, text + starts[i], ends[i] - starts[i]);
}

/* As keys are added to a sketch that is large beside the cache. */
static void sort_ints(void)
{
    ink__bulk *bulk;

    must(ink__bulk_open(&bulk, sketch, &of_ints, 1, &error));
    do {
        ink__bulk_sort(bulk, 0);
        ink__bulk_apply(bulk, 0);
    } while (ink__bulk_more(bulk));
    ink__bulk_close(bulk);
}

/* Always the fastest loop: those that INK_CPU names are in the loops over text below. */
static void cut_lines(void)
{
    static uint64_t from[LINES_AT_A_TIME], to[LINES_AT_A_TIME];
    ink__lines_cut *cut = ink__kernels_fastest()->lines_cut;
    uint64_t        used;
    bool            cr;

    for (uint64_t at = 0; at < text_bytes; at += used)
        if (cut(text + at, text_bytes - at, '\n', from, to, LINES_AT_A_TIME, &used, &cr) == 0)
            break;
}

static void build_of_text(const ink_params *kind)
{
    ink_job                 job = {.threads = 1};
    const ink_input         input = {.memory = text, .memory_bytes = text_bytes};
    const ink_reading       reading = {.form = INK_FORM_LINES};
    const ink_build_options build = {.kinds = kind, .kind_count = 1};
    ink_set                *set;

    must(ink_build(&set, &input, 1, &reading, &build, &job, &error));
    ink_set_free(set);
}

static void build_hll(void)
{
    build_of_text(&(ink_params){.kind = "hll"});
}

static void build_bloom(void)
{
    build_of_text(&(ink_params){.kind = "bloom", .expected_keys = KEYS});
}

/* ---- All of them -------------------------------------------------------------------------- */

enum { MANY = 5000000 }; /* keys of a filter that no core's own cache holds */

typedef struct loop {
    const char *name;
    void (*run)(void);
    ink_params params;   /* of the sketch that it has; none if there is no kind */
    void (*first)(void); /* what is done before, which is not counted */
} loop;

static const loop loops[] = {
    {"bloom add, ints",
     add_ints,
     {.kind = "bloom", .expected_keys = KEYS, .key_type = INK_KEY_INT},
     NULL},
    {"bloom ask, ints",
     ask_ints,
     {.kind = "bloom", .expected_keys = KEYS, .key_type = INK_KEY_INT},
     add_ints},
    {"large bloom add, ints",
     add_ints,
     {.kind = "bloom", .expected_keys = MANY, .key_type = INK_KEY_INT},
     NULL},
    {"large bloom ask, ints",
     ask_ints,
     {.kind = "bloom", .expected_keys = MANY, .key_type = INK_KEY_INT},
     NULL},
    {"sorted bloom add, ints",
     sort_ints,
     {.kind = "bloom", .expected_keys = MANY, .key_type = INK_KEY_INT},
     NULL},
    {"bloom add, bytes", add_bytes, {.kind = "bloom", .expected_keys = KEYS}, NULL},
    {"hash, bytes", hash_bytes, {.kind = "bloom", .expected_keys = KEYS}, NULL},
    {"count-min add, ints",
     add_ints,
     {.kind = "count-min", .width = 1 << 16, .depth = 4, .key_type = INK_KEY_INT},
     NULL},
    {"count-min ask, ints",
     count_ints,
     {.kind = "count-min", .width = 1 << 16, .depth = 4, .key_type = INK_KEY_INT},
     add_ints},
    {"hll add, ints", add_ints, {.kind = "hll", .key_type = INK_KEY_INT}, add_ints},
    {"theta add, ints", add_ints, {.kind = "theta", .key_type = INK_KEY_INT}, add_ints},
    {"top add, ints", add_ints, {.kind = "top", .key_type = INK_KEY_INT}, add_ints},
    {"top add, bytes", add_often, {.kind = "top"}, add_often},
    {"lines", cut_lines, {.kind = NULL}, NULL},
    {"text to hll, ink_build", build_hll, {.kind = NULL}, NULL},
    {"text to bloom, ink_build", build_bloom, {.kind = NULL}, NULL},
    {"bloom add, an int at a time",
     add_one_int,
     {.kind = "bloom", .expected_keys = KEYS, .key_type = INK_KEY_INT},
     NULL},
    {"bloom ask, an int at a time",
     ask_one_int,
     {.kind = "bloom", .expected_keys = KEYS, .key_type = INK_KEY_INT},
     add_ints},
    {"bloom add, a key at a time", add_one, {.kind = "bloom", .expected_keys = KEYS}, NULL},
    {"bloom ask, a key at a time", ask_one, {.kind = "bloom", .expected_keys = KEYS}, add_bytes},
    {"count-min ask, an int at a time",
     count_one_int,
     {.kind = "count-min", .width = 1 << 16, .depth = 4, .key_type = INK_KEY_INT},
     add_ints},
};

/* The name that callgrind is given. */
void measured(const loop *one);

__attribute__((noinline)) void measured(const loop *one)
{
    one->run();
}

int main(void)
{
#if defined(__clang__)
    printf("clang-%d\n", __clang_major__);
#else
    printf("gcc-%d\n", __GNUC__);
#endif
    make_keys();
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        if (loops[i].params.kind != NULL)
            must(ink_sketch_create(&sketch, &loops[i].params, NULL, &error));
        if (loops[i].first != NULL)
            loops[i].first();
        measured(&loops[i]);
        if (loops[i].params.kind != NULL)
            ink_sketch_free(sketch);
        printf("%s\t%d\n", loops[i].name, KEYS);
    }
    return 0;
}
