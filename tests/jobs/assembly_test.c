/* assembly_test.c - finished sketches put together from pieces: images of files and payloads in
 * slices, of whole sketches and of parts, in any order, make the file of the whole, byte for byte;
 * what is missing, damaged or of another job is refused by name; memory stays small; and if a
 * call fails, the old file stays, and no file is left over. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "base/memory.h"
#include "jobs/groups/pieces.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static ink_error error;

enum { JOB = 77 };

/* ---- Pieces ------------------------------------------------------------------------------- */

enum { PIECES = 4096 };

/* Pieces that were given, which own their bytes. */
typedef struct pile {
    records_bytes pieces[PIECES];
    size_t        count;
} pile;

static int take_piece(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    pile *to = host;

    (void)bucket;
    assert_true(to->count < PIECES);
    records_put(&to->pieces[to->count++], bytes, count);
    return 0;
}

static void free_pile(pile *of)
{
    for (size_t i = 0; i < of->count; i++)
        records_bytes_free(&of->pieces[i]);
    of->count = 0;
}

static void shuffle(pile *of, uint64_t *random)
{
    for (size_t i = of->count; i > 1; i--) {
        size_t        other = (size_t)records_below(random, i);
        records_bytes swapped = of->pieces[i - 1];
        of->pieces[i - 1] = of->pieces[other];
        of->pieces[other] = swapped;
    }
}

/* Items for pieces of at most this many bytes. */
typedef struct press {
    ink__pieces    pieces;
    ink_piece_sink sink;
} press;

static void press_begin(press *with, pile *to, uint64_t piece_bytes)
{
    ink_allocator allocator = ink__allocator_or_heap(NULL);

    with->sink = (ink_piece_sink){take_piece, to};
    CHECK_OK(
        ink__pieces_begin(&with->pieces, 1, piece_bytes, JOB, &with->sink, &allocator, &error));
}

static void press_end(press *with)
{
    CHECK_OK(ink__pieces_flush(&with->pieces, &error));
    ink__pieces_end(&with->pieces);
}

/* An image of these entries. */
static void press_image(press *with, const ink_entry *entries, size_t count)
{
    const ink_contents contents = {.entries = entries, .entry_count = count};
    ink__item          item = {.type = INK__ITEM_SKETCHES};
    uint8_t           *bytes;
    size_t             bytes_count;

    CHECK_OK(ink_encode(&contents, &bytes, &bytes_count, &error));
    item.bytes = bytes;
    item.count = bytes_count;
    CHECK_OK(ink__pieces_put(&with->pieces, 0, &item, NULL, &error));
    ink_bytes_free(bytes, bytes_count, NULL);
}

/* Bytes `from` to `until` of a sketch's payload; `first` if they have its records. */
static void press_slice(press *with, const ink_entry *entry, uint64_t from, uint64_t until,
                        bool first)
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
    CHECK_OK(ink__pieces_put(&with->pieces, 0, &item, &head, &error));
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
static void press_slices(press *with, const ink_entry *entry, uint64_t about, uint64_t *random)
{
    ink__head_info info = info_of(entry->sketch);
    uint64_t       bytes = info.payload_bytes, records_at = records_below(random, bytes + 1);
    bool           reported = false;

    for (uint64_t at = 0, next; at < bytes || !reported; at = next) {
        next = at + (1 + records_below(random, about / info.unit)) * info.unit;
        next = next > bytes ? bytes : next;
        bool has_records = !reported && (records_at <= next || next == bytes);
        press_slice(with, entry, at, next, has_records);
        reported = reported || has_records;
    }
}

/* ---- Sketches ----------------------------------------------------------------------------- */

enum { ENTRIES = 32 };

/* Entries that own their sketches. */
typedef struct shelf {
    ink_entry entries[ENTRIES];
    size_t    count;
} shelf;

static const uint8_t odd_label[] = {0, 0xff, '\n', '"'};

