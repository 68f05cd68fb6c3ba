/* spark.c - BloomFilter, in its two versions, and CountMinSketch of Spark: numbers with the highest
 * byte first, then words. */
#include "format/foreign/formats.h"

#include "base/real.h"
#include "base/status.h"
#include "hash/foreign_hashes.h"

/* ---- BloomFilter -------------------------------------------------------------------------- */

static ink_status read_filter(const ink__foreign_file *file, uint32_t version,
                              ink__foreign_sketch *sketch, ink_error *error)
{
    const uint64_t head = version == 1 ? 8 : 12;
    const uint8_t *bytes = file->bytes;

    if (file->count < head)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %d bytes",
                                 (int)head);
    const uint32_t found = ink__load_u32_high_first(bytes);
    const uint32_t hashes = ink__load_u32_high_first(bytes + 4);
    if (found != version)
        return INK__FOREIGN_FAIL(error, 0, "version %u, expected %u", found, version);
    INK__TRY(ink__foreign_check_hashes(hashes, 4, error));
    sketch->params.kind = "classic";
    sketch->params.hashes = hashes;
    sketch->params.has_seed = version == 2;
    if (version == 2)
        sketch->params.seed = ink__load_u32_high_first(bytes + 8);
    return ink__foreign_read_bits(file, head, version == 1, sketch, error);
}

static ink_status write_filter(const ink__foreign_source *source, uint32_t version,
                               const ink_sink *sink, ink_error *error)
{
    uint8_t head[12];

    if (version == 1 && source->is.seed != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "seed %llu, expected 0",
                         (unsigned long long)source->is.seed);
    ink__store_u32_high_first(head, version);
    ink__store_u32_high_first(head + 4, source->is.hashes);
    ink__store_u32_high_first(head + 8, (uint32_t)source->is.seed);
    return ink__foreign_write_bits(source, head, version == 1 ? 8 : 12, sink, error);
}

static ink_status read_v1(const ink__foreign_file *file, uint64_t index,
                          ink__foreign_sketch *sketch, ink_error *error)
{
    (void)index;
    return read_filter(file, 1, sketch, error);
}

static ink_status write_v1(const ink__foreign_source *source, const ink_sink *sink,
                           ink_error *error)
{
    return write_filter(source, 1, sink, error);
}

const ink__foreign_format ink__foreign_spark_v1 = {
    .info = {.name = "spark-v1",
             .about = "BloomFilter of Spark up to 4.0",
             .kind = "classic",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"spark-v1", NULL},
    .read = read_v1,
    .write = write_v1,
    .size = ink__foreign_size_bits,
};

static ink_status read_v2(const ink__foreign_file *file, uint64_t index,
                          ink__foreign_sketch *sketch, ink_error *error)
{
    (void)index;
    return read_filter(file, 2, sketch, error);
}

static ink_status write_v2(const ink__foreign_source *source, const ink_sink *sink,
                           ink_error *error)
{
    return write_filter(source, 2, sink, error);
}

const ink__foreign_format ink__foreign_spark_v2 = {
    .info = {.name = "spark-v2",
             .about = "BloomFilter of Spark from 4.1 on",
             .kind = "classic",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"spark-v2", NULL},
    .read = read_v2,
    .write = write_v2,
    .size = ink__foreign_size_bits,
};

/* ---- CountMinSketch ----------------------------------------------------------------------- */

#define EPSILON_DEFAULT 1e-4
#define DELTA_DEFAULT 0.01
#define LN2 0.6931471805599453

enum { ROWS_HEAD = 20, DEPTH_MAX = 64 };

/* Bits of a state of the generator that are not in the number it gives. */
enum { LOW_BITS = 17 };

/* Takes the seed before a state, if it is smaller and all rows follow from that state. */
static void try_state(uint64_t state, const uint8_t *factors, uint32_t depth, bool *found,
                      uint64_t *seed)
{
    /* The inverse of the factor, modulo 2^48. */
    const uint64_t inverse = UINT64_C(0xdfe05bcb1365);
    const uint64_t begin = ((state - 0xb) * inverse % INK__JAVA_STATES) ^ INK__JAVA_FACTOR;

    for (uint32_t row = 1; row < depth; row++)
        if (ink__java_random(&state) != ink__load_u64_high_first(factors + 8 * row))
            return;
    if (!*found || begin < *seed) {
        *seed = begin;
        *found = true;
    }
}

/* The smallest seed whose random numbers are the factors of the rows, or false if there is none.
 * The low bits of the state after the first one are not known: of all states of a next number one
 * is possible for each time that the next state, which grows with them, passes the largest one. */
static bool find_seed(const uint8_t *factors, uint32_t depth, uint64_t *seed)
{
    const uint64_t first = ink__load_u64_high_first(factors), state = first << LOW_BITS;
    const uint64_t next = (state * INK__JAVA_FACTOR + 0xb) % INK__JAVA_STATES;
    const uint64_t second = depth == 1 ? 0 : ink__load_u64_high_first(factors + 8);
    const uint64_t drawn[] = {second, INT32_MAX}; /* the latter is drawn again */
    bool           found = false;

    if (first >= INT32_MAX)
        return false;
    for (uint64_t low = 0; depth == 1 && low < 1 << LOW_BITS; low++)
        try_state(state | low, factors, depth, &found, seed);
    for (unsigned i = 0; depth > 1 && second < INT32_MAX && i < 2; i++)
        for (uint64_t passed = 0;; passed += INK__JAVA_STATES) {
            const uint64_t wanted = (drawn[i] << LOW_BITS) + passed;
            const uint64_t low =
                wanted <= next ? 0 : (wanted - next + INK__JAVA_FACTOR - 1) / INK__JAVA_FACTOR;
            if (low >= 1 << LOW_BITS)
                break;
            if ((next + low * INK__JAVA_FACTOR) % INK__JAVA_STATES >> LOW_BITS == drawn[i])
                try_state(state | low, factors, depth, &found, seed);
        }
    return found;
}

