/* postgresql.c - the type hll of PostgreSQL: a few hashes, or registers, packed from the highest
 * bit of each byte on. Bytes, or the text that psql shows of them. */
#include "format/foreign/formats.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

enum { HEAD = 3, SCHEMA = 1 };
enum { UNDEFINED, EMPTY, EXPLICIT, SPARSE, FULL };
enum { PRECISION_MIN = 4, PRECISION_MAX = 18 };
/* The settings that the type has if none are given. */
enum { PRECISION_DEFAULT = 11, VALUE_BITS = 5, VALUE_MAX = (1 << VALUE_BITS) - 1 };
/* How many hashes are kept, as a power of two and 1; and whether registers may be sparse. */
enum { KEPT = 0x3f, KEPT_MAX = 31, KEPT_AUTO = 63, MAY_BE_SPARSE = 0x40 };
/* No server takes more. */
enum { WRITTEN_PRECISION_MAX = 17 };

/* ---- Bits --------------------------------------------------------------------------------- */

static uint32_t load_bits(const uint8_t *bytes, uint64_t at, uint32_t count)
{
    uint32_t value = 0;

    for (uint64_t i = at; i < at + count; i++)
        value = value << 1 | ((unsigned)bytes[i / 8] >> (7 - i % 8) & 1u);
    return value;
}

