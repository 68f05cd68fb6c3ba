/* sizes.c - about how many texts a corpus has at each level, by samples of its files. */
#include "jobs/dedup/sizes.h"

#include "base/memory.h"
#include "base/status.h"
#include "input/records/decompress.h"

enum { SAMPLES = 16, PARTS_MAX = 8 };
/* Of each sample; of compressed files it is what they hold. */
#define SAMPLE_BYTES ((uint64_t)128 << 10)
#define COMPRESSED_BYTES ((uint64_t)4 << 20)

ink_status ink__dedup_take(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                           const ink__feed_rows *feed, ink_error *error)
{
    const ink__rows *rows = feed->rows;
    const uint64_t   base = (uint64_t)(rows->record_bytes - feed->chunk->bytes);

    chunk->bytes = feed->chunk->bytes;
    chunk->input = feed->chunk->input;
    chunk->sequence = feed->sequence;
    for (size_t i = 0; i < rows->count; i++) {
        const uint64_t end = i + 1 < rows->count ? base + rows->record_starts[i + 1]
                                                 : feed->reader->at;
        ink_status     status =
            ink__dedup_chunk_add(chunk, rule, base + rows->record_starts[i],
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
    double           texts[INK_DEDUP_LEVELS], bytes; /* of samples */
} sampling;

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    sampling *all = host;

    (void)worker;
    return ink__dedup_take(&all->chunk, &all->rule, feed, error);
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    sampling *all = host;

    (void)worker;
    (void)feed;
    (void)error;
    for (int level = 0; level < INK_DEDUP_LEVELS; level++)
        all->texts[level] += (double)all->chunk.parts[level].count;
    ink__dedup_chunk_clear(&all->chunk);
    return INK_OK;
}

/* Reads a sample, by one thread. */
static ink_status read_sample(sampling *all, const ink_input *input, const ink_reading *reading,
                              ink_job *job, ink_error *error)
{
    ink__feed feed = {.inputs = input, .input_count = 1, .reading = reading, .workers = 1,
                      .host = all, .take = take, .commit = commit};
    ink_job   own = {.threads = 1, .allocator = job->allocator};

    ink_status status = ink__feed_run(&feed, &own, 0, error);
    job->failed_path = own.failed_path;
    return status;
}

/* Parts of a plain file, at equal distances. */
static ink_status sample_plain(sampling *all, const ink__shard *shard, unsigned parts,
                               const ink_reading *reading, ink_job *job, ink_error *error)
{
    if (shard->size <= parts * SAMPLE_BYTES) {
        all->bytes += (double)shard->size;
        return read_sample(all, &(ink_input){.path = shard->path}, reading, job, error);
    }
    for (unsigned i = 0; i < parts; i++) {
        const ink_input input = {.path = shard->path, .offset = shard->size / parts * i,
                                 .bytes = SAMPLE_BYTES};
        INK__TRY(read_sample(all, &input, reading, job, error));
        all->bytes += (double)SAMPLE_BYTES;
    }
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
    ink_status status = ink__decompress_open(&stream, shard->path, NULL, 0, true,
                                             &all->chunk.allocator, error);
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
        status = read_sample(all,
                             &(ink_input){.path = shard->path, .memory = bytes,
                                          .memory_bytes = count},
                             reading, job, error);
    all->bytes += (double)(taken < shard->size ? taken : shard->size);
    ink__release(&all->chunk.allocator, bytes, COMPRESSED_BYTES);
    return status;
}

static ink_status sample_files(sampling *all, const ink__shards *shards,
                               const ink_reading *reading, ink_job *job, ink_error *error)
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
        job->failed_path = NULL;
    }
    return INK_OK;
}

ink_status ink__dedup_estimate(const ink__shards *shards, const ink__dedup_rule *rule,
                               const ink_reading *reading, ink_job *job,
                               double texts[INK_DEDUP_LEVELS], ink_error *error)
{
    const ink_allocator allocator = ink__allocator_or_heap(job->allocator);
    sampling            all = {.rule = *rule};
    double              bytes = 0;

    all.rule.bad = INK_DEDUP_BAD_SKIP; /* whether they are bad is found when all is read */
    ink__dedup_chunk_begin(&all.chunk, &allocator);
    for (uint64_t i = 0; i < shards->count; i++)
        bytes += (double)shards->all[i].size;
    ink_status status = sample_files(&all, shards, reading, job, error);
    for (int level = 0; level < INK_DEDUP_LEVELS; level++)
        texts[level] = all.bytes > 0 ? all.texts[level] / all.bytes * bytes : 0;
    ink__dedup_chunk_end(&all.chunk);
    return status;
}
