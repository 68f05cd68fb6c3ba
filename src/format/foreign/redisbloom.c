/* redisbloom.c - the Bloom filters of RedisBloom, a chain of them for each key: the chunks of
 * BF.SCANDUMP, one after another, or what DUMP gives. */
#include "format/foreign/formats.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/foreign/rdb.h"

#include <string.h>

/* The first chunk describes the chain and its filters, in this order. */
enum { AT_KEYS = 0, AT_FILTERS = 8, AT_OPTIONS = 12, HEAD = 20 };
enum { AT_BYTES = 0, AT_BITS = 8, AT_HELD = 16, AT_RATE = 24, AT_BITS_EACH = 32, AT_HASHES = 40 };
enum { AT_EXPECTED = 44, AT_POWER = 52, FILTER_BYTES = 53 };
enum { HASHES_64 = 4, ONE_FILTER = 8, OPTIONS_ALL = 15 };

enum { FILTERS_MAX = 1024, HASHES_MAX = 1024, POWER_MAX = 43 };
#define LN2 0.693147180559945 /* as RedisBloom has it */
#define BELOW_1 0x1.fffffffffffffp-1

/* Reads one description after another. */
typedef struct chain {
    ink__rdb in;
    bool     dumped;   /* the bits of a filter come with its description ... */
    uint64_t cells_at; /* ... or after all descriptions, those of the next one here */
    uint64_t keys, filters, options;
} chain;

typedef struct filter {
    uint64_t        at;          /* in the file */
    uint64_t        bits, power; /* positions are below the bits or, unless it is 0, 2^power */
    uint64_t        keys, expected, hashes;
    double          rate, bits_each; /* of a key */
    ink__rdb_string cells;           /* all words that have some of the bits */
} filter;

/* ---- Chunks ------------------------------------------------------------------------------- */

static ink_status open_chunks(chain *c, ink_error *error)
{
    const uint8_t *bytes = c->in.bytes;

    if (c->in.count < HEAD)
        return INK__FOREIGN_FAIL(error, c->in.count, "the file ends in the first %d bytes", HEAD);
    c->keys = ink__load_u64(bytes + AT_KEYS);
    c->filters = ink__load_u32(bytes + AT_FILTERS);
    c->options = ink__load_u32(bytes + AT_OPTIONS);
    c->in.at = HEAD;
    c->cells_at = HEAD + FILTER_BYTES * c->filters;
    if (c->cells_at > c->in.count)
        return INK__FOREIGN_FAIL(error, AT_FILTERS, "%llu filters, but the file has %llu bytes",
                                 (unsigned long long)c->filters, (unsigned long long)c->in.count);
    return INK_OK;
}

static ink_status next_of_chunks(chain *c, filter *f, ink_error *error)
{
    const uint8_t *at = c->in.bytes + c->in.at;
    const uint64_t bytes = ink__load_u64(at + AT_BYTES);

    if (bytes > c->in.count - c->cells_at)
        return INK__FOREIGN_FAIL(error, f->at + AT_BYTES, "%llu bytes of bits, but %llu follow",
                                 (unsigned long long)bytes,
                                 (unsigned long long)(c->in.count - c->cells_at));
    f->bits = ink__load_u64(at + AT_BITS);
    f->keys = ink__load_u64(at + AT_HELD);
    f->rate = ink__double_of_bits(ink__load_u64(at + AT_RATE));
    f->hashes = ink__load_u32(at + AT_HASHES);
    f->expected = ink__load_u64(at + AT_EXPECTED);
    f->cells = (ink__rdb_string){c->in.bytes + c->cells_at, bytes, bytes, c->cells_at, false};
    f->bits_each = ink__double_of_bits(ink__load_u64(at + AT_BITS_EACH));
    f->power = at[AT_POWER];
    c->in.at += FILTER_BYTES;
    c->cells_at += bytes;
    return INK_OK;
}

/* redis-cli adds a line end. */
static ink_status end_of_chunks(const chain *c, ink_error *error)
{
    const uint64_t left = c->in.count - c->cells_at;

    if (left == 0 || (left == 1 && c->in.bytes[c->cells_at] == '\n'))
        return INK_OK;
    return INK__FOREIGN_FAIL(error, c->cells_at, "%llu bytes after the last filter, expected none",
                             (unsigned long long)left);
}

/* ---- DUMP --------------------------------------------------------------------------------- */

#define TYPE ((ink__rdb_type){0x0c05b968a26fbeu, 4}) /* MBbloom-- */

static ink_status open_dump(chain *c, ink_error *error)
{
    uint64_t growth;

    INK__TRY(ink__rdb_open_module(&c->in, c->in.bytes, c->in.count, TYPE, error));
    INK__TRY(ink__rdb_field_number(&c->in, &c->keys, error));
    INK__TRY(ink__rdb_field_number(&c->in, &c->filters, error));
    INK__TRY(ink__rdb_field_number(&c->in, &c->options, error));
    return ink__rdb_field_number(&c->in, &growth, error);
}

