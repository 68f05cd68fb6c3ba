/* ranges.c - one large sketch that several threads fill together. */
#include "jobs/build/ranges.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

ink_status ink__ranges_open(ink__ranges *ranges, ink_sketch *sketch, uint64_t room_bytes,
                            unsigned parts, const ink_allocator *allocator, ink_error *error)
{
    const uint64_t bytes = parts * sizeof(ink__ranges_stage);

    *ranges = (ink__ranges){.allocator = *allocator, .parts = parts};
    INK__TRY(ink__mutex_open(&ranges->mutex, error));
    ink_status status = ink__allocate(allocator, bytes, &ranges->stages, error);
    if (status == INK_OK)
        status = ink__bulk_open_for_hashes(&ranges->bulk, sketch, room_bytes, parts, error);
    if (status != INK_OK) {
        ink__release(allocator, ranges->stages, bytes);
        ink__mutex_close(&ranges->mutex);
        return status;
    }
    ranges->shares = ink__bulk_shares(ranges->bulk);
    for (unsigned i = 0; i < parts; i++)
        ranges->stages[i].used = 0;
    return INK_OK;
}

void ink__ranges_close(ink__ranges *ranges)
{
    if (ranges->bulk == NULL)
        return;
    ink__bulk_close(ranges->bulk);
    ink__mutex_close(&ranges->mutex);
    ink__release(&ranges->allocator, ranges->stages, ranges->parts * sizeof *ranges->stages);
    *ranges = (ink__ranges){.bulk = NULL};
}

/* Adds a share that no thread has taken yet, or waits for the others. The mutex is locked. */
static void add_share(ink__ranges *ranges)
{
    if (ranges->putting > 0 || ranges->taken == ranges->shares) {
        ink__mutex_wait(&ranges->mutex);
        return;
    }
    unsigned share = ranges->taken++;

    ink__mutex_unlock(&ranges->mutex);
    ink__bulk_apply_share(ranges->bulk, share, ranges->shares);
    ink__mutex_lock(&ranges->mutex);
    if (++ranges->added < ranges->shares)
        return;
    (void)ink__bulk_more(ranges->bulk); /* counts the records and makes room */
    ranges->taken = ranges->added = 0;
    ranges->full = false;
    ink__mutex_wake_all(&ranges->mutex);
}

static void put_stage(ink__ranges *ranges, unsigned part)
{
    ink__ranges_stage *stage = &ranges->stages[part];

    ink__mutex_lock(&ranges->mutex);
    for (size_t done = 0; done < stage->used;) {
        while (ranges->full)
            add_share(ranges);
        ranges->putting++;
        ink__mutex_unlock(&ranges->mutex);
        done += ink__bulk_put(ranges->bulk, part, stage->hashes + done, stage->used - done);
        ink__mutex_lock(&ranges->mutex);
        ranges->putting--;
        ranges->full = ranges->full || done < stage->used;
        if (ranges->full)
            ink__mutex_wake_all(&ranges->mutex);
    }
    ink__mutex_unlock(&ranges->mutex);
    stage->used = 0;
}

void ink__ranges_put(ink__ranges *ranges, unsigned part, const uint64_t *hashes, size_t count)
{
    ink__ranges_stage *stage = &ranges->stages[part];

    while (count > 0) {
        size_t some = INK__RANGES_STAGE - stage->used;
        some = some < count ? some : count;
        memcpy(stage->hashes + stage->used, hashes, some * sizeof *hashes);
        stage->used += some;
        hashes += some;
        count -= some;
        if (stage->used == INK__RANGES_STAGE)
            put_stage(ranges, part);
    }
}

static void add_rest(void *host, unsigned number)
{
    ink__ranges *ranges = host;
    ink__laps   *laps = ink__laps_start(&ranges->region, number);

    ink__mutex_lock(&ranges->mutex);
    for (uint64_t done = 0; ranges->full; done++) {
        add_share(ranges);
        ink__lap_end(laps, INK__LAP_PARALLEL);
        ink__lap_task(laps, done * ranges->parts + number, 0);
    }
    ink__mutex_unlock(&ranges->mutex);
    ink__laps_stop(laps);
}

void ink__ranges_finish(ink__ranges *ranges, const ink_job *job)
{
    for (unsigned part = 0; part < ranges->parts; part++)
        put_stage(ranges, part);
    ranges->full = true;
    ink__region_open(&ranges->region, job, ink__phase_name(INK_PHASE_FILLING), ranges->parts);
    ink__threads_run(ranges->parts, add_rest, ranges);
    ink__region_close(&ranges->region);
}
