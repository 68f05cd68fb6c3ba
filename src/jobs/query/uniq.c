/* uniq.c - the first record of each key, in one pass: a filter of fixed size knows which keys were
 * seen before; from its fill follows how many first records it took for repeats.
 *
 * With several threads the filter is cut into ranges. Each thread sorts the hashes of its chunk by
 * range; each range is a track that takes the chunks in order, so that of equal keys the first one
 * is new. Only counts and the write are left to the ordered commit. When it is time to read the
 * rate, some ranges are ahead: what was added since is taken back, weighed, and added again. */
#include "base/memory.h"
#include "base/real.h"
#include "base/size.h"
#include "base/status.h"
#include "base/system.h"
#include "input/records/decompress.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/kind_choice.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/statistics.h"
#include "jobs/runtime/tasks.h"
#include "sketch/internal.h"

#include <string.h>

#define RATE 1e-4
/* Of chunks after the first one: what is kept of the rows stays in a cache of one core, and even of
 * very short records it is a few MiB. */
#define CHUNK_BYTES ((uint64_t)256 << 10)
/* For inputs of unknown size. */
#define MEMORY_BYTES ((uint64_t)64 << 20)
/* 4 MiB are cheap: of few keys practically none is lost. */
#define KEYS_LEAST ((uint64_t)5 << 18)
/* The least part of a filter for which a thread is worth its start, to read the rate. */
#define WEIGHED_BYTES ((uint64_t)4 << 20)
/* The limits of a bloom. */
#define BLOCKS_MAX ((uint64_t)1 << 29)
#define RATE_MIN 1e-5
#define RATE_MAX 0.5
/* Lower rates do not matter yet, unless there are few bits for each key. */
#define RATE_LOW 1e-5
/* Above this a filter is full. */
#define RATE_MOST (1 - 1e-12)

enum {
    BLOCK_BITS = 256,      /* a filter has a multiple of these */
    STEPS = 16,            /* the rate is read after each 1 / STEPS of the plan */
    BATCH_LEAST = 16,      /* rows in a batch, at most INK__ROWS_MAX ... */
    BATCHES_IN_PLAN = 512, /* ... of which a plan has this many */
    TRACKS_EACH = 2,       /* for each thread, so that hardly one waits for another ... */
    STEP_ROWS = 256,       /* ... and rows that are worth a turn */
};

_Static_assert((int)INK__FILTER_RANGES_MAX <= (int)INK__TRACKS_MAX, "each range is a track");

/* First records that were taken for repeats. For each key that was new to the filter at rate r, on
 * average r / (1 - r) new keys were taken for known. */
typedef struct loss {
    uint64_t keys, next; /* when the rate was read last, and when it will be next */
    double   current;    /* the rate as read */
    double   rate, odds; /* r, and r / (1 - r) */
    double   expected;
    double   most, variance; /* with the rate at the end of each step */
} loss;

/* The chunk of a thread. */
typedef struct uniq_worker {
    ink__pending_rows rows;
    ink__passed       passed;
    bool              by_tracks; /* then, for each row: */
    uint64_t         *hashes;    /* sorted by track */
    uint8_t          *saved;     /* in this order, its block before the chunk ... */
    uint8_t          *was_new;   /* ... and whether it was new */
    uint8_t          *marks;     /* the same in the order of the input */
    uint32_t         *places;    /* in that order, where its hash is */
    uint64_t          bytes;     /* of all these, from `hashes` on */
    uint64_t          starts[INK__FILTER_RANGES_MAX + 1];
    uint64_t          fresh[INK__FILTER_RANGES_MAX]; /* in a track, how many were new */
} uniq_worker;

typedef struct uniq {
    ink_allocator           allocator;
    const ink_uniq_options *options;
    ink_reading             reading;
    ink__passing            passing;
    ink_params              params; /* of the filter; size 0: not known yet */
    uint64_t                total;  /* bytes of all inputs, if the size follows from them ... */
    uint64_t                memory; /* ... up to this limit */
    ink__hasher            *hasher;
    ink_sketch             *filter; /* NULL before the first commit */
    ink_description         description;
    size_t                  batch; /* rows at a time */
    uniq_worker            *workers;
    unsigned                worker_count;
    uint64_t                records, first;
    loss                    lost;
    uint64_t                began;
    ink_job                *job;

    ink__tracks       *tracks; /* NULL: one thread */
    ink__filter_ranges ranges;
    ink__mutex         mutex; /* of these: */
    bool               sized; /* there is a filter */
    /* First records, if all rows that are on their way are such: below `next` no rate is read. */
    uint64_t possible, next;
    /* Of the rate that is being read: the chunk, how many of its rows count, and what ranges
     * weigh. */
    uint64_t    look_sequence;
    uint64_t    look_rows[INK__FILTER_RANGES_MAX];
    ink__weight weights[INK__FILTER_RANGES_MAX];
} uniq;

