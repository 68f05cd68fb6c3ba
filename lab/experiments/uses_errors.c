/* uses_errors.c - how far the counts of a Count-Min sketch are off, against their bound, over its
 * widths and depths. */
#include "experiments/uses_parts.h"

#include <math.h>
#include <stdio.h>

static const uint64_t widths[] = {272, 2719, 27183};
enum { WIDTHS = sizeof widths / sizeof *widths, DEPTHS = 5 };

/* Of all different keys: */
typedef struct errors_of {
    double share;   /* those that are off by more than the bound */
    double largest; /* error, as a share of the sum of all counts */
} errors_of;

typedef struct errors {
    uint64_t  records, different;
    errors_of plain[WIDTHS][DEPTHS], conservative[WIDTHS];
    uint64_t  bytes[WIDTHS]; /* with all rows */
} errors;

static errors_of compare(lab *bench, const lab_data *words, const exact *truth,
                         const ink_params *params, uint64_t *bytes)
{
    ink_sketch  *sketch = lab_build(bench, words, params);
    const double total = (double)lab_lines(words), bound = exp(1) / (double)params->width;
    errors_of    made = {0};

    for (size_t i = 0; i < truth->count && bench->status == INK_OK; i++) {
        ink_answer   answer = count_of(bench, sketch, truth->entries[i].key);
        const double error = (answer.estimate - (double)truth->entries[i].count) / total;
        made.share += (error > bound) / (double)truth->count;
        made.largest = fmax(made.largest, error);
    }
    *bytes = lab_bytes(sketch);
    ink_sketch_free(sketch);
    return made;
}

static void measure(lab *bench, errors *found)
{
    lab_data words = lab_generate(bench, "zipf", found->records, 7);
    exact    truth = exact_of(bench, &words);

    found->different = truth.count;
    for (unsigned w = 0; w < WIDTHS; w++) {
        ink_params params = {.kind = "count-min", .width = widths[w]};
        if (!lab_step(bench, 0.65 + 0.15 * w / WIDTHS, "errors of counts"))
            break;
        for (params.depth = 1; params.depth <= DEPTHS; params.depth++)
            found->plain[w][params.depth - 1] =
                compare(bench, &words, &truth, &params, &found->bytes[w]);
        params.depth = DEPTHS;
        params.conservative = true;
        found->conservative[w] = compare(bench, &words, &truth, &params, &found->bytes[w]);
    }
    exact_free(&truth);
    lab_data_free(&words);
}

static void report_shares(findings *all, const errors *found)
{
    found_table(all, "shares", "Keys whose count is too high by more than (e / width) N");
    found_column(all, "rows", "", FOUND_GIVEN, 0);
    found_column(all, "at most e^(\u2212rows)", "%", FOUND_THEORY, FOUND_SHORT);
    for (unsigned w = 0; w < WIDTHS; w++) {
        char name[40];
        snprintf(name, sizeof name, "width %llu", (unsigned long long)widths[w]);
        found_column(all, name, "% of the keys", FOUND_HERE, FOUND_SHORT);
    }
    for (unsigned d = 0; d < DEPTHS; d++) {
        found_number(all, d + 1);
        found_number(all, 100 * exp(-(double)(d + 1)));
        for (unsigned w = 0; w < WIDTHS; w++)
            found_number(all, 100 * found->plain[w][d].share);
    }
}

static void report_plot(findings *all, const errors *found)
{
    found_plot(all, "rows", "The same as a plot; a share of 0 is not shown");
    found_axis_x(all, "rows", "", false);
    found_axis_y(all, "keys off by more", "%", true);
    found_line(all, "e^(\u2212rows)", FOUND_THEORY);
    for (unsigned d = 0; d < DEPTHS; d++)
        found_point(all, d + 1, 100 * exp(-(double)(d + 1)));
    for (unsigned w = 0; w < WIDTHS; w++) {
        char name[40];
        snprintf(name, sizeof name, "width %llu", (unsigned long long)widths[w]);
        found_line(all, name, FOUND_HERE);
        for (unsigned d = 0; d < DEPTHS; d++)
            found_point(all, d + 1, 100 * found->plain[w][d].share);
    }
}

