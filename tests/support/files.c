/* files.c - sample files in memory, their fields and checksums, and a guarded place for them. */
#define _DEFAULT_SOURCE 1
#include "support/files.h"

#include "kernels/lines.h"
#include "support/check.h"

#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const uint8_t files_secret[INK_SECRET_BYTES] = "files.c's secret";

/* ---- Keys --------------------------------------------------------------------------------- */

/* A sketch that is made of all of its keys at once. */
static ink_sketch *finished_draft(const ink_params *params, uint64_t first, uint64_t count,
                                  const ink_allocator *allocator)
{
    ink_draft  *draft;
    ink_sketch *sketch;
    ink_error   error;

    CHECK_OK(ink_draft_create(&draft, params, 0, allocator, &error));
    for (uint64_t i = first; i < first + count; i++) {
        char          text[32];
        const int64_t number = (int64_t)i;
        const ink_key key = {
            text, (size_t)snprintf(text, sizeof text, "key %llu", (unsigned long long)i)};
        ink_batch batch = {.count = 1};
        if (params->key_type == INK_KEY_INT)
            batch.ints = &number;
        else
            batch.keys = &key;
        CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    }
    CHECK_OK(ink_draft_finish(&sketch, draft, 0, &error));
    ink_draft_free(draft);
    return sketch;
}

ink_sketch *files_sketch(const ink_params *params, uint64_t first, uint64_t count,
                         const ink_allocator *allocator)
{
    ink_sketch   *sketch;
    ink_error     error;
    char          key[32];
    ink_kind_info info;

    CHECK_OK(ink_kind_describe(params->kind, &info, &error));
    if (info.made_whole)
        return finished_draft(params, first, count, allocator);
    CHECK_OK(ink_sketch_create(&sketch, params, allocator, &error));
    for (uint64_t i = first; i < first + count; i++) {
        int bytes = snprintf(key, sizeof key, "key %llu", (unsigned long long)i);
        if (params->key_type == INK_KEY_INT)
            CHECK_OK(ink_sketch_add_int(sketch, (int64_t)i, &error));
        else
            CHECK_OK(ink_sketch_add(sketch, key, (size_t)bytes, &error));
    }
    return sketch;
}

/* ---- Samples ------------------------------------------------------------------------------ */

enum { ENTRIES_MAX = 300, SECTIONS_MAX = 4 };

/* A file being put together. */
typedef struct contents {
    ink_entry   entries[ENTRIES_MAX];
    size_t      entry_count;
    ink_section sections[SECTIONS_MAX];
    size_t      section_count;
    char        names[ENTRIES_MAX][16];
} contents;

static void put(contents *c, ink_label label, ink_sketch *sketch)
{
    assert_true(c->entry_count < ENTRIES_MAX);
    c->entries[c->entry_count++] = (ink_entry){.label = label, .sketch = sketch};
}

static void put_section(contents *c, uint32_t id, bool critical, const char *text)
{
    assert_true(c->section_count < SECTIONS_MAX);
    c->sections[c->section_count++] = (ink_section){
        .id = id, .critical = critical, .data = (const uint8_t *)text, .bytes = strlen(text)};
}

static ink_label with_slot(ink_label label, int64_t slot)
{
    label.has_slot = true;
    label.slot = slot;
    return label;
}

static const ink_label none = {0}, null_group = {.group_kind = INK_GROUP_NULL};

static void put_one(contents *c, const ink_params *params, uint64_t keys)
{
    put(c, none, files_sketch(params, 0, keys, NULL));
}

static void make_groups(contents *c)
{
    const ink_params params = {.kind = "hll", .precision = 6};
    const ink_label  labels[] = {
         none,
         with_slot(none, 0),
         null_group,
         with_slot(null_group, -5),
         ink_group(""),
         with_slot(ink_group(""), INT64_MIN),
         ink_group("a"),
         with_slot(ink_group("a"), -1),
         with_slot(ink_group("a"), 1700000000000000),
         ink_group("ab"),
         ink_group("b"),
         with_slot(ink_group("\xff\xfe"), INT64_MAX),
    };
    enum { LABELS = sizeof labels / sizeof labels[0] };

    for (size_t i = LABELS; i-- > 0;) /* the writer puts them in order */
        put(c, labels[i], files_sketch(&params, i, 3 * i, NULL));
}

