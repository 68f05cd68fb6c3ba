/* datasketches_hll.c - the HLL sketch of Apache DataSketches: coupons, each a slot of 26 bits and a
 * value of 6, in a list or in the table of a set; or registers of 4, 6 or 8 bits. A register counts
 * by its slot's lowest bits. */
#include "format/foreign/datasketches.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"

enum { MODE_LIST, MODE_SET, MODE_REGISTERS };
enum { HLL_4, HLL_6, HLL_8 };
enum { OUT_OF_ORDER = 16 };
enum { COUPON = 4, SLOT_BITS = 26, VALUE_MAX = 63, ELSEWHERE = 15 /* of four bits */ };
enum { LIST_AT = 8, SET_AT = 12, REGISTERS_AT = 40 };
enum { PRECISION_MIN = 4, PRECISION_MAX = 18, THEIR_PRECISION_MAX = 21, PRECISION_DEFAULT = 12 };

/* ---- Reading ------------------------------------------------------------------------------ */

typedef struct image {
    const uint8_t *bytes;
    uint64_t       count;
    uint32_t       precision;
    unsigned       mode, type;
    bool           compact;
    uint8_t       *registers; /* ours */
} image;

static uint8_t *register_of(const image *of, uint32_t slot)
{
    const uint32_t low = slot & ((UINT32_C(1) << of->precision) - 1);

    return of->registers + ink__reversed_index(low, of->precision);
}

/* A register of ours does not go as far as a coupon. */
static void raise(const image *of, uint32_t slot, uint32_t value)
{
    uint8_t       *at = register_of(of, slot);
    const uint32_t most = 65 - of->precision;

    value = value < most ? value : most;
    if (value > *at)
        *at = (uint8_t)value;
}

static ink_status read_head(const ink__foreign_file *file, image *of, ink_error *error)
{
    static const uint8_t preambles[] = {2, 3, 10};

    INK__TRY(ink__datasketches_is(file, INK__FAMILY_HLL, error));
    const uint8_t *bytes = file->bytes;
    *of = (image){.bytes = bytes,
                  .count = file->count,
                  .precision = bytes[3],
                  .mode = bytes[7] & 3,
                  .type = bytes[7] >> 2,
                  .compact = (bytes[5] & INK__DATASKETCHES_COMPACT) != 0};
    if (bytes[1] != 1)
        return INK__FOREIGN_FAIL(error, 1, "version %u, expected 1", bytes[1]);
    if (of->mode > MODE_REGISTERS || of->type > HLL_8)
        return INK__FOREIGN_FAIL(error, 7,
                                 "mode 0x%x, expected list, set or registers of 4, 6 "
                                 "or 8 bits",
                                 bytes[7]);
    if (bytes[0] != preambles[of->mode])
        return INK__FOREIGN_FAIL(error, 0, "a preamble of %u words, expected %u", bytes[0],
                                 preambles[of->mode]);
    if (of->precision < PRECISION_MIN || of->precision > THEIR_PRECISION_MAX)
        return INK__FOREIGN_FAIL(error, 3, "lgK %u, expected %d to %d", of->precision,
                                 PRECISION_MIN, THEIR_PRECISION_MAX);
    if (of->precision > PRECISION_MAX)
        return INK__FOREIGN_FAIL(error, 3,
                                 "lgK %u, expected at most %d, {precision} of an hll: "
                                 "take a union with that lgK first",
                                 of->precision, PRECISION_MAX);
    return INK_OK;
}

typedef ink_status take_coupon(void *host, uint32_t slot, uint32_t value, uint64_t at,
                               ink_error *error);

/* Places in a table of coupons, of which at most three quarters are used: its size is not always
 * stated. */
static uint64_t table_places(const image *of, uint64_t coupons)
{
    const unsigned bits = of->bytes[4], p = of->precision;
    uint64_t       places = 32;

    if (of->mode == MODE_LIST)
        return 8;
    if (bits != 0)
        return bits < 32 ? UINT64_C(1) << bits : 0;
    if (of->mode == MODE_REGISTERS)
        places = UINT64_C(1) << (p < 7 ? 2 : p < 10 ? 3 : p < 14 ? p / 2 - 1 : p - 8);
    while (4 * coupons > 3 * places)
        places *= 2;
    return places;
}

/* Coupons up to the end of the file, `stated` of them: without gaps if it is compact, else in a
 * table. */
