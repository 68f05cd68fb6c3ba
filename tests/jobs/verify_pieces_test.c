/* verify_pieces_test.c - a verification range by range, whose parts were sent and added up, gives
 * field by field what ink_verify over all records gives, however records are dealt to maps; what
 * does not fit, and what is damaged on its way, is refused by name. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"
#include "inkling_pieces.h"

#include "jobs/groups/elements.h"
#include "jobs/groups/pieces.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;

static const ink_verify_options every = {0};
static uint64_t                 chance = 47;

/* ---- Data --------------------------------------------------------------------------------- */

static const char *const first_column[] = {"1"};

/* Keys that may be in several groups, and records that repeat; or no groups. */
static records_data some_data(bool ints, bool grouped, unsigned records)
{
    static const char *const groups[] = {"a", "b", "", "c", "d"};
    records_data             of = {.reading = {.form = INK_FORM_TSV,
                                               .key = first_column,
                                               .key_count = 1,
                                               .keys = ints ? INK_KEYS_INT : INK_KEYS_BYTES,
                                               .by = grouped ? "2" : NULL}};

    for (unsigned i = 0; i < records; i++) {
        char key[32];
        snprintf(key, sizeof key, ints ? "%d" : "k%d", (int)records_below(&chance, 300));
        records_data_put(&of, key, grouped ? groups[records_below(&chance, 5)] : "", 1);
    }
    return of;
}

static records_file file_of(const records_data *of, const ink_params *kinds, size_t count)
{
    return records_by_hand(&of->rows, &(ink_build_options){.kinds = kinds, .kind_count = count});
}

/* ---- Pieces ------------------------------------------------------------------------------- */

/* The pieces of a bucket, in any order. */
static size_t inputs_of(const records_pieces *all, uint32_t bucket,
                        ink_input inputs[RECORDS_PIECES])
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        if (all->buckets[i] != bucket)
            continue;
        size_t at = (size_t)records_below(&chance, ++count);
        inputs[count - 1] = inputs[at];
        inputs[at] = (ink_input){
            .path = "piece",
            .memory = all->list[i].bytes,
            .memory_bytes = all->list[i].count,
        };
    }
    return count;
}

static uint64_t hash_of(const ink_sketch *hasher, const records_rows *rows, const records_row *row)
{
    const uint64_t offsets[] = {row->key, row->key + row->key_bytes};
    ink_batch      batch = {.count = 1, .data = rows->bytes.bytes, .offsets = offsets};
    uint64_t       hash;

    if (rows->ints)
        batch = (ink_batch){.count = 1, .ints = &row->number};
    CHECK_OK(ink_sketch_hash_batch(hasher, &batch, &hash, &error));
    return hash;
}

/* Hashes keys by the rule of a kind; by that of labels if keys themselves are kept. */
static ink_sketch *hasher_of(const records_data *of, const ink_params *rule, ink__item_type type)
{
    const ink_params labels = {.kind = "fm"};
    const ink_params keys = {.kind = "fm",
                             .key_type = of->rows.ints ? INK_KEY_INT : INK_KEY_BYTES,
                             .hash = rule->hash,
                             .seed = rule->seed,
                             .secret = rule->secret};
    ink_sketch      *hasher;

    CHECK_OK(ink_sketch_create(&hasher, type == INK__ITEM_KEYS ? &labels : &keys, NULL, &error));
    return hasher;
}

/* Puts one row, as an item of its own, into the bucket that it belongs to. */
static void put_row(ink__pieces *to, const records_data *of, const records_row *row,
                    ink__item_type type, const ink_sketch *hasher)
{
    uint64_t  pair[] = {hash_of(hasher, &of->rows, row), 3};
    uint8_t   key[INK__KEY_HEAD_BYTES + 64];
    ink__item item = {
        .type = type,
        .label = records_group(&of->rows, row),
        .records = 1,
        .bytes = (const uint8_t *)pair,
        .count = type == INK__ITEM_HASHES ? 8 : 16,
    };

    if (type == INK__ITEM_KEYS) {
        CHECK(row->key_bytes <= 64);
        ink__key_head_write(key, (ink__key_head){1, (uint32_t)row->key_bytes});
        memcpy(key + INK__KEY_HEAD_BYTES, of->rows.bytes.bytes + row->key, row->key_bytes);
        item.bytes = key;
        item.count = INK__KEY_HEAD_BYTES + row->key_bytes;
    }
    CHECK_OK(ink__pieces_put(to, ink__pieces_range(pair[0], to->buckets), &item, NULL, &error));
}