static void make_two_kinds(contents *c)
{
    const ink_params bloom = {.kind = "bloom", .bits = 512, .expected_keys = 12};
    const ink_params hll = {.kind = "hll", .precision = 5};

    put(c, ink_group("left"), files_sketch(&bloom, 0, 10, NULL));
    put(c, ink_group("right"), files_sketch(&bloom, 5, 12, NULL));
    put(c, ink_group("left"), files_sketch(&hll, 0, 5, NULL));
    put(c, ink_group("right"), files_sketch(&hll, 5, 50, NULL));
    put_section(c, INK_SECTION_INPUT_SPEC, true, "lines of text");
    put_section(c, INK_SECTION_POSITION, false, "12345678");
    put_section(c, 77, false, "of somebody else");
}

static void make_three_kinds(contents *c)
{
    put_one(c, &(ink_params){.kind = "bloom", .bits = 256}, 5);
    put_one(c, &(ink_params){.kind = "classic", .bits = 64, .hashes = 2}, 5);
    put_one(c, &(ink_params){.kind = "hll", .precision = 7}, 5);
    put_section(c, INK_SECTION_ORIGIN, false, "");
}

static void make_only_sections(contents *c)
{
    put_section(c, INK_SECTION_INPUT_SPEC, true, "a recipe");
    put_section(c, 0xfffffffeu, false, "the last id");
}

/* Columns of two and four bytes. */
static void make_many_groups(contents *c)
{
    const ink_params params = {.kind = "hll", .precision = 10};

    for (uint64_t i = 0; i < ENTRIES_MAX; i++) {
        snprintf(c->names[i], sizeof c->names[i], "group %03u", (unsigned)i);
        put(c, with_slot(ink_group(c->names[i]), (int64_t)i * 1000),
            files_sketch(&params, i, 1 + i % 7, NULL));
    }
}

/* Ends of names of two bytes in a file so small that they can lie after it. */
static void make_long_names(contents *c)
{
    static const char names[4][96] = {{"a"}, {"b"}, {"c"}, {"d"}};
    const ink_params  params = {.kind = "hll", .precision = 4};

    for (size_t i = 0; i < 4; i++)
        put(c,
            (ink_label){.group_kind = INK_GROUP_BYTES,
                        .group = (const uint8_t *)names[i],
                        .group_bytes = 90 + i},
            files_sketch(&params, 0, 0, NULL));
}

/* Some counters have stopped at 15. */
static void make_counting(contents *c)
{
    const ink_params params = {.kind = "counting", .bits = 1024 * 3, .expected_keys = 20};
    ink_sketch      *sketch = files_sketch(&params, 0, 10, NULL);
    ink_error        error;

    for (unsigned i = 0; i < 20; i++)
        CHECK_OK(ink_sketch_add(sketch, "key 3", 5, &error));
    put(c, none, sketch);
}

static void make_scalable_joined(contents *c)
{
    const ink_params params = {.kind = "scalable", .expected_keys = 6};
    ink_sketch      *sketch = files_sketch(&params, 0, 9, NULL);
    ink_sketch      *other = files_sketch(&params, 5, 20, NULL);
    ink_error        error;

    CHECK_OK(ink_sketch_merge(sketch, other, &(ink_merge_options){.parts = true}, &error));
    ink_sketch_free(other);
    put(c, none, sketch);
}

/* Keys of many lengths, the empty one among them, and one that is cut. */
static void make_top(contents *c)
{
    ink_sketch *sketch = files_sketch(&(ink_params){.kind = "top", .phi = 0.125}, 0, 9, NULL);
    char        long_key[1100];
    ink_error   error;

    memset(long_key, 'k', sizeof long_key);
    CHECK_OK(ink_sketch_add(sketch, "", 0, &error));
    CHECK_OK(ink_sketch_add(sketch, long_key, 100, &error));
    CHECK_OK(ink_sketch_add(sketch, long_key, sizeof long_key, &error));
    for (unsigned i = 0; i < 7; i++)
        CHECK_OK(ink_sketch_add(sketch, "key 3", 5, &error));
    put(c, none, sketch);
}

