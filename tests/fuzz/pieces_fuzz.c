/* pieces_fuzz.c - what travels between the halves of a job on a cluster: pieces of drafts, filters
 * and slices, sizes, and finished sketches. Whatever stands in one, it is refused with a message
 * or does no harm, and taking it takes no more memory than its bytes are worth. The first byte of
 * an input says which job the piece is for. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "base/memory.h"
#include "inkling_job.h"
#include "inkling_pieces.h"
#include "jobs/groups/pieces.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>

enum { MOST_BYTES = 1 << 14, SEEDS_MAX = 128, SEED_BYTES = 4096 };
enum { HEADER = 32, BYTES_AT = 24, CHECKSUM = 8 };     /* of a piece ... */
enum { ITEM = 32, GROUP_BYTES_AT = 4, COUNT_AT = 24 }; /* ... and of what is in it */

static ink_error error;

/* ---- Jobs --------------------------------------------------------------------------------- */

static const ink_params kinds[] = {
    {.kind = "bloom"},
    {.kind = "bloom", .expected_keys = 100},
    {.kind = "counting"},
    {.kind = "classic", .hash = "mmh3"},
    {.kind = "classic", .expected_keys = 20},
    {.kind = "hll", .precision = 4},
    {.kind = "theta", .precision = 4},
    {.kind = "fuse"},
    {.kind = "fm"},
    {.kind = "top", .phi = 0.1},
    {.kind = "count-min", .width = 40, .depth = 2},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], JOBS = KINDS * 4 };

typedef struct work {
    ink_reading        reading;
    ink_build_options  build;
    ink_pieces_options options;
    ink_job            job;
} work;

/* Job number `number`: a kind, with groups or without, ranged or, as a kind that is made whole must
 * be, not. */
static void work_on(work *of, unsigned number)
{
    ink_kind_info info = {0};

    CHECK_OK(ink_kind_describe(kinds[number / 4].kind, &info, &error));
    *of = (work){
        .reading = {.form = INK_FORM_CSV, .by = number % 2 == 0 ? "2" : NULL},
        .build = {.kinds = &kinds[number / 4], .kind_count = 1},
        .options = {.ranged = number % 4 >= 2 && info.made_whole == 0,
                    .slice_bytes = 64,
                    .piece_bytes = 4096},
        .job = {.threads = 1, .memory_bytes = 1 << 20},
    };
    of->options.build = &of->build;
}

/* ---- Where it begins ---------------------------------------------------------------------- */

static struct {
    uint8_t bytes[SEED_BYTES];
    size_t  count;
} seeds[SEEDS_MAX];
static unsigned seed_count;
static unsigned job_here; /* of the pieces that are kept */

static int keep(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    (void)host;
    (void)bucket;
    if (seed_count == SEEDS_MAX || count + 1 > SEED_BYTES)
        return 0;
    seeds[seed_count].bytes[0] = (uint8_t)job_here;
    memcpy(seeds[seed_count].bytes + 1, bytes, count);
    seeds[seed_count++].count = count + 1;
    return 0;
}

/* Pieces of maps, and of the reducers that took them. */
static void begin(void)
{
    static const char    text[] = "a,x\nb,y\na,y\nc,z\nd,x\n";
    const ink_input      input = {.memory = (const uint8_t *)text, .memory_bytes = sizeof text - 1};
    const ink_piece_sink sink = {keep, NULL};

    for (job_here = 0; job_here < JOBS; job_here++) {
        work         of;
        ink_reducer *reducer;
        work_on(&of, job_here);
        unsigned first = seed_count;
        CHECK_OK(ink_map(&input, 1, &of.reading, &of.options, &sink, &of.job, &error));
        CHECK_OK(ink_reducer_create(&reducer, &of.reading, &of.options, &of.job, &error));
        for (unsigned i = first, last = seed_count; i < last; i++)
            CHECK_OK(ink_reducer_add(reducer, seeds[i].bytes + 1, seeds[i].count - 1, &error));
        /* A few have nothing to measure, and fail. */
        if (job_here / 4 % 2 == 0)
            CHECK_OK(ink_reducer_relay(reducer, &sink, &error));
        else if (of.options.ranged)
            (void)ink_reducer_measure(reducer, &sink, &error);
        else
            CHECK_OK(ink_reducer_finish(reducer, &sink, &error));
        ink_reducer_free(reducer);
    }
    assert_true(seed_count > JOBS);
}

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= seed_count)
        return SIZE_MAX;
    return fuzz_put(to, room, NULL, seeds[index].bytes, seeds[index].count);
}

