/* ratings.c - the experiments of a project on Spark (document 001): a Bloom filter for each rating
 * of IMDb's titles, the false positives of each, and how long it takes. What is reported; how it is
 * measured stands in ratings_measure.c. */
#include "experiments/ratings_parts.h"
#include "workbench/classic_rate.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---- Published ---------------------------------------------------------------------------- */

/* "Dataset Analysis", the file, and the titles of each rating. */
static const double   published_lines = 1260818, published_megabytes = 21.8;
static const uint32_t published_titles[RATINGS] = {2484,   7699,   17035,  50907, 96854,
                                                   253265, 349453, 370225, 95158, 17737};

/* "Testing and Experimental results", the false positive rates. */
static const double published_rates[RATINGS][RATES] = {
    {0.0010, 0.0106, 0.0490, 0.0939}, {0.0010, 0.0102, 0.0478, 0.0911},
    {0.0010, 0.0099, 0.0486, 0.0915}, {0.0010, 0.0101, 0.0476, 0.0914},
    {0.0010, 0.0100, 0.0480, 0.0918}, {0.0010, 0.0099, 0.0479, 0.0917},
    {0.0010, 0.0097, 0.0479, 0.0910}, {0.0010, 0.0101, 0.0478, 0.0914},
    {0.0010, 0.0098, 0.0476, 0.0910}, {0.0010, 0.0097, 0.0484, 0.0920},
};
static const double published_digit = 1e-4; /* they are rounded to this */

/* By this number of executors; 0: it was not published. */
static double published_time(unsigned executors, size_t rate)
{
    return executors > EXECUTORS ? 0 : ratings_published_times[executors - 1][rate];
}

/* ---- Command lines ------------------------------------------------------------------------ */

static void report_data(findings *all)
{
    found_command(all, "ink gen imdb --force -o titles.tsv");
}

static void report_build(findings *all, const char *kind, const char *name, const char *command)
{
    found_command(all,
                  "for p in 0.001 0.01 0.05 0.1; do\n"
                  "  ink build %s -p $p --header --key tconst --by averageRating --round half-even "
                  "--force -o %s-$p.ink titles.tsv\n"
                  "  %s\ndone",
                  kind, name, command);
}

/* ---- Parameters (table 1) ----------------------------------------------------------------- */

static uint64_t all_titles(const rated *one)
{
    uint64_t titles = 0;

    for (size_t i = 0; i < RATINGS; i++)
        titles += one->of[i].titles;
    return titles;
}

static uint64_t all_bytes(const rated *one)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < RATINGS; i++)
        bytes += one->of[i].bytes;
    return bytes;
}

/* One number if all ratings have the same. */
static void report_hashes(findings *all, const rated *one)
{
    uint32_t least = one->of[0].hashes, most = one->of[0].hashes;

    for (size_t i = 1; i < RATINGS; i++) {
        least = one->of[i].hashes < least ? one->of[i].hashes : least;
        most = one->of[i].hashes > most ? one->of[i].hashes : most;
    }
    if (least == most)
        found_number(all, least);
    else
        found_word(all, "%u to %u", least, most);
}

static void report_dataset(findings *all, const ratings_found *found)
{
    found_table(all, "dataset", "The table of titles");
    found_column(all, "of the file", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "published", "", FOUND_PUBLISHED, FOUND_SHORT);
    found_column(all, "here", "", FOUND_HERE, FOUND_SHORT);
    found_word(all, "lines, its head included");
    found_number(all, published_lines);
    found_number(all, (double)found->file_lines);
    found_word(all, "size in MB");
    found_number(all, published_megabytes);
    found_number(all, (double)found->file_bytes / 1e6);
}

static void report_titles(findings *all, const ratings_found *found)
{
    found_table(all, "titles", "The titles n of each rating, and the bits m of its filter");
    found_column(all, "rating", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "n, published", "", FOUND_PUBLISHED, 0);
    found_column(all, "n, here", "", FOUND_HERE, 0);
    for (size_t rate = 0; rate < RATES; rate++) {
        char name[32];
        snprintf(name, sizeof name, "m at p = %g", ratings_asked[rate]);
        found_column(all, name, "", FOUND_HERE, 0);
    }
    double published = 0, bits[RATES] = {0};
    for (size_t i = 0; i < RATINGS; i++) {
        found_word(all, "%zu", i + 1);
        found_number(all, published_titles[i]);
        found_number(all, (double)found->textbook[RATINGS_USUAL].of[i].titles);
        published += published_titles[i];
        for (size_t rate = 0; rate < RATES; rate++) {
            found_number(all, (double)found->textbook[rate].of[i].bits);
            bits[rate] += (double)found->textbook[rate].of[i].bits;
        }
    }
    found_word(all, "all");
    found_number(all, published);
    found_number(all, (double)all_titles(&found->textbook[RATINGS_USUAL]));
    for (size_t rate = 0; rate < RATES; rate++)
        found_number(all, bits[rate]);
}