/* ---- The size of the filter --------------------------------------------------------------- */

/* Whether a file is gzip or zstd, as the source will see it. */
static ink_status is_compressed(const uniq *all, const char *path, bool *compressed,
                                ink_error *error)
{
    ink__decompressor *stream;

    *compressed = false;
    if (!all->passing.ended && !ink__records_named_compressed(path))
        return INK_OK;
    INK__TRY(ink__decompress_open(&stream, path, NULL, 0, true, &all->allocator, error));
    *compressed = ink__decompress_compressed(stream);
    ink__decompress_close(stream);
    return INK_OK;
}

/* The bytes of all inputs; *known: whether they are known. */
static ink_status add_sizes(uniq *all, const ink_input *inputs, size_t input_count, bool *known,
                            ink_job *job, ink_error *error)
{
    *known = true;
    for (size_t i = 0; i < input_count && *known; i++) {
        const ink__feed one = {.inputs = &inputs[i], .input_count = 1};
        bool            compressed = false;
        uint64_t        bytes = 0;
        job->failed_path = inputs[i].path;
        *known = ink__feed_knows_size(&one, &bytes);
        if (*known && !ink__reading_in_memory(&inputs[i]))
            INK__TRY(is_compressed(all, inputs[i].path, &compressed, error));
        *known = *known && !compressed;
        all->total = ink__add_saturating(all->total, bytes);
    }
    job->failed_path = NULL;
    return INK_OK;
}

/* Plans a filter of all the memory. The number of keys follows from a plan for fewer keys, which
 * has a few more bits for each: the rate is kept for sure. */
static ink_status plan_by_memory(uniq *all, ink_error *error)
{
    uint64_t   blocks = all->memory / (BLOCK_BITS / 8);
    ink_params fewer = all->params;

    if (blocks == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{memory_bytes} %llu, expected %d or more",
                         (unsigned long long)all->memory, BLOCK_BITS / 8);
    if (blocks > BLOCKS_MAX)
        blocks = BLOCKS_MAX;
    fewer.expected_keys = blocks * (BLOCK_BITS / 64);
    INK__TRY(ink_plan(&fewer, &all->description, error));
    double keys =
        (double)(blocks * BLOCK_BITS) * (double)fewer.expected_keys / (double)all->description.bits;
    all->params.expected_keys = keys < 1 ? 1 : (uint64_t)keys;
    all->params.bits = blocks * BLOCK_BITS;
    all->params.false_positive_rate = 0;
    return INK_OK;
}

/* Plans by the first chunk that has records, as if all bytes were like these; with room for an
 * eighth more, unless there are no others. As far as there is memory. */
static ink_status plan_by_chunk(uniq *all, const ink__pending_rows *mine, ink_error *error)
{
    ink_params larger = all->params;
    double     keys = (double)mine->count;

    if (mine->limit < all->total)
        keys *= (double)all->total / (double)mine->limit * 1.125;
    if (keys < (double)KEYS_LEAST)
        keys = (double)KEYS_LEAST;
    INK__TRY(plan_by_memory(all, error));
    if (keys > (double)all->params.expected_keys)
        return INK_OK;
    larger.expected_keys = (uint64_t)keys;
    all->params = larger;
    return INK_OK;
}

/* The most keys that a filter can have. */
static uint64_t keys_most(const uniq *all)
{
    ink_params      any = all->params;
    ink_description description;
    uint64_t        low = 1, high = BLOCKS_MAX * BLOCK_BITS;

    while (low < high) {
        any.expected_keys = high - (high - low) / 2;
        if (ink_plan(&any, &description, NULL) == INK_OK)
            low = any.expected_keys;
        else
            high = any.expected_keys - 1;
    }
    return low;
}

/* Describes the filter, if there can be one. The messages of ink_plan advise other kinds, which are
 * of no use here. */