static ink_status next_of_dump(chain *c, filter *f, ink_error *error)
{
    INK__TRY(ink__rdb_field_number(&c->in, &f->expected, error));
    INK__TRY(ink__rdb_field_double(&c->in, &f->rate, error));
    INK__TRY(ink__rdb_field_number(&c->in, &f->hashes, error));
    INK__TRY(ink__rdb_field_double(&c->in, &f->bits_each, error));
    INK__TRY(ink__rdb_field_number(&c->in, &f->bits, error));
    INK__TRY(ink__rdb_field_number(&c->in, &f->power, error));
    INK__TRY(ink__rdb_field_text(&c->in, &f->cells, error));
    return ink__rdb_field_number(&c->in, &f->keys, error);
}

/* ---- Both --------------------------------------------------------------------------------- */

static ink_status open_chain(const ink__foreign_file *file, chain *c, ink_error *error)
{
    *c = (chain){.in = {file->bytes, file->count, 0},
                 .dumped = ink__rdb_is_module(file->bytes, file->count, TYPE.letters)};
    INK__TRY(c->dumped ? open_dump(c, error) : open_chunks(c, error));
    if (c->filters == 0 || c->filters > FILTERS_MAX)
        return INK__FOREIGN_FAIL(error, AT_FILTERS, "%llu filters, expected 1 to %d",
                                 (unsigned long long)c->filters, FILTERS_MAX);
    if (c->options > OPTIONS_ALL)
        return INK__FOREIGN_FAIL(error, AT_OPTIONS, "options %llu, expected at most %d",
                                 (unsigned long long)c->options, OPTIONS_ALL);
    if ((c->options & HASHES_64) == 0)
        return INK__FOREIGN_FAIL(error, AT_OPTIONS,
                                 "options %llu: hashes of 32 bits, expected those of 64 bits (4)",
                                 (unsigned long long)c->options);
    return INK_OK;
}

/* Sizes that no filter of RedisBloom has. */
static ink_status check_filter(const chain *c, const filter *f, ink_error *error)
{
    const double hashes = LN2 * f->bits_each; /* rounded up */

    if (!(f->rate > 0 && f->rate < 1))
        return INK__FOREIGN_FAIL(error, f->at, "a filter with rate %g, expected 0 to 1", f->rate);
    if (f->hashes == 0 || f->hashes > HASHES_MAX || !(hashes > (double)(f->hashes - 1)) ||
        !(hashes <= (double)f->hashes))
        return INK__FOREIGN_FAIL(error, f->at, "a filter with %llu hashes and %g bits a key",
                                 (unsigned long long)f->hashes, f->bits_each);
    if (f->bits == 0 || f->bits > UINT64_C(1) << POWER_MAX || f->cells.bytes < (f->bits + 7) / 8 ||
        f->cells.bytes > f->bits / 8 + 8)
        return INK__FOREIGN_FAIL(error, f->at, "a filter with %llu bits in %llu bytes",
                                 (unsigned long long)f->bits, (unsigned long long)f->cells.bytes);
    if (f->expected == 0 || (f->keys == 0 && c->filters > 1))
        return INK__FOREIGN_FAIL(error, f->at, "a filter with %llu keys of %llu",
                                 (unsigned long long)f->keys, (unsigned long long)f->expected);
    return INK_OK;
}

static ink_status next_filter(chain *c, filter *f, ink_error *error)
{
    *f = (filter){.at = c->in.at};
    INK__TRY(c->dumped ? next_of_dump(c, f, error) : next_of_chunks(c, f, error));
    if (f->power > POWER_MAX)
        return INK__FOREIGN_FAIL(error, f->at, "a filter with 2^%llu bits, expected at most 2^%d",
                                 (unsigned long long)f->power, POWER_MAX);
    if (f->power != 0)
        f->bits = UINT64_C(1) << f->power;
    return check_filter(c, f, error);
}

/* ---- As a chain of ours ------------------------------------------------------------------- */

/* The parameters and records of a scalable, as docs/format.md has them. */
enum { FIELD_EXPECTED, FIELD_TARGET, FIELD_PROMISED, FIELD_RATIO, FIELD_CHAINS, FIELD_LEVELS };
enum { RECORD_WORDS = 8, RECORD_BYTES = 8 * RECORD_WORDS, CLASSIC = 2 };

/* Where bits that come after `end` begin. */
static uint64_t bits_after(uint64_t end)
{
    return (end + RECORD_BYTES - 1) / RECORD_BYTES * RECORD_BYTES;
}

