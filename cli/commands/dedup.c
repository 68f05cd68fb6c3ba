/* dedup.c - ink dedup: a corpus without what repeats. */
#include "arguments/dedup_options.h"
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows of --explain -------------------------------------------------------------------- */

/* clang-format off */
#define ROW_COLUMNS(X)                                                                             \
    X("file", NULL, TEXT, cell_text(row->path))                                                    \
    X("line", NULL, COUNT, cell_count(row->line))                                                  \
    X("id", NULL, TEXT, row->id == NULL ? NO_CELL : cell_key(row->id, row->id_bytes, false, 0))    \
    X("level", NULL, TEXT, cell_text(ink_dedup_level_name(row->level)))                            \
    X("whole", NULL, OK, cell_ok(row->whole, ""))                                                \
    X("texts", NULL, COUNT, cell_count(row->texts))                                                \
    X("removed", NULL, COUNT, cell_count(row->removed))                                            \
    X("share", NULL, RATIO, cell_real((double)row->removed / (double)row->texts))                  \
    X("earlier_file", NULL, TEXT, row->earlier_path == NULL ? NO_CELL : cell_text(row->earlier_path)) \
    X("earlier_line", NULL, COUNT, cell_count_if(row->earlier_line))
/* clang-format on */
static const cli_column row_columns[] = {ROW_COLUMNS(COLUMN_IS)};

typedef struct explaining {
    cli_target target;
    cli_text   line;
} explaining;

static int write_row(void *host, const ink_dedup_row *row)
{
    explaining    *explain = host;
    const cli_cell cells[] = {ROW_COLUMNS(COLUMN_CELL)};

    explain->line.count = 0;
    json_object(&explain->line, row_columns, COUNT_OF(row_columns), cells);
    text_bytes(&explain->line, "\n", 1);
    const ink_sink *sink = &explain->target.sink;
    return sink->write(sink->host, explain->line.bytes, explain->line.count);
}

/* ---- The report --------------------------------------------------------------------------- */

/* A line of it: a level, or all. */
typedef struct report_line {
    const ink_dedup_report *all;   /* NULL: of a level */
    const ink_dedup_count  *level; /* NULL: of all */
    const char             *name;
    bool                    near; /* a level without a memory of what was seen */
} report_line;

/* clang-format off */
#define OF_LEVEL(cell) (one->level == NULL ? NO_CELL : (cell))
#define OF_FILTER(cell) (one->level == NULL || one->level->expected_keys == 0 ? NO_CELL : (cell))
#define OF_SEEN(cell) (one->level == NULL || one->near ? NO_CELL : (cell))
#define OF_ALL(cell) (one->all == NULL ? NO_CELL : (cell))
#define COLUMNS(X)                                                                                 \
    X("level", "level", TEXT, cell_text(one->name))                                                \
    X("texts", "texts", COUNT, cell_count(one->all != NULL ? one->all->documents : one->level->texts)) \
    X("first", "new", COUNT, OF_LEVEL(cell_count(one->level->first)))                              \
    X("removed", "removed", COUNT, cell_count(one->all != NULL ? removed_of(one->all) : one->level->removed)) \
    X("bytes", NULL, COUNT, OF_ALL(cell_count(one->all->bytes)))                                   \
    X("removed_bytes", NULL, COUNT, OF_LEVEL(cell_count(one->level->removed_bytes)))               \
    X("kept", "kept", COUNT, OF_ALL(cell_count(one->all->kept)))                                   \
    X("kept_bytes", "size kept", SIZE, OF_ALL(cell_count(one->all->kept_bytes)))                   \
    X("changed", "changed", COUNT, OF_ALL(cell_count(one->all->changed)))                          \
    X("emptied", NULL, COUNT, OF_ALL(cell_count(one->all->emptied)))                               \
    X("bad", "bad", COUNT, OF_ALL(cell_count(one->all->bad)))                                      \
    X("files", NULL, COUNT, OF_ALL(cell_count(one->all->files)))                                   \
    X("wrong", "wrong", RATIO, OF_SEEN(cell_real(one->level->wrong)))                             \
    X("wrong_high", "at most", COUNT, OF_SEEN(cell_count(one->level->wrong_high)))                \
    X("table", NULL, OK, OF_SEEN(cell_ok(one->level->table, "")))                                 \
    X("keys", "planned for", COUNT, OF_FILTER(cell_count(one->level->expected_keys)))              \
    X("promised_rate", "promised", RATE, OF_FILTER(cell_real(one->level->promised_rate)))          \
    X("current_rate", "current", RATE, OF_FILTER(cell_real(one->level->rate)))                     \
    X("memory", "memory", SIZE, OF_SEEN(cell_count(one->level->bytes)))                           \
    X("passes", "passes", COUNT, OF_SEEN(cell_count_if(one->level->passes)))                       \
    X("seconds", "seconds", SECONDS, OF_ALL(cell_real(one->all->seconds)))
