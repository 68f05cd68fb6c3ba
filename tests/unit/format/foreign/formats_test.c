/* formats_test.c - what each format of another system takes, and what it refuses: small files at
 * the limits of every field, from both sides, in tables. Real files are in tests/foreign. */
#define _DEFAULT_SOURCE 1
#include "base/bits.h"
#include "format/foreign/list.h"
#include "support/check.h"
#include "support/files.h"
#include "support/foreign_samples.h"
#include "support/sketches.h"

#include <stdio.h>
#include <sys/mman.h>

static ink_error error;

/* ---- Files as texts ------------------------------------------------------------------------- */

enum { ROOM = 1 << 16 };

typedef struct vector {
    uint8_t bytes[ROOM];
    size_t  count, at;
} vector;

static void put(vector *v, uint8_t byte)
{
    CHECK(v->at < ROOM);
    v->bytes[v->at++] = byte;
    v->count = v->at > v->count ? v->at : v->count;
}

static void put_again(vector *v, size_t start, unsigned long times)
{
    const size_t bytes = v->at - start;

    for (size_t i = bytes; i < bytes * times; i++)
        put(v, v->bytes[start + i % bytes]);
}

/* Digits of base 16 with blanks; 'text'; ab*9 or (ab cd)*9 as often; <...> and its length; ~ for
 * the checksum of a DUMP; @9 goes to byte 9, which is written anew. A blank ends a number. */
static void vector_make(vector *v, const char *text)
{
    size_t   last = 0, group = 0, framed = 0;
    unsigned byte;
    char    *end;

    v->at = v->count = 0;
    for (const char *c = text; *c != '\0'; c++)
        switch (*c) {
        case ' ':
            break;
        case '(':
            group = v->at;
            break;
        case ')':
            last = group;
            break;
        case '<':
            framed = v->at;
            break;
        case '>':
            for (size_t i = 0, bytes = v->at - framed; i < 4; i++)
                put(v, (uint8_t)(bytes >> 8 * i));
            break;
        case '\'':
            for (c++, last = v->at; *c != '\''; c++)
                put(v, (uint8_t)*c);
            break;
        case '*':
            put_again(v, last, strtoul(c + 1, &end, 10));
            c = end - 1;
            break;
        case '@':
            v->at = strtoul(c + 1, &end, 10);
            c = end - 1;
            break;
        case '~':
            put(v, 0);
            put_again(v, v->at - 1, 8);
            foreign_mend("redis", v->bytes, v->count);
            break;
        default:
            CHECK(sscanf(c, "%2x", &byte) == 1);
            last = v->at;
            put(v, (uint8_t)byte);
            c++;
        }
}

/* ---- Parts of files ------------------------------------------------------------------------- */

#define RATE_1 "7b14ae47e17a843f" /* 0.01 */
#define DCSO "01 00*7 0a 00*7 " RATE_1 " 07 00*7 5f 00*7 03 00*7 20852020402b0100 4605080000000000"

#define HYLL "'HYLL' 01 00*3 00*7 80"
#define HYLL_DENSE "'HYLL' 00 00*3 00*7 80"
#define VERSION " 0a00 ~"

#define CHAIN                                                                                      \
    "03 00*7 01 00*3 05 00*3 02 00*3 10 00*7 80 00*7 03 00*7 7b14ae47e17a743f e9862fb2350e2640 "   \
    "08 00*3 0a 00*7 00 242022024046002000a0cc0802000244"
/* The same in parts: of filters of 128 bits, which stand in two numbers of its dump. */
#define CHAIN_OF(keys, filters, options) keys " 00*6 " filters " 00*2 " options " 00*3 02 00*3 "
#define CHAIN_FILTER(held, rate, bits_each, hashes, expected)                                      \
    "10 00*7 80 00*7 " held " 00*7 " rate " " bits_each " " hashes " 00*2 " expected " 00*8 "
#define RATE_HALF_1 "7b14ae47e17a743f"
#define BITS_EACH "e9862fb2350e2640"
#define FILTER_OF(held, expected) CHAIN_FILTER(held, RATE_HALF_1, BITS_EACH, "08 00", expected)
#define CELLS "242022024046002000a0cc0802000244 "
#define CHAIN_DUMP(bits, cells)                                                                    \
    "02 03 02 01 02 05 02 02 02 0a 04 " RATE_HALF_1 " 02 08 04 " BITS_EACH " 02 " bits             \
    " 02 00 05 " cells " 02 03 00"
#define CMS "07 81 08c4a4f9360f1000 "

/* The registers that a list, a set or registers of DataSketches become: 16 of which the first is 1.
 */
#define HLL_HEAD "0a 01 07 04 00 18 00 0a 00*8 "
#define HLL_ONE HLL_HEAD "00*6 2f40 00*8 0f 00*3 00*4 01 00*15"
#define HLL_4 "0a 01 07 04 00 00 00 02 00*28 01 00*3 "

#define THETA(words, flags) words " 03 03 00 00 " flags " cc93 "

#define PUFFIN(blob, json) "'PFA1' " blob " 'PFA1' <'{\"blobs\":[" json "]}'> 00*4 'PFA1'"
#define BLOB(more) "{\"type\":\"apache-datasketches-theta-v1\",\"fields\":[3]," more "}"
#define EMPTY_THETA THETA("01", "1e")

#define PARQUET_MEMBERS "1c1c0000 1c1c0000 1c1c0000 "
#define PARQUET(more) "15 40 " PARQUET_MEMBERS more " 00 01*32 "
#define PARQUET_NOTHING "29 2c 48 01'r' 16 02 00 16 0c 38 01'a' 00 29 1c 19 1c 3c 00 00 26 02 00 00"
/* Of a filter at byte 4, before a footer of a schema and row groups: lists, as 2c of two. */
#define PARQUET_FILE(schema, groups)                                                               \
    "'PAR1' " PARQUET("") "< 29 " schema " 29 " groups " 00> 'PAR1'"
#define ROOT(columns) "48 01'r' 16 " columns " 00 "
#define COLUMN(name) "16 0c 38 " name " 00 "
#define WITH "3c e6 08 00 00 "
#define WITHOUT "3c 00 00 "
#define GROUP(chunks) "19 " chunks " 00 "
#define TWO_COLUMNS(a, b, chunks)                                                                  \
    PARQUET_FILE("3c" ROOT("04") COLUMN(a) COLUMN(b), "1c" GROUP("2c" chunks))
/* Its schema has a field of structs in each other. */
#define DEEP_SCHEMA(opened, closed)                                                                \
    PARQUET_FILE("2c 48 01'r' 16 02 fc " opened " " closed " 00" COLUMN("01'a'"),                  \
                 "1c" GROUP("1c" WITH))

/* ---- What is refused ------------------------------------------------------------------------ */

enum { NOWHERE = -1 };

/* How files of a format are read that do not say it. */
static ink_foreign_options options_of(const char *format)
{
    const bool listed = strcmp(format, "index-list") == 0;

    return (ink_foreign_options){
        .format = format, .hashes = listed ? 1 : 0, .bits = listed ? 5 : 0};
}

