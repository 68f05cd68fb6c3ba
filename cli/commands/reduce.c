/* reduce.c - ink reduce: the reduce stage of a job on many machines, pieces in, sketches out. */
#include "commands/commands.h"
#include "hadoop/frames.h"
#include "hadoop/map_reduce.h"
#include "hadoop/task.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The result --------------------------------------------------------------------------- */

typedef struct result {
    uint32_t    bucket;
    char       *task_path; /* in a task, or NULL */
    const char *path;      /* that, or the one of -o */
    bool        overwrite;
    cli_target  target;
} result;

/* Finds the bucket and the file of the result, and checks that a local file can be written. Without
 * -o that is a file in the task's folder, or, outside of a task, standard output. */
static int result_find(result *to, const cli_stage *stage, const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    uint64_t            bucket = options[OPTION_BUCKET].number;
    bool                verifies = stage->work == STAGE_VERIFIES;
    char                name[64];

    if (!options[OPTION_BUCKET].given)
        TRY(task_number(TASK_PARTITION, 0, &bucket));
    if (bucket >= stage->pieces.buckets)
        return fail_usage("bucket %" PRIu64 ", expected 0 to %" PRIu32, bucket,
                          stage->pieces.buckets - 1);
    to->bucket = (uint32_t)bucket;
    snprintf(name, sizeof name, "part-%05" PRIu32 ".%s", to->bucket,
             verifies               ? "verdict"
             : stage->pieces.ranged ? "pieces"
                                    : "ink");
    if (!options[OPTION_OUTPUT].given)
        TRY(task_output(name, &to->task_path));
    to->path = options[OPTION_OUTPUT].given ? options[OPTION_OUTPUT].text : to->task_path;
    /* A task that is run again replaces what its first attempt left. */
    to->overwrite = to->task_path != NULL || options[OPTION_FORCE].given;
    if (to->task_path != NULL || (to->path != NULL && strstr(to->path, "://") != NULL))
        return 0;
    return target_check(arguments, to->path == NULL ? "-" : to->path,
                        arguments->operands + !verifies, arguments->operand_count - !verifies,
                        false);
}

/* Commits the result, or discards it after a failure. */
static int result_end(result *to, int code)
{
    if (code == 0)
        code = target_commit(&to->target);
    else
        target_abandon(&to->target);
    free(to->task_path);
    return code;
}

/* The code of a failed call; the cause may be that the result could not be written. */
static int result_fails(result *to, const ink_error *error)
{
    int code;

    if (target_failed(&to->target, &code))
        return code == 0 ? CODE_IO : code;
    return error->status == INK_PROMISE ? target_refused(to->path, error) : fail_error(NULL, error);
}

/* ---- Frames in ---------------------------------------------------------------------------- */

/* `path`: of the file that it was in, or NULL. */
typedef ink_status take_piece(void *host, const char *path, const uint8_t *piece, size_t count,
                              ink_error *error);

static int take_frame(const frame_reader *reader, take_piece *take, void *host)
{
    char      name[4096];
    ink_error error;

    task_alive("taking", reader->count);
    if (take(host, reader->path, reader->value, reader->value_bytes, &error) == INK_OK)
        return 0;
    snprintf(name, sizeof name, "%s: frame %" PRIu64, shown_path(reader->path), reader->count);
    return fail_error(name, &error);
}

/* Takes the frames of all inputs; *count becomes their number. */
static int take_inputs(const cli_data *data, take_piece *take, void *host, uint64_t *count)
{
    frame_reader reader;
    bool         more;
    int          code = 0;

    *count = 0;
    for (size_t i = 0; code == 0 && i < data->input_count; i++) {
        TRY(frames_open(&reader, data->inputs[i].path));
        while (code == 0 && (code = frames_next(&reader, &more)) == 0 && more)
            code = take_frame(&reader, take, host);
        *count += reader.count;
        frames_close(&reader);
    }
    return code;
}

/* ---- Reducing ----------------------------------------------------------------------------- */

static ink_status add_piece(void *host, const char *path, const uint8_t *piece, size_t count,
                            ink_error *error)
{
    (void)path;
    return ink_reducer_add(host, piece, count, error);
}

/* Passes pieces from one call to another, which may fail. */
typedef struct passing_on {
    take_piece *take;
    void       *host;
    ink_error   error;
} passing_on;

static int pass_on(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    passing_on *to = host;

    (void)bucket;
    if (to->take(to->host, NULL, bytes, count, &to->error) == INK_OK)
        return 0;
    return to->error.os_error != 0 ? to->error.os_error : EIO;
}

/* The code of a call that failed; the cause may be the one that took its pieces. */
static int pass_fails(const passing_on *to, const ink_error *error)
{
    return fail_error(NULL, to->error.status != INK_OK ? &to->error : error);
}

