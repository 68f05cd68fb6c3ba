/* words.c - what formats share: numbers with the highest byte first, output, and the registers of
 * an hll as the bytes of a payload. */
#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/foreign/formats.h"
#include "hash/foreign_hashes.h"

#include <string.h>

uint32_t ink__load_u32_high_first(const uint8_t *from)
{
    return __builtin_bswap32(ink__load_u32(from));
}

uint64_t ink__load_u64_high_first(const uint8_t *from)
{
    return __builtin_bswap64(ink__load_u64(from));
}

void ink__store_u32_high_first(uint8_t *to, uint32_t value)
{
    ink__store_u32(to, __builtin_bswap32(value));
}

void ink__store_u64_high_first(uint8_t *to, uint64_t value)
{
    ink__store_u64(to, __builtin_bswap64(value));
}

void ink__reverse_words(uint8_t *to, const uint8_t *from, uint64_t words)
{
    for (uint64_t i = 0; i < words; i++)
        ink__store_u64(to + 8 * i, ink__load_u64_high_first(from + 8 * i));
}

/* ---- Filters ------------------------------------------------------------------------------ */

#define NARROW_BYTES (UINT64_C(1) << 28) /* 2^31 bits */
#define BITS_MAX ((uint64_t)64 * INT32_MAX)
#define LN2 0.6931471805599453

ink_status ink__foreign_check_hashes(uint32_t hashes, uint64_t at, ink_error *error)
{
    if (hashes == 0 || hashes > INK__FOREIGN_HASHES_MAX)
        return INK__FOREIGN_FAIL(error, at, "%u hashes of a key, expected 1 to %d", hashes,
                                 INK__FOREIGN_HASHES_MAX);
    return INK_OK;
}

static bool is_zero(const uint8_t *bytes, uint64_t count)
{
    uint64_t at = 0;

    while (at < count && bytes[at] == 0)
        at++;
    return at == count;
}

ink_status ink__foreign_read_bits(const ink__foreign_file *file, uint64_t at, bool narrow,
                                  ink__foreign_sketch *sketch, ink_error *error)
{
    if (file->count < at + 4)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %llu bytes",
                                 (unsigned long long)at + 4);
    const uint32_t words = ink__load_u32_high_first(file->bytes + at);
    const uint64_t left = file->count - at - 4, bytes = (uint64_t)8 * words;
    if (words == 0 || words > INT32_MAX || left != bytes)
        return INK__FOREIGN_FAIL(error, at, "%u words of 8 bytes, but %llu bytes follow", words,
                                 (unsigned long long)left);
    sketch->payload = file->bytes + at + 4;
    sketch->payload_bytes = narrow && bytes > NARROW_BYTES ? NARROW_BYTES : bytes;
    sketch->reversed = true;
    sketch->params.bits = 8 * sketch->payload_bytes;
    if (!is_zero(sketch->payload + sketch->payload_bytes, bytes - sketch->payload_bytes))
        return INK__FOREIGN_FAIL(error, at + 4 + sketch->payload_bytes,
                                 "a bit above the 2^31 that keys can have");
    return INK_OK;
}

ink_status ink__foreign_size_bits(ink_params *params, ink_error *error)
{
    if (params->bits > BITS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{bits} %llu, expected at most %llu",
                         (unsigned long long)params->bits, (unsigned long long)BITS_MAX);
    if (params->bits != 0 && params->hashes == 0 && params->expected_keys != 0) {
        const double hashes = (double)params->bits / (double)params->expected_keys * LN2;
        params->hashes = hashes < 1.5                       ? 1
                         : hashes < INK__FOREIGN_HASHES_MAX ? (uint32_t)(hashes + 0.5)
                                                            : INK__FOREIGN_HASHES_MAX;
    }
    params->bits = (params->bits + 63) / 64 * 64;
    return INK_OK;
}

ink_status ink__foreign_write_bits(const ink__foreign_source *source, const uint8_t *head,
                                   uint32_t count, const ink_sink *sink, ink_error *error)
{
    const uint64_t words = source->is.bits / 64;
    uint8_t        counted[4];

    if (source->is.bits % 64 != 0 || source->is.bits > BITS_MAX)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "%llu bits, expected a multiple of 64 below 2^37",
                         (unsigned long long)source->is.bits);
    ink__store_u32_high_first(counted, (uint32_t)words);
    INK__TRY(ink__foreign_put(sink, head, count, error));
    INK__TRY(ink__foreign_put(sink, counted, sizeof counted, error));
    return ink__foreign_put_reversed(sink, source->payload, words, error);
}

