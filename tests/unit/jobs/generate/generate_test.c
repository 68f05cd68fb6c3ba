/* generate_test.c - generated data have the shape, the numbers and the chances that are promised,
 * and the same bytes on every host. */
#include "base/text.h"
#include "hash/hashes.h"
#include "inkling_command.h"
#include "inkling_job.h"
#include "input/records/parse_number.h"
#include "jobs/generate/generator.h"

#include "accuracy/streams.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/records.h"

#include <errno.h>
#include <inttypes.h>

/* Longer than a message. */
#define SIXTY "012345678901234567890123456789012345678901234567890123456789"
#define LONG_NAME SIXTY SIXTY SIXTY SIXTY SIXTY

static ink_error error;

/* ---- Sinks -------------------------------------------------------------------------------- */

/* Keeps all that is written, or only counts the lines of it, or fails. */
typedef struct kept {
    records_bytes text;
    uint64_t      lines, writes;
    size_t        largest;
    bool          only_count;
    uint64_t      fail_at; /* which write fails, from 1; 0: none */
    int           os_error;
} kept;

static int keep(void *host, const void *bytes, size_t count)
{
    kept          *k = host;
    const uint8_t *text = bytes;

    if (++k->writes == k->fail_at)
        return k->os_error;
    CHECK(count > 0 && text[count - 1] == '\n'); /* whole records */
    k->largest = count > k->largest ? count : k->largest;
    for (size_t i = 0; i < count; i++)
        k->lines += text[i] == '\n';
    if (!k->only_count)
        records_put(&k->text, bytes, count);
    return 0;
}

static void kept_free(kept *k)
{
    records_bytes_free(&k->text);
}
#define owned_kept OWNED(kept_free) kept

static ink_status run(const ink_generation *generation, kept *all, ink_job *job)
{
    return ink_generate(generation, &(const ink_sink){keep, all}, job, &error);
}

/* Generates into `all`, which was empty; fails the test if it cannot. */
static void generate(const ink_generation *generation, kept *all)
{
    ink_job job = {0};

    CHECK_OK(run(generation, all, &job));
    CHECK(job.records == all->lines - (strcmp(generation->kind, "imdb") == 0));
}

static kept generated(const char *kind, uint64_t records, uint64_t seed)
{
    const ink_generation generation = {.kind = kind, .records = records, .seed = seed};
    kept                 all = {0};

    generate(&generation, &all);
    return all;
}

/* The next line, without its end; advances *at. NULL at the end. */
static const char *next_line(const kept *all, size_t *at, size_t *length)
{
    if (*at == all->text.count)
        return NULL;
    const char *line = (const char *)all->text.bytes + *at;
    const char *end = memchr(line, '\n', all->text.count - *at);
    CHECK(end != NULL);
    *length = (size_t)(end - line);
    *at += *length + 1;
    return line;
}

static const char *const kinds[] = {"ip", "names", "imdb", "zipf", "u64", "log"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_imdb(const char *kind)
{
    return strcmp(kind, "imdb") == 0;
}

/* ---- Random numbers ----------------------------------------------------------------------- */

TEST(random_numbers_are_the_published_ones)
{
    static const uint64_t split[] = {1985237415132408290u, 2979275885539914483u,
                                     13511426838097143398u};
    static const uint64_t next[] = {41943041u,
                                    58720359u,
                                    3588806011781223u,
                                    3591011842654386u,
                                    9228616714210784205u,
                                    9973669472204895162u,
                                    14011001112246962877u,
                                    12406186145184390807u,
                                    15849039046786891736u,
                                    10450023813501588000u};
    uint64_t              seed = 1477776061723855037u;
    ink__random           random = {{1, 2, 3, 4}};

    for (size_t i = 0; i < sizeof split / sizeof split[0]; i++)
        assert_int_equal(ink__random_split(&seed), split[i]);
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++)
        assert_int_equal(ink__random_next(&random), next[i]);
}

/* Of counts that are all expected to be the mean. */
static double chi_square_of(const double *counts, size_t count, double mean)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += pow(counts[i] - mean, 2) / mean;
    return sum;
}

TEST(numbers_below_a_range_are_even_where_the_range_is_awkward)
{
    const uint64_t range = 3ull << 62; /* of 2^64 numbers a quarter has to be drawn again */
    const size_t   draws = trials_of(100000);
    double         counts[3] = {0};
    ink__random    random;

    ink__random_begin(&random, 7, INK__RANDOM_IP);
    for (size_t i = 0; i < draws; i++) {
        uint64_t drawn = ink__random_below(&random, range);
        CHECK(drawn < range);
        counts[drawn % 3]++;
    }
    double chi_square = chi_square_of(counts, 3, (double)draws / 3);
    /* without drawing again one of the three would have half of the numbers */
    row_chi_square("below: thirds", 2, chi_square, chi_square, 1, (double)draws / 8);
    CHECK(ink__random_below(&random, 1) == 0);
}

