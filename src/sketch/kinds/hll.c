/* hll.c - how many different keys did I see? HyperLogLog: the first bits of the hash choose one of
 * 2^p registers, which keeps the longest run of zeros at the start of the other bits [Flajolet,
 * Fusy, Gandouet, Meunier 2007]. Ertl's estimator [Ertl 2017] needs neither tables nor thresholds.
 *
 * In memory a sketch starts as a sorted list of its registers above 0 and becomes an array of bytes
 * when that is smaller; in a file it is a list or six-bit registers. The registers alone decide
 * which of the two a file has (docs/format.md#hll), never their history. Owns the registers. */
#include "base/bits.h"
#include "base/memory.h"
#include "base/real.h"
#include "base/status.h"
#include "sketch/kinds/inclusion_exclusion.h"
#include "sketch/kinds/shared.h"

#include <string.h>

enum { PRECISION_MIN = 4, PRECISION_MAX = 18, PRECISION_DEFAULT = 14 };
enum { FIELD_PRECISION, FIELDS };
enum { VALUE_BITS = 6, VALUE_MASK = 63, LISTED_BYTES = 3 };

/* Of one register: sqrt(3 ln 2 - 1). */
#define STANDARD_ERROR 1.0389617614136892

typedef struct hll {
    ink_sketch base;
    uint32_t   precision;
    double     error; /* the relative standard error that it gives */

    /* One of three: */
    uint8_t       *registers; /* one byte each, or NULL */
    uint32_t      *list;      /* register << 6 | value, rising */
    const uint8_t *view;      /* the payload in a file, of view_bytes */

    uint64_t register_room;     /* bytes of the array, which a reduction leaves as large */
    uint64_t listed, list_room; /* of the list */
    uint64_t view_bytes;

    /* No register of the array is below `least`, determined `since` keys ago. It stays a lower
     * bound: registers only rise, and a reduction takes the maximum of several. */
    uint32_t least;
    uint64_t since;

    /* Registers of the array above 0, or UNCOUNTED. Set by the first question, of any thread. */
    _Atomic uint64_t counted;
} hll;

#define UNCOUNTED UINT64_MAX

static uint64_t registers_in(uint32_t precision)
{
    return (uint64_t)1 << precision;
}

static uint32_t value_max(uint32_t precision)
{
    return 65 - precision;
}

static uint64_t dense_bytes(uint32_t precision)
{
    return registers_in(precision) / 4 * 3;
}

/* A list may grow to a quarter of the bytes of an array. */
static uint64_t list_room_max(uint32_t precision)
{
    return registers_in(precision) / 16;
}

/* ---- Registers, however they are kept ----------------------------------------------------- */

static uint32_t packed_at(const uint8_t *packed, uint64_t index)
{
    uint64_t bit = index * VALUE_BITS;
    uint32_t word = packed[bit / 8];

    if (bit % 8 > 2) /* it goes on in the next byte */
        word |= (uint32_t)packed[bit / 8 + 1] << 8;
    return word >> bit % 8 & VALUE_MASK;
}