/* Adds the pieces of a map without records. */
static int add_nothing(ink_reducer *reducer, const cli_stage *stage)
{
    const ink_input      nothing = {.memory = (const uint8_t *)"", .header_apart = true};
    passing_on           to = {.take = add_piece, .host = reducer};
    const ink_piece_sink sink = {pass_on, &to};
    ink_reading          how = stage->data.how;
    ink_job              job = {.threads = 1};
    ink_error            error;

    if (how.form == INK_FORM_DEFAULT)
        how.form = INK_FORM_LINES;
    if (ink_map(&nothing, 1, &how, &stage->pieces, &sink, &job, &error) != INK_OK)
        return pass_fails(&to, &error);
    return 0;
}

static ink_status add_finished(void *host, const char *path, const uint8_t *piece, size_t count,
                               ink_error *error)
{
    (void)path;
    return ink_assembly_add(host, piece, count, error);
}

/* How many different keys a sketch has seen: the number that it was sized for, or its own
 * estimate. */
static double keys_of(const cli_stage *stage, const ink_params *kind, const ink_kind_info *info,
                      const ink_sketch *sketch)
{
    ink_description described;
    ink_answer      answer;

    ink_sketch_describe(sketch, &described);
    if (info->sized_by_keys && kind->expected_keys == 0 && kind->bits == 0)
        return (double)described.expected_keys /
               (stage->build.headroom > 1 ? stage->build.headroom : 1);
    return ink_sketch_distinct(sketch, 0, &answer, NULL) == INK_OK ? answer.estimate : 0;
}

/* Reports Hadoop counters; all kinds have the same groups and keys. */
static void count_sketches(ink_assembly *assembly, const cli_stage *stage)
{
    const ink_params *kind = &stage->kinds[0];
    ink_kind_info     info = {0};
    ink_description   described;
    ink_entry         entry;
    uint64_t          groups = 0;
    double            keys = 0;
    size_t            count;

    if (!task_is() || ink_assembly_count(assembly, &count, NULL) != INK_OK)
        return;
    for (size_t k = 0; k < stage->build.kind_count && !info.distinct; k++) {
        kind = &stage->kinds[k];
        info = kind_info(kind->kind);
    }
    for (size_t i = 0; ink_assembly_entry(assembly, i, &entry, NULL) == INK_OK; i++) {
        ink_sketch_describe(entry.sketch, &described);
        if (strcmp(described.kind, kind->kind) != 0)
            continue;
        groups += entry.label.group_kind != INK_GROUP_NONE;
        keys += info.distinct ? keys_of(stage, kind, &info, entry.sketch) : 0;
    }
    task_count("Sketches", count);
    task_count("Groups", groups);
    if (info.distinct)
        task_count("Keys", (uint64_t)(keys + 0.5));
}

static int write_assembly(ink_assembly *assembly, const cli_stage *stage, result *to)
{
    ink_error error;

    TRY(target_begin(&to->target, to->path, to->overwrite));
    if (ink_assembly_write(assembly, &to->target.sink, &stage->data.how, NULL, 0, &error) != INK_OK)
        return result_fails(to, &error);
    count_sketches(assembly, stage);
    return 0;
}

/* Reduces into an assembly. The reducer is closed before the assembly is written. */
static int finish_file(ink_reducer **reducer, const cli_stage *stage,
                       const cli_arguments *arguments, result *to)
{
    passing_on           next = {.take = add_finished};
    const ink_piece_sink sink = {pass_on, &next};
    ink_assembly        *assembly;
    ink_error            error;
    int                  code = 0;

    if (ink_assembly_open(&assembly, arguments->options[OPTION_TEMP].text, NULL, &error) != INK_OK)
        return fail_error(NULL, &error);
    next.host = assembly;
    if (ink_reducer_finish(*reducer, &sink, &error) != INK_OK)
        code = pass_fails(&next, &error);
    ink_reducer_free(*reducer);
    *reducer = NULL;
    if (code == 0)
        code = write_assembly(assembly, stage, to);
    ink_assembly_close(assembly);
    return code;
}

static int finish_pieces(ink_reducer *reducer, const cli_stage *stage, result *to)
{
    ink_error error;

    TRY(target_begin(&to->target, to->path, to->overwrite));
    frame_writer frames = {stage->pieces.buckets, to->target.sink.write, to->target.sink.host};
    const ink_piece_sink sink = {frame_take, &frames};
    return ink_reducer_finish(reducer, &sink, &error) == INK_OK ? 0 : result_fails(to, &error);
}

