/* datasketches_theta.c - the compact theta sketch of Apache DataSketches: eight bytes, then the
 * number of values, the threshold and the values, if there are any. A file does not say k. */
#include "format/foreign/datasketches.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/status.h"

#include <string.h>

enum { WORD = 8, VERSION = 3, PRECISION_DEFAULT = 12, PRECISION_MAX = 26 };
enum { BIG_ENDIAN_FLAG = 1, READ_ONLY = 2, ORDERED = 16 };
enum { SEED_HASH = 0x93cc }; /* the lowest 16 bits of Murmur3 x64-128 of the seed */
enum { WRITTEN = READ_ONLY | INK__DATASKETCHES_COMPACT | ORDERED };

#define ALL INT64_MAX /* the threshold, as long as there is none */

/* ---- Reading ------------------------------------------------------------------------------ */

/* What stands before the values, and how many follow. */
typedef struct preamble {
    uint64_t words, count, threshold;
    bool     ordered, empty;
} preamble;

/* Version 1 had no flags and no seed, version 2 no flag but the seed. Java leaves the seed out of
 * an empty sketch. */
static ink_status read_flags(const ink__foreign_file *file, preamble *head, ink_error *error)
{
    const unsigned version = file->bytes[1], flags = file->bytes[5];
    const unsigned seed_hash = ink__load_u16(file->bytes + 6);

    if (version == 4)
        return INK__FOREIGN_FAIL(error, 1,
                                 "version 4, compressed, expected at most %d: write "
                                 "serialize(), not serialize_compressed()",
                                 VERSION);
    if (version == 0 || version > 4)
        return INK__FOREIGN_FAIL(error, 1, "version %u, expected 1 to %d", version, VERSION);
    if (head->words == 0 || head->words > 3 || (version == 1 && head->words != 3))
        return INK__FOREIGN_FAIL(error, 0, "a preamble of %llu words, expected 1 to 3",
                                 (unsigned long long)head->words);
    if (version == VERSION && (flags & BIG_ENDIAN_FLAG) != 0)
        return INK__FOREIGN_FAIL(error, 5, "numbers with the highest byte first");
    if (version == VERSION && (flags & INK__DATASKETCHES_COMPACT) == 0)
        return INK__FOREIGN_FAIL(error, 5, "flags 0x%x, expected a compact sketch", flags);
    head->empty = version == VERSION ? (flags & INK__DATASKETCHES_EMPTY) != 0
                                     : version == 2 && head->words == 1;
    head->ordered = version != VERSION || (flags & ORDERED) != 0;
    if (version != 1 && !head->empty && seed_hash != SEED_HASH)
        return INK__FOREIGN_FAIL(error, 6, "seed hash 0x%x, expected 0x%x, of {seed} %d", seed_hash,
                                 SEED_HASH, INK__DATASKETCHES_SEED);
    return INK_OK;
}

static ink_status read_preamble(const ink__foreign_file *file, preamble *head, ink_error *error)
{
    INK__TRY(ink__datasketches_is(file, INK__FAMILY_THETA, error));
    *head = (preamble){.words = file->bytes[0], .threshold = ALL};
    INK__TRY(read_flags(file, head, error));
    if (file->count < WORD * head->words)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %llu bytes",
                                 (unsigned long long)(WORD * head->words));
    if (head->words == 1)
        head->count = head->empty ? 0 : 1;
    else
        head->count = ink__load_u32(file->bytes + 8);
    if (head->words == 3)
        head->threshold = ink__load_u64(file->bytes + 16);
    if (head->threshold == 0 || head->threshold > ALL)
        return INK__FOREIGN_FAIL(error, 16, "threshold %llu, expected 1 to %llu",
                                 (unsigned long long)head->threshold, (unsigned long long)ALL);
    if (file->count != WORD * (head->words + head->count))
        return INK__FOREIGN_FAIL(error, head->words == 1 ? 0 : 8,
                                 "%llu values of 8 bytes, but %llu bytes follow",
                                 (unsigned long long)head->count,
                                 (unsigned long long)(file->count - WORD * head->words));
    if (head->empty && head->count != 0)
        return INK__FOREIGN_FAIL(error, 5, "%llu values in an empty sketch",
                                 (unsigned long long)head->count);
    if (head->empty) /* of a sample of the keys, too */
        head->threshold = ALL;
    return INK_OK;
}

