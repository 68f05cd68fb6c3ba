/* filtering_distinct.c - how many different elements a stream has (document 003): Flajolet-Martin
 * sketches in a groups of b, with the lecture's estimator, which comes out too high, and with one
 * that does not, beside an hll of about as many bytes. */
#include "experiments/filtering_parts.h"

#include <math.h>
#include <stdio.h>

enum { GROUPS = 9, WIDTH = 16 }; /* of the sketch that is looked at most, the default of ink */

/* True numbers of different elements. */
static const uint64_t truths[] = {1000, 10000, 100000, 1000000, 10000000};
enum { TRUTHS = sizeof truths / sizeof *truths };

/* a x b: groups, and sketches in each. */
static const struct shape {
    uint32_t groups;
    uint64_t width;
} shapes[] = {{1, 1}, {1, 16}, {9, 1}, {9, 4}, {GROUPS, WIDTH}, {9, 64}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* What a sketch says, as a share of the truth. */
typedef struct estimates {
    double lecture, ours, hll;
} estimates;

/* How many true numbers are tried: a quick run leaves the largest out. */
static size_t tried(const lab *bench)
{
    return (size_t)lab_size(bench, TRUTHS, TRUTHS - 1);
}

static double ask(lab *bench, const ink_sketch *sketch, ink_estimator estimator, double truth)
{
    ink_answer answer = {0};

    if (bench->status == INK_OK && sketch != NULL)
        lab_ok(bench, ink_sketch_distinct_by(sketch, estimator, 0, &answer, &bench->error));
    return answer.estimate / truth;
}

static ink_params fm_of(uint32_t groups, uint64_t width, uint64_t seed)
{
    return (ink_params){
        .kind = "fm", .depth = groups, .width = width, .seed = seed, .has_seed = seed != 0};
}

static ink_params hll_of(uint32_t precision, uint64_t seed)
{
    return (ink_params){.kind = "hll", .precision = precision, .seed = seed, .has_seed = seed != 0};
}

static ink_description plan(lab *bench, const ink_params *params)
{
    ink_description d = {0};

    if (bench->status == INK_OK)
        lab_ok(bench, ink_plan(params, &d, &bench->error));
    return d;
}

/* The largest hll that takes no more bytes than this fm; the smallest there is, if none does. */
static uint32_t hll_beside(lab *bench, uint32_t groups, uint64_t width)
{
    const ink_params fm = fm_of(groups, width, 0);
    uint64_t         room = plan(bench, &fm).bytes;
    uint32_t         precision = 4;

    while (precision < 18 && bench->status == INK_OK) {
        const ink_params next = hll_of(precision + 1, 0);
        if (plan(bench, &next).bytes_max > room)
            break;
        precision++;
    }
    return precision;
}

static estimates estimate(lab *bench, const lab_data *lines, double truth, const ink_params *fm,
                          const ink_params *hll)
{
    ink_sketch *sketch = lab_build(bench, lines, fm), *beside = lab_build(bench, lines, hll);
    estimates   made = {
          .lecture = ask(bench, sketch, INK_ESTIMATOR_MEAN_OF_POWERS, truth),
          .ours = ask(bench, sketch, INK_ESTIMATOR_UNLIMITED, truth),
          .hll = ask(bench, beside, INK_ESTIMATOR_UNLIMITED, truth),
    };

    ink_sketch_free(sketch);
    ink_sketch_free(beside);
    return made;
}

/* As `seq COUNT` writes them: certainly different. */
static lab_data make_numbers(lab *bench, uint64_t count)
{
    lab_data made = {0};

    for (uint64_t i = 1; i <= count && bench->status == INK_OK; i++)
        lab_add_line(bench, &made, "%llu", (number)i);
    return made;
}

/* ---- Over a x b --------------------------------------------------------------------------- */

typedef estimates over_shapes[SHAPES][TRUTHS];

static void measure_shapes(lab *bench, const lab_data *numbers, double from, double until,
                           over_shapes found)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const struct shape *shape = &shapes[i];
        const ink_params    fm = fm_of(shape->groups, shape->width, 0);
        const ink_params    hll = hll_of(hll_beside(bench, shape->groups, shape->width), 0);
        for (size_t j = 0; j < tried(bench); j++) {
            double share = (double)(i * TRUTHS + j) / (SHAPES * TRUTHS);
            if (!lab_step(bench, from + (until - from) * share,
                          "different elements, over a \u00d7 b"))
                return;
            lab_data lines = lab_head(numbers, truths[j]);
            found[i][j] = estimate(bench, &lines, (double)truths[j], &fm, &hll);
        }
    }
}

