/* file_fuzz.c - files of sketches, of every kind, with many entries and with all sorts of labels: a
 * file is refused with a sentence and a byte, having taken little memory, or every call on it works
 * (tests/faults/hostile.h). Changes know the form: fields are set to limits, payloads are written
 * anew with elements repeated, and the checksums are put right. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "faults/hostile.h"

enum { SEEDS_MAX = 64, MOST_BYTES = 1 << 18, FIELDS_MAX = 4096 };

static files_sample seeds[SEEDS_MAX];
static unsigned     seed_count;

/* ---- Where it begins ---------------------------------------------------------------------- */

static const char *const variants[] = {"bloom",     "classic", "counting", "scalable",
                                       "count-min", "top",     "fm",       "hll",
                                       "entries",   "labels",  NULL};

static bool is_of(const files_sample *sample, const char *variant)
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

static void begin(const char *variant)
{
    files_guard_create(&guard, MOST_BYTES);
    for (unsigned i = 0; i < files_sample_count(); i++) {
        REQUIRE(seed_count < SEEDS_MAX);
        files_sample_make(&seeds[seed_count], i);
        if (seeds[seed_count].count <= MOST_BYTES / 2 &&
            (variant == NULL || is_of(&seeds[seed_count], variant)))
            seed_count++;
        else
            files_sample_free(&seeds[seed_count]);
    }
    REQUIRE(seed_count > 0);
}

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= seed_count)
        return SIZE_MAX;
    REQUIRE(seeds[index].count <= room);
    memcpy(to, seeds[index].bytes, seeds[index].count);
    return seeds[index].count;
}

/* ---- Changes ------------------------------------------------------------------------------ */

static bool is_whole(const uint8_t *bytes, size_t count)
{
    ink_file *file;

    if (ink_file_decode(&file, bytes, count, INK_OPEN_LAZY, NULL, &error) != INK_OK)
        return false;
    ink_file_close(file);
    return true;
}

/* One number of the file at a value where something may break. */
static void set_field(uint8_t *bytes, size_t count)
{
    static files_field fields[FIELDS_MAX];
    uint64_t           limits[LIMITS_MAX];
    files_field        field = fields[fuzz_draw(files_fields(bytes, count, fields, FIELDS_MAX))];
    uint64_t           old = files_get(bytes + field.at, field.width);

    random_state = fuzz_draw(0);
    size_t found = limits_around(old, field.width, limits);
    files_set(bytes + field.at, field.width,
              fuzz_draw(2) == 0 ? limits[fuzz_draw(found)] : random_value(old));
}

/* The file of the first entry alone, with another payload. */
static size_t forge(uint8_t *bytes, size_t count, size_t room)
{
    static uint8_t payload[MOST_BYTES];
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
    files_sample made;

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
    files_forge(&made, "forged", &forged);
    if (made.count <= room) {
        memcpy(bytes, made.bytes, made.count);
        count = made.count;
    }
    free(made.bytes);
    return count;
}

/* Changes need a file whose parts can be found: what is none becomes one of the first ones. */
static size_t change_file(uint8_t *bytes, size_t count, size_t room)
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
        return forge(bytes, count, room);
    default: /* the payload, its size as it is */
        if (sections > payload)
            fuzz_scramble(bytes + payload, sections - payload, sections - payload);
        break;
    }
    files_repair(bytes, count);
    return count;
}

/* ---- Trial -------------------------------------------------------------------------------- */

static void attempt(const uint8_t *bytes, size_t count)
{
    if (count > MOST_BYTES)
        return;
    snprintf(tried, sizeof tried, "an input of %zu bytes", count);
    refused_or_used(files_place(&guard, bytes, count), count);
}

const fuzz_target fuzz_here = {
    .name = "file",
    .most_bytes = MOST_BYTES,
    .rounds = 2000,
    .variants = variants,
    .begin = begin,
    .seed = seed,
    .change = change_file,
    .mend = files_repair,
    .attempt = attempt,
};