/* Every kind, the groups that there can be, and some of a kind beside each other. */
static const struct sort {
    ink_params     params;
    ink_group_kind group_kind;
    const void    *group;
    size_t         group_bytes;
    bool           order_free;
} sorts[] = {
    {{.kind = "bloom", .expected_keys = 2000}, INK_GROUP_NONE, NULL, 0, true},
    {{.kind = "bloom", .expected_keys = 900}, INK_GROUP_NULL, NULL, 0, true},
    {{.kind = "bloom", .expected_keys = 300}, INK_GROUP_BYTES, "", 0, true},
    {{.kind = "bloom", .bits = 256}, INK_GROUP_BYTES, "ant", 3, true},
    {{.kind = "classic", .bits = 9001, .hashes = 3}, INK_GROUP_BYTES, "ant", 3, true},
    {{.kind = "classic", .expected_keys = 700}, INK_GROUP_BYTES, odd_label, 4, true},
    {{.kind = "counting", .expected_keys = 200}, INK_GROUP_BYTES, "ant", 3, true},
    {{.kind = "counting", .bits = 1024}, INK_GROUP_NULL, NULL, 0, true},
    {{.kind = "count-min", .width = 301, .depth = 3}, INK_GROUP_BYTES, "ant", 3, true},
    {{.kind = "count-min", .width = 301, .depth = 3, .counter_bits = 64},
     INK_GROUP_BYTES,
     "bee",
     3,
     true},
    {{.kind = "count-min", .width = 99, .depth = 2, .conservative = true},
     INK_GROUP_BYTES,
     "cow",
     3,
     true}, /* to be merged, if not to be filled */
    {{.kind = "fm"}, INK_GROUP_NONE, NULL, 0, true},
    {{.kind = "hll", .precision = 8}, INK_GROUP_NONE, NULL, 0, true},
    {{.kind = "hll", .precision = 14}, INK_GROUP_BYTES, "ant", 3, true},
    {{.kind = "top", .phi = 0.01}, INK_GROUP_BYTES, "ant", 3, false},
    {{.kind = "scalable", .expected_keys = 50}, INK_GROUP_BYTES, "ant", 3, false},
};
enum { SORTS = sizeof sorts / sizeof sorts[0] };

static ink_sketch *sketch_of(const ink_params *params, unsigned first, unsigned count)
{
    ink_sketch *sketch;
    char        key[32];

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    for (unsigned i = first; i < first + count; i++) {
        int bytes = snprintf(key, sizeof key, "key %u", i * i % 9973);
        CHECK_OK(ink_sketch_add(sketch, key, (size_t)bytes, &error));
    }
    return sketch;
}

static ink_entry entry_of(const struct sort *sort, unsigned first, unsigned count)
{
    return (ink_entry){
        .label = {.group_kind = sort->group_kind,
                  .group = sort->group,
                  .group_bytes = sort->group_bytes},
        .sketch = sketch_of(&sort->params, first, count),
    };
}

static ink_sketch *own(const ink_entry *entry)
{
    return (ink_sketch *)(uintptr_t)entry->sketch;
}

static void put(shelf *to, ink_entry entry)
{
    assert_true(to->count < ENTRIES);
    to->entries[to->count++] = entry;
}

static void clear(shelf *of)
{
    for (size_t i = 0; i < of->count; i++)
        ink_sketch_free(own(&of->entries[i]));
    of->count = 0;
}

static void make_all(shelf *to, unsigned keys)
{
    to->count = 0;
    for (size_t i = 0; i < SORTS; i++)
        put(to, entry_of(&sorts[i], (unsigned)(31 * i), keys));
}

/* ---- Files -------------------------------------------------------------------------------- */

/* The file is that of these entries and no sections, byte for byte. */
static void check_file(const char *path, const shelf *of)
{
    const ink_contents contents = {.entries = of->entries, .entry_count = of->count};
    uint8_t           *expected;
    size_t             count;
    records_bytes      found = records_read(path);

    CHECK_OK(ink_encode(&contents, &expected, &count, &error));
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

static void add_pile(ink_assembly *assembly, const pile *of)
{
    for (size_t i = 0; i < of->count; i++)
        CHECK_OK(ink_assembly_add(assembly, of->pieces[i].bytes, of->pieces[i].count, &error));
}

/* Saves, closes, and compares. */
static void save_and_check(ink_assembly *assembly, const shelf *expected)
{
    assert_int_equal(faults_names_here(), 0); /* what waits has no name */
    CHECK_OK(ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error));
    ink_assembly_close(assembly);
    check_file("x.ink", expected);
    unlink("x.ink");
}

static void check_assembles(pile *of, const shelf *expected, uint64_t *random)
{
    ink_assembly *assembly = open_here();

    shuffle(of, random);
    add_pile(assembly, of);
    free_pile(of);
    save_and_check(assembly, expected);
}

/* ---- The file of the whole ---------------------------------------------------------------- */

static pile  given;
static shelf whole;