static uint32_t listed_at(const uint8_t *bytes, uint64_t index)
{
    const uint8_t *at = bytes + index * LISTED_BYTES;

    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

static bool is_packed(const hll *h)
{
    return h->view != NULL && h->view_bytes == dense_bytes(h->precision);
}

/* The next register above 0 from *at on, which starts at 0; false if there is none. A payload in a
 * file was checked, but a mapped file may change, and these values become indexes: so each is
 * checked again. */
static inline bool next_register(const hll *h, uint64_t *at, uint32_t *index, uint32_t *value)
{
    const uint64_t count = registers_in(h->precision);
    const uint32_t most = value_max(h->precision);
    const bool     viewed = h->view != NULL;
    const bool     packed = is_packed(h);
    const uint64_t listed = viewed ? h->view_bytes / LISTED_BYTES : h->listed;

    while ((packed || h->registers != NULL) && *at < count) {
        *index = (uint32_t)*at;
        *value = packed ? packed_at(h->view, *at) : h->registers[*at];
        ++*at;
        if (*value != 0 && *value <= most)
            return true;
    }
    while (!packed && h->registers == NULL && *at < listed) {
        uint32_t both = viewed ? listed_at(h->view, *at) : h->list[*at];
        *index = both >> VALUE_BITS;
        *value = both & VALUE_MASK;
        ++*at;
        if (*index < count && *value != 0 && *value <= most)
            return true;
    }
    return false;
}

typedef void visit(void *host, uint32_t index, uint32_t value);

/* Calls `each` for every register above 0, in order. */
static void each_register(const hll *h, visit *each, void *host)
{
    uint32_t index, value;

    for (uint64_t at = 0; next_register(h, &at, &index, &value);)
        each(host, index, value);
}

/* How many registers of an array are above 0. Up to 255 are summed in each byte. */
static uint64_t count_above_0(const uint8_t *registers, uint64_t count)
{
    const uint64_t some = count < 1024 ? count : 1024;
    uint64_t       sum = 0;

    for (uint64_t first = 0; first < count; first += some) {
        uint64_t ones = 0;
        for (uint64_t i = 0; i < some; i += 8)
            ones += ink__above_0(registers + first + i);
        for (unsigned byte = 0; byte < 8; byte++)
            sum += ones >> 8 * byte & 0xff;
    }
    return sum;
}

static void count_one(void *host, uint32_t index, uint32_t value)
{
    (void)index;
    (void)value;
    ++*(uint64_t *)host;
}

static uint64_t count_registers(const hll *h)
{
    uint64_t count = 0;

    if (h->view != NULL) {
        each_register(h, count_one, &count);
        return count;
    }
    if (h->registers == NULL)
        return h->listed;
    count = atomic_load_explicit(&h->counted, memory_order_relaxed);
    if (count == UNCOUNTED) {
        count = count_above_0(h->registers, registers_in(h->precision));
        /* The one field that a question sets. */
        atomic_store_explicit(&((hll *)(uintptr_t)h)->counted, count, memory_order_relaxed);
    }
    return count;
}

/* The bytes of a payload with this many registers above 0. */
static uint64_t bytes_with(uint32_t precision, uint64_t count)
{
    return count < registers_in(precision) / 4 ? count * LISTED_BYTES : dense_bytes(precision);
}

/* The bytes of the payload; those of a view are canonical. */
static uint64_t payload_bytes(const hll *h)
{
    return h->view != NULL ? h->view_bytes : bytes_with(h->precision, count_registers(h));
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static ink_status hll_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                           ink_error *error)
{
    uint32_t precision = params->precision == 0 ? PRECISION_DEFAULT : params->precision;

    (void)rule;
    if (precision < PRECISION_MIN || precision > PRECISION_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{precision} %u, expected %d to %d",
                         precision, PRECISION_MIN, PRECISION_MAX);
    shape->fields[FIELD_PRECISION] = precision;
    shape->payload_bytes = 0;
    return INK_OK;
}

static ink_status hll_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error)
{
    uint64_t precision = shape->fields[FIELD_PRECISION], bytes = shape->payload_bytes;

    (void)rule;
    if (precision < PRECISION_MIN || precision > PRECISION_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_PRECISION,
                         "precision %llu, expected %d to %d", (unsigned long long)precision,
                         PRECISION_MIN, PRECISION_MAX);
    if (bytes > dense_bytes((uint32_t)precision) || bytes % LISTED_BYTES != 0)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "an hll of %llu bytes, expected a multiple of %d up to %llu",
                         (unsigned long long)bytes, LISTED_BYTES,
                         (unsigned long long)dense_bytes((uint32_t)precision));
    return INK_OK;
}

static double error_of(uint32_t precision)
{
    return STANDARD_ERROR / ink__sqrt((double)registers_in(precision));
}

static void hll_describe(const ink__shape *shape, ink_description *description)
{
    uint32_t precision = (uint32_t)shape->fields[FIELD_PRECISION];

    description->precision = precision;
    description->bytes_max = dense_bytes(precision);
    description->standard_error = shape->error != 0 ? shape->error : error_of(precision);
}

static void hll_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const hll *h = (const hll *)sketch;

    shape->fields[FIELD_PRECISION] = h->precision;
    shape->payload_bytes = payload_bytes(h);
    shape->error = h->error;
}

/* ---- Contents from a file ----------------------------------------------------------------- */

static ink_status check_list(uint32_t precision, const uint8_t *list, uint64_t count,
                             ink_error *error)
{
    int64_t last = -1;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t index = listed_at(list, i) >> VALUE_BITS, value = listed_at(list, i) & VALUE_MASK;
        if (index <= last || index >= registers_in(precision))
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * LISTED_BYTES,
                             "register %u in a list, expected rising ones below %llu", index,
                             (unsigned long long)registers_in(precision));
        if (value == 0 || value > value_max(precision))
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * LISTED_BYTES,
                             "value %u of register %u in a list, expected 1 to %u", value, index,
                             value_max(precision));
        last = index;
    }
    return INK_OK;
}