/* What maps that each have some of the rows give, made by hand. */
static void map_by_hand(records_pieces *all, const records_data *of,
                        const ink_pieces_options *mapped, ink__item_type type)
{
    const ink_piece_sink sink = {records_take_piece, all};
    faults_memory        memory = {0};
    const ink_allocator  allocator = faults_allocator(&memory);
    ink_sketch          *hasher = hasher_of(of, &mapped->build->kinds[0], type);
    ink__pieces          maps[3];
    uint64_t             job;

    CHECK_OK(ink__pieces_job(&of->reading, mapped->build, &job, &error));
    for (size_t m = 0; m < 3; m++)
        CHECK_OK(ink__pieces_begin(&maps[m], mapped->buckets, mapped->piece_bytes, job, &sink,
                                   &allocator, &error));
    for (size_t i = 0; i < of->rows.count; i++)
        put_row(&maps[records_below(&chance, 3)], of, &of->rows.rows[i], type, hasher);
    for (size_t m = 0; m < 3; m++) {
        CHECK_OK(ink__pieces_flush(&maps[m], &error));
        ink__pieces_end(&maps[m]);
    }
    ink_sketch_free(hasher);
    faults_check_no_leak(&memory);
}

/* The same by ink_map, of the first half of the records and of the second. */
static void map_by_job(records_pieces *all, const records_data *of,
                       const ink_pieces_options *mapped)
{
    const ink_piece_sink sink = {records_take_piece, all};
    size_t               half = of->text.count / 2;

    while (half > 0 && of->text.bytes[half - 1] != '\n')
        half--;
    const ink_input inputs[] = {
        {.memory = of->text.bytes, .memory_bytes = half},
        {.memory = of->text.bytes + half, .memory_bytes = of->text.count - half},
    };
    for (size_t i = 0; i < 2; i++) {
        ink_job job = {.threads = 2, .chunk_bytes = 1000};
        CHECK_OK(ink_map(&inputs[i], 1, &of->reading, mapped, &sink, &job, &error));
    }
}

/* ---- Verifying ---------------------------------------------------------------------------- */

static ink_verification *verify_whole(const ink_file *file, const records_data *of,
                                      const ink_verify_options *options)
{
    const ink_input   input = {.memory = of->text.bytes, .memory_bytes = of->text.count};
    ink_job           job = {.threads = 2};
    ink_verification *whole;

    CHECK_OK(ink_verify(&whole, file, &input, 1, &of->reading, options, &job, &error));
    assert_int_equal(ink_verification_records(whole), job.records);
    return whole;
}

/* Verifies one range and encodes what was counted. */
static records_bytes verify_range(const ink_file *file, const records_data *of,
                                  const records_pieces *all, const ink_pieces_options *mapped,
                                  uint32_t bucket, const ink_verify_options *options)
{
    static ink_input    inputs[RECORDS_PIECES];
    size_t              given = inputs_of(all, bucket, inputs), count;
    ink_job             job = {.threads = 1 + (unsigned)records_below(&chance, 3)};
    owned_verification *part;
    records_bytes       sent = {0};
    uint8_t            *bytes;
    uint32_t            lacking;

    CHECK_OK(ink_verify_pieces(&part, file, inputs, given, &of->reading, mapped, bucket, options,
                               &job, &error));
    assert_int_equal(ink_verification_records(part), job.records);
    CHECK(ink_verification_lacks(part, &lacking) == (mapped->buckets > 1));
    CHECK_OK(ink_verification_encode(part, &bytes, &count, &error));
    records_put(&sent, bytes, count);
    ink_bytes_free(bytes, count, NULL);
    return sent;
}

/* All ranges, added up in any order, some of them in two steps. */
static ink_verification *merge(const ink_file *file, const records_data *of,
                               const records_pieces *all, const ink_pieces_options *mapped,
                               const ink_verify_options *options)
{
    ink_verification        *sums[2];
    ink_verification_summary summary;
    uint32_t                 lacking, first = (uint32_t)records_below(&chance, mapped->buckets);
    uint8_t                 *bytes;
    size_t                   count;

    for (size_t i = 0; i < 2; i++)
        CHECK_OK(ink_verification_create(&sums[i], file, mapped->buckets, options->secret, NULL,
                                         &error));
    for (uint32_t i = 0; i < mapped->buckets; i++) {
        uint32_t    bucket = (first + i) % mapped->buckets;
        owned_bytes sent = verify_range(file, of, all, mapped, bucket, options);
        CHECK_OK(
            ink_verification_add(sums[records_below(&chance, 2)], sent.bytes, sent.count, &error));
    }
    ink_verification_summarise(sums[0], &summary);
    CHECK(!summary.ok || !ink_verification_lacks(sums[0], &lacking));
    CHECK_OK(ink_verification_encode(sums[1], &bytes, &count, &error));
    ink_verification_free(sums[1]);
    CHECK_OK(ink_verification_add(sums[0], bytes, count, &error));
    ink_bytes_free(bytes, count, NULL);
    CHECK(!ink_verification_lacks(sums[0], &lacking));
    return sums[0];
}

