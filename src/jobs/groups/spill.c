/* spill.c - what is kept of records until a size is known. The file is a list of runs: all that was
 * in memory at a time, bin by bin, with a directory of its own in memory. Pieces of a bin in a run
 * keep the limits of blocks, so that no element is torn. */
#include "jobs/groups/spill.h"

#include "base/status.h"
#include "base/streaming_store.h"
#include "base/system.h"

enum { BLOCK_FIRST = 128 - (int)sizeof(ink__bin_block) };
/* Blocks of the largest ordinary size are cut from slabs of huge pages. They are an odd number of
 * cache lines: those that are filled at the same pace do not meet in one set of the cache. */
#define BLOCK_BYTES ((uint64_t)1021 * 64)
#define BLOCK_MAX (BLOCK_BYTES - sizeof(ink__bin_block))
#define SLAB_BYTES ((uint64_t)4 << 20)
#define HUGE_PAGE_BYTES ((uint64_t)2 << 20)
/* Of bins that share a limit, so many are thought of; and a bin that has less is not worth a piece.
 */
#define SHARERS 128
#define SPILL_BYTES_PER_BIN 64
#define PIECE_BYTES ((uint64_t)1 << 20)

/* A bin of which a run has something, and where that starts in the file. */
typedef struct piece {
    uint64_t bin, offset;
} piece;

struct ink__bin_run {
    ink__bin_run *next;
    uint64_t      count; /* of pieces */
    piece pieces[]; /* in the order of bins; one more at the end tells where the last one ends */
};

struct ink__bin_slab {
    ink__bin_slab *next;
    uint8_t       *bytes; /* SLAB_BYTES, from a huge page on */
};

/* The first block of a slab stands so that what it holds starts with a line, and so do all others.
 */
enum { SLAB_FROM = INK__LINE_BYTES - (int)sizeof(ink__bin_block) };

/* Many hashes that are scattered are collected, a line for each bin, all of which stay in the first
 * cache; a line that is full goes to its block as a whole. */
enum { LINES = 256, LINE_HASHES = INK__LINE_BYTES / 8 };
struct ink__bin_lines {
    uint64_t hashes[LINES][LINE_HASHES];
    uint8_t  used[LINES];
};

static uint64_t slab_bytes(void)
{
    return sizeof(ink__bin_slab) + HUGE_PAGE_BYTES + SLAB_BYTES;
}

static uint64_t run_bytes(uint64_t count)
{
    return sizeof(ink__bin_run) + (count + 1) * sizeof(piece);
}

static uint64_t block_bytes(uint64_t room)
{
    return sizeof(ink__bin_block) + room;
}

void ink__bins_begin(ink__bins *bins, uint64_t limit, atomic_uint_fast64_t *shared,
                     const char *folder, const ink_allocator *allocator)
{
    *bins = (ink__bins){.allocator = *allocator, .limit = limit, .shared = shared};
    ink__spool_begin(&bins->spool, folder);
}

static void count_held(ink__bins *bins, uint64_t taken, uint64_t given_back)
{
    bins->held += taken - given_back;
    if (bins->shared != NULL)
        atomic_fetch_add(bins->shared, taken - given_back);
}

/* Whether it is time to write everything to the file: memory is used up, and enough of it is here
 * that this helps. */
static bool is_full(const ink__bins *bins)
{
    if (bins->shared == NULL)
        return bins->held >= bins->limit;
    return atomic_load(bins->shared) >= bins->limit && bins->held >= bins->limit / SHARERS &&
           bins->held >= SPILL_BYTES_PER_BIN * bins->count;
}

static void free_blocks(ink__bins *bins, uint64_t bin)
{
    ink__bin *from = &bins->bins[bin];

    for (ink__bin_block *block = from->first, *next; block != NULL; block = next) {
        next = block->next;
        count_held(bins, 0, block_bytes(block->room));
        if (block->room == BLOCK_MAX) {
            block->next = bins->spare;
            bins->spare = block;
        } else
            ink__release(&bins->allocator, block, block_bytes(block->room));
    }
    from->first = from->last = NULL;
}