static const struct refused {
    const char *format, *file;
    int         at;
    const char *why;
} refused[] = {
    {"spark-v1", "00000001 000000", 7, "the file ends in the first 8 bytes"},
    {"spark-v1", "00000001 00000001 000000", 11, "the file ends in the first 12 bytes"},
    {"spark-v1", "00000001 00000001 00000001", 8, "1 words of 8 bytes, but 0 bytes follow"},
    {"spark-v1", "00000001 00000001 00000000", 8, "0 words of 8 bytes, but 0 bytes follow"},
    {"spark-v1", "00000001 00000001 00000001 00*7", 8, "1 words of 8 bytes, but 7 bytes follow"},
    {"spark-v1", "00000002 00000001 00000001 00*8", 0, "version 2, expected 1"},
    {"spark-v1", "00000001 00000000 00000001 00*8", 4, "0 hashes of a key, expected 1 to 1024"},
    {"spark-v1", "00000001 00000401 00000001 00*8", 4, "1025 hashes of a key, expected 1 to 1024"},
    {"spark-v2", "00000002 00000001 000000", 11, "the file ends in the first 12 bytes"},
    {"spark-v2", "00000001 00000001 00000000 00000001 00*8", 0, "version 1, expected 2"},

    {"spark-count-min", "00*19", 19, "the file ends in the first 20 bytes"},
    {"spark-count-min", "00000002 00*8 00000001 00000001 00*7 01 00*8", 0, "version 2, expected 1"},
    {"spark-count-min", "00000001 80 00*7 00000001 00000001 00*7 01 00*8", 4, "a total below 0"},
    {"spark-count-min", "00000001 00*8 00000000 00000001", 12, "0 rows, expected 1 to 64"},
    {"spark-count-min", "00000001 00*8 00000041 00000001 00*1040", 12, "65 rows, expected 1 to 64"},
    {"spark-count-min", "00000001 00*8 00000001 00000000 00*7 01", 16, "1 rows of 0 counters"},
    {"spark-count-min", "00000001 00*8 00000001 00000002 00*7 01 00*8", 16, "1 rows of 2 counters"},
    {"spark-count-min", "00000001 00*8 00000001 00000001 00*4 7fffffff 00*8", 20,
     "factors of rows that no seed gives"},
    {"spark-count-min", "00000001 00*8 00000001 00000001 00*7 01 80 00*7", 28, "a counter below 0"},

    {"guava", "00", 1, "the file ends in the first 2 bytes"},
    {"guava", "02 01 00000001 00*8", 0, "strategy 2, expected 0 or 1"},
    {"guava", "01 00 00000001 00*8", 1, "0 hashes of a key"},
    {"guava", "01 01 00000001", 2, "1 words of 8 bytes, but 0 bytes follow"},

    {"hadoop", "00000001 000000", 7, "the file ends in the first 8 bytes"},
    {"hadoop", "ffffffff 00000001 00 000000", 12, "the file ends in the first 13 bytes"},
    {"hadoop", "7fffffff 00000008 00", 0, "2147483647 hashes of a key"},
    {"hadoop", "80000000 00000001 00 00000008 00", 0, "version -2147483648, expected -1"},
    {"hadoop", "ffffffff 00000001 02 00000008 00", 8, "hash 2, expected 0 (Jenkins) or 1 (Murmur)"},
    {"hadoop", "ffffffff 00000000 01 00000008 00", 4, "0 hashes of a key"},
    {"hadoop", "ffffffff 00000001 01 00000000", 9, "size 0, expected 1 to 2^31 - 1"},
    {"hadoop", "ffffffff 00000001 01 80000000 00", 9, "size 2147483648, expected 1 to 2^31 - 1"},
    {"hadoop", "ffffffff 00000001 01 7fffffff 00", 13, "1 bytes follow, expected 268435456"},
    {"hadoop", "00000001 00000000", 4, "size 0, expected 1 to 2^31 - 1"},
    {"hadoop", "00000001 00000009 ff", 8, "1 bytes follow, expected 2 for this size"},
    {"hadoop-counting", "ffffffff 00000001 01 00000010 00*7", 13, "7 bytes follow, expected 8"},
    {"hadoop-counting", "ffffffff 00000001 01 00000011 00*8", 13, "8 bytes follow, expected 16"},
    {"hadoop-counting", "ffffffff 00000001 01 0000000f f0 00*7", 13, "a bucket after the last one"},
    {"hadoop-counting", "ffffffff 00000001 01 0000000e 0f 00*7", 13, "a bucket after the last one"},
    {"hadoop-counting", "ffffffff 00000001 01 00000001 00*7 10", 20, "a bucket after the last one"},
    {"hadoop-counting", "ffffffff 00000001 01 00000011 00*15 10", 28,
     "a bucket after the last one"},

    {"redis-hll", "'HYLL' 01 00*3 00*7", 0, "other bytes, expected HYLL"},
    {"redis-hll", "'HYLL' 02 00*3 00*7 80 7fff", 0, "other bytes, expected HYLL"},
    {"redis-hll", "'HYLL' 01 00*2 01 00*7 80 7fff", 0, "other bytes, expected HYLL"},
    {"redis-hll", "'HYLL' 01 01 00*2 00*7 80 7fff", 0, "other bytes, expected HYLL"},
    {"redis-hll", HYLL "7ffe", 18, "16383 registers, expected 16384"},
    {"redis-hll", HYLL "7fff 00", 18, "1 registers after 16384, expected 16384 in all"},
    {"redis-hll", HYLL "7fff 0a0a", 18, "11 registers after 16384"},
    {"redis-hll", HYLL "7ffe 0a", 18, "11 registers after 16383"},
    {"redis-hll", HYLL "40", 16, "half of the length of a run"},
    {"redis-hll", HYLL_DENSE "00*12287", 12303, "12303 bytes, expected 12304"},
    {"redis-hll", HYLL_DENSE "00*12289", 12305, "12305 bytes, expected 12304"},
    {"redis-hll", HYLL_DENSE "00*12288 0a0a", 12306, "12306 bytes, expected 12304"},
    {"redis-hll", HYLL_DENSE "34 00*12287", 16, "register 0 is 52, expected at most 51"},
    {"redis-hll", HYLL_DENSE "00*12287 d0", 12303, "register 16383 is 52, expected at most 51"},
    {"redis-hll", "00*10", 10, "10 bytes, expected a value and its checksum"},
    {"redis-hll", "00" VERSION, 1, "the value ends, expected 1 bytes more"},
    {"redis-hll", "00 00 0a00 00*8", 4, "a checksum of other bytes"},
    {"redis-hll", "00 00" VERSION, 2, "other bytes, expected HYLL"},
    {"redis-hll", "00 00 ff" VERSION, 2, "1 bytes after the value, expected its version"},
    {"redis-hll", "00 13 " HYLL "7fff" VERSION, 20, "the value ends, expected 1 bytes more"},
    {"redis-hll", "00 82" VERSION, 1, "a length of form 0x82, expected 0x80 or 0x81"},
    {"redis-hll", "00 bf" VERSION, 1, "a length of form 0xbf, expected 0x80 or 0x81"},
    {"redis-hll", "00 c0" VERSION, 1, "a string of form 0xc0, expected bytes"},
    {"redis-hll", "00 c3 c0" VERSION, 2, "form 0xc0, expected a number"},
    {"redis-hll", "00 c3 02 02 01 00" VERSION, 4, "a compressed string that is not 2 bytes"},
    {"redis-hll", "00 c3 04 04 00 00 20 01" VERSION, 4, "a compressed string that is not 4 bytes"},
    {"redis-hll", "00 c3 03 04 00 00 20" VERSION, 4, "a compressed string that is not 4 bytes"},
    {"redis-hll", "00 c3 04 0c 00 00 e0 01" VERSION, 4, "a compressed string that is not 12 bytes"},
    {"redis-hll", "00 c3 04 03 00 00 20 00" VERSION, 4, "a compressed string that is not 3 bytes"},
    {"redis-hll", "00 c3 04 05 00 00 20 00" VERSION, 4, "a compressed string that is not 5 bytes"},
    /* Strings of as many bytes as any value could have, of one more, and stored ones of more. */
    {"redis-hll", "00 c3 418a 80 00008010 0f " HYLL " 0000 (e0ff00)*124 e01600" VERSION, 9,
     "1 registers after 16384"},
    {"redis-hll", "00 c3 418a 80 00008011 0f " HYLL " 0000 (e0ff00)*124 e01700" VERSION, 9,
     "a string of 32785 bytes, expected at most 32784"},
    /* Its last step is cut: the byte that follows is none of the string. */
    {"redis-hll", "00 c3 4189 80 00008011 0f " HYLL " 0000 (e0ff00)*124 e017" VERSION, 9,
     "a compressed string that is not 32785 bytes"},
    {"redis-hll", "00 80 00009c40 " HYLL " 00*39984" VERSION, 16406, "1 registers after 16384"},

    {"redisbloom", "00*19", 19, "the file ends in the first 20 bytes"},
    {"redisbloom", CHAIN "@8 00", 8, "0 filters, expected 1 to 1024"},
    {"redisbloom", CHAIN "@8 02", 8, "2 filters, but the file has 89 bytes"},
    {"redisbloom", CHAIN "@12 10", 12, "options 16, expected at most 15"},
    {"redisbloom", CHAIN "@12 01", 12, "options 1: hashes of 32 bits"},
    {"redisbloom", CHAIN "@20 11", 20, "17 bytes of bits, but 16 follow"},
    {"redisbloom", CHAIN "@44 00*8", 20, "a filter with rate 0, expected 0 to 1"},
    {"redisbloom", CHAIN "@44 00*6 f03f", 20, "a filter with rate 1, expected 0 to 1"},
    {"redisbloom", CHAIN "@60 07", 20, "a filter with 7 hashes"},
    {"redisbloom", CHAIN "@60 09", 20, "a filter with 9 hashes"},
    {"redisbloom", CHAIN "@28 00", 20, "a filter with 0 bits in 16 bytes"},
    {"redisbloom", CHAIN "@28 81", 20, "a filter with 129 bits in 16 bytes"},
    {"redisbloom", CHAIN "@28 3f", 20, "a filter with 63 bits in 16 bytes"},
    {"redisbloom", CHAIN "@28 40", 82, "bits set in byte 9 of a filter of 3 keys and 64 bits"},
    {"redisbloom", CHAIN "@28 7e", 88, "bits set in byte 15 of a filter of 3 keys and 126 bits"},
    {"redisbloom", CHAIN "@0 00 @36 00", 73, "bits set in byte 0 of a filter of 0 keys"},
    {"redisbloom", CHAIN "@36 02", 0, "3 keys, but its filters have 2"},
    {"redisbloom", CHAIN "@36 04", 0, "3 keys, but its filters have more"},
    {"redisbloom", CHAIN "@64 00", 20, "a filter with 3 keys of 0"},
    {"redisbloom", CHAIN "@72 2c", 20, "a filter with 2^44 bits, expected at most 2^43"},
    {"redisbloom", CHAIN "@72 2b", 20, "a filter with 8796093022208 bits in 16 bytes"},
    {"redisbloom", CHAIN "00", 89, "1 bytes after the last filter, expected none"},
    {"redisbloom", CHAIN "0a0a", 89, "2 bytes after the last filter, expected none"},
    {"redisbloom",
     CHAIN_OF("03 00", "02 00", "05") FILTER_OF("03", "0a") FILTER_OF("00", "0a") CELLS CELLS, 73,
     "a filter with 0 keys of 10"},
    {"redisbloom",
     CHAIN_OF("04 00", "02 00", "05") FILTER_OF("03", "0a") FILTER_OF("03", "0a") CELLS CELLS, 0,
     "4 keys, but its filters have more"},
    {"redisbloom",
     CHAIN_OF("01 04", "01 04", "05") "(01 00*7 08 00*7 01 00*7 " RATE_HALF_1 " " BITS_EACH
                                      " 08 00*3 01 00*8)*1025 01*1025",
     8, "1025 filters, expected 1 to 1024"},
    {"redisbloom",
     CHAIN_OF("03 00", "01 00", "05") CHAIN_FILTER("03", RATE_HALF_1, "00*5 189740", "01 04", "0a")
         CELLS,
     20, "a filter with 1025 hashes and 1478 bits a key"},
    {"redisbloom", "07 81 3016e5a289bef803 " CHAIN_DUMP("4080", "10 " CELLS) VERSION, 1,
     "version 3 of MBbloom--, expected 4"},
    {"redisbloom", "07 81 3016e5a289bef804 " CHAIN_DUMP("407e", "10 " CELLS) VERSION, 62,
     "bits set in byte 15 of a filter of 3 keys and 126 bits"},
    {"redisbloom", "07 81 3016e5a289bef804 " CHAIN_DUMP("407e", "c3 11 10 0f " CELLS) VERSION, 49,
     "bits set in byte 15 of a filter of 3 keys and 126 bits"},

    {"redisbloom-cms", "00 00 00" VERSION, 0, "a value of type 0, expected 7"},
    {"redisbloom-cms", "07 813016e5a289bef804 00" VERSION, 1,
     "a value of the module type MBbloom--, expected CMSk-TYPE"},
    {"redisbloom-cms", "07 8108c4a4f9360f1001 00" VERSION, 1, "version 1 of CMSk-TYPE, expected 0"},
    {"redisbloom-cms", CMS "05 01" VERSION, 10, "a field of type 5, expected 2"},
    {"redisbloom-cms", CMS "02 01 02 01 02 00 05 04 00*4 02" VERSION, 22,
     "a field of type 2, expected 0"},
    {"redisbloom-cms", CMS "02 01 02 01 02 00 05 04 00*4 00 00" VERSION, 23,
     "1 bytes after the value"},
    {"redisbloom-cms", CMS "02 00 02 01 02 00 05 00 00" VERSION, 18, "1 rows of 0 counters"},
    {"redisbloom-cms", CMS "02 01 02 00 02 00 05 00 00" VERSION, 18, "0 rows of 1 counters"},
    {"redisbloom-cms", CMS "02 01 02 4041 02 00 05 4104 00*260 00" VERSION, 20,
     "65 rows of 1 counters, expected 1 to 64"},
    {"redisbloom-cms", CMS "02 81 0000000100000000 02 01 02 00 05 00 00" VERSION, 26,
     "0 bytes for 1 rows of 4294967296 counters"},
    {"redisbloom-cms", CMS "02 81 0000000100000001 02 01 02 00 05 00 00" VERSION, 26,
     "1 rows of 4294967297 counters, expected 1 to 64 of 1 to 2^32"},

    {"postgresql-hll", "1184", 2, "the file ends in the first 3 bytes"},
    {"postgresql-hll", "01847f", 0, "schema 0 and type 1"},
    {"postgresql-hll", "15847f", 0, "schema 1 and type 5"},
    {"postgresql-hll", "10847f", 0, "an undefined hll"},
    {"postgresql-hll", "11837f", 1, "log2m 3, expected 4 to 18"},
    {"postgresql-hll", "11937f", 1, "log2m 19, expected 4 to 18"},
    {"postgresql-hll", "118480", 2, "settings 0x80"},
    {"postgresql-hll", "118420", 2, "settings 0x20"},
    {"postgresql-hll", "11847e", 2, "settings 0x7e"},
    {"postgresql-hll", "11847f 00", 3, "bits after the last register"},
    {"postgresql-hll", "12847f 00*7", 10, "7 bytes of hashes, expected 8 each"},
    {"postgresql-hll", "12847f (00*7 05)*2", 11, "hash 5 after 5, expected more"},
    {"postgresql-hll", "12847f 00*7 05 ff*8", 11, "hash -1 after 5, expected more"},
    {"postgresql-hll", "13847f 0000", 3, "register 0 is 0, expected 0 or more, and not 0"},
    {"postgresql-hll", "13847f 008040", 4, "register 0 is 1, expected 1 or more"},
    {"postgresql-hll", "13847f 108840", 4, "register 1 is 1, expected 2 or more"},
    {"postgresql-hll", "13647f 1100", 4, "register 0 is 0, expected 2 or more"},
    {"postgresql-hll", "13847f 0081", 4, "bits after the last register"},
    {"postgresql-hll", "14847f 00*9", 12, "12 bytes, expected 13 for 2^4 registers of 5 bits"},
    {"postgresql-hll", "14e47f 3e 00*15", 3, "register 0 is 62, expected at most 61"},
    {"postgresql-hll", "14e47f 00*15 3e", 18, "register 15 is 62, expected at most 61"},
    {"postgresql-hll", "'\\x1184'", 6, "the file ends in the first 3 bytes"},
    {"postgresql-hll", "'\\x11847'", 7, "5 digits, expected two for each byte"},
    {"postgresql-hll", "'\\x11g47f'", 4, "byte 0x67, expected a digit of base 16"},
    {"postgresql-hll", "'\\x11/47f'", 4, "byte 0x2f, expected a digit of base 16"},
    {"postgresql-hll", "'\\x11:47f'", 4, "byte 0x3a, expected a digit of base 16"},
    {"postgresql-hll", "'\\x11@47f'", 4, "byte 0x40, expected a digit of base 16"},
    {"postgresql-hll", "'\\x11G47f'", 4, "byte 0x47, expected a digit of base 16"},
    {"postgresql-hll", "'\\x11`47f'", 4, "byte 0x60, expected a digit of base 16"},
    {"postgresql-hll", "'\\x11837f'", 4, "log2m 3, expected 4 to 18"},
    {"postgresql-hll", "'\\x11847f00'", 8, "bits after the last register"},

    {"datasketches-hll", "02 01 07 04 03 0c 00", 7, "the file ends in the first 8 bytes"},
    {"datasketches-hll", "02 01 10 04 03 0c 00 08", 2, "family 16, a CPC sketch, expected 7; its"},
    {"datasketches-hll", "02 01 03 04 03 0c 00 08", 2, "family 3, a theta sketch"},
    {"datasketches-hll", "02 01 06 04 03 0c 00 08", 2, "family 6, expected 7"},
    {"datasketches-hll", "02 02 07 04 03 0c 00 08", 1, "version 2, expected 1"},
    {"datasketches-hll", "02 01 07 04 03 0c 00 0a", 0, "a preamble of 2 words, expected 10"},
    {"datasketches-hll", "03 01 07 04 03 0c 00 08", 0, "a preamble of 3 words, expected 2"},
    {"datasketches-hll", "02 01 07 04 03 0c 00 03", 7, "mode 0x3, expected list, set or"},
    {"datasketches-hll", "02 01 07 04 03 0c 00 0c", 7, "mode 0xc, expected list, set or"},
    {"datasketches-hll", "02 01 07 03 03 0c 00 08", 3, "lgK 3, expected 4 to 21"},
    {"datasketches-hll", "02 01 07 16 03 0c 00 08", 3, "lgK 22, expected 4 to 21"},
    {"datasketches-hll", "02 01 07 15 03 0c 00 08", 3, "lgK 21, expected at most 18"},
    {"datasketches-hll", "02 01 07 13 03 0c 00 08", 3, "lgK 19, expected at most 18"},
    {"datasketches-hll", "02 01 07 04 03 08 01 08", 6, "1 coupons, but 0 bytes follow"},
    {"datasketches-hll", "02 01 07 04 03 08 01 08 00000004 00", 6, "1 coupons, but 5 bytes"},
    {"datasketches-hll", "02 01 07 04 03 08 01 08 00*4", 8, "coupon 0x0, expected a value"},
    {"datasketches-hll", "02 01 07 04 03 00 01 08 01000000 00*28", 8, "coupon 0x1"},
    {"datasketches-hll", "02 01 07 04 03 00 01 08 00000004 00*24", 6,
     "1 coupons in a table, but 28 bytes follow"},
    {"datasketches-hll", "02 01 07 04 03 00 02 08 00000004 00*28", 6, "2 coupons, but 1 follow"},
    {"datasketches-hll", "02 01 07 04 03 0c 01 08 00000004", 5, "registers above 0 in an empty"},
    {"datasketches-hll", "03 01 07 04 05 08 00 09 000000", 11, "the file ends in the first 12"},
    {"datasketches-hll", "03 01 07 04 06 00 00 09 01 00*3 00000004 00*124", 8,
     "1 coupons in a table, but 128 bytes follow"},
    {"datasketches-hll", "03 01 07 04 40 00 00 09 01 00*3 00000004", 8,
     "1 coupons in a table, but 4 bytes follow"},
    {"datasketches-hll", "03 01 07 04 20 00 00 09 01 00*3 00000004 00*124", 8,
     "1 coupons in a table, but 128 bytes follow"},
    {"datasketches-hll", "03 01 07 04 00 00 00 09 18 00*3 (00000004)*24 00*160", 8,
     "24 coupons in a table, but 256 bytes follow"},
    {"datasketches-hll", "03 01 07 04 00 00 00 09 19 00*3 (00000004)*25 00*28", 8,
     "25 coupons in a table, but 128 bytes follow"},
    {"datasketches-hll", "0a 01 07 04 00 08 00 0a 00*31", 39, "the file ends in the first 40"},
    {"datasketches-hll", HLL_HEAD "00*24 00*15", 55, "the file ends in 16 bytes of registers"},
    {"datasketches-hll", HLL_HEAD "00*24 00*17", 56, "1 bytes after the registers"},
    {"datasketches-hll", "0a 01 07 04 00 08 00 06 00*32 00*12", 52, "in 13 bytes of registers"},
    {"datasketches-hll", HLL_HEAD "00*20 01 00*3 00*16", 36, "1 values after the registers"},
    {"datasketches-hll", HLL_HEAD "00*24 00*15 40", 55, "value 64 of register 15"},
    {"datasketches-hll", HLL_4 "0f 00*7 0000003c 00*12 @36 00", 36, "0 values after the registers"},
    {"datasketches-hll", HLL_4 "0f 00*7 00000038 00*12", 48, "value 14 of register 0"},
    {"datasketches-hll", HLL_4 "0f 00*7 0000003c 00*12 @6 01", 48, "at least 16"},
    {"datasketches-hll", HLL_4 "0f 00*7 1000003c 00*12", 48, "value 15 of register 16"},
    {"datasketches-hll", HLL_4 "0f 00*7 0100003c 00*12", 48, "value 15 of register 1"},
    {"datasketches-hll", HLL_4 "ff 00*7 (0000003c)*2 00*8 @36 02", 52, "value 15 of register 0"},
    {"datasketches-hll", HLL_4 "0f 00*7 0000003c 00*8", 36, "1 coupons in a table, but 12 bytes"},
    {"datasketches-hll", HLL_4 "04 00*7 @6 3c @36 00", 6, "value 64 of register 0"},

    {"datasketches-bloom", "04 01 15 00 01 00*3 00*8 01 00*7 00*7", 31, "in the first 32 bytes"},
    {"datasketches-bloom", "03 01 15 04 01 00*3 00*8 01 00*6", 23, "in the first 24 bytes"},
    {"datasketches-bloom", "02 01 15 00 01 00*3 00*8 01 00*7 00*8 00*8", 0, "2 words, expected 4"},
    {"datasketches-bloom", "05 01 15 00 01 00*3 00*8 01 00*7 00*8 00*8", 0, "5 words, expected 4"},
    {"datasketches-bloom", "04 01 15 04 01 00*3 00*8 01 00*7", 0, "4 words, expected 3"},
    {"datasketches-bloom", "04 02 15 00 01 00*3 00*8 01 00*7 00*8 00*8", 1,
     "version 2, expected 1"},
    {"datasketches-bloom", "04 01 15 00 00 00*3 00*8 01 00*7 00*8 00*8", 4, "0 hashes, expected 1"},
    {"datasketches-bloom", "04 01 15 00 01 00*3 00*8 00*8 00*8", 16, "0 words of 8 bytes"},
    {"datasketches-bloom", "04 01 15 00 01 00*3 00*8 02 00*7 00*8 00*8", 16,
     "2 words of 8 bytes, but 8 bytes follow"},
    {"datasketches-bloom", "03 01 15 04 01 00*3 00*8 01 00*7 00*8", 16, "1 words of 8 bytes"},
    {"datasketches-bloom", "03 01 15 04 01 00*3 00*8 00*3 80 00*4", 16,
     "2147483648 words of 8 bytes, but 0 bytes follow"},
    {"datasketches-bloom", "03 01 15 04 01 00*3 00*8 010001 00*5", 16,
     "an empty filter of 4194368 bits, expected at most 4194304"},
    {"datasketches-bloom", "04 01 15 00 01 00*3 00*8 01 00*7 41 00*7 ff*8", 24,
     "65 bits set, of 64"},

    {"datasketches-theta", THETA("02", "1a") "00*7", 15, "the file ends in the first 16 bytes"},
    {"datasketches-theta", "01 04 03 00 00 1e cc93", 1, "version 4, compressed"},
    {"datasketches-theta", "01 05 03 00 00 1e cc93", 1, "version 5, expected 1 to 3"},
    {"datasketches-theta", "01 00 03 00 00 1e cc93", 1, "version 0, expected 1 to 3"},
    {"datasketches-theta", THETA("00", "1e"), 0, "a preamble of 0 words, expected 1 to 3"},
    {"datasketches-theta", THETA("04", "1e") "00*24", 0, "a preamble of 4 words, expected 1 to 3"},
    {"datasketches-theta", "02 01 03 00 00 1a cc93 00*8", 0, "a preamble of 2 words"},
    {"datasketches-theta", THETA("01", "1f"), 5, "numbers with the highest byte first"},
    {"datasketches-theta", THETA("01", "16"), 5, "flags 0x16, expected a compact sketch"},
    {"datasketches-theta", "01 03 03 00 00 1a cc94 01 00*7", 6,
     "seed hash 0x94cc, expected 0x93cc, of seed 9001"},
    {"datasketches-theta", "02 02 03 00 00 00 cc94 01 00*7 05 00*7", 6, "seed hash 0x94cc"},
    {"datasketches-theta", THETA("03", "1a") "00*8 00*8", 16, "threshold 0, expected 1 to"},
    {"datasketches-theta", THETA("03", "1a") "00*8 00*7 80", 16, "threshold 9223372036854775808"},
    {"datasketches-theta", THETA("02", "1a") "02 00*7 01 00*7", 8, "2 values of 8 bytes, but 8"},
    {"datasketches-theta", THETA("01", "1a"), 0, "1 values of 8 bytes, but 0 bytes follow"},
    {"datasketches-theta", THETA("02", "1e") "01 00*7 01 00*7", 5, "1 values in an empty sketch"},
    {"datasketches-theta", THETA("02", "1a") "02 00*7 (01 00*7)*2", 24, "value 1 after 1"},
    {"datasketches-theta", THETA("02", "1a") "02 00*7 00*8 01 00*7", 16, "value 0 after 0"},
    {"datasketches-theta", THETA("03", "1a") "01 00*7 05 00*7 05 00*7", 24, "value 5 after 0"},
    {"datasketches-theta", THETA("02", "0a") "02 00*7 (01 00*7)*2", 16, "value 1 after 1"},

    {"puffin", "'PFA'", 0, "other bytes, expected PFA1"},
    {"puffin", "'PFA1' 00*11 'PFA1'", 15, "does not end with PFA1"},
    {"puffin", "'PFA1PFA1' <> 02 00*3 'PFA1'", 12, "flags 0x2, expected 0 or 1"},
    {"puffin", "'PFA1PFA1' 01 00*3 00*4 'PFA1'", 8, "a footer of 1 bytes, but the file has 20"},
    {"puffin", "'PFA1PFA2' <> 00*4 'PFA1'", 4, "other bytes before the footer"},
    {"puffin", "'PFA1PFA1' <'{]'> 00*4 'PFA1'", 9, "the footer: ']', expected"},
    {"puffin", "'PFA1PFA1' <'{}'> 00*4 'PFA1'", 8, "a footer without a list of blobs"},
    {"puffin", "'PFA1PFA1' <'{\"blobs\":{}}'> 00*4 'PFA1'", 8, "a footer without a list of blobs"},
    {"puffin", PUFFIN("", ""), NOWHERE, "a Puffin file without theta sketches"},
    {"puffin", PUFFIN("", "{}"), 18, "a blob without a type"},
    {"puffin",
     PUFFIN(EMPTY_THETA, "{\"type\":\"apache-datasketches-theta-v1\",\"fields\":[1234567890,"
                         "1234567890,1234567890],\"offset\":4,\"length\":8}"),
     26, "a blob without a list of fields, expected numbers, together shorter than 32 characters"},
    {"puffin", PUFFIN(EMPTY_THETA, BLOB("\"offset\":3,\"length\":8")), 26,
     "a blob of 8 bytes at byte 3"},
    {"puffin", PUFFIN(EMPTY_THETA, BLOB("\"offset\":4,\"length\":9")), 26,
     "a blob of 9 bytes at byte 4"},
    {"puffin", PUFFIN(EMPTY_THETA, BLOB("\"offset\":13,\"length\":0")), 26,
     "a blob of 0 bytes at byte 13"},
    {"puffin",
     PUFFIN("28b52ffd 00 00 010000",
            BLOB("\"offset\":4,\"length\":9,\"compression-codec\":\"zstd\"")),
     4, "no frame of zstd that states its content size"},
    {"puffin", PUFFIN("28b52ffd", BLOB("\"offset\":4,\"length\":4,\"compression-codec\":\"zstd\"")),
     4, "no frame of zstd that states its content size"},
    {"puffin", PUFFIN("28b52ffd", BLOB("\"offset\":4,\"length\":3,\"compression-codec\":\"zstd\"")),
     4, "other bytes, expected a frame of zstd"},
    {"puffin",
     PUFFIN("28b52ffd 20 08 410000" EMPTY_THETA "00",
            BLOB("\"offset\":4,\"length\":18,\"compression-codec\":\"zstd\"")),
     4, "a frame of zstd that is not 18 bytes"},
    {"puffin",
     PUFFIN("28b52ffd 20 a0 030500 00",
            BLOB("\"offset\":4,\"length\":10,\"compression-codec\":\"zstd\"")),
     4, "family 0, expected 3"},
    {"puffin",
     PUFFIN("28b52ffd 20 a1 0b0500 00",
            BLOB("\"offset\":4,\"length\":10,\"compression-codec\":\"zstd\"")),
     4, "161 bytes in a frame of 10, expected at most 16 times as many"},

    {"dcso", "1f8b 00*46", 0, "gzip data"},
    {"dcso", "01 00*46", 47, "the file ends in the first 48 bytes"},
    {"dcso", DCSO "@0 02", 0, "version 2, expected 1"},
    {"dcso", DCSO "@16 00*8", 16, "rate 0, expected above 0 and below 1"},
    {"dcso", DCSO "@16 00*6 f03f", 16, "rate 1, expected above 0 and below 1"},
    {"dcso", DCSO "@24 00", 24, "0 hashes, expected 1 or more"},
    {"dcso", DCSO "@24 00*4 01", 24, "4294967296 hashes"},
    {"dcso", DCSO "@32 00", 32, "0 bits, but 16 bytes follow"},
    {"dcso", DCSO "@32 81", 32, "129 bits, but 16 bytes follow"},
    {"dcso", DCSO "@59 80", 56, "bits set above the last one"},
    {"dcso", DCSO "@63 80", 56, "bits set above the last one"},

    {"index-list", "'[0, 1, 1]'", 0, "3 bits, expected 5"},
    {"index-list", "'[5]'", 0, "index 5, expected at most 4"},
    {"index-list", "'[4294967295]'", 0, "index 4294967295"},
    {"index-list", "'[4294967296]'", 11, "a number below 2^32"},
    {"index-list", "'[1 2]'", 3, "\"2\", expected a comma or ]"},
    {"index-list", "'[1, 2'", 5, "the text ends, expected a"},
    {"index-list", "'[1] x'", 4, "\"x\", expected the end of the line"},
    {"index-list", "'[1]' 0a '[2]' 0a", 4, "several lists"},
    {"index-list", "7f 09 '[4, 0]'", 0, "\"\\x7f\", expected a number below 2^32"},

    {"parquet", "15 00 " PARQUET_MEMBERS "00", 0, "a bitset of 0 bytes, expected blocks of 32"},
    {"parquet", "15 3e " PARQUET_MEMBERS "00 00*31", 0, "a bitset of 31 bytes"},
    {"parquet", "15 3f " PARQUET_MEMBERS "00 00*32", 0, "a bitset of -32 bytes"},
    {"parquet", "13 e0 " PARQUET_MEMBERS "00 00*224", 0, "a bitset of -32 bytes"},
    {"parquet", "16 8080808010 " PARQUET_MEMBERS "00 00*32", 0, "a bitset of 2147483648 bytes"},
    {"parquet", "15 40 " PARQUET_MEMBERS "00 00*31", 0, "a bitset of 32 bytes, but 31 follow"},
    {"parquet", PARQUET("") "00", 47, "1 bytes after the filter"},
    {"parquet", "2c1c0000 1c1c0000 1c1c0000 00 00*32", 0, "a Bloom filter without a size"},
    {"parquet", "15 40 2c1c0000 1c1c0000 00 00*32", 0, "a Bloom filter without an algorithm"},
    {"parquet", "15 40 1c1c0000 2c1c0000 00 00*32", 0, "a Bloom filter without a hash"},
    {"parquet", "15 40 1c1c0000 1c1c0000 00 00*32", 0, "a Bloom filter without a compression"},
    {"parquet", "11 " PARQUET_MEMBERS "00 00*32", 1, "field 1 is of type 1, expected a number"},
    {"parquet", "17 00*8 " PARQUET_MEMBERS "00 00*32", 1, "field 1 is of type 7"},
    {"parquet", "15 40 15 02 00", 3, "field 2 is of type 5, expected a struct"},
    {"parquet", "15 40 1c2c0000 00", 3, "of another sort (field 2: 2), expected split blocks"},
    {"parquet", "15 40 1c15020000 00", 3, "of another sort (field 2: 1), expected split blocks"},
    {"parquet", "15 40 1c1c001c0000 00", 5, "field 2 is two at once, expected split blocks"},
    {"parquet", PARQUET("1e"), 14, "a field of type 14, expected 1 to 13"},
    {"parquet", PARQUET("19 1e 00"), 15, "a field of type 14, expected 1 to 13"},
    {"parquet", PARQUET("1b 01 00"), 16, "a field of type 0, expected 1 to 13"},
    {"parquet", PARQUET("03 808004 00"), 17, "a field whose number is not from 0 to 2^15"},
    {"parquet", PARQUET("03 01 00"), 15, "a field whose number is not from 0 to 2^15"},
    {"parquet", PARQUET("03 feff03 00 13 00"), 19, "a field whose number is not from 0 to 2^15"},
    {"parquet", PARQUET("16 ff*9 02"), 24, "a number of more than 64 bits"},
    {"parquet", PARQUET("18 22"), 16, "34 bytes of a field, but 33 follow"},
    {"parquet", PARQUET("19 f3 22"), 16, "a list of 34, but 33 bytes follow"},
    {"parquet", PARQUET("1c*33 00*33"), 48, "fields in each other, more than 32 deep"},
    {"parquet", PARQUET("19 19*33 00"), 48, "fields in each other, more than 32 deep"},
    {"parquet", PARQUET("1b (01 5b 00)*33 00"), 113, "fields in each other, more than 32 deep"},
    {"parquet", DEEP_SCHEMA("1c*30", "00*31"), 90, "fields in each other, more than 32 deep"},
    {"parquet", "15 40 " PARQUET_MEMBERS, 14, "the file ends within a field"},
    {"parquet", "'PAR1' <25 02 29 0c 00> 'PAR1'", 5, "field 2 is of type 5, expected a list"},
    {"parquet",
     PARQUET_FILE("3c" ROOT("02") COLUMN("01'a'") COLUMN("01'b'"), "1c" GROUP("1c" WITH)), 71,
     "more elements than the schema has"},
    {"parquet", "'PAR1' <" PARQUET_NOTHING "> 'PAR1'", NOWHERE,
     "a Parquet file without Bloom filters"},
    {"parquet", "'PAR1' 01 00*3 'PAR1'", 4, "a footer of 1 bytes, but the file has 12"},
    {"parquet", "'PAR1' 00*3 'PAR1'", 7, "a Parquet file that does not end with PAR1"},

    {"hadoop", "7fffffff00000064 00*13", 0, "2147483647 hashes of a key, expected 1 to 1024"},
    {"datasketches-hll", "0301070c2000000901000000aac13504 00*252", 8, "coupons in a table"},
    {"redisbloom",
     "00*8 01000000050000000200000010 00*7 80 00*15 7b14ae47e17a743fe9862fb2350e2640080000000a "
     "00*8 242022024046002000a0cc0802000244",
     73, "bits set in byte 0 of a filter of 0 keys"},
    {"redisbloom-cms", "078108c4a4f9360f100002010240410200054104 00*261 0a00 ~", 20,
     "65 rows of 1 counters, expected 1 to 64"},
    {"parquet",
     "50415231292c480172160200160c38016100291c191c3c390cb60c165e000026 0200001f00000050415231", 20,
     "a Bloom filter at byte 6, expected one before the footer at 4"},
    {"postgresql-hll", "138b7f60416041", 5, "register 770 is 1, expected 771 or more, and not 0"},
    {"redisbloom",
     "00*8 01000000050000000200000010 00*7 80 00*15 7b14ae47e17a743fe9862fb2350e2640080000000a "
     "00*9 2022024046002000a0cc0802000244",
     74, "bits set in byte 1 of a filter of 0 keys"},
    {"redisbloom-cms", "078108c4a4f9360f100002810000000100000001020102000504 00*5 0a00 ~", 26,
     "1 rows of 4294967297 counters, expected 1 to 64 of 1 to 2^32"},
};

