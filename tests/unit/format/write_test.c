/* write_test.c - what is written is what is read again; the bytes go out in order, in pieces; every
 * refusal, of memory or of the sink, ends the writing cleanly. */
#include "base/status.h"
#include "format/write.h"

#include "base/checksum.h"
#include "base/memory.h"
#include "format/image.h"
#include "jobs/runtime/accounting.h"
#include "support/check.h"
#include "support/faults.h"

#include <stdio.h>

static ink_error  error;
static ink__image image;

/* ---- A source and a sink ------------------------------------------------------------------ */

enum { ENTRIES_MAX = 8, READY_BYTES = 5 << 20 };

typedef struct contents {
    ink__entry entries[ENTRIES_MAX];
    uint8_t    fill[ENTRIES_MAX]; /* a payload is that many bytes of this; 0: of its own making */
    bool       in_scratch;        /* payloads are put together in the scratch room */
    uint8_t   *ready;             /* ... or stand here, READY_BYTES apart */
} contents;

static void entry_at(const void *host, uint64_t index, ink__entry *entry)
{
    *entry = ((const contents *)host)->entries[index];
}

static void fill_payload(const contents *c, uint64_t index, uint8_t *out)
{
    for (uint64_t i = 0; i < c->entries[index].payload_bytes; i++)
        out[i] = (uint8_t)(c->fill[index] + i % 13);
}

static const uint8_t *payload_at(const void *host, uint64_t index, uint8_t *scratch)
{
    const contents *c = host;

    if (!c->in_scratch)
        return c->ready + index * READY_BYTES;
    fill_payload(c, index, scratch);
    return scratch;
}

static ink__payload_source source_of(const contents *c, uint64_t entries)
{
    for (uint64_t i = 0; c != NULL && c->ready != NULL && i < entries; i++)
        fill_payload(c, i, c->ready + i * READY_BYTES);
    return (ink__payload_source){
        .host = c,
        .keys = {.hash = 1, .seed = 5},
        .entries = entries,
        .entry = entry_at,
        .payload = payload_at,
        .scratch_bytes = READY_BYTES,
    };
}

typedef struct collected {
    uint8_t *bytes;
    uint64_t room, count, reported;
    unsigned writes, refuse_write; /* the n-th, counted from 1 */
    bool     refuse_begin;
    uint64_t largest_write;
} collected;

static ink_status collect_begin(void *host, uint64_t bytes, ink_error *why)
{
    collected *c = host;

    if (c->refuse_begin)
        return ink__fail(why, INK_IO, INK_NOWHERE, 0, "no beginning");
    c->reported = bytes;
    return INK_OK;
}

static ink_status collect(void *host, const uint8_t *bytes, uint64_t count, ink_error *why)
{
    collected *c = host;

    if (++c->writes == c->refuse_write)
        return ink__fail(why, INK_IO, INK_NOWHERE, 0, "no more");
    assert_true(count <= c->room - c->count);
    memcpy(c->bytes + c->count, bytes, count);
    c->count += count;
    c->largest_write = count > c->largest_write ? count : c->largest_write;
    return INK_OK;
}

static ink__sink sink_of(collected *c)
{
    return (ink__sink){.host = c, .begin = collect_begin, .write = collect};
}

enum { ROOM = 16 << 20 };
static uint8_t *room, *payload_room;

static int make_room(void **state)
{
    room = malloc(ROOM);
    payload_room = malloc(ROOM);
    return room == NULL || payload_room == NULL;
}

static int free_room(void **state)
{
    free(room);
    free(payload_room);
    return 0;
}

static const ink__crew *crew; /* or NULL */

/* Writes and parses; fails the test if either fails, or if the sink was told another length. */
static collected write_and_read(const ink__payload_source *source)
{
    ink_allocator allocator = ink__allocator_or_heap(NULL);
    collected     out = {.bytes = room, .room = ROOM};
    ink__sink     sink = sink_of(&out);

    CHECK_OK(ink__write(source, &sink, crew, &allocator, &error));
    assert_int_equal(out.reported, out.count);
    CHECK_OK(ink__image_parse(&image, out.bytes, out.count, NULL, &error));
    CHECK_OK(ink__image_check_payloads(&image, NULL, &error));
    return out;
}

