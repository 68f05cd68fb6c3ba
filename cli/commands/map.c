/* map.c - ink map: the map stage of a job on many machines, records in, pieces out. */
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "hadoop/frames.h"
#include "hadoop/map_reduce.h"
#include "hadoop/task.h"
#include "plan/spread.h"
#include "report/output.h"
#include "report/progress.h"

#include <string.h>

/* Reports a failed job. In a task standard input is a file of Hadoop, or a list of splits. */
static int map_fails(const cli_stage *stage, const ink_job *job, const ink_error *error)
{
    ink_job reported = *job;

    if (out_failed())
        return 0; /* out_finish reports it */
    if (job->failed_path != NULL && stage->splits.count > 0)
        reported.failed_path =
            task_location(splits_name(&stage->splits, stage->data.inputs, job->failed_path),
                          error->location == INK_AT_LINE ? job->failed_byte : 0);
    else if (job->failed_path != NULL && strcmp(job->failed_path, "-") == 0)
        reported.failed_path = task_input(job);
    return job_fails(&reported, stage->sketches, error);
}

static void count_records(const cli_arguments *arguments, const ink_job *job)
{
    job_reports_skipped(arguments, job);
    task_count("Records", job->records);
    task_count("Bad records", job->bad);
}

static int map_pieces(const cli_stage *stage, const cli_arguments *arguments)
{
    frame_writer         to = {.buckets = stage->pieces.buckets, .write = out_sink};
    const ink_piece_sink sink = {frame_take, &to};
    ink_job              job = task_job(arguments);
    ink_error            error;

    TRY(target_check(arguments, "-", NULL, 0, false));
    inputs_announce(stage->data.inputs, stage->data.input_count);
    if (ink_map(stage->data.inputs, stage->data.input_count, &stage->data.how, &stage->pieces,
                &sink, &job, &error) != INK_OK)
        return map_fails(stage, &job, &error);
    progress_clear();
    count_records(arguments, &job);
    return 0;
}

static int map_records(const cli_stage *stage, const cli_arguments *arguments)
{
    const ink_filter_options options = stage_filter(stage, arguments);
    const ink_sink           sink = {out_sink, NULL};
    ink_job                  job = task_job(arguments);
    ink_filter_report        found;
    ink_error                error;

    inputs_announce(stage->data.inputs, stage->data.input_count);
    if (ink_filter(stage->file, stage->data.inputs, stage->data.input_count, &stage->data.how,
                   &options, &sink, &found, &job, &error) != INK_OK)
        return map_fails(stage, &job, &error);
    progress_clear();
    count_records(arguments, &job);
    task_count("Admitted", found.admitted);
    task_count("Rejected", found.rejected);
    return 0;
}

static int take_nothing(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    (void)host;
    (void)bucket;
    (void)bytes;
    (void)count;
    return 0;
}

static int write_nothing(void *host, const void *bytes, size_t count)
{
    (void)host;
    (void)bytes;
    (void)count;
    return 0;
}

/* Runs the stage on the header of --header-line alone, or on nothing, so that wrong options and
 * columns are reported before a job starts. */
static int try_out(const cli_stage *stage, const cli_arguments *arguments)
{
    const ink_piece_sink     sink = {take_nothing, NULL};
    const ink_sink           records = {write_nothing, NULL};
    const ink_filter_options options = stage_filter(stage, arguments);
    const char              *line = arguments->options[OPTION_HEADER_LINE].text;
    const ink_input          header = {
                 .path = task_file(),
                 .memory = (const uint8_t *)(line == NULL ? "" : line),
                 .memory_bytes = line == NULL ? 0 : strlen(line),
    };
    ink_job           job = {.threads = 1};
    ink_filter_report found;
    ink_error         error;
    ink_status        status;

    if (stage->work == STAGE_FILTERS)
        status = ink_filter(stage->file, &header, 1, &stage->data.how, &options, &records, &found,
                            &job, &error);
    else
        status = ink_map(&header, 1, &stage->data.how, &stage->pieces, &sink, &job, &error);
    return status == INK_OK ? 0 : map_fails(stage, &job, &error);
}

static int work(const cli_stage *stage, const cli_arguments *arguments)
{
    if (arguments->options[OPTION_PLAN].given) {
        TRY(try_out(stage, arguments));
        return spread_print(stage, arguments);
    }
    return stage->work == STAGE_FILTERS ? map_records(stage, arguments)
                                        : map_pieces(stage, arguments);
}

static int run(const cli_arguments *arguments)
{
    return stage_run(arguments, work);
}

const cli_command command_map = {
    .group = "spread",
    .name = "map",
    .operands = "KIND[,KIND...] [FILE...]",
    .summary = "records in, pieces for ink reduce out",
    .about =
        "The map stage of ink build on many machines: reads some of the records, and writes pieces "
        "of sketches as frames of Hadoop Streaming (rawbytes), each for one of --buckets reducers. "
        "It stays within --memory, and writes its pieces when that is used up. With --verify it is "
        "the map stage of ink verify; with --filter it prints the records that pass ink filter. In "
        "a Hadoop task it reports counters, and skips a header only at the start of a file; with "
        "--splits it reads parts of files in HDFS itself, which Hadoop has only "
        "named.",
    .offers = OFFERS(
        OFFER(PLAN), OFFER(BYTES), OFFER(TASKS), OFFER(VERIFY), OFFER(FILTER),
        OFFER_AS(INVERT, "with --filter: the records that are surely not in the set"),
        OFFER_AS(KIND, "with --filter: which kind to ask, where the file has several"),
        OFFER_AS(GROUPS, "with --filter: only groups whose name matches PATTERN"),
        OFFER_AS(NO_GROUPS, "with --filter: do not print the groups of records"),
        OFFER_AS(GROUP_COLUMN, "with --filter: the name of the column, or JSON member, with "
                               "the groups of a record (default ink_group)"),
        OFFER_AS(LAST, "with --filter: ask only the newest W time slots (default: all)"),
        OFFER(BUCKETS), OFFER(RANGED), OFFERS_RECORDS, OFFER(HEADER_LINE), OFFER(SPLITS),
        OFFER(WEIGHT),
        {.id = OPTION_BY,
         .bare_after = OPTION_FILTER,
         .about = "one sketch for each value of this column; after --filter as in ink "
                  "filter: --by, or --by=COL"},
        OFFER(ROUND), OFFERS_HASH, OFFER(KEYS), OFFERS_SIZES, OFFER(HEADROOM), OFFER(MAX_RATE),
        OFFER_AS(MEMORY, "memory for what is kept of records, such as 64M (default 256M)"),
        OFFER(THREADS), OFFER(TEMP), OFFERS_RUN,
        OFFER_AS(QUIET, "do not say how many records were skipped")),
    .examples =
        LINES("ink map bloom < words.txt | ink reduce bloom > both.ink   # as ink build",
              "ink map bloom --in tsv --header --key tconst --by averageRating \\\n"
              "    --round half-even --buckets 4 < ratings.tsv > pieces",
              "ink map --plan --bytes 20G --tasks 8 bloom -n 1e9",
              "ink map --verify words.ink < words.txt | ink reduce --verify words.ink | \\\n"
              "    ink reduce --verify words.ink --assemble -",
              "ink map --filter words.ink < more.txt"),
    .codes = LINES("0  all records were read, and the result is written",
                   "4  also: standard output was closed before the end"),
    .words = kind_words,
    .suggestions_join = true,
    .data_from = 2,
    .run = run,
};