TEST(a_file_is_refused_at_its_byte_from_the_first_value_on_that_no_sketch_has)
{
    static vector file;

    for (const struct refused *r = refused; r < refused + sizeof refused / sizeof refused[0]; r++) {
        const ink_foreign_options with = options_of(r->format);
        ink_sketch               *sketch;
        vector_make(&file, r->file);
        memset(&error, 0, sizeof error);
        ink_status status =
            foreign_read_first(&sketch, file.bytes, file.count, &with, NULL, &error);
        const int at = error.location == INK_AT_BYTE ? (int)error.at : NOWHERE;
        if (status != INK_FORMAT || at != r->at || strstr(error.message, r->why) == NULL ||
            (at == NOWHERE && error.at != 0))
            fail_msg("%s %s: %s, byte %d: %s; expected byte %d: %s", r->format, r->file,
                     ink_status_name(status), at, error.message, r->at, r->why);
    }
}

/* Good files, for other options or another reader. */
static const struct unsuited {
    const char         *file;
    ink_foreign_options with;
    ink_status          status;
    const char         *why;
} unsuited[] = {
    {"01 01 00000001 00*8",
     {.format = "guava", .funnel = "utf"},
     INK_USAGE,
     "funnel \"utf\", expected utf8, chars, long or int"},
    {"01 01 00000001 00*8",
     {.format = "guava", .funnel = "chars", .key_type = INK_KEY_INT},
     INK_USAGE,
     "funnel chars takes bytes keys, not int"},
    {"'PFA1PFA1' <> 01 00*3 'PFA1'",
     {.format = "puffin"},
     INK_UNSUPPORTED,
     "a footer compressed with lz4"},
    {"'[1]'",
     {.format = "list"},
     INK_USAGE,
     "no format of this name, expected parquet, spark-v1, spark-v2"},
    {"'[1]'", {.format = "index-list", .bits = 5}, INK_USAGE, "hashes is not in a list"},
    {"'[1]'", {.format = "index-list", .hashes = 1}, INK_USAGE, "bits is not in a list"},
    {"'[1]'",
     {.format = "index-list", .hashes = 1, .bits = (UINT64_C(1) << 32) + 1},
     INK_USAGE,
     "bits 4294967297, expected at most 2^32"},
    {"'PARE' 00*4 'PAR1'", {.format = "parquet"}, INK_UNSUPPORTED, "whose footer is encrypted"},
    {PARQUET_FILE("2c" ROOT("02") COLUMN("01'a'"), "2c" GROUP("1c" WITH) GROUP("1c" WITHOUT)),
     {.format = "parquet"},
     INK_UNSUPPORTED,
     "row group 1 has no Bloom filter"},
    {TWO_COLUMNS("01'a'", "01'b'", WITHOUT WITH),
     {.format = "parquet", .column = "c"},
     INK_USAGE,
     "no column \"c\", expected one with Bloom filters: b"},
    {TWO_COLUMNS("01'a'", "01'b'", WITHOUT WITH),
     {.format = "parquet", .column = "a"},
     INK_USAGE,
     "column \"a\" has no Bloom filters, expected one of b"},
    {TWO_COLUMNS("01'a'", "01'b'", WITH WITH),
     {.format = "parquet", .column = "x"},
     INK_USAGE,
     "no column \"x\", expected one with Bloom filters: a, b"},
    {TWO_COLUMNS("01'a'", "01'b'", WITH WITH),
     {.format = "parquet", .column = "c", .column_of_data = true},
     INK_USAGE,
     "Bloom filters of several columns, expected one of them (key): a, b"},
    /* 33 bytes are left for the last of the list. */
    {TWO_COLUMNS("7f 'a'*127", "01'b'", WITH WITH), {.format = "parquet"}, INK_USAGE, "aaa, b"},
    {"01 01 00000001 00*8",
     {.format = "guava", .hash = "guava-32"},
     INK_USAGE,
     "hash guava-32, but the file has guava"},
    /* 96 hashes and a word of bits; or a hash and 96 bits. */
    {"00000001 00000060 00000001 00*8",
     {0},
     INK_USAGE,
     "fits several formats: spark-v1, hadoop; name one"},
};

