/* decompress_test.c - what was compressed comes out again, from files, memory and standard input,
 * in pieces of any size; and data that is cut, damaged, too large or refused is reported with its
 * location. */
#define _DEFAULT_SOURCE 1
#include "base/status.h"
#include "input/records/decompress.h"

#include "jobs/runtime/accounting.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

enum { SMALL_BYTES = 200, LARGE_BYTES = 3 << 20, BYTES_MAX = LARGE_BYTES + (1 << 20) };

static ink_error error;

static uint8_t *more_room(records_bytes *bytes, size_t room)
{
    if (bytes->room - bytes->count < room) {
        bytes->room = bytes->count + room;
        bytes->bytes = realloc(bytes->bytes, bytes->room);
        assert_non_null(bytes->bytes);
    }
    return bytes->bytes + bytes->count;
}

/* A text that can be made about half as long. */
static records_bytes make_text(size_t count)
{
    records_bytes text = {0};
    uint64_t      random = 7;
    uint8_t      *at = more_room(&text, count);

    for (size_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        at[i] = (uint8_t)("etaoinshrdlu\n0123456789abcdefgh-"[random >> 59]);
    }
    text.count = count;
    return text;
}

/* Puts a gzip member after `bytes`, with all that its header can have if it is `rich`. */
static void add_gzip(records_bytes *bytes, const void *from, size_t count, bool rich)
{
    z_stream  gzip = {0};
    gz_header header = {.text = 1,
                        .time = 99,
                        .extra = (Bytef *)"extra",
                        .extra_len = 5,
                        .name = (Bytef *)"name",
                        .comment = (Bytef *)"why",
                        .hcrc = 1};

    assert_int_equal(deflateInit2(&gzip, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    if (rich)
        assert_int_equal(deflateSetHeader(&gzip, &header), Z_OK);
    size_t room = count + count / 100 + 200;
    gzip.next_in = (Bytef *)from;
    gzip.avail_in = (unsigned)count;
    gzip.next_out = more_room(bytes, room);
    gzip.avail_out = (unsigned)room;
    assert_int_equal(deflate(&gzip, Z_FINISH), Z_STREAM_END);
    bytes->count += gzip.total_out;
    deflateEnd(&gzip);
}

/* Puts a block of BGZF after `bytes`: a member with its length in the header. */
static void add_bgzf(records_bytes *bytes, const void *from, size_t count)
{
    static uint8_t extra[] = {'B', 'C', 2, 0, 0, 0};
    z_stream       gzip = {0};
    gz_header      header = {.os = 255, .extra = extra, .extra_len = sizeof extra};
    size_t         room = count + count / 100 + 200;
    uint8_t       *at = more_room(bytes, room);

    assert_int_equal(deflateInit2(&gzip, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflateSetHeader(&gzip, &header), Z_OK);
    gzip.next_in = (Bytef *)from;
    gzip.avail_in = (unsigned)count;
    gzip.next_out = at;
    gzip.avail_out = (unsigned)room;
    assert_int_equal(deflate(&gzip, Z_FINISH), Z_STREAM_END);
    at[16] = (uint8_t)(gzip.total_out - 1);
    at[17] = (uint8_t)((gzip.total_out - 1) >> 8);
    bytes->count += gzip.total_out;
    deflateEnd(&gzip);
}

/* Puts a zstd frame after `bytes`; window_log 0: as small as the data are, with their size in the
 * header. Its checksum is there. */
static void add_zstd(records_bytes *bytes, const void *from, size_t count, int window_log)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t     room = ZSTD_compressBound(count) + 200;

    assert_non_null(zstd);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    ZSTD_inBuffer  in = {.src = from, .size = count};
    ZSTD_outBuffer out = {.dst = more_room(bytes, room), .size = room};
    if (window_log == 0) {
        CHECK(!ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(zstd, count)));
    } else {
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0);
        CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, window_log)));
        /* All at once, and the window would be as small as the data are. */
        ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_continue);
    }
    assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
    bytes->count += out.pos;
    ZSTD_freeCCtx(zstd);
}

static void add_skippable(records_bytes *bytes, uint8_t number, const char *text)
{
    uint8_t head[8] = {(uint8_t)(0x50 | number), 0x2a, 0x4d, 0x18, (uint8_t)strlen(text), 0, 0, 0};

    records_put(bytes, head, sizeof head);
    records_put(bytes, text, strlen(text));
}

/* Plain, gzip and zstd. */
enum { PLAIN, GZIP, ZSTD, FORMS };