/* ---- All kinds ---------------------------------------------------------------------------- */

TEST(every_kind_is_listed_with_a_line_about_it)
{
    const char *about = NULL;

    for (size_t i = 0; i < KINDS; i++) {
        assert_string_equal(ink_generation_kind(i, &about), kinds[i]);
        CHECK(strlen(about) > 10 && strchr(about, '\n') == NULL);
        assert_string_equal(ink_generation_kind(i, NULL), kinds[i]);
    }
    CHECK(ink_generation_kind(KINDS, &about) == NULL);
}

TEST(a_seed_gives_the_same_bytes_on_every_host)
{
    static const struct {
        const char *kind;
        uint64_t    records, seed, digest;
        double      skew;
    } known[] = {
        {"ip", 100000, 0, 0x038249db9b73062eu, 0},
        {"ip", 100000, 1, 0x5745ef1bda458b13u, 0},
        {"names", 100000, 0, 0xe29267b86fdec78bu, 0},
        {"names", 100000, 1, 0xe2d7c8c2a3f8b690u, 0},
        {"imdb", 0, 0, 0x0f87379b487362b6u, 0},
        {"imdb", 0, 1, 0x5397071f0875702fu, 0},
        {"zipf", 100000, 0, 0x8e26c919a32c1987u, 0},
        {"zipf", 100000, 1, 0x1077429639b647bcu, 0},
        {"zipf", 100000, 1, 0xe2efc5ae10bbc09fu, 0.5},
        {"zipf", 100000, 1, 0xf1692fa9f0f0e0ddu, 2.5},
        {"u64", 100000, 0, 0xb0ccf16fd08c0f8du, 0},
        {"u64", 100000, 1, 0x1bbd34bd0a1bc67du, 0},
        {"log", 100000, 0, 0xfcaea1a81de9c3ccu, 0},
        {"log", 100000, 1, 0xbbf862d90a0c7571u, 0},
        {"log", 100000, 1, 0x68d8e8ce316d2b2eu, 0.7},
    };
    bool equal = true;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const ink_generation generation = {.kind = known[i].kind,
                                           .records = known[i].records,
                                           .seed = known[i].seed,
                                           .skew = known[i].skew};
        owned_kept           all = {0};
        generate(&generation, &all);
        uint64_t digest = ink__xxh3(all.text.bytes, all.text.count, 0);
        if (digest != known[i].digest) {
            print_error("%s of seed %" PRIu64 " has the digest 0x%016" PRIx64 "\n", known[i].kind,
                        known[i].seed, digest);
            equal = false;
        }
    }
    CHECK(equal);
}

TEST(a_seed_gives_the_same_sample_on_every_host)
{
    static const uint64_t digests[] = {0xb7085e068bf799b3u, 0xdc4b9fb265e16cb8u};

    for (uint64_t seed = 0; seed < 2; seed++) {
        owned_kept           all = {.only_count = true}, some = {0};
        const ink_sink       some_sink = {keep, &some};
        const ink_generation generation = {.kind = "names",
                                           .records = 100000,
                                           .seed = seed,
                                           .sample = 999,
                                           .sample_sink = &some_sink};
        generate(&generation, &all);
        uint64_t digest = ink__xxh3(some.text.bytes, some.text.count, 0);
        if (digest != digests[seed])
            fail_msg("the sample of seed %" PRIu64 " has the digest 0x%016" PRIx64, seed, digest);
    }
}

TEST(fewer_records_are_the_first_of_more)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (is_imdb(kinds[i]))
            continue;
        owned_kept few = generated(kinds[i], 1000, 5), many = generated(kinds[i], 30000, 5);
        assert_int_equal(few.lines, 1000);
        assert_int_equal(many.lines, 30000);
        CHECK(few.text.count < many.text.count &&
              memcmp(few.text.bytes, many.text.bytes, few.text.count) == 0);
    }
}

TEST(every_kind_has_a_default_number_of_records)
{
    for (size_t i = 0; i < KINDS; i++) {
        const ink_generation generation = {.kind = kinds[i]};
        owned_kept           all = {.only_count = true};
        generate(&generation, &all);
        assert_int_equal(all.lines, is_imdb(kinds[i])              ? 1260818
                                    : strcmp(kinds[i], "log") == 0 ? 100000
                                                                   : 1000000);
    }
}

