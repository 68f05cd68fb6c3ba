/* kernels_test.c - every kernel table that this machine can run gives, bit for bit, what a plain
 * reading of docs/format.md and kernels.h gives: all lengths up to 300 and some large ones, random
 * and extreme data, pointers of any alignment. The tables are compared with plain loops written
 * here, so the scalar one is held to the same.
 *
 * With INK_TEST_LIGHT set (valgrind) lengths and counts go up in larger steps, about 50 times less
 * work; the same cases stay. */
#include "kernels/dispatch.h"

#include "hash/hashes.h"
#include "kernels/block_positions_avx2.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/kernel_tables.h"

/* ---- What the tests share ----------------------------------------------------------------- */

/* The lengths that every loop over bytes is tried with: 0 to 300, then some large ones. */
static size_t length_after(size_t length)
{
    static const size_t large[] = {511, 512, 513, 4095, 4096, 4097, 65535, 65569};

    if (length < 300)
        return length + (light() ? 13 : 1);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        if (large[i] > length)
            return large[i];
    return SIZE_MAX;
}
enum { LENGTH_MAX = 65569, MARGIN = 64, OFFSETS = 33 };

/* ---- Plain loops -------------------------------------------------------------------------- */

typedef void pairwise(uint8_t *into, const uint8_t *from, size_t count);

static void plain_or(uint8_t *into, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        into[i] = (uint8_t)(into[i] | from[i]);
}

static void plain_and(uint8_t *into, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        into[i] = (uint8_t)(into[i] & from[i]);
}

static void plain_max(uint8_t *into, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (from[i] > into[i])
            into[i] = from[i];
}

static unsigned capped(unsigned sum, unsigned most)
{
    return sum > most ? most : sum;
}

static void plain_add_u4(uint8_t *into, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned low = capped(into[i] % 16u + from[i] % 16u, 15);
        unsigned high = capped(into[i] / 16u + from[i] / 16u, 15);
        into[i] = (uint8_t)(16 * high + low);
    }
}

/* Little-endian sums of `width` bytes, byte by byte with a carry. */
static void plain_add_wide(uint8_t *into, const uint8_t *from, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++, into += width, from += width) {
        unsigned carry = 0;
        for (size_t j = 0; j < width; j++) {
            carry += (unsigned)into[j] + from[j];
            into[j] = (uint8_t)carry;
            carry >>= 8;
        }
        if (carry != 0)
            memset(into, 0xff, width);
    }
}

static void plain_add_u32(uint8_t *into, const uint8_t *from, size_t count)
{
    plain_add_wide(into, from, count, 4);
}

static void plain_add_u64(uint8_t *into, const uint8_t *from, size_t count)
{
    plain_add_wide(into, from, count, 8);
}

static unsigned bit_at(const uint8_t *bits, uint64_t at)
{
    return (unsigned)bits[at / 8] >> at % 8 & 1u;
}

static uint64_t plain_ones(const uint8_t *from, size_t bytes)
{
    uint64_t ones = 0;

    for (uint64_t at = 0; at < 8 * (uint64_t)bytes; at++)
        ones += bit_at(from, at);
    return ones;
}

/* Position of the bit that a hash sets in word `word`, by docs/format.md: position rule 1. */
static uint64_t plain_position(uint64_t hash, uint64_t blocks, unsigned word)
{
    static const uint64_t salt[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                     0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    uint64_t              high = hash / 0x100000000u, low = hash % 0x100000000u;
    uint64_t              block = high * blocks / 0x100000000u;
    uint64_t              bit = low * salt[word] % 0x100000000u / 0x8000000u;

    return 256 * block + 32 * word + bit;
}

static void plain_block_add(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned word = 0; word < 8; word++) {
            uint64_t at = plain_position(hashes[i], blocks, word);
            bits[at / 8] = (uint8_t)(bits[at / 8] | 1u << at % 8);
        }
}

static uint8_t plain_block_test(const uint8_t *bits, uint64_t blocks, uint64_t hash)
{
    for (unsigned word = 0; word < 8; word++)
        if (bit_at(bits, plain_position(hash, blocks, word)) == 0)
            return 0;
    return 1;
}