TEST(a_file_is_refused_for_options_that_do_not_suit_it)
{
    static vector file;
    ink_sketch   *sketch;

    for (const struct unsuited *u = unsuited; u < unsuited + sizeof unsuited / sizeof unsuited[0];
         u++) {
        vector_make(&file, u->file);
        CHECK_FAILS(foreign_read_first(&sketch, file.bytes, file.count, &u->with, NULL, &error),
                    u->status, u->why);
        assert_int_equal(error.location, INK_NOWHERE);
    }
}

/* ---- What is taken -------------------------------------------------------------------------- */

/* What is written of the sketch; or, where `as` is NULL or is not written, another file of the same
 * sketch. */
static const struct taken {
    const char *format, *file, *as, *again;
} taken[] = {
    {"spark-v1", "00000001 00000400 00000001 00*8", "spark-v1", NULL},
    {"spark-v1", "00000001 00000001 00000002 0102030405060708 1112131415161718", "spark-v1", NULL},
    /* More than is written at once. */
    {"spark-v1", "00000001 00000001 00000802 (0102030405060708)*2049 1112131415161718", "spark-v1",
     NULL},
    {"spark-v2", "00000002 00000001 ffffffff 00000001 00*7 01", "spark-v2", NULL},
    {"spark-count-min", "00000001 00*8 00000001 00000001 00*7 01 00*8", "spark-count-min", NULL},
    {"spark-count-min", "00000001 7f ff*7 00000001 00000001 00*7 01 7f ff*7", "spark-count-min",
     NULL},
    /* Java's second random number is one that it draws again. */
    {"spark-count-min",
     "00000001 00*8 00000004 00000001 00*4 49f835ab 00*4 2ea0a08c 00*4 31cd5558 00*4 45037396 "
     "00*32",
     "spark-count-min", NULL},
    {"guava", "01 ff 00000001 00*8", "guava", NULL},
    {"hadoop", "00000001 00000008 ff", "hadoop", "ffffffff 00000001 00 00000008 ff"},
    {"hadoop", "ffffffff 00000400 01 00000009 ff01", "hadoop", NULL},
    {"hadoop-counting", "ffffffff 00000001 01 0000000f 0f 00*7", "hadoop",
     "ffffffff 00000001 01 0000000f 0040"},
    {"hadoop-counting", "ffffffff 00000001 01 00000010 f0 00*7", "hadoop",
     "ffffffff 00000001 01 00000010 0080"},
    {"hadoop-counting", "00000001 00000011 00*15 0f", "hadoop",
     "ffffffff 00000001 00 00000011 000001"},

    /* Runs of 1, 64 and 65 zeros, of 1 and 4 values, and the values 1, 2 and 32. */
    {"redis-hll", HYLL "00 80 3f 83 4040 84 fc 7f76", "redis-hll", NULL},
    {"redis-hll", HYLL "4100 80 7efd", "redis-hll", NULL}, /* a run of 257 */
    /* In as many bytes as runs may have, and in one more. */
    {"redis-hll", HYLL "(0080)*1499 7449", "redis-hll", NULL},
    {"redis-hll", HYLL "(0080)*1499 84 7448", "redis-hll",
     HYLL_DENSE "(400004)*749 402000 00*10038"},
    {"redis-hll", HYLL "7fff 0a", "redis-hll", HYLL "7fff"},
    {"redis-hll", HYLL_DENSE "00*12288", "redis-hll", HYLL "7fff"},
    {"redis-hll", HYLL_DENSE "4008 00*12286", "redis-hll", NULL}, /* in two bytes */
    {"redis-hll", HYLL_DENSE "33 00*12287 0a", "redis-hll", HYLL_DENSE "33 00*12287"},
    {"redis-hll", HYLL_DENSE "21 00*12287", "redis-hll", HYLL_DENSE "21 00*12287"},
    {"redis-hll", "00 12 " HYLL "7fff" VERSION, "redis-hll", HYLL "7fff"},
    {"redis-hll", "00 4012 " HYLL "7fff" VERSION " 0a", "redis-hll", HYLL "7fff"},
    {"redis-hll", "00 80 00000012 " HYLL "7fff" VERSION, "redis-hll", HYLL "7fff"},
    {"redis-hll", "00 81 00*7 12 " HYLL "7fff" VERSION, "redis-hll", HYLL "7fff"},
    {"redis-hll", "00 c3 40a0 7010 0f " HYLL_DENSE " 0000 (e0ff00)*46 e08600" VERSION, "redis-hll",
     HYLL "7fff"},

    {"redisbloom", CHAIN "0a", NULL, CHAIN},
    {"redisbloom", CHAIN "@72 07", NULL, CHAIN},
    /* A word beyond the last bit. */
    {"redisbloom", CHAIN "@28 40 @81 00*8", NULL, NULL},
    {"redisbloom", "07 81 3016e5a289bef804 " CHAIN_DUMP("4080", "10 " CELLS) VERSION, NULL, CHAIN},
    {"redisbloom", "07 81 3016e5a289bef804 " CHAIN_DUMP("4080", "c3 11 10 0f " CELLS) VERSION, NULL,
     CHAIN},
    {"redisbloom",
     CHAIN_OF("00 04", "00 04", "05") "(01 00*7 08 00*7 01 00*7 " RATE_HALF_1 " " BITS_EACH
                                      " 08 00*3 01 00*8)*1024 01*1024",
     NULL, NULL},
    {"redisbloom",
     CHAIN_OF("03 00", "01 00", "05") CHAIN_FILTER("03", RATE_HALF_1, "00*5 149740", "00 04", "0a")
         CELLS,
     NULL, NULL},
    {"redisbloom", CHAIN "@0 00 @36 00 @73 00*16", NULL, CHAIN "@0 00 @36 00 @73 00*16 0a"},
    {"redisbloom-cms", CMS "02 01 02 4040 02 00 05 4100 00*256 00" VERSION, NULL,
     CMS "02 01 02 4040 02 00 05 c3 05 4100 0000 e0f600 00" VERSION},

    {"postgresql-hll", "11847f", "postgresql-hll", NULL},
    {"postgresql-hll", "11841f", "postgresql-hll", "11847f"},
    {"postgresql-hll", "11843f", "postgresql-hll", "11847f"},
    {"postgresql-hll", "12847f 00*8", "postgresql-hll", "11847f"},
    {"postgresql-hll", "12847f ff*8 00*8", "postgresql-hll", "13847f f080"},
    {"postgresql-hll", "12847f 00*7 10", "postgresql-hll", "13847f 0080"},
    {"postgresql-hll", "12847f 00*7 20 00*7 30", "postgresql-hll", "13847f 0100"},
    {"postgresql-hll", "12047f 00*7 20", "postgresql-hll", "13847f 0080"},
    {"postgresql-hll", "13847f 008840", "postgresql-hll", NULL},
    {"postgresql-hll", "13047f 1940", "postgresql-hll", "13847f 109040"},
    {"postgresql-hll", "13047f 194e", "postgresql-hll", "13847f 10904c20"},
    /* As many bits as all registers have. */
    {"postgresql-hll", "14857f (0842108421)*2 00*10", "postgresql-hll", NULL},
    {"postgresql-hll", "14e47f 3d 00*15", "postgresql-hll", "13847f 0f80"},
    {"postgresql-hll", "14847f 0842108421 00*5", "postgresql-hll", "13847f 00884826140a8582e1"},
    {"postgresql-hll", "14847f 0842108421 08 00*4", "postgresql-hll", NULL},
    {"postgresql-hll", "'\\x13847f0f80' 0d0a", "postgresql-hll", "13847f 0f80"},
    {"postgresql-hll", "'\\x13847F0F80' 0a", "postgresql-hll", "13847f 0f80"},
    {"postgresql-hll", "'\\x13847f00884826140a8582e1'", "postgresql-hll",
     "13847f 00884826140a8582e1"},
    {"postgresql-hll", "'\\x13847F00884826140A8582E1'", "postgresql-hll",
     "13847f 00884826140a8582e1"},

    {"datasketches-hll", "02 01 07 04 03 08 01 08 00000004", "datasketches-hll", HLL_ONE},
    {"datasketches-hll", "02 01 07 04 03 00 01 08 00*28 00000004", "datasketches-hll", HLL_ONE},
    {"datasketches-hll", "03 01 07 04 05 08 00 09 01 00*3 00000004", "datasketches-hll", HLL_ONE},
    {"datasketches-hll", "03 01 07 04 00 00 00 09 01 00*3 00000004 00*124", "datasketches-hll",
     HLL_ONE},
    {"datasketches-hll", "03 01 07 04 06 00 00 09 01 00*3 00000004 00*252", "datasketches-hll",
     HLL_ONE},
    {"datasketches-hll", "03 01 07 04 00 00 00 09 18 00*3 (00000004)*24 00*32", "datasketches-hll",
     HLL_ONE},
    {"datasketches-hll", "03 01 07 04 00 00 00 09 19 00*3 (00000004)*25 00*156", "datasketches-hll",
     HLL_ONE},
    {"datasketches-hll", "0a 01 07 04 00 08 00 06 00*32 01 00*12", "datasketches-hll", HLL_ONE},
    {"datasketches-hll", HLL_HEAD "00*24 1f 00*15", "datasketches-hll",
     HLL_HEAD "0000040000002e40 00*8 0f 00*3 00*4 1f 00*15"},
    {"datasketches-hll", HLL_HEAD "00*24 20 00*15", "datasketches-hll",
     HLL_HEAD "00*6 2e40 00*6 f03d 0f 00*3 00*4 20 00*15"},
    {"datasketches-hll", HLL_HEAD "00*24 3f 00*15", "datasketches-hll",
     HLL_HEAD "00*6 2e40 00*6 203c 0f 00*3 00*4 3d 00*15"},
    {"datasketches-hll", HLL_4 "0f 00*7 0000003c 00*12", "datasketches-hll",
     HLL_HEAD "0000000004002e40 00*8 0f 00*3 00*4 0f 00*15"},
    /* As many registers as a list has, and one more. */
    {"datasketches-hll", HLL_HEAD "00*6 2d40 00*8 0d 00*3 00*4 01*3 00*13", "datasketches-hll",
     NULL},
    {"datasketches-hll", HLL_HEAD "00*6 2c40 00*8 0c 00*3 00*4 01*4 00*12", "datasketches-hll",
     NULL},
    {"datasketches-hll", "02 01 07 12 03 0c 00 08", "datasketches-hll", NULL},

    {"datasketches-bloom", "04 01 15 00 01 00*3 00*8 01 00*7 40 00*7 ff*8", "datasketches-bloom",
     "04 01 15 00 01 00*3 00*8 01 00*7 ff*8 ff*8"},
    {"datasketches-bloom", "03 01 15 00 01 00*3 00*8 01 00*7 ff*8 ff*8", "datasketches-bloom",
     "04 01 15 00 01 00*3 00*8 01 00*7 ff*8 ff*8"},
    {"datasketches-bloom", "04 01 15 00 01 00*3 0102030405060708 01 00*7 ff*8 00*7 80",
     "datasketches-bloom", NULL},
    {"datasketches-bloom", "04 01 15 00 01 00*3 00*8 02 00*7 00*8 00*15 01", "datasketches-bloom",
     "04 01 15 00 01 00*3 00*8 02 00*7 ff*8 00*15 01"},
    {"datasketches-bloom", "03 01 15 04 01 00*3 00*8 000001 00*5", "datasketches-bloom", NULL},

    {"datasketches-theta", EMPTY_THETA, "datasketches-theta", NULL},
    {"datasketches-theta", "01 03 03 00 00 1e 0000", "datasketches-theta", EMPTY_THETA},
    {"datasketches-theta", THETA("03", "1e") "00*8 01 00*7", "datasketches-theta", EMPTY_THETA},
    {"datasketches-theta", THETA("01", "1a") "01 00*7", "datasketches-theta", NULL},
    /* Of older versions: without flags, and without a seed. */
    {"datasketches-theta", "01 02 03 00 00 00 cc93", "datasketches-theta", EMPTY_THETA},
    {"datasketches-theta", "02 02 03 00 00 00 cc93 01 00*7 05 00*7", "datasketches-theta",
     THETA("01", "1a") "05 00*7"},
    {"datasketches-theta", "03 01 03 00 00 00 0000 01 00*7 ff*7 7f 05 00*7", "datasketches-theta",
     THETA("01", "1a") "05 00*7"},
    /* Of a sample of keys, of which none was kept. */
    {"datasketches-theta", THETA("03", "1a") "00*8 05 00*7", "datasketches-theta", NULL},
    {"datasketches-theta", THETA("02", "1a") "02 00*7 01 00*7 02 00*7", "datasketches-theta", NULL},
    {"datasketches-theta", THETA("02", "0a") "02 00*7 02 00*7 01 00*7", "datasketches-theta",
     THETA("02", "1a") "02 00*7 01 00*7 02 00*7"},
    {"datasketches-theta", THETA("03", "1a") "01 00*7 05 00*7 04 00*7", "datasketches-theta", NULL},
    {"puffin",
     PUFFIN("28b52ffd 20 08 410000" EMPTY_THETA,
            BLOB("\"offset\":4,\"length\":17,\"compression-codec\":\"zstd\"")),
     NULL, PUFFIN(EMPTY_THETA, BLOB("\"offset\":4,\"length\":8,\"compression-codec\":null"))},

    {"dcso", DCSO, "dcso", NULL},
    {"dcso", DCSO "@16 7b14ae47e17a943f", "dcso", NULL},
    {"dcso", DCSO "@59 40", NULL, DCSO "@59 40 @64 'free'"},
    {"dcso", "01 00*7 01 00*7 " RATE_1 " 01 00*7 40 00*7 09 00*7 01 00*7", "dcso",
     "01 00*7 01 00*7 " RATE_1 " 01 00*7 40 00*7 01 00*7 01 00*7"},
    {"dcso", "01 00*7 01 00*7 " RATE_1 " 01 00*7 40 00*7 09 00*7 ff*8", "dcso",
     "01 00*7 01 00*7 " RATE_1 " 01 00*7 40 00*7 3701 00*6 ff*8"},

    {"index-list", "'[4, 0]'", "index-list", "'[0, 4]' 0a"},
    {"index-list", "'[1, 0, 1, 0, 0]'", "index-list", "'[0, 2]' 0a"},
    {"index-list", "'[1, 1]'", "index-list", "'[1]' 0a"},
    {"index-list", "'[]'", "index-list", "'[]' 0a"},
    {"index-list", "'[\"a b\", [4, 0]]'", NULL, "'[\"a b\",[0,4]]'"},
    {"index-list", "0a ' ' 0a '[4, 0]'", "index-list", "'[0, 4]' 0a"},
    {"index-list", "'~' 09 '[4, 0]'", "index-list", "'[0, 4]' 0a"},
    {"index-list", "'a' 09 '[4, 0]'", NULL, "'[a,[0,4]]'"},

    {"parquet", PARQUET(""), "parquet", NULL},
    {"parquet", "13 20 " PARQUET_MEMBERS "00 01*32", "parquet", PARQUET("")},
    {"parquet", "16 40 " PARQUET_MEMBERS "00 01*32", "parquet", PARQUET("")},
    {"parquet", PARQUET("11"), "parquet", PARQUET("")},
    {"parquet", PARQUET("12"), "parquet", PARQUET("")},
    {"parquet", PARQUET("13 ff"), "parquet", PARQUET("")},
    {"parquet", PARQUET("14 02 16 ff*9 01"), "parquet", PARQUET("")},
    {"parquet", PARQUET("17 ff*8"), "parquet", PARQUET("")},
    {"parquet", PARQUET("18 02 'ab'"), "parquet", PARQUET("")},
    {"parquet", PARQUET("18 20 'b'*32"), "parquet", PARQUET("")},
    {"parquet", PARQUET("19 00"), "parquet", PARQUET("")},
    {"parquet", PARQUET("19 21 0102"), "parquet", PARQUET("")},
    {"parquet", PARQUET("19 f3 0f 00*15 1a 13 00"), "parquet", PARQUET("")},
    {"parquet", PARQUET("1b 00 1b 01 35 00 02"), "parquet", PARQUET("")},
    {"parquet", PARQUET("1b 01 11 00 02"), "parquet", PARQUET("")},
    {"parquet", PARQUET("1c*32 00*32"), "parquet", PARQUET("")},
    {"parquet", PARQUET("19 19*32 00"), "parquet", PARQUET("")},
    {"parquet", PARQUET("1b (01 5b 00)*32 00"), "parquet", PARQUET("")},
    {"parquet", PARQUET("1d 00*16"), "parquet", PARQUET("")},
    {"parquet", DEEP_SCHEMA("1c*29", "00*30"), "parquet", PARQUET("")},
    {"parquet", TWO_COLUMNS("01'a'", "01'b'", WITHOUT WITH), "parquet", PARQUET("")},
    {"parquet", PARQUET("03 feff03 00"), "parquet", PARQUET("")},

    /* runs of 64 and of 65 zeros */
    {"redis-hll", "48594c4c01 00*10 803f804040807f7c", "redis-hll", NULL},
    /* of 5 bits, sparse */
    {"postgresql-hll", "14847f10821100020842308021", "postgresql-hll", NULL},
    /* of 5 bits, all */
    {"postgresql-hll", "14847f18c0018c4008427204c7", "postgresql-hll", NULL},
    /* a hash becomes a register */
    {"postgresql-hll", "128b7fcbd8a7b341bd9b02", "postgresql-hll", "138b7f6041"},
    {"datasketches-hll", "0a0107040018000a 00*14 fb3f 00*16 04020307030403060304050202030704",
     "datasketches-hll", NULL},
    /* with registers of 0 */
    {"datasketches-hll", "0a0107040018000a 00*14 0b40 00*8 02 00*9 0307030403060304050202030704",
     "datasketches-hll", NULL},
    /* with another rate than that of the next */
    {"dcso", "01 00*7 0a 00*7 9a 99*5 c93f02 00*7 23 00*23", "dcso", NULL},
    /* of two registers beside each other */
    {"postgresql-hll", "138b7f60416061", "postgresql-hll", NULL},
    /* of one row of one counter */
    {"spark-count-min", "00000001 00*7 640000000100000001 00*4 5d8d6ab9 00*7 64", "spark-count-min",
     NULL},
    {"dcso", "01 00*7 14 00*7 9a 99*5 b93f04 00*7 5f 00*7 01 00*7 38 00*7 01 00*7", "dcso", NULL},
    /* the number of keys is estimated */
    {"dcso", "01 00*7 14 00*7 9a 99*5 b93f04 00*7 5f 00*15 38 00*7 01 00*7", "dcso",
     "01 00*7 14 00*7 9a 99*5 b93f04 00*7 5f 00*7 01 00*7 38 00*7 01 00*7"},
    /* a set in a table of a size that is stated */
    {"datasketches-hll", "0301070c0600000901000000aac13504 00*252", NULL, NULL},
    /* and that is not */
    {"datasketches-hll", "0301070c0000000901000000aac13504 00*124", NULL, NULL},
    /* registers of 4 bits, beside a table of no stated size */
    {"datasketches-hll",
     "0a01070400101402 00*14 f03f 00*6 f03f01000000010000001032547698badcfe0f00008c 00*12", NULL,
     NULL},
    /* the last bucket of an odd number */
    {"hadoop-counting", "ff*4 000000030100000025 00*21 010000", NULL, NULL},
    /* a line end of redis-cli */
    {"redisbloom",
     "03 00*7 01000000050000000200000010 00*7 80 00*7 03 00*7 "
     "7b14ae47e17a743fe9862fb2350e2640080000000a 00*8 242022024046002000a0cc08020002440a",
     NULL, NULL},
    {"redis-hll", "48594c4c01 00*10 803f804040807f7c0a", NULL, NULL},
    /* the most rows */
    {"redisbloom-cms", "078108c4a4f9360f1000020102404002000541 00*258 0a00 ~", NULL, NULL},
    /* one row of one counter */
    {"redisbloom-cms", "078108c4a4f9360f10000201020102000504 00*5 0a00 ~", NULL, NULL},
};