/* ---- Numbers ------------------------------------------------------------------------------ */

TEST(addresses_are_four_times_three_digits_and_even)
{
    const size_t  records = trials_of(500000);
    owned_kept    all = generated("ip", records, 3);
    size_t        at = 0, length;
    const char   *line;
    double        least = INFINITY, most = 0;
    static double counts[4][256];

    memset(counts, 0, sizeof counts);
    while ((line = next_line(&all, &at, &length)) != NULL) {
        assert_int_equal(length, 12);
        for (int i = 0; i < 4; i++) {
            uint64_t part;
            CHECK(ink__number_weight((const uint8_t *)line + 3 * i, 3, &part) && part < 256);
            counts[i][part]++;
        }
    }
    for (int i = 0; i < 4; i++) {
        double chi_square = chi_square_of(counts[i], 256, (double)records / 256);
        least = fmin(least, chi_square);
        most = fmax(most, chi_square);
    }
    /* a number that never comes, or that comes twice as often */
    row_chi_square("ip: parts", 255, least, most, 4, (double)records / 256);
}

TEST(integers_have_64_random_bits)
{
    const size_t records = trials_of(200000);
    owned_kept   all = generated("u64", records, 3);
    size_t       at = 0, length;
    const char  *line;
    double       ones[64] = {0}, worst = 0;

    while ((line = next_line(&all, &at, &length)) != NULL) {
        uint64_t number;
        CHECK(ink__number_weight((const uint8_t *)line, length, &number));
        CHECK(line[0] != '0' || length == 1);
        for (int bit = 0; bit < 64; bit++)
            ones[bit] += (double)(number >> bit & 1);
    }
    for (int bit = 0; bit < 64; bit++)
        worst = fmax(worst, fabs(ones[bit] - (double)records / 2));
    CHECK(worst < z_of_largest(64) * sqrt((double)records) / 2);
}

TEST(digits_are_written_to_the_ends_of_64_bits)
{
    static const uint64_t numbers[] = {0, 1, 9, 10, 99, 100, 12345678901234567u, UINT64_MAX};
    uint8_t               text[32];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint64_t back;
        uint8_t *end = ink__put_number(text, numbers[i]);
        CHECK(ink__number_weight(text, (uint64_t)(end - text), &back) && back == numbers[i]);
        CHECK(text[0] != '0' || end == text + 1);
    }
}

/* ---- Names -------------------------------------------------------------------------------- */

enum { NAME = 30 };

static int compare_names(const void *a, const void *b)
{
    return memcmp(a, b, NAME + 1);
}

static void check_pronounceable(const char *name)
{
    int consonants = 0, vowels = 0;

    for (int i = 0; i < NAME; i++) {
        CHECK(name[i] >= 'a' && name[i] <= 'z');
        bool vowel = strchr("aeiouy", name[i]) != NULL;
        consonants = vowel ? 0 : consonants + 1;
        vowels = vowel ? vowels + 1 : 0;
        if (consonants > 3 || vowels > 3)
            fail_msg("%.30s cannot be pronounced", name);
    }
}

TEST(names_are_30_letters_that_can_be_spoken)
{
    const size_t records = trials_of(1000000);
    owned_kept   all = generated("names", records, 2);
    double       letters[26] = {0};

    assert_int_equal(all.text.count, records * (NAME + 1));
    for (size_t i = 0; i < records; i++) {
        const char *name = (const char *)all.text.bytes + i * (NAME + 1);
        check_pronounceable(name);
        CHECK(name[NAME] == '\n');
        for (int j = 0; j < NAME; j++)
            letters[name[j] - 'a']++;
    }
    for (int i = 0; i < 26; i++) /* every letter comes, and none all the time */
        CHECK(letters[i] > 0 && letters[i] < 0.15 * (double)records * NAME);
    qsort(all.text.bytes, records, NAME + 1, compare_names);
    for (size_t i = 1; i < records; i++)
        if (compare_names(all.text.bytes + (i - 1) * (NAME + 1), all.text.bytes + i * (NAME + 1)) ==
            0)
            fail_msg("a name came twice");
}

/* Generates names and a sample, checks that it has the right number of them in order, and returns
 * their numbers, which the caller frees. */