void ink__bins_empty(ink__bins *bins, uint64_t bin)
{
    free_blocks(bins, bin);
    if (bins->lines != NULL)
        bins->lines->used[bin] = 0;
}

void ink__bins_end(ink__bins *bins)
{
    for (uint64_t i = 0; i < bins->count; i++)
        ink__bins_empty(bins, i);
    ink__release(&bins->allocator, bins->bins, bins->bins_bytes);
    for (ink__bin_run *run = bins->runs, *next; run != NULL; run = next) {
        next = run->next;
        ink__release(&bins->allocator, run, run_bytes(run->count));
    }
    for (ink__bin_slab *slab = bins->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        ink__release(&bins->allocator, slab, slab_bytes());
    }
    ink__spool_end(&bins->spool);
    ink__block_release(&bins->lines_memory, &bins->allocator);
    bins->lines = NULL;
    bins->slabs = NULL;
    bins->spare = NULL;
    bins->bins = NULL;
    bins->runs = NULL;
    bins->count = 0;
}

ink_status ink__bins_add(ink__bins *bins, ink_error *error)
{
    INK__TRY(ink__make_room(&bins->allocator, &bins->bins, &bins->bins_bytes,
                            bins->count * sizeof(ink__bin), sizeof(ink__bin), error));
    bins->bins[bins->count++] = (ink__bin){0};
    return INK_OK;
}

/* ---- The file ----------------------------------------------------------------------------- */

/* Bytes on their way to the file. */
typedef struct pen {
    ink__spool *spool;
    uint8_t    *bytes;
    uint64_t    used;
    uint64_t    at; /* where they go */
} pen;

static ink_status flush(pen *to, ink_error *error)
{
    INK__TRY(ink__spool_write(to->spool, to->at, to->bytes, to->used, error));
    to->at += to->used;
    to->used = 0;
    return INK_OK;
}

static ink_status write_block(pen *to, const ink__bin_block *block, ink_error *error)
{
    for (uint64_t done = 0; done < block->used;) {
        if (to->used == PIECE_BYTES)
            INK__TRY(flush(to, error));
        uint64_t more = block->used - done;
        if (more > PIECE_BYTES - to->used)
            more = PIECE_BYTES - to->used;
        memcpy(to->bytes + to->used, block->bytes + done, more);
        to->used += more;
        done += more;
    }
    return INK_OK;
}

static ink_status write_run(ink__bins *bins, ink__bin_run *run, uint8_t *buffer, ink_error *error)
{
    pen      to = {.spool = &bins->spool, .bytes = buffer, .at = run->pieces[run->count].offset};
    uint64_t at = 0;

    for (uint64_t i = 0; i < bins->count; i++) {
        if (bins->bins[i].first == NULL)
            continue;
        run->pieces[at++] = (piece){i, to.at + to.used};
        for (const ink__bin_block *block = bins->bins[i].first; block != NULL; block = block->next)
            INK__TRY(write_block(&to, block, error));
    }
    INK__TRY(flush(&to, error));
    run->pieces[at] = (piece){UINT64_MAX, to.at};
    return INK_OK;
}

