/* input_spec_test.c - an input spec is read as it was written, to the byte as docs/format.md states
 * it, and one that says something else is refused. */
#include "jobs/runtime/input_spec.h"

#include "base/memory.h"
#include "jobs/runtime/reading.h"
#include "support/check.h"
#include "support/owned.h"
#include "support/records.h"

static ink_error error;

/* A file with this input spec, or without any if there is none; `other` puts a section after it.
 */
static records_file file_with(const void *input_spec, size_t bytes, bool other)
{
    const ink_section sections[] = {
        {.id = INK_SECTION_INPUT_SPEC, .data = input_spec, .bytes = bytes},
        {.id = 77, .data = (const uint8_t *)"x", .bytes = 1},
    };
    const ink_params params = {.kind = "hll"};
    owned_sketch    *sketch = NULL;
    records_file     file;

    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    const ink_entry    entry = {.sketch = sketch};
    const ink_contents contents = {.entries = &entry,
                                   .entry_count = 1,
                                   .sections = sections + (input_spec == NULL),
                                   .section_count = (size_t)(input_spec != NULL) + other};
    CHECK_OK(ink_contents_encode(&contents, &file.bytes, &file.count, &error));
    CHECK_OK(ink_file_decode(&file.file, file.bytes, file.count, 0, NULL, &error));
    return file;
}

/* An input spec, as it was written. */
typedef struct written {
    ink__arena     arena;
    const uint8_t *bytes;
    uint64_t       count;
} written;

static void forget(written *of)
{
    ink__arena_end(&of->arena);
}
#define owned_written OWNED(forget) written

static written write_input_spec(const ink_reading *reading, ink_form form)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    written       to;

    ink__arena_begin(&to.arena, &heap);
    CHECK_OK(ink__input_spec_write(reading, form, &to.arena, &to.bytes, &to.count, &error));
    return to;
}

static void check_same_text(const char *a, const char *b)
{
    CHECK((a == NULL) == (b == NULL));
    if (a != NULL)
        assert_string_equal(a, b);
}

static void check_same_reading(const ink_reading *a, const ink_reading *b)
{
    CHECK(a->form == b->form && a->delimiter == b->delimiter && a->blanks == b->blanks);
    CHECK(a->header == b->header && a->multiline == b->multiline && a->round == b->round);
    assert_int_equal(a->key_count, b->key_count);
    for (size_t i = 0; i < a->key_count; i++)
        assert_string_equal(a->key[i], b->key[i]);
    check_same_text(a->by, b->by);
    check_same_text(a->weight, b->weight);
    check_same_text(a->time, b->time);
    assert_int_equal(a->time_unit, b->time_unit);
    assert_int_equal(a->skip_bad, b->skip_bad);
}

static const char *const keys[INK_KEY_COLUMNS_MAX] = {"1",    "name", "a b", "",    "=",   "in",
                                                      "\xff", "a,b",  "\"",  "k9",  "k10", "k11",
                                                      "k12",  "k13",  "k14", "last"};

static const ink_reading readings[] = {
    {.form = INK_FORM_LINES},
    {.form = INK_FORM_NUL, .delimiter = '\n', .key = keys, .key_count = 1},
    {.form = INK_FORM_LINES, .blanks = true, .key = keys, .key_count = 1},
    {.form = INK_FORM_TSV, .header = true, .key = keys, .key_count = 3, .by = "by"},
    {.form = INK_FORM_CSV,
     .delimiter = '\xfe',
     .header = true,
     .multiline = true,
     .key = keys,
     .key_count = INK_KEY_COLUMNS_MAX,
     .by = "group",
     .round = INK_ROUND_HALF_UP,
     .weight = "n"},
    {.form = INK_FORM_JSONL, .key = keys, .key_count = 2, .by = "x", .round = INK_ROUND_HALF_EVEN},
    {.form = INK_FORM_TSV, .by = "1", .round = INK_ROUND_HALF_AWAY},
    {.form = INK_FORM_CSV, .weight = "n", .time = "when", .time_unit = INK_TIME_MILLISECONDS},
    {.form = INK_FORM_CSV, .time = "2", .time_unit = INK_TIME_MICROSECONDS},
    {.form = INK_FORM_JSONL, .time = "a.b", .time_unit = INK_TIME_NANOSECONDS},
    {.form = INK_FORM_JSONL, .time = "", .skip_bad = true},
    {.form = INK_FORM_LINES, .skip_bad = true},
    {.form = INK_FORM_U32},
    {.form = INK_FORM_U64},
};