static ink_label group(const char *name)
{
    return (ink_label){.group_kind = INK_GROUP_BYTES, .group = name, .group_bytes = strlen(name)};
}

/* Four entries in two tables, with every sort of column. */
static contents mixed(void)
{
    return (contents){
        .entries = {{.kind = 1, .position_rule = 1, .layout = 1, .records = 5, .payload_bytes = 33},
                    {.kind = 1,
                     .position_rule = 1,
                     .layout = 1,
                     .label = group("bee"),
                     .records = 70000,
                     .payload_bytes = 4096,
                     .fields = {9, 1, 1ull << 40}},
                    {.kind = 8,
                     .position_rule = 5,
                     .layout = 1,
                     .label = {.group_kind = INK_GROUP_NULL, .has_slot = true, .slot = -1},
                     .payload_bytes = 0,
                     .fields = {4}},
                    {.kind = 8,
                     .position_rule = 5,
                     .layout = 1,
                     .label = group(""),
                     .records = 0,
                     .payload_bytes = 7,
                     .fields = {4}}},
        .fill = {1, 2, 3, 4},
        .in_scratch = true,
    };
}

/* Writes `source`, with `c` as the sink and memory of which the n-th piece is refused (0: none).
 * Sees that all memory is given back, and returns whether a piece was refused. */
static bool write_refusing(const ink__payload_source *source, collected *c, uint64_t nth,
                           ink_status *status)
{
    faults_memory memory = {.refuse_at = nth};
    ink_allocator allocator = faults_allocator(&memory);
    ink__sink     sink = sink_of(c);
    uint8_t       digest[INK_DIGEST_BYTES];

    *status = c == NULL ? ink__write_digest(source, &allocator, digest, &error)
                        : ink__write(source, &sink, crew, &allocator, &error);
    faults_check_no_leak(&memory);
    return memory.refused > 0;
}

/* ---- What is written ---------------------------------------------------------------------- */

TEST(entries_are_read_again_as_they_were_written)
{
    const contents            c = mixed();
    const ink__payload_source source = source_of(&c, 4);

    write_and_read(&source);
    assert_int_equal(image.table_count, 2);
    assert_int_equal(image.keys.hash, 1);
    assert_int_equal(image.keys.seed, 5);
    for (uint64_t i = 0; i < 4; i++) {
        ink__entry entry;
        ink__image_entry(&image, i, &entry);
        assert_int_equal(entry.kind, c.entries[i].kind);
        assert_int_equal(entry.position_rule, c.entries[i].position_rule);
        assert_int_equal(entry.layout, c.entries[i].layout);
        assert_int_equal(entry.records, c.entries[i].records);
        assert_int_equal(entry.payload_bytes, c.entries[i].payload_bytes);
        assert_memory_equal(entry.fields, c.entries[i].fields, sizeof entry.fields);
        assert_int_equal(ink_label_compare(&entry.label, &c.entries[i].label), 0);
        const uint8_t *payload = ink__image_payload(&image, &entry);
        for (uint64_t b = 0; b < entry.payload_bytes; b++)
            assert_int_equal(payload[b], c.fill[i] + b % 13);
    }
}

TEST(a_large_payload_starts_at_a_multiple_of_64)
{
    const contents            c = mixed();
    const ink__payload_source source = source_of(&c, 4);
    const uint64_t            offsets[] = {0, 64, 4160, 4160};

    write_and_read(&source);
    for (uint64_t i = 0; i < 4; i++) {
        ink__entry entry;
        ink__image_entry(&image, i, &entry);
        assert_int_equal(entry.payload_offset, offsets[i]);
    }
}

TEST(columns_take_the_smallest_width_that_holds_them)
{
    const uint64_t largest[] = {255, 256, 65535, 65536, UINT32_MAX, 1ull << 32};
    const unsigned widths[] = {1, 2, 2, 4, 4, 8};
    contents c = {.entries = {{.kind = 8, .label = group("a")}, {.kind = 8, .label = group("b")}}};
    ink__payload_source source = source_of(&c, 2);

    for (int i = 0; i < 6; i++) {
        c.entries[1].records = largest[i];
        write_and_read(&source); /* the reader refuses every other width */
        assert_int_equal(image.tables[0].columns[INK__COLUMN_RECORDS].width, widths[i]);
    }
}