TEST(images_in_any_order_are_one_file)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t random = seed;
        press    with;
        make_all(&whole, (unsigned)(seed * 60));
        press_begin(&with, &given, seed % 2 == 0 ? 1000 : 1 << 20);
        for (size_t first = 0, count; first < SORTS; first += count) {
            count = 1 + (size_t)records_below(&random, SORTS - first);
            press_image(&with, whole.entries + first, count);
        }
        press_end(&with);
        check_assembles(&given, &whole, &random);
        clear(&whole);
    }
}

TEST(slices_of_odd_sizes_of_every_kind_are_put_together)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t random = seed;
        press    with;
        make_all(&whole, (unsigned)(seed * seed * 10));
        press_begin(&with, &given, (uint64_t)256 << seed);
        for (size_t i = 0; i < SORTS; i++)
            press_slices(&with, &whole.entries[i], (uint64_t)40 << seed, &random);
        press_end(&with);
        check_assembles(&given, &whole, &random);
        clear(&whole);
    }
}

/* Sketches of several parts of the data, by kind and label: in slices, where their kind can be
 * merged so, as sketches, or some of them in each way. */
TEST(parts_are_merged_whether_they_come_whole_or_in_slices)
{
    enum { WAYS = 3, PARTS = 4 };

    for (unsigned way = 0; way < WAYS; way++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            const ink_merge_options parts = {.parts = true};
            uint64_t                random = 10 * way + seed;
            press                   with;
            press_begin(&with, &given, 3000);
            for (size_t i = 0; i < SORTS; i++) {
                ink_entry merged = entry_of(&sorts[i], 0, 0);
                for (unsigned p = 0; p < PARTS && sorts[i].order_free; p++) {
                    ink_entry part = entry_of(&sorts[i], 500 * p, 700);
                    bool      sliced = way == 0 || (way == 1 && p % 2 == 0);
                    if (sliced && info_of(part.sketch).slices)
                        press_slices(&with, &part, 3000, &random);
                    else
                        press_image(&with, &part, 1);
                    CHECK_OK(ink_sketch_merge(own(&merged), part.sketch, &parts, &error));
                    ink_sketch_free(own(&part));
                }
                if (sorts[i].order_free)
                    put(&whole, merged);
                else
                    ink_sketch_free(own(&merged));
            }
            press_end(&with);
            check_assembles(&given, &whole, &random);
            clear(&whole);
        }
}

/* Of top a merge in another order may keep other keys, but promises the same. */
TEST(tables_of_parts_are_merged_with_their_totals)
{
    const struct sort *top = &sorts[SORTS - 2];
    ink_assembly      *assembly = open_here();
    ink_description    description;
    owned_sketch      *loaded;
    press              with;

    press_begin(&with, &given, 1000);
    for (unsigned p = 0; p < 5; p++) {
        ink_entry part = entry_of(top, 400 * p, 1000);
        press_image(&with, &part, 1);
        ink_sketch_free(own(&part));
    }
    press_end(&with);
    add_pile(assembly, &given);
    free_pile(&given);
    CHECK_OK(ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error));
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
    press    with;

    for (size_t i = 0; i < SORTS; i++) {
        ink_entry      entry = entry_of(&sorts[i], 5, 800);
        ink__head_info info = info_of(entry.sketch);
        ink__head      head;
        uint8_t       *payload = malloc((size_t)info.payload_bytes);
        assert_non_null(payload);
        ink__sketch_head(entry.sketch, &head);
        CHECK_OK(ink_sketch_payload(entry.sketch, payload, (size_t)info.payload_bytes, &error));
        press_begin(&with, &given, 500);
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
            CHECK_OK(ink__pieces_put(&with.pieces, 0, &item, &part, &error));
        }
        press_end(&with);
        if (info.slices) {
            put(&whole, entry);
            check_assembles(&given, &whole, &random);
            clear(&whole);
        } else
            ink_sketch_free(own(&entry));
        free(payload);
    }
}

TEST(nothing_is_a_file_without_entries)
{
    const shelf none = {0};

    save_and_check(open_here(), &none);
    ink_assembly_close(NULL);
}

