/* arrow_stream.c - a stream of Arrow arrays as slices of rows. */
#include "input/arrow/arrow_stream.h"

#include "base/memory.h"
#include "base/status.h"
#include "input/arrow/arrow_check.h"

#include <errno.h>
#include <string.h>

struct ink__arrow_stream {
    ink_allocator            allocator;
    struct ArrowArrayStream *from;
    struct ArrowSchema       schema;
    ink__arrow_plan          plan;
    ink__arrow_batch        *batch; /* that slices are cut from; NULL: none */
    uint64_t                 cut;   /* rows of it that are in slices */
    uint64_t                 rows;  /* of all batches before it */
    uint64_t                 users; /* batches, and the source */
};

/* ---- References --------------------------------------------------------------------------- */

static void leave_stream(ink__arrow_stream *stream)
{
    if (--stream->users > 0)
        return;
    if (stream->schema.release != NULL)
        stream->schema.release(&stream->schema);
    ink_allocator allocator = stream->allocator;
    ink__release(&allocator, stream, sizeof *stream);
}

static void leave_batch(ink__arrow_batch *batch)
{
    if (batch == NULL || --batch->users > 0)
        return;
    ink__arrow_stream *stream = batch->stream;
    if (batch->array.release != NULL)
        batch->array.release(&batch->array);
    ink__release(&stream->allocator, batch, sizeof *batch);
    leave_stream(stream);
}

void ink__arrow_slice_release(ink__arrow_slice *slice)
{
    leave_batch(slice->batch);
    *slice = (ink__arrow_slice){0};
}

void ink__arrow_stream_close(ink__arrow_stream *stream)
{
    if (stream == NULL)
        return;
    leave_batch(stream->batch);
    stream->batch = NULL;
    leave_stream(stream);
}

/* ---- The stream --------------------------------------------------------------------------- */

/* With the producer's own message, if it has one. */
static ink_status fail_stream(struct ArrowArrayStream *from, int code, const char *what,
                              ink_error *error)
{
    const char *why = from->get_last_error == NULL ? NULL : from->get_last_error(from);

    if (why == NULL || why[0] == '\0')
        return ink__fail_io(error, code, what);
    ink_status status = code == ENOMEM ? INK_MEMORY : INK_IO;
    ink__fail(error, status, INK_NOWHERE, 0, "%s: %s", what, why);
    if (status == INK_IO && error != NULL)
        error->os_error = code;
    return status;
}

static ink_status get_schema(struct ArrowArrayStream *from, struct ArrowSchema *schema,
                             ink_error *error)
{
    memset(schema, 0, sizeof *schema);
    if (from->release == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a stream of Arrow arrays that was released, expected one to read");
    int code = from->get_schema(from, schema);
    if (code == 0)
        return INK_OK;
    schema->release = NULL; /* it may be set all the same */
    return fail_stream(from, code, "cannot ask a stream of Arrow arrays for its schema", error);
}

ink_status ink__arrow_stream_key_type(struct ArrowArrayStream *stream,
                                      const ink__arrow_wanted *wanted, ink_key_type *type,
                                      ink_error *error)
{
    struct ArrowSchema schema;
    ink__arrow_plan    plan;

    INK__TRY(get_schema(stream, &schema, error));
    ink_status status = ink__arrow_plan_make(&plan, &schema, wanted, error);
    if (schema.release != NULL)
        schema.release(&schema);
    if (status == INK_OK)
        *type = plan.key_type;
    return status;
}

ink_status ink__arrow_stream_open(ink__arrow_stream **stream, const ink__arrow_part *part,
                                  const ink_allocator *allocator, ink_error *error)
{
    ink__arrow_stream *made;

    INK__TRY(ink__allocate_zeroed(allocator, sizeof *made, &made, error));
    made->allocator = *allocator;
    made->from = part->stream;
    made->users = 1;
    ink_status status = get_schema(part->stream, &made->schema, error);
    if (status == INK_OK)
        status = ink__arrow_plan_make(&made->plan, &made->schema, part->wanted, error);
    if (status == INK_OK)
        status = ink__arrow_plan_keys(&made->plan, part->key_type, error);
    if (status != INK_OK) {
        leave_stream(made);
        return status;
    }
    *stream = made;
    return INK_OK;
}

/* ---- Batches ------------------------------------------------------------------------------ */

/* Pulls the next array and checks it before jobs see a row; the batch stays NULL at the end. */
static ink_status pull(ink__arrow_stream *stream, ink_error *error)
{
    ink__arrow_batch *batch;

    INK__TRY(ink__allocate_zeroed(&stream->allocator, sizeof *batch, &batch, error));
    *batch = (ink__arrow_batch){
        .stream = stream, .plan = &stream->plan, .before = stream->rows, .users = 1};
    stream->users++;
    ink_status status = INK_OK;
    int        code = stream->from->get_next(stream->from, &batch->array);
    if (code != 0) {
        batch->array.release = NULL;
        status = fail_stream(stream->from, code, "cannot read a stream of Arrow arrays", error);
    } else if (batch->array.release != NULL) {
        status = ink__arrow_check(&stream->plan, &batch->array, error);
    }
    if (status != INK_OK && error != NULL && error->location == INK_AT_KEY) {
        error->location = INK_AT_LINE;
        error->at += batch->before + 1;
    }
    if (status != INK_OK || batch->array.release == NULL) {
        leave_batch(batch);
        return status;
    }
    stream->batch = batch;
    stream->cut = 0;
    stream->rows += (uint64_t)batch->array.length;
    return INK_OK;
}

ink_status ink__arrow_stream_next(ink__arrow_stream *stream, uint64_t most, ink__arrow_slice *slice,
                                  ink_error *error)
{
    *slice = (ink__arrow_slice){0};
    while (stream->batch == NULL || stream->cut == (uint64_t)stream->batch->array.length) {
        leave_batch(stream->batch);
        stream->batch = NULL;
        INK__TRY(pull(stream, error));
        if (stream->batch == NULL)
            return INK_OK;
    }
    uint64_t left = (uint64_t)stream->batch->array.length - stream->cut;
    uint64_t count = left < most ? left : most;
    *slice = (ink__arrow_slice){stream->batch, stream->cut, stream->cut + count};
    stream->batch->users++;
    stream->cut += count;
    return INK_OK;
}