static void check_again(const struct taken *t, const ink_sketch *sketch)
{
    static vector  again;
    static uint8_t written[ROOM];
    size_t         count;

    vector_make(&again, t->again == NULL ? t->file : t->again);
    if (t->as != NULL) {
        CHECK_OK(foreign_write_to(sketch, t->as, written, sizeof written, &count, &error));
        if (count != again.count || memcmp(written, again.bytes, count) != 0) {
            for (size_t i = 0; i < count && i < 100; i++)
                printf("%02x%s", written[i], i + 1 == count || i == 99 ? "\n" : "");
            fail_msg("%s %s: other bytes written", t->format, t->file);
        }
        return;
    }
    owned_sketch             *other = NULL;
    const ink_foreign_options with = options_of(t->format);
    CHECK_OK(foreign_read_first(&other, again.bytes, again.count, &with, NULL, &error));
    if (!sketches_equal(sketch, other))
        fail_msg("%s %s: another sketch", t->format, t->file);
}

/* Memory behind whose blocks stand bytes that are not 0: what is read there is seen. */
static void *with_tail(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    enum { TAIL = 64 };

    (void)host;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    uint8_t *bytes = realloc(block, new_bytes + TAIL);
    CHECK(bytes != NULL);
    memset(bytes + new_bytes, 0xff, TAIL);
    return bytes;
}

