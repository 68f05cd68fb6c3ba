/* memory.h - blocks from an ink_allocator, for the parts of adapters/sql.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKSQL_MEMORY_H
#define INKSQL_MEMORY_H

#include "inkling.h"

#include <stdlib.h>

/* As `resize` of an ink_allocator; `allocator` NULL means malloc. */
static inline void *inksql_resize(const ink_allocator *allocator, void *block, size_t old_bytes,
                                  size_t new_bytes)
{
    if (allocator != NULL)
        return allocator->resize(allocator->host, block, old_bytes, new_bytes);
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_bytes);
}

static inline void inksql_give_back(const ink_allocator *allocator, void *block, size_t bytes)
{
    if (block != NULL)
        inksql_resize(allocator, block, bytes, 0);
}

#endif
