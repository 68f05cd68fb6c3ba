/* spill.c - elements in partitions. The file is a list of runs: all that was in memory at a time,
 * partition by partition, with a directory in memory. */
#include "jobs/groups/spill.h"

#include "base/status.h"
#include "base/streaming_store.h"
#include "base/system.h"

#include <stdlib.h>

enum { BLOCK_FIRST = 128 - (int)sizeof(ink__spill_block) };
/* Blocks of the largest ordinary size are cut from slabs of huge pages. They are an odd number of
 * cache lines, so that blocks filled at the same pace use different sets of the cache. Smaller ones
 * are of ordinary pages: with large blocks that would be all that each of many threads keeps. */
#define BLOCK_BYTES ((uint64_t)125 * 64)
#define BLOCK_MAX (BLOCK_BYTES - sizeof(ink__spill_block))
#define SLAB_BYTES ((uint64_t)4 << 20)
#define HUGE_PAGE_BYTES ((uint64_t)2 << 20)
/* A spill with a shared limit writes only if it has this part of the limit, and this many bytes for
 * each partition: less is not worth a run. */
#define SHARERS 128
#define BYTES_PER_PARTITION 64
#define BUFFER_BYTES ((uint64_t)1 << 20)

/* Where the elements of a partition start in the file. */
typedef struct run_entry {
    uint64_t partition, offset;
} run_entry;

struct ink__spill_run {
    ink__spill_run *next;
    uint64_t        count;
    run_entry       entries[]; /* by partition; entry `count` is the end of the last one */
};

struct ink__spill_slab {
    ink__spill_slab *next;
    uint8_t         *bytes; /* SLAB_BYTES, from a huge page on */
};
#define SLAB_MEMORY_BYTES (sizeof(ink__spill_slab) + HUGE_PAGE_BYTES + SLAB_BYTES)

/* The bytes of each block of a slab start on a cache line. */
enum { SLAB_FROM = INK__LINE_BYTES - (int)sizeof(ink__spill_block) };

/* Scattered hashes are collected in a cache line for each partition; a full line is stored to its
 * block at once. All lines together fit into the first cache. */
enum { LINES = 256, LINE_HASHES = INK__LINE_BYTES / 8 };
struct ink__spill_lines {
    uint64_t hashes[LINES][LINE_HASHES];
    uint8_t  used[LINES];
};

static uint64_t run_bytes(uint64_t count)
{
    return sizeof(ink__spill_run) + (count + 1) * sizeof(run_entry);
}

static uint64_t block_bytes(uint64_t room)
{
    return sizeof(ink__spill_block) + room;
}

void ink__spill_begin(ink__spill *spill, uint64_t limit, atomic_uint_fast64_t *shared,
                      const char *folder, const ink_allocator *allocator)
{
    *spill = (ink__spill){.allocator = *allocator, .limit = limit, .shared = shared};
    ink__spool_begin(&spill->spool, folder);
}

static void count_kept(ink__spill *spill, uint64_t taken, uint64_t released)
{
    spill->kept_bytes += taken - released;
    if (spill->shared != NULL)
        atomic_fetch_add(spill->shared, taken - released);
}

/* Whether to write everything to the file: memory is used up, and enough of it by this spill. */
static bool is_full(const ink__spill *spill)
{
    if (spill->shared == NULL)
        return spill->kept_bytes >= spill->limit;
    return atomic_load(spill->shared) >= spill->limit &&
           spill->kept_bytes >= spill->limit / SHARERS &&
           spill->kept_bytes >= BYTES_PER_PARTITION * spill->count;
}

static void free_blocks(ink__spill *spill, uint64_t partition)
{
    ink__spill_partition *from = &spill->partitions[partition];

    for (ink__spill_block *block = from->first, *next; block != NULL; block = next) {
        next = block->next;
        count_kept(spill, 0, block_bytes(block->room));
        if (block->room == BLOCK_MAX) {
            block->next = spill->spare;
            spill->spare = block;
        } else
            ink__release(&spill->allocator, block, block_bytes(block->room));
    }
    from->first = from->last = NULL;
}

void ink__spill_empty(ink__spill *spill, uint64_t partition)
{
    free_blocks(spill, partition);
    if (spill->lines != NULL)
        spill->lines->used[partition] = 0;
}

