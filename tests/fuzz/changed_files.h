/* changed_files.h - files of sketches for fuzz targets: samples to begin with, of a kind or of
 * another variant, and changes that know the form: fields are set to limits, payloads are written
 * anew with elements repeated, and the checksums are put right. A target says how large a file may
 * be (FILE_BYTES_MAX) and how large one to begin with (SEED_BYTES) before it includes this. */
#ifndef INK_TESTS_FUZZ_CHANGED_FILES_H
#define INK_TESTS_FUZZ_CHANGED_FILES_H

#include "faults/hostile.h"
#include "fuzz/fuzz.h"

enum { SEEDS_MAX = 64, FIELDS_MAX = 4096 };

/* ---- Where it begins ---------------------------------------------------------------------- */

static files_sample seeds[SEEDS_MAX];
static unsigned     seed_count;

/* What files are fuzzed for one by one. */
#define CHANGED_FILES_VARIANTS                                                                     \
    {                                                                                              \
        "bloom", "classic", "counting", "scalable", "count-min", "top", "fm", "hll", "theta",      \
            "fuse", "entries", "labels", NULL                                                      \
    }

static inline bool is_of(const files_sample *sample, const char *variant)
{
    ink_file      *file;
    ink_entry_info info = {0};

    REQUIRE_OK(ink_file_decode(&file, sample->bytes, sample->count, INK_OPEN_LAZY, NULL, &error));
    size_t count = ink_file_count(file);
    bool   any = count > 0 && ink_file_entry(file, 0, &info, &error) == INK_OK;
    bool   labelled = info.label.has_slot || info.label.group_kind != INK_GROUP_NONE;
    bool   is = strcmp(variant, "entries") == 0  ? count != 1
                : strcmp(variant, "labels") == 0 ? labelled
                                                 : any && strcmp(info.kind, variant) == 0;
    ink_file_close(file);
    return is;
}

/* Samples of up to SEED_BYTES: what is large is slow, and reaches nothing more. */
static inline void begin(void)
{
    const char *variant = fuzz_variant < 0 ? NULL : fuzz_here.variants[fuzz_variant];

    files_guard_create(&guard, FILE_BYTES_MAX);
    for (unsigned i = 0; i < files_sample_count(); i++) {
        REQUIRE(seed_count < SEEDS_MAX);
        files_sample_make(&seeds[seed_count], i);
        if (seeds[seed_count].count <= SEED_BYTES &&
            (variant == NULL || is_of(&seeds[seed_count], variant)))
            seed_count++;
        else
            files_sample_free(&seeds[seed_count]);
    }
    REQUIRE(seed_count > 0);
}

static inline size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= seed_count)
        return SIZE_MAX;
    return fuzz_put(to, room, NULL, seeds[index].bytes, seeds[index].count);
}

/* ---- Changes ------------------------------------------------------------------------------ */

static inline bool is_whole(const uint8_t *bytes, size_t count)
{
    ink_file *file;

    if (ink_file_decode(&file, bytes, count, INK_OPEN_LAZY, NULL, &error) != INK_OK)
        return false;
    ink_file_close(file);
    return true;
}

/* One number of the file at a value where something may break, or some that stand side by side,
 * such as the ends of names: each as the one before, or one more. */
static inline void set_field(uint8_t *bytes, size_t count)
{
    static files_field fields[FIELDS_MAX];
    uint64_t           limits[LIMITS_MAX];
    size_t             found = files_fields(bytes, count, fields, FIELDS_MAX);
    size_t             first = fuzz_draw(found);
    uint64_t           old = files_get(bytes + fields[first].at, fields[first].width);

    random_state = fuzz_draw(0);
    size_t   limit_count = limits_around(old, fields[first].width, limits);
    uint64_t value = fuzz_draw(2) == 0 ? limits[fuzz_draw(limit_count)] : random_value(old);
    uint64_t times = fuzz_draw(2) == 0 ? 1 : 1 + fuzz_draw(4), step = fuzz_draw(2);
    for (size_t i = first; i < found && i < first + times; i++, value += step)
        files_set(bytes + fields[i].at, fields[i].width, value);
}

/* Writes such a file, if there is room. */
static inline size_t put_forged(const files_forged *forged, uint8_t *bytes, size_t count,
                                size_t room)
{
    files_sample made;

    files_forge(&made, "forged", forged);
    if (made.count <= room) {
        memcpy(bytes, made.bytes, made.count);
        count = made.count;
    }
    free(made.bytes);
    return count;
}

