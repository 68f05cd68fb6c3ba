/* counters_test.c - the kernels of the kinds that count: every table that this machine can run
 * gives what a plain reading of docs/format.md and kernels.h gives, for all small counts, pointers
 * of any alignment, extreme hashes and widths. The tables are compared with plain loops written
 * here, so the scalar one is held to the same. */
#include "kernels/dispatch.h"

#include "support/check.h"
#include "support/kernel_tables.h"

enum { COUNT_MAX = 300, UNTOUCHED = 0x5a };

/* Hashes, some of them extreme. */
static void draw_hashes(uint64_t *hashes, size_t count)
{
    static const uint64_t edges[] = {
        0, 1, 2, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63, UINT32_MAX, (uint64_t)1 << 32};

    for (size_t i = 0; i < count; i++)
        hashes[i] = next_random() % 4 == 0 ? edges[next_random() % 8] : next_random();
}

/* The high half of a product, digit by digit. */
static uint64_t plain_part(uint64_t fraction, uint64_t of)
{
    uint64_t low = (fraction & UINT32_MAX) * (of & UINT32_MAX);
    uint64_t middle = (fraction >> 32) * (of & UINT32_MAX) + (low >> 32);
    uint64_t other = (fraction & UINT32_MAX) * (of >> 32) + (middle & UINT32_MAX);

    return (fraction >> 32) * (of >> 32) + (middle >> 32) + (other >> 32);
}

TEST(positions_in_a_row_are_drawn_alike)
{
    static const uint64_t widths[] = {
        1, 2, 3, 27183, 1 << 16, (1u << 31) + 1, UINT32_MAX, (uint64_t)1 << 32};
    uint64_t hashes[COUNT_MAX], positions[COUNT_MAX + 1];

    FOR_EACH_TABLE(table)
    {
        random_state = 1;
        for (size_t count = 0; count < 70; count++) {
            uint64_t width = widths[count % 8], added = next_random();
            draw_hashes(hashes, count);
            positions[count] = UNTOUCHED;
            table->row_positions(hashes, count, added, width, positions);
            for (size_t i = 0; i < count; i++)
                if (positions[i] != plain_part(plain_mix(hashes[i] + added), width))
                    fail_msg("row_places of %s: number %zu of %zu", table->name, i, count);
            CHECK(positions[count] == UNTOUCHED);
        }
    }
}

/* Counters anywhere, also where no number may lie. Where a table has none, the loop of what is left
 * over by others. */
TEST(the_least_of_all_rows_is_found_alike)
{
    enum { WIDTH = 97, DEPTH_MAX = 6 };
    static uint8_t memory[4 * WIDTH * DEPTH_MAX + 3];
    uint64_t       hashes[COUNT_MAX];
    uint32_t       least[COUNT_MAX + 1];

    FOR_EACH_TABLE(table)
    {
        ink__rows_least *find =
            table->rows_least != NULL ? table->rows_least : ink__rows_least_scalar;
        random_state = 2;
        for (size_t count = 0; count < 70; count++) {
            uint8_t *rows = memory + count % 4;
            uint32_t depth = 1 + (uint32_t)count % DEPTH_MAX;
            uint64_t step = next_random();
            for (size_t i = 0; i < 4 * WIDTH * depth; i++)
                rows[i] = next_random() % 3 == 0 ? 0xff : (uint8_t)next_random();
            draw_hashes(hashes, count);
            least[count] = UNTOUCHED;
            find(rows, WIDTH, depth, step, hashes, count, least);
            for (size_t i = 0; i < count; i++) {
                uint32_t smallest = UINT32_MAX;
                for (uint32_t row = 0; row < depth; row++) {
                    uint64_t       position = plain_part(plain_mix(hashes[i] + row * step), WIDTH);
                    const uint8_t *at = rows + 4 * (row * WIDTH + position);
                    uint32_t       value = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                                     (uint32_t)at[3] << 24;
                    smallest = value < smallest ? value : smallest;
                }
                if (least[i] != smallest)
                    fail_msg("rows_least of %s: number %zu of %zu", table->name, i, count);
            }
            CHECK(least[count] == UNTOUCHED);
        }
    }
}