TEST(an_empty_image_adds_nothing)
{
    const shelf none = {0};
    uint64_t    random = 1;
    press       with;

    press_begin(&with, &given, 1000);
    press_image(&with, NULL, 0);
    press_image(&with, NULL, 0);
    press_end(&with);
    check_assembles(&given, &none, &random);
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
    press                    with;

    records_write("in.csv", text, sizeof text - 1);
    CHECK_OK(ink_build(&set, &input, 1, &reading, &options, &job, &error));
    CHECK_OK(ink_set_save(set, "built.ink", &error));
    press_begin(&with, &given, 300);
    for (size_t i = 0; i < ink_set_count(set); i++) {
        ink_entry entry;
        CHECK_OK(ink_set_entry(set, i, &entry, &error));
        press_image(&with, &entry, 1);
    }
    press_end(&with);
    ink_set_free(set);
    ink_assembly *assembly = open_here();
    add_pile(assembly, &given);
    free_pile(&given);
    CHECK_OK(ink_assembly_save(assembly, "x.ink", &reading, &input, 1, &error));
    owned_bytes built = records_read("built.ink"), found = records_read("x.ink");
    assert_int_equal(found.count, built.count);
    assert_memory_equal(found.bytes, built.bytes, built.count);
    records_bytes_free(&found);
    /* The same bytes to a sink; and all sketches, one by one. */
    records_bytes  written = {0};
    const ink_sink sink = records_sink(&written);
    size_t         count;
    CHECK_OK(ink_assembly_write(assembly, &sink, &reading, &input, 1, &error));
    assert_int_equal(written.count, built.count);
    assert_memory_equal(written.bytes, built.bytes, built.count);
    records_bytes_free(&written);
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
    CHECK_OK(ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error));
    found = records_read("x.ink");
    CHECK(found.count < built.count);
    ink_assembly_close(assembly);
    UNLINK("x.ink", "built.ink", "in.csv");
}

/* ---- What does not fit -------------------------------------------------------------------- */

TEST(a_slice_that_did_not_come_is_named_and_may_still_come)
{
    enum { SLICE = 64 };
    ink_entry      entry = entry_of(&sorts[3 + 1], 0, 500); /* classic, of group "ant" */
    uint64_t       bytes = info_of(entry.sketch).payload_bytes;
    const unsigned missing[] = {0, 5, (unsigned)(bytes / SLICE)};

    put(&whole, entry);
    for (size_t m = 0; m < 3; m++) {
        ink_assembly *assembly = open_here();
        press         with;
        char          words[100];
        press_begin(&with, &given, 1);
        for (uint64_t at = 0; at < bytes; at += SLICE)
            press_slice(&with, &entry, at, at + SLICE < bytes ? at + SLICE : bytes, at == 0);
        press_end(&with);
        for (size_t i = 0; i < given.count; i++)
            if (i != missing[m])
                CHECK_OK(ink_assembly_add(assembly, given.pieces[i].bytes, given.pieces[i].count,
                                          &error));
        snprintf(words, sizeof words, "group ant: byte %u of the %llu of a classic did not come",
                 missing[m] * SLICE, (unsigned long long)bytes);
        CHECK_FAILS(ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error), INK_FORMAT, words);
        assert_int_equal(faults_names_here(), 0);
        CHECK_OK(ink_assembly_add(assembly, given.pieces[missing[m]].bytes,
                                  given.pieces[missing[m]].count, &error));
        save_and_check(assembly, &whole);
        free_pile(&given);
    }
    clear(&whole);
}

TEST(every_byte_of_a_piece_is_guarded)
{
    ink_assembly *assembly = open_here();
    press         with;

    put(&whole, entry_of(&sorts[3], 0, 20)); /* bloom */
    put(&whole, entry_of(&sorts[7], 0, 20)); /* counting, which counts what comes twice */
    press_begin(&with, &given, 1 << 20);
    press_image(&with, whole.entries, 1);
    press_slice(&with, &whole.entries[1], 0, 128, true);
    press_end(&with);
    assert_int_equal(given.count, 1);
    records_bytes *piece = &given.pieces[0];
    for (size_t at = 0; at < piece->count; at++) {
        piece->bytes[at] ^= 0x10;
        ink_status status = ink_assembly_add(assembly, piece->bytes, piece->count, &error);
        CHECK(status == INK_FORMAT || (at >= 8 && at < 12 && status == INK_MISMATCH));
        piece->bytes[at] ^= 0x10;
        status = ink_assembly_add(assembly, piece->bytes, at, &error);
        CHECK(status == INK_FORMAT);
    }
    add_pile(assembly, &given); /* nothing of all that was kept */
    free_pile(&given);
    save_and_check(assembly, &whole);
    clear(&whole);
}