/* Purged more than once, so that keys have errors. */
static void make_top_of_ints(contents *c)
{
    ink_sketch *sketch = files_sketch(
        &(ink_params){.kind = "top", .phi = 0.25, .key_type = INK_KEY_INT}, 0, 20, NULL);
    ink_error error;

    for (int64_t i = 0; i < 60; i++)
        CHECK_OK(ink_sketch_add_int(sketch, i % 3 == 0 ? -7 : i % 11, &error));
    put(c, none, sketch);
}

/* What follows the last key could be taken for more of them, up to the end of the file. */
static void make_top_before_a_section(contents *c)
{
    static const uint8_t section[16] = {1};

    make_top_of_ints(c);
    c->sections[c->section_count++] =
        (ink_section){.id = 77, .data = section, .bytes = sizeof section};
}

/* Three slots of each kind that is not a plain filter, a millisecond long, one of them empty. */
static void make_slots(contents *c)
{
    static const ink_params kinds[] = {
        {.kind = "scalable", .expected_keys = 4},
        {.kind = "count-min", .width = 6, .depth = 2},
        {.kind = "top", .phi = 0.5},
        {.kind = "fm", .width = 3, .depth = 3},
    };

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint64_t slot = 0; slot < 3; slot++)
            put(c, with_slot(k % 2 == 0 ? none : ink_group("w"), -1000 + 1000 * (int64_t)slot),
                files_sketch(&kinds[k], 4 * slot, slot == 1 ? 0 : 6, NULL));
}

/* More than one piece, and payloads of both alignments. */
static void make_large(contents *c)
{
    const ink_params bloom = {.kind = "bloom", .bits = 8 * 1100000 / 256 * 256};
    const ink_params small = {.kind = "bloom", .bits = 256 * 3};
    const ink_params hll = {.kind = "hll", .precision = 18};

    put(c, ink_group("a"), files_sketch(&small, 0, 20, NULL));
    put(c, ink_group("b"), files_sketch(&bloom, 0, 5000, NULL));
    put(c, none, files_sketch(&hll, 0, 200000, NULL));
}

/* A file of one sketch with this number of keys. */
#define ONE(file, count, ...)                                                                      \
    {                                                                                              \
        .name = file, .one = {__VA_ARGS__}, .keys = count                                          \
    }