/* And a call that succeeds leaves the error as it is. */
TEST(a_file_is_taken_up_to_the_last_value_that_a_sketch_has)
{
    static vector       file;
    const ink_error     before = {.at = 77, .message = "as it was"};
    const ink_allocator tailed = {.resize = with_tail};

    for (const struct taken *t = taken; t < taken + sizeof taken / sizeof taken[0]; t++) {
        owned_sketch             *sketch = NULL;
        const ink_foreign_options with = options_of(t->format);
        vector_make(&file, t->file);
        error = before;
        ink_status status =
            foreign_read_first(&sketch, file.bytes, file.count, &with, &tailed, &error);
        if (status != INK_OK || error.at != before.at || strcmp(error.message, before.message) != 0)
            fail_msg("%s %s: %s, byte %llu: %s", t->format, t->file, ink_status_name(status),
                     (unsigned long long)error.at, error.message);
        check_again(t, sketch);
    }
}

/* ---- Which seed a count-min of Spark has ----------------------------------------------------- */

/* Of one row any of 2^17 states gives the factor, here 1. */
TEST(the_smallest_seed_that_gives_the_rows_is_taken)
{
    static vector             file;
    const ink_foreign_options with = options_of("spark-count-min");
    owned_sketch             *sketch = NULL;
    ink_description           is;

    vector_make(&file, "00000001 00*8 00000001 00000001 00*7 01 00*8");
    CHECK_OK(foreign_read_first(&sketch, file.bytes, file.count, &with, NULL, &error));
    ink_sketch_describe(sketch, &is);
    assert_int_equal(is.seed, UINT64_C(1003792688));
}