/* ---- Changes ------------------------------------------------------------------------------ */

/* The checksum of a piece is the hash that keys have. */
static void mend(uint8_t *bytes, size_t count)
{
    static ink_sketch *hasher;

    if (count < 1 + HEADER + CHECKSUM)
        return;
    const uint64_t  offsets[] = {0, count - 1 - CHECKSUM};
    const ink_batch batch = {.count = 1, .data = bytes + 1, .offsets = offsets};
    uint64_t        sum;
    if (hasher == NULL)
        CHECK_OK(ink_sketch_create(&hasher, &(ink_params){.kind = "fm"}, NULL, &error));
    CHECK_OK(ink_sketch_hash_batch(hasher, &batch, &sum, &error));
    for (unsigned i = 0; i < CHECKSUM; i++)
        bytes[count - CHECKSUM + i] = (uint8_t)(sum >> 8 * i);
}

static uint64_t get_number(const uint8_t *from, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* One of the numbers of an item becomes another, mostly one that is as even as it was. */
static void change_item(uint8_t *items, size_t count)
{
    size_t at = 0;

    for (uint64_t skip = fuzz_draw(4); skip > 0; skip--) {
        if (count - at < ITEM)
            return;
        uint64_t group = get_number(items + at + GROUP_BYTES_AT, 4);
        uint64_t bytes = get_number(items + at + COUNT_AT, 8);
        if (group > count || bytes > count)
            return;
        uint64_t next = at + ITEM + (group + 7) / 8 * 8 + (bytes + 7) / 8 * 8;
        if (next + ITEM > count) /* the last one */
            break;
        at = (size_t)next;
    }
    if (count - at < ITEM)
        return;
    uint8_t *number = items + at + 8 + 8 * fuzz_draw(3);
    uint64_t value = get_number(number, 8) +
                     (fuzz_draw(8) - 3) * ((uint64_t)1 << fuzz_draw(fuzz_draw(2) == 0 ? 10 : 64));
    for (unsigned i = 0; i < 8; i++)
        number[i] = (uint8_t)(value >> 8 * i);
}

/* What is in a piece changes; what it says of its job mostly stays. */
static size_t change(uint8_t *bytes, size_t count, size_t room)
{
    enum { AROUND = 1 + HEADER + CHECKSUM };
    uint8_t tail[CHECKSUM];

    if (count <= AROUND)
        return seed((unsigned)fuzz_draw(seed_count), bytes, room);
    size_t inner = count - AROUND;
    memcpy(tail, bytes + count - CHECKSUM, CHECKSUM);
    if (fuzz_draw(3) == 0)
        change_item(bytes + 1 + HEADER, inner);
    else
        inner = fuzz_scramble(bytes + 1 + HEADER, inner, room - AROUND);
    memcpy(bytes + 1 + HEADER + inner, tail, CHECKSUM);
    count = inner + AROUND;
    if (fuzz_draw(16) != 0) /* the header says how many bytes there are */
        for (unsigned i = 0; i < 8; i++)
            bytes[1 + BYTES_AT + i] = (uint8_t)((count - 1) >> 8 * i);
    mend(bytes, count);
    return count;
}

/* ---- Trial -------------------------------------------------------------------------------- */

static int drop(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    ink_assembly *assembly = host;

    (void)bucket;
    if (assembly != NULL)
        (void)ink_assembly_add(assembly, bytes, count, &error);
    return 0;
}

static int swallow(void *host, const void *bytes, size_t count)
{
    (void)host;
    (void)bytes;
    (void)count;
    return 0;
}

/* A call that fails says why. */
static bool taken(ink_status status)
{
    if (status != INK_OK)
        assert_true(error.status == status && strlen(error.message) > 10);
    return status == INK_OK;
}

/* A slice that was taken lies in its payload: elsewhere it would be written over others. */
static ink_status check_item(void *host, const ink__item *item, ink_error *to)
{
    ink__head      head;
    ink__head_info info;

    (void)host;
    if (item->type != INK__ITEM_SLICE)
        return INK_OK;
    assert_true(item->count >= sizeof head);
    memcpy(&head, item->bytes, sizeof head);
    CHECK_OK(ink__head_describe(&head, &info, to));
    assert_true(item->number <= info.payload_bytes &&
                item->count - sizeof head <= info.payload_bytes - item->number);
    return INK_OK;
}

static void check_taken(const uint8_t *piece, size_t count)
{
    uint64_t job = 0;

    CHECK_OK(ink__piece_read(piece, count, &job, check_item, NULL, &error));
}

/* The first keys of a job take buffers of a fixed size, whatever the piece says. */
enum { FIXED_BYTES = 2 << 20 };

static void try_reducer(work *of, const uint8_t *piece, size_t count)
{
    const ink_piece_sink nowhere = {drop, NULL};
    faults_memory        memory = {0};
    const ink_allocator  allocator = faults_allocator(&memory);
    ink_reducer         *reducer;
    ink_assembly        *assembly;

    of->job.allocator = &allocator;
    CHECK_OK(ink_reducer_create(&reducer, &of->reading, &of->options, &of->job, &error));
    uint64_t before = memory.live_bytes;
    bool     added = taken(ink_reducer_add(reducer, piece, count, &error));
    if (!added && memory.most_bytes > before + FIXED_BYTES + 2 * (uint64_t)count)
        fail_msg("%llu bytes for a piece of %zu", (unsigned long long)memory.most_bytes, count);
    if (added)
        check_taken(piece, count);
    if (added && count % 3 == 0) {
        taken(ink_reducer_relay(reducer, &nowhere, &error));
    } else if (added) {
        CHECK_OK(ink_assembly_open(&assembly, NULL, NULL, &error));
        const ink_piece_sink to = {drop, assembly};
        const ink_sink       sink = {.write = swallow};
        if (taken(ink_reducer_finish(reducer, &to, &error)))
            taken(ink_assembly_write(assembly, &sink, NULL, NULL, 0, &error));
        ink_assembly_close(assembly);
    }
    ink_reducer_free(reducer);
    faults_check_no_leak(&memory);
}

/* As sizes, and as something finished. */
static void try_others(const uint8_t *piece, size_t count)
{
    const ink_sink sink = {.write = swallow};
    ink_sizes     *sizes;
    ink_assembly  *assembly;

    CHECK_OK(ink_sizes_create(&sizes, NULL, &error));
    if (taken(ink_sizes_add(sizes, piece, count, &error))) {
        uint8_t *bytes;
        size_t   encoded;
        CHECK_OK(ink_sizes_encode(sizes, &bytes, &encoded, &error));
        ink_bytes_free(bytes, encoded, NULL);
    }
    ink_sizes_free(sizes);
    CHECK_OK(ink_assembly_open(&assembly, NULL, NULL, &error));
    if (taken(ink_assembly_add(assembly, piece, count, &error))) {
        check_taken(piece, count);
        taken(ink_assembly_write(assembly, &sink, NULL, NULL, 0, &error));
    }
    ink_assembly_close(assembly);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    work of;

    work_on(&of, bytes[0] % JOBS);
    try_reducer(&of, bytes + 1, count - 1);
    try_others(bytes + 1, count - 1);
}

const fuzz_target fuzz_here = {
    .name = "pieces",
    .most_bytes = MOST_BYTES,
    .head_bytes = 1,
    .rounds = 3000,
    .begin = begin,
    .seed = seed,
    .change = change,
    .mend = mend,
    .attempt = attempt,
};