static records_bytes make_form(int form, const void *text, size_t count)
{
    records_bytes bytes = {0};

    if (form == PLAIN)
        records_put(&bytes, text, count);
    else if (form == GZIP)
        add_gzip(&bytes, text, count, false);
    else
        add_zstd(&bytes, text, count, 18);
    return bytes;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Where the bytes are; in a file they are called "data". */
typedef enum location { IN_MEMORY, IN_FILE, ON_STANDARD_INPUT, LOCATIONS } location;

static void put(location where, const records_bytes *bytes)
{
    if (where == IN_MEMORY)
        return;
    records_write("data", bytes->bytes, bytes->count);
    if (where == ON_STANDARD_INPUT)
        assert_non_null(freopen("data", "rb", stdin));
}

static ink__decompressor *stream;
static const ink__crew   *crew;      /* that is lent, or NULL */
static uint64_t           put_count; /* bytes of the input */

static ink_status open_path(const char *path, bool look)
{
    return ink__decompress_open(&stream, path, NULL, 0, look, NULL, &error);
}

static ink_status open_put(location where, const records_bytes *bytes,
                           const ink_allocator *allocator)
{
    const char *path = where == IN_FILE ? "data" : where == ON_STANDARD_INPUT ? "-" : NULL;

    put(where, bytes);
    put_count = bytes->count;
    ink_status status =
        ink__decompress_open(&stream, path, where == IN_MEMORY ? bytes->bytes : NULL,
                             where == IN_MEMORY ? bytes->count : 0, true, allocator, &error);
    if (status == INK_OK && crew != NULL)
        ink__decompress_lend(stream, crew);
    return status;
}

/* Reads to the end, this number of bytes at a time, and not more than there is room for here. */
static uint8_t  got[BYTES_MAX];
static uint64_t got_count;

static ink_status read_to_end(uint64_t room)
{
    uint64_t count = room;

    for (got_count = 0; count == room; got_count += count) {
        CHECK(got_count + room <= sizeof got);
        INK__TRY(ink__decompress_read(stream, got + got_count, room, &count, &error));
        CHECK(count <= room);
    }
    INK__TRY(ink__decompress_read(stream, got + got_count, 1, &count, &error));
    assert_int_equal(count, 0); /* the end stays the end */
    assert_int_equal(ink__decompress_taken(stream), put_count);
    return INK_OK;
}

static void check_got(const void *expected, size_t count)
{
    assert_int_equal(got_count, count);
    if (count > 0)
        assert_memory_equal(got, expected, count);
}

/* All of it. */
static ink_status read_put(location where, const records_bytes *bytes, uint64_t room,
                           const ink_allocator *allocator)
{
    ink_status status = open_put(where, bytes, allocator);

    CHECK((status == INK_OK) == (stream != NULL));
    if (status == INK_OK)
        status = read_to_end(room);
    ink__decompress_close(stream);
    return status;
}

/* These bytes are this text, in memory, in a file or a pipe, and in pieces of any size. */
static void check_gives(const records_bytes *bytes, const void *text, size_t count)
{
    static const uint64_t rooms[] = {1, 7, 1000, 300000, BYTES_MAX};

    for (location where = 0; where < LOCATIONS; where++)
        for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
            if (count / rooms[i] <= 100000) {
                CHECK_OK(read_put(where, bytes, rooms[i], NULL));
                check_got(text, count);
            }
    remove("data");
}

/* Reads bytes in memory, after which nothing can be read. */
static ink_status read_guarded(files_guard *guard, const records_bytes *bytes, size_t count)
{
    const records_bytes guarded = {.bytes = files_location(guard, bytes->bytes, count),
                                   .count = count};

    return read_put(IN_MEMORY, &guarded, 64, NULL);
}

static void check_refused(const records_bytes *bytes, ink_status status, uint64_t at,
                          const char *text)
{
    for (location where = 0; where < LOCATIONS; where++) {
        CHECK_FAILS(read_put(where, bytes, 100000, NULL), status, text);
        assert_int_equal(error.location, INK_AT_BYTE);
        assert_int_equal(error.at, at);
    }
    remove("data");
}

/* ---- What is right ------------------------------------------------------------------------ */

TEST(the_first_bytes_report_the_form)
{
    static const struct {
        const char *bytes;
        size_t      count;
        bool        compressed;
    } inputs[] = {
        {"", 0, false},
        {"\x1f", 1, false},
        {"\x1f\x8b", 2, true},
        {"\x1f\x8b\x08", 3, true},
        {"\x1f\x8a\x08\x00", 4, false},
        {"\x28\xb5\x2f", 3, false},
        {"\x28\xb5\x2f\xfd", 4, true},
        {"\x28\xb5\x2f\xfc", 4, false},
        {"\x27\xb5\x2f\xfd", 4, false}, /* an older form */
        {"\x4f\x2a\x4d\x18", 4, false},
        {"\x50\x2a\x4d\x18", 4, true},
        {"\x5f\x2a\x4d\x18z", 5, true},
        {"\x60\x2a\x4d\x18", 4, false},
        {"\x50\x2a\x4d\x19", 4, false},
        {"plain text", 10, false},
    };

    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        records_bytes bytes = {0};
        records_put(&bytes, inputs[i].bytes, inputs[i].count);
        for (location where = 0; where < LOCATIONS; where++) {
            CHECK_OK(open_put(where, &bytes, NULL));
            CHECK(ink__decompress_compressed(stream) == inputs[i].compressed);
            CHECK((ink__decompress_plain_file(stream) != NULL) ==
                  (where == IN_FILE && !inputs[i].compressed));
            assert_int_equal(ink__decompress_taken(stream), 0);
            ink__decompress_close(stream);
        }
        if (!inputs[i].compressed)
            check_gives(&bytes, bytes.bytes, bytes.count);
        records_bytes_free(&bytes);
    }
    remove("data");
}

