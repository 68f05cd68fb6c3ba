/* input_spec.c - the input spec section: pairs of a name and a value, each ended by a NUL byte, in
 * a fixed order. */
#include "jobs/runtime/input_spec.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/sections.h"

#include <string.h>

struct ink_input_spec {
    ink__arena  arena;
    const char *key[INK_KEY_COLUMNS_MAX];
};

/* ---- Writing ------------------------------------------------------------------------------ */

typedef struct draft {
    char   bytes[8192];
    size_t used;
    bool   full;
} draft;

static void put(draft *to, const char *name, const char *value)
{
    size_t name_bytes = strlen(name) + 1, value_bytes = strlen(value) + 1;

    to->full = to->full || sizeof to->bytes - to->used < name_bytes + value_bytes;
    if (to->full)
        return;
    memcpy(to->bytes + to->used, name, name_bytes);
    memcpy(to->bytes + to->used + name_bytes, value, value_bytes);
    to->used += name_bytes + value_bytes;
}

/* All names, in order; only the key may occur several times. */
static const char *const names[] = {"in", "delimiter", "fields", "header", "csv-multiline", "key",
                                    "by", "round",     "weight", "time",   "time-unit",     "bad"};
enum {
    IN,
    DELIMITER,
    FIELDS,
    HEADER,
    MULTILINE,
    KEY,
    BY,
    ROUND,
    WEIGHT,
    TIME,
    TIME_UNIT,
    BAD,
    NAMES
};

/* The pair of records that are skipped: the last one. */
static const char skip_pair[] = "bad\0skip";

/* The roundings and the units of times, by number. */
static const char *const rounds[] = {"", "half-even", "half-up", "half-away"};
static const char *const time_units[] = {"s", "ms", "us", "ns"};
enum {
    ROUNDS = sizeof rounds / sizeof rounds[0],
    TIME_UNITS = sizeof time_units / sizeof time_units[0]
};

ink_status ink__input_spec_write(const ink_reading *reading, ink_form form, ink__arena *arena,
                                 const uint8_t **bytes, uint64_t *count, ink_error *error)
{
    const bool  timed = reading->time != NULL && reading->time_unit != INK_TIME_SECONDS;
    const char  delimiter[2] = {reading->delimiter, '\0'};
    const char *values[NAMES] = {
        [IN] = ink__form_name(form),
        [DELIMITER] = reading->delimiter != 0 ? delimiter : NULL,
        [FIELDS] = reading->blanks ? "" : NULL,
        [HEADER] = reading->header ? "" : NULL,
        [MULTILINE] = reading->multiline ? "" : NULL,
        [BY] = reading->by,
        [ROUND] = reading->round != INK_ROUND_NONE ? rounds[reading->round] : NULL,
        [WEIGHT] = reading->weight,
        [TIME] = reading->time,
        [TIME_UNIT] = timed ? time_units[reading->time_unit] : NULL,
        [BAD] = reading->skip_bad ? "skip" : NULL,
    };
    draft to = {.used = 0};

    for (int name = IN; name < NAMES; name++) {
        for (size_t i = 0; name == KEY && i < reading->key_count; i++)
            put(&to, names[KEY], reading->key[i]);
        if (values[name] != NULL)
            put(&to, names[name], values[name]);
    }
    if (to.full)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "column names of more than 8 KiB, expected shorter ones");
    *count = to.used;
    return ink__arena_keep(arena, to.bytes, to.used, bytes, error);
}

/* ---- Reading ------------------------------------------------------------------------------ */

ink_status ink__input_spec_section(const ink_file *file, const uint8_t **bytes, uint64_t *count,
                                   ink_error *error)
{
    ink_section section;
    ink_status  status = ink__section_find(file, INK_SECTION_INPUT_SPEC, &section, error);

    *count = 0;
    if (status != INK_OK)
        return status == INK_NOT_FOUND ? INK_OK : status;
    *bytes = section.data;
    *count = section.bytes;
    return INK_OK;
}

static ink_status fail_pair(const char *name, const char *value, ink_error *error)
{
    char shown[2][48];

    ink__quote(shown[0], sizeof shown[0], name, strlen(name));
    ink__quote(shown[1], sizeof shown[1], value, strlen(value));
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     "the input spec says \"%s\" \"%s\", expected how records are read", shown[0],
                     shown[1]);
}

/* Seconds are not written, and a unit needs a column. */
static bool take_time_unit(const char *value, ink_reading *reading)
{
    for (unsigned unit = INK_TIME_SECONDS + 1; unit < TIME_UNITS; unit++)
        if (strcmp(value, time_units[unit]) == 0) {
            reading->time_unit = (ink_time_unit)unit;
            return reading->time != NULL;
        }
    return false;
}

