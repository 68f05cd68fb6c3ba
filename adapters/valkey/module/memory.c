/* memory.c - see memory.h. */
#include "memory.h"

#include "api.h"
#include "pages.h"

#include <stdio.h>
#include <string.h>

enum { SCRATCH_KEPT = 1 << 20 };

limits memory_limits;

static _Atomic uint64_t       total;
static _Atomic unsigned       trusted;
static _Thread_local uint64_t over; /* the limit that was run into, or 0 ... */
static _Thread_local bool     over_total;
static _Thread_local bool     writes_out;

static void  *scratch;
static size_t scratch_bytes;

void memory_trust(unsigned reason, bool on)
{
    if (on)
        atomic_fetch_or(&trusted, reason);
    else
        atomic_fetch_and(&trusted, ~reason);
}

void memory_writes_out(bool on)
{
    writes_out = on;
}

static bool within(uint64_t have, uint64_t more, long long limit, bool of_total)
{
    if (limit == 0 || (more <= (uint64_t)limit && have <= (uint64_t)limit - more))
        return true;
    over = (uint64_t)limit;
    over_total = of_total;
    return false;
}

static bool allows(uint64_t have, uint64_t more)
{
    return writes_out || atomic_load(&trusted) != 0 ||
           (within(have, more, memory_limits.key_bytes, false) &&
            within(atomic_load(&total), more, memory_limits.total_bytes, true));
}

bool memory_allows(uint64_t bytes)
{
    return allows(0, bytes);
}

const char *memory_refused(void)
{
    static _Thread_local char text[128];

    if (over == 0)
        return NULL;
    snprintf(text, sizeof text, "ERR %s may take %llu bytes: inkling.%s",
             over_total ? "all keys of inkling" : "a key", (unsigned long long)over,
             over_total ? "total-bytes" : "max-bytes");
    over = 0;
    return text;
}

uint64_t memory_total(void)
{
    return atomic_load(&total);
}

/* Counts a block, or counts it no more; returns its bytes. */
static uint64_t count(account *of, void *block, bool more)
{
    const uint64_t bytes = RM_MallocSize(block);

    if (more) {
        atomic_fetch_add_explicit(&of->bytes, bytes, memory_order_relaxed);
        atomic_fetch_add_explicit(&total, bytes, memory_order_relaxed);
    } else {
        atomic_fetch_sub_explicit(&of->bytes, bytes, memory_order_relaxed);
        atomic_fetch_sub_explicit(&total, bytes, memory_order_relaxed);
    }
    return bytes;
}

void *memory_take(account *of, size_t bytes)
{
    void *block = allows(atomic_load(&of->bytes), bytes) ? RM_TryAlloc(bytes) : NULL;

    if (block != NULL)
        count(of, block, true);
    return block;
}

/* Redis 7.0 has no call that may refuse and clears: ask whether there is room first. */
static void *clear_block(size_t bytes)
{
    if (RM_TryCalloc != NULL)
        return RM_TryCalloc(1, bytes);
    void *probe = RM_TryAlloc(bytes);
    if (probe == NULL)
        return NULL;
    RM_Free(probe);
    return RM_Calloc(1, bytes);
}

void *memory_zeroed(account *of, size_t bytes)
{
    void *block = allows(atomic_load(&of->bytes), bytes) ? clear_block(bytes) : NULL;

    if (block != NULL)
        count(of, block, true);
    return block;
}

void memory_give(account *of, void *block)
{
    if (block == NULL)
        return;
    if (!pages_free(block, count(of, block, false)))
        RM_Free(block);
}

static void *move(account *of, void *block, size_t old_bytes, size_t new_bytes)
{
    void *moved = memory_take(of, new_bytes);

    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    memory_give(of, block);
    return moved;
}

static void *resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    account *of = host;

    if (block == NULL)
        return memory_take(of, new_bytes);
    if (new_bytes == 0) {
        memory_give(of, block);
        return NULL;
    }
    if (RM_TryRealloc == NULL)
        return move(of, block, old_bytes, new_bytes);
    if (new_bytes > old_bytes && !allows(atomic_load(&of->bytes), new_bytes - old_bytes))
        return NULL;
    count(of, block, false);
    void *grown = RM_TryRealloc(block, new_bytes);
    count(of, grown != NULL ? grown : block, true);
    return grown;
}

/* Keys are about to come. */
static void *zeroed(void *host, size_t bytes)
{
    void *block = memory_zeroed(host, bytes);

    if (block != NULL)
        pages_prepare(block, bytes);
    return block;
}

ink_allocator memory_of(account *of)
{
    /* A huge page is a pause when it is first touched, and again after the fork of a BGSAVE. */
    return (ink_allocator){.resize = resize, .host = of, .zeroed = zeroed, .small_pages = 1};
}

void *memory_scratch(size_t bytes)
{
    if (bytes > scratch_bytes || scratch_bytes > SCRATCH_KEPT) {
        if (bytes <= scratch_bytes && bytes > SCRATCH_KEPT)
            return scratch;
        RM_Free(scratch);
        scratch_bytes = bytes < SCRATCH_KEPT / 16 ? SCRATCH_KEPT / 16 : bytes;
        scratch = RM_TryAlloc(scratch_bytes);
        if (scratch == NULL)
            scratch_bytes = 0;
    }
    return scratch;
}
