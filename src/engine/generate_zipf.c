/* generate_zipf.c - words whose frequency falls with a power of their rank.
 *
 * Rank k of 10 million has a chance in proportion to k^-skew. A range of ranks is drawn from a
 * table (of aliases [Walker 1977, Vose 1991]) as if all of its ranks were as frequent as its first
 * one, a rank within it is drawn evenly, and kept with the chance by which it is less frequent than
 * the first; otherwise all starts anew. So the chances are the true ones, but for the rounding of
 * the table, and a power has to be worked out only once in many draws, since ranges are narrow: the
 * last rank of one is less than 1/128 above the first. */
#include "engine/generator.h"

#include "base/memory.h"
#include "base/real.h"

#include <string.h>

/* ---- Ranges ------------------------------------------------------------------------------- */

/* Ranks below 256 are ranges of their own; above, each doubling has 128 ranges. */
enum {
    VOCABULARY = 10000000,
    STEPS = 128,
    LAST_SHIFT = 16, /* 128 << 16 <= VOCABULARY < 256 << 16 */
    RANGES = LAST_SHIFT * STEPS + (VOCABULARY >> LAST_SHIFT),
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
    uint64_t own;   /* the chance of the range itself, of 2^64; else it is the alias */
    uint64_t sure;  /* the chance of 2^48 with which every rank of the range is kept */
    uint32_t alias; /* another range */
} slot;

typedef struct zipf {
    double   skew;
    slot     slots[RANGES];
    double   shares[RANGES];  /* while the table is made: a range's share of the mean ... */
    uint16_t waiting[RANGES]; /* ... and those below 1 from the front, the others from the end */
} zipf;

/* (1 + x)^-skew */
static double falls_to(double skew, double x)
{
    return ink__exp(-skew * ink__ln_1p(x));
}

/* Fills the slots one by one: what a range below the mean leaves of its slot goes to one above. */
static void make_aliases(zipf *z)
{
    uint32_t below = 0, above = RANGES;

    for (uint32_t i = 0; i < RANGES; i++) {
        z->slots[i].own = UINT64_MAX;
        z->slots[i].alias = i;
        z->waiting[z->shares[i] < 1 ? below++ : --above] = (uint16_t)i;
    }
    while (below > 0 && above < RANGES) {
        uint32_t small = z->waiting[--below], large = z->waiting[above];
        z->slots[small].own = (uint64_t)(z->shares[small] * 0x1p64);
        z->slots[small].alias = large;
        z->shares[large] -= 1 - z->shares[small];
        if (z->shares[large] < 1) {
            above++;
            z->waiting[below++] = (uint16_t)large;
        }
    }
}

static void zipf_make(zipf *z, double skew)
{
    double sum = 0;

    memset(z, 0, sizeof *z);
    z->skew = skew;
    for (uint32_t i = 0; i < RANGES; i++) {
        range  r = range_of(i);
        double ranks = (double)(1u << r.shift);
        z->shares[i] = ranks * ink__exp(-skew * ink__ln((double)r.first));
        z->slots[i].sure = (uint64_t)(falls_to(skew, ranks / (double)r.first) * 0x1p48);
        sum += z->shares[i];
    }
    for (uint32_t i = 0; i < RANGES; i++)
        z->shares[i] = z->shares[i] / sum * RANGES;
    make_aliases(z);
}

/* ---- Words -------------------------------------------------------------------------------- */

/* Whether to keep the rank that is `offset` above the first, where `chance` of 2^48 was drawn. */
static bool is_kept(const zipf *z, range r, uint32_t offset, uint64_t chance)
{
    if (r.first + offset > VOCABULARY) /* the last range reaches beyond it */
        return false;
    return (double)chance < falls_to(z->skew, (double)offset / (double)r.first) * 0x1p48;
}

static uint32_t draw_rank(const zipf *z, ink__random *random)
{
    for (;;) {
        uint64_t bits = ink__random_next(random);
        uint32_t number = (uint32_t)ink__multiply_high(bits, RANGES);
        if (bits * RANGES >= z->slots[number].own)
            number = z->slots[number].alias;

        range r = range_of(number);
        if (r.shift == 0)
            return r.first;
        bits = ink__random_next(random);
        uint32_t offset = (uint32_t)bits & ((1u << r.shift) - 1);
        if ((bits >> 16 < z->slots[number].sure && number < RANGES - 1) ||
            is_kept(z, r, offset, bits >> 16))
            return r.first + offset;
    }
}

static ink_status write_words(const zipf *z, const ink__generator_run *run, ink_error *error)
{
    ink__spool *records = run->records;
    ink__random random;

    ink__random_begin(&random, run->seed, INK__RANDOM_ZIPF);
    while (records->count < records->total) {
        uint8_t *to = ink__spool_room(records);
        memcpy(to, "word", 4);
        INK__TRY(ink__spool_end(records, ink__put_number(to + 4, draw_rank(z, &random)), error));
    }
    return INK_OK;
}

static ink_status run_zipf(const ink__generator_run *run, ink_error *error)
{
    void *z;

    INK__TRY(ink__allocate(&run->allocator, sizeof(zipf), &z, error));
    zipf_make(z, run->skew);
    ink_status status = write_words(z, run, error);
    ink__release(&run->allocator, z, sizeof(zipf));
    return status;
}

const ink__generator ink__generate_zipf = {
    .name = "zipf",
    .about = "words of a vocabulary of 10 million, ever rarer by their rank",
    .records = 1000000,
    .has_skew = true,
    .run = run_zipf,
};