static const struct {
    const char *name;
    void (*make)(contents *c); /* NULL: a file of one sketch, or of nothing */
    ink_params one;
    uint64_t   keys; /* in it */
    bool       large;
} samples[] = {
    ONE("bloom", 100, .kind = "bloom", .expected_keys = 100),
    ONE("bloom of ints", 3, .kind = "bloom", .expected_keys = 3, .bits = 256,
        .key_type = INK_KEY_INT),
    ONE("classic", 50, .kind = "classic", .expected_keys = 50, .false_positive_rate = 0.001),
    ONE("classic of a power of two", 9, .kind = "classic", .bits = 1024, .hashes = 5,
        .expected_keys = 9),
    ONE("classic mmh3", 20, .kind = "classic", .bits = 1001, .hashes = 3, .hash = "mmh3"),
    ONE("classic mmh3-signed", 20, .kind = "classic", .bits = 100, .hashes = 2,
        .hash = "mmh3-signed", .seed = 7),
    ONE("hll empty", 0, .kind = "hll"),
    ONE("hll list 4", 3, .kind = "hll", .precision = 4),
    ONE("hll list 14", 100, .kind = "hll"),
    ONE("hll list 18", 40, .kind = "hll", .precision = 18),
    ONE("hll packed 4", 100, .kind = "hll", .precision = 4),
    ONE("hll packed 8", 1000, .kind = "hll", .precision = 8, .hash = "xxh64"),
    ONE("hll packed 14", 20000, .kind = "hll", .key_type = INK_KEY_INT),
    ONE("theta empty", 0, .kind = "theta"),
    ONE("theta few", 100, .kind = "theta"),
    ONE("theta full", 1000, .kind = "theta", .precision = 4, .key_type = INK_KEY_INT),
    ONE("fuse", 200, .kind = "fuse"),
    ONE("fuse empty", 0, .kind = "fuse"),
    ONE("fuse of ints", 9, .kind = "fuse", .false_positive_rate = 0x1p-32, .key_type = INK_KEY_INT),
    ONE("keyed fuse", 30, .kind = "fuse", .false_positive_rate = 0.1, .secret = files_secret),
    {.name = "groups", .make = make_groups},
    {.name = "two kinds", .make = make_two_kinds},
    {.name = "three kinds", .make = make_three_kinds},
    {.name = "without entries"},
    {.name = "only sections", .make = make_only_sections},
    ONE("keyed", 20, .kind = "bloom", .expected_keys = 20, .secret = files_secret),
    {.name = "counting", .make = make_counting},
    ONE("counting of ints", 5, .kind = "counting", .expected_keys = 5, .key_type = INK_KEY_INT),
    ONE("scalable empty", 0, .kind = "scalable"),
    /* Four levels of blooms, the last one not full. */
    ONE("scalable", 40, .kind = "scalable", .expected_keys = 4, .ratio = 0.25),
    /* A bloom, then classics: their rates are too low for blooms. */
    ONE("scalable of classics", 20, .kind = "scalable", .expected_keys = 3,
        .false_positive_rate = 0.001, .ratio = 0.9, .key_type = INK_KEY_INT),
    {.name = "scalable joined", .make = make_scalable_joined},
    ONE("count-min", 20, .kind = "count-min", .width = 9, .depth = 3),
    ONE("count-min 64", 20, .kind = "count-min", .width = 5, .depth = 2, .counter_bits = 64,
        .conservative = true, .key_type = INK_KEY_INT),
    ONE("top empty", 0, .kind = "top"),
    {.name = "top", .make = make_top},
    {.name = "top of ints", .make = make_top_of_ints},
    {.name = "top before a section", .make = make_top_before_a_section},
    ONE("fm empty", 0, .kind = "fm"),
    ONE("fm", 50, .kind = "fm", .width = 7, .depth = 4),
    {.name = "slots", .make = make_slots},
    ONE("keyed top", 7, .kind = "top", .phi = 0.25, .secret = files_secret),
    {.name = "many groups", .make = make_many_groups},
    {.name = "long names", .make = make_long_names},
    {.name = "large", .make = make_large, .large = true},
};

unsigned files_sample_count(void)
{
    return sizeof samples / sizeof samples[0];
}

void files_sample_make(files_sample *sample, unsigned index)
{
    contents *c = calloc(1, sizeof *c);
    ink_error error;

    assert_non_null(c);
    assert_true(index < files_sample_count());
    *sample = (files_sample){.name = samples[index].name, .large = samples[index].large};
    if (samples[index].make != NULL)
        samples[index].make(c);
    else if (samples[index].one.kind != NULL)
        put_one(c, &samples[index].one, samples[index].keys);
    CHECK_OK(ink_contents_encode(&(ink_contents){.entries = c->entries,
                                                 .entry_count = c->entry_count,
                                                 .sections = c->sections,
                                                 .section_count = c->section_count},
                                 &sample->bytes, &sample->count, &error));
    for (size_t i = 0; i < c->entry_count; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)c->entries[i].sketch);
    free(c);
}

void files_sample_named(files_sample *sample, const char *name)
{
    for (unsigned i = 0; i < files_sample_count(); i++)
        if (strcmp(samples[i].name, name) == 0) {
            files_sample_make(sample, i);
            return;
        }
    fail_msg("there is no sample \"%s\"", name);
}

files_sample files_sample_of(const char *name)
{
    files_sample sample;

    files_sample_named(&sample, name);
    return sample;
}

void files_sample_free(files_sample *sample)
{
    ink_bytes_free(sample->bytes, sample->count, NULL);
    *sample = (files_sample){0};
}

/* ---- Forging ------------------------------------------------------------------------------ */