static bool take_round(const char *value, ink_reading *reading)
{
    for (unsigned round = INK_ROUND_NONE + 1; round < ROUNDS; round++)
        if (strcmp(value, rounds[round]) == 0) {
            reading->round = (ink_round)round;
            return true;
        }
    return false;
}

static bool take_value(ink_input_spec *input_spec, int name, const char *value,
                       ink_reading *reading)
{
    bool flag = value[0] == '\0';

    switch (name) {
    case IN:
        return ink__form_named(value, &reading->form);
    case DELIMITER:
        reading->delimiter = value[0];
        return !flag && value[1] == '\0';
    case FIELDS:
        return reading->blanks = flag;
    case HEADER:
        return reading->header = flag;
    case MULTILINE:
        return reading->multiline = flag;
    case KEY:
        if (reading->key_count == INK_KEY_COLUMNS_MAX)
            return false;
        input_spec->key[reading->key_count++] = value;
        return true;
    case BY:
        return (reading->by = value) != NULL;
    case ROUND:
        return take_round(value, reading);
    case WEIGHT:
        return (reading->weight = value) != NULL;
    case TIME:
        return (reading->time = value) != NULL;
    case TIME_UNIT:
        return take_time_unit(value, reading);
    default:
        return reading->skip_bad = strcmp(value, "skip") == 0;
    }
}

static ink_status take_pairs(ink_input_spec *input_spec, const uint8_t *bytes, uint64_t count,
                             ink_reading *reading, ink_error *error)
{
    const uint8_t *kept;
    int            next = IN; /* the first name that may come */

    INK__TRY(ink__arena_keep(&input_spec->arena, bytes, count, &kept, error));
    for (uint64_t at = 0; at < count;) {
        const char *name = (const char *)kept + at;
        at += strlen(name) + 1;
        if (at >= count)
            return fail_pair(name, "", error);
        const char *value = (const char *)kept + at;
        at += strlen(value) + 1;
        if (at > count) /* the last NUL is the arena's */
            return fail_pair(name, value, error);
        int number = next;
        while (number < NAMES && strcmp(names[number], name) != 0)
            number++;
        if (number == NAMES || (next == IN && number != IN) ||
            !take_value(input_spec, number, value, reading))
            return fail_pair(name, value, error);
        next = number == KEY ? KEY : number + 1;
    }
    if (reading->key_count > 0)
        reading->key = input_spec->key;
    return INK_OK;
}

size_t ink__input_spec_key_columns(const uint8_t *bytes, uint64_t count)
{
    size_t columns = 0;

    for (uint64_t at = 0, word = 0; at < count; word++) {
        const uint8_t *end = memchr(bytes + at, '\0', (size_t)(count - at));
        uint64_t       length = end == NULL ? count - at : (uint64_t)(end - (bytes + at));
        columns += word % 2 == 0 && length == 3 && memcmp(bytes + at, names[KEY], 3) == 0;
        at += length + 1;
    }
    return columns;
}

/* The length without the pair of records that are skipped. */
static uint64_t without_skip(const uint8_t *bytes, uint64_t count)
{
    bool skips = count >= sizeof skip_pair &&
                 memcmp(bytes + count - sizeof skip_pair, skip_pair, sizeof skip_pair) == 0;

    return skips ? count - sizeof skip_pair : count;
}

bool ink__input_spec_same(const uint8_t *one, uint64_t one_count, const uint8_t *other,
                          uint64_t other_count)
{
    uint64_t count = without_skip(one, one_count);

    return count == without_skip(other, other_count) &&
           (count == 0 || memcmp(one, other, (size_t)count) == 0);
}

ink_status ink_input_spec_read(ink_input_spec **input_spec, const ink_file *file,
                               ink_reading *reading, ink_error *error)
{
    ink_allocator   allocator = ink__allocator_or_heap(NULL);
    const uint8_t  *bytes;
    uint64_t        count;
    ink_input_spec *made;
    ink_reading     found = {0};

    INK__TRY(ink__input_spec_section(file, &bytes, &count, error));
    *input_spec = NULL;
    *reading = found;
    if (count == 0)
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&allocator, sizeof *made, &made, error));
    ink__arena_begin(&made->arena, &allocator);
    ink_status status = take_pairs(made, bytes, count, &found, error);
    if (status != INK_OK) {
        ink_input_spec_free(made);
        return status;
    }
    *input_spec = made;
    *reading = found;
    return INK_OK;
}

void ink_input_spec_free(ink_input_spec *input_spec)
{
    if (input_spec == NULL)
        return;
    ink_allocator allocator = input_spec->arena.allocator;

    ink__arena_end(&input_spec->arena);
    ink__release(&allocator, input_spec, sizeof *input_spec);
}