static ink_status read_coupons(const image *of, uint64_t from, uint64_t stated, uint64_t stated_at,
                               take_coupon *take, void *host, ink_error *error)
{
    const uint64_t bytes = of->count - from, places = bytes / COUPON;
    uint64_t       found = 0;

    if (bytes % COUPON != 0 || places != (of->compact ? stated : table_places(of, stated)))
        return INK__FOREIGN_FAIL(error, stated_at, "%llu coupons%s, but %llu bytes follow",
                                 (unsigned long long)stated, of->compact ? "" : " in a table",
                                 (unsigned long long)bytes);
    for (uint64_t at = from; at < of->count; at += COUPON) {
        const uint32_t coupon = ink__load_u32(of->bytes + at), value = coupon >> SLOT_BITS;
        if (coupon == 0 && !of->compact)
            continue;
        if (value == 0)
            return INK__FOREIGN_FAIL(error, at, "coupon 0x%x, expected a value above 0", coupon);
        INK__TRY(take(host, coupon & ((UINT32_C(1) << SLOT_BITS) - 1), value, at, error));
        found++;
    }
    if (found != stated)
        return INK__FOREIGN_FAIL(error, stated_at, "%llu coupons, but %llu follow",
                                 (unsigned long long)stated, (unsigned long long)found);
    return INK_OK;
}

static ink_status take_one(void *host, uint32_t slot, uint32_t value, uint64_t at, ink_error *error)
{
    (void)at;
    (void)error;
    raise(host, slot, value);
    return INK_OK;
}

/* The value of a register for which four bits do not suffice: each has one. */
static ink_status take_elsewhere(void *host, uint32_t slot, uint32_t value, uint64_t at,
                                 ink_error *error)
{
    const image   *of = host;
    const unsigned least = of->bytes[6];

    if (slot >> of->precision != 0 || value < least + ELSEWHERE || *register_of(of, slot) != 0 ||
        (of->bytes[REGISTERS_AT + slot / 2] >> slot % 2 * 4 & 15) != ELSEWHERE)
        return INK__FOREIGN_FAIL(error, at,
                                 "value %u of register %u, expected one of a register "
                                 "that has none, at least %u",
                                 value, slot, least + ELSEWHERE);
    raise(of, slot, value);
    return INK_OK;
}

static uint64_t register_bytes(const image *of)
{
    const uint64_t registers = UINT64_C(1) << of->precision;

    return of->type == HLL_4   ? registers / 2
           : of->type == HLL_6 ? registers / 4 * 3 + 1 /* read as pairs of bytes */
                               : registers;
}

static uint32_t packed_value(const image *of, uint32_t slot)
{
    const uint8_t *from = of->bytes + REGISTERS_AT;

    if (of->type == HLL_4)
        return from[slot / 2] >> slot % 2 * 4 & 15;
    if (of->type == HLL_8)
        return from[slot];
    const uint32_t bit = slot * 6;
    return (uint32_t)ink__load_u16(from + bit / 8) >> bit % 8 & 63;
}

/* All but those of HLL_4 that stand elsewhere; *elsewhere counts them. */
static ink_status read_packed(const image *of, uint64_t *elsewhere, ink_error *error)
{
    const uint32_t least = of->type == HLL_4 ? of->bytes[6] : 0;

    for (uint32_t slot = 0; slot >> of->precision == 0; slot++) {
        const uint32_t packed = packed_value(of, slot);
        if (of->type == HLL_4 && packed == ELSEWHERE) {
            ++*elsewhere;
            continue;
        }
        if (packed + least > VALUE_MAX)
            return INK__FOREIGN_FAIL(error, of->type == HLL_8 ? REGISTERS_AT + slot : 6,
                                     "value %u of register %u, expected at most %d", packed + least,
                                     slot, VALUE_MAX);
        raise(of, slot, packed + least);
    }
    return INK_OK;
}

static ink_status read_registers(image *of, ink_error *error)
{
    const uint64_t end = REGISTERS_AT + register_bytes(of);
    uint64_t       elsewhere = 0;

    if (of->count < end)
        return INK__FOREIGN_FAIL(error, of->count, "the file ends in %llu bytes of registers",
                                 (unsigned long long)(end - REGISTERS_AT));
    const uint64_t stated = ink__load_u32(of->bytes + 36);
    INK__TRY(read_packed(of, &elsewhere, error));
    if (stated != elsewhere)
        return INK__FOREIGN_FAIL(error, 36, "%llu values after the registers, expected %llu",
                                 (unsigned long long)stated, (unsigned long long)elsewhere);
    if (of->type == HLL_4)
        return read_coupons(of, end, stated, 36, take_elsewhere, of, error);
    if (of->count != end)
        return INK__FOREIGN_FAIL(error, end, "%llu bytes after the registers, expected none",
                                 (unsigned long long)(of->count - end));
    return INK_OK;
}