static ink_status check_packed(uint32_t precision, const uint8_t *packed, ink_error *error)
{
    uint64_t count = registers_in(precision), above = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t value = packed_at(packed, i);
        above += value != 0;
        if (value > value_max(precision))
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * VALUE_BITS / 8,
                             "value %u of register %u, expected at most %u", value, (unsigned)i,
                             value_max(precision));
    }
    if (above < count / 4)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, 0,
                         "only %llu registers above 0, expected them as a list",
                         (unsigned long long)above);
    return INK_OK;
}

static ink_status hll_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                    const uint8_t *payload, ink_error *error)
{
    uint32_t precision = (uint32_t)shape->fields[FIELD_PRECISION];

    (void)rule;
    if (shape->payload_bytes == dense_bytes(precision))
        return check_packed(precision, payload, error);
    return check_list(precision, payload, shape->payload_bytes / LISTED_BYTES, error);
}

/* ---- Room --------------------------------------------------------------------------------- */

static ink_status become_array(hll *h, ink_error *error)
{
    const ink_allocator *allocator = &h->base.allocator;
    uint64_t             count = registers_in(h->precision);

    INK__TRY(ink__allocate_zeroed(allocator, count, &h->registers, error));
    h->register_room = count;
    h->counted = UNCOUNTED;
    for (uint64_t i = 0; i < h->listed; i++)
        h->registers[h->list[i] >> VALUE_BITS] = (uint8_t)(h->list[i] & VALUE_MASK);
    ink__release(allocator, h->list, h->list_room * sizeof *h->list);
    h->list = NULL;
    h->listed = h->list_room = 0;
    return INK_OK;
}

/* Room for `more` registers above 0, in an array if a list of this precision may not be so long. */
static ink_status make_room(hll *h, uint64_t more, uint32_t precision, ink_error *error)
{
    uint64_t room = h->list_room == 0 ? 4 : h->list_room;
    uint64_t bytes = h->list_room * sizeof *h->list;

    if (h->registers != NULL)
        return INK_OK;
    if (more > list_room_max(precision) || h->listed + more > list_room_max(precision))
        return become_array(h, error);
    if (h->listed + more <= h->list_room)
        return INK_OK;
    while (room < h->listed + more)
        room *= 2;
    INK__TRY(ink__grow(&h->base.allocator, &h->list, &bytes, h->listed * sizeof *h->list,
                       room * sizeof *h->list, error));
    h->list_room = room;
    return INK_OK;
}

/* Keys in the order of their hashes, or repeated keys, keep a list short for long, and each needs a
 * search. After SEARCHES keys for each possible list entry it becomes an array. */
enum { SEARCHES = 64 };

static ink_status hll_reserve(ink_sketch *sketch, const ink__keys *keys, ink_error *error)
{
    hll *h = (hll *)sketch;

    if (h->registers == NULL && sketch->records / SEARCHES > list_room_max(h->precision))
        return become_array(h, error);
    return make_room(h, keys->count, h->precision, error);
}

static uint64_t hll_memory(const ink_sketch *sketch)
{
    const hll *h = (const hll *)sketch;

    return h->register_room + h->list_room * sizeof *h->list;
}

/* ---- The payload -------------------------------------------------------------------------- */

static uint64_t hll_scratch_bytes(const ink_sketch *sketch)
{
    const hll *h = (const hll *)sketch;

    return h->view != NULL ? 0 : payload_bytes(h);
}

static void write_list(const hll *h, uint8_t *out)
{
    for (uint64_t i = 0; i < h->listed; i++)
        ink__store_u24(out + i * LISTED_BYTES, h->list[i]);
}

/* Six bits of each register; eight registers become six bytes. */
static void pack_registers(const uint8_t *registers, uint64_t count, uint8_t *out)
{
    uint8_t eight[8];

    for (uint64_t i = 0; i < count; i += 8, out += VALUE_BITS) {
        uint64_t x = ink__load_u64(registers + i);
        x = (x & 0x003f003f003f003f) | (x >> 2 & 0x0fc00fc00fc00fc0);
        x = (x & 0x00000fff00000fff) | (x >> 4 & 0x00fff00000fff000);
        x = (x & 0x0000000000ffffff) | (x >> 8 & 0x0000ffffff000000);
        ink__store_u64(eight, x);
        memcpy(out, eight, VALUE_BITS);
    }
}