static uint64_t plain_block_rates(const uint8_t *a, const uint8_t *b, uint64_t blocks)
{
    uint64_t sum = 0;

    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t product = 1;
        for (uint64_t word = 0; word < 8; word++) {
            uint64_t ones = 0;
            for (uint64_t bit = 0; bit < 32; bit++) {
                uint64_t at = 256 * block + 32 * word + bit;
                ones += bit_at(a, at) | (b == NULL ? 0 : bit_at(b, at));
            }
            product *= ones;
        }
        sum += product;
    }
    return sum;
}

/* ---- Data --------------------------------------------------------------------------------- */

enum { RANDOM, ZEROS, ONES, EDGES, REACHING_THE_TOP, PASSING_IT_BY_ONE, PATTERNS };

static void fill_random(uint8_t *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)next_random();
}

/* Fills two arrays of `bytes` bytes; `width` is the size of a number, 0 for half a byte. */
static void fill(uint8_t *into, uint8_t *from, size_t bytes, size_t width, int pattern)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x0f, 0x10, 0x7f, 0x80, 0xef, 0xf0, 0xfe, 0xff};

    fill_random(into, bytes);
    fill_random(from, bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (pattern == ZEROS)
            from[i] = 0;
        else if (pattern == ONES)
            into[i] = from[i] = 0xff;
        else if (pattern == EDGES) {
            into[i] = edges[into[i] % sizeof edges];
            from[i] = edges[from[i] % sizeof edges];
        } else if (pattern == REACHING_THE_TOP || pattern == PASSING_IT_BY_ONE)
            from[i] = (uint8_t)~into[i];
    }
    if (pattern != PASSING_IT_BY_ONE)
        return;
    /* ~a + 1 is one more than a can take; carried through the number by hand. */
    for (size_t i = 0; i < bytes; i += width == 0 ? 1 : width) {
        if (width == 0) {
            from[i] =
                (uint8_t)((from[i] + (from[i] % 16 == 15 ? 0 : 1)) | (from[i] / 16 == 15 ? 0 : 16));
            continue;
        }
        for (size_t j = 0; j < width && i + j < bytes; j++)
            if (++from[i + j] != 0)
                break;
    }
}

/* ---- Loops over two arrays ---------------------------------------------------------------- */

static uint8_t into_area[LENGTH_MAX + MARGIN], from_area[LENGTH_MAX + MARGIN];
static uint8_t into_found[LENGTH_MAX + MARGIN];
static uint8_t into_expected[LENGTH_MAX + MARGIN];

/* `width` bytes to a number; 0 for two in a byte. What lies around the arrays must stay. */
static void check_pairwise(const ink__kernels *table, const char *name, pairwise *kernel,
                           pairwise *plain, size_t width)
{
    size_t unit = width == 0 ? 1 : width;

    for (size_t bytes = 0; bytes <= LENGTH_MAX; bytes = length_after(bytes))
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            size_t into_at = next_random() % OFFSETS, from_at = next_random() % OFFSETS;
            size_t whole = bytes + MARGIN, count = bytes / unit;
            fill(into_area, from_area, whole, 1, RANDOM);
            fill(into_area + into_at, from_area + from_at, bytes, width, pattern);
            memcpy(into_found, into_area, whole);
            memcpy(into_expected, into_area, whole);

            kernel(into_found + into_at, from_area + from_at, count);

            plain(into_expected + into_at, from_area + from_at, count);
            if (memcmp(into_found, into_expected, whole) != 0)
                fail_msg("%s of %s: %zu numbers, pattern %d, offsets %zu and %zu", name,
                         table->name, count, pattern, into_at, from_at);
        }
}

static const struct {
    const char *name;
    size_t      at; /* of the function in a table */
    pairwise   *plain;
    size_t      width;
} loops[] = {
    {"or_bytes", offsetof(ink__kernels, or_bytes), plain_or, 1},
    {"and_bytes", offsetof(ink__kernels, and_bytes), plain_and, 1},
    {"max_u8", offsetof(ink__kernels, max_u8), plain_max, 1},
    {"add_u4", offsetof(ink__kernels, add_u4), plain_add_u4, 0},
    {"add_u32", offsetof(ink__kernels, add_u32), plain_add_u32, 4},
    {"add_u64", offsetof(ink__kernels, add_u64), plain_add_u64, 8},
};

static pairwise *loop_of(const ink__kernels *table, size_t loop)
{
    pairwise *kernel;

    memcpy(&kernel, (const char *)table + loops[loop].at, sizeof kernel);
    return kernel;
}

