/* guava.c - BloomFilter of Guava: a strategy, how many hashes, an array of bits. How keys become
 * bytes, the funnel, is not in the file. */
#include "format/foreign/formats.h"

#include "base/status.h"

#include <string.h>

enum { HEAD = 2, HASHES_MAX = UINT8_MAX };

/* By strategy: MURMUR128_MITZ_32 and _64. */
enum { STRATEGIES = 2, PLAIN = 0, INTS, CHARS };
static const char *const names[STRATEGIES][3] = {
    {"guava-32", "guava-32-int", "guava-32-chars"},
    {"guava", "guava-int", "guava-chars"},
};

static const struct funnel {
    const char  *name;
    ink_key_type takes;
    unsigned     hash;
} funnels[] = {
    {"utf8", INK_KEY_BYTES, PLAIN},
    {"chars", INK_KEY_BYTES, CHARS},
    {"long", INK_KEY_INT, PLAIN},
    {"int", INK_KEY_INT, INTS},
};
enum { FUNNELS = sizeof funnels / sizeof funnels[0] };

/* Sets hash and key type by the funnel, else the hash of the options if the strategy has it. */
static ink_status take_funnel(const ink_foreign_options *options, unsigned strategy,
                              ink_params *params, ink_error *error)
{
    params->hash = names[strategy][PLAIN];
    for (unsigned i = 0; i < 3 && options->hash != NULL; i++)
        if (strcmp(names[strategy][i], options->hash) == 0)
            params->hash = options->hash;
    if (options->funnel == NULL)
        return INK_OK;
    for (const struct funnel *f = funnels; f < funnels + FUNNELS; f++) {
        if (strcmp(f->name, options->funnel) != 0)
            continue;
        if (options->key_type == INK_KEY_INT && f->takes != INK_KEY_INT)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "funnel %s takes bytes keys, not int", f->name);
        params->key_type = f->takes;
        params->hash = names[strategy][f->hash];
        return INK_OK;
    }
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "funnel \"%s\", expected utf8, chars, long or int", options->funnel);
}

static ink_status read(const ink__foreign_file *file, uint64_t index, ink__foreign_sketch *sketch,
                       ink_error *error)
{
    const uint8_t *bytes = file->bytes;

    (void)index;
    if (file->count < HEAD)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first %d bytes", HEAD);
    if (bytes[0] >= STRATEGIES)
        return INK__FOREIGN_FAIL(error, 0, "strategy %u, expected 0 or 1", bytes[0]);
    INK__TRY(ink__foreign_check_hashes(bytes[1], 1, error));
    sketch->params.kind = "classic";
    sketch->params.hashes = bytes[1];
    INK__TRY(ink__foreign_read_bits(file, HEAD, bytes[0] == 0, sketch, error));
    return take_funnel(file->options, bytes[0], &sketch->params, error);
}

static ink_status size(ink_params *params, ink_error *error)
{
    if (params->hashes > HASHES_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{hashes} %u, expected 1 to %d for guava", params->hashes, HASHES_MAX);
    return ink__foreign_size_bits(params, error);
}

static ink_status write(const ink__foreign_source *source, const ink_sink *sink, ink_error *error)
{
    const bool    narrow = strncmp(source->is.hash, names[0][PLAIN], strlen(names[0][PLAIN])) == 0;
    const uint8_t head[HEAD] = {!narrow, (uint8_t)source->is.hashes};

    if (source->is.hashes > HASHES_MAX)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "%u hashes of a key, expected 1 to %d", source->is.hashes, HASHES_MAX);
    return ink__foreign_write_bits(source, head, HEAD, sink, error);
}

const ink__foreign_format ink__foreign_guava = {
    .info = {.name = "guava",
             .about = "BloomFilter of Guava",
             .kind = "classic",
             .unsaid = "the funnel, by which keys become bytes",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"guava", "guava-int", "guava-chars", "guava-32", "guava-32-int",
                                    "guava-32-chars", NULL},
    .read = read,
    .write = write,
    .size = size,
};
