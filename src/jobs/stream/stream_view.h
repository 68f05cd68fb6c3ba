/* stream_view.h - the last complete batch, for queries: copies of all sketches, which stay constant
 * while the stream goes on, and live until their last reference is released. */
#ifndef INK_JOBS_STREAM_STREAM_VIEW_H
#define INK_JOBS_STREAM_STREAM_VIEW_H

#include "jobs/stream/stream_sketches.h"

/* Copies the sketches. One reference is the caller's. */
ink_status ink__stream_view_create(ink_stream_view **view, const ink__stream_sketches *sketches,
                                   const ink_stream_report *report, ink_error *error);
/* Takes one more reference to a view that cannot go meanwhile; NULL is allowed. */
void ink__stream_view_keep(ink_stream_view *view);

#endif
