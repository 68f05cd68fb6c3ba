/* hostile_pieces_test.c - pieces with the right job and checksum that say what no map says: every
 * one of them is refused in one clear message, or does no harm, and takes no more memory than its
 * bytes are worth. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"
#include "inkling_pieces.h"

#include "base/memory.h"
#include "jobs/groups/elements.h"
#include "jobs/groups/pieces.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/records.h"

#include <stdio.h>
#include <unistd.h>

static ink_error error;
static uint64_t  chance = 31;

/* ---- Pieces ------------------------------------------------------------------------------- */

static int keep(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    records_bytes *to = host;

    to->count = 0; /* the last one stays */
    records_put(to, bytes, count);
    return 0;
}

/* A job, and what its reducer needs. */
typedef struct work {
    ink_reading        reading;
    ink_params         kind;
    ink_build_options  build;
    ink_pieces_options options;
    ink_job            job;
} work;

static work *work_on(work *of, const ink_params *kind, const char *by)
{
    *of = (work){.reading = {.by = by}, .kind = *kind, .job = {.threads = 1}};
    of->build = (ink_build_options){.kinds = &of->kind, .kind_count = 1};
    of->options = (ink_pieces_options){.build = &of->build};
    return of;
}

static uint64_t number_of(const work *of)
{
    uint64_t job;

    CHECK_OK(ink__pieces_job(&of->reading, &of->build, &job, &error));
    return job;
}

/* One piece of these items. */
static records_bytes piece_of(const work *of, const ink__item *items, size_t count,
                              const ink__head *head)
{
    records_bytes        piece = {0};
    const ink_piece_sink sink = {keep, &piece};
    ink_allocator        allocator = ink__allocator_or_heap(NULL);
    ink__pieces          pieces;

    CHECK_OK(
        ink__pieces_begin(&pieces, 1, (uint64_t)1 << 30, number_of(of), &sink, &allocator, &error));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(ink__pieces_put(&pieces, 0, &items[i], head, &error));
    CHECK_OK(ink__pieces_flush(&pieces, &error));
    ink__pieces_end(&pieces);
    return piece;
}

/* Adds a piece to a new reducer, and finishes if it was taken. */
static ink_status reduce(work *of, const records_bytes *piece)
{
    faults_memory        memory = {0};
    const ink_allocator  allocator = faults_allocator(&memory);
    owned_bytes          finished = {0};
    const ink_piece_sink sink = {keep, &finished};
    ink_reducer         *reducer;

    of->job.allocator = &allocator;
    CHECK_OK(ink_reducer_create(&reducer, &of->reading, &of->options, &of->job, &error));
    uint64_t   before = memory.live_bytes;
    ink_status status = ink_reducer_add(reducer, piece->bytes, piece->count, &error);
    assert_in_range(memory.most_bytes, 0, before + 16 * piece->count + (4 << 20));
    if (status != INK_OK && status != INK_USAGE) {
        ink_error  found = error; /* a piece that was added in part is not emitted */
        ink_status then = ink_reducer_finish(reducer, &sink, &error);
        assert_true(then == INK_USAGE || then == INK_OK);
        error = found;
    }
    if (status == INK_OK)
        status = ink_reducer_finish(reducer, &sink, &error);
    ink_reducer_free(reducer);
    of->job.allocator = NULL;
    faults_check_no_leak(&memory);
    return status;
}

static ink_status reduce_items(work *of, const ink__item *items, size_t count,
                               const ink__head *head)
{
    owned_bytes piece = piece_of(of, items, count, head);

    return reduce(of, &piece);
}

static ink_status reduce_item(work *of, const ink__item *item)
{
    return reduce_items(of, item, 1, NULL);
}

static const ink_params bloom = {.kind = "bloom"}, counting = {.kind = "counting"},
                        murmur = {.kind = "classic", .hash = "mmh3"},
                        table = {.kind = "count-min", .width = 1000, .depth = 4};

