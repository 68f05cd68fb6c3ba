/* uses_phrases.c - how often two or three words stand together (n-grams), counted in a Count-Min
 * sketch that is far smaller than the text, and how far rare and frequent phrases are off. */
#include "experiments/uses_parts.h"
#include "inkling_command.h"

#include <math.h>
#include <stdio.h>

/* The last slide: a corpus of 90 GB, counted in a sketch of 8 GB. */
static const double published_text = 90, published_sketch = 8;

enum { DEPTH = 3, COUNTER_BYTES = 4, SIZES = 3, CLASSES = 5, SIZE_STEP = 4 };
static const double skew = 1.3;

static const struct {
    const char *name;
    uint64_t    from;
} classes[CLASSES] = {
    {"1", 1}, {"2 to 9", 2}, {"10 to 99", 10}, {"100 to 999", 100}, {"1000 and more", 1000}};

/* The errors of one sketch, relative to the true counts. */
typedef struct errors_of {
    double by_class[CLASSES], mean;
    double right; /* share of the phrases whose count is exact */
} errors_of;

typedef struct phrases {
    uint64_t  words, text_bytes, phrases, different, table_bytes;
    uint64_t  in_class[CLASSES];
    uint64_t  widths[SIZES];
    errors_of plain[SIZES], conservative[SIZES];
} phrases;

static lab_data make_text(lab *bench, uint64_t words)
{
    const ink_generation what = {.kind = "zipf", .records = words, .seed = 9, .skew = skew};
    lab_data             text = {0};
    ink_sink             sink = lab_sink(&text);
    ink_job              job = {.threads = bench->threads};

    if (bench->status == INK_OK)
        lab_ok(bench, ink_generate(&what, &sink, &job, &bench->error));
    return text;
}

/* Two and three words that follow one another. */
static lab_data make_phrases(lab *bench, const lab_data *text)
{
    text_line before = {"", 0}, last = {"", 0}, word;
    lab_data  made = {0};
    uint64_t  number = 0;

    for (size_t at = 0; next_line(text, &at, &word); before = last, last = word) {
        if (++number > 1)
            lab_add_line(bench, &made, "%.*s %.*s", (int)last.bytes, last.text, (int)word.bytes,
                         word.text);
        if (number > 2)
            lab_add_line(bench, &made, "%.*s %.*s %.*s", (int)before.bytes, before.text,
                         (int)last.bytes, last.text, (int)word.bytes, word.text);
    }
    return made;
}

static unsigned class_of(uint64_t count)
{
    unsigned class = CLASSES - 1;

    while (classes[class].from > count)
        class --;
    return class;
}

static errors_of measure_one(lab *bench, const lab_data *lines, const exact *truth,
                             const phrases *found, const ink_params *params)
{
    ink_sketch *sketch = lab_build(bench, lines, params);
    errors_of   errors = {0};

    for (size_t i = 0; i < truth->count && bench->status == INK_OK; i++) {
        const double count = (double)truth->entries[i].count;
        const double error = count_of(bench, sketch, truth->entries[i].key).estimate - count;
        errors.by_class[class_of(truth->entries[i].count)] += error / count;
        errors.mean += error / count / (double)truth->count;
        errors.right += (error == 0) / (double)truth->count;
    }
    for (unsigned i = 0; i < CLASSES; i++)
        if (found->in_class[i] > 0)
            errors.by_class[i] /= (double)found->in_class[i];
    ink_sketch_free(sketch);
    return errors;
}

static void measure_all(lab *bench, const lab_data *lines, const exact *truth, phrases *found)
{
    for (unsigned i = 0; i < SIZES; i++) {
        ink_params params = {.kind = "count-min", .width = found->widths[i], .depth = DEPTH};
        if (!lab_step(bench, 0.9 + 0.1 * i / SIZES, "counts of phrases"))
            return;
        found->plain[i] = measure_one(bench, lines, truth, found, &params);
        params.conservative = true;
        found->conservative[i] = measure_one(bench, lines, truth, found, &params);
    }
}

