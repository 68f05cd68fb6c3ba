/* stream_view.c - what a running stream shows: counts, events, and the last complete batch for
 * queries. A view has copies of all sketches, which stay constant while the stream goes on, and
 * lives until its last reference is released. */
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/stream/streaming.h"

/* ---- Views -------------------------------------------------------------------------------- */

typedef struct seen {
    ink_sketch    *sketch;
    _Atomic double rate; /* negative: not measured yet */
} seen;

struct ink_stream_view {
    ink_allocator     allocator;
    uint64_t          bytes; /* of all this */
    atomic_uint       references;
    ink_stream_report report;
    size_t            count;
    seen              seen[]; /* one for each kind */
};

ink_status ink__stream_view_create(ink_stream_view **view, const ink__stream_sketches *sketches,
                                   const ink_stream_report *report, ink_error *error)
{
    uint64_t         bytes = sizeof **view + sketches->count * sizeof(seen);
    ink_stream_view *made;

    INK__TRY(ink__allocate_zeroed(&sketches->allocator, bytes, &made, error));
    made->allocator = sketches->allocator;
    made->bytes = bytes;
    made->report = *report;
    made->count = sketches->count;
    atomic_init(&made->references, 1);
    ink_status status = INK_OK;
    for (size_t i = 0; i < made->count && status == INK_OK; i++) {
        atomic_init(&made->seen[i].rate, -1);
        status = ink__stream_sketches_copy(sketches, i, &made->seen[i].sketch, error);
    }
    if (status == INK_OK)
        *view = made;
    else
        ink_stream_view_release(made);
    return status;
}

void ink_stream_view_release(const ink_stream_view *view)
{
    ink_stream_view *mine = (ink_stream_view *)(uintptr_t)view;

    if (mine == NULL || atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) != 1)
        return;
    ink_allocator allocator = mine->allocator;
    for (size_t i = 0; i < mine->count; i++)
        ink_sketch_free(mine->seen[i].sketch);
    ink__release(&allocator, mine, mine->bytes);
}

const ink_stream_report *ink_stream_view_report(const ink_stream_view *view)
{
    return &view->report;
}

size_t ink_stream_view_count(const ink_stream_view *view)
{
    return view->count;
}

ink_status ink_stream_view_sketch(const ink_stream_view *view, size_t index,
                                  const ink_sketch **sketch, ink_error *error)
{
    if (index >= view->count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "sketch %zu, but there are %zu",
                         index, view->count);
    *sketch = view->seen[index].sketch;
    return INK_OK;
}

ink_status ink_stream_view_rate(const ink_stream_view *view, size_t index, double *rate,
                                ink_error *error)
{
    const ink_sketch *sketch;

    INK__TRY(ink_stream_view_sketch(view, index, &sketch, error));
    seen *known = &((ink_stream_view *)(uintptr_t)view)->seen[index];
    *rate = atomic_load(&known->rate);
    if (*rate >= 0)
        return INK_OK;
    INK__TRY(ink_sketch_rate(sketch, rate, error));
    atomic_store(&known->rate, *rate);
    return INK_OK;
}

/* ---- A running stream --------------------------------------------------------------------- */

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
    if (view != NULL)
        atomic_fetch_add_explicit(&view->references, 1, memory_order_relaxed);
    ink__mutex_unlock(&stream->mutex);
    return view;
}
