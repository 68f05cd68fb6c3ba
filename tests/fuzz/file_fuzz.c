/* file_fuzz.c - files of sketches, of every kind, with many entries and with all sorts of labels: a
 * file is refused with a message and a byte, having taken little memory, or every call on it works
 * and takes no more memory than a dense sketch has (tests/faults/hostile.h). decode_fuzz.c reads
 * the same files and does no more than that, many times as often. */
#define _DEFAULT_SOURCE 1
enum { FILE_BYTES_MAX = 1 << 18, SEED_BYTES = 4096 };

#include "fuzz/changed_files.h"

static void attempt(const uint8_t *bytes, size_t count)
{
    snprintf(tried, sizeof tried, "an input of %zu bytes", count);
    refused_or_used(files_location(&guard, bytes, count), count);
}

static const char *const variants[] = CHANGED_FILES_VARIANTS;

const fuzz_target fuzz_here = {
    .name = "file",
    .most_bytes = FILE_BYTES_MAX,
    .rounds = 2000,
    .variants = variants,
    .begin = begin,
    .seed = seed,
    .change = change_file,
    .mend = files_repair,
    .attempt = attempt,
};
