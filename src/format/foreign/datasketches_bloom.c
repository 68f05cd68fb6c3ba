/* datasketches_bloom.c - the Bloom filter of Apache DataSketches: 32 bytes, then words of bits; 24
 * bytes if it is empty. */
#include "format/foreign/datasketches.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"

enum { EMPTY_HEAD = 24, HEAD = 32 };
/* Beside 24 bytes there is no more than this of zeros; theirs takes this many words. */
enum { EMPTY_BITS_MAX = 1 << 22, WORDS_MAX = INT32_MAX - 32 };
#define NOT_COUNTED UINT64_MAX /* how many bits are set: what both of their libraries write */

/* Java writes a preamble of three words for both. */
static ink_status read_bloom(const ink__foreign_file *file, uint64_t index,
                             ink__foreign_sketch *sketch, ink_error *error)
{
    const uint8_t *bytes = file->bytes;

    (void)index;
    INK__TRY(ink__datasketches_is(file, INK__FAMILY_BLOOM, error));
    const bool     empty = (bytes[3] & INK__DATASKETCHES_EMPTY) != 0;
    const uint64_t head = empty ? EMPTY_HEAD : HEAD;
    if (file->count < head)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %d bytes",
                                 (int)head);
    const uint32_t hashes = ink__load_u16(bytes + 4), words = ink__load_u32(bytes + 16);
    if (bytes[0] != 3 && (bytes[0] != 4 || empty))
        return INK__FOREIGN_FAIL(error, 0, "a preamble of %u words, expected %d", bytes[0],
                                 empty ? 3 : 4);
    if (bytes[1] != 1)
        return INK__FOREIGN_FAIL(error, 1, "version %u, expected 1", bytes[1]);
    if (hashes == 0)
        return INK__FOREIGN_FAIL(error, 4, "0 hashes, expected 1 or more");
    if (words == 0 || words > INT32_MAX || file->count - head != (empty ? 0 : (uint64_t)8 * words))
        return INK__FOREIGN_FAIL(error, 16, "%u words of 8 bytes, but %llu bytes follow", words,
                                 (unsigned long long)(file->count - head));
    const uint64_t bits = (uint64_t)64 * words;
    if (empty && bits > EMPTY_BITS_MAX)
        return INK__FOREIGN_FAIL(error, 16,
                                 "an empty filter of %llu bits, expected at most %d: "
                                 "build it anew",
                                 (unsigned long long)bits, EMPTY_BITS_MAX);
    if (!empty && ink__load_u64(bytes + 24) != NOT_COUNTED && ink__load_u64(bytes + 24) > bits)
        return INK__FOREIGN_FAIL(error, 24, "%llu bits set, of %llu",
                                 (unsigned long long)ink__load_u64(bytes + 24),
                                 (unsigned long long)bits);
    sketch->params.kind = "classic";
    sketch->params.hashes = hashes;
    sketch->params.bits = bits;
    sketch->params.has_seed = true;
    sketch->params.seed = ink__load_u64(bytes + 8);
    sketch->payload = bytes + head;
    sketch->payload_bytes = bits / 8;
    if (empty) {
        sketch->made_bytes = bits / 8;
        INK__TRY(ink__allocate_zeroed(file->allocator, bits / 8, &sketch->made, error));
        sketch->payload = sketch->made;
    }
    return INK_OK;
}

static bool is_zero(const uint8_t *bytes, uint64_t count)
{
    uint64_t at = 0;

    while (at < count && ink__load_u64(bytes + at) == 0)
        at += 8;
    return at == count;
}

static ink_status write_bloom(const ink__foreign_source *source, const ink_sink *sink,
                              ink_error *error)
{
    const uint64_t words = source->is.bits / 64;
    uint8_t        head[HEAD] = {4, 1, INK__FAMILY_BLOOM};

    if (source->is.bits % 64 != 0 || words > WORDS_MAX)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "%llu bits, expected a multiple of 64 below 2^37",
                         (unsigned long long)source->is.bits);
    ink__store_u16(head + 4, (uint16_t)source->is.hashes);
    ink__store_u64(head + 8, source->is.seed);
    ink__store_u32(head + 16, (uint32_t)words);
    ink__store_u64(head + 24, NOT_COUNTED);
    if (is_zero(source->payload, source->payload_bytes)) {
        head[0] = 3;
        head[3] = INK__DATASKETCHES_EMPTY;
        return ink__foreign_put(sink, head, EMPTY_HEAD, error);
    }
    INK__TRY(ink__foreign_put(sink, head, HEAD, error));
    return ink__foreign_put(sink, source->payload, source->payload_bytes, error);
}

const ink__foreign_format ink__foreign_datasketches_bloom = {
    .info = {.name = "datasketches-bloom",
             .about = "Bloom filter of Apache DataSketches",
             .kind = "classic",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"datasketches-bloom", NULL},
    .read = read_bloom,
    .write = write_bloom,
};