static ink_status check_plan(uniq *all, ink_error *error)
{
    ink_params any = all->params;
    double     rate = any.false_positive_rate;
    uint64_t   keys_given = all->options->expected_keys;

    if (!(rate >= RATE_MIN && rate <= RATE_MAX))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{false_positive_rate} %g, expected %g to %g", rate, RATE_MIN, RATE_MAX);
    any.expected_keys = keys_given == 0 ? 1 : keys_given;
    ink_status status = ink_plan(&any, &all->description, error);
    if (status != INK_USAGE || keys_given == 0)
        return status;
    return ink__fail(
        error, INK_USAGE, INK_NOWHERE, 0,
        "{expected_keys} %llu at rate %g, expected at most %llu: its filter has no more "
        "than %llu GiB",
        (unsigned long long)keys_given, rate, (unsigned long long)keys_most(all),
        (unsigned long long)(BLOCKS_MAX * BLOCK_BITS / 8 >> 30));
}

/* Plans what is known before anything is read; the first commit plans the rest. */
static ink_status plan(uniq *all, const ink_input *inputs, size_t input_count, ink_job *job,
                       ink_error *error)
{
    bool known;

    INK__TRY(check_plan(all, error));
    all->memory = ink__job_memory(job);
    all->params.expected_keys = all->options->expected_keys;
    if (all->params.expected_keys != 0 && all->description.bytes > all->memory)
        return ink__fail(
            error, INK_LIMIT, INK_NOWHERE, 0,
            "%llu keys at rate %g need %llu bytes, expected at most the %llu of "
            "{memory_bytes}",
            (unsigned long long)all->options->expected_keys, all->params.false_positive_rate,
            (unsigned long long)all->description.bytes, (unsigned long long)all->memory);
    if (all->params.expected_keys != 0)
        return INK_OK;
    INK__TRY(add_sizes(all, inputs, input_count, &known, job, error));
    if (known)
        return INK_OK;
    if (job->memory_bytes == 0)
        all->memory = MEMORY_BYTES;
    return plan_by_memory(all, error);
}

static ink_status make_filter(uniq *all, const ink__pending_rows *mine, ink_error *error)
{
    if (all->params.expected_keys == 0)
        INK__TRY(plan_by_chunk(all, mine, error));
    INK__TRY(ink_sketch_create(&all->filter, &all->params, &all->allocator, error));
    ink_sketch_describe(all->filter, &all->description);
    uint64_t rows = all->params.expected_keys / BATCHES_IN_PLAN;
    all->batch = rows < BATCH_LEAST     ? BATCH_LEAST
                 : rows > INK__ROWS_MAX ? INK__ROWS_MAX
                                        : (size_t)rows;
    all->lost.next = all->params.expected_keys / 8;
    return INK_OK;
}

/* ---- Losses ------------------------------------------------------------------------------- */

/* The expected losses of a step. Low rates rise with a power of the number of keys, which follows
 * from the two ends. In a nearly full filter the share of unknown keys falls evenly with each key,
 * so its logarithmic mean counts. */
static double lost_in_step(double keys, double rate, const loss *before)
{
    double first = (double)before->keys, odds = rate / (1 - rate), power = 4;

    if (rate >= 0.1)
        return (keys - first) *
               (ink__ln((1 - before->rate) / (1 - rate)) / (rate - before->rate) - 1);
    if (first > 0)
        power = ink__ln(odds / before->odds) / ink__ln(keys / first);
    return (keys * odds - first * before->odds) / (power + 1);
}

/* Adds the losses since the last time, by the rate as it is now. */
static void see_rate(uniq *all, double current)
{
    loss  *lost = &all->lost;
    double plan = (double)all->params.expected_keys, keys = (double)all->first, rate;

    lost->current = current;
    /* However few bits are set, two keys with the same block and the same lower half of the hash
     * are one key to the filter. */
    rate = lost->current + keys / ((double)all->description.bits / BLOCK_BITS) * 0x1p-32;
    rate = rate < RATE_MOST ? rate : RATE_MOST;
    double odds = rate / (1 - rate), step = keys - (double)lost->keys;
    lost->expected += rate > lost->rate ? lost_in_step(keys, rate, lost) : step * odds;
    lost->most += step * odds;
    lost->variance += step * odds * (1 + odds);
    lost->rate = rate;
    lost->odds = odds;
    lost->keys = all->first;
    /* Few keys hardly matter: the rate rises with about their sixth power. */
    bool few = keys < plan / 2 && rate < RATE_LOW;
    lost->next = all->first + (uint64_t)(few ? keys : (keys > plan ? keys : plan) / STEPS);
}