/* An item of hashes. */
static ink__item hashes_of(const uint64_t *hashes, size_t count, const char *group)
{
    ink__item item = {.type = INK__ITEM_HASHES,
                      .records = count,
                      .bytes = (const uint8_t *)hashes,
                      .count = 8 * count};

    if (group != NULL)
        item.label = ink_group(group);
    return item;
}

/* ---- Records and ranges ------------------------------------------------------------------- */

TEST(records_that_cannot_be_are_refused)
{
    const uint64_t hashes[] = {5, 7};
    work           of;

    for (unsigned grouped = 0; grouped < 2; grouped++) {
        ink__item items[12];
        work_on(&of, &bloom, grouped == 1 ? "2" : NULL);
        items[0] = hashes_of(hashes, 2, grouped == 1 ? "g" : NULL);
        CHECK_OK(reduce_item(&of, &items[0]));
        items[0].records = 1;
        CHECK_FAILS(reduce_item(&of, &items[0]), INK_FORMAT, "1 records of 2 keys");
        items[0].records = UINT64_MAX;
        CHECK_FAILS(reduce_item(&of, &items[0]), INK_FORMAT, "fewer than 2^61");
        items[0].records = UINT64_MAX / 8; /* one cannot be seen to be wrong, many are too much */
        CHECK_OK(reduce_item(&of, &items[0]));
        for (size_t i = 1; i < 12; i++)
            items[i] = items[0];
        CHECK_FAILS(reduce_items(&of, items, 12, NULL), INK_FORMAT, "fewer than 2^61");
    }
}

/* Nor is it taken for one that was seen just now. */
TEST(a_hash_of_zero_is_one_like_any_other)
{
    const uint64_t       hash = 0;
    const ink_batch      batch = {.count = 1, .hashes = &hash};
    const ink__item      item = hashes_of(&hash, 1, NULL);
    owned_bytes          finished = {0};
    const ink_piece_sink sink = {keep, &finished};
    ink_assembly        *assembly;
    ink_reducer         *reducer;
    ink_entry            entry;
    uint8_t              found = 0;
    work                 of;

    work_on(&of, &bloom, NULL);
    owned_bytes piece = piece_of(&of, &item, 1, NULL);
    CHECK_OK(ink_reducer_create(&reducer, &of.reading, &of.options, &of.job, &error));
    CHECK_OK(ink_reducer_add(reducer, piece.bytes, piece.count, &error));
    CHECK_OK(ink_reducer_finish(reducer, &sink, &error));
    ink_reducer_free(reducer);
    CHECK_OK(ink_assembly_open(&assembly, NULL, NULL, &error));
    CHECK_OK(ink_assembly_add(assembly, finished.bytes, finished.count, &error));
    size_t count;
    CHECK_OK(ink_assembly_count(assembly, &count, &error));
    CHECK_OK(ink_assembly_entry(assembly, 0, &entry, &error));
    CHECK_OK(ink_sketch_contains_batch(entry.sketch, &batch, &found, &error));
    CHECK(count == 1 && found == 1);
    ink_assembly_close(assembly);
}

TEST(counts_that_overflow_are_as_large_as_counts_can_be)
{
    const uint64_t pairs[] = {5, UINT64_MAX, 5, UINT64_MAX, 6, UINT64_MAX};
    work           of;

    for (unsigned ranged = 0; ranged < 2; ranged++) {
        ink__item item = {.type = INK__ITEM_COUNTED,
                          .records = 3,
                          .bytes = (const uint8_t *)pairs,
                          .count = sizeof pairs};
        work_on(&of, &counting, NULL)->kind.expected_keys = 100;
        of.options.ranged = ranged == 1;
        of.options.slice_bytes = 32; /* made range by range, where that is asked for */
        item.number = ranged;
        CHECK_OK(reduce_item(&of, &item));
        work_on(&of, &table, "2"); /* of which the reducer is given sketches alone, by right */
        item.number = 0;
        item.label = ink_group("g");
        CHECK_OK(reduce_item(&of, &item));
    }
}