/* The reverse, of eight bytes of which six count. */
static uint64_t unpack_eight(uint64_t x)
{
    x = (x & 0x0000000000ffffff) | (x << 8 & 0x00ffffff00000000);
    x = (x & 0x00000fff00000fff) | (x << 4 & 0x0fff00000fff0000);
    return (x & 0x003f003f003f003f) | (x << 2 & 0x3f003f003f003f00);
}

/* At least 16 registers. A mapped file may change: values that no register has become 0. */
static void unpack_registers(const uint8_t *packed, uint64_t count, uint32_t most,
                             uint8_t *registers)
{
    const uint64_t last = count - 8;

    for (uint64_t i = 0; i < last; i += 8)
        ink__store_u64(registers + i, unpack_eight(ink__load_u64(packed + i / 4 * 3)));
    /* There is nothing to be read after these. */
    ink__store_u64(registers + last, unpack_eight(ink__load_u64(packed + last / 4 * 3 - 2) >> 16));
    for (uint64_t i = 0; i < count; i++)
        registers[i] = registers[i] <= most ? registers[i] : 0;
}

static const uint8_t *hll_payload(const ink_sketch *sketch, uint8_t *scratch)
{
    const hll *h = (const hll *)sketch;
    uint64_t   count = registers_in(h->precision);

    if (h->view != NULL)
        return h->view;
    if (h->registers == NULL)
        write_list(h, scratch);
    else if (payload_bytes(h) == dense_bytes(h->precision))
        pack_registers(h->registers, count, scratch);
    else
        sketch->kernels->list_registers(h->registers, (size_t)count, scratch);
    return scratch;
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Raises a listed register; there is room for one more. */
static void raise_listed(hll *h, uint32_t index, uint32_t value)
{
    const uint32_t raised = index << VALUE_BITS | value, from = index << VALUE_BITS;
    uint64_t       low = 0, left = h->listed;

    /* Without a jump for each comparison: half of them would be mispredicted. */
    while (left > 0) {
        uint64_t half = (left + 1) / 2;
        low += h->list[low + half - 1] < from ? half : 0;
        left -= half;
    }
    if (low < h->listed && h->list[low] >> VALUE_BITS == index) {
        if (h->list[low] < raised)
            h->list[low] = raised;
        return;
    }
    if (h->listed == h->list_room) /* a mapped file has changed since its registers were counted */
        return;
    memmove(h->list + low + 1, h->list + low, (size_t)((h->listed - low) * sizeof *h->list));
    h->list[low] = raised;
    h->listed++;
}

static inline void raise_register(hll *h, uint32_t index, uint32_t value)
{
    if (h->registers == NULL)
        raise_listed(h, index, value);
    else if (h->registers[index] < value)
        h->registers[index] = (uint8_t)value;
}

/* One more than the leading zeros of the low bits; a one set just below them ends the run. */
static inline uint32_t value_of(uint64_t hash, uint32_t precision)
{
    return 1 + ink__leading_zeros_64(hash << precision | (uint64_t)1 << (precision - 1));
}

/* Updates `least` so rarely that it costs next to nothing. */
static void look_at_least(hll *h, size_t keys)
{
    const uint64_t count = registers_in(h->precision);
    uint8_t        least = UINT8_MAX;

    h->since += keys;
    if (h->since < 2 * count)
        return;
    for (uint64_t i = 0; i < count; i++)
        least = h->registers[i] < least ? h->registers[i] : least;
    h->since = 0;
    h->least = least;
}

/* Most keys cannot raise a register: with a one among the first `least` counted bits, their value
 * is at most that. They are dropped before any register is read. */
static void raise_by_few(hll *h, const uint64_t *hashes, size_t count)
{
    const uint32_t counted = 64 - h->precision;
    const uint32_t bits = h->least < counted ? h->least : counted;
    const uint64_t first = (((uint64_t)1 << bits) - 1) << (counted - bits);
    uint64_t       picked[INK__HASH_BATCH];
    size_t         few = h->base.kernels->pick_without(hashes, count, first, picked);

    h->base.kernels->raise_registers(h->registers, h->precision, picked, few);
}

/* Many keys for a list: it is raised as an array and listed again, which takes as long as this
 * many insertions. Arrays on the stack have 16 KiB at most. */
enum { ARRAY_PRECISION_MAX = 14, ARRAY_INSERTIONS = 128 };

static void raise_list(hll *h, const ink__keys *keys)
{
    const uint64_t count = registers_in(h->precision);
    uint8_t        registers[1 << ARRAY_PRECISION_MAX];
    uint8_t        listed[(1 << ARRAY_PRECISION_MAX) / 16 * LISTED_BYTES];

    memset(registers, 0, (size_t)count);
    for (uint64_t i = 0; i < h->listed; i++)
        registers[h->list[i] >> VALUE_BITS] = (uint8_t)(h->list[i] & VALUE_MASK);
    h->base.kernels->raise_registers(registers, h->precision, keys->hashes, keys->count);
    h->listed = h->base.kernels->list_registers(registers, (size_t)count, listed);
    for (uint64_t i = 0; i < h->listed; i++)
        h->list[i] = listed_at(listed, i);
}

static bool has_coupons(const ink_sketch *sketch)
{
    return sketch->rule.scheme == INK__SCHEME_COUPON;
}

/* A hash with the register and value of a coupon (docs/format.md) that is not 0. */
static uint64_t hash_of_coupon(uint64_t coupon, uint32_t precision)
{
    const uint64_t value = coupon & VALUE_MASK, most = value_max(precision);

    return (coupon & ~(uint64_t)0 << (64 - precision)) |
           (value < most ? (uint64_t)1 << (most - 1 - value) : 0);
}

static bool is_native(const hll *h)
{
    return h->base.rule.scheme == INK__SCHEME_HASH64;
}

/* The hashes of keys under the rule of another system; returns how many have one. PostgreSQL leaves
 * out those whose value would be the largest, as that of the empty key, which has no coupon either.
 */
static size_t take_foreign(const hll *h, const uint64_t *from, size_t count, uint64_t *hashes)
{
    const bool coupons = has_coupons(&h->base);
    size_t     taken = 0;

    for (size_t i = 0; i < count; i++) {
        hashes[taken] = coupons ? hash_of_coupon(from[i], h->precision) : from[i];
        taken += coupons ? from[i] != 0 : from[i] << h->precision != 0;
    }
    return taken;
}

static void add_hashes(ink_sketch *sketch, const ink__keys *keys);

static void add_foreign(ink_sketch *sketch, const ink__keys *keys)
{
    enum { SOME = 128 };
    uint64_t  hashes[SOME];
    ink__keys part = {.hashes = hashes};

    for (size_t done = 0, some; done < keys->count; done += some) {
        some = keys->count - done < SOME ? keys->count - done : SOME;
        part.count = take_foreign((const hll *)sketch, keys->hashes + done, some, hashes);
        add_hashes(sketch, &part);
    }
}

static void hll_add(ink_sketch *sketch, const ink__keys *keys)
{
    if (is_native((const hll *)sketch))
        add_hashes(sketch, keys);
    else
        add_foreign(sketch, keys);
}

static void add_hashes(ink_sketch *sketch, const ink__keys *keys)
{
    hll     *h = (hll *)sketch;
    uint32_t precision = h->precision;

    if (h->registers == NULL && keys->count >= ARRAY_INSERTIONS &&
        precision <= ARRAY_PRECISION_MAX) {
        raise_list(h, keys);
        return;
    }
    if (h->registers == NULL) {
        for (size_t i = 0; i < keys->count; i++)
            raise_listed(h, (uint32_t)(keys->hashes[i] >> (64 - precision)),
                         value_of(keys->hashes[i], precision));
        return;
    }
    atomic_store_explicit(&h->counted, UNCOUNTED, memory_order_relaxed);
    if (keys->count == 1) {
        raise_register(h, (uint32_t)(keys->hashes[0] >> (64 - precision)),
                       value_of(keys->hashes[0], precision));
        look_at_least(h, 1);
        return;
    }
    for (size_t done = 0; done < keys->count; done += INK__HASH_BATCH) {
        size_t count = keys->count - done < INK__HASH_BATCH ? keys->count - done : INK__HASH_BATCH;
        if (h->least == 0)
            sketch->kernels->raise_registers(h->registers, precision, keys->hashes + done, count);
        else
            raise_by_few(h, keys->hashes + done, count);
        look_at_least(h, count);
    }
}

static void hll_fetch(const ink_sketch *sketch, const uint64_t *hashes, size_t count,
                      ink__fetch how)
{
    const hll *h = (const hll *)sketch;

    (void)how;
    for (size_t i = 0; h->registers != NULL && i < count; i++)
        __builtin_prefetch(h->registers + (hashes[i] >> (64 - h->precision)), 1, 3);
}

/* ---- Combining ---------------------------------------------------------------------------- */

/* Converts a register of a sketch with precision `from` to a smaller one: the bits that no longer
 * choose the register come before those that were counted. In a coupon they do not. */
static void reduce_one(const hll *of, uint32_t from, uint32_t to, uint32_t *index, uint32_t *value)
{
    uint32_t given_up = from - to, bits = *index & ((1u << given_up) - 1);

    if (given_up == 0)
        return;
    if (!has_coupons(&of->base))
        *value = bits == 0 ? *value + given_up : given_up + 1 - (64 - ink__leading_zeros_64(bits));
    *index >>= given_up;
}

/* Reduces a sketch in place: a register is written only after it was read. */
static void reduce_in_place(hll *h, uint32_t precision)
{
    const uint32_t from = h->precision;
    const bool     array = h->registers != NULL;
    const uint64_t count = array ? registers_in(from) : h->listed;

    if (precision == from)
        return;
    h->precision = precision;
    h->error = error_of(precision);
    h->listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = array ? i : h->list[i] >> VALUE_BITS;
        uint32_t value = array ? h->registers[i] : h->list[i] & VALUE_MASK;
        if (value == 0)
            continue;
        if (array)
            h->registers[i] = 0;
        reduce_one(h, from, precision, &index, &value);
        raise_register(h, index, value);
    }
}

