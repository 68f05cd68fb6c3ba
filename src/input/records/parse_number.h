/* parse_number.h - numbers in text: int keys, weights, and values that are rounded to a group.
 * Strict: all bytes belong to the number, and a number that does not fit is none. */
#ifndef INK_INPUT_RECORDS_PARSE_NUMBER_H
#define INK_INPUT_RECORDS_PARSE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number from -2^63 to 2^64 - 1, as the 64 bits of an int key: from 2^63 on they are those
 * of a negative one. Digits, perhaps after a sign. */
bool ink__number_key(const uint8_t *text, uint64_t bytes, int64_t *key);

/* A whole number from 0 to 2^64 - 1, without a sign. */
bool ink__number_weight(const uint8_t *text, uint64_t bytes, uint64_t *weight);

typedef enum ink__rounding {
    INK__ROUND_HALF_EVEN, /* 2.5 is 2, 3.5 is 4, as Python's round */
    INK__ROUND_HALF_UP,   /* towards plus infinity: 2.5 is 3, -2.5 is -2, as Java's Math.round */
    INK__ROUND_HALF_AWAY, /* away from zero: 2.5 is 3, -2.5 is -3, as Decimal's ROUND_HALF_UP */
} ink__rounding;

/* Whether a tie, `whole` and a half with this sign, is rounded away from zero. */
static inline bool ink__tie_goes_away(ink__rounding rounding, bool minus, uint64_t whole)
{
    return rounding == INK__ROUND_HALF_EVEN ? whole % 2 == 1
                                            : rounding == INK__ROUND_HALF_AWAY || !minus;
}

/* A decimal number such as "7", "-7.25", ".5" or "1e-05", with an exponent as JSON has it, rounded
 * to a whole one, by its digits: no binary fraction comes between. The result must fit 64 bits. */
bool ink__number_round(const uint8_t *text, uint64_t bytes, ink__rounding rounding, int64_t *whole);

#endif