/* A directory of one table with one entry: every column has one value. Returns its size. */
static uint64_t forge_directory(uint8_t *at, const files_forged *forged)
{
    uint64_t ids[20], values[20], columns = 0, sums = (forged->payload_bytes + 0xfffff) >> 20;

    const uint64_t given[2] = {forged->records, forged->payload_bytes};
    for (unsigned i = 0; i < 2; i++) /* columns 6 and 8, records and payload bytes */
        if (given[i] != 0) {
            ids[columns] = 6 + 2 * i;
            values[columns++] = given[i];
        }
    for (unsigned i = 0; i < FILES_FORGED_FIELDS; i++)
        if (forged->fields[i] != 0) {
            ids[columns] = 16 + i;
            values[columns++] = forged->fields[i];
        }
    files_set(at, 4, 1);
    files_set(at + 8, 2, forged->kind);
    files_set(at + 10, 2, forged->position_rule);
    files_set(at + 12, 2, 1);
    files_set(at + 14, 2, columns);
    files_set(at + 16, 8, 1);
    uint64_t data = 24 + (4 * columns + 7) / 8 * 8;
    for (uint64_t i = 0; i < columns; i++) {
        files_set(at + 24 + 4 * i, 4, ids[i] | 8u << 24);
        files_set(at + data + 8 * i, 8, values[i]);
    }
    return (data + 8 * columns + 8 * sums + 8 + 63) / 64 * 64;
}

void files_forge(files_sample *sample, const char *name, const files_forged *forged)
{
    uint64_t area = (forged->payload_bytes + 31) / 32 * 32;
    uint8_t *bytes = calloc(1, (size_t)area + (size_t)(area >> 17) + 1024);

    assert_non_null(bytes);
    memcpy(bytes, "\x89INK\r\n\x1a\n\1", 9); /* and version 1 */
    files_set(bytes + 12, 2, forged->key_type);
    files_set(bytes + 14, 2, forged->keyed ? 3 : forged->key_type == INK_KEY_INT ? 2 : 1);
    files_set(bytes + 24, 8, forged->keyed ? 77 : 0); /* SipHash, mix64 or XXH3 */
    files_set(bytes + FILES_ENTRIES_AT, 8, 1);
    uint64_t directory = forge_directory(bytes + FILES_HEADER_BYTES, forged);
    files_set(bytes + FILES_DIRECTORY_AT, 8, directory);
    files_set(bytes + FILES_PAYLOAD_AT, 8, area);
    uint8_t *payload = bytes + FILES_HEADER_BYTES + directory, *end = payload + area;
    if (forged->payload_bytes > 0)
        memcpy(payload, forged->payload, forged->payload_bytes);
    *sample = (files_sample){.name = name, .bytes = bytes, .count = (size_t)(end - bytes) + 32};
    files_set(end, 4, 0xffffffff);
    files_set(end + 4, 4, 1);
    files_set(end + 8, 8, 8);
    files_set(end + 16, 8, sample->count);
    files_repair(bytes, sample->count);
}

/* ---- Fields ------------------------------------------------------------------------------- */