/* Bytes are joined, met and compared alike, too. */
TEST(sums_stop_at_the_largest_number_alike)
{
    FOR_EACH_TABLE(table)
    for (size_t loop = 0; loop < sizeof loops / sizeof loops[0]; loop++) {
        random_state = 1;
        check_pairwise(table, loops[loop].name, loop_of(table, loop), loops[loop].plain,
                       loops[loop].width);
    }
}

TEST(every_pair_of_bytes_is_joined_compared_and_summed_alike)
{
    uint8_t a[256], b[256], expected[256];

    FOR_EACH_TABLE(table)
    for (size_t loop = 0; loops[loop].width < 4; loop++)
        for (unsigned turn = 0; turn < 256; turn += light() ? 51 : 1) {
            for (unsigned i = 0; i < 256; i++) {
                a[i] = expected[i] = (uint8_t)i;
                b[i] = (uint8_t)(i + turn);
            }
            loop_of(table, loop)(a, b, sizeof a);
            loops[loop].plain(expected, b, sizeof a);
            assert_memory_equal(a, expected, sizeof a);
        }
}

TEST(ones_are_counted_alike)
{
    FOR_EACH_TABLE(table)
    {
        random_state = 3;
        for (size_t bytes = 0; bytes <= LENGTH_MAX; bytes = length_after(bytes))
            for (int pattern = RANDOM; pattern <= EDGES; pattern++) {
                size_t at = next_random() % OFFSETS;
                fill(into_area, from_area, bytes + MARGIN, 1, pattern);
                uint64_t found = table->ones(from_area + at, bytes);
                if (found != plain_ones(from_area + at, bytes))
                    fail_msg("ones of %s: %llu in %zu bytes, pattern %d, offset %zu", table->name,
                             (unsigned long long)found, bytes, pattern, at);
            }
    }
}

/* ---- Split blocks ------------------------------------------------------------------------- */

enum { BLOCKS_MAX = 40000, HASHES_MAX = 200, LARGE_COUNT = 20000 };

static uint8_t  filter_found[32 * BLOCKS_MAX + OFFSETS], filter_expected[32 * BLOCKS_MAX + OFFSETS];
static uint64_t hashes[LARGE_COUNT];

/* Small ones, where many hashes share a block, and larger ones. */
static const uint64_t block_counts[] = {1, 2, 3, 7, 31, 32, 256, 999, 32767, 32768, BLOCKS_MAX};
enum { BLOCK_COUNTS = sizeof block_counts / sizeof block_counts[0] };