static void report_shapes_commands(lab *bench)
{
    findings *all = bench->found;
    char      counts[128], sizes[128];
    size_t    used = 0;

    for (size_t j = 0; j < tried(bench); j++)
        used += (size_t)snprintf(counts + used, sizeof counts - used, " %llu", (number)truths[j]);
    used = 0;
    for (size_t i = 0; i < SHAPES; i++)
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, " %ux%llux%u", shapes[i].groups,
                                 (number)shapes[i].width,
                                 hll_beside(bench, shapes[i].groups, shapes[i].width));
    found_command(all, "seq %llu > numbers.txt", (number)truths[tried(bench) - 1]);
    found_command(
        all,
        "for size in%s; do for n in%s; do head -n $n numbers.txt > some.txt; "
        "b=${size#*x}; ink build fm,hll --depth ${size%%%%x*} --width ${b%%x*} --precision "
        "${b#*x} --force -o both.ink some.txt; ink info both.ink; ink distinct --kind fm "
        "--estimator seed both.ink; for kind in fm hll; do ink distinct --kind $kind --estimator "
        "unlimited both.ink; done; done; done",
        sizes, counts);
}

static void report_shapes_table(lab *bench, over_shapes found)
{
    findings *all = bench->found;

    found_table(all, "estimates", "Estimates of one run each, and what they are of the truth");
    found_column(all, "a \u00d7 b", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "memory", "bytes", FOUND_HERE, 0);
    found_column(all, "truth", "", FOUND_GIVEN, 0);
    found_column(all, "lecture\u2019s", "", FOUND_HERE, 0);
    found_column(all, "lecture\u2019s / truth", "", FOUND_HERE, 2);
    found_column(all, "ours", "", FOUND_HERE, 0);
    found_column(all, "ours / truth", "", FOUND_HERE, 2);
    found_column(all, "`hll`: memory", "bytes", FOUND_HERE, 0);
    found_column(all, "`hll`", "", FOUND_HERE, 0);
    found_column(all, "`hll` / truth", "", FOUND_HERE, 2);
    for (size_t i = 0; i < SHAPES; i++) {
        const ink_params fm = fm_of(shapes[i].groups, shapes[i].width, 0);
        const ink_params hll = hll_of(hll_beside(bench, shapes[i].groups, shapes[i].width), 0);
        for (size_t j = 0; j < tried(bench); j++) {
            double truth = (double)truths[j];
            found_word(all, "%u \u00d7 %llu", shapes[i].groups, (number)shapes[i].width);
            found_number(all, (double)plan(bench, &fm).bytes);
            found_number(all, truth);
            found_number(all, truth * found[i][j].lecture);
            found_number(all, found[i][j].lecture);
            found_number(all, truth * found[i][j].ours);
            found_number(all, found[i][j].ours);
            found_number(all, (double)plan(bench, &hll).bytes_max);
            found_number(all, truth * found[i][j].hll);
            found_number(all, found[i][j].hll);
        }
    }
}