typedef struct reduction {
    hll       *into;
    const hll *from;
} reduction;

static void merge_one(void *host, uint32_t index, uint32_t value)
{
    reduction *r = host;

    reduce_one(r->from, r->from->precision, r->into->precision, &index, &value);
    raise_register(r->into, index, value);
}

/* Registers of a file to an array of the same precision. */
static void merge_packed(hll *into, const hll *from)
{
    enum { SOME = 1024 };
    const uint64_t count = registers_in(from->precision), some = count < SOME ? count : SOME;
    uint8_t        registers[SOME];

    for (uint64_t first = 0; first < count; first += some) {
        unpack_registers(from->view + first / 4 * 3, some, value_max(from->precision), registers);
        into->base.kernels->max_u8(into->registers + first, registers, (size_t)some);
    }
}

static ink_status hll_merge(ink_sketch *into, const ink_sketch *from,
                            const ink_merge_options *options, ink_error *error)
{
    hll       *a = (hll *)into;
    const hll *b = (const hll *)from;
    uint32_t   precision = a->precision < b->precision ? a->precision : b->precision;

    (void)options;
    /* Registers that are packed are more than a list has. */
    INK__TRY(make_room(a, is_packed(b) ? registers_in(b->precision) : count_registers(b), precision,
                       error));
    reduce_in_place(a, precision);
    a->counted = UNCOUNTED;
    if (a->registers != NULL && b->registers != NULL && b->precision == precision) {
        into->kernels->max_u8(a->registers, b->registers, (size_t)registers_in(precision));
        return INK_OK;
    }
    if (a->registers != NULL && is_packed(b) && b->precision == precision) {
        merge_packed(a, b);
        return INK_OK;
    }
    reduction r = {.into = a, .from = b};
    each_register(b, merge_one, &r);
    return INK_OK;
}