/* Random hashes, among them the extreme ones of each half. */
static void draw_hashes(size_t count)
{
    static const uint32_t halves[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    enum { HALVES = sizeof halves / sizeof halves[0] };

    for (size_t i = 0; i < count; i++) {
        hashes[i] = next_random();
        if (next_random() % 8 == 0)
            hashes[i] = (hashes[i] & 0xffffffffu) | (uint64_t)halves[next_random() % HALVES] << 32;
        if (next_random() % 8 == 0)
            hashes[i] = (hashes[i] & 0xffffffff00000000u) | halves[next_random() % HALVES];
    }
}

/* None, or some of the hashes themselves, `count` at most: what is fetched changes nothing. */
static const ink__prefetch *ahead_of(size_t count)
{
    static ink__prefetch prefetch;

    prefetch =
        (ink__prefetch){.hashes = hashes, .count = count - count / 3, .how = INK__FETCH_WRITE};
    return count % 4 == 0 ? NULL : &prefetch;
}

static void check_block_add(const ink__kernels *table, uint64_t blocks, size_t count, size_t at)
{
    size_t bytes = 32 * (size_t)blocks;

    draw_hashes(count);
    table->block_add(filter_found + at, blocks, hashes, count, ahead_of(count));
    plain_block_add(filter_expected + at, blocks, hashes, count);
    if (memcmp(filter_found, filter_expected, bytes + OFFSETS) != 0)
        fail_msg("block_add of %s: %zu hashes in %llu blocks at offset %zu", table->name, count,
                 (unsigned long long)blocks, at);
}

/* Filters of every size, and any number of hashes. A filter fills up on the way: from empty, and on
 * what is there. */
static void check_blocks(void (*check)(const ink__kernels *, uint64_t, size_t, size_t))
{
    FOR_EACH_TABLE(table)
    {
        random_state = 4;
        for (size_t i = 0; i < BLOCK_COUNTS; i++) {
            memset(filter_found, 0, sizeof filter_found);
            memset(filter_expected, 0, sizeof filter_expected);
            for (size_t count = 0; count <= HASHES_MAX; count += light() ? 61 : 1)
                check(table, block_counts[i], count, i % OFFSETS);
            /* More than one round of those that take 512 at a time. */
            check(table, block_counts[i], light() ? 1100 : LARGE_COUNT, i % OFFSETS);
        }
    }
}

TEST(hashes_set_the_bits_that_the_format_reports)
{
    check_blocks(check_block_add);
}

static void check_block_test(const ink__kernels *table, uint64_t blocks, size_t count, size_t at)
{
    static uint8_t answers[LARGE_COUNT + 1];
    size_t         yes = 0;

    /* Half of the hashes are in the filter. */
    draw_hashes(count);
    memset(filter_found, 0, sizeof filter_found);
    plain_block_add(filter_found + at, blocks, hashes, count / 2);
    memset(answers, 7, count + 1);
    table->block_test(filter_found + at, blocks, hashes, count, answers, ahead_of(count));
    for (size_t i = 0; i < count; i++) {
        if (answers[i] != plain_block_test(filter_found + at, blocks, hashes[i]))
            fail_msg("block_test of %s: answer %u to hash %zu of %zu, %llu blocks at offset %zu",
                     table->name, answers[i], i, count, (unsigned long long)blocks, at);
        yes += answers[i];
    }
    CHECK(yes >= count / 2);
    CHECK(answers[count] == 7);
}

TEST(hashes_are_found_where_all_their_bits_are_set)
{
    check_blocks(check_block_test);
}

TEST(one_missing_bit_is_enough_for_no)
{
    random_state = 6;
    FOR_EACH_TABLE(table)
    for (int round = 0; round < (light() ? 20 : 1000); round++) {
        uint64_t hash = next_random(), blocks = 1 + next_random() % 5;
        for (unsigned word = 0; word < 8; word++) {
            uint64_t at = plain_position(hash, blocks, word);
            uint8_t  answer = 7;
            memset(filter_found, 0xff, 32 * blocks);
            table->block_test(filter_found, blocks, &hash, 1, &answer, NULL);
            CHECK(answer == 1);
            filter_found[at / 8] = (uint8_t)(filter_found[at / 8] & ~(1u << at % 8));
            table->block_test(filter_found, blocks, &hash, 1, &answer, NULL);
            CHECK(answer == 0);
            CHECK(table->block_add_new(filter_found, blocks, &hash, 1, &answer, NULL) == 1);
            CHECK(answer == 1);
            CHECK(table->block_add_new(filter_found, blocks, &hash, 1, &answer, NULL) == 0);
            CHECK(answer == 0);
        }
    }
}

/* Adds hashes of which some are there already and some come twice or more. */
static void check_block_add_new(const ink__kernels *table, uint64_t blocks, size_t count, size_t at)
{
    static uint8_t was_new[LARGE_COUNT + 1];
    size_t         bytes = 32 * (size_t)blocks, fresh = 0;

    draw_hashes(count);
    plain_block_add(filter_found + at, blocks, hashes, count / 4);
    plain_block_add(filter_expected + at, blocks, hashes, count / 4);
    for (size_t i = 1; i < count; i++)
        if (next_random() % 3 == 0) /* the one before, at times, or any other */
            hashes[i] = hashes[next_random() % 2 == 0 ? i - 1 : next_random() % i];
    memset(was_new, 7, count + 1);
    size_t reported =
        table->block_add_new(filter_found + at, blocks, hashes, count, was_new, ahead_of(count));
    for (size_t i = 0; i < count; i++) {
        bool known = plain_block_test(filter_expected + at, blocks, hashes[i]);
        plain_block_add(filter_expected + at, blocks, &hashes[i], 1);
        if (was_new[i] != !known)
            fail_msg("block_add_new of %s: %u for hash %zu of %zu, %llu blocks at offset %zu",
                     table->name, was_new[i], i, count, (unsigned long long)blocks, at);
        fresh += was_new[i];
    }
    CHECK(reported == fresh);
    CHECK(was_new[count] == 7);
    if (memcmp(filter_found, filter_expected, bytes + OFFSETS) != 0)
        fail_msg("block_add_new of %s: %zu hashes in %llu blocks at offset %zu", table->name, count,
                 (unsigned long long)blocks, at);
}

TEST(hashes_are_new_once_and_set_their_bits)
{
    check_blocks(check_block_add_new);
}

TEST(rates_of_blocks_are_added_up_alike)
{
    FOR_EACH_TABLE(table)
    {
        random_state = 7;
        for (uint64_t blocks = 0; blocks <= 300; blocks += light() ? 23 : 1)
            for (int pattern = RANDOM; pattern <= REACHING_THE_TOP; pattern++) {
                size_t   bytes = 32 * (size_t)blocks, at = next_random() % OFFSETS;
                uint8_t *a = into_area + at, *b = from_area + next_random() % OFFSETS;
                fill(a, b, bytes, 1, pattern);
                if (table->block_rates(a, b, blocks) != plain_block_rates(a, b, blocks) ||
                    table->block_rates(a, NULL, blocks) != plain_block_rates(a, NULL, blocks) ||
                    table->block_rates(b, NULL, blocks) != plain_block_rates(b, NULL, blocks))
                    fail_msg("block_rates of %s: %llu blocks, pattern %d", table->name,
                             (unsigned long long)blocks, pattern);
                if (pattern == ONES || pattern == REACHING_THE_TOP) /* full together */
                    CHECK(table->block_rates(a, b, blocks) == blocks << 40);
            }
    }
}

TEST(the_rates_of_as_many_blocks_as_allowed_fit)
{
    uint64_t blocks = light() ? INK__RATES_BLOCKS_MAX >> 6 : INK__RATES_BLOCKS_MAX;
    uint8_t *full = test_malloc((size_t)(32 * blocks));

    memset(full, 0xff, (size_t)(32 * blocks));
    FOR_EACH_TABLE(table)
    CHECK(table->block_rates(full, NULL, blocks) == blocks << 40);
    test_free(full);
}

/* ---- Published filters -------------------------------------------------------------------- */

TEST(the_published_parquet_filter_of_hello_comes_out)
{
    /* A filter of one block with "hello" in it, XXH64 with seed 0: apache/parquet-format. */
    static const uint8_t published[32] = {
        0x00, 0x00, 0x10, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x04, 0x00,
        0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x80, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x08,
    };
    uint64_t hash = ink__xxh64((const uint8_t *)"hello", 5, 0);

    assert_int_equal(hash, 0x26c7827d889f6da3);
    FOR_EACH_TABLE(table)
    {
        uint8_t filter[32] = {0};
        table->block_add(filter, 1, &hash, 1, NULL);
        assert_memory_equal(filter, published, sizeof filter);
    }
}

TEST(the_filter_of_parquet_testing_comes_out)
{
    /* data/bloom_filter.xxhash.bin of apache/parquet-testing is the filter of these four words in
     * 1024 bytes; here it is worked out anew from their hashes by the plain loops. */
    static const char *const words[] = {"hello", "parquet", "bloom", "filter"};
    uint8_t                  expected[1024] = {0};
    uint64_t                 of_words[4];

    for (size_t i = 0; i < 4; i++)
        of_words[i] = ink__xxh64((const uint8_t *)words[i], strlen(words[i]), 0);
    plain_block_add(expected, 32, of_words, 4);
    assert_int_equal(plain_ones(expected, sizeof expected), 32); /* four blocks of their own */
    FOR_EACH_TABLE(table)
    {
        uint8_t filter[1024] = {0}, answers[4] = {0};
        table->block_add(filter, 32, of_words, 4, NULL);
        assert_memory_equal(filter, expected, sizeof filter);
        table->block_test(filter, 32, of_words, 4, answers, NULL);
        assert_memory_equal(answers, "\1\1\1\1", 4);
    }
}

TEST(fetching_reads_and_changes_nothing)
{
    FOR_EACH_TABLE(table)
    for (int how = INK__FETCH_READ; how <= INK__FETCH_WRITE_FAR; how++)
        for (size_t count = 0; count <= 17; count++) {
            uint8_t filter[32 * 4] = {0};
            random_state = 13;
            draw_hashes(count);
            table->block_fetch(filter, 4, hashes, count, (ink__fetch)how);
            assert_int_equal(plain_ones(filter, sizeof filter), 0);
            /* A hint about memory that is not there is no access to it. */
            table->block_fetch(filter, (uint64_t)1 << 29, hashes, count, (ink__fetch)how);
        }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void check_block_positions(uint64_t blocks)
{
    ink__block_positions positions;

    draw_hashes(8);
    ink__find_block_positions(&positions, hashes, _mm256_set1_epi64x((long long)blocks));
    for (int i = 0; i < 8; i++)
        assert_int_equal(ink__block_position(&positions, i),
                         hashes[i] / 0x100000000u * blocks / 0x100000000u * 32);
}

TEST(eight_positions_are_found_in_filters_of_any_size)
{
    random_state = 14;
    for (int round = 0; round < 200 && (ink__cpu_features() & INK__CPU_AVX2) != 0; round++) {
        check_block_positions(next_random() >> 32);
        check_block_positions((uint64_t)1 << round % 32);
        check_block_positions(UINT32_MAX);
    }
}
#endif

/* ---- Hashing ------------------------------------------------------------------------------ */

TEST(integers_are_mixed_alike)
{
    static const int64_t edges[] = {0,         1,          -1,        INT64_MIN,
                                    INT64_MAX, UINT32_MAX, 1ll << 32, 1ll << 33};
    static int64_t       ints[HASHES_MAX + 1];

    FOR_EACH_TABLE(table)
    {
        random_state = 15;
        for (size_t count = 0; count <= HASHES_MAX; count++) {
            uint64_t turned = count % 3 == 0 ? 0 : next_random();
            for (size_t i = 0; i < count; i++)
                ints[i] =
                    next_random() % 4 == 0 ? edges[next_random() % 8] : (int64_t)next_random();
            hashes[count] = 7;
            table->mix_ints(ints, count, turned, hashes);
            for (size_t i = 0; i < count; i++)
                if (hashes[i] != plain_mix((uint64_t)ints[i] ^ turned))
                    fail_msg("mix_ints of %s: number %zu of %zu", table->name, i, count);
            CHECK(hashes[count] == 7);
        }
    }
}

TEST(integers_have_the_hash_of_their_bytes)
{
    static int64_t ints[HASHES_MAX + 1];
    uint8_t        bytes[8];
    uint64_t       expected[2];

    FOR_EACH_TABLE(table)
    {
        random_state = 16;
        for (size_t count = 0; count <= HASHES_MAX; count++) {
            uint64_t seed = count % 3 == 0 ? 0 : next_random();
            for (size_t i = 0; i < count; i++)
                ints[i] = (int64_t)next_random();
            hashes[count] = 7;
            table->murmur3_ints(ints, count, seed, hashes);
            for (size_t i = 0; i < count; i++) {
                ink__store_u64(bytes, (uint64_t)ints[i]);
                ink__murmur3_x64_128(bytes, sizeof bytes, seed, expected);
                if (hashes[i] != expected[0])
                    fail_msg("murmur3_ints of %s: number %zu of %zu", table->name, i, count);
            }
            CHECK(hashes[count] == 7);
        }
    }
}

/* ---- Fingerprints ------------------------------------------------------------------------- */

/* Bit by bit, as docs/format.md has it. */
static uint8_t plain_fuse_answer(const ink__fuse_filter *filter, uint64_t hash)
{
    const unsigned shard =
        (unsigned)(filter->shard_bits == 0 ? 0 : hash >> (64 - filter->shard_bits));
    const ink__fuse_place at = filter->places[shard];
    const uint64_t        mixed = plain_mix(hash ^ at.seed);
    const uint64_t        rest =
        at.scattered ? plain_mix(mixed + 0x9e3779b97f4a7c15u) : hash << filter->shard_bits;
    const uint64_t segment = (rest >> 32) * at.segments >> 32;
    uint64_t       sum = 0;

    for (unsigned way = 0; way < 4 && at.segments > 0; way++) {
        const uint64_t in = (mixed >> 8 >> way * at.length_bits) % ((uint64_t)1 << at.length_bits);
        const uint64_t slot = (segment + way) * ((uint64_t)1 << at.length_bits) + in;
        for (unsigned bit = 0; bit < filter->bits; bit++) {
            const uint64_t from = at.first_bit + slot * filter->bits + bit;
            sum ^= (uint64_t)(filter->data[from / 8] >> from % 8 & 1) << bit;
        }
    }
    return at.segments > 0 && sum == mixed >> (64 - filter->bits);
}

TEST(fingerprints_are_compared_alike)
{
    enum { SHARDS_MAX = 8, COUNT = 400 };
    static const unsigned widths[] = {4, 5, 7, 8, 13, 16, 31, 32};
    ink__fuse_place       places[SHARDS_MAX];
    uint8_t               area[MARGIN + COUNT + 1], *answers = area + MARGIN;

    FOR_EACH_TABLE(table)
    for (unsigned round = 0; round < 8 * 4 * 2; round++) {
        ink__fuse_filter filter = {.places = places,
                                   .bits = widths[round % 8],
                                   .shard_bits = round / 8 % 4,
                                   .far = round / 32};
        uint64_t         bytes = 0, yes = 0;
        random_state = round;
        for (unsigned i = 0; i < 1u << filter.shard_bits; i++) {
            const unsigned segments = i % 4 == 3 ? 0 : 1 + (unsigned)(next_random() % 5);
            places[i] = (ink__fuse_place){.first_bit = 8 * bytes,
                                          .seed = next_random(),
                                          .segments = segments,
                                          .length_bits = segments == 0 ? 0 : next_random() % 4,
                                          .scattered = i % 4 == 1};
            if (segments > 0)
                bytes +=
                    (((uint64_t)(segments + 3) << places[i].length_bits) * filter.bits + 7) / 8;
        }
        uint8_t *data = test_malloc(bytes + 8); /* a head follows the last slot */
        for (uint64_t i = 0; i < bytes + 8; i++)
            data[i] = (uint8_t)next_random();
        filter.data = data;
        for (size_t i = 0; i < COUNT; i++)
            hashes[i] = next_random();
        for (size_t count = 0; count <= COUNT; count += count < 20 ? 1 : 95) {
            memset(area, 7, sizeof area);
            table->fuse_test(&filter, hashes, count, answers);
            for (size_t i = 0; i < count; i++) {
                if (answers[i] != plain_fuse_answer(&filter, hashes[i]))
                    fail_msg("fuse_test of %s: round %u, number %zu", table->name, round, i);
                yes += answers[i];
            }
            CHECK(answers[count] == 7);
            for (size_t i = 0; i < MARGIN; i++)
                CHECK(area[i] == 7);
        }
        CHECK(filter.bits > 5 || yes > 0);
        test_free(data);
    }
}

/* Of all that are asked together it may be any one. */
TEST(one_question_in_a_shard_that_was_built_late_is_answered_there)
{
    enum { COUNT = 64, WIDTH = 4, BYTES = (3 + 3) * 4 * WIDTH / 8 };
    ink__fuse_place places[2] = {
        {.seed = 1, .segments = 3, .length_bits = 2},
        {.first_bit = 8 * BYTES, .seed = 2, .segments = 3, .length_bits = 2, .scattered = 1}};
    uint8_t data[2 * BYTES + 8], answers[COUNT];

    FOR_EACH_TABLE(table)
    for (unsigned round = 0; round < 2 * COUNT; round++) {
        const ink__fuse_filter filter = {data, places, WIDTH, 1, round >= COUNT};
        random_state = round;
        for (size_t i = 0; i < sizeof data; i++)
            data[i] = (uint8_t)next_random();
        for (size_t i = 0; i < COUNT; i++)
            hashes[i] = next_random() >> 1 | (uint64_t)(i == round % COUNT) << 63;
        table->fuse_test(&filter, hashes, COUNT, answers);
        for (size_t i = 0; i < COUNT; i++)
            if (answers[i] != plain_fuse_answer(&filter, hashes[i]))
                fail_msg("fuse_test of %s: round %u, number %zu", table->name, round, i);
    }
}

/* ---- The choice --------------------------------------------------------------------------- */

/* Chooses while INK_CPU has this value (NULL: is not set). */
static ink_status choose(const char *value, const ink__kernels **kernels, ink_error *error)
{
    faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = value});
    ink_status status = ink__kernels_choose(kernels, error);
    faults_system_end();
    return status;
}

