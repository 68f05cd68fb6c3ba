/* payload.c - a payload that has the same form in memory and in a file. */
#include "sketch/kinds/payload.h"

#include "base/status.h"
#include "base/tuning.h"

#include <string.h>

static ink__payload *payload_of(ink_sketch *sketch)
{
    return (ink__payload *)(void *)(sketch + 1);
}

ink_status ink__payload_start(ink_sketch *sketch, uint64_t bytes, const uint8_t *from,
                              ink_error *error)
{
    ink__payload *payload = payload_of(sketch);

    payload->data = from;
    if (from != NULL && sketch->read_only)
        return INK_OK;
    INK__TRY((from == NULL ? ink__block_create
                           : ink__block_take)(&payload->block, &sketch->allocator, bytes, error));
    payload->data = payload->block.data;
    if (from != NULL && bytes > 0)
        memcpy(payload->block.data, from, (size_t)bytes);
    return INK_OK;
}

ink_status ink__payload_take(ink_sketch *sketch, const ink__shape *shape, uint64_t at,
                             const uint8_t *bytes, uint64_t count, ink_error *error)
{
    const ink__payload *payload = payload_of(sketch);

    memcpy(payload->block.data + at, bytes, (size_t)count);
    if (at + count < shape->payload_bytes || sketch->kind->check_payload == NULL)
        return INK_OK;
    return sketch->kind->check_payload(shape, &sketch->rule, payload->data, error);
}

void ink__payload_release(ink_sketch *sketch)
{
    ink__block_release(&payload_of(sketch)->block, &sketch->allocator);
}

static const ink__payload *const_payload_of(const ink_sketch *sketch)
{
    return (const ink__payload *)(const void *)(sketch + 1);
}

uint64_t ink__payload_memory(const ink_sketch *sketch)
{
    return const_payload_of(sketch)->block.base_bytes;
}

const uint8_t *ink__payload_in_place(const ink_sketch *sketch, uint8_t *scratch)
{
    (void)scratch;
    return const_payload_of(sketch)->data;
}

void ink__payload_merge_share(ink_sketch *into, const ink_sketch *from, unsigned share,
                              unsigned shares)
{
    const ink__shape shape = ink__shape_of(into);
    const uint64_t   bytes = shape.payload_bytes;
    const uint64_t   lines = bytes / INK__LINE_BYTES + 1; /* the last one may be empty */
    const uint64_t   first = lines * share / shares * INK__LINE_BYTES;
    const uint64_t   after = lines * (share + 1) / shares * INK__LINE_BYTES;
    const uint64_t   end = after < bytes ? after : bytes;

    if (first < end)
        into->kind->merge_slice(into->kernels, &shape, payload_of(into)->block.data + first,
                                const_payload_of(from)->data + first, (size_t)(end - first));
}