/* Writes all that is in memory to the file. */
static ink_status spill(ink__bins *bins, ink_error *error)
{
    void    *memory, *buffer;
    uint64_t filled = 0, bytes = 0, at;

    for (uint64_t i = 0; i < bins->count; i++) {
        filled += bins->bins[i].first != NULL;
        for (const ink__bin_block *block = bins->bins[i].first; block != NULL; block = block->next)
            bytes += block->used;
    }
    INK__TRY(ink__spool_reserve(&bins->spool, bytes, &at, error));
    INK__TRY(ink__allocate(&bins->allocator, run_bytes(filled), &memory, error));
    ink__bin_run *run = memory;
    run->count = filled;
    run->pieces[filled].offset = at;
    ink_status status = ink__allocate(&bins->allocator, PIECE_BYTES, &buffer, error);
    if (status == INK_OK) {
        status = write_run(bins, run, buffer, error);
        ink__release(&bins->allocator, buffer, PIECE_BYTES);
    }
    if (status != INK_OK) {
        ink__release(&bins->allocator, run, run_bytes(run->count));
        return status;
    }
    for (uint64_t i = 0; i < bins->count; i++)
        free_blocks(bins, i);
    run->next = bins->runs;
    bins->runs = run;
    return INK_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static ink_status add_slab(ink__bins *bins, ink_error *error)
{
    void *memory;

    INK__TRY(ink__allocate(&bins->allocator, slab_bytes(), &memory, error));
    ink__bin_slab *slab = memory;
    uint8_t       *bytes = (uint8_t *)(slab + 1);
    uint64_t       past = (uint64_t)(uintptr_t)bytes % HUGE_PAGE_BYTES;
    *slab = (ink__bin_slab){.next = bins->slabs};
    slab->bytes = bytes + (past == 0 ? 0 : HUGE_PAGE_BYTES - past);
    ink__system_now()->advise_huge(slab->bytes, SLAB_BYTES); /* a wish; refusal is no failure */
    bins->slabs = slab;
    bins->slab_used = SLAB_FROM;
    return INK_OK;
}

/* A block with so much room: a spare one, a piece of a slab, or memory of its own. */
static ink_status make_block(ink__bins *bins, uint64_t room, ink__bin_block **block,
                             ink_error *error)
{
    void *memory;

    if (room != BLOCK_MAX) {
        INK__TRY(ink__allocate(&bins->allocator, block_bytes(room), &memory, error));
        *block = memory;
        return INK_OK;
    }
    if (bins->spare != NULL) {
        *block = bins->spare;
        bins->spare = bins->spare->next;
        return INK_OK;
    }
    if (bins->slabs == NULL || bins->slab_used + BLOCK_BYTES > SLAB_BYTES)
        INK__TRY(add_slab(bins, error));
    *block = (ink__bin_block *)(void *)(bins->slabs->bytes + bins->slab_used);
    bins->slab_used += BLOCK_BYTES;
    return INK_OK;
}

ink_status ink__bins_more(ink__bins *bins, uint64_t bin, uint64_t bytes, ink_error *error)
{
    ink__bin       *to = &bins->bins[bin];
    uint64_t        room = to->last == NULL ? BLOCK_FIRST : 2 * (uint64_t)to->last->room;
    ink__bin_block *block;

    if (is_full(bins))
        INK__TRY(spill(bins, error));
    room = room > BLOCK_MAX ? BLOCK_MAX : room;
    room = room < bytes ? bytes : room;
    INK__TRY(make_block(bins, room, &block, error));
    *block = (ink__bin_block){.room = (uint32_t)room};
    count_held(bins, block_bytes(room), 0);
    if (to->last == NULL)
        to->first = block;
    else
        to->last->next = block;
    to->last = block;
    return INK_OK;
}

ink_status ink__bins_put_many(ink__bins *bins, uint64_t bin, const void *elements, uint32_t each,
                              uint64_t count, ink_error *error)
{
    const uint8_t *from = elements;

    for (uint64_t done = 0; done < count;) {
        ink__bin_block *last;
        INK__TRY(ink__bins_last(bins, bin, each, &last, error));
        uint64_t some = (last->room - last->used) / each;
        if (some > count - done)
            some = count - done;
        memcpy(last->bytes + last->used, from + done * each, some * each);
        last->used += (uint32_t)(some * each);
        done += some;
    }
    bins->bins[bin].elements += count;
    return INK_OK;
}

static ink_status make_lines(ink__bins *bins, ink_error *error)
{
    INK__TRY(ink__block_take(&bins->lines_memory, &bins->allocator, sizeof *bins->lines, error));
    bins->lines = (ink__bin_lines *)(void *)bins->lines_memory.data;
    memset(bins->lines->used, 0, sizeof bins->lines->used);
    return INK_OK;
}

/* Puts a line that is full into its bin. */
static ink_status put_line(ink__bins *bins, uint64_t bin, ink_error *error)
{
    ink__bin_block *last;

    INK__TRY(ink__bins_last(bins, bin, INK__LINE_BYTES, &last, error));
    ink__line_put(last->bytes + last->used, bins->lines->hashes[bin]);
    last->used += INK__LINE_BYTES;
    bins->bins[bin].elements += LINE_HASHES;
    bins->lines->used[bin] = 0;
    return INK_OK;
}

/* Of few hashes, which the cache may keep. The line behind the place where the next one of a bin
 * goes is asked for each time: it is here by the time that it is written. */
static ink_status scatter_few(ink__bins *bins, const uint64_t *hashes, size_t count, unsigned shift,
                              ink_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bin = hashes[i] >> shift;
        INK__TRY(ink__bins_put(bins, bin, &hashes[i], sizeof *hashes, error));
        const ink__bin_block *last = bins->bins[bin].last;
        __builtin_prefetch(last->bytes + last->used + INK__LINE_BYTES, 1, 3);
    }
    return INK_OK;
}

