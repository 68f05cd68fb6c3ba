/* generate_ratings.c - a table with the columns, the size and the distribution of ratings of IMDb's
 * title.ratings.tsv of 2022: the same number of titles for each rounded rating, in random order. */
#include "base/status.h"
#include "jobs/generate/generator.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

enum { TITLES = INK__TITLES, RATING_MIN = 10, RATING_MAX = 100, CLASSES = 10 };

/* ---- Ratings, in tenths ------------------------------------------------------------------- */

/* Titles whose rating, rounded half to even, is 1 to 10; and none beyond. */
static const uint32_t class_titles[CLASSES + 2] = {
    0, 2484, 7699, 17035, 50907, 96854, 253265, 349453, 370225, 95158, 17737, 0,
};

/* The first and the last rating of a class: x.5 is in the even class next to it. */
static unsigned class_first(unsigned number)
{
    return number == 1 ? RATING_MIN : 10 * number - (number % 2 == 0 ? 5 : 4);
}

static unsigned class_last(unsigned number)
{
    return number == CLASSES ? RATING_MAX : 10 * number + (number % 2 == 0 ? 5 : 4);
}

/* Titles for each tenth, if a class were spread evenly. */
static uint64_t class_height(unsigned number)
{
    return class_titles[number] / (class_last(number) - class_first(number) + 1);
}

/* The height of a rating, interpolated between those of whole ratings. */
static uint64_t weight_of(unsigned rating)
{
    unsigned whole = rating / 10, tenths = rating % 10;

    return class_height(whole) * (10 - tenths) + class_height(whole + 1) * tenths;
}

/* Writes the ratings of all titles in order: within a class in proportion to their weights, and
 * exactly as many as the class has. */
static void fill_ratings(uint8_t ratings[TITLES])
{
    uint8_t *to = ratings;

    for (unsigned number = 1; number <= CLASSES; number++) {
        uint64_t total = 0, sum = 0, put = 0;
        for (unsigned rating = class_first(number); rating <= class_last(number); rating++)
            total += weight_of(rating);
        for (unsigned rating = class_first(number); rating <= class_last(number); rating++) {
            sum += weight_of(rating);
            uint64_t wanted = class_titles[number] * sum / total;
            memset(to, (int)rating, (size_t)(wanted - put));
            to += wanted - put;
            put = wanted;
        }
    }
}

/* Chooses one of the ratings from number `row` on, and swaps it with that. */
static unsigned choose_rating(uint8_t ratings[TITLES], uint64_t row, ink__random *random)
{
    uint64_t other = row + ink__random_below(random, TITLES - row);
    uint8_t  chosen = ratings[other];

    ratings[other] = ratings[row];
    ratings[row] = chosen;
    return chosen;
}

/* ---- Titles and votes --------------------------------------------------------------------- */

/* The title after `number`. Three in four of the first titles have a rating, later ever fewer; the
 * last number is near 9.5 million, 50 standard deviations below eight digits. */
static uint32_t next_title(uint32_t number, uint64_t row, ink__random *random)
{
    uint64_t bits = ink__random_next(random), gap_max = 2 + row / 24576;
    uint64_t gap = (bits >> 32) * gap_max >> 32;

    return number + 1 + (uint32_t)((bits & 0xffffffff) * (gap + 1) >> 32);
}

enum { VOTES_MIN = 5, OCTAVES = 19 };

/* The titles, of 2^16, with 5 to 9 votes, 10 to 19, and so on by doubling, up to 2.6 million. */
static const uint16_t octave_titles[OCTAVES] = {
    12200, 15900, 12500, 8900, 5900, 3800, 2400, 1500, 940, 600, 380, 230, 140, 75, 38, 20, 9, 3, 1,
};

static unsigned octave_of(uint32_t bits)
{
    unsigned octave = 0;

    while (octave < OCTAVES - 1 && bits >= octave_titles[octave])
        bits -= octave_titles[octave++];
    return octave;
}

/* A mean near either end is rarely one of many votes: there the smaller of two numbers is taken. */
static uint64_t choose_votes(unsigned rating, ink__random *random)
{
    uint64_t bits = ink__random_next(random);
    unsigned octave = octave_of(bits & 0xffff);

    if (rating < 25 || rating > 92) {
        unsigned other = octave_of(bits >> 16 & 0xffff);
        octave = other < octave ? other : octave;
    }
    uint64_t least = (uint64_t)VOTES_MIN << octave;
    return least + ((bits >> 32) * least >> 32);
}

/* ---- The table ---------------------------------------------------------------------------- */

typedef struct row {
    uint32_t title, rating;
    uint64_t votes;
} row;

static uint8_t *put_row(uint8_t *to, const void *value, const void *host)
{
    const row *from = value;

    (void)host;
    *to++ = 't';
    *to++ = 't';
    to = ink__put_digits(to, from->title, 7);
    *to++ = '\t';
    to = ink__put_number(to, from->rating / 10);
    *to++ = '.';
    *to++ = (uint8_t)('0' + from->rating % 10);
    *to++ = '\t';
    return ink__put_number(to, from->votes);
}

typedef struct table_draws {
    uint8_t    *ratings;
    uint64_t    row;
    uint32_t    title; /* the last one */
    ink__random of_titles, of_ratings, of_votes;
} table_draws;

static ink_status draw_rows(void *host, void *values, uint64_t count, ink_error *error)
{
    table_draws *from = host;

    (void)error;
    for (row *to = values; count > 0; count--, to++, from->row++) {
        to->rating = choose_rating(from->ratings, from->row, &from->of_ratings);
        to->votes = choose_votes(to->rating, &from->of_votes);
        to->title = from->title = next_title(from->title, from->row, &from->of_titles);
    }
    return INK_OK;
}

ink_status ink__generate_ratings(const ink__generator_run *run, ink_error *error)
{
    table_draws             from = {.row = 0};
    const ink__record_steps steps = {
        .value_bytes = sizeof(row),
        .record_max = sizeof "tt1234567\t10.0\t2621439", /* the NUL stands for the line end */
        .header = "tconst\taverageRating\tnumVotes\n",
        .host = &from,
        .draw = draw_rows,
        .put = put_row,
    };

    ink__random_begin(&from.of_titles, run->seed, INK__RANDOM_TITLES);
    ink__random_begin(&from.of_ratings, run->seed, INK__RANDOM_RATINGS);
    ink__random_begin(&from.of_votes, run->seed, INK__RANDOM_VOTES);
    INK__TRY(ink__allocate(&run->allocator, TITLES, &from.ratings, error));
    fill_ratings(from.ratings);
    ink_status status = ink__generate_each(run, &steps, error);
    ink__release(&run->allocator, from.ratings, TITLES);
    return status;
}