static uint64_t *sampled(uint64_t records, uint64_t sample, uint64_t seed)
{
    owned_kept           all = {0}, some = {0}, alone = generated("names", records, seed);
    const ink_sink       some_sink = {keep, &some};
    const ink_generation generation = {.kind = "names",
                                       .records = records,
                                       .seed = seed,
                                       .sample = sample,
                                       .sample_sink = &some_sink};
    uint64_t            *numbers = malloc((size_t)sample * sizeof *numbers);

    CHECK(numbers != NULL);
    generate(&generation, &all);
    CHECK(all.text.count == alone.text.count &&
          memcmp(all.text.bytes, alone.text.bytes, all.text.count) == 0);
    assert_int_equal(some.text.count, sample * (NAME + 1));
    uint64_t number = 0;
    for (uint64_t i = 0; i < sample; i++, number++) {
        const uint8_t *name = some.text.bytes + i * (NAME + 1);
        while (number < records && compare_names(all.text.bytes + number * (NAME + 1), name) != 0)
            number++;
        if (number == records)
            fail_msg("number %" PRIu64 " of the sample is not behind the one before", i);
        numbers[i] = number;
    }
    return numbers;
}

#define owned_numbers OWNED(owned_free) uint64_t

TEST(a_sample_has_one_name_of_each_part)
{
    static const struct {
        uint64_t records, sample;
    } sizes[] = {{1, 1},       {1000, 1},    {1003, 100}, {1003, 502},
                 {1003, 1002}, {1003, 1003}, {9000, 7}};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t records = sizes[i].records, sample = sizes[i].sample;
        owned_numbers *numbers = sampled(records, sample, i);
        for (uint64_t part = 0; part < sample; part++)
            CHECK(numbers[part] >= part * records / sample &&
                  numbers[part] < (part + 1) * records / sample);
    }
}

TEST(every_name_may_come_into_a_sample)
{
    enum { RECORDS = 8, SAMPLE = 3, SEEDS = 100 }; /* one is missed with a chance of 1e-17 */
    unsigned count[RECORDS] = {0};

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        owned_numbers *numbers = sampled(RECORDS, SAMPLE, seed);
        for (int i = 0; i < SAMPLE; i++)
            count[numbers[i]]++;
    }
    for (int i = 0; i < RECORDS; i++)
        CHECK(count[i] > 0 && count[i] < SEEDS);
}

TEST(the_strides_of_a_sample_are_random)
{
    enum { PART = 10 };
    const uint64_t sample = trials_of(20000);
    owned_numbers *numbers = sampled(sample * PART, sample, 9);
    double         counts[PART] = {0}, pairs[PART * PART] = {0};

    for (uint64_t i = 0; i < sample; i++) {
        counts[numbers[i] % PART]++;
        if (i > 0)
            pairs[numbers[i - 1] % PART * PART + numbers[i] % PART]++;
    }
    double chi_square = chi_square_of(counts, PART, (double)sample / PART);
    double of_pairs = chi_square_of(pairs, PART * PART, (double)(sample - 1) / (PART * PART));
    /* an index in its part that is never chosen; an index that never follows itself */
    row_chi_square("names: places", PART - 1, chi_square, chi_square, 1, (double)sample / PART);
    row_chi_square("names: pairs of places", PART * PART - 1, of_pairs, of_pairs, 1,
                   (double)sample / PART);
}

/* ---- Ratings ------------------------------------------------------------------------------ */

enum { TITLES = 1260817 };

static const uint32_t titles_of[11] = {0,      2484,   7699,   17035, 50907, 96854,
                                       253265, 349453, 370225, 95158, 17737};

typedef struct ratings {
    uint32_t *titles, *votes;
    uint8_t  *tenths, *classes;
} ratings;

static void read_row(const char *line, size_t length, ratings *r, size_t row)
{
    const uint8_t *text = (const uint8_t *)line;
    const char    *tab = memchr(line, '\t', length);
    uint64_t       title, votes, whole;
    int64_t        rounded;

    CHECK(tab == line + 9 && memcmp(line, "tt", 2) == 0);
    CHECK(ink__number_weight(text + 2, 7, &title));
    const char *end = memchr(tab + 1, '\t', length - 10);
    CHECK(end != NULL);
    uint64_t digits = (uint64_t)(end - tab - 1);
    CHECK((digits == 3 || digits == 4) && tab[digits - 1] == '.');
    CHECK(ink__number_weight(text + 10, digits - 2, &whole) && whole >= 1 && whole <= 10);
    CHECK(end[-1] >= '0' && end[-1] <= '9' && tab[1] != '0');
    CHECK(ink__number_round(text + 10, digits, INK__ROUND_HALF_EVEN, &rounded));
    CHECK(ink__number_weight((const uint8_t *)end + 1, length - 11 - digits, &votes));
    CHECK(end[1] != '0' && votes < UINT32_MAX);
    r->titles[row] = (uint32_t)title;
    r->votes[row] = (uint32_t)votes;
    r->tenths[row] = (uint8_t)(whole * 10 + (uint64_t)(end[-1] - '0'));
    r->classes[row] = (uint8_t)rounded;
}

