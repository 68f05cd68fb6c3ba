/* sizes.c - about how many texts a corpus has at each level, and what keeps them. */
#include "jobs/dedup/sizes.h"

#include "base/hash_set.h"
#include "base/memory.h"
#include "base/real.h"
#include "base/status.h"
#include "input/records/decompress.h"
#include "jobs/dedup/passes.h"
#include "jobs/runtime/kind_choice.h"

enum { SAMPLES = 16, PARTS_MAX = 8 };
/* Of each sample; of compressed files it is what they hold. */
#define SAMPLE_BYTES ((uint64_t)128 << 10)
#define COMPRESSED_BYTES ((uint64_t)4 << 20)

#define RATE 1e-5
#define RATE_NGRAMS 1e-4
/* Bytes of a table for each hash, when it is fullest before it grows. */
#define TABLE_BYTES 24.0
/* Room for more texts than samples show. */
#define HEADROOM 1.25
#define HEADROOM_LEAST 65536
/* The limits of a bloom. */
#define FILTER_BITS_MAX ((uint64_t)1 << 37)
#define FILTER_BLOCK_BITS 256
/* Of the memory of a filter in ranges, the part for those that threads make at once. */
#define RANGES_PART 2

ink_status ink__dedup_take(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                           const ink__feed_rows *feed, ink_error *error)
{
    const ink__rows *rows = feed->rows;
    const uint64_t   base = (uint64_t)(rows->record_bytes - feed->chunk->bytes);

    chunk->bytes = feed->chunk->bytes;
    chunk->input = feed->chunk->input;
    chunk->sequence = feed->sequence;
    for (size_t i = 0; i < rows->count; i++) {
        const uint64_t end =
            i + 1 < rows->count ? base + rows->record_starts[i + 1] : feed->reader->at;
        ink_status status = ink__dedup_chunk_add(chunk, rule, base + rows->record_starts[i],
                                                 base + rows->record_ends[i], end, error);
        if (status == INK_FORMAT && error != NULL) {
            error->location = INK_AT_KEY;
            error->at = i;
        }
        INK__TRY(status);
    }
    return INK_OK;
}

typedef struct sampling {
    ink__dedup_rule  rule;
    ink__dedup_chunk chunk;
    double           texts[INK__SEEN_LEVELS]; /* of samples of the file ... */
    double           bytes;                   /* ... that stand for this many of its bytes */
    double           records;                 /* bytes of all that were read */
    double           found[INK__SEEN_LEVELS]; /* in the sampled files ... */
    double           sizes;                   /* ... which have this many bytes in all */
} sampling;

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    sampling *all = host;

    (void)worker;
    for (size_t i = 0; i < feed->rows->count; i++)
        all->records += 1.0 + (double)(feed->rows->record_ends[i] - feed->rows->record_starts[i]);
    return ink__dedup_take(&all->chunk, &all->rule, feed, error);
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    sampling *all = host;

    (void)worker;
    (void)feed;
    (void)error;
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        all->texts[level] += (double)all->chunk.parts[level].count;
    ink__dedup_chunk_clear(&all->chunk);
    return INK_OK;
}

/* Reads a sample, by one thread. */
static ink_status read_sample(sampling *all, const ink_input *input, const ink_reading *reading,
                              ink_job *job, ink_error *error)
{
    ink__feed feed = {.inputs = input,
                      .input_count = 1,
                      .reading = reading,
                      .workers = 1,
                      .host = all,
                      .take = take,
                      .commit = commit};
    ink_job   own = {.threads = 1, .allocator = job->allocator};

    ink_status status = ink__feed_run(&feed, &own, 0, error);
    job->failed_path = own.failed_path;
    return status;
}

/* The records that begin in parts of a plain file, at equal distances. Their bytes count, and not
 * those of the parts, of which one record may be many times as long. */
static ink_status sample_plain(sampling *all, const ink__shard *shard, unsigned parts,
                               const ink_reading *reading, ink_job *job, ink_error *error)
{
    const double before = all->records;

    if (shard->size <= parts * SAMPLE_BYTES) {
        all->bytes += (double)shard->size;
        return read_sample(all, &(ink_input){.path = shard->path}, reading, job, error);
    }
    for (unsigned i = 0; i < parts; i++) {
        const ink_input input = {
            .path = shard->path, .offset = shard->size / parts * i, .bytes = SAMPLE_BYTES};
        INK__TRY(read_sample(all, &input, reading, job, error));
    }
    all->bytes += all->records - before;
    return INK_OK;
}

