/* decode_fuzz.c - reading files of sketches, of every kind, and nothing else, as fast as it goes: a
 * file is refused with a message and a byte, or each of its sketches is, or all are asked a little
 * and written anew with the same bytes; in pieces of any size it is decoded as at once. No block of
 * memory is larger than twice the file and a fixed part. file_fuzz.c does everything that there is
 * with what was read. */
#define _DEFAULT_SOURCE 1
enum { FILE_BYTES_MAX = 1 << 14, SEED_BYTES = 1024 };

#include "fuzz/changed_files.h"
#include "support/in_pieces.h"

static void attempt(const uint8_t *bytes, size_t count)
{
    snprintf(tried, sizeof tried, "an input of %zu bytes", count);
    refused_or_read(files_location(&guard, bytes, count), count);
    in_pieces_as_at_once(bytes, count, count == 0 ? PIECES_OF_1 : PIECES_DRAWN + bytes[count / 2],
                         tried);
}

static const char *const variants[] = CHANGED_FILES_VARIANTS;

const fuzz_target fuzz_here = {
    .name = "decode",
    .most_bytes = FILE_BYTES_MAX,
    .rounds = 20000,
    .weight = 24,
    .variants = variants,
    .begin = begin,
    .seed = seed,
    .change = change_file,
    .mend = files_repair,
    .attempt = attempt,
};
