/* sections_fuzz.c - what stands after the sketches of a file: how its records were read, how far a
 * stream was, and unknown sections. A file is refused with a message, or its sections
 * are given as they stand; an input spec or position is refused with a message, or is written anew
 * with the same bytes, having taken no more memory than its bytes are worth. */
#define _DEFAULT_SOURCE 1
enum { FILE_BYTES_MAX = 1 << 14, SEED_BYTES = 0 };

#include "fuzz/changed_files.h"

#include "jobs/runtime/input_spec.h"
#include "jobs/stream/stream_position.h"

/* ---- Where it begins ---------------------------------------------------------------------- */

/* Pairs of words, "|" for the NUL after each. */
static const char *const input_specs[] = {
    "in|lines|",
    "in|tsv|key|1|",
    ("in|csv|delimiter|;|header||csv-multiline||key|a|key|b|by|c|round|half-up|weight|d|time|e|"
     "time-unit|ms|"),
    "in|csv|delimiter|;|header||csv-multiline||key|a|key|b|by|c|round|half-up|weight|w|",
    "in|lines|fields||key|2|key|3|time|1|time-unit|ms|",
    "in|u64|",
    "in|jsonl|key|a.b[0]|round|half-even|time|t|",
    "in|csv|header||key|last, \"first\"|bad|skip|",
};
static const char *const positions[] = {
    "source|stream|batch|7|records|70|bad|1|late|0|cut|0|",
    "source|stream|batch|1|slot|60000000|slots|60|newest|-5|records|9|bad|0|late|2|cut|1|"
    "path|/a/b|offset|17|check|9f|file|2049:77|path|/"
    "c|offset|1|check|0|file|1:18446744073709551615|",
    "source|spark|batch|3|",
};
enum {
    INPUT_SPECS = sizeof input_specs / sizeof input_specs[0],
    POSITIONS = sizeof positions / sizeof positions[0],
};

static const char *const parts[] = {"recipe", "position", "unknown", NULL};

static void begin_sections(void)
{
    files_guard_create(&guard, FILE_BYTES_MAX);
}

static size_t encode(const ink_section *sections, size_t count, uint8_t *to, size_t room)
{
    const ink_contents contents = {.sections = sections, .section_count = count};
    uint8_t           *bytes;
    size_t             used = 0, made;

    REQUIRE_OK(ink_contents_encode(&contents, &bytes, &made, &error));
    if (made <= room) {
        memcpy(to, bytes, made);
        used = made;
    }
    ink_bytes_free(bytes, made, NULL);
    return used;
}

static size_t words_of(const char *pairs, uint8_t *to)
{
    size_t count = strlen(pairs);

    for (size_t i = 0; i < count; i++)
        to[i] = pairs[i] == '|' ? '\0' : (uint8_t)pairs[i];
    return count;
}

/* Input specs, positions, both of them with something unknown, and unknown ones alone. */
static size_t seed_sections(unsigned index, uint8_t *to, size_t room)
{
    uint8_t     words[2][1024];
    ink_section sections[] = {
        {.id = INK_SECTION_INPUT_SPEC, .critical = true, .data = words[0]},
        {.id = INK_SECTION_POSITION, .data = words[1]},
        {.id = INK_SECTION_ORIGIN, .data = (const uint8_t *)"", .bytes = 0},
        {.id = 77, .data = (const uint8_t *)"of another party", .bytes = 16},
        {.id = 0xfffffffe, .data = (const uint8_t *)"last", .bytes = 4},
    };

    sections[0].bytes = words_of(input_specs[index % INPUT_SPECS], words[0]);
    sections[1].bytes = words_of(positions[index % POSITIONS], words[1]);
    switch (fuzz_variant) {
    case 0:
        return index < INPUT_SPECS ? encode(sections, 1, to, room) : SIZE_MAX;
    case 1:
        return index < POSITIONS ? encode(sections + 1, 1, to, room) : SIZE_MAX;
    case 2:
        return index < 3 ? encode(sections + 2, 1 + index, to, room) : SIZE_MAX;
    default:
        return index < INPUT_SPECS ? encode(sections, 5, to, room) : SIZE_MAX;
    }
}

/* ---- Changes ------------------------------------------------------------------------------ */

/* Puts a word, with the NUL after it, between two others, or takes one out, or writes one twice.
 */
static size_t change_words(uint8_t *bytes, size_t count, size_t room)
{
    static const char words[] =
        "in|csv|delimiter|fields|header|csv-multiline|key|by|round|weight|time|time-unit|"
        "source|batch|slot|slots|newest|records|path|check|offset|file||18446744073709551616|"
        "-1|0|007|1:2|half-up|half-even|half-away|us|jsonl";
    char        word[32] = "";
    size_t      size, end;
    const char *one = fuzz_word(words, &size);
    size_t      at = fuzz_draw(count + 1);

    memcpy(word, one, size);
    while (at > 0 && bytes[at - 1] != '\0')
        at--;
    for (end = at; end < count && bytes[end] != '\0'; end++)
        ;
    end += end < count;
    switch (fuzz_draw(3)) {
    case 0: /* taken out */
        memmove(bytes + at, bytes + end, count - end);
        return count - (end - at);
    case 1: /* that pair again, a number of times at which counters break */
        size = end - at;
        for (uint64_t times = 1 + fuzz_draw(300); times > 0 && size > 0 && size <= room - count;
             times--) {
            memmove(bytes + at + size, bytes + at, count - at);
            count += size;
        }
        return count;
    default:
        return fuzz_insert(bytes, count, room, at, word, size + 1);
    }
}