TEST(other_ranges_than_that_of_the_reducer_are_refused)
{
    const uint64_t low = 1, high = UINT64_MAX;
    work           of;

    for (unsigned grouped = 0; grouped < 2; grouped++) {
        const char *group = grouped == 1 ? "g" : NULL;
        ink__item   items[2] = {hashes_of(&low, 1, group), hashes_of(&high, 1, group)};
        work_on(&of, &bloom, grouped == 1 ? "2" : NULL)->kind.expected_keys = 100;
        items[0].number = 1;
        CHECK_FAILS(reduce_item(&of, &items[0]), INK_MISMATCH, "a piece of range 1, expected");
        of.options.ranged = true;
        of.options.buckets = 4;
        CHECK_OK(reduce_item(&of, &items[0]));
        items[1].number = 4;
        CHECK_OK(reduce_item(&of, &items[1]));
        CHECK_FAILS(reduce_items(&of, items, 2, NULL), INK_MISMATCH,
                    "a piece of bucket 3, expected only those of bucket 0");
        items[1].number = 1; /* as it says, but its hash is not there */
        CHECK_FAILS(reduce_items(&of, items, 2, NULL), INK_MISMATCH, "a piece of bucket 3");
        items[1].number = 5;
        CHECK_FAILS(reduce_item(&of, &items[1]), INK_MISMATCH, "a piece of range 5, expected");
        items[1].number = UINT64_MAX;
        CHECK_FAILS(reduce_item(&of, &items[1]), INK_MISMATCH, "expected one of 4");
    }
    ink__item both[2] = {hashes_of(&low, 1, "g"), hashes_of(&low, 1, "g")};
    both[0].number = 1;
    CHECK_FAILS(reduce_items(&of, both, 2, NULL), INK_MISMATCH, "in ranges and whole");
    both[0].number = 0;
    both[1].number = 1;
    CHECK_FAILS(reduce_items(&of, both, 2, NULL), INK_MISMATCH, "in ranges and whole");
    work_on(&of, &bloom, NULL)->options.ranged = true;
    both[0].label = (ink_label){0};
    CHECK_FAILS(reduce_item(&of, &both[0]), INK_MISMATCH, "a piece of range 0");
}

TEST(items_of_other_jobs_are_refused_by_what_they_are)
{
    static const uint8_t bytes[16] = {0};
    work                 of;

    work_on(&of, &bloom, NULL);
    for (ink__item_type type = INK__ITEM_COUNTED; type <= INK__ITEM_KEYS; type++) {
        ink__item item = {.type = type, .records = 1, .bytes = bytes, .count = sizeof bytes};
        CHECK_FAILS(reduce_item(&of, &item), INK_MISMATCH, "keeps something else of records");
    }
    ink__item item = {.type = INK__ITEM_MEASURE};
    CHECK_FAILS(reduce_item(&of, &item), INK_MISMATCH, "a piece that measures");
    item = hashes_of((const uint64_t[]){1}, 1, "g");
    CHECK_FAILS(reduce_item(&of, &item), INK_MISMATCH, "a piece with groups");
    item = hashes_of((const uint64_t[]){1}, 1, NULL);
    work_on(&of, &bloom, "2");
    CHECK_FAILS(reduce_item(&of, &item), INK_MISMATCH, "a piece without groups");
}

TEST(keys_that_are_cut_are_refused)
{
    uint8_t   bytes[2 * INK__KEY_HEAD_BYTES + 5] = {0};
    ink__item item = {.type = INK__ITEM_KEYS, .records = 2, .bytes = bytes};
    work      of;

    for (unsigned grouped = 0; grouped < 2; grouped++) {
        work_on(&of, &murmur, grouped == 1 ? "2" : NULL);
        item.label = grouped == 1 ? ink_group("g") : (ink_label){0};
        for (item.count = 0; item.count <= sizeof bytes; item.count++) {
            ink__key_head_write(bytes, (ink__key_head){1, 2});
            ink__key_head_write(bytes + INK__KEY_HEAD_BYTES + 2, (ink__key_head){1, 3});
            if (item.count == 0 || item.count == INK__KEY_HEAD_BYTES + 2 ||
                item.count == sizeof bytes)
                CHECK_OK(reduce_item(&of, &item));
            else
                CHECK_FAILS(reduce_item(&of, &item), INK_FORMAT, "a key that is cut");
        }
        item.count = sizeof bytes;
        ink__key_head_write(bytes, (ink__key_head){1, UINT32_MAX});
        CHECK_FAILS(reduce_item(&of, &item), INK_FORMAT, "a key that is cut");
    }
}

