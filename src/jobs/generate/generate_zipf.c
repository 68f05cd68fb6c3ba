/* generate_zipf.c - ranks whose frequency falls with a power of the rank, and words by rank.
 *
 * An alias table [Walker 1977, Vose 1991] chooses a range of ranks as if all were as frequent as
 * its first one. A uniform rank of the range is then accepted with the ratio of its frequency to
 * that of the first; otherwise all is repeated. The distribution is exact but for the rounding of
 * the table, and a power is rarely computed, since ranges are narrow: the last rank of one is less
 * than 1/128 above the first. */
#include "base/memory.h"
#include "base/real.h"
#include "base/status.h"
#include "base/text.h"
#include "jobs/generate/generator.h"

#include <string.h>

enum { VOCABULARY = 10000000 }; /* the most ranks */

/* ---- Ranges ------------------------------------------------------------------------------- */

/* Ranks below 256 are ranges of their own; above, each doubling has 128 ranges. */
enum {
    STEPS = 128,
    SHIFT_MAX = 16, /* 128 << 16 <= VOCABULARY < 256 << 16 */
    RANGES_MAX = SHIFT_MAX * STEPS + (VOCABULARY >> SHIFT_MAX),
};

typedef struct range {
    uint32_t first, shift; /* has 2^shift ranks */
} range;

static range range_of(uint32_t number)
{
    uint32_t rank = number + 1;

    if (rank < STEPS)
        return (range){rank, 0};
    return (range){(STEPS + rank % STEPS) << (rank / STEPS - 1), rank / STEPS - 1};
}

typedef struct slot {
    uint64_t own;   /* the chance of the range itself, of 2^64; else the alias is chosen */
    uint64_t sure;  /* the chance, of 2^48, to accept any rank of the range */
    uint32_t alias; /* another range */
} slot;

struct ink__zipf {
    double   skew;
    uint32_t ranks, ranges;
    slot     slots[RANGES_MAX];
    /* While the table is made: */
    double   shares[RANGES_MAX];  /* of ranges, in means */
    uint16_t pending[RANGES_MAX]; /* ranges below 1 from the front, others from the end */
};

/* (1 + x)^-skew */
static double falls_to(double skew, double x)
{
    return ink__exp(-skew * ink__ln_1p(x));
}

/* The rest of the slot of a range below the mean goes to one above. */
static void make_aliases(ink__zipf *z)
{
    uint32_t below = 0, above = z->ranges;

    for (uint32_t i = 0; i < z->ranges; i++) {
        z->slots[i].own = UINT64_MAX;
        z->slots[i].alias = i;
        z->pending[z->shares[i] < 1 ? below++ : --above] = (uint16_t)i;
    }
    while (below > 0 && above < z->ranges) {
        uint32_t small = z->pending[--below], large = z->pending[above];
        z->slots[small].own = (uint64_t)(z->shares[small] * 0x1p64);
        z->slots[small].alias = large;
        z->shares[large] -= 1 - z->shares[small];
        if (z->shares[large] < 1) {
            above++;
            z->pending[below++] = (uint16_t)large;
        }
    }
}

ink_status ink__zipf_make(ink__zipf **zipf, uint32_t ranks, double skew,
                          const ink_allocator *allocator, ink_error *error)
{
    uint32_t   shift = 0;
    double     sum = 0;
    ink__zipf *z;

    INK__TRY(ink__allocate_zeroed(allocator, sizeof *z, zipf, error));
    while (ranks >> shift >= 2 * STEPS)
        shift++;
    z = *zipf;
    z->skew = skew;
    z->ranks = ranks;
    z->ranges = shift * STEPS + (ranks >> shift); /* the last one may reach beyond the ranks */
    for (uint32_t i = 0; i < z->ranges; i++) {
        range  r = range_of(i);
        double in_range = (double)(1u << r.shift);
        z->shares[i] = in_range * ink__exp(-skew * ink__ln((double)r.first));
        z->slots[i].sure = (uint64_t)(falls_to(skew, in_range / (double)r.first) * 0x1p48);
        sum += z->shares[i];
    }
    for (uint32_t i = 0; i < z->ranges; i++)
        z->shares[i] = z->shares[i] / sum * z->ranges;
    make_aliases(z);
    return INK_OK;
}

void ink__zipf_free(ink__zipf *zipf, const ink_allocator *allocator)
{
    ink__release(allocator, zipf, sizeof *zipf);
}

uint32_t ink__zipf_draw(const ink__zipf *z, ink__random *random)
{
    for (;;) {
        uint64_t bits = ink__random_next(random);
        uint32_t number = (uint32_t)ink__multiply_high(bits, z->ranges);
        if (bits * z->ranges >= z->slots[number].own)
            number = z->slots[number].alias;

        range r = range_of(number);
        if (r.shift == 0)
            return r.first;
        bits = ink__random_next(random);
        uint32_t offset = (uint32_t)bits & ((1u << r.shift) - 1);
        uint64_t chance = bits >> 16; /* of 2^48 */
        if ((chance < z->slots[number].sure && number < z->ranges - 1) ||
            (r.first + offset <= z->ranks &&
             (double)chance < falls_to(z->skew, (double)offset / (double)r.first) * 0x1p48))
            return r.first + offset;
    }
}

/* ---- Words -------------------------------------------------------------------------------- */

typedef struct words {
    ink__zipf  *zipf;
    ink__random random;
} words;

static ink_status draw_ranks(void *host, void *values, uint64_t count, ink_error *error)
{
    words *from = host;

    (void)error;
    for (uint32_t *to = values; count > 0; count--)
        *to++ = ink__zipf_draw(from->zipf, &from->random);
    return INK_OK;
}

static uint8_t *put_word(uint8_t *to, const void *rank, const void *host)
{
    (void)host;
    memcpy(to, "word", 4);
    return ink__put_number(to + 4, *(const uint32_t *)rank);
}

ink_status ink__generate_zipf(const ink__generator_run *run, ink_error *error)
{
    words                   from;
    const ink__record_steps steps = {
        .value_bytes = sizeof(uint32_t),
        .record_max = sizeof "word10000000", /* the NUL stands for the line end */
        .host = &from,
        .draw = draw_ranks,
        .put = put_word,
    };

    INK__TRY(ink__zipf_make(&from.zipf, VOCABULARY, run->skew, &run->allocator, error));
    ink__random_begin(&from.random, run->seed, INK__RANDOM_ZIPF);
    ink_status status = ink__generate_each(run, &steps, error);
    ink__zipf_free(from.zipf, &run->allocator);
    return status;
}
