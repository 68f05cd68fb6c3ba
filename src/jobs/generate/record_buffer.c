/* record_buffer.c - the buffer between the records of a generator and a sink. */
#include "jobs/generate/generator.h"

#include "base/status.h"
#include "base/system.h"

ink_status ink__record_buffer_flush(ink__record_buffer *buffer, ink_error *error)
{
    const ink_job *job = buffer->job;
    int            os_error = 0;

    if (buffer->used > 0)
        os_error = buffer->sink->write(buffer->sink->host, buffer->bytes, buffer->used);
    if (os_error != 0)
        return ink__fail_io(error, os_error, "writing records");
    buffer->used = 0;
    if (job == NULL || job->progress == NULL)
        return INK_OK;
    const ink_progress progress = {
        .phase = INK_PHASE_FILLING,
        .done = buffer->count,
        .total = buffer->total,
        .records = buffer->count,
        .seconds = (double)(ink__system_now()->nanoseconds() - buffer->began_ns) * 1e-9,
    };
    if (job->progress(job->host, &progress))
        return INK_OK;
    return ink__fail(error, INK_STOPPED, INK_NOWHERE, 0, "stopped after %llu of %llu records",
                     (unsigned long long)buffer->count, (unsigned long long)buffer->total);
}