TEST(a_label_that_no_file_can_have_is_refused_in_the_end)
{
    char          *name = test_malloc(70001);
    const uint64_t hash = 9;
    work           of;

    memset(name, 'x', 70000);
    name[70000] = '\0';
    work_on(&of, &bloom, "2");
    const ink__item item = hashes_of(&hash, 1, name);
    CHECK_FAILS(reduce_item(&of, &item), INK_USAGE, "70000");
    test_free(name);
}

TEST(groups_that_take_more_than_there_is_are_refused)
{
    const uint64_t pair[] = {5, 1};
    ink__item      items[50];
    char           names[50][8];
    work           of;

    work_on(&of, &table, "2")->job.memory_bytes = 500000;
    for (size_t i = 0; i < 50; i++) {
        snprintf(names[i], sizeof names[i], "g%zu", i);
        items[i] = (ink__item){.type = INK__ITEM_COUNTED,
                               .label = ink_group(names[i]),
                               .records = 1,
                               .bytes = (const uint8_t *)pair,
                               .count = sizeof pair};
    }
    CHECK_OK(reduce_items(&of, items, 10, NULL));
    CHECK_FAILS(reduce_items(&of, items, 50, NULL), INK_LIMIT, "expected at most 500000 bytes");
}

/* ---- Sketches and slices ------------------------------------------------------------------ */

/* An item with an image of one sketch, whose bytes the caller frees. */
static ink__item image_of(const ink_params *params, const ink_label *label, records_bytes *image)
{
    ink_sketch *sketch;
    uint8_t    *bytes;
    size_t      count;

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    const ink_entry    entry = {.label = *label, .sketch = sketch};
    const ink_contents contents = {.entries = &entry, .entry_count = 1};
    CHECK_OK(ink_contents_encode(&contents, &bytes, &count, &error));
    records_put(image, bytes, count);
    ink_bytes_free(bytes, count, NULL);
    ink_sketch_free(sketch);
    return (ink__item){.type = INK__ITEM_SKETCHES, .bytes = image->bytes, .count = image->count};
}

static ink_status reduce_image(work *of, const ink_params *params, const ink_label *label)
{
    owned_bytes image = {0};
    ink__item   item = image_of(params, label, &image);

    return reduce_item(of, &item);
}

TEST(images_that_do_not_belong_here_are_refused)
{
    static const uint8_t secret[INK_SECRET_BYTES] = "secret";
    const ink_params     small = {.kind = "bloom", .bits = 256}, scalable = {.kind = "scalable"};
    const ink_label      none = {0}, slot = {.has_slot = true, .slot = 5}, group = ink_group("g");
    const ink__item      nothing = {.type = INK__ITEM_SKETCHES, .bytes = (const uint8_t *)"x"};
    work                 of;

    work_on(&of, &bloom, NULL);
    CHECK_OK(reduce_image(&of, &small, &none));
    CHECK_OK(reduce_image(&of, &(ink_params){.kind = "bloom", .bits = 256, .secret = secret},
                          &none)); /* which no map gives: the job has another number then */
    CHECK_FAILS(reduce_image(&of, &small, &slot), INK_FORMAT, "a time slot");
    CHECK_FAILS(reduce_image(&of, &small, &group), INK_MISMATCH, "a piece with groups");
    CHECK_FAILS(reduce_image(&of, &table, &none), INK_MISMATCH, "kind count-min");
    CHECK_FAILS(reduce_image(&of, &scalable, &none), INK_MISMATCH, "kind scalable");
    CHECK_FAILS(reduce_item(&of, &nothing), INK_FORMAT, "");
}

