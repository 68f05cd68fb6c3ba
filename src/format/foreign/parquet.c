/* parquet.c - Bloom filters of Parquet, each a header and a bitset: by themselves, or in the row
 * groups of a Parquet file. The bits are those of a bloom. */
#include "base/bits.h"
#include "base/real.h"
#include "base/status.h"
#include "format/foreign/parquet_file.h"
#include "format/foreign/thrift.h"

/* Readers take powers of two from a block to 128 MiB. */
enum { BLOCK_BYTES = 32, BLOCK_BITS = 8 * BLOCK_BYTES, BITS_MAX = 1 << 30 };
/* Of ink_params, where it is 0. */
#define DEFAULT_RATE 0.01

/* ---- Reading ------------------------------------------------------------------------------ */

/* A union, of which Parquet has one member so far, an empty struct. */
static ink_status read_union(ink__thrift *from, const ink__thrift_field *of, const char *expected,
                             ink_error *error)
{
    ink__thrift_field field = {0, INK__THRIFT_STOP};
    const uint64_t    at = from->at;

    INK__TRY(ink__thrift_struct(from, of, error));
    INK__TRY(ink__thrift_next(from, &field, error));
    if (field.type != INK__THRIFT_STRUCT || field.id != 1)
        return INK__FOREIGN_FAIL(error, at,
                                 "a Bloom filter of another sort (field %u: %u), expected %s",
                                 of->id, field.id, expected);
    INK__TRY(ink__thrift_skip(from, &field, error));
    INK__TRY(ink__thrift_next(from, &field, error));
    if (field.type != INK__THRIFT_STOP)
        return INK__FOREIGN_FAIL(error, from->at - 1, "field %u is two at once, expected %s",
                                 of->id, expected);
    return INK_OK;
}

/* A header, up to its bitset of *bytes bytes. */
static ink_status read_header(ink__thrift *from, uint64_t *bytes, ink_error *error)
{
    static const char *const members[] = {"", "", "split blocks", "xxHash", "no compression"};
    ink__thrift_field        field = {0, INK__THRIFT_STOP};
    const uint64_t           at = from->at;
    unsigned                 seen = 0;
    int64_t                  number = 0;

    for (;;) {
        INK__TRY(ink__thrift_next(from, &field, error));
        if (field.type == INK__THRIFT_STOP)
            break;
        if (field.id == 1)
            INK__TRY(ink__thrift_number(from, &field, &number, error));
        else if (field.id >= 2 && field.id <= 4)
            INK__TRY(read_union(from, &field, members[field.id], error));
        else
            INK__TRY(ink__thrift_skip(from, &field, error));
        seen |= field.id < 5 ? 1u << field.id : 0;
    }
    if (seen >> 1 != 15)
        return INK__FOREIGN_FAIL(error, at, "the header of a Bloom filter without %s",
                                 (seen & 2) == 0   ? "a size"
                                 : (seen & 4) == 0 ? "an algorithm"
                                 : (seen & 8) == 0 ? "a hash"
                                                   : "a compression");
    if (number <= 0 || number % BLOCK_BYTES != 0 || number > INT32_MAX)
        return INK__FOREIGN_FAIL(error, at, "a bitset of %lld bytes, expected blocks of %d",
                                 (long long)number, BLOCK_BYTES);
    *bytes = (uint64_t)number;
    return INK_OK;
}

/* States the filter from `at` on, which must not go beyond `end`. */
static ink_status state_filter(const ink__foreign_file *file, uint64_t at, uint64_t end,
                               ink__foreign_sketch *sketch, ink_error *error)
{
    ink__thrift from = {file->bytes, at, end};

    INK__TRY(read_header(&from, &sketch->payload_bytes, error));
    if (sketch->payload_bytes > end - from.at)
        return INK__FOREIGN_FAIL(error, at, "a bitset of %llu bytes, but %llu follow",
                                 (unsigned long long)sketch->payload_bytes,
                                 (unsigned long long)(end - from.at));
    sketch->params.kind = "bloom";
    sketch->params.bits = 8 * sketch->payload_bytes;
    sketch->payload = file->bytes + from.at;
    return INK_OK;
}

static ink_status read_group(const ink__foreign_file *file, uint64_t index,
                             ink__foreign_sketch *sketch, ink_error *error)
{
    enum { TOTAL = INK__FOREIGN_NEXT - 1 };
    ink__parquet_filter filter;

    INK__TRY(ink__parquet_find(file, index, sketch->next, &filter, error));
    const bool int32 = filter.type == INK__PARQUET_INT32;
    sketch->params.key_type =
        int32 || filter.type == INK__PARQUET_INT64 ? INK_KEY_INT : INK_KEY_BYTES;
    sketch->params.hash = int32 ? "xxh64-int32" : "xxh64";
    sketch->more = filter.more;
    ink__format(sketch->group, sizeof sketch->group, "%llu", (unsigned long long)index);
    INK__TRY(state_filter(file, filter.at, filter.end, sketch, error));
    /* Each has bytes of its own: a small file is not to become many large sketches. */
    sketch->next[TOTAL] += sketch->payload_bytes;
    if (sketch->next[TOTAL] <= file->count)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, filter.at, "row group %llu shares its Bloom filter with others",
                             (unsigned long long)index);
}