static void report_largest(findings *all, const errors *found)
{
    found_table(all, "largest", "The largest error of any key, with 5 rows");
    found_column(all, "width", "", FOUND_GIVEN, 0);
    found_column(all, "size", "bytes", FOUND_HERE, 0);
    found_column(all, "bound e / width", "of N", FOUND_THEORY, FOUND_SHORT);
    found_column(all, "largest error", "of N", FOUND_HERE, FOUND_SHORT);
    found_column(all, "conservative", "of N", FOUND_HERE, FOUND_SHORT);
    for (unsigned w = 0; w < WIDTHS; w++) {
        found_number(all, (double)widths[w]);
        found_number(all, (double)found->bytes[w]);
        found_number(all, exp(1) / (double)widths[w]);
        found_number(all, found->plain[w][DEPTHS - 1].largest);
        found_number(all, found->conservative[w].largest);
    }
}

static void report_meaning(findings *all, const errors *found)
{
    bool     kept = true;
    unsigned worst_w = 0, worst_d = 0;
    double   worst = 0;

    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned d = 0; d < DEPTHS; d++) {
            double ratio = found->plain[w][d].share / exp(-(double)(d + 1));
            kept = kept && ratio <= 1;
            if (ratio > worst) {
                worst = ratio;
                worst_w = w;
                worst_d = d;
            }
        }
    found_compared(all, &(found_comparison){
                            .what = "Keys of a Count-Min whose error exceeds the bound",
                            .unit = "%",
                            .by = FOUND_GIVEN,
                            .decimals = FOUND_SHORT,
                            .expected = 100 * exp(-(double)(worst_d + 1)),
                            .here = 100 * found->plain[worst_w][worst_d].share,
                            .high = 100 * exp(-(double)(worst_d + 1)),
                            .why = "the bound must hold for all data",
                        });
    found_text(
        all,
        "%s It comes closest with width %llu and %u row%s, where %.2g %% of the keys are "
        "off by more and %.2g %% are allowed: it holds for all data, and where few keys are "
        "frequent, as here, few errors come near it. A conservative sketch raises only the "
        "counters "
        "that must rise; with %llu counters a row its largest error is %.2g times that of the "
        "plain one.",
        kept ? "The bound is kept everywhere." : "The bound is not kept everywhere.",
        (unsigned long long)widths[worst_w], worst_d + 1, worst_d == 0 ? "" : "s",
        100 * found->plain[worst_w][worst_d].share, 100 * exp(-(double)(worst_d + 1)),
        (unsigned long long)widths[WIDTHS - 1],
        found->conservative[WIDTHS - 1].largest / found->plain[WIDTHS - 1][DEPTHS - 1].largest);
}

static void report_commands(findings *all, const errors *found)
{
    found_command(all, "ink gen zipf -n %llu --seed 7 --force -o zipf.txt",
                  (unsigned long long)found->records);
    found_command(all, "awk '{n[$0]++} END {for (w in n) print n[w] \"\\t\" w}' zipf.txt > "
                       "exact.tsv; cut -f 2 exact.tsv > different.txt");
    found_command(all,
                  "cat > off.awk <<'end'\n"
                  "NR == FNR {n[$2] = $1; total += $1; next}\n"
                  "FNR > 1 {off = ($5 - n[$4]) / total; more += off > exp(1) / width; keys++}\n"
                  "off > largest {largest = off}\n"
                  "END {print 100 * more / keys, largest}\n"
                  "end");
    found_command(
        all,
        "for w in 272 2719 27183; do for d in $(seq %d); do\n"
        "  ink build count-min --width $w --depth $d --force -o c.ink zipf.txt\n"
        "  ink count --tsv c.ink different.txt | awk -F'\\t' -v width=$w -f off.awk exact.tsv -\n"
        "done; done",
        DEPTHS);
    found_command(
        all,
        "for w in 272 2719 27183; do\n"
        "  ink build count-min --width $w --depth %d --conservative --force -o c.ink zipf.txt\n"
        "  ink info --json c.ink\n"
        "  ink count --tsv c.ink different.txt | awk -F'\\t' -v width=$w -f off.awk exact.tsv -\n"
        "done",
        DEPTHS);
}

void uses_errors(lab *bench)
{
    findings *all = bench->found;
    errors    found = {.records = lab_size(bench, 1000000, 200000)};

    found_part(all, "errors", "How far off is a count?");
    found_text(all,
               "A Count-Min sketch has d rows of w counters. A key adds 1 to one counter of each "
               "row; the smallest of its counters is never below its true count, and above it by "
               "more than (e / w) N, with N the sum of all counts, with a chance of at most "
               "e^(\u2212d). Here are %llu words of which a few are frequent and most are rare; "
               "every different one is asked for.",
               (unsigned long long)found.records);
    report_commands(all, &found);
    measure(bench, &found);
    if (bench->status != INK_OK)
        return;
    report_shares(all, &found);
    report_plot(all, &found);
    report_largest(all, &found);
    report_meaning(all, &found);
}
