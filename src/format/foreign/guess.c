/* guess.c - names for files of other formats, by their first bytes and their length. */
#include "format/foreign/guess.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Formats with a magic number. */
static const char *by_start(const uint8_t *bytes, uint64_t present)
{
    static const struct {
        const char *start;
        size_t      bytes;
        const char *name;
    } known[] = {
        {"\x1f\x8b", 2, "gzip data"},
        {"\x28\xb5\x2f\xfd", 4, "zstd data"},
        {"\xfd\x37zXZ", 5, "xz data"},
        {"BZh", 3, "bzip2 data"},
        {"\x04\x22\x4d\x18", 4, "lz4 data"},
        {"PK\x03\x04", 4, "a zip file"},
        {"PAR1", 4, "a Parquet file"},
        {"PFA1", 4, "a Puffin file"},
        {"ARROW1", 6, "an Arrow file"},
        {"ORC", 3, "an ORC file"},
        {"Obj\x01", 4, "an Avro file"},
        {"\xef\xbb\xbf", 3, "text"},
        {"\xff\xfe\0\0", 4, "UTF-32 text"},
        {"\0\0\xfe\xff", 4, "UTF-32 text"},
        {"\xff\xfe", 2, "UTF-16 text"},
        {"\xfe\xff", 2, "UTF-16 text"},
        {"HYLL", 4, "a Redis HyperLogLog"},
        {"REDIS0", 6, "a dump of Redis"},
        {"\x89INK\n", 5, "an .ink file damaged by a transfer as text"},
        {"\x89INK\r\r", 6, "an .ink file damaged by a transfer as text"},
        {"\x89INK\r\n\x1a\r", 8, "an .ink file damaged by a transfer as text"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (present >= known[i].bytes && memcmp(bytes, known[i].start, known[i].bytes) == 0)
            return known[i].name;
    return NULL;
}

/* Java writes the highest byte first. */
static uint64_t number(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
}

/* Whether after a head, which is not all of the file, come words of 64 bits, as many as the last
 * four bytes of the head say. */
static bool is_words(const uint8_t *bytes, uint64_t count, uint64_t head)
{
    return count - head == 8 * number(bytes + head - 4);
}

/* Formats without a magic number whose fields match the length. */
static const char *by_length(const uint8_t *bytes, uint64_t present, uint64_t count)
{
    if (present < 24)
        return NULL;
    if ((number(bytes) == 1 && is_words(bytes, count, 12)) ||
        (number(bytes) == 2 && is_words(bytes, count, 16)))
        return "a BloomFilter of Spark";
    if (bytes[0] <= 1 && bytes[1] != 0 && is_words(bytes, count, 6))
        return "a BloomFilter of Guava";
    uint64_t depth = number(bytes + 12), width = number(bytes + 16);
    if (number(bytes) == 1 && depth != 0 && depth < 1024 && count == 20 + 8 * depth * (1 + width))
        return "a CountMinSketch of Spark";
    return NULL;
}

/* Formats whose first bytes are a version and a family. */
static const char *by_family(const uint8_t *bytes, uint64_t present)
{
    if (present < 8)
        return NULL;
    if (bytes[0] >= 0x10 && bytes[0] <= 0x14 && bytes[1] == 0x8b && bytes[2] == 0x7f)
        return "an hll of PostgreSQL";
    if ((bytes[0] == 2 || bytes[0] == 3 || bytes[0] == 10) && bytes[1] == 1 && bytes[2] == 7)
        return "an HLL sketch of DataSketches";
    if (bytes[0] >= 1 && bytes[0] <= 4 && bytes[1] == 3 && bytes[2] == 3)
        return "a theta sketch of DataSketches";
    return NULL;
}

const char *ink__foreign_kind(const uint8_t *bytes, uint64_t present, uint64_t count)
{
    uint64_t    printable = 0, zeros = 0;
    const char *name = by_start(bytes, present);

    if (name == NULL)
        name = by_length(bytes, present, count);
    if (name == NULL)
        name = by_family(bytes, present);
    if (name != NULL)
        return name;
    for (uint64_t i = 0; i < present; i++) {
        printable += (bytes[i] >= 0x20 && bytes[i] < 0x7f) || bytes[i] == '\n' ||
                     bytes[i] == '\r' || bytes[i] == '\t';
        zeros += bytes[i] == 0;
    }
    if (printable == present)
        return "text";
    return zeros == present ? "zeros" : "something else";
}
