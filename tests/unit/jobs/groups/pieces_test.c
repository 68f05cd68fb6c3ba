/* pieces_test.c - pieces: items come back as they were put, in pieces no larger than was asked for,
 * for any number of buckets, and memory stays small; jobs with different results have different
 * numbers; and bytes that are no piece are refused, also those with the right checksum. */
#include "jobs/groups/pieces.h"

#include "base/bits.h"
#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/records.h"

static ink_error error;
static uint64_t  chance = 9;

/* Where pieces and items have what; written down here once more, so that a change is noticed. */
enum { HEADER = 32, ITEM = 32, CHECKSUM = 8, ITEMS_AT = 12, JOB_AT = 16, BYTES_AT = 24 };
enum { ZERO_AT = 2, GROUP_BYTES_AT = 4, COUNT_AT = 24 };
enum { JOB = 1234 };

/* Pieces of at most `limit` bytes on their way to a sink. */
static ink__pieces pieces_to(const ink_piece_sink *sink, uint32_t buckets, uint64_t limit,
                             uint64_t job)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__pieces   pieces;

    CHECK_OK(ink__pieces_begin(&pieces, buckets, limit, job, sink, &heap, &error));
    return pieces;
}

/* ---- There and back ----------------------------------------------------------------------- */

enum { ITEMS = 40, BUCKETS = 3, LONGEST = 300 };

/* Items that were put, and what came back of them. */
typedef struct mail {
    ink__item items[ITEMS];
    uint8_t   bytes[ITEMS][LONGEST];
    uint8_t   labels[ITEMS][LONGEST];
    uint32_t  buckets[ITEMS];
    size_t    next[BUCKETS]; /* that is to come back */
    size_t    back, largest, pieces;
    uint32_t  bucket; /* of the piece that is being read */
} mail;

static void write_item(mail *of, size_t i)
{
    ink__item *item = &of->items[i];

    for (size_t k = 0; k < LONGEST; k++)
        of->bytes[i][k] = of->labels[i][k] = (uint8_t)records_random(&chance);
    *item = (ink__item){
        .type = (ink__item_type)(1 + records_below(&chance, INK__ITEM_MEASURE)),
        .label = {.group_kind = (ink_group_kind)records_below(&chance, 3)},
        .records = records_random(&chance),
        .number = records_random(&chance),
        .bytes = of->bytes[i],
        .count = records_below(&chance, LONGEST / 16) * 16,
    };
    if (item->type >= INK__ITEM_KEYS)
        item->count += records_below(&chance, 8); /* not a multiple of anything */
    if (item->label.group_kind == INK_GROUP_BYTES) {
        item->label.group = of->labels[i];
        item->label.group_bytes = (size_t)records_below(&chance, LONGEST);
    }
    of->buckets[i] = (uint32_t)records_below(&chance, BUCKETS);
}

/* Items of a bucket come back in the order in which they were put. */
static ink_status compare(void *host, const ink__item *item, ink_error *failure)
{
    mail  *of = host;
    size_t at = of->next[of->bucket];

    while (at < ITEMS && of->buckets[at] != of->bucket)
        at++;
    assert_in_range(at, 0, ITEMS - 1);
    const ink__item *sent = &of->items[at];
    assert_true(item->type == sent->type && item->records == sent->records &&
                item->number == sent->number && item->count == sent->count);
    assert_int_equal(ink_label_compare(&item->label, &sent->label), 0);
    assert_memory_equal(item->bytes, sent->bytes, sent->count);
    assert_int_equal((uintptr_t)item->bytes % 8, 0);
    of->next[of->bucket] = at + 1;
    of->back++;
    return INK_OK;
}

static int read_back(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    mail    *of = host;
    uint64_t job = JOB;

    of->bucket = bucket;
    of->largest = count > of->largest ? count : of->largest;
    of->pieces++;
    CHECK_OK(ink__piece_read(bytes, count, &job, compare, of, &error));
    return 0;
}

