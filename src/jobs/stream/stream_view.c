/* stream_view.c - the last complete batch, for queries. */
#include "jobs/stream/stream_view.h"

#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/threads.h"

#include <stdatomic.h>

/* What is known of one sketch. */
typedef struct seen {
    ink_sketch *sketch;
    bool        measured; /* then its rate is: */
    double      rate;
} seen;

struct ink_stream_view {
    ink_allocator     allocator;
    atomic_uint       references;
    ink_stream_report report;
    ink__mutex        mutex; /* for what is measured */
    size_t            count;
    seen              seen[]; /* one for each kind */
};

static uint64_t bytes_of(size_t count)
{
    return sizeof(ink_stream_view) + count * sizeof(seen);
}

static void free_view(ink_stream_view *view)
{
    ink_allocator allocator = view->allocator;

    for (size_t i = 0; i < view->count; i++)
        ink_sketch_free(view->seen[i].sketch);
    ink__mutex_close(&view->mutex);
    ink__release(&allocator, view, bytes_of(view->count));
}

ink_status ink__stream_view_create(ink_stream_view **view, const ink__stream_sketches *sketches,
                                   const ink_stream_report *report, ink_error *error)
{
    uint64_t         bytes = bytes_of(sketches->count);
    ink_stream_view *made;

    INK__TRY(ink__allocate_zeroed(&sketches->allocator, bytes, &made, error));
    made->allocator = sketches->allocator;
    made->report = *report;
    made->count = sketches->count;
    atomic_init(&made->references, 1);
    ink_status status = ink__mutex_open(&made->mutex, error);
    if (status != INK_OK) {
        ink__release(&sketches->allocator, made, bytes);
        return status;
    }
    for (size_t i = 0; i < made->count && status == INK_OK; i++)
        status = ink__stream_sketches_copy(sketches, i, &made->seen[i].sketch, error);
    if (status != INK_OK) {
        free_view(made);
        return status;
    }
    *view = made;
    return INK_OK;
}

void ink__stream_view_keep(ink_stream_view *view)
{
    if (view != NULL)
        atomic_fetch_add_explicit(&view->references, 1, memory_order_relaxed);
}

void ink_stream_view_release(const ink_stream_view *view)
{
    ink_stream_view *mine = (ink_stream_view *)(uintptr_t)view;

    if (mine != NULL && atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) == 1)
        free_view(mine);
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
    ink_stream_view  *mine = (ink_stream_view *)(uintptr_t)view;
    const ink_sketch *sketch;
    ink_status        status = INK_OK;

    INK__TRY(ink_stream_view_sketch(view, index, &sketch, error));
    seen *known = &mine->seen[index];
    ink__mutex_lock(&mine->mutex);
    if (!known->measured)
        status = ink_sketch_rate(sketch, &known->rate, error);
    known->measured = status == INK_OK;
    *rate = known->rate;
    ink__mutex_unlock(&mine->mutex);
    return status;
}