static ratings read_ratings(uint64_t seed)
{
    static const char header[] = "tconst\taverageRating\tnumVotes";
    owned_kept        all = generated("imdb", 0, seed);
    ratings           r = {taken(TITLES, 4), taken(TITLES, 4), taken(TITLES, 1), taken(TITLES, 1)};
    size_t            at = 0, length = 0, row = 0;
    const char       *line = next_line(&all, &at, &length);

    CHECK(length == sizeof header - 1 && memcmp(line, header, length) == 0);
    for (; (line = next_line(&all, &at, &length)) != NULL; row++) {
        CHECK(row < TITLES);
        read_row(line, length, &r, row);
    }
    assert_int_equal(row, TITLES);
    return r;
}

static void ratings_free(ratings *r)
{
    free(r->titles);
    free(r->votes);
    free(r->tenths);
    free(r->classes);
}
#define owned_ratings OWNED(ratings_free) ratings

TEST(every_rounded_rating_has_the_published_number_of_titles)
{
    for (uint64_t seed = 0; seed < (light() ? 1 : 3); seed++) {
        owned_ratings r = read_ratings(seed);
        uint32_t      counts[12] = {0}, tenths[101] = {0};
        for (size_t i = 0; i < TITLES; i++) {
            CHECK(r.classes[i] < 12 && r.tenths[i] >= 10 && r.tenths[i] <= 100);
            CHECK(i == 0 || r.titles[i] > r.titles[i - 1]);
            counts[r.classes[i]]++;
            tenths[r.tenths[i]]++;
        }
        for (int i = 1; i <= 10; i++)
            assert_int_equal(counts[i], titles_of[i]);
        assert_int_equal(counts[0] + counts[11], 0);
        assert_int_equal(r.titles[0] < 3, true);
        /* No tenth stands out: between a third and three times the one before. */
        for (int i = 11; i <= 100; i++)
            CHECK(3 * tenths[i] > tenths[i - 1] && tenths[i] < 3 * tenths[i - 1]);
    }
}

TEST(ratings_are_in_random_order)
{
    owned_ratings r = read_ratings(4), other = read_ratings(5);
    double        same_as_next = 0, same_as_other = 0, squares = 0, early[11] = {0};

    for (size_t i = 0; i < TITLES; i++) {
        same_as_next += i > 0 && r.classes[i] == r.classes[i - 1];
        same_as_other += r.classes[i] == other.classes[i];
        early[r.classes[i]] += i < TITLES / 2;
    }
    for (int i = 1; i <= 10; i++) {
        double share = (double)titles_of[i] / TITLES;
        squares += share * share;
        /* Drawn without putting back: a quarter of the scatter of n (1 - n/N). */
        row_z("imdb: of a rating in the first half", titles_of[i] / 2.0, early[i],
              sqrt(titles_of[i] * (1 - share) / 4));
    }
    /* Neighbours, and the same row of another seed, are equal by chance alone; 1 % more is noticed.
     */
    double variance = TITLES * squares * (1 - squares);
    row_rate("imdb: rows that equal the next", TITLES, TITLES * squares, variance, same_as_next,
             1.02);
    row_rate("imdb: rows that equal another seed's", TITLES, TITLES * squares, variance,
             same_as_other, 1.02);
}

static int compare_votes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

TEST(votes_are_5_or_more_and_most_titles_have_few)
{
    owned_ratings r = read_ratings(6);
    double        sum = 0, titles[2] = {0}, many[2] = {0};

    for (size_t i = 0; i < TITLES; i++) { /* at either end there are fewer votes still */
        bool end = r.tenths[i] < 25 || r.tenths[i] > 92;
        titles[end]++;
        many[end] += r.votes[i] >= 160;
    }
    CHECK(many[1] > 0 && many[1] / titles[1] < 0.5 * many[0] / titles[0]);
    qsort(r.votes, TITLES, sizeof *r.votes, compare_votes);
    for (size_t i = 0; i < TITLES; i++)
        sum += r.votes[i];
    assert_int_equal(r.votes[0], 5);
    CHECK(r.votes[TITLES / 2] >= 10 && r.votes[TITLES / 2] < 50);
    CHECK(r.votes[TITLES - 1] > 1000000 && r.votes[TITLES - 1] < 3000000);
    CHECK(sum / TITLES > 10.0 * r.votes[TITLES / 2]);
}

