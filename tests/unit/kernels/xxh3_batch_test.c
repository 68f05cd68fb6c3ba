/* xxh3_batch_test.c - every loop that this machine can run hashes a batch of keys to the values of
 * the XXH3 library, one key at a time, without reading a byte too many. With INK_TEST_LIGHT set
 * fewer batches are tried. */
#define _DEFAULT_SOURCE 1
#include "kernels/xxh3_batch.h"

#include "support/check.h"
#include "support/kernel_tables.h"

#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* More keys than are sorted at a time, of up to LONGEST bytes. */
enum { LONGEST = 300, KEYS = 2 * INK__XXH3_BATCH_MAX + 5 };
static uint8_t pattern[KEYS * LONGEST];

static int make_pattern(void **state)
{
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 167 + 89);
    return 0;
}

static const uint64_t seeds[] = {0, 1, 0xffffffff, UINT64_MAX, 0x696e6b6c696e6721 /* default */};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

typedef void hash_batch(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                        size_t count, uint64_t seed, uint64_t *hashes);

/* Hashes a batch with one loop, and compares each hash with the library's. What lies after the last
 * hash must stay as it was. */
static void check_loop(hash_batch *loop, const char *name, const uint8_t *bytes,
                       const uint64_t *offsets, size_t count, uint64_t seed)
{
    const uint64_t untouched = 0x0123456789abcdef;
    uint64_t       hashes[KEYS + 1];

    memset(hashes, 0x5a, count * sizeof *hashes); /* none of the loop before */
    hashes[count] = untouched;
    loop(bytes, offsets, offsets + 1, count, seed, hashes);
    for (size_t i = 0; i < count; i++) {
        size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        if (hashes[i] != XXH3_64bits_withSeed(bytes + offsets[i], length, seed))
            fail_msg("%s: key %zu of %zu, %zu bytes, seed %llx: another hash than the library's",
                     name, i, count, length, (unsigned long long)seed);
    }
    assert_int_equal(hashes[count], untouched);
}

/* AVX-512 by itself: its loop needs less of the processor than its table does. Tables that have the
 * scalar loop are checked with it. */
static void check_batch(const uint8_t *bytes, const uint64_t *offsets, size_t count, uint64_t seed)
{
    hash_batch *wide = NULL;

#if defined(__x86_64__)
    if ((ink__cpu_features() & INK__CPU_AVX512) != 0)
        wide = ink__xxh3_batch_avx512;
#endif
    check_loop(ink__xxh3_batch_scalar, "scalar", bytes, offsets, count, seed);
    if (wide != NULL)
        check_loop(wide, "avx512", bytes, offsets, count, seed);
    FOR_EACH_TABLE(table)
    if (table->xxh3_batch != ink__xxh3_batch_scalar && table->xxh3_batch != wide)
        check_loop(table->xxh3_batch, table->name, bytes, offsets, count, seed);
}

TEST(a_batch_of_equal_lengths_equals_the_library)
{
    uint64_t offsets[INK__XXH3_BATCH_MAX + 1];

    for (size_t length = 0; length <= LONGEST; length++) {
        for (size_t i = 0; i <= INK__XXH3_BATCH_MAX; i++)
            offsets[i] = i * length;
        for (int i = 0; i < SEEDS; i++)
            check_batch(pattern, offsets, INK__XXH3_BATCH_MAX, seeds[i]);
    }
}

TEST(a_batch_of_mixed_lengths_equals_the_library)
{
    static const size_t counts[] = {0, 1, 2, 3, 64, 127, 128, 129, KEYS};
    uint64_t            offsets[KEYS + 1], random = 1;

    for (int round = 0; round < (light() ? 50 : 500); round++) {
        /* Short ones, as words are; then all up to 300, so that every class meets every other. */
        uint64_t longest = round % 2 == 0 ? 40 : LONGEST;
        offsets[0] = (uint64_t)round % 13; /* a batch may start anywhere */
        for (size_t i = 0; i < KEYS; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
            uint64_t next = offsets[i] + (random >> 33) % (longest + 1);
            offsets[i + 1] = next < sizeof pattern ? next : sizeof pattern;
        }
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            check_batch(pattern, offsets, counts[i], seeds[round % SEEDS]);
    }
}

/* Batches that begin, end or go on with keys of one range of lengths, with one of another length
 * among them. */
TEST(one_key_of_another_length_among_many_alike_changes_nothing)
{
    static const uint64_t alike[] = {2, 4, 8, 9, 16, 17, 32, 33, 100};
    uint64_t              offsets[KEYS + 1] = {0};

    for (size_t a = 0; a < sizeof alike / sizeof alike[0]; a++)
        for (uint64_t other = 0; other <= 40; other++)
            for (size_t position = 0; position < KEYS; position += (light() ? 37 : 1) + other % 7) {
                for (size_t i = 0; i < KEYS; i++)
                    offsets[i + 1] = offsets[i] + (i == position ? other : alike[a]);
                check_batch(pattern, offsets, KEYS, seeds[other % SEEDS]);
            }
}

TEST(a_batch_holds_every_length_from_0_to_127_once)
{
    uint64_t offsets[INK__XXH3_BATCH_MAX + 1] = {0};

    for (size_t i = 0; i < INK__XXH3_BATCH_MAX; i++)
        offsets[i + 1] = offsets[i] + (INK__XXH3_BATCH_MAX - 1 - i);
    for (int i = 0; i < SEEDS; i++)
        check_batch(pattern, offsets, INK__XXH3_BATCH_MAX, seeds[i]);
}