static void check_same_row(const ink_verify_result *a, const ink_verify_result *b)
{
    assert_string_equal(a->kind, b->kind);
    assert_int_equal(ink_label_compare(&a->label, &b->label), 0);
    assert_int_equal(a->membership, b->membership);
    assert_int_equal(a->ok, b->ok);
    assert_int_equal(a->tested, b->tested);
    assert_int_equal(a->false_positives, b->false_positives);
    assert_int_equal(a->denied, b->denied);
    CHECK(a->rate == b->rate && a->low == b->low && a->high == b->high);
    CHECK(a->target == b->target && a->promised == b->promised && a->current == b->current);
    CHECK(a->wrong == b->wrong && a->missed == b->missed);
    CHECK(a->error == b->error && a->bound == b->bound);
}

static ink_verification_summary check_same(const ink_verification *a, const ink_verification *b)
{
    ink_verification_summary one, other;
    ink_verify_result        row, other_row;

    assert_int_equal(ink_verification_count(a), ink_verification_count(b));
    for (size_t i = 0; i < ink_verification_count(a); i++) {
        CHECK_OK(ink_verification_row(a, i, &row, &error));
        CHECK_OK(ink_verification_row(b, i, &other_row, &error));
        check_same_row(&row, &other_row);
    }
    assert_int_equal(ink_verification_records(a), ink_verification_records(b));
    ink_verification_summarise(a, &one);
    ink_verification_summarise(b, &other);
    assert_int_equal(one.ok, other.ok);
    assert_int_equal(one.filters, other.filters);
    assert_int_equal(one.members, other.members);
    assert_int_equal(one.tested, other.tested);
    assert_int_equal(one.false_positives, other.false_positives);
    assert_int_equal(one.denied, other.denied);
    CHECK(one.expected == other.expected && one.limit == other.limit && one.power == other.power);
    CHECK(one.sampled == other.sampled && one.random == other.random);
    return one;
}

/* How maps work that keep all keys: with the rule of `rule`. */
typedef struct mapping {
    ink_params         kind;
    ink_build_options  build;
    ink_pieces_options options;
} mapping;

static void plan_maps(mapping *plan, const ink_params *rule, uint32_t buckets)
{
    bool keys = rule->hash != NULL && strcmp(rule->hash, "mmh3") == 0;

    plan->kind = (ink_params){.kind = keys ? "classic" : "bloom",
                              .hash = rule->hash,
                              .seed = rule->seed,
                              .secret = rule->secret};
    plan->build = (ink_build_options){.kinds = &plan->kind, .kind_count = 1};
    plan->options = (ink_pieces_options){
        .build = &plan->build, .buckets = buckets, .ranged = true, .piece_bytes = 4096};
}

/* Ranges of all numbers, by both kinds of maps, give what the whole gives; which is returned. */
static ink_verification_summary check_ranges(const ink_file *file, const records_data *of,
                                             const ink_params         *rule,
                                             const ink_verify_options *options)
{
    bool                     keys = rule->hash != NULL && strcmp(rule->hash, "mmh3") == 0;
    static records_pieces    all;
    owned_verification      *whole = verify_whole(file, of, options);
    ink_verification_summary reported = {0};

    for (uint32_t buckets = 1; buckets <= 8; buckets *= 2)
        for (unsigned how = 0; how < 3; how++) {
            const ink__item_type type = keys       ? INK__ITEM_KEYS
                                        : how == 0 ? INK__ITEM_HASHES
                                                   : INK__ITEM_COUNTED;
            mapping              plan;
            plan_maps(&plan, rule, buckets);
            if (how == 2)
                map_by_job(&all, of, &plan.options);
            else
                map_by_hand(&all, of, &plan.options, type);
            owned_verification *merged = merge(file, of, &all, &plan.options, options);
            reported = check_same(merged, whole);
            records_pieces_free(&all);
        }
    return reported;
}

/* ---- Ranges add up ------------------------------------------------------------------------ */