static ink_status read_rate(uniq *all, ink_error *error)
{
    double current;

    if (all->first == all->lost.keys)
        return INK_OK;
    INK__TRY(ink_sketch_rate(all->filter, &current, error));
    see_rate(all, current);
    return INK_OK;
}

static double rate_of_weights(const uniq *all)
{
    ink__weight sum = {0};

    for (unsigned i = 0; i < all->ranges.count; i++) {
        sum.high += all->weights[i].high;
        sum.low += all->weights[i].low;
    }
    return ink__filter_ranges_rate(&all->ranges, sum);
}

static ink_status weigh_task(void *host, unsigned worker, uint64_t range, ink_error *error)
{
    uniq *all = host;

    (void)worker;
    (void)error;
    all->weights[range] = ink__filter_ranges_weigh(&all->ranges, (unsigned)range);
    return INK_OK;
}

/* The same when nothing else goes on, by several threads. */
static ink_status read_last_rate(uniq *all, ink_error *error)
{
    const uint64_t parts = all->description.bytes / WEIGHED_BYTES + 1;

    if (all->ranges.count == 0 || all->first == all->lost.keys)
        return read_rate(all, error);
    ink__tasks tasks =
        ink__tasks_of(all->job, all->began, INK_PHASE_READING, all->ranges.count, weigh_task, all);
    tasks.total = 0; /* too short for progress */
    INK__TRY(ink__tasks_run(&tasks, parts < all->worker_count ? (unsigned)parts : all->worker_count,
                            error));
    see_rate(all, rate_of_weights(all));
    return INK_OK;
}

/* ---- Records ------------------------------------------------------------------------------ */

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    uniq                 *all = host;
    const ink__rows      *rows = feed->rows;
    ink_batch             batch = ink__rows_batch(rows);
    uint64_t              hashes[INK__ROWS_MAX];
    ink__pending_rows_for what = {
        .hashes = hashes,
        .passing = all->passing.sink == NULL ? NULL : &all->passing,
    };

    INK__TRY(ink__hasher_batch(all->hasher, &batch, hashes, error));
    return ink__pending_rows_add(&all->workers[worker].rows, rows, &what, error);
}

/* Adds the keys of rows `from` to `end`, and passes on the first records, or the repeats. */
static ink_status pass(uniq *all, uniq_worker *mine, uint64_t from, uint64_t end, ink_error *error)
{
    const ink__pending_rows *rows = &mine->rows;
    const ink_batch          batch = ink__pending_rows_batch(rows, from, end);
    uint8_t                  was_new[INK__ROWS_MAX];

    INK__TRY(ink_sketch_add_new_batch(all->filter, &batch, was_new, error));
    for (size_t i = 0; i < batch.count; i++)
        all->first += was_new[i];
    all->records += batch.count;
    if (all->records % all->batch == 0 && all->first >= all->lost.next)
        INK__TRY(read_rate(all, error));
    if (all->passing.sink == NULL)
        return INK_OK;
    return ink__passed_put_records(&all->passing, &mine->passed, rows->bytes, rows->limit,
                                   rows->records + from, was_new, !all->options->invert,
                                   batch.count, error);
}

/* The end of the batch that row `from` of a chunk is in, or of the chunk. Batches end at multiples
 * of all records, whatever the chunks: the rate is read at the same keys for every chunking. */
static uint64_t batch_end(const uniq *all, uint64_t from, uint64_t count)
{
    uint64_t left = count - from, room = all->batch - all->records % all->batch;

    return from + (left < room ? left : room);
}

static ink_status pass_all(uniq *all, uniq_worker *mine, ink_error *error)
{
    uint64_t end;

    for (uint64_t from = 0; from < mine->rows.count; from = end) {
        end = batch_end(all, from, mine->rows.count);
        INK__TRY(pass(all, mine, from, end, error));
    }
    return INK_OK;
}

/* ---- Records by tracks --------------------------------------------------------------------- */