TEST(keys_of_one_repeated_byte_equal_the_library)
{
    static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff};
    uint8_t              key[LONGEST];

    for (size_t v = 0; v < sizeof values; v++) {
        memset(key, values[v], sizeof key);
        for (size_t n = 0; n <= LONGEST; n++)
            for (int i = 0; i < SEEDS; i++)
                check_batch(key, (const uint64_t[]){0, n}, 1, seeds[i]);
    }
}

TEST(no_batch_reads_a_byte_outside_its_keys)
{
    size_t   page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + page, page, PROT_READ | PROT_WRITE), 0);
    memcpy(map + page, pattern, page); /* between two pages that must not be touched */

    for (uint64_t length = 0; length <= LONGEST; length++) {
        /* One key; three keys, the last of them at the very end; each also at the very start. */
        const uint64_t alone[] = {0, length}, three[] = {0, 5, 12, 12 + length},
                       turned[] = {0, length, length + 7, length + 12};
        check_batch(map + 2 * page - length, alone, 1, seeds[4]);
        check_batch(map + 2 * page - (12 + length), three, 3, seeds[4]);
        check_batch(map + page, alone, 1, seeds[4]);
        check_batch(map + page, turned, 3, seeds[4]);
    }
    /* The same where the first key does not start at 0. */
    for (uint64_t length = 9; length <= 16; length++) {
        uint64_t offsets[17] = {32};
        for (uint64_t i = 0; i < 16; i++)
            offsets[i + 1] = offsets[i] + length + (i % 8 == 7 ? 17 : 0);
        check_batch(map + page - 32, offsets, 16, seeds[4]);
    }
    /* Eight keys and one more, as many as are hashed together, up to both ends of the page. */
    for (uint64_t length = 0; length <= LONGEST; length++)
        for (uint64_t count = 8; count <= 9; count++) {
            uint64_t offsets[10] = {0};
            for (uint64_t i = 0; i < count; i++)
                offsets[i + 1] = offsets[i] + length;
            check_batch(map + page, offsets, count, seeds[4]);
            check_batch(map + 2 * page - offsets[count], offsets, count, seeds[4]);
        }
    /* Keys of 9 to 32 bytes together, of one array, up to both ends of the page; and as objects of
     * their own, each at one end of it. */
    for (uint64_t length = 9; length <= 32; length++)
        for (uint64_t other = 9; other <= 32; other++) {
            uint64_t offsets[9] = {0}, starts[8], ends[8], hashes[8];
            for (uint64_t i = 0; i < 8; i++) {
                uint64_t bytes = i % 2 == 0 ? length : other;
                offsets[i + 1] = offsets[i] + bytes;
                starts[i] = (uintptr_t)(i % 3 == 0 ? map + page : map + 2 * page - bytes);
                ends[i] = starts[i] + bytes;
            }
            check_batch(map + page, offsets, 8, seeds[4]);
            check_batch(map + 2 * page - offsets[8], offsets, 8, seeds[4]);
            FOR_EACH_TABLE(table)
            {
                memset(hashes, 0x5a, sizeof hashes);
                table->xxh3_batch(NULL, starts, ends, 8, seeds[4], hashes);
                for (size_t i = 0; i < 8; i++)
                    assert_int_equal(hashes[i],
                                     XXH3_64bits_withSeed((const void *)(uintptr_t)starts[i],
                                                          (size_t)(ends[i] - starts[i]), seeds[4]));
            }
        }
    assert_int_equal(munmap(map, 3 * page), 0);
}

/* Where keys start and end, at either end of pages of their own: with few keys no number is far
 * from an edge. */
TEST(no_batch_reads_a_number_outside_its_arrays)
{
    enum { COUNT_MAX = 17 };
    static const uint64_t lengths[] = {40, 16, 9, 17, 5, 0, 33};
    size_t                page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t              *map = mmap(NULL, 5 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(map != MAP_FAILED);
    uint8_t *pages[] = {map + page, map + 3 * page}; /* of starts, and of ends */
    for (int i = 0; i < 2; i++)
        assert_int_equal(mprotect(pages[i], page, PROT_READ | PROT_WRITE), 0);
    for (size_t count = 0; count <= COUNT_MAX; count++)
        for (size_t alike = 0; alike < 16; alike++) {
            size_t   at = alike % 2 == 0 ? 0 : page - count * sizeof(uint64_t);
            uint64_t offset = 0, *starts = (void *)(pages[0] + at), *ends = (void *)(pages[1] + at);
            uint64_t hashes[COUNT_MAX];
            for (size_t i = 0; i < count; i++) {
                starts[i] = offset;
                offset += lengths[(alike < 14 ? alike / 2 : i) % 7];
                ends[i] = offset;
            }
            FOR_EACH_TABLE(table)
            {
                memset(hashes, 0x5a, sizeof hashes);
                table->xxh3_batch(pattern, starts, ends, count, seeds[4], hashes);
                for (size_t i = 0; i < count; i++)
                    assert_int_equal(hashes[i],
                                     XXH3_64bits_withSeed(pattern + starts[i],
                                                          (size_t)(ends[i] - starts[i]), seeds[4]));
            }
        }
    assert_int_equal(munmap(map, 5 * page), 0);
}

RUN_TESTS(.begin = make_pattern)