TEST(ranges_of_groups_add_up_to_the_whole)
{
    static const uint8_t    secret[INK_SECRET_BYTES] = "secret";
    static const ink_params kinds[][2] = {
        {{.kind = "bloom", .false_positive_rate = 0.2}, {.kind = NULL}},
        {{.kind = "classic", .false_positive_rate = 0.3, .seed = 7}, {.kind = "bloom", .seed = 7}},
        {{.kind = "counting", .false_positive_rate = 0.2},
         {.kind = "scalable", .expected_keys = 20, .false_positive_rate = 0.3}},
        {{.kind = "classic", .hash = "mmh3", .false_positive_rate = 0.2}, {.kind = NULL}},
        {{.kind = "bloom", .false_positive_rate = 0.2, .secret = secret}, {.kind = NULL}},
    };

    for (size_t k = 0; k < 5; k++)
        for (unsigned ints = 0; ints < 2; ints++) {
            if (k == 3 && ints == 1)
                continue; /* seeded Murmur hashes bytes alone */
            owned_records of = some_data(ints, true, 600);
            owned_file    file = file_of(&of, kinds[k], kinds[k][1].kind == NULL ? 1 : 2);
            const ink_verify_options options = {.secret = kinds[k][0].secret};
            ink_verification_summary reported =
                check_ranges(file.file, &of, &kinds[k][0], &options);
            CHECK(reported.ok && reported.false_positives > 0 && !reported.random);
        }
}

TEST(keys_that_a_filter_denies_add_up)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 1e-5};
    owned_records    of = some_data(false, true, 400);
    owned_file       file = file_of(&of, &bloom, 1);

    records_data_put(&of, "nobody added this", "b", 1);
    ink_verification_summary reported = check_ranges(file.file, &of, &bloom, &every);
    CHECK(!reported.ok && reported.denied == 1);
    for (int i = 0; i < 20; i++) {
        char key[32];
        snprintf(key, sizeof key, "not added %d", i);
        records_data_put(&of, key, i % 2 == 0 ? "c" : "a group that the file lacks", 1);
    }
    reported = check_ranges(file.file, &of, &bloom, &every);
    CHECK(!reported.ok && reported.denied == 21);
}

TEST(a_broken_promise_is_seen_in_the_sum)
{
    /* Planned for 20 keys, and given about 75. */
    const ink_params bloom = {.kind = "bloom", .bits = 512, .expected_keys = 20};
    owned_records    of = some_data(false, true, 400);
    owned_file       file = file_of(&of, &bloom, 1);

    ink_verification_summary reported = check_ranges(file.file, &of, &bloom, &every);
    CHECK(!reported.ok && reported.denied == 0 &&
          (double)reported.false_positives > reported.limit);
}

TEST(random_non_members_are_shared_by_all_ranges)
{
    const ink_params         bloom = {.kind = "bloom", .false_positive_rate = 0.1};
    const ink_verify_options few = {.tests_max = 10001};

    for (unsigned ints = 0; ints < 2; ints++) {
        /* With three records most ranges have no pieces. */
        owned_records            of = some_data(ints, false, ints ? 3 : 400);
        owned_file               file = file_of(&of, &bloom, 1);
        ink_verification_summary reported = check_ranges(file.file, &of, &bloom, &every);
        CHECK(reported.ok && reported.random && !reported.sampled && reported.tested > 50000);
        reported = check_ranges(file.file, &of, &bloom, &few);
        CHECK(reported.ok && reported.random && reported.sampled && reported.tested == 10001);
    }
}

TEST(pieces_of_groups_serve_a_file_without)
{
    const ink_params bloom = {.kind = "bloom", .false_positive_rate = 0.1};
    owned_records    of = some_data(false, true, 500), plain = {0};

    for (size_t i = 0; i < of.rows.count; i++)
        records_add(&plain.rows, of.rows.bytes.bytes + of.rows.rows[i].key,
                    of.rows.rows[i].key_bytes, NULL, 0, 1);
    owned_file               file = file_of(&plain, &bloom, 1);
    ink_verification_summary reported =
        check_ranges(file.file, &of, &bloom, &(ink_verify_options){.tests_max = 10000});
    CHECK(reported.ok && reported.random && reported.members < 300);
}