TEST(counts_are_answered_alike)
{
    static const uint32_t edges[] = {0, 1, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX - 1};
    uint32_t              counts[COUNT_MAX];
    ink_answer            answers[COUNT_MAX + 1];

    FOR_EACH_TABLE(table)
    {
        ink__answer_counts *answer =
            table->answer_counts != NULL ? table->answer_counts : ink__answer_counts_scalar;
        random_state = 8;
        for (size_t count = 0; count < 70; count++) {
            const double error = count % 3 == 0 ? 0 : (double)(next_random() % 5000000000);
            uint32_t     most = 0;
            memset(answers, UNTOUCHED, sizeof answers);
            for (size_t i = 0; i < count; i++) {
                counts[i] = (uint32_t)next_random() >> next_random() % 32;
                if (next_random() % 8 == 0)
                    counts[i] = edges[next_random() % 5];
                most = counts[i] > most ? counts[i] : most;
            }
            CHECK(answer(counts, count, error, 0.75, answers) == most);
            for (size_t i = 0; i < count; i++) {
                const ink_answer *one = &answers[i];
                const double      each = counts[i], low = each > error ? each - error : 0;
                if (one->estimate != each || one->high != each || one->low != low ||
                    one->confidence != 0.75 || one->saturated)
                    fail_msg("answer_counts of %s: number %zu of %zu", table->name, i, count);
            }
            CHECK(*(const uint8_t *)&answers[count] == UNTOUCHED);
        }
    }
}

TEST(hashes_without_some_bits_are_picked_alike)
{
    uint64_t hashes[COUNT_MAX], picked[COUNT_MAX + 1];

    FOR_EACH_TABLE(table)
    {
        random_state = 6;
        for (unsigned shared = 0; shared < 6; shared++)
            for (size_t count = 0; count < COUNT_MAX; count += 1 + count / 5) {
                uint64_t bits = shared == 0 ? 0 : (((uint64_t)1 << shared) - 1) << (50 - shared);
                size_t   expected = 0;
                draw_hashes(hashes, count);
                picked[count] = UNTOUCHED;
                size_t found = table->pick_without(hashes, count, bits, picked);
                for (size_t i = 0; i < count; i++)
                    if ((hashes[i] & bits) == 0 &&
                        (expected >= found || picked[expected++] != hashes[i]))
                        fail_msg("pick_without of %s: number %zu of %zu", table->name, i, count);
                CHECK(found == expected && picked[count] == UNTOUCHED);
            }
    }
}

TEST(numbers_below_a_bound_are_picked_alike)
{
    static const uint64_t bounds[] = {
        0, 1, (uint64_t)1 << 60, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX - 1, UINT64_MAX};
    uint64_t numbers[COUNT_MAX], picked[COUNT_MAX + 1];

    FOR_EACH_TABLE(table)
    {
        random_state = 7;
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            for (size_t count = 0; count < COUNT_MAX; count += 1 + count / 5) {
                size_t expected = 0;
                draw_hashes(numbers, count);
                for (size_t i = 0; i < count; i += 3) /* some at the bound, and beside it */
                    numbers[i] = bounds[b] + i % 5 - 2;
                picked[count] = UNTOUCHED;
                size_t found = table->pick_below(numbers, count, bounds[b], picked);
                for (size_t i = 0; i < count; i++)
                    if (numbers[i] < bounds[b] &&
                        (expected >= found || picked[expected++] != numbers[i]))
                        fail_msg("pick_below of %s: number %zu of %zu", table->name, i, count);
                CHECK(found == expected && picked[count] == UNTOUCHED);
            }
    }
}

/* 1 + the zeros at the front of the bits below the first `precision`, bit by bit. */
static uint8_t plain_value(uint64_t hash, uint32_t precision)
{
    uint8_t value = 1;

    for (int bit = 63 - (int)precision; bit >= 0 && (hash >> bit & 1) == 0; bit--)
        value++;
    return value;
}

/* Lists registers, few or all of them above 0, and compares with a plain loop. */
static void check_list(const ink__kernels *table, uint8_t *registers, size_t count)
{
    static uint8_t list[(1 << 18) * 3 + 1];

    for (unsigned filled = 0; filled < 2; filled++) {
        size_t listed = 0;
        memset(list, UNTOUCHED, sizeof list);
        size_t found = table->list_registers(registers, count, list);
        for (size_t i = 0; i < count; i++) {
            const uint8_t *at = list + 3 * listed;
            if (registers[i] == 0)
                continue;
            if ((at[0] | at[1] << 8 | at[2] << 16) != (int)(i << 6 | registers[i]))
                fail_msg("list_registers of %s: %zu of %zu", table->name, i, count);
            listed++;
        }
        CHECK(found == listed && list[3 * listed] == UNTOUCHED);
        for (size_t i = 0; i < count; i++)
            registers[i] = registers[i] == 0 ? 63 : registers[i];
    }
}