TEST(sketches_of_two_plans_are_refused)
{
    const ink_label none = {0};
    owned_bytes     one = {0}, other = {0};
    work            of;

    work_on(&of, &table, NULL);
    const ink__item items[2] = {
        image_of(&table, &none, &one),
        image_of(&(ink_params){.kind = "count-min", .width = 999, .depth = 4}, &none, &other)};
    CHECK_FAILS(reduce_items(&of, items, 2, NULL), INK_MISMATCH, "999");
}

static ink__head head_of(const ink_params *params)
{
    ink__head head;

    CHECK_OK(ink__plan_head(params, 0, &head, &error));
    return head;
}

TEST(slices_that_cannot_be_are_refused)
{
    static const struct {
        uint64_t    number;
        const char *text;
    } wrong[] = {{(uint64_t)1 << 60, "a slice of 4096 bytes from byte"},
                 {UINT64_MAX, "a slice of 4096 bytes from byte"},
                 {1, "expected multiples of"}};
    static const struct {
        uint64_t    offset, bytes;
        const char *text; /* NULL: it is right */
    } beyond[] = {{0, 32, NULL},
                  {32, 32, "a slice of 32 bytes from byte 32 on"},
                  {0, 33, "a slice of 33 bytes"},
                  {33, 0, "from byte 33 on"},
                  {UINT64_MAX, 1, "a slice of 1 bytes"},
                  {UINT64_MAX - 31, 32, "a slice of 32 bytes"}}; /* of 32 bytes in all */
    static const uint8_t bytes[4096] = {0};
    const ink_params     small = {.kind = "bloom", .bits = 256};
    ink__head            head = head_of(&table), other = head_of(&small);
    ink__item            items[3];
    work                 of;

    work_on(&of, &table, NULL);
    for (size_t i = 0; i < 3; i++)
        items[i] = (ink__item){
            .type = INK__ITEM_SLICE, .records = UINT64_MAX, .bytes = bytes, .count = sizeof bytes};
    CHECK_OK(reduce_items(&of, items, 3, &head)); /* records that overflow are many */
    items[1].number = 64;                         /* over the first: merged in the end */
    CHECK_OK(reduce_items(&of, items, 2, &head));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        items[1].number = wrong[i].number;
        CHECK_FAILS(reduce_items(&of, items, 2, &head), INK_FORMAT, wrong[i].text);
    }
    items[0].count = 32;
    CHECK_FAILS(reduce_items(&of, items, 1, &other), INK_MISMATCH, "kind bloom");
    CHECK_FAILS(reduce_items(&of, items, 1, NULL), INK_FORMAT, "without its head");
    items[0].count = sizeof bytes;
    CHECK_FAILS(reduce_items(&of, items, 1, NULL), INK_FORMAT, "expected the head");
    work_on(&of, &small, NULL);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        ink__item item = {.type = INK__ITEM_SLICE, .records = 1, .bytes = bytes};
        item.number = beyond[i].offset;
        item.count = beyond[i].bytes;
        if (beyond[i].text == NULL)
            CHECK_OK(reduce_items(&of, &item, 1, &other));
        else
            CHECK_FAILS(reduce_items(&of, &item, 1, &other), INK_FORMAT, beyond[i].text);
    }
    other.bytes[0] ^= 1;
    items[0].count = 0;
    CHECK_FAILS(reduce_items(&of, items, 1, &other), INK_FORMAT, "expected the head");
}

/* ---- Reducers that failed, or are done ---------------------------------------------------- */

