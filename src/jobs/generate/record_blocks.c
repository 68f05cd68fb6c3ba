/* record_blocks.c - records on their way to a sink, in blocks: their random values are drawn in
 * order, by one thread at a time; all threads write values as text; the blocks go to the sink in
 * order. So the records are the same for any number of threads. */
#include "jobs/generate/generator.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/tuning.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/tasks.h"

#include <string.h>

/* Large enough that waiting for the order costs little, small enough for the caches. */
enum { BLOCK_BYTES = 1 << 18 };

typedef struct blocks {
    const ink__generator_run *run;
    const ink__record_steps  *steps;
    uint64_t                  each; /* records of a block; the last one may have fewer */
    uint64_t                  written;
    struct block {
        uint8_t *values, *bytes;
        uint64_t used;
    } * of; /* one for each worker */
} blocks;

static uint64_t records_of(const blocks *all, uint64_t block)
{
    uint64_t left = all->run->records - block * all->each;

    return left < all->each ? left : all->each;
}

static uint64_t header_bytes(const ink__record_steps *steps)
{
    return steps->header == NULL ? 0 : strlen(steps->header);
}

static ink_status draw(void *host, unsigned worker, uint64_t block, ink_error *error)
{
    const blocks *all = host;

    return all->steps->draw(all->steps->host, all->of[worker].values, records_of(all, block),
                            error);
}

static ink_status put(void *host, unsigned worker, uint64_t block, ink_error *error)
{
    const blocks  *all = host;
    struct block  *mine = &all->of[worker];
    const uint8_t *value = mine->values;
    uint8_t       *to = mine->bytes;

    (void)error;
    if (block == 0 && all->steps->header != NULL) {
        memcpy(to, all->steps->header, (size_t)header_bytes(all->steps));
        to += header_bytes(all->steps);
    }
    for (uint64_t left = records_of(all, block); left > 0; left--) {
        to = all->steps->put(to, value, all->steps->host);
        *to++ = '\n';
        value += all->steps->value_bytes;
    }
    mine->used = (uint64_t)(to - mine->bytes);
    return INK_OK;
}

ink_status ink__sink_put(const ink_sink *sink, const void *bytes, uint64_t count, ink_error *error)
{
    int os_error = count == 0 ? 0 : sink->write(sink->host, bytes, (size_t)count);

    return os_error == 0 ? INK_OK : ink__fail_io(error, os_error, "writing records");
}

/* Passes a block to the sink and reports progress. INK_STOPPED if the caller stops the job. */
static ink_status pass(void *host, unsigned worker, uint64_t block, ink_error *error)
{
    blocks                   *all = host;
    const ink__generator_run *run = all->run;
    const ink_job            *job = run->job;

    INK__TRY(ink__sink_put(run->sink, all->of[worker].bytes, all->of[worker].used, error));
    all->written += records_of(all, block);
    const ink_progress progress = {
        .phase = INK_PHASE_FILLING,
        .done = all->written,
        .total = run->records,
        .records = all->written,
        .seconds = (double)(ink__system_now()->nanoseconds() - run->began) * 1e-9,
    };
    if (job->progress == NULL || job->progress(job->host, &progress))
        return INK_OK;
    return ink__fail(error, INK_STOPPED, INK_NOWHERE, 0, "stopped after %llu of %llu records",
                     (unsigned long long)all->written, (unsigned long long)run->records);
}

ink_status ink__generate_each(const ink__generator_run *run, const ink__record_steps *steps,
                              ink_error *error)
{
    const uint64_t each = BLOCK_BYTES / steps->record_max;
    const uint64_t count = run->records / each + (run->records % each != 0);
    const uint64_t least = each * (steps->value_bytes + steps->record_max) + header_bytes(steps);
    const uint64_t room = (least + INK__LINE_BYTES) / INK__LINE_BYTES * INK__LINE_BYTES;
    const unsigned threads = ink__job_threads(run->job),
                   workers = count < threads ? (unsigned)count : threads;
    ink_job  unreported = *run->job; /* progress counts records, not blocks */
    blocks   all = {.run = run, .steps = steps, .each = each};
    uint8_t *memory;

    INK__TRY(ink__allocate_zeroed(&run->allocator, workers * sizeof *all.of, &all.of, error));
    ink_status status = ink__allocate(&run->allocator, workers * room, &memory, error);
    if (status == INK_OK) {
        for (unsigned i = 0; i < workers; i++)
            all.of[i] = (struct block){.values = memory + i * room,
                                       .bytes = memory + i * room + each * steps->value_bytes};
        unreported.progress = NULL;
        ink__tasks tasks =
            ink__tasks_of(&unreported, run->began, INK_PHASE_FILLING, count, put, &all);
        tasks.prepare = draw;
        tasks.commit = pass;
        status = ink__tasks_run(&tasks, workers, error);
        ink__release(&run->allocator, memory, workers * room);
    }
    ink__release(&run->allocator, all.of, workers * sizeof *all.of);
    return status;
}