/* ---- How large the blobs of a file are together --------------------------------------------- */

TEST(blobs_that_share_bytes_are_together_as_large_as_the_file_at_most)
{
    enum { VALUES = 22, BLOB_BYTES = 16 + 8 * VALUES, FILE_BYTES = 2 * BLOB_BYTES };
    enum { JSON_AT = 4 + BLOB_BYTES + 4, TAIL_BYTES = 12 };
    static const char         one[] = BLOB("\"offset\":4,\"length\":192");
    static vector             file;
    const ink_foreign_options with = options_of("puffin");

    _Static_assert(BLOB_BYTES == 192, "as the footer says");
    for (int fewer = 0; fewer < 2; fewer++) {
        owned_sketch *sketch = NULL;
        const int     json_bytes = FILE_BYTES - fewer - JSON_AT - TAIL_BYTES;
        char         *json = (char *)file.bytes + JSON_AT;
        vector_make(&file, "'PFA1' " THETA("02", "1a"));
        file.count = (size_t)(FILE_BYTES - fewer);
        ink__store_u64(file.bytes + 12, VALUES);
        for (uint64_t v = 1; v <= VALUES; v++)
            ink__store_u64(file.bytes + 12 + 8 * v, v);
        memcpy(json - 4, "PFA1", 4);
        const int used = snprintf(json, (size_t)json_bytes, "{\"blobs\":[%s,%s]", one, one);
        CHECK(used < json_bytes);
        memset(json + used, ' ', (size_t)(json_bytes - used));
        json[json_bytes - 1] = '}';
        ink__store_u32((uint8_t *)json + json_bytes, (uint32_t)json_bytes);
        memcpy(json + json_bytes + 4, "\0\0\0\0PFA1", 8);
        const ink_status status =
            foreign_read_first(&sketch, file.bytes, file.count, &with, NULL, &error);
        if (fewer == 0)
            CHECK_OK(status);
        else
            CHECK_FAILS(status, INK_FORMAT, "field 3: its blob shares bytes with others");
    }
}

/* ---- What a theta has room for --------------------------------------------------------------- */

TEST(a_theta_has_room_for_all_values_or_as_many_as_are_asked_for)
{
    static const struct {
        uint32_t count, asked, precision, kept;
    } rows[] = {{1, 0, 12, 1},  {4096, 0, 12, 4096}, {4097, 0, 13, 4097},  {5000, 0, 13, 5000},
                {16, 4, 4, 16}, {17, 4, 4, 16},      {4097, 12, 12, 4096}, {5, 26, 26, 5}};
    static vector file;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ink_foreign_options with = {.format = "datasketches-theta",
                                          .precision = rows[i].asked};
        owned_sketch             *sketch = NULL;
        ink_description           is;
        vector_make(&file, THETA("02", "1a"));
        file.count = 16 + 8 * rows[i].count;
        ink__store_u64(file.bytes + 8, rows[i].count);
        for (uint32_t v = 0; v < rows[i].count; v++)
            ink__store_u64(file.bytes + 16 + 8 * v, v + 1);
        CHECK_OK(foreign_read_first(&sketch, file.bytes, file.count, &with, NULL, &error));
        ink_sketch_describe(sketch, &is);
        assert_int_equal(is.precision, rows[i].precision);
        assert_int_equal(is.bytes, 8 * (rows[i].kept + 1));
    }
}

/* ---- What a chain promises ------------------------------------------------------------------- */

/* The rates of all its filters, and again that of the last one for those to come, if they may. */
TEST(a_chain_of_redisbloom_promises_the_rates_of_its_filters)
{
    static const struct {
        const char *file;
        double      rate;
    } chains[] = {
        {CHAIN_OF("04 00", "02 00", "05") FILTER_OF("03", "0a") FILTER_OF("01", "14") CELLS CELLS,
         0.005 + 0.005 + 0.005},
        {CHAIN_OF("04 00", "02 00", "0d") FILTER_OF("03", "0a") FILTER_OF("01", "14") CELLS CELLS,
         0.005 + 0.005},
        {CHAIN_OF("03 00", "01 00", "05") CHAIN_FILTER("03", "00*6 e03f", BITS_EACH, "08 00", "0a")
             CELLS,
         0x1.fffffffffffffp-1},
        {CHAIN_OF("03 00", "01 00", "0d") CHAIN_FILTER("03", "00*6 e03f", BITS_EACH, "08 00", "0a")
             CELLS,
         0.5},
    };
    static vector             file;
    const ink_foreign_options with = options_of("redisbloom");

    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        owned_sketch   *sketch = NULL;
        ink_description is;
        vector_make(&file, chains[i].file);
        CHECK_OK(foreign_read_first(&sketch, file.bytes, file.count, &with, NULL, &error));
        ink_sketch_describe(sketch, &is);
        CHECK(is.expected_keys == 10 && is.promised_rate == chains[i].rate);
    }
}

/* ---- A file of more bits than positions reach ----------------------------------------------- */

static void *refuse(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)host;
    (void)block;
    (void)old_bytes;
    (void)new_bytes;
    return NULL;
}

/* Only the touched pages of the file take memory; that the filter is refused its own says that the
 * file was taken. */
TEST(a_filter_of_spark_v1_has_no_bit_above_2_31)
{
    enum { HEAD = 12, LAST = HEAD + (1 << 28) - 1, BYTES = LAST + 1 + 16 };
    static const struct {
        int        set; /* this byte, or none */
        ink_status status;
    } files[] = {{0, INK_MEMORY},
                 {LAST, INK_MEMORY},
                 {LAST + 1, INK_FORMAT},
                 {LAST + 8, INK_FORMAT},
                 {BYTES - 1, INK_FORMAT}};
    const ink_allocator       none = {.resize = refuse};
    const ink_foreign_options options = {.format = "spark-v1"};
    ink_sketch               *sketch;
    uint8_t                  *bytes = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CHECK(bytes != MAP_FAILED);
    memcpy(bytes, "\0\0\0\1\0\0\0\1\2\0\0\2", HEAD);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        bytes[files[i].set] ^= files[i].set != 0;
        CHECK_FAILS(foreign_read_first(&sketch, bytes, BYTES, &options, &none, &error),
                    files[i].status,
                    files[i].status == INK_FORMAT ? "a bit above the 2^31 that keys can have" : "");
        CHECK(files[i].status != INK_FORMAT || error.at == LAST + 1);
        bytes[files[i].set] ^= files[i].set != 0;
    }
    munmap(bytes, BYTES);
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