TEST(a_file_without_entries_is_the_smallest_there_is)
{
    const contents            c = {0};
    const ink__payload_source source = source_of(&c, 0);

    assert_int_equal(write_and_read(&source).count, 64 + 64 + 32);
    assert_int_equal(image.entries, 0);
}

TEST(sections_come_after_the_payloads_in_their_order)
{
    const ink_section sections[] = {
        {.id = 1, .critical = true, .data = (const uint8_t *)"recipe", .bytes = 6},
        {.id = 2},
        {.id = 0xfffffffe, .data = (const uint8_t *)"12345678", .bytes = 8},
    };
    const contents      c = mixed();
    ink__payload_source source = source_of(&c, 4);
    ink_section         section;

    source.sections = sections;
    source.section_count = 3;
    write_and_read(&source);
    assert_int_equal(image.section_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        ink__image_section(&image, i, &section);
        assert_int_equal(section.id, sections[i].id);
        assert_int_equal(section.critical, sections[i].critical);
        assert_int_equal(section.bytes, sections[i].bytes);
        if (section.bytes > 0)
            assert_memory_equal(section.data, sections[i].data, section.bytes);
    }
}

/* Writes a file of nothing but these sections; all of it must fit, or nothing be written. */
static ink_status write_sections_alone(const ink_section *sections, size_t count)
{
    const contents      c = {0};
    ink_allocator       allocator = ink__allocator_or_heap(NULL);
    collected           out = {.bytes = room, .room = ROOM};
    ink__sink           sink = sink_of(&out);
    ink__payload_source source = source_of(&c, 0);

    source.sections = sections;
    source.section_count = count;
    ink_status status = ink__write(&source, &sink, NULL, &allocator, &error);
    assert_int_equal(out.writes == 0, status != INK_OK);
    return status;
}

TEST(sections_whose_ids_do_not_rise_or_do_not_exist_are_refused)
{
    const uint32_t ids[][2] = {{0, 1}, {1, 1}, {2, 1}, {1, 0xffffffff}};

    for (int i = 0; i < 4; i++) {
        const ink_section sections[] = {{.id = ids[i][0]}, {.id = ids[i][1]}};
        CHECK_FAILS(write_sections_alone(sections, 2), INK_USAGE,
                    "expected rising ids from 1 to 4294967294");
    }
}

TEST(a_section_too_large_for_any_file_is_refused)
{
    const ink_section section = {.id = 7, .bytes = PTRDIFF_MAX};

    CHECK_FAILS(write_sections_alone(&section, 1), INK_LIMIT,
                "section 7 has 9223372036854775807 bytes");
}

TEST(sections_too_large_together_are_refused)
{
    ink_section sections[9];

    for (uint32_t i = 0; i < 9; i++) /* nine times 2^61 is more than 2^64 */
        sections[i] = (ink_section){.id = i + 1, .bytes = PTRDIFF_MAX / 4};
    CHECK_FAILS(write_sections_alone(sections, 9), INK_LIMIT, "section 2 has");
}

TEST(payloads_too_large_together_are_refused)
{
    const struct {
        uint64_t first, second;
    } sizes[] = {
        {PTRDIFF_MAX, 0}, {1ull << 62, 1ull << 62}, {UINT64_MAX, 0},
        {1, UINT64_MAX},  {UINT64_MAX - 31, 5000},
    };
    ink_allocator allocator = ink__allocator_or_heap(NULL);
    collected     out = {.bytes = room, .room = ROOM};
    ink__sink     sink = sink_of(&out);
    uint8_t       digest[INK_DIGEST_BYTES];

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const contents      c = {.entries = {{.kind = 1, .payload_bytes = sizes[i].first},
                                             {.kind = 2, .payload_bytes = sizes[i].second}}};
        ink__payload_source source = source_of(&c, 2);
        CHECK_FAILS(ink__write(&source, &sink, NULL, &allocator, &error), INK_LIMIT,
                    "the sketches together are larger than a file can be");
        CHECK_FAILS(ink__write_digest(&source, &allocator, digest, &error), INK_LIMIT, "larger");
    }
}

