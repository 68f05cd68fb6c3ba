/* assembly_test.c - finished sketches put together from pieces: images of files and payloads in
 * slices, of whole sketches and of parts, in any order, make the file of the whole, byte for byte;
 * what is missing, damaged or of another job is refused by name; memory stays small; and if a
 * call fails, the old file stays, and no file is left over. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"
#include "inkling_pieces.h"

#include "base/memory.h"
#include "jobs/groups/pieces.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static ink_error error;

enum { JOB = 77 };

/* ---- Pieces ------------------------------------------------------------------------------- */

static records_pieces given;

static void shuffle(uint64_t *random)
{
    for (size_t i = given.count; i > 1; i--) {
        size_t        other = (size_t)records_below(random, i);
        records_bytes swapped = given.list[i - 1];
        given.list[i - 1] = given.list[other];
        given.list[other] = swapped;
    }
}

/* Items on their way to pieces of at most this many bytes. */
static ink__pieces pressed;

static void press_begin(uint64_t piece_bytes)
{
    static const ink_piece_sink sink = {records_take_piece, &given};
    ink_allocator               allocator = ink__allocator_or_heap(NULL);

    CHECK_OK(ink__pieces_begin(&pressed, 1, piece_bytes, JOB, &sink, &allocator, &error));
}

static void press_end(void)
{
    CHECK_OK(ink__pieces_flush(&pressed, &error));
    ink__pieces_end(&pressed);
}

static void press_item(const ink__item *item, const ink__head *head)
{
    CHECK_OK(ink__pieces_put(&pressed, 0, item, head, &error));
}

/* An image of these entries. */
static void press_image(const ink_entry *entries, size_t count)
{
    const ink_contents contents = {.entries = entries, .entry_count = count};
    ink__item          item = {.type = INK__ITEM_SKETCHES};
    uint8_t           *bytes;
    size_t             bytes_count;

    CHECK_OK(ink_contents_encode(&contents, &bytes, &bytes_count, &error));
    item.bytes = bytes;
    item.count = bytes_count;
    press_item(&item, NULL);
    ink_bytes_free(bytes, bytes_count, NULL);
}

/* Bytes `from` to `until` of a sketch's payload; `first` if they have its records. */
static void press_slice(const ink_entry *entry, uint64_t from, uint64_t until, bool first)
{
    ink__head      head;
    ink__head_info info;
    uint8_t       *bytes = malloc((size_t)(until - from) + 1);

    assert_non_null(bytes);
    ink__sketch_head(entry->sketch, &head);
    CHECK_OK(ink__head_describe(&head, &info, &error));
    CHECK_OK(ink__sketch_payload_slice(entry->sketch, from, bytes, (size_t)(until - from), &error));
    const ink__item item = {
        .type = INK__ITEM_SLICE,
        .label = entry->label,
        .records = first ? info.records : 0,
        .number = from,
        .bytes = bytes,
        .count = until - from,
    };
    press_item(&item, &head);
    free(bytes);
}

static ink__head_info info_of(const ink_sketch *sketch)
{
    ink__head      head;
    ink__head_info info;

    ink__sketch_head(sketch, &head);
    CHECK_OK(ink__head_describe(&head, &info, &error));
    return info;
}

/* All of a payload, in slices of odd sizes about this one; any of them may have the records. */
static void press_slices(const ink_entry *entry, uint64_t about, uint64_t *random)
{
    ink__head_info info = info_of(entry->sketch);
    uint64_t       bytes = info.payload_bytes, records_at = records_below(random, bytes + 1);
    bool           reported = false;

    for (uint64_t at = 0, next; at < bytes || !reported; at = next) {
        next = at + (1 + records_below(random, about / info.unit)) * info.unit;
        next = next > bytes ? bytes : next;
        bool has_records = !reported && (records_at <= next || next == bytes);
        press_slice(entry, at, next, has_records);
        reported = reported || has_records;
    }
}

/* A piece of one item. */
static void give_image(const ink_entry *entry)
{
    press_begin(1);
    press_image(entry, 1);
    press_end();
}

static void give_slice(const ink_entry *entry, uint64_t from, uint64_t until, bool first)
{
    press_begin(1);
    press_slice(entry, from, until, first);
    press_end();
}

/* ---- Sketches ----------------------------------------------------------------------------- */

enum { ENTRIES = 32 };

/* What the file must hold; it owns the sketches. */
static struct {
    ink_entry entries[ENTRIES];
    size_t    count;
} whole;

static const uint8_t odd_label[] = {0, 0xff, '\n', '"'};

