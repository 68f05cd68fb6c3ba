/* bulk.c - many keys for one large sketch. Added as they come, every key would wait for memory. So
 * hashes are first partitioned by the range of the sketch that they fall into; when the memory for
 * them is full, the buckets are added one by one, each to a range that fits the cache [radix
 * partitioning; Manegold, Boncz, Kersten 2002]. Where a key sets bits all over the sketch
 * (classic), it is the bits that are partitioned, as their offsets in a range.
 *
 * A bucket is a list of pieces of one pool, so all memory is used however its elements, hashes or
 * offsets, are distributed. Each thread partitions keys into a pool of its own. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "base/tuning.h"
#include "sketch/batch.h"
#include "sketch/internal.h"
#include "sketch/kinds/membership.h"

#include <string.h>

/* An odd number of lines, so that pieces filled at the same pace do not share a cache set; and few,
 * so that many parts with many ranges each do not keep more room than they use. */
enum { PIECE_BYTES = 63 * INK__LINE_BYTES };
enum { RANGES_MAX = 1024, PARTS_MAX = 1024, PIECES_LEAST = 2 /* for each range */ };
/* Ranges for each part where there are several, so that no thread waits long for the last one. */
enum { RANGES_PER_PART = 4 };
/* Up to here the pool is as large as the sketch: eight hashes for each cache line pay for fetching
 * it. For larger sketches it is half as large, or this. */
#define ROOM_BYTES ((uint64_t)256 << 20)
#define NO_PIECE UINT32_MAX

/* Keys whose bits are found together. */
enum { TOGETHER = 256 };
/* The bits of a range: an offset has 32. Ranges of a line at least share none. */
enum { SHIFT_LEAST = 9, SHIFT_MOST = 32 };

/* Where the next element of a range goes; at == end: a new piece is needed. */
typedef struct tail {
    uint8_t *at, *end;
    uint32_t first, last; /* its pieces */
} tail;

/* What a thread sorts. */
typedef struct sorter {
    size_t    next, end; /* its remaining keys of the batch */
    uint64_t  put;       /* hashes from ink__bulk_put, not counted as records yet */
    uint8_t  *pool;
    uint32_t  pieces, taken;
    uint32_t *following; /* the next piece of the same bucket */
    tail     *tails;     /* of all ranges */
} sorter;

struct ink__bulk {
    ink_sketch *sketch;
    ink_batch   batch;
    uint32_t    bits;      /* that a key sets, to be partitioned; 0: hashes are */
    uint64_t    payload;   /* bytes of the sketch */
    uint64_t    locations; /* its blocks, or bits ... */
    unsigned    shift;     /* ... of which 2^shift are a range */
    unsigned    ranges, parts;
    ink__block  pool;
    uint64_t    bytes; /* of this object, with its sorters and what these have */
    sorter      sorters[];
};

/* ---- Plan --------------------------------------------------------------------------------- */

/* Whether keys of a kind, if they have hashes, are partitioned before they are added. */
static bool takes(const ink__kind *kind, bool hashed, uint64_t bytes)
{
    return kind->block_bytes > 0 ||
           (kind->set_bits != NULL && hashed && bytes <= ((uint64_t)RANGES_MAX << SHIFT_MOST) / 8);
}

static bool takes_sketch(const ink_sketch *sketch)
{
    return takes(sketch->kind, !ink__rule_needs_keys(&sketch->rule),
                 ink__shape_of(sketch).payload_bytes);
}

bool ink__bulk_takes(const ink_description *description)
{
    const ink__kind *kind;

    return ink__kind_find(description->kind, &kind, NULL) == INK_OK &&
           takes(kind, !description->needs_keys, description->bytes);
}

bool ink__bulk_pays(const ink_sketch *sketch, const ink_batch *batch)
{
    if ((sketch->kind->block_bytes == 0 && sketch->kind->set_bits == NULL) ||
        batch->weights != NULL || sketch->concurrent ||
        batch->count < ink__tuning_now().radix_from_bytes / INK__LINE_BYTES)
        return false;
    uint64_t bytes = ink__shape_of(sketch).payload_bytes;
    return bytes >= ink__tuning_now().radix_from_bytes && batch->count >= bytes / INK__LINE_BYTES &&
           takes_sketch(sketch);
}

/* The bytes of a range. */
static uint64_t range_bytes(const ink__bulk *bulk)
{
    return bulk->bits == 0 ? (uint64_t)bulk->sketch->kind->block_bytes << bulk->shift
                           : (uint64_t)1 << bulk->shift >> 3;
}