TEST(a_input_spec_is_read_as_it_was_written)
{
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        written         to = write_input_spec(&readings[i], readings[i].form);
        records_file    file = file_with(to.bytes, to.count, i % 2 == 1);
        ink_input_spec *input_spec;
        ink_reading     found;
        forget(&to);
        CHECK_OK(ink_input_spec_read(&input_spec, file.file, &found, &error));
        records_file_close(&file); /* its strings are the input spec's */
        assert_non_null(input_spec);
        check_same_reading(&found, &readings[i]);
        CHECK(found.keys == INK_KEYS_DEFAULT && found.fail_bad == 0); /* no matter of the data */
        ink_input_spec_free(input_spec);
    }
    ink_input_spec_free(NULL);
}

TEST(its_bytes_are_those_of_the_format)
{
    static const char *const one[] = {"1"};
    static const uint8_t     first[] = {0x69, 0x6e, 0x00, 0x74, 0x73, 0x76, 0x00,
                                        0x6b, 0x65, 0x79, 0x00, 0x31, 0x00};
    static const char        all[] = "in\0csv\0delimiter\0;\0header\0\0csv-"
                                     "multiline\0\0key\0a\0key\0b\0by\0g\0round\0half-even\0"
                                     "weight\0n\0time\0when\0time-unit\0ms\0bad\0skip";
    static const char *const two[] = {"a", "b"};
    const ink_reading        small = {.key = one, .key_count = 1};
    const ink_reading        large = {.delimiter = ';',
                                      .header = true,
                                      .multiline = true,
                                      .key = two,
                                      .key_count = 2,
                                      .by = "g",
                                      .round = INK_ROUND_HALF_EVEN,
                                      .weight = "n",
                                      .time = "when",
                                      .time_unit = INK_TIME_MILLISECONDS,
                                      .skip_bad = true};
    const ink_reading        away = {.by = "2", .round = INK_ROUND_HALF_AWAY};
    const ink_reading        timed = {.time = "t"}; /* in seconds, as they are unless it is said */
    const struct {
        const ink_reading *reading;
        ink_form           form; /* is given apart */
        const void        *bytes;
        size_t             count;
    } known[] = {
        {&small, INK_FORM_TSV, first, sizeof first},
        {&large, INK_FORM_CSV, all, sizeof all},
        {&away, INK_FORM_CSV, "in\0csv\0by\0002\0round\0half-away",
         sizeof "in\0csv\0by\0002\0round\0half-away"},
        {&timed, INK_FORM_TSV, "in\0tsv\0time\0t", sizeof "in\0tsv\0time\0t"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        owned_written to = write_input_spec(known[i].reading, known[i].form);
        assert_int_equal(to.count, known[i].count);
        assert_memory_equal(to.bytes, known[i].bytes, to.count);
    }
}

TEST(a_file_may_have_none)
{
    ink_input_spec *input_spec = (ink_input_spec *)(uintptr_t)keys;
    ink_reading     found = {.header = true, .by = "x"};
    const uint8_t  *bytes;
    uint64_t        count = 9;

    for (int other = 0; other < 2; other++) {
        owned_file file = file_with(NULL, 0, other == 1);
        CHECK_OK(ink_input_spec_read(&input_spec, file.file, &found, &error));
        CHECK(input_spec == NULL && !found.header && found.by == NULL && found.form == 0);
        CHECK_OK(ink__input_spec_section(file.file, &bytes, &count, &error));
        assert_int_equal(count, 0);
    }
}

TEST(what_is_no_input_spec_is_refused)
{
#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }
    static const struct {
        const char *bytes;
        size_t      count;
    } wrong[] = {
        TEXT("in\0xml\0"),
        TEXT("in\0"),
        TEXT("in"),
        TEXT("in\0csv"), /* its last NUL is missing */
        TEXT("in\0csv\0key"),
        TEXT("in\0csv\0key\0"),
        TEXT("in\0csv\0key\0a"),
        TEXT("in\0csv\0colour\0red\0"),
        TEXT("in\0csv\0header\0yes\0"),
        TEXT("in\0lines\0fields\0 \0"),
        TEXT("in\0csv\0csv-multiline\0x\0"),
        TEXT("in\0csv\0delimiter\0\0"),
        TEXT("in\0csv\0delimiter\0ab\0"),
        TEXT("in\0csv\0by\0g\0round\0up\0"),
        TEXT("in\0csv\0by\0g\0round\0\0"),
        TEXT("in\0csv\0by\0g\0round\0half-awa\0"),
        TEXT("\0\0"),
        TEXT("IN\0csv\0"),
        TEXT("in\0csv\0by\0g\0\0"),
        TEXT("in\0csv\0key\0a\0key\0b\0odd\0"),
        TEXT("key\0a\0"), /* in what? */
        TEXT("key\0a\0in\0csv\0"),
        TEXT("in\0csv\0in\0csv\0"),
        TEXT("in\0csv\0by\0g\0by\0h\0"),
        TEXT("in\0csv\0by\0g\0key\0a\0"), /* not their order */
        TEXT("in\0csv\0header\0\0delimiter\0;\0"),
        TEXT("in\0csv\0weight\0n\0round\0half-up\0"),
        TEXT("in\0csv\0time\0t\0weight\0n\0"),
        TEXT("in\0csv\0time\0t\0time\0u\0"),
        TEXT("in\0csv\0time-unit\0ms\0"), /* of what? */
        TEXT("in\0csv\0time-unit\0ms\0time\0t\0"),
        TEXT("in\0csv\0time\0t\0time-unit\0s\0"),
        TEXT("in\0csv\0time\0t\0time-unit\0h\0"),
        TEXT("in\0csv\0time\0t\0time-unit\0\0"),
        TEXT("in\0csv\0bad\0fail\0"),
        TEXT("in\0csv\0bad\0\0"),
        TEXT("in\0csv\0bad\0skip\0key\0a\0"),
    };
    char many[7 + 6 * (INK_KEY_COLUMNS_MAX + 1)] = "in\0csv";

    for (size_t i = 0; i <= sizeof wrong / sizeof wrong[0]; i++) {
        bool            last = i == sizeof wrong / sizeof wrong[0];
        ink_input_spec *input_spec = NULL;
        ink_reading     found;
        for (int k = 0; last && k <= INK_KEY_COLUMNS_MAX; k++) /* one key too many */
            memcpy(many + 7 + 6 * k, "key\0a", 6);
        owned_file file = last ? file_with(many, sizeof many, false)
                               : file_with(wrong[i].bytes, wrong[i].count, false);
        ink_status status = ink_input_spec_read(&input_spec, file.file, &found, &error);
        if (status != INK_FORMAT)
            fail_msg("recipe %zu: %s", i, ink_status_name(status));
        CHECK(strstr(error.message, "the input spec says \"") != NULL);
        CHECK(strstr(error.message, ", expected how records are read") != NULL);
        assert_null(input_spec);
    }
}

TEST(names_that_are_too_long_are_refused)
{
    static char              name[8200];
    static const char *const long_keys[] = {name};
    const ink_reading        reading = {.key = long_keys, .key_count = 1, .by = "x"};
    ink_allocator            heap = ink__allocator_or_heap(NULL);
    ink__arena               arena;
    const uint8_t           *bytes;
    uint64_t                 count;

    memset(name, 'n', sizeof name - 1);
    ink__arena_begin(&arena, &heap);
    CHECK_FAILS(ink__input_spec_write(&reading, INK_FORM_CSV, &arena, &bytes, &count, &error),
                INK_LIMIT, "column names of more than 8 KiB");
    name[8000] = '\0';
    CHECK_OK(ink__input_spec_write(&reading, INK_FORM_CSV, &arena, &bytes, &count, &error));
    assert_int_equal(count, 7 + 4 + 8001 + 5);
    memset(name, 'n', sizeof name - 1);
    name[8192 - 7 - 4 - 1 - 5] = '\0';
    CHECK_OK(ink__input_spec_write(&reading, INK_FORM_CSV, &arena, &bytes, &count, &error));
    assert_int_equal(count, 8192);
    name[8192 - 7 - 4 - 1 - 5] = 'n';
    name[8192 - 7 - 4 - 5] = '\0';
    CHECK_FAILS(ink__input_spec_write(&reading, INK_FORM_CSV, &arena, &bytes, &count, &error),
                INK_LIMIT, "column names of more than 8 KiB");
    ink__arena_end(&arena);
}

RUN_TESTS()
