/* counters_scalar.c - the inner loops of the kinds that count, in plain C: the reference. */
#include "kernels/counters.h"

#include "base/bits.h"
#include "base/mix.h"
#include "kernels/split_block.h"

void ink__row_positions_scalar(const uint64_t *hashes, size_t count, uint64_t added, uint64_t width,
                               uint64_t *positions)
{
    for (size_t i = 0; i < count; i++)
        positions[i] = ink__multiply_high(ink__mix64(hashes[i] + added), width);
}

/* Every hash is written; one that is not picked is overwritten. */
size_t ink__pick_without_scalar(const uint64_t *hashes, size_t count, uint64_t bits,
                                uint64_t *picked)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        picked[found] = hashes[i];
        found += (hashes[i] & bits) == 0;
    }
    return found;
}

/* Written whether it rises or not: with few keys a jump would be mispredicted. */
void ink__raise_registers_scalar(uint8_t *registers, uint32_t precision, const uint64_t *hashes,
                                 size_t count)
{
    const uint64_t end = (uint64_t)1 << (precision - 1);

    for (size_t i = 0; i < count; i++) {
        uint64_t index = hashes[i] >> (64 - precision);
        uint8_t  value = (uint8_t)(1 + ink__leading_zeros_64(hashes[i] << precision | end));
        uint8_t  old = registers[index];
        registers[index] = old < value ? value : old;
    }
}

uint64_t ink__tails_scalar(const uint64_t *hashes, size_t count, uint64_t own)
{
    uint64_t tails = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t mixed = ink__mix64(hashes[i] ^ own);
        tails |= ~mixed & (mixed - 1);
    }
    return tails;
}

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

/* A counter that has stopped is all ones: nothing is added to it. */
void ink__counts_add_scalar(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *word = counters + ink__block_of(hashes[i], blocks) * INK__COUNTS_BYTES;
        for (int j = 0; j < INK__BLOCK_WORDS; j++, word += INK__COUNTS_BYTES / INK__BLOCK_WORDS) {
            uint32_t position = ink__word_position(hashes[i], salts[j]);
            unsigned mask = position % 2 == 0 ? 0x0fu : 0xf0u, old = word[position / 2];
            word[position / 2] = (uint8_t)(old + ((old & mask) == mask ? 0 : mask & 0x11u));
        }
    }
}

void ink__counts_least_scalar(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                              size_t count, uint8_t *least)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *word = counters + ink__block_of(hashes[i], blocks) * INK__COUNTS_BYTES;
        unsigned       smallest = 15;
        for (int j = 0; j < INK__BLOCK_WORDS; j++, word += INK__COUNTS_BYTES / INK__BLOCK_WORDS) {
            uint32_t position = ink__word_position(hashes[i], salts[j]);
            unsigned value = (unsigned)word[position / 2] >> position % 2 * 4 & 15u;
            smallest = value < smallest ? value : smallest;
        }
        least[i] = (uint8_t)smallest;
    }
}