static const struct sized {
    const char *format;
    ink_params  of, made; /* of `made`, what a size has */
    const char *why;      /* INK_USAGE; NULL: it is made */
} sized[] = {
    {"spark-v1", {.bits = 65, .hashes = 3}, {.bits = 128, .hashes = 3}, NULL},
    {"spark-v1", {.bits = 64, .expected_keys = 30}, {.bits = 64, .hashes = 1}, NULL},
    {"spark-v1", {.bits = 64, .expected_keys = 29}, {.bits = 64, .hashes = 2}, NULL},
    {"spark-v1", {.bits = 6400000, .expected_keys = 1}, {.bits = 6400000, .hashes = 1024}, NULL},
    {"spark-v1", {.bits = 137438953408}, {.bits = 137438953408}, NULL},
    {"spark-v1", {.bits = 137438953409}, {0}, "bits 137438953409, expected at most 137438953408"},
    {"guava", {.bits = 64, .hashes = 255}, {.bits = 64, .hashes = 255}, NULL},
    {"guava", {.bits = 64, .hashes = 256}, {0}, "hashes 256, expected 1 to 255 for guava"},
    {"hadoop", {.bits = INT32_MAX}, {.bits = INT32_MAX}, NULL},
    {"hadoop", {.bits = (uint64_t)INT32_MAX + 1}, {0}, "expected at most 2^31 - 1 for hadoop"},
    {"redis-hll", {0}, {.precision = 14}, NULL},
    {"redis-hll", {.precision = 13}, {0}, "precision 13, expected 14 for redis-hll"},
    {"postgresql-hll", {0}, {.precision = 11}, NULL},
    {"postgresql-hll", {.precision = 17}, {.precision = 17}, NULL},
    {"postgresql-hll", {.precision = 18}, {0}, "precision 18, expected 4 to 17 for postgresql-hll"},
    {"datasketches-hll", {0}, {.precision = 12}, NULL},
    {"datasketches-hll", {.precision = 18}, {.precision = 18}, NULL},
    {"index-list", {.bits = 9, .seed = 1}, {0}, "seed 1, expected 0 for index-list"},
    {"spark-count-min", {0}, {.width = 20000, .depth = 7}, NULL},
    /* By 1 - (1 - delta), which is rounded. */
    {"spark-count-min", {.delta = 1.7e-16}, {.width = 20000, .depth = 52}, NULL},
    {"spark-count-min", {.width = 3, .depth = 2}, {.width = 3, .depth = 2}, NULL},
    {"spark-count-min", {.conservative = true}, {0}, "conservative is not for spark-count-min"},
    {"spark-count-min", {.counter_bits = 32}, {0}, "counter_bits 32, expected 64"},
    {"spark-count-min", {.epsilon = 1}, {0}, "epsilon 1, expected at least"},
    {"spark-count-min", {.epsilon = 9e-10}, {0}, "epsilon 9e-10, expected at least"},
    {"spark-count-min", {.epsilon = 0.5, .delta = 0x1p-53}, {.width = 4, .depth = 53}, NULL},
    {"spark-count-min", {.delta = 1}, {0}, "delta 1, expected at least"},
    {"spark-count-min", {.delta = 0x1p-54}, {0}, "delta 5.55112e-17, expected at least"},
    {"parquet", {.bits = 256}, {.bits = 256}, NULL},
    {"parquet", {.bits = 1 << 30}, {.bits = 1 << 30}, NULL},
    {"parquet", {.bits = 512, .expected_keys = 1000}, {.bits = 512}, NULL},
    {"parquet", {.bits = 128}, {0}, "bits 128, expected a power of two from 256 to 2^30"},
    {"parquet", {.bits = 768}, {0}, "bits 768, expected a power of two from 256 to 2^30"},
    {"parquet", {.bits = UINT64_C(1) << 31}, {0}, "bits 2147483648, expected a power of two"},
    {"parquet", {.seed = 1}, {0}, "seed 1, expected 0 for parquet"},
    {"parquet", {.expected_keys = 1}, {.bits = 256}, NULL},
    {"parquet", {.expected_keys = 1000}, {.bits = 16384}, NULL},
    /* 256.4, 257.5, 16384.3 and 16385.3 bits. */
    {"parquet", {.expected_keys = 26, .false_positive_rate = 0.0091}, {.bits = 256}, NULL},
    {"parquet", {.expected_keys = 26, .false_positive_rate = 0.0089}, {.bits = 512}, NULL},
    {"parquet", {.expected_keys = 1692, .false_positive_rate = 0.00999}, {.bits = 16384}, NULL},
    {"parquet", {.expected_keys = 1692, .false_positive_rate = 0.009987}, {.bits = 32768}, NULL},
    /* No rate: the kind refuses it. */
    {"parquet", {.expected_keys = 9, .false_positive_rate = 1}, {0}, NULL},
    {"parquet", {.expected_keys = 9, .false_positive_rate = 2}, {0}, NULL},
    {"parquet", {.expected_keys = 9, .false_positive_rate = -1}, {0}, NULL},
    {"parquet", {.expected_keys = 100000000000}, {0}, "need 115413 MiB, expected at most 128 MiB"},
    {"parquet", {.expected_keys = UINT64_MAX}, {0}, "need 137438953472 MiB, expected at most"},
};

TEST(a_size_is_made_as_the_system_makes_it_or_refused)
{
    for (const struct sized *s = sized; s < sized + sizeof sized / sizeof sized[0]; s++) {
        ink_params made = s->of;
        memset(&error, 0, sizeof error);
        ink_status status = ink_foreign_params(s->format, &made, &error);
        if (status != (s->why == NULL ? INK_OK : INK_USAGE) ||
            (s->why != NULL && strstr(error.message, s->why) == NULL))
            fail_msg("%s, number %td: %s: %s", s->format, s - sized, ink_status_name(status),
                     error.message);
        if (s->why == NULL && (made.bits != s->made.bits || made.hashes != s->made.hashes ||
                               made.width != s->made.width || made.depth != s->made.depth ||
                               made.precision != s->made.precision))
            fail_msg("%s, number %td: %llu bits, %u hashes, %llu x %u, precision %u", s->format,
                     s - sized, (unsigned long long)made.bits, made.hashes,
                     (unsigned long long)made.width, made.depth, made.precision);
    }
}

TEST(a_filter_is_folded_to_the_largest_size_that_parquet_has)
{
    static const struct {
        uint64_t bits, divisor;
    } rows[] = {{256, 1},
                {768, 3},
                {UINT64_C(1) << 30, 1},
                {UINT64_C(1) << 31, 2},
                {UINT64_C(3) << 30, 3},
                {UINT64_C(3) << 31, 6}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(ink__foreign_parquet.divisor(&(ink_description){.bits = rows[i].bits}),
                         rows[i].divisor);
}

TEST(parameters_are_completed_for_parquet)
{
    static const struct {
        ink_params given;
        uint64_t   bits, expected_keys;
        double     rate;
    } rows[] = {
        {{.expected_keys = 1000, .false_positive_rate = 0.01}, 16384, 1000, 0},
        {{.bits = 512, .expected_keys = 1000, .false_positive_rate = 0.01}, 512, 1000, 0.01},
        {{.false_positive_rate = 0.01}, 0, 0, 0.01}, /* sized by the keys */
        {{.expected_keys = 1000}, 16384, 1000, 0},   /* at the default rate */
        {{.bits = 512}, 512, 0, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ink_params params = rows[i].given;
        CHECK_OK(ink_foreign_params("parquet", &params, &error));
        assert_string_equal(params.kind, "bloom");
        assert_string_equal(params.hash, "xxh64");
        assert_int_equal(params.bits, rows[i].bits);
        assert_int_equal(params.expected_keys, rows[i].expected_keys);
        CHECK(params.false_positive_rate == rows[i].rate);
    }
}

/* ---- What is not written -------------------------------------------------------------------- */

static const struct unwritten {
    const char *format;
    ink_params  of;
    const char *why;
} unwritten[] = {
    {"spark-v1",
     {.kind = "classic", .bits = 65, .hashes = 1, .hash = "spark-v1"},
     "65 bits, expected a multiple of 64"},
    {"guava",
     {.kind = "classic", .bits = 64, .hashes = 256, .hash = "guava"},
     "256 hashes of a key, expected 1 to 255"},
    {"redis-hll", {.kind = "hll", .precision = 13, .hash = "redis-hll"}, "precision 13 and seed"},
    {"redis-hll",
     {.kind = "hll", .precision = 14, .hash = "redis-hll", .seed = 7},
     "precision 14 and seed 0x7"},
    {"postgresql-hll",
     {.kind = "hll", .precision = 18, .hash = "postgresql-hll"},
     "precision 18 and seed 0"},
    {"postgresql-hll",
     {.kind = "hll", .precision = 17, .hash = "postgresql-hll", .seed = 7},
     "precision 17 and seed 7"},
    {"datasketches-bloom",
     {.kind = "classic", .bits = 65, .hashes = 1, .hash = "datasketches-bloom"},
     "65 bits, expected a multiple of 64"},
    {"index-list",
     {.kind = "classic", .bits = 64, .hashes = 1, .hash = "mmh3", .seed = 1},
     "seed 1, expected 0"},
    {"parquet",
     {.kind = "bloom", .bits = 256, .hash = "xxh64", .seed = 1},
     "seed 1, expected 0 for parquet"},
    {"dcso",
     {.kind = "classic", .bits = 64, .hashes = 1, .hash = "dcso"},
     "no expected_keys or no rate"},
    {"spark-count-min",
     {.kind = "count-min", .width = 3, .depth = 2, .hash = "spark-count-min"},
     "counters of 32 bits in rows of 3"},
    {"spark-count-min",
     {.kind = "count-min",
      .width = 3,
      .depth = 2,
      .counter_bits = 64,
      .conservative = true,
      .hash = "spark-count-min"},
     "of 64 bits in rows of 3, conservative"},
};

TEST(a_sketch_that_the_format_cannot_state_is_not_written)
{
    uint8_t written[64];
    size_t  count;

    for (const struct unwritten *u = unwritten;
         u < unwritten + sizeof unwritten / sizeof unwritten[0]; u++) {
        owned_sketch *sketch = NULL;
        CHECK_OK(ink_sketch_create(&sketch, &u->of, NULL, &error));
        CHECK_FAILS(foreign_write_to(sketch, u->format, written, sizeof written, &count, &error),
                    INK_MISMATCH, u->why);
        assert_int_equal(count, 0);
    }
}

static int count_bytes(void *host, const void *data, size_t bytes)
{
    (void)data;
    *(size_t *)host += bytes;
    return 0;
}

/* Larger than any that a test makes: what a sketch says of itself, beside a payload of one word. */
static const struct stated {
    const ink__foreign_format *format;
    ink_description            is;
    const char                *why; /* NULL: it is written */
} stated[] = {
    {&ink__foreign_hadoop, {.bits = INT32_MAX, .hashes = 1, .hash = "hadoop"}, NULL},
    {&ink__foreign_hadoop,
     {.bits = (uint64_t)INT32_MAX + 1, .hashes = 1, .hash = "hadoop"},
     "2147483648 bits, expected at most 2^31 - 1"},
    {&ink__foreign_spark_count_min, {.width = INT32_MAX, .depth = 1, .counter_bits = 64}, NULL},
    {&ink__foreign_spark_count_min,
     {.width = (uint64_t)INT32_MAX + 1, .depth = 1, .counter_bits = 64},
     "in rows of 2147483648, expected plain ones"},
    {&ink__foreign_spark_count_min,
     {.width = 1, .depth = 1, .counter_bits = 64, .total = INT64_MAX},
     NULL},
    {&ink__foreign_spark_count_min,
     {.width = 1, .depth = 1, .counter_bits = 64, .total = (uint64_t)INT64_MAX + 1},
     "a total above 2^63 - 1"},
    {&ink__foreign_dcso,
     {.bits = 64, .hashes = 1, .expected_keys = 1, .target_rate = 0.5, .promised_rate = 1},
     NULL},
    {&ink__foreign_dcso, {.bits = 64, .hashes = 1, .target_rate = 0.5}, "no expected_keys"},
    {&ink__foreign_dcso, {.bits = 64, .hashes = 1, .expected_keys = 1}, "or no rate"},
    {&ink__foreign_dcso,
     {.bits = 64, .hashes = 1, .expected_keys = 1, .promised_rate = 1},
     "or no rate"},
};

TEST(a_sketch_is_written_up_to_the_largest_that_the_format_states)
{
    static const uint8_t word[8] = {1};

    for (const struct stated *t = stated; t < stated + sizeof stated / sizeof stated[0]; t++) {
        const ink__foreign_source source = {.is = t->is, .payload = word, .payload_bytes = 8};
        size_t                    count = 0;
        const ink_sink            sink = {count_bytes, &count};
        const ink_status          status = t->format->write(&source, &sink, &error);
        if (status != (t->why == NULL ? INK_OK : INK_MISMATCH) || (count > 8) != (t->why == NULL))
            fail_msg("%s, number %td: %s, %zu bytes", t->format->info.name, t - stated,
                     ink_status_name(status), count);
        CHECK(t->why == NULL || (strstr(error.message, t->why) != NULL && error.at == 0));
    }
}

TEST(a_filter_of_dcso_that_has_no_target_states_the_rate_that_it_promises)
{
    const ink_params params = {
        .kind = "classic", .bits = 64, .hashes = 1, .expected_keys = 1, .hash = "dcso"};
    owned_sketch *sketch = NULL;
    uint8_t       written[64];
    size_t        count;

    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    const ink_description is = sketches_describe(sketch);
    CHECK_OK(foreign_write_to(sketch, "dcso", written, sizeof written, &count, &error));
    CHECK(is.target_rate == 0 && is.promised_rate > 0 &&
          ink__load_u64(written + 16) == ink__bits_of_double(is.promised_rate));
}

RUN_TESTS()