TEST(items_come_back_as_they_were_put)
{
    for (unsigned try = 0; try < 50; try++) {
        static mail          of;
        const ink_piece_sink sink = {read_back, &of};
        ink__pieces          pieces = pieces_to(&sink, BUCKETS, 1000, JOB);
        of = (mail){0};
        for (size_t i = 0; i < ITEMS; i++) {
            write_item(&of, i);
            CHECK_OK(ink__pieces_put(&pieces, of.buckets[i], &of.items[i], NULL, &error));
        }
        CHECK_OK(ink__pieces_flush(&pieces, &error));
        ink__pieces_end(&pieces);
        assert_int_equal(of.back, ITEMS);
        assert_in_range(of.largest, 1, 1000);
        assert_in_range(of.pieces, BUCKETS, ITEMS);
    }
}

static int keep_first(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    memcpy(host, bytes, count < LONGEST ? count : LONGEST);
    return 0;
}

/* Memory that is not cleared must not be sent, nor may one piece differ from another by it. */
TEST(what_labels_and_bytes_are_padded_with_is_zero)
{
    for (uint64_t bytes = 0; bytes < 20; bytes++) {
        uint8_t              piece[LONGEST], ones[32];
        const ink_piece_sink sink = {keep_first, piece};
        faults_memory        memory = {0}; /* fresh bytes are not zero */
        ink_allocator        allocator = faults_allocator(&memory);
        ink__pieces          pieces;
        const uint64_t       after = ITEM + (bytes + 7) / 8 * 8;

        memset(ones, 1, sizeof ones);
        const ink__item item = {
            .type = INK__ITEM_KEYS,
            .label = {.group_kind = INK_GROUP_BYTES, .group = ones, .group_bytes = (size_t)bytes},
            .bytes = ones,
            .count = bytes};
        CHECK_OK(ink__pieces_begin(&pieces, 1, 4096, JOB, &sink, &allocator, &error));
        CHECK_OK(ink__pieces_put(&pieces, 0, &item, NULL, &error));
        CHECK_OK(ink__pieces_flush(&pieces, &error));
        ink__pieces_end(&pieces);
        for (uint64_t i = 0; i < after - ITEM; i++) {
            assert_int_equal(piece[HEADER + ITEM + i], i < bytes);
            assert_int_equal(piece[HEADER + after + i], i < bytes);
        }
    }
}

TEST(elements_have_room_beside_a_label_of_any_length)
{
    static uint8_t       text[8192];
    const ink_piece_sink sink = {NULL, NULL};

    for (uint64_t limit = 4096; limit <= 8192; limit += 1024) {
        ink__pieces pieces = pieces_to(&sink, 1, limit, JOB);
        for (size_t bytes = 0; bytes < sizeof text; bytes++) {
            const ink_label label = {
                .group_kind = INK_GROUP_BYTES, .group = text, .group_bytes = bytes};
            const uint64_t room = ink__pieces_room(&pieces, &label);
            CHECK(room >= 1024 && room % 16 == 0);
            CHECK(room == 1024 || HEADER + ITEM + bytes + room + CHECKSUM <= limit);
        }
        assert_in_range(ink__pieces_room(&pieces, &(ink_label){0}), limit - 1024, limit);
        ink__pieces_end(&pieces);
    }
}

static int count_calls(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    ++*(unsigned *)host;
    return 0;
}

