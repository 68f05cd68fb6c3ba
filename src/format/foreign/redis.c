/* redis.c - HyperLogLog of Redis and Valkey, the value of a string: registers of six bits or, while
 * few are set, runs of equal ones. What DUMP gives of such a key is read as well. */
#include "format/foreign/formats.h"

#include "base/memory.h"
#include "base/status.h"
#include "format/foreign/rdb.h"

#include <string.h>

enum { PRECISION = 14, REGISTERS = 1 << PRECISION, VALUE_MAX = 65 - PRECISION };
enum { AT_FORM = 4, AT_CACHED = 8, HEAD = 16 };
enum { DENSE = 0, SPARSE = 1, DENSE_BYTES = HEAD + REGISTERS / 4 * 3 };
/* Redis makes it dense above this size, unless hll-sparse-max-bytes says otherwise. */
enum { SPARSE_BYTES_MAX = HEAD + 3000 };
/* Each run takes at most two bytes, and has one register at least. */
enum { BYTES_MAX = HEAD + 2 * REGISTERS };
/* A byte below LONG_ZEROS is the length of a run of zeros, less 1; from there on it is the higher
 * bits of such a length, and the lower ones follow; from VALUES on it is a value and how often it
 * comes. */
enum { LONG_ZEROS = 0x40, VALUES = 0x80, VALUES_MAX = 4, SPARSE_VALUE_MAX = 32 };
#define SEED 0xadc83b19u

