/* views.h - views without a stream: the library's calls, over sketches that a test makes. A program
 * that includes it has these instead of those of jobs/stream. */
#ifndef INK_TESTS_VIEWS_H
#define INK_TESTS_VIEWS_H

#include "inkling_stream.h"

#include "support/check.h"
#include "support/records.h"

enum { VIEWS_SKETCHES = 4 };

struct ink_stream_view {
    ink_stream_report report;
    ink_sketch       *sketches[VIEWS_SKETCHES];
    size_t            count;
};

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
    (void)error;
    if (index >= view->count)
        return INK_NOT_FOUND;
    *sketch = view->sketches[index];
    return INK_OK;
}

ink_status ink_stream_view_rate(const ink_stream_view *view, size_t index, double *rate,
                                ink_error *error)
{
    return ink_sketch_rate(view->sketches[index], rate, error);
}

/* A view of one sketch, to which others can be added; freed at the end of its block. */
#define owned_view OWNED(views_free) ink_stream_view

static void views_add(ink_stream_view *view, const ink_params *params)
{
    ink_error error;

    CHECK_OK(ink_sketch_create(&view->sketches[view->count++], params, NULL, &error));
}

static ink_stream_view views_of(const ink_params *params)
{
    ink_stream_view view = {.count = 0};

    views_add(&view, params);
    return view;
}

static void views_free(ink_stream_view *view)
{
    while (view->count > 0)
        ink_sketch_free(view->sketches[--view->count]);
}

/* Adds a key to all sketches, as often as `times` says. */
static void views_put(ink_stream_view *view, const void *key, size_t bytes, unsigned times)
{
    ink_error error;

    for (size_t i = 0; i < view->count; i++)
        for (unsigned k = 0; k < times; k++)
            CHECK_OK(ink_sketch_add(view->sketches[i], key, bytes, &error));
}

#endif
