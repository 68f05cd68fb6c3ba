/* progress_file.c - how far a run has come: a file of sketches, whose sections have the tables and
 * the counts. */
#include "jobs/dedup/progress_file.h"

#include "base/bits.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "jobs/runtime/kind_choice.h"

#include <stddef.h>
#include <string.h>

/* Sections: what was done, what tables are like, and the words of each range of each table. */
enum {
    SECTION_DONE = 0x100,
    SECTION_TABLES = 0x101,
    SECTION_WORDS = 0x200,
    SECTIONS_MAX = 2 + INK__PROGRESS_RANGES,
};
/* Of a table: its bytes are a number. */
#define SLOTS_MAX (UINT64_C(1) << 56)

typedef struct table_state {
    uint64_t table, ranges, limit; /* its hashes have no values: those are of one run */
    uint64_t before;               /* of a filter */
    uint64_t used[INK__FILTER_RANGES_MAX], slots[INK__FILTER_RANGES_MAX];
    uint64_t salts[INK__FILTER_RANGES_MAX];
} table_state;

/* Group names of filters, by level. */
static const char *const groups[INK__SEEN_LEVELS] = {"0", "1", "2"};

static ink_status path_of(const char *folder, char path[INK__PATH_BYTES], ink_error *error)
{
    if (strlen(folder) + sizeof INK__PROGRESS_NAME + 1 > INK__PATH_BYTES)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "the name of the folder is too long");
    ink__format(path, INK__PATH_BYTES, "%s/%s", folder, INK__PROGRESS_NAME);
    return INK_OK;
}

ink_status ink__progress_run(const ink__shards *shards, const void *words, size_t bytes,
                             uint64_t *run, ink_error *error)
{
    struct {
        uint64_t before, path, size, modified;
    } one = {.before = ink__hash_label(words, bytes)};

    (void)error;
    for (uint64_t i = 0; i < shards->count; i++) {
        const ink__shard *shard = &shards->all[i];
        one.path = ink__hash_label(shard->path, strlen(shard->path));
        one.size = shard->size;
        one.modified = shard->modified;
        one.before = ink__hash_label(&one, sizeof one);
    }
    *run = one.before;
    return INK_OK;
}

/* ---- Saving ------------------------------------------------------------------------------- */

typedef struct saving {
    ink_section sections[SECTIONS_MAX];
    ink_entry   entries[1 + INK__SEEN_LEVELS];
    table_state tables[INK__SEEN_LEVELS];
    size_t      section_count, entry_count;
} saving;

static void add_section(saving *to, uint32_t id, const void *data, uint64_t bytes)
{
    to->sections[to->section_count++] =
        (ink_section){.id = id, .data = data, .bytes = (size_t)bytes};
}

static void add_level(saving *to, const ink__seen *seen, int level)
{
    table_state *state = &to->tables[level];

    state->table = seen->table;
    state->ranges = seen->ranges;
    state->limit = seen->limit;
    state->before = seen->before;
    if (seen->filter != NULL)
        to->entries[to->entry_count++] = (ink_entry){ink_group(groups[level]), seen->filter};
    for (unsigned i = 0; seen->table && i < seen->ranges; i++) {
        const ink__hash_set *set = &seen->sets[i];
        state->used[i] = seen->used[i];
        state->slots[i] = set->slots;
        state->salts[i] = set->salt;
        if (set->slots > 0)
            add_section(to, SECTION_WORDS + (uint32_t)level * INK__FILTER_RANGES_MAX + i,
                        set->words, ink__hash_set_bytes(set->slots, 0));
    }
}