/* ---- Pieces ------------------------------------------------------------------------------- */

TEST(payloads_over_a_mebibyte_are_summed_and_written_in_pieces)
{
    const contents c = {
        .entries = {{.kind = 1, .payload_bytes = 32}, /* so that the next one straddles */
                    {.kind = 2, .payload_bytes = 3 << 20},
                    {.kind = 8, .payload_bytes = 100}},
        .fill = {1, 2, 3},
        .ready = payload_room,
    };
    const ink__payload_source source = source_of(&c, 3);
    ink__entry                entry;

    collected out = write_and_read(&source);
    assert_int_equal(out.largest_write, 1 << 20);
    ink__image_entry(&image, 1, &entry);
    assert_int_equal(entry.payload_offset, 64);
    const uint8_t *payload = ink__image_payload(&image, &entry);
    for (uint64_t i = 0; i < entry.payload_bytes; i++)
        if (payload[i] != 2 + i % 13)
            fail_msg("byte %llu is %u", (unsigned long long)i, payload[i]);
}

TEST(a_payload_that_ends_with_a_piece_has_no_empty_piece_after_it)
{
    const contents c = {
        .entries = {{.kind = 1, .payload_bytes = 2 << 20}}, .fill = {9}, .ready = payload_room};
    const ink__payload_source source = source_of(&c, 1);

    collected out = write_and_read(&source);
    assert_int_equal(image.payload_bytes, 2 << 20);
    assert_int_equal(out.writes, 1 + 2 + 1); /* head, two pieces, the end section */
}

/* In place, straddling and encoded payloads, and memory that is refused. */
TEST(a_crew_writes_the_same_bytes)
{
    contents c = {
        .entries = {{.kind = 1, .payload_bytes = (4 << 20) + 77},
                    {.kind = 2, .payload_bytes = 2 << 20},
                    {.kind = 8, .payload_bytes = 4 << 20}},
        .fill = {1, 2, 3},
        .ready = payload_room,
    };
    const ink__payload_source source = source_of(&c, 3);
    uint8_t                  *alone = malloc(ROOM);
    ink_status                status = INK_OK;
    ink__crew                 lent; /* the last one is also for what is refused */

    assert_non_null(alone);
    for (unsigned i = 0; i < 2; i++, c.in_scratch = true) {
        crew = NULL;
        const collected first = write_and_read(&source);
        memcpy(alone, first.bytes, first.count);
        for (unsigned threads = 1; threads <= 64; threads = 2 * threads + 1) {
            lent = ink__crew_of(NULL, threads);
            crew = &lent;
            memset(room, 0xee, ROOM);
            const collected out = write_and_read(&source);
            CHECK(out.count == first.count && out.writes == first.writes);
            assert_memory_equal(out.bytes, alone, out.count);
            CHECK_OK(ink__image_check_payloads(&image, crew, &error));
        }
        bool refused = true;
        for (uint64_t nth = 1; refused; nth++) {
            collected out = {.bytes = room, .room = ROOM};
            refused = write_refusing(&source, &out, nth, &status);
            assert_int_equal(status, refused ? INK_MEMORY : INK_OK);
        }
    }
    crew = NULL;
    free(alone);
}

/* Many entries, made of their numbers. */
typedef struct many {
    uint64_t entries;
    unsigned tables;
    uint64_t bytes;        /* of a payload, about; one in seven is empty ... */
    uint64_t every, large; /* ... and of one in `every` */
    bool     in_scratch;   /* payloads are encoded, and need more scratch than they have bytes */
} many;

enum { MANY = 40000, SCRATCH_MORE = 100, LARGEST = 1100000, MANY_ROOM = 80 << 20 };
static char    names[MANY][8];
static uint8_t pattern[LARGEST + 16];