/* Adds to the first records that are possible, or takes repeats off. */
static void set_possible(uniq *all, uint64_t rows, uint64_t repeats)
{
    ink__mutex_lock(&all->mutex);
    all->possible += rows - repeats;
    all->next = all->lost.next;
    ink__mutex_unlock(&all->mutex);
}

/* Later chunks than this one are short, and go by tracks if the filter has ranges. */
static void open_tracks(uniq *all, uint64_t sequence)
{
    ink__mutex_lock(&all->mutex);
    all->sized = true;
    ink__mutex_unlock(&all->mutex);
    if (all->tracks == NULL ||
        !ink__filter_ranges_of(&all->ranges, all->filter, TRACKS_EACH * all->worker_count) ||
        all->ranges.count < 2)
        return;
    set_possible(all, all->first, 0);
    ink__tracks_open(all->tracks, all->ranges.count, sequence + 1);
}

static ink_status prepare(void *host, unsigned worker, unsigned *at_once, ink_error *error)
{
    uniq          *all = host;
    uniq_worker   *mine = &all->workers[worker];
    const uint64_t count = mine->rows.count;
    const uint64_t each = sizeof *mine->hashes + INK__FILTER_BLOCK_BYTES + sizeof *mine->places + 2;

    INK__TRY(
        ink__make_room(&all->allocator, &mine->hashes, &mine->bytes, 0, count * each + 1, error));
    mine->saved = (uint8_t *)(mine->hashes + count);
    mine->places = (uint32_t *)(void *)(mine->saved + count * INK__FILTER_BLOCK_BYTES);
    mine->was_new = (uint8_t *)(mine->places + count);
    mine->marks = mine->was_new + count;
    mine->by_tracks = true;
    ink__filter_ranges_sort(&all->ranges, mine->rows.hashes, (size_t)count, mine->places,
                            mine->hashes, mine->starts);
    *at_once = 1 + (unsigned)(STEP_ROWS * all->ranges.count / (count + 1));
    ink__mutex_lock(&all->mutex);
    all->possible += count;
    ink__mutex_unlock(&all->mutex);
    return INK_OK;
}

/* Adds the hashes of one track. Blocks are saved only where the rate may have to be read at a row
 * before the last of these. */
static void step(void *host, unsigned owner, unsigned track)
{
    uniq          *all = host;
    uniq_worker   *mine = &all->workers[owner];
    const uint64_t start = mine->starts[track], count = mine->starts[track + 1] - start;

    mine->fresh[track] = 0;
    if (count == 0)
        return;
    ink__mutex_lock(&all->mutex);
    bool save = all->possible >= all->next;
    ink__mutex_unlock(&all->mutex);
    if (save)
        ink__filter_ranges_save(&all->ranges, mine->hashes + start, (size_t)count,
                                mine->saved + start * INK__FILTER_BLOCK_BYTES);
    mine->fresh[track] = ink__filter_ranges_add(&all->ranges, mine->hashes + start, (size_t)count,
                                                mine->was_new + start);
}

static void mark_rows(uniq_worker *mine)
{
    for (uint64_t i = 0; i < mine->rows.count; i++)
        mine->marks[i] = mine->was_new[mine->places[i]];
}

static ink_status gather(void *host, unsigned worker, ink_error *error)
{
    uniq                    *all = host;
    uniq_worker             *mine = &all->workers[worker];
    const ink__pending_rows *rows = &mine->rows;

    if (all->passing.sink == NULL)
        return INK_OK;
    mark_rows(mine);
    return ink__passed_put_records(&all->passing, &mine->passed, rows->bytes, rows->limit,
                                   rows->records, mine->marks, !all->options->invert,
                                   (size_t)rows->count, error);
}

/* Weighs a track as it was after the rows that count: takes all of the chunk and of later ones
 * back, and adds them again. */