TEST(without_a_look_bytes_are_given_as_they_stand)
{
    records_bytes bytes = {0};

    add_gzip(&bytes, "text", 4, false);
    records_write("data", bytes.bytes, bytes.count);
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        put_count = bytes.count;
        CHECK_OK(ink__decompress_open(&stream, in_memory ? NULL : "data", bytes.bytes,
                                      in_memory ? bytes.count : 0, false, NULL, &error));
        CHECK(!ink__decompress_compressed(stream));
        CHECK((ink__decompress_plain_file(stream) != NULL) == !in_memory);
        CHECK_OK(read_to_end(5));
        check_got(bytes.bytes, bytes.count);
        ink__decompress_close(stream);
    }
    records_bytes_free(&bytes);
    remove("data");
}

TEST(bytes_that_were_read_before_come_first)
{
    for (int form = PLAIN; form <= GZIP; form++)
        for (unsigned begun = 0; begun <= INK__BEGUN_BYTES; begun++)
            for (int look = 0; look < 2; look++) {
                records_bytes bytes = make_form(form, "some text", 9);
                uint64_t      more;
                records_write("rest", bytes.bytes + begun, bytes.count - begun);
                CHECK_OK(
                    ink__decompress_open(&stream, "rest", bytes.bytes, begun, look, NULL, &error));
                CHECK(ink__decompress_compressed(stream) == (form == GZIP && look));
                CHECK_OK(ink__decompress_read(stream, got, 5, &got_count, &error));
                CHECK_OK(ink__decompress_read(stream, got + 5, 100, &more, &error));
                got_count += more;
                if (look)
                    check_got("some text", 9);
                else
                    check_got(bytes.bytes, bytes.count);
                assert_int_equal(ink__decompress_taken(stream), bytes.count);
                ink__decompress_close(stream);
                records_bytes_free(&bytes);
            }
    remove("rest");
}

TEST(foreign_forms_are_refused_by_name_and_not_taken_for_text)
{
    static const struct {
        const char *name;
        uint8_t     first[8];
    } forms[] = {
        {"xz data", {0xfd, '7', 'z', 'X', 'Z', 0, 0, 4}},
        {"bzip2 data", {'B', 'Z', 'h', '9', '1', 'A', 'Y', '&'}},
        {"bzip2 data", {'B', 'Z', 'h', '1', '1', 'A', 'Y', '&'}},
        {"lz4 data", {0x04, 0x22, 0x4d, 0x18, 0x64}},
        {"zip data", {'P', 'K', 3, 4, 20}},
        {"7z data", {'7', 'z', 0xbc, 0xaf, 0x27, 0x1c}},
        {"Parquet data", {'P', 'A', 'R', '1', 0x15}},
        {"Arrow data", {'A', 'R', 'R', 'O', 'W', '1'}},
        {"Avro data", {'O', 'b', 'j', 1}},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const uint8_t *first = forms[i].first;
        records_write("data", first, 8);
        CHECK_FAILS(open_path("data", true), INK_FORMAT, forms[i].name);
        CHECK_FAILS(ink__decompress_open(&stream, NULL, first, 8, true, NULL, &error), INK_FORMAT,
                    "expected records, plain or in gzip or zstd");
        CHECK_OK(open_path("data", false)); /* unseen */
        ink__decompress_close(stream);
        remove("data");
    }
}