TEST(pieces_of_another_job_are_refused)
{
    ink_assembly *assembly = open_here();
    ink_entry     entry = entry_of(&sorts[3], 0, 20);
    press         with;

    put(&whole, entry);
    for (unsigned job = 0; job < 2; job++) {
        press_begin(&with, &given, 1);
        with.pieces.job += job;
        press_image(&with, &entry, 1);
        press_end(&with);
    }
    assert_int_equal(given.count, 2);
    given.pieces[0].bytes[40] ^= 1; /* damaged, so it does not say which job it is */
    CHECK_FAILS(ink_assembly_add(assembly, given.pieces[0].bytes, given.pieces[0].count, &error),
                INK_FORMAT, "checksum");
    given.pieces[0].bytes[40] ^= 1;
    CHECK_OK(ink_assembly_add(assembly, given.pieces[1].bytes, given.pieces[1].count, &error));
    CHECK_FAILS(ink_assembly_add(assembly, given.pieces[0].bytes, given.pieces[0].count, &error),
                INK_MISMATCH, "another job");
    free_pile(&given);
    save_and_check(assembly, &whole);
    clear(&whole);
}

/* Adds pieces of which the last is refused. */
static void check_last_refused(ink_assembly *assembly, ink_status expected, const char *words)
{
    for (size_t i = 0; i + 1 < given.count; i++)
        CHECK_OK(ink_assembly_add(assembly, given.pieces[i].bytes, given.pieces[i].count, &error));
    const records_bytes *last = &given.pieces[given.count - 1];
    CHECK_FAILS(ink_assembly_add(assembly, last->bytes, last->count, &error), expected, words);
    free_pile(&given);
}

TEST(slices_that_do_not_fit_together_are_refused_with_their_group)
{
    ink_entry     ant = entry_of(&sorts[3], 0, 20);
    ink_entry     other = {ant.label, sketch_of(&(ink_params){.kind = "bloom", .bits = 512}, 0, 9)};
    ink_assembly *assembly = open_here();
    press         with;

    press_begin(&with, &given, 1);
    press_slice(&with, &ant, 0, 32, true);
    press_slice(&with, &other, 0, 32, true);
    press_end(&with);
    check_last_refused(assembly, INK_MISMATCH, "group ant: bits differ: 256 and 512");
    put(&whole, ant);
    save_and_check(assembly, &whole); /* as it was before */
    ink_sketch_free(own(&other));
    clear(&whole);
}

TEST(whole_parts_that_do_not_fit_together_are_refused_with_their_group)
{
    ink_entry     ant = entry_of(&sorts[8], 0, 20); /* count-min */
    ink_entry     other = {ant.label,
                           sketch_of(&(ink_params){.kind = "count-min", .width = 9, .depth = 3}, 0, 9)};
    ink_assembly *assembly = open_here();
    press         with;

    press_begin(&with, &given, 1);
    press_image(&with, &ant, 1);
    press_image(&with, &other, 1);
    press_end(&with);
    add_pile(assembly, &given);
    free_pile(&given);
    CHECK_FAILS(ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error), INK_MISMATCH,
                "group ant: widths differ");
    assert_int_equal(faults_names_here(), 0);
    ink_assembly_close(assembly);
    ink_sketch_free(own(&ant));
    ink_sketch_free(own(&other));
}

TEST(keys_of_another_kind_are_refused)
{
    const ink_params ints = {.kind = "bloom", .bits = 256, .key_type = INK_KEY_INT};
    ink_entry        ant = entry_of(&sorts[3], 0, 20), other = {ink_group("bee"), NULL};
    ink_assembly    *assembly = open_here();
    press            with;

    other.sketch = sketch_of(&ints, 0, 0);
    press_begin(&with, &given, 1);
    press_image(&with, &ant, 1);
    press_image(&with, &other, 1);
    press_end(&with);
    add_pile(assembly, &given);
    free_pile(&given);
    CHECK_FAILS(ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error), INK_MISMATCH,
                "key types differ");
    assert_int_equal(faults_names_here(), 0);
    ink_assembly_close(assembly);
    ink_sketch_free(own(&ant));
    ink_sketch_free(own(&other));
}

TEST(a_table_whose_bytes_come_twice_is_refused)
{
    ink_entry     top = entry_of(&sorts[SORTS - 2], 0, 50);
    uint64_t      bytes = info_of(top.sketch).payload_bytes;
    ink_assembly *assembly = open_here();
    press         with;

    press_begin(&with, &given, 1);
    press_slice(&with, &top, 0, 100, true);
    press_slice(&with, &top, 200, bytes, false);
    press_slice(&with, &top, 99, 150, false);
    press_end(&with);
    check_last_refused(assembly, INK_UNSUPPORTED, "group ant: a byte of a top came twice");
    press_begin(&with, &given, 1);
    press_slice(&with, &top, 150, 201, false);
    press_end(&with);
    check_last_refused(assembly, INK_UNSUPPORTED, "group ant: a byte of a top came twice");
    press_begin(&with, &given, 1);
    press_slice(&with, &top, 100, 200, false);
    press_end(&with);
    add_pile(assembly, &given);
    free_pile(&given);
    put(&whole, top);
    save_and_check(assembly, &whole);
    clear(&whole);
}

