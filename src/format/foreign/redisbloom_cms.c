/* redisbloom_cms.c - the count-min sketches of RedisBloom (CMS), as DUMP gives them: their size,
 * the total, and counters of 32 bits, row after row. */
#include "format/foreign/formats.h"

#include "base/memory.h"
#include "base/status.h"
#include "format/foreign/rdb.h"

#define TYPE ((ink__rdb_type){0x0231293e4d83c4u, 0}) /* CMSk-TYPE */

enum { COUNTER_BYTES = 4, DEPTH_MAX = 64 };
#define WIDTH_MAX (UINT64_C(1) << 32)

static ink_status check_size(uint64_t width, uint64_t depth, const ink__rdb_string *counters,
                             ink_error *error)
{
    if (width == 0 || width > WIDTH_MAX || depth == 0 || depth > DEPTH_MAX)
        return INK__FOREIGN_FAIL(error, counters->at,
                                 "%llu rows of %llu counters, expected 1 to %d of 1 to 2^32",
                                 (unsigned long long)depth, (unsigned long long)width, DEPTH_MAX);
    if (counters->bytes != COUNTER_BYTES * width * depth)
        return INK__FOREIGN_FAIL(error, counters->at,
                                 "%llu bytes for %llu rows of %llu counters of %d bytes",
                                 (unsigned long long)counters->bytes, (unsigned long long)depth,
                                 (unsigned long long)width, COUNTER_BYTES);
    return INK_OK;
}

static ink_status read_cms(const ink__foreign_file *file, uint64_t index,
                           ink__foreign_sketch *sketch, ink_error *error)
{
    ink__rdb        in;
    ink__rdb_string counters;
    uint64_t        width, depth;

    (void)index;
    INK__TRY(ink__rdb_open_module(&in, file->bytes, file->count, TYPE, error));
    INK__TRY(ink__rdb_field_number(&in, &width, error));
    INK__TRY(ink__rdb_field_number(&in, &depth, error));
    INK__TRY(ink__rdb_field_number(&in, &sketch->total, error));
    INK__TRY(ink__rdb_field_text(&in, &counters, error));
    INK__TRY(ink__rdb_end_module(&in, error));
    INK__TRY(check_size(width, depth, &counters, error));
    sketch->params.kind = "count-min";
    sketch->params.width = width;
    sketch->params.depth = (uint32_t)depth;
    sketch->params.counter_bits = 8 * COUNTER_BYTES;
    sketch->records = sketch->total;
    sketch->payload = counters.stored;
    sketch->payload_bytes = counters.bytes;
    if (!counters.compressed)
        return INK_OK;
    sketch->made_bytes = counters.bytes;
    INK__TRY(ink__allocate(file->allocator, sketch->made_bytes, &sketch->made, error));
    ink__rdb_unpack(&counters, sketch->made);
    sketch->payload = sketch->made;
    return INK_OK;
}

const ink__foreign_format ink__foreign_redisbloom_cms = {
    .info = {.name = "redisbloom-cms",
             .about = "count-min sketches of RedisBloom (CMS)",
             .kind = "count-min",
             .reads = true},
    .hashes = (const char *const[]){"redisbloom-cms", NULL},
    .read = read_cms,
};
