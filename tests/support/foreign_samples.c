/* foreign_samples.c - files of other systems in memory. */
#include "support/foreign_samples.h"

#include "support/check.h"
#include "support/files.h"
#include "support/sketches.h"

#include <stdio.h>

enum { SAMPLE_BYTES_MAX = 1 << 16 };

/* ---- Reading and writing ------------------------------------------------------------------- */

static ink_status take_first(void *host, const ink_label *label, ink_sketch *sketch,
                             ink_error *error)
{
    ink_sketch **first = host;

    (void)label;
    (void)error;
    if (*first == NULL)
        *first = sketch;
    else
        ink_sketch_free(sketch);
    return INK_OK;
}

ink_status foreign_read_first(ink_sketch **sketch, const uint8_t *bytes, size_t count,
                              const ink_foreign_options *options, const ink_allocator *allocator,
                              ink_error *error)
{
    ink_sketch *first = NULL;
    ink_status  status =
        ink_foreign_read(bytes, count, options, take_first, &first, NULL, allocator, error);

    if (status == INK_OK)
        *sketch = first;
    else
        ink_sketch_free(first);
    return status;
}

typedef struct room {
    uint8_t *to;
    size_t   room, used;
} room;

static int write_to_room(void *host, const void *data, size_t bytes)
{
    room *r = host;

    if (bytes <= r->room - r->used && bytes > 0)
        memcpy(r->to + r->used, data, bytes);
    r->used += bytes <= r->room - r->used ? bytes : 0;
    return 0;
}

ink_status foreign_write_to(const ink_sketch *sketch, const char *format, uint8_t *to, size_t bytes,
                            size_t *count, ink_error *error)
{
    room           r = {to, bytes, 0};
    const ink_sink sink = {write_to_room, &r};
    ink_status     status = ink_foreign_write(sketch, format, &sink, error);

    *count = r.used;
    return status;
}

/* CRC-64 of Jones, bit by bit. */
static uint64_t sum_of(const uint8_t *bytes, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count * 8; i++) {
        sum ^= i % 8 == 0 ? bytes[i / 8] : 0;
        sum = sum >> 1 ^ ((sum & 1) != 0 ? 0x95ac9329ac4bc9b5u : 0);
    }
    return sum;
}

void foreign_mend(const char *format, uint8_t *bytes, size_t count)
{
    if (strncmp(format, "redis", 5) == 0 && count > 10 && (bytes[0] == 0 || bytes[0] == 7))
        files_set(bytes + count - 8, 8, sum_of(bytes, count - 8));
}

/* ---- Samples that others wrote -------------------------------------------------------------- */