static ink_status read(const ink__foreign_file *file, uint64_t index, ink__foreign_sketch *sketch,
                       ink_error *error)
{
    if (ink__parquet_is_file(file->bytes, file->count))
        return read_group(file, index, sketch, error);
    INK__TRY(state_filter(file, 0, file->count, sketch, error));
    const uint64_t used = (uint64_t)(sketch->payload - file->bytes) + sketch->payload_bytes;
    if (used == file->count)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, used, "%llu bytes after the filter",
                             (unsigned long long)(file->count - used));
}

/* After the magic number comes the header of a page, or the footer: its first field is a number,
 * which a byte says that text does not have. */
static bool begins(const uint8_t *bytes, size_t count)
{
    return count > 4 && ink__parquet_is_file(bytes, count) &&
           bytes[4] == (1 << 4 | INK__THRIFT_I32);
}

/* ---- Writing ------------------------------------------------------------------------------ */

static ink_status fail_seed(uint64_t seed, ink_status status, ink_error *error)
{
    return ink__fail(error, status, INK_NOWHERE, 0, "seed %llu, expected 0 for parquet",
                     (unsigned long long)seed);
}

static ink_status write(const ink__foreign_source *source, const ink_sink *sink, ink_error *error)
{
    static const uint8_t members[] = {0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0};
    uint8_t              head[8 + sizeof members];
    size_t               used = 0;

    if (source->is.seed != 0)
        return fail_seed(source->is.seed, INK_MISMATCH, error);
    head[used++] = 1 << 4 | INK__THRIFT_I32;
    for (uint64_t left = 2 * source->payload_bytes; left > 0; left >>= 7)
        head[used++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    memcpy(head + used, members, sizeof members);
    INK__TRY(ink__foreign_put(sink, head, used + sizeof members, error));
    return ink__foreign_put(sink, source->payload, source->payload_bytes, error);
}

/* To the largest size that divides the filter's. */
static uint64_t divisor(const ink_description *is)
{
    const uint64_t most = is->bits & (0 - is->bits);

    return is->bits / (most < BITS_MAX ? most : BITS_MAX);
}

/* As Parquet's writers size: -8 n / ln(1 - p^(1/8)) bits, cut to a whole number, and up to a power
 * of two. */
static ink_status size(ink_params *params, ink_error *error)
{
    const double p = params->false_positive_rate == 0 ? DEFAULT_RATE : params->false_positive_rate;
    const double keys = (double)params->expected_keys;

    if (params->seed != 0)
        return fail_seed(params->seed, INK_USAGE, error);
    if (params->bits != 0 && (!ink__is_power_of_two(params->bits) || params->bits < BLOCK_BITS ||
                              params->bits > BITS_MAX))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{bits} %llu, expected a power of two from %d to 2^30 for parquet",
                         (unsigned long long)params->bits, BLOCK_BITS);
    if (params->bits != 0 || params->expected_keys == 0 || !(p > 0 && p < 1))
        return INK_OK;
    const double zeros = 1 - ink__sqrt(ink__sqrt(ink__sqrt(p)));
    const double bits = zeros > 0 ? -8 * keys / ink__ln(zeros) : 0;
    if (bits >= BITS_MAX + 1.0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{expected_keys} %llu at rate %g need %llu MiB, expected at most 128 MiB "
                         "for parquet",
                         (unsigned long long)params->expected_keys, p,
                         bits < 0x1p60 ? (unsigned long long)(bits / 0x1p23) + 1 : 1ull << 37);
    for (params->bits = BLOCK_BITS; params->bits < (uint64_t)bits;)
        params->bits *= 2;
    params->false_positive_rate = 0; /* the bits decide */
    return INK_OK;
}

const ink__foreign_format ink__foreign_parquet = {
    .info = {.name = "parquet",
             .about = "Bloom filters of Parquet: one by itself, or those of a column of a file",
             .kind = "bloom",
             .reads = true,
             .writes = true,
             .certain = true,
             .columns = true},
    .hashes = (const char *const[]){"xxh64", "xxh64-int32", NULL},
    .begins = begins,
    .read = read,
    .write = write,
    .size = size,
    .divisor = divisor,
};