/* What was given to the sink is not pending any more. */
TEST(pieces_are_filled_however_much_went_before)
{
    enum { LARGE = 2 << 20, SMALL = 1000 };
    unsigned             calls = 0;
    const ink_piece_sink sink = {count_calls, &calls};
    ink__pieces          pieces = pieces_to(&sink, 2, (uint64_t)4 << 20, JOB);
    uint8_t             *bytes = test_calloc(LARGE, 1);

    for (unsigned i = 0; i < 40; i++)
        CHECK_OK(ink__pieces_put(
            &pieces, i % 2, &(ink__item){.type = INK__ITEM_KEYS, .bytes = bytes, .count = LARGE},
            NULL, &error));
    CHECK_OK(ink__pieces_flush(&pieces, &error));
    calls = 0;
    for (unsigned i = 0; i < SMALL; i++)
        CHECK_OK(ink__pieces_put(&pieces, i % 2,
                                 &(ink__item){.type = INK__ITEM_KEYS, .bytes = bytes, .count = 8},
                                 NULL, &error));
    assert_int_equal(calls, 0);
    CHECK_OK(ink__pieces_flush(&pieces, &error));
    assert_int_equal(calls, 2);
    ink__pieces_end(&pieces);
    test_free(bytes);
}

static int refuse(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    return 28; /* ENOSPC */
}

TEST(a_sink_that_refuses_fails_the_call)
{
    const ink_piece_sink sink = {refuse, NULL};
    const ink__item      item = {.type = INK__ITEM_HASHES};
    ink__pieces          pieces = pieces_to(&sink, 1, 4096, JOB);

    CHECK_OK(ink__pieces_put(&pieces, 0, &item, NULL, &error));
    CHECK_FAILS(ink__pieces_flush(&pieces, &error), INK_IO, "cannot write a piece");
    assert_int_equal(error.os_error, 28);
    ink__pieces_end(&pieces);
}

static int count_bytes(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    uint64_t *sum = host;

    *sum += count;
    return 0;
}

/* One bucket after the other is filled: the memory of those that were is given back. */
TEST(memory_stays_small_however_many_buckets_there_are)
{
    enum { MANY = 128 };
    const uint64_t       each = (uint64_t)4 << 20, most = (uint64_t)64 << 20;
    uint64_t             given = 0;
    const ink_piece_sink sink = {count_bytes, &given};
    faults_memory        memory = {0};
    ink_allocator        allocator = faults_allocator(&memory);
    ink__pieces          pieces;
    uint8_t             *bytes = test_calloc((size_t)each / 2, 1);
    const ink__item      item = {.type = INK__ITEM_KEYS, .bytes = bytes, .count = each / 2};

    CHECK_OK(ink__pieces_begin(&pieces, MANY, each, JOB, &sink, &allocator, &error));
    for (uint32_t bucket = 0; bucket < MANY; bucket++)
        for (unsigned i = 0; i < 2; i++)
            CHECK_OK(ink__pieces_put(&pieces, bucket, &item, NULL, &error));
    CHECK_OK(ink__pieces_flush(&pieces, &error));
    ink__pieces_end(&pieces);
    assert_in_range(given, MANY * each, MANY * (each + 1024));
    assert_in_range(memory.most_bytes, 1, 3 * most);
    faults_check_no_leak(&memory);
    test_free(bytes);
}

/* ---- Jobs --------------------------------------------------------------------------------- */

static uint64_t job_of(const ink_reading *reading, const ink_params *kind, double headroom)
{
    const ink_build_options build = {.kinds = kind, .kind_count = 1, .headroom = headroom};
    uint64_t                job = 0;

    CHECK_OK(ink__pieces_job(reading, &build, &job, &error));
    assert_int_not_equal(job, 0);
    return job;
}

