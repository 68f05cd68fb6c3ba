/* lab_test.c - parts of the lab by themselves: text and commands as HTML, the summary, plots, and
 * jobs on a cluster by commands that do what clusters may do. */
#define _POSIX_C_SOURCE 200809L
#include "command_lines.h"
#include "experiments/ratings_parts.h"
#include "lab.h"
#include "prose.h"
#include "support/check.h"
#include "svg_plot.h"
#include "workbench/workbench.h"
#include "writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST(text_of_any_bytes_is_a_string_of_json)
{
    static const char *const cases[][2] = {
        {"", "\"\""},
        {"a \"b\" \\c", "\"a \\\"b\\\" \\\\c\""},
        {"\n\t\x01\x1f \x7f", "\"\\u000a\\u0009\\u0001\\u001f \x7f\""},
        {"\u00e9", "\"\u00e9\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(write_json, cases[i][0]).text, cases[i][1]);
}

static void write_numbers(writer *to, const char *text)
{
    static const double numbers[] = {0,   -3,     0.1,       1.0 / 3,  1e14 + 1, 1e15,
                                     NAN, 1e-300, -INFINITY, INFINITY, 0x1p53,   99999.5};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        write_text(to, text);
        write_json_number(to, numbers[i]);
    }
}

TEST(a_number_of_json_is_the_shortest_that_reads_back_and_null_if_there_is_none)
{
    assert_string_equal(written(write_numbers, " ").text,
                        " 0 -3 0.1 0.3333333333333333 100000000000001 1e+15 null 1e-300 null null "
                        "9007199254740992 99999.5");
}

typedef struct full_sink {
    int      os_error; /* of every write from ... */
    unsigned from;     /* ... this one on, from 0 */
    unsigned writes;
} full_sink;

static int refuse(void *host, const void *bytes, size_t count)
{
    full_sink *full = host;

    (void)bytes;
    assert_true(count > 0);
    return full->writes++ < full->from ? 0 : full->os_error;
}

static void write_much(writer *to, const char *text)
{
    for (int i = 0; i < 40; i++)
        write_format(to, "%s%01023d", text, i);
}

TEST(the_first_failure_to_write_is_reported_and_ends_the_writing)
{
    static const struct {
        int        os_error;
        ink_status status;
    } cases[] = {{ENOSPC, INK_IO}, {ENOMEM, INK_MEMORY}};

    for (unsigned from = 0; from < 5; from++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            full_sink full = {.os_error = cases[i].os_error, .from = from};
            ink_sink  sink = {.write = refuse, .host = &full};
            writer    to = {.sink = &sink};
            ink_error error;
            char      message[64];
            write_much(&to, "x");
            assert_int_equal(write_end(&to, &error), cases[i].status);
            assert_int_equal(error.status, cases[i].status);
            assert_int_equal(error.os_error, cases[i].os_error);
            snprintf(message, sizeof message, "cannot write: %s", strerror(cases[i].os_error));
            assert_string_equal(error.message, message);
            assert_int_equal(full.writes, from + 1);
        }
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* The cells of the only row of a table, as they stand in the page. */
static const char *cells_of(const findings *all)
{
    static page       made;
    const lab_options options = {.quick = true};
    const ink_sink    sink = {.write = take, .host = &made};
    ink_error         error;

    made.count = 0;
    CHECK_OK(lab_write_page(all, &options, &sink, &error));
    made.text[made.count] = '\0';
    char *begins = strstr(made.text, "<tbody>\n<tr>"), *ends = strstr(made.text, "</tr>\n</tbody>");
    assert_true(begins != NULL && ends != NULL);
    *ends = '\0';
    return begins + strlen("<tbody>\n<tr>");
}

TEST(a_number_is_shown_with_the_digits_that_matter_or_the_decimals_of_its_column)
{
    static const struct {
        double      number;
        found_by    by;
        int         decimals;
        const char *shown;
    } cases[] = {
        {0, FOUND_HERE, FOUND_SHORT, "0"},
        {5.6, FOUND_HERE, FOUND_SHORT, "5.60"},
        {5.6, FOUND_GIVEN, FOUND_SHORT, "5.6"},
        {0.01, FOUND_PUBLISHED, FOUND_SHORT, "0.0100"},
        {56.78, FOUND_THEORY, FOUND_SHORT, "56.8"},
        {567.8, FOUND_HERE, FOUND_SHORT, "568"},
        {999.4, FOUND_GIVEN, FOUND_SHORT, "999"},
        {1000, FOUND_GIVEN, FOUND_SHORT, "1\u202f000"},
        {1e-4, FOUND_HERE, FOUND_SHORT, "0.000100"},
        {0.00009, FOUND_HERE, FOUND_SHORT, "9.00 \u00b7 10<sup>\u22125</sup>"},
        {3e-12, FOUND_GIVEN, FOUND_SHORT, "3.00 \u00b7 10<sup>\u221212</sup>"},
        {-1234.5, FOUND_HERE, 1, "\u22121\u202f234.5"},
        {-0.5, FOUND_HERE, FOUND_SHORT, "\u22120.500"},
        {999, FOUND_HERE, 0, "999"},
        {NAN, FOUND_HERE, 2, "\u2013"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        findings all = {0};
        char     cell[128];
        found_experiment(&all, "007", "Title", "Source", "About");
        found_table(&all, "table", "A table");
        found_column(&all, "head", "", FOUND_GIVEN, FOUND_WORDS);
        found_column(&all, "number", "", cases[i].by, cases[i].decimals);
        found_word(&all, "a<b");
        found_number(&all, cases[i].number);
        snprintf(cell, sizeof cell,
                 "<th scope=\"row\" class=\"given words\">a&lt;b</th><td class=\"%s\">%s</td>",
                 found_by_name(cases[i].by), cases[i].shown);
        assert_string_equal(cells_of(&all), cell);
        findings_free(&all);
    }
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

/* The labels of the y axis of a plot that goes from one value to another, with blanks between. */
static void labels_between(double low, double high, bool logarithmic, char *labels, size_t room)
{
    static const char tick[] = "text-anchor=\"end\">";
    findings          all = {0};
    size_t            used = 0;

    found_plot(&all, "plot", "A plot");
    found_axis_x(&all, "n", "", false);
    found_axis_y(&all, "n", "", logarithmic);
    found_line(&all, "a", FOUND_HERE);
    found_point(&all, 1, low);
    found_point(&all, 2, high);
    reported_plot = &all.list[0];
    page made = written(write_reported_plot, "");
    labels[0] = '\0';
    for (const char *at = made.text; (at = strstr(at, tick)) != NULL;) {
        at += strlen(tick);
        used += (size_t)snprintf(labels + used, room - used, "%s%.*s", used == 0 ? "" : " ",
                                 (int)strcspn(at, "<"), at);
    }
    findings_free(&all);
}

TEST(an_axis_has_round_numbers_from_0_if_that_is_not_far)
{
    static const struct {
        double      low, high;
        bool        log;
        const char *labels;
    } cases[] = {
        {0, 100, false, "0 20 40 60 80 100"},
        {3, 21, false, "0 5 10 15 20 25"},
        {1, 10, false, "0 2 4 6 8 10"},
        {0, 5, false, "0 1 2 3 4 5"},
        {90, 100, false, "90 92 94 96 98 100"},
        {49, 100, false, "0 20 40 60 80 100"},
        {51, 100, false, "50 60 70 80 90 100"},
        {7, 7, false, "7 7.2 7.4 7.6 7.8 8"},
        {-3, 4, false, "-4 -2 0 2 4"},
        {0, 25000, false, "0 5000 10k 15k 20k 25k"},
        {0, 3e6, false, "0 1M 2M 3M"},
        {0, 2e9, false, "0 500M 1e+09 1.5e+09 2e+09"},
        {0, 0.0004, false, "0 0.0001 0.0002 0.0003 0.0004"},
        {1, 1000, true, "1 10 100 1000 2 20 200 5 50 500"},
        {1, 1001, true, "1 10 100 1000"},
        {3, 40, true, "10 2 20 5 50"},
        {5, 5, true, "10 20 5 50"},
        {0.00002, 0.3, true, "0.0001 0.001 0.01 0.1"},
        {20, 2000000, true, "100 1000 10k 100k 1M"},
    };
    char labels[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        labels_between(cases[i].low, cases[i].high, cases[i].log, labels, sizeof labels);
        assert_string_equal(labels, cases[i].labels);
    }
}

TEST(a_line_is_interrupted_where_a_point_cannot_be_shown)
{
    static const double ys[] = {1, 2, 0, 4, 8, NAN, 16, -1, 32, 64};
    findings            all = {0};
    size_t              begun = 0, marks = 0;

    found_plot(&all, "plot", "A plot");
    found_axis_x(&all, "n", "", false);
    found_axis_y(&all, "n", "", true);
    found_line(&all, "a", FOUND_HERE);
    for (size_t i = 0; i < sizeof ys / sizeof *ys; i++)
        found_point(&all, (double)i, ys[i]);
    reported_plot = &all.list[0];
    page        made = written(write_reported_plot, "");
    const char *way = strstr(made.text, "<path class=\"way\"");
    assert_non_null(way);
    way = strstr(way, " d=\"") + strlen(" d=\"");
    for (size_t i = 0; way[i] != '"'; i++)
        begun += way[i] == 'M';
    for (const char *at = way; (at = strstr(at, "<title>")) != NULL; at++)
        marks++;
    assert_int_equal(begun, 4);
    assert_int_equal(marks, 7);
    CHECK(strstr(made.text, "<title>a: 64 at 9</title>") != NULL);
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

TEST(two_clusters_stand_beside_each_other_with_the_commands_of_both)
{
    const lab_options options = {
        .quick = true, .spark = "sleep 0.02; echo 1", .hadoop = "sleep 0.02; echo 2"};
    static const char command[] =
        "for p in 0.01; do\n  export INK_LAB_FILE=\"$PWD/titles.tsv\" INK_LAB_RATE=$p "
        "INK_LAB_THREADS=3\n  (sleep 0.02; echo %d)\ndone";
    findings      all = {0};
    lab           bench = {.found = &all, .options = &options, .threads = 3};
    ratings_found found = {.file = "/data/titles.tsv", .rows = 1, .threads = {3}};
    char          typed[256];
    int           commands = 0;

    for (size_t rate = 0; rate < RATES; rate++)
        found.textbook[rate].build[0] = found.textbook[rate].verify[0] = 1;
    ratings_on_clusters(&bench, &found);
    for (size_t i = 0; i < all.count; i++)
        if (all.list[i].kind == FOUND_COMMAND) {
            snprintf(typed, sizeof typed, command, ++commands);
            assert_string_equal(all.list[i].text, typed);
        }
    assert_int_equal(commands, 2);
    const finding *table = &all.list[all.count - 1];
    assert_int_equal(table->cell_count, 7);
    CHECK(table->cells[2].number == 1000 && table->cells[3].number >= 20);
    CHECK(table->cells[4].number == 2000 && table->cells[5].number >= 20);
    CHECK(table->cells[6].number == 2000 && getenv("INK_LAB_THREADS") == NULL);
    findings_free(&all);
}

/* ---- A run, and what it works with -------------------------------------------------------- */

typedef struct seen_progress {
    const char *until; /* what is being done when it is stopped; NULL: it is not */
    double      last;
    unsigned    steps;
} seen_progress;

static bool see(void *host, const char *what, double share)
{
    seen_progress *seen = host;

    assert_true(share >= seen->last && share <= 1);
    seen->last = share;
    seen->steps++;
    return seen->until == NULL || strcmp(what, seen->until) != 0;
}

static char scratch[] = "lab_test.folder";

static void use_scratch(void)
{
    assert_int_equal(mkdir(scratch, 0777), 0);
    assert_int_equal(setenv("TMPDIR", scratch, 1), 0);
}

/* That nothing was left there. */
static void end_scratch(void)
{
    assert_int_equal(rmdir(scratch), 0);
    unsetenv("TMPDIR");
}

TEST(a_run_that_is_stopped_leaves_no_files_and_has_come_as_far_as_its_experiments)
{
    static const struct {
        const char *only, *until;
        double      share;
    } cases[] = {
        {NULL, "a filter that fills", 0},
        {"001", "titles and their ratings", 0},
        {"000", "a filter that is begun anew", 0.4},
        {"001", "filters of ratings", 0.1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        seen_progress     seen = {.until = cases[i].until};
        const lab_options options = {
            .quick = true, .only = cases[i].only, .threads = 2, .progress = see, .host = &seen};
        findings  all = {0};
        ink_error error;
        use_scratch();
        assert_int_equal(lab_run(&options, &all, &error), INK_STOPPED);
        assert_int_equal(error.status, INK_STOPPED);
        assert_string_equal(error.message, "stopped");
        assert_true(fabs(seen.last - cases[i].share) < 1e-9);
        end_scratch();
        findings_free(&all);
    }
}

TEST(a_run_goes_through_its_experiments_by_their_shares)
{
    seen_progress     seen = {.until = "titles and their ratings"};
    const lab_options options = {.quick = true, .threads = 2, .progress = see, .host = &seen};
    findings          all = {0};
    ink_error         error;

    assert_int_equal(lab_run(&options, &all, &error), INK_STOPPED);
    assert_int_equal(seen.steps, 4);
    assert_true(fabs(seen.last - 10.0 / 125) < 1e-9);
    findings_free(&all);
}

TEST(memory_that_was_refused_to_findings_is_reported_at_the_end)
{
    const lab_options options = {.quick = true, .only = "000", .threads = 2};
    findings          all = {.refused = true};
    ink_error         error;

    CHECK_FAILS(lab_run(&options, &all, &error), INK_MEMORY, "no memory for what was found");
    findings_free(&all);
}

TEST(the_first_failure_of_a_bench_stays)
{
    static const lab_options options = {.quick = true};
    lab                      bench = {.options = &options, .threads = 2};
    char                     folder[LAB_PATH];
    const lab_data           none = {0};

    setenv("TMPDIR", "/nowhere", 1);
    assert_false(lab_make_folder(&bench, folder));
    unsetenv("TMPDIR");
    assert_int_equal(bench.status, INK_IO);
    assert_int_equal(bench.error.os_error, ENOENT);
    CHECK(strncmp(bench.error.message, "/nowhere/ink-lab.", 17) == 0);
    CHECK(strstr(bench.error.message, ": No such file or directory") != NULL);
    ink_error first = bench.error;
    lab_fail_memory(&bench, 7);
    lab_write_file(&bench, "/nowhere/x", &none);
    assert_false(lab_ok(&bench, INK_FORMAT) || lab_ok(&bench, INK_OK));
    assert_false(lab_make_folder(&bench, folder) || lab_step(&bench, 0, "more"));
    CHECK(bench.status == INK_IO && memcmp(&first, &bench.error, sizeof first) == 0);
}

TEST(a_file_that_cannot_be_written_whole_is_a_failure)
{
    static const lab_options options = {.quick = true};
    static uint8_t           bytes[100000];
    const lab_data           data = {.bytes = bytes, .count = sizeof bytes};
    static const char *const cases[][2] = {
        {"/dev/full", "/dev/full: No space left on device"},
        {"/nowhere/x", "/nowhere/x: No such file or directory"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t some = 0; some < 2; some++) {
            lab            bench = {.options = &options};
            const lab_data part = {.bytes = bytes, .count = some == 0 ? 1 : data.count};
            lab_write_file(&bench, cases[i][0], &part);
            assert_int_equal(bench.status, INK_IO);
            assert_string_equal(bench.error.message, cases[i][1]);
        }
}

TEST(a_folder_is_made_in_tmp_if_tmpdir_is_empty)
{
    static const lab_options options = {.quick = true};
    lab                      bench = {.options = &options};
    char                     folder[LAB_PATH];

    setenv("TMPDIR", "", 1);
    assert_true(lab_make_folder(&bench, folder));
    unsetenv("TMPDIR");
    CHECK(strncmp(folder, "/tmp/ink-lab.", 13) == 0 && rmdir(folder) == 0);
}

TEST(lines_are_counted_and_cut_also_without_the_last_line_end)
{
    static uint8_t text[] = "a\nbb\n\ncc";
    const lab_data data = {.bytes = text, .count = sizeof text - 1}, none = {0};
    static const struct {
        uint64_t    lines;
        const char *head, *tail;
    } cases[] = {
        {0, "", "a\nbb\n\ncc"}, {1, "a\n", "bb\n\ncc"},          {3, "a\nbb\n\n", "cc"},
        {4, "a\nbb\n\ncc", ""}, {UINT64_MAX, "a\nbb\n\ncc", ""},
    };

    assert_int_equal(lab_lines(&data), 4);
    assert_int_equal(lab_lines(&none), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab_data head = lab_head(&data, cases[i].lines), tail = lab_tail(&data, cases[i].lines);
        assert_int_equal(head.count, strlen(cases[i].head));
        assert_memory_equal(head.bytes, cases[i].head, head.count);
        assert_int_equal(tail.count, strlen(cases[i].tail));
        assert_memory_equal(tail.bytes, cases[i].tail, tail.count);
    }
}

TEST(a_line_that_is_too_long_is_cut_and_still_a_line)
{
    static const lab_options options = {.quick = true};
    lab                      bench = {.options = &options};
    lab_data                 data = {0};

    for (int length = 505; length < 520; length++)
        lab_add_line(&bench, &data, "%0*d", length, 7);
    assert_int_equal(lab_lines(&data), 15);
    lab_data first = lab_head(&data, 1), last = lab_tail(&data, 14);
    assert_int_equal(first.count, 506);
    assert_int_equal(last.count, 511);
    CHECK(first.bytes[504] == '7' && last.bytes[510] == '\n' && bench.status == INK_OK);
    lab_data_free(&data);
}

RUN_TESTS()
