/* dedup_fuzz.c - what a run of dedup reads: its own progress, which is refused or goes on as what
 * it was; a file of what was seen, with any filters in it; and records as documents, whose
 * paragraphs are where they are said to be. */
#define _DEFAULT_SOURCE 1
#include "base/json.h"
#include "base/text.h"
#include "jobs/dedup/document.h"
#include "jobs/dedup/progress_file.h"

#include "faults/hostile.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <unistd.h>

enum { HEAD_BYTES = 1, FILE_MAX = 1 << 16, RANGES = 4, HASHES = 300, RUN = 7 };
enum { WITH_OTHER = 4, AS_JSON = 4, WITH_PARAGRAPHS = 8, WITH_ID = 16 };

typedef enum read_as { AS_PROGRESS, AS_SEEN, AS_DOCUMENT, WAYS } read_as;
static const char *const variants[] = {"progress", "seen", "documents", NULL};

static const bool      all_used[INK__SEEN_LEVELS] = {true, true, true};
static ink__ngram_rule ngrams = {.words = 13};
static char            folder[64], progress_path[128], seen_path[128], written_path[128];

/* ---- Files -------------------------------------------------------------------------------- */

static void clear(void)
{
    unlink(progress_path);
    unlink(seen_path);
    unlink(written_path);
    rmdir(folder);
}