static void plot_shapes(lab *bench, over_shapes found)
{
    findings *all = bench->found;
    char      name[64];

    found_plot(all, "ratio", "Estimate / truth over the true number: 1 is right");
    found_axis_x(all, "different elements", "", true);
    found_axis_y(all, "estimate / truth", "", true);
    for (size_t i = 0; i < SHAPES; i++) {
        if (shapes[i].groups != GROUPS || shapes[i].width == 1)
            continue;
        snprintf(name, sizeof name, "lecture\u2019s, %u \u00d7 %llu", shapes[i].groups,
                 (number)shapes[i].width);
        found_line(all, name, FOUND_HERE);
        for (size_t j = 0; j < tried(bench); j++)
            found_point(all, (double)truths[j], found[i][j].lecture);
    }
    for (size_t i = 0; i < SHAPES; i++) {
        if (shapes[i].groups != GROUPS || shapes[i].width != WIDTH)
            continue;
        snprintf(name, sizeof name, "ours, %d \u00d7 %d", GROUPS, WIDTH);
        found_line(all, name, FOUND_HERE);
        for (size_t j = 0; j < tried(bench); j++)
            found_point(all, (double)truths[j], found[i][j].ours);
        found_line(all, "hll, about as large", FOUND_HERE);
        for (size_t j = 0; j < tried(bench); j++)
            found_point(all, (double)truths[j], found[i][j].hll);
    }
}

static bool is_power_of_two(double number_reported)
{
    int exponent;

    return frexp(number_reported, &exponent) == 0.5;
}

static void report_shapes(lab *bench, over_shapes found)
{
    size_t high = 0, several = 0, powers = 0, single = 0;

    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < tried(bench); j++) {
            bool alone = shapes[i].width == 1;
            single += alone;
            powers += alone && is_power_of_two((double)truths[j] * found[i][j].lecture);
            several += !alone;
            high += !alone && found[i][j].lecture > 1;
        }
    report_shapes_table(bench, found);
    plot_shapes(bench, found);
    found_text(bench->found,
               "With b = 1 there is no mean, and %zu of %zu estimates are a power of two, as the "
               "lecture says of a median. With a mean of several %zu of %zu are above the truth.",
               powers, single, high, several);
}

static void run_shapes(lab *bench, const lab_data *numbers, double from, double until)
{
    findings   *all = bench->found;
    over_shapes found = {{{0}}};

    found_part(all, "distinct", "How many different elements?");
    found_text(
        all,
        "A Flajolet-Martin sketch remembers one number of a stream: K, the most zeros that a "
        "hash of an element ended in. Half of all hashes end in a zero, a quarter in two, "
        "and so on: with many different elements a large K is likely, and 2^K is an "
        "estimate of their number; repeated elements change nothing. One sketch is a lottery "
        "ticket, so the lecture takes a \u00d7 b of them, with hash functions of their own: "
        "the mean of 2^K in each of a groups of b, and the median of these means. It warns "
        "that outliers make a mean too high. They do; `ink distinct` takes 2 to the mean of K "
        "instead, corrected for what that is on average, unless `--estimator seed` asks for "
        "the lecture\u2019s. Beside each stands an `hll` sketch with at most as many bytes (12 at "
        "least), which keeps the same K in a cleverer way.");
    report_shapes_commands(bench);
    measure_shapes(bench, numbers, from, until, found);
    if (bench->status == INK_OK)
        report_shapes(bench, found);
}

/* ---- Over many hash seeds ----------------------------------------------------------------- */

/* The mean, and the root of the mean square error, over several seeds. */
typedef struct over_seeds {
    estimates mean, error;
} over_seeds;

static double root_mean(double sum, uint64_t count)
{
    return sqrt(sum / (double)count);
}

static over_seeds repeat(lab *bench, const lab_data *lines, double truth, uint64_t width,
                         uint64_t seeds)
{
    uint32_t   precision = hll_beside(bench, GROUPS, width);
    over_seeds made = {0};

    for (uint64_t seed = 1; seed <= seeds && bench->status == INK_OK; seed++) {
        const ink_params fm = fm_of(GROUPS, width, seed), hll = hll_of(precision, seed);
        estimates        one = estimate(bench, lines, truth, &fm, &hll);
        made.mean.lecture += one.lecture / (double)seeds;
        made.mean.ours += one.ours / (double)seeds;
        made.mean.hll += one.hll / (double)seeds;
        made.error.lecture += pow(one.lecture - 1, 2);
        made.error.ours += pow(one.ours - 1, 2);
        made.error.hll += pow(one.hll - 1, 2);
    }
    made.error.lecture = root_mean(made.error.lecture, seeds);
    made.error.ours = root_mean(made.error.ours, seeds);
    made.error.hll = root_mean(made.error.hll, seeds);
    return made;
}