ink_status ink__progress_save(const ink__progress *progress, const ink__seen seen[INK__SEEN_LEVELS],
                              const char *folder, const ink_allocator *allocator, ink_error *error)
{
    /* A file has a sketch at least. */
    const ink_params params = {.kind = ink__kind_best(INK_ASK_MEMBER, INK__KIND_SIZED),
                               .expected_keys = 1};
    char             path[INK__PATH_BYTES];
    saving          *all;
    ink_sketch      *nothing;

    INK__TRY(path_of(folder, path, error));
    ink_status status = ink__shards_make_folders(path, error);
    if (status != INK_OK) {
        ink__fail_within(error, "%s: ", folder);
        return status;
    }
    INK__TRY(ink__allocate_zeroed(allocator, sizeof *all, &all, error));
    status = ink_sketch_create(&nothing, &params, allocator, error);
    if (status != INK_OK) {
        ink__release(allocator, all, sizeof *all);
        return status;
    }
    all->entries[all->entry_count++] = (ink_entry){ink_group("nothing"), nothing};
    add_section(all, SECTION_DONE, progress, sizeof *progress);
    add_section(all, SECTION_TABLES, all->tables, sizeof all->tables);
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        add_level(all, &seen[level], level);
    const ink_contents contents = {
        .entries = all->entries,
        .entry_count = all->entry_count,
        .sections = all->sections,
        .section_count = all->section_count,
        .allocator = allocator,
    };
    status = ink_contents_save(path, &contents, error);
    ink_sketch_free(nothing);
    ink__release(allocator, all, sizeof *all);
    if (status != INK_OK)
        ink__fail_within(error, "%s: ", path);
    return status;
}

void ink__progress_remove(const char *folder)
{
    char path[INK__PATH_BYTES];

    if (path_of(folder, path, NULL) == INK_OK)
        ink__system_now()->unlink(path);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* The section of this id, of this many bytes. */
static ink_status find_section(const ink_file *file, uint32_t id, uint64_t bytes,
                               const uint8_t **data, ink_error *error)
{
    ink_section section = {0};

    for (size_t i = 0; ink_file_section(file, i, &section, NULL) == INK_OK; i++)
        if (section.id == id && section.bytes == bytes) {
            *data = section.data;
            return INK_OK;
        }
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "no progress of this version in the file");
}

/* A table that can be searched, and grows before it is full: one of its slots is free. */
static bool can_be_searched(const ink__hash_set *set, uint64_t used)
{
    uint64_t filled = 0;

    for (uint64_t slot = 0; slot <= set->slots; slot++)
        filled += ink__hash_set_has(set, slot);
    return filled == used && used <= ink__hash_set_room(set->slots);
}

static ink_status read_table(ink__seen *seen, const ink_file *file, const table_state *state,
                             int level, const ink_allocator *allocator, ink_error *error)
{
    const uint8_t *data = NULL;

    ink__seen_open_table(seen, (unsigned)state->ranges, 0, false, allocator);
    seen->limit = state->limit;
    for (unsigned i = 0; i < seen->ranges; i++) {
        ink__hash_set *set = &seen->sets[i];
        if (state->slots[i] == 0)
            continue;
        if (!ink__is_power_of_two(state->slots[i]) || state->slots[i] < INK__HASH_SET_SLOTS_MIN ||
            state->slots[i] > SLOTS_MAX)
            return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "a table of %llu slots",
                             (unsigned long long)state->slots[i]);
        const uint64_t bytes = ink__hash_set_bytes(state->slots[i], 0);
        INK__TRY(find_section(file, SECTION_WORDS + (uint32_t)level * INK__FILTER_RANGES_MAX + i,
                              bytes, &data, error));
        INK__TRY(ink__allocate(allocator, bytes, &set->words, error));
        memcpy(set->words, data, (size_t)bytes);
        set->slots = state->slots[i];
        set->salt = state->salts[i];
        seen->used[i] = state->used[i];
        if (!can_be_searched(set, seen->used[i]))
            return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                             "a table of %llu hashes that holds others",
                             (unsigned long long)seen->used[i]);
    }
    return INK_OK;
}

static ink_status read_filter(ink__seen *seen, const ink_file *file, const table_state *state,
                              int level, unsigned ranges, const ink_allocator *allocator,
                              ink_error *error)
{
    const ink_label label = ink_group(groups[level]);
    ink_sketch     *filter;
    size_t          index;

    if (ink_file_find(file, NULL, &label, &index, error) != INK_OK)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "no filter of level %d", level);
    INK__TRY(ink_file_sketch(file, index, &filter, error));
    INK__TRY(ink__seen_open_filter(seen, ranges, filter, false, allocator, error));
    seen->before = state->before;
    return INK_OK;
}