TEST(a_sample_of_a_range_makes_the_whole_a_sample)
{
    const ink_params         bloom = {.kind = "bloom", .false_positive_rate = 0.2};
    const ink_verify_options sample = {.tests_max = 1000};
    owned_records            of = some_data(false, true, 2000);
    owned_file               file = file_of(&of, &bloom, 1);
    static records_pieces    all;
    mapping                  plan;
    ink_verification_summary reported, sampled;

    plan_maps(&plan, &bloom, 2);
    map_by_hand(&all, &of, &plan.options, INK__ITEM_HASHES);
    ink_verification *merged = merge(file.file, &of, &all, &plan.options, &every);
    ink_verification_summarise(merged, &reported);
    ink_verification_free(merged);
    merged = merge(file.file, &of, &all, &plan.options, &sample);
    ink_verification_summarise(merged, &sampled);
    ink_verification_free(merged);
    CHECK(reported.ok && !reported.sampled);
    CHECK(sampled.ok && sampled.sampled);
    /* Every member is asked; of all keys and filters about 1000 of 2750 pairs in each range. */
    assert_int_equal(sampled.members, reported.members);
    CHECK(sampled.tested > reported.tested / 8 && sampled.tested < reported.tested / 2);
    records_pieces_free(&all);
}

/* ---- What is sent ------------------------------------------------------------------------- */

/* Two ranges of a small file, encoded. */
typedef struct sent {
    records_data  of;
    records_file  file;
    records_bytes parts[2];
} sent;

static sent send_two(const ink_params *kind)
{
    sent                  all = {.of = some_data(false, true, 100)};
    static records_pieces cut;
    mapping               plan;

    all.file = file_of(&all.of, kind, 1);
    plan_maps(&plan, kind, 2);
    map_by_hand(&cut, &all.of, &plan.options, INK__ITEM_HASHES);
    for (uint32_t i = 0; i < 2; i++)
        all.parts[i] = verify_range(all.file.file, &all.of, &cut, &plan.options, i, &every);
    records_pieces_free(&cut);
    return all;
}

static void free_sent(sent *all)
{
    for (size_t i = 0; i < 2; i++)
        records_bytes_free(&all->parts[i]);
    records_file_close(&all->file);
    records_data_free(&all->of);
}

#define owned_sent OWNED(free_sent) sent

TEST(damaged_parts_are_refused_and_change_nothing)
{
    const ink_params    bloom = {.kind = "bloom"};
    owned_sent          all = send_two(&bloom);
    records_bytes      *part = &all.parts[1];
    owned_verification *sum, *expected;
    uint32_t            lacking;

    CHECK_OK(ink_verification_create(&sum, all.file.file, 2, NULL, NULL, &error));
    CHECK_OK(ink_verification_create(&expected, all.file.file, 2, NULL, NULL, &error));
    CHECK_OK(ink_verification_add(sum, all.parts[0].bytes, all.parts[0].count, &error));
    CHECK_OK(ink_verification_add(expected, all.parts[0].bytes, all.parts[0].count, &error));
    for (size_t i = 0; i < part->count; i++) {
        uint8_t was = part->bytes[i];
        part->bytes[i] ^= (uint8_t)(1 + records_below(&chance, 255));
        CHECK_FAILS(ink_verification_add(sum, part->bytes, part->count, &error),
                    i >= 8 && i < 12 ? INK_MISMATCH : INK_FORMAT,
                    i >= 8 && i < 12 ? "version" : "expected a whole part");
        part->bytes[i] = was;
        CHECK_FAILS(ink_verification_add(sum, part->bytes, i, &error), INK_FORMAT, "");
    }
    CHECK(ink_verification_lacks(sum, &lacking) && lacking == 1);
    check_same(sum, expected);
    CHECK_OK(ink_verification_add(sum, part->bytes, part->count, &error));
    CHECK(!ink_verification_lacks(sum, &lacking));
}

TEST(parts_of_another_verification_are_refused)
{
    const ink_params    bloom = {.kind = "bloom"}, smaller = {.kind = "bloom", .bits = 1024};
    owned_sent          all = send_two(&bloom);
    owned_file          other = file_of(&all.of, &smaller, 1);
    owned_verification *sum, *finer, *elsewhere, *whole;
    uint8_t            *bytes;
    size_t              count;

    CHECK_OK(ink_verification_create(&sum, all.file.file, 2, NULL, NULL, &error));
    CHECK_OK(ink_verification_create(&finer, all.file.file, 4, NULL, NULL, &error));
    CHECK_OK(ink_verification_create(&elsewhere, other.file, 2, NULL, NULL, &error));
    whole = verify_whole(all.file.file, &all.of, &every);
    const uint8_t *part = all.parts[1].bytes;
    CHECK_OK(ink_verification_add(sum, part, all.parts[1].count, &error));
    CHECK_FAILS(ink_verification_add(sum, part, all.parts[1].count, &error), INK_USAGE,
                "part 1 of a verification again");
    CHECK_FAILS(ink_verification_add(finer, part, all.parts[1].count, &error), INK_MISMATCH,
                "2 parts, expected 4");
    CHECK_FAILS(ink_verification_add(elsewhere, part, all.parts[1].count, &error), INK_MISMATCH,
                "another file");
    CHECK_FAILS(ink_verification_add(whole, part, all.parts[1].count, &error), INK_USAGE,
                "over records");
    CHECK_FAILS(ink_verification_encode(whole, &bytes, &count, &error), INK_USAGE, "over records");
}

