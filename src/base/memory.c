/* memory.c - the caller's allocator, and blocks aligned for the kernels. */
#include "base/memory.h"

#include "base/size.h"
#include "base/status.h"
#include "base/system.h"
#include "base/tuning.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HUGE_PAGE_BYTES (2u << 20)
#define ROOM_FIRST_BYTES 256u

static void *heap_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)host;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_bytes);
}

static void *heap_zeroed(void *host, size_t bytes)
{
    (void)host;
    return calloc(1, bytes);
}

ink_allocator ink__allocator_or_heap(const ink_allocator *allocator)
{
    return allocator != NULL ? *allocator
                             : (ink_allocator){.resize = heap_resize, .zeroed = heap_zeroed};
}

static void *take(const ink_allocator *allocator, size_t bytes, bool zeroed)
{
    if (zeroed && allocator->zeroed != NULL)
        return allocator->zeroed(allocator->host, bytes);
    void *block = allocator->resize(allocator->host, NULL, 0, bytes);
    if (zeroed && block != NULL)
        memset(block, 0, bytes);
    return block;
}

static ink_status allocate(const ink_allocator *allocator, uint64_t bytes, bool zeroed,
                           void *pointer, ink_error *error)
{
    void *block = NULL;

    memcpy(pointer, &block, sizeof block); /* for callers that release what they have */
    INK__TRY_ROOM("ink_allocator", allocator, error);
    if (bytes <= INK__BYTES_MAX)
        block = take(allocator, (size_t)bytes, zeroed);
    memcpy(pointer, &block, sizeof block);
    if (block == NULL)
        return ink__fail(error, INK_MEMORY, INK_NOWHERE, 0, "no memory for %llu bytes",
                         (unsigned long long)bytes);
    return INK_OK;
}

ink_status ink__allocate(const ink_allocator *allocator, uint64_t bytes, void *pointer,
                         ink_error *error)
{
    return allocate(allocator, bytes, false, pointer, error);
}

void ink__release(const ink_allocator *allocator, void *memory, uint64_t bytes)
{
    if (memory != NULL)
        allocator->resize(allocator->host, memory, (size_t)bytes, 0);
}

_Static_assert(INK__SIZE_BYTES % _Alignof(max_align_t) == 0, "memory is aligned as malloc's");

void *ink__take_sized(const ink_allocator *allocator, uint64_t bytes)
{
    const uint64_t all = ink__add_saturating(bytes, INK__SIZE_BYTES);
    uint8_t       *memory;

    if (ink__allocate(allocator, all, &memory, NULL) != INK_OK)
        return NULL;
    memcpy(memory, &all, sizeof all);
    return memory + INK__SIZE_BYTES;
}

void ink__give_back_sized(const ink_allocator *allocator, void *memory)
{
    uint8_t *start;
    uint64_t all;

    if (memory == NULL)
        return;
    start = (uint8_t *)memory - INK__SIZE_BYTES;
    memcpy(&all, start, sizeof all);
    ink__release(allocator, start, all);
}

ink_status ink__allocate_zeroed(const ink_allocator *allocator, uint64_t bytes, void *pointer,
                                ink_error *error)
{
    void *memory;

    INK__TRY(allocate(allocator, bytes, true, &memory, error));
    memcpy(pointer, &memory, sizeof memory);
    return INK_OK;
}

ink_status ink__grow(const ink_allocator *allocator, void *pointer, uint64_t *bytes, uint64_t used,
                     uint64_t wanted, ink_error *error)
{
    void *old, *larger;

    INK__TRY(ink__allocate(allocator, wanted, &larger, error));
    memcpy(&old, pointer, sizeof old);
    if (used > 0)
        memcpy(larger, old, (size_t)used);
    ink__release(allocator, old, *bytes);
    memcpy(pointer, &larger, sizeof larger);
    *bytes = wanted;
    return INK_OK;
}

ink_status ink__make_room(const ink_allocator *allocator, void *pointer, uint64_t *bytes,
                          uint64_t used, uint64_t more, ink_error *error)
{
    uint64_t wanted = *bytes < ROOM_FIRST_BYTES / 2 ? ROOM_FIRST_BYTES : 2 * *bytes;

    if (more <= *bytes - used)
        return INK_OK;
    return ink__grow(allocator, pointer, bytes, used, wanted < used + more ? used + more : wanted,
                     error);
}

static uint64_t alignment_of(const ink_allocator *allocator, uint64_t bytes)
{
    return bytes >= HUGE_PAGE_BYTES && bytes >= ink__tuning_now().huge_from_bytes &&
                   allocator->small_pages == 0
               ? HUGE_PAGE_BYTES
               : INK__LINE_BYTES;
}

uint64_t ink__block_asks(const ink_allocator *allocator, uint64_t bytes)
{
    return ink__add_saturating(bytes, alignment_of(allocator, bytes) - 1);
}

static ink_status make_block(ink__block *block, const ink_allocator *allocator, uint64_t bytes,
                             bool zeroed, ink_error *error)
{
    const uint64_t alignment = alignment_of(allocator, bytes);
    const uint64_t base_bytes = ink__block_asks(allocator, bytes);
    void          *base;

    *block = (ink__block){0};
    if (bytes == 0)
        return INK_OK;
    INK__TRY(allocate(allocator, base_bytes, zeroed && allocator->zeroed != NULL, &base, error));

    uint64_t past = (uint64_t)(uintptr_t)base % alignment;
    uint8_t *data = (uint8_t *)base + (past == 0 ? 0 : alignment - past);
    if (alignment == HUGE_PAGE_BYTES)
        ink__system_now()->advise_huge(data, (size_t)bytes); /* a hint: refusal is no failure */
    if (zeroed && allocator->zeroed == NULL)
        memset(data, 0, (size_t)bytes);
    *block = (ink__block){.data = data, .bytes = bytes, .base = base, .base_bytes = base_bytes};
    return INK_OK;
}

ink_status ink__block_create(ink__block *block, const ink_allocator *allocator, uint64_t bytes,
                             ink_error *error)
{
    return make_block(block, allocator, bytes, true, error);
}

ink_status ink__block_take(ink__block *block, const ink_allocator *allocator, uint64_t bytes,
                           ink_error *error)
{
    return make_block(block, allocator, bytes, false, error);
}

void ink__block_release(ink__block *block, const ink_allocator *allocator)
{
    ink__release(allocator, block->base, block->base_bytes);
    *block = (ink__block){0};
}