/* Pieces that must be free before the bits of more keys are partitioned: all of a key or none. */
static uint32_t pieces_ahead(const ink__bulk *bulk)
{
    return bulk->bits == 0 ? 0 : bulk->ranges + TOGETHER * bulk->bits * 4 / PIECE_BYTES + 1;
}

/* Bytes for the elements of all parts: as many as the sketch has, twice as many if these are bits,
 * or fewer than `most_bytes` allow; for a small sketch what the second-level caches of the threads
 * hold. */
static uint64_t plan_room(const ink__bulk *bulk, uint64_t most_bytes)
{
    uint64_t bytes = bulk->bits == 0 ? bulk->payload : 2 * bulk->payload;
    uint64_t room = bytes <= ROOM_BYTES ? bytes : bytes / 2 < ROOM_BYTES ? ROOM_BYTES : bytes / 2;
    uint64_t near = bulk->parts * (ink__tuning_now().l2_bytes / 2);

    room = bulk->parts > 1 && room < near ? near : room;
    return room < most_bytes ? room : most_bytes;
}

/* The bytes of the elements of `keys` keys; UINT64_MAX: their number is unknown. */
static uint64_t bytes_of_keys(const ink__bulk *bulk, uint64_t keys)
{
    uint64_t each = bulk->bits == 0 ? 8 : 4 * (uint64_t)bulk->bits;

    return keys < UINT64_MAX / each ? keys * each : UINT64_MAX;
}

/* Ranges leave part of the second-level cache to the hashes; to offsets less, as more of these go
 * to each line of the first-level cache, which all tails then fit. Their number is limited so that
 * the tails of all buckets fit there, and the first pieces of all buckets take no more memory than
 * the sketch or the hashes do, or than allowed. */
static void plan_ranges(ink__bulk *bulk, uint64_t keys, uint64_t most_bytes)
{
    uint64_t wanted = ink__tuning_now().l2_bytes / (bulk->bits == 0 ? 4 : 2);
    uint64_t bytes = bulk->payload, used = bytes_of_keys(bulk, keys);
    uint64_t room = plan_room(bulk, used < bytes ? bytes : used);

    room = room < most_bytes ? room : most_bytes;
    if (bulk->parts > 1 && bytes / bulk->parts / RANGES_PER_PART < wanted)
        wanted = bytes / bulk->parts / RANGES_PER_PART;
    uint64_t most = room / ((uint64_t)bulk->parts * PIECES_LEAST * PIECE_BYTES);
    most = most < 1 ? 1 : most < RANGES_MAX ? most : RANGES_MAX;
    bulk->shift = bulk->bits == 0 ? 0 : SHIFT_LEAST;
    while (range_bytes(bulk) < wanted || (bulk->locations - 1) >> bulk->shift >= most)
        bulk->shift++;
    bulk->ranges = (unsigned)((bulk->locations - 1) >> bulk->shift) + 1;
}

/* Pieces for each part: what the room allows, what `keys` keys can need, and never too few. */
static uint32_t plan_pieces(const ink__bulk *bulk, uint64_t keys, uint64_t most_bytes)
{
    uint64_t pieces = plan_room(bulk, most_bytes) / bulk->parts / PIECE_BYTES;
    uint64_t needed = bytes_of_keys(bulk, keys) / bulk->parts / PIECE_BYTES + 1 + bulk->ranges +
                      pieces_ahead(bulk);

    pieces = pieces < needed ? pieces : needed;
    if (pieces < PIECES_LEAST * bulk->ranges + pieces_ahead(bulk))
        pieces = PIECES_LEAST * bulk->ranges + pieces_ahead(bulk);
    return pieces < NO_PIECE ? (uint32_t)pieces : NO_PIECE - 1;
}

static void empty_buckets(const ink__bulk *bulk, sorter *mine)
{
    for (unsigned range = 0; range < bulk->ranges; range++)
        mine->tails[range] = (tail){.first = NO_PIECE, .last = NO_PIECE};
    mine->taken = 0;
}

static void start_sorters(ink__bulk *bulk, uint32_t pieces)
{
    tail     *tails = (tail *)(void *)(bulk->sorters + bulk->parts);
    uint32_t *following = (uint32_t *)(void *)(tails + (size_t)bulk->parts * bulk->ranges);
    size_t    each = bulk->batch.count / bulk->parts, over = bulk->batch.count % bulk->parts;
    size_t    first = 0;

    for (unsigned part = 0; part < bulk->parts; part++) {
        size_t count = each + (part < over);
        bulk->sorters[part] = (sorter){
            .next = first,
            .end = first + count,
            .pool = bulk->pool.data + (size_t)part * pieces * PIECE_BYTES,
            .pieces = pieces,
            .following = following + (size_t)part * pieces,
            .tails = tails + (size_t)part * bulk->ranges,
        };
        first += count;
        empty_buckets(bulk, &bulk->sorters[part]);
    }
}

