/* uses_space.c - what a filter costs: bits a key against the rate of false positives, beside what a
 * perfect hash table of fingerprints could do. */
#include "experiments/uses_parts.h"
#include "workbench/classic_rate.h"

#include <math.h>

/* Slide "False Positive Probability": the best rate is about 0.6185^(m/n). */
static const double published_base = 0.6185;

static const unsigned bits_a_key[] = {2, 4, 6, 8, 10, 12, 14, 16, 20};
enum { SIZES = sizeof bits_a_key / sizeof *bits_a_key };

typedef struct space {
    uint64_t keys, non_members;
    double   key_bits; /* of the keys themselves, on average */
    struct {
        uint32_t hashes; /* of the classic filter */
        double   classic, bloom;
    } sizes[SIZES];
} space;

/* The lowest rate that a perfect hash table can have with this number of bits a key: no function
 * that gives each key a place of its own takes less than log2 e bits a key, and the rest is a
 * fingerprint. */
static double perfect_rate(double bits)
{
    return fmin(1, exp2(log2(exp(1)) - bits));
}

static double rate_of(lab *bench, const lab_data *keys, const lab_data *non_members, uint64_t count,
                      const ink_params *params, uint32_t *hashes)
{
    ink_description d = {0};
    ink_sketch     *filter = lab_build(bench, keys, params);
    double          rate = (double)lab_admitted(bench, filter, non_members) / (double)count;

    if (filter != NULL)
        ink_sketch_describe(filter, &d);
    *hashes = d.hashes;
    ink_sketch_free(filter);
    return rate;
}

static void measure_space(lab *bench, space *found)
{
    lab_data keys = lab_generate(bench, "names", found->keys, 1);
    lab_data non_members = lab_generate(bench, "names", found->non_members, 2);
    uint32_t same;

    found->key_bits = 8 * ((double)keys.count / (double)found->keys - 1);
    for (unsigned i = 0; i < SIZES; i++) {
        ink_params params = {
            .kind = "classic", .bits = bits_a_key[i] * found->keys, .expected_keys = found->keys};
        if (!lab_step(bench, 0.25 * i / SIZES, "bits a key"))
            break;
        found->sizes[i].classic = rate_of(bench, &keys, &non_members, found->non_members, &params,
                                          &found->sizes[i].hashes);
        params.kind = "bloom";
        found->sizes[i].bloom =
            rate_of(bench, &keys, &non_members, found->non_members, &params, &same);
    }
    lab_data_free(&keys);
    lab_data_free(&non_members);
}

/* The formula with the whole number of hash functions that the classic filter has, and two standard
 * deviations of what this number of non-members measures. */
static double expected_rate(const space *found, unsigned i)
{
    return classic_rate((double)found->keys, bits_a_key[i] * (double)found->keys,
                        found->sizes[i].hashes);
}

static double by_chance(const space *found, unsigned i)
{
    return 2 * classic_scatter((double)found->keys, bits_a_key[i] * (double)found->keys,
                               found->sizes[i].hashes, (double)found->non_members);
}

static void report_space_table(findings *all, const space *found)
{
    found_table(all, "rates", "False positives over the bits a key");
    found_column(all, "bits a key", "", FOUND_GIVEN, 0);
    found_column(all, "hashes k of `classic`", "", FOUND_HERE, 0);
    found_column(all, "0.6185^(m/n)", "%", FOUND_PUBLISHED, FOUND_SHORT);
    found_column(all, "`classic`", "%", FOUND_HERE, FOUND_SHORT);
    found_column(all, "(1\u00a0\u2212\u00a0e^(\u2212kn/m))^k", "%", FOUND_THEORY, FOUND_SHORT);
    found_column(all, "\u00b1 by chance", "%", FOUND_THEORY, FOUND_SHORT);
    found_column(all, "`bloom`", "%", FOUND_HERE, FOUND_SHORT);
    found_column(all, "perfect hash table", "%, at best", FOUND_THEORY, FOUND_SHORT);
    for (unsigned i = 0; i < SIZES; i++) {
        found_number(all, bits_a_key[i]);
        found_number(all, found->sizes[i].hashes);
        found_number(all, 100 * pow(published_base, bits_a_key[i]));
        found_number(all, 100 * found->sizes[i].classic);
        found_number(all, 100 * expected_rate(found, i));
        found_number(all, 100 * by_chance(found, i));
        found_number(all, 100 * found->sizes[i].bloom);
        found_number(all, 100 * perfect_rate(bits_a_key[i]));
    }
}

