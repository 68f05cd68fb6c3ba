/* stream.c - ink stream: train and query sketches at the same time. */
#define _XOPEN_SOURCE 700
#include "arguments/arguments.h"
#include "arguments/inputs.h"
#include "arguments/kind_params.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/signals.h"
#include "stream/answer_lines.h"
#include "stream/live.h"
#include "stream/specs.h"
#include "stream/stream_messages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* A signal ends the stream as the end of the data would. */
static void end_stream(void *host)
{
    ink_stream_stop(host);
}

/* Every connection takes a file descriptor. */
static void allow_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit); /* if it fails, fewer connections are possible */
    }
}

/* Whether clients connect to a source, rather than it being opened. */
static bool is_address(const char *source)
{
    return strncmp(source, "tcp://", 6) == 0 || strncmp(source, "unix:", 5) == 0;
}

static bool is_standard(const char *source)
{
    return strcmp(source, "-") == 0;
}

static int check_sources(const cli_arguments *arguments, const char *const *trains, size_t count)
{
    if (arguments->operand_count > 0)
        return fail_usage("%s beside options, expected --train %s for records",
                          shown(arguments->operands[0]), shown(arguments->operands[0]));
    if (count == 0)
        return fail_usage(
            "stream without --train, expected a file, a FIFO, -, tcp://HOST:PORT or unix:PATH");
    for (size_t i = 0; i < count; i++) {
        bool alone = is_address(trains[i]) || is_standard(trains[i]);
        if (alone && count > 1)
            return fail_usage("--train %s beside others, expected it alone, or files",
                              shown(trains[i]));
        if (alone && arguments->options[OPTION_FOLLOW].given)
            return fail_usage("--follow and --train %s, expected a file that grows",
                              shown(trains[i]));
    }
    return 0;
}