TEST(a_reducer_that_took_a_part_of_a_piece_is_spoilt)
{
    const uint64_t       hash = 3;
    ink__item            items[2] = {hashes_of(&hash, 1, NULL), {.type = INK__ITEM_MEASURE}};
    owned_bytes          finished = {0};
    const ink_piece_sink sink = {keep, &finished};
    ink_reducer         *reducer;
    work                 of;

    work_on(&of, &bloom, NULL);
    owned_bytes good = piece_of(&of, items, 1, NULL), bad = piece_of(&of, items, 2, NULL);
    CHECK_OK(ink_reducer_create(&reducer, &of.reading, &of.options, &of.job, &error));
    CHECK_FAILS(ink_reducer_add(reducer, good.bytes, good.count - 1, &error), INK_FORMAT, "bytes");
    CHECK_OK(ink_reducer_add(reducer, good.bytes, good.count, &error)); /* nothing was added */
    CHECK_FAILS(ink_reducer_add(reducer, bad.bytes, bad.count, &error), INK_MISMATCH, "measures");
    CHECK_FAILS(ink_reducer_add(reducer, good.bytes, good.count, &error), INK_USAGE, "a new");
    CHECK_FAILS(ink_reducer_finish(reducer, &sink, &error), INK_USAGE, "added in part");
    ink_reducer_free(reducer);
    assert_int_equal(finished.count, 0);
}