static int reduce_with(ink_reducer **reducer, const cli_stage *stage,
                       const cli_arguments *arguments, result *to)
{
    uint64_t count;

    TRY(take_inputs(&stage->data, add_piece, *reducer, &count));
    if (count == 0 && to->task_path != NULL && to->bucket != 0)
        return 0; /* bucket 0 writes the empty result */
    if (count == 0)
        TRY(add_nothing(*reducer, stage));
    return stage->pieces.ranged ? finish_pieces(*reducer, stage, to)
                                : finish_file(reducer, stage, arguments, to);
}

static int reduce(const cli_stage *stage, const cli_arguments *arguments, result *to)
{
    ink_job      job = task_job(arguments);
    ink_reducer *reducer;
    ink_error    error;

    if (ink_reducer_create(&reducer, &stage->data.how, &stage->pieces, &job, &error) != INK_OK)
        return fail_error(NULL, &error);
    int code = reduce_with(&reducer, stage, arguments, to);
    ink_reducer_free(reducer);
    return code;
}

static int assemble(const cli_stage *stage, const cli_arguments *arguments, result *to)
{
    size_t        files = stage->data.input_count;
    ink_assembly *assembly;
    ink_error     error;
    uint64_t      count;

    if (arguments->options[OPTION_BUCKETS].given && files != stage->pieces.buckets)
        return fail_usage("%zu file%s of pieces, expected %" PRIu32 ", one of each bucket", files,
                          files == 1 ? "" : "s", stage->pieces.buckets);
    if (ink_assembly_open(&assembly, arguments->options[OPTION_TEMP].text, NULL, &error) != INK_OK)
        return fail_error(NULL, &error);
    int code = take_inputs(&stage->data, add_finished, assembly, &count);
    if (code == 0 && count == 0)
        code = fail(CODE_FILE, "no pieces, expected those of ink reduce --ranged");
    if (code == 0)
        code = write_assembly(assembly, stage, to);
    ink_assembly_close(assembly);
    return code;
}

/* ---- Verifying ---------------------------------------------------------------------------- */

typedef struct kept_pieces {
    ink_input *list;
    size_t     count, room;
} kept_pieces;

static ink_status keep_piece(void *host, const char *path, const uint8_t *piece, size_t count,
                             ink_error *error)
{
    kept_pieces *kept = host;
    uint8_t     *copy = need_memory(NULL, count);

    (void)error;
    memcpy(copy, piece, count);
    if (kept->count == kept->room) {
        kept->room = kept->room == 0 ? 64 : 2 * kept->room;
        kept->list = need_memory(kept->list, kept->room * sizeof *kept->list);
    }
    kept->list[kept->count++] = (ink_input){.path = path, .memory = copy, .memory_bytes = count};
    return INK_OK;
}

static void drop_pieces(kept_pieces *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free((void *)(uintptr_t)kept->list[i].memory);
    free(kept->list);
}

static int write_result(const ink_verification *verification, result *to)
{
    uint8_t  *bytes;
    size_t    count;
    ink_error error;

    if (ink_verification_encode(verification, &bytes, &count, &error) != INK_OK)
        return fail_error(NULL, &error);
    int code = target_begin(&to->target, to->path, to->overwrite);
    if (code == 0 && to->target.sink.write(to->target.sink.host, bytes, count) != 0)
        code = result_fails(to, &to->target.error);
    ink_bytes_free(bytes, count, NULL);
    return code;
}

static int verify_kept(const cli_stage *stage, const cli_arguments *arguments,
                       const kept_pieces *kept, result *to)
{
    const ink_verify_options options = {.secret = stage->secret};
    ink_job                  job = task_job(arguments);
    ink_verification        *verification;
    ink_error                error;

    if (ink_verify_pieces(&verification, stage->file, kept->list, kept->count, &stage->data.how,
                          &stage->pieces, to->bucket, &options, &job, &error) != INK_OK)
        return job_fails(&job, stage->sketches, &error);
    progress_clear();
    int code = write_result(verification, to);
    ink_verification_free(verification);
    return code;
}

static int verify(const cli_stage *stage, const cli_arguments *arguments, result *to)
{
    kept_pieces kept = {0};
    uint64_t    count;
    int         code = take_inputs(&stage->data, keep_piece, &kept, &count);

    if (code == 0)
        code = verify_kept(stage, arguments, &kept, to);
    drop_pieces(&kept);
    return code;
}

/* ---- Verification results put together ---------------------------------------------------- */

static int add_result(ink_verification *verification, const char *path)
{
    uint8_t  *bytes;
    size_t    count;
    ink_error error;

    TRY(file_read(path, &bytes, &count));
    ink_status status = ink_verification_add(verification, bytes, count, &error);
    free(bytes);
    return status == INK_OK ? 0 : fail_error(path, &error);
}