TEST(the_gaps_between_titles_grow_and_the_numbers_keep_seven_digits)
{
    owned_ratings r = read_ratings(7);

    CHECK(r.titles[1000] > 1100 && r.titles[1000] < 1500);
    CHECK(r.titles[TITLES - 1] > 9000000 && r.titles[TITLES - 1] <= 9999999);
    CHECK(r.titles[TITLES - 1] - r.titles[TITLES - 1001] > 8 * 1000);
}

/* ---- Zipf --------------------------------------------------------------------------------- */

enum { VOCABULARY = 10000000, BINS_MAX = 400 };

/* The sum of k^-skew from first to last, by Euler and Maclaurin where there are many. */
static double zipf_sum(double skew, double first, double last)
{
    double sum = 0;

    for (; first <= last && first < 2000; first++)
        sum += pow(first, -skew);
    if (first > last)
        return sum;
    double area = fabs(skew - 1) < 1e-9 ? log(last / first)
                                        : (pow(last, 1 - skew) - pow(first, 1 - skew)) / (1 - skew);
    return sum + area + (pow(first, -skew) + pow(last, -skew)) / 2 +
           skew * (pow(first, -skew - 1) - pow(last, -skew - 1)) / 12;
}

/* Ranks in partitions; the last of each. */
typedef struct zipf_spill {
    unsigned count;
    uint32_t last[BINS_MAX];
    double   seen[BINS_MAX];
    uint32_t rank; /* of the word that is being read */
} zipf_spill;

/* Single ranks at first, then ever wider partitions; each holds 40 words or more, if there are
 * `records`. */
static void spill_make(zipf_spill *spill, double skew, double records)
{
    const double total = zipf_sum(skew, 1, VOCABULARY);

    memset(spill, 0, sizeof *spill);
    for (uint32_t first = 1; first <= VOCABULARY;) {
        uint32_t last = first < 100 ? first : first + first / 16;
        while (last < VOCABULARY && records * zipf_sum(skew, first, last) / total < 40)
            last += 1 + last / 16;
        last = last > VOCABULARY ? VOCABULARY : last;
        bool small = records * zipf_sum(skew, first, last) / total < 40;
        CHECK(spill->count < BINS_MAX);
        if (small && spill->count > 0) /* the end of all */
            spill->last[spill->count - 1] = last;
        else
            spill->last[spill->count++] = last;
        first = last + 1;
    }
}

static int count_words(void *host, const void *bytes, size_t count)
{
    zipf_spill *spill = host;
    const char *text = bytes;

    for (size_t i = 0; i < count; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            spill->rank = spill->rank * 10 + (uint32_t)(text[i] - '0');
        } else if (text[i] == '\n') {
            unsigned low = 0, high = spill->count - 1;
            CHECK(spill->rank >= 1 && spill->rank <= VOCABULARY);
            while (low < high) {
                unsigned middle = (low + high) / 2;
                if (spill->rank <= spill->last[middle])
                    high = middle;
                else
                    low = middle + 1;
            }
            spill->seen[low]++;
            spill->rank = 0;
        }
    }
    return 0;
}

static void draw_words(zipf_spill *spill, double skew, uint64_t records, uint64_t seed)
{
    const ink_sink       sink = {count_words, spill};
    const ink_generation generation = {
        .kind = "zipf", .records = records, .seed = seed, .skew = skew};
    ink_job job = {0};

    CHECK_OK(ink_generate(&generation, &sink, &job, &error));
}

/* The power is that of noticing an exponent that is off by `defect`. */
TEST(ranks_are_as_frequent_as_their_power)
{
    static const struct {
        double skew, defect;
    } skews[] = {{0.11, 0.015}, {0.5, 0.01}, {1, 0.005}, {1.1, 0.005},
                 {2, 0.02},     {4, 0.1},    {10, 0.6}};
    const size_t      records = trials_of(1000000);
    static zipf_spill spill;

    for (size_t i = 0; i < sizeof skews / sizeof skews[0]; i++) {
        const double skew = skews[i].skew, wrong = skew + skews[i].defect;
        const double total = zipf_sum(skew, 1, VOCABULARY);
        const double wrong_total = zipf_sum(wrong, 1, VOCABULARY);
        double       chi_square = 0, lambda = 0;
        uint32_t     first = 1;
        spill_make(&spill, skew, (double)records);
        if (spill.count == 1) /* with few records and a high skew nearly all are the first word */
            continue;
        draw_words(&spill, skew, records, i);
        for (unsigned partition = 0; partition < spill.count; first = spill.last[partition++] + 1) {
            double mean = (double)records * zipf_sum(skew, first, spill.last[partition]) / total;
            double off =
                (double)records * zipf_sum(wrong, first, spill.last[partition]) / wrong_total;
            chi_square += pow(spill.seen[partition] - mean, 2) / mean;
            lambda += pow(off - mean, 2) / mean;
        }
        row_chi_square("zipf: bins of ranks", spill.count - 1, chi_square, chi_square, 1, lambda);
    }
}