/* ---- What is refused ---------------------------------------------------------------------- */

/* Everything that a call needs, to be changed for one that fails. */
typedef struct attempt {
    records_data       of;
    records_file       file;
    records_pieces     all;
    mapping            plan;
    ink_verify_options options;
    uint32_t           bucket;
    const char        *failed_path;
} attempt;

/* Data and pieces of hashes, for bucket 1 of 2. */
static attempt *begin_attempt(const ink_params *kinds, size_t count)
{
    attempt *one = calloc(1, sizeof *one);

    CHECK(one != NULL);
    one->of = some_data(false, true, 100);
    one->file = file_of(&one->of, kinds, count);
    one->bucket = 1;
    plan_maps(&one->plan, &(ink_params){.kind = "bloom"}, 2);
    map_by_hand(&one->all, &one->of, &one->plan.options, INK__ITEM_HASHES);
    return one;
}

static void end_attempt(attempt **one)
{
    records_pieces_free(&(*one)->all);
    records_file_close(&(*one)->file);
    records_data_free(&(*one)->of);
    free(*one);
}

#define owned_attempt OWNED(end_attempt) attempt

static ink_status try_it(attempt *one)
{
    static ink_input  inputs[RECORDS_PIECES];
    ink_job           job = {.threads = 1};
    ink_verification *part;
    ink_status        status = ink_verify_pieces(
               &part, one->file.file, inputs, inputs_of(&one->all, 1, inputs), &one->of.reading,
               &one->plan.options, one->bucket, &one->options, &job, &error);

    one->failed_path = job.failed_path;
    if (status == INK_OK)
        ink_verification_free(part);
    return status;
}

TEST(what_cannot_be_verified_over_pieces_is_refused)
{
    static const ink_params kinds[] = {{.kind = "bloom"}, {.kind = "hll"}};
    const ink_input         absent = {.memory = (const uint8_t *)"x\n", .memory_bytes = 2};
    owned_attempt          *one = begin_attempt(kinds, 2);
    ink_verification       *sum;
    owned_file              empty = records_entries(NULL, 0);

    CHECK_FAILS(try_it(one), INK_UNSUPPORTED, "a verification of hll in parts");
    CHECK_FAILS(ink_verification_create(&sum, one->file.file, 2, NULL, NULL, &error),
                INK_UNSUPPORTED, "a verification of hll in parts");
    end_attempt(&one);
    one = begin_attempt(kinds, 1);
    CHECK_OK(try_it(one));
    one->options = (ink_verify_options){.absent = &absent, .absent_count = 1};
    CHECK_FAILS(try_it(one), INK_UNSUPPORTED, "absent keys");
    one->options = (ink_verify_options){0};
    one->plan.options.ranged = false;
    CHECK_FAILS(try_it(one), INK_USAGE, "not of ranges");
    one->plan.options.ranged = true;
    one->bucket = 2;
    CHECK_FAILS(try_it(one), INK_USAGE, "bucket 2 of 2");
    one->bucket = 1;
    for (uint32_t buckets = 3; buckets <= 512; buckets += 509) {
        one->plan.options.buckets = buckets;
        CHECK_FAILS(try_it(one), INK_USAGE, "expected a power of two, at most 256");
        CHECK_FAILS(ink_verification_create(&sum, one->file.file, buckets, NULL, NULL, &error),
                    INK_USAGE, "expected a power of two, at most 256");
    }
    one->plan.options.buckets = 2;
    one->plan.build.kind_count = 0;
    CHECK_FAILS(try_it(one), INK_USAGE, "no kind");
    one->plan.build.kind_count = 1;
    CHECK_OK(try_it(one));
    CHECK_FAILS(ink_verification_create(&sum, empty.file, 2, NULL, NULL, &error), INK_UNSUPPORTED,
                "empty file");
}