/* Copies the values in order, and checks them. */
static ink_status read_values(const ink__foreign_file *file, const preamble *head, uint8_t *to,
                              ink_error *error)
{
    const uint8_t *from = file->bytes + WORD * head->words;
    uint64_t      *values = (uint64_t *)(void *)to, last = 0;

    for (uint64_t i = 0; i < head->count; i++)
        values[i] = ink__load_u64(from + WORD * i);
    if (!head->ordered)
        ink__sort_u64_in_place(values, (size_t)head->count, 64);
    for (uint64_t i = 0; i < head->count; i++) {
        const uint64_t value = values[i];
        if (value <= last || value >= head->threshold)
            return INK__FOREIGN_FAIL(
                error, WORD * (head->words + (head->ordered ? i : 0)),
                "value %llu after %llu, expected rising ones, above 0 and below %llu",
                (unsigned long long)value, (unsigned long long)last,
                (unsigned long long)head->threshold);
        last = value;
        ink__store_u64(to + WORD * i, value);
    }
    return INK_OK;
}

/* The precision that was given, to which a sketch is cut, as theirs by trim(); or the default, or
 * what has room for all values. */
static uint32_t choose_precision(const ink__foreign_file *file, uint64_t count)
{
    uint32_t precision = file->options->precision;

    if (precision != 0)
        return precision;
    precision = PRECISION_DEFAULT;
    while (precision < PRECISION_MAX && count > UINT64_C(1) << precision)
        precision++;
    return precision;
}

ink_status ink__datasketches_read_theta(const ink__foreign_file *file, uint64_t index,
                                        ink__foreign_sketch *sketch, ink_error *error)
{
    preamble head;

    (void)index;
    INK__TRY(read_preamble(file, &head, error));
    sketch->params.kind = "theta";
    sketch->params.precision = choose_precision(file, head.count);
    sketch->made_bytes = WORD * (head.count + 1);
    INK__TRY(ink__allocate(file->allocator, sketch->made_bytes, &sketch->made, error));
    INK__TRY(read_values(file, &head, sketch->made, error));
    if (sketch->params.precision <= PRECISION_MAX && head.count > UINT64_C(1)
                                                                      << sketch->params.precision) {
        head.count = UINT64_C(1) << sketch->params.precision;
        head.threshold = ink__load_u64(sketch->made + WORD * head.count);
    }
    ink__store_u64(sketch->made + WORD * head.count, head.threshold);
    sketch->payload = sketch->made;
    sketch->payload_bytes = WORD * (head.count + 1);
    return INK_OK;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static ink_status write_theta(const ink__foreign_source *source, const ink_sink *sink,
                              ink_error *error)
{
    const uint8_t *values = source->payload;
    uint64_t       count = source->payload_bytes / WORD - 1, words = 2;
    const uint64_t threshold = ink__load_u64(values + WORD * count);
    uint8_t        head[3 * WORD] = {[1] = VERSION, [2] = INK__FAMILY_THETA, [5] = WRITTEN};

    if (count > 0 && ink__load_u64(values) == 0) { /* their mark of a free slot */
        values += WORD;
        count--;
    }
    if (threshold != ALL)
        words = 3;
    else if (count <= 1)
        words = 1;
    if (words == 1 && count == 0)
        head[5] |= INK__DATASKETCHES_EMPTY;
    head[0] = (uint8_t)words;
    ink__store_u16(head + 6, SEED_HASH);
    ink__store_u32(head + 8, (uint32_t)count);
    ink__store_u64(head + 16, threshold);
    INK__TRY(ink__foreign_put(sink, head, WORD * words, error));
    return ink__foreign_put(sink, values, WORD * count, error);
}

/* Of a sketch that is built for them, the hash leaves out the keys that they leave out. */
static ink_status size_theta(ink_params *params, ink_error *error)
{
    (void)error;
    params->hash = "datasketches-theta";
    return INK_OK;
}

const ink__foreign_format ink__foreign_datasketches_theta = {
    .info = {.name = "datasketches-theta",
             .about = "compact theta sketch of Apache DataSketches",
             .kind = "theta",
             .reads = true,
             .writes = true,
             .precision = true},
    .hashes = (const char *const[]){"murmur3-128", "datasketches-theta", NULL},
    .seed = INK__DATASKETCHES_SEED,
    .read = ink__datasketches_read_theta,
    .write = write_theta,
    .size = size_theta,
};