TEST(whatever_changes_the_sketches_is_another_job)
{
    static const uint8_t    secret[INK_SECRET_BYTES] = "one", other[INK_SECRET_BYTES] = "other";
    static const ink_params kinds[] = {
        {.kind = "bloom"},
        {.kind = "classic"},
        {.kind = "bloom", .expected_keys = 10},
        {.kind = "bloom", .bits = 256},
        {.kind = "bloom", .false_positive_rate = 0.015},
        {.kind = "bloom", .false_positive_rate = 0.0150000001},
        {.kind = "bloom", .seed = 3},
        {.kind = "bloom", .seed = 3, .has_seed = true},
        {.kind = "bloom", .secret = secret},
        {.kind = "bloom", .secret = other},
        {.kind = "bloom", .hash = "mmh3"},
        {.kind = "count-min", .width = 7},
        {.kind = "count-min", .width = 7, .depth = 3},
        {.kind = "count-min", .width = 7, .conservative = true},
        {.kind = "count-min", .epsilon = 0.1},
        {.kind = "count-min", .delta = 0.1},
        {.kind = "count-min", .counter_bits = 64},
        {.kind = "classic", .hashes = 3},
        {.kind = "top", .top_keys = 3},
        {.kind = "top", .phi = 0.1},
        {.kind = "hll", .precision = 9},
    };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const ink_reading readings[] = {
        {0}, {.by = "x"}, {.weight = "x"}, {.keys = INK_KEYS_INT}, {.by = "x", .weight = "x"}};
    enum { READINGS = sizeof readings / sizeof *readings };
    uint64_t jobs[KINDS + READINGS + 1];
    size_t   count = 0;

    for (size_t i = 0; i < KINDS; i++)
        jobs[count++] = job_of(&readings[0], &kinds[i], 0);
    for (size_t i = 1; i < READINGS; i++)
        jobs[count++] = job_of(&readings[i], &kinds[0], 0);
    jobs[count++] = job_of(&readings[0], &kinds[0], 1.5);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(jobs[i], jobs[k]);
    /* How records are found is no part of the job. */
    assert_int_equal(jobs[0], job_of(&(ink_reading){.header = true, .skip_bad = true}, kinds, 0));
    assert_int_equal(jobs[KINDS], job_of(&(ink_reading){.by = "another name"}, kinds, 0));
}

/* ---- Forged pieces ------------------------------------------------------------------------ */

static ink_status ignore(void *host, const ink__item *item, ink_error *failure)
{
    return INK_OK;
}

static int keep(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    records_put(host, bytes, count);
    return 0;
}

/* A piece of two items, the first with a label of 3 bytes and 16 of hashes. The second hash could
 * be the beginning of an item, in either byte order. */
static records_bytes some_piece(void)
{
    static const uint8_t hashes[16] = {1, [8] = 2};
    records_bytes        piece = {0};
    const ink_piece_sink sink = {keep, &piece};
    ink__pieces          pieces = pieces_to(&sink, 1, 4096, JOB);
    const ink__item      first = {.type = INK__ITEM_HASHES,
                                  .label = ink_group("abc"),
                                  .bytes = hashes,
                                  .count = sizeof hashes};
    const ink__item      second = {.type = INK__ITEM_KEYS, .label = {0}};

    CHECK_OK(ink__pieces_put(&pieces, 0, &first, NULL, &error));
    CHECK_OK(ink__pieces_put(&pieces, 0, &second, NULL, &error));
    CHECK_OK(ink__pieces_flush(&pieces, &error));
    ink__pieces_end(&pieces);
    assert_int_equal(piece.count, HEADER + 2 * ITEM + 8 + 16 + CHECKSUM);
    return piece;
}

/* Gives a piece that was changed the length and the checksum of a right one. */
static void repair(records_bytes *piece)
{
    const uint64_t bytes = piece->count;

    memcpy(piece->bytes + BYTES_AT, &bytes, 8);
    const uint64_t sum = ink__hash_label(piece->bytes, bytes - CHECKSUM);
    memcpy(piece->bytes + bytes - CHECKSUM, &sum, CHECKSUM);
}

static ink_status read_piece(const uint8_t *bytes, uint64_t count, uint64_t *job)
{
    return ink__piece_read(bytes, count, job, ignore, NULL, &error);
}

/* Changes bytes of a piece, repairs it, and looks what is said of it. */
static void forge(uint64_t at, const void *bytes, size_t count, ink_status expected,
                  const char *text)
{
    owned_bytes piece = some_piece();
    uint64_t    job = JOB;

    memcpy(piece.bytes + at, bytes, count);
    repair(&piece);
    CHECK_FAILS(read_piece(piece.bytes, piece.count, &job), expected, text);
    assert_int_equal(job, JOB);
}

