/* layout.c - the order of labels and the location of payloads, shared by reader and writer. */
#include "format/layout.h"

#include "base/size.h"
#include "base/status.h"

#include <string.h>

ink_status ink__label_check(const ink_label *label, ink_error *error)
{
    bool named = label->group_kind == INK_GROUP_BYTES;

    if (label->group_kind != INK_GROUP_NONE && label->group_kind != INK_GROUP_NULL && !named)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "group kind %d, expected 0 to 2",
                         (int)label->group_kind);
    if (named && label->group_bytes > INK__GROUP_BYTES_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a group name of %zu bytes, expected at most %d", label->group_bytes,
                         INK__GROUP_BYTES_MAX);
    if (label->group_bytes > 0 && (!named || label->group == NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "a group name of %zu bytes, but %s",
                         label->group_bytes,
                         named ? "group is NULL" : "group_kind is not 2 (bytes)");
    if (label->slot != 0 && !label->has_slot)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "slot %lld, but has_slot is false",
                         (long long)label->slot);
    return INK_OK;
}

int ink_label_compare(const ink_label *a, const ink_label *b)
{
    if (a->group_kind != b->group_kind)
        return a->group_kind < b->group_kind ? -1 : 1;
    if (a->group_kind == INK_GROUP_BYTES) {
        size_t shared = a->group_bytes < b->group_bytes ? a->group_bytes : b->group_bytes;
        int    order = shared == 0 ? 0 : memcmp(a->group, b->group, shared);
        if (order != 0)
            return order;
        if (a->group_bytes != b->group_bytes)
            return a->group_bytes < b->group_bytes ? -1 : 1;
    }
    if (a->has_slot != b->has_slot)
        return a->has_slot ? 1 : -1;
    if (a->has_slot && a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return 0;
}

bool ink__payload_location(uint64_t end, uint64_t bytes, uint64_t *offset)
{
    return ink__align_u64(
        end, bytes >= INK__LARGE_PAYLOAD_BYTES ? INK__LARGE_PAYLOAD_UNIT : INK__PAYLOAD_UNIT,
        offset);
}