/* Ranks above 255 are drawn in ranges as if all were as frequent as the first, and some of them
 * have to be thrown away: one in 230, for a skew of 1.1. If they were not, there would be 1/230
 * more of them, less what the whole grows. */
TEST(rare_ranks_are_not_drawn_too_often)
{
    const size_t      records = trials_of((size_t)1 << 24);
    const double      total = zipf_sum(1.1, 1, VOCABULARY);
    const double      rare = zipf_sum(1.1, 256, VOCABULARY) / total;
    static zipf_spill spill;

    memset(&spill, 0, sizeof spill);
    spill.count = 2;
    spill.last[0] = 255;
    spill.last[1] = VOCABULARY;
    draw_words(&spill, 0, records, 11); /* 1.1 is the default */
    row_rate("zipf: ranks above 255", (double)records, (double)records * rare,
             (double)records * rare * (1 - rare), spill.seen[1], 1 + (1 - rare) / 230);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

TEST(what_does_not_go_together_is_refused)
{
    const ink_sink sink = {keep, NULL};
    static const struct {
        const char    *text;
        ink_generation generation;
        bool           sink;
    } wrong[] = {
        {"kind \"\", expected one of ip, names, imdb, zipf, u64, log", {.kind = NULL}, false},
        {"kind \"IP\", expected one of ip,", {.kind = "IP"}, false},
        {"789...\", expected one of ip, names, imdb, zipf, u64, log", {.kind = LONG_NAME}, false},
        {"1260816 records of imdb, expected 1260817", {.kind = "imdb", .records = 1260816}, false},
        {"skew 0.1, expected above 0.1, at most 10", {.kind = "zipf", .skew = 0.1}, false},
        {"skew 10.01, expected above", {.kind = "zipf", .skew = 10.01}, false},
        {"skew -1, expected above", {.kind = "zipf", .skew = -1}, false},
        {"skew nan, expected above", {.kind = "zipf", .skew = NAN}, false},
        {"skew inf, expected above", {.kind = "zipf", .skew = INFINITY}, false},
        {"skew 2 for ip, expected none", {.kind = "ip", .skew = 2}, false},
        {"skew 2 for names, expected none", {.kind = "names", .skew = 2}, false},
        {"skew 11, expected above", {.kind = "log", .skew = 11}, false},
        {"sample of 7 for log, expected none", {.kind = "log", .sample = 7}, true},
        {"sample of 7 for u64, expected none", {.kind = "u64", .sample = 7}, true},
        {"sample of 7 for zipf, expected none", {.kind = "zipf", .sample = 7}, true},
        {"sample of 6 from 5 records, expected at most",
         {.kind = "names", .records = 5, .sample = 6},
         true},
        {"sample of 1000001 from 1000000 records", {.kind = "names", .sample = 1000001}, true},
        {"sample of 5 without a sink", {.kind = "names", .sample = 5}, false},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink_generation generation = wrong[i].generation;
        ink_job        job = {.records = 77, .failed_path = "x"};
        generation.sample_sink = wrong[i].sink ? &sink : NULL;
        CHECK_FAILS(ink_generate(&generation, &sink, &job, &error), INK_USAGE, wrong[i].text);
        CHECK(job.records == 77 && job.failed_path == NULL && error.location == INK_NOWHERE);
        assert_int_equal(ink_generate(&generation, &sink, &job, NULL), INK_USAGE);
    }
}

TEST(the_numbers_at_the_edge_are_taken)
{
    static const ink_generation edges[] = {{.kind = "zipf", .records = 10, .skew = 0.1000001},
                                           {.kind = "zipf", .records = 10, .skew = 10},
                                           {.kind = "imdb", .records = TITLES}};

    for (int i = 0; i < 3; i++) {
        kept all = {.only_count = true};
        generate(&edges[i], &all);
    }
}

TEST(a_sink_that_fails_fails_the_job_with_its_errno)
{
    for (size_t i = 0; i < KINDS; i++)
        for (uint64_t nth = 1; nth <= 3; nth++) {
            const ink_generation generation = {.kind = kinds[i],
                                               .records = is_imdb(kinds[i]) ? 0 : 100000};
            owned_kept           all = {.only_count = true, .fail_at = nth, .os_error = ENOSPC};
            ink_job              job = {.records = 77};
            CHECK_FAILS(run(&generation, &all, &job), INK_IO, "writing records");
            assert_int_equal(error.os_error, ENOSPC);
            assert_int_equal(all.writes, nth); /* and nothing after it */
            assert_int_equal(job.records, 77);
        }
}

TEST(a_sink_of_a_sample_that_fails_fails_the_job_too)
{
    for (uint64_t nth = 1; nth <= 2; nth++) {
        owned_kept           all = {.only_count = true};
        owned_kept           some = {.only_count = true, .fail_at = nth, .os_error = EIO};
        const ink_sink       some_sink = {keep, &some};
        const ink_generation generation = {
            .kind = "names", .records = 10000, .sample = 3000, .sample_sink = &some_sink};
        ink_job job = {0};
        CHECK_FAILS(run(&generation, &all, &job), INK_IO, "writing records");
        assert_int_equal(error.os_error, EIO);
    }
}

typedef struct watch {
    uint64_t calls, stop_at, done, total;
    double   seconds;
} watch;

static bool look(void *host, const ink_progress *progress)
{
    watch *w = host;

    CHECK(progress->done >= w->done && progress->records == progress->done);
    CHECK(progress->seconds >= w->seconds);
    w->done = progress->done;
    w->total = progress->total;
    w->seconds = progress->seconds;
    return ++w->calls != w->stop_at;
}

TEST(progress_is_reported_every_256_kilobytes_up_to_the_end)
{
    for (size_t i = 0; i < KINDS; i++) {
        const uint64_t       records = is_imdb(kinds[i]) ? TITLES : 100000;
        const ink_generation generation = {.kind = kinds[i], .records = records};
        owned_kept           all = {0};
        watch                w = {0};
        ink_job              job = {.progress = look, .host = &w};
        CHECK_OK(run(&generation, &all, &job));
        CHECK(w.done == records && w.total == records && job.records == records);
        CHECK(all.largest <= 1 << 18 && w.calls >= all.text.count / all.largest);
    }
}

TEST(a_job_that_is_reported_to_stop_stops)
{
    for (size_t i = 0; i < KINDS; i++) {
        const ink_generation generation = {.kind = kinds[i]};
        owned_kept           all = {.only_count = true};
        watch                w = {.stop_at = 2};
        ink_job              job = {.progress = look, .host = &w, .records = 77};
        CHECK_FAILS(run(&generation, &all, &job), INK_STOPPED, "stopped after ");
        CHECK(w.calls == 2 && all.writes == 2 && job.records == 77);
    }
}

TEST(the_bytes_are_the_same_for_any_number_of_threads)
{
    static const unsigned threads[] = {2, 3, 7, 16, 64};

    for (size_t i = 0; i < KINDS; i++) {
        const bool           names = strcmp(kinds[i], "names") == 0;
        owned_kept           one = {0}, one_sample = {0};
        const ink_sink       one_sink = {keep, &one_sample};
        const ink_generation first = {.kind = kinds[i],
                                      .records = is_imdb(kinds[i]) ? 0 : 200001,
                                      .sample = names ? 5000 : 0,
                                      .sample_sink = &one_sink};
        ink_job              alone = {.threads = 1};
        CHECK_OK(run(&first, &one, &alone));
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            owned_kept     many = {0}, many_sample = {0};
            const ink_sink many_sink = {keep, &many_sample};
            ink_generation again = first;
            ink_job        job = {.threads = threads[t]};
            again.sample_sink = &many_sink;
            CHECK_OK(run(&again, &many, &job));
            assert_int_equal(many.text.count, one.text.count);
            assert_memory_equal(many.text.bytes, one.text.bytes, one.text.count);
            assert_int_equal(many_sample.text.count, one_sample.text.count);
            if (names)
                assert_memory_equal(many_sample.text.bytes, one_sample.text.bytes,
                                    one_sample.text.count);
        }
    }
}

TEST(every_refusal_of_memory_is_a_failure_and_nothing_leaks)
{
    for (size_t i = 0; i < KINDS; i++)
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            const ink_allocator  allocator = faults_allocator(&memory);
            const ink_generation generation = {.kind = kinds[i],
                                               .records = is_imdb(kinds[i]) ? 0 : 10};
            owned_kept           all = {.only_count = true};
            ink_job              job = {.allocator = &allocator};
            ink_status           status = run(&generation, &all, &job);
            if (memory.refused == 0)
                CHECK(status == INK_OK && memory.refuse_at > 1);
            else
                CHECK(status == INK_MEMORY && all.writes == 0);
        }
}

RUN_TESTS()