static void report_sizes(findings *all, const ratings_found *found)
{
    found_table(all, "sizes", "Hash functions, and the size of all ten filters");
    found_column(all, "p", "", FOUND_GIVEN, FOUND_SHORT);
    found_column(all, "k", "", FOUND_HERE, 0);
    found_column(all, "textbook: bits a title", "", FOUND_HERE, 2);
    found_column(all, "textbook: size", "kB", FOUND_HERE, 0);
    found_column(all, "bloom: bits a title", "", FOUND_HERE, 2);
    found_column(all, "bloom: size", "kB", FOUND_HERE, 0);
    for (size_t rate = 0; rate < RATES; rate++) {
        const rated *kinds[] = {&found->textbook[rate], &found->bloom[rate]};
        found_number(all, ratings_asked[rate]);
        report_hashes(all, kinds[0]);
        for (size_t i = 0; i < 2; i++) {
            found_number(all, 8 * (double)all_bytes(kinds[i]) / (double)all_titles(kinds[i]));
            found_number(all, (double)all_bytes(kinds[i]) / 1000);
        }
    }
}

static void report_parameters(findings *all, const ratings_found *found)
{
    found_part(all, "parameters", "Titles, bits and hash functions");
    found_text(
        all,
        "The project reads a table of IMDb with the average rating of each title, rounds ratings "
        "to whole numbers (a half to the even one), and makes a Bloom filter of the titles of "
        "each. "
        "It counts the titles n of a rating, and takes m = \u2212n ln p / (ln 2)\u00b2 bits and k "
        "= "
        "m/n \u00b7 ln 2 hash functions, both rounded. The table is not ours to give away: `ink "
        "gen "
        "imdb` makes one with as many titles of each rating, but other titles.");
    found_text(
        all,
        "\u201cTextbook\u201d is the published filter, bit for bit: k Murmur3 hashes with seeds "
        "from 0 on, modulo m, which is `classic --hash mmh3`. \u201cBloom\u201d is `bloom`, "
        "Inkling\u2019s own, which looks at one cache line for a title, and takes some more bits "
        "to "
        "keep p all the same.");
    report_data(all);
    found_command(all, "wc -lc titles.tsv");
    report_build(all, "classic --hash mmh3", "classic", "ink info classic-$p.ink");
    report_build(all, "bloom", "bloom", "ink info bloom-$p.ink");
    report_dataset(all, found);
    report_titles(all, found);
    report_sizes(all, found);
}

/* ---- False positives (table 2) ------------------------------------------------------------ */

static double rate_once(const rating_filter *filter)
{
    return (double)filter->false_positives / (double)filter->tested;
}

/* The document has false positives beside all other titles, not among them. */
static double as_published(double rate)
{
    return rate / (1 + rate);
}

static double textbook_rate(const rating_filter *filter)
{
    return classic_rate((double)filter->titles, (double)filter->bits, filter->hashes);
}

/* How far two such filters, of other titles each, are apart, counted as published; and the
 * published one is rounded. */
static double scatter_between(const rating_filter *filter)
{
    double rate = textbook_rate(filter);
    double one = classic_scatter((double)filter->titles, (double)filter->bits, filter->hashes,
                                 (double)filter->tested);
    double both = sqrt(2) * one / ((1 + rate) * (1 + rate));

    return sqrt(both * both + published_digit * published_digit / 12);
}

static void report_rate_columns(findings *all, double asked)
{
    char id[32], caption[64];

    snprintf(id, sizeof id, "rates-%g", asked);
    snprintf(caption, sizeof caption, "False positives, asked for: p = %g", asked);
    found_table(all, id, caption);
    found_column(all, "rating", "", FOUND_GIVEN, 0);
    found_column(all, "published", "", FOUND_PUBLISHED, 4);
    found_column(all, "textbook, counted as published", "", FOUND_HERE, 4);
    found_column(all, "textbook", "", FOUND_HERE, 5);
    found_column(all, "(1\u00a0\u2212\u00a0e^(\u2212kn/m))^k", "", FOUND_THEORY, 5);
    found_column(all, "bloom", "", FOUND_HERE, 5);
}