/* Without --buckets each file is the result of one bucket. */
static int assemble_results(const cli_stage *stage, const cli_arguments *arguments)
{
    const option_given *buckets = &arguments->options[OPTION_BUCKETS];
    uint64_t            count = buckets->given ? buckets->number : stage->data.input_count;
    ink_verification   *verification;
    ink_error           error;
    uint32_t            lacking;
    int                 code = 0;

    if (ink_verification_create(&verification, stage->file, (uint32_t)count, stage->secret, NULL,
                                &error) != INK_OK)
        return fail_error(stage->sketches, &error);
    for (size_t i = 0; code == 0 && i < stage->data.input_count; i++)
        code = add_result(verification, stage->data.inputs[i].path);
    if (code == 0 && ink_verification_lacks(verification, &lacking))
        code =
            fail(CODE_FILE,
                 "no verification result for bucket %" PRIu32 ", expected one for each of %" PRIu32,
                 lacking, stage->pieces.buckets);
    if (code == 0)
        code = verify_print(arguments, verification);
    ink_verification_free(verification);
    return code;
}

static int work(const cli_stage *stage, const cli_arguments *arguments)
{
    bool   assembles = arguments->options[OPTION_ASSEMBLE].given;
    bool   verifies = stage->work == STAGE_VERIFIES;
    result to = {0};

    if (verifies && assembles)
        return assemble_results(stage, arguments);
    int code = result_find(&to, stage, arguments);
    if (code == 0)
        code = assembles  ? assemble(stage, arguments, &to)
               : verifies ? verify(stage, arguments, &to)
                          : reduce(stage, arguments, &to);
    return result_end(&to, code);
}

static int run(const cli_arguments *arguments)
{
    return stage_run(arguments, work);
}

const cli_command command_reduce = {
    .group = "spread",
    .name = "reduce",
    .operands = "KIND[,KIND...] [FILE...]",
    .summary = "pieces of ink map in, sketches out",
    .about = "The reduce stage of ink build on many machines: takes the pieces that all maps wrote "
             "for one bucket, in any order, and writes the sketches of its groups; kinds and "
             "options are those of ink map. With --ranged it writes finished pieces, which "
             "--assemble joins into one file; with --verify it writes verification results, and "
             "--assemble prints what ink verify does. In a Hadoop task the result is a file in the "
             "task's output folder, over WebHDFS.",
    .offers = OFFERS(
        OFFER(VERIFY), OFFER(ASSEMBLE), OFFER(BUCKETS), OFFER(BUCKET), OFFER(RANGED),
        OFFERS_RECORDS, OFFER(HEADER_LINE), OFFER(WEIGHT), OFFER(BY), OFFER(ROUND), OFFERS_HASH,
        OFFER(KEYS), OFFERS_SIZES, OFFER(HEADROOM), OFFER(MAX_RATE),
        OFFER_AS(MEMORY, "memory for what is kept of records, such as 64M (default 256M)"),
        OFFER(THREADS),
        OFFER_AS(OUTPUT, "where the result goes (standard output): a file, or an address,\n"
                         "webhdfs://HOST:PORT/PATH?user.name=USER"),
        OFFER(FORCE), OFFER(TEMP), OFFERS_RUN,
        OFFER_AS(QUIET, "with --verify --assemble: print nothing; the exit code is the result"),
        OFFER_AS(JSON, "with --verify --assemble: one JSON object a line"),
        OFFER_AS(TSV, "with --verify --assemble: fields separated by tabs")),
    .examples = LINES("ink map bloom < words.txt | ink reduce bloom > both.ink   # as ink build",
                      "ink map bloom < mon.txt > mon.pieces; ink map bloom < tue.txt > tue.pieces",
                      "cat mon.pieces tue.pieces | ink reduce bloom -o week.ink",
                      "ink map bloom -n 1e7 --ranged < words.txt | \\\n"
                      "    ink reduce bloom -n 1e7 --ranged > part-0.pieces   # one range of keys",
                      "ink reduce --assemble bloom -n 1e7 -o large.ink part-*.pieces",
                      "ink map --verify words.ink < words.txt | \\\n"
                      "    ink reduce --verify words.ink > part-0.verdict",
                      "ink reduce --verify words.ink --assemble part-*.verdict"),
    .codes = LINES("0  the result is written; every promise is kept",
                   "1  a filter would break its promised rate; nothing is written",
                   "1  with --verify --assemble: a promise is broken, as with ink verify",
                   "3  also: a frame is cut or damaged, or of another job",
                   "4  also: standard output was closed before the end"),
    .words = kind_words,
    .suggestions_join = true,
    .data_from = 2,
    .run = run,
};