/* To bytes that are 0. */
static void store_bits(uint8_t *bytes, uint64_t at, uint32_t count, uint32_t value)
{
    for (uint64_t i = 0; i < count; i++)
        bytes[(at + i) / 8] |= (uint8_t)((value >> (count - 1 - i) & 1u) << (7 - (at + i) % 8));
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* A value; of a text, every byte is two digits. */
typedef struct value {
    const uint8_t *bytes;
    uint64_t       count;
    bool           text;
    uint32_t       type, precision, value_bits;
} value;

static uint64_t at_of(const value *v, uint64_t byte)
{
    return v->text ? 2 + 2 * byte : byte;
}

static ink_status read_head(value *v, ink_error *error)
{
    if (v->count < HEAD)
        return INK__FOREIGN_FAIL(error, at_of(v, v->count), "the file ends in the first %d bytes",
                                 HEAD);
    const uint32_t schema = v->bytes[0] >> 4, settings = v->bytes[2], kept = settings & KEPT;
    v->type = v->bytes[0] & 15u;
    v->precision = v->bytes[1] & 31u;
    v->value_bits = (v->bytes[1] >> 5) + 1u;
    if (schema != SCHEMA || v->type > FULL)
        return INK__FOREIGN_FAIL(error, 0, "schema %u and type %u, expected %d and 1 to %d", schema,
                                 v->type, SCHEMA, FULL);
    if (v->type == UNDEFINED)
        return INK__FOREIGN_FAIL(error, 0, "an undefined hll, expected a set");
    if (v->precision < PRECISION_MIN || v->precision > PRECISION_MAX)
        return INK__FOREIGN_FAIL(error, at_of(v, 1), "log2m %u, expected %d to %d", v->precision,
                                 PRECISION_MIN, PRECISION_MAX);
    if (settings > (MAY_BE_SPARSE | KEPT) || (kept > KEPT_MAX && kept != KEPT_AUTO))
        return INK__FOREIGN_FAIL(error, at_of(v, 2),
                                 "settings 0x%x, expected a threshold of %d, or 0 to %d", settings,
                                 KEPT_AUTO, KEPT_MAX);
    return INK_OK;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Hashes that rise, as numbers with a sign; the first of their bits say the register. */
static ink_status read_explicit(const value *v, uint8_t *registers, ink_error *error)
{
    const uint32_t most = (1u << v->value_bits) - 1;
    int64_t        before = 0;

    if ((v->count - HEAD) % 8 != 0)
        return INK__FOREIGN_FAIL(error, at_of(v, v->count), "%llu bytes of hashes, expected 8 each",
                                 (unsigned long long)(v->count - HEAD));
    for (uint64_t at = HEAD; at < v->count; at += 8) {
        const uint64_t hash = ink__load_u64_high_first(v->bytes + at), rest = hash >> v->precision;
        const uint64_t index = hash & ((UINT64_C(1) << v->precision) - 1);
        if (at > HEAD && (int64_t)hash <= before)
            return INK__FOREIGN_FAIL(error, at_of(v, at), "hash %lld after %lld, expected more",
                                     (long long)hash, (long long)before);
        before = (int64_t)hash;
        if (rest != 0) {
            uint32_t found = smaller((uint32_t)__builtin_ctzll(rest) + 1, most);
            registers[index] = registers[index] < found ? (uint8_t)found : registers[index];
        }
    }
    return INK_OK;
}

static ink_status set_register(const value *v, uint64_t bit, uint32_t index, uint32_t found,
                               uint8_t *registers, ink_error *error)
{
    if (found > 65 - v->precision)
        return INK__FOREIGN_FAIL(error, at_of(v, HEAD + bit / 8),
                                 "register %u is %u, expected at most %u", index, found,
                                 65 - v->precision);
    registers[index] = (uint8_t)found;
    return INK_OK;
}

/* The bits from `used` on, fewer than eight, are 0. */
static ink_status check_rest(const value *v, uint64_t used, ink_error *error)
{
    const uint64_t all = (v->count - HEAD) * 8;

    if (all - used >= 8 || load_bits(v->bytes + HEAD, used, (uint32_t)(all - used)) != 0)
        return INK__FOREIGN_FAIL(error, at_of(v, HEAD + used / 8),
                                 "bits after the last register, expected fewer than 8, and 0");
    return INK_OK;
}

static ink_status read_sparse(const value *v, uint8_t *registers, ink_error *error)
{
    const uint32_t each = v->precision + v->value_bits;
    const uint64_t bits = (v->count - HEAD) * 8;
    uint64_t       used = 0;
    uint32_t       next = 0;

    for (; bits - used >= each; used += each) {
        const uint32_t index = load_bits(v->bytes + HEAD, used, v->precision);
        const uint32_t found = load_bits(v->bytes + HEAD, used + v->precision, v->value_bits);
        if (found == 0 && bits - used < 8) /* a small register fits the rest */
            break;
        if (index < next || found == 0)
            return INK__FOREIGN_FAIL(error, at_of(v, HEAD + used / 8),
                                     "register %u is %u, expected %u or more, and not 0", index,
                                     found, next);
        next = index + 1;
        INK__TRY(set_register(v, used, index, found, registers, error));
    }
    return check_rest(v, used, error);
}

static ink_status read_full(const value *v, uint8_t *registers, ink_error *error)
{
    const uint64_t bits = (uint64_t)v->value_bits << v->precision;

    if (v->count - HEAD != (bits + 7) / 8)
        return INK__FOREIGN_FAIL(
            error, at_of(v, v->count), "%llu bytes, expected %llu for 2^%u registers of %u bits",
            (unsigned long long)v->count, (unsigned long long)(HEAD + (bits + 7) / 8), v->precision,
            v->value_bits);
    for (uint32_t i = 0; i < UINT32_C(1) << v->precision; i++) {
        const uint64_t at = (uint64_t)i * v->value_bits;
        const uint32_t found = load_bits(v->bytes + HEAD, at, v->value_bits);
        INK__TRY(set_register(v, at, i, found, registers, error));
    }
    return check_rest(v, bits, error);
}

static ink_status read_registers(const value *v, uint8_t *registers, ink_error *error)
{
    if (v->type == EXPLICIT)
        return read_explicit(v, registers, error);
    if (v->type == SPARSE)
        return read_sparse(v, registers, error);
    return v->type == FULL ? read_full(v, registers, error) : check_rest(v, 0, error);
}

static ink_status read_value(const ink__foreign_file *file, value *v, ink__foreign_sketch *sketch,
                             ink_error *error)
{
    uint8_t *registers;

    INK__TRY(read_head(v, error));
    const uint64_t count = UINT64_C(1) << v->precision;
    INK__TRY(ink__allocate_zeroed(file->allocator, count, &registers, error));
    ink_status status = read_registers(v, registers, error);
    if (status == INK_OK) {
        sketch->params.kind = "hll";
        sketch->params.precision = v->precision;
        ink__registers_reverse(registers, v->precision);
        status = ink__registers_pack(registers, v->precision, sketch, file->allocator, error);
    }
    ink__release(file->allocator, registers, count);
    return status;
}

/* ---- Text --------------------------------------------------------------------------------- */

/* The value of a digit, or 16. */
static unsigned digit_of(uint8_t byte)
{
    return byte >= '0' && byte <= '9'   ? (unsigned)byte - '0'
           : byte >= 'a' && byte <= 'f' ? (unsigned)byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? (unsigned)byte - 'A' + 10
                                        : 16;
}

static ink_status load_text(const uint8_t *text, uint64_t digits, uint8_t *bytes, ink_error *error)
{
    for (uint64_t i = 0; i < digits; i++) {
        const unsigned digit = digit_of(text[i]);
        if (digit > 15)
            return INK__FOREIGN_FAIL(error, 2 + i, "byte 0x%x, expected a digit of base 16",
                                     text[i]);
        bytes[i / 2] = (uint8_t)((unsigned)bytes[i / 2] << 4 | digit);
    }
    if (digits % 2 != 0)
        return INK__FOREIGN_FAIL(error, 2 + digits, "%llu digits, expected two for each byte",
                                 (unsigned long long)digits);
    return INK_OK;
}

static ink_status read_hll(const ink__foreign_file *file, uint64_t index,
                           ink__foreign_sketch *sketch, ink_error *error)
{
    const uint8_t *bytes = file->bytes;
    value          v = {.bytes = bytes, .count = file->count};
    uint8_t       *memory;

    (void)index;
    if (v.count < 2 || memcmp(bytes, "\\x", 2) != 0)
        return read_value(file, &v, sketch, error);
    uint64_t digits = v.count - 2;
    digits -= digits > 0 && bytes[digits + 1] == '\n';
    digits -= digits > 0 && bytes[digits + 1] == '\r';
    const uint64_t room = digits / 2 + 1;
    INK__TRY(ink__allocate_zeroed(file->allocator, room, &memory, error));
    v = (value){.bytes = memory, .count = digits / 2, .text = true};
    ink_status status = load_text(bytes + 2, digits, memory, error);
    if (status == INK_OK)
        status = read_value(file, &v, sketch, error);
    ink__release(file->allocator, memory, room);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* Writes the value of these registers, as the type would write it; returns its bytes. */
static uint64_t write_value(const uint8_t *registers, uint32_t precision, uint8_t *to)
{
    const uint64_t count = UINT64_C(1) << precision, full = count * VALUE_BITS;
    uint64_t       set = 0, at = 0;

    for (uint64_t i = 0; i < count; i++)
        set += registers[i] != 0;
    const bool sparse = set * (precision + VALUE_BITS) < full;
    to[0] = (uint8_t)(SCHEMA << 4 | (set == 0 ? EMPTY : sparse ? SPARSE : FULL));
    to[1] = (uint8_t)((VALUE_BITS - 1) << 5 | precision);
    to[2] = MAY_BE_SPARSE | KEPT_AUTO;
    for (uint32_t i = 0; i < count; i++) {
        if (sparse && registers[i] == 0)
            continue;
        if (sparse)
            store_bits(to + HEAD, at, precision, i);
        at += sparse ? precision : 0;
        store_bits(to + HEAD, at, VALUE_BITS, smaller(registers[i], VALUE_MAX));
        at += VALUE_BITS;
    }
    return HEAD + (at + 7) / 8;
}

static ink_status write_hll(const ink__foreign_source *source, const ink_sink *sink,
                            ink_error *error)
{
    const uint32_t precision = source->is.precision;
    const uint64_t count = UINT64_C(1) << precision, room = 2 * count + HEAD;
    uint8_t       *memory;

    if (precision > WRITTEN_PRECISION_MAX || source->is.seed != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "precision %u and seed %llu, expected at most %d and 0", precision,
                         (unsigned long long)source->is.seed, WRITTEN_PRECISION_MAX);
    INK__TRY(ink__allocate_zeroed(source->allocator, room, &memory, error));
    ink__registers_unpack(source->payload, source->payload_bytes, precision, memory);
    ink__registers_reverse(memory, precision);
    const uint64_t bytes = write_value(memory, precision, memory + count);
    ink_status     status = ink__foreign_put(sink, memory + count, bytes, error);
    ink__release(source->allocator, memory, room);
    return status;
}

static ink_status size_hll(ink_params *params, ink_error *error)
{
    if (params->precision > WRITTEN_PRECISION_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{precision} %u, expected %d to %d for postgresql-hll", params->precision,
                         PRECISION_MIN, WRITTEN_PRECISION_MAX);
    if (params->precision == 0)
        params->precision = PRECISION_DEFAULT;
    return INK_OK;
}

const ink__foreign_format ink__foreign_postgresql_hll = {
    .info = {.name = "postgresql-hll",
             .about = "hll of PostgreSQL's extension of that name",
             .kind = "hll",
             .lost = "the hashes of a small set, and settings besides log2m",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"postgresql-hll", "postgresql-hll-int4", NULL},
    .read = read_hll,
    .write = write_hll,
    .size = size_hll,
};
