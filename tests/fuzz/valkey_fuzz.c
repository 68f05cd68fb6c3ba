/* valkey_fuzz.c - values of the server module as they come from RDB files and RESTORE, which is
 * open to clients: strings, the first of which no checksum covers. Each is refused, or loaded, and
 * then saved as it was, copied, digested and freed with all of its memory. The functions of the
 * server that this takes are here. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "support/check.h"
#include "type.h"

#include <malloc.h>
#include <string.h>

enum { BYTES_MAX = 1 << 15, LENGTH_BYTES = 4, VALUE_BYTES_MAX = 16 << 20 };

/* Strings, each after its length. */
struct RM_IO {
    uint8_t *bytes;
    size_t   count, at, room;
    bool     failed;
};

static RM_TypeMethods methods;

/* ---- The server --------------------------------------------------------------------------- */

static void save_string(RM_IO *io, const char *text, size_t bytes)
{
    const uint32_t length = (uint32_t)bytes;

    assert_true(bytes + LENGTH_BYTES <= io->room - io->count);
    memcpy(io->bytes + io->count, &length, LENGTH_BYTES);
    memcpy(io->bytes + io->count + LENGTH_BYTES, text, bytes);
    io->count += LENGTH_BYTES + bytes;
}

static char *load_string(RM_IO *io, size_t *bytes)
{
    uint32_t length = 0;

    io->failed |= io->count - io->at < LENGTH_BYTES;
    if (!io->failed) {
        memcpy(&length, io->bytes + io->at, LENGTH_BYTES);
        io->at += LENGTH_BYTES;
        io->failed = length > io->count - io->at;
    }
    if (io->failed)
        return NULL;
    char *text = malloc(length + 1); /* as the server's strings end */
    memcpy(text, io->bytes + io->at, length);
    io->at += length;
    *bytes = length;
    return text;
}

static int has_failed(RM_IO *io)
{
    return io->failed;
}

static void log_nothing(RM_IO *io, const char *level, const char *format, ...)
{
}
static const RM_String *no_name(RM_IO *io)
{
    return NULL;
}
static long long now(void)
{
    return 1;
}
static size_t size_of(void *block)
{
    return malloc_usable_size(block);
}

static uint64_t digested;

static void add_to_digest(RM_Digest *to, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        digested = (digested ^ (uint8_t)bytes[i]) * 0x100000001b3u;
}

static void end_digest(RM_Digest *to)
{
}

static RM_Type *take_methods(RM_Ctx *ctx, const char *name, int version, RM_TypeMethods *given)
{
    methods = *given;
    return (RM_Type *)&methods;
}

static void begin(void)
{
    RM_TryAlloc = malloc;
    RM_TryCalloc = calloc;
    RM_TryRealloc = realloc;
    RM_Free = free;
    RM_MallocSize = size_of;
    RM_SaveStringBuffer = save_string;
    RM_LoadStringBuffer = load_string;
    RM_IsIOError = has_failed;
    RM_LogIOError = log_nothing;
    RM_GetKeyNameFromIO = no_name;
    RM_Milliseconds = now;
    RM_DigestAddStringBuffer = add_to_digest;
    RM_DigestEndSequence = end_digest;
    RM_CreateDataType = take_methods;
    memory_limits.key_bytes = VALUE_BYTES_MAX;
    value_kinds();
    assert_int_equal(type_register(NULL), RM_OK);
}

/* ---- Values ------------------------------------------------------------------------------- */

static const struct {
    family     of;
    ink_params params;
    uint64_t   k;
} seeds[] = {
    {FAMILY_NATIVE, {.kind = "bloom", .expected_keys = 100}, 0},
    {FAMILY_NATIVE, {.kind = "hll", .precision = 6, .key_type = INK_KEY_INT}, 0},
    {FAMILY_NATIVE, {.kind = "theta", .precision = 6}, 0},
    {FAMILY_BLOOM, {.kind = "scalable", .expected_keys = 100}, 0},
    {FAMILY_COUNTS, {.kind = "count-min", .width = 100, .depth = 3}, 0},
    {FAMILY_TOP, {.kind = "top", .top_keys = 3}, 3},
    {FAMILY_CUCKOO, {.kind = "counting", .expected_keys = 100}, 0},
};