/* Of formats that are read and not written, and forms that we do not write. */
static const struct {
    const char *format, *hex;
} given[] = {
    /* Files of one row group and of two, whose footers say nothing more. */
    {"parquet",
     "50415231150015401c1c00001c1c00001c1c0000000100020001000200010002000100020001000200010002"
     "000100020001000200292c480172160200160c38016100291c191c3c390cb60c165e0000260200001f000000"
     "50415231"},
    {"parquet",
     "50415231150015401c1c00001c1c00001c1c0000000100020001000200010002000100020001000200010002"
     "00010002000100020015401c1c00001c1c00001c1c0000000100020001000200010002000100020001000200"
     "010002000100020001000200292c480172160200160c38016100292c191c3c390cb60c165e0000260200191c"
     "3c390cb66a0000260200002b00000050415231"},
    {"spark-v1", "000000010000000900000002423f910408042b0003201800e2400192"},
    {"guava", "000500000002001000004a1084040000004000002000"},
    {"hadoop", "000000030000006400000000008a00000241080008"},
    {"hadoop-counting",
     "ffffffff00000003010000002510000000000003c100000000000000200000000000000000"},
    {"index-list", "5b382c205b302c20312c20305d5d0a28392c205b312c20312c20302c20305d290a"},
    {"redis-hll", "48594c4c0100000000000000000000804ab58851fc90474a805bfe"},
    {"redis-hll", /* by DUMP */
     "001b48594c4c0100000000000000000000804ab58851fc90474a805bfe0a00e0a64be019b4e663"},
    {"redis-hll", /* with a compressed string */
     "00c3171b0548594c4c0100e000000b804ab58851fc90474a805bfe0a001e4b1e4d578e7878"},
    {"postgresql-hll", "128b7fcbd8a7b341bd9b02"},
    {"postgresql-hll", "14840010821100020842308021"},
    {"postgresql-hll", "5c783133386234303237363335666331366330310a"}, /* as psql shows it */
    {"datasketches-hll", "0201070c03080308aac135046c3615071abcd005"},
    {"datasketches-hll",
     "0a0107040008000a15eb1dc787f15440000000000000fb3f0000000000000000000000000000000004020307"
     "030403060304050202030704"},
    {"datasketches-hll", /* of 4 bits, one of which stands in a table */
     "0a01070402101402000000000000000000000000"
     "0000f03f000000000000f03f0100000001000000"
     "1032547698badcfe"
     "0f00008c000000000000000000000000"},
    {"datasketches-theta", "02030300000acc930200000000000000e56b61eec880442015f97dcbbd86a105"},
    {"datasketches-theta", "0303030000"
                           "0acc93"
                           "01000000"
                           "00000000"
                           "ffffffffffffff3f"
                           "e56b61eec8804420"},
    {"datasketches-bloom", "04011500030000007b000000000000000200000000000000ffffffffffffffff"
                           "04000080000410000000100000080000"},
    {"redisbloom",
     "0300000000000000010000000500000002000000100000000000000080000000000000000300000000000000"
     "7b14ae47e17a743fe9862fb2350e2640080000000a0000000000000000"
     "242022024046002000a0cc0802000244"},
    {"redisbloom", /* by DUMP */
     "07813016e5a289bef8040203020102050202020a047b14ae47e17a743f020804e9862fb2350e2640024080"
     "02000510242022024046002000a0cc08020002440203000a0087c807dd09ac36cc"},
    {"redisbloom-cms",
     "078108c4a4f9360f10000204020202810000000100000003052000000000ffffffff01000000030000000000"
     "000000000000ffffffff00000000000a0099c0a454532e9c6c"},
    {"redisbloom-cms", /* with a compressed string */
     "078108c4a4f9360f100002100202020005c30540800000e07600000a008ab1518226dd721e"},
    {"puffin",
     "5046413102030300001acc93020000000000000015f97dcbbd86a105e56b61eec8804420504641317b22626c"
     "6f6273223a5b7b2274797065223a226170616368652d64617461736b6574636865732d74686574612d763122"
     "2c226669656c6473223a5b335d2c22736e617073686f742d6964223a312c2273657175656e63652d6e756d62"
     "6572223a312c226f6666736574223a342c226c656e677468223a33327d5d7d7b0000000000000050464131"},
    {"puffin", /* a blob of another type, a compressed one, and one of an empty sketch */
     "50464131000128b52ffd605000810a0002030300001acc932800000000000000fb38798913248f01e2dacf9f"
     "cdeabe0415f97dcbbd86a10540de2ee1c9db3d08698bb991b8685708fe162113fb98bc10919df55cf66fba11"
     "bd3273724691cc14ca0361aae7339f159ba3841106ddc91b4ff24de0bc0cae1c6da916bc4a66611ec397fc12"
     "81709d1e23a55b381afd741fe56b61eec88044203ebadca36f6fb620b6f28e894f5f72211ad1300b998c2f22"
     "f796fbd50949aa25cb5d302df6c43c28d5b943d7862936299ad4182833a6a12d67d0f76013084c2e9912b108"
     "8513b73046e2c432ab245535571ec49caf41973ac234e6e259841d3b5cab5440133d793ddb9704f17adb223e"
     "67f8adf578d98b3fe1ee28e20ad8cd44b7621a298d094b48643d126e8bd73b49e30c3516c90aee4eba40b3c1"
     "da06695ddc9ffcb1d447286fcf16b50168520e72ac3fead8311a0a7be0f48bea9983c37cd82d23774bb9357e"
     "01030300001ecc93504641317b22626c6f6273223a5b7b2274797065223a2264656c6574696f6e2d76656374"
     "6f722d7631222c226669656c6473223a5b5d2c22736e617073686f742d6964223a312c2273657175656e6365"
     "2d6e756d626572223a312c226f6666736574223a342c226c656e677468223a327d2c7b2274797065223a2261"
     "70616368652d64617461736b6574636865732d74686574612d7631222c226669656c6473223a5b312c325d2c"
     "22736e617073686f742d6964223a312c2273657175656e63652d6e756d626572223a312c226f666673657422"
     "3a362c226c656e677468223a3334362c22636f6d7072657373696f6e2d636f646563223a227a737464227d2c"
     "7b2274797065223a226170616368652d64617461736b6574636865732d74686574612d7631222c226669656c"
     "6473223a5b375d2c22736e617073686f742d6964223a312c2273657175656e63652d6e756d626572223a312c"
     "226f6666736574223a3335322c226c656e677468223a387d5d7d6e0100000000000050464131"},
};
enum { GIVEN = sizeof given / sizeof given[0] };