TEST(text_that_begins_as_a_foreign_form_is_text)
{
    static const char *const texts[] = {"P",     "PK",   "PAR1",     "PAR1\n",   "BZh91",
                                        "BZh9x", "Obj",  "Obj\n",    "ARROW1\n", "7z",
                                        "B",     "BZhx", "BZh91AY+", ""};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        records_write("data", texts[i], strlen(texts[i]));
        CHECK_OK(open_path("data", true));
        ink__decompress_close(stream);
        remove("data");
    }
}

TEST(a_plain_file_can_be_mapped_and_outlives_its_stream)
{
    const uint8_t *map;

    records_write("data", "plain text", 10);
    CHECK_OK(open_path("data", true));
    ink__input *file = ink__decompress_plain_file(stream);
    assert_non_null(file);
    assert_int_equal(file->bytes, 10);
    CHECK_OK(ink__input_map(file, &map, &error));
    ink__decompress_close(stream);
    assert_memory_equal(map, "plain text", 10);
    ink__unmap(map, 10);
    remove("data");
}

TEST(a_device_is_no_file_to_map)
{
    uint64_t count;

    CHECK_OK(open_path("/dev/zero", true));
    CHECK(!ink__decompress_compressed(stream) && ink__decompress_plain_file(stream) == NULL);
    CHECK_OK(ink__decompress_read(stream, got, 9, &count, &error));
    CHECK(count == 9 && ink__decompress_taken(stream) == 9);
    ink__decompress_close(stream);
}

TEST(a_pipe_is_looked_through_too)
{
    for (int form = PLAIN; form <= GZIP; form++) {
        records_bytes bytes = make_form(form, "text", 4);
        records_pipe *pipe = records_pipe_begin(NULL, bytes.bytes, bytes.count);
        CHECK_OK(open_path("-", true));
        CHECK(ink__decompress_compressed(stream) == (form == GZIP));
        CHECK(ink__decompress_plain_file(stream) == NULL);
        put_count = bytes.count;
        CHECK_OK(read_to_end(100));
        check_got("text", 4);
        ink__decompress_close(stream);
        records_pipe_end(pipe);
        records_bytes_free(&bytes);
    }
}

/* It may be the only byte for long; another read would fail here instead of waiting. */
TEST(a_pipe_whose_first_byte_is_that_of_text_is_not_read_further_for_a_form)
{
    int      ends[2], kept = dup(0);
    uint64_t count;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], 0), 0);
    assert_int_equal(fcntl(0, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(write(ends[1], "B", 1), 1); /* bzip2 begins so, too */
    CHECK_OK(open_path("-", true));
    CHECK_OK(ink__decompress_read_some(stream, got, 100, &count, &error));
    CHECK(count == 1 && got[0] == 'B');
    ink__decompress_close(stream);
    assert_int_equal(dup2(kept, 0), 0);
    close(kept);
    close(ends[0]);
    close(ends[1]);
}

TEST(the_end_stays_the_end_of_a_file_that_grows)
{
    for (int form = PLAIN; form <= GZIP; form++) {
        records_bytes bytes = make_form(form, "text", 4);
        uint64_t      count;
        CHECK_OK(open_put(IN_FILE, &bytes, NULL));
        CHECK_OK(ink__decompress_read(stream, got, 100, &count, &error));
        assert_int_equal(count, 4);
        FILE *file = fopen("data", "ab");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes.bytes, 1, bytes.count, file), bytes.count);
        fclose(file);
        CHECK_OK(ink__decompress_read(stream, got, 100, &count, &error));
        assert_int_equal(count, 0);
        ink__decompress_close(stream);
        records_bytes_free(&bytes);
    }
    remove("data");
}

TEST(what_was_compressed_comes_out_again)
{
    static const size_t counts[] = {0, 1, SMALL_BYTES, 300000, LARGE_BYTES};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        records_bytes text = make_text(counts[i]), bytes = {0};
        add_gzip(&bytes, text.bytes, text.count, i % 2 == 1);
        check_gives(&bytes, text.bytes, text.count);
        records_bytes_free(&bytes);
        add_zstd(&bytes, text.bytes, text.count, i % 2 == 1 ? 0 : 18);
        check_gives(&bytes, text.bytes, text.count);
        records_bytes_free(&bytes);
        records_bytes_free(&text);
    }
}