static const uint64_t widths[] = {1, 4, 16, 64, 256};
enum { WIDTHS = sizeof widths / sizeof *widths };

static void report_bias(findings *all, const over_seeds found[WIDTHS])
{
    bool grows = true;

    found_table(all, "bias", "The mean of estimate / truth");
    found_column(all, "a \u00d7 b", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "lecture\u2019s", "", FOUND_HERE, 2);
    found_column(all, "ours", "", FOUND_HERE, 3);
    found_column(all, "`hll`, about as large", "", FOUND_HERE, 3);
    for (size_t i = 0; i < WIDTHS; i++) {
        found_word(all, "%d \u00d7 %llu", GROUPS, (number)widths[i]);
        found_number(all, found[i].mean.lecture);
        found_number(all, found[i].mean.ours);
        found_number(all, found[i].mean.hll);
        grows = grows && (i == 0 || found[i].mean.lecture > found[i - 1].mean.lecture);
    }
    found_plot(all, "bias", "Estimate / truth, on average, over the size of a group");
    found_axis_x(all, "b, sketches in a group", "", true);
    found_axis_y(all, "mean of estimate / truth", "", false);
    found_line(all, "lecture\u2019s", FOUND_HERE);
    for (size_t i = 0; i < WIDTHS; i++)
        found_point(all, (double)widths[i], found[i].mean.lecture);
    found_line(all, "ours", FOUND_HERE);
    for (size_t i = 0; i < WIDTHS; i++)
        found_point(all, (double)widths[i], found[i].mean.ours);
    found_text(
        all,
        "The lecture\u2019s estimate is %.1f times the truth with groups of %llu and %.1f times "
        "with groups of %llu; %s. The reason: 2^K has no mean. It is 2^r with a chance of "
        "about truth / 2^r for every 2^r above the truth, so that each r adds as much to the mean "
        "as any other, and the more sketches are averaged, the larger are those that occur. Ours "
        "is %.2f and %.2f times the truth.",
        found[0].mean.lecture, (number)widths[0], found[WIDTHS - 1].mean.lecture,
        (number)widths[WIDTHS - 1],
        grows ? "more sketches in a group make it worse, at each step"
              : "more sketches in a group do not make it better",
        found[0].mean.ours, found[WIDTHS - 1].mean.ours);
    const found_comparison estimators[] = {
        {.what = "Distinct keys by the lecture\u2019s estimator, 9 \u00d7 256, of the truth",
         .here = found[WIDTHS - 1].mean.lecture,
         .why = "2^K has no mean: the more sketches are averaged, the larger are those that occur"},
        {.what = "Distinct keys by ours, from the same sketches, of the truth",
         .here = found[WIDTHS - 1].mean.ours,
         .why = "the estimator has a bias"},
    };
    for (size_t i = 0; i < 2; i++) {
        found_comparison one = estimators[i];
        one.by = FOUND_THEORY;
        one.decimals = 2;
        one.expected = 1;
        one.low = 0.9;
        one.high = 1.1;
        found_compared(all, &one);
    }
}