/* Every kind, the groups that there can be, and some of a kind beside each other. */
#define IN(group) INK_GROUP_BYTES, group, sizeof group - 1
static const struct sort {
    ink_params     params;
    ink_group_kind group_kind;
    const void    *group;
    size_t         group_bytes;
    bool           order_free;
} sorts[] = {
    {{.kind = "bloom", .expected_keys = 2000, .max_rate = 1}, INK_GROUP_NONE, NULL, 0, true},
    {{.kind = "bloom", .expected_keys = 900, .max_rate = 1}, INK_GROUP_NULL, NULL, 0, true},
    {{.kind = "bloom", .expected_keys = 300, .max_rate = 1}, INK_GROUP_BYTES, "", 0, true},
    {{.kind = "bloom", .bits = 256}, IN("ant"), true},
    {{.kind = "classic", .bits = 9001, .hashes = 3}, IN("ant"), true},
    {{.kind = "classic", .expected_keys = 700, .max_rate = 1}, INK_GROUP_BYTES, odd_label, 4, true},
    {{.kind = "counting", .expected_keys = 200, .max_rate = 1}, IN("ant"), true},
    {{.kind = "counting", .bits = 1024}, INK_GROUP_NULL, NULL, 0, true},
    {{.kind = "count-min", .width = 301, .depth = 3}, IN("ant"), true},
    {{.kind = "count-min", .width = 301, .depth = 3, .counter_bits = 64}, IN("bee"), true},
    {{.kind = "count-min", .width = 99, .depth = 2, .conservative = true},
     IN("cow"),
     true}, /* to be merged, if not to be filled */
    {{.kind = "fm"}, INK_GROUP_NONE, NULL, 0, true},
    {{.kind = "hll", .precision = 8}, INK_GROUP_NONE, NULL, 0, true},
    {{.kind = "hll", .precision = 14}, IN("ant"), true},
    {{.kind = "top", .phi = 0.01}, IN("ant"), false},
    {{.kind = "scalable", .expected_keys = 50}, IN("ant"), false},
};
enum { SORTS = sizeof sorts / sizeof sorts[0] };

static ink_entry entry_of(const struct sort *sort, unsigned first, unsigned count)
{
    return (ink_entry){
        .label = {.group_kind = sort->group_kind,
                  .group = sort->group,
                  .group_bytes = sort->group_bytes},
        .sketch = records_sketch(&sort->params, first, count),
    };
}

static ink_sketch *own(const ink_entry *entry)
{
    return (ink_sketch *)(uintptr_t)entry->sketch;
}

/* Merges a part, which is freed. */
static void merge(const ink_entry *into, const ink_entry *part)
{
    CHECK_OK(
        ink_sketch_merge(own(into), part->sketch, &(ink_merge_options){.parts = true}, &error));
    ink_sketch_free(own(part));
}

static void free_entry(ink_entry *entry)
{
    ink_sketch_free(own(entry));
}

#define owned_entry OWNED(free_entry) ink_entry

static void put(ink_entry entry)
{
    assert_true(whole.count < ENTRIES);
    whole.entries[whole.count++] = entry;
}

static void clear(void)
{
    for (size_t i = 0; i < whole.count; i++)
        ink_sketch_free(own(&whole.entries[i]));
    whole.count = 0;
}

static void make_all(unsigned keys)
{
    for (size_t i = 0; i < SORTS; i++)
        put(entry_of(&sorts[i], (unsigned)(31 * i), keys));
}

/* ---- Files -------------------------------------------------------------------------------- */

/* The file is that of the whole and no sections, byte for byte. */
static void check_file(const char *path)
{
    const ink_contents contents = {.entries = whole.entries, .entry_count = whole.count};
    uint8_t           *expected;
    size_t             count;
    records_bytes      found = records_read(path);

    CHECK_OK(ink_contents_encode(&contents, &expected, &count, &error));
    assert_int_equal(found.count, count);
    assert_memory_equal(found.bytes, expected, count);
    records_bytes_free(&found);
    ink_bytes_free(expected, count, NULL);
}

static ink_assembly *open_here(void)
{
    ink_assembly *assembly;

    CHECK_OK(ink_assembly_open(&assembly, ".", NULL, &error));
    return assembly;
}

static ink_status add(ink_assembly *assembly, const records_bytes *piece)
{
    return ink_assembly_add(assembly, piece->bytes, piece->count, &error);
}

static ink_status save(ink_assembly *assembly, const char *path)
{
    return ink_assembly_save(assembly, path, NULL, NULL, 0, &error);
}

/* Adds all that is given. */
static void add_given(ink_assembly *assembly)
{
    for (size_t i = 0; i < given.count; i++)
        CHECK_OK(add(assembly, &given.list[i]));
    records_pieces_free(&given);
}

/* Saves, closes, and compares with the whole, which is cleared. */
static void save_and_check(ink_assembly *assembly)
{
    assert_int_equal(faults_names_here(), 0); /* what waits has no name */
    CHECK_OK(save(assembly, "x.ink"));
    ink_assembly_close(assembly);
    check_file("x.ink");
    unlink("x.ink");
    clear();
}

