/* filtering.c - the experiments of a lecture on filtering a stream (document 003): a whitelist, and
 * how many hash functions are useful. The rest of it stands in files of its own. */
#include "experiments/filtering_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far each part goes, of the whole experiment. */
static const double whitelist_from = 0, hashes_from = 0.08, union_from = 0.25, halving_from = 0.3,
                    counting_from = 0.4, distinct_from = 0.5;

/* ---- A whitelist -------------------------------------------------------------------------- */

/* Bits that each address on the list has in the filter. */
static const unsigned spaces[] = {4, 6, 8, 10, 12, 16};
enum { SPACES = sizeof spaces / sizeof *spaces };

typedef struct passing {
    uint64_t bits, members, passed; /* of the filter; of the list; of the stream */
    uint32_t hashes;
    double   wrong, textbook;
} passing;

static uint32_t best_hashes(unsigned bits_a_key)
{
    return (uint32_t)lround(bits_a_key * log(2));
}

static void report_whitelist(findings *all, const passing *found, uint64_t listed,
                             uint64_t non_members)
{
    double   more = spaces[SPACES - 1] - spaces[0]; /* bits */
    uint64_t denied = 0;

    found_table(all, "passing", "What passes a filter of the list");
    found_column(all, "bits an address", "", FOUND_GIVEN, 0);
    found_column(all, "hash functions", "", FOUND_GIVEN, 0);
    found_column(all, "memory", "kB", FOUND_HERE, 0);
    found_column(all, "pass: on the list", "", FOUND_HERE, 0);
    found_column(all, "pass: not on it", "", FOUND_HERE, 0);
    found_column(all, "wrongly", "% of non-members", FOUND_HERE, 3);
    found_column(all, "formula", "%", FOUND_THEORY, 3);
    for (size_t i = 0; i < SPACES; i++) {
        found_number(all, spaces[i]);
        found_number(all, found[i].hashes);
        found_number(all, (double)found[i].bits / 8e3);
        found_number(all, (double)found[i].members);
        found_number(all, (double)(found[i].passed - found[i].members));
        found_number(all, PER_CENT * found[i].wrong);
        found_number(all, PER_CENT * found[i].textbook);
        denied += listed - found[i].members;
    }
    found_text(
        all,
        "%s. Of the %llu mails of non-members %.2f %% pass with %u bits an address and %.3f %% "
        "with %u: each further bit lets %.0f %% fewer of them through.",
        denied == 0 ? "Everyone on the list passes, with every size, and that is certain"
                    : "Someone on the list was denied, which must never be",
        (number)non_members, PER_CENT * found[0].wrong, spaces[0],
        PER_CENT * found[SPACES - 1].wrong, spaces[SPACES - 1],
        PER_CENT * (1 - pow(found[SPACES - 1].wrong / found[0].wrong, 1 / more)));
}

static void measure_whitelist(lab *bench, const lab_data *mails, const lab_data *list,
                              passing found[SPACES])
{
    uint64_t listed = lab_lines(list), non_members = lab_lines(mails) - listed;

    for (size_t i = 0; i < SPACES; i++) {
        found[i].bits = spaces[i] * listed;
        found[i].hashes = best_hashes(spaces[i]);
        const ink_params params = {
            .kind = "classic", .bits = found[i].bits, .hashes = found[i].hashes};
        ink_sketch *filter = lab_build(bench, list, &params);
        found[i].members = lab_admitted(bench, filter, list);
        found[i].passed = lab_admitted(bench, filter, mails);
        found[i].wrong = (double)(found[i].passed - found[i].members) / (double)non_members;
        found[i].textbook = filtering_rate((double)found[i].bits, (double)listed, found[i].hashes);
        ink_sketch_free(filter);
    }
}