static void many_entry(const void *host, uint64_t i, ink__entry *entry)
{
    const many *m = host;

    *entry = (ink__entry){
        .kind = (uint16_t)(1 + i * m->tables / m->entries),
        .label = group(names[i]),
        .records = i * i,
        .payload_bytes = m->every > 0 && i % m->every == 1 ? m->large
                         : i % 7 == 3                      ? 0
                                                           : m->bytes + i % 5,
        .fields = {i % 3, 7, i < 5000},
    };
}

static const uint8_t *many_payload(const void *host, uint64_t i, uint8_t *scratch)
{
    const many *m = host;
    ink__entry  entry;

    if (!m->in_scratch)
        return pattern + i % 13;
    many_entry(host, i, &entry);
    memcpy(scratch, pattern + i % 13, entry.payload_bytes);
    memset(scratch + entry.payload_bytes, 0xcc, SCRATCH_MORE);
    return scratch;
}

static void check_many(const many *m)
{
    ink__entry read, made;

    assert_int_equal(image.entries, m->entries);
    assert_int_equal(image.table_count, m->entries < m->tables ? m->entries : m->tables);
    for (uint64_t i = 0; i < m->entries; i++) {
        ink__image_entry(&image, i, &read);
        many_entry(m, i, &made);
        CHECK(read.kind == made.kind && read.records == made.records &&
              ink_label_compare(&read.label, &made.label) == 0 &&
              read.payload_bytes == made.payload_bytes &&
              memcmp(read.fields, made.fields, sizeof read.fields) == 0 &&
              memcmp(ink__image_payload(&image, &read), pattern + i % 13, read.payload_bytes) == 0);
    }
}

/* Entries at the ends of parts, tables and pieces; payloads of both alignments; more pieces than
 * are gathered at a time; payloads too large to be encoded beside each other. */
TEST(many_entries_are_written_alike_by_any_number_of_threads)
{
    const many rows[] = {
        {1, 1, 5, 0, 0, false},           {4096, 1, 20, 0, 0, false},
        {4097, 2, 20, 0, 0, true},        {20000, 1, 20, 3, 4096, true},
        {MANY, 16, 40, 0, 0, false},      {MANY, 3, 64, 1000, 300000, true},
        {9000, 2, 64, 101, 100000, true}, {9000, 5, 33, 4500, LARGEST, false},
        {700, 2, 110000, 0, 0, true},     {70, 1, LARGEST, 0, 0, false},
    };
    uint8_t *alone = malloc(MANY_ROOM), *beside = malloc(MANY_ROOM);

    assert_true(alone != NULL && beside != NULL);
    for (unsigned i = 0; i < MANY; i++)
        snprintf(names[i], sizeof names[i], "%05u", i);
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i % 251);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ink_allocator       allocator = ink__allocator_or_heap(NULL);
        ink__payload_source source = source_of(NULL, rows[r].entries);
        uint64_t            largest = rows[r].large > rows[r].bytes ? rows[r].large : rows[r].bytes;
        collected           first = {.bytes = alone, .room = MANY_ROOM};
        ink__sink           sink = sink_of(&first);
        source.host = &rows[r];
        source.entry = many_entry;
        source.payload = many_payload;
        source.scratch_bytes = rows[r].in_scratch ? largest + 5 + SCRATCH_MORE : 0;
        CHECK_OK(ink__write(&source, &sink, NULL, &allocator, &error));
        CHECK_OK(ink__image_parse(&image, first.bytes, first.count, NULL, &error));
        CHECK_OK(ink__image_check_payloads(&image, NULL, &error));
        check_many(&rows[r]);
        for (unsigned threads = 2; threads <= 64; threads *= 3) {
            const ink__crew lent = ink__crew_of(NULL, threads);
            collected       out = {.bytes = beside, .room = MANY_ROOM};
            sink = sink_of(&out);
            CHECK_OK(ink__write(&source, &sink, &lent, &allocator, &error));
            CHECK(out.count == first.count && out.reported == out.count);
            CHECK(memcmp(beside, alone, out.count) == 0);
        }
    }
    free(alone);
    free(beside);
}

/* ---- The digest --------------------------------------------------------------------------- */