static ink_status make_bulk(ink__bulk **made, const ink__bulk *planned, uint32_t pieces,
                            ink_error *error)
{
    const ink_allocator *allocator = &planned->sketch->allocator;
    uint64_t             each =
        sizeof(sorter) + planned->ranges * sizeof(tail) + (uint64_t)pieces * sizeof(uint32_t);
    uint64_t   bytes = sizeof(ink__bulk) + planned->parts * each;
    uint64_t   room = (uint64_t)planned->parts * pieces * PIECE_BYTES;
    ink__bulk *bulk;

    INK__TRY(ink__allocate(allocator, bytes, &bulk, error));
    *bulk = *planned;
    bulk->bytes = bytes;
    ink_status status = ink__block_take(&bulk->pool, allocator, room, error);
    if (status != INK_OK) {
        ink__release(allocator, bulk, bytes);
        return status;
    }
    start_sorters(bulk, pieces);
    *made = bulk;
    return INK_OK;
}

/* A bulk for a batch that was checked, and for `keys` keys at most. */
static ink_status open_checked(ink__bulk **bulk, ink_sketch *sketch, const ink_batch *batch,
                               uint64_t keys, uint64_t most_bytes, unsigned parts, ink_error *error)
{
    ink__bulk planned = {.sketch = sketch, .batch = *batch, .parts = parts};

    planned.payload = ink__shape_of(sketch).payload_bytes;
    planned.bits = sketch->kind->block_bytes > 0 ? 0 : ((const ink__filter *)sketch)->hashes;
    planned.locations = planned.bits == 0 ? planned.payload / sketch->kind->block_bytes
                                          : ((const ink__filter *)sketch)->size;
    plan_ranges(&planned, keys, most_bytes);
    return make_bulk(bulk, &planned, plan_pieces(&planned, keys, most_bytes), error);
}

static ink_status check_parts(const ink_sketch *sketch, unsigned parts, ink_error *error)
{
    if (!takes_sketch(sketch))
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot be filled range by range, expected a filter of hashes",
                         sketch->kind->name);
    INK__TRY(ink__check_writable(sketch, error));
    if (parts == 0 || parts > PARTS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%u parts, expected 1 to %d", parts,
                         PARTS_MAX);
    return INK_OK;
}

ink_status ink__bulk_open(ink__bulk **bulk, ink_sketch *sketch, const ink_batch *batch,
                          unsigned parts, ink_error *error)
{
    INK__TRY(check_parts(sketch, parts, error));
    if (batch->weights != NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "weights for keys that are sorted by range, expected none");
    INK__TRY(ink_sketch_check_batch(sketch, batch, error));
    return open_checked(bulk, sketch, batch, batch->count, UINT64_MAX, parts, error);
}

ink_status ink__bulk_open_for_hashes(ink__bulk **bulk, ink_sketch *sketch, uint64_t room_bytes,
                                     unsigned parts, ink_error *error)
{
    const ink_batch none = {.count = 0};

    INK__TRY(check_parts(sketch, parts, error));
    INK__TRY(ink_sketch_check_batch(sketch, &none, error));
    return open_checked(bulk, sketch, &none, UINT64_MAX, room_bytes == 0 ? UINT64_MAX : room_bytes,
                        parts, error);
}

/* ---- Sort --------------------------------------------------------------------------------- */

/* Gives a bucket another piece; false if all are taken. */
static bool take_piece(sorter *mine, tail *bucket)
{
    if (mine->taken == mine->pieces)
        return false;
    uint32_t piece = mine->taken++;

    if (bucket->first == NO_PIECE)
        bucket->first = piece;
    else
        mine->following[bucket->last] = piece;
    bucket->last = piece;
    bucket->at = mine->pool + (size_t)piece * PIECE_BYTES;
    bucket->end = bucket->at + PIECE_BYTES;
    return true;
}