static ink_status hll_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                           ink_error *error)
{
    hll *h = (hll *)sketch;

    h->precision = (uint32_t)shape->fields[FIELD_PRECISION];
    h->error = error_of(h->precision);
    if (payload == NULL)
        return INK_OK;
    if (sketch->read_only) {
        h->view = payload;
        h->view_bytes = shape->payload_bytes;
        return INK_OK;
    }
    const hll packed = {
        .precision = h->precision, .view = payload, .view_bytes = shape->payload_bytes};
    return hll_merge(sketch, &packed.base, NULL, error);
}

static void hll_release(ink_sketch *sketch)
{
    hll *h = (hll *)sketch;

    ink__release(&sketch->allocator, h->registers, h->register_room);
    ink__release(&sketch->allocator, h->list, h->list_room * sizeof *h->list);
}

/* ---- The estimate ------------------------------------------------------------------------- */

static void histogram_one(void *host, uint32_t index, uint32_t value)
{
    (void)index;
    ((uint64_t *)host)[value]++;
}

/* Of an array: in four histograms, as equal values follow one another and would wait for each
 * other. */
static void histogram_of_array(const uint8_t *registers, uint64_t count, uint64_t *histogram)
{
    uint32_t four[4][UINT8_MAX + 1] = {{0}};

    for (uint64_t i = 0; i < count; i += 8) {
        const uint64_t x = ink__load_u64(registers + i);
        for (unsigned byte = 0; byte < 8; byte++)
            four[byte % 4][x >> 8 * byte & 0xff]++;
    }
    for (unsigned value = 1; value <= VALUE_MASK; value++)
        histogram[value] =
            (uint64_t)four[0][value] + four[1][value] + four[2][value] + four[3][value];
}