TEST(a_reducer_gives_once)
{
    typedef ink_status   ender(ink_reducer *, const ink_piece_sink *, ink_error *);
    static ender *const  enders[] = {ink_reducer_finish, ink_reducer_measure, ink_reducer_relay};
    const uint64_t       hash = 3;
    const ink__item      item = hashes_of(&hash, 1, NULL);
    owned_bytes          finished = {0};
    const ink_piece_sink sink = {keep, &finished};
    work                 of;

    work_on(&of, &bloom, NULL);
    owned_bytes piece = piece_of(&of, &item, 1, NULL);
    for (size_t i = 0; i < 3; i++) {
        ink_reducer *reducer;
        CHECK_OK(ink_reducer_create(&reducer, &of.reading, &of.options, &of.job, &error));
        CHECK_OK(ink_reducer_add(reducer, piece.bytes, piece.count, &error));
        CHECK_OK(enders[i](reducer, &sink, &error));
        for (size_t k = 0; k < 3; k++)
            CHECK_FAILS(enders[k](reducer, &sink, &error), INK_USAGE, "has emitted its pieces");
        CHECK_FAILS(ink_reducer_add(reducer, piece.bytes, piece.count, &error), INK_USAGE,
                    "has emitted its pieces");
        ink_reducer_free(reducer);
    }
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static ink_status add_size(ink_sizes *sizes, const work *of, const ink__item *item)
{
    owned_bytes piece = piece_of(of, item, 1, NULL);

    return ink_sizes_add(sizes, piece.bytes, piece.count, &error);
}

TEST(sizes_that_cannot_be_are_refused)
{
    faults_memory       memory = {0};
    const ink_allocator allocator = faults_allocator(&memory);
    const ink_label     none = {0};
    const uint64_t      hash = 4;
    ink__item           item = hashes_of(&hash, 1, NULL);
    owned_bytes         image = {0};
    ink_sizes          *sizes;
    uint64_t            keys;
    work                of;

    work_on(&of, &bloom, NULL);
    CHECK_OK(ink_sizes_create(&sizes, &allocator, &error));
    CHECK_FAILS(add_size(sizes, &of, &item), INK_MISMATCH, "expected one that measures");
    item =
        (ink__item){.type = INK__ITEM_MEASURE, .bytes = (const uint8_t *)"no sketch", .count = 9};
    CHECK_FAILS(add_size(sizes, &of, &item), INK_FORMAT, "");
    item = image_of(&table, &none, &image);
    item.type = INK__ITEM_MEASURE;
    CHECK_FAILS(add_size(sizes, &of, &item), INK_FORMAT, "kind count-min, expected hll");
    item = (ink__item){.type = INK__ITEM_MEASURE, .number = UINT64_MAX, .records = UINT64_MAX};
    CHECK_OK(add_size(sizes, &of, &item));
    CHECK_OK(add_size(sizes, &of, &item));
    CHECK_OK(ink_sizes_keys(sizes, &none, &keys, &error));
    assert_true(keys == UINT64_MAX);
    /* A plan for this many keys is refused. */
    of.options.sizes = sizes;
    item = hashes_of(&hash, 1, NULL);
    CHECK_FAILS(reduce_item(&of, &item), INK_USAGE, "that a bloom can have");
    ink_sizes_free(sizes);
    faults_check_no_leak(&memory);
}

TEST(sizes_of_another_job_are_refused)
{
    const ink_input      input = {.memory = (const uint8_t *)"a\n", .memory_bytes = 2};
    const ink__item      item = {.type = INK__ITEM_MEASURE, .number = 5};
    owned_bytes          piece = {0};
    const ink_piece_sink sink = {keep, &piece};
    ink_reducer         *reducer;
    ink_sizes           *sizes;
    uint8_t             *bytes;
    size_t               count;
    work                 of, other;

    work_on(&of, &bloom, NULL);
    work_on(&other, &(ink_params){.kind = "bloom", .false_positive_rate = 0.5}, NULL);
    CHECK_OK(ink_sizes_create(&sizes, NULL, &error));
    of.options.sizes = sizes; /* of no job yet: they fit all */
    CHECK_OK(ink_map(&input, 1, &of.reading, &of.options, &sink, &of.job, &error));
    CHECK_OK(ink_sizes_encode(sizes, &bytes, &count, &error));
    CHECK_OK(add_size(sizes, &other, &item));
    CHECK_FAILS(ink_map(&input, 1, &of.reading, &of.options, &sink, &of.job, &error), INK_MISMATCH,
                "sizes of another job");
    CHECK_FAILS(ink_reducer_create(&reducer, &of.reading, &of.options, &of.job, &error),
                INK_MISMATCH, "sizes of another job");
    of.options.counts = sizes;
    of.options.sizes = NULL;
    CHECK_FAILS(ink_map(&input, 1, &of.reading, &of.options, &sink, &of.job, &error), INK_MISMATCH,
                "counts of another job");
    CHECK_OK(ink_sizes_add(sizes, bytes, count, &error)); /* sizes of nothing fit all jobs */
    CHECK_FAILS(add_size(sizes, &of, &item), INK_MISMATCH, "another job");
    ink_bytes_free(bytes, count, NULL);
    ink_sizes_free(sizes);
}

/* However much there is to say of groups, it is one piece. */
TEST(sizes_of_many_groups_are_one_piece)
{
    enum { GROUPS = 1200, NAME = 60000 };
    char      *name = test_malloc(NAME + 1);
    ink_sizes *sizes, *again;
    uint8_t   *bytes;
    size_t     count;
    uint64_t   keys;
    work       of;

    memset(name, 'x', NAME);
    name[NAME] = '\0';
    work_on(&of, &bloom, "2");
    CHECK_OK(ink_sizes_create(&sizes, NULL, &error));
    CHECK_OK(ink_sizes_create(&again, NULL, &error));
    for (unsigned g = 0; g < GROUPS; g++) {
        memcpy(name,
               &(const char[4]){(char)('a' + g % 26), (char)('a' + g / 26 % 26),
                                (char)('a' + g / 676), 'x'},
               4);
        const ink__item item = {
            .type = INK__ITEM_MEASURE, .label = ink_group(name), .number = g + 1};
        CHECK_OK(add_size(sizes, &of, &item));
    }
    CHECK_OK(ink_sizes_encode(sizes, &bytes, &count, &error));
    assert_in_range(count, (size_t)GROUPS * NAME, SIZE_MAX);
    CHECK_OK(ink_sizes_add(again, bytes, count, &error));
    memcpy(name, "aaa", 3); /* the first of all */
    const ink_label first = ink_group(name);
    CHECK_OK(ink_sizes_keys(again, &first, &keys, &error));
    assert_int_equal(keys, 1);
    ink_bytes_free(bytes, count, NULL);
    ink_sizes_free(again);
    ink_sizes_free(sizes);
    test_free(name);
}

/* ---- An assembly -------------------------------------------------------------------------- */

TEST(an_assembly_takes_no_time_slots)
{
    const ink_label slot = {.has_slot = true, .slot = 5};
    owned_bytes     image = {0};
    ink_assembly   *assembly;
    work            of;

    work_on(&of, &bloom, NULL);
    ink__item   item = image_of(&(ink_params){.kind = "bloom", .bits = 256}, &slot, &image);
    owned_bytes piece = piece_of(&of, &item, 1, NULL);
    CHECK_OK(ink_assembly_open(&assembly, NULL, NULL, &error));
    CHECK_FAILS(ink_assembly_add(assembly, piece.bytes, piece.count, &error), INK_FORMAT,
                "a time slot");
    ink_assembly_close(assembly);
}

/* ---- Chance ------------------------------------------------------------------------------- */

enum { CHECKSUM = 8, HEADER = 32 };

static void repair(records_bytes *piece)
{
    const uint64_t sum = ink__hash_label(piece->bytes, piece->count - CHECKSUM);

    memcpy(piece->bytes + piece->count - CHECKSUM, &sum, CHECKSUM);
}

/* Puts numbers that are none too good where some stood; most of a piece are bytes of payloads. */
static void damage(records_bytes *piece)
{
    static const uint64_t numbers[] = {0, 1, 7, 255, 4096, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX};
    uint64_t              room = piece->count - HEADER - CHECKSUM;

    for (unsigned i = 0; i < 1 + records_below(&chance, 3); i++) {
        uint64_t at = HEADER + records_below(&chance, room < 200 ? room : 200);
        size_t   some = (size_t)1 << records_below(&chance, 4);
        if (at + some > piece->count - CHECKSUM)
            continue;
        memcpy(piece->bytes + at, &numbers[records_below(&chance, 8)], some);
    }
    repair(piece);
}

static void finish_and_assemble(ink_reducer *reducer)
{
    owned_bytes          finished = {0};
    const ink_piece_sink sink = {keep, &finished};
    ink_assembly        *assembly;

    if (ink_reducer_finish(reducer, &sink, &error) != INK_OK || finished.count == 0)
        return;
    CHECK_OK(ink_assembly_open(&assembly, NULL, NULL, &error));
    if (ink_assembly_add(assembly, finished.bytes, finished.count, &error) == INK_OK)
        (void)ink_assembly_save(assembly, "hostile.ink", NULL, NULL, 0, &error);
    ink_assembly_close(assembly);
    unlink("hostile.ink");
}

/* Any bytes in a piece give a status, and do no harm. */
TEST(damaged_pieces_do_no_harm)
{
    static const ink_params kinds[] = {{.kind = "bloom"},
                                       {.kind = "bloom", .expected_keys = 100},
                                       {.kind = "counting"},
                                       {.kind = "hll"},
                                       {.kind = "classic", .hash = "mmh3"},
                                       {.kind = "top"},
                                       {.kind = "count-min", .width = 200, .depth = 2}};
    const char              text[] = "a,x\nb,y\na,y\nc,z\nd,x\n";
    const ink_input input = {.memory = (const uint8_t *)text, .memory_bytes = sizeof text - 1};
    unsigned        tries = records_light() ? 300 : 4000;

    for (unsigned try = 0; try < tries; try++) {
        owned_bytes          piece = {0};
        const ink_piece_sink sink = {keep, &piece};
        ink_reducer         *reducer;
        work                 of;
        work_on(&of, &kinds[records_below(&chance, sizeof kinds / sizeof *kinds)],
                records_below(&chance, 2) == 0 ? "2" : NULL);
        of.reading.form = INK_FORM_CSV;
        of.options.ranged = records_below(&chance, 2) == 0;
        of.options.buckets = 1 + (uint32_t)records_below(&chance, 2);
        of.options.slice_bytes = records_below(&chance, 2) == 0 ? 64 : 0;
        of.job.memory_bytes = (uint64_t)64 << 20;
        CHECK_OK(ink_map(&input, 1, &of.reading, &of.options, &sink, &of.job, &error));
        damage(&piece);
        CHECK_OK(ink_reducer_create(&reducer, &of.reading, &of.options, &of.job, &error));
        if (ink_reducer_add(reducer, piece.bytes, piece.count, &error) == INK_OK)
            finish_and_assemble(reducer);
        ink_reducer_free(reducer);
    }
}

RUN_TESTS(.begin = records_folder_begin, .end = records_folder_end)