/* Puts hashes into their buckets until one finds no room; returns how many. */
static size_t scatter_hashes(const ink__bulk *bulk, sorter *mine, const uint64_t *hashes,
                             size_t count)
{
    tail *const    tails = mine->tails;
    const uint64_t locations = bulk->locations;
    const unsigned shift = 32 + bulk->shift;

    for (size_t i = 0; i < count; i++) {
        /* The block that ink__block_of finds, and its range, in one shift. */
        tail *bucket = &tails[((hashes[i] >> 32) * locations) >> shift];
        if (bucket->at == bucket->end && !take_piece(mine, bucket))
            return i;
        *(uint64_t *)(void *)bucket->at = hashes[i];
        bucket->at += sizeof *hashes;
        __builtin_prefetch(bucket->at + INK__LINE_BYTES, 1, 3);
    }
    return count;
}

/* The same for the bits of hashes; `count` is TOGETHER at most. */
static size_t scatter_bits(const ink__bulk *bulk, sorter *mine, const uint64_t *hashes,
                           size_t count)
{
    tail *const    tails = mine->tails;
    const unsigned shift = bulk->shift;
    const uint64_t mask = ((uint64_t)1 << shift) - 1;
    uint64_t       found[TOGETHER];

    if (mine->pieces - mine->taken < pieces_ahead(bulk))
        return 0;
    for (uint32_t bit = 0; bit < bulk->bits; bit++) {
        bulk->sketch->kind->find_bits(bulk->sketch, hashes, count, bit, found);
        for (size_t i = 0; i < count; i++) {
            tail *bucket = &tails[found[i] >> shift];
            if (bucket->at == bucket->end)
                (void)take_piece(mine, bucket);
            *(uint32_t *)(void *)bucket->at = (uint32_t)(found[i] & mask);
            bucket->at += sizeof(uint32_t);
            __builtin_prefetch(bucket->at + INK__LINE_BYTES, 1, 3);
        }
    }
    return count;
}

static size_t scatter(const ink__bulk *bulk, sorter *mine, const uint64_t *hashes, size_t count)
{
    size_t done = 0;

    if (bulk->bits == 0)
        return scatter_hashes(bulk, mine, hashes, count);
    for (size_t some = 1; done < count && some > 0; done += some)
        some = scatter_bits(bulk, mine, hashes + done,
                            count - done < TOGETHER ? count - done : TOGETHER);
    return done;
}

void ink__bulk_sort(ink__bulk *bulk, unsigned part)
{
    sorter  *mine = &bulk->sorters[part];
    uint64_t hashes[INK__HASH_BATCH];

    while (mine->next < mine->end) {
        ink__keys keys = ink__batch_part(bulk->sketch, &bulk->batch, mine->next, hashes);
        size_t    count = mine->end - mine->next < keys.count ? mine->end - mine->next : keys.count;
        size_t    sorted = scatter(bulk, mine, keys.hashes, count);
        mine->next += sorted;
        if (sorted < count)
            return;
    }
}

size_t ink__bulk_put(ink__bulk *bulk, unsigned part, const uint64_t *hashes, size_t count)
{
    sorter *mine = &bulk->sorters[part];
    size_t  sorted = scatter(bulk, mine, hashes, count);

    mine->put += sorted;
    return sorted;
}

/* ---- Add ---------------------------------------------------------------------------------- */

/* A segment of the sketch, prefetched line by line: in sequence they come faster than at random. */
typedef struct segment {
    const uint8_t *next, *end;
    size_t         lines; /* that come while SLICE keys are added */
} segment;

/* Keys added between two prefetches of the segment: not more lines are fetched at once than can be
 * in flight. */
enum { SLICE = 128 };

static void fetch_lines(segment *prefetch, size_t lines)
{
    for (size_t i = 0; i < lines && prefetch->next < prefetch->end;
         i++, prefetch->next += INK__LINE_BYTES)
        __builtin_prefetch(prefetch->next, 1, 2);
}

/* The memory of a range; empty after the last range of this part. */
static segment segment_of(const ink__bulk *bulk, unsigned range, unsigned end)
{
    const ink_sketch *sketch = bulk->sketch;
    const uint8_t    *payload = sketch->kind->payload(sketch, NULL);
    uint64_t          each = range_bytes(bulk), all = bulk->payload;

    if (range >= end)
        return (segment){.next = payload, .end = payload};
    return (segment){
        .next = payload + range * each,
        .end = payload + (all - range * each < each ? all : (range + 1) * each),
    };
}

/* How far ahead elements are prefetched, across pieces: the hardware prefetcher stops at a page. */
enum { SLICE_BYTES = SLICE * 8, BYTES_FETCHED = 4 * SLICE_BYTES };