ink_status ink__bins_scatter(ink__bins *bins, const uint64_t *hashes, size_t count, unsigned shift,
                             ink_error *error)
{
    if (bins->slabs == NULL)
        return scatter_few(bins, hashes, count, shift, error);
    if (bins->lines == NULL)
        INK__TRY(make_lines(bins, error));
    ink__bin_lines *lines = bins->lines;
    for (size_t i = 0; i < count; i++) {
        uint64_t bin = hashes[i] >> shift;
        if (lines->used[bin] == LINE_HASHES)
            INK__TRY(put_line(bins, bin, error));
        lines->hashes[bin][lines->used[bin]++] = hashes[i];
    }
    ink__lines_done();
    return INK_OK;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* The piece of a bin in a run, or NULL. */
static const piece *find_piece(const ink__bin_run *run, uint64_t bin)
{
    uint64_t low = 0, high = run->count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (run->pieces[middle].bin < bin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->count && run->pieces[low].bin == bin ? &run->pieces[low] : NULL;
}

static ink_status visit_run(const ink__bins *bins, const ink__bin_run *run, uint64_t bin,
                            ink__bin_visit visit, void *host, ink_error *error)
{
    const piece *found = find_piece(run, bin);
    void        *memory;

    if (found == NULL)
        return INK_OK;
    uint64_t bytes = found[1].offset - found[0].offset;
    INK__TRY(ink__allocate(&bins->allocator, bytes, &memory, error));
    ink_status status = ink__spool_read(&bins->spool, found->offset, memory, bytes, error);
    if (status == INK_OK)
        status = visit(host, memory, bytes, error);
    ink__release(&bins->allocator, memory, bytes);
    return status;
}

ink_status ink__bins_each(const ink__bins *bins, uint64_t bin, ink__bin_visit visit, void *host,
                          ink_error *error)
{
    for (const ink__bin_run *run = bins->runs; run != NULL; run = run->next)
        INK__TRY(visit_run(bins, run, bin, visit, host, error));
    for (const ink__bin_block *block = bins->bins[bin].first; block != NULL; block = block->next)
        if (block->used > 0)
            INK__TRY(visit(host, block->bytes, block->used, error));
    if (bins->lines == NULL || bins->lines->used[bin] == 0)
        return INK_OK;
    return visit(host, (const uint8_t *)bins->lines->hashes[bin],
                 (uint64_t)8 * bins->lines->used[bin], error);
}

uint64_t ink__bins_elements(const ink__bins *bins, uint64_t bin)
{
    return bins->bins[bin].elements + (bins->lines == NULL ? 0 : bins->lines->used[bin]);
}