static bool is_format(const char *name)
{
    const ink_foreign_info *info;

    for (size_t i = 0; (info = ink_foreign(i)) != NULL; i++)
        if (strcmp(info->name, name) == 0)
            return true;
    return false;
}

static void make_given(foreign_sample *sample, const char *format, const char *hex)
{
    unsigned byte;

    *sample = (foreign_sample){.options = {.format = format, .hashes = FOREIGN_HASHES}};
    sample->count = is_format(format) ? strlen(hex) / 2 : 0;
    sample->bytes = malloc(sample->count + 1);
    for (size_t i = 0; i < sample->count; i++) {
        CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
        sample->bytes[i] = (uint8_t)byte;
    }
}

/* ---- Samples of ours ------------------------------------------------------------------------ */

/* Small, with few, some and many keys. */
static const unsigned keys_of[] = {0, 3, 60};
enum { SIZES = sizeof keys_of / sizeof keys_of[0] };

static void make_written(foreign_sample *sample, const ink_foreign_info *info, unsigned keys)
{
    ink_params params = {.kind = info->kind};
    ink_error  error;

    *sample = (foreign_sample){.options.format = info->name, .written = true};
    if (strcmp(info->kind, "classic") == 0 || strcmp(info->kind, "bloom") == 0) {
        params.expected_keys = 50;
        params.false_positive_rate = 0.03;
    } else if (strcmp(info->kind, "count-min") == 0) {
        params.width = 19;
        params.depth = 3;
    } else if (strcmp(info->kind, "theta") == 0) {
        sample->options.precision = params.precision = 5;
    }
    CHECK_OK(ink_foreign_params(info->name, &params, &error));
    sample->options.hash = params.hash;
    owned_sketch *sketch = files_sketch(&params, 0, keys, NULL);
    if (strcmp(info->name, "index-list") == 0) {
        const ink_description is = sketches_describe(sketch);
        sample->options.bits = is.bits;
        sample->options.hashes = is.hashes;
    }
    sample->bytes = malloc(SAMPLE_BYTES_MAX);
    CHECK_OK(foreign_write_to(sketch, info->name, sample->bytes, SAMPLE_BYTES_MAX, &sample->count,
                              &error));
}

bool foreign_sample_make(foreign_sample *sample, unsigned index)
{
    const ink_foreign_info *info;
    unsigned                number = index;

    if (index < GIVEN) {
        make_given(sample, given[index].format, given[index].hex);
        return true;
    }
    number -= GIVEN;
    for (size_t i = 0; (info = ink_foreign(i)) != NULL; i++) {
        if (!info->writes)
            continue;
        if (number < SIZES) {
            make_written(sample, info, keys_of[number]);
            return true;
        }
        number -= SIZES;
    }
    return false;
}

void foreign_sample_free(foreign_sample *sample)
{
    free(sample->bytes);
    sample->bytes = NULL;
}