void ink__spill_end(ink__spill *spill)
{
    for (uint64_t i = 0; i < spill->count; i++)
        ink__spill_empty(spill, i);
    ink__release(&spill->allocator, spill->partitions, spill->partitions_bytes);
    for (ink__spill_run *run = spill->runs, *next; run != NULL; run = next) {
        next = run->next;
        ink__release(&spill->allocator, run, run_bytes(run->count));
    }
    for (ink__spill_slab *slab = spill->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        ink__release(&spill->allocator, slab, SLAB_MEMORY_BYTES);
    }
    ink__spool_end(&spill->spool);
    ink__block_release(&spill->lines_memory, &spill->allocator);
    const ink__spill ended = *spill; /* may be ended again */
    ink__spill_begin(spill, ended.limit, ended.shared, ended.spool.folder, &ended.allocator);
}

ink_status ink__spill_add(ink__spill *spill, ink_error *error)
{
    INK__TRY(ink__make_room(&spill->allocator, &spill->partitions, &spill->partitions_bytes,
                            spill->count * sizeof(ink__spill_partition),
                            sizeof(ink__spill_partition), error));
    spill->partitions[spill->count++] = (ink__spill_partition){0};
    return INK_OK;
}

/* ---- The file ----------------------------------------------------------------------------- */

/* A buffer of the file from offset `at` on. */
typedef struct write_buffer {
    ink__spool *spool;
    uint8_t    *bytes;
    uint64_t    used, at;
} write_buffer;

static ink_status flush(write_buffer *to, ink_error *error)
{
    INK__TRY(ink__spool_write(to->spool, to->at, to->bytes, to->used, error));
    to->at += to->used;
    to->used = 0;
    return INK_OK;
}

static ink_status write_block(write_buffer *to, const ink__spill_block *block, ink_error *error)
{
    for (uint64_t done = 0; done < block->used;) {
        if (to->used == BUFFER_BYTES)
            INK__TRY(flush(to, error));
        uint64_t more = block->used - done;
        if (more > BUFFER_BYTES - to->used)
            more = BUFFER_BYTES - to->used;
        memcpy(to->bytes + to->used, block->bytes + done, (size_t)more);
        to->used += more;
        done += more;
    }
    return INK_OK;
}

static ink_status write_run(ink__spill *spill, ink__spill_run *run, uint8_t *buffer,
                            ink_error *error)
{
    write_buffer to = {
        .spool = &spill->spool, .bytes = buffer, .at = run->entries[run->count].offset};
    uint64_t entry = 0;

    for (uint64_t i = 0; i < spill->count; i++) {
        if (spill->partitions[i].first == NULL)
            continue;
        run->entries[entry++] = (run_entry){i, to.at + to.used};
        for (const ink__spill_block *block = spill->partitions[i].first; block != NULL;
             block = block->next)
            INK__TRY(write_block(&to, block, error));
    }
    INK__TRY(flush(&to, error));
    run->entries[entry] = (run_entry){UINT64_MAX, to.at};
    return INK_OK;
}

