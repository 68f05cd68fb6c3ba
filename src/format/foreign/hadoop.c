/* hadoop.c - org.apache.hadoop.util.bloom: BloomFilter, whose bits are those of a classic, and
 * CountingBloomFilter, of whose buckets of 4 bits we keep whether they are above 0. */
#include "format/foreign/formats.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

enum { HEAD = 13, OLD_HEAD = 8, BUCKETS = 16 /* of a word */ };

/* The head of a Filter: -1, hashes, type of the hash, size; in old files hashes and size alone, and
 * the hash is Jenkins'. *bytes becomes its length. */
static ink_status read_head(const ink__foreign_file *file, ink_params *params, uint64_t *bytes,
                            ink_error *error)
{
    const uint8_t *from = file->bytes;

    if (file->count < OLD_HEAD)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %d bytes",
                                 OLD_HEAD);
    const uint32_t first = ink__load_u32_high_first(from);
    const bool     old = first <= INT32_MAX;
    if (!old && first != UINT32_MAX)
        return INK__FOREIGN_FAIL(error, 0, "version %d, expected -1", (int)(int32_t)first);
    if (!old && file->count < HEAD)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %d bytes", HEAD);
    if (!old && from[8] > 1)
        return INK__FOREIGN_FAIL(error, 8, "hash %u, expected 0 (Jenkins) or 1 (Murmur)", from[8]);
    *bytes = old ? OLD_HEAD : HEAD;
    params->kind = "classic";
    params->hash = old || from[8] == 0 ? "hadoop-jenkins" : "hadoop";
    params->hashes = old ? first : ink__load_u32_high_first(from + 4);
    params->bits = ink__load_u32_high_first(from + *bytes - 4);
    INK__TRY(ink__foreign_check_hashes(params->hashes, old ? 0 : 4, error));
    if (params->bits == 0 || params->bits > INT32_MAX)
        return INK__FOREIGN_FAIL(error, *bytes - 4, "size %llu, expected 1 to 2^31 - 1",
                                 (unsigned long long)params->bits);
    return INK_OK;
}

static ink_status check_length(const ink__foreign_file *file, uint64_t head, uint64_t bytes,
                               ink_error *error)
{
    if (file->count - head != bytes)
        return INK__FOREIGN_FAIL(error, head, "%llu bytes follow, expected %llu for this size",
                                 (unsigned long long)(file->count - head),
                                 (unsigned long long)bytes);
    return INK_OK;
}

static ink_status read(const ink__foreign_file *file, uint64_t index, ink__foreign_sketch *sketch,
                       ink_error *error)
{
    uint64_t head = 0;

    (void)index;
    INK__TRY(read_head(file, &sketch->params, &head, error));
    sketch->payload = file->bytes + head;
    sketch->payload_bytes = (sketch->params.bits + 7) / 8;
    return check_length(file, head, sketch->payload_bytes, error);
}

static ink_status size(ink_params *params, ink_error *error)
{
    if (params->bits > INT32_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{bits} %llu, expected at most 2^31 - 1 for hadoop",
                         (unsigned long long)params->bits);
    return INK_OK;
}

static ink_status write(const ink__foreign_source *source, const ink_sink *sink, ink_error *error)
{
    uint8_t head[HEAD] = {0xff, 0xff, 0xff, 0xff};

    if (source->is.bits > INT32_MAX)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "%llu bits, expected at most 2^31 - 1",
                         (unsigned long long)source->is.bits);
    ink__store_u32_high_first(head + 4, source->is.hashes);
    head[8] = strcmp(source->is.hash, "hadoop") == 0;
    ink__store_u32_high_first(head + 9, (uint32_t)source->is.bits);
    INK__TRY(ink__foreign_put(sink, head, HEAD, error));
    return ink__foreign_put(sink, source->payload, source->payload_bytes, error);
}

const ink__foreign_format ink__foreign_hadoop = {
    .info = {.name = "hadoop",
             .about = "util.bloom.BloomFilter of Hadoop",
             .kind = "classic",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"hadoop", "hadoop-jenkins", NULL},
    .read = read,
    .write = write,
    .size = size,
};

/* ---- CountingBloomFilter ------------------------------------------------------------------ */

/* Bucket i is 4 bits of word i / 16, from the lowest on. */
static ink_status read_counting(const ink__foreign_file *file, uint64_t index,
                                ink__foreign_sketch *sketch, ink_error *error)
{
    uint64_t head = 0;

    (void)index;
    INK__TRY(read_head(file, &sketch->params, &head, error));
    const uint64_t size = sketch->params.bits, words = (size + BUCKETS - 1) / BUCKETS;
    INK__TRY(check_length(file, head, 8 * words, error));
    sketch->payload_bytes = sketch->made_bytes = (size + 7) / 8;
    INK__TRY(ink__allocate_zeroed(file->allocator, sketch->made_bytes, &sketch->made, error));
    sketch->payload = sketch->made;
    for (uint64_t i = 0; i < BUCKETS * words; i += 2) {
        /* Two buckets are a byte, and the bytes of a word stand in the opposite order. */
        const uint64_t at = head + (i / 2 ^ 7);
        const unsigned both = file->bytes[at];
        const unsigned bits = ((both & 15) != 0) | (unsigned)(both >> 4 != 0) << 1;
        if (i + 1 >= size && bits >> (i + 1 == size) != 0)
            return INK__FOREIGN_FAIL(error, at, "a bucket after the last one is not 0");
        if (i < size)
            sketch->made[i / 8] |= (uint8_t)(bits << i % 8);
    }
    return INK_OK;
}

const ink__foreign_format ink__foreign_hadoop_counting = {
    .info = {.name = "hadoop-counting",
             .about = "util.bloom.CountingBloomFilter of Hadoop",
             .kind = "classic",
             .lost = "how often keys were added, so that none can be removed",
             .reads = true},
    .hashes = (const char *const[]){"hadoop", "hadoop-jenkins", NULL},
    .read = read_counting,
};