static void report_whitelist_commands(findings *all, uint64_t records, uint64_t listed)
{
    char   sizes[128];
    size_t used = 0;

    for (size_t i = 0; i < SPACES; i++)
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, " %ux%u", spaces[i],
                                 best_hashes(spaces[i]));
    found_command(all,
                  "ink gen names -n %llu --seed 3 --sample %llu --sample-out list.txt -o mails.txt",
                  (number)records, (number)listed);
    found_command(all, "sort list.txt > sorted.txt");
    found_command(all,
                  "for size in%s; do ink build classic --bits $((${size%%x*} * %llu)) --hashes "
                  "${size#*x} --force -o list.ink list.txt; ink filter --count list.ink list.txt; "
                  "ink filter list.ink mails.txt | sort | comm -23 - sorted.txt | wc -l; done",
                  sizes, (number)listed);
}

static void run_whitelist(lab *bench)
{
    uint64_t  records = lab_size(bench, 2000000, 200000), listed = records / 10;
    findings *all = bench->found;
    lab_data  list = {0}, mails = {0};
    passing   found[SPACES] = {0};

    found_part(all, "whitelist", "A stream, and a list of those who may pass");
    if (lab_step(bench, whitelist_from, "a whitelist"))
        mails = lab_generate_sample(bench, "names", records, 3, listed, &list);
    found_text(
        all,
        "The lecture begins with mail: it comes as a stream, and a server that has a list "
        "of good senders must decide at once, in little memory. A filter of the list says "
        "yes for certain to everyone on it, and rarely to someone else. Here are %llu "
        "mails, one a sender; %llu of the senders are on the list, which itself takes "
        "%.1f MB. The formula is the lecture\u2019s: with m keys in n bits and k hash functions "
        "a non-member passes with chance (1 \u2212 (1 \u2212 1/n)^km)^k.",
        (number)records, (number)listed, (double)list.count / 1e6);
    report_whitelist_commands(all, records, listed);
    if (bench->status == INK_OK)
        measure_whitelist(bench, &mails, &list, found);
    if (bench->status == INK_OK)
        report_whitelist(all, found, listed, records - listed);
    lab_data_free(&list);
    lab_data_free(&mails);
}

/* ---- How many hash functions -------------------------------------------------------------- */

enum { HASHES_MOST = 20 };

typedef struct rates {
    double measured[HASHES_MOST], current[HASHES_MOST], textbook[HASHES_MOST];
    double lecture; /* of the filter that the lecture asks about, with its best number */
} rates;

/* The lecture: m = 10^9 addresses in n = 8 x 10^9 bits. */
static const uint64_t lecture_keys = 1000000000;

static double plan_lecture(lab *bench)
{
    const ink_params params = {.kind = "classic",
                               .expected_keys = lecture_keys,
                               .bits = BITS_A_KEY * lecture_keys,
                               .hashes = best_hashes(BITS_A_KEY)};
    ink_description  d = {0};

    if (bench->status == INK_OK)
        lab_ok(bench, ink_plan(&params, &d, &bench->error));
    return d.promised_rate;
}

static void measure_rates(lab *bench, uint64_t keys, rates *found)
{
    lab_data learnt = lab_generate(bench, "names", keys, 1);
    lab_data others = lab_generate(bench, "names", keys, 2);

    for (uint32_t k = 1; k <= HASHES_MOST; k++) {
        const ink_params params = {.kind = "classic", .bits = BITS_A_KEY * keys, .hashes = k};
        double           share = hashes_from + (union_from - hashes_from) * k / HASHES_MOST;
        if (!lab_step(bench, share, "the number of hash functions"))
            break;
        ink_sketch *filter = lab_build(bench, &learnt, &params);
        found->measured[k - 1] = (double)lab_admitted(bench, filter, &others) / (double)keys;
        found->current[k - 1] = lab_rate(bench, filter);
        found->textbook[k - 1] = filtering_rate((double)params.bits, (double)keys, k);
        ink_sketch_free(filter);
    }
    lab_data_free(&learnt);
    lab_data_free(&others);
}

static void plot_rates(findings *all, const rates *found)
{
    found_plot(all, "curve", "Few hash functions test too little, many fill the filter");
    found_axis_x(all, "hash functions", "", false);
    found_axis_y(all, "false positives", "%", false);
    found_line(all, "measured", FOUND_HERE);
    for (unsigned k = 0; k < HASHES_MOST; k++)
        found_point(all, k + 1, PER_CENT * found->measured[k]);
    found_line(all, "textbook", FOUND_THEORY);
    for (unsigned k = 0; k < HASHES_MOST; k++)
        found_point(all, k + 1, PER_CENT * found->textbook[k]);
}