/* Writes all that is in memory to the file. */
static ink_status write_out(ink__spill *spill, ink_error *error)
{
    ink__spill_run *run;
    uint8_t        *buffer;
    uint64_t        filled = 0, bytes = 0, at;

    for (uint64_t i = 0; i < spill->count; i++) {
        filled += spill->partitions[i].first != NULL;
        for (const ink__spill_block *block = spill->partitions[i].first; block != NULL;
             block = block->next)
            bytes += block->used;
    }
    INK__TRY(ink__spool_reserve(&spill->spool, bytes, &at, error));
    INK__TRY(ink__allocate(&spill->allocator, run_bytes(filled), &run, error));
    run->count = filled;
    run->entries[filled].offset = at;
    ink_status status = ink__allocate(&spill->allocator, BUFFER_BYTES, &buffer, error);
    if (status == INK_OK) {
        status = write_run(spill, run, buffer, error);
        ink__release(&spill->allocator, buffer, BUFFER_BYTES);
    }
    if (status != INK_OK) {
        ink__release(&spill->allocator, run, run_bytes(run->count));
        return status;
    }
    for (uint64_t i = 0; i < spill->count; i++)
        free_blocks(spill, i);
    run->next = spill->runs;
    spill->runs = run;
    return INK_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static ink_status add_slab(ink__spill *spill, ink_error *error)
{
    ink__spill_slab *slab;

    INK__TRY(ink__allocate(&spill->allocator, SLAB_MEMORY_BYTES, &slab, error));
    uint8_t *bytes = (uint8_t *)(slab + 1);
    uint64_t past = (uint64_t)(uintptr_t)bytes % HUGE_PAGE_BYTES;
    *slab = (ink__spill_slab){.next = spill->slabs};
    slab->bytes = bytes + (past == 0 ? 0 : HUGE_PAGE_BYTES - past);
    ink__system_now()->advise_huge(slab->bytes, SLAB_BYTES); /* a refusal is no failure */
    spill->slabs = slab;
    spill->slab_used = SLAB_FROM;
    return INK_OK;
}

/* A block with this much room: a spare one, a part of a slab, or memory of its own. */
static ink_status make_block(ink__spill *spill, uint64_t room, ink__spill_block **block,
                             ink_error *error)
{
    if (room != BLOCK_MAX)
        return ink__allocate(&spill->allocator, block_bytes(room), block, error);
    if (spill->spare != NULL) {
        *block = spill->spare;
        spill->spare = spill->spare->next;
        return INK_OK;
    }
    if (spill->slabs == NULL || spill->slab_used + BLOCK_BYTES > SLAB_BYTES)
        INK__TRY(add_slab(spill, error));
    *block = (ink__spill_block *)(void *)(spill->slabs->bytes + spill->slab_used);
    spill->slab_used += BLOCK_BYTES;
    return INK_OK;
}

ink_status ink__spill_more(ink__spill *spill, uint64_t partition, uint64_t bytes, ink_error *error)
{
    ink__spill_partition *to = &spill->partitions[partition];
    uint64_t              room = to->last == NULL ? BLOCK_FIRST : 2 * (uint64_t)to->last->room;
    ink__spill_block     *block;

    if (is_full(spill))
        INK__TRY(write_out(spill, error));
    room = room > BLOCK_MAX ? BLOCK_MAX : room;
    room = room < bytes ? bytes : room;
    INK__TRY(make_block(spill, room, &block, error));
    *block = (ink__spill_block){.room = (uint32_t)room};
    count_kept(spill, block_bytes(room), 0);
    if (to->last == NULL)
        to->first = block;
    else
        to->last->next = block;
    to->last = block;
    return INK_OK;
}

ink_status ink__spill_put_many(ink__spill *spill, uint64_t partition, const void *elements,
                               uint32_t each, uint64_t count, ink_error *error)
{
    const uint8_t *from = elements;

    for (uint64_t done = 0; done < count;) {
        ink__spill_block *last;
        INK__TRY(ink__spill_last(spill, partition, each, &last, error));
        uint64_t some = (last->room - last->used) / each;
        if (some > count - done)
            some = count - done;
        memcpy(last->bytes + last->used, from + done * each, (size_t)(some * each));
        last->used += (uint32_t)(some * each);
        done += some;
    }
    spill->partitions[partition].elements += count;
    return INK_OK;
}

/* Puts a line that is full into its partition. */
static ink_status put_line(ink__spill *spill, uint64_t partition, ink_error *error)
{
    ink__spill_block *last;

    INK__TRY(ink__spill_last(spill, partition, INK__LINE_BYTES, &last, error));
    ink__line_put(last->bytes + last->used, spill->lines->hashes[partition]);
    last->used += INK__LINE_BYTES;
    spill->partitions[partition].elements += LINE_HASHES;
    spill->lines->used[partition] = 0;
    return INK_OK;
}

/* For few hashes, which the cache may keep. The partition's next cache line is prefetched. */
static ink_status scatter_few(ink__spill *spill, const uint64_t *hashes, size_t count,
                              unsigned shift, ink_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t partition = hashes[i] >> shift;
        INK__TRY(ink__spill_put(spill, partition, &hashes[i], sizeof *hashes, error));
        const ink__spill_block *last = spill->partitions[partition].last;
        __builtin_prefetch(last->bytes + last->used + INK__LINE_BYTES, 1, 3);
    }
    return INK_OK;
}