static void report_bias_commands(lab *bench, uint64_t truth, uint64_t seeds)
{
    char   sizes[128];
    size_t used = 0;

    for (size_t i = 0; i < WIDTHS; i++)
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, " %llux%u", (number)widths[i],
                                 hll_beside(bench, GROUPS, widths[i]));
    found_command(bench->found, "seq %llu > few.txt", (number)truth);
    found_command(
        bench->found,
        "for size in%s; do\n"
        "  for seed in $(seq %llu); do\n"
        "    ink build fm,hll --depth %d --width ${size%%x*} --precision ${size#*x} "
        "--seed $seed --force -q -o both.ink few.txt\n"
        "    echo $(ink distinct --kind fm --estimator seed both.ink) "
        "$(for kind in fm hll; do ink distinct --kind $kind --estimator unlimited both.ink; "
        "done)\n"
        "  done | awk -v n=%llu '{a += $1 / n; b += $2 / n; c += $3 / n}\n"
        "    END {print a / NR, b / NR, c / NR}'\n"
        "done",
        sizes, (number)seeds, GROUPS, (number)truth);
}

static void run_bias(lab *bench, const lab_data *numbers, double from, double until)
{
    uint64_t   truth = lab_size(bench, 10000, 1000), seeds = 100;
    findings  *all = bench->found;
    lab_data   lines = lab_head(numbers, truth);
    over_seeds found[WIDTHS] = {0};

    found_part(all, "bias", "Why the mean of 2^K is too high");
    found_text(all,
               "The numbers above are one throw of the dice each. Here the same %llu elements are "
               "counted with %llu different hash seeds, in %d groups of b.",
               (number)truth, (number)seeds, GROUPS);
    report_bias_commands(bench, truth, seeds);
    for (size_t i = 0; i < WIDTHS; i++)
        if (lab_step(bench, from + (until - from) * (double)i / WIDTHS, "why the mean is too high"))
            found[i] = repeat(bench, &lines, (double)truth, widths[i], seeds);
    if (bench->status == INK_OK)
        report_bias(all, found);
}

/* ---- The error over the true number ------------------------------------------------------- */

static void plot_errors(lab *bench, const over_seeds found[TRUTHS], double fm_error,
                        double hll_error)
{
    findings *all = bench->found;
    size_t    count = tried(bench);

    found_plot(all, "error", "Relative error over the true number");
    found_axis_x(all, "different elements", "", true);
    found_axis_y(all, "relative error", "%", true);
    found_line(all, "lecture\u2019s", FOUND_HERE);
    for (size_t j = 0; j < count; j++)
        found_point(all, (double)truths[j], PER_CENT * found[j].error.lecture);
    found_line(all, "ours", FOUND_HERE);
    for (size_t j = 0; j < count; j++)
        found_point(all, (double)truths[j], PER_CENT * found[j].error.ours);
    found_line(all, "hll, about as large", FOUND_HERE);
    for (size_t j = 0; j < count; j++)
        found_point(all, (double)truths[j], PER_CENT * found[j].error.hll);
    found_line(all, "ours, expected", FOUND_THEORY);
    found_point(all, (double)truths[0], PER_CENT * fm_error);
    found_point(all, (double)truths[count - 1], PER_CENT * fm_error);
    found_line(all, "hll, expected", FOUND_THEORY);
    found_point(all, (double)truths[0], PER_CENT * hll_error);
    found_point(all, (double)truths[count - 1], PER_CENT * hll_error);
}