static void check_assembles(uint64_t *random)
{
    ink_assembly *assembly = open_here();

    shuffle(random);
    add_given(assembly);
    save_and_check(assembly);
}

/* ---- The file of the whole ---------------------------------------------------------------- */

TEST(images_in_any_order_are_one_file)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t random = seed;
        make_all((unsigned)(seed * 60));
        press_begin(seed % 2 == 0 ? 1000 : 1 << 20);
        for (size_t first = 0, count; first < SORTS; first += count) {
            count = 1 + (size_t)records_below(&random, SORTS - first);
            press_image(whole.entries + first, count);
        }
        press_end();
        check_assembles(&random);
    }
}

TEST(slices_of_odd_sizes_of_every_kind_are_put_together)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t random = seed;
        make_all((unsigned)(seed * seed * 10));
        press_begin((uint64_t)256 << seed);
        for (size_t i = 0; i < SORTS; i++)
            press_slices(&whole.entries[i], (uint64_t)40 << seed, &random);
        press_end();
        check_assembles(&random);
    }
}

/* Of a sketch without a key, too, which may have no bytes at all. */
TEST(slices_without_bytes_bring_records_and_nothing_else)
{
    for (unsigned keys = 0; keys < 400; keys += 300)
        for (size_t i = 0; i < SORTS; i++) {
            put(entry_of(&sorts[i], 0, keys));
            const ink_entry     *entry = &whole.entries[0];
            const ink__head_info info = info_of(entry->sketch);
            const uint64_t bytes = info.payload_bytes, half = bytes / 2 / info.unit * info.unit;
            press_begin(1);
            press_slice(entry, 0, 0, true);
            press_slice(entry, half, half, false); /* all bytes are still to come */
            press_slice(entry, 0, bytes, false);
            press_slice(entry, half, half, false);
            press_slice(entry, bytes, bytes, false);
            press_end();
            ink_assembly *assembly = open_here();
            add_given(assembly);
            save_and_check(assembly);
        }
}

/* Sketches of several parts of the data, by kind and label: in slices, where their kind can be
 * merged so, as sketches, or some of them in each way. */
TEST(parts_are_merged_whether_they_come_whole_or_in_slices)
{
    enum { WAYS = 3, PARTS = 4 };

    for (unsigned way = 0; way < WAYS; way++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            uint64_t random = 10 * way + seed;
            press_begin(3000);
            for (size_t i = 0; i < SORTS; i++) {
                ink_entry merged = entry_of(&sorts[i], 0, 0);
                for (unsigned p = 0; p < PARTS && sorts[i].order_free; p++) {
                    ink_entry part = entry_of(&sorts[i], 500 * p, 700);
                    bool      sliced = way == 0 || (way == 1 && p % 2 == 0);
                    if (sliced && info_of(part.sketch).slices)
                        press_slices(&part, 3000, &random);
                    else
                        press_image(&part, 1);
                    merge(&merged, &part);
                }
                if (sorts[i].order_free)
                    put(merged);
                else
                    ink_sketch_free(own(&merged));
            }
            press_end();
            check_assembles(&random);
        }
}

/* Of top a merge in another order may keep other keys, but promises the same. */
TEST(tables_of_parts_are_merged_with_their_totals)
{
    const struct sort *top = &sorts[SORTS - 2];
    ink_assembly      *assembly = open_here();
    ink_description    description;
    owned_sketch      *loaded;

    press_begin(1000);
    for (unsigned p = 0; p < 5; p++) {
        ink_entry part = entry_of(top, 400 * p, 1000);
        press_image(&part, 1);
        ink_sketch_free(own(&part));
    }
    press_end();
    add_given(assembly);
    CHECK_OK(save(assembly, "x.ink"));
    ink_assembly_close(assembly);
    CHECK_OK(ink_sketch_load(&loaded, "x.ink", NULL, &error));
    ink_sketch_describe(loaded, &description);
    assert_int_equal(description.records, 5000);
    assert_int_equal(description.total, 5000);
    CHECK(description.missed <= 5000 / description.capacity);
    unlink("x.ink");
}