static void look(void *host, unsigned track, uint64_t next)
{
    uniq    *all = host;
    uint64_t counted = all->look_rows[track];

    for (uint64_t chunk = next; chunk-- > all->look_sequence;) {
        const uniq_worker *one = &all->workers[ink__tracks_owner(all->tracks, chunk)];
        const uint64_t     start = one->starts[track];
        ink__filter_ranges_restore(&all->ranges, one->hashes + start,
                                   (size_t)(one->starts[track + 1] - start),
                                   one->saved + start * INK__FILTER_BLOCK_BYTES);
    }
    for (uint64_t chunk = all->look_sequence; chunk < next; chunk++, counted = 0) {
        const uniq_worker *one = &all->workers[ink__tracks_owner(all->tracks, chunk)];
        const uint64_t    *hashes = one->hashes + one->starts[track];
        const uint64_t     count = one->starts[track + 1] - one->starts[track];
        if (chunk == all->look_sequence) {
            ink__filter_ranges_add(&all->ranges, hashes, (size_t)counted, NULL);
            all->weights[track] = ink__filter_ranges_weigh(&all->ranges, track);
        }
        ink__filter_ranges_add(&all->ranges, hashes + counted, (size_t)(count - counted), NULL);
    }
}

/* Reads the rate as it was after the first `count` rows of a chunk. */
static void read_rate_at(uniq *all, unsigned worker, const ink__feed_rows *feed, uint64_t count)
{
    const uniq_worker *mine = &all->workers[worker];

    if (all->first == all->lost.keys)
        return;
    all->look_sequence = feed->sequence;
    ink__filter_ranges_count(&all->ranges, mine->rows.hashes, (size_t)count, all->look_rows);
    ink__lap_end(feed->laps, INK__LAP_ORDERED);
    ink__tracks_look_at_all(all->tracks, worker, look); /* by all workers */
    ink__lap_end(feed->laps, INK__LAP_PARALLEL);
    see_rate(all, rate_of_weights(all));
}

/* Counts the records of a chunk that went by tracks, and reads the rate where it is time to. */
static void count_rows(uniq *all, unsigned worker, const ink__feed_rows *feed)
{
    uniq_worker   *mine = &all->workers[worker];
    const uint64_t count = mine->rows.count;
    uint64_t       fresh = 0, end;

    for (unsigned track = 0; track < all->ranges.count; track++)
        fresh += mine->fresh[track];
    if (all->first + fresh < all->lost.next) {
        all->first += fresh;
        all->records += count;
    } else {
        mark_rows(mine);
        for (uint64_t from = 0; from < count; from = end) {
            end = batch_end(all, from, count);
            for (uint64_t i = from; i < end; i++)
                all->first += mine->marks[i];
            all->records += end - from;
            if (all->records % all->batch == 0 && all->first >= all->lost.next)
                read_rate_at(all, worker, feed, end);
        }
    }
    set_possible(all, 0, count - fresh);
}

/* The first chunk that has records decides the size of the filter. So it is as large as the job
 * wants, and no other is taken before its commit. */
static bool has_no_filter(void *host)
{
    uniq *all = host;

    ink__mutex_lock(&all->mutex);
    bool none = !all->sized;
    ink__mutex_unlock(&all->mutex);
    return none;
}

static uint64_t most_bytes(void *host)
{
    return has_no_filter(host) ? UINT64_MAX : CHUNK_BYTES;
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    uniq        *all = host;
    uniq_worker *mine = &all->workers[worker];
    const bool   first = mine->rows.count > 0 && all->filter == NULL;

    INK__TRY(ink__passing_header(&all->passing, feed, error));
    if (first)
        INK__TRY(make_filter(all, &mine->rows, error));
    if (mine->by_tracks)
        count_rows(all, worker, feed);
    else
        INK__TRY(pass_all(all, mine, error));
    if (first)
        open_tracks(all, feed->sequence);
    mine->by_tracks = false;
    ink__pending_rows_clear(&mine->rows);
    return ink__passed_write(&all->passing, &mine->passed, error);
}

/* ---- The job ------------------------------------------------------------------------------ */

/* Nothing: a chunk alone is all that `full` is for. */
static ink_status take_alone(void *host, ink_error *error)
{
    (void)host;
    (void)error;
    return INK_OK;
}

static ink_status begin(uniq *all, const ink_input *inputs, size_t input_count,
                        const ink_sink *sink, ink_error *error)
{
    const ink_uniq_options *options = all->options;
    ink_reading            *reading = &all->reading;
    ink__row_rule           rule;

    if (reading->by != NULL || reading->weight != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "groups or weights for records of which each is new or not");
    INK__TRY(ink__reading_refuse_arrow(inputs, input_count, error));
    INK__TRY(ink__reading_rule(&rule, reading, inputs, input_count, error));
    ink__passing_begin(&all->passing, &rule.records, sink, &all->allocator);
    all->params = (ink_params){
        .kind = ink__kind_best(INK_ASK_MEMBER, INK__KIND_SIZED),
        .false_positive_rate = options->rate == 0 ? RATE : options->rate,
        .key_type = rule.key_type,
        .seed = options->seed,
        .has_seed = options->has_seed,
        .secret = options->secret,
    };
    return ink__hasher_create(&all->hasher, &all->params, &all->allocator, error);
}