uint64_t files_get(const uint8_t *at, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

void files_set(uint8_t *at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

uint64_t files_payload_at(const uint8_t *bytes)
{
    return FILES_HEADER_BYTES + files_get(bytes + FILES_DIRECTORY_AT, 8);
}

uint64_t files_sections_at(const uint8_t *bytes)
{
    return files_payload_at(bytes) + files_get(bytes + FILES_PAYLOAD_AT, 8);
}

/* What is found on a walk through a file. */
typedef struct finding {
    files_field *fields;
    size_t       count, most;

    unsigned    wanted_table, wanted_id; /* for files_column; 0: none */
    files_field wanted;
} finding;

static void found(finding *f, uint64_t at, unsigned width)
{
    if (f->count < f->most)
        f->fields[f->count++] = (files_field){.at = at, .width = width};
}

static bool has(uint64_t at, uint64_t bytes, uint64_t end)
{
    return at <= end && bytes <= end - at;
}

enum { TABLES_MAX = 16, COLUMNS_MAX = 32 };

typedef struct column {
    unsigned id, form, width;
} column;

typedef struct table {
    uint64_t entries;
    unsigned column_count;
    column   columns[COLUMNS_MAX];
} table;

/* The descriptions; returns where they end, or 0 if they make no sense. */
static uint64_t walk_descriptions(const uint8_t *bytes, uint64_t end, table *tables,
                                  unsigned *table_count, finding *f)
{
    uint64_t at = FILES_HEADER_BYTES;

    if (!has(at, 8, end) || files_get(bytes + at, 4) > TABLES_MAX)
        return 0;
    *table_count = (unsigned)files_get(bytes + at, 4);
    found(f, at, 4);
    found(f, at + 4, 4);
    at += 8;
    for (unsigned t = 0; t < *table_count; t++) {
        if (!has(at, 16, end) || files_get(bytes + at + 6, 2) > COLUMNS_MAX)
            return 0;
        for (unsigned i = 0; i < 8; i += 2)
            found(f, at + i, 2);
        found(f, at + 8, 8);
        tables[t].column_count = (unsigned)files_get(bytes + at + 6, 2);
        tables[t].entries = files_get(bytes + at + 8, 8);
        at += 16;
        for (unsigned c = 0; c < tables[t].column_count; c++, at += 4) {
            if (!has(at, 4, end))
                return 0;
            tables[t].columns[c] = (column){.id = (unsigned)files_get(bytes + at, 2),
                                            .form = bytes[at + 2],
                                            .width = bytes[at + 3]};
            found(f, at, 2);
            found(f, at + 2, 1);
            found(f, at + 3, 1);
        }
        at = (at + 7) & ~(uint64_t)7;
    }
    return at;
}

/* Cells that are worth a try: the first and the last few, and one between. */
static bool worth(uint64_t cell, uint64_t cells)
{
    return cell < 3 || cell + 2 >= cells || cell == cells / 2;
}

/* The data of one column; moves *at past it. `names` is the last value of column 2. */
static bool walk_column(const uint8_t *bytes, uint64_t end, const table *t, unsigned number,
                        const column *c, uint64_t *at, uint64_t *names, finding *f)
{
    uint64_t cells = c->form == 0 ? 1 : c->form == 1 ? t->entries : *names;
    unsigned width = c->form == 0 ? 8 : c->form == 1 ? c->width : 1;

    if (width == 0 || width > 8 || cells > end / width || !has(*at, cells * width, end))
        return false;
    if (f->wanted_id == c->id && f->wanted_table == number)
        f->wanted = (files_field){.at = *at, .width = width};
    for (uint64_t i = 0; i < cells && f->most > 0; i++)
        if (worth(i, cells))
            found(f, *at + i * width, width);
    if (c->id == 2 && cells > 0)
        *names = files_get(bytes + *at + (cells - 1) * width, width);
    *at = (*at + cells * width + 7) & ~(uint64_t)7;
    return true;
}

/* The whole directory; returns where the pieces' checksums start, or 0. */
static uint64_t walk_directory(const uint8_t *bytes, uint64_t end, finding *f)
{
    static table tables[TABLES_MAX];
    unsigned     table_count = 0;
    uint64_t     at = walk_descriptions(bytes, end, tables, &table_count, f);

    if (at == 0)
        return 0;
    for (unsigned t = 0; t < table_count; t++) {
        uint64_t names = 0;
        for (unsigned c = 0; c < tables[t].column_count; c++)
            if (!walk_column(bytes, end, &tables[t], t, &tables[t].columns[c], &at, &names, f))
                return 0;
    }
    return at;
}

/* Calls `found` for every section's fields, and puts checksums right if `repaired` is not NULL. */
static void walk_sections(const uint8_t *bytes, uint8_t *repaired, uint64_t at, uint64_t count,
                          finding *f)
{
    while (has(at, 24, count)) {
        uint64_t length = files_get(bytes + at + 8, 8);
        uint64_t padded = (length + 7) & ~(uint64_t)7;
        found(f, at, 4);
        found(f, at + 4, 4);
        found(f, at + 8, 8);
        if (padded < length || !has(at + 16, padded, count) || !has(at + 16 + padded, 8, count))
            return;
        if (length == 8)
            found(f, at + 16, 8);
        if (repaired != NULL)
            files_set(repaired + at + 16 + padded, 8, XXH3_64bits(bytes + at, 16 + (size_t)padded));
        at += 16 + padded + 8;
    }
}

size_t files_fields(const uint8_t *bytes, size_t count, files_field *fields, size_t most)
{
    finding f = {.fields = fields, .most = most};

    for (unsigned at = FILES_VERSION_AT; at < 16; at += 2)
        found(&f, at, 2);
    for (unsigned at = 16; at < 56; at += 8)
        found(&f, at, 8);
    assert_true(walk_directory(bytes, files_payload_at(bytes) - 8, &f) != 0);
    walk_sections(bytes, NULL, files_sections_at(bytes), count, &f);
    assert_true(f.count < most);
    return f.count;
}

files_field files_column(const uint8_t *bytes, size_t count, unsigned number, unsigned id)
{
    finding f = {.wanted_table = number, .wanted_id = id};

    assert_true(files_payload_at(bytes) <= count);
    assert_true(walk_directory(bytes, files_payload_at(bytes) - 8, &f) != 0);
    if (f.wanted.width == 0)
        fail_msg("table %u has no column %u", number, id);
    return f.wanted;
}

uint64_t files_value(const uint8_t *bytes, size_t count, unsigned id)
{
    finding f = {.wanted_id = id};

    assert_true(files_payload_at(bytes) <= count);
    assert_true(walk_directory(bytes, files_payload_at(bytes) - 8, &f) != 0);
    return f.wanted.width == 0 ? 0 : files_get(bytes + f.wanted.at, f.wanted.width);
}

static void repair_pieces(uint8_t *bytes, uint64_t directory_end, uint64_t payload,
                          uint64_t payload_bytes)
{
    enum { PIECE_BYTES = 1 << 20 };
    finding  f = {0};
    uint64_t sums = walk_directory(bytes, directory_end - 8, &f);

    if (sums == 0)
        return;
    for (uint64_t done = 0; done < payload_bytes; done += PIECE_BYTES, sums += 8) {
        uint64_t part = payload_bytes - done < PIECE_BYTES ? payload_bytes - done : PIECE_BYTES;
        if (!has(sums, 8, directory_end - 8))
            return;
        files_set(bytes + sums, 8, XXH3_64bits(bytes + payload + done, (size_t)part));
    }
}

void files_repair(uint8_t *bytes, size_t count)
{
    if (count < FILES_HEADER_BYTES)
        return;
    uint64_t directory = files_get(bytes + FILES_DIRECTORY_AT, 8);
    uint64_t payload = files_get(bytes + FILES_PAYLOAD_AT, 8);
    files_set(bytes + 56, 8, XXH3_64bits(bytes, 56));
    if (directory < 16 || !has(FILES_HEADER_BYTES, directory, count))
        return;
    uint64_t end = FILES_HEADER_BYTES + directory;
    if (has(end, payload, count))
        repair_pieces(bytes, end, end, payload);
    files_set(bytes + end - 8, 8, XXH3_64bits(bytes + FILES_HEADER_BYTES, (size_t)directory - 8));
    if (has(end, payload, count)) {
        finding f = {0};
        walk_sections(bytes, bytes, end + payload, count, &f);
    }
}

/* ---- A guarded place ---------------------------------------------------------------------- */

void files_guard_create(files_guard *guard, size_t room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t data = (room + page - 1) / page * page;

    guard->base_bytes = data + page;
    guard->base =
        mmap(NULL, guard->base_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    guard->room = data;
    assert_true(guard->base != MAP_FAILED);
    assert_int_equal(mprotect(guard->base + data, page, PROT_NONE), 0);
}

void files_guard_free(files_guard *guard)
{
    munmap(guard->base, guard->base_bytes);
}

uint8_t *files_location(files_guard *guard, const uint8_t *bytes, size_t count)
{
    uint8_t *at = guard->base + guard->room - count;

    assert_true(count <= guard->room);
    if (count > 0)
        memcpy(at, bytes, count);
    return at;
}

uint8_t *files_zeros(uint64_t count)
{
    /* Pages that no one writes to are one and the same page of zeros. */
    uint8_t        *bytes = count > SIZE_MAX ? MAP_FAILED
                                             : mmap(NULL, (size_t)count, PROT_READ | PROT_WRITE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct timespec from, to;

    if (bytes == MAP_FAILED)
        return NULL;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_int_equal(ink__lines_after_first(bytes, 32 << 20, '!'), 32 << 20);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    if (seconds * 64 * 2 <= 2)
        return bytes;
    munmap(bytes, (size_t)count);
    return NULL;
}

void files_zeros_free(uint8_t *bytes, uint64_t count)
{
    munmap(bytes, (size_t)count);
}