TEST(gzip_members_and_their_padding_are_one_text)
{
    static const uint8_t zeros[300000]; /* more than is read at a time */
    records_bytes        text = make_text(LARGE_BYTES), bytes = {0};
    size_t               used = 0;

    for (size_t part = 0; used < 400000; part = part * 3 + 1) { /* the first one is empty */
        add_gzip(&bytes, text.bytes + used, part, part % 2 == 0);
        used += part;
    }
    check_gives(&bytes, text.bytes, used);
    records_put(&bytes, zeros, 512);
    check_gives(&bytes, text.bytes, used);
    add_gzip(&bytes, text.bytes + used, 1000, false);
    used += 1000;
    records_put(&bytes, zeros, sizeof zeros);
    check_gives(&bytes, text.bytes, used);
    records_bytes_free(&bytes);
    records_bytes_free(&text);
}

TEST(zstd_frames_and_skippable_ones_are_one_text)
{
    records_bytes text = make_text(LARGE_BYTES), bytes = {0};
    size_t        used = 0;

    add_skippable(&bytes, 0, "");
    for (size_t part = 0; used < 400000; part = part * 3 + 1) {
        add_zstd(&bytes, text.bytes + used, part, part % 2 == 0 ? 0 : 17);
        add_skippable(&bytes, (uint8_t)(part % 16), "not part of the text");
        used += part;
    }
    check_gives(&bytes, text.bytes, used);
    records_bytes_free(&bytes);
    add_skippable(&bytes, 15, "nothing else");
    check_gives(&bytes, "", 0);
    records_bytes_free(&bytes);
    records_bytes_free(&text);
}

/* ---- What is wrong ------------------------------------------------------------------------ */

/* Two small parts of a form, their texts, and where the second one starts. */
typedef struct two_parts {
    records_bytes bytes, text;
    size_t        second, first_text;
} two_parts;

static two_parts make_two_parts(bool gzip)
{
    two_parts two = {.text = make_text(SMALL_BYTES), .first_text = SMALL_BYTES / 3};
    uint8_t  *rest = two.text.bytes + two.first_text;

    if (gzip) {
        add_gzip(&two.bytes, two.text.bytes, two.first_text, true);
        two.second = two.bytes.count;
        add_gzip(&two.bytes, rest, two.text.count - two.first_text, false);
    } else {
        add_zstd(&two.bytes, two.text.bytes, two.first_text, 0);
        two.second = two.bytes.count;
        add_skippable(&two.bytes, 3, "skip");
        add_zstd(&two.bytes, rest, two.text.count - two.first_text, 12);
    }
    return two;
}

static void forget_two_parts(two_parts *two)
{
    records_bytes_free(&two->bytes);
    records_bytes_free(&two->text);
}

TEST(every_truncation_is_reported_with_its_location)
{
    files_guard guard;

    files_guard_create(&guard, 2 * SMALL_BYTES);
    for (int gzip = 0; gzip < 2; gzip++) {
        two_parts   two = make_two_parts(gzip);
        const char *words = gzip ? "the gzip data ends within a member, expected its end"
                                 : "the zstd data ends within a frame, expected its end";
        for (size_t count = 0; count < two.bytes.count; count++) {
            ink_status status = read_guarded(&guard, &two.bytes, count);
            if (count < (gzip ? 2 : 4)) { /* no one can know */
                CHECK_OK(status);
                check_got(two.bytes.bytes, count);
            } else if (count == two.second || (!gzip && count == two.second + 12)) {
                CHECK_OK(status);
                check_got(two.text.bytes, two.first_text);
            } else {
                CHECK_FAILS(status, INK_FORMAT, words);
                CHECK(error.location == INK_AT_BYTE && error.at == count);
            }
        }
        forget_two_parts(&two);
    }
    files_guard_free(&guard);
}