/* A slice that says of itself what it wants. */
static void press_forged(press *with, const ink_entry *entry, uint64_t number, uint64_t count,
                         unsigned damage)
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
    CHECK_OK(ink__pieces_put(&with->pieces, 0, &item, &head, &error));
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
    const shelf   none = {0};
    ink_entry     entry = entry_of(&sorts[8], 0, 5); /* count-min of 3 x 301 counters */
    ink_assembly *assembly = open_here();

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        press with;
        press_begin(&with, &given, 1);
        press_forged(&with, &entry, forged[i].number, forged[i].count, forged[i].damage);
        press_end(&with);
        check_last_refused(assembly, INK_FORMAT, forged[i].words);
    }
    save_and_check(assembly, &none);
    ink_sketch_free(own(&entry));
}

TEST(pieces_that_are_not_finished_are_refused)
{
    static const uint64_t hashes[4] = {1, 2, 3, 4};
    const ink__item       items[] = {
              {.type = INK__ITEM_HASHES, .bytes = (const uint8_t *)hashes, .count = sizeof hashes},
              {.type = INK__ITEM_MEASURE, .number = 7},
    };
    const ink__item damaged = {
        .type = INK__ITEM_SKETCHES, .bytes = (const uint8_t *)hashes, .count = sizeof hashes};
    const shelf   none = {0};
    ink_assembly *assembly = open_here();
    press         with;

    for (size_t i = 0; i < 2; i++) {
        press_begin(&with, &given, 1);
        CHECK_OK(ink__pieces_put(&with.pieces, 0, &items[i], NULL, &error));
        press_end(&with);
        check_last_refused(assembly, INK_FORMAT, "expected finished sketches");
    }
    press_begin(&with, &given, 1);
    CHECK_OK(ink__pieces_put(&with.pieces, 0, &damaged, NULL, &error));
    press_end(&with);
    check_last_refused(assembly, INK_FORMAT, "");
    save_and_check(assembly, &none);
}

/* Counters would show if the image had been kept. */
TEST(a_piece_that_fails_after_an_image_is_forgotten)
{
    const uint64_t hash = 1;
    ink__item      item = {.type = INK__ITEM_HASHES, .bytes = (const uint8_t *)&hash, .count = 8};
    ink_entry      entry = entry_of(&sorts[7], 0, 20); /* counting */
    ink_assembly  *assembly = open_here();
    press          with;

    put(&whole, entry);
    press_begin(&with, &given, 1 << 20);
    press_image(&with, &entry, 1);
    CHECK_OK(ink__pieces_put(&with.pieces, 0, &item, NULL, &error));
    press_end(&with);
    check_last_refused(assembly, INK_FORMAT, "expected finished sketches");
    press_begin(&with, &given, 1);
    press_image(&with, &entry, 1);
    press_end(&with);
    add_pile(assembly, &given);
    free_pile(&given);
    save_and_check(assembly, &whole);
    clear(&whole);
}

/* An unknown part of a piece is in the file. */
TEST(a_piece_that_fails_after_a_slice_spoils_the_assembly)
{
    const uint64_t hash = 1;
    ink__item      item = {.type = INK__ITEM_HASHES, .bytes = (const uint8_t *)&hash, .count = 8};
    ink_entry      entry = entry_of(&sorts[3], 0, 20);
    ink_assembly  *assembly = open_here();
    press          with;

    press_begin(&with, &given, 1 << 20);
    press_slice(&with, &entry, 0, 32, true);
    CHECK_OK(ink__pieces_put(&with.pieces, 0, &item, NULL, &error));
    press_end(&with);
    check_last_refused(assembly, INK_FORMAT, "expected finished sketches");
    CHECK_FAILS(ink_assembly_add(assembly, (const uint8_t *)"", 0, &error), INK_USAGE,
                "expected a new assembly");
    CHECK_FAILS(ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error), INK_USAGE,
                "expected a new assembly");
    assert_int_equal(faults_names_here(), 0);
    ink_assembly_close(assembly);
    ink_sketch_free(own(&entry));
}