/* As reducers of ranges of hashes give them: each has some bytes, and some of the records. */
TEST(parts_that_have_bytes_of_their_own_are_placed_and_their_records_add_up)
{
    uint64_t random = 3;

    for (size_t i = 0; i < SORTS; i++) {
        ink_entry      entry = entry_of(&sorts[i], 5, 800);
        ink__head_info info = info_of(entry.sketch);
        ink__head      head;
        uint8_t       *payload = malloc((size_t)info.payload_bytes);
        assert_non_null(payload);
        ink__sketch_head(entry.sketch, &head);
        CHECK_OK(ink_sketch_payload(entry.sketch, payload, (size_t)info.payload_bytes, &error));
        press_begin(500);
        uint64_t middle = info.payload_bytes / 3 / info.unit * info.unit;
        for (unsigned half = 0; half < 2 && info.slices; half++) {
            uint64_t  from = half == 0 ? 0 : middle, end = half == 0 ? middle : info.payload_bytes;
            ink__item item = {.type = INK__ITEM_SLICE,
                              .label = entry.label,
                              .records = half == 0 ? 300 : 500,
                              .number = from,
                              .bytes = payload + from,
                              .count = end - from};
            ink__head part = head;
            if (strcmp(info.kind, "count-min") == 0) /* only one of them has totals here */
                CHECK_OK(half == 0 ? INK_OK : ink__plan_head(&sorts[i].params, 0, &part, &error));
            press_item(&item, &part);
        }
        press_end();
        if (info.slices) {
            put(entry);
            check_assembles(&random);
        } else
            ink_sketch_free(own(&entry));
        free(payload);
    }
}

TEST(nothing_is_a_file_without_entries)
{

    save_and_check(open_here());
    ink_assembly_close(NULL);
}

TEST(an_empty_image_adds_nothing)
{
    uint64_t random = 1;

    press_begin(1000);
    press_image(NULL, 0);
    press_image(NULL, 0);
    press_end();
    check_assembles(&random);
}

static int refuse_bytes(void *host, const void *bytes, size_t count)
{
    (void)host;
    (void)bytes;
    (void)count;
    return ENOSPC;
}

/* ---- As a build --------------------------------------------------------------------------- */

TEST(with_its_input_spec_it_is_the_file_of_a_build)
{
    static const char *const key[] = {"name", "place"};
    static const ink_params  kinds[] = {{.kind = "bloom"}, {.kind = "hll", .precision = 8}};
    const char               text[] = "name,place,by\nant,hill,x\nbee,hive,y\ncow,barn,x\n";
    const ink_input          input = {.path = "in.csv"};
    const ink_reading        reading = {.header = true, .key = key, .key_count = 2, .by = "by"};
    const ink_build_options  options = {.kinds = kinds, .kind_count = 2};
    ink_job                  job = {.threads = 1};
    ink_set                 *set;

    records_write("in.csv", text, sizeof text - 1);
    CHECK_OK(ink_build(&set, &input, 1, &reading, &options, &job, &error));
    CHECK_OK(ink_set_save(set, "built.ink", &error));
    press_begin(300);
    for (size_t i = 0; i < ink_set_count(set); i++) {
        ink_entry entry;
        CHECK_OK(ink_set_entry(set, i, &entry, &error));
        press_image(&entry, 1);
    }
    press_end();
    ink_set_free(set);
    ink_assembly *assembly = open_here();
    add_given(assembly);
    CHECK_OK(ink_assembly_save(assembly, "x.ink", &reading, &input, 1, &error));
    owned_bytes built = records_read("built.ink"), written = {0};
    CHECK(records_unchanged("x.ink", &built));
    /* The same bytes to a sink; and all sketches, one by one. */
    const ink_sink sink = records_sink(&written);
    size_t         count;
    CHECK_OK(ink_assembly_write(assembly, &sink, &reading, &input, 1, &error));
    assert_int_equal(written.count, built.count);
    assert_memory_equal(written.bytes, built.bytes, built.count);
    CHECK_OK(ink_assembly_count(assembly, &count, &error));
    assert_int_equal(count, 4);
    ink_entry entry;
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(ink_assembly_entry(assembly, i, &entry, &error));
        assert_int_equal(entry.label.group_bytes, 1);
        assert_non_null(entry.sketch);
    }
    CHECK_FAILS(ink_assembly_entry(assembly, count, &entry, &error), INK_NOT_FOUND, "entry 4");
    /* The sink takes no bytes. */
    const ink_sink full = {refuse_bytes, NULL};
    CHECK_FAILS(ink_assembly_write(assembly, &full, NULL, NULL, 0, &error), INK_IO, "cannot write");
    assert_int_equal(error.os_error, ENOSPC);
    /* Again, without an input spec: it is shorter by that. */
    CHECK_OK(save(assembly, "x.ink"));
    owned_bytes found = records_read("x.ink");
    CHECK(found.count < built.count);
    const ink_input rows = {.arrow = (void *)&count}; /* not looked into: columns have none */
    CHECK_OK(ink_assembly_save(assembly, "x.ink", &reading, &rows, 1, &error));
    CHECK(records_unchanged("x.ink", &found));
    ink_assembly_close(assembly);
    UNLINK("x.ink", "built.ink", "in.csv");
}

/* ---- What does not fit -------------------------------------------------------------------- */

