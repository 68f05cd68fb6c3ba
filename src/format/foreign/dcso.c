/* dcso.c - the filter of DCSO's bloom: six words, the words of bits, and free data to the end. */
#include "format/foreign/formats.h"

#include "base/bits.h"
#include "base/real.h"
#include "base/status.h"

enum { WORD = 8, HEAD = 6 * WORD };
#define LN2 0.6931471805599453

static uint64_t words_of(uint64_t bits)
{
    return bits / 64 + (bits % 64 != 0);
}

/* ---- Reading ------------------------------------------------------------------------------ */

static bool is_rate(double rate)
{
    return rate > 0 && rate < 1;
}

static ink_status read_dcso(const ink__foreign_file *file, uint64_t index,
                            ink__foreign_sketch *sketch, ink_error *error)
{
    const uint8_t *bytes = file->bytes;

    (void)index;
    if (file->count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
        return INK__FOREIGN_FAIL(error, 0, "gzip data, expected what gunzip makes of it");
    if (file->count < HEAD)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %d bytes", HEAD);
    const double   rate = ink__double_of_bits(ink__load_u64(bytes + 16));
    const uint64_t hashes = ink__load_u64(bytes + 24), bits = ink__load_u64(bytes + 32);
    const uint64_t follow = file->count - HEAD;
    if (ink__load_u64(bytes) != 1)
        return INK__FOREIGN_FAIL(error, 0, "version %llu, expected 1",
                                 (unsigned long long)ink__load_u64(bytes));
    if (!is_rate(rate))
        return INK__FOREIGN_FAIL(error, 16, "rate %g, expected above 0 and below 1", rate);
    if (hashes == 0 || hashes > UINT32_MAX)
        return INK__FOREIGN_FAIL(error, 24, "%llu hashes, expected 1 or more",
                                 (unsigned long long)hashes);
    if (bits == 0 || words_of(bits) > follow / WORD)
        return INK__FOREIGN_FAIL(error, 32, "%llu bits, but %llu bytes follow",
                                 (unsigned long long)bits, (unsigned long long)follow);
    /* Any data may follow: without a name, a file is taken for a filter by its length. */
    if (file->options->format == NULL && follow != words_of(bits) * WORD)
        return INK__FOREIGN_FAIL(error, HEAD + words_of(bits) * WORD, "data after the filter");
    const uint64_t last = ink__load_u64(bytes + HEAD + (words_of(bits) - 1) * WORD);
    if (bits % 64 != 0 && last >> bits % 64 != 0)
        return INK__FOREIGN_FAIL(error, HEAD + (words_of(bits) - 1) * WORD,
                                 "bits set above the last one, expected none");
    sketch->params.kind = "classic";
    sketch->params.expected_keys = ink__load_u64(bytes + 8);
    sketch->params.bits = bits;
    sketch->params.hashes = (uint32_t)hashes;
    sketch->target_rate = rate;
    sketch->payload = bytes + HEAD;
    sketch->payload_bytes = bits / 8 + (bits % 8 != 0);
    return INK_OK;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* How many keys changed the filter as they came: the number of records if the bits are those of as
 * many different keys, within four standard deviations; else what the bits say. */
static uint64_t inserts(const ink__foreign_source *source)
{
    const double m = (double)source->is.bits, k = source->is.hashes;
    uint64_t     ones = 0;

    for (uint64_t at = 0; at < source->payload_bytes; at++)
        ones += ink__ones_32(source->payload[at]);
    const double zeros = ones == source->is.bits ? 0.5 : m - (double)ones;
    const double load = -ink__ln(zeros / m), records = (double)source->is.records;
    const double spread = 4 * ink__sqrt(zeros * (1 - zeros / m - load * zeros / m)) * m / zeros / k;
    const double estimate = load * m / k;
    if (source->is.records != 0 && records - estimate <= spread + 1 &&
        estimate - records <= spread + 1)
        return source->is.records;
    return (uint64_t)(estimate + 0.5);
}

static ink_status write_dcso(const ink__foreign_source *source, const ink_sink *sink,
                             ink_error *error)
{
    const ink_description *is = &source->is;
    const uint8_t          zeros[WORD] = {0};
    const double           rate = is->target_rate != 0 ? is->target_rate : is->promised_rate;
    uint8_t                head[HEAD];

    if (is->expected_keys == 0 || !is_rate(rate))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "no {expected_keys} or no rate, which the file states");
    ink__store_u64(head, 1);
    ink__store_u64(head + 8, is->expected_keys);
    ink__store_u64(head + 16, ink__bits_of_double(rate));
    ink__store_u64(head + 24, is->hashes);
    ink__store_u64(head + 32, is->bits);
    ink__store_u64(head + 40, inserts(source));
    INK__TRY(ink__foreign_put(sink, head, HEAD, error));
    INK__TRY(ink__foreign_put(sink, source->payload, source->payload_bytes, error));
    return ink__foreign_put(sink, zeros, words_of(is->bits) * WORD - source->payload_bytes, error);
}

const ink__foreign_format ink__foreign_dcso = {
    .info = {.name = "dcso",
             .about = "filter of DCSO's bloom",
             .kind = "classic",
             .lost = "the number of keys that were inserted, and free data",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"dcso", NULL},
    .read = read_dcso,
    .write = write_dcso,
};