TEST(pieces_of_other_maps_are_refused)
{
    const ink_params  bloom = {.kind = "bloom"}, seeded = {.kind = "bloom", .seed = 5};
    const ink_params  murmur = {.kind = "classic", .hash = "mmh3"};
    owned_attempt    *one = begin_attempt(&bloom, 1);
    ink_verification *part;
    ink_job           job = {.threads = 1};

    one->plan.kind.false_positive_rate = 0.5; /* another job than that of the pieces */
    CHECK_FAILS(try_it(one), INK_MISMATCH, "another job");
    assert_string_equal(one->failed_path, "piece");
    one->plan.kind.false_positive_rate = 0;
    for (size_t i = 0; i < one->all.count; i++) /* pieces of another bucket */
        one->all.buckets[i] ^= 1;
    CHECK_FAILS(try_it(one), INK_MISMATCH, "keys of bucket 0, expected those of bucket 1 alone");
    for (size_t i = 0; i < one->all.count; i++)
        one->all.buckets[i] ^= 1;
    one->all.list[one->all.count - 1].bytes[50] ^= 1;
    one->all.buckets[one->all.count - 1] = 1;
    CHECK_FAILS(try_it(one), INK_FORMAT, "checksum");
    assert_string_equal(one->failed_path, "piece");
    one->all.list[one->all.count - 1].bytes[50] ^= 1;
    CHECK_FAILS(ink_verify_pieces(&part, one->file.file, &(ink_input){.path = "x"}, 1,
                                  &one->of.reading, &one->plan.options, 0, &every, &job, &error),
                INK_USAGE, "not in memory");
    end_attempt(&one);
    one = begin_attempt(&seeded, 1);
    CHECK_FAILS(try_it(one), INK_MISMATCH, "seed 5");
    end_attempt(&one);
    one = begin_attempt(&murmur, 1);
    CHECK_FAILS(try_it(one), INK_MISMATCH, "a piece of hashes, expected keys");
}

TEST(secrets_must_be_the_same)
{
    static const uint8_t secret[INK_SECRET_BYTES] = "secret", other[INK_SECRET_BYTES] = "other";
    const ink_params     keyed = {.kind = "bloom", .secret = secret};
    owned_attempt       *one = begin_attempt(&keyed, 1);
    ink_verification    *sum;

    CHECK_FAILS(try_it(one), INK_MISMATCH, "secret");
    CHECK_FAILS(ink_verification_create(&sum, one->file.file, 2, NULL, NULL, &error), INK_MISMATCH,
                "secret");
    one->options.secret = secret;
    CHECK_FAILS(try_it(one), INK_MISMATCH, "as in the file");
    one->plan.kind.secret = other; /* than that of the pieces, which have none ... */
    CHECK_FAILS(try_it(one), INK_MISMATCH, "another job");
    records_pieces_free(&one->all); /* ... or have this one, but the file has not */
    uint64_t before = chance;
    map_by_hand(&one->all, &one->of, &one->plan.options, INK__ITEM_HASHES);
    chance = before; /* what follows is to be as likely as it was */
    CHECK_FAILS(try_it(one), INK_MISMATCH, "another secret");
}

/* Verifies over one item, of a job without or with groups. */
static ink_status verify_item(const records_data *of, const ink_params *rule, const ink__item *item)
{
    static records_pieces all;
    const ink_piece_sink  sink = {records_take_piece, &all};
    faults_memory         memory = {0};
    const ink_allocator   allocator = faults_allocator(&memory);
    ink_job               job = {.threads = 1};
    owned_file            file = file_of(of, rule, 1);
    ink_verification     *part;
    ink__pieces           to;
    uint64_t              number;
    mapping               plan;

    plan_maps(&plan, rule, 1);
    CHECK_OK(ink__pieces_job(&of->reading, &plan.build, &number, &error));
    CHECK_OK(ink__pieces_begin(&to, 1, 4096, number, &sink, &allocator, &error));
    CHECK_OK(ink__pieces_put(&to, 0, item, NULL, &error));
    CHECK_OK(ink__pieces_flush(&to, &error));
    ink__pieces_end(&to);
    const ink_input input = {.memory = all.list[0].bytes, .memory_bytes = all.list[0].count};
    ink_status status = ink_verify_pieces(&part, file.file, &input, 1, &of->reading, &plan.options,
                                          0, &every, &job, &error);
    if (status == INK_OK)
        ink_verification_free(part);
    records_pieces_free(&all);
    return status;
}

