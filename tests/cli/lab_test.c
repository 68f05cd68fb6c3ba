/* lab_test.c - parts of the lab by themselves: text and commands as HTML, the summary, plots, and
 * jobs on a cluster by commands that do what clusters may do. */
#include "command_lines.h"
#include "experiments/ratings_parts.h"
#include "lab.h"
#include "prose.h"
#include "support/check.h"
#include "svg_plot.h"
#include "workbench/workbench.h"

#include <math.h>
#include <stdio.h>

/* ---- Writing ------------------------------------------------------------------------------ */

typedef struct page {
    char   text[32768];
    size_t count;
} page;

static int take(void *host, const void *bytes, size_t count)
{
    page *all = host;

    assert_true(all->count + count < sizeof all->text);
    memcpy(all->text + all->count, bytes, count);
    all->count += count;
    return 0;
}

static page written(void (*write)(writer *to, const char *text), const char *text)
{
    page      made = {.count = 0};
    ink_sink  sink = {.write = take, .host = &made};
    writer    to = {.sink = &sink};
    ink_error error;

    write(&to, text);
    CHECK_OK(write_end(&to, &error));
    return made;
}

TEST(what_is_typed_and_powers_are_marked_and_large_numbers_grouped)
{
    static const char *const cases[][2] = {
        {"`ink fold -p 1` of a < b & \"c\"",
         "<code>ink fold -p 1</code> of a &lt; b &amp; &quot;c&quot;"},
        {"1260817 of 10000, 9999", "1\u202f260\u202f817 of 10\u202f000, 9999"},
        {"0.123456 and word12345 and 12345abc", "0.123456 and word12345 and 12345abc"},
        {"2^K, e^(\u2212kn/m))^k.", "2<sup>K</sup>, e<sup>\u2212kn/m</sup>)<sup>k</sup>."},
        {"an open ` and ^", "an open <code> and ^</code>"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(write_prose, cases[i][0]).text, cases[i][1]);
}

TEST(long_commands_are_broken_where_the_shell_lets_them)
{
    static const char option[] = "--option value --option value --option value --option value";
    char              command[400], expected[400];

    snprintf(command, sizeof command, "for i in 1 2; do\n  ink %s %s\ndone", option, option);
    snprintf(expected, sizeof expected,
             "for i in 1 2; do\n  ink %s --option value \\\n      %.*s\ndone", option,
             (int)(sizeof option - 1 - sizeof "--option value"), option);
    assert_string_equal(written(write_command_lines, command).text, expected);
    snprintf(command, sizeof command, "awk '{\n  %s %s}' file", option, option);
    assert_string_equal(written(write_command_lines, command).text, command);
    snprintf(command, sizeof command, "cat <<end\n%s %s\nend", option, option);
    snprintf(expected, sizeof expected, "cat &lt;&lt;end\n%s %s\nend", option, option);
    assert_string_equal(written(write_command_lines, command).text, expected);
}

/* ---- The summary -------------------------------------------------------------------------- */

TEST(a_figure_is_reproduced_within_its_range_and_differs_for_a_reason_outside)
{
    static const struct {
        double      here;
        const char *line;
    } cases[] = {
        {0.9, "<ul class=\"same\">\n<li><a href=\"#007-times\"><span class=\"id\">007</span> A "
              "rate</a>: published 1.00\u00a0%, here 0.90\u00a0%.</li>\n</ul>"},
        {1.1, "<p>1 of 1 figures are reproduced:</p>"},
        {1.2, "<p>0 of 1 figures are reproduced.</p>\n<p>1 differs, for these reasons:</p>\n<ul "
              "class=\"other\">\n<li><a href=\"#007-times\"><span class=\"id\">007</span> A "
              "rate</a>: published 1.00\u00a0%, here 1.20\u00a0%: other keys.</li>\n</ul>"},
        {0.8, "here 0.80\u00a0%: other keys.</li>"},
    };
    const lab_options options = {.quick = true};
    ink_error         error;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        findings all = {0};
        page     made = {.count = 0};
        ink_sink sink = {.write = take, .host = &made};
        found_experiment(&all, "007", "Title", "Source", "About");
        found_part(&all, "times", "Part");
        found_compared(&all, &(found_comparison){.what = "A rate",
                                                 .unit = "%",
                                                 .why = "other keys",
                                                 .by = FOUND_PUBLISHED,
                                                 .decimals = 2,
                                                 .expected = 1,
                                                 .here = cases[i].here,
                                                 .low = 0.9,
                                                 .high = 1.1});
        CHECK_OK(lab_write_page(&all, &options, &sink, &error));
        made.text[made.count] = '\0';
        if (strstr(made.text, cases[i].line) == NULL)
            fail_msg("%s is not in %s", cases[i].line, strstr(made.text, "<section"));
        findings_free(&all);
    }
}

