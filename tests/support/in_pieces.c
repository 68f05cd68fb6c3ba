/* in_pieces.c - bytes that come in pieces are decoded as those that come at once. */
#include "support/in_pieces.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/sketches.h"

#include <stdio.h>

enum { FIXED_BYTES = 1 << 16, BLOCK_PER_BYTE = 16 };

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s, pieces by %llu: not so: %s (\"%s\", \"%s\")", tried,                     \
                     (unsigned long long)sizes, #condition, at_once.message, in_pieces.message);   \
    } while (0)

/* Of the next piece: small, middling and large ones, and none. */
static size_t piece_size(uint64_t *state, uint64_t sizes, size_t rest)
{
    static const uint64_t limits[] = {2, 9, 70, 5000, 1 << 20, 1 << 22};
    uint64_t              drawn = scramble((*state)++), size = rest;

    if (sizes == PIECES_OF_1)
        size = 1;
    else if (sizes != PIECES_WHOLE)
        size = (drawn >> 8) % limits[drawn % (sizeof limits / sizeof limits[0])];
    return size < rest ? (size_t)size : rest;
}

bool in_pieces_as_at_once(const uint8_t *bytes, size_t count, uint64_t sizes, const char *tried)
{
    faults_memory memory = {.unfilled = true};
    ink_allocator allocator = faults_allocator(&memory);
    ink_sketch   *whole = NULL, *sketch = NULL;
    ink_decoder  *decoder = NULL;
    ink_error     at_once = {0}, in_pieces = {0}, writing;
    ink_status    expected = ink_sketch_decode(&whole, bytes, count, NULL, &at_once);
    ink_status    written = INK_OK;
    uint64_t      state = sizes << 32;

    REQUIRE(ink_decoder_create(&decoder, &allocator, &in_pieces) == INK_OK);
    for (size_t at = 0, size; at < count; at += size) {
        size = piece_size(&state, sizes, count - at);
        ink_status status = ink_decoder_write(decoder, bytes + at, size, &writing);
        REQUIRE(status != INK_OK || written == INK_OK);
        REQUIRE(status == INK_OK || (expected != INK_OK && writing.status == status));
        written = status;
        REQUIRE(memory.largest_bytes <= BLOCK_PER_BYTE * (uint64_t)(at + size) + FIXED_BYTES);
    }
    ink_status status = ink_decoder_finish(decoder, &sketch, &in_pieces);
    REQUIRE(status == expected && (status == INK_OK) == (sketch != NULL));
    if (status == INK_OK) {
        REQUIRE(sketches_equal(sketch, whole) && ink_sketch_memory(sketch) <= memory.live_bytes);
        REQUIRE(ink_decoder_write(decoder, bytes, 1, &in_pieces) == INK_USAGE);
        REQUIRE(ink_decoder_finish(decoder, &sketch, &in_pieces) == INK_USAGE);
    } else {
        REQUIRE(in_pieces.status == at_once.status && in_pieces.location == at_once.location);
        REQUIRE(in_pieces.at == at_once.at && strcmp(in_pieces.message, at_once.message) == 0);
    }
    ink_decoder_free(decoder);
    REQUIRE(sketch == NULL || ink_sketch_memory(sketch) == memory.live_bytes);
    ink_sketch_free(sketch);
    faults_check_no_leak(&memory);
    ink_sketch_free(whole);
    return status == INK_OK;
}