TEST(the_digest_is_that_of_the_bytes_before_the_sections)
{
    const contents            c = mixed();
    const ink__payload_source source = source_of(&c, 4);
    ink_allocator             allocator = ink__allocator_or_heap(NULL);
    uint8_t                   whole[INK_DIGEST_BYTES], written[INK_DIGEST_BYTES];

    write_and_read(&source);
    ink__digest(image.bytes, image.sections_at, whole);
    CHECK_OK(ink__write_digest(&source, &allocator, written, &error));
    assert_memory_equal(whole, written, sizeof whole);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

/* Entries that need every sort of write: gaps that fill a piece, between payloads and behind the
 * last one, and a piece in place. */
static contents piecemeal(void)
{
    return (contents){
        .entries = {{.kind = 1, .payload_bytes = (1 << 20) - 10},
                    {.kind = 2, .payload_bytes = 2 << 20},
                    {.kind = 8, .payload_bytes = (2 << 20) - 5}},
        .fill = {1, 2, 3},
        .ready = payload_room,
    };
}

TEST(a_sink_that_refuses_any_write_ends_the_writing)
{
    const ink_section   section = {.id = 1};
    const contents      c = piecemeal();
    ink__payload_source source = source_of(&c, 3);
    unsigned            refused = 1;

    source.sections = &section;
    source.section_count = 1;
    for (;; refused++) {
        collected  out = {.bytes = room, .room = ROOM, .refuse_write = refused};
        ink_status status;
        write_refusing(&source, &out, 0, &status);
        if (status == INK_OK)
            break;
        assert_int_equal(status, INK_IO);
        assert_int_equal(out.writes, refused); /* none after it */
    }
    assert_int_equal(refused, 1 + 5 + 2 + 1); /* head, pieces, sections, and none left */
}

TEST(a_sink_that_cannot_begin_is_written_nothing)
{
    const contents      c = mixed();
    ink__payload_source source = source_of(&c, 4);
    collected           out = {.bytes = room, .room = ROOM, .refuse_begin = true};
    ink_status          status;

    write_refusing(&source, &out, 0, &status);
    CHECK_FAILS(status, INK_IO, "no beginning");
    assert_int_equal(out.writes, 0);
}

TEST(every_refusal_of_memory_ends_the_writing)
{
    const ink_section   section = {.id = 1};
    const contents      c = mixed();
    ink__payload_source source = source_of(&c, 4);

    source.sections = &section;
    source.section_count = 1;
    for (int digest = 0; digest < 2; digest++) {
        bool refused = true;
        for (uint64_t nth = 1; refused; nth++) {
            collected  out = {.bytes = room, .room = ROOM};
            ink_status status;
            refused = write_refusing(&source, digest ? NULL : &out, nth, &status);
            assert_int_equal(status, refused ? INK_MEMORY : INK_OK);
        }
    }
}

TEST(more_sections_than_a_reader_takes_are_not_written)
{
    ink_section sections[65];

    for (uint32_t i = 0; i < 65; i++)
        sections[i] = (ink_section){.id = i + 1};
    CHECK_FAILS(write_sections_alone(sections, 65), INK_LIMIT, "65 sections, expected at most 64");
    CHECK_OK(write_sections_alone(sections, 64));
}

TEST(critical_sections_are_written_and_read_up_to_the_last_that_is_known)
{
    const ink_section known[] = {{.id = INK_SECTION_INPUT_SPEC, .critical = true},
                                 {.id = INK_SECTION_POSITION, .critical = true},
                                 {.id = INK_SECTION_ORIGIN, .critical = true}};
    enum { BYTES = 64 + 64 + 3 * 24 + 32 }; /* header, directory, sections, and their end */

    CHECK_OK(write_sections_alone(known, 3));
    CHECK_OK(ink__image_parse(&image, room, BYTES, NULL, &error));
    assert_int_equal(image.section_count, 3);
}

TEST(a_critical_section_that_no_reader_knows_is_not_written)
{
    const ink_section unknown = {.id = 4, .critical = true};

    CHECK_FAILS(write_sections_alone(&unknown, 1), INK_USAGE, "section 4 is critical and unknown");
}

RUN_TESTS(.begin = make_room, .end = free_room)