/* ---- Output ------------------------------------------------------------------------------- */

enum { PART_BYTES = 1 << 14 };

ink_status ink__foreign_put(const ink_sink *sink, const void *data, uint64_t bytes,
                            ink_error *error)
{
    enum { MOST = 1 << 20 };
    const uint8_t *from = data;

    for (uint64_t at = 0, some; at < bytes; at += some) {
        some = bytes - at < MOST ? bytes - at : MOST;
        int failed = sink->write(sink->host, from + at, (size_t)some);
        if (failed != 0)
            return ink__fail_io(error, failed, "write");
    }
    return INK_OK;
}

ink_status ink__foreign_put_reversed(const ink_sink *sink, const uint8_t *from, uint64_t words,
                                     ink_error *error)
{
    uint8_t part[PART_BYTES];

    for (uint64_t at = 0, some; at < words; at += some) {
        some = words - at < PART_BYTES / 8 ? words - at : PART_BYTES / 8;
        ink__reverse_words(part, from + 8 * at, some);
        INK__TRY(ink__foreign_put(sink, part, 8 * some, error));
    }
    return INK_OK;
}

/* ---- Registers ---------------------------------------------------------------------------- */

void ink__registers_pack_all(const uint8_t *registers, uint32_t precision, uint8_t *to)
{
    for (uint32_t i = 0; i < UINT32_C(1) << precision; i++) {
        const uint32_t at = i * 6 / 8, bits = (uint32_t)registers[i] << i * 6 % 8;
        to[at] |= (uint8_t)bits;
        if (bits > UINT8_MAX)
            to[at + 1] |= (uint8_t)(bits >> 8);
    }
}

ink_status ink__registers_pack(const uint8_t *registers, uint32_t precision,
                               ink__foreign_sketch *sketch, const ink_allocator *allocator,
                               ink_error *error)
{
    const uint32_t count = UINT32_C(1) << precision;
    uint32_t       above = 0, used = 0;

    for (uint32_t i = 0; i < count; i++)
        above += registers[i] != 0;
    const bool listed = above < count / 4;
    sketch->made_bytes = listed ? (uint64_t)3 * above : count / 4 * 3;
    sketch->payload_bytes = sketch->made_bytes;
    if (sketch->made_bytes == 0)
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(allocator, sketch->made_bytes, &sketch->made, error));
    sketch->payload = sketch->made;
    if (!listed)
        ink__registers_pack_all(registers, precision, sketch->made);
    for (uint32_t i = 0; listed && i < count; i++) {
        const uint32_t entry = i << 6 | registers[i];
        for (unsigned b = 0; registers[i] != 0 && b < 3; b++)
            sketch->made[used++] = (uint8_t)(entry >> 8 * b);
    }
    return INK_OK;
}

void ink__registers_unpack(const uint8_t *payload, uint64_t payload_bytes, uint32_t precision,
                           uint8_t *registers)
{
    const uint32_t count = UINT32_C(1) << precision;

    memset(registers, 0, count);
    if (payload_bytes != count / 4 * 3) {
        for (uint64_t at = 0; at + 3 <= payload_bytes; at += 3) {
            uint32_t entry =
                payload[at] | (uint32_t)payload[at + 1] << 8 | (uint32_t)payload[at + 2] << 16;
            registers[(entry >> 6) & (count - 1)] = entry & 63;
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i * 6 / 8, shift = i * 6 % 8, word = payload[at];
        if (shift > 2)
            word |= (uint32_t)payload[at + 1] << 8;
        registers[i] = word >> shift & 63;
    }
}

uint32_t ink__reversed_index(uint32_t index, uint32_t bits)
{
    return (uint32_t)(ink__reversed(index) >> (64 - bits));
}

void ink__registers_reverse(uint8_t *registers, uint32_t precision)
{
    for (uint32_t i = 0; i < UINT32_C(1) << precision; i++) {
        const uint32_t there = ink__reversed_index(i, precision);
        const uint8_t  here = registers[i];
        if (there > i) {
            registers[i] = registers[there];
            registers[there] = here;
        }
    }
}