TEST(a_slice_that_did_not_come_is_named_and_may_still_come)
{
    enum { SLICE = 64 };
    const unsigned missing[] = {0, 5, UINT_MAX}; /* the last one */

    for (size_t m = 0; m < 3; m++) {
        ink_assembly *assembly = open_here();
        ink_entry     entry = entry_of(&sorts[3 + 1], 0, 500); /* classic, of group "ant" */
        uint64_t      bytes = info_of(entry.sketch).payload_bytes, last = bytes / SLICE;
        size_t        gap = missing[m] < last ? missing[m] : (size_t)last;
        char          words[100];
        put(entry);
        press_begin(1);
        for (uint64_t at = 0; at < bytes; at += SLICE)
            press_slice(&entry, at, at + SLICE < bytes ? at + SLICE : bytes, at == 0);
        press_end();
        for (size_t i = 0; i < given.count; i++)
            if (i != gap)
                CHECK_OK(add(assembly, &given.list[i]));
        snprintf(words, sizeof words, "group ant: byte %u of the %llu of a classic did not come",
                 (unsigned)(gap * SLICE), (unsigned long long)bytes);
        CHECK_FAILS(save(assembly, "x.ink"), INK_FORMAT, words);
        assert_int_equal(faults_names_here(), 0);
        CHECK_OK(add(assembly, &given.list[gap]));
        save_and_check(assembly);
        records_pieces_free(&given);
    }
}

TEST(every_byte_of_a_piece_is_guarded)
{
    ink_assembly *assembly = open_here();

    put(entry_of(&sorts[3], 0, 20)); /* bloom */
    put(entry_of(&sorts[7], 0, 20)); /* counting, which counts what comes twice */
    press_begin(1 << 20);
    press_image(whole.entries, 1);
    press_slice(&whole.entries[1], 0, 128, true);
    press_end();
    assert_int_equal(given.count, 1);
    records_bytes *piece = &given.list[0];
    for (size_t at = 0; at < piece->count; at++) {
        piece->bytes[at] ^= 0x10;
        ink_status status = add(assembly, piece);
        CHECK(status == INK_FORMAT || (at >= 8 && at < 12 && status == INK_MISMATCH));
        piece->bytes[at] ^= 0x10;
        status = ink_assembly_add(assembly, piece->bytes, at, &error);
        CHECK(status == INK_FORMAT);
    }
    add_given(assembly); /* nothing of all that was kept */
    save_and_check(assembly);
}

TEST(pieces_of_another_job_are_refused)
{
    ink_assembly *assembly = open_here();
    ink_entry     entry = entry_of(&sorts[3], 0, 20);

    put(entry);
    for (unsigned job = 0; job < 2; job++) {
        press_begin(1);
        pressed.job += job;
        press_image(&entry, 1);
        press_end();
    }
    assert_int_equal(given.count, 2);
    given.list[0].bytes[40] ^= 1; /* damaged, so it does not say which job it is */
    CHECK_FAILS(add(assembly, &given.list[0]), INK_FORMAT, "checksum");
    given.list[0].bytes[40] ^= 1;
    CHECK_OK(add(assembly, &given.list[1]));
    CHECK_FAILS(add(assembly, &given.list[0]), INK_MISMATCH, "another job");
    records_pieces_free(&given);
    save_and_check(assembly);
}

/* Adds pieces of which the last is refused. */
static void check_last_refused(ink_assembly *assembly, ink_status expected, const char *words)
{
    for (size_t i = 0; i + 1 < given.count; i++)
        CHECK_OK(add(assembly, &given.list[i]));
    const records_bytes *last = &given.list[given.count - 1];
    CHECK_FAILS(add(assembly, last), expected, words);
    records_pieces_free(&given);
}

TEST(slices_that_do_not_fit_together_are_refused_with_their_group)
{
    ink_entry     ant = entry_of(&sorts[3], 0, 20);
    owned_entry   other = {ant.label,
                           records_sketch(&(ink_params){.kind = "bloom", .bits = 512}, 0, 9)};
    ink_assembly *assembly = open_here();

    give_slice(&ant, 0, 32, true);
    give_slice(&other, 0, 32, true);
    check_last_refused(assembly, INK_MISMATCH, "group ant: bits differ: 256 and 512");
    put(ant);
    save_and_check(assembly); /* as it was before */
}

/* An image of one of the sorts and another one, which are refused together. */
static void check_refused_together(const struct sort *sort, const ink_params *params,
                                   const char *group, const char *words)
{
    owned_entry   one = entry_of(sort, 0, 20);
    owned_entry   other = {ink_group(group), records_sketch(params, 0, 9)};
    ink_assembly *assembly = open_here();

    give_image(&one);
    give_image(&other);
    add_given(assembly);
    CHECK_FAILS(save(assembly, "x.ink"), INK_MISMATCH, words);
    assert_int_equal(faults_names_here(), 0);
    ink_assembly_close(assembly);
}

TEST(whole_parts_that_do_not_fit_together_are_refused_with_their_group)
{
    check_refused_together(&sorts[8], &(ink_params){.kind = "count-min", .width = 9, .depth = 3},
                           "ant", "group ant: widths differ");
}