static uint64_t sketch_bytes(const phrases *found, unsigned i)
{
    return found->widths[i] * DEPTH * COUNTER_BYTES;
}

static void report_sizes(findings *all, const phrases *found)
{
    found_table(all, "sizes", "A Count-Min sketch of all phrases");
    found_column(all, "size", "bytes", FOUND_HERE, 0);
    found_column(all, "of the text", "%", FOUND_HERE, 1);
    found_column(all, "published", "% of the text", FOUND_PUBLISHED, 1);
    found_column(all, "of an exact table", "%", FOUND_HERE, 1);
    found_column(all, "exact counts", "% of phrases", FOUND_HERE, 1);
    found_column(all, "exact, conservative", "% of phrases", FOUND_HERE, 1);
    for (unsigned i = 0; i < SIZES; i++) {
        found_number(all, (double)sketch_bytes(found, i));
        found_number(all, 100 * (double)sketch_bytes(found, i) / (double)found->text_bytes);
        if (i == 0)
            found_number(all, 100 * published_sketch / published_text);
        else
            found_nothing(all);
        found_number(all, 100 * (double)sketch_bytes(found, i) / (double)found->table_bytes);
        found_number(all, 100 * found->plain[i].right);
        found_number(all, 100 * found->conservative[i].right);
    }
}

static void report_classes(findings *all, const phrases *found)
{
    found_table(all, "classes", "Mean error by how often a phrase is there, at the published size");
    found_column(all, "true count", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "phrases", "", FOUND_HERE, 0);
    found_column(all, "too high by", "%", FOUND_HERE, FOUND_SHORT);
    found_column(all, "conservative", "%", FOUND_HERE, FOUND_SHORT);
    for (unsigned i = 0; i < CLASSES; i++) {
        found_word(all, "%s", classes[i].name);
        found_number(all, (double)found->in_class[i]);
        if (found->in_class[i] == 0) {
            found_nothing(all);
            found_nothing(all);
            continue;
        }
        found_number(all, 100 * found->plain[0].by_class[i]);
        found_number(all, 100 * found->conservative[0].by_class[i]);
    }
}

static void report_line(findings *all, const phrases *found, const char *name,
                        const errors_of *errors)
{
    found_line(all, name, FOUND_HERE);
    for (unsigned i = 0; i < CLASSES; i++)
        if (found->in_class[i] > 0)
            found_point(all, (double)classes[i].from, 100 * errors->by_class[i]);
}

static void report_meaning(findings *all, const phrases *found)
{
    char     larger[60];
    unsigned last = CLASSES - 1;

    while (last > 0 && found->in_class[last] == 0)
        last--;
    found_plot(all, "errors", "Mean error over the true count");
    found_axis_x(all, "true count, from", "", true);
    found_axis_y(all, "too high by", "%", true);
    report_line(all, found, "published size", &found->plain[0]);
    report_line(all, found, "published size, conservative", &found->conservative[0]);
    snprintf(larger, sizeof larger, "%.0f times that, conservative", pow(SIZE_STEP, SIZES - 1));
    report_line(all, found, larger, &found->conservative[SIZES - 1]);
    found_text(
        all,
        "%llu different phrases, %.0f %% of them met once, take %llu bytes in an exact "
        "table of text and counts without any pointer. In %.1f %% of that, counts of %s are "
        "too high by %.2g %% on average, conservative ones by %.2g %%; those of phrases met "
        "once are reported as %.1f and %.1f on average. An error does not grow with the count, so "
        "what is frequent is counted well, and what is rare needs a larger sketch. The words "
        "here are drawn independently of each other: real text repeats its phrases more "
        "often.",
        (unsigned long long)found->different,
        100 * (double)found->in_class[0] / (double)found->different,
        (unsigned long long)found->table_bytes,
        100 * (double)sketch_bytes(found, 0) / (double)found->table_bytes, classes[last].name,
        100 * found->plain[0].by_class[last], 100 * found->conservative[0].by_class[last],
        1 + found->plain[0].by_class[0], 1 + found->conservative[0].by_class[0]);
}