/* One section changes, and the file is written anew around it. */
static size_t change_section(uint8_t *bytes, size_t count, size_t room)
{
    static uint8_t text[FILE_BYTES_MAX];
    ink_section    sections[64];
    size_t         section_count = 0;
    ink_file      *file;

    if (ink_file_decode(&file, bytes, count, INK_OPEN_LAZY | INK_OPEN_COPY, NULL, &error) != INK_OK)
        return seed_sections((unsigned)fuzz_draw(3), bytes, room);
    while (section_count < 64 &&
           ink_file_section(file, section_count, &sections[section_count], &error) == INK_OK)
        section_count++;
    if (section_count > 0) {
        ink_section *one = &sections[fuzz_draw(section_count)];
        memcpy(text, one->data, one->bytes);
        if (fuzz_draw(3) != 0)
            one->bytes = change_words(text, one->bytes, sizeof text - 512);
        else
            one->bytes = fuzz_scramble(text, one->bytes, sizeof text - 512);
        one->data = text;
        size_t made = encode(sections, section_count, bytes, room);
        count = made == 0 ? count : made;
    }
    ink_file_close(file);
    return count;
}

static size_t change_any(uint8_t *bytes, size_t count, size_t room)
{
    if (fuzz_draw(4) != 0 || !is_whole(bytes, count))
        return change_section(bytes, count, room);
    set_field(bytes, count);
    files_repair(bytes, count);
    return count;
}

/* ---- Trial -------------------------------------------------------------------------------- */

static void require_reported(ink_status status)
{
    REQUIRE(status == INK_FORMAT || status == INK_MISMATCH);
    REQUIRE(error.status == status && strlen(error.message) > 10);
}

static void try_input_spec(const ink_file *file, const ink_section *section)
{
    ink_input_spec *input_spec;
    ink_reading     reading;
    ink__arena      arena;
    const uint8_t  *anew;
    uint64_t        count;

    ink_status status = ink_input_spec_read(&input_spec, file, &reading, &error);
    if (status != INK_OK) {
        require_reported(status);
        return;
    }
    REQUIRE(reading.key_count <= INK_KEY_COLUMNS_MAX);
    REQUIRE(ink__input_spec_key_columns(section->data, section->bytes) == reading.key_count);
    ink__arena_begin(&arena, &metered);
    if (section->bytes > 0 && section->bytes < 8192) { /* no more is ever written */
        REQUIRE_OK(ink__input_spec_write(&reading, reading.form, &arena, &anew, &count, &error));
        REQUIRE(count == section->bytes && memcmp(anew, section->data, count) == 0);
    }
    ink__arena_end(&arena);
    ink_input_spec_free(input_spec);
}

static void try_position(const ink_section *section)
{
    ink__stream_position position;
    ink__arena           arena;
    uint8_t             *anew;
    uint64_t             count, room;

    ink__arena_begin(&arena, &metered);
    ink_status status =
        ink__stream_position_read(&position, section->data, section->bytes, &arena, &error);
    if (status == INK_OK) {
        REQUIRE_OK(ink__stream_position_write(&position, &metered, &anew, &count, &room, &error));
        REQUIRE(count == section->bytes && memcmp(anew, section->data, count) == 0);
        metered.resize(NULL, anew, room, 0);
    } else {
        require_reported(status);
    }
    ink__stream_position_free(&position, &metered);
    ink__arena_end(&arena);
}

static void attempt_sections(const uint8_t *input, size_t count)
{
    ink_file   *file = NO_FILE;
    ink_section sections[64], one;
    size_t      section_count = 0;

    snprintf(tried, sizeof tried, "an input of %zu bytes", count);
    const uint8_t *bytes = files_location(&guard, input, count);
    meter.live_bytes = 0;
    allow(2 * (uint64_t)count, false);
    ink_status status = ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, &metered, &error);
    if (status != INK_OK) {
        require_named(status, count);
        return;
    }
    while (ink_file_section(file, section_count, &one, &error) == INK_OK) {
        REQUIRE(section_count < 64);
        REQUIRE(one.data >= bytes && one.bytes <= (size_t)(bytes + count - one.data));
        sections[section_count++] = one;
        if (one.id == INK_SECTION_INPUT_SPEC)
            try_input_spec(file, &one);
        if (one.id == INK_SECTION_POSITION)
            try_position(&one);
    }
    if (ink_file_count(file) == 0) { /* nothing is lost where it is written anew */
        const ink_contents contents = {
            .sections = sections, .section_count = section_count, .allocator = &metered};
        uint8_t *anew;
        size_t   anew_count;
        REQUIRE_OK(ink_contents_encode(&contents, &anew, &anew_count, &error));
        uint64_t at = files_sections_at(bytes);
        REQUIRE(anew_count == count && memcmp(anew + at, bytes + at, count - at) == 0);
        ink_bytes_free(anew, anew_count, &metered);
    }
    ink_file_close(file);
    REQUIRE(meter.live_bytes == 0);
}

const fuzz_target fuzz_here = {
    .name = "sections",
    .most_bytes = FILE_BYTES_MAX,
    .rounds = 10000,
    .weight = 16,
    .variants = parts,
    .begin = begin_sections,
    .seed = seed_sections,
    .change = change_any,
    .mend = files_repair,
    .attempt = attempt_sections,
};