TEST(registers_rise_alike)
{
    static uint8_t registers[(1 << 18) + 1], expected[(1 << 18) + 1];
    uint64_t       hashes[COUNT_MAX];

    FOR_EACH_TABLE(table)
    {
        random_state = 3;
        for (uint32_t precision = 4; precision <= 18; precision++) {
            size_t bytes = (size_t)1 << precision;
            memset(registers, 0, bytes);
            memset(expected, 0, bytes);
            registers[bytes] = UNTOUCHED;
            for (size_t count = 0; count < COUNT_MAX; count += 1 + count / 3) {
                draw_hashes(hashes, count);
                table->raise_registers(registers, precision, hashes, count);
                for (size_t i = 0; i < count; i++) {
                    uint8_t *at = &expected[hashes[i] >> (64 - precision)];
                    uint8_t  value = plain_value(hashes[i], precision);
                    *at = *at < value ? value : *at;
                }
            }
            assert_memory_equal(registers, expected, bytes);
            CHECK(registers[bytes] == UNTOUCHED);
            check_list(table, registers, bytes);
        }
    }
}

TEST(the_longest_tail_is_found_alike)
{
    uint64_t hashes[COUNT_MAX];

    FOR_EACH_TABLE(table)
    {
        random_state = 4;
        for (size_t count = 0; count < 200; count++) {
            uint64_t own = next_random(), most = 0;
            draw_hashes(hashes, count);
            if (count % 10 == 9)
                hashes[next_random() % count] = own; /* mixed to 0: 64 zeros */
            for (size_t i = 0; i < count; i++) {
                uint64_t drawn = plain_mix(hashes[i] ^ own), zeros = 0;
                while (zeros < 64 && (drawn >> zeros & 1) == 0)
                    zeros++;
                most = zeros > most ? zeros : most;
            }
            uint64_t ones = most == 64 ? UINT64_MAX : ((uint64_t)1 << most) - 1;
            if (table->tails(hashes, count, own) != ones)
                fail_msg("tails of %s: %zu hashes", table->name, count);
        }
    }
}

/* Counter number `cell` of a block. */
static unsigned cell_of(const uint8_t *block, unsigned cell)
{
    return (unsigned)block[cell / 2] >> cell % 2 * 4 & 15u;
}

static const uint32_t salts[] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

TEST(counters_of_four_bits_rise_and_are_read_alike)
{
    enum { BLOCKS_MAX = 7, BLOCK = 128 };
    static uint8_t counters[BLOCKS_MAX * BLOCK + 33], expected[BLOCKS_MAX * BLOCK];
    uint64_t       hashes[COUNT_MAX];
    uint8_t        least[COUNT_MAX + 1];

    FOR_EACH_TABLE(table)
    {
        random_state = 5;
        for (size_t blocks = 1; blocks <= BLOCKS_MAX; blocks++) {
            uint8_t *at = counters + blocks; /* aligned to nothing */
            for (size_t i = 0; i < blocks * BLOCK; i++)
                at[i] = expected[i] = (uint8_t)next_random();
            at[blocks * BLOCK] = UNTOUCHED;
            for (size_t count = 0; count < COUNT_MAX; count += 1 + count / 4) {
                draw_hashes(hashes, count);
                table->counts_add(at, blocks, hashes, count);
                for (size_t i = 0; i < 8 * count; i++) {
                    uint64_t hash = hashes[i / 8];
                    uint8_t *block = expected + ((hash >> 32) * blocks >> 32) * BLOCK;
                    unsigned cell =
                        (unsigned)(32 * (i % 8) + ((uint32_t)hash * salts[i % 8] >> 27));
                    if (cell_of(block, cell) < 15)
                        block[cell / 2] = (uint8_t)(block[cell / 2] + (cell % 2 == 0 ? 1 : 16));
                }
                assert_memory_equal(at, expected, blocks * BLOCK);
                least[count] = UNTOUCHED;
                table->counts_least(at, blocks, hashes, count, least);
                for (size_t i = 0; i < count; i++) {
                    const uint8_t *block = expected + ((hashes[i] >> 32) * blocks >> 32) * BLOCK;
                    unsigned       smallest = 15;
                    for (unsigned j = 0; j < 8; j++) {
                        unsigned cell = 32 * j + ((uint32_t)hashes[i] * salts[j] >> 27);
                        unsigned value = cell_of(block, cell);
                        smallest = value < smallest ? value : smallest;
                    }
                    if (least[i] != smallest)
                        fail_msg("counts_least of %s: number %zu of %zu", table->name, i, count);
                }
                CHECK(least[count] == UNTOUCHED);
            }
            CHECK(at[blocks * BLOCK] == UNTOUCHED);
        }
    }
}

RUN_TESTS()
