/* checksum_test.c - the sums are XXH3 as everybody computes it, and a digest does not care in which
 * parts the bytes came. */
#include "base/checksum.h"

#include "support/check.h"

enum { BYTES = 5000 };
static const uint8_t digest_of_bytes[INK_DIGEST_BYTES] = {
    0xb9, 0x2e, 0xc0, 0x2c, 0x39, 0xd3, 0x3c, 0xe7, 0xb4, 0x18, 0x50, 0x0f, 0xc4, 0x23, 0x20, 0xee,
};

static void fill(uint8_t bytes[BYTES])
{
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i % 251);
}

TEST(the_checksum_is_xxh3_64_with_seed_0)
{
    CHECK(ink__checksum((const uint8_t *)"", 0) == 0x2d06800538d394c2u);
    CHECK(ink__checksum((const uint8_t *)"inkling", 7) == 0xead4df2789031e73u);
}

TEST(the_digest_is_xxh3_128_with_the_most_significant_byte_first)
{
    const uint8_t of_nothing[INK_DIGEST_BYTES] = {
        0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
        0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f,
    };
    uint8_t bytes[BYTES], digest[INK_DIGEST_BYTES];

    fill(bytes);
    ink__digest(bytes, 0, digest);
    assert_memory_equal(digest, of_nothing, sizeof digest);
    ink__digest(bytes, BYTES, digest);
    assert_memory_equal(digest, digest_of_bytes, sizeof digest);
}

TEST(a_digest_taken_in_parts_is_that_of_the_whole)
{
    uint8_t bytes[BYTES], digest[INK_DIGEST_BYTES];

    fill(bytes);
    for (size_t part = 1; part <= BYTES; part = part * 3 + 1) {
        ink__digester digester;
        ink__digest_begin(&digester);
        for (size_t done = 0; done < BYTES; done += part)
            ink__digest_add(&digester, bytes + done, BYTES - done < part ? BYTES - done : part);
        ink__digest_end(&digester, digest);
        assert_memory_equal(digest, digest_of_bytes, sizeof digest);
    }
}

RUN_TESTS()