/* clang-format on */
static const cli_column columns[] = {COLUMNS(COLUMN_IS)};

static uint64_t removed_of(const ink_dedup_report *all)
{
    return all->levels[INK_DEDUP_EXACT].removed + all->levels[INK_DEDUP_NGRAMS].removed +
           all->levels[INK_DEDUP_NEAR].removed + all->emptied;
}

static void report_put(cli_report *report, const report_line *one)
{
    const cli_cell cells[] = {COLUMNS(COLUMN_CELL)};

    report_row(report, cells);
}

static void print_report(const cli_arguments *arguments, const ink_dedup_report *found)
{
    cli_report report;

    report_begin(&report, report_form_of(arguments), columns, COUNT_OF(columns));
    for (int level = 0; level < INK_DEDUP_LEVELS; level++)
        if (found->levels[level].used)
            report_put(&report, &(report_line){.level = &found->levels[level],
                                               .name = ink_dedup_level_name((ink_dedup_level)level),
                                               .near = level == INK_DEDUP_NEAR});
    report_put(&report, &(report_line){.all = found, .name = "all"});
    report_end(&report);
}

/* ---- The command -------------------------------------------------------------------------- */

/* `explain`: what gets the rows, or NULL. */
static int run_job(const cli_arguments *arguments, const ink_dedup_options *wanted,
                   cli_target *explain)
{
    const ink_reading reading = dedup_reading(arguments);
    ink_job           job = progress_job(arguments);
    ink_dedup_report  found;
    ink_error         error;
    int               code;

    if (ink_dedup(arguments->operands, arguments->operand_count, &reading, wanted, &found, &job,
                  &error) != INK_OK)
        return explain != NULL && target_failed(explain, &code) ? code
                                                                : job_fails(&job, NULL, &error);
    progress_clear();
    if (found.done_before)
        say("the same run was finished before, and nothing was done; --force starts over");
    if (!arguments->options[OPTION_QUIET].given)
        print_report(arguments, &found);
    return 0;
}

/* The rows would replace what was seen. */
static int check_explain(const option_given *options)
{
    static const option_id files[] = {OPTION_SEEN_FILE, OPTION_AGAINST};
    const char            *rows = options[OPTION_EXPLAIN].text;

    for (size_t i = 0; rows != NULL && i < COUNT_OF(files); i++)
        if (options[files[i]].given && targets_meet(rows, options[files[i]].text))
            return fail_usage("%s: --explain and %s are the same", shown(rows),
                              option_name(files[i]));
    return 0;
}

static int check(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    if (arguments->operand_count == 0)
        return fail_usage("no data, expected files or folders");
    if (!options[OPTION_OUTPUT].given && !options[OPTION_DRY_RUN].given)
        return fail_usage("no folder for the results, expected -o DIR, or --dry-run");
    TRY(dedup_check_levels(arguments));
    if (options[OPTION_OVERLAP].given && !options[OPTION_NGRAMS].given &&
        !options[OPTION_NGRAM_BYTES].given)
        return fail_usage("--overlap without --ngrams or --bytes");
    if ((options[OPTION_LOWER].given || options[OPTION_STRIP_PUNCTUATION].given) &&
        !options[OPTION_NGRAMS].given && !options[OPTION_NEAR].given)
        return fail_usage("%s without --ngrams or --near: words alone are compared so",
                          options[OPTION_LOWER].given ? "--lower" : "--strip-punctuation");
    if (options[OPTION_EVERY].given && !options[OPTION_EVERY].timed)
        return fail_usage("--every %s, expected a time, as 10m", shown(options[OPTION_EVERY].text));
    if (options[OPTION_ID].given && !options[OPTION_EXPLAIN].given)
        return fail_usage("--id without --explain");
    if (options[OPTION_NEAR].given &&
        (options[OPTION_SEEN_FILE].given || options[OPTION_AGAINST].given))
        return fail_usage("--near and %s do not go together",
                          options[OPTION_SEEN_FILE].given ? "--seen" : "--against");
    if (options[OPTION_SEEN_FILE].given && options[OPTION_AGAINST].given)
        return fail_usage("--seen and --against do not go together");
    return check_explain(options);
}