static bool begins(const uint8_t *bytes, size_t count)
{
    return count >= HEAD && memcmp(bytes, "HYLL", 4) == 0 && bytes[AT_FORM] <= SPARSE &&
           memcmp(bytes + AT_FORM + 1, "\0\0", 3) == 0;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* The value of the key. */
typedef struct value {
    const uint8_t *bytes;
    uint64_t       count, at; /* of its first byte in the file */
    bool           unpacked;  /* its bytes are not those of the file */
} value;

static uint64_t at_of(const value *v, uint64_t offset)
{
    return v->unpacked ? v->at : v->at + offset;
}

/* What redis-cli adds to a value is no part of it. */
static bool is_line_end(const value *v, uint64_t offset)
{
    return offset + 1 == v->count && v->bytes[offset] == '\n';
}

static ink_status read_dense(const value *v, uint8_t *registers, ink_error *error)
{
    if (v->count != DENSE_BYTES && (v->count < DENSE_BYTES || !is_line_end(v, DENSE_BYTES)))
        return INK__FOREIGN_FAIL(error, at_of(v, v->count), "%llu bytes, expected %d",
                                 (unsigned long long)v->count, DENSE_BYTES);
    ink__registers_unpack(v->bytes + HEAD, DENSE_BYTES - HEAD, PRECISION, registers);
    for (uint32_t i = 0; i < REGISTERS; i++)
        if (registers[i] > VALUE_MAX)
            return INK__FOREIGN_FAIL(error, at_of(v, HEAD + i * 6 / 8),
                                     "register %u is %u, expected at most %d", i, registers[i],
                                     VALUE_MAX);
    return INK_OK;
}

static ink_status read_sparse(const value *v, uint8_t *registers, ink_error *error)
{
    uint32_t done = 0;

    for (uint64_t i = HEAD, bytes; i < v->count; i += bytes) {
        const unsigned first = v->bytes[i];
        uint32_t       run = first + 1;
        uint8_t        each = 0;
        bytes = 1;
        if (first >= VALUES) {
            each = (uint8_t)((first >> 2 & 31) + 1);
            run = (first & 3) + 1;
        } else if (first >= LONG_ZEROS) {
            bytes = 2;
            if (i + 1 == v->count)
                return INK__FOREIGN_FAIL(error, at_of(v, i), "half of the length of a run");
            run = ((first & 63) << 8 | v->bytes[i + 1]) + 1;
        }
        if (done == REGISTERS && is_line_end(v, i))
            return INK_OK;
        if (run > REGISTERS - done)
            return INK__FOREIGN_FAIL(error, at_of(v, i),
                                     "%u registers after %u, expected %d in all", run, done,
                                     REGISTERS);
        memset(registers + done, each, run);
        done += run;
    }
    if (done != REGISTERS)
        return INK__FOREIGN_FAIL(error, at_of(v, v->count), "%u registers, expected %d", done,
                                 REGISTERS);
    return INK_OK;
}

static ink_status read_value(const value *v, uint8_t *registers, ink_error *error)
{
    if (!begins(v->bytes, (size_t)v->count))
        return INK__FOREIGN_FAIL(error, at_of(v, 0),
                                 "other bytes, expected HYLL, 0 or 1, three of 0, and eight");
    return v->bytes[AT_FORM] == DENSE ? read_dense(v, registers, error)
                                      : read_sparse(v, registers, error);
}

/* Finds the value in a file, or writes it to `room`. */
static ink_status find_value(const ink__foreign_file *file, uint8_t room[BYTES_MAX], value *v,
                             ink_error *error)
{
    ink__rdb        in;
    ink__rdb_string text;

    *v = (value){file->bytes, file->count, 0, false};
    if (file->count == 0 || file->bytes[0] != INK__RDB_STRING)
        return INK_OK;
    INK__TRY(ink__rdb_open(&in, file->bytes, file->count, error));
    in.at = 1;
    INK__TRY(ink__rdb_text(&in, &text, error));
    INK__TRY(ink__rdb_end(&in, error));
    *v = (value){text.stored, text.bytes, text.at, text.compressed};
    if (!text.compressed)
        return INK_OK;
    if (text.bytes > BYTES_MAX)
        return INK__FOREIGN_FAIL(error, text.at, "a string of %llu bytes, expected at most %d",
                                 (unsigned long long)text.bytes, BYTES_MAX);
    ink__rdb_unpack(&text, room);
    v->bytes = room;
    return INK_OK;
}

static ink_status read_hll(const ink__foreign_file *file, uint64_t index,
                           ink__foreign_sketch *sketch, ink_error *error)
{
    uint8_t *memory;
    value    v;

    (void)index;
    INK__TRY(ink__allocate(file->allocator, REGISTERS + BYTES_MAX, &memory, error));
    ink_status status = find_value(file, memory + REGISTERS, &v, error);
    if (status == INK_OK)
        status = read_value(&v, memory, error);
    if (status == INK_OK) {
        sketch->params.kind = "hll";
        sketch->params.precision = PRECISION;
        ink__registers_reverse(memory, PRECISION);
        status = ink__registers_pack(memory, PRECISION, sketch, file->allocator, error);
    }
    ink__release(file->allocator, memory, REGISTERS + BYTES_MAX);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* The bytes with the runs of all registers, or 0 if it is to be dense. */
static uint64_t write_sparse(const uint8_t *registers, uint8_t to[SPARSE_BYTES_MAX])
{
    uint64_t used = HEAD;

    for (uint32_t i = 0, run; i < REGISTERS; i += run) {
        const uint8_t  each = registers[i];
        const uint32_t left = REGISTERS - i,
                       most = each != 0 && left > VALUES_MAX ? VALUES_MAX : left;
        for (run = 1; run < most && registers[i + run] == each; run++)
            ;
        if (each > SPARSE_VALUE_MAX ||
            used + 1 + (each == 0 && run > LONG_ZEROS) > SPARSE_BYTES_MAX)
            return 0;
        if (each != 0)
            to[used++] = (uint8_t)(VALUES | (unsigned)(each - 1) << 2 | (run - 1));
        else if (run <= LONG_ZEROS)
            to[used++] = (uint8_t)(run - 1);
        else {
            to[used++] = (uint8_t)(LONG_ZEROS | (run - 1) >> 8);
            to[used++] = (uint8_t)(run - 1);
        }
    }
    return used;
}

static ink_status check_hll(const ink_description *is, ink_error *error)
{
    if (is->precision != PRECISION || is->seed != SEED)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "precision %u and seed 0x%llx, expected %d and 0x%x", is->precision,
                         (unsigned long long)is->seed, PRECISION, SEED);
    return INK_OK;
}

static ink_status write_hll(const ink__foreign_source *source, const ink_sink *sink,
                            ink_error *error)
{
    uint8_t *memory;

    INK__TRY(check_hll(&source->is, error));
    INK__TRY(ink__allocate_zeroed(source->allocator, REGISTERS + DENSE_BYTES, &memory, error));
    uint8_t *to = memory + REGISTERS;
    ink__registers_unpack(source->payload, source->payload_bytes, PRECISION, memory);
    ink__registers_reverse(memory, PRECISION);
    uint64_t bytes = write_sparse(memory, to);
    memcpy(to, "HYLL", 4);
    to[AT_FORM] = bytes == 0 ? DENSE : SPARSE;
    to[AT_CACHED + 7] = 0x80; /* there is no cached count */
    if (bytes == 0) {
        memset(to + HEAD, 0, DENSE_BYTES - HEAD);
        ink__registers_pack_all(memory, PRECISION, to + HEAD);
        bytes = DENSE_BYTES;
    }
    ink_status status = ink__foreign_put(sink, to, bytes, error);
    ink__release(source->allocator, memory, REGISTERS + DENSE_BYTES);
    return status;
}

static ink_status size_hll(ink_params *params, ink_error *error)
{
    if (params->precision != 0 && params->precision != PRECISION)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{precision} %u, expected %d for redis-hll", params->precision, PRECISION);
    params->precision = PRECISION;
    return INK_OK;
}

const ink__foreign_format ink__foreign_redis_hll = {
    .info = {.name = "redis-hll",
             .about = "HyperLogLog of Redis and Valkey",
             .kind = "hll",
             .reads = true,
             .writes = true,
             .certain = true},
    .hashes = (const char *const[]){"redis-hll", NULL},
    .begins = begins,
    .read = read_hll,
    .write = write_hll,
    .size = size_hll,
};