static void report_rates_at(findings *all, const ratings_found *found, size_t rate)
{
    report_rate_columns(all, ratings_asked[rate]);
    for (size_t i = 0; i < RATINGS; i++) {
        const rating_filter *textbook = &found->textbook[rate].of[i];
        found_number(all, (double)(i + 1));
        found_number(all, published_rates[i][rate]);
        found_number(all, as_published(rate_once(textbook)));
        found_number(all, rate_once(textbook));
        found_number(all, textbook_rate(textbook));
        found_number(all, rate_once(&found->bloom[rate].of[i]));
    }
}

static void report_rates_plot(findings *all, const ratings_found *found)
{
    const rated *textbook = &found->textbook[RATINGS_USUAL];

    found_plot(all, "curve", "False positives of each rating, p = 0.01");
    found_axis_x(all, "rating", "", false);
    found_axis_y(all, "false positives", "%", false);
    found_line(all, "textbook", FOUND_PUBLISHED);
    for (size_t i = 0; i < RATINGS; i++)
        found_point(all, (double)(i + 1), 100 * published_rates[i][RATINGS_USUAL]);
    found_line(all, "textbook, counted as published", FOUND_HERE);
    for (size_t i = 0; i < RATINGS; i++)
        found_point(all, (double)(i + 1), 100 * as_published(rate_once(&textbook->of[i])));
    found_line(all, "bloom", FOUND_HERE);
    for (size_t i = 0; i < RATINGS; i++)
        found_point(all, (double)(i + 1), 100 * rate_once(&found->bloom[RATINGS_USUAL].of[i]));
}

/* The mean of the published rates, and ours counted in two ways: the summary has both. */
static void compare_means(findings *all, double asked, double published, double counted,
                          double once, double scatter)
{
    char             what[2][96];
    found_comparison one = {
        .what = what[0],
        .by = FOUND_PUBLISHED,
        .decimals = 4,
        .expected = published,
        .here = counted,
        .low = published - 3 * scatter,
        .high = published + 3 * scatter,
        .why = "filters of other titles are not that far apart by chance",
    };

    snprintf(what[0], sizeof what[0], "Mean rate at p = %g, counted as published", asked);
    snprintf(what[1], sizeof what[1], "Mean rate at p = %g, of the non-members", asked);
    found_compared(all, &one);
    one.what = what[1];
    one.here = once;
    one.why = "the project divides false positives by themselves and all others, which makes the "
              "rate look lower";
    found_compared(all, &one);
}

/* How the published lines and ours agree, and what the largest p shows of the way to count. */
static void report_agreement(findings *all, const ratings_found *found)
{
    size_t within = 0, last = RATES - 1;
    double published = 0, counted = 0, once = 0, formula = 0, squares = 0;
    double expected = 0.9545 * RATINGS * RATES; /* within two standard deviations */

    for (size_t i = 0; i < RATINGS; i++) {
        const rating_filter *filter = &found->textbook[last].of[i];
        published += published_rates[i][last] / RATINGS;
        counted += as_published(rate_once(filter)) / RATINGS;
        once += rate_once(filter) / RATINGS;
        formula += textbook_rate(filter) / RATINGS;
        squares += pow(scatter_between(filter) / RATINGS, 2);
        for (size_t rate = 0; rate < RATES; rate++) {
            const rating_filter *one = &found->textbook[rate].of[i];
            double               off = as_published(rate_once(one)) - published_rates[i][rate];
            within += fabs(off) <= 2 * scatter_between(one);
        }
    }
    found_text(all,
               "%zu of %d published rates are within two standard deviations of ours: as far as "
               "filters of other titles, of the same number, are apart by chance (%.0f would be "
               "expected).",
               within, RATINGS * RATES, expected);
    found_compared(all, &(found_comparison){
                            .what = "Published rates within two standard deviations of ours",
                            .unit = "of 40",
                            .by = FOUND_THEORY,
                            .expected = expected,
                            .here = (double)within,
                            .low = expected - 3 * sqrt(expected * (1 - 0.9545)),
                            .high = RATINGS * RATES,
                            .why = "filters of other titles are not that far apart by chance",
                        });
    compare_means(all, ratings_asked[last], published, counted, once, sqrt(squares));
    found_text(
        all,
        "At p = %g the published rates are %.4f on average, ours %.4f if they are counted "
        "like that. Of the non-members that were asked for %.4f were admitted, and %.4f are to "
        "be expected with a whole number of hash functions: the filter is not better than "
        "asked for, it was counted so.",
        ratings_asked[last], published, counted, once, formula);
}