/* x + x^2 + 2 x^4 + 4 x^8 + ..., for 0 <= x < 1: the term of the empty registers. */
static double sigma(double x)
{
    double weight = 1, sum = x, before;

    do {
        x *= x;
        before = sum;
        sum += x * weight;
        weight += weight;
    } while (sum != before);
    return sum;
}

/* (1 - x - (1 - x^(1/2))^2 / 2 - (1 - x^(1/4))^2 / 4 - ...) / 3: the term of the full registers. */
static double tau(double x)
{
    double weight = 1, sum = 1 - x, before;

    if (x == 0 || x == 1)
        return 0;
    do {
        x = ink__sqrt(x);
        before = sum;
        weight *= 0.5;
        sum -= (1 - x) * (1 - x) * weight;
    } while (sum != before);
    return sum / 3;
}

/* From the histogram of register values; [0] counts the empty ones. */
static double ertl_estimate(const uint64_t *histogram, uint32_t precision)
{
    double   m = (double)registers_in(precision);
    uint32_t full = value_max(precision);
    double   z = m * tau(1 - (double)histogram[full] / m);

    for (uint32_t value = full - 1; value >= 1; value--)
        z = 0.5 * (z + (double)histogram[value]);
    z += m * sigma((double)histogram[0] / m);
    return m / z * m * 0.7213475204444817; /* 1 / (2 ln 2) */
}

/* The answer from a histogram whose [0] is still to be set. */
static void answer_of(uint64_t histogram[VALUE_MASK + 1], uint32_t precision, double z,
                      ink_answer *answer)
{
    double m = (double)registers_in(precision);
    double above = 0;

    for (uint32_t value = 1; value <= value_max(precision); value++)
        above += (double)histogram[value];
    if (above == 0)
        return;
    histogram[0] = (uint64_t)(m - above);

    /* No more keys than there are hashes. */
    double most = 0x1p64, estimate = ertl_estimate(histogram, precision);
    answer->saturated = !(estimate < most);
    answer->estimate = answer->saturated ? most : estimate;
    /* The estimate is a harmonic mean: its logarithm scatters evenly, also for few registers. */
    double factor = ink__exp(z * STANDARD_ERROR / ink__sqrt(m));
    answer->low = answer->estimate / factor;
    if (answer->low < above) /* every register above 0 has seen a key of its own */
        answer->low = above < answer->estimate ? above : answer->estimate;
    answer->high = answer->estimate * factor + 1; /* of a few keys, two may share a register */
    if (answer->high > most)
        answer->high = most;
}

static void hll_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const hll *h = (const hll *)sketch;
    uint64_t   histogram[VALUE_MASK + 1] = {0};

    if (h->registers != NULL)
        histogram_of_array(h->registers, registers_in(h->precision), histogram);
    else
        each_register(h, histogram_one, histogram);
    answer_of(histogram, h->precision, z, answer);
}

/* ---- Two of them -------------------------------------------------------------------------- */

typedef struct reader {
    const hll *h;
    uint64_t   at;
    uint32_t   index, value; /* the next register, reduced */
    bool       more;
} reader;

static void read_next(reader *r, uint32_t precision)
{
    r->more = next_register(r->h, &r->at, &r->index, &r->value);
    if (r->more)
        reduce_one(r->h, r->h->precision, precision, &r->index, &r->value);
}

/* The answer of the union at this precision, made of nothing but the two: registers come in order,
 * and those that become one come after one another. */