TEST(every_flipped_bit_is_refused_or_does_not_matter)
{
    files_guard guard;

    files_guard_create(&guard, 2 * SMALL_BYTES);
    for (int gzip = 0; gzip < 2; gzip++) {
        two_parts two = make_two_parts(gzip);
        unsigned  refused = 0, same = 0;
        for (size_t bit = 0; bit < 8 * two.bytes.count; bit++) {
            uint8_t *at = &two.bytes.bytes[bit / 8];
            *at = (uint8_t)(*at ^ 1u << bit % 8);
            ink_status status = read_guarded(&guard, &two.bytes, two.bytes.count);
            if (status != INK_OK) {
                CHECK(status == INK_FORMAT || status == INK_LIMIT);
                CHECK(error.location == INK_AT_BYTE && error.at <= two.bytes.count);
                CHECK(strstr(error.message, gzip ? "gzip" : "zstd") != NULL);
                refused++;
            } else if (bit / 8 < (gzip ? 2 : 4)) { /* is something else now */
                check_got(two.bytes.bytes, two.bytes.count);
            } else {
                check_got(two.text.bytes, two.text.count);
                same++;
            }
            *at = (uint8_t)(*at ^ 1u << bit % 8);
        }
        CHECK(same > 20 && refused > 8 * SMALL_BYTES / 2);
        forget_two_parts(&two);
    }
    files_guard_free(&guard);
}

TEST(damage_is_reported_with_its_location)
{
    static const struct {
        bool        gzip, second; /* from the second part on, or else from the end back */
        size_t      byte, at;     /* where a bit is flipped, and what is reported */
        const char *words;
    } damages[] = {
        /* The end of the CRC, after which the decoder has come. */
        {true, false, 5, 4, "gzip: incorrect data check, expected"},
        {true, false, 1, 0, "gzip: incorrect length check, expected"},
        {true, true, 1, 2, "gzip: incorrect header check, expected"},
        {false, false, 1, 3, "zstd: Restored data doesn't match checksum"},
        {false, true, 13, 12, "zstd: Unknown frame descriptor"},
    };

    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        two_parts two = make_two_parts(damages[i].gzip);
        size_t    end = two.bytes.count;
        bool      second = damages[i].second;
        two.bytes.bytes[second ? two.second + damages[i].byte : end - damages[i].byte] ^= 1;
        check_refused(&two.bytes, INK_FORMAT,
                      second ? two.second + damages[i].at : end - damages[i].at, damages[i].words);
        forget_two_parts(&two);
    }
}

/* Where the first block stands of the zstd frame, without its size in the header, that starts the
 * bytes, and that begins after `at`. */
static size_t zstd_block_behind(const records_bytes *bytes, size_t at)
{
    size_t block = 6; /* after the magic, the descriptor and the window */

    while (block < at) {
        size_t head = bytes->bytes[block] | (size_t)bytes->bytes[block + 1] << 8 |
                      (size_t)bytes->bytes[block + 2] << 16;
        CHECK((head & 7) == 4); /* compressed, and not the last one */
        block += 3 + (head >> 3);
    }
    return block;
}

/* The location is right even if it is many pieces away from the start. */
TEST(damage_far_after_the_start_has_its_location)
{
    records_bytes text = make_text(LARGE_BYTES);

    for (int gzip = 0; gzip < 2; gzip++) {
        records_bytes bytes = {0};
        size_t        damage, until;
        if (gzip) {
            add_gzip(&bytes, text.bytes, text.count - 1000, false);
            damage = until = bytes.count + 4; /* after the flags, which do not exist */
            add_gzip(&bytes, text.bytes, 1000, false);
            bytes.bytes[damage - 1] |= 0xe0;
        } else {
            add_zstd(&bytes, text.bytes, text.count, 19);
            damage = zstd_block_behind(&bytes, bytes.count - bytes.count / 4);
            bytes.bytes[damage] |= 6; /* a kind of block that there is not */
            until = damage + 2;       /* a piece may end within the three bytes of its head */
        }
        CHECK_OK(open_put(IN_FILE, &bytes, NULL));
        assert_int_equal(read_to_end(100000), INK_FORMAT);
        assert_int_equal(error.location, INK_AT_BYTE);
        assert_in_range(error.at, damage, until);
        CHECK(got_count > LARGE_BYTES / 2); /* what comes before is right */
        assert_memory_equal(got, text.bytes, got_count);
        ink__decompress_close(stream);
        records_bytes_free(&bytes);
    }
    records_bytes_free(&text);
    remove("data");
}