TEST(tables_are_complete_and_the_scalar_one_is_first)
{
    size_t count = 0;

    for (; ink__kernels_at(count) != NULL; count++) {
        const ink__kernels *table = ink__kernels_at(count);
        CHECK(table->name != NULL && table->name[0] != '\0');
        CHECK(table->block_add && table->block_test && table->block_add_new && table->block_rates &&
              table->or_bytes && table->and_bytes && table->max_u8 && table->add_u4 &&
              table->add_u32 && table->add_u64 && table->ones && table->block_fetch &&
              table->mix_ints && table->xxh3_batch && table->lines_cut);
        CHECK(table->row_positions && table->pick_without && table->pick_below &&
              table->raise_registers && table->list_registers && table->tails &&
              table->counts_add && table->counts_least && table->fuse_test);
        for (size_t i = 0; i < count; i++)
            CHECK(strcmp(ink__kernels_at(i)->name, table->name) != 0);
    }
    CHECK(ink__kernels_at(0) == &ink__kernels_scalar);
    CHECK(ink__kernels_run_here(&ink__kernels_scalar));
    CHECK(ink__kernels_at(count + 1) == NULL);
    CHECK(ink__kernels_at(SIZE_MAX) == NULL);
}

TEST(a_table_runs_where_the_machine_has_all_it_needs)
{
    unsigned     here = ink__cpu_features();
    ink__kernels table = ink__kernels_scalar;

    table.cpu_features = here;
    CHECK(ink__kernels_run_here(&table));
    table.cpu_features = here | 1u << 31;
    CHECK(!ink__kernels_run_here(&table));
    table.cpu_features = ~here;
    CHECK(!ink__kernels_run_here(&table));
}

