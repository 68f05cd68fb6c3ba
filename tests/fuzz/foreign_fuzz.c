/* foreign_fuzz.c - reading files of other systems, of every format: bytes are refused with a
 * message and a byte, or are sketches that encode and, where the format is written, write and read
 * again with the same bytes. The first byte of an input says how it is read. */
#define _DEFAULT_SOURCE 1
#include "faults/hostile.h"
#include "fuzz/fuzz.h"
#include "support/foreign_samples.h"

enum { MOST_BYTES = 1 << 12, ROOM = 1 << 20, HEAD_BYTES = 1 };

static void begin(void)
{
    files_guard_create(&guard, MOST_BYTES);
}

/* The number of a format. */
static uint8_t number_of(const char *format)
{
    uint8_t number = 0;

    while (strcmp(ink_foreign(number)->name, format) != 0)
        number++;
    return number;
}

static const ink_foreign_info *format_of(const uint8_t *bytes)
{
    size_t formats = 0;

    while (ink_foreign(formats) != NULL)
        formats++;
    return ink_foreign(bytes[0] % 64 % formats);
}

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    foreign_sample sample;
    size_t         count = 0;

    if (!foreign_sample_make(&sample, index))
        return SIZE_MAX;
    if (sample.count > 0) {
        const uint8_t head = number_of(sample.options.format);
        count = fuzz_put(to, room, &head, sample.bytes,
                         sample.count < MOST_BYTES - 1 ? sample.count : MOST_BYTES - 1);
    }
    foreign_sample_free(&sample);
    return count;
}

/* A number of 1 to 8 bytes, in either order, at a value where something may break: mostly in the
 * first bytes, where formats state sizes. */
static size_t change_number(uint8_t *bytes, size_t count, size_t room)
{
    const unsigned width = 1u << fuzz_draw(4);
    const size_t   first = HEAD_BYTES, left = count - first;
    uint64_t       limits[LIMITS_MAX];

    if (left < 8 || fuzz_draw(8) == 0)
        return fuzz_scramble(bytes + first, left, room - first) + first;
    uint8_t *at = bytes + first + fuzz_draw(fuzz_draw(4) != 0 && left > 64 ? 64 : left - 7);
    random_state = fuzz_draw(0);
    uint64_t old = files_get(at, width);
    size_t   limit_count = limits_around(old, width, limits);
    uint64_t value = fuzz_draw(2) == 0 ? limits[fuzz_draw(limit_count)] : random_value(old);
    if (fuzz_draw(2) == 0)
        value = __builtin_bswap64(value) >> (64 - 8 * width);
    files_set(at, width, value);
    foreign_mend(format_of(bytes)->name, bytes + first, left);
    return count;
}

static void check_sketch(ink_sketch *sketch, const ink_foreign_info *info,
                         const ink_foreign_options *options)
{
    static uint8_t first[ROOM], second[ROOM];
    ink_sketch    *again;
    uint8_t       *data;
    size_t         first_bytes, second_bytes, bytes;

    REQUIRE_OK(ink_sketch_encode(sketch, &data, &bytes, &error));
    REQUIRE_OK(ink_sketch_decode(&again, data, bytes, NULL, &error));
    ink_sketch_free(again);
    ink_bytes_free(data, bytes, NULL);
    if (!info->writes ||
        foreign_write_to(sketch, info->name, first, sizeof first, &first_bytes, &error) != INK_OK)
        return;
    ink_foreign_options named = *options;
    named.format = info->name;
    REQUIRE_OK(foreign_read_first(&again, first, first_bytes, &named, NULL, &error));
    REQUIRE_OK(foreign_write_to(again, info->name, second, sizeof second, &second_bytes, &error));
    REQUIRE(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    ink_sketch_free(again);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    const ink_foreign_info *info = format_of(bytes);
    ink_foreign_options     options = {.format = info->name, .hashes = FOREIGN_HASHES};
    options.key_type = (bytes[0] & 64) != 0 ? INK_KEY_INT : INK_KEY_BYTES;
    options.bits = (bytes[0] & 64) != 0 ? 0 : 1000;
    if ((bytes[0] & 128) != 0)
        options.format = NULL;
    snprintf(tried, sizeof tried, "%s of %zu bytes", info->name, count - HEAD_BYTES);
    ink_sketch    *sketch = NULL;
    const uint8_t *from = files_location(&guard, bytes + HEAD_BYTES, count - HEAD_BYTES);

    forget_error();
    ink_status status =
        foreign_read_first(&sketch, from, count - HEAD_BYTES, &options, NULL, &error);
    if (status == INK_OK && sketch != NULL && options.format != NULL)
        check_sketch(sketch, info, &options);
    else if (status != INK_OK)
        REQUIRE(status != INK_MEMORY && error.message[0] != '\0');
    ink_sketch_free(sketch);
}

const fuzz_target fuzz_here = {
    .name = "foreign",
    .most_bytes = MOST_BYTES,
    .head_bytes = HEAD_BYTES,
    .rounds = 20000,
    .begin = begin,
    .seed = seed,
    .change = change_number,
    .attempt = attempt,
};
