/* stream_messages.c - messages of a stream on standard error. */
#include "stream/stream_messages.h"

#include "arguments/inputs.h"
#include "report/failure.h"
#include "report/text_buffer.h"
#include "report/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_BYTES = 512 };

/* Appends the path of the state's file. */
static void put_path(const stream_messages *messages, cli_text *to)
{
    const char *folder = messages->options->folder;
    size_t      length = strlen(folder);

    while (length > 1 && folder[length - 1] == '/')
        length--;
    text_bytes(to, folder, length);
    text_put(to, folder[length - 1] == '/' ? "state.ink" : "/state.ink");
}

/* Begins a line with that path. */
static void begin_line(const stream_messages *messages, cli_text *line)
{
    char     shown_file[REPORT_BYTES];
    cli_text path = {0};

    put_path(messages, &path);
    utf8_show(shown_file, sizeof shown_file, path.bytes, path.count);
    text_format(line, "%s: ", shown_file);
    text_free(&path);
}

static void end_line(cli_text *line)
{
    say("%.*s", (int)line->count, line->bytes);
    text_free(line);
}

static void put_address(cli_text *line, const char *before, const char *address)
{
    char shown_address[REPORT_BYTES];

    if (strcmp(address, "-") == 0)
        address = "standard input";
    utf8_show(shown_address, sizeof shown_address, address, strlen(address));
    text_format(line, "%s%s", before, shown_address);
}

static void put_count(cli_text *line, const char *before, uint64_t count, const char *one,
                      const char *several)
{
    text_format(line, "%s%" PRIu64 " %s", before, count, count == 1 ? one : several);
}

int stream_messages_failure(const stream_messages *messages, const ink_job *job,
                            const ink_error *error)
{
    cli_text path = {0};

    if (job->failed_file == NULL)
        return job_fails(job, NULL, error);
    put_path(messages, &path);
    text_bytes(&path, "", 1);
    int code = fail_error(path.bytes, error);
    text_free(&path);
    return code;
}

void stream_messages_begin(stream_messages *messages, ink_stream *stream)
{
    size_t            sources = messages->options->train_count;
    cli_text          line = {0};
    ink_stream_report now;

    ink_stream_now(stream, &now);
    messages->before = now.records;
    if (messages->quiet)
        return;
    begin_line(messages, &line);
    if (now.batches > 0)
        text_format(&line, "resumes after record %" PRIu64, now.records);
    else
        text_put(&line, "begins");
    put_address(&line, "; records from ", ink_stream_train_address(stream));
    if (sources > 1)
        put_count(&line, " and ", sources - 1, "more file", "more files");
    if (messages->options->ask != NULL)
        put_address(&line, "; questions from ", ink_stream_ask_address(stream));
    if (messages->page != NULL)
        put_address(&line, "; page at ", live_address(messages->page));
    end_line(&line);
}

static void put_text(cli_text *line, const char *text)
{
    char shown_text[2 * REPORT_BYTES];

    utf8_show(shown_text, sizeof shown_text, text, strlen(text));
    text_put(line, shown_text);
}

/* Failed saves are reported once, and again when saving works. */
static bool is_news(stream_messages *messages, ink_stream_event event, const char *text)
{
    bool before = messages->unsaved;

    if (event == INK_STREAM_NOT_SAVED || event == INK_STREAM_SAVED) {
        messages->unsaved = event == INK_STREAM_NOT_SAVED;
        return messages->unsaved != before;
    }
    return text != NULL;
}

void stream_messages_event(stream_messages *messages, ink_stream_event event,
                           const ink_stream_report *report, const char *text)
{
    cli_text line = {0};

    live_report(messages->page, event, text);
    if (!is_news(messages, event, text) || messages->quiet)
        return;
    begin_line(messages, &line);
    if (event == INK_STREAM_SAVED)
        text_format(&line, "saved again, up to record %" PRIu64, report->saved_records);
    else
        put_text(&line, text);
    if (event == INK_STREAM_NOT_SAVED)
        text_format(&line, "; saved up to record %" PRIu64 ", the next batch tries again",
                    report->saved_records);
    if (event == INK_STREAM_FULL)
        text_put(&line, messages->options->window_microseconds == 0
                            ? "; expected a larger -n, --grow or --renew"
                            : "; expected a larger -n or --grow");
    end_line(&line);
}

void stream_messages_end(const stream_messages *messages, ink_stream *stream)
{
    cli_text          line = {0};
    ink_stream_report now;

    if (messages->quiet)
        return;
    ink_stream_now(stream, &now);
    begin_line(messages, &line);
    put_count(&line, "", now.records, "record", "records");
    put_count(&line, " in ", now.batches, "batch", "batches");
    text_format(&line, ", %" PRIu64 " new", now.records - messages->before);
    if (now.bad > 0)
        text_format(&line, ", %" PRIu64 " bad and skipped", now.bad);
    if (now.late > 0)
        text_format(&line, ", %" PRIu64 " late and left out", now.late);
    if (now.cut > 0)
        text_format(&line, ", %" PRIu64 " cut and lost", now.cut);
    if (now.saved_batches < now.batches)
        text_format(&line, "; saved up to record %" PRIu64, now.saved_records);
    end_line(&line);
}
