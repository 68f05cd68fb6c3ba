/* stream_report.c - what a running stream shows: counts, events, and the view for queries. */
#include "base/status.h"
#include "base/system.h"
#include "jobs/stream/stream_view.h"
#include "jobs/stream/streaming.h"

void ink_stream_now(ink_stream *stream, ink_stream_report *report)
{
    uint64_t now = ink__system_now()->nanoseconds();

    ink__mutex_lock(&stream->mutex);
    uint64_t began = stream->began;
    *report = stream->report;
    ink__mutex_unlock(&stream->mutex);
    report->run_records = atomic_load_explicit(&stream->run_records, memory_order_relaxed);
    report->seconds = began == 0 || now < began ? 0 : (double)(now - began) / 1e9;
    if (stream->live != NULL)
        report->train_connections = ink__live_source_connections(stream->live);
    if (stream->server != NULL) {
        report->ask_connections = stream->server->connections;
        report->questions = stream->server->answered;
    }
}

void ink__stream_report(ink_stream *all, ink_stream_event event, const char *text)
{
    ink_stream_report report;

    if (all->options->notify == NULL)
        return;
    ink_stream_now(all, &report);
    ink__mutex_lock(&all->notifying);
    all->options->notify(all->options->host, event, &report, text);
    ink__mutex_unlock(&all->notifying);
}

ink_status ink__stream_publish(ink_stream *all, ink_error *error)
{
    const ink__stream_position *position = &all->state.position;
    ink_stream_view            *view = NULL, *before;
    ink_stream_report           report;

    ink__mutex_lock(&all->mutex);
    all->report.batches = position->batches;
    all->report.records = position->records;
    all->report.bad = position->bad;
    all->report.late = position->late;
    all->report.cut = position->cut;
    all->report.timed = position->timed;
    all->report.newest = position->newest;
    ink__mutex_unlock(&all->mutex);
    ink_stream_now(all, &report);
    if (all->options->views || all->options->ask != NULL)
        INK__TRY(ink__stream_view_create(&view, &all->sketches, &report, error));
    ink__mutex_lock(&all->mutex);
    before = all->view;
    all->view = view;
    ink__mutex_unlock(&all->mutex);
    ink_stream_view_release(before);
    return INK_OK;
}

const ink_stream_view *ink_stream_view_take(ink_stream *stream)
{
    ink__mutex_lock(&stream->mutex);
    ink_stream_view *view = stream->view;
    ink__stream_view_keep(view);
    ink__mutex_unlock(&stream->mutex);
    return view;
}