static void begin(void)
{
    snprintf(folder, sizeof folder, "%s/inkXXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(progress_path, sizeof progress_path, "%s/" INK__PROGRESS_NAME, folder);
    snprintf(seen_path, sizeof seen_path, "%s/seen.ink", folder);
    snprintf(written_path, sizeof written_path, "%s/written.ink", folder);
    atexit(clear);
}

static void put_file(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static size_t get_file(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    const size_t count = fread(bytes, 1, room, file);
    assert_true(count < room);
    fclose(file);
    return count;
}

/* ---- What was seen ------------------------------------------------------------------------ */

static uint64_t hash_of(unsigned i, uint64_t seed)
{
    if (i < 2)
        return i == 0 ? 0 : UINT64_MAX;
    return (i + seed) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Enters hashes, by range; returns how many were new. */
static unsigned enter(ink__seen *seen, unsigned count, uint64_t seed)
{
    ink__seen_part part = {0};
    unsigned       fresh = 0;

    REQUIRE_OK(ink__seen_part_room(&part, count, &seen->allocator, &error));
    for (; part.count < count; part.count++)
        part.hashes[part.count] = hash_of((unsigned)part.count, seed);
    REQUIRE_OK(ink__seen_sort(seen, &part, NULL, &error));
    for (unsigned range = 0; range < seen->ranges; range++)
        ink__seen_step(seen, &part, range);
    for (unsigned i = 0; i < count; i++)
        fresh += ink__seen_new(&part, i);
    ink__seen_part_end(&part, &seen->allocator);
    return fresh;
}

static ink_sketch *filter_of(uint64_t keys)
{
    const ink_params params = {.kind = "bloom", .expected_keys = keys};
    ink_sketch      *filter;

    assert_int_equal(ink_sketch_create(&filter, &params, &metered, &error), INK_OK);
    return filter;
}

/* What came in is there afterwards, and nothing else is new; a report has numbers. */
static void use_seen(ink__seen *seen, ink_dedup_level level)
{
    ink_dedup_count  count = {.texts = HASHES};
    const ink__wrong wrong = {0};

    allow(FILE_MAX, true);
    count.first = enter(seen, HASHES, 1);
    if (ink__seen_check(seen, &error) == INK_OK && !seen->fixed)
        REQUIRE(enter(seen, HASHES, 1) == 0);
    REQUIRE_OK(ink__seen_report(seen, level, &wrong, 0, &count, &error));
    REQUIRE(count.wrong >= 0 && count.wrong_high <= HASHES);
    (void)ink__seen_check_fill(seen, level, count.first, 0.5, &error);
}

static void end_all(ink__seen seen[INK__SEEN_LEVELS])
{
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        ink__seen_end(&seen[level]);
}

/* ---- Seeds -------------------------------------------------------------------------------- */

/* How each level is kept: in a table of some ranges with some hashes, in a filter, not at all. */
static const struct {
    const char *levels;
    uint64_t    run, shards;
    bool        done;
    unsigned    hashes;
} runs[] = {
    {"---", RUN, 0, false, 0},  {"t--", RUN, 1, false, 9},     {"ttt", RUN, 3, false, 100},
    {"fff", RUN, 2, false, 50}, {"tf-", RUN, 1, false, 0},     {"t--", RUN, 1, false, 3},
    {"---", RUN, 9, true, 0},   {"t--", RUN + 1, 1, false, 2},
};
enum { RUNS = sizeof runs / sizeof runs[0] };

static size_t seed_progress(unsigned index, uint8_t *to, size_t room)
{
    ink__seen     seen[INK__SEEN_LEVELS] = {{.ranges = 0}};
    ink__progress progress = {
        .run = runs[index].run, .shards = runs[index].shards, .done = runs[index].done};

    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        if (runs[index].levels[level] == 't')
            ink__seen_open_table(&seen[level], level == 2 ? 1 : RANGES, 1 << 20, false, &metered);
        else if (runs[index].levels[level] == 'f')
            assert_int_equal(ink__seen_open_filter(&seen[level], RANGES, filter_of(100), false,
                                                   &metered, &error),
                             INK_OK);
        if (seen[level].ranges > 0 && runs[index].hashes > 0)
            enter(&seen[level], runs[index].hashes, 0);
    }
    assert_int_equal(ink__progress_save(&progress, seen, folder, &metered, &error), INK_OK);
    end_all(seen);
    return get_file(progress_path, to, room);
}

/* Levels, what is none, and a filter of another kind. */
static size_t seed_seen(unsigned index, uint8_t *to, size_t room)
{
    const ink_params   hll = {.kind = "hll", .precision = 4};
    ink_sketch        *sketches[3] = {filter_of(10), filter_of(1000), NULL};
    static const char *names[][3] = {{"exact", "paragraphs", "z"},
                                     {"exact", "ngrams-13", "other"},
                                     {"a", "exact", "paragraphs"}};
    ink_entry          entries[3];
    uint8_t           *bytes;
    size_t             count;

    assert_int_equal(ink_sketch_create(&sketches[2], &hll, &metered, &error), INK_OK);
    for (int i = 0; i < 3; i++)
        entries[i] = (ink_entry){ink_group(names[index][i]), sketches[i]};
    const ink_contents contents = {.entries = entries, .entry_count = 3};
    assert_int_equal(ink_contents_encode(&contents, &bytes, &count, &error), INK_OK);
    assert_true(count <= room);
    memcpy(to, bytes, count);
    ink_bytes_free(bytes, count, NULL);
    for (int i = 0; i < 3; i++)
        ink_sketch_free(sketches[i]);
    return count;
}

static const char *const records[] = {
    "{\"text\":\"one\\ntwo\\n\\nthree\",\"id\":7}",
    "{\"id\":\"a\",\"text\":\"\\u00e4\\ud83d\\ude00\\\\n\\\"\\n\"}",
    "{\"text\":\"plain, no escape\"}",
    "{\"n\":{\"text\":1},\"text\":\"\"}",
    "a line\rof text\nand another\n",
    "\n\n\xc3\xa4\n",
};
enum { RECORDS = sizeof records / sizeof records[0] };

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    static const unsigned counts[WAYS] = {RUNS, 3, RECORDS};
    unsigned              way = 0;

    allow(FILE_MAX, true);
    if (fuzz_variant >= 0)
        way = (unsigned)fuzz_variant;
    else
        for (; way < WAYS && index >= counts[way]; way++)
            index -= counts[way];
    if (way == WAYS || index >= counts[way])
        return SIZE_MAX;
    to[0] = (uint8_t)way;
    if (way == AS_PROGRESS)
        return HEAD_BYTES + seed_progress(index, to + HEAD_BYTES, room - HEAD_BYTES);
    if (way == AS_SEEN)
        return HEAD_BYTES + seed_seen(index, to + HEAD_BYTES, room - HEAD_BYTES);
    to[0] = (uint8_t)(AS_DOCUMENT | WITH_PARAGRAPHS | (index < 4 ? AS_JSON | WITH_ID : 0));
    return fuzz_put(to, room, to, records[index], strlen(records[index]));
}

/* ---- Changes ------------------------------------------------------------------------------ */

/* A number of a section: mostly one of the first ones, or where the next table's begin. */
static void change_section(uint8_t *bytes, size_t count)
{
    uint64_t    limits[LIMITS_MAX];
    ink_section section = {0};
    ink_file   *file;
    size_t      sections = 0;

    if (ink_file_decode(&file, bytes, count, INK_OPEN_LAZY, NULL, &error) != INK_OK)
        return;
    while (ink_file_section(file, sections, &section, NULL) == INK_OK)
        sections++;
    if (sections > 0)
        ink_file_section(file, fuzz_draw(sections), &section, NULL);
    if (section.bytes >= 8) {
        const size_t words = section.bytes / 8, first = words < 8 ? words : 8;
        const size_t each = 8 * fuzz_draw(fuzz_draw(2) == 0 ? first : words);
        uint8_t     *at = (uint8_t *)(uintptr_t)section.data + each;
        random_state = fuzz_draw(0);
        const uint64_t old = files_get(at, 8);
        const size_t   limit_count = limits_around(old, 8, limits);
        files_set(at, 8, fuzz_draw(2) == 0 ? limits[fuzz_draw(limit_count)] : random_value(old));
        if (fuzz_draw(8) == 0) /* a table that is full */
            memset((uint8_t *)(uintptr_t)section.data, 1, section.bytes);
    }
    ink_file_close(file);
}

static void change_field(uint8_t *bytes, size_t count)
{
    static files_field fields[4096];
    uint64_t           limits[LIMITS_MAX];
    ink_file          *file;

    if (ink_file_decode(&file, bytes, count, INK_OPEN_LAZY, NULL, &error) != INK_OK)
        return;
    ink_file_close(file);
    const size_t      found = files_fields(bytes, count, fields, 4096);
    const files_field field = fields[fuzz_draw(found)];
    const size_t      limit_count =
        limits_around(files_get(bytes + field.at, field.width), field.width, limits);
    files_set(bytes + field.at, field.width, limits[fuzz_draw(limit_count)]);
}

static size_t change_input(uint8_t *bytes, size_t count, size_t room)
{
    static const char words[] =
        "\\n|\\\\|\\u000a|\\ud83d\\ude00|\\ud83d|\\\"|\"text\":|\"|\n|\r|{|}|\xc3|"
        "\xef\xbb\xbf|null|[\"text\"]| ";
    uint8_t *file = bytes + HEAD_BYTES;

    if (fuzz_draw(16) == 0)
        bytes[0] = (uint8_t)((bytes[0] & 3) | fuzz_draw(8) << 2);
    if (bytes[0] % 4 == AS_DOCUMENT)
        return HEAD_BYTES +
               (fuzz_draw(4) == 0
                    ? fuzz_scramble(file, count - HEAD_BYTES, room - HEAD_BYTES)
                    : fuzz_insert_word(file, count - HEAD_BYTES, room - HEAD_BYTES, words));
    if (fuzz_draw(4) == 0)
        change_field(file, count - HEAD_BYTES);
    else
        change_section(file, count - HEAD_BYTES);
    files_repair(file, count - HEAD_BYTES);
    return count;
}

static void mend(uint8_t *bytes, size_t count)
{
    if (count > HEAD_BYTES && bytes[0] % 4 != AS_DOCUMENT)
        files_repair(bytes + HEAD_BYTES, count - HEAD_BYTES);
}

/* ---- Attempts ----------------------------------------------------------------------------- */

static ink_status read_progress(ink__progress *progress, ink__seen *seen, bool other, bool *found)
{
    *progress = (ink__progress){.run = RUN};
    return ink__progress_read(progress, seen, all_used, RANGES, folder, other, found, &metered,
                              &error);
}

/* Refused with the file's name, or used; and what it then is, is saved and read as that. */
static void try_progress(const uint8_t *bytes, size_t count, bool other)
{
    ink__seen seen[INK__SEEN_LEVELS] = {{.ranges = 0}}, again[INK__SEEN_LEVELS] = {{.ranges = 0}};
    ink__progress progress, second;
    bool          found;

    put_file(progress_path, bytes, count);
    allow(2 * count, true); /* filters are planned for as many as they say */
    ink_status status = read_progress(&progress, seen, other, &found);
    REQUIRE(status == INK_OK || strstr(error.message, INK__PROGRESS_NAME) != NULL);
    for (int level = 0; status == INK_OK && level < INK__SEEN_LEVELS; level++)
        if (ink__seen_is_open(&seen[level]))
            use_seen(&seen[level], (ink_dedup_level)level);
    if (status == INK_OK && found) {
        REQUIRE_OK(ink__progress_save(&progress, seen, folder, &metered, &error));
        REQUIRE_OK(read_progress(&second, again, false, &found));
        REQUIRE(found && second.shards == progress.shards && second.done == progress.done);
        for (int level = 0; level < INK__SEEN_LEVELS; level++)
            if (ink__seen_is_open(&again[level]) && seen[level].refused == INK_OK)
                REQUIRE(enter(&again[level], HASHES, 1) == 0);
    }
    end_all(seen);
    end_all(again);
}

static void try_seen(const uint8_t *bytes, size_t count)
{
    ink__seen         seen[INK__SEEN_LEVELS] = {{.ranges = 0}};
    const ink_sketch *filters[INK__SEEN_LEVELS] = {NULL};
    ink__seen_file    file;
    ink_sketch       *filter;
    char              name[INK__SEEN_NAME_BYTES];
    bool              exists = false;

    put_file(seen_path, bytes, count);
    allow(2 * count, true);
    ink_status status = ink__seen_file_open(&file, seen_path, &exists, &metered, &error);
    REQUIRE(exists && (status == INK_OK || error.message[0] != '\0'));
    for (int level = 0; status == INK_OK && level < INK__SEEN_LEVELS; level++) {
        ink__seen_name((ink_dedup_level)level, &ngrams, name);
        if (ink__seen_file_take(&file, name, &filter, &error) != INK_OK)
            continue;
        if (ink__seen_open_filter(&seen[level], RANGES, filter, level == 1, &metered, &error) !=
            INK_OK)
            continue;
        use_seen(&seen[level], (ink_dedup_level)level);
        filters[level] = seen[level].filter;
    }
    if (status == INK_OK &&
        file.count > 0) /* keys of several rules are refused, or all are there */
        (void)ink__seen_file_save(&file, written_path, filters, &ngrams, &error);
    ink__seen_file_end(&file);
    end_all(seen);
}

/* The bytes of a paragraph in the record are those in the text. */
static void check_paragraph(const ink__document *document, const ink__paragraph *one,
                            const uint8_t *record, uint64_t bytes, bool escaped)
{
    static uint8_t        text[FILE_MAX];
    const ink__json_value value = {.kind = INK__JSON_STRING, .start = one->start, .end = one->end};

    REQUIRE(one->start <= one->end && one->end <= bytes);
    REQUIRE(one->text_start <= one->text_end && one->text_end <= document->bytes);
    uint64_t found = one->end - one->start;
    if (escaped)
        found = ink__json_unescape(record, &value, text);
    else
        memcpy(text, record + one->start, (size_t)found);
    REQUIRE(found == one->text_end - one->text_start);
    REQUIRE(memcmp(text, document->text + one->text_start, (size_t)found) == 0);
    REQUIRE(memchr(text, '\n', (size_t)found) == NULL);
}

static void try_document(const uint8_t *record, size_t count, uint8_t head)
{
    ink__document      document = {.allocator = metered};
    ink__document_rule rule = {.json = (head & AS_JSON) != 0,
                               .paragraphs = (head & WITH_PARAGRAPHS) != 0,
                               .has_id = (head & WITH_ID) != 0,
                               .name = "text"};

    REQUIRE_OK(ink__json_path_create(&rule.text, "text", &error));
    REQUIRE_OK(ink__json_path_create(&rule.id, "id", &error));
    allow(64 * count, false);
    if (ink__document_read(&document, &rule, record, count, &error) == INK_OK) {
        REQUIRE(ink__utf8_bytes(document.text, document.bytes) == document.bytes);
        const bool escaped = document.text == document.unescaped && document.bytes > 0;
        REQUIRE(!rule.paragraphs || document.paragraph_count > 0);
        for (uint64_t i = 0; i < document.paragraph_count; i++) {
            const ink__paragraph *one = &document.paragraphs[i];
            check_paragraph(&document, one, record, count, escaped);
            REQUIRE(i == 0 || one->text_start == one[-1].text_end + 1);
            (void)ink__paragraph_counts(&document, one);
        }
    } else
        REQUIRE(error.status == INK_FORMAT && error.message[0] != '\0');
    ink__document_end(&document);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    const read_as way = bytes[0] % 4 % WAYS;

    snprintf(tried, sizeof tried, "a %s of %zu bytes", variants[way], count - HEAD_BYTES);
    meter.live_bytes = 0;
    forget_error();
    if (way == AS_PROGRESS)
        try_progress(bytes + HEAD_BYTES, count - HEAD_BYTES, (bytes[0] & WITH_OTHER) != 0);
    else if (way == AS_SEEN)
        try_seen(bytes + HEAD_BYTES, count - HEAD_BYTES);
    else
        try_document(bytes + HEAD_BYTES, count - HEAD_BYTES, bytes[0]);
    REQUIRE(meter.live_bytes == 0);
}

const fuzz_target fuzz_here = {
    .name = "dedup",
    .most_bytes = FILE_MAX + HEAD_BYTES,
    .head_bytes = HEAD_BYTES,
    .rounds = 10000,
    .weight = 3,
    .variants = variants,
    .begin = begin,
    .seed = seed,
    .change = change_input,
    .mend = mend,
    .attempt = attempt,
};