static ink_status read_contents(image *of, ink_error *error)
{
    if (of->mode == MODE_LIST)
        return read_coupons(of, LIST_AT, of->bytes[6], 6, take_one, of, error);
    if (of->count < (of->mode == MODE_SET ? SET_AT : REGISTERS_AT))
        return INK__FOREIGN_FAIL(error, of->count, "the file ends in the first %d bytes",
                                 of->mode == MODE_SET ? SET_AT : REGISTERS_AT);
    if (of->mode == MODE_SET)
        return read_coupons(of, SET_AT, ink__load_u32(of->bytes + 8), 8, take_one, of, error);
    return read_registers(of, error);
}

static ink_status read_hll(const ink__foreign_file *file, uint64_t index,
                           ink__foreign_sketch *sketch, ink_error *error)
{
    image of;

    (void)index;
    INK__TRY(read_head(file, &of, error));
    const uint64_t registers = UINT64_C(1) << of.precision;
    sketch->params.kind = "hll";
    sketch->params.precision = of.precision;
    INK__TRY(ink__allocate_zeroed(file->allocator, registers, &of.registers, error));
    ink_status status = read_contents(&of, error);
    if (status == INK_OK)
        status = ink__registers_pack(of.registers, of.precision, sketch, file->allocator, error);
    ink__release(file->allocator, of.registers, registers);
    if (status == INK_OK && (of.bytes[5] & INK__DATASKETCHES_EMPTY) != 0 &&
        sketch->payload_bytes != 0)
        return INK__FOREIGN_FAIL(error, 5, "registers above 0 in an empty sketch");
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* Their sums of 2^-value, of small and of large values; each is exact in a double. */
static void add_up(const uint8_t *registers, uint64_t count, double sums[2], uint32_t *zeros)
{
    for (uint64_t i = 0; i < count; i++) {
        sums[registers[i] >= 32] += ink__double_of_bits((UINT64_C(1023) - registers[i]) << 52);
        *zeros += registers[i] == 0;
    }
}

/* As registers of 8 bits that were merged: the coupons of a list or set are not known, nor the
 * order of keys, which their other estimate takes. */
static ink_status write_registers(const ink__foreign_source *source, uint8_t *registers,
                                  uint8_t *slots, const ink_sink *sink, ink_error *error)
{
    const uint32_t precision = source->is.precision;
    const uint64_t count = UINT64_C(1) << precision;
    uint32_t       zeros = 0;
    double         sums[2] = {0, 0};
    uint8_t        head[REGISTERS_AT] = {10,
                                         1,
                                         INK__FAMILY_HLL,
                                         (uint8_t)precision,
                                         0,
                                         INK__DATASKETCHES_COMPACT | OUT_OF_ORDER,
                                         0,
                                         HLL_8 << 2 | MODE_REGISTERS};

    ink__registers_unpack(source->payload, source->payload_bytes, precision, registers);
    add_up(registers, count, sums, &zeros);
    ink__store_u64(head + 16, ink__bits_of_double(sums[0]));
    ink__store_u64(head + 24, ink__bits_of_double(sums[1]));
    ink__store_u32(head + 32, zeros);
    for (uint32_t slot = 0; slot < count; slot++)
        slots[slot] = registers[ink__reversed_index(slot, precision)];
    INK__TRY(ink__foreign_put(sink, head, sizeof head, error));
    return ink__foreign_put(sink, slots, count, error);
}

static ink_status write_hll(const ink__foreign_source *source, const ink_sink *sink,
                            ink_error *error)
{
    const uint64_t bytes = UINT64_C(2) << source->is.precision;
    uint8_t       *room;

    if (source->payload_bytes == 0) {
        const uint8_t empty[] = {2,
                                 1,
                                 INK__FAMILY_HLL,
                                 (uint8_t)source->is.precision,
                                 3,
                                 INK__DATASKETCHES_COMPACT | INK__DATASKETCHES_EMPTY,
                                 0,
                                 HLL_8 << 2 | MODE_LIST};
        return ink__foreign_put(sink, empty, sizeof empty, error);
    }
    INK__TRY(ink__allocate(source->allocator, bytes, &room, error));
    ink_status status = write_registers(source, room, room + bytes / 2, sink, error);
    ink__release(source->allocator, room, bytes);
    return status;
}

static ink_status size_hll(ink_params *params, ink_error *error)
{
    (void)error;
    if (params->precision == 0)
        params->precision = PRECISION_DEFAULT;
    return INK_OK;
}

const ink__foreign_format ink__foreign_datasketches_hll = {
    .info = {.name = "datasketches-hll",
             .about = "HLL sketch of Apache DataSketches, as of Spark's hll_sketch_agg",
             .kind = "hll",
             .lost = "the estimate by the order of keys (HIP), and the coupons of a list or set",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"datasketches-hll", NULL},
    .seed = INK__DATASKETCHES_SEED,
    .read = read_hll,
    .write = write_hll,
    .size = size_hll,
};