/* Reads all descriptions: fields, sizes and records. */
static ink_status measure(const ink__foreign_file *file, ink__foreign_sketch *sketch,
                          ink_error *error)
{
    uint64_t keys = 0;
    double   rate = 0;
    chain    c;
    filter   f;

    INK__TRY(open_chain(file, &c, error));
    sketch->payload_bytes = RECORD_BYTES * c.filters;
    for (uint64_t i = 0; i < c.filters; i++) {
        INK__TRY(next_filter(&c, &f, error));
        if (i == 0)
            sketch->fields[FIELD_EXPECTED] = f.expected;
        rate += f.rate;
        if (f.keys > c.keys - keys)
            return INK__FOREIGN_FAIL(error, AT_KEYS, "%llu keys, but its filters have more",
                                     (unsigned long long)c.keys);
        keys += f.keys;
        sketch->payload_bytes = bits_after(sketch->payload_bytes) + (f.bits + 7) / 8;
    }
    INK__TRY(c.dumped ? ink__rdb_end_module(&c.in, error) : end_of_chunks(&c, error));
    if (keys != c.keys)
        return INK__FOREIGN_FAIL(error, AT_KEYS, "%llu keys, but its filters have %llu",
                                 (unsigned long long)c.keys, (unsigned long long)keys);
    /* The rates of all filters to come are at most that of the last one. */
    rate += (c.options & ONE_FILTER) != 0 ? 0 : f.rate;
    rate = rate < 1 ? rate : BELOW_1;
    sketch->fields[FIELD_TARGET] = sketch->fields[FIELD_PROMISED] = ink__bits_of_double(rate);
    sketch->fields[FIELD_RATIO] = ink__bits_of_double(0.5);
    sketch->fields[FIELD_CHAINS] = 1;
    sketch->fields[FIELD_LEVELS] = c.filters;
    sketch->records = keys;
    return INK_OK;
}

static void put_record(uint8_t *to, const filter *f, bool last, uint64_t bits_at)
{
    const uint64_t expected = last && f->expected > f->keys ? f->expected : f->keys;
    const uint64_t rate = ink__bits_of_double(f->rate);
    const uint64_t words[RECORD_WORDS] = {CLASSIC, f->keys, expected,  rate,
                                          rate,    f->bits, f->hashes, bits_at};

    for (unsigned i = 0; i < RECORD_WORDS; i++)
        ink__store_u64(to + 8 * i, words[i]);
}

/* The bits of a filter of no keys, and those above the last position, are 0. */
static ink_status check_bits(const filter *f, const uint8_t *bits, ink_error *error)
{
    const uint64_t first = f->keys == 0 ? 0 : f->bits;

    for (uint64_t i = first / 8; i < f->cells.bytes; i++)
        if (bits[i] >> (i == first / 8 ? first % 8 : 0) != 0)
            return INK__FOREIGN_FAIL(error, f->cells.at + (f->cells.compressed ? 0 : i),
                                     "bits set in byte %llu of a filter of %llu keys and %llu bits",
                                     (unsigned long long)i, (unsigned long long)f->keys,
                                     (unsigned long long)f->bits);
    return INK_OK;
}

static ink_status fill(const ink__foreign_file *file, uint8_t *to, ink_error *error)
{
    chain  c;
    filter f;

    INK__TRY(open_chain(file, &c, error));
    for (uint64_t i = 0, end = RECORD_BYTES * c.filters; i < c.filters; i++) {
        const uint64_t start = bits_after(end);
        INK__TRY(next_filter(&c, &f, error));
        ink__rdb_unpack(&f.cells, to + start);
        INK__TRY(check_bits(&f, to + start, error));
        put_record(to + RECORD_BYTES * i, &f, i + 1 == c.filters, start);
        end = start + (f.bits + 7) / 8;
    }
    return INK_OK;
}

static ink_status read_chain(const ink__foreign_file *file, uint64_t index,
                             ink__foreign_sketch *sketch, ink_error *error)
{
    (void)index;
    INK__TRY(measure(file, sketch, error));
    sketch->params.kind = "scalable";
    sketch->has_fields = true;
    sketch->made_bytes = sketch->payload_bytes + 8; /* the last word may go beyond the last bit */
    INK__TRY(ink__allocate_zeroed(file->allocator, sketch->made_bytes, &sketch->made, error));
    sketch->payload = sketch->made;
    INK__TRY(fill(file, sketch->made, error));
    if (sketch->records == 0) /* ours opens the first with the first key */
        sketch->payload_bytes = sketch->fields[FIELD_LEVELS] = 0;
    return INK_OK;
}

const ink__foreign_format ink__foreign_redisbloom = {
    .info = {.name = "redisbloom",
             .about = "Bloom filters of RedisBloom (BF)",
             .kind = "scalable",
             .lost = "how the chain was to grow",
             .reads = true},
    .hashes = (const char *const[]){"redisbloom", NULL},
    .read = read_chain,
};