static void report_errors(lab *bench, const over_seeds found[TRUTHS], uint64_t seeds)
{
    findings        *all = bench->found;
    const ink_params fm = fm_of(GROUPS, WIDTH, 0),
                     hll = hll_of(hll_beside(bench, GROUPS, WIDTH), 0);
    ink_description of_fm = plan(bench, &fm), of_hll = plan(bench, &hll);
    double          lecture = 0, ours = 0;

    found_table(all, "error", "Relative error: the root of its mean square");
    found_column(all, "truth", "", FOUND_GIVEN, 0);
    found_column(all, "lecture\u2019s", "%", FOUND_HERE, 1);
    found_column(all, "ours", "%", FOUND_HERE, 1);
    found_column(all, "ours, expected", "%", FOUND_THEORY, 1);
    found_column(all, "`hll`, about as large", "%", FOUND_HERE, 1);
    found_column(all, "`hll`, expected", "%", FOUND_THEORY, 1);
    for (size_t j = 0; j < tried(bench); j++) {
        found_number(all, (double)truths[j]);
        found_number(all, PER_CENT * found[j].error.lecture);
        found_number(all, PER_CENT * found[j].error.ours);
        found_number(all, PER_CENT * of_fm.standard_error);
        found_number(all, PER_CENT * found[j].error.hll);
        found_number(all, PER_CENT * of_hll.standard_error);
        lecture += found[j].error.lecture / (double)tried(bench);
        ours += found[j].error.ours / (double)tried(bench);
    }
    plot_errors(bench, found, of_fm.standard_error, of_hll.standard_error);
    found_text(
        all,
        "From the same %llu bytes the lecture\u2019s estimator errs by %.0f %% and ours by "
        "%.0f %% on average; an `hll` has %.0f %% to expect from %llu bytes. (Of %llu runs an "
        "error is itself known to about a fifth.) For new work take `hll`.",
        (number)of_fm.bytes, PER_CENT * lecture, PER_CENT * ours, PER_CENT * of_hll.standard_error,
        (number)of_hll.bytes_max, (number)seeds);
}

static void report_errors_commands(lab *bench, uint64_t seeds)
{
    char   counts[128];
    size_t used = 0;

    for (size_t j = 0; j < tried(bench); j++)
        used += (size_t)snprintf(counts + used, sizeof counts - used, " %llu", (number)truths[j]);
    found_command(bench->found, "seq %llu > numbers.txt", (number)truths[tried(bench) - 1]);
    found_command(
        bench->found,
        "for n in%s; do\n"
        "  head -n $n numbers.txt > some.txt\n"
        "  for seed in $(seq %llu); do\n"
        "    ink build fm,hll --depth %d --width %d --precision %u --seed $seed --force -q "
        "-o both.ink some.txt\n"
        "    echo $(ink distinct --kind fm --estimator seed both.ink) "
        "$(for kind in fm hll; do ink distinct --kind $kind --estimator unlimited both.ink; "
        "done)\n"
        "  done | awk -v n=$n '{for (i = 1; i <= 3; i++) sum[i] += ($i / n - 1) ^ 2}\n"
        "    END {for (i = 1; i <= 3; i++) print 100 * sqrt(sum[i] / NR)}'\n"
        "done",
        counts, (number)seeds, GROUPS, WIDTH, hll_beside(bench, GROUPS, WIDTH));
}

static void run_errors(lab *bench, const lab_data *numbers, double from, double until)
{
    const uint64_t seeds = 10;
    findings      *all = bench->found;
    over_seeds     found[TRUTHS] = {0};

    found_part(all, "error", "How far off, over the true number");
    found_text(all,
               "The error of %d \u00d7 %d sketches with both estimators, over %llu hash seeds for "
               "each true number.",
               GROUPS, WIDTH, (number)seeds);
    report_errors_commands(bench, seeds);
    for (size_t j = 0; j < tried(bench); j++) {
        double done = (double)truths[j] / (double)truths[tried(bench) - 1] / 10;
        if (!lab_step(bench, from + (until - from) * done, "errors over the true number"))
            return;
        lab_data lines = lab_head(numbers, truths[j]);
        found[j] = repeat(bench, &lines, (double)truths[j], WIDTH, seeds);
    }
    if (bench->status == INK_OK)
        report_errors(bench, found, seeds);
}

void filtering_distinct(lab *bench, double from)
{
    double   shapes_until = from + 0.4 * (1 - from), bias_until = from + 0.55 * (1 - from);
    lab_data numbers = {0};

    if (lab_step(bench, from, "different elements"))
        numbers = make_numbers(bench, truths[tried(bench) - 1]);
    if (bench->status == INK_OK)
        run_shapes(bench, &numbers, from, shapes_until);
    if (bench->status == INK_OK)
        run_bias(bench, &numbers, shapes_until, bias_until);
    if (bench->status == INK_OK)
        run_errors(bench, &numbers, bias_until, 1);
    lab_data_free(&numbers);
}