TEST(something_else_after_the_data_is_refused)
{
    static const char *const others[] = {"x",
                                         "text",
                                         "\x1e\x8b\x08",
                                         "\x27\xb5\x2f\xfd\x20\x01",
                                         "\x24\xb5\x2f\xfd\x20\x01",
                                         "\x60\x2a\x4d\x18"};

    for (int gzip = 0; gzip < 2; gzip++) {
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            two_parts two = make_two_parts(gzip);
            size_t    end = two.bytes.count;
            if (gzip && i % 2 == 1) {
                records_put(&two.bytes, "\0\0\0", 3); /* padding does not hide it */
                end += 3;
            }
            records_put(&two.bytes, others[i], strlen(others[i]));
            check_refused(&two.bytes, INK_FORMAT, end,
                          gzip ? "gzip: other data after a member, expected another one"
                               : "zstd: other data after a frame, expected another one");
            forget_two_parts(&two);
        }
    }
    two_parts zstd = make_two_parts(false); /* which has no padding */
    records_put(&zstd.bytes, "\0", 1);
    check_refused(&zstd.bytes, INK_FORMAT, zstd.bytes.count - 1, "zstd: other data");
    forget_two_parts(&zstd);
}

TEST(a_window_above_8_mib_is_refused_by_name)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    records_bytes bytes = {0};

    add_zstd(&bytes, "text", 4, 23);
    CHECK_OK(read_put(IN_MEMORY, &bytes, 100, &allocator));
    check_got("text", 4);
    CHECK(memory.most_bytes > 8 << 20 && memory.most_bytes < 9 << 20);
    faults_check_no_leak(&memory);

    size_t second = bytes.count;
    add_zstd(&bytes, "text", 4, 24);
    check_refused(&bytes, INK_LIMIT, second,
                  "zstd: a frame with a window above 8 MiB, expected 8 MiB or less");
    records_bytes_free(&bytes);
}

TEST(a_frame_that_needs_a_dictionary_is_refused_by_name)
{
    /* A window of 1 KiB, dictionary 5, an empty last block. */
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00};
    records_bytes        bytes = {0};

    add_skippable(&bytes, 0, "");
    records_put(&bytes, frame, sizeof frame);
    check_refused(&bytes, INK_FORMAT, 8, "zstd: a frame that needs a dictionary, expected one");
    records_bytes_free(&bytes);
}

TEST(what_cannot_be_opened_or_read_is_reported)
{
    uint64_t count;

    CHECK_FAILS(open_path("absent", true), INK_IO, "cannot open");
    CHECK(stream == NULL && error.os_error == ENOENT);
    CHECK_FAILS(open_path("/", true), INK_IO, "cannot read");
    CHECK(stream == NULL && error.os_error == EISDIR);
    CHECK_OK(open_path("/", false));
    CHECK_FAILS(ink__decompress_read(stream, got, 1, &count, &error), INK_IO, "cannot read");
    ink__decompress_close(stream);
    ink__decompress_close(NULL);
}

/* ---- Parts that a crew decodes ahead -------------------------------------------------------- */

static unsigned lent_steps; /* that the crew was given */

static void count_each(const void *lender, unsigned threads, uint64_t count,
                       void (*step)(void *host, uint64_t number), void *host)
{
    lent_steps += (unsigned)count;
    ink__region_each(lender, NULL, threads, count, step, host);
}

/* Many members or frames, some empty, some of another sort at the end. */
static records_bytes make_many(bool gzip, const records_bytes *text, size_t longest, bool odd)
{
    records_bytes bytes = {0};
    size_t        at = 0;

    for (unsigned i = 0; at < text->count; i++) {
        size_t count = i % 7 == 3 ? 0 : longest - longest / 5 * (i % 4);
        count = count < text->count - at ? count : text->count - at;
        if (gzip && odd && at > text->count / 2)
            add_gzip(&bytes, text->bytes + at, count, i % 2 == 0);
        else if (gzip)
            add_bgzf(&bytes, text->bytes + at, count);
        else
            add_zstd(&bytes, text->bytes + at, count, odd && i % 3 == 0 ? 12 : 0);
        if (!gzip && i % 5 == 0)
            add_skippable(&bytes, 3, "skip");
        at += count;
    }
    return bytes;
}

/* A crew gives the bytes, the failure and its location that the stream has without one. */
static void check_alike(const records_bytes *bytes, uint64_t room)
{
    static uint8_t  expected[BYTES_MAX];
    const ink__crew crews[] = {
        {2, NULL, count_each}, {5, NULL, count_each}, {64, NULL, count_each}};

    ink_status      status = read_put(IN_FILE, bytes, room, NULL);
    const uint64_t  count = got_count;
    const ink_error alone = error;
    memcpy(expected, got, count);
    for (unsigned i = 0; i < 3; i++) {
        crew = &crews[i];
        assert_int_equal(read_put(IN_FILE, bytes, room, NULL), status);
        check_got(expected, count);
        if (status != INK_OK) {
            CHECK(error.location == alone.location && error.at == alone.at);
            assert_string_equal(error.message, alone.message);
        }
    }
    crew = NULL;
}