static ink_status read_levels(ink__seen seen[INK__SEEN_LEVELS], const bool used[INK__SEEN_LEVELS],
                              unsigned ranges, const ink_file *file, const ink_allocator *allocator,
                              ink_error *error)
{
    const uint8_t *data = NULL;
    uint64_t       ranges_left = INK__PROGRESS_RANGES;
    table_state    state;

    INK__TRY(find_section(file, SECTION_TABLES, INK__SEEN_LEVELS * sizeof state, &data, error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        memcpy(&state, data + (size_t)level * sizeof state, sizeof state);
        if (!used[level] || state.ranges == 0)
            continue; /* without ranges it is made again, in passes */
        if (state.table != 0 && (state.ranges > ranges_left || !ink__is_power_of_two(state.ranges)))
            return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "a table without its ranges");
        ranges_left -= state.table != 0 ? state.ranges : 0;
        INK__TRY(state.table != 0
                     ? read_table(&seen[level], file, &state, level, allocator, error)
                     : read_filter(&seen[level], file, &state, level, ranges, allocator, error));
    }
    return INK_OK;
}

/* Whether the bytes are values of their types: a bool is 0 or 1, a text ends, a chance is one. */
static bool is_progress(const ink__progress *progress)
{
    const uint8_t *bytes = (const uint8_t *)progress;
    const size_t   report = offsetof(ink__progress, report);
    bool           is = bytes[offsetof(ink__progress, done)] <= 1 &&
              bytes[report + offsetof(ink_dedup_report, done_before)] <= 1 &&
              progress->report.failed_path[0] == '\0' && progress->wrong_ngrams.mean >= 0 &&
              progress->wrong_ngrams.variance >= 0 && progress->wrong_ngrams.odds >= 0;

    for (size_t level = 0; level < INK_DEDUP_LEVELS; level++) {
        const uint8_t *count = (const uint8_t *)&progress->report.levels[level];
        is = is && count[offsetof(ink_dedup_count, used)] <= 1 &&
             count[offsetof(ink_dedup_count, table)] <= 1;
    }
    return is;
}

static ink_status read_file(ink__progress *progress, ink__seen seen[INK__SEEN_LEVELS],
                            const bool used[INK__SEEN_LEVELS], unsigned ranges,
                            const ink_file *file, bool other, bool *found,
                            const ink_allocator *allocator, ink_error *error)
{
    const uint64_t run = progress->run;
    const uint8_t *data = NULL;

    ink_status status = find_section(file, SECTION_DONE, sizeof *progress, &data, error);
    if (status == INK_OK)
        memcpy(progress, data, sizeof *progress);
    if (status == INK_OK && !is_progress(progress))
        status = INK_FORMAT;
    if (status == INK_OK && progress->run == run) {
        *found = true;
        return progress->shards == 0 || progress->done
                   ? INK_OK /* nothing was seen yet */
                   : read_levels(seen, used, ranges, file, allocator, error);
    }
    const bool done = status == INK_OK && progress->done;
    *progress = (ink__progress){.run = run};
    if (other || done)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "a run of other inputs or options was not finished here; {overwrite} starts "
                     "over");
}

ink_status ink__progress_read(ink__progress *progress, ink__seen seen[INK__SEEN_LEVELS],
                              const bool used[INK__SEEN_LEVELS], unsigned ranges,
                              const char *folder, bool other, bool *found,
                              const ink_allocator *allocator, ink_error *error)
{
    char      path[INK__PATH_BYTES];
    ink__stat stat;
    ink_file *file;
    bool      there;

    *found = false;
    INK__TRY(path_of(folder, path, error));
    ink_status status = ink__path_stat(path, &stat, &there, error);
    if (status == INK_OK && !there)
        return INK_OK;
    if (status == INK_OK)
        status = ink_file_open(&file, path, INK_OPEN_COPY, allocator, error);
    if (status == INK_OK) {
        status = read_file(progress, seen, used, ranges, file, other, found, allocator, error);
        ink_file_close(file);
    }
    if (status != INK_OK)
        ink__fail_within(error, "%s: ", path);
    return status;
}