/* Loops over tables leave out what this machine cannot run: that is said, not passed over. Tests in
 * tests/emulated run the last table with instructions that are emulated, make test-cross others
 * under qemu. */
TEST(every_table_runs_here)
{
    bool all = true;

    for (size_t i = 0; ink__kernels_at(i) != NULL; i++) {
        if (ink__kernels_run_here(ink__kernels_at(i)))
            continue;
        print_message(
            "# SKIP: the table %s does not run: this machine lacks its instructions (make "
            "test-cross)\n",
            ink__kernels_at(i)->name);
        all = false;
    }
    if (!all)
        skip();
}

TEST(the_fastest_table_that_runs_here_is_chosen)
{
    const ink__kernels *chosen = NULL, *last = NULL;
    ink_error           error;

    FOR_EACH_TABLE(table)
    last = table;
    CHECK_OK(choose(NULL, &chosen, &error));
    CHECK(chosen == last);
    chosen = NULL;
    CHECK_OK(choose("", &chosen, &error)); /* set to nothing is not set */
    CHECK(chosen == last);
}

TEST(ink_cpu_names_each_table)
{
    ink_error error;

    for (size_t i = 0; ink__kernels_at(i) != NULL; i++) {
        const ink__kernels *table = ink__kernels_at(i), *chosen = NULL;
        if (ink__kernels_run_here(table)) {
            CHECK_OK(choose(table->name, &chosen, &error));
            CHECK(chosen == table);
        } else {
            CHECK_FAILS(choose(table->name, &chosen, &error), INK_USAGE, table->name);
            CHECK(chosen == NULL);
        }
    }
}

