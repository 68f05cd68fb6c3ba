/* guess_test.c - names of files that are not ours: the fewest bytes by which each is known, one
 * less, and neighbours of each field. */
#include "format/foreign/guess.h"

#include "support/check.h"

#include <stdio.h>

static const struct {
    const char *start; /* then zeros up to `present` bytes, of a file of `count` */
    unsigned    bytes, present, count;
    const char *name;
} files[] = {
    {"\x1f\x8b", 2, 2, 9, "gzip data"},
    {"\x1f\x8b", 1, 1, 9, "something else"},
    {"\x89INK\r\n\x1a\r", 8, 8, 9, "an .ink file damaged by a transfer as text"},
    {"\x89INK\r\n\x1a\r", 7, 7, 9, "something else"},
    {"\xff\xfe\0\0", 4, 4, 9, "UTF-32 text"},
    {"\xff\xfe\0\1", 4, 4, 9, "UTF-16 text"},

    {"\0\0\0\1\0\0\0\1\0\0\0\2", 12, 28, 28, "a BloomFilter of Spark"},
    {"\0\0\0\1\0\0\0\1\0\0\0\2", 12, 28, 29, "something else"},
    {"\0\0\0\2\0\0\0\1\0\0\0\2", 12, 28, 28, "something else"},
    {"\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\1", 16, 24, 24, "a BloomFilter of Spark"},
    {"\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\1", 16, 23, 24, "something else"},
    {"\0\1\0\0\0\3", 6, 24, 30, "a BloomFilter of Guava"},
    {"\1\1\0\0\0\3", 6, 24, 30, "a BloomFilter of Guava"},
    {"\2\1\0\0\0\3", 6, 24, 30, "something else"},
    {"\1\0\0\0\0\3", 6, 24, 30, "something else"},
    {"\1\1\0\0\0\3", 6, 24, 31, "something else"},
    {"\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1", 20, 36, 36, "a CountMinSketch of Spark"},
    {"\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1", 20, 36, 37, "something else"},
    {"\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1", 20, 36, 36, "something else"},
    {"\0\0\0\1\0\0\0\0\0\0\0\0\0\0\3\xff\0\0\0\1", 20, 24, 20 + 16 * 1023,
     "a CountMinSketch of Spark"},
    {"\0\0\0\1\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\1", 20, 24, 20 + 16 * 1024, "something else"},

    {"\x10\x8b\x7f", 3, 8, 8, "an hll of PostgreSQL"},
    {"\x14\x8b\x7f", 3, 8, 8, "an hll of PostgreSQL"},
    {"\x14\x8b\x7f", 3, 7, 7, "something else"},
    {"\x0f\x8b\x7f", 3, 8, 8, "something else"},
    {"\x15\x8b\x7f", 3, 8, 8, "something else"},
    {"\x14\x8c\x7f", 3, 8, 8, "something else"},
    {"\x14\x8b\x7e", 3, 8, 8, "something else"},
    {"\2\1\7", 3, 8, 8, "an HLL sketch of DataSketches"},
    {"\3\1\7", 3, 8, 8, "an HLL sketch of DataSketches"},
    {"\x0a\1\7", 3, 8, 8, "an HLL sketch of DataSketches"},
    {"\x0a\1\7", 3, 7, 7, "something else"},
    {"\4\1\7", 3, 8, 8, "something else"},
    {"\2\2\7", 3, 8, 8, "something else"},
    {"\2\1\6", 3, 8, 8, "something else"},
    {"\1\3\3", 3, 8, 8, "a theta sketch of DataSketches"},
    {"\4\3\3", 3, 8, 8, "a theta sketch of DataSketches"},
    {"\0\3\3", 3, 8, 8, "something else"},
    {"\5\3\3", 3, 8, 8, "something else"},
    {"\1\2\3", 3, 8, 8, "something else"},
    {"\1\3\2", 3, 8, 8, "something else"},

    {" ~\n\r\t", 5, 5, 5, "text"},
    {" ~\n\r\t\x1f", 6, 6, 6, "something else"},
    {" ~\n\r\t\x7f", 6, 6, 6, "something else"},
    {"", 0, 5, 5, "zeros"},
};

TEST(a_file_is_named_by_the_fewest_bytes_that_suffice)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        uint8_t *bytes = calloc(1, files[i].present + 1);
        memcpy(bytes, files[i].start, files[i].bytes);
        const char *name = ink__foreign_kind(bytes, files[i].present, files[i].count);
        if (strcmp(name, files[i].name) != 0)
            fail_msg("number %zu: \"%s\", expected \"%s\"", i, name, files[i].name);
        free(bytes);
    }
}

RUN_TESTS()