static int run(const cli_arguments *arguments)
{
    const char       *path = arguments->options[OPTION_EXPLAIN].text;
    ink_dedup_options wanted = dedup_options(arguments);
    explaining        explain = {0};
    ink_dedup_sink    rows = {.row = write_row, .host = &explain};

    TRY(check(arguments));
    if (path == NULL)
        return run_job(arguments, &wanted, NULL);
    TRY(target_check(arguments, path, arguments->operands, arguments->operand_count, false));
    TRY(target_begin(&explain.target, path, arguments->options[OPTION_FORCE].given));
    wanted.rows = &rows;
    int code = run_job(arguments, &wanted, &explain.target);
    if (code == 0)
        code = target_commit(&explain.target);
    else
        target_abandon(&explain.target);
    free(explain.line.bytes);
    return code;
}

const cli_command command_dedup = {
    .group = "ask",
    .name = "dedup",
    .operands = "-o DIR FILE|DIR...",
    .summary = "copy a corpus without texts that repeat",
    .about =
        "Reads documents: objects of JSON lines, or lines of text; of files, or of all files below "
        "a folder, compressed or not. Writes the same files without what repeats into a folder, "
        "each whole or not at all. Of equal texts the first one stays. The result is the same for "
        "any number of threads. A report says what was removed at each level, and how many texts "
        "may have been removed wrongly.",
    .offers = OFFERS(
        OFFER(EXACT), OFFER(PARAGRAPHS), OFFER(NGRAMS), OFFER(NGRAM_BYTES), OFFER(OVERLAP),
        OFFER(NEAR), OFFER(LOWER), OFFER(STRIP_PUNCTUATION), OFFER(SEEN_FILE), OFFER(AGAINST),
        OFFER(MARK), OFFER(DRY_RUN), OFFER(EXPLAIN), OFFER(ID), OFFER(TEXT),
        OFFER_AS(IN, "what documents are: jsonl, lines or nul (default: by the suffix of the file, "
                     "else lines)"),
        OFFER(BAD_TEXT),
        OFFER_AS(KEYS, "how many different texts to plan for, at each level (default: by samples "
                       "of the files)"),
        OFFER_AS(RATE, "the rate at which a filter takes new texts for seen ones, with -n of them "
                       "(default 1e-5, for n-grams 1e-4)"),
        OFFER_AS(MAX_RATE, "go on with more texts than planned for, up to this rate"),
        OFFER_AS(MEMORY, "the most memory for what was seen, such as 4G (default 1G)"),
        OFFER_AS(EVERY, "save at the end of a file how far the run has come, after this time, such "
                        "as 1m (default 10m)"),
        OFFER(THREADS), OFFER_AS(OUTPUT, "the folder to write the files to"), OFFER(FORCE),
        OFFERS_RUN, OFFER(QUIET), OFFERS_FORMS),
    .examples =
        LINES("ink dedup -o clean crawl/", "ink dedup --exact --paragraphs -o short crawl/*.jsonl",
              "ink dedup --ngrams 13 --explain why.jsonl -o other crawl/",
              "ink dedup --seen seen.ink -n 1e7 -o new monday/    # then tuesday/",
              "ink dedup --ngrams 13 --dry-run --json crawl/"),
    .codes = LINES("0  done", "1  there are more texts than a filter was planned for"),
    .run = run,
};