/* Adds the elements of a piece; `next` is the following piece, or itself. */
static void add_slices(const ink__bulk *bulk, unsigned range, const uint8_t *piece,
                       const uint8_t *next, size_t bytes, segment *prefetch)
{
    for (size_t first = 0; first < bytes; first += SLICE_BYTES) {
        const size_t   some = bytes - first < SLICE_BYTES ? bytes - first : SLICE_BYTES;
        const size_t   at = first + BYTES_FETCHED;
        const size_t   past = at < PIECE_BYTES ? 0 : at - PIECE_BYTES;
        const uint8_t *far = at + SLICE_BYTES <= PIECE_BYTES ? piece + at : next + past;
        for (size_t i = 0; i < SLICE_BYTES; i += INK__LINE_BYTES)
            __builtin_prefetch(far + i, 0, 3);
        fetch_lines(prefetch, prefetch->lines);
        const void *elements = piece + first;
        if (bulk->bits == 0) {
            const ink__keys keys = {.count = some / 8, .hashes = elements};
            bulk->sketch->kind->add(bulk->sketch, &keys);
        } else
            bulk->sketch->kind->set_bits(bulk->sketch, (uint64_t)range << bulk->shift, elements,
                                         some / 4);
    }
}

static void add_bucket(const ink__bulk *bulk, unsigned range, const sorter *from, segment *prefetch)
{
    const tail *bucket = &from->tails[range];

    for (uint32_t piece = bucket->first; piece != NO_PIECE; piece = from->following[piece]) {
        const uint8_t *elements = from->pool + (size_t)piece * PIECE_BYTES;
        if (piece == bucket->last) {
            add_slices(bulk, range, elements, elements, (size_t)(bucket->at - elements), prefetch);
            break;
        }
        add_slices(bulk, range, elements, from->pool + (size_t)from->following[piece] * PIECE_BYTES,
                   PIECE_BYTES, prefetch);
    }
}

/* Lines of the next range to fetch with each slice of keys; 0 if too few keys would pay for it. */
static size_t lines_at_a_time(const ink__bulk *bulk)
{
    uint64_t slices = 0, lines = bulk->payload / INK__LINE_BYTES;

    for (unsigned i = 0; i < bulk->parts; i++)
        slices += (uint64_t)bulk->sorters[i].taken * PIECE_BYTES / SLICE_BYTES;
    return slices == 0 || slices * SLICE < lines ? 0 : (size_t)(lines / slices) + 1;
}

void ink__bulk_apply_share(ink__bulk *bulk, unsigned share, unsigned shares)
{
    unsigned first = (unsigned)((uint64_t)bulk->ranges * share / shares);
    unsigned end = (unsigned)((uint64_t)bulk->ranges * (share + 1) / shares);
    size_t   lines = lines_at_a_time(bulk);
    segment  prefetch = segment_of(bulk, first, end);

    for (unsigned range = first; range < end; range++) {
        fetch_lines(&prefetch, lines == 0 ? 0 : SIZE_MAX);
        prefetch = segment_of(bulk, range + 1, end);
        prefetch.lines = lines;
        for (unsigned i = 0; i < bulk->parts; i++)
            add_bucket(bulk, range, &bulk->sorters[i], &prefetch);
    }
}

void ink__bulk_apply(ink__bulk *bulk, unsigned part)
{
    ink__bulk_apply_share(bulk, part, bulk->parts);
}

unsigned ink__bulk_shares(const ink__bulk *bulk)
{
    const unsigned most = RANGES_PER_PART * bulk->parts;

    return bulk->ranges < most ? bulk->ranges : most;
}

bool ink__bulk_more(ink__bulk *bulk)
{
    const ink_batch *batch = &bulk->batch;
    bool             more = false;
    uint64_t         records = batch->records == 0 ? batch->count : batch->records;

    for (unsigned part = 0; part < bulk->parts; part++) {
        sorter *of = &bulk->sorters[part];
        empty_buckets(bulk, of);
        more = more || of->next < of->end;
        records += of->put;
        of->put = 0;
    }
    if (!more)
        bulk->sketch->records = ink__add_saturating(bulk->sketch->records, records);
    return more;
}

void ink__bulk_close(ink__bulk *bulk)
{
    if (bulk == NULL)
        return;
    ink_allocator allocator = bulk->sketch->allocator;

    ink__block_release(&bulk->pool, &allocator);
    ink__release(&allocator, bulk, bulk->bytes);
}

ink_status ink__bulk_add(ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    ink__bulk *bulk;

    INK__TRY(open_checked(&bulk, sketch, batch, batch->count, UINT64_MAX, 1, error));
    do {
        ink__bulk_sort(bulk, 0);
        ink__bulk_apply(bulk, 0);
    } while (ink__bulk_more(bulk));
    ink__bulk_close(bulk);
    return INK_OK;
}