/* Options that need another one. */
static int check_pairs(const cli_arguments *arguments)
{
    static const struct {
        option_id   id, needs;
        const char *expected;
    } pairs[] = {
        {OPTION_SLOTS, OPTION_WINDOW, "--window T"},   {OPTION_TIME, OPTION_WINDOW, "--window T"},
        {OPTION_TIME_UNIT, OPTION_TIME, "--time COL"}, {OPTION_SEEN, OPTION_QUESTIONS, "--ask SRC"},
        {OPTION_JSON, OPTION_QUESTIONS, "--ask SRC"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (arguments->options[pairs[i].id].given && !arguments->options[pairs[i].needs].given)
            return fail_usage("%s without %s, expected %s", option_name(pairs[i].id),
                              option_name(pairs[i].needs), pairs[i].expected);
    if (!arguments->options[OPTION_STATE].given)
        return fail_usage("stream without --state, expected a folder for state.ink");
    const option_given *page = &arguments->options[OPTION_HTTP];
    return page->given ? live_check(page->text) : 0;
}

/* A running stream: its answers, and its messages. */
typedef struct stream_run {
    answer_lines    lines; /* first: answer_lines_answer takes a run for it */
    stream_messages stream_messages;
} stream_run;

static void notify(void *host, ink_stream_event event, const ink_stream_report *report,
                   const char *text)
{
    stream_run *run = host;

    stream_messages_event(&run->stream_messages, event, report, text);
}

static ink_stream_options options_of(const cli_arguments *arguments, stream_run *run)
{
    static const ink_sink standard = {out_sink, NULL};
    const option_given   *options = arguments->options;
    const option_given   *every = &options[OPTION_EVERY];

    return (ink_stream_options){
        .ask = options[OPTION_QUESTIONS].text,
        .folder = options[OPTION_STATE].text,
        .follow = options[OPTION_FOLLOW].given,
        .every_records = every->timed ? 0 : every->number,
        .every_microseconds = every->timed ? every->number : 0,
        .checkpoint_batches = options[OPTION_CHECKPOINT].number,
        .window_microseconds = options[OPTION_WINDOW].number,
        .slots = (uint32_t)options[OPTION_SLOTS].number,
        .renew = options[OPTION_RENEW].given,
        .views = options[OPTION_HTTP].given,
        .answer = answer_lines_answer,
        .answers = &standard,
        .notify = notify,
        .host = run,
    };
}

/* Runs a stream that is open, with its page, to its end. */
static int run_open(const cli_arguments *arguments, ink_stream *stream, stream_run *run,
                    const ink_job *job)
{
    const option_given *page = &arguments->options[OPTION_HTTP];
    ink_error           error;

    if (page->given)
        TRY(live_start(&run->stream_messages.page, page->text, stream, run->stream_messages.options,
                       run->lines.key_columns));
    stream_messages_begin(&run->stream_messages, stream);
    path_announce(run->stream_messages.options->train[0]);
    path_announce(run->stream_messages.options->ask);
    signals_begin(end_stream, stream);
    ink_status status = ink_stream_run(stream, &error);
    signals_heed();
    live_stop(run->stream_messages.page);
    run->stream_messages.page = NULL;
    if (status != INK_OK)
        return out_failed() ? CODE_IO : stream_messages_failure(&run->stream_messages, job, &error);
    stream_messages_end(&run->stream_messages, stream);
    return 0;
}

static int run_stream(const cli_arguments *arguments, const ink_stream_options *options,
                      const ink_reading *how, stream_run *run)
{
    ink_job     job = {0};
    ink_stream *stream;
    ink_error   error;

    allow_files();
    if (ink_stream_open(&stream, how, options, &job, &error) != INK_OK)
        return stream_messages_failure(&run->stream_messages, &job, &error);
    run->lines.stream = stream;
    int code = run_open(arguments, stream, run, &job);
    ink_stream_close(stream);
    signals_over();
    if (code == 0) /* an error code comes first */
        signals_die();
    return code;
}

static int run_trains(const cli_arguments *arguments, const char *const *trains, size_t count)
{
    ink_params         kinds[KINDS_MAX];
    stream_run         run = {0};
    ink_stream_options options = options_of(arguments, &run);
    const uint8_t     *secret;
    cli_data           data;

    TRY(check_sources(arguments, trains, count));
    TRY(specs_read(arguments, kinds, &options.kind_count));
    TRY(check_pairs(arguments));
    if (arguments->options[OPTION_SEEN].given && !specs_have_filter(kinds, options.kind_count))
        return fail_usage("--seen without a filter, expected --sketch bloom or another");
    TRY(secret_read(arguments, &secret));
    TRY(data_begin(&data, arguments, trains, count));
    sizes_hash(arguments, secret, kinds, options.kind_count);
    options.train = trains;
    options.train_count = count;
    options.kinds = kinds;
    run.lines.json = arguments->options[OPTION_JSON].given;
    run.lines.seen = arguments->options[OPTION_SEEN].given;
    run.lines.key_columns = data.how.key_count;
    run.stream_messages.options = &options;
    run.stream_messages.quiet = arguments->options[OPTION_QUIET].given;
    int code = run_stream(arguments, &options, &data.how, &run);
    answer_lines_end(&run.lines);
    data_end(&data);
    return code;
}

static int run(const cli_arguments *arguments)
{
    const char **trains = need_memory(NULL, arguments->item_count * sizeof *trains);
    size_t       count = options_list(arguments, OPTION_TRAIN, trains, arguments->item_count);
    int          code = run_trains(arguments, trains, count);
    free(trains);
    return code;
}

const cli_command command_stream = {
    .group = "live",
    .name = "stream",
    .operands = "--train SRC [--ask SRC] --sketch KIND[:SIZES]... --state DIR",
    .summary = "train and ask at the same time",
    .about = "Reads records as they arrive, in batches, and answers queries from the last complete "
             "batch. After each batch the sketches are saved in "
             "DIR/state.ink, which every other command can read. However the stream ends, the same "
             "command resumes from there.",
    .offers = OFFERS(
        OFFER(TRAIN), OFFER(QUESTIONS), OFFER(SKETCH), OFFER(STATE), OFFER(EVERY),
        OFFER(CHECKPOINT), OFFER(FOLLOW), OFFER(WINDOW), OFFER(SLOTS), OFFER(GROW), OFFER(RENEW),
        OFFER(SEEN), OFFER(HTTP), OFFERS_RECORDS, OFFER(WEIGHT), OFFERS_TIMES, OFFERS_HASH,
        OFFER_AS(KEYS,
                 "filters: how many different keys to plan for, with --window those of the whole "
                 "window; "
                 "needed unless the filter grows. If there is one --sketch, its sizes may be "
                 "options, as "
                 "this one; if there are several, sizes follow their kinds: bloom:n=1e6"),
        OFFERS_SIZES,
        {.id = OPTION_QUIET, .apart = true, .about = "print nothing on standard error but errors"},
        OFFER_AS(JSON, "print answers as JSON, one object a line")),
    .examples =
        LINES("ink stream --train words.txt --sketch bloom -n 1e6 -p 0.01 --every 50000 \\\n"
              "    --state seen                     # run again, it adds nothing",
              "ink stream --train words.txt --sketch bloom -n 1e6 --state seen --ask keys.txt",
              "printf 'DISTINCT\\nTOP 3\\n' | ink stream --train access.log --fields --key 1 \\\n"
              "    --sketch hll --sketch top:k=100 --state hosts --ask - --json",
              "cat access.log | ink stream --train - --fields --key 1 --sketch count-min \\\n"
              "    --window 10m --slots 10 --state lately"),
    .codes = LINES("0  the data and the questions have ended, and the state is saved"),
    .run = run,
};