TEST(an_unknown_ink_cpu_is_refused_naming_what_is_there)
{
    static const char *const unknown[] = {"sse9", "SCALAR", "scalar ", " ", "avx"};
    const ink__kernels      *chosen = NULL;
    ink_error                error;

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        CHECK_FAILS(choose(unknown[i], &chosen, &error), INK_USAGE, unknown[i]);
        CHECK(chosen == NULL);
        CHECK(error.location == INK_NOWHERE && error.os_error == 0);
        CHECK(strstr(error.message, "INK_CPU") != NULL);
        FOR_EACH_TABLE(table)
        CHECK(strstr(error.message, table->name) != NULL);
    }
    CHECK(choose("sse9", &chosen, NULL) == INK_USAGE);
}

TEST(no_sketch_is_made_under_an_unknown_ink_cpu)
{
    const ink_params params = {.kind = "hll"};
    faults_memory    memory = {0};
    ink_allocator    allocator = faults_allocator(&memory);
    ink_sketch      *sketch = NULL;
    ink_error        error;

    faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = "abacus"});
    ink_status status = ink_sketch_create(&sketch, &params, &allocator, &error);
    faults_system_end();
    CHECK_FAILS(status, INK_USAGE, "abacus");
    CHECK(sketch == NULL);
    faults_check_no_leak(&memory);
}

RUN_TESTS()