TEST(keys_of_another_kind_are_refused)
{
    check_refused_together(&sorts[3],
                           &(ink_params){.kind = "bloom", .bits = 256, .key_type = INK_KEY_INT},
                           "bee", "key types differ");
}

TEST(a_table_whose_bytes_come_twice_is_refused)
{
    ink_entry     top = entry_of(&sorts[SORTS - 2], 0, 50);
    uint64_t      bytes = info_of(top.sketch).payload_bytes;
    ink_assembly *assembly = open_here();

    give_slice(&top, 0, 100, true);
    give_slice(&top, 200, bytes, false);
    give_slice(&top, 99, 150, false);
    check_last_refused(assembly, INK_UNSUPPORTED, "group ant: a byte of a top came twice");
    give_slice(&top, 150, 201, false);
    check_last_refused(assembly, INK_UNSUPPORTED, "group ant: a byte of a top came twice");
    give_slice(&top, 100, 200, false);
    add_given(assembly);
    put(top);
    save_and_check(assembly);
}

/* A slice that says of itself what it wants. */
static void press_forged(const ink_entry *entry, uint64_t number, uint64_t count, unsigned damage)
{
    static const uint8_t zeros[4096];
    ink__head            head;
    const ink__item      item = {.type = INK__ITEM_SLICE,
                                 .label = entry->label,
                                 .records = 1,
                                 .number = number,
                                 .bytes = zeros,
                                 .count = count};

    ink__sketch_head(entry->sketch, &head);
    head.bytes[50] ^= (uint8_t)damage;
    press_item(&item, &head);
}

TEST(a_forged_slice_is_refused)
{
    static const struct {
        uint64_t    number, count;
        unsigned    damage;
        const char *words;
    } forged[] = {
        {3612, 4, 0,
         "a slice of 4 bytes from byte 3612 on, expected multiples of 4 among the 3612"},
        {0, 3616, 0, "a slice of 3616 bytes"},
        {UINT64_MAX - 3, 8, 0, "from byte 18446744073709551612 on"},
        {2, 4, 0, "from byte 2 on"},
        {4, 6, 0, "a slice of 6 bytes"},
        {0, 4, 1, "checksum"},
    };
    owned_entry   entry = entry_of(&sorts[8], 0, 5); /* count-min of 3 x 301 counters */
    ink_assembly *assembly = open_here();

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        press_begin(1);
        press_forged(&entry, forged[i].number, forged[i].count, forged[i].damage);
        press_end();
        check_last_refused(assembly, INK_FORMAT, forged[i].words);
    }
    save_and_check(assembly);
}

/* Only all slices together show it. */
TEST(slices_of_wrong_bytes_are_refused_with_their_group)
{
    owned_entry   entry = entry_of(&sorts[14], 0, 50); /* top */
    ink_assembly *assembly = open_here();

    press_begin(1);
    press_forged(&entry, 0, info_of(entry.sketch).payload_bytes, 0);
    press_end();
    add_given(assembly);
    CHECK_FAILS(save(assembly, "x.ink"), INK_FORMAT, "group ant: ");
    assert_int_equal(faults_names_here(), 0);
    ink_assembly_close(assembly);
}

TEST(pieces_that_are_not_finished_are_refused)
{
    static const uint64_t hashes[4] = {1, 2, 3, 4};
    const uint8_t        *bytes = (const uint8_t *)hashes;
    const ink__item       items[] = {
              {.type = INK__ITEM_HASHES, .bytes = bytes, .count = sizeof hashes},
              {.type = INK__ITEM_MEASURE, .number = 7},
              {.type = INK__ITEM_SKETCHES, .bytes = bytes, .count = sizeof hashes}, /* damaged */
    };
    ink_assembly *assembly = open_here();

    for (size_t i = 0; i < 3; i++) {
        press_begin(1);
        press_item(&items[i], NULL);
        press_end();
        check_last_refused(assembly, INK_FORMAT, i < 2 ? "expected finished sketches" : "");
    }
    save_and_check(assembly);
}

static const ink__item unfinished = {
    .type = INK__ITEM_HASHES, .bytes = (const uint8_t *)"8 bytes", .count = 8};

/* Counters would show if the image had been kept. */
TEST(a_piece_that_fails_after_an_image_is_forgotten)
{
    ink_entry     entry = entry_of(&sorts[7], 0, 20); /* counting */
    ink_assembly *assembly = open_here();

    put(entry);
    press_begin(1 << 20);
    pressed.job++; /* whose job is forgotten too */
    press_image(&entry, 1);
    press_item(&unfinished, NULL);
    press_end();
    check_last_refused(assembly, INK_FORMAT, "expected finished sketches");
    give_image(&entry);
    add_given(assembly);
    save_and_check(assembly);
}