static void answer_of_union(const hll *a, const hll *b, uint32_t precision, double z,
                            ink_answer *answer)
{
    uint64_t histogram[VALUE_MASK + 1] = {0};
    reader   readers[2] = {{.h = a}, {.h = b}};
    uint32_t index = UINT32_MAX, value = 0;

    read_next(&readers[0], precision);
    read_next(&readers[1], precision);
    while (readers[0].more || readers[1].more) {
        reader *r =
            &readers[!readers[0].more || (readers[1].more && readers[1].index < readers[0].index)];
        if (r->index != index) {
            histogram[value]++;
            index = r->index;
            value = r->value;
        }
        value = r->value > value ? r->value : value;
        read_next(r, precision);
    }
    histogram[value]++;
    answer_of(histogram, precision, z, answer);
}

static void hll_overlap(const ink_sketch *one, const ink_sketch *other, double z,
                        ink_overlap *overlap)
{
    const hll *a = (const hll *)one, *b = (const hll *)other;
    uint32_t   precision = a->precision < b->precision ? a->precision : b->precision;

    answer_of_union(a, a, precision, z, &overlap->a);
    answer_of_union(b, b, precision, z, &overlap->b);
    answer_of_union(a, b, precision, z, &overlap->in_union);
    ink__inclusion_exclusion(overlap, z * error_of(precision), (double)registers_in(precision));
}

/* ---- Several writers ---------------------------------------------------------------------- */

static ink_status shared_share(ink_sketch *sketch, ink_error *error)
{
    hll *h = (hll *)sketch;

    return h->registers != NULL ? INK_OK : become_array(h, error);
}

static void shared_add(ink_sketch *sketch, const ink__keys *keys)
{
    const hll *h = (const hll *)sketch;

    for (size_t i = 0; i < keys->count; i++) {
        uint64_t hash = keys->hashes[i];
        if (!is_native(h) && take_foreign(h, keys->hashes + i, 1, &hash) == 0)
            continue;
        ink__shared_raise_u8(h->registers + (hash >> (64 - h->precision)),
                             (uint8_t)value_of(hash, h->precision));
    }
}

static void shared_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const hll     *h = (const hll *)sketch;
    const uint64_t all = registers_in(h->precision);
    uint64_t       above = 0;

    for (uint64_t i = 0; i < all; i++)
        above += ink__shared_load_u8(h->registers + i) != 0;
    shape->fields[FIELD_PRECISION] = h->precision;
    shape->payload_bytes = bytes_with(h->precision, above);
    shape->error = h->error;
}

static ink_status shared_snapshot(const ink_sketch *sketch, ink_sketch *into, ink_error *error)
{
    const hll *from = (const hll *)sketch;
    hll       *to = (hll *)into;

    INK__TRY(become_array(to, error));
    ink__shared_copy(to->registers, from->registers, registers_in(from->precision), 1);
    return INK_OK;
}

static const ink__kind shared = {
    .name = "hll",
    .id = 8,
    .plain = &ink__hll,
    .order_free = true,
    .object_bytes = sizeof(hll),
    .release = hll_release,
    .memory = hll_memory,
    .share = shared_share,
    .shape = shared_shape,
    .add = shared_add,
    .fetch = hll_fetch,
    .snapshot = shared_snapshot,
};

const ink__kind ink__hll = {
    .name = "hll",
    .id = 8,
    .layout = 1,
    .takes = INK__TAKES_PRECISION | INK__TAKES_WRITERS,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_DISTINCT] = 4, [INK_ASK_OVERLAP] = 1},
    .order_free = true,
    .object_bytes = sizeof(hll),
    .shared = &shared,
    .position_rules = {[INK__SCHEME_HASH64] = INK__RULE_REGISTER,
                       [INK__SCHEME_COUPON] = INK__RULE_COUPON,
                       [INK__SCHEME_POSTGRESQL] = INK__RULE_POSTGRESQL},
    .plan = hll_plan,
    .check = hll_check,
    .check_payload = hll_check_payload,
    .describe = hll_describe,
    .load = hll_load,
    .release = hll_release,
    .memory = hll_memory,
    .shape = hll_shape,
    .scratch_bytes = hll_scratch_bytes,
    .payload = hll_payload,
    .reserve = hll_reserve,
    .add = hll_add,
    .fetch = hll_fetch,
    .merge = hll_merge,
    .distinct = hll_distinct,
    .overlap = hll_overlap,
};
