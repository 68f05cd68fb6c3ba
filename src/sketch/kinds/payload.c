/* payload.c - a payload that stands in memory as it stands in a file. */
#include "sketch/kinds/payload.h"

#include "base/status.h"

#include <string.h>

ink_status ink__payload_start(ink__payload *payload, const ink_sketch *sketch, uint64_t bytes,
                              const uint8_t *from, ink_error *error)
{
    payload->data = from;
    if (from != NULL && sketch->read_only)
        return INK_OK;
    INK__TRY(ink__block_create(&payload->block, &sketch->allocator, bytes, error));
    payload->data = payload->block.data;
    if (from != NULL)
        memcpy(payload->block.data, from, bytes);
    return INK_OK;
}