TEST(nothing_is_added_to_what_was_saved)
{
    ink_entry     entry = entry_of(&sorts[3], 0, 20);
    ink_assembly *assembly = open_here();
    press         with;

    put(&whole, entry);
    press_begin(&with, &given, 1);
    press_image(&with, &entry, 1);
    press_end(&with);
    add_pile(assembly, &given);
    CHECK_OK(ink_assembly_save(assembly, "y.ink", NULL, NULL, 0, &error));
    unlink("y.ink");
    check_last_refused(assembly, INK_USAGE, "an assembly that was saved");
    save_and_check(assembly, &whole);
    clear(&whole);
}

TEST(the_temporary_file_is_where_it_was_asked_for)
{
    const struct {
        const char *folder, *variable, *expected;
    } ways[] = {{"nowhere", "elsewhere", "nowhere"}, {NULL, "elsewhere", "elsewhere"}};
    ink_entry entry = entry_of(&sorts[3], 0, 20);
    press     with;

    press_begin(&with, &given, 1);
    press_image(&with, &entry, 1);
    press_end(&with);
    for (size_t i = 0; i < 2; i++) {
        ink_assembly *assembly;
        faults_system_begin(&(faults_plan){.variable = "TMPDIR", .value = ways[i].variable});
        CHECK_OK(ink_assembly_open(&assembly, ways[i].folder, NULL, &error));
        CHECK_FAILS(
            ink_assembly_add(assembly, given.pieces[0].bytes, given.pieces[0].count, &error),
            INK_IO, ways[i].expected);
        assert_int_equal(error.os_error, ENOENT);
        assert_string_equal(faults_last_opened(), ways[i].expected);
        ink_assembly_close(assembly);
        faults_system_end();
    }
    free_pile(&given);
    ink_sketch_free(own(&entry));
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Adds and saves with an allocator that counts; the most that was taken. */
static uint64_t memory_for(const pile *of, const shelf *expected)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_assembly *assembly;

    CHECK_OK(ink_assembly_open(&assembly, ".", &allocator, &error));
    add_pile(assembly, of);
    save_and_check(assembly, expected);
    faults_check_no_leak(&memory);
    return memory.most_bytes;
}

TEST(memory_stays_small_however_large_a_sketch_is)
{
    const ink_params params = {.kind = "bloom", .bits = (uint64_t)8 * 24 << 20};
    const ink_entry  entry = {{0}, sketch_of(&params, 0, 5000)};
    uint64_t         random = 1;
    press            with;

    press_begin(&with, &given, 1 << 20);
    for (unsigned again = 0; again < 2; again++) /* to be merged with itself */
        press_slices(&with, &entry, 1 << 20, &random);
    press_end(&with);
    put(&whole, (ink_entry){{0}, sketch_of(&params, 0, 5000)});
    CHECK_OK(ink_sketch_merge(own(&whole.entries[0]), entry.sketch,
                              &(ink_merge_options){.parts = true}, &error));
    shuffle(&given, &random);
    CHECK(memory_for(&given, &whole) < 4 << 20);
    free_pile(&given);
    clear(&whole);
    ink_sketch_free(own(&entry));
}

TEST(memory_stays_small_however_many_sketches_are_merged)
{
    enum { GROUPS = 24 };
    const ink_params params = {.kind = "bloom", .bits = (uint64_t)8 << 20};
    static char      names[GROUPS][8];
    uint64_t         random = 1;
    press            with;

    press_begin(&with, &given, 1 << 20);
    for (unsigned i = 0; i < GROUPS; i++) {
        snprintf(names[i], sizeof names[i], "%u", i);
        ink_entry one = {ink_group(names[i]), sketch_of(&params, i, 100)};
        ink_entry two = {ink_group(names[i]), sketch_of(&params, i + 50, 100)};
        press_image(&with, &one, 1);
        press_image(&with, &two, 1);
        CHECK_OK(
            ink_sketch_merge(own(&one), two.sketch, &(ink_merge_options){.parts = true}, &error));
        put(&whole, one);
        ink_sketch_free(own(&two));
    }
    press_end(&with);
    shuffle(&given, &random);
    CHECK(memory_for(&given, &whole) < 6 << 20); /* of 24 MiB that are written */
    free_pile(&given);
    clear(&whole);
}

/* ---- Failures ----------------------------------------------------------------------------- */