/* The start of a compressed file. */
static ink_status sample_compressed(sampling *all, const ink__shard *shard,
                                    const ink_reading *reading, ink_job *job, ink_error *error)
{
    ink__decompressor *stream;
    uint8_t           *bytes;
    uint64_t           count = 0, taken = 0;

    INK__TRY(ink__allocate(&all->chunk.allocator, COMPRESSED_BYTES, &bytes, error));
    ink_status status =
        ink__decompress_open(&stream, shard->path, NULL, 0, true, &all->chunk.allocator, error);
    if (status == INK_OK) {
        status = ink__decompress_read(stream, bytes, COMPRESSED_BYTES, &count, error);
        taken = ink__decompress_taken(stream);
    }
    ink__decompress_close(stream);
    const uint8_t end = reading->form == INK_FORM_NUL ? 0 : '\n';
    for (; count == COMPRESSED_BYTES && count > 1 && bytes[count - 1] != end; count--)
        ; /* the last record may not be whole */
    job->failed_path = shard->path;
    if (status == INK_OK && count > 1)
        status = read_sample(
            all, &(ink_input){.path = shard->path, .memory = bytes, .memory_bytes = count}, reading,
            job, error);
    all->bytes += (double)(taken < shard->size ? taken : shard->size);
    ink__release(&all->chunk.allocator, bytes, COMPRESSED_BYTES);
    return status;
}

/* What samples of a file show of all of it: it counts by its size, whatever was read of it. */
static void count_file(sampling *all, const ink__shard *shard)
{
    if (all->bytes <= 0)
        return;
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        all->found[level] += all->texts[level] / all->bytes * (double)shard->size;
        all->texts[level] = 0;
    }
    all->sizes += (double)shard->size;
    all->bytes = 0;
}

static ink_status sample_files(sampling *all, const ink__shards *shards, const ink_reading *reading,
                               ink_job *job, ink_error *error)
{
    const uint64_t files = shards->count < SAMPLES ? shards->count : SAMPLES;
    const unsigned parts = SAMPLES / files < PARTS_MAX ? (unsigned)(SAMPLES / files) : PARTS_MAX;

    for (uint64_t i = 0; i < files; i++) {
        const ink__shard *shard = &shards->all[i * shards->count / files];
        if (shard->size == 0)
            continue;
        INK__TRY(shard->form == INK__COMPRESSION_NONE
                     ? sample_plain(all, shard, parts, reading, job, error)
                     : sample_compressed(all, shard, reading, job, error));
        count_file(all, shard);
        job->failed_path = NULL;
    }
    return INK_OK;
}

ink_status ink__dedup_estimate(const ink__shards *shards, const ink__dedup_rule *rule,
                               const ink_reading *reading, ink_job *job,
                               double texts[INK__SEEN_LEVELS], ink_error *error)
{
    const ink_allocator allocator = ink__allocator_or_heap(job->allocator);
    sampling           *all; /* too large for the stack of a thread */
    double              bytes = 0;

    INK__TRY(ink__allocate_zeroed(&allocator, sizeof *all, &all, error));
    all->rule = *rule;
    all->rule.bad = INK_DEDUP_BAD_SKIP; /* whether they are bad is found when all is read */
    ink__dedup_chunk_begin(&all->chunk, &allocator);
    for (uint64_t i = 0; i < shards->count; i++)
        bytes += (double)shards->all[i].size;
    ink_status status = sample_files(all, shards, reading, job, error);
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        texts[level] = all->sizes > 0 ? all->found[level] / all->sizes * bytes : 0;
    ink__dedup_chunk_end(&all->chunk);
    ink__release(&allocator, all, sizeof *all);
    return status;
}

/* ---- What keeps them ---------------------------------------------------------------------- */

/* About the bytes of a table: each range has the slots for its hashes, and at the edge of that some
 * have twice as many. */