ink_status ink__spill_scatter(ink__spill *spill, const uint64_t *hashes, size_t count,
                              unsigned shift, ink_error *error)
{
    if (spill->slabs == NULL)
        return scatter_few(spill, hashes, count, shift, error);
    if (spill->lines == NULL) {
        INK__TRY(
            ink__block_take(&spill->lines_memory, &spill->allocator, sizeof *spill->lines, error));
        spill->lines = (ink__spill_lines *)(void *)spill->lines_memory.data;
        memset(spill->lines->used, 0, sizeof spill->lines->used);
    }
    ink__spill_lines *lines = spill->lines;
    for (size_t i = 0; i < count; i++) {
        uint64_t partition = hashes[i] >> shift;
        if (lines->used[partition] == LINE_HASHES)
            INK__TRY(put_line(spill, partition, error));
        lines->hashes[partition][lines->used[partition]++] = hashes[i];
    }
    ink__lines_done();
    return INK_OK;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static int compare_partitions(const void *partition, const void *entry)
{
    const uint64_t a = *(const uint64_t *)partition, b = ((const run_entry *)entry)->partition;

    return a < b ? -1 : a > b;
}

static ink_status visit_run(const ink__spill *spill, const ink__spill_run *run, uint64_t partition,
                            ink__spill_visit visit, void *host, ink_error *error)
{
    const run_entry *found = bsearch(&partition, run->entries, (size_t)run->count,
                                     sizeof *run->entries, compare_partitions);
    void            *memory;

    if (found == NULL)
        return INK_OK;
    uint64_t bytes = found[1].offset - found[0].offset;
    INK__TRY(ink__allocate(&spill->allocator, bytes, &memory, error));
    ink_status status = ink__spool_read(&spill->spool, found->offset, memory, bytes, error);
    if (status == INK_OK)
        status = visit(host, memory, bytes, error);
    ink__release(&spill->allocator, memory, bytes);
    return status;
}

ink_status ink__spill_each(const ink__spill *spill, uint64_t partition, ink__spill_visit visit,
                           void *host, ink_error *error)
{
    for (const ink__spill_run *run = spill->runs; run != NULL; run = run->next)
        INK__TRY(visit_run(spill, run, partition, visit, host, error));
    for (const ink__spill_block *block = spill->partitions[partition].first; block != NULL;
         block = block->next)
        if (block->used > 0)
            INK__TRY(visit(host, block->bytes, block->used, error));
    if (spill->lines == NULL || spill->lines->used[partition] == 0)
        return INK_OK;
    return visit(host, (const uint8_t *)spill->lines->hashes[partition],
                 (uint64_t)8 * spill->lines->used[partition], error);
}

ink__spill_walk ink__spill_walk_of(const ink__spill *spill, uint64_t partition)
{
    return (ink__spill_walk){spill, partition, spill->runs, spill->partitions[partition].first};
}

uint64_t ink__spill_walk_parts(const ink__spill_walk *walk)
{
    uint64_t parts = 0;

    for (const ink__spill_run *run = walk->run; run != NULL; run = run->next)
        parts++;
    for (const ink__spill_block *block = walk->block; block != NULL; block = block->next)
        parts++;
    return parts;
}

ink__spill_walk ink__spill_walk_next(ink__spill_walk *walk)
{
    ink__spill_walk part = *walk;

    if (walk->run != NULL)
        walk->run = walk->run->next;
    else if (walk->block != NULL)
        walk->block = walk->block->next;
    return part;
}

ink_status ink__spill_visit_part(const ink__spill_walk *part, ink__spill_visit visit, void *host,
                                 ink_error *error)
{
    if (part->run != NULL)
        return visit_run(part->spill, part->run, part->partition, visit, host, error);
    if (part->block == NULL || part->block->used == 0)
        return INK_OK;
    return visit(host, part->block->bytes, part->block->used, error);
}

uint64_t ink__spill_elements(const ink__spill *spill, uint64_t partition)
{
    return spill->partitions[partition].elements +
           (spill->lines == NULL ? 0 : spill->lines->used[partition]);
}