/* Pieces with everything: images, slices, and parts that are merged in both ways. */
static void make_some_of_everything(void)
{
    const ink_merge_options parts = {.parts = true};
    static const size_t     used[] = {3, 10, 12, 14}; /* bloom, count-min, hll, top */
    uint64_t                random = 9;
    press                   with;

    press_begin(&with, &given, 2000);
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        const struct sort *sort = &sorts[used[i]];
        ink_entry          one = entry_of(sort, 0, 40), two = entry_of(sort, 30, 40);
        if (info_of(one.sketch).slices) {
            press_slices(&with, &one, 2000, &random);
            press_slices(&with, &two, 2000, &random);
        } else {
            press_image(&with, &one, 1);
            press_image(&with, &two, 1);
        }
        CHECK_OK(ink_sketch_merge(own(&one), two.sketch, &parts, &error));
        ink_sketch_free(own(&two));
        put(&whole, one);
    }
    press_end(&with);
}

/* A whole assembly of what was given; holds nothing afterwards. */
static ink_status assemble(const ink_allocator *allocator)
{
    ink_assembly *assembly;
    ink_status    status = ink_assembly_open(&assembly, ".", allocator, &error);

    if (status != INK_OK)
        return status;
    for (size_t i = 0; i < given.count && status == INK_OK; i++)
        status = ink_assembly_add(assembly, given.pieces[i].bytes, given.pieces[i].count, &error);
    if (status == INK_OK)
        status = ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error);
    ink_assembly_close(assembly);
    return status;
}

static void check_old_or_new(ink_status status, const shelf *fresh)
{
    assert_int_equal(faults_names_here(), 1);
    if (status == INK_OK)
        check_file("x.ink", fresh);
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
        ink_status status = assemble(NULL);
        bool       struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        /* What cannot be unmapped or closed is of no use to anybody, and no failure. */
        CHECK(status == INK_OK || (status == INK_IO && error.os_error == EIO));
        check_old_or_new(status, &whole);
        failures += status != INK_OK;
        if (!struck)
            break;
    }
    CHECK(failures > 20);
    unlink("x.ink");
    free_pile(&given);
    clear(&whole);
}

TEST(every_refusal_of_memory_leaves_the_old_file)
{
    make_some_of_everything();
    for (uint64_t nth = 1;; nth++) {
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        records_write("x.ink", "old", 3);
        ink_status status = assemble(&allocator);
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK));
        check_old_or_new(status, &whole);
        faults_check_no_leak(&memory);
        if (memory.refused == 0)
            break;
    }
    unlink("x.ink");
    free_pile(&given);
    clear(&whole);
}

/* The same, but each call that fails is made once more. */
static ink_status assemble_trying_twice(const ink_allocator *allocator)
{
    ink_assembly *assembly;
    ink_status    status = ink_assembly_open(&assembly, ".", allocator, &error);

    if (status != INK_OK)
        return status;
    for (size_t i = 0; i < given.count && status == INK_OK; i++) {
        const records_bytes *piece = &given.pieces[i];
        if (ink_assembly_add(assembly, piece->bytes, piece->count, &error) != INK_OK)
            status = ink_assembly_add(assembly, piece->bytes, piece->count, &error);
    }
    if (status == INK_OK && ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error) != INK_OK)
        status = ink_assembly_save(assembly, "x.ink", NULL, NULL, 0, &error);
    ink_assembly_close(assembly);
    return status;
}

/* It was as before, and the second try succeeds; or it is spoilt, and says so; nothing else. */
static void check_second_try(ink_status status, unsigned *spoilt)
{
    if (status == INK_OK) {
        check_file("x.ink", &whole);
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
        ink_status status = assemble_trying_twice(NULL);
        any = faults_struck();
        faults_system_end();
        check_second_try(status, &spoilt);
    }
    for (uint64_t nth = 2, any = 1; any > 0; nth++) {
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        ink_status    status = assemble_trying_twice(&allocator);
        any = memory.refused;
        if (status != INK_MEMORY) /* it was opened */
            check_second_try(status, &spoilt_by_memory);
        faults_check_no_leak(&memory);
    }
    CHECK(spoilt > 0);
    free_pile(&given);
    clear(&whole);
}

TEST(short_and_interrupted_transfers_do_no_harm)
{
    make_some_of_everything();
    faults_system_begin(&(faults_plan){.transfer_bytes = 701, .interrupt = true});
    CHECK_OK(assemble(NULL));
    faults_system_end();
    assert_int_equal(faults_open_files(), 0);
    assert_int_equal(faults_maps(), 0);
    check_file("x.ink", &whole);
    unlink("x.ink");
    free_pile(&given);
    clear(&whole);
}

RUN_TESTS(NULL, NULL)