TEST(a_crew_gives_the_same_bytes)
{
    records_bytes text = make_text(LARGE_BYTES);

    for (unsigned i = 0; i < 8; i++) {
        const bool    gzip = i % 2 == 0, odd = i / 2 % 2 == 1;
        records_bytes bytes = make_many(gzip, &text, i < 4 ? 60000 : 999, odd);
        lent_steps = 0;
        check_alike(&bytes, 100000);
        CHECK(lent_steps >= 2 + 5 + 16);
        check_alike(&bytes, 777);
        records_bytes_free(&bytes);
    }
    /* One part, or none that says how long it is: no crew. */
    lent_steps = 0;
    for (int form = PLAIN; form < FORMS; form++) {
        records_bytes bytes = make_form(form, text.bytes, text.count);
        check_alike(&bytes, 100000);
        records_bytes_free(&bytes);
    }
    assert_int_equal(lent_steps, 0);
    records_bytes_free(&text);
    remove("data");
}

TEST(a_crew_reports_the_same_damage)
{
    records_bytes text = make_text(8 * SMALL_BYTES);

    for (unsigned i = 0; i < 4; i++) {
        records_bytes bytes = make_many(i % 2 == 0, &text, 300, i / 2 == 1);
        const size_t  all = bytes.count;
        for (size_t at = i; at < all; at += 13) {
            bytes.count = at;
            check_alike(&bytes, 100);
            bytes.count = all;
            bytes.bytes[at] = (uint8_t)(bytes.bytes[at] ^ 1u << at % 8);
            check_alike(&bytes, 100);
            bytes.bytes[at] = (uint8_t)(bytes.bytes[at] ^ 1u << at % 8);
        }
        records_bytes_free(&bytes);
    }
    records_bytes_free(&text);
    remove("data");
}

/* ---- What fails --------------------------------------------------------------------------- */

static location      where_now;
static records_bytes bytes_now, text_now;

static ink_status read_now(const ink_allocator *allocator)
{
    ink_status status = read_put(where_now, &bytes_now, 100000, allocator);

    if (status == INK_OK)
        check_got(text_now.bytes, text_now.count);
    CHECK(status != INK_IO || error.os_error == EIO);
    if (status == INK_MEMORY) {
        CHECK_FAILS(status, INK_MEMORY, "no memory for ");
        CHECK(strstr(error.message, " 0 bytes") == NULL);
    }
    return status;
}

TEST(every_refused_allocation_and_failing_call_leaves_nothing_behind)
{
    text_now = make_text(LARGE_BYTES / 4);
    for (int form = 0; form < FORMS; form++) {
        bytes_now = make_form(form, text_now.bytes, text_now.count);
        for (where_now = 0; where_now < LOCATIONS; where_now++) {
            CHECK(faults_refuse_each(read_now) >= (form == PLAIN ? 1 : 3));
            if (where_now != IN_MEMORY) /* closing may fail without harm */
                CHECK(faults_fail_each(read_now, 60000) > 8);
        }
        records_bytes_free(&bytes_now);
    }
    where_now = IN_FILE;
    crew = &(ink__crew){3, NULL, count_each};
    for (int gzip = 0; gzip < 2; gzip++) {
        bytes_now = make_many(gzip, &text_now, 60000, false);
        CHECK(faults_refuse_each(read_now) >= 5);
        CHECK(faults_fail_each(read_now, 60000) > 3);
        records_bytes_free(&bytes_now);
    }
    crew = NULL;
    records_bytes_free(&text_now);
    remove("data");
}

TEST(short_and_interrupted_reads_change_nothing)
{
    records_bytes text = make_text(SMALL_BYTES);

    for (int form = 0; form < FORMS; form++) {
        records_bytes bytes = make_form(form, text.bytes, text.count);
        for (location where = IN_FILE; where < LOCATIONS; where++) {
            faults_system_begin(&(faults_plan){.transfer_bytes = 1, .interrupt = true});
            CHECK_OK(read_put(where, &bytes, 3, NULL));
            faults_system_end();
            check_got(text.bytes, text.count);
        }
        records_bytes_free(&bytes);
    }
    records_bytes_free(&text);
    remove("data");
}

RUN_TESTS()