static void report_rates(findings *all, const rates *found)
{
    unsigned best = 0;

    found_table(all, "rates",
                "False positives over the number of hash functions, with 8 bits a key");
    found_column(all, "hash functions", "", FOUND_GIVEN, 0);
    found_column(all, "measured", "%", FOUND_HERE, 3);
    found_column(all, "from the bits", "%", FOUND_HERE, 3);
    found_column(all, "formula", "%", FOUND_THEORY, 3);
    for (unsigned k = 0; k < HASHES_MOST; k++) {
        found_number(all, k + 1);
        found_number(all, PER_CENT * found->measured[k]);
        found_number(all, PER_CENT * found->current[k]);
        found_number(all, PER_CENT * found->textbook[k]);
        best = found->measured[k] < found->measured[best] ? k : best;
    }
    plot_rates(all, found);
    found_text(
        all,
        "The least false positives, %.2f %%, come with %u hash functions; the formula has "
        "its minimum at 8 ln 2 = %.2f, where half of the bits are set. So the lecture\u2019s own "
        "filter, a billion addresses in one gigabyte, would let %.2f %% of non-members pass, as "
        "the last command says without making it.",
        PER_CENT * found->measured[best], best + 1, BITS_A_KEY * log(2), PER_CENT * found->lecture);
    found_compared(all, &(found_comparison){
                            .what = "Best number of hash functions with 8 bits a key",
                            .by = FOUND_THEORY,
                            .decimals = FOUND_SHORT,
                            .expected = BITS_A_KEY * log(2),
                            .here = best + 1,
                            .low = floor(BITS_A_KEY * log(2)),
                            .high = ceil(BITS_A_KEY * log(2)),
                            .why = "neighbouring numbers are as good, within chance",
                        });
}

static void run_hashes(lab *bench)
{
    uint64_t  keys = lab_size(bench, 1000000, 100000);
    findings *all = bench->found;
    rates     found = {0};

    found_part(all, "hashes", "How many hash functions are useful?");
    found_text(
        all,
        "The lecture filters a stream by a set of m = 10\u2079 addresses in n = 8\u00b710\u2079 "
        "bits and asks how many hash functions serve best. Here are %llu keys in 8 bits "
        "each, and as many non-members; the rate depends on n / m alone.",
        (number)keys);
    found_command(all, "ink gen names -n %llu --seed 1 -o keys.txt", (number)keys);
    found_command(all, "ink gen names -n %llu --seed 2 -o others.txt", (number)keys);
    found_command(
        all,
        "for k in $(seq %d); do ink build classic --bits %llu --hashes $k --force -o k.ink "
        "keys.txt; ink info k.ink; ink filter --count k.ink others.txt; done",
        HASHES_MOST, (number)(BITS_A_KEY * keys));
    found_command(all, "ink plan classic -n %llu --bits %llu --hashes %u", (number)lecture_keys,
                  (number)(BITS_A_KEY * lecture_keys), best_hashes(BITS_A_KEY));
    measure_rates(bench, keys, &found);
    found.lecture = plan_lecture(bench);
    if (bench->status == INK_OK)
        report_rates(all, &found);
}

static void run(lab *bench)
{
    run_whitelist(bench);
    run_hashes(bench);
    filtering_union(bench, union_from);
    filtering_halving(bench, halving_from);
    filtering_deletes(bench, counting_from);
    filtering_distinct(bench, distinct_from);
}

const experiment experiment_filtering = {
    .id = "003",
    .title = "Filtering a stream, and counting what is different",
    .source = "\u201cStreaming (2)\u201d, slides by Anthony Ventresque, Big Data Programming "
              "(COMP47470), School of Computer Science, UCD",
    .about =
        "A lecture: a whitelist of a billion addresses, how many hash functions are useful, union "
        "and halving of filters, deletes by counting, and Flajolet-Martin sketches. It gives "
        "formulas and no measurements.",
    .share = 20,
    .run = run,
};