/* Pieces have the numbers of the host, and a big-endian one has the low bytes last. */
static void forge_number(uint64_t at, uint64_t number, size_t bytes, const char *text)
{
    const size_t low = INK__SWAP(64, (uint64_t)1) == 1 ? 0 : sizeof number - bytes;

    forge(at, (const uint8_t *)&number + low, bytes, INK_FORMAT, text);
}

TEST(forged_items_are_refused)
{
    const uint64_t second = HEADER + ITEM + 8 + 16;

    forge_number(HEADER, 0, 1, "no known type");
    forge_number(HEADER, INK__ITEM_MEASURE + 1, 1, "no known type");
    forge_number(HEADER + 1, INK_GROUP_BYTES + 1, 1, "no known type");
    forge_number(HEADER + 1, INK_GROUP_NONE, 1, "no known type"); /* with bytes of a label */
    forge_number(HEADER + ZERO_AT, 1, 2, "no known type");
    forge_number(HEADER + COUNT_AT, 12, 8, "no known type"); /* one hash and a half */
    forge_number(HEADER + COUNT_AT, 1 << 20, 8, "cut");
    forge_number(HEADER + COUNT_AT, UINT64_MAX - 7, 8, "cut");
    forge_number(HEADER + GROUP_BYTES_AT, UINT32_MAX, 4, "cut");
    forge_number(second + COUNT_AT, 1, 8, "cut");
    forge_number(second + COUNT_AT, UINT64_MAX, 8, "cut");
    forge_number(HEADER + COUNT_AT, 8, 8, "after the last item"); /* which is another one then */
    forge_number(ITEMS_AT, 1, 4, "after the last item");
    forge_number(ITEMS_AT, 3, 4, "cut");
    forge_number(ITEMS_AT, UINT32_MAX, 4, "cut");
}

TEST(forged_headers_are_refused)
{
    forge_number(0, 0, 1, "other first bytes");
    forge(8, "\0\0\0", 4, INK_MISMATCH, "another version");
    forge_number(JOB_AT, 0, 8, "items of no job");
    forge(JOB_AT, "another", 8, INK_MISMATCH, "another job");
    for (size_t count = 0; count < HEADER + CHECKSUM; count++) {
        static const uint8_t zeros[HEADER + CHECKSUM];
        uint64_t             job = 0;
        CHECK_FAILS(read_piece(zeros, count, &job), INK_FORMAT, "too few bytes");
    }
}

TEST(a_piece_of_nothing_fits_every_job)
{
    owned_bytes          piece = {0};
    const ink_piece_sink sink = {keep, &piece};
    ink__pieces          pieces = pieces_to(&sink, 1, 4096, 0);
    uint64_t             job = 0;

    CHECK_OK(ink__pieces_flush(&pieces, &error));
    assert_int_equal(piece.count, 0); /* nothing is given away, unless that is asked for */
    pieces.always = true;
    CHECK_OK(ink__pieces_flush(&pieces, &error));
    ink__pieces_end(&pieces);
    CHECK_OK(read_piece(piece.bytes, piece.count, &job));
    assert_int_equal(job, 0);
    job = JOB;
    CHECK_OK(read_piece(piece.bytes, piece.count, &job));
    assert_int_equal(job, JOB);
}

TEST(a_piece_may_stand_anywhere_in_memory)
{
    owned_bytes piece = some_piece();
    uint8_t    *moved = test_malloc(piece.count + 8);
    uint64_t    job = 0;

    for (size_t by = 0; by < 8; by++) {
        memcpy(moved + by, piece.bytes, piece.count);
        CHECK_OK(read_piece(moved + by, piece.count, &job));
        assert_int_equal(job, JOB);
    }
    test_free(moved);
}

RUN_TESTS()