/* An unknown part of a piece is in the file. */
TEST(a_piece_that_fails_after_a_slice_spoils_the_assembly)
{
    owned_entry   entry = entry_of(&sorts[3], 0, 20);
    ink_assembly *assembly = open_here();

    press_begin(1 << 20);
    press_slice(&entry, 0, 32, true);
    press_item(&unfinished, NULL);
    press_end();
    check_last_refused(assembly, INK_FORMAT, "expected finished sketches");
    CHECK_FAILS(ink_assembly_add(assembly, (const uint8_t *)"", 0, &error), INK_USAGE,
                "expected a new assembly");
    CHECK_FAILS(save(assembly, "x.ink"), INK_USAGE, "expected a new assembly");
    assert_int_equal(faults_names_here(), 0);
    ink_assembly_close(assembly);
}

TEST(nothing_is_added_to_what_was_saved)
{
    ink_entry     entry = entry_of(&sorts[3], 0, 20);
    ink_assembly *assembly = open_here();

    put(entry);
    give_image(&entry);
    CHECK_OK(add(assembly, &given.list[0]));
    CHECK_OK(save(assembly, "y.ink"));
    unlink("y.ink");
    check_last_refused(assembly, INK_USAGE, "an assembly that was saved");
    save_and_check(assembly);
}

TEST(a_filter_above_its_promise_is_refused_and_the_old_file_stays)
{
    const struct sort sort = {{.kind = "bloom", .expected_keys = 100}, IN("ant"), true};
    owned_entry       entry = entry_of(&sort, 0, 400);
    ink_assembly     *assembly = open_here();

    records_write("x.ink", "old", 3);
    give_image(&entry);
    CHECK_OK(add(assembly, &given.list[0]));
    CHECK_FAILS(save(assembly, "x.ink"), INK_PROMISE,
                "1 of 1 filters would be above the promised rate 0.01: ant (");
    CHECK(strstr(error.message, "or none (then each group is sized by its keys)") != NULL);
    records_bytes found = records_read("x.ink");
    CHECK(found.count == 3);
    records_bytes_free(&found);
    ink_assembly_of_part(assembly); /* as a batch of a stream */
    CHECK_OK(save(assembly, "x.ink"));
    ink_assembly_close(assembly);
    unlink("x.ink");
}

TEST(the_temporary_file_is_where_it_was_asked_for)
{
    const struct {
        const char *folder, *variable, *expected;
    } ways[] = {{"nowhere", "elsewhere", "nowhere"}, {NULL, "elsewhere", "elsewhere"}};
    owned_entry entry = entry_of(&sorts[3], 0, 20);

    give_image(&entry);
    for (size_t i = 0; i < 2; i++) {
        ink_assembly *assembly;
        faults_system_begin(&(faults_plan){.variable = "TMPDIR", .value = ways[i].variable});
        CHECK_OK(ink_assembly_open(&assembly, ways[i].folder, NULL, &error));
        CHECK_FAILS(add(assembly, &given.list[0]), INK_IO, ways[i].expected);
        assert_int_equal(error.os_error, ENOENT);
        assert_string_equal(faults_last_opened(), ways[i].expected);
        ink_assembly_close(assembly);
        faults_system_end();
    }
    records_pieces_free(&given);
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Adds and saves with an allocator that counts; the most that was taken. */
static uint64_t memory_for_given(void)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_assembly *assembly;

    CHECK_OK(ink_assembly_open(&assembly, ".", &allocator, &error));
    add_given(assembly);
    save_and_check(assembly);
    faults_check_no_leak(&memory);
    return memory.most_bytes;
}

TEST(memory_stays_small_however_large_a_sketch_is)
{
    const ink_params params = {.kind = "bloom", .bits = (uint64_t)8 * 24 << 20};
    const ink_entry  entry = {{0}, records_sketch(&params, 0, 5000)};
    uint64_t         random = 1;

    press_begin(1 << 20);
    for (unsigned again = 0; again < 2; again++) /* to be merged with itself */
        press_slices(&entry, (uint64_t)(1 + 2 * again) << 20, &random);
    press_end();
    put((ink_entry){{0}, records_sketch(&params, 0, 5000)});
    merge(&whole.entries[0], &entry);
    shuffle(&random);
    CHECK(memory_for_given() < 4 << 20);
}

TEST(memory_stays_small_however_many_sketches_are_merged)
{
    enum { GROUPS = 24 };
    const ink_params params = {.kind = "bloom", .bits = (uint64_t)8 << 20};
    static char      names[GROUPS][8];
    uint64_t         random = 1;

    press_begin(1 << 20);
    for (unsigned i = 0; i < GROUPS; i++) {
        snprintf(names[i], sizeof names[i], "%u", i);
        ink_entry one = {ink_group(names[i]), records_sketch(&params, i, 100)};
        ink_entry two = {ink_group(names[i]), records_sketch(&params, i + 50, 100)};
        press_image(&one, 1);
        press_image(&two, 1);
        merge(&one, &two);
        put(one);
    }
    press_end();
    shuffle(&random);
    CHECK(memory_for_given() < 6 << 20); /* of 24 MiB that are written */
}