/* The file of the first entry alone, with another payload. */
static inline size_t forge(uint8_t *bytes, size_t count, size_t room)
{
    static uint8_t payload[FILE_BYTES_MAX];
    const uint8_t *table = bytes + FILES_HEADER_BYTES + 8;
    uint64_t       area = files_sections_at(bytes) - files_payload_at(bytes);
    files_forged   forged = {
          .kind = (unsigned)files_get(table, 2),
          .position_rule = (unsigned)files_get(table + 2, 2),
          .key_type = bytes[12],
          .keyed = bytes[14] == 3,
          .records = files_value(bytes, count, 6),
          .payload = payload,
          .payload_bytes = (size_t)files_value(bytes, count, 8),
    };

    if (forged.payload_bytes > area)
        return count;
    memcpy(payload, bytes + files_payload_at(bytes), forged.payload_bytes);
    for (uint64_t times = fuzz_draw(4); times > 0; times--)
        forged.payload_bytes = fuzz_scramble(payload, forged.payload_bytes, room - 1024);
    for (unsigned i = 0; i < FILES_FORGED_FIELDS; i++)
        forged.fields[i] = files_value(bytes, count, 16 + i);
    random_state = fuzz_draw(0);
    if (fuzz_draw(4) == 0) {
        uint64_t *field = &forged.fields[fuzz_draw(FILES_FORGED_FIELDS)];
        *field = random_value(*field);
    }
    return put_forged(&forged, bytes, count, room);
}

/* A scalable of levels that are all as small as can be, and mostly right; they may be more than a
 * file says, or so many that their bytes are no number. */
static inline size_t forge_chain(uint8_t *bytes, size_t count, size_t room)
{
    enum { LEVEL_BYTES = 64, CELL_BYTES = 32, MOST_LEVELS = 1024, FIELD_LEVELS = 5 };
    static uint8_t payload[FILE_BYTES_MAX];
    const uint64_t record[] = {1, 1, 1, bits_of(0.001), bits_of(0.001), 8 * CELL_BYTES, 8};
    uint64_t       levels = fuzz_draw(8) == 0 ? MOST_LEVELS + fuzz_draw(3) : fuzz_draw(6);
    uint64_t       reported = levels + (fuzz_draw(4) == 0 ? (uint64_t)1 << 58 : 0);
    files_forged   forged = {
          .kind = (unsigned)files_get(bytes + FILES_HEADER_BYTES + 8, 2),
          .position_rule = (unsigned)files_get(bytes + FILES_HEADER_BYTES + 10, 2),
          .records = levels,
          .fields = {1, bits_of(0.01), bits_of(0.01), bits_of(0.5), 1},
          .payload = payload,
    };

    if (reported != levels && fuzz_draw(2) == 0) /* such that nothing is left of it */
        reported = (uint64_t)1 << 58;
    if (levels * (LEVEL_BYTES + 64) + 1024 > room)
        return count;
    memset(payload, 0, (size_t)(levels * (LEVEL_BYTES + 64)));
    uint64_t end = reported * LEVEL_BYTES;
    for (uint64_t i = 0; i < levels; i++) {
        uint64_t at = (end + 63) & ~(uint64_t)63;
        for (unsigned f = 0; f < 7; f++)
            files_set(payload + i * LEVEL_BYTES + 8 * f, 8, record[f]);
        files_set(payload + i * LEVEL_BYTES + 56, 8, at);
        end = at + CELL_BYTES;
    }
    forged.payload_bytes = (size_t)end;
    forged.fields[FIELD_LEVELS] = reported;
    return put_forged(&forged, bytes, count, room);
}

static inline bool is_scalable(const uint8_t *bytes, size_t count)
{
    ink_file      *file;
    ink_entry_info info = {0};

    REQUIRE_OK(ink_file_decode(&file, bytes, count, INK_OPEN_LAZY, NULL, &error));
    bool is = ink_file_count(file) == 1 && ink_file_entry(file, 0, &info, &error) == INK_OK &&
              strcmp(info.kind, "scalable") == 0;
    ink_file_close(file);
    return is;
}

/* Changes need a file whose parts can be found: what is none becomes one of the first ones. */
static inline size_t change_file(uint8_t *bytes, size_t count, size_t room)
{
    if (!is_whole(bytes, count))
        return seed((unsigned)fuzz_draw(seed_count), bytes, room);
    uint64_t payload = files_payload_at(bytes), sections = files_sections_at(bytes);
    switch (fuzz_draw(3)) {
    case 0:
        set_field(bytes, count);
        break;
    case 1:
        if (files_get(bytes + FILES_ENTRIES_AT, 8) == 0)
            return count;
        if (fuzz_draw(4) == 0 && is_scalable(bytes, count))
            return forge_chain(bytes, count, room);
        return forge(bytes, count, room);
    default: /* the payload, its size as it is */
        if (sections > payload)
            fuzz_scramble(bytes + payload, sections - payload, sections - payload);
        break;
    }
    files_repair(bytes, count);
    return count;
}

#endif