static void report_space_plot(findings *all, const space *found)
{
    found_plot(all, "curve", "False positives over the bits a key, on a logarithmic scale");
    found_axis_x(all, "bits a key", "", false);
    found_axis_y(all, "false positives", "%", true);
    found_line(all, "classic", FOUND_HERE);
    for (unsigned i = 0; i < SIZES; i++)
        found_point(all, bits_a_key[i], 100 * found->sizes[i].classic);
    found_line(all, "bloom", FOUND_HERE);
    for (unsigned i = 0; i < SIZES; i++)
        found_point(all, bits_a_key[i], 100 * found->sizes[i].bloom);
    found_line(all, "0.6185^(m/n)", FOUND_PUBLISHED);
    for (unsigned i = 0; i < SIZES; i++)
        found_point(all, bits_a_key[i], 100 * pow(published_base, bits_a_key[i]));
    found_line(all, "perfect hash table", FOUND_THEORY);
    for (unsigned i = 0; i < SIZES; i++)
        found_point(all, bits_a_key[i], 100 * perfect_rate(bits_a_key[i]));
}

/* How many rates of the classic filter are as far from the formula as chance has it, or less; and
 * the largest distance of all. */
static unsigned count_within(const space *found, double *largest)
{
    unsigned within = 0;

    *largest = 0;
    for (unsigned i = 0; i < SIZES; i++) {
        double off = found->sizes[i].classic - expected_rate(found, i);
        within += fabs(off) <= by_chance(found, i);
        *largest = fmax(*largest, fabs(off) / expected_rate(found, i));
    }
    return within;
}

static void report_space_meaning(findings *all, const space *found)
{
    double   even = log2(exp(1)) / (1 + log2(published_base)); /* where both have one rate */
    double   largest;
    unsigned within = count_within(found, &largest);

    found_text(all,
               "%u of %d rates of `classic` are as near to the formula with their k as two "
               "standard deviations of chance (\u00b1), and none is off by more than %.1f %%; "
               "0.6185^(m/n) takes k for a number with decimals. `bloom` looks at one cache line "
               "for each key, and pays for its speed: with %u bits a key it lets %.1f times as "
               "many non-members pass, with %u bits %.1f times.",
               within, SIZES, 100 * largest, bits_a_key[4],
               found->sizes[4].bloom / found->sizes[4].classic, bits_a_key[SIZES - 1],
               found->sizes[SIZES - 1].bloom / found->sizes[SIZES - 1].classic);
    double published = 100 * pow(published_base, bits_a_key[3]);
    found_compared(all, &(found_comparison){
                            .what = "False positives with 8 bits a key",
                            .unit = "%",
                            .by = FOUND_PUBLISHED,
                            .decimals = 2,
                            .expected = published,
                            .here = 100 * found->sizes[3].classic,
                            .low = 0.95 * published,
                            .high = 1.05 * published,
                            .why = "0.6185^(m/n) takes k for a number with decimals",
                        });
    found_text(all,
               "A perfect hash table keeps a short fingerprint of each key in a place of its own. "
               "The function that finds the place takes %.2f bits a key at least; beyond %.1f bits "
               "a key such a table has fewer false positives than a Bloom filter. But it must know "
               "all keys before it is made, takes no further ones, and two of them cannot be "
               "merged. A table of the keys themselves, which are never wrong, takes %.0f bits a "
               "key here before any pointer.",
               log2(exp(1)), even, found->key_bits);
}

static void report_space_commands(findings *all, const space *found)
{
    found_command(all, "ink gen names -n %llu --seed 1 --force -o keys.txt",
                  (unsigned long long)found->keys);
    found_command(all, "ink gen names -n %llu --seed 2 --force -o others.txt",
                  (unsigned long long)found->non_members);
    found_command(all,
                  "for b in 2 4 6 8 10 12 14 16 20; do for kind in classic bloom; do\n"
                  "  ink build $kind --bits $((b * %llu)) -n %llu --force -o f.ink keys.txt\n"
                  "  ink filter --count f.ink others.txt\n"
                  "done; done",
                  (unsigned long long)found->keys, (unsigned long long)found->keys);
}

void uses_space(lab *bench)
{
    findings *all = bench->found;
    space     found = {.keys = lab_size(bench, 1 << 20, 1 << 17),
                       .non_members = lab_size(bench, 1 << 22, 1 << 21)};

    found_part(all, "space", "How many bits does a key take?");
    found_text(
        all,
        "A filter of m bits for n keys answers \u201cmay be there\u201d or \u201ccertainly "
        "not\u201d. The "
        "lecture derives its rate of false positives with k hash functions, (1 \u2212 "
        "e^(\u2212kn/m))^k, the best k = (m/n) ln 2, and with that k a rate of "
        "0.6185^(m/n). Here are %llu keys in filters of several sizes, and %llu non-members; "
        "k is the best whole number.",
        (unsigned long long)found.keys, (unsigned long long)found.non_members);
    report_space_commands(all, &found);
    measure_space(bench, &found);
    if (bench->status != INK_OK)
        return;
    report_space_table(all, &found);
    report_space_plot(all, &found);
    report_space_meaning(all, &found);
}