static ink_status read_count_min(const ink__foreign_file *file, uint64_t index,
                                 ink__foreign_sketch *sketch, ink_error *error)
{
    const uint8_t *bytes = file->bytes;

    (void)index;
    if (file->count < ROWS_HEAD)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %d bytes",
                                 ROWS_HEAD);
    const uint32_t version = ink__load_u32_high_first(bytes);
    const uint64_t total = ink__load_u64_high_first(bytes + 4);
    const uint64_t depth = ink__load_u32_high_first(bytes + 12);
    const uint64_t width = ink__load_u32_high_first(bytes + 16);
    if (version != 1)
        return INK__FOREIGN_FAIL(error, 0, "version %u, expected 1", version);
    if (total > INT64_MAX)
        return INK__FOREIGN_FAIL(error, 4, "a total below 0");
    if (depth == 0 || depth > DEPTH_MAX)
        return INK__FOREIGN_FAIL(error, 12, "%llu rows, expected 1 to %d",
                                 (unsigned long long)depth, DEPTH_MAX);
    if (width == 0 || width > INT32_MAX || file->count != ROWS_HEAD + 8 * depth * (1 + width))
        return INK__FOREIGN_FAIL(
            error, 16, "%llu rows of %llu counters, but the file has %llu bytes",
            (unsigned long long)depth, (unsigned long long)width, (unsigned long long)file->count);
    sketch->params.has_seed = true;
    if (!find_seed(bytes + ROWS_HEAD, (uint32_t)depth, &sketch->params.seed))
        return INK__FOREIGN_FAIL(error, ROWS_HEAD, "factors of rows that no seed gives");
    sketch->params.kind = "count-min";
    sketch->params.width = width;
    sketch->params.depth = (uint32_t)depth;
    sketch->params.counter_bits = 64;
    sketch->total = sketch->records = total;
    sketch->payload = bytes + ROWS_HEAD + 8 * depth;
    sketch->payload_bytes = 8 * depth * width;
    sketch->reversed = true;
    for (uint64_t at = 0; at < sketch->payload_bytes; at += 8)
        if (sketch->payload[at] > INT8_MAX)
            return INK__FOREIGN_FAIL(error, ROWS_HEAD + 8 * depth + at, "a counter below 0");
    return INK_OK;
}

static ink_status write_count_min(const ink__foreign_source *source, const ink_sink *sink,
                                  ink_error *error)
{
    const ink_description *is = &source->is;
    uint8_t                head[ROWS_HEAD + 8 * DEPTH_MAX];
    uint64_t               state = ink__java_state(is->seed);

    if (is->counter_bits != 64 || is->conservative || is->width > INT32_MAX)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "counters of %u bits in rows of %llu%s, expected plain ones of 64 bits, "
                         "below 2^31 in a row",
                         is->counter_bits, (unsigned long long)is->width,
                         is->conservative ? ", conservative" : "");
    if (is->total > INT64_MAX)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "a total above 2^63 - 1");
    ink__store_u32_high_first(head, 1);
    ink__store_u64_high_first(head + 4, is->total);
    ink__store_u32_high_first(head + 12, is->depth);
    ink__store_u32_high_first(head + 16, (uint32_t)is->width);
    for (uint32_t row = 0; row < is->depth; row++)
        ink__store_u64_high_first(head + ROWS_HEAD + 8 * row, ink__java_random(&state));
    INK__TRY(ink__foreign_put(sink, head, ROWS_HEAD + 8 * is->depth, error));
    return ink__foreign_put_reversed(sink, source->payload, source->payload_bytes / 8, error);
}

/* As CountMinSketch.create has it, which takes 1 - delta, the confidence. */
static ink_status size_count_min(ink_params *params, ink_error *error)
{
    if (params->conservative || (params->counter_bits != 0 && params->counter_bits != 64))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         params->conservative
                             ? "{conservative} is not for spark-count-min"
                             : "{counter_bits} 32, expected 64 for spark-count-min");
    params->counter_bits = 64;
    if (params->width != 0 || params->depth != 0)
        return INK_OK;
    const double epsilon = params->epsilon == 0 ? EPSILON_DEFAULT : params->epsilon;
    const double delta = params->delta == 0 ? DELTA_DEFAULT : params->delta;
    if (!(epsilon >= 2.0 / INT32_MAX && epsilon < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{epsilon} %g, expected at least %g and below 1", epsilon,
                         2.0 / INT32_MAX);
    if (!(delta >= 0x1p-53 && delta < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{delta} %g, expected at least %g and below 1", delta, 0x1p-53);
    params->width = ink__whole_up(2 / epsilon);
    params->depth = (uint32_t)ink__whole_up(-ink__ln(1 - (1 - delta)) / LN2);
    params->epsilon = params->delta = 0;
    return INK_OK;
}

const ink__foreign_format ink__foreign_spark_count_min = {
    .info = {.name = "spark-count-min",
             .about = "CountMinSketch of Spark",
             .kind = "count-min",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"spark-count-min", NULL},
    .read = read_count_min,
    .write = write_count_min,
    .size = size_count_min,
};