/* ---- Failures ----------------------------------------------------------------------------- */

/* Pieces with everything: images, slices, and parts that are merged in both ways. */
static void make_some_of_everything(void)
{
    static const size_t used[] = {3, 10, 12, 14}; /* bloom, count-min, hll, top */
    uint64_t            random = 9;

    press_begin(2000);
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        const struct sort *sort = &sorts[used[i]];
        ink_entry          one = entry_of(sort, 0, 40), two = entry_of(sort, 30, 40);
        if (info_of(one.sketch).slices) {
            press_slices(&one, 2000, &random);
            press_slices(&two, 2000, &random);
        } else {
            press_image(&one, 1);
            press_image(&two, 1);
        }
        merge(&one, &two);
        put(one);
    }
    press_end();
}

/* A whole assembly of what was given, in which each call that fails is tried this often; holds
 * nothing afterwards. */
static ink_status assemble(const ink_allocator *allocator, unsigned tries)
{
    ink_assembly *assembly;
    ink_status    status = ink_assembly_open(&assembly, ".", allocator, &error);

    if (status != INK_OK)
        return status;
    for (size_t i = 0; i <= given.count && status == INK_OK; i++) {
        bool all = i == given.count;
        status = all ? save(assembly, "x.ink") : add(assembly, &given.list[i]);
        if (status != INK_OK && tries > 1)
            status = all ? save(assembly, "x.ink") : add(assembly, &given.list[i]);
    }
    ink_assembly_close(assembly);
    return status;
}

static void forget(void)
{
    unlink("x.ink");
    records_pieces_free(&given);
    clear();
}

static void check_old_or_new(ink_status status)
{
    assert_int_equal(faults_names_here(), 1);
    if (status == INK_OK)
        check_file("x.ink");
    else if (strstr(error.message, "the file is in place") == NULL)
        CHECK(records_file_is("x.ink", "old"));
}

TEST(every_system_call_that_fails_leaves_the_old_file)
{
    unsigned failures = 0;

    make_some_of_everything();
    for (unsigned nth = 1;; nth++) {
        records_write("x.ink", "old", 3);
        faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO});
        ink_status status = assemble(NULL, 1);
        bool       struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        /* What cannot be unmapped or closed is of no use to anybody, and no failure. */
        CHECK(status == INK_OK || (status == INK_IO && error.os_error == EIO));
        check_old_or_new(status);
        failures += status != INK_OK;
        if (!struck)
            break;
    }
    CHECK(failures > 20);
    forget();
}

TEST(every_refusal_of_memory_leaves_the_old_file)
{
    make_some_of_everything();
    for (uint64_t nth = 1;; nth++) {
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        records_write("x.ink", "old", 3);
        ink_status status = assemble(&allocator, 1);
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK));
        check_old_or_new(status);
        faults_check_no_leak(&memory);
        if (memory.refused == 0)
            break;
    }
    forget();
}

/* It was as before, and the second try succeeds; or it is spoilt, and says so; nothing else. */
static void check_second_try(ink_status status, unsigned *spoilt)
{
    if (status == INK_OK) {
        check_file("x.ink");
        unlink("x.ink");
    } else {
        assert_int_equal(status, INK_USAGE);
        assert_non_null(strstr(error.message, "expected a new assembly"));
        ++*spoilt;
    }
    assert_int_equal(faults_names_here(), 0);
}

TEST(what_failed_may_be_tried_again_or_is_refused)
{
    unsigned spoilt = 0, spoilt_by_memory = 0;

    make_some_of_everything();
    for (unsigned nth = 1, any = 1; any > 0; nth++) {
        faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = ENOSPC});
        ink_status status = assemble(NULL, 2);
        any = faults_struck();
        faults_system_end();
        check_second_try(status, &spoilt);
    }
    for (uint64_t nth = 2, any = 1; any > 0; nth++) {
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        ink_status    status = assemble(&allocator, 2);
        any = memory.refused;
        if (status != INK_MEMORY) /* it was opened */
            check_second_try(status, &spoilt_by_memory);
        faults_check_no_leak(&memory);
    }
    CHECK(spoilt > 0);
    forget();
}

TEST(short_and_interrupted_transfers_do_no_harm)
{
    make_some_of_everything();
    faults_system_begin(&(faults_plan){.transfer_bytes = 701, .interrupt = true});
    CHECK_OK(assemble(NULL, 1));
    faults_system_end();
    assert_int_equal(faults_open_files(), 0);
    assert_int_equal(faults_maps(), 0);
    check_file("x.ink");
    forget();
}

RUN_TESTS()