enum { SEEDS = sizeof seeds / sizeof *seeds, ADDED = 7 };

static void add_some(value *v)
{
    heap_slot expelled;
    char      key[] = "a key that is not short";

    for (int i = 0; i < ADDED; i++) {
        key[0] = (char)('a' + i);
        assert_int_equal(v->ints ? ink_sketch_add_int(v->body->sketch, i, NULL)
                                 : ink_sketch_add(v->body->sketch, key, sizeof key, NULL),
                         INK_OK);
        if (v->heap != NULL &&
            heap_offer(v->heap, key, sizeof key, 1, &v->body->memory, &expelled) == HEAP_EXPELLED)
            heap_give(&expelled, &v->body->memory);
    }
}

static size_t save(const value *v, uint8_t *to, size_t room)
{
    RM_IO io = {.bytes = to, .room = room};

    methods.rdb_save(&io, (void *)(uintptr_t)v);
    return io.count;
}

/* A value of which 40 of 100 bytes have come. */
static value *half_value(void)
{
    value *v = value_create(FAMILY_BLOOM);

    v->body->total = 100;
    v->body->arrived = 40;
    assert_non_null(v->body->bytes = memory_zeroed(&v->body->memory, 100));
    return v;
}

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    ink_error error;
    value    *v;

    if (index > SEEDS)
        return SIZE_MAX;
    if (index == SEEDS) {
        v = half_value();
        const size_t half = save(v, to, room);
        value_free(v);
        return half;
    }
    assert_int_equal(value_make(&v, seeds[index].of, &seeds[index].params, &error), INK_OK);
    v->set.k = seeds[index].k;
    if (v->set.k != 0)
        assert_non_null(v->heap = heap_create(v->set.k, &v->body->memory));
    add_some(v);
    const size_t count = save(v, to, room);
    value_free(v);
    return count;
}

/* Mostly the head, which no checksum covers; its words are of eight bytes. */
static size_t change(uint8_t *bytes, size_t count, size_t room)
{
    uint32_t head;

    if (count < LENGTH_BYTES || fuzz_draw(4) == 0)
        return fuzz_scramble(bytes, count, room);
    memcpy(&head, bytes, LENGTH_BYTES);
    if (head < 8 || head > count - LENGTH_BYTES)
        return fuzz_scramble(bytes, count, room);
    const size_t   at = LENGTH_BYTES + 8 * fuzz_draw(head / 8);
    const uint64_t some[] = {0, 1, fuzz_draw(64), UINT64_MAX, UINT64_MAX / 8, head, count};
    memcpy(bytes + at, &some[fuzz_draw(sizeof some / sizeof *some)], 8);
    return count;
}

static uint64_t digest_of(void *v)
{
    digested = 0;
    methods.digest(NULL, v);
    return digested;
}

/* What was loaded is saved and loaded as the same. */
static void use(value *v)
{
    static uint8_t saved[VALUE_BYTES_MAX];
    const uint64_t digest = digest_of(v);
    RM_IO          io = {.bytes = saved, .count = save(v, saved, sizeof saved)};
    value         *again = methods.rdb_load(&io, 1), *copied = methods.copy(NULL, NULL, v);

    assert_true(methods.mem_usage(v) > 0 && methods.free_effort(NULL, v) > 0);
    assert_non_null(again);
    assert_true(digest_of(again) == digest);
    methods.free(again);
    if (copied != NULL) { /* half of one may be too large for another */
        assert_true(digest_of(copied) == digest);
        methods.free(copied);
    }
    methods.free(v);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    RM_IO  io = {.bytes = (uint8_t *)(uintptr_t)bytes, .count = count};
    value *v = methods.rdb_load(&io, 1);

    if (v != NULL)
        use(v);
    assert_int_equal(memory_total(), 0);
    (void)memory_refused();
}

const fuzz_target fuzz_here = {
    .name = "valkey",
    .most_bytes = BYTES_MAX,
    .rounds = 30000,
    .begin = begin,
    .seed = seed,
    .change = change,
    .attempt = attempt,
};