static ink_status run(uniq *all, const ink_input *inputs, size_t input_count, ink_error *error)
{
    ink__feed feed = {
        .inputs = inputs,
        .input_count = input_count,
        .reading = &all->reading,
        .host = all,
        .take = take,
        .commit = commit,
        .prepare = prepare,
        .gather = gather,
        .most = most_bytes,
        .full = has_no_filter,
        .flush = take_alone,
    };

    feed.workers = ink__feed_workers(&feed, all->job);
    INK__TRY(ink__allocate_zeroed(&all->allocator, feed.workers * sizeof *all->workers,
                                  &all->workers, error));
    all->worker_count = feed.workers;
    for (unsigned i = 0; i < feed.workers; i++)
        all->workers[i].rows = (ink__pending_rows){.keys.allocator = all->allocator};
    if (feed.workers > 1)
        INK__TRY(ink__tracks_create(&all->tracks, feed.workers, step, all, &all->allocator, error));
    feed.tracks = all->tracks;
    INK__TRY(ink__mutex_open(&all->mutex, error));
    ink_status status = ink__feed_run(&feed, all->job, all->began, error);
    ink__mutex_close(&all->mutex);
    return status;
}

static void release(uniq *all)
{
    for (unsigned i = 0; i < all->worker_count; i++) {
        ink__pending_rows_end(&all->workers[i].rows);
        ink__passed_free(&all->passing, &all->workers[i].passed);
        ink__release(&all->allocator, all->workers[i].hashes, all->workers[i].bytes);
    }
    ink__release(&all->allocator, all->workers, all->worker_count * sizeof *all->workers);
    ink__tracks_free(all->tracks);
    ink_sketch_free(all->filter);
    ink__hasher_free(all->hasher);
}

static ink_status fill_report(uniq *all, ink_uniq_report *report, ink_error *error)
{
    const loss *lost = &all->lost;
    double      repeated = (double)(all->records - all->first);

    *report = (ink_uniq_report){.records = all->records, .first = all->first};
    if (all->filter == NULL)
        return INK_OK;
    INK__TRY(read_last_rate(all, error));
    /* Keys may have been lost after the last new key, too: at most as many as before one more. The
     * limit counts them. The expectation does not: of n keys at rate r, n (1 - r) are new, and
     * n (1 - r) odds are the n r that are lost. */
    all->lost.most += lost->odds;
    all->lost.variance += lost->odds * (1 + lost->odds);
    /* A full filter takes every record for a repeat: nothing is known of the losses. */
    bool   full = lost->rate >= RATE_MOST;
    double limit = ink__chance_limit_of_runs(lost->most, lost->variance, lost->odds);
    report->lost = full || lost->expected > repeated ? repeated : lost->expected;
    report->lost_high = (uint64_t)(full || limit > repeated ? repeated : limit);
    report->expected_keys = all->params.expected_keys;
    report->bytes = all->description.bytes;
    report->rate = lost->current;
    return INK_OK;
}

ink_status ink_uniq(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                    const ink_uniq_options *options, const ink_sink *sink, ink_uniq_report *report,
                    ink_job *job, ink_error *error)
{
    uint64_t began = ink__system_now()->nanoseconds();
    uniq     all = {
            .allocator = ink__allocator_or_heap(job->allocator),
            .options = options,
            .reading = *reading,
            .began = began,
            .job = job,
    };

    job->failed_path = NULL;
    INK__TRY_ROOM("ink_uniq_options", options, error);
    ink_status status = begin(&all, inputs, input_count, sink, error);
    if (status == INK_OK)
        status = plan(&all, inputs, input_count, job, error);
    if (status == INK_OK)
        status = run(&all, inputs, input_count, error);
    if (status == INK_OK)
        status = fill_report(&all, report, error);
    release(&all);
    INK__TRY(status);
    report->seconds = (double)(ink__system_now()->nanoseconds() - began) / 1e9;
    return INK_OK;
}