static void report_bloom(findings *all, const ratings_found *found)
{
    double least = INFINITY, most = 0;

    for (size_t rate = 0; rate < RATES; rate++)
        for (size_t i = 0; i < RATINGS; i++) {
            double share = rate_once(&found->bloom[rate].of[i]) / ratings_asked[rate];
            least = fmin(least, share);
            most = fmax(most, share);
        }
    found_text(
        all,
        "Inkling\u2019s `bloom` is planned so that filters keep p although they scatter: here "
        "they have %.2f to %.2f times p.",
        least, most);
}

static void report_rates(findings *all, const ratings_found *found)
{
    found_part(all, "rates", "False positives of each rating");
    found_text(all,
               "Every filter is asked for all titles of the other ratings; those that it "
               "admits are false positives. The project divides their number by itself plus "
               "the number of all other titles, in which they are already. So \u201ccounted as "
               "published\u201d is FP / (FP + other titles), to stand beside its figures, and "
               "the columns without these words have FP / other titles.");
    report_data(all);
    report_build(all, "classic --hash mmh3", "classic",
                 "ink verify classic-$p.ink --truth titles.tsv");
    report_build(all, "bloom", "bloom", "ink verify bloom-$p.ink --truth titles.tsv");
    for (size_t rate = 0; rate < RATES; rate++)
        report_rates_at(all, found, rate);
    report_rates_plot(all, found);
    report_agreement(all, found);
    report_bloom(all, found);
}

/* ---- Times (table 3) ---------------------------------------------------------------------- */

static void report_times_row(findings *all, const ratings_found *found, size_t rate, size_t row)
{
    const rated *textbook = &found->textbook[rate], *bloom = &found->bloom[rate];
    double       here = 1000 * ratings_seconds(textbook, row);
    double       published = published_time(found->threads[row], rate);

    found_number(all, ratings_asked[rate]);
    found_number(all, found->threads[row]);
    if (published > 0)
        found_number(all, published);
    else
        found_nothing(all);
    found_number(all, 1000 * textbook->build[row]);
    found_number(all, 1000 * textbook->verify[row]);
    found_number(all, here);
    found_number(all, 1000 * ratings_seconds(bloom, row));
    if (published > 0)
        found_number(all, published / here);
    else
        found_nothing(all);
}

static void report_times_table(findings *all, const ratings_found *found)
{
    found_table(all, "times", "Building and testing all ten filters");
    found_column(all, "p", "", FOUND_GIVEN, FOUND_SHORT);
    found_column(all, "executors, or threads", "", FOUND_GIVEN, 0);
    found_column(all, "published", "ms", FOUND_PUBLISHED, 0);
    found_column(all, "textbook: build", "ms", FOUND_HERE, 0);
    found_column(all, "textbook: verify", "ms", FOUND_HERE, 0);
    found_column(all, "textbook: both", "ms", FOUND_HERE, 0);
    found_column(all, "bloom: both", "ms", FOUND_HERE, 0);
    found_column(all, "published / textbook", "", FOUND_HERE, 0);
    for (size_t rate = 0; rate < RATES; rate++)
        for (size_t row = 0; row < found->rows; row++)
            report_times_row(all, found, rate, row);
}

static void report_times_line(findings *all, const char *name, const ratings_found *found,
                              const rated *one)
{
    found_line(all, name, FOUND_HERE);
    for (size_t row = 0; row < found->rows; row++)
        found_point(all, found->threads[row], 1000 * ratings_seconds(one, row));
}

static void report_times_plot(findings *all, const ratings_found *found)
{
    found_plot(all, "times-curve", "Building and testing at p = 0.01");
    found_axis_x(all, "executors, or threads", "", false);
    found_axis_y(all, "time", "ms", true);
    found_line(all, "Spark", FOUND_PUBLISHED);
    for (unsigned executors = 1; executors <= EXECUTORS; executors++)
        found_point(all, executors, published_time(executors, RATINGS_USUAL));
    report_times_line(all, "textbook", found, &found->textbook[RATINGS_USUAL]);
    report_times_line(all, "bloom", found, &found->bloom[RATINGS_USUAL]);
}