/* ---- Plots -------------------------------------------------------------------------------- */

static const finding *reported_plot;

static void write_reported_plot(writer *to, const char *text)
{
    (void)text;
    plot_write(to, reported_plot);
}

TEST(an_axis_has_its_ticks_where_points_are_and_a_legend_its_sorts)
{
    static const double      threads[] = {1, 2, 3, 5, 10, 15};
    static const char *const shown[] = {">1</text>", ">3</text>",   ">5</text>",     ">15</text>",
                                        "a (given)", "b (formula)", "c (published)", "d</text>"};
    const found_by           by[] = {FOUND_GIVEN, FOUND_THEORY, FOUND_PUBLISHED, FOUND_HERE};
    findings                 all = {0};

    found_plot(&all, "plot", "A plot");
    found_axis_x(&all, "threads", "", false);
    found_axis_y(&all, "speed-up", "", false);
    for (size_t i = 0; i < 4; i++) {
        found_line(&all, (const char[]){(char)('a' + i), '\0'}, by[i]);
        for (size_t j = 0; j < 6; j++)
            found_point(&all, threads[j], (double)(1 + i) + 100);
    }
    reported_plot = &all.list[0];
    page made = written(write_reported_plot, "");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (strstr(made.text, shown[i]) == NULL)
            fail_msg("%s is not in %s", shown[i], made.text);
    CHECK(strstr(made.text, ">0</text>") == NULL && strstr(made.text, ">4</text>") == NULL);
    findings_free(&all);
}

/* ---- All that can be found, as a page and as JSON ------------------------------------------ */

static void find_all(findings *all)
{
    static const double xs[] = {1, 10, 100, 1000}, ys[] = {0.5, 2, 8, 32};

    found_experiment(all, "007", "A <title>", "A source", "About `it`");
    found_part(all, "first", "The first part");
    found_text(all, "A text of %d words", 5);
    found_command(all, "ink %s", "help");
    found_command(all, "ink version");
    found_table(all, "table", "A table");
    found_column(all, "name", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "whole", "kB", FOUND_PUBLISHED, 0);
    found_column(all, "decimals", "", FOUND_HERE, 3);
    found_column(all, "short", "", FOUND_THEORY, FOUND_SHORT);
    found_column(all, "as given", "", FOUND_GIVEN, FOUND_SHORT);
    found_word(all, "a%s", "&b");
    found_number(all, 1234567);
    found_number(all, 12345.6789);
    found_number(all, 0.000123456);
    found_number(all, 0.000123456);
    found_word(all, "\"c\"");
    found_nothing(all);
    found_number(all, INFINITY);
    found_number(all, 123456);
    found_number(all, 0.25);
    found_part(all, "second", "The second part");
    found_plot(all, "plot", "A plot");
    found_axis_x(all, "keys", "", true);
    found_axis_y(all, "size", "kB", false);
    for (int line = 0; line < 2; line++) {
        found_line(all, line == 0 ? "one" : "two", line == 0 ? FOUND_HERE : FOUND_PUBLISHED);
        for (size_t i = 0; i < 4; i++)
            found_point(all, xs[i], ys[i] * (1 + line));
    }
    found_compared(all, &(found_comparison){.what = "A rate",
                                            .unit = "%",
                                            .why = "why not",
                                            .by = FOUND_THEORY,
                                            .decimals = 1,
                                            .expected = 1.5,
                                            .here = 1.25,
                                            .low = 1,
                                            .high = 2});
    found_experiment(all, "008", "Another", "Its source", "About that");
    found_part(all, "only", "Its part");
    found_plot(all, "small", "A small plot");
    found_axis_x(all, "rate", "%", false);
    found_axis_y(all, "errors", "", true);
    found_line(all, "three", FOUND_THEORY);
    for (size_t i = 0; i < 4; i++)
        found_point(all, ys[i], xs[i] / 1e4);
    found_compared(all, &(found_comparison){.what = "A size",
                                            .unit = "",
                                            .why = "other keys",
                                            .by = FOUND_GIVEN,
                                            .decimals = FOUND_SHORT,
                                            .expected = 3,
                                            .here = 4,
                                            .low = 0,
                                            .high = 3});
}