TEST(items_that_are_no_keys_of_this_file_are_refused)
{
    const ink_params bloom = {.kind = "bloom"};
    owned_records    grouped = some_data(false, true, 10), ints = some_data(true, true, 10);
    uint8_t          bytes[INK__KEY_HEAD_BYTES + 4] = {0};
    ink__item        item = {.type = INK__ITEM_HASHES, .records = 1, .bytes = bytes, .count = 8};

    CHECK_FAILS(verify_item(&grouped, &bloom, &item), INK_MISMATCH, "records without groups");
    item.label.group_kind = INK_GROUP_NULL;
    CHECK_OK(verify_item(&grouped, &bloom, &item));
    item.type = INK__ITEM_SKETCHES;
    CHECK_FAILS(verify_item(&grouped, &bloom, &item), INK_MISMATCH, "a piece of sketches");
    item.type = INK__ITEM_KEYS;
    item.count = sizeof bytes;
    ink__key_head_write(bytes, (ink__key_head){1, 4});
    CHECK_OK(verify_item(&grouped, &bloom, &item)); /* keys do where hashes would do, too */
    CHECK_FAILS(verify_item(&ints, &bloom, &item), INK_MISMATCH, "expected integers");
    ink__key_head_write(bytes, (ink__key_head){1, 5});
    CHECK_FAILS(verify_item(&grouped, &bloom, &item), INK_FORMAT, "a key that is cut");
    item.count = 11;
    CHECK_FAILS(verify_item(&grouped, &bloom, &item), INK_FORMAT, "a key that is cut");
}

/* ---- Memory and progress ------------------------------------------------------------------ */

/* A whole verification in two ranges, all of whose memory comes from `allocator`. */
static ink_status run_all(const attempt *one, const ink_allocator *allocator,
                          ink_verification_summary *summary)
{
    static ink_input  inputs[RECORDS_PIECES];
    ink_verification *sum, *part;
    uint8_t          *bytes;
    size_t            count;
    ink_status status = ink_verification_create(&sum, one->file.file, 2, NULL, allocator, &error);

    if (status != INK_OK)
        return status;
    for (uint32_t bucket = 0; bucket < 2 && status == INK_OK; bucket++) {
        ink_job job = {.threads = 1, .allocator = allocator};
        count = inputs_of(&one->all, bucket, inputs);
        status = ink_verify_pieces(&part, one->file.file, inputs, count, &one->of.reading,
                                   &one->plan.options, bucket, &one->options, &job, &error);
        if (status != INK_OK)
            break;
        status = ink_verification_encode(part, &bytes, &count, &error);
        ink_verification_free(part);
        if (status != INK_OK)
            break;
        status = ink_verification_add(sum, bytes, count, &error);
        ink_bytes_free(bytes, count, allocator);
    }
    ink_verification_summarise(sum, summary);
    ink_verification_free(sum);
    return status;
}

TEST(every_allocation_may_be_refused)
{
    const ink_params         bloom = {.kind = "bloom", .false_positive_rate = 0.2};
    owned_attempt           *one = begin_attempt(&bloom, 1);
    ink_verification_summary expected, summary;

    CHECK_OK(run_all(one, NULL, &expected));
    CHECK(expected.ok && expected.false_positives > 0);
    for (unsigned and_after = 0; and_after < 2; and_after++)
        for (uint64_t nth = 1;; nth++) {
            faults_memory       memory = {.refuse_at = nth, .refuse_after = and_after == 1};
            const ink_allocator allocator = faults_allocator(&memory);
            error = (ink_error){0};
            ink_status status = run_all(one, &allocator, &summary);
            faults_check_no_leak(&memory);
            if (memory.refused == 0) {
                CHECK(nth > 20 && status == INK_OK && summary.tested == expected.tested &&
                      summary.false_positives == expected.false_positives);
                break;
            }
            CHECK(status == INK_MEMORY && error.status == INK_MEMORY);
        }
}

static bool stop_at_once(void *host, const ink_progress *progress)
{
    ink_progress *reported = host;

    *reported = *progress;
    return false;
}

TEST(reading_pieces_reports_progress_and_stops)
{
    static ink_input  inputs[RECORDS_PIECES];
    const ink_params  bloom = {.kind = "bloom"};
    owned_attempt    *one = begin_attempt(&bloom, 1);
    size_t            count = inputs_of(&one->all, 1, inputs);
    ink_progress      reported = {.phase = INK_PHASE_TESTING};
    ink_job           job = {.threads = 1, .progress = stop_at_once, .host = &reported};
    ink_verification *part;

    CHECK(count > 1);
    records_slow_clock_begin();
    CHECK_FAILS(ink_verify_pieces(&part, one->file.file, inputs, count, &one->of.reading,
                                  &one->plan.options, 1, &one->options, &job, &error),
                INK_STOPPED, "");
    records_slow_clock_end();
    CHECK(reported.phase == INK_PHASE_READING && reported.done == inputs[0].memory_bytes);
    CHECK(reported.total > reported.done && reported.records > 0);
}

RUN_TESTS()