static void report_fastest(findings *all, const ratings_found *found)
{
    const rated *textbook = &found->textbook[RATINGS_USUAL], *bloom = &found->bloom[RATINGS_USUAL];
    size_t       row = ratings_fastest(found, textbook), quickest = ratings_fastest(found, bloom);
    unsigned     executors, cores = lab_cores();
    double       published = ratings_published_least(RATINGS_USUAL, &executors);
    double       here = 1000 * ratings_seconds(textbook, row);
    double       quick = 1000 * ratings_seconds(bloom, quickest);

    found_text(
        all,
        "At p = %g the project is fastest with %u executors, %.0f ms; here the textbook filters "
        "are fastest with %u thread%s on %u core%s, %.0f ms, and `bloom` takes %.0f ms at best. "
        "Fastest beside fastest, that is %.0f and %.0f times less.",
        ratings_asked[RATINGS_USUAL], executors, published, found->threads[row],
        found->threads[row] == 1 ? "" : "s", cores, cores == 1 ? "" : "s", here, quick,
        published / here, published / quick);
    found_compared(all, &(found_comparison){
                            .what = "Building and testing ten filters",
                            .unit = "ms",
                            .by = FOUND_PUBLISHED,
                            .expected = published,
                            .here = here,
                            .low = published / 2,
                            .high = published * 2,
                            .why = "the published time is that of Spark, Python and YARN on a "
                                   "virtual machine; here one process reads a file",
                        });
}

static void report_times_command(findings *all, const ratings_found *found, const char *kind)
{
    char   threads[64];
    size_t used = 0;

    for (size_t row = 0; row < found->rows; row++)
        used += (size_t)snprintf(threads + used, sizeof threads - used, " %u", found->threads[row]);
    found_command(all,
                  "for p in 0.001 0.01 0.05 0.1; do for t in%s; do\n"
                  "  echo p = $p, threads: $t\n"
                  "  time ink build %s -p $p --threads $t --header --key tconst --by averageRating "
                  "--round half-even --force -o r.ink titles.tsv\n"
                  "  time ink verify -q --threads $t r.ink --truth titles.tsv\n"
                  "done; done",
                  threads, kind);
}

static void report_times(lab *bench, const ratings_found *found)
{
    findings *all = bench->found;

    found_part(all, "times", "How long it takes");
    found_text(
        all,
        "The project has run on a virtual machine with 4 cores, under YARN, with 1 to 4 "
        "executors: from the table in HDFS to the rates, with filters written as text. Ours "
        "is one process with as many threads: it reads the table from a file, builds, "
        "writes the filters to a file, opens that, and asks for every title. The published "
        "times are those of Spark, Python and YARN as much as of filters: this compares two ways "
        "to do a job, not two filters.");
    if (bench->options->quick)
        found_text(all, "This was a quick run: each was run once, and not with every number of "
                        "threads that was published.");
    else
        found_text(all, "The least of %llu runs is shown.",
                   (unsigned long long)ratings_runs(bench));
    report_data(all);
    report_times_command(all, found, "classic --hash mmh3");
    report_times_command(all, found, "bloom");
    report_times_table(all, found);
    report_times_plot(all, found);
    report_fastest(all, found);
    ratings_on_clusters(bench, found);
}

/* ---- All of it ---------------------------------------------------------------------------- */

static void write_titles(lab *bench, ratings_found *found)
{
    lab_data titles = {0};

    if (lab_step(bench, 0, "titles and their ratings"))
        titles = lab_generate(bench, "imdb", 0, 0);
    found->file_bytes = titles.count;
    found->file_lines = lab_lines(&titles);
    lab_write_file(bench, found->file, &titles);
    lab_data_free(&titles);
}

static void run(lab *bench)
{
    char          folder[LAB_PATH];
    ratings_found found = {0};

    if (!lab_make_folder(bench, folder))
        return;
    snprintf(found.file, sizeof found.file, "%.480s/titles.tsv", folder);
    write_titles(bench, &found);
    ratings_measure(bench, folder, &found);
    if (bench->status == INK_OK) {
        report_parameters(bench->found, &found);
        report_rates(bench->found, &found);
        report_times(bench, &found);
    }
    unlink(found.file);
    rmdir(folder);
}

const experiment experiment_ratings = {
    .id = "001",
    .title = "A filter for each rating",
    .source =
        "\u201cBloom Filters in Spark project documentation\u201d, by Antonio Patimo, a course "
        "project in Cloud Computing, Master\u2019s Degree in Artificial Intelligence and Data "
        "Engineering, 2021/2022",
    .about = "A student\u2019s project: Bloom filters of IMDb\u2019s titles, one for each rating, "
             "built and tested by three MapReduce phases on Spark. It has published the number of "
             "titles, the false positives of each filter, and the times.",
    .share = 60,
    .run = run,
};