static void report_commands(findings *all, const phrases *found)
{
    found_command(all,
                  "ink gen zipf -n %llu --skew %g --seed 9 --force -o text.txt; wc -c text.txt",
                  (unsigned long long)found->words, skew);
    found_command(all, "awk 'NR > 1 {print b, $0} NR > 2 {print a, b, $0} {a = b; b = $0}' "
                       "text.txt > phrases.txt");
    found_command(
        all, "awk '{n[$0]++} END {for (p in n) print n[p] \"\\t\" p}' phrases.txt > phrases.tsv\n"
             "awk -F'\\t' '{b += length($2) + 4} END {print NR, b}' phrases.tsv");
    found_command(all, "cat > relative.awk <<'end'\n"
                       "NR == FNR {n[$2] = $1; next}\n"
                       "FNR > 1 {\n"
                       "  f = n[$4]; right += $5 == f; keys++\n"
                       "  digits = f == 1 ? 0 : f < 1000 ? length(f) : 4; error[digits] += $5 / f "
                       "- 1; of[digits]++\n"
                       "}\n"
                       "END {\n"
                       "  print 100 * right / keys\n"
                       "  for (d = 0; d <= 4; d++) if (of[d]) print of[d], 100 * error[d] / of[d]\n"
                       "}\n"
                       "end");
    found_command(
        all,
        "for w in %llu %llu %llu; do for how in '' --conservative; do\n"
        "  ink build count-min --width $w --depth %d $how --force -o phrases.ink phrases.txt\n"
        "  cut -f 2 phrases.tsv | ink count --tsv phrases.ink |\n"
        "    awk -F'\\t' -f relative.awk phrases.tsv -\n"
        "done; done",
        (unsigned long long)found->widths[0], (unsigned long long)found->widths[1],
        (unsigned long long)found->widths[2], DEPTH);
}

void uses_phrases(lab *bench)
{
    findings *all = bench->found;
    phrases   found = {.words = lab_size(bench, 500000, 100000)};

    if (!lab_step(bench, 0.88, "counts of phrases"))
        return;
    lab_data text = make_text(bench, found.words), lines = make_phrases(bench, &text);
    exact    truth = exact_of(bench, &lines);

    found.text_bytes = text.count;
    found.phrases = lab_lines(&lines);
    found.different = truth.count;
    found.table_bytes = exact_bytes(&truth);
    for (size_t i = 0; i < truth.count; i++)
        found.in_class[class_of(truth.entries[i].count)]++;
    for (unsigned i = 0; i < SIZES; i++)
        found.widths[i] = (uint64_t)(pow(SIZE_STEP, i) * published_sketch / published_text *
                                     (double)found.text_bytes / (DEPTH * COUNTER_BYTES));
    found_part(all, "phrases", "How often do words stand together?");
    found_text(all,
               "Language is modelled by how often two or three words follow one another. The "
               "lecture has a corpus of %.0f GB whose counts fit into a Count-Min sketch of "
               "%.0f GB. Here is a text of %llu made-up words with %llu such phrases, in sketches "
               "of %d rows: one as small beside its text as that one, and larger ones.",
               published_text, published_sketch, (unsigned long long)found.words,
               (unsigned long long)found.phrases, DEPTH);
    report_commands(all, &found);
    measure_all(bench, &lines, &truth, &found);
    if (bench->status == INK_OK) {
        report_sizes(all, &found);
        report_classes(all, &found);
        report_meaning(all, &found);
    }
    exact_free(&truth);
    lab_data_free(&lines);
    lab_data_free(&text);
}