/* What was written, as a page or as JSON, from one text on. */
static const char *all_from(ink_status (*write)(const findings *, const lab_options *,
                                                const ink_sink *, ink_error *),
                            const char *from)
{
    static page       made;
    const lab_options options = {.quick = true};
    const ink_sink    sink = {.write = take, .host = &made};
    findings          all = {0};
    ink_error         error;

    made.count = 0;
    find_all(&all);
    CHECK_OK(write(&all, &options, &sink, &error));
    made.text[made.count] = '\0';
    findings_free(&all);
    const char *begins = strstr(made.text, from);
    assert_non_null(begins);
    return begins;
}

/* The text is that of a file of tests/lab; else the first line that differs is shown. */
static void check_written(const char *name, const char *written_now)
{
    char        path[4096], expected[65536];
    const char *source = getenv("INK_SOURCE");
    size_t      at = 0;

    snprintf(path, sizeof path, "%s/tests/lab/%s", source == NULL ? "." : source, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (strcmp(written_now, expected) == 0)
        return;
    for (size_t i = 0; written_now[i] != '\0' && written_now[i] == expected[i]; i++)
        at = written_now[i] == '\n' ? i + 1 : at;
    fail_msg("%s: %.*s\nexpected %.*s", name, (int)strcspn(written_now + at, "\n"),
             written_now + at, (int)strcspn(expected + at, "\n"), expected + at);
}

TEST(all_that_was_found_is_json)
{
    check_written("small.json", all_from(lab_write_json, "\"summary\""));
}

TEST(all_that_was_found_is_a_page)
{
    check_written("small.html", all_from(lab_write_page, "<section"));
}

/* ---- Clusters ----------------------------------------------------------------------------- */

/* The first row of the table of clusters, when they are run by this command. */
static void on_spark(const char *command, found_cell *seconds, char *why, size_t bytes)
{
    const lab_options options = {.quick = true, .spark = command};
    findings          all = {0};
    lab               bench = {.found = &all, .options = &options, .threads = 3};
    ratings_found     found = {.file = "/data/titles.tsv", .rows = 1, .threads = {3}};

    for (size_t rate = 0; rate < RATES; rate++)
        found.textbook[rate].build[0] = found.textbook[rate].verify[0] = 1;
    ratings_on_clusters(&bench, &found);
    const finding *table = &all.list[all.count - 1];
    CHECK(bench.status == INK_OK && table->kind == FOUND_TABLE);
    assert_int_equal(table->column_count, 5);
    assert_int_equal(table->cell_count, 5);
    *seconds = table->cells[2];
    snprintf(why, bytes, "%s", seconds->words == NULL ? "" : seconds->words);
    findings_free(&all);
}

TEST(the_least_published_time_is_that_of_the_best_number_of_executors)
{
    static const struct {
        double   least;
        unsigned executors;
    } cases[RATES] = {{135178, 3}, {115362, 3}, {96431, 2}, {90039, 2}};

    for (size_t rate = 0; rate < RATES; rate++) {
        unsigned executors = 0;
        CHECK(ratings_published_least(rate, &executors) == cases[rate].least);
        assert_int_equal(executors, cases[rate].executors);
        CHECK(ratings_published_least(rate, NULL) == cases[rate].least);
    }
}

TEST(a_cluster_reports_its_seconds_in_the_last_line)
{
    static const char *const commands[] = {
        "echo 1.5",
        "echo starting; echo 7; echo 1.5; echo",
        "printf '1.5\\r\\n'",
        ("test \"$INK_LAB_FILE $INK_LAB_RATE $INK_LAB_THREADS\" = '/data/titles.tsv 0.01 3' &&"
         " echo 1.5"),
    };
    found_cell cell;
    char       why[64];

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        on_spark(commands[i], &cell, why, sizeof why);
        assert_string_equal(why, "");
        CHECK(cell.number == 1500);
    }
    CHECK(getenv("INK_LAB_FILE") == NULL && getenv("INK_LAB_RATE") == NULL);
}

TEST(a_cluster_that_fails_says_why_and_the_lab_goes_on)
{
    static const char *const cases[][2] = {
        {"exit 3", "failed: exit code 3"},
        {"echo 1.5; exit 1", "failed: exit code 1"},
        {"true", "failed: printed no seconds"},
        {"echo soon", "failed: printed \u201csoon\u201d"},
        {"echo 1.5 s", "failed: printed \u201c1.5 s\u201d"},
        {"echo -1", "failed: printed \u201c-1\u201d"},
        {"echo inf", "failed: printed \u201cinf\u201d"},
        {"kill -9 $$", "failed: did not end by itself"},
        {"/nowhere/spark-submit 2> /dev/null", "failed: exit code 127"},
    };
    found_cell cell;
    char       why[64];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        on_spark(cases[i][0], &cell, why, sizeof why);
        assert_string_equal(why, cases[i][1]);
    }
}

RUN_TESTS()
