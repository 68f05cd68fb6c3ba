/* sorted_questions.c - many questions to one filter that is far larger than the caches. As they
 * come, each would wait for memory and for the tables of its pages. So a window of them is
 * partitioned by the first bits of their hashes, where locations rise with the hash (fuse): each
 * partition stays within a part of the filter that fits the second cache. */
#include "base/memory.h"
#include "base/status.h"
#include "base/tuning.h"
#include "sketch/batch.h"

#include <string.h>

/* A window has at most this many questions, which are answered TOGETHER at a time. */
enum {
    WINDOW_MAX = 1 << 21,
    PARTITION_BITS = 9,
    PARTITIONS = 1 << PARTITION_BITS,
    TOGETHER = 1024
};

typedef struct window {
    uint64_t *hashes, *sorted;
    uint32_t *numbers; /* of the questions, as they are sorted */
    size_t    room;
} window;

/* A question for each line of the filter, or for as many as a window can have. */
bool ink__sorted_questions_pay(const ink_sketch *sketch, const ink_batch *batch)
{
    const uint64_t bytes = sketch->kind->rising ? ink__shape_of(sketch).payload_bytes : 0;
    const uint64_t lines = bytes / INK__LINE_BYTES;

    return bytes >= 16 * ink__tuning_now().l2_bytes &&
           batch->count >= (lines < WINDOW_MAX ? lines : WINDOW_MAX);
}

static size_t partition_of(uint64_t hash)
{
    return (size_t)(hash >> (64 - PARTITION_BITS));
}

/* The questions from `first` on, as many as there is room for; returns how many. */
static size_t gather(const window *w, const ink_sketch *sketch, const ink_batch *batch,
                     size_t first, size_t *ends)
{
    size_t count = 0, sum = 0;

    memset(ends, 0, PARTITIONS * sizeof *ends);
    while (count + INK__HASH_BATCH <= w->room && first + count < batch->count) {
        uint64_t       *to = w->hashes + count;
        const ink__keys keys = ink__batch_part(sketch, batch, first + count, to);
        const size_t    some = keys.count < INK__HASH_BATCH ? keys.count : INK__HASH_BATCH;
        if (keys.hashes != to) /* the caller has them */
            memcpy(to, keys.hashes, some * sizeof *to);
        for (size_t i = 0; i < some; i++)
            ends[partition_of(to[i])]++;
        count += some;
    }
    for (size_t i = 0; i < PARTITIONS; i++) {
        const size_t in = ends[i];
        ends[i] = sum;
        sum += in;
    }
    return count;
}

static void ask(const ink_sketch *sketch, const window *w, size_t count, uint8_t *answers)
{
    uint8_t some[TOGETHER];

    for (size_t first = 0; first < count; first += TOGETHER) {
        const ink__keys keys = {.count = count - first < TOGETHER ? count - first : TOGETHER,
                                .hashes = w->sorted + first};
        sketch->kind->contains(sketch, &keys, some);
        for (size_t i = 0; i < keys.count; i++)
            answers[w->numbers[first + i]] = some[i];
    }
}

ink_status ink__sorted_questions(const ink_sketch *sketch, const ink_batch *batch, uint8_t *answers)
{
    const size_t   room = batch->count < WINDOW_MAX ? batch->count + INK__HASH_BATCH : WINDOW_MAX;
    const uint64_t bytes = room * (2 * sizeof(uint64_t) + sizeof(uint32_t));
    size_t         ends[PARTITIONS], count;
    window         w = {.room = room};

    INK__TRY(ink__allocate(&sketch->allocator, bytes, &w.hashes, NULL));
    w.sorted = w.hashes + room;
    w.numbers = (uint32_t *)(void *)(w.sorted + room);
    for (size_t first = 0; first < batch->count; first += count) {
        count = gather(&w, sketch, batch, first, ends);
        for (size_t i = 0; i < count; i++) {
            const size_t at = ends[partition_of(w.hashes[i])]++;
            w.sorted[at] = w.hashes[i];
            w.numbers[at] = (uint32_t)i;
        }
        ask(sketch, &w, count, answers + first);
    }
    ink__release(&sketch->allocator, w.hashes, bytes);
    return INK_OK;
}