static uint64_t table_bytes(uint64_t keys, unsigned valued)
{
    const double   each = (double)keys / INK__TABLE_RANGES, spread = 2 * ink__sqrt(each);
    const uint64_t slots = ink__hash_set_slots((uint64_t)(each > spread ? each - spread : 0));
    const double   room = (double)ink__hash_set_room(slots);
    double         twice = spread > 0 ? (each + spread - room) / (2 * spread) : 0;

    twice = twice < 0 ? 0 : twice > 1 ? 1 : twice;
    return (uint64_t)((1 + twice) * INK__TABLE_RANGES * (double)ink__hash_set_bytes(slots, valued));
}

static ink_status size_capped(ink__level_size *size, uint64_t bits_max, ink_error *error)
{
    size->params.bits = bits_max / FILTER_BLOCK_BITS * FILTER_BLOCK_BITS;
    size->params.false_positive_rate = 0;
    if (size->params.bits == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{memory_bytes} %llu, expected more for a filter",
                         (unsigned long long)size->memory);
    INK__TRY(ink_plan(&size->params, &size->plan, error));
    size->bytes = size->plan.bytes;
    return INK_OK;
}

/* A filter for all keys: in memory, or in ranges. One that becomes a file is in memory, and if that
 * is too small, it has the rate that this gives. */
static ink_status size_filter(ink__level_size *size, bool in_file, unsigned threads,
                              ink_error *error)
{
    const uint64_t bits_max =
        size->memory < FILTER_BITS_MAX / 8 ? size->memory * 8 : FILTER_BITS_MAX;

    size->params.expected_keys = size->keys;
    if (ink_plan(&size->params, &size->plan, NULL) != INK_OK || size->plan.bits > FILTER_BITS_MAX)
        return size_capped(size, bits_max, error);
    size->bytes = size->plan.bytes;
    if (size->plan.bits <= bits_max)
        return INK_OK;
    const uint64_t each = size->memory / RANGES_PART / (threads > 0 ? threads : 1) + 1;
    const uint64_t ranges = size->plan.bytes / each + 1;
    if (in_file || threads == 0 || ranges > INK__PASSES_MAX ||
        ranges > size->plan.bits / FILTER_BLOCK_BITS)
        return size_capped(size, bits_max, error);
    size->ranges = (unsigned)(ranges < 2 ? 2 : ranges);
    size->bytes = size->plan.bytes / size->ranges * threads + size->memory / INK__HASHES_PART;
    return INK_OK;
}

static ink_status size_level(const ink_dedup_options *options, ink_dedup_level level, double texts,
                             unsigned threads, ink__level_size *size, ink_error *error)
{
    const bool     valued = level == INK_DEDUP_EXACT && options->rows != NULL;
    const uint64_t given = options->expected_keys;
    const double   rate = level == INK_DEDUP_NGRAMS ? RATE_NGRAMS : RATE;

    size->keys = given > 0 ? given : (uint64_t)(texts * HEADROOM) + HEADROOM_LEAST;
    size->params = (ink_params){
        .kind = ink__kind_best(INK_ASK_MEMBER, INK__KIND_SIZED),
        .false_positive_rate = options->rate > 0 ? options->rate : rate,
        .key_type = INK_KEY_BYTES,
    };
    size->table = level != INK_DEDUP_NGRAMS && options->seen == NULL &&
                  (double)size->keys * TABLE_BYTES * (valued ? 2 : 1) <= (double)size->memory;
    if (!size->table)
        return size_filter(size, options->seen != NULL, threads, error);
    size->bytes = table_bytes(given > 0 ? given : (uint64_t)texts, valued);
    return INK_OK;
}

ink_status ink__dedup_size(const ink_dedup_options *options, const bool used[INK_DEDUP_LEVELS],
                           const double texts[INK__SEEN_LEVELS], uint64_t memory, unsigned threads,
                           ink__level_size sizes[INK__SEEN_LEVELS], ink_error *error)
{
    unsigned left = 0;

    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        left += used[level];
    if (used[INK_DEDUP_NEAR])
        memory /= 2;
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        sizes[level] = (ink__level_size){.memory = left > 0 ? memory / left : 0};
        if (!used[level])
            continue;
        left--;
        INK__TRY(size_level(options, (ink_dedup_level)level, texts[level], threads, &sizes[level],
                            error));
        memory -= sizes[level].bytes < memory ? sizes[level].bytes : memory;
    }
    return INK_OK;
}
